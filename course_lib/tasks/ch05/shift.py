"""The relative shift: with a memory in front, and a version that reads the wrong query."""

import numpy as np

from ...example import Q
from ...reference.grid import to_grid
from ..engine import Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, normal, vectors


def _relative_shift(rows):
    """Lay rows (n_q, n_k), a column per distance n_k - 1 … 0, on the grid (n_q, n_k).

    0 for keys after the query.
    """
    n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((n_q, 1)), rows], axis=1)
    shifted = padded.ravel()[n_q:].reshape(n_q, n_k)
    return np.tril(shifted, n_k - n_q)


def _expected_shift(rows):
    """The columns beyond offset 0 are zeros, and all of them go on the diagonals."""
    n_q = len(rows)
    return to_grid(np.concatenate([rows, np.zeros((n_q, n_q - 1))], axis=1), n_q)


def _shift_by_hand(rows):
    n_q, n_k = rows.shape
    grid = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k - n_q + i + 1):
            grid[i, j] = rows[i, n_k - 1 - (n_k - n_q + i - j)]
    return grid


def _shift_as_published(rows):
    n_q, n_k = rows.shape
    padded = np.hstack([np.zeros((n_q, 1)), rows])
    return np.tril(padded.reshape(n_k + 1, n_q)[1:].reshape(n_q, n_k), n_k - n_q)


def _no_past(rows):
    n_q, n_k = rows.shape
    return [[rows[i, n_k - 1 - (i - j)] if j <= i else 0.0 for j in range(n_k)] for i in range(n_q)]


def _column_is_distance(rows):
    n_q, n_k = rows.shape
    past = n_k - n_q
    return [[rows[i, past + i - j] if j <= past + i else 0.0 for j in range(n_k)] for i in range(n_q)]


def _loops(column, visible):
    """Two loops over the grid, with a rule for the column and one for where a number stands."""

    def shift(rows):
        n_q, n_k = rows.shape
        grid = np.zeros((n_q, n_k))
        for i in range(n_q):
            for j in range(n_k):
                if visible(i, j, n_q, n_k):
                    grid[i, j] = rows[i, column(i, j, n_q, n_k)]
        return grid

    return shift


def _not_cut_anew(rows):
    return np.hstack([np.zeros((len(rows), 1)), rows])[:, :-1]


def _only_square(rows):
    n_q, n_k = rows.shape
    return np.tril(np.hstack([np.zeros((n_q, 1)), rows]).reshape(n_q + 1, n_k)[1:])


def _after_is_zero(result, rows):
    """Asked only when what is visible is right: else there is something more urgent to say."""
    after = len(rows[0]) - len(rows) + 1
    visible = np.allclose(np.asarray(result) - np.triu(result, after), _expected_shift(rows))
    return not visible or np.allclose(np.triu(result, after), 0)


def _distances(n_q, n_k):
    """Rows that say their own distance and query: 10 · (query + 1) + distance."""
    return 10.0 * np.arange(1, n_q + 1)[:, None] + np.arange(n_k - 1, -1, -1)


