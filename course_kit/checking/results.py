"""The faces of what a task answers with: stable text for a terminal, an opaque coloured box for a notebook."""

from dataclasses import dataclass, field

from ..display.box import AMBER, GREEN, GREY, box, code_block, rich

SYMBOL = {"passed": "✓", "not attempted": "○"}


@dataclass
class Result:
    """What `check` answers: a status, the facts, the cause when it is known, and notes that are not faults.

    A status is "not attempted", "did not finish", "raised", "wrong type", "wrong shape", "wrong values", "property
    broken" or "passed".
    """

    status: str
    title: str
    facts: tuple[str, ...] = ()
    cause: str = ""
    code: str = ""  # the learner's own line
    notes: tuple[str, ...] = ()
    known: bool = field(default=False, compare=False)  # the cause is one of the task's known mistakes

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def __repr__(self) -> str:
        lines = [f"{SYMBOL.get(self.status, '✗')} {self.status}: {self.title}", *self.facts]
        lines += [self.code] * bool(self.code) + [f"→ {self.cause}"] * bool(self.cause) + list(self.notes)
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        colours = GREEN if self.passed else GREY if self.status == "not attempted" else AMBER
        lines = [f"<b>{SYMBOL.get(self.status, '✗')} {self.status}</b>: {rich(self.title)}", *map(rich, self.facts)]
        lines += [code_block(self.code)] * bool(self.code) + [f"<b>→ {rich(self.cause)}</b>"] * bool(self.cause)
        return box(lines + [f"<i>{rich(note)}</i>" for note in self.notes], colours)


@dataclass
class Note:
    """A few words, such as a hint; or a piece of source, shown as it is."""

    title: str
    text: str
    is_code: bool = False

    def __repr__(self) -> str:
        return self.text if self.is_code else f"{self.title}: {self.text}"

    def _repr_html_(self) -> str:
        return box([f"<b>{rich(self.title)}</b>", code_block(self.text) if self.is_code else rich(self.text)], GREY)
