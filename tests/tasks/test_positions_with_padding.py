"""What the task about padding rests on: positions in a batch."""

import pytest

from course_tasks import tasks_of

CH11 = tasks_of("which_one")


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
