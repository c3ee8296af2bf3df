"""Questions about positions in pictures: Swin, axial RoPE, M-RoPE."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_lib.reference import axial_rope
from course_lib.reference.attention import scores
from course_lib.reference.axial_rope import axial, grid_positions, text_positions


@claim(
    "In M-RoPE, a picture of 30 × 40 tokens takes as many positions as 1,200 words.",
    "The word after 1,200 words gets position {words:,}, and after the picture {picture}. Rows and columns start at "
    "the same number, so the longer side decides where the text goes on.",
    "run: the course's text_positions; Wang et al. 2024, “Multimodal Rotary Position Embedding (M-RoPE)”",
)
def picture_takes_few_positions():
    words, picture = (int(text_positions([part, 1])[-1, 0]) for part in (1200, (30, 40)))
    return judged(words == picture), dict(words=words, picture=picture)


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
