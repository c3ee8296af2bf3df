"""What can be changed in a trained model without training: its rotation, its scores, and what a query may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ..nn.grid import to_grid
from ..nn.position import Combined, Position
from ..nn.rope import RoPE, turned_pairs
from ..nn.terms import for_each_head
from ..reference.absolute import frequencies
from ..reference.grid import check_whole

Heads = Iterable[tuple[int, int]]  # pairs (layer, head), both counted from 0
Placed = tuple[tuple[tuple[Tensor, Position], ...], ...]  # for each layer: schemes, each with its heads (n_heads,)


class Turned(Position):
    """RoPE with a position for each token, and for each head its own speeds and a further turn of its queries.

        (R_{p_i + t_h} q_i) · (R_{p_j} k_j), where pair m of head h turns by speeds[h, m] per position

    positions p (tokens,), or None for 0, 1, 2, …; turn_query t (n_heads,) in positions; speeds (n_heads, pairs) in
    radians per position. The angles are computed in float64, so positions may be large.
    """

    def __init__(self, positions: Tensor | None, turn_query: Tensor, speeds: Tensor, interleaved: bool) -> None:
        super().__init__()
        self.positions, self.turn_query, self.interleaved = positions, turn_query, interleaved
        self.speeds = speeds[:1] if (speeds == speeds[0]).all() else speeds  # if alike, keys keep their groups

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        k = k if len(self.speeds) == 1 else for_each_head(k, q.shape[-3])
        first_key = past if first_key is None else first_key
        return self._turned(q, past, self.turn_query), self._turned(k, first_key, torch.zeros(1))

    def _turned(self, x: Tensor, first: int, more: Tensor) -> Tensor:
        """x (batch, heads, n, d), whose first row is token number `first`, at so many positions more."""
        last = first + x.shape[-2]
        positions = torch.arange(last) if self.positions is None else self.positions
        if len(positions) < last:
            raise ValueError(f"positions {tuple(positions.shape)}: expected one for each of {last} tokens")
        more = more if more.any() else more[:1]
        angle = (positions[first:last].double() + more.double()[:, None])[..., None] * self.speeds[:, None]
        return turned_pairs(x, angle.cos().to(x.dtype), angle.sin().to(x.dtype), self.interleaved)


class ScoreFactor(Position):
    """Queries times a factor per head (n_heads,), which multiplies scale · q·k."""

    def __init__(self, factor: Tensor) -> None:
        super().__init__()
        self.factor = factor

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        return q * self.factor[:, None, None].to(q.dtype), k


class Cells(Position):
    """A bias given as numbers, (n, n) or (n_heads, n, n), row i for query i."""

    def __init__(self, numbers: Tensor) -> None:
        super().__init__()
        self.numbers = numbers if numbers.dim() == 3 else numbers[None]

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        return self.numbers[:, past : past + n_q, :n_k]  # attention refuses one that ends too early


class InHeads(Position):
    """One scheme in the heads `chosen` (n_heads truth values) and another in the rest: their rotations and biases.

    Raises ValueError for a scheme that enters in another way, because that would change all heads.
    """

    def __init__(self, chosen: Tensor, position: Position, rest: Position) -> None:
        super().__init__()
        hooks = ("key_bias", "sink", "key_vectors", "value_vectors")
        if any(getattr(type(position), name) is not getattr(Position, name) for name in hooks) or position.reach:
            raise ValueError(f"{type(position).__name__} in some heads only: expected a rotation or a bias")
        self.chosen, self.position, self.rest = chosen, position, rest

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        (q1, k1), (q2, k2) = (one.rotate(q, k, past, first_key) for one in (self.position, self.rest))
        k1, k2 = (for_each_head(x, q.shape[-3]) for x in (k1, k2))
        return torch.where(self.chosen[:, None, None], q1, q2), torch.where(self.chosen[:, None, None], k1, k2)

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor | None:
        biases = [one.bias(n_q, n_k, past) for one in (self.position, self.rest)]
        if biases == [None, None]:
            return None
        rows = [torch.zeros(1, n_q + n_k - 1) if bias is None else bias for bias in biases]
        a, b = (bias if bias.dim() == 3 else to_grid(bias[:, None], n_q) for bias in rows)
        return torch.where(self.chosen[:, None, None], a, b)


@dataclass(frozen=True)
class Changes:
    """All that is changed at one time. `with_` gives a copy with more changed, `position` says what a layer gets."""

    rope: RoPE
    trained: Tensor  # (pairs,), the speeds of RoPE
    speeds: Tensor  # (layers, heads, pairs)
    turn_query: Tensor  # (layers, heads)
    score_factor: Tensor  # (layers, heads)
    stopped: Tensor  # (layers, heads), True for a stopped head
    schemes: Placed
    biases: Placed
    positions: Tensor | None = None
    mask: Tensor | None = None
    window: int | None = None
    sinks: tuple[int, ...] = ()

    @classmethod
    def none(cls, rope: RoPE, n_layers: int, n_heads: int) -> "Changes":
        """A model as it was trained."""
        trained, zeros = torch.from_numpy(frequencies(rope.d_head, rope.base)), torch.zeros(n_layers, n_heads).double()
        speeds, nothing = trained.expand(n_layers, n_heads, -1), ((),) * n_layers
        return cls(rope, trained, speeds, zeros, zeros + 1, zeros.bool(), nothing, nothing)

    def with_(
        self,
        layers: Iterable[int] | None,
        heads: Heads | None,
        position: Position | None,
        speeds: Sequence[float] | Tensor | None,
        turn_query: float | None,
        score_factor: float | None,
        bias: Position | Tensor | None,
        positions: Tensor | None,
        mask: Tensor | None,
        window: int | None,
        sinks: Iterable[int],
        stopped_heads: Heads,
    ) -> "Changes":
        """The same with more changed; the arguments of `Released.changed`."""
        where = self._where(layers, heads)
        new: dict[str, Any] = {"stopped": self.stopped | self._where(None, stopped_heads)}
        if speeds is not None:
            row = torch.as_tensor(speeds, dtype=torch.float64)
            if row.shape != self.trained.shape or not row.isfinite().all():
                raise ValueError(f"speeds {tuple(row.shape)}: expected {len(self.trained)} finite numbers")
            new["speeds"] = torch.where(where[..., None], row, self.speeds)
        for name, number in (("turn_query", turn_query), ("score_factor", score_factor)):
            if number is not None:
                new[name] = torch.where(where, float(number), getattr(self, name))
        bias = Cells(bias) if isinstance(bias, Tensor) else bias
        for name, placed, scheme in (("schemes", self.schemes, position), ("biases", self.biases, bias)):
            if scheme is not None:
                new[name] = tuple((*old, (row, scheme)) if row.any() else old for old, row in zip(placed, where))
        if positions is not None:
            if positions.dim() != 1:
                raise ValueError(f"positions {tuple(positions.shape)}: expected (n,), a position for each token")
            new["positions"] = positions
        if mask is not None:
            new["mask"] = mask if self.mask is None else mask & self.mask
        if window is not None:
            new |= {"window": check_whole("window", window), "sinks": tuple(sinks)}
        elif sinks := tuple(sinks):
            raise ValueError(f"sinks={list(sinks)}: are seen besides a window, expected a window, too")
        changes = replace(self, **new)
        for layer, schemes in enumerate(changes.schemes):
            rotating = [scheme for chosen, scheme in schemes if chosen.all() and _rotates(scheme)]
            if rotating and changes._turns(layer):
                name = type(rotating[0]).__name__
                raise ValueError(f"position: {name} rotates layer {layer}, expected no positions, speeds or turn_query")
        return changes

    def position(self, layer: int) -> Position:
        """What turns and biases a layer: the model's own RoPE, unless something is changed."""
        position: Position = self.rope
        if self._turns(layer):
            interleaved = self.rope.interleaved
            position = Turned(self.positions, self.turn_query[layer], self.speeds[layer], interleaved)
        for chosen, scheme in self.schemes[layer]:
            position = _in_heads(chosen, scheme, position)
        parts = [position, *(_in_heads(chosen, bias, Position()) for chosen, bias in self.biases[layer])]
        if (self.score_factor[layer] != 1).any():
            parts.append(ScoreFactor(self.score_factor[layer]))
        return position if len(parts) == 1 else Combined(*parts)

    def visible(self, n: int) -> Tensor | None:
        """True where one of n queries may look, besides what causality hides: (n, n)."""
        if self.mask is not None and self.mask.shape != (n, n):
            raise ValueError(f"mask {tuple(self.mask.shape)}: expected ({n}, {n}) for a text of {n} tokens")
        if self.window is None:
            return self.mask
        i, j = torch.arange(n)[:, None], torch.arange(n)
        seen = (i - j < self.window) | torch.isin(j, torch.tensor(self.sinks, dtype=torch.long))
        return seen if self.mask is None else seen & self.mask

    def _turns(self, layer: int) -> bool:
        """Whether the rotation of a layer is not the one the model was trained with."""
        other_speeds = bool((self.speeds[layer] != self.trained).any())
        return self.positions is not None or other_speeds or bool(self.turn_query[layer].any())

    def _where(self, layers: Iterable[int] | None, heads: Heads | None) -> Tensor:
        """(layers, heads), True in these layers or heads; everywhere if there is neither."""
        n_layers, n_heads = self.stopped.shape
        if layers is not None and heads is not None:
            raise ValueError("layers, heads: expected one of them; heads are pairs (layer, head)")
        if layers is not None:
            heads = [(layer, head) for layer in layers for head in range(n_heads)]
        where = torch.full((n_layers, n_heads), heads is None)
        for layer, head in heads or ():
            if layer not in range(n_layers) or head not in range(n_heads):
                raise ValueError(f"layer {layer}, head {head}: expected 0 … {n_layers - 1} and 0 … {n_heads - 1}")
            where[layer, head] = True
        return where


def _in_heads(chosen: Tensor, position: Position, rest: Position) -> Position:
    return position if chosen.all() else InHeads(chosen, position, rest)


def _rotates(scheme: Position) -> bool:
    return type(scheme).rotate is not Position.rotate
