"""The rules of the decision guide: question → answer → which schemes → verdict, reason, chapters that back it.

A plain table, to be read and to be changed. An answer without rules speaks for no scheme and against none; every other
answer says something about every scheme. No measurement rules a scheme out. What the study measured on small models is
reported as such, and `tests/figures/test_decision_guide.py` recomputes it. A scheme fits longer texts if small models
stayed level in text, at every learning rate that was tried.
"""

from collections.abc import Mapping

from course_lib import figures, schemes
from course_lib.contents import number
from course_lib.display.picture import Picture
from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Decision, Rule, named
from course_tasks.measured import STEPS

NOTE = (
    "A scheme is ruled out by how it is made, or by what you have, never by a measurement alone. “Small models” are "
    f"those of chapter {number('longer_than_training')}: two layers, trained for {STEPS:,} steps on texts of 128 "
    "tokens, tested up to 1,024. What they did is a reason to test yours; of large models it says nothing. “Level” "
    "does not mean that the long text is used: in text, when all keys were masked that are 128 or more back, the loss "
    "of a level model at 1,024 tokens did not rise."
)
SCHEMES = {scheme.name: (scheme.what, scheme.topic) for scheme in schemes.SCHEMES.values()}
UNTOLD = "The guide has no rule for it here, so test it yourself."
PLAIN = "none, learned, sinusoidal, RoPE"  # attention itself stays as it is
ONE_AXIS = Rule(OUT, "Swin", "It counts rows and columns of a window. A text has one axis.", "two_dimensions")
MOVES = Rule(
    CAVEAT,
    "learned, sinusoidal",
    "Move a phrase to another place in the text, and its scores change.",
    "absolute_positions",
)
NOTHING_ADDED = Rule(
    FITS, PLAIN, "Attention stays as it is: position enters before it, or not at all.", "fast_attention"
)


def given(scheme: str, why: str, chapters: str) -> list[Rule]:
    """Published weights come with their scheme."""
    others = ", ".join(name for name in SCHEMES if name != scheme)
    return [
        Rule(FITS, scheme, f"The scheme is given. {why}", chapters),
        Rule(OUT, others, "These weights were trained with another scheme.", chapters),
    ]


