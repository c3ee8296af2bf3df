"""What a learner may hand over: the right answer passes in other forms, and what is no answer is called by its name."""

import numpy as np
import pytest
import torch

from .common import MASK, SLOPE, Hostile, _mask, _softmax, array_task, as_texts, right


@pytest.mark.parametrize(
    "form",
    [
        lambda x: tuple(map(tuple, x.tolist())),
        list,
        lambda x: x + 1e-12,
        np.asfortranarray,
        np.ma.masked_array,
        lambda x: torch.tensor(x, requires_grad=True),
        lambda x: torch.tensor(x).bfloat16(),
        lambda x: list(torch.tensor(x)),
    ],
)
def test_other_forms_of_the_right_array_pass(form):
    """Beside those in which every task is tried."""
    assert SLOPE.check(lambda n, strength: form(right(n, strength))).passed


def test_an_array_of_all_parts_passes_where_they_can_be_stacked():
    def _both(x):
        """x and x²."""
        return x, x**2

    task = array_task(_both, returns=("first", "second"))
    assert task.check(lambda x: np.array([x, x**2])).passed
    assert "expected a tuple of 2: first, second" in repr(task.check(lambda x: np.ones((2, 3, 1))))


def test_a_function_that_takes_its_arguments_in_another_way_is_told_so():
    result = SLOPE.check(lambda n, *, strength: right(n, strength))
    assert result.status == "raised" and "write one around it" in result.cause


def test_a_broadcast_serves_only_where_it_is_right():
    twos = array_task(_softmax, expected=lambda x: np.full(3, 2.0))
    assert twos.check(lambda x: 2.0).passed and twos.check(lambda x: [[2.0]]).passed
    assert twos.check(lambda x: 3.0).status == "wrong shape"
    assert SLOPE.check(lambda n, strength: right(n, strength)[0]).status == "wrong shape"


def test_numbers_pass_for_truth_values():
    assert all(MASK.check(lambda n, kind=kind: _mask(n).astype(kind)).passed for kind in (int, float))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "is there a `return`"),
        (dict, "type"),
        ((x for x in "ab"), "a generator, which makes its items one by one (put them into a list"),
        (map(abs, [1, 2]), "a map, which makes its items one by one"),
        ([(x for x in "ab")], "put them into a list"),
        ({"a": 1}, "a dictionary; a number or an array is wanted"),
        (([1, 2], {"a": 1}), "2 values; one is wanted"),
        (np.zeros, "are the parentheses missing"),
        ({1, 2}, "a set"),
        ([[1, 2], [3]], "do its rows have the same length"),
        (np.array([None]), "None in it"),
        ([[None, 1], [2, 3]], "None in it"),
        (b"ab", "bytes"),
        (np.array([1j]), "yours holds complex numbers, expected real ones"),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_what_no_array_can_be_made_of_is_called_by_its_name(value, words):
    result = SLOPE.check(lambda n, strength: value)
    assert result.status == "wrong type" and words in repr(result), result


def test_a_generator_function_is_recognised():
    def slope(n, strength):
        yield from right(n, strength)

    assert "`yield` where `return` was meant" in repr(SLOPE.check(slope))


@pytest.mark.parametrize("given", [dict, 7, "slope", [right], right(3, 1.0)], ids=lambda given: type(given).__name__)
def test_what_is_no_function_is_said(given):
    result = SLOPE.check(given)
    assert result.status == "wrong type" and "`check(slope)`, without calling it" in repr(result)


@pytest.mark.parametrize("given", [None, ..., lambda n, strength: ..., lambda n, strength: None])
def test_an_empty_body_is_not_attempted(given):
    assert SLOPE.check(given).status == "not attempted"


@pytest.mark.parametrize("how", ["raises", "endless"])
def test_hostile_objects_do_no_harm(how):
    thing = Hostile(how)
    for given in (thing, lambda n, strength: thing, lambda n, strength: [thing] * n, lambda n, strength: {"x": thing}):
        result = SLOPE.check(given)
        assert not result.passed
        as_texts(result)
