"""Questions about texts longer than training, decided by the course's own study."""

import numpy as np

from course_kit.contents import number
from course_lib.reference.sliding_window import reach
from course_lib.reference.t5 import bucket, bucket_starts
from course_tasks.measured import (
    BITS,
    COPY,
    NAMES,
    SOURCE,
    TEXT,
    far_keys_help,
    is_level,
    losses,
    right,
    rise,
    schemes,
    settings,
)
from course_tasks.questions.form import claim, judged, question


@claim(
    "RoPE reads texts longer than its training without any change.",
    "From the training length to eight times that, its loss rose by {rose[characters]:.2f} nats in text and "
    "{rose[copy-back]:.2f} in copying. Of the names that retrieval asks for, it found {found:.0%}. The model never met "
    "the angles of far offsets in training.",
    f"{SOURCE}; Press et al. 2022, section 2, find the same with language models; the lesson, with SmolLM2-135M",
)
def rope_reads_longer():
    rose = {task: rise("rope", task) for task in (TEXT, COPY)}
    return judged(*(is_level("rope", task) for task in rose)), {"rose": rose, "found": right("rope", NAMES)[-1]}


@claim(
    "A model with ALiBi keeps its loss when texts grow to eight times the training length.",
    "In text and in copying, small causal models are level: the loss changed by {rose[characters]:+.2f} and "
    "{rose[copy-back]:+.2f} nats. But so does a window of 64 tokens, {window:+.2f} in text. Where the answer is far, "
    "ALiBi is not level: {found[0]:.0%} of the names were found in 128 tokens and {found[3]:.0%} in 1,024.",
    f"{SOURCE}; Press et al. 2022, section 4, for language models",
)
def alibi_stays_level():
    rose = {task: rise("alibi", task) for task in (TEXT, COPY)}
    level = [is_level("alibi", task) for task in (TEXT, COPY, NAMES)]
    return judged(*level), {"rose": rose, "window": rise("window-64"), "found": right("alibi", NAMES)}


@claim(
    "Sinusoidal positions let a model read texts longer than its training, because a sine never ends.",
    "The sine continues, but the model was never trained on its values there. In text the loss rose by "
    "{rose[characters]:.2f} nats, and by {larger:.2f} with embeddings times √d_model; in copying it rose by "
    "{rose[copy-back]:.2f}.",
    f"{SOURCE}; Vaswani et al. 2017, section 3.5, hoped for it; Press et al. 2022, section 2, measured it",
)
def sines_go_on():
    rose = {task: rise("sinusoidal", task) for task in (TEXT, COPY)}
    level = [*(is_level("sinusoidal", task) for task in rose), is_level("sinusoidal-scaled")]
    return judged(*level), {"rose": rose, "larger": rise("sinusoidal-scaled")}


@claim(
    "T5's bias is safe in long texts: all far distances share its last bucket.",
    "It is level in text ({within:+.2f} nats) if training reaches the last bucket and the table learns ten times as "
    "fast as the rest. At the rate of the rest the loss rises by {slower:.2f}. In copying it rises by {copying:.2f} "
    "even with the fast table. If training does not reach the last buckets, they keep their random numbers, and the "
    "loss in text rises by {past:.2f}.",
    f"{SOURCE}; max_distance 64 and 256",
)
def last_bucket_is_safe():
    runs = {
        "within": ("t5-64", "characters"),
        "slower": ("t5-64", "characters", "table-rate-1"),
        "copying": ("t5-64", "copy-back"),
        "past": ("t5-256", "characters"),
    }
    return judged(*(is_level(*run) for run in runs.values())), {name: rise(*run) for name, run in runs.items()}


@claim(
    "At the length they were trained on, logarithmic buckets beat every other layout.",
    "The table that says so gives no model, data or seed. Between its best layout and the next, the loss differs by "
    "{told:.3f} nats. In our study, that of two seeds of one and the same layout differs by {seeds:.3f} at the training "
    "length. One run of each decides nothing.",
    "a table that circulates, perplexity 18.0 against 18.2, 18.3 and 18.5; run: the study of chapter "
    f"{number('longer_than_training')}, text, T5's buckets with max_distance 256",
)
def logarithmic_is_best():
    told, seeds = np.log(18.2 / 18.0), np.ptp(losses("t5-256")[:, 0])
    return "unsourced" if told < seeds else "half true", {"told": told, "seeds": seeds}


@claim(
    "A loss that stays level shows that a model uses all of the longer text.",
    "In text, {level} schemes of our study are level, and one of them is a window, which cannot see a far key. Mask all "
    "keys that are a training length or farther back, and {worse} of them read worse by more than a hundredth of a nat.",
    SOURCE,
)
def level_is_used():
    level = [scheme for scheme in schemes() if is_level(scheme)]
    worse = [far_keys_help(scheme).mean() > 0.01 for scheme in level]
    return judged(*worse), {"level": len(level), "worse": sum(worse)}


