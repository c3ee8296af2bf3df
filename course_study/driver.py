"""One driver for every plan: what is in the results file is skipped, and the other runs are done and written down.

Of several processes, number `RANK` does its share of the plan, which is dealt like cards; all may write to one file. It
does not matter which of them does a run, because each has one thread. One that dies loses only the run it was doing.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm.auto import tqdm

from .results import Row, append, key, read

RANK, WORLD = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


@dataclass(frozen=True)
class Run:
    """One row of a results file: `inputs` are all that the result depends on, and `outcome()` computes the result."""

    inputs: Row
    outcome: Callable[[], Row]


def sweep(plan: Sequence[Run], path: str | Path | None = None) -> list[Row]:
    """The results of a plan, in its order. With a path, each is added to the file before the next run begins.

    Of several processes, each returns its own results and those that were in the file.

    Raises ValueError as `read` does and as the runs do, and OSError if the file cannot be written.
    """
    rows = {key(row): row for row in read(path)} if path else {}
    if path:
        open(path, "ab").close()  # says at once that it cannot be written
    runs = list({key(run.inputs): run for run in plan}.items())
    missing = [run for name, run in runs[RANK::WORLD] if name not in rows]
    bar = tqdm(missing, unit="run", position=RANK, leave=RANK == 0)
    for run in bar:
        bar.set_description(" ".join(str(value) for value in run.inputs.values() if not isinstance(value, dict)))
        begin = time.process_time()
        row = {**run.inputs, **run.outcome(), "seconds": round(time.process_time() - begin, 1)}
        rows[key(row)] = row
        if path:
            append(path, row)
    return [rows[name] for name in (key(run.inputs) for run in plan) if name in rows]
