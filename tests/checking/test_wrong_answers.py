"""A wrong answer is told where it goes wrong first, and why."""

import numpy as np
import pytest

from course_kit.checking import Case, holds
from tools.notebook import defined

from .common import CENTRED, MASK, SLOPE, _mask, _softmax, array_task, right


def test_the_first_wrong_entry_is_told_in_the_words_of_the_axes():
    def off(n, strength):
        b = right(n, strength)
        b[0, -1] += 0.125 * (n > 1)
        return b

    result = SLOPE.check(off)
    assert result.status == "wrong values"
    assert 'query "The", key "sat": yours −0.8750, expected −1.0000 (1 of 9 entries differ)' in repr(result)
    assert "three tokens, `slope(n=3, strength=0.5)`" in repr(result)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "nan"), (np.inf, "infinite"), (-np.inf, "infinite")])
def test_what_is_not_a_number_is_named(value, word):
    def odd(n, strength):
        b = right(n, strength)
        b[-1, 0] = value if n > 1 else 0
        return b

    result = SLOPE.check(odd)
    assert f"is {word}" in result.cause and 'query "sat", key "The"' in repr(result)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda b: b * 2, "Every entry is 2 times what it should be"),
        (lambda b: b * 3.7, "Every entry is off by the same factor"),
        (lambda b: b + 1, "too large by 1"),
        (lambda b: b[::-1], "in reverse order along the query axis or the key axis. Here both are alike."),
        (lambda b: b * (np.arange(len(b)) == 0)[:, None], "All rows after the first are 0. Is this ever filled?"),
        (lambda b: b[:, 1:], "One too few along the key axis"),
        (lambda b: b.sum(0), "The query or the key axis is missing"),
        (lambda b: b.ravel(), "The right numbers in another shape"),
        (lambda b: np.arange(len(b)) + 0 * b, "the same for every query"),
    ],
)
def test_what_all_failing_cases_have_in_common_is_said(change, words):
    result = SLOPE.check(lambda n, strength: change(right(n, strength)))
    assert words in result.cause, result


def test_truth_values_are_told_as_such():
    assert "row 0, column 0: yours False, expected True" in repr(MASK.check(lambda n: ~_mask(n)))
    assert MASK.check(lambda n: 3.5 * _mask(n)).status == "wrong values"


def test_a_tuple_is_judged_part_by_part():
    assert CENTRED.check(lambda x: [x - x.mean(), x.mean()]).passed
    assert CENTRED.check(lambda x: {"mean": x.mean(), "rest": x - x.mean()}).passed
    assert "mean: yours" in repr(CENTRED.check(lambda x: (x - x.mean(), x.sum())))
    for odd in (lambda x: x - x.mean(), lambda x: (x,), lambda x: (x, x, x), lambda x: 3.0):
        result = CENTRED.check(odd)
        assert result.status == "wrong type" or "rest" in repr(result)
    assert "of 1; expected a tuple of 2: rest, mean" in repr(CENTRED.check(lambda x: (x,)))
    assert "missing mean" in repr(CENTRED.check(lambda x: {"rest": x}))
    assert "returned None for `mean`" in repr(CENTRED.check(lambda x: (x - x.mean(), None)))
    assert "an array of shape (2, 1); expected a tuple of 2" in repr(CENTRED.check(lambda x: np.ones((2, 1))))
    swapped = CENTRED.check(lambda x: (x.mean(), x - x.mean()))
    assert swapped.status == "wrong shape" and "rest: yours has shape ()" in repr(swapped)


# ---------------------------------------------------------------- what is said must be so

SCORES = np.array([[1.0, 2.0, 4.0], [0.0, 3.0, 1.0], [5.0, 0.5, 0.0]])
SEEN = Case(SCORES, axes=("query", "key")), Case(SCORES + SCORES.T)


def _causal(x):
    """Weights on the keys up to the query."""
    return _softmax(np.where(_mask(len(x)), x, -np.inf))


def test_scores_with_the_infinities_of_a_mask_lack_the_softmax():
    task = array_task(_causal, cases=SEEN)
    assert "the softmax is missing" in task.check(lambda x: np.where(_mask(len(x)), x, -np.inf)).cause
    assert "e^x" not in task.check(lambda x: np.where(_mask(len(x)), x * x, -np.inf)).cause


def test_a_hidden_key_that_kept_weight_is_not_called_rounded():
    def _hidden(result, x):
        return np.allclose(np.triu(result, 1), 0)

    leaking = array_task(_causal, cases=SEEN, properties=[holds("A hidden key has weight.", _hidden)])
    for task in (leaking, array_task(_causal, cases=SEEN)):
        cause = task.check(lambda x: _softmax(np.where(_mask(len(x)), x, -6.0))).cause
        assert "round" not in cause and ("hidden" in cause) == bool(task.spec.properties)


def test_what_is_said_is_true_of_the_case_that_is_shown():
    def _square(x):
        """x²."""
        return x * x

    task = array_task(_square, cases=[Case(np.arange(4.0)[None]), Case(np.arange(6.0).reshape(2, 3))])
    assert "reverse order" in task.check(lambda x: (x * x)[..., ::-1]).cause
    assert "reverse order" not in task.check(lambda x: x**3 if len(x) == 1 else (x * x)[..., ::-1]).cause


def test_an_argument_that_could_not_change_the_failing_case_is_not_blamed():
    def _moved(n, past):
        """Positions."""
        return np.arange(n) + past

    task = array_task(_moved, cases=[Case(4, 0), Case(3, 2), Case(5, 1)])
    assert "never reads" not in task.check(lambda n, past: np.arange(n) ** 2.5).cause
    assert "never reads `past`" in task.check(lambda n, past: np.arange(n)).cause


def _shares(x):
    """Weights on the keys up to the query."""
    seen = np.where(_mask(len(x)), x, -np.inf)  # Keys after the query get −∞.
    return _softmax(seen)


def test_a_right_line_is_not_blamed_for_a_name_that_only_the_page_knows():
    source = "def shares(x):\n    seen = np.where(np.tri(len(x)) > 0, x, -np.inf)\n    return _softmax(seen)"
    result = array_task(_shares, cases=SEEN).check(defined(source, "shares", {"np": np}))
    assert result.status == "raised" and "your line" not in result.cause


def test_a_result_that_ends_after_its_first_row_is_said_to_do_so():
    task = array_task(_causal, cases=SEEN)
    assert "Only the first" in task.check(lambda x: _causal(x)[:1]).cause
    assert "Only the first" not in task.check(lambda x: _causal(x)[-1:]).cause


def test_zeros_that_were_decimals_are_not_only_called_unfilled():
    def _small(x):
        """Less than 1 each."""
        return np.exp(-x * x - 1)

    task = array_task(_small, cases=[Case(np.arange(6.0).reshape(2, 3))])
    assert "dtype=int" in task.check(lambda x: np.exp(-x * x - 1).astype(int)).cause
    assert "dtype=int" not in task.check(lambda x: 0.0 * x).cause


def test_a_length_of_another_axis_is_called_so():
    def _scaled(x):
        """x / √d."""
        return x / np.sqrt(x.shape[-1])  # d is the last axis.

    task = array_task(_scaled, cases=[Case(np.ones((2, 3)) + np.eye(2, 3)), Case(np.eye(4, 7) + 1)])
    cause = task.check(lambda x: x * len(x) ** -0.5).cause
    assert cause == "Your result is what you get when a length is that of another axis. d is the last axis."
