"""Attention, computed in different ways: the same numbers at different cost.

| backend | what it is | its limits |
|---|---|---|
| eager | `attention`, as the formula reads | the whole grid in memory, several times |
| sdpa | `fast_attention`: the fused kernel of `scaled_dot_product_attention` and views | no second derivatives |
| flex | FlexAttention, which calls a function for each score | no value vectors, no dropout; on a CPU no gradients |
| auto | sdpa, but eager for small grids, where the calls cost more than the numbers | |

For outputs of size about 1 they agree to 1e-10 in float64, to 1e-5 in float32, and to 0.04 in bfloat16.
"""

import functools
import os
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import flex_attention as flex

from .attention import attention
from .fast import fast_attention
from .terms import Terms, four_axes

BACKENDS = ("auto", "eager", "sdpa", "flex")
SMALL_GRID = 2**16  # cells of all heads and texts: below, eager needs less time than sdpa (measured on a CPU)


def check_backend(backend: str) -> str:
    """The name, or a ValueError that lists the backends."""
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r}: expected one of {', '.join(map(repr, BACKENDS))}")
    return backend


def attend(backend: str, q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> Tensor:
    """The output of `attention` by the backend of that name.

    With dropout, each backend draws its own numbers, so the same seed drops different weights.
    Raises ValueError for an unknown backend, for shapes that do not fit, and for a limit of the backend.
    """
    if check_backend(backend) == "auto":
        backend = "eager" if q[..., 0].numel() * k.shape[-2] < SMALL_GRID else "sdpa"
    if backend == "sdpa":
        return fast_attention(q, k, v, terms)
    if backend == "flex":
        return flex_attention(q, k, v, terms)
    return attention(q, k, v, terms)[0]


def flex_attention(q: Tensor, k: Tensor, v: Tensor, terms: Terms, *, compiled: bool | None = None) -> Tensor:
    """The output of `attention` by FlexAttention: score(s, b, h, i, j) = s + b_h[j − i] + scale · q_i·a[j − i].

    The products q_i·a are computed before the kernel runs, (n_q, rows of the table) per head. compiled=None compiles on
    a GPU (from 16 channels a head, not in float64), and on a CPU with a C++ compiler for grids of 256 × 256 or more;
    the first call for a shape then takes seconds. Without compilation the numbers are the same, but slow.
    Raises ValueError for value_vectors, for dropout, for gradients on a CPU, and when shapes do not fit.
    Source: Dong et al. 2024, section 3.
    """
    lead, n_q, n_k = terms.check(q, k, v), q.shape[-2], k.shape[-2]
    bias, key_vectors, mask = terms.bias, terms.key_vectors, terms.mask
    if terms.value_vectors is not None:
        raise ValueError("value_vectors: FlexAttention changes scores, not values; expected backend 'sdpa' or 'eager'")
    if terms.dropout:
        raise ValueError(f"dropout={terms.dropout}: FlexAttention has none; expected 0, or backend 'sdpa' or 'eager'")
    learned = (q, k, v, bias, None if key_vectors is None else key_vectors.table)
    if q.device.type == "cpu" and torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in learned):
        raise ValueError("backend='flex': has no gradients on a CPU; expected torch.no_grad(), or 'sdpa' or 'eager'")
    if not torch.is_grad_enabled():  # a view of a parameter still says that it learns, and is then refused
        q, k, v, bias = q.detach(), k.detach(), v.detach(), None if bias is None else bias.detach()
    heads, scale = lead[-1], terms.scale_for(q.shape[-1])
    q, k, v = (four_axes(x.to(v.dtype), *lead, *x.shape[-2:]) for x in (q, k, v))
    bias = None if bias is None else bias.to(v.dtype).expand(heads, -1)
    products = None if key_vectors is None else scale * q @ key_vectors.table.to(v.dtype).mT

    def score(s: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        column = j - i + n_q - 1
        if bias is not None:
            s = s + bias[h, column]
        if products is not None and key_vectors is not None:
            row = column + (key_vectors.first or 0)
            s = s + products[b, h, i, row.clamp(0, products.shape[-1] - 1)]
        return s

    blocks = _causal_blocks(n_q, n_k, terms.past, q.device) if terms.causal else None
    if mask is not None:
        seen = four_axes(mask, *lead, n_q, n_k)
        last = terms.past if terms.causal else n_k  # as if every key came before the queries
        blocks = flex.create_block_mask(
            lambda b, h, i, j: seen[b, h, i, j] & (j <= last + i), len(q), heads, n_q, n_k, device=str(q.device)
        )
    run = _flex(_can_compile(q, v) if compiled is None else compiled)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        output = run(q, k, v, score_mod=score, block_mask=blocks, scale=scale)
    return output.reshape(*lead, n_q, -1)


@functools.lru_cache(maxsize=8)
def _causal_blocks(n_q: int, n_k: int, past: int, device: torch.device) -> flex.BlockMask:
    return flex.create_block_mask(lambda b, h, i, j: j <= past + i, None, None, n_q, n_k, device=str(device))


@functools.cache
def _flex(compiled: bool) -> Callable[..., Any]:
    return torch.compile(flex.flex_attention) if compiled else flex.flex_attention  # type: ignore[return-value]


def _can_compile(q: Tensor, v: Tensor) -> bool:
    """Where there is a compiler, the kernel exists for these sizes, and compiling pays."""
    if q.device.type != "cpu":
        return min(q.shape[-1], v.shape[-1]) >= 16 and q.dtype != torch.float64
    compilers = (os.environ.get("CXX", "c++"), "g++", "clang++")
    return q.shape[-2] * v.shape[-2] >= 2**16 and any(map(shutil.which, compilers))
