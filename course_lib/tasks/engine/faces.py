"""The faces of what a task answers with: stable text for a terminal, an opaque coloured box for a notebook."""

import re
from dataclasses import dataclass, field
from html import escape

GREEN, AMBER, GREY = (
    ("#e6f4ea", "#0b4f25", "#1e8e3e"),
    ("#fff4d6", "#5c3b00", "#b06000"),
    ("#f1f3f4", "#3c4043", "#5f6368"),
)
SYMBOL = {"passed": "✓", "not attempted": "○"}
STATUSES = (
    "not attempted", "did not finish", "raised",
    "wrong type", "wrong shape", "wrong values", "property broken", "passed",
)  # fmt: skip


@dataclass
class Result:
    """What `check` answers: a status, the facts, the cause when it is known, and notes that are no fault."""

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
        lines += [_code(self.code)] * bool(self.code) + [f"<b>→ {rich(self.cause)}</b>"] * bool(self.cause)
        return box(lines + [f"<i>{rich(note)}</i>" for note in self.notes], colours)


@dataclass
class Note:
    """A few words: a hint."""

    title: str
    text: str

    def __repr__(self) -> str:
        return f"{self.title}: {self.text}"

    def _repr_html_(self) -> str:
        return box([f"<b>{rich(self.title)}</b>", rich(self.text)], GREY)


@dataclass
class Code:
    """A piece of source, shown as it is."""

    title: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return box([f"<b>{rich(self.title)}</b>", _code(self.text)], GREY)


def box(lines: list[str], colours: tuple[str, str, str]) -> str:
    """Lines of HTML in an opaque box that reads the same on a light and a dark page."""
    ground, ink, edge = colours
    style = (
        f"background:{ground};color:{ink};border-left:6px solid {edge};padding:8px 14px;line-height:1.6;"
        "max-width:760px;overflow-wrap:anywhere"  # a long name or number may not widen the page
    )
    inside = "".join(f'<div style="background:{ground};color:{ink}">{line}</div>' for line in lines)
    return f'<div class="rp-result" style="{style}">{inside}</div>'


def rich(text: str) -> str:
    """Escaped text, with `code` between backticks set as code, and *words* between asterisks stressed."""
    style = "background:#ffffff;color:#202124;padding:0 4px;font-size:inherit"
    pieces = re.split(r"`([^`]+)`", escape(text, quote=False))  # every other one is code
    words = [re.sub(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])", r"<em>\1</em>", piece) for piece in pieces[::2]]
    code = [f'<code style="{style}">{piece}</code>' for piece in pieces[1::2]]
    return "".join(a + b for a, b in zip(words, [*code, ""]))


def _code(text: str) -> str:
    style = "background:#ffffff;color:#202124;padding:4px 8px;margin:2px 0;white-space:pre-wrap;font-size:13px"
    return f'<pre style="{style}">{escape(text, quote=False)}</pre>'
