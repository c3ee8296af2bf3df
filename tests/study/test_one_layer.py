"""The small experiments of the lessons: the same texts for all models, the same numbers in every run."""

import torch

import course_study as study
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_study import one_layer

WORDS = 16


def draw(generator):
    """Small words look one place back, large ones look one place ahead."""
    tokens = torch.randint(WORDS, (32, 12), generator=generator)
    answers = torch.where(tokens < WORDS // 2, tokens.roll(1, 1), tokens.roll(-1, 1))
    answers[:, [0, -1]] = -100
    return tokens, answers


MODELS = {
    "Shaw": lambda: study.OneLayer(ShawVectors(1, 32, clip=2), WORDS),
    "bias": lambda: study.OneLayer(T5Bias(1), WORDS),
}


def test_a_vector_per_distance_learns_what_a_bias_cannot_and_in_every_run_alike():
    state = torch.random.get_rng_state()
    found = study.fit(MODELS, draw, steps=100, seeds=2)
    assert torch.equal(state, torch.random.get_rng_state())
    assert min(found["Shaw"]) > 0.95 and max(found["bias"]) < 0.6
    assert found["Shaw"][:1] == study.fit({"Shaw": MODELS["Shaw"]}, draw, steps=100, seeds=1)["Shaw"]


def test_what_is_not_asked_counts_neither_as_right_nor_as_wrong():
    def copied(generator):
        tokens, _ = draw(generator)
        answers = tokens.clone()
        answers[:, 3:] = -100
        return tokens, answers

    model = study.OneLayer(None, WORDS)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.read.bias[5] = 1.0  # always says 5
    drawn = torch.cat([copied(g)[1] for g in [torch.Generator().manual_seed(10_000)] for _ in range(8)])
    assert one_layer.accuracy(model, copied) == float((drawn == 5).sum() / (drawn != -100).sum())
