"""What is kept after each tile · 15 minutes · ★★

Go through the keys in tiles and carry three things along: the largest score so far, the sum of exponentials, and the
mixture of values. After each tile, store the largest score, the sum, and the output over the keys seen so far (mixture
divided by sum). The last tile may be shorter. In each tile use only its own scores, because a real kernel has no others
available. The first tile always has a finite score; later tiles may hold −∞ for hidden keys.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import K, Q, V
from course_lib.reference.attention import scores, softmax
from course_lib.reference.bias import decay_bias

from .common import normal
from .watched import in_tiles


def kept_after_tiles(s, values, size):
    """What one query keeps after each tile of `size` keys: largest, total, output.

    s (n_k,) are its scores, values (n_k, d). Returns largest (t,), total (t,), the sum of
    exponentials, and output (t, d), the attention over the keys seen so far, for t tiles.
    """
    largest, total, mixed = -np.inf, 0.0, 0.0  # The first largest score is −∞, which is below every score.
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):  # `range` needs the number of keys, len(s). The start of the first tile is 0.
        tile = s[start : start + size]  # A slice names its end, not its length.
        new = max(largest, tile.max())
        # The exponent of the shrinking is old largest − new largest, which is never above 0. Old sum and old mixture
        # were measured from the old largest score, so both shrink.
        shrink = np.exp(largest - new)
        # The exponent in a tile is score − largest so far, so the largest score gets e⁰ = 1. The exponential in a tile
        # is e^{score − largest so far}.
        e = np.exp(tile - new)
        # The sum of the tile is added to the shrunk sum of the earlier tiles. The sum of the earlier tiles is shrunk,
        # and that of the new tile is added.
        total = shrink * total + e.sum()
        # The mixture of the tile is added to the shrunk mixture of the earlier tiles. The mixture of the earlier tiles
        # is shrunk, and that of the new tile is added.
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed / total)  # The output is the mixture divided by the sum.
    return all_largest, all_totals, outputs


def expected(s, values, size):
    """Each tile's end looked at as if the text ended there."""
    ends = [min(start + size, len(s)) for start in range(0, len(s), size)]
    largest = np.array([s[:end].max() for end in ends])
    total = np.array([np.exp(s[:end] - s[:end].max()).sum() for end in ends])
    return largest, total, np.array([softmax(s[:end]) @ values[:end] for end in ends])


def draw(rng):
    n = int(rng.integers(3, 9))
    return rng.normal(scale=2, size=n), rng.normal(size=(n, 3)), int(rng.integers(1, 4))


_BIASED = scores(Q, K) + decay_bias(5)


afterwards = in_tiles


RETURNS = ("largest", "total", "output")


AXES = {"largest": ["tile"], "total": ["tile"], "output": ["tile", "number"]}


CASES = [
    Case(_BIASED[2], V, 3, label='the query "sat", tiles of three keys'),
    Case(np.sort(_BIASED[4]), V, 2, label="scores that rise from tile to tile"),
    Case(np.array([-3.0, -1.0, -2.0, -0.5]), normal(0, 4, 2), 1, label="negative scores, one key a tile"),
    Case(np.array([2.0, 1.0, 0.5, 1.5]), normal(1, 4, 3), 4, label="a single tile"),
    Case(np.array([1.0, 2.0, -np.inf, 0.0]), normal(2, 4, 2), 2, label="a hidden key"),
    Case(np.array([1.0, 2.0, -np.inf, -np.inf, 3.0]), normal(7, 5, 2), 2, label="a tile of hidden keys"),
    Case(np.array([800.0, 0.0, 900.0]), normal(3, 3, 2), 1, label="large scores"),
    Case(np.array([-900.0, 0.0, 900.0]), normal(4, 3, 2), 1, label="scores far apart"),
]


