"""What several layers ask for, computed once."""

import functools
from collections.abc import Callable
from typing import TypeVar

import torch

F = TypeVar("F", bound=Callable)


def kept(function: F) -> F:
    """The function with its last eight results kept: in a model, each layer asks for the same cosines.

    While torch.compile traces, nothing is kept, because a compiled graph has no use for it and torch warns.
    """
    cached = functools.lru_cache(maxsize=8)(function)

    @functools.wraps(function)
    def either(*args):
        return (function if torch.compiler.is_compiling() else cached)(*args)

    return either  # type: ignore[return-value]
