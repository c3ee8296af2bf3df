"""The experiments on MPNet: what is compared, and the plan, which has every condition on every text."""

import random
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from course_lib.nn.grid import to_grid
from course_lib.nn.threads import one_thread
from course_lib.reference.attention import Array
from course_lib.released.texts import excerpt

from ..released.plan import short
from ..results import Row, Run
from .changes import BIAS, FAR, LONGER, ROWS
from .minilm import by_offset
from .mpnet import Function, MPNet

TEXTS = ("alice", "paradise_lost", "as_you_like_it", "jargon")
WITH_SENTENCES = ("alice", "as_you_like_it", "jargon", "course")


def window(model: MPNet, text: str, begin: int, end: int) -> Tensor:
    """These tokens of a text, between <s> and </s>."""
    tokens = model.encode(excerpt(text))
    return torch.cat([tokens[:1], tokens[1:-1][begin:end], tokens[-1:]])


def sentences(text: str) -> list[str]:
    """The first 12 sentences of 8 to 24 words."""
    every = re.split(r"(?<=[.!?])\s+", " ".join(excerpt(text).split()))
    return [one for one in every if 8 <= len(one.split()) <= 24][:12]


def shuffled(text: str) -> str:
    """Its words in another order; a mark at its end stays there."""
    words, last = text.rstrip(".!?").split(), text[len(text.rstrip(".!?")) :]
    return " ".join(random.Random(0).sample(words, len(words))) + last


def embeddings(model: MPNet, texts: list[str], **change: Function) -> Tensor:
    """The mean of the hidden states of each text, (texts, d_model)."""
    return torch.stack([model(model.encode(text), **change).mean(0) for text in texts])


def similar(a: Tensor, b: Tensor) -> Row:
    """The cosine of the rows of a (n, d) with those of b: the mean, and its standard error over the rows."""
    found = cosine_similarity(a, b, dim=-1).double()
    return {"cosine": float(found.mean()), "error": float(found.std() / len(found) ** 0.5)}


def tokens(model: MPNet, text: str, floor: bool = False, **change: Function) -> Row:
    """With `floor`, each token beside the one at the mirrored place: what no relation looks like."""
    read = window(model, text, 0, 254)
    states = model(read)[1:-1]
    return similar(model(read, **change)[1:-1], states.flip(0) if floor else states)


def in_sentences(model: MPNet, text: str, floor: bool = False, **change: Function) -> Row:
    """With `floor`, each sentence beside the next one."""
    released = embeddings(model, sentences(text))
    return similar(embeddings(model, sentences(text), **change), released.roll(1, 0) if floor else released)


def in_another_order(model: MPNet, text: str, **change: Function) -> Row:
    mixed = [shuffled(one) for one in sentences(text)]
    return similar(embeddings(model, sentences(text), **change), embeddings(model, mixed, **change))


def beyond(model: MPNet, text: str, begin: int = 0, end: int = 700, **change: Function) -> Row:
    """The tokens 560 … 659 as this window has them, beside the window 460 … 759."""
    found = model(window(model, text, begin, end), **change)[1:-1][560 - begin : 660 - begin]
    return similar(found, model(window(model, text, 460, 760))[1:-1][100:200])


def profiles(model: MPNet, text: str, **change: Function) -> Row:
    """How much of the heads' profiles by offset the table explains, in 384 tokens; <s> and </s> are left out.

    A profile is the table and the mean score that queries and keys add to it at each offset, each query's mean taken
    away. `explained`, by layer and head, is as in `explained_by`; `median` is over all of them.
    """
    read, inner = window(model, text, 0, 382), (..., slice(1, -1), slice(1, -1))
    table = to_grid(model.position.bias(len(read), len(read), 0)[:, None], len(read))
    explained = []
    for block, x in zip(model.blocks, model.states(read, **change)):
        content = (block.attention.scores(x[None])[0] - table)[inner]
        profile = content - content.mean(-1, keepdim=True) + table[inner]
        explained.append(explained_by(*(by_offset(grids.numpy(), FAR) for grids in (table[inner], profile))))
    return {"median": float(np.median(explained)), "explained": explained}


def explained_by(table: Array, profiles: Array) -> list[float]:
    """For each head, the squared correlation of two rows over the offsets −127 … 127, without 0: (heads, 255) each."""
    pairs = zip(np.delete(table, FAR, 1), np.delete(profiles, FAR, 1))
    return [float(np.corrcoef(x, y)[0, 1] ** 2) for x, y in pairs]


Conditions = dict[str, dict[str, Any]]
RELEASED: Conditions = {"as released": {}}
NO_TABLE: Conditions = {"table zeroed": {"bias": BIAS["table zeroed"]}}
NO_VECTORS: Conditions = {"vectors zeroed": {"rows": ROWS["vectors zeroed"]}}
CHANGED: Conditions = {name: {"bias": bias} for name, bias in BIAS.items()}
CHANGED |= {name: {"rows": rows} for name, rows in ROWS.items()}
LONG: Conditions = {name: {"rows": rows} for name, rows in LONGER.items()}
LONG["another window (360 … 759)"] = {"begin": 360, "end": 760}
EXPERIMENTS: dict[str, tuple[Callable[..., Row], tuple[str, ...], int, Conditions]] = {
    "tokens": (tokens, TEXTS, 256, {"another token": {"floor": True}} | CHANGED),
    "sentences": (in_sentences, WITH_SENTENCES, 12, {"the next sentence": {"floor": True}} | CHANGED),
    "shuffled sentences": (in_another_order, WITH_SENTENCES, 12, RELEASED | NO_TABLE | NO_VECTORS),
    "beyond 512": (beyond, TEXTS, 702, LONG),
    "profiles": (profiles, TEXTS, 384, RELEASED | NO_VECTORS),
}  # what is measured, on which texts, in how many tokens or sentences of each, and under which conditions


def plan(load: Callable[[], MPNet]) -> list[Run]:
    """Every condition on every text; the first run that is done loads the model."""

    @one_thread()
    def outcome(measure: Callable[..., Row], text: str, condition: dict[str, Any]) -> Row:
        return short(measure(load(), text, **condition))

    return [
        Run({"experiment": name, "condition": said, "text": text, "n": n}, partial(outcome, measure, text, condition))
        for name, (measure, texts, n, conditions) in EXPERIMENTS.items()
        for text in texts
        for said, condition in conditions.items()
    ]