WRONG = """
shrink = 1.0  # You shrink nothing when a larger score arrives. Old sum and old mixture were measured from the old
# largest score.
new = tile.max()  # You use the tile's own largest score. An earlier tile may have a larger one.
e = np.exp(tile - tile.max())  # You measure the exponentials from the tile's own largest score. Use the largest so
# far, as for everything that is kept.
e = np.exp(tile - tile.max()) * np.exp(tile.max() - new)  # This is right until all keys of a tile are hidden. Then its
# own largest score is −∞, and −∞ − (−∞) is nan. Measure its exponentials from the largest score so far, which is
# finite.
e = np.exp(tile - largest)  # You use the largest score of *before* this tile. Use the new one.
shrink = 1.0; e = np.exp(tile)  # You do not subtract a largest score, so your sums are too large by the factor
# e^{largest}, and large scores overflow.
new = s.max()  # You store and subtract the largest score over *all* keys, which no tile knows yet. Use the largest so
# far.
shrink = 1.0; e = np.exp(tile - s.max())  # You subtract the largest score over *all* keys, which no tile knows yet.
# Use the largest so far.
largest, total, mixed = (0.0, 0.0, 0.0)  # Your first largest score is 0, which is larger than any if all scores are
# negative. Start with −∞.
mixed = shrink * mixed + e @ values[:len(e)]  # Every tile gets the values of the first keys. Key and value belong
# together.
total = shrink * (total + e.sum())  # You shrink the sum of the new tile as well, which is measured from the new
# largest score already.
mixed = shrink * (mixed + e @ values[start:start + size])  # You shrink the mixture of the new tile as well, which is
# measured from the new largest score already.
total = shrink * total + len(e)  # You count the keys of a tile. Add their exponentials.
total = shrink * total + e.max()  # You add the largest exponential of a tile. Add all of them.
new = tile.max(); total = e.sum(); mixed = e @ values[start:start + size]  # You treat each tile by itself and carry
# nothing over from the tiles before it.
return (all_largest[-1:], all_totals[-1:], outputs[-1:])  # You return the state after the last tile only. Store it
# after each one.
return (all_largest, outputs, all_totals)  # You exchanged sum and output. Return largest, total, output.
return (all_totals, all_largest, outputs)  # You exchanged largest and sum. Return largest, total, output.
return (outputs, all_totals, all_largest)
return (outputs, all_largest, all_totals)  # You return the output first, but it comes last. Return largest, total,
# output.
return (all_totals, outputs, all_largest)  # You return the largest score last, but it comes first. Return largest,
# total, output.
return (all_largest, all_totals, outputs[-1:] * len(outputs))  # Every row of your output is the last one. Do you
# append the same array each time and change it afterwards? Append a new one, `mixed / total`.
return (all_largest, all_totals, [outputs[-1] * total / t for t in all_totals])  # Every output has the mixture of the
# last tile. Do you append the same mixture each time and change it with `+=` or `*=`? Append a new array, `mixed /
# total`.
"""


HINTS = [
    "A tile needs its scores, `s[start : start + size]`, and the values of the same keys. A slice may run past the end.",
    "Take `new = max(largest, tile.max())`. What was kept shrinks by `np.exp(largest - new)`, and the tile's exponentials "
    "are `np.exp(tile - new)`.",
    "Shrink the sum *and* the mixture, add the tile's share to both, and only then set `largest = new`.",
]


def wrong_program_8(s, values, size):
    """You subtract the largest score over *all* keys and correct the sum afterwards. No tile knows that score yet, and
    exponentials become 0 where it is far above the others. Use the largest so far."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = 1.0
        e = np.exp(tile - s.max())
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total * np.exp(s.max() - largest))
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def wrong_program_9(s, values, size):
    """You never carry the largest score on to the next tile."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def wrong_program_11(s, values, size):
    """You divide by the sum of the last tile. The mixture holds all tiles, so divide by the sum of all tiles."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed / e.sum())
    return all_largest, all_totals, outputs


def wrong_program_15(s, values, size):
    """You carry the output on, not the mixture. Carry what is not divided, or multiply by the old sum before you add a
    tile."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        mixed = mixed / total
        outputs.append(mixed)
    return all_largest, all_totals, outputs


def wrong_program_18(s, values, size):
    """You store the tile's largest score. Store the largest so far."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(tile.max())
        all_totals.append(total)
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def wrong_program_19(s, values, size):
    """You store the sum of the tile. Store the sum so far."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(e.sum())
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def wrong_program_20(s, values, size):
    """The last tile is missing if it is shorter than the others. The loop must start a tile there, too."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, max(len(s) // size, 1) * size, size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def wrong_program_21(s, values, size):
    """You take the softmax inside each tile and add up. Divide once, by the sum over all keys seen."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = mixed + softmax(tile) @ values[start : start + size]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed)
    return all_largest, all_totals, outputs


def wrong_program_23(s, values, size):
    """You go key by key. A tile has `size` keys, so step the loop by `size`."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    all_largest, all_totals, outputs = [], [], []
    for start in range(0, len(s)):
        tile = s[start : start + 1]
        new = max(largest, tile.max())
        shrink = np.exp(largest - new)
        e = np.exp(tile - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[start : start + 1]
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def right_rest_by_rest(s, values, size):
    """What is left is cut off tile by tile."""
    largest, total, mixed, kept = -np.inf, 0.0, 0.0, []
    while len(s):
        tile, s, v, values = s[:size], s[size:], values[:size], values[size:]
        new = np.maximum(largest, tile.max())
        shrink, e = np.exp(largest - new), np.exp(tile - new)
        largest, total, mixed = new, shrink * total + e.sum(), shrink * mixed + v.T @ e
        kept.append((largest, total, mixed / total))
    return tuple(zip(*kept, strict=True))
