"""A bias −λ · decay(|j − i|): its matrix, and who gains and who loses by it in the row of one query."""

import math

import numpy as np
from numpy.typing import ArrayLike

from course_lib.checks import check_array
from course_lib.example import LAMBDA
from course_lib.reference.attention import scores, softmax
from course_lib.reference.bias import DECAYS, decay_bias, decay_row

from ..display.colours import signed_colour
from ..display.formatting import number, token_names, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, bar, live

LARGEST_N = 16
STRENGTHS = (0, 0.1, LAMBDA, 1, 3)
FORMULAS = {"log": "log(1 + {d})", "linear": "{d}"}
SAME = 1e-12  # two weights closer than this are called the same
COLUMNS = ("offset", "weight without bias", "weight with bias", "e^B", "change")


def bias_heatmap(n: int = 5) -> Picture:
    """The bias of n tokens. Alive: move the strength λ (0–3), choose the decay, and read at each cell how it was
    calculated; its whole diagonal is outlined, because it shares one offset and one value.

    The tokens of the example name the first positions; those after them go by their number. A colour says what the
    bias does to a weight before the row is normalised: white leaves it, full blue takes all of it, e^B in between.
    Raises ValueError for an n outside 2 … 16.
    """
    if n not in range(2, LARGEST_N + 1):
        raise ValueError(f"n={n!r}: expected a whole number from 2 to {LARGEST_N}")
    words, digits = token_names(n), 4 if n <= 8 else 2
    alt = (
        f"Bias matrix of {n} tokens: zero on the diagonal, more negative with every step away from it, equal along "
        "each diagonal."
    )

    @live(alt, strength_λ=STRENGTHS, decay=DECAYS)
    def draw(strength_λ: float = LAMBDA, decay: str = "log") -> Frame:
        cells = {}
        for offset in range(1 - n, n):
            bias = float(decay_row(offset, strength=strength_λ, decay=decay))
            factor = math.exp(bias)  # white where the weight stays, blue where it goes: one scale at every stop
            says = f"{FORMULAS[decay].format(d=abs(offset))} = {number(bias)}, e^B = {number(factor)}"
            colour = signed_colour(factor - 1)
            cells[offset] = Cell(number(bias, digits), colour=colour, says=says, group=with_sign(offset))
        matrix = Table(
            "A bias for every pair of positions",
            rows=words,
            columns=words,
            cells=[[cells[j - i] for j in range(n)] for i in range(n)],
            corner="query\u00a0↓ key\u00a0→",
            note="white: e^B = 1; full blue: e^B = 0",
            says=f"Query {{row}}, key {{column}}: offset {{group}}, B = −{strength_λ:g} · {{text}}.",
        )
        says = f"B[i, j] = −{strength_λ:g} · {FORMULAS[decay].format(d='|j − i|')}."
        return Frame([matrix], [says, "B multiplies a key's weight by e^B; then the row is made to sum to 1 again."])

    return draw()


def attention_explorer(q: ArrayLike, k: ArrayLike, query: int = 0) -> Picture:
    """One query's attention without and with a bias −λ · log(1 + |j − i|). Alive: choose the query, move λ (0–3).

    q, k (n, d) with n from 2 to 16 give the scaled scores. The picture shows who gains: exactly the keys whose e^B
    lies above the row's mean Σ_k w_k e^B_k, w the weights without bias. A bar of e^B begins at this mean.
    Raises ValueError for q and k that do not fit.
    """
    q, k = (check_array(*given, 2, "one row of finite numbers per token, (n, d)") for given in (("q", q), ("k", k)))
    if q.shape != k.shape or not 2 <= len(q) <= LARGEST_N:
        raise ValueError(f"q {q.shape}, k {k.shape}: expected the same shape (n, d) with n from 2 to {LARGEST_N}")
    words = token_names(len(q))
    names = [f"{i} {word}" for i, word in enumerate(words)]
    raw = scores(q, k)
    alt = (
        f"Attention of one query over {len(words)} keys, without and with a log bias: keys whose e^B lies above the "
        "row's weighted mean gain, the others lose."
    )

    @live(alt, query=names, strength_λ=STRENGTHS)
    def draw(query: str, strength_λ: float = LAMBDA) -> Frame:
        i = names.index(query)
        bias = decay_bias(len(words), strength=strength_λ)[i]
        before, after, factors = softmax(raw[i]), softmax(raw[i] + bias), np.exp(bias)
        mean = float(before @ factors)
        lines = []
        for j, (old, new, factor) in enumerate(zip(before.tolist(), after.tolist(), factors.tolist())):
            weights = (bar(w, number(w), 1, signed=False, hollow=is_old) for w, is_old in ((old, True), (new, False)))
            lines.append([Cell(with_sign(j - i)), *weights, from_mean(factor, mean), change(new - old)])
        table = Table(
            f"What the bias takes and gives: query {words[i]}",
            rows=words,
            columns=COLUMNS,
            cells=lines,
            corner="key",
            note=f"B = −{strength_λ:g} · {FORMULAS['log'].format(d='|j − i|')}; a bar of e^B begins at the row's mean",
            says="Key {row}, {column}: {text}.",
        )
        gain = ", ".join(word for word, line in zip(words, lines) if "gains" in line[-1].text)
        here = f"Here: {gain}." if gain else "Here all keys have the same factor, so nothing moves."
        rule = f"A key gains exactly when its e^B lies above the row's mean, Σ w·e^B = {number(mean)}."
        return Frame([table], [rule, here])

    return draw(query=names[query])


def from_mean(factor: float, mean: float) -> Cell:
    """A key's e^B with a bar from the row's mean: to the right and orange when the key gains."""
    above = factor - mean
    side = "= mean" if abs(above) <= SAME else "above" if above > 0 else "below"
    return bar(above, f"{number(factor)} {side}", 1)


def change(by: float) -> Cell:
    """What a weight gains or loses, in the colours of the bars."""
    if abs(by) <= SAME:
        return Cell("same")
    word, side = ("▲ gains", 0.5) if by > 0 else ("▼ loses", -0.5)
    return Cell(f"{word} {with_sign(by)}", colour=signed_colour(side))
