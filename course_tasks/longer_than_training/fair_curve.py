"""Bug hunt: other questions at every length."""

import numpy as np

from course_lib.checking import CodingTask

from .common import by_length, text
from .given import reader


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
    """Each asked token by its place in the text, in a window that ends with it."""
    text, curve = np.asarray(text), []
    for n in lengths:
        losses = [model(text[place - n : t + 1])[-1] for place in places for t in range(place - last, place)]
        curve.append(float(sum(losses)) / len(losses))
    return np.array(curve)


_EASY = np.repeat(text(4, 12), 12)

fair_curve = CodingTask(
    title="Bug hunt: other questions at every length",
    minutes=10,
    difficulty=2,
    words="""A curve over lengths should change only the length. This one changes two more things. Longer windows ask
about other tokens, and they count all their tokens, although half of those in a window of twice the training length are
at positions that occurred in training. So the curve moves when the text gets easier further on, and the mean hides a
part of a real rise.

Fix both: each window *ends* just before its place, and what counts at every length are the `last` tokens before it.""",
    solution=_fair_curve,
    starter=_fair_curve_given,
    expected=_token_by_token,
    cases=[
        by_length(reader, text(0, 250), (64, 100, 150), (8, 16, 32, 64), 8, label="three places, up to eight times"),
        by_length(reader, text(1, 60), (30,), (8, 12, 20), 8, label="one place"),
        by_length(reader, text(2, 60), (20, 40), (8,), 8, label="the training length alone"),
        by_length(reader, text(3, 120), (50, 60), (10, 20, 40), 5, label="fewer tokens asked than trained"),
        by_length(reader, _EASY, (64, 72), (8, 16, 64), 8, label="a text that is easy in places"),
    ],
    draw=lambda rng: by_length(
        reader,
        rng.integers(6, size=160),
        tuple(int(p) for p in rng.integers(45, 100, size=3)),
        tuple(int(n) for n in rng.integers(9, 45, size=3)),
        int(rng.integers(3, 9)),
        label="a random case",
    ),
    pieces="""
place - n
    the start of the window: It begins n tokens before its place.
text[place - n : place]
    the window: It has the n tokens just before its place.
n
    the length n: The window begins n tokens before its place.
last
    the number of losses: The last `last` ones of each window count.
-last
    the start of the losses that count: They are the last `last` ones of each window.
model(text[place - n : place])
    the call of the model: It gives the loss of each token of the window.
model(text[place - n : place])[-last:]
    the choice of the losses: The last `last` ones of each window count.
np.mean(losses)
    the mean: The curve has one number per length, the mean over places and tokens.
""",
    slips="""
text[place - n : place] → text[place - n + 1 : place + 1]
    Your windows are one token too late. `text[a:b]` ends before b, so the place itself is not in the window.
text[place - n : place] → text[place - n - 1 : place - 1]
    Your windows are one token too early. `text[a:b]` already ends before b.
np.mean(losses) → np.mean(losses) * len(places)
    You add up the means of the places. Divide by the number of places.
curve.append(np.mean(losses)) → np.mean(losses)
    You append nothing, so the list stays empty.
text[place - n : place] → text[n:place]
    Your windows begin at token n of the text, and some are empty. They begin n tokens before the place.
[-last:] for → for
    Your windows end at the same places now, but all of their tokens count. The first ones are at trained positions and
    hide a part of the rise. Keep the losses of the `last` tokens only.
[-last:] → [:last]
    You keep the first tokens of each window. The ones that count are the last, just before the place.
[-last:] → [last:]
    You drop the first tokens of each window. The ones that count are the last, counted from the end.
[-last:] → [:-last]
    You keep all tokens except the ones that count.
[-last:] → [-1:]
    You count one token only. The `last` ones before its place count.
[-last:] → [-last - 1 :]
    You count one token too many. The `last` ones of each window count.
[-last:] → [-last + 1 :]
    You count one token too few. The `last` ones of each window count.
text[place - n : place] → text[place - last : place]
    Every window has `last` tokens, whatever n is. It should have n.
text[place - n : place] → text[place - n : place + 1]
    Your windows end one token too late. `text[a:b]` ends before b.
text[place - n : place] → text[place - n : place - 1]
    You leave out the last token before the place. `text[a:b]` ends before b, so b is the place itself.
text[place - n : place] → text[place - n - last : place]
or text[place - n : place] → text[max(0, place - n - last) : place]
    Your windows have n + `last` tokens. The `last` ones that count are among the n, so a window begins at place − n.
text[place - n : place] → text[-n:]
    Every window ends with the text, because you do not use `place`. It ends just before its place.
text[place - n : place] → text[place - max(lengths) : place]
    Your window has the longest length every time. It begins n tokens before its place.
text[place - n : place] → text[place - min(lengths) : place]
    Your window has the shortest length every time. It begins n tokens before its place.
curve.append(np.mean(losses)) → return np.mean(losses)
    You return the first length only, because a `return` in the loop ends the function. Collect one number for each n,
    and return the list after the loop.
text[place - n : place] → text[n - place : place]
    You computed n − place, so the windows are empty. They begin n tokens before the place.
text[place - n : place] → text[:place]
    Every window begins with the text, whatever n is.
text[place - n : place] → text[place - n :]
    Your windows end with the text. They should end at their places.
text[place - n : place] → text[place - n : place + n]
    Your windows have 2n tokens, because they also have the n after the place.
text[place - n : place] → text[place : place + n]
    Only the last tokens count now, but they are different ones at each length, because the windows still begin at the
    same place. They should end there.
text[place - n : place])[-last:] → text[place : place + n])[:last]
    The same tokens count at every length now, the first ones of each window. They have almost nothing before them,
    however long the window is. The windows should *end* at the same place.
text[place - n : place] → text[place + max(lengths) - n : place + max(lengths)]
    All windows end together now, but in the wrong place. They should end just before `place`.
text[place - n : place] → text[place - last : place - last + n]
    Each window begins `last` tokens before its place, so it ends elsewhere at every length. All should end at the
    place.
np.mean(losses) → np.median(losses)
    You take the median. The task asks for the mean, because a few tokens that are very wrong must count.
np.mean(losses) → np.max(losses)
    You take the largest loss. The task asks for the mean.
np.mean(losses) → np.sum(losses)
    You take the sum of the losses. The task asks for the mean.
np.mean(losses) → np.exp(np.mean(losses))
    You return e to the power of the loss, the perplexity. The task asks for the loss itself.
np.mean(losses) → np.mean(losses, axis=1)
    You take one mean per place. The task asks for one number per length, the mean over places and tokens.
np.mean(losses) → np.mean(losses, axis=0)
    You take one mean per token. The task asks for one number per length, the mean over places and tokens.
np.mean(losses) → np.mean(losses[-1])
    You count the last place only. The mean runs over all of them.
np.mean(losses) → np.mean(losses[0])
    You count the first place only. The mean runs over all of them.
return curve → return curve[-1]
    You return the last length only. The task asks for the list, one number per length.
... → return _fair_curve_given(model, text, places, lengths[:1], last)
    You return the first length only, because the `return` is inside the loop. And the windows still ask about different
    tokens at each length.
... → return _fair_curve(model, text, places, lengths[:1], last)
    You return the first length only. Is the `return` inside the loop?
""",
    alternatives=[_token_by_token],
    hints=[
        "For n = 8 and n = 16, which tokens of the text does the first window ask about?",
        "The n tokens that end just before `place` are `text[place - n : place]`.",
        "The model gives the loss of each token, in order, so the `last` ones are `[-last:]`.",
    ],
)
