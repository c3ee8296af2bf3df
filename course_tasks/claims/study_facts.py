"""What the study measured, as the ledger asks for it: from the committed runs, nothing is trained."""

from typing import Any

import numpy as np

from course_lib.reference.attention import Array
from course_tasks.measured import STUDY, TASKS


def losses(task: str, scheme: str, preset: str = STUDY) -> Array:
    """The loss of each seed at each test length, (seeds, lengths): 128, 256, 512 and 1,024 tokens.

    Raises ValueError where no run is committed.
    """
    from course_lib import study  # with torch, which the rest of the ledger mostly does without

    rows = sorted(study.pick(study.committed(preset), task=task, scheme=scheme), key=lambda row: row["seed"])
    if not rows:
        raise ValueError(f"task={task!r}, scheme={scheme!r}: no run of this in preset {preset!r}")
    return np.array([row["loss"] for row in rows])


def tested(preset: str = STUDY) -> list[int]:
    """The test lengths, the first of which is the training length."""
    from course_lib import study

    return study.committed(preset)[0]["settings"]["tests"]


def rises(task: str, scheme: str, preset: str = STUDY) -> Array:
    """How much the loss of each seed rises from the shortest test to the longest, in nats."""
    found = losses(task, scheme, preset)
    return found[:, -1] - found[:, 0]


def unbeaten(task: str) -> list[str]:
    """The schemes that lose to no other at the longest test with every pair of seeds; one with fewer seeds is left out."""
    from course_lib import study

    rows = study.pick(study.committed(STUDY), task=task)
    last = {row["scheme"]: losses(task, row["scheme"])[:, -1] for row in rows}
    last = {scheme: seeds for scheme, seeds in last.items() if len(seeds) == len(last["none"])}
    return [scheme for scheme, seeds in last.items() if seeds.min() <= min(other.max() for other in last.values())]


def in_each_task(scheme: str) -> dict[str, Array]:
    """The rises of one scheme by task."""
    return {task: rises(task, scheme) for task in TASKS}


def counted(found: dict[str, Array]) -> dict[str, Any]:
    """The mean of each rise, and how many of them are level by the rule of the study (`study.verdict`).

    One seed has no interval: it is level if its rise is at or below the bound.
    """
    from course_lib import study

    def level(seeds: list[float]) -> bool:
        return seeds[0] <= study.LEVEL if len(seeds) == 1 else study.verdict(study.interval(seeds)) == "level"

    rise = {name: round(float(seeds.mean()), 2) for name, seeds in found.items()}
    return {"rise": rise, "level": sum(level(seeds.tolist()) for seeds in found.values())}
