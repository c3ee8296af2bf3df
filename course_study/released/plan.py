"""The plan of the released model's experiments: every condition on every text, beside the text as it is."""

import functools
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from torch import Tensor

from course_lib.checks import check_choice
from course_lib.nn.threads import one_thread
from course_lib.released import Released, load

from ..results import Row, Run
from .experiments import EXPERIMENTS, Text, Trial
from .measures import Measured


def plan(names: Sequence[str] = ()) -> list[Run]:
    """Every run, or those of the experiments and texts with these names. Raises ValueError for another name."""
    model = load()
    every = [(name, text) for name, (_, texts) in EXPERIMENTS.items() for text in texts(model)]
    known = EXPERIMENTS.keys() | {text.name for _, text in every}
    for name in names:
        check_choice("name", name, sorted(known))
    experiments = EXPERIMENTS.keys() & set(names) or known
    texts = set(names) - EXPERIMENTS.keys() or known
    measure = functools.cache(partial(measured, model))
    runs = []
    for name, text in every:
        if name not in experiments or text.name not in texts:
            continue
        control, *others = EXPERIMENTS[name][0](model, text)
        for trial in (control, *others):
            inputs = {"experiment": name, "condition": trial.condition, "text": text.name, "n": text.n}
            runs.append(Run(inputs, partial(outcome, measure, text, trial, control)))
    return runs


def outcome(measure: Callable[[Text, Trial], Measured], text: Text, trial: Trial, control: Trial) -> Row:
    """What one condition does to the losses, beside those of the control."""
    as_it_is, _ = measure(text, control)  # first: it says which heads are sink heads
    losses, more = measure(text, trial)
    scored = text.n - 1 - text.half if trial.scored is None else trial.scored
    row: Row = {} if trial.tokens is None else {"read": len(trial.tokens)}
    row |= short(compared(losses[-scored:], as_it_is[-scored:]))
    if text.bins:
        ends = list(zip(text.bins, text.bins[1:]))
        row["bins"] = [{"from": a, "to": b, **short(compared(losses[a:b], as_it_is[a:b]))} for a, b in ends]
    return {**row, **short(more)}


def measured(model: Released, text: Text, trial: Trial) -> Measured:
    """The losses, and what else was measured."""
    with one_thread(), model.changed(**trial.change):
        return trial.measure(model, text.tokens if trial.tokens is None else trial.tokens)


def compared(losses: Tensor, control: Tensor) -> Row:
    """Their mean, and the mean of the paired differences with its standard error; both end with the same token."""
    both = min(len(losses), len(control))
    difference = (losses[-both:] - control[-both:]).double()
    numbers = {"loss": losses.double().mean(), "difference": difference.mean(), "error": difference.std() / both**0.5}
    return {"scored": both, **{name: float(number) for name, number in numbers.items()}}


def short(value: Any) -> Any:
    """The same with every number rounded to four digits."""
    return json.loads(json.dumps(value), parse_float=lambda number: float(f"{float(number):.4g}"))
