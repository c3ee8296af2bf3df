"""Bug hunt: the curve that is flat for everyone."""

import numpy as np

from course_lib.checking import CodingTask

from .common import by_length, copier, copier_of_six, text


def _loss_by_length(model, text, lengths, train):
    """Mean loss of the last `train` tokens of text when the model reads its last n tokens, for each n.

    model(tokens, positions) gives the loss of each token; it was trained on `train` positions, 0 … train - 1.
    """
    curve = []
    for n in lengths:
        losses = model(text[-n:], np.arange(n))
        curve.append(losses[-train:].mean())
    return curve


def _loss_by_length_given(model, text, lengths, train):
    """Mean loss of the last `train` tokens of text when the model reads its last n tokens, for each n.

    model(tokens, positions) gives the loss of each token; it was trained on `train` positions, 0 … train - 1.
    """
    curve = []
    for n in lengths:
        losses = []
        for start in range(0, n, train):
            window = text[-n:][start : start + train]
            losses.append(model(window, np.arange(len(window))))
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve


def _token_by_token(model, text, lengths, train):
    """The losses from the definition: each asked token is read as the last of what comes before it."""
    curve = []
    for n in lengths:
        read = np.asarray(text)[len(text) - n :]
        asked = range(n - train, n)
        curve.append(sum(model(read[: t + 1], np.arange(t + 1))[-1] for t in asked) / len(asked))
    return np.array(curve)


loss_by_length = CodingTask(
    title="Bug hunt: the curve that is flat for everyone",
    minutes=10,
    difficulty=2,
    words="""This evaluation says that every scheme holds at eight times its training length: the curve is flat, for a
model without positions as for the best. Find out what the model really reads, and fix the code. For each n the model
should read the last n tokens of the text **at once**, at the positions 0 … n − 1, and what counts is the mean loss of
the last `train` of them.

Scripts for language models often cut a test text into blocks of the training length first. That is a good way to
measure a model on a large corpus, but it does not test longer texts. The `model` of the checks copies the token before
and was trained on eight positions (once on six), so its curve should *rise*.""",
    solution=_loss_by_length,
    starter=_loss_by_length_given,
    expected=_token_by_token,
    cases=[
        by_length(copier, text(0, 64), (8, 16, 32, 64), 8, label="one, two, four and eight times the training length"),
        by_length(copier, text(1, 90), (8, 12, 20, 45), 8, label="lengths that are not multiples, and a longer text"),
        by_length(copier, text(2, 20), (8,), 8, label="the training length alone"),
        by_length(copier_of_six, text(3, 40), (6, 12, 24, 36), 6, label="a model that was trained on six"),
    ],
    draw=lambda rng: by_length(
        copier,
        rng.integers(6, size=int(rng.integers(70, 90))),
        tuple(int(n) for n in rng.integers(9, 70, size=3)),
        8,
        label="a random case",
    ),
    pieces="""
-n
    the start of the window: It is n tokens before the end of the text.
text[-n:]
    the window: The model reads the last n tokens of the text.
np.arange(n)
    the row of positions: The n tokens are at the positions 0 … n − 1.
n
    the length n: The model reads the last n tokens, at the positions 0 … n − 1.
train
    the number of losses: The last `train` ones count.
-train
    the start of the losses that count: They are the last `train` ones.
losses[-train:]
    the choice of the losses: The last `train` ones count.
losses[-train:].mean()
    the mean: The curve has one number per length, the mean of the last `train` losses.
""",
    slips="""
np.arange(n)) → n)
    You pass one number as the positions. Each token needs its own, 0 … n − 1.
curve.append(losses[-train:].mean()) → losses[-train:].mean()
    You append nothing, so the list stays empty.
losses[-train:] → losses[:-train]
    You keep all tokens except the last `train`, and none at all when n is `train`. The last ones count.
np.arange(n)) → np.arange(n) % train)
    The model reads all n tokens now, but their positions begin again every `train` tokens, so none is new to it. They
    are 0 … n − 1.
np.arange(n)) → np.minimum(np.arange(n), train - 1))
    Your positions stop at the last trained one, so none is new to the model. They are 0 … n − 1.
np.arange(n)) → np.arange(n) * train / n)
    You squeeze the positions into the training range. That is a remedy, but here we measure without one: the positions
    are 0 … n − 1.
np.arange(n)) → np.arange(1, n + 1))
    Your positions begin at 1. The first token is at position 0, as in training.
np.arange(n)) → np.arange(n) - 1)
    Your positions begin at −1. The first token is at position 0, as in training.
np.arange(n)) → np.arange(len(text))[-n:])
    You use positions in the whole text. The model reads n tokens, the first of them at position 0.
np.arange(n)) → np.arange(n)[::-1])
    Your positions are in reverse order.
np.arange(n)) → np.zeros(n))
    You put all tokens at position 0.
np.arange(n)) → np.arange(train))
    You give `train` positions to n tokens. Each token needs its own.
np.arange(n)) → np.arange(n) - n + train)
    You put the last `train` tokens at trained positions, and those before them at negative ones. The first token is at
    position 0.
text[-n:] → text[:n]
    You read the first n tokens. At each length the *last* tokens are asked, so that the questions stay the same.
text[-n:] → text
    You give the whole text to the model. It reads the last n tokens of it.
text[-n:] → text[n:]
    You read what is left after the first n tokens. The model reads the last n.
text[-n:] → text[-n - 1 : -1]
    You leave out the last token of the text. The model reads the last n tokens, including that one.
text[-n:] → text[-n:-1]
    Your window stops before the last token, so n − 1 tokens are left for n positions.
model(text[-n:], np.arange(n)) → model(text[-n:-1], np.arange(n - 1))
    Your window stops before the last token, so the model reads only n − 1 tokens.
model(text[-n:], np.arange(n)) → model(np.arange(n), text[-n:])
    You exchanged tokens and positions. The tokens come first.
losses[-train:] → losses[-train:-1]
    You leave out the last loss. The last `train` of them count.
curve.append(losses[-train:].mean()) → return losses[-train:].mean()
    You return the first length only, because a `return` in the loop ends the function. Collect one number for each n,
    and return the list after the loop.
text[-n:] → text[-train:]
    You read the last `train` tokens only, whatever n is. The model reads the last n.
losses[-train:] → losses
    You take the mean over all n tokens. The first of them are at trained positions and hide a part of the rise, so only
    the last `train` count.
losses[-train:] → losses[:train]
    You keep the first `train` tokens, which are at trained positions. The last ones count.
losses[-train:] → losses[train:]
    You keep all tokens after the first `train` (and none at all when n is `train`). The last `train` count.
losses[-train:] → losses[-1:]
    You count one token only. The last `train` of them count.
losses[-train:] → losses[-train - 1 :]
    You count one token too many. The last `train` of them count.
losses[-train:] → losses[-train + 1 :]
    You count one token too few. The last `train` of them count.
losses[-train:].mean() → np.exp(losses[-train:].mean())
    You return e to the power of the loss, the perplexity. The task asks for the loss itself.
losses[-train:].mean() → np.median(losses[-train:])
    You take the median. The task asks for the mean, because a few tokens that are very wrong must count.
return curve → return curve[-1]
    You return the last length only. The task asks for the list, one number per length.
... → return _loss_by_length(model, text, lengths[:1], train)
    You return the first length only. Is the `return` inside the loop?
... → return _loss_by_length_given(model, text, lengths[:1], train)
    You return the first length only, because the `return` is inside the loop. And each window is still read alone.
... → return [model(text, np.arange(len(text)))[-train:].mean() for n in lengths]
    The model reads the whole text at every length, so nothing changes with n. It should read the last n tokens.
... → return [model(text[-train:], np.arange(n - train, n)).mean() for n in lengths]
    The last `train` tokens are read alone, at late positions, so the model still sees only `train` tokens. Pass it the
    last n, at 0 … n − 1.
... → return [model(text[-min(n, 2 * train) :], np.arange(min(n, 2 * train)))[-train:].mean() for n in lengths]
    Your windows are longer, but not n tokens long, because the model reads at most twice its training length.
""",
    alternatives=[_token_by_token],
    hints=[
        "Put `print(len(window), np.arange(len(window)))` into the inner loop. What is the largest position the "
        "model ever gets?",
        "The inner loop is the bug. Without it one call is left. Which tokens does it need, at which positions?",
        "`losses = model(text[-n:], np.arange(n))`, then the mean of the last `train`.",
    ],
)


