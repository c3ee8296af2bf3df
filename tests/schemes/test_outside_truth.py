"""Published code and tables, which must say the same: T5, Llama, GPT-J, BLOOM, XLNet, Qwen, gpt-oss and Swin."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from course_lib.nn import rope as nn_rope
from course_lib.nn.attention import attention
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias, T5CrossAttention, bucket
from course_lib.nn.terms import Terms
from course_lib.nn.window import WindowAttention
from course_lib.reference import alibi, axial_rope, rope, sliding_window, speeds, t5
from course_lib.reference import music_transformer as music
from course_lib.reference.absolute import frequencies

pytest.importorskip("transformers")
CASES = json.loads((Path(__file__).parent / "data" / "rope_rules.json").read_text(encoding="utf-8"))["cases"]
TOLERANCE = 1e-6  # relative: the published speeds are float32


# --- T5 -----------------------------------------------------------------------------------------------------------


USUAL = [(num_buckets, max_distance) for num_buckets in (8, 16, 32, 64) for max_distance in (64, 128, 256)]
UNUSUAL = [(6, 40), (10, 160), (32, 17), (64, 50), (128, 2048)]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), USUAL + UNUSUAL)
def test_every_published_bucket(bidirectional, num_buckets, max_distance):
    """Among them 10/160 and 64/50, where the logarithm in float64 or by a reciprocal is one bucket off."""
    from transformers.models.t5.modeling_t5 import T5Attention

    r = torch.arange(-4096, 4097)
    expected = T5Attention._relative_position_bucket(r, bidirectional, num_buckets, max_distance)
    sizes = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
    assert torch.equal(bucket(r, **sizes), expected)
    assert t5.bucket(r.numpy(), **sizes).tolist() == expected.tolist()


def our_layers(model):
    """Each T5Attention of the model with a RelativeAttention of the same weights; one T5Bias for each stack."""
    twins = {}
    for stack, decodes in ((model.encoder, False), (model.decoder, True)):
        table = T5Bias(4, bidirectional=not decodes, num_buckets=8, max_distance=12).double()
        table.load_state_dict({"table": stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight})
        for block in stack.block:
            twins[block.layer[0].SelfAttention] = RelativeAttention(24, 4, table, causal=decodes)
            if decodes:
                twins[block.layer[1].EncDecAttention] = RelativeAttention(24, 4, T5CrossAttention())
    for published, ours in twins.items():
        for part in ("query", "key", "value", "out"):
            getattr(ours.double(), part).weight.data = getattr(published, part[0]).weight
    return twins


def test_every_attention_layer_of_t5():
    """In a full pass and token by token: biases shared by a stack, nothing scaled, no bias in cross-attention."""
    from transformers import T5Config, T5Model

    torch.manual_seed(0)
    config = T5Config(
        vocab_size=50, d_model=24, d_kv=6, num_heads=4, d_ff=16, num_layers=2, relative_attention_num_buckets=8,
        relative_attention_max_distance=12, dropout_rate=0.0, attn_implementation="eager",
    )  # fmt: skip
    model = T5Model(config).double().eval()
    for stack in (model.encoder, model.decoder):  # the published initial values are too small to notice a wrong bucket
        torch.nn.init.normal_(stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight)
    twins, caches, agreed = our_layers(model), {}, []

    def compare(published, args, kwargs, output):
        source = kwargs.get("key_value_states")
        cache = caches.setdefault(published, KeyValueCache()) if source is None else None
        ours = twins[published](args[0] if args else kwargs["hidden_states"], source, cache=cache)
        torch.testing.assert_close(ours, output[0], rtol=0, atol=1e-12)
        agreed.append(published)

    for published in twins:
        published.register_forward_hook(compare, with_kwargs=True)
    source, target = torch.randint(50, (2, 9)), torch.randint(50, (2, 15))
    with torch.no_grad():
        full = model(input_ids=source, decoder_input_ids=target)
        assert len(agreed) == len(twins) == 6
        caches.clear()
        encoded, past, rows = (full.encoder_last_hidden_state,), None, []
        for token in target.split(1, 1):
            step = model(encoder_outputs=encoded, decoder_input_ids=token, past_key_values=past, use_cache=True)
            past = step.past_key_values
            rows.append(step.last_hidden_state)
    assert len(agreed) == 6 + 15 * 4 and [cache.past for cache in caches.values()] == [15, 15]
    torch.testing.assert_close(torch.cat(rows, 1), full.last_hidden_state, rtol=0, atol=1e-12)


# --- rotations, slopes, shifts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("past", [0, 37])
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotations_of_llama_and_gptj(interleaved, past):
    from transformers import LlamaConfig
    from transformers.models.gptj import modeling_gptj
    from transformers.models.llama import modeling_llama

    x = torch.randn(1, 2, 11, 16).double()
    if interleaved:  # (batch, length, heads, d_head)
        sin, cos = modeling_gptj.create_sinusoidal_positions(64, 16)[None, past : past + 11].chunk(2, -1)
        expected = modeling_gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)
    else:
        config = LlamaConfig(hidden_size=32, num_attention_heads=2, max_position_embeddings=64)
        cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(x, past + torch.arange(11)[None])
        expected, _ = modeling_llama.apply_rotary_pos_emb(x, x, cos, sin)
    ours = nn_rope.rotate(x, past, interleaved=interleaved)
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-5)  # theirs forms its angles in float32
    np.testing.assert_allclose(rope.rotate(x, past=past, interleaved=interleaved), expected, rtol=0, atol=1e-5)


PICTURE = axial_rope.text_positions([2, (3, 2), 2])


@pytest.mark.parametrize(("model", "sections"), [("qwen2_vl", (16, 24, 24)), ("qwen3_vl", (24, 20, 20))])
def test_rotations_of_qwen(model, sections):
    from transformers import Qwen2VLTextConfig, Qwen3VLTextConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding

    kinds = {
        "qwen2_vl": (Qwen2VLTextConfig, Qwen2VLRotaryEmbedding),
        "qwen3_vl": (Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding),
    }
    config, embedding = kinds[model]
    rule = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": list(sections)}
    sizes = {"hidden_size": 256, "num_attention_heads": 2, "head_dim": 128}
    q, k = torch.randn(2, 1, 2, len(PICTURE), 128, dtype=torch.float64)
    cos, sin = embedding(config(rope_parameters=rule, **sizes))(q, torch.tensor(PICTURE).T[:, None])
    ours = MRoPE(128, PICTURE, sections, interleaved=model == "qwen3_vl").prepare(q, k, 0)
    for a, b in zip(ours, apply_rotary_pos_emb(q, k, cos, sin), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-5)


def test_pictures_of_qwen():
    """Its positions of the tokens of a picture; in its vision part rows and columns have the same speeds, row first."""
    from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig

    theirs = qwen.Qwen2VLModel.get_vision_position_ids(None, 2, torch.tensor([1, 3, 2]))
    assert theirs.T.tolist() == PICTURE[2:8].tolist()
    positions, x = axial_rope.grid_positions(3, 4), torch.randn(12, 2, 16)  # (tokens, heads, channels)
    embedding = qwen.Qwen2VLVisionRotaryEmbedding(Qwen2VLVisionConfig(embed_dim=32, num_heads=2))
    expected, _ = qwen.apply_rotary_pos_emb_vision(x, x, *embedding(x, torch.from_numpy(positions)))
    ours, _ = AxialRoPE(16, positions).prepare(x.transpose(0, 1), x.transpose(0, 1), 0)
    torch.testing.assert_close(ours.transpose(0, 1), expected, rtol=0, atol=1e-5)


def by_reference(case):
    """Speeds and factor of a case, whose parameters have the names that `transformers` gives them."""
    kind, d, base, given = case["rope_type"], case["d"], case["base"], case["parameters"]
    theta, s = frequencies(d, base), given.get("factor", 1.0)
    length = given.get("original_max_position_embeddings", case["length"])
    n = length if case["n"] is None else case["n"]
    if kind == "linear":
        turning = int(given.get("partial_rotary_factor", 1.0) * d)
        return speeds.interpolated(frequencies(turning, base), s), 1.0
    if kind == "dynamic":
        return speeds.dynamic_ntk(theta, n, length, strength=s), 1.0
    if kind == "llama3":
        low, high = given["low_freq_factor"], given["high_freq_factor"]
        return speeds.llama3(theta, s, length, low=low, high=high), 1.0
    if kind == "longrope":
        lists = {"short": given["short_factor"], "long": given["long_factor"]}
        return speeds.longrope(theta, n, length, **lists), speeds.longrope_factor(s, length)
    assert kind == "yarn"
    names = {"beta_fast": "fast", "beta_slow": "slow", "truncate": "truncate"}
    options = {ours: given[theirs] for theirs, ours in names.items() if theirs in given}
    factor = speeds.yarn_factor(s, mscale=given.get("mscale", 1.0))
    factor /= speeds.yarn_factor(s, mscale=given.get("mscale_all_dim", 0.0))
    return speeds.yarn(d, s, length, base=base, **options), given.get("attention_factor", factor)


def published_speeds(case):
    """What `transformers` computes for a case, in float32, and its factor."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    kind, d = case["rope_type"], case["d"]
    rule = {"rope_type": kind, "rope_theta": case["base"], **case["parameters"]}
    sizes = {"hidden_size": d, "num_attention_heads": 1, "head_dim": d, "max_position_embeddings": case["length"]}
    return ROPE_INIT_FUNCTIONS[kind](LlamaConfig(**sizes, rope_parameters=rule), "cpu", seq_len=case["n"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["rope_type"])
def test_speeds_of_a_stretched_rope(case):
    (published, factor), (ours, our_factor) = published_speeds(case), by_reference(case)
    np.testing.assert_allclose(ours, published, rtol=TOLERANCE, atol=0)
    assert our_factor == pytest.approx(factor, rel=TOLERANCE)


@pytest.mark.parametrize("d", [8, 64, 128])
@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize(("length", "fast", "slow"), [(8, 32, 1), (64, 4, 4), (4096, 16, 2), (10**6, 64, 0.5)])
def test_yarn_where_its_ramp_meets_the_ends(d, truncate, length, fast, slow):
    """Short texts, where no pair makes `fast` turns; long ones, where all make `slow`; and a ramp of no width."""
    given = {"original_max_position_embeddings": length, "beta_fast": fast, "beta_slow": slow, "truncate": truncate}
    case = {"rope_type": "yarn", "d": d, "base": 1e4, "length": 4 * length, "n": None}
    case["parameters"] = {"factor": 4.0, **given}
    np.testing.assert_allclose(by_reference(case)[0], published_speeds(case)[0], rtol=TOLERANCE, atol=0)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6, 8, 12, 16, 20, 32, 40, 71, 112])
