"""Each recorded answer still gets what the transcript says; a change is written down by `tests/tasks/transcript.py`."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ..imports import ROOT, digest, needed
from . import transcript

EXERCISES = transcript.exercises()
VERSIONS = (sys.version, *map(version, ("numpy", "torch")))


def depends_on(key):
    """The files that decide what a check says to the recorded answers."""
    data = ROOT.glob("course_lib/study/committed/*")
    own = Path(transcript.__file__), transcript.FOLDER / f"{key}.jsonl"
    return {*needed(EXERCISES[key].origin()[0].resolve(), Path(__file__).resolve()), *own, *data}


def comparable(entry):
    """An entry without Python's own words for an error, which differ from version to version."""
    return {**entry, "facts": entry["facts"][:1]} if entry["status"] == "raised" else entry


def _told(entry):
    """What the check said, in one line."""
    return " ".join([entry["status"] + ":", *entry["facts"], entry["cause"] or "(no cause)"])


def test_every_exercise_has_recorded_answers():
    assert sorted(EXERCISES) == sorted(
        path.relative_to(transcript.FOLDER).with_suffix("").as_posix() for path in transcript.FOLDER.rglob("*.jsonl")
    )
    assert all(len(transcript.read(key)) > 2 for key in EXERCISES)


@pytest.mark.parametrize("key", EXERCISES)
def test_the_check_says_what_was_recorded(key, cache):
    """What has passed is asked again only when something that it depends on has changed."""
    now = digest(depends_on(key), *VERSIONS)
    if cache.get(f"course/transcript/{key}", None) == now:
        return
    before = transcript.read(key)
    after = [transcript.answered(EXERCISES[key], entry) for entry in before]
    assert not list(transcript.lost(before, after)), "a named cause is lost"
    pairs = [(old, new) for old, new in zip(before, after) if comparable(old) != comparable(new)]
    changed = [f"{old['source']}\n    was: {_told(old)}\n    now: {_told(new)}" for old, new in pairs]
    if changed:
        how = f"Read the changes, then write them down: .venv/bin/python -m tests.tasks.transcript {key}"
        pytest.fail("\n\n".join([f"Changed answers: {len(changed)}.", *changed[:5], how]), pytrace=False)
    cache.set(f"course/transcript/{key}", now)


def test_a_lost_cause_is_found():
    named = {"source": "f", "status": "wrong values", "cause": "The sign is wrong.", "how": "named"}
    narrowed = {**named, "cause": "Only the diagonal is wrong.", "how": "narrowed"}
    assert list(transcript.lost([named, narrowed], [narrowed, named])) == [
        "f\n    was: The sign is wrong.\n    now: wrong values, Only the diagonal is wrong."
    ]
