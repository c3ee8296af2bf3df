"""Prediction: does the span end? · 6 minutes · ★★

The last query of n looks at all keys. The content is equal everywhere, so only the bias decides. Let n
grow without end. Does the effective span grow without end too (`"grows"`), or does it stay below some number
(`"bounded"`)?

- no bias;
- the log decay −λ · ln(1 + distance), with λ = 0.3, 1 and 2;
- a decoder's T5 table whose rows go down evenly from 0 to −5 (the last row serves every distance from 113 on);
- ALiBi with its smallest slope of eight heads, 1/256;
- −√distance;
- a window: −∞ from distance 64 on.

Before normalising, the weight of a key with the bias b is e^b. With the sum Z of these, H = ln Z − (Σ b e^b) / Z. Do
both sums converge, taken over all distances? (Where b falls like a power or faster, the second follows the first.)
"""

import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket

from ...shared import one_of_two

BIASES = {
    "no bias": lambda d: 0.0 * d,
    "log, 0.3": lambda d: decay_row(d, strength=0.3),
    "log, 1": lambda d: decay_row(d, strength=1.0),
    "log, 2": lambda d: decay_row(d, strength=2.0),
    "T5, far row −5": lambda d: np.linspace(0, -5, 32)[bucket(-d, bidirectional=False)],
    "ALiBi, 1/256": lambda d: decay_row(d, strength=1 / 256, decay="linear"),
    "square root, 1": lambda d: decay_row(d, strength=1.0, decay="square root"),
    "window of 64": lambda d: np.where(d < 64, 0.0, -np.inf),
}


def span(bias, n):
    """The effective span of the last of n queries, e to the power of the entropy of its weights."""
    weights = softmax(bias(np.arange(n)))
    weights = weights[weights > 0]
    return np.exp(-weights @ np.log(weights))


ANSWER = {name: "grows" if span(bias, 2**17) > 1.01 * span(bias, 2**13) else "bounded" for name, bias in BIASES.items()}
WHY = [  # what a wrong answer overlooks, in the same order
    "Without a bias every key has the weight 1/n, so the span is n itself.",
    "e to the power of the bias is 1/(1 + d)^0.3. Its sum over all d grows without end.",
    "e to the power of the bias is 1/(1 + d), so the sum is 1 + 1/2 + 1/3 + …. It grows like ln n, which is slow but "
    "without end.",
    "e to the power of the bias is 1/(1 + d)², and 1 + 1/4 + 1/9 + … converges to 1.645. So does the other sum. A log "
    "decay is bounded when λ > 1.",
    "All distances from 113 on share one row. With −5 each of these keys is small, e^−5 = 0.0067, but none is smaller "
    "than the one before, so enough of them outweigh all near keys.",
    "1/256 is a small slope, but each further step back multiplies by e^(−1/256) again, and such a sum converges. The "
    "span of this head is about 700 keys at most.",
    "e^(−√d) falls more slowly than with ALiBi, but faster than any power of d, so the sum converges.",
    "64 keys remain in the window, however long the text is.",
]
WRONG = one_of_two("grows", "bounded", ANSWER, WHY)
HINTS = [
    "A row of weights is e^bias divided by its sum. If that sum keeps growing with n, each near key's share goes to 0.",
    "e^(−λ ln(1 + d)) = (1 + d)^−λ, and the sum of these converges only for λ > 1.",
    "If a scheme gives the same bias to all far distances, then n far keys together get n times as much as one.",
]
