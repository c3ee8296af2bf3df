"""What attention carries from one call to the next: keys and values, or the hidden states they are formed from."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..reference.grid import check_whole


@dataclass
class KeyValueCache:
    """The keys and values of what was read so far, (batch, n_kv_heads, length, d_head), to decode token by token."""

    k: Tensor | None = None
    v: Tensor | None = None
    key_bias: Tensor | None = None  # (batch, heads, length), of schemes that have one
    last_key_bias: Tensor | None = None  # of the last key, (batch, heads, 1): the next ones continue from it
    renumbered: bool = False  # the position of a key changes, so keys are kept as they are before `prepare`

    def __len__(self) -> int:
        """The position of the next token: how many were read."""
        return 0 if self.k is None else self.k.shape[-2]

    @property
    def nbytes(self) -> int:
        """The memory of the cache in bytes: 2 · batch · n_kv_heads · length · d_head numbers, and those of the keys."""
        return sum(x.nbytes for x in (self.k, self.v, self.key_bias) if x is not None)

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add the new keys and values behind the old ones and return all of them."""
        if self.k is not None and self.v is not None:
            k, v = torch.cat([self.k, k], -2), torch.cat([self.v, v], -2)
        self.k, self.v = k, v
        return k, v

    def append_key_bias(self, new: Tensor | None) -> Tensor | None:
        """The same with the numbers of the new keys, for schemes that have them."""
        if new is not None:
            self.last_key_bias = new[..., -1:]
            new = new if self.key_bias is None else torch.cat([self.key_bias, new], -1)
        self.key_bias = new
        return new

    def spans(self) -> list[range]:
        """The positions of the keys that the last `append` returned, in their order."""
        return [range(len(self))]

    def mask(self, mask: Tensor | None) -> Tensor | None:
        """The mask of the last new tokens and these keys, with what the cache itself hides."""
        return mask


class RingCache(KeyValueCache):
    """The keys and values of the last `window` tokens, and of the first `keep`: a long text takes no more memory.

    The key of position p lies in slot p mod window, where it replaces the key of position p − window, which no later
    query may see. The first tokens have slots of their own, before the ring:

        slot(p) = p if p < keep, else keep + (p − keep) mod window

    With any scheme the output is that of a full pass in which query i sees the keys i − window + 1 … i and
    0 … keep − 1, however the text is cut into calls.

    `renumbered` counts positions in the cache instead of the text, as StreamingLLM does: the keys of a query are at
    0, 1, 2, …, and no offset exceeds keep + window − 1. Each token that leaves moves all the others, so from then on
    tokens are read one by one.

    Raises ValueError for a window below 1 and a negative keep. Sources: Jiang et al. 2023 (Mistral 7B), section 2; Xiao
    et al. 2023 (StreamingLLM), section 3.2.
    """

    def __init__(self, window: int, *, keep: int = 0, renumbered: bool = False) -> None:
        super().__init__(renumbered=renumbered)
        self.window, self.keep = check_whole("window", window), check_whole("keep", keep, 0)
        self.past = self.read = 0  # tokens before the last `append`, and with it

    def __len__(self) -> int:
        """The position of the next token, in the text or, renumbered, in the cache."""
        return min(self.read, self.keep + self.window - 1) if self.renumbered else self.read

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Put the new keys and values into their slots; return those that some new token may see, in text order.

        Raises ValueError for several tokens at once when a renumbered cache is full.
        """
        new, room = k.shape[-2], max(0, self.keep + self.window - self.read)
        if self.renumbered and new > max(room, 1):
            raise ValueError(f"{new} new tokens, {room} free slots: a full renumbered cache takes one token at a time")
        self.past, self.read = self.read, self.read + new
        self.k, k = self._write(self.k, k)
        self.v, v = self._write(self.v, v)
        return k, v

    def append_key_bias(self, new: Tensor | None) -> Tensor | None:
        """The same with the numbers of the new keys, for schemes that have them. Call it after `append`."""
        if new is None:
            return None
        self.last_key_bias = new[..., -1:]
        ring, seen = self._write(None if self.key_bias is None else self.key_bias[..., None], new[..., None])
        self.key_bias = ring[..., 0]
        return seen[..., 0]

    def spans(self) -> list[range]:
        """The positions of the keys that the last `append` returned: the first ones, and those up to the newest."""
        first, near = self._before()
        near = range(near.start, self.read)
        if self.renumbered:
            return [range(len(first) + len(near))]
        return [range(self.read)] if first.stop == near.start else [span for span in (first, near) if span]

    def mask(self, mask: Tensor | None) -> Tensor | None:
        """The mask of the last new tokens and these keys, with what has left the window of each token."""
        if self.k is None or self.read - self.past == 1 or self.read <= self.keep + self.window:
            return mask
        i, j = torch.arange(self.past, self.read)[:, None], _positions(self.spans())
        visible = ((j < self.keep) | (j > i - self.window)).to(self.k.device)
        return visible if mask is None else mask & visible

    def _write(self, ring: Tensor | None, new: Tensor) -> tuple[Tensor, Tensor]:
        """The ring with the rows of the new tokens in their slots, and all rows that some of these tokens may see."""
        if ring is None:
            ring = new.new_empty(*new.shape[:-2], self.keep + self.window, new.shape[-1])
        seen = torch.cat([ring[..., self._slot(_positions(self._before())), :], new], -2)
        p = torch.arange(self.past, self.read)
        p = p[(p < self.keep) | (p >= self.read - self.window)]  # of a long chunk, only the end stays
        ring[..., self._slot(p), :] = new[..., p - self.past, :]
        return ring, seen

    def _before(self) -> tuple[range, range]:
        """The positions before the last `append` that its first token may see: the first ones, and those near it."""
        first = min(self.past, self.keep)
        return range(first), range(max(first, self.past - self.window + 1), self.past)

    def _slot(self, p: Tensor) -> Tensor:
        return torch.where(p < self.keep, p, self.keep + (p - self.keep) % self.window)


def _positions(spans: Sequence[range]) -> Tensor:
    return torch.cat([torch.arange(span.start, span.stop) for span in spans])


@dataclass
class SegmentMemory:
    """The inputs of the last `length` tokens, (batch, ≤ length, d_model): what Transformer-XL carries along.

    Unlike a `KeyValueCache` it keeps hidden states: keys and values are formed from them anew, so W_k and W_v learn
    from the memory, but no gradient flows into it. Raises ValueError for a negative length.
    Source: Dai et al. 2019, section 3.2.
    """

    length: int
    x: Tensor | None = None

    def __post_init__(self) -> None:
        check_whole("length", self.length, 0)

    def __len__(self) -> int:
        return 0 if self.x is None else self.x.shape[-2]

    def append(self, x: Tensor) -> Tensor:
        """What is remembered with x behind it; from then on the last `length` of these are remembered."""
        both = x if self.x is None else torch.cat([self.x, x], -2)
        self.x = both[..., max(0, both.shape[-2] - self.length) :, :].detach()
        return both
