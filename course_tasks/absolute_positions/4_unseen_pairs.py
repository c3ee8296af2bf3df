"""What was never seen · 15 minutes · ★★

A model is trained on texts of `train` tokens and reads one of `test` tokens. How many of the test² pairs
of a query and a key are new to it? Return two counts: with **absolute** positions (the two positions never occurred in one
text) and with **relative** ones (no training text had this offset $j - i$).

With `clip`, all offsets beyond ±clip count as ±clip, in training too; `clip=None` means no clipping. Loops and sets are
fine, but the formulas are short. `unseen_pairs(3, 6)` is `(27, 12)`, as in the picture of the lesson. The test text may
also be the shorter one.
"""

import numpy as np

from course_lib.checking import Case


def unseen_pairs(train, test, clip=None):
    """How many of the test² pairs (query, key) are new after training on `train` tokens.

    Returns (absolute, relative): pairs of positions never seen, and pairs at an offset
    never seen. With `clip`, offsets beyond ±clip count as ±clip.
    """
    # The number of additional tokens is test − train, or 0 if the test text is not longer. A shorter test text has no
    # additional tokens, so test − train counts as 0.
    longer = max(test - train, 0)
    # In a text shorter than the training texts everything was seen, so nothing is new. Training saw all pairs of the
    # positions 0 … train − 1. n queries and n keys make n² pairs.
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)  # There are two corners of 1 + 2 + … + (test − train) pairs.
    # Clipping helps only if the offset ±clip occurred in training. `clip` may be None, and None cannot be compared
    # with a number.
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def expected(train, test, clip=None):
    """Both counts from their definitions: make the sets of what was seen, then look every pair up."""
    i, j = np.arange(test)[:, None], np.arange(test)
    seen = np.arange(1 - train, train)
    if clip is not None:
        seen = np.clip(seen, -clip, clip)
    return int((~((i < train) & (j < train))).sum()), _new(test, clip, seen)


def _new(test, clip, seen):
    """How many pairs are at an offset that is not in `seen`."""
    offset = np.arange(test) - np.arange(test)[:, None]
    return int((~np.isin(offset if clip is None else np.clip(offset, -clip, clip), seen)).sum())


def draw(rng):
    clip = None if rng.random() < 0.5 else int(rng.integers(0, 40))
    return int(rng.integers(1, 30)), int(rng.integers(1, 60)), clip


RETURNS = ("absolute", "relative")


CASES = [
    Case(3, 6, label="train on 3, test on 6"),
    Case(128, 256, label="train on 128, test on 256"),
    Case(100, 101, label="one token longer"),
    Case(8, 8, label="the same length"),
    Case(8, 5, label="a shorter text"),
    Case(3, 8, 2, label="clipped at 2, which training saw"),
    Case(3, 8, 3, label="clipped at 3, which training did not see"),
    Case(3, 8, 5, label="clipped at 5, beyond what training saw"),
    Case(4, 6, 0, label="clipped at 0"),
    Case(1, 4, label="trained on single tokens"),
]


WRONG = """
absolute = longer ** 2  # You count pairs in which both positions are new. A pair with one new position was never seen
# either.
absolute = 2 * longer * min(train, test)  # You count pairs of an old and a new position. Those of two new positions
# are missing.
absolute = longer  # You count the new positions. Count the pairs (query, key) in which one of the two is new.
absolute = longer * test  # You count pairs whose query is new. A new key with an old query was never seen either.
absolute = test ** 2 - train * min(train, test)  # Every pair of the first min(train, test) positions was seen, so
# subtract the square of that number.
absolute = test ** 2 - min(train + 1, test) ** 2  # The position `train` is new. Positions count from 0, so training
# used 0 … train − 1.
longer = test - train; absolute = test ** 2 - train ** 2  # In a shorter text nothing is new, but your absolute count
# falls below 0.
longer = max((test if clip is None else min(clip, test)) - train, 0)  # Clipping does not shorten the text. Its far
# pairs are all there, at the offset ±clip. Did it occur in training?
return (0, 0)  # Your result is always 0, 0. Is something counted before the `return`, or is the `return` inside a
# loop?
return (expected(train, test)[0], _new(test, clip, np.arange(train)))  # Your set of offsets has no negative ones.
# Training had offsets on both sides, with keys before the query as well.
return (expected(train, test)[0], _new(test, clip, np.arange(-train, train)))  # Your set of offsets has one too many,
# −train. Two of `train` tokens are at most train − 1 apart.
return (expected(train, test)[0], _new(test, clip, np.arange(-train, train + 1)))  # Your set of offsets has one too
# many at each end. Two of `train` tokens are at most train − 1 apart.
return (relative, absolute)  # Your two counts are in the wrong order. The absolute one comes first, then the relative
# one.
return (100 * absolute / test ** 2, 100 * relative / test ** 2)  # These are percentages. The numbers of pairs are
# asked for.
return (absolute / test ** 2, relative / test ** 2)  # These are fractions of all pairs. The numbers of pairs are asked
# for.
return (test ** 2 - absolute, test ** 2 - relative)  # You count the pairs that were seen. Count the new ones.
"""


