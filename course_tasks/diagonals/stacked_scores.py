"""A bug hunt: scores stacked from diagonals, in a decoder that reads the future."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import Q
from course_lib.reference.music_transformer import music_transformer_scores

from ..shared import KEY, QUERY, normal
from .common import LAST, LAST_TWO, example_table

CAT_SAT = Axis("query", ("cat", "sat"))


def _stacked_scores(q, table, n_k, past):
    """S[i, j] = q_i · e[j − past − i], (n_q, n_k); the table begins with the FUTURE."""
    n_q, zero = len(q), len(table) // 2
    products = q @ table.T
    columns = [np.diagonal(products, zero - j + past)[:n_q] for j in range(n_k)]
    return np.stack(columns, axis=1)


def _stacked_scores_given(q, table, n_k, past):
    """S[i, j] = q_i · e[j − past − i], (n_q, n_k); the table begins with the FUTURE."""
    n_q, zero = len(q), len(table) // 2
    products = q @ table.T
    columns = [np.diagonal(products, zero - j)[:n_q] for j in range(n_k)]
    return np.stack(columns, axis=1)


def _future_first(m):
    return example_table(m)[::-1].copy()


def _draw(rng):
    n_q, past = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    n_k = int(rng.integers(1, past + n_q + 1))
    m = past + n_q + n_k + int(rng.integers(0, 3))
    return normal(rng, n_q, 3), normal(rng, 2 * m - 1, 3), n_k, past


def _by_loops(q, table, n_k, past):
    zero = len(table) // 2
    return [[q[i] @ table[zero - (j - past - i)] for j in range(n_k)] for i in range(len(q))]


stacked_scores = CodingTask(
    title="Bug hunt: the decoder that reads the future",
    minutes=12,
    difficulty=3,
    words=r"""I. Ukhov's article *Relative positional embedding for any attention mechanism* (blog.ivanukhov.com, 17
January 2024) computes $S_{ij} = q_i \cdot e_{j - \text{past} - i}$ without index arithmetic. The table begins with the
most distant **future** and ends with the most distant past, so offset 0 is in the middle, in row `zero`, and offset $o$
is in row `zero` $- o$. Then all scores of key $j$ are one diagonal of the product, and these diagonals become the
columns of $S$. For a whole sentence that is no longer than the table was made for, the result is right.

In a decoder with a cache it is wrong, although no error appears: with `past` tokens in the cache, a new token gets the
vectors of future offsets. Find the bug and fix it. The tables here are long enough for every diagonal.

`stacked_scores(Q[4:], table, 5, 4)` should be the last row of `stacked_scores(Q, table, 5, 0)`. To see what happens, let
`ruler = np.arange(9.0, -10, -1)[:, None]` be a table whose vectors *are* the offsets. Then
`stacked_scores(np.ones((1, 1)), ruler, 5, 4)` should be `[[-4, -3, -2, -1, 0]]`.""",
    solution=_stacked_scores,
    starter=_stacked_scores_given,
    expected=lambda q, table, n_k, past: music_transformer_scores(q, np.asarray(table)[::-1], n_k, past=past),
    cases=[
        Case(Q[4:], _future_first(10), 5, 4, label='decoding "mat"', axes=(LAST, KEY)),
        Case(Q, _future_first(10), 5, 0, label="the whole sentence at once", axes=(QUERY, KEY)),
        Case(Q[3:], _future_first(10), 5, 3, label='"on" and "mat" at once', axes=(LAST_TWO, KEY)),
        Case(Q[1:3], _future_first(9), 5, 1, label='"cat" and "sat", two keys ahead', axes=(CAT_SAT, KEY)),
        Case(Q[:1], _future_first(3), 1, 0, label="the very first token", axes=("query", "key")),
    ],
    draw=_draw,
    pieces="""
past
    `past`: The first new query is at position `past`.
zero - j
    the column of offset j: This table begins with the future, so later offsets are further to the left.
zero
    the middle of the table: Offset 0 is in column `zero`.
zero - j + past
    the diagonal: Offset o is in column zero − o, and a later key has a later offset.
len(table) // 2
    the middle of the table: It is row `len(table) // 2`, as in the given code.
table.T
    the table: Each query meets each vector, `q @ table.T`.
axis=1
    the stacking: Each diagonal belongs under one key, so it is a column.
""",
    slips="""
+ past →
    Row 0 is still taken for position 0. At which position is the first query if `past` tokens came before it?
+ past → - past
    Your shift has the wrong sign, so the keys are even further in the future. To which end of this table do higher
    diagonals lead?
+ past → + past + 1
    You shift one place too far. The new word should meet its own key, at j = past, with offset 0.
+ past → + past - 1
    You shift one place too little. The new word should meet its own key, at j = past, with offset 0.
+ past → + past * n_q
    You shift by `past` for each query. The first new query is at `past`, however many queries there are.
+ past → + (past if n_q == 1 else 0)
    You shift for a single new word only. Several new words are at `past` and the following positions, too.
+ past → + n_k - n_q
    You take n_k − n_q for `past`. The two are equal only where the last query is the last key, not with keys ahead.
+ past → + n_k - 1
    Your result is right for one new word. With several, the first of them is at `past`, not at the last key.
zero - j + past → zero + j + past
    Your keys run in the wrong direction. A later key has a later offset, which is further left in this table.
zero - j + past → j - zero + past
    The middle and the key have each other's sign. Offset 0 is `zero` columns to the right, and later keys are
    further left.
zero - j + past → past - j
    You count the columns from the left end, where the most distant future is. Offset 0 is in column `zero`.
zero - j + past → zero + j - past
    Both signs are reversed. A later key has a later offset, which is further left in this table; a longer past
    moves all of them to the right.
table.T → table[::-1].T
    You swapped past and future. This table begins with the future, so offset o is in row zero − o.
table.T → table[::-1].T
zero - j + past → zero + j - past
    With the table reversed, the diagonals run the wrong way: query i gets the offset j − past + i. Leave the table as
    it is, because each later query should get an earlier offset.
np.diagonal(products, zero - j + past)[:n_q] → products[:, zero - j + past]
    All queries get the offsets of the first new one. Each further query is one position later.
n_q, zero = → q = q[past:]; n_q, zero =
+ past →
or [:n_q] → [past : past + n_q]
+ past →
    You skip the first `past` queries. But `q` holds only the new ones, and row 0 is the first of them, so skip none.
    What should change is *which* diagonal you read.
q @ table.T → np.pad(q, ((past, 0), (0, 0))) @ table.T
+ past →
    With `past` empty rows in front, row 0 really is position 0. But then the first n_q rows are those of the past.
    Which rows are the new ones?
len(q), → q,
    You use an array as a number. Is a `len(…)` missing?
len(table) // 2 → n_k - 1
    You put offset 0 into column n_k − 1. The table was made for longer texts: its middle is still `len(table) // 2`.
np.stack(columns, axis=1) → np.tril(np.stack(columns, axis=1))
or np.stack(columns, axis=1) → np.tril(np.stack(columns, axis=1), past)
    You set scores above a diagonal to 0, but they are asked for as well. Hiding keys is the job of a mask.
""",
    alternatives=[_by_loops],
    hints=[
        "Take one query and a table whose rows are the offsets themselves, and print what each key gets.",
        "Row 0 of the product is position `past`. Under key j it needs offset j − past. In which column is it?",
        "Offset o is in column zero − o, and a diagonal of `np.diagonal(x, k)` begins in column k.",
    ],
)
