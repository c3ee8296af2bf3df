"""For a task whose answer is the hook of a decay: its cases, and what it should return."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_kit.checking import Axis, Case

from ..given import StandIn


def row_offsets(*sizes: Any) -> Any:
    """The library's, by the name it has in the first cell; torch is imported when a check needs it."""
    from course_lib.nn.grid import row_offsets

    return row_offsets(*sizes)


def case(module: Any, n_q: int, n_k: int, past: int, *, label: str) -> Case:
    """One call of a hook, the columns of whose answer are called by their offsets."""
    offsets = [f"{r}".replace("-", "−") for r in range(-(past + n_q - 1), n_k - past)]
    return Case(module, n_q, n_k, past, label=label, axes=["head", Axis("offset", offsets)])


def cases_of(*modules: Any) -> list[Case]:
    """The cases of a decay, one for each module: one head, two, two, one, one, twelve."""
    sizes = {
        "the five tokens": (5, 5, 0),
        "two heads": (5, 5, 0),
        "one new token after five, with a cache": (1, 6, 5),
        "two queries, six keys, three tokens before": (2, 6, 3),
        "one token alone": (1, 1, 0),
        "12 heads": (3, 3, 0),
    }
    return [case(module, *sizes[label], label=label) for module, label in zip(modules, sizes, strict=True)]


def random_case(rng: np.random.Generator, module: Any) -> Case:
    """A case of a decay: a few queries, as many keys or a few more, and a few tokens before them or none."""
    n_q = int(rng.integers(1, 7))
    return case(module, n_q, n_q + int(rng.integers(0, 4)), int(rng.integers(0, 4)), label="a random case")


def by_loops(formula: Callable[..., float]) -> Callable:
    """What a decay should return: `formula(distance, *numbers of the head)` for each head and offset.

    The offsets are those of every pair of a query and a key, as the oracle counts them.
    """

    def expected(self: StandIn, n_q: int, n_k: int, past: int) -> list[list[float]]:
        offsets = sorted({j - (past + i) for i in range(n_q) for j in range(n_k)})
        return [[formula(abs(r), *numbers) for r in offsets] for numbers in zip(*self.given.values(), strict=True)]

    return expected
