"""What the study of chapter 10 measured, as the ledger asks for it: from the committed runs, nothing is trained."""

from typing import Any

import numpy as np

from ..reference.attention import Array

# In nats: a perplexity 5 % higher. What rises by less is called level, for every scheme and task. Any limit up to 0.06
# gives the same verdicts; from there to 0.17 only ALiBi's would be another one (a test tries them).
LIMIT = 0.05


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


def rises(scheme: str) -> dict[str, float]:
    """The rise of one scheme in each task: text, copying, and remembering a bit."""
    return {task: rise(task, scheme) for task in ("characters", "copy-back", "flip-flop")}


def counted(rise: dict[str, float]) -> dict[str, Any]:
    """Rises with the limit, and how many of them stay level, below it."""
    return {"rise": rise, "limit": LIMIT, "level": sum(nats < LIMIT for nats in rise.values())}
