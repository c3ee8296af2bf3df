"""Answers that are numbers and words instead of code."""

import numpy as np
import pytest

from course_lib.checking import Prediction

from .common import BASICS, Hostile, _softmax, array_task, as_texts

ANSWER = Prediction(
    "share",
    "A share",
    expected=lambda: {"near": 0.25, "word": "up"},
    slips={"near": {0.5: "Halve it."}},
    **BASICS,
)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"near": 0.25, "word": "up"}, "passed"),
        ({"near": 0.2504, "word": " Up "}, "passed"),
        ({"near": np.float32(0.25), "word": "up"}, "passed"),
        ({"near": ..., "word": ...}, "not attempted"),
        ({"near": 0.25, "word": ...}, "not attempted"),
        ({"near": 0.25}, "not attempted"),
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
    slips={"rows": {(5, 2): "The rows are swapped."}, "kind": {"future": "It lies behind."}},
    digits=0,
    **BASICS,
)
RIGHT_COUNTS = {"few": 4, "rows": [2, 5], "seen": True, "kind": "past"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"few": 5}, "This is 1 too large."),
        ({"few": 8}, "This is twice the right number."),
        ({"few": 6}, ""),  # near enough to several relations, and none of them
        ({"few": 0}, ""),
        ({"few": 4.02}, ""),
        ({"few": 3, "rows": [5, 2]}, "rows, entry 0: 5 is not right (0 of 2 are right)\n  → The rows are swapped."),
        ({"rows": "2, 5"}, "rows: expected 2 numbers in square brackets, without quotes"),
        ({"few": "4"}, "few: expected a number, without quotes"),
        ({"seen": "yes"}, "seen: expected `True` or `False`, without quotes"),
        ({"kind": "futurre"}, 'kind: "futurre" is none of the words: "future", "past"'),
        ({"rows": {5, 2}, "kind": "future"}, "It lies behind."),
    ],
    ids=repr,
)
def test_whole_numbers_words_and_truth_values_are_told_what_they_are(changes, words):
    result = COUNTS.check({**RIGHT_COUNTS, **changes})
    assert not result.passed and words in repr(result)
    assert words or not result.cause


def test_an_answer_may_keep_to_itself_how_far_off_a_number_is():
    quiet = Prediction(
        "few", "few", expected=lambda: 4, slips={9: "Those are squares."}, nearly=False, **BASICS
    )
    assert not any(quiet.check(wrong).cause for wrong in (2, 3, 5, 8, -4))
    assert quiet.check(9).cause == "Those are squares." and quiet.check(4).passed


def test_an_answer_in_another_form_is_told_the_form():
    for given in ([4, [2, 5], True, "past"], 4, "past"):
        assert "should be a dictionary with few, rows, seen, kind" in repr(COUNTS.check(given))
    assert COUNTS.check({**RIGHT_COUNTS, "rows": {2, 5}}).passed


def test_near_misses_can_be_left_unsaid():
    for nearly, cause in ((True, "This is 1 too large."), (False, "")):
        answer = Prediction("product", "Product", **BASICS, expected=lambda: -7, nearly=nearly)
        assert answer.check(-6).cause == cause


def test_all_other_wrong_answers_of_a_field_can_have_a_message():
    answer = Prediction(
        "two", "Two", **BASICS, expected=lambda: {"weight": 0, "sum": 4}, slips={"weight": {1: "All of it?"}},
        otherwise={"weight": "The mask comes last."},
    )  # fmt: skip
    assert answer.check({"weight": 0.37}).cause == "The mask comes last."
    assert answer.check({"weight": 1}).cause == "All of it?"
    assert answer.check({"weight": 0, "sum": 9}).cause == ""
    assert answer.check({"weight": 0, "sum": 4}).passed


def test_keys_with_commas_are_told_apart_by_quotes():
    answer = Prediction("both", "Both", **BASICS, expected=lambda: {"q at 1, k at 2": 3, "sum": 4})
    assert 'a dictionary with "q at 1, k at 2", "sum"' in repr(answer.check(3))
    assert 'still to fill in: "q at 1, k at 2"' in repr(answer.check({"sum": 4}))


@pytest.mark.parametrize("how", ["raises", "endless"])
def test_hostile_answers_do_no_harm(how):
    for given in (Hostile(how), {"near": Hostile(how), "word": "up"}):
        result = ANSWER.check(given)
        assert not result.passed
        as_texts(result)


def test_what_is_told_once_all_is_right():
    assert array_task(_softmax, on_pass="And now?").check(_softmax).notes == ("And now?",)
    answer = Prediction("product", "Product", **BASICS, expected=lambda: -7, on_pass=lambda: "As measured: −7.")
    assert answer.check(-7).notes == ("As measured: −7.",) and not answer.check(7).notes


def test_words_of_one_field_and_a_key_that_there_is_not():
    pairs = Prediction("pairs", "Pairs", **BASICS, expected=lambda: {"a or b": "a", "c or d": "c"}, words_of=str.split)
    assert '"c" is none of the words: "a", "or", "b"' in repr(pairs.check({"a or b": "c"}))
    assert 'a dictionary with a or b, c or d; it has no "a or d"' in repr(pairs.check({"a or d": "a"}))
