"""A run trains a model of one scheme on one task from one seed, and tests it at every length; a plan has many runs."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from course_lib.nn.threads import one_thread

from .data import Batch, find_task, text_hash
from .model import Model
from .results import Row, Run
from .settings import Settings
from .variants import Variant, find

TEST_SEED = 123
AT_ONCE = 2**13  # tokens that are tested in one pass
TABLE_RATE = 10  # how many times faster a table of biases learns than the rest


def run(settings: Settings, task: str, scheme: str, seed: int) -> Row:
    """Train and test: what a results file says of a run besides its inputs.

    Raises ValueError for an unknown task or scheme. The same arguments give the same numbers on one machine, whatever
    else runs there: a run has one thread.
    """
    model = train(settings, task, scheme, seed)
    return {**evaluate(model, settings, task), "torch": torch.__version__}


def plan(settings: Settings, tasks: Sequence[str], schemes: Sequence[str], seeds: int = 3) -> list[Run]:
    """Every run there is to do, seed by seed, so that a sweep that is stopped has something of everything.

    Raises ValueError, before the first run, for a task or scheme that there is not, or not in these settings.
    """
    for task in tasks:
        find_task(task)
    for make in [make for scheme in schemes for make in find(scheme).layers]:
        make(settings)
    runs = product(range(seeds), dict.fromkeys(tasks), dict.fromkeys(schemes))
    return [
        Run(inputs(settings, task, scheme, seed), partial(run, settings, task, scheme, seed))
        for seed, task, scheme in runs
    ]


def inputs(settings: Settings, task: str, scheme: str, seed: int) -> Row:
    """All that a run depends on: also the text, which is another one in another version of Python."""
    row = {"task": task, "scheme": scheme, "seed": seed, "settings": settings.as_json()}
    return {**row, "text": text_hash()} if task == "characters" else row


def train(settings: Settings, task: str, scheme: str | Variant, seed: int) -> Model:
    """A model of that scheme after `settings.steps` steps. The seed fixes its weights and the order of its texts."""
    variant = find(scheme) if isinstance(scheme, str) else scheme
    with reproducible(seed):
        model = Model(variant, find_task(task).vocabulary(), settings)
        optimizer = torch.optim.AdamW(learning_rates(model, settings), betas=(0.9, 0.98), weight_decay=0.01)
        rates = [group["lr"] for group in optimizer.param_groups]
        total = max(settings.steps, 11)  # of 10 steps a tenth is the first, and OneCycleLR divides by the 0 before it
        schedule = OneCycleLR(optimizer, rates, total_steps=total, pct_start=0.1, cycle_momentum=False)
        learn(model, optimizer, texts(settings, task, seed, settings.steps), schedule)
    return model


def texts(settings: Settings, task: str, seed: int, steps: int) -> Iterator[Batch]:
    """What a model is trained on: as many texts a step as the settings say, of the training length."""
    draw, generator = find_task(task).batch, Generator().manual_seed(seed)
    for _ in range(steps):
        yield draw(settings.length, settings.batch, generator, False)


def learn(model: Model, optimizer: Optimizer, batches: Iterable[Batch], schedule: LRScheduler | None = None) -> None:
    """One step for each batch."""
    for tokens, answers, back in batches:
        asked = back > 0
        loss = cross_entropy(model(tokens)[asked], answers[asked])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if schedule is not None:
            schedule.step()


@torch.no_grad()
def evaluate(model: nn.Module, settings: Settings, task: str) -> dict[str, Any]:
    """Mean loss (nats) and accuracy over the last `measured` places at each test length.

    `far_masked`, if the settings ask for it: the loss again, with the keys that are `length` or more back masked in
    every layer.
    """
    found: dict[str, Any] = {"loss": [], "accuracy": []}
    with reproducible():
        for n in settings.tests:
            tokens, answers, back = texts_to_test(settings, task, n)
            logits = _logits(model, tokens)
            loss = cross_entropy(logits.mT, answers, reduction="none")
            last = (back > 0) & (torch.arange(n) >= n - settings.measured)
            found["loss"].append(rounded(loss[last].mean()))
            found["accuracy"].append(rounded((logits.argmax(-1) == answers)[last].float().mean()))
            if settings.far_masked:
                near = torch.ones(n, n, dtype=torch.bool).triu(1 - settings.length)
                masked = _logits(model, tokens, near) if n > settings.length else logits
                found.setdefault("far_masked", []).append(rounded(cross_entropy(masked[last], answers[last])))
    return found


def _logits(model: nn.Module, tokens: Tensor, *mask: Tensor) -> Tensor:
    return torch.cat([model(part, *mask) for part in tokens.split(max(1, AT_ONCE // tokens.shape[1]))])


def texts_to_test(settings: Settings, task: str, n: int) -> Batch:
    """The same for all models."""
    return find_task(task).batch(n, settings.test_texts, Generator().manual_seed(TEST_SEED), True)


def learning_rates(model: Model, settings: Settings) -> list[dict[str, Any]]:
    """A bias is one number, and Adam moves a number by at most the learning rate: tables of biases go faster."""
    groups: dict[float, list[nn.Parameter]] = {settings.learning_rate: []}
    for name, parameter in model.named_parameters():
        faster = TABLE_RATE if ".position." in name and name.endswith(".table") else 1
        groups.setdefault(faster * settings.learning_rate, []).append(parameter)
    return [{"params": parameters, "lr": rate} for rate, parameters in groups.items()]


@contextlib.contextmanager
def reproducible(seed: int = 0) -> Iterator[None]:
    """One thread and the seed inside, and afterwards everything as it was."""
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def rounded(tensor: Tensor) -> Any:
    return (tensor.double() * 1e4).round().div(1e4).tolist()
