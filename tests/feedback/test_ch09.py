"""Chapter 09: what a learner reads after a slip."""

import warnings

import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH09 = tasks_of("ch09")

TILES = """
    largest, total, mixed = {first}, 0.0, 0.0
    states = []
    for start in range(0, len(s), size):
        part = s[start : start + size]
        new = {new}
        factor = {factor}
        e = np.exp(part - {reference})
        total = {total} + {added}
        mixed = {mixed} + {mixture}
        {carried}
        states.append((largest, total, {output}))
    return tuple(map(np.array, zip(*states)))
"""
RIGHT_TILES = {
    "first": "-np.inf", "new": "max(largest, part.max())", "factor": "np.exp(largest - new)", "reference": "new",
    "total": "factor * total", "added": "e.sum()", "mixed": "factor * mixed",
    "mixture": "(e[:, None] * values[start : start + size]).sum(axis=0)", "carried": "largest = new",
    "output": "mixed / total",
}  # fmt: skip


def tiles(**changed):
    return TILES.format(**{**RIGHT_TILES, **changed})


DECODE = """
    n_q, n_k = q.shape[1], k.shape[1]
    {past}
    i = {i}
    j = torch.arange(n_k, dtype=q.dtype)
    bias = -scale * torch.log1p(abs(j - i))
    {mask}
    return {answer}
"""
RIGHT_DECODE = {
    "past": "past = n_k - n_q",
    "i": "torch.arange(past, n_k)[:, None]",
    "mask": "mask = bias.masked_fill(j > i, -torch.inf)",
    "answer": "sdpa(q, k, v, attn_mask=mask)",
}


def decode(**changed):
    return DECODE.format(**{**RIGHT_DECODE, **changed})


BLOCKS = """
    result = np.zeros((len(q), len(k)))
    for top in range(0, len(q), size):
        for left in range(0, len(k), size):
            rows, columns = slice(top, top + size), slice(left, left + size)
            block = q[rows] @ k[columns].T / np.sqrt(q.shape[1])
            i = {i}
            j = {j}
            result[rows, columns] = score_mod(block, i, j)
    return result
"""


def blocks(i="np.arange(top, top + len(block))[:, None]", j="np.arange(left, left + block.shape[1])"):
    return BLOCKS.format(i=i, j=j)


CHEAP = """
    n_k = row.shape[1] - n_q + 1
    {lines}
    return mask, mask.untyped_storage().nbytes()
"""


def cheap(*lines):
    return CHEAP.format(lines="\n    ".join(lines))


