r"""Prediction: what a repair does to a short text · 8 minutes · ★★

The five tokens are read by a head with four channels: its two pairs rotate by 1 and by 0.01 radians per
position. It was trained on 128 tokens. Now it gets a repair for $s = 8$, but it still reads only the five tokens. Does
the repair change their scores? Commit to `"same"` or `"changes"` in each line. "One word back" means the scores of each
query with the key of the word before it, and "a token and itself" those with the key of its own token. "By parts" has
$\alpha = 1$ and $\beta = 4$.

*LongRoPE* here is as in `transformers`: its own factor $\sqrt{1 + \ln s / \ln L}$ multiplies cos and sin at every
length.
"""

import numpy as np

from course_lib.example import K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import (
    by_factors,
    by_parts,
    dynamic_ntk,
    interpolated,
    longrope,
    longrope_factor,
    ntk,
    yarn_factor,
)

LENGTH, S = 128, 8


def _scores(speeds, factor=1.0):
    return scores(rotate(Q, speeds=speeds, factor=factor), rotate(K, speeds=speeds, factor=factor))


def answer():
    theta = frequencies(4)
    before = _scores(theta)
    parts = by_parts(theta, S, LENGTH, low=1, high=4)
    after = {
        "interpolation, one word back": (_scores(interpolated(theta, S)), -1),
        "interpolation, a token and itself": (_scores(interpolated(theta, S)), 0),
        "NTK, one word back": (_scores(ntk(theta, S)), -1),
        "dynamic NTK, one word back": (_scores(dynamic_ntk(theta, 5, LENGTH)), -1),
        "by parts with YaRN's factor, a token and itself": (_scores(parts, yarn_factor(S)), 0),
        "LongRoPE, short factors all 1, one word back": (
            _scores(longrope(theta, 5, LENGTH, short=[1, 1], long=[1, S]), longrope_factor(S, LENGTH)),
            -1,
        ),
        "factors 1 and 1, no other factor, one word back": (_scores(by_factors(theta, [1, 1])), -1),
    }
    same = {
        name: np.allclose(np.diagonal(now, offset), np.diagonal(before, offset), atol=1e-9)
        for name, (now, offset) in after.items()
    }
    return {name: "same" if stays else "changes" for name, stays in same.items()}


ANSWER = answer()


WRONG = {
    "interpolation, one word back": {
        "same": "Every pair rotates more slowly, so one step back turns the key by an eighth of the angle.",
    },
    "interpolation, a token and itself": {
        "changes": "Query and key are rotated by the same angle, so the angle between them is 0 at any speed.",
    },
    "NTK, one word back": {
        "same": "NTK keeps pair 0 only. Pair 1 is the last one here and is divided by 8. The change is small.",
    },
    "dynamic NTK, one word back": {
        "changes": "It reads the length. Five tokens are fewer than 128, so nothing is changed.",
    },
    "by parts with YaRN's factor, a token and itself": {
        "same": "The angle is 0, but the factor multiplies query and key, so even this score grows by its square.",
    },
    "LongRoPE, short factors all 1, one word back": {
        "same": "The speeds stay. But the factor on cos and sin is above 1 at every length, so the scores grow.",
    },
    "factors 1 and 1, no other factor, one word back": {
        "changes": "Divided by 1, the speeds are what they were, and nothing else is changed.",
    },
}


HINTS = [
    "A score depends on the angle between query and key, and on their lengths.",
    "At offset 0 the angle is 0 at any speed. Only a factor can change that score.",
    "Two of these seven leave the speeds and the lengths alone, and one more is at offset 0.",
]
