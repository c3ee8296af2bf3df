"""Repairs of RoPE: models trained on short texts are changed, trained a little further, and tested on longer texts.

    python -m course_lib.study.repairs --out FILE [--steps N --tasks … --seeds …]

For each task and seed, a model with RoPE is trained as the long preset says. Each repair is put into a copy of it, and
so is RoPE as it was, which is the control. Every copy is tested at once, and again after 60 and 600 further steps on
texts of the old length and of the new one, with as many tokens a step. You can stop it at any time; run the same
command again to resume. To use more cores, start it for each task.
"""

import copy
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import torch
from tqdm.auto import tqdm

from ..nn.position import Combined, Position
from ..nn.rope import RoPE
from ..nn.sliding_window import SlidingWindow
from ..reference.absolute import frequencies
from ..reference.speeds import by_parts, dynamic_ntk, interpolated, llama3, ntk, yarn, yarn_factor
from . import results
from .data import find_task
from .model import Model
from .parser import Parser
from .run import evaluate, reproducible, texts, train, training
from .settings import PRESETS, Settings

FURTHER = (0, 60, 600)  # steps
RATE = 1e-3  # of the further steps, constant
SEED = 1000  # of the texts in further steps, past those of the seeds of training


def repairs(settings: Settings) -> dict[str, Callable[[], Position]]:
    """The position of a layer for every repair that stretches RoPE from the training length to the longest test."""
    d, length, s = settings.d_model // settings.n_heads, settings.length, settings.longest / settings.length
    theta, factor = frequencies(d), yarn_factor(s)
    return {
        "as trained": lambda: RoPE(d),
        "interpolated": lambda: RoPE(d, speeds=interpolated(theta, s)),
        "NTK": lambda: RoPE(d, speeds=ntk(theta, s)),
        "dynamic NTK": lambda: RoPE(d, speeds=lambda n: dynamic_ntk(theta, n, length)),
        "YaRN's equations": lambda: RoPE(d, speeds=by_parts(theta, s, length), factor=factor),
        "YaRN's code": lambda: RoPE(d, speeds=yarn(d, s, length), factor=factor),
        "YaRN's code, no factor": lambda: RoPE(d, speeds=yarn(d, s, length)),
        "Llama 3": lambda: RoPE(d, speeds=llama3(theta, s, length)),
        "base 500,000": lambda: RoPE(d, base=500000.0),
        "window": lambda: Combined(RoPE(d), SlidingWindow(length)),
        "no positions": Position,
    }


def repaired(model: Model, make: Callable[[], Position], settings: Settings, task: str, steps: int, seed: int) -> Model:
    """A copy of the model with another position in each layer, after `steps` further steps on texts of that length."""
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        block.attention.position = make()
    with reproducible(seed):
        optimizer = torch.optim.AdamW(changed.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
        for _ in training(changed, optimizer, texts(settings, task, SEED + seed, steps)):
            pass
    return changed


def main(argv: Sequence[str] | None = None) -> int:
    settings = PRESETS["long"]
    parser = Parser("course_lib.study.repairs", __doc__.split("\n\n", 2)[2])
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--steps", type=int, default=settings.steps, metavar="N", help="of training, before any repair")
    parser.add_argument("--tasks", nargs="+", default=["characters", "copy-back", "retrieval"], metavar="TASK")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="SEED")
    given = parser.parse_args(argv)
    try:
        settings = replace(settings, steps=given.steps)
        for task in given.tasks:
            find_task(task)
    except ValueError as error:
        parser.error(str(error))
    at = [(steps, n) for n in (settings.length, settings.longest) for steps in FURTHER if steps or n == settings.length]
    for seed, task in product(given.seeds, given.tasks):
        done = {results.key(row) for row in results.read(given.out, settings)[0]}
        asked = [(f"{name}, {steps} at {n}", name, steps, n) for name in repairs(settings) for steps, n in at]
        left = [one for one in asked if (task, one[0], seed) not in done]
        model = train(settings, task, "rope", seed) if left else None
        for key, name, steps, n in tqdm(left, desc=f"{task} {seed}", unit="repair", disable=not left):
            assert model is not None
            begin = time.perf_counter()
            batch = max(1, settings.batch * settings.length // n)
            further = replace(settings, length=n, batch=batch, tests=())
            tuned = repaired(model, repairs(settings)[name], further, task, steps, seed)
            row = {"task": task, "scheme": key, "seed": seed, **evaluate(tuned, settings, task)}
            row |= {"repair": name, "further": steps, "at": n, "settings": settings.as_json()}
            results.append(given.out, {**row, "seconds": round(time.perf_counter() - begin, 1)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
