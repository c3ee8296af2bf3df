"""Biased attention in NumPy."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference.attention import attention, scores, softmax
from course_lib.reference.bias import decay_bias

from ..shared import KEY, NUMBER, QUERY, normal
from .common import ROWS_SUM_TO_ONE, SOFTMAX

FIVE = {"output": (QUERY, NUMBER), "weights": (QUERY, KEY)}


def _biased_attention(q, k, v, bias):
    """Attention with a bias on its scores: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v), bias (n_q, n_k).

    Returns output (n_q, d_v) and weights (n_q, n_k).
    """
    s = q @ k.T / np.sqrt(q.shape[-1]) + bias
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def _draw(rng):
    n_q, n_k, d = rng.integers(1, 6), rng.integers(1, 6), rng.integers(2, 9)
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, n_k, 3), normal(rng, n_q, n_k)


biased_attention = CodingTask(
    title="Biased attention in NumPy",
    minutes=10,
    difficulty=2,
    words="""Put the six steps together: scores, scaling, bias, sum, softmax, output. Return the output *and* the weights.
The weights must be right for very large scores, too.""",
    solution=_biased_attention,
    expected=lambda q, k, v, bias: attention(q, k, v, bias=bias),
    returns=("output", "weights"),
    cases=[
        Case(Q, K, V, decay_bias(5, scale=LAMBDA), label="the five tokens", axes=FIVE),
        Case(Q, K, V, np.zeros((5, 5)), label="no bias", axes=FIVE),
        Case(
            *(Q[3:], K, V, decay_bias(2, 5, past=3)),
            label="two queries after three read tokens",
            axes={"weights": ("query", KEY)},
        ),
        Case(Q[:1], K[:1], V[:1], np.zeros((1, 1)), label="one token alone"),
        Case(1000 * Q, K, V, decay_bias(5), label="very large scores", axes={"weights": (QUERY, KEY)}),
    ],
    draw=_draw,
    properties=[ROWS_SUM_TO_ONE],
    pieces="""
bias
    the bias: It is added to the scaled scores as it is.
k.T
    the key matrix: The queries meet its transpose, (n_q, d_k) @ (d_k, n_k), so each query meets each key.
q @ k.T
    the product of queries and keys: Each query meets each key, so the product has one row per query.
np.sqrt(q.shape[-1])
    the scaling: The product of query and key is divided by √d_k, before the bias is added.
q.shape[-1]
    d_k: It is the length of one query, the last axis of q.
q @ k.T / np.sqrt(q.shape[-1])
    the scaled product of query and key: It is the content part of the score, and the bias is added to it.
q @ k.T / np.sqrt(q.shape[-1]) + bias
    the score: It is the scaled product of query and key plus the bias, and the softmax takes it as it is.
weights @ v
    the output: It mixes the values by the weights, one row per query.
"""
    + SOFTMAX,
    slips="""
q @ k.T / np.sqrt(q.shape[-1]) + bias → (q @ k.T + bias) / np.sqrt(q.shape[-1])
    You scale the bias along with the product, which makes it √d_k times weaker. Scale first, then add the bias.
np.sqrt(q.shape[-1]) → q.shape[-1]
    You divide by d_k. Divide by its square root, which keeps the spread of the scores constant.
q.shape[-1] → len(k)
    You divide by √(number of keys). d_k is the length of one query, the last axis of q.
q.shape[-1] → len(q)
    You divide by √(number of queries). d_k is the length of one query, the last axis of q.
+ bias → + bias.T
    You transposed the bias. Its rows belong to the queries. A symmetric bias hides this mistake.
s - s.max(axis=-1, keepdims=True) → s
    e^x overflowed. Subtract the largest score of each row first, which leaves the weights the same.
e.sum(axis=-1, keepdims=True) → e.sum(axis=0, keepdims=True)
    Your softmax runs over the queries. Each query shares its attention among the keys, so it runs over the last axis.
return weights @ v, weights → return (weights + bias) @ v, weights + bias
    You add the bias to the weights as well. It belongs to the scores, before the softmax.
return weights @ v, weights → return weights.T @ v, weights
    The weights are right, but `weights.T @ v` mixes by key. Row i of the weights belongs to query i: `weights @ v`.
return weights @ v, weights → return s @ v, weights
    You mix the values by the scores, before the softmax. Mix them by the weights: `weights @ v`.
return weights @ v, weights → return weights, weights @ v
    The two results are in the wrong order. The output comes first, then the weights.
""",
    alternatives=[lambda q, k, v, bias: ((w := softmax(scores(q, k) + bias)) @ v, w)],
    hints=[
        "You have the scaled scores from task 1. The bias is added to them, cell by cell.",
        "Softmax of one row s: `np.exp(s) / np.exp(s).sum()`. For all rows at once, sum with `axis=-1, keepdims=True`.",
        "Large scores overflow in e^x. Subtract each row's maximum first: `s - s.max(axis=-1, keepdims=True)`.",
    ],
)


@biased_attention.wrong("You add the bias after the softmax. Add it to the scores, so that each row still sums to 1.")
def _bias_after_softmax(q, k, v, bias):
    weights = softmax(scores(q, k)) + bias
    return weights @ v, weights


@biased_attention.wrong(
    "You add the bias after the softmax. Dividing by the new sums makes the rows sum to 1 again, but the weights are "
    "different, and some may be negative. Add the bias to the scores, before the softmax."
)
def _bias_after_softmax_shared_out(q, k, v, bias):
    weights = softmax(scores(q, k)) + bias
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights
