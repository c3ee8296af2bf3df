"""What is measured of the released model while it reads: the losses, and what else goes into a row."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, cross_entropy

from course_lib.nn.cache import RingCache
from course_lib.reference.rope import to_half_split
from course_lib.released import Released
from course_lib.released.model import Inside

Measured = tuple[Tensor, dict[str, Any]]  # the losses, and what else goes into the row


def losses(model: Released, tokens: Tensor) -> Measured:
    return model.losses(tokens), {}


def sink(model: Released, tokens: Tensor) -> Measured:
    """Also, by layer, token 0 beside those from 8 on: weight, norms of value and key, cosine, largest number."""
    layers, group = [], model.n_heads // model.n_kv_heads
    for inside in model.inside(tokens):
        k, v, x = inside.k.repeat_interleave(group, 0), inside.v.norm(dim=-1), inside.x.abs()
        numbers = {"weight": inside.weights[:, 8:, 0].mean(), "value 0": v[:, 0].mean(), "value": v[:, 8:].mean()}
        numbers |= {"key 0": k[:, 0].norm(dim=-1).mean(), "key": k[:, 8:].norm(dim=-1).mean()}
        for j in (0, 50):
            numbers[f"cosine {j}"] = cosine_similarity(inside.q[:, 8:], k[:, j : j + 1], dim=-1).mean()
        layers.append(numbers | {"residual 0": x[0].max(), "residual": x[8:].amax(1).median()})
    return model.losses(tokens), {name: [float(layer[name]) for layer in layers] for name in layers[0]}


def last_losses(model: Released, inside: Inside, tokens: Tensor) -> Tensor:
    """The losses, if this is inside the last layer: that costs one layer in place of all."""
    block, mask = model.decoder.blocks[-1], model.changes.visible(len(tokens), tokens.device)
    x = model.decoder.norm(block(inside.x[None], mask=mask)[0])
    return cross_entropy(model.decoder.out(x[:-1]), tokens[1:], reduction="none")


class SinkHeads:
    """Also the weights of later queries, on average over the sink heads: those that give token 0 more than half.

    Which heads these are is decided by the first text that is read: the control.
    """

    def __init__(self, half: int) -> None:
        self.half, self.heads = half, torch.empty(0)

    @torch.no_grad()
    def __call__(self, model: Released, tokens: Tensor) -> Measured:
        layers = list(model.inside(tokens))
        weights = torch.stack([inside.weights[:, self.half + 8 :].mean(1) for inside in layers])
        self.heads = self.heads if len(self.heads) else weights[..., 0] > 0.5
        mean = weights[self.heads].mean(0)
        shares = {"token 0": mean[0], "first half": mean[: self.half].sum(), "first of the second": mean[self.half]}
        numbers = {name: float(share) for name, share in shares.items()}
        return last_losses(model, layers[-1], tokens), {"sink heads": int(self.heads.sum()), **numbers}


@torch.no_grad()
def looked_at(place: int, model: Released, tokens: Tensor) -> Measured:
    """Also the weight that queries 8 or more after this token give it: head 18.8, and the mean from layer 12 on."""
    layers = list(model.inside(tokens))
    weights = torch.stack([inside.weights[:, place + 8 :, place].mean(1) for inside in layers])
    numbers = {"head 18.8": float(weights[18, 8]), "from layer 12": float(weights[12:].mean())}
    return last_losses(model, layers[-1], tokens), numbers


@torch.no_grad()
def with_first_value(values: Sequence[Tensor], model: Released, tokens: Tensor) -> Measured:
    """Later queries get values[layer], (n_kv_heads · d_head,), from token 0. Its own query keeps its own value."""
    caches = model.caches()
    first = model.read_on(tokens[:1], caches)
    for cache, value in zip(caches, values):
        assert cache.v is not None
        cache.v[0, :, 0] = value.view(model.n_kv_heads, -1)
    logits = model.decoder.out(torch.cat([first, model.read_on(tokens[1:], caches)])[:-1])
    return cross_entropy(logits, tokens[1:], reduction="none"), {}


def renumbered(model: Released, tokens: Tensor) -> Measured:
    """The losses as StreamingLLM reads, token by token, because positions are counted in the cache."""
    caches, found = [RingCache(1024, keep=1, renumbered=True) for _ in model.decoder.blocks], []
    with torch.no_grad():
        for token, following in pairwise(tokens):
            logits = model.decoder.out(model.decoder(token[None, None], caches=caches)[0])
            found.append(cross_entropy(logits, following[None]))
    return torch.stack(found), {}


def reordered(model: Released, tokens: Tensor) -> Measured:
    """The losses with the rows of W_q and W_k permuted, head by head, from interleaved to half-split pairs."""
    parts = [part for block in model.decoder.blocks for part in (block.attention.query, block.attention.key)]
    before = [part.weight.data for part in parts]
    for part in parts:
        part.weight.data = part.weight.unflatten(0, (-1, model.d_head))[:, to_half_split(model.d_head)].flatten(0, 1)
    found = model.losses(tokens)
    for part, weight in zip(parts, before):
        part.weight.data = weight
    return found, {}


def digits(model: Released, tokens: Tensor) -> Measured:
    """The losses of the five digits at the end, and whether each is the likeliest token."""
    with torch.no_grad():
        logits = model.decoder.out(model.decoder(tokens[None])[0, -6:-1])
    right = bool((logits.argmax(-1) == tokens[-5:]).all())
    return cross_entropy(logits, tokens[-5:], reduction="none"), {"right": right}
