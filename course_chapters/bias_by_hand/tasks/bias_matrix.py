r"""The bias matrix · 8 minutes · ★ · first

Build $B_{ij} = -\lambda \log(1 + |j - i|)$ for $n$ tokens, where `strength` is $\lambda$. You may use loops,
or a single line without any.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import LAMBDA
from course_lib.reference.bias import decay_bias

from ...shared import KEY, QUERY, bfloat16  # noqa: F401 (wrong lines use bfloat16)


def bias_matrix(n, strength):
    """Log-decay bias B[i, j] = -strength * log(1 + |j - i|), shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)  # Queries go down and keys go across, both from 0 to n − 1.
    distance = abs(j - i)  # The distance is |j − i|, so it counts in both directions and is never negative.
    return -strength * np.log1p(distance)  # The bias is a penalty, −λ · log(1 + distance), so far keys get less.


def expected(n, strength):
    return decay_bias(n, strength=strength)


CASES = [
    Case(5, LAMBDA, label="the five tokens", axes=(QUERY, KEY)),
    Case(1, LAMBDA, label="one token alone"),
    Case(12, 1.0, label="twelve tokens, λ = 1"),
    Case(4, 0.0, label="no bias, λ = 0"),
    Case(300, 0.5, label="300 tokens"),
]


def draw(rng):
    return int(rng.integers(2, 9)), float(rng.uniform(0.1, 2))


WRONG = """
return -strength * np.log1p(1 + distance)  # You take log(2 + d). It must be log(1 + d), and
# `np.log1p(d)` adds the 1 itself.
return -strength * np.log(distance)
return -strength * np.log(np.maximum(distance, 1))  # You take log d. Add 1 to d first, or a neighbour
# costs nothing.
return -strength * distance  # You use the distance as it is. The penalty grows with its logarithm, log(1 + d).
return -strength * np.sqrt(distance)  # You take the root of the distance. The penalty grows with log(1 + d).
return -np.log1p(strength * distance)  # You put λ inside the logarithm. It multiplies the logarithm from outside.
distance = np.maximum(i - j, 0)  # For keys after the query, your distance is 0. |j − i| counts both ways.
distance = np.maximum(j - i, 0)  # For keys before the query, your distance is 0. |j − i| counts both ways.
distance = abs(j - i) * (abs(j - i) < n - 1)  # The two corners, at distance n − 1, are 0. Fill them as well.
distance = bfloat16(abs(j - i))  # Your distances are in bfloat16, which has eight bits. Beyond 256 it rounds them.
distance = i + j  # You add the two positions. The distance is their difference, |j − i|.
distance = (j - i) % n  # What leaves your rows on the right comes back on the left. There the distance is i − j.
distance = np.minimum(abs(j - i), n - abs(j - i))  # You count round a circle, in which the ends of the text are near
# each other. The distance is |j − i|.
"""
HINTS = [
    "Start with one entry: what is B[2, 4] for strength 0.3? The distance is 2.",
    "`np.log1p(d)` is log(1 + d). Fill an (n, n) array in two loops.",
    "Without loops: subtract a column of queries, `np.arange(n)[:, None]`, from a row of keys, `np.arange(n)`.",
]
