"""A ring cache: reading a text in pieces equals one pass with the mask of the window, and memory stays constant."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.nn.alibi import ALiBi
from course_lib.nn.cache import KeyValueCache, RingCache
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias

from .definitions import DEVICES, SCHEMES

F64 = torch.float64
every_device = pytest.mark.parametrize("device", DEVICES)


class Sink(Position):
    def sink(self):
        return torch.tensor([0.5, -1.0], dtype=F64)


class Slowing(RoPE):
    """RoPE whose speeds depend on how much was read, so that keys are cached unrotated."""

    def __init__(self):
        super().__init__(4, speeds=lambda n: [1.0, 1 / n])


KINDS = ("T5 buckets, causal", "Shaw", "Music Transformer", "Transformer-XL", "ALiBi", "RoPE")
MAKE = {name: SCHEMES[name].make for name in KINDS} | {
    "ALiBi and RoPE": lambda n, d: Combined(ALiBi(n), RoPE(d)),
    "RoPE and a sink": lambda n, d: Combined(RoPE(d), Sink()),
    "FoX": lambda n, d: FoX(n * d, n),
    "FIRE": lambda n, d: FIRE(n, threshold=4.0),
    "FIRE and ALiBi": lambda n, d: Combined(FIRE(n), ALiBi(n)),
}
N = 14


@st.composite
def readings(draw):
    """A window, how many first tokens are kept, and N tokens cut into calls."""
    cuts, left = [], N
    while left:
        cuts.append(draw(st.integers(1, left) if draw(st.booleans()) else st.just(1)))
        left -= cuts[-1]
    return draw(st.integers(1, N)), draw(st.sampled_from([0, 0, 1, 4, N])), cuts


def layer_of(make, device="cpu", **options):
    torch.manual_seed(0)
    return RelativeAttention(8, 2, make(2, 4), **{"causal": True} | options).to(device, F64)


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


@every_device
@pytest.mark.parametrize("name", MAKE)
def test_reading_in_pieces_equals_the_full_pass_with_the_mask(name, device):
    layer = layer_of(MAKE[name], device)
    x = torch.randn(2, N, 8, dtype=F64, device=device)
    has_vectors = any(hook(1, 1, 0) for hook in (layer.position.key_vectors, layer.position.value_vectors))

    @settings(deadline=None, max_examples=25, derandomize=True)
    @given(readings())
    def check(reading):
        window, keep, cuts = reading
        keep = 0 if has_vectors else keep
        cache = RingCache(window, keep=keep)
        with torch.no_grad():
            got, kept = read(layer, x, cache, cuts)
            expected = layer(x, mask=window_mask(N, window, keep).to(device))
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)
        assert set(kept) == {window + keep} and len(cache) == N

    check()


@pytest.mark.parametrize(
    "position",
    [RoPE(4), ALiBi(2), T5Bias(2, bidirectional=False, num_buckets=6, max_distance=9), Slowing()],
    ids=["RoPE", "ALiBi", "T5", "slowing RoPE"],
)
@pytest.mark.parametrize("w", [1, 4])
@pytest.mark.parametrize("backend", ["eager", "sdpa"])
def test_a_scheme_with_a_window_needs_no_more_than_the_ring(position, w, backend):
    """The window of the scheme does what the mask does: a full pass, a growing cache and a ring give the same."""
    layer = layer_of(lambda n, d: Combined(position, SlidingWindow(w)), backend=backend)
    x = torch.randn(2, N, 8, dtype=F64)
    with torch.no_grad():
        for cuts in ([1] * N, [5, 1, 3, 5], [N - 1, 1]):
            growing, _ = read(layer, x, KeyValueCache(), cuts)
            ring, kept = read(layer, x, RingCache(w), cuts)
            torch.testing.assert_close(ring, growing, rtol=0, atol=1e-12)
            assert kept[-1] == w
        if not callable(getattr(position, "speeds", None)):
            torch.testing.assert_close(ring, layer(x), rtol=0, atol=1e-12)


def test_each_key_lies_in_its_slot():
    cache = RingCache(4, keep=2)
    for p in range(9):
        seen, _ = cache.append(*torch.full((2, 1, 1, 1, 1), float(p)))
    assert cache.k.flatten().tolist() == [0, 1, 6, 7, 8, 5]  # the first two, then p − 2 mod 4
    assert seen.flatten().tolist() == [0, 1, 5, 6, 7, 8] and cache.spans() == [range(2), range(5, 9)]
    memory = cache.k.data_ptr()
    seen, _ = cache.append(*torch.arange(9.0, 16.0).expand(2, 1, 1, -1)[..., None])
    assert cache.k.data_ptr() == memory and cache.k.flatten().tolist() == [0, 1, 14, 15, 12, 13]
    assert seen.flatten().tolist() == [0, 1, 6, 7, 8, *range(9, 16)]
    causal = torch.ones(7, 12, dtype=torch.bool).tril(5)
    assert cache.mask(causal).sum(-1).tolist() == [6] * 7  # two first ones and a window of four for each


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize(("window", "keep"), [(1, 0), (4, 2), (3, 0), (1, 3)])
def test_renumbered_equals_a_text_of_the_keys_that_are_left(name, window, keep):
    """Each query sees its keys at 0 … keep + window − 1, as if the text consisted of these tokens only."""
    layer, x = layer_of(MAKE[name]), torch.randn(2, N, 8, dtype=F64)
    if isinstance(layer.position, FoX):
        pytest.skip("its gates forget what lies between, whether it is kept or not")
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


def test_what_a_ring_cannot_do_is_refused():
    layer, x = layer_of(lambda n, d: RoPE(d)), torch.randn(1, 9, 8, dtype=F64)
    cache = RingCache(3, keep=1, renumbered=True)
    with pytest.raises(ValueError, match="5 new tokens, 4 free slots"):
        layer(x[:, :5], cache=cache)
    layer(x[:, :4], cache=cache)  # a refused call leaves the cache as it was
    with pytest.raises(ValueError, match="2 new tokens, 0 free slots"):
        layer(x[:, 4:6], cache=cache)
    layer, cache = layer_of(lambda n, d: ShawVectors(n, d, 2)), RingCache(2, keep=1)
    layer(x[:, :3], cache=cache)
    with pytest.raises(ValueError, match="key_vectors: the cache has lost positions"):
        layer(x[:, 3:4], cache=cache)
