"""Swin's shifted windows, alive: the pieces of an image, where the roll takes them, and who may look at whom."""

from ..display.formatting import check_whole, escape
from ..display.picture import TABLE, Picture
from .heatmap import ROW

SIZES = (2, 4)
# Neighbouring pieces differ in brightness too, and black reads on each of them.
PIECES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#f4ee9d", "#e3c3ee", "#8fd3d1", "#d3d7dd", "#f7c0b4", "#d9e8a0"]
STEPS = {
    "plain windows": "Without a shift: four windows of {w} × {w} patches. Neighbours across a border never meet.",
    "shifted windows": "Move all borders by {s}, down and right. Now there are 9 pieces of different sizes.",
    "rolled": "Roll the image by {s} up and left, round the edges: the pieces fill four windows of {w} × {w} again.",
    "mask": "But some windows now hold pieces from opposite edges. A patch looks only at patches of the same piece.",
}


def shifted_windows(window: int = 4, shift: int = 2, *, title: str | None = None) -> Picture:
    """An image of 2W × 2W patches in four steps: plain windows, shifted windows, rolled, mask. Alive: sliders for W
    (2–4) and the shift; choose a patch (click, tap, arrow keys) and see where each step takes it and which patches of
    its window the mask hides from it.

    Raises ValueError for a window outside 2 … 4 or a shift outside 1 … W − 1.
    Source: Liu et al. 2021, section 3.2, figure 4.
    """
    window = check_whole("window", window, *SIZES)
    shift = check_whole("shift", shift, 1, window - 1)
    heading = title or "Shifted windows: roll, attend inside windows, hide what only the roll brought together"
    n = 2 * window
    plain = [[(r, c) for c in range(n)] for r in range(n)]
    rolled = [[((r + shift) % n, (c + shift) % n) for c in range(n)] for r in range(n)]
    allowed = allowed_pairs(window, shift)
    counts = f"{allowed} of {4 * window**4} pairs inside windows may look, {4 * window**4 - allowed} are hidden."
    body = (
        f'<p style="margin:0 0 6px"><b>{escape(heading)}</b></p>'
        + _grid(plain, window, shift, "The image: 9 pieces")
        + _grid(rolled, window, shift, f"Rolled by {shift} up and left: four windows")
        + f"<p>A patch may look at the patches of its window that have the same letter. {counts}</p>"
    )
    alt = (
        f"{n} by {n} patches, windows of {window} by {window}, shift {shift}: the 9 pieces of the "
        f"shifted windows and the four windows they fill after the roll. {counts}"
    )
    data = {
        "window": window,
        "shift": shift,
        "sizes": SIZES,
        "title": heading,
        "pieces": PIECES,
        "steps": list(STEPS.items()),
    }
    return Picture(
        "shifted-windows",
        body,
        alt=alt,
        title=title,
        styles=["controls", "shifted"],
        script="shifted_windows.js",
        data=data,
    )


def allowed_pairs(window: int, shift: int) -> int:
    """Pairs that see each other: per axis W² in the first window and (W − s)² + s² in the one across the seam."""
    return (window**2 + (window - shift) ** 2 + shift**2) ** 2


def piece(place: tuple[int, int], window: int, shift: int) -> int:
    """The piece of a patch, read row by row. Each axis has three bands: up to s, W patches more, and the rest."""
    bands = [(0 if p < shift else 1 if p < shift + window else 2) for p in place]
    return 3 * bands[0] + bands[1]


def _grid(places: list[list[tuple[int, int]]], window: int, shift: int, caption: str) -> str:
    size, lines = len(places), []
    for line in places:
        cells = []
        for row, column in line:
            found = piece((row, column), window, shift)
            cells.append(f"<td style=background-color:{PIECES[found]}>{row * size + column} {'ABCDEFGHI'[found]}</td>")
        lines.append(f"<tr {ROW}>{''.join(cells)}</tr>")
    return (
        f'<div style="display:inline-block;vertical-align:top;margin:0 16px 8px 0"><table {TABLE}>'
        f'<caption style="text-align:left">{escape(caption)}</caption><tbody>{"".join(lines)}</tbody></table></div>'
    )
