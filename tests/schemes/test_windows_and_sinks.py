"""Sliding windows, sinks and scales of queries: by hand, against the loops, and against published numbers and code."""

import math

import numpy as np
import pytest
import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.attention import attention as nn_attention
from course_lib.nn.fire import FIRE
from course_lib.nn.grid import to_grid
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined
from course_lib.nn.query_scale import Llama4Scale, LogScale
from course_lib.nn.rope import RoPE
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.terms import Terms
from course_lib.reference import attention, oracle, query_scale, sink, sliding_window

from .definitions import DEVICES  # this also sets one thread

every_device = pytest.mark.parametrize("device", DEVICES)


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


# --- windows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_q", "n_k", "past", "w"), [(5, 5, 0, 2), (1, 9, 8, 3), (2, 7, 3, 4), (4, 2, 0, 1)])
def test_a_window_by_counting(n_q, n_k, past, w):
    bias, mask = (f(n_q, n_k, w=w, past=past) for f in (sliding_window.window_bias, sliding_window.window_mask))
    for i, j in np.ndindex(n_q, n_k):
        p = past + i
        assert (bias[i, j] == 0) == (p - w < j < p + w)
        assert mask[i, j] == (p - w < j <= p)
    assert torch.equal(SlidingWindow(w).bias(n_q, n_k, past)[0], torch.from_numpy(sliding_window.window_row(
        n_q, n_k, w=w, past=past)).float())  # fmt: skip


@pytest.mark.parametrize("w", [1, 2, 5])
@pytest.mark.parametrize("layers", [1, 3])
def test_how_far_back_an_influence_reaches(layers, w):
    torch.manual_seed(0)
    stack = [RelativeAttention(8, 2, SlidingWindow(w), causal=True).double() for _ in range(layers)]
    x = torch.randn(1, 20, 8, dtype=torch.float64, requires_grad=True)
    y = x
    for layer in stack:
        y = layer(y)
    (gradient,) = torch.autograd.grad(y[0, -1].sum(), x)
    first = gradient[0].abs().sum(-1).nonzero().min()
    assert 19 - first == sliding_window.reach(layers, w) == layers * (w - 1)


# --- schemes combined ---------------------------------------------------------------------------------------------


def test_what_combined_schemes_give():
    both = Combined(ALiBi(2), SlidingWindow(3), RoPE(4), SlidingWindow(5))
    assert both.reach == 3 and both.scale is None and both.sink() is None and both.key_vectors(4, 4, 0) is None
    row = ALiBi(2).bias(6, 6, 0) + SlidingWindow(3).bias(6, 6, 0)
    assert torch.equal(both.bias(6, 6, 0), row)
    q, k = torch.randn(2, 1, 2, 3, 4)
    for ours, expected in zip(both.rotate(q, k, 5, 2), RoPE(4).rotate(q, k, 5, 2), strict=True):
        assert torch.equal(ours, expected)
    assert Combined(RoPE(4)).bias(3, 3, 0) is None
    nested = Combined(both, Sink(2))
    assert nested.sink() is not None and len(nested.parts) == 5 and torch.equal(nested.bias(6, 6, 0), row)


def test_a_row_of_biases_beside_a_grid():
    window, fire = SlidingWindow(2), FIRE(2, threshold=3.0)
    expected = to_grid(window.bias(3, 5, 2)[:, None], 3) + fire.bias(3, 5, 2)
    assert torch.equal(Combined(window, fire).bias(3, 5, 2), expected)


# --- sinks --------------------------------------------------------------------------------------------------------


def test_a_sink_by_hand():
    s = np.log([1, 2, 3])
    np.testing.assert_allclose(sink.softmax_with_sink(s, -np.inf), [1 / 6, 2 / 6, 3 / 6])
    np.testing.assert_allclose(sink.softmax_with_sink(s, 0), [1 / 7, 2 / 7, 3 / 7])
    np.testing.assert_allclose(sink.softmax_with_sink(s, math.log(2)), [1 / 8, 2 / 8, 3 / 8])
    np.testing.assert_allclose(sink.kept_share(s, [0, math.log(2)]), [6 / 7, 3 / 4])
    assert not sink.softmax_with_sink([-np.inf, -np.inf], 0.0).any()  # a query that may look nowhere


