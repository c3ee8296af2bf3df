"""Does every run of a preset, and adds a line to the file for each that is finished.

Names choose some of them. Most presets train one small model for every task, scheme and seed, and test each at the
training length and beyond; any scheme of the study may be named. "repairs" repairs RoPE for longer texts (its names are
tasks and repairs), "two_layers" adds a layer or a head to a model of one layer (its names are its tasks), and
"released" changes the released model (its names are experiments and texts). Other steps, sizes, rates and seeds:
`study.sweep(study.plan(study.Settings(…), …), "mine.jsonl")` in Python.

You can stop it at any time; run the same command again to resume. It uses one core. To use several, start it once for
each task, each time in another terminal. All may write to one file, and without names it then prints the whole table.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import repairs, two_layers
from .data import TASKS
from .results import Run, sweep
from .run import plan
from .settings import PRESETS
from .summary import table
from .variants import VARIANTS

OTHERS = ("two_layers", "released")  # presets without a table


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m course_study", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"tasks ({', '.join(TASKS)}) and schemes ({', '.join(VARIANTS)})"
    )
    parser.add_argument("--preset", choices=[*PRESETS, *OTHERS], default="quick", help="quick by default")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the results; study-PRESET.jsonl by default")
    return parser.parse_args(argv)


def planned(preset: str, names: Sequence[str] = ()) -> list[Run]:
    """The plan of a preset, or of it what has these names. Raises ValueError for a name that there is not."""
    if preset == "two_layers":
        return two_layers.plan(names)
    if preset == "released":
        from .released.plan import plan as released  # this reads the model

        return released(names)
    settings, tasks, schemes = PRESETS[preset]
    tasks = [name for name in names if name in TASKS] or tasks
    schemes = [name for name in names if name not in TASKS] or schemes
    return (repairs.plan if preset == "repairs" else plan)(settings, tasks, schemes)


def main(argv: Sequence[str] | None = None) -> int:
    given = arguments(sys.argv[1:] if argv is None else argv)
    out = given.out or Path(f"study-{given.preset}.jsonl")
    try:
        rows = sweep(planned(given.preset, given.names), out)
    except (ValueError, OSError) as error:
        print(f"python -m course_study: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nStopped. Finished runs are in {out}; the same command resumes.", file=sys.stderr)
        return 130
    print(f"All {len(rows)} rows are in {out}." if given.preset in OTHERS else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
