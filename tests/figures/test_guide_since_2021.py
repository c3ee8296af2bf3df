"""What the guide says of schemes of after 2021, and of their repairs, is what the committed runs say."""

import math
import re
from statistics import fmean

import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib import study
from course_lib.nn.attention import attention
from course_lib.nn.terms import Terms
from course_lib.study import verdict
from course_tasks.comparison.beyond_training import runs
from course_tasks.measured import committed, each, mean, rise

from .test_decision_guide import ASKED, CAVEAT, CELLS, EXACT, FIND, LENGTHS, LONGER, NEAREST, WEIGHTS, why


def said(question, answer, scheme):
    """The numbers with two decimals in a reason."""
    return re.findall(r"\d\.\d\d", why(question, answer, scheme))


def repaired(repair, test, further=0, at=128):
    """The loss of a repaired model in text, as the guide writes it."""
    rows = study.pick(study.committed("repairs"), task="characters", repair=repair, further=further, at=at)
    return f"{fmean(row['loss'][test] for row in rows):.2f}"


def test_the_means_are_those_of_the_study():
    for task in ("characters", "copy-back"):
        for what in ("loss", "accuracy"):
            found = study.curves(runs("fox", task), what)[task]["fox"]
            assert [mean("fox", task, test, what) for test in range(4)] == [point.mean for point in found]
    assert math.isclose(rise("rope", "characters"), study.rise(runs("rope")).mean)
    assert each("rope", "characters", 3) == [row["loss"][3] for row in runs("rope")]


def test_without_positions_small_models_were_last_in_text_and_copying():
    assert "small models here were last in text and copying" in why(ASKED, "text, left to right", "none")
    for task in ("characters", "copy-back"):
        found = {row["scheme"] for row in committed() if row["task"] == task}
        assert max(found, key=lambda run: mean(run, task, 0)) == "none"


def test_fire_s_rise_is_said_with_its_seeds():
    rows = runs("fire")
    lost = fmean(row["loss"][3] - row["loss"][0] for row in rows)
    assert said(LENGTHS, LONGER, "FIRE") == [f"{lost:.2f}"] and f"({len(rows)} seed" in why(LENGTHS, LONGER, "FIRE")
    masked = fmean(row["far_masked"][3] - row["loss"][0] for row in rows if row.get("far_masked"))
    assert 0.9 * lost < masked < lost and "nearly as much with far keys masked" in why(LENGTHS, LONGER, "FIRE")
    assert lost > study.LEVEL and CELLS[LENGTHS, LONGER, "FIRE"].verdict == CAVEAT


def test_a_repair_is_said_beside_its_control_and_what_was_before():
    further = {"further": 60, "at": 1024}
    far, control = (repaired(name, 3, **further) for name in ("YaRN's code", "as trained"))
    near, before = repaired("YaRN's code", 0, **further), repaired("as trained", 0)
    assert said(LENGTHS, LONGER, "stretched RoPE") == [far, control, before, near]
    assert far < control and near > before
    for scheme, repair in {"stretched RoPE": "YaRN's code", "sliding window": "window"}.items():
        numbers = [repaired("as trained", 3), repaired(repair, 3)]
        assert said(WEIGHTS, "from Llama, GPT-NeoX", scheme) == numbers and numbers[0] > numbers[1]


def test_which_repair_goes_on_copying():
    copies = {
        name: study.pick(study.committed("repairs"), task="copy-back", repair=name, further=0)
        for name in ("YaRN's code", "interpolated")
    }
    assert min(min(row["accuracy"]) for row in copies["YaRN's code"]) > 0.9999
    assert max(max(row["accuracy"]) for row in copies["interpolated"]) < 0.1
    words = why(FIND, EXACT, "stretched RoPE")
    assert "without error after YaRN's code, at every length" in words and "After interpolation they could not" in words


def test_what_fox_finds():
    assert min(min(row["accuracy"]) for row in runs("fox", "copy-back")) > 0.99
    assert "nearly all copies right, at every length" in why(FIND, EXACT, "FoX")
    assert min(min(row["accuracy"]) for row in runs("fox", "flip-flop")) > 0.9999
    assert "got all right, at every length" in why(FIND, NEAREST, "FoX")


def test_which_windows_find_the_last_write():
    assert min(min(row["accuracy"]) for row in runs("window-64", "flip-flop")) > 0.98
    assert "nearly all right, at every length" in why(FIND, NEAREST, "sliding window")
    reads = [row["accuracy"] for row in runs("window-64+none", "flip-flop")]
    assert said(FIND, NEAREST, "hybrid") == [f"{fmean(read[test] for read in reads):.2f}" for test in (0, 3)]
    assert study.verdict(study.rise(runs("window-64+none", "flip-flop"))) == "open"
    assert "Seeds differ" in why(FIND, NEAREST, "hybrid")


def test_a_hybrid_needs_its_window():
    assert verdict(study.rise(runs("window-64+none"))) == "level"
    longer = study.pick(study.committed("long-4000"), task="characters", scheme="window-64+none")
    assert verdict(study.rise(longer)) == "rises"
    assert "after 4,000 their loss in text rises" in why(LENGTHS, LONGER, "hybrid")
    assert verdict(study.rise(runs("rope+none"))) == "breaks"
    assert "With RoPE but without its window they broke" in why(LENGTHS, LONGER, "hybrid")


def test_fox_and_a_sink_fit_into_one_more_channel():
    """The rules for a kernel without a bias, by hand: a number per key, and a key with value 0."""
    q, k, v = torch.randn(3, 2, 4, 6, 8, dtype=torch.float64)
    f, a, scale = torch.randn(2, 4, 6, dtype=torch.float64), torch.randn(4, dtype=torch.float64), 8**-0.5
    longer_q = torch.cat([q, torch.full((2, 4, 6, 1), 1 / scale, dtype=q.dtype)], -1)
    longer_k = torch.cat([k, f[..., None]], -1)
    by_channel = scaled_dot_product_attention(longer_q, longer_k, v, is_causal=True, scale=scale)
    assert torch.allclose(by_channel, attention(q, k, v, Terms(key_bias=f, causal=True))[0])
    sink_key = torch.zeros(2, 4, 1, 9, dtype=q.dtype)
    sink_key[..., 8] = a[:, None]
    keys = torch.cat([torch.cat([k, torch.zeros_like(k[..., :1])], -1), sink_key], -2)
    values = torch.cat([v, torch.zeros_like(v[..., :1, :])], -2)
    with_sink = scaled_dot_product_attention(longer_q, keys, values, scale=scale)
    assert torch.allclose(with_sink, attention(q, k, v, Terms(sink=a))[0])
