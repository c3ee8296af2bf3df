"""One driver for every plan: what is in the results file is skipped, and the other runs are done and written down.

Under torchrun, the runs that are left are dealt to all processes like cards. It does not matter which process does a
run, because each has one thread, and one that dies loses only the run it was doing.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tqdm.auto import tqdm

from .results import Row, append, key, read

RANK, LOCAL_RANK = (int(os.environ.get(name, 0)) for name in ("RANK", "LOCAL_RANK"))  # as torchrun says
WORLD = int(os.environ.get("WORLD_SIZE", 1))


@dataclass(frozen=True)
class Run:
    """One row of a results file: `inputs` are all that the result depends on, and `outcome()` computes the result."""

    inputs: Row
    outcome: Callable[[], Row]


def sweep(plan: Sequence[Run], path: str | Path | None = None) -> list[Row]:
    """The results of all runs of a plan, in its order. With a path, each is added to the file before the next begins.

    Raises ValueError as `read` does and as the runs do, and OSError if the file cannot be written.
    """
    rows = {key(row): row for row in read(path)} if path else {}
    if path:
        open(path, "ab").close()  # says at once that it cannot be written
    runs = {key(run.inputs): run for run in plan}
    rows |= {key(row): row for row in exchanged(list(rows.values()), path)}  # so that all deal the same runs
    missing = [run for name, run in runs.items() if name not in rows]
    bar = tqdm(missing[RANK::WORLD], unit="run", position=RANK, leave=RANK == 0)
    for run in bar:
        bar.set_description(" ".join(str(value) for value in run.inputs.values() if not isinstance(value, dict)))
        begin = time.process_time()
        row = {**run.inputs, **run.outcome(), "seconds": round(time.process_time() - begin, 1)}
        rows[key(row)] = row
        if path:
            append(path, row)
    rows |= {key(row): row for row in exchanged(list(rows.values()), path)}
    return [rows[key(run.inputs)] for run in plan]


def exchanged(rows: list[Row], path: str | Path | None) -> list[Row]:
    """The rows of all processes; each machine adds those of the others to its own file."""
    if WORLD == 1:
        return rows
    import torch.distributed as dist  # not in every torch there is

    if not dist.is_initialized():
        dist.init_process_group("gloo", timeout=timedelta(days=7))  # the first to end waits for the last
    everywhere: list[list[Row]] = [[] for _ in range(WORLD)]
    dist.all_gather_object(everywhere, rows)
    found = {key(row): row for theirs in everywhere for row in theirs}
    if path and LOCAL_RANK == 0:
        here = {key(row) for row in read(path)}
        for name in found.keys() - here:
            append(path, found[name])
    return list(found.values())
