"""Biased attention as a whole, in NumPy and in torch."""

import numpy as np

from ...example import LAMBDA, K, Q, V
from ...reference.attention import attention, scores, softmax
from ...reference.bias import decay_bias
from ..engine import Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, normal

NUMBER = Axis("dimension")
BATCH = ("batch", "head", "query", "dimension")


def _biased_attention(q, k, v, bias):
    """Attention with a bias on its scores: q (n_q, d_k), k (n_k, d_k), v (n_k, d_v), bias (n_q, n_k).

    Returns output (n_q, d_v) and weights (n_q, n_k).
    """
    s = q @ k.T / np.sqrt(q.shape[-1]) + bias
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def _bias_after_softmax(q, k, v, bias):
    weights = softmax(scores(q, k)) + bias
    return weights @ v, weights


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result[1]).sum(axis=-1), 1, atol=1e-5)


biased_attention = Task(
    title="Biased attention in NumPy",
    minutes=10,
    difficulty=2,
    words="""Put the six steps together: score, scale, bias, softmax, output. Return the output *and* the weights.""",
    solution=_biased_attention,
    expected=lambda q, k, v, bias: attention(q, k, v, bias=bias),
    returns=("output", "weights"),
    cases=[
        Case(
            Q,
            K,
            V,
            decay_bias(5, scale=LAMBDA),
            says="the five tokens",
            axes={"output": (QUERY, NUMBER), "weights": (QUERY, KEY)},
        ),
        Case(Q, K, V, np.zeros((5, 5)), says="no bias", axes={"output": (QUERY, NUMBER), "weights": (QUERY, KEY)}),
        Case(
            Q[3:],
            K,
            V,
            decay_bias(2, 5, past=3),
            says="two queries after three read tokens",
            axes={"weights": ("query", KEY)},
        ),
        Case(Q[:1], K[:1], V[:1], np.zeros((1, 1)), says="one token alone"),
        Case(1000 * Q, K, V, decay_bias(5), says="very large scores", axes={"weights": (QUERY, KEY)}),
    ],
    draw=lambda rng: (
        normal(rng, n_q := rng.integers(1, 6), d := rng.integers(2, 9)),
        normal(rng, n_k := rng.integers(1, 6), d),
        normal(rng, n_k, 3),
        normal(rng, n_q, n_k),
    ),
    properties=[
        Property(
            "weights of a query sum to 1",
            _rows_sum_to_one,
            "The weights of one query must sum to 1: normalise along the keys, the last axis.",
        )
    ],
    mistakes=[
        Mistake(" + bias", "", "The bias has no effect: it is never added to the scores."),
        Mistake(
            " + bias",
            " - bias",
            "You subtract the bias. Its sign is inside it already (far keys are negative): add it.",
        ),
        Mistake(
            "/ np.sqrt(q.shape[-1]) + bias",
            "+ bias",
            "The scores are not scaled: divide by √d_k before you add the bias.",
        ),
        Mistake(
            "q @ k.T / np.sqrt(q.shape[-1]) + bias",
            "(q @ k.T + bias) / np.sqrt(q.shape[-1])",
            "The bias is scaled along with the scores, which makes it √d_k times weaker. Scale first, then add.",
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=0, keepdims=True)",
            "The softmax runs over the queries. Each query shares its attention among the keys: normalise along the last axis.",
        ),
        Mistake("e / e.sum(axis=-1, keepdims=True)", "e", "The weights do not sum to 1: divide each row by its sum."),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "q.shape[-1]",
            "You divide the scores by d_k itself. It is its square root that keeps their spread constant.",
        ),
        Mistake(
            "/ np.sqrt", "* np.sqrt", "You multiply the scores by √d_k. They grow with d_k already: divide them by it."
        ),
        Mistake("q @ k.T", "k @ k.T", "Your keys meet the keys: the scores are `q @ k.T`, each query with every key."),
        Mistake(
            "s - s.max(axis=-1, keepdims=True)",
            "s - s.max(axis=0)",
            "You subtract the largest score of each key. That changes the weights; the largest of each query's row does not.",
        ),
        Mistake(
            " + bias",
            " + bias.T",
            "The bias is transposed: its rows belong to the queries. A symmetric bias hides this, others do not.",
        ),
        Mistake(
            "s - s.max(axis=-1, keepdims=True)",
            "s - s.max(axis=-1)",
            "The largest scores of the rows have lost their axis, so that NumPy lays them along the keys: "
            "`keepdims=True` keeps it.",
        ),
        Mistake(
            "e.sum(axis=-1, keepdims=True)",
            "e.sum(axis=-1)",
            "The sums of the rows have lost their axis, so that NumPy lays them along the keys: `keepdims=True` keeps it.",
        ),
        Mistake(
            "q.shape[-1]", "len(k)", "You scale by the number of keys. d_k is the length of one query: its last axis."
        ),
        Mistake(
            "return weights @ v, weights",
            "return (weights + bias) @ v, weights + bias",
            "The bias is added to the weights as well. It belongs to the scores, before the softmax.",
        ),
        Mistake(
            _bias_after_softmax,
            "The bias comes after the softmax. It belongs to the scores: add it before, so that each row sums to 1.",
        ),
        Mistake(
            "/ np.sqrt(q.shape[-1]) + bias",
            "/ np.sqrt(q.shape[-1]) * bias",
            "The bias is multiplied with the scores. It is added to them.",
        ),
        Mistake(
            "return weights @ v, weights",
            "return weights.T @ v, weights",
            "The weights are right, but `weights.T @ v` mixes by key. Row i of the weights belongs to query i: `weights @ v`.",
        ),
        Mistake(
            "return weights @ v, weights",
            "return s @ v, s",
            "These are scores, not weights: the softmax is missing.",
        ),
        Mistake(
            "return weights @ v, weights",
            "return s @ v, weights",
            "The output is made of the scores. Mix the values by the weights: `weights @ v`.",
        ),
        Mistake(
            "return weights @ v, weights",
            "return weights, weights @ v",
            "The two results are in the wrong order: output first, then weights.",
        ),
        Mistake(
            "s - s.max(axis=-1, keepdims=True)",
            "s",
            "e^x overflowed: subtract the largest score of each row first. The weights stay the same.",
        ),
    ],
    alternatives=[lambda q, k, v, bias: ((w := softmax(scores(q, k) + bias)) @ v, w)],
    hints=[
        "You have the scaled scores from task 1. The bias is added to them, cell by cell.",
        "Softmax of one row s: `np.exp(s) / np.exp(s).sum()`. For all rows at once, sum with `axis=-1, keepdims=True`.",
        "Large scores overflow in e^x. Subtract each row's maximum first: `s - s.max(axis=-1, keepdims=True)`.",
    ],
)


