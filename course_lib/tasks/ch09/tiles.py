"""Attention in tiles: with a pencil, and what is kept after each tile."""

import math

import numpy as np

from ...example import K, Q, V
from ...reference.attention import scores, softmax
from ...reference.bias import decay_bias
from ..engine import Answer, Case, Mistake, Result, Task
from ..engine.run import run
from .common import normal

_ONE, _SHRINK, _TWO, _MIX, _OUT = (
    "sum after tile one",
    "shrink factor",
    "sum after tile two",
    "mixture after tile two",
    "output",
)
_SCORES = np.log([2.0, 1.0, 4.0, 2.0])
_VALUES = np.array([4.0, 0.0, 2.0, 8.0])


def _two_tiles():
    """From the definitions, on whole prefixes: no tile is carried on here."""
    e = np.exp(_SCORES - _SCORES.max())
    return {
        _ONE: float(np.exp(_SCORES[:2] - _SCORES[:2].max()).sum()),
        _SHRINK: float(np.exp(_SCORES[:2].max() - _SCORES.max())),
        _TWO: float(e.sum()),
        _MIX: float(e @ _VALUES),
        _OUT: float(softmax(_SCORES) @ _VALUES),
    }


two_tiles = Answer(
    "two_tiles",
    title="Two tiles with a pencil",
    minutes=8,
    difficulty=1,
    words=r"""One query, four keys in two tiles. The scores are chosen so that a pencil will do, since $e^{\ln x} = x$:

| | tile one | | tile two | |
|---|---|---|---|---|
| score | ln 2 | ln 1 = 0 | ln 4 | ln 2 |
| value | 4 | 0 | 2 | 8 |

Subtract the largest score *seen so far* in every exponential. How large is the sum of exponentials after tile one? By
which factor must it, and the mixture (the sum of exponential times value), shrink when tile two arrives? How large are
sum and mixture after tile two, and what is the output? Three decimals.""",
    expected=_two_tiles,
    mistakes=[
        *(
            Mistake({_ONE: x}, says)
            for x, says in {
                3.0: "That is e^{ln 2} + e^0: subtract the largest score, ln 2, first. Then the largest has e⁰ = 1.",
                0.75: "You subtracted ln 4. After tile one, nobody has seen that score yet.",
                1.0: "That is the largest alone. The other key of tile one adds e^{0 − ln 2}.",
                2.0: "Two keys, but their scores differ: only the largest has e⁰ = 1.",
            }.items()
        ),
        *(
            Mistake({_SHRINK: x}, says)
            for x, says in {
                2.0: "Turned round: what was kept must become *smaller* when a larger score arrives. e^{old − new}.",
                1.0: "1 would mean that tile two brings no larger score. It brings ln 4.",
                0.25: "That is e^{0 − ln 4}. The factor is between the two largest scores, ln 2 and ln 4.",
                math.log(
                    2
                ): "That is the difference of the largest scores. The factor is e to the power of minus that.",
                -math.log(2): "That is the exponent, old largest − new largest. Take e to the power of it.",
                0.75: "That is the shrunk *sum*, 1.5 times the factor. The factor alone goes here.",
            }.items()
        ),
        *(
            Mistake({_TWO: x}, says)
            for x, says in {
                3.0: "You did not shrink the first sum: 1.5 was measured from ln 2, the rest from ln 4.",
                1.5: "That is tile two alone. Add what tile one left, shrunk.",
                9.0: "These are exponentials of the bare scores. Subtract the largest, ln 4, in each.",
                4.5: "You multiplied by 2 where the first sum had to be halved.",
                0.75: "That is what is left of tile one. Add the exponentials of tile two.",
            }.items()
        ),
        *(
            Mistake({_MIX: x}, says)
            for x, says in {
                10.0: "The mixture of tile one, 4, must shrink as its sum did.",
                6.0: "That is tile two alone. Add the mixture of tile one, shrunk.",
                14.0: "The values of all four keys added up. Each counts as much as its exponential.",
                32.0: "You used the exponentials of the bare scores. Subtract ln 4 in each.",
                2.0: "That is what is left of tile one's mixture. Add that of tile two.",
                32 / 9: "That is the output. The mixture is not divided yet.",
            }.items()
        ),
        *(
            Mistake({_OUT: x}, says)
            for x, says in {
                8.0: "That is the mixture. Divide it by the sum, once, at the end.",
                3.5: "That is the plain mean of the values. Larger scores count for more.",
                10
                / 3: "Not the mean of the outputs of two tiles, (8/3 + 4)/2: divide the shrunk and added mixture by the sum.",
                20 / 3: "Outputs of tiles do not add up, 8/3 + 4. Add mixtures and sums, and divide once.",
                4.0: "That is tile two alone, 6/1.5. Tile one counts as well.",
            }.items()
        ),
    ],
    hints=[
        "Tile one: its largest score is ln 2. e^{ln 2 − ln 2} = 1, and e^{0 − ln 2} = 1/2.",
        "The factor is e to the power of (old largest − new largest), here ln 2 − ln 4 = −ln 2.",
        "Tile two from ln 4: exponentials 1 and 1/2. Add the shrunk sum to theirs; the same with each times its value.",
    ],
)


