"""From which distance on a scheme says the same for every key: its last piece of news."""

import numpy as np

from ...reference.alibi import slopes
from ...reference.bias import decay_row
from ...reference.t5 import bucket
from ..engine import Case, Mistake, Task


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
    """The smallest d behind which there is one kind of row."""
    rows = [tuple(row) for row in np.asarray(known).tolist()]
    others = [d for d, row in enumerate(rows) if len({row, rows[-1]}) > 1]
    return max(others, default=-1) + 1


def _with_numpy(known):
    other = np.flatnonzero((known != known[-1]).any(axis=1))
    return other[-1] + 1 if len(other) else 0


def _neighbours(known):
    """From the end each row may as well be held against the next."""
    for d in range(len(known) - 1, 0, -1):
        if (known[d - 1] != known[d]).any():
            return d
    return 0


def _walking(known):
    d = len(known) - 1
    while d > 0 and (known[d - 1] == known[-1]).all():
        d -= 1
    return d


def _first_repeat(known):
    """The first distance that is not told from the next."""
    for d in range(len(known) - 1):
        if (known[d] == known[d + 1]).all():
            return d
    return len(known) - 1


def _second_of_the_first_repeat(known):
    """The first distance that looks like the one before it."""
    for d in range(1, len(known)):
        if (known[d] == known[d - 1]).all():
            return d
    return len(known) - 1


def _first_repeat_or_m(known):
    d = _first_repeat(known)
    return d if d < len(known) - 1 else len(known)


def _first_that_equals_the_last(known):
    return next(d for d in range(len(known)) if (known[d] == known[-1]).all())


def _kinds(known):
    return len(np.unique(known, axis=0))


def _last_kind(known):
    return len(np.unique(known, axis=0)) - 1


def _equal_rows(known):
    return len(known) - _by_sets(known)


def _equal_to_the_last(known):
    return int((known == known[-1]).all(axis=1).sum())


def _one_column(known):
    return _by_sets(np.asarray(known)[:, :1])


def _largest(known):
    return int(np.argmax(np.asarray(known)[:, 0]))


def _smallest(known):
    return int(np.argmin(np.asarray(known)[:, 0]))


def _never_is_m(known):
    d = _by_sets(known)
    return len(known) if d == len(known) - 1 else d


def _never_is_minus_one(known):
    d = _by_sets(known)
    return -1 if d == len(known) - 1 else d


def _nearly_alike(known):
    """The distance from which on the numbers differ by little."""
    close = np.isclose(known, known[-1], rtol=0.05, atol=0.05).all(axis=1)
    other = np.flatnonzero(~close)
    return int(other[-1]) + 1 if len(other) else 0


def _close(atol):
    def wrong(known):
        d = len(known) - 1
        while d > 0 and np.allclose(known[d - 1], known[-1], atol=atol):
            d -= 1
        return d

    return wrong


def _unguarded(differs):
    def wrong(known):
        return np.flatnonzero(differs(np.asarray(known)))[-1] + 1

    return wrong


def _guarded(differs):
    def wrong(known):
        other = np.flatnonzero(differs(np.asarray(known)))
        return other[-1] + 1 if len(other) else 0

    return wrong


def _differ_within(known):
    return np.diff(known).any(axis=1)


def _one_flag_too_few(known):
    return (known[1:] != known[:-1]).any(axis=1)


def _over_the_front(known):
    d = len(known) - 1
    while (known[d] == known[-1]).all():
        d -= 1
    return d + 1


def _by_one_number(summary):
    """Each row by one number that it holds."""
    return lambda known: _by_sets(summary(np.asarray(known))[:, None])


def _without_all(known):
    return int(np.argmax(known == known[-1]))


def _column(numbers):
    return np.asarray(numbers, float)[:, None]


def _clipped(m, k, c, seed=0):
    """Shaw's vectors, clipped at k."""
    return np.random.default_rng(seed).normal(size=(k + 1, c)).round(2)[np.minimum(np.arange(m), k)]


def _two_heads(*sights):
    """Heads that tell distances apart up to a sight of their own."""
    return np.stack([np.minimum(np.arange(30.0), sight) for sight in sights], axis=1)


_D = np.arange(200)
_PLATEAU = _column([0, -1, -1, -1, -2, -2])


def _random_steps(rng):
    """Some rows, each repeated some times."""
    kinds = rng.integers(-3, 3, size=(int(rng.integers(1, 6)), int(rng.integers(1, 4))))
    return (np.repeat(kinds, rng.integers(1, 5, size=len(kinds)), axis=0).astype(float),)


