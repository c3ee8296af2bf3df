"""The losses of a text's second half, as a model reads it, and under changes of what a query sees and of positions."""

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from .models import Asked, Examined

SINKS, NEAR = 4, 64  # first tokens that stay visible, and the keys of a window


class Reading:
    """A text (1, n) and its losses in nats. Each change is read once, when it is first asked for."""

    def __init__(self, model: Examined, ids: Tensor) -> None:
        self.model, self.ids, self.half = model, ids, ids.shape[1] // 2
        self.at = torch.arange(ids.shape[1])
        i, j = self.at[:, None], self.at
        other = torch.randperm(len(self.at), generator=torch.Generator().manual_seed(0))
        self.changes = {
            "none": Asked(ids),
            "permuted": Asked(ids[:, other]),
            "first half hidden": Asked(ids, seen=(i < self.half) | (j >= self.half) | (j < SINKS)),
            "window and sinks": Asked(ids, seen=(i - j < NEAR) | (j < SINKS)),
            "window": Asked(ids, seen=i - j < NEAR),
        }
        self._losses: dict[str | int, Tensor] = {}

    def losses(self, change: str | int = "none") -> Tensor:
        """Of the second half but its first token, under a change, or with a gap of so many positions before it."""
        if change not in self._losses:
            asked = self.with_gap(change) if isinstance(change, int) else self.changes[change]
            targets = asked.ids[0, self.half + 1 :]
            logits = self.model.logits(replace(asked, last=len(targets) + 1))[0, -len(targets) - 1 : -1]
            self._losses[change] = cross_entropy(logits, targets, reduction="none").double()
        return self._losses[change]

    def with_gap(self, positions: int) -> Asked:
        return Asked(self.ids, (self.at + positions * (self.at >= self.half))[None])

    @property
    def order(self) -> float:
        """How much the mean loss rises if all tokens are permuted."""
        return float(self.losses("permuted").mean() - self.losses().mean())
