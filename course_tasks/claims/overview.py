"""The claims of all chapters in one table."""

from collections import Counter

from course_lib.contents import TOPICS
from course_lib.display.formatting import escape
from course_lib.display.picture import SUPPRESS, TABLE, Picture

from .chapters import CHAPTERS, Rulings, chapter
from .claim import VERDICTS
from .html import chip

WHITE = 'style="background-color:#ffffff;color:#1b1f24"'


def overview(*topics: str) -> Picture:
    """Every claim with its verdict, under a link to the chapter where it is run; runs all facts.

    `topics` picks some chapters. Raises ValueError for one that is not in CHAPTERS.
    """
    found = [chapter(topic) for topic in topics or CHAPTERS]
    counts = Counter(ruling.verdict for one in found for ruling in one.rulings)
    total = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
    said = f"{counts.total()} sentences: {total}"
    body = (
        f"<table {TABLE}><caption>{said}</caption>"
        f'<thead><tr {WHITE}><th scope="col">what is said</th><th scope="col">verdict</th></tr></thead>'
        f"<tbody>{''.join(map(_rows, found))}</tbody></table>"
    )
    alt = f"The claims of the course with their verdicts, by chapter. {said}."
    return Picture("ledger", body, alt=alt, title="The claims of the course", styles=["verdict", "ledger"])


def _rows(found: Rulings) -> str:
    """A heading with the link, and a row for each claim."""
    there = TOPICS[found.chapter]
    link = f'<a href="{there.file}.ipynb" {SUPPRESS} style="color:#0b5f5a">{escape(there.title)}</a>'
    cells = [f"<td>{escape(ruling.claim.statement)}</td><td>{chip(ruling.verdict)}</td>" for ruling in found.rulings]
    rows = [f'<th scope="row" colspan="2">{there.number} · {link}</th>', *cells]
    return "".join(f"<tr {WHITE}>{row}</tr>" for row in rows)
