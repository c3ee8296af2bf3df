"""What the checks of this topic hand to a learner's function."""

import numpy as np


class Watched(np.ndarray):
    """Scores that note in `read` how long each slice of them and of their parts is, except of all that is left."""

    def __array_finalize__(self, whole):
        self.read = getattr(whole, "read", [])

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        if isinstance(key, slice) and key.indices(len(self))[1] < len(self):
            self.read.append(len(piece))
        return piece
