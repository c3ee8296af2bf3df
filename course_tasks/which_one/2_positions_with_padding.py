"""Bug hunt: the prompt that moved · 10 minutes · ★★

All prompts of a batch must have the same length, so the shorter ones are filled up with padding. A model
that generates text wants the padding on the **left**, because then the last token of every prompt is at the end of its
row, where the next token is added. The code below gives every row the positions 0 … n − 1. A prompt of three tokens
after five of padding gets the positions 5, 6 and 7, so what the model writes depends on how long the other prompts are.
GPT-2 in the library *transformers* had this bug until 2020 (huggingface/transformers, issue 3021, fixed by pull request
7552).

Fix the code. A position counts the tokens of its own prompt from 0, wherever the padding is. A row may be padding only.
No token attends to padding, so its position does not matter. Write 0, so that your result can be checked.

Which schemes are affected? Learned and sinusoidal positions are, because every token gets another vector. ALiBi, T5,
Shaw and RoPE see only offsets, and left padding moves all tokens of a prompt by the same number of places. If the
padding is masked, their output stays the same. Padding in the *middle* does change offsets, so it affects these schemes
too. It arises when a prompt that was padded on the right is continued.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds


def positions_with_padding(mask):
    """The position of each token in its own prompt, (batch, n); 0 for padding.

    mask (batch, n) is True for a token of the prompt and False for padding.
    """
    # The position is the number of tokens before, so the running sum without the token itself. Tokens get their
    # position, and padding gets 0. The running sum counts the tokens of the prompt up to each place, along the row.
    # Each prompt is counted along its own row, the last axis. The task asks for 0. With −1, padding would silently
    # read the last row of a table. The mask is True for a token of the prompt and False for padding.
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)


def given(mask):
    """The position of each token in its own prompt, (batch, n); 0 for padding.

    mask (batch, n) is True for a token of the prompt and False for padding.
    """
    batch, n = mask.shape
    return np.tile(np.arange(n), (batch, 1))


def expected(mask):
    """Row by row, token by token: how many tokens of the prompt come before."""
    return [[sum(map(int, row[:k])) if real else 0 for k, real in enumerate(row)] for row in mask]


def _padded(*rows, label):
    """A case from rows of text in which a dot is padding."""
    return Case(np.array([[token != "." for token in row] for row in rows]), label=label)


def draw(rng):
    batch, n = rng.integers(1, 5), rng.integers(2, 9)
    return (rng.random((batch, n)) < rng.choice([0.3, 0.7]),)


# The places of each row, moved by a number of its own, and what becomes of padding.
_MOVES = {
    "np.argmax(mask, axis=-1)[:, None]": "Each prompt begins at 0 now, but you still count padding after its first token.",
    "np.sum(~mask, axis=-1, keepdims=True)": "You move each row by the number of its padding tokens, which is right for left padding only.",
}


_MOVED = """
np.cumsum(mask, axis=-1) - 1 → {0}
or np.cumsum(mask, axis=-1) - 1 → np.maximum({0}, 0)
    {1} Count the tokens of the prompt, not the places.
... → return {0}
or ... → return np.maximum({0}, 0)
    {1} Count the tokens of the prompt, and give padding 0.
