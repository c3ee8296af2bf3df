"""What the hooks of a scheme say, when they are asked outside of a layer's forward pass."""

from torch import Tensor

from ..nn.grid import to_grid
from ..nn.layer import RelativeAttention
from ..nn.position import Position, Vectors

HOOKS = ("bias", "key_vectors", "value_vectors")


def says_nothing(position: Position) -> bool:
    """Whether every hook returns None and `rotate` is that of the base class: attention without position."""
    asked = [getattr(position, hook)(2, 2, 0) for hook in HOOKS]
    return all(answer is None for answer in asked) and type(position).rotate is Position.rotate


def returned(position: Position, n: int) -> dict[str, Tensor]:
    """The tensors that the hooks return for a text of n tokens; of vectors, their table and its index."""
    found: dict[str, Tensor] = {}
    for hook in HOOKS:
        answer = getattr(position, hook)(n, n, 0)
        if isinstance(answer, Vectors):
            found |= {hook: answer.table} | ({} if answer.index is None else {f"{hook}.index": answer.index})
        elif answer is not None:
            found[hook] = answer
    return found


def scores(layer: RelativeAttention, x: Tensor, source: Tensor, past: int) -> Tensor:
    """The scores (batch, heads, n_q, n_k) before mask and softmax, of x (batch, n_q, d_model) looking at source."""
    position, n_q, n_k = layer.position, x.shape[1], source.shape[1]
    q, k = position.rotate(layer.heads(layer.query(x)), layer.heads(layer.key(source)), past, 0)
    bias, vectors = position.bias(n_q, n_k, past), position.key_vectors(n_q, n_k, past)
    s = q @ k.mT if vectors is None else q @ k.mT + to_grid(vectors.dot(q), n_q)
    s = s * (q.shape[-1] ** -0.5 if position.scale is None else position.scale)
    return s if bias is None else s + to_grid(bias[:, None], n_q)
