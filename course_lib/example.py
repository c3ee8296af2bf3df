"""The one example of the course: five tokens, and a query, a key and a value of four numbers for each.

The numbers are small literals so that every step can be checked by hand. Row i of Q, K and V belongs to TOKENS[i].
The arrays are read-only: `Q = Q / 2` makes your own copy, `Q /= 2` is refused.
"""

import numpy as np

TOKENS = ("The", "cat", "sat", "on", "mat")
D_K = 4  # numbers per query and key
LAMBDA = 0.3  # strength of the log-decay bias in “A bias by hand”

# fmt: off (a matrix reads as a matrix)
Q = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 2.0, 0.0, 1.0],
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
        [1.0, 0.0, 0.0, 1.0],
    ]
)
K = np.array(
    [
        [0.0, 1.0, 0.0, 1.0],
        [1.0, 0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
        [1.0, 0.0, 0.5, 0.5],
    ]
)
V = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.5, 0.5, 0.5, 0.5],
    ]
)
# fmt: on
for _array in (Q, K, V):
    _array.setflags(write=False)
