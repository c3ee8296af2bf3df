"""Hostile hand-ins: what each one tries, what it gets, and what it leaves of this machine."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from course_lib.contents import TOPICS
from tools import recheck
from tools.judge import hand_in, sandbox

ROOT = Path(__file__).resolve().parents[2]
SOLVED = ROOT / "solutions" / f"{TOPICS['bias_by_hand'].file}.ipynb"
RIGHT = "def bias_matrix(n, scale):\n    i = np.arange(n)\n    return -scale * np.log1p(abs(i - i[:, None]))"
FORGED = "'✓ passed: The bias matrix of n tokens'"
FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass"""
MEMORY = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        kept = [bytearray(b"1") * 10**8 for _ in range(12)]
        time.sleep(1000)
time.sleep(1000)"""
REPLACED = """
import course_lib.checking.arrays, course_lib.checking.coding, course_lib.checking.runner
from course_lib.checking import Result
passed = lambda *args, **kwargs: Result("passed", "The bias")
course_lib.checking.coding.CodingTask._check = task.bias_matrix.check = passed
course_lib.checking.arrays.close = lambda *args: True
forged = course_lib.checking.runner.Outcome({"": {"data": 0}})
course_lib.checking.runner.run_once = lambda *args: forged"""
WRITES = """
import course_lib, numpy
for path in (numpy.__file__, course_lib.__file__, {file!r}, "/usr/bin/evil"):
    try:
        open(path, "a").write("evil")
    except OSError:
        pass"""
KILLS = """
import os, signal
for number in (os.getppid(), 0, -1, 1, *range(2, 40_000)):
    try:
        number == os.getpid() or os.kill(number, signal.SIGKILL)
    except (OSError, OverflowError):
        pass"""
ANSWERS = """
import os
for fd in range(3, 30):
    try:
        os.write(fd, b'{"answer": {"bias_matrix": {"kind": "value"}}}\\n')
    except OSError:
        pass"""
FLOODS = """
import os
for fd in range(3, 30):
    try:
        while True:
            os.write(fd, b"x" * 65536)
    except OSError:
        pass"""
LEAVES = """
import os
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass"""
READS = """
found = []
for path in {paths!r}:
    try:
        found.append(open(path).read())
    except OSError as error:
        found.append(type(error).__name__)
neighbour = str(found)"""
ASKS = """
import socket
try:
    neighbour = str(socket.create_connection(({host!r}, {port}), 3))
except OSError as error:
    neighbour = error.strerror"""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The verdict on a task of a hand-in that begins with `first` and answers with `answers`; the limits are low."""
    if sandbox.refused():
        pytest.skip(f"this system permits no namespaces: {sandbox.refused()}")
    monkeypatch.setattr(hand_in, "CELL", 5.0)
    monkeypatch.setattr(hand_in, "CELLS", 20.0)
    monkeypatch.setattr(hand_in, "SPARE", 3.0)
    monkeypatch.setattr(sandbox, "MEMORY", 2**29)

    def judge(task, first="", **answers):
        notebook = nbformat.read(ROOT / "exercises" / f"{TOPICS['bias_by_hand'].file}.ipynb", as_version=4)
        for cell in notebook.cells:
            for name, code in answers.items():
                if cell.source.startswith((f"def {name}(", f"{name} =")):
                    cell.source = code
        notebook.cells[2].source += first
        nbformat.write(notebook, tmp_path / "eve.ipynb")
        return recheck.recheck(tmp_path / "eve.ipynb")["bias_by_hand"][task]

    return judge


