"""What the runs that come with the course say about texts eight times as long as those of training."""

import functools
import statistics
from collections.abc import Sequence

from course_lib.study import Interval, committed, interval, pick
from course_lib.study.results import Row

TASK = "characters"
BREAKS = 0.25  # nats, a perplexity of 1.28 times; any limit from 0.14 to 0.40 gives the same words (a test tries them)


@functools.cache
def runs(name: str, task: str = TASK) -> list[Row]:
    """The committed runs of a scheme, one for every seed."""
    return pick(committed("cpu"), task=task, scheme=name)


def rise(name: str, task: str = TASK) -> Interval:
    """How much the loss rises from the training length to the longest test, with its interval over the seeds."""
    return interval([row["loss"][-1] - row["loss"][0] for row in runs(name, task)])


def losses(name: str, task: str = TASK) -> tuple[float, float]:
    """The mean loss at the training length and at the longest test."""
    first, last = zip(*((row["loss"][0], row["loss"][-1]) for row in runs(name, task)), strict=True)
    return statistics.fmean(first), statistics.fmean(last)


def verdict(rise: Sequence[float], breaks: float = BREAKS) -> str:
    """A word for the interval (mean, low, high) of a rise: "level" when it reaches 0 or below, "breaks" when all of it
    lies above `breaks`, else "rises"."""
    _, low, _ = rise
    return "level" if low <= 0 else "breaks" if low > breaks else "rises"


def rule() -> str:
    """How a verdict is found, in words."""
    settings = runs("none")[0]["settings"]
    return (
        f"From the course's study: the loss at {settings['tests'][-1]} tokens minus that at the training length of "
        f"{settings['length']}, in nats, with its 95 % interval over {len(runs('none'))} seeds ({TASK}). Level: the "
        f"interval reaches 0 or below. Breaks: all of it lies above {BREAKS}. Rises: in between. And the module is "
        "asked for twice its n tokens: its table ends where it refuses."
    )


def evidence(name: str) -> list[str]:
    """The committed runs behind a verdict, as "study:cpu/characters/rope/0"."""
    return [f"study:cpu/{TASK}/{name}/{row['seed']}" for row in runs(name)]
