"""What a training length reaches · 10 minutes · ★★

A row of T5's table learns only if some pair of a training text reads it. For a **causal** model that is
trained on texts of `length` tokens, count for each row how many pairs (query, key) of one text read it. A query looks
at itself and at every key before it. A count of 0 means that this row is never trained, so a longer text reads its
random initial value.

In a text of n tokens, how many pairs are at distance 0, how many at distance 1, at distance n − 1? `bucket` is the
library's. When you are done, compare `max_distance` 256 and 64 at length 128, the two tables of the study: four rows of
the first are never trained, and none of the second. From which distance on does a longer text read them?
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket


def pairs_per_bucket(length, num_buckets, max_distance):
    """How many pairs (query, key) of one text read each row of a causal T5 table, (num_buckets,).

    The text has `length` tokens; a query looks at itself and at every key before it.
    """
    # The distances are 0, 1, …, `length` − 1, because a token looks at itself and the last token at the first. At
    # distance d there are `length` − d pairs, because every query from position d on has one. The distances are 0, 1,
    # …, `length` − 1, and at distance d there are `length` − d pairs.
    distance = np.arange(length)
    # A key before its query has a negative offset, −distance, and for a decoder positive ones are the future. This
    # model is causal, so all buckets are for the past. An offset is not a row of the table, and `bucket` finds the row
    # that it reads. `max_distance` belongs to the table, as the third argument of your function.
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    # At distance d there are `length` − d pairs, because every query from position d on has one. The table has
    # `num_buckets` rows, and `bucket` needs that number too. The count has one entry per row of the table, the number
    # of pairs that read it.
    return np.bincount(rows, weights=length - distance, minlength=num_buckets)


def expected(length, num_buckets, max_distance):
    """Every visible pair, looked up and counted."""
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.array([int((rows[causal_mask(length)] == b).sum()) for b in range(num_buckets)])


_SIZES = ((32, 128), (32, 32), (16, 64), (8, 20))


CASES = [
    Case(5, 32, 128, label="the five tokens"),
    Case(128, 32, 256, label="the study's length, `max_distance` 256"),
    Case(128, 32, 64, label="the study's length, `max_distance` 64"),
    Case(1, 32, 128, label="one token alone"),
    Case(30, 8, 20, label="8 buckets"),
    Case(60, 16, 64, label="a length that reaches every bucket"),
]


def draw(rng):
    return (int(rng.integers(2, 30)), *_SIZES[rng.integers(len(_SIZES))])


AXES = ("bucket",)


ALWAYS = [
    holds(
        "A count cannot be negative. At distance d there are `length` − d pairs, and d ends at `length` − 1.",
        lambda counts, *_: (np.asarray(counts) >= 0).all(),
    ),
]


WRONG = """
distance = length  # `bincount` needs one number for each distance 0 … `length` − 1, but `length` is a single number.
rows = distance  # You take the distance itself as the row. Far distances share rows, and `bucket` finds them.
rows = np.minimum(distance, num_buckets - 1)  # You clip: each distance has its own row, and all that are farther share
# the last. In T5 far distances share rows by their logarithm, and `bucket` finds them.
return np.bincount(rows, minlength=num_buckets)  # You count each distance once, which is what the last query sees. At
# distance d there are `length` − d pairs, because every query from position d on has one.
return np.bincount(rows, weights=length - distance - 1, minlength=num_buckets)  # Your counts are one too small at
# every distance. At distance 0 there are `length` pairs, each token with itself.
return np.bincount(rows, weights=length - distance + 1, minlength=num_buckets)  # Your counts are one too large at
# every distance. At distance 0 there are `length` pairs, each token with itself.
return np.bincount(rows, weights=distance + 1, minlength=num_buckets)  # Your counts grow with the distance. There are
# more near pairs than far ones: at distance d there are `length` − d.
return np.bincount(rows, weights=0 * distance + length, minlength=num_buckets)  # You give every distance `length`
# pairs. The first d queries have no key at distance d.
return np.bincount(rows, weights=2 * (length - distance), minlength=num_buckets)  # You count each pair twice. In a
# causal model the later of two tokens looks at the earlier, and not the other way.
rows = bucket(-distance, bidirectional=False, max_distance=max_distance)  # Your result is right for 32 buckets only.
# `bucket` needs `num_buckets` as well.
rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets)  # Your result is right for `max_distance` 128
# only. `bucket` needs it as well.
return np.bincount(rows, weights=length - distance)  # Rows at the end that no pair reads are missing, because
# `bincount` stops at the largest row it meets. `minlength` gives each row its 0.
return np.bincount(rows, weights=length - distance, minlength=num_buckets + 1)  # You return one row too many. There
# are `num_buckets` of them, numbered from 0.
return np.bincount(rows, weights=length - distance, minlength=length)  # You return one count per token. There is one
# for each row of the table, `num_buckets` of them.
distance = np.arange(1, length)  # Distance 0 is missing. Each token looks at itself as well, and that is bucket 0.
distance = np.arange(length - 1)  # The farthest distance, `length` − 1, is missing. The last token looks at the first.
distance = np.arange(min(length, max_distance))  # Your last bucket ends at `max_distance`. It has no end, because it
# serves every distance up to `length` − 1.
distance = np.arange(min(length, max_distance + 1))  # You leave out the distances past `max_distance`. The last bucket
# serves them too, up to `length` − 1.
return expected(length, num_buckets, max_distance) > 0  # You find which rows are read. The task asks by how many
# pairs.
return np.flatnonzero(expected(length, num_buckets, max_distance))  # You list the rows that are read. The task asks
# for one count per row, and 0 where no pair reads it.
return np.cumsum(expected(length, num_buckets, max_distance))  # You return running sums. Each row has its own count.
return expected(length, num_buckets, max_distance) / expected(length, num_buckets, max_distance).sum()
# You return shares of all pairs. The task asks for the counts.
"""


HINTS = [
    "At distance d there are `length` − d pairs, because queries d, d + 1, …, `length` − 1 have a key that far back.",
    "The bucket of every distance: `bucket(-np.arange(length), bidirectional=False, num_buckets=…, max_distance=…)`.",
    "`np.bincount(rows, weights=…, minlength=num_buckets)` sums the weights of each row, and gives 0 to unread rows.",
]


def wrong_program_16(length, num_buckets, max_distance):
    """Your distances are one too large. A token is at distance 0 from itself."""
    distance = np.arange(1, length + 1)
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows, weights=length + 1 - distance, minlength=num_buckets)


def wrong_program_19(length, num_buckets, max_distance):
    """You count the pairs at distance 1 and more twice. In a causal model the later token looks at the earlier, and
    not the other way."""
    counts = 2 * expected(length, num_buckets, max_distance)
    counts[0] -= length
    return counts


def wrong_program_20(length, num_buckets, max_distance):
    """You count distance 0 only. Is the `return` inside the loop?"""
    counts = np.zeros(num_buckets)
    counts[0] = length
    return counts


def wrong_program_21(length, num_buckets, max_distance):
    """You count the first query only. Is the `return` inside the loop?"""
    counts = np.zeros(num_buckets)
    counts[0] = 1
    return counts


def wrong_with_the_future(length, num_buckets, max_distance):
    """Bucket 0 has too many pairs. It also holds the keys after each query, which the causal mask hides, so count only
    the pairs with j ≤ i."""
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


def wrong_both_ways(length, num_buckets, max_distance):
    """You count all pairs in an encoder's buckets. The model is causal, so use a decoder's buckets and only keys with
    j ≤ i."""
    rows = bucket(offsets(length), num_buckets=num_buckets, max_distance=max_distance)
    return np.bincount(rows.ravel(), minlength=num_buckets)


def wrong_assigned_not_added(length, num_buckets, max_distance):
    """If several distances share a row, only the last one is counted, because `=` overwrites what an earlier distance
    put there, and `counts[rows] += …` with a whole array adds only once per row. Use `counts[row] += …` in a loop, or
    `np.bincount` or `np.add.at` for arrays."""
    distance, counts = np.arange(length), np.zeros(num_buckets)
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    counts[rows] += length - distance
    return counts


def right_loops(length, num_buckets, max_distance):
    counts = np.zeros(num_buckets)
    for i in range(length):
        for j in range(i + 1):
            row = bucket(j - i, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
            counts[row] += 1
    return counts
