"""python -m course_lib.study [--preset quick|long|gpu --tasks … --schemes … --seeds N --length N … --out FILE]

Trains one small model for every task, scheme and seed, tests each at the training length and beyond, and adds a line to
FILE for every finished run. You can stop it at any time; run the same command again to resume. It uses all cores of one
machine. To use several machines, start it under torchrun, which deals the runs out to all of them.
"""

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import torch

from . import results, schemes
from .data import QUICK, TASKS
from .distributed import Worker, collect, join, start_local
from .parser import Parser
from .run import check_asked
from .settings import PRESETS, SEEDS, Settings
from .summary import table
from .sweep import plan, sweep

CHANGEABLE = {field.name: field for field in fields(Settings) if field.name not in ("tests", "device", "far_masked")}
RESUME = "Finished runs are in {}; run the same command again to resume."


def arguments(argv: Sequence[str]) -> tuple[argparse.Namespace, Settings]:
    parser = Parser("course_lib.study", __doc__.split("\n\n", 1)[1])
    parser.add_argument("--preset", choices=PRESETS, default="quick", help="sizes and steps; quick by default")
    parser.add_argument("--tasks", nargs="+", default=list(QUICK), metavar="TASK", help=f"of: {', '.join(TASKS)}")
    parser.add_argument("--schemes", nargs="+", metavar="SCHEME", help="'compared', 'later', 'ablation', or names")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many, from 0 on; 3, or 5 with the gpu preset")
    parser.add_argument("--tests", nargs="+", type=int, metavar="N", help="test lengths; 1, 2, 4, 8 times the length")
    parser.add_argument("--device", choices=["cpu", "cuda"])
    for name, field in CHANGEABLE.items():
        usual = ", ".join(f"{getattr(settings, name)} ({preset})" for preset, settings in PRESETS.items())
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(field.default), metavar="X", help=usual)
    parser.add_argument("--far-masked", action="store_true", default=None, help="test again without the far keys")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the results; study-PRESET.jsonl by default")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="at once, each with one thread; one per core or GPU by default"
    )
    given = parser.parse_args(argv)
    try:
        names = (*CHANGEABLE, "far_masked", "device")
        changed = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
        if given.tests or given.length:
            changed["tests"] = tuple(given.tests or ())
        if given.length and given.measured is None:
            changed["measured"] = 0  # the default of that length
        settings = replace(PRESETS[given.preset], **changed)
        given.seeds = SEEDS[given.preset] if given.seeds is None else given.seeds
        given.schemes = named(given.schemes or ["compared"], settings)
        given.tasks = list(dict.fromkeys(given.tasks))
        given.out = given.out or Path(f"study-{given.preset}.jsonl")
        check(given, settings)
    except (ValueError, OSError) as error:
        parser.error(as_typed(str(error)))
    return given, settings


def named(names: list[str], settings: Settings) -> list[str]:
    """Each scheme once, with the groups spelled out. A ValueError for one that there is not, or not at this length."""
    found: dict[str, None] = {}
    for name in names:
        groups = {"compared": schemes.compared, "later": schemes.later, "ablation": lambda length: schemes.ablation()}
        found |= dict.fromkeys(groups[name](settings.length) if name in groups else [name])
    for name in found:
        try:
            for make in schemes.find(name).layers:
                make(settings)
        except ValueError as error:
            reason = str(error).removeprefix(f"scheme={name!r}: ")
            at = f" at --length {settings.length}" * ("-buckets-" in name)  # where such a table ends
            raise ValueError(f"--schemes {name}{at}: {reason}") from error
    return list(found)


def check(given: argparse.Namespace, settings: Settings) -> None:
    """A ValueError or OSError for what would fail later: before the first run, not after an hour."""
    for name in ("seeds", "processes"):
        number = getattr(given, name)
        if number is not None and number < 1:
            raise ValueError(f"--{name} {number}: expected a whole number, 1 or more")
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: torch sees no GPU here; expected cpu, which --preset quick is made for")
    for name in given.tasks:
        if name not in TASKS:
            raise ValueError(f"--tasks {name}: expected some of {', '.join(TASKS)}")
        check_asked(settings, name)
    exists = given.out.exists()
    if (exists and not given.out.is_file()) or not os.access(given.out if exists else given.out.parent, os.W_OK):
        raise ValueError(f"--out {given.out}: expected a file that can be written, in a folder that exists")
    results.read(given.out, settings)


def as_typed(message: str) -> str:
    """What the library calls test_texts=0 or tests=(8, 9) was typed as --test-texts 0 or --tests 8 9."""
    head, colon, rest = message.partition(": ")
    one = rf"({'|'.join(field.name for field in fields(Settings))})=(\([^)]*\)|[^\s,]+)"
    if not re.fullmatch(f"{one}(, {one})*", head):
        return message
    return re.sub(one, lambda m: f"--{m[1].replace('_', '-')} {re.sub('[(),]', '', m[2])}", head) + colon + rest


def done_before(given: argparse.Namespace, settings: Settings, runs: list[results.Key]) -> int:
    """How many of the runs stand in the file."""
    return len({results.key(row) for row in results.read(given.out, settings)[0]} & set(runs))


def processes(given: argparse.Namespace, settings: Settings, left: int) -> int:
    """How many to start here: one per core or GPU unless told, and no more than there are runs left to do."""
    default = torch.cuda.device_count() if settings.device == "cuda" else os.cpu_count() or 1
    return max(1, min(given.processes or default, left))


def main(argv: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    given, settings = arguments(argv)
    runs, worker = plan(given.tasks, given.schemes, given.seeds), Worker.of_this_process()
    first = worker is None or (worker.torchrun and worker.rank == 0)  # the one that speaks
    try:
        done = done_before(given, settings, runs)
        if first and done:
            skipped = "" if done == len(runs) else ", and not done again"
            print(f"{done} of {len(runs)} runs are in {given.out} already{skipped}.", file=sys.stderr)
        if worker is None:
            if torn := results.drop_torn_end(given.out):
                print(torn, file=sys.stderr)
            number = processes(given, settings, len(runs) - done)
            if number > 1 and start_local(number, argv):
                return 1
        elif worker.torchrun:
            group = join()
            collect(given.out, settings, sweep(settings, runs, given.out, worker=worker), group)
        else:
            sweep(settings, runs, given.out, worker=worker)
        if first:  # does what one process alone has to do; after several, nothing is left
            print(table(sweep(settings, runs, given.out)))
    except KeyboardInterrupt as stopped:
        if first:
            print(f"\nStopped. {RESUME.format(given.out)}", file=sys.stderr)
        return 128 + (stopped.args[0] if stopped.args else signal.SIGINT)  # as a shell does
    except (OSError, ValueError) as error:
        print(f"\nStopped: {error}. {RESUME.format(given.out)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
