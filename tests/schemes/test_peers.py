"""Numbers that the tests of other projects expect, which ours must equal once their convention is translated.

`data/peers.json` has the numbers, each with its project, file, test, revision and licence: facts only, no code.
They are compared with the NumPy reference, which every torch twin equals by tests of its own.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from course_lib.nn import rope as nn_rope
from course_lib.nn.attention import attention
from course_lib.nn.terms import Terms
from course_lib.reference import alibi, grid, rope, shaw, speeds, t5
from course_lib.reference import music_transformer as music
from course_lib.reference import transformer_xl as xl
from course_lib.reference.absolute import frequencies, sinusoidal
from course_lib.reference.attention import causal_mask
from course_lib.reference.sliding_window import window_mask

FILES = json.loads((Path(__file__).parent / "data" / "peers.json").read_text(encoding="utf-8"))["files"]
NUMBERS = {f"{file['project']}: {name}": item for file in FILES for name, item in file["numbers"].items()}


def given(name):
    """What the peer's test gives to its function."""
    return np.array(NUMBERS[name]["input"], float)


def drawn(*shape, before=()):
    """What torch draws with seed 0, after tensors of the shapes `before`."""
    torch.manual_seed(0)
    for earlier in before:
        torch.randn(*earlier)
    return torch.randn(*shape)


def halves(sinusoids):
    """All sines, then all cosines, where ours alternate."""
    return np.concatenate([sinusoids[..., ::2], sinusoids[..., 1::2]], -1)


