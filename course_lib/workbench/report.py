"""The face of what the bench answers: lines for a terminal, and the same lines in the box that checks use."""

from ..checking.results import SYMBOL
from ..display.box import AMBER, GREEN, GREY, box, rich

LINE = "white-space:pre-wrap;font-family:monospace;font-size:13px"
MARKS = {**SYMBOL, "failed": "✗"}  # what was only measured has none


class Report:
    """status and title, then lines; the status is "not attempted" for a scheme that says nothing yet."""

    status: str

    def lines(self) -> list[str]:
        raise NotImplementedError

    @property
    def attempted(self) -> bool:
        return self.status != "not attempted"

    def __repr__(self) -> str:
        first, *rest = self.lines()
        return "\n  ".join([f"{MARKS.get(self.status, '')} {first}".strip(), *rest])

    def _repr_html_(self) -> str:
        colours = {"passed": GREEN, "failed": AMBER}.get(self.status, GREY)  # a measurement is no verdict
        first, *rest = repr(self).splitlines()
        shown = [f'<span style="{LINE}">{rich(line[2:])}</span>' for line in rest]
        return box([f"<b>{rich(first)}</b>", *shown], colours)
