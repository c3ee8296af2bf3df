"""What the checks of this topic hand to a learner's function. Hand-ins may read this file, so it holds no answer."""

import numpy as np


def log_decay(score, i, j):
    """The course's bias as a score_mod."""
    return score - 0.3 * np.log1p(abs(j - i))


def causal(score, i, j):
    """−∞ for keys after the query."""
    return np.where(j <= i, score, -np.inf)


def one_sided(score, i, j):
    """A bias that tells left from right."""
    return score + np.where(j > i, 1.0, 0.1 * (j - i))


def absolute(score, i, j):
    """A bias by the positions themselves, not by their difference."""
    return score - 0.1 * i + 0.2 * j


class Watched(np.ndarray):
    """Scores that note in `read` how long each slice of them and of their parts is, except of all that is left."""

    def __array_finalize__(self, whole):
        self.read = getattr(whole, "read", [])

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        if isinstance(key, slice) and key.indices(len(self))[1] < len(self):
            self.read.append(len(piece))
        return piece
