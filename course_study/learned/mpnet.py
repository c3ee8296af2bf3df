"""MPNet in the layers of this course: an encoder with T5's table in every layer and absolute vectors before the first.

It differs from T5 in three respects: scores are scaled, q·k/√d_head + b; the projections have biases; and each position
has a learned vector, which is added to the word's. One table serves all layers, as in T5.
Sources: Song et al. 2020 (MPNet); `MPNetModel` of transformers, which it equals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from course_lib.nn.grid import row_offsets
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import T5Bias

from .changes import FIRST, Function


@dataclass(frozen=True)
class Config:
    """The sizes of the model, by default those of all-mpnet-base-v2."""

    n_layers: int = 12
    d_model: int = 768
    n_heads: int = 12
    d_feed_forward: int = 3072
    vocabulary: int = 30527
    rows: int = 514  # of the absolute vectors
    eps: float = 1e-5  # of LayerNorm


class Bias(T5Bias):
    """T5's bias beside scaled scores, or another function of the offset in its place."""

    scale = None
    instead: Function | None = None

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        if self.instead is None:
            return super().bias(n_q, n_k, past)
        return torch.from_numpy(self.instead(row_offsets(n_q, n_k, past).numpy())).to(self.table)


class Block(nn.Module):
    """x ← norm(x + attention(x)), then norm(x + feed-forward(x)): both norms come after the sum, as in BERT."""

    def __init__(self, config: Config, position: Bias) -> None:
        super().__init__()
        d_model = config.d_model
        self.attention = RelativeAttention(d_model, config.n_heads, position, projection_bias=True)
        self.up, self.down = nn.Linear(d_model, config.d_feed_forward), nn.Linear(config.d_feed_forward, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, config.eps), nn.LayerNorm(d_model, config.eps)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(gelu(self.up(x))))


class MPNet(nn.Module):
    """A text (n,) of token numbers to hidden states (n, d_model)."""

    def __init__(self, config: Config, tokenizer: Any = None) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.words, self.absolute = (nn.Embedding(n, config.d_model) for n in (config.vocabulary, config.rows))
        self.norm = nn.LayerNorm(config.d_model, config.eps)
        self.position = Bias(config.n_heads)
        blocks = [Block(config, self.position) for _ in range(config.n_layers)]
        self.blocks: Sequence[Block] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module

    def encode(self, text: str) -> Tensor:
        """The numbers of the tokens of a text, between <s> and </s>: (n,)."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def forward(self, tokens: Tensor, bias: Function | None = None, rows: Function | None = None) -> Tensor:
        """The hidden states of the last layer, (n, d_model), with the changes of `states`."""
        return self.states(tokens, bias, rows)[-1]

    @torch.no_grad()
    def states(self, tokens: Tensor, bias: Function | None = None, rows: Function | None = None) -> list[Tensor]:
        """What enters each block, and what leaves the last one: (n, d_model) each.

        bias replaces the table in all blocks, and rows the rows of the absolute vectors, 2, 3, … (see changes.py).
        Raises ValueError for a position whose row is not there, as for a text that is longer than 512 tokens.
        """
        p = np.arange(len(tokens))
        read, last = torch.from_numpy(p + FIRST if rows is None else rows(p)), self.absolute.num_embeddings - 1
        if read.max() > last:
            raise ValueError(f"tokens: {len(tokens)}, which read rows up to {int(read.max())}; expected {last} at most")
        self.position.instead = bias
        states = [self.norm(self.words(tokens) + self.absolute(read))]
        for block in self.blocks:
            states.append(block(states[-1][None])[0])
        self.position.instead = None
        return states


OURS = {  # parts of the names in the released file; a longer part comes before one that it contains
    "encoder.relative_attention_bias.weight": "position.table",
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "absolute",
    "embeddings.LayerNorm": "norm",
    "encoder.layer": "blocks",
    "attention.LayerNorm": "norm1",
    "output.LayerNorm": "norm2",
    "attention.attn.q": "attention.query",
    "attention.attn.k": "attention.key",
    "attention.attn.v": "attention.value",
    "attention.attn.o": "attention.out",
    "intermediate.dense": "up",
    "output.dense": "down",
}
UNUSED = ("pooler.", "embeddings.position_ids")


def filled(config: Config, weights: Mapping[str, Tensor], tokenizer: Any = None) -> MPNet:
    """A model with these weights, by their names in the released file.

    Raises RuntimeError for a tensor that is missing, not expected or of the wrong shape.
    """
    ours = {}
    for name, weight in weights.items():
        if not name.startswith(UNUSED):
            for theirs, our in OURS.items():
                name = name.replace(theirs, our)
            ours[name] = weight
    table = {f"blocks.{layer}.attention.position.table": ours["position.table"] for layer in range(config.n_layers)}
    model = MPNet(config, tokenizer)
    model.load_state_dict(ours | table)
    return model.requires_grad_(False).eval()
