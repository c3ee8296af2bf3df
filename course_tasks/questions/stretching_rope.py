"""Questions about repairs of RoPE for longer texts, by arithmetic and by the runs of the course's study."""

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import by_parts, dynamic_ntk, turns, yarn
from course_tasks.measured import REPAIRS, SOURCE, committed, kept_up_to, losses, repaired, rise, settings
from course_tasks.questions.form import claim, judged, question


@claim(
    "RoPE breaks on longer texts because its fast pairs, the high frequencies, meet unseen angles.",
    "A pair that made a full turn in training has been near every angle. In a text eight times as long, the share of "
    "new angles is {fast:.0%} in the fast pairs, and at least {slow:.0%} in each slow pair.",
    "run: heads of sixteen channels, trained at 128 tokens, 1,024 read; new: farther than 0.1 from all trained ones",
)
def fast_pairs_break():
    def new_angles(speed):  # the share of them in 1,024 tokens
        at = np.exp(1j * speed * np.arange(1024))
        return np.mean(abs(at[:, None] - at[:128]).min(axis=1) > 0.1)

    speeds = frequencies(16)
    found, closed = np.array([new_angles(speed) for speed in speeds]), turns(speeds, 128) >= 1
    fast, slow = found[closed].max(), found[~closed].min()
    return judged(fast > slow), dict(fast=fast, slow=slow)


@claim(
    "Position interpolation extends the context without training.",
    "It helps where the model breaks: put into SmolLM2 with s = 2, it lowers the loss beyond the trained {trained:,} tokens "
    "from {broken:.2f} to {far:.2f}. But up to there the loss rises from {before:.2f} to {after:.2f}. Our small models "
    "fail even at {tests[0]} tokens. The paper trains on, for up to a thousand steps.",
    f"run: SmolLM2-135M, 16,384 tokens of Alice; {REPAIRS}; Chen et al. 2023, abstract, for the steps",
)
def interpolation_needs_no_training():
    rows = [row for row in committed("released") if row["experiment"] == "by position" and row["n"] == 16384]
    bins = {row["condition"]: row["bins"] for row in rows}
    (before, broken), (after, far) = ([part["loss"] for part in bins[c][-2:]] for c in ("as released", "PI 2"))
    tests, ours = settings("repairs")["tests"], repaired("interpolated")[0] - repaired("as trained")[0]
    facts = dict(tests=tests, trained=bins["PI 2"][-1]["from"], before=before, broken=broken, after=after, far=far)
    return judged(far < broken - 0.25, after < before + 0.25, ours < 0.25), facts


@claim(
    "NTK-aware scaling extends the context without training.",
    "It does, but less far than its factor says. Set for {tests[3]:,} tokens, it keeps the loss of our models, "
    "trained at {tests[0]}, up to {text} tokens in text and {copying} in copying. Every pair but the slowest is "
    "divided by less than the factor, so some still meet new angles.",
    f"{REPAIRS}; “kept” is at most 0.25 nats above RoPE at 128; /u/bloc97, r/LocalLLaMA, June 2023, for the sentence",
)
def ntk_needs_no_training():
    tests = settings("repairs")["tests"]
    text, copying = (kept_up_to("NTK", task) for task in ("characters", "copy-back"))
    holds = max(text, copying) > tests[0], min(text, copying) >= tests[-1]
    return judged(*holds), dict(tests=tests, text=text, copying=copying)


@claim(
    "YaRN's code computes the equations of its paper.",
    "Both mix the old speed and the divided one. In the equations the share is a straight line over the turns of a "
    "pair, in the code over its number. For Llama 2, stretched sixteen times, a pair turns up to {llama:.2f} times as "
    "fast by the code as by the equations; in our study, eight times, up to {ours:.2f} times.",
    "run: both for 128 channels at 4,096 tokens (Llama 2) and 16 at 128; Peng et al. 2023, section 3.2; "
    "jquesnelle/yarn, issue 60",
)
def yarn_code_is_paper():
    def times(d, s, length):
        return (yarn(d, s, length) / by_parts(frequencies(d), s, length)).max()

    ours, llama = times(16, 8, 128), times(128, 16, 4096)
    return judged(llama < 1.001), dict(ours=ours, llama=llama)


@claim(
    "The temperature is what makes YaRN work.",
    "Without further training, the loss in text at eight times the training length falls from {before:.2f} to "
    "{speeds:.2f} by the new speeds, and to {both:.2f} with the temperature: {share:.1%} of the gain, in our small "
    "models. In SmolLM2, with a gap of 20,000 positions, the speeds alone find {found[0]} of 4 keys, and the "
    "temperature alone finds {found[1]}.",
    f"{REPAIRS}; SmolLM2-135M, four keys of five digits, s = 4",
)
def temperature_does_it():
    before, speeds, both = (repaired(r)[-1] for r in ("as trained", "YaRN's code, no factor", "YaRN's code"))
    share = (speeds - both) / (before - both)
    conditions = [f"10 fillers, gap 20000, {name}" for name in ("YaRN 4, no factor", "factor of YaRN 4 alone")]
    rows = [row for row in committed("released") if row["experiment"] == "E10"]
    found = [sum(row["right"] for row in rows if row["condition"] == condition) for condition in conditions]
    holds = share > 0.5, found[1] > found[0]
    return judged(*holds), dict(before=before, speeds=speeds, both=both, share=share, found=found)


