"""Bug hunt: positions that count padding."""

import numpy as np

from ..engine import Case, Mistake, Property, Task


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


def _padded(*rows, says):
    """A case from rows of text in which a dot is padding."""
    return Case(np.array([[token != "." for token in row] for row in rows]), says=says)


def _drawn(rng):
    batch, n = rng.integers(1, 5), rng.integers(2, 9)
    return (rng.random((batch, n)) < rng.choice([0.3, 0.7]),)


def _steps(mask):
    return np.tile(np.arange(mask.shape[-1]), (len(mask), 1))


def _before(mask):
    """Padding to the left of the prompt's first token."""
    return np.argmax(mask, axis=-1)[:, None]


def _pads(mask):
    return np.sum(~mask, axis=-1, keepdims=True)


def _on(mask, positions, padding=0):
    return np.where(mask, positions, padding)


def _one_counter(mask):
    """The counter is not set back at a new prompt."""
    return _on(mask, np.cumsum(mask).reshape(mask.shape) - 1)


def _back_to_0(mask):
    """Padding sets the counter back."""
    runs = np.cumsum(mask, axis=-1)
    return _on(mask, runs - np.maximum.accumulate(np.where(mask, 0, runs), axis=-1) - 1)


def _truth_values(mask):
    """Positions written into a copy of the mask, which holds truth values."""
    return _positions_with_padding(mask).astype(bool)


def _ragged(mask):
    return [list(range(int(row.sum()))) for row in mask]


def _moved(how_far):
    """All rows moved by one number, from the lengths of the prompts."""
    return lambda mask: _on(mask, _steps(mask) - (mask.shape[-1] - how_far(mask.sum(-1))))


def _from_the_first(find):
    """Each row from its first token on, which find(row) looks for and does not find in a row of padding alone."""

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


def _first_run(mask):
    """The tokens up to the first padding behind them."""
    ended = np.cumsum(np.diff(mask.astype(int), axis=-1, prepend=0) == -1, axis=-1) > 0
    return np.where(ended, 0, _positions_with_padding(mask))


_LEFT_ONLY = "That is right for left padding alone. Count the tokens of the prompt themselves, and it does not matter where padding stands."

