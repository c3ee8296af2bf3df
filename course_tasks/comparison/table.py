"""The table: a cell for every scheme and column, with how it was found and which tests and runs back it."""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import torch

from course_lib.nn.threads import one_thread

from . import beyond_training, columns
from .columns import Cell
from .schemes import SCHEMES, Scheme, Sizes, checked


class Column(NamedTuple):
    """One question: `how` it is answered, and the function that asks it."""

    how: str
    ask: Callable[[str, Scheme, Sizes], Cell]


COLUMNS: dict[str, Column] = {
    "where it enters": Column(
        "The hooks of `Position` (methods such as `bias`) that the module overrides; `rotate` counts if its result "
        "depends on the position.",
        columns.where,
    ),
    "relative?": Column(
        "The same tokens at later positions: do the scores between them stay the same?", columns.relative
    ),
    "learned?": Column("Whether the module has parameters that learn.", columns.learned),
    "parameters": Column("The module's parameters, counted; a test evaluates the formula.", columns.parameters),
    "keeps for n tokens": Column(
        "The bytes of what the hooks return for n tokens in float32, tables included (Swin: one window; RoPE: its "
        "cosines and sines), and how they grow when n does.",
        columns.keeps,
    ),
    "longer than training?": Column(beyond_training.rule(), columns.past_training),
    "causal only?": Column(
        "The same token at every place: how do the scores of a query differ, before it and after it?",
        columns.causal_only,
    ),
    "backends": Column(
        "A layer is run by each backend, on a CPU without gradients, and compared with the formula.", columns.backends
    ),
}


@dataclass(frozen=True, repr=False)
class Table(Mapping[tuple[str, str], Cell]):
    """table[scheme, column] is a `Cell`, found when it is first asked for; printed, the table is text."""

    sizes: Sizes
    schemes: Mapping[str, Scheme] = field(default_factory=lambda: SCHEMES)
    columns: Mapping[str, Column] = field(default_factory=lambda: COLUMNS)
    _found: dict[tuple[str, str], Cell] = field(default_factory=dict)

    def __getitem__(self, place: tuple[str, str]) -> Cell:
        if place not in self._found:
            scheme, column = place
            with one_thread(), torch.no_grad():
                self._found[place] = self.columns[column].ask(scheme, self.schemes[scheme], self.sizes)
        return self._found[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return product(self.schemes, self.columns)

    def __len__(self) -> int:
        return len(self.schemes) * len(self.columns)

    def __repr__(self) -> str:
        lines = [", ".join(f"{letter} = {size:,}" for letter, size in self.sizes.letters().items())]
        for scheme in SCHEMES:
            lines += ["", scheme, *(f"  {column:23}{self[scheme, column].text}" for column in COLUMNS)]
        return "\n".join(lines)


def table(**sizes: Any) -> Table:
    """Every scheme asked every question, for sizes as in `Sizes`. Raises ValueError for sizes that do not fit."""
    unknown = set(sizes) - set(Sizes.__dataclass_fields__)
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))}: expected one of {', '.join(Sizes.__dataclass_fields__)}")
    return _table(checked(Sizes(**sizes)))


@functools.lru_cache(maxsize=4)
def _table(sizes: Sizes) -> Table:
    """One table for equal sizes, so that no cell is found twice."""
    return Table(sizes)
