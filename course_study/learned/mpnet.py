"""MPNet in the layers of this course: an encoder with T5's table in every layer and absolute vectors before the first.

It differs from T5 in three respects: scores are scaled, q·k/√d_head + b; the projections have biases; and each position
has a learned vector, which is added to the word's. One table serves all layers, as in T5.
Sources: Song et al. 2020 (MPNet); `MPNetModel` of transformers, which it equals.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu

from course_lib.nn.grid import row_offsets
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import T5Bias

Function = Callable[[NDArray[Any]], NDArray[Any]]
FIRST = 2  # the row of the absolute vectors that position 0 reads
EPS = 1e-5  # of LayerNorm


class Bias(T5Bias):
    """T5's bias beside scaled scores, or a function from offsets (n,) to a bias for each head, (heads, n)."""

    scale = None
    instead: Function | None = None

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        if self.instead is None:
            return super().bias(n_q, n_k, past)
        return torch.from_numpy(self.instead(row_offsets(n_q, n_k, past).numpy())).to(self.table)


class Block(nn.Module):
    """x ← norm(x + attention(x)), then norm(x + feed-forward(x)): both norms come after the sum, as in BERT."""

    def __init__(self, d_model: int, n_heads: int, d_feed_forward: int, position: Bias) -> None:
        super().__init__()
        self.attention = RelativeAttention(d_model, n_heads, position, projection_bias=True)
        self.up, self.down = nn.Linear(d_model, d_feed_forward), nn.Linear(d_feed_forward, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, EPS), nn.LayerNorm(d_model, EPS)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(gelu(self.up(x))))


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


class MPNet(nn.Module):
    """A text (n,) of token numbers to hidden states (n, d_model), with these weights, by their names in the file.

    Raises RuntimeError for a tensor that is missing, not expected or of the wrong shape.
    """

    def __init__(self, weights: Mapping[str, Tensor], tokenizer: Any = None) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        given = {}
        for name, weight in weights.items():
            if not name.startswith(UNUSED):
                for theirs, our in OURS.items():
                    name = name.replace(theirs, our)
                given[name] = weight
        n_layers = sum(name.endswith("up.bias") for name in given)
        n_heads, d_model = given["position.table"].shape[1], given["norm.bias"].shape[0]
        self.words, self.absolute = (nn.Embedding(*given[f"{name}.weight"].shape) for name in ("words", "absolute"))
        self.norm = nn.LayerNorm(d_model, EPS)
        self.position = Bias(n_heads)
        blocks = [Block(d_model, n_heads, len(given["blocks.0.up.bias"]), self.position) for _ in range(n_layers)]
        self.blocks: Sequence[Block] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module
        table = {f"blocks.{layer}.attention.position.table": given["position.table"] for layer in range(n_layers)}
        self.load_state_dict(given | table)
        self.requires_grad_(False)

    def encode(self, text: str) -> Tensor:
        """The numbers of the tokens of a text, between <s> and </s>: (n,)."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def forward(self, tokens: Tensor, bias: Function | None = None, rows: Function | None = None) -> Tensor:
        """The hidden states of the last layer, (n, d_model), with the changes of `states`."""
        return self.states(tokens, bias, rows)[-1]

    def states(self, tokens: Tensor, bias: Function | None = None, rows: Function | None = None) -> list[Tensor]:
        """What enters each block, and what leaves the last one: (n, d_model) each.

        bias stands in for the table in all blocks; rows says which absolute vector each position reads, if not p + 2.
        Raises ValueError for a position whose vector is not there.
        """
        p = np.arange(len(tokens))
        read, last = torch.from_numpy(p + FIRST if rows is None else rows(p)), len(self.absolute.weight) - 1
        if read.max() > last:
            raise ValueError(f"tokens: {len(tokens)}, which read rows up to {int(read.max())}; expected {last} at most")
        self.position.instead = bias
        states = [self.norm(self.words(tokens) + self.absolute(read))]
        for block in self.blocks:
            states.append(block(states[-1][None])[0])
        self.position.instead = None
        return states
