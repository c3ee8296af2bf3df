"""Attention in windows against the plain loops of the definition, its gradients, and how windows are cut."""

import copy

import pytest
import torch
from torch import nn

from course_lib.nn.window import WindowAttention, partition, reverse
from course_lib.reference import oracle, window

from .definitions import DEVICES

F64, F32, BF16 = torch.float64, torch.float32, torch.bfloat16


def window_by_definition(layer, image):
    """Each patch looks at the patches of its window, and no further than the image reaches without the roll."""
    _, height, width, _ = image.shape
    w, shift, heads = layer.window, layer.shift, layer.n_heads
    places = [(y, x) for y in range(height) for x in range(width)]

    def cell(y, x):
        """The window of a place after the roll, and which side of the roll's seam it came from."""
        return (y - shift) % height // w, (x - shift) % width // w, y < shift, x < shift

    mask = [[cell(*a) == cell(*b) for b in places] for a in places]
    answers = []
    for one in image.flatten(1, 2):
        outputs = []
        for head in range(heads):
            q, k, v = (
                part(one).unflatten(-1, (heads, -1))[:, head].tolist() for part in (layer.query, layer.key, layer.value)
            )
            table = layer.table[:, head].tolist()
            scores = [
                [
                    oracle.dot(q[i], k[j]) * len(q[i]) ** -0.5
                    + (table[(b[0] - a[0] + w - 1) * (2 * w - 1) + b[1] - a[1] + w - 1] if mask[i][j] else 0.0)
                    for j, b in enumerate(places)
                ]
                for i, a in enumerate(places)
            ]
            outputs.append(torch.tensor(oracle.attend(scores, v, mask=mask)[0], dtype=F64))
        answers.append(layer.out(torch.cat(outputs, -1)))
    return torch.stack(answers).unflatten(1, (height, width))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("window", "shift", "height", "width", "heads"),
    [(1, 0, 2, 3, 1), (2, 0, 2, 2, 2), (2, 0, 4, 6, 12), (2, 1, 4, 6, 2), (3, 1, 6, 3, 2), (3, 2, 6, 6, 1)],
)
def test_windows_equal_the_definition(window, shift, height, width, heads, device):
    torch.manual_seed(0)
    layer = WindowAttention(heads * 2, heads, window, shift=shift).double()
    nn.init.normal_(layer.table)
    image = torch.randn(2, height, heads * 2, width, dtype=F64).transpose(2, 3)
    with torch.no_grad():
        expected = window_by_definition(layer, image)
        got = layer.to(device)(image.to(device)).cpu()
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


def test_window_gradients_and_precision():
    torch.manual_seed(0)
    layer = WindowAttention(4, 2, 2, shift=1).double()
    names, weights = zip(*layer.named_parameters(), strict=True)
    image = torch.randn(1, 4, 4, 4, dtype=F64, requires_grad=True)

    def run(image, *parameters):
        return torch.func.functional_call(layer, dict(zip(names, parameters, strict=True)), (image,))

    assert torch.autograd.gradcheck(run, (image, *weights))
    expected = layer(image)
    for dtype, tolerance in ((F32, 1e-5), (BF16, 0.03)):
        got = copy.deepcopy(layer).to(dtype)(image.to(dtype))
        torch.testing.assert_close(got.double(), expected, rtol=0, atol=tolerance)


def test_windows_are_cut_as_in_the_reference():
    image = torch.arange(2 * 4 * 6 * 3).reshape(2, 4, 6, 3)
    cut = partition(image, 2)
    assert torch.equal(cut, torch.from_numpy(window.partition(image.numpy(), 2)))
    assert torch.equal(reverse(cut, 4, 6), image)
