"""Run a learner's function on copies of the cases: in a thread that can be stopped, with its printing caught.

Its processor time decides whether it loops for ever, because a busy machine slows down right code too. A loop in Python
is stopped when that time is up, even through the learner's own `except:`. A long call into C cannot be stopped: the
caller continues without it, and the thread ends when that call does.
(A C call that never lets another thread run, such as sum(range(10**12)), holds the whole kernel; nothing helps there.)
"""

import builtins
import copy
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any

from ..display.box import line_of
from ..display.formatting import one_line
from .arrays import Blank, Outputs, Unusable, as_array, same
from .case import Case
from .stoppable import Stoppable

KEPT_LINES, KEPT_CHARACTERS = 3, 300
WALL = 30.0  # seconds by the clock, however busy the machine is
TOO_LONG = "Your code used more than {:g} seconds of processor time"
OVERDUE = "Your code did not finish within {:g} seconds"
ENDLESS = " and was stopped: does the loop end?"
WAITS = (
    " and was stopped: does it wait for something (such as `sleep`), or does a loop not end? If neither is so, this "
    "computer is very busy: check again later."
)
STUCK = (
    " and could not be stopped (a long call inside a library, or a long import?). It goes on in the background: if the "
    "notebook stays slow, restart the kernel."
)


@dataclass
class Outcome:
    """The result of one call: a value, or an error with the learner's line, or something that is not an answer."""

    value: Outputs | None = None
    error: str = ""  # "ValueError: …"
    line: str = ""  # "line 3: return scores / 0"
    unusable: str = ""
    blank: bool = False
    tensor: bool = False  # the value is torch's, or one like it that can have a gradient
    changed: tuple[int, ...] = ()  # places of the arguments the call wrote into


@dataclass
class Run:
    """All outcomes up to the first call that had to be stopped, and what was printed on the way."""

    outcomes: list[Outcome] = field(default_factory=list)
    stopped: str = ""  # "" · "late" · "overdue" · "interrupted"
    goes_on: bool = False  # it could not be stopped
    seconds: float = 0.0  # of processor time that it was given
    head: str = ""  # the first of what was printed

    def why(self) -> str:
        """Why there is no outcome of the next call."""
        if self.stopped == "interrupted":
            return "Interrupted before the check was done."
        late = self.stopped == "late"
        said = TOO_LONG.format(self.seconds) if late else OVERDUE.format(WALL)
        if self.goes_on:
            return said + STUCK
        return said + (ENDLESS if late else WAITS)

    def printed(self) -> str:
        """The first lines that were printed, or nothing."""
        if not self.head:
            return ""
        shown = [one_line(line, 80) for line in self.head.splitlines()[:KEPT_LINES]]
        more = len(self.head) == KEPT_CHARACTERS or len(self.head.splitlines()) > KEPT_LINES
        return f"Your code printed: {' ⏎ '.join(shown)}{' …' * more}"


class OutputCapture(io.TextIOBase):
    """Stands in for stdout and stderr, and keeps what comes first."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def write(self, text: str) -> int:
        self.run.head += text[: KEPT_CHARACTERS - len(self.run.head)]
        return len(text)


def run(
    function: Callable,
    cases: Sequence[Case],
    read: Callable[[Any], Outputs],
    seconds: float,
    written: Callable | None = None,
) -> Run:
    """Call `function` on each case, all together in at most `seconds` of processor time.

    An error is shown with its line in the learner's own code, which is where `written` is defined, by default the
    function. Raises nothing, not even KeyboardInterrupt.
    """
    result = Run(seconds=seconds)

    def work() -> None:
        for case in cases:
            outcome = None if result.stopped else run_once(function, case, read, written)
            if outcome is None or result.stopped:
                return
            result.outcomes.append(outcome)

    prints = OutputCapture(result)
    with warnings.catch_warnings(), redirect_stdout(prints), redirect_stderr(prints), nobody_types():
        warnings.simplefilter("ignore")  # Python shows a warning once, so the second check would read differently
        thread = Stoppable(work)
        try:
            result.stopped = thread.wait(seconds, WALL)
        except KeyboardInterrupt:
            result.stopped = "interrupted"
        result.goes_on = bool(result.stopped) and not thread.stop()
    return replace(result, outcomes=result.outcomes[: len(cases)])  # a copy: the thread may still write


@contextmanager
def nobody_types() -> Iterator[None]:
    """Let `input` raise at once. In JupyterLab it would wait for words, and block every later cell meanwhile."""

    def refused(*prompt: Any) -> str:
        raise EOFError("`input` waits for somebody to type, and a check cannot type")

    usual = builtins.input
    builtins.input = refused
    try:
        yield
    finally:
        builtins.input = usual


def run_once(
    function: Callable, case: Case, read: Callable[[Any], Outputs], written: Callable | None = None
) -> Outcome:
    """One call on a copy of the case, and what came of it. All code of the learner's objects runs in here too."""
    args = copy.deepcopy(case.args)
    try:
        returned = function(*args)
        value = read(returned)
    except Blank:
        return Outcome(blank=True)
    except Unusable as what:
        return Outcome(unusable=str(what))
    except BaseException as error:
        text = f"{type(error).__name__}: {one_line(message_of(error), 200)}".rstrip(": ")
        return Outcome(error=text, line=line_of(error, written or function))
    changed = tuple(number for number, (a, b) in enumerate(zip(case.args, args)) if _differ(a, b))
    outputs = {name: array.copy() for name, array in value.items()}
    return Outcome(outputs, tensor=hasattr(type(returned), "requires_grad"), changed=changed)


def message_of(error: BaseException) -> str:
    """The words of an error, or nothing when its own class has no words for it."""
    try:
        return str(error)
    except BaseException:
        return ""


def _differ(before: Any, after: Any) -> bool:
    """Whether the call wrote into an argument."""
    try:
        return before is not after and not same(as_array(after), as_array(before))
    except Unusable:  # such as a function
        return False
