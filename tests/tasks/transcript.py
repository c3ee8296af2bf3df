"""Answers to the tasks, nearly all of them wrong, and which of the wrong ones the checks do not name.

    .venv/bin/python -m tests.tasks.transcript                        judge all again, and write unnamed.json
    .venv/bin/python -m tests.tasks.transcript shaw_scores            for one task

`transcript/TOPIC/TASK.jsonl` has one answer a line: "from" (a "reader", a "mistake" that we invented, or an "author",
for another right way) and "source", which runs by itself and defines the name of the task. "right" marks an answer that
passes. `unnamed.json` has for each task the numbers, from 0, of the wrong answers without a cause that is named. To add
an answer, write a line at the end and run the command, which shows the answers that it newly puts among these.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch

from course_kit.checking import Exercise, Result
from course_tasks import tasks_of, topics

from .notebook import defined

FOLDER = Path(__file__).with_name("transcript")
UNNAMED = Path(__file__).with_name("unnamed.json")
SECONDS = 1.0  # for an answer without an end, which is never a right one
Entry = dict[str, Any]


def exercises() -> dict[str, Exercise]:
    """All exercises, by topic and name: "vector_per_distance/shaw_scores"."""
    return {f"{topic}/{name}": task for topic in topics() for name, task in tasks_of(topic).items()}


def read(key: str) -> list[Entry]:
    """The recorded answers to an exercise."""
    lines = (FOLDER / f"{key}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def unnamed() -> dict[str, list[int]]:
    """The numbers of the wrong answers to each exercise without a named cause."""
    return json.loads(UNNAMED.read_text(encoding="utf-8"))


def answered(task: Exercise, entry: Entry) -> Result:
    """What the check says to a recorded answer."""
    limited = getattr(task, "spec", task)  # a function's seconds are in its spec, a class task has its own
    usual = getattr(limited, "seconds", None)
    torch.manual_seed(0)  # some answers draw numbers
    try:
        if usual is not None and "right" not in entry:
            limited.seconds = SECONDS
        return task.check(defined(entry["source"], task.name))
    finally:
        if usual is not None:
            limited.seconds = usual


def main(names: list[str]) -> None:
    """Judge the answers to all tasks again, or to some."""
    known = unnamed()
    for key, task in exercises().items():
        if names and not {task.name, key} & set(names):
            continue
        answers = read(key)
        now = [k for k, entry in enumerate(answers) if "right" not in entry and not answered(task, entry).known]
        for k in set(now) - set(known.get(key, ())):
            print(f"{key}, answer {k}\n{answers[k]['source']}\n")
        known[key] = now
    UNNAMED.write_text("{\n" + ",\n".join(f"{json.dumps(key)}: {known[key]}" for key in exercises()) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
