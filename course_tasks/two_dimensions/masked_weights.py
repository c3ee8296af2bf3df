"""Bug hunt: whose axis is it?"""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.attention import softmax
from course_lib.reference.window import shift_mask

from .common import numbers


def _masked_weights(scores, bias, mask):
    """Weights inside every window: (windows, heads, n, n).

    scores (windows, heads, n, n); bias (heads, n, n) is the same in every window;
    mask (windows, n, n) is the same for every head, True where a query may look.
    """
    biased = scores + bias
    return softmax(np.where(mask[:, None], biased, -np.inf))


def _given(scores, bias, mask):
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


def _seams(seed, heads, size, window, shift, loud=1.0):
    """Random scores and bias, and the mask of shifted windows."""
    mask = shift_mask(size, size, window, shift)
    rng = np.random.default_rng(seed)
    scores = loud * rng.normal(size=(len(mask), heads, window**2, window**2))
    return scores, rng.normal(size=(heads, window**2, window**2)), mask


def _seams_favoured(size, window, shift):
    """Scores of 0, a bias that favours pairs which the mask of some window hides, and that mask."""
    mask = shift_mask(size, size, window, shift)
    bias = np.where(mask.all(axis=0), 0.0, [[[40.0]], [[20.0]]])
    return np.zeros((len(mask), *bias.shape)), bias, mask


def _in_each_window(seed, heads, mask):
    """Scores and bias of two decimals, and the same mask in each of four windows."""
    return numbers(seed, 4, heads, 4, 4), numbers(seed + 1, heads, 4, 4), np.tile(mask.astype(bool), (4, 1, 1))


def _hidden_gets_nothing(result, scores, bias, mask):
    weights = np.moveaxis(np.asarray(result), 1, 0)
    return np.all(weights[:, ~mask] == 0)


def _sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


