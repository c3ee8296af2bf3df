"""The heart of the course: one number per offset, placed on the diagonals of a grid, and the adjoint of this.

Query i is at position past + i, key j at position j; their offset is j − i − past (negative: key in the past).
A row of n_q + n_k − 1 numbers holds one number per offset, in ascending order; `row_offsets` says which.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_whole

Array = NDArray[np.float64]


def row_offsets(n_q: int, n_k: int | None = None, past: int = 0) -> NDArray[np.int64]:
    """The offsets that n_q queries and n_k keys can have, ascending: −(past + n_q − 1) … n_k − 1 − past.

    Shape (n_q + n_k − 1,); n_k = past + n_q by default. Raises ValueError for sizes below 1 or a negative past.
    """
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    return np.arange(-(past + n_q - 1), n_k - past)


def offsets(n_q: int, n_k: int | None = None, past: int = 0) -> NDArray[np.int64]:
    """The offset j − (past + i) of every query and key, shape (n_q, n_k): a Toeplitz matrix, equal along diagonals."""
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    return np.arange(n_k) - (past + np.arange(n_q))[:, None]


def to_grid(rows: ArrayLike, n_q: int) -> Array:
    """Place one number per offset on the diagonals of a grid: grid[i, j] = rows[i, j − i + n_q − 1].

    rows has shape (…, n_q, n_q + n_k − 1), or (…, 1, n_q + n_k − 1) if all queries share one row. Returns shape
    (…, n_q, n_k). The index does not depend on `past`, which only decides which offset a column means (`row_offsets`).
    Raises ValueError if rows has any other shape.
    """
    rows = np.asarray(rows, float)
    n_q = check_sizes(n_q, n_q, 0)[0]
    if rows.ndim < 2 or rows.shape[-2] not in (1, n_q):
        raise ValueError(f"rows has shape {rows.shape}, but n_q={n_q} needs (…, 1, width) or (…, {n_q}, width)")
    n_k = rows.shape[-1] - n_q + 1
    if n_k < 1:
        raise ValueError(f"rows has shape {rows.shape}, but its width must be at least {n_q} for n_q={n_q}")
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return rows[..., i if rows.shape[-2] == n_q else 0, j - i + n_q - 1]


def from_grid(grid: ArrayLike, *, shared: bool = True) -> Array:
    """The adjoint of `to_grid`: sum a grid along its diagonals, which gives one number per offset.

    grid has shape (…, n_q, n_k). Returns shape (…, 1, n_q + n_k − 1); with shared=False each query keeps its own row,
    (…, n_q, n_q + n_k − 1). Adjoint means that Σ to_grid(rows) · grid = Σ rows · from_grid(grid).
    Raises ValueError if grid has fewer than two axes.
    """
    grid = np.asarray(grid, float)
    if grid.ndim < 2:
        raise ValueError(f"grid {grid.shape}: expected (…, n_q, n_k)")
    n_q, n_k = grid.shape[-2:]
    rows = np.zeros((*grid.shape[:-1], n_q + n_k - 1))
    for i in range(n_q):
        rows[..., i, n_q - 1 - i : n_q - 1 - i + n_k] = grid[..., i, :]
    return rows.sum(axis=-2, keepdims=True) if shared else rows


def check_sizes(n_q: int, n_k: int | None, past: int) -> tuple[int, int, int]:
    """The three sizes as whole numbers, n_k = past + n_q when None; a ValueError names the one that is not."""
    n_q, past = check_whole("n_q", n_q), check_whole("past", past, 0)
    return n_q, past + n_q if n_k is None else check_whole("n_k", n_k), past