blind_from = Task(
    title="What saturates, and what never does",
    minutes=8,
    difficulty=2,
    words="""Some schemes stop telling distances apart: for all keys far enough away they know one and the same thing. Given
what a scheme knows about the distances 0 … m − 1, a row of numbers for each (the bucket, the penalty of each head, a
vector), find the first distance from which on **all** rows are equal. If even the last row differs from the one before
it, that is m − 1: the scheme has told everything apart up to the end.

Two distances may look alike and a later one different again: a decoder's bucket 16 serves
the distances 16, 17 and 18.""",
    solution=_blind_from,
    expected=_by_sets,
    cases=[
        Case(_column(bucket(-_D, bidirectional=False)), says="T5's causal buckets, 32 and 128"),
        Case(_column(bucket(-_D)), says="an encoder's buckets for the past, 32 and 128"),
        Case(_column(bucket(-_D, bidirectional=False, max_distance=32)), says="T5's causal buckets, 32 and 32"),
        Case(_clipped(64, 16, 3), says="Shaw's vectors clipped at 16"),
        Case(-slopes(4) * _D[:, None], says="ALiBi's four heads"),
        Case(_column(decay_row(_D)), says="the log decay, which differs by less and less"),
        Case(np.zeros((40, 2)), says="no position at all"),
        Case(_PLATEAU, says="a step that is no end"),
        Case(_column([2, 0, 0, 0]), says="a scheme that knows the token itself and no other"),
        Case(_column(np.arange(20) % 4), says="a clock of period 4"),
        Case(_two_heads(5, 12), says="two heads, the second of which sees farther"),
        Case(_two_heads(12, 5), says="two heads, the first of which sees farther"),
        Case(_column([7.0]), says="one distance alone"),
        Case(np.array([[0, 1], [1, 0], [1, 0], [1, 0]]), says="two heads that change places after distance 0"),
        Case(np.array([[0, 4], [1, 3], [3, 1], [3, 1]]), says="two heads whose numbers have the same sum"),
        Case(
            np.array([[0, 3, 1], [3, 1, 1], [1, 3, 1], [1, 3, 1]]),
            says="three heads, whose largest and smallest number stay the same",
        ),
        Case(
            _column(decay_row(np.arange(400), scale=0.001)), says="a log decay so weak that far rows are nearly equal"
        ),
    ],
    draw=_random_steps,
    mistakes=[
        Mistake(
            lambda known: [_by_sets(np.asarray(known)[:, [k]]) for k in range(np.shape(known)[1])],
            "This is a distance for each column. One is asked for, from which on all columns stay: the largest of yours.",
        ),
        Mistake("len(known) - 1, 0, -1", "1, 0, -1", "Your loop looks at distance 1 and no other."),
        Mistake(
            "known[d - 1]", "known[1 - d]", "1 − d counts from the end of the array. The row before row d is row d − 1."
        ),
        Mistake("known[d - 1]", "known[1]", "You ask row 1 at every step. The row before row d is row d − 1."),
        Mistake(
            _first_repeat,
            "This is the first distance that looks like the next. Later ones may differ again: look from the end.",
        ),
        Mistake(
            _second_of_the_first_repeat,
            "This is the first distance that looks like the one before it. Later ones may differ again: look from the end.",
        ),
        Mistake(
            _first_repeat_or_m,
            "This is the first distance that looks like the next, and m where there is none. Later ones may differ again: look from the end; and the last of m rows is m − 1.",
        ),
        Mistake(
            _first_that_equals_the_last,
            "This is the first row that equals the last one. In between there may be others: a clock comes round again and again.",
        ),
        Mistake(
            "return d", "return d + 1", "One too large: the row found is the first of the equal ones, and the answer."
        ),
        Mistake(
            "known[d - 1]",
            "known[d]",
            "One too small: this row is the last that differs. The answer is the distance after it.",
        ),
        Mistake(
            "known[d - 1]",
            "known[d - 2]",
            "You look two rows back: when row d − 2 is different, row d − 1 may still be equal to the last.",
        ),
        Mistake(
            "known[d - 1] != known[-1]",
            "known[d - 1] != known[0]",
            "You compare with distance 0. Far distances are compared with the last.",
        ),
        Mistake(
            "known[-1]", "known[1]", "You compare with distance 1. Far distances are compared with the last, row −1."
        ),
        Mistake(
            "known[d - 1] != known[-1]",
            "known[d - 1] == known[-1]",
            "The comparison is turned round: go back as long as the row before is *equal* to the last.",
        ),
        Mistake(
            "(known[d - 1] != known[-1]).any()",
            "(known[d - 1] != known[-1]).all()",
            "One equal number is enough for you. Two distances look alike when *all* their numbers are equal.",
        ),
        Mistake(
            "(known[d - 1] != known[-1]).any()",
            "known[d - 1] != known[-1]",
            "A comparison of two rows gives a truth value for each number: join them, with `.any()` or `.all()`.",
        ),
        Mistake(
            "range(len(known) - 1, 0, -1)",
            "range(1, len(known))",
            "You begin in front and stop at the first row that differs from the last. Begin at the end, or go on to the last such row.",
        ),
        Mistake(
            "len(known) - 1, 0, -1",
            "len(known) - 1, 1, -1",
            "Your loop ends before distance 1: `range(a, b, -1)` stops one before b.",
        ),
        Mistake(
            "len(known) - 1, 0, -1",
            "len(known) - 2, 0, -1",
            "When even the last two rows differ the answer is m − 1, and yours stops short of it: begin with the last row, and compare with the last.",
        ),
        Mistake(
            "len(known) - 1, 0, -1",
            "len(known) - 1, 0",
            "Your answer is 0 in every case. With `.any()`, one equal number is enough for two rows to look alike: all must be equal. And a `range` that counts down is empty without the step −1.",
        ),
        Mistake("len(known) - 1, 0, -1", "len(known) - 1, 0, -2", "You go back two rows at a time."),
        Mistake(
            "len(known) - 1, 0, -1",
            "len(known) + 1, 0, -1",
            "You begin behind the last row: it is row `len(known)` − 1.",
        ),
        Mistake("len(known)", "known", "`range` counts: it needs the number of rows, `len(known)`."),
        Mistake("return 0", "return len(known) - 1", "Where no two rows differ, a scheme is blind from distance 0 on."),
        Mistake("return 0", "return -1", "Where no two rows differ, a scheme is blind from distance 0 on, not −1."),
        Mistake("return 0", "return 1", "Where no two rows differ, a scheme is blind from distance 0 on, not 1."),
        Mistake(
            "return d", "return known[d]", "This is what the scheme knows there. The task asks for the distance itself."
        ),
        Mistake(
            _kinds, "This counts the different rows. The task asks for the distance at which the last of them begins."
        ),
        Mistake(
            _last_kind,
            "This is the number of the last kind of row, such as the last bucket. The task asks for the distance at which it begins.",
        ),
        Mistake(
            _equal_rows, "This counts the equal rows at the end. The task asks for the distance at which they begin."
        ),
        Mistake(
            _equal_to_the_last,
            "This counts the rows that are equal to the last one. The task asks for the distance at which they begin.",
        ),
        Mistake(_one_column, "You look at the first column alone. Another head may still tell distances apart."),
        Mistake(
            _largest,
            "This is where the largest number stands. A scheme may go up, down or to and fro: compare whole rows.",
        ),
        Mistake(
            _smallest,
            "This is where the smallest number stands. A scheme may go up, down or to and fro: compare whole rows.",
        ),
        Mistake(
            _never_is_m,
            "When everything is told apart the answer is m − 1: from the last distance on there is only one row.",
        ),
        Mistake(
            _never_is_minus_one,
            "When everything is told apart the answer is m − 1, not −1: from the last distance on there is only one row.",
        ),
        *(
            Mistake(
                _close(atol),
                f"`np.allclose(…, atol={atol:g})` takes numbers for equal that differ by less than {atol:g}. Nearly equal is not equal.",
            )
            for atol in (1e-2, 1e-3, 1e-4, 1e-5)
        ),
        Mistake(
            _unguarded(_one_flag_too_few),
            "Right where some row differs. Where none does, your list is empty: there the answer is 0.",
        ),
        Mistake(
            lambda known: np.flatnonzero((known != known[-1]).any(axis=1)).max() + 1,
            "Right where some row differs. Where none does, there is nothing to take the largest of: there the answer is 0.",
        ),
        Mistake(
            _over_the_front,
            "Right where some row differs. Where none does, your loop runs over the front: it must stop at 0.",
        ),
        Mistake(
            lambda known: np.unique(known, axis=0, return_index=True)[1].max(),
            "`np.unique` tells where each row is met for the first time. A row may come again later: look from the end.",
        ),
        Mistake(
            _unguarded(_differ_within),
            "`np.diff` takes the differences within each row here, from head to head. From row to row it is `axis=0`.",
        ),
        Mistake(
            _guarded(_differ_within),
            "`np.diff` without `axis=0` takes the differences within each row, from head to head, and a row of one number has none.",
        ),
        Mistake(
            _without_all,
            "Without `.all(axis=1)` `np.argmax` counts numbers and not rows; and it finds the first row that equals the last one, where later ones may differ again.",
        ),
        *(
            Mistake(
                _by_one_number(summary),
                f"You compare the {name} of each row. Two rows can have the same one and differ: compare all their numbers.",
            )
            for name, summary in {
                "sum (or the mean)": lambda known: known.sum(axis=1),
                "largest number": lambda known: known.max(axis=1),
                "smallest number": lambda known: known.min(axis=1),
            }.items()
        ),
        Mistake(
            lambda known: _by_sets(np.sort(known, axis=1)),
            "You compare the rows sorted, or as sets. Each number belongs to its head: (0, 1) is not (1, 0).",
        ),
        Mistake(_nearly_alike, "Nearly equal is not equal: the log decay differs by less and less, and never stops."),
    ],
    alternatives=[_with_numpy, _neighbours, _walking],
    hints=[
        "Go back from the last row for as long as the row before is equal to it.",
        "Two rows differ when some of their numbers do: `(known[d - 1] != known[-1]).any()`.",
        "T5's causal buckets must give 113, an encoder's 91, Shaw's clipping its k.",
    ],
)
