"""What a training length reaches."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket


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
    return np.array([int((rows[causal_mask(length)] == b).sum()) for b in range(num_buckets)])


def _loops(length, num_buckets, max_distance):
    counts = np.zeros(num_buckets)
    for i in range(length):
        for j in range(i + 1):
            row = bucket(j - i, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
            counts[row] += 1
    return counts


_SIZES = ((32, 128), (32, 32), (16, 64), (8, 20))

pairs_per_bucket = CodingTask(
    title="What a training length reaches",
    minutes=10,
    difficulty=2,
    words="""A row of T5's table learns only if some pair of a training text reads it. For a **causal** model that is
trained on texts of `length` tokens, count for each row how many pairs (query, key) of one text read it. A query looks
at itself and at every key before it. A count of 0 means that this row is never trained, so a longer text reads its
random initial value.

In a text of n tokens, how many pairs are at distance 0, how many at distance 1, at distance n − 1? `bucket` is the
library's. When you are done, compare `max_distance` 256 and 64 at length 128, the two tables of the study: four rows of
the first are never trained, and none of the second. From which distance on does a longer text read them?""",
    solution=_pairs_per_bucket,
    expected=_counted,
    cases=[
        Case(5, 32, 128, label="the five tokens"),
        Case(128, 32, 256, label="the study's length, `max_distance` 256"),
        Case(128, 32, 64, label="the study's length, `max_distance` 64"),
        Case(1, 32, 128, label="one token alone"),
        Case(30, 8, 20, label="8 buckets"),
        Case(60, 16, 64, label="a length that reaches every bucket"),
    ],
    draw=lambda rng: (int(rng.integers(2, 30)), *_SIZES[rng.integers(len(_SIZES))]),
    axes=("bucket",),
    properties=[
        Property(
            "counts",
            lambda counts, *_: (np.asarray(counts) >= 0).all(),
            "A count cannot be negative. At distance d there are `length` − d pairs, and d ends at `length` − 1.",
        )
    ],
    pieces="""
-distance
    the offset: A key before its query has a negative offset, −distance, and for a decoder positive ones are the future.
np.arange(length)
    the distances: They are 0, 1, …, `length` − 1, because a token looks at itself and the last token at the first.
length - distance
    the number of pairs: At distance d there are `length` − d pairs, because every query from position d on has one.
distance
    the distance: At distance d there are `length` − d pairs, because every query from position d on has one.
length
    `length`: The distances are 0, 1, …, `length` − 1, and at distance d there are `length` − d pairs.
bidirectional=False
    `bidirectional`: This model is causal, so all buckets are for the past.
bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    the bucket: An offset is not a row of the table, and `bucket` finds the row that it reads.
num_buckets
    `num_buckets`: The table has `num_buckets` rows, and `bucket` needs that number too.
max_distance
    `max_distance`: It belongs to the table, as the third argument of your function.
np.bincount(rows, weights=length - distance, minlength=num_buckets)
    the count: It has one entry per row of the table, the number of pairs that read it.
""",
    slips="""
np.arange(length) → length
    `bincount` needs one number for each distance 0 … `length` − 1, but `length` is a single number.
bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance) → distance
    You take the distance itself as the row. Far distances share rows, and `bucket` finds them.
bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance) → \
np.minimum(distance, num_buckets - 1)
    You clip: each distance has its own row, and all that are farther share the last. In T5 far distances share rows by
    their logarithm, and `bucket` finds them.
weights=length - distance, →
    You count each distance once, which is what the last query sees. At distance d there are `length` − d pairs, because
    every query from position d on has one.
weights=length - distance → weights=length - distance - 1
    Your counts are one too small at every distance. At distance 0 there are `length` pairs, each token with itself.
weights=length - distance → weights=length - distance + 1
    Your counts are one too large at every distance. At distance 0 there are `length` pairs, each token with itself.
weights=length - distance → weights=distance + 1
    Your counts grow with the distance. There are more near pairs than far ones: at distance d there are `length` − d.
