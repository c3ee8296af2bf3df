"""The attention layer of a model: it has the projections, and asks a scheme how offsets enter."""

import torch
from torch import Tensor, nn

from ..reference.grid import check_whole
from .attention import attention, scores
from .backends import attend, check_backend
from .cache import KeyValueCache, SegmentMemory
from .position import Position
from .terms import Terms


class RelativeAttention(nn.Module):
    """Multi-head attention, W_o softmax_j(score_ij) v_j, whose `position` says how offsets enter score and values.

    d_model must be a multiple of n_heads. Without a `position`, attention is blind to order. `causal` hides the keys
    after each query. `backend` says how attention is computed: "auto", "eager", "sdpa" or "flex" (see `backends`).
    `n_kv_heads`, a divisor of n_heads: so many heads of keys and values, each read by a group of neighbouring query
    heads; query head h reads head h // (n_heads // n_kv_heads). None: one for each query head.
    projection_bias: whether the four projections add a learned vector, W x + c, as those of BERT and MPNet do.
    Raises ValueError for sizes that do not fit, a position that is not a scheme, and an unknown backend.
    Sources: Vaswani et al. 2017, section 3.2.2; grouped queries: Ainslie et al. 2023, section 2.2.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        position: Position | None = None,
        *,
        n_kv_heads: int | None = None,
        projection_bias: bool = False,
        causal: bool = False,
        backend: str = "auto",
    ) -> None:
        super().__init__()
        self.backend = check_backend(backend)
        if n_heads < 1 or d_model < 1 or d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}: d_model must be a positive multiple of n_heads")
        if not isinstance(position, Position | None):
            raise ValueError(f"position={position!r}: expected a scheme, which is a Position, or None")
        n_kv_heads = n_heads if n_kv_heads is None else check_whole("n_kv_heads", n_kv_heads)
        if n_heads % n_kv_heads:
            raise ValueError(f"n_kv_heads={n_kv_heads}: expected a number that divides n_heads={n_heads}")
        self.n_heads, self.n_kv_heads, self.causal = n_heads, n_kv_heads, causal
        self.position = Position() if position is None else position
        d_kv = n_kv_heads * (d_model // n_heads)
        widths = (d_model, d_kv, d_kv, d_model)
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, width, projection_bias) for width in widths)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        cache: KeyValueCache | SegmentMemory | None = None,
    ) -> Tensor:
        """x (batch, n_q, d_model) looks at itself, or at memory (batch, n_k, d_model) when given.

        mask broadcasts to (batch, heads, n_q, n_k), True where a query may look. With a cache, x continues the text in
        the cache, so its first query is at position len(cache), and n_k counts the keys in the cache that some query of
        x sees, and those of x. Returns (batch, n_q, d_model).
        Raises ValueError for shapes that do not fit, and for a cache together with a memory.
        """
        output = attend(self.backend, *self._prepared(x, memory, mask, cache))
        return self.out(output.transpose(-2, -3).flatten(-2))

    def weights(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        cache: KeyValueCache | SegmentMemory | None = None,
    ) -> Tensor:
        """softmax_j(score_ij), which `forward` with the same arguments applies to the values: (batch, heads, n_q, n_k).

        Raises ValueError as `forward` does.
        """
        return attention(*self._prepared(x, memory, mask, cache))[1]

    def scores(
        self, x: Tensor, memory: Tensor | None = None, *, cache: KeyValueCache | SegmentMemory | None = None
    ) -> Tensor:
        """score_ij, before mask and sink, of `forward` with the same arguments: (batch, heads, n_q, n_k)."""
        q, k, _, terms = self._prepared(x, memory, None, cache)
        return scores(q, k, terms)

    def heads(self, x: Tensor) -> Tensor:
        """(batch, n, heads · d_head) as (batch, heads, n, d_head)."""
        return x.unflatten(-1, (-1, self.query.in_features // self.n_heads)).transpose(-2, -3)

    def _prepared(
        self, x: Tensor, memory: Tensor | None, mask: Tensor | None, cache: KeyValueCache | SegmentMemory | None
    ) -> tuple[Tensor, Tensor, Tensor, Terms]:
        """Queries, keys and values, and what else enters attention."""
        if cache is not None and memory is not None:
            raise ValueError("cache: keeps the keys of self-attention, expected None together with memory")
        self._check_input(x, memory)
        past = 0 if cache is None else len(cache)
        source = x if memory is None else memory
        if isinstance(cache, SegmentMemory):
            source = cache.append(x)
        q, k, v = self.heads(self.query(x)), self.heads(self.key(source)), self.heads(self.value(source))
        keys = cache if isinstance(cache, KeyValueCache) else KeyValueCache()
        key_bias = self.position.key_bias(source, keys.last_key_bias)
        late = self.position.caches_unrotated or keys.renumbered
        if not late:
            q, k = self.position.rotate(q, k, past, len(keys))
        k, v = keys.append(k, v)
        key_bias = keys.append_key_bias(key_bias)
        if late:
            q, k = self._rotate(q, k, past, keys.spans())
        terms = Terms.of(
            self.position,
            q.shape[-2],
            k.shape[-2],
            past,
            spans=keys.spans(),
            key_bias=key_bias,
            mask=keys.mask(mask),
            causal=self.causal,
        )
        return q, k, v, terms

    def _rotate(self, q: Tensor, k: Tensor, past: int, spans: list[range]) -> tuple[Tensor, Tensor]:
        """Queries, and keys at the positions of these spans, one span after another."""
        parts = k.split([len(span) for span in spans], -2)
        turned = [self.position.rotate(q, part, past, span.start) for part, span in zip(parts, spans, strict=True)]
        return turned[0][0], torch.cat([keys for _, keys in turned], -2)

    def _check_input(self, x: Tensor, memory: Tensor | None) -> None:
        for name, value in (("x", x), ("memory", memory)):
            if value is not None and (value.dim() != 3 or value.shape[-1] != self.query.in_features):
                raise ValueError(f"{name} {tuple(value.shape)}: expected (batch, length, {self.query.in_features})")
        if memory is not None and len(memory) != len(x):
            raise ValueError(f"memory {tuple(memory.shape)}: expected the batch of x, {len(x)}")
