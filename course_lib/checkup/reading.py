"""The losses of a text, as a model reads it, and under changes of what a query sees and of positions."""

from functools import cached_property

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
        self.seen = {  # True where a query may look
            "all": None,
            "first half hidden": (i < self.half) | (j >= self.half) | (j < SINKS),
            "window and sinks": (i - j < NEAR) | (j < SINKS),
            "window": i - j < NEAR,
        }
        self._halves: dict[str | int, Tensor] = {}

    def losses(self, asked: Asked) -> Tensor:
        """Of all tokens but the first."""
        return cross_entropy(self.model.logits(asked)[0, :-1], asked.ids[0, 1:], reduction="none").double()

    @cached_property
    def plain(self) -> Tensor:
        return self.losses(Asked(self.ids))

    @cached_property
    def order(self) -> float:
        """How much the mean loss rises if all tokens are permuted."""
        other = torch.randperm(len(self.at), generator=torch.Generator().manual_seed(0))
        return float(self.losses(Asked(self.ids[:, other])).mean() - self.plain.mean())

    def second_half(self, change: str | int) -> Tensor:
        """Of the second half, where a query sees so much, or behind a gap of so many positions."""
        if change == "all":
            return self.plain[self.half :]
        if change not in self._halves:
            if isinstance(change, int):
                asked = Asked(self.ids, (self.at + change * (self.at >= self.half))[None])
            else:
                asked = Asked(self.ids, seen=self.seen[change])
            self._halves[change] = self.losses(asked)[self.half :]
        return self._halves[change]
