"""Claims about biases that fall with distance."""

import numpy as np

from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.bias import decay_bias
from course_tasks.claims.claim import claim


@claim(
    "A bias that falls with distance never lowers a word's weight on itself.",
    stated="true",
    verdict=lambda fact: "true" if fact["less"] == 0 else "false",
    otherwise={"more": 4800, "the same": 600, "less": 600},
    because="Under three decays, with and without a causal mask, a random word looks more at itself than without the decay "
    "in {fact[more]:,} cases, as much in {fact[the same]:,} and less in {fact[less]}. It must be so, because its own score "
    "keeps a bias of zero, and the sum in the softmax cannot grow. A first word that sees only itself keeps all of its weight.",
    source="run: random scores, three decays",
)
def own_word_gains():
    scores = np.random.default_rng(0).normal(size=(200, 5, 5))
    change = []
    for hidden in (0, np.where(causal_mask(5), 0, -np.inf)):
        for decay in ("log", "linear", "quadratic"):
            bias = decay_bias(5, decay=decay)
            gain = softmax(scores + hidden + bias) - softmax(scores + hidden)
            change.append(np.diagonal(gain, axis1=1, axis2=2))
    counts = {"more": np.greater, "the same": np.equal, "less": np.less}
    return {name: int(np.sum(compare(change, 0))) for name, compare in counts.items()}
