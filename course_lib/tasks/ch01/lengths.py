"""What a model meets for the first time when a text is longer than those it was trained on."""

import numpy as np

from ..engine import Case, Mistake, Task


def _unseen_pairs(train, test, clip=None):
    """How many of the test² pairs (query, key) are new after training on `train` tokens.

    Returns (absolute, relative): pairs of positions never seen, and pairs at an offset
    never seen. With `clip`, offsets beyond ±clip count as ±clip.
    """
    longer = max(test - train, 0)
    absolute = test**2 - min(train, test) ** 2
    relative = longer * (longer + 1)
    if clip is not None and clip < train:
        relative = 0
    return absolute, relative


def _counted(train, test, clip=None):
    """Both counts from their definitions: make the sets of what was seen, then look every pair up."""
    i, j = np.arange(test)[:, None], np.arange(test)
    offset, seen = j - i, np.arange(train) - np.arange(train)[:, None]
    if clip is not None:
        offset, seen = np.clip(offset, -clip, clip), np.clip(seen, -clip, clip)
    pair_seen = (i < train) & (j < train)
    return int((~pair_seen).sum()), int((~np.isin(offset, seen)).sum())


def _counted_by_names(train, test, clip=None):
    """The offsets that are new, each counted once instead of once for each pair at it."""
    absolute, relative = _counted(train, test, clip)
    return absolute, 2 * max(test - train, 0) if relative else 0


def _squares(train, test, clip=None):
    return test**2 - train**2, (test - train) ** 2


def _offsets_only(train, test, clip=None):
    return max(test**2 - train**2, 0), 2 * max(test - train, 0)


def _no_guards(train, test, clip=None):
    m = test - train
    return test**2 - train**2, 0 if clip is not None and clip < train else m * (m + 1)


def _formulas(train, test, clip=None):
    """The formulas of the lesson, as they stand there."""
    m = test - train
    return test**2 - train**2, m * (m + 1)


def _formulas_any_clip(train, test, clip=None):
    absolute, relative = _formulas(train, test)
    return absolute, relative if clip is None else 0


def _first_query(train, test, clip=None):
    """What is counted for query 0, when the `return` is inside the outer loop."""
    keys = max(test - train, 0)
    return keys, 0 if clip is not None and clip < train else keys


def _first_query_no_clip(train, test, clip=None):
    return (max(test - train, 0),) * 2


def _nothing(train, test, clip=None):
    return 0, 0


def _more_than_both(train, test, clip=None):
    absolute, relative = test**2 - min(train + 1, test) ** 2, max((test - train) * (test - train - 1), 0)
    return absolute, 0 if (clip is not None and clip < train) or test < train else relative


def _more_than_clipped(train, test, clip=None):
    absolute, relative = _more_than_both(train, test)
    return absolute, 0 if clip is not None and clip <= train else relative


def _more_than_both_no_clip(train, test, clip=None):
    return _more_than_both(train, test)


def _met(train, test, clip, seen):
    """The counts when `seen` are the offsets held to be met in training."""
    offset = np.arange(test) - np.arange(test)[:, None]
    offset = offset if clip is None else np.clip(offset, -clip, clip)
    return _counted(train, test)[0], int((~np.isin(offset, seen)).sum())


def _met_ahead(train, test, clip=None):
    return _met(train, test, clip, np.arange(train))


def _met_one_behind(train, test, clip=None):
    return _met(train, test, clip, np.arange(-train, train))


def _met_both_ends(train, test, clip=None):
    return _met(train, test, clip, np.arange(-train, train + 1))


def _clipped_in_training_only(train, test, clip=None):
    seen = np.arange(1 - train, train)
    return _met(train, test, None, seen if clip is None else np.clip(seen, -clip, clip))


def _beyond_left_out(train, test, clip=None):
    size = abs(np.arange(test) - np.arange(test)[:, None])
    return _counted(train, test)[0], int(((size >= train) & (size <= (test if clip is None else clip))).sum())


def _length_clipped(train, test, clip=None):
    m = max((test if clip is None else min(clip, test)) - train, 0)
    return _counted(train, test)[0], m * (m + 1)


