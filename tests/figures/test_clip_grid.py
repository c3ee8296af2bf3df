"""The clip grid's static body: Shaw's clipping, the cells of each table row, and refusals that name the argument."""

import re
from collections import Counter

import pytest

from course_lib import figures
from course_lib.example import TOKENS
from course_lib.figures.clip_grid import clipped_cells, row_counts
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from .test_figures import static


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("clip", range(0, 9))
def test_the_counts_are_those_of_the_grid(n, clip):
    grid = offsets(n)
    found = Counter(clip_index(grid, clip).ravel().tolist())
    assert row_counts(n, clip) == [found[row] for row in range(2 * clip + 1)]
    assert clipped_cells(n, clip) == (abs(grid) > clip).sum()


def test_the_body_shows_every_offset_and_what_it_becomes():
    text = static(figures.clip_grid())
    assert text.count(">−5 → −2<") == 1 and text.count(">+3 → +2<") == 3 and text.count(">+2<") == 4
    assert "12 of 36 cells are clipped: only those whose offset exceeds 2" in text and "= 5 rows" in text
    assert re.findall(r">(a\[[^<]*)</td><td>(\d+)<", text) == [
        ("a[−2]", "10"),
        ("a[−1]", "5"),
        ("a[0]", "6"),
        ("a[+1]", "5"),
        ("a[+2]", "10"),
    ]
    assert "No offset exceeds 5" in static(figures.clip_grid(clip=5))
    assert "clipped to 0<" in static(figures.clip_grid(clip=0)) and "= 1 row<" in static(figures.clip_grid(clip=0))
    assert ">cat<" in static(figures.clip_grid(3, 1, TOKENS)) and ">on<" not in static(figures.clip_grid(3, 1, TOKENS))


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"n": 13}, "n=13: expected a whole number from 2 to 12"),
        ({"n": 1}, "n=1: expected a whole number from 2 to 12"),
        ({"clip": 9}, "clip=9: expected a whole number from 0 to 8"),
        ({"clip": -1}, "clip=-1: expected a whole number from 0 to 8"),
        ({"clip": 2.0}, r"clip=2\.0: expected a whole number"),
        ({"tokens": "cat"}, "tokens='cat': expected a list of words"),
        ({"tokens": 3}, "tokens=3: expected a list of words"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.clip_grid(**wrong)
