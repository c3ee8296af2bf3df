r"""What the softmax takes away · 6 minutes · ★★

ALiBi adds $-m\,(i - j)$ to the score of query $i$ and key $j$. Other code adds something else. For each
of these say `True` if it gives the same attention weights as $-m\,(i - j)$ *under the same mask*, and `False` if not.
The slope $m$ is not 0, and there are $n = 5$ tokens with $d = 4$.

- `m·j`, as in BLOOM, under a causal mask;
- `m·(j − (n − 1))`, as in MPT, under a causal mask;
- `−m·|i − j|`, the symmetric form, under a causal mask;
- `m·i`, under a causal mask;
- `−m·(i − j)` divided by $\sqrt d$ together with the score, as in Falcon-RW, under a causal mask;
- `m·j` without any mask;
- `−m·|i − j|` without any mask.

A pencil is enough. Subtract $-m\,(i - j)$ from each bias, and ask whether a row of the rest is constant.
"""

import numpy as np

from course_lib.reference.attention import causal_mask, softmax

from ..shared import SCORES

KEY_FORM, LAST, SYMMETRIC = "m·j, causal", "m·(j − (n − 1)), causal", "−m·|i − j|, causal"


QUERY_ONLY, SCALED = "m·i, causal", "−m·(i − j) inside the scaling, causal"


KEY_FORM_OPEN, SYMMETRIC_OPEN = "m·j, no mask", "−m·|i − j|, no mask"


def answer():
    """Whether each bias gives the weights of −m (i − j), for the five tokens with m = 1/2."""
    n, m = len(SCORES), 0.5
    i, j = np.arange(n)[:, None], np.arange(n)
    paper = -m * (i - j)

    def same(bias, mask):
        ours, theirs = (softmax(np.where(mask, SCORES + b, -np.inf)) for b in (bias, paper))
        return bool(np.allclose(ours, theirs))

    causal, no_mask = causal_mask(n), np.ones((n, n), bool)
    return {
        KEY_FORM: same(m * j + 0 * i, causal),
        LAST: same(m * (j - (n - 1)) + 0 * i, causal),
        SYMMETRIC: same(-m * abs(i - j), causal),
        QUERY_ONLY: same(m * i + 0 * j, causal),
        SCALED: same(paper / 2, causal),  # √d = 2
        KEY_FORM_OPEN: same(m * j + 0 * i, no_mask),
        SYMMETRIC_OPEN: same(-m * abs(i - j), no_mask),
    }


ANSWER = answer()


WRONG = {
    KEY_FORM: {
        False: (
            "m·j and −m·(i − j) differ by m·i, which is the same for all keys of a query. What does the softmax do "
            "with it?"
        )
    },
    LAST: {
        False: ("m·(j − (n − 1)) differs from m·j by a constant. The softmax takes away whatever is the same in a row.")
    },
    SYMMETRIC: {
        False: "The two differ only for keys after the query. Which keys does a causal mask leave?",
    },
    QUERY_ONLY: {
        True: (
            "m·i is the same for all keys of a query, so the softmax takes away all of it. Nothing of the distance "
            "is left."
        ),
    },
    SCALED: {
        True: "Dividing the bias by √d divides the slope by √d, so the penalty is only half as steep here.",
    },
    KEY_FORM_OPEN: {
        False: (
            "The softmax takes away m·i with any mask. Both forms give the same weights, but without a mask they "
            "favour the end of the text."
        )
    },
    SYMMETRIC_OPEN: {
        True: "Without a mask, keys after the query count too. −m·(i − j) rewards them, and −m·|i − j| does not.",
    },
}


HINTS = [
    "The softmax divides out whatever is the same for all keys of one query.",
    "m·j − (−m·(i − j)) = m·i. Does this depend on the key?",
    "Under a causal mask only keys with j ≤ i count. There |i − j| is i − j.",
]
