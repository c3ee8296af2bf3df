"""A map of all attention heads of a model: one measure at a time, and the weight by distance of the head chosen."""

import functools
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course_lib.checks import check_array

from ..display.colours import is_signed, painter
from ..display.formatting import number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, bar, live


def map_of_heads(scores: Mapping[str, ArrayLike], profiles: ArrayLike) -> Picture:
    """One cell for each head, rows are layers. Alive: choose the measure; click a head to see where its weight goes.

    `scores` are some measures by name, each (layers, heads), the most telling first, such as the mean weight w[i, i−1]
    (previous token), w[i, 0] (sink), or the loss with the head stopped minus the loss with it.

    `profiles` (layers, heads, n) is the share of the weight at each distance i − j = 0 … n − 1, averaged over the
    queries, so each adds up to 1. From causal weights (heads, n, n): from_grid(weights)[:, 0, :n][:, ::-1] / n.
    A sink shows there as a long tail, because token 0 is at another distance from every query.
    Raises ValueError for other shapes, numbers that are not finite, and shares that do not add up to 1.
    """
    shares = check_array("profiles", profiles, 3, "(layers, heads, distances)")
    layers, heads, n = shares.shape
    if not np.allclose(shares.sum(-1), 1, atol=1e-3):
        raise ValueError("profiles: expected shares of the weight of each head, which add up to 1")
    measures = {name: check_array(f"scores[{name!r}]", one, 2, "(layers, heads)") for name, one in scores.items()}
    for name, values in measures.items():
        if values.shape != (layers, heads):
            raise ValueError(f"scores[{name!r}] {values.shape}: expected {(layers, heads)}, as profiles {shares.shape}")
    bins = distance_bins(n)
    labels = [str(low) if low == high else f"{low}–{high}" for low, high in bins]
    every_head = [(layer, head) for layer in range(layers) for head in range(heads)]

    @functools.cache
    def overview(measure: str) -> Table:
        hundredths = np.rint(100 * measures[measure]).astype(int).tolist()
        numbers = [value for line in hundredths for value in line]
        paint = painter(numbers)
        meaning = "orange above 0, blue below" if is_signed(numbers) else "the darker, the more"
        return Table(
            f"All {layers * heads} heads: {measure}",
            rows=[str(layer) for layer in range(layers)],
            columns=[str(head) for head in range(heads)],
            cells=[[Cell(number(value), colour=paint(value)) for value in line] for line in hundredths],
            corner="layer\u00a0↓ head\u00a0→",
            note=f"in hundredths; {meaning}",
            says=f"Layer {{row}}, head {{column}}: {measure}, in hundredths, {{text}}.",
            chooses=("head", every_head),
        )

    @functools.cache
    def profile(layer: int, head: int) -> Table:
        by_bin = [shares[layer, head, low : high + 1].sum() for low, high in bins]
        return Table(
            f"Layer {layer}, head {head}",
            rows=labels,
            columns=["share of the weight"],
            cells=[[bar(share, number(share, 2), 1.0, signed=False)] for share in by_bin],
            corner="distance",
            note="weight by distance i − j",
            says="At distance {row}: {text} of the weight.",
        )

    first, values = next(iter(measures.items()))
    alt = (
        f"Map of {layers} layers with {heads} heads each, by {', '.join(measures)}, and beside it the weight by "
        f"distance of one head, at first the one with the largest {first}."
    )

    @live(alt, show=measures, head=every_head)
    def draw(show: str, head: tuple[int, int]) -> Frame:
        facts = [f"{name} {number(float(values[head]), 2)}," for name, values in measures.items()]
        facts[-1] = facts[-1].removesuffix(",") + "."
        return Frame([profile(*head), overview(show)], [f"Layer {head[0]}, head {head[1]}:", *facts])

    return draw(head=every_head[int(values.argmax())])


def distance_bins(n: int) -> list[tuple[int, int]]:
    """The distances 0 … n − 1 in groups (first, last): 0, 1, 2, 3, 4, then 5–8, 9–16, … each twice as long."""
    bins = [(distance, distance) for distance in range(min(n, 5))]
    while bins[-1][1] < n - 1:
        last = bins[-1][1]
        bins.append((last + 1, min(2 * last, n - 1)))
    return bins
