"""The learner's side of the judge: runs the cells of a hand-in, then calls its functions as it is told.

One request a line comes in, one answer a line goes out, both JSON. Everything here is in reach of the learner's code:
what it answers are claims, and the judge believes values only because it compares them.
"""

import _thread
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from course_lib.checking import Case
from course_lib.checking.runner import Outcome, run
from course_lib.checking.solution_source import blank_class, compiled, not_attempted, unused_parameters
from tools.judge.calls import Calls, borrow
from tools.judge.data import Data, decode, encode


class HandIn:
    """The objects of one hand-in. Each method that the judge may ask for answers with data."""

    def __init__(self) -> None:
        quiet = Config({"HistoryManager": {"enabled": False}})
        self.shell = InteractiveShell.instance(config=quiet)
        self.shell.set_custom_exc((BaseException,), lambda *args, **kwargs: None)  # no time for tracebacks
        self.objects: dict[str, Any] = {}
        self.calls = Calls()

    def cells(self, sources: list[str], seconds: float, topic: str, starters: dict[str, str]) -> Data:
        """Run all cells, each for at most so many seconds; then what there is to judge of each task."""
        for source in sources:
            with Interrupted(seconds):
                self.shell.run_cell(source, silent=True)
        checked = import_module(f"course_tasks.{topic}").CHECKED
        defined = self.shell.user_ns
        for task in starters:
            if task in checked or task in defined:
                self.objects[task] = checked.get(task, defined.get(task))
        return {task: about(given, starters[task], task) for task, given in self.objects.items()}

    def value(self, of: str, seconds: float) -> Data:
        return encode(self.objects[of])

    def make(self, of: str, **request: Data) -> Data:
        return self.calls.make(self.objects[of], **request)

    def call(self, of: str, **request: Data) -> Data:
        return self.calls.call(self.objects[of], **request)

    def read(self, **request: Data) -> Data:
        return self.calls.read(**request)

    def pull(self, **request: Data) -> Data:
        return self.calls.pull(**request)

    def run(self, of: str, cases: list[Data], seconds: float) -> Data:
        """What the function does in each case, as `runner.run` tells it."""
        given = [Case(*decode(args, borrow), **decode(kwargs, borrow)) for args, kwargs in cases]
        return run_data(self.objects[of], given, seconds)


def about(given: Any, starter: str, name: str) -> Data:
    """What kind of answer it is, whether it has been begun, and which parameters it never reads."""
    if issubclass(type(given), type):
        return {"kind": "class", "blank": blank_class(given), "name": given.__name__, **as_position(given)}
    if type(given) is FunctionType:
        asked = compiled(starter, name, {"np": np}) if starter else None
        return {"kind": "function", "blank": not_attempted(given, asked), "unused": unused_parameters(given)}
    return {"kind": "function" if callable(given) else "value", "blank": given is None or given is ...}


def as_position(given: type) -> Data:
    """Whether a class is a scheme, and which attributes it does not have from the base class of all schemes."""
    position = getattr(sys.modules.get("course_lib.nn.position"), "Position", None)
    own = [name for name in dir(given) if getattr(given, name, None) is not getattr(position, name, None)]
    return {"position": position is not None and issubclass(given, position), "own": own}


def run_data(function: Callable, cases: list[Case], seconds: float) -> Data:
    done = run(function, cases, lambda value: {"": {"data": encode(value)}}, seconds)  # type: ignore[dict-item]
    return asdict(done) | {"outcomes": [outcome_data(outcome) for outcome in done.outcomes]}


def outcome_data(outcome: Outcome) -> Data:
    if outcome.value is None:
        return {"error": outcome.error, "line": outcome.line}
    return {"value": outcome.value[""]["data"], "changed": outcome.changed}


class Interrupted:
    """Interrupts what the main thread does, as Ctrl-C would, when the time is up."""

    def __init__(self, seconds: float) -> None:
        self.timer = threading.Timer(seconds, interrupt)
        self.timer.daemon = True

    def __enter__(self) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.timer.start()

    def __exit__(self, *error: object) -> bool:
        self.timer.cancel()
        return True  # an interrupt may come just after the cell


def interrupt() -> None:
    if os.name == "nt":
        _thread.interrupt_main()
    else:
        os.kill(os.getpid(), signal.SIGINT)  # this ends a sleep, too


def main() -> None:
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    hand_in = HandIn()
    answers.write(b'{"answer": "ready"}\n')
    answers.flush()
    for line in asked:
        request = json.loads(line)
        try:
            answer = {"answer": getattr(hand_in, request.pop("do"))(**request)}
        except BaseException as error:  # of the learner's objects
            answer = {"failed": type(error).__name__}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
