"""A model, the text that it reads, and what several checks share; and how a check is asked."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from .check import Check, Refused, change
from .config import Layer, Said, read
from .curve import Curve, curves
from .models import Examined
from .reading import Reading

SHORT = 48  # tokens, for checks of a call
LONGEST_CURVE = 192
NO_FILE = Said([], ["There is no file, so nothing is compared with one."], None, None)


class Case:
    """ids (1, n): the text. natural: whether it is one, or random tokens."""

    def __init__(self, model: Examined, ids: Tensor, natural: bool) -> None:
        self.model, self.ids, self.natural = model, ids, natural
        self.short, self.at = ids[:, :SHORT], torch.arange(SHORT)[None]
        self.said = read(model.config) if model.config else NO_FILE
        self.gaps: list[tuple[int, Check]] = []  # the gap curve, as far as it was asked
        self.span = min(LONGEST_CURVE, model.table - 1) if model.table else LONGEST_CURVE  # tokens of a curve
        self._curves: dict[tuple[int, int], list[Curve]] = {}

    @property
    def scheme(self) -> str:
        """The scheme that the file names."""
        return self.said.scheme if self.said.layers else "unknown"

    @property
    def layers(self) -> Sequence[Layer]:
        """What the file says of each layer; empty without a file."""
        return self.said.layers

    @property
    def has_curves(self) -> bool:
        """Whether the model showed its weights."""
        return (1, 0) in self._curves

    @cached_property
    def plain(self) -> Tensor:
        """The logits of the short text, read alone."""
        return self.model.logits(self.short)

    @cached_property
    def gap(self) -> float:
        """How much a gap of 5 positions in the middle of the short text changes the logits."""
        return change(self.model.logits(self.short, self.at + 5 * (self.at >= SHORT // 2)), self.plain)

    @cached_property
    def reading(self) -> Reading:
        """The losses of the whole text."""
        return Reading(self.model, self.ids)

    def curves(self, stride: int = 1, start: int = 0) -> list[Curve]:
        """The curves of all layers at these positions; of a shorter text where a list in the model ends."""
        if (stride, start) not in self._curves:
            try:
                found = curves(self.model, self.span, stride, start)
            except Refused:
                if self._curves or self.model.length >= self.span:
                    raise
                self.span = self.model.length // 2
                found = curves(self.model, self.span)
            if self.layers and len(found) != len(self.layers):
                raise Refused(f"the model shows weights of {len(found)} layers, and its file has {len(self.layers)}")
            self._curves[stride, start] = found
        return self._curves[stride, start]


@dataclass(frozen=True)
class Question:
    """A check before it is asked: its name, the section that explains it, and the function that answers."""

    name: str
    section: str
    function: Callable[[Case], Check]

    def ask(self, case: Case, group: str) -> Check:
        """The answer. A model that refuses the call, or stops in it, is skipped with the reason."""
        begin = time.perf_counter()
        try:
            found = self.function(case)
        except Refused as why:
            found = Check("skipped", str(why))
        seconds = time.perf_counter() - begin
        return replace(found, name=self.name, group=group, section=self.section, seconds=seconds)


def question(name: str, section: str) -> Callable[[Callable[[Case], Check]], Question]:
    """Makes a question of a function that answers it."""
    return lambda function: Question(name, section, function)
