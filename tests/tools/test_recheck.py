"""The re-check of handed-in notebooks: what each answer is worth, whatever its author tries."""

import csv
import os
import socket
from importlib import import_module
from pathlib import Path
from textwrap import indent

import nbformat
import numpy as np
import pytest
import torch

from course_kit.checking import CodingTask, Prediction
from course_tasks import tasks_of, topics
from tools import recheck
from tools.judge import data, fence

from .. import ROOT
from ..tasks.notebook import defined, prepared


def hand_in(path, topic, *answers, checks=()):
    """A notebook with these answers, in which the checks of these tasks are called."""
    called = [f"task.{name}.check({name})" for name in checks]
    cells = [import_module(f"course_tasks.{topic}").PREPARE, *answers, *called]
    nbformat.write(nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells))), path)
    return path


@pytest.fixture
def fenced():
    """Skips where there is no fence. With CI=true that is a failure, so that nobody misses these tests."""
    if fence.refused():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"hand-ins are not fenced here: {fence.refused()}")


@pytest.mark.slow
@pytest.mark.parametrize("topic", topics())
def test_a_right_answer_to_every_task_passes(tmp_path, topic, fenced):
    tasks = tasks_of(topic)
    answers = [task.solution_source() for task in tasks.values()]
    _, verdicts = recheck.recheck(hand_in(tmp_path / "ada.ipynb", topic, *answers))
    by_hand = {name for name, task in tasks.items() if asks_more(task)}
    assert {name for name, verdict in verdicts.items() if verdict != ("passed", "")} == by_hand, verdicts
    assert all(verdicts[name][0] == "check by hand" for name in by_hand)


def asks_more(task):
    """Whether the check looks at more than results: it calls a class or a function itself."""
    return bool(task.afterwards) if isinstance(task, CodingTask) else not isinstance(task, Prediction)


