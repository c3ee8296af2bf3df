"""Checks of use: does the model read far text, does it need its first tokens, and what do new distances cost?

They need a text of 256 tokens or more and a model that was trained to read it. Every number is a mean in nats, and its
error is that of blocks of 8 tokens, because neighbouring tokens are not independent.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from .case import Case, Checks
from .check import Check, Refused
from .reading import NEAR, SINKS

NEEDED = 256  # tokens
BLOCK = 8
Outcome = tuple[str, str]  # a verdict and its sentence


def mean(costs: Tensor) -> tuple[float, float]:
    """The mean of costs and its standard error, from the means of blocks."""
    blocks = torch.stack([block.mean() for block in costs.split(BLOCK) if len(block) == BLOCK])
    return float(costs.mean()), float(blocks.std()) / math.sqrt(len(blocks))


@dataclass(frozen=True)
class Cost:
    """What one change costs the second half more than another: above 0 by two errors, below it, or level."""

    change: str | int
    than: str
    level: Outcome
    above: Outcome
    below: Outcome | None = None  # if that is told apart

    def __call__(self, case: Case) -> Check:
        read = case.reading
        if read.order < 1:
            raise Refused("the order of the tokens is worth less than 1 nat to this model")
        costs = read.losses(self.change) - read.losses(self.than)
        number, error = mean(costs)
        outcome = self.above if number > 2 * error else self.level
        if self.below and number < -2 * error:
            outcome = self.below
        return Check(*outcome, number, error)


def order(case: Case) -> Check:
    found = case.reading
    says = f"nats; the loss of the second half is {float(found.losses().mean()):.2f}"
    if found.order > 1:
        return Check("fine", says, found.order)
    return Check("know", f"{says}. Below 1 nat, the model does not read this text, or is broken", found.order)


def gap(share: float, case: Case) -> Check:
    """A gap in the middle, as a share of the configured length."""
    positions = int(share * case.model.length)
    level = "fine", f"nats; a gap of {positions:,} is no worse than hiding the first half"
    above = "know", f"nats; a gap of {positions:,} is worse than hiding the first half: words so far away do harm"
    found = Cost(positions, "first half hidden", level, above)(case)
    case.gaps.append((positions, found))
    return found


USE = "longer_than_training: A test for your model"
SINK = "windows_and_sinks: A window without the sink, and with it"
GAP = "stretching_rope: The curve"
HIDDEN = Cost(
    "first half hidden",
    "none",
    level=("know", "nats; this text shows no use of far tokens"),
    above=("fine", "nats; far tokens are used"),
    below=("fault", "nats; far tokens do harm"),
)
WINDOW = Cost(
    "window and sinks",
    "none",
    level=("know", "nats; this text shows no use of keys beyond the window"),
    above=("fine", "nats; keys beyond the window are used"),
)
NO_SINKS = Cost(
    "window",
    "window and sinks",
    level=("fine", "nats; no sink is needed"),
    above=("know", "nats; there is a sink: keep the first tokens"),
)
USES: Checks = {
    "what the order of the tokens is worth": ("blind_to_distance: Far words in the wrong order", order),
    f"first half hidden, but {SINKS} tokens": (USE, HIDDEN),
    f"window of {NEAR} in each layer, and {SINKS} tokens": (USE, WINDOW),
    "the same without these tokens, in addition": (SINK, NO_SINKS),
    "gap of a quarter of the length, minus hidden": (GAP, partial(gap, 0.25)),
    "gap of half the length, minus hidden": (GAP, partial(gap, 0.5)),
    "gap of the length, minus hidden": (GAP, partial(gap, 1)),
    "gap of twice the length, minus hidden": (GAP, partial(gap, 2)),
    "gap of four times the length, minus hidden": (GAP, partial(gap, 4)),
}
