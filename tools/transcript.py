"""Answers to the tasks, nearly all of them wrong, and which of the wrong ones the checks do not name.

    .venv/bin/python -m tools.transcript                      judge all again, and mark what is not named
    .venv/bin/python -m tools.transcript rope/rope            for one task
    .venv/bin/python -m tools.transcript rope/rope mine.py    record an answer, and show what the check says to it

`course_chapters/TOPIC/answers/TASK.jsonl` has one answer a line: "from" (a "reader", a "mistake" that we invented, or
an "author", for another right way) and "source", which runs by itself and defines the name of the task. "right" marks
an answer that should pass, "unnamed" a wrong one without a cause that is named. Answers that are newly marked so are
shown, with what the check says.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from course_chapters import FOLDER, tasks_of, topics
from course_kit.checking import Exercise, Result
from tools.notebook import defined

os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what passes here is not the learner's
SECONDS = 1.0  # for an answer without an end, which is never a right one
Entry = dict[str, Any]


def exercises() -> dict[str, Exercise]:
    """All exercises, by topic and name: "vector_per_distance/shaw_scores"."""
    return {f"{topic}/{name}": task for topic in topics() for name, task in tasks_of(topic).items()}


def file(key: str) -> Path:
    """The file with the recorded answers to an exercise."""
    topic, _, task = key.partition("/")
    return FOLDER / topic / "answers" / f"{task}.jsonl"


def read(key: str) -> list[Entry]:
    """The recorded answers to an exercise."""
    return [json.loads(line) for line in file(key).read_text(encoding="utf-8").splitlines()]


def write(key: str, answers: list[Entry]) -> None:
    """Make these the recorded answers to an exercise."""
    lines = [json.dumps(entry, ensure_ascii=False) for entry in answers]
    file(key).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def answered(task: Exercise, entry: Entry) -> Result:
    """What the check says to a recorded answer."""
    import torch  # here, because a page of NumPy alone is asked about without it

    limited: Any = getattr(task, "spec", task)  # a function's seconds are in its spec, a class task has its own
    usual = getattr(limited, "seconds", None)
    torch.manual_seed(0)  # some answers draw numbers
    try:
        if usual is not None and "right" not in entry:
            limited.seconds = SECONDS
        return task.check(defined(entry["source"], task.name))
    finally:
        if usual is not None:
            limited.seconds = usual


def chosen(key: str) -> Exercise:
    """The exercise of this topic and name, or the end of the command."""
    return exercises().get(key) or sys.exit(f"{key}: expected a topic and its task, such as rope/rope")


def record(key: str, answer: Path) -> None:
    """Add the answer in a file to the recorded ones, and show what the check says to it."""
    entry = {"from": "mistake", "source": answer.read_text(encoding="utf-8")}
    print(answered(chosen(key), entry))
    write(key, [*read(key), entry])


def judge(key: str) -> None:
    """Judge the answers to an exercise again."""
    task, answers = chosen(key), read(key)
    for entry in answers:
        named_before = not entry.pop("unnamed", False)
        if "right" not in entry and not (result := answered(task, entry)).named:
            entry["unnamed"] = True
            if named_before:
                print(f"{key}\n{entry['source']}\n{result}\n")
    write(key, answers)


def main(key: str = "", answer: str = "") -> None:
    """Record an answer, or judge those to one task or to all."""
    if answer:
        record(key, Path(answer))
    for each in [key] if key else exercises():
        judge(each)


if __name__ == "__main__":
    main(*sys.argv[1:])
