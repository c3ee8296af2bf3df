"""One of every kind of picture: whatever holds for all of them is tested on these, here and in a browser."""

import numpy as np

from course_chapters import questions
from course_chapters.which_one import comparison, guide
from course_kit import figures
from course_lib.checkup.check import VERDICTS, Check, Report
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import attention, scores
from course_lib.reference.bias import decay_bias
from course_lib.reference.rope import rotate

BIAS = decay_bias(5)
WEIGHTS = attention(Q, K, V, bias=BIAS)[1]
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
# Three layers with two heads: all see 40 keys, a window of 8, and no positions. A check-up of them.
CURVES = [-np.arange(40.0) * [[0.1], [0.5]], -np.arange(8.0) * [[0.2], [0.3]], np.zeros((2, 40))]
FOUND = [Check(verdict, "a sentence", 0.25, 0.05, "a check", "the scheme", "rope: The algebra") for verdict in VERDICTS]
REPORT = Report("A model", FOUND, ["The file says: RoPE."], CURVES, [(100, FOUND[0]), (200, FOUND[1])])


def make_pictures():
    return {
        "attention block": figures.attention_block("Shaw"),
        "weights": figures.heatmap(WEIGHTS, alt="weights"),
        "masked": figures.heatmap(np.where(np.tri(5) > 0, scores(Q, K), -np.inf), alt="masked", title="Masked"),
        "wide": figures.heatmap(np.linspace(-1, 1, 400).reshape(20, 20), alt="wide", digits=6),
        "bias": figures.bias_heatmap(),
        "large bias": figures.bias_heatmap(16),
        "explorer": figures.attention_explorer(Q, K, query=2),
        "buckets": figures.bucket_explorer(),
        "causal buckets": figures.bucket_explorer(query=20, direction="causal"),
        "learned table": figures.learned_table(6),
        "slopes": figures.alibi_slopes(),
        "rotation": figures.rope_rotation(),
        "clocks": figures.rope_clocks([0, 1, 4, 9, 16, 44], d=16),
        "clip": figures.clip_grid(),
        "large clip": figures.clip_grid(tokens=8, clip=6),
        "claims": questions.claims("transformer_xl"),
        "comparison": comparison.picture(),
        "guide": guide.ask(),
        "decoding": figures.decoding_step(),
        "seen": figures.seen_pairs(),
        "shifted windows": figures.shifted_windows(),
        "skew": figures.provenance("skew"),
        "relative shift": figures.provenance("shift"),
        "heads": figures.map_of_heads(*HEADS),
        "pairs": figures.pair_view(*PAIRS, [0, 1, 2, 3, 16, 64]),
        "two pairs": figures.pair_view([1, 2, 3, 4], [4, 3, 2, 1], [1, 0], (0, 5), title="Two pairs"),
        "curves": figures.position_curves(CURVES, layers=(0, 5, 7)),
        "gaps": figures.gap_curve(REPORT.gaps),
        "checkup": figures.checkup_report(REPORT),
        "trace": figures.trace(attention, Q, K, V, bias=BIAS, tokens=TOKENS),
        "question": figures.question("Does `sat` gain?", OPTIONS, answer="loses"),
        "quiz": questions.quiz(),
        "window": figures.window_index(),
        "large window": figures.window_index(window=4, query=(9,)),
        "map": figures.map_of_schemes(),
        "row": figures.side_by_side(figures.heatmap(Q, alt="Q"), figures.heatmap(K, alt="K")),
    }


PICTURES = make_pictures()
