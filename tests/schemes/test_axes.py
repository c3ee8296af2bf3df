"""RoPE along several axes: by hand, against plain RoPE where both must agree, and against published code."""

import numpy as np
import pytest
import torch

from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.rope import RoPE
from course_lib.reference import axial_rope, rope

from .definitions import DEVICES  # this also sets one thread

PICTURE = [(0, 0, 0), (1, 1, 1), (2, 2, 2), (2, 2, 3), (2, 3, 2), (2, 3, 3), (4, 4, 4), (5, 5, 5)]


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


# --- by hand ------------------------------------------------------------------------------------------------------


def test_positions_by_hand():
    assert axial_rope.grid_positions(2, 3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert [tuple(p) for p in axial_rope.text_positions([2, (2, 2), 2])] == PICTURE
    assert axial_rope.next_position(PICTURE) == 6 and axial_rope.next_position(PICTURE) - len(PICTURE) == -2
    # A wide picture: three tokens in a row take three positions, and what follows begins after the longer side.
    assert [tuple(p) for p in axial_rope.text_positions([(1, 3), 1])] == [(0, 0, 0), (0, 0, 1), (0, 0, 2), (3, 3, 3)]
    two = axial_rope.text_positions([(1, 1), (2, 1), 1])
    assert [tuple(p) for p in two] == [(0, 0, 0), (1, 1, 1), (1, 2, 1), (3, 3, 3)]


def test_which_pair_turns_by_which_axis():
    axis, speeds = axial_rope.axial(8)
    assert axis.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(speeds, [1, 0.01, 1, 0.01])
    assert axial_rope.axial(12, 3)[0].tolist() == [0, 0, 1, 1, 2, 2]
    assert axial_rope.mrope(8, (2, 1, 1))[0].tolist() == [0, 0, 1, 2]
    assert axial_rope.mrope(8, (2, 1, 1), interleaved=True)[0].tolist() == [0, 1, 2, 0]
    dealt, _ = axial_rope.mrope(128, (24, 20, 20), interleaved=True)
    assert dealt[:7].tolist() == [0, 1, 2, 0, 1, 2, 0] and dealt[-4:].tolist() == [0] * 4


# --- what the scores depend on ------------------------------------------------------------------------------------


@pytest.mark.parametrize("interleaved", [False, True])
def test_words_alone_are_turned_as_by_rope(interleaved):
    x, dealt = draw(0, 7, 16), axial_rope.mrope(16, (4, 2, 2), interleaved=interleaved)
    np.testing.assert_allclose(axial_rope.rotate(x, axial_rope.text_positions([7]), *dealt), rope.rotate(x), atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_the_layer_equals_the_reference(device):
    x = torch.randn(1, 2, 12, 16, device=device)
    for scheme, positions, dealt in [
        (AxialRoPE(16, axial_rope.grid_positions(3, 4)), axial_rope.grid_positions(3, 4), axial_rope.axial(16)),
        (MRoPE(16, PICTURE, (4, 2, 2)), axial_rope.text_positions([2, (2, 2), 6]), axial_rope.mrope(16, (4, 2, 2))),
    ]:
        expected = axial_rope.rotate(x.cpu().numpy(), positions, *dealt)
        for past in (0, 5):
            q, k = scheme.rotate(x[..., past:, :], x, past, 0)
            np.testing.assert_allclose(q.cpu(), expected[..., past:, :], atol=1e-5)
            np.testing.assert_allclose(k.cpu(), expected, atol=1e-5)


def test_tokens_after_the_table_are_words():
    """What a decoder adds to a text with pictures goes on where the text ended, not at the number of the token."""
    whole, begun = MRoPE(8, axial_rope.text_positions([2, (2, 2), 9]), (2, 1, 1)), MRoPE(8, PICTURE, (2, 1, 1))
    assert (begun.places(6, 9) == whole.places(6, 9)).all() and (begun.places(12, 1) == [10, 10, 10]).all()
    q = torch.randn(1, 1, 1, 8)
    torch.testing.assert_close(begun.rotate(q, q, 12)[0], RoPE(8).rotate(q, q, 10)[0])


# --- published ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "sections"), [("qwen2_vl", (16, 24, 24)), ("qwen3_vl", (24, 20, 20))])
def test_rotations_of_qwen(model, sections):
    pytest.importorskip("transformers")
    from transformers import Qwen2VLTextConfig, Qwen3VLTextConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding

    kinds = {
        "qwen2_vl": (Qwen2VLTextConfig, Qwen2VLRotaryEmbedding),
        "qwen3_vl": (Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding),
    }
    config, embedding = kinds[model]
    speeds = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": list(sections)}
    sizes = {"hidden_size": 256, "num_attention_heads": 2, "head_dim": 128}
    q, k = torch.randn(2, 1, 2, 8, 128, dtype=torch.float64)
    cos, sin = embedding(config(rope_parameters=speeds, **sizes))(q, torch.tensor(PICTURE).T[:, None])
    expected = apply_rotary_pos_emb(q, k, cos, sin)
    ours = MRoPE(128, PICTURE, sections, interleaved=model == "qwen3_vl").rotate(q, k, 0)
    for a, b in zip(ours, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-5)  # theirs forms its angles in float32


def test_positions_of_qwen():
    """Its own function for the tokens of a picture, and for what follows."""
    qwen = pytest.importorskip("transformers.models.qwen2_vl.modeling_qwen2_vl")
    theirs = qwen.Qwen2VLModel.get_vision_position_ids(None, 2, torch.tensor([1, 3, 2]))
    ours = axial_rope.text_positions([2, (3, 2)])[2:]
    assert theirs.T.tolist() == ours.tolist()


def test_qwen_s_vision_rotation():
    """Rows and columns with the same speeds, row first."""
    pytest.importorskip("transformers")
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import (
        Qwen2VLVisionRotaryEmbedding,
        apply_rotary_pos_emb_vision,
    )

    config = Qwen2VLVisionConfig(embed_dim=32, num_heads=2)
    positions = axial_rope.grid_positions(3, 4)
    x = torch.randn(12, 2, 16)  # (tokens, heads, channels)
    cos, sin = Qwen2VLVisionRotaryEmbedding(config)(x, torch.from_numpy(positions))
    expected, _ = apply_rotary_pos_emb_vision(x, x, cos, sin)
    ours, _ = AxialRoPE(16, positions).rotate(x.transpose(0, 1), x.transpose(0, 1), 0)
    torch.testing.assert_close(ours.transpose(0, 1), expected, rtol=0, atol=1e-5)
