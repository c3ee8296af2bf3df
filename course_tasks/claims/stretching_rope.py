"""Claims about repairs of RoPE for longer texts, by arithmetic and by the runs of the course's study."""

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import by_parts, turns, yarn
from course_tasks.claims.claim import claim
from course_tasks.claims.study_facts import REPAIRS, SOURCE, kept_up_to, losses, repaired, rises, settings


@claim(
    "RoPE breaks on longer texts because its fast pairs, the high frequencies, meet unseen angles.",
    stated="false",
    verdict=lambda fact: "true" if fact["new angles, fast pairs"] > fact["new angles, slow pairs"] else "false",
    otherwise={"new angles, fast pairs": 0.8, "new angles, slow pairs": 0.0},
    because="A pair that made a full turn in training has been near every angle. In a text eight times as long, the "
    "share of new angles is {fact[new angles, fast pairs]:.0%} in the fast pairs, and at least {fact[new angles, slow "
    "pairs]:.0%} in each slow pair.",
    source="run: heads of sixteen channels, trained at 128 tokens, 1,024 read; new: farther than 0.1 from all trained ones",
)
def fast_pairs_break():
    def new_angles(speed):  # the share of them in 1,024 tokens
        at = np.exp(1j * speed * np.arange(1024))
        return np.mean(abs(at[:, None] - at[:128]).min(axis=1) > 0.1)

    speeds = frequencies(16)
    found = np.array([new_angles(speed) for speed in speeds])
    fast = turns(speeds, 128) >= 1
    most, least = found[fast].max(), found[~fast].min()
    return {"new angles, fast pairs": float(most), "new angles, slow pairs": float(least)}


@claim(
    "Position interpolation extends the context without training.",
    stated="false",
    verdict=lambda fact: (
        "true"
        if min(fact["kept up to"].values()) >= fact["asked for"]
        else "half true"
        if max(fact["kept up to"].values()) > fact["trained at"]
        else "false"
    ),
    otherwise={"trained at": 128, "asked for": 1_024, "kept up to": {"text": 1_024, "copying": 1_024}, "loss": [1.2, 1.2]},
    because="Put into our trained models without a further step, it fails even at {fact[trained at]} tokens: the loss in "
    "text goes from {fact[loss][0]} to {fact[loss][1]}, because neighbours look alike. The paper trains on, for up to a "
    "thousand steps.",
    source=f"{REPAIRS}; “kept” is at most 0.25 nats above RoPE at 128; Chen et al. 2023, abstract, for the steps",
)
def interpolation_needs_no_training():
    tests = settings("repairs")["tests"]
    at_128 = [repaired("characters", repair)[0] for repair in ("as trained", "interpolated")]
    lengths = {"trained at": tests[0], "asked for": tests[-1]}
    kept = kept_up_to("interpolated")
    return {**lengths, "kept up to": kept, "loss": [round(float(nats), 2) for nats in at_128]}


@claim(
    "NTK-aware scaling extends the context without training.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if min(fact["kept up to"].values()) >= fact["asked for"]
        else "half true"
        if max(fact["kept up to"].values()) > fact["trained at"]
        else "false"
    ),
    otherwise={"trained at": 128, "asked for": 1_024, "kept up to": {"text": 1_024, "copying": 1_024}},
    because="It does, but less far than its factor says. Set for {fact[asked for]:,} tokens, it keeps the loss of our "
    "models, trained at {fact[trained at]}, up to {fact[kept up to][text]} tokens in text and {fact[kept up to][copying]} "
    "in copying. Every pair but the slowest is divided by less than the factor, so some still meet new angles.",
    source=f"{REPAIRS}; “kept” is at most 0.25 nats above RoPE at 128; /u/bloc97, r/LocalLLaMA, June 2023, for the sentence",
)
def ntk_needs_no_training():
    tests = settings("repairs")["tests"]
    return {"trained at": tests[0], "asked for": tests[-1], "kept up to": kept_up_to("NTK")}


@claim(
    "YaRN's code computes the equations of its paper.",
    stated="false",
    verdict=lambda fact: "true" if fact["LLaMA 2"] < 1.001 else "false",
    otherwise={"our study": 1.0, "LLaMA 2": 1.0},
    because="Both mix the old speed and the divided one. In the equations the share is a straight line over the turns of a "
    "pair, in the code over its number. For LLaMA 2, stretched sixteen times, a pair turns up to {fact[LLaMA 2]} times as "
    "fast by the code as by the equations; in our study, eight times, up to {fact[our study]} times.",
    source="run: both for 128 channels at 4,096 tokens and 16 at 128; Peng et al. 2023, section 3.2; jquesnelle/yarn, issue 60",
)
def yarn_code_is_paper():
    sizes = {"our study": (16, 8, 128), "LLaMA 2": (128, 16, 4096)}  # channels, s, length
    times = {}
    for name, (d, s, length) in sizes.items():
        times[name] = yarn(d, s, length) / by_parts(frequencies(d), s, length)
    return {name: round(float(x.max()), 2) for name, x in times.items()}


