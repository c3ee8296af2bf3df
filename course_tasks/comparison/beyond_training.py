"""What the runs that come with the course say about texts eight times as long as those of training."""

import functools
import statistics
from typing import NamedTuple

from course_lib import study
from course_lib.study import Interval, committed, pick
from course_lib.study.results import Row
from course_tasks.measured import STUDY

TASK = "characters"
LOW, HIGH = 0.14, 0.40  # nats: between these, the limit of "breaks" should not decide a word


class Found(NamedTuple):
    """What the runs of one scheme say: a word, the mean rise, and its interval if there is more than one seed.

    near: whether another limit of "breaks", from LOW to HIGH, gives another word.
    """

    word: str
    mean: float
    interval: Interval | None
    near: bool


@functools.cache
def runs(name: str, task: str = TASK) -> list[Row]:
    """The committed runs of a scheme, one for every seed."""
    return pick(committed(STUDY), task=task, scheme=name)


def rise(name: str, task: str = TASK) -> Interval:
    """How much the loss rises from the training length to the longest test, with its interval over the seeds."""
    return study.rise(runs(name, task))


def found(name: str) -> Found:
    """The word for a scheme. One seed has no interval, so it gets no verdict."""
    rows = runs(name)
    if len(rows) == 1:
        return Found("one seed", rows[0]["loss"][-1] - rows[0]["loss"][0], None, False)
    measured = rise(name)
    near = study.verdict(measured, LOW) != study.verdict(measured, HIGH)
    return Found(study.verdict(measured), measured.mean, measured, near)


def losses(name: str, task: str = TASK) -> tuple[float, float]:
    """The mean loss at the training length and at the longest test."""
    first, last = zip(*((row["loss"][0], row["loss"][-1]) for row in runs(name, task)), strict=True)
    return statistics.fmean(first), statistics.fmean(last)


def rule() -> str:
    """How a verdict is found, in words."""
    settings = runs("none")[0]["settings"]
    return (
        f"From the course's study, after {settings['steps']:,} steps: the loss at {settings['tests'][-1]:,} tokens minus "
        f"that at the training length of {settings['length']}, in nats, with its 95 % interval over {len(runs('none'))} "
        f"seeds ({TASK}). Level: all of the interval lies at or below {study.LEVEL}. Breaks: all of it lies above "
        f"{study.BREAKS}. Rises: all of it lies above 0. Open: the seeds do not decide. The note says where another limit "
        f"than {study.BREAKS}, from {LOW} to {HIGH:.2f}, would give another word. The module is also asked for "
        "twice its n tokens: its table ends where it refuses."
    )


def evidence(name: str) -> list[str]:
    """The committed runs behind a verdict, as "study:long-2000/characters/rope/0"."""
    return [f"study:{STUDY}/{TASK}/{name}/{row['seed']}" for row in runs(name)]
