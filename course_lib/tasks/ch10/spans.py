"""Entropy and effective span of any rows of attention weights."""

import math

import numpy as np

from ...example import TOKENS
from ...reference.alibi import slopes
from ...reference.bias import decay_bias, decay_row
from ..engine import Axis, Case, Mistake, Task
from .pencil import span as span_of


def _entropy_and_span(bias):
    """Entropy in nats, and effective span, of each row of attention weights.

    bias (..., n) holds scores, -inf where a key is hidden. The weights are softmax(bias).
    Returns (entropy, span), each (...).
    """
    w = softmax(bias)
    surprise = -np.log(np.where(w > 0, w, 1))
    entropy = (w * surprise).sum(axis=-1)
    return entropy, np.exp(entropy)


def softmax(x):
    """The library's, by the name it has in the first cell."""
    from ...reference.attention import softmax

    return softmax(x)


def _by_definition(bias):
    """Loops over the definition, with no softmax but its own."""
    bias = np.asarray(bias, float)
    flat, found = bias.reshape(-1, bias.shape[-1]), []
    for row in flat.tolist():
        e = [math.exp(b - max(row)) for b in row]
        found.append(span_of([x / math.fsum(e) for x in e]))
    span = np.reshape(found, bias.shape[:-1])
    return np.log(span), span


def _by(weights_to_span):
    """A wrong pair made of the weights alone."""

    def wrong(bias):
        span = weights_to_span(softmax(bias))
        return np.log(np.maximum(span, 1e-300)), span

    return wrong


def _guarded(w):
    return np.where(w > 0, w, 1)


def _in_order(bias):
    entropy, span = _by_definition(bias)
    return span, entropy


def _of_all_rows(bias):
    w = softmax(bias)
    entropy = -(w * np.log(_guarded(w))).sum()
    return entropy, np.exp(entropy)


def _unguarded(bias):
    w = softmax(bias)
    entropy = -(w * np.log(w)).sum(axis=-1)
    return entropy, np.exp(entropy)