relative_shift = Task(
    title="The relative shift, with memory",
    minutes=15,
    difficulty=3,
    words=r"""`rows` has a row per query and a column per distance, from $n_k - 1$ in column 0 down to 0 in the last:
`rows[i, c]` is $q_i \cdot r$ for distance $n_k - 1 - c$. There are $n_k - n_q$ keys in memory, so query $i$ stands at
position $n_k - n_q + i$.

Return the grid $(n_q, n_k)$ in which cell $(i, j)$ holds the number for the distance from query $i$ back to key $j$. Keys
after the query have no number here: put 0 there, which leaves no junk. Loops are welcome; the published way pads a column
in front and cuts the flat line of numbers anew.

Three queries after a memory of two, the first row being distances 4, 3, 2, 1, 0 of query 0: row 0 of the grid is
`[rows[0, 2], rows[0, 3], rows[0, 4], 0, 0]`.""",
    solution=_relative_shift,
    expected=_expected_shift,
    cases=[
        Case(_distances(3, 5), says="three queries, memory of two", axes=("query", "key")),
        Case(Q @ vectors(5, 5)[:5].T, says="the five tokens, no memory", axes=(QUERY, KEY)),
        Case(_distances(1, 5), says="one query after four", axes=("query", "key")),
        Case(_distances(2, 7), says="two queries, memory of five", axes=("query", "key")),
        Case(np.array([[3.0]]), says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (normal(rng, n_q := int(rng.integers(2, 6)), n_q + int(rng.integers(0, 5))),),
    properties=[
        Property(
            "nothing after the query",
            _after_is_zero,
            "Every number up to the query is right. Behind it, keys after n_k − n_q + i should get 0, and some have a number.",
        )
    ],
    mistakes=[
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "shifted",
            "The visible part is right. After the query still stands junk: a zero, then numbers of the next query. Put 0 there.",
        ),
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "np.tril(shifted)",
            "The zeros begin too early: the memory is forgotten. Query i stands at n_k − n_q + i and sees every key up to there.",
        ),
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "np.tril(shifted, n_q - n_k)",
            "The zeros reach too far down: a memory makes *more* keys visible. Query i sees up to key n_k − n_q + i.",
        ),
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "np.tril(shifted, n_k - n_q - 1)",
            "The diagonal of distance 0 is set to 0 as well: a token may look at itself.",
        ),
        Mistake(
            "shifted = padded.ravel()[n_q:].reshape(n_q, n_k)",
            "shifted = rows",
            "Nothing is shifted: every row still has distance 0 in its last column. Only the last query stands that far right.",
        ),
        Mistake(
            "[np.zeros((n_q, 1)), rows]",
            "[rows, np.zeros((n_q, 1))]",
            "One column too far: each cell holds the number of the next smaller distance, and the diagonal has none left. (With padding: the column of zeros belongs in front of the rows.)",
        ),
        Mistake(
            "[n_q:].reshape(n_q, n_k)",
            "[:-n_q].reshape(n_q, n_k)",
            "The wrong end is cut off: skip the first n_q numbers and keep the last.",
        ),
        Mistake(
            "[n_q:].reshape(n_q, n_k)",
            "[1:][: n_q * n_k].reshape(n_q, n_k)",
            "You skip one number. The n_q numbers too many are all at the beginning: skip n_q.",
        ),
        Mistake(
            "[n_q:].reshape(n_q, n_k)",
            "[n_q:].reshape(n_k, n_q).T",
            "The line is cut into pieces of n_q and turned round. Cut every n_k numbers: a row of the grid has a cell per key.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, k + 1 - n_q) for k, row in enumerate(rows)])[:, ::-1]",
            "Your rows run backwards: distance falls from left to right, since keys on the left are further back.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, -k) for k, row in enumerate(rows)])",
            "Row 0 is left where it is and later rows move left. It is the other way: the last row stays, row i moves left by n_q − 1 − i.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, k) for k, row in enumerate(rows)])",
            "Later rows move right by i. Row i has to move left by n_q − 1 − i, so that the last one stays.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, k - n_q) for k, row in enumerate(rows)])",
            "Every row has moved one place too far to the left: the last query needs no shift at all.",
        ),
        Mistake(
            lambda rows: rows,
            "The rows come back as they were. Row i has to move left by n_q − 1 − i, so that distance 0 stands at key n_k − n_q + i.",
        ),
        Mistake(
            _no_past,
            "Your query i stands at position i. The memory lies in front of it: its position is n_k − n_q + i.",
        ),
        Mistake(
            _column_is_distance,
            "You take the distance for the column. Column 0 is the largest distance, n_k − 1, and the last column is 0.",
        ),
        Mistake(
            _loops(lambda i, j, n_q, n_k: j - i + n_q - 1, lambda *_: True),
            "For a key after the query there is no such column: rows end at distance 0. Put 0 there, and look up the other cells only.",
        ),
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "np.where(np.tri(n_q, n_k, n_k - n_q) > 0, shifted, -np.inf)",
            "Every number up to the query is right. Masking with −∞ comes later, on the scores: here keys after the query get 0.",
        ),
        Mistake(
            "np.tril(shifted, n_k - n_q)",
            "np.triu(shifted, n_k - n_q)",
            "`np.triu` keeps the keys after the query and sets the others to 0. It is the other side that is right.",
        ),
        Mistake(
            _loops(lambda i, j, n_q, n_k: j - (n_q - 1 - i), lambda i, j, n_q, n_k: j >= n_q - 1 - i),
            "Row i is moved to the right by n_q − 1 − i. It has to move left by as much.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, n_q - 1 - k) for k, row in enumerate(rows)])",
            "The size of each step is right and its direction is not: a positive number rolls to the right, and row i has to move left.",
        ),
        Mistake(
            _loops(lambda i, j, n_q, n_k: i - j + n_q - 1, lambda i, j, n_q, n_k: j <= i),
            "i and j have changed places in the column: one key later is one column later. And the memory is missing from the `if`.",
        ),
        Mistake(
            _loops(lambda i, j, n_q, n_k: i - j + n_q - 1, lambda i, j, n_q, n_k: j <= n_k - n_q + i),
            "i and j have changed places in the column: one key later is one column later, one query later is one column earlier.",
        ),
        Mistake(
            _loops(lambda i, j, n_q, n_k: 2 - i + j, lambda i, j, n_q, n_k: j <= 2 + i),
            "The 2 is right for the first case only: in the column it is n_q − 1, in the `if` it is the memory, n_k − n_q.",
        ),
        Mistake(
            lambda rows: [
                [rows[i, len(rows) - 1 - i + j] if j <= i else 0.0 for j in range(len(rows))] for i in range(len(rows))
            ],
            "Your grid is as wide as there are queries. It needs a column for each key, n_k of them.",
        ),
        Mistake(
            _not_cut_anew,
            "After the padding nothing is cut anew: the rows have the length n_k + 1 again, and each has only moved one place to the right.",
        ),
        Mistake(
            lambda rows: rows[:, ::-1],
            "The rows are mirrored and none is shifted. Their order is right as it is; row i has to move left by n_q − 1 − i.",
        ),
        Mistake(
            "padded.ravel()[n_q:].reshape(n_q, n_k)",
            "np.stack([np.roll(row, k + 1 - n_k) for k, row in enumerate(rows)])",
            "With a memory every row moves too far. The last query must not move at all, so row i moves by n_q − 1 − i and not by n_k − 1 − i.",
        ),
        Mistake(
            _only_square,
            "`(n_q + 1, n_k)` holds the padded numbers only when there is no memory. Skip n_q numbers of the flat line instead, then cut every n_k.",
        ),
    ],
    alternatives=[_shift_by_hand, _shift_as_published, _expected_shift],
    hints=[
        "Query i stands at n_k − n_q + i. Its distance to key j is that minus j. In which column does that distance stand?",
        "The column is j − i + n_q − 1, and it exists only up to n_k − 1. Two loops will do.",
        "The published way: zeros in front, flat, skip n_q numbers, `reshape(n_q, n_k)`. Then `np.tril(…, n_k - n_q)` for the zeros.",
    ],
)


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


