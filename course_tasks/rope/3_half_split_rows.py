"""Bug hunt: the conversion that forgets the heads · 10 minutes · ★★

The weights come from a model with interleaved pairs, but the code that runs them is half-split. So the
rows of $W_q$ and $W_k$ are put into another order when they are loaded: first the even channels, then the odd ones.
This function was tested with one head, where it is right. With two heads the model writes nonsense. Fix it.

The rows of the cases are numbered: row `r` of head `h` begins with the number 100 h + r.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.reference.rope import to_half_split

from ..shared import normal


def half_split_rows(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    # The number of channels per head is the number of rows divided by the number of heads. The split into heads gives
    # (n_heads, d_head, d_model), so that the heads have their own axis.
    by_head = w.reshape(n_heads, len(w) // n_heads, -1)
    # The channels are axis 1, and the even ones are 0, 2, 4, … The channels are axis 1, and the odd ones are 1, 3, 5,
    # … The even channels are every second one, and so are the odd ones. The first odd channel is 1.
    even, odd = by_head[:, ::2], by_head[:, 1::2]
    # The joining of even and odd runs along axis 1, the channels of a head. The result has no axis for the heads, but
    # the shape of w.
    return np.concatenate([even, odd], axis=1).reshape(w.shape)


def expected(w, n_heads):
    """Through the library's permutation of one head."""
    d = len(w) // n_heads
    return w[[h * d + c for h in range(n_heads) for c in to_half_split(d)]]


def _numbered(heads, d_head, d_model=3):
    """Rows that are easy to tell apart: row r of head h begins with 100 h + r, and grows a little along its columns."""
    head, row = np.divmod(np.arange(heads * d_head), d_head)
    return (100.0 * head + row)[:, None] + np.arange(d_model) / 10


def _same_rows(result, w, n_heads):
    found = np.asarray(result, float)
    return found.shape == w.shape and np.allclose(np.sort(found, axis=0), np.sort(w, axis=0), atol=1e-4)


def draw(rng):
    heads = int(rng.integers(2, 5))
    return normal(rng, heads * 2 * int(rng.integers(2, 6)), int(rng.integers(2, 6))), heads


BUG = "even, odd = (w[::2], w[1::2]); return np.concatenate([even, odd]).reshape(w.shape)"


AXES = (Axis("row"), Axis("column"))


CASES = [
    Case(_numbered(2, 4), 2, label="two heads of 4 channels"),
    Case(_numbered(1, 8), 1, label="one head of 8 channels"),
    Case(_numbered(3, 8), 3, label="three heads of 8 channels"),
    Case(_numbered(4, 6, 5), 4, label="four heads of 6 channels"),
    Case(_numbered(6, 2), 6, label="heads of 2 channels"),
    Case(_numbered(4, 4, 16), 4, label="a square matrix"),
]


ALWAYS = [
    holds("Your rows are not those of w in another order. Some are missing or have changed.", _same_rows),
]


WRONG = """
return np.concatenate([odd, even], axis=1).reshape(w.shape)  # Your odd channels come first. Half-split code expects
# the first channel of every pair first, the even one.
return np.concatenate([-odd, even], axis=1).reshape(w.shape)  # This is `rotate_half`, a part of the rotation itself.
# Here the rows change only their order, not their signs.
return np.concatenate([by_head], axis=1).reshape(w.shape)  # Your rows are in the order of w. If you join even and odd
# along the last axis, reshaping undoes the change. Join them along axis 1, the channels.
return np.concatenate([by_head[:, ::-1]], axis=1).reshape(w.shape)  # The channels of each head are in reverse order.
# The even ones should come first, then the odd ones.
even, odd = (by_head[:, ::2], by_head[:, ::-2])  # Your odd channels are in reverse order. They should be 1, 3, 5, …
even, odd = (by_head[:, ::2], by_head[:, ::2])  # Your even channels appear twice, and the odd ones are missing.
even, odd = (by_head[:, len(w) // n_heads // 2:], by_head[:, :len(w) // n_heads // 2])  # You exchange the two halves
# of each head. The even channels should come first, then the odd ones.
even, odd = (by_head[::2], by_head[1::2]); return np.concatenate([even, odd], axis=0).reshape(w.shape)  # You sort the
# *heads* into even and odd ones. The channels are axis 1: `by_head[:, ::2]`.
by_head = w.reshape(n_heads, len(w) // n_heads, -1)[::-1]  # Each head is in order, but the heads are reversed. Head 0
# stays first.
by_head = w.reshape(len(w) // n_heads, n_heads, -1)  # You reorder the heads, or take their number for the number of
# channels. The shape is (n_heads, d_head, d_model).
return w.reshape(n_heads, 2, len(w) // n_heads // 2, -1).swapaxes(1, 2).reshape(w.shape)  # You convert the other way,
# from half-split to interleaved. Within a head the order should be 0, 2, 4, …, 1, 3, 5, …
return np.tile(w[to_half_split(len(w) // n_heads)], (n_heads, 1))  # All your heads have the rows of the first one.
# Each head should have its own rows.
return expected(w, n_heads) if n_heads == 1 else w + 0  # A single head is in order, but several heads are left as
# they were.
return expected(expected(w, n_heads), n_heads)  # You put the rows into the new order twice. The second time
# mixes them again.
return expected(np.concatenate([w[h::n_heads] for h in range(n_heads)]), n_heads)  # `w[h::n_heads]` takes one row
# of each head in turn. The rows of head h are neighbours: `w[h * d_head : (h + 1) * d_head]`.
return w[:, np.argsort(np.arange(w.shape[1]) % 2, kind='stable')]  # You reorder the columns. The channels of q are the
# *rows* of w, since q = x @ w.T.
"""


HINTS = [
    "Number some rows, `w = np.array([[0], [1], [2], [3], [100], [101], [102], [103]])`, and print "
    "`half_split_rows(w, 2)[:, 0]`. Where are the rows of head 1, those from 100 on?",
    "`w.reshape(n_heads, d_head, -1)` gives each head its own axis; d_head is `len(w) // n_heads`.",
    "Take even and odd along axis 1, join them along axis 1, and give the result the shape of w again.",
]


def wrong_program_10(w, n_heads):
    """Your reshape reads the rows as if heads alternated. The rows of head 0 come first: (n_heads, d_head,
    d_model)."""
    by_head = w.reshape(len(w) // n_heads, n_heads, -1)
    even, odd = by_head[::2], by_head[1::2]
    return np.concatenate([even, odd], axis=0).reshape(w.shape)


def wrong_program_12(w, n_heads):
    """You reordered only the first head. The rows of the other heads are as they were."""
    result, d = w + 0, len(w) // n_heads
    result[:d] = w[to_half_split(d)]
    return result


def wrong_program_17(w, n_heads):
    """You take the channels per head from the columns, which is right for a square matrix only. The channels of all
    heads are the *rows* of w, so there are `len(w) // n_heads` per head."""
    d = w.shape[1] // n_heads
    return np.concatenate([w[h * d : h * d + d][k::2] for h in range(n_heads) for k in (0, 1)])


def right_as_published(w, n_heads):
    return w.reshape(n_heads, len(w) // n_heads // 2, 2, -1).swapaxes(1, 2).reshape(w.shape)
