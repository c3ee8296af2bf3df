"""A scheme as attention sees it: the places where it may enter."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from .grid import to_grid
from .places import Places


@dataclass(frozen=True)
class Vectors:
    """A vector per offset, in the order of `row_offsets`: offset number c reads row c + first of a table.

    table (heads or 1, rows, d). Beyond its two ends the outermost rows repeat, row = min(max(c + first, 0), rows − 1),
    as Shaw's clipping does. With 5 rows and first = −1, the seven offsets −3 … 3 read the rows 0, 0, 1, 2, 3, 4, 4.
    first=None: the table has exactly one row per offset. For any other choice of rows, give `table[:, index]`.
    """

    table: Tensor
    first: int | None = None

    def per_offset(self, width: int) -> Tensor:
        """The vectors of `width` = n_q + n_k − 1 offsets: (heads or 1, width, d)."""
        if self.first is None:
            return self.table
        return self.table[:, self.rows(torch.arange(width, device=self.table.device))]

    def rows(self, columns: Tensor) -> Tensor:
        """The row of the table that each of these offsets reads."""
        return columns if self.first is None else (columns + self.first).clamp(0, self.table.shape[1] - 1)


class Position(nn.Module):
    """What a scheme tells attention about offsets. The base class adds nothing; a scheme overrides the hooks it needs.

    Each hook is called for n_q queries at positions past … past + n_q − 1 and n_k keys at positions 0 … n_k − 1.
    A bias and vectors have one entry for each of the n_q + n_k − 1 offsets, in the order of `row_offsets`.

    Where tokens have positions of their own, `prepare_at` is called in place of `prepare`, and `bias_at` in place of
    `bias`. The vectors, and a bias that is a row, are asked for the shortest row that holds every offset, so a scheme
    of offsets alone need not know of it. A class with another `prepare` or `bias` does not inherit the other one
    (`at_places`).

    No hook sees the scores, and none gives a number for a pair of query and key that depends on the text between them.
    So positions counted from scores (CoPE) and products of matrices along the path (PaTH) cannot be written as hooks.
    """

    scale: float | None = None  # of q·k; None is 1/√d_head
    reach: int | None = None  # the bias is −inf for every |offset| ≥ reach, so these keys need not be read
    caches_unrotated: bool = False  # a cache keeps keys as they are before `prepare`, which then gets all of them

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        """Queries and keys (batch, heads, length, d_head), which begin at positions `past` and `first_key`, changed.

        first_key=None means `past`: with a cache, only the new keys are passed. Of grouped keys there are n_kv_heads;
        a scheme that turns them in its own way for each query head returns n_heads of them.
        """
        return q, k

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        """`prepare` for tokens that have positions of their own. A scheme with a `prepare` needs it for them."""
        if type(self).prepare is not Position.prepare:
            raise ValueError(f"positions: {type(self).__name__}.prepare counts them, expected a `prepare_at` beside it")
        return q, k

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor | None:
        """A number per offset, added to the scaled score: (heads or 1, n_q + n_k − 1).

        Where offsets are not enough (FIRE): a number per query and key, (heads or 1, n_q, n_k).
        """
        return None

    def bias_at(self, places: Places) -> Tensor | None:
        """`bias` for tokens that have positions of their own: (batch or 1, heads or 1, n_q, n_k).

        Only a scheme whose bias is not a row needs it for them.
        """
        row = self.bias(*places.sizes)
        if row is None:
            return None
        if row.dim() != 2:
            raise ValueError(f"positions: {type(self).__name__}.bias is not a row, expected a `bias_at` beside it")
        return row[:, places.columns].transpose(0, 1)

    def key_bias(self, x: Tensor, before: Tensor | None) -> Tensor | None:
        """A number per key that depends on what was read, added to the scaled scores of all queries: (batch, heads, n).

        x (batch, n, d_model) is the input of the keys. before (batch, heads, 1): the number of the key that came before
        them, from a cache, or None.
        """
        return None

    def sink(self) -> Tensor | None:
        """The score of one more key, which every query sees and which has no value: (heads,)."""
        return None

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        """A vector per offset, added to the key inside the scaling."""
        return None

    def value_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        """A vector per offset, added to the value."""
        return None

    def at_places(self, hook: str) -> Callable[..., Any]:
        """`prepare_at` or `bias_at`, or that of Position where it was written beside another `prepare` or `bias`."""
        for cls in type(self).__mro__:
            if f"{hook}_at" in vars(cls):
                return getattr(self, f"{hook}_at")
            if hook in vars(cls):
                break
        return partial(getattr(Position, f"{hook}_at"), self)


T = TypeVar("T")


class Combined(Position):
    """Several schemes in one layer: their rotations one after another, and the sum of their biases.

    Of `scale`, `sink`, `key_bias` and the vectors for keys and for values, one scheme at most may give each. A key bias
    and a sink exclude each other, because a key bias leaves out a number that all keys of a query share, and the sink
    does not share it.
    Raises ValueError for two of the same kind, for a key bias beside a sink, and for anything but a Position.
    """

    def __init__(self, *positions: Position) -> None:
        super().__init__()
        for one in positions:
            if not isinstance(one, Position):
                raise ValueError(f"positions: {one!r}; expected schemes, each a Position")
        parts = [part for one in positions for part in (one.parts if isinstance(one, Combined) else [one])]
        self.positions = nn.ModuleList(parts)
        self.scale = self._one("scale", lambda part: part.scale)
        self.reach = min((part.reach for part in parts if part.reach is not None), default=None)
        self.caches_unrotated = any(part.caches_unrotated for part in parts)
        sink = self.sink()
        key_biased = [type(part).__name__ for part in parts if type(part).key_bias is not Position.key_bias]
        if key_biased and sink is not None:
            raise ValueError(f"positions: {key_biased[0]} has a key_bias, expected no sink beside it")

    @property
    def parts(self) -> list[Position]:
        """The schemes; a ModuleList does not say of what class its modules are."""
        return [part for part in self.positions if isinstance(part, Position)]

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        for part in self.parts:
            q, k = part.prepare(q, k, past, first_key)
        return q, k

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        for part in self.parts:
            q, k = part.at_places("prepare")(q, k, places)
        return q, k

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor | None:
        biases = _given([part.bias(n_q, n_k, past) for part in self.parts])
        if any(bias.dim() == 3 for bias in biases):
            biases = [bias if bias.dim() == 3 else to_grid(bias[:, None], n_q) for bias in biases]
        return sum(biases[1:], biases[0]) if biases else None

    def bias_at(self, places: Places) -> Tensor | None:
        biases = _given([part.at_places("bias")(places) for part in self.parts])
        return sum(biases[1:], biases[0]) if biases else None

    def key_bias(self, x: Tensor, before: Tensor | None) -> Tensor | None:
        return self._one("key_bias", lambda part: part.key_bias(x, before))

    def sink(self) -> Tensor | None:
        return self._one("sink", lambda part: part.sink())

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        return self._one("key_vectors", lambda part: part.key_vectors(n_q, n_k, past))

    def value_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        return self._one("value_vectors", lambda part: part.value_vectors(n_q, n_k, past))

    def _one(self, name: str, of: Callable[[Position], T | None]) -> T | None:
        """What the one scheme gives that gives any."""
        found = [of(part) for part in self.parts]
        given = _given(found)
        if len(given) > 1:
            names = " and ".join(type(part).__name__ for part, one in zip(self.parts, found) if one is not None)
            raise ValueError(f"positions: {names} each give a {name}, expected one at most")
        return given[0] if given else None


def _given(found: list[T | None]) -> list[T]:
    """Those that are not None."""
    return [one for one in found if one is not None]
