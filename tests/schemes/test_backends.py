"""Every backend gives the numbers of eager attention, for any shape, and the fast one never builds an n × n bias."""

import math
from dataclasses import replace
from unittest.mock import Mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from course_lib.nn import backends, fast
from course_lib.nn.attention import attention
from course_lib.nn.fast import fast_attention
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Vectors
from course_lib.nn.terms import Terms

F64 = torch.float64


@st.composite
def problems(draw, device):
    """q, k, v, the terms of attention, and the list of all that learns. Nothing lies in the order of its axes."""
    n_q, n_k, past = draw(st.integers(1, 24)), draw(st.integers(1, 24)), draw(st.integers(0, 9))
    batch, d, d_v = draw(st.integers(1, 3)), draw(st.sampled_from([1, 4])), draw(st.sampled_from([4, 4, 3]))
    of_q_k_v = [(1, 1, 1), (2, 2, 2), (2, 1, 1), (12, 3, 3), (12, 12, 3), (6, 2, 6)]
    heads, k_heads, v_heads = draw(st.sampled_from(of_q_k_v))
    width, table_heads = n_q + n_k - 1, draw(st.sampled_from([1, heads]))
    torch.manual_seed(draw(st.integers(0, 99)))

    def numbers(*shape, learns=True):
        t = torch.randn(*shape[:-2], shape[-1], shape[-2], dtype=F64).to(device).mT
        return t.requires_grad_(learns)

    def vectors(d):
        kind = draw(st.sampled_from(["none", "per offset", "clipped", "any first row"]))
        if kind == "none":
            return None
        if kind == "per offset":
            return Vectors(numbers(table_heads, width, d))
        first = 3 - past - n_q if kind == "clipped" else draw(st.integers(-2 * width, 8))
        return Vectors(numbers(table_heads, 5, d), first)

    q, k, v = numbers(batch, heads, n_q, d), numbers(batch, k_heads, n_k, d), numbers(batch, v_heads, n_k, d_v)
    kind, reach = draw(st.sampled_from(["none", "fixed", "learned", "cells"])), draw(st.none() | st.integers(1, 12))
    row = numbers(table_heads, width, learns=kind == "learned")
    bias = {"none": None, "cells": numbers(table_heads, n_q, n_k)}.get(kind, row)
    key_bias = numbers(batch, heads, n_k) if draw(st.booleans()) else None
    sink = torch.randn(heads, dtype=F64, device=device, requires_grad=True) if draw(st.booleans()) else None
    learned = [t for t in (q, k, v, bias, key_bias, sink) if t is not None and t.requires_grad]
    if kind == "cells":
        reach = None
    elif reach is not None:
        far = row_offsets(n_q, n_k, past, device).abs() >= reach
        bias = (q.new_zeros(1, width) if bias is None else bias).masked_fill(far, -math.inf)
    key_vectors, value_vectors = vectors(d), vectors(d_v)
    learned += [given.table for given in (key_vectors, value_vectors) if given is not None]
    shape = draw(st.sampled_from([None, None, (n_k,), (batch, 1, 1, n_k), (batch, heads, n_q, n_k)]))
    mask = None if shape is None else (torch.rand(shape) > 0.4).to(device)
    causal = draw(st.booleans())
    return (q, k, v), Terms(bias, key_bias, sink, key_vectors, value_vectors, 0.7, mask, causal, past, reach), learned


BLOCKS = st.sampled_from([(256, 2**19), (5, 40), (3, 700)])  # as it is, and so that many are needed


def test_every_backend_and_its_gradients_equal_eager_attention(device, monkeypatch):
    """For every combination of terms; eager attention itself is tested with every scheme against the definition."""

    @settings(deadline=None, max_examples=200, derandomize=True)
    @given(problems(device), BLOCKS)
    def check(problem, block):
        monkeypatch.setattr(fast, "CPU_BLOCK", block)
        monkeypatch.setattr(fast, "GPU_BLOCK", block)
        (q, k, v), terms, learned = problem
        expected, got = attention(q, k, v, terms)[0], fast_attention(q, k, v, terms)
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
        with torch.no_grad():
            torch.testing.assert_close(fast_attention(q, k, v, terms), expected, rtol=0, atol=1e-10)
        grad = torch.randn_like(expected)
        grads = (torch.autograd.grad(output, learned, grad, retain_graph=True) for output in (got, expected))
        for a, b in zip(*grads):
            torch.testing.assert_close(a, b, rtol=0, atol=1e-10)

    check()


