"""Arguments that a function never reads, and where this can be what is wrong."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from ..arrays import as_outputs, same
from ..solution_source import unused_parameters
from ..spec import Attempt


def unread(tried: Attempt, cases: list[int]) -> Iterator[str]:
    """The parameters that are never read and matter in one of these cases at least."""
    for name in unused_parameters(tried.function):
        if any(matters(tried, k, name) for k in cases):
            yield name


def matters(tried: Attempt, k: int, name: str) -> bool:
    """Whether reading an argument can change what is wrong in case k: the shape, or the values.

    It cannot where it is 0 or as it is by default, nor where other values of it give the same result.
    """
    spec, given, right = tried.spec, tried.spec.arguments(k), tried.spec.right[k]
    found, value = tried.differences[k], given.get(name)
    parameter = spec.signature.parameters.get(name)
    if not found or not parameter or (type(value) in (int, float) and value in (0, parameter.default)):
        return False
    for other in other_values(value):
        with suppress(Exception), np.errstate(all="ignore"):  # not every value goes with the other arguments
            made = as_outputs(spec.expected(**given | {name: other}), spec.returns)
            reshaped = any(made[part].shape != array.shape for part, array in right.items())
            if reshaped or (found.status != "wrong shape" and not all(same(made[p], right[p]) for p in right)):
                return True
    return False


def other_values(value: Any) -> list[Any]:
    """Some other values of an argument. An array keeps its shape."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1, 2 * value, value // 2, value // 4]
    if getattr(value, "shape", ()) and value.dtype.kind != "U":
        backwards = value[::-1]
        return [backwards, ~value] if value.dtype.kind == "b" else [value + 1, 2 * value, backwards, value - backwards]
    return []
