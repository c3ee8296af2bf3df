"""Where a result is wrong, when no single fact explains all of it: a region, a shape, the cases that fail."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import Array, close, same
from .relations import Fact, Pair


def not_finite(p: Pair) -> str:
    """Where a result is nan or infinite and should not be, and what that may come from, or ""."""
    if "U" in (p.yours.dtype.kind, p.expected.dtype.kind):
        return ""
    nan, infinite = (odd(p.yours) & ~odd(p.expected) for odd in (np.isnan, np.isinf))
    if nan.any():
        why = (
            "the logarithm of 0, the root or the logarithm of a negative number, 0 · ∞, 0/0, ∞ − ∞, or a row with "
            "nothing but −∞?"
        )
    elif (p.yours[infinite] < 0).all():
        why = "the logarithm of 0, a division by 0, or the −∞ of a mask where a number is wanted?"
    else:
        why = "the logarithm of 0, a division by 0, or e^x of a large x?"
    counts = [f"{name} in {int(odd.sum())}" for name, odd in (("nan", nan), ("infinite", infinite)) if odd.any()]
    if not counts or not p.expected.ndim:
        return f"Yours is {'nan' if nan.any() else 'infinite'}: {why}" if counts else ""
    first = np.argwhere(nan | infinite)[0]
    where = ", ".join(axis.at(int(k), n) for axis, k, n in zip(p.axes, first, nan.shape))
    return f"Yours is {' and '.join(counts)} of {nan.size} entries, first at {where}: {why}"


def whole_numbers(p: Pair) -> Iterator[str]:
    """An array made for whole numbers cuts off what is written into it."""
    if p.yours.dtype.kind not in "iu" or p.expected.dtype.kind != "f" or same(np.round(p.expected), p.expected):
        return
    lost = (p.expected - p.yours) * np.where(p.expected < 0, -1, 1)
    if ((lost > -1e-6) & (lost < 1 + 1e-6) & (p.yours * p.expected >= 0)).all():  # 1, where float32 rounded 0.9999…
        yield "Yours are whole numbers, cut off at the point: has the array `dtype=int`? It should hold floats."


def zeros(p: Pair) -> Iterator[str]:
    """A part of a matrix that was never filled: all 0 there, and right elsewhere."""
    if p.expected.ndim < 2 or min(p.expected.shape[-2:]) < 2:
        return
    rows, columns = (np.arange(n) for n in p.expected.shape[-2:])
    offset = columns - rows[:, None]
    last = (rows[:, None] == rows[-1]) | (columns == columns[-1])
    early = "is the `return` indented too far?"
    parts = {
        "Below the diagonal everything of yours is 0.": (offset < 0) & _has_diagonal(p),
        "Above the diagonal everything of yours is 0.": (offset > 0) & _has_diagonal(p),
        "The last row and the last column are untouched (0): does a loop end one too early?": last,
        f"All rows after the first are 0: {early}": np.broadcast_to(rows[:, None] > 0, last.shape),
        f"All but the first entry is 0: {early}": (rows[:, None] + columns) > 0,
        f"All of yours is 0: is it filled before it is returned? If it is, {early}": np.ones_like(last),
    }
    wrong, empty = ~close(p.yours, p.expected), p.yours == 0
    for text, inside in parts.items():
        if (wrong & inside).any() and not (wrong & ~inside).any() and (empty | ~inside).all():
            yield text


def first_only(p: Pair) -> Iterator[str]:
    """Of heads or batches, number 0 is right and no other."""
    wrong = np.asarray(~close(p.yours, p.expected))
    for axis in range(p.expected.ndim - 2):
        each = np.asarray(np.moveaxis(wrong, axis, 0).reshape(wrong.shape[axis], -1).any(1))
        if len(each) > 1 and not each[0] and each[1:].all():
            name, first = p.axis(axis - p.expected.ndim), p.label(axis - p.expected.ndim, 0)
            yield f"{name.capitalize()} {first} is right, the others are not: does each {name} get what is its own?"


def regions(p: Pair) -> Iterator[str]:
    """The smallest familiar region that holds all the wrong entries."""
    wrong = ~close(p.yours, p.expected)
    for name, inside in _regions(p).items():
        if inside.any() and not inside.all() and not (wrong & ~inside).any():
            yield f"Only {name} {'are' if name.startswith('entries') else 'is'} wrong."
    yield from _few(p, wrong)


def _few(p: Pair, wrong: Array) -> Iterator[str]:
    """Every second member of an axis; or of the axis with the fewest wrong ones at most half, standing together."""
    found = []
    for axis in range(-p.expected.ndim, 0):
        members = np.flatnonzero(np.moveaxis(wrong, axis, 0).reshape(wrong.shape[axis], -1).any(1))
        found.append((len(members) / wrong.shape[axis], axis, members))
        for start, name in enumerate(("first", "second")):
            if len(members) > 1 and np.array_equal(members, np.arange(start, wrong.shape[axis], 2)):
                yield f"Only every second {p.axis(axis)} is wrong, from the {name} on."
    share, axis, members = min(found, default=(1.0, 0, np.arange(1)), key=lambda one: one[0])
    if share <= 0.5 and len(members) == np.ptp(members) + 1:
        first, last = (f"{p.axis(axis)} {p.label(axis, int(k))}" for k in (members[0], members[-1]))
        yield f"Wrong only at {first}." if first == last else f"Wrong only from {first} to {last}."


def steady(p: Pair) -> Iterator[str]:
    """The wrong entries are all off by the same amount."""
    wrong = ~close(p.yours, p.expected)
    gap = (p.yours.astype(float) - p.expected.astype(float))[wrong]
    if gap.size > 2 and np.isfinite(gap).all() and np.ptp(gap) < 1e-9:
        if p.truth:
            yield f"Every wrong entry of yours is {gap[0] > 0}, and should be {gap[0] < 0}."
            return
        size = f"{abs(gap[0]):.4g}"
        yield f"Wherever it is wrong, it is too {'large' if gap[0] > 0 else 'small'} by {size}: a boundary?"
        yield "Wherever it is wrong, it is off by the same amount: a boundary?"


def shapes(p: Pair) -> Iterator[str]:
    """How a wrong shape differs from the right one."""
    mine, right = p.yours.shape, p.expected.shape
    yield from _one_row(p)
    missing = [p.axis(k - len(right)) for k in range(len(right)) if mine == right[:k] + right[k + 1 :]]
    if missing:
        why = "is it summed away (keepdims?), or never made?"
        if len(missing) > 1:  # of a square nobody can tell which one it is
            yield f"The {' or the '.join(missing)} axis is missing: {why}"
        yield from (f"The {name} axis is missing: {why}" for name in missing)
    if right and mine[1:] == right and mine[:1] and mine[0] in (2, 3):
        yield "Yours holds several results of the right shape: return one of them."
    if right and len(mine) == len(right) + 1 and any(mine[:k] + mine[k + 1 :] == right for k in range(len(mine))):
        yield "There is one axis too many."
    if len(mine) == len(right):
        off = [k for k in range(len(right)) if mine[k] != right[k]]
        if len(off) == 1 and off[0] >= len(right) - 2 and abs(mine[off[0]] - right[off[0]]) == 1:
            more = "many" if mine[off[0]] > right[off[0]] else "few"
            yield f"One too {more} along the {p.axis(off[0] - len(right))} axis: count the ends."
        if len(off) > 1 and sorted(mine) == sorted(right):
            yield "The right lengths in another order: two axes have changed places."
    if not right and mine:
        yield "Yours is still an array; one number is asked for: a sum, a mean or the largest of what is left?"
    if right and not mine:
        names = " and ".join(p.axis(k - len(right)) for k in range(len(right)))
        yield f"Yours is a single number; every {names} needs one."
    if len(mine) == len(right):
        for k in range(len(right)):
            yield from _lengths(p, k)
    if p.yours.size == p.expected.size and close(p.yours.ravel(), p.expected.ravel()).all():
        yield "The right numbers in another shape."


def _one_row(p: Pair) -> Iterator[str]:
    """One row of a matrix instead of all of them, as a loop leaves it that returns too early or keeps nothing."""
    if p.expected.ndim == 2 and p.yours.shape == p.expected.shape[1:]:
        wanted = f"One row instead of several: there should be one for each {p.axis(-2)}."
        if same(p.yours, p.expected[0]):
            yield f"{wanted} Is the `return` inside the loop?"
        if same(p.yours, p.expected[-1]):
            yield f"{wanted} Yours is the last: collect the rows in a list."


def _lengths(p: Pair, k: int) -> Iterator[str]:
    """Which argument gives an axis its length, and which one should."""
    mine, right, name = p.yours.shape[k], p.expected.shape[k], p.axis(k - p.expected.ndim)
    if mine != right:
        by = {
            length: [x for x, value in p.numbers.items() if value == length and "axis" not in x]
            for length in (mine, right)
        }
        yield from (f"Your {name} axis has the length {x}; it should have {y}." for x in by[mine] for y in by[right])
        if mine == 1:
            early = " Is the `return` inside the loop?" if p.expected.ndim == 1 else ""
            yield f"Your {name} axis has one entry only: each {name} needs its own.{early}"


def distinguishing_argument(arguments: Sequence[Mapping[str, Any]], failed: Sequence[bool]) -> str:
    """The argument that tells the failing cases from the others: right when `past` is 0, wrong in every other case.

    Only where that value is a special one, for any argument of a case that stands alone is different from the rest.
    """
    for name in arguments[0] if arguments else ():
        values = [case.get(name) for case in arguments]
        if not all(value is None or isinstance(value, (bool, int, float, str)) for value in values):
            continue
        bad, good = ([v for v, f in zip(values, failed) if f is which] for which in (True, False))
        if min(len(bad), len(good)) < 2 or set(bad) & set(good):
            continue
        if len(set(good)) == 1 and _special(good):
            return f"Right when `{name}` is {good[0]!r}, wrong in every other case: what does `{name}` change?"
        if len(set(bad)) == 1 and _special(bad):
            return f"Wrong only when `{name}` is {bad[0]!r}."
    if list(failed).count(True) == 1 and len(failed) > 3:
        return "All other cases are right: what is special about this one?"
    return ""


def _special(values: Sequence[Any]) -> bool:
    return len(values) > 1 or values[0] in (0, 1, None) or isinstance(values[0], str)


def _has_diagonal(p: Pair) -> bool:
    """Only where rows and columns count the same things; and where it lies is known in a square, or by `past`."""
    n_q, n_k = p.expected.shape[-2:] if p.expected.ndim > 1 else (0, 1)
    pairs = (p.axis(-2), p.axis(-1)) in (("query", "key"), ("row", "column"))
    return pairs and (n_q == n_k or "`past`" in p.numbers)


def _regions(p: Pair) -> dict[str, Array]:
    shape = p.expected.shape
    found: dict[str, Array] = {}
    if _has_diagonal(p):
        past = int(p.numbers.get("`past`", 0)) if p.axis(-1) == "key" else 0
        offset = np.broadcast_to(np.arange(shape[-1]) - past - np.arange(shape[-2])[:, None], shape)
        tokens = p.axis(-2) == "query" and p.axis(-1) == "key"
        found["the diagonal"] = offset == 0
        found["the future (keys after the query)" if tokens else "the part above the diagonal"] = offset > 0
        found["the past (keys before the query)" if tokens else "the part below the diagonal"] = offset < 0
    for axis in range(-min(len(shape), 2), 0):
        index = np.broadcast_to(np.arange(shape[axis]).reshape(-1, *[1] * (-axis - 1)), shape)
        found[f"the first {p.axis(axis)}"], found[f"the last {p.axis(axis)}"] = index == 0, index == shape[axis] - 1
    if _has_diagonal(p):
        found["entries off the diagonal"] = offset != 0
    if p.truth:
        return found
    found["entries that should be 0"] = p.expected == 0
    found["entries that should be negative"] = p.expected < 0
    found["entries that should be positive"] = p.expected > 0
    return found


SHAPES: tuple[Fact, ...] = (shapes,)
UNFILLED: tuple[Fact, ...] = (whole_numbers, zeros)
PARTLY: tuple[Fact, ...] = (first_only, steady, regions)
