"""A model and the text that it reads, with what several checks share."""

from collections.abc import Callable
from functools import cached_property

import torch
from torch import Tensor

from .check import Check, Refused, change
from .config import NO_FILE, read
from .curve import Curve, curves
from .models import Asked, Examined
from .reading import Reading

SHORT = 48  # tokens, for checks of a call
AT = torch.arange(SHORT)[None]
LONGEST_CURVE = 192


class Case:
    """What checks are asked about: a model, and the text (1, n) that it reads."""

    def __init__(self, model: Examined, ids: Tensor) -> None:
        self.model, self.ids, self.short = model, ids, ids[:, :SHORT]
        self.said = read(model.config) if model.config else NO_FILE
        self.gaps: list[tuple[int, Check]] = []  # the gap curve, as far as it was asked
        self.span = min(LONGEST_CURVE, model.table - 1) if model.table else LONGEST_CURVE  # tokens of a curve
        self.curves_at: dict[tuple[int, int], list[Curve]] = {}  # by stride and start, as far as they were asked
        self._alone: dict[int, Tensor] = {}

    def alone(self, first: int = 0) -> Tensor:
        """The logits of the short text from this token on, read alone."""
        if first not in self._alone:
            self._alone[first] = self.model.logits(Asked(self.short[:, first:]))
        return self._alone[first]

    def at(self, positions: Tensor) -> Tensor:
        """The logits of the short text at other positions."""
        return self.model.logits(Asked(self.short, positions))

    @cached_property
    def reading(self) -> Reading:
        """The losses of the whole text."""
        return Reading(self.model, self.ids)

    @cached_property
    def gap(self) -> float:
        """How much a gap of 5 positions in the middle of the short text changes the logits."""
        return change(self.at(AT + 5 * (AT >= SHORT // 2)), self.alone())

    def curves(self, stride: int = 1, start: int = 0) -> list[Curve]:
        """The curves of all layers at these positions; of a shorter text where a list in the model ends."""
        if (stride, start) not in self.curves_at:
            try:
                found = curves(self.model, self.span, stride, start)
            except Refused:
                if self.curves_at or self.model.length >= self.span:
                    raise
                self.span = self.model.length // 2
                found = curves(self.model, self.span)
            if self.said.layers and len(found) != len(self.said.layers):
                raise Refused(f"the model shows weights of {len(found)} layers, its file has {len(self.said.layers)}")
            self.curves_at[stride, start] = found
        return self.curves_at[stride, start]


Checks = dict[str, tuple[str, Callable[[Case], Check]]]  # by name: the section that explains it, and what answers
