"""Two implementations of the same weights, by kind of call: where do they differ, and in which layer first?

The pattern of the calls is the diagnosis: `pattern` puts it into words.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .calls import FIRST, PAD, in_parts, padded
from .case import SHORT
from .check import SAME, Check, Refused, Report, change
from .models import Examined

LATE = 10 * SAME  # two right programs differ by 7.7e-5 at 5,001, one with angles in float32, one in float64
CUTS = (20, 27, 1)


@dataclass(frozen=True)
class Call:
    """A kind of call, as a function of a model; and tokens and positions, if a layer can be named."""

    kind: str  # of the pattern: one, short, usual, late, padded, batch, cache
    name: str
    run: Callable[[Examined], Tensor]
    inside: tuple[Tensor, Tensor | None] | None = None


def calls(ids: Tensor) -> list[Call]:
    """Every kind of call, for a text (1, n) of more than 48 tokens."""
    short, at = ids[:, :SHORT], torch.arange(SHORT)[None]
    long, padding, numbers = padded(short)
    text, own = slice(PAD, None), (at.T < FIRST) == (at < FIRST)

    def whole(kind: str, name: str, tokens: Tensor, positions: Tensor | None = None) -> Call:
        return Call(kind, name, lambda model: model.logits(tokens, positions), (tokens, positions))

    def other(kind: str, name: str, tokens: Tensor, keep: slice, **how: Tensor) -> Call:
        return Call(kind, name, lambda model: model.logits(tokens, **how)[:, keep])

    shorter = torch.arange(SHORT) < torch.tensor([[SHORT], [SHORT - 9]])
    both = torch.cat([short, short.flip(1)])
    return [
        whole("one", "one token", short[:, :1]),
        whole("short", "7 tokens", short[:, :7]),
        whole("usual", "48 tokens", short),
        whole("usual", f"{ids.shape[1]} tokens", ids),
        whole("late", "moved by 1,000", short, at + 1000),
        whole("late", "moved by 5,001", short, at + 5001),
        whole("late", "a gap of 1,000 in the middle", short, at + 1000 * (at >= SHORT // 2)),
        other("padded", "left padding, numbered by the mask", long, text, positions=numbers, padding=padding),
        other("padded", "left padding, without numbers", long, text, padding=padding),
        Call("padded", "batch of two, one shorter", lambda model: model.logits(both, padding=shorter)[:1]),
        other("padded", "packed, with a mask of blocks", short, slice(None), seen=own),
        Call("cache", "in chunks, with a cache", lambda model: in_parts(model, short, CUTS)),
    ]


def compared(a: Examined, b: Examined, ids: Tensor) -> Report:
    """Both models in every call. A call that one of them refuses is skipped."""
    found: list[Check] = []
    numbers: dict[str, float] = {}
    for call in calls(ids):
        limit = LATE if call.kind == "late" else SAME
        try:
            number = change(call.run(a), call.run(b))
            differs = not number < limit
            says = first_layer(a, b, call, limit) if differs else "equal"
        except Refused as why:
            found.append(Check("skipped", str(why), name=call.name))
            continue
        found.append(Check("fault" if differs else "fine", says, number, name=call.name))
        numbers[call.kind] = max(numbers.get(call.kind, 0.0), number if differs else 0.0)
    return Report(f"{a.name} compared with {b.name}", found, [pattern(numbers)])


def first_layer(a: Examined, b: Examined, call: Call, limit: float) -> str:
    """Where two models begin to differ in a call."""
    states = [model.states(*call.inside) for model in (a, b)] if call.inside else [[], []]
    if not all(states):
        return "differs"
    differs = [change(x, y) > limit for x, y in zip(*states)]
    if True not in differs:
        return "differs behind the last layer"
    first = differs.index(True)
    return f"first behind layer {first - 1}" if first else "in the vectors of the tokens"


def pattern(numbers: dict[str, float]) -> str:
    """What the kinds of calls say together: the largest number of each, 0 where its calls agree."""
    differ = {kind for kind, number in numbers.items() if number}
    if not differ:
        return "No call differs."
    if "one" in differ:
        return "Every kind of call differs, even one token: weights, scale, norm, or a sink."
    if numbers.get("short", 0) > numbers.get("usual", 0) / 4:
        return "All differ but a single token: the rotation, its pairs, or the bias."
    if "usual" in differ:
        return "It differs little at first, and more with length: the base, or a window."
    if differ <= {"late"}:
        return "Only late positions and gaps differ: rounded positions or speeds, or positions that are ignored."
    if differ <= {"cache"}:
        return "Only calls with a cache differ: positions, window or bias behind a past."
    if differ <= {"padded"}:
        return "Only padded, packed or batched calls differ: their numbers or masks."
    return f"These kinds of calls differ: {', '.join(sorted(differ))}."
