"""T5's bias: a learned number per bucket and head, scores without scaling, and no bias in cross-attention."""

import torch
from torch import Tensor, nn

from ..checks import check_whole
from ..reference.t5 import bucket_starts
from .grid import row_offsets
from .position import Position


class T5Bias(Position):
    """b_h(r) = table[bucket(r), h], added to the bare q·k (scale 1.0). `table` is (num_buckets, n_heads), learned.

    One instance belongs to a whole stack: give the same T5Bias to every layer of the encoder (bidirectional), another
    to every layer of the decoder (bidirectional=False, layers with causal=True). Raises ValueError for sizes that leave
    no buckets. Source: Raffel et al. 2020, section 2.1.
    """

    scale: float | None = 1.0  # T5 leaves 1/√d_head out and makes up for it in the initial W_q

    def __init__(
        self, n_heads: int, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
    ) -> None:
        super().__init__()
        self.bidirectional, self.num_buckets, self.max_distance = bidirectional, num_buckets, max_distance
        # Numbers of Python, no buffer: a module made without memory would read whatever lies there.
        self.starts = bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
        self.table = nn.Parameter(torch.empty(num_buckets, check_whole("n_heads", n_heads)))
        nn.init.normal_(self.table, std=0.02)

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        r = row_offsets(n_q, n_k, past, self.table.device)
        starts = torch.tensor(self.starts, device=r.device)
        return self.table[_bucket(r, starts, self.bidirectional, self.num_buckets)].T


class T5CrossAttention(Position):
    """What T5's decoder has where it looks at the encoder: no bias, because the two texts share no origin. Scale 1.0.

    Source: Raffel et al. 2020, section 2.1, and their code.
    """

    scale = 1.0


def bucket(offset: Tensor, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """The bucket of each offset r = j − i, whole numbers of any shape: `reference.t5.bucket` in torch.

    Raises ValueError for sizes that leave no buckets, and offsets that are not whole. Source: Raffel et al. 2020,
    section 2.1.
    """
    if offset.is_floating_point():
        raise ValueError(f"offset of {offset.dtype}: expected whole numbers")
    starts = bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    return _bucket(offset, torch.tensor(starts, device=offset.device), bidirectional, num_buckets)


def _bucket(r: Tensor, starts: Tensor, bidirectional: bool, num_buckets: int) -> Tensor:
    distance = r.abs() if bidirectional else (-r).clamp(min=0)
    found = torch.bucketize(distance, starts, right=True) - 1  # the last bucket that has begun
    return found + (r > 0) * (num_buckets // 2) if bidirectional else found
