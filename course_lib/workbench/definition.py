"""What a scheme adds, said once more in plain Python, and the answer of a whole layer by the loops of the oracle."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..nn.layer import RelativeAttention
from ..nn.position import Position
from ..reference import oracle
from ..reference.oracle import Rows, Vector
from .read_definition import as_number, as_pairs, as_rows, as_vector, check_function

Number = Callable[[Any, int, int], Any]  # of (module, head, offset)
OneVector = Callable[[Any, int, int], Vector]
Pairs = Callable[[Any, int], Sequence[tuple[int, int, float]]]
OfQueryAndKey = Callable[[int, int], float]


def no_vector(module: Position, head: int) -> None:
    """The values of a scheme that leaves values alone."""


def no_numbers(module: Position, head: int, source: Rows) -> None:
    """The numbers of a scheme that knows offsets only."""


def no_sink(module: Position, head: int) -> float:
    """The sink of a scheme that has none."""
    return -math.inf


@dataclass(frozen=True)
class Definition:
    """One head by plain loops: scores(module, head, q, k, past), and values(module, head), a vector per offset or None.

    The module is the scheme, whose parameters may be read; q (n_q, d_head) and k (n_k, d_head) are as projected.
    `scale` is what the scores multiply q·k by, None for 1/√d_head: a report on a failure needs it.
    numbers(module, head, source) is a function of query position i and key position j, added to the scores, where
    offsets are not enough; source (n_k, d_model) is what the keys are formed from. sink(module, head): a score.
    """

    scores: Callable[..., Rows]
    values: Callable[..., Callable[[int], Vector] | None] = no_vector
    scale: float | None = None
    numbers: Callable[..., OfQueryAndKey | None] = no_numbers
    sink: Callable[..., float] = no_sink

    def __post_init__(self) -> None:
        check_function("scores", self.scores, "module, head, q, k, past")
        check_function("values", self.values, "module, head")
        check_function("numbers", self.numbers, "module, head, source")
        check_function("sink", self.sink, "module, head")


def with_bias(number: Number, *, scale: float | None = None) -> Definition:
    """scale · q_i·k_j + number(module, head, r) for the offset r = j − i. The scale is 1/√d_head when None.

    Raises ValueError when `number` is no function, and later when it returns no number.
    """
    check_function("number", number, "module, head, r")

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        def bias(r: int) -> float:
            return as_number(number(module, head, r), head, r)

        return oracle.scores_with_bias(q, k, bias, scale=scale_of(scale, len(q[0])), past=past)

    return Definition(scores, scale=scale)


def with_vectors(
    key: OneVector | None = None,
    value: OneVector | None = None,
    bias: Number | None = None,
    *,
    scale: float | None = None,
) -> Definition:
    """scale · q_i·(k_j + key(module, head, r)) + bias(module, head, r), and values v_j + value(module, head, r).

    What is None adds nothing. Raises ValueError for what is no function, and for vectors of another length than d_head.
    """
    for name, function in (("key", key), ("value", value), ("bias", bias)):
        if function is not None:
            check_function(name, function, "module, head, r")

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        def vector(r: int) -> Vector:
            return [0.0] * len(q[0]) if key is None else as_vector(key(module, head, r), len(q[0]), head, r)

        def number(r: int) -> float:
            return 0.0 if bias is None else as_number(bias(module, head, r), head, r)

        rows = oracle.scores_through_query(q, k, vector, scale=scale_of(scale, len(q[0])), past=past)
        return [[s + number(j - (past + i)) for j, s in enumerate(row)] for i, row in enumerate(rows)]

    def values(module: Position, head: int) -> Callable[[int], Vector] | None:
        return None if value is None else lambda r: value(module, head, r)

    return Definition(scores, values, scale)


def with_rotation(pairs: Pairs, *, scale: float | None = None) -> Definition:
    """scale · (R_i q_i)·(R_j k_j), where pairs(module, head) are (channel, channel, radians per position).

    Raises ValueError when `pairs` is no function, and later when it returns no such pairs.
    """
    check_function("pairs", pairs, "module, head")

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        turned = as_pairs(pairs(module, head), len(q[0]), head)
        return oracle.scores_with_rotation(q, k, turned, scale=scale_of(scale, len(q[0])), past=past)

    return Definition(scores, scale=scale)


def scale_of(scale: float | None, d_head: int) -> float:
    """What q·k is multiplied by: this scale, or 1/√d_head when None."""
    return d_head**-0.5 if scale is None else float(scale)


@torch.no_grad()  # a definition reads numbers out of parameters
def by_definition(
    definition: Definition,
    layer: RelativeAttention,
    x: Tensor,
    source: Tensor,
    *,
    past: int = 0,
    mask: Tensor | None = None,
) -> Tensor:
    """What `layer` must answer for x (batch, n_q, d_model), looking at source (batch, n_k, d_model), in float64."""
    w_o, seen = np.array(numbers(layer.out.weight)), None if mask is None else mask.tolist()
    answers = []
    for b in range(len(x)):
        heads = []
        for head, (q, k, v) in enumerate(projected(layer, x[b], source[b])):
            scores = scores_of(definition, layer.position, head, q, k, past, source[b])
            vector = values_of(definition, layer.position, head, len(v[0]))
            sink = float(definition.sink(layer.position, head))
            heads.append(oracle.attend(scores, v, vector, sink=sink, mask=seen, causal=layer.causal, past=past)[0])
        answers.append(np.concatenate(heads, -1) @ w_o.T)
    return torch.from_numpy(np.stack(answers))


def projected(layer: RelativeAttention, x: Tensor, source: Tensor) -> Iterator[tuple[Any, Any, Any]]:
    """q, k and v of each head, as arrays in float64, for one text x (n_q, d_model) and its source (n_k, d_model)."""
    parts = ((x, layer.query), (source, layer.key), (source, layer.value))
    split = [np.split(np.array(numbers(a)) @ np.array(numbers(w.weight)).T, layer.n_heads, -1) for a, w in parts]
    yield from zip(*split, strict=True)


def numbers(tensor: Tensor) -> Any:
    """A tensor as nested lists of Python floats."""
    return tensor.detach().double().cpu().tolist()


def scores_of(definition: Definition, module: Position, head: int, q: Any, k: Any, past: int, source: Tensor) -> Rows:
    """The definition's scores of one head, with its numbers. Raises ValueError when they are not n_q rows of n_k."""
    scores = as_rows(definition.scores(module, head, q, k, past), len(q), len(k), head)
    number = definition.numbers(module, head, numbers(source))
    return scores if number is None else oracle.with_numbers(scores, number, past=past)


def values_of(definition: Definition, module: Position, head: int, d: int) -> Callable[[int], Vector] | None:
    """The definition's value vectors of one head. Each raises ValueError when it is not d numbers."""
    vector = definition.values(module, head)
    return None if vector is None else lambda r: as_vector(vector(r), d, head, r)
