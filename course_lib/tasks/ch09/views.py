"""A mask that is a view, and what lies behind it."""

import numpy as np

from ..engine import Case, Mistake, Task
from ..engine.judge import Fault
from ..engine.run import run
from ..engine.values import Unusable, parts
from .common import torch


def _cheap_mask(row, n_q, batch):
    """The mask for flipped queries, mask[b, h, r, j] = row[h, r + j], and the bytes that lie behind it.

    row (heads, n_q + n_k - 1) holds a number per offset, ascending. Returns the mask,
    (batch, heads, n_q, n_k), in the precision of row, and the bytes of its memory.
    """
    n_k = row.shape[-1] - n_q + 1
    grid = row.unfold(-1, n_k, 1)
    mask = grid.expand(batch, *grid.shape)
    return mask, mask.untyped_storage().nbytes()


def _cheap_mask_given(row, n_q, batch):
    """The mask for flipped queries, mask[b, h, r, j] = row[h, r + j], and the bytes that lie behind it.

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


def _index(row, n_q):
    return torch.arange(n_q)[:, None] + torch.arange(row.shape[-1] - n_q + 1)


def _held(mask):
    return mask, mask.untyped_storage().nbytes()


def _full(row, n_q, batch):
    return row.unfold(-1, row.shape[-1] - n_q + 1, 1).expand(batch, -1, -1, -1)


def _case(seed, sizes, dtype, says=""):
    heads, n_q, n_k, batch = sizes
    row = np.random.default_rng(seed).normal(size=(heads, n_q + n_k - 1)).astype(dtype)
    return Case(row, n_q, batch, says=says)


def _honest(value):
    """The parts of a result, whose second must not be less than what really lies behind its mask."""
    found = parts(value, ("mask", "bytes"))
    held = getattr(value[0], "untyped_storage", None)
    if held and found["bytes"].size == 1 and (said := int(found["bytes"])) < held().nbytes():
        raise Unusable(
            f"{said} as the bytes, and behind its mask lie {held().nbytes()}: ask the mask itself, "
            "`mask.untyped_storage().nbytes()`, and let `expand` stand where something copies."
        )
    return found


class _CheapMask(Task):
    """The check asks the mask's memory, too, and wants all four axes: values alone show neither."""

    def outcomes(self, function, cases=None):
        return run(function, [case.as_tensors() for case in cases or self.all_cases], _honest, self.seconds)

    def fault(self, k, outcome):
        found = super().fault(k, outcome)
        if found is None:
            yours, right = outcome.value["mask"], self.right_parts(self.all_cases[k])["mask"]
            if yours.shape[-4:] != right.shape:
                said = f"mask: yours has shape {yours.shape}, expected {right.shape} (batch, heads, n_q, n_k)"
                return Fault("wrong shape", (said,), "mask", yours, right)
        return found


