"""The learner's side of the judge, inside the fence: runs the cells of a hand-in, then its functions on every case.

The learner's code can reach everything here, so what is reported are claims: the judge compares the values itself.
"""

import contextlib
import os
import signal
import sys
from dataclasses import asdict
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from course_kit.checking import Case
from course_kit.checking.runner import run
from course_kit.checking.solution_source import blank_class, not_attempted, unused_parameters
from course_kit.checking.spec import Spec
from tools.judge.data import read, write

CHECKED: dict[str, Any] = {}  # what was last handed to the check of a task, by the task's name


class Quiet:
    """A task as a hand-in finds it: it notes what is checked, and answers nothing."""

    def __init__(self, name: str) -> None:
        if name.startswith("_"):  # asked of a topic's module, which makes its tasks with this class
            raise AttributeError(name)
        self.check = lambda given=...: CHECKED.update({name: given})

    def __getattr__(self, verb: str) -> Any:
        return lambda *args, **kwargs: None


def main(limits: dict[str, int]) -> None:
    """Take the limits and answer one request: a line when all cells have run, then a line for each task."""
    for name, most in limits.items():
        with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):  # not every system has every limit
            resource = import_module("resource")
            resource.setrlimit(getattr(resource, name), (most, most + 5))  # in these seconds the kernel says why
    request, channel = read(sys.stdin.buffer.readline(), lent=True), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    objects = run_cells(request["cells"], request["seconds"]) | CHECKED
    channel.write(write({"name": ""}))
    for task in request["tasks"]:
        known = report(objects[task["name"]], **task) if task["name"] in objects else {}
        channel.write(write({"name": task["name"]} | known))


def run_cells(cells: list[str], seconds: float) -> dict[str, Any]:
    """The objects by name after all cells have run. Each is interrupted, as by Ctrl-C, after so much processor time."""
    shell = InteractiveShell.instance()
    shell.set_custom_exc((BaseException,), lambda *args, **kwargs: None)  # no time for tracebacks
    for cell in [*cells, ""]:
        with contextlib.suppress(KeyboardInterrupt, AttributeError):  # just after the cell; Windows has no such timer
            signal.signal(signal.SIGPROF, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_PROF, seconds if cell else 0)
        with contextlib.suppress(KeyboardInterrupt):
            shell.run_cell(cell, silent=True)
    return dict(shell.user_ns)


def report(given: Any, name: str, starter: str, call: dict[str, Any] | None) -> dict[str, Any]:
    """What there is to say of an object; of a function, what it does in each case, where the judge asks for that."""
    if blank_class(given) or not_attempted(given, starter):
        return {"begun": False}
    if call is None or issubclass(type(given), type) or not callable(given):
        return {"begun": True, "value": given}
    spec: Any = SimpleNamespace(**call)
    done = run(given, [Case(*args, **kwargs) for args, kwargs in spec.cases], partial(Spec.read, spec), spec.seconds)
    said = vars(done) | {"outcomes": list(map(asdict, done.outcomes))}
    return {"begun": True, "unused": unused_parameters(given), "run": said}
