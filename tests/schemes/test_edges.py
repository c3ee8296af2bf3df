"""What other libraries break on, for every scheme: compiled and exported code, no numbers yet, nothing to read, nan."""

import copy
import math
import warnings

import pytest
import torch

from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.attention import attention
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.fast import fast_attention
from course_lib.nn.terms import Terms
from course_lib.nn.window import WindowAttention

from .definitions import DEFINED, EVERY, draw_text, every_scheme, make

OFTEN = (
    "RoPE in a sliding window",
    "Transformer-XL",
    "M-RoPE",
)  # compiling takes seconds: the others are compiled in the slow tests
some_now = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in EVERY]
)


@some_now
@torch.no_grad()
def test_compiled_for_several_lengths(name):
    """Without a warning, and in one graph but for speeds by length: they are any function of it."""
    torch._dynamo.reset()
    warnings.simplefilter("error", UserWarning)  # for this test; pytest restores the filters
    layer = make(name, causal=True)
    compiled = torch.compile(layer, backend="eager", fullgraph=name in DEFINED)
    for n in (5, 7, 9, 1):
        x = draw_text(layer, n)
        torch.testing.assert_close(compiled(x), layer(x))


@pytest.mark.slow
@every_scheme
@torch.no_grad()
def test_exported_with_a_batch_of_any_size(name):
    """Of a size up to a limit, as "auto" chooses by the size."""
    layer = make(name, causal=True)
    exported = torch.export.export(
        layer, (draw_text(layer, 6, 3),), dynamic_shapes=({0: torch.export.Dim("batch", max=64)},)
    )
    for batch in (1, 5):
        x = draw_text(layer, 6, batch)
        torch.testing.assert_close(exported.module()(x), layer(x))


@every_scheme
@pytest.mark.parametrize("backend", ["auto", "eager", "sdpa"])
def test_an_empty_batch(name, backend):
    layer = make(name, causal=True, backend=backend)
    x, at = draw_text(layer, 5, 0), torch.zeros(0, 5, dtype=torch.int64)
    assert layer(x).shape == layer(x, positions=at).shape == x.shape
    cache = KeyValueCache()
    assert [layer(part, cache=cache).shape[1] for part in x.split([4, 1], 1)] == [4, 1] and cache.past == 5
    layer(x).sum().backward()


@every_scheme
def test_nothing_to_read(name):
    layer = make(name)
    with pytest.raises(ValueError, match=r"^n_q=0: expected a whole number, 1 or more"):
        layer(draw_text(layer, 0))
    with pytest.raises(ValueError, match=r"^n_k=0: expected a whole number, 1 or more"):
        layer(draw_text(layer, 3), draw_text(layer, 0))


MODULES = {name: lambda name=name: EVERY[name](2, 4, causal=True) for name in EVERY} | {
    "Learned": lambda: Learned(9, 8),
    "Sinusoidal": lambda: Sinusoidal(8),
    "Swin": lambda: WindowAttention(8, 2, 2, shift=1),
}


@pytest.mark.parametrize("name", MODULES)
@torch.no_grad()
def test_made_without_memory_and_then_loaded(name):
    """What a state dict does not hold must not lie in memory, where it could be anything."""
    module = MODULES[name]()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    with torch.device("meta"):
        loaded = MODULES[name]()
    loaded = loaded.to_empty(device="cpu")
    for tensor in (*loaded.parameters(), *loaded.buffers()):
        tensor.fill_(77)
    loaded.load_state_dict(copy.deepcopy(module.state_dict()), strict=True)
    x = torch.randn(1, 4, 4, 8) if name == "Swin" else torch.randn(1, 8, 8)
    x = draw_text(module, 40 if "T5" in name else 8, 1) if name in EVERY else x
    torch.testing.assert_close(loaded(x), module(x), rtol=0, atol=0)


@every_scheme
@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("hides", ["mask", "causal"])
@torch.no_grad()
def test_hidden_keys_may_hold_anything(name, bad, hides):
    """In each backend, a query that does not see them answers as if they were numbers, and one that sees nan, nan."""
    layer, n, clean = make(name), 300, 150
    q, k, v = torch.randn(3, 1, 2, n, layer.query.in_features // 2, dtype=torch.float64)
    mask = torch.arange(n) < clean if hides == "mask" else None
    terms = Terms.of(layer.position, n, n, 0, mask=mask, causal=hides == "causal")
    expected = attention(q, k, v, terms)[0]
    k = k.clone()
    k[..., clean:, :] = bad
    eager, fast = attention(q, k, v, terms)[0], fast_attention(q, k, v, terms)
    seen = clean if hides == "causal" else n
    assert eager[..., :seen, :].isfinite().all()
    torch.testing.assert_close(eager[..., :seen, :], expected[..., :seen, :], rtol=0, atol=1e-12)
    torch.testing.assert_close(fast, eager, rtol=0, atol=1e-12, equal_nan=True)
    if hides == "causal" and math.isnan(bad) and layer.position.reach is None:
        assert not fast[..., seen:, :].isfinite().all(-1).any()
