"""Biased attention in NumPy · 10 minutes · ★★

Put the six steps together: scores, scaling, bias, sum, softmax, output. Return the output *and* the weights.
The weights must be right for very large scores, too.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference.attention import attention, scores, softmax
from course_lib.reference.bias import decay_bias

from ..shared import KEY, NUMBER, QUERY, normal
from .common import ROWS_SUM_TO_ONE


def biased_attention(q, k, v, bias):
    """Attention with a bias on its scores: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v), bias (n_q, n_k).

    Returns output (n_q, d_v) and weights (n_q, n_k).
    """
    # The bias is added to the scaled scores as it is. The queries meet its transpose, (n_q, d_k) @ (d_k, n_k), so each
    # query meets each key. Each query meets each key, so the product has one row per query. The product of query and
    # key is divided by √d_k, before the bias is added. D_k is the length of one query, the last axis of q. The scaled
    # product of query and key is the content part of the score, and the bias is added to it. The score is the scaled
    # product of query and key plus the bias, and the softmax takes it as it is.
    s = q @ k.T / np.sqrt(q.shape[-1]) + bias
    # Subtract from each row its own largest score. This keeps e^x small and the weights the same. The softmax takes
    # e^x of each score and divides it by the sum of its row.
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    # With `keepdims=True` the maximum or the sum of a row keeps its axis, so it stays with its row. Each row has its
    # own largest score, so the maximum runs over the keys, the last axis. Each row is divided by its own sum, once, so
    # its weights sum to 1.
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights  # The output mixes the values by the weights, one row per query.


FIVE = {"output": (QUERY, NUMBER), "weights": (QUERY, KEY)}


def draw(rng):
    n_q, n_k, d = rng.integers(1, 6), rng.integers(1, 6), rng.integers(2, 9)
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, n_k, 3), normal(rng, n_q, n_k)


def expected(q, k, v, bias):
    return attention(q, k, v, bias=bias)


RETURNS = ("output", "weights")


CASES = [
    Case(Q, K, V, decay_bias(5, scale=LAMBDA), label="the five tokens", axes=FIVE),
    Case(Q, K, V, np.zeros((5, 5)), label="no bias", axes=FIVE),
    Case(
        *(Q[3:], K, V, decay_bias(2, 5, past=3)),
        label="two queries after three read tokens",
        axes={"weights": ("query", KEY)},
    ),
    Case(Q[:1], K[:1], V[:1], np.zeros((1, 1)), label="one token alone"),
    Case(1000 * Q, K, V, decay_bias(5), label="very large scores", axes={"weights": (QUERY, KEY)}),
]


ALWAYS = [
    ROWS_SUM_TO_ONE,
]


WRONG = """
s = (q @ k.T + bias) / np.sqrt(q.shape[-1])  # You scale the bias along with the product, which makes it √d_k times
# weaker. Scale first, then add the bias.
s = q @ k.T / q.shape[-1] + bias  # You divide by d_k. Divide by its square root, which keeps the spread of the scores
# constant.
s = q @ k.T / np.sqrt(len(k)) + bias  # You divide by √(number of keys). d_k is the length of one query, the last axis
# of q.
s = q @ k.T / np.sqrt(len(q)) + bias  # You divide by √(number of queries). d_k is the length of one query, the last
# axis of q.
s = q @ k.T / np.sqrt(q.shape[-1]) + bias.T  # You transposed the bias. Its rows belong to the queries. A symmetric
# bias hides this mistake.
e = np.exp(s)  # e^x overflowed. Subtract the largest score of each row first, which leaves the weights the same.
weights = e / e.sum(axis=0, keepdims=True)  # Your softmax runs over the queries. Each query shares its attention among
# the keys, so it runs over the last axis.
return ((weights + bias) @ v, weights + bias)  # You add the bias to the weights as well. It belongs to the scores,
# before the softmax.
return (weights.T @ v, weights)  # The weights are right, but `weights.T @ v` mixes by key. Row i of the weights
# belongs to query i: `weights @ v`.
return (s @ v, weights)  # You mix the values by the scores, before the softmax. Mix them by the weights: `weights @
# v`.
return (weights, weights @ v)  # The two results are in the wrong order. The output comes first, then the weights.
"""


HINTS = [
    "You have the scaled scores from task 1. The bias is added to them, cell by cell.",
    "Softmax of one row s: `np.exp(s) / np.exp(s).sum()`. For all rows at once, sum with `axis=-1, keepdims=True`.",
    "Large scores overflow in e^x. Subtract each row's maximum first: `s - s.max(axis=-1, keepdims=True)`.",
]


def wrong_bias_after_softmax(q, k, v, bias):
    """You add the bias after the softmax. Add it to the scores, so that each row still sums to 1."""
    weights = softmax(scores(q, k)) + bias
    return weights @ v, weights


def wrong_bias_after_softmax_shared_out(q, k, v, bias):
    """You add the bias after the softmax. Dividing by the new sums makes the rows sum to 1 again, but the weights are
    different, and some may be negative. Add the bias to the scores, before the softmax."""
    weights = softmax(scores(q, k)) + bias
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def right_in_one_line(q, k, v, bias):
    return ((w := softmax(scores(q, k) + bias)) @ v, w)