def _not_normalised(bias):
    w = np.exp(bias)
    entropy = -(w * np.log(_guarded(w))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _overflowing(bias):
    w = np.exp(bias) / np.exp(bias).sum(axis=-1, keepdims=True)
    entropy = -(w * np.log(_guarded(w))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _one_softmax_for_all(bias):
    e = np.exp(bias - np.max(bias))
    w = e / e.sum()
    entropy = -(w * np.log(_guarded(w))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _in_bits(bias):
    entropy, span = _by_definition(bias)
    return entropy / np.log(2), span


def _no_softmax(bias):
    entropy = -(bias * np.log(abs(bias))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _in_the_logarithm(bias):
    entropy = -(bias * np.log(bias)).sum(axis=-1)
    return entropy, np.exp(entropy)


def _skipped_in_the_logarithm(bias):
    entropy = -np.nansum(bias * np.log(bias), axis=-1)
    return entropy, np.exp(entropy)


def _overflow_skipped(bias):
    w = np.exp(bias) / np.exp(bias).sum(axis=-1, keepdims=True)
    entropy = -np.nansum(w * np.log(w), axis=-1)
    return entropy, np.exp(entropy)


def _overflow_unguarded(bias):
    w = np.exp(bias) / np.exp(bias).sum(axis=-1, keepdims=True)
    entropy = -(w * np.log(w)).sum(axis=-1)
    return entropy, np.exp(entropy)


def _one_largest(bias):
    """The largest of all rows is subtracted, and others underflow."""
    e = np.exp(bias - np.max(bias))
    w = e / e.sum(axis=-1, keepdims=True)
    entropy = -(w * np.log(_guarded(w))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _coarse(bias):
    w = softmax(np.float32(bias))
    entropy = -(w * np.log(_guarded(w))).sum(axis=-1)
    return entropy, np.exp(entropy)


def _in_place_of_minus_infinity(score):
    return lambda bias: _by_definition(np.where(np.isneginf(bias), score, bias))


def _shown_unguarded(bias):
    return _unguarded(np.where(np.isneginf(bias), 0, bias))


def _divided_scores(bias):
    w = bias / bias.sum(axis=-1, keepdims=True)
    entropy = -(w * np.log(w)).sum(axis=-1)
    return entropy, np.exp(entropy)


def _cut_at(score):
    return lambda bias: _by_definition(np.maximum(bias, score))


def _against_n(bias):
    entropy, span = _by_definition(bias)
    return entropy / np.log(bias.shape[-1]), span


def _share_of_n(bias):
    entropy, span = _by_definition(bias)
    return entropy, span / bias.shape[-1]


def _last_query(n, **how):
    """The bias of the last of n queries of a causal model."""
    return decay_row(np.arange(1 - n, 1), **how)


_FAR_FROM_0 = np.array([[-30, -31, -32, -np.inf], [500, 499, -np.inf, -np.inf], [-900, -902, -901, -np.inf]])
_CAUSAL = np.where(np.tri(5) > 0, decay_bias(5), -np.inf)

entropy_and_span = Task(
    title="Entropy and effective span",
    minutes=8,
    difficulty=2,
    words=r"""Now for any bias: given the scores of each row (here a bias alone, as if all content were equal), return the entropy
$H = -\sum_j w_j \ln w_j$ of its weights and the effective span $e^H$. `softmax` is the library's; a hidden key has the
score −∞ and the weight 0, and adds nothing to the sum. The lesson draws both as n grows.""",
    solution=_entropy_and_span,
    expected=_by_definition,
    returns=("entropy", "span"),
    cases=[
        Case(
            decay_bias(5),
            says="the worked example's bias",
            axes={"entropy": [Axis("query", TOKENS)], "span": [Axis("query", TOKENS)]},
        ),
        Case(_last_query(64, scale=1.0), says="the last of 64 queries, log decay"),
        Case(
            -slopes(4)[:, None] * np.arange(63, -1, -1),
            says="the last of 64 queries, ALiBi's four heads",
            axes={"entropy": ["head"], "span": ["head"]},
        ),
        Case(np.zeros((3, 128)), says="128 keys alike"),
        Case(
            _CAUSAL,
            says="the five tokens under a causal mask, hidden keys at −∞",
            axes={"entropy": [Axis("query", TOKENS)], "span": [Axis("query", TOKENS)]},
        ),
        Case(np.zeros(1), says="one key alone"),
        Case(
            np.stack([decay_bias(6, scale=0.3), decay_bias(6, scale=3.0)]),
            says="two heads, six queries",
            axes={"entropy": ["head", "query"], "span": ["head", "query"]},
        ),
        Case(1000 + decay_bias(5, scale=2.0), says="large scores"),
        Case(_FAR_FROM_0, says="scores far from 0, some of the keys hidden"),
    ],
    draw=lambda rng: (rng.normal(size=(int(rng.integers(2, 5)), int(rng.integers(2, 40)))) * rng.choice([0.5, 3]),),
    axes={"entropy": ["query"], "span": ["query"]},
    mistakes=[
        Mistake(
            "return entropy, np.exp(entropy)",
            "return entropy, (w > 0.01).sum(axis=-1)",
            "This counts the keys above 1 %. The effective span is `np.exp(entropy)`: it needs no threshold.",
        ),
        Mistake(
            _unguarded,
            "A hidden key has w = 0, and 0 · ln 0 is nan in NumPy. In the sum it counts as 0: take the logarithm of `np.where(w > 0, w, 1)`.",
        ),
        Mistake("-np.log(np", "np.log(np", "The minus is missing: ln w is negative, and an entropy is 0 or more."),
        Mistake(
            "-np.log(np",
            "-np.log2(np",
            "The logarithm is to base 2, and the span is then no power of e. Entropy is asked for in nats: `np.log`.",
        ),
        Mistake("-np.log(np", "-np.log10(np", "The logarithm is to base 10. Entropy is asked for in nats: `np.log`."),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "surprise.sum(axis=-1)",
            "Each −ln w counts with its weight: it is the sum of w · (−ln w).",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "surprise.mean(axis=-1)",
            "Each −ln w counts with its weight, not each key alike: it is the sum of w · (−ln w).",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w * surprise).mean(axis=-1)",
            "You take the mean over the keys. The weights sum to 1 already: take the sum.",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w * surprise).max(axis=-1)",
            "You take the largest term. The entropy is the sum of all of them.",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w * surprise)",
            "One number for each row is asked for: sum over the keys, `axis=-1`.",
        ),
        Mistake("(w * surprise).sum(axis=-1)", "(w / surprise).sum(axis=-1)", "You divide by −ln w. Multiply."),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w**2 * surprise).sum(axis=-1)",
            "The weight comes in twice. It is the sum of w · (−ln w).",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w * surprise).sum(axis=0)",
            "You sum over the first axis. Each row has its own entropy: sum over the keys, `axis=-1`.",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "(w * surprise).sum(axis=-2)",
            "You sum over the queries. Each of them has its own entropy: sum over the keys, `axis=-1`.",
        ),
        Mistake(
            _of_all_rows, "All rows are summed up. Each row has its own entropy: sum over the keys alone, `axis=-1`."
        ),
        Mistake(
            "return entropy, np.exp(entropy)",
            "return entropy, entropy",
            "The span is e to the power of the entropy: `np.exp(entropy)`.",
        ),
        Mistake(
            "return entropy, np.exp(entropy)",
            "return entropy, 2**entropy",
            "The span is e to the power of the entropy, since the logarithm was to base e.",
        ),
        Mistake(
            "return entropy, np.exp(entropy)",
            "return np.exp(entropy), np.exp(entropy)",
            "Both are the span now. The entropy itself comes first.",
        ),
        Mistake(
            "return entropy, np.exp(entropy)",
            "return entropy, np.exp(-entropy)",
            "One too many minus: the span is e to the power of the entropy, 1 or more.",
        ),
        Mistake(
            "return entropy, np.exp(entropy)",
            "return entropy",
            "Two results are asked for: `return entropy, np.exp(entropy)`.",
        ),
        Mistake(_in_order, "Entropy and span have changed places: the entropy comes first."),
        Mistake(
            _by(lambda w: (w > 0.01).sum(axis=-1)),
            "Both come from a count of the keys above 1 %. In a long row no key is, and the count falls to 0 while attention spreads.",
        ),
        Mistake(
            _by(lambda w: 1 / (w**2).sum(axis=-1)),
            "This is 1 / Σw², another measure of span. Here it is e to the power of the entropy.",
        ),
        Mistake(
            _by(lambda w: 1 / w.max(axis=-1)),
            "This is 1 / (largest weight), which one key alone decides. The entropy asks all of them.",
        ),
        Mistake(
            _not_normalised,
            "The weights do not sum to 1: the softmax divides by the sum of the e^x. Use `softmax(bias)`.",
        ),
        Mistake(
            _overflowing,
            "e to the power of 1000 is too large for a float, and of −900 it is 0. Subtract each row's largest score first, as `softmax` does.",
        ),
        Mistake(
            _overflow_skipped,
            "e^x of a large x is ∞, of a very negative one 0; ∞/∞ and 0/0 are nan, and you skip them. Subtract each row's largest score first, as `softmax` does.",
        ),
        Mistake(
            _overflow_unguarded,
            "Two faults: 0 · ln 0 is nan where a key is hidden, and e^x of a large score is ∞. Take `softmax(bias)`, and the logarithm of `np.where(w > 0, w, 1)`.",
        ),
        Mistake(
            _one_largest,
            "You subtract the largest score of all rows, and in a row that is far below it every e^x is 0. Subtract each row's own, as `softmax` does.",
        ),
        Mistake(_coarse, "You compute in float32, which holds some seven digits: large scores lose the last of them."),
        Mistake(
            _in_the_logarithm,
            "You take the logarithm of the scores, and that of a negative one is nan. The w are weights: `softmax(bias)`.",
        ),
        Mistake(
            _skipped_in_the_logarithm,
            "You take the logarithm of the scores, and skip the nan that negative ones give. The w are weights: `softmax(bias)`.",
        ),
        *(
            Mistake(
                _in_place_of_minus_infinity(score),
                f"You put {score} in place of −∞, and hidden keys have a weight again: where all scores are low, even a large one.".replace(
                    "-", "−"
                ),
            )
            for score in (0, -1, -10, -20, -30)
        ),
        Mistake(
            _shown_unguarded,
            "You put 0 in place of −∞: a hidden key has a weight again, and beside low scores all of it. A hidden key has the weight 0, and then 0 · ln 0 is nan: let the logarithm see a 1 there.",
        ),
        Mistake(
            _divided_scores,
            "These are the scores divided by their sum. Weights are e^x divided by the sum of the e^x: `softmax(bias)`.",
        ),
        Mistake(
            _cut_at(-20),
            "Your scores end at −20: where all are lower they become alike, and hidden keys get a weight. `softmax` takes −∞ as it is.",
        ),
        Mistake(
            _cut_at(-100),
            "Your scores end at some low number: where all are lower they become alike, and hidden keys get a weight. `softmax` takes −∞ as it is.",
        ),
        Mistake(
            _in_place_of_minus_infinity(-100),
            "The number that you put in place of −∞ is not low enough: where all scores are lower, hidden keys get a weight.",
        ),
        Mistake(
            _one_softmax_for_all,
            "All rows together sum to 1. Each row has a softmax of its own: divide by its own sum.",
        ),
        Mistake(_in_bits, "The span is right, and the entropy is in bits. The task asks for the natural logarithm."),
        Mistake(_no_softmax, "The scores are no weights: the softmax is missing."),
        Mistake(
            "softmax(bias)",
            "bias",
            "These are the scores. The weights are `softmax(bias)`: without it no w is above 0 here.",
        ),
        Mistake(
            "-np.log(np.where(w > 0, w, 1))",
            "-np.where(w > 0, w, 1)",
            "The logarithm is missing: it is the sum of w · (−ln w).",
        ),
        Mistake(
            "w > 0",
            "w < 0",
            "No weight is left under your logarithm, only 1s: everything comes out as 0. Where w > 0 it is w itself.",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "w.sum(axis=-1)",
            "This is the sum of the weights, which is 1. Each w is multiplied by −ln w.",
        ),
        Mistake(
            "(w * surprise).sum(axis=-1)",
            "1 - (w**2).sum(axis=-1)",
            "This is 1 − Σw², another measure of spread. The entropy has a logarithm.",
        ),
        Mistake(
            _against_n,
            "Divided by ln n, entropy is a share of the largest possible. The task asks for the entropy itself.",
        ),
        Mistake(_share_of_n, "The span is a number of keys. You give it as a share of all n."),
        Mistake(
            "np.where(w > 0, w, 1)",
            "np.where(w > 0.01, w, 1)",
            "Weights below 1 % are left out. There are many of them in a long row: only w = 0 adds nothing.",
        ),
        Mistake("softmax(bias)", "softmax(-bias)", "The bias has changed its sign: far keys get the most weight."),
        Mistake(
            "np.where(w > 0, w, 1)", "w + 1", "You take ln(1 + w). It is ln w; only where w = 0 a 1 stands instead."
        ),
    ],
    alternatives=[
        lambda bias: (h := -np.nansum(softmax(bias) * np.log(softmax(bias)), axis=-1), np.exp(h)),
        lambda bias: (h := -(softmax(bias) * np.log(softmax(bias) + 1e-12)).sum(-1), np.exp(h)),
    ],
    hints=[
        "`w = softmax(bias)`, then the sum of w · (−ln w) over the last axis.",
        "Where w is 0, let the logarithm see a 1: `np.log(np.where(w > 0, w, 1))`. The product is 0 either way.",
        "The span is `np.exp(entropy)`; both are returned, the entropy first.",
    ],
)
