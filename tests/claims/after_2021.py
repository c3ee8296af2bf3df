"""What decides the questions of `quiz.after_2021`: functions with their names, as `decides` of test_quiz takes them."""

import math

import numpy as np

from course_lib import study
from course_lib.reference import axial_rope, sliding_window
from course_lib.reference.absolute import frequencies
from course_lib.reference.alibi import alibi_bias
from course_lib.reference.attention import softmax
from course_lib.reference.fire import shares
from course_lib.reference.fox import fox_bias
from course_lib.reference.grid import offsets
from course_lib.reference.rope import rotate
from course_lib.reference.sink import sink_positions, softmax_with_sink
from course_lib.reference.speeds import dynamic_ntk, turns
from course_lib.study.data import KEYS
from course_tasks.measured import STUDY

rng = np.random.default_rng(0)


def closed_pairs():
    made = turns(frequencies(16), 1024)
    assert np.sum(made < 1) == 3 and f"{made[4]:.1f}" == "1.6" and f"{made[5]:.1f}" == "0.5"
    return str(np.sum(made >= 1))


def cached_angles():
    x, query, trained = rng.normal(size=(200, 16)), rng.normal(size=(1, 16)), 128

    def speeds(n):
        return dynamic_ntk(frequencies(16), n, trained)

    on_arrival = np.concatenate([rotate(x[p : p + 1], past=p, speeds=speeds(p + 1)) for p in range(200)])
    turned = rotate(query, past=199, speeds=speeds(200))[0]
    wrong = ~np.isclose(on_arrival @ turned, rotate(x, speeds=speeds(200)) @ turned)
    assert not wrong[0]  # every angle is 0 there
    assert wrong.any()
    return "Those with earlier keys" if wrong[1:-1].all() and not wrong[-1] else "Only that"


def same_offset():
    q, k = rng.normal(size=(2, 16))
    place, how = axial_rope.grid_positions(7, 10), axial_rope.axial(16)
    score = axial_rope.rotate(np.tile(q, (70, 1)), place, *how) @ axial_rope.rotate(np.tile(k, (70, 1)), place, *how).T
    (same,) = (pair for pair in [(19, 30), (23, 12), (12, 21), (45, 56)] if np.isclose(score[pair], score[12, 23]))
    assert place[30].tolist() == [3, 0] and (place[30] - place[19]).tolist() == [2, -9] and 30 - 19 == 23 - 12
    assert (place[21] - place[12]).tolist() == [1, -1]
    return f"{same[0]} → {same[1]}"


def after_picture():
    positions = axial_rope.text_positions([3, (4, 6), 1])
    picture = positions[3:-1]
    assert len(positions) - 1 == 27 and set(picture[:, 0]) == {3} and picture.max(axis=0).tolist() == [3, 6, 8]
    (position,) = set(positions[-1].tolist())
    return str(position)


def lead():
    def weight(n, ahead):
        return softmax(np.r_[ahead, np.zeros(n - 1)])[0]

    needed = 4 + math.log(4095 / 63)
    assert np.isclose(weight(4096, needed), weight(64, 4)) and f"{weight(4096, 4):.2f}" == "0.01"
    return f"About {needed:.1f}"


def sink_share():
    s = np.log([1, 2, 5])
    assert np.isclose(softmax_with_sink(np.zeros(3), 0.0).sum(), 3 / 4)
    return {0.5: "One half", 0.75: "Three quarters", 1.0: "All of it"}[round(softmax_with_sink(s, np.log(8)).sum(), 9)]


def renumbered():
    tokens, places = sink_positions(1000, first=4, w=12)
    assert len(tokens) == 16 and tokens[0] - tokens[-1] == -999
    return str(places[0] - places[-1]).replace("-", "−")


def _rows(task, scheme):
    return study.pick(study.committed(STUDY), task=task, scheme=scheme)


def far_value():
    rows = _rows("retrieval", "window-64")
    assert sliding_window.reach(2, 64) == 126 < 1024 - 4 * KEYS and sliding_window.reach(1, 64) == 63
    assert study.verdict(study.rise(_rows("characters", "window-64"))) == "level"
    near, far = (np.array([row["accuracy"][at] for row in rows]) for at in (0, 3))
    assert KEYS == 8 and abs(near - 0.5).max() < 0.1
    return "One time in eight" if abs(far - 1 / 8).max() < 0.05 else "About half"


def level_masked():
    schemes = {row["scheme"] for row in study.committed(STUDY) if row["task"] == "characters" and row["seed"] == 1}
    level = {scheme for scheme in schemes if study.verdict(study.rise(_rows("characters", scheme))) == "level"}
    assert level >= {"alibi", "t5-64", "fox", "window-64"}  # a bias, a forgetting, and one with a window
    lost = {s: np.mean([row["far_masked"][3] - row["loss"][3] for row in _rows("characters", s)]) for s in level}
    losing = [scheme for scheme in level if lost[scheme] > 0.01]
    return "None" if not losing else "All" if len(losing) == len(level) else "About half"


def halved_speeds():
    speeds, query = frequencies(64, 100_000.0), np.ones((1, 64))
    key = rotate(query, past=1, speeds=speeds)[0]

    def looks_at(speeds):
        return int(np.argmax([rotate(query, past=distance, speeds=speeds)[0] @ key for distance in range(40)]))

    assert looks_at(speeds) == 1
    return {0: "At its own token", 1: "Still at the token before", 2: "Two tokens back"}[looks_at(speeds / 2)]


def fire_row():
    share = shares(201, c=0.1, threshold=64)
    assert len(set(share[offsets(201) == -10].round(12))) > 100  # no row of offsets
    pairs = [(100, 200), (30, 60), (60, 90)]
    ((one, other),) = ((a, b) for a, b in pairs if share[a, a - 10] == share[b, b - 10])
    return f"Queries {one} and {other}"


def constant_gate():
    bias, past = fox_bias(np.full(9, 0.5)), np.tril(np.ones((9, 9), bool))
    names = {"1/2": 1 / 2, "2": 2, "ln 2": np.log(2)}
    (slope,) = (name for name, m in names.items() if np.allclose(bias[past], (m * offsets(9))[past]))
    assert np.allclose(alibi_bias(9, n_heads=1)[0] / 2.0**-8, -abs(offsets(9)))  # ALiBi's form, with another slope
    return f"The one with slope {slope}"
