"""T5's idea with the boundaries moved: a learned number per bucket, and four ways to lay the buckets out."""

import torch
from torch import Tensor, nn

from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_lib.reference.grid import check_whole
from course_lib.reference.t5 import bucket_starts

GROWTH = {"uniform": 1, "linear": 2, "quadratic": 3}  # the power of t by which bucket t begins
LAYOUTS = ("uniform", "linear", "quadratic", "log")


def starts(layout: str, number: int, max_distance: int) -> list[int]:
    """The distance at which each of `number` buckets begins; the last one has begun at max_distance.

    Named by how the widths grow: uniform, all alike; linear, begin at max_distance · (t / number)²; quadratic, at
    max_distance · (t / number)³, all three at least one distance wide; log, as T5 does, the first half exact.
    Raises ValueError for more buckets than distances, and as T5 does.
    """
    if layout == "log":
        return bucket_starts(bidirectional=False, num_buckets=number, max_distance=max_distance)
    if check_whole("number", number) > check_whole("max_distance", max_distance):
        raise ValueError(f"number={number}, max_distance={max_distance}: expected at most one bucket for each distance")
    found = [0]
    for t in range(1, number):
        found.append(max(found[-1] + 1, max_distance * t ** GROWTH[layout] // number ** GROWTH[layout]))
    return found


class BucketBias(Position):
    """b_h(r) = table[the last bucket that has begun at distance −r, h], for keys at or before the query."""

    def __init__(self, n_heads: int, layout: str, number: int, max_distance: int) -> None:
        super().__init__()
        self.register_buffer("starts", torch.tensor(starts(layout, number, max_distance)), persistent=False)
        self.table = nn.Parameter(torch.empty(number, n_heads))
        nn.init.normal_(self.table, std=0.02)

    starts: Tensor

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        distance = -row_offsets(n_q, n_k, past, self.table.device).clamp(max=0)
        return self.table[torch.bucketize(distance, self.starts, right=True) - 1].T
