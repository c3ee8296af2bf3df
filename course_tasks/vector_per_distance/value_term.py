"""The value side."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.reference.attention import softmax
from course_lib.reference.shaw import clip_index
from course_lib.reference.shaw import value_term as reference_value_term

from ..shared import NUMBER, QUERY, normal
from .common import LAST_TWO, LOOK_BACK, TABLE, WEIGHTS, right_rows, sizes


def _value_term(weights, table, past):
    """What the value table adds, Σ_j w_ij c[j - i], query i at position past + i.

    weights (n_q, n_k), table (2·clip + 1, d); returns (n_q, d).
    """
    n_q, n_k = weights.shape
    clip = len(table) // 2
    i = past + np.arange(n_q)[:, None]
    vectors = table[np.clip(np.arange(n_k) - i, -clip, clip) + clip]
    return (weights[:, :, None] * vectors).sum(axis=1)


def _by_loops(weights, table, past):
    rows = right_rows(weights.shape, table, past)
    return [sum(w * table[row] for w, row in zip(*of_query)) for of_query in zip(weights, rows)]


def _draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(1, 6))
    return softmax(normal(rng, n_q, n_k)), normal(rng, 2 * clip + 1, d), past


value_term = CodingTask(
    title="The value side",
    minutes=14,
    difficulty=2,
    words=r"""A vector is also added to each value, chosen by its offset. Leave the values out, and compute what the
table alone adds to each output:

$$\sum_j w_{ij}\, c_{\mathrm{clip}(j - i)}$$

Query $i$ is at position `past + i` and key $j$ at position $j$; the clip is `len(table) // 2`. If all the weight of a
query is on the token before it, its result is the row of the table for −1. There are two ways to compute this: take a
vector for every pair, or first collect the weight of each offset and then compute one product.""",
    solution=_value_term,
    expected=lambda weights, table, past: reference_value_term(weights, table, past=past),
    cases=[
        Case(WEIGHTS, TABLE, 0, label="the five tokens", axes=(QUERY, NUMBER)),
        Case(LOOK_BACK, TABLE, 0, label="all weight on the token before", axes=(QUERY, NUMBER)),
        Case(WEIGHTS[3:], TABLE, 3, label="the last two of the five, three are past", axes=(LAST_TWO, NUMBER)),
        Case(WEIGHTS, TABLE[1:4, :2], 0, label="clip 1, vectors of two numbers", axes=(QUERY, NUMBER)),
        Case(WEIGHTS[:2], TABLE, 0, label="two queries, five keys", axes=(Axis("query"), NUMBER)),
        Case(WEIGHTS, TABLE[2:3], 0, label="clip 0: the same vector for all", axes=(QUERY, NUMBER)),
        Case(np.ones((1, 1)), TABLE, 0, label="one token alone", axes=("query", "number")),
    ],
    draw=_draw,
    pieces="""
np.arange(n_q)
    the range of queries: There are n_q queries, and query i is at past + i.
np.arange(n_q)[:, None]
    the column of queries: Every query meets every key, so it needs `[:, None]`.
np.arange(n_k) - i
    the offset: It is the position of the key minus that of the query, j − i.
np.arange(n_k)
    the range of keys: There are n_k keys, at 0, 1, 2, …
-clip
    the lower end of the clipping: It is −clip.
np.clip(np.arange(n_k) - i, -clip, clip) + clip
    the row: It is the clipped offset plus clip, so offset −clip takes row 0.
np.clip(np.arange(n_k) - i, -clip, clip)
    the clipping: Keys farther away than the clip share the outermost vectors.
len(table) // 2
    the clip: The table has 2·clip + 1 rows.
weights[:, :, None]
    the weight of each pair: It multiplies the whole vector of the pair.
vectors
    the vector of each pair: It is multiplied by the weight of the pair.
axis=1
    the sum: It runs over the keys of each query and keeps the numbers of the vectors.
(weights[:, :, None] * vectors).sum(axis=1)
    the sum: It runs over the keys of each query and keeps the numbers of the vectors.
""",
    slips="""
past + →
    `past` has no effect. Query i is at position past + i, and key j at position j.
past + → -past +
    `past` has the wrong sign, or it moves the keys. The queries are `past` positions further on, not the keys.
