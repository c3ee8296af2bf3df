"""Published functions, which must say the same: rules for RoPE, rotations, buckets, slopes, masks.

All are run as the pinned `transformers` has them. Whole layers are in `test_published_layers.py`; shifts, sinusoids and
the rotations of Llama and GPT-J are compared in the lessons.
"""

import importlib
import itertools
from types import MethodType, SimpleNamespace

import numpy as np
import pytest
import torch

from course_lib.nn import rope as nn_rope
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import bucket
from course_lib.reference import alibi, axial_rope, rope, sliding_window, speeds, t5
from course_lib.reference.absolute import frequencies
from course_lib.reference.grid import to_grid

pytest.importorskip("transformers")


# --- rules by which a RoPE is stretched -----------------------------------------------------------------------------


def published(rule, d, base, length, n=None, **parameters):
    """Speeds and factor of a rule, in float32, for heads of d channels; `parameters` have the names that it reads."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    rope_parameters = {"rope_type": rule, "rope_theta": base, **parameters}
    sizes = {"hidden_size": d, "num_attention_heads": 1, "head_dim": d, "max_position_embeddings": length}
    return ROPE_INIT_FUNCTIONS[rule](LlamaConfig(**sizes, rope_parameters=rope_parameters), "cpu", seq_len=n)


def agree(theirs, our_speeds, our_factor=1.0):
    np.testing.assert_allclose(our_speeds, theirs[0], rtol=6e-6, atol=0)
    assert our_factor == pytest.approx(theirs[1], rel=1e-6)


def rules(d, base, length, s):
    """Each rule as `transformers` calls it, its parameters, the text it reads if it asks, and our speeds and factor."""
    theta, trained = frequencies(d, base), {"original_max_position_embeddings": length}
    yield "linear", {}, None, speeds.interpolated(theta, s), 1.0
    part = d // 4 * 2  # a RoPE that turns half of the channels
    half = speeds.interpolated(frequencies(part, base), s)
    yield "linear", {"partial_rotary_factor": part / d}, None, half, 1.0
    for n in (length // 2, length, length + 1, 8 * length):
        yield "dynamic", {}, n, speeds.dynamic_ntk(theta, n, length, strength=s), 1.0
    for low, high in [(1.0, 4.0), (1.0, 32.0), (0.5, 2.0)]:
        given = {"low_freq_factor": low, "high_freq_factor": high}
        yield "llama3", given | trained, None, speeds.llama3(theta, s, length, low=low, high=high), 1.0
    short, long = 1 + np.arange(d // 2) / d, 1 + np.arange(d // 2) / 2
    for n in (length, length + 1):
        given = {"short_factor": short.tolist(), "long_factor": long.tolist()}
        ours = speeds.longrope(theta, n, length, short=short, long=long)
        yield "longrope", given | trained, n, ours, speeds.longrope_factor(s, length)
    for truncate in (True, False):
        ours = speeds.yarn(d, s, length, base=base, truncate=truncate)
        yield "yarn", {"truncate": truncate} | trained, None, ours, speeds.yarn_factor(s)
    for mscale, of_all in [(1.0, 0.707), (0.707, 0.707), (1.0, 1.0)]:  # DeepSeek divides two factors of YaRN
        factor = speeds.yarn_factor(s, mscale=mscale) / speeds.yarn_factor(s, mscale=of_all)
        given = {"mscale": mscale, "mscale_all_dim": of_all}
        yield "yarn", given | trained, None, speeds.yarn(d, s, length, base=base), factor


@pytest.mark.parametrize(("d", "base"), [(8, 500.0), (16, 1e4), (80, 1e6), (128, 5e5), (256, 1e4)])
def test_every_rule(d, base):
    for length, s in itertools.product((8, 512, 4096, 32768), (1.0, 1.5, 4.0, 32.0)):
        for rule, given, n, *ours in rules(d, base, length, s):
            longest = length if rule == "dynamic" else int(length * s)  # what it calls the model's longest text
            agree(published(rule, d, base, longest, n, factor=s, **given), *ours)


@pytest.mark.parametrize("d", [8, 64, 128])
@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize(("length", "fast", "slow"), [(8, 32, 1), (64, 4, 4), (4096, 16, 2), (10**6, 64, 0.5)])
def test_yarn_where_its_ramp_meets_the_ends(d, truncate, length, fast, slow):
    """Short texts, where no pair makes `fast` turns; long ones, where all make `slow`; and a ramp of no width."""
    given = {"original_max_position_embeddings": length, "beta_fast": fast, "beta_slow": slow, "truncate": truncate}
    ours = speeds.yarn(d, 4, length, fast=fast, slow=slow, truncate=truncate)
    agree(published("yarn", d, 1e4, 4 * length, factor=4.0, **given), ours, speeds.yarn_factor(4))


@pytest.mark.parametrize("part", [0.25, 0.5, 1.0])
def test_proportional(part):
    """Gemma's: the slow pairs get the speed 0, which keeps them where they are."""
    turns = np.arange(32) < 32 * part
    agree(published("proportional", 64, 1e4, 512, partial_rotary_factor=part), np.where(turns, frequencies(64), 0))


