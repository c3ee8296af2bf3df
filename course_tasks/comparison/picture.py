"""The table for the eye: plain HTML, and how each cell was found in a fold for each column."""

import re
from typing import Any

from course_kit.display.box import rich
from course_kit.display.formatting import escape
from course_kit.display.picture import SUPPRESS, Picture
from course_kit.figures.map_of_schemes import PLACES
from course_lib.schemes import SCHEMES

from .columns import COLUMNS, LEGEND, Cell

ROW = 'style="background-color:#ffffff;color:#1b1f24;text-align:left"'
# The words say it, the colours find it.
WORDS = {"level": "#b9e2da", "rises": "#fdebd3", "breaks": "#f2a75c", "seeds differ": "#eaeef2", "one seed": "#eaeef2"}
CHIPS = {place.hook: (str(place.number), place.colour) for place in PLACES}


def picture(table: Any, *, title: str = "Which scheme does what?") -> Picture:
    """A `Table` of all schemes and questions; below it a fold for each question: how its cells were found."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("scheme", *COLUMNS))
    lines = "".join(
        f'<tr {ROW}><th scope="row">{escape(scheme)}</th>{"".join(_cell(c, table[scheme, c]) for c in COLUMNS)}</tr>'
        for scheme in SCHEMES
    )
    letters = ", ".join(f"{letter} = {size:,}" for letter, size in table.sizes.letters().items())
    sizes = (
        f"{letters}: D channels in H heads of d; texts of n tokens, and tables that end there; k clip, B buckets, "
        f"W window. A bias for every pair would take 4·H·n² = {4 * table.sizes.n_heads * table.sizes.n**2:,} bytes."
    )
    body = (
        f'<div class=rp-scroll role=group tabindex=0 {SUPPRESS} aria-label="{escape(title)}">'
        f'<table class=rp-compare style="font-size:12px;color:#1b1f24">'
        f'<caption style="text-align:left"><b>{escape(title)}</b></caption>'
        f"<thead><tr {ROW}>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
        f'<p class=rp-note style="color:#57606a">{escape(sizes)} {rich(LEGEND)} How each cell was found:</p>'
        f"{''.join(_found(column, table) for column in COLUMNS)}"
    )
    said = "; ".join(f"{s}: {table[s, 'where it enters'].text}, {table[s, 'longer texts'].text}" for s in SCHEMES)
    alt = f"{title} {len(SCHEMES)} schemes, where each enters and what it does in longer texts. {said}."
    return Picture("comparison", body, alt=alt, title=title, styles=["verdict", "comparison"])


def _cell(column: str, cell: Cell) -> str:
    parts = cell.text.split("; ")
    if column == "where it enters" and cell.value:
        inner = "<br>".join(f"{_chip(*CHIPS[hook])} {escape(part)}" for hook, part in zip(cell.value, parts))
    elif column == "longer texts":
        inner = "<br>".join(map(_verdict, parts))
    else:
        inner = escape(cell.text)
    return f'<td style="text-align:left">{inner}</td>'


def _verdict(part: str) -> str:
    """One part of the answer, its verdict on a colour."""
    word = next((word for word in WORDS if re.search(rf"\b{word} [+−]", part)), None)
    return escape(part) if word is None else _chip(part, WORDS[word], "#000000")


def _chip(text: str, colour: str, ink: str = "#ffffff") -> str:
    style = f"background-color:{colour};color:{ink};border-radius:4px;padding:1px 5px"
    return f'<span class=rp-chip style="{style}">{escape(text)}</span>'


def _found(column: str, table: Any) -> str:
    """How the cells of a column were found: a list in the order of the rows."""
    notes = "".join(f"<li><b>{escape(scheme)}:</b> {rich(table[scheme, column].note)}</li>" for scheme in SCHEMES)
    how = f"<p>{rich(COLUMNS[column].how)}</p><ul>{notes}</ul>"
    return f"<details><summary {SUPPRESS}>{escape(column)}</summary>{how}</details>"
