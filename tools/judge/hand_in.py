"""A hand-in as the judge sees it: a process that is started, asked, watched, and ended when it takes too much."""

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields
from pathlib import Path
from typing import Any

from course_lib.checking import Case, CodingTask, Exercise, Result
from course_lib.checking.elsewhere import Elsewhere
from course_lib.checking.runner import Outcome, Run
from tools.judge import data, fence

LARGEST = 48 * 2**20  # bytes of one report
LETTERS = 300  # of a sentence
LATE = {-signal.SIGXCPU, 128 + signal.SIGXCPU} if os.name == "posix" else set()  # what a process then returns


def reports(cells: Sequence[str], topic: str, tasks: dict[str, Exercise], limits: fence.Limits) -> dict[str, Any]:
    """What the worker reports of each task, or in words why it cannot.

    After an answer that ends its process, another process runs the cells again and goes on with the next task.
    """
    found: dict[str, Any] = {}
    deadline = time.monotonic() + limits.wall
    while left := {name: task for name, task in tasks.items() if name not in found}:
        request = {"cells": cells, "topic": topic, "seconds": limits.cell, "tasks": list(map(asked, left.values()))}
        lines: queue.Queue[bytes] = queue.Queue()
        with tempfile.TemporaryDirectory(prefix="hand-in-", ignore_cleanup_errors=True) as folder:
            process = fence.start(Path(folder), limits)
            threading.Thread(target=converse, args=(process, data.write(request), lines), daemon=True).start()
            try:
                started = next_report(process, lines, limits, deadline)
                if isinstance(started, str):
                    return found | dict.fromkeys(left, started)
                for name in left:
                    found[name] = next_report(process, lines, limits, deadline)
                    if isinstance(found[name], str) or found[name].get("run", {}).get("goes_on"):
                        break
            finally:
                end(process)
    return found


def asked(task: Exercise) -> dict[str, Any]:
    """What the worker needs to know of a task: not what is right."""
    about = {"name": task.name, "starter": "", "asked": None}
    if not isinstance(task, CodingTask) or by_hand(task):
        return about
    cases = [[list(map(tuples, case.args)), case.kwargs] for case in map(task.spec.handed, task.spec.all_cases)]
    call = {"cases": cases, "seconds": task.spec.seconds, "hook": task.spec.hook, "returns": task.spec.returns}
    return about | {"starter": task.stub() if task.starter else "", "asked": call | {"afterwards": task.afterwards}}


def tuples(value: Any) -> Any:
    """JSON would make a list of a tuple."""
    return {data.KIND: "tuple", "items": list(value)} if type(value) is tuple else value


def converse(process: subprocess.Popen[bytes], request: bytes, lines: "queue.Queue[bytes]") -> None:
    """Write the request and read all lines; the last one, of a process that has ended, is incomplete."""
    assert process.stdin and process.stdout
    with contextlib.suppress(OSError, ValueError):  # it has ended
        process.stdin.write(request)
        process.stdin.flush()
        while lines.put(line := process.stdout.readline(LARGEST)) or line.endswith(b"\n"):
            pass


def next_report(process: subprocess.Popen[bytes], lines: "queue.Queue[bytes]", limits: fence.Limits, deadline: float) -> Any:
    """The next report, or in words why there is none."""
    while True:
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=0.2)
            break
        if time.monotonic() > deadline:
            return f"It did not end within {limits.wall:.0f} seconds."
        if fence.memory(process.pid) > limits.memory:
            return f"It used more than {limits.memory / 2**30:g} GB of memory."
    if len(line) == LARGEST:
        return "It answered with too much data."
    if not line.endswith(b"\n"):
        return "It used all its processor time." if process.wait() in LATE else "Its code ended the process."
    with contextlib.suppress(ValueError):
        if isinstance(report := data.read(line), dict):
            return text(report["failed"]) if "failed" in report else report
    return "It wrote into the judge's channel."


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    with contextlib.suppress(OSError, AttributeError):  # it has ended, or Windows
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


class Reported(Elsewhere):
    """A learner's function whose results are known."""

    def __init__(self, report: dict[str, Any], names: set[str]) -> None:
        told = report["run"]
        kinds = {field.name: type(field.default) for field in fields(Run) if field.name != "outcomes"}
        plain = {name: text(told[name], "\n") if kind is str else kind(told[name]) for name, kind in kinds.items()}
        self.done = Run([outcome(one, names) for one in told["outcomes"]], **plain)
        self.later = told["afterwards"] and tuple(map(text, told["afterwards"]))
        self.unused = list(map(text, report["unused"]))

    def run(self, cases: Sequence[Case], read: Callable[[Any], Any], seconds: float) -> Run:
        return self.done


def outcome(told: dict[str, Any], names: set[str]) -> Outcome:
    """The outcome of one call. Raises ValueError if its value does not have these parts."""
    value = told["value"]
    if value is not None and (value.keys() != names or not all(hasattr(part, "dtype") for part in value.values())):
        raise ValueError("value: expected an array for each part")
    said = {name: text(told[name]) for name in ("error", "line", "unusable")}
    return Outcome(value, **said, blank=told["blank"] is True, changed=tuple(map(int, told["changed"])))


def check(task: Exercise, report: dict[str, Any]) -> Result:
    """What the check says to the object that was reported. Raises ValueError for what the worker does not report."""
    try:
        if not report["begun"]:
            return task.check(...)
        if "run" not in report or not isinstance(task, CodingTask):
            return task.check(report["value"] if "value" in report else type(text(report["class"]), (), {}))
        function, task = Reported(report, set(task.spec.returns or [""])), copy(task)
        task.afterwards = lambda _: function.later
        return task.check(function)
    except (AttributeError, LookupError, TypeError, OverflowError) as error:
        raise ValueError(f"report: {type(error).__name__}; expected what the worker reports") from None


def by_hand(task: Exercise) -> str:
    """Why a person has to check what this task asks for, or ""."""
    if hasattr(task, "demands"):
        return "A class cannot leave its process: run its check yourself."
    later = isinstance(task, CodingTask) and task.afterwards
    if isinstance(task, CodingTask) and (task.spec.reader or (later and not data.GIVEN.fullmatch(later.__module__))):
        return "What this check looks at cannot leave its process: run it yourself."
    return ""


def text(said: Any, also: str = "") -> str:
    """What another process says, without anything that a terminal or a table would obey."""
    return "".join(letter if letter.isprintable() or letter in also else " " for letter in str(said)[:LETTERS])
