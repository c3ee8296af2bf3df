"""The face of what the bench answers: lines for a terminal, and the same lines in the box that checks use."""

from html import escape

from ..nn.position import Position
from ..tasks.engine.faces import AMBER, GREEN, GREY, SYMBOL, box

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
        colours = GREY if not self.attempted else AMBER if self.status == "failed" else GREEN
        first, *rest = repr(self).splitlines()
        shown = [f'<span style="white-space:pre-wrap;font-family:monospace">{escape(line[2:])}</span>' for line in rest]
        return box([f"<b>{escape(first)}</b>", *shown], colours)


def says_nothing(module: Position) -> bool:
    """Whether every hook still returns None (or, for `rotate`, what it was given): attention without position."""
    if any(getattr(module, hook)(2, 2, 0) is not None for hook in ("bias", "key_vectors", "value_vectors")):
        return False
    return type(module).rotate is Position.rotate
