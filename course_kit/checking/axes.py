"""Names for the axes of a result, with which a message can say: query "sat", key "cat"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """What one axis counts: its name, and a label for each index where there is one: Axis("query", TOKENS)."""

    name: str
    labels: Sequence[str] = ()

    def at(self, index: int, size: int) -> str:
        """'query "sat"', or 'query 2' when the labels do not fit this size; a label that is a number has no quotes."""
        label = self.label(index, size)
        bare = len(self.labels) != size or label.removeprefix("−").replace(".", "", 1).isdigit()
        return f"{self.name} {label}" if bare else f'{self.name} "{label}"'

    def label(self, index: int, size: int) -> str:
        return self.labels[index] if len(self.labels) == size else str(index)


Axes = Sequence[Axis | str] | Mapping[str, Sequence[Axis | str]]  # by part where a task returns several


def named(axes: Axes, part: str, ndim: int) -> tuple[Axis, ...]:
    """One Axis for each of `ndim` axes: those given, aligned with the last, and plain names for the rest."""
    given = axes.get(part, ()) if isinstance(axes, Mapping) else axes
    known = [axis if isinstance(axis, Axis) else Axis(axis) for axis in given][-ndim:] if ndim else []
    if not known:
        known = [Axis("entry")] if ndim == 1 else [Axis("row"), Axis("column")][:ndim]
    return (*(Axis(f"axis {k}") for k in range(ndim - len(known))), *known)


def unlabelled(axes: Axes) -> Axes:
    """The same names, without the labels of one particular case."""
    if isinstance(axes, Mapping):
        return {part: [getattr(axis, "name", axis) for axis in given] for part, given in axes.items()}
    return [getattr(axis, "name", axis) for axis in axes]
