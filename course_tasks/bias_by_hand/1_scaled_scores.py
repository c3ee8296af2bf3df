"""Scores and scaling · 5 minutes · ★ · first

Every query meets every key. Multiply the two number by number, add up the products, and divide the sum by
the square root of how many products there are. There may be more keys than queries.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import K, Q
from course_lib.reference.attention import scores

from ..shared import KEY, QUERY, normal


def scaled_scores(q, k):
    """Scaled scores q_i · k_j / √d_k: q (n_q, d_k) and k (n_k, d_k) give (n_q, n_k)."""
    d_k = q.shape[-1]  # d_k is the length of one query, the last axis of q.
    products = q @ k.T  # Each query meets each key, (n_q, d_k) @ (d_k, n_k), so there is one row per query.
    return products / np.sqrt(d_k)  # The products are divided by √d_k, which is 2 for the five tokens.


def draw(rng):
    return normal(rng, rng.integers(1, 6), d := rng.integers(2, 9)), normal(rng, rng.integers(1, 6), d)


expected = scores
CASES = [
    Case(Q, K, label="the five tokens", axes=(QUERY, KEY)),
    Case(Q[:2], K, label="two queries, five keys", axes=(Axis("query"), KEY)),
    Case(Q[:, :3], K[:, :3], label="three numbers per token", axes=(QUERY, KEY)),
    Case(Q[:1], K[:1], label="one token alone", axes=("query", "key")),
]
WRONG = """
return products / d_k  # You divide by d_k. Divide by its square root, which keeps the spread of the scores constant.
return products / 2  # You divide by 2, which is √d_k only while d_k is 4. Take d_k from the shape of q.
d_k = len(k)  # You divide by √(number of keys). d_k is the length of one query, the last axis of q.
products = q * k  # `*` multiplies query i with key i only, number by number. In `q @ k.T` each query meets every key.
products = q @ k  # You multiply q with the rows of k. Transpose the keys, `q @ k.T`, so that each query meets each key.
products = (q @ k.T).astype(int)  # Your products are whole numbers, so their fractions are lost. Keep floats.
products = q @ k[np.arange(len(q))].T
products = q @ k.T * (np.arange(len(k)) < len(q))  # You use as many keys as there are queries. Use all `len(k)`.
return products / np.outer(*(np.linalg.norm(x, axis=1) for x in (q, k)))  # You divide by the lengths
# of the two vectors, which gives a cosine. Divide by √d_k, the same number for all pairs.
"""
HINTS = [
    "Two loops are enough: for each query i and key j, `(q[i] * k[j]).sum()`.",
    "A matrix product does the work of both loops. What must you do to k so that its rows meet the rows of q?",
    "`q @ k.T` has one row per query. d_k is `q.shape[-1]`.",
]
