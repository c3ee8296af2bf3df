"""Each change of a tiny model equals its definition, and the model is afterwards as it was before."""

import math
import re

import pytest
import torch

from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.released import model as released

from .tiny import CONFIG, PAIRS, SPEEDS, N, by_definition, logits, tiny

OTHER, STILL, SOME = [0.7, 0.0], [0.0] * PAIRS, [(0, 1), (2, 0), (2, 3)]
OUTPUTS = torch.randn(3, 4, 4).double()
i, j = torch.arange(N)[:, None], torch.arange(N)
CELLS, GAP = torch.randn(4, N, N).double(), torch.tensor([0, 1, 2, 3, 504, 505, 506, 507, 508])
MASK = ((i + 2 * j) % 5 != 3) | (j == 0) | (i == j)


def where(inside, value, otherwise):
    """A function of layer and head."""
    return lambda layer, head: value if inside(layer, head) else otherwise


CHANGES = {
    "nothing": ({}, {}),
    "speeds": ({"speeds": OTHER}, {"speeds": lambda layer, head: OTHER}),
    "speeds in heads": ({"speeds": OTHER, "heads": SOME}, {"speeds": where(lambda *at: at in SOME, OTHER, SPEEDS)}),
    "queries turned": ({"turn_query": 1.5, "heads": SOME}, {"turn": where(lambda *at: at in SOME, 1.5, 0.0)}),
    "factor in heads": ({"score_factor": 0.5, "heads": SOME}, {"factor": where(lambda *at: at in SOME, 0.5, 1.0)}),
    "a bias of numbers": ({"bias": CELLS}, {"bias": lambda layer, head, i, j: float(CELLS[head, i, j])}),
    "moved positions": ({"positions": GAP}, {"place": lambda t: int(GAP[t])}),
    "a mask": ({"mask": MASK}, {"seen": lambda i, j: bool(MASK[i, j])}),
    "a window": ({"window": 3}, {"seen": lambda i, j: i - j < 3}),
    "a window and the first token": ({"window": 2, "sinks": [0]}, {"seen": lambda i, j: i - j < 2 or j == 0}),
    "a window and another token": ({"window": 2, "sinks": [3]}, {"seen": lambda i, j: i - j < 2 or j == 3}),
    "window and mask": ({"window": 4, "mask": MASK}, {"seen": lambda i, j: i - j < 4 and bool(MASK[i, j])}),
    "stopped heads": ({"stopped_heads": SOME}, {"stopped": SOME}),
    "replaced outputs": (
        {"stopped_heads": SOME, "replaced_by": OUTPUTS},
        {"stopped": SOME, "outputs": lambda layer, head: OUTPUTS[layer, head]},
    ),
    "no rotation": (
        {"position": Position(), "layers": [0, 2]},
        {"speeds": where(lambda layer, head: layer != 1, STILL, SPEEDS)},
    ),
    "a bias in layers": (
        {"bias": DecayBias(0.3).double(), "layers": [0, 2]},
        {"bias": lambda layer, head, i, j: -0.3 * math.log(1 + i - j) * (layer != 1)},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_equals_its_definition(name, device, monkeypatch):
    monkeypatch.setattr(released, "CHUNK", 3)
    (model, numbers), (arguments, definition) = tiny(), CHANGES[name]
    expected, targets = by_definition(model, numbers, **definition), numbers[1:]
    model.decoder.to(device)
    numbers = numbers.to(device)
    before = logits(model, numbers)
    with model.changed(**{key: value.to(device) if key == "bias" else value for key, value in arguments.items()}):
        got, losses = logits(model, numbers), model.losses(numbers)
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=1e-10)
    torch.testing.assert_close(losses.cpu(), -expected[:-1].log_softmax(-1)[range(N - 1), targets])
    assert torch.equal(logits(model, numbers), before) and torch.equal(before, got) == (name == "nothing")


def test_blocks_nest_and_add_to_each_other():
    model, numbers = tiny()
    with model.changed(speeds=OTHER, heads=SOME), model.changed(stopped_heads=[(1, 1)]):
        outer = logits(model, numbers)
        with model.changed(positions=GAP, turn_query=2.0, heads=[(2, 2)]), model.changed(mask=MASK, score_factor=1.3):
            got = logits(model, numbers)
        assert torch.equal(logits(model, numbers), outer)
    turned = {"place": lambda t: int(GAP[t]), "turn": where(lambda *at: at == (2, 2), 2.0, 0.0)}
    seen = {"seen": lambda i, j: bool(MASK[i, j]), "factor": lambda layer, head: 1.3}
    outside = {"speeds": where(lambda *at: at in SOME, OTHER, SPEEDS), "stopped": [(1, 1)]}
    torch.testing.assert_close(got, by_definition(model, numbers, **outside, **turned, **seen), rtol=0, atol=1e-10)


def test_inside_shows_what_the_layers_compute():
    model, numbers = tiny()
    with model.changed(turn_query=1.0, heads=SOME):
        layers, means = [*model.inside(numbers)], model.mean_outputs(numbers)
        assert torch.equal(layers[0].x, model.decoder.out.weight[numbers]) and len(layers) == CONFIG.n_layers
        for number, (seen, block) in enumerate(zip(layers, model.decoder.blocks, strict=True)):
            heads = torch.cat([w @ v for w, v in zip(seen.weights.split(2), seen.v)]).view(4, N, -1)
            after = seen.x + heads.transpose(0, 1).flatten(1) @ block.attention.out.weight.T
            after = after + block.feed_forward(block.norm2(after))
            if number < 2:
                torch.testing.assert_close(after, layers[number + 1].x)
            torch.testing.assert_close(means[number], heads.mean(1))
            assert torch.equal(model.attention(numbers, number, 3), seen.weights[3])
            q, k = model.queries_and_keys(numbers, number)
            assert torch.equal(q, seen.q) and torch.equal(k, seen.k)
            assert [*q.shape] == [4, N, 4] and [*k.shape] == [2, N, 4]


@pytest.mark.parametrize("first", [0, 1, N - 1])
def test_profiles_are_means_of_the_weights(first):
    model, numbers = tiny()
    with model.changed(heads=SOME, turn_query=1.0):
        weights = torch.stack([inside.weights for inside in model.inside(numbers)])[:, :, first:]
        shares, on_first = model.profiles(numbers, first_query=first)
    for distance in range(N):
        expected = weights.diagonal(first - distance, -2, -1).sum(-1) / (N - first)
        assert torch.allclose(shares[..., distance], expected)
    assert torch.allclose(on_first, weights[..., 0].mean(-1))


@pytest.mark.parametrize("arguments", [{}, {"window": 4, "sinks": [0]}, {"speeds": OTHER, "heads": SOME}])
def test_generating_with_the_cache_equals_full_passes(arguments):
    model, numbers = tiny()
    with model.changed(**arguments):
        got, text = model.generate(numbers, 6), numbers
        for _ in range(6):
            text = torch.cat([text, logits(model, text)[-1:].argmax(-1)])
    expected = text[N:].tolist()
    expected = expected[: expected.index(49)] if 49 in expected else expected
    assert got == model.tokenizer.decode(expected)


REFUSED = {
    "layer 3, head 0": {"layers": [3]},
    "layer 0, head 4": {"stopped_heads": [(0, 4)]},
    "layers, heads": {"layers": [0], "heads": SOME, "speeds": OTHER},
    "speeds=[1.0]": {"speeds": [1.0]},
    "speeds=[1.0, nan]": {"speeds": [1.0, math.nan]},
    "positions (1, 9)": {"positions": GAP[None]},
    "positions (5,)": {"positions": GAP[:5]},
    "turn_query=inf": {"turn_query": math.inf},
    "'rope'": {"position": "rope"},
    "window=0": {"window": 0},
    "sinks=[0]": {"sinks": [0]},
    "position: RoPE in layer 0": {"position": RoPE(4), "positions": GAP},
    "heads": {"position": RoPE(4), "heads": SOME},
}


@pytest.mark.parametrize("named", REFUSED)
def test_a_change_that_cannot_be_is_refused_and_changes_nothing(named):
    model, numbers = tiny()
    before = logits(model, numbers)
    with pytest.raises(ValueError, match=re.escape(named)), model.changed(**REFUSED[named]):
        logits(model, numbers)
    assert torch.equal(logits(model, numbers), before)


def test_what_cannot_be_read_is_refused():
    model, numbers = tiny()
    for text in (numbers[:1], numbers[None], numbers.double(), numbers + 50):
        with pytest.raises(ValueError, match="2 or more token numbers"):
            model.losses(text)
    with pytest.raises(ValueError, match="layer=3, head=0"):
        model.attention(numbers, 3, 0)
    with pytest.raises(ValueError, match=f"first_query={N}"):
        model.profiles(numbers, first_query=N)
    for arguments in ({"mask": MASK}, {"window": 2, "sinks": [1]}):
        with pytest.raises(ValueError, match="generate: expected no mask"), model.changed(**arguments):
            model.generate(numbers, 1)
