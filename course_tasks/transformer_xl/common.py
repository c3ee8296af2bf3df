"""What the tasks of this topic share: names for the axes, the five tokens' vectors, and who sees whom."""

import numpy as np

from course_lib.checking import Axis
from course_lib.example import TOKENS
from course_lib.reference.attention import causal_mask
from course_lib.reference.transformer_xl import position_keys

from ..shared import KEY, QUERY, normal

LAST_TWO = Axis("query", TOKENS[3:])
U, V = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.5, 1.0, 0.0, 0.0])  # as in the lesson
W_R = np.eye(6, 4)

__all__ = ["KEY", "LAST_TWO", "QUERY", "U", "V", "normal", "vectors", "windows"]


def vectors(n_q, n_k, past=0):
    """r of the lesson for every offset, (n_q + n_k − 1, 4)."""
    return position_keys(n_q, n_k, W_R, past=past)


def windows(n, size, length):
    """Which keys each query sees: from `length` tokens before its segment up to itself."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return causal_mask(n) & (j >= i // size * size - length)
