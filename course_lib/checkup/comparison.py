"""Two implementations of the same weights, by kind of call: where do they differ, and in which layer first?

The pattern of the calls is the diagnosis: `pattern` puts it into words.
"""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from .calls import CALLS, Call
from .case import AT, SHORT, filling, said_by
from .check import SAME, Check, Refused, Report, change
from .models import Asked, Examined

LATE = 10 * SAME  # two right programs differ by 7.7e-5 at 5,001, one with angles in float32, one in float64


def ways(ids: Tensor) -> dict[str, tuple[str, Asked | Call]]:
    """Every kind of call, for a text (1, n) of 48 tokens or more: the text at once, and the calls of the check-up."""
    short = ids[:, :SHORT]
    whole: dict[str, tuple[str, Asked | Call]] = {
        "one token": ("one", Asked(short[:, :1])),
        "7 tokens": ("short", Asked(short[:, :7])),
        "48 tokens": ("usual", Asked(short)),
        f"{ids.shape[1]} tokens": ("usual", Asked(ids)),
        "moved by 1,000": ("late", Asked(short, AT + 1000)),
        "moved by 5,001": ("late", Asked(short, AT + 5001)),
        "a gap of 1,000 in the middle": ("late", Asked(short, AT + 1000 * (AT >= SHORT // 2))),
    }
    calls = {name: call for name, (_, call) in CALLS.items() if isinstance(call, Call) and call.kind}
    return whole | {name: (call.kind, call) for name, call in calls.items()}


def compared(a: Examined, b: Examined, ids: Tensor) -> Report:
    """Both models in every kind of call."""
    rows, full = [], filling(ids, said_by(a))
    for name, (kind, way) in ways(ids).items():
        text = way.of(ids[:, :SHORT], full) if isinstance(way, Call) else full
        found = row(a, b, way, text, LATE if kind == "late" else SAME)
        rows.append((kind, replace(found, name=name)))
    return Report(f"{a.name} compared with {b.name}", [check for _, check in rows], [pattern(rows)])


def row(a: Examined, b: Examined, way: Asked | Call, ids: Tensor, limit: float) -> Check:
    """How much one call differs, and in which layer first if it can be asked; skipped if one model refuses it."""
    try:
        x, y = (model.logits(way) if isinstance(way, Asked) else way.logits(model, ids) for model in (a, b))
        number = change(x, y)
        if number < limit:
            return Check("fine", "equal", number)
        return Check("fault", first_layer(a, b, way, limit) if isinstance(way, Asked) else "differs", number)
    except Refused as why:
        return Check("skipped", str(why))


def first_layer(a: Examined, b: Examined, asked: Asked, limit: float) -> str:
    """Where two models begin to differ in a call."""
    states = [model.states(asked) for model in (a, b)]
    if not all(states):
        return "differs"
    differs = [change(x, y) > limit for x, y in zip(*states)]
    if True not in differs:
        return "differs behind the last layer"
    first = differs.index(True)
    return f"first behind layer {first - 1}" if first else "in the vectors of the tokens"


def pattern(rows: Sequence[tuple[str, Check]]) -> str:
    """What the kinds of calls say together. One token has one key, so its weight is 1, whatever its score is."""
    differ: dict[str, float] = {}  # the largest number of each kind that differs
    for kind, check in rows:
        if check.verdict == "fault":
            differ[kind] = max(differ.get(kind, 0.0), check.number or 0.0)
    if not differ:
        return "No call differs."
    if "one" in differ:
        return (
            "Every kind of call differs, even one token: weights, which key head a query head reads, norm of the "
            "stream, or a sink; in T5 also the scale."
        )
    if differ.get("short", 0) > differ.get("usual", 0) / 4:
        return "All but one token: the rotation, its pairs, the bias, or the scale or norm of the scores."
    if "usual" in differ:
        return "It differs little at first, and more with length: the base, or a window."
    only = {
        "late": "Only late positions and gaps differ: rounded positions or speeds, or positions that are ignored.",
        "cache": "Only calls with a cache differ: positions, window or bias behind a past.",
        "padded": "Only padded, packed or batched calls differ: their numbers or masks.",
    }
    return (
        only[next(iter(differ))] if len(differ) == 1 else f"These kinds of calls differ: {', '.join(sorted(differ))}."
    )
