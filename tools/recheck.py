"""Run handed-in exercise notebooks again and say which tasks pass: python -m tools.recheck hand-ins/*.ipynb

Each notebook runs from top to bottom in a process of its own, which bubblewrap fences in, and there its answers are
checked. The fence protects the machine. It does not prove that an answer is honest: the checks run beside the learner's
code, which could replace them.
"""

import _thread
import argparse
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Timer

import nbformat
from IPython.core.interactiveshell import InteractiveShell

from course_chapters import tasks_of, topics
from course_kit.checking import Result
from course_kit.contents import TOPICS

ROOT = Path(__file__).resolve().parent.parent
IMPORT = re.compile(r"^from course_chapters\.(\w+) import tasks as task$", re.MULTILINE)
CELL, HAND_IN = 120, 900  # seconds by the clock
SEEN = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives"]
SEEN += ["/proc/cpuinfo", sys.base_prefix, sys.prefix, str(ROOT), str(Path(sys.prefix).resolve())]
NAMES = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "COURSE_KEEPS_NO_PROGRESS": "1"}
NAMES |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NAMES |= {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
NO_FENCE = """\
Nothing restricts hand-ins here: bubblewrap, which needs Linux, is not installed or may not be used. They could read and
change your files, use the network and leave processes behind. With --unfenced they run all the same."""


def fence(folder: str) -> list[str]:
    """What a command begins with to see no network, no other process, and no file but Python, the system's and ours.

    It writes 64 MB, into memory. Each of its processes has 8 GB of addresses, and 256 are allowed, except to root.
    """
    words = ["bwrap", "--unshare-all", "--new-session", "--die-with-parent", "--dev", "/dev"]
    for name in SEEN:
        words += ["--ro-bind-try", name, name]
    words += ["--size", str(2**26), "--tmpfs", folder, "--chdir", folder, "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*words, "prlimit", f"--as={2**33}", f"--fsize={2**26}", "--nproc=256"]


def can_fence() -> bool:
    """Whether this machine has bubblewrap, and lets us use it."""
    command = [*fence("/hand-in"), sys.executable, "-c", ""]
    return bool(shutil.which("bwrap")) and subprocess.run(command, capture_output=True).returncode == 0


def opened(path: Path) -> tuple[str, list[str]]:
    """The topic and the code cells of an exercise notebook. Raises ValueError for any other file."""
    try:
        cells = nbformat.read(path, as_version=4).cells
    except (OSError, UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: cannot be read as a notebook ({type(error).__name__})") from error
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    names = IMPORT.findall("\n".join(sources))
    if len(names) != 1 or names[0] not in topics():
        raise ValueError(f"{path}: expected one line `from course_chapters.TOPIC import tasks as task`")
    # what comes after a check shows what the answer is good for, and takes its time
    return names[0], [one for one in sources if not any(one in task.after for task in tasks_of(names[0]).values())]


def recheck(topic: str, cells: list[str], fenced: bool) -> dict[str, tuple[str, str]]:
    """Status and cause of each task of a topic after these cells."""
    with TemporaryDirectory(prefix="hand-in-", ignore_cleanup_errors=True) as folder, TemporaryFile() as answer:
        command = [sys.executable, "-c", "from tools.recheck import run_and_check; run_and_check()"]
        home = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "IPYTHONDIR"), folder)
        try:
            subprocess.run(
                [*fence(folder), *command] if fenced else command, input=json.dumps([topic, cells, CELL]).encode(),
                stdout=answer, stderr=subprocess.DEVNULL, timeout=HAND_IN, cwd=folder, env=NAMES | home,
            )  # fmt: skip
            why = "Its code ended the process."
        except subprocess.TimeoutExpired:
            why = f"It did not end within {HAND_IN} seconds."
        answer.seek(0)
        lines = answer.read().splitlines()
    found = dict.fromkeys(tasks_of(topic), ("did not finish", why))
    for line in lines:
        with suppress(ValueError, TypeError, RecursionError):  # the learner's code can write lines too
            name, status, cause = json.loads(line)
            found |= {name: (str(status), str(cause))} if name in found else {}
    return found


def run_and_check() -> None:
    """In the hand-in's process: run its cells, each until its time is up, then write a line for each task."""
    (topic, cells, seconds), lines = json.load(sys.stdin), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the learner's code prints
    tasks, shell = tasks_of(topic), InteractiveShell.instance()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    for cell in cells:
        timer = Timer(seconds, _thread.interrupt_main)
        timer.start()
        with suppress(KeyboardInterrupt):
            shell.run_cell(cell)
            timer.cancel()
    for name, task in tasks.items():
        none = Result("no answer", task.title, cause=f"After all cells, there is no `{name}`.")
        result = task.check(shell.user_ns[name]) if name in shell.user_ns else none
        cause = "" if result.passed else result.cause or result.facts[-1]
        print(json.dumps([name, result.status, cause]), file=lines, flush=True)
    os._exit(0)  # whatever threads the learner's code has left


def main(arguments: list[str]) -> int:
    """0 when every notebook could be judged, whatever its answers are worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="+", metavar="NOTEBOOK")
    file = argparse.FileType("w", encoding="utf-8")
    parser.add_argument("--csv", metavar="FILE", type=file, default=os.devnull, help="learner, task, status and cause")
    parser.add_argument("--unfenced", action="store_true", help="where there is no bubblewrap")
    given, fenced, judged = parser.parse_args(arguments), can_fence(), True
    if not fenced and not given.unfenced:
        print(NO_FENCE, file=sys.stderr)
        return 2
    with given.csv as table:
        row = csv.writer(table, lineterminator="\n").writerow
        row(["learner", "task", "status", "cause"])
        names = [name for word in given.notebooks for name in sorted(glob(word)) or [word]]  # Windows keeps the star
        for path in map(Path, names):
            try:
                topic, cells = opened(path)
            except ValueError as error:
                judged = False
                print(error, file=sys.stderr)
                row(written(learner(path), "", "not judged", str(error)))
                continue
            verdicts = recheck(topic, cells, fenced)
            passed = sum(status == "passed" for status, _ in verdicts.values())
            print(f"{path}: {topic}, {passed} of {len(verdicts)} passed", flush=True)
            for task, (status, cause) in verdicts.items():
                row(written(learner(path), f"{topic}.{task}", status, cause))
                if status != "passed":
                    print(f"  {status}: {task}")
    return int(not judged)


def learner(path: Path) -> str:
    """Whose hand-in it is: ada's, if it is ada.ipynb or if it has the name of the exercise and lies in a folder ada."""
    exercises = (Path(chapter.path("exercises")).stem for chapter in TOPICS.values())
    of_course = {*TOPICS, *exercises}
    names = [path.stem, *(folder.name for folder in path.absolute().parents)]
    return next(name for name in names if name not in of_course)


def written(*row: str) -> list[str]:
    """A row of a table, in which nothing is too long or unprintable, or begins like a formula of a spreadsheet."""
    words = ["".join(letter if letter.isprintable() else " " for letter in word[:300]) for word in row]
    return [f"'{word}" if word.startswith(("=", "+", "-", "@")) else word for word in words]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
