"""Answers that are numbers and words instead of code."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from course_kit.checking import Prediction

from .common import BASICS, Hostile, as_texts

ANSWER = Prediction(
    "share",
    "A share",
    expected=lambda: {"near": 0.25, "word": "up"},
    wrong={"near": {0.5: "Halve it."}},
    **BASICS,
)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"near": 0.25, "word": "up"}, "passed"),
        ({"near": 0.2504, "word": " Up "}, "passed"),
        ({"near": np.float32(0.25), "word": np.str_("up")}, "passed"),
        ({"near": Fraction(1, 4), "word": "up"}, "passed"),
        ({"near": Decimal("0.25"), "word": "up"}, "passed"),
        ({"near": ..., "word": ...}, "not attempted"),
        ({"near": 0.25, "word": ...}, "not finished"),
        ({"near": 0.25}, "not finished"),
        ({"near": 0.3, "word": "up"}, "wrong values"),
        ({"near": "0.25", "word": "up"}, "wrong type"),
        ({"near": 0.25, "word": 1}, "wrong type"),
        ({"far": 0.25}, "wrong type"),
        (0.25, "wrong type"),
        ([0.25, "up"], "wrong type"),
    ],
    ids=repr,
)
def test_an_answer_is_judged_field_by_field(given, status):
    assert ANSWER.check(given).status == status


def test_an_answer_does_not_give_the_right_one_away():
    result = ANSWER.check({"near": 0.9, "word": "up"})
    assert "0.25" not in repr(result)
    assert ANSWER.check({"near": 0.5, "word": "up"}).cause == "Halve it."


COUNTS = Prediction(
    "counts",
    "Counts",
    expected=lambda: {"few": 4, "rows": [2, 5], "seen": True, "kind": "past"},
    wrong={"rows": {(5, 2): "The rows are swapped."}, "kind": {"future": "It lies behind."}},
    digits=0,
    **BASICS,
)
RIGHT_COUNTS = {"few": 4, "rows": [2, 5], "seen": True, "kind": "past"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"few": 5}, ""),
        ({"few": 4.02}, ""),
        ({"few": 3, "rows": [5, 2]}, "rows, entry 0: 5 is not right (0 of 2 are right)\n  → The rows are swapped."),
        ({"rows": "2, 5"}, "rows: expected 2 numbers in square brackets, without quotes"),
        ({"few": "4"}, "few: expected a number, without quotes"),
        ({"seen": "yes"}, "seen: expected `True` or `False`, without quotes"),
        ({"kind": "futurre"}, 'kind: "futurre" is none of the words: "future", "past"'),
        ({"rows": {5, 2}, "seen": "True", "kind": "future"}, "It lies behind."),
    ],
    ids=repr,
)
def test_whole_numbers_words_and_truth_values_are_told_what_they_are(changes, words):
    result = COUNTS.check({**RIGHT_COUNTS, **changes})
    assert not result.passed and words in repr(result)
    assert words or not result.cause


@pytest.mark.parametrize("how", ["raises", "endless"])
def test_hostile_answers_do_no_harm(how):
    for given in (Hostile(how), {"near": Hostile(how), "word": "up"}):
        result = ANSWER.check(given)
        assert not result.passed
        as_texts(result)
