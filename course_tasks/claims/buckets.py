"""Claims about T5's buckets."""

import numpy as np

from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, bucket_starts, t5_bias
from course_tasks.claims.claim import claim


@claim(
    "In T5's logarithmic buckets, twice the distance is one bucket further.",
    chapter="t5_buckets",
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
    "T5's encoder tells the distances 0 to 7 apart exactly, each in a bucket of its own.",
    chapter="t5_buckets",
    stated="true",
    verdict=lambda fact: "true" if fact["first shared distance"] == 8 else "false",
    otherwise={"first shared distance": 16, "offsets alone": 31},
    because="No distance before {fact[first shared distance]} shares its bucket, and each side of the query has its own "
    "buckets. These are {fact[offsets alone]} offsets, with zero counted once. From there on a bucket holds several.",
    source="run: T5's default sizes, every offset up to ±128; Raffel et al. 2020, section 2.1",
)
def exact_up_to_seven():
    r = np.arange(-128, 129)
    found = bucket(r)
    alone = np.bincount(found)[found] == 1
    return {"first shared distance": int(abs(r[~alone]).min()), "offsets alone": int(alone.sum())}


@claim(
    "T5's encoder uses all of its 32 buckets.",
    chapter="t5_buckets",
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
    chapter="t5_buckets",
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
    "Whether a T5 decoder is given j − i or i − j is only a convention: all its keys lie on one side anyway.",
    chapter="t5_buckets",
    stated="false",
    verdict=lambda fact: "true" if fact["i − j"] == fact["j − i"] else "false",
    otherwise={"j − i": 20, "i − j": 20},
    because="With j − i the visible keys of forty words fall into {fact[j − i]} buckets. With i − j they fall into "
    "{fact[i − j]}: that of the keys after the query. Then every key gets the same bias, which cancels in the softmax, and "
    "the decoder no longer knows any distance.",
    source="run: forty words, T5's decoder buckets, the causal mask",
)
def sign_is_convention():
    seen = offsets(40)[causal_mask(40)]
    found = {"j − i": seen, "i − j": -seen}
    return {name: len(np.unique(bucket(r, bidirectional=False))) for name, r in found.items()}


@claim(
    "Bidirectional buckets in a decoder break causality: words see the future.",
    chapter="t5_buckets",
    stated="false",
    verdict=lambda fact: "true" if fact["weight on later words"] > 0 else "false",
    otherwise={"weight on later words": 0.2, "buckets of the past": {"bidirectional": 13, "decoder": 23}},
    because="The weight on later words is {fact[weight on later words]}: the causal mask hides them, and no bias undoes "
    "a mask. The harm is another one. The past of forty words falls into {fact[buckets of the past][bidirectional]} "
    "buckets instead of {fact[buckets of the past][decoder]}, because half of the table waits for words that never come.",
    source="run: forty words, random scores and table, T5's default sizes",
)
def buckets_break_causality():
    rng, mask = np.random.default_rng(0), causal_mask(40)
    q, k, v = rng.normal(size=(3, 1, 40, 8))
    bias = t5_bias(40, table=rng.normal(size=(32, 1)))  # bidirectional
    weights = attention(q, k, v, bias=bias, mask=mask)[1]
    past = offsets(40)[mask]
    found = {"bidirectional": bucket(past), "decoder": bucket(past, bidirectional=False)}
    used = {name: np.unique(buckets).size for name, buckets in found.items()}
    return {"weight on later words": float(weights[0][~mask].max()), "buckets of the past": used}


@claim(
    "More buckets do no harm: 1,024 of them with a maximum distance of 128 are only a waste.",
    chapter="t5_buckets",
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
