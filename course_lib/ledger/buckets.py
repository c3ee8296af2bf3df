"""Claims about T5's buckets."""

import numpy as np

from course_lib.ledger.claim import claim
from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, bucket_starts


@claim(
    "In T5's logarithmic buckets, twice the distance is one bucket further.",
    chapter="06",
    stated="false",
    verdict=lambda fact: "true" if fact["encoder"] == 1 else "false",
    otherwise={"encoder": 1.0, "decoder": 1.0},
    because="In the encoder each doubling from distance eight moves {fact[encoder]:.0f} buckets on, in the decoder, "
    "from distance sixteen, {fact[decoder]:.0f}: its buckets are more, and finer.",
    source="run: T5's default sizes, the mean of three doublings; Raffel et al. 2020, section 2.1",
)
def doubling_is_one_bucket():
    encoder = bucket([-8, -16, -32, -64])
    decoder = bucket([-16, -32, -64, -128], bidirectional=False)
    return {"encoder": float(np.diff(encoder).mean()), "decoder": float(np.diff(decoder).mean())}


@claim(
    "T5's encoder tells the distances 0 to 7 apart exactly, each in a bucket of its own.",
    chapter="06",
    stated="true",
    verdict=lambda fact: "true" if fact["first shared distance"] == 8 else "false",
    otherwise={"first shared distance": 16, "alone": 16},
    because="The distances before {fact[first shared distance]} stand alone, {fact[alone]} of them in each "
    "direction. From there on a bucket holds several.",
    source="run: T5's default sizes; Raffel et al. 2020, section 2.1",
)
def exact_up_to_seven():
    distance = np.arange(129)
    found = bucket(-distance)
    alone = np.bincount(found)[found] == 1
    return {"first shared distance": int(distance[~alone][0]), "alone": int(alone.sum())}


@claim(
    "T5's encoder uses all of its 32 buckets.",
    chapter="06",
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
    chapter="06",
    stated="half true",
    verdict=lambda fact: (
        "false"
        if fact["buckets beyond"] > 1
        else "true"
        if min(fact["encoder"], fact["decoder"]) >= 128
        else "half true"
    ),
    otherwise={"encoder": 128, "decoder": 128, "buckets beyond": 1},
    because="Beyond it there is indeed {fact[buckets beyond]} bucket a direction. But that last bucket begins "
    "earlier: at {fact[encoder]} in the encoder, at {fact[decoder]} in the decoder.",
    source="run: T5's default sizes; Raffel et al. 2020, section 2.1, says it in these round words",
)
def apart_up_to_128():
    encoder, decoder = bucket_starts()[-1], bucket_starts(bidirectional=False)[-1]
    beyond = np.unique(bucket(-np.arange(128, 5000)))
    return {"encoder": encoder, "decoder": decoder, "buckets beyond": beyond.size}


@claim(
    "Whether a T5 decoder is given j − i or i − j is only a convention: all its keys lie on one side anyway.",
    chapter="06",
    stated="false",
    verdict=lambda fact: "true" if fact["i − j"] == fact["j − i"] else "false",
    otherwise={"j − i": 20, "i − j": 20},
    because="With j − i the visible keys of forty words fall into {fact[j − i]} buckets. With i − j they fall into "
    "{fact[i − j]}: that of the keys after the query. Then every key gets the same bias, softmax takes it away, and "
    "the decoder no longer knows any distance.",
    source="run: forty words, T5's decoder buckets, the causal mask",
)
def sign_is_convention():
    seen = offsets(40)[causal_mask(40)]
    found = {"j − i": seen, "i − j": -seen}
    return {name: len(np.unique(bucket(r, bidirectional=False))) for name, r in found.items()}


@claim(
    "More buckets do no harm: 1,024 of them with a maximum distance of 128 are only a waste.",
    chapter="06",
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
