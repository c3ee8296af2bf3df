"""A repair of one's own: measured as the committed rows were, refused in words, and kind where the model is missing."""

import math

import numpy as np
import pytest
import torch

from course_lib.reference.absolute import frequencies
from course_lib.released.recorded import Recorded
from course_study import own_repair
from course_study.released import rows

from ..released import conftest

file, model = conftest.file, conftest.model  # fixtures
SPEEDS = frequencies(64, base=100_000)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "all are None"),
        ({"speeds": SPEEDS[:31]}, r"speeds: got shape \(31,\), expected 32 finite numbers"),
        ({"speeds": np.where(SPEEDS > 0.5, np.nan, SPEEDS)}, "speeds: got nan"),
        ({"speeds": [[1], [2, 3]]}, "expected 32 finite"),
        ({"score_factor": [1, 2]}, "score_factor: .*one finite number"),
        ({"bias": torch.zeros(3, 3)}, "bias: got a Tensor, expected a function of r and j"),
        ({"bias": lambda r, j: torch.zeros(5)}, r"shape \(5,\): expected a number for each query and key"),
        ({"bias": lambda r, j: -1 / r}, "numbers, or −inf for r above 0"),
        ({"mask": lambda r, j: r}, "mask.*expected True or False"),
        ({"mask": lambda r, j: r > 0}, "expected True where r is 0"),
    ],
)
def test_a_mistake_is_named_before_the_model_is_read(given, says, monkeypatch):
    monkeypatch.setattr(own_repair, "loaded", None)
    with pytest.raises(ValueError, match=says):
        own_repair.measure(**given)


def test_functions_of_distance_may_give_rows_and_single_numbers():
    r, j = own_repair.distances(torch.arange(7))
    assert own_repair.grid("bias", lambda r, j: -r, r, j).dtype == torch.float32
    assert torch.equal(own_repair.grid("mask", lambda r, j: (r < 2) | (j == 0), r, j), (r < 2) | (j == 0))
    assert own_repair.grid("bias", lambda r, j: torch.where(j == 0, 0.0, -1.0), r, j).shape == (7, 7)
    assert not own_repair.grid("bias", lambda r, j: 0, r, j).any()


def test_without_the_file_the_known_rows_are_shown_and_it_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(own_repair, "loaded", lambda file: Recorded())
    found = own_repair.measure(SPEEDS / 3, name="third")
    text = repr(found)
    assert found.status == "not measured" and math.isnan(found.short[0])
    assert "course.py model" in text and "third is not measured" in text
    assert all(name in text for name in own_repair.KNOWN)


def test_the_known_rows_are_the_committed_ones():
    short, gap, near, far = own_repair.known("slowest 16 stopped")
    assert short == own_repair.mean(rows("stopped pairs", condition="slowest 16 stopped, gap 0", n=384))
    assert gap == own_repair.mean(rows("stopped pairs", condition="slowest 16 stopped, gap 16384", n=384))
    assert len(near) == len(far) == 4
    assert own_repair.known("")[0] == (0, 0) and min(own_repair.known("")[3]) > math.log(2) > max(near)
    for name in own_repair.KNOWN.values():  # a key counts as found where every digit was the likeliest
        for size, losses in zip((0, 20000), own_repair.known(name)[2:]):
            right = [row["right"] for row in rows("pass keys", condition=f"10 fillers, gap {size}, {name}")]
            assert [loss < math.log(2) for loss in losses] == right


@torch.no_grad()
def test_what_is_measured_is_what_the_committed_runs_say(model, monkeypatch):
    monkeypatch.setattr(own_repair, "loaded", lambda file: model)
    for what in ("short_texts", "passkeys"):
        some = getattr(own_repair, what)(model)[:1]
        monkeypatch.setattr(own_repair, what, lambda _, some=some: some)
    speeds = np.where(np.arange(32) < 16, SPEEDS, 0)
    found = own_repair.measure(speeds, mask=lambda r, j: r >= 0, bias=lambda r, j: torch.zeros(len(j)))
    *_, near, far = own_repair.known("slowest 16 stopped")
    first = [rows("gaps", condition=f"slowest 16 stopped, gap {size}")[0] for size in (0, 16384)]
    assert found.status == "measured"
    for mine, row in zip((found.short, found.gap), first):
        assert mine == pytest.approx((row["difference"], row["error"]), abs=0.01)
    assert (*found.near, *found.far) == pytest.approx((near[0], far[0]), abs=0.02)
    assert "No column reads a long text" in repr(found) and "+1.93 ± 0.03" in repr(found)
