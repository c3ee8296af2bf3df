"""Claims about published models and their history. What a model has is asked of its code in `transformers`."""

import numpy as np

from course_lib.ledger.claim import claim
from course_lib.reference.rope import rotate


@claim(
    "T5 divides its scores by √d, as attention usually does.",
    chapter="06",
    stated="false",
    verdict=lambda fact: "true" if fact["divided"] < fact["bare"] else "false",
    otherwise={"bare": 0.4, "divided": 0.0},
    because="A small T5 attention layer was given random words. Its outputs differ from those of softmax(q·k + bias) "
    "by {fact[bare]}, from those of softmax(q·k / √d + bias) by {fact[divided]}. T5 makes up for it where it "
    "initialises W_q.",
    source="run: T5Attention of transformers with random weights",
    needs="transformers",
)
def t5_divides():
    import torch
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=32, d_kv=16, num_heads=2, dropout_rate=0.0)
    config._attn_implementation = "eager"
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
        x = torch.randn(1, 8, 32)
        qkv = (projection(x) for projection in (layer.q, layer.k, layer.v))
        q, k, v = (y.unflatten(-1, (2, 16)).transpose(1, 2) for y in qkv)
        outputs = {}
        for name, scale in (("bare", 1.0), ("divided", 16**-0.5)):
            weights = (scale * q @ k.mT + layer.compute_bias(8, 8)).softmax(-1)
            outputs[name] = layer.o((weights @ v).transpose(1, 2).flatten(2))
        theirs = layer(x)[0]
    return {name: round(float(abs(output - theirs).max()), 4) for name, output in outputs.items()}


@claim(
    "T5 uses its relative bias in cross-attention too, to line up source and target.",
    chapter="06",
    stated="false",
    verdict=lambda fact: "true" if fact["cross-attention"] > 0 else "false",
    otherwise={"encoder": 1, "decoder": 1, "cross-attention": 1},
    because="A T5 of three layers a stack has {fact[encoder]} table in its encoder, {fact[decoder]} in the "
    "self-attention of its decoder, and {fact[cross-attention]} in cross-attention. There query and key come from two "
    "texts, each with positions of its own.",
    source="run: the parameters of T5Model of transformers; Raffel et al. 2020, section 2.1",
    needs="transformers",
)
def bias_across():
    import torch
    from transformers import T5Config, T5Model

    with torch.device("meta"):  # shapes only
        model = T5Model(T5Config(d_model=8, d_kv=4, num_heads=2, d_ff=8, num_layers=3))
    tables = [name for name, _ in model.named_parameters() if "relative_attention_bias" in name]
    own = {
        stack: sum(name.startswith(stack) and "SelfAttention" in name for name in tables)
        for stack in ("encoder", "decoder")
    }
    return {**own, "cross-attention": sum("EncDecAttention" in name for name in tables)}


@claim(
    "The GPT models use RoPE.",
    chapter="07",
    stated="half true",
    verdict=lambda fact: "false" if not fact["rotate"] else "half true" if fact["do not"] else "true",
    otherwise={"rotate": ["GPT-2", "GPT-Neo", "GPT-J", "GPT-NeoX"], "do not": []},
    because="The published code of {fact[rotate][0]} and {fact[rotate][1]} rotates queries and keys, that of "
    "{fact[do not][0]} and {fact[do not][1]} does not: they learn a vector per absolute position. GPT-3 is built as "
    "GPT-2 is.",
    source="run: whether the model's code in transformers has a function that rotates; Brown et al. 2020, section "
    "2.1; Press et al. 2022, section 4",
    needs="transformers",
)
def gpt_uses_rope():
    from transformers.models.gpt2 import modeling_gpt2
    from transformers.models.gpt_neo import modeling_gpt_neo
    from transformers.models.gpt_neox import modeling_gpt_neox
    from transformers.models.gptj import modeling_gptj

    models = {
        "GPT-2": modeling_gpt2,
        "GPT-Neo": modeling_gpt_neo,
        "GPT-J": modeling_gptj,
        "GPT-NeoX": modeling_gpt_neox,
    }
    rotates = [name for name, code in models.items() if hasattr(code, "apply_rotary_pos_emb")]
    return {"rotate": rotates, "do not": [name for name in models if name not in rotates]}


