"""Questions about biases that fall with distance."""

import numpy as np

from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias
from course_tasks.questions.form import claim, judged


@claim(
    "A bias that falls with distance never lowers a word's weight on itself.",
    "Under three decays, with and without a causal mask, a random word looks more at itself than without the decay in "
    "{more:,} cases, as much in {same:,} and less in {less}. It must be so, because its own score keeps a bias of "
    "zero, and the sum in the softmax cannot grow. A first word that sees only itself keeps all of its weight.",
    "run: random scores, three decays",
)
def own_word_gains():
    scores = np.random.default_rng(0).normal(size=(200, 5, 5))
    gains = []
    for hidden in (0, np.where(causal_mask(5), 0, -np.inf)):
        for decay in ("log", "linear", "quadratic"):
            gain = softmax(scores + hidden + decay_bias(5, decay=decay)) - softmax(scores + hidden)
            gains.append(np.diagonal(gain, axis1=1, axis2=2))
    more, same, less = (int(np.sum(compare(gains, 0))) for compare in (np.greater, np.equal, np.less))
    return judged(less == 0), dict(more=more, same=same, less=less)
