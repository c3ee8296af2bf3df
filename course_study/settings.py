"""What the result of a run depends on, besides its task, scheme and seed; and the plans that have a name."""

from dataclasses import asdict, dataclass
from typing import Any

from course_lib.reference.grid import check_whole

from .data import LONGEST, TASKS


@dataclass(frozen=True)
class Settings:
    """Sizes of the model, how it is trained at `length`, and the lengths at which it is tested.

    tests: ascending, none shorter than `length`; `length` times 1, 2, 4 and 8 by default, as far as texts go. Only the
    last `measured` places of every test text count, 64 by default (all of a shorter text), so that each of them has at
    least length − measured tokens before it at every test length. far_masked: test a second time with all keys masked
    that are `length` or more back, in every layer.
    Raises ValueError for sizes that make no sense.
    """

    length: int = 128
    tests: tuple[int, ...] = ()
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    steps: int = 300
    batch: int = 8
    learning_rate: float = 3e-3
    test_texts: int = 64
    measured: int = 0
    far_masked: bool = False

    def __post_init__(self) -> None:
        for name in ("d_model", "n_heads", "n_layers", "steps", "batch", "test_texts"):
            check_whole(name, getattr(self, name))
        tests = tuple(self.tests) or tuple(m * self.length for m in (1, 2, 4, 8) if m * self.length <= LONGEST)
        for name, n in [("length", self.length), *(("tests", n) for n in tests)]:
            if check_whole(name, n, 2) % 2 or not self.length <= n <= LONGEST:
                expected = f"an even number (flip-flop reads in pairs), from the training length up to {LONGEST}"
                raise ValueError(f"{name}={n}: expected {expected}")
        if not tests or list(tests) != sorted(set(tests)):
            raise ValueError(f"tests={tests}: expected lengths from short to long, each once")
        if check_whole("measured", self.measured, 0) > self.length:
            raise ValueError(f"measured={self.measured}: expected at most the training length, {self.length}")
        if self.d_model % (2 * self.n_heads):
            sizes = f"d_model={self.d_model}, n_heads={self.n_heads}"
            raise ValueError(f"{sizes}: expected an even number of channels a head")
        object.__setattr__(self, "measured", self.measured or min(self.length, 64))
        object.__setattr__(self, "tests", tests)

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
        return {**asdict(self), "tests": list(self.tests)}


LONG = Settings(steps=2000, far_masked=True)


@dataclass(frozen=True)
class Preset:
    """The plan of committed results, or of a longer study. schemes: names of the study, and of its `groups`."""

    settings: Settings
    tasks: tuple[str, ...] = ("characters", "copy-back")
    schemes: tuple[str, ...] = ("compared",)
    seeds: int = 3


PRESETS = {
    "quick": Preset(Settings()),
    "long": Preset(LONG, tuple(TASKS), ("compared", "later")),
    "controls": Preset(LONG, schemes=("controls",)),
    "decays": Preset(LONG, ("characters", "flip-flop"), ("decays",)),
    "repairs": Preset(LONG, schemes=()),
}
