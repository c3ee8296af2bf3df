"""Bug hunt: who reads the table? · 10 minutes · ★★ · first

In the lesson the query decides what a distance means. This function also takes one vector per pair, adds
it and multiplies. Its shape and scaling are right, and a model with it even trains. But it has changed who decides. Two
queries at the same offset from equal keys now always get the same number from the table. Find out why, and fix it.

There are two ways to see it. With keys of zeros the position should remain, but `key_scores(Q, 0 * K, np.eye(5, 4))` is
0. With queries of zeros nothing should remain, but `key_scores(0 * Q, K, np.eye(5, 4))` is not 0.
"""

import math

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q
from course_lib.reference.attention import scores
from course_lib.reference.shaw import key_term

from ...shared import KEY, QUERY, normal
from .common import TABLE


def key_scores(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    clip = len(table) // 2  # The table has 2·clip + 1 rows.
    i, j = np.arange(len(q))[:, None], np.arange(len(k))  # The queries go down and the keys go across.
    vectors = table[np.clip(j - i, -clip, clip) + clip]  # The row is the clipped offset j − i, plus clip.
    products = np.einsum("id,ijd->ij", q, k + vectors)  # The vector is added to the key, so the query multiplies it.
    return products / np.sqrt(q.shape[-1])  # The products are divided by √d, where d is the last axis of q.


def expected(q, k, table):
    return scores(q, k) + key_term(q, table) / math.sqrt(q.shape[-1])


def draw(rng):
    n, d, clip = int(rng.integers(2, 8)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    return normal(rng, n, d), normal(rng, n, d), normal(rng, 2 * clip + 1, d)


BUG = 'products = np.einsum("ijd,jd->ij", q[:, None] + vectors, k)'
CASES = [
    Case(Q, K, TABLE, label="the five tokens", axes=(QUERY, KEY)),
    Case(Q, np.zeros_like(K), TABLE, label="keys of zeros: the position alone", axes=(QUERY, KEY)),
    Case(np.zeros_like(Q), K, TABLE, label="queries of zeros: nothing is read", axes=(QUERY, KEY)),
    Case(Q[:1], K[:1], TABLE, label="one token alone"),
]
WRONG = """
products = np.einsum("ijd,jd->ij", k[:, None] + vectors, q)  # You exchanged query and key, so row i is of key i now.
products = np.einsum("ijd,jd->ij", k[:, None] + vectors, q).T  # Pair (i, j) gets the vector of i − j, and should get
# that of j − i. A `.T` at the end reverses the offset as well.
products = np.einsum("ijd,id->ij", q[:, None] + vectors, k)  # Here query i meets key i, and it should meet key j. And
# the vector is still added to q.
products = np.einsum("jd,ijd->ij", q, k + vectors)
products = q @ k.T + np.einsum("jd,ijd->ij", q, vectors)  # Query j reads the table. It is query i, `id` in `einsum`.
products = np.einsum("id,ijd->ij", q, k[:, None] + vectors)  # Here pair (i, j) has key i, as in `k[:, None]`. Use k[j].
products = np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors)  # Query and key both carry the vector, so it
# also meets itself, a · a. Add it to the key only.
products = np.einsum("jd,ijd->ij", k, vectors) + np.einsum("id,ijd->ij", q, k + vectors)  # The key still reads the
# table as well, because the term k · a remains. Only the query multiplies a.
products = q @ k.T  # The vectors are missing, so this is attention without position.
products = q @ k.T + vectors.sum(axis=-1)  # You add up the numbers of each vector. The query multiplies them, q · a.
products = q @ (k + vectors).T  # `.T` reverses all three axes of `k + vectors`. `einsum` says which axes meet.
return q @ k.T + (products - q @ k.T) / np.sqrt(q.shape[-1])  # You divide only the position part by √d. Divide the sum.
return q @ k.T / np.sqrt(q.shape[-1]) + (products - q @ k.T)  # The position part is not divided by √d. Divide the sum.
return products / q.shape[-1]  # You divide by d. The scores are divided by its square root.
return products / np.sqrt(len(q))  # You divide by √(number of tokens). d is the length of the last axis of q.
"""
HINTS = [
    "Multiply out (q + a) · k. Which product contains the table, and which one should?",
    "The vector belongs to the key, as in q · (k + a). `k + vectors` has the shape (n, n, d), with key j along the "
    "second axis.",
    'In `einsum`, the query then has the letters "id", and the sum of key and vector has "ijd".',
]
