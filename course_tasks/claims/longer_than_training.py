"""Claims about texts longer than training, decided by the course's own study."""

import numpy as np

from course_lib.contents import number
from course_lib.reference.attention import softmax
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
    "In longer texts a query under a log decay looks at fewer tokens, because fewer weights exceed 1 %.",
    stated="false",
    verdict=lambda fact: "true" if fact["span"][1] < fact["span"][0] else "false",
    otherwise={"above 1 %": [21, 9], "span": [29.0, 12.0]},
    because="The count of these weights falls from {fact[above 1 %][0]} to {fact[above 1 %][1]}, but the span, e to "
    "the entropy, rises from {fact[span][0]:.0f} to {fact[span][1]:.0f} tokens. With more keys every single "
    "weight falls, and the small ones together hold more.",
    source="run: the bias alone, scale 1, rows of 64 and of 16,384 keys",
)
def looks_at_fewer():
    rows = [softmax(-np.log1p(np.arange(n))) for n in (64, 16_384)]
    spans = [float(np.exp(-np.sum(w * np.log(w)))) for w in rows]
    above = [int(np.sum(w > 0.01)) for w in rows]
    return {"above 1 %": above, "span": [round(span, 1) for span in spans]}


@claim(
    "ALiBi reads texts of any length.",
    stated="false",
    verdict=lambda fact: "unsourced" if fact["level"] == len(fact["rise"]) else "false",
    otherwise={
        "times the training": {"here": 8, "best in the paper": [23, 2]},
        **{"level": 4, "rise": {"characters": 0.0, "copy-back": 0.0, "flip-flop": 0.0, "retrieval": 0.0}},
    },
    because="At {fact[times the training][here]} times the training length our models' loss changed by "
    "{fact[rise][characters]:+.2f} nats in text, by {fact[rise][copy-back]:+.2f} in copying and by "
    "{fact[rise][flip-flop]:+.2f} in flip-flop. In retrieval, where the answer lies at the beginning of the text, it "
    "rose by {fact[rise][retrieval]}. The paper's models were at their best at more than {fact[times the training][best in "
    "the paper][0]} times the training length on a small corpus, and at about {fact[times the training][best in the "
    "paper][1]} times on a large one. And even if all had stayed level, no test could prove it for every length.",
    quoted=True,
    source="Press et al. 2022, section 4.1: trained at 512 tokens of WikiText-103, still improving past 12,000; section "
    f"4.2: trained at 512 of a large corpus, best at 1,012; {SOURCE}",
)
def any_length():
    times = {"here": 1_024 // 128, "best in the paper": [12_000 // 512, round(1_012 / 512)]}
    far = rises("retrieval", "alibi", "long-2000")
    return {"times the training": times, **counted({**in_each_task("alibi"), "retrieval": far})}


@claim(
    "With T5's bias perplexity rises by a tenth when texts are twice as long as in training.",
    stated="unsourced",
    verdict=lambda fact: (
        "unsourced"
        if max(fact["reported"]) - min(fact["reported"]) > 2
        else "true"
        if all(8 < percent < 12 for percent in fact["reported"] + fact["measured"])
        else "false"
    ),
    otherwise={"reported": [10.0, 9.5, 9.9], "measured": [10.2, 9.1]},
    because="Three tables that circulate report a rise of {fact[reported][0]}, {fact[reported][1]} and "
    "{fact[reported][2]} %, and none says which model, data or seed. We measured {fact[measured][0]:+} % where training "
    "reached all buckets, and {fact[measured][1]:+} % where it did not.",
    quoted=True,
    source="three tables as they circulate, perplexity 18.2 to 19.8, 18.0 to 19.2, 18.0 to 19.8; run: the study of "
    f"chapter {number('longer_than_training')}, text, trained at 128, tested at 256",
)
def rises_by_a_tenth():
    reported = [19.8 / 18.2, 19.2 / 18.0, 19.8 / 18.0]
    doubled = [losses("characters", scheme)[:, :2] @ [-1, 1] for scheme in ("t5-64", "t5-256")]
    measured = [float(np.exp(nats.mean())) for nats in doubled]
    return {
        "reported": [round(100 * x - 100, 1) for x in reported],
        "measured": [round(100 * x - 100, 1) for x in measured],
    }


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
