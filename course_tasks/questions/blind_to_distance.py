"""Questions about attention without positions. Imports are absolute here, because code is shown with those it uses."""

import numpy as np

from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, causal_mask
from course_tasks.questions.form import claim, judged, question


@claim(
    "Without positions, attention cannot tell in which order the words come.",
    "Permute the words before the last, and compare the output of the last word. Without a mask it changes by "
    "{all_keys:.4g}. Under a causal mask it changes by {one_layer:.4g} in one layer, which is blind to the order of "
    "what it sees, and by {two_layers:.4f} in two: the vectors that the second layer reads depend on their earlier "
    "words.",
    "run: the five tokens of the course; Vaswani et al. 2017, section 3.5",
)
def words_in_another_order():
    def last_word(order, layers, mask):
        x = V[order]
        for _ in range(layers):
            x = attention(Q[order], K[order], x, mask=mask)[0]
        return x[-1]

    def change(layers, mask=None):
        one, other = (last_word(order, layers, mask) for order in ([0, 1, 2, 3, 4], [3, 1, 0, 2, 4]))
        return round(abs(one - other).max(), 9)

    mask = causal_mask(5)
    changes = dict(all_keys=change(2), one_layer=change(1, mask), two_layers=change(2, mask))
    return judged(*(x == 0 for x in changes.values())), changes


@question(
    "Attention without positions or mask. You permute the keys, each with its value, and leave the queries. What "
    "becomes of the output?",
    {
        "Its rows are permuted in the same way": "Rows belong to queries, and these stayed where they were.",
        "Every row changes": "A row is a weighted sum over keys. The order of the terms does not change a sum.",
        "It stays as it is": "Yes. Shuffle the queries as well, and the rows follow them: that is equivariance.",
    },
)
def keys_shuffled():
    order = [3, 0, 4, 1, 2]
    before, after = attention(Q, K, V)[0], attention(Q, K[order], V[order])[0]
    ways = {"It stays": before, "Its rows": before[order]}
    return next((way for way, rows in ways.items() if np.allclose(after, rows)), "Every row")
