r"""Scores with a vector per offset · 14 minutes · ★★

The whole score of Shaw's scheme, content and position, inside the scaling:

$$s_{ij} = \frac{q_i \cdot (k_j + a_{\mathrm{clip}(j - i)})}{\sqrt{d}}$$

The table has $2k + 1$ rows, so `len(table) // 2` is the clip. Query $i$ is at position `past + i`, key $j$ at position
$j$. Loops are welcome. Without them, multiply every query with every vector of the table first, then choose.

A table of zeros must give the plain scores, `Q @ K.T / 2` for the five tokens.
"""

import math

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.example import K, Q
from course_lib.reference import oracle
from course_lib.reference.attention import scores
from course_lib.reference.shaw import key_term

from ..shared import KEY, QUERY, normal
from .common import LAST_TWO, TABLE, right_rows, sizes


def shaw_scores(q, k, table, past):
    """Scores q_i · (k_j + a[j - i]) / √d, query i at position past + i.

    q (n_q, d), k (n_k, d), table (2·clip + 1, d); returns (n_q, n_k).
    """
    clip = len(table) // 2  # The table has 2·clip + 1 rows.
    # There are len(q) queries, and query i is at past + i. The queries are the rows of the result, so they need `[:,
    # None]`.
    i = past + np.arange(len(q))[:, None]
    # The offset is the position of the key minus that of the query, j − i. There are len(k) keys, at 0, 1, 2, … The
    # row is the clipped offset plus clip, so offset −clip takes row 0. Keys farther away than the clip share the
    # outermost vectors. The lower end of the clipping is −clip.
    rows = np.clip(np.arange(len(k)) - i, -clip, clip) + clip
    # The query reads the table, `q @ table.T`. Each query chooses among its own products, along axis 1.
    position = np.take_along_axis(q @ table.T, rows, axis=1)
    # Each query meets each key, `q @ k.T`. The position part is added to the content, and both are divided by √d. The
    # sum is divided by √d, and d is the length of the last axis of q.
    return (q @ k.T + position) / np.sqrt(q.shape[-1])


def expected(q, k, table, past):
    clip = len(table) // 2

    def vector(r):
        return table[max(-clip, min(clip, r)) + clip]

    return oracle.scores_through_query(q, k, vector, scale=1 / math.sqrt(q.shape[-1]), past=past)


def draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(2, 7))
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, 2 * clip + 1, d), past


