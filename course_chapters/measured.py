"""Which runs of the study count: the questions, the guide, the comparison and the tasks read them from here.

Imports no torch unless a verdict is asked for: most tasks do without it.
"""

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from course_kit.contents import number
from course_lib.reference.attention import Array

STEPS = 2_000
STUDY = ("long", "controls", "hybrids", "decays")  # the files in course_study/committed with that many steps
TEXT, COPY, BITS, NAMES = TASKS = ("characters", "copy-back", "flip-flop", "retrieval")
SOURCE = (
    f"run: the study of chapter {number('longer_than_training')}, trained at 128 tokens in {STEPS:,} steps, tested at "
    "1,024, small models; a loss is level if that of none of three seeds rises by more than 0.05 nats"
)
REPAIRS = (
    f"run: the study of chapter {number('stretching_rope')}, small models with RoPE, trained at 128 tokens in "
    f"{STEPS:,} steps, changed, and tested at 1,024, three seeds"
)


@functools.cache
def committed(file: str = "") -> Sequence[dict[str, Any]]:
    """All runs of a file in course_study/committed, or of STUDY: task, scheme, seed, losses and more."""
    folder = Path(__file__).parents[1] / "course_study" / "committed"  # not by an import, which would bring torch
    texts = [folder.joinpath(f"{name}.jsonl").read_text(encoding="utf-8") for name in ([file] if file else STUDY)]
    return tuple(json.loads(line) for text in texts for line in text.splitlines() if line.strip())


COMPARED = tuple(dict.fromkeys(row["scheme"] for row in committed("quick")))  # these have runs in each of the tasks


def settings(file: str = "") -> dict[str, Any]:
    """How the models were trained and tested: "steps", "length" of the training texts, "tests" and more."""
    return committed(file)[0]["settings"]


def losses(run: str, task: str = TEXT, file: str = "", what: str = "loss") -> Array:
    """The "loss" (or "accuracy", "far_masked") of each seed at each test length, (seeds, lengths).

    Raises ValueError where no run is committed.
    """
    rows = [row for row in committed(file) if (row["task"], row["scheme"]) == (task, run)]
    if not rows:
        raise ValueError(f"run={run!r}, task={task!r}: expected one of the runs in {file or STUDY}")
    return np.array([row[what] for row in sorted(rows, key=lambda row: row["seed"])])


def right(run: str, task: str, file: str = "") -> Array:
    """The mean share of right answers at each test length."""
    return losses(run, task, file, "accuracy").mean(axis=0)


def repaired(repair: str, further: int = 0, at: int = 128) -> Array:
    """The mean loss in text at each test length with this repair of RoPE, after `further` steps at `at` tokens."""
    return losses(f"{repair}, {further} at {at}", TEXT, "repairs").mean(axis=0)


def rises(run: str) -> Array:
    """How much the loss in text of each seed rises from the shortest test to the longest, in nats."""
    found = losses(run)
    return found[:, -1] - found[:, 0]


def rise(run: str) -> float:
    """The mean of these rises."""
    return float(rises(run).mean())


def verdict(run: str) -> str:
    """The study's word for these rises: "level", "rises", "breaks", "seeds differ", or "one seed"."""
    import course_study as study

    rows = study.pick(committed(), scheme=run, task=TEXT)
    return study.verdict(rows) if len(rows) > 1 else "one seed"


def runs(task: str = TEXT) -> list[str]:
    """The scheme of every run of a task, once for each seed."""
    return [row["scheme"] for row in committed() if row["task"] == task]


def schemes(task: str = TEXT) -> list[str]:
    """The schemes of a task with as many seeds as the others."""
    seeds = runs(task)
    return [scheme for scheme in dict.fromkeys(seeds) if seeds.count(scheme) == seeds.count("none")]


def unbeaten(task: str) -> list[str]:
    """The schemes that no other beats at the longest test, with every pair of seeds, by 0.001 nats or more."""
    last = {scheme: losses(scheme, task)[:, -1] for scheme in schemes(task)}
    best = min(seeds.max() for seeds in last.values())
    return [scheme for scheme, seeds in last.items() if seeds.min() < best + 0.001]
