"""What is read with a changed MPNet, and how its output is compared: the measures of the experiments."""

import functools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from course_lib.nn.grid import from_grid, row_offsets, to_grid
from course_lib.nn.position import Position
from course_lib.released.texts import excerpt

from ..results import Row
from .changes import FAR, Form
from .mpnet import FIRST, MPNet

TEXTS = ("alice", "paradise_lost", "as_you_like_it", "jargon")
WITH_SENTENCES = ("alice", "as_you_like_it", "jargon", "course")
SENTENCES, PASSAGES, WORDS = 12, 3, 100  # of each text; words of a passage
WINDOW, PROFILED = 256, 384  # tokens
SHOWN = ((0, 8), (5, 3), (7, 5))  # layers and heads whose profiles are committed
BEGIN, END, LONG = 460, 760, 700  # the tokens that the reference reads, and how many the long text has
SCORED = slice(560, 660)  # the tokens of the long text that are compared


class PerOffset(Position):
    """b_h(r) = form(r), added to scale · q·k; None is 1/√d_head."""

    def __init__(self, form: Form, scale: float | None = None) -> None:
        super().__init__()
        self.form, self.scale = form, scale

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        return torch.tensor(self.form(row_offsets(n_q, n_k, past).numpy()), dtype=torch.float32)


@dataclass(frozen=True)
class Change:
    """Another bias in all layers, or other rows of the absolute vectors: a function of the positions 0, 1, …"""

    bias: Position | None = None
    rows: Callable[[Tensor], Tensor] = lambda p: p + FIRST

    def read(self, model: MPNet, *texts: Tensor) -> tuple[Tensor, ...]:
        """The hidden states of each text, (n, d_model), all read at once: a token sees those of its own text only.

        So they are the same as if each text was read alone, because a bias depends on the offset only.
        """
        lengths = torch.tensor([len(text) for text in texts])
        number = torch.arange(len(texts)).repeat_interleave(lengths)
        rows = self.rows(torch.cat([torch.arange(len(text)) for text in texts]))
        mask = number[:, None] == number if len(texts) > 1 else None
        return model(torch.cat(texts), position=self.bias, rows=rows, mask=mask).split(lengths.tolist())


NOTHING = Change()


# --- texts --------------------------------------------------------------------------------------------------------


def window(model: MPNet, text: str, begin: int, end: int) -> Tensor:
    """These tokens of a text, between <s> and </s>."""
    tokens = model.encode(excerpt(text))
    return torch.cat([tokens[:1], tokens[1:-1][begin:end], tokens[-1:]])


def sentences(text: str) -> list[str]:
    """The first sentences of 8 to 24 words."""
    every = re.split(r"(?<=[.!?])\s+", " ".join(excerpt(text).split()))
    return [one for one in every if 8 <= len(one.split()) <= 24][:SENTENCES]


def passages(text: str) -> list[str]:
    """The text's first words, cut into passages of equal length."""
    words = excerpt(text).split()
    return [" ".join(words[k * WORDS : (k + 1) * WORDS]) for k in range(PASSAGES)]


def shuffled(text: str) -> str:
    """Its words in another order; a mark at its end stays there."""
    words, last = text.rstrip(".!?").split(), text[len(text.rstrip(".!?")) :]
    return " ".join(random.Random(0).sample(words, len(words))) + last


# --- measures -----------------------------------------------------------------------------------------------------


def similar(a: Tensor, b: Tensor) -> Row:
    """The cosine of the rows of a (n, d) with those of b: the mean, its standard error over the rows, the lowest."""
    found = cosine_similarity(a, b, dim=-1).double()
    error = found.std() / len(found) ** 0.5
    return {"cosine": float(found.mean()), "error": float(error), "lowest": float(found.min())}


@functools.lru_cache(maxsize=8)  # what the model as released gives is asked for again and again
def states(change: Change, model: MPNet, text: str, begin: int = 0, end: int = WINDOW - 2) -> Tensor:
    """The hidden states of these tokens of a text, without those of <s> and </s>: (end − begin, d_model)."""
    return change.read(model, window(model, text, begin, end))[0][1:-1]


@functools.lru_cache(maxsize=8)
def embeddings(change: Change, model: MPNet, *texts: str) -> Tensor:
    """The mean of the hidden states of each text, (texts, d_model)."""
    return torch.stack([found.mean(0) for found in change.read(model, *map(model.encode, texts))])


def of_tokens(change: Change, model: MPNet, text: str) -> Row:
    return similar(states(change, model, text), states(NOTHING, model, text))


def of_sentences(change: Change, model: MPNet, text: str) -> Row:
    return similar(embeddings(change, model, *sentences(text)), embeddings(NOTHING, model, *sentences(text)))