SLIPS = {
    "kept_after_tiles": {
        "right, with other names": (tiles(), None),
        "right, with the values of the tile by a product": (tiles(mixture="e @ values[start : start + size]"), None),
        "the sum is not shrunk": (tiles(total="total"), "The sum of the earlier tiles is not shrunk"),
        "the mixture is not shrunk": (tiles(mixed="mixed"), "The mixture of the earlier tiles is not shrunk"),
        "neither is shrunk": (tiles(total="total", mixed="mixed"), "Nothing is shrunk"),
        "factor turned round": (tiles(factor="np.exp(new - largest)"), "e^{old largest − new largest}"),
        "only the tile's largest": (tiles(new="part.max()"), "An earlier tile may have had a larger one"),
        "measured from the tile's own largest": (tiles(reference="part.max()"), "Take the largest so far"),
        "bare exponentials": (tiles(reference="0"), "subtract the largest so far"),
        "0 to begin with": (tiles(first="0.0"), "start with −∞"),
        "not carried on": (tiles(carried="pass"), "never carried on"),
        "no division": (tiles(output="mixed"), "divided by the sum"),
        "divided by the tile's sum": (tiles(output="mixed / e.sum()"), "The mixture holds all tiles"),
        "a softmax a tile": (
            """
    largest, total, out, states = -np.inf, 0.0, 0.0, []
    for start in range(0, len(s), size):
        seen, tile = s[: start + size], s[start : start + size]
        out = out + np.exp(tile - tile.max()) @ values[start : start + size] / np.exp(tile - tile.max()).sum()
        states.append((seen.max(), np.exp(seen - seen.max()).sum(), out))
    return tuple(map(np.array, zip(*states)))
""",
            "softmax inside each tile",
        ),
        "only the end": (
            "    e = np.exp(s - s.max())\n    return s.max()[None], e.sum()[None], (e @ values / e.sum())[None]",
            "Write it down after each one",
        ),
        "no largest subtracted": (
            """
    total, mixed, seen, states = 0.0, 0.0, -np.inf, []
    for start in range(0, len(s), size):
        e, seen = np.exp(s[start : start + size]), max(seen, s[start : start + size].max())
        total, mixed = total + e.sum(), mixed + e @ values[start : start + size]
        states.append((seen, total, mixed / total))
    return tuple(map(np.array, zip(*states)))
""",
            "No largest score is subtracted",
        ),
        "the largest of all keys": (tiles(first="s.max()", new="s.max()"), "You looked at later tiles"),
        "the largest of all keys, mended": (
            tiles(first="s.max()", new="s.max()").replace(
                "append((largest, total,",
                "append((s[: start + size].max(), total * np.exp(s.max() - s[: start + size].max()),",
            ),
            "You looked at later tiles",
        ),
        "the same array appended": (
            tiles(first="-np.inf")
            .replace("    states = []", "    states, out = [], np.zeros(values.shape[1])")
            .replace(
                "states.append((largest, total, mixed / total))",
                "out[:] = mixed / total\n        states.append((largest, total, out))",
            ),
            "you append the same array each time",
        ),
        "a wrong order": (
            tiles().replace("(largest, total, mixed / total)", "(mixed / total, largest, total)"),
            "The output comes first",
        ),
        "another wrong order": (
            tiles().replace("(largest, total, mixed / total)", "(total, largest, mixed / total)"),
            "Largest and sum have changed places",
        ),
        "the whole softmax, looked at tile by tile": (
            """
    ends = range(size, len(s) + size, size)
    kept = [(s[:x].max(), np.exp(s[:x] - s[:x].max()).sum()) for x in ends]
    out = [np.exp(s[:x] - s[:x].max()) @ values[:x] / t for x, (_, t) in zip(ends, kept)]
    return [a for a, _ in kept], [t for _, t in kept], out
""",
            "you go back to the scores of earlier tiles",
        ),
        "cut off tile by tile": (
            """
    largest, total, mixed, states = -np.inf, 0.0, 0.0, []
    while len(s):
        new = max(largest, s[:size].max())
        e, shrink = np.exp(s[:size] - new), np.exp(largest - new)
        largest, total, mixed = new, shrink * total + e.sum(), shrink * mixed + e @ values[:size]
        states.append((largest, total, mixed / total))
        s, values = s[size:], values[size:]
    return tuple(map(np.array, zip(*states)))
""",
            None,
        ),
        "each tile from its own largest": (
            """
    largest, total, mixed, states = -np.inf, 0.0, 0.0, []
    for start in range(0, len(s), size):
        tile, v = s[start : start + size], values[start : start + size]
        own, e = tile.max(), np.exp(tile - tile.max())
        new = max(largest, own)
        total = np.exp(largest - new) * total + np.exp(own - new) * e.sum()
        mixed = np.exp(largest - new) * mixed + np.exp(own - new) * (e @ v)
        largest = new
        states.append((largest, total, mixed / total))
    return tuple(map(np.array, zip(*states)))
""",
            "Right until a tile is hidden throughout",
        ),
    },
    "padded_attention": {
        "minus a hundred": (
            "    return sdpa(q, k, v, attn_mask=bias - 100 * padding[:, None, None])",
            "hides only while the scores are small",
        ),
        "minus ten thousand": (
            "    return sdpa(q, k, v, attn_mask=bias - 1e4 * padding[:, None, None])",
            "A finite number leaves it a weight where the scores are large",
        ),
        "the lowest number there is": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(padding[:, None, None], torch.finfo(bias.dtype).min))",
            None,
        ),
        "counted": (
            """
    real = (~padding).sum(dim=-1)
    hidden = torch.arange(k.shape[-2]) >= real[:, None]
    return sdpa(q, k, v, attn_mask=bias.masked_fill(hidden[:, None, None], -torch.inf))
""",
            "Padding may stand on the left",
        ),
        "minus ten": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(padding[:, None, None], -10.0))",
            "only −∞ hides",
        ),
        "minus five": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(padding[:, None, None], -5.0))",
            "The values of the padding reach the output",
        ),
        "sign of the bias": (
            "    return sdpa(q, k, v, attn_mask=(-bias).masked_fill(padding[:, None, None], -torch.inf))",
            "the bias has lost its sign",
        ),
        "bias twice": (
            "    return sdpa(q, k, v, attn_mask=(bias + bias).masked_fill(padding[:, None, None], -torch.inf))",
            "the bias is added twice",
        ),
        "half the bias": (
            "    return sdpa(q, k, v, attn_mask=(0.5 * bias).masked_fill(padding[:, None, None], -torch.inf))",
            "the bias counts half",
        ),
        "one head for all": (
            "    return sdpa(q, k, v, attn_mask=bias[:1].masked_fill(padding[:, None, None], -torch.inf))",
            "Every head gets the bias of the first",
        ),
        "keys and values swapped": (
            "    return sdpa(q, v, k, attn_mask=bias.masked_fill(padding[:, None, None], -torch.inf))",
            "Keys and values have changed places",
        ),
        "causal as well": (
            "    later = torch.ones(q.shape[2], q.shape[2]).triu(1).bool()\n"
            "    hidden = padding[:, None, None] | later\n"
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(hidden, -torch.inf))",
            "Nobody asked for a causal mask",
        ),
        "queries and keys hidden": (
            "    hidden = padding[:, None, None] | padding[:, None, :, None]\n"
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(hidden, -torch.inf))",
            "You also hide padded queries",
        ),
        "a third of the bias, the padding well hidden": (
            "    return sdpa(q, k, v, attn_mask=(bias / 3).masked_fill(padding[:, None, None], -torch.inf))",
            "`.compare(padded_attention)`",
        ),
        "added with a minus": (
            "    return sdpa(q, k, v, attn_mask=bias - padding[:, None, None].to(bias.dtype))",
            "Only −∞ hides",
        ),
        "a large negative number": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(padding[:, None, None], -1e9))",
            None,
        ),
        "inverted": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(~padding[:, None, None], -torch.inf))",
            "the text is hidden and the padding seen",
        ),
        "truth values, the bias lost": (
            "    return sdpa(q, k, v, attn_mask=~padding[:, None, None])",
            "the bias is gone",
        ),
        "truth values as they are": (
            "    return sdpa(q, k, v, attn_mask=padding[:, None, None])",
            "only the padding is seen",
        ),
        "queries hidden": (
            "    return sdpa(q, k, v, attn_mask=bias.masked_fill(padding[:, None, :, None], -torch.inf))",
            "You hide the *queries*",
        ),
        "times": ("    return sdpa(q, k, v, attn_mask=bias * ~padding[:, None, None])", "The padding gets a bias of 0"),
        "the formula": (
            "    s = q @ k.mT / q.shape[-1] ** 0.5 + bias\n"
            "    return s.masked_fill(padding[:, None, None], -torch.inf).softmax(-1) @ v",
            None,
        ),
    },
    "decode_step": {
        "the lesson's mask, imported inside": (
            """
    from torch.nn.attention.bias import causal_lower_right

    n_q, n_k = q.shape[1], k.shape[1]
    i = n_k - n_q + torch.arange(n_q)[:, None]
    bias = -scale * torch.log1p(abs(torch.arange(n_k, dtype=q.dtype) - i))
    hidden = ~causal_lower_right(n_q, n_k)._materialize()
    return sdpa(q, k, v, attn_mask=bias.masked_fill(hidden, -torch.inf))
""",
            None,
        ),
        "right, from positions alone": (decode(), None),
        "past + 1": (
            decode(past="past = n_k - n_q + 1", i="past + torch.arange(n_q)[:, None]"),
            "one position too far",
        ),
        "past − 1": (
            decode(past="past = n_k - n_q - 1", i="past + torch.arange(n_q)[:, None]"),
            "one position too early",
        ),
        "i + 1 in the bias alone": (
            decode(i="torch.arange(past + 1, n_k + 1)[:, None]", mask="mask = bias.masked_fill(j > i - 1, -torch.inf)"),
            "in the bias the queries stand one position too far",
        ),
        "the bug, written anew": (decode(i="torch.arange(n_q)[:, None]"), "How many tokens came before it?"),
        "not scaled": (decode(answer="(q @ k.mT + mask).softmax(-1) @ v"), "Your own formula does not scale"),
        "a mask and is_causal": (
            decode(answer="sdpa(q, k, v, attn_mask=mask, is_causal=True)"),
            "a mask *or* `is_causal=True`",
        ),
        "no bias at all": (
            decode(mask="mask = j <= i"),
            "The bias is gone",
        ),
        "axis 0": (
            "    n_q, n_k = q.shape[0], k.shape[0]\n" + decode().split("\n", 2)[2],
            "Axis 0 counts heads",
        ),
        "keys cropped to the new ones": (
            "    n = q.shape[1]\n    k, v = k[:, -n:], v[:, -n:]\n" + decode().strip("\n"),
            "Only the last n_q keys are left",
        ),
        "is_causal": (decode(answer="sdpa(q, k, v, is_causal=True)"), "`is_causal=True` *is* the bug"),
        "the bias mended alone": (
            decode(mask="mask = bias.masked_fill(~torch.ones(n_q, n_k).tril().bool(), -torch.inf)"),
            "the triangle still lies in the top left corner",
        ),
        "the mask mended alone": (
            decode(i="torch.arange(n_q)[:, None]", mask="mask = bias.masked_fill(j > i + past, -torch.inf)"),
            "still takes the first query for position 0",
        ),
        "no mask": (decode(mask="mask = bias"), "Nothing is hidden any more"),
        "the last position for all": (
            decode(past="past = n_k - 1", i="past + torch.arange(n_q)[:, None]"),
            "Right for one new token",
        ),
        "one too far": (decode(past="past = n_k", i="past + torch.arange(n_q)[:, None]"), "in the cache already"),
        "the future": (decode(mask="mask = bias.masked_fill(j < i, -torch.inf)"), "The triangle is turned round"),
        "own key hidden": (decode(mask="mask = bias.masked_fill(j >= i, -torch.inf)"), "a token may look at itself"),
    },
    "scores_in_blocks": {
        "both from top": (blocks(j="np.arange(top, top + block.shape[1])"), "Both positions begin at `top`"),
        "both from left": (blocks(i="np.arange(left, left + len(block))[:, None]"), "Both positions begin at `left`"),
        "keys from left − top": (
            blocks(j="left - top + np.arange(block.shape[1])"),
            "The keys count from `left - top`",
        ),
        "right differences": (
            blocks("np.arange(len(block))[:, None]", "left - top + np.arange(block.shape[1])"),
            "The differences j − i are right, the positions are not",
        ),
        "i a row": (blocks(i="np.arange(top, top + len(block))"), "`i` is a row, as `j` is"),
        "a block too far": (
            blocks("size + np.arange(top, top + len(block))[:, None]", "size + np.arange(left, left + block.shape[1])"),
            "The positions of the queries and keys are one block too far",
        ),
        "keys a block too far": (
            blocks(j="size + np.arange(left, left + block.shape[1])"),
            "The positions of the keys are one block too far",
        ),
        "only the diagonal": (
            blocks().replace(
                "            block", "            if top != left:\n                continue\n            block"
            ),
            "Only the blocks on the diagonal",
        ),
        "right, with ranges": (blocks(), None),
        "right, in one go": (
            "    return score_mod(q @ k.T / np.sqrt(q.shape[1]), np.arange(len(q))[:, None], np.arange(len(k)))",
            None,
        ),
        "queries only": (blocks(j="np.arange(block.shape[1])"), "the keys still count from the beginning"),
        "keys only": (blocks(i="np.arange(len(block))[:, None]"), "the queries still count from the beginning"),
        "swapped": (
            blocks("left + np.arange(len(block))[:, None]", "top + np.arange(block.shape[1])"),
            "`top` and `left` have changed places",
        ),
        "times size": (
            blocks("top * size + np.arange(len(block))[:, None]", "left * size + np.arange(block.shape[1])"),
            "not numbers of blocks",
        ),
        "the number of the block": (
            blocks("top // size + 0 * np.arange(len(block))[:, None]", "left // size + 0 * np.arange(block.shape[1])"),
            "the number of the block",
        ),
        "everything 7 too large": (
            blocks("top + 7 + np.arange(len(block))[:, None]", "left + 7 + np.arange(block.shape[1])"),
            "Both positions are too large by 7; the differences hide it",
        ),
        "everything 1 too large": (
            blocks("top + 1 + np.arange(len(block))[:, None]", "left + 1 + np.arange(block.shape[1])"),
            "Both positions are too large by 1",
        ),
        "always a whole block": (
            blocks("np.arange(top, top + size)[:, None]", "np.arange(left, left + size)"),
            "The last block may be smaller",
        ),
        "divided by size": (
            blocks("top // size + np.arange(len(block))[:, None]", "left // size + np.arange(block.shape[1])"),
            "`// size` makes numbers of blocks",
        ),
        "subtracted": (
            blocks("-top + np.arange(len(block))[:, None]", "-left + np.arange(block.shape[1])"),
            "You subtract the start of the block",
        ),
        "added to the score": (
            blocks().replace("= score_mod(block", "= block + score_mod(block"),
            "`score_mod` returns the changed score",
        ),
        "return in the inner loop": (
            blocks().replace("\n    return result", "\n            return result"),
            "the `return` stands inside the loops",
        ),
        "return in the outer loop": (
            blocks().replace("\n    return result", "\n        return result"),
            "inside the outer loop",
        ),
        "one for all": (
            blocks(i="np.full((len(block), 1), top)"),
            "All queries of a block get the position of its first",
        ),
    },
    "cheap_mask": {
        "repeat, and the row's bytes told": (
            "    n_k = row.shape[1] - n_q + 1\n    return row.unfold(-1, n_k, 1).repeat(batch, 1, 1, 1), row.nbytes",
            "returned 72 as the bytes, and behind its mask lie 600",
        ),
        "gathered, and the row's bytes told": (
            "    r, j = torch.arange(n_q)[:, None], torch.arange(row.shape[1] - n_q + 1)\n"
            "    return row[:, r + j].expand(batch, -1, -1, -1), row.nbytes",
            "returned 72 as the bytes, and behind its mask lie 200",
        ),
        "a wrong number of bytes": (
            cheap("mask = row.unfold(-1, n_k, 1).expand(batch, -1, -1, -1)").replace("nbytes()", "nbytes() + 1000"),
            "Your mask is right; your bytes are not.",
        ),
        "three axes": (cheap("mask = row.unfold(-1, n_k, 1)"), "Three axes: SDPA falls back"),
        "a batch axis of 1": (cheap("mask = row.unfold(-1, n_k, 1)[None]"), "The batch axis has length 1"),
        "half": (
            cheap("mask = row.half().unfold(-1, n_k, 1).expand(batch, -1, -1, -1)"),
            "Keep the precision of `row`",
        ),
        "double": (
            cheap("mask = row.double().unfold(-1, n_k, 1).expand(batch, -1, -1, -1)"),
            "Keep the precision of `row`",
        ),
        "as_strided": (
            cheap(
                "shape, steps = (batch, len(row), n_q, n_k), (0, row.stride(0), 1, 1)",
                "mask = row.as_strided(shape, steps)",
            ),
            None,
        ),
        "unfold and repeat": (
            cheap("mask = row.unfold(-1, n_k, 1).repeat(batch, 1, 1, 1)"),
            "where `expand` only says",
        ),
        "gather and expand": (
            cheap(
                "grid = row[:, torch.arange(n_q)[:, None] + torch.arange(n_k)]", "mask = grid.expand(batch, -1, -1, -1)"
            ),
            "An index gathers",
        ),
        "a loop": (
            cheap(
                "grid = torch.stack([row[:, r : r + n_k] for r in range(n_q)], 1)",
                "mask = grid.expand(batch, -1, -1, -1)",
            ),
            "An index gathers, `clone` copies",
        ),
        "float": (
            cheap("mask = row.float().unfold(-1, n_k, 1).expand(batch, -1, -1, -1)"),
            "Four bytes for every number",
        ),
        "stacked for the batch": (
            cheap("mask = torch.stack([row.unfold(-1, n_k, 1)] * batch)"),
            "A number for every cell of the mask",
        ),
        "transposed": (
            cheap("mask = row.unfold(-1, n_k, 1).mT.expand(batch, -1, -1, -1)"),
            "Queries and keys have changed places",
        ),
        "nbytes of the view": (
            "    mask = row.unfold(1, row.shape[1] - n_q + 1, 1)\n"
            "    return mask.expand(batch, *mask.shape), mask.nbytes * batch",
            "you count the cells of a view",
        ),
    },
    "fair_ratio": {
        "a sum over a sum": ("    return ours[warm:].sum() / limit[warm:].sum()", "A mean over a mean"),
        "a mean over a mean, all rounds": (
            "    return np.mean(ours) / np.mean(limit)",
            "the rounds that warm up count",
        ),
        "mean of ratios": ("    return np.mean(ours[warm:] / limit[warm:])", "Take the median"),
        "ratio of medians": ("    return np.median(ours[warm:]) / np.median(limit[warm:])", "The ratio of two medians"),
        "fastest over fastest": ("    return min(ours[warm:]) / min(limit[warm:])", "The ratio of the two smallest"),
        "warm-up counted": ("    return np.median(ours / limit)", "Leave the first `warm` out"),
        "turned round": ("    return np.median(limit[warm:] / ours[warm:])", "Turned round"),
        "the end left out": (
            "    return np.median((ours / limit)[: len(ours) - warm])",
            "You leave out the last rounds",
        ),
        "with -warm": ("    return np.median((ours / limit)[:-warm])", "`[:-warm]` leaves out the last rounds"),
        "sorted by hand": (
            "    each = sorted(ours[warm:] / limit[warm:])\n    return each[len(each) // 2]",
            "the mean of the middle two",
        ),
        "torch.median": (
            "    each = torch.tensor(ours[warm:] / limit[warm:])\n    return float(each.median())",
            "as `torch.median` does",
        ),
        "warm − 1": (
            "    return np.median(ours[warm - 1:] / limit[warm - 1:])",
            "One round that warms up still counts",
        ),
        "in percent": ("    return 100 * np.median(ours[warm:] / limit[warm:] - 1)", "in percent"),
        "from the other end": (
            "    return np.median(ours[warm:] / limit[:-warm])",
            "each round meets another one",
        ),
        "geometric mean": (
            "    return np.exp(np.mean(np.log(ours[warm:] / limit[warm:])))",
            "The geometric mean",
        ),
        "median over mean": ("    return np.median(ours[warm:]) / limit[warm:].mean()", "A median over a mean"),
        "statistics": (
            "    import statistics\n    return statistics.median(a / b for a, b in zip(ours[warm:], limit[warm:]))",
            None,
        ),
    },
}


