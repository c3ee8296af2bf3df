"""Claims about positions and offsets. Imports are absolute here: each fact is shown with those it uses, for a cell."""

import numpy as np

from course_lib.contents import number
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, causal_mask, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index
from course_tasks.claims.claim import claim


@claim(
    "Without positions, attention cannot tell in which order the words stand.",
    chapter="blind_to_distance",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every key": 0.0, "only the past": 0.0},
    because="Where a query sees every key, another order of the words changes the answer of each word by {fact[every "
    "key]}. Under a causal mask it changes them by up to {fact[only the past]}: each word then sees other words before "
    "it.",
    source="run: the five tokens of the course, reversed; Vaswani et al. 2017, section 3.5",
)
def words_in_another_order():
    change = {}
    for name, mask in (("every key", None), ("only the past", causal_mask(5))):
        forward = attention(Q, K, V, mask=mask)[0]
        backward = attention(Q[::-1], K[::-1], V[::-1], mask=mask)[0][::-1]
        change[name] = round(float(abs(forward - backward).max()), 4)
    return change


@claim(
    "Train on 128 tokens, test on 256, and three quarters of the pairs of absolute positions are new.",
    chapter="absolute_positions",
    stated="true",
    verdict=lambda fact: "true" if fact["new"] == 0.75 * fact["all"] else "false",
    otherwise={"new": 16_512, "all": 65_536},
    because="A pair is known if both positions were trained. Of {fact[all]:,} pairs {fact[new]:,} are new: twice the "
    "length has four times the pairs, and training had only one of the four.",
    source="run: all pairs counted",
)
def positions_never_seen():
    trained = np.arange(256) < 128
    known = trained[:, None] & trained
    return {"new": int(np.sum(~known)), "all": known.size}


@claim(
    "With relative positions nothing in a longer text is new: every distance was seen in training.",
    chapter="absolute_positions",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every offset its own": 0.0, "clipped": 0.0},
    because="At twice the training length, a scheme with a number for every offset meets offsets that it never saw "
    "in {fact[every offset its own]:.1%} of the pairs. With clipping it is {fact[clipped]:.0%}: far offsets share a "
    "row that was trained.",
    source="run: trained at 128, tested at 256, all pairs counted, clipped at 16; Shaw et al. 2018, section 3.2",
)
def nothing_new():
    trained, tested = offsets(128), offsets(256)
    alone = np.isin(tested, trained, invert=True).mean()
    clipped = np.isin(clip_index(tested, 16), clip_index(trained, 16), invert=True).mean()
    return {"every offset its own": round(float(alone), 4), "clipped": round(float(clipped), 4)}


@claim(
    "Under a bias that falls with distance, no word looks less at itself.",
    chapter="bias_by_hand",
    stated="true",
    verdict=lambda fact: "true" if fact["less"] == 0 else "false",
    otherwise={"more": 4800, "the same": 600, "less": 600},
    because="Under three decays, with and without a causal mask, a random word looks more at itself than before in "
    "{fact[more]:,} cases, as much in {fact[the same]:,} and less in {fact[less]}. It must be so: the own score keeps "
    "its bias of zero, and the sum it is divided by cannot grow. It stays for a first word that sees only itself.",
    source="run: random scores, three decays",
)
def own_word_gains():
    scores = np.random.default_rng(0).normal(size=(200, 5, 5))
    change = []
    for hidden in (0, np.where(causal_mask(5), 0, -np.inf)):
        for decay in ("log", "linear", "quadratic"):
            bias = decay_bias(5, decay=decay)
            gain = softmax(scores + hidden + bias) - softmax(scores + hidden)
            change.append(np.diagonal(gain, axis1=1, axis2=2))
    counts = {"more": np.greater, "the same": np.equal, "less": np.less}
    return {name: int(np.sum(compare(change, 0))) for name, compare in counts.items()}


@claim(
    "The middle word gains most from a distance bias, because it has near neighbours on both sides.",
    chapter="bias_by_hand",
    stated="false",
    verdict=lambda fact: "true" if fact["middle"] > fact["end"] else "false",
    otherwise={"end": 0.0461, "middle": 0.0626},
    because="Give five words the same content, so that only the bias speaks. The weight of the middle word on itself "
    "rises by {fact[middle]}, that of a word at the end by {fact[end]}. Near neighbours keep their weight too, so "
    "they take more of the row.",
    source=f"run: equal content, the log decay of chapter {number('bias_by_hand')}",
)
def middle_gains_most():
    gain = np.diagonal(softmax(decay_bias(5))) - 1 / 5
    return {"end": round(float(gain[0]), 4), "middle": round(float(gain[2]), 4)}
