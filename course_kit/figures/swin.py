"""Swin: from every key of a window to the row of the (2W − 1)² table that it takes, and windows that shift."""

import numpy as np
from numpy.typing import NDArray

from course_lib.reference.window import offsets_2d, partition, shift_mask
from course_lib.reference.window import window_index as index_of

from ..display.colours import signed_colour
from ..display.formatting import with_sign
from .frames import Cell, Frame, Table, live

SIZES = (2, 3, 4)
UNREAD = "#dfe3e8"
# Neighbouring pieces differ in brightness too, and black reads on each of them.
PIECES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#f4ee9d", "#e3c3ee", "#8fd3d1", "#d3d7dd", "#f7c0b4", "#d9e8a0"]


@live(
    "A window of patches in which every key shows its offsets from the query and the row "
    "(Δrow + W − 1) · (2W − 1) + (Δcolumn + W − 1) of the table. The W² rows that a query reads form a square of "
    "the (2W − 1)² table.",
    "Two offsets, one row of the table",
    window=SIZES,
    query=[(patch,) for patch in range(max(SIZES) ** 2)],  # a tuple: cells choose it
)
def window_index(window: int = 3, query: tuple[int] = (4,)) -> Frame:
    """A W × W window whose patches show (Δrow, Δcolumn) from the query and the table row these take; beside it the
    (2W − 1)² table, coloured where the query reads it. Alive: W; point at a patch or a row to see its calculation and
    its partner in the other table; click a patch, or press Enter on it, to make it the query.
    """
    patch = min(query[0], window**2 - 1)
    index, offsets = index_of(window)[patch].tolist(), offsets_2d(window)[patch].tolist()
    wide, places = 2 * window - 1, range(window)
    steps = [with_sign(r) for r in range(1 - window, window)]

    def cell(text: str, row: int) -> Cell:
        middle = 2 * window * (window - 1)  # no offset: white; before it blue, after it orange
        colour = signed_colour((row - middle) / middle) if row in index else UNREAD
        return Cell(text, colour=colour, says=calculation(row, window), group=f"row {row}")

    patches = [
        cell(f"({with_sign(down)}, {with_sign(right)})\n{k}{' query' if down == right == 0 else ''}", k)
        for (down, right), k in zip(offsets, index, strict=True)
    ]
    shown = Table(
        "The window",
        rows=[f"row {r}" for r in places],
        columns=[f"column {c}" for c in places],
        cells=[patches[r * window : (r + 1) * window] for r in places],
        note="(Δrow, Δcolumn) from the query, and the table row",
        says="{text}",
        chooses=("query", [(p,) for p in range(window**2)]),
    )
    table = Table(
        "The table",
        rows=steps,
        columns=steps,
        cells=[[cell(str(k), k) for k in range(r * wide, r * wide + wide)] for r in range(wide)],
        corner="Δrow\u00a0↓ Δcolumn\u00a0→",
        note=f"(2 · {window} − 1)² = {wide**2} rows; coloured: read by the query",
        says="{text}",
    )
    where = f"Query {patch}, at row {patch // window}, column {patch % window},"
    return Frame([shown, table], [where, f"reads {window**2} of {wide**2} rows of the table."])


def calculation(index: int, window: int) -> str:
    """From the two offsets to the row of the table, and how many pairs of the window take it."""
    shift, wide = window - 1, 2 * window - 1
    down, right = index // wide - shift, index % wide - shift
    pairs = (window - abs(down)) * (window - abs(right))
    return (
        f"({with_sign(down)} + {shift}) · {wide} + ({with_sign(right)} + {shift}) = row {index} of the table, "
        f"taken by {pairs} of {window**4} pairs."
    )


@live(
    "Patches of an image in windows whose borders have moved, the pieces that these borders make, and the four "
    "windows that the pieces fill when the image is rolled. A patch sees only the patches of its own piece.",
    "Shifted windows: roll, attend inside windows, hide what only the roll brought together",
    window=SIZES,
    shift=range(max(SIZES)),
)
def shifted_windows(window: int = 4, shift: int = 2) -> Frame:
    """An image of 2W × 2W patches, cut into pieces by borders that moved by `shift`, and the four windows that the
    pieces fill after the roll. A patch sees its own piece. Alive: W and the shift (0: plain windows); point at a patch
    to outline what it sees, in the image and after the roll.

    Source: Liu et al. 2021, section 3.2, figure 4.
    """
    chosen, shift, n = shift, min(shift, window - 1), 2 * window
    image = np.arange(n**2).reshape(n, n)
    rolled = np.roll(image, (-shift, -shift), (0, 1))
    sees = shift_mask(n, n, window, shift)
    seen = dict(zip(partition(rolled[..., None], window).flat, sees.sum(-1).flat, strict=True))
    pieces = sorted({piece(patch, window, shift) for patch in range(n**2)})

    def cell(patch: int) -> Cell:
        k = pieces.index(piece(patch, window, shift))
        name, hidden = "ABCDEFGHI"[k], window**2 - seen[patch]
        says = f"Piece {name}: each patch sees {seen[patch]}, itself among them; {hidden} are hidden from it."
        return Cell(f"{patch} {name}", colour=PIECES[k], says=says, group=name)

    def table(caption: str, note: str, patches: NDArray, length: int) -> Table:
        labels = [str(place % length) for place in range(n)]
        cells = [[cell(patch) for patch in line] for line in patches.tolist()]
        return Table(caption, labels, labels, cells, note=note, says="{text}")

    before = table(f"The image: {len(pieces)} pieces", "number and piece of each patch", image, n)
    after = table(f"Rolled by {shift} up and left", f"four windows of {window} × {window}", rolled, window)
    counted = f"{sees.sum()} of {sees.size} pairs inside windows see each other, {(~sees).sum()} are hidden."
    most = [f"A window of {window} × {window} is shifted by {shift} at most."] if chosen > shift else []
    return Frame([before, after], [counted, *most])


def piece(patch: int, window: int, shift: int) -> tuple[int, int]:
    """The piece of a patch, as its band of rows and of columns: before the shift, one window more, and the rest."""
    row, column = divmod(patch, 2 * window)
    return (row - shift) // window, (column - shift) // window
