r"""The rule in code · 20 minutes · ★★★

Write T5's rule for an array of offsets $j - i$ (a row or a grid), in both modes and for any sizes. Each
direction has $N$ buckets: all of them if `bidirectional` is false, half of them if it is true. $E = N / 2$ of these are
exact. A distance $d \ge E$ falls into

$$E + \left\lfloor \frac{\ln(d/E)}{\ln(\text{max\_distance}/E)} \cdot (N - E) \right\rfloor,
\quad \text{at most } N - 1.$$

With `bidirectional`, a key *after* the query gets $N$ more. Without it, such a key falls into bucket 0. A loop is
fine: go over `offsets.flat`, and end with `.reshape(offsets.shape)`. Or write it for whole arrays. The cases include
boundaries of buckets, so rounding matters.

`t5_buckets(np.array([-20, 0, 1]), True, 32, 128)` is `[10, 0, 17]`, and with `False` it is `[17, 0, 0]`.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.reference.grid import offsets as offset_grid
from course_lib.reference.t5 import bucket

from ..shared import KEY, QUERY


def t5_buckets(offsets, bidirectional, num_buckets, max_distance):
    """T5's bucket of each offset j - i: whole numbers in, the same shape out."""
    if bidirectional:
        # With `bidirectional` each direction gets half of the buckets. The distance of an encoder is |offset|, in both
        # directions.
        n, distance = num_buckets // 2, abs(offsets)
    else:
        # Keys in the past have negative offsets, so it is −offset there. Without `bidirectional` keys after the query
        # have distance 0.
        n, distance = num_buckets, np.maximum(-offsets, 0)
    exact = n // 2  # Half of a direction's N buckets are exact.
    # The ratio in the upper logarithm is d / E, because the logarithm counts from the exact part on. The upper
    # logarithm is ln(d / E). The ratio in the lower logarithm is max_distance / E, because the whole way starts at E.
    # The lower logarithm is ln(max_distance / E), the length of the whole way.
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    # Only N − E are left after the exact ones. The shared bucket is E plus the floor, because the shared buckets
    # follow the exact ones. A bucket is a whole number, and what the logarithm gives is rounded down. The last bucket
    # of a direction is N − 1.
    shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    found = np.where(distance < exact, distance, shared)  # Below E a distance is its own bucket.
    # Only keys after the query get N more, and the token itself stays in bucket 0. With `bidirectional` a key after
    # the query gets N more.
    return found + np.where(bidirectional & (offsets > 0), n, 0)


SOME = np.array([-20, -8, -7, -1, 0, 1, 7, 8, 20])


FAR = np.array([-1000, -128, -113, -112, -91, -90, -50, -20, -16, -12, -10, -8, -7, -1, 0, 1, 7, 8, 12, 50, 91, 1000])


SIZES = (32, 128), (64, 256), (16, 64), (8, 32)


def expected(offsets, bidirectional, num_buckets, max_distance):
    return bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)


def _case(offsets, *sizes, label):
    return Case(offsets, *sizes, label=label, axes=(Axis("offset", [f"{r:+d}" for r in offsets]),))


def _right_near(result, offsets, bidirectional, num_buckets, max_distance):
    distance = abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    near = distance < num_buckets // (4 if bidirectional else 2)
    return np.array_equal(result[near], expected(offsets, bidirectional, num_buckets, max_distance)[near])


INDEX = True


CASES = [
    _case(SOME, True, 32, 128, label="an encoder"),
    _case(SOME, False, 32, 128, label="a decoder"),
    _case(FAR, True, 32, 128, label="an encoder, far offsets"),
    _case(FAR, False, 32, 128, label="a decoder, far offsets"),
    Case(-np.arange(100), False, 32, 256, label="a decoder up to 256", axes=("distance",)),
    Case(-np.arange(80), True, 16, 64, label="an encoder with 16 buckets up to 64", axes=("distance",)),
    _case(np.arange(-40, 41), True, 8, 32, label="an encoder with 8 buckets"),
    Case(offset_grid(5), True, 32, 128, label="the grid of the five tokens", axes=(QUERY, KEY)),
]


