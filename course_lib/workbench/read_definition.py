"""What a definition returns, read as numbers; a ValueError says what was returned in place of them."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..reference.oracle import Rows

T = TypeVar("T")


def check_function(name: str, value: object, arguments: str) -> None:
    """Raises ValueError for what cannot be called with these arguments, given by their places."""
    if not callable(value):
        raise ValueError(f"{name}={value!r}: expected a function of ({arguments})")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # some functions written in C have none
        return
    try:
        signature.bind(*filter(None, arguments.split(", ")))
    except TypeError:
        raise ValueError(f"{name} takes {signature}: expected a function of ({arguments})") from None


def as_number(value: Any, head: int, r: int) -> float:
    return _read(lambda: float(value), value, f"number for head {head}, offset {r}", "one number")


def as_vector(value: Any, d: int, head: int, r: int) -> list[float]:
    return _read(lambda: _numbers(value, d), value, f"vector for head {head}, offset {r}", f"{d} numbers")


def as_rows(value: Any, n_q: int, n_k: int, head: int) -> Rows:
    rows = f"{n_q} rows of {n_k} numbers"
    return _read(lambda: [_numbers(row, n_k) for row in _all(value, n_q)], value, f"scores of head {head}", rows)


def as_pairs(value: Any, d: int, head: int) -> list[tuple[int, int, float]]:
    def pair(first: Any, second: Any, speed: Any) -> tuple[int, int, float]:
        if first == second or not {first, second} <= set(range(d)):
            raise ValueError
        return first, second, float(speed)

    triples = f"triples of two different channels from 0 to {d - 1} and the radians per position"
    return _read(lambda: [pair(*one) for one in value], value, f"pairs of head {head}", triples)


def _read(read: Callable[[], T], value: Any, what: str, expected: str) -> T:
    try:
        return read()
    except (TypeError, ValueError, RuntimeError):
        shown = repr(value) if len(repr(value)) < 60 else f"{repr(value)[:60]}…"
        raise ValueError(f"the definition's {what}: {shown}; expected {expected}") from None


def _all(values: Sequence[Any], n: int) -> Sequence[Any]:
    if len(values) != n:
        raise ValueError
    return values


def _numbers(values: Sequence[Any], n: int) -> list[float]:
    return [float(x) for x in _all(values, n)]
