"""A question about a sign."""

import numpy as np

from course_chapters.form import question
from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.grid import offsets


@question(
    "A decoder of a single layer has a table with a bias for each negative offset and 0 for all others. It is given i "
    "− j instead of j − i. What does its last token still know?",
    {
        "The order of the words, mirrored": "The table has no numbers for positive offsets, so nothing is mirrored.",
        "Which words came before, without their order": "Yes. Every visible key gets the bias 0. In more layers the "
        "mask would tell a little.",
        "Itself alone": "The mask is what it was: all earlier keys are visible.",
    },
)
def sign():
    rng = np.random.default_rng(0)
    x, numbers = rng.normal(size=(5, 8)), rng.normal(size=5)

    def last(words):
        offset = -offsets(5)
        return attention(words, words, words, bias=np.where(offset < 0, numbers[offset], 0), mask=causal_mask(5))[0][-1]

    blind = np.allclose(last(x), last(x[[2, 0, 1, 3, 4]]))  # the words before the last, in another order
    return "Which words came before" if blind else "The order of the words"
