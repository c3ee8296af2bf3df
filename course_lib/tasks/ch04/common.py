"""What the tasks of this chapter share: names for axes, labels instead of numbers, random cases."""

import numpy as np

from ...example import TOKENS
from ...reference.grid import row_offsets
from ..engine import Axis

QUERY, KEY = Axis("query", TOKENS), Axis("key", TOKENS)


def labels(n_q, width):
    """A number for each place that tells where it is: ten times the query (from 1) plus the column, over ten."""
    return (10.0 * (1 + np.arange(n_q))[:, None] + np.arange(width)) / 10


def offset_axis(n_q, n_k, past=0):
    """The axis of offsets, each index with its name."""
    return Axis("offset", [f"{o:+d}" if o else "0" for o in row_offsets(n_q, n_k, past)])


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)