@claim(
    "Models without positions generalise best to longer texts.",
    "In the paper that is quoted for it they did: on small reasoning tasks, at up to twice the training length, they "
    "beat all {beaten} schemes that they were compared with. In our study it depends on the task. In text their loss "
    "rose by {rose:.2f} nats, while others stayed level; but of the names in a text of 1,024 tokens they found "
    "{found:.0%}. They did not learn to copy from a distance at all.",
    f"Kazemnejad et al. 2023, abstract; {SOURCE}",
)
def nope_is_best():
    beaten, found = ["absolute positions", "T5", "ALiBi", "RoPE"], right("none", NAMES)[-1]  # in the paper
    return judged(beaten, is_level("none"), found > 0.9), {"beaten": len(beaten), "rose": rise("none"), "found": found}


@question(
    "A query has the weights 1/2, 1/4, 1/8 and 1/8. How many keys does it look at, by the span e^H?",
    {
        "4": "It would be four if they shared evenly. A count forgets how small some are.",
        "About 3.4": "Yes: as many as an even look with the same entropy would spread over.",
        "1.75": "That is the entropy, in bits. The span is 2 to the power of it.",
        "2": "One over the largest weight. It forgets how the rest is shared.",
    },
)
def span():
    w = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    return f"About {np.exp(-(w * np.log(w)).sum()):.1f}"


@question(
    "A decoder with T5's own sizes was trained on texts of 100 tokens. Which of its 32 buckets did training leave "
    "without a single pair?",
    {
        "None: 100 distances are more than 32 buckets": "Buckets are not shared out evenly. The last one begins at "
        "{starts[31]}.",
        "The last five": "That is so for texts of {shorter} tokens.",
        "The last one": "Yes. And the one before begins at {starts[30]}: a single pair of a text trains it.",
    },
)
def untrained():
    def missing(length):
        return sorted(set(range(32)) - set(bucket(-np.arange(length), bidirectional=False)))

    shorter = next(length for length in range(100, 0, -1) if missing(length) == [27, 28, 29, 30, 31])
    answer = {(): "None", (31,): "The last one"}[tuple(missing(100))]
    return answer, {"starts": bucket_starts(bidirectional=False), "shorter": shorter}


@question(
    "In the study, which of these is level in text, and finds hardly any name that was told 450 to 1,020 tokens "
    "before?",
    {
        "A window of 64 tokens": "Yes: {two} tokens are as far as its two layers reach. It found {found[window-64]:.0%}, "
        "and guessing finds {chance:.0%}.",
        "T5, last bucket inside the training length": "It found {found[t5-64]:.0%}. Its far keys share one number, so a "
        "matching key can lead among them.",
        "Transformer-XL": "It is level in text, and found {found[transformer-xl]:.0%}.",
        "No positions": "Its loss in text rises. The name needs no position: it found {found[none]:.0%}.",
    },
)
def level_and_blind():
    runs = {"A window": "window-64", "T5": "t5-64", "Transformer-XL": "transformer-xl", "No positions": "none"}
    found, chance = {run: right(run, NAMES)[-1] for run in runs.values()}, 1 / 8
    (answer,) = (option for option, run in runs.items() if is_level(run) and found[run] < 2 * chance)
    return answer, {"found": found, "chance": chance, "two": reach(2, 64)}


@question(
    "Logs, eight times longer than the training texts; a token must find the last write, however far. Which of these "
    "do the measurements of the course support?",
    {
        "FoX": "Yes: flip-flop is that task, and it answered {read[FoX][3]:.1%} at {longest:,} tokens. A write can close "
        "its gate on all writes before it. Small models, so test yours.",
        "ALiBi": "It answered {read[ALiBi][0]:.0%} at the training length and {read[ALiBi][3]:.0%} at {longest:,}: the "
        "writes that it missed are far.",
        "RoPE": "Nearly all right at the training length. At {longest:,} it got {read[RoPE][3]:.2f}, where guessing "
        "gets {chance:.2f}.",
        "No position: the mask gives order away": "It got {read[No][0]:.2f} at the training length, so it had not "
        "learned the task.",
    },
)
def last_write():
    runs = {"FoX": "fox", "ALiBi": "alibi", "RoPE": "rope", "No": "none"}
    read = {option: right(run, BITS) for option, run in runs.items()}
    (found,) = (option for option in runs if read[option][-1] > 0.98)
    return found, {"read": read, "longest": settings()["tests"][-1], "chance": 1 / 2}
