"""Run handed-in exercise notebooks again and say which tasks pass: python tools/recheck.py hand-ins/*.ipynb

Each notebook runs from top to bottom in a fresh kernel; the file itself is not changed. A task counts when its check
cell answers "passed" in this run. What is handed in is a program: it runs here with your rights.
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
CHAPTER = re.compile(r"^from course_lib\.tasks import (ch\d\d) as task$", re.MULTILINE)
CHECK = re.compile(r"^task\.(\w+)\.check\(", re.MULTILINE)


def recheck(path: Path) -> tuple[str, dict[str, str]]:
    """The chapter of a notebook, and the status of each of its tasks; "no check cell" where the learner removed it.

    Raises ValueError when the file is no exercise notebook, or when its code ends the kernel.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    chapters = CHAPTER.findall("\n".join(cell.source for cell in code))
    if len(chapters) != 1:
        raise ValueError(f"{path}: expected one line `from course_lib.tasks import chNN as task`")
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", allow_errors=True, interrupt_on_timeout=True,
        resources={"metadata": {"path": str(ROOT)}},
        config=Config(KernelManager={"transport_encryption": "auto"}),  # without it each kernel prints a warning
    )  # fmt: skip
    try:
        client.execute()
    except DeadKernelError:
        raise ValueError(f"{path}: its code ended the kernel") from None
    return chapters[0], statuses(chapters[0], code)


def statuses(chapter: str, code: list) -> dict[str, str]:
    """The first word or words of what each task's last check cell answered."""
    from course_lib.tasks import tasks_of

    found = dict.fromkeys(tasks_of(chapter), "no check cell")
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
            chapter, found = recheck(Path(name))
        except ValueError as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        passed = sum(status == "passed" for status in found.values())
        print(f"{name}: {chapter}, {passed} of {len(found)} passed", flush=True)
        for task, status in found.items():
            if status != "passed":
                print(f"  {status}: {task}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
