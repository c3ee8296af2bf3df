"""Bug hunt: the conversion that forgets the heads · 10 minutes · ★★

The weights come from a model with interleaved pairs, but the code that runs them is half-split. So the
rows of $W_q$ and $W_k$ are put into another order when they are loaded: first the even channels, then the odd ones.
This function was tested with one head, where it is right. With two heads the model writes nonsense. Fix it.

The rows of the cases are numbered: row `r` of head `h` begins with the number 100 h + r.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.rope import to_half_split

from ..shared import normal, numbered


def half_split_rows(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    d_head = len(w) // n_heads  # The rows of w are shared out evenly among the heads.
    by_head = w.reshape(n_heads, d_head, -1)  # The rows of head 0 come first, so the heads are the first axis.
    even = by_head[:, ::2]  # The channels of a head are axis 1, and the even ones are 0, 2, 4, …
    odd = by_head[:, 1::2]  # The odd channels of a head are 1, 3, 5, …
    both = np.concatenate([even, odd], axis=1)  # Within each head the even channels come first, then the odd ones.
    return both.reshape(w.shape)  # The result has the shape of w, without an axis for the heads.


def given(w, n_heads):
    even, odd = w[::2], w[1::2]
    return np.concatenate([even, odd])


def expected(w, n_heads):
    """Through the library's order of the channels of one head."""
    d = len(w) // n_heads
    return w[[h * d + c for h in range(n_heads) for c in to_half_split(d)]]


def draw(rng):
    heads = int(rng.integers(2, 5))
    return normal(rng, heads * 2 * int(rng.integers(2, 6)), int(rng.integers(2, 6))), heads


CASES = [
    Case(numbered(2, 4, 3), 2, label="two heads of 4 channels"),
    Case(numbered(1, 8, 3), 1, label="one head of 8 channels"),
    Case(numbered(6, 2, 3), 6, label="heads of 2 channels"),
    Case(numbered(4, 4, 16), 4, label="a square matrix"),
]
WRONG = """
both = np.concatenate([odd, even], axis=1)  # Your odd channels come first. The first channel of a pair is the even one.
both = np.concatenate([-odd, even], axis=1)  # This is `rotate_half`, a part of the rotation. Here no sign changes.
return w + 0  # Your rows are in the order of w. Did you join along the last axis? Join along axis 1, the channels.
both = by_head[:, ::-1]  # The channels of each head are in reverse order. The even ones come first, then the odd ones.
odd = by_head[:, ::-2]  # Your odd channels are in reverse order. They should be 1, 3, 5, …
even, odd = by_head[:, d_head // 2:], by_head[:, :d_head // 2]  # You exchange the halves of each head.
both = np.concatenate([by_head[::2], by_head[1::2]])  # You sort the *heads* into even and odd. The channels are axis 1.
by_head = w.reshape(n_heads, d_head, -1)[::-1]  # Each head is in order, but the heads are reversed. Head 0 stays first.
by_head = w.reshape(d_head, n_heads, -1)
by_head = w.reshape(d_head, n_heads, -1); both = np.concatenate([by_head[::2], by_head[1::2]])  # You read the rows as if
# heads alternated. The rows of head 0 come first: (n_heads, d_head, d_model).
both = by_head.reshape(n_heads, 2, d_head // 2, -1).swapaxes(1, 2)  # You convert the other way, from half-split to
# interleaved. Within a head the order should be 0, 2, 4, …, 1, 3, 5, …
both = np.concatenate([even[:1], odd[:1]] * n_heads, axis=1)  # All your heads have the rows of the first one.
return np.concatenate([both[0], w[d_head:]])  # You reordered only the first head. The others are as they were.
return both[0] if n_heads == 1 else w + 0  # A single head is in order, but several heads are left as they were.
both = np.concatenate([both[:, ::2], both[:, 1::2]], axis=1)  # You put the rows into the new order twice.
return expected(np.concatenate([w[h::n_heads] for h in range(n_heads)]), n_heads)
# You take every `n_heads`-th row as a head, as if heads took turns. Head h is `w[h * d_head : (h + 1) * d_head]`.
return [*wrong_width_per_head(w, n_heads), *w[w.shape[1] // n_heads * n_heads :]]  # You take the channels per head from
# the columns. They are the *rows* of w, `len(w) // n_heads` per head.
return w[:, np.argsort(np.arange(w.shape[1]) % 2, kind="stable")]  # You reorder the columns. Channels are rows.
"""
HINTS = [
    "Number some rows, `w = np.array([[0], [1], [2], [3], [100], [101], [102], [103]])`, and print "
    "`half_split_rows(w, 2)[:, 0]`. Where are the rows of head 1, those from 100 on?",
    "`w.reshape(n_heads, d_head, -1)` gives each head its own axis; d_head is `len(w) // n_heads`.",
    "Take even and odd along axis 1, join them along axis 1, and give the result the shape of w again.",
]


def wrong_width_per_head(w, n_heads):
    """You take the channels per head from the columns. They are the *rows* of w, `len(w) // n_heads` per head."""
    d = w.shape[1] // n_heads
    return np.concatenate([w[h * d : h * d + d][k::2] for h in range(n_heads) for k in (0, 1)])