cheap_mask = _CheapMask(
    title="Bug hunt: a bias of many megabytes",
    minutes=10,
    difficulty=3,
    words="""The mask is right, and it is the largest array of the model. Three things make it large: the gather lays a number
for every pair into memory, `float()` makes 32 bits of 16, and `repeat` copies all of it for every text. Behind the mask
there need be nothing but the row itself. Mend it, so that the second number is the bytes of `row`.

You need no loop and no index: a way to see the windows of a row, and a way to say "the same for every text".""",
    solution=_cheap_mask,
    given=_cheap_mask_given,
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
    draw=lambda rng: _case(
        int(rng.integers(1000)),
        rng.integers([1, 1, 1, 1], [4, 7, 7, 4]).tolist(),
        (np.float16, np.float32, np.float64)[rng.integers(3)],
    ),
    mistakes=[
        Mistake(
            "grid.expand(batch, *grid.shape)",
            "grid.repeat(batch, 1, 1, 1)",
            "A number for every cell of the mask. Either something copies them (`repeat`, `contiguous`, where `expand` only says that an axis is shared), or you count the cells of a view: ask its `untyped_storage()` what lies behind it.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(row[:, _index(row, n_q)].expand(batch, -1, -1, -1)),
            "One matrix per head is left. An index gathers, `clone` copies: both make new memory. `unfold` shows the windows of the row itself.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(row.float()[:, _index(row, n_q)].expand(batch, -1, -1, -1)),
            "The texts share one matrix now. It is still gathered, in 32 bits.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(_full(row.float(), n_q, batch)),
            "Four bytes for every number of the row: `float()` makes a copy in 32 bits (or you count 4). Leave the precision to `row`.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(_full(row.half(), n_q, batch)),
            "Keep the precision of `row`: `half()` makes 16 bits of 32, and rounds every number.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(_full(row.double(), n_q, batch)),
            "Eight bytes for every number of the row: `double()` makes a copy in 64 bits. Keep the precision of `row`.",
        ),
        Mistake(
            "grid.expand(batch, *grid.shape)",
            "grid",
            "Three axes: SDPA falls back to the formula. It wants (batch, heads, n_q, n_k).",
        ),
        Mistake(
            "grid.expand(batch, *grid.shape)",
            "grid[None]",
            "The batch axis has length 1. (batch, heads, n_q, n_k) was asked for: `expand` makes it without a copy.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(_full(row.float(), n_q, batch).repeat(1, 1, 1, 1)),
            "The windows are there, but in 32 bits, and the last step copies every cell.",
        ),
        Mistake(
            "row.unfold(-1, n_k, 1)",
            "row.unfold(-1, n_k, 1).flip(1)",
            "`flip` turns the rows round, and copies. The queries come flipped: row r starts at r.",
        ),
        Mistake(
            "mask.untyped_storage().nbytes()",
            "mask.untyped_storage().nbytes() // mask.itemsize",
            "These are numbers. The bytes were asked for.",
        ),
        Mistake(
            lambda row, n_q, batch: (_full(row, n_q, batch), batch * row.untyped_storage().nbytes()),
            "You count the row once per text. All texts share it.",
        ),
        Mistake(
            "row.unfold(-1, n_k, 1)",
            "row.unfold(-1, n_k, 1).mT",
            "Queries and keys have changed places. A window has n_k numbers, and there is one for each of the n_q queries.",
        ),
        Mistake(
            "row.unfold(-1, n_k, 1)",
            "row.flip(1).unfold(1, n_k, 1)",
            "The row is turned round: −4 has become +4. Only the queries come flipped.",
        ),
        Mistake(
            "row.shape[-1] - n_q + 1",
            "row.shape[-1] - n_q",
            "One key too few: n_q + n_k − 1 numbers, so n_k = width − n_q + 1.",
        ),
        Mistake(
            "row.shape[-1] - n_q + 1",
            "row.shape[-1] - n_q + 2",
            "One key too many: n_q + n_k − 1 numbers, so n_k = width − n_q + 1.",
        ),
        Mistake(
            "row.shape[-1] - n_q + 1", "row.shape[-1] + n_q + 1", "A window wider than the row: n_k = width − n_q + 1."
        ),
        Mistake(
            "row.shape[-1] - n_q + 1",
            "row.shape[-1]",
            "A window as wide as the row leaves one query: n_k = width − n_q + 1.",
        ),
        Mistake(
            "row.unfold(-1, n_k, 1)",
            "row.unfold(-1, n_k, 2)",
            "Your windows step by two. From one query to the next it is one offset.",
        ),
        Mistake(
            "return mask, mask.untyped_storage().nbytes()",
            "return mask.untyped_storage().nbytes(), mask",
            "The two results are in the wrong order: the mask first.",
        ),
        Mistake(
            lambda row, n_q, batch: _held(torch.zeros_like(_full(row, n_q, batch))),
            "All cells are 0. Windows of `row` are wanted.",
        ),
        Mistake(
            "row.shape[-1] - n_q + 1",
            "row.shape[-1] - n_q - 1",
            "Two keys too few: n_q + n_k − 1 numbers, so n_k = width − n_q + 1.",
        ),
        Mistake(
            "row.shape[-1] - n_q + 1",
            "n_q - row.shape[-1] + 1",
            "Turned round: the width is the larger one, n_k = width − n_q + 1.",
        ),
        Mistake("row.shape[-1] - n_q + 1", "row.shape[-1] + 1", "n_q is missing: n_k = width − n_q + 1."),
        Mistake("row.shape[-1] - n_q + 1", "n_q + 1", "The width is missing: n_k = width − n_q + 1."),
        Mistake("row.shape[-1]", "row.shape[0]", "Axis 0 of `row` counts heads. The width is its last axis."),
        Mistake(
            "row.unfold(-1,",
            "row.unfold(0,",
            "Your windows run over the heads. They run along the offsets, the last axis.",
        ),
        Mistake(
            "row.unfold(-1, n_k, 1)",
            "row.unfold(-1, n_k, 0)",
            "A step of 0: all queries would see the same window. It moves by one from query to query.",
        ),
        Mistake(
            "return mask, mask.untyped_storage().nbytes()",
            "return mask, mask.untyped_storage()",
            "That is the memory itself. Its size is `.nbytes()`.",
        ),
    ],
    alternatives=[
        lambda row, n_q, batch: (_full(row, n_q, batch), row.untyped_storage().nbytes()),
        lambda row, n_q, batch: _held(row.unfold(-1, row.shape[-1] - n_q + 1, 1)[None].expand(batch, -1, -1, -1)),
        lambda row, n_q, batch: _held(
            row.as_strided((batch, len(row), n_q, row.shape[-1] - n_q + 1), (0, row.shape[1], 1, 1))
        ),
    ],
    hints=[
        "Which of the three lines copies? `x.untyped_storage().nbytes()` tells what lies behind any tensor.",
        "`row.unfold(-1, n_k, 1)` is (heads, n_q, n_k): windows of n_k numbers, each one step further, without a copy.",
        "`grid.expand(batch, *grid.shape)` adds an axis in front that costs nothing.",
    ],
)