masked_weights = CodingTask(
    title="Bug hunt: whose axis is it?",
    minutes=8,
    difficulty=2,
    words="""As in published code, this shifted layer hides keys by adding −100, and relies on broadcasting to add it. With four
windows and four heads it runs, but it hides the wrong patches: head 3 gets the mask of window 3 in *all* windows. (With two
or three heads it stops with an error, which is the good case.) And where scores are large, hidden keys get weight. Fix both
bugs.""",
    solution=_masked_weights,
    starter=_given,
    expected=_window_by_window,
    cases=[
        Case(*_seams(0, 4, 4, 2, 1), label="four windows, four heads"),
        Case(*_seams(1, 1, 4, 2, 1), label="four windows, one head"),
        Case(*_seams(2, 2, 6, 3, 1), label="four windows, two heads"),
        Case(*_seams(3, 3, 3, 3, 1), label="one window, three heads"),
        Case(*_seams(4, 4, 4, 2, 1, loud=120.0), label="large scores"),
        Case(*_seams(5, 2, 4, 2, 0), label="no shift: nothing is hidden"),
        Case(*_seams(8, 2, 4, 2, 1, loud=1e5), label="huge scores"),
        Case(*_seams_favoured(4, 2, 1), label="equal scores, and a bias of 40 for some hidden keys"),
        Case(*_in_each_window(9, 2, np.tri(4)), label="each patch sees itself and what comes before it"),
        Case(*_in_each_window(6, 4, np.eye(4)), label="each patch alone"),
    ],
    draw=lambda rng: _seams(int(rng.integers(1000)), int(rng.integers(1, 5)), 4, 2, 1, (1.0, 120.0)[rng.integers(2)]),
    axes=("window", "head", "query", "key"),
    properties=[
        Property(
            "sum to 1",
            _sum_to_one,
            "The weights of a query must sum to 1 over the keys it may see. Hide the scores, before the softmax.",
        ),
        Property(
            "hidden keys get nothing",
            _hidden_gets_nothing,
            "A hidden key gets weight. For all heads, mask[w] says what is hidden in window w, and −∞ is the only score that "
            "hides for sure.",
        ),
    ],
    pieces="""
np.where(mask[:, None], biased, -np.inf)
    the mask: A pair keeps its score where the mask is True, and gets −∞ elsewhere.
mask[:, None]
    the mask: It has one grid for each window and needs an axis for the heads, right after the windows.
bias
    the bias: It is added to the scores as in the given code.
scores + bias
    the sum of scores and bias: It was right in the given code.
-np.inf
    the score of hidden pairs: It is −∞, because e^−∞ is 0.
""",
    slips="""
np.where(mask[:, None], biased, -np.inf) → biased - 100 * ~mask
    This does the same as the given code. The windows of the mask are lined up with the heads, and −100 is not enough.
np.where(mask[:, None], biased, -np.inf) → biased - 100 * ~mask[:, None]
    The axis is right now. But −100 hides a key only while the scores are small; where they are large, the hidden key still
    gets weight. Set the score to −∞.
np.where(mask[:, None], biased, -np.inf) → biased - 1000 * ~mask[:, None]
    The axis is right now. But with −1000, a hidden key that is ahead by more still gets weight. Set the score to −∞.
np.where(mask[:, None], biased, -np.inf) → np.where(mask[:, None], biased, biased.min() - 10)
    The axis is right now. But a score 10 below the smallest does not hide a key, because e^−10 of a weight is left. Only
    −∞ hides.
np.where(mask[:, None], biased, -np.inf) → biased + -np.inf * ~mask[:, None]
    You multiply −∞ by 0 for the visible keys, which gives nan. Choose with `np.where` instead.
np.where(mask[:, None], biased, -np.inf) → biased + -np.inf * ~mask
    You multiply −∞ by 0 for the visible keys, which gives nan. Choose with `np.where` instead. The windows of the mask are
    also still lined up with the heads.
mask[:, None] → mask.swapaxes(-1, -2)[:, None]
    You transposed the mask. It is (query, key) in each window, as the scores are.
mask[:, None] → mask
    −∞ hides for sure now. But the windows of the mask are still lined up with the heads. Give the mask an axis for the
    heads.
mask[:, None] → np.tile(mask, (scores.shape[1], 1, 1)).reshape(scores.shape)
    `np.tile` repeats the whole list of masks, so the windows of the mask are mixed up with the heads. Repeat each mask
    for all heads, with `mask[:, None]` or `np.repeat`.
mask[:, None] → mask[None]
    `mask[None]` puts the new axis first, so the windows of the mask are still lined up with the heads. The new axis belongs
    after the windows.
np.where(mask[:, None], biased, -np.inf) → np.where(mask, biased.swapaxes(0, 1), -np.inf)
    Your result has the heads first and the windows second. If you exchanged the two to line the mask up, exchange them
    back at the end, or leave them and give the mask an axis for the heads.
mask[:, None] → mask[:, :, None]
    You put the new axis after the queries. The heads come right after the windows, `mask[:, None]`.
biased, -np.inf → biased, 0
    A score of 0 does not hide a key, because e⁰ = 1. Only −∞ hides.
biased, -np.inf → biased, -100
    You replace hidden scores by −100, which is below the others only while scores are small. Nothing is below −∞.
mask[:, None] → mask[0]
    You use the mask of window 0, which hides nothing, in every window. Each window has its own.
mask[:, None] → mask[-1]
    You use the mask of the last window in every window. Each window has its own.
np.where(mask[:, None], biased, -np.inf) → biased
    You removed the mask, so patches from opposite edges see each other.
np.where(mask[:, None], biased, -np.inf) → biased + mask[:, None]
    You add the mask, in which True counts as 1. So visible keys get 1 more, and nothing is hidden.
scores + bias → scores + bias[:, None]
    You lined up the heads of the bias with the windows. Shapes are matched from the right, so (heads, n, n) fitted as it
    was.
scores + bias → scores + bias[0]
    All heads get the bias of head 0. Shapes are matched from the right, so (heads, n, n) fitted as it was.
scores + bias → scores + bias.swapaxes(-1, -2)
    You transposed the bias. It was right as it was.
scores + bias → scores + bias.T
    `.T` reverses all axes of the bias. It fitted as it was, (heads, n, n).
scores + bias → scores + bias.mean(axis=0)
    All heads get the same, averaged bias. Each head has its own.
softmax(np.where(mask[:, None], biased, -np.inf)) → softmax(biased) * mask[:, None]
    You hide keys after the softmax, so the weights no longer sum to 1. Hide the scores, before the softmax.
""",
    alternatives=[_by_repeating, _window_by_window],
    hints=[
        "Shapes are matched from the right. Write (windows, heads, n, n) and below it (windows, n, n), aligned on the right. "
        "What is below the heads?",
        "`mask[:, None]` is (windows, 1, n, n), the same for every head.",
        "`np.where(mask, score, -np.inf)` hides for sure, because e^−∞ is 0 whatever the other scores are.",
    ],
)


@masked_weights.wrong(
    "You hide keys after the softmax and divide again. Where a hidden key had taken all the weight, this is 0/0. Hide the "
    "scores, before the softmax."
)
def _hidden_then_divided(scores, bias, mask):
    weights = softmax(scores + bias) * mask[:, None]
    return weights / weights.sum(axis=-1, keepdims=True)
