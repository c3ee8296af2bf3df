"""What the tasks of this topic share."""

import numpy as np


def labels(n_q, width):
    """A number that tells its place: ten times the query, counted from 1, plus the column, all divided by ten."""
    return (10.0 * (1 + np.arange(n_q))[:, None] + np.arange(width)) / 10
