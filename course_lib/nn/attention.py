"""One attention layer, with every place where relative position may enter it."""

import math

import torch
from torch import Tensor, nn

from .cache import KeyValueCache, SegmentMemory
from .grid import from_grid, to_grid
from .position import Position, Vectors


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
    n_q = _check_shapes(q, k, v, bias, key_vectors, value_vectors)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    s = q @ k.mT
    if key_vectors is not None:
        s = s + to_grid(key_vectors.dot(q), n_q)
    s = scale * s
    if bias is not None:
        s = s + to_grid(bias[:, None], n_q)
    if mask is not None:
        _check_mask(mask, s.shape)
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


class RelativeAttention(nn.Module):
    """Multi-head attention that owns projections, masks and cache, and asks `position` how offsets enter.

    d_model must be a multiple of n_heads. `causal` hides the keys after each query. `position` is a `Position`
    (none: attention that is blind to order). Raises ValueError for sizes that do not fit.
    """

    def __init__(self, d_model: int, n_heads: int, position: Position | None = None, *, causal: bool = False) -> None:
        super().__init__()
        if n_heads < 1 or d_model < 1 or d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}: d_model must be a positive multiple of n_heads")
        self.n_heads, self.causal = n_heads, causal
        self.position = Position() if position is None else position
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        cache: KeyValueCache | SegmentMemory | None = None,
    ) -> Tensor:
        """x (batch, n_q, d_model) looks at itself, or at memory (batch, n_k, d_model) when given.

        mask broadcasts to (batch, heads, n_q, n_k), True where a query may look. With a cache, x continues what the
        cache holds: its first query stands at position len(cache). Returns (batch, n_q, d_model).
        """
        if cache is not None and memory is not None:
            raise ValueError("cache: keeps the keys of self-attention, expected None together with memory")
        self._check_input(x, memory)
        past = 0 if cache is None else len(cache)
        source = x if memory is None else memory
        if isinstance(cache, SegmentMemory):
            source = cache.append(x)
        q, k, v = self._heads(self.query(x)), self._heads(self.key(source)), self._heads(self.value(source))
        q, k = self.position.rotate(q, k, past, past if isinstance(cache, KeyValueCache) else 0)
        if isinstance(cache, KeyValueCache):
            k, v = cache.append(k, v)
        n_q, n_k = q.shape[-2], k.shape[-2]
        if mask is not None:
            _check_mask(mask, torch.Size((len(x), self.n_heads, n_q, n_k)))
        if self.causal:
            visible = causal_mask(n_q, n_k, past, x.device)
            mask = visible if mask is None else mask & visible
        output, _ = attention(
            q,
            k,
            v,
            bias=self.position.bias(n_q, n_k, past),
            key_vectors=self.position.key_vectors(n_q, n_k, past),
            value_vectors=self.position.value_vectors(n_q, n_k, past),
            scale=self.position.scale,
            mask=mask,
        )
        return self.out(output.transpose(-2, -3).flatten(-2))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def _check_input(self, x: Tensor, memory: Tensor | None) -> None:
        for name, value in (("x", x), ("memory", memory)):
            if value is not None and (value.dim() != 3 or value.shape[-1] != self.query.in_features):
                raise ValueError(f"{name} {tuple(value.shape)}: expected (batch, length, {self.query.in_features})")
        if memory is not None and len(memory) != len(x):
            raise ValueError(f"memory {tuple(memory.shape)}: expected the batch of x, {len(x)}")


def _check_mask(mask: Tensor, shape: torch.Size) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(f"mask of {mask.dtype}: expected torch.bool, True where a query may look")
    if mask.dim() > len(shape) or any(m not in (1, n) for m, n in zip(reversed(mask.shape), reversed(shape))):
        raise ValueError(f"mask {tuple(mask.shape)}: does not broadcast to the scores {tuple(shape)}")


def _check_shapes(
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
