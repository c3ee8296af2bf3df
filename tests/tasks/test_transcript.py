"""No recorded wrong answer passes, every right one does, and each cause that was named is named."""

import pytest

from tools import transcript

EXERCISES = transcript.exercises()
FIRST = 10  # answers to a task, which are tried in every run of the tests, as the right ones are


def test_every_task_has_answers_and_every_file_its_task():
    assert set(transcript.FOLDER.glob("*/answers/*.jsonl")) == set(map(transcript.file, EXERCISES))


def check_answers(key, is_tried):
    for k, entry in enumerate(transcript.read(key)):
        if is_tried(k, entry):
            result = transcript.answered(EXERCISES[key], entry)
            assert result.passed == ("right" in entry), (entry["source"], result)
            assert result.passed or result.named or "unnamed" in entry, (entry["source"], result)


def test_an_answer_in_a_file_is_judged_aloud_and_recorded(tmp_path, monkeypatch, capsys):
    recorded, mine = tmp_path / "rope.jsonl", tmp_path / "mine.py"
    recorded.touch()
    mine.write_text("def bias_matrix(n, strength):\n    return [[7.5] * n] * n\n", encoding="utf-8")
    monkeypatch.setattr(transcript, "file", lambda key: recorded)
    transcript.main("bias_by_hand/bias_matrix", str(mine))
    assert "✗ wrong values: The bias matrix" in capsys.readouterr().out
    (entry,) = transcript.read("bias_by_hand/bias_matrix")
    assert (entry["from"], entry["source"]) == ("mistake", mine.read_text(encoding="utf-8"))
    with pytest.raises(SystemExit, match="nonsense: expected a topic and its task"):
        transcript.main("nonsense")


@pytest.mark.parametrize("key", EXERCISES)
def test_the_first_answers_and_the_right_ones(key):
    check_answers(key, lambda k, entry: k < FIRST or "right" in entry)


@pytest.mark.slow
@pytest.mark.parametrize("key", EXERCISES)
def test_the_other_answers(key):
    check_answers(key, lambda k, entry: k >= FIRST and "right" not in entry)