def test_bloom_slopes(n_heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    published = build_alibi_tensor(torch.ones(1, 9, dtype=torch.long), n_heads, torch.float32)
    np.testing.assert_allclose(alibi.slopes(n_heads), published[:, 0, 1], rtol=1e-6)
    np.testing.assert_allclose(alibi.key_form(9, n_heads=n_heads), published, rtol=1e-6)


@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (4, 4), (3, 7), (6, 2)])
def test_xlnet_shift(n_q, n_k):
    """Transformer-XL's shift for both directions, as XLNet has it: one column more in front, heads last."""
    from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

    rows = torch.randn(2, 3, n_q, n_q + n_k - 1)
    in_front = torch.nn.functional.pad(rows, (1, 0), value=float("nan")).permute(2, 3, 0, 1)
    published = XLNetRelativeAttention.rel_shift(in_front, n_k).permute(2, 3, 0, 1)
    np.testing.assert_array_equal(music.skew(rows.numpy(), n_q), published.numpy())


# --- windows and sinks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 3])
def test_sinks_of_gpt_oss(window):
    """Published code with grouped keys set aside: eager attention, alone and in the window of every second layer."""
    from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 7, 8, dtype=torch.float64)
    scheme = Sink(4).double()
    torch.nn.init.normal_(scheme.a)

    class Module(torch.nn.Module):
        num_key_value_groups, sinks = 1, scheme.a

    visible = sliding_window.window_mask(7, w=window or 7)
    mask = torch.from_numpy(np.where(visible, 0.0, -np.inf))
    with torch.no_grad():
        theirs, weights = eager_attention_forward(Module().eval(), q, k, v, mask, scaling=8**-0.5)
        position = scheme if window is None else Combined(SlidingWindow(window), scheme)
        ours, our_weights = attention(q, k, v, Terms.of(position, 7, 7, 0, causal=True))
    torch.testing.assert_close(ours.transpose(1, 2), theirs)
    torch.testing.assert_close(our_weights, weights)


