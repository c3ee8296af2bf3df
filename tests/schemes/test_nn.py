"""Every layer against the plain loops of the definition, its gradients against finite differences, and decoding."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.definition import by_definition
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.fire import FIRE
from course_lib.nn.grid import to_grid
from course_lib.nn.position import Combined
from course_lib.nn.rope import RoPE
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.window import WindowAttention
from course_lib.reference import absolute, fire

from .definitions import DEFINED, EVERY, draw_text, every_scheme, make

F64, F32, F16, BF16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
few = settings(deadline=None, max_examples=30, derandomize=True)


# --- the definition -----------------------------------------------------------------------------------------------


@st.composite
def shapes(draw):
    kind = draw(st.sampled_from(["self", "causal", "cross"]))
    n_q = draw(st.integers(1, 6))
    past = 0 if kind == "cross" else draw(st.integers(0, 4))
    n_k = draw(st.integers(1, 7)) if kind == "cross" else past + n_q
    heads, d_head = draw(st.sampled_from([(1, 2), (2, 4), (3, 2), (12, 2)]))
    return kind, n_q, n_k, past, heads, d_head, draw(st.integers(1, 2)), draw(st.booleans()), draw(st.integers(0, 99))


def error(name, shape, device, dtype, backend):
    """The largest difference between a layer and the loops, for one drawn shape, with whole rows masked at times."""
    kind, n_q, n_k, past, heads, d_head, batch, masked, seed = shape
    layer = make(name, heads, d_head, device=device, dtype=dtype, seed=seed, causal=kind == "causal", backend=backend)
    source = draw_text(layer, n_k, batch, seed=seed)
    mask = None
    if masked:
        mask = torch.rand(n_q, n_k, device=device) > 0.3
        mask[n_q // 2] = False
    with torch.no_grad():
        if kind == "cross":
            x = draw_text(layer, n_q, batch, seed=seed + 1)
            got = layer(x, source, mask=mask)
        else:
            x, cache = source[:, past:], KeyValueCache()
            for start in range(0, past, 2):
                layer(source[:, start : min(start + 2, past)], cache=cache)
            got = layer(x, mask=mask, cache=cache)
        expected = by_definition(EVERY[name].definition, layer, x, source, past=past, mask=mask)
    assert got.dtype == dtype and got.device.type == device and got.isfinite().all()
    return (got.cpu().double() - expected).abs().max().item()


@every_scheme
def test_equals_the_definition(name, device):
    @few
    @given(shapes(), st.sampled_from(["auto", "sdpa"]))
    def check(shape, backend):
        assert error(name, shape, device, F64, backend) < 1e-10

    check()


@every_scheme
@pytest.mark.parametrize(("dtype", "tolerance"), [(F32, 1e-5), (F16, 0.005), (BF16, 0.04)])
def test_equals_the_definition_in_less_precision(name, device, dtype, tolerance):
    """Answers are about 1, so the tolerance is a few units of the last digit of each format."""
    for backend in ("eager", "sdpa"):
        for shape in [("causal", 5, 8, 3, 2, 4, 2, True, 1), ("cross", 4, 7, 0, 3, 2, 1, False, 2)]:
            assert error(name, shape, device, dtype, backend) < tolerance


@every_scheme
def test_runs_under_autocast(name):
    layer = make(name, dtype=F32, causal=True)
    x = draw_text(layer, 5)
    expected = layer(x)
    with torch.autocast("cpu", BF16):
        got = layer(x)
    assert got.dtype == BF16
    assert (got - expected).abs().max() < 0.02 * expected.abs().max()  # five units of its last digit


# --- gradients ----------------------------------------------------------------------------------------------------


@every_scheme
def test_gradients(name):
    """Every input, weight and table, with one query that sees nothing."""
    layer = make(name, 2, 2, causal=True)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    names, weights = zip(*layer.named_parameters(), strict=True)

    def run(x, *parameters):
        return torch.func.functional_call(layer, dict(zip(names, parameters, strict=True)), (x,), {"mask": mask})

    x = draw_text(layer, 3, 1).requires_grad_()
    assert torch.autograd.gradcheck(run, (x, *weights), fast_mode=True)


# --- memory ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFINED)
@pytest.mark.parametrize("length", [0, 2, 5, 99])
def test_segments_equal_one_pass_with_a_window(name, device, length):
    """A query of segment s sees its own segment up to itself, and the `length` tokens before the segment.

    A memory that forgets the first token counts from another one, so a scheme that reads positions must be given them.
    """
    layer = make(name, 2, 4, device=device, causal=True)
    x, memory, size = draw_text(layer, 8), SegmentMemory(length), 3
    i, j = torch.arange(8, device=device)[:, None], torch.arange(8, device=device)
    with torch.no_grad():
        positions = [None] * 3 if DEFINED[name].relative or length > 8 else torch.arange(8, device=device).split(size)
        parts = zip(x.split(size, 1), positions, strict=True)
        segments = [layer(part, cache=memory, positions=at) for part, at in parts]
        one_pass = layer(x, mask=j >= i // size * size - length)
        torch.testing.assert_close(torch.cat(segments, 1), one_pass, rtol=0, atol=1e-12)
    assert memory.past == min(length, 8)


def test_no_gradient_flows_into_the_memory():
    """… but keys and values are formed from it anew, so W_k, W_v and W_r learn from it."""
    layer, memory = make("Transformer-XL", causal=True), SegmentMemory(4)
    first, second = (torch.randn(1, 3, 8, dtype=F64, requires_grad=True) for _ in range(2))
    layer(first, cache=memory)
    layer(second, cache=memory).square().sum().backward()
    assert first.grad is None and second.grad.abs().sum() > 0
    got = layer.key.weight.grad.clone()

    layer.zero_grad()
    layer(torch.cat([first.detach(), second], 1))[:, 3:].square().sum().backward()
    torch.testing.assert_close(got, layer.key.weight.grad)


# --- positions added to the input, several schemes in one layer, windows of an image ------------------------------


def test_absolute_positions_equal_the_reference():
    """Also where a text goes on after 5 tokens, and in bfloat16."""
    x = torch.randn(1, 300, 6, dtype=F64)
    expected = torch.from_numpy(absolute.sinusoidal(5 + torch.arange(300).numpy(), 6))
    torch.testing.assert_close(Sinusoidal(6)(x, past=5)[0], x[0] + expected)
    torch.testing.assert_close(Sinusoidal(6)(0 * x.bfloat16(), past=5)[0].double(), expected, rtol=0, atol=0.004)
    learned = Learned(305, 6)
    torch.testing.assert_close(learned(x, past=5)[0], x[0] + learned.table[5:])


def test_what_combined_schemes_give():
    both = Combined(ALiBi(2), SlidingWindow(3), RoPE(4), SlidingWindow(5))
    assert both.reach == 3 and both.scale is None and both.sink() is None and both.key_vectors(4, 4, 0) is None
    row = ALiBi(2).bias(6, 6, 0) + SlidingWindow(3).bias(6, 6, 0)
    assert torch.equal(both.bias(6, 6, 0), row) and Combined(RoPE(4)).bias(3, 3, 0) is None
    nested = Combined(both, Sink(2))
    assert nested.sink() is not None and len(nested.parts) == 5 and torch.equal(nested.bias(6, 6, 0), row)
    near, share = SlidingWindow(2), FIRE(2, threshold=3.0)
    cells = to_grid(near.bias(3, 5, 2)[:, None], 3) + share.bias(3, 5, 2)  # a row of biases beside a grid
    assert torch.equal(Combined(near, share).bias(3, 5, 2), cells)


def test_windows_of_an_image_in_bfloat16_and_what_their_table_learns(device):
    """Equality with a published layer is tested elsewhere; the memory of this image is not in the order of its axes."""
    layer = WindowAttention(4, 2, 2, shift=1).to(device, F64)
    image = torch.randn(2, 4, 4, 6, dtype=F64).to(device).transpose(2, 3)
    torch.nn.init.normal_(layer.table)
    with torch.no_grad():
        low = copy.deepcopy(layer).bfloat16()(image.bfloat16())
        torch.testing.assert_close(low.double(), layer(image), rtol=0, atol=0.05)
    assert torch.autograd.gradcheck(lambda t: torch.func.functional_call(layer, {"table": t}, (image,)), layer.table)


# --- precision far away, and what is kept between calls -----------------------------------------------------------


def test_far_bias_is_exact_in_bfloat16():
    """257 is no bfloat16 number: a distance must not be rounded before the decay is taken."""
    layer, exact = DecayBias(1.0, "linear").bfloat16(), torch.arange(-511, 512).abs()
    assert torch.equal(layer.bias(512, 512, 0)[0], -exact.bfloat16())
    scheme = FIRE(1, threshold=4.0).bfloat16()
    scheme.network = torch.nn.Identity()  # the share itself
    expected = torch.from_numpy(fire.shares(1, 512, c=scheme.c.item(), threshold=4.0, past=511)[0])
    torch.testing.assert_close(scheme.bias(1, 512, 511)[0, 0].double(), expected, rtol=1.01 * 2**-8, atol=0)


@every_scheme
def test_far_rotations_are_exact_in_bfloat16(name):
    """Angles and scales are formed in float32: position 281 must not become 280 or 282."""
    low = make(name, dtype=BF16).position
    exact = copy.deepcopy(low).double()
    q, k = torch.randn(2, 1, 2, 3, max(4, EVERY[name].least)).bfloat16()
    for got, expected in zip(low.prepare(q, k, 280), exact.prepare(q.double(), k.double(), 280), strict=True):
        torch.testing.assert_close(got.double(), expected, rtol=2**-6, atol=0.05)


@pytest.mark.parametrize("name", ["Transformer-XL", "RoPE"])
def test_angles_kept_from_inference_serve_training(name):
    """What is kept between calls must not be an inference tensor, which autograd refuses."""
    layer, x = make(name, dtype=F32), torch.randn(1, 13, 8)
    with torch.inference_mode():
        expected = layer(x)
    layer(x).sum().backward()
    assert all(weight.grad.abs().sum() > 0 for weight in layer.parameters())
    torch.testing.assert_close(layer(x), expected)
