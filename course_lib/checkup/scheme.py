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

from contextlib import suppress
from functools import partial

import numpy as np

from ..reference.alibi import slopes
from .case import Case, Question, question
from .check import SAME, Check, Refused, change, changes, judged
from .config import Layer
from .curve import Sample, suspects, unexplained

FLAT = 2e-6  # a curve that departs less from its mean sees no position
MISSING = 1e-4  # the share of a learned sink
FIT, SLOPES, MOVED, ROUNDED = 1e-3, 0.01, 0.02, 4.0
MORE = ((3, 0), (7, 0), (1, 1000), (1, 5001))  # strides and starts that add far distances and late positions


def blind(case: Case) -> list[int]:
    """The layers whose curves are flat."""
    return [number for number, curve in enumerate(case.curves()) if curve.size < FLAT]


def equal_rows(case: Case) -> int:
    """How many layers get equal rows: behind a learned sink, a row depends on how many keys it sees."""
    missing = [curve.missing > MISSING for curve in case.curves()]
    return missing.index(True) + 1 if True in missing else len(missing)


@question("weights belong to the logits", "fast_attention: One bias, three ways")
def belong(case: Case) -> Check:
    """Asking a model for its weights may choose another program than the one that makes the logits."""
    shown = case.model.shown(case.short)
    if shown.logits is None:
        raise Refused("weights and logits do not come from one call")
    bad = "with weights, the model computes something else, and the curves below show that"
    return judged(change(shown.logits, case.plain), "the same logits with and without them", bad, otherwise="know")


@question("layers without positions", "windows_and_sinks: Layers without positions")
def flat_layers(case: Case) -> Check:
    found = blind(case)
    which = f"layers {', '.join(map(str, found))}" if found else "none"
    if not case.layers:
        return Check("know" if found else "fine", which, len(found))
    expected = [number for number, layer in enumerate(case.layers) if layer.scheme == "none"]
    if found == expected:
        return Check("fine", which, len(found))
    wanted = ", ".join(map(str, expected)) or "none"
    return Check("fault", f"{which}; the file says {wanted}. Is the scheme applied, in the right layers?", len(found))


@question("depends on the distance alone", "rope: The algebra")
def relative(case: Case) -> Check:
    seen, found = blind(case), case.curves()[: equal_rows(case)]
    offs = [curve.middle / curve.size for number, curve in enumerate(found) if number not in seen]
    if not offs:
        raise Refused("no layer sees a position")
    if case.scheme == "table":
        return Check("fine" if max(offs) > FIT else "fault", "no, as a table of positions means", max(offs))
    bad = "not relative: an absolute part, or a rotation whose pairs and angles do not match"
    otherwise = "know" if case.scheme == "unknown" else "fault"
    return judged(max(offs), "the curve is the same for an earlier query", bad, limit=FIT, otherwise=otherwise)


@question("keys that a query sees", "windows_and_sinks: A window by hand")
def window(case: Case) -> Check:
    reach, n = [curve.reach for curve in case.curves()], case.span
    shown = ", ".join(map(str, sorted(set(reach))))
    if not case.layers:
        return Check("fine", f"of {n}; there is no file to compare {shown} with", min(reach))
    if reach == [visible(layer, n) for layer in case.layers]:
        return Check("fine", f"of {n}, as the file says", min(reach))
    wanted = ", ".join(map(str, sorted({visible(layer, n) for layer in case.layers})))
    says = f"{shown} of {n}; the file says {wanted}. Is the window applied, and is its edge right?"
    return Check("fault", says, min(reach))


def visible(layer: Layer, n: int) -> int:
    """How many keys the last of n queries sees in a layer, as the file says."""
    return min(n, layer.window or n, (n - 1) % (layer.chunk or n) + 1)


@question("weight of a learned sink", "windows_and_sinks: A sink without a token")
def sink(case: Case) -> Check:
    missing = max(curve.missing for curve in case.curves())
    if case.model.has_sinks and missing < MISSING:
        return Check("fault", "the weights have sinks, but no attention goes to them", missing)
    if missing > MISSING and not case.model.has_sinks:
        return Check("know", "rows of weights sum to less than 1", missing)
    return Check("fine", "some weight goes to no key" if missing > MISSING else "there is none", max(missing, 0.0))


