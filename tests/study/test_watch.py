"""`watch` trains as `train` does, draws what it has, and keeps it when it is stopped."""

import re
import time
from base64 import b64decode

import pytest
import torch

import course_study as study

SETTINGS = study.Settings(steps=12, tests=(128,))


def test_the_models_are_those_of_train_and_the_picture_tells_their_losses():
    run = study.watch(["none", "alibi"], settings=SETTINGS, seed=1)
    picture = run.wait()
    assert {name: len(losses) for name, losses in run.losses.items()} == {"none": 12, "alibi": 12}
    for scheme in ("none", "alibi"):
        alone = study.train(SETTINGS, "characters", scheme, 1)
        assert all(torch.equal(a, b) for a, b in zip(alone.parameters(), run.models[scheme].parameters(), strict=True))
    said = ", ".join(f"{name} {losses[-1]:.2f}" for name, losses in run.losses.items())
    assert picture.alt == f"Loss of each scheme in characters after 12 of 12 steps: {said}."
    drawing = b64decode(re.search('base64,([^"]*)', picture._repr_html_())[1]).decode()
    assert drawing.count("<polyline") == 2


def test_stop_keeps_what_there_is():
    run = study.watch(["none"], settings=study.Settings(steps=100_000))
    while len(run.losses["none"]) < 3:
        time.sleep(0.01)
    run.stop()
    assert "of 100000 steps" in run.wait().alt and 3 <= len(run.losses["none"]) < 100_000


def test_a_scheme_of_your_own_and_an_error_in_it():
    def make(settings):
        from course_lib.nn.position import Position

        class Late(Position):
            def bias(self, n_q, n_k, past):
                raise ArithmeticError("no bias today")

        return Late()

    run = study.watch({"mine": study.Scheme((make,))}, settings=SETTINGS)
    with pytest.raises(ArithmeticError, match="no bias today"):
        run.wait()
    assert "The training stopped: ArithmeticError: no bias today" in run.box.children[1].value
