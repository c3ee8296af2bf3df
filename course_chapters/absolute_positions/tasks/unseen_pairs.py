"""What was never seen · 15 minutes · ★★

A model is trained on texts of `train` tokens and reads one of `test` tokens. How many of the test² pairs
of a query and a key are new to it? Return two counts: with **absolute** positions (the two positions never occurred in
one text) and with **relative** ones (no training text had this offset $j - i$).

With `clip`, all offsets beyond ±clip count as ±clip, in training too; `clip=None` means no clipping. Loops and sets are
fine, but the formulas are short. `unseen_pairs(3, 6)` is `(27, 12)`, which is 75 % and a third of the 36 pairs. The
test text may also be the shorter one.
"""

import numpy as np

from course_kit.checking import Case


def unseen_pairs(train, test, clip=None):
    """How many of the test² pairs (query, key) are new after training on `train` tokens.

    Returns (absolute, relative): pairs of positions never seen, and pairs at an offset never seen. With `clip`,
    offsets beyond ±clip count as ±clip.
    """
    longer = max(test - train, 0)  # A test text that is not longer has 0 additional tokens.
    absolute = test**2 - min(train, test) ** 2  # Training saw all pairs of the positions 0 … train − 1, a square.
    corners = longer * (longer + 1)  # The new offsets are in two corners of 1 + 2 + … + (test − train) pairs.
    covered = clip is not None and clip < train  # The largest offset in training is train − 1, so ±clip was among them.
    relative = 0 if covered else corners  # If the offset ±clip occurred in training, every clipped offset did.
    return absolute, relative


def expected(train, test, clip=None):
    """Both counts from their definitions: make the sets of what was seen, then look every pair up."""
    is_new, seen = np.arange(test) >= train, np.arange(1 - train, train)
    seen = seen if clip is None else np.clip(seen, -clip, clip)
    return int((is_new | is_new[:, None]).sum()), unseen(test, clip, seen)


def draw(rng):
    clip = None if rng.random() < 0.5 else int(rng.integers(0, 40))
    return int(rng.integers(1, 30)), int(rng.integers(1, 60)), clip


def unseen(test, clip, seen):
    """How many of the test² pairs are at an offset that is not in `seen`."""
    offset = np.arange(test) - np.arange(test)[:, None]
    return int((~np.isin(offset if clip is None else np.clip(offset, -clip, clip), seen)).sum())


RETURNS = ("absolute", "relative")
CASES = [
    Case(3, 6, label="train on 3, test on 6"),
    Case(100, 101, label="one token longer"),
    Case(8, 8, label="the same length"),
    Case(8, 5, label="a shorter text"),
    Case(3, 8, 2, label="clipped at 2, which training saw"),
    Case(3, 8, 3, label="clipped at 3, which training did not see"),
    Case(3, 8, 5, label="clipped at 5, beyond what training saw"),
    Case(4, 6, 0, label="clipped at 0"),
]
WRONG = """
absolute = longer**2  # You count pairs in which both positions are new. One new position is enough.
absolute = 2 * longer * min(train, test)  # You count pairs with one new position. Those with two are missing.
absolute = longer  # You count the new positions. Count the pairs (query, key) in which one of the two is new.
absolute = longer * test  # You count the pairs with a new query, or those with a new key. Either one makes a pair new.
absolute = test**2 - min(train + 1, test) ** 2  # The position `train` is new, because training used 0 … train − 1.
absolute = test**2 - train**2
longer = test - train; absolute = test**2 - train**2
longer = test - train; absolute = test**2 - train**2; covered = False
longer = test - train; absolute = test**2 - train**2; covered = clip is not None  # In a shorter text nothing is new,
# but there test² − train² falls below 0.
longer = max((test if clip is None else min(clip, test)) - train, 0)  # Clipping does not shorten the text. Its far
# pairs are all there, at the offset ±clip. Did it occur in training?
corners = longer**2
longer = test - train; absolute = test**2 - train**2; corners = longer**2; covered = False  # Relative: each corner is a
# triangle of 1 + 2 + … + (test − train) pairs. Two of them are not (test − train)².
corners = longer * (longer + 1) // 2  # You count one corner. Keys may be too far behind the query or too far ahead.
corners = longer * (longer - 1)  # The offset `train` is new as well. In a text of n tokens the largest is n − 1.
corners = 2 * longer
corners = 2 * longer; covered = False
corners = 2 * (longer if clip is None else max(min(clip, test - 1) - train + 1, 0))  # You count each new offset once.
# Count the pairs: offset r occurs test − |r| times.
covered = False  # `clip` has no effect. If the offset ±clip occurred in training, so did every clipped offset.
covered = clip is not None  # If `clip` is `train` or more, the offset ±clip did not occur in training.
covered = clip is not None and clip <= train  # If `clip` is `train`, the offset ±train remains, and it is new.
covered = clip < train  # `clip` may be None, and None is not compared with a number. Ask `is not None` first.
covered = clip and clip < train  # You treat clip = 0 like None, as `if clip` does. Test `clip is not None`.
relative = max(test - clip - 1, 0) * (test - clip) if covered else corners  # Every pair beyond ±clip is new in your
# count. Clip the offsets of the test text as well: they become ±clip, which training may have had.
relative = 0 if covered else corners - (clip is not None and max(test - clip - 1, 0) * (test - clip))  # Pairs beyond
# ±clip are still pairs. Their offset becomes ±clip. Did that one occur in training?
relative = unseen(test, clip, np.arange(train))  # Your training has keys on only one side of a query. It had both.
relative = unseen(test, clip, np.arange(-train, train))
relative = unseen(test, clip, np.arange(-train, train + 1))  # The offset −train or train counts as seen. Two of
# `train` tokens are at most train − 1 apart.
return (absolute + longer) // 2, relative // 2  # You count two tokens only once, but each of them can be the query.
return absolute * (not covered), relative  # Clipping offsets changes nothing for absolute positions.
return longer, longer
return longer, 0 if covered else longer  # You count query 0 alone, or positions and distances instead of pairs.
# If you loop over the queries, is the `return` inside?
return 0, 0  # Your result is always 0, 0. Is the `return` inside a loop, or before the counting?
return relative, absolute  # Your two counts are in the wrong order. The absolute one comes first.
return 100 * absolute / test**2, 100 * relative / test**2  # These are shares of all pairs. Give the numbers of pairs.
return test**2 - absolute, test**2 - relative  # You count the pairs that were seen. Count the new ones.
"""
HINTS = [
    "Absolute: the pairs that were seen form a square, the corner of positions below `train`.",
    "Relative: offset r is on a diagonal with test − |r| pairs. Which diagonals are new?",
    "Clipping at k keeps the offsets −k … k. Did ±k itself occur in training?",
]
