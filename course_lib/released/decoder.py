"""A decoder of the Llama architecture, made of this course's attention layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, silu

from ..nn.cache import KeyValueCache
from ..nn.layer import RelativeAttention
from ..nn.rope import RoPE
from ..reference.rope import to_half_split

PAIRINGS = ("interleaved", "half-split")
STATED: tuple[str, ...] = (
    "block_count",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "feed_forward_length",
)
STATED += ("vocab_size", "rope.freq_base", "attention.layer_norm_rms_epsilon")  # in the order of `Sizes`


@dataclass(frozen=True)
class Sizes:
    """The numbers that say how large a decoder is, by default those of SmolLM2-135M."""

    n_layers: int = 30
    d_model: int = 576
    n_heads: int = 9
    n_kv_heads: int = 3
    d_feed_forward: int = 1536
    vocabulary: int = 49152
    base: float = 100000.0  # of RoPE
    eps: float = 1e-5  # of RMSNorm

    @property
    def d_head(self) -> int:
        """Channels of one head."""
        return self.d_model // self.n_heads

    @classmethod
    def of(cls, metadata: dict[str, Any]) -> "Sizes":
        """The sizes that a GGUF file states. Raises ValueError for an architecture that is not "llama"."""
        if (found := metadata.get("general.architecture")) != "llama":
            raise ValueError(f"general.architecture={found!r} in the file: expected 'llama'")
        names = [f"llama.{name}" for name in STATED]
        if missing := [name for name in names if name not in metadata]:
            raise ValueError(f"the file does not state {', '.join(missing)}")
        return cls(*(metadata[name] for name in names))


class SwiGLU(nn.Module):
    """W_down (silu(W_gate x) ⊙ W_up x), the feed-forward part of a block. Source: Shazeer 2020, eq. 6."""

    def __init__(self, d_model: int, d_feed_forward: int) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_feed_forward, bias=False) for _ in range(2))
        self.down = nn.Linear(d_feed_forward, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """x + attention(norm x), then x + feed-forward(norm x)."""

    def __init__(self, sizes: Sizes, rope: RoPE) -> None:
        super().__init__()
        d_model = sizes.d_model
        self.norm1, self.norm2 = nn.RMSNorm(d_model, eps=sizes.eps), nn.RMSNorm(d_model, eps=sizes.eps)
        self.attention = RelativeAttention(d_model, sizes.n_heads, rope, n_kv_heads=sizes.n_kv_heads, causal=True)
        self.feed_forward = SwiGLU(d_model, sizes.d_feed_forward)

    def forward(self, x: Tensor, mask: Tensor | None = None, cache: KeyValueCache | None = None) -> Tensor:
        x = x + self.attention(self.norm1(x), mask=mask, cache=cache)
        return x + self.feed_forward(self.norm2(x))


class Decoder(nn.Module):
    """Token numbers (batch, n) to hidden states (batch, n, d_model), and these to logits.

    One matrix turns hidden states into logits, and its rows are the vectors of the tokens (tied embedding).
    pairing: which channels RoPE turns together, "interleaved" or "half-split"; the rows of W_q and W_k must fit it.
    Raises ValueError for another pairing. Source: Touvron et al. 2023 (Llama), section 2.2.
    """

    def __init__(self, sizes: Sizes, pairing: str = "interleaved") -> None:
        super().__init__()
        if pairing not in PAIRINGS:
            raise ValueError(f"pairing={pairing!r}: expected one of {', '.join(map(repr, PAIRINGS))}")
        self.sizes, self.rope = sizes, RoPE(sizes.d_head, base=sizes.base, interleaved=pairing == "interleaved")
        self.out = nn.Linear(sizes.d_model, sizes.vocabulary, bias=False)
        blocks = [Block(sizes, self.rope) for _ in range(sizes.n_layers)]
        self.blocks: Sequence[Block] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module
        self.norm = nn.RMSNorm(sizes.d_model, eps=sizes.eps)

    def forward(
        self, tokens: Tensor, mask: Tensor | None = None, caches: Sequence[KeyValueCache] | None = None
    ) -> Tensor:
        """The normalised hidden states. With a cache for each block, the tokens continue the text in the caches.

        mask (n, keys): True where a query may look, of the keys that are not after it.
        """
        x = self.embedded(tokens)
        for number, block in enumerate(self.blocks):
            x = block(x, mask, None if caches is None else caches[number])
        return self.norm(x)

    def embedded(self, tokens: Tensor) -> Tensor:
        """Token numbers (batch, n) to vectors (batch, n, d_model)."""
        return embedding(tokens, self.out.weight)

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states (…, d_model) to a score for each token of the vocabulary, (…, vocabulary)."""
        return self.out(hidden)


PARTS = {
    "norm1": "attn_norm",
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.out": "attn_output",
    "norm2": "ffn_norm",
    "feed_forward.gate": "ffn_gate",
    "feed_forward.up": "ffn_up",
    "feed_forward.down": "ffn_down",
}


def names_in_file(n_layers: int) -> dict[str, str]:
    """For each parameter of a `Decoder`, the name of its tensor in a GGUF file."""
    names = {"out.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
    for layer in range(n_layers):
        names |= {f"blocks.{layer}.{ours}.weight": f"blk.{layer}.{theirs}.weight" for ours, theirs in PARTS.items()}
    return names


def filled(sizes: Sizes, weights: Mapping[str, Tensor], pairing: str = "interleaved") -> Decoder:
    """A decoder with these weights, by their names in a GGUF file, which stores W_q and W_k for interleaved pairs.

    For half-split pairs the rows of each head of W_q and W_k are reordered, which changes no score.
    Raises ValueError for a tensor that is missing, not expected or of the wrong shape, and for another pairing.
    """
    with torch.device("meta"):  # shapes without numbers: nothing is drawn that would be overwritten
        decoder = Decoder(sizes, pairing)
    names, state = names_in_file(sizes.n_layers), {}
    for problem, some in (
        ("missing", {*names.values()} - {*weights}),
        ("not expected", {*weights} - {*names.values()}),
    ):
        if some:
            raise ValueError(f"tensor {min(some)}: {problem}; is the file a Llama with {sizes.n_layers} layers?")
    for ours, parameter in decoder.named_parameters():
        weight = weights[names[ours]]
        if weight.shape != parameter.shape:
            raise ValueError(f"tensor {names[ours]} {tuple(weight.shape)}: expected {tuple(parameter.shape)}")
        if pairing == "half-split" and ours.endswith(("query.weight", "key.weight")):
            weight = half_split_rows(weight, sizes.d_head)
        state[ours] = weight
    decoder.load_state_dict(state, assign=True)
    return decoder.requires_grad_(False).eval()


def half_split_rows(weight: Tensor, d_head: int) -> Tensor:
    """W_q or W_k (heads · d_head, d_model) for interleaved pairs with the rows of each head in half-split order."""
    return weight.unflatten(0, (-1, d_head))[:, to_half_split(d_head)].flatten(0, 1)
