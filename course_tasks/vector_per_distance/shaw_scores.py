"""Scores with a vector per offset."""

import math

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import K, Q
from course_lib.reference import oracle
from course_lib.reference.attention import scores
from course_lib.reference.shaw import key_term

from ..shared import KEY, QUERY, normal
from .common import LAST_TWO, TABLE, right_rows, sizes


def _shaw_scores(q, k, table, past):
    """Scores q_i · (k_j + a[j - i]) / √d, query i at position past + i.

    q (n_q, d), k (n_k, d), table (2·clip + 1, d); returns (n_q, n_k).
    """
    clip = len(table) // 2
    i = past + np.arange(len(q))[:, None]
    rows = np.clip(np.arange(len(k)) - i, -clip, clip) + clip
    position = np.take_along_axis(q @ table.T, rows, axis=1)
    return (q @ k.T + position) / np.sqrt(q.shape[-1])


def _by_loops(q, k, table, past):
    clip = len(table) // 2

    def vector(r):
        return table[max(-clip, min(clip, r)) + clip]

    return oracle.scores_through_query(q, k, vector, scale=1 / math.sqrt(q.shape[-1]), past=past)


def _draw(rng):
    (n_q, n_k, clip, past), d = sizes(rng), int(rng.integers(2, 7))
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, 2 * clip + 1, d), past