@pytest.mark.parametrize("seed", range(3))
def test_a_sink_is_the_plain_output_times_what_the_keys_keep(seed):
    q, k, v, bias = draw(seed, 2, 3, 4), draw(seed + 9, 2, 5, 4), draw(seed + 18, 2, 5, 3), draw(seed, 2, 3, 5)
    a, mask = np.array([0.3, -2.0]), attention.causal_mask(3, 5, 1)
    output, weights = sink.attention_with_sink(q, k, v, sink=a, bias=bias, mask=mask)
    plain, _ = attention.attention(q, k, v, bias=bias, mask=mask)
    s = np.where(mask, attention.scores(q, k) + bias, -np.inf)
    share = sink.kept_share(s, a[:, None])
    np.testing.assert_allclose(output, share[..., None] * plain, atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), share, atol=1e-12)
    for head in range(2):
        expected = oracle.attend(s[head].tolist(), v[head].tolist(), sink=a[head], mask=mask.tolist())
        np.testing.assert_allclose(output[head], expected[0], atol=1e-12)
        np.testing.assert_allclose(weights[head], expected[1], atol=1e-12)


@pytest.mark.parametrize("window", [None, 3])
def test_sinks_of_gpt_oss(window):
    """Published code with grouped keys set aside: eager attention, alone and in the window of every second layer."""
    transformers = pytest.importorskip("transformers.models.gpt_oss.modeling_gpt_oss")
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 7, 8, dtype=torch.float64)
    scheme = Sink(4).double()
    torch.nn.init.normal_(scheme.a)

    class Module(torch.nn.Module):
        num_key_value_groups, sinks = 1, scheme.a

    visible = sliding_window.window_mask(7, w=window or 7)
    mask = torch.from_numpy(np.where(visible, 0.0, -np.inf))
    with torch.no_grad():
        theirs, weights = transformers.eager_attention_forward(Module().eval(), q, k, v, mask, scaling=8**-0.5)
        position = scheme if window is None else Combined(SlidingWindow(window), scheme)
        ours, our_weights = nn_attention(q, k, v, Terms.of(position, 7, 7, 0, causal=True))
    torch.testing.assert_close(ours.transpose(1, 2), theirs)
    torch.testing.assert_close(our_weights, weights)


@pytest.mark.parametrize(("n_q", "past", "w"), [(6, 0, 3), (1, 8, 3), (3, 4, 2), (5, 0, 1)])
def test_mistral_s_window(n_q, past, w):
    masking = pytest.importorskip("transformers.masking_utils")
    see = masking.sliding_window_causal_mask_function(w)
    i, j = torch.meshgrid(past + torch.arange(n_q), torch.arange(past + n_q), indexing="ij")
    expected = see(torch.tensor(0), torch.tensor(0), i, j).tolist()
    assert sliding_window.window_mask(n_q, w=w, past=past).tolist() == expected


def test_what_stays_in_a_cache_with_sinks():
    kept, numbered = sink.sink_positions(10, first=4, w=4)
    assert kept == [0, 1, 2, 3, 6, 7, 8, 9] and numbered == list(range(8))
    assert sink.sink_positions(5, first=4, w=4)[0] == [0, 1, 2, 3, 4]


# --- scales of queries --------------------------------------------------------------------------------------------


@every_device
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.bfloat16, 2e-2)])
def test_scaled_queries_equal_the_reference(dtype, tolerance, device):
    q, k = torch.randn(2, 1, 2, 5, 4, device=device, dtype=dtype)
    positions = 300 + np.arange(5)  # bfloat16 has no 301
    for scheme, factors in [
        (LogScale(2, 64), query_scale.log_scale(positions, length=64)),
        (Llama4Scale(100), query_scale.llama4_scale(positions, step=100)),
    ]:
        scaled, same = scheme.to(device, dtype).rotate(q, k, 300)
        expected = query_scale.scaled(q.double().cpu(), factors)
        assert scaled.dtype == dtype and same is k
        np.testing.assert_allclose(scaled.detach().double().cpu(), expected, rtol=tolerance)


def test_llama_4_attention_scales():
    """Its own layer without RoPE, asked for what it multiplies the queries by."""
    llama4 = pytest.importorskip("transformers.models.llama4.modeling_llama4")
    from transformers import Llama4TextConfig

    config = Llama4TextConfig(
        hidden_size=8, num_attention_heads=2, num_key_value_heads=2, head_dim=4, floor_scale=3, attn_scale=0.1,
        no_rope_layers=[0], num_hidden_layers=1, use_qk_norm=False, attn_implementation="eager",
    )  # fmt: skip
    theirs = llama4.Llama4TextAttention(config, 0).double().eval()
    ours = RelativeAttention(8, 2, Llama4Scale(3), causal=True).double()
    names = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "o_proj"}
    ours.load_state_dict({f"{us}.weight": getattr(theirs, they).weight for us, they in names.items()})
    x = torch.randn(1, 10, 8, dtype=torch.float64)
    mask = torch.full((10, 10), -torch.inf, dtype=torch.float64).triu(1)[None, None]
    with torch.no_grad():
        expected = theirs(x, position_embeddings=None, attention_mask=mask)[0]
        torch.testing.assert_close(ours(x), expected, rtol=0, atol=1e-6)  # their scales are float32
