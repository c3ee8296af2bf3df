"""A test of use · 12 minutes · ★★

A level loss does not show that a model uses a long text. A loss that rises without the far keys does. Write this
test. It calls the model twice on the same tokens. In the first call, each query sees all keys up to its own. In the second,
it sees only the last `near` of these, its own included. Average the losses of the last `near` tokens in both calls, and
return the second mean minus the first. A positive number says that the model has used the far keys, and a negative one that
they disturbed it.

The three models of the checks predict a token by how often it has occurred. `counter` counts among all keys that the mask
shows, `near_counter` only among the last three. `crowded` does as `near_counter`, but its loss grows with each key it sees.
"""

import numpy as np

from course_lib.checking import Case

from .given import WORDS as NUMBER_OF_WORDS
from .given import counter, crowded, near_counter


def use_of_far_keys(model, tokens, near):
    """How much larger the mean loss of the last `near` tokens becomes when all far keys are masked.

    model(tokens, mask) gives the loss of each token, (n,); mask (n, n) is True where a query sees a key.
    Each query sees the last `near` keys, its own included. All other keys are far.
    """
    n = len(tokens)  # `n` is the number of tokens.
    i, j = np.arange(n)[:, None], np.arange(n)  # Queries go down and keys go across. There are n keys, 0 … n − 1.
    # A query sees its own key and those before it. `near` is the number of near keys, and of losses that count. The
    # last `near` losses count.
    full = model(tokens, j <= i)[-near:].mean()
    # The edge of the near keys are i − near + 1 … i. The near keys are i − near + 1 … i. A query sees the keys i −
    # near + 1 … i.
    masked = model(tokens, (j <= i) & (j > i - near))[-near:].mean()
    return masked - full  # The difference is the loss with far keys masked, minus that with all keys.


def expected(model, tokens, near):
    """From the definition: the mask is filled in by two loops."""
    n = len(tokens)
    masks = np.zeros((2, n, n), bool)
    for i in range(n):
        for j in range(i + 1):
            masks[0, i, j], masks[1, i, j] = True, i - j < near
    full, masked = (model(tokens, mask) for mask in masks)
    return sum(masked[n - near :] - full[n - near :]) / near


