"""Claims about T5 and its buckets."""

import numpy as np

from course_lib.reference.t5 import bucket, bucket_starts
from course_tasks.claims.claim import claim


@claim(
    "In T5's logarithmic buckets, twice the distance is one bucket further.",
    stated="false",
    verdict=lambda fact: (
        "true"
        if max(map(max, fact.values())) == 1
        else "half true"
        if 1 in fact["encoder"] + fact["decoder"]
        else "false"
    ),
    otherwise={"encoder": [1, 1, 1], "decoder": [1, 1]},
    because="In the encoder each doubling from distance eight moves {fact[encoder][0]} buckets on. In the decoder, "
    "from distance sixteen, it moves {fact[decoder][0]}, because sixteen buckets are left for three doublings.",
    source="run: T5's default sizes, every doubling up to 64; Raffel et al. 2020, section 2.1",
)
def doubling_is_one_bucket():
    encoder = bucket([-8, -16, -32, -64])
    decoder = bucket([-16, -32, -64], bidirectional=False)
    return {"encoder": np.diff(encoder).tolist(), "decoder": np.diff(decoder).tolist()}


@claim(
    "T5's encoder uses all of its 32 buckets.",
    stated="false",
    verdict=lambda fact: "true" if not fact["never used"] else "false",
    otherwise={"used": 32, "never used": []},
    because="Over all offsets up to ten thousand {fact[used]} buckets occur, and bucket {fact[never used][0]} never "
    "does. It would be distance zero after the query, and distance zero has its place among the buckets before.",
    source="run: T5's default sizes, every offset up to ±10,000",
)
def all_in_use():
    found = set(bucket(np.arange(-10_000, 10_001)).tolist())
    return {"used": len(found), "never used": sorted(set(range(32)) - found)}


@claim(
    "T5 tells distances apart up to 128; only beyond does everything fall into one bucket.",
    stated="false",
    verdict=lambda fact: (
        "true"
        if min(map(min, fact.values())) >= 128
        else "half true"
        if max(map(max, fact.values())) >= 128
        else "false"
    ),
    otherwise={"first shared": [128, 128], "last bucket from": [128, 128]},
    because="In the encoder distances share a bucket from {fact[first shared][0]} on, in the decoder from {fact[first "
    "shared][1]}. And the last bucket begins earlier than the sentence says: at {fact[last bucket from][0]} in the encoder, at "
    "{fact[last bucket from][1]} in the decoder.",
    source="run: T5's default sizes; Raffel et al. 2020, section 2.1, says it in these round words",
)
def apart_up_to_128():
    starts = [np.array(bucket_starts(bidirectional=both)) for both in (True, False)]
    shared = [int(s[:-1][np.diff(s) > 1][0]) for s in starts]  # the first of several distances
    return {"first shared": shared, "last bucket from": [int(s[-1]) for s in starts]}


@claim(
    "More buckets do no harm: 1,024 of them with a maximum distance of 128 are only a waste.",
    stated="false",
    verdict=lambda fact: "true" if fact["steps back"] == 0 else "false",
    otherwise={"exact buckets": 256, "steps back": 0, "lowest bucket": 0},
    because="There would be {fact[exact buckets]} exact buckets, more than the maximum distance. The logarithm then "
    "has a negative divisor: as distance grows the bucket falls {fact[steps back]} times, down to {fact[lowest "
    "bucket]}, which is no row of a table.",
    source="run: the published formula of Raffel et al. 2020, section 2.1, without a check of its sizes",
)
def more_buckets_no_harm():
    n, max_distance = 1024 // 2, 128
    exact = n // 2
    d = np.arange(exact, 1000)
    far = exact + np.floor(np.log(d / exact) / np.log(max_distance / exact) * (n - exact))
    found = np.minimum(far, n - 1).astype(int)
    back = int(np.sum(np.diff(found) < 0))
    return {"exact buckets": exact, "steps back": back, "lowest bucket": int(found.min())}
