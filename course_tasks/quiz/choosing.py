"""Which one? A situation, and the scheme that fits it or does not; the chapter is the one that decides."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="no_bias_kernel",
        chapter="fast_attention",
        text="A new decoder. Its kernel takes no bias, position may have no parameters, and a phrase must score the "
        "same wherever it is. Which scheme?",
        options={
            "A log decay": "No parameters, but it adds to the scores, and this kernel has no place for that.",
            "Sinusoidal positions": "They leave the kernel alone. But move the phrase, and its scores change.",
            "T5 buckets": "A table is learned, and its numbers are added to the scores.",
            "RoPE": "Yes: it turns queries and keys before the kernel sees them, and only offsets come out.",
        },
        answer="RoPE",
    ),
    Question(
        name="word_before",
        chapter="alibi",
        text="An encoder, read both ways. Which of these cannot make a head prefer the word before to the word after?",
        options={
            "T5 buckets": "The two neighbours have buckets 1 and 17, each with its number.",
            "ALiBi in the form −m |i − j|": "Yes. In a decoder the mask makes up for it. Here nothing does.",
            "RoPE": "A head can turn its keys a little against its queries, so that one side scores higher.",
            "Shaw's key vectors": "Offsets −1 and +1 have a vector each.",
        },
        answer="ALiBi in the form −m |i − j|",
    ),
    Question(
        name="segments",
        chapter="transformer_xl",
        text="A text comes in segments, each numbered from 0, with a memory of the one before. Which scheme is ruled "
        "out?",
        options={
            "ALiBi": "Only the distance counts, and a key in memory is only farther back.",
            "T5 buckets": "Queries stand behind the memory, and every distance has a bucket.",
            "Learned absolute positions": "Yes: token t of the memory and token t of the segment have the same number.",
            "Transformer-XL": "It was made for this: a vector per distance, however far back.",
        },
        answer="Learned absolute positions",
    ),
    Question(
        name="last_write",
        chapter="longer_than_training",
        text="Logs, eight times longer than the training texts; a token must find the last write, however far. Which of "
        "these do the measurements of the course support?",
        options={
            "ALiBi": "Yes: flip-flop is that task, and it had no errors at 1,024 tokens. Small models, so test yours.",
            "RoPE": "Nearly all right at 128. At 1,024 it got 0.52, where guessing gets 0.50.",
            "T5, last bucket past the training length": "It got 0.52 at 1,024: no text had trained its last buckets.",
            "No position: the mask gives order away": "It got 0.76 at 128, and 0.54 at 1,024, where guessing gets 0.50.",
        },
        answer="ALiBi",
    ),
    Question(
        name="bloom",
        chapter="alibi",
        text="You fine-tune the published weights of the largest BLOOM, with 112 heads, and wish to read longer texts. "
        "What do you do about position?",
        options={
            "Take RoPE: its kernels are faster": "These weights were trained with a bias. With turned queries they compare other things.",
            "Keep ALiBi, slopes by 2^(−8h/H)": "These are its slopes if H is a power of two. For 112 heads the authors' code has others.",
            "Keep ALiBi, slopes as in the authors' code": "Yes: published weights bring their scheme along, to the last detail.",
        },
        answer="Keep ALiBi, slopes as in the authors' code",
    ),
)
