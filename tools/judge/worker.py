"""The learner's side of the judge, inside the fence: runs the cells of a hand-in, then its functions on every case.

The learner's code can reach everything here, so what is reported are claims: the judge compares the values itself.
"""

import contextlib
import os
import signal
import sys
from dataclasses import asdict
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from course_lib.checking import Case
from course_lib.checking.arrays import Outputs
from course_lib.checking.runner import run
from course_lib.checking.solution_source import blank_class, compiled, not_attempted, unused_parameters
from course_lib.checking.spec import Spec
from tools.judge.data import read, write

LARGEST = 16 * 2**20  # bytes of one array
NOBODY = 65534  # the user that root becomes, because no limit of processes holds for root


def main(limits: dict[str, int], nobody: bool) -> None:
    """Answer one request: a line when all cells have run, then a line for each task."""
    give_up(limits, nobody)
    request, channel = read(sys.stdin.buffer.readline(), lent=True), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    objects = run_cells(request["cells"], request["seconds"])
    objects |= import_module(f"course_tasks.{request['topic']}").CHECKED
    channel.write(write({}))
    for task in request["tasks"]:
        try:
            line = write(report(objects[task["name"]], **task) if task["name"] in objects else {})
        except BaseException as error:  # of the learner's objects
            line = write({"failed": f"{type(error).__name__}: {error}"})
        channel.write(line)


def give_up(limits: dict[str, int], nobody: bool) -> None:
    """Take the limits, which this process cannot raise again, and become a user without rights."""
    with contextlib.suppress(ImportError):  # Windows has no limits
        import resource

        for name, most in limits.items():
            with contextlib.suppress(AttributeError, ValueError, OSError):  # some systems lack some of them
                resource.setrlimit(getattr(resource, name), (most, most))
    if nobody:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def run_cells(cells: list[str], seconds: float) -> dict[str, Any]:
    """The objects by name after all cells have run. Each is interrupted, as by Ctrl-C, after so much processor time."""
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.set_custom_exc((BaseException,), lambda *args, **kwargs: None)  # no time for tracebacks
    for cell in cells:
        with contextlib.suppress(KeyboardInterrupt):  # it may come just after the cell
            if os.name == "posix":
                signal.signal(signal.SIGPROF, signal.default_int_handler)
                signal.setitimer(signal.ITIMER_PROF, seconds)
            shell.run_cell(cell, silent=True)
    if os.name == "posix":
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
    return dict(shell.user_ns)


def report(given: Any, name: str, starter: str, asked: dict[str, Any] | None) -> dict[str, Any]:
    """What there is to say of an object; of a function, what it does in each case, where the judge asks for that."""
    if issubclass(type(given), type):
        return {"begun": not blank_class(given), "class": given.__name__}
    if not_attempted(given, compiled(starter, name, {"np": np}) if starter else None):
        return {"begun": False}
    if asked is None or not callable(given):
        return {"begun": True, "value": given}
    return {"begun": True, "unused": unused_parameters(given), "run": run_all(given, **asked)}


def run_all(given: Any, cases: Any, seconds: float, hook: str, returns: list[str], afterwards: Any) -> dict[str, Any]:
    """What `runner.run` says of a function in these cases, and what the task asks it afterwards."""
    spec: Any = SimpleNamespace(hook=hook, returns=returns, reader=None)

    def outputs(value: Any) -> Outputs:
        parts = Spec.read(spec, value)
        for array in parts.values():
            if array.nbytes > LARGEST:
                raise ValueError(f"array: {array.nbytes:,} bytes; expected at most {LARGEST:,}")
        return parts

    done = run(given, [Case(*args, **kwargs) for args, kwargs in cases], outputs, seconds)
    later = afterwards(given) if afterwards and not done.stopped else None
    return vars(done) | {"outcomes": list(map(asdict, done.outcomes)), "afterwards": later}
