"""An author is told what is not whole in a task."""

import re

import pytest

from course_lib.checking.slips import read_pieces, read_slips

from .common import SLOPE, slope_task


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(hints=[]), "hints=[]"),
        (dict(hints=["one", ""]), "hints="),
        (dict(difficulty=4), "difficulty=4: expected 1, 2 or 3"),
        (dict(minutes=0), "minutes=0"),
        (dict(title=" "), "title="),
        (dict(words=""), "words="),
        (dict(cases=[]), "cases=[]"),
        (dict(expected=None), "expected=None"),
        (dict(seconds=0), "seconds=0"),
    ],
)
def test_an_author_is_told_what_is_not_whole(changes, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        slope_task(**changes)
    assert "CodingTask slope" in str(caught.value)


@pytest.mark.parametrize(("old", "count"), [("n", 8), ("nowhere", 0)])
def test_a_slip_must_match_exactly_once(old, count):
    with pytest.raises(ValueError, match=rf"slope: '{old}' is found {count} times .* expected once"):
        SLOPE.source.variant([(old, "x")])


def test_what_is_no_slip_or_piece_is_refused():
    with pytest.raises(ValueError, match="expected `old → new`, and below it a sentence"):
        read_slips("a + b\n    No arrow.")
    with pytest.raises(ValueError, match="expected `old → new`"):
        read_slips("a → b")
    with pytest.raises(ValueError, match="expected one line of code, and below it `name: fact`"):
        read_pieces("a + b\n    A fact without a name")
    with pytest.raises(ValueError, match="piece 'nowhere': not in the solution"):
        slope_task(pieces="nowhere\n    the name: A fact.").wrong_programs.made_of_pieces  # noqa: B018


def test_a_random_case_is_the_same_for_the_same_seed():
    assert SLOPE.spec.random_case(5).args == SLOPE.spec.random_case(5).args != SLOPE.spec.random_case(6).args
