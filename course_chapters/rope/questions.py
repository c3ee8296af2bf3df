"""Questions about RoPE."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_lib.reference.attention import attention, scores
from course_lib.reference.rope import frequencies, rotate, to_half_split


@claim(
    "RoPE rotates by absolute positions, and yet of all positions only the offset reaches its scores.",
    "Move all words by {past:,} places: the rotated queries change by up to {queries:.2f}, the scores by "
    "{scores:.2g}. A query and its key are rotated further by the same angle.",
    "run: ten random words of sixteen channels; Su et al. 2021, section 3.2.2",
)
def rope_is_relative():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 16))
    past = 1000
    moved = scores(rotate(q, past=past), rotate(k, past=past)) - scores(rotate(q), rotate(k))
    change = {"queries": abs(rotate(q, past=past) - rotate(q)).max(), "scores": abs(moved).max().round(6)}
    return judged(change["scores"] < 1e-6), dict(past=past, **change)


@claim(
    "With RoPE the score falls as the distance grows.",
    "Of {queries} random queries, each with a random key, {falls} score higher on average over the nearer half of the "
    "distances than over the farther half, about as many as heads in coin tosses. With 1 added to all their channels, "
    "{shared} do. Where query and key are equal the score falls on the whole, but it rises in {equal} of {steps} "
    "steps. What the paper plots is an upper bound, and even that one rises in {bound} of them.",
    "run: 64 channels, distances 0 to 255; Su et al. 2021, section 3.4.3, for the bound",
)
def rope_falls():
    def score(q, k):  # of each query at distances 0 … 255 from its key
        return np.einsum("pnd,pd->pn", rotate(np.repeat(q[:, None], 256, axis=1)), k) / 8

    def falls(queries, keys):
        nearer, farther = np.split(score(queries, keys), 2, axis=1)
        return nearer.mean(axis=1) > farther.mean(axis=1)

    pairs = np.random.default_rng(0).normal(size=(2, 200, 64))
    random, shared = falls(*pairs), falls(*pairs + 1)
    steps = np.diff(score(*np.ones((2, 1, 64)))[0])
    sums = np.cumsum(np.exp(1j * np.arange(256)[:, None] * frequencies(64)), axis=1)
    bound = np.diff(abs(sums).mean(axis=1))  # figure 2 of the paper
    rises = {name: np.sum(change > 0) for name, change in {"equal": steps, "bound": bound}.items()}
    counts = dict(queries=random.size, falls=random.sum(), shared=shared.sum(), steps=steps.size)
    return judged(random.all(), rises["equal"] == 0), counts | rises


@question(
    "You convert a RoPE checkpoint from interleaved to half-split pairs. What do you put in another order?",
    {
        "The rows of W_q and W_k, over all heads at once": "Then a head gets channels that were trained in other "
        "heads.",
        "The rows of W_q, W_k and W_v, head by head": "Values are not rotated. W_v's rows must stay where the output "
        "projection expects them.",
        "The rows of W_q, head by head": "A score multiplies channel by channel: keys need the same order.",
        "The rows of W_q and W_k, head by head": "Yes. The order of channels does not change a product, as long as "
        "both sides share it.",
    },
)
def convert():
    rng, d, heads = np.random.default_rng(0), 8, 2
    x, (w_q, w_k, w_v) = rng.normal(size=(5, 16)), rng.normal(size=(3, 16, 16)) / 4
    by_head = np.concatenate([h * d + to_half_split(d) for h in range(heads)])

    def output(w_q, w_k, w_v, interleaved=False):
        q, k, v = (np.moveaxis((x @ w.T).reshape(5, heads, d), 1, 0) for w in (w_q, w_k, w_v))
        return attention(rotate(q, interleaved=interleaved), rotate(k, interleaved=interleaved), v)[0]

    over_all = to_half_split(heads * d)
    ways = {
        "The rows of W_q and W_k, over all": (w_q[over_all], w_k[over_all], w_v),
        "The rows of W_q, W_k and W_v": (w_q[by_head], w_k[by_head], w_v[by_head]),
        "The rows of W_q, head": (w_q[by_head], w_k, w_v),
        "The rows of W_q and W_k, head": (w_q[by_head], w_k[by_head], w_v),
    }
    trained = output(w_q, w_k, w_v, interleaved=True)
    return next(way for way, weights in ways.items() if np.allclose(output(*weights), trained))
