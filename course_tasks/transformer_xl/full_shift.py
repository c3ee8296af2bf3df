"""Bug hunt: right in one cell."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import Q
from course_lib.reference.grid import to_grid

from .common import KEY, QUERY, normal, vectors


def _full_shift(rows):
    """Lay rows (n, 2n - 1), one column per offset -(n - 1) … n - 1, on the grid (n, n)."""
    n = len(rows)
    padded = np.concatenate([np.zeros((n, 1)), rows], axis=1)
    folded = padded.reshape(2 * n, n)[1:]
    return folded.reshape(n, 2 * n - 1)[:, :n]


def _full_shift_given(rows):
    """Lay rows (n, 2n - 1), one column per offset -(n - 1) … n - 1, on the grid (n, n)."""
    n = len(rows)
    padded = np.concatenate([np.zeros((n, 1)), rows], axis=1)
    folded = padded.reshape(2 * n, n)[1:]
    return folded[:n].T


def _slices(rows):
    n = len(rows)
    return np.stack([row[n - 1 - i :][:n] for i, row in enumerate(rows)])


def _padded_behind(rows):
    n = len(rows)
    line = np.hstack([rows, 0 * rows[:, :1]]).ravel()[n - 1 : -1]
    return line[: n * (2 * n - 1)].reshape(n, -1)[:, :n]


full_shift = CodingTask(
    title="Bug hunt: right in one cell",
    minutes=12,
    difficulty=3,
    words=r"""This is a version of the shift for all offsets. The rows have $2n - 1$ columns, one for each offset from
$-(n-1)$ to $n-1$, so the result need not contain any junk. The shapes are right and nothing is raised. Under a causal
mask no query gets a number of a later one, so tests of shape and of leaking pass. Only a loop over the formula shows
the bug: of the 15 cells that five causal tokens look at, one holds the right number.

The first three lines are correct. `rows[i, c]` belongs to query $i$ and offset $c - (n - 1)$, and cell $(i, j)$ of the
grid must hold `rows[i, j - i + n - 1]`. To see what happens, call the function with
`10 * np.arange(1, 4)[:, None] + np.arange(5)`, where 23 means query 1, column 3.""",
    solution=_full_shift,
    starter=_full_shift_given,
    expected=lambda rows: to_grid(rows, len(rows)),
    cases=[
        Case(10.0 * np.arange(1, 4)[:, None] + np.arange(5), label="labels, 23 is query 1, column 3"),
        Case(Q @ vectors(5, 5).T, label="the five tokens", axes=(QUERY, KEY)),
        Case(np.array([[7.0]]), label="one token alone"),
        Case(np.arange(12.0).reshape(4, 3)[:2], label="two tokens"),
    ],
    axes=("query", "key"),
    draw=lambda rng: (normal(rng, n := int(rng.integers(2, 8)), 2 * n - 1),),
    pieces="""
2 * n - 1
    the width of the new rows: After the shift, each query has 2n − 1 numbers.
folded.reshape(n, 2 * n - 1)[:, :n]
    the last line: Of each row of 2n − 1 numbers, only the first n belong to keys.
padded.reshape(2 * n, n)[1:]
    the line of numbers: Its first piece holds a zero and numbers that query 0 does not need, so it is dropped.
axis=1
    the padding: It adds one column in front of the rows.
n
    the number of tokens: The grid has a row for each query and a column for each key.
""",
    slips="""
.reshape(n, 2 * n - 1)[:, :n] → [:n].T
    The first n rows of `folded` hold the numbers of only half the queries. How must the line of numbers be cut so that
    each query gets one row? (After `.T`, a `reshape` to (n, 2n − 1) changes nothing, because that is its shape already.)
