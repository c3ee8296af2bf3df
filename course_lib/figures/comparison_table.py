"""The comparison of all schemes as a table, alive: choose a cell and read how it was found and what backs it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..display.formatting import escape, prose
from ..display.picture import SUPPRESS, Picture
from .map_of_schemes import PLACES

ROW = 'style="background-color:#ffffff;color:#1b1f24;text-align:left"'
# The words say it, the colours find it.
WORDS = {"level": "#b9e2da", "rises": "#fdebd3", "breaks": "#f2a75c", "open": "#eaeef2", "one seed": "#eaeef2"}
LEFT = 'style="text-align:left"'


def comparison_table(table: Any, *, title: str | None = None) -> Picture:
    """A table of schemes and questions as a picture: to each cell the numbers of the tests and runs that back it.

    Alive: choose a cell (point, tap, arrow keys) and read how it was found. `table[scheme, column]` is a cell with
    text, value, note and evidence; `table.schemes`, `table.columns` and `table.sizes` say what there is.
    """
    schemes, columns = list(table.schemes), table.columns
    backing = number_evidence(cell.evidence for cell in table.values())
    heading = title or "Which scheme does what?"
    letters = ", ".join(f"{letter} = {size:,}" for letter, size in table.sizes.letters().items())
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("scheme", *columns))
    lines = "".join(
        f'<tr {ROW}><th scope="row">{escape(scheme)}</th>'
        + "".join(_cell(column, table[scheme, column], backing) for column in columns)
        + "</tr>"
        for scheme in schemes
    )
    grid = 4 * table.sizes.n_heads * table.sizes.n**2
    sizes_said = (
        f"{letters}: D channels in H heads of d; texts of n tokens, and tables that end there; k clip, B buckets, "
        f"W window. A bias written out for every pair would take 4·H·n² = {grid:,} bytes."
    )
    body = (
        f'<div class="rp-scroll" role="group" tabindex="0" {SUPPRESS} aria-label="{escape(heading)}">'
        f'<table class="rp-compare" style="font-size:12px;color:#1b1f24">'
        f"<caption {LEFT}><b>{escape(heading)}</b></caption>"
        f"<thead><tr {ROW}>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
        f'<p class="rp-note" style="color:#57606a">{escape(sizes_said)}</p>'
        + _found(schemes, columns, table)
        + _backing(backing)
    )
    said = ("where it enters", "longer than training?")
    asked = {scheme: [table[scheme, name].text for name in said] for scheme in schemes}
    alt = f"Table of {len(schemes)} schemes: where each enters; and longer than training. " + " ".join(
        f"{scheme}: {enters}; {longer}." for scheme, (enters, longer) in asked.items()
    )
    return Picture(
        "comparison", body, alt=alt, title=title, styles=["controls", "comparison"], script="comparison_table.js"
    )


def short(evidence: str) -> str:
    """A piece of evidence as the list names it: all cases of a test, and all seeds of a run, together."""
    if evidence.startswith("study:"):
        preset, task, run, _ = evidence.removeprefix("study:").split("/")
        return f"course_lib/study/committed/{preset}.jsonl: {task}, {run}"
    return evidence.split("[")[0]


def number_evidence(found: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """The numbers of all pieces of evidence, in the order in which the table names them."""
    names = dict.fromkeys(short(piece) for pieces in found for piece in pieces)
    return {name: number for number, name in enumerate(names, 1)}


def _cell(column: str, cell: Any, backing: dict[str, int]) -> str:
    numbers = dict.fromkeys(backing[short(piece)] for piece in cell.evidence)
    marks = f'<sup style="color:#57606a">{" ".join(map(str, numbers))}</sup>'
    if column == "where it enters" and cell.value:
        by_hook = {place.hook: place for place in PLACES}
        inner = "<br>".join(
            f"{_chip(str(by_hook[hook].number), by_hook[hook].colour, '#ffffff')} {escape(words)}"
            for hook, words in zip(cell.value, cell.text.split("; "), strict=True)
        )
    elif column == "longer than training?":
        parts = cell.text.split("; ")
        inner = "<br>".join(map(_verdict, parts))
    else:
        inner = escape(cell.text)
    return f"<td {LEFT}>{inner} {marks}</td>"


def _verdict(part: str) -> str:
    """One part of the answer, its verdict on a colour."""
    word = next((word for word in WORDS if re.search(rf"\b{word} [+−]", part)), None)
    return escape(part) if word is None else _chip(part, WORDS[word], "#000000")


def _chip(text: str, colour: str, ink: str) -> str:
    style = f"background-color:{colour};color:{ink};border-radius:4px;padding:1px 5px"
    return f'<span class="rp-chip" style="{style}">{escape(text)}</span>'


def _found(schemes: list[str], columns: Mapping[str, Any], table: Mapping[tuple[str, str], Any]) -> str:
    """How every cell was found: a list for each column, in the order of the rows."""
    lists = "".join(
        f'<p><b>{escape(name)}</b> <span class="rp-how">{prose(column.how)}</span></p><ul class="rp-notes">'
        + "".join(f"<li><b>{escape(scheme)}:</b> {prose(table[scheme, name].note)}</li>" for scheme in schemes)
        + "</ul>"
        for name, column in columns.items()
    )
    return f"<details><summary {SUPPRESS}>How every cell was found</summary>{lists}</details>"


def _backing(backing: dict[str, int]) -> str:
    items = "".join(f"<li>{escape(name)}</li>" for name in backing)
    name = "Tests and runs that back the cells, by number"
    return f'<details><summary {SUPPRESS}>{name}</summary><ol class="rp-backing">{items}</ol></details>'
