"""Questions about positions in pictures: Swin, axial RoPE, M-RoPE."""

import numpy as np

from course_lib.reference import axial_rope, rope
from course_lib.reference.attention import scores
from course_lib.reference.axial_rope import axial, grid_positions, mrope, text_positions
from course_tasks.questions.form import claim, judged, question


@claim(
    "Read line by line, an image is a sequence: the offset in the list tells where a patch is.",
    "In an image of four by four patches, {several} of the {all} offsets in the list are two different offsets in the "
    "image. One place on is the next patch to the right, or the first of the next line. So no bias by list offset, "
    "and no RoPE over the list, can tell these apart.",
    "run: all pairs of sixteen patches",
)
def list_offsets_are_enough():
    place = grid_positions(4, 4)
    i, j = np.divmod(np.arange(16 * 16), 16)
    offsets = np.column_stack([j - i, place[j] - place[i]])  # in the list, in rows, in columns
    _, places = np.unique(np.unique(offsets, axis=0)[:, 0], return_counts=True)
    return judged(places.max() == 1), {"all": places.size, "several": np.sum(places > 1)}


@claim(
    "With axial RoPE, positions reach the scores only as offsets in row and column.",
    "Move an image by three rows and five columns: the rotated queries change by up to {queries:.2f}, the scores by "
    "{scores:.2g}. Half of the pairs rotate by the row and half by the column, so each half is plain RoPE along "
    "its axis.",
    "run: nine random patches of sixteen channels; Heo et al. 2024, axial frequencies",
)
def axial_is_relative():
    q, k = np.random.default_rng(0).normal(size=(2, 9, 16))
    here = grid_positions(3, 3)
    before, after = (
        [axial_rope.rotate(x, place, *axial(16)) for x in (q, k)] for place in (here, here + np.array([3, 5]))
    )
    moved = abs(scores(*after) - scores(*before)).max().round(6)
    return judged(moved < 1e-6), dict(queries=abs(after[0] - before[0]).max(), scores=moved)


@claim(
    "A text without pictures is read by M-RoPE exactly as by RoPE.",
    "Ten rotated queries differ by up to {words:.2g} if all are words, because a word has the same number for time, "
    "row and column. With a picture of two by two tokens among them they differ by up to {around:.2f}.",
    "run: random queries, sections of Qwen2-VL; Wang et al. 2024, “Multimodal Rotary Position Embedding (M-RoPE)”",
)
def mrope_reads_words():
    q, sections = np.random.default_rng(0).normal(size=(10, 128)), (16, 24, 24)

    def differ(text):
        turned = axial_rope.rotate(q, text_positions(text), *mrope(128, sections))
        return abs(turned - rope.rotate(q)).max().round(9)

    words, around = differ([10]), differ([3, (2, 2), 3])
    return judged(words < 1e-9), dict(words=words, around=around)


@claim(
    "M-RoPE treats time, rows and columns alike.",
    "In Qwen2-VL, pairs are dealt in blocks. The fastest pair of time rotates at speed {blocks[0]:.1f}, that of rows at "
    "{blocks[1]:.2f}, and that of columns at {blocks[2]:.4f}: neighbouring columns look nearly the same. Qwen3-VL "
    "deals the pairs one by one, and the fastest rotate at {dealt[0]:.1f}, {dealt[1]:.2f} and {dealt[2]:.2f}.",
    "run: the speeds of both; Wang et al. 2024 (Qwen2-VL); Huang et al. 2025, arXiv 2510.23095",
)
def axes_alike():
    def fastest(axis, speeds):
        return [speeds[axis == a].max() for a in range(3)]

    blocks, dealt = fastest(*mrope(128, (16, 24, 24))), fastest(*mrope(128, (24, 20, 20), interleaved=True))
    return judged(*(max(speeds) < 2 * min(speeds) for speeds in (blocks, dealt))), dict(blocks=blocks, dealt=dealt)


@question(
    "Swin, windows of 7 × 7 patches, 4 heads. How many numbers does the bias table of a layer hold?",
    {
        "196": "A number per patch and head. The table is about pairs, by their two offsets.",
        "676": "Yes: {axis} offsets per axis, {axis}² pairs of them, 4 heads.",
        "9,604": "A number per pair of patches. Pairs with the same two offsets share one.",
        "104": "One number per row offset and one per column offset. The table has one for each combination.",
    },
)
def window_table():
    from course_lib.nn.window import WindowAttention

    table = WindowAttention(8, 4, window=7).table
    return table.numel(), dict(axis=round(len(table) ** 0.5))


@question(
    "All patches have the same content. Which of these can no head with axial RoPE do?",
    {
        "Prefer the key one up and one to the left to all others around it": "The best row part and the best column "
        "part, each by itself, can both be at −1.",
        "Prefer both keys of one diagonal to both of the other": "Yes: both diagonals have the same sum of scores, "
        "because each takes every row part and every column part once.",
        "Prefer the keys in its own row to those in other rows": "It can: the row part is largest at 0, and the column "
        "parts are equal.",
    },
)
def out_of_reach():
    parts = np.random.default_rng(0).normal(size=(2, 1000, 3)) * [[[1]], [[0.1]]]  # of 1,000 heads, at −1, 0 and +1
    s = parts[0][:, :, None] + parts[1][:, None]
    others = np.delete(s.reshape(-1, 9), 0, axis=1).max(axis=1)
    can = {
        "Prefer the key": (s[:, 0, 0] > others).any(),
        "Prefer both": (s[:, [0, 2], [0, 2]].min(axis=1) > s[:, [0, 2], [2, 0]].max(axis=1)).any(),
        "Prefer the keys": (s[:, 1].min(axis=1) > s[:, ::2].max(axis=(1, 2))).any(),
    }
    (never,) = (way for way, found in can.items() if not found)
    return never


@question(
    "A picture has ten patches a row, numbered line by line, and the layer uses axial RoPE. If contents are equal, "
    "which pair has the same score as 12 → 23?",
    {
        "19 → 30": "The list offset is {offset} again, but this pair leads two rows down and nine columns to the left.",
        "23 → 12": "The distance is the same in the other direction, and RoPE tells directions apart.",
        "12 → 21": "That is one down and one to the left. Each axis has its own pairs, and the column's sign differs.",
        "45 → 56": "Yes: both lead one row down and one column to the right.",
    },
)
def same_offset():
    q, k = np.random.default_rng(0).normal(size=(2, 16))
    place = grid_positions(7, 10)
    score = scores(*(axial_rope.rotate(np.tile(x, (70, 1)), place, *axial(16)) for x in (q, k)))
    pairs = [(19, 30), (23, 12), (12, 21), (45, 56)]
    (same,) = (f"{i} → {j}" for i, j in pairs if np.isclose(score[i, j], score[12, 23]))
    return same, dict(offset=23 - 12)


@question(
    "M-RoPE numbers a text from 0: three words, a picture of 4 × 6 tokens, then words again. Which position does the "
    "first word after the picture get?",
    {
        "27": "That counts tokens. A picture takes fewer positions than it has tokens.",
        "4": "All its tokens do share the time {time}, but their rows and columns go on from there, up to {column}.",
        "9": "Yes: the largest number so far is {column}, that of the last column, and the word gets one more.",
        "7": "The rows end at {row}. The columns are longer and end at {column}.",
    },
)
def after_picture():
    *picture, word = text_positions([3, (4, 6), 1])[3:]
    time, row, column = np.max(picture, axis=0)
    return word[0], dict(time=time, row=row, column=column)
