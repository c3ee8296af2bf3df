"""What the study measured, as the claims ask for it: from the committed runs, nothing is trained."""

import functools
from typing import Any

import numpy as np

from course_lib.contents import number
from course_lib.reference.attention import Array
from course_tasks.measured import STEPS, STUDY, TASKS

SOURCE = (
    f"run: the study of chapter {number('longer_than_training')}, trained at 128 tokens in {STEPS:,} steps, tested at "
    "1,024, small models; a loss is level if the 95 % interval of its rise over three seeds stays at or below 0.05 nats"
)
REPAIRS = (
    f"run: the study of chapter {number('stretching_rope')}, small models with RoPE, trained at 128 tokens in {STEPS:,} "
    "steps, changed, and tested at 1,024, three seeds"
)


@functools.cache
def runs(preset: str) -> list[dict[str, Any]]:
    """The committed runs of a preset, read once."""
    from course_lib import study  # with torch, which the rest of the claims mostly do without

    return study.committed(preset)


def losses(task: str, scheme: str, preset: str = STUDY, what: str = "loss") -> Array:
    """The loss (or what else the runs hold) of each seed at each test length, (seeds, lengths).

    Raises ValueError where no run is committed.
    """
    rows = [row for row in runs(preset) if (row["task"], row["scheme"]) == (task, scheme)]
    if not rows:
        raise ValueError(f"task={task!r}, scheme={scheme!r}: no run of this in preset {preset!r}")
    return np.array([row[what] for row in sorted(rows, key=lambda row: row["seed"])])


def settings(preset: str = STUDY) -> dict[str, Any]:
    """How its models were trained and tested: "steps", "length" of the training texts, "tests" and more."""
    return runs(preset)[0]["settings"]


def rises(task: str, scheme: str, preset: str = STUDY) -> Array:
    """How much the loss of each seed rises from the shortest test to the longest, in nats."""
    found = losses(task, scheme, preset)
    return found[:, -1] - found[:, 0]


def schemes(task: str) -> list[str]:
    """The schemes of the study with as many seeds in this task as the others."""
    seeds = [row["scheme"] for row in runs(STUDY) if row["task"] == task]
    return [scheme for scheme in dict.fromkeys(seeds) if seeds.count(scheme) == seeds.count("none")]


def unbeaten(task: str) -> list[str]:
    """The schemes that lose to no other at the longest test with every pair of seeds, by a thousandth of a nat or more."""
    last = {scheme: losses(task, scheme)[:, -1] for scheme in schemes(task)}
    best = min(seeds.max() for seeds in last.values())
    return [scheme for scheme, seeds in last.items() if seeds.min() < best + 0.001]


def in_each_task(scheme: str) -> dict[str, Array]:
    """The rises of one scheme by task."""
    return {task: rises(task, scheme) for task in TASKS}


def is_level(seeds: Array) -> bool:
    """Whether the rises of the seeds are level by the rule of the study (`study.verdict`).

    One seed has no interval: it is level if its rise is at or below the bound.
    """
    from course_lib import study

    if len(seeds) == 1:
        return float(seeds[0]) <= study.LEVEL
    return study.verdict(study.interval(seeds.tolist())) == "level"


def counted(found: dict[str, Array]) -> dict[str, Any]:
    """The mean of each rise, and how many of them are level."""
    rise = {name: round(float(seeds.mean()), 2) for name, seeds in found.items()}
    return {"rise": rise, "level": sum(map(is_level, found.values()))}


def repaired(task: str, repair: str, further: int = 0, at: int = 128) -> Array:
    """The mean loss at each test length of models with RoPE and this repair, after so many steps on texts of `at` tokens.

    Raises ValueError where no run is committed.
    """
    return losses(task, f"{repair}, {further} at {at}", "repairs").mean(axis=0)


def kept_up_to(repair: str) -> dict[str, int]:
    """The longest test at which a repair, without a further step, still does about as well as RoPE at 128 tokens.

    Its loss is at most study.BREAKS above that of the unrepaired model. 0 where even the shortest test is worse.
    """
    from course_lib import study

    found = {}
    for name, task in {"text": "characters", "copying": "copy-back"}.items():
        well = repaired(task, repair) <= repaired(task, "as trained")[0] + study.BREAKS
        found[name] = max((n for n, good in zip(settings("repairs")["tests"], well) if good), default=0)
    return found
