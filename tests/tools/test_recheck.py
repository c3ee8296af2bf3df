"""The re-check of handed-in notebooks: what each answer is worth, whatever stands in the learner's outputs."""

import csv
import os
from importlib import import_module
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from course_kit.checking import CodingTask, Prediction
from course_tasks import tasks_of, topics
from tools import recheck
from tools.judge import data, fence

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
    if not isinstance(task, CodingTask):
        return not isinstance(task, Prediction)
    return bool(task.afterwards)


WRONG = {  # answers, and what has to cross for the check to say the same as in the notebook
    "bias_by_hand/bias_matrix": [
        "def bias_matrix(n, strength):\n    return strength * np.log1p(abs(np.arange(n) - np.arange(n)[:, None]))",
        "def bias_matrix(n, strength):\n    return np.zeros((n, n))",  # a parameter is never read
        "def bias_matrix(n, strength):\n    return [[0.0], [1.0, 2.0]]",
        "def bias_matrix(n, strength):\n    while True:\n        pass",
        "def bias_matrix(n, strength):\n    return zip(range(n))",
        "def bias_matrix(n, strength):\n    ...",
        "class Evil:\n    def __reduce__(self): return exit, ()\ndef bias_matrix(n, strength):\n    return Evil()",
    ],
    "bias_by_hand/biased_attention": [
        "def biased_attention(q, k, v, bias):\n    return q @ k.T",  # two parts are wanted
        "def biased_attention(q, k, v, bias):\n    q *= 2\n    return q @ k.T + bias, v",  # it writes into an argument
    ],
    "bias_by_hand/biased_attention_torch": [
        "def biased_attention_torch(q, k, v, bias):\n    return (q @ k.mT + bias).softmax(-1) @ v",
    ],
    "bias_by_hand/self_dominates": [
        "self_dominates = {'largest': 2, 'more than half': 1.0}",
        "self_dominates = {'largest': print, 'more than half': ...}",
        "self_dominates = [1, 2]",
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
        "def square_root_decay(self, n_q, n_k, past):\n    return np.zeros(n_q)",
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
    hand_in(tmp_path / "ada.ipynb", "bias_by_hand", right, "1 / 0", checks=("bias_matrix", "scaled_scores"))
    hand_in(tmp_path / "ben.ipynb", "bias_by_hand", right, "import os\nos._exit(0)")
    (tmp_path / "cem.ipynb").write_text("my answers")
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "dan.ipynb")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    table = tmp_path / "marks.csv"
    code = recheck.main(["--csv", str(table), str(tmp_path / "*.ipynb"), "none.ipynb"])  # a star, as Windows gives it
    said, errors = capsys.readouterr()
    assert code == 1  # three of the files could not be judged
    assert f"ada.ipynb: bias_by_hand, 1 of {len(tasks)} passed\n  no answer: scaled_scores\n" in said
    assert "cem.ipynb: cannot be read as a notebook" in errors and "none.ipynb: cannot be read" in errors
    assert "dan.ipynb: expected one line `from course_tasks import TOPIC as task`" in errors
    assert {path: path.read_bytes() for path in before} == before
    rows = {(row["learner"], row["task"]): row for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert rows["ada", "bias_by_hand.bias_matrix"]["status"] == "passed"
    assert rows["ada", "bias_by_hand.causal_weights"]["status"] == "no check cell"
    assert rows["ada", "bias_by_hand.scaled_scores"]["cause"] == "After all cells, there is no `scaled_scores`."
    assert rows["ben", "bias_by_hand.bias_matrix"]["cause"].startswith("Its code ended the process")
    assert {rows[learner, ""]["status"] for learner in ("cem", "dan", "none")} == {"not judged"}


def test_a_table_names_the_learner_and_obeys_nobody():
    assert recheck.learner(Path("hand-ins/ada.ipynb")) == "ada"
    assert recheck.learner(Path("collected/ada/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.learner(Path("submitted/ada/bias_by_hand/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.written("=cmd()", "−1", "-1", "\x1b[2Jgone") == ["'=cmd()", "−1", "'-1", " [2Jgone"]


def test_a_table_that_cannot_be_written_is_refused_before_the_work_begins(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        recheck.main([str(tmp_path / "none.ipynb"), "--csv", str(tmp_path / "no folder" / "marks.csv")])
    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("value", [
    None, True, 1, 1.5, "a word", ..., np.arange(6).reshape(2, 3).T, np.zeros((0, 2)), np.array(["a", "bc"]),
    np.float16([1, np.nan]), [1, [2, {"a": 3}]], torch.ones(2, 3), data.exact([(1, 2)]),
], ids=str)  # fmt: skip
def test_a_value_comes_across_as_it_is(value):
    found = data.read(data.write({"value": value}))["value"]
    if isinstance(value, (np.ndarray, torch.Tensor)):
        assert type(found) is type(value) and found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)
    else:
        assert found == ([(1, 2)] if value == data.exact([(1, 2)]) else value)


@pytest.mark.parametrize("line", [
    b"[1]", b"no data", b'{"a": {"kind of value": "array", "dtype": "O", "shape": [1], "bytes": ""}}', b"[" * 100_000,
    b'{"a": {"kind of value": "array", "dtype": "f8", "shape": [1000000000000], "bytes": ""}}',
    b'{"a": {"kind of value": "thing", "name": 1, "steps": 0}}',
], ids=lambda line: line[:30].decode())  # fmt: skip
def test_data_that_nobody_writes_is_empty(line):
    assert data.read(line) == {}


def test_only_a_hand_in_gets_an_object_of_ours():
    line = b'{"a": {"kind of value": "given", "module": "os", "name": "system"}}'
    assert isinstance(data.read(line)["a"], dict) and callable(data.read(line, lent=True)["a"])
