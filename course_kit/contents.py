"""The table of contents: the one place that knows the order, the titles and the minutes of the chapters.

Everything else speaks of a topic, which is also the name of the chapter's folder. To insert a chapter, insert a line
here and its folder in `course_chapters/`; the build gives links and tables their new numbers.
"""

from dataclasses import dataclass

KINDS = {"notebooks": "", "exercises": "tasks_", "solutions": "solutions_"}  # by folder: files that differ in a tab


@dataclass(frozen=True)
class Chapter:
    """A chapter: its topic, its title, and the minutes that its lesson takes."""

    topic: str
    title: str
    minutes: int

    @property
    def number(self) -> str:
        """Its place in the course, as file names have it: "04"."""
        return f"{CONTENTS.index(self):02}"

    @property
    def file(self) -> str:
        """The name of its lesson, without an ending: "04_vector_per_distance"."""
        return f"{self.number}_{self.topic}"

    def path(self, folder: str) -> str:
        """Where its notebook of a folder is: "exercises/04_tasks_vector_per_distance.ipynb"."""
        return f"{folder}/{self.number}_{KINDS[folder]}{self.topic}.ipynb"


CONTENTS = (
    Chapter("start_here", "Start here", 50),
    Chapter("blind_to_distance", "Attention is blind to distance", 55),
    Chapter("bias_by_hand", "A bias by hand", 55),
    Chapter("absolute_positions", "Absolute positions", 55),
    Chapter("vector_per_distance", "A vector per distance", 55),
    Chapter("diagonals", "Reading the diagonals", 55),
    Chapter("transformer_xl", "Transformer-XL", 55),
    Chapter("t5_buckets", "T5 buckets", 55),
    Chapter("alibi", "ALiBi", 55),
    Chapter("rope", "RoPE", 55),
    Chapter("released_model", "A released model", 55),
    Chapter("two_dimensions", "Two dimensions", 55),
    Chapter("fast_attention", "Fast attention", 55),
    Chapter("longer_than_training", "Longer than training", 55),
    Chapter("stretching_rope", "RoPE, stretched", 55),
    Chapter("windows_and_sinks", "Windows, sinks and layers without positions", 55),
    Chapter("which_one", "Which one?", 55),
)
TOPICS = {chapter.topic: chapter for chapter in CONTENTS}


def number(topic: str) -> str:
    """The number of a topic's chapter, "04". Raises ValueError for a topic that is not there."""
    if topic not in TOPICS:
        raise ValueError(f"topic={topic!r}: expected one of {', '.join(TOPICS)}")
    return TOPICS[topic].number


CORE = {  # the core of three hours: by topic, sections of the lesson by their headings, and tasks by their names
    "start_here": ["A first surprise: a decoder that cannot tell word order", "The five tokens", "The map"],
    "bias_by_hand": ["The scores", "The bias", "Add it, and follow two rows", "What changed",
        "Why: one line of algebra", "bias_matrix"],
    "alibi": ["ALiBi: a straight line", "A slope for each head"],
    "rope": ["One pair, rotated", "The algebra", "All pairs, each at its own speed", "turned_by_hand"],
    "released_model": ["Move the positions"],
    "longer_than_training": ["What is new in a longer text?", "The study", "Does a longer text disturb them?",
        "Level is not the same as useful", "A test for your model"],
    "stretching_rope": ["Which angles are new?", "A gap", "The curve", "Repairs by hand"],
    "windows_and_sinks": ["A window by hand", "A head that finds nothing", "A window without the sink, and with it"],
    "which_one": ["A guide"],
}  # fmt: skip
