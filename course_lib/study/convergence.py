"""How long is long enough? Each scheme is trained again with twice the steps, until its loss does not change any more.

    python -m course_lib.study.convergence --out FOLDER [--tasks … --schemes … --seeds N --processes N …]

Trains every scheme on every task for 1,000 steps, for 2,000 and for 4,000, each time from the start with a
learning-rate schedule of its own. The results of a budget go into FOLDER/long-STEPS.jsonl. A scheme that has converged
on a task is not trained any longer. You can stop it at any time; run the same command again to resume. All other
options are those of `python -m course_lib.study`.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import results, schemes
from .__main__ import main as study
from .data import TASKS
from .parser import Parser
from .results import Row, pick
from .settings import PRESETS, SEEDS

BUDGETS = (1000, 2000, 4000)  # steps, each twice the one before
BOUND = 0.02  # nats: stated before the first run


def converged(budgets: Mapping[int, Sequence[Row]], task: str, scheme: str, seeds: int) -> int | None:
    """The smallest budget that was enough: twice its steps change no seed's loss at the training length by BOUND.

    budgets: the results of each number of steps. None as long as no budget was shown to be enough for all the seeds.
    """
    for steps in sorted(budgets):
        few, many = (
            {row["seed"]: row["loss"][0] for row in pick(budgets.get(n, ()), task=task, scheme=scheme)}
            for n in (steps, 2 * steps)
        )
        if few.keys() & many.keys() >= set(range(seeds)) and all(abs(few[s] - many[s]) < BOUND for s in range(seeds)):
            return steps
    return None


def read(folder: Path) -> dict[int, list[Row]]:
    """The results of each budget that has a file in the folder."""
    return {steps: results.read(path)[0] for steps in BUDGETS if (path := file(folder, steps)).exists()}


def file(folder: Path, steps: int) -> Path:
    return folder / f"long-{steps}.jsonl"


def main(argv: Sequence[str] | None = None) -> int:
    settings = PRESETS["long"]
    parser = Parser("course_lib.study.convergence", __doc__.split("\n\n", 2)[2])
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="TASK")
    parser.add_argument("--schemes", nargs="+", metavar="SCHEME", help="'compared' and 'later' by default")
    parser.add_argument("--seeds", type=int, default=SEEDS["long"], metavar="N")
    given, others = parser.parse_known_args(argv)
    asked = given.schemes or [*schemes.compared(settings.length), *schemes.later(settings.length)]
    given.out.mkdir(parents=True, exist_ok=True)
    for steps in BUDGETS:
        for task in given.tasks:
            before = read(given.out)
            left = [scheme for scheme in asked if converged(before, task, scheme, given.seeds) is None]
            if not left:
                continue
            words = ["--preset", "long", "--steps", steps, "--tasks", task, "--schemes", *left, "--seeds", given.seeds]
            if status := study([*map(str, words), "--out", str(file(given.out, steps)), *others]):
                return status
    for task in given.tasks:
        for scheme in asked:
            enough = converged(read(given.out), task, scheme, given.seeds)
            print(f"{task:12} {scheme:20} {'not converged' if enough is None else f'converged: {enough} steps'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
