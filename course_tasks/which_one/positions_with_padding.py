"""Bug hunt: the prompt that moved."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property


def _positions_with_padding(mask):
    """The position of each token in its own prompt, (batch, n); 0 for padding.

    mask (batch, n) is True for a token of the prompt and False for padding.
    """
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)


def _positions_with_padding_given(mask):
    """The position of each token in its own prompt, (batch, n); 0 for padding.

    mask (batch, n) is True for a token of the prompt and False for padding.
    """
    batch, n = mask.shape
    return np.tile(np.arange(n), (batch, 1))


def _counted(mask):
    """Row by row, token by token: how many tokens of the prompt stand before."""
    return [[sum(map(int, row[:k])) if real else 0 for k, real in enumerate(row)] for row in mask]


def _without_where(mask):
    positions = np.zeros(mask.shape, dtype=int)
    for row, real in zip(positions, mask):
        row[real] = np.arange(real.sum())
    return positions


def _padded(*rows, label):
    """A case from rows of text in which a dot is padding."""
    return Case(np.array([[token != "." for token in row] for row in rows]), label=label)


def _drawn(rng):
    batch, n = rng.integers(1, 5), rng.integers(2, 9)
    return (rng.random((batch, n)) < rng.choice([0.3, 0.7]),)


positions_with_padding = CodingTask(
    title="Bug hunt: the prompt that moved",
    minutes=10,
    difficulty=2,
    words="""The prompts of a batch must have one length, so the shorter ones are filled up with padding. A model that
writes wants it on the **left**: the last token of every prompt then is at the end, where the next one is added. The
code below gives every row the positions 0 … n − 1. A prompt of three tokens behind five of padding is at 5, 6 and 7,
and what the model writes depends on how long the other prompts are. GPT-2 in the library *transformers* did the same
until 2020 (huggingface/transformers, issue 3021, fixed by pull request 7552). Fix it: a position counts the tokens of
the prompt itself, from 0, wherever the padding is; a row may be only padding. No token attends to padding, so any row
of a table would do for it. Write 0, so that answers can be compared.

Which schemes care? Learned and sinusoidal positions do, because every token gets another vector. ALiBi, T5, Shaw and
RoPE see only offsets, and left padding moves all tokens of a prompt by the same number of places: if padding is masked,
their output stays the same. Padding in the *middle*, as when a prompt that was padded on the right is continued,
changes offsets, and then they care too.""",
    solution=_positions_with_padding,
    starter=_positions_with_padding_given,
    expected=_counted,
    cases=[
        _padded("...xx", "..xxx", "xxxxx", label="left padding"),
        _padded("xx...", "xxx..", "xxxxx", label="right padding"),
        _padded("xxxx", "xxxx", label="no padding"),
        _padded("xx..xx", "x....x", ".x.xx.", label="padding in the middle"),
        _padded("....", "..xx", label="a row of padding alone"),
        _padded("x", label="one token"),
        _padded(".....xxx", label="three tokens behind five of padding"),
    ],
    draw=_drawn,
    axes=("prompt", "place"),
    properties=[
        Property(
            "the same without padding",
            lambda found, mask: all(
                np.array_equal(row[real], np.arange(real.sum())) for row, real in zip(np.asarray(found), mask)
            ),
            "A prompt must get the same positions with and without padding: 0, 1, 2, … for its own tokens.",
        ),
        Property(
            "0 for padding",
            lambda found, mask: (np.asarray(found)[~mask] == 0).all(),
            "The tokens of the prompts are right. Padding gets 0.",
        ),
    ],
    pieces="""
np.cumsum(mask, axis=-1)
    the running sum: It counts the tokens of the prompt up to each place, along the row.
np.cumsum(mask, axis=-1) - 1
    the position: It is the number of tokens before, so the running sum without the token itself.
axis=-1
    the running sum: Each prompt is counted along its own row, the last axis.
mask
    the mask: It is True for a token of the prompt and False for padding.
