"""The schemes of the course beside each other, in one table that is computed: by asking the modules and the study.

from course_tasks import comparison
table = comparison.table()                   every scheme and column, for small sizes
print(table)                                 as text; comparison.picture(table) for the eye, with all notes in folds
table["ALiBi", "keeps for n tokens"]         one cell: .text, .value, and .note, how it was found
comparison.table(d_model=768, n_heads=12, n=512)
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import torch

from course_lib.nn.threads import one_thread
from course_lib.schemes import SCHEMES, Sizes

from .columns import COLUMNS, Cell
from .picture import picture

__all__ = ["COLUMNS", "SCHEMES", "Cell", "Sizes", "Table", "picture", "table"]

LIMITS = {"n": (16, 4096), "window": (2, 16)}  # the probes need a few tokens, and nobody waits for more


@dataclass(frozen=True, repr=False)
class Table(Mapping[tuple[str, str], Cell]):
    """table[scheme, column] is a `Cell`; printed, the table is text."""

    sizes: Sizes
    _found: dict[tuple[str, str], Cell] = field(default_factory=dict)

    def __getitem__(self, place: tuple[str, str]) -> Cell:
        if place not in self._found:
            scheme, column = place
            with one_thread(), torch.no_grad():
                self._found[place] = COLUMNS[column].ask(SCHEMES[scheme], self.sizes)
        return self._found[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return product(SCHEMES, COLUMNS)

    def __len__(self) -> int:
        return len(SCHEMES) * len(COLUMNS)

    def __repr__(self) -> str:
        lines = [", ".join(f"{letter} = {size:,}" for letter, size in self.sizes.letters().items())]
        for scheme in SCHEMES:
            lines += ["", scheme, *(f"  {column:20}{self[scheme, column].text}" for column in COLUMNS)]
        return "\n".join(lines)


def table(**sizes: Any) -> Table:
    """Every scheme asked every question, for sizes as in `Sizes`. Raises ValueError for sizes that do not fit."""
    checked = Sizes(**sizes)
    for name, (least, most) in LIMITS.items():
        if not least <= getattr(checked, name) <= most:
            raise ValueError(f"{name}={getattr(checked, name)}: expected a whole number from {least} to {most}")
    return _table(checked)


@functools.lru_cache(maxsize=4)
def _table(sizes: Sizes) -> Table:
    """One table for equal sizes, so that no cell is found twice."""
    return Table(sizes)
