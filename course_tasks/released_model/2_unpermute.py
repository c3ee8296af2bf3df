r"""The order of the rows · 12 minutes · ★★ · first

SmolLM2 was published with half-split pairs: with $d$ channels per head, channels $m$ and $m + d/2$ are rotated
together. The program that wrote the file puts the two rows of each pair beside each other (interleaved), because
llama.cpp rotates such pairs in models of this architecture. In each head of $W_q$ and $W_k$,

$$\text{row } m \to \text{row } 2m, \qquad \text{row } m + d/2 \to \text{row } 2m + 1$$

Undo this: return the rows in the half-split order. With `inverse=True`, go from half-split to interleaved. `w` has
`n_heads * d` rows, those of head 0 first. SmolLM2 has 9 heads of 64 rows in $W_q$. In $W_k$ it has 3, because three
query heads share one key head.

The rows of the first cases are numbered: row `r` of head `h` of `w` begins with the number 100 h + r.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.rope import to_half_split, to_interleaved

from ..shared import normal, numbered


def unpermute(w, n_heads, inverse):
    """The rows of W_q or W_k, (n_heads * d, d_model), interleaved to half-split; with `inverse` back."""
    d = len(w) // n_heads  # The rows of w are shared out among the heads, d for each.
    # An interleaved head has the axes (d/2, 2): the rows of a pair are neighbours. A half-split head has (2, d/2).
    shape = (n_heads, 2, d // 2, -1) if inverse else (n_heads, d // 2, 2, -1)
    pairs = w.reshape(shape)  # The rows of a head are neighbours in w, so the heads are the first axis.
    ordered = pairs.swapaxes(1, 2)  # Exchanging the two axes of a head puts its rows into the other order.
    return ordered.reshape(w.shape)  # The result has the shape of w.


def expected(w, n_heads, inverse):
    d = len(w) // n_heads
    order = (to_interleaved if inverse else to_half_split)(d)
    return np.concatenate([w[h * d : (h + 1) * d][order] for h in range(n_heads)])


def draw(rng):
    heads, d = int(rng.integers(2, 5)), 2 * int(rng.integers(3, 6))
    return normal(rng, heads * d, int(rng.integers(2, 6))), heads, bool(rng.integers(2))


CASES = [
    Case(numbered(1, 8, 3), 1, False, label="one head of 8 rows"),
    Case(numbered(2, 6, 3), 2, False, label="two heads of 6 rows"),
    Case(numbered(2, 6, 3), 2, True, label="two heads of 6 rows, inverse"),
    Case(numbered(3, 8, 24), 3, False, label="three heads in a square matrix"),
    Case(numbered(3, 2, 5), 3, True, label="heads of one pair"),
]
WRONG = """
shape = (n_heads, d // 2, 2, -1) if inverse else (n_heads, 2, d // 2, -1)  # You exchange the two directions. In the
# interleaved order the rows of a pair are neighbours, so the axis of length 2 is the last one of a head.
shape = (1, 2, -1, w.shape[1]) if inverse else (1, -1, 2, w.shape[1])  # You forget the heads and reorder the rows of
# the whole matrix. Each head keeps its rows, and they change places only within it.
shape = (2, n_heads, -1, w.shape[1]) if inverse else (-1, n_heads, 2, w.shape[1])
shape = (2, -1, n_heads, w.shape[1]) if inverse else (-1, 2, n_heads, w.shape[1]); ordered = pairs.swapaxes(0, 1)
# The heads are not the first axis of your shape. The rows of a head are neighbours in w, so heads come first.
d = w.shape[1] // n_heads  # You take the channels per head from the columns. They are `len(w) // n_heads` *rows*.
pairs = np.flip(pairs, 1 if inverse else 2)  # Your two rows of each pair have changed places.
ordered = pairs  # Your rows are in the order of w. Exchange the two axes of a head between the two reshapes.
return w[:, np.argsort(np.arange(w.shape[1]) % 2, kind="stable")]  # You reorder the columns. Channels are rows of w.
"""
HINTS = [
    "Number the rows of one head: interleaved they are 0, 1, 2, 3, 4, 5. Half-split they become 0, 2, 4, 1, 3, 5.",
    "`w.reshape(n_heads, d // 2, 2, -1)` has the axes head, pair, first or second of the pair, column.",
    "`swapaxes(1, 2)` exchanges pair and first or second. A last reshape gives the shape of w.",
]
ON_PASS = (
    "Without RoPE, scores do not depend on the order of the channels, if queries and keys share it. With RoPE they do: "
    "in the lesson, the wrong pairs raise the loss by 2.1 nats."
)
