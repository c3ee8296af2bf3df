"""`to_grid` and `from_grid` as a view: with the queries flipped, nothing has to be copied onto the diagonals.

grid[i, j] = rows[i, j − i + n_q − 1]. From one line of the grid to the next, the column steps back. A tensor cannot do
that, because its strides are never negative. So count the queries from the last one, r = n_q − 1 − i:

    grid[r, j] = rows[r, r + j]

Now everything steps forward (the Toeplitz matrix has become a Hankel matrix), and the grid is the memory of `rows`,
read with other strides. A bias is one row that all queries share: the next query starts one number later, and so does
the next key. That is `row.unfold(-1, n_k, 1)`, n_q · n_k cells that show n_q + n_k − 1 numbers. With a row per query,
the next query also starts one row later, which gives the stride width + 1. Huang's skew and Transformer-XL's shift are
nothing but this stride.

With a row per query the view is its own adjoint, because each number is shown by at most one cell and receives the
gradient of that cell. Write the grid's gradient through the same view of a buffer of zeros, and the buffer holds the
gradient of `rows`. The gradient of a row that all queries share is the sum of these rows. It cannot be written through
the view of the shared row, where the cells of a diagonal would overwrite each other.

Sources: Huang et al. 2019, section 3.4.1, and Dai et al. 2019, appendix B, have the same rearrangement as a reshape;
the ends that repeat are the clipping of Shaw et al. 2018, section 3.2.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

Ends = tuple[int, int]  # how many times the first number is repeated before it, and the last one after it
Zeros = dict[tuple[int, ...], Tensor]  # at most one buffer, whose cells outside its view stay zero


def view(rows: Tensor, n_k: int) -> Tensor:
    """grid[r, j] = rows[r, r + j]: rows (…, 1 or n_q, n_q + n_k − 1) seen as (…, n_q, n_k), without a copy.

    Raises ValueError for other rows, of which the strides would show anything.
    """
    n_q = rows.shape[-1] - n_k + 1
    if rows.dim() < 2 or n_k < 1 or n_q < 1 or rows.shape[-2] not in (1, n_q):
        raise ValueError(f"rows {tuple(rows.shape)}: expected (…, 1 or n_q, n_q + n_k − 1) for n_k={n_k}")
    *lead, next_row, next_number = rows.stride()
    step = next_number if rows.shape[-2] == 1 else next_row + next_number
    return rows.as_strided((*rows.shape[:-2], n_q, n_k), (*lead, step, next_number), rows.storage_offset())


def adjoint(grid: Tensor, zeros: Zeros | None = None) -> Tensor:
    """rows[r, r + j] = grid[r, j], zero elsewhere: grid (…, n_q, n_k) gives (…, n_q, n_q + n_k − 1).

    With `zeros` the result is the buffer kept there, which the next call overwrites.
    Raises ValueError for fewer than two axes.
    """
    if grid.dim() < 2:
        raise ValueError(f"grid {tuple(grid.shape)}: expected (…, n_q, n_k)")
    n_q, n_k = grid.shape[-2:]
    shape = (*grid.shape[:-1], n_q + n_k - 1)
    zeros = {} if zeros is None else zeros
    if shape not in zeros:
        zeros.clear()
        zeros[shape] = grid.new_zeros(shape)
    view(zeros[shape], n_k).copy_(grid)
    return zeros[shape]


class ToGrid(Function):
    """The grid (…, n_q, n_k) of products (…, n_q, m) with m rows of a table, plus a row (heads, 1, width) of biases.

    The ends of the products are repeated until there is one for each offset. Products or biases may be None, but not
    both. The products are overwritten.
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
    """Weights (…, n_q, n_k) summed by the row of the table that their offset reads: (…, n_q, m)."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, ends: Ends, zeros: Zeros | None) -> Tensor:
        ctx.ends, ctx.n_k = ends, weights.shape[-1]
        return _fold(adjoint(weights, zeros if any(ends) else None), ends)  # without ends nothing leaves the buffer

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return view(_repeat(grad, ctx.ends), ctx.n_k), None, None


def _repeat(x: Tensor, ends: Ends) -> Tensor:
    """x (…, m) with its first number repeated ends[0] times before it, and its last ends[1] times after it."""
    if not any(ends):
        return x
    first, last = (x[..., at, None].expand(*x.shape[:-1], n) for at, n in zip((0, -1), ends))
    return torch.cat([first, x, last], -1)


def _fold(x: Tensor, ends: Ends) -> Tensor:
    """The adjoint of `_repeat`: the first and the last number also get the sum of their repetitions."""
    if not any(ends):
        return x
    stop = x.shape[-1] - ends[1]
    inner = x[..., ends[0] : stop].clone()
    inner[..., 0] += x[..., : ends[0]].sum(-1)
    inner[..., -1] += x[..., stop:].sum(-1)
    return inner
