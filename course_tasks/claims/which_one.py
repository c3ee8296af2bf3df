"""Claims that compare schemes, and claims about FoX and FIRE."""

import numpy as np

from course_lib.contents import TOPICS
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.fire import shares
from course_lib.reference.fox import fox_bias, key_form
from course_tasks.claims.claim import claim
from course_tasks.claims.study_facts import SOURCE, unbeaten
from course_tasks.measured import TASKS


@claim(
    "A relative bias makes training less than 5 % slower.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) < 5 else "half true" if min(fact.values()) < 5 else "false",
    otherwise={"ALiBi": 1.0, "Shaw's vectors": 2.1, "T5's bias": 3.4, "T5's bias, other code": 3.1},
    because="The papers time whole models in training, in percent more: ALiBi at most {fact[ALiBi]}, added to a mask "
    "that is added anyway, Shaw's vectors {fact[Shaw's vectors]}, T5's bias {fact[T5's bias]} in one code and "
    "{fact[T5's bias, other code]} in another. As a share of attention alone, the same extra time is more. It depends on the "
    f"scheme and on its code; the chapter “{TOPICS['fast_attention'].title}” times attention on your machine.",
    quoted=True,
    source="Press et al. 2022, figure 2: within 1 %, and appendix table 1, 512 tokens: 14,400 words a second against "
    "28,500; its footnote 8, from Narang et al. 2021: 8.7 %; Shaw et al. 2018, section 3.3: 7 % fewer steps a second",
)
def less_than_five_percent():
    alibi, shaw, t5 = 0.01, 0.07 / (1 - 0.07), 28_500 / 14_400 - 1
    other = {"T5's bias, other code": 0.087}
    more_time = {"ALiBi": alibi, "Shaw's vectors": shaw, "T5's bias": t5, **other}
    return {scheme: round(100 * more, 1) for scheme, more in more_time.items()}


@claim(
    "One scheme is the best for long texts.",
    stated="unsourced",
    verdict=lambda fact: (
        "false"
        if not set.intersection(*(set(names.split(", ")) for names in fact["best"].values()))
        else "unsourced"
        if any(", " in names for names in fact["best"].values())
        else "true"
    ),
    otherwise={"best": {"characters": "rope", "copy-back": "alibi", "flip-flop": "shaw-32"}, "in all three": ""},
    because="Say that one scheme beats another if each of its seeds is better than each of the other's, by a thousandth of "
    "a nat or more. In our study no scheme beat these in the longest texts: in text {fact[best][characters]}; in copying "
    "{fact[best][copy-back]}; in flip-flop {fact[best][flip-flop]}. In all three lists: {fact[in all three]}. But "
    "no list has one name only, and in these tasks the keys that matter are nearly always near.",
    source=f"{SOURCE}; window-64: RoPE in a window of 64 keys; +none: no positions in the second layer",
)
def one_best_scheme():
    lists = {task: unbeaten(task) for task in TASKS}
    always = set.intersection(*map(set, lists.values()))
    best = {task: ", ".join(names) for task, names in lists.items()}
    return {"best": best, "in all three": ", ".join(sorted(always))}


@claim(
    "FoX is only another name for ALiBi.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) < 1e-6 else "half true" if min(fact.values()) < 1e-6 else "false",
    otherwise={"constant gates": 0.0, "gates that differ": 0.0},
    because="If every token forgets the same share, the bias differs from a straight line by {fact[constant gates]}: it is "
    "ALiBi, and the slope is minus the logarithm of the gate. If the gates differ, as they do when they are computed from the "
    "tokens, it differs from the line with their mean by up to {fact[gates that differ]}.",
    source="run: ten tokens; Lin et al. 2025 (Forgetting Transformer), arXiv 2503.02130",
)
def fox_is_alibi():
    gates = np.random.default_rng(0).uniform(0.5, 1, 10)
    found = {}
    for name, f in {"constant gates": np.full(10, 0.8), "gates that differ": gates}.items():
        line = decay_bias(10, scale=-np.log(f).mean(), decay="linear")
        found[name] = round(float(abs(fox_bias(f) - line)[causal_mask(10)].max()), 6)
    return found


@claim(
    "FoX gives each pair of tokens a bias of its own, and yet one number per key is enough to compute it.",
    stated="true",
    verdict=lambda fact: "true" if fact["weights differ by"] < 1e-6 and fact["biases"] > fact["numbers"] else "false",
    otherwise={"biases": 55, "numbers": 10, "weights differ by": 0.2},
    because="Ten tokens have {fact[biases]} visible pairs, each with its sum of logarithms. Each is a difference of two "
    "running sums. The query's running sum is the same for all its keys, so the softmax removes it. With "
    "{fact[numbers]} numbers, one per key, the weights differ by {fact[weights differ by]}.",
    source="run: random scores and gates under a causal mask; Lin et al. 2025, the efficient form",
)
def fox_per_key():
    rng, visible = np.random.default_rng(0), causal_mask(10)
    s, gates = rng.normal(size=(10, 10)), rng.uniform(0.5, 1, 10)
    pairs, keys = fox_bias(gates), key_form(gates)
    one, other = (softmax(np.where(visible, s + bias, -np.inf)) for bias in (pairs, keys))
    counts = {"biases": int(visible.sum()), "numbers": keys.size}
    return {**counts, "weights differ by": round(float(abs(one - other).max()), 9)}


@claim(
    "A relative bias has one number for each offset, wherever in the text it occurs.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) < 1e-6 else "half true" if min(fact.values()) < 1e-6 else "false",
    otherwise={"log decay": 0.0, "FIRE": 0.0},
    because="Take the offset of one step back, at all positions of a text. A log decay varies by {fact[log decay]}, and "
    "T5 and ALiBi vary as little. The input of FIRE varies by {fact[FIRE]}, because it divides the distance by the query's "
    "position. No row of offsets holds this bias.",
    source="run: a hundred tokens, FIRE's threshold at sixteen; Li et al. 2023 (FIRE)",
)
def one_number_per_offset():
    grids = {"log decay": decay_bias(100), "FIRE": shares(100, c=1.0, threshold=16)}
    return {name: round(float(np.ptp(np.diagonal(grid, -1))), 4) for name, grid in grids.items()}


@claim(
    "FIRE meets nothing new in a longer text, because its input is always a share from 0 to 1.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if all(longer <= trained for trained, longer in fact.values())
        else "half true"
        if any(longer <= trained for trained, longer in fact.values())
        else "false"
    ),
    otherwise={"threshold 64": [1.0, 1.0], "threshold 512": [1.0, 1.0]},
    because="Only if its threshold lies within the training length. With a threshold of half that length, training has met "
    "shares up to {fact[threshold 64][0]}, and eight times as long a text has no larger ones. With a threshold of four times "
    "that length, training has met shares up to {fact[threshold 512][0]} only, and the longer text has shares up to "
    "{fact[threshold 512][1]}. In both cases a near key gets smaller shares than it had in training.",
    source="run: all pairs of 128 and of 1,024 tokens; Li et al. 2023 (FIRE), where the threshold is learned",
)
def fire_stays_within():
    def largest(threshold):
        grids = (np.tril(shares(n, c=0.1, threshold=threshold)) for n in (128, 1024))
        return [round(float(grid.max()), 3) for grid in grids]

    return {f"threshold {threshold}": largest(threshold) for threshold in (64, 512)}
