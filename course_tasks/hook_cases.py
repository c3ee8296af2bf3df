"""For tasks whose answer is a scheme's hook: its cases, its usual slips."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_kit.checking import Axis, Case

from .given import StandIn


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


# What every decay by `row_offsets(n_q, n_k, past).abs()` has, with the name of its solution for {decay}
DECAY_PIECES = """
past
    `past`: The first query is at position `past`, and `row_offsets` counts from there.
n_k
    the number of keys: There are n_k keys, and with a cache more of them than queries.
n_q
    the number of queries: There are n_q queries, and with a cache fewer of them than keys.
row_offsets(n_q, n_k, past)
    the row of offsets: The queries are at `past`, `past` + 1, …, and the keys at 0, 1, ….
"""
DECAY_SLIPS = """
n_k, past) → None, past)
    Without n_k, `row_offsets` assumes n_k = past + n_q. There can be more keys or fewer, so pass n_k on.
n_k, past) → n_k, 0)
    Your result is right without a cache. The first query is at position `past`, so pass `past` on to `row_offsets`, and
    add nothing to what it returns.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_q, past)
    You exchanged queries and keys. `row_offsets` takes n_q first, then n_k.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_k, 0)
    Your result is right when queries and keys are the same tokens. In general there are n_q queries, and the first is
    at `past`.
row_offsets(n_q, n_k, past) → row_offsets(1, n_k, past)
    You use the offsets of the first query only, one for each key. n_q queries and n_k keys have n_q + n_k − 1 offsets.
row_offsets(n_q, n_k, past) → row_offsets(1, n_q + n_k - 1, 0)
    Your distances count up from 0. The offsets go from the farthest past to the farthest future, as in `row_offsets`.
row_offsets(n_q, n_k, past) → row_offsets(n_q, n_k, past).flip(0)
    Your offsets are in reverse order. They ascend, as in `row_offsets`, so the past comes first.
.abs() → .clamp(min=0)
    Keys before the query get 0, because their offsets are negative and you clamp at 0. The distance is |r|.
.abs() → .clamp(max=0).abs()
    You give 0 to the keys after the query, more than to any key before it. The decay is the same both ways, by |r|.
... → return {decay}(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, -float("inf"))
    You give −∞ to the keys after the query. Hiding keys is the job of the mask, so give each of them its bias.
... → return {decay}(self, n_q, n_k, past).softmax(dim=-1)
    You apply a softmax. A bias is added to the scores, and the softmax comes later, in the layer.
... → return {decay}(self, n_q, n_k, past).exp()
    You return e to the power of the bias. Return the bias itself, because it is added to the scores.
... → return {decay}(self, n_q, n_k, past).unfold(1, n_k, 1).flip(1)
    You return the matrix, (heads, n_q, n_k). A hook gives one number per *offset*, and the layer puts them on the
    diagonals.
... → return {decay}(self, n_q, n_k, past).unfold(1, n_k, 1).flip(1)[0]
    You return the matrix (n_q, n_k) of one head. A hook gives one number per head and *offset*: (heads, offsets).
"""
