"""Hostile hand-ins: what each one tries, what it gets, and what it leaves of this machine."""

import contextlib
import os
import socket
import time
from pathlib import Path

import nbformat
import pytest

from course_tasks import tasks_of
from tools import recheck
from tools.judge import fence

from .test_recheck import fenced, hand_in  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
RIGHT = "def bias_matrix(n, strength):\n    i = np.arange(n)\n    return -strength * np.log1p(abs(i - i[:, None]))"
LIMITS = fence.Limits(cell=3.0, processor=15, wall=600.0, memory=2**30)  # generous by the clock: a busy machine is slow
SOLUTION = "importlib.import_module('course_tasks.bias_by_hand.2_bias_matrix').bias_matrix"
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
        time.sleep(10**6)
time.sleep(10**6)"""
REPLACED = """
import course_kit.checking.arrays, course_kit.checking.coding, course_kit.checking.runner
from course_kit.checking import Result
passed = lambda *args, **kwargs: Result("passed", "The bias")
course_kit.checking.coding.CodingTask._check = task.bias_matrix.check = passed
course_kit.checking.arrays.close = lambda *args: True
forged = course_kit.checking.runner.Outcome({"": np.zeros((5, 5))})
course_kit.checking.runner.run_once = lambda *args: forged"""
KILLS = """
import os, signal
for number in (os.getppid(), -1, 1, *range(2, 40_000)):
    try:
        number == os.getpid() or os.kill(number, signal.SIGKILL)
    except (OSError, OverflowError):
        pass"""
REPORTS = """
import os
for fd in range(3, 30):
    try:
        os.write(fd, b'{{"name": ""}}\\n{report}\\n')
    except OSError:
        pass
os._exit(0)"""
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
        os.execvp("sleep", ["sleep", {seconds!r}])"""
READS = """
found = []
for path in {paths!r}:
    try:
        found.append(open(path).read())
    except OSError as error:
        found.append(type(error).__name__)
bias_matrix = str(found)"""
WRITES = """
for path in {paths!r}:
    try:
        open(path, "a").write("evil")
    except OSError:
        pass"""
ASKS = """
import socket
try:
    bias_matrix = str(socket.create_connection(({host!r}, {port}), 3))
except OSError as error:
    bias_matrix = error.strerror"""


def judged(folder, first, answer, limits=LIMITS):
    """The verdict on bias_matrix in a hand-in that begins with `first` and answers with `answer`."""
    path = hand_in(folder / "eve.ipynb", "bias_by_hand", first, answer, checks=["bias_matrix"])
    return recheck.recheck(path, limits)[1]["bias_matrix"]


def function(body):
    return f"def bias_matrix(n, strength):\n    {body}"


