"""Claims about RoPE."""

import numpy as np

from course_lib.reference.attention import scores
from course_lib.reference.rope import frequencies, rotate
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
