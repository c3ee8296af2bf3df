"""No recorded wrong answer passes, every right one does, and each cause that was named is named."""

import pytest

from . import transcript

EXERCISES = transcript.exercises()
FIRST = 10  # answers to a task, which are tried in every run of the tests, as the right ones are


def test_every_task_has_answers_and_every_file_its_task():
    files = transcript.FOLDER.rglob("*.jsonl")
    recorded = {path.relative_to(transcript.FOLDER).with_suffix("").as_posix() for path in files}
    assert recorded == EXERCISES.keys() == transcript.unnamed().keys()


def check_answers(key, is_tried):
    unnamed = transcript.unnamed()[key]
    for k, entry in enumerate(transcript.read(key)):
        if is_tried(k, entry):
            result = transcript.answered(EXERCISES[key], entry)
            assert result.passed == ("right" in entry), (entry["source"], result)
            assert result.passed or result.known or k in unnamed, (entry["source"], result)


@pytest.mark.parametrize("key", EXERCISES)
def test_the_first_answers_and_the_right_ones(key):
    check_answers(key, lambda k, entry: k < FIRST or "right" in entry)


@pytest.mark.slow
@pytest.mark.parametrize("key", EXERCISES)
def test_the_other_answers(key):
    check_answers(key, lambda k, entry: k >= FIRST and "right" not in entry)
