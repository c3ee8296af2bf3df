"""Bug hunt: the curve that is flat for everyone · 10 minutes · ★★

This evaluation says that every scheme works at eight times its training length. The curve is flat even for a
model without positions, because the code has two bugs. Find out what the model really reads, and which tokens it is asked
about at each length. Then fix both. For each n the model should read the last n tokens of the text **at once**, at the
positions 0 … n − 1. The result for n is the mean loss of the last `train` of these tokens, so that the same tokens are
asked at every length: a curve over lengths should change only the length.

Scripts for language models often cut a test text into blocks of the training length first. That is a good way to
measure a model on a large corpus, but it does not test longer texts. The `model` of the checks copies the previous
token. It was trained on eight positions (in one case six), so its curve should *rise*.
"""

import numpy as np

from .common import by_length, text
from .given import copier, copier_of_six


def loss_by_length(model, text, lengths, train):
    """Mean loss of the last `train` tokens of text when the model reads its last n tokens, for each n.

    model(tokens, positions) gives the loss of each token; it was trained on `train` positions, 0 … train - 1.
    """
    curve = []
    for n in lengths:
        # The start of the window is n tokens before the end of the text. The model reads the last n tokens of the
        # text. The n tokens are at the positions 0 … n − 1.
        losses = model(text[-n:], np.arange(n))
        # The start of the losses that count are the last `train` ones. The last `train` ones count. The curve has one
        # number per length, the mean of the last `train` losses.
        curve.append(losses[-train:].mean())
    return curve  # The model reads the last n tokens, at the positions 0 … n − 1.


def given(model, text, lengths, train):
    """Mean loss of the last `train` tokens of text when the model reads its last n tokens, for each n.

    model(tokens, positions) gives the loss of each token; it was trained on `train` positions, 0 … train - 1.
    """
    curve = []
    for n in lengths:
        losses = []
        for start in range(0, n, train):
            window = text[:n][start : start + train]
            losses.append(model(window, np.arange(len(window))))
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve


def _last_loss(model, tokens):
    return model(tokens, np.arange(len(tokens)))[-1]


def expected(model, text, lengths, train):
    """The losses from the definition: each asked token is read as the last of what comes before it."""
    curve = []
    for n in lengths:
        read = np.asarray(text)[len(text) - n :]
        asked = range(n - train, n)
        curve.append(sum(_last_loss(model, read[: t + 1]) for t in asked) / len(asked))
    return np.array(curve)


def _by_blocks(model, text, lengths, train, positions=lambda start, size: np.arange(size), size=0, counted=0, first=0):
    """The given code with other positions, with blocks of `size` tokens, or with the mean of `counted` losses.

    It reads the last n tokens, or with `first` the first n, as the given code does.
    """
    curve = []
    for n in lengths:
        losses, part = [], text[:n] if first else text[-n:]
        for start in range(0, n, train):
            block = part[start : start + (size or train)]
            losses.append(model(block, positions(start, len(block))))
        curve.append(np.concatenate(losses)[-(counted or train) :].mean())
    return curve


CASES = [
    by_length(copier, text(0, 64), (8, 16, 32, 64), 8, label="one, two, four and eight times the training length"),
    by_length(copier, text(1, 90), (8, 12, 20, 45), 8, label="lengths that are not multiples, and a longer text"),
    by_length(copier, text(2, 20), (8,), 8, label="the training length alone"),
    by_length(copier_of_six, text(3, 40), (6, 12, 24, 36), 6, label="a model that was trained on six"),
]


def draw(rng):
    return by_length(
        copier,
        rng.integers(6, size=int(rng.integers(70, 90))),
        tuple(int(n) for n in rng.integers(9, 70, size=3)),
        8,
        label="a random case",
    )


