"""Shaw's clipped offsets, alive: the grid of offsets j − i and which row of the table each cell takes."""

from collections.abc import Iterable, Sequence

import numpy as np

from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from ..display.colours import signed_colour
from ..display.formatting import MINUS, check_whole, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

LARGEST_N, LARGEST_CLIP = 12, 8
SIZES, CLIPS = range(2, 9), range(7)  # stops, beside those at which it starts


def clip_grid(n: int = 6, clip: int = 2, tokens: Sequence[str] | None = None, *, title: str | None = None) -> Picture:
    """The n × n offsets j − i, coloured by the table row min(max(j − i, −clip), clip) + clip that each cell takes, and
    the 2·clip + 1 rows with the number of cells that use them. Alive: move n (2–12) and the clip (0–8); at a cell or a
    row of the table, all cells that take the same row are outlined.

    `tokens` name the first positions; those after them, and all without it, go by their number.
    Raises ValueError for an n or a clip outside these, or tokens that are not a list of words.
    """
    n, clip = check_whole("n", n, 2, LARGEST_N), check_whole("clip", clip, 0, LARGEST_CLIP)
    if isinstance(tokens, str) or not isinstance(tokens, Iterable | None):
        raise ValueError(f"tokens={tokens!r}: expected a list of words, or None for numbers")
    words = [str(token) for token in tokens or ()][:LARGEST_N]
    words += [str(i) for i in range(len(words), LARGEST_N)]
    draw = live(tokens=sorted({*SIZES, n}), clip=sorted({*CLIPS, clip}))(
        lambda tokens, clip: Frame([grid(words[:tokens], clip), rows(tokens, clip)], facts(tokens, clip))
    )
    alt = (
        f"Grid of the offsets of {n} queries and {n} keys, clipped at {clip}: along each diagonal one table row, "
        f"and one row for each of the two far corners. {facts(n, clip)[0]}"
    )
    return draw(alt=alt, title=title, tokens=n, clip=clip)


def row_cell(text: str, r: int, clip: int, says: str = "") -> Cell:
    """A cell in the colour and the group of the table row that offset r takes."""
    kept = min(max(r, -clip), clip)
    group = f"row {kept + clip}, a[{with_sign(kept)}]"
    return Cell(text, colour=signed_colour(kept / max(clip, 1)), says=says, group=group)


def grid(words: list[str], clip: int) -> Table:
    """The offset of every query and key, and what it is clipped to."""

    def offset(r: int) -> Cell:
        end = with_sign(min(max(r, -clip), clip))
        if abs(r) > clip:
            return row_cell(f"{with_sign(r)} →\u00a0{end}", r, clip, f"{with_sign(r)}, beyond {end}")
        where = f"within ±{clip}" if abs(r) < clip else f"which reaches {end} and does not exceed it"
        return row_cell(with_sign(r), r, clip, f"{with_sign(r)}, {where}")

    return Table(
        "One table row per clipped offset",
        rows=words,
        columns=words,
        cells=[[offset(r) for r in line] for line in offsets(len(words)).tolist()],
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
