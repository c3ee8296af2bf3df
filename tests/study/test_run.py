"""One run: the same numbers every time, nothing left behind, and measures that plain loops confirm."""

import itertools
import json
import math

import pytest
import torch
from torch import nn

import course_study as study
from course_lib.nn.position import Combined
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias
from course_lib.reference import absolute, alibi, t5
from course_study.data import BACK, QUICK, TASKS
from course_study.learned_bias import added_by_distance, distances
from course_study.run import BINS, _test_texts

from .common import EVERY, SMALL, WIDER, numbers, small


class Knowing(nn.Module):
    """Knows the answer from place `begin` on, and before it is sure of another one."""

    def __init__(self, task, begin=0):
        super().__init__()
        self.task, self.begin = task, begin

    def forward(self, tokens):
        vocabulary = TASKS[self.task].vocabulary()
        answers = tokens.roll(BACK if self.task == "copy-back" else -1, 1)
        known = torch.arange(tokens.shape[1]) >= self.begin
        return 99.0 * nn.functional.one_hot(torch.where(known, answers, (answers + 1) % vocabulary), vocabulary)


def test_only_the_last_places_count_and_the_loss_by_place_shows_the_others():
    found = study.evaluate(Knowing("copy-back", begin=64 - 8), SMALL, "copy-back")
    assert found["loss"][-1] == 0.0 and found["accuracy"][-1] == 1.0
    assert found["accuracy"][:3] == [0.0, 0.0, 0.0] and found["loss"][:3] == [99.0] * 3
    assert found["by_position"] == [None, *[99.0] * 27, *[0.0] * 4]  # 2 of 64 places each; the first 3 ask nothing
    found = study.evaluate(Knowing("copy-back", begin=64 - 7), SMALL, "copy-back")
    assert found["accuracy"][-1] == 0.875 and found["loss"][-1] == pytest.approx(99 / 8)


@pytest.mark.parametrize("task", QUICK)
def test_loss_and_accuracy_are_those_of_plain_loops(task):
    model = study.train(SMALL, task, "rope", 0)
    found = study.evaluate(model, SMALL, task)
    for number, n in enumerate(SMALL.tests):
        tokens, answers, asked = _test_texts(SMALL, task, n)
        losses, right, by_bin = [], [], [[] for _ in range(BINS)]
        for answer, told, logits in zip(answers, asked, model(tokens).detach().double(), strict=True):
            for place in told.nonzero()[:, 0].tolist():
                loss = -math.log(logits[place].exp()[answer[place]] / logits[place].exp().sum())
                by_bin[place * BINS // n].append(loss)
                if place >= n - SMALL.length:
                    losses.append(loss)
                    right.append(int(logits[place].argmax()) == int(answer[place]))
        assert found["loss"][number] == pytest.approx(sum(losses) / len(losses), abs=1e-4)
        assert found["accuracy"][number] == pytest.approx(sum(right) / len(right), abs=1e-4)
    means = [sum(part) / len(part) if part else None for part in by_bin]
    assert found["by_position"] == [mean if mean is None else pytest.approx(mean, abs=1e-4) for mean in means]


@pytest.mark.parametrize("task", QUICK)
def test_the_same_arguments_give_the_same_line_whatever_else_goes_on(task):
    first = study.run(SMALL, task, "transformer-xl", 0)
    torch.manual_seed(99)
    torch.set_num_threads(2)
    try:
        again = study.run(SMALL, task, "transformer-xl", 0)
    finally:
        torch.set_num_threads(1)
    assert numbers([first]) == numbers([again]) == numbers([json.loads(json.dumps(first))])
    assert ("text" in first) == (task == "characters")
    other = study.run(SMALL, task, "transformer-xl", 1)
    assert first["loss"] != other["loss"] and first["added"] != other["added"]


def test_seed_and_threads_are_left_as_they_were_even_by_a_run_that_fails():
    torch.set_num_threads(2)
    try:
        before = torch.get_rng_state()
        study.run(SMALL, "flip-flop", "shaw-2", 0)
        with pytest.raises(ValueError, match="max_distance"):
            study.run(SMALL, "flip-flop", "t5-2", 0)
        assert torch.equal(torch.get_rng_state(), before) and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize("steps", [1, 10])
def test_few_steps_train(steps):
    assert all(math.isfinite(loss) for loss in study.run(small(steps=steps), "copy-back", "rope", 0)["loss"])


def test_texts_that_ask_nothing_are_refused_before_the_training():
    for task, settings in [
        ("copy-back", small(length=2, tests=(8,))), ("flip-flop", small(test_texts=1)), ("retrieval", SMALL),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=f"length={settings.length}.*{task}"):
            study.run(settings, task, "rope", 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"length": 0}, {"length": 9}, {"length": 8194}, {"tests": (8, 6)}, {"tests": (16, 8)}, {"tests": (8, 8)},
        {"tests": (8, 8194)}, {"tests": ("16",)}, {"steps": 2.5}, {"batch": 0}, {"d_model": 7}, {"measured": 9},
        {"d_model": 12, "n_heads": 4}, {"learning_rate": -1.0}, {"table_rate": float("nan")}, {"device": "tpu"},
    ],
)  # fmt: skip
def test_sizes_that_make_no_sense_are_named(changed):
    with pytest.raises(ValueError, match=next(iter(changed))):
        small(**changed)


