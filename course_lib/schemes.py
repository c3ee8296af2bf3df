"""The registry of schemes: for each its name, what it is, where it enters attention, and how to make it.

Everything that lists schemes reads them from here: the map, the comparison, the guide, the study. To add a scheme, add
its NumPy file to `reference/`, its torch file to `nn/`, an entry here, and its definition to the tests.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from .reference.absolute import check_pairs
from .reference.axial_rope import grid_positions, text_positions
from .reference.grid import check_whole
from .reference.t5 import bucket_starts

WORDS_AND_PICTURE = (2, (2, 2), 2)  # the text of M-RoPE: two words, a picture of 2 × 2 tokens, and words


@dataclass(frozen=True)
class Sizes:
    """The sizes a scheme may be made for. A scheme reads those it has a use for.

    n: tokens of a text, and how far the tables of learned positions and of Music Transformer reach. causal: whether
    keys after the query are left out of a table; None is the default of the scheme. window: patches along the side of a
    window of Swin, and in a row of the picture of axial RoPE. keys: those a sliding window shows. Raises ValueError for
    sizes that do not fit.
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

    def count(self, formula: str) -> int:
        """The value of a formula of the registry, such as "2·H·(2·k + 1)·d"."""
        python = formula.replace("·", "*").replace("−", "-").replace("²", "**2").replace("⁴", "**4")
        return int(eval(python, {}, self.letters()))


