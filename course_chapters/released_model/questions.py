"""Questions about a released model and its file."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_lib.reference.attention import scores
from course_lib.reference.rope import frequencies, rotate


@claim(
    "From a loss of 3.32 nats, half the loss means twice the probability of the right token.",
    "A loss of 3.32 nats is a probability of {before:.3f} (the geometric mean over the tokens), and half of it is one "
    "of {after:.3f}. That is {times:.1f} times as much. Twice the probability lowers any loss by ln 2 = {twice:.2f} "
    "nats.",
    "computed: the loss is −ln P, with P the probability of the right token",
)
def half_the_loss():
    before, after = np.exp([-3.32, -3.32 / 2])
    times = after / before
    return judged(abs(times - 2) < 0.1), dict(before=before, after=after, times=times, twice=np.log(2))


@claim(
    "Most weights of this file are in blocks of 32, each with 16 levels. One very large weight makes the other 31 less "
    "exact.",
    "A block has one step s for all its weights, and 15 steps reach from the smallest weight to the largest. When "
    "the largest of them becomes 20 times as large, the mean error of the other 31 rises from {similar:.3f} to "
    "{large:.3f}.",
    "run: 1,000 blocks of random weights with standard deviation 1; s = (largest − smallest) / 15, as in "
    "ggml-quants.c in ggml-org/ggml",
)
def one_large_weight():
    x = np.random.default_rng(0).normal(size=(1000, 32))
    x[:, 0] = x.max(axis=1)

    def error(x):
        b = x.min(axis=1, keepdims=True)
        s = (x.max(axis=1, keepdims=True) - b) / 15
        return abs(s * np.round((x - b) / s) + b - x)[:, 1:].mean()

    similar, large = error(x), error(x * np.where(np.arange(32) == 0, 20, 1))
    return judged(large > 2 * similar), dict(similar=similar, large=large)


@claim(
    "If the two channels of every pair change places in queries and keys alike, RoPE gives the same scores.",
    "Scores change by up to {change:.2f}. Exchanging the channels mirrors each arrow, and the mirror image of a "
    "rotation is a rotation backwards. The scores are those of RoPE that rotates backwards (largest difference "
    "{backwards:.3g}). Only the scores of a token with itself stay the same.",
    "run: ten random tokens of sixteen channels",
)
def exchanged_channels():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 16))
    speeds = 100_000.0 ** (-np.arange(8) / 8)

    def all_scores(q, k, speeds):
        return scores(*(rotate(x, speeds=speeds, interleaved=True) for x in (q, k)))

    mirrored = [x.reshape(10, 8, 2)[..., ::-1].reshape(10, 16) for x in (q, k)]
    found = all_scores(mirrored[0], mirrored[1], speeds)
    change, backwards = (abs(found - all_scores(q, k, way)).max().round(6) for way in (speeds, -speeds))
    return judged(change < 1e-6), dict(change=change, backwards=backwards)


@question(
    "A head of a model with RoPE looks at the token before, whatever it is. Now every pair rotates at half its speed, "
    "and nothing else changes. Where does the head look?",
    {
        "Still at the token before": "At that distance the pairs have now rotated by only half the angle that it is "
        "tuned to.",
        "Two tokens back": "Yes: half the angle per token, so two tokens give the angle that it is tuned to. In the "
        "released model, five of the six best heads do this; one stays where it was.",
        "At its own token": "At the token itself no pair has rotated at all, as before.",
    },
)
def halved_speeds():
    speeds, query = frequencies(64, 100_000.0), np.ones((1, 64))
    tuned = rotate(query, past=1, speeds=speeds)[0]
    found = [rotate(query, past=distance, speeds=speeds / 2)[0] @ tuned for distance in range(40)]
    return {0: "At its own token", 1: "Still at the token before", 2: "Two tokens back"}[int(np.argmax(found))]