# --- what a model adds for distance alone -------------------------------------------------------------------------


@pytest.mark.parametrize("longest", [2, 3, 8, 68, 512, 8192])
def test_distances_are_dense_where_it_is_near_and_reach_the_end(longest):
    found = distances(longest)
    assert found == sorted(set(found)) and found[0] == 0 and found[-1] == longest - 1
    assert all(d in found for d in range(min(longest, 5)))
    assert all(b <= 2 * a for a, b in itertools.pairwise(found[1:]))


@torch.no_grad()
def by_distance(model, tokens, name):
    """(heads, distances) by plain loops over head and distance, or None."""
    layer, n_heads = model.blocks[0].attention, model.blocks[0].attention.n_heads
    position, d_head = layer.position, layer.query.in_features // layer.n_heads
    x = model.blocks[0].norm1(model.input(model.embedding(tokens)))
    mean_query = (x @ layer.query.weight.T).flatten(0, 1).mean(0).view(n_heads, d_head)

    def number(h, d):
        if isinstance(position, T5Bias):
            bucket = int(t5.bucket(-d, bidirectional=False, max_distance=position.max_distance))
            return float(position.table[bucket, h])
        if name == "alibi":
            return -float(alibi.slopes(n_heads)[h]) * d
        if name.startswith("log-0") or name == "log-1":
            return -float(name.removeprefix("log-")) * math.log1p(d)
        if name.startswith("shaw"):
            row = position.key_table[h, max(-d, -position.clip) + position.clip]
            return float(mean_query[h] @ row) / d_head**0.5
        w_r = position.relative.weight.view(n_heads, d_head, -1)[h]
        r = w_r @ torch.tensor(absolute.sinusoidal(d, w_r.shape[1]), dtype=w_r.dtype)
        return float((mean_query[h] + position.v[h]) @ r) / d_head**0.5

    return torch.tensor([[number(h, d) for d in distances(WIDER.longest)] for h in range(n_heads)])


@pytest.mark.parametrize("name", EVERY)
def test_what_is_added_by_distance_is_what_plain_loops_find(name):
    model = study.train(WIDER, "copy-back", name, 0)
    tokens = _test_texts(WIDER, "copy-back", WIDER.length)[0]
    found = added_by_distance(model, tokens, WIDER.longest)
    if name in ("none", "learned", "sinusoidal", "rope"):
        assert found is None
    elif name.endswith("-buckets-16"):
        position = model.blocks[0].attention.position
        bucket = [sum(int(begin) <= d for begin in position.starts) - 1 for d in distances(WIDER.longest)]
        torch.testing.assert_close(found, position.table[bucket].T)
    else:
        torch.testing.assert_close(found, by_distance(model, tokens, name), rtol=1e-4, atol=1e-5)
    row = study.run(WIDER, "copy-back", name, 0)
    assert row.get("added") == (None if found is None else [[round(float(x), 4) for x in head] for head in found])


def test_only_measured_places_count_and_masking_the_far_keys_is_a_window(monkeypatch):
    """With fewer measured places, each has tokens before it; with far keys masked, the model cannot look past them."""
    found = study.evaluate(Knowing("copy-back", begin=64 - 2), small(measured=2), "copy-back")
    assert found["loss"] == [99.0] * 3 + [0.0]
    settings = small(measured=4, far_masked=True, n_layers=1, steps=30)
    model = study.train(settings, "copy-back", "rope", 0)
    found = study.evaluate(model, settings, "copy-back")
    assert found["far_masked"][0] == found["loss"][0] and found["far_masked"][1:] != found["loss"][1:]
    for block in model.blocks:  # the same model with windows in it
        block.attention.position = Combined(block.attention.position, SlidingWindow(settings.length))
    windowed = study.evaluate(model, settings, "copy-back")
    assert windowed["loss"] == pytest.approx(found["far_masked"], abs=2e-4) == windowed["far_masked"]