QUESTIONS: dict[str, dict[str, list[Rule]]] = {
    "What is attended?": {
        "text, read both ways": [
            Rule(
                OUT,
                "none",
                "Without a mask it is blind to order: permute the words, and the outputs are permuted alike.",
                "blind_to_distance",
            ),
            MOVES,
            Rule(CAVEAT, "log decay", "It is symmetric: it cannot tell before from after.", "bias_by_hand"),
            Rule(FITS, "Shaw", "Before and after have vectors of their own.", "vector_per_distance"),
            Rule(
                CAVEAT,
                "Music Transformer, Transformer-XL",
                "The causal skew or shift leaves junk at keys after the query, and no mask hides it: take the general "
                "form.",
                "diagonals, transformer_xl",
            ),
            Rule(FITS, "T5 buckets", "Half of the buckets are for each side.", "t5_buckets"),
            Rule(
                CAVEAT,
                "ALiBi",
                "It needs the form −m |i − j|, which is not in the paper and cannot tell before from after.",
                "alibi",
            ),
            Rule(FITS, "RoPE", "Turns have a direction: a head can learn “the word before”.", "rope"),
            ONE_AXIS,
        ],
        "text, left to right": [
            Rule(CAVEAT, "none", "The causal mask tells positions to a degree, at a cost.", "blind_to_distance"),
            MOVES,
            Rule(
                FITS,
                "log decay, ALiBi",
                "It cannot tell before from after, and need not: the mask has removed “after”.",
                "alibi",
            ),
            Rule(FITS, "Shaw", "Vectors for offsets ahead are never used.", "vector_per_distance"),
            Rule(FITS, "Music Transformer", "Its skew is made for a causal mask, which hides the junk.", "diagonals"),
            Rule(
                FITS, "Transformer-XL", "Its shift is made for a causal mask, which hides the junk.", "transformer_xl"
            ),
            Rule(FITS, "T5 buckets", "All buckets serve the past: `bidirectional=False`.", "t5_buckets"),
            Rule(FITS, "RoPE", "Each key turns once, at its own position.", "rope"),
            ONE_AXIS,
        ],
        "text in segments, with a memory": [
            Rule(CAVEAT, "none", "The causal mask tells positions to a degree, at a cost.", "blind_to_distance"),
            Rule(
                OUT,
                "learned, sinusoidal",
                "Each segment counts from 0, so token t of every segment looks alike.",
                "transformer_xl",
            ),
            Rule(
                FITS,
                "log decay, Shaw, T5 buckets, ALiBi, RoPE",
                "Only offsets count: queries stand at `past + i`, behind the memory.",
                "transformer_xl",
            ),
            Rule(
                CAVEAT,
                "Music Transformer",
                "Its table must reach from the last query to the oldest memory.",
                "diagonals",
            ),
            Rule(FITS, "Transformer-XL", "Made for it.", "transformer_xl"),
            ONE_AXIS,
        ],
        "an image, in windows": [
            Rule(
                CAVEAT,
                "none",
                "A window alone is blind to places. Windows that shift tell a little: in Swin's own ablation (table "
                "4), the table of offsets adds 1.2 points.",
                "two_dimensions",
            ),
            Rule(
                CAVEAT,
                "learned",
                "Possible: in Swin's own ablation (table 4), the table of offsets does better by 0.8 points.",
                "two_dimensions",
            ),
            Rule(
                CAVEAT,
                "sinusoidal",
                "It counts along the list of patches, where the patch below is far.",
                "two_dimensions",
            ),
            Rule(
                OUT,
                "log decay, T5 buckets, ALiBi",
                "It counts the distance along the list of patches, where the patch below is far.",
                "two_dimensions",
            ),
            Rule(
                CAVEAT,
                "Shaw, Music Transformer, Transformer-XL, RoPE",
                "One offset mixes “right neighbour” with “one down, W − 1 left”, unless patches are numbered "
                "row · (2W − 1) + column.",
                "two_dimensions",
            ),
            Rule(FITS, "Swin", "Made for it; shifted windows cross the borders.", "two_dimensions"),
        ],
    },
    "How long are the texts (or windows)?": {
        "as in training": [],
        "longer than in training": [
            Rule(
                CAVEAT,
                "none",
                "Small models lost 0.17 nats in text, the worst from the start, and ended worse than guessing in "
                "copying.",
                "longer_than_training",
            ),
            Rule(
                OUT,
                "learned",
                "No text has trained the rows past the training length, and the table ends.",
                "absolute_positions",
            ),
            Rule(
                CAVEAT,
                "sinusoidal",
                "Positions never seen: small models broke in text, with larger embeddings too, and ended worse than "
                "guessing in copying.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "Up to scale 1, far keys take more and more weight: small models lost 0.13 nats in text at scale 1.",
                "bias_by_hand, longer_than_training",
            ),
            Rule(
                CAVEAT,
                "Shaw",
                "Far offsets share a trained vector: small models lost 0.06 nats in text, and went on copying.",
                "longer_than_training",
            ),
            Rule(
                OUT,
                "Music Transformer",
                "For offsets past the training length it has no vector, or one that no text has trained.",
                "absolute_positions, diagonals",
            ),
            Rule(
                FITS,
                "Transformer-XL",
                "Small models stayed level in text, copying and flip-flop. The authors promise it (Dai et al. 2019): "
                "test yours.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "T5 buckets",
                "Keep `max_distance` inside the training length, and let the table learn fast: small models then "
                "stayed level in text, otherwise they broke.",
                "longer_than_training",
            ),
            Rule(
                FITS,
                "ALiBi",
                "Small models stayed level in text, copying and flip-flop. Level does not mean that the long text is "
                "used.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "RoPE",
                "It meets angles never seen: small models trained at 128 broke from place 160 on. Position "
                "interpolation is a repair with a price.",
                "rope, longer_than_training",
            ),
            Rule(
                CAVEAT,
                "Swin",
                "The table must grow: stretch it for finer patches, keep each number for a larger image.",
                "two_dimensions",
            ),
            Rule(
                FITS,
                "sliding window",
                "No query meets a new distance: small models stayed level in text and copying. Farther keys are not "
                "seen.",
                "longer_than_training",
            ),
            Rule(
                FITS,
                "FoX",
                "Each token lowers the weight of all keys before it: small models stayed level in text and copying.",
                "longer_than_training",
            ),
        ],
    },
    "What must a token find?": {
        "nothing special": [],
        "an exact distance: “three back”": [
            Rule(
                CAVEAT,
                "none",
                "The mask alone tells little: small models got 0.22 of the copies right, by chance 0.06.",
                "longer_than_training",
            ),
            Rule(
                FITS,
                "learned, sinusoidal, RoPE",
                "Small models copied “three back” without error at the training length.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "Its bias gives the nearest key more than the third, so content must make up for it: small models got "
                "0.52 of the copies right at scale 1.",
                "bias_by_hand, longer_than_training",
            ),
            Rule(
                CAVEAT,
                "ALiBi",
                "Its bias gives the nearest key more than the third. Small models learned slowly to make up for it, "
                "and got 0.96 right at every length.",
                "alibi, longer_than_training",
            ),
            Rule(
                FITS,
                "Shaw",
                "Each distance below k has its vector: small models copied without error, at every length tested.",
                "longer_than_training",
            ),
            Rule(FITS, "Music Transformer", "Each distance has its vector, as far as the table goes.", "diagonals"),
            Rule(
                FITS,
                "Transformer-XL",
                "Small models copied without error, at every length tested.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "T5 buckets",
                "Distances up to 15 (7 in an encoder) have a bucket of their own. Small models copied without error, "
                "but at 8 times the length 0.73 right.",
                "t5_buckets, longer_than_training",
            ),
            Rule(
                FITS,
                "Swin",
                "Each pair of offsets has its number: “one up, one to the right” was learned.",
                "two_dimensions",
            ),
        ],
        "the nearest of a kind: “the last write”": [
            Rule(
                CAVEAT,
                "none, learned, sinusoidal",
                "Small models got 0.74 to 0.77 of the reads right at the training length (sines with larger "
                "embeddings: 0.94), by chance 0.50.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "The scale decides: small models got 0.76 right at scale 0.3, and nearly all at scale 1, but fell to "
                "0.83 at 8 times the length.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "Shaw",
                "Far keys share one vector, and seeds differ: small models got 0.70 to 0.99 right at 8 times the "
                "length.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "T5 buckets",
                "Small models got 0.99 right at 8 times the length, and 0.52 where `max_distance` was twice the "
                "training length.",
                "longer_than_training",
            ),
            Rule(
                CAVEAT,
                "Music Transformer",
                "Near and far have vectors of their own; this task was not measured.",
                "diagonals",
            ),
            Rule(
                FITS,
                "Transformer-XL",
                "Small models got all right, at every length tested.",
                "longer_than_training",
            ),
            Rule(
                FITS,
                "ALiBi",
                "It falls with distance: small models solved it at every length tested.",
                "longer_than_training",
            ),
            Rule(
                FITS,
                "RoPE",
                "Small models got nearly all right at the training length, though not beyond it.",
                "longer_than_training",
            ),
            Rule(OUT, "Swin", "No number of the table reaches across the border of a window.", "two_dimensions"),
        ],
    },
    "Which weights does it start from?": {
        "new ones": [],
        "from GPT-2, BERT": given(
            "learned", "A row per position: no text may be longer than the table.", "absolute_positions"
        ),
        "from Transformer-XL": given(
            "Transformer-XL", "Find out with which sign of the distance it was trained.", "transformer_xl"
        ),
        "from T5": given("T5 buckets", "No scaling, one table for a whole stack, offsets key − query.", "t5_buckets"),
        "from BLOOM, MPT": given(
            "ALiBi", "Take the authors' slopes if the number of heads is not a power of two.", "alibi"
        ),
        "from Llama, GPT-NeoX": given(
            "RoPE",
            "Hugging Face's code for these two takes half-split pairs of channels, but GPT-J and Meta's own code take "
            "interleaved ones.",
            "rope",
        ),
        "from Swin": given("Swin", "Its code counts query − key: the table is read backwards here.", "two_dimensions"),
    },
    "How is it computed?": {
        "any way": [],
        "FlexAttention": [
            NOTHING_ADDED,
            Rule(
                FITS,
                "log decay, Music Transformer, Transformer-XL, T5 buckets, ALiBi",
                "It changes scores, which is what a `score_mod` does. (Compiled on a CPU: no gradients.)",
                "fast_attention",
            ),
            Rule(CAVEAT, "Shaw", "Keys only: value vectors are out of its reach.", "fast_attention"),
            Rule(
                CAVEAT,
                "Swin",
                "A `score_mod` may look into a table; the course did not try this one.",
                "two_dimensions, fast_attention",
            ),
        ],
        "fused SDPA, in training": [
            NOTHING_ADDED,
            Rule(
                FITS,
                "log decay, ALiBi",
                "A bias that does not learn is a mask. The fused CPU kernel takes it with two or four axes.",
                "fast_attention",
            ),
            Rule(
                CAVEAT,
                "Shaw, Music Transformer, Transformer-XL, T5 buckets",
                "A mask that learns: on a CPU, SDPA falls back to the formula; on a GPU, one kernel returns its n × n "
                "gradient. `RelativeAttention` needs neither.",
                "fast_attention",
            ),
            Rule(
                CAVEAT,
                "Swin",
                "On a CPU, a mask that learns sends SDPA back to the formula. The grid of a window is W² × W².",
                "two_dimensions, fast_attention",
            ),
        ],
        "a flash kernel without a bias": [
            NOTHING_ADDED,
            Rule(
                OUT,
                "log decay, Shaw, Music Transformer, Transformer-XL, T5 buckets, Swin",
                "It adds to the scores, and torch's flash kernel for GPUs has no place for that.",
                "fast_attention",
            ),
            Rule(
                CAVEAT,
                "ALiBi",
                "Only if causal: m · j as one more channel (1/scale in each query, m · j in each key), rounded by "
                "bfloat16. flash-attn takes `alibi_slopes`.",
                "alibi, fast_attention",
            ),
        ],
        "token by token, with a cache": [
            Rule(FITS, "none", "There is nothing to do.", "fast_attention"),
            Rule(CAVEAT, "learned", "The new token takes row `past`, until the table ends.", "absolute_positions"),
            Rule(FITS, "sinusoidal", "The new token takes the sines of position `past`.", "absolute_positions"),
            Rule(
                FITS,
                "log decay, T5 buckets, ALiBi",
                "The new row is the end of one long row, made once.",
                "fast_attention",
            ),
            Rule(FITS, "Shaw", "The new query meets the few vectors of the table.", "fast_attention"),
            Rule(
                CAVEAT,
                "Music Transformer",
                "The new query meets a vector per offset, until the table ends.",
                "diagonals, fast_attention",
            ),
            Rule(
                FITS,
                "Transformer-XL",
                "The new query meets a vector per distance. (Its own memory is not a cache: it recomputes the keys.)",
                "transformer_xl, fast_attention",
            ),
            Rule(
                FITS,
                "RoPE",
                "The new query and key turn by `past`; keys in the cache are turned already.",
                "rope, fast_attention",
            ),
            Rule(OUT, "Swin", "A window is attended whole: no token comes after another.", "two_dimensions"),
        ],
    },
    "May position have parameters?": {
        "parameters": [],
        "no parameters": [
            Rule(
                FITS,
                "none, sinusoidal, log decay, ALiBi, RoPE, axial RoPE, M-RoPE, sliding window",
                "Nothing is learned.",
                "bias_by_hand, absolute_positions, alibi, rope, two_dimensions",
            ),
            Rule(OUT, "learned", "A vector per position.", "absolute_positions"),
            Rule(OUT, "Shaw", "(2k + 1)(d_k + d_v) numbers in its two tables.", "vector_per_distance"),
            Rule(OUT, "Music Transformer", "A vector per offset.", "diagonals"),
            Rule(OUT, "Transformer-XL", "A map of d_model × d_model in each layer, beside u and v.", "transformer_xl"),
            Rule(OUT, "T5 buckets", "A number per bucket and head, however long the text.", "t5_buckets"),
            Rule(OUT, "Swin", "(2W − 1)² numbers per head.", "two_dimensions"),
            Rule(OUT, "sink, log scale", "One number per head.", "which_one"),
            Rule(OUT, "FoX", "A map of the token to a gate per head.", "which_one"),
            Rule(OUT, "FIRE", "A small network.", "which_one"),
        ],
    },
}


def completed(questions: Mapping[str, Mapping[str, list[Rule]]]) -> dict[str, dict[str, list[Rule]]]:
    """The questions, where every answer with rules also says of which schemes it knows nothing yet."""
    found: dict[str, dict[str, list[Rule]]] = {}
    for question, options in questions.items():
        found[question] = {}
        for answer, rules in options.items():
            told = {scheme for rule in rules for scheme in named(rule)}
            rest = ", ".join(scheme for scheme in SCHEMES if scheme not in told)
            found[question][answer] = [*rules, Rule(CAVEAT, rest, UNTOLD, "which_one")] if rules and rest else rules
    return found


QUESTIONS = completed(QUESTIONS)


def picture(answers: Mapping[str, str] | None = None, *, title: str | None = None) -> Picture:
    """The guide with some questions answered, or none. Raises ValueError for a question or answer that is not there."""
    return figures.decision_guide(QUESTIONS, SCHEMES, answers, note=NOTE, title=title)


def decide(answers: Mapping[str, str]) -> dict[str, Decision]:
    """What the answers say about each scheme. Raises ValueError for a question or answer that is not there."""
    return figures.decide(QUESTIONS, SCHEMES, answers)
