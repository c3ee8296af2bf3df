"""What the attention layer refuses, and what a compiler makes of it."""

import warnings

import pytest
import torch
from torch import nn

from course_lib.nn.axial_rope import AxialRoPE
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.reference.axial_rope import grid_positions


@pytest.mark.parametrize("position", [nn.Linear(2, 2), "rope", RoPE])
def test_what_is_not_a_scheme_is_refused_when_the_layer_is_made(position):
    with pytest.raises(ValueError, match=r"position=.*expected a scheme"):
        RelativeAttention(64, 4, position)


@pytest.mark.parametrize("position", [RoPE(8), TransformerXL(16, 2), AxialRoPE(8, grid_positions(2, 3))])
def test_a_compiled_layer_warns_of_nothing(position):
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        layer = RelativeAttention(16, 2, position)
        x = torch.randn(1, 6, 16)
        torch.testing.assert_close(torch.compile(layer, backend="eager")(x), layer(x))
