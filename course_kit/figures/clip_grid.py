"""Shaw's clipped offsets, alive: the grid of offsets j − i and which row of the table each cell takes."""

import numpy as np

from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from ..display.colours import signed_colour
from ..display.formatting import MINUS, with_sign
from .frames import Cell, Frame, Table, live


@live(
    "Grid of the offsets of some queries and keys: along each diagonal one table row, and one row for each of the two "
    "far corners.",
    tokens=range(2, 9),
    clip=range(7),
)
def clip_grid(tokens: int = 6, clip: int = 2) -> Frame:
    """The n × n offsets j − i, coloured by the table row min(max(j − i, −clip), clip) + clip that each cell takes, and
    the 2·clip + 1 rows with the number of cells that use them. Alive: move the number of tokens n (2–8) and the clip
    (0–6); at a cell or a row of the table, all cells that take the same row are outlined.
    """
    return Frame([grid(tokens, clip), rows(tokens, clip)], facts(tokens, clip))


def row_cell(text: str, r: int, clip: int, says: str = "") -> Cell:
    """A cell in the colour and the group of the table row that offset r takes."""
    kept = min(max(r, -clip), clip)
    group = f"row {kept + clip}, a[{with_sign(kept)}]"
    return Cell(text, colour=signed_colour(kept / max(clip, 1)), says=says, group=group)


def grid(n: int, clip: int) -> Table:
    """The offset of every query and key, and what it is clipped to."""

    def offset(r: int) -> Cell:
        end = with_sign(min(max(r, -clip), clip))
        if abs(r) > clip:
            return row_cell(f"{with_sign(r)} →\u00a0{end}", r, clip, f"{with_sign(r)}, beyond {end}")
        where = f"within ±{clip}" if abs(r) < clip else f"which reaches {end} and does not exceed it"
        return row_cell(with_sign(r), r, clip, f"{with_sign(r)}, {where}")

    return Table(
        "One table row per clipped offset",
        rows=[str(i) for i in range(n)],
        columns=[str(j) for j in range(n)],
        cells=[[offset(r) for r in line] for line in offsets(n).tolist()],
        corner="query\u00a0↓ key\u00a0→",
        note=f"offset j − i, clipped to {f'{MINUS}{clip} … {clip}' if clip else 0}",
        says="Query {row}, key {column}: offset {text}, so it takes {group}.",
    )


def rows(n: int, clip: int) -> Table:
    """The rows of Shaw's table: the offsets that take each of them, and how many of the n × n cells that are."""
    all_offsets = offsets(n)
    taken = clip_index(all_offsets, clip)
    cells = []
    for row in range(2 * clip + 1):
        found = [with_sign(int(r)) for r in np.unique(all_offsets[taken == row])]
        span = "none here" if not found else found[0] if len(found) == 1 else f"{found[0]} … {found[-1]}"
        texts = f"a[{with_sign(row - clip)}]", span, str((taken == row).sum())
        cells.append([row_cell(text, row - clip, clip) for text in texts])
    return Table(
        "The table",
        rows=[str(row) for row in range(2 * clip + 1)],
        columns=["vector", "offsets", "cells"],
        cells=cells,
        corner="row",
        note=f"2 · {clip} + 1 = {2 * clip + 1} row{'s' if clip else ''}",
        says="Row {row}, {column}: {text}.",
    )


def facts(n: int, clip: int) -> list[str]:
    """How many cells are clipped, and why the two ends have so many."""
    far = int((abs(offsets(n)) > clip).sum())
    if not far:
        return [f"No offset exceeds {clip} in size, so no cell is clipped."]
    count = f"{far} of {n * n} cells are clipped: those whose offset exceeds {clip} in size, (n − clip)(n − clip − 1)."
    own = f"Offset r has n − |r| cells; a[{with_sign(clip)}] has {n - clip} of its own and collects {far // 2} more."
    return [count, own] if clip else [count]
