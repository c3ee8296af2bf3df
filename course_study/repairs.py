"""Repairs of RoPE: models trained on short texts are changed, trained a little further, and tested on longer texts.

For each task and seed, a model with RoPE is trained as the long preset says. Each repair is put into a copy of it, and
so is RoPE as it was, which is the control. Every copy is tested at once, and again after 60 and 600 further steps on
texts of the new length, with as many tokens a step.
"""

import copy
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import torch

from course_lib.checks import check_choice
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import interpolated, llama3, ntk, yarn, yarn_factor

from .data import TASKS
from .model import Model
from .results import Row, Run
from .run import evaluate, inputs, learn, reproducible, texts, train
from .settings import Settings

FURTHER = (0, 60, 600)  # steps
RATE = 1e-3  # of the further steps, constant
SEED = 1000  # of the texts in further steps, past those of the seeds of training


def repairs(settings: Settings) -> dict[str, Callable[[], Position]]:
    """The position of a layer for every repair that stretches RoPE from the training length to the longest test."""
    d, length, s = settings.d_head, settings.length, settings.longest / settings.length
    theta = frequencies(d)
    return {
        "as trained": lambda: RoPE(d),
        "interpolated": lambda: RoPE(d, speeds=interpolated(theta, s)),
        "NTK": lambda: RoPE(d, speeds=ntk(theta, s)),
        "YaRN's code": lambda: RoPE(d, speeds=yarn(d, s, length), factor=yarn_factor(s)),
        "Llama 3": lambda: RoPE(d, speeds=llama3(theta, s, length)),
        "base 500,000": lambda: RoPE(d, base=500000.0),
        "window": lambda: Combined(RoPE(d), SlidingWindow(length)),
    }


def repaired(model: Model, make: Callable[[], Position], settings: Settings, task: str, steps: int, seed: int) -> Model:
    """A copy of the model with another position in each layer, after `steps` further steps on texts of that length."""
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        block.attention.position = make()
    with reproducible(seed):
        optimizer = torch.optim.AdamW(changed.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
        learn(changed, optimizer, texts(settings, task, SEED + seed, steps))
    return changed


def plan(settings: Settings, tasks: Sequence[str], names: Sequence[str], seeds: int = 3) -> list[Run]:
    """Every repair, or those of these names, after 0, 60 and 600 further steps.

    Raises ValueError for an unknown task or repair.
    """
    every = repairs(settings)
    for name in names:
        check_choice("name", name, [*TASKS, *every])
    at = [(steps, settings.longest if steps else settings.length) for steps in FURTHER]
    trained = functools.lru_cache(maxsize=1)(functools.partial(train, settings, scheme="rope"))

    def outcome(task: str, seed: int, name: str, steps: int, n: int) -> Row:
        batch = max(1, settings.batch * settings.length // n)
        further = replace(settings, length=n, batch=batch)
        model = repaired(trained(task=task, seed=seed), every[name], further, task, steps, seed)
        return {"repair": name, "further": steps, "at": n, **evaluate(model, settings, task)}

    return [
        Run(inputs(settings, task, f"{name}, {steps} at {n}", seed), partial(outcome, task, seed, name, steps, n))
        for seed, task, name, (steps, n) in product(range(seeds), tasks, names or every, at)
    ]
