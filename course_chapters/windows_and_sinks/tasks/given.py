"""What the checks of this topic hand to a learner's function.

Models for the test of use: they predict a token by how often it occurs among the keys that they see.
"""

import numpy as np

VOCABULARY = 5  # tokens are 0 … 4


def shown(tokens, mask):
    """The mask as truth values, (n, n). Raises ValueError for one of another shape, or with anything but 0 and 1."""
    if np.ndim(tokens) != 1:
        raise ValueError(f"tokens have the shape {np.shape(tokens)}: expected (n,); the mask is the second argument")
    mask, n = np.asarray(mask), len(tokens)
    if mask.shape != (n, n) or not np.isin(mask, (0, 1)).all():
        what = f"shape {mask.shape}" if mask.shape != (n, n) else f"the value {mask[~np.isin(mask, (0, 1))][0]}"
        raise ValueError(f"mask has {what}: expected ({n}, {n}), True where a query sees a key and False elsewhere")
    return mask.astype(bool)


def counter(tokens, mask):
    """The loss of each token, (n,), of a model that predicts a token by how often it occurs among the earlier keys."""
    before = shown(tokens, mask) & np.tri(len(tokens), k=-1, dtype=bool)
    same = before & (tokens[:, None] == tokens)
    return -np.log((same.sum(axis=1) + 1) / (before.sum(axis=1) + VOCABULARY))


def near_counter(tokens, mask):
    """`counter` that looks at the last three keys only, however many are visible."""
    return counter(tokens, shown(tokens, mask) & ~np.tri(len(tokens), k=-4, dtype=bool))


def two_layers(tokens, mask):
    """`counter` that counts each key as often as that key has its own token among the keys it sees: a second layer."""
    seen = shown(tokens, mask) & np.tri(len(tokens), k=-1, dtype=bool)
    weight = 1 + (seen & (tokens[:, None] == tokens)).sum(axis=1)
    same = (seen & (tokens[:, None] == tokens)) @ weight
    return -np.log((same + 1) / (seen @ weight + VOCABULARY))


def crowded(tokens, mask):
    """`near_counter` that gets worse with each key it sees, as a model does that is disturbed by a long text."""
    return near_counter(tokens, mask) + 0.1 * np.sqrt(shown(tokens, mask).sum(axis=1))


def anchored(tokens, mask):
    """`near_counter` that loses a nat at each query that does not see token 0, as a model does without its sink."""
    return near_counter(tokens, mask) + ~shown(tokens, mask)[:, 0]
