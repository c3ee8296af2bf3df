"""One of every kind of picture: whatever holds for all of them is tested on these, here and in a browser."""

import numpy as np

from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import attention, scores
from course_lib.reference.bias import decay_bias
from course_lib.reference.rope import rotate
from course_tasks import comparison, guide, questions

BIAS = decay_bias(5)
WEIGHTS = attention(Q, K, V, bias=BIAS)[1]
DECIDED = {
    "What is attended?": "text, left to right",
    "How long are the texts (or windows)?": "longer than in training",
}
CURVES = {
    "copy-back": {"none": [(2.1, 2.0, 2.2), (2.5, 2.4, 2.6)], "<rope>": [(0, 0, 0), (0.04, -0.01, 0.09)]},
    "flip-flop": {"none": [(0.4, 0.4, 0.4), (0.6, 0.5, 0.7)]},
}
OPTIONS = {"`gains`": "its factor lies above the mean", "loses": "its factor lies below the mean"}
# A model's heads: each looks back a distance of its own, and leaves a part of its weight to token 0.
REACH = 0.5 + np.arange(270).reshape(30, 9, 1) * 37 % 101
SINK = np.arange(270).reshape(30, 9, 1) * 53 % 89 / 100
NEAR = np.exp(-abs(np.arange(512) - 1) / REACH)
SHARES = (1 - SINK) * NEAR / NEAR.sum(-1, keepdims=True) + SINK / 512
HEADS = {"previous token": SHARES[..., 1], "sink": SINK[..., 0], "nats lost": 0.2 * SHARES[..., 1] - 0.01}, SHARES
# A query, and a key whose pairs agree with it one token away, but for one slow pair that is large.
QUERY, SPEEDS = np.cos(np.arange(64.0)) * 3, frequencies(64, 1e5)
PAIRS = QUERY, rotate(QUERY[None], past=1, speeds=-SPEEDS)[0] - 9 * (np.arange(64) % 32 == 25), SPEEDS


def make_pictures():
    return {
        "attention block": figures.attention_block("Shaw"),
        "weights": figures.heatmap(WEIGHTS, alt="weights"),
        "masked": figures.heatmap(np.where(np.tri(5) > 0, scores(Q, K), -np.inf), alt="masked", title="Masked"),
        "strong": figures.heatmap(np.linspace(-9, 9, 24).reshape(2, 12), alt="all signed colours"),
        "wide": figures.heatmap(np.linspace(-1, 1, 400).reshape(20, 20), alt="wide", digits=6),
        "bias": figures.bias_heatmap(),
        "large bias": figures.bias_heatmap(16, 2, "quadratic", title="A large bias"),
        "explorer": figures.attention_explorer(Q, K, query=2),
        "buckets": figures.bucket_explorer(),
        "causal buckets": figures.bucket_explorer(64, 512, False, query=24, n=25),
        "slopes": figures.alibi_slopes(),
        "many slopes": figures.alibi_slopes(20, "formula"),
        "rotation": figures.rope_rotation(),
        "rotation of eight pairs": figures.rope_rotation(range(16), [1] * 16, query=64, key=0, base=100),
        "clocks": figures.rope_clocks(),
        "sixteen channels as clocks": figures.rope_clocks([0, 1, 4, 9, 16, 44], d=16, base=100),
        "clip": figures.clip_grid(),
        "large clip": figures.clip_grid(12, 8, TOKENS),
        "claims": questions.claims("diagonals"),
        "comparison": comparison.picture(comparison.table()),
        "curves": figures.length_curves((64, 128), CURVES, trained=64),
        "guide": guide.picture(),
        "guide with answers": guide.picture(DECIDED),
        "decoding": figures.decoding_step(),
        "long decoding": figures.decoding_step("RoPE", 6, [f"w{i}" for i in range(8)]),
        "seen": figures.seen_pairs(),
        "seen corners": figures.seen_pairs(512, 1024, "relative"),
        "shifted windows": figures.shifted_windows(),
        "small shifted windows": figures.shifted_windows(2, 1),
        "skew": figures.provenance("skew"),
        "general skew": figures.provenance("general"),
        "relative shift": figures.provenance("shift"),
        "heads": figures.map_of_heads(*HEADS),
        "pairs": figures.pair_view(*PAIRS),
        "two pairs": figures.pair_view([1, 2, 3, 4], [4, 3, 2, 1], [1, 0], (0, 5), title="Two pairs"),
        "short table": figures.provenance("general", n_q=4, longest=4),
        "trace": figures.trace(attention, Q, K, V, bias=BIAS, tokens=TOKENS),
        "question": figures.question("Does `sat` gain?", OPTIONS, answer="loses"),
        "quiz": questions.quiz(),
        "short quiz": questions.quiz("rope", title="RoPE"),
        "window": figures.window_index(),
        "large window": figures.window_index(4, 9),
        "map": figures.map_of_schemes(),
        "row": figures.side_by_side(figures.heatmap(Q, alt="Q"), figures.heatmap(K, alt="K")),
    }
