"""Attention with relative position at nearly the speed of attention without it: no n × n bias is ever built.

Three ideas.

**Flip and stride** (`hankel`). With the queries flipped, what is known per offset becomes the grid by being read with
other strides, and the fused kernel behind `scaled_dot_product_attention` reads its mask through any strides: a bias
costs no grid at all.

**Blocks.** A vector per offset gives every query a row of its own, n_q (n_q + n_k − 1) numbers. So take one block of
queries at a time, small enough to stay in the processor's cache: one product Q Aᵀ, seen through the view, is its mask.
Causal is a bias of −inf after offset 0, and a block leaves out the keys that none of its queries may see. Where many
offsets share a vector (Shaw's clipping), only the vectors that differ are multiplied; the outermost are repeated.

**Again instead of kept.** The fused kernel gives its mask no gradient. So when tables learn, the forward pass still
runs fused, and the backward pass makes each block once more from plain operations and lets autograd differentiate it.

Sources: those of `hankel`; Dao et al. 2022, section 3.1 (blocks, and making them again).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn.functional import scaled_dot_product_attention

from ..reference.grid import check_sizes
from . import hankel
from .attention import check_mask, check_shapes
from .grid import row_offsets
from .position import Vectors

Block = tuple[slice, slice, slice]  # which of the batch, of the heads and of the queries
CPU_BLOCK, GPU_BLOCK = (256, 2**19), (1024, 2**25)  # at most so many queries, and so many cells of the grid


def fast_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    bias: Tensor | None = None,
    key_vectors: Vectors | None = None,
    value_vectors: Vectors | None = None,
    scale: float | None = None,
    mask: Tensor | None = None,
    causal: bool = False,
    past: int = 0,
) -> Tensor:
    """softmax_j(scale · q_i·(k_j + a_{j−i}) + b_{j−i}), applied to v_j + c_{j−i}: the output of `attention`, faster.

    Arguments and shapes as there; everything is computed in the precision of v. `causal` hides the keys after each
    query, the first of which stands at position `past`. Differentiable once, in q, k, v, b and the tables.
    Raises ValueError when shapes do not fit. Sources: as `attention`.
    """
    n_q, n_k = check_shapes(q, k, v, bias, key_vectors, value_vectors), k.shape[-2]
    check_sizes(n_q, n_k, past)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    heads, dtype = lead[-1], v.dtype
    q, k, v = (x.to(dtype).expand(*lead, -1, -1).reshape(-1, heads, *x.shape[-2:]) for x in (q, k, v))

    only_bias = key_vectors is None and value_vectors is None and mask is None
    if only_bias and bias is None and not (causal and past):
        return scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale).reshape(*lead, n_q, -1)
    if mask is not None:
        check_mask(mask, torch.Size((*lead, n_q, n_k)))
        mask = mask.expand(*lead, n_q, n_k).reshape(-1, heads, n_q, n_k)
    if bias is None and (causal or key_vectors is None):
        bias = q.new_zeros(1, n_q + n_k - 1)
    if bias is not None and causal:
        bias = bias.masked_fill(row_offsets(n_q, n_k, past, q.device) > 0, -math.inf)
    keys, values = (None if x is None else _Ramp.of(x, n_q + n_k - 1) for x in (key_vectors, value_vectors))

    tables: list[Any] = [
        None if bias is None else bias[:, None].contiguous(),
        keys and keys.table,
        values and values.table,
    ]
    tables = [None if t is None else t.to(dtype).expand(heads, -1, -1) for t in tables]
    viewed = only_bias and q.device.type == "cpu" and q.shape[-1] == v.shape[-1]  # else no kernel would read a view
    work = _Work(len(q), heads, n_q, n_k, scale, past if causal else None, mask, keys, values, viewed)
    if viewed and not (torch.is_grad_enabled() and tables[0].requires_grad):
        output = work.through_view(q, k, v, tables[0])
    else:
        output = _Blockwise.apply(work, q, k, v, *tables)
    return output.reshape(*lead, n_q, -1)


@dataclass(frozen=True)
class _Ramp:
    """`Vectors` whose column c takes row c − first, the outermost rows repeated beyond the table's two ends."""

    table: Tensor
    first: int

    @staticmethod
    def of(vectors: Vectors, width: int) -> "_Ramp":
        """Shaw's clipping is such a ramp, and so is a row per offset; by any other index the vectors are copied out."""
        table, index = vectors.table, vectors.index
        if index is None:
            return _Ramp(table, 0)
        first = int((index == 0).sum()) - 1 if index[0] == 0 else -int(index[0])
        ramp = torch.arange(-first, width - first, device=index.device).clamp(0, table.shape[-2] - 1)
        return _Ramp(table, first) if torch.equal(index, ramp) else _Ramp(table[:, index], 0)

    def rows(self, columns: slice) -> tuple[slice, hankel.Ends]:
        """The rows that these columns need, and how many more columns take the first and the last of them."""
        last, width = self.table.shape[-2] - 1, columns.stop - columns.start
        low, high = (min(max(c - self.first, 0), last) for c in (columns.start, columns.stop - 1))
        left = min(max(self.first - columns.start, 0), width - 1)
        return slice(low, high + 1), (left, width - left - (high + 1 - low))


