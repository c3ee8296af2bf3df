r"""The rule in code · 20 minutes · ★★★ · first

Write T5's rule for an array of offsets $j - i$ (a row or a grid), in both modes and for any sizes. Each
direction has $N$ buckets: all of them if `bidirectional` is false, half of them if it is true. $E = N / 2$ of these are
exact. A distance $d \ge E$ falls into

$$E + \left\lfloor \frac{\ln(d/E)}{\ln(\mathrm{max\_distance}/E)} \cdot (N - E) \right\rfloor,
\quad \text{at most } N - 1.$$

With `bidirectional`, a key *after* the query gets $N$ more. Without it, such a key falls into bucket 0. A loop is
fine: go over `offsets.flat`, and end with `.reshape(offsets.shape)`. Or write it for whole arrays. The cases include
boundaries of buckets, so rounding matters.

`t5_buckets(np.array([-20, 0, 1]), True, 32, 128)` is `[10, 0, 17]`, and with `False` it is `[17, 0, 0]`.
"""

import numpy as np

from course_kit.checking import Axis, Case, holds
from course_lib.reference.grid import offsets as offset_grid
from course_lib.reference.t5 import bucket

from ...shared import KEY, QUERY


def t5_buckets(offsets, bidirectional, num_buckets, max_distance):
    """T5's bucket of each offset j - i: whole numbers in, the same shape out."""
    n = num_buckets // 2 if bidirectional else num_buckets  # With `bidirectional` each direction has half of them.
    back = np.maximum(-offsets, 0)  # Offsets into the past are negative, and a decoder's later keys have distance 0.
    distance = abs(offsets) if bidirectional else back  # An encoder's distance counts both ways, a decoder's only back.
    exact = n // 2  # Half of a direction's N buckets are exact.
    far = np.maximum(distance, exact)  # Distances below E have no part in the logarithm.
    part = np.log(far / exact) / np.log(max_distance / exact)  # Both logarithms count from E on, ln(d/E) and ln(max/E).
    steps = np.floor(part * (n - exact)).astype(int)  # N − E buckets are left for the logarithm, which is rounded down.
    shared = np.minimum(exact + steps, n - 1)  # The shared buckets follow the E exact ones, and the last is N − 1.
    found = np.where(distance < exact, distance, shared)  # Below E a distance is its own bucket.
    upper = np.where(bidirectional & (offsets > 0), n, 0)  # Only an encoder's keys after the query get N more.
    return found + upper


def expected(offsets, bidirectional, num_buckets, max_distance):
    return bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)


def draw(rng):
    sizes = [(32, 128), (64, 256), (16, 64), (8, 32)][rng.integers(4)]
    return np.sort(rng.integers(-150, 151, size=12)), bool(rng.integers(2)), *sizes


def case(label, offsets, *sizes):
    return Case(offsets, *sizes, label=label, axes=(Axis("offset", [f"{r:+d}" for r in offsets]),))


def near_is_right(result, offsets, bidirectional, num_buckets, max_distance):
    distance = abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    near = distance < num_buckets // (4 if bidirectional else 2)
    return np.array_equal(result[near], expected(offsets, bidirectional, num_buckets, max_distance)[near])


