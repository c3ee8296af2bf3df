r"""Onto the diagonals · 10 minutes · ★★

Write `to_grid` from its definition, $\text{grid}_{ij} = \text{rows}_{i,\; j - i + n_q - 1}$. `rows` has
either one row that all queries share, or one row per query. Its $n_q + n_k - 1$ columns are the offsets in ascending
order, so the number of keys follows from the width. Loops are fine.

If two queries share one row of three numbers, `to_grid(np.array([[-1, 0, 1]]), 2)` is `[[0, 1], [-1, 0]]`.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.reference import grid as reference

from ..shared import KEY, QUERY, normal
from .common import labels


def to_grid(rows, n_q):
    """Place each number on the diagonal of its offset: rows (1 or n_q, n_q + n_k − 1) give (n_q, n_k)."""
    # The width is n_q + n_k − 1. Which n_k follows from it? The difference of width and n_q is one less than n_k,
    # because the width is n_q + n_k − 1.
    n_k = rows.shape[1] - n_q + 1
    grid = np.zeros((n_q, n_k))  # The grid has one row per query and one column per key.
    for i in range(n_q):
        # The index of a row is a whole number, smaller than this length. Query i has row i, unless all queries share
        # row 0.
        own = rows[i % len(rows)]
        for j in range(n_k):
            # Column 0 is the offset −(n_q − 1), that of the last query and key 0. The offset is key minus query, j −
            # i, so it falls by one from query to query.
            grid[i, j] = own[j - i + n_q - 1]
    return grid


def draw(rng):
    n_q, n_k = (int(x) for x in rng.integers(1, 6, size=2))
    return normal(rng, n_q if rng.random() < 0.6 else 1, n_q + n_k - 1), n_q


def expected(rows, n_q):
    return reference.to_grid(rows, n_q)


CASES = [
    Case(reference.row_offsets(5)[None] / 2, 5, label="the five tokens, one row for all", axes=(QUERY, KEY)),
    Case(labels(5, 9), 5, label="the five tokens, a row per query", axes=(QUERY, KEY)),
    Case(labels(2, 6), 2, label="two queries, five keys", axes=(Axis("query"), KEY)),
    Case(labels(1, 5), 1, label="one query, five keys", axes=(Axis("query"), KEY)),
    Case(labels(4, 5), 4, label="four queries, two keys", axes=("query", "key")),
    Case(labels(1, 1), 1, label="one token alone", axes=("query", "key")),
]


WRONG = """
grid[i, j] = own[i - j + n_q - 1]  # You swapped past and future, so your column grows with the query. The offset is
# key minus query, j − i.
grid[i, j] = own[j - i]  # Your column is j − i, as it also is after `np.roll(row, i)`. Below 0 it comes from the end
# of the row. The row starts at the offset −(n_q − 1), so the column is j − i + n_q − 1.
grid[i, j] = own[j - i + n_q]  # Your columns run over the end of the row. The last query and key 0 meet in column 0,
# and there are n_k = width − n_q + 1 keys.
grid[i, j] = own[j - i + n_k - 1]  # You shift by the number of keys, which is right for square grids only. The row
# starts at the offset −(n_q − 1).
grid[i, j] = own[j + i]  # Your windows move to the right from query to query. Each query sees one offset *less* than
# the one before it, so its window begins one column further left.
grid[i, j] = own[max(j - i, 0)]  # All keys before a query get the number of column 0. Shift the offset by n_q − 1;
# then it needs no limit.
grid[i, j] = own[::-1][j - i + n_q - 1]  # You read the rows backwards. Their columns ascend from the distant past to
# the distant future.
grid[i, j] = own[j]  # Every query sees the same columns, the first n_k. The window of query i begins at column n_q − 1
# − i.
own = rows[i]  # `rows[i]` fails where all queries share a single row, which has index 0 for each of them.
own = rows[0]  # All queries get the first row. With a row per query, query i has row i; only a single row is shared.
own = rows[-1 - i % len(rows)]  # Query i gets the row of query n_q − 1 − i. With a row per query, query i has row i.
n_k = rows.shape[1] - n_q  # You count one key too few. The width is n_q + n_k − 1, so n_k = width − n_q + 1.
n_k = rows.shape[0] - n_q + 1  # You take the number of rows for the width. The width is the number of columns,
# `rows.shape[1]`.
n_k = n_q  # You take as many keys as queries. The number of keys follows from the width, which is n_q + n_k − 1.
n_k = (rows.shape[1] + 1) // 2
n_k = rows.shape[1] // 2 + 1  # You take about half of the width, which is right only where n_q = n_k. The width is n_q
# + n_k − 1.
n_k = 5  # The number of keys is fixed at 5. It follows from the width, which is n_q + n_k − 1.
n_k = rows.shape[1]  # You take the width for the number of keys. The width counts offsets, and there are n_q + n_k − 1
# of them.
grid[i, j] = own[j + i + n_q - 1]  # You add the query to the key, so your columns run over the end of the row. The
# offset is key minus query.
return np.lib.stride_tricks.sliding_window_view(rows[0], rows.shape[1] - n_q + 1)  # You use the windows of the first
# row in the order of the row, but query 0 needs the last of them. With a row per query, each query also has its own
# windows.
return np.tile(grid.ravel(), (n_q, 1))  # Every row of yours holds the numbers of all queries. Begin a new list for
# each of them.
"""


HINTS = [
    "Begin with the shape. The width is n_q + n_k − 1, so how many keys are there?",
    "Take one row and write two loops. Which column does the last query read for key 0? And query 0 for key 0?",
    "The column is `j - i + n_q - 1`. If all queries share a single row, read `rows[0]`, otherwise `rows[i]`.",
]


def right_in_a_third_way(rows, n_q):
    return reference.to_grid(rows, n_q)


def right_by_windows(rows, n_q):
    n_k = rows.shape[1] - n_q + 1
    return np.stack([rows[i if len(rows) > 1 else 0, n_q - 1 - i :][:n_k] for i in range(n_q)])


def right_by_index(rows, n_q):
    i, j = np.arange(n_q)[:, None], np.arange(rows.shape[1] - n_q + 1)
    return np.broadcast_to(rows, (n_q, rows.shape[1]))[i, j - i + n_q - 1]
