"""What a learner's own scheme or repair is shown with: a status and lines, as text and in the box that checks use."""

from dataclasses import dataclass

from course_kit.checking.results import SYMBOL
from course_kit.display.box import AMBER, GREEN, GREY, box, rich


@dataclass(repr=False)
class Report:
    """What a call found out: the status, and lines that say the rest, as text and in the box that checks use."""

    status: str
    lines: list[str]

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def attempted(self) -> bool:
        return self.status != "not attempted"

    def __repr__(self) -> str:
        symbol = {**SYMBOL, "failed": "✗"}.get(self.status, "")  # what was only measured has none
        return "\n  ".join([f"{symbol} {self.lines[0]}".strip(), *self.lines[1:]])

    def _repr_html_(self) -> str:
        first, *rest = repr(self).splitlines()
        style = "white-space:pre-wrap;font-family:monospace;font-size:13px"
        shown = [f'<span style="{style}">{rich(line[2:])}</span>' for line in rest]
        return box([f"<b>{rich(first)}</b>", *shown], {"passed": GREEN, "failed": AMBER}.get(self.status, GREY))
