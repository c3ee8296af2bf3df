"""What the tasks of this topic share: the content of the five tokens, and random tables."""

import numpy as np

from course_lib.example import K, Q

CONTENT = Q @ K.T  # of the five tokens, not scaled, because T5 does not scale


def table(seed, heads, num_buckets=32):
    """A table whose entries are easy to tell apart."""
    return np.random.default_rng(seed).normal(size=(num_buckets, heads)).round(2)
