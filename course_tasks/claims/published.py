"""What the published code of some models gives, recorded: a learner need not install it to decide a claim.

Each value comes from the file of `transformers` named beside it, in the version below. tests/claims/test_published.py asks
that package again and compares.
"""

import numpy as np

VERSION = "5.23.0"

# models/<name>/modeling_<name>.py: the functions that each file defines
FUNCTIONS = {
    "GPT-2": ["eager_attention_forward"],
    "GPT-Neo": [],
    "GPT-J": ["create_sinusoidal_positions", "get_embed_positions", "rotate_every_two", "apply_rotary_pos_emb"],
    "GPT-NeoX": ["rotate_half", "apply_rotary_pos_emb", "eager_attention_forward"],
    "gpt-oss": [
        "repeat_kv",
        "_apply_rotary_emb",
        "apply_rotary_pos_emb",
        "eager_attention_forward",
        "load_balancing_loss_func",
    ],
    "Falcon": ["rotate_half", "apply_rotary_pos_emb", "build_alibi_tensor", "dropout_add"],
}

# models/falcon/configuration_falcon.py: FalconConfig().alibi
FALCON_ALIBI = False

# models/t5/modeling_t5.py: the parameters of a T5Model with three layers a stack that belong to a relative bias
T5_TABLES = [
    "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
]

# models/bart/modeling_bart.py: the rows of each parameter of a BartModel that belongs to positions, by its name, where
# the longest text has six tokens
BART_LONGEST = 6
BART_TABLES = {"encoder.embed_positions.weight": 8, "decoder.embed_positions.weight": 8}


def t5_numbers():
    """Three words of 4 channels, W_q, W_k, W_v and W_o (4, 4), and the table (32 buckets, 2 heads) of a T5 layer."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).round(3) for shape in [(3, 4), *[(4, 4)] * 4, (32, 2)]]


# models/t5/modeling_t5.py: what an encoder's T5Attention makes of these numbers
T5_OUTPUT = [
    [-0.233797, -0.228508, 3.287449, 3.414667],
    [-0.075371, 0.507362, 3.449154, 4.071076],
    [3.659932, -0.182623, 5.781096, 1.993960],
]


def llama_queries():
    """Four queries of 8 channels, at positions 0 to 3."""
    return np.random.default_rng(0).normal(size=(4, 8)).round(3)


# models/llama/modeling_llama.py: the queries turned, LlamaRotaryEmbedding and apply_rotary_pos_emb
LLAMA_TURNED = [
    [0.126000, -0.132000, 0.640000, 0.105000, -0.536000, 0.362000, 1.304000, 0.947000],
    [1.576047, -1.236817, -0.610509, 0.041732, -1.848598, -0.344195, -1.252168, -0.731959],
    [0.343683, -0.581083, 0.425217, 1.042294, -0.440975, 1.275991, -0.656628, 0.354085],
    [-0.829330, 0.024787, -0.712370, -0.921369, 0.580848, 0.237953, -1.031832, -0.211765],
]

# models/*/modeling_*.py: how many folders there are, and how many of them contain a word
FOLDERS = 524
FOLDERS_WITH = {"apply_rotary": 208, "relative_position_bucket": 15, "alibi": 3}

# models/smollm3: the entries of SmolLM3Config().no_rope_layers, and whether SmolLM3Attention rotates (use_rope)
NO_ROPE_LAYERS = [1, 1, 1, 0, 1, 1, 1, 0]
ROTATES = [True, True, True, False, True, True, True, False]

# models/mpt/modeling_mpt.py: the flattest slope of an MptModel with 32 heads, by the alibi_bias_max of its configuration
MPT_FLATTEST = {8: 0.00390625, 16: 0.00390625}

# masking_utils.py: how many keys sliding_window_bidirectional_mask_function(64) shows to a query
ENCODER_KEYS = {64: 129}
