"""The losses of a text, as a model reads it and under changes of what a query sees and of positions."""

from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from .models import Examined

SINKS, NEAR = 4, 64  # first tokens that stay visible, and the keys of a window


class Reading:
    """The losses of the second half of a text (1, n), in nats; each is computed when it is asked for."""

    def __init__(self, model: Examined, ids: Tensor) -> None:
        self.model, self.ids, self.n = model, ids, ids.shape[1]
        self.half = self.n // 2
        self.i, self.j = torch.arange(self.n)[:, None], torch.arange(self.n)

    def losses(self, ids: Tensor, positions: Tensor | None = None, seen: Tensor | None = None) -> Tensor:
        logits = self.model.logits(ids, positions, seen=seen)[0, :-1]
        return cross_entropy(logits, ids[0, 1:], reduction="none").double()

    @cached_property
    def plain(self) -> Tensor:
        """The losses of all tokens but the first."""
        return self.losses(self.ids)

    @cached_property
    def order(self) -> float:
        """How much the loss rises if all tokens are permuted."""
        other = torch.randperm(self.n, generator=torch.Generator().manual_seed(0))
        return float(self.losses(self.ids[:, other]).mean() - self.plain.mean())

    def cost(self, *, positions: Tensor | None = None, seen: Tensor | None = None) -> Tensor:
        """What a change costs each token of the second half."""
        return self.losses(self.ids, positions, seen)[self.half :] - self.plain[self.half :]

    @cached_property
    def hidden(self) -> Tensor:
        """What it costs the second half not to see the first, but for its first tokens."""
        return self.cost(seen=(self.i < self.half) | (self.j >= self.half) | (self.j < SINKS))

    @cached_property
    def near(self) -> Tensor:
        """What a window with the first tokens kept costs."""
        return self.cost(seen=(self.i - self.j < NEAR) | (self.j < SINKS))

    def gap(self, positions: int) -> Tensor:
        """What a gap before the second half costs, beyond hiding the first half."""
        at = torch.arange(self.n)[None]
        return self.cost(positions=at + positions * (at >= self.half)) - self.hidden
