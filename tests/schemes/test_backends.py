"""The backends of a layer agree with its plain path, and each says what it cannot do."""

import shutil

import pytest
import torch

from course_lib.nn import backends
from course_lib.nn.alibi import ALiBi
from course_lib.nn.fast import fast_attention
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Vectors
from course_lib.nn.terms import Terms

from .definitions import DEVICES, SCHEMES  # this also sets one thread

F64, F32, BF16, CPU = torch.float64, torch.float32, torch.bfloat16, torch.device("cpu")
every_device = pytest.mark.parametrize("device", DEVICES)
ONE_OF_EACH_KIND = ("T5 buckets, causal", "Music Transformer", "Transformer-XL", "RoPE", "FoX", "FIRE")
ONE_OF_EACH_KIND += ("sliding window with sink",)


@every_device
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize(
    ("causal", "dtype", "tolerance"), [(False, F64, 1e-10), (True, F64, 1e-10), (True, F32, 1e-5), (True, BF16, 0.04)]
)
def test_backends_agree(name, causal, dtype, tolerance, device):
    """With and without a mask that hides a whole row. Flex takes long, so only one of each kind is asked."""
    torch.manual_seed(0)
    layer = SCHEMES[name](2, 4, causal=causal).to(device, dtype)
    x = torch.randn(2, 6, layer.query.in_features, dtype=F64).to(device, dtype)
    mask = (torch.rand(2, 1, 6, 6) > 0.3).to(device)
    mask[:, :, 2] = False
    by_flex = name in ONE_OF_EACH_KIND and (device, dtype) != ("cuda", F64)
    with torch.no_grad():
        for seen in (None, mask):
            layer.backend = "eager"
            expected = layer(x, mask=seen)
            for layer.backend in ("auto", "sdpa", *["flex"] * by_flex):
                assert (layer(x, mask=seen) - expected).abs().max() < tolerance


def test_flex_leaves_out_the_blocks_that_no_query_may_see():
    band = backends._band(1024, 1024, *backends._visible_offsets(Terms(reach=100, causal=True), 1024, 1024), CPU)
    assert band.to_dense()[0, 0].tolist() == [[int(j in (i - 1, i)) for j in range(8)] for i in range(8)]


def test_flex_takes_a_table_that_learns_when_no_gradients_are_asked_for():
    x, terms = torch.randn(1, 2, 3, 4, requires_grad=True), Terms(bias=torch.randn(2, 5, requires_grad=True))
    with torch.no_grad():
        got, expected = (backends.attend(backend, x, x, x, terms) for backend in ("flex", "eager"))
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)


@pytest.mark.slow
@torch.no_grad()
def test_a_layer_that_uses_flex_can_be_compiled_as_a_whole():
    torch.manual_seed(0)
    layer, x = RelativeAttention(8, 2, ALiBi(2), causal=True, backend="flex"), torch.randn(1, 6, 8)
    torch.testing.assert_close(torch.compile(layer, backend="eager")(x), layer(x))


def test_auto_is_eager_only_for_small_grids(monkeypatch):
    called = []
    monkeypatch.setattr(backends, "fast_attention", lambda q, *args: called.append(len(q)) or q)
    x = torch.randn(1, 4, 127, 2)
    backends.attend("auto", x, x, x, Terms())
    x = torch.randn(2, 4, 127, 2)
    backends.attend("auto", x, x, x, Terms())
    assert called == [2]


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("c++") is None and shutil.which("g++") is None, reason="compiling needs a C++ compiler"
)
def test_flex_compiled():
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 64, 16) for _ in range(3))
    terms = Terms(bias=torch.randn(2, 127), key_vectors=Vectors(torch.randn(1, 5, 16), first=2 - 63), causal=True)
    got = backends.flex_attention(q, k, v, terms, compiled=True)
    torch.testing.assert_close(got, fast_attention(q, k, v, terms), rtol=0, atol=1e-5)
    window = torch.zeros(1, 127).masked_fill(torch.arange(-63, 64).abs() >= 9, -torch.inf)
    for terms in (
        Terms(bias=window, reach=9, key_bias=torch.randn(1, 2, 64), causal=True),
        Terms(bias=torch.randn(2, 64, 64), causal=True),
    ):
        got = backends.flex_attention(q, k, v, terms, compiled=True)
        torch.testing.assert_close(got, fast_attention(q, k, v, terms), rtol=0, atol=1e-5)
