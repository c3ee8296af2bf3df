"""Swin's window, alive: from every key to its two offsets, and to the row of the (2W − 1)² table that it takes."""

from ..display.colours import signed_colour
from ..display.formatting import check_whole, escape, number
from ..display.picture import TABLE, Picture
from ..reference.window import offsets_2d
from ..reference.window import window_index as index_of
from .heatmap import ROW, cell

SIZES = (2, 4)  # the smallest and the largest window
OUTLINE = "box-shadow:inset 0 0 0 2px #7a3ea8;font-weight:700"


def window_index(window: int = 3, query: int = 4, *, title: str | None = None) -> Picture:
    """A W × W window whose patches show (Δrow, Δcolumn) from the query and the table row this takes; beside it the
    (2W − 1)² table with the W × W rows that the query reads outlined. Alive: click a patch or walk with the arrow
    keys to choose the key and read its calculation, click once more or press Enter or Space to make it the query;
    slider for W (2–4).

    Raises ValueError for a window outside 2 … 4 or a query that is none of its patches.
    """
    window = check_whole("window", window, *SIZES)
    query = check_whole("query", query, 0, window**2 - 1)
    heading = title or "Two offsets, one row of the table"
    row, column = divmod(query, window)
    body = _window(window, query, heading) + _table(window, query)
    alt = (
        f"A window of {window} by {window} patches, query {query} at row {row}, column {column}: every key shows its "
        f"offsets and the row (Δrow + {window - 1}) · {2 * window - 1} + (Δcolumn + {window - 1}) of the table. The "
        f"{window**2} rows that the query reads form a square of the {2 * window - 1} by {2 * window - 1} table."
    )
    data = {"window": window, "query": query, "sizes": SIZES, "title": heading}
    return Picture(
        "window-index", body, alt=alt, title=title, styles=["controls", "window"], script="window_index.js", data=data
    )


def _signed(r: int) -> str:
    return ("+" if r > 0 else "") + number(r)


def _colour(row: int, window: int) -> str:
    """Row 0 blue, the middle row (no offset) white, the last orange."""
    middle = 2 * window * (window - 1)
    return signed_colour((row - middle) / middle)


def _window(window: int, query: int, heading: str) -> str:
    lines = []
    for top in range(0, window**2, window):
        cells = []
        for key in range(top, top + window):
            row, column = (int(r) for r in offsets_2d(window)[query, key])
            index = int(index_of(window)[query, key])
            text = f"({_signed(row)}, {_signed(column)}) → {index}{' query' if key == query else ''}"
            cells.append(cell(index, text, lambda value: _colour(value, window)))
        lines.append(f'<tr {ROW}><th scope="row">row {top // window}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col">column {c}</th>' for c in range(window))
    return (
        f'<table {TABLE}><caption style="text-align:left"><b>{escape(heading)}</b><br>query {query} of a window of '
        f"{window} × {window} patches: (Δrow, Δcolumn) → row of the table</caption>"
        f"<thead><tr {ROW}><td></td>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _table(window: int, query: int) -> str:
    wide, used = 2 * window - 1, {int(index) for index in index_of(window)[query]}
    lines = []
    for top in range(wide):
        cells = "".join(
            cell(index, str(index), lambda value: _colour(value, window)).replace(
                '">', f';{OUTLINE}">' if index in used else '">', 1
            )
            for index in range(top * wide, top * wide + wide)
        )
        lines.append(f'<tr {ROW}><th scope="row">{_signed(top - window + 1)}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col">{_signed(c - window + 1)}</th>' for c in range(wide))
    return (
        f'<table {TABLE}><caption style="text-align:left">The table: {wide} · {wide} = {wide**2} rows; outlined: the '
        f'{window**2} that this query reads</caption><thead><tr {ROW}><td style="color:#57606a">Δrow ↓ Δcolumn →</td>'
        f"{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
