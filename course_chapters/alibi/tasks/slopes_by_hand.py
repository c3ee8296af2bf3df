"""Slopes with a pencil · 8 minutes · ★ · first

ALiBi's slopes, as a list with head 1 first (you can write `1/4`, because Python computes it):

- for a layer with 4 heads;
- for a layer with 6 heads, as the authors' code has them: all slopes of 4 heads, then every other slope of 8 heads;
- one number, for head 1 of 6 by the formula alone, $2^{-8h/H}$ with $H = 6$ (use a calculator, four decimals);
- one number, the bias that head 1 of *4* adds to the score of a key 3 tokens back.
"""

from course_kit.checking import Axis
from course_lib.reference.alibi import slopes

FOUR, SIX = "4 heads", "6 heads, authors' code"
ALONE, BIAS = "6 heads, head 1 by 2^(−8h/H)", "bias, head 1 of 4, key 3 back"
OF_4, OF_8 = tuple(slopes(4).tolist()), tuple(slopes(8).tolist())

ANSWER = {FOUR: list(OF_4), SIX: slopes(6).tolist(), ALONE: 2 ** (-8 / 6), BIAS: -3 * OF_4[0]}
DIGITS = 4
AXES = {FOUR: (Axis("head", list("1234")),), SIX: (Axis("head", list("123456")),)}

WRONG = {
    FOUR: {
        OF_8[:4]: "These are the first four slopes of 8 heads. With H = 4 the ratio is 2⁻², not 2⁻¹.",
        (1, *OF_4[:3]): "Your first slope is 1, as if heads were counted from 0. Head 1 has the ratio itself.",
        (4, 16, 64, 256): "These are one divided by the slopes. The exponent is negative.",
        OF_4[::-1]: "Your list is in reverse order. Head 1 is the steepest.",
        tuple(-m for m in OF_4): "A slope is positive. The minus sign belongs to the bias, which is −m · distance.",
        OF_8[1:5]: "The first slope is right, but then you halve. The ratio is the first slope, 2⁻².",
        (-2, -4, -6, -8): "These are the exponents. The slopes are 2 to the power of them.",
        (2, 4, 6, 8): "These are the exponents without their sign. The slopes are 2⁻², 2⁻⁴ and so on.",
    },
    SIX: {
        tuple(2 ** (-8 * h / 6) for h in range(1, 7)): "This is the formula alone. Begin with all slopes of 4 heads.",
        OF_8[:6]: "These are six slopes of 8 heads. The authors' code begins with all slopes of 4 heads.",
        (*OF_8[:4], *OF_4[2:]): "These are the right six slopes, but sorted. The slopes of 4 heads come first.",
        (OF_8[0], OF_8[2], *OF_4): "These are the right six slopes, but the additional ones come last.",
        (*OF_4, *OF_8[:2]): "The last two are neighbours among the slopes of 8 heads. Take every other one.",
        (*OF_4, OF_8[1], OF_8[3]): "Your last two are the second and the fourth of 8 heads. Begin with the *first*.",
        (*OF_4, OF_8[4], OF_8[6]): "You took the last two from the flat end. The steep ones come first, 1 and 3 of 8.",
        (*OF_4, OF_8[2], OF_8[0]): "Exchange the last two. Number 1 of the slopes of 8 heads comes before number 3.",
    },
    ALONE: {
        0.25: "This is 2⁻², the authors' slope. The formula alone gives 2^(−8/6).",
        2 ** (8 / 6): "The exponent is negative.",
        8 / 6: "This is the exponent without its sign. The slope is 2 to the power of −8/6.",
        -8 / 6: "This is the exponent. The slope is 2 to the power of it.",
        2 ** (-6 / 8): "You exchanged 8 and 6 in the exponent.",
        2**-8: "This is the slope of h = 6, the last head. Head 1 has h = 1.",
        2**-8 / 6: "Python takes the power first. Put the whole exponent in parentheses.",
        0.3333: "2^(−8/6) is not a simple fraction. Give four decimals.",
    },
    BIAS: {
        0.75: "The sign is wrong. The bias is a penalty, −m · 3.",
        0.25: "This is the slope. The bias is −m · 3.",
        -0.25: "This is −m, the penalty of one step. It grows with every step back.",
        -0.5: "These are two steps. A key 3 back has distance 3, because the token itself has distance 0.",
        -1.0: "These are four steps. A key 3 back has distance 3, because the token itself has distance 0.",
        -1.5: "This uses the slope ½ of 8 heads. With 4 heads, head 1 has another slope.",
        -0.1875: "This is head 2. Heads are counted from 1 here.",
        -1 / 64: "This is minus (1/4)³, the slope of head 3. The penalty is linear, three times the slope of head 1.",
        -0.375: "This is half of −m · 3, with the slope m = 2⁻² of head 1. The bias is not divided by √d.",
    },
}

HINTS = [
    "2^(−8/4) = 2⁻² = 1/4 for head 1 of 4. Each further head multiplies by the same number again.",
    "8 heads have the slopes 1/2, 1/4, 1/8, … Every other one, from the first: 1/2, 1/8, …",
    "The bias is minus the slope times the distance.",
]
