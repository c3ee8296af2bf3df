"""What is kept after each tile · 15 minutes · ★★ · first

Go through the keys in tiles and carry three things along: the largest score so far, the sum of exponentials, and the
mixture of values. After each tile, store the largest score, the sum, and the output over the keys seen so far (mixture
divided by sum). The last tile may be shorter. In each tile use only its own scores, because a real kernel has no others
available. The first tile always has a finite score; later tiles may hold −∞ for hidden keys.
"""

import numpy as np

from course_kit.checking import Case
from course_kit.checking.runner import run
from course_lib.example import K, Q, V
from course_lib.reference.attention import scores, softmax
from course_lib.reference.bias import decay_bias

from ...shared import normal


def kept_after_tiles(s, values, size):
    """What one query keeps after each tile of `size` keys: largest, total, output.

    s (n_k,) are its scores, values (n_k, d). Returns largest (t,), total (t,), the sum of
    exponentials, and output (t, d), the attention over the keys seen so far, for t tiles.
    """
    largest, total, mixed = -np.inf, 0.0, 0.0  # The first largest score is −∞, which is below every score.
    largests, totals, outputs = [], [], []
    starts = range(0, len(s), size)  # A tile starts at key 0 and at every further `size` keys; the last may be shorter.
    for start in starts:
        # A tile has scores, and values of the same keys.
        tile, v = s[start : start + size], values[start : start + size]
        new = max(largest, tile.max())  # The largest score so far is the one kept or the largest of the tile.
        shrink = np.exp(largest - new)  # What is kept shrinks by e^{old largest − new largest}, which is at most 1.
        e = np.exp(tile - new)  # The exponentials of a tile are e^{score − largest so far}.
        total = shrink * total + e.sum()  # The sum of the earlier tiles shrinks, and that of the new tile is added.
        mixed = shrink * mixed + e @ v  # The mixture of the earlier tiles shrinks, and that of the new tile is added.
        largest = new  # The next tile shrinks what is kept from the largest score of now.
        output = mixed / total  # The output is the mixture divided by the sum, both over all keys so far.
        largests.append(largest)
        totals.append(total)
        outputs.append(output)
    return largests, totals, outputs  # Largest, total and output come in this order, with one entry per tile.


def expected(s, values, size):
    """Each tile's end looked at as if the text ended there."""
    ends = [min(start + size, len(s)) for start in range(0, len(s), size)]
    largest = np.array([s[:end].max() for end in ends])
    total = np.array([np.exp(s[:end] - s[:end].max()).sum() for end in ends])
    return largest, total, np.array([softmax(s[:end]) @ values[:end] for end in ends])


def draw(rng):
    n = int(rng.integers(3, 9))
    return rng.normal(scale=2, size=n), rng.normal(size=(n, 3)), int(rng.integers(1, 4))


class Watched(np.ndarray):
    """Scores that note in `read` how long each slice of them and of their parts is, except of all that is left."""

    def __array_finalize__(self, whole):
        self.read = getattr(whole, "read", [])

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        if isinstance(key, slice) and key.indices(len(self))[1] < len(self):
            self.read.append(len(piece))
        return piece


def afterwards(given):
    """Right values are not enough, because a tile must do without the scores of the tiles before it."""
    s, values, size = BIASED.reshape(-1).view(Watched), np.ones((25, 2)), 2
    run(lambda: given(s, values, size), [Case()], lambda value: {}, 2.0)
    longest = max(s.read, default=0)
    cause = (
        "The values are right, but you use scores beyond those of a tile, and a kernel has no others. It keeps "
        "only the largest score, the sum and the mixture. Shrink the last two when the largest score grows."
    )
    fact = f"with tiles of {size} keys it looks at {longest} scores at once"
    return ("property broken", fact, cause) if longest > size else None


