"""Each change of a tiny model equals its definition, and the model is afterwards as it was before."""

import math

import pytest
import torch

from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.released import model as released

from .tiny import PAIRS, SIZES, SPEEDS, N, by_definition, tiny

OTHER, STILL, SOME = [0.7, 0.0], [0.0] * PAIRS, [(0, 1), (2, 0), (2, 3)]
i, j = torch.arange(N)[:, None], torch.arange(N)
CELLS, MASK, GAP = (
    torch.randn(4, N, N).double(),
    (i + 2 * j) % 5 != 3,
    torch.tensor([0, 1, 2, 3, 504, 505, 506, 507, 508]),
)
MASK[:, 0] = True


def where(inside, value, otherwise):
    """A function of layer and head."""
    return lambda layer, head: value if inside(layer, head) else otherwise


def decay(layer, head, i, j):
    return -0.3 * math.log(1 + i - j)


CHANGES = {
    "nothing": ({}, {}),
    "speeds": ({"speeds": OTHER}, {"speeds": lambda layer, head: OTHER}),
    "speeds in layers": (
        {"speeds": OTHER, "layers": [1]},
        {"speeds": where(lambda layer, head: layer == 1, OTHER, SPEEDS)},
    ),
    "speeds in heads": ({"speeds": OTHER, "heads": SOME}, {"speeds": where(lambda *at: at in SOME, OTHER, SPEEDS)}),
    "queries turned": ({"turn_query": 1.5, "heads": SOME}, {"turn": where(lambda *at: at in SOME, 1.5, 0.0)}),
    "scores times a factor": ({"score_factor": 1.3}, {"factor": lambda layer, head: 1.3}),
    "factor in heads": ({"score_factor": 0.5, "heads": SOME}, {"factor": where(lambda *at: at in SOME, 0.5, 1.0)}),
    "a scheme's bias": ({"bias": DecayBias(0.3).double()}, {"bias": decay}),
    "a bias of numbers": ({"bias": CELLS}, {"bias": lambda layer, head, i, j: float(CELLS[head, i, j])}),
    "moved positions": ({"positions": GAP}, {"place": lambda t: int(GAP[t])}),
    "a mask": ({"mask": MASK}, {"seen": lambda i, j: bool(MASK[i, j])}),
    "a window": ({"window": 3}, {"seen": lambda i, j: i - j < 3}),
    "a window and the first token": ({"window": 2, "sinks": [0]}, {"seen": lambda i, j: i - j < 2 or j == 0}),
    "a window and another token": ({"window": 2, "sinks": [3]}, {"seen": lambda i, j: i - j < 2 or j == 3}),
    "window and mask": ({"window": 4, "mask": MASK}, {"seen": lambda i, j: i == j or (i - j < 4 and bool(MASK[i, j]))}),
    "stopped heads": ({"stopped_heads": SOME}, {"stopped": SOME}),
    "no rotation": (
        {"position": Position(), "layers": [0, 2]},
        {"speeds": where(lambda layer, head: layer != 1, STILL, SPEEDS)},
    ),
    "a scheme in layers": (
        {"position": RoPE(4, base=7.0, interleaved=True), "layers": [1]},
        {"speeds": where(lambda layer, head: layer == 1, [1.0, 7**-0.5], SPEEDS)},
    ),
    "a bias in layers": (
        {"bias": DecayBias(0.3).double(), "layers": [0, 2]},
        {"bias": lambda layer, head, i, j: decay(layer, head, i, j) * (layer != 1)},
    ),
}
MASK[i == j] = True


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("chunk", [3, 512])
def test_a_change_equals_its_definition(name, chunk, monkeypatch):
    monkeypatch.setattr(released, "CHUNK", chunk)
    (model, numbers), (arguments, definition) = tiny(), CHANGES[name]
    before = model.logits(numbers)
    with model.changed(**arguments):
        got = model.logits(numbers)
        losses = model.losses(numbers)
    expected = by_definition(model, numbers, **definition)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
    torch.testing.assert_close(losses, -expected[:-1].log_softmax(-1)[range(N - 1), numbers[1:]])
    assert torch.equal(model.logits(numbers), before) and torch.equal(before, got) == (name == "nothing")


def test_blocks_nest_and_add_to_each_other():
    model, numbers = tiny()
    before = model.logits(numbers)
    with model.changed(speeds=OTHER, layers=[0]), model.changed(stopped_heads=[(1, 1)]):
        outer = model.logits(numbers)
        with model.changed(positions=GAP, turn_query=2.0, heads=[(2, 2)]), model.changed(mask=MASK, score_factor=1.3):
            got = model.logits(numbers)
        assert torch.equal(model.logits(numbers), outer)
    expected = by_definition(
        model,
        numbers,
        speeds=where(lambda layer, head: layer == 0, OTHER, SPEEDS),
        stopped=[(1, 1)],
        place=lambda t: int(GAP[t]),
        turn=where(lambda *at: at == (2, 2), 2.0, 0.0),
        seen=lambda i, j: bool(MASK[i, j]),
        factor=lambda layer, head: 1.3,
    )
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
    assert torch.equal(model.logits(numbers), before)


def test_an_exception_restores_the_model():
    model, numbers = tiny()
    before = model.logits(numbers)
    with pytest.raises(KeyError), model.changed(speeds=OTHER, stopped_heads=SOME, window=2):
        raise KeyError
    assert torch.equal(model.logits(numbers), before)


