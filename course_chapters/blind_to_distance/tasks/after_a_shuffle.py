r"""Prove or refute: attention is permutation invariant · 8 minutes · ★★

Self-attention without positions reads tokens that are all different. The tokens are shuffled, into any
order. Write for each line what happens to its result, in one of three words: `"invariant"` (it always stays as it
was), `"equivariant"` (it always has the old rows in the new order of the tokens) or `"neither"`.

In the first three lines and in the last one, queries, keys and values are shuffled together. The *first output row* is
the row of whichever token comes first. Decide each line with the one-line proof before you try it out.
"""

from itertools import permutations

import numpy as np

from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, causal_mask

EVERY_ORDER = [list(order) for order in permutations(range(5))]


def kind(result):
    """What permuting the tokens does to a result: `result(order)` is what comes out when they are in that order."""
    plain = result(list(range(5)))
    outcomes = [(order, result(order)) for order in EVERY_ORDER]
    if all(np.allclose(after, plain) for _, after in outcomes):
        return "invariant"
    fits = all(after.shape == plain.shape and len(after) == 5 for _, after in outcomes)
    return "equivariant" if fits and all(np.allclose(after, plain[order]) for order, after in outcomes) else "neither"


def outputs(order, which="qkv", mask=None):
    """The outputs when some of queries, keys and values are put into another order."""
    q, k, v = (x[order] if name in which else x for name, x in (("q", Q), ("k", K), ("v", V)))
    return attention(q, k, v, mask=mask)[0]


ANSWER = {
    "all outputs": kind(outputs),
    "their mean": kind(lambda order: outputs(order).mean(axis=0)),
    "the first output row": kind(lambda order: outputs(order)[:1]),
    "all outputs, keys and values shuffled only": kind(lambda order: outputs(order, "kv")),
    "all outputs, keys shuffled only": kind(lambda order: outputs(order, "k")),
    "all outputs under a causal mask": kind(lambda order: outputs(order, mask=causal_mask(5))),
}
WRONG = {
    "all outputs": {
        "invariant": "Row 0 belongs to the token that comes first. After the shuffle that is another token.",
        "neither": "Each token gives the same weights to the same keys as before. Where is its row now?",
    },
    "their mean": {
        "equivariant": "A mean is a single row, so there is nothing in it to reorder.",
        "neither": "The mean is made of the same five rows in another order. Does a mean depend on the order?",
    },
    "the first output row": {
        "invariant": "Another token may come first, and then the first row is the row of that token.",
        "equivariant": "This is a single row. The row of another token replaces it, and nothing is reordered.",
    },
    "all outputs, keys and values shuffled only": {
        "equivariant": "The rows of the output belong to the queries, and those stay where they are.",
        "neither": "Each query still sums over the same pairs of key and value. Does a sum depend on the order?",
    },
    "all outputs, keys shuffled only": {
        "invariant": "The weights move along with the keys, but the values do not. So each gets another key's weight.",
        "equivariant": "The rows belong to the queries, which do not move. And each value gets another key's weight.",
    },
    "all outputs under a causal mask": {
        "equivariant": "The mask does not move when the tokens do. The token that comes first sees only itself.",
        "invariant": "Row 0 belongs to another token after the shuffle. With a mask, the tokens also see other keys.",
    },
}
HINTS = [
    "Go back to softmax(PQ(PK)ᵀ)PV and leave out each P that a line does not shuffle.",
    "With keys and values only: softmax(QKᵀPᵀ)PV = softmax(QKᵀ)PᵀPV.",
    "Try `order = [3, 0, 4, 1, 2]`: compare `softmax(Q @ K[order].T / 2) @ V` with `softmax(Q @ K.T / 2) @ V`.",
]