RNG = np.random.default_rng(0)
BIASED = scores(Q, K) + decay_bias(5)
RETURNS = ("largest", "total", "output")
AXES = {"largest": ["tile"], "total": ["tile"], "output": ["tile", "number"]}
CASES = [
    Case(BIASED[2], V, 3, label='the query "sat", tiles of three keys'),
    Case(np.sort(BIASED[4]), V, 2, label="scores that rise from tile to tile"),
    Case(np.array([-3.0, -1.0, -2.0, -0.5]), normal(RNG, 4, 2), 1, label="negative scores, one key a tile"),
    Case(np.array([2.0, 1.0, 0.5, 1.5]), normal(RNG, 4, 3), 4, label="a single tile"),
    Case(np.array([1.0, 2.0, -np.inf, -np.inf, 3.0]), normal(RNG, 5, 2), 2, label="a tile of hidden keys"),
    Case(np.array([800.0, 0.0, 900.0]), normal(RNG, 3, 2), 1, label="large scores"),
    Case(np.array([-900.0, 0.0, 900.0]), normal(RNG, 3, 2), 1, label="scores far apart"),
    Case(np.array([1.0, 3.0, 2.0]), normal(RNG, 3, 2), 8, label="fewer keys than a tile has room for"),
    Case(np.array([-2e10, -1e10, -3e10]), normal(RNG, 3, 2), 1, label="scores far below 0"),
    Case(np.array([0.5]), normal(RNG, 1, 2), 2, label="a single key"),
    Case(normal(RNG, 301), normal(RNG, 301, 2), 43, label="301 keys"),
]
WRONG = """
shrink = 1.0  # You shrink nothing when a larger score arrives, but the old sum was measured from the old largest score.
shrink = np.exp(new - largest)  # Your sums are nan, as 0 · e^{new − old} is at first. Shrink by e^{old − new}.
shrink = np.exp(new - largest) if total else 0.0  # What you kept grows with a larger score. Shrink by e^{old − new}.
new = tile.max() if np.isfinite(tile.max()) else largest
new = tile.max()  # You use the tile's own largest score. An earlier tile may have a larger one.
e = np.exp(tile - tile.max())  # You measure a tile from its own largest score. Use the largest so far, as for the rest.
e = np.exp(tile - tile.max()) * np.exp(tile.max() - new)  # If all keys of a tile are hidden, its own largest score is
# −∞, and −∞ − (−∞) is nan. Measure the exponentials from the largest score so far, which is finite.
e = np.exp(tile - largest)  # You use the largest score of *before* this tile. Use the new one.
shrink = 1.0; e = np.exp(tile)  # Your sums are those of e^{score}, which may overflow. Subtract the largest so far.
new = s.max()
shrink = 1.0; e = np.exp(tile - s.max())
shrink = 1.0; e = np.exp(tile - s.max()); return largests, totals * np.exp(s.max() - largests), outputs
# You subtract the largest score over *all* keys, which no tile knows yet. Use the largest so far.
largest, total, mixed = 0.0, 0.0, 0.0  # Your first largest score is 0, above all negative scores. Start with −∞.
new = tile.max(); shrink = np.exp(-np.inf - new)
largest = -np.inf  # You never carry the largest score on to the next tile.
mixed = shrink * mixed + e @ values[:len(e)]  # Every tile gets the values of the first keys, not of its own.
total = shrink * (total + e.sum())  # You shrink the sum of the new tile as well. Only what was kept shrinks.
mixed = shrink * (mixed + e @ v)  # You shrink the mixture of the new tile as well. Only what was kept shrinks.
total = shrink * total + len(e)  # You count the keys of a tile. Add their exponentials.
total = shrink * total + e.max()  # You add the largest exponential of a tile. Add all of them.
mixed = mixed + softmax(tile) @ v; output = mixed  # You add the softmax of each tile. Divide once, by the whole sum.
mixed = shrink * mixed + e @ v / total; output = mixed
mixed = (shrink * mixed + e @ v) / total; output = mixed  # What you carry on is divided already. Carry on the mixture.
old, total = total, shrink * total + e.sum(); mixed = (old * mixed + e @ v) / (old + e.sum()); output = mixed
# You multiply the old output by the old sum as it was. That sum shrinks when the largest score grows.
output = mixed / e.sum()  # You divide by the sum of the last tile. Divide by the sum of all tiles.
return [s[a:a+size].max() for a in starts], totals, outputs  # You store the largest score of the tile, not that so far.
return largests, [np.exp(s[a:a+size] - m).sum() for a, m in zip(starts, largests)], outputs
# You store the sum of the tile. Store the sum so far.
starts = range(0, max(len(s) // size, 1) * size, size)  # A last tile that is shorter than the others is missing.
values = np.pad(values, ((0, -len(values) % size), (0, 0))); s = np.pad(s, (0, -len(s) % size))
# You fill up the last tile with scores of 0, which take weight because e⁰ = 1. It may be shorter.
return largests[-1:], totals[-1:], outputs[-1:]  # You return the state after the last tile only. Store every state.
return [], totals, outputs
return largests, [], outputs
return largests, totals, []  # One of your results is empty. Store all three after each tile.
return largests, totals, outputs[-1:] * len(outputs)  # Every row of your output is the last one. Do you append
# the same array each time and change it afterwards? Append a new one, `mixed / total`.
return largests, totals, [mixed / t for t in totals]  # Every output has the mixture of the last tile. Do you change it
# in place with `+=` or `*=`? Append a new array, `mixed / total`.
"""
HINTS = [
    "A tile needs its scores, `s[start : start + size]`, and the values of the same keys. A slice may end too late.",
    "With `new = max(largest, tile.max())`, what was kept shrinks by `np.exp(largest - new)`. The exponentials of the "
    "tile are `np.exp(tile - new)`.",
    "Shrink the sum *and* the mixture, add the tile's share to both, and only then set `largest = new`.",
]
