r"""The causal skew · 10 minutes · ★★

Write Huang's trick for a causal model. The rows $(n, n)$ hold the products of each query with the
offsets $-(n-1), \dots, 0$. Pad the rows, cut the memory again, and drop what is too much. Above the diagonal junk is
left; do not return it, but put 0 there (`np.tril`). So for $j \le i$ the result is $\text{rows}_{i,\; j - i + n - 1}$.

For `np.array([[1, 2], [3, 4]])` the result is `[[2, 0], [3, 4]]`: query 0 keeps its offset 0, query 1 has −1 and 0.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.example import Q
from course_lib.reference import music_transformer as reference
from course_lib.reference.grid import to_grid

from ..shared import KEY, QUERY, normal
from .common import labels


def skew_causal(rows):
    """Huang's skew: rows (n, n), columns −(n − 1) … 0, give S (n, n) with 0 above the diagonal."""
    n = len(rows)
    # A column of zeros in front makes each row one number longer than the new ones.
    padded = np.pad(rows, ((0, 0), (1, 0)))
    # The n rows of n + 1 numbers become n + 1 rows of n numbers. The second cut cuts every n numbers, so that row i
    # moves by i places.
    recut = padded.reshape(n + 1, n)
    return np.tril(recut[1:])  # The offset of a token with itself is 0, so its score is valid and should stay.


def expected(rows):
    return np.tril(to_grid(np.pad(rows, ((0, 0), (0, len(rows) - 1))), len(rows)))


CASES = [
    Case(labels(5, 5), label="the five tokens, labelled by query and column", axes=(QUERY, KEY)),
    Case(Q @ np.arange(20.0).reshape(4, 5) / 10, label="products of the five tokens", axes=(QUERY, KEY)),
    Case(labels(2, 2), label="two tokens", axes=("query", "key")),
    Case(labels(1, 1), label="one token alone", axes=("query", "key")),
]


def draw(rng):
    return (normal(rng, n := int(rng.integers(3, 8)), n),)


ALWAYS = [
    holds(
        (
            "Above the diagonal your result is not 0. No offset after the query was computed, so this is junk. Clear "
            "it with `np.tril` as the last step."
        ),
        lambda result, rows: np.allclose(np.triu(result, 1), 0),
    ),
]


WRONG = """
return recut[1:]  # On and below the diagonal your result is right. Above it there is still junk, so clear it with
# `np.tril`.
return np.triu(recut[1:])  # You keep the junk and clear what is right. The past is below the diagonal, so use
# `np.tril`.
return np.where(np.tri(n, dtype=bool), recut[1:], -np.inf)  # You put −∞ above the diagonal, as a mask would. Here it
# should be 0.
return np.where(np.tri(n, dtype=bool), recut[1:], -1000000000.0)  # You put −10⁹ above the diagonal, as a mask would.
# Here it should be 0.
return np.tril(recut[:-1])  # You drop the last row. Drop the first: it holds the padding and the numbers that slipped
# out of query 0.
return np.tril(recut)  # You kept one row too many. Drop the first: it holds the padding and the numbers that slipped
# out of query 0.
return np.tril(recut[:, 1:])  # You drop the first column. After the cut it is the first *row* that is too many.
return np.tril(rows)  # Your rows did not move, so column 0 is still the offset −(n − 1) for every query. A *column* in
# front makes each row one number longer, so that the new cuts move row i by i places.
recut = padded.reshape(n, n + 1)  # You reshaped to the padded shape, so the rows did not move. To move row i by i
# places, reshape to `(n + 1, n)`.
recut = padded.reshape(n + 1, n, order='F')  # `order="F"` reads the memory column by column. The trick needs it row by
# row, as `reshape` reads it by default.
recut = padded.T
recut = padded.T; return np.tril(recut[:n])  # You transpose, which moves the numbers. `reshape` leaves them in their
# line of memory and moves only the cuts.
padded = np.pad(rows, ((0, 0), (0, 1)))  # You pad behind, so row i moves one place too far. The column of zeros
# belongs in front.
padded = np.pad(rows, 1)  # `np.pad(rows, 1)` pads all four sides. You need one column in front.
padded = np.pad(rows[:, ::-1], ((0, 0), (1, 0)))  # You reversed the columns. They already ascend from −(n − 1) to 0,
# so leave them in this order.
padded = np.pad(np.tril(rows), ((0, 0), (1, 0))); return recut[1:]
recut = np.tril(padded).reshape(n + 1, n); return recut[1:]  # Your `np.tril` comes too early: before the cut, offsets
# that you need are right of the diagonal. Use it afterwards.
padded = np.pad(np.tril(rows), ((0, 0), (1, 0)))
recut = np.tril(padded).reshape(n + 1, n)  # The last `np.tril` is right. The one before the cut removes offsets that
# you need.
n = 5  # The number of tokens is fixed at 5. It is `len(rows)`.
n = rows  # You use an array as a number. Is a `len(…)` missing?
return reference.skew(rows, len(rows))  # This is the general skew, which turns n columns for n queries into a grid
# with a single key. The causal skew pads in front and cuts every n numbers.
return np.tril([np.roll(row, i) for i, row in enumerate(rows)])  # Your column is j − i, as it also is after
# `np.roll(row, i)`. So key 0 of query 0 gets column 0, which is the offset −(n − 1). Offset 0 is the last column, so
# take j − i + n − 1.
"""


HINTS = [
    "Draw the padded rows for n = 3 on paper, write all their numbers in one line, and cut it every 3 numbers.",
    "`np.pad(rows, ((0, 0), (1, 0)))` puts a column of zeros in front, and `.reshape(n + 1, n)` cuts again.",
    "Drop the first row, then use `np.tril`.",
]


def wrong_program_23(rows):
    """Above the diagonal, column j − i + n − 1 does not exist. Clip the column first, also if `np.where` drops the
    result."""
    n = len(rows)
    i, j = np.indices((n, n))
    return np.where(j <= i, rows[i, j - i + n - 1], 0)


def right_in_another_way(rows):
    return np.tril(reference.skew_causal(rows))


def right_in_a_third_way(rows):
    return [[rows[i, j - i + len(rows) - 1] if j <= i else 0.0 for j in range(len(rows))] for i in range(len(rows))]


def right_pad_last(rows):
    """With a column behind, cut every n from place n − 1 on."""
    n = len(rows)
    flat = np.pad(rows, ((0, 0), (0, 1))).ravel()
    return np.tril(flat[n - 1 :][: n * n].reshape(n, n) if n > 1 else rows)