PASSED, ENDED = ("passed", ""), ("did not finish", "Its code ended")
HOSTILE = {  # what it tries: its first cell, its bias_matrix, and how the verdict on that begins
    "loop for ever in a cell": ("while True: pass", RIGHT, PASSED),  # interrupted when the cell's time is up
    "loop through every except": (
        "def spin():\n    while True: pass\nwhile True:\n    try: spin()\n    except BaseException: pass", RIGHT,
        ("did not finish", "It used all its processor time"),
    ),
    "fork without end": (FORKS, RIGHT, ("did not finish", "It")),
    "fill the disk": ("for k in range(10**6): open(str(k), 'wb').write(bytes(10**7))", RIGHT, PASSED),  # memory only
    "use all memory": (MEMORY, RIGHT, ("did not finish", "It used more than 1 GB")),
    "print a forged result": (
        f"print({FORGED})", f"print({FORGED})\n" + function(f"print({FORGED}); return n * strength"),
        ("wrong shape", ""),
    ),
    "replace the checks": (REPLACED, function("return 0"), ("wrong values", "")),  # they are in another process
    "import the solution": ("", f"import importlib\nbias_matrix = {SOLUTION}", ("no answer", "After")),
    "ask the task for its solution": ("", "exec(task.bias_matrix.solution().text)", ("no answer", "After")),
    "kill every process": (KILLS, RIGHT, ENDED),  # in its namespace it meets nobody but itself
    "report that it passed": (
        REPORTS.format(report='{"name": "bias_matrix", "status": "passed", "begun": true}'), RIGHT,
        ("did not finish", "It wrote into"),
    ),
    "flood the judge's channel": (FLOODS, RIGHT, ENDED),
    "return a huge array": ("", function("return np.zeros((9**5, 999))"), ("did not finish", "It")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("tries", HOSTILE)
def test_a_hostile_hand_in_gets_what_its_answer_is_worth(tmp_path, tries, fenced):  # noqa: F811
    first, answer, (status, cause) = HOSTILE[tries]
    verdict = judged(tmp_path, first, answer)
    assert verdict[0] == status and verdict[1].startswith(cause), verdict


@pytest.mark.slow
def test_sleeping_ends_by_the_clock(tmp_path, fenced):  # noqa: F811
    verdict = judged(tmp_path, "import time; time.sleep(10**6)", RIGHT, fence.Limits(wall=1.0))
    assert verdict == ("did not finish", "It did not end within 1 seconds.")


@pytest.mark.slow
def test_nothing_that_it_started_outlives_it(tmp_path, monkeypatch, fenced):  # noqa: F811
    seconds, seen = str(10**6 + os.getpid()), []
    monkeypatch.setattr(fence, "memory", lambda number: seen.extend(sleeping(seconds)) or 0)
    waits = "\nimport time; time.sleep(10**6)"
    judged(tmp_path, LEAVES.format(seconds=seconds) + waits, RIGHT, fence.Limits(wall=20.0))
    assert seen, "nothing was started, so nothing was tested"
    while sleeping(seconds):  # for as long as it takes: a killed process takes a moment to go
        time.sleep(0.1)


def sleeping(seconds):
    """The processes that sleep for just so long."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has just ended
            found += [path.parent.name] * (path.read_text() == f"sleep\0{seconds}\0")
    return found


@pytest.mark.slow
def test_one_bad_answer_does_not_spoil_the_next(tmp_path, fenced):  # noqa: F811
    good = tasks_of("bias_by_hand")["scaled_scores"].solution_source()
    path = hand_in(tmp_path / "eve.ipynb", "bias_by_hand", function("import os; os._exit(0)"), good)
    verdicts = recheck.recheck(path, LIMITS)[1]
    assert verdicts["bias_matrix"][0] == "did not finish" and verdicts["scaled_scores"] == PASSED


def found_by(cell):
    """What a hand-in with this cell finds, which it names bias_matrix."""
    task = {"name": "bias_matrix", "starter": "", "call": None}
    request = recheck.data.write({"cells": [cell], "seconds": 9.0, "tasks": [task]})
    return recheck.data.read(fence.talk(request, LIMITS, time.monotonic() + 600)[0][1])["value"]


@pytest.mark.slow
def test_no_file_of_ours_can_be_read_or_changed(tmp_path, monkeypatch, fenced):  # noqa: F811
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("the teacher's")
    monkeypatch.setenv("HOME", str(home))
    ours = [home / "secret", tmp_path / "eve.ipynb", *ROOT.glob("solutions/02_*.ipynb"), "/etc/passwd"]
    ours += [ROOT / "course_tasks" / "bias_by_hand" / "2_bias_matrix.py", "/proc/1/environ"]
    (tmp_path / "eve.ipynb").touch()
    assert all(map(os.path.exists, ours))
    assert found_by(READS.format(paths=list(map(str, ours)))) == str(["FileNotFoundError"] * len(ours))
    before = {path: path.read_bytes() for path in (ROOT / "course_lib" / "__init__.py", Path(nbformat.__file__))}
    assert judged(tmp_path, WRITES.format(paths=[*map(str, before), "/usr/bin/evil"]), RIGHT) == PASSED
    assert {path: path.read_bytes() for path in before} == before and not Path("/usr/bin/evil").exists()


def test_the_box_holds_no_solution(tmp_path):
    fence.fill(tmp_path)
    names = {path.name for path in (tmp_path / "course_tasks").rglob("*") if path.is_file()}
    assert names == {"__init__.py", "given.py"} and not list(tmp_path.rglob("*.ipynb"))
    assert {init.read_text() for init in (tmp_path / "course_tasks").rglob("__init__.py")} == {fence.TASKS}


@pytest.mark.slow
def test_there_is_no_network_not_even_with_this_machine(fenced):  # noqa: F811
    with socket.create_server(("127.0.0.1", 0)) as server:
        asks = ASKS.format(host="127.0.0.1", port=server.getsockname()[1])
        assert found_by(asks) in ("Network is unreachable", "Connection refused")


@pytest.mark.slow
def test_without_a_fence_hand_ins_are_judged_and_the_teacher_is_warned(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fence, "refused", lambda: "bubblewrap is not installed")
    assert recheck.main([str(hand_in(tmp_path / "ada.ipynb", "bias_by_hand", RIGHT))]) == 0
    said, errors = capsys.readouterr()
    assert "ada.ipynb: bias_by_hand, 1 of" in said
    assert "a hand-in can read and change your files (the solutions too), use the network" in errors
    assert errors.strip().endswith("because bubblewrap is not installed.") and len(errors.splitlines()) == 1