def _biased_attention_torch(q, k, v, bias):
    """Biased attention for a batch: q, k, v are torch tensors (batch, heads, n, d), bias is (heads, n, n).

    Returns the output, (batch, heads, n, d).
    """
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = (s + bias).softmax(dim=-1)
    return weights @ v


def _heads(x):
    return np.broadcast_to(x, (1, 2, *x.shape)).copy()


def _batch(rng, batch, heads, n, d):
    return (*(normal(rng, batch, heads, n, d) for _ in range(3)), normal(rng, heads, n, n))


biased_attention_torch = Task(
    title="The same in torch, for a batch of heads",
    minutes=10,
    difficulty=2,
    words="""A model works on many sequences and many heads at once. Write biased attention for tensors
`(batch, heads, n, d)` with one bias per head, shared by the whole batch. No loop is needed.""",
    solution=_biased_attention_torch,
    expected=lambda q, k, v, bias: attention(q, k, v, bias=bias)[0],
    tensors=True,
    cases=[
        Case(
            *map(_heads, (Q, K, V)),
            np.stack([decay_bias(5, scale=0.3), decay_bias(5, scale=1.0)]),
            says="the five tokens in two heads",
            axes=("batch", "head", QUERY, NUMBER),
        ),
        Case(*_batch(np.random.default_rng(1), 3, 12, 6, 8), says="batch of 3, 12 heads", axes=BATCH),
        Case(*_batch(np.random.default_rng(2), 2, 1, 1, 4), says="one head, one token", axes=BATCH),
    ],
    draw=lambda rng: _batch(rng, *(int(x) for x in rng.integers([1, 1, 1, 2], [4, 4, 7, 9]))),
    mistakes=[
        Mistake("(s + bias)", "s", "The bias has no effect: add it to the scaled scores."),
        Mistake("(s + bias)", "(s - bias)", "You subtract the bias. Its sign is inside it already: add it."),
        Mistake(" / q.shape[-1] ** 0.5", "", "The scores are not scaled: divide by √d, d being the last axis of q."),
        Mistake(
            "q.shape[-1] ** 0.5",
            "q.shape[-1]",
            "You divide the scores by d itself. It is its square root that keeps their spread constant.",
        ),
        Mistake(
            "/ q.shape[-1] ** 0.5",
            "* q.shape[-1] ** 0.5",
            "You multiply the scores by √d. They grow with d already: divide them by it.",
        ),
        Mistake(
            "k.transpose(-2, -1)",
            "k",
            "(…, n, d) and (…, n, d) do not multiply: swap the last two axes of k, `k.transpose(-2, -1)`.",
        ),
        Mistake(
            "k.transpose(-2, -1)",
            "k.transpose(1, 2)",
            "You swap heads and tokens. Swap tokens and numbers, the last two axes: `k.transpose(-2, -1)`.",
        ),
        Mistake(
            "(s + bias).softmax(dim=-1)",
            "(s + bias)",
            "These are scores, not weights: the softmax over the keys is missing.",
        ),
        Mistake("q @", "k @", "Your keys meet the keys: the scores are `q @ k.transpose(-2, -1)`."),
        Mistake(
            "q.shape[-1] ** 0.5",
            "q.shape[1] ** 0.5",
            "You scale by the number of heads. d is the last axis, `q.shape[-1]`.",
        ),
        Mistake(
            "q.shape[-1] ** 0.5",
            "q.shape[-2] ** 0.5",
            "You scale by the number of tokens. d is the last axis, `q.shape[-1]`.",
        ),
        Mistake(
            "softmax(dim=-1)",
            "softmax(dim=-2)",
            "The softmax runs over the queries: normalise along the keys, `dim=-1`.",
        ),
        Mistake(
            "softmax(dim=-1)",
            "softmax(dim=1)",
            "The softmax runs over the heads: axis 1 is the head. Normalise along the keys, `dim=-1`.",
        ),
        Mistake(
            "k.transpose(-2, -1)",
            "k.permute(3, 2, 1, 0)",
            "With four axes `.T` turns all of them round. Swap the last two only: `k.transpose(-2, -1)`.",
        ),
        Mistake(
            "(s + bias).softmax(dim=-1)",
            "(s.softmax(dim=-1) + bias)",
            "The bias comes after the softmax. It belongs to the scores: add it before, so that each row sums to 1.",
        ),
        Mistake(
            "q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n    weights = (s + bias)",
            "q @ k.transpose(-2, -1)\n    weights = ((s + bias) / q.shape[-1] ** 0.5)",
            "The bias is scaled along with the scores, which makes it √d times weaker. Scale first, then add.",
        ),
        Mistake("(s + bias)", "(s * bias)", "The bias is multiplied with the scores. It is added to them."),
        Mistake(
            "(s + bias)",
            "(s + bias[:, None])",
            "With `bias[:, None]` the heads become batches. (heads, n, n) aligns from the right by itself: `s + bias`.",
        ),
        Mistake(
            "(s + bias)",
            "(s + bias[0])",
            "Head 0 is right, the others are not: all of them get `bias[0]`. Head h gets bias[h].",
        ),
        Mistake("(s + bias)", "(s + bias.mean(dim=0))", "All heads get the same, averaged bias. Head h gets bias[h]."),
        Mistake(
            "(s + bias)",
            "(s + bias.flip(0))",
            "The heads got each other's bias. Head h gets bias[h]; adding (heads, n, n) to (batch, heads, n, n) does that by itself.",
        ),
        Mistake(
            "(s + bias)",
            "(s + bias.transpose(-2, -1))",
            "The bias is transposed: its rows belong to the queries. A symmetric bias hides this, others do not.",
        ),
    ],
    alternatives=[lambda q, k, v, bias: ((q @ k.mT / q.size(-1) ** 0.5) + bias[None]).softmax(-1) @ v],
    hints=[
        "`k.transpose(-2, -1)` swaps the last two axes and leaves batch and heads alone.",
        "Shapes are matched from the right: (batch, heads, n, n) + (heads, n, n) gives every head its own bias.",
        "Tensors have a `softmax` method: `s.softmax(dim=-1)`.",
    ],
)
