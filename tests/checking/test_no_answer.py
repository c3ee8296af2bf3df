"""What is no answer at all is called by its name, and a hostile object does no harm."""

import numpy as np
import pytest

from .common import SLOPE, Hostile, as_texts, right


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
