"""`to_grid` and `from_grid` as a view: with the queries flipped, nothing has to be copied onto the diagonals.

grid[i, j] = rows[i, j − i + n_q − 1]. From one line of the grid to the next the column steps back, and a tensor cannot
step back: a stride is never negative. Count the queries from the last one, r = n_q − 1 − i, and the same grid reads

    grid[r, j] = rows[r, r + j]

(a Hankel matrix where it was Toeplitz), where everything steps forward. So the grid is the memory of `rows`, read with
other strides. For a bias, one row that all queries share: one number further per query, one further per key. That is
`row.unfold(-1, n_k, 1)`, n_q · n_k cells seen through a window on n_q + n_k − 1 numbers. For a row per query, one query
further is also one row further: stride width + 1. Huang's skew and Transformer-XL's shift are nothing but this stride.

With a row per query the view is its own adjoint. Each number of `rows` receives the gradient of the cell that showed
it: write the grid's gradient through the same view of a buffer of zeros, and the buffer holds the gradient of `rows`.
A row that all queries share gets the sum of theirs; written through its own view, cells would overwrite each other.

Sources: Huang et al. 2019, section 3.4.1, and Dai et al. 2019, appendix B, have the same rearrangement as a reshape;
the ends that repeat are the clipping of Shaw et al. 2018, section 3.2.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

Ends = tuple[int, int]  # how many more times the first and the last number stand in front and behind
Zeros = dict[tuple[int, ...], Tensor]  # at most one buffer, used again: what the view does not show stays zero


def view(rows: Tensor, n_k: int) -> Tensor:
    """grid[r, j] = rows[r, r + j]: rows (…, 1 or n_q, n_q + n_k − 1) seen as (…, n_q, n_k), without a copy."""
    n_q, (*lead, next_row, next_number) = rows.shape[-1] - n_k + 1, rows.stride()
    step = next_number if rows.shape[-2] == 1 else next_row + next_number
    return rows.as_strided((*rows.shape[:-2], n_q, n_k), (*lead, step, next_number), rows.storage_offset())


def adjoint(grid: Tensor, zeros: Zeros | None = None) -> Tensor:
    """rows[r, r + j] = grid[r, j], zero elsewhere: grid (…, n_q, n_k) gives (…, n_q, n_q + n_k − 1).

    With `zeros` the answer lies in the buffer kept there, and lasts until the next call.
    """
    n_q, n_k = grid.shape[-2:]
    shape = (*grid.shape[:-1], n_q + n_k - 1)
    zeros = {} if zeros is None else zeros
    if shape not in zeros:
        zeros.clear()
        zeros[shape] = grid.new_zeros(shape)
    view(zeros[shape], n_k).copy_(grid)
    return zeros[shape]


class ToGrid(Function):
    """products (…, n_q, m) with the m vectors of a table, and a row (heads, 1, width) of biases, seen as the grid.

    The rows are the products with their ends repeated, plus the bias. Either may be None, not both. Products are
    overwritten.
    """

    @staticmethod
    def forward(
        ctx: Any, products: Tensor | None, row: Tensor | None, n_k: int, ends: Ends, zeros: Zeros | None
    ) -> Tensor:
        ctx.ends, ctx.zeros, ctx.shared = ends, zeros, None if row is None else row.shape
        if products is None:
            assert row is not None
            return view(row, n_k)
        rows = _repeat(products, ends)
        return view(rows if row is None else rows.add_(row), n_k)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows = adjoint(grad, ctx.zeros)
        products = _fold(rows, ctx.ends) if ctx.needs_input_grad[0] else None
        return products, rows.sum_to_size(ctx.shared) if ctx.needs_input_grad[1] else None, None, None, None


class FromGrid(Function):
    """Weights (…, n_q, n_k) summed by table row, (…, n_q, m). Each of the two is the gradient of the other."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, ends: Ends, zeros: Zeros | None) -> Tensor:
        ctx.ends, ctx.n_k = ends, weights.shape[-1]
        return _fold(adjoint(weights, zeros if any(ends) else None), ends)  # without ends nothing leaves the buffer

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return view(_repeat(grad, ctx.ends), ctx.n_k), None, None


def _repeat(x: Tensor, ends: Ends) -> Tensor:
    """x (…, m) with its first number ends[0] more times in front and its last ends[1] more times behind."""
    if not any(ends):
        return x
    first, last = (x[..., at, None].expand(*x.shape[:-1], n) for at, n in zip((0, -1), ends))
    return torch.cat([first, x, last], -1)


def _fold(x: Tensor, ends: Ends) -> Tensor:
    """The adjoint of `_repeat`: what stands in front and behind is added to the first and the last number."""
    if not any(ends):
        return x
    stop = x.shape[-1] - ends[1]
    inner = x[..., ends[0] : stop].clone()
    inner[..., 0] += x[..., : ends[0]].sum(-1)
    inner[..., -1] += x[..., stop:].sum(-1)
    return inner
