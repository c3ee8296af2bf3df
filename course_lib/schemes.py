"""The registry of schemes: for each its name, what it is, where it enters attention, and how to make it.

Everything that lists schemes reads them from here: the map, the comparison, the guide, the study.
`docs/contributing.md` has the steps to add one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any, NamedTuple

from .checks import check_whole
from .reference.absolute import check_pairs
from .reference.axial_rope import grid_positions, text_positions
from .reference.t5 import bucket_starts

WORDS_AND_PICTURE = (2, (2, 2), 2)  # the text of M-RoPE: two words, a picture of 2 × 2 tokens, and words


@dataclass(frozen=True)
class Sizes:
    """The sizes a scheme may be made for. A scheme reads those it has a use for.

    n: tokens of a text, and how far the tables of learned positions and of Music Transformer reach. causal: whether
    keys after the query are left out of a table; None is the default of the scheme. window: patches along the side of a
    window of Swin, and in a row of the picture of axial RoPE. keys: those a sliding window shows. base: that of RoPE.
    Raises ValueError for sizes that do not fit.
    """

    d_model: int = 64
    n_heads: int = 4
    n: int = 64
    strength: float = 1.0
    clip: int = 16
    num_buckets: int = 32
    max_distance: int = 128
    window: int = 8
    keys: int = 32
    base: float = 10000.0
    causal: bool | None = None

    def __post_init__(self) -> None:
        for name in ("n_heads", "n", "clip", "window", "keys"):
            check_whole(name, getattr(self, name))
        check_pairs("d_model", self.d_model)
        if self.d_model % self.n_heads or self.d_head % 2:
            raise ValueError(
                f"d_model={self.d_model}, n_heads={self.n_heads}: expected an even number of channels a head"
            )
        bucket_starts(bidirectional=not self.causal, num_buckets=self.num_buckets, max_distance=self.max_distance)

    @property
    def d_head(self) -> int:
        """Channels of one head."""
        return self.d_model // self.n_heads

    @property
    def sections(self) -> tuple[int, int, int]:
        """How many pairs of channels M-RoPE deals to time, row and column: 16, 24, 24 of 64, as Qwen2-VL does."""
        pairs = self.d_head // 2
        return pairs - 2 * (3 * pairs // 8), 3 * pairs // 8, 3 * pairs // 8

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
            "w": self.keys,
        }


@dataclass(frozen=True)
class Count:
    """How many numbers or bytes: `text` is the formula in the letters of `Sizes`, and `of(sizes)` computes it."""

    text: str
    of: Callable[[Sizes], int]


NOTHING = Count("0", lambda s: 0)


class Direction(Enum):
    """How a query looks at keys before it and after it, when the same token is everywhere."""

    BLIND = "order only by a mask"
    MIRROR = "before = after, order only by a mask"
    PAST_ONLY = "needs a mask: later keys are all alike"
    RISING = "needs a mask: it would raise later keys"
    BOTH = "tells before from after"


class OtherForm(NamedTuple):
    """A second form of a scheme: the argument that chooses it, as code, its `causal` of `Sizes`, and its direction."""

    argument: str
    causal: bool
    direction: Direction


@dataclass(frozen=True)
class Use:
    """How a model of the study uses a scheme, with these of `Sizes` changed.

    every: with 2, only the first of every two layers has it, and the other has no position.
    """

    sizes: Mapping[str, Any] = field(default_factory=dict)
    every: int = 1


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """One scheme. `make(sizes)` gives its torch module, and imports torch only then.

    name: as it is written everywhere. topic: the chapter that teaches it. what: one line. formula: what it adds.
    enters: where it enters, with its name there on the map: "input", a hook of `nn.position.Position`, or "rotate"
    for a `prepare` that turns or scales. A vector added to all queries, as in Transformer-XL, counts as "key_bias":
    its product with a key is a number per key. where: the same in words, if those that the comparison has for a hook
    do not fit. parameters: how many numbers it learns. keeps: how many bytes its hooks return for n tokens in
    float32, tables included. relative: whether the answer stays when the whole text moves; None if it sees no
    position. direction: what it tells of keys before and after a query; other: its other form. ends: whether
    it refuses texts of more than n tokens. Tests ask the module for each of these. shared: one module serves all
    layers. runs: the models of the study that use it, by the names in its commands and results.
    """

    name: str
    topic: str
    what: str
    formula: str
    make: Callable[[Sizes], Any]
    enters: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    parameters: Count = NOTHING
    keeps: Count = NOTHING
    relative: bool | None = True
    direction: Direction = Direction.BOTH
    other: OtherForm | None = None
    ends: bool = False
    shared: bool = False
    runs: Mapping[str, Use] = field(default_factory=dict)

    def module(self, sizes: Sizes) -> Any:
        """The module with random tables, the same in every run; the caller's random numbers are left alone."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return self.make(sizes)


