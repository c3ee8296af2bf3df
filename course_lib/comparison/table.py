"""The table: a cell for every scheme and column, with how it was found and which tests and runs back it."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from .columns import COLUMNS, Cell
from .schemes import SCHEMES, Sizes


@dataclass(frozen=True, repr=False)
class Table(Mapping[tuple[str, str], Cell]):
    """table[scheme, column] is a `Cell`; printed, it is text."""

    sizes: Sizes
    cells: Mapping[tuple[str, str], Cell]

    def __getitem__(self, place: tuple[str, str]) -> Cell:
        return self.cells[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        lines = [", ".join(f"{letter} = {size:,}" for letter, size in self.sizes.letters().items())]
        for scheme in SCHEMES:
            lines += ["", scheme, *(f"  {column:23}{self[scheme, column].text}" for column in COLUMNS)]
        return "\n".join(lines)


def table(**sizes: int) -> Table:
    """Every scheme asked every question, for sizes as in `Sizes`. Raises ValueError for sizes that do not fit."""
    unknown = set(sizes) - set(Sizes.__dataclass_fields__)
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))}: expected one of {', '.join(Sizes.__dataclass_fields__)}")
    return _table(Sizes(**sizes))


@functools.lru_cache(maxsize=4)
def _table(sizes: Sizes) -> Table:
    with torch.no_grad():
        found = {(s, c): column.ask(s, SCHEMES[s], sizes) for s in SCHEMES for c, column in COLUMNS.items()}
    return Table(sizes, found)
