"""A scheme that is trained has the losses of the study, beside the neighbours that were asked for."""

import pytest
import torch

from course_lib import study, workbench
from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position

from .common import PerHead  # this also sets one thread


def test_training_equals_the_study():
    """The scheme log-1, given as one's own, has the losses of the study; neighbours of other settings are trained."""
    found = workbench.train(lambda n, d: DecayBias(1.0), task="copy-back", against=["log-1"], steps=3)
    assert found.live == ("DecayBias", "log-1") and found.loss["DecayBias"] == found.loss["log-1"]
    assert found.rows[1]["settings"] == study.Settings(steps=3).as_json()
    text = repr(found)
    assert "DecayBias after 3 steps on 128 tokens, seed 0" in text and "trained here: DecayBias, log-1" in text


def test_each_layer_has_a_scheme_of_its_own():
    found = workbench.train(lambda n, d: PerHead(n), task="copy-back", against=[], steps=2)
    first, second = (block.attention.position for block in found.model.blocks)
    assert first is not second and not torch.equal(first.strength, torch.ones(4))


@pytest.mark.slow
def test_committed_neighbours_stand_beside_a_run_of_the_same_settings():
    found = workbench.train(lambda n, d: DecayBias(1.0), task="flip-flop", against=["log-1"])
    assert found.live == ("DecayBias",)
    ours, theirs = found.loss["DecayBias"], found.loss["log-1"]
    assert ours == pytest.approx(theirs, abs=0.05)  # another processor rounds otherwise


def test_a_neighbour_named_twice_stands_once_and_a_loss_of_nan_is_told():
    class Undefined(Position):
        def bias(self, n_q, n_k, past):
            return torch.full((1, n_q + n_k - 1), torch.nan)

    found = workbench.train(lambda n, d: Undefined(), task="copy-back", against=["alibi", "alibi"], steps=2)
    assert [row["scheme"] for row in found.rows] == ["Undefined", "alibi"]
    assert "A loss is nan" in repr(found)


def test_an_unknown_neighbour_is_refused_before_the_training():
    with pytest.raises(ValueError, match="scheme='t6'"):
        workbench.train(lambda n, d: DecayBias(1.0), against=["t6"])
