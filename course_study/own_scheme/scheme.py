"""What all three tools ask of a scheme: that it is one, what its hooks return, and whether any was written."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_lib.checks import check_function
from course_lib.nn.position import Position, Vectors

Make = Callable[[int, int], Position]
LIMIT = "No hook sees the scores, as CoPE would need, and none returns matrices, as PaTH would need."
HOOKS = {
    **dict.fromkeys(("bias", "key_vectors", "value_vectors"), ("n_q", "n_k", "past")),
    "prepare": ("q", "k", "past", "first_key"),
    "key_bias": ("x", "before"),
    "sink": (),
}


def made(make: Make, n_heads: int, d_head: int) -> Position:
    """The scheme make(n_heads, d_head). A ValueError if there is none, or if a hook asks for what no hook is given."""
    check_function("make", make, "n_heads", "d_head")
    position = make(n_heads, d_head)
    if not isinstance(position, Position):
        raise ValueError(f"make({n_heads}, {d_head}) returned a {type(position).__name__}: expected a Position")
    for hook, arguments in HOOKS.items():
        check_function(hook, getattr(position, hook), *arguments, but=f". {LIMIT}")
    for hook in ("key_vectors", "value_vectors"):
        found = getattr(position, hook)(2, 2, 0)
        if not isinstance(found, Vectors | None):
            raise ValueError(f"{hook} returned a {type(found).__name__}: expected Vectors(table, first), or None")
    return position


def returned(position: Position, n: int, d_model: int) -> dict[str, Tensor]:
    """The tensors that the hooks return for a text of n tokens; of vectors, their table."""
    found = {hook: getattr(position, hook)(n, n, 0) for hook in ("bias", "key_vectors", "value_vectors")}
    found |= {"key_bias": position.key_bias(torch.zeros(1, n, d_model), None), "sink": position.sink()}
    tables = {hook: answer.table if isinstance(answer, Vectors) else answer for hook, answer in found.items()}
    return {hook: table for hook, table in tables.items() if table is not None}


def says_nothing(position: Position, d_model: int) -> bool:
    """Whether no hook has been written: then it is attention without position."""
    return type(position).prepare is Position.prepare and not returned(position, 2, d_model)


def not_attempted(name: str) -> tuple[str, list[str]]:
    hooks = ", ".join(f"`{hook}`" for hook in HOOKS)
    return "not attempted", [f"not attempted: no hook of {name} says anything yet ({hooks})"]
