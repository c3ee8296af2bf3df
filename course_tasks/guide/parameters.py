"""May position have parameters?"""

from course_lib.figures.decision_guide import FITS, OUT, Rule

PARAMETERS = {
    "parameters": [],
    "no parameters": [
        Rule(
            FITS,
            "none, sinusoidal, log decay, ALiBi, RoPE, stretched RoPE, axial RoPE, M-RoPE, sliding window, hybrid",
            "Nothing is learned.",
            "bias_by_hand, absolute_positions, alibi, rope, two_dimensions, stretching_rope, windows_and_sinks",
        ),
        Rule(OUT, "learned", "A vector per position.", "absolute_positions"),
        Rule(OUT, "Shaw", "(2k + 1)(d_k + d_v) numbers in its two tables.", "vector_per_distance"),
        Rule(OUT, "Music Transformer", "A vector per offset.", "diagonals"),
        Rule(OUT, "Transformer-XL", "A map of d_model × d_model in each layer, beside u and v.", "transformer_xl"),
        Rule(OUT, "T5 buckets", "A number per bucket and head, however long the text.", "t5_buckets"),
        Rule(OUT, "Swin", "(2W − 1)² numbers per head.", "two_dimensions"),
        Rule(OUT, "sink, log scale", "A number per head.", "windows_and_sinks"),
        Rule(OUT, "FoX", "Each token goes through a learned map to a gate per head.", "which_one"),
        Rule(OUT, "FIRE", "A small network and two more numbers.", "which_one"),
    ],
}
