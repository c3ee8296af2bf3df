# %% [markdown]
# # [[title]]
#
# In a sentence, one number says where a key is: the offset $j - i$. In an image it takes two: how many rows down, and
# how many columns to the right. Swin, a vision transformer, learns a number for each pair of offsets and adds it to the
# score.
#
# **You will be able to**
# - derive the row of Swin's bias table that any pair of patches takes;
# - rotate queries and keys by row and column (axial RoPE), and say what such a head cannot look for;
# - decide what to do with a table, or with positions, when the window or the grid grows.
#
# **You need** chapters [[bias_by_hand|#]] (bias) and [[rope|#]] (RoPE), and a little torch. **Time** [[time]].

# %%
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np

from course_kit import figures

np.set_printoptions(precision=4, suppress=True)
figures.attention_block("Swin")

# %% [markdown]
# ## Patches and windows
#
# Our image is a house on a hill:

# %%
def house(size=32):
    """A house on a hill under the sun: (size, size, 3), red, green and blue from 0 to 1."""
    y, x = np.mgrid[:size, :size] / size
    image = np.full((size, size, 3), (0.55, 0.75, 0.95))
    image[(x - 0.78) ** 2 + (y - 0.2) ** 2 < 0.014] = 1.0, 0.85, 0.2
    image[y > 0.72 - 0.1 * np.sin(5 * x - 1)] = 0.3, 0.6, 0.25
    image[(abs(x - 0.36) < 0.17) & (y > 0.5) & (y < 0.82)] = 0.8, 0.45, 0.3
    image[(y > 0.3) & (y <= 0.5) & (abs(x - 0.36) < 1.1 * (y - 0.28))] = 0.5, 0.15, 0.15
    return image


image = house()
assert image.shape == (32, 32, 3)  # height, width, colours

# %% [markdown]
# A vision transformer cuts the image into small squares, the **patches**, and makes each a token. Swin's have 4 × 4
# pixels (Liu et al. 2021, section 3.1), so our image has 8 × 8 patches. Attention's cost grows with the square of the
# number of tokens, so Swin computes attention only inside **windows** of $W \times W$ patches; we take $W = 4$.

# %%
def patch_colours(image):
    """The mean colour of each patch of 4 × 4 pixels."""
    n = len(image) // 4
    return image.reshape(n, 4, n, 4, 3).mean(axis=(1, 3))


def show(pictures, alt, borders=(4,), size=8):
    """Pictures beside each other, by title; the axes count patches, the white lines are the borders of windows."""
    fig, axes = plt.subplots(1, 2, figsize=(5, 2.2))
    for ax, (title, picture) in zip(axes, pictures.items()):
        ax.imshow(np.clip(picture, 0, 1), extent=(0, size, size, 0))
        ax.hlines(borders, 0, size, color="white", linewidth=2)
        ax.vlines(borders, 0, size, color="white", linewidth=2)
        ax.set_title(title)
    return figures.show(fig, alt=alt)


# %%
colours = patch_colours(image)
assert np.allclose(colours[2, 5], image[8:12, 20:24].mean(axis=(0, 1)))
alt = "A house on a hill under the sun, as pixels and as patches, in four windows"
show({"32 × 32 pixels": image, "8 × 8 patches": colours}, alt)

# %% [markdown]
# Inside a window the patches become a list, read row by row. The course's `partition` makes these lists, and `reverse`
# undoes it. Here is an image of 4 × 4 patches, and its windows of 2 × 2:

# %%
from course_lib.reference.window import partition, reverse

small = np.arange(16).reshape(4, 4)
print(small)
by_window = dict(rows=[f"window {k}" for k in range(4)], columns=[f"place {k}" for k in range(4)])
figures.heatmap(partition(small[..., None], 2)[..., 0], **by_window, alt="The patches of each window")

# %% [markdown]
# ## Why one offset is not enough
#
# In a window of 4 × 4, the offsets $j - i$ run from $-15$ to $15$. Is one number for each enough?

# %% tags=["hide-input"]
# @title Question
row, column = np.divmod(np.arange(16), 4)
steps = set(zip(np.diff(row).tolist(), np.diff(column).tolist()))  # from each patch to the next in the list
figures.question(
    "In a window of 4 × 4 patches, read row by row, which keys are at offset j − i = +1?",
    options={
        "Always the patch to the right":
            "For most queries, yes. What comes after patch 3, the last of row 0?",
        "The patch to the right, or the first patch of the next row":
            "Yes: from patch 3 to patch 4 it is one row down and three columns to the left.",
        "The patch to the right and the patch below":
            "The patch below is W = 4 places further in the list: offset +4.",
    },
    answer="The patch to the right, or" if steps == {(0, 1), (1, -3)} else "Always the patch",
)

