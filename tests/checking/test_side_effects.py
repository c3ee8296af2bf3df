"""What a learner's code does besides answering: writing into arguments, printing, warning, raising."""

import numpy as np
import pytest

from course_kit.checking import Case

from .common import SLOPE, _centred, array_task, as_texts, cell, raiser, right, slope_task


def test_writing_into_an_argument_passes_with_a_note_and_spoils_nothing():
    shared = np.array([1.0, 2.0, 6.0])
    task = array_task(_centred, cases=[Case(shared), Case(shared)], returns=("rest", "mean"))

    def in_place(x):
        mean = x.mean()
        x -= mean
        return x, mean

    result = task.check(in_place)
    assert result.passed and "writes into its argument `x`" in repr(result)
    assert shared.tolist() == [1.0, 2.0, 6.0]
    assert not task.check(task.spec.solution).notes


def test_a_million_printed_lines_become_one_sentence(capsys):
    def talks(n, strength):
        for k in range(1_000_000 // 6 + 1):
            print(k)
        return right(n, strength)

    result = slope_task(seconds=20.0).check(talks)
    assert result.passed and "Your code printed: 0 ⏎ 1 ⏎ 2 …" in repr(result)
    assert capsys.readouterr() == ("", "")
    assert len(repr(result)) < 300


def test_input_is_an_error_at_once_and_works_again_after_the_check(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt="": "typed")

    def asks(n, strength):
        return right(int(input("n? ")), strength)

    result = SLOPE.check(asks)
    assert result.status == "raised" and "EOFError" in repr(result) and "take the `input` out" in result.cause
    assert input() == "typed"


def test_warnings_stay_out_of_sight(recwarn):
    def divides(n, strength):
        with np.errstate(all="warn"):
            np.ones(2) / np.zeros(2)
        return right(n, strength)

    assert SLOPE.check(divides).passed
    assert not list(recwarn)


def test_an_error_shows_the_learners_deepest_line_and_not_one_of_numpy():
    begin = "def helper(x):\n    return np.broadcast_to(x, (9, 7))\n\n"
    text = repr(SLOPE.check(cell(begin + "def slope(n, strength):\n    return helper(np.zeros(n))\n")))
    assert "ValueError" in text and "line 2: return np.broadcast_to(x, (9, 7))" in text


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
