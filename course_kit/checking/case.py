"""One call that a check makes: the arguments, what to call it, and names for the axes of its result."""

import inspect
from typing import Any

import numpy as np

from ..display.formatting import one_line
from .axes import Axes


class Case:
    """One call: the arguments, what to call it, and names for the axes of its result (aligned with the last axes)."""

    def __init__(self, *args: Any, label: str = "", axes: Axes = ()) -> None:
        self.args, self.label, self.axes = args, label, axes

    def as_tensors(self) -> "Case":
        """The same case with torch tensors for arrays."""
        import torch

        def tensor(value: Any) -> Any:
            return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value

        return Case(*map(tensor, self.args), label=self.label, axes=self.axes)

    def arguments(self, signature: inspect.Signature) -> dict[str, Any]:
        """The arguments by name, as a function with this signature receives them."""
        bound = signature.bind(*self.args)
        bound.apply_defaults()
        return bound.arguments

    def describe(self, name: str, signature: inspect.Signature) -> str:
        """The case in a line: the five tokens, `bias_matrix(n=5, strength=0.3)`."""
        given = signature.bind(*self.args).arguments
        call = f"`{name}({', '.join(brief(key, value) for key, value in given.items())})`"
        return f"{self.label}, {call}" if self.label else call


def brief(name: str, value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None and (np.prod(shape) > 6 or len(shape) > 1):
        return f"{name} {tuple(shape)}"
    if shape is not None:
        value = value.tolist()
    if callable(value):
        return f"{name}={getattr(value, '__name__', 'a function')}"
    return f"{name}={one_line(short(value), 40)}"


def short(value: Any) -> str:
    """A value in Python's own words, but each float with four digits, because the last ones differ between machines."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if type(value) in (list, tuple):
        inside = ", ".join(map(short, value)) + "," * (type(value) is tuple and len(value) == 1)
        return f"({inside})" if type(value) is tuple else f"[{inside}]"
    return repr(value)