# %%
W = 4
row, column = np.divmod(np.arange(W * W), W)
print("row   ", row)
print("column", column)
steps = {}
for i in range(W * W):
    for j in range(W * W):
        steps.setdefault(j - i, set()).add((int(row[j] - row[i]), int(column[j] - column[i])))

for offset in (0, 1, 3, 4, 12):
    print(f"offset {offset:+3}: (Δrow, Δcolumn) =", *sorted(steps[offset]))
assert steps[1] == {(0, 1), (1, -3)}

# %% [markdown]
# One number for both *right neighbour* and *three to the left, one down* would mix what a picture keeps apart. So we
# keep two offsets, **Δrow** and **Δcolumn**, each key minus query.
#
# ## A 2 × 2 window by hand
#
# Patches 0 and 1 are in the upper row, 2 and 3 below. These are all pairs (Δrow, Δcolumn):

# %%
print(" " * 9 + "  ".join(f"key {j}   " for j in range(4)))
for i in range(4):
    (ri, ci), line = divmod(i, 2), []
    for j in range(4):
        rj, cj = divmod(j, 2)
        line.append(f"({rj - ri:+d}, {cj - ci:+d})".replace("+0", " 0"))
    print(f"query {i}:", "  ".join(line))

# %% [markdown]
# Each axis has the offsets $-1$, $0$ and $+1$, so there are $3 \cdot 3 = 9$ pairs of offsets. In a window of
# $W \times W$, each axis has $2W - 1$ offsets. So Swin's **table** has $(2W - 1)^2$ rows, one for each pair of offsets,
# and a column for each head. All windows of a layer share it.
#
# ## The index, derived
#
# Which *table row* does a pair of offsets take? We arrange the pairs in a square and number them line by line:

# %%
square = np.arange(9).reshape(3, 3)
assert square[+1 + 1, -1 + 1] == 6  # Δrow = +1, Δcolumn = −1
signs = ["−1", "0", "+1"]
figures.heatmap(square, rows=signs, columns=signs, corner="Δrow ↓ Δcolumn →", alt="Table row of each pair of offsets")

# %% [markdown]
# So the table row of a pair is the number of cells before it:
#
# 1. The first line has Δrow $= -(W - 1)$, so Δrow $+\, W - 1$ lines come before ours. Each has $2W - 1$ cells.
# 2. In our line, Δcolumn $+\, W - 1$ cells come before ours.
#
# $$\text{index} = (\text{Δrow} + W - 1)\,(2W - 1) + (\text{Δcolumn} + W - 1)$$
#
# Which table row do query 1 (upper right) and key 2 (lower left) take?

# %%
(r1, c1), (r2, c2) = divmod(1, 2), divmod(2, 2)
down, right = r2 - r1, c2 - c1
print(f"Δrow = {r2} − {r1} = {down:+d}, Δcolumn = {c2} − {c1} = {right:+d}")
print(f"lines before: {down} + 1 = {down + 1}, cells before in the line: {right} + 1 = {right + 1}")
print(f"table row {down + 1} · 3 + {right + 1} = {(down + 1) * 3 + right + 1}")

# %% [markdown]
# Now all pairs, compared with the course's `window_index`:

# %%
from course_lib.reference.window import window_bias, window_index


def index_of_pair(i, j, W):
    """The table row of query patch i and key patch j in a window of W × W."""
    (ri, ci), (rj, cj) = divmod(i, W), divmod(j, W)
    return (rj - ri + W - 1) * (2 * W - 1) + (cj - ci + W - 1)


for W in (2, 3, 7):
    by_loop = [[index_of_pair(i, j, W) for j in range(W * W)] for i in range(W * W)]
    assert np.array_equal(by_loop, window_index(W))

# %% [markdown]
# Here is a window of 3 × 3. Point at a key to see its calculation, and click it to make it the query. How do the nine
# coloured table rows move with the query?

# %%
assert window_index(3)[4].tolist() == [6, 7, 8, 11, 12, 13, 16, 17, 18]
figures.window_index()

