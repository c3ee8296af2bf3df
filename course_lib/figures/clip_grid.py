"""Shaw's clipped offsets, alive: the grid of offsets j − i and which row of the table each cell takes."""

from collections.abc import Iterable, Sequence

from ..display.colours import signed_colour
from ..display.formatting import MINUS, check_whole, escape, number
from ..display.picture import TABLE, Picture
from .heatmap import ROW, cell

LARGEST_N, LARGEST_CLIP = 12, 8


def clip_grid(n: int = 6, clip: int = 2, tokens: Sequence[str] | None = None, *, title: str | None = None) -> Picture:
    """The n × n offsets j − i, coloured by the table row min(max(j − i, −clip), clip) + clip that each cell takes, and
    the 2·clip + 1 rows with the number of cells that use them. Alive: sliders for n (2–12) and clip (0–8); choose a
    cell or a row (point, tap, arrow keys) and all cells with the same row are outlined.

    `tokens` name the first positions; those after them, and all without it, go by their number.
    Raises ValueError for an n or a clip outside these, or tokens that are not a list of words.
    """
    n = check_whole("n", n, 2, LARGEST_N)
    clip = check_whole("clip", clip, 0, LARGEST_CLIP)
    if isinstance(tokens, str) or not isinstance(tokens, Iterable | None):
        raise ValueError(f"tokens={tokens!r}: expected a list of words, or None for numbers")
    words = [] if tokens is None else [str(token) for token in tokens][:LARGEST_N]
    labels = [words[i] if i < len(words) else str(i) for i in range(n)]
    heading = title or "One table row per clipped offset"
    body = _grid(n, clip, labels, heading) + f"<p>{escape(clipped_words(n, clip))}</p>" + _rows(n, clip)
    alt = (
        f"Grid of the offsets of {n} queries and {n} keys, clipped at {clip}: along each diagonal one table row, "
        f"and one row for each of the two far corners. {clipped_words(n, clip)}"
    )
    data = {"n": n, "clip": clip, "tokens": words, "title": heading}
    return Picture(
        "clip-grid", body, alt=alt, title=title, styles=["controls", "clip"], script="clip_grid.js", data=data
    )


def clipped_cells(n: int, clip: int) -> int:
    """How many of the n × n cells have an offset beyond clip: (n − clip)(n − clip − 1)."""
    return max(n - clip, 0) * max(n - clip - 1, 0)


def row_counts(n: int, clip: int) -> list[int]:
    """How many of the n × n cells take each of the 2·clip + 1 rows of the table; the end rows take all beyond, too."""
    ends = max(n - clip, 0) * max(n - clip + 1, 0) // 2
    if clip == 0:
        return [n * n]
    return [ends if abs(r) == clip else max(n - abs(r), 0) for r in range(-clip, clip + 1)]


def clipped_words(n: int, clip: int) -> str:
    """The number of clipped cells in a sentence."""
    count = clipped_cells(n, clip)
    if not count:
        return f"No offset exceeds {clip}, so no cell is clipped."
    return f"{count} of {n * n} cells are clipped: only those whose offset exceeds {clip} in size."


def _signed(r: int) -> str:
    return ("+" if r > 0 else "") + number(r)


def _grid(n: int, clip: int, labels: list[str], heading: str) -> str:
    lines = []
    for i in range(n):
        cells = []
        for j in range(n):
            r = min(max(j - i, -clip), clip)
            text = _signed(j - i) if r == j - i else f"{_signed(j - i)} → {_signed(r)}"
            cells.append(cell(r / max(clip, 1), text, signed_colour))
        lines.append(f'<tr {ROW}><th scope="row">{escape(labels[i])}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label in labels)
    size = "font-size:11px;" if n > 6 else ""
    return (
        f'<table style="{size}color:#1b1f24"><caption style="text-align:left"><b>{escape(heading)}</b><br>'
        f"offset j − i, clipped to {f'{MINUS}{clip} … {clip}' if clip else 0}</caption>"
        f'<thead><tr {ROW}><td style="color:#57606a">query ↓ key →</td>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _rows(n: int, clip: int) -> str:
    def vector(r: int) -> str:
        return cell(r / max(clip, 1), f"a[{_signed(r)}]", signed_colour)

    lines = "".join(
        f'<tr {ROW}><th scope="row">{r + clip}</th>{vector(r)}<td>{count}</td></tr>'
        for r, count in zip(range(-clip, clip + 1), row_counts(n, clip), strict=True)
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("row", "vector", "cells"))
    return (
        f'<table {TABLE}><caption style="text-align:left">The table: 2 · {clip} + 1 = {2 * clip + 1} '
        f"row{'s' if clip else ''}</caption><thead><tr {ROW}>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    )
