"""What a scheme must compute, stated a second time in plain Python: what it adds to the scores and values of one head.

`by_definition` works out a whole layer from it, in the loops of `reference.oracle`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .checks import check_function
from .nn.layer import RelativeAttention
from .nn.position import Position
from .reference import oracle
from .reference.oracle import Rows, Vector


@dataclass(frozen=True)
class Definition:
    """One head by plain loops: scores(module, head, q, k, past), and values(module, head), a vector per offset or None.

    The module is the scheme, whose parameters may be read; q (n_q, d_head) and k (n_k, d_head) are as projected.
    `scale` is what the scores multiply q·k by, None for 1/√d_head: a report on a failure needs it.
    numbers(module, head, source) is a function of query position i and key position j, added to the scores, where
    offsets are not enough; source (n_k, d_model) is what the keys are formed from. sink(module, head): a score.
    """

    scores: Callable[..., Rows]
    values: Callable[..., Callable[[int], Vector] | None] = lambda module, head: None
    scale: float | None = None
    numbers: Callable[..., Callable[[int, int], float] | None] = lambda module, head, source: None
    sink: Callable[..., float] = lambda module, head: -math.inf


def with_bias(number: Callable[[Any, int, int], Any], *, scale: float | None = None) -> Definition:
    """scale · q_i·k_j + number(module, head, r) for the offset r = j − i. The scale is 1/√d_head when None."""
    check_function("number", number, "module", "head", "r")
    return with_vectors(bias=number, scale=scale)


def with_vectors(
    key: Callable[[Any, int, int], Vector] | None = None,
    value: Callable[[Any, int, int], Vector] | None = None,
    bias: Callable[[Any, int, int], Any] | None = None,
    *,
    scale: float | None = None,
) -> Definition:
    """scale · q_i·(k_j + key(module, head, r)) + bias(module, head, r), and values v_j + value(module, head, r).

    What is None adds nothing.
    """

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        nothing = [0.0] * len(q[0])
        rows = oracle.scores_through_query(
            q, k, lambda r: key(module, head, r) if key else nothing, scale=scale_of(scale, len(q[0])), past=past
        )
        return oracle.with_numbers(rows, lambda i, j: bias(module, head, j - i) if bias else 0.0, past=past)

    return Definition(scores, lambda module, head: (lambda r: value(module, head, r)) if value else None, scale)


def with_rotation(
    pairs: Callable[[Any, int], Sequence[tuple[int, int, float]]], *, scale: float | None = None
) -> Definition:
    """scale · (R_i q_i)·(R_j k_j), where pairs(module, head) are (channel, channel, radians per position)."""

    def scores(module: Position, head: int, q: Rows, k: Rows, past: int) -> Rows:
        turned = [(a, b, float(speed)) for a, b, speed in pairs(module, head)]
        return oracle.scores_with_rotation(q, k, turned, scale=scale_of(scale, len(q[0])), past=past)

    return Definition(scores, scale=scale)


def scale_of(scale: float | None, d_head: int) -> float:
    """What q·k is multiplied by: this scale, or 1/√d_head when None."""
    return d_head**-0.5 if scale is None else float(scale)


def numbers(tensor: Tensor) -> Any:
    """A tensor as nested lists of Python floats."""
    return tensor.detach().double().cpu().tolist()


@torch.no_grad()  # a definition reads numbers out of parameters
def by_definition(
    definition: Definition, layer: RelativeAttention, x: Tensor, source: Tensor, *, past: int = 0, mask: Any = None
) -> Tensor:
    """What `layer` must answer for x (batch, n_q, d_model), looking at source (batch, n_k, d_model), in float64."""
    w_o, answers = np.array(numbers(layer.out.weight)), []
    for x_b, source_b in zip(x, source):
        heads = []
        for head, scores, _, v in defined(definition, layer, x_b, source_b, past):
            c, sink = definition.values(layer.position, head), float(definition.sink(layer.position, head))
            seen = None if mask is None else mask.tolist()
            heads.append(oracle.attend(scores, v, c, sink=sink, mask=seen, causal=layer.causal, past=past)[0])
        answers.append(np.concatenate(heads, -1) @ w_o.T)
    return torch.from_numpy(np.stack(answers))


def defined(
    definition: Definition, layer: RelativeAttention, x: Tensor, source: Tensor, past: int
) -> Iterator[tuple[int, Rows, Any, Any]]:
    """Of each head and one text: its number, its scores by the definition, q·k alone, and its values."""
    parts = ((x, layer.query), (source, layer.key), (source, layer.value))
    split = [np.split(np.array(numbers(a)) @ np.array(numbers(w.weight)).T, layer.n_heads, -1) for a, w in parts]
    for head, (q, k, v) in enumerate(zip(*split, strict=True)):
        scores = definition.scores(layer.position, head, q, k, past)
        number = definition.numbers(layer.position, head, numbers(source))
        yield head, scores if number is None else oracle.with_numbers(scores, number, past=past), q @ k.T, v


def randomise(layer: RelativeAttention) -> None:
    """Every parameter normal, with a deviation that keeps scores and answers about 1."""
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5 if parameter.dim() else 1.0)
