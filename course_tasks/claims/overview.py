"""The ledger at the end: how many sentences of each topic hold, and the list of all."""

from collections import Counter
from collections.abc import Iterable

from course_lib.contents import number
from course_lib.display.formatting import escape
from course_lib.display.picture import TABLE, Picture

from .claim import VERDICTS
from .html import chip, marked
from .ruling import Ruling
from .topics import CLAIMS, TOPICS, decide, topic

WHITE = 'style="background-color:#ffffff;color:#1b1f24"'


def counts() -> Picture:
    """How many claims there are of each verdict, by topic; runs all facts."""
    found = {name: Counter(judgement.verdict for judgement in topic(name).judgements) for name in TOPICS}
    found["All"] = total = sum(found.values(), Counter())
    rows = [
        f'<th scope="row">{escape(name)}</th>{_cells([*(count[verdict] for verdict in VERDICTS), count.total()])}'
        for name, count in found.items()
    ]
    said = f"{total['true']} of {total.total()} sentences are true as they stand"
    alt = f"The claims ledger, by topic and verdict: {said}; {_in_words(total)}."
    return _table(said, ["topic", *map(marked, VERDICTS), "all"], rows, alt)


def overview(names: Iterable[str] | None = None) -> Picture:
    """Every claim with its verdict and its chapter, by topic, and how many there are of each verdict; runs all facts.

    `names` picks some of them. Raises ValueError for a name that is not in CLAIMS.
    """
    found = {name: decide(name) for name in (CLAIMS if names is None else names)}
    rows = []
    for title, claims in TOPICS.items():
        here = [_row(judgement) for name, judgement in found.items() if name in claims]
        rows += [f'<th scope="row" colspan="4">{escape(title)}</th>', *here] if here else []
    total = _in_words(Counter(judgement.verdict for judgement in found.values()))
    alt = f"The claims ledger: {len(found)} sentences about relative positions with their verdicts, {total}."
    return _table(f"{len(found)} sentences, {total}", ["what is said", "verdict", "chapter", "name"], rows, alt)


def _table(said: str, heads: Iterable[str], rows: Iterable[str], alt: str) -> Picture:
    head = "".join(f'<th scope="col">{words}</th>' for words in heads)
    body = (
        f"<table {TABLE}><caption><b>The claims ledger</b>: {said}</caption><thead><tr {WHITE}>{head}</tr></thead>"
        f"<tbody>{''.join(f'<tr {WHITE}>{row}</tr>' for row in rows)}</tbody></table>"
    )
    return Picture("ledger", body, alt=alt, title="The claims ledger", styles=["verdict", "ledger"])


def _cells(cells: Iterable[object]) -> str:
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _row(judgement: Ruling) -> str:
    claim = judgement.claim
    return _cells([escape(claim.statement), chip(judgement.verdict), number(claim.chapter), escape(claim.name)])


def _in_words(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
