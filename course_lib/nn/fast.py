"""Attention with relative position, on a CPU at nearly the speed of attention without it: no n × n bias is ever built.

Four ideas.

**Flip and stride** (`strided_view`). With the queries flipped, a row of numbers per offset becomes the grid when it is
read with other strides. On a CPU the fused kernel behind `scaled_dot_product_attention` reads its mask through any
strides, so a bias costs no grid at all. Those of a GPU do not, so there the grid of one block at a time is written.

**Blocks.** A vector per offset gives every query a row of its own, n_q (n_q + n_k − 1) numbers in all. So the queries
are taken in blocks that are small enough for the processor's cache. The product Q Aᵀ of a block, seen through the view,
is its mask. The future is hidden by a bias of −inf after offset 0. A block leaves out the keys that none of its queries
may see: those of the future, and those that a sliding window has left behind. Where many offsets share a vector (Shaw's
clipping), each vector is multiplied once, and the outermost products are repeated.

**Computed again instead of kept.** On a CPU the fused kernel returns no gradient of its mask. On a GPU the
memory-efficient kernel does, but as a whole matrix. So when tables learn, the forward pass still runs fused, and the
backward pass computes each block again from plain operations, which autograd differentiates.

**One more channel, one more key.** A number per key, f_j, is the product of one more channel, 1 in each query and f_j
/ scale in each key. So a bias that depends on what was read costs little more than attention without it. (Zeros
follow up to a multiple of 8 channels. With 65 channels in float32, a GPU fell back to the whole grid.) A sink is one
more key, whose vector and value are zero. Beside a bias it is one more column of each block's mask. Without one it
comes before the first key and has its number in the channel, so that attention still takes a single call of the
kernel.

Grouped keys and values are never repeated: the kernel reads one head of them for a group of query heads, and a block
holds whole groups. Only a number per key needs repeated keys, because it differs from head to head.

Sources: those of `strided_view`; Dao et al. 2022, section 3.1 (blocks, and computing them again).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn.functional import pad, scaled_dot_product_attention

from . import strided_view
from .attention import attention
from .grid import row_offsets
from .position import Vectors
from .terms import Terms, flatten_batch, for_each_head, grouped_matmul

Slices = tuple[slice, slice, slice]  # of the batch, of the heads and of the queries: one block
CPU_BLOCK, GPU_BLOCK = (256, 2**19), (1024, 2**27)  # at most so many queries, and so many cells of the grid


def fast_attention(q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> Tensor:
    """softmax_j(scale · q_i·(k_j + a_{j−i}) + b_{j−i} + f_j), applied to v_j + c_{j−i}: the output of `attention`.

    It takes the same arguments and shapes, and computes everything in the precision of v. It can be differentiated
    once, in q, k, v, b, f, the sink and the tables of a and c. A bias with a number per cell and tokens with positions
    of their own leave nothing to view, so they take the time and memory of the grid; so does a query with no key within
    its reach.
    Raises ValueError when shapes do not fit. Sources: as `attention`.
    """
    lead, n_q, n_k = terms.check(q, k, v), q.shape[-2], k.shape[-2]
    out_of_reach = terms.reach is not None and terms.past + n_q - terms.reach >= n_k
    by_cell = terms.columns is not None or (terms.bias is not None and terms.bias.dim() > 2)
    if out_of_reach or by_cell:
        return attention(q, k, v, terms)[0]
    hides = terms.mask is not None or terms.causal or terms.reach is not None
    if hides and not _finite(k) and _finite(v):
        return attention(q, k, v, terms)[0]  # the kernel adds −∞ to what it hides, and nan stays nan
    if terms.sink is not None and _one_call(replace(terms, sink=None)):
        return fast_attention(*_with_first_key(q, k, v, terms))[..., -n_q:, :]
    if terms.key_bias is not None:
        return fast_attention(*_with_channel(q, k, v, terms))[..., : v.shape[-1]]
    if k.shape[-3] != v.shape[-3]:  # the kernel needs the same number of both
        k, v = (for_each_head(x, lead[-1]) for x in (k, v))
    q, k, v = (flatten_batch(x.to(v.dtype), *lead, *x.shape[-2:]) for x in (q, k, v))
    a, b, c, causal = terms.key_vectors, terms.bias, terms.value_vectors, terms.causal
    if _one_call(terms):
        scale, grouped = terms.scale_for(q.shape[-1]), k.shape[1] < q.shape[1]
        output = scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale, enable_gqa=grouped)
        return output.reshape(*lead, n_q, v.shape[-1])

    if b is None and (causal or a is None):
        b = q.new_zeros(1, n_q + n_k - 1)
    if b is not None and causal:
        b = b.masked_fill(row_offsets(n_q, n_k, terms.past, q.device) > 0, -math.inf)
    sink = None if terms.sink is None else terms.sink[:, None, None]
    row = None if b is None else b[:, None].contiguous()
    tables = [row, None if a is None else a.table, None if c is None else c.table, sink]
    parts = _Parts(q, k, v, *(None if t is None else t.to(v.dtype).expand(lead[-1], -1, -1) for t in tables))

    mask = None if terms.mask is None else flatten_batch(terms.mask, *lead, n_q, n_k)
    only_bias = a is None and c is None and mask is None and sink is None
    fused = c is None and q.shape[-1] == v.shape[-1]
    one_view = fused and only_bias and q.device.type == "cpu"  # other kernels do not read a view
    plan = _Plan(len(q), lead[-1], lead[-1] // k.shape[1], n_q, n_k, replace(terms, mask=mask), fused, one_view)
    learns = parts.row is not None and parts.row.requires_grad
    if one_view and not (torch.is_grad_enabled() and learns):
        output = plan.attend_by_view(parts)
    else:
        output = _Blockwise.apply(plan, *parts)
    return output.reshape(*lead, n_q, v.shape[-1])


class _Parts(NamedTuple):
    """What attention is computed from: all of it, or what one block reads; in the backward pass, also its gradients."""

    q: Tensor
    k: Tensor
    v: Tensor
    row: Tensor | None = None  # of biases, (heads, 1, offsets)
    key_table: Tensor | None = None  # of a
    value_table: Tensor | None = None  # of c
    sink: Tensor | None = None  # (heads, 1, 1)


@dataclass(frozen=True)
class _Plan:
    """How attention is cut into blocks, and how one block is computed."""

    batch: int
    heads: int
    group: int  # query heads that read one head of keys and values
    n_q: int
    n_k: int
    terms: Terms  # with a mask (batch, heads, n_q, n_k)
    fused: bool  # without gradients, the fused kernel can compute a block
    one_view: bool  # there is only a bias, and the fused kernel reads its view
    zeros: strided_view.Zeros = field(default_factory=dict)

    def blocks(self, device: torch.device) -> Iterator[Slices]:
        """Blocks of queries, and of heads and texts where these are small; the buffer is freed after the last one."""
        (most, cells), reach = CPU_BLOCK if device.type == "cpu" else GPU_BLOCK, self.terms.reach
        width = self.n_k if reach is None else min(self.n_k, most + 2 * reach)  # keys of a block, at most
        rows = min(self.n_q, most, max(cells // (width * self.group), 32))
        heads = max(cells // (rows * width * self.group), 1) * self.group
        batch = max(heads // self.heads, 1)
        for r, b, h in product(_cuts(self.n_q, rows), _cuts(self.batch, batch), _cuts(self.heads, heads)):
            yield b, h, r
        self.zeros.clear()

    def keys(self, r: slice) -> slice:
        """The keys that the queries r look at: up to those of the last query, and from those of the first one on."""
        first, last, reach = self.terms.past + r.start, self.terms.past + r.stop - 1, self.terms.reach
        stop = last + 1 if self.terms.causal else self.n_k if reach is None else last + reach
        start = 0 if reach is None else min(max(0, first - reach + 1), self.n_k - 1)
        return slice(start, max(min(stop, self.n_k), start + 1))

    def columns(self, r: slice) -> slice:
        """The offsets between the queries r and their keys, as columns of a row: the last query has the smallest."""
        keys = self.keys(r)
        return slice(self.n_q - r.stop + keys.start, self.n_q - r.start + keys.stop - 1)

    def cut(self, block: Slices, whole: _Parts) -> _Parts:
        """What this block reads, as views, so that what is added to them is added to the whole."""
        b, h, r = block
        keys, columns, kv = self.keys(r), self.columns(r), slice(h.start // self.group, h.stop // self.group)
        a, c = self.terms.key_vectors, self.terms.value_vectors

        def at(tensor: Any, *where: slice) -> Any:
            return None if tensor is None else tensor[where]

        return _Parts(
            q=at(whole.q, b, h, r),
            k=at(whole.k, b, kv, keys),
            v=at(whole.v, b, kv, keys),
            row=at(whole.row, h, slice(None), columns),
            key_table=None if a is None else at(whole.key_table, h, _rows(a, columns)[0]),
            value_table=None if c is None else at(whole.value_table, h, _rows(c, columns)[0]),
            sink=at(whole.sink, h),
        )

    def attend(self, block: Slices, parts: _Parts) -> Tensor:
        """The output of one block: from the fused kernel if it can and gradients are off, else as in `attention`."""
        (b, h, r), terms, (q, k, v, *_) = block, self.terms, parts
        n_k = k.shape[-2]
        q = q.flip(-2) * terms.scale_for(q.shape[-1])
        products, ends = None, (0, 0)
        if terms.key_vectors and parts.key_table is not None:
            products, ends = q @ parts.key_table.mT, _rows(terms.key_vectors, self.columns(r))[1]
        grid = strided_view.ToGrid.apply(products, parts.row, n_k, ends, self.zeros)
        hidden = None
        if terms.mask is not None:
            hidden = ~terms.mask[b, h, r, self.keys(r)].flip(-2) | (grid == -math.inf)
        if parts.sink is not None:  # one more key, whose vector and value are 0
            grid = torch.cat([grid, parts.sink.expand(*grid.shape[:-1], 1)], -1)
            k, v = pad(k, (0, 0, 0, 1)), pad(v, (0, 0, 0, 1))
            hidden = None if hidden is None else pad(hidden, (0, 1))
        if self.fused and not torch.is_grad_enabled():
            output = _fused(q, k, v, grid if hidden is None else grid.masked_fill(hidden, -math.inf))
            if hidden is not None:
                output = output.masked_fill(hidden.all(-1, keepdim=True), 0.0)  # sees nothing: 0, not nan
            return output.flip(-2)
        scores = grouped_matmul(q, k.mT)
        scores += grid
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        weights = scores.softmax(-1).to(v.dtype)
        if hidden is not None:
            weights = weights.masked_fill(hidden, 0.0)
        output = grouped_matmul(weights, v)
        if terms.value_vectors and parts.value_table is not None:
            ends = _rows(terms.value_vectors, self.columns(r))[1]
            output = output + strided_view.FromGrid.apply(weights[..., :n_k], ends, self.zeros) @ parts.value_table
        return output.flip(-2)

    def attend_by_view(self, parts: _Parts) -> Tensor:
        """Attention with nothing but a bias: the view of its row is the mask for the whole batch."""
        q, k, v, row, *_ = parts
        assert row is not None
        outputs = []
        whole = not self.terms.causal and self.terms.reach is None
        for r in _cuts(self.n_q, self.n_q if whole else CPU_BLOCK[0]):
            keys = self.keys(r)
            grid = strided_view.view(row[..., self.columns(r)], keys.stop - keys.start)
            flipped = _fused(q[:, :, r].flip(-2), k[:, :, keys], v[:, :, keys], grid, self.terms.scale_for(q.shape[-1]))
            outputs.append(flipped.flip(-2))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs, -2)


class _Blockwise(Function):
    """Forward block by block; backward computes each block again and lets autograd differentiate it."""

    @staticmethod
    def forward(ctx: Any, plan: _Plan, *tensors: Any) -> Tensor:
        ctx.plan, whole = plan, _Parts(*tensors)
        ctx.save_for_backward(*tensors)
        if plan.one_view:
            return plan.attend_by_view(whole)
        output = whole.q.new_empty(*whole.q.shape[:-1], whole.v.shape[-1])
        for block in plan.blocks(whole.q.device):
            output[block] = plan.attend(block, plan.cut(block, whole))
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("fast_attention: differentiable once, expected no create_graph=True, or `attention`")
        plan, tensors, wanted = ctx.plan, ctx.saved_tensors, ctx.needs_input_grad[1:]
        totals: list[Any] = [torch.zeros_like(t) if want else None for t, want in zip(tensors, wanted)]
        whole, gradients = _Parts(*tensors), _Parts(*totals)
        for block in plan.blocks(grad.device):
            parts: list[Any] = [t if t is None else t.detach() for t in plan.cut(block, whole)]
            learning = [t.requires_grad_() for t, want in zip(parts, wanted) if want]
            with torch.enable_grad():
                output = plan.attend(block, _Parts(*parts))
            grads = iter(torch.autograd.grad(output, learning, grad[block]))
            for total in plan.cut(block, gradients):
                if total is not None:
                    total += next(grads)
        return None, *totals


def _finite(x: Tensor) -> bool:
    """Whether all numbers are finite. Only a CPU is asked: a GPU would be waited for, and compiled code cannot ask."""
    if torch.compiler.is_compiling() or x.device.type != "cpu":
        return True
    return bool(x.detach().sum(dtype=torch.promote_types(x.dtype, torch.float32)).isfinite())


def _one_call(terms: Terms) -> bool:
    """Whether one call of the kernel does everything: it knows no term but the causal mask, and that without a past."""
    given = (terms.bias, terms.key_vectors, terms.value_vectors, terms.mask, terms.sink)
    return all(term is None for term in given) and not (terms.causal and terms.past)


def _with_first_key(q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> tuple[Tensor, Tensor, Tensor, Terms]:
    """The same attention with the sink as one more key, before the first, and if causal with a query to go with it."""
    f = k.new_zeros(q.shape[-3], k.shape[-2]) if terms.key_bias is None else terms.key_bias
    assert terms.sink is not None
    f = torch.cat([terms.sink[:, None].expand(*f.shape[:-1], 1), f], -1)
    k, v = (pad(x, (0, 0, 1, 0)) for x in (k, v))
    return pad(q, (0, 0, 1, 0)) if terms.causal else q, k, v, replace(terms, sink=None, key_bias=f)


def _with_channel(q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> tuple[Tensor, Tensor, Tensor, Terms]:
    """The same attention with the number of each key in one more channel.

    Without a sink, the number of the last key is taken away from all of them. This changes no weight, and those of the
    nearest keys become small numbers, which are exact in any precision.
    """
    scale, f, more = terms.scale_for(q.shape[-1]), terms.key_bias, 8 - q.shape[-1] % 8
    assert f is not None
    a, c = (x and replace(x, table=pad(x.table, (0, more))) for x in (terms.key_vectors, terms.value_vectors))
    f = f if terms.sink is not None else f - f[..., -1:]
    channel = (f / scale).to(v.dtype)[..., None]
    k, v = (for_each_head(x, q.shape[-3]) for x in (k, v))
    lead = torch.broadcast_shapes(k.shape[:-1], channel.shape[:-1])
    k = torch.cat([k.to(v.dtype).expand(*lead, -1), channel.expand(*lead, 1), channel.new_zeros(*lead, more - 1)], -1)
    terms = replace(terms, key_bias=None, scale=scale, key_vectors=a, value_vectors=c)
    return pad(q, (0, more), value=1.0), k, pad(v, (0, more)), terms


def _rows(vectors: Vectors, columns: slice) -> tuple[slice, strided_view.Ends]:
    """The rows of the table that these offsets read, and how many more offsets read the first and the last of them."""
    first, last = vectors.first or 0, vectors.table.shape[-2] - 1
    low, high = (min(max(c + first, 0), last) for c in (columns.start, columns.stop - 1))
    width = columns.stop - columns.start
    before = min(max(low - (columns.start + first), 0), width - 1)
    return slice(low, high + 1), (before, width - before - (high + 1 - low))


def _fused(q: Tensor, k: Tensor, v: Tensor, grid: Tensor, scale: float = 1.0) -> Tensor:
    """softmax(scale · q kᵀ + grid) v in one kernel, which on a CPU reads any view and elsewhere needs plain strides."""
    grid = grid.detach() if grid.device.type == "cpu" else grid.detach().contiguous()  # one that may learn is not fused
    grid = grid.expand(len(q), *grid.shape[-3:])  # nor is one with three axes
    return scaled_dot_product_attention(q, k, v, attn_mask=grid, scale=scale, enable_gqa=k.shape[1] < q.shape[1])


def _cuts(n: int, size: int) -> list[slice]:
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
