"""A config.json in words: old and new keys say the same, the speeds are those of transformers, gaps are said."""

import numpy as np
import pytest

from course_lib.checkup import read

SIZES = {"num_hidden_layers": 4, "hidden_size": 128, "num_attention_heads": 2, "max_position_embeddings": 8192}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {"factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 4096}
LONG = {"short_factor": [1.0] * 32, "long_factor": [4.0] * 32, "original_max_position_embeddings": 4096}


def rope(**keys):
    return {"rope_parameters": {"rope_theta": 1e6, **keys}}


OLD_AND_NEW = {
    "base": ({"rope_theta": 1e6}, rope()),
    "a rule called type": ({"rope_theta": 1e6, "rope_scaling": {"type": "linear", "factor": 4.0}},
                           rope(rope_type="linear", factor=4.0)),
    "Llama 3.1": ({"rope_theta": 1e6, "rope_scaling": {"rope_type": "llama3", **LLAMA3}},
                  rope(rope_type="llama3", **LLAMA3)),
    "GPT-NeoX": ({"rotary_emb_base": 1e6, "rotary_pct": 0.25}, rope(partial_rotary_factor=0.25)),
    "Phi": ({"rope_theta": 1e6, "partial_rotary_factor": 0.5}, rope(partial_rotary_factor=0.5)),
    "Gemma 3": (
        {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "sliding_window": 512, "sliding_window_pattern": 4},
        {"rope_parameters": {"sliding_attention": {"rope_theta": 1e4}, "full_attention": {"rope_theta": 1e6}},
         "sliding_window": 512, "layer_types": ["sliding_attention"] * 3 + ["full_attention"]}),
    "SmolLM3": ({"rope_theta": 1e6, "no_rope_layer_interval": 4}, {**rope(), "no_rope_layers": [1, 1, 1, 0]}),
}  # fmt: skip


@pytest.mark.parametrize("name", OLD_AND_NEW)
def test_old_and_new_keys_say_the_same(name):
    old, new = (read(SIZES | keys) for keys in OLD_AND_NEW[name])
    assert old.words == new.words and len(old.layers) == 4
    for one, other in zip(old.layers, new.layers):
        assert (one.scheme, one.kind, one.window) == (other.scheme, other.kind, other.window)
        assert (one.speeds is None) == (other.speeds is None) == (one.scheme == "none")
        assert one.speeds is None or np.array_equal(one.speeds, other.speeds)


@pytest.mark.parametrize(
    ("rule", "keys"),
    [("linear", {"factor": 4.0}), ("llama3", LLAMA3), ("yarn", YARN), ("longrope", LONG), ("proportional", {})],
)
def test_the_speeds_of_a_rule_are_those_of_transformers(rule, keys):
    transformers = pytest.importorskip("transformers")
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    share = {"partial_rotary_factor": 0.5} if rule == "proportional" else {}
    config = transformers.LlamaConfig(**SIZES, **rope(rope_type=rule, **keys, **share))
    theirs, _ = ROPE_INIT_FUNCTIONS[rule](config, "cpu")
    np.testing.assert_allclose(read(config.to_dict()).layers[0].speeds, theirs.double(), rtol=2e-6)


def test_what_a_file_does_not_say_is_said():
    assert read(SIZES).words[0] == "The file names no scheme."
    words = " ".join(read(SIZES | {"rope_theta": 1e6, "sliding_window": 16}).words)
    assert "which channels form a pair" in words and "whether a window counts the query itself" in words
    unknown = read(SIZES | rope(rope_type="new rule"))
    assert unknown.layers[0].speeds is None and "'new rule' is not known here" in " ".join(unknown.words)
    assert read({"text_config": SIZES | rope()}).layers[0].scheme == "RoPE"


@pytest.mark.parametrize("kind", ["cohere2", "exaone4", "exaone_moe"])
def test_full_layers_of_some_families_have_no_positions(kind):
    types = ["sliding_attention"] * 3 + ["full_attention"]
    config = {**SIZES, "model_type": kind, "rope_theta": 1e6, "sliding_window": 16, "layer_types": types}
    assert [layer.scheme for layer in read(config).layers] == ["RoPE"] * 3 + ["none"]
    if kind != "cohere2":  # without windows, all layers rotate
        config |= {"sliding_window": None, "layer_types": ["full_attention"] * 4}
        assert [layer.scheme for layer in read(config).layers] == ["RoPE"] * 4


def test_the_two_rules_of_deepseek_v4_are_said_and_not_compared():
    transformers = pytest.importorskip("transformers")
    said = read(transformers.DeepseekV4Config(num_hidden_layers=4).to_dict())
    words = " ".join(said.words)
    assert "one rule for compressed layers and one for the others" in words and "64 of 64 channels" in words
    assert all(layer.speeds is None for layer in said.layers)


@pytest.mark.parametrize("config", [{}, {"hidden_size": 8}])
def test_what_is_no_config_is_refused(config):
    with pytest.raises(ValueError, match=r"config=\{.*: expected the keys of a config\.json"):
        read(config)
