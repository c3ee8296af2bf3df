"""Which of two schemes loses more on longer texts: a forecast, held against what the study measured."""

from ..engine import Answer, Mistake
from ..engine.judge import number
from .common import mean_rise, study_rows

# The first of each pair is the one that rises more.
PAIRS = [
    ("rope", "alibi"),
    ("t5-128", "t5-32"),
    ("sinusoidal", "learned"),
    ("rope", "none"),
    ("log-0.3", "alibi"),
    ("t5-128", "shaw-16"),
    ("sinusoidal", "transformer-xl"),
]


def _field(one, other):
    """The names in alphabetical order, which does not give the right one away."""
    return " or ".join(sorted((one, other)))


def more(rows, task, one, other):
    """The one of two schemes whose loss rises more from the shortest test to the longest, in the mean of its seeds."""
    return max(one, other, key=lambda scheme: mean_rise(rows, task, scheme))


def _rises_more():
    rows = study_rows()
    return {_field(*pair): more(rows, "characters", *pair) for pair in PAIRS}


def _measured():
    rows = study_rows()
    rises = [{name: mean_rise(rows, "characters", name) for name in sorted(pair)} for pair in PAIRS]
    told = [", ".join(f"{name} {number(rise, 2)}" for name, rise in pair.items()) for pair in rises]
    return f"Measured, in nats: {'; '.join(told)}."


_SAYS = {
    "alibi": "ALiBi's penalty grows on and on: however long the text is, most of the weight stays with near keys. RoPE meets offsets that it has never seen, and nothing holds down what those keys get.",
    "t5-32": "With `max_distance` 32 the last bucket begins at 31, well within a training text: whatever row a longer text reads, it was trained. With 128 some rows are still as they were drawn.",
    "learned": "Easy to believe: its rows past 64 were never trained. But they were drawn small, and add little. A sinusoid has full size at every position, and turns into patterns that the model has never met.",
    "none": "Without positions nothing new comes with a longer text but more keys. RoPE's angles at far offsets were never part of training, and the scores there can be large.",
    "alibi2": "Both are fixed penalties with nothing to train. The logarithm falls ever more slowly: under it hundreds of far keys together outweigh the near ones. Under a straight line what all the far keys get together is bounded.",
    "shaw-16": "Shaw's last vector serves all distances from 16 on, and it was trained on many of them. In T5's table of 128 the rows for distances past 63 have never been read.",
    "transformer-xl": "Both are made of sinusoids. Transformer-XL uses them for the *distance*, and near keys stand at the same distances as in training; the other adds them for the position itself.",
}

rises_more = Answer(
    "rises_more",
    title="Prediction: which of the two rises more?",
    minutes=6,
    difficulty=1,
    words_of=lambda pair: pair.split(" or "),
    then=_measured,
    words="""The study trained small models on texts of 64 characters and tested them on up to 512; the questions were the same
64 characters at every length. How much does the loss **rise** from the shortest test to the longest? Not which model is
better: which one loses more by the change. For each pair commit to one name without looking back at the lesson.

`t5-128` and `t5-32` are T5's buckets with that `max_distance`, `log-0.3` is −0.3 · ln(1 + distance), `shaw-16` clips at
16, `learned` and `sinusoidal` are added to the input, and `none` has no position but the causal mask. The check holds
your forecast against what was measured on the help texts, the mean over all seeds.""",
    expected=_rises_more,
    mistakes=[
        Mistake(
            {_field(winner, loser): loser for winner, loser in PAIRS},
            "All seven are the other way round: you named the scheme that holds better. Name the one that rises more.",
        ),
        *(
            Mistake({_field(winner, loser): loser}, _SAYS["alibi2" if winner == "log-0.3" else loser])
            for winner, loser in PAIRS
        ),
    ],
    hints=[
        "Ask for each scheme: what does the last query of a long text read that no query of a training text has read?",
        "Three kinds: learned numbers that were never trained; fixed numbers at places where nobody knows what the model does with them; and only more of what was there before.",
        "Last: how much weight can the far keys get in all? Under a penalty that goes on growing fast enough it is bounded, whatever else is new.",
    ],
)