np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)
    the choice: Tokens get their position, and padding gets 0.
""",
    slips="""
np.cumsum(mask, axis=-1) - 1 → np.cumsum(mask, axis=-1)
    Your positions begin at 1, because the sum counts the token itself.
np.cumsum(mask, axis=-1) - 1 → np.cumsum(mask, axis=-1) - 2
    Your positions begin at −1. The first token of a prompt is at 0.
np.cumsum(mask, axis=-1) - 1 → np.cumsum(mask, axis=-1) + 1
    Your positions begin at 2. Subtract 1 instead of adding it.
np.cumsum(mask, axis=-1) - 1 → 1 - np.cumsum(mask, axis=-1)
    Your positions count down. Subtract 1 from the sum, and not the sum from 1.
- 1, 0) → - 1, 1)
    The tokens of the prompts are right. Your padding gets 1, as in transformers. That would work, but the task asks for
    0.
- 1, 0) → - 1, -1)
    The tokens of the prompts are right. Your padding gets −1, and in a table −1 silently reads the last row. It
    should get 0.
axis=-1 → axis=0
    You count down the batch, across the prompts. Each prompt is counted along its own row, the last axis.
axis=-1 → axis=None
    Without an axis `cumsum` runs through all prompts as if they were one. Each is counted along its own row:
    `axis=-1`.
