"""Any Python value as a small piece of JSON that can be shown: what it is, its shape, and at most 12×12 numbers."""

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.formatting import decimals

SHOWN = 12  # rows and columns of an array
TEXT = 200  # characters of anything else
ITEMS = 6  # members of a tuple, list or dict that holds arrays
WHOLE = 1_000_000  # numbers; of a larger array only the shown part is watched for changes

Packed = dict[str, Any]


def pack(value: Any) -> Packed:
    """A value as JSON: t its type in words, and one of r, x, items.

    An array has s its shape, r the rows shown, d their decimals, cut what was left out. A tuple, list or dict that
    holds arrays has items, pairs of key and packed member. Anything else has x, a text.
    """
    array = as_array(value)
    if array is not None and array.ndim == 0:
        return {"t": f"{_type_name(value)}, {value.dtype}", "x": _plain(array.item())}
    if array is not None:
        page, cut = shown_part(array)
        places = decimals(page.ravel().tolist()) if page.dtype.kind == "f" else 0
        rows = [[_round(x, places) for x in row] for row in np.atleast_2d(page).tolist()]
        packed: Packed = {"t": f"{_type_name(value)}, {value.dtype}", "s": list(array.shape), "r": rows}
        return packed | ({"d": places} if places else {}) | ({"cut": cut} if cut else {})
    if isinstance(value, (tuple, list, dict)) and value and any(_has_axes(v) for v in _members(value).values()):
        members = list(_members(value).items())
        packed = {"t": f"{type(value).__name__} of {len(members)}", "items": [[k, pack(v)] for k, v in members[:ITEMS]]}
        return packed | ({"cut": f"the first {ITEMS} of {len(members)} shown"} if len(members) > ITEMS else {})
    return {"t": type(value).__name__, "x": _plain(value)}


def as_array(value: Any) -> NDArray | None:
    """A NumPy array or number, or a torch tensor, as an array of numbers; None for everything else."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
    elif hasattr(value, "detach") and hasattr(value, "numpy"):  # a tensor, told without importing torch
        try:
            tensor = value.detach().cpu()
            # NumPy has no bfloat16.
            array = (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()
        except Exception:  # sparse, or without storage: shown by its repr, and the watched function runs on
            return None
    else:
        return None
    return array if array.dtype.kind in "biuf" else None


def shown_part(array: NDArray) -> tuple[NDArray, str]:
    """The part that fits: the first page, its first 12 rows and columns, and in words what was left out."""
    words = []
    page = array
    if array.ndim > 2:
        page = array[(0,) * (array.ndim - 2)]
        words.append(f"page [{', '.join('0' * (array.ndim - 2))}] shown")
    if max(page.shape, default=0) > SHOWN:
        page = page[tuple(slice(SHOWN) for _ in page.shape)]
        words.append(f"cut to {'×'.join(map(str, page.shape))}")
    return page, ", ".join(words)


class Snapshot:
    """A value as it was: arrays are copied, so a later `x[0] = 1` shows as a change."""

    def __init__(self, value: Any) -> None:
        self.packed = pack(value)
        self._copy = _watched(value)

    def differs(self, value: Any) -> bool:
        now = _watched(value)
        if now is None or self._copy is None:
            return self.packed != pack(value)
        if now.shape != self._copy.shape or now.dtype != self._copy.dtype:
            return True
        return not np.array_equal(now, self._copy, equal_nan=now.dtype.kind == "f")


def _watched(value: Any) -> NDArray | None:
    array = as_array(value)
    if array is None:
        return None
    return np.array(array if array.size <= WHOLE else shown_part(array)[0])


def _type_name(value: Any) -> str:
    return "array" if isinstance(value, np.ndarray) else "number" if isinstance(value, np.generic) else "tensor"


def _has_axes(value: Any) -> bool:
    array = as_array(value)
    return array is not None and array.ndim > 0


def _members(value: Any) -> dict[str, Any]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return {f"[{key!r}]": member for key, member in pairs}


def _plain(value: Any) -> str:
    """A short text that is the same in every run: no memory addresses, a function by its name."""
    if isinstance(value, float):
        return _float(value)
    if callable(value) and hasattr(value, "__name__"):
        return f"{'class' if isinstance(value, type) else 'function'} {value.__name__}"
    try:
        text = repr(value)
    except Exception:  # a half-built object may refuse; the function being watched must not suffer from it
        return "(cannot be shown)"
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return text if len(text) <= TEXT else text[:TEXT] + " …"


def _float(value: float) -> str:
    if not math.isfinite(value) or value == 0:
        return str(value)
    return f"{value:.4g}" if abs(value) < 0.01 or abs(value) >= 1e9 else f"{round(value, 4)}"


def _round(x: Any, places: int) -> Any:
    if not isinstance(x, float):
        return x
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "∞" if x > 0 else "−∞"
    return round(x, places) + 0.0 if places else round(x)
