"""Which fixed biases keep attention in bounds however long the text: a prediction."""

import functools

import numpy as np

from ...reference.attention import softmax
from ...reference.bias import decay_row
from ...reference.t5 import bucket
from ..engine import Answer, Mistake

GROWS, BOUNDED = "grows", "bounded"
SHORT, LONG = 2**13, 2**17
_NONE, _LOG, _ONE, _TWO = "no bias", "log, 0.3", "log, 1", "log, 2"
_T5, _ALIBI, _ROOT, _WINDOW = "T5, far row −5", "ALiBi, 1/256", "square root, 1", "window of 64"


def _far_row(d):
    """A T5 table whose rows go down evenly to −5."""
    return np.linspace(0, -5, 32)[bucket(-d, bidirectional=False)]


BIASES = {
    _NONE: lambda d: 0.0 * d,
    _LOG: lambda d: decay_row(d),
    _ONE: lambda d: decay_row(d, scale=1.0),
    _TWO: lambda d: decay_row(d, scale=2.0),
    _T5: _far_row,
    _ALIBI: lambda d: decay_row(d, scale=1 / 256, decay="linear"),
    _ROOT: lambda d: decay_row(d, scale=1.0, decay="square root"),
    _WINDOW: lambda d: np.where(d < 64, 0.0, -np.inf),
}


def _span(bias, n):
    w = softmax(bias(np.arange(n)))
    return float(np.exp(-(w * np.log(np.where(w > 0, w, 1))).sum()))


@functools.cache
def _growing():
    """The names of the biases whose span goes on growing, found with numbers of keys far apart."""
    return {name for name, bias in BIASES.items() if _span(bias, LONG) > 1.01 * _span(bias, SHORT)}


def _grows_with_n():
    return {name: GROWS if name in _growing() else BOUNDED for name in BIASES}


grows_with_n = Answer(
    "grows_with_n",
    title="Prediction: does the span end?",
    minutes=6,
    difficulty=2,
    words="""The last query of n looks at all keys; the content is equal everywhere, so the bias alone decides. Let n grow without
end. Does the effective span grow without end too (`"grows"`), or does it stay below some number (`"bounded"`)?

- no bias;
- the log decay −λ · ln(1 + distance), with λ = 0.3, 1 and 2;
- a decoder's T5 table whose rows go down evenly from 0 to −5 (the last row serves every distance from 113 on);
- ALiBi with its smallest slope of eight heads, 1/256;
- −√distance;
- a window: −∞ from distance 64 on.

The weights before they are divided are e to the power of the bias: does their sum over all distances end?""",
    expected=_grows_with_n,
    mistakes=[
        Mistake({_NONE: BOUNDED}, "no bias: every key has 1/n, so the span is n itself."),
        Mistake({_LOG: BOUNDED}, "log, 0.3: e to the bias is 1/(1 + d)^0.3. The sum of these over all d has no end."),
        Mistake(
            {_ONE: BOUNDED},
            "log, 1: e to the bias is 1/(1 + d), so the sum is 1 + 1/2 + 1/3 + …, which grows like ln n: slowly, and without end.",
        ),
        Mistake(
            {_TWO: GROWS},
            "log, 2: e to the bias is 1/(1 + d)², and 1 + 1/4 + 1/9 + … ends at 1.645. A log decay is bounded when λ > 1.",
        ),
        Mistake(
            {_T5: BOUNDED},
            "T5: from 113 on all distances share one row. −5 makes each of these keys small, e^−5 = 0.0067, but none smaller than the next: enough of them outweigh everything near.",
        ),
        Mistake(
            {_ALIBI: GROWS},
            "ALiBi: 1/256 is a small slope, but each step back multiplies by e^(−1/256) once more, and such a sum ends. The span of this head is some 700 keys, and no more.",
        ),
        Mistake(
            {_ROOT: GROWS},
            "square root: e^(−√d) falls more slowly than ALiBi's, but faster than any power of d, and the sum ends.",
        ),
        Mistake({_WINDOW: GROWS}, "window: 64 keys are left, however long the text is."),
    ],
    hints=[
        "A row of weights is e^bias divided by its sum. When that sum goes on growing with n, each near key's share goes to 0.",
        "e^(−λ ln(1 + d)) = (1 + d)^−λ: the sum of these ends for λ > 1 only.",
        "A scheme that says the same for all far distances, whatever it says, gives n far keys n times as much in all.",
    ],
)
