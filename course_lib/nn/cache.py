"""What attention carries from one call to the next: keys and values, or the hidden states they are formed from."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..reference.grid import check_whole


@dataclass
class KeyValueCache:
    """The keys and values of what was read so far, (batch, heads, length, d_head), for decoding token by token."""

    k: Tensor | None = None
    v: Tensor | None = None
    key_bias: Tensor | None = None  # (batch, heads, length), of schemes that have one

    def __len__(self) -> int:
        return 0 if self.k is None else self.k.shape[-2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add the new keys and values behind the old ones and return all of them."""
        if self.k is not None and self.v is not None:
            k, v = torch.cat([self.k, k], -2), torch.cat([self.v, v], -2)
        self.k, self.v = k, v
        return k, v

    def append_key_bias(self, new: Tensor | None) -> Tensor | None:
        """Add the numbers of the new keys behind those of the old ones and return all of them."""
        if self.key_bias is not None and new is not None:
            new = torch.cat([self.key_bias, new], -1)
        self.key_bias = new
        return new

    @property
    def last_key_bias(self) -> Tensor | None:
        """The number of the last key, (batch, heads, 1): the next ones continue from it."""
        return None if self.key_bias is None else self.key_bias[..., -1:]


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
