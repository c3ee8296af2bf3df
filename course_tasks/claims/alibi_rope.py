"""Claims about ALiBi and RoPE."""

import numpy as np

from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate, to_half_split
from course_tasks.claims.claim import claim


@claim(
    "ALiBi's slopes are 2^(−8h/n) for h = 1 … n, whatever the number of heads n.",
    chapter="alibi",
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
    "RoPE rotates by absolute positions, and yet of all positions only the offset reaches its scores.",
    chapter="rope",
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
    chapter="rope",
    stated="false",
    verdict=lambda fact: (
        "true"
        if fact["falls"] == fact["random pairs"]
        else "half true"
        if fact["rises, equal contents"] == 0
        else "false"
    ),
    otherwise={"random pairs": 200, "falls": 200, "rises, equal contents": 0, "steps": 255},
    because="Of {fact[random pairs]} random pairs of a query and a key {fact[falls]} score higher on average over the "
    "nearer half of the distances than over the farther half, about as many as heads in coin tosses. Where query and key are "
    "equal the score falls on the whole, but it rises in {fact[rises, equal contents]} of {fact[steps]} steps. What the "
    "paper proves to fall is an upper bound.",
    source="run: 64 channels, distances 0 to 255; Su et al. 2021, section 3.4.3, for the bound",
)
def rope_falls():
    def score(q, k):  # of each query at distances 0 … 255 from its key
        return np.einsum("pnd,pd->pn", rotate(np.repeat(q[:, None], 256, axis=1)), k) / 64

    queries, keys = np.random.default_rng(0).normal(size=(2, 200, 64))
    nearer, farther = np.split(score(queries, keys), 2, axis=1)
    falls = nearer.mean(axis=1) > farther.mean(axis=1)
    steps = np.diff(score(*np.ones((2, 1, 64)))[0])
    rises = {"rises, equal contents": int(np.sum(steps > 0)), "steps": steps.size}
    return {"random pairs": falls.size, "falls": int(falls.sum()), **rises}


@claim(
    "The interleaved and the half-split form of RoPE differ only in the order of the channels.",
    chapter="rope",
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
