"""The backends of a layer agree with its plain path, and each says what it cannot do."""

import shutil
from dataclasses import replace

import pytest
import torch

from course_lib.nn import backends
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.fast import fast_attention
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Vectors
from course_lib.nn.terms import Terms

from .definitions import DEVICES, SCHEMES  # this also sets one thread

F64, F32, BF16, CPU = torch.float64, torch.float32, torch.bfloat16, torch.device("cpu")
every_device = pytest.mark.parametrize("device", DEVICES)
in_each_precision = pytest.mark.parametrize(
    ("causal", "dtype", "tolerance"), [(False, F64, 1e-10), (True, F64, 1e-10), (True, F32, 1e-5), (True, BF16, 0.04)]
)
# bias, key vectors, both, rotation
ONE_OF_EACH_KIND = ("T5 buckets, causal", "Music Transformer", "Transformer-XL", "RoPE")


def takes_flex(name):
    return SCHEMES[name](2, 4).position.value_vectors(6, 6, 0) is None


@every_device
@pytest.mark.parametrize("name", SCHEMES)
@in_each_precision
def test_backends_agree(name, causal, dtype, tolerance, device):
    """Every scheme by the backends that are quick, with and without a mask that hides a whole row."""
    check_backends(["auto", "sdpa"], name, causal, dtype, tolerance, device)


@every_device
@pytest.mark.parametrize(
    "name",
    [
        name if name in ONE_OF_EACH_KIND else pytest.param(name, marks=pytest.mark.slow)
        for name in filter(takes_flex, SCHEMES)
    ],
)
@in_each_precision
def test_flex_agrees(name, causal, dtype, tolerance, device):
    """It takes seconds for each scheme, so only one of each kind is asked in every run."""
    if device == "cuda" and dtype == F64:
        pytest.skip("not on a GPU")
    check_backends(["flex"], name, causal, dtype, tolerance, device)


def check_backends(choices, name, causal, dtype, tolerance, device):
    torch.manual_seed(0)
    layer = SCHEMES[name](2, 4, causal=causal).to(device, dtype)
    x = torch.randn(2, 6, layer.query.in_features, dtype=F64).to(device, dtype)
    mask = (torch.rand(2, 1, 6, 6) > 0.3).to(device)
    mask[:, :, 2] = False
    with torch.no_grad():
        for seen in (None, mask):
            layer.backend = "eager"
            expected = layer(x, mask=seen)
            for layer.backend in choices:
                assert (layer(x, mask=seen) - expected).abs().max() < tolerance


WINDOW = torch.where(torch.arange(-39, 40).abs() < 7, 0.0, -torch.inf).double()[None]
NEW_TERMS = {
    "window": Terms(bias=WINDOW, reach=7),
    "keys": Terms(key_bias=torch.linspace(-3, 3, 160, dtype=F64).view(2, 2, 40)),
    "sink": Terms(sink=torch.tensor([0.5, -2.0], dtype=F64)),
    "cells": Terms(bias=torch.linspace(-2, 2, 3200, dtype=F64).cos().view(2, 40, 40)),
    "window, keys and sink": Terms(
        bias=WINDOW,
        reach=7,
        key_bias=torch.linspace(-3, 3, 160, dtype=F64).view(2, 2, 40),
        sink=torch.tensor([0.5, -2.0], dtype=F64),
    ),
}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", NEW_TERMS)
def test_backends_agree_about_windows_sinks_and_numbers_of_keys_and_cells(name, causal):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 2, 40, 16, dtype=F64)
    hiding = torch.rand(2, 1, 40, 40) > 0.3
    hiding[:, :, 2] = False
    for mask in (None, hiding):
        terms = replace(NEW_TERMS[name], causal=causal, mask=mask)
        expected = backends.attend("eager", q, k, v, terms)
        for backend in ("sdpa", "flex"):
            got = backends.attend(backend, q, k, v, terms)
            torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_q", [1, 2])
def test_backends_agree_after_a_past(n_q):
    """A query near the end of the keys, and one so far behind them that it sees none."""
    q, k, v = torch.randn(1, 2, n_q, 16, dtype=F64), *torch.randn(2, 1, 2, 30, 16, dtype=F64)
    for past in (30 - n_q, 34, 60):
        r = torch.arange(-(past + n_q - 1), 30 - past)
        bias = torch.where(r.abs() < 6, 0.0, -torch.inf).double()[None]
        terms = Terms(bias=bias, reach=6, past=past, causal=True)
        eager, *others = (backends.attend(backend, q, k, v, terms) for backend in ("eager", "sdpa", "flex"))
        assert eager.isfinite().all() and (past == 60) == (not eager.any())
        for got in others:
            torch.testing.assert_close(got, eager, rtol=0, atol=1e-10)


def test_flex_leaves_out_the_blocks_that_no_query_may_see():
    band = backends._band(1024, 1024, *backends._visible_offsets(Terms(reach=100, causal=True), 1024, 1024), CPU)
    assert band.to_dense()[0, 0].tolist() == [[int(j in (i - 1, i)) for j in range(8)] for i in range(8)]


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("backend", ["auto", "eager", "sdpa", "flex"])
def test_dropout_acts_in_training_only(name, backend):
    if backend == "flex" and not takes_flex(name):
        pytest.skip("value vectors")
    torch.manual_seed(0)
    layer = SCHEMES[name](2, 4, causal=True, backend=backend, dropout=0.5)
    x = torch.randn(2, 6, layer.query.in_features)
    without = RelativeAttention(x.shape[-1], 2, layer.position, causal=True, backend=backend)
    without.load_state_dict(layer.state_dict())
    with torch.no_grad():
        assert torch.equal(layer.eval()(x), without(x))
        if backend != "flex":
            assert not torch.allclose(layer.train()(x), without(x))
    if backend == "flex":
        with pytest.raises(ValueError, match=r"dropout=0\.5: FlexAttention has none"):
            layer.train()(x)


@pytest.mark.parametrize("backend", ["sdpa", "flex"])
def test_decoding_by_every_backend(backend):
    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, DecayBias(0.3), causal=True, backend=backend).double()
    x = torch.randn(1, 6, 8, dtype=F64)
    with torch.no_grad():
        cache = KeyValueCache()
        rows = [layer(x[:, i : i + 2], cache=cache) for i in (0, 2, 4)]
        torch.testing.assert_close(torch.cat(rows, 1), layer(x), rtol=0, atol=1e-12)


def test_flex_takes_a_table_that_learns_when_no_gradients_are_asked_for():
    x, terms = torch.randn(1, 2, 3, 4, requires_grad=True), Terms(bias=torch.randn(2, 5, requires_grad=True))
    with torch.no_grad():
        got, expected = (backends.attend(backend, x, x, x, terms) for backend in ("flex", "eager"))
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)


@pytest.mark.slow
@torch.no_grad()
def test_a_layer_that_uses_flex_can_be_compiled_as_a_whole():
    torch.manual_seed(0)
    layer, x = RelativeAttention(8, 2, DecayBias(0.3), causal=True, backend="flex"), torch.randn(1, 6, 8)
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
