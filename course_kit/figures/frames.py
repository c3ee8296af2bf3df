"""A live picture is one function, called for every stop of its sliders. The script only looks its frames up.

    @live(n=range(2, 11), clip=range(7))
    def clip_grid(n, clip):
        return Frame([Table("offset j − i", …)], [f"{n * n} cells."])

    clip_grid(n=6, clip=2, alt="…")         # a Picture that starts at these stops

A row of numbers becomes a slider, a few words become buttons, more words a list. A stop that is a tuple, such as
(layer, head), has no control: the cells of a table choose it. The first frame is the static body.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ..display.colours import ink
from ..display.formatting import check_alt, escape, number
from ..display.picture import SUPPRESS, TABLE, Picture
from ..display.svg import svg_image, svg_start

LARGEST = 2_000  # frames: beyond that an output grows too large for a notebook
FEW = 5  # words that are buttons beside each other
# On the row, not on each cell: a notebook holds thousands of cells. (And on the row, because JupyterLab stripes rows.)
ROW = 'style="background-color:#ffffff;color:#000000;text-align:right"'
PAGE = 560  # pixels for a table in a page of usual width
PHONE = 232  # … when the page is 390 wide, in JupyterLab; figures.css sets tables smaller there
TRACK = "display:inline-block;margin-left:6px;background-color:#f0f2f4;"
TEAL, ORANGE, BLUE = "#0b7a70", "#b35a00", "#0066cc"  # as on the maps, but dark enough for a thin bar


@dataclass(frozen=True)
class Cell:
    """A text on a colour, perhaps with a bar. `says` is read out instead of the text. Cells of a group are outlined
    together, whatever their table.
    """

    text: str
    bar: tuple[str, ...] = ()  # the styles of its place and of its paint: see `bar`
    colour: str = "#ffffff"
    says: str = ""
    group: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under a caption; a single row may go without a name, in a table that is not live.

    A cell is read out as `says`, filled in with its {row}, {column}, {text}, {group}.
    `chooses` names a slider and the stop that each cell, in reading order, sets when it is clicked.
    """

    caption: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Cell]]
    corner: str = ""
    note: str = ""
    says: str = "{row}, {column}: {text}"
    chooses: tuple[str, Sequence[Hashable]] | None = None
    track: int = 84  # pixels for a bar


@dataclass(frozen=True)
class Drawing:
    """An SVG drawing, in parts that many frames share, and its alt text. A table beside it has the numbers."""

    parts: Sequence[str]
    says: str
    width: int
    height: int


@dataclass(frozen=True)
class Frame:
    """What is shown at one stop of every slider: tables, drawings, and sentences, joined by spaces, that sum up."""

    tables: Sequence[Table | Drawing]
    says: Sequence[str]