@dataclass(frozen=True)
class Scheme:
    """One scheme. `make(sizes)` gives its torch module, and imports torch only then.

    name: as it is written everywhere. topic: the chapter that teaches it. what: one line. formula: what it adds.
    enters: where it enters, with its name there on the map: "input", a hook of `nn.position.Position`, or "rotate" for
    a `prepare` that turns or scales. A vector added to all queries, as in Transformer-XL, counts as "key_bias": its
    product with a key is a number per key.
    parameters: how many numbers it learns, in the letters of `Sizes`. keeps: how many bytes its hooks return for n
    tokens in float32, tables included. relative: whether the answer stays when the whole text moves; None if it sees no
    position. direction: what it tells of keys before and after a query, a word of `course_tasks.comparison`. fused: the
    backends besides "eager" that run it. ends: whether it refuses texts of more than n tokens. Tests ask the module.
    shared: one module serves all layers. run: its name in the commands and files of the study; size: the size that the
    number after this name sets, as in "t5-256". runs: the runs of the study that come with the course ("rope+none": the
    scheme in every second layer). other: the argument of its other form, with its `causal` and its `direction`.
    """

    name: str
    topic: str
    what: str
    formula: str
    make: Callable[[Sizes], Any]
    enters: Mapping[str, str] = field(default_factory=dict)
    parameters: str = "0"
    keeps: str = "0"
    relative: bool | None = True
    direction: str = "both"
    fused: tuple[str, ...] = ("sdpa",)
    ends: bool = False
    shared: bool = False
    run: str = ""
    size: str = ""
    runs: tuple[str, ...] = ()
    other: tuple[str, bool, str] | None = None

    def module(self, sizes: Sizes, seed: int = 0) -> Any:
        """The module with random tables, the same in every run; the caller's random numbers are left alone."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self.make(sizes)


def from_nn(file: str, name: str, *arguments: Any, **options: Any) -> Any:
    """A module of `course_lib.nn`, imported when it is made."""
    return getattr(import_module(f"{__package__}.nn.{file}"), name)(*arguments, **options)


def rope_in_a_window(sizes: Sizes) -> tuple[Any, Any]:
    """The two positions of a layer that sees only the nearest keys."""
    return from_nn("rope", "RoPE", sizes.d_head), from_nn("sliding_window", "SlidingWindow", sizes.keys)


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            "none",
            "blind_to_distance",
            "no position at all; a decoder's mask still tells a little",
            "q_i · k_j",
            lambda s: from_nn("position", "Position"),
            relative=None,
            direction="blind",
            run="none",
            runs=("none",),
        ),
        Scheme(
            "learned",
            "absolute_positions",
            "a learned vector per absolute position, added to the input",
            "x_i + p_i",
            lambda s: from_nn("absolute", "Learned", s.n, s.d_model),
            enters={"input": "learned"},
            parameters="n·D",
            keeps="4·n·D",
            relative=False,
            ends=True,
            shared=True,
            run="learned",
            runs=("learned",),
        ),
        Scheme(
            "sinusoidal",
            "absolute_positions",
            "sines of the absolute position, added to the input",
            "x_i + p_i",
            lambda s: from_nn("absolute", "Sinusoidal", s.d_model),
            enters={"input": "sinusoidal"},
            keeps="4·n·D",
            relative=False,
            shared=True,
            run="sinusoidal",
            runs=("sinusoidal",),
        ),
        Scheme(
            "log decay",
            "bias_by_hand",
            "−λ log(1 + distance), added to the score",
            "−λ log(1 + |j − i|)",
            lambda s: from_nn("bias", "DecayBias", s.strength),
            enters={"bias": "log decay"},
            keeps="4·(2·n − 1)",
            direction="mirror",
            run="log",
            size="strength",
            runs=("log-0.3", "log-1"),
        ),
        Scheme(
            "Shaw",
            "vector_per_distance",
            "a learned vector per offset, clipped at ±k; each query reads it in its own way",
            "q_i · a[clip(j − i)]",
            lambda s: from_nn("shaw", "ShawVectors", s.n_heads, s.d_head, s.clip),
            enters={"key_vectors": "Shaw, keys", "value_vectors": "Shaw, values"},
            parameters="2·H·(2·k + 1)·d",
            keeps="8·H·(2·k + 1)·d",
            run="shaw",
            size="clip",
            runs=("shaw-32",),
        ),
        Scheme(
            "Music Transformer",
            "diagonals",
            "a learned vector per offset, as far as its table reaches, for the scores, placed by a skew",
            "q_i · e[j − i]",
            lambda s: from_nn(
                "music_transformer", "MusicTransformer", s.n_heads, s.d_head, s.n, causal=s.causal is not False
            ),
            enters={"key_vectors": "Music Transformer"},
            parameters="H·n·d",
            keeps="4·H·(2·n − 1)·d",
            direction="past only",
            ends=True,
            other=("causal = False", False, "both"),
        ),
        Scheme(
            "Transformer-XL",
            "transformer_xl",
            "distances as sines through a learned map, four terms in the score",
            "(q_i + u) · k_j + (q_i + v) · W_r R[i − j]",
            lambda s: from_nn("transformer_xl", "TransformerXL", s.d_model, s.n_heads),
            enters={
                "bias": "Transformer-XL (d)",
                "key_vectors": "Transformer-XL (b)",
                "key_bias": "Transformer-XL (c)",
            },
            parameters="D² + 2·D",
            keeps="4·H·(2·n − 1)·(d + 1)",
            run="transformer-xl",
            runs=("transformer-xl",),
        ),
        Scheme(
            "T5 buckets",
            "t5_buckets",
            "a learned number per bucket of offsets, added to the score",
            "b[bucket(j − i)]",
            lambda s: from_nn(
                *("t5", "T5Bias", s.n_heads),
                bidirectional=not s.causal,
                num_buckets=s.num_buckets,
                max_distance=s.max_distance,
            ),
            enters={"bias": "T5 buckets"},
            parameters="B·H",
            keeps="4·H·(2·n − 1)",
            shared=True,
            run="t5",
            size="max_distance",
            runs=("t5-64", "t5-256"),
            other=("bidirectional = False", True, "past only"),
        ),
        Scheme(
            "ALiBi",
            "alibi",
            "a straight line per head, subtracted from the score",
            "−m_h |j − i|",
            lambda s: from_nn("alibi", "ALiBi", s.n_heads),
            enters={"bias": "ALiBi"},
            keeps="4·H·(2·n − 1)",
            direction="mirror",
            run="alibi",
            runs=("alibi",),
        ),
        Scheme(
            "RoPE",
            "rope",
            "queries and keys turned by their positions",
            "(R_i q_i) · (R_j k_j)",
            lambda s: from_nn("rope", "RoPE", s.d_head),
            enters={"rotate": "RoPE"},
            keeps="4·n·d",
            run="rope",
            runs=("rope", "rope-base-31", "rope-base-500000", "rope+none"),
        ),
        Scheme(
            "Swin",
            "two_dimensions",
            "a learned number per pair of offsets, row and column, inside a window",
            "b[Δrow, Δcolumn]",
            lambda s: from_nn("window", "WindowAttention", s.d_model, s.n_heads, s.window),
            enters={"bias": "Swin"},
            parameters="(2·W − 1)²·H",
            keeps="(8 + 4·H)·W⁴",
            fused=(),
        ),
        Scheme(
            "axial RoPE",
            "two_dimensions",
            "RoPE for pictures: some pairs of channels turned by the row, the others by the column",
            "(R_{row, column} q_i) · (R_{row, column} k_j)",
            lambda s: from_nn(
                "axial_rope", "AxialRoPE", s.d_head, grid_positions(-(-s.n // s.window), s.window)[: s.n]
            ),
            enters={"rotate": "axial RoPE"},
            keeps="4·n·d",
            ends=True,
        ),
        Scheme(
            "M-RoPE",
            "two_dimensions",
            "RoPE for texts with pictures: pairs of channels dealt to time, row and column",
            "(R_{t, row, column} q_i) · (R_{t, row, column} k_j)",
            lambda s: from_nn("axial_rope", "MRoPE", s.d_head, text_positions(WORDS_AND_PICTURE), s.sections),
            enters={"rotate": "M-RoPE"},
            keeps="4·n·d",
        ),
        Scheme(
            "sliding window",
            "windows_and_sinks",
            "RoPE in layers that see only the nearest keys",
            "−∞ for |j − i| ≥ w",
            lambda s: from_nn("position", "Combined", *rope_in_a_window(s)),
            enters={"bias": "sliding window", "rotate": "RoPE in a window"},
            keeps="4·n·d + 4·(2·n − 1)",
            run="window",
            size="keys",
            runs=("window-64", "window-64+none"),
        ),
        Scheme(
            "sink",
            "windows_and_sinks",
            "one more key without a value: a learned score per head, to which a query may give weight",
            "e^{s_ij} / (e^{a_h} + Σ_k e^{s_ik})",
            lambda s: from_nn("sink", "Sink", s.n_heads),
            enters={"sink": "sink"},
            parameters="H",
            keeps="4·H",
            relative=None,
            direction="blind",
            run="sink",
        ),
        Scheme(
            "log scale",
            "windows_and_sinks",
            "queries that grow with the logarithm of their position, because more keys share the softmax",
            "s_h ln(i + 1) · q_i · k_j",
            lambda s: from_nn("query_scale", "LogScale", s.n_heads, s.n),
            enters={"rotate": "log scale"},
            parameters="H",
            relative=False,
            direction="blind",
            run="log-scale",
        ),
        Scheme(
            "FoX",
            "which_one",
            "no positions: every token says how much of what came before it is forgotten",
            "Σ_{l=j+1}^{i} ln f_l",
            lambda s: from_nn("fox", "FoX", s.d_model, s.n_heads),
            enters={"key_bias": "FoX"},
            parameters="H·(D + 1)",
            keeps="4·H·n",
            direction="rising",
            run="fox",
            runs=("fox",),
        ),
        Scheme(
            "FIRE",
            "which_one",
            "a learned function of the distance as a share of the query's position",
            "MLP(ψ(|i − j|) / ψ(max(i, τ)))",
            lambda s: from_nn("fire", "FIRE", s.n_heads),
            enters={"bias": "FIRE, a number per pair"},
            parameters="33·H + 66",
            keeps="4·H·n²",
            relative=False,
            direction="mirror",
            run="fire",
            runs=("fire",),
        ),
    )
}