@each(SLIPS)
def test_each_slip_gets_its_answer(name, body, words):
    if words is None:
        assert told(CH09[name], body).startswith("✓")
    else:
        text = told(CH09[name], body)
        assert words in text and not text.startswith("✓"), text


ANSWERS = {
    "two_tiles": {
        "bare exponentials": ({"sum after tile one": 3.0}, "subtract the largest score, ln 2, first"),
        "factor turned round": ({"shrink factor": 2}, "become *smaller*"),
        "not shrunk": ({"sum after tile two": 3}, "You did not shrink the first sum"),
        "mixture not shrunk": ({"mixture after tile two": 10}, "must shrink as its sum did"),
        "mixture for output": ({"output": 8}, "Divide it by the sum"),
        "mean of outputs": ({"output": 3.333}, "Not the mean of the outputs of two tiles"),
        "the exponent": ({"shrink factor": -0.693}, "Take e to the power of it"),
        "the shrunk sum": ({"shrink factor": 0.75}, "That is the shrunk *sum*"),
        "what is left of the sum": ({"sum after tile two": 0.75}, "what is left of tile one"),
        "output for mixture": ({"mixture after tile two": 3.556}, "That is the output"),
        "not rounded": ({"output": 32 / 9}, None),
    },
    "sdpa_traps": {
        "is_causal believed": ({"keys seen by the newest query": 8}, "counts queries from 0"),
        "True hides": ({"keys with weight, padding as it is": 6}, "`True` means *look*"),
        "numbers hide": ({"keys with weight, padding as numbers": 6}, "Only −∞ hides"),
        "eval reaches it": ({"weights set to 0, of 1000": 0}, "nobody told it"),
        "as counted in a run": ({"weights set to 0, of 1000": 103}, None),
        "a run with less luck": ({"weights set to 0, of 1000": 78}, None),
        "far too few": ({"weights set to 0, of 1000": 60}, "60 is not right"),
        "the share": ({"weights set to 0, of 1000": 0.1}, "How many is it, of 1000?"),
        "a word for a truth value": ({"a mask that learns is fused": "no"}, "expected `True` or `False`"),
    },
}


@pytest.mark.parametrize(
    ("name", "changed", "words"),
    [pytest.param(n, *made, id=f"{n}: {says}") for n, slips in ANSWERS.items() for says, made in slips.items()],
)
def test_each_answer_gets_its_reply(name, changed, words):
    pytest.importorskip("torch")
    task = CH09[name]
    result = task.check({**task.expected(), **changed})
    assert result.passed if words is None else words in repr(result) and not result.passed, result


def test_what_the_fused_kernel_takes_is_what_the_answer_says():
    torch = pytest.importorskip("torch")
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def is_fused(mask):
        q = torch.zeros(2, 3, 8, 8)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)
            except RuntimeError:
                return False
        return True

    said = CH09["sdpa_traps"].expected()
    assert is_fused(torch.zeros(2, 3, 8, 8)) and is_fused(torch.zeros(8, 8))
    assert is_fused(torch.zeros(2, 3, 8, 8, requires_grad=True)) == said["a mask that learns is fused"]
    assert is_fused(torch.zeros(3, 8, 8)) == said["a fixed mask of three axes is fused"]
