"""Many runs, one after another: what is finished is skipped, and each result is on the disk before the next run."""

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from tqdm.auto import tqdm

from . import results
from .distributed import ALONE, Worker
from .results import Key, Row
from .run import run
from .settings import Settings


def plan(tasks: Sequence[str], schemes: Sequence[str], seeds: int) -> list[Key]:
    """Every run there is to do, seed by seed, so that a sweep that is stopped has something of everything."""
    return [(task, scheme, seed) for seed, task, scheme in product(range(seeds), tasks, schemes)]


def sweep(
    settings: Settings, runs: Sequence[Key], path: str | Path | None = None, *, worker: Worker = ALONE
) -> list[Row]:
    """The results of all runs, in order. With a path: what stands there is not done again, and each run is added.

    worker: which of how many processes this is; it does its share of the runs and returns their results.
    Raises ValueError as `run` and `results.read` do, and OSError when the file cannot be written.
    """
    rows, notes = results.read(path, settings) if path else ([], [])
    done = {results.key(row): row for row in rows}
    if notes and worker.rank == 0 and not done.keys() >= set(runs):
        print(*notes, sep="\n", file=sys.stderr)
    runs = worker.share(runs)
    left = [one for one in dict.fromkeys(runs) if one not in done]
    with tqdm(left, unit="run", position=worker.rank, leave=worker.rank == 0, disable=not left) as bar:
        for one in bar:
            if worker.abandoned():
                sys.exit("The process that started this one is gone.")
            bar.set_description("{} {} {}".format(*one))
            done[one] = run(settings, *one)
            if path:
                results.read(path, settings)  # has somebody begun another study in the same file meanwhile?
                results.append(path, done[one])
    return [done[one] for one in runs]
