"""Prediction: an encoder's buckets in a decoder · 8 minutes · ★★

A decoder with a causal mask is built with `bidirectional=True`, 32 buckets, `max_distance` 128. What
breaks, and what does not? Predict five numbers before you run anything:

- how much weight in all a query gives to the keys after it;
- how many buckets the last of 100 tokens can tell apart among the keys it sees, with `bidirectional=True` and with
  `False`;
- which row of the table a key 30 tokens back reads, with `True` and with `False` (this is what happens to trained
  weights).
"""

import math

import numpy as np

from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.t5 import bucket, t5_bias

WEIGHT = "weight on the future"
TOLD_BOTH, TOLD_CAUSAL = (f"buckets told apart, bidirectional={both}" for both in (True, False))
READ_BOTH, READ_CAUSAL = (f"row for 30 back, bidirectional={both}" for both in (True, False))


def weight_on_the_future():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 1, 20, 8))
    bias = t5_bias(20, table=rng.normal(size=(32, 1)))
    weights = attention(q, k, k, bias=bias, scale=1.0, mask=causal_mask(20))[1]
    return float(np.triu(weights[0], 1).sum())


PAST = -np.arange(100)
ANSWER = {
    WEIGHT: int(weight_on_the_future()),
    TOLD_BOTH: len(np.unique(bucket(PAST))),
    TOLD_CAUSAL: len(np.unique(bucket(PAST, bidirectional=False))),
    READ_BOTH: int(bucket(-30)),
    READ_CAUSAL: int(bucket(-30, bidirectional=False)),
}
OTHERWISE = {WEIGHT: "The mask comes after the bias and sets those scores to −∞, whatever the bias is."}
WRONG = {
    (READ_BOTH, READ_CAUSAL): {
        (20, 11): "You exchanged the two rows. With `True` the past has only 16 buckets, so its numbers are lower.",
    },
    WEIGHT: {
        1: "With 1 the query would attend to nothing else. Which comes last, the bias or the mask?",
        -math.inf: "−∞ is the score of a hidden key. Its weight is e to the power of that.",
    },
    TOLD_BOTH: {
        13: "Some are missing. Buckets 13, 14 and 15 begin at 46, 64 and 91, and the farthest key is 99 back.",
        15: "One is missing. Distance 0, the token itself, has a bucket as well, and the last one begins at 91.",
        17: "This is one too many. The past has the lower half of 32.",
        31: "An encoder uses 31 of the 32, but half of the buckets are for keys after the query.",
        32: "Half of the 32 are for keys after the query, which a decoder never sees.",
    },
    TOLD_CAUSAL: {
        16: "These are the buckets with a single distance. Distances farther back share buckets, and those count, too.",
        23: "Some are missing. Bucket 23 begins at distance 40, and the farthest key is 99 back.",
        30: "One is missing. Bucket 30 begins at the farthest key, 99 back, and bucket 0 counts as well.",
        32: "The last bucket begins at distance 113, but the farthest of 100 tokens is only 99 back.",
        100: "There are 100 distances but only 32 buckets, so far distances share.",
    },
    READ_BOTH: {
        10: "This is one too low. Eight buckets are exact, 0 to 7, so the shared ones begin with 8.",
        12: "You rounded. The formula takes the floor.",
        20: "That is a decoder's row. With `True` the past has only 16 buckets.",
        27: "27 is for a key 30 tokens *ahead*. The past has the lower half.",
        30: "With `True` only distances up to 7 are exact. From 8 on distances share.",
    },
    READ_CAUSAL: {
        11: "That is an encoder's row. With `False` the past has all 32 buckets.",
        19: "This is one too low. Sixteen buckets are exact, 0 to 15, so the shared ones begin with 16.",
        21: "You rounded. The formula takes the floor.",
        30: "A decoder is exact up to distance 15. From 16 on distances share.",
    },
}
HINTS = [
    "The mask sets scores to −∞ after the bias is added. Can a finite number undo that?",
    "With `True` the past has buckets 0 to 15, the last from distance 91 on. With `False` it has 0 to 31, the last "
    "from 113 on.",
    "For 30 back, compute 8 + ⌊ln(30/8)/ln 16 · 8⌋ and 16 + ⌊ln(30/16)/ln 8 · 16⌋.",
]
