"""Whether a function keeps to its tile."""

from course_lib.checking import Case
from course_lib.checking.runner import run

from .common import normal
from .given import Watched


def in_tiles(given):
    """Right values are not enough, because a tile must do without the scores of the tiles before it."""
    s, values, size = normal(5, 9).view(Watched), normal(6, 9, 2), 2
    run(lambda: given(s, values, size), [Case()], lambda value: {}, 2.0)
    longest = max(s.read, default=0)
    if longest <= size:
        return None
    cause = (
        "The values are right, but you go back to the scores of earlier tiles, which a kernel no longer has. It keeps only "
        "the largest score, the sum and the mixture. Shrink the sum and the mixture when the largest score grows."
    )
    return "property broken", f"with tiles of {size} keys it looks at {longest} scores at once", cause