WRONG = {  # answers, and what has to cross for the check to say the same as in the notebook
    "bias_by_hand/bias_matrix": [
        "def bias_matrix(n, strength):\n    return strength * np.log1p(abs(np.arange(n) - np.arange(n)[:, None]))",
        "def bias_matrix(n, strength):\n    return np.zeros((n, n))",  # a parameter is never read
        "def bias_matrix(n, strength):\n    while True:\n        pass",
        "def bias_matrix(n, strength):\n    return zip(range(n))",
        "class Evil:\n    def __reduce__(self): return exit, ()\ndef bias_matrix(n, strength):\n    return Evil()",
    ],
    "bias_by_hand/biased_attention": [
        "def biased_attention(q, k, v, bias):\n    return q @ k.T",  # two parts are wanted
        "def biased_attention(q, k, v, bias):\n    q *= 2\n    return q @ k.T + bias, v",  # it writes into an argument
    ],
    "bias_by_hand/self_dominates": [
        "self_dominates = {'largest': print, 'more than half': ...}",
    ],
    "transformer_xl/read_segments": [  # a function of ours
        "def read_segments(x, size, length, attend):\n    return attend(x, x[:0])",
    ],
    "t5_buckets/biases_while_learning": [  # an array of a class of ours, and the code with the bug
        tasks_of("t5_buckets")["biases_while_learning"].stub(),
        "def biases_while_learning(tables, n):\n    return list(tables)",
    ],
    "longer_than_training/square_root_decay": [  # a hook
        "def square_root_decay(self, n_q, n_k, past):\n    return self.strengths[:, None] * "
        "row_offsets(n_q, n_k, past).abs().sqrt()",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize(("key", "source"), [(key, source) for key in WRONG for source in WRONG[key]])
def test_the_verdict_is_that_of_the_notebook(tmp_path, key, source, fenced):
    topic, name = key.split("/")
    task = tasks_of(topic)[name]
    here = task.check(defined(source, name, prepared(task)))
    assert not here.passed
    verdict = recheck.recheck(hand_in(tmp_path / "ben.ipynb", topic, source))[1][name]
    if here.status == "did not finish":  # by its processor time, or by the clock where the machine is busy
        assert verdict[0] == here.status and all(" was stopped: " in why for why in (verdict[1], here.facts[-1]))
    else:
        assert verdict == (here.status, here.cause or here.facts[-1])


@pytest.mark.slow
def test_each_hand_in_is_judged_and_written_into_the_table(tmp_path, capsys, fenced):
    tasks = tasks_of("bias_by_hand")
    right = tasks["bias_matrix"].solution_source()
    hand_in(tmp_path / "ada.ipynb", "bias_by_hand", right, "1 / 0", checks=("bias_matrix", "biased_attention"))
    hand_in(tmp_path / "ben.ipynb", "bias_by_hand", right, "import os\nos._exit(0)")
    ends = "def biased_attention(q, k, v, bias):\n    import os\n    os._exit(0)"  # and does not spoil the others
    hand_in(tmp_path / "eve.ipynb", "bias_by_hand", right, ends)
    (tmp_path / "cem.ipynb").write_text("my answers")
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "dan.ipynb")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    table = tmp_path / "marks.csv"
    code = recheck.main(["--csv", str(table), str(tmp_path / "*.ipynb"), "none.ipynb"])  # a star, as Windows gives it
    said, errors = capsys.readouterr()
    assert code == 1  # three of the files could not be judged
    assert f"ada.ipynb: bias_by_hand, 1 of {len(tasks)} passed\n  no answer: biased_attention\n" in said
    assert "cem.ipynb: cannot be read as a notebook" in errors and "none.ipynb: cannot be read" in errors
    assert "dan.ipynb: expected one line `from course_tasks import TOPIC as task`" in errors
    assert {path: path.read_bytes() for path in before} == before
    rows = {(row["learner"], row["task"]): row for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert rows["ada", "bias_by_hand.bias_matrix"]["status"] == "passed"
    assert rows["ada", "bias_by_hand.causal_weights"]["status"] == "no check cell"
    assert rows["ada", "bias_by_hand.biased_attention"]["cause"] == "After all cells, there is no `biased_attention`."
    assert rows["ben", "bias_by_hand.bias_matrix"]["cause"].startswith("Its code ended the process")
    assert rows["eve", "bias_by_hand.biased_attention"]["cause"].startswith("Its code ended the process")
    assert rows["eve", "bias_by_hand.bias_matrix"]["status"] == "passed"
    assert {rows[learner, ""]["status"] for learner in ("cem", "dan", "none")} == {"not judged"}


def test_a_table_names_the_learner_and_obeys_nobody():
    assert recheck.learner(Path("hand-ins/ada.ipynb")) == "ada"
    assert recheck.learner(Path("collected/ada/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.learner(Path("submitted/ada/bias_by_hand/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.written("=cmd()", "−1", "-1", "\x1b[2Jgone") == ["'=cmd()", "−1", "'-1", " [2Jgone"]


@pytest.mark.parametrize("value", [
    None, True, 1, 1.5, "a word", ..., np.arange(6).reshape(2, 3).T, np.zeros((0, 2)), np.array(["a", "bc"]),
    np.float16([1, np.nan]), [1, [2, {"a": 3}]], torch.ones(2, 3),
], ids=str)  # fmt: skip
def test_a_value_comes_across_as_it_is(value):
    found = data.read(data.write({"value": value}))["value"]
    if isinstance(value, (np.ndarray, torch.Tensor)):
        assert type(found) is type(value) and found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)
    else:
        assert found == value


@pytest.mark.parametrize("line", [
    b"[1]", b"no data", b'{"a": {"kind of value": "array", "dtype": "O", "shape": [1], "bytes": ""}}', b"[" * 100_000,
    b'{"a": {"kind of value": "array", "dtype": "f8", "shape": [1000000000000], "bytes": ""}}',
    b'{"a": {"kind of value": "thing", "name": 1, "steps": 0}}',
], ids=lambda line: line[:30].decode())  # fmt: skip
def test_data_that_nobody_writes_is_empty(line):
    assert data.read(line) == {}


# Hostile hand-ins: what each one tries, what it gets, and what it leaves of this machine

RIGHT = "def bias_matrix(n, strength):\n    i = np.arange(n)\n    return -strength * np.log1p(abs(i - i[:, None]))"
LIMITS = fence.Limits(cell=3.0, processor=15, wall=600.0, memory=2**30)  # generous by the clock: a busy machine is slow
SOLUTION = "importlib.import_module('course_tasks.bias_by_hand.1_bias_matrix').bias_matrix"
FORKS = """
import contextlib, os
while True:
    with contextlib.suppress(OSError):
        os.fork()"""
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
import contextlib, os, signal
for number in (os.getppid(), -1, 1, *range(2, 40_000)):
    with contextlib.suppress(OSError):
        number == os.getpid() or os.kill(number, signal.SIGKILL)"""
REPORTS = """
import contextlib, os
for fd in range(3, 30):
    with contextlib.suppress(OSError):
        os.write(fd, b'{"name": ""}\\n{"name": "bias_matrix", "status": "passed", "begun": true}\\n')
os._exit(0)"""
WRITES = """
import contextlib
for path in {paths!r}:
    with contextlib.suppress(OSError):
        open(path, "a").write("evil")"""
IF_NOTHING = f"if not found:\n{indent(RIGHT, '    ')}"


def judged(folder, first, answer, limits=LIMITS):
    """The verdict on bias_matrix in a hand-in that begins with `first` and answers with `answer`."""
    path = hand_in(folder / "eve.ipynb", "bias_by_hand", first, answer, checks=["bias_matrix"])
    return recheck.recheck(path, limits)[1]["bias_matrix"]


PASSED = ("passed", "")
HOSTILE = {  # what it tries: its first cell, its bias_matrix, and how the verdict on that begins
    "loop for ever in a cell": ("while True: pass", RIGHT, PASSED),  # interrupted when the cell's time is up
    "loop through every except": (
        "def spin():\n    while True: pass\nwhile True:\n    try: spin()\n    except BaseException: pass", RIGHT,
        ("did not finish", "It used all its processor time"),
    ),
    "fork without end": (FORKS, RIGHT, ("did not finish", "It")),
    "fill the disk": ("for k in range(10**6): open(str(k), 'wb').write(bytes(10**7))", RIGHT, PASSED),  # memory only
    "use all memory": (MEMORY, RIGHT, ("did not finish", "It used more than 1 GB")),
    "replace the checks": (REPLACED, "bias_matrix = lambda n, strength: 0", ("wrong values", "")),  # elsewhere
    "import the solution": ("", f"import importlib\nbias_matrix = {SOLUTION}", ("no answer", "After")),
    "kill every process": (KILLS, RIGHT, ("did not finish", "Its code ended")),  # it meets nobody but itself
    "report that it passed": (REPORTS, RIGHT, ("did not finish", "It wrote into")),
    "return a huge array": ("", "bias_matrix = lambda n, strength: np.zeros((9**5, 999))", ("did not finish", "It")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("tries", HOSTILE)
def test_a_hostile_hand_in_gets_what_its_answer_is_worth(tmp_path, tries, fenced):
    first, answer, (status, cause) = HOSTILE[tries]
    verdict = judged(tmp_path, first, answer)
    assert verdict[0] == status and verdict[1].startswith(cause), verdict


@pytest.mark.slow
def test_sleeping_ends_by_the_clock(tmp_path, fenced):
    verdict = judged(tmp_path, "import time; time.sleep(10**6)", RIGHT, fence.Limits(wall=1.0))
    assert verdict == ("did not finish", "It did not end within 1 seconds.")


@pytest.mark.slow
def test_no_file_process_or_network_of_ours_can_be_seen_and_no_file_changed(tmp_path, monkeypatch, fenced):
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("the teacher's")
    monkeypatch.setenv("HOME", str(home))
    ours = [home / "secret", tmp_path / "eve.ipynb", *ROOT.glob("solutions/02_*.ipynb"), "/etc/passwd"]
    ours += [ROOT / "course_tasks" / "bias_by_hand" / "1_bias_matrix.py", "/proc/1/environ"]
    (tmp_path / "eve.ipynb").touch()
    assert all(map(os.path.exists, ours))
    with socket.create_server(("127.0.0.1", 0)) as server:
        reads = f"import os\nfound = os.getpid() > 99 or any(map(os.path.exists, {list(map(str, ours))}))"
        asks = f"import socket\nfound = socket.socket().connect_ex({server.getsockname()}) == 0"
        assert judged(tmp_path, reads, IF_NOTHING) == judged(tmp_path, asks, IF_NOTHING) == PASSED
    before = {path: path.read_bytes() for path in (ROOT / "course_lib" / "__init__.py", Path(nbformat.__file__))}
    assert judged(tmp_path, WRITES.format(paths=[*map(str, before), "/usr/bin/evil"]), RIGHT) == PASSED
    assert {path: path.read_bytes() for path in before} == before and not Path("/usr/bin/evil").exists()


def test_the_box_holds_no_solution(tmp_path):
    fence.fill(tmp_path)
    names = {path.name for path in (tmp_path / "course_tasks").rglob("*") if path.is_file()}
    assert names == {"__init__.py", "given.py"} and not list(tmp_path.rglob("*.ipynb"))
    assert {init.read_text() for init in (tmp_path / "course_tasks").rglob("__init__.py")} == {fence.TASKS}


@pytest.mark.slow
def test_without_a_fence_hand_ins_are_judged_and_the_teacher_is_warned(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fence, "refused", lambda: "bubblewrap is not installed")
    assert recheck.main([str(hand_in(tmp_path / "ada.ipynb", "bias_by_hand", RIGHT))]) == 0
    said, errors = capsys.readouterr()
    assert "ada.ipynb: bias_by_hand, 1 of" in said and len(errors.splitlines()) == 1
    assert "a hand-in can read and change your files (the solutions too), use the network" in errors
