"""The bucket of every offset, in code."""

import math

import numpy as np

from ...reference.grid import offsets as offset_grid
from ...reference.t5 import bucket
from ..engine import Axis, Case, Mistake, Property, Task
from ..engine.source import Source
from .common import KEY, QUERY


def _t5_buckets(offsets, bidirectional, num_buckets, max_distance):
    """T5's bucket of each offset j - i: whole numbers in, the same shape out."""
    if bidirectional:
        n, distance = num_buckets // 2, abs(offsets)
    else:
        n, distance = num_buckets, np.maximum(-offsets, 0)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(exact + np.floor(part * (n - exact)), n - 1)
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)


def _difference_of_logarithms(offsets, bidirectional, num_buckets, max_distance, ratio_below=False):
    """ln d − ln E in place of ln(d/E): on paper the same."""
    n, exact = _half(num_buckets, bidirectional)
    whole = math.log(max_distance / exact) if ratio_below else math.log(max_distance) - math.log(exact)

    def one(r):
        d = abs(r) if bidirectional else max(-r, 0)
        part = (math.log(max(d, 1)) - math.log(exact)) / whole
        found = d if d < exact else min(exact + math.floor(part * (n - exact)), n - 1)
        return found + (n if bidirectional and r > 0 else 0)

    return _each(one, offsets)


def _half(num_buckets, bidirectional):
    """N and E."""
    n = num_buckets // 2 if bidirectional else num_buckets
    return n, n // 2


def _each(one, offsets):
    return np.array([one(int(r)) for r in offsets.flat]).reshape(offsets.shape)


def _of_one(r, bidirectional, num_buckets, max_distance):
    """The bucket of one offset."""
    n, exact = _half(num_buckets, bidirectional)
    d = abs(r) if bidirectional else max(-r, 0)
    if d >= exact:
        d = min(exact + int(math.log(d / exact) / math.log(max_distance / exact) * (n - exact)), n - 1)
    return d + n if bidirectional and r > 0 else d


def _loops(offsets, *sizes):
    return _each(lambda r: _of_one(r, *sizes), offsets)


def _only_the_first(offsets, *sizes):
    """The `return` stands inside the loop that fills an array of zeros."""
    found = np.zeros(offsets.shape)
    found.flat[0] = _of_one(offsets.flat[0], *sizes)
    return found


