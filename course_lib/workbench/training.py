"""A scheme of one's own in the course's study: trained with its settings, beside neighbours trained alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .. import study
from ..reference.grid import check_whole
from ..study.results import Row
from ..study.run import inputs
from .hooks import SILENT, Make, made, says_nothing
from .report import Report

UNDEFINED = "A loss is nan: a hook returned nan or ∞, or the training ran away."


@dataclass(frozen=True, repr=False)
class Training(Report):
    """rows: the results, yours first, as lines of a results file. model: yours, trained. live: what was trained now."""

    name: str
    status: str
    rows: list[Row] = field(default_factory=list)
    model: study.Model | None = None
    live: tuple[str, ...] = ()

    @property
    def loss(self) -> dict[str, list[float]]:
        """The loss of each scheme at each test length."""
        return {row["scheme"]: row["loss"] for row in self.rows}

    def lines(self) -> list[str]:
        if not self.attempted:
            return [f"not attempted: {SILENT.format(self.name)}"]
        settings, seed = self.rows[0]["settings"], self.rows[0]["seed"]
        committed = [row["scheme"] for row in self.rows if row["scheme"] not in self.live]
        return [
            f"{self.name} after {settings['steps']} steps on {settings['length']} tokens, seed {seed}",
            *study.table(self.rows).splitlines(),
            f"trained here: {', '.join(self.live)}" + (f"; committed: {', '.join(committed)}" if committed else ""),
            *[UNDEFINED] * any(map(math.isnan, self.rows[0]["loss"])),
        ]


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
    Raises ValueError for an unknown task or scheme, a seed that is no whole number, a `make` that is none, and as
    `study.Settings` does.
    """
    if isinstance(against, str) or not all(isinstance(other, str) for other in against):
        raise ValueError(f"against={against!r}: expected a list of names of schemes, such as ['alibi']")
    seed, against = check_whole("seed", seed, 0), tuple(dict.fromkeys(against))
    settings = study.Settings() if steps is None else study.Settings(steps=steps)
    position = made(make, settings.n_heads, settings.d_model // settings.n_heads)
    name = type(position).__name__
    if says_nothing(position):
        return Training(name, "not attempted")
    for other in against:
        study.find(other)
    scheme = study.Scheme((lambda s: make(s.n_heads, s.d_model // s.n_heads),))
    model = study.train(settings, task, scheme, seed)
    result = study.evaluate(model, settings, task)
    rows, live = [{"task": task, "scheme": name, "seed": seed, **result, "settings": settings.as_json()}], [name]
    for other in against:
        found = study.pick(study.committed("quick"), **inputs(settings, task, other, seed))
        if not found:
            found = [study.run(settings, task, other, seed)]
            live.append(other)
        rows += found
    return Training(name, "trained", rows, model, tuple(live))
