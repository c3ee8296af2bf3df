"""A matrix as a coloured table with its numbers in the cells: no script, so it looks the same everywhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.checks import as_numpy
from course_lib.example import TOKENS

from ..display.colours import is_signed, painter
from ..display.formatting import decimals, number, token_names
from ..display.picture import Picture
from .frames import Cell, Table, still_table

LARGEST = 24  # rows or columns; beyond that numbers are no longer read, and the output grows large


def heatmap(
    values: Any,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    alt: str,
    title: str | None = None,
    digits: int = 4,
    signed: bool | None = None,
    limit: float | None = None,
    corner: str | None = None,
    legend: str | None = None,
) -> Picture:
    """A matrix (n, m) or a row (m,) of numbers as a coloured table.

    `rows` and `columns` are labels: the five tokens when there are five, else 0, 1, 2, … `digits` is the most decimals
    shown; whole numbers go without. `signed` chooses the colours: blue–white–orange around zero (the default as soon as
    a number is negative), or white to teal. `limit` is the magnitude of the strongest colour (the largest by default):
    give two pictures the same to compare them. `legend` says in other words what the colours mean.
    Raises ValueError for a missing alt text, a shape that is not a matrix, more than 24 rows or columns, or labels that
    do not fit.
    """
    grid = as_grid(values)
    numbers = [float(v) for v in grid.flat]
    digits = decimals(numbers, digits) if grid.dtype.kind == "f" else 0
    one_row = np.ndim(values) == 1 and rows is None
    row_labels = [] if one_row else labels_of("rows", rows, grid.shape[0])
    column_labels = labels_of("columns", columns, grid.shape[1])
    if corner is None:
        both_tokens = rows is None and columns is None and row_labels == column_labels == list(TOKENS)
        corner = "query ↓ key →" if both_tokens else ""
    usual = "orange above 0, white 0, blue below 0" if is_signed(numbers, signed) else "the darker, the larger"
    paint = painter(numbers, signed, limit)
    cells = [[Cell(number(value, digits), colour=paint(value)) for value in line] for line in grid.tolist()]
    table = Table(title or alt, row_labels, column_labels, cells, corner, legend or usual)
    return Picture("heatmap", still_table(table), alt=alt, title=title)


def as_grid(values: Any) -> NDArray:
    """Numbers (from NumPy, torch or lists) as a two-dimensional array; ValueError when they are not a small matrix."""
    grid = as_numpy(values)
    if grid.ndim == 1:
        grid = grid[None]
    if grid.ndim != 2 or grid.dtype.kind not in "biuf" or 0 in grid.shape:
        raise ValueError(f"values, shape {np.shape(values)}, {grid.dtype}: expected numbers of shape (n, m) or (m,)")
    if max(grid.shape) > LARGEST:
        raise ValueError(f"values, shape {grid.shape}: expected at most {LARGEST} rows and columns; show a part of it")
    return grid


def labels_of(name: str, labels: Any, length: int) -> list[str]:
    """The labels given; without them the tokens of the example when their number fits, and else 0, 1, 2, …

    Raises ValueError for another number of labels.
    """
    if labels is None:
        return token_names(length) if length == len(TOKENS) else [str(index) for index in range(length)]
    words = [str(label) for label in labels]
    if len(words) != length:
        raise ValueError(f"{name}={words!r}: {len(words)} labels, expected {length}")
    return words
