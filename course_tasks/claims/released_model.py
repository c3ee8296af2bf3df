"""Claims about a released model and its file."""

import numpy as np

from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_tasks.claims.claim import claim


@claim(
    "A model with half the loss gives the right token twice the probability.",
    stated="false",
    verdict=lambda fact: "true" if abs(fact["times"] - 2) < 0.1 else "false",
    otherwise={"before": 0.036, "after": 0.072, "times": 2.0},
    because="A loss of 3.32 nats is a probability of {fact[before]} (the geometric mean over the tokens), and half of it is "
    "one of {fact[after]}. That is {fact[times]} times as much. Twice the probability lowers any loss by ln 2 = 0.69 nats.",
    source="computed: the loss is −ln P, with P the probability of the right token",
)
def half_the_loss():
    before, after = np.exp([-3.32, -3.32 / 2])
    return {"before": round(float(before), 3), "after": round(float(after), 3), "times": round(float(after / before), 1)}


@claim(
    "In a block of the file, one very large weight makes the other 31 less exact.",
    stated="true",
    verdict=lambda fact: "true" if fact["with one large weight"] > 2 * fact["32 similar weights"] else "false",
    otherwise={"32 similar weights": 0.07, "with one large weight": 0.07},
    because="The block has one step d for all its weights, and 15 steps reach from the smallest weight to the largest. When one "
    "weight is 20 times as large, the mean error of the other 31 rises from {fact[32 similar weights]} to "
    "{fact[with one large weight]}.",
    source="run: 1,000 blocks of random weights with standard deviation 1; d = (largest − smallest) / 15, as in ggml-quants.c "
    "in ggml-org/ggml",
)
def one_large_weight():
    x = np.random.default_rng(0).normal(size=(1000, 32))
    x[:, 0] = x.max(axis=1)
    large = x * np.where(np.arange(32) == 0, 20, 1)

    def error(x):
        m = x.min(axis=1, keepdims=True)
        d = (x.max(axis=1, keepdims=True) - m) / 15
        return round(float(abs(d * np.round((x - m) / d) + m - x)[:, 1:].mean()), 3)

    return {"32 similar weights": error(x), "with one large weight": error(large)}


@claim(
    "If the two channels of every pair change places in queries and keys alike, RoPE gives the same scores.",
    stated="false",
    verdict=lambda fact: "true" if fact["scores change by"] < 1e-6 else "false",
    otherwise={"scores change by": 0.0, "from rotating backwards by": 3.1},
    because="Scores change by up to {fact[scores change by]}. Exchanging the channels mirrors each arrow, and the mirror image "
    "of a rotation is a rotation backwards. The scores are those of RoPE that rotates backwards (largest difference "
    "{fact[from rotating backwards by]}). Only the scores of a token with itself stay the same.",
    source="run: ten random tokens of sixteen channels",
)
def exchanged_channels():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 16))
    speeds = 100_000.0 ** (-np.arange(8) / 8)

    def all_scores(q, k, speeds):
        return scores(*(rotate(x, speeds=speeds, interleaved=True) for x in (q, k)))

    mirrored_q, mirrored_k = (x.reshape(10, 8, 2)[..., ::-1].reshape(10, 16) for x in (q, k))
    exchanged = all_scores(mirrored_q, mirrored_k, speeds)
    change = {"scores change by": all_scores(q, k, speeds), "from rotating backwards by": all_scores(q, k, -speeds)}
    return {name: round(float(abs(exchanged - before).max()), 3) for name, before in change.items()}
