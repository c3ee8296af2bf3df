"""Claims about RoPE. What a model's code gives is recorded in published.py."""

import numpy as np

from course_lib.reference.attention import scores
from course_lib.reference.rope import frequencies, rotate, to_half_split
from course_tasks.claims import published
from course_tasks.claims.claim import claim


@claim(
    "RoPE rotates by absolute positions, and yet of all positions only the offset reaches its scores.",
    stated="true",
    verdict=lambda fact: "true" if fact["scores change by"] < 1e-6 else "false",
    otherwise={"moved by": 1000, "queries change by": 4.5, "scores change by": 0.8},
    because="Move all words by {fact[moved by]:,} places: the rotated queries change by up to {fact[queries change "
    "by]}, the scores by {fact[scores change by]}. A query and its key are rotated further by the same angle.",
    source="run: ten random words of sixteen channels; Su et al. 2021, section 3.2.2",
)
def rope_is_relative():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 16))
    past = 1000
    queries = rotate(q, past=past) - rotate(q)
    moved = scores(rotate(q, past=past), rotate(k, past=past)) - scores(rotate(q), rotate(k))
    change = {"queries": abs(queries).max(), "scores": abs(moved).max()}
    rounded = {f"{name} change by": round(float(x), 6) for name, x in change.items()}
    return {"moved by": past, **rounded}


@claim(
    "With RoPE the score falls as the distance grows.",
    stated="false",
    verdict=lambda fact: (
        "true"
        if fact["falls"] == fact["random pairs"]
        else "half true"
        if fact["rises, equal contents"] == 0
        else "false"
    ),
    otherwise={"random pairs": 200, "falls": 200, "rises, equal contents": 0, "steps": 255, "rises, bound": 0},
    because="Of {fact[random pairs]} random pairs of a query and a key {fact[falls]} score higher on average over the "
    "nearer half of the distances than over the farther half, about as many as heads in coin tosses. Where query and key are "
    "equal the score falls on the whole, but it rises in {fact[rises, equal contents]} of {fact[steps]} steps. What the "
    "paper plots is an upper bound, and even that one rises in {fact[rises, bound]} of them.",
    source="run: 64 channels, distances 0 to 255; Su et al. 2021, section 3.4.3, for the bound",
)
def rope_falls():
    def score(q, k):  # of each query at distances 0 … 255 from its key
        return np.einsum("pnd,pd->pn", rotate(np.repeat(q[:, None], 256, axis=1)), k) / 8

    queries, keys = np.random.default_rng(0).normal(size=(2, 200, 64))
    nearer, farther = np.split(score(queries, keys), 2, axis=1)
    falls = nearer.mean(axis=1) > farther.mean(axis=1)
    steps = np.diff(score(*np.ones((2, 1, 64)))[0])
    partial_sums = np.cumsum(np.exp(1j * np.arange(256)[:, None] * frequencies(64)), axis=1)
    bound = abs(partial_sums).mean(axis=1)  # figure 2 of the paper
    rises = {"rises, equal contents": steps, "rises, bound": np.diff(bound)}
    rises = {name: int(np.sum(change > 0)) for name, change in rises.items()}
    return {"random pairs": falls.size, "falls": int(falls.sum()), "steps": steps.size, **rises}


@claim(
    "The interleaved and the half-split form of RoPE differ only in the order of the channels.",
    stated="true",
    verdict=lambda fact: "true" if fact["in the right order"] < 1e-6 else "false",
    otherwise={"as they are": 3.1, "in the right order": 0.4},
    because="The same q and k give scores that differ by up to {fact[as they are]}. Put the channels in the other "
    "order first, and they differ by {fact[in the right order]}. So a checkpoint runs in the other form once the "
    "rows of W_q and W_k are put in that order, and not before.",
    source="run: ten random words of sixteen channels; Su et al. 2021, eq. 34",
)
def two_forms_of_rope():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 16))
    order = to_half_split(16)
    wanted = scores(rotate(q, interleaved=True), rotate(k, interleaved=True))
    found = {"as they are": (q, k), "in the right order": (q[:, order], k[:, order])}
    change = {name: abs(scores(*map(rotate, x)) - wanted).max() for name, x in found.items()}
    return {name: round(float(x), 6) for name, x in change.items()}


@claim(
    "The GPT models use RoPE.",
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
    "Hugging Face's Llama turns channels in the half-split form, not interleaved as in RoPE's paper.",
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
