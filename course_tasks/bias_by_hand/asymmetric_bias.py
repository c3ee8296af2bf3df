"""A bias with a direction."""

import math

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.reference.bias import decay_bias

from ..shared import KEY, QUERY
from .common import PENALTY, TOEPLITZ


def _asymmetric_bias(n, past_scale, future_scale):
    """Log decay with a scale for keys before the query (j < i) and another for keys after it (j > i), shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    scale = np.where(j > i, future_scale, past_scale)
    return -scale * np.log1p(abs(j - i))


asymmetric_bias = CodingTask(
    title="A bias with a direction",
    minutes=8,
    difficulty=2,
    words=r"""A symmetric bias cannot tell *before* from *after*. Give the past ($j < i$) and the future ($j > i$) a
scale each. The bias of a token for itself is still 0. Then look at your matrix: its diagonals are constant, so it is
still one number per offset.""",
    solution=_asymmetric_bias,
    expected=lambda n, past_scale, future_scale: decay_bias(n, scale=past_scale, forward_scale=future_scale),
    cases=[
        Case(5, 0.1, 0.6, label="the five tokens, past 0.1, future 0.6", axes=(QUERY, KEY)),
        Case(5, 0.6, 0.1, label="the five tokens, past 0.6, future 0.1", axes=(QUERY, KEY)),
        Case(1, 0.1, 0.6, label="one token alone", axes=("query", "key")),
        Case(7, 0.3, 0.3, label="the same scale on both sides", axes=("query", "key")),
    ],
    draw=lambda rng: (int(rng.integers(2, 9)), float(rng.uniform(0, 2)), float(rng.uniform(0, 2))),
    properties=[TOEPLITZ],
    pieces="""
future_scale
    the scale of the future: Keys after the query (j > i) have `future_scale`.
past_scale
    the scale of the past: Keys before the query (j < i) have `past_scale`.
np.arange(n)[:, None]
    the column of queries: Queries go down and keys go across, so that every pair has an entry.
np.arange(n)
    the list of positions: Queries and keys are at 0, 1, …, n − 1.
"""
    + PENALTY,
    slips="""
j > i → j < i
    You swapped past and future. A key is in the past where j < i, below the diagonal.
np.where(j > i, future_scale, past_scale) → (past_scale + future_scale) / 2
    Both sides have the mean of the two scales, so your bias is still symmetric.
np.where(j > i, future_scale, past_scale) → (past_scale + future_scale)
    You add the two scales. Each side has its own: `past_scale` where j < i, `future_scale` where j > i.
np.where(j > i, future_scale, past_scale) → np.where(j > i, 0, past_scale)
    The future has no penalty in your result. Its scale is `future_scale`. Only a mask would hide it.
np.where(j > i, future_scale, past_scale) → np.where(j > i, future_scale, 0)
    The past has no penalty in your result. Its scale is `past_scale`.
np.where(j > i, future_scale, past_scale) → np.where(j > i, np.inf, past_scale)
    The future has the bias −∞, so it is hidden. A bias penalises, and only a mask hides.
-scale * np.log1p(abs(j - i)) → -np.log1p(scale * abs(j - i))
    You put the scale inside the logarithm. It multiplies the logarithm from outside.
np.log1p(abs(j - i)) → np.log(np.maximum(abs(j - i), 1))
    You take the logarithm of the distance, so one step costs nothing. Add 1 first: log(1 + distance).
-scale * np.log1p(abs(j - i)) → -past_scale * (j < i) * np.log1p(i - j) - future_scale * (j > i) * np.log1p(j - i)
    Both halves of yours are nan. Does each half take log(1 + d) of a signed d, and is it multiplied by 0 where d is
    negative? There the logarithm is −∞ or nan, and 0 times either is nan. Take |j − i|, which is never negative.
abs(j - i) → np.where(j < i, j + 1, j - i)
    In the past half your distances run the wrong way. The key just before the query is at distance 1, and the first
    token is the farthest.
""",
    alternatives=[
        lambda n, a, b: np.tril(decay_bias(n, scale=a)) + np.triu(decay_bias(n, scale=b)),
        lambda n, a, b: [[-(b if j > i else a) * math.log(1 + abs(j - i)) for j in range(n)] for i in range(n)],
    ],
    hints=[
        "Keys in the past are below the diagonal, keys in the future above it.",
        "`np.where(j > i, future_scale, past_scale)` is a whole matrix of scales.",
    ],
)
