"""No recorded wrong answer passes, every right one does, and each check names as many causes as it did."""

import json

import pytest

from . import transcript

EXERCISES = transcript.exercises()


def test_every_task_has_answers_and_every_file_its_task():
    files = transcript.FOLDER.rglob("*.jsonl")
    recorded = {path.relative_to(transcript.FOLDER).with_suffix("").as_posix() for path in files}
    assert recorded == EXERCISES.keys() == transcript.named().keys()


def check_answers(key, part):
    task, count = EXERCISES[key], 0
    for k, entry in enumerate(transcript.read(key)):
        if part == "first" and k >= transcript.FIRST and "right" not in entry:
            continue
        result = transcript.answered(task, entry)
        assert result.passed == ("right" in entry), (entry["source"], result)
        count += transcript.counts(entry, result)
    told = f"fewer causes are named than before: .venv/bin/python -m tests.tasks.transcript {key} shows which"
    assert count >= transcript.named()[key][part], told


@pytest.mark.parametrize("key", EXERCISES)
def test_the_first_answers(key):
    check_answers(key, "first")


@pytest.mark.slow
@pytest.mark.parametrize("key", EXERCISES)
def test_all_answers(key):
    check_answers(key, "all")


def test_a_false_cause_is_no_gain():
    task = EXERCISES["bias_by_hand/bias_matrix"]
    entry = next(entry for entry in transcript.read("bias_by_hand/bias_matrix") if "right" not in entry)
    result = transcript.answered(task, entry)
    assert result.known and transcript.counts(entry, result)
    assert not transcript.counts({**entry, "false": True}, result)


def test_a_lower_count_is_not_written_by_itself(tmp_path, monkeypatch, capsys):
    key = "bias_by_hand/bias_matrix"
    file = tmp_path / "named.json"
    many = {"first": 0, "all": 1000}
    file.write_text(json.dumps({key: many}), encoding="utf-8")
    monkeypatch.setattr(transcript, "NAMED", file)
    assert transcript.main([key]) == 1 and transcript.named() == {key: many}
    assert "nothing is written" in capsys.readouterr().out
    assert transcript.main([key, "--lower"]) == 0 and 3 < transcript.named()[key]["all"] < 1000
