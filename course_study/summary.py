"""What the seeds say: the curve of a scheme, its verdict on longer texts, and the table of a results file."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from .results import Row, pick

LEVEL = 0.05  # nats: a smaller rise counts as none
BREAKS = 0.25  # nats, a perplexity of 1.28 times
LEARNED = 0.9  # the share of right answers at the training length, in a task that has right answers


class Spread(NamedTuple):
    """The mean over the seeds, the lowest and the highest."""

    mean: float
    low: float
    high: float


def rises(rows: Sequence[Row]) -> list[float]:
    """How much each seed's loss rises from the training length to the longest test (nats)."""
    return [round(row["loss"][-1] - row["loss"][0], 4) for row in rows]  # as exact as the losses are


def learned(rows: Sequence[Row]) -> bool:
    """Whether every seed solves the task at the training length. Text has no right answers, so it always counts."""
    return all(row["task"] == "characters" or row["accuracy"][0] >= LEARNED for row in rows)


def verdict(rows: Sequence[Row]) -> str:
    """The course's word for one scheme on longer texts in one task. Every seed must agree, so a larger rise can only
    make it worse.

    "not learned": some seed does not solve the task at the training length, so its rise says nothing. "level": no seed
    rises by more than LEVEL. "breaks": every seed rises by more than BREAKS; "rises": by more than LEVEL. Otherwise
    "seeds differ". Raises ValueError for no rows.
    """
    if not rows:
        raise ValueError("rows: none; expected the runs of one scheme in one task")
    if not learned(rows):
        return "not learned"
    low, high = min(rises(rows)), max(rises(rows))
    if high <= LEVEL:
        return "level"
    return "breaks" if low > BREAKS else "rises" if low > LEVEL else "seeds differ"


def far_keys_help(rows: Sequence[Row]) -> list[float]:
    """How much the loss of each seed at the longest test rises when the far keys are masked (nats).

    Only that shows that a longer text is used; even then, a far key may have served as a sink.
    """
    return [row["far_masked"][-1] - row["loss"][-1] for row in rows]


def curves(rows: Sequence[Row]) -> dict[str, dict[str, list[Spread]]]:
    """For every task and scheme in the rows: the loss at each test length, over the seeds."""
    found: dict[str, dict[str, list[Spread]]] = {}
    for task, scheme in dict.fromkeys((row["task"], row["scheme"]) for row in rows):
        per_seed = [row["loss"] for row in pick(rows, task=task, scheme=scheme)]
        found.setdefault(task, {})[scheme] = [
            Spread(statistics.fmean(values), min(values), max(values)) for values in zip(*per_seed, strict=True)
        ]
    return found


def table(rows: Sequence[Row]) -> str:
    """Loss on the last places of each test length, its mean and (of several seeds) [lowest, highest], as text."""
    lines = []
    for task, of_task in curves(rows).items():
        tests = pick(rows, task=task)[0]["settings"]["tests"]
        lines += ["", f"{task + ', loss at':24}" + "".join(f"{n:>22}" for n in tests)]
        for scheme, points in of_task.items():
            several = len(pick(rows, task=task, scheme=scheme)) > 1
            cells = [f"{mean:.3f}" + f" [{low:.3f}, {high:.3f}]" * several for mean, low, high in points]
            lines.append(f"{scheme:24}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines[1:])