@question("speeds of the rotation", "stretching_rope: Read a `config.json`")
def speeds(case: Case) -> Check:
    """What the file's speeds leave unexplained, and who else explains it."""
    if case.scheme != "RoPE":
        raise Refused("for RoPE, with a file that gives its speeds")
    seen, usable, compared, worst, line = blind(case), equal_rows(case), 0, 0.0, ""
    for number, layer in enumerate(case.layers[:usable]):
        if layer.speeds is None or number in seen:
            continue
        samples = samples_of(case, number)
        if sum(len(distances) for distances, _ in samples) < 2.5 * len(layer.speeds):
            continue
        compared, rest = compared + 1, unexplained(samples, layer.speeds)
        if rest > max(worst, FIT):
            best, who = min((unexplained(samples, theta), who) for who, theta in suspects(layer.speeds))
            line = who if best < rest / 10 else "no constant speeds do: are positions or angles rounded, or ignored?"
            line = f"not those of the file, in layer {number}; {line}"
        worst = max(worst, rest)
    if not compared:
        raise Refused("no layer with a curve long enough for its speeds")
    return judged(worst, f"those of the file explain the curves of {compared} layers", line, limit=FIT)


def samples_of(case: Case, layer: int) -> list[Sample]:
    """The curves of a layer at several strides and starts, as far as the model takes positions."""
    runs = [(1, case.curves())]
    with suppress(Refused):  # a model that takes no positions, or whose list of angles ends
        runs += [(stride, case.curves(stride, start)) for stride, start in MORE]
    return [(stride * np.arange(found[layer].reach), found[layer].logs) for stride, found in runs]


@question("slopes of the heads", "alibi: Twelve heads, two rules")
def slopes_of_heads(case: Case) -> Check:
    if case.scheme != "ALiBi" or not case.said.n_heads:
        raise Refused("for ALiBi")
    logs, published = case.curves()[0].logs[:, :9], slopes(case.said.n_heads)
    ratio = (logs[:, 0] - logs[:, -1]) / (logs.shape[1] - 1) / published
    factor = float(np.median(ratio))
    off = float(abs(ratio / factor - 1).max()) if factor > 0 else np.inf
    bad = f"{(ratio * published).round(3).tolist()}; published {published.round(3).tolist()}"
    bad = f"a negative factor: far keys are rewarded. {bad}" if factor < 0 else bad
    return judged(off, f"the published ones, times {factor:.3g}", bad, limit=SLOPES)


@question("positions are read", "rope: All pairs, each at its own speed")
def positions_are_read(case: Case) -> Check:
    if case.gap > 2e-5 or case.scheme == "ALiBi":
        return Check("fine", "a gap of 5 changes the logits this much", case.gap)
    return Check("fault", "the given positions are taken, and ignored", case.gap)


def moved(by: int | None, case: Case) -> Check:
    """All positions are larger by this number, or by the configured length."""
    shift = case.model.length if by is None else by
    number = change(case.model.logits(case.short, case.at + shift), case.plain) / max(case.gap, SAME)
    says = "as a share of what a gap of 5 changes"
    if case.scheme in ("table", "unknown"):
        bad = f"{says}: not relative, so number every text as in training"
        return judged(number, says, bad, limit=MOVED, otherwise="know")
    return judged(number, says, f"{says}: are positions or angles rounded?", limit=MOVED)


MOVE, LATE = "released_model: Move the positions", "rope: Deeper · Late positions in bfloat16"
MOVES = (
    Question("text moved by 1,000", MOVE, partial(moved, 1000)),
    Question("text moved by 5,001", LATE, partial(moved, 5001)),  # float16 and bfloat16 have no odd numbers so large
    Question("text moved by the configured length", MOVE, partial(moved, None)),
)


@question("late positions in bfloat16", LATE)
def late_in_bfloat16(case: Case) -> Check:
    """The model in bfloat16, at positions from 4,001 on: whether a cast of the model rounds positions or angles."""
    if case.scheme != "RoPE":
        raise Refused("for RoPE")
    low = case.model.in_bfloat16()
    rounding = float(changes(low.logits(case.short), case.plain).median())
    number = float(changes(low.logits(case.short, case.at + 4001), case.plain).median()) / rounding
    good = f"as a multiple of the rounding, {rounding:.1e}"
    return judged(number, good, f"{good}: positions or angles are rounded, too", limit=ROUNDED)


SCHEME = (
    belong,
    flat_layers,
    relative,
    window,
    sink,
    speeds,
    slopes_of_heads,
    positions_are_read,
    *MOVES,
    late_in_bfloat16,
)
