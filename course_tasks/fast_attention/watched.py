"""Whether a function keeps to its tile: scores that note how much of them is read at once."""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.runner import run

from .common import normal


class Watched(np.ndarray):
    """Scores that note the length of the longest slice taken of them, except of all that is left."""

    longest = 0

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        if isinstance(key, slice) and key.indices(len(self))[1] < len(self):
            Watched.longest = max(Watched.longest, len(piece))
        return piece


def in_tiles(given):
    """Right values are not enough, because a tile must do without the scores of the tiles before it."""
    s, values, size = normal(5, 9), normal(6, 9, 2), 2
    Watched.longest = 0
    run(lambda: given(s.view(Watched), values, size), [Case()], lambda value: {}, 2.0)
    if Watched.longest <= size:
        return None
    cause = (
        "The values are right, but you go back to the scores of earlier tiles, which a kernel no longer has. It keeps only "
        "the largest score, the sum and the mixture. Shrink the sum and the mixture when the largest score grows."
    )
    return "property broken", f"with tiles of {size} keys it looks at {Watched.longest} scores at once", cause
