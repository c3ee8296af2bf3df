"""Where a result is wrong, when no single fact explains all of it: a region, a shape, the cases that fail."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import close
from .difference import Pair


def not_finite(p: Pair) -> str:
    """Where a result is nan or infinite and should not be, and what that may come from, or ""."""
    if p.words:
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


def regions(p: Pair) -> Iterator[str]:
    """The smallest part, cut along the diagonal, that holds all the wrong entries."""
    if not _has_diagonal(p):
        return
    shape, tokens = p.expected.shape, p.axis(-1) == "key"
    past = int(p.numbers.get("`past`", 0)) if tokens else 0
    offset = np.broadcast_to(np.arange(shape[-1]) - past - np.arange(shape[-2])[:, None], shape)
    wrong = offset[~close(p.yours, p.expected)]
    if not wrong.any():
        yield "Only the diagonal is wrong."
    if (wrong > 0).all() and (offset <= 0).any():
        yield f"Only {'the future (keys after the query)' if tokens else 'the part above the diagonal'} is wrong."
    if (wrong < 0).all() and (offset >= 0).any():
        yield f"Only {'the past (keys before the query)' if tokens else 'the part below the diagonal'} is wrong."
    if wrong.all() and (offset == 0).any():
        yield "Only entries off the diagonal are wrong."


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
        if abs(mine[k] - right[k]) == 1 and k >= len(right) - 2:
            yield f"One too {'many' if mine[k] > right[k] else 'few'} along the {name} axis: count the ends."
        if mine[k] == 1:
            yield f"Your {name} axis has one entry only: each {name} needs its own."
    if right and not mine:
        names = " and ".join(p.axis(k - len(right)) for k in range(len(right)))
        yield f"Yours is a single number; every {names} needs one."
    if p.yours.size == p.expected.size and close(p.yours.ravel(), p.expected.ravel()).all():
        yield "The right numbers in another shape."


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
