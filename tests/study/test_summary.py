"""Means and intervals over seeds."""

import math

import pytest

import course_study as study
from course_study.summary import T95

from .common import result


def student(t, freedom):
    """The probability between −t and t: Student's density, integrated by Simpson's rule."""
    factor = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    steps = 20000
    values = [factor * (1 + (t * k / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for k in range(steps + 1)]
    return 2 * t / steps / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])


@pytest.mark.parametrize(("freedom", "t"), list(enumerate(T95, 1)))
def test_the_table_of_t_is_that_of_student(freedom, t):
    assert student(t - 0.0005, freedom) < 0.95 < student(t + 0.0006, freedom)


def test_an_interval_by_hand():
    mean, low, high = study.interval([1.0, 2.0, 3.0])  # s = 1
    assert mean == 2.0 and high - mean == pytest.approx(4.303 / math.sqrt(3)) == mean - low
    assert study.interval([5.0, 5.0]) == (5.0, 5.0, 5.0)
    assert study.interval([0.0, 2.0]).high == pytest.approx(1 + 12.706)


def test_curves_have_an_interval_for_every_test_length():
    rows = [result(scheme, seed, loss=[1.0 + seed, 2.0, 3.0, 4.0]) for scheme in ("rope", "none") for seed in range(2)]
    found = study.curves(rows)
    assert list(found) == ["copy-back"] and list(found["copy-back"]) == ["rope", "none"]
    assert [part.mean for part in found["copy-back"]["none"]] == [1.5, 2.0, 3.0, 4.0]
    assert study.curves(rows, "accuracy")["copy-back"]["rope"][0] == (0.5, 0.5, 0.5)


def test_the_table_has_a_line_for_every_scheme_and_a_part_for_every_task():
    rows = [result("rope", seed, loss=[1.0 + seed, 2.0, 3.0, 4.0]) for seed in range(3)]
    rows.append(result("none", loss=[0.25, 2.0, 3.0, 4.0]))
    rows.append(result("none", task="flip-flop"))
    assert [line.split() for line in study.table(rows).splitlines()] == [
        ["copy-back,", "loss", "at", "8", "16", "32", "64"],
        ["rope", "2.000", "±", "2.484", "2.000", "±", "0.000", "3.000", "±", "0.000", "4.000", "±", "0.000"],
        ["none", "0.250", "2.000", "3.000", "4.000"],
        [],
        ["flip-flop,", "loss", "at", "8", "16", "32", "64"],
        ["none", "1.000", "1.000", "1.000", "1.000"],
    ]
    assert study.table([]) == ""
    eleven = [result(seed=seed) for seed in range(11)]
    assert "±" not in study.table(eleven)


def test_a_verdict_is_decided_by_the_interval_and_not_by_the_mean():
    words = {
        (0.0, 0.0, 0.0): "level",
        (-0.3, -0.2, -0.4): "level",
        (0.02, 0.03, 0.025): "level",  # it surely rises, and by less than the bound
        (0.1, 0.1, 0.101): "rises",
        (0.3, 0.3, 0.301): "breaks",
        (0.0, 0.0, 0.1): "open",  # the mean is 0.03, but the seeds differ
        (0.2, 1.5, 0.6): "open",  # the mean is 0.77, and nothing is sure
    }
    for rises, word in words.items():
        rows = [result("rope", seed, loss=[1.0, 5.0, 5.0, 1.0 + rise]) for seed, rise in enumerate(rises)]
        assert study.verdict(study.rise(rows)) == word, rises
    assert study.rise(rows).mean == pytest.approx(2.3 / 3)
