r"""The value side · 14 minutes · ★★

A vector is also added to each value, chosen by its offset. Leave the values out, and compute what the
table alone adds to each output:

$$\sum_j w_{ij}\, c_{\mathrm{clip}(j - i)}$$

Query $i$ is at position `past + i` and key $j$ at position $j$; the clip is `len(table) // 2`. If all the weight of a
query is on the token before it, its result is the row of the table for −1. There are two ways to compute this: take a
vector for every pair, or first collect the weight of each offset and then compute one product.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.reference.attention import softmax
from course_lib.reference.shaw import clip_index
from course_lib.reference.shaw import value_term as reference_value_term

from ..shared import NUMBER, QUERY, normal
from .common import LAST_TWO, LOOK_BACK, TABLE, WEIGHTS, right_rows, sizes


def value_term(weights, table, past):
    """What the value table adds, Σ_j w_ij c[j - i], query i at position past + i.

    weights (n_q, n_k), table (2·clip + 1, d); returns (n_q, d).
    """
    n_q, n_k = weights.shape
    clip = len(table) // 2  # The table has 2·clip + 1 rows.
    # There are n_q queries, and query i is at past + i. Every query meets every key, so it needs `[:, None]`.
    i = past + np.arange(n_q)[:, None]
    # The offset is the position of the key minus that of the query, j − i. There are n_k keys, at 0, 1, 2, … The lower
    # end of the clipping is −clip. The row is the clipped offset plus clip, so offset −clip takes row 0. Keys farther
    # away than the clip share the outermost vectors.
    vectors = table[np.clip(np.arange(n_k) - i, -clip, clip) + clip]
    # The weight of each pair multiplies the whole vector of the pair. The vector of each pair is multiplied by the
    # weight of the pair. The sum runs over the keys of each query and keeps the numbers of the vectors.
    return (weights[:, :, None] * vectors).sum(axis=1)


def draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(1, 6))
    return softmax(normal(rng, n_q, n_k)), normal(rng, 2 * clip + 1, d), past


def expected(weights, table, past):
    return reference_value_term(weights, table, past=past)


CASES = [
    Case(WEIGHTS, TABLE, 0, label="the five tokens", axes=(QUERY, NUMBER)),
    Case(LOOK_BACK, TABLE, 0, label="all weight on the token before", axes=(QUERY, NUMBER)),
    Case(WEIGHTS[3:], TABLE, 3, label="the last two of the five, three are past", axes=(LAST_TWO, NUMBER)),
    Case(WEIGHTS, TABLE[1:4, :2], 0, label="clip 1, vectors of two numbers", axes=(QUERY, NUMBER)),
    Case(WEIGHTS[:2], TABLE, 0, label="two queries, five keys", axes=(Axis("query"), NUMBER)),
    Case(WEIGHTS, TABLE[2:3], 0, label="clip 0: the same vector for all", axes=(QUERY, NUMBER)),
    Case(np.ones((1, 1)), TABLE, 0, label="one token alone", axes=("query", "number")),
]


WRONG = """
i = np.arange(n_q)[:, None]  # `past` has no effect. Query i is at position past + i, and key j at position j.
i = -past + np.arange(n_q)[:, None]  # `past` has the wrong sign, or it moves the keys. The queries are `past`
# positions further on, not the keys.
vectors = table[np.clip(np.arange(n_k) - past + np.arange(n_q)[:, None], -clip, clip) + clip]  # `j - past + i` adds i
# again. Subtract the position of the query as a whole: put `past + i` in parentheses.
vectors = table[np.clip(abs(np.arange(n_k) - i), -clip, clip) + clip]  # You use the distance |j − i|, so keys before
# the query get the vectors of those after it.
vectors = table[np.clip(i, -clip, clip) + clip]  # You clip the position of the query. The offset is the position of
# the key minus that of the query, j − i.
vectors = table[np.clip(np.arange(n_k) - i + clip, -clip, clip)]  # You clip after the shift, so all later keys get the
# vector of offset 0. Clip first, then shift.
vectors = table[np.clip(np.arange(n_k) - i, -clip, clip - 1) + clip]  # The upper end of the clipping is one too small.
# Offset +clip has a row of its own, 2·clip.
vectors = table[np.maximum(np.arange(n_k) - i, -clip) + clip]  # Some rows run past the end of the table, whose last
# row is 2·clip. Is the offset clipped on both sides, and are both ends right?
vectors = table[np.clip(np.arange(n_k) - i, 0, clip) + clip]  # You clip every offset before the query to 0, as if it
# were the query itself. The lower end is −clip, not 0.
clip = 2  # The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
return ((weights * (abs(np.arange(n_k) - i) <= clip))[:, :, None] * vectors).sum(axis=1)  # You leave out offsets
# beyond the clip. They share the outermost vectors.
return ((weights * (np.arange(n_k) <= i))[:, :, None] * vectors).sum(axis=1)  # You leave out the keys after their
# query. No mask is asked for, so every key counts with its weight.
return (weights[:, -1:, None] * vectors[:, -1:]).sum(axis=1)  # Only the last key counts. Does each key overwrite the
# one before? Add them up with `+=`.
return (weights[:, :, None] * vectors).mean(axis=1)  # You take the mean over the keys. The weights already sum to 1,
# so their sum is the average you want.
return (weights[:, :, None] * vectors).sum(axis=1).cumsum(axis=0)  # Each query continues with the sum of the query
# before it. Start with zeros for every query.
return (weights[:, :, None] * vectors).sum(axis=(0, 1)) + np.zeros((n_q, 1))  # All rows are the same sum over all
# queries. Start a new array for every query.
return weights @ table  # `weights @ table` gives key j row j of the table. Which row it gets depends on j − i.
"""


HINTS = [
    "With two loops: for each query i, start with zeros and add `weights[i, j] * table[row]` for each key j.",
    "The row is found as for the key table. It is the clipped offset plus clip.",
    "Without loops: `table[rows]` is (n_q, n_k, d). Multiply by `weights[:, :, None]` and sum over axis 1.",
]


def wrong_overwritten_weights(weights, table, past):
    """Offsets beyond the clip share a row, and you keep only the last of their weights. `=` overwrites, and so does
    `+=` with an array of rows, where an index is repeated. Add them one by one, or with `np.add.at`."""
    rows = right_rows(weights.shape, table, past)
    collected = np.zeros((len(weights), len(table)))
    for j in range(weights.shape[1]):
        collected[np.arange(len(weights)), rows[:, j]] = weights[:, j]
    return collected @ table


def wrong_first_pair(weights, table, past):
    """Only the first pair has left a trace. Is there a `return` inside the loop over the keys?"""
    result = np.zeros((len(weights), table.shape[1]))
    result[0] = weights[0, 0] * table[clip_index(-past, len(table) // 2)]
    return result


def wrong_rows_and_columns_exchanged(weights, table, past):
    """You take the weight that query j gives to key i. Row i of the weights belongs to query i, as in `weights[i,
    j]`."""
    rows, result = right_rows(weights.shape, table, past), np.zeros((len(weights), table.shape[1]))
    for i, j in np.ndindex(rows.shape):
        result[i] += weights[j, i] * table[rows[i, j]]
    return result


def wrong_diagonals_from_the_top(weights, table, past):
    """You add every diagonal from query 0 on. A diagonal below the main one begins at a later query: the one with j −
    i = r < 0 begins at query −r."""
    rows, result = right_rows(weights.shape, table, past), np.zeros((len(weights), table.shape[1]))
    for i, j in np.ndindex(rows.shape):
        result[min(i, j)] += weights[i, j] * table[rows[i, j]]
    return result


def right_in_another_way(weights, table, past):
    return np.einsum("ij,ijd->id", weights, table[right_rows(weights.shape, table, past)])


def right_by_loops(weights, table, past):
    rows = right_rows(weights.shape, table, past)
    return [sum(w * table[row] for w, row in zip(*of_query)) for of_query in zip(weights, rows)]
