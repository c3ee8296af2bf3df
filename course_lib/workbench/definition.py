"""What a scheme adds, said once more in plain Python, and the answer of a whole layer by the loops of the oracle."""

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

Number = Callable[[Any, int, int], Any]  # of (module, head, offset)
OneVector = Callable[[Any, int, int], Vector]
Pairs = Callable[[Any, int], Sequence[tuple[int, int, float]]]


def no_vector(module: Position, head: int) -> None:
    """The values of a scheme that leaves values alone."""


@dataclass(frozen=True)
class Definition:
    """One head by plain loops: scores(module, head, q, k, past), and values(module, head), a vector per offset or None.

    The module is the scheme, whose parameters may be read; q (n_q, d_head) and k (n_k, d_head) are as projected.
    """

    scores: Callable[..., Rows]
    values: Callable[..., Callable[[int], Vector] | None] = no_vector


def with_bias(number: Number) -> Definition:
    """scale · q_i·k_j + number(module, head, r) for the offset r = j − i."""

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        return oracle.scores_with_bias(q, k, lambda r: number(module, head, r), scale=scale_of(module, q), past=past)

    return Definition(scores)


def with_vectors(key: OneVector | None = None, value: OneVector | None = None) -> Definition:
    """scale · q_i·(k_j + key(module, head, r)), and values v_j + value(module, head, r)."""

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        def vector(r: int) -> Vector:
            return [0.0] * len(q[0]) if key is None else key(module, head, r)

        return oracle.scores_through_query(q, k, vector, scale=scale_of(module, q), past=past)

    def values(module: Position, head: int) -> Callable[[int], Vector] | None:
        return None if value is None else lambda r: value(module, head, r)

    return Definition(scores, values)


def with_rotation(pairs: Pairs) -> Definition:
    """scale · (R_i q_i)·(R_j k_j), where pairs(module, head) are (channel, channel, radians per position)."""

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        return oracle.scores_with_rotation(q, k, pairs(module, head), scale=scale_of(module, q), past=past)

    return Definition(scores)


def scale_of(module: Position, q: Rows) -> float:
    """What q·k is multiplied by: the scheme's own scale, or 1/√d_head."""
    return len(q[0]) ** -0.5 if module.scale is None else module.scale


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
            scores = definition.scores(layer.position, head, q, k, past)
            vector = definition.values(layer.position, head)
            heads.append(oracle.attend(scores, v, vector, mask=seen, causal=layer.causal, past=past)[0])
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
