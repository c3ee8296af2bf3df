"""Where a result first differs from the expected one, in the words of its axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..display.formatting import any_number
from .arrays import Array, Outputs, close, fit_shape
from .axes import Axes, Axis, named

Numbers = Mapping[str, float]  # by which something may be off


@dataclass
class Pair:
    """Yours and expected, the names of the axes, and the numbers of the case by which something may be off."""

    yours: Array
    expected: Array
    axes: Sequence[Axis]
    numbers: Numbers = field(default_factory=dict)

    @property
    def words(self) -> bool:
        """Whether words are compared: they have no relation to each other."""
        return "U" in (self.yours.dtype.kind, self.expected.dtype.kind)

    @property
    def all(self) -> str:
        return "Every entry" if self.expected.ndim else "Your number"

    def axis(self, k: int) -> str:
        """The name of an axis counted from the end: axis(-1)."""
        return self.axes[k].name


@dataclass
class Difference:
    """What is wrong with one part of one result; the two arrays of the pair have one shape if only values are wrong."""

    status: str
    facts: tuple[str, ...]
    part: str = ""
    pair: Pair | None = None  # where arrays could be compared


def first_difference(
    yours: Outputs, expected: Outputs, axes: Axes, numbers: Numbers | None = None
) -> Difference | None:
    """The first difference among the parts, or None if all of them agree."""
    if yours.keys() != expected.keys():
        return Difference("wrong type", (_names(yours, expected),))
    for part, right in expected.items():
        found = _part(part, yours[part], right, named(axes, part, right.ndim), numbers or {})
        if found is not None:
            return found
    return None


def _part(part: str, yours: Array, right: Array, axes: tuple[Axis, ...], numbers: Numbers) -> Difference | None:
    said = f"{part}: " if part else ""
    if (yours.dtype.kind == "U") != (right.dtype.kind == "U"):
        kinds = ("words", "numbers") if yours.dtype.kind == "U" else ("numbers", "words")
        return Difference("wrong type", (f"{said}yours holds {kinds[0]}, expected {kinds[1]}",), part)
    if yours.dtype.kind == "c" and right.dtype.kind != "c":
        return Difference("wrong type", (f"{said}yours holds complex numbers, expected real ones",), part)
    fitted = fit_shape(yours, right)
    if fitted is None:
        meaning = ", ".join(axis.name for axis in axes)
        text = f"{said}yours has shape {yours.shape}, expected {right.shape}" + (f" ({meaning})" if meaning else "")
        return Difference("wrong shape", (text,), part, Pair(yours, right, axes, numbers))
    wrong = np.argwhere(~close(fitted, right))
    if not len(wrong):
        return None
    facts = _differences(said, wrong, fitted, right, axes)
    compared = Pair(_counted(fitted), _counted(right), axes, numbers)
    return Difference("wrong values", facts, part, compared)


def _differences(said: str, wrong: Array, yours: Array, right: Array, axes: tuple[Axis, ...]) -> tuple[str, ...]:
    """The first entry that differs, how many do, and the largest difference when it is elsewhere."""
    first = tuple(int(k) for k in wrong[0])
    many = f" ({len(wrong)} of {right.size} entries differ)" if right.size > 1 else ""
    facts = [said + entry(first, yours, right, axes) + many]
    if yours.dtype.kind != "U" and len(wrong) > 2:
        with np.errstate(all="ignore"):
            gap = _counted(yours) - _counted(right).astype(_counted(yours).dtype)
            size = np.nan_to_num(abs(gap).astype(float), nan=np.inf, posinf=np.inf)
        largest = tuple(int(k) for k in np.argwhere(size >= (1 - 1e-6) * size.max())[0])  # the first of equals
        if size[largest] > 1.5 * size[first]:
            facts.append("largest difference: " + entry(largest, yours, right, axes))
    return tuple(facts)


def _counted(array: Array) -> Array:
    """True and False as 1 and 0: NumPy neither subtracts nor turns the sign of truth values."""
    return array.astype(int) if array.dtype.kind == "b" else array


def entry(index: tuple[int, ...], yours: Array, right: Array, axes: tuple[Axis, ...]) -> str:
    """query "sat", key "cat": yours −0.2500, expected −0.2079."""
    where = ", ".join(axis.at(k, size) for axis, k, size in zip(axes, index, right.shape))
    mine, wanted = told_apart(yours[index], right[index])
    return f"{where}: yours {mine}, expected {wanted}" if where else f"yours {mine}, expected {wanted}"


def told_apart(yours: Any, right: Any) -> tuple[str, str]:
    """Two values with as many digits as it takes to tell them apart."""
    if isinstance(right, (str, np.str_)) or isinstance(yours, (str, np.str_)):
        return f'"{yours}"', f'"{right}"'
    whole = all(not np.iscomplexobj(x) and float(x).is_integer() and abs(float(x)) < 1e9 for x in (yours, right))
    shown = "", ""
    for digits in (0,) if whole else (4, 7, 10):
        shown = any_number(yours, digits), any_number(right, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _names(yours: Outputs, expected: Outputs) -> str:
    missing = [name for name in expected if name not in yours]
    extra = [name for name in yours if name not in expected]
    told = [f"missing {', '.join(missing)}"] if missing else []
    return "; ".join(told + ([f"not asked for: {', '.join(extra)}"] if extra else []))
