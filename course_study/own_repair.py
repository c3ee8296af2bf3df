"""A repair of your own: the released model with your change, beside interpolation, NTK, YaRN and stopped pairs.

    trained = frequencies(64, base=100_000)                          # of course_lib.reference.absolute: 32 speeds
    own_repair.measure(speeds=trained / 2)                           # your speeds, in radians per position
    own_repair.measure(bias=lambda r, j: -0.1 * r.log1p())           # your bias, added to the scores
    own_repair.measure(mask=lambda r, j: (r < 1024) | (j == 0))      # your mask, True where a query may look

Give one or several. `score_factor` multiplies q · k, as 1/t does with YaRN's temperature t. A bias and a mask are
functions of r (n, n), how many positions back each key is, row i for query i, and of j (n,), the numbers of the tokens.
A gap counts in r and not in j. The columns of the report, each for the model with the repair:

    short texts   how much the loss of four texts of 384 tokens rises: what the repair costs
    gap 16,384    the same, with the second half of each text moved on by 16,384 positions
    key near      how many of four keys, of five digits each, it finds 190 tokens back
    key far       the same with 20,000 positions more between a key and its question

± is the standard error of the paired differences between the tokens' losses. A key is found if its digits have a mean
loss below ln 2 = 0.69; a key that was never told has about 2.9. The rows of the known repairs, made for texts four
times as long, are committed runs. Only yours is measured, in about half a minute on one core.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_lib import released
from course_lib.nn.threads import one_thread

from .released import rows
from .released.experiments import Change, asked, gap, passkeys, short_texts
from .released.plan import compared
from .report import Report

Grids = dict[str, Callable[[Tensor, Tensor], Any]]
Columns = tuple[tuple[float, float], tuple[float, float], list[float], list[float]]
KNOWN = {"interpolation": "PI 4", "NTK": "NTK 4", "YaRN": "YaRN 4", "16 pairs stopped": "slowest 16 stopped"}
HEAD = f"{'':18}{'short texts':>14}{'gap 16,384':>14}{'key near':>11}{'key far':>10}"
UNSEEN = (
    "No column reads a long text, with thousands of keys in between: in 8,192 tokens of Alice, stopped pairs cost "
    "{:+.2f} ± {:.2f} nats.",
    "And no column tells whether far words help to predict a text: a key is only repeated.",
)


@dataclass(repr=False)
class MeasuredRepair(Report):
    """short, gap: the change of the loss and its error. near, far: the mean loss of the digits of each key."""

    short: tuple[float, float] = (math.nan, math.nan)
    gap: tuple[float, float] = (math.nan, math.nan)
    near: list[float] = field(default_factory=list)
    far: list[float] = field(default_factory=list)


@one_thread()
def measure(
    speeds: Any = None, *, score_factor: Any = None, bias: Any = None, mask: Any = None, name: str = "yours"
) -> MeasuredRepair:
    """Measure your change of the released model, and show it under the known repairs.

    Without the model's file, the report has the known rows and says what is missing. Raises ValueError if nothing is
    given, if speeds are not 32 numbers, if score_factor is not one number, or if bias or mask is not a function of r
    and j. A bias must give a number for each query and key, and a mask True or False.
    """
    change: Change = {}
    if speeds is not None:
        change["speeds"] = numbers("speeds", speeds, (32,))
    if score_factor is not None:
        change["score_factor"] = numbers("score_factor", score_factor, ())
    grids = {what: function for what, function in {"bias": bias, "mask": mask}.items() if function is not None}
    if not change and not grids:
        raise ValueError("speeds, score_factor, bias, mask: all are None, expected at least one of them")
    for what, function in grids.items():
        grid(what, function, *distances(torch.arange(8)))  # refused before the model is read
    lines = ["change of the loss in nats, and how many of four keys are found", HEAD, line("as released", *known(""))]
    lines += [line(shown, *known(repair)) for shown, repair in KNOWN.items()]
    try:
        columns = measured(loaded(released.model_file()), change, grids)
    except LookupError as missing:  # a recording does not know this change
        return MeasuredRepair("not measured", [*lines, f"{name} is not measured. {missing.args[0]}"])
    (long,) = rows("by position", condition=KNOWN["16 pairs stopped"], n=8192)
    unseen = [part.format(long["difference"], long["error"]) for part in UNSEEN]
    return MeasuredRepair("measured", [*lines, line(name, *columns), *unseen], *columns)


def measured(model: Any, change: Change, grids: Grids) -> Columns:
    """What a change does to short texts, to the same with a gap, and to keys that are near and far."""
    texts, keys = short_texts(model), passkeys(model)
    controls = [model.losses(text.tokens)[text.half - text.n + 1 :] for text in texts]

    def rise(size: int) -> tuple[float, float]:
        after = [losses(model, text.tokens, gap(text.n, size, text.half), change, grids) for text in texts]
        return mean([compared(a, b) for a, b in zip(after, controls)])

    def of_keys(size: int) -> list[float]:
        prompts = [asked(model, key.name, size) for key in keys]
        return [float(losses(model, *prompt, change, grids)[-5:].mean()) for prompt in prompts]

    return rise(0), rise(16384), of_keys(0), of_keys(20000)


@functools.cache
def loaded(file: Path | None) -> Any:
    """The model from this file, read once; without a file (None), the recorded answers."""
    return released.load(file)


def numbers(what: str, value: Any, shape: tuple[int, ...]) -> Tensor:
    """Finite real numbers of this shape."""
    try:
        found = np.asarray(value)
    except (ValueError, RuntimeError, TypeError):  # rows of different lengths, a tensor with gradients, …
        found = np.asarray(None)
    real = found.dtype.kind in "iuf"
    if not real or found.shape != shape or not np.isfinite(found).all():
        got = repr(value)[:60] if not real else "nan or ∞" if found.shape == shape else f"shape {found.shape}"
        expected = "32 finite numbers, radians per position of each pair" if shape else "one finite number"
        raise ValueError(f"{what}: got {got}, expected {expected}")
    return torch.as_tensor(found, dtype=torch.float64)


def grid(what: str, function: Any, r: Tensor, j: Tensor) -> Tensor:
    """What a bias or a mask says of every query and key, (n, n)."""
    if not callable(function):
        got = f"{what}: got a {type(function).__name__}"
        raise ValueError(f"{got}, expected a function of r and j, because the texts differ in length")
    found, is_mask = torch.as_tensor(function(r, j)), what == "mask"
    given = f"{what}(r, j) returned {found.dtype} of shape {tuple(found.shape)}"
    if (found.dtype == torch.bool) != is_mask or found.is_complex() or found.shape not in (r.shape, j.shape, ()):
        kind = "True or False" if is_mask else "a number"
        raise ValueError(f"{given}: expected {kind} for each query and key, shape {tuple(r.shape)}")
    found = found.expand(r.shape)
    if is_mask and not found.diagonal().all():
        raise ValueError(f"{given}: expected True where r is 0")
    if not is_mask and not (found.diagonal().isfinite().all() and (found < math.inf).all()):
        raise ValueError(f"{given}: expected numbers, or −inf for r above 0")
    return found if is_mask else found.float()


def losses(model: Any, tokens: Any, place: Change, change: Change, grids: Grids) -> Tensor:
    """The losses of tokens at these places in the changed model."""
    at = distances(place.get("positions", torch.arange(len(tokens))))
    with model.changed(**place, **change, **{what: grid(what, of, *at) for what, of in grids.items()}):
        return model.losses(tokens)


def distances(positions: Tensor) -> tuple[Tensor, Tensor]:
    """r and j of tokens at these positions; r is 0 for later keys, which are hidden anyway."""
    return (positions[:, None] - positions).clamp(min=0), torch.arange(len(positions))


def known(repair: str) -> Columns:
    """The columns of a known repair, from committed rows; "" is the model as released."""
    texts = (f"{repair}, gap 0", f"{repair}, gap 16384") if repair else ("as released", "gap 16384")
    short, moved = (mean(rows("gaps", condition=text)) for text in texts)
    prompts = (f"10 fillers, gap {size}" + f", {repair}" * bool(repair) for size in (0, 20000))
    near, far = ([one["loss"] for one in rows("pass keys", condition=prompt)] for prompt in prompts)
    return short, moved, near, far


def mean(found: list[Any]) -> tuple[float, float]:
    """The mean difference over texts, and its standard error."""
    error = math.hypot(*(one["error"] for one in found)) / len(found)
    return sum(one["difference"] for one in found) / len(found), error


def line(name: str, short: tuple[float, float], moved: tuple[float, float], near: list[float], far: list[float]) -> str:
    rises = "".join(f"{f'{rise:+.2f} ± {error:.2f}':>14}" for rise, error in (short, moved))
    near_found, far_found = (f"{sum(loss < math.log(2) for loss in keys)} of {len(keys)}" for keys in (near, far))
    return f"{name[:17]:18}{rises}{near_found:>11}{far_found:>10}"
