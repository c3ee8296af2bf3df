"""A matrix as a coloured table with its numbers in the cells: no script, so it looks the same everywhere."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.example import TOKENS

from ..display.colours import ink, is_signed, painter
from ..display.formatting import check_alt, check_number, check_whole, decimals, escape, labels_or_numbers, number
from ..display.picture import SUPPRESS, TABLE, Picture

# On the row, not on each cell: a notebook holds thousands of cells. (And on the row, because JupyterLab stripes rows.)
ROW = 'style="background-color:#ffffff;color:#000000;text-align:right"'
PAGE = 560  # pixels for a table in a page of usual width
PHONE = 232  # … when the page is 390 wide, in JupyterLab; figures.css sets tables smaller there
LARGEST = 24  # rows or columns; beyond that numbers are no longer read, and the output grows large


def heatmap(
    values: Any,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    alt: str | None = None,
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
    text = check_alt(alt)
    grid = as_grid(values)
    numbers = [float(v) for v in grid.flat]
    digits = decimals(numbers, check_whole("digits", digits, 0, 10)) if grid.dtype.kind == "f" else 0
    if limit is not None:
        limit = check_number("limit", limit, 1e-12, 1e12)
    one_row = np.ndim(values) == 1 and rows is None
    row_labels = None if one_row else labels_or_numbers("rows", rows, grid.shape[0], TOKENS)
    column_labels = labels_or_numbers("columns", columns, grid.shape[1], TOKENS)
    if corner is None:
        both_tokens = rows is None and columns is None and row_labels == column_labels == list(TOKENS)
        corner = "query ↓ key →" if both_tokens else ""
    usual = "orange above 0, white 0, blue below 0" if is_signed(numbers, signed) else "the darker, the larger"
    said = escape(legend or usual)
    table = table_html(
        grid.tolist(),
        row_labels,
        column_labels,
        name=text,
        caption=f'<b>{escape(title or text)}</b><br><span class="rp-note" style="color:#57606a">{said}</span>',
        paint=painter(numbers, signed, limit),
        show=lambda value: number(value, digits),
        corner=corner,
    )
    return Picture("heatmap", table, alt=text, title=title)


def as_grid(values: Any) -> NDArray:
    """Numbers (from NumPy, torch or lists) as a two-dimensional array; ValueError when they are not a small matrix."""
    if hasattr(values, "detach"):  # a torch tensor, told by what it can do: torch itself is not needed here
        values = values.detach().cpu()
    grid = np.asarray(values)
    if grid.ndim == 1:
        grid = grid[None]
    if grid.ndim != 2 or grid.dtype.kind not in "biuf" or 0 in grid.shape:
        raise ValueError(f"values, shape {np.shape(values)}, {grid.dtype}: expected numbers of shape (n, m) or (m,)")
    if max(grid.shape) > LARGEST:
        raise ValueError(f"values, shape {grid.shape}: expected at most {LARGEST} rows and columns; show a part of it")
    return grid


def table_html(
    grid: Sequence[Sequence[Any]],
    rows: Sequence[str] | None,
    columns: Sequence[str],
    *,
    name: str,
    caption: str,
    paint: Callable[[Any], str],
    show: Callable[[Any], str],
    corner: str = "",
) -> str:
    """The table itself. `caption` is HTML, all else is text; rows=None leaves the row labels away.

    What is too wide for a page is set in small print and scrolls, where it must, in a group called `name`.
    """
    texts = [[show(value) for value in line] for line in grid]
    labels = [] if rows is None else [*corner.split("↓ "), *rows]
    first = f'<td style="color:#57606a">{_corner(corner)}</td>' if rows is not None else ""
    head = first + "".join(f'<th scope="col">{escape(label)}</th>' for label in columns)
    lines = []
    for index, (values, shown) in enumerate(zip(grid, texts, strict=True)):
        label = "" if rows is None else f'<th scope="row">{escape(rows[index])}</th>'
        cells = "".join(cell(value, text, paint) for value, text in zip(values, shown, strict=True))
        lines.append(f"<tr {ROW}>{label}{cells}</tr>")
    note = f'<caption style="text-align:left">{caption}</caption>'
    body = f"{note}<thead><tr {ROW}>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    letters = [max(map(len, column), default=0) for column in (labels, *zip(columns, *texts, strict=True))]
    if sum(5.9 * count + 5 for count in letters) <= PHONE:
        return f"<table {TABLE}>{body}</table>"
    fits = sum(7.3 * count + 14 for count in letters) <= PAGE
    style = TABLE if fits else 'class="rp-tight" style="font-size:11px;color:#1b1f24"'
    group = f'class="rp-scroll" role="group" tabindex="0" {SUPPRESS} aria-label="{escape(name)}"'
    return f"<div {group}><table {style}>{body}</table></div>"


def _corner(text: str) -> str:
    """The names of the axes, "query ↓ key →": on a narrow page two lines, an arrow never alone on one."""
    return escape(text).replace(" ↓", "&nbsp;↓").replace(" →", "&nbsp;→")


def cell(value: Any, text: str, paint: Callable[[Any], str]) -> str:
    """One number on its colour; black is the row's, white is said."""
    colour = paint(value)
    white = ";color:#ffffff" if ink(colour) == "#ffffff" else ""
    return f'<td style="background-color:{colour}{white}">{escape(text)}</td>'
