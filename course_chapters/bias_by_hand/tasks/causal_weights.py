"""Why the future half vanishes · 8 minutes · ★★

A decoder hides the future with a mask: it sets the score to −∞, after the bias. Compute the weights.

A symmetric bias cannot tell *before* from *after*. With a strength for each direction, as in
`-np.where(j > i, 0.6, 0.1) * np.log1p(abs(j - i))`, it can, and it is still one number per offset. Call your function
with two such biases that differ only in the strength of the future (with `i, j = np.arange(5)[:, None], np.arange(5)`),
and see how much the weights differ. A causal decoder uses only the past half of an asymmetric bias, while an encoder
uses both.
"""

import numpy as np

from course_kit.checking import Case, holds
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias

from ...shared import KEY, QUERY, SCORES, normal


def causal_weights(scores, bias):
    """Biased attention weights when no query may look ahead: scores and bias (n, n), keys j > i get weight 0."""
    n = len(scores)
    # The keys j ≤ i keep their score plus bias. The keys ahead get −∞, because e^−∞ is 0.
    s = np.where(np.tri(n), scores + bias, -np.inf)
    # Each row loses its own largest score, `s.max(axis=-1, keepdims=True)`, so e^x cannot overflow and no row's sum is
    # 0.
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)  # Each row is divided by its own sum, with `keepdims=True`.


def expected(scores, bias):
    return softmax(np.where(causal_mask(len(scores)), scores + bias, -np.inf))


CASES = [
    Case(SCORES, decay_bias(5, strength=0.1, forward_strength=0.6), label="past 0.1, future 0.6", axes=(QUERY, KEY)),
    Case(SCORES, decay_bias(5, strength=0.1, forward_strength=99.0), label="same with future 99", axes=(QUERY, KEY)),
    Case(np.zeros((1, 1)), np.zeros((1, 1)), label="one token alone"),
    Case(SCORES + 400 - 800 * np.tri(5), decay_bias(5), label="scores that are larger ahead", axes=(QUERY, KEY)),
    Case(1e5 * (np.arange(5) - 9.0) * (5 - np.arange(5)[:, None]), decay_bias(5), label="scores far below 0"),
]


def draw(rng):
    return normal(rng, n := int(rng.integers(2, 8)), n), normal(rng, n, n)


ALWAYS = [
    holds(
        "Some key after its query gets weight. Its score should be −∞. A finite one, as −20, does not always hide it.",
        lambda weights, *_: (abs(np.triu(weights, 1)) < 1e-30).all(),
    ),
    holds("The weights of one query sum to 1 over the keys.", lambda weights, *_: np.allclose(weights.sum(-1), 1)),
]
WRONG = """
s = np.where(np.tri(n), scores + bias, 0.0)  # A score of 0 does not hide a key, because e⁰ = 1. Hidden keys get −∞.
s = np.where(np.tri(n), scores + bias, -10.0)
s = np.where(np.tri(n), scores + bias, -1e4)
s = np.where(np.tri(n), scores + bias, -100.0)  # Where the scores are lower still, hidden keys get the weight. Use −∞.
s = np.where(np.tri(n, k=-1), scores + bias, -1e9)
s = np.where(np.tri(n, k=-1), scores + bias, -np.inf)  # You hide the diagonal as well. Each query may look at itself.
s = np.where(np.tri(n).T, scores + bias, -np.inf)  # You hide the past and keep the future. Hide keys with j > i.
s = np.where(np.tril(scores + bias) != 0, scores + bias, -np.inf)  # You hide every score that is 0, as that of
# *The* for itself. A score of 0 is a number like any other, so choose by position: hide where j > i.
s = np.where(np.tri(n), scores - bias, -np.inf)  # You subtract the bias. It is added, and a penalty is below 0 already.
s = np.where(np.tri(n), scores / 2 + bias, -np.inf)
s = np.where(np.tri(n), scores / n**0.5 + bias, -np.inf)
s = np.where(np.tri(n), (scores + bias) / 2, -np.inf)
s = np.where(np.tri(n), (scores + bias) / n**0.5, -np.inf)  # You divide the scores again. They are scaled already.
s = scores + np.tril(bias)  # In your result, the keys ahead have no bias, but they keep their scores. Set these to −∞.
s = scores + bias + (1 - np.tri(n)) * -np.inf  # Everything is nan. Do you multiply a mask by ∞?
# 0 · ∞ is nan, so choose with `np.where`.
e = np.exp(s - s.max())  # You subtract the largest score of all queries. In a row far below it every e^x is 0, and
# 0/0 is nan. Each row loses its own largest score.
e = np.exp(s); return e / e.sum(axis=-1)
return e / e.sum(axis=-1)  # You divide column j by the sum of row j. `keepdims=True` keeps a sum with its row.
return np.tril(softmax(scores + bias))  # Your sums count the keys ahead, so rows do not sum to 1. Hide them first.
e = np.tril(softmax(scores + bias))  # A much larger score ahead leaves 0 for all the others, and 0/0 is
# nan. Hide the future before the largest score is subtracted.
"""
HINTS = [
    "`np.tril` keeps the entries on and below the diagonal, which are the keys that a query may see.",
    "Use `np.where(may_look, scores + bias, -np.inf)`, then an ordinary softmax, because e^−∞ is 0.",
]
