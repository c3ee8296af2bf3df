"""What a claim looks like: plain HTML without a script, the verdict as a word and a mark."""

from course_lib.display.formatting import CODE, escape, prose
from course_lib.display.picture import SUPPRESS

from .claim import VERDICTS, Claim

# Each verdict has its mark and its colour, under white letters.
MARKS = {"true": "✓", "half true": "◐", "false": "✗", "unsourced": "?"}
COLOURS = {"true": "#0b5f5a", "half true": "#7a5200", "false": "#8f1d3f", "unsourced": "#4a4f57"}
GUESS = (
    f"{', '.join(VERDICTS[:-1]).capitalize()} or {VERDICTS[-1]}? Guess first, then open. (Half true: it holds under a "
    "condition that it does not mention. Unsourced: no measurement known to this course supports it.)"
)


def marked(verdict: str) -> str:
    """The verdict behind its mark, as text."""
    return f"{MARKS[verdict]} {escape(verdict)}"


def chip(verdict: str) -> str:
    """The verdict as a small label."""
    style = f"background-color:{COLOURS[verdict]};color:#ffffff"
    return f'<span class="rp-verdict" style="{style}">{marked(verdict)}</span>'


def evidence(claim: Claim, because: str, value: str) -> str:
    """Why: the reason, the code of the fact, its value, the rule, the source."""
    return (
        f"<p>{prose(because)}</p>"
        f'<pre class="rp-fact" role="group" tabindex="0" {SUPPRESS} aria-label="The code that decides it" '
        f'style="background-color:#f6f8fa;color:#1b1f24">{escape(claim.code)}</pre>'
        f"<p><b>{claim.origin}:</b> {escape(value)}<br><b>Rule:</b> <code {CODE}>{escape(claim.rule)}</code></p>"
        f'<p class="rp-note" style="color:#57606a">Source: {escape(claim.source)}.</p>'
    )


def fold(statement: str, verdict: str, evidence: str) -> str:
    """The sentence; the verdict and why are in the fold."""
    summary = f"<summary {SUPPRESS}><b>“{escape(statement)}”</b></summary>"
    return f"<details>{summary}{chip(verdict)}{evidence}</details>"
