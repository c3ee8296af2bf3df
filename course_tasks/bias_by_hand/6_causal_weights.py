"""Why the future half vanishes · 8 minutes · ★★

A decoder hides the future with a mask: it sets the score to −∞, after the bias. Compute the weights.

A symmetric bias cannot tell *before* from *after*. With a strength for each direction, as in
`-np.where(j > i, 0.6, 0.1) * np.log1p(abs(j - i))`, it can, and it is still one number per offset. Call your function
with two such biases that differ only in the strength of the future (with `i, j = np.arange(5)[:, None], np.arange(5)`),
and see how much the weights differ. A causal
decoder uses only the past half of an asymmetric bias, while an encoder uses both.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias

from ..shared import KEY, QUERY, SCORES, normal
from .common import ROWS_SUM_TO_ONE


def causal_weights(scores, bias):
    """Biased attention weights when no query may look ahead: scores and bias (n, n), keys j > i get weight 0."""
    n = len(scores)  # The bias is added to it. The mask has n rows and n columns.
    # The bias is added to the scores as it is, before the mask. Query i may look at the keys j ≤ i, which are the past
    # and itself. The score of a hidden key is −∞, so that e^x is 0. Keys that a query may look at keep their score,
    # and the others get −∞. The mask is the lower triangle of a table (n, n).
    s = np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf)
    # Subtract from each row its own largest score. This keeps e^x small and the weights the same. The softmax takes
    # e^x of each score and divides it by the sum of its row.
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    # With `keepdims=True` the maximum or the sum of a row keeps its axis, so it stays with its row. Each row has its
    # own largest score, so the maximum runs over the keys, the last axis. Each row is divided by its own sum, once, so
    # its weights sum to 1.
    return e / e.sum(axis=-1, keepdims=True)


FIVE = (QUERY, KEY)


AHEAD_LARGER = np.where(causal_mask(5), SCORES - 120, SCORES)


def _future_is_hidden(result, *_):
    return (abs(np.triu(result, 1)) < 1e-30).all()


def expected(scores, bias):
    return softmax(np.where(causal_mask(len(scores)), scores + bias, -np.inf))


CASES = [
    Case(
        *(SCORES, decay_bias(5, scale=0.1, forward_scale=0.6)),
        label="the five tokens, past 0.1, future 0.6",
        axes=FIVE,
    ),
    Case(SCORES, decay_bias(5, scale=0.1, forward_scale=99.0), label="the same with future 99", axes=FIVE),
    Case(np.zeros((1, 1)), np.zeros((1, 1)), label="one token alone", axes=("query", "key")),
    Case(SCORES - 40, decay_bias(5), label="scores far below 0", axes=FIVE),
    Case(AHEAD_LARGER, decay_bias(5), label="keys ahead whose scores are larger by 120", axes=FIVE),
]


def draw(rng):
    return (normal(rng, n := int(rng.integers(2, 8)), n), normal(rng, n, n))


ALWAYS = [
    ROWS_SUM_TO_ONE,
    holds(
        (
            "Some key after its query gets weight. Every key with j > i is hidden, so its weight is 0 whatever the "
            "scores are. A score of −∞ guarantees this. With −20 or −100 it depends on the other scores."
        ),
        _future_is_hidden,
    ),
]


WRONG = """
s = np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, 0.0)  # A score of 0 does not hide a key, because e⁰
# = 1. Hidden keys get −∞, so that e^x is 0.
s = np.where(np.tril(scores + bias) != 0, scores + bias, -np.inf)  # You hide every score that is 0, those that
# `np.tril` cleared and those of visible keys, such as *The* for itself. A score of 0 is a number like any other, so
# choose by position: hide where j > i.
return e / e.sum(axis=0, keepdims=True)  # Your softmax runs over the queries. Each query shares its attention among
# the keys, so it runs over the last axis.
s = scores + np.tril(bias)  # You removed the bias of the keys ahead, but not the keys. They keep their scores, so they
# get weight. Set these scores to −∞.
"""


HINTS = [
    "`np.tril` keeps the entries on and below the diagonal, which are the keys that a query may see.",
    "Use `np.where(may_look, scores + bias, -np.inf)`, then an ordinary softmax, because e^−∞ is 0.",
]


def wrong_program_1(scores, bias):
    """You cut off the future after the softmax, so the rows no longer sum to 1. Hide it before the softmax."""
    n = len(scores)
    s = np.where(np.tril(np.ones((n, n), dtype=bool)), scores + bias, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    p = np.exp(scores + bias)
    return np.tril(p / p.sum(axis=-1, keepdims=True))


def wrong_zero_times_infinity(scores, bias):
    """Everything is nan, because 0 · ∞ is nan. Use `np.where(mask, scores, -np.inf)`, which multiplies nothing."""
    with np.errstate(invalid="ignore"):
        return softmax(scores + bias + np.triu(np.ones(scores.shape), 1) * -np.inf)


def right_in_one_line(scores, bias):
    return softmax(scores + bias + np.triu(np.full(scores.shape, -np.inf), 1))
