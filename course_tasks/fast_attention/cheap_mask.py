"""Bug hunt: a bias of many megabytes."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.checking.arrays import Unusable, as_outputs

from .common import torch


def _cheap_mask(row, n_q, batch):
    """The mask for flipped queries, mask[b, h, r, j] = row[h, r + j], and the bytes of the memory behind it.

    row (heads, n_q + n_k - 1) holds a number per offset, ascending. Returns the mask,
    (batch, heads, n_q, n_k), in the precision of row, and the bytes of its memory.
    """
    n_k = row.shape[-1] - n_q + 1
    grid = row.unfold(-1, n_k, 1)
    mask = grid.expand(batch, -1, -1, -1)
    return mask, mask.untyped_storage().nbytes()


def _given(row, n_q, batch):
    """The mask for flipped queries, mask[b, h, r, j] = row[h, r + j], and the bytes of the memory behind it.

    row (heads, n_q + n_k - 1) holds a number per offset, ascending. Returns the mask,
    (batch, heads, n_q, n_k), in the precision of row, and the bytes of its memory.
    """
    n_k = row.shape[-1] - n_q + 1
    r, j = torch.arange(n_q)[:, None], torch.arange(n_k)
    grid = row.float()[:, r + j]
    mask = grid.repeat(batch, 1, 1, 1)
    return mask, mask.untyped_storage().nbytes()


def _expected(row, n_q, batch):
    heads, n_k = len(row), row.shape[-1] - n_q + 1
    grid = np.array([[[row[h, r + j] for j in range(n_k)] for r in range(n_q)] for h in range(heads)])
    return np.broadcast_to(grid, (batch, *grid.shape)), row.nbytes


def _case(seed, sizes, dtype, label=""):
    heads, n_q, n_k, batch = sizes
    row = np.random.default_rng(seed).normal(size=(heads, n_q + n_k - 1)).astype(dtype)
    return Case(row, n_q, batch, label=label)


def _honest(value):
    """The parts of a result, whose second must not be less than what really lies behind its mask."""
    found = as_outputs(value, ("mask", "bytes"))
    held = getattr(value[0], "untyped_storage", None)
    if held and found["bytes"].size == 1 and (said := int(found["bytes"])) < held().nbytes():
        raise Unusable(
            f"{said} as the bytes, but the memory of its mask has {held().nbytes()}: ask the mask itself, "
            "`mask.untyped_storage().nbytes()`, and use `expand` where something copies."
        )
    return found


def _draw(rng):
    dtype = (np.float16, np.float32, np.float64)[rng.integers(3)]
    return _case(int(rng.integers(1000)), rng.integers([1, 1, 1, 1], [4, 7, 7, 4]).tolist(), dtype)


def _one_step(row, n_q, batch):
    mask = row.as_strided((batch, len(row), n_q, row.shape[-1] - n_q + 1), (0, row.shape[1], 1, 1))
    return mask, row.untyped_storage().nbytes()


cheap_mask = CodingTask(
    title="Bug hunt: a bias of many megabytes",
    minutes=10,
    difficulty=3,
    words="""The mask is right, but it is the largest array of the model, for three reasons. The gather writes a number into memory
for every pair, `float()` turns 16 bits into 32, and `repeat` copies all of it for every text. But the mask needs no
memory besides the row. Fix the code, so that the second result is the number of bytes of `row`.

