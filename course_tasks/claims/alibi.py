"""Claims about ALiBi."""

import numpy as np

from course_lib.reference.alibi import slopes
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