WRONG = """
losses = model(text[-n:], np.arange(n) % train)  # The model reads all n tokens now, but their positions begin again at
# 0 every `train` tokens, so none is new to the model. The positions are 0 … n − 1.
losses = model(text[-n:], np.minimum(np.arange(n), train - 1))  # Your positions stop at the last trained one, so none
# is new to the model. The positions are 0 … n − 1.
losses = model(text[-n:], np.arange(n) * train / n)  # You squeeze the positions into the training range. That can help
# a model with longer texts, but here we measure the model as it is. The positions are 0 … n − 1.
losses = model(text[-n:], np.arange(len(text))[-n:])  # You use positions in the whole text. The model reads n tokens,
# the first of them at position 0.
losses = model(text[-n:], np.arange(n)[::-1])  # Your positions are in reverse order. The first token is at position 0.
losses = model(text[-n:], np.zeros(n))  # You put all tokens at position 0. The n tokens are at the positions 0 … n −
# 1.
losses = model(text[-n:], np.arange(n) - n + train)  # You put the last `train` tokens at trained positions, and those
# before them at negative ones. The first token is at position 0.
losses = model(text[:n], np.arange(n))  # Longer windows ask about other tokens, because you read the first n. Read the
# *last* n, so that the same tokens are asked at every length.
losses = model(text, np.arange(n))  # You pass the whole text to the model. It should read only the last n tokens.
losses = model(text[-n - 1:-1], np.arange(n))  # You leave out the last token of the text. The model reads the last n
# tokens, including that one.
losses = model(text[-n:-1], np.arange(n))
losses = model(text[-n:-1], np.arange(n - 1))  # Your window stops before the last token, so the model gets only n − 1
# tokens.
losses = model(np.arange(n), text[-n:])  # You exchanged tokens and positions. `model` takes the tokens first.
return curve[-1]  # You return the last length only. The task asks for the list, one number per length.
return loss_by_length(model, text, lengths[:1], train)  # You return the first length only. Is the `return` inside the
# loop?
return _by_blocks(model, text, lengths[:1], train)  # You return the first length only, because the `return` is inside
# the loop. Also, each block is still read alone.
return [model(text, np.arange(len(text)))[-train:].mean() for n in lengths]  # The model reads the whole text at every
# length, so nothing changes with n. It should read the last n tokens.
return [model(text[-train:], np.arange(n - train, n)).mean() for n in lengths]  # The last `train` tokens are read
# alone, at late positions, so the model still sees only `train` tokens. Pass it the last n tokens, at the positions 0
# … n − 1.
return [model(text[-min(n, 2 * train):], np.arange(min(n, 2 * train)))[-train:].mean() for n in lengths]
# Your windows are longer, but not n tokens long, because the model reads at most twice its training length.
return _by_blocks(model, text, lengths, train)  # The same tokens are asked at every length now. But each block is
# still read alone, as `train` tokens at the positions 0 … `train` − 1, so no position is new to the model. Pass it all
# n at once.
return _by_blocks(model, text, lengths, train, lambda start, size: start + np.arange(size), first=1)
# Your positions continue now, but each block is still read alone, so the model sees only `train` tokens. Pass it all n
# at once. And read the last n tokens, so that the same tokens are asked at every length.
return _by_blocks(model, text, lengths, train, counted=len(text), first=1)  # Each block is still read alone, other
# tokens are asked at every length, and you take the mean over all n tokens. Pass the last n to the model at once, and
# keep the mean of the last `train`.
return _by_blocks(model, text, lengths, train, lambda start, size: start + np.arange(size))  # Your positions continue
# now, but each block is still read alone, so the model sees only `train` tokens. Pass it all n at once.
return _by_blocks(model, text, lengths, train, lambda start, size: start + np.arange(train))  # Your positions continue
# now, but a shorter last block gets too many of them. Each block is also still read alone, so the model sees only
# `train` tokens. Pass it all n at once.
return _by_blocks(model, text, lengths, train, counted=len(text))  # Each block is still read alone, and you take the
# mean over all n tokens. Pass all n to the model at once, and keep the mean of the last `train`.
return _by_blocks(model, text, lengths, train, lambda start, size: start + np.arange(size), counted=len(text))
# Your positions continue now, but each block is still read alone, and you take the mean over all n tokens. Pass all n
# to the model at once, and keep the mean of the last `train`.
return _by_blocks(model, text, lengths, train, size=len(text))  # Each block now reaches to the end of the text, but
# the losses that count come from the last block, which has at most `train` tokens. The first block has all n tokens,
# so one call is enough.
losses = np.array([_last_loss(model, text[:t + 1][-n:]) for t in range(len(text))])  # You read each token in a window
# of its own, as the last of n. One call with the last n tokens gives all losses.
losses = np.array([_last_loss(model, text[-n:][:t + 1][-train:]) for t in range(n)])  # You read each token as the last
# of a sliding window, with at most `train` − 1 tokens before it. Each token then has full context, but the model still
# never reads more than `train` tokens at once.
"""


HINTS = [
    "Put `print(len(window), np.arange(len(window)))` into the inner loop. What is the largest position the "
    "model ever gets?",
    "For n = 8 and n = 16, which tokens of the text are the last ones that the model reads?",
    "The inner loop is one of the bugs. Without it one call is left. Which tokens does it need, at which positions?",
    "`losses = model(text[-n:], np.arange(n))`, then the mean of the last `train`.",
]


def wrong_program_0(model, text, lengths, train):
    """You append nothing to the list, so it stays empty. Append the mean for each n."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        losses[-train:].mean()
    return curve


def wrong_program_1(model, text, lengths, train):
    """You keep all losses except the last `train`, and none at all when n is `train`. The last `train` losses
    count."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(losses[:-train].mean())
    return curve


def wrong_program_15(model, text, lengths, train):
    """You leave out the last loss. The last `train` losses count, including that one."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(losses[-train:-1].mean())
    return curve


def wrong_program_16(model, text, lengths, train):
    """You return the first length only, because a `return` in the loop ends the function. Collect one number for each
    n, and return the list after the loop."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        return losses[-train:].mean()
    return curve


def wrong_program_17(model, text, lengths, train):
    """You take the mean over all n tokens. The first of them are at trained positions and hide a part of the rise, so
    average the last `train` losses only."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(losses.mean())
    return curve


def wrong_program_18(model, text, lengths, train):
    """You keep the losses of the first `train` tokens, which are at trained positions. The last `train` losses
    count."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(losses[:train].mean())
    return curve


def wrong_program_19(model, text, lengths, train):
    """You return e to the power of the loss, the perplexity. The task asks for the loss itself."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(np.exp(losses[-train:].mean()))
    return curve


def wrong_program_20(model, text, lengths, train):
    """You take the median. The task asks for the mean, because a few tokens that are very wrong must count."""
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(np.median(losses[-train:]))
    return curve
