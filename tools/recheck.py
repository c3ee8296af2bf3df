"""Run handed-in exercise notebooks again and say which tasks pass: python tools/recheck.py hand-ins/*.ipynb

Each notebook runs in a fenced process, and so do its functions. What they return is compared here.
"""

import argparse
import csv
import os
import re
import sys
import time
from copy import copy
from glob import glob
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_kit.checking import CodingTask, Exercise, Prediction  # noqa: E402
from course_kit.checking.runner import Elsewhere, Outcome, Run  # noqa: E402
from course_kit.contents import TOPICS  # noqa: E402
from course_tasks import tasks_of, topics  # noqa: E402
from tools.judge import data, fence  # noqa: E402

IMPORT = re.compile(r"^from course_tasks import (\w+) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)
FREE = "read and change your files (the solutions too), use the network and all memory, and leave processes behind"
BY_HAND = "Not all that this check looks at can leave the process of the hand-in: run it in the notebook."


def recheck(path: Path, limits: fence.Limits | None = None) -> tuple[str, dict[str, tuple[str, str]]]:
    """The topic, and the verdict on each of its tasks. Raises ValueError unless the file is an exercise notebook."""
    try:
        cells = nbformat.read(path, as_version=4).cells
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    names = IMPORT.findall("\n".join(sources))
    if len(names) != 1 or names[0] not in topics():
        raise ValueError(f"{path}: expected one line `from course_tasks import TOPIC as task`")
    tasks, checked = tasks_of(names[0]), CHECK.findall("\n".join(sources))
    # what comes after a check shows what the answer is good for, and takes its time
    shown = [source for source in sources if not any(source in task.after for task in tasks.values())]
    said = reports(shown, tasks, limits or fence.Limits())
    return names[0], {name: verdict(task, said[name], name in checked) for name, task in tasks.items()}


def reports(cells: list[str], tasks: dict[str, Exercise], limits: fence.Limits) -> dict[str, Any]:
    """What the worker reports of each task, or in words why it does not.

    An answer that ends the process ends its own report only: another process runs the cells again for the next task.
    """
    found: dict[str, Any] = {}
    deadline = time.monotonic() + limits.wall
    while left := [name for name in tasks if name not in found]:
        request = {"cells": cells, "seconds": limits.cell, "tasks": [asked(tasks[name]) for name in left]}
        lines, why = fence.talk(data.write(request), limits, deadline)
        found |= {one["name"]: one for one in map(data.read, lines) if one.get("name") in ["", *left]}
        missing = [name for name in left if name not in found]
        if found.pop("", None) is None or time.monotonic() > deadline:
            return found | dict.fromkeys(missing, why)
        found |= dict.fromkeys(missing[:1], why)
    return found


def asked(task: Exercise) -> dict[str, Any]:
    """What the worker needs to know of a task, which is not what is right."""
    if not isinstance(task, CodingTask):
        return {"name": task.name, "starter": "", "call": None}
    spec = task.spec
    cases = [[data.exact(case.args), case.kwargs] for case in map(spec.handed, spec.all_cases)]
    call = {"cases": cases, "seconds": spec.seconds, "returns": spec.returns}
    return {"name": task.name, "starter": task.stub() if task.starter else "", "call": call}


def verdict(task: Exercise, report: dict[str, Any] | str, checked: bool) -> tuple[str, str]:
    """A status of `course_kit.checking` or one of those below, and why."""
    if isinstance(report, str):
        return "did not finish", report
    if "begun" not in report:
        return ("no answer", f"After all cells, there is no `{task.name}`.") if checked else ("no check cell", "")
    task, later = copy(task), None
    if isinstance(task, CodingTask):
        later, task.afterwards = task.afterwards, None  # it would call the function
    if report["begun"] and not isinstance(task, CodingTask | Prediction):
        return "check by hand", BY_HAND
    try:
        result = task.check(object_of(report, task))
    except (AttributeError, LookupError, TypeError, ValueError):
        return "did not finish", "It wrote into the judge's channel."
    if result.passed and later:
        return "check by hand", BY_HAND
    return result.status, "" if result.passed else result.cause or result.facts[-1]


def object_of(report: dict[str, Any], task: Exercise) -> Any:
    """The learner's object, or what stands for it here. Raises one of several errors for what no worker reports."""
    if not report["begun"]:
        return ...
    if "run" not in report:
        return report["value"]
    outcomes = [Outcome(**one) for one in report["run"].pop("outcomes")]
    returns = task.spec.returns if isinstance(task, CodingTask) else ()
    if any(one.value is not None and one.value.keys() != set(returns or [""]) for one in outcomes):
        raise ValueError(f"value: expected the parts {returns}")
    return Elsewhere(Run(outcomes, **report["run"]), report["unused"])


def main(arguments: list[str]) -> int:
    """0 when every notebook could be judged, whatever its answers are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    file = argparse.FileType("w", encoding="utf-8")
    parser.add_argument("--csv", metavar="FILE", type=file, default=os.devnull, help="learner, task, status and cause")
    given = parser.parse_args(arguments)
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what learners pass is not this machine's progress
    if fence.refused():
        print(f"On this system a hand-in can {FREE}, because {fence.refused()}.", file=sys.stderr)
    judged = True
    with given.csv as table:
        row = csv.writer(table, lineterminator="\n").writerow
        row(["learner", "task", "status", "cause"])
        names = [name for word in given.notebooks for name in sorted(glob(word)) or [word]]  # Windows keeps the star
        for path in map(Path, names):
            try:
                topic, verdicts = recheck(path)
            except ValueError as error:
                judged = False
                print(error, file=sys.stderr)
                row(written(learner(path), "", "not judged", str(error)))
                continue
            passed = sum(status == "passed" for status, _ in verdicts.values())
            print(f"{path}: {topic}, {passed} of {len(verdicts)} passed", flush=True)
            for task, (status, cause) in verdicts.items():
                row(written(learner(path), f"{topic}.{task}", status, cause))
                if status != "passed":
                    print(f"  {status}: {task}")
    return int(not judged)


def learner(path: Path) -> str:
    """Whose hand-in it is: ada's, if it is ada.ipynb or if it has the name of the exercise and lies in a folder ada."""
    of_course = {name for chapter in TOPICS.values() for name in (chapter.topic, chapter.file)}
    names = [path.stem, *(folder.name for folder in path.absolute().parents)]
    return next(name for name in names if name not in of_course)


def written(*row: str) -> list[str]:
    """A row of a table, in which nothing is too long or unprintable, or begins like a formula of a spreadsheet."""
    words = ["".join(letter if letter.isprintable() else " " for letter in word[:300]) for word in row]
    return [f"'{word}" if word.startswith(("=", "+", "-", "@")) else word for word in words]


if __name__ == "__main__":
    if fence.IS_ROOT and fence.refused():
        sys.exit(f"Hand-ins would run as root here, and nothing could restrict them, because {fence.refused()}.")
    sys.exit(main(sys.argv[1:]))
