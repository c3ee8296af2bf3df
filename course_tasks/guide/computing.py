"""How is it computed?"""

from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Rule

from .rules import OUTSIDE_THE_SCORE

COMPUTING = {
    "any way": [],
    "FlexAttention": [
        OUTSIDE_THE_SCORE,
        Rule(
            FITS,
            "log decay, Music Transformer, Transformer-XL, T5 buckets, ALiBi, FoX, FIRE",
            "It changes scores, which is what a `score_mod` does. (Compiled on a CPU: no gradients.)",
            "fast_attention",
        ),
        Rule(
            FITS,
            "sliding window, hybrid",
            "A `BlockMask` leaves out the tiles that no query of a window sees.",
            "fast_attention, windows_and_sinks",
        ),
        Rule(CAVEAT, "Shaw", "Keys only: value vectors are out of its reach.", "fast_attention"),
        Rule(
            FITS,
            "sink",
            "It multiplies the output by σ(lse − a), and FlexAttention returns the lse. (Compiled on a CPU: no lse.)",
            "windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "Swin",
            "A `score_mod` may look into a table; the course did not try this one.",
            "two_dimensions, fast_attention",
        ),
    ],
    "fused SDPA, in training": [
        OUTSIDE_THE_SCORE,
        Rule(
            FITS,
            "log decay, ALiBi, sliding window, hybrid",
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
            FITS,
            "FoX",
            "Its number per key goes into one more channel: 1/scale in each query, −c_j in each key.",
            "fast_attention, which_one",
        ),
        Rule(
            FITS,
            "sink",
            "One more key with value 0, and its score in one more channel: 1/scale in each query, a in that key.",
            "fast_attention, windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "FIRE",
            "A mask that learns: on a CPU, SDPA falls back to the formula. Its grid is not a view of a row.",
            "fast_attention, which_one",
        ),
        Rule(
            CAVEAT,
            "Swin",
            "On a CPU, a mask that learns sends SDPA back to the formula. The grid of a window is W² × W².",
            "two_dimensions, fast_attention",
        ),
    ],
    "a flash kernel without a bias": [
        OUTSIDE_THE_SCORE,
        Rule(
            OUT,
            "log decay, Shaw, Music Transformer, Transformer-XL, T5 buckets, Swin, FIRE",
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
        Rule(
            CAVEAT,
            "FoX",
            "Its number per key as one more channel: 1/scale in each query, −c_j in each key, rounded by bfloat16.",
            "fast_attention, which_one",
        ),
        Rule(
            CAVEAT,
            "sink",
            "As one more key with value 0 and one more channel: 1/scale in each query, a in that key.",
            "fast_attention, windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "sliding window, hybrid",
            "Torch's flash kernel has no window; flash-attn takes `window_size`.",
            "fast_attention, windows_and_sinks",
        ),
    ],
    "token by token, with a cache": [
        Rule(FITS, "none", "There is nothing to do.", "fast_attention"),
        Rule(CAVEAT, "learned", "The new token takes row `past`, until the table ends.", "absolute_positions"),
        Rule(FITS, "sinusoidal", "The new token takes the sines of position `past`.", "absolute_positions"),
        Rule(FITS, "log decay, T5 buckets, ALiBi", "The new row is the end of one long row, made once.", "fast_attention"),
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
        Rule(
            CAVEAT,
            "stretched RoPE",
            "As RoPE. But with speeds that depend on the length read so far, keep the keys unturned.",
            "stretching_rope",
        ),
        Rule(
            CAVEAT,
            "axial RoPE, M-RoPE",
            "As RoPE, but a token's positions are not its place in the text: keep the difference.",
            "two_dimensions",
        ),
        Rule(FITS, "sliding window", "A ring of w slots holds every key that is still seen.", "windows_and_sinks"),
        Rule(
            CAVEAT,
            "hybrid",
            "A ring of w slots for each window; the other layers keep the whole text.",
            "windows_and_sinks",
        ),
        Rule(FITS, "sink", "The same number in every step.", "windows_and_sinks"),
        Rule(FITS, "log scale", "Only the new query is scaled, by its position.", "windows_and_sinks"),
        Rule(FITS, "FoX", "Beside each key the cache keeps its sum of log gates, a number per head.", "which_one"),
        Rule(
            CAVEAT,
            "FIRE",
            "Past L the network computes a whole new row in each step, because all shares change.",
            "which_one",
        ),
        Rule(OUT, "Swin", "A window is attended whole: no token comes after another.", "two_dimensions"),
    ],
}