# --- rotations ------------------------------------------------------------------------------------------------------


FAMILIES = [  # the model, how its angles repeat: one for each pair, all twice, or each twice; and our form
    ("gpt_neox", "all twice", "half-split"),
    ("qwen3", "all twice", "half-split"),
    ("gpt_oss", "once", "half-split"),
    ("glm4", "all twice", "interleaved"),
    ("cohere", "each twice", "interleaved"),
    ("deepseek_v3", "all twice", "reordered"),  # interleaved, and then put into the half-split order
]


@pytest.mark.parametrize(("model", "repeated", "form"), FAMILIES, ids=[model for model, *_ in FAMILIES])
def test_rotations_of_model_families(model, repeated, form):
    """Each has one of our forms, as far as order goes: half-split, interleaved, or both one after the other."""
    code = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
    x, angles = torch.randn(1, 2, 6, 16).double(), torch.outer(torch.arange(6), torch.from_numpy(frequencies(16)))
    if repeated != "once":
        angles = torch.cat([angles, angles], -1) if repeated == "all twice" else angles.repeat_interleave(2, -1)
    rotate = code.apply_rotary_pos_emb_interleave if form == "reordered" else code.apply_rotary_pos_emb
    expected, _ = rotate(x, x, angles.cos()[None], angles.sin()[None])
    ours = nn_rope.rotate(x, interleaved=form != "half-split")
    ours = ours[..., torch.from_numpy(rope.to_half_split(16))] if form == "reordered" else ours
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-6)  # some turn in float32


def scores_of_turned(position, x):
    """x_i · x_j / √d for each text of a batch x (batch, n, d), with both vectors turned by this scheme."""
    layer = RelativeAttention(x.shape[-1], 1, position).double()
    layer.query.weight.data = layer.key.weight.data = torch.eye(x.shape[-1]).double()
    return layer.scores(x)[:, 0].detach()


def scores_between(turned):
    return turned @ turned.mT / turned.shape[-1] ** 0.5


TEXT = axial_rope.text_positions([3, (2, 4), 5, (3, 3), 2])  # words, a picture of 2 · 4 tokens, words, …


@pytest.mark.parametrize(
    ("model", "d", "sections"),
    [("qwen2_vl", 128, (16, 24, 24)), ("qwen2_vl", 16, (2, 3, 3)), ("qwen3_vl", 128, (24, 20, 20))],
)
def test_rotations_of_qwen(model, d, sections):
    from transformers import Qwen2VLTextConfig, Qwen3VLTextConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding

    kinds = {
        "qwen2_vl": (Qwen2VLTextConfig, Qwen2VLRotaryEmbedding),
        "qwen3_vl": (Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding),
    }
    config, embedding = kinds[model]
    rule = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": list(sections)}
    sizes = {"hidden_size": 2 * d, "num_attention_heads": 2, "head_dim": d}
    x, interleaved = torch.randn(1, 2, len(TEXT), d).double(), model == "qwen3_vl"
    cos, sin = embedding(config(rope_parameters=rule, **sizes))(x, torch.tensor(TEXT).T[:, None])
    expected, _ = apply_rotary_pos_emb(x, x, cos, sin)
    ours = scores_of_turned(MRoPE(d, TEXT, sections, interleaved=interleaved), x[0])
    torch.testing.assert_close(ours, scores_between(expected[0]), rtol=0, atol=1e-5)
    by_reference = axial_rope.rotate(x.numpy(), TEXT, *axial_rope.mrope(d, sections, interleaved=interleaved))
    np.testing.assert_allclose(by_reference, expected, rtol=0, atol=1e-5)


def test_positions_of_qwen():
    """Positions of a text with two pictures, and how far the next word's is from the number of tokens."""
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    model = SimpleNamespace(config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=1)))
    model.get_vision_position_ids = MethodType(Qwen2VLModel.get_vision_position_ids, model)
    is_picture = torch.tensor([[0] * 3 + [1] * 8 + [0] * 5 + [1] * 9 + [0] * 2])
    pictures = torch.tensor([[1, 2, 4], [1, 3, 3]])
    theirs, delta = Qwen2VLModel.get_rope_index(model, is_picture, is_picture, image_grid_thw=pictures)
    assert theirs[:, 0].T.tolist() == TEXT.tolist()
    assert delta.item() == axial_rope.next_position(TEXT) - len(TEXT)


