"""What is attended?"""

from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Rule

from .rules import BESIDE, ONE_AXIS

MOVES = Rule(
    CAVEAT,
    "learned, sinusoidal",
    "Move a phrase to another place in the text, and its scores change.",
    "absolute_positions",
)
ON_TEXT = Rule(FITS, "M-RoPE", "In text it is RoPE, because all three positions count alike.", "two_dimensions")

ATTENDED = {
    "text, read both ways": [
        Rule(
            OUT,
            "none",
            "Without a mask it is blind to order: permute the words, and the outputs are permuted alike.",
            "blind_to_distance",
        ),
        MOVES,
        Rule(
            CAVEAT,
            "log decay, FIRE",
            "It is symmetric: it cannot tell before from after.",
            "bias_by_hand, which_one",
        ),
        Rule(FITS, "Shaw", "Before and after have vectors of their own.", "vector_per_distance"),
        Rule(
            CAVEAT,
            "Music Transformer, Transformer-XL",
            "The causal skew or shift leaves junk at keys after the query, and no mask hides it: take the general form.",
            "diagonals, transformer_xl",
        ),
        Rule(FITS, "T5 buckets", "Half of the buckets are for each side.", "t5_buckets"),
        Rule(
            CAVEAT,
            "ALiBi",
            "It needs the form −m |i − j|, which is not in the paper and cannot tell before from after.",
            "alibi",
        ),
        Rule(FITS, "RoPE, stretched RoPE", "Turns have a direction: a head can learn “the word before”.", "rope"),
        ON_TEXT,
        Rule(
            FITS,
            "sliding window",
            "A window reaches to both sides, and the turns inside it have a direction.",
            "windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "hybrid",
            "Without a mask, its layers without positions are blind to order. Only its windows tell it.",
            "blind_to_distance, windows_and_sinks",
        ),
        Rule(
            OUT,
            "FoX",
            "It needs a causal mask: it lowers the keys before a query, so it would raise the keys after it.",
            "which_one",
        ),
        BESIDE,
        ONE_AXIS,
    ],
    "text, left to right": [
        Rule(
            CAVEAT,
            "none",
            "The causal mask tells a little. Alone it came first on small reasoning tasks (Kazemnejad et al. 2023); small "
            "models here were last in text and copying.",
            "blind_to_distance, longer_than_training",
        ),
        MOVES,
        Rule(
            FITS,
            "log decay, ALiBi, FIRE",
            "It cannot tell before from after, and need not: the mask has removed “after”.",
            "alibi, which_one",
        ),
        Rule(FITS, "Shaw", "Vectors for offsets ahead are never used.", "vector_per_distance"),
        Rule(FITS, "Music Transformer", "Its skew is made for a causal mask, which hides the junk.", "diagonals"),
        Rule(FITS, "Transformer-XL", "Its shift is made for a causal mask, which hides the junk.", "transformer_xl"),
        Rule(FITS, "T5 buckets", "All buckets serve the past: `bidirectional=False`.", "t5_buckets"),
        Rule(FITS, "RoPE, stretched RoPE", "Each key turns once, at its own position.", "rope"),
        ON_TEXT,
        Rule(FITS, "sliding window", "Keys that are w or more back are never read again.", "windows_and_sinks"),
        Rule(
            FITS,
            "hybrid",
            "The windows tell order, and the layers without positions read the whole text.",
            "windows_and_sinks",
        ),
        Rule(
            FITS,
            "FoX",
            "Made for a causal mask: what counts is how much each token in between forgets.",
            "which_one",
        ),
        BESIDE,
        ONE_AXIS,
    ],
    "text in segments, with a memory": [
        Rule(
            CAVEAT,
            "none",
            "The causal mask tells positions to a degree: how many keys a query sees, the memory's included.",
            "blind_to_distance, transformer_xl",
        ),
        Rule(
            OUT,
            "learned, sinusoidal",
            "Each segment counts from 0, so token t of every segment looks alike.",
            "transformer_xl",
        ),
        Rule(
            FITS,
            "log decay, Shaw, T5 buckets, ALiBi, RoPE, stretched RoPE, sliding window, hybrid",
            "Only offsets count: queries stand at `past + i`, behind the memory.",
            "transformer_xl",
        ),
        Rule(CAVEAT, "Music Transformer", "Its table must reach from the last query to the oldest memory.", "diagonals"),
        Rule(FITS, "Transformer-XL", "Made for it.", "transformer_xl"),
        Rule(CAVEAT, "M-RoPE", "The memory must keep the three positions of its tokens, too.", "two_dimensions"),
        Rule(
            FITS,
            "FoX",
            "The memory's gates are computed again, as its keys are. A bias is a difference of sums, so they may begin anywhere.",
            "transformer_xl, which_one",
        ),
        Rule(
            CAVEAT,
            "FIRE",
            "It needs the query's place in the whole text, but a memory counts from its oldest token.",
            "transformer_xl, which_one",
        ),
        BESIDE,
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
        Rule(CAVEAT, "sinusoidal", "It counts along the list of patches, where the patch below is far.", "two_dimensions"),
        Rule(
            OUT,
            "log decay, T5 buckets, ALiBi, FIRE, sliding window, hybrid",
            "It counts the distance along the list of patches, where the patch below is far.",
            "two_dimensions",
        ),
        Rule(
            CAVEAT,
            "Shaw, Music Transformer, Transformer-XL, RoPE, stretched RoPE",
            "One offset mixes “right neighbour” with “one down, W − 1 left”, unless patches are numbered "
            "row · (2W − 1) + column.",
            "two_dimensions",
        ),
        Rule(FITS, "Swin", "Made for it; shifted windows cross the borders.", "two_dimensions"),
        Rule(FITS, "axial RoPE, M-RoPE", "Row and column each turn their own pairs of channels.", "two_dimensions"),
        Rule(OUT, "FoX", "It needs a causal mask, and patches have no order.", "which_one"),
        BESIDE,
    ],
}
