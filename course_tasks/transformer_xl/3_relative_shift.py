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

from course_kit.checking import Case
from course_lib.example import Q
from course_lib.reference.grid import to_grid
from course_lib.reference.transformer_xl import position_keys

from ..shared import KEY, QUERY, normal


def relative_shift(rows):
    """Lay rows (n_q, n_k), a column per distance n_k - 1 … 0, on the grid (n_q, n_k).

    0 for keys after the query.
    """
    n_q, n_k = rows.shape
    i, j = np.indices(rows.shape)  # Queries go down, and keys go across.
    past = n_k - n_q  # There are n_k − n_q keys in memory.
    padded = np.pad(rows, ((0, 0), (1, 0)))  # A column of zeros in front makes each row longer than the new ones.
    line = padded.ravel()[n_q:]  # The flat line has n_q numbers too many, all of them at the beginning.
    shifted = line.reshape(n_q, n_k)  # A row of the grid has a cell for each key, so cut every n_k numbers.
    return np.where(j <= past + i, shifted, 0)  # Query i is at position n_k − n_q + i and sees every key up to there.


def expected(rows):
    """Zeros for the offsets above 0, then all columns on their diagonals."""
    n_q = len(rows)
    return to_grid(np.concatenate([rows, np.zeros((n_q, n_q - 1))], axis=1), n_q)


def distances(n_q, n_k):
    """Rows whose numbers show query and distance: 10 · (query + 1) + distance."""
    return 10.0 * np.arange(1, n_q + 1)[:, None] + np.arange(n_k - 1, -1, -1)


CASES = [
    Case(distances(3, 5), label="three queries, memory of two", axes=("query", "key")),
    Case(Q @ position_keys(5, 5, np.eye(6, 4))[:5].T, label="the five tokens, no memory", axes=(QUERY, KEY)),
    Case(distances(1, 5), label="one query after four", axes=("query", "key")),
    Case(distances(2, 7), label="two queries, memory of five", axes=("query", "key")),
    Case(np.array([[3.0]]), label="one token alone", axes=("query", "key")),
]


def draw(rng):
    return (normal(rng, n_q := int(rng.integers(2, 6)), n_q + int(rng.integers(0, 5))),)


WRONG = """
return np.where(j < past + i, shifted, 0)  # Your zeros begin one key too early. Query i sees its own key, too.
past = 0  # The zeros begin too early because you forgot the memory. Query i sees every key up to n_k − n_q + i.
padded = np.pad(rows, ((0, 0), (0, 1)))  # Each cell holds the next smaller distance. Zeros belong in front of the rows.
line = padded.ravel()[:-n_q]  # You cut off the wrong end. Skip the first n_q numbers and keep the last.
line = padded.ravel()[1:][: n_q * n_k]  # You skip one number. The line has n_q too many, all at the beginning.
shifted = line.reshape(n_k, n_q).T  # You cut every n_q numbers and transpose. Cut every n_k, a cell for each key.
shifted = padded.reshape(n_q + 1, n_k)[1:]  # `(n_q + 1, n_k)` fits only without a memory. Skip n_q numbers, then cut.
shifted = rows  # Nothing is shifted: distance 0 is in the last column. That is right for the last query only.
shifted = rows[i, (j + n_q - 1 - i) % n_k][:, ::-1]  # Your rows run backwards. The distance falls from left to right.
shifted = rows[i, (j + i) % n_k]
shifted = rows[i, (j - i) % n_k]  # You keep row 0 and move later ones. Keep the last; row i moves left by n_q − 1 − i.
shifted = rows[i, (j + n_q - i) % n_k]  # You move every row one place too far left. The last one needs no shift.
shifted = rows[i, (j + n_k - 1 - i) % n_k]  # With a memory your rows move too far. Row i moves left by n_q − 1 − i.
shifted = rows[i, (j - n_q + 1 + i) % n_k]
return np.where(j >= n_q - 1 - i, rows[i, j - n_q + 1 + i], 0)  # Your row i moves right. It moves left.
shifted = rows[i, (j - i + n_q - 2) * (j <= past + i)]  # Your column is off by one. Cell (i, j) holds column j − i + n_q − 1 of row i.
shifted = rows[i, past + i - j]  # You use the distance as the column. Column 0 holds the largest distance, n_k − 1.
shifted = rows[i, -1 - j]  # You put distance j under key j. From query i back to key j it is n_k − n_q + i − j.
shifted = rows[i, i - j + n_q - 1]
past = 0; shifted = rows[i, i - j + n_q - 1]  # You exchanged i and j in the column. One key later is one column later.
past = 0; shifted = rows[i, (j + n_k - 1 - i) % n_k]  # You take i for the position of query i. It is n_k − n_q + i.
past = 2; shifted = rows[i, (2 - i + j) * (j <= 2 + i)]  # 2 is right for the first case only. Use n_q and n_k.
return rows[i, (j + n_q - 1 - i) % n_k]  # What leaves your rows on the left comes back after the query. Put 0 there.
return rows[i, j - i + n_q - 1]  # A key after the query has no column: the rows end at distance 0. Put 0 there.
return np.where(j <= i, rows[i, (n_q - 1 - i + j) * (j <= i)], 0)[:, :n_q]  # Your grid has n_q columns. It needs n_k.
return shifted  # After each query there is a zero and numbers of the next query. Put 0 there.
return rows  # You return the rows as they were. Row i has to move left by n_q − 1 − i.
return rows[:, ::-1]  # You reversed the rows and shifted none. Row i has to move left by n_q − 1 − i.
return padded[:, :-1]  # After the padding you do not cut the line again, so each row moved one place to the right.
"""

HINTS = [
    "Query i is at position n_k − n_q + i. Its distance to key j is that minus j. Which column is it in?",
    "The column is j − i + n_q − 1, and the columns end at n_k − 1. Two loops are enough.",
    "The published way: zeros in front, flatten, skip n_q numbers, `reshape(n_q, n_k)`. Then "
    "`np.tril(…, n_k - n_q)` clears the rest.",
]
