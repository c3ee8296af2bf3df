"""Why the future half vanishes."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias

from ..shared import KEY, QUERY, SCORES, normal
from .common import ROWS_SUM_TO_ONE, SOFTMAX

FIVE = (QUERY, KEY)
AHEAD_LARGER = np.where(causal_mask(5), SCORES - 120, SCORES)


def _causal_weights(scores, bias):
    """Biased attention weights when no query may look ahead: scores and bias (n, n), keys j > i get weight 0."""
    n = len(scores)
    s = np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _future_is_hidden(result, *_):
    return (abs(np.triu(result, 1)) < 1e-30).all()


causal_weights = CodingTask(
    title="Why the future half vanishes",
    minutes=8,
    difficulty=2,
    words="""A decoder hides the future with a mask: it sets the score to −∞, after the bias. Compute the weights.

A symmetric bias cannot tell *before* from *after*. With a strength for each direction, as in
`-np.where(j > i, 0.6, 0.1) * np.log1p(abs(j - i))`, it can, and it is still one number per offset. Call your function
with two such biases that differ only in the strength of the future (with `i, j = np.arange(5)[:, None], np.arange(5)`),
and see how much the weights differ. A causal
decoder uses only the past half of an asymmetric bias, while an encoder uses both.""",
    solution=_causal_weights,
    expected=lambda scores, bias: softmax(np.where(causal_mask(len(scores)), scores + bias, -np.inf)),
    cases=[
        Case(
            *(SCORES, decay_bias(5, scale=0.1, forward_scale=0.6)),
            label="the five tokens, past 0.1, future 0.6",
            axes=FIVE,
        ),
        Case(SCORES, decay_bias(5, scale=0.1, forward_scale=99.0), label="the same with future 99", axes=FIVE),
        Case(np.zeros((1, 1)), np.zeros((1, 1)), label="one token alone", axes=("query", "key")),
        Case(SCORES - 40, decay_bias(5), label="scores far below 0", axes=FIVE),
        Case(AHEAD_LARGER, decay_bias(5), label="keys ahead whose scores are larger by 120", axes=FIVE),
    ],
    draw=lambda rng: (normal(rng, n := int(rng.integers(2, 8)), n), normal(rng, n, n)),
    properties=[
        ROWS_SUM_TO_ONE,
        Property(
            "hidden keys get nothing",
            _future_is_hidden,
            "Some key after its query gets weight. Every key with j > i is hidden, so its weight is 0 whatever the "
            "scores are. A score of −∞ guarantees this. With −20 or −100 it depends on the other scores.",
        ),
    ],
    pieces="""
bias
    the bias: It is added to the scores as it is, before the mask.
np.tril(np.ones((n, n), dtype=bool))
    the mask: Query i may look at the keys j ≤ i, which are the past and itself.
-np.inf
    the score of a hidden key: It is −∞, so that e^x is 0.
np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf)
    the choice by the mask: Keys that a query may look at keep their score, and the others get −∞.
np.ones((n, n), dtype=bool)
    the table of ones: The mask is the lower triangle of a table (n, n).
scores
    the content part of the score: The bias is added to it.
len(scores)
    the number of tokens: The mask has n rows and n columns.
"""
    + SOFTMAX,
    slips="""
scores + bias, -np.inf → scores + bias, 0.0
    A score of 0 does not hide a key, because e⁰ = 1. Hidden keys get −∞, so that e^x is 0.
return e / e.sum(axis=-1, keepdims=True) → p = np.exp(scores + bias); return np.tril(p / p.sum(axis=-1, keepdims=True))
    You cut off the future after the softmax, so the rows no longer sum to 1. Hide it before the softmax.
np.tril(np.ones((n, n), dtype=bool)) → np.tril(scores + bias) != 0
    You hide every score that is 0, those that `np.tril` cleared and those of visible keys, such as *The* for itself. A
    score of 0 is a number like any other, so choose by position: hide where j > i.
e.sum(axis=-1, keepdims=True) → e.sum(axis=0, keepdims=True)
    Your softmax runs over the queries. Each query shares its attention among the keys, so it runs over the last axis.
np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf) → scores + np.tril(bias)
    You removed the bias of the keys ahead, but not the keys. They keep their scores, so they get weight. Set these
    scores to −∞.
""",
    alternatives=[lambda scores, bias: softmax(scores + bias + np.triu(np.full(scores.shape, -np.inf), 1))],
    hints=[
        "`np.tril` keeps the entries on and below the diagonal, which are the keys that a query may see.",
        "Use `np.where(may_look, scores + bias, -np.inf)`, then an ordinary softmax, because e^−∞ is 0.",
    ],
)


@causal_weights.wrong(
    "Everything is nan, because 0 · ∞ is nan. Use `np.where(mask, scores, -np.inf)`, which multiplies nothing."
)
def _zero_times_infinity(scores, bias):
    with np.errstate(invalid="ignore"):
        return softmax(scores + bias + np.triu(np.ones(scores.shape), 1) * -np.inf)
