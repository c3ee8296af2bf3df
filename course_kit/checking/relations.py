"""What a wrong result has in common with the right one: small facts, each a pure function from a Pair to sentences.

A function yields every sentence that is true of the pair, the most telling first. `common` keeps those that are true of
all pairs, so that what is said holds in every failing case and not by accident in one.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .arrays import Array, close, same
from .difference import Pair

CONSTANTS = {
    "2": 2.0, "4": 4.0, "½": 0.5, "¼": 0.25, "√2": math.sqrt(2), "1/√2": math.sqrt(0.5), "ln 2": math.log(2),
    "1/ln 2": 1 / math.log(2), "1/ln 10": 1 / math.log(10), "100": 100.0,
}  # fmt: skip
WHY = {
    "1/ln 2": " Check whether you took a logarithm to base 2.",
    "1/ln 10": " Check whether you took a logarithm to base 10.",
    "100": " Check whether you computed a percentage.",
}
POWERS = {"{}": 1, "1/{}": -1, "{}²": 2, "1/{}²": -2}


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


def undone(p: Pair) -> Iterator[str]:
    """What was done to the right result, if undoing it makes yours right."""
    return (done for done, result in undoings(p) if same(result, p.expected))


def undoings(p: Pair) -> Iterator[tuple[str, Array]]:
    """What may have been done to the right result, and yours with that undone."""
    y, e = p.yours + 0.0, p.expected
    yield f"{p.all} has the wrong sign.", -y
    if y.ndim > 1 and e.ndim > 1:
        places = f"the {p.axis(-2)} axis and the {p.axis(-1)} axis have changed places"
        yield f"Your result is transposed: {places}.", np.swapaxes(y, -1, -2)
    if y.shape != e.shape:
        return
    yield "Your numbers have the right sizes, but some of them have the wrong sign.", np.where(close(y, -e), -y, y)
    numbers = {name: abs(value) for name, value in p.numbers.items() if value}
    factors = {form.format(name): value**power for form, power in POWERS.items() for name, value in numbers.items()}
    for name, size in {**factors, **CONSTANTS}.items():
        for sign, value in (("", size), ("−", -size)):
            yield f"{p.all} is {sign}{name} times what it should be.{WHY.get(name, '')}", y / value
    for name, size in {"1": 1.0, "2": 2.0, **numbers}.items():
        yield f"{p.all} is too large by {name}.", y - size
        yield f"{p.all} is too small by {name}.", y + size
    for axis in range(-e.ndim, 0):
        name = p.axis(axis)
        yield f"Your result is the right one, but in reverse order along the {name} axis.", np.flip(y, axis)
    if np.ptp(e) > 0:  # of a single number, too much may be true by accident
        yield "Your result is the logarithm of the right one. Check whether an exp is missing.", np.exp(y)
        yield "Your result is the exponential of the right one. Check whether a log is missing.", np.log(y)
        yield "Your result is the square of the right one.", np.where(e == 0, y, np.sqrt(y) * np.sign(e))
        yield "Your result is the square root of the right one.", y * y
        yield "Your result is one divided by the right one.", 1 / y
        yield "Your result is 1 minus the right one.", 1 - y


def shared(p: Pair) -> Iterator[str]:
    """One factor or one amount for all, other than the known numbers. It would say nothing about a single number."""
    places = np.isfinite(p.expected) & (p.expected != 0)
    y, e = p.yours[places] + 0.0, p.expected[places]
    if e.size > 1 and np.isfinite(y[0]) and y[0] != 0:
        if same(p.expected * (y[0] / e[0]), p.yours + 0.0):
            yield "Every entry is off by the same factor."
        if same(p.expected + (y[0] - e[0]), p.yours + 0.0):
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


def shifted(p: Pair) -> Iterator[str]:
    for axis in range(-p.expected.ndim, 0):
        y, e = np.moveaxis(p.yours, axis, 0), np.moveaxis(p.expected, axis, 0)
        for mine, right, way in ((y[1:], e[:-1], "end"), (y[:-1], e[1:], "start")):
            if mine.size > 1 and np.ptp(right) > 0 and same(mine, right):
                yield f"Your result is the right one, moved by one entry towards the {way} of the {p.axis(axis)} axis."


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
    if p.expected.ndim and _ones(p.expected.sum(-1)) and not _ones(p.yours.sum(-1)):
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


def rounded(p: Pair) -> Iterator[str]:
    """The right numbers on a grid of so many decimals."""
    gap = np.where(p.yours == p.expected, 0, abs(p.yours - p.expected))  # two infinities of a sign are not apart
    largest = float(abs(p.expected[np.isfinite(p.expected)]).max(initial=0))
    for digits in range(1, 5):
        unit, decimals = 10.0**-digits, f"{digits} decimal{'s' * (digits > 1)}"
        on_grid = np.allclose(p.yours, np.round(p.yours, digits), rtol=0, atol=1e-9)
        if not on_grid or largest < 3 * unit:  # so small that 0 would be on it
            continue
        if (gap < 0.5001 * unit).all():
            yield f"Your result is right, but rounded to {decimals}. Keep all digits."
        if np.allclose(p.yours, np.trunc(p.expected / unit) * unit, rtol=0, atol=1e-9):
            yield f"Your result is right, but cut off after {decimals}. Keep all digits."


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
    rounded, undone, lost_axis, scores, masked, weights, normalised, shifted, softened, whole,
)  # fmt: skip
# What is true of the result, whatever the cause.
WEAK: tuple[Fact, ...] = (unnormalised, shared, flat)
