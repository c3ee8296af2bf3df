"""Run a learner's function on copies of the cases: in a thread that can be stopped, with its printing caught.

A loop in Python is stopped when the time is up, also through the learner's own `except:`. A long call into C
cannot be stopped: the caller goes on without it, and the thread ends when that call does.
(A C call that never lets another thread run, such as sum(range(10**12)), holds the whole kernel; no help for that.)
"""

import _thread
import contextvars
import copy
import ctypes
import io
import linecache
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TextIO

from .parts import Case
from .values import Blank, Parts, Unusable, plain, same

HERE = str(Path(__file__).parent)
MANY_LINES = 10_000
KEPT_LINES, KEPT_CHARACTERS = 3, 300
GRACE = 0.3  # seconds in which a thread should end, or fall asleep


@dataclass
class Outcome:
    """What one call came to: a value, or an error with the learner's line, or something that is no answer."""

    value: Parts | None = None
    error: str = ""  # "ValueError: …"
    line: str = ""  # "line 3: return scores / 0"
    unusable: str = ""
    blank: bool = False
    changed: tuple[int, ...] = ()  # places of the arguments the call wrote into


@dataclass
class Run:
    """All outcomes up to the first call that had to be stopped, and what was printed on the way."""

    outcomes: list[Outcome] = field(default_factory=list)
    stopped: str = ""  # "" · "late" · "stuck" · "interrupted"
    lines: int = 0
    head: str = ""

    def printed(self) -> str:
        """One sentence about what was printed, or nothing."""
        lines = self.lines + bool(self.head and not self.head.endswith("\n") and self.lines < KEPT_LINES)
        if not lines:
            return ""
        shown = [tidy(line, 80) for line in self.head.splitlines()[:KEPT_LINES]]
        many = f"{lines:,} line{'s' * (lines > 1)}"
        if self.stopped and lines > MANY_LINES:  # by chance so many before it was stopped
            many = f"more than {MANY_LINES:,} lines"
        many += " in all cases together" * (len(self.outcomes) > 1)
        many += f"; the first {len(shown)}" if lines > len(shown) else ""
        return f"Your code printed {many}: " + " ⏎ ".join(shown)


class Catcher(io.TextIOBase):
    """Stands in for stdout or stderr: counts the lines of one thread and keeps the first, lets the others through."""

    def __init__(self, run: Run, elsewhere: TextIO) -> None:
        self.run, self.elsewhere, self.thread = run, elsewhere, 0

    def write(self, text: str) -> int:
        if _thread.get_ident() != self.thread:
            return self.elsewhere.write(text)
        run = self.run
        run.lines += text.count("\n")
        if len(run.head) < KEPT_CHARACTERS:
            run.head += text[: KEPT_CHARACTERS - len(run.head)]
        return len(text)

    def flush(self) -> None:
        if _thread.get_ident() != self.thread:
            self.elsewhere.flush()


def run(function: Callable, cases: Sequence[Case], read: Callable[[Any], Parts], seconds: float) -> Run:
    """Call `function` on each case, all together in at most `seconds`. Raises nothing, not even KeyboardInterrupt."""
    result, over = Run(), _thread.allocate_lock()
    out, err = sys.stdout, sys.stderr
    catchers = Catcher(result, out), Catcher(result, err)

    def work() -> None:
        try:
            for catcher in catchers:
                catcher.thread = _thread.get_ident()
            for case in cases:
                outcome = attempt(function, case, read)
                if result.stopped:
                    return
                result.outcomes.append(outcome)
        finally:
            over.release()

    over.acquire()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python shows a warning once, so the second check would read differently
        try:
            sys.stdout, sys.stderr = catchers
            # not a threading.Thread, whose last steps are in Python too, where what is thrown into it would be printed
            thread = _thread.start_new_thread(contextvars.copy_context().run, (work,))
            done, end = False, time.monotonic() + seconds
            try:
                while not done and time.monotonic() < end:
                    done = over.acquire(timeout=0.05)  # in slices, so that an interrupt gets through on Windows too
            except KeyboardInterrupt:
                result.stopped = "interrupted"
                stop(thread, over)
            else:
                if not done:
                    result.stopped = "late"
                    result.stopped = "late" if stop(thread, over) else "stuck"
        finally:
            sys.stdout, sys.stderr = out, err
    return Run(result.outcomes[: len(cases)], result.stopped, result.lines, result.head)


class Parked(SystemExit):
    """Thrown into a thread that swallows every SystemExit: making it puts the thread to sleep for good."""

    asleep: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        self.asleep.add(_thread.get_ident())
        while True:
            time.sleep(3600)


def stop(thread: int, over: _thread.LockType) -> bool:
    """End a thread, or put it to sleep if its own `except:` keeps it alive; False if it is in a call that does neither.

    What is thrown is a SystemExit, because a thread that dies of one dies silently.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # the next one arrives while an `except:` still handles the last
    try:
        for error in (SystemExit, Parked):
            end = time.monotonic() + GRACE
            while time.monotonic() < end:
                if over.acquire(timeout=1e-4) or thread in Parked.asleep or not _throw(error, thread):
                    return True
        _throw(SystemExit, thread)  # for when that call ends
        return False
    finally:
        sys.setswitchinterval(usual)


def _throw(error: type[BaseException], thread: int) -> bool:
    """Whether there still was such a thread."""
    return bool(ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error)))


def attempt(function: Callable, case: Case, read: Callable[[Any], Parts]) -> Outcome:
    """One call on a copy of the case, and what came of it. All code of the learner's objects runs in here too."""
    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    try:
        value = read(function(*args, **kwargs))
    except Blank:
        return Outcome(blank=True)
    except Unusable as what:
        return Outcome(unusable=str(what))
    except BaseException as error:
        return Outcome(
            error=f"{type(error).__name__}: {tidy(said(error), 200)}".rstrip(": "), line=line_of(error, function)
        )
    given, now = (*case.args, *case.kwargs.values()), (*args, *kwargs.values())
    changed = [number for number, (a, b) in enumerate(zip(given, now)) if _changed(a, b)]
    return Outcome({name: array.copy() for name, array in value.items()}, changed=tuple(changed))


def said(error: BaseException) -> str:
    """The words of an error, or nothing when its own class has no words for it."""
    try:
        return str(error)
    except BaseException:
        return ""


def line_of(error: BaseException, function: Callable) -> str:
    """The learner's own line in which an error arose: the deepest that shares its globals with the function."""
    home = getattr(function, "__globals__", None) or getattr(type(function).__call__, "__globals__", None)
    found = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if frame.f_globals is home and not name.startswith(HERE):
            found = f"line {number}: {linecache.getline(name, number, frame.f_globals).strip()}".rstrip(": ")
    return found


def tidy(text: str, length: int) -> str:
    """One line of at most `length` characters, without memory addresses: those change from run to run."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    return text if len(text) <= length else text[: length - 1] + "…"


def _changed(before: Any, after: Any) -> bool:
    """Whether the call wrote into an argument, or into what the argument holds."""
    if before is after or callable(before):
        return False
    if isinstance(before, (dict, list)):
        if type(before) is not type(after) or len(before) != len(after):
            return True
        if isinstance(before, dict):
            return any(key not in after or _changed(before[key], after[key]) for key in before)
        return any(map(_changed, before, after))
    try:
        return not same(plain(after), plain(before))
    except (Unusable, Blank):
        return False
