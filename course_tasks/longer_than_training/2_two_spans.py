r"""Two spans with a pencil · 12 minutes · ★★

How many keys does a query look at? Two measures are in use: the **number of keys with more than 1 % of
the weight**, and the **effective span** $e^H$, with the entropy $H = -\sum_j w_j \ln w_j$. Work both out for four rows
of weights:

- `64 alike`: 64 keys with 1/64 each, and `128 alike`: 128 keys with 1/128 each (a text twice as long, and a query that
  still looks at all of it);
- `half on one`: 1/2 on one key, and the other half shared evenly by 900 keys, 1/1800 each;
- `halving`: 1/2, 1/4, 1/8, 1/16, … without end: a penalty of ln 2 for each step back.

All eight are whole numbers. For the last one: $\sum_k k/2^k = 2$ (k = 1, 2, 3, …).
"""

import math

ENTROPY = "{}: this is the entropy, {}. The span is e to the power of it."


ROUNDED = "{}: this is the entropy, {}, rounded. The span is e to the power of it."


BITS = "{}: this is the entropy in bits. The span is 2 to the power of that."


MIXED = "{}: this is e to the power of the entropy in bits. Take 2 to the power of them, or H with the logarithm ln."


SQUARES = "{}: this is 1 / Σw², another measure of span. The effective span is e to the power of the entropy."


ALL_OR_NONE = "128 alike: all keys have the same weight, so either each of them is above 1/100, or none is."


ROOT = (
    "half on one: this is √1800. Either the ½ ln 2 of the first key is missing, or you took the logarithm of 900 in "
    "place of 1800 for the others."
)


def span(weights):
    """exp of the entropy, by the definition."""
    return math.exp(-sum(w * math.log(w) for w in weights if w > 0))


def answer():
    weights = {
        "64 alike": [1 / 64] * 64,
        "128 alike": [1 / 128] * 128,
        "half on one": [1 / 2] + [1 / 1800] * 900,
        "halving": [2.0**-k for k in range(1, 1000)],
    }
    fields = {}
    for name, w in weights.items():
        fields[f"{name}, above 1 %"] = sum(x > 0.01 for x in w)
        fields[f"{name}, span"] = round(span(w))  # whole, all four
    return fields


ANSWER = answer()


DIGITS = 2


NEARLY = False


WRONG = {
    "64 alike, above 1 %": {
        0: "64 alike: 1/64 is more than 1/100, so these keys do count.",
        1: "64 alike: count the keys. Each of them has 1/64.",
    },
    "64 alike, span": {
        math.log(64): ENTROPY.format("64 alike", "ln 64"),
        4.2: ROUNDED.format("64 alike", "ln 64"),
        6: BITS.format("64 alike"),
        403: MIXED.format("64 alike"),
        math.exp(6): MIXED.format("64 alike"),
        1: "64 alike: each weight is 1/64, and all of them are in the sum.",
    },
    "128 alike, above 1 %": {
        128: "128 alike: is 1/128 more than 1/100?",
        64: ALL_OR_NONE,
        100: ALL_OR_NONE,
    },
    "128 alike, span": {
        64: "128 alike: there are twice as many keys as before, with the same weight each.",
        0: "128 alike: the entropy has no threshold. Small weights are in the sum too.",
        math.log(128): ENTROPY.format("128 alike", "ln 128"),
        4.9: ROUNDED.format("128 alike", "ln 128"),
        7: BITS.format("128 alike"),
        1097: MIXED.format("128 alike"),
        math.exp(7): MIXED.format("128 alike"),
    },
    "half on one, above 1 %": {
        901: "half on one: 1/1800 is far below 1 %. How many keys are above it?",
        900: "half on one: the 900 have 1/1800 each, far below 1 %. Which key is above it?",
        0: "half on one: one key has half of all the weight.",
    },
    "half on one, span": {
        901: "half on one: all keys count, but not equally. Write H as ½ ln 2 + ½ ln 1800.",
        900: "half on one: the 900 have only half of the weight. Write H as ½ ln 2 + ½ ln 1800.",
        1800: "half on one: 1800 equal keys have this span. Here one key has half, so H is ½ ln 2 + ½ ln 1800.",
        30: "half on one: this is e^(½ ln 900). Each of the 900 has 1/1800, and the first key adds ½ ln 2.",
        2: "half on one: these are two *groups*. 900 keys share the second half, which adds ½ ln 1800, not ½ ln 2.",
        1: "half on one: the other half of the weight counts too, however small each share is.",
        math.log(3600) / 2: ENTROPY.format("half on one", "½ ln 2 + ½ ln 1800"),
        3600: "half on one: you forgot the two factors ½. e to the power of ½ ln 3600 is a root.",
        math.sqrt(1800): ROOT,
        42: ROOT,
        450: "half on one: this is ½ · 900, a mean of counts. H is the mean of the logarithms, ½ ln 2 + ½ ln 1800.",
        450.5: "half on one: this is ½ · 1 + ½ · 900, a mean of two counts. H is the mean of the logarithms, "
        "½ ln 2 + ½ ln 1800.",
        3.989: SQUARES.format("half on one"),  # 1 / (1/4 + 900/1800²) = 3.9956, and no 4
    },
    "halving, above 1 %": {
        7: "halving: 1/128 is less than 1/100.",
        5: "halving: 1/64 is still more than 1/100.",
        math.log2(100): "halving: k is below 6.64, and keys are whole. How many such k are there?",
        6.6: "halving: k is below 6.64, and keys are whole. How many such k are there?",
        math.inf: "halving: there are infinitely many keys, but soon each has less than 1 %.",
    },
    "halving, span": {
        3: SQUARES.format("halving"),
        1: "halving: a span of 1 is one key with all of the weight. Here the first key has half of it.",
        2: "halving: H = 2 ln 2, and e to the power of that is 2².",
        2 * math.log(2): ENTROPY.format("halving", "2 ln 2"),
        1.4: "halving: is this the entropy, 2 ln 2, rounded? The span is e to the power of it.",
        math.sqrt(2): "halving: √2 is e^(½ ln 2), from the first key only. H is the sum of all k · ln 2 / 2^k.",
        math.exp(2): "halving: this is e². The entropy is 2 ln 2, so the ln 2 is missing.",
        7: "halving: is this e², rounded? The entropy is 2 ln 2, and the span is e to the power of that.",
        7.4: "halving: this is e², rounded. The entropy is 2 ln 2, so the ln 2 is missing.",
        math.e: "halving: e itself would be the span of an entropy of 1. The entropy is ln 2 · Σ k/2^k.",
        math.inf: "halving: there is no last key, but the weights fall so fast that the sum is finite.",
    },
}


HINTS = [
    "For n equal keys, H = n · (1/n) · ln n = ln n, so e^H = n. For the threshold, ask whether 1/n is above 1/100.",
    "half on one: H = ½ ln 2 + 900 · ln(1800)/1800 = ½ ln 2 + ½ ln 1800 = ½ ln 3600.",
    "halving: the k-th weight is 1/2^k, and −ln of it is k · ln 2. So H = ln 2 · Σ k/2^k.",
]
