"""Batches in families of transformers, tiny and with random weights: which of them the guide names, and why.

Left padding and packed texts are right if a text answers what it answers alone.
"""

import pytest
import torch
import transformers

from course_chapters.which_one.situations import COUNTING, FAMILIES, KEPT_APART
from tests.checkup.families import family

TINY = {  # by the guide's name: the family, and what it needs besides
    "Llama": ("llama", {}),
    "SmolLM3": ("smollm3", {}),
    "Qwen 3": ("qwen3", {}),
    "gpt-oss": ("gpt_oss", {"sliding_window": 6}),
    "Gemma 3": ("gemma3_text", {"sliding_window": 6}),
    "Qwen 3.5": ("qwen3_5_text", {}),
    "OLMo Hybrid": ("olmo_hybrid", {}),
    "Kimi Linear": ("kimi_linear", {}),
    "BLOOM": ("bloom", {}),
    "MPT": ("mpt", {}),
    "Falcon with ALiBi": ("falcon", {}),
    "GPT-2": ("gpt2", {}),
    "BERT": ("bert", {}),
    "RoBERTa": ("roberta", {}),
    "ModernBERT": ("modernbert", {}),
}
SHORT, LONG = torch.arange(9)[None] % 7 + 3, torch.arange(14)[None] * 5 % 31 + 3


def model_of(name):
    kind, more = TINY[name]
    model = family(kind, 1, **more)
    model.set_attn_implementation("eager")
    for weights in model.parameters():
        if weights.dim() > 1:
            torch.nn.init.normal_(weights, std=0.15)
    return model


@torch.no_grad()
def answers(model, tokens, **options):
    """Its logits for each token. A model that takes no positions, or has no cache, is not given them."""
    try:
        given = model(tokens, **options)
    except TypeError as error:
        (unknown,) = [name for name in ("position_ids", "use_cache") if name in str(error)]
        options.pop(unknown)
        return answers(model, tokens, **options)
    return given.logits


def same(found, alone):
    return bool((found - alone).abs().max() < 1e-4 * alone.abs().max())


@pytest.mark.parametrize("name", TINY)
def test_left_padding(name):
    model, mask = model_of(name), torch.ones(1, 14, dtype=torch.long)
    mask[:, :5] = 0
    tokens, alone = torch.cat([0 * SHORT[:, :5], SHORT], 1), answers(model, SHORT)
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    by_mask = answers(model, tokens, attention_mask=mask)[:, 5:]
    with_positions = answers(model, tokens, attention_mask=mask, position_ids=positions)[:, 5:]
    assert same(by_mask, alone) == (name not in COUNTING)
    assert same(with_positions, alone) == (name != "RoBERTa")


@pytest.mark.parametrize("name", TINY)
def test_packed_texts(name):
    model = model_of(name)
    alone = answers(model, LONG)
    both, positions = torch.cat([SHORT, LONG], 1), torch.cat([torch.arange(9), torch.arange(14)])[None]
    apart = {cache: answers(model, both, position_ids=positions, use_cache=cache)[:, 9:] for cache in (False, True)}
    assert same(apart[False], alone) == (name in KEPT_APART)
    assert not same(apart[True], alone)


def config(name):
    return getattr(transformers, f"{name}Config")()


def every_fourth_is_full(layers):
    return [kind == "full_attention" for kind in layers[:8]] == [False, False, False, True] * 2


def test_what_the_guide_says_of_configurations():
    for name in ("Cohere2", "Exaone4"):
        assert every_fourth_is_full(config(name).layer_types) and config(name).sliding_window == 4096
    oss, bert, gemma = config("GptOss"), config("ModernBert").rope_parameters, config("Gemma4Text").rope_parameters
    assert (oss.sliding_window, oss.rope_parameters["factor"], oss.rope_parameters["truncate"]) == (128, 32, False)
    assert [bert[kind]["rope_theta"] for kind in ("sliding_attention", "full_attention")] == [10_000, 160_000]
    assert (gemma["full_attention"]["rope_theta"], gemma["full_attention"]["partial_rotary_factor"]) == (1e6, 0.25)
    qwen = config("Qwen3_5Text")
    assert every_fourth_is_full(qwen.layer_types) and qwen.rope_parameters["partial_rotary_factor"] == 0.25
    voxtral = config("VoxtralRealtime")
    assert (voxtral.audio_config.sliding_window, voxtral.text_config.sliding_window) == (750, 8192)
    assert config("DINOv3ViT").rope_theta == 100 and config("ParakeetEncoder").num_hidden_layers == 24


def test_bert_and_vit_refuse_what_is_larger_than_their_tables():
    with pytest.raises(RuntimeError, match="128"):
        model_of("BERT")(torch.ones(1, 200, dtype=torch.long))
    small = dict(hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64, image_size=64)
    image, vit = torch.zeros(1, 3, 96, 96), transformers.ViTModel(transformers.ViTConfig(**small))
    with pytest.raises(ValueError, match="image size"):
        vit(image)
    vit(image, interpolate_pos_encoding=True)
    transformers.DINOv3ViTModel(transformers.DINOv3ViTConfig(**small))(image)


def test_the_guide_counts_them():
    assert len(TINY) == FAMILIES and {*KEPT_APART, *COUNTING} < set(TINY)
