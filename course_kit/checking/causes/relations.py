"""What a wrong result has in common with the right one: small facts, each a pure function from a Pair to sentences.

A function yields every sentence that is true of the pair, the most telling first. `common` keeps those that are true of
all pairs, so that what is said holds in every failing case and not by accident in one.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..arrays import Array, close, same
from ..difference import Pair

CONSTANTS = {
    "2": (2.0, ""),
    "½": (0.5, ""),
    "1/ln 2": (1 / math.log(2), " Check whether you took a logarithm to base 2."),
    "1/ln 10": (1 / math.log(10), " Check whether you took a logarithm to base 10."),
}
REVERSED = "Your result is the right one, but in reverse order along the"
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
                said = list(fact(asked[0])) if asked else []
                others = [list(fact(pair)) for pair in asked[1:]] if said else []
                for sentence in said:
                    if all(sentence in one for one in others):
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
    named = {name: (size, "") for name, size in factors.items()}
    for name, (size, why) in {**named, **CONSTANTS}.items():
        for sign, value in (("", size), ("−", -size)):
            yield f"{p.all} is {sign}{name} times what it should be.{why}", y / value
    for name, size in {"1": 1.0, "2": 2.0, **numbers}.items():
        yield f"{p.all} is too large by {name}.", y - size
        yield f"{p.all} is too small by {name}.", y + size
    if y.ndim > 1 and same(np.flip(y, -1), np.flip(y, -2)):
        yield f"{REVERSED} {p.axis(-2)} axis or the {p.axis(-1)} axis. Here both are alike.", np.flip(y, -1)
    for axis in range(-e.ndim, 0):
        yield f"{REVERSED} {p.axis(axis)} axis.", np.flip(y, axis)


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
    if same(p.yours / p.yours.sum(-1, keepdims=True), p.expected):
        yield (
            "Your weights are in the right proportion but do not sum to 1. Divide them once by their sum over the "
            f"{p.axis(-1)} axis."
        )


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


def softmaxed(p: Pair) -> Iterator[str]:
    """A softmax where scores are wanted, or scores where weights are. Scores may hold the −∞ of a mask."""
    if p.expected.ndim == 0 or _ones(p.expected.sum(-1)) == _ones(p.yours.sum(-1)):
        return
    for scores, weights, said in (
        (p.expected, p.yours, "You applied a softmax. The task asks for the numbers before it."),
        (p.yours, p.expected, "Your result holds scores instead of weights, because the softmax is missing."),
    ):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        if _ones(weights.sum(-1)) and same(e / e.sum(-1, keepdims=True), weights):
            yield said


def unshifted(p: Pair) -> Iterator[str]:
    """Rows that should be moved against each other and are not: yours[i, j] is the right entry (i, i + j + start)."""
    shape, names = p.expected.shape, [axis.name for axis in p.axes[-2:]]
    if names != ["query", "key"] or min(shape[-2:]) < 2:
        return
    i, j = np.indices(shape[-2:])
    begin = p.yours[..., 0, 0], p.yours[..., 0, -1]  # one of them is in the right row 0, wherever it begins
    starts = [k for k in range(shape[-1]) if same(begin[0], p.expected[..., 0, k])]
    starts += [k + 1 - shape[-1] for k in range(shape[-1]) if same(begin[1], p.expected[..., 0, k])]
    for start in starts:
        there = i + j + start
        inside = (there >= 0) & (there < shape[-1])
        moved = np.take_along_axis(p.expected, np.broadcast_to(np.where(inside, there, 0), shape), -1)
        y, e = p.yours[..., inside], moved[..., inside]
        telling = inside.any(1).sum() > 1 and inside.sum() > max(shape[-2:]) and len(np.unique(e.round(9))) > 2
        if telling and same(y, e):
            yield "Under a key every query has one offset: your result goes by the place of the key, and not by j − i."
            return


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


def whole(p: Pair) -> Iterator[str]:
    if p.yours.dtype.kind in "iu" and not same(np.round(p.expected), p.expected):
        yield (
            "Your result has only whole numbers (or True and False), but some of the right numbers have decimals. "
            "Check whether an array with `dtype=int`, an `int(…)` or a `//` cuts them off."
        )


def not_finite(p: Pair) -> str:
    """What nan or infinity may come from, where a result has one and should not, or ""."""
    if p.words:
        return ""
    nan, infinite = (odd(p.yours) & ~odd(p.expected) for odd in (np.isnan, np.isinf))
    if nan.any():
        return (
            "Some of yours is nan: the logarithm of 0, the root or the logarithm of a negative number, 0 · ∞, 0/0, "
            "∞ − ∞, or a row with nothing but −∞?"
        )
    last = "e^x of a large x" if (p.yours[infinite] > 0).any() else "the −∞ of a mask where a number is wanted"
    return f"Some of yours is infinite: the logarithm of 0, a division by 0, or {last}?" if infinite.any() else ""


def zeros(p: Pair) -> Iterator[str]:
    """A part of a matrix that is 0 and should not be, where the rest is right."""
    if p.expected.ndim < 2 or min(p.expected.shape[-2:]) < 2:
        return
    rows, columns = (np.arange(n) for n in p.expected.shape[-2:])
    last = (rows[:, None] == rows[-1]) | (columns == columns[-1])
    parts = {
        "All of your result is 0": np.ones_like(last),
        "The last row and the last column are 0": last,
        "All rows after the first are 0": np.broadcast_to(rows[:, None] > 0, last.shape),
        "All but the first entry is 0": (rows[:, None] + columns) > 0,
    }
    wrong, empty = ~close(p.yours, p.expected), p.yours == 0
    for text, inside in parts.items():
        if (wrong & inside).any() and not (wrong & ~inside).any() and (empty | ~inside).all():
            yield text


def shapes(p: Pair) -> Iterator[str]:
    """How a wrong shape differs from the right one."""
    mine, right = p.yours.shape, p.expected.shape
    missing = [p.axis(k - len(right)) for k in range(len(right)) if mine == right[:k] + right[k + 1 :]]
    if len(missing) > 1:  # of a square nobody can tell which one it is
        missing.insert(0, " or the ".join(missing))
    why = "is it summed away (keepdims?), never made, or is the `return` inside the loop?"
    yield from (f"The {name} axis is missing: {why}" for name in missing)
    if len(mine) == len(right) + 1 and any(mine[:k] + mine[k + 1 :] == right for k in range(len(mine))):
        yield "There is one axis too many."
    off = [k for k in range(len(right)) if mine[k] != right[k]] if len(mine) == len(right) else []
    if len(off) == 1:
        k, name = off[0], p.axis(off[0] - len(right))
        if mine[k] == 1 and same(p.yours, p.expected.take([0], k)):
            yield f"Only the first {name} is there. Does a `return` end the loop, or is the loop too short?"
        if abs(mine[k] - right[k]) == 1 and k >= len(right) - 2:
            yield f"One too {'many' if mine[k] > right[k] else 'few'} along the {name} axis: count the ends."
    if p.yours.size == p.expected.size and close(p.yours.ravel(), p.expected.ravel()).all():
        yield "The right numbers in another shape."


def shared(p: Pair) -> Iterator[str]:
    """One factor or one amount for all entries. It would say nothing about a single number."""
    places = np.isfinite(p.expected) & (p.expected != 0)
    y, e = p.yours[places] + 0.0, p.expected[places]
    if e.size > 1 and np.isfinite(y[0]) and y[0] != 0:
        if same(p.expected * (y[0] / e[0]), p.yours + 0.0):
            yield "Every entry is off by the same factor."
        if same(p.expected + (y[0] - e[0]), p.yours + 0.0):
            yield "Every entry is off by the same amount."


def _even(array: Array, axis: int) -> bool:
    return same(np.broadcast_to(array.take([0], axis), array.shape), array)


def _ones(sums: Array) -> bool:
    return bool(close(np.asarray(sums, float), np.ones_like(sums, float)).all())


# What was done to the right result: causes.
FINISHES: tuple[Fact, ...] = rounded, undone, softmaxed, masked, normalised, shifted, whole, unshifted
# What is true of the result, whatever the cause.
WEAK: tuple[Fact, ...] = shared, flat
