"""Prediction: which of the two rises more? · 6 minutes · ★ · first

The study trained small models on texts of 128 characters and tested them on up to 1,024. At every length
the questions were the same 64 characters. How much does the loss **rise** from the shortest test to the longest? The
question is not which model is better, but which one gets worse by more. For each pair predict one name without
looking back at the lesson.

`t5-256` and `t5-64` are T5's buckets with that `max_distance`, `log-1` is −ln(1 + distance), `shaw-32` clips at
32, `learned` and `sinusoidal` are added to the input, and `none` has no position except the causal mask. The check
compares your prediction with the losses measured on the help texts, averaged over all seeds.
"""

from course_kit.display.formatting import number

from ...measured import rise

PAIRS = {
    ("rope", "alibi"): "ALiBi's penalty never stops growing, so most of the weight stays with near keys, however "
    "long the text is. RoPE meets offsets that it has never seen, and nothing limits the weight of those keys.",
    ("t5-256", "t5-64"): "With `max_distance` 64 the last bucket begins at 59, well within a training text, so every "
    "row that a longer text reads was trained. With 256 some rows still have their random initial values.",
    ("learned", "log-1"): "The log decay has nothing untrained: in a longer text all the far keys only take a larger "
    "share of the weight. The learned rows past 128 still have their random initial values, and a longer text adds "
    "one of them to every token there.",
    ("rope", "none"): "Without positions, a longer text brings nothing new but more keys. RoPE's angles at far offsets "
    "were never part of training, and the scores there can be large.",
    ("log-1", "alibi"): "Both are fixed penalties with nothing to train. The logarithm falls more and more slowly, "
    "so hundreds of far keys together keep much of the weight. Under a straight line, the weight of all far keys is "
    "bounded.",
    ("t5-256", "shaw-32"): "Shaw's last vector serves all distances from 32 on, and it was trained on many of them. In "
    "T5's table with `max_distance` 256, the rows for distances past 127 have never been read.",
    ("sinusoidal", "transformer-xl"): "Both are made of sinusoids. One scheme adds them to every token, and past 128 "
    "they are new to the model. Transformer-XL makes them of *distances*, so near keys still look as in training. Both "
    "meet something new, and it is a measurement that this rises by less.",
}  # the first of each pair rises more; what is said to the second


def field(*pair):
    """The names in alphabetical order, which does not give the right one away."""
    return " or ".join(sorted(pair))


def words_of(pair):
    return pair.split(" or ")


ANSWER = {field(*pair): max(pair, key=rise) for pair in PAIRS}
WRONG = [
    (
        {field(winner, loser): loser for winner, loser in PAIRS},
        "All seven are reversed: you named the scheme that holds better. Name the one that rises more.",
    ),
    *(({field(winner, loser): loser}, message) for (winner, loser), message in PAIRS.items()),
]
MEASURED = (", ".join(f"{name} {number(rise(name), 2)}" for name in sorted(pair)) for pair in PAIRS)
ON_PASS = f"Measured, in nats: {'; '.join(MEASURED)}."
HINTS = [
    "Ask of each scheme: what does the last query of a long text read that no query of a training text has read?",
    "There are three kinds: learned numbers that were never trained, fixed numbers that the model never had to "
    "use, and only more of what was there before.",
    "How much weight can the far keys get in all? Under a penalty that grows fast enough it is bounded, whatever "
    "else is new.",
]
