"""The bucket that is never reached."""

import numpy as np

from course_lib.checking import Prediction
from course_lib.reference.t5 import bucket


def _never(**sizes):
    """The bucket that no offset reaches, or −1 if there is none."""
    every = set(bucket(np.arange(-5000, 5001), **sizes).tolist())
    missing = sorted(set(range(sizes["num_buckets"])) - every)
    assert len(missing) <= 1
    return missing[0] if missing else -1


FIRST, SECOND = "encoder, 32 buckets, 128", "encoder, 8 buckets, 20"
THIRD, FOURTH = "decoder, 32 buckets, 128", "decoder, 8 buckets, 6"


def _never_reached():
    return {
        FIRST: _never(bidirectional=True, num_buckets=32, max_distance=128),
        SECOND: _never(bidirectional=True, num_buckets=8, max_distance=20),
        THIRD: _never(bidirectional=False, num_buckets=32, max_distance=128),
        FOURTH: _never(bidirectional=False, num_buckets=8, max_distance=6),
    }


never_reached = Prediction(
    "never_reached",
    title="The bucket that is never reached",
    minutes=8,
    difficulty=2,
    words=r"""Rows of a table that no offset reaches are never trained. Which bucket is never reached in each of these
four cases, where the last number is `max_distance`? Give one number for each. There is at most one such bucket, and
−1 means that every bucket is reached. Think first, then count with `bucket`. The last case is a surprise: where would
its buckets 4, 5, 6 and 7 begin?""",
    expected=_never_reached,
    digits=2,
    slips={
        FIRST: {
            -1: "Which bucket would hold a later key at distance 0?",
            0: "Bucket 0 is for the token itself, offset 0. Every query reaches it.",
            1: "Bucket 1 is for the neighbour to the left.",
            15: "Bucket 15 is for every key 91 or more to the left.",
            17: "Bucket 17 is for the next token, offset +1. Which one would be for offset +0?",
            31: "Bucket 31 is the busiest of all. It is for every key 91 or more to the right.",
            32: "32 buckets are numbered 0 to 31.",
        },
        SECOND: {
            -1: "The question is the same with fewer buckets: which one would hold a later key at distance 0?",
            0: "Bucket 0 is for the token itself, offset 0. Every query reaches it.",
            2: "Each direction has four buckets, and 2 is the first shared one. Distance 2 falls into it.",
            3: "Bucket 3 is the last one for the past. The buckets for later keys begin after it.",
            5: "Bucket 5 is for the next token. Later keys have buckets 4 to 7, and +1 is 4 + 1.",
            7: "Bucket 7 is the last of all. It is for every far key to the right.",
            8: "8 buckets are numbered 0 to 7. Where do the buckets for later keys begin?",
            16: "With 8 buckets there is no bucket 16. Where do the buckets for later keys begin now?",
            32: "With 8 buckets there is no bucket 32. Where do the buckets for later keys begin?",
        },
        THIRD: {
            0: "In a decoder, bucket 0 is for the token itself and for all keys that the mask hides.",
            16: "A decoder's buckets have no second half. Its bucket 16 is for the distances 16 to 18.",
            17: "A decoder's bucket 17 is for the distances 19 and 20.",
            31: "Bucket 31 is for every key 113 or more back.",
            32: "32 buckets are numbered 0 to 31.",
        },
        FOURTH: {
            -1: "Four shared buckets begin at distance 4, and 6 is in the last. Can they all be reached?",
            0: "In a decoder, bucket 0 is for the token itself.",
            3: "Bucket 3 is for distance 3.",
            4: "Bucket 4 is the first shared one here. Distance 4 falls into it, because ln 1 = 0.",
            6: "Bucket 6 is reached by one distance, 5. Compute 4 + ln(5/4)/ln(6/4) · 4.",
            7: "Bucket 7 is the last. It is for every distance from 6 on.",
            8: "8 buckets are numbered 0 to 7.",
        },
    },
    hints=[
        "The first bucket for later keys would be for a distance that no later key has.",
        "`set(bucket(np.arange(-5000, 5001)).tolist())` holds every bucket that is reached. Which of 0 … 31 is not in "
        "it? (The answer is a number, not a set.)",
        "In the last case E = 4, and ln(5/4) / ln(6/4) · 4 = 2.2. So distance 4 is in bucket 4. Which bucket is "
        "distance 5 in?",
    ],
)
