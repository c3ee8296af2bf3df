"""Back to the offsets · 10 minutes · ★★ · first

Write the adjoint of `to_grid`, which sums a grid $(n_q, n_k)$ along its diagonals. It returns one number
per offset, $n_q + n_k - 1$ in all, with the most distant past first. This is the gradient that a shared row of biases
receives. Divided by the number of pairs at each offset, `from_grid(np.ones_like(grid))`, the sums of attention weights
are a *profile by offset*: how much weight each offset gets on average.

For `np.array([[1, 2], [3, 4]])` the result is `[3, 5, 2]`.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import K, Q
from course_lib.reference.attention import attention
from course_lib.reference.grid import from_grid as summed

from ...shared import labels, normal


def from_grid(grid):
    """Sum a grid (n_q, n_k) along its diagonals: (n_q + n_k − 1,), offsets ascending."""
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1)  # There is one sum per offset, from −(n_q − 1) to n_k − 1.
    for i in range(n_q):
        for j in range(n_k):
            place = j - i + n_q - 1  # The offset is j − i, and the smallest, −(n_q − 1), is at place 0.
            sums[place] += grid[i, j]  # Every cell is added to the sum of its offset.
    return sums


def expected(grid):
    return summed(grid)[0]


def draw(rng):
    return (normal(rng, *(int(x) for x in rng.integers(2, 7, size=2))),)


def case(label, grid):
    n_q, n_k = grid.shape
    return Case(grid, label=label, axes=(Axis("offset", [f"{o:+d}" if o else "0" for o in range(1 - n_q, n_k)]),))


CASES = [
    case("the attention weights of the five tokens", attention(Q, K, np.eye(5))[1]),
    case("two queries, five keys", labels(2, 5)),
    case("one query, four keys", labels(1, 4)),
    case("one token alone", labels(1, 1)),
]
WRONG = """
place = j - i  # Your negative offsets count from the end of the array. Add n_q − 1, so that place 0 is the smallest.
place = j - i + n_k - 1  # You shift by the number of keys. The smallest offset, −(n_q − 1), is at place 0.
place = j + i
place = n_k - 1 - j - i + n_q - 1  # You sum the other diagonals, where i + j is constant. An offset is j − i.
sums[place] = grid[i, j]  # Each sum holds only the last cell of its diagonal. Add cell by cell, or use `np.add.at`.
sums[place] += grid[i, j] * (i == 0)  # Only the cells of query 0 were added. Does a `return` end your loop?
sums[place] += grid[i, j] * (i == j == 0)  # Only cell (0, 0) was added. If you loop, is the `return` inside?
sums[place] += grid[i, j] * (j <= i)  # Your sums end at offset 0. The diagonals above the main one count, too.
return grid.sum(axis=0)  # You sum each column, which gives one number per key. An offset is a diagonal.
return grid.sum(axis=1)  # You sum each row, which gives one number per query. An offset is a diagonal.
return [grid.diagonal(o).mean() for o in range(1 - n_q, n_k)]  # You return means. The adjoint sums over all cells.
return [grid.trace(o) for o in range(1 - n_q, n_q)]  # Your offsets end at n_q − 1. The last one is n_k − 1.
return [grid.trace(o) for o in range(1 - n_k, n_k)]  # Your offsets begin at −(n_k − 1). The smallest is −(n_q − 1).
return [grid.trace(o) for o in range(1 - n_k, n_q)]  # Your offsets go from −(n_k − 1) to n_q − 1. Exchange n_q and n_k.
return [grid.trace(o) for o in range(1 - n_q, n_k - 1)]  # Offset n_k − 1 is missing. `range` stops before its end.
return [grid.trace(o) for o in range(-n_q, n_k)]  # Your offsets begin at −n_q, one too early. Begin at −(n_q − 1).
"""
HINTS = [
    "Reverse what `to_grid` does. Where it read column j − i + n_q − 1, you now add to this place.",
    "Write two loops with `sums[…] += grid[i, j]`, or one loop over the offsets with `np.trace(grid, offset)`.",
    "The offsets run from −(n_q − 1) to n_k − 1, so `range(1 - n_q, n_k)` has all of them.",
]