def bar(value: float, text: str, limit: float, *, signed: bool = True, hollow: bool = False, says: str = "") -> Cell:
    """A number and its bar, which starts at zero: the track is −limit … limit, or 0 … limit without `signed`.

    A bar above zero is orange and goes to the right, one below is blue and goes to the left. Without sign it is teal.
    """
    percent = round(100 * min(abs(value) / limit, 1))
    below = signed and value < 0
    left, width = ((100 - percent if below else 100) // 2, (percent + 1) // 2) if signed else (0, percent)
    colour = (BLUE if below else ORANGE) if signed else TEAL
    fill = f"background-color:#ffffff;border:2px solid {colour}" if hollow else f"background-color:{colour}"
    axis = f"border-{'right' if below else 'left'}:1px solid #57606a"
    return Cell(text, (f"margin-left:{left}%;width:{width}%;", f"height:10px;{fill};{axis}"), says=says)


def live(**sliders: Iterable[Any]) -> Callable[[Callable[..., Frame]], Callable[..., Picture]]:
    """Turn a function of some stops, which returns a Frame, into a function that returns a live Picture.

    Its arguments are `alt`, perhaps `title`, and the stops at which the picture starts (the first of each by default).
    Raises ValueError for a slider without stops, more than 2,000 frames, and a start that is not a stop.
    """
    stops = {name: list(values) for name, values in sliders.items()}
    for name, values in stops.items():
        if not values:
            raise ValueError(f"{name}=[]: expected at least one stop")
    count = prod(map(len, stops.values()))
    if count > LARGEST:
        raise ValueError(f"{' × '.join(stops)}: {count} frames, expected at most {LARGEST}")

    def decorate(draw: Callable[..., Frame]) -> Callable[..., Picture]:
        def picture(*, alt: str | None = None, title: str | None = None, **first: Any) -> Picture:
            start = {name: first.get(name, values[0]) for name, values in stops.items()}
            for name, stop in first.items():
                if stop not in stops.get(name, ()):
                    raise ValueError(f"{name}={stop!r}: expected one of the stops {stops.get(name, [])}")
            data = {
                "title": title or "",
                "sliders": [_control(name, values) for name, values in stops.items()],
                "first": [values.index(start[name]) for name, values in stops.items()],
                "pool": pooled(draw, stops),
            }
            body = _body(draw(**start), title)
            looks: dict[str, Any] = {"styles": ["buttons", "controls", "frames"], "script": "frames.js", "data": data}
            return Picture("frames", body, alt=check_alt(alt), title=title, **looks)

        return picture

    return decorate


def _control(name: str, values: list[Any]) -> list[Any]:
    """What a slider is called, what it looks like, and what its stops are called."""
    name = name.replace("_", " ")
    if isinstance(values[0], tuple):
        return [name, "cells", []]
    if isinstance(values[0], str):
        return [name, "buttons" if len(values) <= FEW else "list", values]
    return [name, "slider", [number(value, 2) for value in values]]


# --- frames, small enough to travel ---------------------------------------------------------------------------------


def pooled(draw: Callable[..., Frame], stops: dict[str, list]) -> list[Any]:
    """All frames as one list in which every text, cell, row and table occurs once, however many frames share it.

    The pool keeps a list as a tuple, which says how many places before it each item of the list is. The last entry is
    the tree of all frames: a branch for each stop of the first slider, in it one for each of the second, and so on.
    (Compression would be smaller, but it differs between machines, and built notebooks are compared as text.)
    """
    pool: dict[Any, int] = {}
    tables: dict[Table, int] = {}  # a table that a function returns again is not packed again

    def keep(item: Hashable) -> int:
        return pool.setdefault(item, len(pool))

    def put(value: Any) -> int:
        return keep(tuple(map(put, value)) if isinstance(value, list) else value)

    def put_table(table: Table | Drawing) -> int:
        if isinstance(table, Drawing):
            return put([[svg_start(table.width, table.height), *table.parts, "</svg>"], table.says])
        if table not in tables:
            tables[table] = put(_packed(table, stops))
        return tables[table]

    def branch(at: dict[str, Any]) -> int:
        if len(at) == len(stops):
            frame = draw(**at)
            return keep((keep(tuple(map(put_table, frame.tables))), put(list(frame.says))))
        name = list(stops)[len(at)]
        return keep(tuple(branch({**at, name: stop}) for stop in stops[name]))

    branch({})
    return [tuple(place - item for item in kept) if isinstance(kept, tuple) else kept for kept, place in pool.items()]


def _packed(table: Table, stops: dict[str, list]) -> list[Any]:
    chooses: list[Any] = []
    if table.chooses:
        name, chosen = table.chooses
        chooses = [list(stops).index(name), [stops[name].index(stop) for stop in chosen]]
    form = [table.corner, list(table.columns), list(table.rows), table.says, chooses, f"{TRACK}width:{table.track}px"]
    return [table.caption, table.note, form, [[_fields(cell) for cell in line] for line in table.cells]]


def _fields(cell: Cell) -> list[Any]:
    """What a cell says of itself, without the empty rest."""
    fields = [cell.text, list(cell.bar) or "", _style(cell), cell.says, cell.group]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    return fields


# --- the first frame as the static body -----------------------------------------------------------------------------


def _style(cell: Cell) -> str:
    """Its colour, and white for its text where that reads better; white and black are the row's."""
    white = ";color:#ffffff" if ink(cell.colour) == "#ffffff" else ""
    return "" if cell.colour == "#ffffff" else f"background-color:{cell.colour}{white}"


def _body(frame: Frame, title: str | None) -> str:
    heading = f"<p><b>{escape(title)}</b></p>" if title else ""
    apart = "display:inline-block;vertical-align:top;box-sizing:border-box;max-width:100%;padding:8px 20px 0 0"
    tables = "".join(f'<div style="{apart}">{still_table(table)}</div>' for table in frame.tables)
    return f"{heading}<p>{escape(' '.join(frame.says))}</p>{tables}"


def still_table(table: Table | Drawing) -> str:
    """A table or a drawing without its script. What is too wide for a page is set in small print and scrolls."""
    if isinstance(table, Drawing):
        return svg_image("".join(table.parts), width=table.width, height=table.height, alt=table.says)
    named = bool(table.rows)
    note = f'<br><span class="rp-note" style="color:#57606a">{escape(table.note)}</span>' if table.note else ""
    corner = escape(table.corner).replace(" ↓", "&nbsp;↓").replace(" →", "&nbsp;→")  # an arrow never alone on a line
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    heads = f'<td style="color:#57606a">{corner}</td>' * named + heads
    names = [f'<th scope="row">{escape(row)}</th>' for row in table.rows] or [""]
    cells = ["".join(_cell(cell, table.track) for cell in line) for line in table.cells]
    lines = "".join(f"<tr {ROW}>{name}{line}</tr>" for name, line in zip(names, cells, strict=True))
    caption = f'<caption style="text-align:left"><b>{escape(table.caption)}</b>{note}</caption>'
    body = f"{caption}<thead><tr {ROW}>{heads}</tr></thead><tbody>{lines}</tbody>"
    wide = [[len(cell.text) + bool(cell.bar) * table.track // 7 for cell in line] for line in table.cells]
    first = [*map(len, table.corner.split("↓ ")), *map(len, table.rows)] * named
    letters = [max(first, default=0), *map(max, zip(map(len, table.columns), *wide, strict=True))]
    if sum(5.9 * count + 5 for count in letters) <= PHONE:
        return f"<table {TABLE}>{body}</table>"
    fits = sum(7.3 * count + 14 for count in letters) <= PAGE
    style = TABLE if fits else 'class="rp-tight" style="font-size:11px;color:#1b1f24"'
    group = f'class="rp-scroll" role="group" tabindex="0" {SUPPRESS} aria-label="{escape(table.caption)}"'
    return f"<div {group}><table {style}>{body}</table></div>"


def _cell(cell: Cell, track: int) -> str:
    style = f' style="{_style(cell)}"' if _style(cell) else ""
    drawn = f'<div style="{TRACK}width:{track}px"><div style="{"".join(cell.bar)}"></div></div>' if cell.bar else ""
    return f"<td{style}>{escape(cell.text)}{drawn}</td>"