full_shift = Task(
    title="Bug hunt: right in one cell",
    minutes=12,
    difficulty=3,
    words=r"""A version of the shift for all offsets. The rows have $2n - 1$ columns,
offsets $-(n-1)$ to $n-1$, so that there need be no junk at all. Shapes are right, nothing is raised, and under a causal
mask no query gets a number of a later one, so tests of shape and of leaking pass. Only a loop over the formula shows it:
of the 15 cells that five causal tokens look at, one holds the right number.

The first three lines are sound. `rows[i, c]` belongs to query $i$ and offset $c - (n - 1)$; cell $(i, j)$ of the grid must
hold `rows[i, j - i + n - 1]`. A good way to see what happens: call it with
`10 * np.arange(1, 4)[:, None] + np.arange(5)`, where 23 means query 1, column 3.""",
    solution=_full_shift,
    given=_full_shift_given,
    expected=lambda rows: to_grid(rows, len(rows)),
    cases=[
        Case(
            10.0 * np.arange(1, 4)[:, None] + np.arange(5),
            says="labels, 23 is query 1, column 3",
            axes=("query", "key"),
        ),
        Case(Q @ vectors(5, 5).T, says="the five tokens", axes=(QUERY, KEY)),
        Case(np.array([[7.0]]), says="one token alone", axes=("query", "key")),
        Case(np.arange(12.0).reshape(4, 3)[:2], says="two tokens", axes=("query", Axis("key"))),
    ],
    draw=lambda rng: (normal(rng, n := int(rng.integers(2, 8)), 2 * n - 1),),
    mistakes=[
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded[:n].T",
            "The first n rows of `folded` hold the numbers of half the queries only. Which cut of the line gives each query a row?",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded[:n]",
            "These rows are still pieces of n numbers, two to a query. A query has 2n − 1 numbers after the shift.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 2 * n - 1)[:, n - 1 :]",
            "The cut is right, the choice is not: the keys are the first n of every row.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 2 * n - 1)[:, :n].T",
            "The transpose is too much: after the new cut the rows are queries already.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "[[rows[i, i - j + n - 1] for j in range(n)] for i in range(n)]",
            "You look up i − j. The columns go by the offset j − i: the past is on the left.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "[[rows[i, j - i] for j in range(n)] for i in range(n)]",
            "Column j − i is negative for keys before the query, and NumPy then counts from the end. Offset 0 stands in column n − 1.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "[[rows[j, j - i + n - 1] for j in range(n)] for i in range(n)]",
            "The column is right, the row is not: cell (i, j) belongs to query i, and you take a number of query j.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "[[rows[i, j - i + n] for j in range(n)] for i in range(n)]",
            "One column too far: offset 0 stands in column n − 1, the largest in column 2n − 2.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "[[rows[i, j - i + n - 2] for j in range(n)] for i in range(n)]",
            "One column short: offset 0 stands in column n − 1.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(2 * n - 1, n)[n - 1 :]",
            "The last pieces instead of the first, and still pieces of n numbers: a query has 2n − 1.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "np.tril(folded.reshape(n, 2 * n - 1)[:, :n])",
            "The past is right. All offsets are asked for here, also those after the query: leave out the mask.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 9)[:, :n]",
            "9 is 2n − 1 for five tokens only: the rows say how many there are.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 5)[:, :n]",
            "5 is 2n − 1 for three tokens only: the rows say how many there are.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded[:, :n].T",
            "`folded` has n columns, so `[:, :n]` takes them all. It is the width of its rows that must change.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded[::2].T",
            "Every second piece is a part of one query's numbers, and the transpose turns it into a column. Cut the line anew instead.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "np.stack([np.roll(row, -k) for k, row in enumerate(rows)])[:, n - 1 :]",
            "Your rows move the wrong way. For the first query key 0 is offset 0, for query i it is −i: further left in its row.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(2 * n - 1, n)[n - 1 :].T",
            "Other rows, but still pieces of n numbers: a query has 2n − 1 numbers. Cut the line anew.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 2 * n - 1)",
            "The numbers are laid out right. Of each row only the first n belong to keys.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "rows[:, :n]",
            "Nothing is shifted: query i's first n columns are the same offsets as every other query's.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "rows[:, n - 1 :]",
            "Nothing is shifted: these are the offsets from 0 up, for every query, as if each stood at position 0.",
        ),
        Mistake(
            "folded.reshape(n, 2 * n - 1)[:, :n]",
            "folded.reshape(n, 2 * n - 1)[:, :n][::-1]",
            "Each row is right and belongs to another query: their order is upside down.",
        ),
        Mistake(
            "padded.reshape(2 * n, n)[1:]",
            "padded.reshape(2 * n, n)[:-1]",
            "The last piece is dropped instead of the first. Skip n numbers at the beginning.",
        ),
        Mistake(
            "[np.zeros((n, 1)), rows]",
            "[rows, np.zeros((n, 1))]",
            "With the zeros behind, one number fewer must be skipped. They were right in front.",
        ),
    ],
    alternatives=[
        lambda rows: np.stack([row[len(rows) - 1 - i :][: len(rows)] for i, row in enumerate(rows)]),
        lambda rows: (
            np.hstack([rows, 0 * rows[:, :1]])
            .reshape(-1)[len(rows) - 1 : -1][: len(rows) * (2 * len(rows) - 1)]
            .reshape(len(rows), -1)[:, : len(rows)]
        ),
    ],
    hints=[
        "Print `folded` for the labels. How many of its rows does one query fill?",
        "Each query owns 2n − 1 numbers and a zero, 2n in all. The trick is to cut the line into rows one shorter than that.",
        "`folded` holds n(2n − 1) numbers in the right order. Give them another shape, and keep the first n of every row.",
    ],
)
