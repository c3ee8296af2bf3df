"""The memory of what was passed."""

import json

import pytest

from course_lib.tasks import record as memory

from .common import SLOPE, right


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "FILE", tmp_path / ".progress.json")
    monkeypatch.delenv(memory.OFF, raising=False)
    return tmp_path / ".progress.json"


def test_a_passed_task_of_a_chapter_is_remembered_once(file):
    from course_lib.tasks import ch02

    for _ in range(2):
        ch02.bias_matrix.check(ch02.bias_matrix.right)
    assert json.loads(file.read_text()) == ["ch02.bias_matrix"]
    ch02.bias_matrix.check(None)
    ch02.scaled_scores.check(lambda q, k: 0)
    SLOPE.check(right)
    assert memory.passed_tasks() == {"ch02.bias_matrix"}
    ch02.neighbour.check(ch02.neighbour.expected())
    assert memory.passed_tasks() == {"ch02.bias_matrix", "ch02.neighbour"}
    assert [path.name for path in file.parent.iterdir()] == [".progress.json"]


@pytest.mark.parametrize("damage", [b"", b"{", b"7", b'{"a": [1]}', b"[[1]]", b"[1, null]", b"\xff\xfe", b"null"])
def test_a_damaged_file_is_harmless(file, damage):
    file.write_bytes(damage)
    memory.record("course_lib.tasks.ch02.scores", "bias_matrix")
    assert "ch02.bias_matrix" in memory.passed_tasks()
    assert all(isinstance(name, str) for name in memory.passed_tasks())


def test_a_place_where_nothing_can_be_written_is_harmless(tmp_path, monkeypatch):
    monkeypatch.delenv(memory.OFF, raising=False)
    (tmp_path / "a file").write_text("")
    for place in (tmp_path / "a file" / "progress.json", tmp_path / "missing" / "progress.json", tmp_path):
        monkeypatch.setattr(memory, "FILE", place)
        memory.record("course_lib.tasks.ch02", "bias_matrix")
        assert memory.passed_tasks() == set()