# %% [markdown]
# They form a square. If the query moves right, its keys are farther to its left, so the square slides left.
#
# ## A bias you can see
#
# Let all content scores be 0, and make the number for *one row up*, $(-1, 0)$, large. Then each patch should take the
# colour of the patch above it. What do the patches at the upper border of a window take?

# %%
from course_lib.reference.attention import attention

W = 4
up = np.zeros((2 * W - 1, 2 * W - 1))
up[-1 + W - 1, 0 + W - 1] = 20.0
above = window_bias(up.reshape(-1, 1), W)[0]

values = partition(colours, W)
nothing = np.zeros((4, 16, 1))
output, _ = attention(nothing, nothing, values, bias=above)
moved = reverse(output, 8, 8)
assert np.allclose(moved[1:4], colours[:3])
assert np.allclose(moved[0, :4], colours[:4, :4].mean(axis=(0, 1)))
show({"patches": colours, "the patch above": moved}, "Each window has moved down by one patch")

# %% [markdown]
# The picture has moved down by one patch *in each window*. The patches at the upper border find nothing above them, so
# they average all sixteen.
#
# In torch, `WindowAttention` is Swin's attention layer. With our table, and without content scores, it should move the
# picture as well.

# %%
import torch

from course_lib.nn.window import WindowAttention

layer = WindowAttention(d_model=3, n_heads=1, window=W).double()
layer.table.data = torch.from_numpy(up.reshape(-1, 1))
torch.nn.init.zeros_(layer.query.weight)  # all content scores are 0
for matrix in (layer.value, layer.out):
    torch.nn.init.eye_(matrix.weight)  # the colours pass unchanged
assert np.allclose(layer(torch.from_numpy(colours)[None])[0].detach(), moved)

# %% [markdown]
# ## Rotating by two axes
#
# **Axial RoPE** rotates half of the pairs of channels by the row and the other half by the column (Heo et al. 2024).
# With eight channels, each axis gets two pairs, with the speeds 1 and 0.01:

# %%
from course_lib.reference.axial_rope import axial, grid_positions, rotate

axis, speeds = axial(8)  # which axis each pair rotates by, and how fast
position = grid_positions(3, 3)  # (row, column) of the nine patches, line by line
print("patch 5 is at", position[5], "and its pairs rotate by", position[5][axis] * speeds)

# %% [markdown]
# As in [[rope|chapter #]], we make a head that looks for an offset. All queries and keys are the same vector, but each
# key is rotated as if it were one row lower and one column further right. So each query should give its highest score
# to the key one row up and one column to the left.


# %%
def score_above_left(size, scale=1):
    """The scores (size², size²) of a head tuned to one up and one left; positions are multiplied by `scale`."""
    position, ones = scale * grid_positions(size, size), np.ones((size * size, 32))
    return rotate(ones, position, *axial(32)) @ rotate(ones, position + 1, *axial(32)).T


for size in (4, 8, 16):
    patch = np.arange(size * size).reshape(size, size)[1:, 1:].ravel()  # the others have no such neighbour
    best = score_above_left(size)[patch].argmax(axis=1)
    print(f"{size:2} × {size:2} patches: {np.mean(best == patch - size - 1):.0%} look one up and one to the left")
    assert (best == patch - size - 1).all()

# %% [markdown]
# ## What axial RoPE cannot look for
#
# Can a head look along a *diagonal*, that is, prefer the keys at $(-1, -1)$ and $(+1, +1)$ to those at $(-1, +1)$ and
# $(+1, -1)$? With Swin's table it can, because each of them has its number. Now take axial RoPE, with the same content
# in all patches. A score is a sum over pairs of channels. Half of them see only Δrow, the others only Δcolumn:
#
# $$s(\text{Δrow}, \text{Δcolumn}) = f(\text{Δrow}) + g(\text{Δcolumn})$$
#
# What does this mean for the sums over the two diagonals? We try a random query and key. We take the middle column as
# $f$, and the middle row as $g$, minus its centre, which $f$ already contains.

# %%
position, (query, key) = grid_positions(5, 5), np.random.default_rng(0).normal(size=(2, 8))
q, k = (rotate(np.tile(content, (25, 1)), position, axis, speeds) for content in (query, key))
s = (q[12] @ k.T).reshape(5, 5)[1:4, 1:4]  # of the patch in the middle, for the offsets −1, 0 and +1
f, g = s[:, [1]], s[[1]] - s[1, 1]
assert np.allclose(s, f + g)
print(f"(−1, −1) {s[0, 0]:.4f}, (+1, +1) {s[2, 2]:.4f}, together {s[0, 0] + s[2, 2]:.4f}")
print(f"(−1, +1) {s[0, 2]:.4f}, (+1, −1) {s[2, 0]:.4f}, together {s[0, 2] + s[2, 0]:.4f}")

