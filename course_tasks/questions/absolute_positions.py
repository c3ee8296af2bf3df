"""Questions about absolute positions."""

import numpy as np

from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index
from course_tasks.questions.form import claim, judged, question


@claim(
    "With relative positions nothing in a longer text is new: every distance was seen in training.",
    "At twice the training length, a scheme with a number for every offset meets offsets that it never saw in "
    "{alone:.1%} of the pairs. With clipping at 16 it is {clipped:.0%}: far offsets share a row that was trained.",
    "run: trained at 128, tested at 256, all pairs counted, clipped at 16; Shaw et al. 2018, section 3.2",
)
def nothing_new():
    trained, tested = offsets(128), offsets(256)
    alone = np.isin(tested, trained, invert=True).mean()
    clipped = np.isin(clip_index(tested, 16), clip_index(trained, 16), invert=True).mean()
    return judged(alone == 0, clipped == 0), dict(alone=alone, clipped=clipped)


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
