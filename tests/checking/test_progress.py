"""The memory of what was passed."""

import json

import pytest

from course_kit.checking import record as memory

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
