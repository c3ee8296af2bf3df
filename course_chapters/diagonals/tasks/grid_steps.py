"""The grid as a view · 12 minutes · ★★★

NumPy reads an array with a start and a step per axis. Find three whole numbers with which the memory of
`rows` reads as the grid:

- `start`, the place of cell (0, 0) in memory;
- `per_query`, how many numbers further the cell of the next query is, under the same key;
- `per_key`, how many numbers further the cell of the next key is, for the same query.

In memory there is either one row of $n_q + n_k - 1$ numbers that all queries share (`shared=True`), or one such row
per query, one behind the other. Cell $(i, j)$ is column $j - i + n_q - 1$ of row $i$, or of the only row. The queries
are in their normal order, and there are at least two queries and two keys. Count in numbers, not in bytes; a step may
be negative.

For two queries and four keys with a row each, a row has five numbers. The cells of query 0 are at places 1, 2, 3, 4 and
those of query 1 at places 5, 6, 7, 8, so the result is `(1, 4, 1)`.

When the check passes, use your function: this *is* `to_grid`, and `np.shares_memory(grid, rows)` is true.
```python
rows = np.arange(10.0).reshape(2, 5)                        # two queries, four keys
start, per_query, per_key = grid_steps(2, 4, shared=False)
steps = 8 * per_query, 8 * per_key                          # a float64 has 8 bytes
grid = np.lib.stride_tricks.as_strided(rows.ravel()[start:], (2, 4), steps)
```
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.grid import to_grid


def grid_steps(n_q, n_k, shared):
    """Start, step per query and step per key, with which the flat memory of rows reads as the grid."""
    width = n_q + n_k - 1  # A row holds one number per offset, n_q + n_k − 1 in all.
    start = n_q - 1  # Cell (0, 0) has offset 0, and the first column is the offset −(n_q − 1).
    back = -1  # From one query to the next, every key's offset is one smaller, so the slice begins one column earlier.
    per_query = back if shared else width + back  # With a row each, the next row begins a whole row later.
    return start, per_query, 1


def expected(n_q, n_k, shared):
    """The steps that `to_grid` takes if it is given places in memory instead of numbers."""
    width = n_q + n_k - 1
    places = np.arange(width)[None] if shared else np.arange(n_q * width).reshape(n_q, width)
    grid = to_grid(places, n_q).astype(int)
    return [grid[0, 0], grid[1, 0] - grid[0, 0], grid[0, 1] - grid[0, 0]]


INDEX = True
RETURNS = ("start", "per_query", "per_key")
CASES = [
    Case(5, 5, False, label="the five tokens, a row per query"),
    Case(5, 5, True, label="the five tokens, one row for all"),
    Case(2, 5, False, label="two queries, five keys, a row each"),
    Case(4, 2, False, label="four queries, two keys, a row each"),
    Case(2, 5, True, label="two queries, five keys, one row"),
    Case(4, 2, True, label="four queries, two keys, one row"),
    Case(2, 301, False, label="two queries, 301 keys, a row each"),
]


def draw(rng):
    return (int(rng.integers(2, 40)), int(rng.integers(2, 40)), bool(rng.integers(2)))


WRONG = """
start = 0 if shared else n_q - 1; back = 1 if shared else -1
return (0, 1 if shared else width + 1, 1)  # These are the steps for column j + i, as for reversed queries. In order,
# the column is j − i + n_q − 1.
return (0, n_k, 1)  # These are the steps of a plain (n_q, n_k) array. Here its cells lie among the rows.
per_query = -1 if shared else width + 1  # With a row each, your slices move right. They move left: a row less one.
per_query = 1 if shared else width - 1  # With one shared row, your slices move right. They move one number *back*.
per_query = 0 if shared else width - 1  # With a step of 0 all queries see the same slice. It moves.
per_query = -1 if shared else width  # With a row each, your step is n_q + n_k − 1 numbers, which is a whole row. The
# slice also moves one column back, so it is one less.
back = 0  # Your slice stays in the same columns from query to query. It moves one column back.
per_query = -1 if shared else n_k  # The next query is one row further and one column back: the row's width minus 1,
# which is n_k only for two queries.
per_query = -1  # With a row each, one number back is still in the row of query 0. The next row is a whole row on.
per_query = width - 1 if shared else -1  # You exchanged the two cases. One number back is for the shared row.
per_query = width - 1  # `shared` has no effect. A single row has no next row: stay in it, one number back.
start = 0  # You start at place 0. Cell (0, 0) has offset 0, which is column n_q − 1.
return (start, per_query, -1)  # Your step per key has the wrong sign. The next key is one offset later.
return (per_query, 1, start)
return (start, 1, per_query)  # Your numbers are in another order. It is start, step per query, step per key.
return (start, 8 * per_query, 8)
return (4 * start, 4 * per_query, 4)
return (8 * start, 8 * per_query, 8)  # These are bytes, as NumPy's strides are. Count in numbers.
"""

HINTS = [
    "In which column is cell (0, 0)? Put i = 0 and j = 0 into j − i + n_q − 1.",
    "With a row each, the place is row · width + column. Write it for cell (i, j). What multiplies i, and what j?",
    "i · width + j − i + n_q − 1 = (n_q − 1) + i · (width − 1) + j. With a shared row the first term is missing.",
]
