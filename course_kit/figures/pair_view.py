"""RoPE seen through its pairs: what each pair of channels adds to one score, at any distance, turning or stopped."""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from course_lib.checks import check_array
from course_lib.reference.rope import pairs, rotate

from ..display.formatting import number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, bar, live

ONE_TABLE = 16  # pairs, before the next table begins beside it
FASTEST, SLOWEST = (4, 8), (16, 12)  # pairs that can be stopped together
NOTHING = "nothing"


def pair_view(
    q: ArrayLike,
    k: ArrayLike,
    speeds: ArrayLike,
    distances: Sequence[int],
    *,
    interleaved: bool = False,
    title: str | None = None,
) -> Picture:
    """What each pair of channels adds to the score of one query and one key, which is `distance` tokens before it.

        score = Σ_m q_m · R_m k_m / √d,  R_m rotates pair m by (j − i) θ_m = −distance · θ_m

    Alive: move the distance; stop a pair (click it, or choose) and compare the score at every distance. A stopped pair
    does not turn, so at every distance it adds what it adds at distance 0.

    `q`, `k` (d,) are the vectors before the rotation, `speeds` (d/2,) the radians per position of each pair; 0 for one
    that does not turn. Pair m is channels (m, m + d/2), or (2m, 2m + 1) with `interleaved`; `distances` are whole
    numbers. Raises ValueError for vectors that are not rows of as many finite channels, and another number of speeds.
    Source: Su et al. 2021, section 3.2.2, eq. 34.
    """
    given = {"q": q, "k": k, "speeds": speeds}.items()
    query, key, theta = (check_array(name, row, 1, "a row of finite numbers") for name, row in given)
    count = len(theta)
    if not len(query) == len(key) == 2 * count:
        raise ValueError(f"q {query.shape}, k {key.shape}, speeds {theta.shape}: expected d, d and d/2 numbers")

    turned = np.stack([rotate(query[None], past=d, speeds=theta, interleaved=interleaved)[0] for d in (0, *distances)])
    first, second = pairs(2 * count, interleaved=interleaved)
    terms = turned * key / np.sqrt(2 * count)
    still, *rest = terms[:, first] + terms[:, second]  # what each pair adds at distance 0, and then at every step
    turning = dict(zip(distances, rest, strict=True))
    stopped = groups(theta)

    def added(step: int, stop: str) -> NDArray[np.float64]:
        return np.where(np.isin(np.arange(count), stopped[stop]), still, turning[step])

    largest = max(float(abs(values).max()) for values in (still, *rest)) or 1.0
    sums = {(step, stop): float(added(step, stop).sum()) for step in distances for stop in stopped}
    largest_sum = max(map(abs, sums.values())) or 1.0

    @functools.cache
    def by_distance(stop: str) -> Table:
        shown = {"all rotate": NOTHING} if stop == NOTHING else {"all rotate": NOTHING, "stopped": stop}
        scores = [[sums[step, name] for name in shown.values()] for step in distances]
        return Table(
            "The score by distance",
            rows=[str(step) for step in distances],
            columns=list(shown),
            cells=[[bar(score, number(score, 2), largest_sum) for score in line] for line in scores],
            corner="distance",
            note="the sum of all pairs",
            says="Distance {row}, {column}: the score is {text}.",
            chooses=("distance", [step for step in distances for _ in shown]),
        )

    @functools.cache
    def adds(members: range, step: int, still_ones: tuple[int, ...]) -> Table:
        values = [float(still[m] if m in still_ones else turning[step][m]) for m in members]
        bars = [bar(v, number(v, 2), largest, hollow=m in still_ones) for m, v in zip(members, values, strict=True)]
        return Table(
            f"Pairs {members[0]} to {members[-1]}",
            rows=[str(m) for m in members],
            columns=["wavelength", "adds"],
            cells=[[Cell(turn(theta[m])), drawn] for m, drawn in zip(members, bars, strict=True)],
            corner="pair",
            note="wavelength in tokens; hollow: stopped",
            says="Pair {row}, {column}: {text}.",
            chooses=("stop", [f"pair {m}" for m in members for _ in range(2)]),
        )

    alt = f"The score of a query and a key by their distance, as the sum of what {count} pairs of channels add to it."

    @live(alt, title, distance=distances, stop=stopped)
    def draw(distance: int, stop: str) -> Frame:
        parts = [range(first, min(first + ONE_TABLE, count)) for first in range(0, count, ONE_TABLE)]
        tables = [adds(part, distance, tuple(m for m in part if m in stopped[stop])) for part in parts]
        says = [f"At distance {distance} the {count} pairs add up to {number(sums[distance, NOTHING], 2)}."]
        if stop != NOTHING:
            says += ["With", stop, "stopped, the score is", f"{number(sums[distance, stop], 2)}."]
        return Frame([by_distance(stop), *tables], says)

    return draw()


def groups(speeds: NDArray[np.float64]) -> dict[str, list[int]]:
    """What can be stopped, and which pairs that is: nothing, each pair, the fastest and the slowest ones."""
    count, order = len(speeds), np.argsort(-abs(speeds), kind="stable").tolist()
    fastest = {f"the {some} fastest": order[:some] for some in FASTEST if some < count}
    slowest = {f"the {some} slowest": order[-some:] for some in SLOWEST if some < count}
    return {NOTHING: []} | {f"pair {m}": [m] for m in range(count)} | fastest | slowest


def turn(speed: float) -> str:
    """How many tokens a full turn takes, 2π / |θ|: 6.3, 113, 438k, or never."""
    tokens = 2 * np.pi / abs(speed) if speed else np.inf
    if tokens < 9999.5:
        return number(tokens, 0 if tokens >= 9.95 else 1)
    return f"{number(tokens / 1000, 0)}k" if tokens < np.inf else "never"