def to_1e_4(first, n, d):
    """tensor2tensor's sinusoids of n positions: in halves, and with speeds from 1 to 10⁻⁴, both included."""
    theta = 10000.0 ** (-np.arange(d // 2) / (d // 2 - 1))
    unit = np.tile(np.repeat([1.0, 0.0], d // 2), (n, 1))  # turned, it is (cos, sin)
    return np.roll(rope.rotate(unit, past=first, speeds=theta), d // 2, -1)


def cos_sin(theta):
    return np.stack([np.cos(theta), np.sin(theta)], -1)


def mean_sum_max(x):
    return [x.double().mean(), x.double().sum(), x.max()]


def fairseq_rows():
    return drawn(1, 1, 3, 5, before=[(3, 1, 2)])[0, 0]


def long_text():
    """torchtune's input, (batch, n, heads, d) there and (batch, heads, n, d) here."""
    return drawn(4, 2048, 32, 128).transpose(1, 2)


# --- the comparisons ----------------------------------------------------------------------------------------------


THETA, ONE_TO_64 = frequencies(128), np.arange(1, 65)
LLAMA_3 = speeds.llama3(THETA, 8, 8192)
LONGROPE = {"short": [2] * 64, "long": ONE_TO_64}
ROWS = np.arange(1024).reshape(16, 64) / 100
TWO_TEXTS = [[0, 1], [1, 0]]
HALF_SPLIT, ALTERNATING = rope.to_half_split(6), rope.to_interleaved(6)
R = np.arange(-20, 21)
CAUSAL = {"bidirectional": False}

# fmt: off
OURS = [
    # Llama 2 of transformers: d = 128, stretched from 2,048 tokens by 10. Linear and LongRoPE divide `default`.
    ("transformers: default", lambda: THETA),
    ("transformers: default", lambda: 10 * speeds.interpolated(THETA, 10)),
    ("transformers: default", lambda: speeds.dynamic_ntk(THETA, 2048, 2048, strength=10)),
    ("transformers: default", lambda: 2 * speeds.longrope(THETA, 2048, 2048, **LONGROPE)),
    ("transformers: default", lambda: ONE_TO_64 * speeds.longrope(THETA, 2049, 2048, **LONGROPE)),
    ("transformers: dynamic", lambda: speeds.dynamic_ntk(THETA, 16384, 2048, strength=10)),
    ("transformers: yarn", lambda: speeds.yarn(128, 10, 2048)),
    ("transformers: llama3", lambda: speeds.llama3(THETA, 10, 2048)),
    # RoFormer of transformers: sinusoids in halves, but RoPE turns neighbouring channels.
    ("transformers: sinusoids of 6", lambda: halves(sinusoidal([0, 1], 6))),
    ("transformers: sinusoids of 512", lambda: halves(sinusoidal([0, 1, 2], 512))[:, :5]),
    ("transformers: queries", lambda: rope.rotate(ROWS, interleaved=True)[:6, :8]),
    # torchtune: heads come after the length; RoPE turns neighbouring channels, except for Phi-3. Its angles are
    # float32, ours float64, which moves a sum of 33 million numbers by 0.1 of about 5,800, the size of such a sum.
    ("torchtune: mean, sum, max", lambda: mean_sum_max(nn_rope.rotate(long_text(), interleaved=True))),
    ("torchtune: Llama 3: mean, sum, max",
     lambda: mean_sum_max(nn_rope.rotate(long_text(), interleaved=True, speeds=LLAMA_3))),
    ("torchtune: Llama 3: mean, sum of cos and sin",
     lambda: mean_sum_max(torch.tensor(cos_sin(np.arange(4096)[:, None] * LLAMA_3)))[:2]),
    ("torchtune: Phi-3: sum", lambda: nn_rope.rotate(drawn(4, 60, 32, 96).transpose(1, 2)).double().sum()),
    ("torchtune: Phi-3: sum", lambda: rope.rotate(drawn(4, 60, 32, 96).transpose(1, 2).numpy()).sum()),
    # keras-hub: a bias for the last query only; its alibi_bias_max is the exponent of the last slope, 8 for us.
    ("keras-hub: 8 heads", lambda: alibi.alibi_bias(1, 3, n_heads=8, past=2)[:, 0]),
    ("keras-hub: 14 heads", lambda: alibi.alibi_bias(1, 3, n_heads=14, past=2)[:, 0]),
    ("keras-hub: 2 heads to 2^-12", lambda: alibi.slopes(2)[:, None] ** (12 / 8) * [-2, -1, 0]),
    ("keras-hub: 3 heads to 2^-6", lambda: alibi.slopes(3)[:, None] ** (6 / 8) * [-2, -1, 0]),
    ("keras-hub: position 3", lambda: rope.rotate(np.ones((4, 6)))[3]),
    ("keras-hub: positions 0 and 1", lambda: rope.rotate(np.random.default_rng(0).standard_normal((4, 16))[2:])),
    ("keras-hub: stretched by 2", lambda: rope.rotate(np.ones((3, 4)), speeds=speeds.interpolated(frequencies(4), 2))),
    ("keras-hub: stretched by 5",
     lambda: rope.rotate(np.ones((1, 4)), past=12, speeds=speeds.interpolated(frequencies(4), 5))),
    ("keras-hub: sinusoids of 0 and 3", lambda: sinusoidal([0, 3], 6)),
    ("keras-hub: sinusoids of two texts", lambda: sinusoidal(TWO_TEXTS, 4)),
    # OpenNMT-tf and CTranslate2: Shaw's rows as ours, from 0 for the earliest keys.
    ("OpenNMT-tf: clipped offsets", lambda: shaw.clip_index(grid.offsets(4), 2)),
    ("OpenNMT-tf: future mask", lambda: causal_mask(4)),
    ("CTranslate2: clipped offsets", lambda: shaw.clip_index(grid.offsets(4), 2)),
    ("CTranslate2: clipped offsets of the last query", lambda: shaw.clip_index(grid.offsets(1, 4, 3), 2)),
    # CTranslate2 adds the last query's row of ALiBi to all queries, which softmax cannot tell; with
    # use_positive_positions it adds the key form.
    ("CTranslate2: ALiBi of a query", lambda: alibi.alibi_bias(1, 5, n_heads=4, past=4)[:, 0]),
    ("CTranslate2: ALiBi of the keys", lambda: alibi.key_form(5, n_heads=4)[:, 0]),
    # Two tokens are in the cache. With interleave=false it expects the same numbers, in the order of `to_half_split`.
    ("CTranslate2: RoPE", lambda: rope.rotate(given("CTranslate2: RoPE"), past=2, interleaved=True)),
    ("CTranslate2: RoPE", lambda: rope.rotate(given("CTranslate2: RoPE")[..., HALF_SPLIT], past=2)[..., ALTERNATING]),
    # CTranslate2 and fairseq2 have tensor2tensor's sinusoids. In CTranslate2, the first token is at position 1.
    ("CTranslate2: 4 sinusoids", lambda: given("CTranslate2: 4 sinusoids") + to_1e_4(1, 1, 4)[0]),
    ("CTranslate2: 6 sinusoids", lambda: given("CTranslate2: 6 sinusoids") + to_1e_4(1, 1, 6)[0]),
    ("fairseq2: sinusoids of 1, 5, 9", lambda: to_1e_4(0, 10, 32)[[1, 5, 9]]),
    # fairseq's Conformer lists i − j from 3 down, so j − i ascends as in our rows.
    ("fairseq: sinusoids of 3 ... -3", lambda: sinusoidal(np.arange(3, -4, -1), 2)),
    ("fairseq: sinusoids of a text of 3", lambda: xl.position_keys(3, 3, np.eye(2))),
    ("fairseq: cos, sin", lambda: cos_sin(np.arange(3))),
    ("fairseq: RoPE", lambda: rope.rotate(drawn(3, 2).numpy())),
    ("fairseq: shift", lambda: grid.to_grid(fairseq_rows(), 3)),
    ("fairseq: shift", lambda: music.skew(fairseq_rows().numpy(), 3)),
    # trax: a text to its last token; what belongs to later keys is junk there, too.
    ("trax: shift", lambda: music.skew_causal(np.tile([-3.0, -2.0, -1.0, 0.0], (4, 1)))),
    ("trax: shift", lambda: xl.relative_shift(np.tile([-3.0, -2.0, -1.0, 0.0], (4, 1)))),
    # T5's buckets: all count them as we do. The tables of bias are (buckets, heads) for us, transposed in onnxruntime.
    ("tensorflow models: sinusoids of position 0", lambda: halves(sinusoidal(0, 8))),
    ("tensorflow models: buckets", lambda: t5.bucket(grid.offsets(3, 2))),
    ("tensorflow models: causal buckets", lambda: t5.bucket(grid.offsets(3, 2), **CAUSAL)),
    ("praxis: buckets", lambda: t5.bucket(given("praxis: buckets"), num_buckets=8, max_distance=8)),
    ("praxis: causal buckets",
     lambda: t5.bucket(given("praxis: causal buckets"), num_buckets=4, max_distance=8, **CAUSAL)),
    ("axlearn: 16 buckets to 20", lambda: t5.bucket(R, num_buckets=16, max_distance=20)),
    ("axlearn: 28 buckets to 15", lambda: t5.bucket(R, num_buckets=28, max_distance=15)),
    ("onnxruntime: bias", lambda: t5.t5_bias(2, table=given("onnxruntime: bias"))),
    ("onnxruntime: causal bias", lambda: t5.t5_bias(2, table=given("onnxruntime: causal bias"), **CAUSAL)),
    # onnxruntime and burn turn neighbouring channels. In onnxruntime, heads come after the length.
    ("onnxruntime: RoPE",
     lambda: rope.rotate(given("onnxruntime: RoPE").swapaxes(0, 1), interleaved=True).swapaxes(0, 1)),
    ("burn: RoPE", lambda: rope.rotate(np.arange(1, 17).reshape(2, 2, 4), interleaved=True)),
    ("burn: cos, sin", lambda: cos_sin(frequencies(8))),
    ("burn: Llama 3: cos, sin", lambda: cos_sin(speeds.llama3(frequencies(8), 8, 8192))),
    # tensor2tensor adds −10⁹ to what is hidden, which is 1 here, and counts the keys beside the query's own.
    ("tensor2tensor: window of one key", lambda: window_mask(5, w=1)),
    ("tensor2tensor: hidden from the last queries", lambda: ~causal_mask(4, 24, 16)),
]
# fmt: on


def test_no_number_is_left_out():
    assert {name for name, _ in OURS} | {"fairseq: attention with RoPE"} == set(NUMBERS)


@pytest.mark.parametrize(("name", "ours"), OURS, ids=[name for name, _ in OURS])
def test_number(name, ours):
    item, computed = NUMBERS[name], np.asarray(ours())
    assert computed.shape == np.shape(item["values"])
    np.testing.assert_allclose(computed, item["values"], rtol=item.get("rtol", 0), atol=item.get("atol", 0))


# --- known differences: what they compute, and why ours is another number -----------------------------------------


def test_fairseq_turns_the_input():
    """fairseq turns x, not W_q x and W_k x, so a score depends on more than the offset.

    A product of a matrix and a turn is not a turn of the product, so RoFormer's identity
    (R_i W_q x_i) · (R_j W_k x_j) = (W_q x_i) · (R_{j−i} W_k x_j) does not hold for W_q R_i x_i and W_k R_j x_j.
    """
    x = drawn(3, 1, 2).transpose(0, 1)
    query, key, value, out = (torch.nn.Linear(2, 2) for _ in range(4))  # drawn in this order after x

    def outputs(past):
        turned = nn_rope.rotate(x, past)
        before = attention(query(turned), key(turned), value(x), Terms())[0]
        q, k = nn_rope.rotate(query(x), past), nn_rope.rotate(key(x), past)
        return out(before).detach().numpy(), out(attention(q, k, value(x), Terms())[0]).detach().numpy()

    (theirs, ours), (theirs_later, ours_later) = outputs(0), outputs(7)
    item = NUMBERS["fairseq: attention with RoPE"]
    np.testing.assert_allclose(theirs[0], item["values"], rtol=0, atol=item["atol"])
    assert abs(ours - theirs).max() > 0.01 and abs(theirs_later - theirs).max() > 0.01
    np.testing.assert_allclose(ours_later, ours, rtol=0, atol=1e-6)


def test_wenet_does_not_shift():
    """wenet takes Transformer-XL's terms (b) and (d) with the sinusoid of the key's position, and leaves out the shift.

    The text is the same at every place here. Then wenet's position terms are the same for every query: they know where
    the key is, but not how far away. Ours are constant along the diagonals instead.
    wenet-e2e/wenet, revision 015469960db7, wenet/models/transformer/attention.py.
    """
    q = k = np.ones((5, 4))
    u, v, *weight = np.random.default_rng(0).normal(size=(6, 4))
    ours = xl.xl_scores(q, k, xl.position_keys(5, 5, weight), u, v)
    theirs = ((q + u) @ k.T + (q + v) @ (sinusoidal(range(5), 4) @ weight).T) / np.sqrt(4)
    assert np.ptp(theirs, 0).max() < 1e-12 < 0.1 < np.ptp(ours, 0).max()
    assert all(np.ptp(np.diagonal(ours, r)) < 1e-12 < np.ptp(np.diagonal(theirs, r)) for r in range(-3, 4))


def test_espnet_s_legacy_distances():
    """ESPnet's LegacyRelPositionalEncoding reads its table of the distances 4999 … 0 from the start, not at its end.

    So a text of n tokens gets R_{5000 − n + (i − j)} in place of R_{i−j}: right for 5,000 tokens, else another distance
    for each length. Its RelPositionalEncoding is ours. espnet/espnet, revision 029365d81725,
    espnet/nets/pytorch_backend/transformer/embedding.py.
    """
    table = sinusoidal(np.arange(4999, -1, -1), 4)
    for n in (1, 6, 4999, 5000):
        ours = xl.position_keys(n, n, np.eye(4))[:n]  # R_{n−1} … R_0: what comes before, and the query itself
        assert np.allclose(ours, table[-n:])
        assert np.allclose(ours, table[:n]) == (n == 5000)


def test_speechbrain_s_legacy_distances():
    """speechbrain's RelPosEncXL has R_{|i−j|} by default: a key d before the query and one d after it are the same.

    Its cosines are ours, and its sines of later keys have the other sign. With use_legacy_symmetric=False it is ours.
    speechbrain/speechbrain, revision 01f3d851876f, speechbrain/nnet/attention.py.
    """
    ours, r = xl.position_keys(6, 6, np.eye(4)), grid.row_offsets(6)
    theirs = sinusoidal(abs(r), 4)
    np.testing.assert_allclose(theirs[r <= 0], ours[r <= 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(theirs[r > 0] * [-1, 1, -1, 1], ours[r > 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(theirs, theirs[::-1], rtol=0, atol=0)
