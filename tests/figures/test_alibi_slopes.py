"""The slopes' static body: the reference's slopes and biases, both formulas, and refusals that name the argument."""

import re

import pytest

from course_lib import figures
from course_lib.display.formatting import number
from course_lib.figures.alibi_slopes import DISTANCES, difference, plain_slopes
from course_lib.reference.alibi import slopes

from .test_figures import static


def rows(picture):
    """The rows of the table: head → cells."""
    found = re.findall(r'<tr [^>]*><th scope="row">(\d+)</th>(.*?)</tr>', static(picture))
    return {int(head): re.findall(r"<td[^>]*>(.*?)</td>", cells) for head, cells in found}


@pytest.mark.parametrize("formula", ["code", "formula"])
@pytest.mark.parametrize("n_heads", [1, 2, 6, 8, 12, 15, 40, 64])
def test_the_body_holds_the_slopes_and_biases(n_heads, formula):
    table = rows(figures.alibi_slopes(n_heads, formula))
    chosen = slopes(n_heads) if formula == "code" else plain_slopes(n_heads)
    assert list(table) == list(range(1, n_heads + 1))
    for h, cells in table.items():
        assert cells[:2] == [number(slopes(n_heads)[h - 1]), number(plain_slopes(n_heads)[h - 1])]
        assert cells[2:] == [number(-chosen[h - 1] * d, 2) for d in DISTANCES]


def test_the_difference_is_counted():
    for n_heads in (1, 2, 4, 8, 16, 32, 64):
        assert difference(n_heads) == f"{n_heads} is a power of two: both formulas give the same slopes."
    assert difference(12) == "12 is not a power of two: the two formulas differ in 12 of 12 heads."
    assert difference(12) in static(figures.alibi_slopes(12))


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"n_heads": 0}, "n_heads=0: expected a whole number from 1 to 64"),
        ({"n_heads": 65}, "n_heads=65: expected a whole number from 1 to 64"),
        ({"n_heads": 8.0}, r"n_heads=8\.0: expected a whole number"),
        ({"formula": "paper"}, "formula='paper': expected one of 'code', 'formula'"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.alibi_slopes(**wrong)
