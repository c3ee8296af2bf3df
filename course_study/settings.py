"""What the result of a run depends on, besides its task, scheme and seed; and the plans that have a name."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from course_lib.checks import check_whole

from .data import LONGEST, SHORTEST, TASKS


@dataclass(frozen=True)
class Settings:
    """Sizes of the model, and how it is trained at `length`. Raises ValueError for sizes that make no sense.

    far_masked: test a second time with all keys masked that are `length` or more back, in every layer.
    """

    length: int = 128
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    steps: int = 300
    batch: int = 8
    learning_rate: float = 3e-3
    test_texts: int = 64
    far_masked: bool = False

    def __post_init__(self) -> None:
        for name in ("d_model", "n_heads", "n_layers", "steps", "batch", "test_texts"):
            check_whole(name, getattr(self, name))
        if check_whole("length", self.length, SHORTEST) % 2 or self.length > LONGEST:
            expected = f"an even number up to {LONGEST}"  # flip-flop reads in pairs
            raise ValueError(f"length={self.length}: expected {expected}")

    @property
    def tests(self) -> list[int]:
        """The lengths of the test texts: 1, 2, 4 and 8 times that of training, as far as texts go."""
        return [m * self.length for m in (1, 2, 4, 8) if m * self.length <= LONGEST]

    @property
    def measured(self) -> int:
        """How many places count, the last of every test text: at least length − measured tokens are before each."""
        return min(self.length, 64)

    @property
    def longest(self) -> int:
        """The length of the longest test text."""
        return self.tests[-1]

    @property
    def d_head(self) -> int:
        """The channels of a head."""
        return self.d_model // self.n_heads

    def as_json(self) -> dict[str, Any]:
        """What is written beside every result."""
        return {**asdict(self), "tests": self.tests, "measured": self.measured}


LONG, USUAL = Settings(steps=2000, far_masked=True), ("characters", "copy-back")
COMPARED = (  # of T5's two tables one ends at half the training length, one past it
    *("none", "learned", "sinusoidal", "log-1", "t5-256", "t5-64", "shaw-32", "transformer-xl", "alibi", "rope"),
    "window-64",  # the control, beyond which no layer sees
)
PRESETS: dict[str, tuple[Settings, Sequence[str], Sequence[str]]] = {  # the plans of committed results: tasks, schemes
    "quick": (Settings(), USUAL, COMPARED),
    # also schemes of after 2021: layers without positions, and positions that depend on more than the offset
    "long": (LONG, tuple(TASKS), (*COMPARED, "window-64+none", "fox", "fire")),
    # One base is usual for long texts. With the other every pair of channels makes a full turn within 128 tokens.
    "controls": (LONG, USUAL, ("rope-base-500000", "rope-base-31", "log-0.3")),
    # The hybrid is "window-64+none". Each of these has one half of it: a layer without positions, or windows.
    "hybrids": (LONG, ("characters", "retrieval", "flip-flop"), ("rope+none", "window-64+rope")),
    # Strength is not form: beside "log-1" and "alibi", a logarithm and a straight line with one strength for all heads,
    # with one for each, and with strengths that are learned.
    "decays": (LONG, ("characters", "flip-flop"), ("log-2", "log-four", "log-learned", "linear-one", "linear-learned")),
    "repairs": (LONG, ("characters",), ()),
}
