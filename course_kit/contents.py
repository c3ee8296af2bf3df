"""The table of contents: the one place that knows the order, the titles and the minutes of the chapters.

Everything else speaks of a topic, which is also the name of the module with its tasks. To insert a chapter, insert a
line here and rename the files of `source/` that come after it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Chapter:
    """A chapter: what it teaches, how long its lesson takes, and the topics that come before it."""

    topic: str
    title: str
    about: str  # for the list in the README
    teaches: str  # for teachers, after "to"
    minutes: int
    needs: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """Its place in the course, as file names have it: "04"."""
        return f"{CONTENTS.index(self):02}"

    @property
    def file(self) -> str:
        """The name of its notebooks and of its source, without an ending: "04_vector_per_distance"."""
        return f"{self.number}_{self.topic}"


CONTENTS = (
    Chapter(
        "start_here",
        "Start here",
        "a model that cannot tell word order, the map, the pictures, the tasks",
        "see a model that cannot tell word order, and use pictures, tracer and checks",
        35,
    ),
    Chapter(
        "blind_to_distance",
        "Attention is blind to distance",
        "attention by hand, permuted words, what a causal mask gives away",
        "prove what attention cannot see",
        45,
    ),
    Chapter(
        "bias_by_hand",
        "A bias by hand",
        "one number per offset, and why each weight moved",
        "add a bias by hand, and prove which weights it raises",
        70,
    ),
    Chapter(
        "absolute_positions",
        "Absolute positions",
        "sinusoids and learned vectors, what stays unseen",
        "build sinusoids, and count what training has never seen",
        65,
        ("blind_to_distance", "bias_by_hand"),
    ),
    Chapter(
        "vector_per_distance",
        "A vector per distance",
        "Shaw's keys and values",
        "give every offset a vector, for keys and for values (Shaw)",
        70,
        ("bias_by_hand",),
    ),
    Chapter(
        "diagonals",
        "Reading the diagonals",
        "Music Transformer's skew, and one view that does it all",
        "place offsets on diagonals and read them back without the memory (Music Transformer's skew)",
        70,
        ("bias_by_hand", "vector_per_distance"),
    ),
    Chapter(
        "transformer_xl",
        "Transformer-XL",
        "four terms, the relative shift, segments",
        "take the score apart into four terms, and read a text in segments",
        70,
        ("bias_by_hand", "vector_per_distance", "diagonals"),
    ),
    Chapter(
        "t5_buckets",
        "T5 buckets",
        "where buckets really change",
        "compute T5's buckets, and find the sign that blinds a decoder",
        70,
        ("bias_by_hand", "diagonals"),
    ),
    Chapter(
        "alibi",
        "ALiBi",
        "a straight line per head",
        "give heads their slopes, causal and symmetric",
        55,
        ("bias_by_hand", "t5_buckets"),
    ),
    Chapter(
        "rope",
        "RoPE",
        "queries and keys turned by their positions",
        "turn queries and keys, and convert between two orders of the channels",
        70,
        ("bias_by_hand", "absolute_positions", "t5_buckets", "alibi"),
    ),
    Chapter(
        "released_model",
        "A released model",
        "SmolLM2 in the layer you built: its heads seen, moved and stopped",
        "read a released model from its file, find heads by their offsets, and move or stop them",
        50,
        ("bias_by_hand", "diagonals", "rope"),
    ),
    Chapter(
        "two_dimensions",
        "Two dimensions",
        "Swin's windows, RoPE by row and column",
        "count offsets in a picture: windows, shifts and masks (Swin), turns by row and column (axial RoPE, M-RoPE)",
        70,
        ("bias_by_hand", "diagonals", "rope"),
    ),
    Chapter(
        "fast_attention",
        "Fast attention",
        "one bias, three backends",
        "run one bias in three ways, decode with a cache, time it fairly",
        70,
        ("bias_by_hand", "diagonals"),
    ),
    Chapter(
        "longer_than_training",
        "Longer than training",
        "which schemes survive longer texts, measured",
        "read measurements of what a longer text does to each scheme, and repeat them",
        75,
        ("bias_by_hand", "vector_per_distance", "transformer_xl", "t5_buckets", "alibi", "rope"),
    ),
    Chapter(
        "stretching_rope",
        "RoPE, stretched",
        "why RoPE breaks on longer texts, and every way to repair it",
        "repair RoPE for longer texts by hand and in code, and judge a repair beside its control",
        70,
        ("rope", "longer_than_training"),
    ),
    Chapter(
        "windows_and_sinks",
        "Windows, sinks and layers without positions",
        "sliding windows, attention sinks, NoPE layers, and a test of use",
        "limit what a layer reads, find where unused weight goes, and test whether a long text is used",
        70,
        ("bias_by_hand", "rope", "fast_attention", "longer_than_training"),
    ),
    Chapter(
        "which_one",
        "Which one?",
        "a comparison, FIRE and FoX, a guide, the claims of all lessons, a quiz, and a scheme of your own",
        "compare and choose, say what no row of offsets can express, test claims, and bring in a scheme of one's own",
        70,
        (
            *("bias_by_hand", "absolute_positions", "vector_per_distance", "diagonals", "transformer_xl", "t5_buckets"),
            *("alibi", "rope", "released_model", "two_dimensions", "fast_attention", "longer_than_training"),
            *("stretching_rope", "windows_and_sinks"),
        ),
    ),
)
TOPICS = {chapter.topic: chapter for chapter in CONTENTS}


def number(topic: str) -> str:
    """The number of a topic's chapter, "04". Raises ValueError for a topic that is not there."""
    if topic not in TOPICS:
        raise ValueError(f"topic={topic!r}: expected one of {', '.join(TOPICS)}")
    return TOPICS[topic].number
