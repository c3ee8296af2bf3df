"""What the result of a run depends on, besides its task, scheme and seed."""

from dataclasses import asdict, dataclass, field
from typing import Any

from ..reference.absolute import check_pairs
from ..reference.grid import check_whole
from .data import LONGEST


@dataclass(frozen=True)
class Settings:
    """Sizes of the model, how it is trained at `length`, and the lengths at which it is tested.

    tests: ascending, none shorter than `length`; `length` times 1, 2, 4 and 8 by default, as far as texts go. Only the
    last `measured` places of every test text count, 64 by default (all of a shorter text), so that each of them has at
    least length − measured tokens before it at every test length. far_masked: test a second time with all keys masked
    that are `length` or more back, in every layer. Two choices affect some schemes more than others: table_rate, how
    many times faster a table of biases learns than the rest, and embedding_std, the size of the embeddings at the
    start, to which learned positions add 0.02 and sinusoidal ones 0.7.
    Raises ValueError for sizes that make no sense.
    """

    length: int = 128
    tests: tuple[int, ...] = field(default=())
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    steps: int = 300
    batch: int = 8
    learning_rate: float = 3e-3
    table_rate: float = 10.0
    embedding_std: float = 0.1
    test_texts: int = 64
    measured: int = 0
    far_masked: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("n_heads", "n_layers", "steps", "batch", "test_texts"):
            check_whole(name, getattr(self, name))
        check_whole("length", self.length, 2)
        if self.length % 2 or self.length > LONGEST:
            raise ValueError(
                f"length={self.length}: expected an even number (flip-flop reads in pairs) up to {LONGEST}"
            )
        if check_whole("measured", self.measured, 0) > self.length:
            raise ValueError(f"measured={self.measured}: expected at most the training length, {self.length}")
        object.__setattr__(self, "measured", self.measured or min(self.length, 64))
        tests = tuple(self.tests) or tuple(m * self.length for m in (1, 2, 4, 8) if m * self.length <= LONGEST)
        object.__setattr__(self, "tests", tests)
        for n in tests:
            if check_whole("tests", n, 0) < self.length:
                raise ValueError(f"tests={n}: expected no test shorter than the training texts, {self.length}")
        if list(tests) != sorted(set(tests)) or any(n % 2 for n in tests):
            raise ValueError(f"tests={tests}: expected even lengths, ascending, each once")
        if tests[-1] > LONGEST:
            raise ValueError(f"tests={tests}: expected at most {LONGEST} tokens")
        check_pairs("d_model", self.d_model)
        if self.d_model % self.n_heads or (self.d_model // self.n_heads) % 2:
            raise ValueError(
                f"d_model={self.d_model}, n_heads={self.n_heads}: expected an even number of channels a head"
            )
        for name in ("learning_rate", "table_rate", "embedding_std"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name}={getattr(self, name)}: expected a number above 0")
        if self.device not in ("cpu", "cuda"):
            raise ValueError(f"device={self.device!r}: expected 'cpu' or 'cuda'")

    @property
    def longest(self) -> int:
        """The length of the longest test text."""
        return self.tests[-1]

    def as_json(self) -> dict[str, Any]:
        """What is written beside every result."""
        return {**asdict(self), "tests": list(self.tests)}


PRESETS: dict[str, Settings] = {
    "quick": Settings(),
    "long": Settings(steps=2000, far_masked=True),
    "gpu": Settings(
        length=256,
        tests=(256, 512, 1024, 2048, 4096, 8192),
        d_model=256,
        n_heads=8,
        n_layers=6,
        steps=3000,
        batch=32,
        learning_rate=1e-3,
        device="cuda",
    ),
}
SEEDS = {"quick": 3, "long": 3, "gpu": 5}
