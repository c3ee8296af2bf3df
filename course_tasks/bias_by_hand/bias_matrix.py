"""The bias matrix."""

import math

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.example import LAMBDA
from course_lib.reference.bias import decay_bias

from ..shared import KEY, QUERY
from .common import PENALTY, TOEPLITZ


def _bias_matrix(n, scale):
    """Log-decay bias B[i, j] = -scale * log(1 + |j - i|), shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -scale * np.log1p(abs(j - i))


bias_matrix = CodingTask(
    title="The bias matrix",
    minutes=8,
    difficulty=1,
    words=r"""Build $B_{ij} = -\lambda \log(1 + |j - i|)$ for $n$ tokens, where `scale` is $\lambda$. You may use loops,
or a single line without any.""",
    solution=_bias_matrix,
    expected=lambda n, scale: decay_bias(n, scale=scale),
    cases=[
        Case(5, LAMBDA, label="the five tokens", axes=(QUERY, KEY)),
        Case(1, LAMBDA, label="one token alone", axes=("query", "key")),
        Case(12, 1.0, label="twelve tokens, λ = 1", axes=("query", "key")),
        Case(4, 0.0, label="no bias, λ = 0", axes=("query", "key")),
    ],
    draw=lambda rng: (int(rng.integers(2, 9)), float(rng.uniform(0.1, 2))),
    properties=[
        TOEPLITZ,
        Property(
            "own bias is 0",
            lambda bias, *_: np.allclose(np.diagonal(bias), 0),
            "The bias of a token for itself must be 0, because its distance is 0 and log(1 + 0) = 0.",
        ),
    ],
    pieces="""
np.arange(n)[:, None]
    the column of queries: Queries go down and keys go across, so that every pair has an entry.
np.arange(n)
    the list of positions: Queries and keys are at 0, 1, …, n − 1.
"""
    + PENALTY,
    slips="""
np.log1p(abs(j - i)) → np.log1p(1 + abs(j - i))
    You add 1 twice, because `np.log1p(d)` is already log(1 + d).
np.log1p(abs(j - i)) → np.log(np.maximum(abs(j - i), 1))
    You take log(d), so the distances 0 and 1 cost the same. Add 1 first: log(1 + d).
-scale * np.log1p(abs(j - i)) → -np.log1p(scale * abs(j - i))
    You put λ inside the logarithm. It multiplies the logarithm from outside.
abs(j - i) → np.maximum(i - j, 0)
    Keys after the query have no penalty in your result. The distance |j − i| counts in both directions.
abs(j - i) → np.maximum(j - i, 0)
    Keys before the query have no penalty in your result. The distance |j − i| counts in both directions.
abs(j - i) → (j - i) % n
    Every row of yours is the one above, moved one step to the right, and what leaves it on the right comes back on the
    left. There, below the diagonal, the distance is i − j, so take |j − i|.
-scale * → -0.3 *
    You use λ = 0.3 in every case. Use the argument `scale`.
""",
    alternatives=[
        lambda n, scale: [[-scale * math.log(1 + abs(j - i)) for j in range(n)] for i in range(n)],
        lambda n, scale: -scale * np.log(1 + abs(np.subtract.outer(np.arange(n), np.arange(n)))),
    ],
    hints=[
        "Start with one entry: what is B[2, 4] for scale 0.3? The distance is 2.",
        "`np.log1p(d)` is log(1 + d). Fill an (n, n) array in two loops.",
        "Without loops: subtract a column of queries, `np.arange(n)[:, None]`, from a row of keys, `np.arange(n)`.",
    ],
)
