"""Repairs of RoPE: each is what its rule says, the control stays what it was, and the command resumes."""

import dataclasses

import pytest
import torch

from course_lib import study
from course_lib.study import repairs

from .common import SIZES, numbers


@pytest.fixture
def settings(monkeypatch):
    settings = dataclasses.replace(
        study.PRESETS["long"], **{**SIZES, "length": 16, "d_model": 16, "test_texts": 4}, measured=8, tests=()
    )
    monkeypatch.setitem(study.PRESETS, "long", settings)
    monkeypatch.setattr(repairs, "FURTHER", (0, 2))
    return settings


def test_without_further_steps_the_control_is_the_model_itself_and_a_window_is_its_far_keys_masked(settings):
    model = study.train(settings, "copy-back", "rope", 0)
    before = study.evaluate(model, settings, "copy-back")
    makes = repairs.repairs(settings)
    after = {
        name: study.evaluate(repairs.repaired(model, make, settings, "copy-back", 0, 0), settings, "copy-back")
        for name, make in makes.items()
    }
    assert after["as trained"] == before == study.evaluate(model, settings, "copy-back")
    assert after["window"]["loss"] == pytest.approx(before["far_masked"], abs=2e-4)
    assert after["dynamic NTK"]["loss"][0] == before["loss"][0] and after["dynamic NTK"]["loss"][1] != before["loss"][1]
    assert after["dynamic NTK"]["loss"][-1] == pytest.approx(after["NTK"]["loss"][-1], abs=2e-4)  # there s is the same
    assert len({tuple(found["loss"]) for found in after.values()}) == len(makes)


def test_further_steps_change_a_copy_alone_and_are_the_same_every_time(settings):
    model = study.train(settings, "copy-back", "rope", 0)
    weights = [p.clone() for p in model.parameters()]
    make = repairs.repairs(settings)["NTK"]
    one, again, more = (repairs.repaired(model, make, settings, "copy-back", steps, 0) for steps in (2, 2, 3))
    assert all(map(torch.equal, weights, model.parameters()))
    assert all(map(torch.equal, one.parameters(), again.parameters()))
    assert not any(torch.equal(a, b) for a, b in zip(one.parameters(), more.parameters()) if a.dim() > 1)


def test_the_command_resumes(settings, tmp_path, monkeypatch):
    words = ["--steps", "2", "--tasks", "copy-back", "--seeds", "0", "--out"]
    assert repairs.main([*words, str(tmp_path / "unbroken")]) == 0
    unbroken = numbers(study.read(tmp_path / "unbroken")[0])
    assert len(unbroken) == 3 * len(repairs.repairs(settings))
    path = tmp_path / "broken"
    path.write_bytes(b"".join((tmp_path / "unbroken").read_bytes().splitlines(keepends=True)[:7]))
    assert repairs.main([*words, str(path)]) == 0
    assert numbers(study.read(path)[0]) == unbroken


@pytest.mark.parametrize(("words", "said"), [
    ([], "the following arguments are required: --out"),
    (["--out", "here", "--tasks", "copy"], "task='copy': expected one of 'characters', "),
    (["--out", "here", "--steps", "0"], "steps=0: expected a whole number, 1 or more\n"),
])  # fmt: skip
def test_a_mistake_gets_one_line(words, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        repairs.main(words)
    assert capsys.readouterr().err.startswith(f"python -m course_lib.study.repairs: error: {said}")


def test_the_committed_repairs_are_of_their_settings_and_their_control_is_the_long_study():
    rows = study.committed("repairs")
    assert all(row["settings"] == study.PRESETS["long"].as_json() for row in rows)
    names = list(repairs.repairs(study.PRESETS["long"]))
    asked = {(row["task"], row["further"], row["at"]) for row in rows}
    assert {("characters", 0, 128), ("characters", 60, 1024), ("copy-back", 0, 128), ("copy-back", 60, 1024)} <= asked
    for task, further, at in asked:
        found = [(row["repair"], row["seed"]) for row in study.pick(rows, task=task, further=further, at=at)]
        assert sorted(found) == sorted((name, seed) for name in names for seed in range(3))
    for row in study.pick(rows, repair="as trained", further=0):
        (trained,) = study.pick(study.committed("long-2000"), task=row["task"], scheme="rope", seed=row["seed"])
        assert row["loss"] == trained["loss"]
