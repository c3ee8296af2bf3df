"""What the tasks about programs and padding rest on: the lesson's measurement, and positions in a batch."""

import numpy as np
import pytest

from course_tasks import tasks_of
from course_tasks.definition_distance import distances, tokens_of

CH11 = tasks_of("which_one")


def test_where_the_lesson_is_finer_than_the_task():
    task, line = CH11["distance_to_definition"], "x = 1 ; x = x + 1"
    names = line.split()
    assert distances(f"def f():\n    {line}\n").tolist() == [6]
    assert task.spec.solution(names, np.array([i in (0, 4) for i in range(len(names))])).tolist()[6] == 2
    assert "at distance 2" in task.words
    two = "def f(x): return x\ndef g(): return x\n"
    assert distances(two).tolist() == [4]  # the x of g is none of its own


def test_the_task_measures_what_the_lesson_measures():
    """Where no line reads what it binds, the tokens of a function give the distances of the lesson."""
    source = "def f(a, b):\n    for k in a:\n        c = g(b, k)\n        b = h(c)\n    return b, c\n"
    tokens = tokens_of(source)
    names = [text for _, text in tokens]
    definitions = {3, 5, 9, 13, 21}
    assert [names[i] for i in sorted(definitions)] == ["a", "b", "k", "c", "b"]
    binds = np.array([i in definitions for i in range(len(names))])
    found = CH11["distance_to_definition"].spec.solution(names, binds)
    assert found[found > 0].tolist() == distances(source).tolist()


LEFT, MIDDLE = [2, 3, 4], [0, 1, 4]  # the places of three tokens in a row of five


def padded(layer, x, places, add=None, positions=None):
    """What a causal layer answers to x (1, 3, d) with its tokens at `places` of five; padding is random, and masked.

    add(positions): what absolute positions add to the input, (5, d).
    """
    import torch

    mask = torch.zeros(5, dtype=torch.bool)
    mask[places] = True
    whole = torch.randn(1, 5, x.shape[-1], dtype=x.dtype)
    whole[:, places] = x
    if add is not None:
        whole = whole + add(torch.arange(5) if positions is None else positions(mask))
    return layer(whole, mask=mask)[:, places]


def relative_schemes():
    torch = pytest.importorskip("torch")
    from tests.schemes.definitions import SCHEMES

    for name, scheme in SCHEMES.items():
        same = name in ("none", "T5, cross-attention", "Shaw, shared, clip 0", "sink")  # all offsets, to this scheme
        if scheme.relative and not same:
            torch.manual_seed(0)
            yield name, scheme(2, 4, causal=True).double(), torch.randn(1, 3, 8, dtype=torch.float64)


def test_left_padding_changes_nothing_for_a_relative_scheme_and_padding_in_the_middle_does():
    import torch

    tried = []
    for name, layer, x in relative_schemes():
        assert torch.allclose(padded(layer, x, LEFT), layer(x)), name
        assert not torch.allclose(padded(layer, x, MIDDLE), layer(x), atol=1e-3), name
        tried.append(name)
    assert {"ALiBi", "RoPE", "T5 buckets, causal", "Shaw", "Transformer-XL"} <= set(tried)


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_left_padding_moves_absolute_positions_until_they_are_mended(scheme):
    torch = pytest.importorskip("torch")
    from course_lib.nn.absolute import sinusoidal
    from course_lib.nn.layer import RelativeAttention

    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, causal=True).double()
    x, table = torch.randn(1, 3, 8, dtype=torch.float64), torch.randn(5, 8, dtype=torch.float64)

    def add(positions):
        return table[positions] if scheme == "learned" else sinusoidal(positions, 8, dtype=torch.float64)

    def mended(mask):
        return torch.from_numpy(CH11["positions_with_padding"].spec.solution(mask[None].numpy()))[0]

    alone = layer(x + add(torch.arange(3)))
    for places in (LEFT, MIDDLE):
        assert not torch.allclose(padded(layer, x, places, add), alone, atol=1e-3)
        assert torch.allclose(padded(layer, x, places, add, mended), alone)
