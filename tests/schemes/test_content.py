"""FoX and FIRE, for which an offset is not enough: by hand, against the loops, and in a long text of low precision."""

import math

import numpy as np
import pytest
import torch

from course_lib.nn.cache import KeyValueCache
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.reference import attention, fire, fox, oracle

from .definitions import DEVICES  # this also sets one thread

every_device = pytest.mark.parametrize("device", DEVICES)


# --- FoX ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("past", [0, 4])
def test_a_number_per_key_is_enough(past):
    """c_i − c_j, its loop, and −c_j alone: the same weights, because softmax takes c_i away."""
    rng = np.random.default_rng(0)
    q, k, v, gates = rng.normal(size=(6 - past, 4)), *rng.normal(size=(2, 6, 4)), rng.uniform(0.1, 1, 6)
    mask = attention.causal_mask(6 - past, 6, past)

    def number(i, j):
        return sum(math.log(gates[token]) for token in range(j + 1, i + 1))

    for i, j in np.ndindex(6 - past, 6):
        if j <= past + i:
            np.testing.assert_allclose(fox.fox_bias(gates, past=past)[i, j], number(past + i, j), rtol=0, atol=1e-12)
    scores = oracle.scores_with_bias(q, k, lambda r: 0.0, scale=0.5, past=past)
    expected = oracle.attend(oracle.with_numbers(scores, number, past=past), v, causal=True, past=past)
    for bias in (fox.fox_bias(gates, past=past), fox.key_form(gates)):
        for found, loops in zip(attention.attention(q, k, v, bias=bias, mask=mask), expected, strict=True):
            np.testing.assert_allclose(found, loops, rtol=0, atol=1e-12)


@every_device
def test_a_long_text_in_bfloat16(device):
    """After 5,000 tokens the sum is some hundred, where bfloat16 knows whole numbers only: decoding must not."""
    torch.manual_seed(0)
    layer = RelativeAttention(16, 2, FoX(16, 2), causal=True).to(device)
    x = torch.randn(1, 5001, 16, device=device)
    with torch.no_grad():
        expected = layer(x[:, -200:])[:, -1]  # what is farther back is forgotten
        low, cache = layer.bfloat16(), KeyValueCache()
        low(x[:, :-1].bfloat16(), cache=cache)
        got = low(x[:, -1:].bfloat16(), cache=cache)[:, 0]
    assert cache.last_key_bias.dtype == torch.float32 and cache.last_key_bias.min() > 100
    torch.testing.assert_close(got.float(), expected, rtol=0, atol=0.03)


# --- FIRE ---------------------------------------------------------------------------------------------------------


@every_device
@pytest.mark.parametrize(("n_q", "n_k", "past"), [(5, 5, 0), (1, 9, 8), (3, 6, 3), (2, 7, 0)])
def test_fire_equals_the_reference(n_q, n_k, past, device):
    torch.manual_seed(0)
    scheme = FIRE(3, threshold=4.0).double().to(device)
    first, _, last = scheme.network
    weights = [part.detach().cpu().numpy() for part in (first.weight[:, 0], first.bias, last.weight, last.bias)]
    expected = fire.fire_bias(
        n_q, n_k, network=lambda x: fire.mlp(x, *weights), c=scheme.c.item(), threshold=4.0, past=past
    )
    with torch.no_grad():
        np.testing.assert_allclose(scheme.bias(n_q, n_k, past).cpu(), expected, rtol=0, atol=1e-12)


def test_far_positions_are_exact_in_bfloat16():
    """Only the share is rounded, not the positions that it is formed from: bfloat16 has no 257."""
    scheme = FIRE(2, threshold=4.0).bfloat16()
    scheme.network = torch.nn.Identity()  # the share itself
    found = scheme.bias(1, 1002, 1001)[0, 0]
    expected = fire.shares(1, 1002, c=scheme.c.item(), threshold=4.0, past=1001)[0]
    np.testing.assert_allclose(found.detach().float(), expected, rtol=1.01 * 2**-8)