"""


CASES = [
    _padded("...xx", "..xxx", "xxxxx", label="left padding"),
    _padded("xx...", "xxx..", "xxxxx", label="right padding"),
    _padded("xxxx", "xxxx", label="no padding"),
    _padded("xx..xx", "x....x", ".x.xx.", label="padding in the middle"),
    _padded("....", "..xx", label="a row of padding only"),
    _padded("x", label="one token"),
    _padded(".....xxx", label="three tokens after five of padding"),
]


AXES = ("prompt", "place")


ALWAYS = [
    holds(
        "A prompt must get the same positions with and without padding, 0, 1, 2, … for its own tokens.",
        (
            lambda found, mask: all(
                np.array_equal(row[real], np.arange(real.sum())) for row, real in zip(np.asarray(found), mask)
            )
        ),
    ),
    holds(
        "The positions of all tokens are right, but padding should get 0.",
        lambda found, mask: (np.asarray(found)[~mask] == 0).all(),
    ),
]


WRONG = """
return np.where(mask, np.arange(mask.shape[-1]) - np.argmax(mask, axis=-1)[:, None], 0)
return np.where(mask, np.maximum(np.arange(mask.shape[-1]) - np.argmax(mask, axis=-1)[:, None], 0), 0)
# Each prompt begins at 0 now, but you still count padding after its first token. Count the tokens of the prompt, not
# the places.
return np.arange(mask.shape[-1]) - np.argmax(mask, axis=-1)[:, None]
return np.maximum(np.arange(mask.shape[-1]) - np.argmax(mask, axis=-1)[:, None], 0)  # Each prompt begins at 0 now, but
# you still count padding after its first token. Count the tokens of the prompt, and give padding 0.
return np.where(mask, np.arange(mask.shape[-1]) - np.sum(~mask, axis=-1, keepdims=True), 0)
return np.where(mask, np.maximum(np.arange(mask.shape[-1]) - np.sum(~mask, axis=-1, keepdims=True), 0), 0)
# You move each row by the number of its padding tokens, which is right for left padding only. Count the tokens of the
# prompt, not the places.
return np.arange(mask.shape[-1]) - np.sum(~mask, axis=-1, keepdims=True)
return np.maximum(np.arange(mask.shape[-1]) - np.sum(~mask, axis=-1, keepdims=True), 0)  # You move each row by the
# number of its padding tokens, which is right for left padding only. Count the tokens of the prompt, and give padding
# 0.
return np.where(mask, np.cumsum(mask, axis=-1), 0)
return np.cumsum(mask, axis=-1)  # Your positions begin at 1, because the running sum counts the token itself. Subtract
# 1.
return np.cumsum(mask, axis=-1) - 1
return np.maximum(np.cumsum(mask, axis=-1) - 1, 0)
return np.cumsum(mask, axis=-1) - mask
return np.argsort(np.argsort(~mask, axis=-1, kind='stable'), axis=-1)
return np.where(mask, np.cumsum(mask, axis=-1) - 1, np.nan)
return np.where(mask, np.cumsum(mask, axis=-1) - 1, np.arange(mask.shape[-1]))  # The positions of all tokens are
# right, but padding should get 0. The mask says where the padding is.
return np.where(mask, np.cumsum(mask.long(), axis=-1) - 1, 0)  # `.long()` is a method of torch tensors. NumPy can sum
# the mask as it is, with True as 1 and False as 0.
return np.where(mask, np.cumsum(~mask, axis=-1) - 1, 0)
return np.where(mask, np.cumsum(~mask, axis=-1), 0)
return np.cumsum(~mask, axis=-1)
return np.where(~mask, np.cumsum(~mask, axis=-1) - 1, 0)  # You count the padding. A token of the prompt is True in the
# mask.
return np.cumsum(mask.astype(int) - 1, axis=-1)  # You subtract 1 from the mask, so the sum counts the padding, with a
# minus sign. Subtract 1 from the sum instead.
return np.where(mask, np.sum(mask, axis=-1, keepdims=True) - 1, 0)
return np.where(mask, np.sum(mask, axis=-1, keepdims=True), 0)  # Every token of a prompt gets the same number. A
# running sum, `np.cumsum`, counts up from token to token.
return np.where(mask, mask - 1, 0)  # Every entry is 0. The first token of a prompt gets 0, but the second gets 1. Does
# your code fill the result?
return mask  # You return 1 for each token and 0 for padding, like the mask. Count how many tokens of the prompt come
# before.
return (np.cumsum(mask, axis=-1) - 1).astype(bool)
return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0).astype(bool)  # You return truth values. The mask and its copies
# hold nothing else; `np.zeros(mask.shape, dtype=int)` holds numbers.
return np.where(mask, np.arange(mask.shape[-1]), 0)  # You give padding 0, but still count it for the tokens. Count the
# tokens of the prompt, not the places.
return np.where(mask, np.arange(mask.shape[-1])[::-1], 0)
return np.where(mask, np.arange(mask.shape[-1]) - mask.shape[-1], 0)  # You count the places from the end of the row,
# padding included. Count the tokens of the prompt from its beginning.
return mask * (np.arange(mask.shape[-1]) + 1)  # You count the places from 1. Count the tokens of the prompt instead,
# from 0.
return np.where(np.arange(mask.shape[-1]) < mask.sum(-1, keepdims=True), np.arange(mask.shape[-1]), 0)  # You fill the
# first places of each row, which is right for padding on the right only. Count up where the tokens are.
return np.where(mask, np.arange(mask.shape[-1]) - mask.shape[-1] + mask.sum(-1).max(), 0)
return np.where(mask, np.arange(mask.shape[-1]) - mask.shape[-1] + mask.sum(-1).min(), 0)  # You move all rows by the
# same number of places. Each prompt has its own padding.
return np.where(mask, np.argsort(~mask, axis=-1, kind='stable'), 0)  # `argsort` says *which* places come first when
# tokens are put before padding. Here you need the rank of each place.
return np.where(mask, np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1, 0)
return np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1] - 1  # You count from the right. The first token of a prompt gets 0,
# and so does padding.
return np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, 0)  # Your count continues from prompt to prompt. It
# should begin again at 0 in each row.
return np.where(mask, (t := np.cumsum(mask, axis=-1)) - np.maximum.accumulate(t * ~mask, axis=-1) - 1, 0)
# Your count begins again after padding in the middle. It should begin again only at a new row.
return np.arange(mask.shape[-1])  # You return one row for all prompts, and it counts padding. Each prompt needs its
# own row.
return np.concatenate([np.arange(row.sum()) for row in mask])
return np.nonzero(mask)[1]  # You return all prompts in one row, without the padding. The result has the shape of the
# mask, (batch, n).
return [list(range(int(row.sum()))) for row in mask]  # You leave out the padding. Each row needs all n entries, with 0
# for padding.
"""


HINTS = [
    "Run the code by hand on the row False False True True. Which position does the first token of the prompt get? "
    "Which would it get without the padding?",
    "In the mask a token of the prompt counts as 1 and padding as 0. How many tokens of the prompt come before a "
    "place? `np.cumsum(mask, axis=-1)` counts them, and the token itself.",
    "`np.where(mask, …, 0)` gives padding its 0, and the tokens get the running sum minus 1.",
]


def wrong_program_40(mask):
    """You stop at the first padding after a token. A prompt may continue after padding in its middle."""
    return np.where(
        mask & (np.cumsum(np.diff(mask.astype(int), axis=-1, prepend=0) == 1, axis=-1) == 1),
        np.cumsum(mask, axis=-1) - 1,
        0,
    )


def right_in_a_third_way(mask):
    return mask * (mask.cumsum(1) - 1)


def right_without_where(mask):
    positions = np.zeros(mask.shape, dtype=int)
    for row, real in zip(positions, mask):
        row[real] = np.arange(real.sum())
    return positions
