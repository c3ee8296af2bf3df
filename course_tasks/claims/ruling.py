"""What came out when a claim was run, in words and as a picture."""

import re
from dataclasses import dataclass
from typing import Any

from course_lib.display.formatting import MINUS, escape
from course_lib.display.picture import Picture

from . import html as face
from .claim import Claim


@dataclass(frozen=True, repr=False)
class Ruling:
    """A claim, the value of its fact, the verdict that follows, and why."""

    claim: Claim
    fact: Any
    verdict: str

    @property
    def because(self) -> str:
        """The reason, with the computed numbers, or that the fact came out otherwise."""
        claim = self.claim
        if self.verdict != claim.stated:
            return f'Where the course was written this came out as "{claim.stated}"; here the fact is another one.'
        words = re.sub(r"(?<!\w)-(?=\d)", "−", claim.because.format(fact=self.fact))
        return re.sub(r"(?<=\d)%", " %", words)

    @property
    def evidence(self) -> str:
        """Why, as HTML: reason, code, value, rule and source."""
        return face.evidence(self.claim, self.because, show(self.fact))

    @property
    def picture(self) -> Picture:
        """Sentence, verdict and why."""
        said = self.claim.statement
        body = f'<p style="margin:0 0 6px">{face.chip(self.verdict)} <b>“{escape(said)}”</b></p>{self.evidence}'
        alt = f"{self.verdict}: “{said}” {self.because}"
        return Picture("claim", body, alt=alt, title=said, styles=["verdict", "claim"])

    def __repr__(self) -> str:
        found = f"{self.claim.origin.lower()}: {show(self.fact)}"
        return f'{self.verdict}: "{self.claim.statement}"\n  {found}\n  {self.because}\n  source: {self.claim.source}'

    def _repr_html_(self) -> str:
        return self.picture._repr_html_()


def judge_claim(claim: Claim) -> Ruling:
    """Run the fact and the rule."""
    fact = claim.fact()
    return Ruling(claim, fact, claim.verdict(fact))


def show(fact: Any) -> str:
    """The value on one line, without the quotes of Python: unclipped 0.252 · clipped 0.0."""
    if isinstance(fact, dict):
        return " · ".join(f"{name} {show(value)}" for name, value in fact.items())
    if isinstance(fact, list):
        return ", ".join(map(show, fact))
    if isinstance(fact, int | float) and not isinstance(fact, bool):
        return f"{fact:,}".replace("-", MINUS)
    return str(fact)