HINTS = [
    "Absolute: the pairs that were seen form a square, the corner of positions below `train`.",
    "Relative: offset r is on a diagonal with test − |r| pairs. Which diagonals are new?",
    "Clipping at k keeps the offsets −k … k. Did ±k itself occur in training?",
]


def wrong_program_0(train, test, clip=None):
    """Each of the two corners is a triangle with 1 + 2 + … + (test − train) pairs. Together that is not (test −
    train)²."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer**2
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_1(train, test, clip=None):
    """You count one corner. There are two, because keys may be too far behind the query or too far ahead of it."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1) // 2
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_2(train, test, clip=None):
    """The offset `train` is new as well. In a text of n tokens the largest offset is n − 1."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer - 1)
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_3(train, test, clip=None):
    """You count how many offsets are new. Count the pairs at these offsets: offset r occurs test − |r| times."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = 2 * longer
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_10(train, test, clip=None):
    """This is half of it. You count each pair of positions once, or only keys up to the query, as with a causal mask.
    Here every query sees every key, and (i, j) and (j, i) are two pairs."""
    longer = max(test - train, 0)
    absolute = (test * (test + 1) - min(train, test) * (min(train, test) + 1)) // 2
    relative = longer * (longer + 1) // 2
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_12(train, test, clip=None):
    """In a shorter text nothing is new, but there test² − train² falls below 0. (And `clip` has no effect yet.)"""
    longer = test - train
    absolute = test**2 - train**2
    relative = longer * (longer + 1)
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_13(train, test, clip=None):
    """In a shorter text nothing is new, but there test² − train² falls below 0. (And if `clip` is as large as `train`,
    the offset ±clip did not occur in training.)"""
    longer = test - train
    absolute = test**2 - train**2
    relative = longer * (longer + 1)
    if clip is not None:
        relative = 0
    return absolute, relative


def wrong_program_14(train, test, clip=None):
    """Relative: each of the two corners has 1 + 2 + … + (test − train) pairs, together not (test − train)². (And
    `clip` has no effect yet.)"""
    longer = test - train
    absolute = test**2 - train**2
    relative = longer**2
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_15(train, test, clip=None):
    """Relative: you count how many offsets are new. Count the pairs at these offsets: offset r occurs test − |r|
    times. (And `clip` has no effect yet.)"""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = 2 * longer
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_16(train, test, clip=None):
    """If `clip` is `train`, the offset ±train remains, and it is new. The largest offset in training is train − 1."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip <= train:
        relative = 0
    return absolute, relative


def wrong_program_17(train, test, clip=None):
    """The clip train − 1 was seen, because it is the largest offset of a training text."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip < train - 1:
        relative = 0
    return absolute, relative


def wrong_program_18(train, test, clip=None):
    """`if clip` is also false for clip = 0. Test `clip is not None`."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_19(train, test, clip=None):
    """Clipping offsets changes nothing for absolute positions, so their count stays."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip < train:
        absolute = relative = 0
    return absolute, relative


def wrong_program_20(train, test, clip=None):
    """`clip` has no effect. If the offset ±clip occurred in training, so did every clipped offset."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_22(train, test, clip=None):
    """Position `train` and offset `train` are new, because training had 0 … train − 1. Compare with ≥ instead of >."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train + 1, test) ** 2
    relative = longer * (longer - 1)
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_23(train, test, clip=None):
    """Position `train` and offset ±`train` are new, because training had 0 … train − 1. Compare with ≥ instead of
    >."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train + 1, test) ** 2
    relative = longer * (longer - 1)
    if clip is not None and clip <= train:
        relative = 0
    return absolute, relative


def wrong_program_24(train, test, clip=None):
    """Position `train` and offset `train` are new, because training had 0 … train − 1. (And `clip` has no effect
    yet.)"""
    longer = max(test - train, 0)
    absolute = test**2 - min(train + 1, test) ** 2
    relative = longer * (longer - 1)
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_25(train, test, clip=None):
    """You count only query 0. Is the `return` inside the loop over the queries?"""
    longer = max(test - train, 0)
    absolute = longer
    relative = longer
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_program_26(train, test, clip=None):
    """You count only query 0. Is the `return` inside the loop over the queries? (And `clip` has no effect yet.)"""
    longer = max(test - train, 0)
    absolute = longer
    relative = longer
    if clip is not None and clip < train:
        pass
    return absolute, relative


def wrong_program_31(train, test, clip=None):
    """Every pair beyond ±clip counts as new, as if only the offsets in training were clipped. In the test text such an
    offset becomes ±clip too, which training may have had."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip < train:
        relative = max(test - clip - 1, 0) * (test - clip)
    return absolute, relative


def wrong_program_36(train, test, clip=None):
    """You count each new offset only once. Count the pairs: test − |r| of them have the offset r."""
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = 2 * (longer if clip is None else max(min(clip, test - 1) - train + 1, 0))
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def wrong_beyond_left_out(train, test, clip=None):
    """Pairs beyond ±clip are still pairs. Their offset becomes ±clip. Did that one occur in training?"""
    size = abs(np.arange(test) - np.arange(test)[:, None])
    return expected(train, test)[0], int(((size >= train) & (size <= (test if clip is None else clip))).sum())