@claim(
    "The temperature is what makes YaRN work.",
    stated="false",
    verdict=lambda fact: "true" if fact["share of the temperature"] > 0.5 else "false",
    otherwise={"as trained": 3.65, "new speeds": 3.5, "and temperature": 1.91, "share of the temperature": 0.9},
    because="Without further training, the loss in text at eight times the training length falls from {fact[as trained]} to "
    "{fact[new speeds]} by the new speeds, and to {fact[and temperature]} with the temperature: "
    "{fact[share of the temperature]:.0%} of the gain. In our small models, the speeds do nearly all of it.",
    source=REPAIRS,
)
def temperature_does_it():
    repairs = {
        "as trained": "as trained",
        "new speeds": "YaRN's code, no factor",
        "and temperature": "YaRN's code",
    }
    loss = {name: float(repaired("characters", repair)[-1]) for name, repair in repairs.items()}
    before, speeds, both = loss.values()
    share = (speeds - both) / (before - both)
    rounded = {name: round(nats, 2) for name, nats in loss.items()}
    return {**rounded, "share of the temperature": round(share, 3)}


@claim(
    "A larger base lets RoPE read longer texts.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if fact["rise"]["from the start"] <= 0.25
        else "half true"
        if fact["put in"]["with it"] < fact["put in"]["without"] - 0.25
        else "false"
    ),
    otherwise={"rise": {"from the start": 0.0, "usual base": 2.5}, "put in": {"with it": 1.4, "without": 1.8}},
    because="Not by itself. Trained with a base fifty times as large, our models' loss in text rose by {fact[rise][from the "
    "start]} nats up to eight times the training length, with the usual base by {fact[rise][usual base]}. But put in "
    "afterwards and trained on with long texts, it helps: {fact[put in][with it]} at the longest, against {fact[put "
    "in][without]} after the same steps without it.",
    source=f"{REPAIRS}; 60 further steps at 1,024; Xiong et al. 2023 report it for long texts in training",
)
def larger_base_reads_longer():
    rise, put_in = {}, {}
    for name, scheme in {"from the start": "rope-base-500000", "usual base": "rope"}.items():
        rise[name] = round(float(rises("characters", scheme).mean()), 2)
    for name, repair in {"with it": "base 500,000", "without": "as trained"}.items():
        put_in[name] = round(float(repaired("characters", repair, 60, 1_024)[-1]), 2)
    return {"rise": rise, "put in": put_in}


@claim(
    "If the slow pairs of RoPE do not turn (p-RoPE), a model can read longer texts.",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["half"] <= 0.25 else "half true" if fact["a quarter"] < fact["RoPE"] - 0.25 else "false"
    ),
    otherwise={"RoPE": 2.46, "half": 0.1, "a quarter": 0.1, "copying": [3.9, 3.5]},
    because="It breaks less, but it breaks. Up to eight times the training length, the loss in text rises by {fact[RoPE]} "
    "nats with all pairs turning, by {fact[half]} if the fastest half of them turn, and by {fact[a quarter]} with the "
    "fastest quarter. Copying fails with both: {fact[copying][0]} and {fact[copying][1]} at the longest. The quarter "
    "meets no new angle, but its echoes are left.",
    source=f"{SOURCE}; trained so from the start; Barbero et al. 2024 for the method",
)
def stopped_pairs_read_longer():
    rise, copying = {"RoPE": round(float(rises("characters", "rope").mean()), 2)}, []
    for name, run in {"half": "p-rope-0.5", "a quarter": "p-rope-0.25"}.items():
        rise[name] = round(float(rises("characters", run, "p-rope").mean()), 2)
        copying.append(round(float(losses("copy-back", run, "p-rope")[:, -1].mean()), 2))
    return {**rise, "copying": copying}


@claim(
    "Before a model with RoPE is trained on longer texts, it must be repaired.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if fact["copying"]["control"] > fact["copying"]["repaired"] + 0.05
        else "half true"
        if fact["text"]["control"] > fact["text"]["repaired"] + 0.05
        else "false"
    ),
    otherwise={
        "copying": {"control": 0.0, "repaired": 0.0},
        "text": {"before": 3.65, "control": 1.28, "repaired": 1.28},
        "text, 600 steps": {"control": 1.23, "repaired": 1.23},
    },
    because="In copying it makes no difference: after sixty steps on long texts the loss is {fact[copying][control]} without "
    "a repair and {fact[copying][repaired]} with that of YaRN. In text these steps alone bring it from {fact[text][before]} "
    "to {fact[text][control]}, and with the repair to {fact[text][repaired]}. After six hundred, it is "
    "{fact[text, 600 steps][control]} and {fact[text, 600 steps][repaired]}. So a repair saves steps.",
    source=f"{REPAIRS}; after further steps at 1,024 tokens",
)
def repair_first():
    def longest(task, repair, further=60):
        return round(float(repaired(task, repair, further, 1_024 if further else 128)[-1]), 2)

    repairs = {"control": "as trained", "repaired": "YaRN's code"}
    copying = {name: longest("copy-back", repair) for name, repair in repairs.items()}
    text = {name: longest("characters", repair) for name, repair in repairs.items()}
    before = longest("characters", "as trained", 0)
    later = {name: longest("characters", repair, 600) for name, repair in repairs.items()}
    return {"copying": copying, "text": {"before": before, **text}, "text, 600 steps": later}
