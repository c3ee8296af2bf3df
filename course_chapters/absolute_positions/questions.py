"""Questions about absolute positions."""

import numpy as np

from course_chapters.form import question
from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.bias import decay_bias


@question(
    "A text is one word, fifty times. Three causal layers have a steep relative bias and no other position. Which "
    "tokens can tell where they are?",
    {
        "None": "Yes. Whatever the weights are, an average of equal values is that value.",
        "The first, since it sees only itself": "It does, and what it sees is the word that all others see.",
        "All: each sees one key more than the last": "The number of keys leaves no trace in an average of equal "
        "values.",
    },
)
def one_word():
    h = np.tile(np.random.default_rng(0).normal(size=6), (50, 1))
    for _ in range(3):
        h = np.tanh(h + attention(h, h, h, bias=decay_bias(50, strength=3.0), mask=causal_mask(50))[0])
    differ = abs(h - h[-1]).max(axis=1) > 1e-12
    return "None" if not differ.any() else "The first" if not differ[1:].any() else "All"
