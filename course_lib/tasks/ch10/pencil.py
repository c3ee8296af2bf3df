"""Two measures of how far attention spreads, worked out by hand: the effective span, and the count above one percent."""

import math

from ..engine import Answer, Mistake

_COUNT, _SPAN = "above 1 %", "span"
_EVEN, _TWICE, _ONE, _HALVES = "64 alike", "128 alike", "half on one", "halving"


def span(weights):
    """exp of the entropy, by the definition."""
    return math.exp(-sum(w * math.log(w) for w in weights if w > 0))


def _two_spans():
    weights = {
        _EVEN: [1 / 64] * 64,
        _TWICE: [1 / 128] * 128,
        _ONE: [1 / 2] + [1 / 1800] * 900,
        _HALVES: [2.0**-k for k in range(1, 1000)],
    }
    fields = {}
    for name, w in weights.items():
        fields[f"{name}, {_COUNT}"] = sum(x > 0.01 for x in w)
        fields[f"{name}, {_SPAN}"] = round(span(w))  # whole, all four
    return fields


two_spans = Answer(
    "two_spans",
    title="Two spans with a pencil",
    minutes=12,
    difficulty=2,
    words=r"""How many keys does a query look at? Two measures are in use: the **number of keys with more than 1 % of the weight**,
and the **effective span** $e^H$, with the entropy $H = -\sum_j w_j \ln w_j$. Work both out for four rows of weights:

- `64 alike`: 64 keys with 1/64 each, and `128 alike`: 128 keys with 1/128 each (a text twice as long, and a query that
  still looks at all of it);
- `half on one`: 1/2 on one key, and the other half shared evenly by 900 keys, 1/1800 each;
- `halving`: 1/2, 1/4, 1/8, 1/16, … without end: a penalty of ln 2 for each step back.

All eight are whole numbers. For the last one: $\sum_k k/2^k = 2$ (k = 1, 2, 3, …).""",
    expected=_two_spans,
    digits=2,  # of the wrong numbers below: the right ones are whole
    nearly=False,
    mistakes=[
        Mistake(
            {f"{_EVEN}, {_SPAN}": math.log(64)},
            "64 alike: this is the entropy, ln 64. The span is e to the power of it.",
        ),
        Mistake(
            {f"{_EVEN}, {_SPAN}": 4.2}, "64 alike: ln 64 is the entropy, rounded. The span is e to the power of it."
        ),
        Mistake({f"{_EVEN}, {_SPAN}": 6}, "64 alike: this is the entropy in bits. The span is 2 to the power of that."),
        Mistake({f"{_EVEN}, {_SPAN}": 1}, "64 alike: each weight is 1/64, and all of them take part in the sum."),
        Mistake({f"{_EVEN}, {_COUNT}": 0}, "64 alike: 1/64 is more than 1/100, so these keys do count."),
        Mistake({f"{_EVEN}, {_COUNT}": 1}, "64 alike: count the keys, all of which have 1/64."),
        Mistake({f"{_TWICE}, {_COUNT}": 128}, "128 alike: is 1/128 more than 1/100?"),
        Mistake(
            {f"{_TWICE}, {_COUNT}": 64},
            "128 alike: the keys are all alike. Either each of them is above 1/100, or none.",
        ),
        Mistake(
            {f"{_TWICE}, {_COUNT}": 100},
            "128 alike: the keys are all alike. Either each of them is above 1/100, or none.",
        ),
        Mistake({f"{_TWICE}, {_SPAN}": 64}, "128 alike: twice as many keys as before with the same weight each."),
        Mistake(
            {f"{_TWICE}, {_SPAN}": 0}, "128 alike: entropy has no threshold. Small weights take part in the sum too."
        ),
        Mistake(
            {f"{_TWICE}, {_SPAN}": math.log(128)},
            "128 alike: this is the entropy, ln 128. The span is e to the power of it.",
        ),
        Mistake(
            {f"{_TWICE}, {_SPAN}": 4.9}, "128 alike: ln 128 is the entropy, rounded. The span is e to the power of it."
        ),
        Mistake(
            {f"{_TWICE}, {_SPAN}": 7}, "128 alike: this is the entropy in bits. The span is 2 to the power of that."
        ),
        Mistake({f"{_ONE}, {_COUNT}": 901}, "half on one: 1/1800 is far below 1 %. How many keys are above?"),
        Mistake(
            {f"{_ONE}, {_COUNT}": 900},
            "half on one: the 900 have 1/1800 each, far below 1 %. Which key is above?",
        ),
        Mistake({f"{_ONE}, {_COUNT}": 0}, "half on one: one key has half of all the weight."),
        Mistake(
            {f"{_ONE}, {_SPAN}": 901}, "half on one: all keys count, but not alike. Write H as ½ ln 2 + ½ ln 1800."
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 900},
            "half on one: the 900 hold one half of the weight alone, and the first key the other. Write H as ½ ln 2 + ½ ln 1800.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 1800},
            "half on one: 1800 keys alike would have this span. Only half of the weight is spread so: ½ ln 1800, and ½ ln 2 for the first key.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 30},
            "half on one: 30 is e^(½ ln 900). Each of the 900 keys has 1/1800, not 1/900, and the first key adds ½ ln 2.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 2},
            "half on one: these are two *kinds* of keys. The second half is shared by 900: ½ ln 1800, not ½ ln 2.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 1},
            "half on one: the other half of the weight takes part too, however small each share is.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": math.log(3600) / 2},
            "half on one: this is the entropy, ½ ln 2 + ½ ln 1800. The span is e to the power of it.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 3600},
            "half on one: you forgot the two factors ½. e to the power of ½ ln 3600 is a root.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": math.sqrt(1800)},
            "half on one: this is √1800. Either the ½ ln 2 of the first key is missing, or each of the 900 has 1/900 in place of 1/1800 under your logarithm.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 42},
            "half on one: is this √1800, rounded? Either the ½ ln 2 of the first key is missing, or each of the 900 has 1/900 in place of 1/1800 under your logarithm.",
        ),
        Mistake(
            {f"{_ONE}, {_SPAN}": 450.5},
            "half on one: this is ½ · 1 + ½ · 900, a mean of two counts. The mean is taken of logarithms: ½ ln 2 + ½ ln 1800.",
        ),
        Mistake(  # 1 / (1/4 + 900/1800²) = 3.9956, so as not to meet a 4
            {f"{_ONE}, {_SPAN}": 3.989},
            "half on one: this is 1 / Σw², another measure of span. Here it is e to the power of the entropy.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": 3},
            "halving: this is 1 / Σw², another measure of span. Here it is e to the power of the entropy.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": 1},
            "halving: a span of 1 is one key with all of the weight. Here the first has half of it.",
        ),
        Mistake({f"{_HALVES}, {_COUNT}": 7}, "halving: 1/128 is less than 1/100."),
        Mistake(
            {f"{_HALVES}, {_COUNT}": math.log2(100)},
            "halving: 1/2^k is above 1/100 as long as k is below 6.64. Keys are whole: how many such k are there?",
        ),
        Mistake(
            {f"{_HALVES}, {_COUNT}": 6.6}, "halving: k is below 6.64, and keys are whole: how many such k are there?"
        ),
        Mistake({f"{_HALVES}, {_COUNT}": math.inf}, "halving: the keys have no end, but soon each has less than 1 %."),
        Mistake({f"{_HALVES}, {_COUNT}": 5}, "halving: 1/64 is still more than 1/100."),
        Mistake({f"{_HALVES}, {_SPAN}": 2}, "halving: H = 2 ln 2, and e to the power of that is 2²."),
        Mistake(
            {f"{_HALVES}, {_SPAN}": 2 * math.log(2)},
            "halving: this is the entropy, 2 ln 2. The span is e to the power of it.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": 1.4},
            "halving: is this the entropy, 2 ln 2, rounded? The span is e to the power of it.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": math.sqrt(2)},
            "halving: √2 is e^(½ ln 2), the first key alone. All keys take part: H is the sum of k · ln 2 / 2^k over all k.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": math.exp(2)},
            "halving: this is e². The entropy is 2 ln 2, and the ln 2 is missing.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": 7.4}, "halving: this is e², rounded. The entropy is 2 ln 2: the ln 2 is missing."
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": math.e},
            "halving: e itself would be the span of an entropy of 1. The entropy is ln 2 · Σ k/2^k.",
        ),
        Mistake(
            {f"{_HALVES}, {_SPAN}": math.inf},
            "halving: there is no end to the keys, but there is to the sum: the weights fall fast enough.",
        ),
    ],
    hints=[
        "n keys alike: H = n · (1/n) · ln n = ln n, so e^H = n. The threshold asks something else: is 1/n above 1/100?",
        "half on one: H = ½ ln 2 + 900 · ln(1800)/1800 = ½ ln 2 + ½ ln 1800 = ½ ln 3600.",
        "halving: the k-th weight is 1/2^k, and −ln of it is k · ln 2. So H = ln 2 · Σ k/2^k.",
    ],
)
