"""A model and the text that it reads, with what several checks share."""

from collections.abc import Callable
from functools import cached_property

import torch
from torch import Tensor

from .check import Check, Refused, change
from .config import NO_FILE, Said, read
from .curve import Curve, curves
from .models import Asked, Examined
from .reading import Reading

SHORT = 48  # tokens, for checks of a call
AT = torch.arange(SHORT)[None]
KEEP = 8  # tokens that are read one by one, behind a cache
LONGEST_CURVE = 192
LONGEST = 1_100  # tokens that are read to fill a window


def filling(ids: Tensor, said: Said) -> Tensor:
    """The short text, or one that fills the windows of the file before the last tokens; repeated if it must be."""
    n = max([SHORT, *(size + 2 * KEEP for size in said.windows if size + 2 * KEEP <= LONGEST)])
    return ids.repeat(1, -(-n // ids.shape[1]))[:, :n]


def said_by(model: Examined) -> Said:
    """What the model's file says."""
    return read(model.config) if model.config else NO_FILE


class Case:
    """What checks are asked about: a model, and the text (1, n) that it reads."""

    def __init__(self, model: Examined, ids: Tensor) -> None:
        self.model, self.ids, self.short = model, ids, ids[:, :SHORT]
        self.said = said_by(model)
        self.full = filling(ids, self.said)
        self.gaps: list[tuple[int, Check]] = []  # the gap curve, as far as it was asked
        self.span = min(LONGEST_CURVE, model.table - 1) if model.table else LONGEST_CURVE  # tokens of a curve
        self.curves_at: dict[int, list[Curve]] = {}  # by stride, as far as they were asked
        self._alone: dict[tuple[int, int], Tensor] = {}

    def alone(self, first: int = 0, n: int = SHORT) -> Tensor:
        """The logits of n tokens of the text, read alone from this one on."""
        if (first, n) not in self._alone:
            self._alone[first, n] = self.model.logits(Asked(self.full[:, first:n]))
        return self._alone[first, n]

    def unfilled(self, n: int) -> str:
        """Which window of the file so many tokens do not fill; empty if they fill all."""
        largest = max(self.said.windows, default=0)
        return f"the window of {largest:,} is larger than the {n:,} tokens read" if largest >= n else ""

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

    def curves(self, stride: int = 1) -> list[Curve]:
        """The curves of all layers at every so many positions; of a shorter text where a list in the model ends."""
        if stride not in self.curves_at:
            try:
                found = curves(self.model, self.span, stride)
            except Refused:
                if self.curves_at or self.model.length >= self.span:
                    raise
                self.span = self.model.length // 2
                found = curves(self.model, self.span)
            if self.said.layers and len(found) != len(self.said.layers):
                raise Refused(f"the model shows weights of {len(found)} layers, its file has {len(self.said.layers)}")
            self.curves_at[stride] = found
        return self.curves_at[stride]


Checks = dict[str, tuple[str, Callable[[Case], Check]]]  # by name: the section that explains it, and what answers
