"""What the tasks of this chapter share: names for axes, the content of the five tokens, and random tables."""

import numpy as np

from ...example import TOKENS, K, Q
from ..engine import Axis

QUERY, KEY = Axis("query", TOKENS), Axis("key", TOKENS)
CONTENT = Q @ K.T  # of the five tokens, not scaled: T5 does not scale


def table(seed, heads, num_buckets=32):
    """A table whose entries are easy to tell apart."""
    return np.random.default_rng(seed).normal(size=(num_buckets, heads)).round(2)
