"""The worked examples, number by number: what the lessons print must be what the library computes."""

import json
from pathlib import Path

import numpy as np

from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference import attention, grid, shaw, t5
from course_lib.reference.bias import decay_bias, decay_row

GOLDEN = json.loads((Path(__file__).parent / "data" / "golden.json").read_text(encoding="utf-8"))


def expect(example, **computed):
    """Each rounds to the printed values: at most half a unit of their last digit away."""
    for name, numbers in computed.items():
        item = GOLDEN[f"{example}.{name}"]
        tolerance = 0.5 * 10.0 ** -item.get("decimals", 12) + 1e-12
        np.testing.assert_allclose(numbers, item["values"], rtol=0, atol=tolerance, err_msg=name)


def test_five_tokens():
    def attended(**decay):
        return attention.attention(Q, K, V, bias=decay_bias(5, **decay))

    d, scaled, log_bias = np.arange(5), attention.scores(Q, K), decay_bias(5, strength=LAMBDA)
    (output, weights), (output_biased, weights_biased) = attention.attention(Q, K, V), attended(strength=LAMBDA)
    lambdas = [row[0] for row in GOLDEN["five_tokens.lambdas"]["values"]]
    expect(
        "five_tokens",
        raw=attention.scores(Q, K, scale=1.0),
        scaled=scaled,
        distance_table=np.column_stack([d, np.log1p(d), decay_row(d, strength=LAMBDA)]),
        bias=log_bias,
        biased=scaled + log_bias,
        weights=weights,
        weights_biased=weights_biased,
        difference=weights_biased - weights,
        output=output,
        output_biased=output_biased,
        lambdas=np.column_stack([lambdas, [attended(strength=strength)[1][0] for strength in lambdas]]),
        linear=attended(strength=LAMBDA, decay="linear")[1],
        asymmetric=attended(strength=0.1, forward_strength=0.6)[1],
    )


def test_t5_buckets():
    d = np.array([row[0] for row in GOLDEN["t5.buckets"]["values"]])
    expect("t5", buckets=np.column_stack([d, t5.bucket(-d), t5.bucket(d), t5.bucket(-d, bidirectional=False)]))
    for number, first, last in GOLDEN["t5.ranges"]["values"]:
        d = np.arange(301)[t5.bucket(-np.arange(301)) == number]
        assert (d[0], d[-1]) == (first, 300 if last is None else last)


def test_shaw_six_tokens():
    x = np.random.RandomState(42).randn(6, 8)
    weight = np.random.RandomState(123)
    q, k, v = (x @ (weight.randn(8, 4) * np.sqrt(2 / 12)) for _ in range(3))
    table = np.random.RandomState(123).randn(7, 4) * np.sqrt(2 / 11)  # the example draws its table from the same seed
    weights, r = shaw.shaw_attention(q, k, v, key_table=table)[1], grid.offsets(10)[5]
    expect(
        "shaw",
        clip=np.column_stack([range(10), r, shaw.clip_index(r, 4) - 4]),
        weights=weights,
        content=attention.scores(q, k),
        position=shaw.key_term(q, table) / 2,
        profile=grid.from_grid(weights)[0] / (6 - abs(grid.row_offsets(6))),
    )
