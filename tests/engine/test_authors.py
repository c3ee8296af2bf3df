"""An author is told what is not whole in a task."""

import re

import pytest

from course_lib.tasks.engine import Mistake
from course_lib.tasks.engine.source import Source

from .common import SLOPE, right, slope_task


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
    assert "Task slope" in str(caught.value)


def test_a_substitution_must_match_exactly_once():
    for old, count in (("j", 2), ("nowhere", 0)):
        with pytest.raises(ValueError, match=rf"old='{old}' is found \d+ times .* expected once") as caught:
            SLOPE.variant(Mistake(old, "x", "Words."))
        assert str(caught.value).startswith("slope") and count != 1
    for wrong in (("old", "new"), ("only",), (right, ""), ("a", "b", "c", "d"), ()):
        if len(wrong) != 2 or not wrong[1]:
            with pytest.raises(ValueError, match="expected \\(old, new, message\\)"):
                Mistake(*wrong)


def test_a_solution_without_docstring_is_refused():
    def bare(x):
        return x

    with pytest.raises(ValueError, match="expected a def with a docstring and a body below it"):
        Source(bare, "bare")


def test_a_random_case_is_the_same_for_the_same_seed():
    assert SLOPE.random_case(5).args == SLOPE.random_case(5).args != SLOPE.random_case(6).args
