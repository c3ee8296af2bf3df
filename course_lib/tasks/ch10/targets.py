"""Bug hunt: a curve over lengths that asks other questions at each length."""

import numpy as np

from ..engine import Mistake, Task
from .common import by_length, reader, text


def _fair_curve(model, text, places, lengths, last):
    """Mean loss for each length n, over windows of n tokens of the text.

    model(tokens) gives the loss of each token of a window. At every length the same tokens
    are asked: the `last` ones before each of the places.
    """
    curve = []
    for n in lengths:
        losses = [model(text[place - n : place])[-last:] for place in places]
        curve.append(np.mean(losses))
    return curve


def _fair_curve_given(model, text, places, lengths, last):
    """Mean loss for each length n, over windows of n tokens of the text.

    model(tokens) gives the loss of each token of a window. At every length the same tokens
    are asked: the `last` ones before each of the places.
    """
    curve = []
    for n in lengths:
        losses = [model(text[place : place + n]) for place in places]
        curve.append(np.mean(losses))
    return curve


def _token_by_token(model, text, places, lengths, last):
    """Each asked token by its place in the text, in a window that ends where the questions end."""
    text, curve = np.asarray(text), []
    for n in lengths:
        total = 0.0
        for place in places:
            for t in range(place - last, place):
                first = place - n
                total += float(model(text[first : t + 1])[-1])
        curve.append(total / (len(places) * last))
    return np.array(curve)


def _of(choose, cut):
    """Wrong windows, or a wrong choice of losses."""

    def wrong(model, text, places, lengths, last):
        return [np.mean([choose(model(cut(text, place, n, last)), last) for place in places]) for n in lengths]

    return wrong


def _before(text, place, n, last):
    return text[place - n : place]


def _after(text, place, n, last):
    return text[place : place + n]


def _first_of_the_given(model, text, places, lengths, last):
    return _fair_curve_given(model, text, places, lengths[:1], last)


def _at_the_longest(model, text, places, lengths, last):
    """Windows that end together, where the longest one of the given code ends."""
    ends = [place + max(lengths) for place in places]
    return [np.mean([model(text[end - n : end])[-last:] for end in ends]) for n in lengths]


_STARTING_EARLIER = _of(
    lambda losses, last: losses[-last:], lambda text, place, n, last: text[place - last : place - last + n]
)

