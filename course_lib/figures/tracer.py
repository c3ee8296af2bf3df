"""The line tracer: a function line by line, and every value at that moment."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..display.formatting import escape
from ..display.picture import Picture
from .statements import Source
from .tracer_record import LIMIT, Recording, record
from .tracer_static import folds
from .tracer_values import Packed

DATA_LIMIT = 40_000  # characters of recorded values in one output; steps beyond are dropped, and the picture says so


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
    first = recording.sources[0]
    data = _data(recording, words)
    heading = title or f"{first.name}, line by line"
    data["title"] = heading
    data["note"] = _note(recording, len(data["steps"]))
    alt = f"The function {first.name}, run once and shown line by line with the values of its variables: {data['note']}"
    return Picture(
        "tracer",
        f"<p><b>{escape(heading)}.</b> {escape(data['note'])} Open a line to see what it did.</p>"
        + "".join(folds(recording, index, words) for index in range(len(recording.sources))),
        alt=alt,
        title=title,
        styles=["controls", "tracer"],
        script="tracer.js",
        data=data,
    )


def _note(recording: Recording, kept: int) -> str:
    first, *others = [source.name for source in recording.sources]
    opened = f"only {', '.join(others)} of what it calls is opened" if others else "what it calls is not opened"
    words = f"One run of {first}, {recording.total} steps; {opened}."
    if kept < recording.total:
        words += f" The picture keeps {kept} of the steps (at most {LIMIT})."
    if recording.error:
        words += f" It stopped with {recording.error}."
    return words


def _data(recording: Recording, tokens: list[str]) -> dict[str, Any]:
    """Everything the script needs. Each value is kept once; one that changes a few cells is kept as those cells."""
    values: list[str] = []
    index: dict[str, int] = {}
    latest: dict[tuple[int, str], tuple[int, Packed]] = {}
    steps: list[list[Any]] = []
    size = 0

    def keep(packed: Packed, before: tuple[int, Packed] | None = None) -> int:
        nonlocal size
        text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
        if text not in index and before is not None and (cells := _few_changes(before[1], packed)) is not None:
            text = json.dumps({"of": before[0], "set": cells}, separators=(",", ":"), ensure_ascii=False)
        if text not in index:
            index[text] = len(values)
            values.append(text)
            size += len(text)
        return index[text]

    for step in recording.steps:
        is_end = step.returned is not None or step.error is not None
        if size > DATA_LIMIT and not (step.call == 0 and is_end):
            continue
        changes = {}
        for name, packed in step.changes.items():
            changes[name] = keep(packed, latest.get((step.call, name)))
            latest[step.call, name] = (changes[name], packed)
        returned = None if step.returned is None else keep(step.returned)
        entry = [step.call, step.chunk, changes, returned, step.error]
        while entry[-1] is None:
            entry.pop()
        steps.append(entry)
    return {
        "sources": [_chunks(source) for source in recording.sources],
        "calls": recording.calls,
        "steps": steps,
        "values": [json.loads(text) for text in values],
        "tokens": tokens,
    }


def _few_changes(before: Packed, now: Packed) -> list[list[Any]] | None:
    """The changed cells as [row, column, value] when there are few and nothing else is different."""
    if "r" not in now or {**before, "r": 0} != {**now, "r": 0}:
        return None
    pairs = [(r, c) for r, row in enumerate(now["r"]) for c, x in enumerate(row) if before["r"][r][c] != x]
    few = 0 < 3 * len(pairs) <= len(now["r"]) * len(now["r"][0])
    return [[r, c, now["r"][r][c]] for r, c in pairs] if few else None


def _chunks(source: Source) -> dict[str, Any]:
    """The source for the script: line number, text and kind of every chunk; "missed" stays so where no step ran."""
    chunks = []
    for chunk in source.chunks:
        kind = "missed" if source.can_run(chunk) else "doc" if chunk.kind == "doc" else "idle"
        chunks.append([chunk.first + 1, source.text(chunk), kind])
    return {"name": source.name, "chunks": chunks}
