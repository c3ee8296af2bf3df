"""Claims about ALiBi. What a model's code gives is recorded in published.py."""

import numpy as np

from course_lib.reference.alibi import slopes
from course_tasks.claims import published
from course_tasks.claims.claim import claim
from course_tasks.claims.study_facts import SOURCE, losses, settings


@claim(
    "ALiBi's slopes are 2^(−8h/n) for h = 1 … n, whatever the number of heads n.",
    stated="half true",
    verdict=lambda fact: "true" if min(fact.values()) == 64 else "half true" if fact["powers of two"] == 7 else "false",
    otherwise={"powers of two": 64, "all head counts": 64},
    because="It is the paper's own sentence: “In general, for n heads …”. The authors' code does something else. From "
    "one head to sixty-four the formula gives the slopes of that code for {fact[all head counts]} head counts, and "
    "{fact[powers of two]} of these are powers of two. For all others the code mixes the slopes of two powers of two.",
    source="run: both for every number of heads; Press et al. 2022, section 3 (the sentence) and their code, "
    "fairseq/models/transformer.py (the restriction)",
)
def one_formula_for_slopes():
    formula = {n: 2.0 ** (-8 * np.arange(1, n + 1) / n) for n in range(1, 65)}
    equal = [n for n in formula if np.allclose(slopes(n), formula[n])]
    return {"powers of two": sum(n & (n - 1) == 0 for n in equal), "all head counts": len(equal)}


@claim(
    "Falcon uses ALiBi.",
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
    "A published model runs in transformers with the slopes it was trained with.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) < 1.001 else "half true" if min(fact.values()) < 1.001 else "false",
    otherwise={"MPT": 1.0, "StoryWriter": 1.0},
    because="MPT does: its flattest slope is {fact[MPT]} times that of its training. But MPT-StoryWriter was "
    "trained with `alibi_bias_max` at twice the usual value, and the code ignores this entry. Its flattest slope is "
    "{fact[StoryWriter]} times as large as in training, so the head that looked farthest sees much less.",
    quoted=True,
    source="MptModel of transformers 5.23.0, models/mpt/modeling_mpt.py, whose forward pass leaves the entry out; the "
    "configuration of MPT-7B-StoryWriter",
)
def trained_slopes():
    models = {"MPT": 8, "StoryWriter": 16}  # alibi_bias_max: the last slope is 2^(−8) or 2^(−16)
    times = {name: published.MPT_FLATTEST[most] * 2**most for name, most in models.items()}
    return {name: round(x, 2) for name, x in times.items()}


@claim(
    "ALiBi cannot copy from a fixed distance, because none of its biases is highest there.",
    stated="false",
    verdict=lambda fact: "true" if fact["right"][-1] < 2 * fact["chance"] else "half true" if fact["right"][-1] < 0.9 else "false",
    otherwise={"chance": 0.06, "steps": [300, 2_000], "right": [0.06, 0.07]},
    because="In every head the bias is highest at the token itself. Even so, our small models learned to name the token "
    "three places back: after {fact[steps][0]} steps {fact[right][0]:.0%} of their answers were right, after "
    "{fact[steps][1]:,} steps {fact[right][1]:.0%}, where guessing gives {fact[chance]:.0%}. The sentence is one of those "
    "that a study reports if it stops early.",
    source=SOURCE,
)
def alibi_copies():
    presets = ("quick", "long-2000")
    right = [losses("copy-back", "alibi", preset, "accuracy")[:, 0].mean() for preset in presets]
    steps = [settings(preset)["steps"] for preset in presets]
    rounded = [round(float(share), 3) for share in right]
    return {"chance": 1 / 16, "steps": steps, "right": rounded}
