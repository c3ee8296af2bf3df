"""The committed runs of the released model: the command resumes, and the rows are what the model gives."""

import pytest
import torch

import course_study as study
from course_study import released, results
from course_study.released import plan as planned
from course_study.released.experiments import Felt, Text, Trial, alone, gap
from course_study.released.measures import SinkHeads, with_first_value

from ..released import conftest
from ..released.tiny import tiny

file, model = conftest.file, conftest.model  # fixtures


@pytest.fixture
def small(monkeypatch):
    """Two texts with three conditions in a tiny decoder."""
    decoder, tokens = tiny()

    def measure(model, tokens):
        return model.losses(tokens), {"right": True, "weights": [[1 / 3]]}

    def conditions(model, text):
        yield Trial()
        yield Trial("window 2", {"window": 2, "sinks": [0]})
        yield Trial("other tokens", tokens=text.tokens.flip(0), measure=measure, scored=3)

    texts = [Text("forward", tokens, bins=(0, 4, 8)), Text("backward", tokens.flip(0))]
    monkeypatch.setattr(planned, "EXPERIMENTS", {"small": (conditions, lambda model: texts)})
    monkeypatch.setattr(planned, "load", lambda: decoder)


def sweep(path, *names):
    return [{**row, "seconds": 0} for row in study.sweep(planned.plan(names), path)]


def test_a_row_compares_losses_with_those_of_the_same_tokens_as_released(small):
    control, window, other = sweep(None, "forward")
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
    assert other["scored"] == 3 and other["right"] is True and other["weights"] == [[0.3333]]


def test_the_reader_says_what_is_missing_and_the_plan_does_only_that(small, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "COMMITTED", tmp_path)
    file = tmp_path / "released.jsonl"
    sweep(file, "forward")
    assert len(released.rows("small", text="forward")) == 3
    with pytest.raises(ValueError, match=r"'backward'.*no committed row"):
        released.rows("small", text="backward")
    before = file.read_bytes()
    assert sweep(file) == sweep(None) and file.read_bytes().startswith(before)
    assert len(study.read(file)) == 6
    with pytest.raises(ValueError, match="name='sideways'"):
        planned.plan(["sideways"])


def test_no_two_planned_rows_are_alike_and_all_of_them_are_committed(model):
    committed = [study.key(row) for row in study.committed("released")]  # each once
    assert sorted(study.key(run.inputs) for run in planned.plan()) == sorted(committed)


def test_later_queries_get_another_value_from_token_0():
    """With its own value nothing changes; with zeros, all that a later query says."""
    decoder, tokens = tiny()
    as_it_is, own = decoder.losses(tokens), [inside.v[:, 0].flatten() for inside in decoder.inside(tokens)]
    assert torch.allclose(with_first_value(own, decoder, tokens)[0], as_it_is)
    zeros, _ = with_first_value([0 * value for value in own], decoder, tokens)
    assert torch.isclose(zeros, as_it_is).tolist() == [True] + [False] * (len(tokens) - 2)
    assert torch.equal(decoder.losses(tokens), as_it_is)


@pytest.mark.parametrize("some", [True, False])
def test_a_gap_that_all_pairs_or_none_feel(some):
    decoder, tokens = tiny()
    with decoder.changed(**gap(len(tokens), 5000 * some, 4)):
        expected = decoder.losses(tokens)
    felt = Felt(decoder.decoder.rope, decoder.speeds, torch.full_like(decoder.speeds, some).bool(), 5000, 4)
    with decoder.changed(position=felt):
        assert torch.allclose(decoder.losses(tokens), expected, atol=1e-4)


def test_sink_heads_are_those_of_the_first_text_and_the_losses_are_those_of_the_model():
    decoder, tokens = tiny()
    tokens = tokens.repeat(3)
    measure = SinkHeads(4)
    first, shares = measure(decoder, tokens)
    assert torch.allclose(first, decoder.losses(tokens), atol=1e-5)
    hidden = torch.ones(len(tokens), len(tokens), dtype=torch.bool)
    hidden[4:, 0] = False
    with decoder.changed(mask=hidden):
        losses, without = measure(decoder, tokens)
        assert torch.allclose(losses, decoder.losses(tokens), atol=1e-5)
    assert without["sink heads"] == shares["sink heads"]
    assert without["token 0"] == 0 or not without["sink heads"]


def test_tokens_that_see_only_themselves():
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    assert (alone(torch.tensor([0, 3]), 5) & causal).sum(1).tolist() == [1, 2, 3, 1, 5]


@pytest.mark.parametrize(
    "experiment, condition",
    [
        ("windows", "window 96, kept [0]"),
        ("gap curve", "open pairs, gap 16384"),
        ("new sinks", "token 56 sees itself only"),
    ],
)
@torch.no_grad()
def test_a_committed_row_is_what_the_model_gives(model, experiment, condition):
    run = next(run for run in planned.plan([experiment, "course"]) if run.inputs["condition"] == condition)
    (row,) = released.rows(experiment, text="course", condition=condition)
    found = run.outcome()
    numbers = [name for name, value in row.items() if isinstance(value, float) and name != "seconds"]
    assert {name: found[name] for name in numbers} == pytest.approx({name: row[name] for name in numbers}, abs=0.01)
