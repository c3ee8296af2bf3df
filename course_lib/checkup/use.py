"""Checks of use: does the model read far text, does it need its first tokens, and what do new distances cost?

They need a text of 256 tokens or more and a model that was trained to read it. Every number is a mean in nats, and its
error is that of blocks of 8 tokens, because neighbouring tokens are not independent.
"""

import math
from functools import partial

import torch
from torch import Tensor

from .case import Case, Question, question
from .check import Check, Refused
from .reading import NEAR, SINKS, Reading

NEEDED = 256  # tokens
BLOCK = 8
USE = "longer_than_training: A test for your model"
SINK = "windows_and_sinks: A window without the sink, and with it"
GAP = "stretching_rope: The curve"
GAPS = {  # by the configured length
    "a quarter of the length": 0.25,
    "half the length": 0.5,
    "the length": 1.0,
    "twice the length": 2.0,
    "four times the length": 4.0,
}


def reads(case: Case) -> Reading:
    """The losses of a text, for a model to which the order of the tokens is worth a nat."""
    if case.reading.order < 1:
        raise Refused("the order of the tokens is worth less than 1 nat to this model")
    return case.reading


def mean(costs: Tensor) -> tuple[float, float]:
    """The mean of costs and its standard error, from the means of blocks."""
    blocks = torch.stack([block.mean() for block in costs.split(BLOCK) if len(block) == BLOCK])
    return float(costs.mean()), float(blocks.std()) / math.sqrt(len(blocks))


Outcome = tuple[str, str]  # a verdict and its sentence


def weighed(costs: Tensor, level: Outcome, above: Outcome, below: Outcome | None = None) -> Check:
    """Verdict and sentence for a mean that is above 0 by two errors, below it (if that is told apart), or level."""
    number, error = mean(costs)
    verdict, says = above if number > 2 * error else below if below and number < -2 * error else level
    return Check(verdict, says, number, error)


@question("what the order of the tokens is worth", "blind_to_distance: Far words in the wrong order")
def order(case: Case) -> Check:
    found = case.reading
    says = f"nats; the loss is {float(found.plain.mean()):.2f}"
    if found.order > 1:
        return Check("fine", says, found.order)
    return Check("know", f"{says}. Below 1 nat, the model does not read this text, or is broken", found.order)


@question(f"first half hidden, but {SINKS} tokens", USE)
def first_half_hidden(case: Case) -> Check:
    level = "know", "nats; this text shows no use of far tokens"
    return weighed(
        reads(case).hidden, level, ("fine", "nats; far tokens are used"), ("fault", "nats; far tokens do harm")
    )


@question(f"window of {NEAR} in each layer, and {SINKS} tokens", USE)
def window_and_sinks(case: Case) -> Check:
    level = "know", "nats; this text shows no use of keys beyond the window"
    return weighed(reads(case).near, level, ("fine", "nats; keys beyond the window are used"))


@question("the same without these tokens, in addition", SINK)
def window_alone(case: Case) -> Check:
    found = reads(case)
    bare = found.cost(seen=found.i - found.j < NEAR) - found.near
    return weighed(bare, ("fine", "nats; no sink is needed"), ("know", "nats; there is a sink: keep the first tokens"))


def gap_of(share: float, case: Case) -> Check:
    positions = int(share * case.model.length)
    costs = reads(case).gap(positions)
    level = "fine", f"nats; a gap of {positions:,} is no worse than hiding the first half"
    above = "know", f"nats; a gap of {positions:,} is worse than hiding the first half: words so far away do harm"
    found = weighed(costs, level, above)
    case.gaps.append((positions, found))
    return found


GAP_CURVE = tuple(Question(f"gap of {name}, minus hidden", GAP, partial(gap_of, share)) for name, share in GAPS.items())
USES = (order, first_half_hidden, window_and_sinks, window_alone, *GAP_CURVE)
