"""Swin's shifted windows: the pieces of an image, where the roll takes them, and which patches see each other."""

import numpy as np
from numpy.typing import NDArray

from course_lib.reference.window import partition, shift_mask

from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

SIZES = (2, 3, 4)
# Neighbouring pieces differ in brightness too, and black reads on each of them.
PIECES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#f4ee9d", "#e3c3ee", "#8fd3d1", "#d3d7dd", "#f7c0b4", "#d9e8a0"]


def shifted_windows(window: int = 4, shift: int = 2, *, title: str | None = None) -> Picture:
    """An image of 2W × 2W patches, cut into pieces by borders that moved by `shift`, and the four windows that the
    pieces fill after the roll. A patch sees its own piece. Alive: W and the shift (0: plain windows); point at a patch
    to outline what it sees, in the image and after the roll.

    Raises ValueError for a window outside 2 … 4 or a shift outside 0 … W − 1.
    Source: Liu et al. 2021, section 3.2, figure 4.
    """
    if window in SIZES and shift not in range(window):
        raise ValueError(f"shift={shift!r}: expected a whole number from 0 to {window - 1}")

    @live(window=SIZES, shift=range(max(SIZES)))
    def draw(window: int, shift: int) -> Frame:
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

        counted = f"{sees.sum()} of {sees.size} pairs inside windows see each other, {(~sees).sum()} are hidden."
        most = [f"A window of {window} × {window} is shifted by {shift} at most."] if chosen > shift else []
        return Frame(
            [
                table(f"The image: {len(pieces)} pieces", "number and piece of each patch", image, n),
                table(f"Rolled by {shift} up and left", f"four windows of {window} × {window}", rolled, window),
            ],
            [counted, *most],
        )

    alt = (
        "Patches of an image in windows whose borders have moved, the 9 pieces that these borders make, and the four "
        "windows that the pieces fill when the image is rolled. A patch sees only the patches of its own piece."
    )
    heading = title or "Shifted windows: roll, attend inside windows, hide what only the roll brought together"
    return draw(alt=alt, title=heading, window=window, shift=shift)


def piece(patch: int, window: int, shift: int) -> tuple[int, int]:
    """The piece of a patch, as its band of rows and of columns: before the shift, one window more, and the rest."""
    row, column = divmod(patch, 2 * window)
    return (row - shift) // window, (column - shift) // window