def from_nn(file: str, name: str, *arguments: Any, **options: Any) -> Any:
    """A module of `course_lib.nn`, imported when it is made."""
    return getattr(import_module(f"{__package__}.nn.{file}"), name)(*arguments, **options)


def rope_in_a_window(sizes: Sizes) -> tuple[Any, Any]:
    """The two positions of a layer that sees only the nearest keys."""
    return from_nn("rope", "RoPE", sizes.d_head), from_nn("sliding_window", "SlidingWindow", sizes.keys)


def t5_bias(sizes: Sizes) -> Any:
    """Buckets for both sides, or, in a decoder, for the past alone."""
    options = {"num_buckets": sizes.num_buckets, "max_distance": sizes.max_distance}
    return from_nn("t5", "T5Bias", sizes.n_heads, bidirectional=not sizes.causal, **options)


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            name="none",
            topic="blind_to_distance",
            what="no position at all; a decoder's mask still tells a little",
            formula="q_i · k_j",
            make=lambda s: from_nn("position", "Position"),
            relative=None,
            direction=Direction.BLIND,
            runs={"none": Use()},
        ),
        Scheme(
            name="learned",
            topic="absolute_positions",
            what="a learned vector per absolute position, added to the input",
            formula="x_i + p_i",
            make=lambda s: from_nn("absolute", "Learned", s.n, s.d_model),
            enters={"input": "learned"},
            parameters=Count("n·D", lambda s: s.n * s.d_model),
            keeps=Count("4·n·D", lambda s: 4 * s.n * s.d_model),
            relative=False,
            ends=True,
            shared=True,
            runs={"learned": Use()},
        ),
        Scheme(
            name="sinusoidal",
            topic="absolute_positions",
            what="sines of the absolute position, added to the input",
            formula="x_i + p_i",
            make=lambda s: from_nn("absolute", "Sinusoidal", s.d_model),
            enters={"input": "sinusoidal"},
            keeps=Count("4·n·D", lambda s: 4 * s.n * s.d_model),
            relative=False,
            shared=True,
            runs={"sinusoidal": Use()},
        ),
        Scheme(
            name="log decay",
            topic="bias_by_hand",
            what="−λ log(1 + distance), added to the score",
            formula="−λ log(1 + |j − i|)",
            make=lambda s: from_nn("bias", "DecayBias", s.strength),
            enters={"bias": "log decay"},
            keeps=Count("4·(2·n − 1)", lambda s: 4 * (2 * s.n - 1)),
            direction=Direction.MIRROR,
            runs={"log-0.3": Use({"strength": 0.3}), "log-1": Use({"strength": 1})},
        ),
        Scheme(
            name="Shaw",
            topic="vector_per_distance",
            what="a learned vector per offset, clipped at ±k; each query reads it in its own way",
            formula="q_i · a[clip(j − i)]",
            make=lambda s: from_nn("shaw", "ShawVectors", s.n_heads, s.d_head, s.clip),
            enters={"key_vectors": "Shaw, keys", "value_vectors": "Shaw, values"},
            parameters=Count("2·H·(2·k + 1)·d", lambda s: 2 * s.n_heads * (2 * s.clip + 1) * s.d_head),
            keeps=Count("8·H·(2·k + 1)·d", lambda s: 8 * s.n_heads * (2 * s.clip + 1) * s.d_head),
            runs={"shaw-32": Use({"clip": 32})},
        ),
        Scheme(
            name="Music Transformer",
            topic="diagonals",
            what="a learned vector per offset, as far as its table reaches, for the scores, placed by a skew",
            formula="q_i · e[j − i]",
            make=lambda s: from_nn(
                "music_transformer", "MusicTransformer", s.n_heads, s.d_head, s.n, causal=s.causal is not False
            ),
            enters={"key_vectors": "Music Transformer"},
            parameters=Count("H·n·d", lambda s: s.n_heads * s.n * s.d_head),
            keeps=Count("4·H·(2·n − 1)·d", lambda s: 4 * s.n_heads * (2 * s.n - 1) * s.d_head),
            direction=Direction.PAST_ONLY,
            ends=True,
            other=OtherForm("causal = False", False, Direction.BOTH),
        ),
        Scheme(
            name="Transformer-XL",
            topic="transformer_xl",
            what="distances as sines through a learned map, four terms in the score",
            formula="(q_i + u) · k_j + (q_i + v) · W_r R[i − j]",
            make=lambda s: from_nn("transformer_xl", "TransformerXL", s.d_model, s.n_heads),
            enters={
                "bias": "Transformer-XL (d)",
                "key_vectors": "Transformer-XL (b)",
                "key_bias": "Transformer-XL (c)",
            },
            parameters=Count("D² + 2·D", lambda s: s.d_model**2 + 2 * s.d_model),
            keeps=Count("4·H·(2·n − 1)·(d + 1)", lambda s: 4 * s.n_heads * (2 * s.n - 1) * (s.d_head + 1)),
            runs={"transformer-xl": Use()},
        ),
        Scheme(
            name="T5 buckets",
            topic="t5_buckets",
            what="a learned number per bucket of offsets, added to the score",
            formula="b[bucket(j − i)]",
            make=t5_bias,
            enters={"bias": "T5 buckets"},
            parameters=Count("B·H", lambda s: s.num_buckets * s.n_heads),
            keeps=Count("4·H·(2·n − 1)", lambda s: 4 * s.n_heads * (2 * s.n - 1)),
            shared=True,
            runs={"t5-64": Use({"max_distance": 64}), "t5-256": Use({"max_distance": 256})},
            other=OtherForm("bidirectional = False", True, Direction.PAST_ONLY),
        ),
        Scheme(
            name="ALiBi",
            topic="alibi",
            what="a straight line per head, subtracted from the score",
            formula="−m_h |j − i|",
            make=lambda s: from_nn("alibi", "ALiBi", s.n_heads),
            enters={"bias": "ALiBi"},
            keeps=Count("4·H·(2·n − 1)", lambda s: 4 * s.n_heads * (2 * s.n - 1)),
            direction=Direction.MIRROR,
            runs={"alibi": Use()},
        ),
        Scheme(
            name="RoPE",
            topic="rope",
            what="queries and keys turned by their positions",
            formula="(R_i q_i) · (R_j k_j)",
            make=lambda s: from_nn("rope", "RoPE", s.d_head, base=s.base),
            enters={"rotate": "RoPE"},
            keeps=Count("4·n·d", lambda s: 4 * s.n * s.d_head),
            runs={
                "rope": Use(),
                "rope-base-31": Use({"base": 31}),
                "rope-base-500000": Use({"base": 500_000}),
                "rope+none": Use(every=2),
            },
        ),
        Scheme(
            name="Swin",
            topic="two_dimensions",
            what="a learned number per pair of offsets, row and column, inside a window",
            formula="b[Δrow, Δcolumn]",
            make=lambda s: from_nn("window", "WindowAttention", s.d_model, s.n_heads, s.window),
            enters={"bias": "Swin"},
            parameters=Count("(2·W − 1)²·H", lambda s: (2 * s.window - 1) ** 2 * s.n_heads),
            keeps=Count("(8 + 4·H)·W⁴", lambda s: (8 + 4 * s.n_heads) * s.window**4),
        ),
        Scheme(
            name="axial RoPE",
            topic="two_dimensions",
            what="RoPE for pictures: some pairs of channels turned by the row, the others by the column",
            formula="(R_{row, column} q_i) · (R_{row, column} k_j)",
            make=lambda s: from_nn(
                "axial_rope", "AxialRoPE", s.d_head, grid_positions(-(-s.n // s.window), s.window)[: s.n]
            ),
            enters={"rotate": "axial RoPE"},
            keeps=Count("4·n·d", lambda s: 4 * s.n * s.d_head),
            ends=True,
        ),
        Scheme(
            name="M-RoPE",
            topic="two_dimensions",
            what="RoPE for texts with pictures: pairs of channels dealt to time, row and column",
            formula="(R_{t, row, column} q_i) · (R_{t, row, column} k_j)",
            make=lambda s: from_nn("axial_rope", "MRoPE", s.d_head, text_positions(WORDS_AND_PICTURE), s.sections),
            enters={"rotate": "M-RoPE"},
            keeps=Count("4·n·d", lambda s: 4 * s.n * s.d_head),
        ),
        Scheme(
            name="sliding window",
            topic="windows_and_sinks",
            what="RoPE in layers that see only the nearest keys",
            formula="−∞ for |j − i| ≥ w",
            make=lambda s: from_nn("position", "Combined", *rope_in_a_window(s)),
            enters={"bias": "sliding window", "rotate": "RoPE in a window"},
            keeps=Count("4·n·d + 4·(2·n − 1)", lambda s: 4 * s.n * s.d_head + 4 * (2 * s.n - 1)),
            runs={"window-64": Use({"keys": 64}), "window-64+none": Use({"keys": 64}, every=2)},
        ),
        Scheme(
            name="sink",
            topic="windows_and_sinks",
            what="one more key without a value: a learned score per head, to which a query may give weight",
            formula="e^{s_ij} / (e^{a_h} + Σ_k e^{s_ik})",
            make=lambda s: from_nn("sink", "Sink", s.n_heads),
            enters={"sink": "sink"},
            parameters=Count("H", lambda s: s.n_heads),
            keeps=Count("4·H", lambda s: 4 * s.n_heads),
            relative=None,
            direction=Direction.BLIND,
            runs={"sink": Use()},
        ),
        Scheme(
            name="log scale",
            topic="windows_and_sinks",
            what="queries that grow with the logarithm of their position, because more keys share the softmax",
            formula="s_h ln(i + 1) · q_i · k_j",
            make=lambda s: from_nn("query_scale", "LogScale", s.n_heads, s.n),
            enters={"rotate": "log scale"},
            where="multiplied in, to the query alone",
            parameters=Count("H", lambda s: s.n_heads),
            relative=False,
            direction=Direction.BLIND,
            runs={"log-scale": Use()},
        ),
        Scheme(
            name="FoX",
            topic="which_one",
            what="no positions: every token says how much of what came before it is forgotten",
            formula="Σ_{l=j+1}^{i} ln f_l",
            make=lambda s: from_nn("fox", "FoX", s.d_model, s.n_heads),
            enters={"key_bias": "FoX"},
            parameters=Count("H·(D + 1)", lambda s: s.n_heads * (s.d_model + 1)),
            keeps=Count("4·H·n", lambda s: 4 * s.n_heads * s.n),
            direction=Direction.RISING,
            runs={"fox": Use()},
        ),
        Scheme(
            name="FIRE",
            topic="which_one",
            what="a learned function of the distance as a share of the query's position",
            formula="MLP(ψ(|i − j|) / ψ(max(i, τ)))",
            make=lambda s: from_nn("fire", "FIRE", s.n_heads),
            enters={"bias": "FIRE, a number per pair"},
            where="added to the score, per query and key",
            parameters=Count("33·H + 66", lambda s: 33 * s.n_heads + 66),
            keeps=Count("4·H·n²", lambda s: 4 * s.n_heads * s.n**2),
            relative=False,
            direction=Direction.MIRROR,
            runs={"fire": Use()},
        ),
    )
}
