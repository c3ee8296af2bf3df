"""MPNet in the layers of this course: an encoder with T5's table in every layer and absolute vectors before the first.

It differs from T5 in three respects: scores are scaled, q·k/√d_head + b; the projections have biases; and each position
has a learned vector, which is added to the word's. One table serves all layers, as in T5.
Sources: Song et al. 2020 (MPNet); `MPNetModel` of transformers, which it equals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.t5 import T5Bias

FIRST = 2  # the row of the absolute vectors that position 0 reads
ZERO = 1  # the row of padding, whose numbers are all 0


@dataclass(frozen=True)
class Sizes:
    """The numbers that say how large the model is, by default those of all-mpnet-base-v2."""

    n_layers: int = 12
    d_model: int = 768
    n_heads: int = 12
    d_feed_forward: int = 3072
    vocabulary: int = 30527
    rows: int = 514  # of the absolute vectors
    eps: float = 1e-5  # of LayerNorm


class Block(nn.Module):
    """x ← norm(x + attention(x)), then norm(x + feed-forward(x)): both norms come after the sum, as in BERT."""

    def __init__(self, sizes: Sizes, position: Position) -> None:
        super().__init__()
        d_model = sizes.d_model
        self.attention = RelativeAttention(d_model, sizes.n_heads, position, projection_bias=True)
        self.up, self.down = nn.Linear(d_model, sizes.d_feed_forward), nn.Linear(sizes.d_feed_forward, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, sizes.eps), nn.LayerNorm(d_model, sizes.eps)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.attention(x, mask=mask))
        return self.norm2(x + self.down(gelu(self.up(x))))


class MPNet(nn.Module):
    """A text (n,) of token numbers to hidden states (n, d_model).

    `position` is the T5Bias of all blocks, `absolute` holds the vectors of positions.
    """

    def __init__(self, sizes: Sizes, tokenizer: Any = None) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.words, self.absolute = (nn.Embedding(n, sizes.d_model) for n in (sizes.vocabulary, sizes.rows))
        self.norm = nn.LayerNorm(sizes.d_model, sizes.eps)
        self.position = T5Bias(sizes.n_heads, scale=None)
        blocks = [Block(sizes, self.position) for _ in range(sizes.n_layers)]
        self.blocks: Sequence[Block] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module

    def encode(self, text: str) -> Tensor:
        """The numbers of the tokens of a text, between <s> and </s>: (n,)."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def forward(self, tokens: Tensor, **changes: Any) -> Tensor:
        """The hidden states of the last layer, (n, d_model); what can be changed is in `states`."""
        return self.states(tokens, **changes)[-1]

    @torch.no_grad()
    def states(
        self,
        tokens: Tensor,
        *,
        position: Position | None = None,
        rows: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> list[Tensor]:
        """What enters each block, and what leaves the last one: (n, d_model) each.

        position replaces the table in all blocks, and rows (n,) the rows of the absolute vectors, 2, 3, … if None.
        mask (n, n): True where a token may look. Raises ValueError for a text that is longer than the absolute vectors
        reach, unless rows are given.
        """
        n, most = len(tokens), self.absolute.num_embeddings - FIRST
        if rows is None:
            if n > most:
                raise ValueError(f"tokens: {n}, expected at most {most}, as many as have an absolute vector")
            rows = torch.arange(n) + FIRST
        states = [self.norm(self.words(tokens) + self.absolute(rows))]
        for block in self.blocks:
            block.attention.position = self.position if position is None else position
            states.append(block(states[-1][None], mask)[0])
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


def filled(sizes: Sizes, weights: Mapping[str, Tensor], tokenizer: Any = None) -> MPNet:
    """A model with these weights, by their names in the released file.

    Raises RuntimeError for a tensor that is missing, not expected or of the wrong shape.
    """
    ours = {}
    for name, weight in weights.items():
        if not name.startswith(UNUSED):
            for theirs, our in OURS.items():
                name = name.replace(theirs, our)
            ours[name] = weight
    table = {f"blocks.{layer}.attention.position.table": ours["position.table"] for layer in range(sizes.n_layers)}
    model = MPNet(sizes, tokenizer)
    model.load_state_dict(ours | table)
    return model.requires_grad_(False).eval()