np.cumsum(mask, → np.cumsum(mask.long(),
    `.long()` is torch's. A NumPy array is counted as it is, True as 1 and False as 0; `mask.astype(int)` makes
    whole numbers.
np.where(mask, → np.where(~mask,
    You exchanged tokens and padding. `where` takes its second argument where the mask is True.
np.cumsum(mask, axis=-1) → np.cumsum(~mask, axis=-1)
    You count the padding. The tokens of the prompt are True in the mask.
np.cumsum(mask, axis=-1) → np.sum(mask, axis=-1, keepdims=True)
    Every token of a prompt gets the same number, the position of the last one. A running sum counts up: `cumsum`.
np.cumsum(mask, axis=-1) → mask
    Every entry of yours is 0. The first token of a prompt gets 0, the second 1. Is the result ever filled?
... → return _on(mask, _steps(mask))
    Padding has 0 now, but the tokens still count it. The first token of a prompt must get 0 too. Count the tokens, not
    the places.
... → return _steps(mask) - _before(mask)
    Each prompt begins at 0 now. Padding has numbers of its own, and in the middle of a prompt it is still counted. Sum
    the mask itself, and give padding 0.
... → return np.maximum(_steps(mask) - _before(mask), 0)
    Each prompt begins at 0 now, and so does padding on its left. In the middle padding is still counted, and on the
    right it has numbers. Sum the mask itself.
... → return _on(mask, _steps(mask) - _before(mask))
    Each prompt begins at 0 now, but padding in its middle is still counted. Count the tokens of the prompt themselves.
... → return np.where(_steps(mask) < mask.sum(-1, keepdims=True), _steps(mask), 0)
    That is right for padding on the right only, because your numbers fill the first places of the row, whether a token
    is there or not.
... → return np.cumsum(mask, axis=-1) - 1
    The tokens of the prompts are right. Padding is not: on the left it gets −1, which reads the *last* row of a table,
    and after a token the position of that token. It should get 0.
... → return np.cumsum(mask, axis=-1)
    Your positions begin at 1, because the sum counts the token itself, and padding after a token repeats its number.
    Subtract 1, and give padding 0.
... → return np.maximum(np.cumsum(mask, axis=-1) - 1, 0)
    The tokens of the prompts are right, and padding on the left. Padding after a token repeats its position, and should
    get 0 as well. The mask says where padding is.
... → return np.cumsum(mask, axis=-1) - mask
    The tokens of the prompts are right. Padding gets the number of tokens before it, and should get 0.
... → return _on(mask, np.cumsum(mask, axis=-1) - 1, np.nan)
    The tokens of the prompts are right. Padding gets nan, which cannot be a row of a table. It should get 0.
... → return _on(mask, np.cumsum(mask, axis=-1) - 1, _steps(mask))
    The tokens of the prompts are right. Padding keeps the number of its place, and should get 0.
... → return _on(mask, mask.sum(axis=-1, keepdims=True))
    You give every token of a prompt the number of tokens in the prompt. How many are *before* it?
... → return mask
    You return 1 for each token and 0 for padding, like the mask. A position says how many tokens of the prompt come
    before.
... → return (np.cumsum(mask, axis=-1) - 1).astype(bool)
    You return truth values. An array like the mask holds nothing else, and −1 becomes True there. `np.zeros(mask.shape,
    dtype=int)` holds whole numbers.
... → return _on(~mask, np.cumsum(~mask, axis=-1) - 1)
    You count the padding and leave the tokens at 0. A token of the prompt is *True* in the mask.
... → return _on(mask, np.cumsum(~mask, axis=-1))
    You count the padding before each token. Which of the places before it are tokens?
... → return np.cumsum(~mask, axis=-1)
    You count the padding so far. Count the tokens, and give padding 0.
... → return np.cumsum(mask.astype(int) - 1, axis=-1)
    The mask less 1 is 0 for a token and −1 for padding: its sum counts the padding, downwards. Subtract 1 from the sum
    instead.
... → return _moved(np.max)(mask)
    You move all rows by the same number, the padding of the longest prompt. Each prompt has its own padding.
... → return _moved(np.min)(mask)
    You move all rows by the same number, the padding of the shortest prompt. Each prompt has its own padding.
... → return _on(mask, mask.shape[-1] - 1 - _steps(mask))
    You number the places from the right, padding included. Count the tokens, from the left.
... → return _on(mask, _steps(mask) - mask.shape[-1])
    You return places counted from the end, negative as in `x[-1]`. The first token of a prompt gets 0.
... → return _on(mask, np.argsort(~mask, axis=-1, kind="stable"))
    `argsort` says *which* places come first when tokens are put before padding. The task asks for the rank of each
    place, and a running sum gives it.
... → return np.argsort(np.argsort(~mask, axis=-1, kind="stable"), axis=-1)
    The tokens of the prompts are right. Padding continues the count after them, and should get 0.
... → return np.nonzero(mask)[1]
    You return the places of all tokens in one row. The result has the shape of the mask, (batch, n).
... → return _from_the_first(_by_index)(mask)
    Each prompt begins at 0 now, but padding in its middle is still counted; and in a row of only padding `index` finds
    nothing. Count the tokens of the prompt themselves.
... → return _from_the_first(_by_walking)(mask)
    Each prompt begins at 0 now, but padding in its middle is still counted; and in a row of only padding your loop runs
    over the end. Count the tokens of the prompt themselves.
... → return _on(mask, np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1)
    You count from the right: the last token of a prompt gets 0. The first one does.
... → return np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1
    You count from the right, and padding has numbers of its own. The first token of a prompt gets 0, and so does
    padding.
... → return mask * (_steps(mask) + 1)
    These are places counted from 1, with 0 for padding. The first token of a prompt gets 0 wherever it is.
... → return np.concatenate(_ragged(mask))
    You return all prompts in one row, without the padding. The result has the shape of the mask, (batch, n).
... → return np.arange(mask.shape[-1])
    You return one row for all prompts, and it counts padding. Each prompt has its own row, because each has its own
    padding.
... → mask[:] = _positions_with_padding(mask); return mask
    You write the positions into the mask, which holds only truth values. `np.zeros(mask.shape, dtype=int)` holds whole
    numbers.
... → mask[:] = np.cumsum(mask, axis=-1) - 1; return mask
    You write into the mask, which holds only truth values, and −1 becomes True there. `np.zeros(mask.shape, dtype=int)`
    holds whole numbers.
""",
    alternatives=[_counted, _without_where, lambda mask: mask * (mask.cumsum(1) - 1)],
    hints=[
        "Run the code by hand on one row, False False True True. Which position does the first token of the prompt "
        "get, and which without the padding?",
        "In the mask a token of the prompt is 1 and padding is 0. How many tokens of the prompt are before a place? "
        "`np.cumsum(mask, axis=-1)` counts them, the token itself included.",
        "`np.where(mask, …, 0)` gives padding its 0, and the running sum less 1 to the tokens.",
    ],
)


def _steps(mask):
    return np.tile(np.arange(mask.shape[-1]), (len(mask), 1))


def _before(mask):
    """Padding to the left of the prompt's first token."""
    return np.argmax(mask, axis=-1)[:, None]


def _pads(mask):
    return np.sum(~mask, axis=-1, keepdims=True)


def _on(mask, positions, padding=0):
    return np.where(mask, positions, padding)


def _moved(how_far):
    """All rows moved by one number, from the lengths of the prompts."""
    return lambda mask: _on(mask, _steps(mask) - (mask.shape[-1] - how_far(mask.sum(-1))))


def _from_the_first(find):
    """Each row from its first token on, which find(row) looks for and does not find in a row of only padding."""

    def wrong(mask):
        return [np.where(row, np.arange(len(row)) - find(row), 0) for row in mask]

    return wrong


def _by_index(row):
    return list(row).index(True)


def _by_walking(row):
    k = 0
    while not row[k]:
        k += 1
    return k


_LEFT_ONLY = (
    "That is right for left padding only. Count the tokens of the prompt instead, and it does not matter where the "
    "padding is."
)


positions_with_padding.wrong(
    "You move each row by the number of its padding tokens. " + _LEFT_ONLY + " And padding gets 0."
)(
    lambda mask: _steps(mask) - _pads(mask)
)


positions_with_padding.wrong("You move each row by the number of its padding tokens, and end at 0. " + _LEFT_ONLY)(
    lambda mask: np.maximum(_steps(mask) - _pads(mask), 0)
)


positions_with_padding.wrong("You move the tokens of each row by the number of its padding tokens. " + _LEFT_ONLY)(
    lambda mask: _on(mask, _steps(mask) - _pads(mask))
)


positions_with_padding.wrong(
    "You move the tokens by the number of padding tokens, and set negative positions to 0. " + _LEFT_ONLY
)(
    lambda mask: _on(mask, np.maximum(_steps(mask) - _pads(mask), 0))
)


@positions_with_padding.wrong(
    "Your count continues from prompt to prompt. It should begin again at 0 in each row."
)
def _one_counter(mask):
    """The counter is not set back at a new prompt."""
    return _on(mask, np.cumsum(mask).reshape(mask.shape) - 1)


@positions_with_padding.wrong(
    "You stop at the first padding after a token. A prompt may go on after padding in its middle."
)
def _first_run(mask):
    """The tokens up to the first padding behind them."""
    ended = np.cumsum(np.diff(mask.astype(int), axis=-1, prepend=0) == -1, axis=-1) > 0
    return np.where(ended, 0, _positions_with_padding(mask))


@positions_with_padding.wrong(
    "You return truth values, because you write the positions into the mask or an array like it, which holds nothing "
    "else. `np.zeros(mask.shape, dtype=int)` holds whole numbers."
)
def _truth_values(mask):
    """Positions written into a copy of the mask, which holds truth values."""
    return _positions_with_padding(mask).astype(bool)


@positions_with_padding.wrong(
    "These are the positions of the tokens without their places: each row needs all n entries, with 0 for padding."
)
def _ragged(mask):
    return [list(range(int(row.sum()))) for row in mask]


@positions_with_padding.wrong(
    "Your count begins again after padding in the middle. It should begin again at a new row only."
)
def _back_to_0(mask):
    """Padding sets the counter back."""
    runs = np.cumsum(mask, axis=-1)
    return _on(mask, runs - np.maximum.accumulate(np.where(mask, 0, runs), axis=-1) - 1)
