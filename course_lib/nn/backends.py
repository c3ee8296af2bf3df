"""Attention, computed in different ways: the same numbers at different cost.

| backend | what it is | its limits |
|---|---|---|
| eager | `attention`, as the formula reads | the whole grid in memory, several times |
| sdpa | `fast_attention`: the fused kernel of `scaled_dot_product_attention` and views | no second derivatives |
| flex | FlexAttention, which calls a function for each score | no value vectors; on a CPU no gradients |
| auto | sdpa, but eager for small grids, where the calls cost more than the numbers | |

For outputs of size about 1 they agree to 1e-10 in float64, to 1e-5 in float32, and to 0.04 in bfloat16.
"""

import functools
import inspect
import os
import shutil
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import flex_attention as flex

from .attention import attention
from .fast import fast_attention
from .terms import Terms, flatten_batch, for_each_head

BACKENDS = ("auto", "eager", "sdpa", "flex")
SMALL_GRID = 2**16  # cells of all heads and texts: below, eager needs less time than sdpa (measured on a CPU)
_LSE: dict[str, Any] = {"return_lse": True}  # how the kernel is asked for lse, before torch 2.9 and since
if hasattr(flex, "AuxRequest"):
    _LSE = {"return_aux": flex.AuxRequest(lse=True)}


def check_backend(backend: str) -> str:
    """The name, or a ValueError that lists the backends."""
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r}: expected one of {', '.join(map(repr, BACKENDS))}")
    return backend


