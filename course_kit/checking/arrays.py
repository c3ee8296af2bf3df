"""What a learner's code may hand back, made plain: one NumPy array per named part; and when two arrays agree."""

import sys
from collections.abc import Mapping, Sequence
from numbers import Number
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Outputs = dict[str, Array]  # {"output": …, "weights": …}, or {"": …} where one thing is returned

TOLERANCE = {2: 2e-2, 4: 1e-4}  # by bytes per number, relative to the largest entry; 1e-6 for the rest
LEAVES = (Number, str, np.generic, type(None), type(...))  # a Fraction and a Decimal are a Number, too
NOTHING = "nothing (None): is there a `return`?"


class Unusable(Exception):
    """The value is of no kind that could be right; the text says what it is instead."""


class Blank(Exception):
    """The value is still `...`."""


def as_array(value: Any) -> Array:
    """Numbers, words, lists of them, arrays and tensors as an array. Raises Unusable, or Blank for `...`."""
    if value is Ellipsis:
        raise Blank
    if value is None:
        raise Unusable(NOTHING)
    torch = sys.modules.get("torch")  # nobody can hold a tensor before torch is loaded
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(torch, value)
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], LEAVES):
        value = [as_array(item) for item in value]
    known = isinstance(value, (Number, str, range, list, tuple, np.generic, np.ndarray))
    if not known and not hasattr(type(value), "__array__"):
        raise Unusable(describe_type(value))
    try:
        array = np.asarray(value)
        _complete(array)
        array = array.astype(float) if array.dtype.kind == "O" else array
    except (ValueError, TypeError):
        text = "that does not make an array: do its rows have the same length?"
        raise Unusable(f"{describe_type(value)} {text}") from None
    if array.dtype.kind not in "biufcU":
        raise Unusable(f"an array of {array.dtype}")
    return array


def _complete(array: Array) -> None:
    """Raises Blank or Unusable where something is still missing; float() would make a nan of None."""
    items = array.ravel().tolist() if array.dtype.kind == "O" else ()
    if any(item is Ellipsis for item in items):
        raise Blank
    if any(item is None for item in items):
        raise Unusable("an array with None in it: is some entry never set?")


def as_outputs(value: Any, names: Sequence[str] = (), axes: int = 0) -> Outputs:
    """The parts of a result by name: a tuple with `names`, a dictionary, or one value under the name "".

    An array with this many `axes` is the parts, stacked.
    """
    if isinstance(value, Mapping) and not names:
        raise Unusable("a dictionary; a number or an array is wanted")
    if isinstance(value, Mapping):
        return {str(key): as_array(item) for key, item in value.items()}
    if not names and isinstance(value, tuple) and len({_form(item) for item in value}) > 1:
        raise Unusable(f"{len(value)} values; one is wanted: leave the others out of the `return`")
    if not names or value is None or value is Ellipsis:
        return {"": as_array(value)}
    wanted = f"a tuple of {len(names)}: {', '.join(names)}"
    if axes and getattr(value, "ndim", 0) == axes and len(value) == len(names):
        value = list(value)
    if not isinstance(value, (tuple, list)):
        raise Unusable(f"{shaped(value) or describe_type(value)}; expected {wanted}")
    if len(value) != len(names):
        raise Unusable(f"{describe_type(value)} of {len(value)}; expected {wanted}")
    for name, item in zip(names, value):
        if item is None:
            raise Unusable(f"None for `{name}`")
    return {name: as_array(item) for name, item in zip(names, value)}


def _form(item: Any) -> Any:
    """What the items of one array have in common: the same shape or none, and none is a dictionary."""
    return isinstance(item, Mapping) or getattr(item, "shape", None)


def close(yours: Array, expected: Array) -> NDArray[np.bool_]:
    """Where two arrays agree, entry by entry: nan equals nan, and the tolerance follows the coarser dtype."""
    if "U" in (yours.dtype.kind, expected.dtype.kind):
        return yours.astype(str) == expected.astype(str)
    finite = abs(expected[np.isfinite(expected)]) if expected.size else expected
    largest = float(finite.max()) if finite.size else 0.0
    rate = max(_tolerance(yours), _tolerance(expected))
    with np.errstate(all="ignore"):
        return np.isclose(yours, expected, rtol=rate, atol=rate * (largest or 1.0), equal_nan=True)


def same(yours: Array, expected: Array) -> bool:
    """Equal shapes and equal values."""
    return yours.shape == expected.shape and bool(close(yours, expected).all())


def fit_shape(yours: Array, expected: Array) -> Array | None:
    """`yours` in the expected shape, or None: leading axes of length 1 come and go, a right broadcast serves."""
    while yours.ndim > expected.ndim and yours.shape[0] == 1:
        yours = yours[0]
    try:
        wide = np.broadcast_to(yours, expected.shape)
    except ValueError:
        return None
    only_ones = yours.size == expected.size
    return wide if only_ones or same(wide, expected) else None


def _tolerance(array: Array) -> float:
    floating = array.dtype.kind in "fc"
    size = array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)
    return TOLERANCE.get(size, 1e-6) if floating else 1e-6


def _from_torch(torch: Any, tensor: Any) -> Array:
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    return np.asarray((tensor.half() if tensor.dtype == torch.bfloat16 else tensor).numpy())


def shaped(value: Any) -> str:
    """An array by its shape, "an array of shape (5, 1)", or "" for what is none or has no axes."""
    shape = getattr(value, "shape", ())
    return f"an array of shape {tuple(shape)}" if isinstance(shape, tuple) and shape else ""


def describe_type(value: object) -> str:
    """What a value is, in two words, and what that may come from."""
    written_with_yield = type(value) is GeneratorType and value.gi_code.co_name != "<genexpr>"
    if hasattr(type(value), "__next__") and not written_with_yield:
        return f"a {type(value).__name__}, which makes its items one by one (put them into a list: `list(…)`)"
    name = {"builtin_function_or_method": "function"}.get(type(value).__name__, type(value).__name__)
    hint = {"generator": ": `yield` where `return` was meant?", "function": ": are the parentheses missing?"}
    return f"{'an' if name[0] in 'aeiou' or name == 'ndarray' else 'a'} {name}{hint.get(name, '')}"
