r"""Two tiles with a pencil · 8 minutes · ★ · first

One query meets four keys in two tiles. Since $e^{\ln x} = x$, a pencil is enough for these scores:

| | tile one | | tile two | |
|---|---|---|---|---|
| score | ln 2 | ln 1 = 0 | ln 4 | ln 2 |
| value | 4 | 0 | 2 | 8 |

In every exponential, subtract the largest score *seen so far*. How large is the sum of exponentials after tile one?
When tile two arrives, by which factor must this sum shrink, and with it the mixture (the sum of exponential times
value)? How large are sum and mixture after tile two, and what is the output? Give three decimals.
"""

import math

import numpy as np

from course_lib.reference.attention import softmax

SCORES, VALUES = np.log([2.0, 1.0, 4.0, 2.0]), np.array([4.0, 0.0, 2.0, 8.0])
FIRST, ALL = (np.exp(s - s.max()) for s in (SCORES[:2], SCORES))  # each time as if the text ended there
ANSWER = {
    "sum after tile one": float(FIRST.sum()),
    "shrink factor": float(np.exp(SCORES[:2].max() - SCORES.max())),
    "sum after tile two": float(ALL.sum()),
    "mixture after tile two": float(ALL @ VALUES),
    "output": float(softmax(SCORES) @ VALUES),
}
WRONG = {
    "sum after tile one": {
        3.0: "This is e^{ln 2} + e^0. Subtract the largest score, ln 2, first; then the largest contributes e⁰ = 1.",
        0.75: "You subtracted ln 4, but this score has not been seen after tile one.",
        1.0: "This is the contribution of the largest score alone. The other key of tile one adds e^{0 − ln 2}.",
        2.0: "The two scores differ, so only the larger one contributes e⁰ = 1.",
    },
    "shrink factor": {
        2.0: "This is the inverse. The old sum must become *smaller* when a larger score arrives: e^{old − new}.",
        1.0: "A factor of 1 would mean that tile two brings no larger score. It brings ln 4.",
        0.25: "This is e^{0 − ln 4}. The factor compares the two largest scores, ln 2 and ln 4.",
        math.log(2): "This is the difference of the largest scores. The factor is e to the power of minus that.",
        -math.log(2): "This is the exponent, old largest − new largest. Take e to the power of it.",
        0.75: "This is the shrunk *sum*, 1.5 times the factor. You need the factor alone.",
    },
    "sum after tile two": {
        3.0: "You did not shrink the first sum. It was measured from ln 2, and the rest is measured from ln 4.",
        1.5: "This is the sum of tile two alone. Add the shrunk sum of tile one.",
        9.0: "This is the sum of e^{score}. Subtract the largest score, ln 4, in each exponent.",
        4.5: "You doubled the first sum. It must be halved.",
        0.75: "This is the shrunk sum of tile one. Add the exponentials of tile two.",
    },
    "mixture after tile two": {
        10.0: "You did not shrink the mixture of tile one, 4. It shrinks by the same factor as the sum.",
        6.0: "This is the mixture of tile two alone. Add the shrunk mixture of tile one.",
        14.0: "This is the sum of all four values. Multiply each value by its exponential first.",
        32.0: "You used e^{score}. Subtract ln 4 in each exponent.",
        2.0: "This is the shrunk mixture of tile one. Add that of tile two.",
        22 / 3: "You shrank the *output* of tile one, 8/3. Shrink its mixture, 4, which is divided only at the end.",
        32 / 9: "This is the output. The mixture is not divided yet.",
    },
    "output": {
        8.0: "This is the mixture. Divide it by the sum, once, at the end.",
        3.5: "This is the plain mean of the values. Larger scores should count for more.",
        10 / 3: "This is the mean of the outputs of the two tiles. Divide the mixture of both by the sum of both.",
        20 / 3: "You added the outputs of the tiles, 8/3 + 4. Add mixtures and sums instead, and divide once.",
        4.0: "This is the output of tile two alone, 6/1.5. Tile one counts as well.",
    },
}
HINTS = [
    "In tile one the largest score is ln 2. The exponentials are e^{ln 2 − ln 2} = 1 and e^{0 − ln 2} = 1/2.",
    "The factor is e to the power of (old largest − new largest), here ln 2 − ln 4 = −ln 2.",
    "In tile two the exponentials are 1 and 1/2. Add the shrunk sum to theirs. Do the same with each times its value.",
]
