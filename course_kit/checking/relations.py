"""What a wrong result has in common with the right one: small facts, each a pure function from a Pair to sentences.

A function yields every sentence that is true of the pair, the most telling first. `common` keeps those that are true of
all pairs, so that what is said holds in every failing case and not by accident in one.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import Array, close, same
from .axes import Axis

CONSTANTS = {
    "2": 2.0,
    "4": 4.0,
    "½": 0.5,
    "¼": 0.25,
    "√2": math.sqrt(2),
    "1/√2": math.sqrt(0.5),
    "ln 2": math.log(2),
    "1/ln 2": 1 / math.log(2),
    "1/ln 10": 1 / math.log(10),
    "100": 100.0,
}
WHY = {
    "1/ln 2": " Check whether you took a logarithm to base 2.",
    "1/ln 10": " Check whether you took a logarithm to base 10.",
    "100": " Check whether you computed a percentage.",
}


@dataclass
class Pair:
    """Yours and expected, the names of the axes, and the numbers of the case by which something may be off."""

    yours: Array
    expected: Array
    axes: Sequence[Axis] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    truth: bool = False  # True and False are wanted, and counted as 1 and 0 here

    @property
    def all(self) -> str:
        return "Every entry" if self.expected.ndim else "Your number"

    def axis(self, k: int) -> str:
        """The name of an axis counted from the end: axis(-1)."""
        return self.axes[k].name if -k <= len(self.axes) else {-1: "column", -2: "row"}.get(k, f"axis {k}")

    def label(self, k: int, index: int) -> str:
        """What one index of an axis counted from the end is called: "1" for the first head of a paper."""
        return self.axes[k].label(index, self.expected.shape[k]) if -k <= len(self.axes) else str(index)


Fact = Callable[[Pair], Iterator[str]]


def common(facts: Sequence[Fact], pairs: Sequence[Pair]) -> str:
    """The first sentence that is true of every pair, or else of every pair with several rows and columns, or "".

    A single row cannot tell whether rows are mixed up. But the first pair is shown, so it must have several, too.
    """
    wide = [pair for pair in pairs if min(pair.expected.shape[-2:], default=1) > 1]
    with np.errstate(all="ignore"):
        for asked in (pairs, wide if wide and wide[0] is pairs[0] else ()):
            for fact in facts:
                said = [list(fact(pair)) for pair in asked]
                for sentence in said[0] if said else ():
                    if all(sentence in others for others in said):
                        return sentence
    return ""


def signs(p: Pair) -> Iterator[str]:
    if same(-p.yours, p.expected):
        yield f"{p.all} has the wrong sign."
    if same(abs(p.yours), abs(p.expected)):
        yield "Your numbers have the right sizes, but some of them have the wrong sign."


def transposed(p: Pair) -> Iterator[str]:
    if p.expected.ndim > 1 < p.yours.ndim and same(np.swapaxes(p.yours, -1, -2), p.expected):
        yield f"Your result is transposed: the {p.axis(-2)} axis and the {p.axis(-1)} axis have changed places."


def factor(p: Pair) -> Iterator[str]:
    ratio = p.yours[p.expected != 0] / p.expected[p.expected != 0]
    if not ratio.size or not np.isfinite(ratio[0]) or not same(p.expected * ratio[0], p.yours) or ratio[0] == 0:
        return
    sign, size = ("−" if ratio[0] < 0 else ""), abs(float(ratio[0]))
    for power, text in ((1, "{}"), (-1, "1/{}"), (2, "{}²"), (-2, "1/{}²")):
        for name, value in p.numbers.items():
            if value > 0 and math.isclose(size, value**power, rel_tol=1e-5):
                yield f"{p.all} is {sign}{text.format(name)} times what it should be."
    for text, constant in CONSTANTS.items():
        if math.isclose(size, constant, rel_tol=1e-5):
            yield f"{p.all} is {sign}{text} times what it should be.{WHY.get(text, '')}"


def some_factor(p: Pair) -> Iterator[str]:
    """A shared factor other than the known numbers. It would say nothing about a single number."""
    ratio = p.yours[p.expected != 0] / p.expected[p.expected != 0]
    if ratio.size > 1 and np.isfinite(ratio[0]) and ratio[0] != 0 and same(p.expected * ratio[0], p.yours):
        yield "Every entry is off by the same factor."


def offset(p: Pair) -> Iterator[str]:
    gap = np.asarray(p.yours, float) - p.expected
    gap = gap[np.isfinite(gap)]
    if not gap.size or not same(p.expected + gap[0], np.asarray(p.yours, float)):
        return
    for name, value in {"1": 1.0, "2": 2.0, **p.numbers}.items():
        if value and math.isclose(abs(gap[0]), abs(value), rel_tol=1e-5):
            yield f"{p.all} is too {'large' if gap[0] > 0 else 'small'} by {name}."


def some_offset(p: Pair) -> Iterator[str]:
    """A shared amount other than the known numbers."""
    gap = np.asarray(p.yours, float) - p.expected
    gap = gap[np.isfinite(gap)]
    if gap.size > 1 and same(p.expected + gap[0], np.asarray(p.yours, float)):
        yield "Every entry is off by the same amount."


def flat(p: Pair) -> Iterator[str]:
    """The same all along an axis, where it should not be."""
    if not np.isfinite(p.yours).all():
        return
    if p.expected.size > 1 and _even(p.yours.ravel(), 0) and not _even(p.expected.ravel(), 0):
        yield "All entries of your result are the same number."
    for axis in range(-p.expected.ndim, 0):
        if p.expected.shape[axis] > 1 and _even(p.yours, axis) and not _even(p.expected, axis):
            yield f"Your result is the same for every {p.axis(axis)}."


def by_row(p: Pair) -> Iterator[str]:
    """One amount, or one factor, for each row or column."""
    if p.expected.ndim < 2 or min(p.expected.shape[-2:]) < 2:
        return
    for axis, other in ((-1, -2), (-2, -1)):
        gap = p.yours.astype(float) - p.expected
        ratio = p.yours / np.where(p.expected == 0, np.nan, p.expected)
        if np.isfinite(gap).all() and same(gap, gap.mean(axis, keepdims=True) + 0 * gap):
            yield f"For each {p.axis(other)}, all entries are off by the same amount."
        if np.isfinite(ratio).all() and same(ratio, ratio.mean(axis, keepdims=True) + 0 * ratio):
            yield (
                f"For each {p.axis(other)}, all entries are off by the same factor. "
                "If you divide by a sum, check that it is the right one."
            )


def shifted(p: Pair) -> Iterator[str]:
    for axis in range(-p.expected.ndim, 0):
        y, e = np.moveaxis(p.yours, axis, 0), np.moveaxis(p.expected, axis, 0)
        for mine, right, way in ((y[1:], e[:-1], "end"), (y[:-1], e[1:], "start")):
            if mine.size > 1 and np.ptp(right) > 0 and same(mine, right):
                yield f"Your result is the right one, moved by one entry towards the {way} of the {p.axis(axis)} axis."


def reversed_(p: Pair) -> Iterator[str]:
    for axis in range(-p.expected.ndim, 0):
        if p.expected.shape[axis] > 1 and same(np.flip(p.yours, axis), p.expected):
            yield f"Your result is the right one, but in reverse order along the {p.axis(axis)} axis."


def normalised(p: Pair) -> Iterator[str]:
    """Weights should sum to 1 over the last axis: over another one, or not at all."""
    if p.expected.ndim == 0 or not _ones(p.expected.sum(-1)) or _ones(p.yours.sum(-1)):
        return
    if p.expected.ndim > 1 and _ones(p.yours.sum(-2)):
        wrong, right = p.axis(-2), p.axis(-1)
        yield (
            f"Your result sums to 1 over the {wrong} axis, but it should sum to 1 over the {right} axis. "
            "Check the axis of the softmax."
        )
    if p.expected.ndim > 1 and _ones(np.asarray(p.yours.sum())):
        yield "All your weights together sum to 1, but each row should. Sum over one axis only."
    if same(p.yours / p.yours.sum(-1, keepdims=True), p.expected):
        yield (
            "Your weights are in the right proportion but do not sum to 1. Divide them once by their sum over the "
            f"{p.axis(-1)} axis."
        )


def unnormalised(p: Pair) -> Iterator[str]:
    """Weights that do not sum to 1, whatever the reason."""
    if p.truth:  # the rows of a mask may sum to 1 by accident
        return
    if p.expected.ndim and _ones(p.expected.sum(-1)) and not _ones(p.yours.sum(-1)) and not any(nearly(p)):
        yield f"Your result should sum to 1 over the {p.axis(-1)} axis, but it does not."


def masked(p: Pair) -> Iterator[str]:
    """A causal mask where none is asked for."""
    if p.expected.ndim < 2 or not np.isfinite(p.expected).all():
        return
    hidden = p.yours == -np.inf
    n_q, n_k = p.expected.shape[-2:]
    if hidden.any() and same(np.where(hidden, p.expected, p.yours), p.expected):
        past = int(p.numbers.get("`past`", n_k - n_q))
        after = np.arange(n_k) > past + np.arange(n_q)[:, None]
        if np.array_equal(hidden, np.broadcast_to(after, hidden.shape)):
            if (p.expected[hidden] == 0).all():
                yield "You have −∞ for the keys after each query. Your result should have 0 there."
            else:
                yield "You hide the keys after each query. This task does not ask for a mask."


def weights(p: Pair) -> Iterator[str]:
    """A softmax where the scores are asked for."""
    if p.expected.ndim and _ones(p.yours.sum(-1)) and not _ones(p.expected.sum(-1)):
        e = np.exp(p.expected - p.expected.max(-1, keepdims=True))
        if same(e / e.sum(-1, keepdims=True), p.yours):
            yield "You applied a softmax. The task asks for the numbers before it."


def scores(p: Pair) -> Iterator[str]:
    """Scores where weights are wanted. They may hold the −∞ of a mask."""
    if p.expected.ndim and _ones(p.expected.sum(-1)) and not _ones(p.yours.sum(-1)):
        e = np.exp(p.yours - p.yours.max(-1, keepdims=True))
        if same(e / e.sum(-1, keepdims=True), p.expected):
            yield "Your result holds scores instead of weights, because the softmax is missing."


def lost_axis(p: Pair) -> Iterator[str]:
    """Divided by the sum of the wrong row: entry (i, j) by that of row j, as without keepdims."""
    if p.expected.ndim < 2 or p.expected.shape[-1] != p.expected.shape[-2] or not _ones(p.expected.sum(-1)):
        return
    right = p.expected[..., :1]
    if p.expected.shape[-1] > 1 and (right > 0).all() and (p.yours[..., :1] > 0).all():
        rate = p.yours[..., :1] / right
        if same(p.yours, p.expected * rate / np.swapaxes(rate, -1, -2)):
            yield (
                "You sum over the right axis, but the sums no longer have it, so NumPy aligns them with the "
                f"{p.axis(-1)} axis. Add `keepdims=True`."
            )


def softened(p: Pair) -> Iterator[str]:
    """Right weights of wrong scores: the logarithm of a weight is its score, up to an amount for each row.

    Hidden keys have weight 0 in both, and no score.
    """
    if p.expected.ndim == 0 or p.expected.shape[-1] < 3 or not (_ones(p.expected.sum(-1)) and _ones(p.yours.sum(-1))):
        return
    seen = p.expected > 0
    if not np.array_equal(seen, p.yours > 0):
        return
    mine, right = (np.log(np.where(seen, w, 1).astype(float)) for w in (p.yours, p.expected))
    many = seen.sum(-1, keepdims=True)
    mine, right = (np.where(seen, x - x.sum(-1, keepdims=True) / many, 0) for x in (mine, right))
    largest = np.unravel_index(abs(right).argmax(), right.shape)
    times = mine[largest] / right[largest]
    if np.isfinite(times) and same(times * right, mine):
        if math.isclose(times, -1, rel_tol=1e-5):
            yield "The scores that you pass to the softmax have the wrong sign."
        yield "The scores that you pass to the softmax are all off by the same factor. Check the scaling."


def function_of(p: Pair) -> Iterator[str]:
    """One of the small functions too many or too few."""
    y, e = p.yours.astype(float), p.expected.astype(float)
    candidates = {
        "Your result is the logarithm of the right one. Check whether an exp is missing.": np.exp(y),
        "Your result is the exponential of the right one. Check whether a log is missing.": np.log(y),
        "Your result is the square of the right one.": np.where(e == 0, y, np.sqrt(y) * np.sign(e)),
        "Your result is the square root of the right one.": y * y,
        "Your result is one divided by the right one.": 1 / y,
        "Your result is 1 minus the right one.": 1 - y,
    }
    yield from (sentence for sentence, undone in candidates.items() if np.ptp(e) > 0 and same(undone, e))


def rounded(p: Pair) -> Iterator[str]:
    """The right numbers on a grid of so many decimals."""
    gap, largest = _gap(p)
    for digits in range(1, 5):
        unit, decimals = 10.0**-digits, f"{digits} decimal{'s' * (digits > 1)}"
        on_grid = np.allclose(p.yours, np.round(p.yours, digits), rtol=0, atol=1e-9)
        if not on_grid or largest < 3 * unit:  # so small that 0 would be on it
            continue
        if (gap < 0.5001 * unit).all():
            yield f"Your result is right, but rounded to {decimals}. Keep all digits."
        if np.allclose(p.yours, np.trunc(p.expected / unit) * unit, rtol=0, atol=1e-9):
            yield f"Your result is right, but cut off after {decimals}. Keep all digits."


def nearly(p: Pair) -> Iterator[str]:
    """Off by little. Where exactly 0 is right, anything else has another reason than lost digits."""
    gap, largest = _gap(p)
    if not gap[p.expected == 0].any() and (gap <= 5e-3 * largest).all():
        yield (
            "Every number is off by at most half a percent of the largest one. Check whether you round on the way, or "
            "compute in half precision."
        )


def _gap(p: Pair) -> tuple[Array, float]:
    """How far each entry is off, where two infinities of a sign are not, and the largest number wanted."""
    gap = np.where(p.yours == p.expected, 0, abs(p.yours - p.expected))
    return gap, float(abs(p.expected[np.isfinite(p.expected)]).max(initial=0))


def whole(p: Pair) -> Iterator[str]:
    if p.yours.dtype.kind in "iu" and not same(np.round(p.expected), p.expected):
        yield (
            "Your result has only whole numbers (or True and False), but some of the right numbers have decimals. "
            "Check whether an array with `dtype=int`, an `int(…)` or a `//` cuts them off."
        )


def _even(array: Array, axis: int) -> bool:
    return same(np.broadcast_to(array.take([0], axis), array.shape), array)


def _ones(sums: Array) -> bool:
    return bool(close(np.asarray(sums, float), np.ones_like(sums, float)).all())


FINISHES: tuple[Fact, ...] = (  # what was done to the right result: causes
    rounded, signs, transposed, lost_axis, scores, masked, weights, factor, normalised, offset, shifted, reversed_,
    softened, function_of, whole,
)  # fmt: skip
# What is true of the result, whatever the cause.
WEAK: tuple[Fact, ...] = (unnormalised, some_factor, some_offset, flat, by_row)
