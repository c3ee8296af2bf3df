"""Strides as a drawing: the line of memory, where the grid starts in it, and the steps to the next query and key."""

from itertools import pairwise

from ..display.formatting import number
from ..display.picture import TABLE, Picture
from ..display.svg import svg_image

N = 3  # queries, and keys
W = 2 * N - 1  # offsets in a row
WIDTH, HEIGHT, CELL = 700, 380, 44
WRAP = 'style="white-space:normal;text-align:left"'  # for a narrow page
LINE, GRID = 84, 240  # where the line of memory begins, and the grid below it
TINTS, SHARED = ("#b5d5f4", "#fbd3a2", "#b9e2da"), "#dfe4ea"  # a colour for each query's row, one for a shared row
INK, GREY, BORDER = "#1b1f24", "#57606a", "#8b949e"
QUERY, KEY = "#0b4f8a", "#9a4a00"  # the arrows to the next query and to the next key


def strides(*, shared: bool = False, flipped: bool = False) -> Picture:
    """How the grid of `to_grid` is read from the memory of its rows: a start, a step per query and a step per key.

    Three queries and three keys, so five offsets in a row; the numbers in memory are the offsets. shared: all queries
    share one row. flipped: the queries come in reversed order.
    """
    order = range(N)[::-1] if flipped else range(N)
    places = [[(0 if shared else k * W) + j - i + N - 1 for j in range(N)] for k, i in enumerate(order)]
    start, step = places[0][0], places[1][0] - places[0][0]
    held = "one row of five numbers" if shared else "three rows of five numbers, one for each query"
    alt = (
        f"A line of memory: {held}. The grid starts at place {start}. One step to the next query is {_signed(step)} "
        "and one step to the next key is +1."
    )
    drawing = _tips() + _memory(places, order, shared) + _grid(places, order, shared)
    image = svg_image(drawing, width=WIDTH, height=HEIGHT, alt=alt)
    return Picture("strides", image + _table(shared, flipped), alt=alt, title="Strides: how the grid is read")


def _memory(places: list[list[int]], order: range, shared: bool) -> str:
    """The line of memory, with the start and the steps to the next query above it, the steps to the next key below."""
    rows = 1 if shared else N
    left, used = (WIDTH - CELL * rows * W) / 2, {place for line in places for place in line}
    x = [left + CELL * (place + 0.5) for place in range(rows * W)]  # the middle of each cell
    starts, below = [line[0] for line in places], LINE + CELL
    step = starts[1] - starts[0]
    drawn = [
        _cell(left + CELL * place, LINE, place, _tint(place // W, shared) if place in used else "#ffffff")
        for place in range(rows * W)
    ]
    drawn += [_arc(x[a], x[b], LINE - 4, -30 if shared else -34, QUERY) for a, b in pairwise(starts)]
    drawn += [_arc(x[a], x[a + 1], below + 4, 16, KEY) for a in places[0][:-1]]
    drawn.append(f'<path d="M{x[starts[0]]:.0f} 24V{LINE - 6}" {_stroke(INK)}/>')
    drawn.append(_text(max(x[starts[0]], 56), 17, f"start: place {starts[0]}", INK))
    beside = x[starts[-1]] + 84 * step, LINE - 16  # beside the short arcs in a shared row, else above the first arc
    above = (x[starts[0]] + x[starts[1]]) / 2 + 24, 42
    drawn.append(_text(*(beside if shared else above), f"next query {_signed(step)}", QUERY))
    drawn.append(_text(x[starts[0] + 1], below + 40, "next key +1", KEY))
    for row in range(rows):
        whose = "the row of all queries" if shared else f"row of query {order[row]}"
        drawn.append(_text(left + CELL * W * (row + 0.5), below + 64, whose, GREY))
    return "".join(drawn)


def _grid(places: list[list[int]], order: range, shared: bool) -> str:
    """The grid as these steps read it: the same numbers, with their places."""
    left = (WIDTH - CELL * N) / 2
    drawn = [_text(left + CELL * (j + 0.5), GRID - 8, f"key {j}", GREY, 13) for j in range(N)]
    for k, line in enumerate(places):
        drawn.append(_text(left - 38, GRID + CELL * (k + 0.62), f"query {order[k]}", GREY))
        drawn += [_cell(left + CELL * j, GRID + CELL * k, place, _tint(k, shared)) for j, place in enumerate(line)]
    return "".join(drawn)


def _tint(row: int, shared: bool) -> str:
    return SHARED if shared else TINTS[row]


def _cell(x: float, y: float, place: int, fill: str) -> str:
    """A number in memory, the offset, and its place in small letters."""
    box = f'<rect x="{x:.0f}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="{BORDER}"/>'
    offset = number(place % W - (N - 1))
    return box + _text(x + CELL / 2, y + 23, offset, INK, 18) + _text(x + CELL / 2, y + 39, str(place), "#3d444d", 12)


def _text(x: float, y: float, words: str, colour: str, size: int = 15) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" font-size="{size}" fill="{colour}">{words}</text>'


def _arc(a: float, b: float, y: float, height: float, colour: str) -> str:
    return f'<path d="M{a:.0f} {y}Q{(a + b) / 2:.0f} {y + 2 * height} {b:.0f} {y}" {_stroke(colour)}/>'


def _stroke(colour: str) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="2" marker-end="url(#rp-{colour[1:]})"'


def _tips() -> str:
    """An arrow head for each colour of arrows."""
    tip = (
        '<marker id="rp-{}" markerWidth="5" markerHeight="5" refX="4" refY="2.5" orient="auto">'
        '<path d="M0 0L5 2.5L0 5z" fill="#{}"/></marker>'
    )
    return f"<defs>{''.join(tip.format(c[1:], c[1:]) for c in (QUERY, KEY, INK))}</defs>"


def _table(shared: bool, flipped: bool) -> str:
    """The step to the next query in all four cases; the one that is drawn is marked."""
    steps = {
        "each query has its own row": (f"w − 1 = {W - 1}", f"w + 1 = {W + 1}"),
        "all queries share one row": ("−1", "+1"),
    }
    rows = ""
    for whose, both in steps.items():
        drawn = [(whose.startswith("all"), turned) == (shared, flipped) for turned in (False, True)]
        cells = "".join(f"<td {WRAP}>{f'<b>{s}</b> (drawn)' if here else s}</td>" for s, here in zip(both, drawn))
        rows += f'<tr style="background-color:#ffffff;color:#1b1f24"><th scope="row" {WRAP}>{whose}</th>{cells}</tr>'
    heads = "".join(f'<th scope="col" {WRAP}>{name}</th>' for name in ("queries in order", "queries reversed"))
    return (
        f"<table {TABLE}><caption>The step to the next query, with w = {W} offsets in a row</caption>"
        f'<thead><tr style="background-color:#ffffff"><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _signed(step: int) -> str:
    return f"+{step}" if step > 0 else number(step)