def _windows(step, positions, all_count=False):
    """Windows that begin every `train` tokens, each of them read alone; the last `train` losses count, or all."""

    def wrong(model, text, lengths, train):
        curve = []
        for n in lengths:
            starts = range(0, n, train)
            windows = [text[-n:][s : step(s, n, train)] for s in starts]
            losses = [model(window, positions(s, len(window), train)) for s, window in zip(starts, windows)]
            curve.append(np.concatenate(losses)[-n if all_count else -train :].mean())
        return curve

    return wrong


def _alone(s, n, train):
    return s + train


def _from_0(s, size, train):
    return np.arange(size)


def _going_on(s, size, train):
    return s + np.arange(size)


ALONE = "each window is still read alone, so the model sees only `train` tokens. Pass it all n at once."
ALL_COUNT = "and all n tokens count. Pass all n to the model at once, and keep the mean of the last `train`."
for message, wrong in {
    "Your positions continue now, and a shorter last window gets too many of them. Besides, " + ALONE: _windows(
        _alone, lambda s, size, train: np.arange(s, s + train)
    ),
    "Every window reaches to the end now, and the last of them, which is short, is what counts. Only one call is "
    "needed, because the first window has all n tokens.": _windows(lambda s, n, train: n, _from_0),
    "Each window is still a text of its own, `train` tokens at the positions 0 … `train` − 1, so the model never meets "
    "anything new. Let it read all n tokens at once.": _windows(_alone, _from_0),
    "Your positions continue now, but " + ALONE: _windows(_alone, _going_on),
    "Your positions continue now, but each window is still read alone, " + ALL_COUNT: _windows(_alone, _going_on, True),
    "Each window is still a text of its own, " + ALL_COUNT: _windows(_alone, _from_0, True),
}.items():
    loss_by_length.wrong(message)(wrong)


@loss_by_length.wrong(
    "You read each token as the last of a sliding window, with at most `train` − 1 tokens before it. Then each token "
    "has full context, but at a trained length, and the model still does not read n tokens at once."
)
def _sliding(model, text, lengths, train):
    curve = []
    for n in lengths:
        windows = [text[-n:][max(0, t + 1 - train) : t + 1] for t in range(n - train, n)]
        curve.append(np.mean([model(window, np.arange(len(window)))[-1] for window in windows]))
    return curve
