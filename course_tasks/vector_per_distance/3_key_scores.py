"""Bug hunt: who reads the table? · 10 minutes · ★★

In the lesson the query decides what a distance means. This function also takes one vector per pair, adds
it and multiplies. Its shape and scaling are right, and a model with it even trains. But it has changed who decides. Two
queries at the same offset from equal keys now always get the same number from the table. Find out why, and fix it.

There are two ways to see it. With keys of zeros the position should remain, but `key_scores(Q, 0 * K, np.eye(5, 4))` is
0. With queries of zeros nothing should remain, but `key_scores(0 * Q, K, np.eye(5, 4))` is not 0.
"""

import math

import numpy as np

from course_lib.checking import Case
from course_lib.example import K, Q
from course_lib.reference.attention import scores
from course_lib.reference.shaw import key_term

from ..shared import KEY, QUERY, normal
from .common import TABLE, right_rows


def key_scores(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    n, clip = len(q), len(table) // 2  # The table has 2·clip + 1 rows.
    # There are n tokens, at 0, 1, 2, … The queries are the rows of the result, so they need `[:, None]`.
    i, j = np.arange(n)[:, None], np.arange(n)
    # The offset is the position of the key minus that of the query, j − i. The lower end of the clipping is −clip. The
    # row is the clipped offset plus clip, so offset −clip takes row 0. Keys farther away than the clip share the first
    # or the last row. The vector of each pair is added to the key, k + a.
    vectors = table[np.clip(j - i, -clip, clip) + clip]
    # The query meets the sum of key and vector, q · (k + a). The product is divided by √d, and d is the length of the
    # last axis of q.
    return np.einsum("id,ijd->ij", q, k + vectors) / np.sqrt(q.shape[-1])


def draw(rng):
    n, d, clip = int(rng.integers(2, 8)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    return normal(rng, n, d), normal(rng, n, d), normal(rng, 2 * clip + 1, d)


BUG = "return np.einsum('ijd,jd->ij', q[:, None] + vectors, k) / np.sqrt(q.shape[-1])"


def expected(q, k, table):
    return scores(q, k) + key_term(q, table) / math.sqrt(q.shape[-1])


CASES = [
    Case(Q, K, TABLE, label="the five tokens", axes=(QUERY, KEY)),
    Case(Q, np.zeros_like(K), TABLE, label="keys of zeros: the position alone", axes=(QUERY, KEY)),
    Case(np.zeros_like(Q), K, TABLE, label="queries of zeros: nothing is read", axes=(QUERY, KEY)),
    Case(Q[:, :3], K[:, :3], TABLE[1:4, :3], label="clip 1, three numbers", axes=(QUERY, KEY)),
    Case(Q[:1], K[:1], TABLE, label="one token alone", axes=("query", "key")),
]


WRONG = """
return np.einsum('ijd,jd->ij', k[:, None] + vectors, q) / np.sqrt(q.shape[-1])  # You exchanged query and key
# completely, so row i belongs to key i now. Move only the vector to the other side.
return np.einsum('ijd,id->ij', q[:, None] + vectors, k) / np.sqrt(q.shape[-1])  # Now query i meets key i, because the
# letter of the key is i. It should be j. And the vector is still added to q.
return np.einsum('jd,ijd->ij', q, k + vectors) / np.sqrt(q.shape[-1])  # Now the query of j meets the pair (i, j). The
# query of i reads the table, so its letter in `einsum` is i.
return np.einsum('id,ijd->ij', q, k[:, None] + vectors) / np.sqrt(q.shape[-1])  # `k[:, None] + vectors` gives pair (i,
# j) the key of i. Without the new axis, the keys already lie along j.
return np.einsum('ijd,ijd->ij', q[:, None] + vectors, k + vectors) / np.sqrt(q.shape[-1])  # Now query and key both
# carry the vector, so it also meets itself, a · a. Add it to the key only.
return (np.einsum('jd,ijd->ij', k, vectors) + np.einsum('id,ijd->ij', q, k + vectors)) / np.sqrt(q.shape[-1])
# The key still reads the table as well, because the term k_j · a remains. Only the query should multiply a.
return q @ k.T / np.sqrt(q.shape[-1])  # You removed the vectors, so this is attention without position.
return (q @ k.T + vectors.sum(axis=-1)) / np.sqrt(q.shape[-1])  # You add up the numbers of each vector, which gives
# the same for every query. The query multiplies them first, q · a.
return q @ (k + vectors).T / np.sqrt(q.shape[-1])  # `k + vectors` has three axes, and `.T` reverses all of them. In
# `einsum`, letters say which axes meet.
return q @ k.T + np.einsum('id,ijd->ij', q, vectors) / np.sqrt(q.shape[-1])  # You divide only the position part by √d,
# because `/` comes before `+`. Put the sum in parentheses.
return (q @ k.T + np.sqrt(q.shape[-1]) * np.einsum('id,ijd->ij', q, vectors)) / np.sqrt(q.shape[-1])
# The position part is outside the scaling, so it is √d times too strong. Divide the whole sum by √d.
return np.einsum('id,ijd->ij', q, k + vectors) / q.shape[-1]  # You divide by d. The scores are divided by its square
# root.
return np.einsum('id,ijd->ij', q, k + vectors) / np.sqrt(n)  # You divide by √n, where n is the number of tokens. d is
# the length of the last axis of q.
vectors = table[np.clip(j - i, -clip, clip - 1) + clip]  # The upper end of the clipping is one too small. Offset +clip
# has a row of its own, 2·clip.
vectors = table[np.maximum(j - i, -clip) + clip]  # Some rows run past the last row of the table, 2·clip. Is the offset
# clipped on both sides, and are both ends right?
vectors = table[np.clip(i, -clip, clip) + clip]  # You clip the position of the query. The offset is the position of
# the key minus that of the query, j − i.
return np.einsum('ijd,jd->ij', k[:, None] + vectors, q).T / np.sqrt(q.shape[-1])  # Pair (i, j) gets the vector of i −
# j, and not of j − i. Is there a `.T` at the end? It reverses the offset as well.
"""


HINTS = [
    "Multiply out (q + a) · k. Which product contains the table, and which one should?",
    "The vector belongs to the key, as in q · (k + a). `k + vectors` has the shape (n, n, d), with key j along the "
    "second axis.",
    'In `einsum`, the query then has the letters "id", and the sum of key and vector has "ijd".',
]


def right_by_loops(q, k, table):
    rows = right_rows((len(q), len(k)), table)
    return [[q[i] @ (k[j] + table[rows[i, j]]) / math.sqrt(len(q[i])) for j in range(len(k))] for i in range(len(q))]
