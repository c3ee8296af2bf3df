"""Bug hunt: an evaluation on long texts that never reads one."""

import numpy as np

from ..engine import Mistake, Task
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


def _windows(positions, all_count=False):
    """Windows of `train` tokens, with positions(start, length, train); the last `train` losses count, or all of them."""

    def wrong(model, text, lengths, train):
        curve = []
        for n in lengths:
            read = text[-n:]
            parts = [read[s : s + train] for s in range(0, n, train)]
            losses = [model(p, positions(s, len(p), train)) for s, p in zip(range(0, n, train), parts)]
            curve.append(np.concatenate(losses)[-n if all_count else -train :].mean())
        return curve

    return wrong


def _sliding(model, text, lengths, train):
    """Each token as the last of a window of `train` tokens."""
    curve = []
    for n in lengths:
        read = text[-n:]
        windows = [read[max(0, t + 1 - train) : t + 1] for t in range(n - train, n)]
        curve.append(np.mean([model(w, np.arange(len(w)))[-1] for w in windows]))
    return curve


def _second_half(model, text, lengths, train):
    """Windows with twice as much context, of which the second half counts."""
    curve = []
    for n in lengths:
        window = text[-min(n, 2 * train) :]
        curve.append(model(window, np.arange(len(window)))[-train:].mean())
    return curve


def _changed_window(positions):
    """The last `train` tokens alone, at positions(n, train)."""
    return lambda model, text, lengths, train: [model(text[-train:], positions(n, train)).mean() for n in lengths]


def _full_positions(model, text, lengths, train):
    """Positions for a whole window, also where the last one is shorter."""
    curve = []
    for n in lengths:
        read = text[-n:]
        losses = [model(read[s : s + train], np.arange(s, s + train)) for s in range(0, n, train)]
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve


def _from_each_start(model, text, lengths, train):
    """Windows that all reach to the end, so that the last one is the shortest."""
    curve = []
    for n in lengths:
        windows = [text[-n:][s:] for s in range(0, n, train)]
        losses = [model(window, np.arange(len(window))) for window in windows]
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve


def _first_of_the_given(model, text, lengths, train):
    return _loss_by_length_given(model, text, lengths[:1], train)


def _whole_text(model, text, lengths, train):
    return [model(text, np.arange(len(text)))[-train:].mean() for _ in lengths]


def _changed(curve):
    """A wrong last step, after the right losses."""

    def wrong(model, text, lengths, train):
        return [curve(model(text[-n:], np.arange(n)), train) for n in lengths]

    return wrong


_LENGTHS = (8, 16, 32, 64)

