"""What the tasks of this topic share: a table and weights for the five tokens, an axis, pieces, random cases."""

import numpy as np

from course_lib.checking import Axis
from course_lib.example import TOKENS
from course_lib.reference.attention import softmax
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from ..shared import SCORES

LAST_TWO = Axis("query", TOKENS[3:])
WEIGHTS = softmax(SCORES)  # of the five tokens
LOOK_BACK = np.eye(5)[[0, 0, 1, 2, 3]]  # every token gives all its weight to the token before, the first to itself

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


# of `np.clip(j - i, -clip, clip) + clip`
CLIPPED = """
j - i
    the offset: It is the position of the key minus that of the query, j − i.
-clip
    the lower end of the clipping: It is −clip.
np.clip(j - i, -clip, clip) + clip
    the row: It is the clipped offset plus clip, so offset −clip takes row 0.
np.clip(j - i, -clip, clip)
    the clipping: Keys farther away than the clip share the first or the last row.
"""


def sizes(rng):
    """n_q, n_k, clip and past of a random case in which past and clipping both matter."""
    n_q, past, clip = int(rng.integers(1, 5)), int(rng.integers(0, 5)), int(rng.integers(1, 4))
    return n_q, n_q + past + int(rng.integers(1, 5)), clip, past


def right_rows(shape, table, past=0):
    """The row of the table for each query and key. The shape is (n_q, n_k)."""
    n_q, n_k = shape
    return clip_index(offsets(n_q, n_k, past), len(table) // 2)
