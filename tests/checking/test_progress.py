"""The memory of what was passed."""

import json

import pytest

from course_chapters.progress import progress
from course_kit.checking import record as memory

from .common import SLOPE, right


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "FILE", tmp_path / ".progress.json")
    monkeypatch.delenv(memory.OFF, raising=False)
    return tmp_path / ".progress.json"


def test_a_passed_task_of_a_chapter_is_remembered_once(file):
    from course_chapters.bias_by_hand import tasks as task

    for _ in range(2):
        task.bias_matrix.check(task.bias_matrix.spec.solution)
    assert json.loads(file.read_text()) == ["bias_by_hand.bias_matrix"]
    task.bias_matrix.check(None)
    task.causal_weights.check(lambda scores, bias: 0)
    SLOPE.check(right)
    task.self_dominates.check(task.self_dominates.expected())
    assert memory.passed_tasks() == {"bias_by_hand.bias_matrix", "bias_by_hand.self_dominates"}
    assert [path.name for path in file.parent.iterdir()] == [".progress.json"]
    assert repr(progress()).startswith("2 of ") and "✓ The bias matrix" in repr(progress())
    assert repr(progress("bias_by_hand")).startswith("2 of 5 tasks")
    assert repr(progress("rope")).startswith("0 of 3 tasks")
    with pytest.raises(ValueError, match="expected topics that have tasks"):
        progress("start_here")


@pytest.mark.parametrize("damage", [b"{", b"7", b"[[1]]", b"\xff\xfe"])
def test_a_damaged_file_is_harmless(file, damage):
    file.write_bytes(damage)
    memory.record("course_chapters.bias_by_hand.tasks.scores", "bias_matrix")
    assert memory.passed_tasks() == {"bias_by_hand.bias_matrix"}


def test_a_place_where_nothing_can_be_written_is_harmless(file):
    file.mkdir()
    memory.record("course_chapters.bias_by_hand.tasks", "bias_matrix")
    assert memory.passed_tasks() == set()
