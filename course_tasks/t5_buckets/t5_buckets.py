"""The rule in code."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.grid import offsets as offset_grid
from course_lib.reference.t5 import bucket

from ..shared import KEY, QUERY

SOME = np.array([-20, -8, -7, -1, 0, 1, 7, 8, 20])
FAR = np.array([-1000, -128, -113, -112, -91, -90, -50, -20, -16, -12, -10, -8, -7, -1, 0, 1, 7, 8, 12, 50, 91, 1000])
SIZES = (32, 128), (64, 256), (16, 64), (8, 32)


def _t5_buckets(offsets, bidirectional, num_buckets, max_distance):
    """T5's bucket of each offset j - i: whole numbers in, the same shape out."""
    if bidirectional:
        n, distance = num_buckets // 2, abs(offsets)
    else:
        n, distance = num_buckets, np.maximum(-offsets, 0)
    exact = n // 2
    part = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    shared = np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    found = np.where(distance < exact, distance, shared)
    return found + np.where(bidirectional & (offsets > 0), n, 0)


def _expected(offsets, bidirectional, num_buckets, max_distance):
    return bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)


def _case(offsets, *sizes, label):
    return Case(offsets, *sizes, label=label, axes=(Axis("offset", [f"{r:+d}" for r in offsets]),))


def _right_near(result, offsets, bidirectional, num_buckets, max_distance):
    distance = abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    near = distance < num_buckets // (4 if bidirectional else 2)
    return np.array_equal(result[near], _expected(offsets, bidirectional, num_buckets, max_distance)[near])


