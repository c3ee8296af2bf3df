"""The schemes of the course beside each other: what the registry says of each, and what the study measured.

from course_chapters.which_one import comparison
comparison.picture()                         every scheme and column, for small sizes
comparison.picture(d_model=768, n_heads=12, n=512)
comparison.table()["ALiBi"]["direction"]     one cell, as text; it takes sizes, too

What the registry says, `tests/questions/test_comparison.py` asks the modules.
"""

from typing import Any

from course_kit.display.box import rich
from course_kit.display.formatting import escape
from course_kit.display.picture import SUPPRESS, Picture
from course_kit.figures.map_of_schemes import PLACES
from course_lib.schemes import SCHEMES, Scheme, Sizes

from .. import measured

TITLE = "Which scheme does what?"
MAP = {place.hook: place.where for place in PLACES}
RELATIVE = {True: "yes", False: "no", None: "sees no position"}
FOUND = {  # how each column was found
    "where it enters": "The hooks of `Position` (methods such as `bias`) that answer, in the words of the map. What is "
    "multiplied in counts if it depends on the position.",
    "relative?": "The same tokens at later positions: does a layer make the same of them? Of a sink this is not asked, "
    "because its score is the same for every query.",
    "learns": "The module's parameters, counted.",
    "keeps for n tokens": "The bytes of what the hooks return for n tokens in float32, tables included (Swin: one "
    "window of W² patches; RoPE: its cosines and sines).",
    "direction": "The same token everywhere: how does a query look at keys before it and after it?",
    "longer texts": "Small models of the study, trained on 128 tokens and tested on 1,024. First how much the loss in "
    "text rises, in nats, the mean over three seeds. Level: no seed is above 0.05. Breaks: all are above 0.25. Rises: "
    "all are above 0.05. Then how many of the names are found that were told 128 or more tokens back. The module is "
    "also asked for twice its n tokens: its table ends where it refuses.",
}
LEGEND = (
    "D channels in H heads of d; texts of n tokens, and tables that end there; k clip, B buckets, W window. Runs of "
    "the study: log-1 has the strength 1, t5-64 a `max_distance` of 64, window-64 shows 64 keys, rope-base-31 has the "
    "base 31. +none: no positions in the second layer. One seed: trained once, the others three times."
)
LEFT = 'style="text-align:left"'
ROW = 'style="background-color:#ffffff;color:#1b1f24;text-align:left"'


def table(**sizes: Any) -> dict[str, dict[str, str]]:
    """scheme → column → what the cell says. Raises ValueError for sizes that do not fit."""
    checked = Sizes(**sizes)
    return {scheme.name: dict(zip(FOUND, cells(scheme, checked), strict=True)) for scheme in SCHEMES.values()}


def cells(scheme: Scheme, sizes: Sizes) -> tuple[str, ...]:
    """What is said of a scheme in each column."""
    learned, kept = scheme.parameters.of(sizes), scheme.keeps.of(sizes)
    often = "once for all layers" if scheme.shared else "in every layer"
    other = scheme.other and f" ({scheme.other.argument}: {scheme.other.direction.value.partition(':')[0]})"
    return (
        scheme.where or "; ".join(MAP[hook] for hook in scheme.enters) or "nowhere",
        RELATIVE[scheme.relative],
        f"{learned:,} = {scheme.parameters.text}, {often}" if learned else "nothing",
        f"{kept:,} bytes = {scheme.keeps.text}" if kept else "nothing",
        scheme.direction.value + (other or ""),
        longer(scheme),
    )


def longer(scheme: Scheme) -> str:
    """What the study's models with a scheme do in longer texts."""
    runs = [run for run in scheme.runs if run in measured.runs()]
    parts = [] if runs else ["not trained yet" if scheme.runs else "not in the study"]
    for run in runs:
        said = f"{measured.verdict(run)} {measured.rise(run):+.2f}".replace("-", "−")
        if run in measured.schemes(measured.NAMES):
            said += f", finds {measured.right(run, measured.NAMES)[-1]:.0%}"
        parts.append(f"{run} {said}" if len(runs) > 1 else said)
    return "; ".join([*parts, "its table ends"] if scheme.ends else parts)


def picture(**sizes: Any) -> Picture:
    """All schemes and columns for sizes as in `Sizes`; below them, how each column was found."""
    said, checked = table(**sizes), Sizes(**sizes)
    head = "".join(f'<th scope="col">{column}</th>' for column in ("scheme", *FOUND))
    lines = "".join(
        f'<tr {ROW}><th scope="row">{escape(scheme)}</th>'
        + "".join(f"<td {LEFT}>{escape(cell).replace('; ', '<br>')}</td>" for cell in row.values())
        + "</tr>"
        for scheme, row in said.items()
    )
    letters = ", ".join(f"{letter} = {size:,}" for letter, size in checked.letters().items())
    every_pair = f"A bias for every pair would take 4·H·n² = {4 * checked.n_heads * checked.n**2:,} bytes."
    how = "".join(f"<li><b>{column}:</b> {rich(text)}</li>" for column, text in FOUND.items())
    body = (
        f'<div class=rp-scroll role=group tabindex=0 {SUPPRESS} aria-label="{TITLE}">'
        f'<table class=rp-compare style="font-size:12px;color:#1b1f24"><caption {LEFT}><b>{TITLE}</b></caption>'
        f"<thead><tr {ROW}>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
        f'<p class=rp-note style="color:#57606a">{letters}. {rich(f"{every_pair} {LEGEND}")}</p>'
        f"<details><summary {SUPPRESS}>How each column was found</summary><ul>{how}</ul></details>"
    )
    alt = "; ".join(f"{scheme}: {row['where it enters']}, {row['longer texts']}" for scheme, row in said.items())
    alt = f"{TITLE} {len(SCHEMES)} schemes, where each enters and what it does in longer texts. {alt}."
    return Picture("comparison", body, alt=alt, title=TITLE, styles=["comparison"])