unseen_pairs = Task(
    title="What was never seen",
    minutes=15,
    difficulty=2,
    words=r"""A model is trained on texts of `train` tokens and reads one of `test` tokens. Of the test² pairs of a query and
a key, how many are new to it? Return two counts: with **absolute** positions (the two positions never stood in one text) and
with **relative** ones (no training text had this offset $j - i$). With `clip`, all offsets beyond ±clip count as ±clip, in
training too; `clip=None` means no clipping. Loops and sets are fine, but the formulas are short. `unseen_pairs(3, 6)` is
`(27, 12)`, the picture of the lesson. A test text may also be the shorter one.""",
    solution=_unseen_pairs,
    expected=_counted,
    returns=("absolute", "relative"),
    cases=[
        Case(3, 6, says="train on 3, test on 6"),
        Case(128, 256, says="train on 128, test on 256"),
        Case(100, 101, says="one token longer"),
        Case(8, 8, says="the same length"),
        Case(8, 5, says="a shorter text"),
        Case(3, 8, 2, says="clipped at 2, which training saw"),
        Case(3, 8, 3, says="clipped at 3, which training did not see"),
        Case(3, 8, 5, says="clipped at 5, beyond what training saw"),
        Case(4, 6, 0, says="clipped at 0"),
        Case(1, 4, says="trained on single tokens"),
    ],
    draw=lambda rng: (
        int(rng.integers(1, 30)),
        int(rng.integers(1, 60)),
        None if rng.random() < 0.5 else int(rng.integers(0, 40)),
    ),
    mistakes=[
        Mistake(
            "longer * (longer + 1)",
            "longer**2",
            "The two corners are triangles: with m = test − train their rows hold 1, 2, …, m pairs, twice. That is not m².",
        ),
        Mistake(
            "longer * (longer + 1)",
            "longer * (longer + 1) // 2",
            "You count one corner. Keys may be too far behind the query or too far ahead: there are two.",
        ),
        Mistake(
            "longer * (longer + 1)",
            "longer * (longer - 1)",
            "The offset `train` itself is new: in a text of n tokens the largest offset is n − 1.",
        ),
        Mistake(
            _counted_by_names,
            "You count how many offsets are new. Count the pairs that stand at them: offset r occurs test − |r| times.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "longer**2",
            "You count pairs in which both positions are new. A pair with one new position was never seen either.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "2 * longer * min(train, test)",
            "You count pairs of an old and a new position. Those of two new positions are missing.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "longer",
            "You count the new positions. Count the pairs (query, key) in which one of the two is new.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "test**2 - train * min(train, test)",
            "Every pair within the first min(train, test) positions was seen: take away its square.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "test**2 - train**2",
            "In a text shorter than the training ones everything was seen: the count cannot go below 0.",
        ),
        Mistake(
            "max(test - train, 0)",
            "abs(test - train)",
            "In a text shorter than the training ones no offset is new: count 0, not the missing ones.",
        ),
        Mistake(
            "max(test - train, 0)",
            "(test - train)",
            "When the test text is shorter, `test - train` is negative and m(m + 1) comes out above 0. Nothing is new then.",
        ),
        Mistake(
            "clip < train",
            "clip <= train",
            "Clipped at `train`, the offset ±train is still there, and no training text had it. "
            "The largest offset seen is train − 1.",
        ),
        Mistake(
            "clip < train", "clip < train - 1", "Clip = train − 1 is seen: it is the largest offset of a training text."
        ),
        Mistake(
            "clip is not None and clip < train",
            "clip and clip < train",
            "`if clip` is false for clip = 0 as well. Ask `clip is not None`.",
        ),
        Mistake(
            "clip is not None and clip < train",
            "clip is not None",
            "Clipping helps only when the last name, ±clip, was met in training. A clip as large as `train` was not.",
        ),
        Mistake(
            "if clip is not None and clip < train:\n        relative = 0",
            "pass",
            "`clip` has no effect. When ±clip was met in training, every clipped offset was.",
        ),
        Mistake(
            "relative = 0\n    return absolute, relative",
            "absolute = relative = 0\n    return absolute, relative",
            "Clipping offsets does nothing for absolute positions: their count stays.",
        ),
        Mistake(
            "clip is not None and clip < train",
            "clip < train",
            "`clip` may be None, and None cannot be compared with a number. Ask `clip is not None` first.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "test**2 - min(train + 1, test) ** 2",
            "The position `train` itself is new: positions count from 0, so training used 0 … train − 1.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2",
            "longer * test",
            "You count pairs whose query is new. A new key under an old query was never seen either.",
        ),
        Mistake(
            _squares,
            "Relative: the two corners hold 1 + 2 + … + m pairs each, with m = test − train, which together is not m². "
            "(And `clip` has no effect yet.)",
        ),
        Mistake(
            _offsets_only,
            "Relative: you count how many offsets are new. Count the pairs at them: offset r occurs test − |r| times. "
            "(And `clip` has no effect yet.)",
        ),
        Mistake(
            _formulas,
            "In a shorter text nothing is new: there test² − train² falls below 0. (And `clip` has no effect yet.)",
        ),
        Mistake(
            _formulas_any_clip,
            "In a shorter text nothing is new: there test² − train² falls below 0. "
            "(And a clip as large as `train` leaves a name that training never had.)",
        ),
        Mistake(_first_query, "Only query 0 was counted: is the `return` inside the loop over the queries?"),
        Mistake(
            _first_query_no_clip,
            "Only query 0 was counted: is the `return` inside the loop over the queries? (And `clip` has no effect yet.)",
        ),
        Mistake(_nothing, "Yours is always 0, 0: is something counted before the `return`, or is that inside a loop?"),
        Mistake(
            _more_than_both,
            "Position and offset `train` are new themselves: training had 0 … train − 1. Greater or equal, not greater.",
        ),
        Mistake(
            _more_than_clipped,
            "Position `train` and offset ±`train` are new themselves, training had 0 … train − 1: ≥, not >.",
        ),
        Mistake(
            _more_than_both_no_clip,
            "Position and offset `train` are new themselves: training had 0 … train − 1. (And `clip` has no effect yet.)",
        ),
        Mistake(
            _met_ahead,
            "Training had offsets on both sides, keys before the query as well: your list of them leaves out the negative ones.",
        ),
        Mistake(
            _met_one_behind,
            "Your list of offsets met in training has one too many, −train: two of `train` tokens are at most train − 1 apart.",
        ),
        Mistake(
            _met_both_ends,
            "Your list of offsets met in training has one too many at each end: "
            "two of `train` tokens are at most train − 1 apart.",
        ),
        Mistake(
            _clipped_in_training_only,
            "Every pair beyond ±clip counts as new here, as it does when only the offsets of the training texts are clipped. "
            "In the test text such an offset is called ±clip too, and training may have met that name.",
        ),
        Mistake(
            _beyond_left_out,
            "Pairs beyond ±clip are still pairs. Their offset is called ±clip: was that name met in training?",
        ),
        Mistake(
            _length_clipped,
            "Clipping does not shorten the text: its far pairs are all there, under the name ±clip. "
            "Was that name met in training?",
        ),
        Mistake(
            _no_guards,
            "In a shorter text nothing is new: there your absolute count falls below 0.",
        ),
        Mistake(
            "return absolute, relative",
            "return 100 * absolute / test**2, 100 * relative / test**2",
            "These are percent. The counts of the pairs are wanted.",
        ),
        Mistake(
            "return absolute, relative",
            "return relative, absolute",
            "The two counts are in the wrong order: absolute first, then relative.",
        ),
        Mistake(
            "return absolute, relative",
            "return absolute / test**2, relative / test**2",
            "These are shares. The counts of the pairs are wanted.",
        ),
        Mistake(
            "return absolute, relative",
            "return test**2 - absolute, test**2 - relative",
            "You count what was seen. Count what is new.",
        ),
        Mistake(
            "test**2 - min(train, test) ** 2\n    relative = longer * (longer + 1)",
            "(test * (test + 1) - min(train, test) * (min(train, test) + 1)) // 2\n"
            "    relative = longer * (longer + 1) // 2",
            "This is half of it: either each two positions are counted once, or only keys up to the query, as under a "
            "causal mask. Every query sees every key here, and (i, j) and (j, i) are two pairs.",
        ),
    ],
    alternatives=[_counted],
    hints=[
        "Absolute: what was seen is a square, the corner of positions below `train`.",
        "Relative: offset r stands on a diagonal with test − |r| pairs. Which diagonals are new?",
        "Clipping at k keeps the names −k … k. Was ±k itself met in training?",
    ],
)
