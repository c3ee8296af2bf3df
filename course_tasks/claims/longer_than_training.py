"""Claims about texts longer than training, decided by the course's own study."""

import numpy as np

from course_lib.contents import number
from course_tasks.claims.claim import claim
from course_tasks.claims.study_facts import (
    SOURCE,
    counted,
    in_each_task,
    is_level,
    losses,
    rises,
    schemes,
    settings,
)


@claim(
    "RoPE reads texts longer than its training without any change.",
    stated="false",
    verdict=lambda fact: "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["level"] else "false",
    otherwise={"rise": {"characters": 0.0, "copy-back": 0.0, "flip-flop": 0.0}, "level": 3},
    because="From the training length to eight times that, its loss rose by {fact[rise][characters]} nats in text, "
    "{fact[rise][copy-back]} in copying and {fact[rise][flip-flop]} in flip-flop. The model never met the angles of far "
    "offsets in training.",
    source=f"{SOURCE}; Press et al. 2022, section 2, find the same with language models",
)
def rope_reads_longer():
    return counted(in_each_task("rope"))


@claim(
    "A model with ALiBi keeps its loss when texts grow to eight times the training length.",
    stated="half true",
    verdict=lambda fact: "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["level"] else "false",
    otherwise={"rise": {"characters": 0.9, "copy-back": 0.4, "flip-flop": 0.3, "retrieval": 0.9}, "level": 0, "seeds of retrieval": 3},
    because="In small causal models its loss changed by {fact[rise][characters]:+.2f} nats in text, by "
    "{fact[rise][copy-back]:+.2f} in copying and by {fact[rise][flip-flop]:+.2f} in flip-flop, so it is level in all "
    "three. But there, the keys that matter are nearly always near. In retrieval, where the answer lies at the beginning "
    "of the text, it rose by {fact[rise][retrieval]} nats (seeds: {fact[seeds of retrieval]}).",
    source=f"{SOURCE}; Press et al. 2022, section 4, for language models",
)
def alibi_stays_level():
    far = rises("retrieval", "alibi", "long-2000")  # asked at the end, told at the start
    found = {**in_each_task("alibi"), "retrieval": far}
    return {**counted(found), "seeds of retrieval": far.size}


@claim(
    "Sinusoidal positions let a model read texts longer than its training, because a sine never ends.",
    stated="false",
    verdict=lambda fact: "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["level"] else "false",
    otherwise={"level": 4, "rise": {"characters": 0.0, "copy-back": 0.0, "flip-flop": 0.0, "larger embeddings": 0.0}},
    because="The sine continues, but the model was never trained on its values there. In text the loss rose by "
    "{fact[rise][characters]} nats, and by {fact[rise][larger embeddings]} with embeddings times √d_model; in copying "
    "it rose by {fact[rise][copy-back]}, in flip-flop by {fact[rise][flip-flop]}.",
    source=f"{SOURCE}; Vaswani et al. 2017, section 3.5, hoped for it; Press et al. 2022, section 2, measured it",
)
def sines_go_on():
    larger = rises("characters", "sinusoidal-scaled")
    return counted({**in_each_task("sinusoidal"), "larger embeddings": larger})


@claim(
    "T5's bias is safe in long texts: all far distances share its last bucket.",
    stated="half true",
    verdict=lambda fact: "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["level"] else "false",
    otherwise={"rise": {"within": 0.2, "within, copying": 0.7, "past": 1.0, "within, slower": 0.7}, "level": 0},
    because="It is level in text ({fact[rise][within]:+} nats) if training reaches the last bucket and the table learns "
    "ten times as fast as the rest. At the rate of the rest the loss rises by {fact[rise][within, slower]}. In copying "
    "it rises by {fact[rise][within, copying]} even with the fast table. If training does not reach the last buckets, "
    "they keep their random numbers, and the loss in text rises by {fact[rise][past]}.",
    source=f"{SOURCE}; max_distance 64 and 256",
)
def last_bucket_is_safe():
    found = {
        "within": rises("characters", "t5-64"),
        "within, copying": rises("copy-back", "t5-64"),
        "past": rises("characters", "t5-256"),
        "within, slower": rises("characters", "t5-64", "table-rate-1"),
    }
    return counted(found)


@claim(
    "At the length they were trained on, logarithmic buckets beat every other layout.",
    stated="unsourced",
    verdict=lambda fact: "true" if fact["best"][0] == fact["seeds"] else "unsourced" if fact["best"][0] else "false",
    otherwise={"seeds": 3, "lengths": [64, 512], "best": [3, 3]},
    because="The table that says so gives no model, data or seed. At the training length of {fact[lengths][0]} tokens, "
    "they were the best of our four layouts for {fact[best][0]} of {fact[seeds]} seeds, which decides nothing. At "
    "{fact[lengths][1]:,} tokens they were the best for {fact[best][1]} of {fact[seeds]}.",
    source="a table that circulates, perplexity 18.0 against 18.2, 18.3 and 18.5; run: the study of chapter "
    f"{number('longer_than_training')}, text, sixteen buckets",
)
def logarithmic_is_best():
    log = losses("characters", "log-buckets-16", "ablation")
    layouts = ("linear", "quadratic", "uniform")
    others = [losses("characters", f"{layout}-buckets-16", "ablation") for layout in layouts]
    best = np.sum(log < np.min(others, axis=0), axis=0)  # for how many seeds, at each length
    lengths = settings("ablation")["tests"][:: len(best) - 1]  # the first and the last
    return {"seeds": len(log), "lengths": lengths, "best": best[:: len(best) - 1].tolist()}


@claim(
    "A loss that stays level shows that a model uses all of the longer text.",
    stated="false",
    verdict=lambda fact: (
        "true" if fact["read worse without"] == fact["level schemes"] else "half true" if fact["read worse without"] else "false"
    ),
    otherwise={"level schemes": 6, "read worse without": 6},
    because="In text, {fact[level schemes]} schemes of our study are level. Mask all keys that are a training length or "
    "farther back, and {fact[read worse without]} of them read worse by more than a hundredth of a nat. A level loss shows "
    "that a longer text does not disturb a model.",
    source=SOURCE,
)
def level_is_used():
    level = [scheme for scheme in schemes("characters") if is_level(rises("characters", scheme))]
    cost = [losses("characters", s, what="far_masked") - losses("characters", s) for s in level]
    worse = [nats for nats in cost if nats[:, -1].mean() > 0.01]
    return {"level schemes": len(level), "read worse without": len(worse)}


@claim(
    "Models without positions generalise best to longer texts.",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["level"] == len(fact["rise"]) else "half true" if fact["beaten in the paper"] else "false"
    ),
    otherwise={"beaten in the paper": 4, "rise": {"characters": 0.0, "copy-back": 0.0, "flip-flop": 0.0}, "level": 3},
    because="In the paper that is quoted for it they did: on small reasoning tasks, at up to twice the training length, "
    "they beat all {fact[beaten in the paper]} schemes that they were compared with. In our study their loss rose by "
    "{fact[rise][characters]} nats in text, {fact[rise][copy-back]} in copying and {fact[rise][flip-flop]} in flip-flop, "
    "while other schemes stayed level.",
    quoted=True,
    source=f"Kazemnejad et al. 2023, abstract; {SOURCE}",
)
def nope_is_best():
    beaten = ["absolute positions", "T5", "ALiBi", "RoPE"]
    return {"beaten in the paper": len(beaten), **counted(in_each_task("none"))}
