"""Checks of the scheme itself: read off the curves, and by moving a text.

| number | healthy models, at most | weakest fault | limit |
|---|---|---|---|
| the curve of a query in the middle, against the last one | 3.4e-5 | 6.6e-2 | FIT 1e-3 |
| the part of a curve that the file's speeds leave unexplained | 4.6e-5 | 2.7e-2 | FIT 1e-3 |
| slopes, up to a factor | 1.5e-7 | 4.3 | SLOPES 0.01 |
| a moved text, as a share of what a gap of 5 changes | 2e-4 | 6e-2 | MOVED 0.02 |
| late positions in bfloat16, as a multiple of its rounding | 1.1 | 47 | ROUNDED 4 |

A change of logits is divided by what positions change in this model at all, because a model with random weights hardly
reacts to them.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial

import numpy as np

from ..reference.alibi import slopes
from .case import AT, Case, Checks
from .check import SAME, Check, Refused, change, changes, judged
from .config import DEFAULT_BASE
from .curve import Curve, Sample, curves, suspects, unexplained
from .models import Asked

MISSING = 1e-4  # the share of a learned sink
FIT, SLOPES, MOVED, ROUNDED = 1e-3, 0.01, 0.02, 4.0
MORE = (3, 7)  # strides that add far distances


def belong(case: Case) -> Check:
    """Asking a model for its weights may choose another program than the one that makes the logits."""
    _, logits = case.model.shown(Asked(case.short))
    if logits is None:
        raise Refused("weights and logits do not come from one call")
    bad = "with weights, the model computes something else, and the curves below show that"
    return judged(change(logits, case.alone()), "the same logits with and without them", bad, otherwise="know")


def flat_layers(case: Case) -> Check:
    found = [number for number, curve in enumerate(case.curves()) if curve.flat]
    expected = [number for number, layer in enumerate(case.said.layers) if layer.scheme == "none"]
    which = f"layers {listed(found)}" if found else "none"
    if not case.said.layers:
        return Check("know" if found else "fine", which, len(found))
    if found == expected:
        return Check("fine", which, len(found))
    says = f"{which}; the file says {listed(expected) or 'none'}. Is the scheme applied, in the right layers?"
    return Check("fault", says, len(found))


def listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def readable(case: Case) -> dict[int, Curve]:
    """The curves that see a position, by layer, up to a learned sink, behind which rows are no longer equal."""
    found = case.curves()
    sinks = [number for number, curve in enumerate(found) if curve.missing > MISSING]
    last = sinks[0] if sinks else len(found)
    return {number: curve for number, curve in enumerate(found) if number <= last and not curve.flat}


def relative(case: Case) -> Check:
    off = max((curve.middle / curve.size for curve in readable(case).values()), default=None)
    if off is None:
        raise Refused("no layer sees a position")
    if case.said.scheme == "table":
        return Check("fine" if off > FIT else "fault", "no, as a table of positions means", off)
    bad = "not relative: an absolute part, or a rotation whose pairs and angles do not match"
    otherwise = "know" if case.said.scheme == "unknown" else "fault"
    return judged(off, "the curve is the same for an earlier query", bad, limit=FIT, otherwise=otherwise)


def window(case: Case) -> Check:
    found, n = case.curves(), case.span
    if case.full.shape[1] > n:
        n = case.full.shape[1]
        found = curves(case.model, n)
    reach = [curve.reach for curve in found]
    expected = [min(n, layer.window or n, (n - 1) % (layer.chunk or n) + 1) for layer in case.said.layers]
    shown = listed(sorted({*reach}))
    if not expected:
        return Check("fine", f"of {n}; there is no file to compare {shown} with", min(reach))
    if reach == expected and (unfilled := case.unfilled(n)):
        raise Refused(unfilled)
    if reach == expected:
        return Check("fine", f"of {n}, as the file says", min(reach))
    says = f"{shown} of {n}; the file says {listed(sorted({*expected}))}. Is the window applied, and is its edge right?"
    return Check("fault", says, min(reach))


def sink(case: Case) -> Check:
    missing = max(0.0, *(curve.missing for curve in case.curves()))
    if case.model.has_sinks and missing < MISSING:
        return Check("fault", "the weights have sinks, but no attention goes to them", missing)
    if missing > MISSING and not case.model.has_sinks:
        return Check("know", "rows of weights sum to less than 1", missing)
    return Check("fine", "some weight goes to no key" if missing > MISSING else "there is none", missing)


def speeds(case: Case) -> Check:
    """What the file's speeds leave unexplained in the worst layer, and all usual mistakes that explain it."""
    if case.said.scheme != "RoPE":
        raise Refused("for RoPE, with a file that gives its speeds")
    samples, theta = {}, {}
    for number in readable(case):
        known, found = case.said.layers[number].speeds, samples_of(case, number)
        if known is not None and sum(len(distances) for distances, _ in found) >= 2.5 * len(known):
            samples[number], theta[number] = found, known
    if not samples:
        raise Refused("no layer with a curve long enough for its speeds")
    rest = {number: unexplained(found, theta[number]) for number, found in samples.items()}
    worst = max(rest, key=rest.__getitem__)
    if rest[worst] < FIT:
        return Check("fine", f"those of the file explain the curves of {len(rest)} layers", rest[worst])
    layer = case.said.layers[worst]
    others = {of.kind: of.speeds for of in case.said.layers if of.speeds is not None and of.kind != layer.kind}
    who = [*suspects(theta[worst], layer.base or DEFAULT_BASE)]
    who += [(f"the speeds of {kind.replace('_', ' ')} explain it", other) for kind, other in others.items()]
    fit = [name for name, other in who if unexplained(samples[worst], other) < FIT]
    line = "; or ".join(fit) or "none of the usual mistakes explains it"
    return Check("fault", f"not those of the file, in layer {worst}; {line}", rest[worst])


