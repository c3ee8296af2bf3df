"""`play` makes controls of ranges, draws what the function returns, and says what went wrong in it."""

import re

import numpy as np
import pytest

from course_kit import figures
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import row_offsets


def bias_matrix(n=5, strength=0.5, log=True):
    d = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -strength * (np.log1p(d) if log else d)


def numbers(html):
    """The tables' cells, a list for each table."""
    return [
        [float(cell.replace("−", "-")) for cell in re.findall(r"<td[^>]*>(−?[\d.]+)</td>", table)]
        for table in html.split("<table")[1:]
    ]


def test_each_range_becomes_a_control_that_begins_at_the_default():
    played = figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0), log=[True, False])
    kinds = {name: type(control).__name__ for name, control in played.controls.items()}
    assert kinds == {"n": "IntSlider", "strength": "FloatSlider", "log": "Dropdown"}
    assert played.values == {"n": 5, "strength": 0.5, "log": True}
    assert type(figures.play(bias_matrix, log=False).controls["log"]).__name__ == "Checkbox"


def test_a_control_redraws_the_result_and_its_effect_on_the_five_tokens():
    played = figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0))
    for n, strength in ((5, 0.5), (12, 2.0), (3, 1.5)):
        played.controls["n"].value, played.controls["strength"].value = n, strength
        some = min(n, 5)
        bias, weights = numbers(played.shown.value)
        np.testing.assert_allclose(bias, decay_bias(n, strength=strength).ravel(), atol=0.0051)
        _, expected = attention(Q[:some], K[:some], V[:some], bias=decay_bias(n, strength=strength)[:some, :some])
        np.testing.assert_allclose(weights, expected.ravel(), atol=0.0051)


def test_a_row_per_offset_is_put_on_the_diagonals_and_a_picture_is_shown_as_it_is():
    played = figures.play(lambda strength=1.0: -strength * abs(row_offsets(5)), strength=(0.0, 2.0))
    assert numbers(played.html())[0] == [-abs(i - j) for i in range(5) for j in range(5)]
    assert "rp-frames" in figures.play(lambda n=4: figures.clip_grid(n, clip=2), n=(2, 8)).html()
    assert figures.play(lambda n=4: np.ones((n, 3)), attend=False, n=(2, 8)).html().count("<table") == 1


def broken(n):
    rows = 12 // (n - 3)
    return np.ones((rows, rows))


def test_an_error_is_shown_with_the_line_of_the_reader_that_raised_it():
    played = figures.play(broken, n=(3, 6))
    played.controls["n"].value = 3
    line = broken.__code__.co_firstlineno + 1
    said = re.sub(r"<[^>]*>", " ", played.shown.value)
    assert "raised ZeroDivisionError: integer division or modulo by zero" in said
    assert f"line {line}: rows = 12 // (n - 3)" in said
    played.controls["n"].value = 6
    assert "ZeroDivisionError" not in played.shown.value


@pytest.mark.parametrize("result", [None, "text", np.ones(4), np.ones((4, 5)), np.ones((2, 4, 4)), np.ones((30, 30))])
def test_a_result_that_cannot_be_drawn_is_named_and_not_raised(result):
    said = figures.play(lambda n=4: result, n=(2, 8)).html()
    assert 'role="alert"' in said and "xpected" in said


@pytest.mark.parametrize("choices", [(5, 1), object()])
def test_a_range_that_makes_no_control_is_refused(choices):
    with pytest.raises(ValueError, match=f"n={re.escape(repr(choices))}: expected"):
        figures.play(bias_matrix, n=choices)


@pytest.mark.parametrize("function, ranges, named", [(bias_matrix, {"m": (1, 5)}, "'m'"), (broken, {}, "'n'")])
def test_a_range_too_many_or_too_few_is_named_in_the_picture(function, ranges, named):
    said = figures.play(function, **ranges).html()
    assert 'role="alert"' in said and "argument" in said and named in said
