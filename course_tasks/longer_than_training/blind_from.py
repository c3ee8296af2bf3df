"""What saturates, and what never does."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.reference.alibi import slopes
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket


def _blind_from(known):
    """The first distance from which on no two distances are told apart.

    known (m, c): row d holds the c numbers that a scheme knows about distance d. If the last distance
    differs from the one before it, the answer is m - 1.
    """
    for d in range(len(known) - 1, 0, -1):
        if (known[d - 1] != known[-1]).any():
            return d
    return 0


def _by_sets(known):
    """The smallest d from which on all rows are the same."""
    rows = [tuple(row) for row in np.asarray(known).tolist()]
    others = [d for d, row in enumerate(rows) if len({row, rows[-1]}) > 1]
    return max(others, default=-1) + 1


def _walking(known):
    d = len(known) - 1
    while d > 0 and (known[d - 1] == known[-1]).all():
        d -= 1
    return d


def _after_last(differs):
    """One more than the number of the last row that differs, or 0."""
    return max(np.flatnonzero(differs), default=-1) + 1


def _column(numbers):
    return np.asarray(numbers, float)[:, None]


def _clipped(m, k, c):
    """Shaw's vectors, clipped at k."""
    return np.random.default_rng(0).normal(size=(k + 1, c)).round(2)[np.minimum(np.arange(m), k)]


def _two_heads(*sights):
    """Each head tells distances apart up to its own limit."""
    return np.stack([np.minimum(np.arange(30.0), sight) for sight in sights], axis=1)


def _random_steps(rng):
    """A few different rows, each of them repeated up to four times."""
    rows = rng.integers(-3, 3, size=(int(rng.integers(1, 6)), int(rng.integers(1, 4))))
    return (np.repeat(rows, rng.integers(1, 5, size=len(rows)), axis=0).astype(float),)


_D = np.arange(200)