def draw(rng):
    return (np.sort(rng.integers(-150, 151, size=12)), bool(rng.integers(2)), *SIZES[rng.integers(4)])


ALWAYS = [
    holds(
        "Near offsets are already wrong. Below E a distance is its own bucket, plus N for an encoder's later keys.",
        _right_near,
    ),
    holds(
        (
            "Near distances are right, but some that share a bucket are not. Print ln(d/E) / ln(max_distance/E) · "
            "(N − E) for distance 20: it is 2.64 in an encoder of 32 buckets up to 128."
        ),
        lambda result, *given: np.array_equal(result, expected(*given)),
    ),
]


WRONG = """
exact = num_buckets // 2  # The exact part is half of one *direction's* buckets. With `bidirectional` that is a quarter
# of `num_buckets`.
exact = num_buckets // 4  # A quarter of `num_buckets` is exact with `bidirectional` only. In general E is half of N.
exact = 8  # 8 exact buckets are right for an encoder with 32. In general E is half of N.
exact = n // 4  # You have too few exact buckets. E is half of N.
shared = np.minimum(exact + part * (n - exact), n - 1)  # The floor is missing, so your far buckets are not whole
# numbers. What the logarithm gives is rounded down.
shared = np.minimum(exact + np.round(part * (n - exact)).astype(int), n - 1)  # You round to the nearest whole number.
# The formula takes the floor.
found = np.where(distance <= exact + 1, distance, shared)  # You keep distances at the border exact for too long. From
# E on the logarithm decides.
part = (np.maximum(distance, exact) - exact) / (max_distance - exact)  # You divide the distances evenly among the
# buckets. It is their logarithms that are divided evenly.
part = np.log2(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)  # You use two bases in one formula,
# log₂ above and ln below. Any base will do, but it must be the same.
part = np.log10(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)  # You use two bases in one
# formula, log₁₀ above and ln below. Any base will do, but it must be the same.
part = np.log(np.maximum(distance, exact) / exact) / np.log2(max_distance / exact)  # You use two bases in one formula,
# ln above and log₂ below. Any base will do, but it must be the same.
part = np.log(np.maximum(distance, exact) / exact) / np.log(128 / exact)  # 128 is fixed in your code. Use
# `max_distance` there.
found = np.minimum(distance, n - 1)  # You give every distance its own bucket until the buckets run out. From E on
# distances share, by the logarithm.
shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), num_buckets - 1)  # You stop far distances at the
# end of the table. With `bidirectional` a direction ends earlier, at N − 1.
return found + np.where(bidirectional & (offsets > 0), n - 1, 0)  # Keys after the query are one bucket too low. They
# get N more, so the next token is in bucket N + 1.
return found + np.where(bidirectional & (offsets > 0), num_buckets, 0)  # You add too much for keys after the query.
# They get N more, half of `num_buckets`.
return found + np.where(offsets > 0, n, 0)  # You add N in both modes. Without `bidirectional` nothing is added: a key
# after the query is in bucket 0.
return found + np.where(offsets > 0, num_buckets // 2, 0)  # You add half of `num_buckets` in both modes. Without
# `bidirectional` keys after the query stay in bucket 0.
return found + np.where(bidirectional & (offsets > 0), 16, 0)  # 16 is fixed in your code. A key after the query gets N
# more, half of `num_buckets`.
return found * np.where(offsets < 0, -1, 1) + np.where(bidirectional & (offsets > 0), n, 0)  # The past has negative
# buckets. A bucket is a row of the table, so its number is 0 or more.
part = (np.log(np.maximum(distance, exact)) - np.log(exact)) / np.log(max_distance / exact)
part = (np.log(np.maximum(distance, exact)) - np.log(exact)) / (np.log(max_distance) - np.log(exact))
# Rounding moves one boundary, because ln d − ln E can fall just below a whole number. Take ln(d / E).
return 0 if offsets > 0 else 1  # An `if` asks about one number, and yours gets an array. Use `np.where`, or a loop
# over `offsets.flat`.
return expected(offsets, bidirectional, num_buckets, max_distance).ravel()  # The buckets are right, but a grid of
# offsets comes back as one row. End with `.reshape(offsets.shape)`.
return expected(-offsets, bidirectional, num_buckets, max_distance)  # You have the buckets of query minus key. An
# offset is key minus query, so the past has negative offsets.
return bucket(offsets, bidirectional=bidirectional)  # Your result is right only for 32 buckets up to 128. Take the
# sizes from `num_buckets` and `max_distance`.
return [expected(offsets.flat[0], bidirectional, num_buckets, max_distance)]  # You return one bucket only, that of
# the first offset. Is the `return` inside the loop?
return expected(offsets, bidirectional, num_buckets, max_distance) * (np.indices(offsets.shape).sum(0) == 0)
# You fill in only the first offset. Is the `return` inside the loop?
shared = np.minimum(exact + np.log(np.maximum(distance, exact) / exact) // (np.log(max_distance / exact) / (n - exact)), n - 1)
# Rounding moves one boundary. Divide and multiply by N − E first, and take the floor last.
"""


