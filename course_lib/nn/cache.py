"""What attention carries from one call to the next: keys and values, or the hidden states they are formed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor

from ..checks import check_whole


class Cache:
    """Rows of the tokens that were read, (…, tokens, numbers) each, by name.

    `seen` gives the old rows and the new ones without changing anything, so a call that is refused leaves the cache as
    it was; `store` keeps them when nothing can refuse the call any more.
    """

    names: ClassVar[tuple[str, ...]]  # of all that it may hold
    positions: Tensor | None  # (batch or 1, tokens, 1), where tokens were given positions of their own
    read: int  # tokens

    @property
    def past(self) -> int:
        """The position of the next token, if positions are counted."""
        return self.read

    def seen(self, new: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """By name, the rows of the old tokens that some new one may see, and behind them the new rows."""
        where = self._where()
        return {name: self._behind(name, where, rows) for name, rows in new.items()}

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        """Keep what `seen` gave for n new tokens."""
        for name, seen in rows.items():
            setattr(self, name, seen)
        self.read += n

    def following(self, n: int) -> Tensor | None:
        """The positions of n tokens after the last one of each text, (batch or 1, n, 1); None if they are counted."""
        if self.positions is None:
            return None
        return self._last(self.positions) + torch.arange(1, n + 1, device=self.positions.device)[:, None]

    def take(self, tokens: slice | Tensor) -> None:
        """Forget all but these tokens of those that were read, so that the next ones follow on them.

        slice(n) goes back to the first n tokens, and a tensor (m,) of their numbers, ascending, picks one branch of a
        tree, the same in each text of the batch. The numbers are places in what was read, and positions stay. If
        texts accept different branches, keep all, and let positions and mask say so. Raises ValueError, which says
        what would be needed, if the cache does not hold what this takes.
        """
        numbers, rows = chosen(tokens, self.read), {name: getattr(self, name) for name in self.names}
        if numbers != list(range(len(numbers))):
            if rows.get("key_bias") is not None:
                raise ValueError(f"tokens={tokens}: each key_bias sums up all that was read before, expected slice(n)")
            if self.positions is None:
                rows["positions"] = torch.arange(self.read)[None, :, None]
        where = self._find(tokens, numbers)
        for name, held in rows.items():
            setattr(self, name, held[..., where, :] if numbers and held is not None else None)
        self.read = len(numbers)

    def _behind(self, name: str, where: slice | Tensor, new: Tensor) -> Tensor:
        old = getattr(self, name)
        if old is not None:
            old = old[..., where, :]
        elif name == "positions" and self.past:  # read without positions: 0, 1, 2, …
            old = self._numbers()[None, :, None]
        else:
            return new
        if name == "positions":  # which all texts may share
            batch = max(len(old), len(new))
            old, new = (rows.to(new).expand(batch, -1, -1) for rows in (old, new))
        elif old.shape[0] != new.shape[0]:
            raise ValueError(f"x: a batch of {len(new)}, expected {len(old)}, as in the cache")
        return torch.cat([old, new], -2)

    def _where(self) -> slice | Tensor:
        """Where the rows lie of the old tokens that a new one may see."""
        return slice(None)

    def _numbers(self) -> Tensor:
        """The numbers of these tokens in the text, or if it is forgotten, in what is left."""
        return torch.arange(self.past)

    def _last(self, rows: Tensor) -> Tensor:
        """The row of the token that was read last."""
        return rows[..., -1:, :]

    def _find(self, tokens: slice | Tensor, numbers: list[int]) -> Tensor:
        """Where the rows of the tokens with these numbers lie, or a ValueError if what they follow on is forgotten."""
        return torch.tensor(numbers, dtype=torch.int64)


@dataclass
class KeyValueCache(Cache):
    """The keys and values of what was read so far, (batch, n_kv_heads, length, d_head), to decode token by token."""

    names = ("k", "v", "key_bias", "positions")
    k: Tensor | None = None
    v: Tensor | None = None
    key_bias: Tensor | None = None  # (batch, heads, length, 1), of schemes that have one
    positions: Tensor | None = None
    renumbered: bool = False  # the position of a key changes, so keys are kept as they are before `prepare`
    read: int = 0

    @property
    def last_key_bias(self) -> Tensor | None:
        """The number of the last key, (batch, heads, 1): those of the next ones continue from it."""
        return None if self.key_bias is None else self._last(self.key_bias)[..., 0]

    @property
    def nbytes(self) -> int:
        """The memory of the cache in bytes: 2 · batch · n_kv_heads · length · d_head numbers, and those of the keys."""
        return sum(x.nbytes for x in (self.k, self.v, self.key_bias) if x is not None)

    def gap(self, n: int) -> Tensor | None:
        """If keys have left between those that n new tokens see, the numbers of all of these, (1, n_k, 1)."""
        return None

    def mask(self, mask: Tensor | None, n: int, device: torch.device) -> Tensor | None:
        """The mask of n new tokens and the keys they see, with what the cache itself hides."""
        return mask


class RingCache(KeyValueCache):
    """The keys and values of the last `window` tokens, and of the first `keep`: a long text takes no more memory.

    The key of position p lies in slot p mod window, where it replaces the key of position p − window, which no later
    query may see. The first tokens have slots of their own, before the ring:

        slot(p) = p if p < keep, else keep + (p − keep) mod window

    With any scheme the output is that of a full pass in which query i sees the keys i − window + 1 … i and 0 … keep −
    1, however the text is cut into calls. The window counts tokens, whatever positions they are given. It can go
    back, but not keep one branch of a tree, which a KeyValueCache can.

    `renumbered` counts positions in the cache instead of the text, as StreamingLLM does: the keys of a query are at
    0, 1, 2, …, and no offset exceeds keep + window − 1. Each token that leaves moves all the others, so from then on
    tokens are read one by one.

    Raises ValueError for a window below 1 and a negative keep. Sources: Jiang et al. 2023 (Mistral 7B), section 2; Xiao
    et al. 2023 (StreamingLLM), section 3.2.
    """

    def __init__(self, window: int, *, keep: int = 0, renumbered: bool = False) -> None:
        super().__init__(renumbered=renumbered)
        self.window, self.keep = check_whole("window", window), check_whole("keep", keep, 0)

    @property
    def past(self) -> int:
        return min(self.read, self.keep + self.window - 1) if self.renumbered else self.read

    def seen(self, new: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """As in every cache. Raises ValueError for several tokens at once when a renumbered cache is full."""
        n, room = new["k"].shape[-2], max(0, self.keep + self.window - self.read)
        if self.renumbered and n > max(room, 1):
            raise ValueError(f"{n} new tokens, {room} free slots: a full renumbered cache takes one token at a time")
        return super().seen(new)

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        """Write the rows of the new tokens into their slots."""
        read, held = self.read + n, self._held(self.read + n, self.window)
        new = held[held >= self.read]  # of a long chunk, only the first tokens and the end stay
        for name, seen in rows.items():
            ring, p = getattr(self, name), new
            if ring is None or len(ring) < len(seen):  # the first rows, or texts no longer share their positions
                ring, p = seen.new_empty(*seen.shape[:-2], self.keep + self.window, seen.shape[-1]), held
            ring[..., self._slot(p), :] = seen[..., torch.where(p < self.keep, p, p - read), :]
            setattr(self, name, ring)
        self.read = read

    def take(self, tokens: slice | Tensor) -> None:
        """Go back to the first n tokens: slice(n). Raises ValueError if the ring has overwritten keys they see."""
        n = len(numbers := chosen(tokens, self.read))
        if numbers != list(range(n)):
            raise ValueError(f"tokens={tokens}: a ring can only go back, expected slice(n)")
        nearest = max(self.keep, n - max(self.window - 1, 1))  # from here on, the next token sees what was in the ring
        if nearest < n and nearest + self.window < self.read:
            raise ValueError(f"tokens={tokens}: the ring has overwritten token {nearest}, expected a copy from before")
        self.read = n
        if not n:
            self.k = self.v = self.key_bias = self.positions = None

    def gap(self, n: int) -> Tensor | None:
        if self.renumbered or not self.keep or self.read < self.keep + self.window:
            return None
        return torch.cat([self._numbers(), self.read + torch.arange(n)])[None, :, None]

    def mask(self, mask: Tensor | None, n: int, device: torch.device) -> Tensor | None:
        if n == 1 or self.read + n <= self.keep + self.window:
            return mask
        i = torch.arange(self.read, self.read + n)
        j = torch.cat([self._numbers(), i])
        visible = ((j < self.keep) | (j > i[:, None] - self.window)).to(device)
        return visible if mask is None else mask & visible

    def _where(self) -> Tensor:
        return self._slot(self._numbers())

    def _numbers(self) -> Tensor:
        return self._held(self.read, self.window - 1)  # the next token takes a place in the window, too

    def _last(self, rows: Tensor) -> Tensor:
        return rows[..., self._slot(torch.tensor([self.read - 1])), :]

    def _held(self, read: int, window: int) -> Tensor:
        """Of so many tokens, the numbers of the first ones and of the last `window`."""
        first = min(self.keep, read)
        return torch.cat([torch.arange(first), torch.arange(max(first, read - window), read)])

    def _slot(self, p: Tensor) -> Tensor:
        return torch.where(p < self.keep, p, self.keep + (p - self.keep) % self.window)


@dataclass
class SegmentMemory(Cache):
    """The inputs of the last `length` tokens, (batch, ≤ length, d_model): what Transformer-XL carries along.

    Unlike a `KeyValueCache` it keeps hidden states: keys and values are formed from them anew, so W_k and W_v learn
    from the memory, but no gradient flows into it. If positions are counted, the first token in it is at 0. Raises
    ValueError for a negative length. Source: Dai et al. 2019, section 3.2.
    """

    names = ("x", "positions")
    length: int
    x: Tensor | None = None
    positions: Tensor | None = None
    read: int = 0

    def __post_init__(self) -> None:
        check_whole("length", self.length, 0)
        self.read = 0 if self.x is None else self.x.shape[-2]

    @property
    def past(self) -> int:
        return 0 if self.x is None or not self.length else self.x.shape[-2]

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        """Keep the last rows, and if `length` is 0 one, whose position the next tokens follow on."""
        super().store({name: seen[..., -max(self.length, 1) :, :].detach() for name, seen in rows.items()}, n)

    def _where(self) -> slice:
        return slice(None) if self.length else slice(0)

    def _find(self, tokens: slice | Tensor, numbers: list[int]) -> Tensor:
        start = 0 if self.x is None else self.read - self.x.shape[-2]
        held = numbers[-max(self.length, 1) :]
        if held and held[0] < start:
            least = f"expected a memory of length {self.read - held[0]} or more"
            raise ValueError(f"tokens={tokens}: token {held[0]} is forgotten, {least}")
        return super()._find(tokens, held) - start


def chosen(tokens: slice | Tensor, read: int) -> list[int]:
    """The numbers of these tokens, or a ValueError unless they are some of the tokens read, ascending."""
    if isinstance(tokens, slice):
        numbers, fits = list(range(read)[tokens]), tokens.stop is None or tokens.stop <= read
    else:
        whole = isinstance(tokens, Tensor) and not tokens.is_floating_point() and tokens.dtype != torch.bool
        numbers = tokens.tolist() if whole and tokens.dim() == 1 else [-1]
        fits = all(0 <= number < read for number in numbers)
    if not fits or any(a >= b for a, b in pairwise(numbers)):
        expected = f"expected a slice or a tensor of ascending numbers of the {read} tokens read"
        raise ValueError(f"tokens={tokens}: {expected}")
    return numbers
