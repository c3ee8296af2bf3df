r"""The relative shift, with memory · 15 minutes · ★★★

`rows` has a row per query and a column per distance, from $n_k - 1$ in column 0 down to 0 in the last
column: `rows[i, c]` is $q_i \cdot r$ for distance $n_k - 1 - c$. There are $n_k - n_q$ keys in memory, so query $i$ is
at position $n_k - n_q + i$.

Return the grid $(n_q, n_k)$ in which cell $(i, j)$ holds the number for the distance from query $i$ back to key $j$.
Keys after the query have no number here, so put 0 there. Loops are welcome. The published way adds a column in front
and then cuts the flat line of numbers into rows again.

For example, three queries follow a memory of two. The first row holds the distances 4, 3, 2, 1, 0 of query 0, and row 0
of the grid is `[rows[0, 2], rows[0, 3], rows[0, 4], 0, 0]`.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.example import Q
from course_lib.reference.grid import to_grid

from .common import KEY, QUERY, normal, vectors


def relative_shift(rows):
    """Lay rows (n_q, n_k), a column per distance n_k - 1 … 0, on the grid (n_q, n_k).

    0 for keys after the query.
    """
    n_q, n_k = rows.shape  # There are n_q numbers too many, all of them at the beginning.
    # The padding adds one column in front of the rows. The zeros are one column.
    padded = np.concatenate([np.zeros((n_q, 1)), rows], axis=1)
    # The flat line of numbers has n_q numbers too many, all of them at the beginning. The line is one number after
    # another, and it is cut into rows of n_k numbers.
    shifted = padded.ravel()[n_q:].reshape(n_q, n_k)
    # After each query the shift leaves a zero and numbers of the next query, so put 0 there. Query i is at position
    # n_k − n_q + i and sees every key up to there.
    return np.tril(shifted, n_k - n_q)


def expected(rows):
    """Zeros for the offsets above 0, then all columns on their diagonals."""
    n_q = len(rows)
    return to_grid(np.concatenate([rows, np.zeros((n_q, n_q - 1))], axis=1), n_q)


def _after_is_zero(result, rows):
    """Asked only when the visible numbers are right, because otherwise something else is more urgent."""
    after = len(rows[0]) - len(rows) + 1
    visible = np.allclose(np.asarray(result) - np.triu(result, after), expected(rows))
    return not visible or np.allclose(np.triu(result, after), 0)


def _distances(n_q, n_k):
    """Rows whose numbers show query and distance: 10 · (query + 1) + distance."""
    return 10.0 * np.arange(1, n_q + 1)[:, None] + np.arange(n_k - 1, -1, -1)


CASES = [
    Case(_distances(3, 5), label="three queries, memory of two", axes=("query", "key")),
    Case(Q @ vectors(5, 5)[:5].T, label="the five tokens, no memory", axes=(QUERY, KEY)),
    Case(_distances(1, 5), label="one query after four", axes=("query", "key")),
    Case(_distances(2, 7), label="two queries, memory of five", axes=("query", "key")),
    Case(np.array([[3.0]]), label="one token alone", axes=("query", "key")),
]


def draw(rng):
    return (normal(rng, n_q := int(rng.integers(2, 6)), n_q + int(rng.integers(0, 5))),)


ALWAYS = [
    holds(
        "Every number up to the query is right. Keys after n_k − n_q + i should get 0, but some have a number.",
        _after_is_zero,
    ),
]


WRONG = """
return np.tril(shifted)  # The zeros begin too early because you forgot the memory. Query i is at n_k − n_q + i and
# sees every key up to there.
return np.where(np.tri(n_q, n_k, n_k - n_q) > 0, shifted, -np.inf)  # Every number up to the query is right. The scores
# are masked with −∞ later; here keys after the query get 0.
padded = np.concatenate([rows, np.zeros((n_q, 1))], axis=1)  # You look one column too far to the right, so each cell
# holds the number of the next smaller distance. If you add a column of zeros, it belongs in front of the rows.
shifted = rows  # Nothing is shifted, so every row still has distance 0 in its last column. That is right for the last
# query only.
return rows  # You return the rows as they were. Row i has to move left by n_q − 1 − i, so that distance 0 is at key
# n_k − n_q + i.
return rows[:, ::-1]  # You reversed the rows and shifted none. Their order is right; row i has to move left by n_q − 1
# − i.
shifted = padded.ravel()[:-n_q].reshape(n_q, n_k)  # You cut off the wrong end. Skip the first n_q numbers and keep the
# last.
shifted = padded.ravel()[1:][:n_q * n_k].reshape(n_q, n_k)  # You skip one number. The line has n_q numbers too many,
# all at the beginning, so skip n_q.
shifted = padded.ravel()[n_q:].reshape(n_k, n_q).T  # You cut the line into pieces of n_q and transpose. Cut it every
# n_k numbers, because a row of the grid has a cell for each key.
return np.tril(np.hstack([np.zeros((n_q, 1)), rows]).reshape(n_q + 1, n_k)[1:])  # `(n_q + 1, n_k)` holds the padded
# numbers only without a memory. Skip n_q numbers of the flat line instead, then cut it every n_k.
return padded[:, :-1]  # After the padding you do not cut the line again, so each row has only moved one place to the
# right.
shifted = np.stack([np.roll(row, k + 1 - n_q) for k, row in enumerate(rows)])[:, ::-1]  # Your rows run backwards. Keys
# on the left are further back, so the distance falls from left to right.
shifted = np.stack([np.roll(row, -k) for k, row in enumerate(rows)])  # You keep row 0 and move later rows left. Keep
# the last row instead, and move row i left by n_q − 1 − i.
shifted = np.stack([np.roll(row, k) for k, row in enumerate(rows)])  # You move row i to the right by i. Keep the last
# row instead, and move row i left by n_q − 1 − i.
shifted = np.stack([np.roll(row, k - n_q) for k, row in enumerate(rows)])  # You move every row one place too far to
# the left. The last query needs no shift at all.
shifted = np.stack([np.roll(row, n_q - 1 - k) for k, row in enumerate(rows)])  # The steps have the right size but the
# wrong direction. `np.roll` with a positive number moves a row to the right, and row i has to move left.
shifted = np.stack([np.roll(row, k + 1 - n_k) for k, row in enumerate(rows)])  # With a memory you move every row too
# far. The last query needs no shift, so row i moves by n_q − 1 − i and not by n_k − 1 − i.
return [[rows[i, n_k - 1 - i + j] if j <= i else 0 for j in range(n_k)] for i in range(n_q)]  # You take i for the
# position of query i. The memory comes before it, so its position is n_k − n_q + i.
return [[rows[i, j - i + n_q - 1] for j in range(n_k)] for i in range(n_q)]  # A key after the query has no column,
# because the rows end at distance 0. Put 0 there, and look up the others.
return [[rows[i, i - j + n_q - 1] if j <= i else 0 for j in range(n_k)] for i in range(n_q)]  # You exchanged i and j
# in the column. One key later is one column later. The `if` also forgets the memory.
return [[rows[i, 2 - i + j] if j <= 2 + i else 0 for j in range(n_k)] for i in range(n_q)]  # 2 is right for the first
# case only. The column needs n_q − 1, and the `if` needs the memory, n_k − n_q.
return [[rows[i, -1 - j] if j <= n_k - n_q + i else 0 for j in range(n_k)] for i in range(n_q)]  # You put distance j
# under key j. From query i back to key j it is n_k − n_q + i − j, so key 0 is the farthest.
"""


HINTS = [
    "Query i is at position n_k − n_q + i. Its distance to key j is that minus j. Which column is it in?",
    "The column is j − i + n_q − 1, and the columns end at n_k − 1. Two loops are enough.",
    "The published way: zeros in front, flatten, skip n_q numbers, `reshape(n_q, n_k)`. Then "
    "`np.tril(…, n_k - n_q)` clears the rest.",
]


def wrong_program_18(rows):
    """You use the distance as the column. Column 0 holds the largest distance, n_k − 1, and the last column holds
    0."""
    n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((n_q, 1)), rows], axis=1)
    past = n_k - n_q
    return [[rows[i, past + i - j] if j <= past + i else 0 for j in range(n_k)] for i in range(n_q)]


def wrong_program_20(rows):
    """You move row i to the right by n_q − 1 − i. It has to move left by as much."""
    n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((n_q, 1)), rows], axis=1)
    far = n_q - 1
    return [[rows[i, j - far + i] if j >= far - i else 0 for j in range(n_k)] for i in range(n_q)]


def wrong_program_22(rows):
    """You exchanged i and j. One key later is one column later, and one query later is one column earlier."""
    n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((n_q, 1)), rows], axis=1)
    n = n_k - n_q
    return [[rows[i, i - j + n_q - 1] if j <= n + i else 0 for j in range(n_k)] for i in range(n_q)]


def wrong_program_25(rows):
    """Your grid is as wide as there are queries. It needs a column for each of the n_k keys."""
    n = len(rows)
    return [[rows[i, n - 1 - i + j] if j <= i else 0 for j in range(n)] for i in range(n)]


def right_by_loops(rows):
    n_q, n_k = rows.shape
    grid = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k - n_q + i + 1):
            grid[i, j] = rows[i, n_k - 1 - (n_k - n_q + i - j)]
    return grid


def right_as_published(rows):
    n_q, n_k = rows.shape
    padded = np.hstack([np.zeros((n_q, 1)), rows])
    return np.tril(padded.reshape(n_k + 1, n_q)[1:].reshape(n_q, n_k), n_k - n_q)