HINTS = [
    "Find N and the distance first, because they differ between the modes. Then E = N // 2.",
    "Below E a distance is its own bucket. `np.where(distance < E, distance, …)` chooses for all offsets at once.",
    "The logarithm of 0 is −∞, with a warning. `np.maximum(distance, E)` keeps it away from the near distances.",
    "Last comes `np.minimum(…, N - 1)`, and N more where `offsets > 0`, if `bidirectional`.",
]


def wrong_rows_of_a_grid(offsets, bidirectional, num_buckets, max_distance):
    """Your result is right for a row of offsets. In the last case the offsets are a grid, so use `offsets.flat` and
    restore the grid's shape."""
    return [expected(int(r), bidirectional, num_buckets, max_distance) for r in offsets]


def wrong_conditions_of_a_grid(offsets, bidirectional, num_buckets, max_distance):
    """Your result is right for a row of offsets. In the last case the offsets are a grid, so use `offsets.flat` and
    restore the grid's shape."""
    return [expected(r if r else 0, bidirectional, num_buckets, max_distance) for r in offsets]


def wrong_program_0(offsets, bidirectional, num_buckets, max_distance):
    """Without `bidirectional` a key after the query should fall into bucket 0. You treat it like a key in the past."""
    if bidirectional:
        n, distance = num_buckets // 2, abs(offsets)
    else:
        n, distance = num_buckets, abs(offsets)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)


def wrong_program_1(offsets, bidirectional, num_buckets, max_distance):
    """With `bidirectional` keys after the query get a negative distance. It is |offset|, in both directions."""
    if bidirectional:
        n, distance = num_buckets // 2, -offsets
    else:
        n, distance = num_buckets, np.maximum(-offsets, 0)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)


def wrong_program_2(offsets, bidirectional, num_buckets, max_distance):
    """You halve the buckets in both modes. Without `bidirectional` the past has all `num_buckets`."""
    if bidirectional:
        n, distance = num_buckets // 2, abs(offsets)
    else:
        n, distance = num_buckets // 2, np.maximum(-offsets, 0)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)


def wrong_program_17(offsets, bidirectional, num_buckets, max_distance):
    """You stop far distances at the end of the table. With `bidirectional` a direction ends earlier, at N − 1."""
    if bidirectional:
        n, distance = num_buckets // 2, abs(offsets)
    else:
        n, distance = num_buckets, np.maximum(-offsets, 0)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(
        exact + np.floor(part * (n - exact)).astype(int), np.where(bidirectional & (offsets > 0), n, num_buckets) - 1
    )
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)
