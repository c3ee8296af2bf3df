"""Weights made for interleaved pairs, run by half-split code."""

import numpy as np

from ...reference.rope import to_half_split
from ..engine import Axis, Case, Mistake, Property, Task


def _half_split_rows(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    by_head = w.reshape(n_heads, len(w) // n_heads, -1)
    even, odd = by_head[:, ::2], by_head[:, 1::2]
    return np.concatenate([even, odd], axis=1).reshape(w.shape)


def _half_split_rows_given(w, n_heads):
    """The rows of an interleaved model's W_q or W_k in the order that half-split code needs; the same shape.

    w (n_heads * d_head, d_model); the rows of head 0 come first. q = x @ w.T
    """
    even, odd = w[::2], w[1::2]
    return np.concatenate([even, odd]).reshape(w.shape)


def _expected(w, n_heads):
    """Row by row, through the library's permutation."""
    d = len(w) // n_heads
    return w[[h * d + c for h in range(n_heads) for c in to_half_split(d)]]


def _through_pairs(w, n_heads):
    """As published conversion scripts write it."""
    d = len(w) // n_heads
    return w.reshape(n_heads, d // 2, 2, -1).swapaxes(1, 2).reshape(w.shape)


def _by_index(w, n_heads):
    d = len(w) // n_heads
    rows = []
    for h in range(n_heads):
        rows += list(range(h * d, (h + 1) * d, 2)) + list(range(h * d + 1, (h + 1) * d, 2))
    return w[rows]


def _backwards(w, n_heads):
    d = len(w) // n_heads
    return w.reshape(n_heads, 2, d // 2, -1).swapaxes(1, 2).reshape(w.shape)


def _first_head_only(w, n_heads):
    d = len(w) // n_heads
    result = w.copy()
    result[:d] = w[:d][to_half_split(d)]
    return result


def _first_head_everywhere(w, n_heads):
    d = len(w) // n_heads
    return np.tile(w[:d][to_half_split(d)], (n_heads, 1))


def _heads_backwards(w, n_heads):
    return w.reshape(n_heads, len(w) // n_heads, -1)[::-1].reshape(w.shape)


def _columns(w, n_heads):
    return w[:, np.argsort(np.arange(w.shape[1]) % 2, kind="stable")]


def _heads_last(w, n_heads):
    d = len(w) // n_heads
    return w.reshape(d, n_heads, -1)[to_half_split(d)].reshape(w.shape)


def _changed_sizes(w, n_heads):
    """heads and channels mistaken for each other, where that can be done."""
    d = len(w) // n_heads
    order = np.argsort(np.arange(n_heads) % 2, kind="stable")
    return w.reshape(d, n_heads, -1)[:, order].reshape(w.shape)


def _heads_sorted(w, n_heads):
    by_head = w.reshape(n_heads, len(w) // n_heads, -1)
    return np.concatenate([by_head[::2], by_head[1::2]]).reshape(w.shape)


def _numbered(heads, d_head, d_model=3):
    """Rows that are easy to tell apart: row r of head h holds 100 h + r, and a little more from column to column."""
    head, row = np.divmod(np.arange(heads * d_head), d_head)
    return (100.0 * head + row)[:, None] + np.arange(d_model) / 10


def _same_rows(result, w, n_heads):
    found = np.asarray(result, float)
    return found.shape == w.shape and np.allclose(np.sort(found, axis=0), np.sort(w, axis=0), atol=1e-4)


_AXES = (Axis("row"), Axis("column"))

half_split_rows = Task(
    title="Bug hunt: the conversion that forgets the heads",
    minutes=10,
    difficulty=2,
    words="""The weights come from a model with interleaved pairs, the code that runs them is half-split. So the rows of $W_q$ and
$W_k$ are put in another order when they are loaded: first the even channels, then the odd ones. This function was tested
with one head, where it is right. With two heads the model writes nonsense. Mend it.

The rows of the cases are numbered: row `r` of head `h` begins with the number 100 h + r.""",
    solution=_half_split_rows,
    given=_half_split_rows_given,
    expected=_expected,
    axes=_AXES,
    cases=[
        Case(_numbered(2, 4), 2, says="two heads of 4 channels"),
        Case(_numbered(1, 8), 1, says="one head of 8 channels"),
        Case(_numbered(3, 8), 3, says="three heads of 8 channels"),
        Case(_numbered(4, 6, 5), 4, says="four heads of 6 channels"),
        Case(_numbered(6, 2), 6, says="heads of 2 channels"),
        Case(_numbered(4, 4, 16), 4, says="a square matrix"),
    ],
    draw=lambda rng: (
        rng.normal(size=((heads := int(rng.integers(2, 5))) * 2 * int(rng.integers(2, 6)), int(rng.integers(2, 6)))),
        heads,
    ),
    properties=[
        Property(
            "the same rows",
            _same_rows,
            "These are not the rows of w in another order: some are missing or have changed.",
        )
    ],
    mistakes=[
        Mistake(
            lambda w, n_heads: np.concatenate([w[::2], w[1::2]]),
            "Still over all heads at once: the even rows of *all* heads come first. Each head has its own even and odd channels.",
        ),
        Mistake(
            lambda w, n_heads: w + 0,
            "Nothing has changed its place: these are the rows of w as they were. (Are the even and odd rows put together along the wrong axis? Axis 1 holds the channels.)",
        ),
        Mistake(
            _backwards,
            "This is the way back, from half-split to interleaved. Within a head: 0, 2, 4, …, 1, 3, 5, …",
        ),
        Mistake(
            "[even, odd]",
            "[odd, even]",
            "The odd channels come first. Half-split wants the first channel of every pair first, and that is the even one.",
        ),
        Mistake(_first_head_only, "Only the first head is put in order: the others are as they were."),
        Mistake(_first_head_everywhere, "All heads have got the rows of the first."),
        Mistake(
            lambda w, n_heads: _expected(w, n_heads) if n_heads == 1 else w + 0,
            "With one head the rows are put in order, with several they are left as they were.",
        ),
        Mistake(
            lambda w, n_heads: _expected(_expected(w, n_heads), n_heads),
            "The rows are put in order twice, and the second time mixes them again.",
        ),
        Mistake(
            lambda w, n_heads: _expected(_heads_backwards(w, n_heads), n_heads),
            "Each head is in order, but the heads come in reverse: head 0 stays first.",
        ),
        Mistake(
            lambda w, n_heads: _expected(np.concatenate([w[h::n_heads] for h in range(n_heads)]), n_heads),
            "`w[h::n_heads]` takes one row of each head in turn. The rows of head h are neighbours: `w[h * d_head : (h + 1) * d_head]`.",
        ),
        Mistake(
            _columns,
            "You put the columns in another order. The channels of q are the *rows* of w, since q = x @ w.T.",
        ),
        Mistake(
            _heads_last,
            "Your reshape takes the rows as if heads alternated. The rows of head 0 come first: (n_heads, d_head, d_model).",
        ),
        Mistake(
            _changed_sizes,
            "You put the heads in another order, or mistake their number for the number of channels. The shape is (n_heads, d_head, d_model).",
        ),
        Mistake(
            "np.concatenate([even, odd], axis=1).reshape(w.shape)",
            "np.concatenate([even, odd], axis=1)",
            "It still has an axis for the heads. Back to the shape of w: `.reshape(w.shape)`.",
        ),
        Mistake(
            _heads_sorted,
            "You sort the *heads* into even and odd ones. The channels are axis 1: `by_head[:, ::2]`.",
        ),
        Mistake(
            "even, odd = by_head[:, ::2], by_head[:, 1::2]",
            "even, odd = by_head[:, ::2], by_head[:, ::-2]",
            "The odd channels run backwards.",
        ),
        Mistake(
            "even, odd = by_head[:, ::2], by_head[:, 1::2]",
            "even, odd = by_head[:, ::2], by_head[:, ::2]",
            "The even rows are there twice and the odd ones not at all.",
        ),
        Mistake(
            "even, odd = by_head[:, ::2], by_head[:, 1::2]",
            "half = by_head.shape[1] // 2; even, odd = by_head[:, half:], by_head[:, :half]",
            "You exchange the two halves of each head. Wanted are the even rows, then the odd ones.",
        ),
        Mistake(
            lambda w, n_heads: w.reshape(n_heads, len(w) // n_heads, -1)[:, ::-1].reshape(w.shape),
            "The channels of each head run backwards.",
        ),
        Mistake(
            lambda w, n_heads: np.concatenate(
                [
                    -w.reshape(n_heads, len(w) // n_heads, -1)[:, 1::2],
                    w.reshape(n_heads, len(w) // n_heads, -1)[:, ::2],
                ],
                axis=1,
            ).reshape(w.shape),
            "This is `rotate_half`, a part of the turn itself. Here rows only change their places, no sign.",
        ),
    ],
    alternatives=[_expected, _through_pairs, _by_index],
    hints=[
        "Number some rows, `w = np.array([[0], [1], [2], [3], [100], [101], [102], [103]])`, and print `half_split_rows(w, 2)[:, 0]`. Where are the rows of head 1, those from 100 on?",
        "`w.reshape(n_heads, d_head, -1)` gives each head its own axis; d_head is `len(w) // n_heads`.",
        "Take even and odd along axis 1, put them together along axis 1, and give the result the shape of w again.",
    ],
)
