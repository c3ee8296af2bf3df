"""Bad input is refused with a ValueError that begins with the name of the argument.

Arrays whose axes do not fit are in `test_almost_right.py`, positions of tokens in `test_positions.py`.
"""

import numpy as np
import pytest
import torch

from course_lib.nn import rope as torch_rope
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.attention import attention as nn_attention
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.backends import attend
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.fast import fast_attention
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.grid import to_grid
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Vectors
from course_lib.nn.query_scale import LogScale
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.t5 import T5Bias
from course_lib.nn.terms import Terms
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.nn.window import WindowAttention
from course_lib.reference import (
    absolute,
    alibi,
    axial_rope,
    bias,
    fire,
    fox,
    grid,
    query_scale,
    rope,
    shaw,
    sink,
    sliding_window,
    speeds,
    t5,
    window,
)
from course_lib.reference import music_transformer as music
from course_lib.reference import transformer_xl as xl

a, t = np.zeros, torch.zeros  # arrays and tensors of these shapes
q3, k3 = t(1, 2, 3, 4), t(1, 2, 5, 4)  # two heads, three queries, five keys
x4, x8 = t(1, 2, 4), t(1, 3, 8)  # two tokens of four channels, and three of eight


def layer(position=None, **options):
    return RelativeAttention(8, 2, position, **options)


