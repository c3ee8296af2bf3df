"""Bias and mask together: one has an axis of heads, the other an axis of windows."""

import numpy as np

from ...reference.attention import softmax
from ...reference.window import shift_mask
from ..engine import Case, Mistake, Property, Task
from .common import numbers


def _masked_weights(scores, bias, mask):
    """Weights inside every window: (windows, heads, n, n).

    scores (windows, heads, n, n); bias (heads, n, n) is the same in every window;
    mask (windows, n, n) is the same for every head, True where a query may look.
    """
    biased = scores + bias
    return softmax(np.where(mask[:, None], biased, -np.inf))


def _masked_weights_given(scores, bias, mask):
    """Weights inside every window: (windows, heads, n, n).

    scores (windows, heads, n, n); bias (heads, n, n) is the same in every window;
    mask (windows, n, n) is the same for every head, True where a query may look.
    """
    biased = scores + bias
    return softmax(biased - 100 * ~mask)


def _window_by_window(scores, bias, mask):
    """By definition: each window with its own mask, each head with its own bias."""
    made = np.zeros(np.shape(scores))
    for w in range(len(scores)):
        for h in range(len(bias)):
            made[w, h] = softmax(np.where(mask[w], scores[w, h] + bias[h], -np.inf))
    return made


def _by_repeating(scores, bias, mask):
    every = np.repeat(mask[:, np.newaxis], scores.shape[1], axis=1)
    return softmax(np.where(every, scores + bias[np.newaxis], -np.inf))


def _hidden_then_divided(scores, bias, mask):
    weights = softmax(scores + bias) * mask[:, None]
    return weights / weights.sum(axis=-1, keepdims=True)


def _seams(seed, heads, size, window, shift, loud=1.0):
    """Random scores and bias, and the mask of shifted windows."""
    mask = shift_mask(size, size, window, shift)
    rng = np.random.default_rng(seed)
    scores = loud * rng.normal(size=(len(mask), heads, window**2, window**2))
    return scores, rng.normal(size=(heads, window**2, window**2)), mask


def _seams_favoured(size, window, shift):
    """A bias that favours pairs which the mask of some window hides, and that mask."""
    mask = shift_mask(size, size, window, shift)
    return np.where(mask.all(axis=0), 0.0, [[[40.0]], [[20.0]]]), mask


def _hidden_gets_nothing(result, scores, bias, mask):
    weights = np.moveaxis(np.asarray(result), 1, 0)
    return np.all(weights[:, ~mask] == 0)


def _sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


_RUN = "np.where(mask[:, None], biased, -np.inf)"
_WINDOW = ("window", "head", "query", "key")

