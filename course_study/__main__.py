"""Does every run of a plan, and adds a line to the file for each that is finished.

A plan trains one small model for every task, scheme and seed, and tests each at the training length and beyond. Names
of tasks and of schemes replace those of the preset; "compared", "later", "controls", "decays" and "ablation" name many
schemes. The preset "repairs" repairs RoPE for longer texts (its names are tasks and repairs), "two_layers" adds a layer
or a head to a model of one layer (its names are its tasks), and "released" changes the released model (its names are
experiments and texts).

You can stop it at any time; run the same command again to resume. It uses one core, or several with --processes. To use
several machines, start it under torchrun, which deals the runs to all of them.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from . import presets, repairs, two_layers
from .data import TASKS
from .driver import RANK, Run, sweep
from .presets import PRESETS
from .results import Row
from .settings import Settings
from .summary import table


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m course_study", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"tasks ({', '.join(TASKS)}) and schemes")
    every = [*PRESETS, "two_layers", "released"]
    parser.add_argument("--preset", choices=every, default="quick", help="quick by default")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the results; study-PRESET.jsonl by default")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many, from 0 on")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="at once, one thread each; 1 by default")
    for field in fields(Settings):
        kind: dict[str, Any] = {"type": type(field.default), "metavar": "X", "help": f"{field.default} in quick"}
        if field.name == "tests":
            kind = {"nargs": "+", "type": int, "metavar": "X", "help": "1, 2, 4 and 8 times the length"}
        if field.name == "far_masked":
            kind = {"action": "store_true", "default": None, "help": "test again without the far keys"}
        parser.add_argument(f"--{field.name.replace('_', '-')}", **kind)
    return parser.parse_args(argv)


def planned(given: argparse.Namespace) -> list[Run]:
    """The plan that a command names. Raises ValueError for names, sizes and devices that there are not."""
    if given.preset == "released":
        from .released.plan import plan as released  # this reads the model

        return released(given.names)
    if given.preset == "two_layers":
        return two_layers.plan(given.names, given.seeds or 3, given.steps)
    preset, changed = PRESETS[given.preset], {f.name: getattr(given, f.name) for f in fields(Settings)}
    changed = {name: value for name, value in changed.items() if value is not None}
    if given.length:
        changed = {"tests": (), "measured": 0, **changed}  # the defaults of that length
    settings = replace(preset.settings, **changed)
    tasks = [name for name in given.names if name in TASKS] or preset.tasks
    names = [name for name in given.names if name not in TASKS] or preset.schemes
    asked = settings, tasks, names, given.seeds or preset.seeds
    return repairs.plan(*asked) if given.preset == "repairs" else presets.plan(*asked)


def report(given: argparse.Namespace, rows: Sequence[Row]) -> str:
    return f"All {len(rows)} rows are in {given.out}." if given.preset in ("released", "two_layers") else table(rows)


def under_torchrun(processes: int, argv: Sequence[str]) -> int:
    """The same command in so many processes of this machine."""
    from torch.distributed import run
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    try:
        run.main(["--standalone", "--nproc-per-node", str(processes), "-m", "course_study", *argv])
    except SignalException as stopped:
        return 128 + stopped.sigval
    except ChildFailedError:
        return 1
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    given = arguments(argv)
    given.out = given.out or Path(f"study-{given.preset}.jsonl")
    if given.processes > 1 and "RANK" not in os.environ:
        return under_torchrun(given.processes, argv)
    try:
        rows = sweep(planned(given), given.out)
    except (ValueError, OSError) as error:
        print(f"python -m course_study: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if RANK == 0:
            print(f"\nStopped. Finished runs are in {given.out}; the same command resumes.", file=sys.stderr)
        return 130
    if RANK == 0:
        print(report(given, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
