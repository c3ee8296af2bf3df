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
from collections.abc import Callable
from glob import glob
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.checking import CodingTask, Exercise, Prediction  # noqa: E402
from course_lib.contents import TOPICS  # noqa: E402
from course_tasks import tasks_of, topics  # noqa: E402
from tools.judge import fence, hand_in  # noqa: E402

IMPORT = re.compile(r"^from course_tasks import (\w+) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)
FREE = "read and change your files (the solutions too), use the network and all memory, and leave processes behind"
Verdict = tuple[str, str]  # a status of `course_lib.checking` or of `verdict`, and why


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
    tasks, asked = tasks_of(names[0]), {name for source in sources for name in CHECK.findall(source)}
    # what comes after a check shows what the answer is good for, and takes its time
    shown = [source for source in sources if not any(source in task.after for task in tasks.values())]
    reports = hand_in.reports(shown, names[0], tasks, limits or fence.Limits())
    return names[0], {name: verdict(task, reports[name], name in asked) for name, task in tasks.items()}


def verdict(task: Exercise, report: dict | str, asked: bool) -> Verdict:
    """What the check says to the learner's object, or why there is none."""
    if isinstance(report, str) or "failed" in report:
        return "did not finish", report if isinstance(report, str) else str(report["failed"])
    if "begun" not in report:
        return ("no answer", f"When all cells have run, there is no `{task.name}`.") if asked else ("no check cell", "")
    of_values = isinstance(task, Prediction) or (isinstance(task, CodingTask) and not task.spec.reader)
    if report["begun"] and not of_values:
        return "check by hand", "What this check looks at cannot leave the process of the hand-in."
    try:
        result = hand_in.check(task, report)
    except ValueError as error:
        return "did not finish", str(error)
    if result.passed and isinstance(task, CodingTask) and task.afterwards:
        return "check by hand", "All values are right. What the check asks afterwards, it can ask in the notebook only."
    return result.status, "" if result.passed else result.cause or result.facts[-1]


def learner(path: Path) -> str:
    """Whose hand-in it is: ada's, if it is ada.ipynb or if it has the name of the exercise and lies in a folder ada."""
    of_course = {name for chapter in TOPICS.values() for name in (chapter.topic, chapter.file)}
    names = [path.stem, *(folder.name for folder in path.absolute().parents)]
    return next(name for name in names if name not in of_course)


def written(*row: str) -> list[str]:
    """A row of a table, in which nothing is too long or unprintable, or begins like a formula of a spreadsheet."""
    words = ["".join(letter if letter.isprintable() else " " for letter in word[:300]) for word in row]
    return [f"'{word}" if word.startswith(("=", "+", "-", "@")) else word for word in words]


def main(arguments: list[str]) -> int:
    """0 when every notebook could be judged, whatever its answers are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    parser.add_argument("--csv", metavar="FILE", default=os.devnull, help="write learner, task, status and cause")
    given = parser.parse_args(arguments)
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what learners pass is not this machine's progress
    if fence.refused():
        print(f"On this system a hand-in can {FREE}, because {fence.refused()}.", file=sys.stderr)
    try:
        table = open(given.csv, "w", newline="", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        parser.error(f"--csv {given.csv}: {error.strerror}")
    with table:
        row = csv.writer(table, lineterminator="\n").writerow
        row(["learner", "task", "status", "cause"])
        names = [name for word in given.notebooks for name in sorted(glob(word)) or [word]]  # Windows keeps the star
        return int(not all([judged(Path(name), row) for name in names]))


def judged(path: Path, row: Callable[[list[str]], object]) -> bool:
    """Whether a notebook could be judged; what it is worth is printed and written into the table."""
    try:
        topic, verdicts = recheck(path)
    except ValueError as error:
        print(error, file=sys.stderr)
        row(written(learner(path), "", "not judged", str(error)))
        return False
    passed = sum(status == "passed" for status, _ in verdicts.values())
    print(f"{path}: {topic}, {passed} of {len(verdicts)} passed", flush=True)
    for task, (status, cause) in verdicts.items():
        row(written(learner(path), f"{topic}.{task}", status, cause))
        if status != "passed":
            print(f"  {status}: {task}")
    return True


if __name__ == "__main__":
    if fence.IS_ROOT and fence.refused():
        sys.exit(f"Hand-ins would run as root here, and nothing could restrict them, because {fence.refused()}.")
    sys.exit(main(sys.argv[1:]))
