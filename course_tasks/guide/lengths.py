"""How long are the texts (or windows)? What small models did is read from the committed runs."""

from statistics import fmean

from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Rule
from course_tasks.measured import FIRST, LAST, committed, each, mean, rise

TEXT = "characters"
LONGER, PAST_2021 = "longer_than_training", "longer_than_training, windows_and_sinks"
YARN = "YaRN's code, 60 at 1024"  # after 60 further steps on texts of 1,024 tokens
FAR = 0.5  # nats


def breaks_from(run: str) -> int:
    """The first place in a text from which the loss lies FAR above that of the last places within the training length.

    The runs give the loss for each part of the longest text.
    """
    rows = [row for row in committed() if (row["task"], row["scheme"]) == (TEXT, run)]
    parts = [fmean(part) for part in zip(*(row["by_position"] for row in rows), strict=True)]
    settings = rows[0]["settings"]
    size = settings["tests"][LAST] // len(parts)
    trained = settings["length"] // size
    return size * next(k for k in range(trained, len(parts)) if parts[k] > parts[trained - 1] + FAR)


def stretched() -> str:
    """What a repair of RoPE brings, and what it costs, beside the control with the same further steps."""
    far, control = (mean(run, TEXT, LAST, file="repairs") for run in (YARN, "as trained, 60 at 1024"))
    near, before = mean(YARN, TEXT, FIRST, file="repairs"), mean("rope", TEXT, FIRST)
    return (
        f"With YaRN's code and 60 long-text steps, small models had {far:.2f} nats at 1,024 tokens; the steps alone "
        f"gave {control:.2f}. At 128, the loss rose from {before:.2f} to {near:.2f}."
    )


def fire() -> str:
    """FIRE's rise in text, and how many seeds have measured it."""
    seeds = len(each("fire", TEXT, LAST))
    return (
        f"No share exceeds 1, but a near key gets smaller shares than in training. Small models ({seeds} "
        f"seed{'s' * (seeds > 1)}) lost {rise('fire', TEXT):.2f} nats in text, nearly as much with far keys masked."
    )


LENGTHS = {
    "as in training": [],
    "longer than in training": [
        Rule(
            CAVEAT,
            "none",
            f"Small models lost {rise('none', TEXT):.2f} nats in text, the worst from the start, and ended worse than "
            "guessing in copying.",
            LONGER,
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
            LONGER,
        ),
        Rule(
            CAVEAT,
            "log decay",
            f"Up to scale 1, far keys take more and more weight: small models lost {rise('log-1', TEXT):.2f} nats in "
            "text at scale 1.",
            f"bias_by_hand, {LONGER}",
        ),
        Rule(
            CAVEAT,
            "Shaw",
            f"Far offsets share a trained vector: small models lost {rise('shaw-32', TEXT):.2f} nats in text, and went "
            "on copying.",
            LONGER,
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
            LONGER,
        ),
        Rule(
            CAVEAT,
            "T5 buckets",
            "Keep `max_distance` inside the training length, and let the table learn fast: small models then stayed "
            "level in text, otherwise they broke.",
            LONGER,
        ),
        Rule(
            FITS,
            "ALiBi",
            "Small models stayed level in text, copying and flip-flop. Level does not mean that the long text is used.",
            LONGER,
        ),
        Rule(
            CAVEAT,
            "RoPE",
            f"It meets angles never seen: small models trained at 128 broke from place {breaks_from('rope')} on. "
            "Stretch it.",
            f"rope, {LONGER}",
        ),
        Rule(CAVEAT, "stretched RoPE", stretched(), f"{LONGER}, stretching_rope"),
        Rule(
            CAVEAT,
            "axial RoPE, M-RoPE",
            "As with RoPE, more rows and columns bring angles never seen.",
            "two_dimensions, stretching_rope",
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
            "No query meets a new distance: small models stayed level in text, copying and flip-flop. Farther keys are not "
            "seen.",
            PAST_2021,
        ),
        Rule(
            FITS,
            "hybrid",
            "Small models stayed level in text and copying, after 2,000 steps; after 4,000 their loss in text rises a little. "
            "With RoPE but without its window they broke.",
            PAST_2021,
        ),
        Rule(
            CAVEAT,
            "sink",
            "Beside a window it can take the place of the first token, if training makes use of it.",
            "windows_and_sinks",
        ),
        Rule(
            CAVEAT,
            "log scale",
            "It keeps the weight of a key that leads while more keys come. The course has not trained it.",
            "windows_and_sinks",
        ),
        Rule(
            FITS,
            "FoX",
            "Each token lowers the weight of all keys before it: small models stayed level in text, copying and flip-flop.",
            f"{LONGER}, which_one",
        ),
        Rule(CAVEAT, "FIRE", fire(), f"{LONGER}, which_one"),
    ],
}
