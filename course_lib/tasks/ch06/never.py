"""The bucket that no offset reaches."""

import numpy as np

from ...reference.t5 import bucket
from ..engine import Answer, Mistake


def _never(**sizes):
    """The bucket that no offset reaches, −1 if there is none."""
    every = set(bucket(np.arange(-5000, 5001), **sizes).tolist())
    missing = sorted(set(range(sizes["num_buckets"])) - every)
    assert len(missing) <= 1
    return missing[0] if missing else -1


_FIRST, _SECOND = "encoder, 32 buckets, 128", "encoder, 8 buckets, 20"
_THIRD, _FOURTH = "decoder, 32 buckets, 128", "decoder, 8 buckets, 6"


def _never_reached():
    return {
        _FIRST: _never(bidirectional=True, num_buckets=32, max_distance=128),
        _SECOND: _never(bidirectional=True, num_buckets=8, max_distance=20),
        _THIRD: _never(bidirectional=False, num_buckets=32, max_distance=128),
        _FOURTH: _never(bidirectional=False, num_buckets=8, max_distance=6),
    }


never_reached = Answer(
    "never_reached",
    title="The bucket nobody reaches",
    minutes=8,
    difficulty=2,
    words=r"""Rows of a table that no offset reaches are never trained. For each of these four (the last number is
`max_distance`): which bucket is never reached? Give one number for each; there is at most one, and −1 says
that every bucket is reached. Think first, then count with `bucket`. The last one is a surprise: where would its buckets 4, 5, 6 and 7 begin?""",
    expected=_never_reached,
    digits=2,
    mistakes=[
        *(
            Mistake({_FIRST: b}, says)
            for b, says in {
                -1: "Which bucket would hold distance 0 in the future?",
                0: "Bucket 0 is the token itself, offset 0: every query reaches it.",
                1: "Bucket 1 is the neighbour to the left.",
                15: "Bucket 15 holds every key 91 or more to the left.",
                17: "Bucket 17 is the next token, offset +1. Which one would be offset +0?",
                31: "Bucket 31 is the busiest of all: every key 91 or more to the right.",
                32: "32 buckets are numbered 0 to 31.",
            }.items()
        ),
        *(
            Mistake({_SECOND: b}, says)
            for b, says in {
                -1: "Fewer buckets, the same question: which would hold distance 0 in the future?",
                0: "Bucket 0 is the token itself, offset 0: every query reaches it.",
                2: "Each direction has four buckets, and 2 is the first shared one: distance 2 falls into it.",
                3: "Bucket 3 is the last of the past. The half of the future begins after it.",
                5: "Bucket 5 is the next token: the future's half is 4 to 7, and +1 is 4 + 1.",
                7: "Bucket 7 is the last of all: every far key to the right.",
                8: "8 buckets are numbered 0 to 7. Where does the future's half begin?",
                16: "With 8 buckets there is no bucket 16. Where does the future's half begin now?",
                32: "With 8 buckets there is no bucket 32. Where does the future's half begin?",
            }.items()
        ),
        *(
            Mistake({_THIRD: b}, says)
            for b, says in {
                0: "In a decoder bucket 0 is the token itself, and all the keys that the mask hides.",
                16: "A decoder's buckets have no second half. In it, bucket 16 holds the distances 16 to 18.",
                17: "A decoder's bucket 17 holds the distances 19 and 20.",
                31: "Bucket 31 holds every key 113 or more back.",
                32: "32 buckets are numbered 0 to 31.",
            }.items()
        ),
        *(
            Mistake({_FOURTH: b}, says)
            for b, says in {
                -1: "Four shared buckets for the distances 4, 5 and beyond, of which 6 is in the last: can they all be reached?",
                0: "In a decoder bucket 0 is the token itself.",
                3: "Bucket 3 is distance 3 itself.",
                4: "Bucket 4 is the first shared one here: distance 4 falls into it, for ln 1 = 0.",
                6: "Bucket 6 is reached by one distance, 5. Compute 4 + ln(5/4)/ln(6/4) · 4.",
                7: "Bucket 7 is the last: every distance from 6 on.",
                8: "8 buckets are numbered 0 to 7.",
            }.items()
        ),
    ],
    hints=[
        "The future's half of an encoder starts with a distance that does not exist in the future.",
        "`set(bucket(np.arange(-5000, 5001)).tolist())` holds every bucket that is reached. Which of 0 … 31 is not in it? (The answer is a number, not a set.)",
        "The last one: E = 4, and ln(5/4) / ln(6/4) · 4 = 2.2. So distance 4 has bucket 4; which bucket has distance 5?",
    ],
)
