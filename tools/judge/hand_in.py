"""What a hand-in is asked, and what a check says to its reports."""

import time
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from course_lib.checking import Case, CodingTask, Exercise, Result
from course_lib.checking.elsewhere import Elsewhere
from course_lib.checking.runner import Outcome, Run
from tools.judge import data, fence


def reports(cells: Sequence[str], topic: str, tasks: dict[str, Exercise], limits: fence.Limits) -> dict[str, Any]:
    """What the worker reports of each task, or in words why it does not.

    After an answer that ends the process, another process runs the cells again and goes on with the next task.
    """
    found: dict[str, Any] = {}
    deadline = time.monotonic() + limits.wall
    while left := [name for name in tasks if name not in found]:
        request = {"cells": cells, "topic": topic, "seconds": limits.cell, "tasks": [asked(tasks[name]) for name in left]}
        said, why = fence.talk(data.write(request), limits, deadline)
        new = {one["name"]: one for one in map(readable, said.splitlines()) if one.get("name") in ["", *left]}
        missing = [name for name in left if name not in new]
        if "" not in new or time.monotonic() > deadline:
            return new | dict.fromkeys(missing, why) | found
        found |= new
        if missing and not any(one.get("run", {}).get("goes_on") for one in new.values()):
            found[missing[0]] = why
    return found


def asked(task: Exercise) -> dict[str, Any]:
    """What the worker needs to know of a task, which is not what is right."""
    if not isinstance(task, CodingTask):
        return {"name": task.name, "starter": "", "call": None}
    spec = task.spec
    cases = [[list(map(data.exact, case.args)), case.kwargs] for case in map(spec.handed, spec.all_cases)]
    call = {"cases": cases, "seconds": spec.seconds, "hook": spec.hook, "returns": spec.returns}
    return {"name": task.name, "starter": task.stub() if task.starter else "", "call": call}


def readable(line: bytes) -> dict[str, Any]:
    """A report, or an empty one where the hand-in wrote something else."""
    try:
        return dict(data.read(line))
    except (TypeError, ValueError):
        return {}


class Reported(Elsewhere):
    """A learner's function whose results are known. Raises ValueError if one has other parts than `names`."""

    def __init__(self, unused: list[str], run: dict[str, Any], names: set[str]) -> None:
        outcomes = [Outcome(**one) for one in run.pop("outcomes")]
        if any(one.value is not None and one.value.keys() != names for one in outcomes):
            raise ValueError(f"value: expected the parts {sorted(names)}")
        self.unused, self.done = unused, Run(outcomes, **run)

    def run(self, cases: Sequence[Case], read: Callable[[Any], Any], seconds: float) -> Run:
        return self.done


def check(task: Exercise, report: dict[str, Any]) -> Result:
    """What the check says to the object that was reported. Raises ValueError for what the worker does not report."""
    try:
        if not report["begun"]:
            return task.check(...)
        if "run" not in report or not isinstance(task, CodingTask):
            return task.check(report["value"] if "value" in report else type(report["class"], (), {}))
        task, names = copy(task), set(task.spec.returns or [""])
        task.afterwards = None  # it would call the function
        return task.check(Reported(report["unused"], report["run"], names))
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError(f"report: {type(error).__name__}; expected what the worker reports") from None