positions_with_padding = Task(
    title="Bug hunt: the prompt that moved",
    minutes=10,
    difficulty=2,
    words="""The prompts of a batch must have one length, so the shorter ones are filled up with padding. A model that writes wants it
on the **left**: the last token of every prompt then stands at the end, where the next one is added. The code below gives
every row the positions 0 … n − 1. A prompt of three tokens behind five of padding stands at 5, 6 and 7, and what the
model writes depends on how long the other prompts are. GPT-2 in the library *transformers* did the same until 2020
(huggingface/transformers, issue 3021, mended by pull request 7552). Mend it: a position counts the tokens of the prompt
itself, from 0, wherever the padding stands; a row may be padding alone. Nobody may look at padding, so any row of a
table would do for it: write 0, so that answers can be compared.

Which schemes care? Learned and sinusoidal positions do, as every token gets another vector. ALiBi, T5, Shaw and RoPE see
offsets alone, and left padding moves all tokens of a prompt by the same number of places: if padding is masked, their
output stays the same. Padding in the *middle*, as when a prompt that was padded on the right is continued, changes
offsets, and then they care too.""",
    solution=_positions_with_padding,
    given=_positions_with_padding_given,
    expected=_counted,
    cases=[
        _padded("...xx", "..xxx", "xxxxx", says="left padding"),
        _padded("xx...", "xxx..", "xxxxx", says="right padding"),
        _padded("xxxx", "xxxx", says="no padding"),
        _padded("xx..xx", "x....x", ".x.xx.", says="padding in the middle"),
        _padded("....", "..xx", says="a row of padding alone"),
        _padded("x", says="one token"),
        _padded(".....xxx", says="three tokens behind five of padding"),
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
    mistakes=[
        Mistake(
            lambda mask: _on(mask, _steps(mask)),
            "Padding has 0 now, but the tokens still count it: the first of a prompt must get 0 too. Count the tokens, not the places.",
        ),
        Mistake(
            lambda mask: _steps(mask) - _before(mask),
            "Each prompt begins at 0 now. Padding has numbers of its own, and in the middle of a prompt it is still counted: add up the mask, and give padding 0.",
        ),
        Mistake(
            lambda mask: np.maximum(_steps(mask) - _before(mask), 0),
            "Each prompt begins at 0 now, and so does padding on its left. In the middle padding is still counted, and on the right it has numbers: add up the mask itself.",
        ),
        Mistake(
            lambda mask: _on(mask, _steps(mask) - _before(mask)),
            "Each prompt begins at 0 now, but padding in its middle is still counted. Count the tokens of the prompt themselves.",
        ),
        Mistake(
            lambda mask: _steps(mask) - _pads(mask),
            "You move each row by the number of its padding tokens. " + _LEFT_ONLY + " And padding gets 0.",
        ),
        Mistake(
            lambda mask: np.maximum(_steps(mask) - _pads(mask), 0),
            "You move each row by the number of its padding tokens, and end at 0. " + _LEFT_ONLY,
        ),
        Mistake(
            lambda mask: _on(mask, _steps(mask) - _pads(mask)),
            "You move the tokens of each row by the number of its padding tokens. " + _LEFT_ONLY,
        ),
        Mistake(
            lambda mask: np.where(_steps(mask) < mask.sum(-1, keepdims=True), _steps(mask), 0),
            "That is right for padding on the right alone: the numbers stand at the first places of the row, whether a token is there or not.",
        ),
        Mistake(
            lambda mask: _on(mask, np.maximum(_steps(mask) - _pads(mask), 0)),
            "The tokens are moved by the number of padding tokens, and what would be negative is 0. " + _LEFT_ONLY,
        ),
        Mistake(
            "np.cumsum(mask, axis=-1) - 1",
            "np.cumsum(mask, axis=-1)",
            "The positions begin with 1: the sum counts the token itself. Take 1 away.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1) - 1",
            "np.cumsum(mask, axis=-1) - 2",
            "The positions begin with −1. The first token of a prompt stands at 0.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1) - 1",
            "np.cumsum(mask, axis=-1) + 1",
            "The positions begin with 2: 1 is to be taken away, not added.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1) - 1",
            "1 - np.cumsum(mask, axis=-1)",
            "The positions run downwards: the sum less 1, not 1 less the sum.",
        ),
        Mistake(
            lambda mask: np.cumsum(mask, axis=-1) - 1,
            "The tokens of the prompts are right. Padding is not: on the left it gets −1, which reads the *last* row of a table, and behind a token the position of that token. It gets 0.",
        ),
        Mistake(
            lambda mask: np.cumsum(mask, axis=-1),
            "The positions begin with 1, as the sum counts the token itself, and padding behind a token repeats its number. Take 1 away, and give padding 0.",
        ),
        Mistake(
            lambda mask: np.maximum(np.cumsum(mask, axis=-1) - 1, 0),
            "The tokens of the prompts are right, and padding on the left. Padding behind a token repeats its position, and should get 0 as well: ask the mask where padding is.",
        ),
        Mistake(
            lambda mask: np.cumsum(mask, axis=-1) - mask,
            "The tokens of the prompts are right. Padding gets the number of tokens before it, and should get 0.",
        ),
        Mistake(
            "- 1, 0)",
            "- 1, 1)",
            "The tokens of the prompts are right. Padding gets 1, as in transformers: that would do, but 0 was asked for.",
        ),
        Mistake(
            "- 1, 0)",
            "- 1, -1)",
            "The tokens of the prompts are right. Padding gets −1, and in a table −1 reads the last row without a word: it gets 0.",
        ),
        Mistake(
            lambda mask: _on(mask, np.cumsum(mask, axis=-1) - 1, np.nan),
            "The tokens of the prompts are right. Padding gets nan, which is no row of a table: it gets 0.",
        ),
        Mistake(
            lambda mask: _on(mask, np.cumsum(mask, axis=-1) - 1, _steps(mask)),
            "The tokens of the prompts are right. Padding keeps the number of its place, and should get 0.",
        ),
        Mistake(
            "axis=-1",
            "axis=0",
            "You count down the batch, across the prompts. Each prompt is counted along its own row, the last axis.",
        ),
        Mistake(
            "axis=-1",
            "axis=None",
            "Without an axis `cumsum` runs through all prompts as if they were one. Each is counted along its own row: `axis=-1`.",
        ),
        Mistake(
            _one_counter,
            "The count goes on from prompt to prompt. It begins again at 0 in each row.",
        ),
        Mistake(
            "np.cumsum(mask,",
            "np.cumsum(mask.long(),",
            "`.long()` is torch's. A NumPy array is counted as it is, True as 1 and False as 0; `mask.astype(int)` makes whole numbers.",
        ),
        Mistake(
            "np.where(mask,",
            "np.where(~mask,",
            "Tokens and padding have changed places: `where` takes its second argument where the mask is True.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1)",
            "np.cumsum(~mask, axis=-1)",
            "You count the padding. The tokens of the prompt are True in the mask.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1)",
            "np.sum(mask, axis=-1, keepdims=True)",
            "Every token of a prompt gets the same number, the position of the last one. A running sum counts up: `cumsum`.",
        ),
        Mistake(
            "np.cumsum(mask, axis=-1)",
            "mask",
            "Every entry is 0. The first token of a prompt gets 0, the second 1: is the result ever filled, and does anything count up?",
        ),
        Mistake(
            lambda mask: _on(mask, mask.sum(axis=-1, keepdims=True)),
            "Every token of a prompt gets the same number, how many tokens the prompt has. How many stand *before* it?",
        ),
        Mistake(
            lambda mask: mask,
            "This is 1 for each token and 0 for padding, as the mask is. A position says how many tokens of the prompt stand before.",
        ),
        Mistake(
            lambda mask: (np.cumsum(mask, axis=-1) - 1).astype(bool),
            "Truth values alone: an array like the mask holds nothing else, and −1 is True there. `np.zeros(mask.shape, dtype=int)` holds whole numbers.",
        ),
        Mistake(
            lambda mask: _on(~mask, np.cumsum(~mask, axis=-1) - 1),
            "You count the padding, and leave the tokens at 0. A token of the prompt is *True* in the mask.",
        ),
        Mistake(
            lambda mask: _on(mask, np.cumsum(~mask, axis=-1)),
            "You count the padding before each token. Which of the places before it are tokens?",
        ),
        Mistake(
            lambda mask: np.cumsum(~mask, axis=-1),
            "You count the padding so far. Count the tokens, and give padding 0.",
        ),
        Mistake(
            lambda mask: np.cumsum(mask.astype(int) - 1, axis=-1),
            "The mask less 1 is 0 for a token and −1 for padding: its sum counts the padding, downwards. Take 1 away from the sum.",
        ),
        Mistake(
            _moved(np.max),
            "All rows are moved by one number, the padding of the longest prompt. Each prompt has its own padding.",
        ),
        Mistake(
            _moved(np.min),
            "All rows are moved by one number, the padding of the shortest prompt. Each prompt has its own padding.",
        ),
        Mistake(
            _first_run,
            "You stop at the first padding behind a token. A prompt may go on after padding in its middle.",
        ),
        Mistake(
            lambda mask: _on(mask, mask.shape[-1] - 1 - _steps(mask)),
            "You number the places from the right, padding included. Count the tokens, from the left.",
        ),
        Mistake(
            lambda mask: _on(mask, _steps(mask) - mask.shape[-1]),
            "These are places counted from the end, negative as in `x[-1]`. The first token of a prompt gets 0.",
        ),
        Mistake(
            lambda mask: _on(mask, np.argsort(~mask, axis=-1, kind="stable")),
            "`argsort` says *which* places come first when tokens are put before padding. Which rank each place gets is another question, and a running sum answers it.",
        ),
        Mistake(
            lambda mask: np.argsort(np.argsort(~mask, axis=-1, kind="stable"), axis=-1),
            "The tokens of the prompts are right. Padding is counted on behind them, and should get 0.",
        ),
        Mistake(
            lambda mask: np.nonzero(mask)[1],
            "These are the places of all tokens in one row. The result has the shape of the mask, (batch, n).",
        ),
        Mistake(
            _from_the_first(_by_index),
            "Each prompt begins at 0 now, but padding in its middle is still counted; and in a row of padding alone `index` finds nothing. Count the tokens of the prompt themselves.",
        ),
        Mistake(
            _from_the_first(_by_walking),
            "Each prompt begins at 0 now, but padding in its middle is still counted; and in a row of padding alone your loop runs over the end. Count the tokens of the prompt themselves.",
        ),
        Mistake(
            lambda mask: _on(mask, np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1),
            "You count from the right: the last token of a prompt gets 0. The first one does.",
        ),
        Mistake(
            lambda mask: np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1,
            "You count from the right, and padding has numbers of its own. The first token of a prompt gets 0, and so does padding.",
        ),
        Mistake(
            lambda mask: mask * (_steps(mask) + 1),
            "These are places counted from 1, with 0 for padding. The first token of a prompt gets 0 wherever it stands.",
        ),
        Mistake(
            _truth_values,
            "Truth values alone: you write the positions into the mask, or into an array like it, which holds nothing else. `np.zeros(mask.shape, dtype=int)` holds whole numbers.",
        ),
        Mistake(
            _ragged,
            "These are the positions of the tokens without their places: each row needs all n entries, with 0 where padding stands.",
        ),
        Mistake(
            lambda mask: np.concatenate(_ragged(mask)),
            "All prompts in one row, and no padding between them. The result has the shape of the mask, (batch, n).",
        ),
        Mistake(
            _back_to_0,
            "The count begins again behind padding in the middle. It belongs to the prompt: set it back at a new row only.",
        ),
        Mistake(
            lambda mask: np.arange(mask.shape[-1]),
            "One row for all prompts, and it counts padding. Each prompt has its own row, as each has its own padding.",
        ),
    ],
    alternatives=[_counted, _without_where, lambda mask: mask * (mask.cumsum(1) - 1)],
    hints=[
        "Run the code by hand on one row, False False True True. Which position does the first token of the prompt get, and which without the padding?",
        "In the mask a token of the prompt is 1 and padding is 0. How many tokens of the prompt stand before a place? `np.cumsum(mask, axis=-1)` counts them, the token itself included.",
        "`np.where(mask, …, 0)` gives padding its 0, and the running sum less 1 to the tokens.",
    ],
)
