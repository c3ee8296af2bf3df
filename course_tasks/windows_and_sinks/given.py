"""What the checks of this topic hand to a learner's function. Hand-ins may read this file, so it holds no answer."""

import numpy as np

WORDS = 5


def counter(tokens, mask):
    """The loss of each token, (n,), of a model that predicts a token by how often it occurs among the keys before it."""
    before = np.asarray(mask) & np.tri(len(tokens), k=-1, dtype=bool)
    same = before & (tokens[:, None] == tokens)
    return -np.log((same.sum(axis=1) + 1) / (before.sum(axis=1) + WORDS))


def near_counter(tokens, mask):
    """`counter` that looks at the last three keys only, however many are visible."""
    return counter(tokens, np.asarray(mask) & ~np.tri(len(tokens), k=-4, dtype=bool))


def crowded(tokens, mask):
    """`near_counter` that gets worse with each key it sees, as a model does that is disturbed by a long text."""
    return near_counter(tokens, mask) + 0.01 * np.asarray(mask).sum(axis=1)