def test_inside_shows_what_the_layers_compute():
    model, numbers = tiny()
    with model.changed(turn_query=1.0, heads=SOME):
        layers = [*model.inside(numbers)]
        x = model.decoder.out.weight[numbers]
        assert torch.equal(layers[0].x, x) and len(layers) == SIZES.n_layers
        for number, (seen, block) in enumerate(zip(layers, model.decoder.blocks, strict=True)):
            heads = torch.cat([w @ v for w, v in zip(seen.weights.split(2), seen.v)]).view(4, N, -1)
            after = seen.x + heads.transpose(0, 1).flatten(1) @ block.attention.out.weight.T
            after = after + block.feed_forward(block.norm2(after))
            expected = layers[number + 1].x if number < 2 else None
            if expected is not None:
                torch.testing.assert_close(after, expected)
            assert torch.equal(model.attention(numbers, number), seen.weights)
            assert torch.equal(model.attention(numbers, number, 3), seen.weights[3])
            q, k = model.queries_and_keys(numbers, number)
            assert torch.equal(q, seen.q) and torch.equal(k, seen.k)
            assert [*q.shape] == [4, N, 4] and [*k.shape] == [2, N, 4]


@pytest.mark.parametrize("first", [0, 1, N - 1])
def test_profiles_are_means_of_the_weights(first):
    model, numbers = tiny()
    with model.changed(heads=SOME, turn_query=1.0):
        weights = torch.stack([model.attention(numbers, layer) for layer in range(SIZES.n_layers)])
        shares, on_first = model.profiles(numbers, first_query=first)
    weights = weights[:, :, first:]
    for distance in range(N):
        expected = weights.diagonal(first - distance, -2, -1).sum(-1) / (N - first)
        assert torch.allclose(shares[..., distance], expected)
    assert torch.allclose(shares.sum(-1), torch.ones(SIZES.n_layers, SIZES.n_heads).double())
    assert torch.allclose(on_first, weights[..., 0].mean(-1))


def test_a_first_query_outside_the_text_is_refused():
    model, numbers = tiny()
    with pytest.raises(ValueError, match=f"first_query={N}: expected 0 … {N - 1}"):
        model.profiles(numbers, first_query=N)


@pytest.mark.parametrize("arguments", [{}, {"window": 4, "sinks": [0]}, {"speeds": OTHER, "heads": SOME}])
def test_generating_with_the_cache_equals_full_passes(arguments):
    model, numbers = tiny()
    with model.changed(**arguments):
        got, text = model.generate(numbers, 6), numbers
        for _ in range(6):
            text = torch.cat([text, model.logits(text)[-1:].argmax(-1)])
    expected = text[N:].tolist()
    expected = expected[: expected.index(49)] if 49 in expected else expected
    assert got == model.tokenizer.decode(expected)


REFUSED = [
    ({"layers": [3]}, "layer 3, head 0: expected 0 … 2 and 0 … 3"),
    ({"stopped_heads": [(0, 4)]}, "layer 0, head 4: expected"),
    ({"layers": [0], "heads": SOME, "speeds": OTHER}, "layers, heads: expected one of them"),
    ({"speeds": [1.0]}, r"speeds \(1,\): expected 2 finite numbers"),
    ({"speeds": [1.0, math.nan]}, r"speeds \(2,\): expected 2 finite numbers"),
    ({"positions": GAP[None]}, r"positions \(1, 9\): expected \(n,\)"),
    ({"positions": GAP[:5]}, r"positions \(5,\): expected one for each of 9 tokens"),
    ({"mask": MASK[:5, :5]}, r"mask \(5, 5\): expected \(9, 9\)"),
    ({"mask": MASK.double()}, r"mask \(9, 9\) of torch\.float64: expected \(n, n\) truth values"),
    ({"turn_query": math.inf}, "turn_query=inf: expected a finite number"),
    ({"position": "rope"}, "position='rope': expected a scheme, which is a Position"),
    ({"bias": 0.3}, r"bias=0\.3: expected a scheme, which is a Position"),
    ({"window": 0}, "window=0: expected a whole number, 1 or more"),
    ({"sinks": [0]}, r"sinks=\[0\]: are seen besides a window"),
    ({"position": RoPE(4), "positions": GAP}, "position: RoPE in layer 0, expected no positions, speeds,"),
    ({"position": Position(), "score_factor": 2.0}, "position: Position in layer 0, expected no positions, speeds"),
    ({"position": RoPE(4), "heads": SOME}, "heads, position: it changes whole layers"),
    ({"bias": CELLS, "heads": SOME}, "heads, bias: it changes whole layers"),
    ({"bias": CELLS[:, :5, :5]}, r"bias \(4, 5, 5\): expected"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_cannot_be_changed_is_refused(arguments, message):
    model, numbers = tiny()
    before = model.logits(numbers)
    with pytest.raises(ValueError, match=message), model.changed(**arguments):
        model.logits(numbers)
    assert torch.equal(model.logits(numbers), before)


def test_what_cannot_be_read_is_refused():
    model, numbers = tiny()
    for call, message in [
        (lambda: model.losses(numbers[:1]), "text of 1 tokens: expected 2 or more"),
        (lambda: model.logits(numbers[:0]), "text of 0 tokens: expected 1 or more"),
        (lambda: model.logits(numbers[None]), "expected a string, or a tensor of token numbers"),
        (lambda: model.logits(numbers.double()), "expected a string, or a tensor of token numbers"),
        (lambda: model.logits(numbers + 50), "expected numbers in the vocabulary"),
        (lambda: model.attention(numbers, 3), "layer=3: expected 0 … 2"),
        (lambda: model.attention(numbers, 0, 4), "head=4: expected 0 … 3"),
        (lambda: model.generate(numbers, 0), "n=0: expected a whole number, 1 or more"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    for arguments in ({"mask": MASK}, {"window": 2, "sinks": [1]}):
        with pytest.raises(ValueError, match="generate: expected no mask"), model.changed(**arguments):
            model.generate(numbers, 1)
