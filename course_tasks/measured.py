"""Which runs of the study count: the guide, the comparison, the claims, the quiz and the tasks read them from here.

Imports no torch, which most tasks do without.
"""

import json
from importlib.resources import files
from typing import Any

STEPS = 2_000
STUDY = f"long-{STEPS}"  # the file in course_lib/study/committed
TASKS = ("characters", "copy-back", "flip-flop")  # text, copying, and remembering a bit
COMPARED = (  # these have runs in each of the tasks
    *("none", "learned", "sinusoidal", "log-0.3", "log-1", "t5-256", "t5-64", "shaw-32"),
    *("transformer-xl", "alibi", "rope"),
)


def study_rows() -> list[dict[str, Any]]:
    """The runs of the compared schemes, a dictionary each: task, scheme, seed, the loss at each length, and more."""
    file = files("course_lib").joinpath("study", "committed", f"{STUDY}.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [row for row in rows if row["task"] in TASKS and row["scheme"] in COMPARED]
