"""Claims about windows, attention sinks, layers without positions and scales that grow with the text."""

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate
from course_lib.reference.sink import sink_positions
from course_lib.reference.sliding_window import window_mask
from course_tasks.claims.claim import claim
from course_tasks.claims.study_facts import REPAIRS, SOURCE, counted, repaired, rises


@claim(
    "With StreamingLLM a model can use millions of tokens.",
    stated="false",
    verdict=lambda fact: "true" if fact["in the cache"] == fact["read"] else "false",
    otherwise={"read": 1_000_000, "in the cache": 1_000_000},
    because="It can read on for millions of tokens without breaking, and that is what its authors claim. But of "
    "{fact[read]:,} tokens read, {fact[in the cache]:,} are in the cache: the first four and the most recent. Of all the "
    "others it knows only what these have kept.",
    source="run: the cache with four first tokens and 1,020 recent ones; Xiao et al. 2023, appendix A, and the authors' "
    "README: the context window is not expanded",
)
def streaming_uses_all():
    read = 1_000_000
    kept, _ = sink_positions(read, first=4, w=1_020)
    return {"read": read, "in the cache": len(kept)}


@claim(
    "N layers with windows of w reach N · w tokens back.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if fact["reached"] == fact["N · w"]
        else "half true"
        if fact["reached, w tokens back"] == fact["N · w"]
        else "false"
    ),
    otherwise={"N · w": 15, "reached": 15, "reached, w tokens back": 18},
    because="Three layers whose windows hold five keys reach {fact[reached]} tokens back, not {fact[N · w]}: one of these keys is the query's "
    "own, and each layer adds the others. The sentence holds if a window looks w tokens back and has one more key, as the "
    "paper on Mistral counts: then they reach {fact[reached, w tokens back]}.",
    source="run: which of forty tokens can have an influence on the last; Jiang et al. 2023 (Mistral 7B)",
)
def reach_of_layers():
    def reached(keys, layers=3):
        through = np.linalg.matrix_power(window_mask(40, w=keys).astype(int), layers)
        return 39 - int(np.flatnonzero(through[-1])[0])

    return {"N · w": 3 * 5, "reached": reached(5), "reached, w tokens back": reached(5 + 1)}


@claim(
    "A model that loses its first tokens to a window breaks, so these must be kept.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if fact["Llama 2, times"] > 2 and fact["our study, rise"] > 0.25
        else "half true"
        if fact["Llama 2, times"] > 2 or fact["our study, rise"] > 0.25
        else "false"
    ),
    otherwise={"Llama 2, times": 900.0, "our study, rise": 3.1},
    because="It depends on the model. Without its first four tokens, the perplexity of Llama 2 was "
    "{fact[Llama 2, times]:,} times as high as with them. Our models with RoPE were trained on texts cut out anywhere, "
    "which have no fixed first token: with a window their loss changed by {fact[our study, rise]:+} nats.",
    quoted=True,
    source=f"Xiao et al. 2023, table 1, Llama-2-13B: 5158.07 in a window of 1,024, 5.40 with the first four tokens; {REPAIRS}, text",
)
def first_tokens_must_stay():
    in_paper = 5158.07 / 5.40
    window = repaired("characters", "window")
    rise = float(window[-1] - window[0])
    return {"Llama 2, times": round(in_paper), "our study, rise": round(rise, 3)}


@claim(
    "A rotated key cannot be renumbered, so StreamingLLM must cache its keys unrotated.",
    stated="false",
    verdict=lambda fact: "true" if fact["rotated back"] > 1e-6 else "false",
    otherwise={"as it was": 2.1, "rotated back": 0.4},
    because="A key that was rotated for position a hundred differs from one for position ten by up to {fact[as it was]}. "
    "Rotated back by ninety positions it differs by {fact[rotated back]}. StreamingLLM does cache its keys unrotated, and "
    "llama.cpp rotates cached keys on: both are right.",
    source="run: a random key of sixteen channels; Xiao et al. 2023, section 3.2; llama.cpp, discussion 7887",
)
def keys_cannot_move():
    k = np.random.default_rng(0).normal(size=(1, 16))
    wanted, cached = rotate(k, past=10), rotate(k, past=100)
    moved = rotate(cached, past=90, speeds=-frequencies(16))
    found = {"as it was": cached, "rotated back": moved}
    return {name: round(float(abs(key - wanted).max()), 6) for name, key in found.items()}


@claim(
    "Layers without positions between those with RoPE keep a model level on longer texts.",
    stated="half true",
    verdict=lambda fact: "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["level"] else "false",
    otherwise={"rise": {"RoPE in a window": 0.04, "RoPE": 0.01}, "level": 2},
    because="Only if the layers with RoPE have windows. In our study two layers took turns, one with RoPE and one without "
    "positions. With a window in the first, the loss in text changed by {fact[rise][RoPE in a window]:+} nats up to "
    "eight times the training length; without the window it rose by {fact[rise][RoPE]}.",
    source=f"{SOURCE}; the window has 64 keys; Yang et al. 2025, arXiv 2501.18795",
)
def hybrids_are_level():
    runs = {"RoPE in a window": "window-64+none", "RoPE": "rope+none"}
    return counted({name: rises("characters", run) for name, run in runs.items()})


@claim(
    "Windows in every second layer save nearly all of the cache.",
    stated="false",
    verdict=lambda fact: "true" if fact["every second layer"] > 0.9 else "false",
    otherwise={"every second layer": 0.95, "every layer": 0.99},
    because="In a long text, windows in every layer save {fact[every layer]:.1%} of the cache, windows in every second layer "
    "{fact[every second layer]:.1%}. The layers that read everything decide the memory: it helps to have fewer of them, and "
    "not to have smaller windows.",
    source="run: the keys that each layer keeps of 131,072 tokens, with the windows of 128 that gpt-oss has",
)
def half_the_windows():
    tokens, window = 131_072, 128
    kept = {"every second layer": [window, tokens], "every layer": [window, window]}
    return {name: round(1 - sum(keys) / (2 * tokens), 4) for name, keys in kept.items()}


@claim(
    "A query scale that grows like ln n keeps attention focused, however long the text is.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if all(late > early / 2 for early, late in fact.values())
        else "half true"
        if any(late > early / 2 for early, late in fact.values())
        else "false"
    ),
    otherwise={"lead of two": [0.1, 0.1], "lead of four": [0.5, 0.4], "lead of six": [0.9, 1.0]},
    because="It depends on the lead that the best key has at the training length. Of sixty-four keys, one that leads by six has "
    "the weight {fact[lead of six][0]}, and of a million {fact[lead of six][1]}, because its lead grows with ln n. A lead of "
    "four gives {fact[lead of four][0]} and then {fact[lead of four][1]}, a lead of two {fact[lead of two][0]} and then "
    "{fact[lead of two][1]}. Below ln n the other keys outgrow it.",
    source="run: one key that leads all others, which are equal; Nakanishi 2025 (Scalable-Softmax) learns the scale",
)
def log_scale_keeps_focus():
    def weights(lead):
        grown = {n: lead * np.log(n) / np.log(64) for n in (64, 1_000_000)}
        return [round(float(1 / (1 + (n - 1) * np.exp(-x))), 3) for n, x in grown.items()]

    leads = {"two": 2, "four": 4, "six": 6}  # at 64 keys
    return {f"lead of {name}": weights(lead) for name, lead in leads.items()}