def of_shuffled(pieces: Callable[[str], list[str]], change: Change, model: MPNet, text: str) -> Row:
    """The pieces of a text beside themselves with their words shuffled, both read with the change."""
    before, after = pieces(text), [shuffled(one) for one in pieces(text)]
    return similar(embeddings(change, model, *before), embeddings(change, model, *after))


def another_token(model: MPNet, text: str) -> Row:
    """What no relation looks like: each token beside the one at the mirrored place."""
    return similar(states(NOTHING, model, text), states(NOTHING, model, text).flip(0))


def another_sentence(model: MPNet, text: str) -> Row:
    """What no relation looks like: each sentence beside the next one."""
    found = embeddings(NOTHING, model, *sentences(text))
    return similar(found, found.roll(1, 0))


def of_the_same(begin: int, end: int, change: Change, model: MPNet, text: str) -> Row:
    """100 tokens as this window sees them, beside the window 460 … 759, which has them at positions 101 … 200."""
    found = states(change, model, text, begin, end)[SCORED.start - begin : SCORED.stop - begin]
    return similar(found, states(NOTHING, model, text, BEGIN, END)[SCORED.start - BEGIN : SCORED.stop - BEGIN])


def by_offset(grid: Tensor) -> Tensor:
    """The mean of each diagonal of a grid (…, n, n), offsets −127 … 127: (…, 255)."""
    n = grid.shape[-1]
    mean = from_grid(grid)[..., 0, :] / from_grid(torch.ones(n, n))[0]
    return mean[..., n - 1 - FAR : n + FAR]


@functools.cache
@torch.no_grad()
def inside(change: Change, model: MPNet, text: str) -> tuple[Tensor, Tensor, Tensor]:
    """What each layer and head does in the first 384 tokens of a text; <s> and </s> are left out. The table stays.

    The mean score by offset without the table, each query's mean taken away, and the mean weight by offset, both
    (layers, heads, 255); and the mean weight of a token on itself if b(0) were the mean of b(−1) and b(1) in this layer
    alone, (layers, heads).
    """
    tokens, inner, found = window(model, text, 0, PROFILED - 2), (..., slice(1, -1), slice(1, -1)), []
    n = len(tokens)
    row = model.position.bias(n, n, 0)
    neighbours = row[:, [n - 2, n]].mean(1)
    for block, x in zip(model.blocks, model.states(tokens, rows=change.rows(torch.arange(n)))):
        score = block.attention.scores(x[None])[0]
        content = (score - to_grid(row[:, None], n))[inner]
        instead = score + torch.diag_embed((neighbours - row[:, n - 1])[:, None].expand(-1, n))
        itself = instead.softmax(-1)[inner].diagonal(0, -2, -1).mean(-1)
        found.append((by_offset(content - content.mean(-1, keepdim=True)), by_offset(score.softmax(-1)[inner]), itself))
    content, weights, itself = (torch.stack(parts) for parts in zip(*found))
    return content, weights, itself


def profiled(change: Change, model: MPNet, text: str) -> Row:
    """How much of the heads' profiles by offset the table explains: `median`, over all layers and heads.

    A profile is the table and the mean score that queries and keys add to it at each offset. `explained` is its squared
    correlation with the table, over the offsets −127 … 127 without 0. Text "all": of the mean of the texts' profiles.
    That row has `explained` by layer and head, and the mean weights: at the offsets −1 and 1, `before` and `after`, by
    head, the mean over layers; at 0, `self`, by layer, the mean over heads; and `self without`, the same if b(0) were
    the mean of b(−1) and b(1) in this layer alone. `content`, by "layer.head", is what is added to the table.
    """
    every = [inside(change, model, name) for name in (TEXTS if text == "all" else (text,))]
    content, weights, itself = (torch.stack(parts).mean(0) for parts in zip(*every))
    table = model.position.bias(FAR + 1, FAR + 1, 0)
    explained = explained_by(table, content + table)
    row: Row = {"median": float(explained.median())}
    if text == "all":
        row["explained"] = explained.tolist()
        row |= {name: weights[..., FAR + r].mean(0).tolist() for name, r in (("before", -1), ("after", 1))}
        row |= {"self": weights[..., FAR].mean(1).tolist(), "self without": itself.mean(1).tolist()}
        row["content"] = {f"{layer}.{head}": content[layer, head].tolist() for layer, head in SHOWN}
    return row


def explained_by(table: Tensor, profiles: Tensor) -> Tensor:
    """The squared correlation of each profile (…, heads, 255) with its head's table (heads, 255), without offset 0."""
    elsewhere = torch.arange(table.shape[-1]) != FAR
    x, y = (part[..., elsewhere] - part[..., elsewhere].mean(-1, keepdim=True) for part in (table, profiles))
    return (x * y).sum(-1) ** 2 / (x.square().sum(-1) * y.square().sum(-1))
