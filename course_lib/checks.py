"""Arguments are checked where they come in: each check returns the value, or raises a ValueError that names it."""

from collections.abc import Iterable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_whole(name: str, value: int, least: int | None = 1) -> int:
    """`value` as an int: a whole number, and at least `least`, if there is a least."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or (least is not None and value < least):
        raise ValueError(f"{name}={value!r}: expected a whole number{'' if least is None else f', {least} or more'}")
    return int(value)


def check_wholes(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """The values as whole numbers."""
    found = np.asarray(values)
    if found.dtype.kind not in "iuf" or not (np.isfinite(found) & (found == np.floor(found))).all():
        raise ValueError(f"{name} {found.shape} of {found.dtype}: expected whole numbers")
    return found.astype(np.int64)


def check_array(name: str, values: Any, axes: int, expected: str) -> NDArray[np.float64]:
    """Finite numbers (from NumPy, torch or lists) with so many axes; the error says what is `expected`."""
    array = as_numpy(values)
    if array.ndim != axes or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} {array.shape}: expected {expected}")
    return array.astype(float)


def check_axes(**arrays: tuple[Any, str]) -> None:
    """A ValueError that names the first array whose axes do not fit: check_axes(q=(q, "… n_q d"), k=(k, "… n_k d")).

    An axis of the same name has the same size in all arrays, a number is a size, and no such axis is empty. … are any
    axes in front, of texts and heads, which must broadcast.
    """
    sizes: dict[str, int] = {}
    front: tuple[int, ...] = ()
    for name, (array, text) in arrays.items():
        shape, axes = tuple(array.shape), text.removeprefix("… ").split()
        lead, own = shape[: max(len(shape) - len(axes), 0)], shape[max(len(shape) - len(axes), 0) :]
        expected = ", ".join([*["…"] * text.startswith("…"), *(str(sizes.get(axis, axis)) for axis in axes)])
        fits = len(own) == len(axes) and 0 not in own and (not lead or text.startswith("…"))
        fits = fits and all(n == (int(a) if a.isdigit() else sizes.setdefault(a, n)) for a, n in zip(axes, own))
        if not fits:
            raise ValueError(f"{name} {shape}: expected ({expected}{',' * (expected in axes)})")
        try:
            front = np.broadcast_shapes(front, lead)
        except ValueError:
            raise ValueError(f"{name} {shape}: expected ({expected}), where … broadcasts to {front}") from None


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """One of the given words; the error lists them."""
    known = list(choices)
    if value not in known:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, known))}")
    return str(value)


def check_function(name: str, value: Any, *arguments: str, but: str = "") -> None:
    """A ValueError for what cannot be called with so many arguments. Any number fits a module, so none is accepted."""
    expected = f"expected a function of ({', '.join(arguments)}){but}"
    if not callable(value) or hasattr(value, "register_forward_hook"):  # a module's, known by what it can do
        raise ValueError(f"{name}={value!r}: {expected}")
    try:
        signature(value).bind(*arguments)
    except TypeError:
        raise ValueError(f"{name} takes {signature(value)}: {expected}") from None


def as_numpy(values: Any) -> NDArray:
    """Numbers as an array. A tensor is known by what it can do, because torch itself is not needed here."""
    if not hasattr(values, "detach"):
        return np.asarray(values)
    tensor = values.detach().cpu()
    return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()  # NumPy has no bfloat16
