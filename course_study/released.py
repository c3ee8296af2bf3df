"""What the released model does when it is changed: committed runs that take longer than a cell of a lesson.

Each row is one condition of one experiment on one text of `n` tokens: `loss`, the mean in nats per token over the
`scored` last tokens; `difference`, its mean difference to the unchanged model on the same tokens, with the standard
error `error`; `bins`, the same between two positions, if the text has them; `seconds` of one core.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import Generator, Tensor

from course_lib.nn.threads import one_thread
from course_lib.released import Released, excerpt, load

from .driver import Run
from .results import COMMITTED, Row, pick, read

FILE = COMMITTED / "released.jsonl"
TRAINED = 8192  # the length of the texts the model was trained with
Change = dict[str, Any]  # arguments of `Released.changed`


def rows(experiment: str, **wanted: Any) -> list[Row]:
    """The committed rows of an experiment with these entries: rows("gaps", text="course", condition="gap 4096").

    Raises ValueError if there are none, because what was not run is missing.
    """
    found = pick(read(FILE), experiment=experiment)
    if picked := pick(found, **wanted):
        return picked
    have = {name: list(dict.fromkeys(row[name] for row in found)) for name in ("condition", "text", "n")}
    run = f"python -m course_study --preset released {experiment!r} --out {FILE} runs what is missing"
    raise ValueError(f"experiment={experiment!r}, {wanted}: no committed row; the file has {have}, and {run}")


# --- texts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """Tokens to read. The losses in the second half count."""

    name: str
    tokens: Tensor
    bins: tuple[int, ...] = ()  # positions between which the mean loss is reported as well

    @property
    def half(self) -> int:
        return len(self.tokens) // 2


def short_texts(model: Released) -> list[Text]:
    return [Text(name, model.encode(excerpt(name))[:384]) for name in ("pydoc_a", "pydoc_b", "licence", "course")]


def repeated_texts(model: Released) -> list[Text]:
    """100 random tokens twice: the second copy can be predicted from the first, and from nothing else."""
    copies = [torch.randint(1000, 40000, (100,), generator=Generator().manual_seed(seed)) for seed in range(3)]
    return [Text(f"random tokens {seed}", once.repeat(2)) for seed, once in enumerate(copies)]


def long_texts(model: Released) -> list[Text]:
    return [Text("alice", model.encode(excerpt("alice"))[:TRAINED], (0, 256, 512, 1024, 2048, 4096, TRAINED))]


# --- experiments --------------------------------------------------------------------------------------------------


def gaps(model: Released, text: Text) -> dict[str, Change]:
    """Positions that jump in the middle of the text, and a second half that does not see the first."""
    i, j = torch.arange(len(text.tokens))[:, None], torch.arange(len(text.tokens))
    sizes = (64, 256, 1024, 4096, 7500, 16384, 65536)
    jumps = {f"gap {size}": {"positions": j + size * (j >= text.half)} for size in sizes}
    return {**jumps, "first half hidden": {"mask": (i < text.half) | (j >= text.half)}}


def stopped_heads(model: Released, text: Text) -> dict[str, Change]:
    """The ten heads that look most at the token before, or by induction; and three draws of ten others."""
    heads = {f"ten {name} heads": found for name, found in strongest(model).items()}
    best, number = [head for found in heads.values() for head in found], model.n_layers * model.n_heads
    generator = Generator().manual_seed(1)
    for draw in range(3):
        order = [divmod(i, model.n_heads) for i in torch.randperm(number, generator=generator).tolist()]
        heads[f"ten random heads, draw {draw}"] = [head for head in order if head not in best][:10]
    return {f"{name} stopped": {"stopped_heads": some} for name, some in heads.items()}


@functools.cache
def strongest(model: Released) -> dict[str, list[tuple[int, int]]]:
    """The ten heads (layer, head) with the most weight on the token before, and on the one after the first copy."""
    tokens, copies = short_texts(model)[0].tokens, repeated_texts(model)[0].tokens
    before, copied = (torch.stack([inside.weights for inside in model.inside(x)]) for x in (tokens, copies))
    weights = {
        "induction": copied.diagonal(1 - len(copies) // 2, 2, 3)[..., 1:-1].mean(-1),  # of the second copy
        "previous-token": before.diagonal(-1, 2, 3).mean(-1),
    }
    return {name: [divmod(int(i), model.n_heads) for i in w.flatten().topk(10)[1]] for name, w in weights.items()}


def by_position(model: Released, text: Text) -> dict[str, Change]:
    """The slowest 16 of the 32 pairs do not turn."""
    return {"slowest 16 stopped": {"speeds": model.speeds.index_fill(0, torch.arange(16, 32), 0)}}


EXPERIMENTS: dict[str, tuple[Callable[[Released, Text], dict[str, Change]], Callable[[Released], list[Text]]]] = {
    "gaps": (gaps, short_texts),
    "stopped heads": (stopped_heads, repeated_texts),
    "by position": (by_position, long_texts),
}


# --- runs ---------------------------------------------------------------------------------------------------------


def plan(names: Sequence[str] = ()) -> list[Run]:
    """Every condition of all experiments, or of those with these names, on each of their texts, beside no change.

    Raises ValueError for another name.
    """
    if unknown := set(names) - EXPERIMENTS.keys():
        raise ValueError(f"{min(unknown)}: expected names of experiments, {', '.join(EXPERIMENTS)}")
    model, runs = load(), list[Run]()
    for name in names or EXPERIMENTS:
        conditions, texts = EXPERIMENTS[name]
        for text in texts(model):
            as_released = functools.cache(partial(losses, model, text, {}))
            for condition, change in {"as released": {}, **conditions(model, text)}.items():
                inputs = {"experiment": name, "condition": condition, "text": text.name, "n": len(text.tokens)}
                runs.append(Run(inputs, partial(outcome, model, text, change, as_released)))
    return runs


def outcome(model: Released, text: Text, change: Change, as_released: Callable[[], Tensor]) -> Row:
    """What one change does to the losses."""
    control = as_released()
    found = losses(model, text, change) if change else control
    row = compared(found[text.half :], control[text.half :])
    if text.bins:
        row["bins"] = [{"from": a, "to": b, **compared(found[a:b], control[a:b])} for a, b in pairwise(text.bins)]
    return row


def losses(model: Released, text: Text, change: Change) -> Tensor:
    with one_thread(), model.changed(**change):
        return model.losses(text.tokens)


def compared(losses: Tensor, control: Tensor) -> Row:
    """Their mean, and the mean of the paired differences with its standard error, to four digits."""
    difference, n = (losses - control).double(), len(losses)
    numbers = {"loss": losses.double().mean(), "difference": difference.mean(), "error": difference.std() / n**0.5}
    return {"scored": n, **{name: float(f"{number:.4g}") for name, number in numbers.items()}}
