"""Questions that compare schemes, and questions about FoX and FIRE."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_chapters.measured import SOURCE, TASKS, unbeaten
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.fire import shares
from course_lib.reference.fox import fox_bias, key_form


@claim(
    "A relative bias makes training less than 5 % slower.",
    "The papers time whole models in training: ALiBi, added to a mask that is added anyway, takes at most "
    "{alibi:.1%} more time, Shaw's vectors {shaw:.1%}, T5's bias {t5:.1%} in one code and {other:.1%} in another. As "
    "a share of attention alone, the same extra time is more. It depends on the scheme and on its code; the chapter "
    "about fast attention times attention on your machine.",
    "Press et al. 2022, figure 2: within 1 %, and appendix table 1, 512 tokens: 14,400 words a second against 28,500; "
    "its footnote 8, from Narang et al. 2021: 8.7 %; Shaw et al. 2018, section 3.3: 7 % fewer steps a second",
)
def less_than_five_percent():
    more = dict(alibi=0.01, shaw=1 / (1 - 0.07) - 1, t5=28_500 / 14_400 - 1, other=0.087)
    return judged(*(time < 0.05 for time in more.values())), more


@claim(
    "One scheme is the best for long texts.",
    "Say that one scheme beats another if each of its seeds is better than each of the other's, by a thousandth of a "
    "nat or more. These schemes of our study were not beaten in the longest texts. Text: {best[characters]}. Copying: "
    "{best[copy-back]}. Flip-flop: {best[flip-flop]}. Retrieval: {best[retrieval]}. In all four lists: {always}. So in "
    "these small models the best scheme depends on the task.",
    f"{SOURCE}; window-64: RoPE in a window of 64 keys; +none: no positions in the second layer",
)
def one_best_scheme():
    best = {task: set(unbeaten(task)) for task in TASKS}
    always = set.intersection(*best.values())
    verdict = "false" if not always else "true" if all(names == always for names in best.values()) else "unsourced"
    listed = {task: ", ".join(unbeaten(task)) for task in TASKS}
    return verdict, dict(best=listed, always=", ".join(sorted(always)) or "no scheme")


@claim(
    "FoX gives each pair of tokens a bias of its own, and yet one number per key is enough to compute it.",
    "Ten tokens have {pairs} visible pairs, each with its sum of logarithms. Each is a difference of two running "
    "sums. The query's running sum is the same for all its keys, so the softmax removes it. With {keys} numbers, one "
    "per key, the weights differ by {differ:.2g}.",
    "run: random scores and gates under a causal mask; Lin et al. 2025, the efficient form",
)
def fox_per_key():
    rng, visible = np.random.default_rng(0), causal_mask(10)
    s, gates = rng.normal(size=(10, 10)), rng.uniform(0.5, 1, 10)
    one, other = (softmax(np.where(visible, s + bias, -np.inf)) for bias in (fox_bias(gates), key_form(gates)))
    pairs, keys, differ = visible.sum(), key_form(gates).size, abs(one - other).max().round(9)
    return judged(differ < 1e-6 and pairs > keys), dict(pairs=pairs, keys=keys, differ=differ)


@claim(
    "FIRE meets nothing new in a longer text, because its input is always a share from 0 to 1.",
    "Only if its threshold lies within the training length. With a threshold of half that length, training has met "
    "shares up to {half[0]:.3g}, and eight times as long a text has no larger ones. With a threshold of four times "
    "that length, training has met shares up to {four[0]:.3g} only, and the longer text has shares up to "
    "{four[1]:.3g}. In both cases a near key gets smaller shares than it had in training.",
    "run: all pairs of 128 and of 1,024 tokens; Li et al. 2023 (FIRE), where the threshold is learned",
)
def fire_stays_within():
    def largest(threshold):  # in training, and in a longer text
        return [np.tril(shares(n, c=0.1, threshold=threshold)).max() for n in (128, 1024)]

    half, four = largest(64), largest(512)
    return judged(*(longer <= trained + 1e-9 for trained, longer in (half, four))), dict(half=half, four=four)


@question(
    "A text comes in segments, each numbered from 0, with a memory of the one before. Which scheme is ruled out?",
    {
        "ALiBi": "Only the distance counts, and a key in memory is only farther back.",
        "T5 buckets": "Queries come after the memory, and every distance has a bucket.",
        "Learned absolute positions": "Yes: token t of the memory and token t of the segment have the same number.",
        "Transformer-XL": "It was made for this: a vector per distance, however far back.",
    },
)
def segments():
    from course_lib.schemes import SCHEMES

    schemes = {"ALiBi": "ALiBi", "T5 buckets": "T5 buckets", "Learned": "learned", "Transformer-XL": "Transformer-XL"}
    (numbered,) = (option for option, scheme in schemes.items() if "input" in SCHEMES[scheme].enters)
    return numbered
