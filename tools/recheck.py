"""Run handed-in exercise notebooks again and say which tasks pass: python tools/recheck.py hand-ins/*.ipynb

    --csv FILE    write a table as well: learner, task, status, cause

Each notebook runs from top to bottom in a fenced process, where its functions are called as well. What they return is
compared here, so what a notebook prints does not count, and it reaches neither the checks nor the solutions.
"""

import argparse
import csv
import os
import re
import sys
from glob import glob
from pathlib import Path
from typing import NamedTuple

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.contents import TOPICS  # noqa: E402
from course_tasks import tasks_of, topics  # noqa: E402
from tools.judge import fence, hand_in  # noqa: E402

IMPORT = re.compile(r"^from course_tasks import (\w+) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)


class Verdict(NamedTuple):
    """A status of `course_lib.checking`, "no answer", "no check cell" or "check by hand"; and why."""

    status: str
    cause: str = ""


def recheck(path: Path, limits: fence.Limits | None = None) -> tuple[str, dict[str, Verdict]]:
    """The topic, and the verdict on each of its tasks. Raises ValueError unless the file is an exercise notebook."""
    try:
        cells = nbformat.read(path, as_version=4).cells
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    names = [name for source in sources for name in IMPORT.findall(source)]
    if len(names) != 1 or names[0] not in topics():
        raise ValueError(f"{path}: expected one line `from course_tasks import TOPIC as task`")
    tasks = tasks_of(names[0])
    asked = {name for source in sources for name in CHECK.findall(source)}
    # what comes after a check shows what the answer is good for, and takes its time
    shown = [source for source in sources if not any(source in task.after for task in tasks.values())]
    reports = hand_in.reports(shown, names[0], tasks, limits or fence.Limits())
    return names[0], {name: verdict(task, reports[name], name in asked) for name, task in tasks.items()}


def verdict(task: hand_in.Exercise, report: object, asked: bool) -> Verdict:
    """What the check says to the learner's object, or why there is none."""
    if isinstance(report, str):
        return Verdict("did not finish", report)
    if not report or not isinstance(report, dict):
        return Verdict("no answer", f"There is no `{task.name}`.") if asked else Verdict("no check cell")
    if report.get("begun") and (cause := hand_in.by_hand(task)):
        return Verdict("check by hand", cause)
    try:
        result = hand_in.check(task, report)
    except ValueError as error:
        return Verdict("did not finish", str(error))
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
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what learners pass is not this machine's progress
    print(*filter(None, [fence.unfenced()]), sep="\n", end="", file=sys.stderr)
    try:
        table = open(given.csv, "w", newline="", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        parser.error(f"--csv {given.csv}: {error.strerror}")
    failed = 0
    with table:
        write = csv.writer(table, lineterminator="\n").writerow
        write(["learner", "task", "status", "cause"])
        for name in [name for word in given.notebooks for name in sorted(glob(word)) or [word]]:  # Windows keeps the star
            try:
                topic, found = recheck(Path(name))
            except ValueError as error:
                print(error, file=sys.stderr)
                write(written(learner(Path(name)), "", "not judged", str(error)))
                failed += 1
                continue
            passed = sum(one.status == "passed" for one in found.values())
            print(f"{name}: {topic}, {passed} of {len(found)} passed", flush=True)
            for task, one in found.items():
                write(written(learner(Path(name)), f"{topic}.{task}", *one))
                if one.status != "passed":
                    print(f"  {one.status}: {task}")
    return int(failed > 0)


if __name__ == "__main__":
    if fence.IS_ROOT and fence.refused():
        sys.exit(f"Hand-ins would run as root here, and nothing could restrict them ({fence.refused()}). Run this as a "
                 "user without rights, on a machine or in a container with nothing of value in it.")
    sys.exit(main(sys.argv[1:]))
