"""Remembers which tasks were passed on this machine: a small file beside the course, read by nobody else."""

import json
import os
import re
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / ".progress.json"
OFF = "COURSE_KEEPS_NO_PROGRESS"  # set by the build and the tests: nothing is remembered, and nothing was passed
FORMER = {  # chapters were numbered once: "ch02.bias_matrix" is "bias_by_hand.bias_matrix" now
    "ch01": "blind_to_distance", "ch02": "bias_by_hand", "ch03": "vector_per_distance", "ch04": "diagonals",
    "ch05": "transformer_xl", "ch06": "t5_buckets", "ch07": "rope", "ch08": "two_dimensions", "ch09": "fast_attention",
    "ch10": "longer_than_training", "ch11": "which_one",
}  # fmt: skip
MOVED = {  # tasks of the two chapters that were split
    "ch01": ("absolute_positions", ("sinusoidal_table", "shift_matrix", "unseen_pairs")),
    "ch07": ("alibi", ("slopes_by_hand", "alibi_slopes", "encoder_weights")),
}


def record(module: str, task: str) -> None:
    """Remember a passed task of a topic's module. Where nothing can be written, nothing is kept."""
    topic = re.match(r"course_tasks\.(\w+)", module)
    if topic is None or OFF in os.environ:
        return
    passed = passed_tasks()
    name = f"{topic[1]}.{task}"
    if name in passed:
        return
    try:
        draft = FILE.with_suffix(".draft")
        draft.write_text(json.dumps(sorted({*passed, name}), indent=0), encoding="utf-8")
        draft.replace(FILE)
    except OSError:
        pass


def passed_tasks() -> set[str]:
    """The names of all passed tasks, such as "bias_by_hand.bias_matrix"; none if the file is missing or damaged."""
    if OFF in os.environ:
        return set()
    try:
        names = json.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {today(name) for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def today(name: str) -> str:
    """A name that was recorded under the number of a chapter, by its topic."""
    chapter, _, task = name.partition(".")
    topic, moved = MOVED.get(chapter, ("", ()))
    return f"{topic if task in moved else FORMER.get(chapter, chapter)}.{task}"
