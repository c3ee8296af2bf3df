"""The face of a claim and the table of all: plain HTML without a script, the verdict as a word and a mark."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..figures.live import SUPPRESS, TABLE, Picture
from ..figures.text import CODE, escape, prose
from .claim import VERDICTS, Claim

if TYPE_CHECKING:
    from .judgement import Judgement

# Each verdict has its mark and its colour, under white letters; a verdict that was not reached has none.
MARKS = {"true": "✓", "half true": "◐", "false": "✗", "unsourced": "?"}
COLOURS = {"true": "#0b5f5a", "half true": "#7a5200", "false": "#8f1d3f", "unsourced": "#4a4f57"}
WHITE = 'style="background-color:#ffffff;color:#1b1f24"'


def chip(verdict: str) -> str:
    """The verdict as a small label."""
    colour = COLOURS.get(verdict)
    style = f"background-color:{colour};color:#ffffff" if colour else "background-color:#ffffff;color:#1b1f24"
    return f'<span class="rp-verdict" style="{style}">{MARKS.get(verdict, "–")} {escape(verdict)}</span>'


def face(claim: Claim, verdict: str, because: str, value: str) -> Picture:
    """One claim: sentence, verdict, why, the code of its fact, the value, the rule, the source."""
    computed = f"<b>Computed:</b> {escape(value)}<br>" if verdict in VERDICTS else ""
    body = (
        f'<p style="margin:0 0 6px">{chip(verdict)} <b>“{escape(claim.statement)}”</b></p>'
        f"<p>{prose(because)}</p>"
        f'<pre class="rp-fact" role="group" tabindex="0" {SUPPRESS} aria-label="The code that decides it" '
        f'style="background-color:#f6f8fa;color:#1b1f24">{escape(claim.code)}</pre>'
        f"<p>{computed}<b>Rule:</b> <code {CODE}>{escape(claim.rule)}</code></p>"
        f'<p class="rp-note" style="color:#57606a">Source: {escape(claim.source)}. '
        f"Taught in chapter {escape(claim.chapter)}.</p>"
    )
    alt = f"{verdict}: “{claim.statement}” {because}"
    return Picture("claim", body, alt=alt, title=claim.statement, styles=["ledger"])


def overview(names: Iterable[str] | None = None) -> Picture:
    """Every claim with its verdict and its chapter, by topic, and how many there are of each verdict; runs all facts.

    `names` picks some of them. Raises ValueError for a name that is not in CLAIMS.
    """
    from . import CLAIMS, TOPICS, judge  # they are collected there

    found: dict[str, Judgement] = {name: judge(name) for name in (CLAIMS if names is None else names)}
    counts = Counter(judgement.verdict for judgement in found.values())
    total = ", ".join(f"{counts[word]} {word}" for word in dict.fromkeys((*VERDICTS, *counts)) if counts[word])
    rows = []
    for topic, module in TOPICS.items():
        here = [_row(judgement) for name, judgement in found.items() if name in vars(module)]
        rows += [f'<tr {WHITE}><th scope="row" colspan="4">{escape(topic)}</th></tr>', *here] if here else []
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("what is said", "verdict", "chapter", "name"))
    body = (
        f"<table {TABLE}><caption><b>The claims ledger</b>: {len(found)} sentences, {total}</caption>"
        f"<thead><tr {WHITE}>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
    alt = f"The claims ledger: {len(found)} sentences about relative positions with their verdicts, {total}."
    return Picture("ledger", body, alt=alt, title="The claims ledger", styles=["ledger"])


def _row(judgement: "Judgement") -> str:
    claim = judgement.claim
    cells = (
        escape(claim.statement),
        chip(judgement.verdict),
        escape(claim.chapter),
        f"<small>{escape(claim.name)}</small>",
    )
    return f"<tr {WHITE}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