# %% [markdown]
# Both sums are $f(-1) + f(+1) + g(-1) + g(+1)$, whatever query and key are. A head that prefers both keys of one
# diagonal would need a larger sum there. So, with equal content, **no such head exists**.
#
# In torch, `AxialRoPE` is the position of a layer. With the identity as its matrices, the layer should give our scores,
# divided by $\sqrt d$.

# %%
from course_lib.nn.axial_rope import AxialRoPE
from course_lib.nn.layer import RelativeAttention

layer = RelativeAttention(d_model=8, n_heads=1, position=AxialRoPE(8, position)).double()
for matrix in (layer.query, layer.key):
    torch.nn.init.eye_(matrix.weight)
queries, keys = (torch.tensor(content).repeat(1, 25, 1) for content in (query, key))
assert np.allclose(layer.scores(queries, keys)[0, 0, 12].detach(), q[12] @ k.T / np.sqrt(8))

# %% [markdown]
# ## When the window grows
#
# A larger picture only has more windows (and a border of padding, if $W$ does not divide its size). But Swin's authors
# also train models with a larger *window* (12 instead of 7). Say that $W$ grows from 4 to 8. The window may now show
# **more of the scene**, with objects of the same size, or **the same scene, sampled more finely**, where each object
# covers more patches:

# %%
wider, finer = np.tile(house(32), (2, 2, 1)), house(64)
assert wider.shape == finer.shape == (64, 64, 3)
alt = "Both have 16 × 16 patches: four houses of the old size, and one house twice as large"
pictures = {"more of the scene": patch_colours(wider), "the same, finer": patch_colours(finer)}
show(pictures, alt, borders=(8,), size=16)

# %% [markdown]
# The table has $7^2 = 49$ rows, and the new one needs $15^2$. We compare two ways to fill it:
#
# - **keep**: every old pair of offsets keeps its number, and new ones get the smallest number;
# - **stretch**: the table is enlarged smoothly, like a picture (bicubic interpolation), so that the number of an offset
#   moves to twice the offset. This gives $13 \times 13$ rows; the border around them gets the smallest number.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A head looks one patch up in the picture of 32 × 32 pixels. Now it gets the same scene with 64 × 64 pixels, and "
    "windows of 8 × 8. Which way of filling the table fits?",
    options={
        "keep": "The number stays at (−1, 0). But what was one patch up is now two patches up.",
        "stretch": "Yes: all offsets in the scene have doubled, and so have those of the table.",
        "Neither, it must be trained again":
            "Swin's authors do train further, but they begin with an enlarged table.",
    },
    answer="stretch",
)

# %%
from torch import nn

from course_lib.reference.attention import softmax


def enlarged(table, size, **how):
    picture = torch.from_numpy(table)[None, None]
    return nn.functional.interpolate(picture, size=(size, size), mode="bicubic", **how)[0, 0].numpy()


def weight_up(table, rows):
    """The mean weight on the patch so many rows up, in a window of 8 × 8, for the queries that have one."""
    weights, queries = softmax(window_bias(table.reshape(-1, 1), 8)[0]), np.arange(rows * 8, 64)
    return weights[queries, queries - rows * 8].mean()

# %%
three_up = np.roll(up, -2, axis=0)  # up is the table of “A bias you can see”
for rows, table in {1: up, 3: three_up}.items():
    keep = weight_up(np.pad(table, 4), rows)
    stretch = weight_up(np.pad(enlarged(table, 13, align_corners=True), 1), 2 * rows)
    at_once = weight_up(enlarged(table, 15), 2 * rows)  # from 7 × 7 to 15 × 15, as Swin's authors do
    print(f"{rows} up: keep puts {keep:.2f} on {rows} up, stretch {stretch:.2f} on {2 * rows} up,", end=" ")
    print(f"15 × 15 at once {at_once:.2f} on {2 * rows} up")
    assert min(keep, stretch) > 0.99
assert at_once < 0.6

