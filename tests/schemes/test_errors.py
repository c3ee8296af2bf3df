"""Bad input is refused with a ValueError that begins with the name of the argument."""

import numpy as np
import pytest
import torch

from course_lib.nn import rope as torch_rope
from course_lib.nn import strided_view
from course_lib.nn import t5 as torch_t5
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.alibi import ALiBi
from course_lib.nn.attention import attention as nn_attention
from course_lib.nn.attention import scores as nn_scores
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.backends import attend
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.fast import fast_attention
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.grid import from_grid, to_grid
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Position, Vectors
from course_lib.nn.query_scale import LogScale
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias
from course_lib.nn.terms import Terms
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.nn.window import WindowAttention
from course_lib.reference import (
    absolute,
    alibi,
    attention,
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


class Counts(Position):
    """Changes queries by the positions that it counts itself."""

    def prepare(self, q, k, past, first_key=None):
        return q * torch.arange(past, past + q.shape[-2])[:, None].cos(), k


class CountsAndTurns(RoPE):
    """Inherits what RoPE does at positions, but not for this `prepare`."""

    prepare = Counts.prepare


class Cells(Position):
    def bias(self, n_q, n_k, past):
        return t(1, n_q, n_k)


def layer(position=None, **options):
    return RelativeAttention(8, 2, position, **options)


def at(position, *positions, **options):
    """Three tokens at these positions."""
    return layer(position, causal=True)(x8, positions=torch.tensor(positions), **options)


def attend3(q=q3, k=k3, v=k3, **terms):
    return nn_attention(q, k, v, Terms(**terms))


REFUSED = {
    "q": [lambda: RelativeAttention(6, 2, RoPE(4))(t(1, 3, 6)), lambda: layer(LogScale(4, 8))(x8),
        lambda: RelativeAttention(12, 2, AxialRoPE(4, a((9, 2))))(t(1, 3, 12)),
        lambda: nn_scores(q3, t(1, 2, 5, 6), Terms()), lambda: attend3(t(3, 4)),
        lambda: attend3(t(1, 2, 3, 6)), lambda: attend3(t(3, 2, 3, 4), t(2, 2, 5, 4)),
        lambda: music.music_transformer_scores(a(4), a((5, 4)))],
    "k": [lambda: attend3(k=t(1, 3, 5, 4)), lambda: attention.scores(a((3, 4)), a((5, 6))),
        lambda: shaw.shaw_attention(a((3, 4)), a((5, 1)), a((5, 4)), key_table=a((3, 4))),
        lambda: xl.term_a(a((3, 4)), a((5, 1))), lambda: xl.term_c(a(4), a((5, 1))),
        lambda: xl.xl_scores(a((3, 4)), a((5, 1)), a((7, 4)), a(4), a(4))],
    "v": [lambda: attend3(v=t(1, 2, 3, 4)), lambda: attention.attention(a((3, 4)), a((5, 4)), a((3, 4)))],
    "bias": [lambda: layer(T5Bias(4))(x8), lambda: attend3(bias=t(3, 2, 3, 5)),
        lambda: attention.attention(a((3, 4)), a((5, 4)), a((5, 4)), bias=a((5, 3)))],
    "mask": [lambda: attend3(mask=t(3, 5)), lambda: attend3(mask=t(3, 4) > 0), lambda: attend3(mask=t(2, 3, 5) > 0),
        lambda: layer()(x8, mask=t(2, 3, 3) > 0), lambda: layer(RoPE(4))(x8, mask=t(2, 3) > 0),
        lambda: attention.attention(a((3, 4)), a((5, 4)), a((5, 4)), mask=a((3, 5)) - 1e9)],
    "n_q": [lambda: grid.row_offsets(0), lambda: grid.offsets("3"), lambda: to_grid(t(1, 7), 2.5),
        lambda: layer()(t(1, 0, 8))],
    "n_k": [lambda: layer()(x8, t(1, 0, 8)), lambda: grid.offsets(3, 0), lambda: alibi.key_form(0, n_heads=2)],
    "past": [lambda: grid.offsets(3, past=-5), lambda: fox.fox_bias([0.5, 0.9], past=2),
        lambda: fox.fox_bias([0.5, 0.9], past=-1), lambda: rope.rotate(a((3, 4)), past=-1),
        lambda: absolute.learned(1, a((8, 4)), past=-1), lambda: fast_attention(q3, k3, k3, Terms(past=-1)),
        lambda: Learned(8, 4)(x4, past=-3), lambda: Sinusoidal(4)(x4, past=1.5),
        lambda: torch_rope.rotate(t(15, 4), 1.1), lambda: LogScale(2, 8).prepare(q3, k3, -1),
        lambda: AxialRoPE(4, a((9, 2), int)).prepare(q3, k3, -1)],
    "rows": [lambda: grid.to_grid(a((1, 2)), 3), lambda: grid.to_grid(a((2, 7)), 3), lambda: to_grid(t(2, 7), 3),
        lambda: to_grid(t(1, 2), 3), lambda: strided_view.view(t(2, 7), 5), lambda: music.skew_causal(a((5, 3))),
        lambda: music.skew(a((2, 7)), 3), lambda: xl.relative_shift(a((5, 3)))],
    "grid": [lambda: grid.from_grid(a(3)), lambda: from_grid(t(3)), lambda: strided_view.adjoint(t(3))],
    "decay": [lambda: bias.decay_bias(3, decay="cubic")],
    "strength": [lambda: bias.decay_bias(3, strength=-0.3), lambda: DecayBias([0.3, -0.1]),
        lambda: speeds.dynamic_ntk([1, 0.1], 65, 64, strength=-1)],
    "forward_strength": [lambda: bias.decay_bias(3, forward_strength=float("nan"))],
    "d": [lambda: absolute.sinusoidal([0, 1], 5), lambda: rope.rotate(a((3, 5))), lambda: axial_rope.axial(6),
        lambda: torch_rope.rotate(t(3, 5)), lambda: rope.pairs(5), lambda: absolute.frequencies(0)],
    "base": [lambda: absolute.sinusoidal([0, 1], 4, base=0), lambda: speeds.yarn(4, 8, 64, base=1)],
    "length": [lambda: absolute.learned(3, a((8, 4)), past=6), lambda: xl.update_memory(None, a((3, 4)), -1),
        lambda: music.music_transformer_scores(a((3, 4)), a((15, 4)), 11), lambda: speeds.turns([1, 0.1], 0),
        lambda: speeds.yarn(4, 8, 0), lambda: speeds.dynamic_ntk([1, 0.1], 5, 0),
        lambda: query_scale.log_scale(3, length=1), lambda: LogScale(2, 1), lambda: SegmentMemory(-1),
        lambda: Learned(8, 4)(t(1, 3, 4), past=6), lambda: Learned(8, 4)(x4, positions=torch.tensor([0, 8])),
        lambda: layer(MusicTransformer(2, 4, 5), causal=True)(t(1, 6, 8)),
        lambda: at(MusicTransformer(2, 4, 5), 0, 1, 5), lambda: layer(AxialRoPE(4, a((4, 2))))(t(1, 5, 8))],
    "num_buckets": [lambda: t5.bucket(1, num_buckets=32, max_distance=8), lambda: t5.bucket(1, num_buckets=2),
        lambda: t5.bucket(1, num_buckets=31), lambda: t5.t5_bias(3, table=a((3, 2)))],
    "max_distance": [lambda: t5.bucket(1, max_distance=20.5)],
    "offset": [lambda: t5.bucket(0.5), lambda: torch_t5.bucket(t(3)), lambda: shaw.clip_index([0.5], 2)],
    "clip": [lambda: shaw.clip_index([1, 2], -1), lambda: ShawVectors(2, 4, -1)],
    "n_heads": [lambda: alibi.slopes(0), lambda: FoX(8, 0), lambda: MusicTransformer(0, 4, 5), lambda: LogScale(0, 8),
        lambda: ShawVectors(0, 4, 2), lambda: Sink(0), lambda: T5Bias(0), lambda: TransformerXL(8, 0), lambda: FIRE(0)],
    "n_kv_heads": [lambda: RelativeAttention(24, 6, n_kv_heads=4), lambda: RelativeAttention(24, 6, n_kv_heads=0)],
    "x": [lambda: layer(FoX(6, 2))(x8), lambda: layer()(t(3, 8)), lambda: layer()(x4), lambda: torch_rope.rotate(t(4)),
        lambda: torch_rope.rotate(t(3, 4).long()), lambda: rope.rotate(a(4)), lambda: attention.softmax(1.0),
        lambda: axial_rope.rotate(a(4), a((1, 2)), [0, 1], [1, 1]), lambda: Sinusoidal(4)(x8),
        lambda: Learned(8, 4)(t(1, 2, 1)), lambda: xl.update_memory(None, a(4), 2)],
    "speeds": [lambda: rope.rotate(a((3, 4)), speeds=[1, np.nan]), lambda: speeds.interpolated([], 8),
        lambda: speeds.ntk([1], 8), lambda: layer(RoPE(4, speeds=lambda n: [1] * n))(x8)],
    "factor": [lambda: rope.rotate(a((3, 4)), factor=0), lambda: RoPE(4, factor=-1)],
    "factors": [lambda: query_scale.scaled(a((3, 4)), a(1)), lambda: speeds.by_factors([1, 0.1], [1])],
    "s": [lambda: speeds.interpolated([1, 0.1], 1 / 8), lambda: speeds.ntk([1, 0.1], np.nan),
        lambda: speeds.yarn_factor(0.5), lambda: speeds.longrope_factor(0.5, 64)],
    "low": [lambda: speeds.by_parts([1], 8, 64, low=4, high=1), lambda: speeds.llama3([1], 8, 64, low=-1)],
    "slow": [lambda: speeds.yarn(4, 8, 64, fast=1, slow=32)],
    "short": [lambda: speeds.longrope([1, 0.1], 65, 64, short=[1, 0], long=[1, 8])],
    "long": [lambda: speeds.longrope([1, 0.1], 5, 64, short=[1, 1], long=[8])],
    "n": [lambda: speeds.longrope([1], 6.5, 64, short=[1], long=[8]), lambda: speeds.dynamic_ntk([1, 0.1], 6.5, 4),
        lambda: absolute.learned(0, a((8, 4)))],
    "mscale": [lambda: speeds.yarn_factor(8, mscale=np.nan)],
    "height": [lambda: window.partition(a((6, 8, 1)), 4), lambda: WindowAttention(8, 2, 2)(t(1, 4, 5, 8)),
        lambda: window.reverse(a((6, 4, 1)), 0, 6), lambda: axial_rope.grid_positions(0, 2)],
    "width": [lambda: axial_rope.grid_positions(2, 0)],
    "image": [lambda: window.partition(a((4, 4)), 2), lambda: WindowAttention(8, 2, 2)(t(4, 4, 8))],
    "windows": [lambda: window.reverse(a((5, 4, 1)), 4, 6), lambda: window.reverse(a((6, 4)), 4, 6)],
    "shift": [lambda: window.shift_mask(8, 8, 4, 4), lambda: WindowAttention(8, 2, 2, shift=2)],
    "w": [lambda: sliding_window.window_row(3, w=0), lambda: sliding_window.window_mask(3, w=0),
        lambda: SlidingWindow(0), lambda: sliding_window.reach(2, 0), lambda: sink.sink_positions(9, first=1, w=0)],
    "layers": [lambda: sliding_window.reach(0, 4)],
    "text": [lambda: sink.sink_positions(0, first=1, w=4)],
    "first": [lambda: sink.sink_positions(9, first=0, w=4)],
    "positions": [lambda: query_scale.log_scale([0, -1], length=64), lambda: AxialRoPE(8, a(4)),
        lambda: MRoPE(8, a((4, 2)), (2, 1, 1)), lambda: axial_rope.rotate(a((4, 4)), a((3, 2)), [0, 1], [1, 1]),
        lambda: axial_rope.next_position([[0.5]]), lambda: Learned(8, 4)(x4, positions=torch.tensor([-1, 0])),
        lambda: Combined(Sink(2), Sink(2)), lambda: Combined(RoPE(4), 3), lambda: Combined(FoX(8, 2), Sink(2)),
        lambda: Combined(ShawVectors(2, 4, 2), ShawVectors(2, 4, 3)).key_vectors(3, 3, 0),
        lambda: at(RoPE(4), 0, 1, 2, 3), lambda: at(ALiBi(2), 0, 1, 2**25),
        lambda: at(MRoPE(4, a((4, 3)), (2, 0, 0)), 0, 1, 2**25)],
    "positions of torch.float32: expected a tensor of whole numbers": [lambda: at(RoPE(4), 0.0, 1.0, 2.0)],
    r"positions=\[0, 1, 2]: expected a tensor of whole numbers": [lambda: layer(RoPE(4))(x8, positions=[0, 1, 2])],
    "positions: FoX adds up a number per token, expected 1 more": [lambda: at(FoX(8, 2), 0, 1, 3)],
    "positions: fall or repeat, expected one text": [lambda: at(RoPE(4, speeds=lambda n: [1]), 0, 1, 0)],
    "positions: -2, expected 0 or more for": [lambda: at(LogScale(2, 8), -2, 0, 1), lambda: at(FIRE(2), -2, 0, 1),
        lambda: at(AxialRoPE(4, a((9, 2))), -2, 0, 1)],
    "positions: a renumbered cache counts": [lambda: at(ALiBi(2), 0, 1, 2, cache=RingCache(4, renumbered=True))],
    "positions: Counts.prepare counts them, expected a `prepare_at": [lambda: at(Counts(), 0, 1, 2)],
    "positions: CountsAndTurns.prepare counts them": [lambda: at(CountsAndTurns(4), 0, 1, 2)],
    "positions: Cells.bias is not a row, expected a `bias_at": [lambda: at(Cells(), 0, 1, 2)],
    "memory_positions": [lambda: layer()(x8, memory_positions=torch.arange(3))],
    "memory": [lambda: layer(causal=True)(x8, x8), lambda: layer()(x8, t(2, 3, 8)), lambda: layer()(x8, x4),
        lambda: xl.update_memory(a((2, 3, 4)), a((3, 4)), 2)],
    "axis": [lambda: axial_rope.rotate(a((3, 4)), a((3, 2)), [0, 2], [1, 1]),
        lambda: axial_rope.rotate(a((3, 4)), a((3, 2)), [0], [1, 1]),
        lambda: axial_rope.rotate(a((3, 4)), a((3, 2)), [0, 0.5], [1, 1])],
    "axes": [lambda: axial_rope.axial(8, 0)],
    "gates": [lambda: fox.forgotten([0.5, 0.0])],
    "c": [lambda: fire.shares(3, c=0.0, threshold=4.0)],
    "threshold": [lambda: FIRE(2, threshold=0)],
    "sections": [lambda: axial_rope.mrope(8, (2, 1)), lambda: axial_rope.mrope(12, (1, 2, 3), interleaved=True),
        lambda: axial_rope.mrope(8, (5, -1))],
    "parts": [lambda: axial_rope.text_positions([]), lambda: axial_rope.text_positions([(1, 2, 2)]),
        lambda: axial_rope.text_positions([0])],
    "key_bias": [lambda: attend3(key_bias=t(2, 4)), lambda: layer(FoX(8, 4))(x8)],
    "sink": [lambda: attend3(sink=t(1)), lambda: sink.softmax_with_sink(a((3, 5)), a(5))],
    "reach": [lambda: attend3(reach=0)],
    "window": [lambda: RingCache(0), lambda: window.window_index(0), lambda: WindowAttention(8, 2, 0)],
    "key_vectors": [lambda: attend3(key_vectors=Vectors(t(2, 5, 4)))],
    "value_vectors": [lambda: attend3(value_vectors=Vectors(t(1, 5, 6), first=-1))],
    "key_table": [lambda: shaw.key_term(a((3, 4)), a((5, 1))), lambda: shaw.key_term(a((3, 4)), a((4, 4)))],
    "value_table": [lambda: shaw.value_term(a((2, 3, 5)), a((3, 5, 4))),
        lambda: shaw.shaw_attention(a((3, 4)), a((5, 4)), a((5, 4)), key_table=a((3, 4)), value_table=a((3, 1)))],
    "table": [lambda: absolute.learned(2, a(8)), lambda: t5.t5_bias(3, table=a(8)),
        lambda: window.window_bias(a((8, 2)), 2), lambda: music.slice_table(a((4, 4)), 2),
        lambda: music.slice_table(a(5), 2), lambda: music.music_transformer_scores(a((3, 4)), a((5, 1)))],
    "r": [lambda: xl.term_b(a((3, 4)), a((7, 1))), lambda: xl.term_d(a(4), a((7, 1)), 3),
        lambda: xl.xl_scores(a((3, 4)), a((5, 4)), a((9, 4)), a(4), a(4))],
    "weight": [lambda: xl.position_keys(3, 5, a(4))],
    "d_model": [lambda: RelativeAttention(10, 4), lambda: Sinusoidal(7), lambda: TransformerXL(9, 3),
        lambda: TransformerXL(10, 4), lambda: WindowAttention(10, 4, 2), lambda: FoX(0, 2), lambda: Learned(8, 0)],
    "cache": [lambda: layer()(x8, t(1, 5, 8), cache=KeyValueCache())],
    "max_length": [lambda: MusicTransformer(2, 4, 0), lambda: Learned(0, 4)],
    "d_head": [lambda: RoPE(5), lambda: ShawVectors(2, 0, 2), lambda: MusicTransformer(2, 0, 5)],
    "backend": [lambda: layer(backend="fast"), lambda: attend("flex", k3, k3, k3, Terms())],
    "keep": [lambda: RingCache(3, keep=-1)],
    "position": [lambda: layer(torch.nn.Linear(2, 2)), lambda: layer(RoPE)],
}  # fmt: skip


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in REFUSED.items() for call in calls])
def test_the_refusal_names_the_argument(name, call):
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        call()
