"""The plans that have a name: settings, tasks, schemes and seeds of the committed results, and of longer studies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from . import schemes
from .data import TASKS
from .results import Run
from .run import check_length, inputs, run
from .settings import Settings

LONG = Settings(steps=2000, far_masked=True)


@dataclass(frozen=True)
class Preset:
    """schemes: names of the study, and of its `groups`."""

    settings: Settings
    tasks: tuple[str, ...] = ("characters", "copy-back")
    schemes: tuple[str, ...] = ("compared",)
    seeds: int = 3


PRESETS = {
    "quick": Preset(Settings()),
    "long": Preset(LONG, tuple(TASKS), ("compared", "later")),
    "controls": Preset(LONG, schemes=("controls",)),
    "decays": Preset(LONG, ("characters", "flip-flop"), ("decays",)),
    "longer": Preset(replace(LONG, steps=4000), ("characters",), ("compared", "later", "controls")),
    "p-rope": Preset(LONG, schemes=("p-rope-0.5", "p-rope-0.25")),
    "table-rate-1": Preset(replace(LONG, table_rate=1.0), ("characters",), ("t5-256", "t5-64")),
    "repairs": Preset(LONG, schemes=()),
}


def plan(settings: Settings, tasks: Sequence[str], names: Sequence[str], seeds: int = 3) -> list[Run]:
    """Every run there is to do, seed by seed, so that a sweep that is stopped has something of everything.

    names: schemes, and groups of them. Raises ValueError, before the first run, for a task or scheme that there is not,
    or not in these settings.
    """
    groups = schemes.groups(settings.length)
    every = [scheme for name in names for scheme in groups.get(name, [name])]
    for scheme in every:
        try:
            for make in schemes.find(scheme).layers:
                make(settings)
        except ValueError as error:
            raise ValueError(f"scheme={scheme!r}, length={settings.length}: {error}") from error
    for task in tasks:
        check_length(settings, task)
    runs = product(range(seeds), dict.fromkeys(tasks), dict.fromkeys(every))
    return [
        Run(inputs(settings, task, scheme, seed), partial(run, settings, task, scheme, seed))
        for seed, task, scheme in runs
    ]
