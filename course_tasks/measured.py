"""Which runs of the study count: the guide, the comparison, the claims, the quiz and the tasks read them from here.

Imports no torch, which most tasks do without.
"""

import functools
import json
from collections.abc import Sequence
from importlib.resources import files
from statistics import fmean
from typing import Any

STEPS = 2_000
STUDY = f"long-{STEPS}"  # the file in course_lib/study/committed
TASKS = ("characters", "copy-back", "flip-flop")  # text, copying, and remembering a bit
COMPARED = (  # these have runs in each of the tasks
    *("none", "learned", "sinusoidal", "log-0.3", "log-1", "t5-256", "t5-64", "shaw-32"),
    *("transformer-xl", "alibi", "rope"),
)
FIRST, LAST = 0, -1  # of the tests: at the training length, and at 8 times that length


@functools.cache
def committed(file: str = STUDY) -> Sequence[dict[str, Any]]:
    """All runs of a file in course_lib/study/committed, a dictionary each: task, scheme, seed, the losses, and more."""
    path = files("course_lib").joinpath("study", "committed", f"{file}.jsonl")
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def study_rows() -> list[dict[str, Any]]:
    """The runs of the compared schemes in the three tasks."""
    return [row for row in committed() if row["task"] in TASKS and row["scheme"] in COMPARED]


def each(run: str, task: str, test: int, what: str = "loss", file: str = STUDY) -> list[float]:
    """The "loss" or "accuracy" of a run's seeds at one of the tests. Raises ValueError if there is no such run."""
    found = [row[what][test] for row in committed(file) if (row["task"], row["scheme"]) == (task, run)]
    if not found:
        raise ValueError(f"run={run!r}, task={task!r}: expected one of the runs in {file}.jsonl")
    return found


def mean(run: str, task: str, test: int, what: str = "loss", file: str = STUDY) -> float:
    """The mean of `each` over the seeds."""
    return fmean(each(run, task, test, what, file))


def rise(run: str, task: str) -> float:
    """By how much the mean loss at the longest test lies above that at the training length, in nats."""
    return mean(run, task, LAST) - mean(run, task, FIRST)
