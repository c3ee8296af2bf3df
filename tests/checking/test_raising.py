"""Code that raises: every error is reported with the learner's own line."""

import pytest

from .common import SLOPE, as_texts, cell, raiser, slope_task


def test_an_error_shows_the_line_of_a_cell():
    function = cell("def helper(x):\n    return x[7]\n\ndef slope(n, strength):\n    return helper(np.zeros(n))\n")
    text = repr(SLOPE.check(function))
    assert "IndexError" in text
    assert "line 2: return x[7]" in text, "the learner's deepest line, not one inside NumPy"


def test_an_error_inside_a_library_shows_the_learners_own_line():
    function = cell("def slope(n, strength):\n    return np.broadcast_to(np.zeros(3), (n, 7))\n", number=2)
    assert "line 2: return np.broadcast_to(np.zeros(3), (n, 7))" in repr(SLOPE.check(function))


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "error",
    [SystemExit(3), KeyboardInterrupt(), ValueError("é" * 5000), Odd(), BaseException("x")],
    ids=lambda error: type(error).__name__,
)
def test_every_kind_of_error_is_reported(error):
    result = SLOPE.check(raiser(error))
    assert result.status == "raised" and type(error).__name__ in repr(result)
    assert len(repr(result)) < 800
    as_texts(result)


def test_endless_recursion_is_an_error_like_others():
    def deeper(n, strength):
        return deeper(n, strength)

    result = slope_task(seconds=2.0).check(deeper)
    assert result.status == "raised" and "RecursionError" in repr(result)


@pytest.mark.parametrize("function", [lambda: 0, lambda n: 0, lambda n, strength, more: 0])
def test_a_wrong_number_of_parameters_is_said(function):
    result = SLOPE.check(function)
    assert result.status == "raised" and "TypeError" in repr(result) and "argument" in repr(result)