INDEX = True
SOME = np.array([-20, -8, -7, -1, 0, 1, 7, 8, 20])
FAR = np.array([-1000, -128, -113, -112, -91, -90, -50, -20, -16, -12, -10, -8, -7, -1, 0, 1, 7, 8, 12, 50, 91, 1000])
CASES = [
    case("an encoder", SOME, True, 32, 128),
    case("a decoder", SOME, False, 32, 128),
    case("an encoder, far offsets", FAR, True, 32, 128),
    case("a decoder, far offsets", FAR, False, 32, 128),
    Case(-np.arange(100), False, 32, 256, label="a decoder up to 256", axes=("distance",)),
    Case(-np.arange(80), True, 16, 64, label="an encoder with 16 buckets up to 64", axes=("distance",)),
    case("an encoder with 8 buckets", np.arange(-40, 41), True, 8, 32),
    case("an encoder up to 12", np.arange(-14, 15), True, 32, 12),
    Case(-np.arange(301, 1101, 7), False, 64, 1024, label="a decoder with 64 buckets up to 1,024", axes=("distance",)),
    Case(np.arange(257, 1101, 2), True, 64, 1024, label="an encoder with 64 buckets up to 1,024", axes=("distance",)),
    Case(np.array([-9]), True, 32, 128, label="a single offset"),
    Case(offset_grid(5), True, 32, 128, label="the grid of the five tokens", axes=(QUERY, KEY)),
]
ALWAYS = [
    holds(
        "Near offsets are already wrong. Below E a distance is its own bucket, plus N for an encoder's later keys. "
        "A decoder's later keys are in bucket 0.",
        near_is_right,
    ),
]
WRONG = """
n = num_buckets // 2  # You halve the buckets in both modes. Without `bidirectional` the past has all `num_buckets`.
back = abs(offsets)  # Without `bidirectional` a key after the query falls into bucket 0. You treat it like one before.
distance = -offsets if bidirectional else back  # Your later keys get N − d in an encoder, as with a negative distance.
exact = num_buckets // 2  # The exact part is half of one *direction's* buckets, with `bidirectional` a quarter of all.
exact = num_buckets // 4  # A quarter of `num_buckets` is exact with `bidirectional` only. In general E is half of N.
exact = 8; steps = (part * (n - exact)).astype(int)
exact = 8  # 8 is the E of an encoder with 32 buckets. In general it is half of N.
exact = n // 4  # You have too few exact buckets. E is half of N.
steps = part * (n - exact)  # The floor is missing, so your far buckets are not whole numbers. Round down.
steps = np.round(part * (n - exact)).astype(int)  # You round to the nearest whole number. The formula takes the floor.
found = np.where(distance <= exact + 1, distance, shared)  # You keep too many distances exact. From E on they share.
found = np.minimum(distance, n - 1)  # You give every distance its own bucket until they run out. From E on they share.
far = np.maximum(distance, exact) + 1 - 1e-6  # You cut the borders of the shared buckets down to whole numbers. Each
# bucket begins at the first distance that is not below its border.
far = np.clip(distance, exact, max_distance - 1)
distance = np.minimum(abs(offsets) if bidirectional else back, max_distance - 1)  # Your far distances get
# the bucket of max_distance − 1, but the last one may begin at max_distance. Limit the bucket, not the distance.
part = (far - exact) / (max_distance - exact)  # You divide the distances evenly. It is their logarithms that are.
part = np.log(far / exact) / np.log(max_distance)  # You divide by ln(max_distance). It is ln(max_distance / E).
part = np.log2(far / exact) / np.log(max_distance / exact)
part = np.log10(far / exact) / np.log(max_distance / exact)
part = np.log(far / exact) / np.log2(max_distance / exact)  # You use two bases in one formula. Take the same in both.
part = (np.log(far) - np.log(exact)) / np.log(max_distance / exact)
part = (np.log(far) - np.log(exact)) / (np.log(max_distance) - np.log(exact))  # Rounding moves one boundary, because
# ln d − ln E can fall just below a whole number. Take ln(d / E).
steps = np.log(far / exact) // (np.log(max_distance / exact) / (n - exact))  # Rounding moves one boundary. First
# divide the two logarithms, then multiply by N − E, and take the floor last.
shared = np.minimum(steps, n - 1)  # Your shared buckets begin at 0. They follow the exact ones, so add E.
shared = exact + steps  # Your numbers have no limit. Far distances share the last bucket of a direction, N − 1.
shared = np.minimum(exact + steps, np.where(offsets > 0, n, num_buckets) - 1)
# You stop far distances at the end of the table. With `bidirectional` a direction ends earlier, at N − 1.
upper = np.where(bidirectional & (offsets > 0), num_buckets, 0)  # Your later keys get too much. They get N more.
upper = np.where(bidirectional & (offsets < 0), n, 0)  # You add N for keys before the query, not for those after it.
upper = np.where(bidirectional & (offsets >= 0), n, 0)  # You add N for offset 0, too. Only a later key gets it.
upper = 0  # Keys before and after the query share buckets. With `bidirectional` a later key gets N more.
upper = np.where(offsets > 0, n, 0)
upper = np.where(offsets > 0, num_buckets // 2, 0)  # You add something in both modes. A decoder adds nothing.
upper = np.where(bidirectional & (offsets > 0), 16, 0)  # 16 is fixed in your code. A key after the query gets N more.
return found * np.where(offsets < 0, -1, 1) + upper  # The past has negative buckets. A bucket is a row, 0 or more.
found = distance if distance < exact else shared
return 0 if offsets > 0 else 1  # `if`, `and`, `min` and `max` ask about one number, and yours got an array. Use
# `np.where`, `np.maximum` and the like, or a loop.
return (found + upper).ravel()  # A grid of offsets comes back as one row. End with `.reshape(offsets.shape)`.
return [expected(int(r), bidirectional, num_buckets, max_distance) for r in offsets]
return [expected(r if r else 0, bidirectional, num_buckets, max_distance) for r in offsets]
# Your result is right for a row of offsets. For a grid, use `offsets.flat` and restore the shape.
return expected(-offsets, bidirectional, num_buckets, max_distance)  # These are the buckets of query minus key. An
# offset is key minus query, so the past has negative offsets.
return bucket(offsets, bidirectional=bidirectional)  # Right only for 32 buckets up to 128. Use the given sizes.
return (found + upper).flat[:1]
return (found + upper) * (np.indices(offsets.shape).sum(0) == 0)
# You fill in only the first offset. If you loop, is the `return` inside?
"""
HINTS = [
    "Find N and the distance first, because they differ between the modes. Then E = N // 2.",
    "Below E a distance is its own bucket. `np.where(distance < E, distance, …)` chooses for all offsets at once.",
    "The logarithm of 0 is −∞, with a warning. `np.maximum(distance, E)` keeps it away from the near distances.",
    "Last comes `np.minimum(…, N - 1)`, and N more where `offsets > 0`, if `bidirectional`.",
]
