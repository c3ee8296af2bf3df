"""A live picture is one function, called for every stop of its sliders. The script only looks its frames up.

    @live("A grid of offsets.", n=range(2, 11), clip=range(7))
    def clip_grid(n=6, clip=2):
        return Frame([Table("offset j − i", …)], [f"{n * n} cells."])

    clip_grid(clip=3)                       # a Picture that starts at these stops

A row of numbers becomes a slider, a few words become buttons, more words a list. A stop that is a tuple, such as
(layer, head), has no control: the cells of a table choose it. The first frame is the static body.
"""

import functools
import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from ..display.formatting import escape, number, subscripts
from ..display.picture import SUPPRESS, TABLE, Picture
from ..display.svg import svg_image, svg_start

LARGEST = 2_000  # frames: beyond that an output grows too large for a notebook
FEW = 5  # words that are buttons beside each other
# On the row, not on each cell: a notebook holds thousands of cells. (And on the row, because JupyterLab stripes rows.)
ROW = 'style="background-color:#ffffff;color:#000000;text-align:right"'
PAGE = 560  # pixels for a table in a page of usual width
PHONE = 232  # … when the page is 390 wide, in JupyterLab; pictures.css sets tables smaller there
BAR = 56  # pixels for the longest bar
TRACK = f"display:inline-block;margin-left:6px;background-color:#f0f2f4;width:{BAR}px"
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