@claim(
    "A larger base lets RoPE read longer texts.",
    "Not by itself. Trained with a base fifty times as large, our models' loss in text rose by {large:.2f} nats up to "
    "eight times the training length, with the usual base by {usual:.2f}. But put in afterwards and trained on with "
    "long texts, it helps: {put_in:.2f} at the longest, against {control:.2f} after the same steps without it.",
    f"{REPAIRS}; 60 further steps at 1,024; Xiong et al. 2023 report it for long texts in training",
)
def larger_base_reads_longer():
    large, usual = rise("rope-base-500000"), rise("rope")
    put_in, control = (repaired(r, further=60, at=1024)[-1] for r in ("base 500,000", "as trained"))
    holds = large <= 0.25, put_in < control - 0.25
    return judged(*holds), dict(large=large, usual=usual, put_in=put_in, control=control)


@claim(
    "If the slow pairs of RoPE do not turn (p-RoPE), a model can read longer texts.",
    "It breaks less, but it breaks. Up to eight times the training length, the loss in text rises by {usual:.2f} nats "
    "with all pairs turning, by {half:.2f} if the fastest half of them turn, and by {quarter:.2f} with the fastest "
    "quarter. Copying fails with both: {copying[0]:.2f} and {copying[1]:.2f} at the longest. The quarter meets no new "
    "angle, but its two pairs come back to the same angles, so far keys look like near ones.",
    f"{SOURCE}; trained so from the start; Barbero et al. 2024 for the method",
)
def stopped_pairs_read_longer():
    runs = ("p-rope-0.5", "p-rope-0.25")
    usual, (half, quarter) = rise("rope"), (rise(run, file="p-rope") for run in runs)
    copying = [losses(run, "copy-back", "p-rope")[:, -1].mean() for run in runs]
    holds = half <= 0.25, quarter < usual - 0.25
    return judged(*holds), dict(usual=usual, half=half, quarter=quarter, copying=copying)


@claim(
    "Before a model with RoPE is trained on longer texts, it must be repaired.",
    "In copying it makes no difference: after sixty steps on long texts the loss is {copying[0]:.1f} without a repair "
    "and {copying[1]:.1f} with that of YaRN. In text these steps alone bring it from {before:.2f} to {text[0]:.2f}, "
    "and with the repair to {text[1]:.2f}. After six hundred, it is {later[0]:.2f} and {later[1]:.2f}. So a repair "
    "saves steps.",
    f"{REPAIRS}; after further steps at 1,024 tokens",
)
def repair_first():
    def after(steps, task="characters"):  # without and with the repair
        return [repaired(repair, task, steps, 1024)[-1] for repair in ("as trained", "YaRN's code")]

    copying, text, later = after(60, "copy-back"), after(60), after(600)
    holds = [without > repaired + 0.05 for without, repaired in (copying, text)]
    return judged(*holds), dict(copying=copying, text=text, later=later, before=repaired("as trained")[-1])


@question(
    "A head of 16 channels rotates with base 10,000 and was trained on 1,024 tokens. How many of its eight pairs meet "
    "no new angle in longer texts?",
    {
        "None: every later position is new": "The position is new. But a pair that has made a whole turn points where "
        "it has pointed before.",
        "3": "That many made less than a whole turn. These are the pairs that do meet new angles.",
        "5": "Yes: the fifth pair still makes {made[4]:.1f} turns in 1,024 tokens, and the sixth only {made[5]:.1f}.",
        "8: angles repeat": "An angle repeats after a whole turn, and the slowest pairs never got that far.",
    },
)
def closed_pairs():
    made = turns(frequencies(16), 1024)
    return np.sum(made >= 1), dict(made=made)


@question(
    "A decoder writes with dynamic NTK, past its training length. Its cache holds each key as it was rotated on "
    "arrival. Which scores of the newest query are wrong?",
    {
        "None: a key stays at its position": "Its position stays, but its speeds do not: dynamic NTK lowers them with "
        "every token.",
        "Those with earlier keys, position 0 aside": "Yes: they were rotated at the speeds of a shorter text, so the "
        "cache must keep them unrotated. At position 0 all angles are 0.",
        "Only that with its own key": "Query and key of the newest token are rotated at the same speeds, so this "
        "score is right.",
    },
)
def cached_angles():
    keys, query = np.random.default_rng(0).normal(size=(201, 16))[:-1], np.ones((1, 16))

    def speeds(n):
        return dynamic_ntk(frequencies(16), n, 128)

    cached = np.concatenate([rotate(keys[p : p + 1], past=p, speeds=speeds(p + 1)) for p in range(200)])
    newest = rotate(query, past=199, speeds=speeds(200))[0]
    first, *earlier, own = ~np.isclose(cached @ newest, rotate(keys, speeds=speeds(200)) @ newest)
    return "Those with earlier keys" if all(earlier) and not first and not own else "Only that" if own else "None"
