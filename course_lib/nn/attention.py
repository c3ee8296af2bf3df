"""Attention, with every place where relative position may enter it, as the formula reads."""

import math
from itertools import zip_longest

import torch
from torch import Tensor

from .grid import from_grid, to_grid
from .position import Vectors


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    bias: Tensor | None = None,
    key_vectors: Vectors | None = None,
    value_vectors: Vectors | None = None,
    scale: float | None = None,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """softmax_j(scale · q_i·(k_j + a_{j−i}) + b_{j−i}), applied to v_j + c_{j−i}.

    q (…, heads, n_q, d), k and v (…, heads, n_k, d). Per offset, in the order of `row_offsets`: bias b
    (heads or 1, n_q + n_k − 1), key_vectors a and value_vectors c (`Vectors`). mask broadcasts to
    (…, heads, n_q, n_k), True where a query may look. scale is 1/√d by default. Returns output (…, heads, n_q, d)
    and weights (…, heads, n_q, n_k); a query that may look nowhere gets zeros.
    Raises ValueError when shapes do not fit.
    Sources: Vaswani et al. 2017, eq. 1; a and c: Shaw et al. 2018, eqs. 3 and 4; b: Raffel et al. 2020, section 2.1.
    """
    n_q = check_shapes(q, k, v, bias, key_vectors, value_vectors)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    s = q @ k.mT
    if key_vectors is not None:
        s = s + to_grid(key_vectors.dot(q), n_q)
    s = scale * s
    if bias is not None:
        s = s + to_grid(bias[:, None], n_q)
    if mask is not None:
        check_mask(mask, s.shape)
        s = s.masked_fill(~mask, -math.inf)
    weights = s.softmax(-1).to(v.dtype)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # a row with nothing to look at is 0, not nan
    output = weights @ v
    if value_vectors is not None:
        output = output + value_vectors.mix(from_grid(weights, shared=False))
    return output, weights


def causal_mask(n_q: int, n_k: int, past: int = 0, device: torch.device | str | None = None) -> Tensor:
    """True where query i may look: key j is not after position past + i. Shape (n_q, n_k)."""
    return torch.ones(n_q, n_k, dtype=torch.bool, device=device).tril(past)


def check_mask(mask: Tensor, shape: torch.Size) -> None:
    """A ValueError unless the mask is of truth values and broadcasts to the scores."""
    if mask.dtype != torch.bool:
        raise ValueError(f"mask of {mask.dtype}: expected torch.bool, True where a query may look")
    if mask.dim() > len(shape) or any(m not in (1, n) for m, n in zip(reversed(mask.shape), reversed(shape))):
        raise ValueError(f"mask {tuple(mask.shape)}: does not broadcast to the scores {tuple(shape)}")


def check_shapes(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, key_vectors: Vectors | None, value_vectors: Vectors | None
) -> int:
    """n_q when everything fits together, else a ValueError that names what does not."""
    if min(q.dim(), k.dim(), v.dim()) < 3:
        raise ValueError(f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}: expected (…, heads, length, d)")
    heads, n_q, n_k = q.shape[-3], q.shape[-2], k.shape[-2]
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q {tuple(q.shape)}, k {tuple(k.shape)}: the last axis d must be the same")
    if v.shape[-2] != n_k:
        raise ValueError(f"v {tuple(v.shape)}: expected one row per key, (…, heads, {n_k}, d)")
    for axes in zip_longest(*(reversed(x.shape[:-2]) for x in (q, k, v)), fillvalue=1):
        if len({*axes} - {1}) > 1:
            shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in (("q", q), ("k", k), ("v", v)))
            raise ValueError(f"{shapes}: the leading axes (…, heads) must be the same or 1")
    width = n_q + n_k - 1
    if bias is not None and (bias.dim() != 2 or bias.shape[0] not in (1, heads) or bias.shape[1] != width):
        raise ValueError(f"bias {tuple(bias.shape)}: expected ({heads} or 1, {width}) for n_q={n_q}, n_k={n_k}")
    for name, vectors, d in (("key_vectors", key_vectors, q.shape[-1]), ("value_vectors", value_vectors, v.shape[-1])):
        if vectors is None:
            continue
        table, offsets = vectors.table, vectors.table.shape[-2] if vectors.index is None else len(vectors.index)
        if table.dim() != 3 or table.shape[0] not in (1, heads) or table.shape[-1] != d or offsets != width:
            raise ValueError(
                f"{name}: table {tuple(table.shape)} for {offsets} offsets, "
                f"expected ({heads} or 1, rows, {d}) for {width} offsets (n_q={n_q}, n_k={n_k})"
            )
    return n_q
