"""Answers that people gave to the tasks, nearly all of them wrong, and how many of the wrong ones each check names.

    .venv/bin/python -m tests.tasks.transcript                        count again, and write named.json
    .venv/bin/python -m tests.tasks.transcript shaw_scores            for one task
    .venv/bin/python -m tests.tasks.transcript shaw_scores --lower    even if fewer are named than before

`transcript/TOPIC/TASK.jsonl` has one answer a line: "from" (a "reader", a "mistake" that we invented, or an "author",
for another right way) and "source", which runs by itself and defines the name of the task. "right" marks an answer that
passes. "false" marks a wrong one whose cause, as the check gives it today, is not what its author did; it never counts
as named. `named.json` has for each task how many of its first answers, and of all, get a cause that is named, and true.
To add an answer, write a line at the end and run the command.
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
NAMED = Path(__file__).with_name("named.json")
FIRST = 10  # answers to a task, which are tried in every run of the tests, as the right ones are
SECONDS = 1.0  # for an answer without an end, which is never a right one
Entry = dict[str, Any]


def exercises() -> dict[str, Exercise]:
    """All exercises, by topic and name: "vector_per_distance/shaw_scores"."""
    return {f"{topic}/{name}": task for topic in topics() for name, task in tasks_of(topic).items()}


def read(key: str) -> list[Entry]:
    """The recorded answers to an exercise."""
    lines = (FOLDER / f"{key}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def named() -> dict[str, dict[str, int]]:
    """How many answers to each exercise have a named and true cause: of the "first" ones, and of "all"."""
    return json.loads(NAMED.read_text(encoding="utf-8"))


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


def counts(entry: Entry, result: Result) -> bool:
    """Whether the cause of a wrong answer is named, and true."""
    return result.known and not result.passed and "false" not in entry


def main(arguments: list[str]) -> int:
    names, before, refused = set(arguments) - {"--lower"}, named() if NAMED.exists() else {}, 0
    now = {key: count for key, count in before.items() if key in exercises()}
    for key, task in exercises().items():
        if names and not {task.name, key} & names:
            continue
        answers = [(entry, answered(task, entry)) for entry in read(key)]
        is_named = [counts(entry, result) for entry, result in answers]
        count = {"first": sum(is_named[:FIRST]), "all": sum(is_named)}
        if any(count[part] < old for part, old in before.get(key, {}).items()) and "--lower" not in arguments:
            refused += 1
            print(f"{key}: {count} are named, {before[key]} were; nothing is written. Those without a name:")
            print(*(entry["source"] for entry, result in answers if not result.passed and not result.known), sep="\n\n")
        else:
            now[key] = count
    lines = [f"{json.dumps(key)}: {json.dumps(now[key])}" for key in exercises() if key in now]
    NAMED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return refused


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
