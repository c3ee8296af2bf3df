"""Questions about texts longer than training, decided by the course's own study."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_chapters.measured import BITS, NAMES, SOURCE, losses, right, rise, settings, verdict
from course_kit.contents import number
from course_lib.reference.sliding_window import reach


@claim(
    "At the length they were trained on, logarithmic buckets beat every other layout.",
    "The table that says so gives no model, data or seed. Its two best rows differ by {told:.3f} nats. In our study, "
    "the seeds of one T5 table spread over {seeds:.3f} at the training length, so one run of each decides nothing.",
    "a table that circulates, perplexity 18.0 against 18.2, 18.3 and 18.5; run: the study of chapter "
    f"{number('longer_than_training')}, text, T5's buckets with max_distance 256",
)
def logarithmic_is_best():
    told, seeds = np.log(18.2 / 18.0), np.ptp(losses("t5-256")[:, 0])
    given = {"model": None, "data": None, "seed": None}  # by the table
    return "true" if all(given.values()) else "unsourced", {"told": told, "seeds": seeds}


@claim(
    "Models without positions generalise best to longer texts.",
    "In the paper that is quoted for it they did: on small reasoning tasks, at up to twice the training length, they "
    "beat all {beaten} schemes that they were compared with. In our study it depends on the task. In text their loss "
    "rose by {rose:.2f} nats, while others stayed level; but of the names in a text of 1,024 tokens they found "
    "{found:.0%}. They did not learn to copy the token three places back.",
    f"Kazemnejad et al. 2023, abstract; {SOURCE}",
)
def nope_is_best():
    beaten, found = ["absolute positions", "T5", "ALiBi", "RoPE"], right("none", NAMES)[-1]  # in the paper
    facts = {"beaten": len(beaten), "rose": rise("none"), "found": found}
    return judged(beaten, verdict("none") == "level", found > 0.9), facts


@question(
    "A query has the weights 1/2, 1/4, 1/8 and 1/8. How many keys does it look at, by the span e^H? "
    "(H is the entropy of the weights, in nats.)",
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
    "In the study, which of these is level in text, and finds hardly any name that was told 450 to 1,020 tokens "
    "before?",
    {
        "A window of 64 tokens": "Yes: {two} tokens are as far as its two layers reach. It found "
        "{found[window-64]:.0%}, and guessing finds {chance:.0%}.",
        "T5, last bucket inside the training length": "It found {found[t5-64]:.0%}. Its far keys share one number, so "
        "a matching key can lead among them.",
        "Transformer-XL": "It is level in text, and found {found[transformer-xl]:.0%}.",
        "No positions": "Its loss in text rises. The name needs no position: it found {found[none]:.0%}.",
    },
)
def level_and_blind():
    runs = {"A window": "window-64", "T5": "t5-64", "Transformer-XL": "transformer-xl", "No positions": "none"}
    found, chance = {run: right(run, NAMES)[-1] for run in runs.values()}, 1 / 8
    (answer,) = (option for option, run in runs.items() if verdict(run) == "level" and found[run] < 2 * chance)
    return answer, {"found": found, "chance": chance, "two": reach(2, 64)}


@question(
    "Logs, eight times longer than the training texts; a token must find the last write, however far. Which of these "
    "do the measurements of the course support?",
    {
        "FoX": "Yes: flip-flop is that task, and it answered {read[FoX][3]:.1%} at {longest:,} tokens. A write can "
        "close its gate on all writes before it. Small models, so test yours.",
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
