"""What can be changed in a trained model without training: its rotation, scores and heads, and what a query sees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ..checks import check_whole
from ..nn.position import Combined, Position
from ..nn.rope import RoPE, turned_pairs
from ..nn.terms import for_each_head
from ..reference.absolute import frequencies

Heads = Iterable[Sequence[int]]  # pairs (layer, head), both counted from 0


class Turned(Position):
    """RoPE with a position for each token, and in each head with its own speeds, turn of the queries and factor.

        factor_h · (R_{p_i + t_h} q_i) · (R_{p_j} k_j), where pair m of head h turns by speeds[h, m] per position

    positions p (tokens,), or None for 0, 1, 2, …; speeds (n_heads, pairs) in radians per position; turn_query t in
    positions and factor, both (n_heads,). The angles are computed in float64, so positions may be large.
    """

    def __init__(
        self, positions: Tensor | None, speeds: Tensor, turn_query: Tensor, factor: Tensor, interleaved: bool
    ) -> None:
        super().__init__()
        self.positions, self.turn_query, self.factor, self.interleaved = positions, turn_query, factor, interleaved
        self.speeds = speeds[:1] if (speeds == speeds[0]).all() else speeds  # if alike, keys keep their groups

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        k = k if len(self.speeds) == 1 else for_each_head(k, q.shape[-3])
        first_key = past if first_key is None else first_key
        q = q * self.factor[:, None, None].to(q)
        return self._turned(q, past, self.turn_query), self._turned(k, first_key, torch.zeros(1))

    def _turned(self, x: Tensor, first: int, more: Tensor) -> Tensor:
        """x (batch, heads, n, d), whose first row is token number `first`, at so many positions more."""
        last = first + x.shape[-2]
        positions = torch.arange(last) if self.positions is None else self.positions
        if positions.dim() != 1 or len(positions) < last:
            raise ValueError(f"positions {tuple(positions.shape)}: expected (n,), one for each of {last} tokens")
        angle = (positions[first:last].double() + more[:, None])[..., None] * self.speeds[:, None]
        return turned_pairs(x, angle.cos().to(x), angle.sin().to(x), self.interleaved)


class Cells(Position):
    """A bias given as numbers, (n, n) or (n_heads, n, n), row i for query i."""

    def __init__(self, numbers: Tensor) -> None:
        super().__init__()
        if numbers.dim() not in (2, 3):
            raise ValueError(f"bias {tuple(numbers.shape)}: expected (n, n) or (n_heads, n, n)")
        self.numbers = numbers if numbers.dim() == 3 else numbers[None]

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        return self.numbers[:, past : past + n_q, :n_k]  # attention refuses one that ends too early


@dataclass(frozen=True)
class Changes:
    """All that is changed at one time. `with_` gives a copy with more changed, `position` says what a layer gets."""

    rope: RoPE
    trained: Tensor  # (pairs,), the speeds of RoPE
    speeds: Tensor  # (layers, heads, pairs)
    turn_query: Tensor  # (layers, heads)
    score_factor: Tensor  # (layers, heads)
    stopped: Tensor  # (layers, heads), True for a stopped head
    replaced_by: Tensor  # (layers, heads, d_head), its output
    schemes: tuple[Position | None, ...]  # for each layer, in place of its rotation
    biases: tuple[tuple[Position, ...], ...]  # for each layer
    positions: Tensor | None = None
    mask: Tensor | None = None
    window: int | None = None
    sinks: tuple[int, ...] = ()

    @classmethod
    def none(cls, rope: RoPE, layers: int, heads: int) -> "Changes":
        """A model as it was trained."""
        trained, zeros = torch.from_numpy(frequencies(rope.d_head, rope.base)), torch.zeros(layers, heads).double()
        speeds, outputs = trained.expand(layers, heads, -1), zeros[..., None].expand(-1, -1, rope.d_head)
        return cls(rope, trained, speeds, zeros, zeros + 1, zeros.bool(), outputs, (None,) * layers, ((),) * layers)

    def with_(
        self,
        *,
        layers: Iterable[int] | None = None,
        heads: Heads | None = None,
        position: Position | None = None,
        speeds: Sequence[float] | Tensor | None = None,
        turn_query: float | None = None,
        score_factor: float | None = None,
        bias: Position | Tensor | None = None,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        window: int | None = None,
        sinks: Iterable[int] = (),
        stopped_heads: Heads = (),
        replaced_by: Tensor | float = 0.0,
    ) -> "Changes":
        """The same with more changed; the arguments are those of `Released.changed`."""
        where, stopped = self._where(layers, heads), self._where(None, stopped_heads)
        new: dict[str, Any] = {"stopped": self.stopped | stopped}
        new["replaced_by"] = torch.where(stopped[..., None], replaced_by, self.replaced_by)
        for name, value in {"speeds": speeds, "turn_query": turn_query, "score_factor": score_factor}.items():
            if value is not None:
                old, numbers = getattr(self, name), torch.as_tensor(value, dtype=torch.float64)
                if numbers.shape != old.shape[2:] or not numbers.isfinite().all():
                    raise ValueError(f"{name}={value}: expected finite numbers of shape {tuple(old.shape[2:])}")
                new[name] = torch.where(where[..., None] if numbers.dim() else where, numbers, old)
        if heads is not None and (position is not None or bias is not None):
            raise ValueError("heads: position and bias change whole layers, expected layers in place of heads")
        if position is not None:
            new["schemes"] = tuple(position if row.any() else old for old, row in zip(self.schemes, where))
        if bias is not None:
            more = Cells(bias) if isinstance(bias, Tensor) else bias
            new["biases"] = tuple((*old, more) if row.any() else old for old, row in zip(self.biases, where))
        if positions is not None:
            new["positions"] = positions
        if mask is not None:
            new["mask"] = mask if self.mask is None else mask & self.mask
        if window is not None:
            new |= {"window": check_whole("window", window), "sinks": tuple(sinks)}
        elif sinks := tuple(sinks):
            raise ValueError(f"sinks={list(sinks)}: are seen besides a window, expected a window, too")
        changes = replace(self, **new)
        for layer, scheme in enumerate(changes.schemes):
            if scheme is not None and changes._turns(layer):
                given = f"position: {type(scheme).__name__} in layer {layer}"
                raise ValueError(f"{given}, expected no positions, speeds, turn_query or score_factor beside it")
        return changes

    def position(self, layer: int) -> Position:
        """What turns and biases a layer: the model's own RoPE, unless something is changed."""
        scheme, biases = self.schemes[layer], self.biases[layer]
        rotation: Position = self.rope
        if self._turns(layer):
            per_head = (self.speeds[layer], self.turn_query[layer], self.score_factor[layer])
            rotation = Turned(self.positions, *per_head, self.rope.interleaved)
        return rotation if scheme is None and not biases else Combined(scheme or rotation, *biases)

    def outputs(self, layer: int, x: Tensor) -> Tensor:
        """The outputs of all heads of a layer, (batch, n, heads · d_head), with those of stopped heads replaced."""
        heads, stopped = x.unflatten(-1, self.replaced_by.shape[1:]), self.stopped[layer, :, None].to(x.device)
        return torch.where(stopped, self.replaced_by[layer].to(x), heads).flatten(-2)

    def visible(self, n: int, device: torch.device) -> Tensor | None:
        """True where one of n queries may look, besides what causality hides: (n, n)."""
        mask = None if self.mask is None else self.mask.to(device)
        if self.window is None:
            return mask
        i, j = torch.arange(n, device=device)[:, None], torch.arange(n, device=device)
        seen = (i - j < self.window) | torch.isin(j, torch.tensor(self.sinks, dtype=torch.long, device=device))
        return seen if mask is None else seen & mask

    def _turns(self, layer: int) -> bool:
        """Whether a layer turns queries and keys in another way than it was trained with."""
        other_speeds = (self.speeds[layer] != self.trained).any()
        other_queries = self.turn_query[layer].any() or (self.score_factor[layer] != 1).any()
        return bool(self.positions is not None or other_speeds or other_queries)

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
