"""The faces of what a check answers: stable text for a terminal, an opaque coloured box for a notebook."""

from dataclasses import dataclass, field

from ..display.box import AMBER, GREEN, GREY, box, code_block, rich

SYMBOL = {"passed": "✓", "not attempted": "○", "not finished": "○"}


@dataclass
class Result:
    """What `check` answers: a status, the facts, the cause when it is known, and notes that are not faults.

    A status is "not attempted", "not finished", "did not finish", "raised", "wrong type", "wrong shape",
    "wrong values", "property broken" or "passed".
    """

    status: str
    title: str
    facts: tuple[str, ...] = ()
    cause: str = ""
    code: str = ""  # the learner's own line
    notes: tuple[str, ...] = ()
    named: bool = field(default=False, compare=False)  # the cause says what was done, not only where it is wrong

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def symbol(self) -> str:
        return SYMBOL.get(self.status, "✗")

    def __repr__(self) -> str:
        cause = self.cause and f"→ {self.cause}"
        lines = (f"{self.symbol} {self.status}: {self.title}", *self.facts, self.code, cause, *self.notes)
        return "\n  ".join(filter(None, lines))

    def _repr_html_(self) -> str:
        colours = GREEN if self.passed else GREY if self.symbol == "○" else AMBER
        code, cause = self.code and code_block(self.code), self.cause and f"<b>→ {rich(self.cause)}</b>"
        notes = (f"<i>{rich(note)}</i>" for note in self.notes)
        head = f"<b>{self.symbol} {self.status}</b>: {rich(self.title)}"
        return box([*filter(None, (head, *map(rich, self.facts), code, cause, *notes))], colours)
