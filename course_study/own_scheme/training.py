"""What does a scheme learn? A model of the study with it, beside those of the study's own schemes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..model import Model
from ..report import Report
from ..results import Row, committed, pick
from ..run import evaluate, inputs, plan
from ..run import train as train_model
from ..settings import Settings
from ..summary import table
from ..variants import Variant
from .scheme import Make, made, not_attempted, says_nothing


@dataclass(repr=False)
class Training(Report):
    """rows: the results, yours first, as lines of a results file. loss: of each scheme at each length. model: yours."""

    rows: list[Row] = field(default_factory=list)
    model: Model | None = None

    @property
    def loss(self) -> dict[str, list[float]]:
        return {row["scheme"]: row["loss"] for row in self.rows}


def train(
    make: Make,
    task: str = "characters",
    against: Sequence[str] = ("log-1", "alibi"),
    steps: int | None = None,
    seed: int = 0,
) -> Training:
    """Train a model whose every layer has its own make(n_heads, d_head), and test it up to 8 times its length.

    `against` are schemes of the study. Their committed results serve where settings, seed and text are the same; with
    other `steps`, and with a Python whose help texts are others, they are trained here, each for some seconds.
    Raises ValueError for an unknown task or scheme, for a `make` that makes no scheme, and as `Settings` does.
    """
    settings = Settings() if steps is None else Settings(steps=steps)
    sizes = settings.n_heads, settings.d_head
    name = type(position := made(make, *sizes)).__name__
    if says_nothing(position, settings.d_model):
        return Training(*not_attempted(name))
    others = [run for run in plan(settings, [task], against, seed + 1) if run.inputs["seed"] == seed]
    model = train_model(settings, task, Variant((lambda _: make(*sizes),)), seed)
    rows = [{**inputs(settings, task, name, seed), **evaluate(model, settings, task)}]
    for other in others:
        rows += pick(committed("quick"), **other.inputs) or [{**other.inputs, **other.outcome()}]
    lines = [f"{name} after {settings.steps} steps on {settings.length} tokens, seed {seed}"]
    lines += table(rows).splitlines()
    if any(map(math.isnan, rows[0]["loss"])):
        lines.append("A loss is nan: a hook returned nan or ∞, or the training ran away.")
    return Training("trained", lines, rows, model)
