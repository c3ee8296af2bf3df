"""Caches equal one pass: a ring with the mask of its window, and grouped keys."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.definition import randomise
from course_lib.nn.alibi import ALiBi
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined
from course_lib.nn.rope import RoPE
from course_lib.nn.sink import Sink

from .definitions import DEFINED, EVERY, STRETCHED_BY_LENGTH
from .definitions import make as make_layer

F64 = torch.float64


KINDS = ("T5 buckets, causal", "Shaw", "Music Transformer", "Transformer-XL", "ALiBi", "RoPE", "FoX", "FIRE")
KINDS += ("RoPE in a sliding window", "sliding window with sink")
MAKE = {name: DEFINED[name].make for name in KINDS} | {
    "FIRE and ALiBi": lambda n, d: Combined(FIRE(n), ALiBi(n)),
    "RoPE and a sink": lambda n, d: Combined(RoPE(d), Sink(n)),
}
N = 14


@st.composite
def readings(draw):
    """A window, how many first tokens are kept, N tokens cut into calls, and a backend."""
    cuts, left = [], N
    while left:
        cuts.append(draw(st.integers(1, left) if draw(st.booleans()) else st.just(1)))
        left -= cuts[-1]
    backend = draw(st.sampled_from(["eager", "sdpa"]))
    return draw(st.integers(1, N)), draw(st.sampled_from([0, 0, 1, 4, N])), cuts, backend


def layer_of(make, device="cpu"):
    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, make(2, 4), causal=True).to(device, F64)
    randomise(layer)
    return layer


def read(layer, x, cache, cuts):
    """The output of all calls, and the number of keys that the cache holds after each."""
    outputs, kept = [], []
    for part in x.split(cuts, 1):
        outputs.append(layer(part, cache=cache))
        kept.append(cache.k.shape[-2])
    return torch.cat(outputs, 1), kept


def window_mask(n, window, keep=0):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j < keep) | (j > i - window)


@pytest.mark.parametrize("name", MAKE)
def test_reading_in_pieces_equals_the_full_pass_with_the_mask(name, device):
    layer = layer_of(MAKE[name], device)
    x = torch.randn(2, N, 8, dtype=F64, device=device)

    @settings(deadline=None, max_examples=25, derandomize=True)
    @given(readings())
    def check(reading):
        window, keep, cuts, layer.backend = reading
        cache = RingCache(window, keep=keep)
        with torch.no_grad():
            got, kept = read(layer, x, cache, cuts)
            expected = layer(x, mask=window_mask(N, window, keep).to(device))
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)
        assert set(kept) == {window + keep} and cache.past == N

    check()


def test_each_key_lies_in_its_slot_and_the_memory_stays():
    cache = RingCache(4, keep=2)

    def read(*numbers):
        new = torch.tensor(numbers).view(1, 1, -1, 1)
        cache.store(cache.seen({"k": new, "v": new}), len(numbers))

    for p in range(9):
        read(float(p))
    assert cache.k.flatten().tolist() == [0, 1, 6, 7, 8, 5]  # the first two, then p − 2 mod 4
    memory = cache.k.data_ptr()
    read(*torch.arange(9.0, 16.0).tolist())
    assert cache.k.data_ptr() == memory and cache.k.flatten().tolist() == [0, 1, 14, 15, 12, 13]


@pytest.mark.parametrize("name", [name for name in MAKE if name != "FoX"])  # its gates forget what lies between
@pytest.mark.parametrize(("window", "keep"), [(1, 0), (4, 2), (3, 0), (1, 3)])
def test_renumbered_equals_a_text_of_the_keys_that_are_left(name, window, keep):
    """Each query sees its keys at 0 … keep + window − 1, as if the text consisted of these tokens only."""
    layer, x = layer_of(MAKE[name]), torch.randn(2, N, 8, dtype=F64)
    with torch.no_grad():
        cuts = [min(3, window + keep), *[1] * (N - min(3, window + keep))]
        got, kept = read(layer, x, RingCache(window, keep=keep, renumbered=True), cuts)
        for i in range(got.shape[1]):
            left = [j for j in range(i + 1) if j < keep or j > i - window]
            torch.testing.assert_close(got[:, i], layer(x[:, left])[:, -1], rtol=0, atol=1e-12)
    assert set(kept) == {window + keep}


def test_gradients_flow_through_what_lies_in_the_ring():
    layer = layer_of(lambda n, d: FoX(n * d, n))
    x = torch.randn(1, 7, 8, dtype=F64, requires_grad=True)
    weight = torch.randn(1, 7, 8, dtype=F64)
    got = torch.autograd.grad((read(layer, x, RingCache(3, keep=1), [2, 1, 1, 3])[0] * weight).sum(), x)
    expected = torch.autograd.grad((layer(x, mask=window_mask(7, 3, 1)) * weight).sum(), x)
    torch.testing.assert_close(got, expected)


def test_a_mask_hides_more_than_the_window():
    """Its columns are the keys that are left and the new ones."""
    layer, x = layer_of(lambda n, d: ALiBi(n)), torch.randn(1, 8, 8, dtype=F64)
    padding = torch.tensor([True, False, True, True, True, False, True, True])
    with torch.no_grad():
        cache = RingCache(3)
        first = layer(x[:, :5], mask=padding[:5], cache=cache)
        second = layer(x[:, 5:], mask=padding[3:], cache=cache)
        expected = layer(x, mask=window_mask(8, 3) & padding)
    torch.testing.assert_close(torch.cat([first, second], 1), expected, rtol=0, atol=1e-12)


def test_what_fox_forgets_of_a_long_text_in_bfloat16(device):
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


def test_what_a_ring_cannot_do_is_refused():
    layer, x = layer_of(lambda n, d: RoPE(d)), torch.randn(1, 9, 8, dtype=F64)
    cache = RingCache(3, keep=1, renumbered=True)
    with pytest.raises(ValueError, match="5 new tokens, 4 free slots"):
        layer(x[:, :5], cache=cache)
    layer(x[:, :4], cache=cache)  # a refused call leaves the cache as it was
    with pytest.raises(ValueError, match="2 new tokens, 0 free slots"):
        layer(x[:, 4:6], cache=cache)


@pytest.mark.parametrize("make", [KeyValueCache, lambda: RingCache(3), lambda: SegmentMemory(2)])
def test_to_look_at_a_step_stores_nothing(make):
    layer, x = RelativeAttention(8, 2, RoPE(4), causal=True), torch.randn(1, 5, 8)
    cache, other = make(), make()
    for token in x.split(1, dim=1):
        layer.weights(token, cache=cache), layer.scores(token, cache=cache)
        assert torch.equal(layer(token, cache=cache), layer(token, cache=other)) and cache.past == other.past


def test_a_cache_keeps_keys_unturned_only_where_speeds_change():
    unturned = {name for name in EVERY if make_layer(name).position.caches_unrotated}
    assert unturned == {*STRETCHED_BY_LENGTH}


# --- grouped keys and values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["RoPE", "Transformer-XL", "Shaw", "log scale", "FoX", "sliding window with sink"])
@pytest.mark.parametrize("make", [KeyValueCache, lambda: RingCache(5), lambda: SegmentMemory(4)])
def test_grouped_keys_equal_a_layer_that_repeats_the_rows_of_its_weights(name, make):
    torch.manual_seed(0)
    heads, groups, d, position = 6, 2, 4, DEFINED[name].make(6, 4)
    grouped = RelativeAttention(heads * d, heads, position, n_kv_heads=groups, causal=True).double()
    repeated = RelativeAttention(heads * d, heads, position, causal=True).double()
    randomise(grouped)
    state = grouped.state_dict()
    for part in ("key.weight", "value.weight"):
        state[part] = state[part].unflatten(0, (groups, d)).repeat_interleave(heads // groups, 0).flatten(0, 1)
    repeated.load_state_dict(state)
    x, caches = torch.randn(2, 12, heads * d, dtype=F64), (make(), make())
    with torch.no_grad():
        for part in x.split([3, 1, 1, 5, 2], 1):
            got, expected = (layer(part, cache=cache) for layer, cache in zip((grouped, repeated), caches))
            torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
        torch.testing.assert_close(grouped.weights(x), repeated.weights(x))
