"""Bug hunt: the curve that is flat for everyone · 10 minutes · ★★

This evaluation says that every scheme works at eight times its training length. The curve is flat even for a model
without positions, because the code has two bugs. Find out what the model really reads, and which tokens it is asked
about at each length. Then fix both. For each n the model should read the last n tokens of the text **at once**, at
the positions 0 … n − 1. The result for n is the mean loss of the last `train` of these tokens, so that the same
tokens are asked at every length: a curve over lengths should change only the length.

Scripts for language models often cut a test text into blocks of the training length first. That is a good way to
measure a model on a large corpus, but it does not test longer texts. The `model` of the checks copies the previous
token. It was trained on eight positions (in one case six), so its curve should *rise*.
"""

import numpy as np

from course_kit.checking import Axis, Case

from .given import VOCABULARY, copier, copier_of_six


def loss_by_length(model, text, lengths, train):
    """Mean loss of the last `train` tokens of text when the model reads its last n tokens, for each n.

    model(tokens, positions) gives the loss of each token; it was trained on `train` positions, 0 … train - 1.
    """
    curve = []
    for n in lengths:
        tokens = text[-n:]  # The model reads the last n tokens of the text, all at once.
        positions = np.arange(n)  # The n tokens are at the positions 0 … n − 1.
        losses = model(tokens, positions)
        asked = losses[-train:]  # The same tokens are asked at every length, the last `train` ones.
        mean = asked.mean()  # Each length has one number, the mean of its losses.
        curve.append(mean)
    return curve


def given(model, text, lengths, train):
    curve = []
    for n in lengths:
        losses = []
        for start in range(0, n, train):
            window = text[:n][start : start + train]
            losses.append(model(window, np.arange(len(window))))
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve


def expected(model, text, lengths, train):
    """The losses from the definition: each asked token is read as the last of what comes before it."""
    curve = []
    for n in lengths:
        read = np.asarray(text)[len(text) - n :]
        curve.append(sum(model(read[: t + 1], np.arange(t + 1))[-1] for t in range(n - train, n)) / train)
    return np.array(curve)


def draw(rng):
    size, lengths = int(rng.integers(70, 90)), tuple(int(n) for n in rng.integers(9, 70, size=3))
    return case(copier, rng, size, lengths, 8, "a random case")


def case(model, rng, size, lengths, train, label):
    """A text of `size` random tokens. The entries of the result are called by their lengths."""
    axes = [Axis("length", [str(n) for n in lengths])]
    return Case(model, rng.integers(VOCABULARY, size=size), lengths, train, label=label, axes=axes)


def in_blocks(model, tokens, size, on=0):
    """The losses of tokens that are read in blocks, as in the given code; with on=1 the positions continue."""
    blocks = ((tokens[start : start + size], on * start) for start in range(0, len(tokens), size))
    return np.concatenate([model(block, first + np.arange(len(block))) for block, first in blocks])


