"""Slopes with a pencil: a power of two, and another number of heads."""

from ...reference.alibi import slopes
from ..engine import Answer, Axis, Mistake

_FOUR, _SIX = "4 heads", "6 heads, authors' code"
_ALONE, _BIAS = "6 heads, head 1 by 2^(−8h/H)", "bias, head 1 of 4, key 3 back"


def _slopes_by_hand():
    return {
        _FOUR: slopes(4).tolist(),
        _SIX: slopes(6).tolist(),
        _ALONE: 2 ** (-8 / 6),
        _BIAS: float(-slopes(4)[0] * 3),
    }


_4 = slopes(4).tolist()
_8 = slopes(8).tolist()

slopes_by_hand = Answer(
    "slopes_by_hand",
    title="Slopes with a pencil",
    minutes=8,
    difficulty=1,
    words="""ALiBi's slopes, as a list with head 1 first (write `1/4` as it stands: Python computes it):

- of a layer with 4 heads;
- of a layer with 6 heads, as the authors' code has them: all slopes of 4 heads, then every other slope of 8 heads;
- one number: of head 1 of 6 by the formula alone, $2^{-8h/H}$ with $H = 6$ (a calculator, four decimals);
- one number: the bias that head 1 of *4* adds to the score of a key 3 tokens back.""",
    expected=_slopes_by_hand,
    digits=4,
    nearly=False,
    axes={_FOUR: (Axis("head", list("1234")),), _SIX: (Axis("head", list("123456")),)},
    mistakes=[
        Mistake(
            {_FOUR: _8[:4]},
            "4 heads: these are the first four slopes of 8 heads. With H = 4 the ratio is 2⁻², not 2⁻¹.",
        ),
        Mistake(
            {_FOUR: [1, 1 / 4, 1 / 16, 1 / 64]},
            "4 heads: you count heads from 0. The first slope is not 1 but the ratio itself: h = 1 … H.",
        ),
        Mistake({_FOUR: [4, 16, 64, 256]}, "4 heads: these are one divided by the slopes. The exponent is negative."),
        Mistake({_FOUR: _4[::-1]}, "4 heads: the other way round. Head 1 is the steepest."),
        Mistake(
            {_FOUR: [-m for m in _4]}, "4 heads: a slope is positive. The minus stands in the bias, −m · distance."
        ),
        Mistake(
            {_FOUR: [2.0**-2, 2.0**-3, 2.0**-4, 2.0**-5]},
            "4 heads: the first is right, and then you halve. The ratio from head to head is the first slope itself, 2⁻².",
        ),
        Mistake(
            {_FOUR: [-2, -4, -6, -8]},
            "4 heads: these are the exponents. The slopes are 2 to the power of them.",
        ),
        Mistake(
            {_FOUR: [2, 4, 6, 8]},
            "4 heads: these are exponents, without their sign. The slopes are 2⁻², 2⁻⁴ and so on.",
        ),
        Mistake(
            {_SIX: [2 ** (-8 * h / 6) for h in range(1, 7)]},
            "6 heads: this is the formula alone. The authors' code begins with all slopes of 4 heads.",
        ),
        Mistake({_SIX: _8[:6]}, "6 heads: these are six of the slopes of 8 heads. It begins with all slopes of 4."),
        Mistake(
            {_SIX: sorted([*_4, *_8[::2][:2]], reverse=True)},
            "6 heads: the right six, but sorted. The code appends: the slopes of 4 heads first, then the others.",
        ),
        Mistake(
            {_SIX: [*_8[::2][:2], *_4]},
            "6 heads: the right six, but the additional ones come last.",
        ),
        Mistake(
            {_SIX: [*_4, *_8[:2]]}, "6 heads: the last two are neighbours among the slopes of 8. Take every other."
        ),
        Mistake(
            {_SIX: [*_4, *_8[1::2][:2]]},
            "6 heads: you took the second and the fourth of 8, or began the slopes of 4 anew: they are the same. Take every other of 8 from the *first*.",
        ),
        Mistake(
            {_SIX: [*_4, *_8[::2][2:]]},
            "6 heads: the last two are the flat end of the list. The steep ones come first: number 1 and number 3 of 8.",
        ),
        Mistake(
            {_SIX: [*_4, *_8[::2][1::-1]]},
            "6 heads: the last two have changed places. Number 1 of the slopes of 8 heads comes before number 3.",
        ),
        Mistake({_ALONE: 0.25}, "Head 1 of 6: this is 2⁻², the authors' slope. The formula alone is 2^(−8/6)."),
        Mistake({_ALONE: 2 ** (8 / 6)}, "Head 1 of 6: the exponent is negative."),
        Mistake({_ALONE: 8 / 6}, "Head 1 of 6: this is the exponent, without its sign. 2 to the power of −8/6."),
        Mistake({_ALONE: -8 / 6}, "Head 1 of 6: this is the exponent. 2 to the power of it."),
        Mistake({_ALONE: 2 ** (-6 / 8)}, "Head 1 of 6: 8 and 6 have changed places in the exponent."),
        Mistake({_ALONE: 2**-8}, "Head 1 of 6: you took h = 6, the last head. For head 1 it is h = 1."),
        Mistake({_ALONE: 0.3333}, "Head 1 of 6: 2^(−8/6) is no simple fraction. Four decimals, please."),
        Mistake({_BIAS: 0.75}, "Bias: the sign. It is a penalty, −m · 3."),
        Mistake({_BIAS: 0.25}, "Bias: this is the slope. The bias is −m · 3."),
        Mistake({_BIAS: -1.5}, "Bias: this is the slope ½ of 8 heads. With 4 heads head 1 has another."),
        Mistake({_BIAS: -1.0}, "Bias: four steps. A key 3 back is at distance 3, the token itself at 0."),
        Mistake({_BIAS: -0.5}, "Bias: two steps. A key 3 back is at distance 3: the query itself does not count."),
        Mistake({_BIAS: -0.25}, "Bias: this is one step. The penalty grows with every step back."),
        Mistake({_BIAS: -0.1875}, "Bias: this is head 2. Heads are counted from 1 here."),
        Mistake(
            {_BIAS: -1 / 64}, "Bias: you multiplied the slope with itself. The line is straight: three times the slope."
        ),
        Mistake({_BIAS: -0.375}, "Bias: it is not scaled by √d: it is added after the scaling."),
    ],
    hints=[
        "2^(−8/4) = 2⁻² = 1/4 for head 1 of 4; each head multiplies by the same number again.",
        "8 heads have the slopes 1/2, 1/4, 1/8, … Every other one, from the first: 1/2, 1/8, …",
        "The bias is minus the slope times the distance.",
    ],
)