# %% [markdown]
# With *keep* the head looks as many patches up as before, which is right for more of the scene. With *stretch* it looks
# twice as many up, which is right for finer sampling. If the table is enlarged to 15 × 15 at once, the factor is 15/7,
# not 2. This hardly matters for the head that looked one up. The head that looked three up gives only half of its
# weight to the patch six up.
#
# ## When the grid grows
#
# Axial RoPE has no table to fill. If a picture has more patches (a larger **grid**), the new rows and columns get the
# next numbers, so every offset keeps its score. Our head looked one up and one to the left. Where does it look if we
# divide all positions by 2?

# %% tags=["hide-output"]
for scale in (1, 1 / 2):
    best = score_above_left(16, scale)[8 * 16 + 8].argmax()  # of the patch in row 8, column 8
    row, column = divmod(int(best), 16)
    print(f"positions times {scale}: the head looks {8 - row} up and {8 - column} to the left")
assert (row, column) == (6, 6)

# %% [markdown]
# So dividing the positions by 2 is *stretch*, and leaving them is *keep*. Trained models differ, even for the same
# scene sampled more finely. DINOv3 *stretches*. Heo et al. *keep*, although no training picture had offsets as large as
# the new ones. BEiT's code mixes both: near offsets keep their numbers, and far ones are stretched.
#
# ## Remember
#
# - In an image a bias needs two offsets. Swin's index numbers the $(2W - 1)^2$ pairs of them line by line.
# - Axial RoPE rotates half of the pairs by row and half by column. With equal content its score is a row part plus a
#   column part, so it cannot prefer both ends of one diagonal.
# - When the *window* grows, or with axial RoPE the *grid*, *keep* fits more of the scene, and *stretch* fits finer
#   sampling. To stretch, enlarge the table, or divide the positions. Trained models differ, so measure.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A window has 5 × 5 patches. Which row of the table belongs to offset (0, 0)?",
    options={
        "0": "Row 0 is the first of the square: offset (−4, −4).",
        "12": "That is the middle of the window. The table is a square of 9 × 9.",
        "40": "Yes: (0 + 4) · 9 + (0 + 4), the middle of 81 rows.",
        "81": "There are 81 rows, numbered 0 to 80.",
    },
    answer=window_index(5)[12, 12],
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
s_up, s_left, s_self = 3, 2, 1  # s(−1, 0), s(0, −1) and s(0, 0)
figures.question(
    "An axial RoPE head, with equal content everywhere, has s(0, 0) = 1, s(−1, 0) = 3 and s(0, −1) = 2. What is "
    "s(−1, −1)?",
    options={
        "5": "The sum of the two contains f(0) + g(0) = 1, which s(−1, −1) does not.",
        "4": "Yes: s(−1, 0) + s(0, −1) − s(0, 0) = f(−1) + g(−1).",
        "It cannot be known": "For a table it could be any number. Here it is f(−1) + g(−1).",
    },
    answer=f"{s_up + s_left - s_self}",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
position, ones = grid_positions(16, 8) / [2, 1], np.ones((128, 32))
scores = rotate(ones, position, *axial(32)) @ rotate(ones, position + 1, *axial(32)).T
up_by, left_by = np.subtract(divmod(8 * 8 + 4, 8), divmod(int(scores[8 * 8 + 4].argmax()), 8))
figures.question(
    "Axial RoPE, the head that looks one up and one to the left. The same scene is sampled twice as finely, but only "
    "from top to bottom, and you divide the row positions by 2. Where does the head look?",
    options={
        "One up and one to the left": "That would be right without the division.",
        "Two up and two to the left": "The columns were not divided, and each axis has its own pairs.",
        "Two up and one to the left": "Yes: one step of the old rows is two of the new ones. The columns stay.",
    },
    answer={(2, 1): "Two up and one", (2, 2): "Two up and two", (1, 1): "One up"}[int(up_by), int(left_by)],
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]. The bug hunt needs *Deeper · Shifted windows*.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Words and pictures in one text
#
# In the **M-RoPE** (multimodal RoPE) of Qwen2-VL, a token has three positions: time, row and column (Wang et al. 2024).
# Each pair of channels rotates by one of them. A word has the same number on all three. After two words, a picture of
# 2 × 2 patches gets (2, 2, 2), (2, 2, 3), (2, 3, 2) and (2, 3, 3): one time for all, and rows and columns that count
# from it. The next word gets the largest number so far plus one, here 4.

# %%
from course_lib.reference.axial_rope import text_positions

place = text_positions([2, (2, 2), 2])
tokens = ["word"] * 2 + ["picture"] * 4 + ["word"] * 2
alt = "Time, row and column of the eight tokens"
figures.heatmap(place.T, rows=["time", "row", "column"], columns=tokens, alt=alt, digits=0)

# %% [markdown]
# A word has the same position on all three axes. So among words, M-RoPE should rotate as RoPE does. We compare two
# layers with the same matrices.

# %%
from course_lib.nn.axial_rope import MRoPE
from course_lib.nn.rope import RoPE

by_rope = RelativeAttention(8, 1, position=RoPE(8))
by_mrope = RelativeAttention(8, 1, position=MRoPE(8, place, sections=(2, 1, 1)))
by_mrope.load_state_dict(by_rope.state_dict())
x = torch.ones(1, 8, 8)
plain, mixed = (layer.scores(x)[0, 0].detach() for layer in (by_rope, by_mrope))
for words in (slice(0, 2), slice(6, 8)):  # before the picture, and after it
    assert np.allclose(plain[words, words], mixed[words, words], atol=1e-6)
assert not np.isclose(plain[6, 0], mixed[6, 0])
assert place[2:6].tolist() == [[2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3]] and place[6, 0] == 4

# %% [markdown]
# They agree between the two words before the picture, and between the two after it. From the first word to the first
# one after the picture, M-RoPE counts four positions, and RoPE six. (V-JEPA 2, for video, rotates by three axes, too:
# frame, row and column.)
#
# ## Deeper · Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("two_dimensions")

# %% [markdown]
# ## Deeper · Shifted windows
#
# In a layer with windows, neighbours on different sides of a border do not meet. So Swin alternates plain windows with
# **shifted windows**, whose borders are moved by $\lfloor W / 2 \rfloor$ down and right (section 3.2). Are any adjacent
# patches separated by both kinds of windows?

# %%
def windows_of(shift, n=8, W=4):
    """For each patch the window it belongs to, when all borders are moved by shift."""
    band = (np.arange(n) - shift) // W
    return 10 * band[:, None] + band


separated = []
for shift in (0, 2):
    of = windows_of(shift)
    below, beside = of[1:] != of[:-1], of[:, 1:] != of[:, :-1]
    separated.append(np.append(below, beside))
    pairs = f"{separated[-1].sum()} of {separated[-1].size} pairs of neighbours"
    print(f"shift {shift}: {len(np.unique(of))} pieces, {pairs} separated")
assert not (separated[0] & separated[1]).any()  # no pair is separated both times

# %% [markdown]
# No pair is separated by both. But the moved borders cut the image into nine pieces of different sizes. So Swin *rolls*
# the image: what leaves at the left returns at the right, and plain windows fit again. Here is the smallest case:

# %%
rolled = partition(np.roll(small, (-1, -1), (0, 1))[..., None], 2)[..., 0]
assert rolled[3].tolist() == [15, 12, 3, 0]
figures.heatmap(rolled, **by_window, alt="The patches of each window after the roll")

# %% [markdown]
# Window 0 is what we wanted: 5, 6, 9, 10, across the old borders. But in window 3 the four corners of the image have
# met. The **mask** hides them from each other: a patch sees only its own piece. The next picture has larger windows.
# Point at a corner patch. What does it see?

# %%
from course_lib.reference.window import shift_mask

assert shift_mask(8, 8, 4, 2).sum() == 576
figures.shifted_windows(4, shift=2)

# %% [markdown]
# A corner patch sees only the four patches of its own corner.
#
# How do we compute the mask? The roll brings the first `shift` rows to the bottom, and the first columns to the right.
# We label each patch by two facts: was it moved with these rows, and was it moved with these columns? Two patches of a
# window see each other if both agree.


# %%
def mask_by_sides(n, W, shift):
    """(windows, W², W²): True where two patches of a window have the same labels."""
    crossed = np.arange(n) < shift  # in the image before the roll
    side = 2 * crossed[:, None] + crossed
    in_windows = partition(np.roll(side, (-shift, -shift), (0, 1))[..., None], W)[..., 0]
    return in_windows[:, :, None] == in_windows[:, None, :]


for size in (2, 3, 4, 7):
    for n, shift in [(times * size, shift) for times in (1, 2, 3) for shift in range(size)]:
        assert np.array_equal(mask_by_sides(n, size, shift), shift_mask(n, n, size, shift))
print("equal to the library's mask")

# %% [markdown]
# A whole layer rolls, attends in windows with the mask, puts the windows together and **rolls back**. Here each patch
# takes the one above:

# %%
def attend_shifted(image, W, shift, bias):
    """One layer in shifted windows, with equal content everywhere."""
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), W)
    nothing = np.zeros((*v.shape[:2], 1))
    output, _ = attention(nothing, nothing, v, bias=bias, mask=shift_mask(height, width, W, shift))
    return np.roll(reverse(output, height, width), (shift, shift), (0, 1))


