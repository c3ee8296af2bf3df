"""Bug hunt: the picture on its side."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.window import window_bias

from .common import numbers, patches


def _grid_bias(table, window):
    """Bias of every query and key patch: (heads, W², W²).

    table ((2W - 1)², heads) is numbered row by row, and so are the patches;
    offsets are key - query.
    """
    rows, columns = np.meshgrid(np.arange(window), np.arange(window), indexing="ij")
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    index = offset[0] * (2 * window - 1) + offset[1]
    return np.moveaxis(table[index], -1, 0)


def _given(table, window):
    """Bias of every query and key patch: (heads, W², W²).

    table ((2W - 1)², heads) is numbered row by row, and so are the patches;
    offsets are key - query.
    """
    rows, columns = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    index = offset[0] * (2 * window - 1) + offset[1]
    return np.moveaxis(table[index], -1, 0)


def _swapped_names(table, window):
    columns, rows = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    return np.moveaxis(table[offset[0] * (2 * window - 1) + offset[1]], -1, 0)


def _swapped_index(table, window):
    rows, columns = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    return np.moveaxis(table[offset[1] * (2 * window - 1) + offset[0]], -1, 0)


def _diagonal(result, table, window):
    return np.allclose(np.asarray(result)[:, range(window**2), range(window**2)].T, table[len(table) // 2], atol=1e-6)


def _draw(rng):
    window = int(rng.integers(2, 5))
    return rng.normal(size=((2 * window - 1) ** 2, int(rng.integers(1, 4)))), window


grid_bias = CodingTask(
    title="Bug hunt: the picture on its side",
    minutes=8,
    difficulty=2,
    words="""This code was carried over line by line from Swin's (`WindowAttention` in `models/swin_transformer.py`), from torch to
NumPy, with offsets key − query. Load a table trained in torch (key − query, as here), and every picture is mirrored across
its diagonal: what a head learned about the patch *above*, it applies to the patch on the *left*. Find the line that the
two libraries read differently, and leave the rest as it is.

Make a table whose only large number is that of one column to the right, row 5 for W = 2, and look at which keys get it.""",
    solution=_grid_bias,
    starter=_given,
    expected=lambda table, window: window_bias(table, window),
    cases=[
        Case(np.eye(9)[5][:, None], 2, label="a table for *one to the right*", axes=("head", *patches(2))),
        Case(np.arange(9.0)[:, None], 2, label="the table is its own row numbers", axes=("head", *patches(2))),
        Case(numbers(0, 25, 1), 3, label="the 3 × 3 window", axes=("head", *patches(3))),
        Case(numbers(1, 25, 3), 3, label="three heads", axes=("head", *patches(3))),
        Case(numbers(2, 1, 2), 1, label="one patch alone", axes=("head", "query", "key")),
        Case(numbers(3, 49, 2), 4, label="the 4 × 4 window", axes=("head", *patches(4))),
    ],
    draw=_draw,
    axes=("head", "query", "key"),
    properties=[
        Property(
            "the diagonal",
            _diagonal,
            "A patch should still take the middle row of the table with itself. Leave the shift and the factor as they were.",
        ),
    ],
    pieces="""
2 * window - 1
    the factor: A line of the square holds 2W − 1 numbers, so the given factor was right.
place[:, None, :] - place[:, :, None]
    the offset: It is key minus query, as in the given code.
place[:, None, :] - place[:, :, None] + window
    the shifted offset: The smallest offset, −(W − 1), becomes 0, so the given shift was right.
place[:, None, :] - place[:, :, None] + window - 1
    the shifted offset: The smallest offset, −(W − 1), becomes 0, so the given shift was right.
offset[0]
    Δrow: It counts whole lines of the square, so it is multiplied.
offset[1]
    Δcolumn: It counts within a line of the square, so it is added.
table[index]
    the look-up: Every pair takes the row of the table that its index says.
offset[0] * (2 * window - 1)
    the count of the lines before: Each line of the square holds 2W − 1 numbers.
-1
    the axis of the heads: They are the last axis of `table[index]`.
np.moveaxis(table[index], -1, 0)
    the move of the axes: `table[index]` is (query, key, head), and the heads should come first.
""",
    slips="""
, indexing="ij") → )
    Rows and columns are still exchanged (or exchanged twice). Print `rows` for window=2. Does it hold the row of each
    patch? If so, Δrow is offset[0]. ("xy" is what NumPy does by default.)
, indexing="ij") → )
place[:, None, :] - place[:, :, None] → place[:, :, None] - place[:, None, :]
    You reversed both offsets, and rows and columns are still exchanged. Key minus query was right, and transposing the
    bias or reading the table backwards reverses it, too. Look at `rows` and `columns`.
place[:, None, :] - place[:, :, None] → place[:, :, None] - place[:, None, :]
    The picture is no longer reflected, but query and key are exchanged now. (Reading the table backwards or transposing
    the bias does the same.) Key minus query was right.
(2 * window - 1) → window
    You multiply by W. The given factor was right, because a line of the square holds 2W − 1 numbers.
+ window - 1 → + window
    You add W. The given shift was right: the smallest offset is −(W − 1), and with W the last rows are past the end of the
    table.
+ window - 1 →
    You removed the shift, so many rows are negative, and NumPy counts those from the end of the table.
np.moveaxis(table[index], -1, 0) → table[index].reshape(-1, window**2, window**2)
    Rows and columns are right now, but `reshape` mixes the numbers of the heads, because it keeps the order in memory,
    (query, key, head). `np.moveaxis` was right.
rows.ravel() → rows[::-1].ravel()
    You count the rows from below. They are numbered from above.
columns.ravel() → columns[:, ::-1].ravel()
    You count the columns from the right. They are numbered from the left.
+ offset[1] → + offset[0]
    Your index does not use Δcolumn, because both of its terms are Δrow. Is offset[0] there twice, or do `rows` and
    `columns` hold the same numbers?
offset[0] * → offset[1] *
    Your index does not use Δrow, because both of its terms are Δcolumn. Is offset[1] there twice, or do `rows` and
    `columns` hold the same numbers?
""",
    alternatives=[_swapped_names, _swapped_index],
    hints=[
        "`np.meshgrid(np.arange(2), np.arange(2))[0]` is [[0, 1], [0, 1]]. Is that the row of each patch?",
        'In torch, the first result of `meshgrid` varies along the rows, `indexing="ij"`. In NumPy it varies along the '
        'columns, `"xy"`, unless you say otherwise.',
    ],
)
