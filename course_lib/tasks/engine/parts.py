"""What a task is made of: cases to try, properties that must hold, mistakes worth their own words, names for axes."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Axis:
    """What one axis counts: its name, and a label for each index where there is one: Axis("query", TOKENS)."""

    name: str
    labels: Sequence[str] = ()

    def at(self, index: int, size: int) -> str:
        """'query "sat"', or 'query 2' when the labels do not fit this size; a label that is a number stands bare."""
        label = self.label(index, size)
        bare = len(self.labels) != size or label.removeprefix("−").replace(".", "", 1).isdigit()
        return f"{self.name} {label}" if bare else f'{self.name} "{label}"'

    def label(self, index: int, size: int) -> str:
        return self.labels[index] if len(self.labels) == size else str(index)


Axes = Sequence[Axis | str] | Mapping[str, Sequence[Axis | str]]  # by part where a task returns several


class Case:
    """One call: the arguments, what to call it, and names for the axes of its result (aligned with the last axes)."""

    def __init__(self, *args: Any, says: str = "", axes: Axes = (), **kwargs: Any) -> None:
        self.args, self.kwargs, self.says, self.axes = args, kwargs, says, axes

    def as_tensors(self) -> "Case":
        """The same case with torch tensors for arrays."""
        import torch

        def tensor(value: Any) -> Any:
            return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value

        kwargs = {name: tensor(value) for name, value in self.kwargs.items()}
        return Case(*map(tensor, self.args), says=self.says, axes=self.axes, **kwargs)

    def __repr__(self) -> str:
        return f"Case({self.says or self.args})"

    def arguments(self, signature: inspect.Signature) -> dict[str, Any]:
        """The arguments by name, as a function with this signature receives them."""
        bound = signature.bind(*self.args, **self.kwargs)
        bound.apply_defaults()
        return bound.arguments

    def told(self, name: str, signature: inspect.Signature) -> str:
        """The case in a line: the five tokens, `bias_matrix(n=5, scale=0.3)`."""
        given = signature.bind(*self.args, **self.kwargs).arguments
        call = f"`{name}({', '.join(_brief(key, value) for key, value in given.items())})`"
        return f"{self.says}, {call}" if self.says else call


@dataclass(frozen=True)
class Property:
    """Something every right result has: holds(result, *arguments of the case), and what to say when it has not."""

    name: str
    holds: Callable[..., bool | np.bool_]
    message: str


class Mistake:
    """A wrong way that deserves its own words.

    Mistake(old, new, message): the solution's body with `old`, found exactly once, replaced by `new`;
    Mistake(function, message): another function; Mistake(value, message): a wrong value, for an Answer.
    """

    def __init__(self, *what: Any) -> None:
        self.what, self.message = list(what[:-1]), what[-1] if what else ""
        if not 1 <= len(self.what) <= 2 or not isinstance(self.message, str) or not self.message:
            raise ValueError(f"Mistake{what!r}: expected (old, new, message), (function, message) or (value, message)")

    def __repr__(self) -> str:
        shown = [getattr(item, "__name__", repr(item)) for item in self.what]
        return f"Mistake({' → '.join(shown)})"


def named(axes: Axes, part: str, ndim: int) -> tuple[Axis, ...]:
    """One Axis for each of `ndim` axes: those given, aligned with the last, and plain names for the rest."""
    given = axes.get(part, ()) if isinstance(axes, Mapping) else axes
    known = [axis if isinstance(axis, Axis) else Axis(axis) for axis in given][-ndim:] if ndim else []
    if not known:
        known = [Axis("entry")] if ndim == 1 else [Axis("row"), Axis("column")][:ndim]
    return (*(Axis(f"axis {k}") for k in range(ndim - len(known))), *known)


def completed(axes: Axes, usual: Axes) -> Axes:
    """The axes of a case, with what it leaves unnamed taken from the usual ones."""
    if isinstance(axes, Mapping) and isinstance(usual, Mapping):
        return {**usual, **axes}
    return axes or usual


def unlabelled(axes: Axes) -> Axes:
    """The same names, without the labels of one particular case."""
    if isinstance(axes, Mapping):
        return {part: [_bare(axis) for axis in given] for part, given in axes.items()}
    return [_bare(axis) for axis in axes]


def _bare(axis: Axis | str) -> str:
    return axis.name if isinstance(axis, Axis) else axis


def _brief(name: str, value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None and (np.prod(shape) > 6 or len(shape) > 1):
        return f"{name} {tuple(shape)}"
    if shape is not None:
        value = value.tolist()
    if callable(value):
        return f"{name}={getattr(value, '__name__', 'a function')}"
    text = f"{value:.4g}" if isinstance(value, float) else repr(value)
    return f"{name}={text if len(text) <= 40 else text[:39] + '…'}"
