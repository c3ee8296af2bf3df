"""What the hooks of a scheme say, when they are asked outside of a layer's forward pass."""

from collections.abc import Callable
from inspect import signature

import torch
from torch import Tensor, nn

from ..nn.grid import to_grid
from ..nn.layer import RelativeAttention
from ..nn.position import Position, Vectors

HOOKS = ("bias", "key_vectors", "value_vectors")
SILENT = "every hook of {} says nothing yet (`bias`, `key_vectors`, `value_vectors` and `rotate`)"
Make = Callable[[int, int], Position]


def made(make: Make, n_heads: int, d_head: int) -> Position:
    """The scheme make(n_heads, d_head). Raises ValueError for what is no such function, scheme or hook."""
    expected = "expected a function of (n_heads, d_head) that returns a Position"
    if isinstance(make, nn.Module) or not callable(make):
        raise ValueError(f"make={kind(make)}: {expected}")
    try:
        signature(make).bind(n_heads, d_head)
    except TypeError as error:
        raise ValueError(f"make: {error}; {expected}") from None
    position = make(n_heads, d_head)
    if not isinstance(position, Position):
        raise ValueError(f"make({n_heads}, {d_head}) returned {kind(position)}: {expected}")
    for hook in HOOKS:
        found, wanted = getattr(position, hook)(2, 2, 0), Tensor if hook == "bias" else Vectors
        if found is not None and not isinstance(found, wanted):
            said = "a tensor" if hook == "bias" else "Vectors(table, first)"
            raise ValueError(f"{hook}(2, 2, 0) returned {kind(found)}: expected {said}, or None")
    q = torch.zeros(1, n_heads, 2, d_head)
    turned = position.rotate(q, q, 0, 0)
    if not isinstance(turned, (tuple, list)) or [getattr(x, "shape", None) for x in turned] != [q.shape] * 2:
        raise ValueError(f"rotate(q, k, 0, 0) returned {kind(turned)}: expected q and k, each {tuple(q.shape)} again")
    return position


def kind(value: object) -> str:
    """What a value is, in a few words."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, Tensor):
        return f"a tensor {tuple(value.shape)}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' or name == 'ndarray' else 'a'} {name}"


def says_nothing(position: Position) -> bool:
    """Whether every hook returns None and `rotate` is that of the base class: attention without position."""
    asked = [getattr(position, hook)(2, 2, 0) for hook in HOOKS]
    return all(answer is None for answer in asked) and type(position).rotate is Position.rotate


def returned(position: Position, n: int) -> dict[str, Tensor]:
    """The tensors that the hooks return for a text of n tokens; of vectors, their table."""
    found: dict[str, Tensor] = {}
    for hook in HOOKS:
        answer = getattr(position, hook)(n, n, 0)
        if answer is not None:
            found[hook] = answer.table if isinstance(answer, Vectors) else answer
    return found


def scores(layer: RelativeAttention, x: Tensor, source: Tensor, past: int) -> Tensor:
    """The scores (batch, heads, n_q, n_k) before mask and softmax, of x (batch, n_q, d_model) looking at source."""
    q, k = layer.heads(layer.query(x)), layer.heads(layer.key(source))
    return _scores(layer.position, *layer.position.rotate(q, k, past, 0), past)


def scores_in_parts(layer: RelativeAttention, source: Tensor, parts: list[int]) -> Tensor:
    """The scores of source (batch, n, d_model) when its tokens come in parts, with a cache: each part is turned as it
    comes, and looks at the keys so far. nan where the key comes in a later part than the query."""
    rows, keys, start = [], torch.empty(0), 0
    for part in source.split(parts, 1):
        q, k = layer.heads(layer.query(part)), layer.heads(layer.key(part))
        q, k = layer.position.rotate(q, k, start, start)
        keys = torch.cat([keys, k], -2) if start else k
        s = _scores(layer.position, q, keys, start)
        rows.append(nn.functional.pad(s, (0, source.shape[1] - s.shape[-1]), value=torch.nan))
        start += part.shape[1]
    return torch.cat(rows, -2)


def _scores(position: Position, q: Tensor, k: Tensor, past: int) -> Tensor:
    """The scores of rotated queries and keys."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    bias, vectors = position.bias(n_q, n_k, past), position.key_vectors(n_q, n_k, past)
    s = q @ k.mT
    if vectors is not None:
        s = s + to_grid(q @ vectors.per_offset(n_q + n_k - 1).mT, n_q)
    s = s * (q.shape[-1] ** -0.5 if position.scale is None else position.scale)
    return s if bias is None else s + to_grid(bias[:, None], n_q)