shifted = attend_shifted(colours, 4, 2, above)
assert np.allclose(shifted[1], colours[0]) and np.allclose(shifted[3:6], colours[2:5])
alt = "Taking the patch above in windows shifted by 2: nothing is above rows 0, 2 and 6"
show({"patches": colours, "the patch above": shifted}, alt, borders=(2, 6))

# %% [markdown]
# Row 4, which found nothing above it in plain windows, now takes the colours of row 3. If you forget to roll back,
# nothing fails, but the layer's output is added to the wrong patches.
#
# ## Deeper · −100 is not −∞
#
# Swin's code hides a key by *adding* $-100$ to its score (`SwinTransformerBlock`), in both versions. But in the second
# version, scores may reach 100, because the cosine of query and key is divided by a learned number of at least 0.01
# (Liu et al. 2022, section 3.2). Hide a key with cosine 1 beside a visible one with $-0.5$:

# %%
cosine, visible = np.array([1.0, -0.5]), np.array([False, True])
score = cosine / 0.01
added = np.exp(score - 100 * ~visible)
print("scores, −100 added:", score - 100 * ~visible, "weights", added / added.sum())
_, masked = attention([[1.0]], score[:, None], np.eye(2), scale=1.0, mask=visible)
print("scores, −∞ instead:", np.where(visible, score, -np.inf), "weights", masked[0])
assert added[0] / added.sum() > 0.99 and masked[0, 0] == 0