weights=length - distance → weights=0 * distance + length
    You give every distance `length` pairs. The first d queries have no key at distance d.
weights=length - distance → weights=2 * (length - distance)
    You count each pair twice. In a causal model the later of two tokens looks at the earlier, and not the other way.
num_buckets=num_buckets, →
    Your result is right for 32 buckets only. `bucket` needs `num_buckets` as well.
, max_distance=max_distance →
    Your result is right for `max_distance` 128 only. `bucket` needs it as well.
, minlength=num_buckets →
    Rows at the end that no pair reads are missing, because `bincount` stops at the largest row it meets. `minlength`
    gives each row its 0.
minlength=num_buckets → minlength=num_buckets + 1
    You return one row too many. There are `num_buckets` of them, numbered from 0.
minlength=num_buckets → minlength=length
    You return one count per token. There is one for each row of the table, `num_buckets` of them.
np.arange(length) → np.arange(1, length)
    Distance 0 is missing. Each token looks at itself as well, and that is bucket 0.
np.arange(length) → np.arange(length - 1)
    The farthest distance, `length` − 1, is missing. The last token looks at the first.
np.arange(length) → np.arange(1, length + 1)
length - distance → length + 1 - distance
    Your distances are one too large. A token is at distance 0 from itself.
np.arange(length) → np.arange(min(length, max_distance))
    Your last bucket ends at `max_distance`. It has no end, because it serves every distance up to `length` − 1.
np.arange(length) → np.arange(min(length, max_distance + 1))
    You leave out the distances past `max_distance`. The last bucket serves them too, up to `length` − 1.
... → counts = 2 * _counted(length, num_buckets, max_distance); counts[0] -= length; return counts
    You count the pairs at distance 1 and more twice. In a causal model the later token looks at the earlier, and not
    the other way.
... → counts = np.zeros(num_buckets); counts[0] = length; return counts
    You count distance 0 only. Is the `return` inside the loop?
... → counts = np.zeros(num_buckets); counts[0] = 1; return counts
    You count the first query only. Is the `return` inside the loop?
... → return _counted(length, num_buckets, max_distance) > 0
    You find which rows are read. The task asks by how many pairs.
... → return np.flatnonzero(_counted(length, num_buckets, max_distance))
    You list the rows that are read. The task asks for one count per row, and 0 where no pair reads it.
... → return np.cumsum(_counted(length, num_buckets, max_distance))
    You return running sums. Each row has its own count.
... → return _counted(length, num_buckets, max_distance) / _counted(length, num_buckets, max_distance).sum()
    You return shares of all pairs. The task asks for the counts.
""",
    alternatives=[_counted, _loops],
    hints=[
        "At distance d there are `length` − d pairs, because queries d, d + 1, …, `length` − 1 have a key that far "
        "back.",
        "The bucket of every distance: `bucket(-np.arange(length), bidirectional=False, num_buckets=…, "
        "max_distance=…)`.",
        "`np.bincount(rows, weights=…, minlength=num_buckets)` sums the weights of each row, and gives 0 to unread "
        "rows.",
    ],
)


@pairs_per_bucket.wrong(
    "Bucket 0 has too many pairs. It also holds the keys after each query, which the causal mask hides, so count "
    "only the pairs with j ≤ i."
)
def _with_the_future(length, num_buckets, max_distance):
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


@pairs_per_bucket.wrong(
    "You count all pairs in an encoder's buckets. The model is causal, so use a decoder's buckets and only keys with "
    "j ≤ i."
)
def _both_ways(length, num_buckets, max_distance):
    rows = bucket(offsets(length), num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


@pairs_per_bucket.wrong(
    "If several distances share a row, only the last one is counted, because `=` overwrites what an earlier distance "
    "put there, and `counts[rows] += …` with a whole array adds only once per row. Use `counts[row] += …` in a loop, "
    "or `np.bincount` or `np.add.at` for arrays."
)
def _assigned_not_added(length, num_buckets, max_distance):
    distance, counts = np.arange(length), np.zeros(num_buckets)
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    counts[rows] += length - distance
    return counts
