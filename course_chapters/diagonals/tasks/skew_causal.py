r"""The causal skew · 10 minutes · ★★ · first

Write Huang's trick for a causal model. The rows $(n, n)$ hold the products of each query with the
offsets $-(n-1), \dots, 0$. Pad the rows, cut the memory again, and drop what is too much. Above the diagonal junk is
left; do not return it, but put 0 there (`np.tril`). So for $j \le i$ the result is $\text{rows}_{i,\; j - i + n - 1}$.

For `np.array([[1, 2], [3, 4]])` the result is `[[2, 0], [3, 4]]`: query 0 keeps its offset 0, query 1 has −1 and 0.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.grid import to_grid
from course_lib.reference.music_transformer import skew  # noqa: F401 (a wrong line uses it)

from ...shared import KEY, QUERY, labels, normal


def skew_causal(rows):
    """Huang's skew: rows (n, n), columns −(n − 1) … 0, give S (n, n) with 0 above the diagonal."""
    n = len(rows)
    padded = np.pad(rows, ((0, 0), (1, 0)))  # A column of zeros in front makes each row longer than the new ones.
    recut = padded.reshape(n + 1, n)  # The new cuts are every n numbers, so row i moves by i places.
    moved = recut[1:]  # The first row holds the padding and the numbers that slipped out of query 0.
    return np.tril(moved)  # Above the diagonal is junk; on it is the score of a token with itself, which stays.


def expected(rows):
    return np.tril(to_grid(np.pad(rows, ((0, 0), (0, len(rows) - 1))), len(rows)))


def draw(rng):
    return (normal(rng, n := int(rng.integers(3, 8)), n),)


CASES = [
    Case(labels(5, 5), label="the five tokens, labelled by query and column", axes=(QUERY, KEY)),
    Case(labels(2, 2), label="two tokens", axes=("query", "key")),
    Case(normal(np.random.default_rng(0), 300, 300), label="300 tokens", axes=("query", "key")),
    Case(labels(1, 1), label="one token alone", axes=("query", "key")),
]
WRONG = """
n = 5  # The number of tokens is always 5. It is `len(rows)`.
padded = np.pad(rows, ((0, 0), (0, 1)))  # Your cell (i, j) has column j − i + n. Take one less, or pad in front.
padded = np.pad(rows, 1)  # `np.pad(rows, 1)` pads all four sides. You need one column in front.
padded = np.pad(rows[:, ::-1], ((0, 0), (1, 0)))  # You reversed the columns. They already ascend from −(n − 1) to 0.
padded = np.pad(np.tril(rows), ((0, 0), (1, 0)))
recut = np.tril(padded).reshape(n + 1, n)  # Offsets that you need are 0. Clear only after the cut.
recut = padded.reshape(n, n + 1)  # Your rows are still n + 1 long, so none has moved. Reshape to `(n + 1, n)`.
recut = padded.reshape(n + 1, n, order="F")  # You cut by columns, as `order="F"` does. Cut row by row, the default.
recut = padded.T; moved = recut[:n]  # You transpose, which moves the numbers. `reshape` moves only the cuts.
padded = np.pad(rows, ((0, 0), (0, 1))); moved = recut[:-1]  # Your cell (0, 0) has the farthest offset of query 0, as
# when you pad behind and drop the last row. Put the zeros in front and drop the first row.
moved = recut[:-1]  # You drop the last row. The first holds the padding and what slipped out of query 0.
moved = recut  # You kept one row too many. The first holds the padding and what slipped out of query 0.
moved = recut[:, 1:]  # You drop the first column. After the cut it is the first *row* that is too many.
moved = rows  # Your rows did not move, so column 0 is still the offset −(n − 1) for every query.
return moved  # Above the diagonal there is still junk. Clear it with `np.tril`.
return skew(rows, n)  # This is the general skew, here with a single key. The causal one pads in front, cuts every n.
return np.tril([[rows[i, j - i + n - 1] for j in range(n)] for i in range(n)])
# Your column runs past the last one. It is j − i + n − 1; above the diagonal, where there is none, clip it, even if
# `np.where` drops the result.
return np.tril(rows[:, ::-1])  # You put the score of distance j under key j. From query i back to key j it is i − j.
return np.triu(moved)  # You keep the junk and clear what is right. The past is below the diagonal: `np.tril`.
return np.where(np.tri(n, dtype=bool), moved, -1e9)  # You mask what is above the diagonal. Here it should be 0.
return np.tril([np.roll(rows[k], n - 1 - k) for k in range(n)])  # You move the rows to the right. They move left.
return np.tril([np.roll(rows[k], k) for k in range(n)])  # Your column is j − i. Offset 0 is the last one: add n − 1.
"""
HINTS = [
    "Draw the padded rows for n = 3 on paper, write all their numbers in one line, and cut it every 3 numbers.",
    "`np.pad(rows, ((0, 0), (1, 0)))` puts a column of zeros in front, and `.reshape(n + 1, n)` cuts again.",
    "Drop the first row, then use `np.tril`.",
]
