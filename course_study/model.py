"""A small causal transformer that differs from variant to variant in position alone."""

from collections.abc import Sequence
from itertools import cycle

from torch import Tensor, nn

from course_lib.nn.layer import RelativeAttention

from .settings import Settings
from .variants import Variant

EMBEDDING_STD = 0.1  # of the embeddings at the start, to which learned positions add 0.02 and sinusoidal ones 0.7


class Block(nn.Module):
    """x + attention(norm x), then x + feed-forward(norm x)."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention = RelativeAttention(d_model, n_heads, causal=True)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = x + self.attention(self.norm1(x), mask=mask)
        return x + self.feed_forward(self.norm2(x))


class Model(nn.Module):
    """Tokens (batch, n) to logits (batch, n, vocabulary).

    Layer l has position number l of the variant's `layers`, which begin again after the last. Everything that has
    nothing to do with position is drawn first: with the same seed, all variants begin alike in it.
    """

    def __init__(self, variant: Variant, vocabulary: int, settings: Settings) -> None:
        super().__init__()
        d_model = settings.d_model
        self.embedding = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.embedding.weight, std=EMBEDDING_STD)
        blocks = [Block(d_model, settings.n_heads) for _ in range(settings.n_layers)]
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocabulary)
        self.input = nn.Identity() if variant.input is None else variant.input(settings)
        for block, make in zip(blocks, cycle(variant.layers)):
            again = variant.shared and block is not blocks[0]
            block.attention.position = blocks[0].attention.position if again else make(settings)
        self.blocks: Sequence[Block] = nn.ModuleList(blocks)  # type: ignore[assignment]  # it is one, and says Module

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        """mask (n, n): True where a query may look, of the keys that are not after it."""
        x = self.input(self.embedding(tokens))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))
