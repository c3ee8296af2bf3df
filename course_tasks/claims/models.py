"""Claims about published models. What a model's code gives is recorded in published.py."""

import numpy as np

from course_lib.reference.attention import attention
from course_lib.reference.rope import rotate
from course_lib.reference.t5 import t5_bias
from course_tasks.claims import published
from course_tasks.claims.claim import claim


@claim(
    "T5 divides its scores by √d, as attention usually does.",
    chapter="t5_buckets",
    stated="false",
    verdict=lambda fact: "true" if fact["divided"] < fact["bare"] else "false",
    otherwise={"bare": 0.4, "divided": 0.0},
    because="A small T5 attention layer was given random words. Its outputs differ from those of softmax(q·k + bias) "
    "by {fact[bare]}, from those of softmax(q·k / √d + bias) by {fact[divided]}. T5 makes up for it where it "
    "initialises W_q.",
    source="T5Attention of transformers 5.23.0, models/t5/modeling_t5.py, with random weights",
    quoted=True,
)
def t5_divides():
    x, w_q, w_k, w_v, w_o, table = published.t5_numbers()
    q, k, v = ((x @ w.T).reshape(3, 2, 2).swapaxes(0, 1) for w in (w_q, w_k, w_v))  # two heads
    found = {}
    for name, scale in (("bare", 1.0), ("divided", 2**-0.5)):
        output, _ = attention(q, k, v, bias=t5_bias(3, table=table), scale=scale)
        output = output.swapaxes(0, 1).reshape(3, 4) @ w_o.T
        found[name] = round(float(abs(output - published.T5_OUTPUT).max()), 4)
    return found


@claim(
    "T5 uses its relative bias in cross-attention too, to line up source and target.",
    chapter="t5_buckets",
    stated="false",
    verdict=lambda fact: "true" if fact["cross-attention"] > 0 else "false",
    otherwise={"encoder": 1, "decoder": 1, "cross-attention": 1},
    because="A T5 of three layers a stack has {fact[encoder]} table in its encoder, {fact[decoder]} in the "
    "self-attention of its decoder, and {fact[cross-attention]} in cross-attention. There query and key come from two "
    "texts, each with positions of its own.",
    source="the parameters of T5Model of transformers 5.23.0, models/t5/modeling_t5.py; Raffel et al. 2020, "
    "section 2.1",
    quoted=True,
)
def bias_across():
    tables = published.T5_TABLES
    own = {
        stack: sum(name.startswith(stack) and "SelfAttention" in name for name in tables)
        for stack in ("encoder", "decoder")
    }
    return {**own, "cross-attention": sum("EncDecAttention" in name for name in tables)}


@claim(
    "BART has a relative position bias.",
    chapter="absolute_positions",
    stated="false",
    verdict=lambda fact: "true" if fact["relative"] > 0 else "false",
    otherwise={"absolute": 0, "relative": 2},
    because="A small BART has {fact[absolute]} tables for positions, one in its encoder and one in its decoder, and each "
    "holds a vector per absolute position. Tables for offsets: {fact[relative]}.",
    source="the parameters of BartModel of transformers 5.23.0, models/bart/modeling_bart.py",
    quoted=True,
)
def bart_is_relative():
    tables = published.BART_TABLES
    rows = published.BART_LONGEST + 2  # a row for each position, and two that no position uses
    absolute = [name for name in tables if tables[name] == rows]
    return {"absolute": len(absolute), "relative": len(tables) - len(absolute)}


@claim(
    "The GPT models use RoPE.",
    chapter="rope",
    stated="half true",
    verdict=lambda fact: "false" if not fact["rotate"] else "half true" if fact["do not"] else "true",
    otherwise={"rotate": ["GPT-2", "GPT-Neo", "GPT-J", "GPT-NeoX", "gpt-oss"], "do not": []},
    because="The published code of {fact[rotate][0]}, {fact[rotate][1]} and {fact[rotate][2]} rotates queries and "
    "keys: the first two are EleutherAI's, the third is OpenAI's own. That of {fact[do not][0]} and {fact[do not][1]} "
    "does not, because they learn a vector per absolute position. GPT-3 is built as GPT-2 is.",
    source="the functions in the models' files of transformers 5.23.0, such as models/gpt2/modeling_gpt2.py; Brown et "
    "al. 2020, section 2.1; Press et al. 2022, section 4",
    quoted=True,
)
def gpt_uses_rope():
    models = [name for name in published.FUNCTIONS if name.lower().startswith("gpt")]
    rotates = [name for name in models if "apply_rotary_pos_emb" in published.FUNCTIONS[name]]
    return {"rotate": rotates, "do not": [name for name in models if name not in rotates]}


@claim(
    "Falcon uses ALiBi.",
    chapter="alibi",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["by default"] == "ALiBi" else "half true" if "ALiBi" in fact["in its code"] else "false"
    ),
    otherwise={"in its code": ["RoPE", "ALiBi"], "by default": "ALiBi"},
    because="The code of the model has {fact[in its code][0]} and {fact[in its code][1]}, and a Falcon uses {fact[by "
    "default]} unless its configuration says otherwise. The models of the Falcon series do; only the two Falcon-RW models, "
    "trained on web pages alone, switch ALiBi on.",
    source="FalconConfig and models/falcon/modeling_falcon.py of transformers 5.23.0; the model cards of Falcon and "
    "Falcon-RW",
    quoted=True,
)
def falcon_uses_alibi():
    code = {"RoPE": "apply_rotary_pos_emb", "ALiBi": "build_alibi_tensor"}
    functions = published.FUNCTIONS["Falcon"]
    found = [scheme for scheme, function in code.items() if function in functions]
    return {"in its code": found, "by default": "ALiBi" if published.FALCON_ALIBI else "RoPE"}


@claim(
    "Hugging Face's Llama turns channels in the half-split form, not interleaved as in RoPE's paper.",
    chapter="rope",
    stated="true",
    verdict=lambda fact: "true" if fact["half-split"] < 1e-4 < fact["interleaved"] else "false",
    otherwise={"half-split": 2.4, "interleaved": 0.0},
    because="Random queries turned by the code of Llama differ from the half-split form by {fact[half-split]}, from "
    "the interleaved form by {fact[interleaved]}. (Weights in their authors' own format are for the interleaved form.)",
    source="LlamaRotaryEmbedding of transformers 5.23.0, models/llama/modeling_llama.py, with four words; Su et al. "
    "2021, eq. 34",
    quoted=True,
)
def llama_halves():
    q, theirs = published.llama_queries(), np.array(published.LLAMA_TURNED)
    forms = {"half-split": False, "interleaved": True}
    ours = {name: rotate(q, interleaved=form) for name, form in forms.items()}
    return {name: round(float(abs(x - theirs).max()), 4) for name, x in ours.items()}
