"""Swin's window: from every key to its two offsets, and to the row of the (2W − 1)² table that they take."""

from course_lib.reference.window import offsets_2d
from course_lib.reference.window import window_index as index_of

from ..display.colours import signed_colour
from ..display.formatting import check_whole, number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

SIZES = (2, 3, 4)
UNREAD = "#dfe3e8"


def window_index(window: int = 3, query: int = 4, *, title: str | None = None) -> Picture:
    """A W × W window whose patches show (Δrow, Δcolumn) from the query and the table row these take; beside it the
    (2W − 1)² table, coloured where the query reads it. Alive: W; point at a patch or a row to see its calculation and
    its partner in the other table; click a patch, or press Enter on it, to make it the query.

    Raises ValueError for a window outside 2 … 4 or a query that is none of its patches.
    """
    if window in SIZES:
        check_whole("query", query, 0, window**2 - 1)

    @live(window=SIZES, query=[(patch,) for patch in range(max(SIZES) ** 2)])  # a tuple: cells choose it
    def draw(window: int, query: tuple[int]) -> Frame:
        patch = min(query[0], window**2 - 1)
        index, offsets = index_of(window)[patch].tolist(), offsets_2d(window)[patch].tolist()
        wide, places = 2 * window - 1, range(window)
        steps = [signed(r) for r in range(1 - window, window)]

        def cell(text: str, index: int) -> Cell:
            middle = 2 * window * (window - 1)  # no offset: white; before it blue, after it orange
            colour = signed_colour((index - middle) / middle) if index in read else UNREAD
            return Cell(text, colour=colour, says=calculation(index, window), group=f"row {index}")

        read = set(index)
        patches = [
            cell(f"({signed(down)}, {signed(right)})\n{k}{' query' if down == right == 0 else ''}", k)
            for (down, right), k in zip(offsets, index, strict=True)
        ]
        return Frame(
            [
                Table(
                    "The window",
                    rows=[f"row {r}" for r in places],
                    columns=[f"column {c}" for c in places],
                    cells=[patches[r * window : (r + 1) * window] for r in places],
                    note="(Δrow, Δcolumn) from the query, and the table row",
                    says="{text}",
                    chooses=("query", [(p,) for p in range(window**2)]),
                ),
                Table(
                    "The table",
                    rows=steps,
                    columns=steps,
                    cells=[[cell(str(k), k) for k in range(r * wide, r * wide + wide)] for r in range(wide)],
                    corner="Δrow\u00a0↓ Δcolumn\u00a0→",
                    note=f"(2 · {window} − 1)² = {wide**2} rows; coloured: read by the query",
                    says="{text}",
                ),
            ],
            [
                f"Query {patch}, at row {patch // window}, column {patch % window},",
                f"reads {window**2} of {wide**2} rows of the table.",
            ],
        )

    alt = (
        "A window of patches in which every key shows its offsets from the query and the row "
        "(Δrow + W − 1) · (2W − 1) + (Δcolumn + W − 1) of the table. The W² rows that a query reads form a square of "
        "the (2W − 1)² table."
    )
    heading = title or "Two offsets, one row of the table"
    return draw(alt=alt, title=heading, window=window, query=(query,))


def calculation(index: int, window: int) -> str:
    """From the two offsets to the row of the table, and how many pairs of the window take it."""
    shift, wide = window - 1, 2 * window - 1
    down, right = index // wide - shift, index % wide - shift
    pairs = (window - abs(down)) * (window - abs(right))
    return (
        f"({signed(down)} + {shift}) · {wide} + ({signed(right)} + {shift}) = row {index} of the table, "
        f"taken by {pairs} of {window**4} pairs."
    )


def signed(offset: int) -> str:
    """−2, 0, +2."""
    return ("+" if offset > 0 else "") + number(offset)
