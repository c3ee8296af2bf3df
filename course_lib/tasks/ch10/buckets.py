"""Which rows of a T5 table a training length reaches, and how many pairs train each."""

import numpy as np

from ...reference.attention import causal_mask
from ...reference.grid import offsets
from ...reference.t5 import bucket
from ..engine import Case, Mistake, Property, Task


def _pairs_per_bucket(length, num_buckets, max_distance):
    """How many pairs (query, key) of one text read each row of a causal T5 table, (num_buckets,).

    The text has `length` tokens; a query looks at itself and at every key before it.
    """
    distance = np.arange(length)
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows, weights=length - distance, minlength=num_buckets)


def _counted(length, num_buckets, max_distance):
    """Every visible pair, looked up and counted."""
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return [int((rows[causal_mask(length)] == b).sum()) for b in range(num_buckets)]


def _loops(length, num_buckets, max_distance):
    counts = np.zeros(num_buckets)
    for i in range(length):
        keys = np.arange(i + 1)
        for row in bucket(keys - i, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance):
            counts[row] += 1
    return counts


def _with_the_future(length, num_buckets, max_distance):
    """All n² pairs: a key after its query falls into bucket 0."""
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


def _both_ways(length, num_buckets, max_distance):
    rows = bucket(offsets(length), num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


def _reached(length, num_buckets, max_distance):
    return np.asarray(_counted(length, num_buckets, max_distance)) > 0


def _which(length, num_buckets, max_distance):
    return np.flatnonzero(_counted(length, num_buckets, max_distance))


def _added_up(length, num_buckets, max_distance):
    return np.cumsum(_counted(length, num_buckets, max_distance))


def _share(length, num_buckets, max_distance):
    counts = np.asarray(_counted(length, num_buckets, max_distance))
    return counts / counts.sum()


def _assigned_not_added(length, num_buckets, max_distance):
    """counts[rows] += number: where a row comes several times, only the last one stays."""
    distance = np.arange(length)
    counts = np.zeros(num_buckets)
    counts[bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)] += (
        length - distance
    )
    return counts


def _one_distance_too_far(length, num_buckets, max_distance):
    distance = np.arange(1, length + 1)
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows, weights=length + 1 - distance, minlength=num_buckets)


def _both_of_each(length, num_buckets, max_distance):
    counts = 2 * np.asarray(_counted(length, num_buckets, max_distance))
    counts[0] -= length
    return counts


def _up_to(farthest):
    """Distances past the table's end are left out."""

    def wrong(length, num_buckets, max_distance):
        distance = np.arange(min(length, farthest(max_distance)))
        rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
        return np.bincount(rows, weights=length - distance, minlength=num_buckets)

    return wrong


def _only_itself(length, num_buckets, max_distance):
    counts = np.zeros(num_buckets)
    counts[0] = length
    return counts


def _first_query(length, num_buckets, max_distance):
    counts = np.zeros(num_buckets)
    counts[0] = 1
    return counts