shaw_scores = CodingTask(
    title="Scores with a vector per offset",
    minutes=14,
    difficulty=2,
    words=r"""The whole score of Shaw's scheme, content and position, inside the scaling:

$$s_{ij} = \frac{q_i \cdot (k_j + a_{\mathrm{clip}(j - i)})}{\sqrt{d}}$$

The table has $2k + 1$ rows, so `len(table) // 2` is the clip. Query $i$ is at position `past + i`, key $j$ at position
$j$. Loops are welcome. Without them, multiply every query with every vector of the table first, then choose.

A table of zeros must give the plain scores, `Q @ K.T / 2` for the five tokens.""",
    solution=_shaw_scores,
    expected=_by_loops,
    cases=[
        Case(Q, K, TABLE, 0, label="the five tokens", axes=(QUERY, KEY)),
        Case(Q[3:], K, TABLE, 3, label="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
        Case(Q, np.zeros_like(K), TABLE, 0, label="keys of zeros: the position alone", axes=(QUERY, KEY)),
        Case(Q, K, np.zeros((3, 4)), 0, label="a table of zeros: the content alone", axes=(QUERY, KEY)),
        Case(Q[:2], K, TABLE[1:4], 0, label="two queries, clip 1", axes=(Axis("query"), KEY)),
        Case(Q[:, :3], K[:, :3], TABLE[2:3, :3], 0, label="clip 0, three numbers", axes=(QUERY, KEY)),
        Case(Q[:1], K[:1], TABLE, 0, label="one token alone", axes=("query", "key")),
    ],
    draw=_draw,
    pieces="""
np.arange(len(k)) - i
    the offset: It is the position of the key minus that of the query, j − i.
np.arange(len(q))
    the range of queries: There are len(q) queries, and query i is at past + i.
np.arange(len(q))[:, None]
    the column of queries: The queries are the rows of the result, so they need `[:, None]`.
np.arange(len(k))
    the range of keys: There are len(k) keys, at 0, 1, 2, …
np.clip(np.arange(len(k)) - i, -clip, clip) + clip
    the row: It is the clipped offset plus clip, so offset −clip takes row 0.
np.clip(np.arange(len(k)) - i, -clip, clip)
    the clipping: Keys farther away than the clip share the outermost vectors.
-clip
    the lower end of the clipping: It is −clip.
len(table) // 2
    the clip: The table has 2·clip + 1 rows.
q @ table.T
    the position part: The query reads the table, `q @ table.T`.
q @ k.T
    the content part: Each query meets each key, `q @ k.T`.
position
    the position part: It is added to the content, and both are divided by √d.
np.sqrt(q.shape[-1])
    the scaling: The sum is divided by √d, and d is the length of the last axis of q.
axis=1
    the look-up: Each query chooses among its own products, along axis 1.
""",
    slips="""
(q @ k.T + position) / np.sqrt(q.shape[-1]) → q @ k.T + position / np.sqrt(q.shape[-1])
    You divide only the position part by √d, because `/` comes before `+`. Put the sum in parentheses.
q @ k.T + position → q @ k.T + position / np.sqrt(q.shape[-1])
    You divide the position part by √d twice: once alone, and again with the sum.
(q @ k.T + position) / np.sqrt(q.shape[-1]) → q @ k.T / np.sqrt(q.shape[-1]) + position
    The position part is outside the scaling, so it is √d times too strong. It is added to the key, and so it is
    divided with it.
np.sqrt(q.shape[-1]) → q.shape[-1]
    You divide by d. The scores are divided by its square root.
np.sqrt(q.shape[-1]) → 2
    You divide by 2, which is √d for four channels only. d is the length of the last axis of q.
np.sqrt(q.shape[-1]) → np.sqrt(len(table))
    You scale by the number of rows of the table. d is the length of the last axis of q.
np.sqrt(q.shape[-1]) → np.sqrt(len(q))
    You scale by the number of queries. d is the length of the last axis of q.
np.sqrt(q.shape[-1]) → np.sqrt(len(k))
    You scale by the number of keys. d is the length of the last axis of q.
past + →
    `past` has no effect. Query i is at position past + i, and key j at position j.
past + → -past +
    `past` has the wrong sign, or it moves the keys. The queries are `past` positions further on, not the keys.
len(table) // 2 → 2
    The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.
np.arange(len(k)) - i → abs(np.arange(len(k)) - i)
    You use the distance |j − i|, so keys before the query get the vectors of those after it.
np.arange(len(k)) - i → np.arange(len(k)) - past + np.arange(len(q))[:, None]
    `j - past + i` adds i again. Subtract the position of the query as a whole: put `past + i` in parentheses.
np.arange(len(k)) - i → len(k) - i
    Every key of a query gets the same row. The positions of the keys are `np.arange(len(k))`.
np.arange(len(k)) - i → i
    You clip the position of the query. The offset is the position of the key minus that of the query, j − i.
np.clip(np.arange(len(k)) - i, -clip, clip) + clip → np.clip(np.arange(len(k)) - i + clip, -clip, clip)
    You clip after the shift, so all later keys get the vector of offset 0. Clip first, then shift.
-clip, clip) → -clip, clip - 1)
    The upper end of the clipping is one too small. Offset +clip has a row of its own, 2·clip.
np.clip(np.arange(len(k)) - i, -clip, clip) → np.maximum(np.arange(len(k)) - i, -clip)
    Some rows run past the end of the table, whose last row is 2·clip. Is the offset clipped on both sides, and are
    both ends right?
np.take_along_axis(q @ table.T, rows, axis=1) → (q @ table.T)[np.arange(len(q)), rows]
    Column j has the product of query j. Queries are the rows, so give their index a second axis: `[:, None]`.
clip) + clip → clip)
    You clip but do not shift. Offset −clip should take row 0, and NumPy reads row −1 as the last one.
-clip, clip) → clip, clip)
    Every pair gets the last row of the table, because the lower end of `np.clip` is +clip. It is −clip.
... → return q @ (k + table).T / np.sqrt(q.shape[-1])
    You add row j of the table to key j. Which row it is depends on j − i, so every pair has its own.
""",
    alternatives=[
        lambda q, k, table, past: scores(q, k) + key_term(q, table, len(k), past=past) / math.sqrt(q.shape[-1]),
        _by_loops,
    ],
    hints=[
        "For one pair, clip `r = j - (past + i)`. Its vector is `table[r + clip]`, and its score is `q[i] @ (k[j] + "
        "vector) / √d`.",
        "`q @ table.T` has one row per query and one column per row of the table.",
        "Of that, query i needs the columns `rows[i]`: `products[np.arange(n_q)[:, None], rows]`.",
    ],
)


@shaw_scores.wrong("You read the table with the key, k_j · a. In Shaw's scheme the query reads it, q_i · a.")
def _keys_read_the_table(q, k, table, past):
    rows = right_rows((len(q), len(k)), table, past)
    return scores(q, k) + np.take_along_axis(k @ table.T, rows.T, axis=1).T / np.sqrt(q.shape[-1])


@shaw_scores.wrong(
    "`[:, rows]` looks up every pair for every query, which gives (n_q, n_q, n_k). Each query needs only its own row: "
    "`[np.arange(n_q)[:, None], rows]`."
)
def _looked_up_for_all(q, k, table, past):
    return (q @ k.T + (q @ table.T)[:, right_rows((len(q), len(k)), table, past)]) / np.sqrt(q.shape[-1])


@shaw_scores.wrong(
    "You add up the numbers of each vector, which gives the same for every query. The query multiplies them, q_i · a."
)
def _summed_vectors(q, k, table, past):
    return (q @ k.T + table[right_rows((len(q), len(k)), table, past)].sum(-1)) / np.sqrt(q.shape[-1])


@shaw_scores.wrong(
    "`table[rows]` has three axes, and `.T` reverses all of them. Multiply each vector with its query and sum over the "
    "last axis, or choose from `q @ table.T`."
)
def _three_axes_reversed(q, k, table, past):
    return (q @ k.T + q @ table[right_rows((len(q), len(k)), table, past)].T) / np.sqrt(q.shape[-1])


@shaw_scores.wrong(
    "The columns of `q @ table.T` are rows of the table, not keys. For each key, choose the column of its offset."
)
def _table_rows_for_keys(q, k, table, past):
    return (q @ k.T + q @ table.T) / np.sqrt(q.shape[-1])


@shaw_scores.wrong("You add the vector to the query as well, so it meets itself, a · a. Add it to the key only.")
def _vector_on_both_sides(q, k, table, past):
    vectors = table[right_rows((len(q), len(k)), table, past)]
    return np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors) / np.sqrt(q.shape[-1])


@shaw_scores.wrong("You multiply key and vector. They are added, k + a, before the query meets them.")
def _key_times_vector(q, k, table, past):
    return np.einsum("id,jd,ijd->ij", q, k, table[right_rows((len(q), len(k)), table, past)]) / np.sqrt(q.shape[-1])
