r"""Prediction: what a repair does to a short text · 8 minutes · ★★

The five tokens are read by a head with four channels: its two pairs rotate by 1 and by 0.01 radians per
position. It was trained on 128 tokens. Now it gets a repair for $s = 8$, but it still reads only the five tokens. Does
the repair change their scores? Predict `"same"` or `"changes"` in each line. "One word back" means the scores of each
query with the key of the word before it, and "a token and itself" those with the key of its own token. "By parts" has
$\alpha = 1$ and $\beta = 4$.

*LongRoPE* here is as in `transformers`: its own factor $\sqrt{1 + \ln s / \ln L}$ multiplies cos and sin at every
length.
"""

import numpy as np

from course_lib.example import K, Q
from course_lib.reference import speeds as rules
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate

from ...shared import one_of_two

LENGTH, S = 128, 8
THETA = frequencies(4)


def tell(offset, speeds, factor=1.0):
    """Whether a repair changes the scores at an offset, in a word."""
    before, now = (
        np.diagonal(scores(rotate(Q, speeds=x, factor=f), rotate(K, speeds=x, factor=f)), offset)
        for x, f in ((THETA, 1.0), (speeds, factor))
    )
    return "same" if np.allclose(now, before, atol=1e-9) else "changes"


PARTS = rules.by_parts(THETA, S, LENGTH, low=1, high=4)
SHORT = rules.longrope(THETA, 5, LENGTH, short=[1, 1], long=[1, S])
ANSWER = {
    "interpolation, one word back": tell(-1, rules.interpolated(THETA, S)),
    "interpolation, a token and itself": tell(0, rules.interpolated(THETA, S)),
    "NTK, one word back": tell(-1, rules.ntk(THETA, S)),
    "dynamic NTK, one word back": tell(-1, rules.dynamic_ntk(THETA, 5, LENGTH)),
    "by parts with YaRN's factor, a token and itself": tell(0, PARTS, rules.yarn_factor(S)),
    "LongRoPE, short factors all 1, one word back": tell(-1, SHORT, rules.longrope_factor(S, LENGTH)),
    "factors 1 and 1, no other factor, one word back": tell(-1, rules.by_factors(THETA, [1, 1])),
}
WHY = [  # what a wrong answer overlooks, in the same order
    "Every pair rotates more slowly, so one step back turns the key by an eighth of the angle.",
    "Query and key are rotated by the same angle, at any speed, so the angle between them stays as it was.",
    "NTK keeps pair 0 only. Pair 1 is the last one here and is divided by 8. The change is small.",
    "It reads the length. Five tokens are fewer than 128, so nothing is changed.",
    "The angle is 0, but the factor multiplies query and key, so even this score is multiplied by its square.",
    "The speeds stay. But at every length cos and sin are multiplied by a factor above 1, and a score by its square.",
    "Divided by 1, the speeds are what they were, and nothing else is changed.",
]
WRONG = one_of_two("same", "changes", ANSWER, WHY)
HINTS = [
    "A score depends on the angle between query and key, and on their lengths.",
    "At offset 0 the angle is 0 at any speed. Only a factor can change that score.",
    "Two of these seven leave the speeds and the lengths alone, and one more is at offset 0.",
]
