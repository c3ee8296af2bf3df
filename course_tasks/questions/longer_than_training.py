"""Questions about texts longer than training, decided by the course's own study."""

import numpy as np

from course_kit.contents import number
from course_lib.reference.t5 import bucket, bucket_starts
from course_tasks.measured import SOURCE, TASKS, is_level, losses, right, rise, schemes, settings
from course_tasks.questions.form import claim, judged, question


@claim(
    "RoPE reads texts longer than its training without any change.",
    "From the training length to eight times that, its loss rose by {rose[characters]:.2f} nats in text, "
    "{rose[copy-back]:.2f} in copying and {rose[flip-flop]:.2f} in flip-flop. The model never met the angles of far "
    "offsets in training.",
    f"{SOURCE}; Press et al. 2022, section 2, find the same with language models",
)
def rope_reads_longer():
    return judged(*(is_level("rope", task) for task in TASKS)), {"rose": {task: rise("rope", task) for task in TASKS}}


@claim(
    "A model with ALiBi keeps its loss when texts grow to eight times the training length.",
    "In small causal models its loss changed by {rose[characters]:+.2f} nats in text, by {rose[copy-back]:+.2f} in "
    "copying and by {rose[flip-flop]:+.2f} in flip-flop, so it is level in all three. But there, the keys that matter "
    "are nearly always near. In retrieval, where the answer lies at the beginning of the text, it rose by "
    "{rose[retrieval]:.2f} nats (seeds: {seeds}).",
    f"{SOURCE}; Press et al. 2022, section 4, for language models",
)
def alibi_stays_level():
    tasks = (*TASKS, "retrieval")  # asked at the end, told at the start
    level, rose = [is_level("alibi", task) for task in tasks], {task: rise("alibi", task) for task in tasks}
    return judged(*level), {"rose": rose, "seeds": len(losses("alibi", "retrieval"))}


@claim(
    "Sinusoidal positions let a model read texts longer than its training, because a sine never ends.",
    "The sine continues, but the model was never trained on its values there. In text the loss rose by "
    "{rose[characters]:.2f} nats, and by {larger:.2f} with embeddings times √d_model; in copying it rose by "
    "{rose[copy-back]:.2f}, in flip-flop by {rose[flip-flop]:.2f}.",
    f"{SOURCE}; Vaswani et al. 2017, section 3.5, hoped for it; Press et al. 2022, section 2, measured it",
)
def sines_go_on():
    level = [*(is_level("sinusoidal", task) for task in TASKS), is_level("sinusoidal-scaled")]
    rose = {task: rise("sinusoidal", task) for task in TASKS}
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
    "The table that says so gives no model, data or seed. At the training length of {tests[0]} tokens, they were the "
    "best of our four layouts for {best[0]} of {seeds} seeds, which decides nothing. At {tests[3]:,} tokens they were "
    "the best for {best[3]}.",
    "a table that circulates, perplexity 18.0 against 18.2, 18.3 and 18.5; run: the study of chapter "
    f"{number('longer_than_training')}, text, sixteen buckets",
)
def logarithmic_is_best():
    log, *others = (
        losses(f"{layout}-buckets-16", file="ablation") for layout in ("log", "linear", "quadratic", "uniform")
    )
    best = np.sum(log < np.min(others, axis=0), axis=0)  # for how many seeds, at each length
    verdict = {0: "false", len(log): "true"}.get(best[0], "unsourced")
    return verdict, {"tests": settings("ablation")["tests"], "best": best, "seeds": len(log)}


@claim(
    "A loss that stays level shows that a model uses all of the longer text.",
    "In text, {level} schemes of our study are level. Mask all keys that are a training length or farther back, and "
    "{worse} of them read worse by more than a hundredth of a nat. A level loss shows that a longer text does not "
    "disturb a model.",
    SOURCE,
)
def level_is_used():
    level = [scheme for scheme in schemes() if is_level(scheme)]
    cost = [(losses(scheme, what="far_masked") - losses(scheme))[:, -1].mean() for scheme in level]
    worse = [nats > 0.01 for nats in cost]
    return judged(*worse), {"level": len(level), "worse": sum(worse)}


@claim(
    "Models without positions generalise best to longer texts.",
    "In the paper that is quoted for it they did: on small reasoning tasks, at up to twice the training length, they "
    "beat all {beaten} schemes that they were compared with. In our study their loss rose by {rose[characters]:.2f} "
    "nats in text, {rose[copy-back]:.2f} in copying and {rose[flip-flop]:.2f} in flip-flop, while other schemes "
    "stayed level.",
    f"Kazemnejad et al. 2023, abstract; {SOURCE}",
)
def nope_is_best():
    beaten = ["absolute positions", "T5", "ALiBi", "RoPE"]  # in the paper
    level, rose = [is_level("none", task) for task in TASKS], {task: rise("none", task) for task in TASKS}
    return judged(beaten, *level), {"beaten": len(beaten), "rose": rose}


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
    "In the study one scheme copied “three back” without error at the training length. At 8 times that length it got "
    "a quarter of the copies wrong, but only one flip-flop read in a hundred. Which?",
    {
        "T5, last bucket inside the training length": "Yes. Its far keys share one number, and there they outweigh "
        "the key three back.",
        "ALiBi": "After {steps:,} steps it copied {copied[ALiBi][0]:.0%} of the tokens at every length, and got all "
        "reads right.",
        "Transformer-XL": "It did well in both: no error in copying, none in reading.",
        "RoPE": "It copied without error at the training length. At {longest:,} tokens it failed in both.",
    },
)
def two_tasks():
    runs = {"T5": "t5-64", "ALiBi": "alibi", "Transformer-XL": "transformer-xl", "RoPE": "rope"}
    copied, read = ({option: right(run, task) for option, run in runs.items()} for task in ("copy-back", "flip-flop"))
    (found,) = (
        option for option in runs
        if copied[option][0] > 0.999 and 0.7 < copied[option][-1] < 0.8 and 0.985 < read[option][-1] < 0.995
    )  # fmt: skip
    return found, {"steps": settings()["steps"], "copied": copied, "longest": settings()["tests"][-1]}


@question(
    "Logs, eight times longer than the training texts; a token must find the last write, however far. Which of these "
    "do the measurements of the course support?",
    {
        "ALiBi": "Yes: flip-flop is that task, and it had no errors at {longest:,} tokens. Small models, so test "
        "yours.",
        "RoPE": "Nearly all right at the training length. At {longest:,} it got {read[RoPE][3]:.2f}, where guessing "
        "gets 0.50.",
        "T5, last bucket past the training length": "It got {read[T5][3]:.2f} at {longest:,}: no text had trained its "
        "last buckets.",
        "No position: the mask gives order away": "It got {read[No][0]:.2f} at the training length, and "
        "{read[No][3]:.2f} at {longest:,}, where guessing gets 0.50.",
    },
)
def last_write():
    runs = {"ALiBi": "alibi", "RoPE": "rope", "T5": "t5-256", "No": "none"}
    read = {option: right(run, "flip-flop") for option, run in runs.items()}
    (found,) = (option for option in runs if read[option][-1] > 0.50 + 0.49)
    return found, {"read": read, "longest": settings()["tests"][-1]}