def test_pictures_of_qwen():
    """In its vision part rows and columns have the same speeds, row first."""
    from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig

    positions, x = axial_rope.grid_positions(3, 4), torch.randn(12, 2, 16).double()  # (tokens, heads, channels)
    embedding = qwen.Qwen2VLVisionRotaryEmbedding(Qwen2VLVisionConfig(embed_dim=32, num_heads=2))
    expected, _ = qwen.apply_rotary_pos_emb_vision(x, x, *embedding(x, torch.from_numpy(positions)))
    ours = scores_of_turned(AxialRoPE(16, positions), x.transpose(0, 1))
    torch.testing.assert_close(ours, scores_between(expected.transpose(0, 1).double()), rtol=0, atol=1e-5)


# --- buckets, slopes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_buckets", [4, 6, 8, 10, 12, 16, 20, 28, 32, 40, 64, 128])
def test_every_published_bucket(bidirectional, num_buckets):
    """Among them 10/160 and 64/50, where the logarithm in float64 or by a reciprocal is one bucket off."""
    from transformers.models.t5.modeling_t5 import T5Attention

    exact = num_buckets // (4 if bidirectional else 2)
    for max_distance in (8, 10, 15, 17, 20, 32, 40, 50, 64, 100, 128, 160, 200, 256, 512, 800, 1024, 2048):
        if max_distance > exact:
            r = torch.arange(-4 * max_distance, 4 * max_distance + 1)
            expected = T5Attention._relative_position_bucket(r, bidirectional, num_buckets, max_distance)
            sizes = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
            assert torch.equal(bucket(r, **sizes), expected)
            assert t5.bucket(r.numpy(), **sizes).tolist() == expected.tolist()


def test_buckets_far_away():
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
    from transformers.models.t5.modeling_t5 import T5Attention

    r = torch.arange(-70_000, 70_001)
    assert torch.equal(bucket(r), T5Attention._relative_position_bucket(r))
    assert torch.equal(bucket(r), MPNetEncoder.relative_position_bucket(r))


def test_slopes_of_bloom_mpt_and_falcon():
    """Of 1 to 129 heads. BLOOM has the key form, MPT the row of the last query, and Falcon rounds to bfloat16."""
    from transformers.models.bloom import modeling_bloom as bloom
    from transformers.models.falcon import modeling_falcon as falcon
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    text = torch.ones(1, 5, dtype=torch.long)
    for n_heads in range(1, 130):
        keys, last = alibi.key_form(5, n_heads=n_heads), alibi.alibi_bias(1, 5, n_heads=n_heads, past=4)
        np.testing.assert_allclose(keys, bloom.build_alibi_tensor(text, n_heads, torch.float32), rtol=1e-6)
        np.testing.assert_allclose(last, build_mpt_alibi_tensor(n_heads, 5), rtol=1e-6, atol=0)
        np.testing.assert_allclose(keys, falcon.build_alibi_tensor(text, n_heads, torch.float32), rtol=2**-7)


def test_largest_exponent_of_mpt():
    """MPT's alibi_bias_max is the exponent of the last slope, for us 8. A model of transformers reads it nowhere."""
    from transformers import MptConfig, MptModel
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    def output(largest):
        torch.manual_seed(0)
        config = MptConfig(d_model=8, n_heads=2, n_layers=1, vocab_size=9, attn_config={"alibi_bias_max": largest})
        assert config.attn_config.alibi and config.attn_config.alibi_bias_max == largest
        return MptModel(config).eval()(torch.arange(9)[None]).last_hidden_state

    steep = alibi.slopes(6)[:, None, None] ** (16 / 8) * np.arange(-4, 1)
    np.testing.assert_allclose(steep, build_mpt_alibi_tensor(6, 5, alibi_bias_max=16), rtol=1e-6, atol=0)
    assert torch.equal(output(8), output(16))


# --- masks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [2, 4, 5])
def test_window_of_an_encoder(w):
    """Without a causal mask their w counts the keys on either side, so it is our w + 1, which counts the query, too."""
    from transformers.masking_utils import sliding_window_bidirectional_overlay

    i, j = torch.meshgrid(torch.arange(12), torch.arange(12), indexing="ij")
    expected = sliding_window_bidirectional_overlay(w)(0, 0, i, j).tolist()
    visible = to_grid(sliding_window.window_row(12, w=w + 1)[None], 12) == 0
    assert visible.tolist() == expected
