"""The results file: one JSON line for each finished run, only ever added to."""

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .data import text_hash
from .settings import Settings

Row = dict[str, Any]
Key = tuple[str, str, int]
COMMITTED = Path(__file__).parent / "committed"
UNFINISHED = "{}, line {}: no whole result (stopped while writing?); that run is done again"
HEAD = b'{"task": '  # how every line begins, also one that was cut off


def read(path: str | Path, settings: Settings | None = None) -> tuple[list[Row], list[str]]:
    """The finished runs in a file, each once, and a word on every line that holds none. No file: no runs.

    Raises ValueError when the file holds something else altogether; with `settings`, also when it holds runs of other
    settings, or of another text: a Python of another version has another one. Raises OSError when it cannot be read.
    """
    rows: dict[Key, Row] = {}
    notes, foreign = [], False
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        return [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            notes.append(UNFINISHED.format(path, number))
            foreign = foreign or not line.startswith(HEAD[: len(line)])
            continue
        if settings is not None and (different := differences(row, settings)):
            raise ValueError(
                f"{path}, line {number}: a run of other settings ({different}); expected a file of its own"
            )
        rows.setdefault(key(row), row)
    if foreign and not rows:
        raise ValueError(f"{path}: expected the results of a study, or no file yet; it holds something else")
    return list(rows.values()), notes


def append(path: str | Path, row: Row) -> None:
    """Add one line behind what is there, in one piece, and onto the disk before this returns.

    Several processes may write to one file. Raises OSError, which names the file, when it cannot be written.
    """
    line = json.dumps(row).encode() + b"\n"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    try:
        size = os.fstat(file).st_size
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
        if size and os.read(file, 1) != b"\n":
            line = b"\n" + line  # one that was cut off must not spoil the next
        while line:  # once, unless the disk is almost full: then the second time says so
            line = line[os.write(file, line) :]
        os.fsync(file)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(file)


def key(row: Row) -> Key:
    """What tells one run from the others of the same settings."""
    return row["task"], row["scheme"], row["seed"]


def differences(row: Row, settings: Settings) -> str:
    """In words, how the settings of a row differ from these, or its text from ours; "" when they do not."""
    ours, theirs = settings.as_json(), row["settings"]
    found = [f"{name}={theirs.get(name)!r}, not {ours[name]!r}" for name in ours if theirs.get(name) != ours[name]]
    if row.get("text", text_hash()) != text_hash():
        found.append(f"another text, {row['text']}, not {text_hash()} (it comes with the Python version)")
    return "; ".join(found)


def committed(preset: str) -> list[Row]:
    """The finished runs that come with the course. Raises ValueError when there are none of that preset."""
    path = COMMITTED / f"{preset}.jsonl"
    if not path.exists():
        have = ", ".join(repr(file.stem) for file in sorted(COMMITTED.glob("*.jsonl")))
        raise ValueError(f"preset={preset!r}: expected one of {have}")
    return read(path)[0]


def drop_torn_end(path: str | Path) -> str | None:
    """Cut off a last line that was not written to its end, and say so; no other process may be writing to the file.

    Raises OSError when the file cannot be written.
    """
    with contextlib.suppress(FileNotFoundError), open(path, "r+b") as file:
        held = file.read()
        end = held.rfind(b"\n") + 1
        last = held[end:]
        if last and last.startswith(HEAD[: len(last)]) and _row(last) is None:  # else it is whole, or not ours
            file.truncate(end)
            return UNFINISHED.format(path, held.count(b"\n") + 1)
    return None


def pick(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """The rows in which every named entry has the given value: pick(rows, task="characters", scheme="rope")."""
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def _row(line: bytes) -> Row | None:
    """The result that a line holds, or None for a line that holds none."""
    try:
        row = json.loads(line)
        hash(key(row))
        row["settings"].setdefault("measured", row["settings"]["length"])  # before version 0.3 there was no choice
        row["settings"].setdefault("far_masked", False)
        tests = len(row["settings"]["tests"])
        whole = len(row["loss"]) == len(row["accuracy"]) == tests and "by_position" in row
    except (AttributeError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return row if whole else None
