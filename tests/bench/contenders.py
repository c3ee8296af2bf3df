"""What runs against what: for each scheme the limit, ours and its peers, all given q, k, v (projections excluded).

The limit is `scaled_dot_product_attention` without position, is_causal=True for causal schemes. Every scheme of the
registry is measured; only peers and other forms of a scheme are listed here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor
from torch.nn import functional as F

from course_lib import schemes as registry
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.fast import fast_attention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Position, Vectors
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias
from course_lib.nn.terms import Terms

from . import peers
from .contender import CLIP, Contender, Make, Size, window


@dataclass(frozen=True)
class Scheme:
    """ours and peers make a contender for a size; the peers' names carry what they are."""

    causal: bool
    ours: Make
    peers: dict[str, Make] = field(default_factory=dict)
    scale: float | None = None

    def all(self) -> dict[str, Make]:
        return {"limit": limit(self.causal, self.scale), "ours": self.ours, **self.peers}


def limit(causal: bool, scale: float | None) -> Make:
    return lambda size: Contender(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
    )


def ours(make: Callable[[Size], Position], causal: bool) -> Make:
    """A scheme's hooks and the fast path, as `RelativeAttention` calls them."""

    def build(size: Size) -> Contender:
        position = make(size).to(size.device, size.dtype)

        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            n = q.shape[-2]
            key_bias = position.key_bias(q.transpose(1, 2).flatten(2), None)  # any input of the layer is as good
            q, k = position.rotate(q, k, 0)
            return fast_attention(q, k, v, Terms.of(position, n, n, 0, key_bias=key_bias, causal=causal))

        return Contender(run, list(position.parameters()))

    return build


def our_xl(size: Size) -> Contender:
    """Transformer-XL as `nn.transformer_xl` has it, with r = W_r R given: no projection is measured."""
    r, u, w = (
        size.leaf(size.heads, 2 * size.n - 1, size.d),
        size.leaf(size.heads, 1, size.d),
        size.leaf(size.heads, 1, size.d),
    )

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        bias = size.d**-0.5 * ((w - u) @ r.mT)[:, 0]
        return fast_attention(q + u, k, v, Terms(bias=bias, key_vectors=Vectors(r), causal=True))

    return Contender(run, [r, u, w])


def registered() -> dict[str, Scheme]:
    """The schemes of the registry that enter attention and have no line of their own below, as causal layers."""
    found = {}
    for name, entry in registry.SCHEMES.items():
        if name not in LISTED and isinstance(entry.module(registry.Sizes()), Position):
            found[name.lower()] = Scheme(True, ours(lambda s, make=entry.make: make(sizes(s)), True))
    return found


def sizes(s: Size) -> registry.Sizes:
    return registry.Sizes(d_model=s.heads * s.d, n_heads=s.heads, n=s.n, clip=CLIP, keys=window(s), causal=True)


def by_parts(s: Size) -> RoPE:
    """The slower half of the pairs slowed down by 8; the time does not depend on which speeds these are."""
    speeds = [10000.0 ** (-2 * m / s.d) / (8 if m >= s.d // 4 else 1) for m in range(s.d // 2)]
    return RoPE(s.d, speeds=speeds)


def half_turned(s: Size) -> RoPE:
    """Half of the channels turn, the others stay."""
    return RoPE(s.d, speeds=[10000.0 ** (-4 * m / s.d) for m in range(s.d // 4)])


# The names in the registry of what has lines below. Of the others, every one is measured as it is registered.
LISTED = {"none", "log decay", "ALiBi", "T5 buckets", "RoPE", "Shaw", "Music Transformer", "Transformer-XL"}
SCHEMES: dict[str, Scheme] = {
    "log": Scheme(
        False,
        ours(lambda s: DecayBias(0.3), False),
        {
            "dense, eager": peers.dense_bias(peers.log_number, causal=False, fused=False),
            "dense mask": peers.dense_bias(peers.log_number, causal=False, fused=True),
        },
    ),
    "alibi": Scheme(
        True,
        ours(lambda s: ALiBi(s.heads), True),
        {
            "dense, eager": peers.dense_bias(peers.alibi_number, causal=True, fused=False),
            "dense mask": peers.dense_bias(peers.alibi_number, causal=True, fused=True),
        },
    ),
    "t5": Scheme(
        False,
        ours(lambda s: T5Bias(s.heads), False),
        {
            "grid, eager": peers.t5_grid(fused=False, causal=False),
            "grid as mask": peers.t5_grid(fused=True, causal=False),
        },
        scale=1.0,
    ),
    "t5 causal": Scheme(
        True,
        ours(lambda s: T5Bias(s.heads, bidirectional=False), True),
        {
            "grid, eager": peers.t5_grid(fused=False, causal=True),
            "grid as mask": peers.t5_grid(fused=True, causal=True),
        },
        scale=1.0,
    ),
    "rope": Scheme(True, ours(lambda s: RoPE(s.d), True), {"rotate-half": peers.rotate_half}),
    "shaw": Scheme(
        False,
        ours(lambda s: ShawVectors(s.heads, s.d, CLIP), False),
        {"gather/scatter": peers.shaw_gather, "(n, n, d)": peers.shaw_broadcast},
    ),
    "shaw keys": Scheme(False, ours(lambda s: ShawVectors(s.heads, s.d, CLIP, values=False), False)),
    "huang causal": Scheme(
        True, ours(lambda s: MusicTransformer(s.heads, s.d, s.n), True), {"pad/reshape": peers.huang_pad_reshape}
    ),
    "huang general": Scheme(
        False,
        ours(lambda s: MusicTransformer(s.heads, s.d, s.n, causal=False), False),
        {"full, gather": peers.huang_gather},
    ),
    "transformer-xl": Scheme(True, our_xl, {"authors' form": peers.xl_authors, "pad/reshape": peers.xl_batch_first}),
    "window": Scheme(True, ours(lambda s: SlidingWindow(window(s)), True), {"dense mask": peers.dense_window}),
    "window + sink": Scheme(True, ours(lambda s: Combined(SlidingWindow(window(s)), Sink(s.heads)), True)),
    "rope by parts": Scheme(True, ours(by_parts, True)),
    "rope, half turned": Scheme(True, ours(half_turned, True)),
    **registered(),
}
for _name, _more in peers.installed().items():
    SCHEMES[_name].peers.update(_more)