.reshape(n, 2 * n - 1)[:, :n] → [:n]
    These rows are still pieces of n numbers, two for each query. A query has 2n − 1 numbers after the shift.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(n, 2 * n - 1)[:, n - 1 :]
    The rows are right, but you kept the wrong columns. The keys are the first n of every row.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(n, 2 * n - 1)[:, :n].T
    Leave out the transpose. After the reshape the rows already are the queries.
folded.reshape(n, 2 * n - 1)[:, :n] → [[rows[i, i - j + n - 1] for j in range(n)] for i in range(n)]
    You look up i − j. The columns are sorted by the offset j − i, so the past is on the left.
folded.reshape(n, 2 * n - 1)[:, :n] → [[rows[i, j - i] for j in range(n)] for i in range(n)]
    Column j − i is negative for keys before the query, and NumPy then counts from the end. Offset 0 is in column n − 1.
folded.reshape(n, 2 * n - 1)[:, :n] → [[rows[j, j - i + n - 1] for j in range(n)] for i in range(n)]
    The column is right, but you take it from the row of query j. Cell (i, j) belongs to query i.
folded.reshape(n, 2 * n - 1)[:, :n] → [[rows[i, j - i + n] for j in range(n)] for i in range(n)]
    You look one column too far to the right. Offset 0 is in column n − 1, and the last column is 2n − 2.
folded.reshape(n, 2 * n - 1)[:, :n] → [[rows[i, j - i + n - 2] for j in range(n)] for i in range(n)]
    You look one column too far to the left. Offset 0 is in column n − 1.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(2 * n - 1, n)[n - 1 :]
or .reshape(n, 2 * n - 1)[:, :n] → .reshape(2 * n - 1, n)[n - 1 :].T
    You took the last pieces instead of the first, but they still have n numbers. A query has 2n − 1: change the shape.
folded.reshape(n, 2 * n - 1)[:, :n] → np.tril(folded.reshape(n, 2 * n - 1)[:, :n])
    You cleared the keys after the query. Here every offset has its number, so leave out the mask.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(n, 9)[:, :n]
    9 is 2n − 1 for five tokens only. Take n from the rows.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(n, 5)[:, :n]
    5 is 2n − 1 for three tokens only. Take n from the rows.
.reshape(n, 2 * n - 1)[:, :n] → [:, :n].T
    `folded` has n columns, so `[:, :n]` keeps all of them. It is the width of its rows that must change.
.reshape(n, 2 * n - 1)[:, :n] → [::2].T
    Every second piece holds only a part of a query's numbers, and the transpose makes a column of it. Change the width
    of the rows instead.
folded.reshape(n, 2 * n - 1)[:, :n] → np.stack([np.roll(row, -k) for k, row in enumerate(rows)])[:, n - 1 :]
    Your rows move the wrong way. Key 0 has offset 0 for the first query and −i for query i, which is further left in
    its row.
folded.reshape(n, 2 * n - 1)[:, :n] → rows[:, :n]
    Nothing is shifted. In these columns every query has the same offsets.
folded.reshape(n, 2 * n - 1)[:, :n] → rows[:, n - 1 :]
    Nothing is shifted. Every query has the offsets from 0 up, as if each were at position 0.
.reshape(n, 2 * n - 1)[:, :n] → .reshape(n, 2 * n - 1)[:, :n][::-1]
    Each row is right but belongs to another query, because you reversed their order.
padded.reshape(2 * n, n)[1:] → padded.reshape(2 * n, n)[:-1]
    You dropped the last piece instead of the first. Skip n numbers at the beginning.
[np.zeros((n, 1)), rows] → [rows, np.zeros((n, 1))]
    With the zeros at the end, you need to skip one number fewer. They were right in front.
""",
    alternatives=[_slices, _padded_behind],
    hints=[
        "Print `folded` for the labels. How many of its rows does one query fill?",
        "With its zero, each query has 2n numbers. The trick is to cut the line into rows that are one number shorter.",
        "`folded` holds n(2n − 1) numbers in the right order. Reshape it, and keep the first n numbers of every row.",
    ],
)
