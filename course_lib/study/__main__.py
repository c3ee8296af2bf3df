"""python -m course_lib.study [--preset cpu|gpu --tasks … --schemes … --seeds N --length N … --out FILE]

Trains one small model for every task, scheme and seed, tests each at the training length and beyond, and adds a line to
FILE for every finished run. Stop it when you like: the same command goes on. It takes all cores of one machine;
for more machines start it under torchrun, and the runs are dealt over the processes of all of them.
"""

import argparse
import os
import sys
from dataclasses import fields, replace
from pathlib import Path

import torch

from . import results, schemes
from .data import TASKS
from .processes import ALONE, Place, collect, start_local
from .settings import PRESETS, SEEDS, Settings
from .summary import table
from .sweep import plan, sweep

CHANGEABLE = {field.name: field for field in fields(Settings) if field.name not in ("tests", "device")}


def arguments(argv: list[str] | None = None) -> tuple[argparse.Namespace, Settings]:
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.study", description=__doc__.split("\n\n", 1)[1], allow_abbrev=False
    )
    parser.add_argument("--preset", choices=PRESETS, default="cpu")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="TASK", help=f"of: {', '.join(TASKS)}")
    parser.add_argument("--schemes", nargs="+", metavar="SCHEME", help="'compared' (default), 'ablation', or names")
    parser.add_argument("--seeds", type=int, help="how many, from 0 on; 3, or 5 with the gpu preset")
    parser.add_argument("--tests", nargs="+", type=int, metavar="N", help="test lengths; 1, 2, 4, 8 times the length")
    parser.add_argument("--device", choices=["cpu", "cuda"])
    for name, field in CHANGEABLE.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(field.default), metavar="X")
    parser.add_argument("--out", type=Path, help="the results file; study-PRESET.jsonl by default")
    parser.add_argument("--processes", type=int, help="at once, each with one thread; one per core or GPU")
    given = parser.parse_args(argv)
    try:
        changed = {name: getattr(given, name) for name in (*CHANGEABLE, "device") if getattr(given, name) is not None}
        if given.tests or given.length:
            changed["tests"] = tuple(given.tests or ())
        settings = replace(PRESETS[given.preset], **changed)
        given.seeds = SEEDS[given.preset] if given.seeds is None else given.seeds
        groups = {"compared": schemes.compared(settings.length), "ablation": schemes.ablation()}
        names = given.schemes or ["compared"]
        given.schemes = list(dict.fromkeys(name for group in names for name in groups.get(group, [group])))
        given.out = given.out or Path(f"study-{given.preset}.jsonl")
        check(given, settings)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    return given, settings


def check(given: argparse.Namespace, settings: Settings) -> None:
    """A ValueError or OSError for what would fail later: before the first run, not after an hour."""
    for name in given.schemes:
        schemes.find(name).position(settings)
    for name in given.tasks:
        if name not in TASKS:
            raise ValueError(f"--tasks {name}: expected some of {', '.join(TASKS)}")
    for name in ("seeds", "processes"):
        number = getattr(given, name)
        if number is not None and number < 1:
            raise ValueError(f"--{name} {number}: expected a whole number, 1 or more")
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: torch sees no GPU here")
    if given.out.is_dir() or not os.access(given.out if given.out.exists() else given.out.parent, os.W_OK):
        raise ValueError(f"--out {given.out}: expected a file that can be written, in a folder that exists")
    results.read(given.out, settings)


def processes(given: argparse.Namespace, settings: Settings, runs: list[results.Key]) -> int:
    """How many to start here: one per core or GPU unless told, and no more than there are runs left to do."""
    done = {results.key(row) for row in results.read(given.out, settings)[0]}
    default = torch.cuda.device_count() if settings.device == "cuda" else os.cpu_count() or 1
    return max(1, min(given.processes or default, sum(one not in done for one in runs)))


def main(argv: list[str] | None = None) -> int:
    given, settings = arguments(argv)
    runs = plan(given.tasks, given.schemes, given.seeds)
    place = Place.of_this_process()
    first = place is None or (place.torchrun and place.rank == 0)  # the one that speaks
    try:
        number = processes(given, settings, runs) if place is None else 1
        if number > 1 and (failed := start_local(number, sys.argv[1:] if argv is None else argv)):
            return failed
        if number == 1:
            sweep(settings, runs, given.out, place=place or ALONE)
        if place is not None and place.torchrun:
            collect(given.out, settings)
    except KeyboardInterrupt:
        if first:
            print(f"\nStopped. Finished runs are in {given.out}; the same command goes on.", file=sys.stderr)
        return 130
    if first:
        done = {results.key(row): row for row in results.read(given.out, settings)[0]}
        print(table([done[one] for one in runs]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
