"""No recorded wrong answer passes, every right one does, and each check names as many causes as it did."""

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