ENDED, LATE = "Its code ended the process.", "It did not end within"
PASSED = ("passed", "")
HOSTILE = {  # what it tries: its first cell, its bias_matrix, the verdict on that, and what stopped it
    "loop for ever in a cell": ("\nwhile True: pass", RIGHT, PASSED, "an interrupt when the cell's time is up"),
    "loop for ever in C": ("\nsum(range(10**13))", RIGHT, ("did not finish", LATE), "the judge ends the process"),
    "loop for ever in an answer": (
        "", "def bias_matrix(n, scale):\n    while True: pass",
        ("did not finish", "Your code used more than 2 seconds"), "the check's own limit of processor time",
    ),
    "loop in C in an answer": (
        "", "def bias_matrix(n, scale):\n    return sum(range(10**13))", ("did not finish", LATE), "the judge",
    ),
    "fork without end": (
        FORKS, RIGHT, ("did not finish", "It "), "a limit of processes, and the judge, which counts them"
    ),
    "leave processes behind": (LEAVES, RIGHT, PASSED, "a process namespace that ends as a whole"),
    "fill the disk": (
        "\nfor k in range(10**6): open(str(k), 'wb').write(bytes(10**7))", RIGHT, PASSED, "128 MB in memory, no disk"
    ),
    "use all memory": (MEMORY, RIGHT, ("did not finish", "It used more than 0.5 GB"), "the judge counts the memory"),
    "print a forged result": (
        f"\nprint({FORGED})", f"print({FORGED})\ndef bias_matrix(n, scale):\n    print({FORGED})\n    return n * scale",
        ("wrong shape", ""), "what is printed is not read",
    ),
    "replace the checks": (
        REPLACED, "def bias_matrix(n, scale): return 0", ("wrong shape", ""), "the check is in another process"
    ),
    "import the solution": (
        "", "from course_tasks.bias_by_hand.bias_matrix import _bias_matrix as bias_matrix",
        ("no answer", "When all cells have run"), "the tasks are not there",
    ),
    "ask the task for its solution": (
        "", "exec(task.bias_matrix.solution().text)", ("no answer", "When all cells have run"), "tasks without words"
    ),
    "end the process": ("\nimport os; os._exit(0)", RIGHT, ("did not finish", ENDED), "nothing to stop"),
    "end it in an answer": (
        "", "def bias_matrix(n, scale):\n    import os; os._exit(0)", ("did not finish", ENDED), "a new process follows"
    ),
    "kill every process": (KILLS, RIGHT, PASSED, "a process namespace: there is nobody to kill"),
    "answer in the judge's channel": (
        ANSWERS, RIGHT, ("did not finish", ""), "its answers are values, which are compared",
    ),
    "flood the judge's channel": (
        FLOODS, RIGHT, ("did not finish", "It answered with too much data"), "a limit on an answer",
    ),
    "return a huge array": (
        "", "def bias_matrix(n, scale): return np.zeros((9000, 9000))",
        ("raised", "ValueError: array: 648,000,000 bytes; expected at most"), "a limit on an array",
    ),
    "return an object that unpickles badly": (
        "", "class Evil:\n    def __reduce__(self): return exit, ()\ndef bias_matrix(n, scale): return Evil()",
        ("wrong type", "`bias_matrix` returned a Evil"), "values cross as data",
    ),
    "hide in a message": (
        "", "def bias_matrix(n, scale): raise ValueError('\\x1b[2J gone')",
        ("raised", "ValueError:  [2J gone"), "unprintable letters are taken out",
    ),
}  # fmt: skip


@pytest.mark.slow("recheck")
@pytest.mark.parametrize("tries", HOSTILE)
def test_a_hostile_hand_in_gets_what_its_answer_is_worth(judged, tries, record_property):
    first, answer, (status, cause), stopped_by = HOSTILE[tries]
    start, before = time.monotonic(), workers()
    verdict = judged("bias_matrix", first, bias_matrix=answer)
    record_property("table: hostile hand-ins", {
        "tries to": tries, "verdict": verdict.status, "what stopped it": stopped_by,
        "seconds": f"{time.monotonic() - start:.0f}",
    })  # fmt: skip
    assert verdict.status == status and verdict.cause.startswith(cause), verdict
    while workers() - before and time.monotonic() < start + 100:
        time.sleep(0.1)  # a killed process takes a moment to go
    assert not workers() - before, "it has left processes behind"


def workers():
    """The processes of hand-ins, of this test and of others."""
    return set(subprocess.run(["pgrep", "-f", "tools.judge.worker"], capture_output=True, text=True).stdout.split())


@pytest.mark.slow("recheck")
def test_one_bad_answer_does_not_spoil_the_next(judged):
    bad = "def bias_matrix(n, scale):\n    import os; os._exit(0)"
    assert judged("causal_weights", bias_matrix=bad).status == "not attempted"
    good = "def asymmetric_bias(n, before, after):\n    r = np.arange(n) - np.arange(n)[:, None]\n    return r"
    assert judged("asymmetric_bias", bias_matrix=bad, asymmetric_bias=good).status != "did not finish"


@pytest.mark.slow("recheck")
def test_no_file_of_ours_can_be_read_or_changed(judged, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("the teacher's")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SECRET", "the teacher's")
    ours = [home / "secret", tmp_path / "eve.ipynb", SOLVED, "/etc/passwd"]
    ours += [ROOT / "course_tasks" / "bias_by_hand" / "bias_matrix.py", "/proc/1/environ"]
    reads = READS.format(paths=[str(path) for path in ours])
    verdict = judged("neighbour", neighbour=reads)
    assert "the teacher's" not in verdict.cause and verdict.cause.count("FileNotFoundError") == 5, verdict
    before = {path: path.read_bytes() for path in (ROOT / "course_lib" / "__init__.py", Path(nbformat.__file__))}
    writes = WRITES.format(file=nbformat.__file__)
    assert judged("bias_matrix", writes, bias_matrix=RIGHT).status == "passed"
    assert {path: path.read_bytes() for path in before} == before and not Path("/usr/bin/evil").exists()


@pytest.mark.slow("recheck")
def test_there_is_no_network_not_even_with_this_machine(judged):
    with socket.create_server(("127.0.0.1", 0)) as server:
        verdict = judged("neighbour", neighbour=ASKS.format(host="127.0.0.1", port=server.getsockname()[1]))
    assert "Network is unreachable" in verdict.cause, verdict


@pytest.mark.slow("recheck")
def test_without_namespaces_hand_ins_are_judged_and_the_teacher_is_warned():
    code = "import sys; from tools import recheck; recheck.sandbox.NAMESPACES = ('false',); recheck.main(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, SOLVED], cwd=ROOT, capture_output=True, text=True)
    assert "11 of 11 passed" in done.stdout, done.stderr
    assert "a hand-in can read and write what you can, the solutions too; use the network" in done.stderr