RNG = np.random.default_rng(0)
CASES = [
    case(copier, RNG, 64, (8, 16, 32, 64), 8, "one, two, four and eight times the training length"),
    case(copier, RNG, 90, (8, 12, 20, 45), 8, "lengths that are not multiples, and a longer text"),
    case(copier, RNG, 20, (8,), 8, "the training length alone"),
    case(copier_of_six, RNG, 40, (6, 12, 24, 36), 6, "a model that was trained on six"),
    case(copier, RNG, 400, (301,), 8, "301 tokens"),
]
WRONG = """
positions = np.arange(n) % train  # Your positions begin again at 0 every `train` tokens, so none is new to the model.
positions = np.minimum(np.arange(n), train - 1)  # Your positions stop at the last trained one, so none is new.
positions = np.arange(n) * train / n  # You squeeze the positions into the trained range. They are 0 … n − 1.
positions = np.arange(len(text))[-n:]  # Your first token is at a late position, as in the whole text. It is at 0.
positions = np.arange(1, n + 1)  # Your positions count from 1. The first token is at position 0.
positions = np.arange(n)[::-1]  # Your positions are in reverse order. The first token is at position 0.
positions = n  # You pass a single number as positions. Pass a position for each token, `np.arange(n)`.
positions = np.arange(train)  # You pass `train` positions for n tokens. Each token has its own, 0 … n − 1.
tokens = text[n:]  # You leave n tokens out, and read all others. The last n are `text[-n:]`.
positions = np.zeros(n)  # You put all tokens at one position. They are at the positions 0 … n − 1.
positions = np.arange(n) - n + train  # Your first positions are negative. The first token is at position 0.
tokens = text[:n]  # Your losses are those of the first n tokens, so each length asks about others. Read the *last* n.
tokens = text
tokens = text; positions = np.arange(len(text))  # The model reads the whole text. It should read the last n tokens.
tokens = text[-n:-1]  # You read n − 1 tokens, with n positions. The last n tokens are `text[-n:]`.
tokens = text[-n - 1:-1]
tokens = text[-n:-1]; positions = np.arange(n - 1)  # You leave out the last token. Read the last n, including that one.
losses = model(positions, tokens)  # You pass positions as tokens. `model` takes the tokens first.
tokens = text[-train:]; positions = np.arange(n - train, n)  # The last `train` tokens are read alone, at late
# positions, so the model still sees only `train` tokens. Pass it the last n tokens, at the positions 0 … n − 1.
losses = in_blocks(model, tokens, train)  # Each block is still read alone, so no position is new. Pass all n at once.
losses = np.concatenate([model(tokens[a:a + train], np.arange(a, a + train)) for a in range(0, n, train)])
losses = in_blocks(model, tokens, train, on=1)
losses = in_blocks(model, text[:n], train, on=1)  # Your positions continue now, but each block is still read alone, so
# the model sees only `train` tokens. Pass it the last n at once.
losses = in_blocks(model, text[:n], train); asked = losses  # Each block is still read alone, and you take the mean over
# all n tokens. Pass the last n to the model at once, and keep the mean of the last `train`.
losses = np.concatenate([model(tokens[a:], np.arange(n - a)) for a in range(0, n, train)])  # Your blocks reach to the
# end, but the losses that count are those of the last and shortest block. One call with all n tokens is enough.
losses = np.array([model(text[:t + 1][-n:], np.arange(min(n, t + 1)))[-1] for t in range(len(text))])  # You read each
# token in a window of its own, as the last of n. One call with the last n tokens gives all losses.
losses = np.array([model(tokens[:t + 1][-train:], np.arange(min(train, t + 1)))[-1] for t in range(n)])  # You read each
# token as the last of a sliding window, so the model still never reads more than `train` tokens at once.
asked = losses[:-train]  # You keep all losses except the last `train`, and none when n is `train`. Those are the ones.
asked = losses[-train:-1]  # You leave out the last loss. The last `train` losses count, including that one.
asked = losses  # You take the mean over all n tokens. The first ones, at trained positions, hide a part of the rise.
asked = losses[:train]  # You keep the first `train` losses, at trained positions. The last `train` losses count.
mean = np.exp(asked.mean())  # You return e to the power of the loss, the perplexity. The task asks for the loss itself.
mean = np.median(asked)  # You take the median. The task asks for the mean, in which a few very wrong tokens count.
return []  # Your list stays empty. Append the mean for each n.
return curve[:1]
return curve[0]  # You return the first length only. Does a `return` in the loop end the function?
return curve[-1]  # You return the last length only. The task asks for the list, one number per length.
return given(model, text[-max(lengths[:1]):], lengths[:1], train)  # You return the first length only. Does a
# `return` in the loop end the function? Also, each block is still read alone.
"""
HINTS = [
    "Put `print(len(window), np.arange(len(window)))` into the inner loop. What is the largest position the "
    "model ever gets?",
    "For n = 8 and n = 16, which tokens of the text are the last ones that the model reads?",
    "The inner loop is one of the bugs. Without it one call is left. Which tokens does it need, at which positions?",
    "`losses = model(text[-n:], np.arange(n))`, then the mean of the last `train`.",
]
