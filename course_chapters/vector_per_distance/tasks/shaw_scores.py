r"""Scores with a vector per offset · 14 minutes · ★★ · first

The whole score of Shaw's scheme, content and position, inside the scaling:

$$s_{ij} = \frac{q_i \cdot (k_j + a_{\mathrm{clip}(j - i)})}{\sqrt{d}}$$

The table has $2k + 1$ rows, so `len(table) // 2` is the clip. Query $i$ is at position `past + i`, key $j$ at position
$j$. Loops are welcome. Without them, multiply every query with every vector of the table first, then choose.

Begin with the rows of the table. With `past` 1 and clip 1, two queries are at positions 1 and 2, and for four keys the
rows are `[[0, 1, 2, 2], [0, 0, 1, 2]]`. A table of zeros must give the plain scores, `Q @ K.T / 2` for the five tokens.
"""

import math

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import K, Q
from course_lib.reference import oracle

from ...shared import KEY, LAST_TWO, QUERY, normal
from .common import TABLE, sizes


def shaw_scores(q, k, table, past):
    """Scores q_i · (k_j + a[j - i]) / √d, query i at position past + i.

    q (n_q, d), k (n_k, d), table (2·clip + 1, d); returns (n_q, n_k).
    """
    clip = len(table) // 2  # The table has 2·clip + 1 rows.
    i = past + np.arange(len(q))[:, None]  # Query i is at position past + i, and it has row i of the result.
    offset = np.arange(len(k)) - i  # The offset is the position of the key minus that of the query.
    rows = np.clip(offset, -clip, clip) + clip  # Offsets are limited to −clip … clip, and offset −clip takes row 0.
    products = q @ table.T  # Each query meets each vector of the table.
    position = np.take_along_axis(products, rows, axis=1)  # Each query takes, for each key, the product of its offset.
    return (q @ k.T + position) / np.sqrt(q.shape[-1])  # Content and position are added, and the sum is divided by √d.


def expected(q, k, table, past):
    def vector(r):
        return table[max(0, min(len(table) - 1, r + len(table) // 2))]

    return oracle.scores_through_query(q, k, vector, scale=1 / math.sqrt(q.shape[-1]), past=past)


def draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(2, 7))
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, 2 * clip + 1, d), past


CASES = [
    Case(Q, K, TABLE, 0, label="the five tokens", axes=(QUERY, KEY)),
    Case(Q[3:], K, TABLE, 3, label="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
    Case(Q, K, np.zeros((3, 4)), 0, label="a table of zeros: the content alone", axes=(QUERY, KEY)),
    Case(Q[:2], K, TABLE[1:4], 0, label="two queries, clip 1", axes=(Axis("query"), KEY)),
    Case(Q[:, :3], K[:, :3], TABLE[2:3, :3], 0, label="clip 0, three numbers", axes=(QUERY, KEY)),
    Case(Q[4:], K, TABLE, 4, label="the last token alone", axes=("query", KEY)),
    Case(Q[3:], np.tile(K, (61, 1)), TABLE, 301, label="two queries after 301 tokens"),
    Case(Q, K[:3], TABLE, 1, label="five queries after one token, three keys", axes=("query", "key")),
]
WRONG = """
return q @ k.T + position / np.sqrt(q.shape[-1])  # You divide only the position part by √d. Put the sum in parentheses.
return (q @ k.T + position / np.sqrt(q.shape[-1])) / np.sqrt(q.shape[-1])  # You divide the position part by √d twice.
return q @ k.T / np.sqrt(q.shape[-1]) + position  # The position part is not divided by √d. It belongs to the key.
return (q @ k.T + position) / q.shape[-1]  # You divide by d. The scores are divided by its square root.
return (q @ k.T + position) / 2  # You divide by 2, which is √d for four channels only. d is the last axis of q.
return (q @ k.T + position) / np.sqrt(len(k))  # You divide by the root of a number of rows. d is the last axis of q.
i = np.arange(len(q))[:, None]  # `past` has no effect in your result. It moves the queries, and not the keys.
i = len(k) - len(q) + np.arange(len(q))[:, None]  # You take n_k − n_q for `past`. Keys may come after the last query.
i = -past + np.arange(len(q))[:, None]  # You move the queries back by `past`, or the keys on. Move the queries on.
offset = np.arange(len(k)) - past + np.arange(len(q))[:, None]  # `j - past + i` adds i. Put `past + i` in parentheses.
offset = i - np.arange(len(k))  # Pair (i, j) gets the vector of i − j. It should get that of j − i, in row
# j − i + clip.
offset = i + np.arange(len(k))  # You add the two positions. The offset is key minus query.
offset = abs(np.arange(len(k)) - i)  # You use the distance |j − i|, so keys before and after get the same vectors.
offset = len(k) - i  # Every key of a query gets the same row. The positions of the keys are `np.arange(len(k))`.
clip = 2  # The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
rows = offset + clip  # Some rows are outside the table. Limit the offset to ±clip.
rows = (offset + clip) % len(table)  # Far offsets begin again at the other end of your table. Clip them.
position = np.where(abs(offset) > clip, 0, position)  # Keys beyond the clip get no vector in your result. They share
# the last one: limit the offset to −clip … clip.
rows = np.clip(offset, -len(table), len(table)) + clip  # You limit the offset to the length of the table, which has
# 2·clip + 1 rows. Limit it to −clip … clip.
rows = np.clip(offset + clip, -clip, clip)  # You clip after the shift, so all later keys get one vector. Clip first.
position = products[np.arange(len(q)), rows]  # Column j has the product of query j. Index the queries by `[:, None]`.
position = products[0][rows]  # Every query takes the products of query 0. Query i needs row i of `products`.
position = products[:, rows]  # You look up every pair for every query, (n_q, n_q, n_k). Query i needs row i only.
position = products  # The columns of `q @ table.T` are rows of the table, not keys. Choose one for each key.
position = np.take_along_axis(k @ table.T, rows.T, axis=1).T  # You read the table with the key. The query reads it.
position = table[rows].sum(axis=-1)  # You add up the numbers of each vector. The query multiplies them, q · a.
position = q @ table[rows].T  # `@` sums over the keys in `table[rows]`, with or without `.T`. Sum over the last axis.
position = ((q[:, None] + table[rows]) * (k + table[rows])).sum(axis=-1) - q @ k.T  # You add the vector to the query as
# well, so it meets itself, a · a. Add it to the key only.
return (q[:, None] * k * table[rows]).sum(axis=-1) / np.sqrt(q.shape[-1])  # You multiply key and vector. Add them.
return q @ (k + table).T / np.sqrt(q.shape[-1])  # You add row j of the table to key j. The row depends on j − i.
"""
HINTS = [
    "For one pair, clip `r = j - (past + i)`. Its vector is `table[r + clip]`, and its score is "
    "`q[i] @ (k[j] + vector) / √d`.",
    "`q @ table.T` has one row per query and one column per row of the table.",
    "Of that, query i needs the columns `rows[i]`: `products[np.arange(n_q)[:, None], rows]`.",
]