fair_curve = Task(
    title="Bug hunt: other questions at every length",
    minutes=10,
    difficulty=2,
    words="""A curve over lengths should change one thing, the length. This one changes two more: longer windows ask about other
tokens, and they count all their tokens, half of which, in a window of twice the training length, stand where tokens
stood in training. So the curve moves when the text is easier further on, and a real rise is partly hidden in a mean.

Mend both: each window *ends* just before its place, and what counts at every length are the `last` tokens before it.""",
    solution=_fair_curve,
    given=_fair_curve_given,
    expected=_token_by_token,
    cases=[
        by_length(
            reader,
            text(0, 250),
            (64, 100, 150),
            (8, 16, 32, 64),
            8,
            says="three places, one to eight times eight tokens",
        ),
        by_length(reader, text(1, 60), (30,), (8, 12, 20), 8, says="one place"),
        by_length(reader, text(2, 60), (20, 40), (8,), 8, says="the training length alone"),
        by_length(reader, text(3, 120), (50, 60), (10, 20, 40), 5, says="fewer tokens asked than trained"),
        by_length(reader, np.repeat(text(4, 12), 12), (64, 72), (8, 16, 64), 8, says="a text that is easy in places"),
    ],
    draw=lambda rng: by_length(
        reader,
        rng.integers(6, size=160),
        tuple(int(p) for p in rng.integers(45, 100, size=3)),
        tuple(int(n) for n in rng.integers(9, 45, size=3)),
        int(rng.integers(3, 9)),
        says="a random case",
    ),
    mistakes=[
        Mistake(
            "text[place - n : place]",
            "text[place - n + 1 : place + 1]",
            "The windows lie one token too late: `text[a:b]` ends before b, so that `text[place - n : place]` is all before the place.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n - 1 : place - 1]",
            "The windows lie one token too early: `text[a:b]` ends before b already.",
        ),
        Mistake(
            "np.mean(losses)",
            "np.mean(losses) * len(places)",
            "The means of the places are added up. Divide by the number of places.",
        ),
        Mistake("curve.append(np.mean(losses))", "np.mean(losses)", "Nothing is appended: the list stays empty."),
        Mistake(
            "text[place - n : place]",
            "text[n:place]",
            "The windows begin at token n of the text, and some are empty. They begin n tokens before the place: place − n.",
        ),
        Mistake(
            "[-last:] for",
            " for",
            "The windows end at the same places now, but all of their tokens count: the first ones, as near as in training, hide a part of the rise. Take the losses of the `last` tokens only.",
        ),
        Mistake(
            _of(lambda losses, last: losses[-last:], _after),
            "Only the last tokens count now, but they are others at each length: the windows still begin at the same place. Let them end there.",
        ),
        Mistake(
            _of(lambda losses, last: losses[:last], _after),
            "The same tokens count at every length now: the first ones of each window. But these have next to nothing before them, however long the window is. The windows must *end* at the same place.",
        ),
        Mistake(
            "[-last:]",
            "[:last]",
            "These are the first tokens of each window. The ones before its place are the last: `[-last:]`.",
        ),
        Mistake(
            "[-last:]",
            "[last:]",
            "These are all tokens but the first ones. The ones before its place are the last: `[-last:]`.",
        ),
        Mistake("[-last:]", "[:-last]", "These are all tokens but the ones that are asked: those are `[-last:]`."),
        Mistake("[-last:]", "[-1:]", "One token alone counts. The `last` ones before its place do."),
        Mistake("[-last:]", "[-last - 1 :]", "One token too many: the last ones are `[-last:]`."),
        Mistake("[-last:]", "[-last + 1 :]", "One token too few: the last ones are `[-last:]`."),
        Mistake(
            "text[place - n : place]",
            "text[place - last : place]",
            "Every window has `last` tokens, whatever n is: no window is longer than the questions.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n : place + 1]",
            "The windows end one token too late: `text[a:b]` ends before b.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n : place - 1]",
            "The last token before the place is left out: `text[place - n : place]` ends with it, and `[-last:]` goes on to the end.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n - 1 : place]",
            "The windows are one token too long: n tokens before the place are `text[place - n : place]`.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n + 1 : place]",
            "The windows are one token too short: n tokens before the place are `text[place - n : place]`.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n - last : place]",
            "The windows have n + `last` tokens. The `last` ones that are asked are among the n: they begin at place − n.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[-n:]",
            "Every window ends with the text: `place` is not used. It ends just before its place.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - max(lengths) : place]",
            "The window is the same at every length, the longest: n is not used. It begins n tokens before its place.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - min(lengths) : place]",
            "The window is the same at every length, the shortest: n is not used. It begins n tokens before its place.",
        ),
        Mistake(
            "curve.append(np.mean(losses))",
            "return np.mean(losses)",
            "This is the first length alone: a `return` in the loop ends the function. Collect one number for each n, and return the list behind the loop.",
        ),
        Mistake(
            _first_of_the_given,
            "Only the first length is there: the `return` is inside the loop. And the windows still ask about other tokens at each length.",
        ),
        Mistake("text[place - n : place]", "text[:place]", "Every window begins with the text, whatever n is."),
        Mistake(
            "text[place - n : place]",
            "text[n - place : place]",
            "The two are the wrong way round, and the windows empty: n tokens before the place begin at place − n.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n :]",
            "The windows end with the text. They should end at their places.",
        ),
        Mistake(
            "text[place - n : place]",
            "text[place - n : place + n]",
            "The windows have 2n tokens: they begin n before the place and end n after it.",
        ),
        Mistake(
            _at_the_longest, "All windows end together now, but not where they should: they end just before `place`."
        ),
        Mistake(
            _STARTING_EARLIER,
            "Each window begins `last` tokens before its place, and ends elsewhere at every length. All should end at the place.",
        ),
        Mistake("np.mean(losses)", "np.sum(losses)", "This is the sum of the losses. The mean is asked for."),
        Mistake(
            "np.mean(losses)",
            "np.median(losses)",
            "This is the median. The mean is asked for: a few tokens that are very wrong must count.",
        ),
        Mistake("np.mean(losses)", "np.max(losses)", "This is the largest loss. The mean is asked for."),
        Mistake(
            "np.mean(losses)",
            "np.exp(np.mean(losses))",
            "This is e to the power of the loss, the perplexity. The loss itself is asked for.",
        ),
        Mistake(
            "np.mean(losses)",
            "np.mean(losses, axis=1)",
            "This is a mean for each place. One number for each length is asked for: the mean over places and tokens.",
        ),
        Mistake(
            "np.mean(losses)",
            "np.mean(losses, axis=0)",
            "This is a mean for each token. One number for each length is asked for: the mean over places and tokens.",
        ),
        Mistake(
            "np.mean(losses)",
            "losses",
            "These are all the losses. One number for each length is asked for: their mean.",
        ),
        Mistake(
            "np.mean(losses)", "np.mean(losses[-1])", "Only the last place counts. The mean runs over all of them."
        ),
        Mistake(
            "np.mean(losses)", "np.mean(losses[0])", "Only the first place counts. The mean runs over all of them."
        ),
        Mistake(
            "return curve",
            "return curve[-1]",
            "Only the last length is returned. One number for each is asked for: the list.",
        ),
        Mistake(
            "        curve.append(np.mean(losses))\n    return curve",
            "        curve.append(np.mean(losses))\n        return curve",
            "Only the first length is there: is the `return` inside the loop?",
        ),
    ],
    alternatives=[
        _token_by_token,
        lambda model, text, places, lengths, last: [
            np.mean([model(text[p - n : p])[n - last :].mean() for p in places]) for n in lengths
        ],
    ],
    hints=[
        "For n = 8 and n = 16, which tokens of the text does the first window ask about?",
        "n tokens that end just before `place`: `text[place - n : place]`.",
        "The model gives the loss of each token, in order: the `last` ones are `[-last:]`.",
    ],
)
