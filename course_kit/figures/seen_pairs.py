"""Which pairs of positions a trained model has seen: learned on `train` positions, used on `test` positions."""

import numpy as np
from numpy.typing import NDArray

from ..display.formatting import check_choice, check_whole, number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

BLOCKS = 8  # the square has 8 × 8 cells, so each stands for (test / 8)² pairs
TRAIN, TEST = [16, 32, 64, 128, 256, 512], [16, 32, 64, 128, 256, 512, 1024]
SCHEMES = {"absolute": 0, "relative": 0, "clipped to ±16": 16, "clipped to ±64": 64, "clipped to ±256": 256}
SEEN, PARTLY, UNSEEN = "#d3ece7", "#f6e7b8", "#f5b878"


def seen_pairs(train: int = 128, test: int = 256, scheme: str = "absolute", *, title: str | None = None) -> Picture:
    """The test × test pairs of query and key position, in 8 × 8 blocks: how many of each block's pairs a training with
    `train` positions has never seen. Alive: train (16 … 512), test (16 … 1024), the scheme; point at a block.

    scheme "absolute": both positions must be below train. "relative": |j − i| < train. "clipped to ±16" (±64, ±256):
    the offset is clipped first. The counts are those of `unseen_pairs`. Raises ValueError for anything else.
    """

    check_choice("scheme", scheme, SCHEMES)

    def count(train: int, test: int, scheme: str) -> int:
        return unseen_pairs(train, test, scheme.split()[0], clip=SCHEMES[scheme])

    @live(train=TRAIN, test=TEST, scheme=SCHEMES)
    def draw(train: int, test: int, scheme: str) -> Frame:
        starts = [str(block * test // BLOCKS) for block in range(BLOCKS)]

        def cell(share: float, diagonal: int) -> Cell:
            colour = SEEN if share == 0 else UNSEEN if share == 1 else PARTLY
            return Cell(number(100 * share, 0), colour=colour, group="" if scheme == "absolute" else str(diagonal))

        shares = unseen_shares(train, test, scheme)
        table = Table(
            "Unseen pairs of each block, in %",
            rows=starts,
            columns=starts,
            cells=[[cell(share, j - i) for j, share in enumerate(line)] for i, line in enumerate(shares)],
            corner="query\u00a0↓ key\u00a0→",
            note=f"a block is {test // BLOCKS} × {test // BLOCKS} pairs, from these positions on",
            says="Queries from {row} on, keys from {column} on: {text} % of the pairs are unseen.",
        )
        unseen = count(train, test, scheme)
        found = [f"{unseen:,} of", f"{test**2:,} pairs are unseen,", f"{number(100 * unseen / test**2, 1)} %."]
        return Frame([table], [*found, *reason(train, test, scheme)])

    alt = (
        f"A square of query and key positions for models that learn a vector per position, or one per offset. "
        f"Trained on {train} positions and used on {test}, {scheme}: {count(train, test, scheme):,} of {test**2:,} "
        "pairs are unseen."
    )
    heading = title or "Which pairs of positions has training seen?"
    return draw(alt=alt, title=heading, train=train, test=test, scheme=scheme)


def unseen_pairs(train: int, test: int, scheme: str = "absolute", *, clip: int = 16) -> int:
    """How many of the test² pairs (i, j) meet something that training on `train` positions never used.

    absolute: i or j is train or more,                  test² − train²
    relative: |j − i| is train or more,                 (test − train)(test − train + 1)
    clipped:  none, as long as clip is below train: offset ±clip was trained. Else as relative.
    Nothing is unseen when test ≤ train. Raises ValueError for sizes below 1, a negative clip or an unknown scheme.
    """
    train = check_whole("train", train, 1, 10**9)
    test = check_whole("test", test, 1, 10**9)
    clip = check_whole("clip", clip, 0, 10**9)
    scheme = check_choice("scheme", scheme, ("absolute", "relative", "clipped"))
    if test <= train or (scheme == "clipped" and clip < train):
        return 0
    return test**2 - train**2 if scheme == "absolute" else (test - train) * (test - train + 1)


def unseen_shares(train: int, test: int, scheme: str) -> NDArray[np.float64]:
    """The share of unseen pairs in each of the 8 × 8 blocks."""
    size, blocks = test // BLOCKS, np.arange(BLOCKS)
    if scheme == "absolute":
        seen = np.clip(train - size * blocks, 0, size) / size  # of the positions in each block
        return 1 - seen[:, None] * seen
    if 0 < SCHEMES[scheme] < train:
        return np.zeros((BLOCKS, BLOCKS))
    # Two blocks d apart have the offsets d · size + inside, each of them size − |inside| times.
    inside = np.arange(1 - size, size)
    offsets = size * (blocks - blocks[:, None])[..., None] + inside
    return ((abs(offsets) >= train) * (size - abs(inside))).sum(-1) / size**2


def reason(train: int, test: int, scheme: str) -> list[str]:
    """Why so many pairs are unseen, with the formula."""
    over, clip = test - train, SCHEMES[scheme]
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
