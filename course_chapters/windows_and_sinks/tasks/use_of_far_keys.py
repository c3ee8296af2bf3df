"""A test of use · 12 minutes · ★★

A level loss does not show that a model uses a long text. Write a test that does. It calls the model twice on the same
tokens. In the first call, each query sees all keys up to its own. In the second, it sees only token 0 and the last
`near` of these, its own included. (Many models need token 0 as a sink. Without it their loss rises, and that is not the
use of a long text.) Average the losses of the last `near` tokens in both calls, and return the second mean minus the
first. A positive number says that the model has used the far keys, and a negative one that they disturbed it.

The models of the checks predict a token by how often it has occurred. `counter` counts among all keys that the mask
shows, `near_counter` only among the last three. `crowded` and `anchored` do as `near_counter`, but the loss of
`crowded` grows with each key it sees, and that of `anchored` is 1 higher where token 0 is hidden.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.attention import causal_mask
from course_lib.reference.sliding_window import window_mask

from .given import VOCABULARY, anchored, counter, crowded, near_counter, two_layers


def use_of_far_keys(model, tokens, near):
    """How much larger the mean loss of the last `near` tokens becomes when all far keys are masked.

    model(tokens, mask) gives the loss of each token, (n,); mask (n, n) is True where a query sees a key.
    Each query sees token 0 and the last `near` keys, its own included. All other keys are far.
    """
    n = len(tokens)  # There are n queries and n keys.
    i, j = np.arange(n)[:, None], np.arange(n)  # Queries go down and keys go across, both from 0 to n − 1.
    causal = j <= i  # A query sees its own key and those before it.
    # The near keys of query i are i − near + 1 … i, and token 0 is always seen.
    window = (j <= i) & ((j > i - near) | (j == 0))
    last = slice(-near, None)  # The last `near` losses count.
    full = model(tokens, causal)[last].mean()  # The first call shows all keys up to the query's own.
    masked = model(tokens, window)[last].mean()  # The second call shows the near keys only.
    return masked - full  # The difference is the mean loss with far keys masked, minus that with all keys.


def expected(model, tokens, near):
    causal, window = causal_mask(len(tokens)), window_mask(len(tokens), w=near)
    window[:, 0] = True
    full, masked = model(tokens, causal), model(tokens, window)
    return (masked - full)[-near:].mean()


def draw(rng):
    model = (counter, near_counter, crowded, anchored)[rng.integers(4)]
    return model, rng.integers(VOCABULARY, size=int(rng.integers(12, 40))), int(rng.integers(4, 9))


def text(seed, n):
    """A text that begins with many zeros and, after other words, ends with zeros."""
    other = np.random.default_rng(seed).integers(1, VOCABULARY, n // 4)
    return np.concatenate([np.zeros(n // 2, int), other, np.zeros(n - n // 2 - n // 4, int)])


CASES = [
    Case(counter, text(0, 40), 8, label="a model that uses the whole text"),
    Case(near_counter, text(0, 40), 8, label="a model that looks at three keys only"),
    Case(crowded, text(0, 40), 8, label="a model that is disturbed by many keys"),
    Case(anchored, text(0, 40), 8, label="a model that needs its first token"),
    Case(counter, text(1, 8), 8, label="a text without far keys"),
    Case(two_layers, text(0, 40), 8, label="a model of two layers"),
    Case(crowded, text(2, 301), 8, label="301 tokens"),
]
WRONG = """
causal = np.ones((n, n), bool)  # Your first mask shows later keys as well. A query sees only keys up to its own.
causal = j <= n  # Your mask has one row only. Each query needs a row, so the queries are a column.
causal = j < i; window = (j < i) & ((j > i - near) | (j == 0))
causal = j < i; window = (j < i) & ((j >= i - near) | (j == 0))  # You hide each query's own key. It is
# one of the `near` keys.
causal = np.ones((n, n), bool); window = (j > i - near) | (j == 0)  # Both masks show later keys. A query
# sees keys up to its own.
causal = j > i; window = (j > i) | ((j <= i - near) & (j > 0))  # You exchanged True and False. True means
# that a query sees a key.
window = (j <= i) & ((j > i - near) | (j == 0) | (i < n - near))  # You hide far keys from the last `near` queries
# only. In a model of two layers, the others pass on what they saw. Each query sees token 0 and the last `near` keys.
window = (j <= i) & ((i // near == j // near) | (j == 0))  # You cut the text into chunks. Each query sees
# its own last `near` keys.
window = (j <= i) & (j > i - near)  # You hide token 0. A model that needs it as a sink gets worse without it, and that
# is not the use of far keys.
window = j <= i - near  # You show the far keys and hide the near ones. The second call hides the far keys.
window = (j <= i) & (j < near)  # You show the first `near` keys of the text to every query, not the last up to its own.
window = (j > i - near) | (j == 0)  # Your second mask shows later keys as well. A query sees only keys up to its own.
masked = model(tokens[-near:], causal[:near, :near]).mean()  # In your masked call, the last `near` tokens see only each
# other. Each of them should see the last `near` keys up to its own, in the whole text.
last = slice(None)  # Your means are over all tokens. Only the last `near` count, because the first have no far keys.
last = slice(-1, None)  # You take only the last loss of each call. The mean of the last `near` losses counts.
last = slice(-near, -1)  # You leave out the last loss. The last `near` losses are `[-near:]`.
full = model(tokens, causal).mean()  # Your first mean is over all tokens. In both calls the last `near` count.
full = model(tokens, causal)[:near].mean()  # You take the first losses with all keys. The last `near` have far keys.
full = model(tokens, causal)[-1]  # You take one loss only. The mean of the last `near` losses counts.
masked = model(tokens, window).mean()  # Your second mean is over all tokens. In both calls the last `near` count.
return masked / full
return (masked - full) / full  # You return a ratio. The task asks for the difference.
return np.exp(masked) - np.exp(full)  # You compare perplexities, e to the power of the loss. The task asks for losses.
return abs(masked - full)  # You drop the sign. A negative number says that the far keys disturbed the model.
return max(0, masked - full)  # You cut off negative numbers. They say that the far keys disturbed the model.
return 0.0 * (masked - full)  # Your result is always 0. Check that no mask shows later keys, that the second hides the
# far keys, and that you average the last `near` losses, whose queries have far keys.
"""
HINTS = [
    "The causal mask is `j <= i`, with `i = np.arange(n)[:, None]` and `j = np.arange(n)`.",
    "The near keys of query i are i − near + 1 … i. Combine conditions with `&`, and with `|` for token 0.",
    "`model(tokens, mask)[-near:].mean()` is the mean of the losses that count.",
]
