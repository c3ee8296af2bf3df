"""Words that people type into the search, where the course says something else or says it in many places.

By topic, and there by the heading of a section or of a task.
"""

KEYWORDS = {
    "blind_to_distance": {"What a causal mask gives away": ["causal mask", "nope"]},
    "bias_by_hand": {
        "The bias": ["toeplitz"],
        "Before or after?": ["attention mask"],
        "Why the future half vanishes": ["nan"],
    },
    "absolute_positions": {"Or learn the vectors": ["learned positions", "position embedding"]},
    "vector_per_distance": {"One vector per offset": ["shaw"]},
    "diagonals": {"Huang's skew": ["music transformer"]},
    "transformer_xl": {"The relative shift": ["rel_shift"]},
    "t5_buckets": {"A trained table": ["mpnet", "learned bias"]},
    "released_model": {
        "Deeper · Two documents in one text": ["packing", "packed sequences", "document mask", "cu_seqlens"],
    },
    "rope": {
        "Two ways to pair channels": ["rotate_half", "interleaved"],
        "Deeper · Late positions in bfloat16": ["bfloat16", "inv_freq"],
    },
    "two_dimensions": {"Deeper · Words and pictures in one text": ["m-rope"], "A 2 × 2 window by hand": ["swin"]},
    "fast_attention": {
        "Three traps of SDPA": ["padding", "padding mask", "attn_mask"],
        "What a fused kernel does": ["flash attention", "flashattention"],
        "Deeper · Six functions, one table": ["flex_attention", "score_mod"],
        "Decoding: one new row, and a cache": ["gqa", "grouped-query attention", "kv cache", "key-value cache"],
    },
    "longer_than_training": {
        "What is new in a longer text?": ["extrapolate", "extrapolation", "length generalization"],
    },
    "stretching_rope": {
        "Repairs by hand": ["yarn", "ntk", "position interpolation", "context extension"],
        "Read a `config.json`": ["rope_scaling", "rope_theta", "rope_parameters"],
        "Deeper · Do they find a far word?": ["passkey"],
    },
    "windows_and_sinks": {
        "A window by hand": ["sliding window"],
        "A head that finds nothing": ["attention sink"],
        "A window without the sink, and with it": ["streamingllm"],
        "Layers without positions": ["nope layers"],
    },
    "which_one": {
        "A guide": ["which scheme", "choose", "recommendation"],
        "A batch can break a model, too": ["packed texts", "use_cache", "cu_seq_lens"],
        "A linear layer is a position scheme": ["linear attention", "deltanet"],
        "Bug hunt: the prompt that moved": ["left padding", "position_ids"],
    },
}
