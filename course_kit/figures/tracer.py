"""The line tracer: a function line by line, and every value at that moment."""

from collections.abc import Callable, Sequence
from typing import Any

from ..display.formatting import CODE, escape
from ..display.picture import SUPPRESS, Picture
from .frames import Table, pool, still_table
from .statements import Source
from .tracer_record import LIMIT, Recording, Step, Value, record

PLAIN = 'style="background-color:#ffffff;color:#1b1f24"'


def trace(function: Callable[..., Any], /, *args: Any, tokens: Sequence[str] = (), **kwargs: Any) -> Picture:
    """Run function(*args, **kwargs) once and show what every line did.

    Click a line, or step with the buttons, n and p, or the arrow keys: the variables it changed, with shape, dtype and
    values, and what it returned or raised. What it calls is not opened. `tokens` label every axis of that length.
    Arrays are cut to 12×12, the first 400 steps are kept; the picture says so. An exception is shown at its line.
    Raises ValueError for what has no Python source.
    """
    recording = record(function, *args, **kwargs)
    words = [str(token) for token in tokens]
    name = recording.source.name
    heading, note = f"{name}, line by line", _note(recording)
    data = {
        "title": heading,
        "note": note,
        "chunks": _chunks(recording.source),
        "calls": recording.calls,
        "pool": pool([_step(step, words) for step in recording.steps]),
    }
    body = f"<p><b>{escape(heading)}.</b> {escape(note)} Open a line to see what it did.</p>{_folds(recording, words)}"
    alt = f"The function {name}, run once and shown line by line with the values of its variables: {note}"
    return Picture("tracer", body, alt=alt, styles=["buttons", "controls", "tracer"], script="tracer.js", data=data)


def _note(recording: Recording) -> str:
    words = f"One run of {recording.source.name}, {recording.total} steps; what it calls is not opened."
    if len(recording.steps) < recording.total:
        words += f" The picture keeps {len(recording.steps)} of the steps (at most {LIMIT})."
    if recording.error:
        words += f" It stopped with {recording.error}."
    return words


def _step(step: Step, tokens: list[str]) -> list[Any]:
    """A step for the script: the number of its call, its chunk, what changed, and what was raised.

    A value is HTML in rows of pieces, because the pool holds equal rows and equal pieces once.
    """
    rows = {name: _value(name, value, tokens).split("<tr") for name, value in step.changes.items()}
    changes = [[name, [row.split(">") for row in value]] for name, value in rows.items()]
    return [step.call, step.chunk, changes, step.error]


def _chunks(source: Source) -> list[list[Any]]:
    """Line number, text and kind of every chunk for the script; "missed" stays so where no step ran."""
    kinds = ["missed" if source.can_run(c) else "doc" if c.doc else "idle" for c in source.chunks]
    return [[c.first + 1, source.text(c), kind] for c, kind in zip(source.chunks, kinds, strict=True)]


# --- without a script: one fold per statement with the values of its last run ---------------------------------------


def _folds(recording: Recording, tokens: list[str]) -> str:
    """Every statement; those that ran can be opened."""
    source = recording.source
    lines = []
    for position, chunk in enumerate(source.chunks):
        text = source.text(chunk)
        if chunk.doc:
            text = text.split("\n")[0]
        # Hard spaces keep the indentation: an untrusted notebook may drop the style that would.
        shown = escape(text.replace("\n", "\n    ")).replace("  ", "&nbsp; ").replace("\n", "<br>")
        first = str(chunk.first + 1).rjust(3).replace(" ", "&nbsp;")
        code = f"<code {PLAIN}>{first}&nbsp;{shown}</code>"
        visits = [step for step in recording.steps if step.chunk == position]
        if visits:
            times = f" ({len(visits)} times, the last shown)" if len(visits) > 1 else ""
            lines.append(f"<details><summary {SUPPRESS}>{code}{times}</summary>{_values(visits[-1], tokens)}</details>")
        else:
            lines.append(f"<div>&emsp;{code}{' (not reached)' if source.can_run(chunk) else ''}</div>")
    return "".join(lines)


def _values(step: Step, tokens: list[str]) -> str:
    raised = f"<p><b>raised {escape(step.error)}</b></p>" if step.error else ""
    shown = "".join(_value(name, value, tokens) for name, value in step.changes.items())
    return shown + raised or "<p>No variable changed here.</p>"


def _value(name: str, value: Value, tokens: list[str]) -> str:
    """A variable as a table, several tables or a line of text."""
    head = f'<b>{escape(name)}</b> <span class="rp-note">{escape(value.about)}</span>'
    if value.members:
        return f"<p>{head}</p>" + "".join(_value(name + key, item, tokens) for key, item in value.members)
    if value.shape:
        return still_table(_table(name, value, tokens))
    return f"<p>{head} <code {CODE}>{escape(value.text)}</code></p>"


def _table(name: str, array: Value, tokens: list[str]) -> Table:
    """The shown part of an array, with tokens for the axes of their length."""

    def labels(length: int, shown: int) -> list[str]:
        return tokens[:shown] if length == len(tokens) else [str(n) for n in range(shown)]

    names = labels(array.shape[-2], len(array.cells)) if len(array.shape) > 1 else []
    columns = labels(array.shape[-1], len(array.cells[0]) if array.cells else 0)
    return Table(name, names, columns, array.cells, note=array.about)
