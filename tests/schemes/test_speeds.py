"""RoPE with other speeds: examples by hand, and speeds that change while a text is read."""

import numpy as np
import pytest
import torch

from course_lib.definition import by_definition
from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.nn.rope import rotate as nn_rotate
from course_lib.reference import attention, oracle
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import (
    by_factors,
    by_parts,
    dynamic_ntk,
    ntk,
    p_rope,
    partial_rope,
    ramp,
    turns,
)

from .definitions import DEVICES, SCHEMES, STRETCHED_BY_LENGTH, triples

F64 = torch.float64
every_device = pytest.mark.parametrize("device", DEVICES)
by_length = pytest.mark.parametrize("name", STRETCHED_BY_LENGTH)


def close(got, expected, rtol=1e-12):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-12)


# --- the rules ----------------------------------------------------------------------------------------------------


def test_rules_by_hand():
    theta = frequencies(8)  # 1, 0.1, 0.01, 0.001
    close(turns(theta, 20 * np.pi), [10, 1, 0.1, 0.01])
    close(ntk(theta, 8), [1, 1 / 20, 1 / 400, 1 / 8000])  # divided by 1, 2, 4, 8
    close(by_factors(theta, [1, 2, 4, 8]), ntk(theta, 8))
    close(p_rope(theta, 0.5), [1, 0.1, 0, 0])
    close(partial_rope(8, 0.5), [1, 0.01])
    close(by_parts(frequencies(4, 100), 4, 40 * np.pi, high=4), [1, 0.05])  # 20 turns and 2: γ = 1 and 1/3
    close(by_parts(theta, 8, 20 * np.pi, low=1, high=1), [1, 0.0125, 0.00125, 0.000125])  # no pair between
    close(ramp([0, 1, 2, 3, 4], 1, 3), [0, 0, 0.5, 1, 1])


# --- rotate -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("speeds", [[0.7], [0.7, 0.0], [0.7, 0.2, 0.05], None])
def test_rotate_equals_the_loops_and_the_torch_file(speeds, interleaved):
    x, options = np.random.RandomState(0).randn(2, 5, 6), {"speeds": speeds, "interleaved": interleaved}
    q, k = (rotate(x[i], past=past, factor=1.5, **options) for i, past in ((0, 3), (1, 0)))
    theta = frequencies(6) if speeds is None else speeds
    f = np.where(np.arange(6) < 2 * len(theta), 1.5, 1)
    pairs = [*triples(theta, interleaved)]
    expected = oracle.scores_with_rotation(x[0] * f, x[1] * f, pairs, scale=1.0, past=3)
    close(attention.scores(q, k, scale=1.0), expected)
    close(nn_rotate(torch.from_numpy(x[0]), 3, factor=1.5, **options), q)


# --- speeds by the length of the text -----------------------------------------------------------------------------


def decoded(layer, x, step):
    cache = KeyValueCache()
    return [layer(x[:, i : i + step], cache=cache) for i in range(0, x.shape[1], step)]


@every_device
@by_length
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_cache_equals_one_pass_over_the_text_at_every_length(name, step, device):
    """After n tokens, every key is turned by the speeds for n, whenever it was read: below L, at L, and beyond."""
    torch.manual_seed(0)
    layer = STRETCHED_BY_LENGTH[name](2, 8, causal=True).to(device, F64)
    x = torch.randn(2, 12, 16, dtype=F64, device=device)
    with torch.no_grad():
        for end, got in zip(range(step, 13, step), decoded(layer, x, step), strict=True):
            torch.testing.assert_close(got, layer(x[:, :end])[:, -step:], rtol=0, atol=1e-12)


@every_device
@by_length
@pytest.mark.parametrize("past", [0, 3, 9])
@pytest.mark.parametrize("dtype_and_tolerance", [(F64, 1e-10), (torch.float32, 1e-5), (torch.bfloat16, 0.04)])
def test_changing_speeds_equal_the_definition(name, past, dtype_and_tolerance, device):
    dtype, tolerance = dtype_and_tolerance
    torch.manual_seed(0)
    scheme = STRETCHED_BY_LENGTH[name]
    layer = scheme(2, 8, causal=True).to(device, dtype)
    source = torch.randn(2, past + 3, 16, dtype=F64).to(device, dtype)
    x, mask = source[:, past:], torch.rand(3, past + 3, device=device) > 0.3
    expected = by_definition(scheme.definition, layer, x, source, past=past, mask=mask)
    with torch.no_grad():
        for layer.backend in ("eager", "sdpa", "auto"):
            cache = KeyValueCache()
            if past:
                layer(source[:, :past], cache=cache)
            got = layer(x, mask=mask, cache=cache)
            assert got.dtype == dtype and (got.cpu().double() - expected).abs().max() < tolerance


@by_length
def test_changing_speeds_with_a_memory_and_between_two_texts(name):
    torch.manual_seed(0)
    scheme = STRETCHED_BY_LENGTH[name]
    layer, x = scheme(2, 8).double(), torch.randn(1, 9, 16, dtype=F64)
    with torch.no_grad():
        memory = SegmentMemory(4)
        layer(x[:, :5], cache=memory)
        got = layer(x[:, 5:], cache=memory)
        expected = by_definition(scheme.definition, layer, x[:, 5:], x[:, 1:], past=4)
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
        expected = by_definition(scheme.definition, layer, x[:, :3], x)
        torch.testing.assert_close(layer(x[:, :3], x), expected, rtol=0, atol=1e-10)


def test_a_text_does_not_depend_on_what_was_read_before():
    """In transformers 5.23 it does: after a text of 12 tokens, one of 8 is read with the speeds for 12."""
    torch.manual_seed(0)
    layer = STRETCHED_BY_LENGTH["dynamic NTK"](2, 8, causal=True).double()
    x = torch.randn(1, 12, 16, dtype=F64)
    with torch.no_grad():
        before = layer(x[:, :8])
        layer(x)
        assert torch.equal(layer(x[:, :8]), before)


def test_fixed_speeds_are_cached_turned_and_changing_ones_are_not():
    assert not any(scheme.make(2, 4).caches_unrotated for name, scheme in SCHEMES.items() if name.startswith("RoPE"))
    assert all(scheme.make(2, 8).caches_unrotated for scheme in STRETCHED_BY_LENGTH.values())
    rope = RoPE(8, speeds=lambda n: dynamic_ntk(frequencies(8), n, 4))
    layer, cache, x = RelativeAttention(8, 1, rope), KeyValueCache(), torch.randn(1, 5, 8)
    layer(x, cache=cache)
    assert torch.equal(cache.k, layer.heads(layer.key(x)))
