"""What ours is measured against: written from the definitions, or a module of `transformers` or `x_transformers`."""

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.nn.t5 import bucket

from .contender import CLIP, Contender, Make, Size, window


def hide_future(s: Tensor) -> Tensor:
    n = s.shape[-1]
    return s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -math.inf)


def offsets(n: int, device: str) -> Tensor:
    i = torch.arange(n, device=device)
    return i - i[:, None]


def dense_bias(number: Callable[[Tensor, Size], Tensor], *, causal: bool, fused: bool) -> Make:
    """A fixed bias worked out for each pair, (heads, n, n), in every call, then added: eager, or as a mask."""

    def build(size: Size) -> Contender:
        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            bias = number(offsets(size.n, size.device).abs().to(q.dtype), size)
            bias = hide_future(bias) if causal else bias
            if fused:
                return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(len(q), size.heads, -1, -1))
            return (q @ k.mT * size.d**-0.5 + bias).softmax(-1) @ v

        return Contender(run)

    return build


def log_number(distance: Tensor, size: Size) -> Tensor:
    return -0.3 * torch.log1p(distance)


def alibi_number(distance: Tensor, size: Size) -> Tensor:
    slopes = 2.0 ** (-8 * torch.arange(1, size.heads + 1, device=distance.device) / size.heads)
    return -slopes.to(distance.dtype)[:, None, None] * distance


def t5_grid(*, fused: bool, causal: bool) -> Make:
    """T5's look-up for each pair of positions, (n, n) buckets and (heads, n, n) biases, as most code does it."""

    def build(size: Size) -> Contender:
        table = size.leaf(32, size.heads)

        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            bias = table[bucket(offsets(size.n, size.device), bidirectional=not causal)].permute(2, 0, 1)
            bias = hide_future(bias) if causal else bias
            if fused:
                return F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None], scale=1.0)
            return (q @ k.mT + bias).softmax(-1) @ v

        return Contender(run, [table])

    return build


def dense_window(size: Size) -> Contender:
    """A sliding window as a mask of truth values, (n, n), which the fused kernel reads in full."""
    r = offsets(size.n, size.device)
    mask = (r <= 0) & (r > -window(size))
    return Contender(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask[None, None]))


class _Given(nn.Module):
    """Stands where a projection stood and answers with what it was given."""

    value: Tensor

    def forward(self, _: Tensor) -> Tensor:
        return self.value.transpose(1, 2).flatten(2)


def hugging_face_t5(implementation: str, causal: bool) -> Make:
    """The attention module of `transformers`, its four projections replaced by q, k, v as they are."""

    def build(size: Size) -> Contender:
        from transformers.models.t5.modeling_t5 import T5Attention, T5Config

        config = T5Config(d_model=size.heads * size.d, d_kv=size.d, num_heads=size.heads, is_decoder=causal)
        config._attn_implementation = implementation
        layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).to(size.device, size.dtype).eval()
        given = [_Given() for _ in range(3)]
        layer.q, layer.k, layer.v, layer.o = *given, nn.Identity()
        hidden = size.random(size.batch, size.n, size.heads * size.d)
        mask = hide_future(size.random(size.n, size.n) * 0)[None, None] if causal else None

        def run(*qkv: Tensor) -> Tensor:
            for module, value in zip(given, qkv):
                module.value = value
            return layer(hidden, mask=mask)[0].unflatten(-1, (size.heads, -1)).transpose(1, 2)

        return Contender(run, [layer.relative_attention_bias.weight])

    return build


