"""How long is long enough? Each scheme is trained again with twice the steps, until its loss does not change any more.

Every training begins from the start, with a learning-rate schedule of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .driver import Plan, Run
from .presets import plan as plan_of
from .results import Row, key, pick
from .settings import Settings

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


def plan(settings: Settings, tasks: Sequence[str], names: Sequence[str], seeds: int) -> Plan:
    """All runs of the smallest budget, and of each further one those that had not converged before it."""

    def runs(rows: Sequence[Row]) -> list[Run]:
        done, found, before = {key(row) for row in rows}, list[Run](), dict[int, list[Row]]()
        for steps in BUDGETS:
            if any(key(run.inputs) not in done for run in found):
                break
            budget = replace(settings, steps=steps)
            for run in plan_of(budget, tasks, names, seeds):
                if converged(before, run.inputs["task"], run.inputs["scheme"], seeds) is None:
                    found.append(run)
            before[steps] = [row for row in rows if row["settings"] == budget.as_json()]
        return found

    return runs


def report(rows: Sequence[Row], seeds: int) -> str:
    """A line for every task and scheme: how many steps were enough."""
    budgets = {steps: [row for row in rows if row["settings"]["steps"] == steps] for steps in BUDGETS}
    lines = []
    for task, scheme in dict.fromkeys((row["task"], row["scheme"]) for row in rows):
        enough = converged(budgets, task, scheme, seeds)
        lines.append(f"{task:12} {scheme:20} {'not converged' if enough is None else f'converged: {enough} steps'}")
    return "\n".join(lines)
