"""Claims about T5 and its buckets. What a model's code gives is recorded in published.py."""

import numpy as np

from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, bucket_starts, t5_bias
from course_tasks.claims import published
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
    "T5's encoder tells the distances 0 to 7 apart exactly, each in a bucket of its own.",
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
    "Whether a T5 decoder is given j − i or i − j is only a convention: all its keys lie on one side anyway.",
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


@claim(
    "Offsets never change, so a learned bias can be computed once and cached.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"in use": 0.0, "after a step of training": 0.0},
    because="In use a cached bias differs from a new one by {fact[in use]}. After one step of training it is wrong by up "
    "to {fact[after a step of training]}, because the table has moved. What never changes is the bucket of each offset: "
    "cache that one.",
    source="run: T5's bias for forty words; a step of 0.01 against the gradient of a random loss",
)
def a_cached_bias():
    rng = np.random.default_rng(0)
    table, gradient = rng.normal(size=(2, 32, 1))
    cached = t5_bias(40, table=table)
    tables = {"in use": table, "after a step of training": table - 0.01 * gradient}
    wrong = {name: abs(t5_bias(40, table=now) - cached).max() for name, now in tables.items()}
    return {name: round(float(x), 4) for name, x in wrong.items()}


@claim(
    "T5 divides its scores by √d, as attention usually does.",
    stated="false",
    verdict=lambda fact: "true" if fact["divided"] < fact["bare"] else "false",
    otherwise={"bare": 0.4, "divided": 0.0},
    because="A small T5 attention layer was given random words. Its outputs differ from those of softmax(q·k + bias) "
    "by {fact[bare]}, from those of softmax(q·k / √d + bias) by {fact[divided]}. T5 makes up for it where it "
    "initialises W_q.",
    source="T5Attention of transformers 5.23.0, models/t5/modeling_t5.py, with random weights",
    quoted=True,
)
def t5_divides():
    x, w_q, w_k, w_v, w_o, table = published.t5_numbers()
    q, k, v = ((x @ w.T).reshape(3, 2, 2).swapaxes(0, 1) for w in (w_q, w_k, w_v))  # two heads
    found = {}
    for name, scale in (("bare", 1.0), ("divided", 2**-0.5)):
        output, _ = attention(q, k, v, bias=t5_bias(3, table=table), scale=scale)
        output = output.swapaxes(0, 1).reshape(3, 4) @ w_o.T
        found[name] = round(float(abs(output - published.T5_OUTPUT).max()), 4)
    return found


@claim(
    "T5 uses its relative bias in cross-attention too, to line up source and target.",
    stated="false",
    verdict=lambda fact: "true" if fact["cross-attention"] > 0 else "false",
    otherwise={"encoder": 1, "decoder": 1, "cross-attention": 1},
    because="A T5 of three layers a stack has {fact[encoder]} table in its encoder, {fact[decoder]} in the "
    "self-attention of its decoder, and {fact[cross-attention]} in cross-attention. There query and key come from two "
    "texts, each with positions of its own.",
    source="the parameters of T5Model of transformers 5.23.0, models/t5/modeling_t5.py; Raffel et al. 2020, "
    "section 2.1",
    quoted=True,
)
def bias_across():
    tables = published.T5_TABLES
    own = {
        stack: sum(name.startswith(stack) and "SelfAttention" in name for name in tables)
        for stack in ("encoder", "decoder")
    }
    return {**own, "cross-attention": sum("EncDecAttention" in name for name in tables)}


@claim(
    "T5 reached the state of the art in translation.",
    stated="false",
    verdict=lambda fact: (
        "true" if min(fact["ahead by"].values()) > 0 else "half true" if max(fact["ahead by"].values()) > 0 else "false"
    ),
    otherwise={"ahead by": {"German": 0.4, "French": 0.2, "Romanian": 1.5}},
    because="In the three translation tasks of WMT that the paper reports, its largest model is ahead of the best earlier "
    "result by {fact[ahead by][German]} (into German), {fact[ahead by][French]} (French) and "
    "{fact[ahead by][Romanian]} (Romanian) points of BLEU: it is behind in all of them, and the paper says so.",
    quoted=True,
    source="Raffel et al. 2020, section 3.7 and table 14: T5-11B 32.1, 43.4, 28.1; the best before it 33.8, 43.8, 38.5",
)
def t5_leads_in_translation():
    bleu = {"German": (32.1, 33.8), "French": (43.4, 43.8), "Romanian": (28.1, 38.5)}
    ahead = {language: round(t5 - before, 1) for language, (t5, before) in bleu.items()}
    return {"ahead by": ahead}
