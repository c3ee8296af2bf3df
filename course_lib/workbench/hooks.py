"""What the hooks of a scheme say, when they are asked outside of a layer's forward pass."""

from collections.abc import Callable
from inspect import signature

import torch
from torch import Tensor, nn

from ..nn.cache import KeyValueCache
from ..nn.grid import to_grid
from ..nn.layer import RelativeAttention
from ..nn.position import Position, Vectors
from .read_definition import check_function

HOOKS = ("bias", "key_vectors", "value_vectors")
ASKED = {
    **dict.fromkeys(HOOKS, "n_q, n_k, past"),
    "rotate": "q, k, past, first_key",
    "key_bias": "x, before",
    "sink": "",
}
SILENT = "every hook of {} says nothing yet (`bias`, `key_vectors`, `value_vectors`, `rotate`, `key_bias` and `sink`)"
LIMIT = (
    "No hook sees the scores, as CoPE would need, and none returns matrices, as PaTH would need. The workbench cannot "
    "express such schemes."
)
Make = Callable[[int, int], Position]


def made(make: Make, n_heads: int, d_head: int) -> Position:
    """The scheme make(n_heads, d_head).

    Raises ValueError if `make` does not take (n_heads, d_head), does not return a `Position`, or has a hook that asks
    for what no hook is given, or returns the wrong type.
    """
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
    for hook, arguments in ASKED.items():
        _check_arguments(hook, getattr(position, hook), arguments)
    for hook in HOOKS:
        found, wanted = getattr(position, hook)(2, 2, 0), Tensor if hook == "bias" else Vectors
        if found is not None and not isinstance(found, wanted):
            said = "a tensor" if hook == "bias" else "Vectors(table, first)"
            raise ValueError(f"{hook}(2, 2, 0) returned {kind(found)}: expected {said}, or None")
        if isinstance(found, Tensor) and found.dim() > 3:
            expected = "expected (heads or 1, 3) or (heads or 1, 2, 2), the same for every text"
            raise ValueError(f"{hook}(2, 2, 0) returned {kind(found)}: {expected}. {LIMIT}")
    x = torch.zeros(1, 2, n_heads * d_head)
    for hook, found in (("key_bias", position.key_bias(x, None)), ("sink", position.sink())):
        if found is not None and not isinstance(found, Tensor):
            raise ValueError(f"{hook} returned {kind(found)}: expected a tensor, or None")
    q = torch.zeros(1, n_heads, 2, d_head)
    turned = position.rotate(q, q, 0, 0)
    if not isinstance(turned, (tuple, list)) or [getattr(x, "shape", None) for x in turned] != [q.shape] * 2:
        raise ValueError(f"rotate(q, k, 0, 0) returned {kind(turned)}: expected q and k, each {tuple(q.shape)} again")
    return position


def _check_arguments(hook: str, method: Callable[..., object], arguments: str) -> None:
    """A ValueError for a hook that cannot be called with what it is given; if it asks for more, with the limit."""
    try:
        check_function(hook, method, arguments)
    except ValueError as error:
        given, needed = len(arguments.split(",")), signature(method).parameters.values()
        more = sum(p.default is p.empty for p in needed) > (given if arguments else 0)
        raise ValueError(f"{error}. {LIMIT}" if more else str(error)) from None


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
    """Whether every hook returns None, and those that need a text are of the base class: attention without position."""
    asked = [position.sink(), *(getattr(position, hook)(2, 2, 0) for hook in HOOKS)]
    own = any(getattr(type(position), hook) is not getattr(Position, hook) for hook in ("rotate", "key_bias"))
    return all(answer is None for answer in asked) and not own


def returned(position: Position, n: int, d_model: int) -> dict[str, Tensor]:
    """The tensors that the hooks return for a text of n tokens; of vectors, their table."""
    asked = {hook: getattr(position, hook)(n, n, 0) for hook in HOOKS}
    asked |= {"key_bias": position.key_bias(torch.zeros(1, n, d_model), None), "sink": position.sink()}
    return {
        hook: answer.table if isinstance(answer, Vectors) else answer
        for hook, answer in asked.items()
        if answer is not None
    }


def scores(layer: RelativeAttention, x: Tensor, source: Tensor, past: int) -> Tensor:
    """The scores (batch, heads, n_q, n_k) before mask and softmax, of x (batch, n_q, d_model) looking at source."""
    q, k = layer.heads(layer.query(x)), layer.heads(layer.key(source))
    turned = layer.position.rotate(q, k, past, 0)
    return _scores(layer.position, *turned, layer.position.key_bias(source, None), past)


def scores_in_parts(layer: RelativeAttention, source: Tensor, parts: list[int]) -> Tensor:
    """The scores of source (batch, n, d_model) when its tokens come in parts, with a cache: each part is turned as it
    comes, and looks at the keys so far. nan where the key comes in a later part than the query."""
    rows, cache, start = [], KeyValueCache(), 0
    for part in source.split(parts, 1):
        q, k = layer.heads(layer.query(part)), layer.heads(layer.key(part))
        key_bias = layer.position.key_bias(part, cache.last_key_bias)
        if not layer.position.caches_unrotated:
            q, k = layer.position.rotate(q, k, start, start)
        k, _ = cache.append(k, k)
        if layer.position.caches_unrotated:
            q, k = layer.position.rotate(q, k, start, 0)
        s = _scores(layer.position, q, k, cache.append_key_bias(key_bias), start)
        rows.append(nn.functional.pad(s, (0, source.shape[1] - s.shape[-1]), value=torch.nan))
        start += part.shape[1]
    return torch.cat(rows, -2)


def _scores(position: Position, q: Tensor, k: Tensor, key_bias: Tensor | None, past: int) -> Tensor:
    """The scores of rotated queries and keys."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    bias, vectors = position.bias(n_q, n_k, past), position.key_vectors(n_q, n_k, past)
    s = q @ k.mT
    if vectors is not None:
        s = s + to_grid(q @ vectors.per_offset(n_q + n_k - 1).mT, n_q)
    s = s * (q.shape[-1] ** -0.5 if position.scale is None else position.scale)
    if bias is not None:
        s = s + (bias if bias.dim() == 3 else to_grid(bias[:, None], n_q))
    return s if key_bias is None else s + key_bias[..., None, :]
