"""The schemes that are compared: how to make each of them, and nothing that could be found by asking it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..nn.absolute import Learned, Sinusoidal
from ..nn.alibi import ALiBi
from ..nn.bias import DecayBias
from ..nn.position import Position
from ..nn.rope import RoPE
from ..nn.shaw import ShawVectors
from ..nn.skew import OffsetVectors
from ..nn.t5 import T5Bias
from ..nn.transformer_xl import TransformerXL
from ..nn.window import WindowAttention
from ..reference.absolute import check_pairs
from ..reference.grid import check_whole
from ..reference.t5 import bucket_starts

LEAST, MOST = 16, 4096  # tokens: the probes need a few, and nobody waits for more
WIDEST = 16  # patches along the side of a window


@dataclass(frozen=True)
class Sizes:
    """The sizes of everything compared; by default those of the study, with a Swin window of as many patches as tokens.

    n: tokens of a text, and how far the tables of learned positions and of Music Transformer reach.
    Raises ValueError for sizes that do not fit.
    """

    d_model: int = 64
    n_heads: int = 4
    n: int = 64
    clip: int = 16
    num_buckets: int = 32
    max_distance: int = 128
    window: int = 8

    def __post_init__(self) -> None:
        check_whole("n_heads", self.n_heads)
        check_pairs("d_model", self.d_model)
        if self.d_model % self.n_heads or self.d_head % 2:
            raise ValueError(
                f"d_model={self.d_model}, n_heads={self.n_heads}: expected an even number of channels a head"
            )
        check_whole("clip", self.clip)
        for name, least, most in (("n", LEAST, MOST), ("window", 2, WIDEST)):
            if not least <= check_whole(name, getattr(self, name)) <= most:
                raise ValueError(f"{name}={getattr(self, name)}: expected a whole number from {least} to {most}")
        bucket_starts(num_buckets=self.num_buckets, max_distance=self.max_distance)

    @property
    def d_head(self) -> int:
        """Channels of one head."""
        return self.d_model // self.n_heads

    def letters(self) -> dict[str, int]:
        """The sizes by the letters of the formulas."""
        return {
            "D": self.d_model,
            "H": self.n_heads,
            "d": self.d_head,
            "n": self.n,
            "k": self.clip,
            "B": self.num_buckets,
            "W": self.window,
        }


@dataclass(frozen=True)
class Scheme:
    """make(sizes) gives the module; `formula` says how many parameters it learns, and a test counts them.

    shared: one module serves all layers. study: the names of its runs in `course_lib.study`. tests: tests that compare
    the module with its definition. other: the argument and the module of its other form, for one direction or both.
    """

    make: Callable[[Sizes], Any]
    formula: str = "0"
    shared: bool = False
    study: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    other: tuple[str, Callable[[Sizes], nn.Module]] | None = None

    def module(self, sizes: Sizes, seed: int = 0) -> nn.Module:
        """The module with random tables, the same in every run; the caller's random numbers are left alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self.make(sizes)


def defined(name: str) -> tuple[str, ...]:
    """The test of `tests/test_nn.py` that compares a layer with the plain loops of its definition."""
    return (f"tests/test_nn.py::test_equals_the_definition[{name}-cpu]",)


SCHEMES: dict[str, Scheme] = {  # in the order of the chapters
    "none": Scheme(lambda s: Position(), study=("none",), tests=defined("none")),
    "learned": Scheme(
        lambda s: Learned(s.n, s.d_model),
        "n·D",
        shared=True,
        study=("learned",),
        tests=("tests/test_nn.py::test_decoding_with_absolute_positions[learned-cpu]",),
    ),
    "sinusoidal": Scheme(
        lambda s: Sinusoidal(s.d_model),
        shared=True,
        study=("sinusoidal",),
        tests=("tests/test_nn.py::test_sinusoids_equal_the_reference",),
    ),
    "log decay": Scheme(lambda s: DecayBias(1.0), study=("log-0.3", "log-1"), tests=defined("log decay")),
    "Shaw": Scheme(
        lambda s: ShawVectors(s.n_heads, s.d_head, s.clip),
        "2·H·(2·k + 1)·d",
        study=("shaw-16",),
        tests=defined("shaw"),
    ),
    "Music Transformer": Scheme(
        lambda s: OffsetVectors(s.n_heads, s.d_head, s.n),
        "H·n·d",
        tests=defined("huang"),
        other=("causal=False", lambda s: OffsetVectors(s.n_heads, s.d_head, s.n, causal=False)),
    ),
    "Transformer-XL": Scheme(
        lambda s: TransformerXL(s.d_model, s.n_heads),
        "D² + 2·D",
        study=("transformer-xl",),
        tests=defined("transformer-xl"),
    ),
    "T5 buckets": Scheme(
        lambda s: T5Bias(s.n_heads, num_buckets=s.num_buckets, max_distance=s.max_distance),
        "B·H",
        shared=True,
        study=("t5-32", "t5-128"),
        tests=defined("t5 encoder"),
        other=("bidirectional=False", lambda s: T5Bias(s.n_heads, bidirectional=False)),
    ),
    "ALiBi": Scheme(lambda s: ALiBi(s.n_heads), study=("alibi",), tests=defined("alibi")),
    "RoPE": Scheme(lambda s: RoPE(s.d_head), study=("rope",), tests=defined("rope")),
    "Swin": Scheme(
        lambda s: WindowAttention(s.d_model, s.n_heads, s.window),
        "(2·W − 1)²·H",
        tests=("tests/test_nn.py::test_windows_equal_the_definition",),
    ),
}