@pytest.mark.parametrize(("n_q", "past", "w"), [(6, 0, 3), (1, 8, 3), (3, 4, 2), (5, 0, 1)])
def test_mistral_s_window(n_q, past, w):
    from transformers.masking_utils import sliding_window_causal_mask_function

    i, j = torch.meshgrid(past + torch.arange(n_q), torch.arange(past + n_q), indexing="ij")
    expected = sliding_window_causal_mask_function(w)(torch.tensor(0), torch.tensor(0), i, j).tolist()
    assert sliding_window.window_mask(n_q, w=w, past=past).tolist() == expected


@pytest.mark.parametrize(
    ("window", "shift", "height", "width"), [(2, 0, 4, 6), (2, 1, 4, 6), (4, 2, 8, 8), (3, 1, 9, 6)]
)
def test_swin_layer(window, shift, height, width):
    """Attention of one published layer, shifted or not: its table read backwards, its mask of −100 as good as −∞."""
    from transformers import SwinConfig
    from transformers.models.swin.modeling_swin import SwinLayer

    torch.manual_seed(0)
    config = SwinConfig(window_size=window, qkv_bias=False, drop_path_rate=0.0, attn_implementation="eager")
    published = SwinLayer(config, 12, (height, width), 3, shift_size=shift).double().eval()
    published.layernorm_before = published.layernorm_after = torch.nn.Identity()
    theirs = published.attention
    torch.nn.init.normal_(theirs.relative_position_bias.relative_position_bias_table)
    for weight in (*published.mlp.parameters(), theirs.o_proj.bias):
        torch.nn.init.zeros_(weight)
    ours = WindowAttention(12, 3, window, shift=shift).double()
    x = torch.randn(2, height, width, 12, dtype=torch.float64)
    with torch.no_grad():
        ours.table.copy_(theirs.relative_position_bias.relative_position_bias_table.flip(0))
        for name in ("query", "key", "value", "out"):
            getattr(ours, name).weight.copy_(getattr(theirs, f"{name[0]}_proj").weight)
        expected = published(x.flatten(1, 2), (height, width))
        expected = (expected[0] if isinstance(expected, tuple) else expected).reshape(x.shape) - x
        torch.testing.assert_close(ours(x), expected, rtol=0, atol=1e-6)  # their softmax is in float32
