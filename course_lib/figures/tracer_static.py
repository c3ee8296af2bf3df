"""The tracer without a script: one fold per statement with the values of its last run."""

from typing import Any

from ..display.colours import NO_NUMBER, painter
from ..display.formatting import CODE, escape, number
from ..display.picture import SUPPRESS
from .heatmap import table_html
from .tracer_record import Recording, Step
from .tracer_values import Packed

PLAIN = 'style="background-color:#ffffff;color:#1b1f24"'


def folds(recording: Recording, index: int, tokens: list[str]) -> str:
    """Every statement of one source; those that ran can be opened."""
    source = recording.sources[index]
    lines = []
    for position, chunk in enumerate(source.chunks):
        text = source.text(chunk)
        if chunk.kind == "doc":
            text = text.split("\n")[0]
        # Hard spaces keep the indentation: an untrusted notebook may drop the style that would.
        shown = escape(text.replace("\n", "\n    ")).replace("  ", "&nbsp; ").replace("\n", "<br>")
        first = str(chunk.first + 1).rjust(3).replace(" ", "&nbsp;")
        code = f"<code {PLAIN}>{first}&nbsp;{shown}</code>"
        visits = [s for s in recording.steps if recording.calls[s.call][0] == index and s.chunk == position]
        if visits:
            times = f" ({len(visits)} times, the last shown)" if len(visits) > 1 else ""
            lines.append(f"<details><summary {SUPPRESS}>{code}{times}</summary>{_values(visits[-1], tokens)}</details>")
        else:
            lines.append(f"<div>&emsp;{code}{' (not reached)' if source.can_run(chunk) else ''}</div>")
    return "".join(lines)


def _values(step: Step, tokens: list[str]) -> str:
    shown = [value_html(name, packed, tokens) for name, packed in step.changes.items()]
    if step.returned:
        shown.append(value_html("returns", step.returned, tokens))
    if step.error:
        shown.append(f"<p><b>raised {escape(step.error)}</b></p>")
    return "".join(shown) or "<p>No variable changed here.</p>"


def value_html(name: str, packed: Packed, tokens: list[str]) -> str:
    """A variable as a table, several tables or a line of text."""
    head = f"<b>{escape(name)}</b> <span>{escape(describe(packed))}</span>"
    if "items" in packed:
        return f"<p>{head}</p>" + "".join(value_html(name + key, item, tokens) for key, item in packed["items"])
    if "r" not in packed:
        return f"<p>{head} <code {CODE}>{escape(packed['x'])}</code></p>"
    rows, shape = packed["r"], packed["s"]
    scale = painter(float(x) for row in rows for x in row if not isinstance(x, str))

    def paint(x: Any) -> str:  # "∞" and "nan" come as text, because JSON has no such numbers
        return NO_NUMBER if isinstance(x, str) else scale(float(x))

    def show(x: Any) -> str:
        return x if isinstance(x, str) else number(x, packed.get("d", 0))

    return table_html(
        rows,
        _labels(shape[-2], len(rows), tokens) if len(shape) > 1 else None,
        _labels(shape[-1], len(rows[0]) if rows else 0, tokens),
        name=f"values of {name}",
        caption=head,
        paint=paint,
        show=show,
    )


def _labels(length: int, shown: int, tokens: list[str]) -> list[str]:
    return tokens[:shown] if length == len(tokens) else [str(n) for n in range(shown)]


def describe(packed: Packed) -> str:
    """Type, shape and what was left out, in one phrase."""
    shape = f" {tuple(packed['s'])}" if "s" in packed else ""
    kind, _, dtype = packed["t"].partition(", ")
    return ", ".join(part for part in (kind + shape, dtype, packed.get("cut", "")) if part)
