"""A question about the log decay."""

import numpy as np

from course_chapters.form import question
from course_lib.example import LAMBDA
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias


@question(
    "A query gives nearly all of its weight to a key two steps back. Now you add a log decay to the scores. Which of "
    "the other keys gain weight?",
    {
        "Only the query's own token": "It has the largest factor, but a gain needs only a factor above the average.",
        "All of them": "This would be so if the decay lowered only the leading key. Farther keys are lowered more.",
        "Those that are nearer than two steps": "Yes. The leading key has nearly all of the weight, so the average "
        "factor is about its own, {lead:.2f} at strength {strength}. Nearer keys have {nearer}, farther keys at most "
        "{farther:.2f}.",
        "None of them": "Weights sum to one. What the keys beyond it lose, and perhaps the leading key, others gain.",
    },
)
def who_gains():
    distance, scores = np.arange(8), np.zeros(8)
    scores[distance == 2] = 10
    bias = decay_bias(8, strength=LAMBDA)[0]
    gains = softmax(scores + bias) > softmax(scores)
    ways = {
        "Only the query's": distance == 0,
        "All of them": distance >= 0,
        "Those that are nearer": distance < 2,
        "None of them": distance < 0,
    }
    factor, others = np.exp(bias), distance != 2
    nearer = " and ".join(f"{x:.2f}" for x in factor[:2])
    facts = dict(strength=LAMBDA, lead=factor[2], nearer=nearer, farther=factor[3])
    return next(way for way, gain in ways.items() if (gain == gains)[others].all()), facts