blind_from = CodingTask(
    title="What saturates, and what never does",
    minutes=8,
    difficulty=2,
    words="""Some schemes stop telling distances apart: they treat all keys that are far enough away in the same way.
`known` has one row per distance 0 … m − 1: whatever numbers a scheme uses for that distance (the bucket, the penalty of
each head, a vector). Find the first distance from which on **all** rows are equal. If even the last row differs from
the one before it, the answer is m − 1, because the scheme tells all distances apart.

Two distances may look alike and a later one may differ again. For example, a decoder's bucket 16 serves the distances
16, 17 and 18.""",
    solution=_blind_from,
    expected=_by_sets,
    cases=[
        Case(_column(bucket(-_D, bidirectional=False)), label="T5's causal buckets, 32 and 128"),
        Case(_column(bucket(-_D)), label="an encoder's buckets for the past, 32 and 128"),
        Case(_column(bucket(-_D, bidirectional=False, max_distance=32)), label="T5's causal buckets, 32 and 32"),
        Case(_clipped(64, 16, 3), label="Shaw's vectors clipped at 16"),
        Case(-slopes(4) * _D[:, None], label="ALiBi's four heads"),
        Case(_column(decay_row(_D)), label="the log decay, which differs by less and less"),
        Case(np.zeros((40, 2)), label="no position at all"),
        Case(_column([0, -1, -1, -1, -2, -2]), label="equal rows, and a step after them"),
        Case(_column([2, 0, 0, 0]), label="a scheme that knows the token itself and no other"),
        Case(_column(np.arange(20) % 4), label="a clock of period 4"),
        Case(_two_heads(5, 12), label="two heads, the second of which sees farther"),
        Case(_two_heads(12, 5), label="two heads, the first of which sees farther"),
        Case(_column([7.0]), label="one distance alone"),
        Case(np.array([[0, 1], [1, 0], [1, 0], [1, 0]]), label="two heads that change places after distance 0"),
        Case(np.array([[0, 4], [1, 3], [3, 1], [3, 1]]), label="two heads whose numbers have the same sum"),
        Case(np.array([[0, 3, 1], [3, 1, 1], [1, 3, 1], [1, 3, 1]]), label="three heads with the same extremes"),
        Case(_column(decay_row(np.arange(400), scale=0.001)), label="a very weak log decay"),
    ],
    draw=_random_steps,
    pieces="""
d - 1
    the index of the row before: The row before row d is row d − 1.
known[d - 1]
    the row before: It is compared with the last row. When the two differ, d is the answer.
known[-1]
    the last row: Far distances are compared with the last row, number −1.
known[d - 1] != known[-1]
    the comparison: Go back for as long as the row before is equal to the last one.
(known[d - 1] != known[-1]).any()
    the test of two rows: Two rows differ when at least one of their numbers does.
len(known) - 1
    the start of the loop: The loop goes back from the last row, which has the number len(known) − 1.
len(known)
    the number of rows: It is m, `len(known)`.
""",
    slips="""
return d → return d + 1
    Your answer is one too large. The answer is the distance of the first of the equal rows.
known[d - 1] → known[d]
    Your answer is one too small. It is the last row that differs, and the task asks for the distance after it.
known[-1] → known[0]
    You compare with distance 0. Compare with the last row, because the question is about far distances.
(known[d - 1] != known[-1]).any() → known[d - 1] != known[-1]
    Comparing two rows gives one truth value per number. Join them with `.any()` or `.all()`.
range(len(known) - 1, 0, -1) → range(1, len(known))
    You begin at the front and stop at the first row that differs from the last. Begin at the end, or continue to the
    last such row.
len(known) - 1, 0, -1 → 1, 0, -1
    Your loop looks at distance 1 only. It should go back from the last row.
len(known) - 1, 0, -1 → len(known) - 1, 1, -1
    Your loop ends before distance 1, because `range(a, b, -1)` stops one before b.
len(known) - 1, 0, -1 → len(known) - 1, 0
    Your answer is always 0. Either your `range` has no step −1 and is empty, or one equal number is enough for two rows
    to look alike (`.any()` instead of `.all()`).
len(known) - 1, 0, -1 → len(known) - 1, -len(known) - 1, -1
    Your loop does not stop at row 0. If no row differs, it runs past the front, and the answer is 0.
return 0 → return len(known) - 1
    If no two rows differ, the scheme is blind from distance 0 on.
return d → return known[d]
    You return what the scheme knows about that distance. The task asks for the distance itself.
... → return [_by_sets(known[:, [k]]) for k in range(known.shape[1])]
    You return one distance per column. The answer is a single distance, from which on no column changes any more.
... → return next((d for d in range(len(known) - 1) if (known[d] == known[d + 1]).all()), len(known) - 1)
    This is the first distance that looks like the next. Later ones may differ again, so look from the end.
... → return next((d for d in range(1, len(known)) if (known[d] == known[d - 1]).all()), len(known) - 1)
    This is the first distance that looks like the one before it. Later ones may differ again, so look from the end.
... → return next((d for d in range(len(known) - 1) if (known[d] == known[d + 1]).all()), len(known))
    This is the first distance that looks like the next, or m if there is none. Later ones may differ again, so look
    from the end. If all rows differ, the answer is m − 1.
... → return next(d for d in range(len(known)) if (known[d] == known[-1]).all())
    This is the first row that equals the last one. Different rows may follow it, as with the clock of period 4.
... → return len(np.unique(known, axis=0))
    You count the different rows. The task asks for the distance at which the last of them begins.
... → return len(np.unique(known, axis=0)) - 1
    You return the last bucket (one less than the number of different rows). Return the distance at which it begins.
... → return len(known) - _by_sets(known)
    You count the equal rows at the end. The task asks for the distance at which they begin.
... → return int((known == known[-1]).all(axis=1).sum())
    You count the rows that are equal to the last one. The task asks for the distance at which they begin.
... → return _by_sets(known[:, :1])
    You look at the first column only. Another head may still tell distances apart.
... → return int(np.argmax(known[:, 0]))
    This is where the largest number lies. A scheme may also go down, or up and down, so compare whole rows.
... → return int(np.argmin(known[:, 0]))
    This is where the smallest number lies. A scheme may also go up, or up and down, so compare whole rows.
... → d = _by_sets(known); return -1 if d == len(known) - 1 else d
    If all distances are told apart, the answer is m − 1, not −1, because the last row is equal to itself only.
... → return np.flatnonzero((known[1:] != known[:-1]).any(axis=1))[-1] + 1
    Your answer is right if some row differs. If no row does, your list of such rows is empty, and the answer is 0.
... → return np.flatnonzero((known != known[-1]).any(axis=1)).max() + 1
    Your answer is right if some row differs. If no row does, there is nothing to take the largest of. Return 0 then.
... → return np.unique(known, axis=0, return_index=True)[1].max()
    `np.unique` finds where each row occurs for the first time. A row may come again later, so look from the end.
... → return np.flatnonzero(np.diff(known).any(axis=1))[-1] + 1
    `np.diff` takes differences within each row here, from head to head. From row to row it needs `axis=0`.
... → return _after_last(np.diff(known).any(axis=1))
    `np.diff` without `axis=0` takes differences within each row, from head to head, and a row of one number has none.
... → return int(np.argmax(known == known[-1]))
    Without `.all(axis=1)`, `np.argmax` counts numbers instead of rows. It also finds the first row that equals the
    last one, and later ones may differ again.
... → return _by_sets(known.sum(axis=1)[:, None])
    You compare the sum (or the mean) of each row. Two different rows can have the same sum, so compare all numbers.
... → return _by_sets(known.max(axis=1)[:, None])
    You compare the largest number of each row. Two different rows can share it, so compare all numbers.
... → return _by_sets(known.min(axis=1)[:, None])
    You compare the smallest number of each row. Two different rows can share it, so compare all numbers.
... → return _by_sets(np.sort(known, axis=1))
    You compare the rows sorted, or as sets. Each number belongs to its head, so (0, 1) differs from (1, 0).
""",
    alternatives=[_walking, lambda known: _after_last(np.diff(known, axis=0).any(axis=1))],
    hints=[
        "Go back from the last row for as long as the row before is equal to it.",
        "Two rows differ when some of their numbers do: `(known[d - 1] != known[-1]).any()`.",
        "T5's causal buckets must give 113, an encoder's 91, Shaw's clipping its k.",
    ],
)


for options in ({"atol": 1e-2}, {"atol": 1e-3}, {"atol": 1e-4}, {"atol": 1e-5}, {"rtol": 0.05, "atol": 0.05}):
    blind_from.wrong("You count nearly equal numbers as equal. The log decay changes by less and less, but always.")(
        lambda known, options=options: _after_last(~np.isclose(known, known[-1], **options).all(axis=1))
    )
