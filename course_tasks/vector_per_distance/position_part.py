"""Bug hunt: every later key looks like offset 0."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import Q
from course_lib.reference.shaw import key_term

from ..shared import KEY, QUERY, normal
from .common import TABLE

OFFSETS = np.arange(-4.0, 5.0)[:, None]  # a table of one column, in which row k + r holds r


def _position_part(q, table):
    """Position part q_i · a[j - i] of the scores, not scaled.

    q (n, d), table (2k + 1, d); returns (n, n).
    """
    n, k = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    rows = np.clip(j - i, -k, k) + k
    return (q[:, None] * table[rows]).sum(axis=-1)


def _position_part_given(q, table):
    """Position part q_i · a[j - i] of the scores, not scaled.

    q (n, d), table (2k + 1, d); returns (n, n).
    """
    n, k = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    rows = np.clip(j - i + k, -k, k)
    return (q[:, None] * table[rows]).sum(axis=-1)


def _draw(rng):
    n, d, k = int(rng.integers(5, 9)), int(rng.integers(1, 5)), int(rng.integers(1, 3))
    return normal(rng, n, d), normal(rng, 2 * k + 1, d)


position_part = CodingTask(
    title="Bug hunt: every later key looks like offset 0",
    minutes=8,
    difficulty=2,
    words="""This function returns the position part of the scores. It runs without an error, and the shape is right.
But every key after the query gets the vector of offset 0, and keys far back get vectors that belong to later keys. Find
the bug and fix it.

A table with one column shows which row was used. With `q = np.ones((5, 1))` and `table = np.arange(-1, 2)[:, None]`,
the result should be the clipped offset of each pair. Its first row is 0, 1, 1, 1, 1.""",
    solution=_position_part,
    starter=_position_part_given,
    expected=lambda q, table: key_term(q, table),
    cases=[
        Case(Q, TABLE, label="the five tokens", axes=(QUERY, KEY)),
        Case(np.ones((5, 1)), OFFSETS[3:6], label="a table that holds the offsets −1, 0, 1", axes=(QUERY, KEY)),
        Case(np.ones((7, 1)), OFFSETS[2:7], label="seven tokens, offsets −2 … 2", axes=("query", "key")),
        Case(np.ones((3, 1)), OFFSETS, label="nothing to clip", axes=("query", "key")),
        Case(np.ones((3, 1)), np.full((1, 1), 2.0), label="clip 0, one vector for all", axes=("query", "key")),
        Case(Q[:1], TABLE, label="one token alone", axes=("query", "key")),
    ],
    draw=_draw,
    pieces="""
j - i
    the offset: It is the position of the key minus that of the query, j − i.
-k
    the lower end of the clipping: It is −k.
np.clip(j - i, -k, k) + k
    the row: It is the clipped offset plus k, so offset −k takes row 0.
np.clip(j - i, -k, k)
    the clipping: Keys farther away than k share the first or the last row.
len(table) // 2
    the clip: The table has 2k + 1 rows, so k is half of their number, rounded down.
np.arange(n)
    the range of positions: There are n tokens, at 0, 1, 2, …
np.arange(n)[:, None]
    the column of queries: The queries are the rows of the result, so they need `[:, None]`.
q[:, None]
    the query: Query i, `q[:, None]`, multiplies the vector of each pair (i, j).
table[rows]
    the vector of each pair: It is `table[rows]`, of shape (n, n, d).
axis=-1
    the sum: It adds up the numbers of each product, along the last axis.
(q[:, None] * table[rows]).sum(axis=-1)
    the sum: It adds up the numbers of each product, along the last axis.
""",
    slips="""
np.clip(j - i, -k, k) + k → np.clip(j - i + k, -k, k) + k
    You shift twice, inside the clipping and after it. Remove the shift inside.
np.clip(j - i, -k, k) + k → np.clip(i - j + k, -k, k)
    You reversed the difference, but j − i was right. Look at the order of clipping and shifting.
np.clip(j - i, -k, k) + k → np.clip(j - i + k, 0, k)
    No row is negative any more, but all later keys still share row k. How many rows does the table have?
np.clip(j - i, -k, k) + k → np.clip(j - i + k, -2 * k, 2 * k)
    The rows of later keys are right now. Those of keys far back are still negative, and NumPy counts them from the end.
np.clip(j - i, -k, k) + k → np.clip(j - i + k, 0, 2 * k - 1)
    The upper end is one too small. The last row of the table is 2k, and no key reaches it.
np.clip(j - i, -k, k) + k → (j - i + k) % (2 * k + 1)
    With `%`, far offsets start again at the other end of the table. They should stay in its first or last row.
np.clip(j - i, -k, k) + k → j - i + k
    Some rows run past the end of the table, whose last row is 2k. Is the offset clipped on both sides, and is the
    limit right?
-k, k) + k → -k, k)
    You clip but no longer shift. Offset −k should take row 0, and NumPy reads row −1 as the last one.
-k, k) + k → -k, k) - k
    You shift down instead of up, and NumPy counts negative rows from the end. Offset −k should take row 0.
j - i → abs(j - i)
    You use the distance |j − i|, so keys before the query get the vectors of those after it.
.sum(axis=-1) → .mean(axis=-1)
    You take the mean. The numbers of each product are added up.
len(table) // 2 → 1
    The clip is fixed at 1. It is k, which follows from the table.
q[:, None] * table[rows] → q * table[rows]
    Your entry (i, j) uses query j, because a `[:, None]` is missing. Write `q[:, None] * table[rows]`, or `(q @
    table.T)[np.arange(n)[:, None], rows]`.
""",
    alternatives=[
        lambda q, table: (
            q[:, None]
            * table[np.clip(np.arange(len(q)) - np.arange(len(q))[:, None] + len(table) // 2, 0, 2 * (len(table) // 2))]
        ).sum(-1),
    ],
    hints=[
        "Print `rows` for five tokens and k = 1. Which rows should it contain, and which does it contain? NumPy takes "
        "row −1 for the last one without an error.",
        "After `+ k`, an offset is no longer between −k and k. What should come first?",
    ],
)
