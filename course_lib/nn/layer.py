"""The attention layer of a model: it has the projections, and asks a scheme how offsets enter."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from ..checks import check_whole
from .attention import attention, scores
from .backends import attend, check_backend
from .cache import Cache, KeyValueCache
from .places import Places, check_positions, places_of
from .position import Position
from .terms import Terms, check_mask

T = TypeVar("T")


class RelativeAttention(nn.Module):
    """Multi-head attention, W_o softmax_j(score_ij) v_j, whose `position` says how offsets enter score and values.

    d_model must be a multiple of n_heads. Without a `position`, attention is blind to order. `causal` hides the keys
    that come after each query in the row, wherever their positions are. `backend` says how attention is computed:
    "auto", "eager" or "sdpa" (see `backends`).
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
        positions: Tensor | None = None,
        memory_positions: Tensor | None = None,
        mask: Tensor | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """x (batch, n_q, d_model) looks at itself, or at memory (batch, n_k, d_model) when given.

        positions, memory_positions: whole numbers, (n,) or (batch, n), for each token where it is: behind padding, in
        one of several documents, on a branch of a tree. The scheme reads them; who sees whom is said by `causal` and by
        the mask. Without them, tokens are counted: those of the memory from 0, and those of x from cache.past on. If
        the cache was given positions, those of x follow the position of the last token of each row, even if it is
        padding. So number the prompt and the new tokens alike: both by positions, or neither.
        mask (n_k,), (n_q, n_k) or (batch, heads, n_q, n_k), with 1 for an axis that does not matter: True where a query
        may look. Of padding (batch, n_k), pass padding[:, None, None]. With a cache, n_k counts the keys in the cache
        that some query of x sees, and those of x. The cache keeps no mask: each call says which old keys are hidden.
        Returns (batch, n_q, d_model).
        Raises ValueError for shapes that do not fit, for positions that are not whole or that the scheme has no number
        for, and for a memory in a causal layer or together with a cache. Then the cache stays as it was.
        """
        options: Any = {"positions": positions, "memory_positions": memory_positions, "mask": mask, "cache": cache}
        output = self._computed(partial(attend, self.backend), x, memory, store=True, **options)
        return self.out(output.transpose(-2, -3).flatten(-2))

    def weights(self, x: Tensor, memory: Tensor | None = None, **options: Any) -> Tensor:
        """softmax_j(score_ij), which `forward` with the same arguments applies to the values: (batch, heads, n_q, n_k).

        A cache stays as it is. Raises ValueError as `forward` does.
        """
        return self._computed(attention, x, memory, **options)[1]

    def scores(self, x: Tensor, memory: Tensor | None = None, **options: Any) -> Tensor:
        """score_ij, before mask and sink, of `forward` with the same arguments: (batch, heads, n_q, n_k).

        A cache stays as it is. Raises ValueError as `forward` does.
        """
        return self._computed(lambda q, k, v, terms: scores(q, k, terms), x, memory, **options)

    def heads(self, x: Tensor) -> Tensor:
        """(batch, n, heads · d_head) as (batch, heads, n, d_head)."""
        return x.unflatten(-1, (-1, self.query.in_features // self.n_heads)).transpose(-2, -3)

    def _computed(
        self,
        compute: Callable[[Tensor, Tensor, Tensor, Terms], T],
        x: Tensor,
        memory: Tensor | None,
        *,
        positions: Tensor | None = None,
        memory_positions: Tensor | None = None,
        mask: Tensor | None = None,
        cache: Cache | None = None,
        store: bool = False,
    ) -> T:
        """What `compute` makes of queries, keys, values and all else that enters attention. A cache changes last."""
        self._check_input(x, memory, memory_positions, cache)
        n, past = x.shape[-2], 0 if cache is None else cache.past
        positions = _rows("positions", positions, x)
        if positions is None and cache is not None:
            positions = cache.following(n)
        source, key_positions = x, positions
        if memory is not None:
            source, key_positions = memory, _rows("memory_positions", memory_positions, memory)
        read = {"x": source} if key_positions is None else {"x": source, "positions": key_positions}
        if isinstance(cache, KeyValueCache):
            keys = cache
        else:
            keys = KeyValueCache()
            if cache is not None:  # it remembers what keys and values are formed from
                read = cache.seen(read)
                source, key_positions = read["x"], read.get("positions")

        position, q, new = self.position, self.heads(self.query(x)), self._new_rows(source, key_positions, keys)
        late = position.caches_unrotated or keys.renumbered  # a cache has keys before `prepare`, which gets all of them
        if not late:
            first_new = keys.past
            places = places_of(q, past, positions, new["k"], first_new, key_positions)
            q, new["k"] = self._placed(q, new["k"], places, past, first_new)
        rows = keys.seen(new)
        k, n_k = rows["k"], rows["k"].shape[-2]
        if mask is not None:
            check_mask(mask, torch.Size((x.shape[0], self.n_heads, n, n_k)))
        first = past + n - n_k if memory is None else 0
        places = places_of(q, past, positions, k, first, keys.gap(n) if key_positions is None else rows["positions"])
        if late:
            q, k = self._placed(q, k, places, past, first)

        terms = Terms.of(
            position,
            n,
            n_k,
            past,
            first,
            places=places,
            key_bias=rows["key_bias"][..., 0] if "key_bias" in rows else None,
            mask=keys.mask(mask, n, x.device),
            causal=self.causal,
        )
        result = compute(q, k, rows["v"], terms)
        if store and cache is not None:
            cache.store(rows if cache is keys else read, n)
        return result

    def _new_rows(self, source: Tensor, positions: Tensor | None, keys: KeyValueCache) -> dict[str, Tensor]:
        """What a cache keeps of new tokens: keys before `prepare`, values, and where there are any, f and positions."""
        rows = {"k": self.heads(self.key(source)), "v": self.heads(self.value(source))}
        key_bias = self.position.key_bias(source, keys.last_key_bias)
        if key_bias is not None:
            rows["key_bias"] = key_bias[..., None]
        if positions is not None:
            self._check_positions(positions, keys, key_bias)
            rows["positions"] = positions
        return rows

    def _placed(self, q: Tensor, k: Tensor, places: Places | None, past: int, first_key: int) -> tuple[Tensor, Tensor]:
        """Queries and keys, changed by the scheme for where they are."""
        if places is None:
            return self.position.prepare(q, k, past, first_key)
        return self.position.at_places("prepare")(q, k, places)

    def _check_positions(self, positions: Tensor, keys: KeyValueCache, key_bias: Tensor | None) -> None:
        """A ValueError for positions (batch or 1, n, 1) of new keys that neither cache nor scheme can number."""
        if keys.renumbered:
            raise ValueError("positions: a renumbered cache counts them itself, expected None")
        if key_bias is None:
            return
        follows = [(positions[:, 1:], positions[:, :-1] + 1)]
        if keys.past:
            begin, after = positions[:, :1], keys.following(1)
            follows.append((begin, torch.full_like(begin, keys.past) if after is None else after))
        if any(((at != expected) & (at > 0)).any() for at, expected in follows):  # else padding, or a text begins
            name = type(self.position).__name__
            raise ValueError(f"positions: {name} adds up a number per token, expected 1 more each time, or 0")

    def _check_input(
        self, x: Tensor, memory: Tensor | None, memory_positions: Tensor | None, cache: Cache | None
    ) -> None:
        check_whole("n_q", x.shape[-2] if x.dim() == 3 else 1)
        for name, value in (("x", x), ("memory", memory)):
            if value is not None and (value.dim() != 3 or value.shape[-1] != self.query.in_features):
                raise ValueError(f"{name} {tuple(value.shape)}: expected (batch, length, {self.query.in_features})")
        if memory is None and memory_positions is not None:
            raise ValueError("memory_positions: expected None without a memory")
        if memory is not None and len(memory) != len(x):
            raise ValueError(f"memory {tuple(memory.shape)}: expected the batch of x, {len(x)}")
        if memory is not None and cache is not None:
            raise ValueError("cache: keeps the keys of self-attention, expected None together with memory")
        if memory is not None and self.causal:
            raise ValueError("memory: is neither before nor after x, expected a layer with causal=False")


def _rows(name: str, positions: Tensor | None, x: Tensor) -> Tensor | None:
    """Given positions of the tokens of x as (batch or 1, n, 1); an empty batch needs none."""
    if positions is None or not len(x):
        return None
    return check_positions(name, positions, x).reshape(-1, x.shape[-2], 1)
