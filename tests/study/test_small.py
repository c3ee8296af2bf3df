"""The small experiments of the lessons: the same texts for all models, the same numbers in every run."""

import torch

import course_study as study
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_study.two_layers import neighbours

MODELS = {
    "Shaw": lambda: study.Small([ShawVectors(1, 32, clip=2)], 16),
    "bias": lambda: study.Small([T5Bias(1)], 16),
}


def test_a_vector_per_distance_learns_what_a_bias_cannot_and_in_every_run_alike():
    """Nothing is asked at the two ends of a text, which count neither as right nor as wrong."""
    state = torch.random.get_rng_state()
    found = study.fit(MODELS, neighbours, steps=100, seeds=2)
    assert torch.equal(state, torch.random.get_rng_state())
    assert min(found["Shaw"]) > 0.95 and max(found["bias"]) < 0.6
    assert found["Shaw"][:1] == study.fit({"Shaw": MODELS["Shaw"]}, neighbours, steps=100, seeds=1)["Shaw"]