@dataclass(frozen=True)
class _Work:
    """How attention is cut into blocks, and what is done with one."""

    batch: int
    heads: int
    n_q: int
    n_k: int
    scale: float
    past: int | None  # None: not causal
    mask: Tensor | None
    keys: _Ramp | None
    values: _Ramp | None
    viewed: bool  # nothing but a bias, whose view the fused kernel reads
    zeros: hankel.Zeros = field(default_factory=dict)

    def blocks(self, device: torch.device) -> Iterator[Block]:
        most, cells = CPU_BLOCK if device.type == "cpu" else GPU_BLOCK
        rows = min(self.n_q, most, max(cells // self.n_k, 32))
        heads = max(cells // (rows * self.n_k), 1)
        batch = max(heads // self.heads, 1)
        for r, b, h in product(_cuts(self.n_q, rows), _cuts(self.batch, batch), _cuts(self.heads, heads)):
            yield b, h, r
        self.zeros.clear()

    def seen(self, r: slice) -> int:
        """How many keys the queries r look at: as many as the last of them."""
        return self.n_k if self.past is None else min(self.n_k, self.past + r.stop)

    def columns(self, r: slice) -> slice:
        """The offsets between the queries r and their keys, as columns of a row: the last query has the smallest."""
        return slice(self.n_q - r.stop, self.n_q - r.start + self.seen(r) - 1)

    def cut(self, block: Block, tensors: Sequence[Any]) -> list[Any]:
        """What this block touches of q, k, v, the row of biases and the two tables (or of buffers of their shapes)."""
        b, h, r = block
        n_k, columns = self.seen(r), self.columns(r)
        where: list[Any] = [(b, h, r), (b, h, slice(n_k)), (b, h, slice(n_k)), (h, slice(None), columns)]
        where += [ramp and (h, ramp.rows(columns)[0]) for ramp in (self.keys, self.values)]
        return [None if t is None else t[at] for t, at in zip(tensors, where)]

    def attend(
        self,
        block: Block,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        row: Tensor | None,
        keys: Tensor | None,
        values: Tensor | None,
    ) -> Tensor:
        """The output of one block: fused while nobody asks for gradients, else step by step as `attention` does."""
        (b, h, r), n_k = block, k.shape[-2]
        q = q.flip(-2) * self.scale
        products, ends = None, (0, 0)
        if self.keys and keys is not None:
            products, ends = q @ keys.mT, self.keys.rows(self.columns(r))[1]
        grid = hankel.ToGrid.apply(products, row, n_k, ends, self.zeros)
        hidden = None if self.mask is None else ~self.mask[b, h, r, :n_k].flip(-2) | (grid == -math.inf)
        if self.values is None and not torch.is_grad_enabled() and q.shape[-1] == v.shape[-1]:
            if hidden is None:
                return _fused(q, k, v, grid).flip(-2)
            output = _fused(q, k, v, grid.masked_fill(hidden, -math.inf))
            return output.masked_fill(hidden.all(-1, keepdim=True), 0.0).flip(-2)  # who sees nothing gets 0, not nan
        scores = q @ k.mT
        scores += grid
        if hidden is None:
            weights = scores.softmax(-1).to(v.dtype)
        else:
            weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0).to(v.dtype)
        output = weights @ v
        if self.values and values is not None:
            ends = self.values.rows(self.columns(r))[1]
            output = output + hankel.FromGrid.apply(weights, ends, self.zeros) @ values
        return output.flip(-2)

    def through_view(self, q: Tensor, k: Tensor, v: Tensor, row: Tensor) -> Tensor:
        """Nothing but a bias: a view of its row is the mask of the whole batch at once, and nothing else is to do."""
        outputs = []
        for r in _cuts(self.n_q, self.n_q if self.past is None else CPU_BLOCK[0]):
            n_k = self.seen(r)
            grid = hankel.view(row[..., self.columns(r)], n_k)
            flipped = _fused(q[:, :, r].flip(-2), k[:, :, :n_k], v[:, :, :n_k], grid, self.scale)
            outputs.append(flipped.flip(-2))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs, -2)


class _Blockwise(Function):
    """Forward block by block; backward makes each block again and lets autograd differentiate it."""

    @staticmethod
    def forward(ctx: Any, work: _Work, q: Tensor, k: Tensor, v: Tensor, *tables: Any) -> Tensor:
        ctx.work, tensors = work, (q, k, v, *tables)
        ctx.save_for_backward(*tensors)
        if work.viewed:
            return work.through_view(q, k, v, tables[0])
        output = q.new_empty(*q.shape[:-1], v.shape[-1])
        for block in work.blocks(q.device):
            output[block] = work.attend(block, *work.cut(block, tensors))
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("fast_attention: differentiable once, expected no create_graph=True, or `attention`")
        work, tensors, wanted = ctx.work, ctx.saved_tensors, ctx.needs_input_grad[1:]
        totals = [torch.zeros_like(t) if want else None for t, want in zip(tensors, wanted)]
        for block in work.blocks(grad.device):
            parts: list[Any] = [t if t is None else t.detach() for t in work.cut(block, tensors)]
            learning = [t.requires_grad_() for t, want in zip(parts, wanted) if want]
            with torch.enable_grad():
                output = work.attend(block, *parts)
            grads = iter(torch.autograd.grad(output, learning, grad[block]))
            for total in work.cut(block, totals):
                if total is not None:
                    total += next(grads)
        return None, *totals


def _fused(q: Tensor, k: Tensor, v: Tensor, grid: Tensor, scale: float = 1.0) -> Tensor:
    """softmax(scale · q kᵀ + grid) v in one kernel, which on a CPU reads any view and elsewhere needs plain strides."""
    grid = grid.detach() if grid.device.type == "cpu" else grid.detach().contiguous()  # one that may learn is not fused
    grid = grid.expand(len(q), *grid.shape[-3:])  # nor is one with three axes
    return scaled_dot_product_attention(q, k, v, attn_mask=grid, scale=scale)


def _cuts(n: int, size: int) -> list[slice]:
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
