"""Mean and interval over seeds, and the table of a results file."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from .results import Row, pick

# Student's t for 95 %, two-sided, by degrees of freedom 1 … 9: with few seeds an interval must be wide.
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
LEVEL = 0.05  # nats: a rise that is surely below it counts as none
BREAKS = 0.25  # nats, a perplexity of 1.28 times


class Interval(NamedTuple):
    """A mean, and where it lies with 95 % confidence if the runs scatter normally."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """mean ± t · s / √n of 2 to 10 values. Raises ValueError for fewer or more."""
    if not 2 <= len(values) <= len(T95) + 1:
        raise ValueError(f"values: {len(values)} of them; expected 2 to {len(T95) + 1}, one for each seed")
    mean = statistics.fmean(values)
    half = T95[len(values) - 2] * statistics.stdev(values) / len(values) ** 0.5
    return Interval(mean, mean - half, mean + half)


def rise(rows: Sequence[Row]) -> Interval:
    """How much the loss rises from the training length to the longest test, with its interval over the seeds (nats)."""
    return interval([row["loss"][-1] - row["loss"][0] for row in rows])


def verdict(rise: Interval, breaks: float = BREAKS) -> str:
    """The course's one word for a rise, decided by its interval and not by its mean.

    "level": all of the interval lies at or below LEVEL. "breaks": all of it lies above `breaks`. "rises": all of it
    lies above 0. "open": the seeds differ too much for any of these, so more of them would have to be run.
    """
    if rise.high <= LEVEL:
        return "level"
    return "breaks" if rise.low > breaks else "rises" if rise.low > 0 else "open"


def curves(rows: Sequence[Row], what: str = "loss") -> dict[str, dict[str, list[Interval]]]:
    """For every task and scheme in the rows: "loss" or "accuracy" at each test length, with its interval over seeds."""
    found: dict[str, dict[str, list[Interval]]] = {}
    for task, scheme in dict.fromkeys((row["task"], row["scheme"]) for row in rows):
        per_seed = [row[what] for row in pick(rows, task=task, scheme=scheme)]
        found.setdefault(task, {})[scheme] = [interval(values) for values in zip(*per_seed, strict=True)]
    return found


def table(rows: Sequence[Row]) -> str:
    """Loss on the last places of each test length, mean ± half an interval (one seed: the mean alone), as text."""
    lines = []
    for task in dict.fromkeys(row["task"] for row in rows):
        of_task = pick(rows, task=task)
        tests = of_task[0]["settings"]["tests"]
        lines += ["", f"{task + ', loss at':24}" + "".join(f"{n:>16}" for n in tests)]
        for scheme in dict.fromkeys(row["scheme"] for row in of_task):
            per_seed = [row["loss"] for row in pick(of_task, scheme=scheme)]
            lines.append(f"{scheme:24}" + "".join(f"{_cell(values):>16}" for values in zip(*per_seed, strict=True)))
    return "\n".join(lines[1:])


def _cell(values: Sequence[float]) -> str:
    if not 2 <= len(values) <= len(T95) + 1:
        return f"{statistics.fmean(values):.3f}"
    found = interval(values)
    return f"{found.mean:.3f} ± {found.high - found.mean:.3f}"
