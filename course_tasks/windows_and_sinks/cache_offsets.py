"""Bug hunt: kept keys that drift away."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.sink import sink_positions


def _cache_offsets(read, first, w):
    """Offsets, key minus query, of the keys in the cache, in the order of the text.

    `read` tokens were read, and the last of them is the query. The cache keeps the first `first`
    tokens and the last w, and positions are counted in the cache: 0, 1, 2, …
    """
    kept = min(read, first + w)
    return np.arange(kept) - (kept - 1)


def _given(read, first, w):
    """Offsets, key minus query, of the keys in the cache, in the order of the text.

    `read` tokens were read, and the last of them is the query. The cache keeps the first `first`
    tokens and the last w, and positions are counted in the cache: 0, 1, 2, …
    """
    kept = min(read, first + w)
    return np.arange(kept) - (read - 1)


def _expected(read, first, w):
    _, numbers = sink_positions(read, first=first, w=w)
    return np.array(numbers) - numbers[-1]


def _in_the_text(read, first, w):
    """The offsets that the kept keys have in the text."""
    kept, _ = sink_positions(read, first=first, w=w)
    return np.array(kept) - (read - 1)


cache_offsets = CodingTask(
    title="Bug hunt: kept keys that drift away",
    minutes=8,
    difficulty=2,
    words="""A cache keeps the first tokens as a sink, and the most recent ones. Keys are numbered by their place in the
cache, so no key should ever be farther back than the cache is long. With this code the model writes well until the cache
is full, and then worse with every token. The numbers of the keys are right. What about the query? Find the bug and fix it.

With `first=4` and `w=4`, after ten tokens the offsets should be −7 … 0. The `SinkCache` of `transformers` had a bug of
this kind: it moved the old keys but not the new one
([33691](https://github.com/huggingface/transformers/issues/33691),
[35350](https://github.com/huggingface/transformers/issues/35350)). `SinkCache` was removed later.""",
    solution=_cache_offsets,
    starter=_given,
    expected=_expected,
    cases=[
        Case(10, 4, 4, label="ten tokens, four first ones kept and four recent ones"),
        Case(5, 4, 4, label="the cache is not full yet"),
        Case(8, 4, 4, label="the cache is just full"),
        Case(9, 4, 4, label="one token has left"),
        Case(1000, 1, 3, label="a long text, one first token and three recent ones"),
        Case(1, 2, 2, label="the very first token"),
    ],
    axes=("key",),
    draw=lambda rng: tuple(int(x) for x in rng.integers([1, 1, 1], [40, 5, 8])),
    properties=[
        Property(
            "the query's own key",
            lambda result, *_: np.asarray(result).ravel()[-1] == 0,
            "The last key in the cache is the query's own, so its offset is 0.",
        )
    ],
    pieces="""
first + w
    the size of the cache: It keeps `first` + w tokens at most.
min(read, first + w)
    the number of kept keys: It is `first` + w at most, and never more than were read.
np.arange(kept)
    the row of key numbers: It is 0, 1, 2, … in the cache. This was right.
kept - 1
    the position of the query: It is the last token in the cache, number kept − 1.
kept
    the number of kept keys: The keys have the numbers 0 … kept − 1, and the query is the last of them.
np.arange(kept) - (kept - 1)
    the offset: It is key minus query.
""",
    slips="""
kept - 1 → first + w - 1
    This is right for a full cache. Before that, the query is number read − 1.
kept - 1 → kept
    Your query is one place after its own key. The last key in the cache is its own, with offset 0.
kept - 1 → read - first
    You count from the first recent token. In the cache, the query is number kept − 1.
kept - 1 → w
    The query is not number w. The first tokens are in the cache, too, so it is number kept − 1.
kept - 1 → w - 1
or kept - 1 → min(read, w) - 1
    You forgot the first tokens. They are in the cache, too, so the query is number kept − 1.
kept - 1 → min(read - 1, first + w)
    In a full cache the keys have the numbers 0 … `first` + w − 1, and the query is the last of them.
kept - 1 → (read - 1) % (first + w)
    You begin at 0 again when the cache is full. The query stays at the end of the cache.
kept - 1 → read - kept
    You subtract the number of tokens that have left. The query is number kept − 1 in the cache.
np.arange(kept) - (kept - 1) → _in_the_text(read, first, w)
    These are the offsets in the text. In the cache, the first tokens stay `first` + w − 1 back at most.
np.arange(kept) - (kept - 1) → np.arange(read) - (read - 1)
    You return an offset for every token of the text. The cache keeps `first` + w of them at most.
np.arange(kept) - (kept - 1) → _in_the_text(read, first, w) + read - kept
    You number the keys by their place in the text, and the query by its place in the cache. Number both in the cache.
np.arange(kept) - (kept - 1) → np.maximum(_in_the_text(read, first, w), 1 - kept)
    You cut off the offsets of the text at the length of the cache. In the cache, each key has a number of its own, and so
    each has another offset.
np.arange(kept) - (kept - 1) → np.roll(np.arange(kept) - (kept - 1), -min(first, read))
    You put the first tokens after the recent ones. In the order of the text they come first.
np.arange(kept) - (kept - 1) → np.arange(kept)
    You return the numbers of the keys. An offset is key minus query.
np.arange(kept) - (kept - 1) → np.arange(kept)[::-1]
    You return distances, query minus key. An offset is key minus query, so it is negative for the past.
""",
    alternatives=[lambda read, first, w: np.arange(1 - min(read, first + w), 1)],
    hints=[
        "Print `cache_offsets(10, 4, 4)`. What is the offset of the last key, which is the query's own?",
        "Eight keys are in the cache, numbered 0 … 7. Which number has the query?",
    ],
)
