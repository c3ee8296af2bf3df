"""An author is told what is not whole in a task."""

import re

import pytest

from .common import slope_task


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
        (dict(seconds=0), "seconds=0"),
    ],
)
def test_an_author_is_told_what_is_not_whole(changes, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        slope_task(**changes)
    assert "CodingTask slope" in str(caught.value)
