"""Five distances with a pencil."""

import math

from ...reference.t5 import bucket
from ..engine import Answer, Axis, Mistake

DISTANCES = (1, 5, 10, 50, 100)


def _right():
    left, right = ([-d for d in DISTANCES], list(DISTANCES))
    return {
        "left": bucket(left).tolist(),
        "right": bucket(right).tolist(),
        "causal": bucket(left, bidirectional=False).tolist(),
    }


def _slip(past_exact, n=16, e=8):
    """The five buckets when the shared ones are computed as past_exact(d): floor and clamp as they should be."""
    return [d if d < e else min(e + math.floor(past_exact(d)), n - 1) for d in DISTANCES]


_LEFT, _RIGHT, _CAUSAL = _right().values()

five_distances = Answer(
    "five_distances",
    title="Five distances with a pencil",
    minutes=12,
    difficulty=2,
    words=r"""32 buckets, `max_distance` 128. Which bucket do the distances 1, 5, 10, 50 and 100 fall into: for a key to the
**left** of an encoder's query, for a key to its **right**, and for a key to the left of a **causal** decoder's query?
Give three lists of five, in that order of distances. You need a calculator for two logarithms per distance at most.
Distance 3 would give 3, 19 and 3.""",
    expected=_right,
    digits=2,
    axes=(Axis("distance", [str(d) for d in DISTANCES]),),
    mistakes=[
        Mistake(
            {"left": _RIGHT, "right": _LEFT},
            "Left and right have changed places: the past has the lower half, buckets 0 to 15.",
        ),
        Mistake(
            {"left": [16 - x for x in _LEFT]},
            "Left: you count down from 16. Both directions count up from the query, which is bucket 0: distance 1 to the left is 1.",
        ),
        Mistake(
            {"left": [15 - x for x in _LEFT]},
            "Left: you count down from 15. Both directions count up from the query, which is bucket 0: distance 1 to the left is 1.",
        ),
        Mistake(
            {"right": [31 - x for x in _LEFT]},
            "Right: you count down from 31. Both directions count up from the query: distance 1 to the right is 17.",
        ),
        Mistake(
            {"right": [32 + x for x in _LEFT]},
            "Right: 32 more runs past the end of the table. A key after the query gets 16 more, half of the 32 buckets.",
        ),
        Mistake(
            {"left": [1, 5, 9, 13, 15]},
            "Left: you rounded to the nearest whole number. The formula takes the floor: what is behind the point is cut off.",
        ),
        Mistake(
            {"causal": [1, 5, 10, 25, 30]},
            "Causal: one value is rounded up. The formula takes the floor: what is behind the point is cut off.",
        ),
        Mistake(
            {"left": _CAUSAL}, "Left: these are a decoder's buckets. An encoder's direction has 16, 8 of them exact."
        ),
        Mistake(
            {"left": [1, 5, 10, 15, 15]},
            "Left: distance 10 is not exact in an encoder. Half of the 16 buckets of a direction are: 0 to 7.",
        ),
        Mistake(
            {"causal": _LEFT},
            "Causal: these are an encoder's buckets. A decoder has all 32 for the past: 16 exact, 16 shared.",
        ),
        Mistake(
            {"right": _LEFT}, "Right: the direction is missing. A key after the query gets the upper half: 16 more."
        ),
        Mistake(
            {"right": [x + 15 for x in _LEFT]},
            "Right: one too small throughout. Distance 1 to the right is 17; bucket 16 is never used.",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log(d / 8) / math.log(128) * 8)},
            "Left: you divide by ln 128. The whole way runs from 8 to 128: divide by ln(128/8).",
        ),
        Mistake(
            {"causal": _slip(lambda d: math.log(d / 16) / math.log(128) * 16, 32, 16)},
            "Causal: you divide by ln 128. The whole way runs from 16 to 128: divide by ln(128/16).",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log(d) / math.log(128) * 8)},
            "Left: you take ln d / ln 128. Both count from the last exact bucket on: ln(d/8) / ln(128/8).",
        ),
        Mistake(
            {"causal": _slip(lambda d: math.log(d / 8) / math.log(16) * 16, 32, 16)},
            "Causal: the logarithm starts at 8. With 32 buckets for the past 16 are exact: ln(d/16) / ln(128/16).",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log(d / 8) / math.log2(16) * 8)},
            "Left: two bases in one formula, ln above and log₂ below. The base does not matter, but it must be the same.",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log2(d / 8) / math.log(16) * 8)},
            "Left: two bases in one formula, log₂ above and ln below. The base does not matter, but it must be the same.",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log10(d / 8) / math.log(16) * 8)},
            "Left: too few. Either there are two bases in one formula, log₁₀ above and ln below, or you count one bucket per doubling: in an encoder a doubling is two.",
        ),
        Mistake(
            {"causal": _slip(lambda d: math.log2(d / 16), 32, 16)},
            "Causal: one bucket per doubling is too few. From 16 to 128 there are three doublings, and 16 buckets to share.",
        ),
        Mistake(
            {"left": _slip(lambda d: (d - 8) / (128 - 8) * 8)},
            "Left: the distances are shared out evenly. It is their logarithms that are.",
        ),
        Mistake(
            {"left": _slip(lambda d: math.log(d / 8) / math.log(16) * 16)},
            "Left: you multiply by 16. Of the 16 buckets of a direction 8 are shared: times 8.",
        ),
        *(
            Mistake({"left": [1, 5, *far]}, "Left: a bucket is a whole number. Cut off what is behind the point.")
            for far in ([8.64, 13.29, 15.29], [8.64, 13.29, 15], [8.6, 13.3, 15.3], [8.6, 13.3, 15])
        ),
        *(
            Mistake(
                {"causal": [1, 5, 10, *far]}, "Causal: a bucket is a whole number. Cut off what is behind the point."
            )
            for far in ([24.77, 30.1], [24.8, 30.1])
        ),
        Mistake(
            {"left": [1, 5, 9, 14, 15]},
            "Left: you round up. The formula takes the floor: what is behind the point is cut off.",
        ),
        Mistake(
            {"left": [1, 5, 9, 14, 16]},
            "Left: you round up, and past the last bucket of the direction, which is 15. The formula takes the floor.",
        ),
        Mistake({"left": [1, 5, 0, 5, 7]}, "Left: the shared buckets follow the exact ones: 8 + …"),
        Mistake(
            {"left": [1, 5, 8, 8, 8]},
            "Left: a share of the way is below 1. Times the 8 shared buckets, then the floor.",
        ),
        Mistake(
            {"left": [15, 11, 6, 0, 0]},
            "Left: this is the clipped offset + 16. T5's buckets are not centred on 16: the past counts up from 0.",
        ),
        Mistake(
            {"left": [1, 5, 10, 50, 100]}, "Left: these are the distances. Only distances 0 to 7 are their own bucket."
        ),
        Mistake({"left": [1, 5, 8, 13, 14]}, "Left: the last bucket, 15, begins at 91. Distance 100 is past that."),
        Mistake(
            {"left": [-x for x in _LEFT]},
            "Left: a bucket is a row of the table, 0 or more. The past has the lower half.",
        ),
        Mistake(
            {"right": [17, 21, 26, 31, 31]},
            "Right: this is the clipped offset + 16. Only the distances 0 to 7 have a bucket each; the bucket of a distance comes first, then 16 more.",
        ),
        Mistake(
            {"right": [-x for x in _LEFT]},
            "Right: a direction is not a sign. A key after the query gets the upper half: 16 more.",
        ),
        Mistake(
            {"right": [16 - x for x in _LEFT]},
            "Right: the numbers count up with the distance, 16 more than to the left.",
        ),
        Mistake(
            {"causal": [0] * 5},
            "Causal: everything in bucket 0, which is a decoder's future. These keys are to the left: their offsets are negative.",
        ),
        Mistake(
            {"causal": _RIGHT}, "Causal: a decoder has no upper half for the future. All 32 buckets serve the past."
        ),
        Mistake({"causal": [1, 5, 10, 24, 31]}, "Causal: 100 has not reached the last bucket: that begins at 113."),
        Mistake({"causal": [1, 5, 10, 25, 31]}, "Causal: you round up. The formula takes the floor."),
        Mistake({"causal": [1, 5, 10, 8, 14]}, "Causal: the shared buckets follow the exact ones: 16 + …"),
        Mistake(
            {"causal": [1, 5, 10, 16, 16]},
            "Causal: a share of the way is below 1. Times the 16 shared buckets, then the floor.",
        ),
        Mistake(
            {"causal": _slip(lambda d: math.log(d / 8) / math.log(16) * 24, 32, 8)},
            "Causal: 8 exact buckets are an encoder's. Half of a decoder's 32 are exact: 0 to 15.",
        ),
        Mistake(
            {"causal": _slip(lambda d: math.log(d / 16) / math.log(8) * 8, 32, 16)},
            "Causal: you multiply by 8. Of a decoder's 32 buckets 16 are shared: times 16.",
        ),
        Mistake(
            {"causal": [1, 5, 10, 31, 31]},
            "Causal: 50 and 100 do not share a bucket here. From 16 on the logarithm decides.",
        ),
    ],
    hints=[
        "1 and 5 are exact everywhere. Where does the exact part end in an encoder, and where in a decoder?",
        "Left: 8 + ⌊ln(d/8) / ln(128/8) · 8⌋ once d is 8 or more. Right: the same plus 16.",
        "Causal: 16 + ⌊ln(d/16) / ln(128/16) · 16⌋ once d is 16 or more, so 10 is exact.",
    ],
)
