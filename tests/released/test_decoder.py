"""The decoder equals transformers' Llama."""

import re

import pytest
import torch

from course_lib.released.decoder import OURS, Decoder, filled

from .tiny import CONFIG

NAMES = {  # of a layer, in transformers and in a GGUF file
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def llama(config):
    """An empty LlamaForCausalLM of this size."""
    transformers = pytest.importorskip("transformers")
    theirs = transformers.LlamaConfig(
        vocab_size=config.vocabulary,
        hidden_size=config.d_model,
        intermediate_size=config.d_feed_forward,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=config.n_kv_heads,
        rms_norm_eps=config.eps,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": config.base},
        eos_token_id=2,
    )
    return transformers.LlamaForCausalLM(theirs).eval()


def put_into(theirs, weights, config):
    """Weights by their names in a GGUF file, with the rows of W_q and W_k in the order that transformers expects."""
    state = {
        "model.embed_tokens.weight": weights["token_embd.weight"],
        "model.norm.weight": weights["output_norm.weight"],
    }
    state["lm_head.weight"] = weights["token_embd.weight"]
    for layer in range(config.n_layers):
        for name, stored in NAMES.items():
            weight = weights[f"blk.{layer}.{stored}.weight"]
            if stored in ("attn_q", "attn_k"):  # as convert_hf_to_gguf permutes them, the other way round
                heads = config.n_heads if stored == "attn_q" else config.n_kv_heads
                weight = weight.view(heads, config.d_head // 2, 2, -1).transpose(1, 2).reshape(weight.shape)
            state[f"model.layers.{layer}.{name}.weight"] = weight
    theirs.load_state_dict(state)
    return theirs


def random_weights():
    torch.manual_seed(0)
    weights = {}
    for name, parameter in Decoder(CONFIG).named_parameters():
        for theirs, ours in sorted(OURS.items(), key=lambda names: -len(names[1])):
            name = re.sub(rf"\b{ours}\b", theirs, name)
        weights[name] = 0.3 * torch.randn(parameter.shape)
    return weights


@torch.no_grad()
def test_a_random_decoder_equals_transformers():
    weights, tokens = random_weights(), torch.randint(CONFIG.vocabulary, (2, 30))
    decoder, theirs = filled(CONFIG, weights), put_into(llama(CONFIG), weights, CONFIG)
    torch.testing.assert_close(decoder.out(decoder(tokens)), theirs(tokens).logits, rtol=0, atol=1e-5)
