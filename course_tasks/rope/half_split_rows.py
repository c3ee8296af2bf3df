"""Bug hunt: the conversion that forgets the heads."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.rope import to_half_split

from ..shared import normal


def _half_split_rows(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    by_head = w.reshape(n_heads, len(w) // n_heads, -1)
    even, odd = by_head[:, ::2], by_head[:, 1::2]
    return np.concatenate([even, odd], axis=1).reshape(w.shape)


def _with_the_bug(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    even, odd = w[::2], w[1::2]
    return np.concatenate([even, odd]).reshape(w.shape)


def _row_by_row(w, n_heads):
    """Through the library's permutation of one head."""
    d = len(w) // n_heads
    return w[[h * d + c for h in range(n_heads) for c in to_half_split(d)]]


def _as_published(w, n_heads):
    return w.reshape(n_heads, len(w) // n_heads // 2, 2, -1).swapaxes(1, 2).reshape(w.shape)


def _numbered(heads, d_head, d_model=3):
    """Rows that are easy to tell apart: row r of head h begins with 100 h + r, and grows a little along its columns."""
    head, row = np.divmod(np.arange(heads * d_head), d_head)
    return (100.0 * head + row)[:, None] + np.arange(d_model) / 10


def _same_rows(result, w, n_heads):
    found = np.asarray(result, float)
    return found.shape == w.shape and np.allclose(np.sort(found, axis=0), np.sort(w, axis=0), atol=1e-4)


def _draw(rng):
    heads = int(rng.integers(2, 5))
    return normal(rng, heads * 2 * int(rng.integers(2, 6)), int(rng.integers(2, 6))), heads


half_split_rows = CodingTask(
    title="Bug hunt: the conversion that forgets the heads",
    minutes=10,
    difficulty=2,
    words="""The weights come from a model with interleaved pairs, but the code that runs them is half-split. So the
rows of $W_q$ and $W_k$ are put into another order when they are loaded: first the even channels, then the odd ones.
This function was tested with one head, where it is right. With two heads the model writes nonsense. Fix it.

The rows of the cases are numbered: row `r` of head `h` begins with the number 100 h + r.""",
    solution=_half_split_rows,
    starter=_with_the_bug,
    expected=_row_by_row,
    axes=(Axis("row"), Axis("column")),
    cases=[
        Case(_numbered(2, 4), 2, label="two heads of 4 channels"),
        Case(_numbered(1, 8), 1, label="one head of 8 channels"),
        Case(_numbered(3, 8), 3, label="three heads of 8 channels"),
        Case(_numbered(4, 6, 5), 4, label="four heads of 6 channels"),
        Case(_numbered(6, 2), 6, label="heads of 2 channels"),
        Case(_numbered(4, 4, 16), 4, label="a square matrix"),
    ],
    draw=_draw,
    properties=[
        Property(
            "the same rows",
            _same_rows,
            "Your rows are not those of w in another order. Some are missing or have changed.",
        )
    ],
    pieces="""
len(w) // n_heads
    the number of channels per head: It is the number of rows divided by the number of heads.
w.reshape(n_heads, len(w) // n_heads, -1)
    the split into heads: It gives (n_heads, d_head, d_model), so that the heads have their own axis.
by_head[:, ::2]
    the choice of the even channels: The channels are axis 1, and the even ones are 0, 2, 4, …
by_head[:, 1::2]
    the choice of the odd channels: The channels are axis 1, and the odd ones are 1, 3, 5, …
axis=1
    the joining of even and odd: It runs along axis 1, the channels of a head.
2
    the step 2: The even channels are every second one, and so are the odd ones.
1
    the start at 1: The first odd channel is 1.
np.concatenate([even, odd], axis=1).reshape(w.shape)
    the last reshape: The result has no axis for the heads, but the shape of w.
""",
    slips="""
[even, odd] → [odd, even]
    Your odd channels come first. Half-split code expects the first channel of every pair first, the even one.
[even, odd] → [-odd, even]
    This is `rotate_half`, a part of the rotation itself. Here the rows change only their order, not their signs.
[even, odd] → [by_head]
    Your rows are in the order of w. If you join even and odd along the last axis, reshaping undoes the change. Join
    them along axis 1, the channels.
[even, odd] → [by_head[:, ::-1]]
    The channels of each head are in reverse order. The even ones should come first, then the odd ones.
by_head[:, 1::2] → by_head[:, ::-2]
    Your odd channels are in reverse order. They should be 1, 3, 5, …
by_head[:, 1::2] → by_head[:, ::2]
    Your even channels appear twice, and the odd ones are missing.
by_head[:, ::2], by_head[:, 1::2] → by_head[:, len(w) // n_heads // 2 :], by_head[:, : len(w) // n_heads // 2]
    You exchange the two halves of each head. The even channels should come first, then the odd ones.
by_head[:, ::2], by_head[:, 1::2] → by_head[::2], by_head[1::2]
axis=1 → axis=0
    You sort the *heads* into even and odd ones. The channels are axis 1: `by_head[:, ::2]`.
w.reshape(n_heads, len(w) // n_heads, -1) → w.reshape(n_heads, len(w) // n_heads, -1)[::-1]
    Each head is in order, but the heads are reversed. Head 0 stays first.
w.reshape(n_heads, len(w) // n_heads, -1) → w.reshape(len(w) // n_heads, n_heads, -1)
    You reorder the heads, or take their number for the number of channels. The shape is (n_heads, d_head, d_model).
w.reshape(n_heads, len(w) // n_heads, -1) → w.reshape(len(w) // n_heads, n_heads, -1)
by_head[:, ::2], by_head[:, 1::2] → by_head[::2], by_head[1::2]
axis=1 → axis=0
    Your reshape reads the rows as if heads alternated. The rows of head 0 come first: (n_heads, d_head, d_model).
... → return w.reshape(n_heads, 2, len(w) // n_heads // 2, -1).swapaxes(1, 2).reshape(w.shape)
    You convert the other way, from half-split to interleaved. Within a head the order should be 0, 2, 4, …, 1, 3, 5, …
... → result, d = w + 0, len(w) // n_heads; result[:d] = w[to_half_split(d)]; return result
    You reordered only the first head. The rows of the other heads are as they were.
... → return np.tile(w[to_half_split(len(w) // n_heads)], (n_heads, 1))
    All your heads have the rows of the first one. Each head should have its own rows.
... → return _row_by_row(w, n_heads) if n_heads == 1 else w + 0
    A single head is in order, but several heads are left as they were.
... → return _row_by_row(_row_by_row(w, n_heads), n_heads)
    You put the rows into the new order twice. The second time mixes them again.
... → return _row_by_row(np.concatenate([w[h::n_heads] for h in range(n_heads)]), n_heads)
    `w[h::n_heads]` takes one row of each head in turn. The rows of head h are neighbours:
    `w[h * d_head : (h + 1) * d_head]`.
... → d = w.shape[1] // n_heads; return np.concatenate([w[h * d : h * d + d][k::2] for h in range(n_heads) for k in (0, 1)])
    You take the channels per head from the columns, which is right for a square matrix only. The channels of all heads
    are the *rows* of w, so there are `len(w) // n_heads` per head.
... → return w[:, np.argsort(np.arange(w.shape[1]) % 2, kind="stable")]
    You reorder the columns. The channels of q are the *rows* of w, since q = x @ w.T.
""",
    alternatives=[_row_by_row, _as_published],
    hints=[
        "Number some rows, `w = np.array([[0], [1], [2], [3], [100], [101], [102], [103]])`, and print "
        "`half_split_rows(w, 2)[:, 0]`. Where are the rows of head 1, those from 100 on?",
        "`w.reshape(n_heads, d_head, -1)` gives each head its own axis; d_head is `len(w) // n_heads`.",
        "Take even and odd along axis 1, join them along axis 1, and give the result the shape of w again.",
    ],
)
