"""Bug hunt: the prompt that moved · 10 minutes · ★★

All prompts of a batch must have the same length, so the shorter ones are filled up with padding. A model
that generates text wants the padding on the **left**, because then the last token of every prompt is at the end of its
row, where the next token is added. The code below gives every row the positions 0 … n − 1. A prompt of three tokens
after five of padding gets the positions 5, 6 and 7, so what the model writes depends on how long the other prompts are.
GPT-2 in the library *transformers* had this bug until 2020 (huggingface/transformers, issue 3021, fixed by pull request
7552).

Fix the code. A position counts the tokens of its own prompt from 0, wherever the padding is. A row may be padding only.
No token attends to padding, so its position does not matter. Write 0, so that your result can be checked.

Which schemes are affected? Those that read a position: learned and sinusoidal ones, the log scale and FIRE, and RoPE
with speeds that depend on the length of the text. ALiBi, T5, Shaw and RoPE with fixed speeds see only offsets, which
padding changes only in the *middle* of a prompt, as when one that was padded on the right is continued.
`RelativeAttention` takes such numbers as `positions`, and counts on from them with a cache.
"""

import numpy as np

from course_kit.checking import Case

from ...shared import bfloat16  # noqa: F401 (wrong lines use bfloat16)


def positions_with_padding(mask):
    """The position of each token in its own prompt, (batch, n); 0 for padding.

    mask (batch, n) is True for a token of the prompt and False for padding.
    """
    # The running sum counts the tokens of the prompt up to each place, in its own row.
    count = np.cumsum(mask, axis=-1)
    before = count - 1  # A position is the number of tokens before, so the running sum without the token itself.
    return np.where(mask, before, 0)  # The mask is True for a token of the prompt. Padding gets 0.


def given(mask):
    batch, n = mask.shape
    return np.tile(np.arange(n), (batch, 1))


def expected(mask):
    """Row by row, token by token: how many tokens of the prompt come before."""
    return [[sum(map(int, row[:k])) if real else 0 for k, real in enumerate(row)] for row in mask]


def draw(rng):
    batch, n = rng.integers(1, 5), rng.integers(2, 9)
    return (rng.random((batch, n)) < rng.choice([0.3, 0.7]),)


def padded(*rows, label):
    """A case from rows of text in which a dot is padding."""
    return Case(np.array([[token != "." for token in row] for row in rows]), label=label)


def places(mask):
    """The numbers of the places in a row, padding included."""
    return np.arange(mask.shape[-1])


