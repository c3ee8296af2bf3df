"""What Swin's array operations do: an image cut into windows, rolled and cut, and offsets numbered line by line."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..display.formatting import check_choice, escape
from ..display.picture import Picture
from ..display.svg import svg_image
from ..reference.window import partition
from .shifted_windows import PIECES

WIDTH, CELL, GAP, ARROW = 440, 26, 8, 44  # pixels: the drawing, a patch, between two windows, between two panels
HEADINGS = {
    "cut": "Cutting 4 × 4 patches into windows of 2 × 2",
    "roll": "The same patches, rolled by 1 up and left, then cut",
    "index": "The nine offsets of a 2 × 2 window, numbered line by line",
}


def window_arrays(step: str) -> Picture:
    """An array operation of Swin on its smallest example: "cut" or "roll" 4 × 4 patches, or number offsets ("index").

    Raises ValueError for another step.
    """
    heading = HEADINGS[check_choice("step", step, HEADINGS)]
    drawing, height, told = _index() if step == "index" else _windows(rolled=step == "roll")
    alt = f"{heading}. {told}"
    image = svg_image(drawing, width=WIDTH, height=height, alt=alt)
    body = f'<p style="margin:0 0 6px"><b>{escape(heading)}</b></p>{image}'
    return Picture("window-arrays", body, alt=alt, title=heading)


def _windows(rolled: bool) -> tuple[str, int, str]:
    """Three panels: the image (rolled first, or as four windows afterwards), and the windows as an array."""
    image = np.arange(16).reshape(4, 4)
    second = np.roll(image, (-1, -1), (0, 1)) if rolled else image
    windows = partition(second[..., None], 2)[..., 0]
    side = (np.arange(4) + rolled) // 2  # the band of each row and column: two without a roll, three with it
    colours = [PIECES[3 * side[patch // 4] + side[patch % 4]] for patch in range(16)]
    titles = ("image (4, 4)", "rolled (4, 4)" if rolled else "(2, 2, 2, 2)", "windows (4, 4)")
    left = 8
    parts = [_title(left, titles[0]), *_cells(left, 30, image, colours, 0)]
    left += 4 * CELL
    parts.append(_arrow(left, "roll" if rolled else "cut"))
    left += ARROW
    parts += [_title(left, titles[1]), *_cells(left, 30 if rolled else 26, second, colours, 0 if rolled else GAP)]
    left += 4 * CELL + (0 if rolled else GAP)
    parts.append(_arrow(left, "cut" if rolled else "list"))
    left += ARROW
    parts += [_title(left, titles[2]), *_cells(left, 30, windows, colours, 0)]
    parts += [_text(left + 4 * CELL + 6, 30 + CELL * k + 18, str(k), "start", grey=True) for k in range(4)]
    told = "; ".join(f"window {k}: {', '.join(map(str, row))}" for k, row in enumerate(windows.tolist()))
    return "".join(parts), 144, told[0].upper() + told[1:] + "."


def _index() -> tuple[str, int, str]:
    """The square of the nine offsets with their numbers, and the table as a list."""
    square, colours, signs = np.arange(9).reshape(3, 3), [PIECES[k // 3] for k in range(9)], ("−1", "0", "+1")
    parts = [_text(4, 24, "Δrow ↓ Δcolumn →", "start")]
    for k, sign in enumerate(signs):
        parts += [_text(61 + CELL * k, 46, sign), _text(34, 72 + CELL * k, sign)]
    parts += [*_cells(48, 54, square, colours, 0), _arrow(126, "list", 93)]
    parts += [_title(178, "table (9)", 72), *_cells(178, 80, square.reshape(1, 9), colours, 0)]
    lines = (f"Δrow = {sign} takes rows {3 * k} to {3 * k + 2} of the table" for k, sign in enumerate(signs))
    return "".join(parts), 140, "; ".join(lines) + "."


def _cells(left: int, top: int, numbers: NDArray, colours: list[str], gap: int) -> Iterable[str]:
    """A square for each number, in its colour; with a gap, the image is drawn as windows of 2 × 2."""
    for (r, c), patch in np.ndenumerate(numbers):
        x, y = left + CELL * c + gap * (c // 2), top + CELL * r + gap * (r // 2)
        box = f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{colours[patch]}" stroke="#57606a"/>'
        yield box + _text(x + CELL / 2, y + 18, str(patch))


def _title(left: int, text: str, y: int = 18) -> str:
    return _text(left, y, text, "start", grey=True)


def _arrow(left: int, text: str, y: int = 82) -> str:
    line = f"M{left + 6} {y}H{left + ARROW - 8}m-6 -4l6 4l-6 4"
    return f'<path d="{line}" fill="none" stroke="#57606a"/>' + _text(left + ARROW / 2, y - 8, text)


def _text(x: float, y: float, text: str, anchor: str = "middle", *, grey: bool = False) -> str:
    colour = ' fill="#57606a"' if grey else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="13"{colour}>{escape(text)}</text>'
