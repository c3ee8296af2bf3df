"""Bug hunt: right in a test, wrong in training · 8 minutes · ★★

To save time, this layer keeps its bias for each length. As long as it is tested with one table,
everything is right. In training, the optimizer changes the table after every step, but the layer keeps adding the
bias of the first step. Fix it. Something here depends on the length alone: you may keep that, or keep nothing.

With the tables of two steps, the second bias should be made from the second table. As with a real optimizer, the loop gets
*one* array in every step, with new numbers in it, so its identity `id(table)` does not show that it has changed.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias

from ..shared import KEY, QUERY
from .given import InTraining


def biases_while_learning(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:  # The buckets are computed once for each length.
            # The bucket of every pair depends on key minus query. Each pair reads the row of its bucket. The number of
            # buckets is the number of rows of the table.
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        # `table[rows]` is (query, key, head), and the heads should come first. The heads come first, (head, query,
        # key). In `table[rows]` the heads come last, so their axis is −1. Every step has its own bias, and all of them
        # are in the result.
        biases.append(np.moveaxis(table[kept[n]], -1, 0))
    return biases


AXES = ("step", "head", "query", "key")


def given(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            rows = bucket(offsets(n), num_buckets=len(table))
            kept[n] = np.moveaxis(table[rows], -1, 0)
        biases.append(kept[n])
    return biases


def _steps(seed, steps, heads, num_buckets=32):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(steps, num_buckets, heads)).round(2).view(InTraining)


def _same_first_entry(seed):
    tables = _steps(seed, 3, 2)
    tables[:, 0] = tables[0, 0]  # bucket 0 has not changed, so one number is no key for a cache
    return tables


def _same_sum(seed):
    """Each step has the numbers of the first in another order. They are quarters, so that a sum has no rounding."""
    tables = np.repeat(np.round(4 * _steps(seed, 1, 2)) / 4, 3, axis=0)
    tables[1], tables[2] = tables[0, ::-1], np.roll(tables[0], 5, axis=0)
    return tables


def expected(tables, n):
    return np.stack([t5_bias(n, table=table) for table in tables])


CASES = [
    Case(_steps(0, 2, 1), 5, label="two steps, the five tokens", axes=("step", "head", QUERY, KEY)),
    Case(_steps(1, 3, 2), 5, label="three steps, two heads", axes=("step", "head", QUERY, KEY)),
    Case(_steps(2, 1, 2), 5, label="one step", axes=("step", "head", QUERY, KEY)),
    Case(_steps(3, 2, 3), 1, label="one token alone", axes=AXES),
    Case(_same_first_entry(4), 6, label="steps that change some buckets only", axes=AXES),
    Case(_same_sum(6), 6, label="steps that only exchange numbers", axes=AXES),
    Case(_steps(5, 2, 1), 30, label="30 tokens", axes=AXES),
]


def draw(rng):
    return (
        rng.normal(size=(int(rng.integers(2, 5)), (8, 32)[rng.integers(2)], int(rng.integers(1, 4)))).view(InTraining),
        int(rng.integers(2, 9)),
    )


WRONG = """
kept[n] = bucket(-offsets(n), num_buckets=len(table))  # You exchanged query and key, so each bias is the transpose of
# the right one.
kept[n] = bucket(abs(offsets(n)), num_buckets=len(table))  # Left and right are the same, because the sign of the
# offset is lost before `bucket` gets it.
kept[n] = bucket(n, num_buckets=len(table))  # `bucket(n, …)` is the bucket of one offset. A bias needs the bucket of
# every pair, so use `offsets(n)`.
kept[n] = bucket(offsets(n), num_buckets=len(table), bidirectional=False)  # These are a decoder's buckets. An encoder
# looks both ways.
kept[n] = bucket(offsets(n), num_buckets=32)  # Your result is right only for tables of 32 rows. The table tells how
# many buckets there are, `len(table)`.
return biases[-1]  # You return only the last bias. Return the list, with one bias per step.
return biases[0]  # You return only the first bias. Return the list, with one bias per step.
"""


HINTS = [
    "What is in `kept[n]` when the second table comes?",
    "A bias depends on two things: which row each pair reads, and what the rows hold. Which of them is learned?",
    "Keep `rows`, and look up `table[rows]` for every table.",
]


def wrong_kept_by_the_first_entry(tables, n):
    """You still keep a bias for too long. A table may change without its first entry changing. Do not keep a bias at
    all."""
    kept: dict[float, np.ndarray] = {}
    return [kept.setdefault(float(table[0, 0]), t5_bias(n, table=table)) for table in tables]


def wrong_kept_by_the_sum(tables, n):
    """You still keep a bias for too long. The numbers of a table may change without their sum changing. Do not keep a
    bias at all."""
    kept: dict[float, np.ndarray] = {}
    return [kept.setdefault(float(np.sum(table)), t5_bias(n, table=table)) for table in tables]


def wrong_program_0(tables, n):
    """Every step still gets the bias of the first table. The array stays the same, and so does its `id`, but its
    numbers change. Only the bucket of each offset may be kept."""
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(tables[0][kept[n]], -1, 0))
    return biases


def wrong_program_1(tables, n):
    """Every step gets the bias of the last table. Look each one up inside the loop, before the table changes again,
    and append a new array each time, not one array that you fill again."""
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(tables[-1][kept[n]], -1, 0))
    return biases


def wrong_program_2(tables, n):
    """The bias is one step late: step 1 gets the table of step 0, and so on."""
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(tables[max(len(biases) - 1, 0)][kept[n]], -1, 0))
    return biases


def wrong_program_3(tables, n):
    """Every step gets the mean of all tables. Each has its own: `table` is the one of this step."""
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(sum(tables)[kept[n]] / len(tables), -1, 0))
    return biases


def wrong_program_4(tables, n):
    """This is how far each table has moved since the first step. Make the bias from the table itself."""
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis((table - tables[0])[kept[n]], -1, 0))
    return biases


def right_in_one_line(tables, n):
    return [t5_bias(n, table=table) for table in tables]


def right_in_another_way(tables, n):
    return np.stack([t5_bias(n, table=tables[step]) for step in range(len(tables))])


def right_in_a_third_way(tables, n):
    return np.moveaxis(tables[:, bucket(np.arange(n) - np.arange(n)[:, None], num_buckets=tables.shape[1])], -1, 1)