def _pair_by_pair(length, num_buckets, max_distance):
    """As slow as it can be, and right."""
    counts = [0] * num_buckets
    for i in range(length):
        for j in range(i + 1):
            row = bucket(j - i, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
            counts[row] += 1
    return counts


_SIZES = ((32, 128), (32, 32), (16, 64), (8, 20))

pairs_per_bucket = Task(
    title="What a training length reaches",
    minutes=10,
    difficulty=2,
    words="""A row of T5's table learns only when some pair of a training text reads it. For a **causal** model that is trained
on texts of `length` tokens, count for each row how many pairs (query, key) of one text read it: a query looks at
itself and at every key before it. A 0 says that this row is never trained, and in a longer text its first value is
read as it was drawn.

In a text of n tokens, how many pairs are at distance 0, how many at distance 1, at distance n − 1? `bucket` is the
library's. When you are done, compare `max_distance` 128 and 32 at length 64, the two tables of the study: five rows of
the first are never trained, and one of the second. Which of these can a longer text reach?""",
    solution=_pairs_per_bucket,
    expected=_counted,
    cases=[
        Case(5, 32, 128, says="the five tokens"),
        Case(64, 32, 128, says="the study's length, `max_distance` 128"),
        Case(64, 32, 32, says="the study's length, `max_distance` 32"),
        Case(1, 32, 128, says="one token alone"),
        Case(30, 8, 20, says="8 buckets"),
        Case(60, 16, 64, says="a length that reaches every bucket"),
    ],
    draw=lambda rng: (int(rng.integers(2, 30)), *_SIZES[rng.integers(len(_SIZES))]),
    axes=("bucket",),
    properties=[
        Property(
            "counts",
            lambda counts, *_: (np.asarray(counts) >= 0).all(),
            "A count cannot be negative: at distance d there are `length` − d pairs, and d ends at `length` − 1.",
        )
    ],
    seconds=4.0,  # for loops over every pair
    mistakes=[
        Mistake(
            "np.arange(length)",
            "length",
            "`bincount` wants a row of numbers, one for each distance 0 … `length` − 1: `length` alone is one number.",
        ),
        Mistake(
            "bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)",
            "-distance",
            "An offset is no row of the table: let `bucket` find the row of each.",
        ),
        Mistake(
            "bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)",
            "distance",
            "You take the distance itself as the row. Far distances share rows: let `bucket` find them.",
        ),
        Mistake(
            "bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)",
            "np.minimum(distance, num_buckets - 1)",
            "This is clipping: a row for each distance, and one for all that is farther. In T5 far distances share rows by their logarithm: let `bucket` find them.",
        ),
        Mistake(
            "weights=length - distance, ",
            "",
            "You count each distance once, as the last query alone sees it. At distance d there are `length` − d pairs: every query from position d on has one.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=length - distance - 1",
            "One too few at every distance: at distance 0 there are `length` pairs, each token with itself.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=length - distance + 1",
            "One too many at every distance: at distance 0 there are `length` pairs, each token with itself.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=distance - length",
            "A number of pairs is not negative: `length` − d, not the other way round.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=distance + 1",
            "This grows with the distance. Near pairs are the many: at distance d there are `length` − d.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=distance",
            "This is the distance itself. How many pairs are at that distance: `length` − d.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=length + distance",
            "The farther, the fewer: at distance d there are `length` − d pairs, not `length` + d.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=0 * distance + length",
            "Not every query has a key that far back: the first d queries have none at distance d.",
        ),
        Mistake(
            "weights=length - distance",
            "weights=2 * (length - distance)",
            "Each pair is counted twice. In a causal model the second one of two tokens looks at the first, not the first at the second.",
        ),
        Mistake(
            "bucket(-distance",
            "bucket(distance",
            "All pairs are in bucket 0: a key before its query has a *negative* offset, and to a decoder positive ones are all the future.",
        ),
        Mistake(
            "bidirectional=False, ",
            "",
            "These are an encoder's buckets: the past has only half of them. This model is causal.",
        ),
        Mistake(
            "np.arange(length)",
            "np.arange(1, length)",
            "Distance 0 is missing: each token looks at itself as well, and that is bucket 0.",
        ),
        Mistake(
            "np.arange(length)",
            "np.arange(length - 1)",
            "The farthest distance, `length` − 1, is missing: the last token looks at the first.",
        ),
        Mistake("num_buckets=num_buckets, ", "", "Right for 32 buckets only: hand `num_buckets` on to `bucket`."),
        Mistake(", max_distance=max_distance", "", "Right for `max_distance` 128 only: hand it on to `bucket`."),
        Mistake(
            ", minlength=num_buckets",
            "",
            "Rows that nobody reaches are missing at the end: `bincount` stops at the largest it has seen. `minlength=num_buckets` gives each row its 0.",
        ),
        Mistake(
            "minlength=num_buckets",
            "minlength=num_buckets + 1",
            "One row too many: `num_buckets` of them, numbered from 0.",
        ),
        Mistake(
            "minlength=num_buckets",
            "minlength=length",
            "There is one count for each row of the table: `num_buckets` of them, not `length`.",
        ),
        Mistake(_one_distance_too_far, "Every distance is one too large: a token is at distance 0 from itself."),
        Mistake(
            _both_of_each,
            "The pairs at distance 1 and more are counted twice. In a causal model the later token looks at the earlier, not the earlier at the later.",
        ),
        Mistake(
            _up_to(lambda max_distance: max_distance),
            "The last bucket ends at `max_distance` here. It has no end: it serves every distance up to `length` − 1.",
        ),
        Mistake(
            _up_to(lambda max_distance: max_distance + 1),
            "The distances past `max_distance` are left out. The last bucket serves them too, up to `length` − 1.",
        ),
        Mistake(_only_itself, "Only distance 0 is counted: is the `return` inside the loop?"),
        Mistake(_first_query, "Only the first query is counted: is the `return` inside the loop?"),
        Mistake(
            _with_the_future,
            "Bucket 0 has too many: the keys after each query are in it, which the causal mask hides. Count the pairs with j ≤ i only.",
        ),
        Mistake(
            _both_ways,
            "These are all pairs in an encoder's buckets. The model is causal: `bidirectional=False`, and keys with j ≤ i only.",
        ),
        Mistake(_reached, "This says which rows are reached. The task asks by how many pairs."),
        Mistake(
            _which,
            "These are the numbers of the rows that are reached. The task asks for a count for each row, 0 where none reads it.",
        ),
        Mistake(_added_up, "These are running sums. Each row has its own count."),
        Mistake(_share, "These are shares of all pairs. The count itself is asked for."),
        Mistake(
            _assigned_not_added,
            "Where several distances share a row only the last one stands: `=` overwrites what an earlier distance put there, and `counts[rows] += …` with a whole array adds once for each row. In a loop write `counts[row] += …`; for arrays there are `np.bincount` and `np.add.at`.",
        ),
    ],
    alternatives=[_loops, _pair_by_pair],
    hints=[
        "At distance d there are `length` − d pairs: queries d, d + 1, …, `length` − 1 have a key that far back.",
        "The bucket of every distance: `bucket(-np.arange(length), bidirectional=False, num_buckets=…, max_distance=…)`.",
        "`np.bincount(rows, weights=…, minlength=num_buckets)` adds up the weights of each row, and gives 0 to rows that do not occur.",
    ],
)
