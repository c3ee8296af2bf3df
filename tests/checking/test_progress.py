"""The memory of what was passed."""

import json

import pytest

from course_lib.checking import record as memory
from course_tasks import tasks_of, topics
from course_tasks.progress import progress

from .common import SLOPE, right


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "FILE", tmp_path / ".progress.json")
    monkeypatch.delenv(memory.OFF, raising=False)
    return tmp_path / ".progress.json"


def test_a_passed_task_of_a_chapter_is_remembered_once(file):
    from course_tasks import bias_by_hand as task

    for _ in range(2):
        task.bias_matrix.check(task.bias_matrix.spec.solution)
    assert json.loads(file.read_text()) == ["bias_by_hand.bias_matrix"]
    task.bias_matrix.check(None)
    task.scaled_scores.check(lambda q, k: 0)
    SLOPE.check(right)
    assert memory.passed_tasks() == {"bias_by_hand.bias_matrix"}
    task.self_dominates.check(task.self_dominates.expected())
    assert memory.passed_tasks() == {"bias_by_hand.bias_matrix", "bias_by_hand.self_dominates"}
    assert [path.name for path in file.parent.iterdir()] == [".progress.json"]


@pytest.mark.parametrize("damage", [b"", b"{", b"7", b'{"a": [1]}', b"[[1]]", b"[1, null]", b"\xff\xfe", b"null"])
def test_a_damaged_file_is_harmless(file, damage):
    file.write_bytes(damage)
    memory.record("course_tasks.bias_by_hand.scores", "bias_matrix")
    assert "bias_by_hand.bias_matrix" in memory.passed_tasks()
    assert all(isinstance(name, str) for name in memory.passed_tasks())


def test_a_place_where_nothing_can_be_written_is_harmless(tmp_path, monkeypatch):
    monkeypatch.delenv(memory.OFF, raising=False)
    (tmp_path / "a file").write_text("")
    for place in (tmp_path / "a file" / "progress.json", tmp_path / "missing" / "progress.json", tmp_path):
        monkeypatch.setattr(memory, "FILE", place)
        memory.record("course_tasks.bias_by_hand", "bias_matrix")
        assert memory.passed_tasks() == set()


NEW = {"positions_from_output", "clocks_by_hand", "same_weights"}  # since version 0.2
NEW_TOPICS = {"stretching_rope", "windows_and_sinks"}


def test_what_was_passed_in_the_numbered_chapters_of_version_0_1_counts_today(file):
    """Every task of today is found by its old name; two tasks with the same name stay apart."""
    numbers = {topic: number for number, topic in memory.FORMER.items()}
    numbers |= {topic: number for number, (topic, _) in memory.MOVED.items()}
    assert set(topics()) - numbers.keys() == NEW_TOPICS
    names = [(topic, name) for topic in numbers.keys() & set(topics()) for name in tasks_of(topic) if name not in NEW]
    new = len(NEW) + sum(len(tasks_of(topic)) for topic in NEW_TOPICS)
    old = {f"{numbers[topic]}.{name}": f"{topic}.{name}" for topic, name in names}
    file.write_text(json.dumps(sorted(old)))
    assert memory.passed_tasks() == set(old.values())
    assert len(old) == progress().passed == progress().total - new
    file.write_text(json.dumps(["ch09.decode_step"]))
    assert memory.passed_tasks() == {"fast_attention.decode_step"}
    assert [c.passed for c in progress().chapters if c.passed] == [{"decode_step"}]
    memory.record("course_tasks.fast_attention.decoding", "decode_step")  # already there, under its old name
    memory.record("course_tasks.alibi.slopes", "alibi_slopes")
    assert json.loads(file.read_text()) == ["alibi.alibi_slopes", "fast_attention.decode_step"]


def test_a_saved_notebook_of_version_0_1_learns_where_its_tasks_are_now():
    with pytest.raises(ImportError, match=r"The tasks have moved\. Open the exercises again .* found by its topic"):
        exec("from course_lib.tasks import ch02 as task")