masked_weights = Task(
    title="Bug hunt: whose axis is it?",
    minutes=8,
    difficulty=2,
    words="""A shifted layer hides with −100, as published code does, and adds what it adds with broadcasting. With four windows and
four heads it runs, and hides the wrong patches: head 3 is masked in *all* windows as window 3 should be. (With two or three
heads it stops with an error, which is kinder.) And where scores are large, hidden keys get weight. Mend both.""",
    solution=_masked_weights,
    given=_masked_weights_given,
    expected=_window_by_window,
    cases=[
        Case(*_seams(0, 4, 4, 2, 1), says="four windows, four heads", axes=_WINDOW),
        Case(*_seams(1, 1, 4, 2, 1), says="four windows, one head", axes=_WINDOW),
        Case(*_seams(2, 2, 6, 3, 1), says="four windows, two heads", axes=_WINDOW),
        Case(*_seams(3, 3, 3, 3, 1), says="one window, three heads", axes=_WINDOW),
        Case(*_seams(4, 4, 4, 2, 1, loud=120.0), says="large scores", axes=_WINDOW),
        Case(*_seams(5, 2, 4, 2, 0), says="no shift: nothing is hidden", axes=_WINDOW),
        Case(*_seams(8, 2, 4, 2, 1, loud=1e5), says="huge scores", axes=_WINDOW),
        Case(np.zeros((4, 2, 4, 4)), *_seams_favoured(4, 2, 1), says="equal scores, and a bias of 40 for some hidden keys", axes=_WINDOW),
        Case(numbers(9, 4, 2, 4, 4), numbers(10, 2, 4, 4), np.tile(np.tri(4, dtype=bool), (4, 1, 1)), says="each patch sees itself and what comes before it", axes=_WINDOW),
        Case(numbers(6, 4, 4, 4, 4), numbers(7, 4, 4, 4), np.tile(np.eye(4, dtype=bool), (4, 1, 1)), says="each patch alone", axes=_WINDOW),
    ],
    draw=lambda rng: _seams(int(rng.integers(1000)), int(rng.integers(1, 5)), 4, 2, 1, loud=(1.0, 120.0)[rng.integers(2)]),
    axes=_WINDOW,
    properties=[
        Property("sum to 1", _sum_to_one, "The weights of one query must sum to 1 over the keys it may see: hide the scores, before the softmax."),
        Property("hidden keys get nothing", _hidden_gets_nothing, "A hidden key gets weight: mask[w] says what is hidden in window w, for all heads, and −∞ is the only score that hides for sure."),
    ],
    mistakes=[
        Mistake(_RUN, "biased - 100 * ~mask", "This is as it was: the windows of the mask stand where the heads are, and −100 is not enough."),
        Mistake(_RUN, "biased - 100 * ~mask[:, None]", "The axis is right now. But −100 hides only while scores are small: where they are large the hidden key still wins. Set the score to −∞."),
        Mistake(_RUN, "biased - 1000 * ~mask[:, None]", "The axis is right now. −1000 moves the limit, it does not remove it: where a hidden key is ahead by more, it still wins. Set the score to −∞."),
        Mistake(_RUN, "np.where(mask[:, None], biased, biased.min() - 10)", "The axis is right now. But 10 below the smallest score is not hidden: e^−10 of a weight is left. Only −∞ hides."),
        Mistake(_RUN, "biased + -np.inf * ~mask[:, None]", "0 · ∞ is nan, and that is what the visible keys get: choose with `np.where`."),
        Mistake(_RUN, "biased + -np.inf * ~mask", "Two things. 0 · ∞ is nan: choose with `np.where`. And the windows of the mask still stand where the heads are."),
        Mistake(_RUN, "np.where(mask.swapaxes(-1, -2)[:, None], biased, -np.inf)", "The mask is (query, key); yours is turned."),
        Mistake(_hidden_then_divided, "0/0: the hidden key had taken all the weight before you hid it. Hide the scores, before the softmax."),
        Mistake(_RUN, "np.where(mask, biased, -np.inf)", "−∞ hides for sure now. But the windows of the mask still stand where the heads are: give it an axis for the heads."),
        Mistake(_RUN, "np.where(mask[None], biased, -np.inf)", "`mask[None]` puts the new axis in front: the windows still stand where the heads are. It belongs behind the windows."),
        Mistake(_RUN, "np.where(mask[:, :, None], biased, -np.inf)", "The new axis stands behind the queries. The heads come right after the windows: `mask[:, None]`."),
        Mistake(_RUN, "np.where(mask[:, None], -np.inf, biased)", "Turned round: this hides what may be seen. The mask is True where a query *may* look."),
        Mistake(_RUN, "np.where(mask[:, None], biased, 0)", "A score of 0 is not hidden: e⁰ = 1. Hidden is −∞."),
        Mistake(_RUN, "np.where(mask[:, None], biased, -100)", "−100 in place of the score: below it only while scores are small. With −∞ nothing can be smaller."),
        Mistake(_RUN, "np.where(mask[0], biased, -np.inf)", "All windows get the mask of window 0, which hides nothing. Each has its own."),
        Mistake(_RUN, "np.where(mask[-1], biased, -np.inf)", "All windows get the mask of the last window. Each has its own."),
        Mistake(_RUN, "biased", "The mask is gone: patches from opposite edges see each other."),
        Mistake(_RUN, "biased + mask[:, None]", "True counts as 1 here: what may be seen gets 1 more, and nothing is hidden."),
        Mistake("scores + bias", "scores", "The bias is not added any more."),
        Mistake("scores + bias", "scores - bias", "The bias is subtracted. It was right as it was."),
        Mistake("scores + bias", "scores + bias[:, None]", "The heads of the bias stand where the windows are now. Shapes are matched from the right: (heads, n, n) fitted as it was."),
        Mistake("scores + bias", "scores + bias[0]", "All heads get the bias of head 0. Shapes are matched from the right: (heads, n, n) fitted as it was."),
        Mistake("scores + bias", "scores + bias.swapaxes(-1, -2)", "The bias is transposed. It was right as it was."),
        Mistake("scores + bias", "scores + bias.mean(axis=0)", "All heads get the same, averaged bias."),
        Mistake("softmax(np.where(mask[:, None], biased, -np.inf))", "softmax(biased) * mask[:, None]", "Hidden after the softmax: the weights no longer sum to 1. Hide the scores, before it."),
        Mistake("softmax(np.where(mask[:, None], biased, -np.inf))", "softmax(np.where(mask[:, None], biased, -np.inf).swapaxes(-1, -2)).swapaxes(-1, -2)", "The softmax runs over the queries. Weights sum to 1 over the *keys*, the last axis."),
        Mistake("softmax(np.where(mask[:, None], biased, -np.inf))", "np.where(mask[:, None], biased, -np.inf)", "These are the scores, rightly hidden. The softmax is missing."),
        Mistake("scores + bias", "scores + bias.T", "`.T` turns all axes of the bias round. It needs no turning: (heads, n, n) fitted as it was."),
    ],
    alternatives=[_by_repeating, _window_by_window],
    hints=[
        "Shapes are matched from the right. Write (windows, heads, n, n) and below it (windows, n, n), flush right: what stands below the heads?",
        "`mask[:, None]` is (windows, 1, n, n): the same for every head.",
        "`np.where(mask, score, -np.inf)` hides for sure: e^−∞ is 0 whatever the other scores are.",
    ],
)  # fmt: skip
