"""Watch models learn: their losses are drawn while they train."""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from course_kit.display.colours import LINES
from course_kit.display.formatting import escape
from course_kit.display.picture import Picture
from course_kit.display.widget import show
from course_kit.figures.training_curves import training_curves
from course_lib.nn.threads import one_thread

from .model import Model
from .run import begin
from .settings import Settings

EVERY = 0.2  # seconds between two drawings


@dataclass(frozen=True)
class Watched:
    """For each scheme the loss of every step and the model, as far as it has come; and the curves."""

    losses: dict[str, list[float]]
    models: dict[str, Model]
    picture: Picture


@one_thread()
def watch(
    schemes: Sequence[str], task: str = "characters", *, settings: Settings | None = None, seed: int = 0
) -> Watched:
    """Train a model for each scheme, step by step side by side, and draw their losses meanwhile.

    schemes: names of the study, six at most. Interrupting the kernel (■ in Jupyter) ends the training early, and what
    there is stays. With the same arguments the models are those of `study.train`.
    Raises ValueError as `study.train` does, and for more schemes than there are colours.
    """
    from ipywidgets import HTML

    if not 1 <= len(schemes) <= len(LINES):
        raise ValueError(f"schemes: {len(schemes)} of them, expected 1 to {len(LINES)}")
    settings = settings or Settings()
    runs = {name: begin(settings, task, name, seed) for name in schemes}
    losses: dict[str, list[float]] = {name: [] for name in schemes}
    box, said, drawn = HTML(), f"{', '.join(schemes)}: {settings.steps} steps of {task}", time.monotonic()
    show(said, f"<p>{escape(said)}.</p>", box)
    with contextlib.suppress(KeyboardInterrupt):
        for _ in range(settings.steps):
            for name, (_, steps) in runs.items():
                losses[name].append(next(steps).item())
            if time.monotonic() - drawn > EVERY:
                box.value, drawn = training_curves(losses, settings.steps, task)._repr_html_(), time.monotonic()
    box.close()  # the picture stays
    models = {name: model for name, (model, _) in runs.items()}
    return Watched(losses, models, training_curves(losses, settings.steps, task))