t5_buckets = CodingTask(
    title="The rule in code",
    minutes=20,
    difficulty=3,
    words=r"""Write T5's rule for an array of offsets $j - i$ (a row or a grid), in both modes and for any sizes. Each
direction has $N$ buckets: all of them if `bidirectional` is false, half of them if it is true. $E = N / 2$ of these are
exact. A distance $d \ge E$ falls into

$$E + \left\lfloor \frac{\ln(d/E)}{\ln(\text{max\_distance}/E)} \cdot (N - E) \right\rfloor,
\quad \text{at most } N - 1.$$

With `bidirectional`, a key *after* the query gets $N$ more. Without it, such a key falls into bucket 0. A loop is
fine: go over `offsets.flat`, and end with `.reshape(offsets.shape)`. Or write it for whole arrays. The cases include
boundaries of buckets, so rounding matters.

`t5_buckets(np.array([-20, 0, 1]), True, 32, 128)` is `[10, 0, 17]`, and with `False` it is `[17, 0, 0]`.""",
    solution=_t5_buckets,
    index=True,
    expected=_expected,
    cases=[
        _case(SOME, True, 32, 128, label="an encoder"),
        _case(SOME, False, 32, 128, label="a decoder"),
        _case(FAR, True, 32, 128, label="an encoder, far offsets"),
        _case(FAR, False, 32, 128, label="a decoder, far offsets"),
        Case(-np.arange(100), False, 32, 256, label="a decoder up to 256", axes=("distance",)),
        Case(-np.arange(80), True, 16, 64, label="an encoder with 16 buckets up to 64", axes=("distance",)),
        _case(np.arange(-40, 41), True, 8, 32, label="an encoder with 8 buckets"),
        Case(offset_grid(5), True, 32, 128, label="the grid of the five tokens", axes=(QUERY, KEY)),
    ],
    draw=lambda rng: (np.sort(rng.integers(-150, 151, size=12)), bool(rng.integers(2)), *SIZES[rng.integers(4)]),
    properties=[
        Property(
            "exact where near",
            _right_near,
            "Near offsets are already wrong. Below E a distance is its own bucket, plus N for an encoder's later keys.",
        ),
        Property(
            "shared where far",
            lambda result, *given: np.array_equal(result, _expected(*given)),
            "Near distances are right, but some that share a bucket are not. Print ln(d/E) / ln(max_distance/E) · "
            "(N − E) for distance 20: it is 2.64 in an encoder of 32 buckets up to 128.",
        ),
    ],
    pieces="""
num_buckets // 2
    N of an encoder: With `bidirectional` each direction gets half of the buckets.
-offsets
    the distance of a decoder: Keys in the past have negative offsets, so it is −offset there.
np.maximum(-offsets, 0)
    the lower limit of a decoder's distance: Without `bidirectional` keys after the query have distance 0.
abs(offsets)
    the distance of an encoder: It is |offset|, in both directions.
n // 2
    E: Half of a direction's N buckets are exact.
np.maximum(distance, exact) / exact
    the ratio in the upper logarithm: It is d / E, because the logarithm counts from the exact part on.
np.log(np.maximum(distance, exact) / exact)
    the upper logarithm: It is ln(d / E).
max_distance / exact
    the ratio in the lower logarithm: It is max_distance / E, because the whole way starts at E.
np.log(max_distance / exact)
    the lower logarithm: It is ln(max_distance / E), the length of the whole way.
n - exact
    the number of shared buckets: Only N − E are left after the exact ones.
exact + np.floor(part * (n - exact)).astype(int)
    the shared bucket: It is E plus the floor, because the shared buckets follow the exact ones.
np.floor(part * (n - exact))
    the floor: A bucket is a whole number, and what the logarithm gives is rounded down.
n - 1
    the limit for far distances: The last bucket of a direction is N − 1.
np.minimum(exact + np.floor(part * (n - exact)).astype(int), n - 1)
    the limit for far distances: The last bucket of a direction is N − 1.
np.where(distance < exact, distance, shared)
    the choice between exact and shared: Below E a distance is its own bucket.
offsets > 0
    the test for later keys: Only keys after the query get N more, and the token itself stays in bucket 0.
np.where(bidirectional & (offsets > 0), n, 0)
    the shift of later keys: With `bidirectional` a key after the query gets N more.
""",
    slips="""
np.maximum(-offsets, 0) → abs(offsets)
    Without `bidirectional` a key after the query should fall into bucket 0. You treat it like a key in the past.
abs(offsets) → -offsets
    With `bidirectional` keys after the query get a negative distance. It is |offset|, in both directions.
n, distance = num_buckets, np → n, distance = num_buckets // 2, np
    You halve the buckets in both modes. Without `bidirectional` the past has all `num_buckets`.
exact = n // 2 → exact = num_buckets // 2
    The exact part is half of one *direction's* buckets. With `bidirectional` that is a quarter of `num_buckets`.
exact = n // 2 → exact = num_buckets // 4
    A quarter of `num_buckets` is exact with `bidirectional` only. In general E is half of N.
exact = n // 2 → exact = 8
    8 exact buckets are right for an encoder with 32. In general E is half of N.
exact = n // 2 → exact = n // 4
    You have too few exact buckets. E is half of N.
np.floor(part * (n - exact)).astype(int) → part * (n - exact)
    The floor is missing, so your far buckets are not whole numbers. What the logarithm gives is rounded down.
np.floor(part * (n - exact)) → np.round(part * (n - exact))
    You round to the nearest whole number. The formula takes the floor.
distance < exact → distance <= exact + 1
    You keep distances at the border exact for too long. From E on the logarithm decides.
np.log(np.maximum(distance, exact) / exact) → (np.maximum(distance, exact) - exact)
np.log(max_distance / exact) → (max_distance - exact)
    You divide the distances evenly among the buckets. It is their logarithms that are divided evenly.
np.log(np.maximum(distance, exact) / exact) → np.log2(np.maximum(distance, exact) / exact)
    You use two bases in one formula, log₂ above and ln below. Any base will do, but it must be the same.
np.log(np.maximum(distance, exact) / exact) → np.log10(np.maximum(distance, exact) / exact)
    You use two bases in one formula, log₁₀ above and ln below. Any base will do, but it must be the same.
np.log(max_distance / exact) → np.log2(max_distance / exact)
    You use two bases in one formula, ln above and log₂ below. Any base will do, but it must be the same.
np.log(max_distance / exact) → np.log(128 / exact)
    128 is fixed in your code. Use `max_distance` there.
np.where(distance < exact, distance, shared) → np.minimum(distance, n - 1)
    You give every distance its own bucket until the buckets run out. From E on distances share, by the logarithm.
, n - 1) → , num_buckets - 1)
or , n - 1) → , np.where(bidirectional & (offsets > 0), n, num_buckets) - 1)
    You stop far distances at the end of the table. With `bidirectional` a direction ends earlier, at N − 1.
np.where(bidirectional & (offsets > 0), n, 0) → np.where(bidirectional & (offsets > 0), n - 1, 0)
    Keys after the query are one bucket too low. They get N more, so the next token is in bucket N + 1.
np.where(bidirectional & (offsets > 0), n, 0) → np.where(bidirectional & (offsets > 0), num_buckets, 0)
    You add too much for keys after the query. They get N more, half of `num_buckets`.
np.where(bidirectional & (offsets > 0), n, 0) → np.where(offsets > 0, n, 0)
    You add N in both modes. Without `bidirectional` nothing is added: a key after the query is in bucket 0.
np.where(bidirectional & (offsets > 0), n, 0) → np.where(offsets > 0, num_buckets // 2, 0)
    You add half of `num_buckets` in both modes. Without `bidirectional` keys after the query stay in bucket 0.
np.where(bidirectional & (offsets > 0), n, 0) → np.where(bidirectional & (offsets > 0), 16, 0)
    16 is fixed in your code. A key after the query gets N more, half of `num_buckets`.
found + → found * np.where(offsets < 0, -1, 1) +
    The past has negative buckets. A bucket is a row of the table, so its number is 0 or more.
np.log(np.maximum(distance, exact) / exact) → (np.log(np.maximum(distance, exact)) - np.log(exact))
or np.log(np.maximum(distance, exact) / exact) → (np.log(np.maximum(distance, exact)) - np.log(exact))
np.log(max_distance / exact) → (np.log(max_distance) - np.log(exact))
    Rounding moves one boundary, because ln d − ln E can fall just below a whole number. Take ln(d / E).
... → return 0 if offsets > 0 else 1
    An `if` asks about one number, and yours gets an array. Use `np.where`, or a loop over `offsets.flat`.
... → return _expected(offsets, bidirectional, num_buckets, max_distance).ravel()
    The buckets are right, but a grid of offsets comes back as one row. End with `.reshape(offsets.shape)`.
... → return _expected(-offsets, bidirectional, num_buckets, max_distance)
    You have the buckets of query minus key. An offset is key minus query, so the past has negative offsets.
... → return bucket(offsets, bidirectional=bidirectional)
    Your result is right only for 32 buckets up to 128. Take the sizes from `num_buckets` and `max_distance`.
... → return [_expected(offsets.flat[0], bidirectional, num_buckets, max_distance)]
    You return one bucket only, that of the first offset. Is the `return` inside the loop?
... → return _expected(offsets, bidirectional, num_buckets, max_distance) * (np.indices(offsets.shape).sum(0) == 0)
    You fill in only the first offset. Is the `return` inside the loop?
""",
    alternatives=[_expected],
    hints=[
        "Find N and the distance first, because they differ between the modes. Then E = N // 2.",
        "Below E a distance is its own bucket. `np.where(distance < E, distance, …)` chooses for all offsets at once.",
        "The logarithm of 0 is −∞, with a warning. `np.maximum(distance, E)` keeps it away from the near distances.",
        "Last comes `np.minimum(…, N - 1)`, and N more where `offsets > 0`, if `bidirectional`.",
    ],
)

DIVIDED = "np.log(np.maximum(distance, exact) / exact) // (np.log(max_distance / exact) / (n - exact))"
divided = t5_buckets.source.variant([("np.floor(part * (n - exact)).astype(int)", DIVIDED)])
ROUNDING = "Rounding moves one boundary. Divide and multiply by N − E first, and take the floor last."
t5_buckets.wrong(ROUNDING)(divided)
for bucket_of, message in ((_expected, "Your result is right for a row of offsets."), (divided, ROUNDING)):
    for fails in (bool, int, lambda row: abs(row.tolist())):  # as a loop over the rows of a grid does
        t5_buckets.wrong(
            f"{message} In the last case the offsets are a grid, so use `offsets.flat` and restore the grid's shape."
        )(lambda offsets, *sizes, of=bucket_of, fails=fails: [(fails(r), of(r, *sizes))[1] for r in offsets])
