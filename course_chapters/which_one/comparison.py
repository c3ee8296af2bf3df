"""The schemes of the course beside each other: what the registry says of each, and what the study measured.

from course_chapters.which_one import comparison
comparison.picture()                         every scheme and column, for small sizes
comparison.picture(d_model=768, n_heads=12, n=512)
comparison.table()["ALiBi"]["direction"]     one cell, as text; it takes sizes, too

What the registry says, `tests/questions/test_comparison.py` asks the modules.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from course_kit.display.box import rich
from course_kit.display.formatting import escape
from course_kit.display.picture import SUPPRESS, Picture
from course_kit.figures.map_of_schemes import PLACES
from course_lib.schemes import SCHEMES, Count, Scheme, Sizes

from .. import measured

WORDS = {
    "input": "input",
    "bias": "score, same for every query",
    "key_vectors": "score, through the query",
    "value_vectors": "value",
    "rotate": "rotation of query and key",
    "key_bias": "score, a number per key from what was read",
    "sink": "softmax, as one more key",
}
RELATIVE = {True: "yes", False: "no", None: "sees no position"}
GREEN, PALE, ORANGE, GREY = "#b9e2da", "#fdebd3", "#f2a75c", "#eaeef2"  # the words say it, the colours find it
VERDICTS = {"level": GREEN, "rises": PALE, "breaks": ORANGE, "seeds differ": GREY, "one seed": GREY}
ROW = 'style="background-color:#ffffff;color:#1b1f24;text-align:left"'


def where(scheme: Scheme, sizes: Sizes) -> str:
    return scheme.where or "; ".join(WORDS[hook] for hook in scheme.enters) or "nowhere"


def learns(scheme: Scheme, sizes: Sizes) -> str:
    often = "once for all layers" if scheme.shared else "in every layer"
    count = scheme.parameters.of(sizes)
    return f"{count:,} = {scheme.parameters.text}, {often}" if count else "nothing"


def keeps(scheme: Scheme, sizes: Sizes) -> str:
    count = scheme.keeps.of(sizes)
    return f"{count:,} bytes, {grows(scheme.keeps, sizes)}" if count else "nothing"


def grows(count: Count, sizes: Sizes) -> str:
    """How a count grows when texts of n tokens do, or the n patches of a window: from n, 2n and 3n of them."""
    once, twice, thrice = (count.of(replace(sizes, n=m * sizes.n)) for m in (1, 2, 3))
    if count.of(replace(sizes, window=2 * sizes.window)) == 16 * once:
        return "grows with n² for n patches in a window"
    if once == twice:
        return "the same for every n"
    return "grows with n" if twice - once == thrice - twice else "grows with n²"


def direction(scheme: Scheme, sizes: Sizes) -> str:
    text = scheme.direction.value
    if scheme.other:
        text += f" ({scheme.other.argument}: {scheme.other.direction.value.partition(':')[0]})"
    return text


def longer(scheme: Scheme, sizes: Sizes) -> str:
    runs = [run for run in scheme.runs if run in measured.runs()]
    parts = [] if runs else ["not trained yet" if scheme.runs else "not in the study"]
    for run in runs:
        said = f"{measured.verdict(run)} {measured.rise(run):+.2f}".replace("-", "−")
        if run in measured.schemes(measured.NAMES):
            said += f", finds {measured.right(run, measured.NAMES)[-1]:.0%}"
        parts.append(f"{run} {said}" if len(runs) > 1 else said)
    return "; ".join([*parts, "its table ends"] if scheme.ends else parts)


TITLE = "Which scheme does what?"
LEGEND = (
    "Runs of the study: log-1 has the strength 1, t5-64 a `max_distance` of 64, window-64 shows 64 keys, rope-base-31 "
    "has the base 31. +none: no positions in the second layer. One seed: trained once, the others three times."
)
COLUMNS: dict[str, tuple[Callable[[Scheme, Sizes], str], str]] = {  # what a cell says, and how it was found
    "where it enters": (
        where,
        "The hooks of `Position` (methods such as `bias`) that answer; `rotate` counts if its result depends on the "
        "position.",
    ),
    "relative?": (
        lambda scheme, sizes: RELATIVE[scheme.relative],
        "The same tokens at later positions: does a layer make the same of them? Of a sink this is not asked, because "
        "its score is the same for every query.",
    ),
    "learns": (learns, "The module's parameters, counted."),
    "keeps for n tokens": (
        keeps,
        "The bytes of what the hooks return for n tokens in float32, tables included (Swin: one window; RoPE: its "
        "cosines and sines), and how they grow when n does.",
    ),
    "direction": (
        direction,
        "The same token everywhere: how does a query look at keys before it and after it?",
    ),
    "fused": (
        lambda scheme, sizes: ", ".join(scheme.fused) or "a layer of its own",
        "A layer is run by each fused backend, on a CPU without gradients, and compared with the formula.",
    ),
    "longer texts": (
        longer,
        "Small models of the study, trained on 128 tokens and tested on 1,024. First how much the loss in text rises, "
        "in nats, the mean over three seeds. Level: no seed is above 0.05. Breaks: all are above 0.25. Rises: all are "
        "above 0.05. Then how many of the names are found that were told 128 or more tokens back. The module is also "
        "asked for twice its n tokens: its table ends where it refuses.",
    ),
}


def table(**sizes: Any) -> dict[str, dict[str, str]]:
    """scheme → column → what the cell says. Raises ValueError for sizes that do not fit."""
    checked = Sizes(**sizes)
    return {s.name: {column: says(s, checked) for column, (says, _) in COLUMNS.items()} for s in SCHEMES.values()}


def picture(**sizes: Any) -> Picture:
    """All schemes and columns for sizes as in `Sizes`; below them, how each column was found."""
    cells, checked = table(**sizes), Sizes(**sizes)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("scheme", *COLUMNS))
    lines = "".join(
        f'<tr {ROW}><th scope="row">{escape(scheme)}</th>'
        + "".join(f'<td style="text-align:left">{_cell(scheme, *cell)}</td>' for cell in row.items())
        + "</tr>"
        for scheme, row in cells.items()
    )
    letters = ", ".join(f"{letter} = {size:,}" for letter, size in checked.letters().items())
    every_pair = 4 * checked.n_heads * checked.n**2
    note = (
        f"{letters}: D channels in H heads of d; texts of n tokens, and tables that end there; k clip, B buckets, "
        f"W window. A bias for every pair would take 4·H·n² = {every_pair:,} bytes. {LEGEND}"
    )
    how = "".join(f"<li><b>{escape(column)}:</b> {rich(found)}</li>" for column, (_, found) in COLUMNS.items())
    body = (
        f'<div class=rp-scroll role=group tabindex=0 {SUPPRESS} aria-label="{TITLE}">'
        f'<table class=rp-compare style="font-size:12px;color:#1b1f24">'
        f'<caption style="text-align:left"><b>{TITLE}</b></caption>'
        f"<thead><tr {ROW}>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
        f'<p class=rp-note style="color:#57606a">{rich(note)}</p>'
        f"<details><summary {SUPPRESS}>How each column was found</summary><ul>{how}</ul></details>"
    )
    said = "; ".join(f"{s}: {row['where it enters']}, {row['longer texts']}" for s, row in cells.items())
    alt = f"{TITLE} {len(SCHEMES)} schemes, where each enters and what it does in longer texts. {said}."
    return Picture("comparison", body, alt=alt, title=TITLE, styles=["verdict", "comparison"])


def _cell(scheme: str, column: str, text: str) -> str:
    """Each part of a cell on its own line: a place with its number on the map, a verdict in its colour."""
    if column == "where it enters":
        places = {place.hook: place for place in PLACES}
        entered = zip((places[hook] for hook in SCHEMES[scheme].enters), text.split("; "))
        return "<br>".join(f"{_chip(str(p.number), p.colour)} {escape(part)}" for p, part in entered) or escape(text)
    if column == "longer texts":
        return "<br>".join(map(_verdict, text.split("; ")))
    return escape(text)


def _verdict(part: str) -> str:
    word = next((word for word in VERDICTS if re.search(rf"\b{word} [+−]", part)), None)
    return escape(part) if word is None else _chip(part, VERDICTS[word], "#000000")


def _chip(text: str, colour: str, ink: str = "#ffffff") -> str:
    style = f"background-color:{colour};color:{ink};border-radius:4px;padding:1px 5px"
    return f'<span class=rp-chip style="{style}">{escape(text)}</span>'
