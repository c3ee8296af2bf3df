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


def in_each_task(scheme: str) -> dict[str, Array]:
    """The rises of one scheme by task."""
    return {task: rises(task, scheme) for task in TASKS}


def counted(found: dict[str, Array]) -> dict[str, Any]:
    """The mean of each rise, and how many of them are level by the rule of the study (`study.verdict`)."""
    from course_lib import study

    rise = {name: round(float(seeds.mean()), 2) for name, seeds in found.items()}
    verdicts = [study.verdict(study.interval(seeds.tolist())) for seeds in found.values()]
    return {"rise": rise, "level": verdicts.count("level")}
