"""Bad input is refused: which call, and the exact words. Read it as the list of what can go wrong."""

import numpy as np
import pytest
import torch

from course_lib.nn import grid as nn_grid
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.alibi import ALiBi
from course_lib.nn.attention import attention as nn_attention
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Vectors
from course_lib.nn.query_scale import Llama4Scale, LogScale
from course_lib.nn.rope import RoPE
from course_lib.nn.rope import rotate as nn_rotate
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

NUMPY = [
    (lambda: attention.scores(a(4), a((5, 4))), "q (4,), k (5, 4): both need at least two axes, (length, d_k)"),
    (lambda: attention.scores(a((3, 4)), a((5, 6))), "q (3, 4), k (5, 6): the last axis d_k must be the same"),
    (lambda: attention.attention(a((3, 4)), a((5, 4)), a((4, 4))), "v (4, 4): expected one row per key, (…, 5, d_v)"),
    (
        lambda: attention.attention(a((3, 4)), a((5, 4)), a((5, 4)), bias=a((5, 3))),
        "bias (5, 3): does not broadcast to the scores (3, 5)",
    ),
    (
        lambda: attention.attention(a((3, 4)), a((5, 4)), a((5, 4)), mask=a((5, 5), bool)),
        "mask (5, 5): does not broadcast to the scores (3, 5)",
    ),
    (lambda: grid.row_offsets(0), "n_q=0: expected a whole number, 1 or more"),
    (lambda: grid.offsets(3, 2.5), "n_k=2.5: expected a whole number, 1 or more"),
    (lambda: grid.offsets("3"), "n_q='3': expected a whole number, 1 or more"),
    (lambda: grid.offsets(True), "n_q=True: expected a whole number, 1 or more"),
    (lambda: grid.offsets(3, past=-5), "past=-5: expected a whole number, 0 or more"),
    (lambda: grid.to_grid(a((2, 7)), 3), "rows has shape (2, 7), but n_q=3 needs (…, 1, width) or (…, 3, width)"),
    (lambda: grid.to_grid(a((1, 2)), 3), "rows has shape (1, 2), but its width must be at least 3 for n_q=3"),
    (lambda: grid.from_grid(a(3)), "grid (3,): expected (…, n_q, n_k)"),
    (
        lambda: bias.decay_bias(3, decay="cubic"),
        "decay='cubic': expected one of 'log', 'linear', 'square root', 'quadratic'",
    ),
    (lambda: bias.decay_bias(3, scale=-0.3), "scale=-0.3: expected a finite number, 0 or more"),
    (lambda: bias.decay_bias(3, forward_scale=np.inf), "forward_scale=inf: expected a finite number, 0 or more"),
    (lambda: absolute.sinusoidal([0, 1], 5), "d=5: expected an even number, channels are taken in pairs"),
    (lambda: absolute.sinusoidal([0, 1], 4, base=0), "base=0: expected a number above 0"),
    (
        lambda: absolute.learned(3, a((8, 4)), past=6),
        "length 9: the table ends at max_length=8, it has no vector further on",
    ),
    (
        lambda: t5.bucket(1, num_buckets=32, max_distance=8),
        "num_buckets=32, max_distance=8: max_distance must exceed the 8 exact buckets",
    ),
    (
        lambda: t5.bucket(1, bidirectional=False, num_buckets=1024, max_distance=128),
        "num_buckets=1024, max_distance=128: max_distance must exceed the 512 exact buckets",
    ),
    (lambda: t5.bucket(1, num_buckets=2), "num_buckets=2: expected a whole number, 4 or more"),
    (lambda: t5.bucket(1, num_buckets=31), "num_buckets=31: expected an even number, both directions get the same"),
    (lambda: t5.bucket(1, max_distance=0), "max_distance=0: expected a whole number, 1 or more"),
    (lambda: t5.t5_bias(3, table=a(32)), "table (32,): expected (num_buckets, heads)"),
    (lambda: shaw.clip_index([1, 2], -1), "clip=-1: expected a whole number, 0 or more"),
    (lambda: shaw.key_term(a((3, 4)), a((6, 4))), "key_table (6, 4): expected (…, 2·clip + 1, 4)"),
    (lambda: shaw.value_term(a((3, 5)), a((6, 4))), "value_table (6, 4): expected (…, 2·clip + 1, d)"),
    (lambda: music.skew_causal(a((5, 3))), "rows (5, 3): expected (…, n_q, n_k) with n_q at most n_k"),
    (lambda: music.skew(a((3, 2)), 3), "rows (3, 2): expected (…, 3, 3 + n_k − 1) for n_q=3"),
    (
        lambda: music.music_transformer_scores(a((9, 4)), a((8, 4)), causal=True),
        "length 9: the table ends at max_length=8, it has no vector further on",
    ),
    (
        lambda: music.music_transformer_scores(a((3, 4)), a((15, 4)), 11),
        "length 11: the table ends at max_length=8, it has no vector further on",
    ),
    (
        lambda: xl.xl_scores(a((3, 4)), a((5, 4)), a((5, 4)), a(4), a(4)),
        "r (5, 4): expected one row per offset, (…, 7, d)",
    ),
    (lambda: xl.position_keys(3, 5, a((5, 4))), "d=5: expected an even number, channels are taken in pairs"),
    (lambda: xl.update_memory(None, a((3, 4)), -1), "length=-1: expected a whole number, 0 or more"),
    (lambda: alibi.slopes(0), "n_heads=0: expected a whole number, 1 or more"),
    (lambda: rope.rotate(a(4)), "x (4,): expected (…, length, d)"),
    (lambda: rope.rotate(a((3, 5))), "d=5: expected an even number, channels are taken in pairs"),
    (
        lambda: rope.rotate(a((3, 4)), speeds=[1, 0.1, 0.01]),
        "speeds: 3 of them, expected 1 to 2 for d=4, one for each pair",
    ),
    (lambda: rope.rotate(a((3, 4)), speeds=[]), "speeds: 0 of them, expected 1 to 2 for d=4, one for each pair"),
    (lambda: rope.rotate(a((3, 5)), speeds=[1]), "d=5: expected an even number, channels are taken in pairs"),
    (
        lambda: rope.rotate(a((3, 4)), speeds=[1, np.nan]),
        "speeds[1]=nan: expected a finite number of radians per position",
    ),
    (lambda: rope.rotate(a((3, 4)), factor=0), "factor=0: expected a finite number above 0"),
    (lambda: speeds.turns([1, 0.1], 0), "length=0: expected a finite number, 1 or more"),
    (lambda: speeds.turns([[1, 0.1]], 64), "speeds=[[1.0, 0.1]]: expected one row of finite numbers"),
    (lambda: speeds.interpolated([], 8), "speeds=[]: expected one row of finite numbers"),
    (lambda: speeds.interpolated([1, np.inf], 8), "speeds=[1.0, inf]: expected one row of finite numbers"),
    (lambda: speeds.interpolated([1, 0.1], 1 / 8), "s=0.125: expected a finite number, 1 or more"),
    (lambda: speeds.ntk([1], 8), "speeds=[1.0]: expected 2 or more, NTK leaves the first and divides the last by s"),
    (lambda: speeds.ntk([1, 0.1], np.nan), "s=nan: expected a finite number, 1 or more"),
    (lambda: speeds.by_parts([1], 8, np.inf), "length=inf: expected a finite number, 1 or more"),
    (lambda: speeds.by_parts([1], 8, 64, low=4, high=1), "low=4, high=1: expected turns with 0 ≤ low ≤ high"),
    (lambda: speeds.llama3([1], 8, 64, low=-1), "low=-1, high=4.0: expected turns with 0 ≤ low ≤ high"),
    (lambda: speeds.yarn(5, 8, 64), "d=5: expected an even number, channels are taken in pairs"),
    (lambda: speeds.yarn(4, 0, 64), "s=0: expected a finite number, 1 or more"),
    (
        lambda: speeds.yarn(4, 8, 64, base=1),
        "base=1: expected a number above 1, so that the pairs have different speeds",
    ),
    (lambda: speeds.yarn(4, 8, 64, slow=0), "slow=0, fast=32.0: expected turns with 0 < slow ≤ fast"),
    (lambda: speeds.yarn(4, 8, 64, fast=1, slow=32), "slow=32, fast=1: expected turns with 0 < slow ≤ fast"),
    (lambda: speeds.by_factors([1, 0.1], [2]), "factors=[2.0]: expected 2 finite numbers above 0, one for each pair"),
    (
        lambda: speeds.longrope([1, 0.1], 65, 64, short=[1, 0], long=[1, 8]),
        "short=[1.0, 0.0]: expected 2 finite numbers above 0, one for each pair",
    ),
    (
        lambda: speeds.longrope([1, 0.1], 64, 64, short=[1, 1], long=8),
        "long=8.0: expected 2 finite numbers above 0, one for each pair",
    ),
    (
        lambda: speeds.longrope([1], 6.5, 64, short=[1], long=[8]),
        "n=6.5: expected a whole number, 1 or more",
    ),
    (lambda: speeds.dynamic_ntk([1, 0.1], 0, 64), "n=0: expected a whole number, 1 or more"),
    (
        lambda: speeds.dynamic_ntk([1, 0.1], 65, 64, strength=-1),
        "strength=-1: expected a finite number, 0 or more",
    ),
    (lambda: speeds.p_rope([1, 0.1], 25), "p=25: expected a number from 0 to 1"),
    (lambda: speeds.partial_rope(8, -0.5), "p=-0.5: expected a number from 0 to 1"),
    (lambda: speeds.partial_rope(8, 0.4), "d=8, p=0.4: 3 channels would turn, expected an even number, 2 or more"),
    (lambda: speeds.yarn_factor(0.5), "s=0.5: expected a finite number, 1 or more"),
    (lambda: speeds.yarn_factor(8, mscale=np.nan), "mscale=nan: expected a finite number, 0 or more"),
    (lambda: speeds.longrope_factor(8, 1), "length=1: expected a finite number, 2 or more"),
    (lambda: rope.to_half_split(7), "d=7: expected an even number, channels are taken in pairs"),
    (lambda: window.window_bias(a((8, 2)), 2), "table (8, 2): expected (9, heads) for window=2"),
    (lambda: window.partition(a((6, 8, 1)), 4), "height=6, width=8: expected multiples of window=4"),
    (lambda: window.shift_mask(8, 8, 4, 4), "shift=4, window=4: shift must be below window"),
    (lambda: sliding_window.window_row(3, w=0), "w=0: expected a whole number, 1 or more"),
    (lambda: sliding_window.window_mask(3, w=2.0), "w=2.0: expected a whole number, 1 or more"),
    (lambda: sliding_window.reach(0, 4), "layers=0: expected a whole number, 1 or more"),
    (
        lambda: sink.softmax_with_sink(a((2, 3, 5)), a(2)),
        "sink (2,): expected a number for each row of the scores (2, 3, 5), or one for all",
    ),
    (
        lambda: sink.attention_with_sink(a((2, 3, 4)), a((2, 5, 4)), a((2, 5, 4)), sink=a(3)),
        "sink (3, 1): expected a number for each row of the scores (2, 3, 5), or one for all",
    ),
    (lambda: sink.sink_positions(9, first=0, w=4), "first=0: expected a whole number, 1 or more"),
    (lambda: query_scale.log_scale([0, -1], length=64), "positions: the smallest is -1.0, expected 0 or more"),
    (lambda: query_scale.log_scale(3, length=1), "length=1: expected a whole number, 2 or more"),
    (lambda: query_scale.llama4_scale(3, step=0), "step=0: expected a whole number, 1 or more"),
    (lambda: query_scale.scaled(a((3, 4)), a(2)), "factors (2,): expected (3,), a number for each query"),
    (lambda: fox.forgotten([0.5, 0.0]), "gates (2,), from 0.0 to 0.5: expected (…, n), above 0 and at most 1"),
    (
        lambda: fox.fox_bias([0.5, 0.9], past=2),
        "past=2: expected a whole number from 0 to 1, before the last of 2 tokens",
    ),
    (lambda: fire.shares(3, c=0.0, threshold=4.0), "c=0.0: expected a number above 0"),
    (lambda: fire.shares(3, c=0.1, threshold=-4.0), "threshold=-4.0: expected a number above 0"),
    (lambda: axial_rope.axial(6), "d=6: expected a multiple of 4, so that 2 axes get as many pairs each"),
    (lambda: axial_rope.mrope(8, (2, 1)), "sections (2, 1): expected 4 pairs together, for d=8"),
    (lambda: axial_rope.mrope(8, (2, 2.0)), "sections=2.0: expected a whole number, 0 or more"),
    (
        lambda: axial_rope.mrope(12, (1, 2, 3), interleaved=True),
        "sections (1, 2, 3): cannot be dealt in turn, expected the first to be the largest",
    ),
    (
        lambda: axial_rope.rotate(a((3, 8)), a((2, 2)), *axial_rope.axial(8)),
        "positions (2, 2): expected (3, axes), a row for each token of x",
    ),
    (
        lambda: axial_rope.rotate(a((3, 8)), a(3), *axial_rope.axial(8)),
        "positions (3,): expected (n, axes), a position on each axis for every token",
    ),
    (
        lambda: axial_rope.rotate(a((3, 8)), a((3, 2)), *axial_rope.axial(4)),
        "axis (2,), speeds (2,): expected (4,) each, for d=8",
    ),
    (
        lambda: axial_rope.rotate(a((3, 8)), a((3, 1)), *axial_rope.axial(8)),
        "axis: the largest is 1, expected one of the 1 axes of the positions, counted from 0",
    ),
    (lambda: axial_rope.grid_positions(0, 3), "height=0: expected a whole number, 1 or more"),
    (lambda: axial_rope.text_positions([]), "parts: none; expected numbers of words, or (height, width) of pictures"),
    (lambda: axial_rope.text_positions([2.5]), "parts=2.5: expected a whole number, 1 or more"),
    (
        lambda: axial_rope.text_positions([(1, 2, 2)]),
        "parts: (1, 2, 2); expected a number of words, or (height, width) of a picture",
    ),
]