def bar(value: float, text: str, limit: float, *, signed: bool = True, hollow: bool = False) -> Cell:
    """A number and its bar, which starts at zero: the track is −limit … limit, or 0 … limit without `signed`.

    A bar above zero is orange and goes to the right, one below is blue and goes to the left. Without sign it is teal.
    """
    percent = round(100 * min(abs(value) / limit, 1))
    below = signed and value < 0
    left, width = ((100 - percent if below else 100) // 2, (percent + 1) // 2) if signed else (0, percent)
    colour = (BLUE if below else ORANGE) if signed else TEAL
    fill = f"background-color:#ffffff;border:2px solid {colour}" if hollow else f"background-color:{colour}"
    axis = f"border-{'right' if below else 'left'}:1px solid #57606a"
    return Cell(text, (f"margin-left:{left}%;width:{width}%;", f"height:10px;{fill};{axis}"))


def live(alt: str, title: str | None = None, /, **sliders: Iterable[Any]) -> Callable[..., Callable[..., Picture]]:
    """Turn a function of some stops, which returns a Frame, into a function that returns a live Picture.

    The picture starts at the stops that are given, else at the function's defaults, else at the first of each. Its alt
    text is `alt`, these stops and what their frame says.
    Raises ValueError for no or more than 2,000 frames, and for a start that is not a stop.
    """
    stops = {name: list(values) for name, values in sliders.items()}
    count = prod(map(len, stops.values()))
    if not 1 <= count <= LARGEST:
        raise ValueError(f"{' × '.join(stops)}: {count} frames, expected 1 to {LARGEST}")

    def decorate(draw: Callable[..., Frame]) -> Callable[..., Picture]:
        asked = inspect.signature(draw)
        default = {name: parameter.default for name, parameter in asked.parameters.items()}
        usual = {name: default[name] if default[name] in values else values[0] for name, values in stops.items()}

        @functools.wraps(draw)
        def picture(*args: Any, **named: Any) -> Picture:
            start = usual | asked.bind_partial(*args, **named).arguments
            for name, values in stops.items():
                if start[name] not in values:
                    raise ValueError(f"{name}={start[name]!r}: expected one of the stops {values}")
            controls = [_control(name, values) for name, values in stops.items()]
            first = [values.index(start[name]) for name, values in stops.items()]
            counts, frames = [len(values) for values in stops.values()], pool(every_frame(draw, stops))
            data = {"title": title or "", "sliders": controls, "first": first, "counts": counts, "pool": frames}
            shown = draw(**start)
            at = ", ".join(f"{name} {labels[k]}" for (name, _, labels), k in zip(controls, first) if labels)
            said = " ".join([alt, f"At {at}:", *shown.says])
            looks: dict[str, Any] = {"styles": ["buttons", "controls", "frames"], "script": "frames.js", "data": data}
            return Picture("frames", still(shown, title), alt=said, title=title, **looks)

        picture.__signature__ = asked.replace(return_annotation=Picture)  # type: ignore[attr-defined]
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


def pool(item: Any) -> list[Any]:
    """Nested lists as one list, in which every text, cell, row and table occurs once. The last entry is the whole."""
    places: dict[Any, int] = {}
    walked: dict[int, int] = {}  # a table that many frames share is walked once

    def keep(item: Any) -> int:
        if not isinstance(item, list):
            return places.setdefault(item, len(places))
        if id(item) not in walked:
            walked[id(item)] = places.setdefault(tuple(map(keep, item)), len(places))
        return walked[id(item)]

    keep(item)
    return [tuple(place - k for k in kept) if isinstance(kept, tuple) else kept for kept, place in places.items()]


def every_frame(draw: Callable[..., Frame], stops: dict[str, list]) -> list[Any]:
    """The tables, drawings and words of each frame; the stops of the last slider follow one another."""
    tables: dict[Table, list[Any]] = {}  # a table that a function returns again is not packed again

    def shown(table: Table | Drawing) -> list[Any]:
        if isinstance(table, Drawing):
            return [[svg_start(table.width, table.height), *table.parts, "</svg>"], table.says]
        if table not in tables:
            tables[table] = packed(table, stops)
        return tables[table]

    frames = (draw(**dict(zip(stops, at))) for at in product(*stops.values()))
    return [[list(map(shown, frame.tables)), list(frame.says)] for frame in frames]


def packed(table: Table, stops: Mapping[str, list]) -> list[Any]:
    """A table as the scripts read it: caption, note, form and cells."""
    chooses: list[Any] = []
    if table.chooses:
        name, chosen = table.chooses
        chooses = [list(stops).index(name), [stops[name].index(stop) for stop in chosen]]
    form = [table.corner, list(table.columns), list(table.rows), table.says, chooses, TRACK]
    return [table.caption, table.note, form, [[_fields(cell) for cell in line] for line in table.cells]]


def _fields(cell: Cell) -> list[Any]:
    """What a cell says of itself, without the empty rest."""
    fields = [cell.text, list(cell.bar) or "", _style(cell), cell.says, cell.group]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    return fields


# --- the first frame as the static body -----------------------------------------------------------------------------


def _style(cell: Cell) -> str:
    """Its colour; white is the row's."""
    return "" if cell.colour == "#ffffff" else f"background-color:{cell.colour}"


def still(frame: Frame, title: str | None) -> str:
    """A frame without its script: the title, what it says, and its tables and drawings beside each other."""
    heading = f"<p><b>{escape(title)}</b></p>" if title else ""
    apart = "display:inline-block;vertical-align:top;box-sizing:border-box;max-width:100%;padding:8px 12px 0 0"
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
    cells = ["".join(map(_cell, line)) for line in table.cells]
    lines = "".join(f"<tr {ROW}>{name}{line}</tr>" for name, line in zip(names, cells, strict=True))
    caption = f'<caption style="text-align:left"><b>{subscripts(escape(table.caption))}</b>{note}</caption>'
    body = f"{caption}<thead><tr {ROW}>{heads}</tr></thead><tbody>{lines}</tbody>"
    wide = [[len(cell.text) + bool(cell.bar) * BAR // 7 for cell in line] for line in table.cells]
    first = [*map(len, table.corner.split("↓ ")), *map(len, table.rows)] * named
    letters = [max(first, default=0), *map(max, zip(map(len, table.columns), *wide, strict=True))]
    if sum(5.9 * count + 5 for count in letters) <= PHONE:
        return f"<table {TABLE}>{body}</table>"
    fits = sum(7.3 * count + 14 for count in letters) <= PAGE
    style = TABLE if fits else 'class="rp-tight" style="font-size:11px;color:#1b1f24"'
    group = f'class="rp-scroll" role="group" tabindex="0" {SUPPRESS} aria-label="{escape(table.caption)}"'
    return f"<div {group}><table {style}>{body}</table></div>"


def _cell(cell: Cell) -> str:
    style = f' style="{_style(cell)}"' if _style(cell) else ""
    drawn = f'<div style="{TRACK}"><div style="{"".join(cell.bar)}"></div></div>' if cell.bar else ""
    return f"<td{style}>{escape(cell.text)}{drawn}</td>"
