"""Watch models learn: their losses are drawn while they train, and a button stops them."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from course_kit.display.box import alert
from course_kit.display.colours import LINES
from course_kit.display.formatting import escape
from course_kit.display.picture import Picture
from course_kit.display.widget import show
from course_kit.figures.training_curves import training_curves

from .model import Model
from .run import begin
from .schemes import Scheme, find
from .settings import Settings

EVERY = 0.2  # seconds between two drawings


def watch(
    schemes: Sequence[str] | Mapping[str, Scheme],
    task: str = "characters",
    *,
    settings: Settings | None = None,
    seed: int = 0,
) -> "Watch":
    """Train a model for each scheme, step by step side by side, and draw their losses meanwhile.

    schemes: names of the study, or your own as {"mine": study.Scheme(…)}, six at most. The cell ends at once, and the
    training continues in the background. The Stop button ends it early; `wait()` waits for the end and gives the
    picture. In both cases, `losses` and `models` hold what there is. With the same arguments the models are those of
    `study.train`.
    Raises ValueError as `study.train` does, and for more schemes than there are colours.
    """
    made = dict(schemes) if isinstance(schemes, Mapping) else {name: find(name) for name in schemes}
    if not 1 <= len(made) <= len(LINES):
        raise ValueError(f"schemes: {len(made)} of them, expected 1 to {len(LINES)}")
    settings = Settings() if settings is None else settings
    runs = {name: begin(settings, task, scheme, seed) for name, scheme in made.items()}
    return Watch(runs, settings.steps, task)


class Watch:
    """A training in the background. losses, models: for each scheme, as far as it has come."""

    def __init__(self, runs: dict[str, tuple[Model, Iterator[Tensor]]], steps: int, task: str) -> None:
        from ipywidgets import HTML, Button, VBox

        self.steps, self.task = steps, task
        self.models = {name: model for name, (model, _) in runs.items()}
        self.losses: dict[str, list[float]] = {name: [] for name in runs}
        self._stopped = threading.Event()
        self._error: Exception | None = None
        self._button = Button(description="Stop", tooltip="End the training; what there is stays")
        self._button.on_click(lambda _: self.stop())
        self._drawn = HTML("The training begins.")
        self.box = VBox([self._button, self._drawn])
        trainings = {name: steps for name, (_, steps) in runs.items()}
        self._thread = threading.Thread(target=self._train, args=(trainings,), daemon=True)  # ends with the kernel
        self._thread.start()

    def _train(self, runs: dict[str, Iterator[Tensor]]) -> None:
        torch.set_num_threads(1)  # of this thread: the same numbers on every machine
        drawn = time.monotonic()
        try:
            while len(self.losses[next(iter(runs))]) < self.steps and not self._stopped.is_set():
                for name, steps in runs.items():
                    self.losses[name].append(next(steps).item())
                if time.monotonic() - drawn > EVERY:
                    self._drawn.value, drawn = self.picture()._repr_html_(), time.monotonic()
        except Exception as error:
            self._error = error
        self._button.disabled = True
        self._drawn.value = self.picture()._repr_html_()
        if self._error:
            self._drawn.value += alert(f"The training stopped: {type(self._error).__name__}: {self._error}")

    def stop(self) -> None:
        """End the training after the present step. The models and losses stay."""
        self._stopped.set()

    def wait(self) -> Picture:
        """Wait until the training has ended. Interrupting the kernel stops the training, too."""
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self.stop()
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self.picture()

    def picture(self) -> Picture:
        """The curves as far as they have come."""
        return training_curves(self.losses, self.steps, self.task)

    def __repr__(self) -> str:
        return f"Watch ({self.task}): {', '.join(self.losses)}, {self.steps} steps"

    def _ipython_display_(self) -> None:
        """The curves as they grow where there is a kernel; `wait()` gives the picture that stays."""
        show(repr(self), f"<p>{escape(repr(self))}. In Jupyter, run the cell to see the curves grow.</p>", self.box)
