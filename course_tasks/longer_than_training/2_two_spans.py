r"""Two spans with a pencil · 12 minutes · ★★

How many keys does a query look at? Here are two measures: the **number of keys with more than 1 % of
the weight**, and the **effective span** $e^H$, with the entropy $H = -\sum_j w_j \ln w_j$. Work both out for four rows
of weights:

- `64 alike`: 64 keys with 1/64 each, and `128 alike`: 128 keys with 1/128 each (a text twice as long, and a query that
  still looks at all of it);
- `half on one`: 1/2 on one key, and the other half shared evenly by 900 keys, 1/1800 each;
- `halving`: 1/2, 1/4, 1/8, 1/16, … without end: a penalty of ln 2 for each step back.

All eight are whole numbers. For the last one: $\sum_k k/2^k = 2$ (k = 1, 2, 3, …).
"""

import math

WEIGHTS = {
    "64 alike": [1 / 64] * 64,
    "128 alike": [1 / 128] * 128,
    "half on one": [1 / 2] + [1 / 1800] * 900,
    "halving": [2.0**-k for k in range(1, 1000)],
}
ANSWER = {}
for name, weights in WEIGHTS.items():
    ANSWER[f"{name}, above 1 %"] = sum(w > 0.01 for w in weights)
    ANSWER[f"{name}, span"] = round(math.exp(-sum(w * math.log(w) for w in weights)))  # whole, all four
DIGITS = 2
ENTROPY = "This is the entropy. The span is e to the power of it."
BITS = "This is the entropy in bits. The span is 2 to the power of that."
MIXED = "This is e to the power of the entropy in bits. Take 2 to the power of them, or H with the logarithm ln."
SQUARES = "This is 1 / Σw², another measure of span. The effective span is e to the power of the entropy."
ALL_OR_NONE = "All keys have the same weight, so either each of them is above 1/100, or none is."
ROOT = "This is √1800. Is the ½ ln 2 of the first key missing, or have the others ln 900 in place of ln 1800?"
FOUR = "The entropy is about 4 here, and so is 1 / Σw². The span is e to the power of the entropy."
COUNTS = "These are counted keys. H is the mean of the logarithms, ½ ln 2 + ½ ln 1800."
WHOLE = "k is below 6.64, and keys are whole. How many such k are there?"
E_SQUARED = "This is e². The entropy is 2 ln 2, so the ln 2 is missing."
WRONG = {
    "64 alike, above 1 %": {
        0: "1/64 is more than 1/100, so these keys do count.",
        1: "Count the keys. Each of them has 1/64.",
    },
    "64 alike, span": {
        **{math.log(64): ENTROPY, 4.2: ENTROPY, 4: ENTROPY, 6: BITS, 403: MIXED, math.exp(6): MIXED},
        1: "Each weight is 1/64, and all of them are in the sum.",
    },
    "128 alike, above 1 %": {128: "Is 1/128 more than 1/100?", 64: ALL_OR_NONE, 100: ALL_OR_NONE, 1: ALL_OR_NONE},
    "128 alike, span": {
        **{math.log(128): ENTROPY, 4.9: ENTROPY, 5: ENTROPY, 7: BITS, 1097: MIXED, math.exp(7): MIXED},
        64: "There are twice as many keys as before, with the same weight each.",
        0: "The entropy has no threshold. Small weights are in the sum too.",
    },
    "half on one, above 1 %": {
        901: "1/1800 is far below 1 %. How many keys are above it?",
        900: "The 900 have 1/1800 each, far below 1 %. Which key is above it?",
        0: "One key has half of all the weight.",
    },
    "half on one, span": {
        **{math.log(3600) / 2: ENTROPY, math.sqrt(1800): ROOT, 42: ROOT, 3.989: SQUARES, 450: COUNTS},
        **{450.5: COUNTS, 451: COUNTS, 4: FOUR, math.log2(60): BITS, 6: BITS, 368: MIXED, 367.6: MIXED},
        901: "All keys count, but not equally. Write H as ½ ln 2 + ½ ln 1800.",
        900: "The 900 have only half of the weight. Write H as ½ ln 2 + ½ ln 1800.",
        1800: "1800 equal keys have this span. Here one key has half, so H is ½ ln 2 + ½ ln 1800.",
        30: "This is e^(½ ln 900). Each of the 900 has 1/1800, and the first key adds ½ ln 2.",
        2: "These are two *groups*. 900 keys share the second half, which adds ½ ln 1800, not ½ ln 2.",
        1: "The other half of the weight counts too, however small each share is.",
        3600: "You forgot the two factors ½. e to the power of ½ ln 3600 is a root.",
    },
    "halving, above 1 %": {
        7: "1/128 is less than 1/100.",
        5: "1/64 is still more than 1/100.",
        **{math.log2(100): WHOLE, 6.6: WHOLE},
        math.inf: "There are infinitely many keys, but soon each has less than 1 %.",
    },
    "halving, span": {
        **{3: SQUARES, 2 * math.log(2): ENTROPY, 1.4: ENTROPY, math.exp(2): E_SQUARED, 7: E_SQUARED, 7.4: E_SQUARED},
        1: "A span of 1 is one key with all of the weight. Here the first key has half of it.",
        2: "H = 2 ln 2, and e to the power of that is 2².",
        6: "This is how many keys have more than 1 %. The span is e to the power of H, and H is 2 ln 2.",
        math.sqrt(2): "√2 is e^(½ ln 2), from the first key only. H is the sum of all k · ln 2 / 2^k.",
        math.e: "e itself would be the span of an entropy of 1. The entropy is ln 2 · Σ k/2^k.",
        math.inf: "There is no last key, but the weights fall so fast that the sum is finite.",
    },
}
HINTS = [
    "For n equal keys, H = n · (1/n) · ln n = ln n, so e^H = n. For the threshold, ask whether 1/n is above 1/100.",
    "half on one: H = ½ ln 2 + 900 · ln(1800)/1800 = ½ ln 2 + ½ ln 1800 = ½ ln 3600.",
    "halving: the k-th weight is 1/2^k, and −ln of it is k · ln 2. So H = ln 2 · Σ k/2^k.",
]
