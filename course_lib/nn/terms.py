"""What enters attention besides queries, keys and values: one value, which every backend takes."""

import math
from dataclasses import dataclass
from itertools import zip_longest

import torch
from torch import Tensor

from ..checks import check_whole
from ..reference.grid import check_sizes
from .places import Places
from .position import Position, Vectors


@dataclass(frozen=True)
class Terms:
    """The terms of softmax_j(scale · q_i·(k_j + a_{j−i}) + b_{j−i} + f_j), applied to v_j + c_{j−i}.

    a, b and c have one entry per offset, in the order of `row_offsets`. What is None adds nothing. Hidden values
    v_j must be finite, because 0 · nan is nan. Hidden keys need not be on a CPU. On a GPU they must be for the fast
    path, too, because to ask for them would make each call wait for the GPU; and so they must be in compiled code.
    """

    bias: Tensor | None = None  # b (heads or 1, n_q + n_k − 1), or a number per cell, (…, heads or 1, n_q, n_k)
    key_bias: Tensor | None = None  # f (…, heads, n_k)
    sink: Tensor | None = None  # (heads,): the score of one more key, which has no value
    key_vectors: Vectors | None = None  # a
    value_vectors: Vectors | None = None  # c
    scale: float | None = None  # None: 1/√d
    mask: Tensor | None = None  # True where a query may look; (n_k,), (n_q, n_k) or every axis of (…, heads, n_q, n_k)
    causal: bool = False  # hides the keys after each query, too
    past: int = 0  # the position of the first query; the first key is at position 0
    reach: int | None = None  # b is −inf for every |offset| ≥ reach, so these keys need not be read
    columns: Tensor | None = None  # (batch or 1, n_q, n_k): which entry of a and c, where it is not j − i + n_q − 1

    @classmethod
    def of(
        cls,
        position: Position,
        n_q: int,
        n_k: int,
        past: int,
        first_key: int = 0,
        *,
        places: Places | None = None,
        key_bias: Tensor | None = None,
        mask: Tensor | None = None,
        causal: bool = False,
    ) -> "Terms":
        """What the hooks of a scheme return for n_q queries and n_k keys, and what the layer adds to it.

        past and first_key: the positions of the first query and key; places: those of all, if they are not counted.
        Then the last n_q keys are those of the queries, and causal means this order.
        """
        reach, columns = position.reach, None
        if places is None:
            sizes = n_q, n_k, past - first_key  # a row says only how far apart
            bias = position.bias(*sizes)
            if first_key and bias is not None and bias.dim() == 3:
                whole = position.bias(n_q, first_key + n_k, past)
                bias = None if whole is None else whole[..., first_key:]
        else:
            sizes, bias = places.sizes, position.at_places("bias")(places)
            past, first_key = max(n_k - n_q, 0), 0
            if bias is not None and reach is not None:  # it counts keys, so −∞ must say which
                seen, reach = bias > -math.inf, None
                mask = seen if mask is None else mask & seen
        key_vectors, value_vectors = position.key_vectors(*sizes), position.value_vectors(*sizes)
        if places is not None and (key_vectors or value_vectors):
            columns = places.columns
        return cls(
            bias=bias,
            key_bias=key_bias,
            sink=position.sink(),
            key_vectors=key_vectors,
            value_vectors=value_vectors,
            scale=position.scale,
            mask=mask,
            causal=causal,
            past=past - first_key,
            reach=reach,
            columns=columns,
        )

    def scale_for(self, d: int) -> float:
        """The number that multiplies q·k, for vectors of length d."""
        return d**-0.5 if self.scale is None else self.scale

    def check(self, q: Tensor, k: Tensor, v: Tensor) -> torch.Size:
        """The leading axes (…, heads) of the output, or a ValueError that names the argument that does not fit.

        k and v may have fewer heads than q, a number that divides those of q: then query head h reads head h // group.
        """
        if min(q.dim(), k.dim(), v.dim()) < 3:
            raise ValueError(f"{_shapes(q, k, v)}: expected (…, heads, length, d)")
        heads, n_q, n_k = q.shape[-3], q.shape[-2], k.shape[-2]
        check_sizes(n_q, n_k, self.past)
        if q.shape[-1] != k.shape[-1]:
            raise ValueError(f"q {tuple(q.shape)}, k {tuple(k.shape)}: the last axis d must be the same")
        if v.shape[-2] != n_k:
            raise ValueError(f"v {tuple(v.shape)}: expected one row per key, (…, heads, {n_k}, d)")
        for name, x in (("k", k), ("v", v)):
            if x.shape[-3] < 1 or heads % x.shape[-3]:
                raise ValueError(f"{name} {tuple(x.shape)}: expected a number of heads that divides the {heads} of q")
        lead, width = [heads], n_q + n_k - 1
        for axes in zip_longest(*(reversed(x.shape[:-3]) for x in (q, k, v)), fillvalue=1):
            if any(axis not in (1, max(axes)) for axis in axes):
                raise ValueError(f"{_shapes(q, k, v)}: the leading axes before the heads must be the same or 1")
            lead.insert(0, max(axes))
        if self.bias is not None:
            found, shape = tuple(self.bias.shape), (width,) if self.bias.dim() == 2 else (n_q, n_k)
            if found[-1 - len(shape) :] not in ((heads, *shape), (1, *shape)):
                raise ValueError(
                    f"bias {found}: expected ({heads} or 1, {', '.join(map(str, shape))}) for n_q={n_q}, n_k={n_k}"
                )
        if self.key_bias is not None and self.key_bias.shape[-2:] != (heads, n_k):
            raise ValueError(f"key_bias {tuple(self.key_bias.shape)}: expected (…, {heads}, {n_k}) for n_k={n_k}")
        for name, term, own in (("bias", self.bias, 3), ("key_bias", self.key_bias, 2)):
            front = () if term is None else term.shape[:-own]
            if any(m not in (1, n) for m, n in zip_longest(reversed(front), reversed(lead[:-1]), fillvalue=1)):
                raise ValueError(f"{name}: axes {tuple(front)} before the heads, expected those of q, {lead[:-1]}")
        if self.sink is not None and self.sink.shape != (heads,):
            raise ValueError(f"sink {tuple(self.sink.shape)}: expected ({heads},), a score for each head")
        if self.reach is not None:
            check_whole("reach", self.reach)
        for name, vectors, x in (("key_vectors", self.key_vectors, q), ("value_vectors", self.value_vectors, v)):
            if vectors is None:
                continue
            any_rows = vectors.first is not None or self.columns is not None
            table, d, rows = tuple(vectors.table.shape), x.shape[-1], "rows" if any_rows else width
            if (
                len(table) != 3
                or not table[1]
                or table[0] not in (1, heads)
                or rows not in (table[1], "rows")
                or table[2] != d
            ):
                expected = f"expected ({heads} or 1, {rows}, {d}) for n_q={n_q}, n_k={n_k}"
                raise ValueError(f"{name}: table {table}, {expected}")
        if self.mask is not None:
            check_mask(self.mask, torch.Size((*lead, n_q, n_k)))
        return torch.Size(lead)


