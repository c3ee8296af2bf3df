"""What a trained model adds to a score for distance alone, near and far: the bias it has learned, per distance."""

import torch
from torch import Tensor

from .model import Model


def distances(longest: int) -> list[int]:
    """0, 1, 2, 3, 4, 6, 8, 12, 16, … and the longest there is: dense where it is near."""
    found = {0, 1, longest - 1}
    for power in range(1, longest.bit_length()):
        found |= {2**power, 3 * 2 ** (power - 1)}
    return sorted(d for d in found if d < longest)


@torch.no_grad()
def added_by_distance(model: Model, tokens: Tensor, longest: int) -> Tensor | None:
    """b_h(−d) + scale · q̄_h · a_h(−d) in the first layer for `distances(longest)`: (heads, distances).

    q̄ is the mean query over tokens (batch, n): for schemes that enter through the query this is what they add on
    average. None for schemes that add nothing to the score, or only hide keys.
    """
    first = model.blocks[0]
    layer, position = first.attention, first.attention.position
    bias = position.bias(1, longest, longest - 1)  # of one query behind all keys: offsets −(longest − 1) … 0
    vectors = position.key_vectors(1, longest, longest - 1)
    if bias is not None and bias.dim() == 3:
        bias = bias[:, 0]
    if bias is not None and bias.isinf().any():
        bias = None
    if bias is None and vectors is None:
        return None
    row = torch.zeros(layer.n_heads, longest, device=tokens.device)
    if bias is not None:
        row = row + bias
    if vectors is not None:
        x = first.norm1(model.input(model.embedding(tokens)))
        q, _ = position.rotate(layer.heads(layer.query(x)), layer.heads(layer.key(x)), 0)
        mean = q.mean((0, 2))[:, None]  # (heads, 1, d_head)
        row = row + q.shape[-1] ** -0.5 * (mean @ vectors.per_offset(longest).mT)[:, 0]
    return row.flip(-1)[:, distances(longest)]