def samples_of(case: Case, layer: int) -> list[Sample]:
    """The curves of a layer at several strides, as far as the model takes positions."""
    runs = [(1, case.curves())]
    with suppress(Refused):  # a model that takes no positions, or whose list of angles ends
        runs += [(stride, case.curves(stride)) for stride in MORE]
    return [(stride * np.arange(found[layer].reach), found[layer].logs) for stride, found in runs]


def slopes_of_heads(case: Case) -> Check:
    if case.said.scheme != "ALiBi" or not case.said.n_heads:
        raise Refused("for ALiBi")
    logs, published = case.curves()[0].logs[:, :9], slopes(case.said.n_heads)
    ratio = (logs[:, 0] - logs[:, -1]) / (logs.shape[1] - 1) / published
    factor = float(np.median(ratio))
    off = float(abs(ratio / factor - 1).max()) if factor > 0 else np.inf
    bad = f"{(ratio * published).round(3).tolist()}; published {published.round(3).tolist()}"
    bad = f"a negative factor: far keys are rewarded. {bad}" if factor < 0 else bad
    return judged(off, f"the published ones, times {factor:.3g}", bad, limit=SLOPES)


def positions_are_read(case: Case) -> Check:
    if case.gap > 2e-5 or case.said.scheme == "ALiBi":
        return Check("fine", "a gap of 5 changes the logits this much", case.gap)
    if case.said.scheme == "unknown":
        return Check("know", "the given positions change nothing: right for ALiBi, wrong for most schemes", case.gap)
    return Check("fault", "the given positions are taken, and ignored", case.gap)


def moved(by: int | None, case: Case) -> Check:
    """All positions are larger by this number, or by the configured length."""
    shift = case.model.length if by is None else by
    number = change(case.at(AT + shift), case.alone()) / max(case.gap, SAME)
    says = "as a share of what a gap of 5 changes"
    if case.said.scheme in ("table", "unknown"):
        bad = f"{says}: not relative, so number every text as in training"
        return judged(number, says, bad, limit=MOVED, otherwise="know")
    return judged(number, says, f"{says}: are positions or angles rounded?", limit=MOVED)


def late_in_bfloat16(case: Case) -> Check:
    """The model in bfloat16, at positions from 4,001 on: whether a cast of the model rounds positions or angles."""
    if case.said.scheme != "RoPE":
        raise Refused("for RoPE")
    low = case.model.in_bfloat16()
    rounding, late = (
        float(changes(low.logits(Asked(case.short, positions)), case.alone()).median())
        for positions in (None, AT + 4001)
    )
    good = f"as a multiple of the rounding, {rounding:.1e}"
    return judged(late / rounding, good, f"{good}: positions or angles are rounded, too", limit=ROUNDED)


MOVE, LATE = "released_model: Move the positions", "rope: Deeper · Late positions in bfloat16"
SCHEME: Checks = {
    "weights belong to the logits": ("fast_attention: One bias, three ways", belong),
    "layers without positions": ("windows_and_sinks: Layers without positions", flat_layers),
    "depends on the distance alone": ("rope: The algebra", relative),
    "keys that a query sees": ("windows_and_sinks: A window by hand", window),
    "weight of a learned sink": ("windows_and_sinks: A sink without a token", sink),
    "speeds of the rotation": ("stretching_rope: Read a `config.json`", speeds),
    "slopes of the heads": ("alibi: Twelve heads, two rules", slopes_of_heads),
    "positions are read": ("rope: All pairs, each at its own speed", positions_are_read),
    "text moved by 1,000": (MOVE, partial(moved, 1000)),
    "text moved by 5,001": (LATE, partial(moved, 5001)),  # float16 and bfloat16 have no odd numbers so large
    "text moved by the configured length": (MOVE, partial(moved, None)),
    "late positions in bfloat16": (LATE, late_in_bfloat16),
}
