"""What the tasks of this topic share: a table for the five tokens, and sizes of random cases."""

import numpy as np

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


def sizes(rng):
    """n_q, n_k, clip and past of a random case in which past and clipping both matter."""
    n_q, past, clip = int(rng.integers(1, 5)), int(rng.integers(0, 5)), int(rng.integers(1, 4))
    return n_q, n_q + past + int(rng.integers(1, 5)), clip, past
