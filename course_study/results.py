"""The results files, one JSON line for each finished run; and one driver for every plan, which does what is missing.

Several processes may write to one file. It does not matter which of them does a run, because each has one thread. One
that dies loses only the run it was doing.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from course_lib.checks import check_choice

Row = dict[str, Any]
COMMITTED = Path(__file__).parent / "committed"
IDENTITY = ("experiment", "condition", "task", "scheme", "seed", "text", "n", "settings")


@dataclass(frozen=True)
class Run:
    """One row of a results file: `inputs` are all that the result depends on, and `outcome()` computes the result."""

    inputs: Row
    outcome: Callable[[], Row]


def sweep(plan: Sequence[Run], path: str | Path | None = None) -> list[Row]:
    """The results of a plan, in its order. With a path, each is added to the file before the next run begins.

    Raises ValueError as the runs do, and OSError if the file cannot be written.
    """
    rows = {key(row): row for row in read(path)} if path else {}
    if path:
        open(path, "ab").close()  # says at once that it cannot be written
    missing = {key(run.inputs): run for run in plan if key(run.inputs) not in rows}
    bar = tqdm(missing.items(), unit="run")
    for name, run in bar:
        bar.set_description(" ".join(str(value) for value in run.inputs.values() if not isinstance(value, dict)))
        begin = time.process_time()
        row = {**run.inputs, **run.outcome(), "seconds": round(time.process_time() - begin, 1)}
        rows[name] = row
        if path:
            append(path, row)
    return [rows[key(run.inputs)] for run in plan]


def key(row: Row) -> str:
    """What tells a run from all others: what goes into it, not what comes out."""
    return json.dumps([row.get(name) for name in IDENTITY], sort_keys=True)


def read(path: str | Path) -> list[Row]:
    """The finished runs of a file, each once; a line that was not written to its end is left out. No file: no runs.

    Raises OSError if it cannot be read.
    """
    content, rows = Path(path).read_bytes() if Path(path).exists() else b"", dict[str, Row]()
    for line in content.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and "seconds" in row:  # the last entry of a finished run
            rows.setdefault(key(row), row)
    return list(rows.values())


def append(path: str | Path, row: Row) -> None:
    """Add one line, in one piece and onto the disk before this returns. Several processes may write to one file.

    Raises OSError if it cannot be written.
    """
    with open(path, "a+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        torn = size and file.read() != b"\n"  # a line that was cut off must not spoil the next
        file.write(b"\n" * bool(torn) + json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def committed(preset: str) -> list[Row]:
    """The finished runs that come with the course. Raises ValueError when there are none of that preset."""
    check_choice("preset", preset, sorted(file.stem for file in COMMITTED.glob("*.jsonl")))
    return read(COMMITTED / f"{preset}.jsonl")


def pick(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """The rows in which every named entry has the given value: pick(rows, task="characters", scheme="rope")."""
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def found(preset: str, **wanted: Any) -> list[Row]:
    """The finished runs that come with the course and have these entries. Raises ValueError when there are none."""
    rows = pick(committed(preset), **wanted)
    if not rows:
        raise ValueError(f"{', '.join(f'{name}={value!r}' for name, value in wanted.items())}: no committed row")
    return rows
