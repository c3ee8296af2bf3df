"""Bug hunt: right in a test, wrong in training · 8 minutes · ★★

To save time, this layer keeps its bias for each length. As long as it is tested with one table,
everything is right. In training, the optimizer changes the table after every step, but the layer keeps adding the
bias of the first step. Fix it. Something here depends on the length alone: you may keep that, or keep nothing.

With the tables of two steps, the second bias should be made from the second table. As with a real optimizer, the loop
gets *one* array in every step, with new numbers in it, so its identity `id(table)` does not show that it has changed.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias

from ...shared import KEY, QUERY


def biases_while_learning(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept, biases = {}, []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))  # A bucket depends on key minus query alone.
        bias = np.moveaxis(table[kept[n]], -1, 0)  # Each pair reads the table of this step, and the heads come first.
        biases.append(bias)
    return biases  # Every step has its own bias, and all of them are in the result.


def expected(tables, n):
    return np.stack([t5_bias(n, table=table) for table in tables])


class InTraining(np.ndarray):
    """The tables of a training run. A loop gets one array, whose numbers change as an optimizer's do."""

    def __iter__(self):
        table = np.empty(self.shape[1:])
        for step in np.asarray(self):
            table[...] = step
            yield table


def draw(rng):
    size = int(rng.integers(2, 5)), (8, 32)[rng.integers(2)], int(rng.integers(1, 4))
    return rng.normal(size=size).view(InTraining), int(rng.integers(2, 9))


def steps(seed, count, heads):
    """The tables of `count` training steps, with 32 buckets."""
    return np.random.default_rng(seed).normal(size=(count, 32, heads)).view(InTraining)


BUG = "kept[n] = np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0); bias = kept[n]"
SAME_FIRST = steps(4, 3, 2)
SAME_FIRST[:, 0] = SAME_FIRST[0, 0]  # bucket 0 has not changed, so one number is no key for a cache
SAME_SUM = np.round(4 * steps(6, 3, 2)) / 4  # quarters, so that a sum has no rounding
SAME_SUM[1], SAME_SUM[2] = SAME_SUM[0, ::-1], np.roll(SAME_SUM[0], 5, axis=0)
CASES = [
    Case(steps(0, 2, 1), 5, label="two steps, the five tokens", axes=("step", "head", QUERY, KEY)),
    Case(steps(3, 2, 3), 1, label="one token alone"),
    Case(SAME_FIRST, 6, label="steps that change some buckets only"),
    Case(SAME_SUM, 6, label="steps that only exchange numbers"),
]
WRONG = """
bias = np.moveaxis(tables[0][kept[n]], -1, 0)
# Every step still gets the bias of the first table. The array and its `id` stay, but its numbers change.
bias = np.moveaxis(tables[-1][kept[n]], -1, 0)  # All steps get the last table's bias. Make each bias in the loop
# over `tables`, in a new array. The loop gives the same array again, with the numbers of the next step.
bias = np.moveaxis(tables[max(len(biases) - 1, 0)][kept[n]], -1, 0)
# The bias is one step late: step 1 gets the table of step 0, and so on.
bias = np.moveaxis(np.mean(tables, axis=0)[kept[n]], -1, 0)  # Every step gets the mean of all tables. Each has its own.
bias = np.moveaxis((table - tables[0])[kept[n]], -1, 0)  # This is how far each table has moved. Use the table itself.
bias = kept.setdefault(float(table[0, 0]), np.moveaxis(table[kept[n]], -1, 0))
bias = kept.setdefault(float(table.sum()), np.moveaxis(table[kept[n]], -1, 0))  # You still keep a bias for too long. A
# table may change without its sum or its first number changing. Do not keep a bias at all.
kept[n] = bucket(abs(offsets(n)), num_buckets=len(table))  # Left and right are the same, because the sign is lost.
kept[n] = bucket(n, num_buckets=len(table))  # `bucket(n, …)` is the bucket of one offset. Every pair has its own.
kept[n] = bucket(offsets(n), num_buckets=len(table), bidirectional=False)  # These buckets are a decoder's.
kept[n] = bucket(offsets(n), num_buckets=32)  # Right only for tables of 32 rows. There are `len(table)` buckets.
return biases[0]
return biases[:1]  # You return only the first bias. Return the list with one bias per step, after the loop.
return []  # Your list is empty. Append the bias of each step.
"""
HINTS = [
    "What is in `kept[n]` when the second table comes?",
    "A bias depends on two things: which row each pair reads, and what the rows hold. Which of them is learned?",
    "Keep the rows that `bucket` finds, and look up `table[rows]` for every table.",
]