class _Watched(np.ndarray):
    """Scores that note how long the longest slice is that was taken of them, all that is left set aside."""

    longest = 0

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        if isinstance(key, slice) and key.indices(len(self))[1] < len(self):
            _Watched.longest = max(_Watched.longest, len(piece))
        return piece


class _InTiles(Task):
    """Right values are not enough: a tile is worked on without the scores of the tiles before it."""

    def _check(self, given):
        result = super()._check(given)
        if not result.passed:
            return result
        s, values, size = normal(5, 9), normal(6, 9, 2), 2
        _Watched.longest = 0
        run(lambda: given(s.view(_Watched), values, size), [Case()], lambda value: {}, self.seconds)
        if _Watched.longest <= size:
            return result
        fact = f"with tiles of {size} keys it looks at {_Watched.longest} scores at once"
        return Result("property broken", self.title, (fact,), _EARLIER)


_EARLIER = (
    "The values are right, but you go back to the scores of earlier tiles. A kernel no longer has them: the largest "
    "score, the sum and the mixture are all that it needs of them. Shrink the sum and the mixture when the largest grows."
)


def _kept_after_tiles(s, values, size):
    """What one query keeps after each tile of `size` keys: largest, total, output.

    s (n_k,) are its scores, values (n_k, d). Returns largest (t,), total (t,), the sum of
    exponentials, and output (t, d), the attention over the keys seen so far, for t tiles.
    """
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
        outputs.append(mixed / total)
    return all_largest, all_totals, outputs


def _expected(s, values, size):
    """Each tile's end looked at as if the text ended there."""
    ends = [min(start + size, len(s)) for start in range(0, len(s), size)]
    largest = np.array([s[:end].max() for end in ends])
    total = np.array([np.exp(s[:end] - s[:end].max()).sum() for end in ends])
    return largest, total, np.array([softmax(s[:end]) @ values[:end] for end in ends])


