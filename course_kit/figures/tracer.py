"""The line tracer: a function line by line, and every value at that moment."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..display.colours import NO_NUMBER, ink, painter, signed_colour, weight_colour
from ..display.formatting import CODE, escape, number
from ..display.picture import SUPPRESS, Picture
from .frames import Cell, Table, still_table
from .statements import Source
from .tracer_record import LIMIT, Packed, Recording, Step, record

DATA_LIMIT = 40_000  # characters of recorded values in one output; steps beyond are dropped, and the picture says so
PLAIN = 'style="background-color:#ffffff;color:#1b1f24"'
SHADES = 10  # steps from zero to the largest magnitude: the script's colours


def trace(
    function: Callable[..., Any],
    /,
    *args: Any,
    tokens: Sequence[str] = (),
    into: Sequence[Callable[..., Any]] = (),
    title: str | None = None,
    **kwargs: Any,
) -> Picture:
    """Run function(*args, **kwargs) once and show what every line did.

    Click a line, or step with the buttons, n and p, or the arrow keys: the variables it changed, with shape, dtype and
    values, and what it returned or raised. Only `function` is followed; name others that it calls in `into`. `tokens`
    label every axis of that length. Arrays are cut to 12×12, the first 400 steps are kept; the picture says so.
    An exception is shown at its line. Arguments called tokens, into or title reach the function by functools.partial.
    Raises ValueError for what has no Python source.
    """
    recording = record(function, args, kwargs, into)
    words = [str(token) for token in tokens]
    name = recording.sources[0].name
    steps, values = _kept(recording)
    heading, note = title or f"{name}, line by line", _note(recording, len(steps))
    data = {
        "title": heading,
        "note": note,
        "sources": [_chunks(source) for source in recording.sources],
        "calls": recording.calls,
        "steps": steps,
        "values": values,
        "tokens": words,
        "shades": {
            "signed": [_look(signed_colour(k / SHADES)) for k in range(-SHADES, SHADES + 1)],
            "weight": [_look(weight_colour(k / SHADES)) for k in range(SHADES + 1)],
            "none": _look(NO_NUMBER),
        },
    }
    lines = "".join(_folds(recording, index, words) for index in range(len(recording.sources)))
    body = f"<p><b>{escape(heading)}.</b> {escape(note)} Open a line to see what it did.</p>{lines}"
    alt = f"The function {name}, run once and shown line by line with the values of its variables: {note}"
    styles = ["buttons", "controls", "tracer"]
    return Picture("tracer", body, alt=alt, title=title, styles=styles, script="tracer.js", data=data)


def _look(colour: str) -> str:
    return f"background-color:{colour};color:{ink(colour)}"


def _note(recording: Recording, kept: int) -> str:
    first, *others = [source.name for source in recording.sources]
    opened = f"only {', '.join(others)} of what it calls is opened" if others else "what it calls is not opened"
    words = f"One run of {first}, {recording.total} steps; {opened}."
    if kept < recording.total:
        words += f" The picture keeps {kept} of the steps (at most {LIMIT})."
    if recording.error:
        words += f" It stopped with {recording.error}."
    return words


def _kept(recording: Recording) -> tuple[list[Any], list[Any]]:
    """The steps for the script, and their values: each is kept once, one that changes few cells as those cells."""
    values: dict[str, int] = {}
    latest: dict[tuple[int, str], tuple[int, Packed]] = {}
    steps = []
    size = 0

    def keep(packed: Packed, before: tuple[int, Packed] | None = None) -> int:
        nonlocal size
        text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
        if text not in values and before is not None and (cells := _few_changes(before[1], packed)):
            text = json.dumps({"of": before[0], "set": cells}, ensure_ascii=False, separators=(",", ":"))
        if text not in values:
            values[text] = len(values)
            size += len(text)
        return values[text]

    for step in recording.steps:
        is_end = step.returned is not None or step.error is not None
        if size > DATA_LIMIT and not (step.call == 0 and is_end):
            continue
        changes = {}
        for name, packed in step.changes.items():
            changes[name] = keep(packed, latest.get((step.call, name)))
            latest[step.call, name] = (changes[name], packed)
        steps.append([step.call, step.chunk, changes, step.returned and keep(step.returned), step.error])
    return steps, [json.loads(text) for text in values]


def _few_changes(before: Packed, now: Packed) -> list[list[Any]]:
    """The changed cells as [row, column, value] when there are few and nothing else is different."""
    if "r" not in now or {**before, "r": 0} != {**now, "r": 0}:
        return []
    cells = [[i, j, x] for i, row in enumerate(now["r"]) for j, x in enumerate(row) if before["r"][i][j] != x]
    return cells if 3 * len(cells) <= len(now["r"]) * len(now["r"][0]) else []


def _chunks(source: Source) -> dict[str, Any]:
    """The source for the script: line number, text and kind of every chunk; "missed" stays so where no step ran."""
    chunks = []
    for chunk in source.chunks:
        kind = "missed" if source.can_run(chunk) else "doc" if chunk.kind == "doc" else "idle"
        chunks.append([chunk.first + 1, source.text(chunk), kind])
    return {"name": source.name, "chunks": chunks}


# --- without a script: one fold per statement with the values of its last run ---------------------------------------


def _folds(recording: Recording, index: int, tokens: list[str]) -> str:
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
    found = step.changes | ({"returns": step.returned} if step.returned else {})
    raised = f"<p><b>raised {escape(step.error)}</b></p>" if step.error else ""
    shown = "".join(_value(name, packed, tokens) for name, packed in found.items())
    return shown + raised or "<p>No variable changed here.</p>"


def _value(name: str, packed: Packed, tokens: list[str]) -> str:
    """A variable as a table, several tables or a line of text."""
    head = f"<b>{escape(name)}</b> <span>{escape(packed['t'])}</span>"
    if "items" in packed:
        return f"<p>{head}</p>" + "".join(_value(name + key, item, tokens) for key, item in packed["items"])
    if "x" in packed:
        return f"<p>{head} <code {CODE}>{escape(packed['x'])}</code></p>"
    rows, shape = packed["r"], packed["s"]
    scale = painter(float(x) for row in rows for x in row if not isinstance(x, str))

    def labels(length: int, shown: int) -> list[str]:
        return tokens[:shown] if length == len(tokens) else [str(n) for n in range(shown)]

    def cell(x: float | str) -> Cell:  # "∞" and "nan" come as text, because JSON has no such numbers
        return Cell(x, colour=NO_NUMBER) if isinstance(x, str) else Cell(number(x, packed["d"]), colour=scale(x))

    names = labels(shape[-2], len(rows)) if len(shape) > 1 else []
    columns = labels(shape[-1], len(rows[0]) if rows else 0)
    return still_table(Table(name, names, columns, [list(map(cell, row)) for row in rows], note=packed["t"]))