def attend(backend: str, q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> Tensor:
    """The output of `attention` by the backend of that name.

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
    """The output of `attention` by FlexAttention: s + b_h[j − i] + f_bh[j] + scale · q_i·a[j − i] for each score s.

    The products q_i·a are computed before the kernel runs, (n_q, rows of the table) per head. A sink needs no key: it
    leaves each query the share σ(lse − sink) of its output, with lse the logarithm of the sum of e^score. compiled=None
    compiles on a GPU (from 16 channels a head, not in float64), and on a CPU with a C++ compiler, without a sink, for
    grids of 256 × 256 or more; the first call for a shape then takes seconds. Without compilation the numbers are the
    same, but slow. Raises ValueError for value_vectors, for gradients and a compiled sink on a CPU, for 2³¹ products or
    more (with so many, the kernel of a GPU crashed), and when shapes do not fit. Source: Dong et al. 2024, section 3.
    """
    lead, n_q, n_k, on_cpu = terms.check(q, k, v), q.shape[-2], k.shape[-2], q.device.type == "cpu"
    bias, key_bias, sink, key_vectors = terms.bias, terms.key_bias, terms.sink, terms.key_vectors
    if terms.value_vectors is not None:
        raise ValueError("value_vectors: FlexAttention changes scores, not values; expected backend 'sdpa' or 'eager'")
    if sink is not None and on_cpu and compiled:
        raise ValueError("sink: compiled FlexAttention has no lse on a CPU; expected compiled=False, 'sdpa' or 'eager'")
    learned = (q, k, v, bias, key_bias, sink, None if key_vectors is None else key_vectors.table)
    if on_cpu and torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in learned):
        raise ValueError("backend='flex': has no gradients on a CPU; expected torch.no_grad(), or 'sdpa' or 'eager'")
    heads, scale = lead[-1], terms.scale_for(q.shape[-1])
    if k.shape[-3] != v.shape[-3]:  # the kernel needs the same number of both
        k, v = (for_each_head(x, heads) for x in (k, v))
    q, k, v = (flatten_batch(_plain(x).to(v.dtype), *lead, *x.shape[-2:]) for x in (q, k, v))
    products = None if key_vectors is None else scale * q @ _plain(key_vectors.table).to(v.dtype).mT
    if products is not None and products.numel() >= 2**31:
        raise ValueError(f"key_vectors: {products.numel()} products, expected fewer than 2³¹ for 'flex', or 'sdpa'")
    if bias is not None:
        bias = _plain(bias).to(v.dtype).expand(heads, *bias.shape[1:])
    if key_bias is not None:
        key_bias = flatten_batch(_plain(key_bias)[..., None].to(v.dtype), *lead, n_k, 1)[..., 0]

    def score(s: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        column = j - i + n_q - 1
        if bias is not None:
            s = s + (bias[h, column] if bias.dim() == 2 else bias[h, i, j])
        if key_bias is not None:
            s = s + key_bias[b, h, j]
        if products is not None and key_vectors is not None:
            row = column + (key_vectors.first or 0)
            s = s + products[b, h, i, row.clamp(0, products.shape[-1] - 1)]
        return s

    low, high = _visible_offsets(terms, n_q, n_k)
    blocks = _band(n_q, n_k, low, high, q.device) if terms.causal or terms.reach else None
    if terms.mask is not None:
        seen = flatten_batch(terms.mask, *lead, n_q, n_k)
        blocks = flex.create_block_mask(
            lambda b, h, i, j: seen[b, h, i, j] & (j - i >= low) & (j - i <= high),
            *(len(q), heads, n_q, n_k),
            device=str(q.device),
        )
    if compiled is None:
        compiled = _can_compile(q, v) and not (on_cpu and sink is not None)
    # Torch traces even an uncompiled call, half a second for each shape, though only gradients on a GPU need that.
    plain = on_cpu and not compiled and not torch.compiler.is_compiling()
    with torch.compiler.set_stance("force_eager") if plain else nullcontext(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        run, aux = _flex(compiled), _LSE if sink is not None else {}
        output = run(q, k, v, score_mod=score, block_mask=blocks, scale=scale, enable_gqa=k.shape[1] < heads, **aux)
    if sink is not None:
        output, found = output
        lse = getattr(found, "lse", found)
        output = output * torch.sigmoid(lse - _plain(sink)[:, None])[..., None].to(v.dtype)
    return output.reshape(*lead, n_q, -1)


def _plain(x: Tensor) -> Tensor:
    """x; without gradients, also without the mark that it learns, for which FlexAttention would refuse it."""
    return x if torch.is_grad_enabled() else x.detach()


def _visible_offsets(terms: Terms, n_q: int, n_k: int) -> tuple[int, int]:
    """The smallest and the largest j − i that a query may see. Blocks of the grid without any of them are left out."""
    low = -n_q if terms.reach is None else terms.past - terms.reach + 1
    high = n_k if terms.reach is None else terms.past + terms.reach - 1
    return low, terms.past if terms.causal else high


@functools.lru_cache(maxsize=8)
def _band(n_q: int, n_k: int, low: int, high: int, device: torch.device) -> flex.BlockMask:
    return flex.create_block_mask(
        lambda b, h, i, j: (j - i >= low) & (j - i <= high), None, None, n_q, n_k, device=str(device)
    )


@functools.cache
def _flex(compiled: bool) -> Callable[..., Any]:
    if not compiled:
        return flex.flex_attention
    # Lengths as variables would save compiling again, but torch 2.13 writes C++ for them that does not compile, and the
    # kernel of torch 2.11 for a GPU took ten times as long. So each shape is compiled. After 8 of them, torch would go
    # on uncompiled, which is slower many times. Since 2.13 it takes a larger limit.
    known = inspect.signature(torch.compile).parameters
    more: dict[str, Any] = {"recompile_limit": 256} if "recompile_limit" in known else {}
    return torch.compile(flex.flex_attention, dynamic=False, **more)  # type: ignore[return-value]


def _can_compile(q: Tensor, v: Tensor) -> bool:
    """Where there is a compiler, the kernel exists for these sizes, and compiling pays."""
    if q.device.type != "cpu":
        return min(q.shape[-1], v.shape[-1]) >= 16 and q.dtype != torch.float64
    compilers = (os.environ.get("CXX", "c++"), "g++", "clang++")
    return q.shape[-2] * v.shape[-2] >= 2**16 and any(map(shutil.which, compilers))
