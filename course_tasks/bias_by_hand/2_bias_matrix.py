r"""The bias matrix · 8 minutes · ★

Build $B_{ij} = -\lambda \log(1 + |j - i|)$ for $n$ tokens, where `scale` is $\lambda$. You may use loops,
or a single line without any.
"""

import math

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.example import LAMBDA
from course_lib.reference.bias import decay_bias

from ..shared import KEY, QUERY
from .common import TOEPLITZ


def bias_matrix(n, scale):
    """Log-decay bias B[i, j] = -scale * log(1 + |j - i|), shape (n, n)."""
    # Queries go down and keys go across, so that every pair has an entry. Queries and keys are at 0, 1, …, n − 1.
    i, j = np.arange(n)[:, None], np.arange(n)
    # The bias is a penalty, so distant keys get negative numbers. The bias is −scale · log(1 + d), where d is the
    # distance. The distance is |j − i|, so it counts in both directions and is never negative. The offset is the
    # position of the key minus that of the query, j − i. The offset of a pair is j − i.
    return -scale * np.log1p(abs(j - i))


def expected(n, scale):
    return decay_bias(n, scale=scale)


CASES = [
    Case(5, LAMBDA, label="the five tokens", axes=(QUERY, KEY)),
    Case(1, LAMBDA, label="one token alone", axes=("query", "key")),
    Case(12, 1.0, label="twelve tokens, λ = 1", axes=("query", "key")),
    Case(4, 0.0, label="no bias, λ = 0", axes=("query", "key")),
]


def draw(rng):
    return (int(rng.integers(2, 9)), float(rng.uniform(0.1, 2)))


ALWAYS = [
    TOEPLITZ,
    holds(
        "The bias of a token for itself must be 0, because its distance is 0 and log(1 + 0) = 0.",
        lambda bias, *_: np.allclose(np.diagonal(bias), 0),
    ),
]


WRONG = """
return -scale * np.log1p(1 + abs(j - i))  # You add 1 twice, because `np.log1p(d)` is already log(1 + d).
return -scale * np.log(np.maximum(abs(j - i), 1))  # You take log(d), so the distances 0 and 1 cost the same. Add 1
# first: log(1 + d).
return -np.log1p(scale * abs(j - i))  # You put λ inside the logarithm. It multiplies the logarithm from outside.
return -scale * np.log1p(np.maximum(i - j, 0))  # Keys after the query have no penalty in your result. The distance |j
# − i| counts in both directions.
return -scale * np.log1p(np.maximum(j - i, 0))  # Keys before the query have no penalty in your result. The distance |j
# − i| counts in both directions.
return -scale * np.log1p((j - i) % n)  # Every row of yours is the one above, moved one step to the right, and what
# leaves it on the right comes back on the left. There, below the diagonal, the distance is i − j, so take |j − i|.
return -0.3 * np.log1p(abs(j - i))  # You use λ = 0.3 in every case. Use the argument `scale`.
"""


HINTS = [
    "Start with one entry: what is B[2, 4] for scale 0.3? The distance is 2.",
    "`np.log1p(d)` is log(1 + d). Fill an (n, n) array in two loops.",
    "Without loops: subtract a column of queries, `np.arange(n)[:, None]`, from a row of keys, `np.arange(n)`.",
]


def right_in_one_line(n, scale):
    return [[-scale * math.log(1 + abs(j - i)) for j in range(n)] for i in range(n)]


def right_in_another_way(n, scale):
    return -scale * np.log(1 + abs(np.subtract.outer(np.arange(n), np.arange(n))))
