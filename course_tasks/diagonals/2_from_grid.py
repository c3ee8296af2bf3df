"""Back to the offsets · 10 minutes · ★★

Write the adjoint of `to_grid`, which sums a grid $(n_q, n_k)$ along its diagonals. It returns one number
per offset, $n_q + n_k - 1$ in all, with the most distant past first. This is the gradient that a shared row of biases
receives. Divided by the number of pairs at each offset, `from_grid(np.ones_like(grid))`, the sums of attention weights are
a *profile by offset*: how much weight each offset gets on average.

For `np.array([[1, 2], [3, 4]])` the result is `[3, 5, 2]`.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.example import K, Q
from course_lib.reference import grid as reference
from course_lib.reference.attention import attention

from ..shared import normal
from .common import labels, offset_axis


def from_grid(grid):
    """Sum a grid (n_q, n_k) along its diagonals: (n_q + n_k − 1,), offsets ascending."""
    n_q, n_k = grid.shape
    # There is one per offset, from −(n_q − 1) to n_k − 1. The grid has one offset less than that. The array of sums
    # begins with a 0 for each offset.
    sums = np.zeros(n_q + n_k - 1)
    for i in range(n_q):
        for j in range(n_k):
            # The smallest offset, −(n_q − 1), is at place 0. The offset is key minus query, j − i. The cell that you
            # add is the one of query i and key j.
            sums[j - i + n_q - 1] += grid[i, j]
    return sums


WEIGHTS = attention(Q, K, np.eye(5))[1]


def _adjoint(result, grid):
    """Whether ⟨to_grid(r), G⟩ = ⟨r, from_grid(G)⟩ for a few rows r."""
    width = sum(grid.shape) - 1
    rows = np.random.default_rng(0).normal(size=(3, width))
    left = [(reference.to_grid(r[None], len(grid)) * grid).sum() for r in rows]
    return np.shape(np.squeeze(result)) in ((), (width,)) and np.allclose(rows @ np.ravel(result), left, atol=1e-4)


def expected(grid):
    return reference.from_grid(grid)[0]


CASES = [
    Case(WEIGHTS, label="the attention weights of the five tokens", axes=(offset_axis(5, 5),)),
    Case(labels(2, 5), label="two queries, five keys", axes=(offset_axis(2, 5),)),
    Case(labels(4, 2), label="four queries, two keys", axes=(offset_axis(4, 2),)),
    Case(labels(1, 4), label="one query, four keys", axes=(offset_axis(1, 4),)),
    Case(labels(1, 1), label="one token alone", axes=("offset",)),
]


def draw(rng):
    return (normal(rng, *(int(x) for x in rng.integers(2, 7, size=2))),)


ALWAYS = [
    holds(
        "All your sums together should equal the sum of the grid, because every cell is added exactly once.",
        lambda result, grid: np.isclose(np.sum(result), grid.sum(), atol=1e-4),
    ),
    holds(
        "⟨to_grid(r), G⟩ and ⟨r, from_grid(G)⟩ differ, so some cell is added to an offset that is not its own.",
        _adjoint,
    ),
]


WRONG = """
sums[i - j + n_k - 1] += grid[i, j]  # You put the most distant future first. The offset is j − i, and the offsets
# ascend.
sums[i - j + n_q - 1] += grid[i, j]  # You swapped past and future by using i − j, and the shift fits only square
# grids. The offset is j − i.
sums[j - i] += grid[i, j]  # Your negative offsets are counted from the end of the array, where place −1 is the last
# one. Shift all offsets, so that the smallest, −(n_q − 1), is at place 0.
sums[j - i + n_q] += grid[i, j]  # Your places are one too large, so the last one is beyond the end of the array. The
# smallest offset, −(n_q − 1), is at place 0.
sums[j - i + n_k - 1] += grid[i, j]  # You shift by the number of keys. The smallest offset is −(n_q − 1), that of the
# last query and key 0.
sums[j + i] += grid[i, j]  # You sum the other diagonals, where i + j is constant. An offset is a diagonal on which j −
# i is constant.
sums[n_k - 1 - j - i + n_q - 1] += grid[i, j]  # You reversed the keys, so you sum the other diagonals. The offsets are
# the diagonals of the grid as it is.
sums[j - i + n_q - 1] = grid[i, j]  # Each of your sums holds only the last cell of its diagonal. `=` overwrites what
# was there, and `+=` with a whole array of places adds only once per place. Add cell by cell, or use `np.add.at`.
sums[j - i + n_q - 1] += grid[i, j] * (i == 0)  # Only the cells of query 0 were added. Is the `return` indented too
# far?
sums[j - i + n_q - 1] += grid[i, j] * (i == j == 0)  # Only the cell (0, 0) was added. Is the `return` inside both
# loops?
sums[j - i + n_q - 1] += grid[i, j] * (j <= i)  # Your sums end at offset 0. The diagonals above the main one count
# too, up to the offset n_k − 1.
return grid.sum(axis=0)  # You sum each column, which gives one number per key. An offset is a diagonal.
return grid.sum(axis=1)  # You sum each row, which gives one number per query. An offset is a diagonal.
return [np.diagonal(grid, o).mean() for o in range(1 - len(grid), grid.shape[1])]  # You return means. The adjoint
# sums, because a number that was copied to five cells collects from five cells.
return [np.trace(grid, o) for o in range(1 - len(grid), len(grid))]  # Your offsets end at n_q − 1. The last one is n_k
# − 1, from query 0 to the last key, and n_k is `grid.shape[1]`.
return [np.trace(grid, o) for o in range(1 - grid.shape[1], grid.shape[1])]  # Your offsets begin at −(n_k − 1). The
# smallest is −(n_q − 1), from the last query to key 0.
return [np.trace(grid, o) for o in range(1 - grid.shape[1], len(grid))]  # You swapped n_q and n_k. The smallest offset
# is −(n_q − 1), from the last query to key 0.
return [np.trace(grid, o) for o in range(1 - len(grid), grid.shape[1] - 1)]  # The last offset, n_k − 1, is missing,
# because `range` stops one before its end.
return [np.trace(grid, o) for o in range(-len(grid), grid.shape[1])]  # Your offsets begin at −n_q, which is one too
# early. The last query and key 0 are n_q − 1 apart.
"""


HINTS = [
    "Reverse what `to_grid` does. Where it read column j − i + n_q − 1, you now add to this place.",
    "Write two loops with `sums[…] += grid[i, j]`, or one loop over the offsets with `np.trace(grid, offset)`.",
    "The offsets run from −(n_q − 1) to n_k − 1, so `range(1 - n_q, n_k)` has all of them.",
]


def right_in_one_line(grid):
    return [np.trace(grid, o) for o in range(1 - len(grid), grid.shape[1])]