@claim(
    "Falcon uses ALiBi.",
    chapter="07",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["by default"] == "ALiBi" else "half true" if "ALiBi" in fact["in its code"] else "false"
    ),
    otherwise={"in its code": ["RoPE", "ALiBi"], "by default": "ALiBi"},
    because="The code of the model has {fact[in its code][0]} and {fact[in its code][1]}, and a Falcon uses {fact[by "
    "default]} unless told otherwise. The large published ones do; the small Falcon-RW models switch ALiBi on.",
    source="run: FalconConfig and the code of transformers; the model cards of Falcon and Falcon-RW",
    needs="transformers",
)
def falcon_uses_alibi():
    from transformers import FalconConfig
    from transformers.models.falcon import modeling_falcon

    code = {"RoPE": "apply_rotary_pos_emb", "ALiBi": "build_alibi_tensor"}
    found = [scheme for scheme, function in code.items() if hasattr(modeling_falcon, function)]
    return {"in its code": found, "by default": "ALiBi" if FalconConfig().alibi else "RoPE"}


@claim(
    "Hugging Face's Llama turns channels in the half-split form, not interleaved as in RoPE's paper.",
    chapter="07",
    stated="true",
    verdict=lambda fact: "true" if fact["half-split"] < 1e-4 < fact["interleaved"] else "false",
    otherwise={"half-split": 2.4, "interleaved": 0.0},
    because="Random queries turned by the code of Llama differ from the half-split form by {fact[half-split]}, from "
    "the interleaved form by {fact[interleaved]}. (Weights in their authors' own format are for the interleaved form.)",
    source="run: ten words, LlamaRotaryEmbedding of transformers; Su et al. 2021, eq. 34",
    needs="transformers",
)
def llama_halves():
    import torch
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama as llama

    q = torch.from_numpy(np.random.default_rng(0).normal(size=(1, 1, 10, 16)))
    turning = llama.LlamaRotaryEmbedding(LlamaConfig(hidden_size=16, num_attention_heads=1))
    theirs, _ = llama.apply_rotary_pos_emb(q, q, *turning(q, torch.arange(10)[None]))
    forms = {"half-split": False, "interleaved": True}
    ours = {name: rotate(q, interleaved=form) for name, form in forms.items()}
    return {name: round(float(abs(x - theirs.numpy()).max()), 4) for name, x in ours.items()}


@claim(
    "A T5 reaches 84.5 on GLUE with its relative bias, and 83.2 with sines.",
    chapter="10",
    stated="unsourced",
    verdict=lambda fact: (
        "unsourced" if fact["models with sines"] == 0 else "true" if min(fact["deviations away"]) < 1 else "false"
    ),
    otherwise={"with the bias": [84.4, 84.6], "models with sines": 1, "deviations away": [0.4, 0.4]},
    because="The numbers go around as those of the T5 paper. Its table has {fact[models with sines]} models with "
    "sines. With the bias it reports {fact[with the bias][0]} and {fact[with the bias][1]}, and the number that goes "
    "around lies {fact[deviations away][0]} and {fact[deviations away][1]} standard deviations away from these.",
    quoted=True,
    source="Raffel et al. 2020, section 2.1 (leaves such a study for later), table 1 (baseline and its standard "
    "deviation) and table 15 (T5-Base)",
)
def t5_compares_on_glue():
    said, deviation = 84.5, 0.235
    reported = {"bias": [83.28, 85.97], "sines": []}  # the baseline, T5-Base
    return {
        "with the bias": reported["bias"],
        "models with sines": len(reported["sines"]),
        "deviations away": [round(abs(said - x) / deviation, 1) for x in reported["bias"]],
    }


@claim(
    "Relative positions in attention began with Transformer-XL and T5.",
    chapter="03",
    stated="false",
    verdict=lambda fact: "true" if fact["first"] in ("Transformer-XL", "T5") else "false",
    otherwise={"papers": 4, "first": "Transformer-XL", "months earlier": 0},
    because="Of {fact[papers]} papers with relative positions that this course teaches the first to appear is that "
    "of {fact[first]}, {fact[months earlier]} months before Transformer-XL.",
    quoted=True,
    source="the dates of the preprints: arXiv 1803.02155, 1809.04281, 1901.02860, 1910.10683",
)
def who_began():
    appeared = {  # year and month
        "T5": (19, 10),
        "Transformer-XL": (19, 1),
        "Music Transformer": (18, 9),
        "Shaw et al.": (18, 3),
    }
    months = {name: 12 * year + month for name, (year, month) in appeared.items()}
    first = min(months, key=months.__getitem__)
    earlier = months["Transformer-XL"] - months[first]
    return {"papers": len(months), "first": first, "months earlier": earlier}
