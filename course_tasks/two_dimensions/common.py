"""What the tasks of this chapter share: names for the patches of a window, and numbers that are easy to tell apart."""

import numpy as np

from course_lib.checking import Axis


def patches(height, width=None):
    """The axes (query, key) of a window, whose patches go by (row, column)."""
    names = [f"({row}, {column})" for row in range(height) for column in range(width or height)]
    return Axis("query", names), Axis("key", names)


def numbers(seed, *shape):
    """Numbers of two decimals, none of them twice in small arrays."""
    return np.random.default_rng(seed).normal(size=shape).round(2)