def _one_tile_late(s, values, size):
    """Stops before the last, shorter tile."""
    whole = max(len(s) // size * size, size)
    return _expected(s[:whole], values[:whole], size)


def _softmax_per_tile(s, values, size):
    largest, total, _ = _expected(s, values, size)
    tiles = [slice(start, start + size) for start in range(0, len(s), size)]
    return largest, total, np.cumsum([softmax(s[tile]) @ values[tile] for tile in tiles], axis=0)


def _merged(s, values, size, safe=False):
    """Each tile measured from its own largest, then merged; `safe` where a tile is hidden throughout."""
    largest, total, mixed, kept = -np.inf, 0.0, 0.0, []
    for start in range(0, len(s), size):
        tile = s[start : start + size]
        own = tile.max()
        e = np.exp(tile - (own if np.isfinite(own) or not safe else 0.0))
        new = max(largest, own)
        total = np.exp(largest - new) * total + np.exp(own - new) * e.sum()
        mixed = np.exp(largest - new) * mixed + np.exp(own - new) * (e @ values[start : start + size])
        largest = new
        kept.append((largest, total, mixed / total))
    return tuple(zip(*kept, strict=True))


def _rest_by_rest(s, values, size):
    """What is left is cut off tile by tile."""
    largest, total, mixed, kept = -np.inf, 0.0, 0.0, []
    while len(s):
        tile, s, v, values = s[:size], s[size:], values[:size], values[size:]
        new = np.maximum(largest, tile.max())
        shrink, e = np.exp(largest - new), np.exp(tile - new)
        largest, total, mixed = new, shrink * total + e.sum(), shrink * mixed + v.T @ e
        kept.append((largest, total, mixed / total))
    return tuple(zip(*kept, strict=True))


def _only_the_tile(s, values, size):
    tiles = [slice(start, start + size) for start in range(0, len(s), size)]
    each = [_expected(s[tile], values[tile], size) for tile in tiles]
    return tuple(np.concatenate(x) for x in zip(*each, strict=True))


def _bare(s, values, size):
    """No largest score subtracted anywhere, which gives the right outputs while nothing overflows."""
    largest, _, _ = _expected(s, values, size)
    ends = [min(start + size, len(s)) for start in range(0, len(s), size)]
    e = np.exp(s)
    total = np.array([e[:end].sum() for end in ends])
    return largest, total, np.array([e[:end] @ values[:end] for end in ends]) / total[:, None]


def _largest_of_all(s, values, size, told=False, mended=False):
    """Exponentials measured from the largest score of all keys, `told` or not, the sum `mended` or not."""
    largest, _, _ = _expected(s, values, size)
    ends = [min(start + size, len(s)) for start in range(0, len(s), size)]
    e = np.exp(s - s.max())
    total = np.array([e[:end].sum() for end in ends])
    output = np.array([e[:end] @ values[:end] for end in ends]) / total[:, None]
    total = total * np.exp(s.max() - largest) if mended else total
    return np.full_like(largest, s.max()) if told else largest, total, output


def _one_array(s, values, size, mixture=False):
    """The last output in every row; with `mixture`, the last mixture divided by each tile's sum."""
    largest, total, output = _expected(s, values, size)
    output = output[-1] * (total[-1] / total[:, None] if mixture else np.ones((len(total), 1)))
    return largest, total, output


_BIASED = scores(Q, K) + decay_bias(5)
_AXES = {"largest": ["tile"], "total": ["tile"], "output": ["tile", "number"]}

kept_after_tiles = _InTiles(
    title="What is kept after each tile",
    minutes=15,
    difficulty=2,
    words="""Go through the keys in tiles and carry on three things: the largest score so far, the sum of exponentials, and
the mixture of values. After each tile write down the largest score, the sum, and the output over the keys seen so far
(mixture divided by sum). The last tile may be shorter. In each tile look at its own scores only: a real kernel has no
others at hand. In the first tile some score is always finite; later ones may hold −∞ for hidden keys.""",
    solution=_kept_after_tiles,
    expected=_expected,
    returns=("largest", "total", "output"),
    axes=_AXES,
    cases=[
        Case(_BIASED[2], V, 3, says='the query "sat", tiles of three keys'),
        Case(np.sort(_BIASED[4]), V, 2, says="scores that rise from tile to tile"),
        Case(np.array([-3.0, -1.0, -2.0, -0.5]), normal(0, 4, 2), 1, says="negative scores, one key a tile"),
        Case(np.array([2.0, 1.0, 0.5, 1.5]), normal(1, 4, 3), 4, says="a single tile"),
        Case(np.array([1.0, 2.0, -np.inf, 0.0]), normal(2, 4, 2), 2, says="a hidden key"),
        Case(np.array([1.0, 2.0, -np.inf, -np.inf, 3.0]), normal(7, 5, 2), 2, says="a tile that is hidden throughout"),
        Case(np.array([800.0, 0.0, 900.0]), normal(3, 3, 2), 1, says="large scores"),
        Case(np.array([-900.0, 0.0, 900.0]), normal(4, 3, 2), 1, says="scores far apart"),
    ],
    draw=lambda rng: (
        rng.normal(scale=2, size=(n := int(rng.integers(3, 9)))),
        rng.normal(size=(n, 3)),
        int(rng.integers(1, 4)),
    ),
    mistakes=[
        Mistake(
            "shrink * total",
            "total",
            "The sum of the earlier tiles is not shrunk: it was measured from another largest score.",
        ),
        Mistake(
            "shrink * mixed",
            "mixed",
            "The mixture of the earlier tiles is not shrunk. It was made with the same exponentials as the sum: shrink both.",
        ),
        Mistake(
            "shrink = np.exp(largest - new)",
            "shrink = 1.0",
            "Nothing is shrunk when a larger score arrives. Old sum and old mixture were measured from the old largest score.",
        ),
        Mistake(
            "np.exp(largest - new)",
            "np.exp(new - largest)",
            "What is kept must be *multiplied* by e^{old largest − new largest}: 0 at the first tile, never more than 1. Yours makes nan there, of 0 · ∞ or ∞ − ∞.",
        ),
        Mistake(
            "max(largest, tile.max())",
            "tile.max()",
            "Your largest score is the tile's own. An earlier tile may have had a larger one.",
        ),
        Mistake(
            "np.exp(tile - new)",
            "np.exp(tile - tile.max())",
            "The exponentials of a tile are measured from its own largest score. Take the largest so far, as for all that is kept.",
        ),
        Mistake(
            "np.exp(tile - new)",
            "np.exp(tile)",
            "The exponentials are those of the bare scores: subtract the largest so far.",
        ),
        Mistake(
            "np.exp(tile - new)",
            "np.exp(tile - largest)",
            "The exponentials use the largest score of *before* this tile. Take the new one.",
        ),
        Mistake(
            "np.exp(tile - new)",
            "np.exp(new - tile)",
            "The exponent is turned round: the largest score must get e⁰ = 1, all others less.",
        ),
        Mistake("np.exp(tile - new)", "tile - new", "The exponential is missing in a tile: e^{score − largest}."),
        Mistake("        largest = new\n", "", "The largest score is never carried on to the next tile."),
        Mistake(
            "largest, total, mixed = -np.inf,",
            "largest, total, mixed = 0.0,",
            "You start with 0 as largest score. When all scores are negative, that is larger than any: start with −∞.",
        ),
        Mistake("mixed / total", "mixed", "The output is the mixture divided by the sum."),
        Mistake(
            "mixed / total",
            "mixed / e.sum()",
            "You divide by the sum of the last tile. The mixture holds all tiles: so must the sum.",
        ),
        Mistake("mixed / total", "mixed * total", "You multiply by the sum. Divide."),
        Mistake(
            "values[start : start + size]",
            "values[: len(e)]",
            "Every tile gets the values of the first keys. Key and value go together.",
        ),
        Mistake(
            "shrink * total + e.sum()",
            "shrink * (total + e.sum())",
            "You shrink the new tile's sum as well. It is measured from the new largest score already.",
        ),
        Mistake(
            "shrink * mixed + e @ values[start : start + size]",
            "shrink * (mixed + e @ values[start : start + size])",
            "You shrink the new tile's mixture as well. It is measured from the new largest score already.",
        ),
        Mistake("shrink * total + e.sum()", "e.sum()", "The sum of the earlier tiles is lost."),
        Mistake("shrink * total + e.sum()", "shrink * total", "The sum of the new tile is never added."),
        Mistake(
            "shrink * total + e.sum()", "shrink * total - e.sum()", "The sum of the new tile is subtracted. Add it."
        ),
        Mistake("shrink * mixed + e @", "e @", "The mixture of the earlier tiles is lost."),
        Mistake(
            "shrink * mixed + e @ values[start : start + size]",
            "shrink * mixed - e @ values[start : start + size]",
            "The mixture of the new tile is subtracted. Add it.",
        ),
        Mistake(
            "shrink * total + e.sum()",
            "shrink * total + len(e)",
            "You count the keys of a tile. Add their exponentials.",
        ),
        Mistake(
            "shrink * total + e.sum()",
            "shrink * total + e.max()",
            "You add the largest exponential of a tile. Add all of them.",
        ),
        Mistake(
            "all_largest.append(largest)",
            "all_largest.append(tile.max())",
            "You write down the tile's largest score. Write down the largest so far.",
        ),
        Mistake(
            "all_totals.append(total)",
            "all_totals.append(e.sum())",
            "You write down the sum of the tile. Write down the sum so far.",
        ),
        Mistake(
            _merged,
            "Right until a tile is hidden throughout: its own largest score is −∞, and −∞ − (−∞) is nan. Measure its exponentials from the largest score so far, which is finite.",
        ),
        Mistake(
            _one_tile_late,
            "The last tile is missing when it is shorter than the others: the loop must start one there, too.",
        ),
        Mistake(
            _softmax_per_tile,
            "You take the softmax inside each tile and add up. Divide once, by the sum over all keys seen.",
        ),
        Mistake(_only_the_tile, "Each tile stands alone: nothing is carried on from the tiles before it."),
        Mistake(
            lambda s, values, size: tuple(x[-1:] for x in _expected(s, values, size)),
            "Only the state after the last tile comes out. Write it down after each one.",
        ),
        Mistake(
            lambda s, values, size: _expected(s, values, 1),
            "You go key by key. A tile has `size` keys: step the loop by it.",
        ),
        Mistake(
            lambda s, values, size: [_expected(s, values, size)[k] for k in (0, 2, 1)],
            "Sum and output have changed places: return largest, total, output.",
        ),
        *(
            Mistake(
                lambda s, values, size, order=order: [_expected(s, values, size)[k] for k in order],
                f"{says} Return largest, total, output.",
            )
            for order, says in {
                (1, 0, 2): "Largest and sum have changed places.",
                (2, 1, 0): "The output comes first, and the largest score last.",
                (2, 0, 1): "The output comes first. It should be the last.",
                (1, 2, 0): "The largest score comes last. It should be the first.",
            }.items()
        ),
        Mistake(
            _bare,
            "No largest score is subtracted: your sums are too large by the factor e^{largest}, and large scores overflow.",
        ),
        *(
            Mistake(
                lambda s, values, size, kept=kept: _largest_of_all(s, values, size, *kept),
                f"You looked at later tiles: {says} the largest score over *all* keys, which no tile knows yet. Where it is far above, all exponentials of a tile become 0. Take the largest so far.",
            )
            for kept, says in {
                (True, False): "you write down and subtract",
                (False, False): "you subtract",
                (False, True): "you subtract, and mend the sum after it,",
            }.items()
        ),
        Mistake(
            _one_array,
            "Every row of the output is the last one: you append the same array each time and change it afterwards. Append a new one, `mixed / total`.",
        ),
        Mistake(
            lambda s, values, size: _one_array(s, values, size, mixture=True),
            "You append the same mixture each time, and `+=` or `*=` changes it afterwards. Append a new array, `mixed / total`.",
        ),
        Mistake(
            "range(0, len(s), size)",
            "range(1, len(s), size)",
            "The first key is left out: the first tile starts at 0.",
        ),
        Mistake(
            "range(0, len(s), size)",
            "range(-1, len(s), size)",
            "The first tile is empty: a tile begins at `start`, which is 0 first, and ends at start + size.",
        ),
        Mistake(
            "all_largest.append(largest)", "pass", "The largest score is never written down: append it after each tile."
        ),
        Mistake("all_totals.append(total)", "pass", "The sum is never written down: append it after each tile."),
        Mistake(
            "outputs.append(mixed / total)", "pass", "The output is never written down: append it after each tile."
        ),
        Mistake(
            "tile = s[start : start + size]",
            "tile = s[start:size]",
            "A slice names its end, not its length: from the second tile on, yours is empty. It ends at start + size.",
        ),
    ],
    alternatives=[_rest_by_rest, lambda s, values, size: _merged(s, values, size, safe=True)],
    hints=[
        "For a tile you need its scores, `s[start : start + size]`, and the values of the same keys. A slice may run over the end.",
        "`new = max(largest, tile.max())`; what was kept shrinks by `np.exp(largest - new)`, and the tile's exponentials are `np.exp(tile - new)`.",
        "Shrink the sum *and* the mixture, add the tile's share to both, and only then set `largest = new`.",
    ],
)
