"""Does every run of a plan, and adds a line to the file for each that is finished.

A plan trains one small model for every task, scheme and seed, and tests each at the training length and beyond. Names
of tasks and of schemes replace those of the preset; "compared", "later", "controls" and "decays" name many schemes. The
preset "repairs" repairs RoPE for longer texts (its names are tasks and repairs), "two_layers" adds a layer or a head to
a model of one layer (its names are its tasks), and "released" changes the released model (its names are experiments and
texts). Other sizes and rates: `study.sweep(study.plan(study.Settings(…), …), "mine.jsonl")` in Python.

You can stop it at any time; run the same command again to resume. It uses one core, or several with --processes. With
several machines, start it on each with RANK=0 WORLD_SIZE=2, RANK=1 WORLD_SIZE=2 and so on before the command, which
gives it a share of the runs, and put the files together at the end.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import repairs, two_layers
from .data import TASKS
from .results import WORLD, Run, sweep
from .run import plan
from .settings import PRESETS
from .summary import table

OPTIONS = {"length": "in training; tests are 1, 2, 4 and 8 times as long", "steps": "", "seeds": "how many, from 0 on"}
OTHERS = {"two_layers": ("steps", "seeds"), "released": ()}  # the other presets, and the options that they have


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m course_study", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"tasks ({', '.join(TASKS)}) and schemes")
    parser.add_argument("--preset", choices=[*PRESETS, *OTHERS], default="quick", help="quick by default")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the results; study-PRESET.jsonl by default")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="at once, one thread each; 1 by default")
    for option, said in OPTIONS.items():
        parser.add_argument(f"--{option}", type=int, metavar="N", help=said)
    return parser.parse_args(argv)


def planned(given: argparse.Namespace) -> list[Run]:
    """The plan that a command names. Raises ValueError for names, sizes and options that there are not."""
    options: dict[str, Any] = {name: getattr(given, name) for name in OPTIONS if getattr(given, name) is not None}
    for unknown in options.keys() - OTHERS.get(given.preset, OPTIONS):
        raise ValueError(f"--{unknown}: the preset {given.preset} has no such option")
    if given.preset == "two_layers":
        return two_layers.plan(given.names, **options)
    if given.preset == "released":
        from .released.plan import plan as released  # this reads the model

        return released(given.names)
    preset = PRESETS[given.preset]
    seeds = options.pop("seeds", preset.seeds)
    if "length" in options:
        options |= {"tests": (), "measured": 0}  # the defaults of that length
    tasks = [name for name in given.names if name in TASKS] or preset.tasks
    names = [name for name in given.names if name not in TASKS] or preset.schemes
    asked = replace(preset.settings, **options), tasks, names, seeds
    return repairs.plan(*asked) if given.preset == "repairs" else plan(*asked)


def share(processes: int, argv: Sequence[str]) -> None:
    """The same command in so many processes, each of which does its share of the runs."""
    command, several = [sys.executable, "-m", "course_study", *argv], {**os.environ, "WORLD_SIZE": str(processes)}
    for started in [subprocess.Popen(command, env={**several, "RANK": str(rank)}) for rank in range(processes)]:
        started.wait()


def main(argv: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    given = arguments(argv)
    out = given.out or Path(f"study-{given.preset}.jsonl")
    try:
        runs = planned(given)
        if given.processes > 1 and WORLD == 1:
            share(given.processes, argv)
        rows = sweep(runs, out)  # also what a process has left undone
    except (ValueError, OSError) as error:
        print(f"python -m course_study: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if WORLD == 1:
            print(f"\nStopped. Finished runs are in {out}; the same command resumes.", file=sys.stderr)
        return 130
    if WORLD == 1:
        print(f"All {len(rows)} rows are in {out}." if given.preset in OTHERS else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
