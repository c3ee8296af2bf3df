"""Questions about attention without positions. Imports are absolute here, because code is shown with those it uses."""

import numpy as np

from course_chapters.form import question
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention


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