# %% [markdown]
# The hidden key takes all the weight. Set hidden scores to $-\infty$ instead.
#
# ## Deeper · Toeplitz blocks
#
# In one dimension a bias by offset is **Toeplitz**: equal along each diagonal. In two, `to_grid`
# ([[diagonals|chapter #]]) puts each line of the table on the diagonals of a block, and the blocks go on the diagonals
# of a grid of blocks:

# %%
from course_lib.reference.grid import to_grid

W = 3
T = np.arange(25.0).reshape(5, 5)  # T[Δrow + W − 1, Δcolumn + W − 1]: the table's own row numbers
block = [to_grid(line[None], W) for line in T]
bias = np.block([[block[rj - ri + W - 1] for rj in range(W)] for ri in range(W)])
assert np.array_equal(bias, window_bias(T.reshape(-1, 1), W)[0])  # one column: a table for one head

places = [f"({r}, {c})" for r in range(W) for c in range(W)]
axes = dict(rows=places, columns=places, corner="query ↓ key →")
figures.heatmap(bias.astype(int), **axes, alt="Table row of each pair, 3 × 3 window, made of 3 × 3 blocks")

# %% [markdown]
# This is the bias, made without the formula for the index.
#
# ## Deeper · The released code
#
# Does the code of `transformers` compute what our layer does? It counts *query minus key*, so the rows of a published
# table must be **flipped** end to end. We load our weights, with the table flipped, into its `SwinLayer`
# (`models/swin/modeling_swin.py`):

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers import SwinConfig
    from transformers.models.swin.modeling_swin import SwinLayer

    torch.manual_seed(0)
    ours = WindowAttention(d_model=48, n_heads=2, window=4, shift=2)
    config = SwinConfig(window_size=4, qkv_bias=False, attn_implementation="eager")
    theirs = SwinLayer(config, dim=48, input_resolution=(8, 8), num_heads=2, shift_size=2)
    theirs.layernorm_before = nn.Identity()  # what remains: x + attention
    theirs.mlp.load_state_dict({name: torch.zeros_like(x) for name, x in theirs.mlp.state_dict().items()})
    names = dict(q_proj=ours.query, k_proj=ours.key, v_proj=ours.value, o_proj=ours.out)
    weights = {f"{name}.weight": part.weight for name, part in names.items()} | {"o_proj.bias": torch.zeros(48)}
    backwards = {"relative_position_bias.relative_position_bias_table": ours.table.flip(0)}
    theirs.attention.load_state_dict(weights | backwards)
    x = torch.randn(1, 8, 8, 48)
    made = theirs(x.flatten(1, 2), (8, 8))[0].view_as(x) - x
    assert torch.allclose(made, ours(x), atol=1e-5)
    print("SwinLayer with the flipped table gives the same output as our layer, shift and mask included")

