"""A bias that tells before from after, and the mask that makes half of it irrelevant."""

import math

import numpy as np

from ...reference.attention import causal_mask, softmax
from ...reference.bias import decay_bias
from ..engine import Case, Mistake, Property, Task
from .common import KEY, QUERY, SCORES, is_toeplitz, normal


def _asymmetric_bias(n, past_scale, future_scale):
    """Log decay with a scale for keys before the query (j < i) and another for keys after it (j > i), shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    scale = np.where(j > i, future_scale, past_scale)
    return -scale * np.log1p(abs(j - i))


asymmetric_bias = Task(
    title="A bias with a direction",
    minutes=8,
    difficulty=2,
    words=r"""A symmetric bias cannot tell *before* from *after*. Give the past ($j < i$) and the future ($j > i$) a scale each.
The token itself keeps 0. It is still one number per offset: check with your eyes that the diagonals are constant.""",
    solution=_asymmetric_bias,
    expected=lambda n, past_scale, future_scale: decay_bias(n, scale=past_scale, forward_scale=future_scale),
    cases=[
        Case(5, 0.1, 0.6, says="the five tokens, past 0.1, future 0.6", axes=(QUERY, KEY)),
        Case(5, 0.6, 0.1, says="the five tokens, past 0.6, future 0.1", axes=(QUERY, KEY)),
        Case(1, 0.1, 0.6, says="one token alone", axes=("query", "key")),
        Case(7, 0.3, 0.3, says="the same scale on both sides", axes=("query", "key")),
    ],
    draw=lambda rng: (int(rng.integers(2, 9)), float(rng.uniform(0, 2)), float(rng.uniform(0, 2))),
    properties=[
        Property(
            "constant along diagonals",
            is_toeplitz,
            "Two pairs at the same offset get different biases: it must depend on j − i alone.",
        )
    ],
    mistakes=[
        Mistake(
            "j > i", "j < i", "Past and future are swapped. The key is in the past when j < i: below the diagonal."
        ),
        Mistake(
            "-scale *", "scale *", "Your bias rewards distance. It is a penalty: far keys get the negative numbers."
        ),
        Mistake(
            "np.where(j > i, future_scale, past_scale)",
            "past_scale",
            "The future is treated like the past: `future_scale` has no effect.",
        ),
        Mistake(
            "np.where(j > i, future_scale, past_scale)",
            "(past_scale + future_scale) / 2",
            "Both sides get the mean of the two scales: the bias is still symmetric.",
        ),
        Mistake(
            "np.where(j > i, future_scale, past_scale)",
            "np.where(j > i, 0, past_scale)",
            "The future has no penalty. It gets `future_scale`; hiding it altogether would be a mask's business.",
        ),
        Mistake(
            "np.where(j > i, future_scale, past_scale)",
            "(past_scale + future_scale)",
            "The two scales are added. Each side has its own: `past_scale` where j < i, `future_scale` where j > i.",
        ),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log1p(j - i)",
            "The absolute value is missing: for keys in the past this takes the logarithm of 0 or less, −∞ and nan. The distance is |j − i|.",
        ),
        Mistake("np.log1p(abs(j - i))", "abs(j - i)", "This is the linear decay. Take the logarithm of 1 + distance."),
        Mistake(
            "-scale * np.log1p(abs(j - i))",
            "-np.log1p(scale * abs(j - i))",
            "The scale has moved into the logarithm. It multiplies the logarithm from outside.",
        ),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log(np.maximum(abs(j - i), 1))",
            "You take the logarithm of the distance itself, which makes one step as cheap as none. It is log(1 + distance).",
        ),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log(abs(j - i))",
            "The 1 is missing: at distance 0 this takes the logarithm of 0, and one step gets no penalty. It is log(1 + distance).",
        ),
        Mistake(
            "np.where(j > i, future_scale, past_scale)",
            "np.where(j > i, np.inf, past_scale)",
            "The future gets −∞, which hides it. A bias penalises; a mask hides.",
        ),
    ],
    alternatives=[
        lambda n, a, b: np.tril(decay_bias(n, scale=a)) + np.triu(decay_bias(n, scale=b)),
        lambda n, a, b: [[-(b if j > i else a) * math.log(1 + abs(j - i)) for j in range(n)] for i in range(n)],
    ],
    hints=[
        "Below the diagonal lies the past, above it the future.",
        "`np.where(j > i, future_scale, past_scale)` is a whole matrix of scales.",
    ],
)


def _causal_weights(scores, bias):
    """Biased attention weights when no query may look ahead: scores and bias (n, n), keys j > i get weight 0."""
    n = len(scores)
    s = np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _zero_times_infinity(scores, bias):
    with np.errstate(invalid="ignore"):
        return softmax(scores + bias + np.triu(np.ones(scores.shape), 1) * -np.inf)


def _future_is_hidden(result, *_):
    return (abs(np.triu(result, 1)) < 1e-30).all()


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


causal_weights = Task(
    title="Why the future half vanishes",
    minutes=8,
    difficulty=2,
    words="""A decoder hides the future with a mask: −∞ on the score, after the bias. Compute the weights. Then call your
