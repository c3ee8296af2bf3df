"""What the checks say to several thousand wrong answers, written down, so that a changed message shows as a diff.

    .venv/bin/python -m tests.tasks.transcript               answer all of them again and write the changes down
    .venv/bin/python -m tests.tasks.transcript shaw_scores   those of one task

`transcript/TOPIC/TASK.jsonl` has one answer a line: where it comes from, its source, and what the check says to it.
Each source runs by itself and defines the name of the task. To add an answer, write a line with "from" and "source" and
run the command. A cause that was named stays named: the command refuses to write that one is lost.
"""

import json
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from course_lib.checking import Exercise, Result
from course_tasks import tasks_of, topics

FOLDER = Path(__file__).with_name("transcript")
SHOWN = 5  # lost causes that are printed
SECONDS = 3.0  # of processor time, for an answer without an end
Entry = dict[str, Any]


def exercises() -> dict[str, Exercise]:
    """All exercises, by topic and name: "vector_per_distance/shaw_scores"."""
    return {f"{topic}/{name}": task for topic in topics() for name, task in tasks_of(topic).items()}


def read(key: str) -> list[Entry]:
    """The recorded answers of an exercise."""
    file = FOLDER / f"{key}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def write(key: str, entries: list[Entry]) -> None:
    file = FOLDER / f"{key}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries), encoding="utf-8")


def defined(source: str, name: str) -> Any:
    """What a source defines under a name; its lines can be shown, as those of a notebook's cell can."""
    file = f"<answer {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def said(result: Result) -> Entry:
    """What the transcript keeps of a result."""
    how = "named" if result.known else "narrowed" if result.cause else "missing"
    return {"status": result.status, "facts": list(result.facts), "cause": result.cause, "how": how}


def answered(task: Exercise, entry: Entry) -> Entry:
    """The entry with what the check says to it now."""
    usual, seconds = getattr(task, "seconds", None), SECONDS
    if usual is not None:
        task.seconds = min(usual, seconds)  # type: ignore[attr-defined]
    torch.manual_seed(0)  # some answers draw numbers
    try:
        result = task.check(defined(entry["source"], task.name))
        return {"from": entry["from"], "source": entry["source"], **said(result)}
    finally:
        if usual is not None:
            task.seconds = usual  # type: ignore[attr-defined]


def lost(before: list[Entry], now: list[Entry]) -> Iterator[str]:
    """Each answer whose cause was named and is not any more."""
    for old, new in zip(before, now):
        if old.get("how") == "named" != new["how"]:
            yield f"{new['source']}\n    was: {old['cause']}\n    now: {new['status']}, {new['cause'] or 'no cause'}"


def main(names: list[str]) -> int:
    failed = 0
    for key, task in exercises().items():
        if names and not {task.name, key} & set(names):
            continue
        before = read(key)
        now = [answered(task, entry) for entry in before]
        if losses := list(lost(before, now)):
            failed += 1
            print(f"{key}: {len(losses)} named causes would be lost; nothing is written.", *losses[:SHOWN], sep="\n\n")
        elif now != before:
            write(key, now)
            print(f"{key}: {sum(a != b for a, b in zip(before, now))} of {len(now)} answers changed.")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
