"""Entropy and effective span."""

import math

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import TOKENS
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias, decay_row

from .two_spans import span as span_of


def _entropy_and_span(bias):
    """Entropy in nats, and effective span, of each row of attention weights.

    bias (..., n) holds scores, -inf where a key is hidden. The weights are softmax(bias).
    Returns (entropy, span), each (...).
    """
    w = softmax(bias)
    surprise = -np.log(np.where(w > 0, w, 1))
    entropy = (w * surprise).sum(axis=-1)
    return entropy, np.exp(entropy)


def _by_definition(bias):
    """Loops over the definition, with no softmax but its own."""
    bias = np.asarray(bias, float)
    found = []
    for row in bias.reshape(-1, bias.shape[-1]).tolist():
        e = [math.exp(b - max(row)) for b in row]
        found.append(span_of([x / math.fsum(e) for x in e]))
    span = np.reshape(found, bias.shape[:-1])
    return np.log(span), span


def _of_weights(w, guarded=True):
    """What the solution does with weights. Without the guard, a weight of 0 gives nan."""
    entropy = -(w * np.log(np.where(w > 0, w, 1) if guarded else w)).sum(axis=-1)
    return entropy, np.exp(entropy)


def _both(*axes):
    return {"entropy": list(axes), "span": list(axes)}


_QUERY = Axis("query", TOKENS)
_FAR_FROM_0 = np.array([[-30, -31, -32, -np.inf], [500, 499, -np.inf, -np.inf], [-900, -902, -901, -np.inf]])