np.arange(n_k) - i → np.arange(n_k) - past + np.arange(n_q)[:, None]
    `j - past + i` adds i again. Subtract the position of the query as a whole: put `past + i` in parentheses.
np.arange(n_k) - i → abs(np.arange(n_k) - i)
    You use the distance |j − i|, so keys before the query get the vectors of those after it.
np.arange(n_k) - i → i
    You clip the position of the query. The offset is the position of the key minus that of the query, j − i.
np.clip(np.arange(n_k) - i, -clip, clip) + clip → np.clip(np.arange(n_k) - i + clip, -clip, clip)
    You clip after the shift, so all later keys get the vector of offset 0. Clip first, then shift.
-clip, clip) → -clip, clip - 1)
    The upper end of the clipping is one too small. Offset +clip has a row of its own, 2·clip.
np.clip(np.arange(n_k) - i, -clip, clip) → np.maximum(np.arange(n_k) - i, -clip)
    Some rows run past the end of the table, whose last row is 2·clip. Is the offset clipped on both sides, and are
    both ends right?
-clip, clip) → 0, clip)
    You clip every offset before the query to 0, as if it were the query itself. The lower end is −clip, not 0.
len(table) // 2 → 2
    The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
weights[ → (weights * (abs(np.arange(n_k) - i) <= clip))[
    You leave out offsets beyond the clip. They share the outermost vectors.
weights[ → (weights * (np.arange(n_k) <= i))[
    You leave out the keys after their query. No mask is asked for, so every key counts with its weight.
weights[:, :, None] * vectors → weights[:, -1:, None] * vectors[:, -1:]
    Only the last key counts. Does each key overwrite the one before? Add them up with `+=`.
.sum(axis=1) → .mean(axis=1)
    You take the mean over the keys. The weights already sum to 1, so their sum is the average you want.
.sum(axis=1) → .sum(axis=1).cumsum(axis=0)
    Each query continues with the sum of the query before it. Start with zeros for every query.
.sum(axis=1) → .sum(axis=(0, 1)) + np.zeros((n_q, 1))
    All rows are the same sum over all queries. Start a new array for every query.
... → return weights @ table
    `weights @ table` gives key j row j of the table. Which row it gets depends on j − i.
""",
    alternatives=[
        _by_loops,
        lambda weights, table, past: np.einsum("ij,ijd->id", weights, table[right_rows(weights.shape, table, past)]),
    ],
    hints=[
        "With two loops: for each query i, start with zeros and add `weights[i, j] * table[row]` for each key j.",
        "The row is found as for the key table. It is the clipped offset plus clip.",
        "Without loops: `table[rows]` is (n_q, n_k, d). Multiply by `weights[:, :, None]` and sum over axis 1.",
    ],
)


@value_term.wrong(
    "Offsets beyond the clip share a row, and you keep only the last of their weights. `=` overwrites, and so does "
    "`+=` with an array of rows, where an index is repeated. Add them one by one, or with `np.add.at`."
)
def _overwritten_weights(weights, table, past):
    rows = right_rows(weights.shape, table, past)
    collected = np.zeros((len(weights), len(table)))
    for j in range(weights.shape[1]):
        collected[np.arange(len(weights)), rows[:, j]] = weights[:, j]
    return collected @ table


@value_term.wrong("Only the first pair has left a trace. Is there a `return` inside the loop over the keys?")
def _first_pair(weights, table, past):
    result = np.zeros((len(weights), table.shape[1]))
    result[0] = weights[0, 0] * table[clip_index(-past, len(table) // 2)]
    return result


@value_term.wrong(
    "You take the weight that query j gives to key i. Row i of the weights belongs to query i, as in `weights[i, j]`."
)
def _rows_and_columns_exchanged(weights, table, past):
    rows, result = right_rows(weights.shape, table, past), np.zeros((len(weights), table.shape[1]))
    for i, j in np.ndindex(rows.shape):
        result[i] += weights[j, i] * table[rows[i, j]]
    return result


@value_term.wrong(
    "You add every diagonal from query 0 on. A diagonal below the main one begins at a later query: the one with "
    "j − i = r < 0 begins at query −r."
)
def _diagonals_from_the_top(weights, table, past):
    rows, result = right_rows(weights.shape, table, past), np.zeros((len(weights), table.shape[1]))
    for i, j in np.ndindex(rows.shape):
        result[min(i, j)] += weights[i, j] * table[rows[i, j]]
    return result
