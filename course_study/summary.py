"""What the seeds say: the verdict on a scheme in longer texts, and the table of a results file."""

from collections.abc import Sequence
from statistics import fmean

from .results import Row, pick

LEVEL = 0.05  # nats: a smaller rise counts as none
BREAKS = 0.25  # nats, a perplexity of 1.28 times
LEARNED = 0.9  # the share of right answers at the training length, in a task that has right answers


def rises(rows: Sequence[Row]) -> list[float]:
    """How much each seed's loss rises from the training length to the longest test (nats)."""
    return [round(row["loss"][-1] - row["loss"][0], 4) for row in rows]  # as exact as the losses are


def solved(rows: Sequence[Row]) -> bool:
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
    if not solved(rows):
        return "not learned"
    low, high = min(rises(rows)), max(rises(rows))
    if high <= LEVEL:
        return "level"
    return "breaks" if low > BREAKS else "rises" if low > LEVEL else "seeds differ"


def table(rows: Sequence[Row]) -> str:
    """Loss on the last places of each test length, its mean and (of several seeds) [lowest, highest], as text."""
    lines: list[str] = []
    width = 22 if len({row["seed"] for row in rows}) > 1 else 8
    for task in dict.fromkeys(row["task"] for row in rows):
        of_task = pick(rows, task=task)
        lines += ["", f"{task + ', loss at':24}" + "".join(f"{n:>{width}}" for n in of_task[0]["settings"]["tests"])]
        for scheme in dict.fromkeys(row["scheme"] for row in of_task):
            lengths = zip(*(row["loss"] for row in pick(of_task, scheme=scheme)))  # at each, the loss of each seed
            cells = [f"{fmean(x):.3f}" + f" [{min(x):.3f}, {max(x):.3f}]" * (len(x) > 1) for x in lengths]
            lines.append(f"{scheme:24}" + "".join(f"{cell:>{width}}" for cell in cells))
    return "\n".join(lines[1:])
