"""Repairs of RoPE: each is what its rule says, the control stays what it was, and the command resumes."""

import pytest

import course_study as study
from course_study import repairs

from .common import small


@pytest.fixture
def settings(monkeypatch):
    monkeypatch.setattr(repairs, "FURTHER", (0, 2))
    return small(d_model=16, test_texts=4, far_masked=True)


def test_without_further_steps_the_control_is_the_model_itself_and_a_window_is_its_far_keys_masked(settings):
    model = study.train(settings, "copy-back", "rope", 0)
    before = study.evaluate(model, settings, "copy-back")
    makes = repairs.repairs(settings)
    after = {
        name: study.evaluate(repairs.repaired(model, make, settings, "copy-back", 0, 0), settings, "copy-back")
        for name, make in makes.items()
    }
    assert after["as trained"] == before == study.evaluate(model, settings, "copy-back")
    assert before["far_masked"][0] == before["loss"][0] and before["far_masked"][1:] != before["loss"][1:]
    assert after["window"]["loss"] == pytest.approx(before["far_masked"], abs=2e-4)
    assert len({tuple(found["loss"]) for found in after.values()}) == len(makes)


def test_a_model_is_trained_once_and_further_steps_change_a_copy_alone(settings, monkeypatch):
    trained = []
    monkeypatch.setattr(repairs, "train", lambda *a, **k: trained.append(k) or study.train(*a, **k))
    plan = repairs.plan(settings, ["copy-back"], ["NTK", "window"], seeds=2)
    rows = study.sweep(plan)
    assert len(rows) == 2 * 2 * 2 == len({tuple(row["loss"]) for row in rows})
    assert [one["seed"] for one in trained] == [0, 1]
    assert plan[-4].outcome() == plan[-4].outcome() and plan[-4].outcome()["loss"] == rows[-4]["loss"]
