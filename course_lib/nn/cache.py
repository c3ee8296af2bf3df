"""What attention carries from one call to the next: keys and values, or the hidden states they are formed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from ..reference.grid import check_whole
from .places import At


class Cache:
    """Rows of what was read, (…, tokens, numbers) each, by name.

    `seen` gives the old rows and the new ones without changing anything, so a call that is refused leaves the cache as
    it was; `store` keeps them when nothing can refuse the call any more.
    """

    positions: Tensor | None  # (batch or 1, tokens, 1), where tokens were given positions of their own

    @property
    def past(self) -> int:
        """The position of the next token, if positions are counted."""
        raise NotImplementedError

    def seen(self, name: str, new: Tensor) -> Tensor:
        """The rows of the old tokens that some new one may see, and behind them the new rows."""
        old = self._old(name)
        if old is None and name == "positions" and self.past:  # read without positions: 0, 1, 2, …
            old = self._numbers().to(new)[None, :, None]
        if old is None:
            return new
        if name == "positions":  # which all texts may share
            batch = max(len(old), len(new))
            old, new = old.expand(batch, -1, -1), new.expand(batch, -1, -1)
        elif len(old) != len(new):
            raise ValueError(f"x: a batch of {len(new)}, expected {len(old)}, as in the cache")
        return torch.cat([old, new], -2)

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        """Keep what `seen` gave for n new tokens."""
        raise NotImplementedError

    def following(self, n: int) -> Tensor | None:
        """The positions of n tokens after the last one of each text, (batch or 1, n, 1); None if they are counted."""
        if self.positions is None:
            return None
        return self._last(self.positions) + torch.arange(1, n + 1, device=self.positions.device)[:, None]

    def take(self, tokens: slice | Tensor) -> None:
        """Forget all but these tokens of those that were read, so that the next ones follow on them.

        slice(n) goes back to the first n tokens, and a tensor (m,) of their numbers, ascending, picks one branch of a
        tree. Raises ValueError, which says what would be needed, if the cache does not hold what this takes.
        """
        raise NotImplementedError

    def _old(self, name: str) -> Tensor | None:
        """The rows of the old tokens that a new one may see."""
        return getattr(self, name)

    def _numbers(self) -> Tensor:
        """The numbers in the text of the tokens of `_old`."""
        return torch.arange(self.past)

    def _last(self, rows: Tensor) -> Tensor:
        """The row of the token that was read last."""
        return rows[..., -1:, :]


@dataclass
class KeyValueCache(Cache):
    """The keys and values of what was read so far, (batch, n_kv_heads, length, d_head), to decode token by token."""

    k: Tensor | None = None
    v: Tensor | None = None
    key_bias: Tensor | None = None  # (batch, heads, length, 1), of schemes that have one
    positions: Tensor | None = None
    renumbered: bool = False  # the position of a key changes, so keys are kept as they are before `prepare`

    @property
    def past(self) -> int:
        return 0 if self.k is None else self.k.shape[-2]

    @property
    def last_key_bias(self) -> Tensor | None:
        """The number of the last key, (batch, heads, 1): those of the next ones continue from it."""
        return None if self.key_bias is None else self._last(self.key_bias)[..., 0]

    @property
    def nbytes(self) -> int:
        """The memory of the cache in bytes: 2 · batch · n_kv_heads · length · d_head numbers, and those of the keys."""
        return sum(x.nbytes for x in (self.k, self.v, self.key_bias) if x is not None)

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        for name, seen in rows.items():
            setattr(self, name, seen)

    def take(self, tokens: slice | Tensor) -> None:
        numbers = chosen(tokens, self.past)
        back = numbers == list(range(len(numbers)))
        if not back and self.key_bias is not None:
            raise ValueError(f"tokens={tokens}: each key_bias sums up all that was read before, expected slice(n)")
        if not back and self.positions is None:
            self.positions = self._numbers()[None, :, None]
        where = slice(len(numbers)) if back else torch.tensor(numbers)
        for name in ("k", "v", "key_bias", "positions"):
            rows = getattr(self, name)
            if rows is not None:
                setattr(self, name, rows[..., where, :] if numbers else None)

    def first_key(self, n: int) -> At:
        """If positions are counted, that of the first key that n new tokens see, or if some have left, of each."""
        return 0

    def mask(self, mask: Tensor | None, n: int, device: torch.device) -> Tensor | None:
        """The mask of n new tokens and the keys they see, with what the cache itself hides."""
        return mask


class RingCache(KeyValueCache):
    """The keys and values of the last `window` tokens, and of the first `keep`: a long text takes no more memory.

    The key of position p lies in slot p mod window, where it replaces the key of position p − window, which no later
    query may see. The first tokens have slots of their own, before the ring:

        slot(p) = p if p < keep, else keep + (p − keep) mod window

    With any scheme the output is that of a full pass in which query i sees the keys i − window + 1 … i and
    0 … keep − 1, however the text is cut into calls. The window counts tokens, whatever positions they are given.

    `renumbered` counts positions in the cache instead of the text, as StreamingLLM does: the keys of a query are at
    0, 1, 2, …, and no offset exceeds keep + window − 1. Each token that leaves moves all the others, so from then on
    tokens are read one by one.

    Raises ValueError for a window below 1 and a negative keep. Sources: Jiang et al. 2023 (Mistral 7B), section 2; Xiao
    et al. 2023 (StreamingLLM), section 3.2.
    """

    def __init__(self, window: int, *, keep: int = 0, renumbered: bool = False) -> None:
        super().__init__(renumbered=renumbered)
        self.window, self.keep = check_whole("window", window), check_whole("keep", keep, 0)
        self.read = 0  # tokens

    @property
    def past(self) -> int:
        return min(self.read, self.keep + self.window - 1) if self.renumbered else self.read

    def seen(self, name: str, new: Tensor) -> Tensor:
        """As in every cache. Raises ValueError for several tokens at once when a renumbered cache is full."""
        n, room = new.shape[-2], max(0, self.keep + self.window - self.read)
        if self.renumbered and n > max(room, 1):
            raise ValueError(f"{n} new tokens, {room} free slots: a full renumbered cache takes one token at a time")
        return super().seen(name, new)

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        """Write the rows of the new tokens into their slots."""
        p = self._held(self.read + n, self.window)
        p = p[p >= self.read]  # of a long chunk, only the first tokens and the end stay
        for name, seen in rows.items():
            ring = getattr(self, name)
            if ring is None:
                ring = seen.new_empty(*seen.shape[:-2], self.keep + self.window, seen.shape[-1])
                if name == "positions":  # those of what was read without
                    held = self._held(self.read, self.window)
                    ring[:, self._slot(held)] = held[:, None].to(ring)
            if len(ring) < len(seen):  # texts no longer share their positions
                ring = ring.repeat(len(seen), 1, 1)
            ring[..., self._slot(p), :] = seen[..., p - self.read - n, :]
            setattr(self, name, ring)
        self.read += n

    def take(self, tokens: slice | Tensor) -> None:
        """Go back to the first n tokens: slice(n). Raises ValueError if the ring has overwritten keys they see."""
        n = len(numbers := chosen(tokens, self.read))
        if numbers != list(range(n)):
            raise ValueError(f"tokens={tokens}: a ring can only go back, expected slice(n)")
        nearest = max(self.keep, n - max(self.window - 1, 1))  # from here on, the next token sees what was in the ring
        if nearest < n and nearest + self.window < self.read:
            least = f"expected a window of {self.read - nearest} or more"
            raise ValueError(f"tokens={tokens}: the ring has overwritten token {nearest}, {least}")
        self.read = n
        if not n:
            self.k = self.v = self.key_bias = self.positions = None

    def first_key(self, n: int) -> At:
        numbers = self._numbers()
        if self.renumbered or not len(numbers):
            return 0 if self.renumbered else self.read
        first = int(numbers[0])
        return first if self.read - first == len(numbers) else torch.cat([numbers, self.read + torch.arange(n)])[None]

    def mask(self, mask: Tensor | None, n: int, device: torch.device) -> Tensor | None:
        if n == 1 or self.read + n <= self.keep + self.window:
            return mask
        i = torch.arange(self.read, self.read + n)
        j = torch.cat([self._numbers(), i])
        visible = ((j < self.keep) | (j > i[:, None] - self.window)).to(device)
        return visible if mask is None else mask & visible

    def _old(self, name: str) -> Tensor | None:
        ring = getattr(self, name)
        return None if ring is None else ring[..., self._slot(self._numbers()), :]

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

    length: int
    x: Tensor | None = None
    positions: Tensor | None = None
    last: Tensor | None = None  # the position of the token that was read last, (batch or 1, 1, 1)
    read: int = 0  # tokens

    def __post_init__(self) -> None:
        check_whole("length", self.length, 0)

    @property
    def past(self) -> int:
        return 0 if self.x is None else self.x.shape[-2]

    def store(self, rows: Mapping[str, Tensor], n: int) -> None:
        for name, seen in rows.items():
            setattr(self, name, seen[..., max(0, seen.shape[-2] - self.length) :, :].detach())
        self.read, self.last = self.read + n, rows["positions"][..., -1:, :] if "positions" in rows else None

    def take(self, tokens: slice | Tensor) -> None:
        """Forget all but these tokens. Raises ValueError if what comes before them was forgotten already."""
        numbers, start = chosen(tokens, self.read), self.read - self.past
        if len(numbers) == self.read:
            return
        held = numbers[-max(self.length, 1) :]
        if held and held[0] < start:
            least = f"expected a memory of length {self.read - held[0]} or more"
            raise ValueError(f"tokens={tokens}: token {held[0]} is forgotten, {least}")
        if self.positions is None and held != list(range(held[0], held[0] + len(held)) if held else []):
            self.positions = self._numbers()[None, :, None]
        self.read, where = len(numbers), torch.tensor(held, dtype=torch.int64) - start
        self.x, self.positions = (
            rows[..., where, :] if held and rows is not None else None for rows in (self.x, self.positions)
        )
        self.last = None if self.positions is None else self.positions[..., -1:, :]

    def _last(self, rows: Tensor) -> Tensor:
        assert self.last is not None
        return self.last


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
