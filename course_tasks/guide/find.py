"""What must a token find? What small models found is read from the committed runs."""

from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Rule
from course_tasks.measured import FIRST, LAST, each, mean

from .rules import BESIDE

LONGER = "longer_than_training"
CHANCE = {"copy-back": 1 / 16, "flip-flop": 1 / 2}


def copied(run: str, test: int = FIRST) -> str:
    """The share of the copies that small models got right."""
    return f"{mean(run, 'copy-back', test, 'accuracy'):.2f}"


def read(run: str, test: int = FIRST) -> str:
    """The share of the reads that small models got right."""
    return f"{mean(run, 'flip-flop', test, 'accuracy'):.2f}"


READS = sorted(read(run) for run in ("none", "learned", "sinusoidal"))
SHAW_READS = sorted(each("shaw-32", "flip-flop", LAST, "accuracy"))

FIND = {
    "nothing special": [],
    "an exact distance: “three back”": [
        Rule(
            CAVEAT,
            "none",
            f"The mask alone tells little: small models got {copied('none')} of the copies right, by chance "
            f"{CHANCE['copy-back']:.2f}.",
            LONGER,
        ),
        Rule(
            FITS,
            "learned, sinusoidal, RoPE",
            "Small models copied “three back” without error at the training length.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "log decay",
            "Its bias gives the nearest key more than the third, so content must make up for it: small models got "
            f"{copied('log-1')} of the copies right at scale 1.",
            f"bias_by_hand, {LONGER}",
        ),
        Rule(
            CAVEAT,
            "ALiBi",
            "Its bias gives the nearest key more than the third. Small models learned slowly to make up for it, and "
            f"got {copied('alibi')} right at every length.",
            f"alibi, {LONGER}",
        ),
        Rule(
            FITS,
            "Shaw",
            "Each distance below k has its vector: small models copied without error, at every length tested.",
            LONGER,
        ),
        Rule(FITS, "Music Transformer", "Each distance has its vector, as far as the table goes.", "diagonals"),
        Rule(
            FITS,
            "Transformer-XL, sliding window, hybrid",
            "Small models copied without error, at every length tested.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "T5 buckets",
            "Distances up to 15 (7 in an encoder) have a bucket of their own. Small models copied without error, but "
            f"at 8 times the length {copied('t5-64', LAST)} right.",
            f"t5_buckets, {LONGER}",
        ),
        Rule(
            CAVEAT,
            "stretched RoPE",
            "Small models went on copying without error after YaRN's code, at every length. After interpolation they "
            "could not copy.",
            f"{LONGER}, stretching_rope",
        ),
        Rule(
            FITS,
            "Swin",
            "Each pair of offsets has its number: “one up, one to the right” was learned.",
            "two_dimensions",
        ),
        Rule(
            FITS,
            "axial RoPE, M-RoPE",
            "Each pair of offsets has its turns: “one up, one to the right” is such a pair.",
            "two_dimensions",
        ),
        Rule(
            FITS,
            "FoX",
            "Small models got nearly all copies right, at every length tested, without any other position.",
            f"{LONGER}, which_one",
        ),
        Rule(
            CAVEAT,
            "FIRE",
            "Its network can give any distance a number, but later in a text the same distance has another one.",
            "which_one",
        ),
        BESIDE,
    ],
    "the nearest of a kind: “the last write”": [
        Rule(
            CAVEAT,
            "none, learned, sinusoidal",
            f"Small models got {READS[0]} to {READS[-1]} of the reads right at the training length (sines with larger "
            f"embeddings: {read('sinusoidal-scaled')}), by chance {CHANCE['flip-flop']:.2f}.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "log decay",
            f"The scale decides: small models got {read('log-0.3')} right at scale 0.3, and nearly all at scale 1, but "
            f"fell to {read('log-1', LAST)} at 8 times the length.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "Shaw",
            f"Far keys share one vector, and seeds differ: small models got {SHAW_READS[0]:.2f} to "
            f"{SHAW_READS[-1]:.2f} right at 8 times the length.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "T5 buckets",
            f"Small models got {read('t5-64', LAST)} right at 8 times the length, and {read('t5-256', LAST)} where "
            "`max_distance` was twice the training length.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "Music Transformer",
            "Near and far have vectors of their own; this task was not measured.",
            "diagonals",
        ),
        Rule(FITS, "Transformer-XL", "Small models got all right, at every length tested.", LONGER),
        Rule(
            FITS,
            "ALiBi",
            "It falls with distance: small models solved it at every length tested.",
            LONGER,
        ),
        Rule(
            FITS,
            "RoPE",
            "Small models got nearly all right at the training length, though not beyond it.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "stretched RoPE",
            "RoPE learned it at the training length; no repair was tried on this task.",
            "stretching_rope",
        ),
        Rule(
            FITS,
            "sliding window",
            "Small models got nearly all right, at every length tested. A write farther back than the windows reach is not "
            "seen.",
            f"{LONGER}, windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "hybrid",
            f"Seeds differ: small models got {read('window-64+none')} right at the training length and "
            f"{read('window-64+none', LAST)} at 8 times that. Beyond its windows, only the mask tells the order.",
            f"{LONGER}, windows_and_sinks",
        ),
        Rule(
            FITS,
            "FoX",
            "A write can close its gate on all writes before it: small models got all right, at every length tested.",
            f"{LONGER}, which_one",
        ),
        Rule(CAVEAT, "FIRE", "Its network can fall with distance; this task was not measured.", "which_one"),
        Rule(
            CAVEAT,
            "axial RoPE, M-RoPE",
            "Turns can favour what is near on each axis; this task was not measured.",
            "two_dimensions",
        ),
        BESIDE,
        Rule(OUT, "Swin", "No number of the table reaches across the border of a window.", "two_dimensions"),
    ],
}
