"""The drawing of strides: its start and its steps read the grid of `to_grid` from the memory of the rows."""

import re
from base64 import b64decode
from itertools import product

import numpy as np
import pytest

from course_lib import figures
from course_lib.reference.grid import offsets, row_offsets, to_grid

N, W = 3, 5
CASES = list(product((False, True), repeat=2))


def drawn(picture):
    """The texts of the drawing, in order, with a plain minus sign."""
    drawing = b64decode(re.search('base64,([^"]*)', picture._repr_html_())[1]).decode()
    return re.findall("<text[^>]*>([^<]*)", drawing.replace("−", "-"))


def steps(shared, flipped):
    """Start and step per query as `to_grid` takes them, if the rows hold places in memory instead of numbers."""
    rows = np.arange(W)[None] if shared else np.arange(N * W).reshape(N, W)
    places = to_grid(rows[::-1] if flipped and not shared else rows, N)
    places = places[::-1] if flipped else places
    return int(places[0, 0]), int(places[1, 0] - places[0, 0])


@pytest.mark.parametrize(("shared", "flipped"), CASES)
def test_the_arrows_are_the_steps_of_to_grid(shared, flipped):
    picture, (start, step) = figures.strides(shared=shared, flipped=flipped), steps(shared, flipped)
    words = drawn(picture)
    assert f"start: place {start}" in words and f"next query {step:+d}" in words and "next key +1" in words
    said = picture.alt.replace("−", "-")
    assert f"starts at place {start}." in said and f"next query is {step:+d} " in said


@pytest.mark.parametrize(("shared", "flipped"), CASES)
def test_memory_and_grid_hold_the_same_offsets(shared, flipped):
    words = drawn(figures.strides(shared=shared, flipped=flipped))
    numbers = [int(text) for text in words if re.fullmatch(r"-?\d+", text)]
    rows = 1 if shared else N
    memory, grid = np.array(numbers[: 2 * rows * W]).reshape(-1, 2), np.array(numbers[2 * rows * W :]).reshape(N, N, 2)
    assert np.array_equal(memory[:, 0], np.tile(row_offsets(N), rows)) and np.array_equal(memory[:, 1], range(rows * W))
    assert np.array_equal(grid[..., 0], offsets(N)[::-1] if flipped else offsets(N))
    assert np.array_equal(memory[grid[..., 1], 0], grid[..., 0])


def test_the_table_marks_the_case_that_is_drawn():
    marked = [
        re.search(r"<b>([^<]*)</b> \(drawn\)", figures.strides(shared=s, flipped=f)._repr_html_())[1] for s, f in CASES
    ]
    assert marked == ["w − 1 = 4", "w + 1 = 6", "−1", "+1"]
