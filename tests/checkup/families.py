"""Tiny models with random weights, from their configuration: 4 layers, 4 heads of 16 channels.

The check-up examines 24 families. The guide's tests have six more, which it does not examine: encoders, and layers that
are linear.
"""

import pytest
import torch

SIZES = {
    "vocab_size": 101,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
DEEPSEEK = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "moe_intermediate_size": 32}
T5 = {"d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 4, "num_heads": 4, "decoder_start_token_id": 0}
THREE_OF_FOUR = ["sliding_attention"] * 3 + ["full_attention"]
FAMILIES = {  # by model_type: what it needs besides
    "llama": {},
    "qwen2": {},
    "qwen3": {"head_dim": 16},
    "mistral": {"sliding_window": 16},
    "gemma3_text": {"head_dim": 16, "sliding_window": 16, "layer_types": THREE_OF_FOUR},
    "gpt2": {"n_embd": 64, "n_layer": 4, "n_head": 4, "n_positions": 128},
    "opt": {"ffn_dim": 96, "word_embed_proj_dim": 64},
    "bloom": {"n_layer": 4, "n_head": 4},
    "mpt": {"d_model": 64, "n_layers": 4, "n_heads": 4, "max_seq_len": 128},
    "falcon": {"alibi": True, "new_decoder_architecture": False},
    "gpt_neox": {},
    "phi": {},
    "smollm3": {},
    "gpt_oss": {"num_local_experts": 4, "head_dim": 16, "sliding_window": 16},
    "deepseek_v3": {**DEEPSEEK, **EXPERTS, "num_key_value_heads": 4},
    "olmo3": {"sliding_window": 16},
    "cohere2": {"sliding_window": 16},
    "llama4_text": {"head_dim": 16, "num_local_experts": 2, "intermediate_size_mlp": 96, "attention_chunk_size": 16},
    "gptj": {"n_embd": 64, "n_layer": 4, "n_head": 4, "rotary_dim": 8, "n_positions": 128},
    "stablelm": {},
    "granite": {},
    "glm4": {"head_dim": 16},
    "t5": T5,
    "umt5": T5,
}
LINEAR = {"linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_num_key_heads": 4}
KIMI = {
    **{"linear_num_heads": 4, "linear_head_dim": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8},
    **{"v_head_dim": 16, "num_key_value_heads": 4, "num_experts": 2, "num_experts_per_tok": 1},
    **{"moe_intermediate_size": 32, "mlp_layer_types": ["dense"] * 4},
    "layer_types": ["linear_attention", "linear_attention", "full_attention", "linear_attention"],
}
NOT_EXAMINED = {
    "qwen3_5_text": {**LINEAR, "head_dim": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4},
    "olmo_hybrid": {**LINEAR, "linear_num_value_heads": 4},
    "kimi_linear": KIMI,
    "bert": {},
    "roberta": {},
    "modernbert": {"local_attention": 8},
}
ENCODERS = ("bert", "roberta", "modernbert")


def family(kind, seed=0, **more):
    """A model of this family, in float32."""
    transformers = pytest.importorskip("transformers")
    transformers.logging.set_verbosity_error()
    torch.manual_seed(seed)
    two_parts, sizes = kind in ("t5", "umt5"), FAMILIES | NOT_EXAMINED
    config = transformers.AutoConfig.for_model(kind, **(({} if two_parts else SIZES) | sizes[kind] | more))
    if two_parts:
        config.vocab_size, config.pad_token_id, config.eos_token_id = 101, 0, 2
    how = transformers.AutoModelForSeq2SeqLM if two_parts else transformers.AutoModelForCausalLM
    how = transformers.AutoModelForMaskedLM if kind in ENCODERS else how
    implementation = more.pop("attn_implementation", None)
    if kind == "gpt_oss":  # it has no other with sinks on a CPU
        implementation = "eager"
    return how.from_config(config, attn_implementation=implementation).float().eval()
