"""The results file: one JSON line for each finished run, only ever added to."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .data import text_hash
from .settings import Settings

Row = dict[str, Any]
Key = tuple[str, str, int]
COMMITTED = Path(__file__).parent / "results"


def read(path: str | Path, settings: Settings | None = None) -> tuple[list[Row], list[str]]:
    """The finished runs in a file, each once, and a word on every line that holds none. No file: no runs.

    With `settings`, raises ValueError when the file holds runs of other settings, or of another text: a Python of
    another version has another one. Raises OSError when the file cannot be read.
    """
    rows: dict[Key, Row] = {}
    notes = []
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        return [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            notes.append(f"{path}, line {number}: no whole result (stopped while writing?); that run is done again")
        else:
            if settings is not None:
                _check_same(path, number, row, settings)
            rows.setdefault(key(row), row)
    return list(rows.values()), notes


def append(path: str | Path, row: Row) -> None:
    """Add one line behind what is there, in one piece, and onto the disk before this returns.

    Several processes may write to one file. Raises OSError when the file cannot be written.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        size = os.fstat(file).st_size
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
        broken = size and os.read(file, 1) != b"\n"  # a line that was cut off must not spoil the next
        os.write(file, b"\n" * bool(broken) + json.dumps(row).encode() + b"\n")
        os.fsync(file)
    finally:
        os.close(file)


def key(row: Row) -> Key:
    """What tells one run from the others of the same settings."""
    return row["task"], row["scheme"], row["seed"]


def committed(preset: str) -> list[Row]:
    """The finished runs that come with the course. Raises ValueError when there are none of that preset."""
    path = COMMITTED / f"{preset}.jsonl"
    if not path.exists():
        have = ", ".join(repr(file.stem) for file in sorted(COMMITTED.glob("*.jsonl")))
        raise ValueError(f"preset={preset!r}: expected one of {have}")
    return read(path)[0]


def pick(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """The rows in which every named entry has the given value: pick(rows, task="characters", scheme="rope")."""
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def _row(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
        whole = {"settings", "loss", "accuracy", "by_position"} <= row.keys() and len(key(row)) == 3
    except (ValueError, AttributeError, KeyError):
        return None
    return row if whole else None


def _check_same(path: str | Path, number: int, row: Row, settings: Settings) -> None:
    ours, theirs = settings.as_json(), row["settings"]
    different = [f"{name}={theirs.get(name)!r}, not {ours[name]!r}" for name in ours if theirs.get(name) != ours[name]]
    if row.get("text", text_hash()) != text_hash():
        different.append(f"another text, {row['text']}, not {text_hash()} (it comes with the Python version)")
    if different:
        raise ValueError(
            f"{path}, line {number}: a run of other settings ({'; '.join(different)}); expected a file of its own"
        )
