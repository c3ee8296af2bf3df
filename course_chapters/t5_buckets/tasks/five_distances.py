"""Five distances with a pencil · 12 minutes · ★★ · first

32 buckets, `max_distance` 128. Which bucket do the distances 1, 5, 10, 50 and 100 fall into: for a key
to the **left** of an encoder's query, for a key to its **right**, and for a key to the left of a **causal** decoder's
query? Give three lists of five, in that order of distances. You need a calculator, for at most two logarithms per
distance. Distance 3 would give 3, 19 and 3.
"""

import numpy as np

from course_kit.checking import Axis
from course_lib.reference.t5 import bucket

DISTANCES = np.array([1, 5, 10, 50, 100])
ANSWER = {
    "left": bucket(-DISTANCES).tolist(),
    "right": bucket(DISTANCES).tolist(),
    "causal": bucket(-DISTANCES, bidirectional=False).tolist(),
}
LEFT, RIGHT, CAUSAL = map(tuple, ANSWER.values())
DIGITS = 2
AXES = (Axis("distance", [str(d) for d in DISTANCES]),)
FLOOR = "The formula takes the floor, which cuts off what is behind the point."
TOO_HIGH = f"Your shared buckets are too high, as when you round up. {FLOOR}"
NEAREST = f"One of your buckets is too high, as when you round to the nearest whole number. {FLOOR}"
WHOLE = f"A bucket is a whole number. {FLOOR}"
OTHERWISE = {
    "left": "Up to 7 a distance is its own bucket. From 8 on, put it into the formula with N = 16 and E = 8.",
    "right": "A key at the same distance to the right is 16 buckets further.",
    "causal": "Up to 15 a distance is its own bucket. From 16 on, put it into the formula with N = 32 and E = 16.",
}
WRONG = {
    ("left", "right"): {(RIGHT, LEFT): "You exchanged left and right. The past has the lower half, buckets 0 to 15."},
    "left": {
        RIGHT: "These are the buckets to the right. The past has the lower half, buckets 0 to 15.",
        CAUSAL: "These are a decoder's buckets. Each direction of an encoder has 16, and 8 of them are exact.",
        (15, 11, 8, 3, 1): "You count down from 16. Both directions count up from the query, which is in bucket 0.",
        (15, 11, 6, 0, 0): "This is the clipped offset + 16. T5's buckets for the past count up from 0.",
        (-1, -5, -8, -13, -15): "A bucket is a row of the table, so it is 0 or more. The past has the lower half.",
        (1, 5, 9, 13, 15): NEAREST,
        (1, 5, 9, 14, 15): f"{TOO_HIGH} Take ln(d/8), not ln(d − 8).",
        (1, 5, 8.64, 13.29, 15.29): WHOLE,
        (1, 5, 8.6, 13.3, 15.3): WHOLE,
        (1, 5, 10, 50, 100): "These are the distances. Only the distances 0 to 7 are their own bucket.",
        (1, 5, 10, 15, 15): "Distance 10 is not exact in an encoder. Half of a direction's 16 buckets are, 0 to 7.",
        (1, 5, 0, 5, 7): "Your shared buckets begin at 0. They follow the exact ones, so add 8.",
        (1, 5, 8, 8, 8): "The share of the way is below 1. Multiply it by the 8 shared buckets before the floor.",
        (1, 5, 9, 15, 15): "You multiply by too much, as by 16. Multiply ln(d/8) / ln(128/8), both to one base, by 8.",
        (1, 5, 8, 11, 12): "You divide by too much, as by ln 128. Take ln(d/8) / ln(128/8), both to one base.",
        (1, 5, 11, 14, 15): "You take ln d / ln 128. Both count from the exact part on, ln(d/8) and ln(128/8).",
        (1, 5, 8, 10, 11): "You give each doubling a bucket. From 8 to 128 are four doublings, for 8 buckets.",
        (1, 5, 8, 10, 14): "You divide the distances evenly. It is their logarithms that are divided evenly.",
    },
    "right": {
        LEFT: "The direction is missing. A key after the query is in the upper half, so add 16.",
        tuple(bucket + 8 for bucket in LEFT): "You add 8. A key after the query is in the upper half, so add 16.",
        (16, 20, 23, 28, 30): "Every bucket is too small by 1. Distance 1 is in bucket 17, and 16 is never used.",
        (33, 37, 40, 45, 47): "You add 32, which is past the end of the table. A key after the query gets 16 more.",
        (30, 26, 23, 18, 16): "You count down from 31. Both directions count up: distance 1 to the right is 17.",
        (17, 21, 26, 31, 31): "This is the clipped offset + 16. Find the bucket of the distance first, then add 16.",
    },
    "causal": {
        LEFT: "These are an encoder's buckets. A decoder has all 32 for the past, 16 exact and 16 shared.",
        RIGHT: "A decoder has no upper half for later keys. All 32 buckets serve the past.",
        (0, 0, 0, 0, 0): "A decoder's bucket 0 is for the token itself and later keys. These are to the left.",
        (1, 5, 10, 17, 18): "You give each doubling a bucket. From 16 to 128 are three doublings, for 16 buckets.",
        (1, 5, 10, 25, 31): TOO_HIGH,
        (1, 5, 10, 25, 30): NEAREST,
        (1, 5, 10, 24.77, 30.1): WHOLE,
        (1, 5, 10, 24.8, 30.1): WHOLE,
        (1, 5, 10, 31, 31): "50 and 100 do not share a bucket here. From 16 on the logarithm decides.",
        (1, 5, 10, 8, 14): "Your shared buckets begin at 0. They follow the exact ones, so add 16.",
        (1, 5, 10, 16, 16): "The share of the way is below 1. Multiply it by the 16 shared buckets before the floor.",
        (1, 5, 10, 20, 23): "You multiply by 8. A decoder shares 16 of its 32 buckets, so multiply by 16.",
        (1, 5, 10, 19, 22): "You divide by too much, as by ln 128. Take ln(d/16) / ln(128/16), both to one base.",
        (1, 5, 10, 22, 26): "You divide by ln(128/8), as in an encoder. Here the whole way runs from 16 to 128.",
        (1, 5, 10, 26, 30): "Your logarithm starts at 8. Of a decoder's 32 buckets 16 are exact, so start at 16.",
        (1, 5, 9, 23, 29): "You use the 8 exact buckets of an encoder. Half of a decoder's 32 are exact, 0 to 15.",
    },
}
HINTS = [
    "1 and 5 are exact everywhere. Where does the exact part end in an encoder, and where in a decoder?",
    "Left: 8 + ⌊ln(d/8) / ln(128/8) · 8⌋ if d is 8 or more. Right: the same plus 16.",
    "Causal: 16 + ⌊ln(d/16) / ln(128/16) · 16⌋ if d is 16 or more, so 10 is exact.",
]
