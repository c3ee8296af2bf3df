"""Which pairs of positions a trained model has seen: learned on `train` positions, used on `test` positions."""

import numpy as np
from numpy.typing import NDArray

from ..display.formatting import number
from .frames import Cell, Frame, Table, live

BLOCKS = 8  # the square has 8 × 8 cells, so each stands for (test / 8)² pairs
TRAIN, TEST = [16, 32, 64, 128, 256, 512], [16, 32, 64, 128, 256, 512, 1024]
CLIPS = {"absolute": 0, "relative": 0, "clipped to ±16": 16, "clipped to ±64": 64, "clipped to ±256": 256}
SEEN, PARTLY, UNSEEN = "#d3ece7", "#f6e7b8", "#f5b878"


@live(
    "A square of query and key positions for models that learn a vector per position, or one per offset.",
    "Which pairs of positions has training seen?",
    train=TRAIN,
    test=TEST,
    scheme=CLIPS,
)
def seen_pairs(train: int = 128, test: int = 256, scheme: str = "absolute") -> Frame:
    """The test × test pairs of query and key position, in 8 × 8 blocks: how many of each block's pairs a training with
    `train` positions has never seen. Alive: train (16 … 512), test (16 … 1024), the scheme; point at a block.

    scheme "absolute": both positions must be below train. "relative": |j − i| < train. "clipped to ±16" (±64, ±256):
    the offset is clipped first. Raises ValueError for anything else.
    """
    size = test // BLOCKS
    starts = [str(block * size) for block in range(BLOCKS)]
    unseen = is_unseen(train, test, scheme)

    def cell(share: float, diagonal: int) -> Cell:
        colour = SEEN if share == 0 else UNSEEN if share == 1 else PARTLY
        return Cell(number(100 * share, 0), colour=colour, group="" if scheme == "absolute" else str(diagonal))

    shares = unseen.reshape(BLOCKS, size, BLOCKS, size).mean((1, 3)).tolist()
    table = Table(
        "Unseen pairs of each block, in %",
        rows=starts,
        columns=starts,
        cells=[[cell(share, j - i) for j, share in enumerate(line)] for i, line in enumerate(shares)],
        corner="query\u00a0↓ key\u00a0→",
        note=f"a block is {size} × {size} pairs, from these positions on",
        says="Queries from {row} on, keys from {column} on: {text} % of the pairs are unseen.",
    )
    found = [f"{unseen.sum():,} of", f"{test**2:,} pairs are unseen,", f"{number(100 * unseen.mean(), 1)} %."]
    return Frame([table], [*found, *reason(train, test, scheme)])


def unseen_pairs(train: int, test: int, scheme: str = "absolute") -> int:
    """How many of the test² pairs (i, j) meet something that training on `train` positions never used.

    absolute: i or j is train or more,       test² − train²
    relative: |j − i| is train or more,      (test − train)(test − train + 1)
    """
    return int(is_unseen(train, test, scheme).sum())


def is_unseen(train: int, test: int, scheme: str) -> NDArray[np.bool_]:
    """For each of the test × test pairs, whether training on `train` positions has never used what it needs."""
    i, j = np.ogrid[:test, :test]
    if scheme == "absolute":
        return np.maximum(i, j) >= train
    clip = CLIPS[scheme]
    return abs(j - i) >= (test if 0 < clip < train else train)  # training used offset ±clip


def reason(train: int, test: int, scheme: str) -> list[str]:
    """Why so many pairs are unseen, with the formula."""
    over, clip = test - train, CLIPS[scheme]
    if over <= 0:
        return ["Nothing is unseen when test is no longer than train."]
    if scheme == "absolute":
        squares = f"test² − train² = {test**2:,} − {train**2:,}:"
        return [squares, "the query or the key is at a position of no training text."]
    if 0 < clip < train:
        return [f"Every offset beyond ±{clip} takes the vector of ±{clip},", "and training used that."]
    too_far = [f"A clip of ±{clip} is too far to help;", f"it helps up to {train - 1}."] if clip else []
    triangles = f"(test − train)(test − train + 1) = {over:,} · {over + 1:,}: two triangles,"
    return [triangles, f"distance {train} and more.", *too_far]