AXES = ("prompt", "place")
CASES = [
    padded("...xx", "..xxx", "xxxxx", label="left padding"),
    padded("xx...", "xxx..", "xxxxx", label="right padding"),
    padded("xx..xx", "x....x", ".x.xx.", label="padding in the middle"),
    padded("....", "..xx", label="a row of padding only"),
    padded("x", label="one token"),
    padded(".....xxx", label="three tokens after five of padding"),
    padded("." * 9 + "x" * 300, label="300 tokens after nine of padding"),
]
WRONG = """
before = places(mask)  # You give padding 0, but still count it for the tokens. Count tokens of the prompt, not places.
before = places(mask) - np.argmax(mask, axis=-1)[:, None]
# Each prompt begins at 0 now, but you still count padding after its first token. Count the tokens, not the places.
before = places(mask) - np.sum(~mask, axis=-1, keepdims=True)
before = np.maximum(places(mask) - np.sum(~mask, axis=-1, keepdims=True), 0)
# You move each row by the number of its padding tokens, as if all of them were on the left.
before = places(mask) - mask.shape[-1] + mask.sum(-1).max()
before = places(mask) - mask.shape[-1] + mask.sum(-1).min()  # You move all rows alike. Each prompt has its own padding.
before = places(mask)[::-1]
before = places(mask) - mask.shape[-1]  # You count the places from the end of the row. Count tokens from its beginning.
return mask * (places(mask) + 1)  # You count the places from 1. Count the tokens of the prompt instead, from 0.
return np.where(places(mask) < mask.sum(-1, keepdims=True), places(mask), 0)  # You fill the first places of each row,
# which is right for padding on the right only. Count up where the tokens are.
return places(mask)  # You return one row for all prompts, and it counts padding. Each prompt needs its own row.
before = count
return count  # Your positions begin at 1, as a running sum does that counts the token itself. Subtract 1.
before = count - 2  # Your positions are one too small. The first token of a prompt gets 0.
return count * mask + 1  # Your positions are those of RoBERTa, whose table has two more rows in front. They begin at
# 0 here.
return np.where(mask, before, 1)  # Padding gets 0 here, as in `generate` of transformers; you filled in 1.
return before
return count - mask
return np.maximum(before, 0)
return np.argsort(np.argsort(~mask, kind="stable"))
return np.where(mask, before, np.nan)
return np.where(mask, before, places(mask))  # Padding should get 0, where the mask is False.
count = bfloat16(np.cumsum(mask, axis=-1))  # You count in bfloat16, which has eight bits. Beyond 256 it rounds the
# numbers.
count = np.cumsum(mask.long(), axis=-1)  # `.long()` is a method of torch tensors. NumPy sums the mask as it is.
count = np.cumsum(~mask, axis=-1)
count = np.cumsum(~mask, axis=-1); return np.where(~mask, before, 0)  # You count padding. A token is True in the mask.
count = np.cumsum(mask.astype(int) - 1, axis=-1); return count  # You count the padding, with a minus sign, as the sum
# of `mask - 1` does. Subtract 1 from the sum instead.
count = np.cumsum(mask, axis=0)  # You count down the batch. Count along each row, the last axis.
count = np.cumsum(mask)  # You make one row of all prompts, as `np.cumsum` does without an axis. Count along the last.
count = np.cumsum(mask).reshape(mask.shape)  # Your count continues from prompt to prompt. Each row begins at 0.
count = np.cumsum(mask[:, ::-1], axis=-1)[:, ::-1]  # You count from the right. The first token gets 0.
before = count - np.maximum.accumulate(count * ~mask, axis=-1) - 1  # Your count begins again after padding in the
# middle. It should begin again only at a new row.
mask = mask & (np.cumsum(np.diff(mask.astype(int), prepend=0) == 1, axis=-1) == 1)  # You stop at the first padding
# after a token. A prompt may continue after padding in its middle.
count = np.sum(mask, axis=-1, keepdims=True)
before = np.sum(mask, axis=-1, keepdims=True)  # Every token of a prompt gets the same number. `np.cumsum` counts up.
before = np.argsort(~mask, kind="stable")  # You say *which* places come first, as `argsort` does. Give each a rank.
return mask  # You return 1 for each token and 0 for padding, like the mask. Count the tokens that come before.
return before.astype(bool)
return np.where(mask, before, 0).astype(bool)  # Your positions end at 1, as truth values do. Is `dtype=int` missing?
return np.concatenate([np.arange(row.sum()) for row in mask])
return np.nonzero(mask)[1]  # You return all prompts in one row, without the padding. The result has the mask's shape.
return [list(range(int(row.sum()))) for row in mask]  # You leave out the padding. Each row needs all n entries.
"""


def wrong_new_token_by_its_place(mask):
    """The last token of each row has the number of its place, padding included, and those before it are counted from
    the mask. A new token goes on after the last position of its own prompt."""
    count = np.cumsum(mask, axis=-1)
    found = np.where(mask, count - 1, 0)
    found[:, -1] = mask.shape[-1] - 1
    return found


HINTS = [
    "Run the code by hand on the row False False True True. Which position does the first token of the prompt get? "
    "Which would it get without the padding?",
    "In the mask a token of the prompt counts as 1 and padding as 0. How many tokens of the prompt come before a "
    "place? `np.cumsum(mask, axis=-1)` counts them, and the token itself.",
    "`np.where(mask, …, 0)` gives padding its 0, and the tokens get the running sum minus 1.",
]
