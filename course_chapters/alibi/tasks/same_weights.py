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

from ...shared import SCORES, one_of_two

m, n = 0.5, len(SCORES)
i, j = np.indices((n, n))
PAPER = -m * (i - j)
CAUSAL, OPEN = causal_mask(n), np.ones((n, n), bool)
BIASES = {
    "m·j, causal": (m * j, CAUSAL),
    "m·(j − (n − 1)), causal": (m * (j - (n - 1)), CAUSAL),
    "−m·|i − j|, causal": (-m * abs(i - j), CAUSAL),
    "m·i, causal": (m * i, CAUSAL),
    "−m·(i − j) inside the scaling, causal": (PAPER / 2, CAUSAL),  # √d = 2
    "m·j, no mask": (m * j, OPEN),
    "−m·|i − j|, no mask": (-m * abs(i - j), OPEN),
}


def weights(bias, mask):
    return softmax(np.where(mask, SCORES + bias, -np.inf))


ANSWER = {name: np.allclose(weights(bias, mask), weights(PAPER, mask)) for name, (bias, mask) in BIASES.items()}

WHY = [  # what a wrong answer overlooks, in the same order
    "m·j and −m·(i − j) differ by m·i, which is the same for all keys of a query. What does the softmax do with it?",
    "m·(j − (n − 1)) differs from m·j by a constant. The softmax takes away whatever is the same in a row.",
    "The two differ only for keys after the query. Which keys does a causal mask leave?",
    "m·i is the same for all keys of a query, so the softmax takes away all of it. Nothing of the distance is left.",
    "Dividing the bias by √d divides the slope by √d, so the penalty is only half as steep here.",
    "The softmax takes away m·i with any mask. Both forms give the same weights, but they favour the end of the text.",
    "Without a mask, keys after the query count too. −m·(i − j) rewards them, and −m·|i − j| does not.",
]
WRONG = one_of_two(True, False, ANSWER, WHY)

HINTS = [
    "The softmax divides out whatever is the same for all keys of one query.",
    "m·j − (−m·(i − j)) = m·i. Does this depend on the key?",
    "Under a causal mask only keys with j ≤ i count. There |i − j| is i − j.",
]
