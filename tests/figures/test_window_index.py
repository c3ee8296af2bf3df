"""The window picture's static body: the offsets and table rows of one query, and refusals that name the argument."""

import re

import pytest

from course_lib import figures
from course_lib.reference.window import offsets_2d, window_index

from .test_figures import static


@pytest.mark.parametrize("window", [2, 3, 4])
def test_every_key_shows_its_offsets_and_its_row(window):
    for query in range(window**2):
        text = static(figures.window_index(window, query)).replace("−", "-")
        found = re.findall(r">\(([+-]?\d), ([+-]?\d)\) → (\d+)( query)?<", text)
        told = [(int(row), int(column), int(index)) for row, column, index, _ in found]
        pairs = zip(offsets_2d(window)[query], window_index(window)[query], strict=True)
        assert told == [(*offset, index) for offset, index in pairs]
        assert [bool(mark) for *_, mark in found] == [key == query for key in range(window**2)]
        used = {int(row) for row in re.findall(r"font-weight:700[^>]*>(\d+)<", text)}
        assert used == set(window_index(window)[query].tolist())


def test_the_table_has_a_row_for_every_pair_of_offsets():
    text = static(figures.window_index(3))
    assert re.findall(r">(\d+)</td>", text) == [str(row) for row in range(25)]
    assert "5 · 5 = 25 rows; outlined: the 9 that this query reads" in text


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"window": 5}, "window=5: expected a whole number from 2 to 4"),
        ({"window": 1}, "window=1: expected a whole number from 2 to 4"),
        ({"window": 2, "query": 4}, "query=4: expected a whole number from 0 to 3"),
        ({"query": "4"}, "query='4': expected a whole number"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.window_index(**wrong)