def test_second_derivatives_are_refused_not_wrong():
    q = torch.randn(1, 1, 3, 2, requires_grad=True)
    out = fast_attention(q, q, q, Terms(key_vectors=Vectors(torch.randn(1, 5, 2))))
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(out.sum(), q, create_graph=True)


# --- what the fast path does not build, read or repeat ------------------------------------------------------------


class Largest(TorchDispatchMode):
    """Remembers the largest memory behind any tensor that an operation returns."""

    def __init__(self):
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for t in tree_leaves(result):
            if torch.is_tensor(t):
                self.numbers = max(self.numbers, t.untyped_storage().nbytes() // t.element_size())
        return result


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", ["bias", "key_vectors", "clipped", "sink", "window and sink", "FoX and sink"])
def test_nothing_grows_with_the_square(name, causal):
    """The largest tensor of forward and backward holds a block or a row per token, never n_q · n_k per head."""
    heads, n, d = 4, 2048, 8
    q = torch.randn(1, heads, n, d, requires_grad=True)
    row, table, clipped = (
        torch.randn(shape, requires_grad=True) for shape in ((heads, 2 * n - 1), (1, 2 * n - 1, d), (1, 33, d))
    )
    sink = torch.randn(heads, requires_grad=True)
    window = torch.zeros(1, 2 * n - 1).masked_fill(row_offsets(n, n, 0).abs() >= 300, -math.inf)
    terms = {
        "bias": Terms(bias=row, causal=causal),
        "key_vectors": Terms(key_vectors=Vectors(table), causal=causal),
        "sink": Terms(sink=sink, causal=causal),
        "window and sink": Terms(bias=window, reach=300, sink=sink, causal=causal),
        "FoX and sink": Terms(key_bias=q[..., 0], sink=sink, causal=causal),
        "clipped": Terms(key_vectors=Vectors(clipped, 17 - n), value_vectors=Vectors(clipped, 17 - n), causal=causal),
    }[name]
    block = fast.CPU_BLOCK[1] + fast.CPU_BLOCK[0] ** 2  # the rows behind a block are a little wider than its grid
    with Largest() as forward, torch.no_grad():
        fast_attention(q, q, q, terms)
    assert forward.numbers <= (2 * heads * n * d if name == "bias" else block)
    with Largest() as both:
        fast_attention(q, q, q, terms).sum().backward()
    assert both.numbers <= block < heads * n * n / 25


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("terms", [Terms(), Terms(sink=torch.zeros(2))], ids=["window", "window and sink"])
def test_keys_out_of_reach_are_not_read(terms, causal):
    """Their vectors may even be no numbers: no block of queries touches a key that all of them have left behind."""
    n, w = 1000, 5
    q, k, v = torch.randn(3, 1, 2, n, 4)
    bias = torch.zeros(1, 2 * n - 1).masked_fill(row_offsets(n, n, 0).abs() >= w, -math.inf)
    terms = replace(terms, bias=bias, reach=w, causal=causal)
    expected = fast_attention(q, k, v, terms)[..., -100:, :]
    k[..., :400, :] = v[..., :400, :] = math.nan
    assert torch.equal(fast_attention(q, k, v, terms)[..., -100:, :], expected)


@pytest.mark.parametrize("terms", [Terms(causal=True), Terms(bias=torch.zeros(1, 23)), Terms(causal=True, past=2)])
def test_the_kernel_gets_grouped_keys(terms, monkeypatch):
    """They are not repeated in memory."""
    kernel = Mock(wraps=fast.scaled_dot_product_attention)
    monkeypatch.setattr(fast, "scaled_dot_product_attention", kernel)
    fast_attention(torch.randn(1, 6, 12, 4), *torch.randn(2, 1, 2, 12, 4), terms)
    assert {call.args[1].shape[1] for call in kernel.call_args_list} == {2}


# --- auto -------------------------------------------------------------------------------------------------------


def test_auto_is_eager_only_for_small_grids(monkeypatch):
    called = []
    monkeypatch.setattr(backends, "fast_attention", lambda q, *args: called.append(len(q)) or q)
    x = torch.randn(1, 4, 127, 2)
    backends.attend("auto", x, x, x, Terms())
    x = torch.randn(2, 4, 127, 2)
    backends.attend("auto", x, x, x, Terms())
    assert called == [2]
