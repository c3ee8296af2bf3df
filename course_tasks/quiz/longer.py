"""Memory, decoding, and texts longer than training."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="bias_memory",
        chapter="fast_attention",
        text="16 heads, 8 texts of 1,024 tokens, 32 bits. Code makes the bias a matrix and calls `repeat` over the "
        "texts. How much memory does the bias take, and how much would a row per head?",
        options={
            "64 MiB, and 128 KiB": "64 MiB is what `expand` holds. `repeat` copies for each text.",
            "512 MiB, and 128 KiB": "Yes: 2,047 numbers per head say all that the matrices say.",
            "512 MiB, and 64 MiB": "64 MiB is a matrix per head. A row has 2n − 1 numbers, not n².",
        },
        answer="512 MiB, and 128 KiB",
    ),
    Question(
        name="new_row",
        chapter="fast_attention",
        text="A decoder with a KV cache has read 100 tokens and reads one more. How many scores are new in each head?",
        options={
            "10,201": "That fills the whole grid again. Old queries have had their answers.",
            "1": "One query is new. It looks at every key.",
            "101": "Yes: one row, offsets −100 to 0. A bias for it is the end of one long row.",
            "201": "The whole 101 × 101 grid has so many offsets. One query meets 101 of them.",
        },
        answer="101",
    ),
    Question(
        name="span",
        chapter="longer_than_training",
        text="A query has the weights 1/2, 1/4, 1/8 and 1/8. How many keys does it look at, by the span e^H?",
        options={
            "4": "It would be four if they shared evenly. A count forgets how small some are.",
            "About 3.4": "Yes: as many as an even look with the same entropy would spread over.",
            "1.75": "That is the entropy, in bits. The span is 2 to the power of it.",
            "2": "One over the largest weight. It forgets how the rest is shared.",
        },
        answer="About 3.4",
    ),
    Question(
        name="untrained",
        chapter="longer_than_training",
        text="A decoder with T5's own sizes was trained on texts of 100 tokens. Which of its 32 buckets did training "
        "leave without a single pair?",
        options={
            "None: 100 distances are more than 32 buckets": "Buckets are not shared out evenly. The last one begins at 113.",
            "The last five": "That is so for texts of 64 tokens.",
            "The last one": "Yes. And the one before begins at 99: a single pair of a text trains it.",
        },
        answer="The last one",
    ),
    Question(
        name="same_at_128",
        chapter="longer_than_training",
        text="In the course's study two T5 tables, `max_distance` 256 and 64, are equally good on characters at the "
        "training length of 128. At 1,024?",
        options={
            "Still equally good": "What tells them apart was hidden at 128: four buckets that no text had trained.",
            "256 leads: it tells more distances apart": "It could, if training had reached its far buckets.",
            "256 is behind a model without any positions": "Yes, in each of three seeds. Its untrained bias of about 0 lets far keys take the weight.",
            "Both are worse than no positions": "The table of 64 is saturated. Its far number is trained, and its loss rises by hardly 0.02 nats.",
        },
        answer="256 is behind a model without any positions",
    ),
    Question(
        name="two_tasks",
        chapter="longer_than_training",
        text="In the study one scheme copied “three back” without error at the training length. At 8 times that length it "
        "got a quarter of the copies wrong, but only one flip-flop read in a hundred. Which?",
        options={
            "T5, last bucket inside the training length": "Yes. Its far keys share one number, and there they outweigh the key three back.",
            "ALiBi": "After 2,000 steps it copied 96 % of the tokens at every length, and got all reads right.",
            "Transformer-XL": "It did well in both: no error in copying, none in reading.",
            "RoPE": "It copied without error at 128 tokens. At 1,024 it failed in both.",
        },
        answer="T5, last bucket inside the training length",
    ),
    Question(
        name="ntk_divisors",
        chapter="stretching_rope",
        text="A head of eight channels is stretched 8 times by NTK-aware scaling. By what are the speeds of its four pairs "
        "divided, from the fastest to the slowest?",
        options={
            "8, 8, 8 and 8": "That is position interpolation. It also slows the pair that tells neighbours apart.",
            "8, 4, 2 and 1": "The other way round: the fastest pair is left as it was.",
            "1, 1, 8 and 8": "A rule by parts may do that, because it looks at the turns of each pair in training.",
            "1, 2, 4 and 8": "Yes: the base is multiplied by 16, so each pair is divided by twice as much as the one before.",
        },
        answer="1, 2, 4 and 8",
    ),
    Question(
        name="reach",
        chapter="windows_and_sinks",
        text="In each of four layers a token sees 128 keys: itself and the 127 before it. How many places back is the "
        "farthest token that can change its output after the fourth layer?",
        options={
            "127": "That is the reach of one layer. The second layer reads what the first one has gathered.",
            "508": "Yes: each layer passes on what is at most 127 places back, and 4 · 127 = 508.",
            "512": "One of the 128 keys is the token itself, so a layer reaches 127 places back.",
        },
        answer="508",
    ),
)
