"""The decoder equals transformers' Llama."""

import re

import pytest
import torch

from course_lib.released.decoder import OURS, Decoder, filled

from .tiny import SIZES

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


def llama(sizes):
    """An empty LlamaForCausalLM of this size."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=sizes.vocabulary,
        hidden_size=sizes.d_model,
        intermediate_size=sizes.d_feed_forward,
        num_hidden_layers=sizes.n_layers,
        num_attention_heads=sizes.n_heads,
        num_key_value_heads=sizes.n_kv_heads,
        rms_norm_eps=sizes.eps,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": sizes.base},
        eos_token_id=2,
    )
    return transformers.LlamaForCausalLM(config).eval()


def put_into(theirs, weights, sizes):
    """Weights by their names in a GGUF file, with the rows of W_q and W_k in the order that transformers expects."""
    state = {
        "model.embed_tokens.weight": weights["token_embd.weight"],
        "model.norm.weight": weights["output_norm.weight"],
    }
    state["lm_head.weight"] = weights["token_embd.weight"]
    for layer in range(sizes.n_layers):
        for name, stored in NAMES.items():
            weight = weights[f"blk.{layer}.{stored}.weight"]
            if stored in ("attn_q", "attn_k"):  # as convert_hf_to_gguf permutes them, the other way round
                heads = sizes.n_heads if stored == "attn_q" else sizes.n_kv_heads
                weight = weight.view(heads, sizes.d_head // 2, 2, -1).transpose(1, 2).reshape(weight.shape)
            state[f"model.layers.{layer}.{name}.weight"] = weight
    theirs.load_state_dict(state)
    return theirs


def random_weights(sizes=SIZES):
    torch.manual_seed(0)
    weights = {}
    for name, parameter in Decoder(sizes).named_parameters():
        for theirs, ours in sorted(OURS.items(), key=lambda names: -len(names[1])):
            name = re.sub(rf"\b{ours}\b", theirs, name)
        weights[name] = 0.3 * torch.randn(parameter.shape)
    return weights


@torch.no_grad()
def test_a_random_decoder_equals_transformers():
    weights, tokens = random_weights(), torch.randint(SIZES.vocabulary, (2, 30))
    decoder, theirs = filled(SIZES, weights), put_into(llama(SIZES), weights, SIZES)
    torch.testing.assert_close(decoder.out(decoder(tokens)), theirs(tokens).logits, rtol=0, atol=1e-5)
