"""One number per offset, placed on the diagonals of a grid, and its adjoint: the torch twins of `reference.grid`.

Offset = j − i − past for key j and query i, negative when the key is in the past. A row holds n_q + n_k − 1 numbers,
one per offset, ascending.
"""

import torch
from torch import Tensor

from ..checks import check_whole
from ..reference.grid import check_sizes


def row_offsets(n_q: int, n_k: int | None = None, past: int = 0, device: torch.device | str | None = None) -> Tensor:
    """The offsets of n_q queries and n_k keys, ascending: −(past + n_q − 1) … n_k − 1 − past, shape (n_q + n_k − 1,).

    n_k = past + n_q by default. Raises ValueError for sizes below 1 or a negative past.
    """
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    return torch.arange(-(past + n_q - 1), n_k - past, device=device)


def to_grid(rows: Tensor, n_q: int) -> Tensor:
    """grid[i, j] = rows[i, j − i + n_q − 1]: rows (…, 1 or n_q, n_q + n_k − 1) give (…, n_q, n_k). Differentiable.

    Raises ValueError when the shape is not one of these.
    """
    n_q = check_whole("n_q", n_q)
    if rows.dim() < 2 or rows.shape[-2] not in (1, n_q):
        raise ValueError(f"rows has shape {tuple(rows.shape)}, but n_q={n_q} needs (…, 1, width) or (…, {n_q}, width)")
    n_k = rows.shape[-1] - n_q + 1
    if n_k < 1:
        raise ValueError(f"rows has shape {tuple(rows.shape)}, but its width must be at least {n_q} for n_q={n_q}")
    return rows.expand(*rows.shape[:-2], n_q, -1).gather(-1, _index(n_q, n_k, rows))


def from_grid(grid: Tensor, *, shared: bool = True) -> Tensor:
    """The adjoint of `to_grid`: grid (…, n_q, n_k) summed along its diagonals, (…, 1, n_q + n_k − 1).

    With shared=False each query keeps its own row, (…, n_q, n_q + n_k − 1). Differentiable.
    Raises ValueError for fewer than two axes.
    """
    if grid.dim() < 2:
        raise ValueError(f"grid {tuple(grid.shape)}: expected (…, n_q, n_k)")
    n_q, n_k = grid.shape[-2:]
    rows = grid.new_zeros(*grid.shape[:-1], n_q + n_k - 1).scatter(-1, _index(n_q, n_k, grid), grid)
    return rows.sum(-2, keepdim=True) if shared else rows


def _index(n_q: int, n_k: int, like: Tensor) -> Tensor:
    """The column j − i + n_q − 1 in which each cell finds its offset, with the leading axes of `like`."""
    i, j = torch.arange(n_q, device=like.device)[:, None], torch.arange(n_k, device=like.device)
    return (j - i + n_q - 1).expand(*like.shape[:-2], n_q, n_k)
