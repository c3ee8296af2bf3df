"""What a training length reaches · 10 minutes · ★★

A row of T5's table learns only if some pair of a training text reads it. For a **causal** model that is
trained on texts of `length` tokens, count for each row how many pairs (query, key) of one text read it. A query looks
at itself and at every key before it. A count of 0 means that this row is never trained, so a longer text reads its
random initial value.

In a text of n tokens, how many pairs are at distance 0, how many at distance 1, at distance n − 1? `bucket` is the
library's.

When you are done, compare `max_distance` 256 and 64 at length 128, the two tables of the study: four rows of
the first are never trained, and none of the second. From which distance on does a longer text read them?
"""

import numpy as np

from course_kit.checking import Case, holds
from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket


def pairs_per_bucket(length, num_buckets, max_distance):
    """How many pairs (query, key) of one text read each row of a causal T5 table, (num_buckets,).

    The text has `length` tokens; a query looks at itself and at every key before it.
    """
    # The distances are 0, from a token to itself, to `length` − 1, from the last to the first.
    distance = np.arange(length)
    pairs = length - distance  # At distance d there are `length` − d pairs, one for every query from position d on.
    # `bucket` finds the row that an offset reads, and a key before its query has a negative offset, −distance.
    rows = bucket(-distance, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    # Each row adds up the pairs that read it, or has 0.
    counts = np.bincount(rows, weights=pairs, minlength=num_buckets)
    return counts  # There is one count for each of the `num_buckets` rows.


def expected(length, num_buckets, max_distance):
    """Every visible pair, looked up and counted."""
    rows = bucket(offsets(length), bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
    return np.array([int((rows[causal_mask(length)] == b).sum()) for b in range(num_buckets)])


def draw(rng):
    return (int(rng.integers(2, 30)), *SIZES[rng.integers(len(SIZES))])


AXES = ("bucket",)
SIZES = ((32, 128), (32, 32), (16, 64), (8, 20))
CASES = [
    Case(5, 32, 128, label="the five tokens"),
    Case(128, 32, 256, label="the study's length, `max_distance` 256"),
    Case(128, 32, 64, label="the study's length, `max_distance` 64"),
    Case(1, 32, 128, label="one token alone"),
    Case(30, 8, 20, label="8 buckets"),
]
NEGATIVE = "A count cannot be negative. At distance d there are `length` − d pairs, and d ends at `length` − 1."
ALWAYS = [holds(NEGATIVE, lambda counts, *_: (np.asarray(counts) >= 0).all())]
WRONG = """
distance = length  # You use `length` as the only distance. There are the distances 0 … `length` − 1.
rows = distance  # You take the distance itself as the row. Far distances share rows, and `bucket` finds them.
rows = bucket(-distance, num_buckets=num_buckets, max_distance=max_distance)  # You leave `bidirectional` at True, so keys
# before the query have half of the rows only. The table is causal: pass `bidirectional=False`.
rows = np.minimum(distance, num_buckets - 1)  # Here far distances share rows by their logarithm: use `bucket`.
pairs = distance ** 0  # You count each distance once, as the last query does. Each distance d has `length` − d pairs.
pairs = distance + 1  # Your counts grow with the distance. At distance d there are `length` − d pairs.
pairs = length + 0 * distance  # You give every distance `length` pairs. The first d queries have no key at distance d.
pairs = 2 * (length - distance)
pairs = 2 * (length - distance) - length * (distance == 0)  # You count pairs twice. A causal query sees no later key.
pairs = length - distance + (distance == 0) * length * (length - 1) // 2  # Your bucket 0 also holds the keys after each
# query. The causal mask hides them, so count only the pairs with j ≤ i.
rows = bucket(offsets(length), num_buckets=num_buckets, max_distance=max_distance).ravel(); pairs = None
# You count all pairs in an encoder's buckets. The model is causal: take a decoder's buckets, and only keys with j ≤ i.
pairs = length * (distance == 0)  # You count one pair per query, in row 0. If you have a loop, look at where its `return` is.
pairs = 1 * (distance == 0)  # You count one pair only. If you have a loop, look at where its `return` is.
rows = bucket(-distance, bidirectional=False, max_distance=max_distance)  # `bucket` needs `num_buckets` as well.
distance = np.arange(1, length)  # Distance 0 is missing. Each token looks at itself as well, and that is bucket 0.
distance = np.arange(1, length + 1); pairs = length + 1 - distance  # A token is at distance 0 from itself, not 1.
distance = np.arange(min(length, max_distance))
distance = np.arange(min(length, max_distance + 1))  # You leave out far distances. They go up to `length` − 1.
counts = np.bincount(rows, weights=pairs)  # Rows at the end that no pair reads are missing. `minlength` gives them a 0.
counts = np.zeros(num_buckets); counts[rows] += pairs  # `counts[rows] += …` adds once per row. `np.bincount` adds all.
return counts > 0  # You find which rows are read. The task asks by how many pairs.
return np.flatnonzero(counts)  # You list the rows that are read. The task asks for one count per row.
return np.cumsum(counts)  # You return running sums. Each row has its own count.
return counts / counts.sum()  # You return shares of all pairs. The task asks for the counts.
"""
HINTS = [
    "At distance d there are `length` − d pairs, because queries d, d + 1, …, `length` − 1 have a key that far back.",
    "The bucket of every distance: `bucket(-np.arange(length), bidirectional=False, num_buckets=…, max_distance=…)`.",
    "`np.bincount(rows, weights=…, minlength=num_buckets)` sums the weights of each row, and gives 0 to unread rows.",
]
