"""Run handed-in exercise notebooks again and say which tasks pass: python tools/recheck.py hand-ins/*.ipynb

Each notebook runs from top to bottom in a fresh kernel; the file itself is not changed. A task counts when its check
cell answers "passed" in this run. What is handed in is a program: it runs here with your rights.

Notebooks of version 0.1, whose chapters had numbers, are judged by the tasks of today. Two of these chapters have
become two topics each, so their notebooks are judged twice.
"""

import argparse
import os
import re
import sys
from glob import glob
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60  # for one cell; a check stops an endless loop by itself, long before
IMPORT = re.compile(r"^from (course_lib\.tasks|course_tasks) import (\w+) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)


def recheck(path: Path) -> dict[str, dict[str, str]]:
    """The status of each task by topic and name; "no check cell" where the learner removed it.

    Raises ValueError when the file is no exercise notebook, or when its code ends the kernel.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    names = [name for cell in code for _, name in IMPORT.findall(cell.source)]
    topics = topics_of(names[0]) if len(names) == 1 else []
    if not topics:
        raise ValueError(f"{path}: expected one line `from course_tasks import TOPIC as task`")
    for cell in code:
        cell.source = IMPORT.sub(lambda line: todays(line[0], topics), cell.source)
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", allow_errors=True, interrupt_on_timeout=True,
        resources={"metadata": {"path": str(ROOT)}},
        config=Config(KernelManager={"transport_encryption": "auto"}),  # without it each kernel prints a warning
    )  # fmt: skip
    try:
        client.execute()
    except DeadKernelError:
        raise ValueError(f"{path}: its code ended the kernel") from None
    return {topic: statuses(topic, code) for topic in topics}


def topics_of(name: str) -> list[str]:
    """The topics whose tasks a notebook has that imports this name; none if there is no such topic."""
    from course_lib.checking.record import FORMER, MOVED
    from course_tasks import topics

    found = {FORMER.get(name, name), *MOVED.get(name, ())[:1]}
    return [topic for topic in topics() if topic in found]


def todays(line: str, topics: list[str]) -> str:
    """The import line of a notebook as it is today; the tasks of two topics become one object."""
    if line.startswith("from course_tasks"):
        return line
    both = " | ".join(f"vars({topic})" for topic in topics)
    return f"import types\nfrom course_tasks import {', '.join(topics)}\ntask = types.SimpleNamespace(**({both}))"


def statuses(topic: str, code: list) -> dict[str, str]:
    """The first word or words of what each task's last check cell answered."""
    from course_tasks import tasks_of

    found = dict.fromkeys(tasks_of(topic), "no check cell")
    for cell in code:
        for name in CHECK.findall(cell.source):
            answers = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
            said = re.match(r"[✓✗○] ([a-z ]+):", answers[0]) if answers else None
            if name in found:
                found[name] = said[1] if said else "no answer"
    return found


def main(arguments: list[str]) -> int:
    """0 when every notebook could be run, whatever its answers are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    # Windows hands over the star as it is.
    names = [name for given in parser.parse_args(arguments).notebooks for name in sorted(glob(given)) or [given]]
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # what learners pass is not this machine's progress
    failed = 0
    for name in names:
        try:
            judged = recheck(Path(name))
        except ValueError as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        for topic, found in judged.items():
            passed = sum(status == "passed" for status in found.values())
            print(f"{name}: {topic}, {passed} of {len(found)} passed", flush=True)
            for task, status in found.items():
                if status != "passed":
                    print(f"  {status}: {task}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
