"""What the study of chapter 10 measured, as the ledger asks for it: from the committed runs, nothing is trained."""

import numpy as np

from ..reference.attention import Array


def losses(task: str, scheme: str, preset: str = "cpu") -> Array:
    """The loss of each seed at each test length, (seeds, lengths): 64, 128, 256 and 512 tokens.

    Raises ValueError where no run is committed.
    """
    from .. import study  # with torch, which the rest of the ledger mostly does without

    rows = sorted(study.pick(study.committed(preset), task=task, scheme=scheme), key=lambda row: row["seed"])
    if not rows:
        raise ValueError(f"task={task!r}, scheme={scheme!r}: no run of this in preset {preset!r}")
    return np.array([row["loss"] for row in rows])


def rise(task: str, scheme: str, preset: str = "cpu") -> float:
    """How much the loss rises from the shortest test to the longest, the mean over seeds, in nats."""
    found = losses(task, scheme, preset)
    return round(float((found[:, -1] - found[:, 0]).mean()), 2)