def check_mask(mask: Tensor, shape: torch.Size) -> None:
    """A ValueError unless the mask is of truth values and broadcasts to the scores (…, heads, n_q, n_k).

    Two axes are n_q and n_k. One axis more may be the heads' or the batch's, so it has no meaning.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask of {mask.dtype}: expected torch.bool, True where a query may look")
    fits = all(m in (1, n) for m, n in zip(reversed(mask.shape), reversed(shape)))
    if mask.dim() not in (0, 1, 2, len(shape)) or not fits:
        expected = f"expected {tuple(shape[-2:])}, or {len(shape)} axes that broadcast to {tuple(shape)}"
        raise ValueError(f"mask {tuple(mask.shape)}: {expected}")


def flatten_batch(x: Tensor, *shape: int) -> Tensor:
    """x, expanded to shape (…, heads, length, d), as (batch, heads, length, d): all axes before the heads in one.

    Fewer heads than `shape` has stay as they are, unless there is only one, which a view repeats without a copy.
    """
    heads = shape[-3] if x.dim() < 3 or x.shape[-3] == 1 else x.shape[-3]
    return x.expand(*shape[:-3], heads, *shape[-2:]).reshape(-1, heads, *shape[-2:])


def for_each_head(x: Tensor, heads: int) -> Tensor:
    """Keys or values (…, n_kv_heads, n, d) as (…, heads, n, d), each repeated in memory for all heads that read it."""
    return x if x.shape[-3] in (1, heads) else x.repeat_interleave(heads // x.shape[-3], -3)


def grouped_matmul(x: Tensor, y: Tensor) -> Tensor:
    """x (…, heads, n, m) times y (…, n_kv_heads, m, p), where head h of x reads head h // group of y; (…, heads, n, p).

    The rows of all heads of a group become one matrix, so y need not be repeated.
    """
    heads, n_kv_heads = x.shape[-3], y.shape[-3]
    if n_kv_heads in (1, heads):
        return x @ y
    rows = x.unflatten(-3, (n_kv_heads, -1)).flatten(-3, -2)
    return (rows @ y).unflatten(-2, (-1, x.shape[-2])).flatten(-4, -3)


def _shapes(q: Tensor, k: Tensor, v: Tensor) -> str:
    return f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