TORCH = [
    (lambda: nn_grid.to_grid(t(2, 7), 3), "rows has shape (2, 7), but n_q=3 needs (…, 1, width) or (…, 3, width)"),
    (lambda: nn_grid.to_grid(t(1, 2), 3), "rows has shape (1, 2), but its width must be at least 3 for n_q=3"),
    (lambda: nn_grid.from_grid(t(3)), "grid (3,): expected (…, n_q, n_k)"),
    (
        lambda: nn_attention(t(3, 4), k3, k3, Terms()),
        "q (3, 4), k (1, 2, 5, 4), v (1, 2, 5, 4): expected (…, heads, length, d)",
    ),
    (
        lambda: nn_attention(q3, t(1, 2, 5, 6), k3, Terms()),
        "q (1, 2, 3, 4), k (1, 2, 5, 6): the last axis d must be the same",
    ),
    (
        lambda: nn_attention(q3, t(2, 2, 5, 4), t(5, 2, 5, 4), Terms()),
        "q (1, 2, 3, 4), k (2, 2, 5, 4), v (5, 2, 5, 4): the leading axes before the heads must be the same or 1",
    ),
    (lambda: nn_attention(q3, k3, q3, Terms()), "v (1, 2, 3, 4): expected one row per key, (…, heads, 5, d)"),
    (lambda: nn_attention(q3, k3, k3, Terms(bias=t(2, 6))), "bias (2, 6): expected (2 or 1, 7) for n_q=3, n_k=5"),
    (lambda: nn_attention(q3, k3, k3, Terms(bias=t(3, 7))), "bias (3, 7): expected (2 or 1, 7) for n_q=3, n_k=5"),
    (
        lambda: nn_attention(q3, k3, k3, Terms(bias=t(2, 3, 4))),
        "bias (2, 3, 4): expected (2 or 1, 3, 5) for n_q=3, n_k=5",
    ),
    (lambda: nn_attention(q3, k3, k3, Terms(key_bias=t(2, 4))), "key_bias (2, 4): expected (…, 2, 5) for n_k=5"),
    (lambda: nn_attention(q3, k3, k3, Terms(sink=t(3))), "sink (3,): expected (2,), a score for each head"),
    (lambda: nn_attention(q3, k3, k3, Terms(reach=0)), "reach=0: expected a whole number, 1 or more"),
    (lambda: SlidingWindow(0), "w=0: expected a whole number, 1 or more"),
    (lambda: FIRE(2, threshold=0.0), "threshold=0.0: expected a number above 0"),
    (lambda: RingCache(0), "window=0: expected a whole number, 1 or more"),
    (
        lambda: nn_attention(q3, k3, k3, Terms(key_vectors=Vectors(t(2, 5, 4)))),
        "key_vectors: table (2, 5, 4), expected (2 or 1, 7, 4) for n_q=3, n_k=5",
    ),
    (
        lambda: nn_attention(q3, k3, k3, Terms(value_vectors=Vectors(t(1, 5, 6), first=-1))),
        "value_vectors: table (1, 5, 6), expected (2 or 1, rows, 4) for n_q=3, n_k=5",
    ),
    (
        lambda: nn_attention(q3, k3, k3, Terms(mask=t(3, 5))),
        "mask of torch.float32: expected torch.bool, True where a query may look",
    ),
    (
        lambda: nn_attention(q3, k3, k3, Terms(mask=t(5, 3).bool())),
        "mask (5, 3): does not broadcast to the scores (1, 2, 3, 5)",
    ),
    (
        lambda: nn_attention(q3, k3, k3, Terms(dropout=-0.1)),
        "dropout=-0.1: expected a number, 0 or more and below 1",
    ),
    (lambda: RelativeAttention(8, 2, dropout=1.0), "dropout=1.0: expected a number, 0 or more and below 1"),
    (
        lambda: RelativeAttention(8, 2, backend="flex", dropout=0.1)(t(1, 3, 8)),
        "dropout=0.1: FlexAttention has none; expected 0, or backend 'sdpa' or 'eager'",
    ),
    (lambda: RelativeAttention(10, 4), "d_model=10, n_heads=4: d_model must be a positive multiple of n_heads"),
    (
        lambda: RelativeAttention(8, 2, causal=True)(t(1, 3, 8), mask=t(3, 3)),
        "mask of torch.float32: expected torch.bool, True where a query may look",
    ),
    (lambda: RelativeAttention(8, 2)(t(3, 8)), "x (3, 8): expected (batch, length, 8)"),
    (lambda: RelativeAttention(8, 2)(t(1, 3, 6)), "x (1, 3, 6): expected (batch, length, 8)"),
    (lambda: RelativeAttention(8, 2)(t(1, 3, 8), t(1, 5, 6)), "memory (1, 5, 6): expected (batch, length, 8)"),
    (lambda: RelativeAttention(8, 2)(t(1, 3, 8), t(2, 5, 8)), "memory (2, 5, 8): expected the batch of x, 1"),
    (
        lambda: RelativeAttention(8, 2)(t(1, 3, 8), t(1, 5, 8), cache=KeyValueCache()),
        "cache: keeps the keys of self-attention, expected None together with memory",
    ),
    (lambda: RelativeAttention(8, 2, T5Bias(4))(t(1, 3, 8)), "bias (4, 5): expected (2 or 1, 5) for n_q=3, n_k=3"),
    (lambda: SegmentMemory(-1), "length=-1: expected a whole number, 0 or more"),
    (lambda: DecayBias([0.3, -0.1]), "scale=-0.1: expected a finite number, 0 or more"),
    (lambda: DecayBias(forward_scale=float("nan")), "forward_scale=nan: expected a finite number, 0 or more"),
    (lambda: ALiBi(0), "n_heads=0: expected a whole number, 1 or more"),
    (lambda: Sinusoidal(7), "d_model=7: expected an even number, channels are taken in pairs"),
    (
        lambda: Learned(8, 4)(t(1, 3, 4), past=6),
        "length 9: the table ends at max_length=8, it has no vector further on",
    ),
    (
        lambda: T5Bias(2, max_distance=8),
        "num_buckets=32, max_distance=8: max_distance must exceed the 8 exact buckets",
    ),
    (lambda: T5Bias(0), "n_heads=0: expected a whole number, 1 or more"),
    (lambda: ShawVectors(2, 4, clip=-1), "clip=-1: expected a whole number, 0 or more"),
    (lambda: MusicTransformer(2, 4, 0), "max_length=0: expected a whole number, 1 or more"),
    (
        lambda: RelativeAttention(8, 2, MusicTransformer(2, 4, 5), causal=True)(t(1, 6, 8)),
        "length 6: the table ends at max_length=5, it has no vector further on",
    ),
    (lambda: RoPE(5), "d_head=5: expected an even number, channels are taken in pairs"),
    (lambda: RoPE(4, base=0), "base=0: expected a number above 0"),
    (lambda: RoPE(4, factor=-1), "factor=-1: expected a finite number above 0"),
    (lambda: RoPE(4, speeds=[1, 0.1, 0]), "speeds: 3 of them, expected 1 to 2 for d=4, one for each pair"),
    (
        lambda: RelativeAttention(8, 2, RoPE(4, speeds=lambda n: [1] * n))(t(1, 3, 8)),
        "speeds: 3 of them, expected 1 to 2 for d=4, one for each pair",
    ),
    (lambda: nn_rotate(t(3, 5)), "d=5: expected an even number, channels are taken in pairs"),
    (lambda: nn_rotate(t(3, 4), factor=float("nan")), "factor=nan: expected a finite number above 0"),
    (
        lambda: nn_rotate(t(3, 4), speeds=[float("inf")]),
        "speeds[0]=inf: expected a finite number of radians per position",
    ),
    (
        lambda: RelativeAttention(6, 2, RoPE(4))(t(1, 3, 6)),
        "q (1, 2, 3, 3): expected (…, n_q, 4), the d_head of this RoPE",
    ),
    (lambda: TransformerXL(9, 3), "d_model=9: expected an even number, channels are taken in pairs"),
    (lambda: TransformerXL(10, 4), "d_model=10, n_heads=4: d_model must be a multiple of n_heads"),
    (lambda: WindowAttention(10, 4, 2), "d_model=10, n_heads=4: d_model must be a positive multiple of n_heads"),
    (lambda: WindowAttention(8, 2, 2, shift=2), "shift=2, window=2: shift must be below window"),
    (lambda: WindowAttention(8, 2, 2)(t(1, 4, 4, 6)), "image (1, 4, 4, 6): expected (batch, height, width, 8)"),
    (lambda: WindowAttention(8, 2, 2)(t(1, 4, 5, 8)), "height=4, width=5: expected multiples of window=2"),
    (lambda: SlidingWindow(0), "w=0: expected a whole number, 1 or more"),
    (lambda: Sink(0), "n_heads=0: expected a whole number, 1 or more"),
    (
        lambda: RelativeAttention(8, 2, Sink(4))(t(1, 3, 8)),
        "sink (4,): expected (2,), a score for each head",
    ),
    (lambda: LogScale(2, 1), "length=1: expected a whole number, 2 or more"),
    (lambda: LogScale(0, 8), "n_heads=0: expected a whole number, 1 or more"),
    (
        lambda: RelativeAttention(8, 2, LogScale(4, 8))(t(1, 3, 8)),
        "q (1, 2, 3, 4): expected (…, 4, n_q, d_head), the heads of this scale",
    ),
    (lambda: Llama4Scale(0), "step=0: expected a whole number, 1 or more"),
    (lambda: Llama4Scale(strength=float("nan")), "strength=nan: expected a finite number"),
    (lambda: AxialRoPE(6, a((4, 2))), "d=6: expected a multiple of 4, so that 2 axes get as many pairs each"),
    (lambda: AxialRoPE(8, a(4)), "positions (4,): expected (n, axes), a position on each axis for every token"),
    (
        lambda: RelativeAttention(8, 2, AxialRoPE(4, a((4, 2))))(t(1, 5, 8)),
        "length 5: expected at most 4, the tokens in `positions`",
    ),
    (
        lambda: RelativeAttention(8, 2, AxialRoPE(8, a((4, 2))))(t(1, 3, 8)),
        "q (1, 2, 3, 4): expected (…, n_q, 8), the d_head of this RoPE",
    ),
    (
        lambda: MRoPE(8, a((4, 2)), (2, 1, 1)),
        "positions (4, 2): expected (n, 3), an axis for each of the sections",
    ),
    (lambda: MRoPE(8, a((4, 3)), (2, 2, 2)), "sections (2, 2, 2): expected 4 pairs together, for d=8"),
    (lambda: FoX(0, 2), "d_model=0: expected a whole number, 1 or more"),
    (
        lambda: RelativeAttention(8, 2, FoX(8, 4))(t(1, 3, 8)),
        "key_bias (1, 4, 3): expected (…, 2, 3) for n_k=3",
    ),
    (
        lambda: RelativeAttention(8, 2, FoX(6, 2))(t(1, 3, 8)),
        "x (1, 3, 8): expected (batch, n, 6), the d_model of this FoX",
    ),
    (lambda: FIRE(0), "n_heads=0: expected a whole number, 1 or more"),
    (lambda: FIRE(2, hidden=0), "hidden=0: expected a whole number, 1 or more"),
    (lambda: FIRE(2, threshold=0), "threshold=0: expected a number above 0"),
    (
        lambda: RelativeAttention(8, 2, FIRE(4))(t(1, 3, 8)),
        "bias (4, 3, 3): expected (2 or 1, 3, 3) for n_q=3, n_k=3",
    ),
    (
        lambda: Combined(ShawVectors(2, 4, 2), ShawVectors(2, 4, 3)).key_vectors(3, 3, 0),
        "positions: ShawVectors and ShawVectors each give a key_vectors, expected one at most",
    ),
    (lambda: Combined(Sink(2), Sink(2)), "positions: Sink and Sink each give a sink, expected one at most"),
    (lambda: Combined(FoX(8, 2), Sink(2)), "positions: FoX has a key_bias, expected no sink beside it"),
    (lambda: Combined(RoPE(4), 3), "positions: 3; expected schemes, each a Position"),
]


@pytest.mark.parametrize(("call", "words"), NUMPY + TORCH, ids=[words for _, words in NUMPY + TORCH])
def test_refused_with_these_words(call, words):
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == words
