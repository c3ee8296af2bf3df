"""Biased attention in NumPy · 10 minutes · ★★ · first

Put it all together: scores, scaling, bias, softmax, output. Return the output *and* the weights.
The weights must be right for very large scores, too.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference.attention import attention, softmax  # noqa: F401 (a wrong line uses softmax)
from course_lib.reference.bias import decay_bias

from ...shared import KEY, NUMBER, QUERY, normal


def biased_attention(q, k, v, bias):
    """Attention with a bias on its scores: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v), bias (n_q, n_k).

    Returns output (n_q, d_v) and weights (n_q, n_k).
    """
    s = q @ k.T / np.sqrt(q.shape[-1]) + bias  # The products q · k are divided by √d_k, and then the bias is added.
    # Each row loses its own largest score, `s.max(axis=-1, keepdims=True)`, so e^x cannot overflow and no row's sum is
    # 0.
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)  # Each row is divided by its own sum, with `keepdims=True`.
    return weights @ v, weights  # The output mixes the values by the weights, one row per query.


def expected(q, k, v, bias):
    return attention(q, k, v, bias=bias)


def draw(rng):
    n_q, n_k, d = rng.integers(1, 6), rng.integers(1, 6), rng.integers(2, 9)
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, n_k, 3), normal(rng, n_q, n_k)


RETURNS = ("output", "weights")
AXES = {"output": (QUERY, NUMBER), "weights": (QUERY, KEY)}
CASES = [
    Case(Q, K, V, decay_bias(5, strength=LAMBDA), label="the five tokens"),
    Case(Q[3:], K, V[:, :3], decay_bias(2, 5, past=3), label="two queries after three read tokens, d_v = 3"),
    Case(Q[:1], K[:1], V[:1], np.zeros((1, 1)), label="one token alone"),
    Case(1000 * Q, K, V, decay_bias(5), label="very large scores"),
    Case(Q, K, V, decay_bias(5) + 2000.0, label="a very large bias"),
    Case(Q, -1000 - K, V, decay_bias(5), label="very low scores"),
    Case(1000 * Q * (np.arange(5) == 3)[:, None], K, V, decay_bias(5) - 900, label="one row far above the others"),
    Case(Q[4:], K, V, decay_bias(1, 5, past=4), label="one query after four read tokens"),
]
WRONG = """
s = (q @ k.T + bias) / np.sqrt(q.shape[-1])  # You divide the bias by √d_k, too. Divide the products, then add the bias.
s = q @ k.T / q.shape[-1] + bias  # You divide by d_k. Divide by its square root.
s = q @ k.T / 2 + bias  # You divide by 2, which is √d_k only while d_k is 4. Take d_k from the shape of q.
s = q @ k.T / np.sqrt(len(k)) + bias  # You divide by √(number of tokens). d_k is the length of a query.
s = q @ k.T / np.sqrt(v.shape[-1]) + bias  # You divide by √d_v, the length of a value. d_k is the length of a query.
s = q @ k.T / np.sqrt(q.shape[-1]) + bias.T  # You transposed the bias. Its rows belong to the queries.
e = np.exp(s)  # e^x overflowed. Subtract the largest score of each row first, which leaves the weights the same.
e = np.exp(s - s.max())  # You subtract the largest score of all queries. In a row far below it every e^x is 0, and
# 0/0 is nan. Each row loses its own largest score.
e = np.exp(s - (s - bias).max(axis=-1, keepdims=True))  # You take the largest score before the bias is added, so e^x
# still overflows when the bias is large. Add the bias first.
e = np.exp(s - np.maximum(s.max(axis=-1, keepdims=True), 0))  # Where all scores of a row are far below 0, you
# subtract 0, every e^x is 0, and 0/0 is nan. Subtract the largest score, even if it is negative.
weights = e / e.sum(axis=-1)  # You divide column j by the sum of row j. `keepdims=True` keeps a sum with its row.
weights = softmax(s - bias) + bias  # You add the bias after the softmax. Add it to the scores, before it.
weights = softmax(s - bias) + bias; weights /= weights.sum(axis=-1, keepdims=True)  # You add the bias after the
# softmax, and dividing by the new sums does not help: some weights may be negative. Add the bias to the scores.
return (weights + bias) @ v, weights + bias  # You add the bias to the weights as well. It belongs to the scores only.
return s @ v, weights  # You mix the values by the scores, before the softmax. Mix them by the weights.
return weights, weights @ v  # The two results are in the wrong order. The output comes first, then the weights.
"""
HINTS = [
    "`q @ k.T` has one row per query. Divide it by √d_k, where d_k is `q.shape[-1]`. Then add the bias, cell by cell.",
    "Softmax of one row s: `np.exp(s) / np.exp(s).sum()`. For all rows at once, sum with `axis=-1, keepdims=True`.",
    "Large scores overflow in e^x. Subtract each row's maximum first: `s - s.max(axis=-1, keepdims=True)`.",
]
