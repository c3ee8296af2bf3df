"""The committed runs of the released model: the command resumes, and the rows are what the model gives."""

import pytest
import torch

import course_study as study
from course_study import released
from course_study.released import Text

from ..released import conftest
from ..released.tiny import tiny

file, model = conftest.file, conftest.model  # fixtures


@pytest.fixture
def small(monkeypatch):
    """Two texts with two conditions in a tiny decoder; its next reading can be stopped."""
    decoder, tokens = tiny()
    losses, stops = decoder.losses, []

    def read(tokens):
        if stops:
            raise stops.pop()
        return losses(tokens)

    changes = {"window 2": {"window": 2, "sinks": [0]}, "another factor": {"score_factor": 1.3}}
    texts = [Text("forward", tokens, bins=(0, 4, 8)), Text("backward", tokens.flip(0))]
    monkeypatch.setattr(decoder, "losses", read)
    monkeypatch.setattr(released, "EXPERIMENTS", {"small": (lambda *_: changes, lambda model: texts)})
    monkeypatch.setattr(released, "load", lambda: decoder)
    return stops


def sweep(path):
    return [{**row, "seconds": 0} for row in study.sweep(released.plan(), path)]


def test_a_row_compares_losses_with_those_of_the_same_tokens_as_released(small):
    control, window, *_ = sweep(None)
    decoder, tokens = tiny()
    with decoder.changed(window=2, sinks=[0]):
        losses = decoder.losses(tokens)
    change = losses - decoder.losses(tokens)
    assert control["condition"] == "as released" and control["difference"] == control["error"] == 0
    assert window["loss"] == pytest.approx(float(losses[4:].mean()), rel=1e-3) and window["scored"] == 4
    assert window["difference"] == pytest.approx(float(change[4:].mean()), rel=1e-3)
    assert window["error"] == pytest.approx(float(change[4:].std()) / 2, rel=1e-3)
    assert [(part["from"], part["to"]) for part in window["bins"]] == [(0, 4), (4, 8)]
    assert window["bins"][0]["loss"] == pytest.approx(float(losses[:4].mean()), rel=1e-3)


def test_the_plan_resumes_and_what_was_not_run_is_missing(small, tmp_path, monkeypatch):
    monkeypatch.setattr(released, "FILE", tmp_path / "rows")
    whole = sweep(None)
    assert len(whole) == 6
    runs = released.plan()
    study.sweep(runs[:4], released.FILE)
    small.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        sweep(released.FILE)
    released.FILE.write_bytes(released.FILE.read_bytes()[:-40])
    assert len(released.rows("small", text="forward")) == 3
    with pytest.raises(ValueError, match=r"'backward'.*no committed row"):
        released.rows("small", text="backward")
    assert sweep(released.FILE) == whole
    with pytest.raises(ValueError, match="sideways: expected names of experiments"):
        released.plan(["sideways"])


def test_no_two_planned_rows_are_alike_and_all_of_them_are_committed(model):
    planned = [study.key(run.inputs) for run in released.plan()]
    assert len(set(planned)) == len(planned)
    assert sorted(study.key(row) for row in study.read(released.FILE)) == sorted(planned)


@torch.no_grad()
@pytest.mark.parametrize("experiment", ["gaps", "stopped heads"])
def test_committed_rows_are_what_the_model_gives(model, experiment):
    """The control, the first condition and the last one, of the first text."""
    runs = [run for run in released.plan([experiment]) if run.inputs["text"] in ("pydoc_a", "random tokens 0")]
    for run in (runs[0], runs[1], runs[-1]):
        (row,) = released.rows(**run.inputs)
        found = run.outcome()
        assert found["loss"] == pytest.approx(row["loss"], abs=0.01) and found["scored"] == row["scored"]
        assert found["difference"] == pytest.approx(row["difference"], abs=0.01)