def _divided_without_rest(offsets, bidirectional, num_buckets, max_distance):
    """ln(d/E) // (the width of one bucket): on paper the same."""
    n, exact = _half(num_buckets, bidirectional)

    def one(r):
        d = abs(r) if bidirectional else max(-r, 0)
        if d >= exact:
            d = min(exact + math.log(d / exact) // (math.log(max_distance / exact) / (n - exact)), n - 1)
        return d + n if bidirectional and r > 0 else d

    return _each(one, offsets)


def _a_row_only(offsets, *sizes):
    return [_of_one(r, *sizes) for r in offsets]


def _a_list_only(offsets, *sizes):
    return [_of_one(r, *sizes) for r in offsets.tolist()]


def _whole_numbers_only(offsets, *sizes):
    return [_of_one(int(r), *sizes) for r in offsets]


def _in_a_row(mistake):
    """The same mistake in a loop over a row of offsets, which a grid stops: its `if` meets a whole row."""

    def wrong(offsets, *sizes):
        if offsets.ndim > 1:
            _a_row_only(offsets, *sizes)
        made = mistake.what
        function = made[0] if len(made) == 1 else Source(_t5_buckets, "t5_buckets").variant(*made)
        return function(offsets, *sizes)

    return Mistake(wrong, f"{mistake.message} (And your loop takes a row of offsets; a grid of them comes last.)")


def _sizes(offsets, bidirectional, num_buckets):
    """N, E, the distance of each offset, and where the offsets lie that count from N on."""
    n = num_buckets // 2 if bidirectional else num_buckets
    distance = abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    return n, n // 2, distance, bidirectional & (offsets > 0)


def _whole(result, offsets, *_):
    return np.all(np.asarray(result) == np.round(result))


def _inside(result, offsets, bidirectional, num_buckets, max_distance):
    return np.all((np.asarray(result) >= 0) & (np.asarray(result) < num_buckets))


def _right_half(result, offsets, bidirectional, num_buckets, max_distance):
    n, _, _, future = _sizes(offsets, bidirectional, num_buckets)
    return np.array_equal(np.asarray(result) >= n, future)


def _right_where(chosen):
    """A property: the buckets are right wherever chosen(distance, E, N, max_distance) says."""

    def holds(result, offsets, bidirectional, num_buckets, max_distance):
        n, exact, distance, _ = _sizes(offsets, bidirectional, num_buckets)
        right = bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
        where = chosen(distance, exact, n, max_distance)
        return np.array_equal(np.asarray(result)[where], right[where])

    return holds


_WIDE = np.array([-1000, -128, -113, -112, -91, -90, -50, -20, -16, -12, -10, -8, -7, -1, 0, 1, 7, 8, 12, 50, 91, 1000])

_NEAR = np.arange(-40, 41)

_MISTAKES = [
    Mistake(
        lambda o, b, n, m: bucket(-o, bidirectional=b, num_buckets=n, max_distance=m),
        "The sign is turned in both modes: yours is the bucket of query minus key. An offset is key minus query, so the past "
        "has the negative ones.",
    ),
    Mistake(
        "np.maximum(-offsets, 0)",
        "np.maximum(offsets, 0)",
        "Without `bidirectional` you count the distance into the future. The past has negative offsets: turn the sign round.",
    ),
    Mistake(
        "np.maximum(-offsets, 0)",
        "abs(offsets)",
        "Without `bidirectional` a key after the query must fall into bucket 0. Yours treats it like the past.",
    ),
    Mistake(
        "np.maximum(-offsets, 0)",
        "-offsets",
        "Without `bidirectional` keys after the query get negative buckets: hold their distance at 0.",
    ),
    Mistake("(offsets > 0)", "(offsets < 0)", "The halves are swapped: it is keys *after* the query that get N more."),
    Mistake(
        "(offsets > 0)",
        "(offsets >= 0)",
        "The token itself, offset 0, is bucket 0. Only keys after the query get N more: bucket N stays empty.",
    ),
    Mistake(
        " + np.where(bidirectional & (offsets > 0), n, 0)",
        "",
        "With `bidirectional` left and right are the same. A key after the query gets N more.",
    ),
    Mistake(
        "np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(bidirectional & (offsets > 0), n - 1, 0)",
        "Keys after the query are one bucket too low: they get N more, so that the next token is N + 1.",
    ),
    Mistake(
        "np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(bidirectional & (offsets > 0), num_buckets, 0)",
        "Keys after the query get too much. They get N more, half of `num_buckets`.",
    ),
    Mistake(
        "n, distance = num_buckets // 2, abs(offsets)",
        "n, distance = num_buckets, abs(offsets)",
        "With `bidirectional` each direction gets half of the buckets; yours gives all of them to both.",
    ),
    Mistake(
        "exact = n // 2",
        "exact = num_buckets // 2",
        "The exact part is half of one *direction's* buckets. With `bidirectional` that is a quarter of `num_buckets`.",
    ),
    Mistake(
        "n, distance = num_buckets, np",
        "n, distance = num_buckets // 2, np",
        "Without `bidirectional` the past has all `num_buckets`: yours halves them in both modes.",
    ),
    Mistake(
        "exact = n // 2",
        "exact = num_buckets // 4",
        "A quarter of `num_buckets` is exact with `bidirectional` only. In general E is half of N.",
    ),
    Mistake(
        "abs(offsets)",
        "-offsets",
        "With `bidirectional` keys after the query get a negative distance: it is |offset|, in both directions.",
    ),
    Mistake(
        "found + np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(bidirectional & (offsets > 0), n, 0) + found * np.where(offsets < 0, -1, 1)",
        "The past has got negative buckets. A bucket is a row of the table: its number is 0 or more.",
    ),
    Mistake(
        "exact = n // 2",
        "exact = 8",
        "8 exact buckets are right for an encoder with 32. In general E is half of N.",
    ),
    Mistake("exact = n // 2", "exact = n // 4", "Too few exact buckets: E is half of N."),
    Mistake(
        "np.minimum(exact + np.floor(part * (n - exact)), n - 1)",
        "exact + np.floor(part * (n - exact))",
        "Far distances run past the last bucket: hold them at N − 1.",
    ),
    Mistake(
        ", n - 1)",
        ", n)",
        "The far ones are held one bucket too late. A direction's last bucket is N − 1.",
    ),
    Mistake("np.floor(part * (n - exact))", "np.round(part * (n - exact))", "You round. The formula takes the floor."),
    Mistake(
        "np.floor(part * (n - exact))", "np.ceil(part * (n - exact))", "You round up. The formula takes the floor."
    ),
    Mistake(
        "np.floor(part * (n - exact))",
        "(part * (n - exact))",
        "A bucket is a whole number: take the floor of what the logarithm gives.",
    ),
    Mistake(
        "distance < exact",
        "distance <= exact + 1",
        "Distances at the border are kept exact for too long: from E on the logarithm decides.",
    ),
    Mistake(
        "np.log(max_distance / exact)",
        "np.log(max_distance)",
        "You divide by ln(max_distance). The whole way runs from E to max_distance: divide by ln(max_distance / E).",
    ),
    Mistake(
        "np.log(np.maximum(distance, exact) / exact)",
        "np.log(np.maximum(distance, exact))",
        "You take the logarithm of d itself. It counts from the exact part on: ln(d / E).",
    ),
    Mistake(
        "part * (n - exact)",
        "part * n",
        "You share out N buckets. Only N − E are left after the exact ones.",
    ),
    Mistake(
        "np.minimum(exact + np.floor",
        "np.minimum(np.floor",
        "The shared buckets begin again at 0. They follow the exact ones: E + …",
    ),
    Mistake(
        "np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)",
        "(np.maximum(distance, exact) - exact) / (max_distance - exact)",
        "You share out the distances evenly. It is their logarithms that are shared out.",
    ),
    Mistake(
        "np.where(distance < exact, distance, shared)",
        "shared",
        "Near distances all fall into bucket E: below E a distance is its own bucket.",
    ),
    Mistake(
        "np.where(distance < exact, distance, shared)",
        "np.minimum(distance, n - 1)",
        "Every distance has a bucket of its own until they run out. From E on distances share, by the logarithm.",
    ),
    Mistake(
        "np.log(np.maximum(distance, exact) / exact)",
        "np.log2(np.maximum(distance, exact) / exact)",
        "Two bases in one formula, log₂ above and ln below. Any base will do, but it must be the same.",
    ),
    Mistake(
        "np.log(np.maximum(distance, exact) / exact)",
        "np.log10(np.maximum(distance, exact) / exact)",
        "Two bases in one formula, log₁₀ above and ln below. Any base will do, but it must be the same.",
    ),
    Mistake(
        "np.log(max_distance / exact)",
        "np.log2(max_distance / exact)",
        "Two bases in one formula, ln above and log₂ below. Any base will do, but it must be the same.",
    ),
    Mistake(
        lambda offsets, bidirectional, num_buckets, max_distance: bucket(offsets, bidirectional=bidirectional),
        "Right for 32 buckets up to 128: these sizes are written into your code. Take them from `num_buckets` and `max_distance`.",
    ),
    Mistake(
        "np.log(max_distance / exact)",
        "np.log(128 / exact)",
        "128 is written into your code. The distance at which the buckets end is `max_distance`.",
    ),
    Mistake(
        lambda offsets, *sizes: [_of_one(offsets.flat[0], *sizes)],
        "One answer only, for the first offset: is the `return` inside the loop?",
    ),
    Mistake(
        _difference_of_logarithms,
        "One boundary is off by rounding: ln d − ln E can fall just below a whole number. Take the logarithm of the ratio d / E.",
    ),
    Mistake(
        lambda o, b, n, m: _difference_of_logarithms(o, b, n, m, ratio_below=True),
        "A boundary is off by rounding: ln d − ln E, above the fraction, can fall just below a whole number. Take ln(d / E) there too.",
    ),
    Mistake(
        "np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(offsets > 0, n, 0)",
        "Without `bidirectional` nothing is added: a key after the query is bucket 0.",
    ),
    Mistake(
        "np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(offsets > 0, num_buckets // 2, 0)",
        "Keys after the query get half of `num_buckets` more in both modes. Without `bidirectional` they stay in bucket 0.",
    ),
    Mistake(
        "np.where(bidirectional & (offsets > 0), n, 0)",
        "np.where(bidirectional & (offsets > 0), 16, 0)",
        "16 is written into your code. A key after the query gets N more, half of `num_buckets`.",
    ),
    Mistake(
        ", n - 1)",
        ", num_buckets - 1)",
        "Far distances are held at the end of the table. With `bidirectional` a direction ends earlier: at N − 1.",
    ),
    Mistake(
        _divided_without_rest,
        "One boundary is off by rounding: divide and multiply by N − E first, and take the floor last.",
    ),
    Mistake(
        _only_the_first,
        "Only the first offset is filled in: is the `return` inside the loop?",
    ),
]

t5_buckets = Task(
    title="The rule in code",
    minutes=20,
    difficulty=3,
    words=r"""Write T5's rule for an array of offsets $j - i$, a row or a grid, in both modes, for any sizes. Per direction there are $N$
buckets: all of them when `bidirectional` is false, half of them when it is true. $E = N / 2$ of these are exact. A distance
$d \ge E$ falls into

$$E + \left\lfloor \frac{\ln(d/E)}{\ln(\text{max\_distance}/E)} \cdot (N - E) \right\rfloor, \quad \text{at most } N - 1.$$

With `bidirectional` a key *after* the query gets $N$ more. Without it such a key falls into bucket 0. A loop is
fine: over `offsets.flat`, with `.reshape(offsets.shape)` at the end. Or write it for whole arrays.
`t5_buckets(np.array([-20, 0, 1]), True, 32, 128)` is `[10, 0, 17]`, and `False` in place of `True` gives `[17, 0, 0]`.""",
    solution=_t5_buckets,
    expected=lambda offsets, bidirectional, num_buckets, max_distance: bucket(
        offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    ),
    cases=[
        Case(
            offsets := np.array([-20, -8, -7, -1, 0, 1, 7, 8, 20]),
            True,
            32,
            128,
            says="an encoder",
            axes=(Axis("offset", [f"{r:+d}" for r in offsets]),),
        ),
        Case(offsets, False, 32, 128, says="a decoder", axes=(Axis("offset", [f"{r:+d}" for r in offsets]),)),
        Case(_WIDE, True, 32, 128, says="an encoder, far offsets", axes=(Axis("offset", [f"{r:+d}" for r in _WIDE]),)),
        Case(_WIDE, False, 32, 128, says="a decoder, far offsets", axes=(Axis("offset", [f"{r:+d}" for r in _WIDE]),)),
        Case(-np.arange(100), False, 32, 256, says="a decoder up to 256", axes=("distance",)),
        Case(-np.arange(80), True, 16, 64, says="an encoder with 16 buckets up to 64", axes=("distance",)),
        Case(
            _NEAR,
            True,
            8,
            32,
            says="an encoder with 8 buckets",
            axes=(Axis("offset", [f"{r:+d}" for r in _NEAR]),),
        ),
        Case(offset_grid(5), True, 32, 128, says="the grid of the five tokens", axes=(QUERY, KEY)),
    ],
    draw=lambda rng: (
        np.sort(rng.integers(-150, 151, size=12)),
        bool(rng.integers(2)),
        *[(32, 128), (64, 256), (16, 64), (8, 32)][rng.integers(4)],
    ),
    properties=[
        Property("whole numbers", _whole, "A bucket is a whole number. Take the floor of what the logarithm gives."),
        Property(
            "exact where near",
            _right_where(lambda d, exact, n, largest: d < exact),
            "Near offsets are wrong already. Below E a distance is its own bucket (and a key after the query, if `bidirectional`, gets N more).",
        ),
        Property(
            "E at distance E",
            _right_where(lambda d, exact, n, largest: d == exact),
            "The exact distances are right, the first shared one is not: distance E falls into bucket E, because ln(E/E) = 0.",
        ),
        Property("from 0 to num_buckets − 1", _inside, "Some buckets are below 0 or past the end of the table."),
        Property(
            "the future's half",
            _right_half,
            "A key before the query has landed in the half of those after it, or the other way round. A direction's last bucket is N − 1.",
        ),
        Property(
            "N − 1 when far",
            _right_where(lambda d, exact, n, largest: d >= largest),
            "Near distances are right, far ones are not: from `max_distance` on everything is in the last bucket of its direction, N − 1.",
        ),
        Property(
            "the shared part",
            _right_where(lambda d, exact, n, largest: d >= exact),
            "Near distances are right; among those that share some are not. Print ln(d/E) / ln(max_distance/E) · (N − E) for distance 20: 2.64 in an encoder of 32 buckets up to 128.",
        ),
    ],
    mistakes=[
        *_MISTAKES,
        *map(_in_a_row, _MISTAKES),
        Mistake(
            _a_row_only,
            "Right for a row of offsets. In the last case they are a grid: go over `offsets.flat`, and give the result the grid's shape.",
        ),
        Mistake(
            _a_list_only,
            "Right for a row of offsets. `.tolist()` makes a list of lists of a grid: go over `offsets.flat`, and give the result the grid's shape.",
        ),
        Mistake(
            _whole_numbers_only,
            "Right for a row of offsets. `int` takes one number, and from a grid it gets a row: go over `offsets.flat`, and give the result the grid's shape.",
        ),
    ],
    alternatives=[_loops, lambda o, b, n, m: bucket(o, bidirectional=b, num_buckets=n, max_distance=m)],
    hints=[
        "Settle N and the distance first: they are all that differs between the modes.",
        "Then E = N // 2. Below it a distance is its own bucket. `np.where(distance < E, distance, …)` chooses for all at once.",
        "The logarithm of 0 is −∞, with a warning. `np.maximum(distance, E)` keeps it away from the distances that do not need it.",
        "Last: `np.minimum(…, N - 1)`, and N more where `offsets > 0`, if `bidirectional`.",
    ],
)
