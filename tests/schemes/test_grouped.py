"""Grouped keys and values: the same numbers as a layer whose W_k and W_v repeat the rows of each group."""

from unittest.mock import Mock

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.definition import randomise
from course_lib.nn import fast
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.fast import fast_attention
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.sink import Sink
from course_lib.nn.terms import Terms

from .definitions import SCHEMES

F64, HEADS, D, N = torch.float64, 6, 4, 12
NAMES = ("none", "T5 buckets, causal", "Shaw", "Shaw, keys only", "Transformer-XL", "ALiBi", "RoPE", "log scale")
NAMES += ("sliding window", "sliding window with sink", "sink", "FoX", "FIRE")


class RotationOfItsOwn(Position):
    """RoPE at another speed in each query head, so that keys leave `rotate` with all heads."""

    def rotate(self, q, k, past, first_key=None):
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        parts = [RoPE(D, base=10.0 + h).rotate(q[:, h], k[:, h], past, first_key) for h in range(HEADS)]
        return torch.stack([q for q, _ in parts], 1), torch.stack([k for _, k in parts], 1)


MAKE = {name: SCHEMES[name].make for name in NAMES} | {
    "a rotation of its own for each query head": lambda n, d: RotationOfItsOwn(),
    "the same with a sink": lambda n, d: Combined(RotationOfItsOwn(), Sink(n)),
}
every_scheme = pytest.mark.parametrize("name", MAKE)
every_group = pytest.mark.parametrize("n_kv_heads", [1, 2, 3])


def layers(name, n_kv_heads, **options):
    """A layer with grouped keys, and one in which every head has its own copy of them."""
    torch.manual_seed(0)
    position, options = MAKE[name](HEADS, D), {"causal": True} | options
    grouped = RelativeAttention(HEADS * D, HEADS, position, n_kv_heads=n_kv_heads, **options).double()
    randomise(grouped)
    repeated = RelativeAttention(HEADS * D, HEADS, position, **options).double()
    state = grouped.state_dict()
    for part in ("key.weight", "value.weight"):
        rows = state[part].unflatten(0, (n_kv_heads, D))
        state[part] = rows.repeat_interleave(HEADS // n_kv_heads, 0).flatten(0, 1)
    repeated.load_state_dict(state)
    return grouped, repeated


@every_scheme
@every_group
@pytest.mark.parametrize("backend", ["eager", "sdpa", "flex"])
def test_every_backend_equals_repeated_keys(name, n_kv_heads, backend, monkeypatch):
    monkeypatch.setattr(fast, "CPU_BLOCK", (5, 40))  # so that the grid falls into blocks
    grouped, repeated = layers(name, n_kv_heads, backend=backend)
    if backend == "flex" and grouped.position.value_vectors(1, 1, 0):
        pytest.skip("value vectors")
    x, mask = torch.randn(2, N, HEADS * D, dtype=F64), torch.rand(2, HEADS, N, N) > 0.2
    repeated.backend = "eager"
    with torch.no_grad():
        for seen in (None, mask):
            torch.testing.assert_close(grouped(x, mask=seen), repeated(x, mask=seen), rtol=0, atol=1e-10)
            torch.testing.assert_close(grouped.weights(x, mask=seen), repeated.weights(x, mask=seen))


@every_scheme
@pytest.mark.parametrize("make", [KeyValueCache, lambda: RingCache(5), lambda: SegmentMemory(4)])
def test_every_cache_equals_repeated_keys(name, make):
    grouped, repeated = layers(name, 2)
    x, caches = torch.randn(2, N, HEADS * D, dtype=F64), (make(), make())
    with torch.no_grad():
        for part in x.split([3, 1, 1, 5, 2], 1):
            got, expected = (layer(part, cache=cache) for layer, cache in zip((grouped, repeated), caches))
            torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


@every_scheme
@pytest.mark.parametrize("backend", ["eager", "sdpa"])
def test_gradients_equal_those_of_repeated_keys(name, backend):
    grouped, repeated = layers(name, 3, backend=backend)
    repeated.backend = "eager"
    x = torch.randn(2, N, HEADS * D, dtype=F64)
    got, expected = (torch.autograd.grad(layer(x).square().sum(), layer.key.weight)[0] for layer in (grouped, repeated))
    expected = expected.unflatten(0, (3, -1, D)).sum(1).flatten(0, 1)  # one row serves the whole group
    torch.testing.assert_close(got, expected, rtol=1e-8, atol=1e-8)


def test_a_cache_counts_its_bytes():
    grouped, repeated = layers("RoPE", 2)
    x, caches = torch.randn(3, 7, HEADS * D, dtype=F64), (KeyValueCache(), KeyValueCache())
    grouped(x, cache=caches[0])
    repeated(x, cache=caches[1])
    assert [cache.nbytes for cache in caches] == [2 * 3 * heads * 7 * D * 8 for heads in (2, HEADS)]
    assert KeyValueCache().nbytes == 0


@pytest.mark.parametrize("terms", [Terms(causal=True), Terms(bias=torch.zeros(1, 23)), Terms(causal=True, past=2)])
def test_the_kernel_gets_grouped_keys(terms, monkeypatch):
    """They are not repeated in memory."""
    kernel = Mock(wraps=scaled_dot_product_attention)
    monkeypatch.setattr(fast, "scaled_dot_product_attention", kernel)
    fast_attention(torch.randn(1, HEADS, N, D), *torch.randn(2, 1, 2, N, D), terms)
    assert {call.args[1].shape[1] for call in kernel.call_args_list} == {2}
