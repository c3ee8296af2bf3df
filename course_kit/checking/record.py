"""Remembers which tasks were passed on this machine: a small file beside the notebooks, read by nobody else."""

import json
import os
import re
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2]
FILE = (COURSE / "mine" if (COURSE / "mine").is_dir() else COURSE) / ".progress.json"  # with the learner's notebooks
OFF = "COURSE_KEEPS_NO_PROGRESS"  # set by the build and the tests: nothing is remembered, and nothing was passed


def record(module: str, task: str) -> None:
    """Remember a passed task of a topic's module. Where nothing can be written, nothing is kept."""
    topic = re.match(r"course_chapters\.(\w+)", module)
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
        return set(json.loads(FILE.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return set()
