"""`watch` trains as `train` does, draws what it has, and keeps it when it is interrupted."""

import re
from base64 import b64decode

import torch

import course_study as study
from course_lib.nn.position import Position

SETTINGS = study.Settings(steps=12, tests=(128,))


def test_the_models_are_those_of_train_and_the_picture_tells_their_losses():
    found = study.watch(["none", "alibi"], settings=SETTINGS, seed=1)
    assert {name: len(losses) for name, losses in found.losses.items()} == {"none": 12, "alibi": 12}
    for scheme in ("none", "alibi"):
        alone = study.train(SETTINGS, "characters", scheme, 1)
        assert all(map(torch.equal, alone.parameters(), found.models[scheme].parameters()))
    said = ", ".join(f"{name} {losses[-1]:.2f}" for name, losses in found.losses.items())
    assert found.picture.alt == f"Loss of each scheme in characters after 12 of 12 steps: {said}."
    drawing = b64decode(re.search('base64,([^"]*)', found.picture._repr_html_())[1]).decode()
    assert drawing.count("<polyline") == 2


def test_an_interrupt_keeps_what_there_is(monkeypatch):
    class Interrupted(Position):
        calls = 0

        def bias(self, n_q, n_k, past):
            self.calls += 1
            if self.calls > 3:
                raise KeyboardInterrupt

    monkeypatch.setitem(study.schemes.PLAIN, "mine", study.Scheme((lambda settings: Interrupted(),)))
    found = study.watch(["mine"], settings=SETTINGS)
    assert len(found.losses["mine"]) == 3 and "after 3 of 12 steps" in found.picture.alt