def _text(seed, n):
    """A text that begins with many zeros and, after other words, ends with zeros."""
    other = np.random.default_rng(seed).integers(1, NUMBER_OF_WORDS, n // 4)
    return np.concatenate([np.zeros(n // 2, int), other, np.zeros(n - n // 2 - n // 4, int)])


def draw(rng):
    model = (counter, near_counter, crowded)[rng.integers(3)]
    return model, rng.integers(NUMBER_OF_WORDS, size=int(rng.integers(12, 40))), int(rng.integers(4, 9))


CASES = [
    Case(counter, _text(0, 40), 8, label="a model that uses the whole text"),
    Case(near_counter, _text(0, 40), 8, label="a model that looks at three keys only"),
    Case(crowded, _text(0, 40), 8, label="a model that is disturbed by many keys"),
    Case(counter, _text(1, 8), 8, label="a text without far keys"),
    Case(counter, _text(2, 60), 5, label="a longer text"),
]


WRONG = """
return full - masked  # The sign is wrong. The result is the loss with far keys masked, minus that with all keys.
return masked  # You return the loss with far keys masked. Subtract that with all keys.
return full  # You return the loss with all keys. Subtract it from the loss with far keys masked.
return masked / full
return (masked - full) / full  # You return a ratio. The task asks for the difference.
return abs(masked - full)  # You drop the sign. A negative number says that the far keys disturbed the model.
return np.exp(masked) - np.exp(full)  # You compare perplexities, e to the power of the loss. The task asks for the
# difference of the losses themselves.
return max(0, masked - full)  # You cut off negative numbers. They say that the far keys disturbed the model.
masked = model(tokens, (j <= i) & (j >= i - near))[-near:].mean()  # You show one key too many. With its own key a
# query sees `near` keys, so j > i − near.
masked = model(tokens, (j <= i) & (j > i - near + 1))[-near:].mean()  # You show one key too few. With its own key a
# query sees `near` keys, so j > i − near.
masked = model(tokens, i // near == j // near)[-near:].mean()
masked = model(tokens, (j <= i) & (i // near == j // near))[-near:].mean()  # You cut the text into chunks of `near`
# tokens. Each query sees the last `near` keys up to its own.
masked = model(tokens, (j <= i) & (j < near))[-near:].mean()  # You show the first `near` keys of the text to every
# query. It should see the last ones up to its own.
masked = model(tokens, np.zeros((n, n), bool))[-near:].mean()  # Your second mask hides every key. A query sees the
# last `near` keys, its own included.
masked = model(tokens, (j < i) & (j > i - near))[-near:].mean()  # You hide the query's own key in the second call. In
# both calls it is visible.
full = model(tokens, j < i)[-near:].mean(); masked = model(tokens, (j < i) & (j > i - near))[-near:].mean()
full = model(tokens, j < i)[-near:].mean(); masked = model(tokens, (j < i) & (j >= i - near))[-near:].mean()
# You hide each query's own key in both calls. It is visible, and it is one of the `near` keys.
full = model(tokens, np.ones((n, n), bool))[-near:].mean()  # Your first mask shows later keys as well. A query sees
# only keys up to its own.
full = model(tokens, j <= n)[-near:].mean()  # Your mask has one row only. It needs a row for each query, so the
# queries are a column, `np.arange(n)[:, None]`.
masked = model(tokens, j > i - near)[-near:].mean()  # Your second mask shows later keys as well. A query sees only
# keys up to its own.
full = model(tokens, j < i)[-near:].mean()  # You hide the query's own key in the first call. In both calls it is
# visible.
masked = model(tokens, (j <= i) & (j <= i - near))[-near:].mean()  # You mask the near keys and keep the far ones. The
# test takes the far ones away.
masked = model(tokens, (j <= i) & (j >= n - near))[-near:].mean()
masked = model(tokens[-near:], (j <= i)[:near, :near]).mean()  # In your second call, the last `near` tokens see only
# each other. Each of them should see the last `near` keys up to its own, in the whole text.
masked = model(tokens, (j <= i) & (j > i - near)).mean()  # Your second mean is over all tokens. In both calls the last
# `near` tokens count.
full = model(tokens, j <= i).mean(); masked = model(tokens, (j <= i) & (j > i - near)).mean()  # Your means are over
# all tokens. Only the last `near` tokens count, because the first ones have no far keys.
full = model(tokens, j <= i)[near:].mean(); masked = model(tokens, (j <= i) & (j > i - near))[near:].mean()
# You average all losses after the first `near`. Only the last `near` count.
full = model(tokens, j <= i)[-1]; masked = model(tokens, (j <= i) & (j > i - near))[-1]  # You take only the last loss
# of each call. The mean of the last `near` losses counts.
return 0.0 * (masked - full)  # Your result is always 0. Check that your second mask hides the far keys, and that you
# average the last `near` losses, whose queries have far keys.
return near * (masked - full)  # Your result is a difference of sums. Take the mean of the last `near` losses in both
# calls.
full = model(tokens, j <= i).mean()  # Your first mean is over all tokens. In both calls the last `near` tokens count.
full = model(tokens, j <= i)[:near].mean()  # You take the first losses with all keys. The last `near` tokens count,
# because they have far keys.
full = model(tokens, j <= i)[-1]  # You take one loss only. The mean of the last `near` losses counts.
full = model(tokens, j <= i)[-near:]  # You forgot the mean in the first call. Take the mean of the last `near` losses
# in both.
"""


HINTS = [
    "The causal mask is `j <= i`, with `i = np.arange(n)[:, None]` and `j = np.arange(n)`.",
    "The near keys of query i are i − near + 1 … i. Combine the two masks with `&`.",
    "`model(tokens, mask)[-near:].mean()` is the mean of the losses that count.",
]


def wrong_program_18(model, tokens, near):
    """Both of your masks show later keys as well. A query sees only keys up to its own."""
    n = len(tokens)
    i, j = np.arange(n)[:, None], np.arange(n)
    full = model(tokens, np.ones((n, n), bool))[-near:].mean()
    masked = model(tokens, j > i - near)[-near:].mean()
    return masked - full


def wrong_program_20(model, tokens, near):
    """You exchanged True and False in your masks. True means that a query sees a key."""
    n = len(tokens)
    i, j = np.arange(n)[:, None], np.arange(n)
    full = model(tokens, ~(j <= i))[-near:].mean()
    masked = model(tokens, ~((j <= i) & (j > i - near)))[-near:].mean()
    return masked - full


def wrong_program_29(model, tokens, near):
    """You average one loss too many. The last `near` losses are `[-near:]`."""
    n = len(tokens)
    i, j = np.arange(n)[:, None], np.arange(n)
    full = model(tokens, j <= i)[-near - 1 :].mean()
    masked = model(tokens, (j <= i) & (j > i - near))[-near - 1 :].mean()
    return masked - full


def wrong_program_30(model, tokens, near):
    """You leave out the last loss. The last `near` losses are `[-near:]`."""
    n = len(tokens)
    i, j = np.arange(n)[:, None], np.arange(n)
    full = model(tokens, j <= i)[-near:-1].mean()
    masked = model(tokens, (j <= i) & (j > i - near))[-near:-1].mean()
    return masked - full


def wrong_program_31(model, tokens, near):
    """You take the median of the losses. The task asks for their mean."""
    n = len(tokens)
    i, j = np.arange(n)[:, None], np.arange(n)
    full = np.median(model(tokens, j <= i)[-near:])
    masked = np.median(model(tokens, (j <= i) & (j > i - near))[-near:])
    return masked - full
