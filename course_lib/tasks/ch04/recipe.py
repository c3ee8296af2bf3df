"""The recipe of stacked diagonals, and what it forgets."""

import numpy as np

from ...example import Q
from ...reference.skew import huang_scores
from ..engine import Axis, Case, Mistake, Task
from .common import KEY, QUERY, normal
from .skewing import _example_table


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
    return _example_table(m)[::-1].copy()


def _drawn(rng):
    n_q, past = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    n_k = int(rng.integers(1, past + n_q + 1))
    m = past + n_q + n_k + int(rng.integers(0, 3))
    return normal(rng, n_q, 3), normal(rng, 2 * m - 1, 3), n_k, past


def _later_piece(q, table, n_k, past):
    n_q, products = len(q), q @ table.T
    return np.stack([np.diagonal(products, len(table) // 2 - j)[past : past + n_q] for j in range(n_k)], axis=1)


def _padded_queries(q, table, n_k, past):
    """Empty rows for the past, and then the first n_q rows, which are those of the past."""
    n_q, products = len(q), np.concatenate([np.zeros((past, q.shape[1])), q]) @ table.T
    return np.stack([np.diagonal(products, len(table) // 2 - j)[:n_q] for j in range(n_k)], axis=1)


def _row_of(index):
    """S with row m − 1 − offset(i, j, n_q, n_k, past) of the table."""

    def wrong(q, table, n_k, past):
        n_q, m = len(q), len(table) // 2 + 1
        places = [[m - 1 - index(i, j, n_q, n_k, past) for j in range(n_k)] for i in range(n_q)]
        return [[q[i] @ table[c] for c in line] for i, line in enumerate(places)]

    return wrong


stacked_scores = Task(
    title="Bug hunt: the decoder that reads the future",
    minutes=12,
    difficulty=3,
    words=r"""A recipe found in the wild lays out $S_{ij} = q_i \cdot e_{j - \text{past} - i}$ without index arithmetic. Its table runs
from the most distant **future** to the most distant past, so offset $o$ stands in row $m - 1 - o$ and offset 0 in the middle, row `zero`. What belongs under key $j$
then is one whole diagonal of the product, and the columns are stacked. For whole sentences it is right. When a decoder
reads a new word with `past` tokens in its cache, no error appears, and every key gets the vector of a future offset.

`stacked_scores(Q[4:], table, 5, 4)` should be the last row of `stacked_scores(Q, table, 5, 0)`. Find the bug and mend it; the
tables here are long enough for every diagonal. To see what happens: `ruler = np.arange(9.0, -10, -1)[:, None]` is a table
whose vectors *are* the offsets, and `stacked_scores(np.ones((1, 1)), ruler, 5, 4)` should be `[[-4, -3, -2, -1, 0]]`.""",
    solution=_stacked_scores,
    given=_stacked_scores_given,
    expected=lambda q, table, n_k, past: huang_scores(q, np.asarray(table)[::-1], n_k, past=past),
    cases=[
        Case(Q[4:], _future_first(10), 5, 4, says='decoding "mat"', axes=(Axis("query", ("mat",)), KEY)),
        Case(Q, _future_first(10), 5, 0, says="the whole sentence at once", axes=(QUERY, KEY)),
        Case(Q[3:], _future_first(10), 5, 3, says='"on" and "mat" at once', axes=(Axis("query", ("on", "mat")), KEY)),
        Case(
            Q[1:3],
            _future_first(9),
            5,
            1,
            says='"cat" and "sat", two keys ahead',
            axes=(Axis("query", ("cat", "sat")), KEY),
        ),
        Case(Q[:1], _future_first(3), 1, 0, says="the very first token", axes=("query", "key")),
    ],
    draw=_drawn,
    mistakes=[
        Mistake(
            " + past",
            "",
            "Row 0 is still taken for position 0. Where does the first query stand when `past` tokens came before it?",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j + past - i),
            "The shift has the wrong sign: now the keys lie even further in the future. Higher diagonals of this table are nearer to which end?",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j - past - i - 1),
            "One too far: the new word must meet its own key, at j = past, with offset 0.",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j - past - i + 1),
            "One short: the new word must meet its own key, at j = past, with offset 0.",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j - i - n_k + n_q),
            "You take n_k − n_q for `past`. It agrees while the queries are the last of the keys, and not when keys lie ahead.",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j - i - n_k + 1),
            "Right for one new word. With several, the first of them stands at `past`, not at the last key.",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: past + i - j),
            "Past and future are swapped: this table begins with the future, so offset o stands in row zero − o.",
        ),
        Mistake(
            _row_of(lambda i, j, n_q, n_k, past: j - past),
            "All queries get the offsets of the first new one. Each further query is one position on.",
        ),
        Mistake(
            "zero - j + past",
            "zero + j + past",
            "Your keys run the wrong way: a later key has a later offset, and later offsets stand further left in this table.",
        ),
        Mistake(
            "zero - j + past",
            "j - zero + past",
            "The middle and the key have each other's sign: offset 0 stands `zero` columns to the right, and later keys further left.",
        ),
        Mistake(
            "zero - j + past",
            "past - j",
            "You count columns from the left end, where the most distant future stands. Offset 0 stands in column `zero`.",
        ),
        Mistake(
            "zero - j + past",
            "zero + j - past",
            "Both signs are turned. A later key has a later offset, which stands further left in this table; a longer past moves all of them to the right.",
        ),
        Mistake(
            "zero - j + past",
            "zero - j + past * n_q",
            "The first new query stands at `past`, however many queries there are: shift by `past`, once.",
        ),
        Mistake(
            "zero - j + past",
            "zero - j + (past if n_q == 1 else 0)",
            "You shift for a single new word only. Several new words after a past stand at `past` and following, too.",
        ),
        Mistake(
            "n_q, zero = len(q), len(table) // 2",
            "n_q, zero = len(q), n_k - 1",
            "You put offset 0 in column n_k − 1. The table is made for longer texts: its middle is `len(table) // 2`, as it was.",
        ),
        Mistake(
            "np.stack(columns, axis=1)",
            "np.tril(np.stack(columns, axis=1))",
            "`np.tril` clears what lies above the diagonal, and here these are scores that are asked for. Nothing is to be hidden.",
        ),
        Mistake(
            "np.stack(columns, axis=1)",
            "np.tril(np.stack(columns, axis=1), past)",
            "The keys after the query are set to 0. Their scores are asked for as well: hiding them is the job of a mask.",
        ),
        Mistake(
            lambda q, table, n_k, past: _stacked_scores_given(q[past:], table, n_k, 0),
            "You cut `past` queries off. `q` holds the new ones only, those of the past are not in it: none is to be skipped.",
        ),
        Mistake(
            _padded_queries,
            "With `past` empty rows in front, row 0 really is position 0. But then the first n_q rows are those of the past: which rows are the new ones?",
        ),
        Mistake(
            _later_piece,
            "You skip the first `past` queries. But `q` holds the new ones only: row 0 is the first of them, and none is to be skipped. What must change is *which* diagonal.",
        ),
        Mistake(
            "np.stack(columns, axis=1)",
            "np.stack(columns, axis=0)",
            "The diagonals are stacked as rows. Each belongs under one key: it is a column.",
        ),
    ],
    alternatives=[
        lambda q, table, n_k, past: huang_scores(q, table[::-1], n_k, past=past),
        _row_of(lambda i, j, n_q, n_k, past: j - past - i),
    ],
    hints=[
        "Take one query, a table whose rows are the offsets themselves, and print what each key gets.",
        "Row 0 of the product is position `past`. Under key j it needs offset j − past: which column of the product is that?",
        "Offset o stands in column zero − o, and a diagonal of `np.diagonal(x, k)` begins in column k.",
    ],
)