# %% [markdown]
# What are the tables worth? In the paper's comparison on ImageNet (table 4), accuracy with the table is 1.2 points
# higher than without positions, and 0.8 points higher than with a vector per absolute position. Swin V2 learns no
# table: a small network computes the bias from both offsets on a log scale (Liu et al. 2022, section 3.3).
#
# ## Deeper · Other rotations
#
# With equal content, axial RoPE cannot prefer a diagonal. In RoPE-Mixed (Heo et al.) each pair has two learned speeds,
# one for the row and one for the column, and rotates by the sum of both angles. One pair with the speeds 1 and −1 is
# enough to prefer a diagonal:

# %%
r, c = np.mgrid[-1:2, -1:2]
diagonal = np.cos(r - c)  # query and key are (1, 0); the pair rotates by row − column
assert min(diagonal[0, 0], diagonal[2, 2]) > max(diagonal[0, 2], diagonal[2, 0])
axes = dict(rows=signs, columns=signs, corner="Δrow ↓ Δcolumn →", digits=2)
figures.heatmap(diagonal, **axes, alt="One pair that rotates by row minus column")

# %% [markdown]
# Axial RoPE has a list of speeds for each axis. In M-RoPE the three axes share *one* list. Qwen2-VL gives each axis a
# block of it, so time gets the 16 fastest pairs and columns the 24 slowest. Qwen3-VL interleaves the axes (time, row,
# column, time, …), so each has fast and slow pairs:

# %%
from course_lib.reference.axial_rope import mrope

for model, sections, interleaved in (("Qwen2-VL", (16, 24, 24), False), ("Qwen3-VL", (24, 20, 20), True)):
    axis, speeds = mrope(128, sections, interleaved=interleaved)  # base 10,000; the models' own are larger
    time, row, column = (f"{speeds[axis == a].max():.3f} to {speeds[axis == a].min():.5f}" for a in range(3))
    print(f"{model}: speeds of time {time}, row {row}, column {column}")

# %% [markdown]
# Qwen2-VL's own code (`models/qwen2_vl/modeling_qwen2_vl.py`) should rotate as ours does:

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers import Qwen2VLTextConfig
    from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen

    q, k = torch.randn(2, 1, 2, len(place), 128)  # 2 heads
    parameters = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [16, 24, 24]}
    config = Qwen2VLTextConfig(hidden_size=256, num_attention_heads=2, rope_parameters=parameters)
    cos, sin = qwen.Qwen2VLRotaryEmbedding(config)(q, torch.from_numpy(place).T[:, None])
    by_course = MRoPE(128, place, (16, 24, 24)).prepare(q, k, 0)
    for made, expected in zip(qwen.apply_rotary_pos_emb(q, k, cos, sin), by_course):
        assert torch.allclose(made, expected, atol=1e-5)
    print("Qwen2-VL rotates queries and keys as our code does")

# %% [markdown]
# Qwen2-VL, Qwen2.5-VL and Qwen3-VL use M-RoPE in the language model and axial RoPE in the network that encodes the
# pictures. In that network Qwen2-VL and Qwen3-VL take the base 10,000. Qwen3-VL also adds a learned table of 48 × 48
# positions, resized to the picture ([[absolute_positions|chapter #]]).
#
# DINOv3 takes the base 100, and so do Heo et al. for axial RoPE in a ViT. With a smaller base, more pairs rotate far
# within a picture. DINOv3's rows and columns run from −1 to 1 across the picture, whatever its size.
#
# **Sources** Z. Liu et al., *Swin Transformer: Hierarchical Vision Transformer using Shifted Windows*, 2021, and
# microsoft/Swin-Transformer · Z. Liu et al., *Swin Transformer V2: Scaling Up Capacity and Resolution*, 2022 · B. Heo
# et al., *Rotary Position Embedding for Vision Transformer*, 2024 · P. Wang et al., *Qwen2-VL*, 2024 · J. Huang et al.,
# *Revisiting Multimodal Positional Encoding in Vision-Language Models*, 2025 (interleaved axes) · O. Siméoni et al.,
# *DINOv3*, 2025 · `beit/run_class_finetuning.py` in microsoft/unilm · the code of `transformers` 5.23.
