"""The definition in plain Python loops: slow, without any trick, and what everything else is tested against.

One loop for each place where position may enter: a bias, the query, the rotation of q and k, a number for each query
and key, the value, and a sink.
One head at a time; q (n_q, d_k), k (n_k, d_k), v (n_k, d_v) are nested sequences of numbers, and so are all results.
Query i is at position past + i, key j at position j, and their offset is j − (past + i).
"""

import math
from collections.abc import Callable, Sequence

Vector = Sequence[float]
Rows = list[list[float]]


def scores_through_query(
    q: Sequence[Vector], k: Sequence[Vector], vector: Callable[[int], Vector], *, scale: float, past: int = 0
) -> Rows:
    """scale · q_i·(k_j + a(offset)), (n_q, n_k)."""
    return [[scale * dot(q_i, add(k_j, vector(j - (past + i)))) for j, k_j in enumerate(k)] for i, q_i in enumerate(q)]


def scores_with_rotation(
    q: Sequence[Vector], k: Sequence[Vector], pairs: Sequence[tuple[int, int, float]], *, scale: float, past: int = 0
) -> Rows:
    """scale · (R q_i)·(R k_j), (n_q, n_k): each pair (channel, channel, radians per position) is turned."""

    def turned(x: Vector, position: int) -> list[float]:
        y = [float(a) for a in x]
        for first, second, speed in pairs:
            c, s = math.cos(position * speed), math.sin(position * speed)
            y[first], y[second] = c * x[first] - s * x[second], s * x[first] + c * x[second]
        return y

    return [[scale * dot(turned(q_i, past + i), turned(k_j, j)) for j, k_j in enumerate(k)] for i, q_i in enumerate(q)]


def with_numbers(scores: Sequence[Vector], number: Callable[[int, int], float], *, past: int = 0) -> Rows:
    """score_ij + number(i, j), where i counts from the first token as j does: for what no offset alone can say."""
    return [[s + float(number(past + i, j)) for j, s in enumerate(row)] for i, row in enumerate(scores)]


def attend(
    scores: Sequence[Vector],
    v: Sequence[Vector],
    vector: Callable[[int], Vector] | None = None,
    *,
    sink: float = -math.inf,
    mask: Sequence[Sequence[bool]] | None = None,
    causal: bool = False,
    past: int = 0,
) -> tuple[Rows, Rows]:
    """w_ij = softmax_j(score_ij) over the keys query i may see, output Σ_j w_ij (v_j + c(offset)); output and weights.

    mask (n_q, n_k) is true where a query may look, and a score of −∞ hides its key, too; a query that may see nothing
    gets zeros. sink: the score of one more key, which every query sees and which has no value.
    """
    output, weights = [], []
    for i, row in enumerate(scores):
        offset = [j - (past + i) for j in range(len(row))]
        visible = [(mask is None or bool(mask[i][j])) and not (causal and offset[j] > 0) for j in range(len(row))]
        seen = [s if may else -math.inf for s, may in zip(row, visible, strict=True)]
        largest = max(sink, *seen)
        e = [math.exp(s - largest) if s > -math.inf else 0.0 for s in seen]
        total = sum(e) + (math.exp(sink - largest) if sink > -math.inf else 0.0) or 1.0
        weights.append([e_j / total for e_j in e])
        values = [v_j if vector is None else add(v_j, vector(r)) for v_j, r in zip(v, offset, strict=True)]
        output.append([dot(weights[i], [x[c] for x in values]) for c in range(len(v[0]))])
    return output, weights


def dot(a: Vector, b: Vector) -> float:
    """Σ_c a_c b_c."""
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def add(a: Vector, b: Vector) -> list[float]:
    """a_c + b_c for each c."""
    return [float(x) + float(y) for x, y in zip(a, b, strict=True)]