loss_by_length = Task(
    title="Bug hunt: the curve that is flat for everyone",
    minutes=10,
    difficulty=2,
    words="""This evaluation says that every scheme holds at eight times its training length: the curve is flat, for a model without
positions as for the best. Find out what the model really reads, and mend the code: for each n the model reads the last n
tokens of the text **at once**, at the positions 0 … n − 1, and what counts is the mean loss of the last `train` of them.

Scripts for language models often cut a test text into blocks of the training length first. That is a good way to
measure a model on a large corpus, and it says nothing about longer texts. The `model` of the checks copies the token
before and was trained on eight positions (once on six): its curve should *rise*.""",
    solution=_loss_by_length,
    given=_loss_by_length_given,
    expected=_token_by_token,
    cases=[
        by_length(copier, text(0, 64), _LENGTHS, 8, says="one, two, four and eight times the training length"),
        by_length(copier, text(1, 90), (8, 12, 20, 45), 8, says="lengths that are no multiples, and a longer text"),
        by_length(copier, text(2, 20), (8,), 8, says="the training length alone"),
        by_length(copier_of_six, text(3, 40), (6, 12, 24, 36), 6, says="a model that was trained on six"),
    ],
    draw=lambda rng: by_length(
        copier,
        rng.integers(6, size=int(rng.integers(70, 90))),
        tuple(int(n) for n in rng.integers(9, 70, size=3)),
        8,
        says="a random case",
    ),
    mistakes=[
        Mistake(
            _full_positions,
            "The positions go on now, and a shorter last window gets too many of them. But that is not all: each window is still read alone, and the model sees no more than `train` tokens. Hand it all n at once.",
        ),
        Mistake(
            _from_each_start,
            "Every window reaches to the end now, and the last of them, which is short, is what counts. Only one call is needed: the first window holds all n tokens.",
        ),
        Mistake(
            _whole_text,
            "The model reads the whole text at every length, so nothing changes with n. It reads the last n tokens of it.",
        ),
        Mistake("np.arange(n))", "n)", "Each token needs a position of its own: `np.arange(n)`."),
        Mistake(
            "curve.append(losses[-train:].mean())",
            "losses[-train:].mean()",
            "Nothing is appended: the list stays empty.",
        ),
        Mistake(
            _windows(lambda s, n, train: np.arange(n)),
            "Each window is still a text of its own: `train` tokens at the positions 0 … `train` − 1. The model never meets anything new. Let it read all n tokens at once.",
        ),
        Mistake(
            _windows(lambda s, n, train: s + np.arange(n)),
            "The positions go on now, but each window is still read alone: the model sees no more than `train` tokens. Hand it all n at once.",
        ),
        Mistake(
            _windows(lambda s, n, train: s + np.arange(n), all_count=True),
            "The positions go on now, but each window is still read alone, and all n tokens count now. Hand the model all n at once, and keep the mean of the last `train`.",
        ),
        Mistake(
            _windows(lambda s, n, train: np.arange(n), all_count=True),
            "Each window is still a text of its own, and all n tokens count now. Hand the model all n at once, and keep the mean of the last `train`.",
        ),
        Mistake(
            "losses[-train:]",
            "losses[:-train]",
            "These are all tokens but the last `train`, and none at all when n is `train`. The last ones count: `losses[-train:]`.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(n) % train)",
            "The text is read at once now, but its positions begin again every `train` tokens: none is new to the model. They are 0 … n − 1.",
        ),
        Mistake(
            "np.arange(n))",
            "np.minimum(np.arange(n), train - 1))",
            "The positions stop at the last trained one, so that none is new to the model. They are 0 … n − 1.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(n) * train / n)",
            "The positions are pressed into the training range. That is a remedy, and another question: here they are 0 … n − 1.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(1, n + 1))",
            "The positions begin with 1. The first token stands at position 0, as in training.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(n) - 1)",
            "The positions begin with −1. The first token stands at position 0, as in training.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(len(text))[-n:])",
            "These are positions in the whole text. The model reads n tokens, the first of them at position 0.",
        ),
        Mistake("np.arange(n))", "np.arange(n)[::-1])", "The positions run backwards."),
        Mistake("np.arange(n))", "np.zeros(n))", "All tokens stand at position 0."),
        Mistake("np.arange(n))", "np.arange(train))", "The text has n tokens and needs n positions."),
        Mistake(
            "text[-n:]",
            "text[:n]",
            "These are the first n tokens. At each length the *last* tokens are asked, so that the questions stay the same.",
        ),
        Mistake("text[-n:]", "text", "The model is given the whole text. It reads the last n tokens of it."),
        Mistake(
            "text[-n:]", "text[n:]", "This is what is left after the first n tokens. It reads the last n: `text[-n:]`."
        ),
        Mistake("text[-n:]", "text[-n - 1 : -1]", "The last token is left out: `text[-n:]` ends with it."),
        Mistake(
            "text[-n:]",
            "text[-n:-1]",
            "The slice stops before the last token, and n − 1 are left for n positions: `text[-n:]` goes on to the end.",
        ),
        Mistake(
            "model(text[-n:], np.arange(n))",
            "model(text[-n:-1], np.arange(n - 1))",
            "The last token is not read, and n − 1 are: `text[-n:]` goes on to the end.",
        ),
        Mistake(
            "model(text[-n:], np.arange(n))",
            "model(np.arange(n), text[-n:])",
            "Tokens and positions have changed places: the tokens come first.",
        ),
        Mistake(
            "np.arange(n))",
            "np.arange(n) - n + train)",
            "The last `train` tokens stand at trained positions here, and those before them at negative ones. They are 0 … n − 1: the first token stands at 0.",
        ),
        Mistake(
            "losses[-train:]",
            "losses[-train:-1]",
            "The last loss is left out: `losses[-train:]` goes on to the end.",
        ),
        Mistake(
            "curve.append(losses[-train:].mean())",
            "return losses[-train:].mean()",
            "This is the first length alone: a `return` in the loop ends the function. Collect one number for each n, and return the list behind the loop.",
        ),
        Mistake(
            _first_of_the_given,
            "Only the first length is there: the `return` is inside the loop. And each window is still read alone.",
        ),
        Mistake("text[-n:]", "text[-train:]", "Only the last `train` tokens are read, whatever n is."),
        Mistake(
            "losses[-train:]",
            "losses",
            "The mean runs over all n tokens. The first of them are at trained positions and hide a part of the rise: the last `train` count.",
        ),
        Mistake(
            "losses[-train:]",
            "losses[:train]",
            "These are the first `train` tokens, which stand at trained positions. The last ones count: `losses[-train:]`.",
        ),
        Mistake(
            "losses[-train:]",
            "losses[train:]",
            "These are all tokens behind the first `train` (and none at all when n is `train`). The last `train` count: `losses[-train:]`.",
        ),
        Mistake("losses[-train:]", "losses[-1:]", "One token alone counts here. The last `train` of them do."),
        Mistake(
            "losses[-train:]", "losses[-train - 1 :]", "One token too many: the last `train` are `losses[-train:]`."
        ),
        Mistake(
            "losses[-train:]", "losses[-train + 1 :]", "One token too few: the last `train` are `losses[-train:]`."
        ),
        Mistake(
            "losses[-train:].mean()", "losses[-train:].sum()", "This is the sum of the losses. The mean is asked for."
        ),
        Mistake(
            "losses[-train:].mean()",
            "losses[-train:]",
            "This is the loss of each token. One mean for each length is asked for.",
        ),
        Mistake(
            _changed(lambda losses, train: np.exp(losses[-train:].mean())),
            "This is e to the power of the loss, the perplexity. The loss itself is asked for.",
        ),
        Mistake(
            _changed(lambda losses, train: np.median(losses[-train:])),
            "This is the median. The mean is asked for: a few tokens that are very wrong must count.",
        ),
        Mistake(
            _sliding,
            "Each token is now the last of a window that slides, with at most `train` − 1 tokens before it. That asks each token with full context, at a trained length: the model still does not read n tokens at once.",
        ),
        Mistake(
            _changed_window(lambda n, train: np.arange(n - train, n)),
            "The last `train` tokens are read alone, at late positions. So the model still sees no more than `train` tokens: hand it the last n, at 0 … n − 1.",
        ),
        Mistake(
            _second_half,
            "The windows are longer, but not n tokens long: the model reads twice its training length at most.",
        ),
        Mistake(
            "return curve",
            "return curve[-1]",
            "Only the last length is returned. One number for each is asked for: the list.",
        ),
        Mistake(
            "        curve.append(losses[-train:].mean())\n    return curve",
            "        curve.append(losses[-train:].mean())\n        return curve",
            "Only the first length is there: is the `return` inside the loop?",
        ),
    ],
    alternatives=[
        _token_by_token,
        lambda model, text, lengths, train: [
            model(text[len(text) - n :], range(n))[n - train :].mean() for n in lengths
        ],
    ],
    hints=[
        "Put `print(len(window), np.arange(len(window)))` into the inner loop. What is the largest position the model is ever given?",
        "The inner loop is the leak. Without it one call is left: which tokens, at which positions?",
        "`losses = model(text[-n:], np.arange(n))`, then the mean of the last `train`.",
    ],
)
