"""What the tasks of this chapter share: names for the axes of the five tokens, and a helper for random cases."""

import numpy as np

from ...example import TOKENS, K, Q
from ...reference.attention import scores
from ..engine import Axis

QUERY, KEY = Axis("query", TOKENS), Axis("key", TOKENS)
SCORES = scores(Q, K)  # of the five tokens, scaled


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)


def is_toeplitz(result, *_):
    """Whether all pairs at the same offset have the same value."""
    return np.allclose(np.asarray(result)[1:, 1:], np.asarray(result)[:-1, :-1], equal_nan=True)
