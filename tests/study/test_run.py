"""One run: the same numbers every time, nothing left behind, and measures that plain loops confirm."""

import json
import math
import re
from unittest.mock import patch

import pytest
import torch

import course_study as study
from course_lib.schemes import SCHEMES, Use
from course_study import two_layers
from course_study.run import texts_to_test

from .common import SMALL, small


@pytest.mark.parametrize("task", ["characters", "copy-back", "flip-flop"])
def test_loss_and_accuracy_are_those_of_plain_loops(task):
    settings = small(length=66, test_texts=4)  # the last 64 places of a text count
    model = study.train(settings, task, "rope", 0)
    found = study.evaluate(model, settings, task)
    for number, n in enumerate(settings.tests):
        tokens, answers, back = texts_to_test(settings, task, n)
        losses, right = [], []
        for answer, told, logits in zip(answers, back, model(tokens).detach().double(), strict=True):
            for place in told.nonzero()[:, 0].tolist():
                loss = -math.log(logits[place].exp()[answer[place]] / logits[place].exp().sum())
                if place >= n - 64:
                    losses.append(loss)
                    right.append(int(logits[place].argmax()) == int(answer[place]))
        assert found["loss"][number] == pytest.approx(sum(losses) / len(losses), abs=1e-4)
        assert found["accuracy"][number] == pytest.approx(sum(right) / len(right), abs=1e-4)


@pytest.mark.parametrize("task", ["characters", "copy-back", "flip-flop"])
def test_the_same_arguments_give_the_same_line_whatever_else_goes_on_and_leave_seed_and_threads_alone(task):
    first = study.run(SMALL, task, "transformer-xl", 0)
    torch.manual_seed(99)
    torch.set_num_threads(2)
    try:
        before = torch.get_rng_state()
        again = study.run(SMALL, task, "transformer-xl", 0)
        assert torch.equal(torch.get_rng_state(), before) and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert first == again == json.loads(json.dumps(first))
    assert ("text" in study.plan(SMALL, [task], ["rope"])[0].inputs) == (task == "characters")
    other = study.run(SMALL, task, "transformer-xl", 1)
    assert first["loss"] != other["loss"]


# --- refusals -----------------------------------------------------------------------------------------------------


def of_sizes(name, **sizes):
    """The plan of a variant with these sizes."""
    with patch.dict(study.VARIANTS, mine=study.variant(SCHEMES[name], Use(sizes))):
        study.plan(SMALL, ["copy-back"], ["mine"])


REFUSED = {
    "length=17": lambda: small(length=17),
    "length=14": lambda: small(length=14),
    "length=8194": lambda: small(length=8194),
    "steps=2.5": lambda: small(steps=2.5),
    "d_model=12, n_heads=4": lambda: study.plan(small(d_model=12, n_heads=4), ["copy-back"], ["rope"]),
    "task='echo'": lambda: study.plan(SMALL, ["echo"], ["rope"]),
    "scheme='rpoe'": lambda: study.find("rpoe"),
    "scheme='t5'": lambda: study.find("t5"),
    "max_distance=16": lambda: of_sizes("T5 buckets", max_distance=16),  # the table would end within its exact buckets
    "clip=2.5": lambda: of_sizes("Shaw", clip=2.5),
    "task='rope'": lambda: two_layers.plan(["rope"]),
    "rows: none": lambda: study.verdict([]),
    "preset='tpu'": lambda: study.committed("tpu"),
}


@pytest.mark.parametrize("named", REFUSED)
def test_a_refusal_names_the_argument_and_its_value(named):
    with pytest.raises(ValueError, match=re.escape(named)):
        REFUSED[named]()