def x_transformers(scheme: str, *, flash: bool, causal: bool) -> Make:
    """The `Attend` of `x_transformers` with its T5 or ALiBi bias, or its rotary embedding."""

    def build(size: Size) -> Contender:
        from x_transformers.attend import Attend
        from x_transformers.x_transformers import (
            AlibiPositionalBias,
            RelativePositionBias,
            RotaryEmbedding,
            apply_rotary_pos_emb,
        )

        attend = Attend(causal=causal, heads=size.heads, flash=flash, scale=1.0 if scheme == "t5" else None)
        if scheme == "rope":
            rotary = RotaryEmbedding(size.d).to(size.device)

            def turn(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
                freqs, _ = rotary(torch.arange(size.n, device=q.device))
                return attend(apply_rotary_pos_emb(q, freqs), apply_rotary_pos_emb(k, freqs), v)[0]

            return Contender(turn)
        position: Any = (
            RelativePositionBias(scale=1.0, causal=causal, heads=size.heads)
            if scheme == "t5"
            else AlibiPositionalBias(heads=size.heads)
        ).to(size.device)

        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return attend(q, k, v, attn_bias=position(size.n, size.n).to(q.dtype))[0]

        return Contender(run, list(position.parameters()))

    return build


def shaw_gather(size: Size) -> Contender:
    """One product with the table, its columns gathered for each pair; weights scattered back into them."""
    a, c = size.leaf(2 * CLIP + 1, size.d), size.leaf(2 * CLIP + 1, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        index = (offsets(size.n, size.device).clamp(-CLIP, CLIP) + CLIP).expand(*q.shape[:2], -1, -1)
        s = (q @ k.mT + (q @ a.mT).gather(-1, index)) * size.d**-0.5
        weights = s.softmax(-1)
        by_row = weights.new_zeros(*weights.shape[:-1], len(c)).scatter_add(-1, index, weights)
        return weights @ v + by_row @ c

    return Contender(run, [a, c])


def shaw_broadcast(size: Size) -> Contender:
    """As first published in code: the vectors of all pairs, (n, n, d), and a product for each query."""
    a, c = size.leaf(2 * CLIP + 1, size.d), size.leaf(2 * CLIP + 1, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        index = offsets(size.n, size.device).clamp(-CLIP, CLIP) + CLIP
        s = (q @ k.mT + torch.einsum("bhid,ijd->bhij", q, a[index])) * size.d**-0.5
        weights = s.softmax(-1)
        return weights @ v + torch.einsum("bhij,ijd->bhid", weights, c[index])

    return Contender(run, [a, c])


def huang_pad_reshape(size: Size) -> Contender:
    """Music Transformer's skew: a column in front, read again with other row lengths, and the causal mask over junk."""
    e = size.leaf(size.heads, size.n, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        rows = F.pad(q @ e.mT, (1, 0))
        position = rows.reshape(*rows.shape[:2], size.n + 1, size.n)[:, :, 1:]
        return hide_future((q @ k.mT + position) * size.d**-0.5).softmax(-1) @ v

    return Contender(run, [e])


def huang_gather(size: Size) -> Contender:
    """Products with the vectors of all 2n − 1 offsets, gathered for each pair."""
    e = size.leaf(size.heads, 2 * size.n - 1, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        index = (offsets(size.n, size.device) + size.n - 1).expand(*q.shape[:2], -1, -1)
        return ((q @ k.mT + (q @ e.mT).gather(-1, index)) * size.d**-0.5).softmax(-1) @ v

    return Contender(run, [e])


def xl_authors(size: Size) -> Contender:
    """Transformer-XL in its authors' form: length first, pad and reshape, softmax over the second axis."""
    n = size.n
    r, u, w = size.leaf(n, size.heads, size.d), size.leaf(size.heads, size.d), size.leaf(size.heads, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k, v = (x.permute(2, 0, 1, 3) for x in (q, k, v))
        content = torch.einsum("ibhd,jbhd->ijbh", q + u, k)
        distance = torch.einsum("ibhd,jhd->ijbh", q + w, r)
        zero = distance.new_zeros(n, 1, *distance.shape[2:])
        shifted = torch.cat([zero, distance], 1).view(n + 1, n, *distance.shape[2:])[1:].view_as(distance)
        s = (content + shifted) * size.d**-0.5
        hidden = torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1)[:, :, None, None]
        weights = s.masked_fill(hidden, -math.inf).softmax(1)
        return torch.einsum("ijbh,jbhd->ibhd", weights, v).permute(1, 2, 0, 3)

    return Contender(run, [r, u, w])


def xl_batch_first(size: Size) -> Contender:
    """The same with the axes in the order of the other schemes."""
    r, u, w = size.leaf(size.heads, size.n, size.d), size.leaf(size.heads, 1, size.d), size.leaf(size.heads, 1, size.d)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        rows = F.pad((q + w) @ r.mT, (1, 0))
        shifted = rows.reshape(*rows.shape[:2], size.n + 1, size.n)[:, :, 1:]
        return hide_future(((q + u) @ k.mT + shifted) * size.d**-0.5).softmax(-1) @ v

    return Contender(run, [r, u, w])


def rotate_half(size: Size) -> Contender:
    """RoPE as Llama's code has it: x cos + rotate_half(x) sin with tables as wide as x."""
    theta = 10000.0 ** (-torch.arange(0, size.d, 2, device=size.device) / size.d)
    angle = torch.arange(size.n, device=size.device)[:, None] * theta.repeat(2)
    cos, sin = angle.cos().to(size.dtype), angle.sin().to(size.dtype)

    def turn(x: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    return Contender(lambda q, k, v: F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True))


def hugging_face(model: str, implementation: str, *, windowed: bool) -> Make:
    """The attention function of a model of `transformers`, with its mask, which a model makes once for all layers."""

    def build(size: Size) -> Contender:
        from transformers import masking_utils
        from transformers.integrations.sdpa_attention import sdpa_attention_forward
        from transformers.models.gpt_oss import modeling_gpt_oss
        from transformers.models.mistral import modeling_mistral

        eager = {"gpt-oss": modeling_gpt_oss, "Mistral": modeling_mistral}[model].eager_attention_forward
        attend = eager if implementation == "eager" else sdpa_attention_forward
        make = masking_utils.eager_mask if implementation == "eager" else masking_utils.sdpa_mask
        how = {"dtype": size.dtype, "device": size.device}
        if windowed:
            sees = masking_utils.sliding_window_causal_mask_function(window(size))
            how |= {"mask_function": sees, "local_size": window(size)}
        mask = make(size.batch, size.n, size.n, **how)
        module = nn.Module()
        module.is_causal, module.num_key_value_groups = True, 1
        module.sinks = nn.Parameter(size.random(size.heads))
        learned = [module.sinks] if model == "gpt-oss" else []

        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return attend(module, q, k, v, mask, scaling=size.d**-0.5)[0].transpose(1, 2)

        return Contender(run, learned)

    return build


def installed() -> dict[str, dict[str, Make]]:
    """The peers that come from packages, by scheme."""
    found: dict[str, dict[str, Make]] = {}
    if find_spec("transformers"):
        for name, causal in (("t5", False), ("t5 causal", True)):
            found[name] = {f"Hugging Face, {how}": hugging_face_t5(how, causal) for how in ("eager", "sdpa")}
        found["window"] = {f"Mistral, {how}": hugging_face("Mistral", how, windowed=True) for how in ("eager", "sdpa")}
        for name, windowed in (("sink", False), ("window + sink", True)):
            found[name] = {"gpt-oss, eager": hugging_face("gpt-oss", "eager", windowed=windowed)}
    if find_spec("x_transformers"):
        for name, kind, causal in (("t5", "t5", False), ("t5 causal", "t5", True), ("alibi", "alibi", True)):
            more = {
                f"x-transformers{', flash' * f}": x_transformers(kind, flash=f, causal=causal) for f in (False, True)
            }
            found[name] = found.get(name, {}) | more
        found["rope"] = {"x-transformers, flash": x_transformers("rope", flash=True, causal=True)}
    return found
