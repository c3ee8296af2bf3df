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
    because="From one head to sixty-four the formula gives the published slopes for {fact[all head counts]} head "
    "counts, and {fact[powers of two]} of these are powers of two. For all others the published code takes slopes of "
    "two powers of two.",
    source="run: both for every number of heads; Press et al. 2022, section 3, and their code",
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
    stated="half true",
    verdict=lambda fact: "true" if fact["rises"] == 0 else "half true" if fact["far"] < fact["near"] else "false",
    otherwise={"steps": 255, "rises": 0, "near": 0.6, "far": 0.3, "draws": 1000, "random": 940},
    because="For a query and a key of ones it falls on the whole: its mean is {fact[near]} over the nearer half of the "
    "distances and {fact[far]} over the farther half, though in {fact[rises]} of {fact[steps]} steps it rises. For random "
    "contents it does not: near the query it is larger than far away in {fact[random]} of {fact[draws]:,} draws. Other "
    "contents have their largest score at other distances.",
    source="run: 64 channels, distances 0 to 255, and for random contents 10 and 200; Su et al. 2021, section 3.4.3, "
    "shows a bound that falls",
)
def rope_falls():
    same = np.ones((256, 64))
    score = (rotate(same) @ rotate(same)[0]) / 64  # query at distance 0 … 255 from the first key
    rises = int(np.sum(np.diff(score) > 0))
    near, far = (round(float(half.mean()), 3) for half in np.split(score, 2))
    q, k = np.random.default_rng(0).normal(size=(2, 1000, 1, 64))
    at_10, at_200 = ((rotate(q, past=r) * k).sum(axis=-1) for r in (10, 200))
    fact = {"steps": 255, "rises": rises, "near": near, "far": far}
    return fact | {"draws": len(q), "random": int((at_10 > at_200).sum())}


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
