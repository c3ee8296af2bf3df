"""Bug hunt: who reads the table?"""

import math

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import K, Q
from course_lib.reference.attention import scores
from course_lib.reference.shaw import key_term

from ..shared import KEY, QUERY, normal
from .common import CLIPPED, TABLE, right_rows


def _key_scores(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    n, clip = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    vectors = table[np.clip(j - i, -clip, clip) + clip]
    return np.einsum("id,ijd->ij", q, k + vectors) / np.sqrt(q.shape[-1])


def _key_scores_given(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    n, clip = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    vectors = table[np.clip(j - i, -clip, clip) + clip]
    return np.einsum("ijd,jd->ij", q[:, None] + vectors, k) / np.sqrt(q.shape[-1])


def _by_loops(q, k, table):
    rows = right_rows((len(q), len(k)), table)
    return [[q[i] @ (k[j] + table[rows[i, j]]) / math.sqrt(len(q[i])) for j in range(len(k))] for i in range(len(q))]


def _draw(rng):
    n, d, clip = int(rng.integers(2, 8)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    return normal(rng, n, d), normal(rng, n, d), normal(rng, 2 * clip + 1, d)


key_scores = CodingTask(
    title="Bug hunt: who reads the table?",
    minutes=10,
    difficulty=2,
    words="""In the lesson the query decides what a distance means. This function also takes one vector per pair, adds
it and multiplies. Its shape and scaling are right, and a model with it even trains. But it has changed who decides. Two
queries at the same offset from equal keys now always get the same number from the table. Find out why, and fix it.

There are two ways to see it. With keys of zeros the position should remain, but `key_scores(Q, 0 * K, np.eye(5, 4))` is
0. With queries of zeros nothing should remain, but `key_scores(0 * Q, K, np.eye(5, 4))` is not 0.""",
    solution=_key_scores,
    starter=_key_scores_given,
    expected=lambda q, k, table: scores(q, k) + key_term(q, table) / math.sqrt(q.shape[-1]),
    cases=[
        Case(Q, K, TABLE, label="the five tokens", axes=(QUERY, KEY)),
        Case(Q, np.zeros_like(K), TABLE, label="keys of zeros: the position alone", axes=(QUERY, KEY)),
        Case(np.zeros_like(Q), K, TABLE, label="queries of zeros: nothing is read", axes=(QUERY, KEY)),
        Case(Q[:, :3], K[:, :3], TABLE[1:4, :3], label="clip 1, three numbers", axes=(QUERY, KEY)),
        Case(Q[:1], K[:1], TABLE, label="one token alone", axes=("query", "key")),
    ],
    draw=_draw,
    pieces=CLIPPED
    + """
len(table) // 2
    the clip: The table has 2·clip + 1 rows.
np.arange(n)
    the range of positions: There are n tokens, at 0, 1, 2, …
np.arange(n)[:, None]
    the column of queries: The queries are the rows of the result, so they need `[:, None]`.
np.einsum("id,ijd->ij", q, k + vectors)
    the product: The query meets the sum of key and vector, q · (k + a).
vectors
    the vector of each pair: It is added to the key, k + a.
k
    the key: The query meets the sum of key and vector, q · (k + a).
np.sqrt(q.shape[-1])
    the scaling: The product is divided by √d, and d is the length of the last axis of q.
""",
    slips="""
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("ijd,jd->ij", k[:, None] + vectors, q)
    You exchanged query and key completely, so row i belongs to key i now. Move only the vector to the other side.
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("ijd,id->ij", q[:, None] + vectors, k)
    Now query i meets key i, because the letter of the key is i. It should be j. And the vector is still added to q.
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("jd,ijd->ij", q, k + vectors)
    Now the query of j meets the pair (i, j). The query of i reads the table, so its letter in `einsum` is i.
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("id,ijd->ij", q, k[:, None] + vectors)
    `k[:, None] + vectors` gives pair (i, j) the key of i. Without the new axis, the keys already lie along j.
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors)
    Now query and key both carry the vector, so it also meets itself, a · a. Add it to the key only.
return np. → return (np.einsum("jd,ijd->ij", k, vectors) + np.
k + vectors) → k + vectors))
    The key still reads the table as well, because the term k_j · a remains. Only the query should multiply a.
np.einsum("id,ijd->ij", q, k + vectors) → (q @ k.T)
    You removed the vectors, so this is attention without position.
np.einsum("id,ijd->ij", q, k + vectors) → (q @ k.T + vectors.sum(axis=-1))
    You add up the numbers of each vector, which gives the same for every query. The query multiplies them first, q · a.
np.einsum("id,ijd->ij", q, k + vectors) → (q @ (k + vectors).T)
    `k + vectors` has three axes, and `.T` reverses all of them. In `einsum`, letters say which axes meet.
np.einsum("id,ijd->ij", q, k + vectors) → q @ k.T + np.einsum("id,ijd->ij", q, vectors)
    You divide only the position part by √d, because `/` comes before `+`. Put the sum in parentheses.
np.einsum("id,ijd->ij", q, k + vectors) → (q @ k.T + np.sqrt(q.shape[-1]) * np.einsum("id,ijd->ij", q, vectors))
    The position part is outside the scaling, so it is √d times too strong. Divide the whole sum by √d.
np.sqrt(q.shape[-1]) → q.shape[-1]
    You divide by d. The scores are divided by its square root.
np.sqrt(q.shape[-1]) → np.sqrt(n)
    You divide by √n, where n is the number of tokens. d is the length of the last axis of q.
-clip, clip) → -clip, clip - 1)
    The upper end of the clipping is one too small. Offset +clip has a row of its own, 2·clip.
np.clip(j - i, -clip, clip) → np.maximum(j - i, -clip)
    Some rows run past the last row of the table, 2·clip. Is the offset clipped on both sides, and are both ends right?
j - i → i
    You clip the position of the query. The offset is the position of the key minus that of the query, j − i.
np.einsum("id,ijd->ij", q, k + vectors) → np.einsum("ijd,jd->ij", k[:, None] + vectors, q).T
    Pair (i, j) gets the vector of i − j, and not of j − i. Is there a `.T` at the end? It reverses the offset as well.
""",
    alternatives=[_by_loops],
    hints=[
        "Multiply out (q + a) · k. Which product contains the table, and which one should?",
        "The vector belongs to the key, as in q · (k + a). `k + vectors` has the shape (n, n, d), with key j along the "
        "second axis.",
        'In `einsum`, the query then has the letters "id", and the sum of key and vector has "ijd".',
    ],
)
