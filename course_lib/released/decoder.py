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


@dataclass(frozen=True)
class Config:
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


class SwiGLU(nn.Module):
    """W_down (silu(W_gate x) ⊙ W_up x), the feed-forward part of a block. Source: Shazeer 2020, eq. 6."""

    def __init__(self, d_model: int, d_feed_forward: int) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_feed_forward, bias=False) for _ in range(2))
        self.down = nn.Linear(d_feed_forward, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(silu(self.gate(x)) * self.up(x))


class LlamaBlock(nn.Module):
    """x + attention(norm x, with the options of its call), then x + feed-forward(norm x)."""

    def __init__(self, config: Config, rope: RoPE) -> None:
        super().__init__()
        d_model = config.d_model
        self.norm1, self.norm2 = nn.RMSNorm(d_model, eps=config.eps), nn.RMSNorm(d_model, eps=config.eps)
        self.attention = RelativeAttention(d_model, config.n_heads, rope, n_kv_heads=config.n_kv_heads, causal=True)
        self.feed_forward = SwiGLU(d_model, config.d_feed_forward)

    def forward(self, x: Tensor, **options: Any) -> Tensor:
        x = x + self.attention(self.norm1(x), **options)
        return x + self.feed_forward(self.norm2(x))


class Decoder(nn.Module):
    """Token numbers (batch, n) to hidden states (batch, n, d_model), and these to logits.

    One matrix turns hidden states into logits, and its rows are the vectors of the tokens (tied embedding).
    RoPE turns the channels 2m and 2m + 1 together.
    Source: Touvron et al. 2023 (Llama), section 2.2.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config, self.rope = config, RoPE(config.d_head, base=config.base, interleaved=True)
        self.out = nn.Linear(config.d_model, config.vocabulary, bias=False)
        blocks = [LlamaBlock(config, self.rope) for _ in range(config.n_layers)]
        self.blocks: Sequence[LlamaBlock] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module
        self.norm = nn.RMSNorm(config.d_model, eps=config.eps)

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """The normalised hidden states, of which `out` makes logits, (batch, n, vocabulary).

        With a cache for each block, the tokens continue the text in the caches.
        mask (n, keys): True where a query may look, of the keys that are not after it. positions: as in the layer.
        """
        x = self.embedded(tokens)
        for number, block in enumerate(self.blocks):
            x = block(x, mask=mask, cache=None if caches is None else caches[number], positions=positions)
        return self.norm(x)

    def embedded(self, tokens: Tensor) -> Tensor:
        """Token numbers (batch, n) to vectors (batch, n, d_model). Raises ValueError for what is not a token number."""
        top, whole = len(self.out.weight), not tokens.is_floating_point() and tokens.dtype != torch.bool
        if tokens.dim() != 2 or not whole or ((tokens < 0) | (tokens >= top)).any():
            raise ValueError(
                f"tokens {tuple(tokens.shape)} of {tokens.dtype}: expected (batch, n), from 0 to {top - 1}"
            )
        return embedding(tokens, self.out.weight)


OURS = {  # the parts of the names in a GGUF file
    "token_embd": "out",
    "output_norm": "norm",
    "blk": "blocks",
    "attn_norm": "norm1",
    "attn_q": "attention.query",
    "attn_k": "attention.key",
    "attn_v": "attention.value",
    "attn_output": "attention.out",
    "ffn_norm": "norm2",
    "ffn_gate": "feed_forward.gate",
    "ffn_up": "feed_forward.up",
    "ffn_down": "feed_forward.down",
}


def filled(config: Config, weights: Mapping[str, Tensor]) -> Decoder:
    """A decoder with these weights, by their names in a GGUF file, which stores W_q and W_k for interleaved pairs.

    Raises RuntimeError for a tensor that is missing, not expected or of the wrong shape.
    """
    with torch.device("meta"):  # shapes without numbers: nothing is drawn that would be overwritten
        decoder = Decoder(config)
    ours = {".".join(OURS.get(part, part) for part in name.split(".")): weight for name, weight in weights.items()}
    decoder.load_state_dict(ours, assign=True)
    return decoder.requires_grad_(False).eval()
