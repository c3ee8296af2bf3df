"""What the released model does when it is changed: committed runs that take longer than a cell of a lesson.

    python -m course_lib.study.released [NAME …] [--out FILE]

Each line of the file is one condition of one experiment on one text: `loss`, the mean in nats per token over the
`scored` last tokens; `difference`, its mean difference to the control on the same tokens, with the standard error
`error`; `read`, how many tokens were read if they are not the `n` of the text; `seconds` of one core.
"""

import json
from pathlib import Path
from typing import Any

from ..results import COMMITTED, Row, pick

FILE = COMMITTED / "released.jsonl"


def rows(experiment: str, **wanted: Any) -> list[Row]:
    """The committed rows of an experiment with these entries: rows("E6", text="alice", condition="as released").

    Raises ValueError if there are none, because what was not run is missing.
    """
    found = [row for row in read(FILE) if row["experiment"] == experiment]
    if picked := pick(found, **wanted):
        return picked
    have = {name: list(dict.fromkeys(row[name] for row in found)) for name in ("condition", "text", "n")}
    run = f"python -m course_lib.study.released {experiment!r} runs what is missing"
    raise ValueError(f"experiment={experiment!r}, {wanted}: no committed row; the file has {have}, and {run}")


def read(path: str | Path) -> list[Row]:
    """The whole lines of a file; one that was cut off is left out. No file: no rows."""
    found: dict[tuple[Any, ...], Row] = {}
    for line in Path(path).read_text("utf-8").splitlines() if Path(path).exists() else []:
        try:
            row = json.loads(line)
            found.setdefault(key(row), row)
        except (ValueError, TypeError, KeyError):
            continue
    return list(found.values())


def key(row: Row) -> tuple[Any, ...]:
    """What tells one row from the others."""
    return row["experiment"], row["condition"], row["text"], row["n"]
