"""What the claims record of published models is what their code gives."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from course_tasks.claims import published

pytest.importorskip("transformers")
import torch
import transformers
from transformers import masking_utils


def code(model):
    name = {"GPT-2": "gpt2", "GPT-J": "gptj"}.get(model, model.lower().replace("-", "_"))
    return import_module(f"transformers.models.{name}.modeling_{name}")


def test_the_version_is_the_one_the_tests_install():
    pins = (Path(__file__).parents[1] / "requirements.txt").read_text(encoding="utf-8")
    assert re.search(r"^transformers==(\S+)", pins, re.M)[1] == published.VERSION == transformers.__version__


@pytest.mark.parametrize("model", published.FUNCTIONS)
def test_the_functions_of_a_model_s_file(model):
    module = code(model)
    found = [name for name, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
    assert found == published.FUNCTIONS[model]


def test_falcon_s_default():
    assert transformers.FalconConfig().alibi is published.FALCON_ALIBI


def test_the_tables_of_a_t5():
    config = transformers.T5Config(d_model=8, d_kv=4, num_heads=2, d_ff=8, num_layers=3)
    with torch.device("meta"):  # shapes only
        names = [name for name, _ in transformers.T5Model(config).named_parameters()]
    assert [name for name in names if "relative_attention_bias" in name] == published.T5_TABLES


def test_the_tables_of_a_bart():
    config = transformers.BartConfig(d_model=8, encoder_layers=3, decoder_layers=3, encoder_attention_heads=2,
                                     decoder_attention_heads=2, encoder_ffn_dim=8, decoder_ffn_dim=8, vocab_size=10,
                                     max_position_embeddings=published.BART_LONGEST)  # fmt: skip
    with torch.device("meta"):  # shapes only
        found = dict(transformers.BartModel(config).named_parameters())
    about_positions = [name for name in found if "position" in name or "relative" in name]
    assert {name: len(found[name]) for name in about_positions} == published.BART_TABLES


def test_how_many_models_contain_a_word():
    texts = []
    for folder in Path(transformers.__file__).parent.glob("models/*/"):
        texts.append("".join(file.read_text(encoding="utf-8") for file in folder.glob("modeling_*.py")))
    texts = [text for text in texts if text]
    assert len(texts) == published.FOLDERS
    counts = {word: sum(word in text for text in texts) for word in published.FOLDERS_WITH}
    assert counts == published.FOLDERS_WITH


def test_which_layers_of_a_smollm3_rotate():
    """A layer rotates if other positions of the same words change its output."""
    config = transformers.SmolLM3Config(
        hidden_size=8, intermediate_size=8, num_attention_heads=1, num_key_value_heads=1, vocab_size=10, pad_token_id=0,
        num_hidden_layers=len(published.NO_ROPE_LAYERS), attn_implementation="eager",
    )  # fmt: skip
    assert config.no_rope_layers == published.NO_ROPE_LAYERS
    model, x = transformers.SmolLM3Model(config).eval(), torch.randn(1, 3, 8)
    places = [model.rotary_emb(x, torch.tensor([positions])) for positions in ([0, 1, 2], [0, 10, 15])]
    with torch.no_grad():
        outputs = [[layer.self_attn(x, turns, None)[0] for turns in places] for layer in model.layers]
    assert [not torch.allclose(near, far) for near, far in outputs] == published.ROTATES


@pytest.mark.parametrize("largest", published.MPT_FLATTEST)
def test_the_slopes_of_an_mpt(largest):
    """Those that its forward pass hands to the layers, whatever the configuration says."""
    config = transformers.MptConfig(
        d_model=32, n_heads=32, n_layers=1, expansion_ratio=1, vocab_size=10, max_seq_len=4,
        attn_config={"alibi_bias_max": largest},
    )  # fmt: skip
    assert config.attn_config.alibi_bias_max == largest
    model, given = transformers.MptModel(config).eval(), []
    model.blocks[0].register_forward_pre_hook(
        lambda module, args, kwargs: given.append(kwargs["position_bias"]), with_kwargs=True
    )
    with torch.no_grad():
        model(torch.zeros(1, 4, dtype=torch.long))
    slopes = given[0][:, 0, -1] - given[0][:, 0, -2]
    assert slopes.min().item() == published.MPT_FLATTEST[largest]


def test_the_keys_of_an_encoder_s_window():
    for w, keys in published.ENCODER_KEYS.items():
        shown = masking_utils.sliding_window_bidirectional_mask_function(w)
        assert shown(0, 0, torch.tensor(200), torch.arange(400)).sum() == keys


def t5_output():
    config = transformers.T5Config(d_model=4, d_kv=2, num_heads=2, dropout_rate=0.0, attn_implementation="eager")
    layer = code("T5").T5Attention(config, has_relative_attention_bias=True, layer_idx=0).double()
    x, *weights = map(torch.from_numpy, published.t5_numbers())
    modules = layer.q, layer.k, layer.v, layer.o, layer.relative_attention_bias
    with torch.no_grad():
        for module, weight in zip(modules, weights, strict=True):
            module.weight.copy_(weight)
        return layer(x[None])[0][0].numpy()


def llama_turned():
    q = torch.from_numpy(published.llama_queries())[None, None]
    turning = code("Llama").LlamaRotaryEmbedding(transformers.LlamaConfig(hidden_size=8, num_attention_heads=1))
    return code("Llama").apply_rotary_pos_emb(q, q, *turning(q, torch.arange(q.shape[2])[None]))[0][0, 0].numpy()


@pytest.mark.parametrize(("asked", "recorded"), [(t5_output, "T5_OUTPUT"), (llama_turned, "LLAMA_TURNED")])
def test_what_a_layer_makes_of_the_numbers(asked, recorded):
    assert np.allclose(getattr(published, recorded), asked(), rtol=0, atol=1e-5)