entropy_and_span = CodingTask(
    title="Entropy and effective span",
    minutes=8,
    difficulty=2,
    words=r"""Now for any bias: given the scores of each row (here only a bias, as if all content were equal), return
the entropy $H = -\sum_j w_j \ln w_j$ of its weights and the effective span $e^H$. `softmax` is the library's. A hidden
key has the score −∞ and the weight 0, and adds nothing to the sum. The lesson draws both as n grows.""",
    solution=_entropy_and_span,
    expected=_by_definition,
    returns=("entropy", "span"),
    cases=[
        Case(decay_bias(5), label="the worked example's bias", axes=_both(_QUERY)),
        Case(decay_row(np.arange(-63, 1), scale=1.0), label="the last of 64 queries, log decay"),
        Case(-slopes(4)[:, None] * np.arange(63, -1, -1), label="ALiBi's four heads", axes=_both("head")),
        Case(np.zeros((3, 128)), label="128 keys alike"),
        Case(np.where(np.tri(5) > 0, decay_bias(5), -np.inf), label="a causal mask, keys at −∞", axes=_both(_QUERY)),
        Case(np.zeros(1), label="one key alone"),
        Case(
            np.stack([decay_bias(6, scale=0.3), decay_bias(6, scale=3.0)]),
            label="two heads, six queries",
            axes=_both("head", "query"),
        ),
        Case(1000 + decay_bias(5, scale=2.0), label="large scores"),
        Case(_FAR_FROM_0, label="scores far from 0, some of the keys hidden"),
    ],
    draw=lambda rng: (rng.normal(size=(int(rng.integers(2, 5)), int(rng.integers(2, 40)))) * rng.choice([0.5, 3]),),
    axes=_both("query"),
    pieces="""
w > 0
    the condition: Where w is above 0 the logarithm needs w itself, and elsewhere a 1.
np.where(w > 0, w, 1)
    the guard: Where w is above 0 the logarithm needs w itself, and elsewhere a 1.
np.log(np.where(w > 0, w, 1))
    the logarithm: The entropy is the sum of w · (−ln w), with the natural logarithm.
-np.log(np.where(w > 0, w, 1))
    −ln w: Since ln w is 0 or less, −ln w is 0 or more, and so is the entropy.
w * surprise
    the term of each key: It is w · (−ln w), and the entropy is the sum of these terms.
w
    the factor w: Each −ln w counts with its weight w.
surprise
    the factor −ln w: Each weight w is multiplied by −ln w.
axis=-1
    the sum: Each row has its own entropy, the sum over its keys, so the sum runs along the last axis.
(w * surprise).sum(axis=-1)
    the sum: The entropy of a row is the sum of w · (−ln w) over its keys, one number per row.
softmax(bias)
    the softmax: It makes weights of the scores, and the entropy is that of the weights.
np.exp(entropy)
    the span: It is e to the power of the entropy, because the logarithm has the base e.
entropy
    the entropy: It is returned first, and the span second.
""",
    slips="""
return entropy, np.exp(entropy) → return entropy, (w > 0.01).sum(axis=-1)
    You count the keys above 1 %. The effective span needs no threshold: it is e to the power of the entropy.
-np.log(np → -np.log2(np
    Your logarithm has the base 2, and then the span is not a power of e. The task asks for nats, the base e.
-np.log(np → -np.log10(np
    Your logarithm has the base 10. The task asks for nats, the base e.
(w * surprise).sum(axis=-1) → surprise.mean(axis=-1)
    You give each key the same share. Each −ln w counts with its own weight, so the entropy is the sum of w · (−ln w).
(w * surprise).sum(axis=-1) → (w * surprise).max(axis=-1)
    You take the largest term. The entropy is the sum of all of them.
return entropy, np.exp(entropy) → return entropy, 2**entropy
    You raise 2 to the power of the entropy. Your logarithm has the base e, so the span is e to that power.
return entropy, np.exp(entropy) → return np.exp(entropy), np.exp(entropy)
    You return the span twice. The entropy itself comes first.
return entropy, np.exp(entropy) → return entropy, np.exp(-entropy)
    You have one minus sign too many. The span is e to the power of the entropy, so it is 1 or more.
return entropy, np.exp(entropy) → return entropy
    You return one result. The task asks for two, the entropy and the span.
softmax(bias) → bias
    You use the scores in place of the weights, and no score is above 0 here. The softmax makes weights of them.
(w * surprise).sum(axis=-1) → w.sum(axis=-1)
    You sum the weights, which gives 1. Each w is multiplied by −ln w first.
(w * surprise).sum(axis=-1) → 1 - (w**2).sum(axis=-1)
    You compute 1 − Σw², another measure of spread. The entropy has a logarithm.
np.where(w > 0, w, 1) → np.where(w > 0.01, w, 1)
    You leave out weights below 1 %, and a long row has many of them. Only a weight of 0 adds nothing.
softmax(bias) → softmax(-bias)
    Your bias has the wrong sign, so that far keys get the most weight.
np.where(w > 0, w, 1) → w + 1
    You take ln(1 + w). The entropy has ln w, and only where w is 0 the logarithm needs a 1.
... → span = 1 / (w := softmax(bias)).max(axis=-1); return np.log(span), span
    You compute 1 / (largest weight), which depends on one key only. The entropy depends on all of them.
... → span = 1 / (softmax(bias) ** 2).sum(axis=-1); return np.log(span), span
    You compute 1 / Σw², another measure of span. The effective span is e to the power of the entropy.
... → span = (softmax(bias) > 0.01).sum(axis=-1); return np.log(np.maximum(span, 1e-300)), span
    You count the keys above 1 %. In a long row no key is above it, so your count falls to 0 while attention spreads.
... → w = softmax(bias); h = -(w[w > 0] * np.log(w[w > 0])).sum(); return h, np.exp(h)
    You sum over all rows together (`w[w > 0]` joins them, too). Each has its own entropy, so sum with `axis=-1`.
... → return _of_weights(softmax(bias), guarded=False)
    A hidden key has w = 0, and 0 · ln 0 is nan in NumPy. In the sum it counts as 0, so let the logarithm see a 1 there.
... → return _of_weights(np.exp(bias))
    Your weights do not sum to 1. A softmax divides by the sum of the e^x.
... → return _of_weights(np.exp(bias) / np.exp(bias).sum(axis=-1, keepdims=True))
    e^x is too large for a float at x = 1000, and 0 at −900. Subtract each row's largest score first, as `softmax` does.
... → w = np.exp(bias) / np.exp(bias).sum(-1, keepdims=True); h = -np.nansum(w * np.log(w), -1); return h, np.exp(h)
    Far from 0, e^x is ∞ or 0. ∞/∞ and 0/0 are nan, which you skip. Subtract each row's largest score first.
... → return _of_weights(np.exp(bias) / np.exp(bias).sum(axis=-1, keepdims=True), guarded=False)
    There are two faults here: 0 · ln 0 is nan where a key is hidden, and e^x of a large score is ∞. `softmax` avoids
    the second, and a 1 in place of a weight of 0 under the logarithm avoids the first.
... → e = np.exp(bias - np.max(bias)); return _of_weights(e / e.sum(axis=-1, keepdims=True))
    You subtract the largest score of all rows, so in a row far below it every e^x is 0. Subtract each row's own.
... → e = np.exp(bias - np.max(bias)); return _of_weights(e / e.sum())
    Your weights sum to 1 over all rows together. Each row has its own softmax, so divide by the sum of the row.
... → return _of_weights(softmax(np.float32(bias)))
    You compute in float32, which holds about seven digits, so large scores lose their last ones.
... → return _of_weights(bias, guarded=False)
    You take the logarithm of the scores, and that of a negative score is nan. The w are weights, after a softmax.
... → h = -np.nansum(bias * np.log(bias), axis=-1); return h, np.exp(h)
    You take the logarithm of the scores and skip the nan that negative ones give. The w are weights, after a softmax.
... → return _of_weights(bias / bias.sum(axis=-1, keepdims=True), guarded=False)
    You divide the scores by their sum. Weights are e^x divided by the sum of the e^x, as `softmax` computes them.
... → h = -(bias * np.log(abs(bias))).sum(axis=-1); return h, np.exp(h)
    You use the scores in place of the weights, because the softmax is missing.
... → bias[np.isinf(bias)] = 0; return _of_weights(softmax(bias), guarded=False)
    You write 0 in place of −∞, so a hidden key has a weight again. A hidden key has the weight 0. Let the logarithm see
    a 1 there, because 0 · ln 0 is nan.
... → return _of_weights(softmax(np.where(np.isneginf(bias), 0, bias)), guarded=False)
    You put 0 in place of −∞, so a hidden key has a weight again, and next to low scores it has nearly all. A hidden key
    has the weight 0. Let the logarithm see a 1 there, because 0 · ln 0 is nan.
... → return _by_definition(np.maximum(bias, -20))
    You cut the scores off at −20. Lower scores become equal to it, and hidden keys get a weight. `softmax` accepts −∞.
... → return _by_definition(np.maximum(bias, -100))
    You cut the scores off at −100. Lower scores become equal to it, and hidden keys get a weight. `softmax` accepts −∞.
... → entropy, span = _by_definition(bias); return entropy / np.log(2), span
    Your span is right, but your entropy is in bits. The task asks for the natural logarithm.
... → entropy, span = _by_definition(bias); return entropy / np.log(bias.shape[-1]), span
    You divide the entropy by ln n, the largest possible. The task asks for the entropy itself.
... → entropy, span = _by_definition(bias); return entropy, span / bias.shape[-1]
    You give the span as a share of all n keys. The task asks for a number of keys.
""",
    alternatives=[
        lambda bias: (h := -np.nansum(softmax(bias) * np.log(softmax(bias)), axis=-1), np.exp(h)),
        lambda bias: (h := -(softmax(bias) * np.log(softmax(bias) + 1e-12)).sum(-1), np.exp(h)),
    ],
    hints=[
        "Start with `w = softmax(bias)`, then take the sum of w · (−ln w) over the last axis.",
        "Where w is 0, let the logarithm see a 1: `np.log(np.where(w > 0, w, 1))`. The product is 0 either way.",
        "The span is `np.exp(entropy)`. Return both, the entropy first.",
    ],
)

for score in (0, -1, -10, -20, -30, -100):
    entropy_and_span.wrong(
        "You put a finite score in place of −∞, so hidden keys get a weight, and next to lower scores a large one."
    )(lambda bias, score=score: _by_definition(np.where(np.isneginf(bias), score, bias)))
