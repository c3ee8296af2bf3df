"""Bug hunt: right in a test, wrong in training."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias

from ..shared import KEY, QUERY
from .given import InTraining

AXES = ("step", "head", "query", "key")


def _biases_while_learning(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(table[kept[n]], -1, 0))
    return biases


def _biases_while_learning_given(tables, n):
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


biases_while_learning = CodingTask(
    title="Bug hunt: right in a test, wrong in training",
    minutes=8,
    difficulty=2,
    words="""To save time, this layer keeps its bias for each length. As long as it is tested with one table,
everything is right. In training, the optimizer changes the table after every step, but the layer keeps adding the
bias of the first step. Fix it. Something here depends on the length alone: you may keep that, or keep nothing.

With the tables of two steps, the second bias should be made from the second table. As with a real optimizer, the loop gets
*one* array in every step, with new numbers in it, so its identity `id(table)` does not show that it has changed.""",
    solution=_biases_while_learning,
    starter=_biases_while_learning_given,
    expected=lambda tables, n: np.stack([t5_bias(n, table=table) for table in tables]),
    cases=[
        Case(_steps(0, 2, 1), 5, label="two steps, the five tokens", axes=("step", "head", QUERY, KEY)),
        Case(_steps(1, 3, 2), 5, label="three steps, two heads", axes=("step", "head", QUERY, KEY)),
        Case(_steps(2, 1, 2), 5, label="one step", axes=("step", "head", QUERY, KEY)),
        Case(_steps(3, 2, 3), 1, label="one token alone", axes=AXES),
        Case(_same_first_entry(4), 6, label="steps that change some buckets only", axes=AXES),
        Case(_same_sum(6), 6, label="steps that only exchange numbers", axes=AXES),
        Case(_steps(5, 2, 1), 30, label="30 tokens", axes=AXES),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(2, 5)), (8, 32)[rng.integers(2)], int(rng.integers(1, 4)))).view(InTraining),
        int(rng.integers(2, 9)),
    ),
    pieces="""
n not in kept
    the test for a known length: The buckets are computed once for each length.
offsets(n)
    the grid of offsets: The bucket of every pair depends on key minus query.
bucket(offsets(n), num_buckets=len(table))
    the look-up of the buckets: Each pair reads the row of its bucket.
len(table)
    the number of buckets: It is the number of rows of the table.
np.moveaxis(table[kept[n]], -1, 0)
    the move of the head axis: `table[rows]` is (query, key, head), and the heads should come first.
0
    the new place of the head axis: The heads come first, (head, query, key).
-1
    the old place of the head axis: In `table[rows]` the heads come last, so their axis is −1.
biases.append(np.moveaxis(table[kept[n]], -1, 0))
    the `append`: Every step has its own bias, and all of them are in the result.
""",
    slips="""
table[kept[n]] → tables[0][kept[n]]
    Every step still gets the bias of the first table. The array stays the same, and so does its `id`, but its
    numbers change. Only the bucket of each offset may be kept.
np.moveaxis(table[kept[n]], -1, 0) → np.moveaxis(tables[-1][kept[n]], -1, 0)
    Every step gets the bias of the last table. Look each one up inside the loop, before the table changes again, and
    append a new array each time, not one array that you fill again.
np.moveaxis(table[kept[n]], -1, 0) → np.moveaxis(tables[max(len(biases) - 1, 0)][kept[n]], -1, 0)
    The bias is one step late: step 1 gets the table of step 0, and so on.
np.moveaxis(table[kept[n]], -1, 0) → np.moveaxis(sum(tables)[kept[n]] / len(tables), -1, 0)
    Every step gets the mean of all tables. Each has its own: `table` is the one of this step.
np.moveaxis(table[kept[n]], -1, 0) → np.moveaxis((table - tables[0])[kept[n]], -1, 0)
    This is how far each table has moved since the first step. Make the bias from the table itself.
bucket(offsets(n), → bucket(-offsets(n),
    You exchanged query and key, so each bias is the transpose of the right one.
bucket(offsets(n), → bucket(abs(offsets(n)),
    Left and right are the same, because the sign of the offset is lost before `bucket` gets it.
offsets(n) → n
    `bucket(n, …)` is the bucket of one offset. A bias needs the bucket of every pair, so use `offsets(n)`.
num_buckets=len(table) → num_buckets=len(table), bidirectional=False
    These are a decoder's buckets. An encoder looks both ways.
num_buckets=len(table) → num_buckets=32
    Your result is right only for tables of 32 rows. The table tells how many buckets there are, `len(table)`.
return biases → return biases[-1]
    You return only the last bias. Return the list, with one bias per step.
return biases → return biases[0]
    You return only the first bias. Return the list, with one bias per step.
""",
    alternatives=[
        lambda tables, n: [t5_bias(n, table=table) for table in tables],
        lambda tables, n: np.stack([t5_bias(n, table=tables[step]) for step in range(len(tables))]),
        lambda tables, n: np.moveaxis(
            tables[:, bucket(np.arange(n) - np.arange(n)[:, None], num_buckets=tables.shape[1])], -1, 1
        ),
    ],
    hints=[
        "What is in `kept[n]` when the second table comes?",
        "A bias depends on two things: which row each pair reads, and what the rows hold. Which of them is learned?",
        "Keep `rows`, and look up `table[rows]` for every table.",
    ],
)

for one_number, why in (
    (lambda table: table[0, 0], "A table may change without its first entry changing."),
    (np.sum, "The numbers of a table may change without their sum changing."),
):

    @biases_while_learning.wrong(f"You still keep a bias for too long. {why} Do not keep a bias at all.")
    def _kept_by_one_number(tables, n, one_number=one_number):
        kept: dict[float, np.ndarray] = {}
        return [kept.setdefault(float(one_number(table)), t5_bias(n, table=table)) for table in tables]