You need neither a loop nor an index. You need a way to view the windows of a row, and a way to say "the same for every
text".""",
    solution=_cheap_mask,
    reader=_honest,
    exact=True,
    starter=_given,
    expected=_expected,
    returns=("mask", "bytes"),
    tensors=True,
    axes={"mask": ("batch", "head", "query (flipped)", "key"), "bytes": ()},
    cases=[
        _case(0, (2, 5, 5, 3), np.float32, "two heads, five tokens, three texts"),
        _case(1, (3, 4, 6, 2), np.float16, "half precision"),
        _case(2, (1, 1, 7, 2), np.float32, "one new query, seven keys"),
        _case(3, (4, 6, 2, 1), np.float64, "double precision, one text"),
        _case(4, (2, 16, 16, 4), np.float16, "sixteen tokens, four texts"),
    ],
    draw=_draw,
    pieces="""
row.shape[-1] - n_q
    `n_k`: The row has n_q + n_k − 1 numbers, so n_k = width − n_q + 1.
row.shape[-1] - n_q + 1
    `n_k`: The row has n_q + n_k − 1 numbers, so n_k = width − n_q + 1.
row.unfold(-1, n_k, 1)
    the view of the windows: It is (heads, n_q, n_k) and copies nothing.
grid.expand(batch, -1, -1, -1)
    the batch axis: The mask needs (batch, heads, n_q, n_k). On a CPU, SDPA falls back to the formula with three axes.
mask.untyped_storage().nbytes()
    the number of bytes: `.nbytes()` of the storage is the size of the memory behind the mask.
""",
    slips="""
mask.untyped_storage().nbytes() → mask.untyped_storage()
    You return the memory itself. Its size is `.nbytes()`.
grid.expand(batch, -1, -1, -1) → grid.repeat(batch, 1, 1, 1)
    You count a number for every cell of the mask. Either something copies them (`repeat` and `contiguous` do, `expand` does
    not), or you count the cells of a view. Ask its `untyped_storage()` for the bytes behind it.
grid.expand(batch, -1, -1, -1) → grid[None]
    Your batch axis has length 1, but (batch, heads, n_q, n_k) is needed. `expand` makes it without a copy.
row.unfold(-1, n_k, 1) → row.unfold(-1, n_k, 1).flip(1)
    You flip the rows, which also copies them. The queries are flipped already, so row r starts at r.
row.unfold(-1, n_k, 1) → row.flip(1).unfold(1, n_k, 1)
    You flip the row, so offset −4 becomes +4. Only the queries are flipped, and they are flipped already.
row.unfold(-1, n_k, 1) → row.unfold(-1, n_k, 1).mT
    You exchanged queries and keys. A window has n_k numbers, and there is one for each of the n_q queries.
row.unfold(-1, n_k, 1) → row.as_strided((len(row), n_q, n_k), (n_k, 1, 1))
    Only your first head is right, because you move n_k numbers from head to head. Each has a whole row, so the stride of the
    heads is n_q + n_k − 1, `row.shape[-1]`. `unfold` works it out.
row.unfold(-1, n_k, 1) → row.unfold(-1, n_k, 2)
    Your windows move by two. From one query to the next, they move by one offset.
row.unfold(-1, n_k, 1) → row.unfold(-1, n_k, 0)
    Your windows do not move, so all queries see the same one. From one query to the next, they move by one offset.
row.unfold(-1, n_k, 1) → row[:, torch.arange(n_q)[:, None] + torch.arange(n_k)]
    Your mask still has one matrix per head in memory, because an index and `clone` both make a copy. `unfold` shows the
    windows of the row itself.
row.unfold(-1, n_k, 1) → row.float()[:, torch.arange(n_q)[:, None] + torch.arange(n_k)]
    The texts share one matrix now, but it is still gathered, in 32 bits.
row.unfold → row.float().unfold
    Each number of the row takes four bytes, because `float()` makes a copy in 32 bits (or you count 4). Keep the precision
    of `row`.
row.unfold → row.half().unfold
    `half()` turns 32 bits into 16 and rounds every number. Keep the precision of `row`.
row.unfold → row.double().unfold
    Each number of the row takes eight bytes, because `double()` makes a copy in 64 bits. Keep the precision of `row`.
row.unfold → row.float().unfold
grid.expand(batch, -1, -1, -1) → grid.expand(batch, -1, -1, -1).contiguous()
    You have the windows now, but in 32 bits, and the last step copies every cell.
mask.untyped_storage().nbytes() → mask.untyped_storage().nbytes() // mask.itemsize
    You count numbers. Return their bytes.
mask.untyped_storage().nbytes() → batch * mask.untyped_storage().nbytes()
    You count the row once per text, but all texts share it.
grid.expand(batch, -1, -1, -1) → torch.zeros_like(grid.expand(batch, -1, -1, -1))
    All cells of your mask are 0. It should hold windows of `row`.
return mask, mask.untyped_storage().nbytes() → return mask.untyped_storage().nbytes(), mask
    You exchanged the two results. The mask comes first.
row.shape[-1] → row.shape[0]
    You use the number of heads. The width of `row` is its last axis.
unfold(-1 → unfold(0
    Your windows run over the heads. They run along the offsets, the last axis.
row.shape[-1] - n_q + 1 → row.shape[-1]
    Your windows are as wide as the row, which leaves one query. They need n_k = width − n_q + 1 numbers.
row.shape[-1] - n_q + 1 → n_q + 1
    The width is missing in n_k = width − n_q + 1.
""",
    alternatives=[
        _one_step,
        lambda row, n_q, batch: (
            row.unfold(-1, row.shape[-1] - n_q + 1, 1)[None].expand(batch, -1, -1, -1),
            row.untyped_storage().nbytes(),
        ),
    ],
    hints=[
        "Which of the three lines copies? `x.untyped_storage().nbytes()` is the memory behind any tensor x.",
        "`row.unfold(-1, n_k, 1)` is (heads, n_q, n_k): windows of n_k numbers, each one step further, without a copy.",
        "`grid.expand(batch, -1, -1, -1)` adds an axis in front that costs nothing.",
    ],
)
