"""What the tasks of this chapter share: a table for the five tokens, names for axes, sizes for random cases."""

import numpy as np

from ...example import TOKENS
from ..engine import Axis

QUERY, KEY, NUMBER = Axis("query", TOKENS), Axis("key", TOKENS), Axis("number")
LAST_TWO = Axis("query", TOKENS[3:])

# No row is zero and none repeats another, so that a wrong row shows.
TABLE = np.array(
    [
        [0.0, 0.5, 0.0, 1.0],
        [1.0, 0.0, 0.5, 0.0],
        [0.0, 0.0, 1.0, -0.5],
        [0.5, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0, 2.0],
    ]
)


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)


def sizes(rng):
    """n_q, n_k, clip and past of a random case in which past and clipping both matter."""
    n_q, past, clip = int(rng.integers(1, 5)), int(rng.integers(0, 5)), int(rng.integers(1, 4))
    return n_q, n_q + past + int(rng.integers(1, 5)), clip, past
