"""The rules of the decision guide: question → answer → which schemes → verdict, reason, chapters that back it.

A plain table, to be read and to be changed. An answer without rules speaks for no scheme and against none; every other
answer says something about every scheme. No measurement rules a scheme out; what chapter 10 measured on small models
is told as such, and `tests/figures/test_decision_guide.py` recomputes it.
"""

from typing import NamedTuple

FITS, CAVEAT, OUT = 0, 1, 2  # the largest of several verdicts wins


class Rule(NamedTuple):
    """What one answer means for some schemes."""

    verdict: int
    schemes: str  # names, with commas
    why: str
    chapters: str


SCHEMES = {  # name: (what it is, chapter)
    "none": ("no position at all; a decoder's mask still tells a little", "01"),
    "learned": ("a learned vector per absolute position, added to the input", "01"),
    "sinusoidal": ("sines of the absolute position, added to the input", "01"),
    "log decay": ("−λ log(1 + distance), added to the score", "02"),
    "Shaw": ("a learned vector per offset, clipped at ±k; each query reads it in its own way", "03"),
    "Music Transformer": ("a learned vector per offset without clipping, for the scores, laid out by a skew", "04"),
    "Transformer-XL": ("distances as sines through a learned map, four terms in the score", "05"),
    "T5 buckets": ("a learned number per bucket of offsets, added to the score", "06"),
    "ALiBi": ("a straight line per head, subtracted from the score", "07"),
    "RoPE": ("queries and keys turned by their positions", "07"),
    "Swin": ("a learned number per pair of offsets, row and column, inside a window", "08"),
}
PLAIN = "none, learned, sinusoidal, RoPE"  # attention itself stays as it is
ONE_AXIS = Rule(OUT, "Swin", "It counts rows and columns of a window. A text has one axis.", "08")
MOVES = Rule(CAVEAT, "learned, sinusoidal", "Move a phrase to another place in the text, and its scores change.", "01")
NOTHING_ADDED = Rule(FITS, PLAIN, "Attention stays as it is: position enters before it, or not at all.", "09")


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
                "Without a mask it is blind to order: shuffle the words, and each takes its output along.",
                "01",
            ),
            MOVES,
            Rule(CAVEAT, "log decay", "It is symmetric: it cannot tell before from after.", "02"),
            Rule(FITS, "Shaw", "Before and after have vectors of their own.", "03"),
            Rule(
                CAVEAT,
                "Music Transformer, Transformer-XL",
                "The causal skew or shift leaves junk at keys after the query, and no mask hides it: take the general "
                "form.",
                "04, 05",
            ),
            Rule(FITS, "T5 buckets", "Half of the buckets are for each side.", "06"),
            Rule(
                CAVEAT,
                "ALiBi",
                "It needs the form −m |i − j|, which is not in the paper and cannot tell before from after.",
                "07",
            ),
            Rule(FITS, "RoPE", "Turns have a direction: a head can learn “the word before”.", "07"),
            ONE_AXIS,
        ],
        "text, left to right": [
            Rule(CAVEAT, "none", "The causal mask tells positions to a degree, at a cost.", "01"),
            MOVES,
            Rule(
                FITS,
                "log decay, ALiBi",
                "It cannot tell before from after, and need not: the mask has removed “after”.",
                "07",
            ),
            Rule(FITS, "Shaw", "Vectors for offsets ahead are never used.", "03"),
            Rule(FITS, "Music Transformer", "Its skew is made for a causal mask, which hides the junk.", "04"),
            Rule(FITS, "Transformer-XL", "Its shift is made for a causal mask, which hides the junk.", "05"),
            Rule(FITS, "T5 buckets", "All buckets serve the past: `bidirectional=False`.", "06"),
            Rule(FITS, "RoPE", "Each key turns once, at its own position.", "07"),
            ONE_AXIS,
        ],
        "text in segments, with a memory": [
            Rule(CAVEAT, "none", "The causal mask tells positions to a degree, at a cost.", "01"),
            Rule(
                OUT,
                "learned, sinusoidal",
                "Each segment counts from 0, so token t of every segment looks alike.",
                "05",
            ),
            Rule(
                FITS,
                "log decay, Shaw, T5 buckets, ALiBi, RoPE",
                "Only offsets count: queries stand at `past + i`, behind the memory.",
                "05",
            ),
            Rule(CAVEAT, "Music Transformer", "Its table must reach from the last query to the oldest memory.", "04"),
            Rule(FITS, "Transformer-XL", "Made for it.", "05"),
            ONE_AXIS,
        ],
        "an image, in windows": [
            Rule(
                CAVEAT,
                "none",
                "A window alone is blind to places. Windows that shift tell a little: in Swin's own ablation (table "
                "4), the table of offsets adds 1.2 points.",
                "08",
            ),
            Rule(
                CAVEAT,
                "learned",
                "Possible: in Swin's own ablation (table 4), the table of offsets does better by 0.8 points.",
                "08",
            ),
            Rule(CAVEAT, "sinusoidal", "It counts along the list of patches, where the patch below is far.", "08"),
            Rule(
                OUT,
                "log decay, T5 buckets, ALiBi",
                "It goes by the distance along one line, where the patch below is far.",
                "08",
            ),
            Rule(
                CAVEAT,
                "Shaw, Music Transformer, Transformer-XL, RoPE",
                "One offset mixes “right neighbour” with “one down, W − 1 left”, unless patches are numbered "
                "row · (2W − 1) + column.",
                "08",
            ),
            Rule(FITS, "Swin", "Made for it; shifted windows cross the borders.", "08"),
        ],
    },
    "How long are the texts (or windows)?": {
        "as in training": [],
        "longer than in training": [
            Rule(
                CAVEAT,
                "none",
                "Small models lost 0.07 nats in text, having little to lose, and ended worse than guessing in copying.",
                "10",
            ),
            Rule(OUT, "learned", "No text has trained the rows past the training length, and the table ends.", "01"),
            Rule(
                CAVEAT,
                "sinusoidal",
                "Positions never seen: small models ended worse than guessing in copying. In text it depended on the "
                "size of the embeddings.",
                "10",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "Up to scale 1 far keys take ever more of a row: small models lost 0.07 nats in text at scale 1.",
                "02, 10",
            ),
            Rule(
                CAVEAT,
                "Shaw",
                "Far offsets share a trained vector: small models lost 0.16 nats in text, and went on copying.",
                "10",
            ),
            Rule(
                OUT,
                "Music Transformer",
                "For offsets past the training length it has no vector, or one that no text has trained.",
                "01, 04",
            ),
            Rule(
                FITS,
                "Transformer-XL",
                "Small models stayed level in text and copying; in flip-flop seeds differ (0.08 ± 0.22 nats). "
                "Nobody promised it: test yours.",
                "10",
            ),
            Rule(
                CAVEAT,
                "T5 buckets",
                "Keep `max_distance` inside the training length: small models lost 0.18 nats in text, and 0.98 with "
                "untrained buckets.",
                "10",
            ),
            Rule(
                FITS,
                "ALiBi",
                "Small models stayed level in text and flip-flop, and lost 0.06 nats in copying. Level does not mean "
                "that the long text is used.",
                "10",
            ),
            Rule(
                CAVEAT,
                "RoPE",
                "It meets angles never seen: small models trained at 64 broke from place 112 on. Position "
                "interpolation is a repair with a price.",
                "07, 10",
            ),
            Rule(
                CAVEAT,
                "Swin",
                "The table must grow: stretch it for finer patches, keep each number for a larger image.",
                "08",
            ),
        ],
    },
    "What must a token find?": {
        "nothing special": [],
        "an exact distance: “three back”": [
            Rule(
                CAVEAT,
                "none",
                "The mask alone tells little: small models got 0.23 of the copies right, by chance 0.06.",
                "10",
            ),
            Rule(
                FITS,
                "learned, sinusoidal, RoPE",
                "Small models copied “three back” almost without error at the training length.",
                "10",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "Its bias gives the nearest key more than the third, so content must make up for it: small models got "
                "0.35 of the copies right at scale 1.",
                "02, 10",
            ),
            Rule(
                CAVEAT,
                "ALiBi",
                "Its bias gives the nearest key more than the third, so content must make up for it: small models got "
                "0.52 of the copies right.",
                "07, 10",
            ),
            Rule(
                FITS,
                "Shaw",
                "Each distance below k has its vector: small models copied without error, at every length tested.",
                "10",
            ),
            Rule(FITS, "Music Transformer", "Each distance has its vector, as far as the table goes.", "04"),
            Rule(FITS, "Transformer-XL", "Small models copied without error, at every length tested.", "10"),
            Rule(
                CAVEAT,
                "T5 buckets",
                "Distances up to 15 (7 in an encoder) have a bucket of their own, those beyond share.",
                "06",
            ),
            Rule(FITS, "Swin", "Each pair of offsets has its number: “one up, one to the right” was learned.", "08"),
        ],
        "the nearest of a kind: “the last write”": [
            Rule(
                CAVEAT,
                "none, learned, sinusoidal",
                "Small models got 0.71 to 0.76 of the reads right at the training length, by chance 0.50.",
                "10",
            ),
            Rule(
                CAVEAT,
                "log decay",
                "The scale decides: small models got 0.97 right at scale 1, and 0.74 at scale 0.3.",
                "10",
            ),
            Rule(
                CAVEAT,
                "Shaw",
                "All far keys share one vector, and together they win: small models got 0.59 right at 8 times the "
                "length.",
                "10",
            ),
            Rule(
                CAVEAT,
                "T5 buckets",
                "All far keys share one number: small models fell to 0.70 right at 8 times the length.",
                "10",
            ),
            Rule(
                CAVEAT, "Music Transformer", "Near and far have vectors of their own; this task was not measured.", "04"
            ),
            Rule(FITS, "Transformer-XL", "Small models got nearly all right, at 8 times the length too (0.97).", "10"),
            Rule(FITS, "ALiBi", "It falls with distance: small models solved it at every length tested.", "10"),
            Rule(FITS, "RoPE", "Small models got nearly all right at the training length, though not beyond it.", "10"),
            Rule(OUT, "Swin", "No number of the table reaches across the border of a window.", "08"),
        ],
    },
    "Which weights does it start from?": {
        "new ones": [],
        "from GPT-2, BERT": given("learned", "A row per position: no text may be longer than the table.", "01"),
        "from Transformer-XL": given(
            "Transformer-XL", "Find out with which sign of the distance it was trained.", "05"
        ),
        "from T5": given("T5 buckets", "No scaling, one table for a whole stack, offsets key − query.", "06"),
        "from BLOOM, MPT": given("ALiBi", "Take the authors' slopes when heads are no power of two.", "07"),
        "from Llama, GPT-NeoX": given(
            "RoPE",
            "Hugging Face pairs their channels half-split; those of GPT-J and Meta's own code are interleaved.",
            "07",
        ),
        "from Swin": given("Swin", "Its code counts query − key: the table is read backwards here.", "08"),
    },
    "How is it computed?": {
        "any way": [],
        "FlexAttention": [
            NOTHING_ADDED,
            Rule(
                FITS,
                "log decay, Music Transformer, Transformer-XL, T5 buckets, ALiBi",
                "It changes scores, which is what a `score_mod` does. (Compiled on a CPU: no gradients.)",
                "09",
            ),
            Rule(CAVEAT, "Shaw", "Keys only: value vectors are out of its reach.", "09"),
            Rule(CAVEAT, "Swin", "A `score_mod` may look into a table; the course did not try this one.", "08, 09"),
        ],
        "fused SDPA, in training": [
            NOTHING_ADDED,
            Rule(FITS, "log decay, ALiBi", "A bias that does not learn is a mask, fused if it has four axes.", "09"),
            Rule(
                CAVEAT,
                "Shaw, Music Transformer, Transformer-XL, T5 buckets",
                "A mask that learns sends SDPA back to the formula, without a word; the course's `RelativeAttention` "
                "makes blocks again instead.",
                "09",
            ),
            Rule(
                CAVEAT,
                "Swin",
                "A mask that learns sends SDPA back to the formula; the grid of a window is W² × W².",
                "08, 09",
            ),
        ],
        "a flash kernel without a bias": [
            NOTHING_ADDED,
            Rule(
                OUT,
                "log decay, Shaw, Music Transformer, Transformer-XL, T5 buckets, Swin",
                "It adds to the scores, and torch's flash kernel for GPUs has no place for that.",
                "09",
            ),
            Rule(
                CAVEAT,
                "ALiBi",
                "Only under a causal mask: there m · j is enough, as one more channel (1/scale in each query, m · j in "
                "each key). bfloat16 rounds it.",
                "07",
            ),
        ],
        "token by token, with a cache": [
            Rule(FITS, "none", "There is nothing to do.", "09"),
            Rule(CAVEAT, "learned", "The new token takes row `past`, until the table ends.", "01"),
            Rule(FITS, "sinusoidal", "The new token takes the sines of position `past`.", "01"),
            Rule(FITS, "log decay, T5 buckets, ALiBi", "The new row is the end of one long row, made once.", "09"),
            Rule(FITS, "Shaw", "The new query meets the few vectors of the table.", "09"),
            Rule(
                CAVEAT, "Music Transformer", "The new query meets a vector per offset, until the table ends.", "04, 09"
            ),
            Rule(
                FITS,
                "Transformer-XL",
                "The new query meets a vector per distance. (Its own memory is no cache: it makes keys anew.)",
                "05, 09",
            ),
            Rule(FITS, "RoPE", "The new query and key turn by `past`; keys in the cache are turned already.", "07, 09"),
            Rule(OUT, "Swin", "A window is attended whole: no token comes after another.", "08"),
        ],
    },
    "May position have parameters?": {
        "parameters": [],
        "no parameters": [
            Rule(FITS, "none, sinusoidal, log decay, ALiBi, RoPE", "Nothing is learned.", "01, 02, 07"),
            Rule(OUT, "learned", "A vector per position.", "01"),
            Rule(OUT, "Shaw", "(2k + 1)(d_k + d_v) numbers in its two tables.", "03"),
            Rule(OUT, "Music Transformer", "A vector per offset.", "04"),
            Rule(OUT, "Transformer-XL", "A map of d_model × d_model in each layer, beside u and v.", "05"),
            Rule(OUT, "T5 buckets", "A number per bucket and head, however long the text.", "06"),
            Rule(OUT, "Swin", "(2W − 1)² numbers per head.", "08"),
        ],
    },
}
