"""One attention, computed in different ways: the same numbers at different cost.

| backend | what it is | its limits |
|---|---|---|
| eager | `attention`, as the formula reads | the whole grid in memory, several times |
| sdpa | `fast_attention`: the fused kernel of `scaled_dot_product_attention` and views | no second derivatives |
| flex | FlexAttention: a function changes each score inside the kernel | no value vectors; on a CPU no gradients |
| auto | sdpa; eager for grids so small that the calls cost more than the numbers | |

Against float64 they all agree to 1e-10, in float32 to 1e-5, in bfloat16 to 0.04, for answers of size about 1.
"""

import functools
import math
import os
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import flex_attention as flex

from .attention import attention, causal_mask, check_mask, check_shapes
from .fast import fast_attention
from .position import Vectors

BACKENDS = ("auto", "eager", "sdpa", "flex")
SMALL_GRID = 2**16  # cells of all heads and texts: below, eager needs less time than sdpa (measured on a CPU)


def check_backend(backend: str) -> str:
    """The name, or a ValueError that lists the names there are."""
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r}: expected one of {', '.join(map(repr, BACKENDS))}")
    return backend


def attend(
    backend: str, q: Tensor, k: Tensor, v: Tensor, *, causal: bool = False, past: int = 0, **terms: Any
) -> Tensor:
    """The output of `attention` by the backend of that name. `terms` are bias, key_vectors, value_vectors, scale, mask.

    `causal` hides the keys after each query, the first of which stands at position `past`.
    Raises ValueError for an unknown backend, shapes that do not fit, and what a backend cannot do.
    """
    if check_backend(backend) == "auto":
        backend = "eager" if q[..., 0].numel() * k.shape[-2] < SMALL_GRID else "sdpa"
    if backend == "sdpa":
        return fast_attention(q, k, v, causal=causal, past=past, **terms)
    if backend == "flex":
        return flex_attention(q, k, v, causal=causal, past=past, **terms)
    if causal:
        visible, mask = causal_mask(q.shape[-2], k.shape[-2], past, q.device), terms.get("mask")
        terms["mask"] = visible if mask is None else mask & visible
    return attention(q, k, v, **terms)[0]


def flex_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    bias: Tensor | None = None,
    key_vectors: Vectors | None = None,
    value_vectors: Vectors | None = None,
    scale: float | None = None,
    mask: Tensor | None = None,
    causal: bool = False,
    past: int = 0,
    compiled: bool | None = None,
) -> Tensor:
    """The output of `attention` by FlexAttention: score(s, b, h, i, j) = s + b_h[j − i] + scale · q_i·a[j − i].

    The query's products with the vectors are made before, (n_q, rows of the table) per head. compiled=None: compiled on
    a GPU (from 16 channels a head, not in float64), and on a CPU with a C++ compiler for grids of 256 × 256 or more,
    where the first call of a shape then takes seconds. Uncompiled it is right, and slow. Raises ValueError for
    value_vectors, for gradients on a CPU, and when shapes do not fit. Source: Dong et al. 2024, section 3.
    """
    n_q, n_k = check_shapes(q, k, v, bias, key_vectors, value_vectors), k.shape[-2]
    if value_vectors is not None:
        raise ValueError("value_vectors: FlexAttention changes scores, not values; expected backend 'sdpa' or 'eager'")
    learned = (q, k, v, bias, None if key_vectors is None else key_vectors.table)
    if q.device.type == "cpu" and torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in learned):
        raise ValueError("backend='flex': has no gradients on a CPU; expected torch.no_grad(), or 'sdpa' or 'eager'")
    if not torch.is_grad_enabled():  # a view of a parameter still says that it learns, and is then refused
        q, k, v, bias = q.detach(), k.detach(), v.detach(), None if bias is None else bias.detach()
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    heads = lead[-1]
    q, k, v = (x.to(v.dtype).expand(*lead, -1, -1).reshape(-1, heads, *x.shape[-2:]) for x in (q, k, v))
    if mask is not None:
        check_mask(mask, torch.Size((*lead, n_q, n_k)))
        mask = mask.expand(*lead, n_q, n_k).reshape(-1, heads, n_q, n_k)
    bias = None if bias is None else bias.to(v.dtype).expand(heads, -1)
    products, index = None, None
    if key_vectors is not None:
        products, index = scale * q @ key_vectors.table.to(v.dtype).mT, key_vectors.index
        index = torch.arange(n_q + n_k - 1, device=q.device) if index is None else index

    def score(s: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        column = j - i + n_q - 1
        if bias is not None:
            s = s + bias[h, column]
        if products is not None and index is not None:
            s = s + products[b, h, i, index[column]]
        return s

    blocks = _causal_blocks(n_q, n_k, past, q.device) if causal else None
    if mask is not None:
        seen, last = mask, past if causal else n_k  # past = n_k: every key stands before the queries
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
