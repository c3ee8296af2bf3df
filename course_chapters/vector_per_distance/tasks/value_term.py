r"""The value side · 14 minutes · ★★

A vector is also added to each value, chosen by its offset. Leave the values out, and compute what the
table alone adds to each output:

$$\sum_j w_{ij}\, c_{\mathrm{clip}(j - i)}$$

Query $i$ is at position `past + i` and key $j$ at position $j$; the clip is `len(table) // 2`. If all the weight of a
query is on the token before it, its result is the row of the table for −1. There are two ways to compute this: take a
vector for every pair, or first collect the weight of each offset and then compute one product.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.attention import softmax
from course_lib.reference.shaw import value_term as reference_value_term

from ...shared import LAST_TWO, NUMBER, QUERY, SCORES, normal
from .common import TABLE, sizes


def value_term(weights, table, past):
    """What the value table adds, Σ_j w_ij c[j - i], query i at position past + i.

    weights (n_q, n_k), table (2·clip + 1, d); returns (n_q, d).
    """
    n_q, n_k = weights.shape
    clip = len(table) // 2  # The table has 2·clip + 1 rows.
    i, j = past + np.arange(n_q)[:, None], np.arange(n_k)  # Query i is at position past + i, and key j at position j.
    offset = j - i  # The offset is the position of the key minus that of the query.
    rows = np.clip(offset, -clip, clip) + clip  # Offsets are limited to −clip … clip, and offset −clip takes row 0.
    weighted = weights[:, :, None] * table[rows]  # The vector of each pair is multiplied by its weight: (n_q, n_k, d).
    return weighted.sum(axis=1)  # Each query adds up the vectors of its keys, along axis 1.


def expected(weights, table, past):
    return reference_value_term(weights, table, past=past)


def draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(1, 6))
    return softmax(normal(rng, n_q, n_k)), normal(rng, 2 * clip + 1, d), past


WEIGHTS = softmax(SCORES)
LOOK_BACK = np.eye(5)[[0, 0, 1, 2, 3]]  # every token gives all its weight to the token before, the first to itself
CASES = [
    Case(WEIGHTS, TABLE, 0, label="the five tokens", axes=(QUERY, NUMBER)),
    Case(LOOK_BACK, TABLE, 0, label="all weight on the token before", axes=(QUERY, NUMBER)),
    Case(WEIGHTS[3:], TABLE, 3, label="the last two of the five, three are past", axes=(LAST_TWO, NUMBER)),
    Case(WEIGHTS, TABLE[1:4, :2], 0, label="clip 1, vectors of two numbers", axes=(QUERY, NUMBER)),
    Case(WEIGHTS, TABLE[2:3], 0, label="clip 0: the same vector for all", axes=(QUERY, NUMBER)),
    Case(3 * WEIGHTS[4:], TABLE, 4, label="one query after four tokens, weights that sum to 3"),
    Case(np.tile(WEIGHTS[3:], 61) / 61, TABLE, 301, label="two queries after 301 tokens"),
]
WRONG = """
offset = j - np.arange(n_q)[:, None]  # `past` has no effect in your result. It moves the queries, and not the keys.
offset = j - np.arange(n_q)[:, None] + past  # You move the queries back by `past`, or the keys on. Move the queries on.
offset = j - past + np.arange(n_q)[:, None]  # `j - past + i` adds i again. Put `past + i` in parentheses.
offset = i - j  # Pair (i, j) gets the vector of i − j. It should get that of j − i, in row j − i + clip.
offset = i + j  # You add the two positions. The offset is key minus query.
offset = abs(j - i)  # You use the distance |j − i|, so keys before the query get the vectors of those after it.
clip = 2  # The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
rows = np.clip(offset + clip, -clip, clip)  # You clip after the shift, so all later keys get one vector. Clip first.
rows = np.clip(offset, -clip, clip)  # You do not add clip, so offset −clip takes row −clip, which counts from the end.
rows = offset + clip  # Some of your rows are not in the table. Limit the offset to −clip … clip.
rows = np.clip(offset, clip, clip) + clip  # Every pair gets the last row of the table. The lower end is −clip.
weighted = weights[j, i - past][:, :, None] * table[rows]  # You take the weight that query j gives to key i. Row i of
# the weights belongs to query i, as in `weights[i, j]`.
return weighted.sum(axis=1, where=(abs(offset) <= clip)[..., None])  # Offsets beyond the clip share the last vectors.
return weighted.sum(axis=1, where=(offset <= 0)[..., None])  # You leave out the keys after their query. No mask is
# asked for, so every key counts with its weight.
return weighted.sum(axis=1, where=(np.diff(rows, append=-1) != 0)[..., None])  # Offsets beyond the clip share a row,
# and you keep only the last of their weights. `=` overwrites, and so does `+=` with an array of rows in which one is
# repeated. Add them one by one, or with `np.add.at`.
weighted = weights[:, :, None] * table[rows] / (rows[:, :, None] == rows[:, None]).sum(-1)[..., None]  # You take the
# mean of the weights that share a row. Add them up.
return weighted.sum(axis=1, where=(i - past + j == 0)[..., None])  # Only one pair is left. Is a `return` in the loop?
return weighted.sum(axis=1) / weights.sum(axis=1, keepdims=True)  # You divide by the sum of the weights. The formula
# takes the weights as they are, whatever their sum.
return weighted[:, -1]  # Only the last key counts. Does each key overwrite the one before? Add them up with `+=`.
return weighted.sum(axis=1).cumsum(axis=0)  # Each query continues the sum of the one before. Start with zeros for each.
return weighted.sum(axis=(0, 1)) + np.zeros((n_q, 1))  # All rows are one sum over all queries. Start anew for each.
return weights @ table  # `weights @ table` gives key j row j of the table. Which row it gets depends on j − i.
"""
HINTS = [
    "With two loops: for each query i, start with zeros and add `weights[i, j] * table[row]` for each key j.",
    "The row is found as for the key table. It is the clipped offset plus clip.",
    "Without loops: `table[rows]` is (n_q, n_k, d). Multiply by `weights[:, :, None]` and sum over axis 1.",
]