function with two biases that differ only in their `future_scale` (the task before), and see how much the weights differ.
A causal decoder uses only the past half of an asymmetric bias; an encoder uses both.""",
    solution=_causal_weights,
    expected=lambda scores, bias: softmax(np.where(causal_mask(len(scores)), scores + bias, -np.inf)),
    cases=[
        Case(
            SCORES,
            decay_bias(5, scale=0.1, forward_scale=0.6),
            says="the five tokens, past 0.1, future 0.6",
            axes=(QUERY, KEY),
        ),
        Case(SCORES, decay_bias(5, scale=0.1, forward_scale=99.0), says="the same with future 99", axes=(QUERY, KEY)),
        Case(np.zeros((1, 1)), np.zeros((1, 1)), says="one token alone", axes=("query", "key")),
        Case(SCORES - 40, decay_bias(5), says="scores far below 0", axes=(QUERY, KEY)),
        Case(
            np.where(causal_mask(5), SCORES - 120, SCORES),
            decay_bias(5),
            says="keys ahead whose scores are larger by 120",
            axes=(QUERY, KEY),
        ),
    ],
    draw=lambda rng: (normal(rng, n := int(rng.integers(2, 8)), n), normal(rng, n, n)),
    properties=[
        Property(
            "weights of a query sum to 1",
            _rows_sum_to_one,
            "The weights of one query must sum to 1 over the keys it may see.",
        ),
        Property(
            "hidden keys get nothing",
            _future_is_hidden,
            "Some key after its query gets weight. Every key with j > i is hidden: its weight is 0, whatever the scores "
            "are. A score of −∞ guarantees that; with −20 or −100 it depends on the other scores.",
        ),
    ],
    mistakes=[
        Mistake(
            "np.tril(np.ones((n, n), dtype=bool))",
            "np.ones((n, n), dtype=bool)",
            "Nothing is hidden: keys with j > i still get weight.",
        ),
        Mistake(
            "np.tril(np.ones((n, n), dtype=bool))",
            "np.triu(np.ones((n, n), dtype=bool))",
            "You hide the past and keep the future. A decoder may look at j ≤ i.",
        ),
        Mistake(
            "np.ones((n, n), dtype=bool)",
            "np.ones((n, n), dtype=bool), -1",
            "The diagonal is hidden too, which leaves the first token nothing to look at. A token may look at itself: j ≤ i.",
        ),
        Mistake(
            _zero_times_infinity,
            "Everything is nan, because 0 · ∞ is: use `np.where(mask, scores, -np.inf)`, which multiplies nothing.",
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=-1)",
            "The sums of the rows have lost their axis, so that NumPy lays them along the keys: `keepdims=True` keeps it.",
        ),
        Mistake(
            "scores + bias, -np.inf",
            "scores + bias, 0.0",
            "A score of 0 is not hidden: e⁰ = 1. Hidden keys get −∞, so that e^x is 0.",
        ),
        Mistake(
            "return e / e.sum(axis=-1, keepdims=True)",
            "p = np.exp(scores + bias); return np.tril(p / p.sum(axis=-1, keepdims=True))",
            "You cut the future off after the softmax, so the rows no longer sum to 1. Hide it before.",
        ),
        Mistake("scores + bias", "scores", "The bias has no effect: it is never added."),
        Mistake("scores + bias", "scores - bias", "You subtract the bias. Its sign is inside it already: add it."),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=0, keepdims=True)",
            "The softmax runs over the queries: normalise along the keys, the last axis.",
        ),
    ],
    alternatives=[lambda scores, bias: softmax(scores + bias + np.triu(np.full(scores.shape, -np.inf), 1))],
    hints=[
        "`np.tril` keeps what is on and below the diagonal: the keys a query may see.",
        "`np.where(may_look, scores + bias, -np.inf)`, then an ordinary softmax: e^−∞ is 0.",
    ],
)
