r"""Onto the diagonals · 10 minutes · ★★ · first

Write `to_grid` from its definition, $\text{grid}_{ij} = \text{rows}_{i,\; j - i + n_q - 1}$. `rows` has
either one row that all queries share, or one row per query. Its $n_q + n_k - 1$ columns are the offsets in ascending
order, so the number of keys follows from the width. Loops are fine.

If two queries share one row of three numbers, `to_grid(np.array([[-1, 0, 1]]), 2)` is `[[0, 1], [-1, 0]]`.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.reference.grid import row_offsets
from course_lib.reference.grid import to_grid as placed

from ...shared import KEY, QUERY, labels, normal


def to_grid(rows, n_q):
    """Place each number on the diagonal of its offset: rows (1 or n_q, n_q + n_k − 1) give (n_q, n_k)."""
    n_k = rows.shape[1] - n_q + 1  # The width is n_q + n_k − 1, so n_k is width − n_q + 1.
    grid = np.zeros((n_q, n_k))  # The grid has one row per query and one column per key.
    for i in range(n_q):
        own = rows[i % len(rows)]  # Query i has row i, unless all queries share row 0.
        for j in range(n_k):
            column = j - i + n_q - 1  # The offset is j − i, key minus query, and column 0 is the offset −(n_q − 1).
            grid[i, j] = own[column]  # Each cell gets the number of its own query at its own offset.
    return grid


def draw(rng):
    n_q, n_k = (int(x) for x in rng.integers(1, 6, size=2))
    return normal(rng, n_q if rng.random() < 0.6 else 1, n_q + n_k - 1), n_q


expected = placed
CASES = [
    Case(row_offsets(5)[None] / 2, 5, label="the five tokens, one row for all", axes=(QUERY, KEY)),
    Case(labels(5, 9), 5, label="the five tokens, a row per query", axes=(QUERY, KEY)),
    Case(labels(2, 6), 2, label="two queries, five keys", axes=(Axis("query"), KEY)),
    Case(labels(1, 6), 2, label="two queries, five keys, one row for both", axes=(Axis("query"), KEY)),
    Case(labels(1, 5), 1, label="one query, five keys", axes=(Axis("query"), KEY)),
    Case(labels(4, 5), 4, label="four queries, two keys", axes=("query", "key")),
    Case(labels(301, 302), 301, label="301 queries, two keys", axes=("query", "key")),
    Case(labels(2, 302), 2, label="two queries, 301 keys", axes=("query", "key")),
    Case(labels(1, 1), 1, label="one token alone", axes=("query", "key")),
]
WRONG = """
n_k = rows.shape[1]  # You take the width for the number of keys. The width counts offsets, n_q + n_k − 1 of them.
n_k = n_q  # You take as many keys as queries. The number of keys follows from the width, which is n_q + n_k − 1.
n_k = (rows.shape[1] + 1) // 2
n_k = rows.shape[1] // 2 + 1  # You take half of the width, as if n_q were n_k. The width is n_q + n_k − 1.
n_k = 5  # The number of keys is always 5. It follows from the width, which is n_q + n_k − 1.
own = rows[i]  # Where all queries share one row, your index 1 is outside. Read row 0 for all, and make n_q grid rows.
own = rows[0]  # All queries get the first row. With a row per query, query i has row i.
own = rows[-1 - i % len(rows)]  # Query i gets the row of query n_q − 1 − i. With a row per query, query i has row i.
column = j - i  # Your column is j − i, as after `np.roll(row, i)`. Column 0 is the offset −(n_q − 1), so add n_q − 1.
column = j - i + n_q  # Your columns run one past the end. Column 0 is for the last query and key 0, and
# n_k is width − n_q + 1.
column = j - i + n_k - 1  # You shift by the number of keys. The row starts at the offset −(n_q − 1).
column = j - i + rows.shape[1] // 2
column = min(max(j - i + rows.shape[1] // 2, 0), rows.shape[1] - 1)  # You put offset 0 into the middle column, as if
# n_q were n_k. The columns begin at the offset −(n_q − 1).
column = j + i + n_q - 1  # You add the query to the key. The offset is key minus query, j − i.
column = j + i  # Your columns move right from query to query. Every key's offset gets one smaller, so they move left.
column = j  # Every query sees the first n_k columns. The slice of query i begins at column n_q − 1 − i.
column = max(j - i, 0)  # All keys before a query get column 0. Add n_q − 1 to the offset; then it needs no limit.
column = n_k - 1 - j + i  # You read the rows backwards. Their columns ascend from the far past to the far future.
return np.lib.stride_tricks.sliding_window_view(rows[0], n_k)  # Query 0 needs the *last* slice of its row.
return np.tile(grid.ravel(), (n_q, 1))  # Every row holds the numbers of all queries. Begin a new list for each query.
"""
HINTS = [
    "Begin with the shape. The width is n_q + n_k − 1, so how many keys are there?",
    "Take one row and write two loops. Which column does the last query read for key 0? And query 0 for key 0?",
    "The column is `j - i + n_q - 1`. If all queries share a single row, read `rows[0]`, otherwise `rows[i]`.",
]
