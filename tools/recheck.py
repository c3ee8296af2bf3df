"""Run handed-in exercise notebooks again and say which tasks pass: python tools/recheck.py hand-ins/*.ipynb

    --csv FILE    write a table as well: learner, task, status, cause

Each notebook runs from top to bottom in a sandbox; the file itself is not changed. Then the check
asks that process for the values of the learner's functions, compares and decides here. What a notebook prints does not
count, and it cannot reach the check or the solutions. The first line says what this system cannot restrict.

Notebooks of version 0.1, whose chapters had numbers, are judged by the tasks of today. Two of these chapters were
split, so their notebooks are judged by both topics.
"""

import argparse
import csv
import os
import re
import sys
from collections.abc import Callable
from glob import glob
from pathlib import Path
from typing import NamedTuple

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.checking import Exercise  # noqa: E402
from course_lib.checking.record import FORMER, MOVED  # noqa: E402
from course_lib.contents import TOPICS  # noqa: E402
from course_tasks import tasks_of, topics  # noqa: E402
from tools.judge import sandbox  # noqa: E402
from tools.judge.elsewhere import answer  # noqa: E402
from tools.judge.hand_in import Ended, HandIn  # noqa: E402

IMPORT = re.compile(r"^from (course_lib\.tasks|course_tasks) import (\w+) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)


class Verdict(NamedTuple):
    """What an answer is worth: a status of `course_lib.checking`, "no answer" or "no check cell"; and why."""

    status: str
    cause: str = ""


def recheck(path: Path) -> dict[str, dict[str, Verdict]]:
    """The verdict on each task by topic and name. Raises ValueError unless the file is an exercise notebook."""
    sources, found = read(path)
    tasks = {name: task for topic in found for name, task in tasks_of(topic).items()}
    asked = {name for source in sources for name in CHECK.findall(source)}
    # what comes after a check shows what the answer is good for, and takes its time
    shown = [source for source in sources if not any(source in task.after for task in tasks.values())]
    with HandIn(shown, found[0], tasks) as hand_in:
        try:
            hand_in.begin()
            verdicts = {name: verdict(hand_in, task, name in asked) for name, task in tasks.items()}
        except Ended as why:
            verdicts = dict.fromkeys(tasks, Verdict("did not finish", str(why)))
    return {topic: {name: verdicts[name] for name in tasks_of(topic)} for topic in found}


def read(path: Path) -> tuple[list[str], list[str]]:
    """The code cells of a notebook and the topics whose tasks it has. Raises ValueError if it has none."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    names = [name for source in sources for _, name in IMPORT.findall(source)]
    found = topics_of(names[0]) if len(names) == 1 else []
    if not found:
        raise ValueError(f"{path}: expected one line `from course_tasks import TOPIC as task`")
    return [IMPORT.sub(f"from course_tasks import {found[0]} as task", source) for source in sources], found


def topics_of(name: str) -> list[str]:
    """The topics whose tasks a notebook has that imports this name; none if there is no such topic."""
    found = {FORMER.get(name, name), *MOVED.get(name, ())[:1]}
    return [topic for topic in topics() if topic in found]


def verdict(hand_in: HandIn, task: Exercise, asked: bool) -> Verdict:
    """What the check says to the learner's object, or why there is none. Raises Ended when the cells cannot run."""
    if task.name not in hand_in.about:
        missing = f"When all cells have run, there is no `{task.name}`."
        return Verdict("no answer", missing) if asked else Verdict("no check cell")
    hand_in.ended = ""
    try:
        result = task.check(answer(hand_in, task))
    except (Ended, ValueError) as error:
        return Verdict("did not finish", str(error))
    if hand_in.ended:
        return Verdict("did not finish", hand_in.ended)
    return Verdict(result.status, "" if result.passed else result.cause or result.facts[-1])


def learner(path: Path) -> str:
    """Whose hand-in it is: ada's, if it is ada.ipynb or if it has the name of the exercise and lies in a folder ada."""
    of_course = {name for chapter in TOPICS.values() for name in (chapter.topic, chapter.file)}
    names = [path.stem, *(folder.name for folder in path.absolute().parents)]
    return next(name for name in names if name not in of_course)


def written(*row: str) -> list[str]:
    """A row of a table: a spreadsheet would run what begins like a formula."""
    return [f"'{words}" if words.startswith(("=", "+", "-", "@")) else words for words in row]


def main(arguments: list[str]) -> int:
    """0 when every notebook could be judged, whatever its answers are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    parser.add_argument("--csv", metavar="FILE", default=os.devnull, help="write learner, task, status and cause")
    given = parser.parse_args(arguments)
    try:
        table = open(given.csv, "w", newline="", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        parser.error(f"--csv {given.csv}: {error.strerror}")
    with table:
        return recheck_all(given.notebooks, csv.writer(table, lineterminator="\n").writerow)


def recheck_all(notebooks: list[str], write: Callable[[list[str]], object]) -> int:
    """Recheck and print; each row of the table is written as soon as it is known."""
    # Windows hands over the star as it is.
    names = [name for word in notebooks for name in sorted(glob(word)) or [word]]
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what learners pass is not this machine's progress
    if free := sandbox.unrestricted():
        print(f"On this system a hand-in can {'; '.join(free)} ({sandbox.refused()}).", file=sys.stderr)
    write(["learner", "task", "status", "cause"])
    failed = 0
    for name in names:
        whose = learner(Path(name))
        try:
            judged = recheck(Path(name))
        except ValueError as error:
            print(error, file=sys.stderr)
            write(written(whose, "", "not judged", str(error)))
            failed += 1
            continue
        for topic, found in judged.items():
            passed = sum(one.status == "passed" for one in found.values())
            print(f"{name}: {topic}, {passed} of {len(found)} passed", flush=True)
            for task, one in found.items():
                write(written(whose, f"{topic}.{task}", *one))
                if one.status != "passed":
                    print(f"  {one.status}: {task}")
    return int(failed > 0)


if __name__ == "__main__":
    if hasattr(os, "geteuid") and os.geteuid() == 0 and sandbox.refused():
        sys.exit(f"Hand-ins would run as root here, and nothing could restrict them ({sandbox.refused()}). Run this as "
                 "a user without rights, on a machine or in a container with nothing of value in it.")
    sys.exit(main(sys.argv[1:]))