CASES = [
    Case(Q, K, TABLE, 0, label="the five tokens", axes=(QUERY, KEY)),
    Case(Q[3:], K, TABLE, 3, label="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
    Case(Q, np.zeros_like(K), TABLE, 0, label="keys of zeros: the position alone", axes=(QUERY, KEY)),
    Case(Q, K, np.zeros((3, 4)), 0, label="a table of zeros: the content alone", axes=(QUERY, KEY)),
    Case(Q[:2], K, TABLE[1:4], 0, label="two queries, clip 1", axes=(Axis("query"), KEY)),
    Case(Q[:, :3], K[:, :3], TABLE[2:3, :3], 0, label="clip 0, three numbers", axes=(QUERY, KEY)),
    Case(Q[:1], K[:1], TABLE, 0, label="one token alone", axes=("query", "key")),
]


WRONG = """
return q @ k.T + position / np.sqrt(q.shape[-1])  # You divide only the position part by √d, because `/` comes before
# `+`. Put the sum in parentheses.
return (q @ k.T + position / np.sqrt(q.shape[-1])) / np.sqrt(q.shape[-1])  # You divide the position part by √d twice:
# once alone, and again with the sum.
return q @ k.T / np.sqrt(q.shape[-1]) + position  # The position part is outside the scaling, so it is √d times too
# strong. It is added to the key, and so it is divided with it.
return (q @ k.T + position) / q.shape[-1]  # You divide by d. The scores are divided by its square root.
return (q @ k.T + position) / 2  # You divide by 2, which is √d for four channels only. d is the length of the last
# axis of q.
return (q @ k.T + position) / np.sqrt(len(table))  # You scale by the number of rows of the table. d is the length of
# the last axis of q.
return (q @ k.T + position) / np.sqrt(len(q))  # You scale by the number of queries. d is the length of the last axis
# of q.
return (q @ k.T + position) / np.sqrt(len(k))  # You scale by the number of keys. d is the length of the last axis of
# q.
i = np.arange(len(q))[:, None]  # `past` has no effect. Query i is at position past + i, and key j at position j.
i = -past + np.arange(len(q))[:, None]  # `past` has the wrong sign, or it moves the keys. The queries are `past`
# positions further on, not the keys.
clip = 2  # The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
rows = np.clip(abs(np.arange(len(k)) - i), -clip, clip) + clip  # You use the distance |j − i|, so keys before the
# query get the vectors of those after it.
rows = np.clip(np.arange(len(k)) - past + np.arange(len(q))[:, None], -clip, clip) + clip  # `j - past + i` adds i
# again. Subtract the position of the query as a whole: put `past + i` in parentheses.
rows = np.clip(len(k) - i, -clip, clip) + clip  # Every key of a query gets the same row. The positions of the keys are
# `np.arange(len(k))`.
rows = np.clip(i, -clip, clip) + clip  # You clip the position of the query. The offset is the position of the key
# minus that of the query, j − i.
rows = np.clip(np.arange(len(k)) - i + clip, -clip, clip)  # You clip after the shift, so all later keys get the vector
# of offset 0. Clip first, then shift.
rows = np.clip(np.arange(len(k)) - i, -clip, clip - 1) + clip  # The upper end of the clipping is one too small. Offset
# +clip has a row of its own, 2·clip.
rows = np.maximum(np.arange(len(k)) - i, -clip) + clip  # Some rows run past the end of the table, whose last row is
# 2·clip. Is the offset clipped on both sides, and are both ends right?
position = (q @ table.T)[np.arange(len(q)), rows]  # Column j has the product of query j. Queries are the rows, so give
# their index a second axis: `[:, None]`.
rows = np.clip(np.arange(len(k)) - i, -clip, clip)  # You clip but do not shift. Offset −clip should take row 0, and
# NumPy reads row −1 as the last one.
rows = np.clip(np.arange(len(k)) - i, clip, clip) + clip  # Every pair gets the last row of the table, because the
# lower end of `np.clip` is +clip. It is −clip.
return q @ (k + table).T / np.sqrt(q.shape[-1])  # You add row j of the table to key j. Which row it is depends on j −
# i, so every pair has its own.
"""


HINTS = [
    "For one pair, clip `r = j - (past + i)`. Its vector is `table[r + clip]`, and its score is `q[i] @ (k[j] + "
    "vector) / √d`.",
    "`q @ table.T` has one row per query and one column per row of the table.",
    "Of that, query i needs the columns `rows[i]`: `products[np.arange(n_q)[:, None], rows]`.",
]


def wrong_keys_read_the_table(q, k, table, past):
    """You read the table with the key, k_j · a. In Shaw's scheme the query reads it, q_i · a."""
    rows = right_rows((len(q), len(k)), table, past)
    return scores(q, k) + np.take_along_axis(k @ table.T, rows.T, axis=1).T / np.sqrt(q.shape[-1])


def wrong_looked_up_for_all(q, k, table, past):
    """`[:, rows]` looks up every pair for every query, which gives (n_q, n_q, n_k). Each query needs only its own row:
    `[np.arange(n_q)[:, None], rows]`."""
    return (q @ k.T + (q @ table.T)[:, right_rows((len(q), len(k)), table, past)]) / np.sqrt(q.shape[-1])


def wrong_summed_vectors(q, k, table, past):
    """You add up the numbers of each vector, which gives the same for every query. The query multiplies them, q_i ·
    a."""
    return (q @ k.T + table[right_rows((len(q), len(k)), table, past)].sum(-1)) / np.sqrt(q.shape[-1])


def wrong_three_axes_reversed(q, k, table, past):
    """`table[rows]` has three axes, and `.T` reverses all of them. Multiply each vector with its query and sum over
    the last axis, or choose from `q @ table.T`."""
    return (q @ k.T + q @ table[right_rows((len(q), len(k)), table, past)].T) / np.sqrt(q.shape[-1])


def wrong_table_rows_for_keys(q, k, table, past):
    """The columns of `q @ table.T` are rows of the table, not keys. For each key, choose the column of its offset."""
    return (q @ k.T + q @ table.T) / np.sqrt(q.shape[-1])


def wrong_vector_on_both_sides(q, k, table, past):
    """You add the vector to the query as well, so it meets itself, a · a. Add it to the key only."""
    vectors = table[right_rows((len(q), len(k)), table, past)]
    return np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors) / np.sqrt(q.shape[-1])


def wrong_key_times_vector(q, k, table, past):
    """You multiply key and vector. They are added, k + a, before the query meets them."""
    return np.einsum("id,jd,ijd->ij", q, k, table[right_rows((len(q), len(k)), table, past)]) / np.sqrt(q.shape[-1])


def right_in_one_line(q, k, table, past):
    return scores(q, k) + key_term(q, table, len(k), past=past) / math.sqrt(q.shape[-1])
