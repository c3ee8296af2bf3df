"""No scheme may become slow unnoticed: its time beside attention without position, in the same rounds on one thread.

The limit is `scaled_dot_product_attention` without position, with is_causal=True for causal schemes: 8 heads of 64
channels, float32, projections excluded. Where a fused kernel is lost or a grid is built, times double and more. The
bounds leave room for a busy machine and for other processors: on an AMD EPYC a bias takes 1.1 of the limit, on an Intel
Xeon with AMX, whose limit is faster, 1.4; Shaw's keys and values take 1.4 and 2.5.
"""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.fast import fast_attention
from course_lib.nn.fox import FoX
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Vectors
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias
from course_lib.nn.terms import Terms
from course_lib.nn.threads import one_thread
from course_study.own_scheme.speed import gradients, interleaved

HEADS, D, ROUNDS, ATTEMPTS = 8, 64, 5, 8
TIMED = {  # name: (make for n tokens, causal, at most so many times the limit)
    "log": (lambda n: DecayBias(0.3), False, 1.6),
    "alibi": (lambda n: ALiBi(HEADS), True, 1.6),
    "t5": (lambda n: T5Bias(HEADS), False, 1.6),
    "t5 causal": (lambda n: T5Bias(HEADS, bidirectional=False), True, 1.6),
    "rope": (lambda n: RoPE(D), True, 1.6),
    "shaw": (lambda n: ShawVectors(HEADS, D, 16), False, 3.4),
    "huang causal": (lambda n: MusicTransformer(HEADS, D, n), True, 3.0),
    "huang general": (lambda n: MusicTransformer(HEADS, D, n, causal=False), False, 3.2),
    "transformer-xl": (None, True, 3.3),
    "window": (lambda n: SlidingWindow(256), True, 1.0),  # of 256 keys: it takes half the time
    "sink": (lambda n: Sink(HEADS), True, 1.9),
    "window + sink": (lambda n: Combined(SlidingWindow(256), Sink(HEADS)), True, 1.3),
    "fox": (lambda n: FoX(HEADS * D, HEADS), True, 1.9),
}
LEARNING_T5 = 2.5  # forward and backward


def ways(name, n):
    """The limit and the scheme as functions of q, k, v, and the numbers that the scheme learns."""
    make, causal, _ = TIMED[name]

    def limit(q, k, v):
        return scaled_dot_product_attention(q, k, v, is_causal=causal, scale=1.0 if "t5" in name else None)

    if make is None:
        return limit, *transformer_xl(n)
    position = make(n)

    def ours(q, k, v):  # the hooks are asked in every call, as a layer does
        key_bias = position.key_bias(q.transpose(1, 2).flatten(2), None)  # any input of the layer is as good
        q, k = position.prepare(q, k, 0)
        return fast_attention(q, k, v, Terms.of(position, n, n, 0, key_bias=key_bias, causal=causal))

    return limit, ours, list(position.parameters())


def transformer_xl(n):
    """The four terms with r = W_r R given, since no projection is measured."""
    r, u, w = (torch.randn(HEADS, rows, D, requires_grad=True) for rows in (2 * n - 1, 1, 1))

    def ours(q, k, v):
        bias = D**-0.5 * ((w - u) @ r.mT)[:, 0]
        return fast_attention(q + u, k, v, Terms(bias=bias, key_vectors=Vectors(r), causal=True))

    return ours, [r, u, w]


@one_thread()
def least_ratio(name, n, most, capsys, learning=False):
    """The best ratio of the least times, over attempts that end when it is within the bound; disturbances only add."""
    torch.manual_seed(0)
    limit, ours, learned = ways(name, n)
    inputs = [torch.randn(1, HEADS, n, D, requires_grad=True) for _ in range(3)]

    def step(way, *more):
        return lambda: gradients(way(*inputs), [*inputs, *more]) if learning else way(*inputs)

    best = float("inf")
    with torch.set_grad_enabled(learning):
        for _ in range(ATTEMPTS):
            times = interleaved({"limit": step(limit), "ours": step(ours, *learned)}, ROUNDS)
            best = min(best, min(times["ours"]) / min(times["limit"]))
            if best < most:
                break
    with capsys.disabled():
        print(f"\n{name}{', learning' * learning}, n = {n}: {best:.2f} times the limit, at most {most}", end=" ")
    return best


@pytest.mark.parametrize("name", TIMED)
def test_beside_attention_without_position(name, capsys):
    most = TIMED[name][2]
    assert least_ratio(name, 2048, most, capsys) < most


def test_learning_a_bias(capsys):
    assert least_ratio("t5", 1024, LEARNING_T5, capsys, learning=True) < LEARNING_T5