REFUSED = {
    "q": [lambda: RelativeAttention(6, 2, RoPE(4))(t(1, 3, 6)), lambda: layer(LogScale(4, 8))(x8)],
    "bias": [lambda: layer(T5Bias(4))(x8)],
    "mask": [lambda: nn_attention(q3, k3, k3, Terms(mask=t(3, 5)))],
    "n_q": [lambda: grid.row_offsets(0), lambda: grid.offsets("3")],
    "past": [lambda: grid.offsets(3, past=-5), lambda: fox.fox_bias([0.5, 0.9], past=2),
        lambda: fast_attention(q3, k3, k3, Terms(past=-1)), lambda: Learned(8, 4)(x4, past=-3),
        lambda: Sinusoidal(4)(x4, past=1.5), lambda: torch_rope.rotate(t(15, 4), 1.1),
        lambda: LogScale(2, 8).prepare(q3, k3, -1), lambda: AxialRoPE(4, a((9, 2), int)).prepare(q3, k3, -1)],
    "rows": [lambda: grid.to_grid(a((1, 2)), 3), lambda: music.skew_causal(a((5, 3))), lambda: to_grid(t(2, 7), 3)],
    "decay": [lambda: bias.decay_bias(3, decay="cubic")],
    "strength": [lambda: bias.decay_bias(3, strength=-0.3), lambda: DecayBias([0.3, -0.1]),
        lambda: speeds.dynamic_ntk([1, 0.1], 65, 64, strength=-1)],
    "forward_strength": [lambda: bias.decay_bias(3, forward_strength=float("nan"))],
    "d": [lambda: absolute.sinusoidal([0, 1], 5), lambda: rope.rotate(a((3, 5))), lambda: axial_rope.axial(6)],
    "base": [lambda: absolute.sinusoidal([0, 1], 4, base=0), lambda: speeds.yarn(4, 8, 64, base=1)],
    "length": [lambda: absolute.learned(3, a((8, 4)), past=6), lambda: xl.update_memory(None, a((3, 4)), -1),
        lambda: music.music_transformer_scores(a((3, 4)), a((15, 4)), 11), lambda: speeds.turns([1, 0.1], 0),
        lambda: query_scale.log_scale(3, length=1), lambda: SegmentMemory(-1),
        lambda: Learned(8, 4)(t(1, 3, 4), past=6),
        lambda: Learned(8, 4)(x4, positions=torch.tensor([0, 8])),
        lambda: layer(MusicTransformer(2, 4, 5), causal=True)(t(1, 6, 8)),
        lambda: layer(AxialRoPE(4, a((4, 2))))(t(1, 5, 8))],
    "num_buckets": [lambda: t5.bucket(1, num_buckets=32, max_distance=8), lambda: t5.bucket(1, num_buckets=2),
        lambda: t5.bucket(1, num_buckets=31)],
    "clip": [lambda: shaw.clip_index([1, 2], -1)],
    "n_heads": [lambda: alibi.slopes(0)],
    "n_kv_heads": [lambda: RelativeAttention(24, 6, n_kv_heads=4), lambda: RelativeAttention(24, 6, n_kv_heads=0)],
    "x": [lambda: layer(FoX(6, 2))(x8)],
    "speeds": [lambda: rope.rotate(a((3, 4)), speeds=[1, np.nan]), lambda: speeds.interpolated([], 8),
        lambda: speeds.ntk([1], 8), lambda: layer(RoPE(4, speeds=lambda n: [1] * n))(x8)],
    "factor": [lambda: rope.rotate(a((3, 4)), factor=0), lambda: RoPE(4, factor=-1)],
    "s": [lambda: speeds.interpolated([1, 0.1], 1 / 8), lambda: speeds.ntk([1, 0.1], np.nan)],
    "low": [lambda: speeds.by_parts([1], 8, 64, low=4, high=1), lambda: speeds.llama3([1], 8, 64, low=-1)],
    "slow": [lambda: speeds.yarn(4, 8, 64, fast=1, slow=32)],
    "short": [lambda: speeds.longrope([1, 0.1], 65, 64, short=[1, 0], long=[1, 8])],
    "n": [lambda: speeds.longrope([1], 6.5, 64, short=[1], long=[8])],
    "mscale": [lambda: speeds.yarn_factor(8, mscale=np.nan)],
    "height": [lambda: window.partition(a((6, 8, 1)), 4), lambda: WindowAttention(8, 2, 2)(t(1, 4, 5, 8))],
    "shift": [lambda: window.shift_mask(8, 8, 4, 4)],
    "w": [lambda: sliding_window.window_row(3, w=0)],
    "layers": [lambda: sliding_window.reach(0, 4)],
    "first": [lambda: sink.sink_positions(9, first=0, w=4)],
    "positions": [lambda: query_scale.log_scale([0, -1], length=64), lambda: AxialRoPE(8, a(4)),
        lambda: MRoPE(8, a((4, 2)), (2, 1, 1)),
        lambda: Learned(8, 4)(x4, positions=torch.tensor([-1, 0])),
        lambda: Combined(Sink(2), Sink(2)), lambda: Combined(RoPE(4), 3),
        lambda: Combined(ShawVectors(2, 4, 2), ShawVectors(2, 4, 3)).key_vectors(3, 3, 0)],
    "gates": [lambda: fox.forgotten([0.5, 0.0])],
    "c": [lambda: fire.shares(3, c=0.0, threshold=4.0)],
    "threshold": [lambda: FIRE(2, threshold=0)],
    "sections": [lambda: axial_rope.mrope(8, (2, 1)), lambda: axial_rope.mrope(12, (1, 2, 3), interleaved=True)],
    "parts": [lambda: axial_rope.text_positions([]), lambda: axial_rope.text_positions([(1, 2, 2)])],
    "key_bias": [lambda: nn_attention(q3, k3, k3, Terms(key_bias=t(2, 4))), lambda: layer(FoX(8, 4))(x8)],
    "reach": [lambda: nn_attention(q3, k3, k3, Terms(reach=0))],
    "window": [lambda: RingCache(0)],
    "key_vectors": [lambda: nn_attention(q3, k3, k3, Terms(key_vectors=Vectors(t(2, 5, 4))))],
    "value_vectors": [lambda: nn_attention(q3, k3, k3, Terms(value_vectors=Vectors(t(1, 5, 6), first=-1)))],
    "d_model": [lambda: RelativeAttention(10, 4), lambda: Sinusoidal(7), lambda: TransformerXL(9, 3),
        lambda: WindowAttention(10, 4, 2)],
    "cache": [lambda: layer()(x8, t(1, 5, 8), cache=KeyValueCache())],
    "max_length": [lambda: MusicTransformer(2, 4, 0)],
    "d_head": [lambda: RoPE(5)],
    "hidden": [lambda: FIRE(2, hidden=0)],
    "backend": [lambda: layer(backend="fast"), lambda: attend("flex", k3, k3, k3, Terms())],
    "keep": [lambda: RingCache(3, keep=-1)],
    "position": [lambda: layer(torch.nn.Linear(2, 2)), lambda: layer(RoPE)],
}  # fmt: skip


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in REFUSED.items() for call in calls])
def test_the_refusal_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        call()
