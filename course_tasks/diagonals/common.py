"""What the tasks of this topic share: labels instead of numbers, a table for the five tokens, names for axes."""

import numpy as np

from course_lib.checking import Axis
from course_lib.example import TOKENS
from course_lib.reference.grid import row_offsets

LAST, LAST_TWO = Axis("query", TOKENS[4:]), Axis("query", TOKENS[3:])


def labels(n_q, width):
    """A number that tells its place: ten times the query, counted from 1, plus the column, all divided by ten."""
    return (10.0 * (1 + np.arange(n_q))[:, None] + np.arange(width)) / 10


def example_table(m):
    """Vectors for the offsets −(m − 1) … m − 1, all different and easy to check by hand."""
    o = np.arange(1 - m, m)
    return np.stack([o, np.ones(len(o)), o % 2, o * o / 2], axis=1) / 10


def offset_axis(n_q, n_k, past=0):
    """The axis of offsets, with a name for each index."""
    return Axis("offset", [f"{o:+d}" if o else "0" for o in row_offsets(n_q, n_k, past)])
