"""A learner's function that lives in the process of a hand-in, as a check calls it here."""

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from course_lib.checking import Case, CodingTask, Exercise
from course_lib.checking.arrays import Blank, Unusable
from course_lib.checking.elsewhere import Elsewhere
from course_lib.checking.runner import Outcome, Run
from tools.judge.data import Data, decode, encode
from tools.judge.hand_in import HandIn, text


class Function(Elsewhere):
    """The function that a hand-in gives as its answer to the task `name`."""

    def __init__(self, hand_in: HandIn, name: str, about: Data) -> None:
        self.hand_in, self.name = hand_in, name
        self.unused = [str(parameter) for parameter in about.get("unused", ())]

    def run(self, cases: Sequence[Case], read: Callable[[Any], Any], seconds: float) -> Run:
        sent = [[encode(list(case.args), lend), encode(case.kwargs, lend)] for case in cases]
        done = self.hand_in.ask("run", seconds, of=self.name, cases=sent)
        try:
            outcomes = [outcome(one, read) for one in done["outcomes"][: len(cases)]]
            lines, head = int(done["lines"]), text(done["head"], also="\n")
            run = Run(outcomes, text(done["stopped"]), bool(done["goes_on"]), seconds, lines, head)
        except (KeyError, TypeError, ValueError, OverflowError):
            self.hand_in.stop("It wrote into the judge's channel.")
        if run.goes_on:
            self.hand_in.stop(run.why())
        return run


    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tools.judge.modules import returned  # torch, which only those tasks need that come here

        ours: list[Any] = []
        leaves: list[Any] = []
        sent = encode(args, partial(lend, ours=ours, leaves=leaves))
        answer = self.hand_in.ask("call", of=self.name, args=sent)
        value = returned(self.hand_in, answer, leaves)
        for one, left in zip(ours, decode(answer["left"]), strict=True):
            for name, now in left.items():
                setattr(one, name, now)
        return value


def outcome(data: Data, read: Callable[[Any], Any]) -> Outcome:
    """The result of one call, read here from what the function returned there."""
    if "value" not in data:
        return Outcome(error=text(data["error"]) or "Exception", line=text(data["line"]))
    changed = tuple(number for number in data["changed"] if type(number) is int)
    try:
        value = read(decode(data["value"]))
    except Blank:
        return Outcome(blank=True)
    except Unusable as what:
        return Outcome(unusable=str(what))
    return Outcome({name: array.copy() for name, array in value.items()}, changed=changed)


def lend(value: Any, ours: list[Any] | None = None, leaves: list[Any] | None = None) -> Data | None:
    """An object of ours as data from which the other process makes it again: only what `given.py` files define.

    With `leaves`, a tensor that learns is one too. Both are collected, in the order in which they are made there.
    """
    if leaves is not None and getattr(value, "requires_grad", False):
        leaves.append(value)
        return {"kind": "lent", "leaf": encode(value.detach().requires_grad_())}
    owner = value if isinstance(value, FunctionType) else type(value)
    if not (owner.__module__.startswith("course_tasks.") and owner.__module__.endswith(".given")):
        return None
    data: Data = {"kind": "lent", "module": owner.__module__, "name": owner.__name__}
    if owner is value:
        return data
    if ours is not None:
        ours.append(value)
    if isinstance(value, np.ndarray):
        data["array"] = encode(np.asarray(value))
    return data | {"vars": encode(vars(value), partial(lend, ours=ours, leaves=leaves))}


def answer(hand_in: HandIn, task: Exercise) -> Any:
    """What the hand-in gives as its answer to a task, as the task's check takes it. Raises Ended."""
    about = hand_in.about[task.name]
    if about.get("blank"):
        return ...
    if about.get("kind") == "function" and isinstance(task, CodingTask):
        return Function(hand_in, task.name, about)
    if about.get("kind") == "class":
        if isinstance(task, Exercise) and hasattr(task, "demands"):
            from tools.judge.modules import twin

            return twin(hand_in, task.name, about)
        return type(text(about.get("name")), (), {})
    return decode(hand_in.ask("value", of=task.name))
