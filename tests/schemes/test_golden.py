"""The worked examples, number by number: what the lessons print must be what the library computes."""

import json
from pathlib import Path

import numpy as np

from course_lib.example import LAMBDA, K, Q, V
from course_lib.nn.absolute import Learned
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.reference import attention, bias, grid, shaw, t5

GOLDEN = json.loads((Path(__file__).parent / "data" / "golden.json").read_text(encoding="utf-8"))
LOG_BIAS = bias.decay_bias(5, strength=LAMBDA)


def expect(id, computed):
    """`computed` rounds to the printed values: at most half a unit of their last digit away."""
    item = GOLDEN[id]
    printed, computed = np.asarray(item["values"], float), np.asarray(computed, float)
    assert computed.shape == printed.shape
    assert np.abs(computed - printed).max() <= 0.5 * 10.0 ** -item.get("decimals", 12) + 1e-12


def test_five_tokens_scores():
    expect("five_tokens.raw", attention.scores(Q, K, scale=1.0))
    expect("five_tokens.scaled", attention.scores(Q, K))


def test_five_tokens_bias():
    d = np.arange(5)
    expect("five_tokens.distance_table", np.stack([d, np.log1p(d), bias.decay_row(d, strength=LAMBDA)], axis=1))
    expect("five_tokens.bias", LOG_BIAS)
    expect("five_tokens.biased", attention.scores(Q, K) + LOG_BIAS)


def test_five_tokens_attention():
    output, weights = attention.attention(Q, K, V)
    output_biased, weights_biased = attention.attention(Q, K, V, bias=LOG_BIAS)
    expect("five_tokens.weights", weights)
    expect("five_tokens.weights_biased", weights_biased)
    expect("five_tokens.difference", weights_biased - weights)
    expect("five_tokens.output", output)
    expect("five_tokens.output_biased", output_biased)


def test_five_tokens_other_decays():
    lambdas = [row[0] for row in GOLDEN["five_tokens.lambdas"]["values"]]
    rows = [attention.attention(Q, K, V, bias=bias.decay_bias(5, strength=strength))[1][0] for strength in lambdas]
    expect("five_tokens.lambdas", np.column_stack([lambdas, rows]))
    linear = bias.decay_bias(5, strength=LAMBDA, decay="linear")
    expect("five_tokens.linear", attention.attention(Q, K, V, bias=linear)[1])
    asymmetric = bias.decay_bias(5, strength=0.1, forward_strength=0.6)
    expect("five_tokens.asymmetric", attention.attention(Q, K, V, bias=asymmetric)[1])


def test_t5_buckets():
    d = np.array([row[0] for row in GOLDEN["t5.buckets"]["values"]])
    expect("t5.buckets", np.stack([d, t5.bucket(-d), t5.bucket(d), t5.bucket(-d, bidirectional=False)], axis=1))
    for number, first, last in GOLDEN["t5.ranges"]["values"]:
        d = np.arange(301)[t5.bucket(-np.arange(301)) == number]
        assert (d[0], d[-1]) == (first, 300 if last is None else last)


def test_shaw_clipping():
    r = grid.offsets(10)[5]
    expect("shaw.clip", np.stack([np.arange(10), r, shaw.clip_index(r, 4) - 4], axis=1))


def test_shaw_six_tokens():
    x = np.random.RandomState(42).randn(6, 8)
    weight = np.random.RandomState(123)
    w_q, w_k, w_v = (weight.randn(8, 4) * np.sqrt(2 / 12) for _ in range(3))
    table = np.random.RandomState(123).randn(7, 4) * np.sqrt(2 / 11)  # the example draws its table from the same seed
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = shaw.shaw_attention(q, k, v, key_table=table)[1]
    expect("shaw.weights", weights)
    expect("shaw.content", attention.scores(q, k))
    expect("shaw.position", shaw.key_term(q, table) / 2)
    pairs = 6 - abs(grid.row_offsets(6))
    expect("shaw.profile", grid.from_grid(weights)[0] / pairs)


def test_parameters():
    xl = TransformerXL(512, 8)
    learned = {
        "t5 12 heads": T5Bias(12).parameters(),
        "t5 8 heads": T5Bias(8).parameters(),
        "t5 32 heads": T5Bias(32).parameters(),
        "shaw clip 16, d 32, shared": ShawVectors(8, 32, 16, shared=True).parameters(),
        "shaw clip 64, d 64, one head": ShawVectors(1, 64, 64).parameters(),
        "shaw clip 16, d 64, shared": ShawVectors(32, 64, 16, shared=True).parameters(),
        "shaw clip 16, d 64, 32 heads": ShawVectors(32, 64, 16).parameters(),
        "xl u and v, d_model 512": [xl.u, xl.v],
        "xl W_r, d_model 512": xl.relative.parameters(),
        "learned 512 x 768": Learned(512, 768).parameters(),
        "huang 512, one number": MusicTransformer(1, 1, 512, causal=False).parameters(),
    }
    assert {name: sum(p.numel() for p in ps) for name, ps in learned.items()} == GOLDEN["parameters"]["values"]
