# %% [markdown]
# # [[title]]
#
# In a sentence one number says where a key stands: the offset $j - i$. In an image it takes two: how many rows down,
# how many columns to the right. Swin gives each pair of offsets a learned number and adds it to the score, inside small
# square windows. The bias itself brings nothing else that is new: you will see the primitive of [[diagonals|chapter #]]
# used twice, once per axis.
#
# **You will be able to**
# - number the patches of a window, and find the two offsets of any pair;
# - derive the row of the $(2W - 1)^2$ table that a pair takes, instead of remembering it;
# - say what Toeplitz means in two dimensions, and build the bias with `to_grid` twice;
# - shift windows by rolling the image, and make the mask that this needs;
# - say what happens to the table when the window grows, and when to stretch it.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask) and [[diagonals|#]] (`to_grid`, `from_grid`), and a little
# torch. **Time** [[time]].

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_lib import figures

np.set_printoptions(precision=4, suppress=True)

# %% [markdown]
# ## A picture of three kilobytes
#
# A sky, a sun, a hill and a house, drawn by a few comparisons: 32 × 32 pixels of red, green and blue.


# %%
def draw(size=32):
    """A house on a hill under the sun: (size, size, 3), red, green and blue from 0 to 1."""
    y, x = np.mgrid[:size, :size] / size
    image = np.empty((size, size, 3))
    image[:] = 0.55, 0.75, 0.95
    image[(x - 0.78) ** 2 + (y - 0.2) ** 2 < 0.014] = 1.0, 0.85, 0.2
    image[y > 0.72 - 0.1 * np.sin(5 * x - 1)] = 0.3, 0.6, 0.25
    image[(abs(x - 0.36) < 0.17) & (y > 0.5) & (y < 0.82)] = 0.8, 0.45, 0.3
    image[(y > 0.3) & (y <= 0.5) & (abs(x - 0.36) < 1.1 * (y - 0.28))] = 0.5, 0.15, 0.15
    image[(abs(x - 0.36) < 0.05) & (y > 0.62) & (y < 0.82)] = 0.25, 0.15, 0.1
    return image


image = draw()
print(f"as bytes: {(image * 255).astype(np.uint8).nbytes:,}")

# %% [markdown]
# A vision transformer does not attend to pixels. It cuts the image into **patches**, small squares, and makes a token
# of each. Swin's patches are 4 × 4 pixels of 3 numbers (Liu et al. 2021, section 3.1), so our image has 8 × 8 patches.
# Attention between all of them would grow with the square of their number, and Swin keeps it inside **windows** of
# $W \times W$ patches. We take $W = 4$: four windows.

# %%
W, size = 4, 8
patches = image.reshape(size, 4, size, 4, 3).swapaxes(1, 2).reshape(size, size, 4 * 4 * 3)
colours = patches.reshape(size, size, 16, 3).mean(axis=2)
print("patches", patches.shape, "and the mean colour of each", colours.shape)
assert np.array_equal(patches[2, 5].reshape(4, 4, 3), image[8:12, 20:24])


def show(pictures, alt, borders=(4,)):
    """Pictures of patches beside each other, by title; the white lines are the borders of windows."""
    fig, axes = plt.subplots(1, len(pictures), figsize=(2 * len(pictures), 2.2), squeeze=False)
    for ax, (title, picture) in zip(axes[0], pictures.items()):
        ax.imshow(np.clip(picture, 0, 1), extent=(0, size, size, 0))
        for line in borders:
            ax.axhline(line, color="white", linewidth=2)
            ax.axvline(line, color="white", linewidth=2)
        ax.set(title=title, xticks=range(0, size + 1, 2), yticks=range(0, size + 1, 2))
    return figures.show(fig, alt=alt)


alt = "A house on a hill under the sun, as pixels and as patches, in four windows"
show({"32 × 32 pixels": image, "8 × 8 patches": colours}, alt)

# %% [markdown]
# Inside a window the patches become a list, read row by row like words on a page: patch $p$ stands at row
# $\lfloor p / W \rfloor$ and column $p \bmod W$. `np.divmod` gives both.

# %% [markdown]
# ## Why one offset is not enough
#
# The list has offsets already, $j - i$ from $-15$ to $15$. Could a bias be a number for each of these, as in a
# sentence? Commit to an answer.

# %% tags=["hide-input"]
# @title Question
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
    answer="The patch to the right, or the first patch of the next row",
)

# %%
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
# One number for *right neighbour* and for *three to the left, one down* would mix what a picture keeps apart. So keep
# both offsets, key minus query in each axis:
#
# $$\Delta\text{row} = \text{row}_j - \text{row}_i, \qquad \Delta\text{column} = \text{column}_j - \text{column}_i$$

# %% [markdown]
# ## A 2 × 2 window by hand
#
# Four patches: 0 and 1 in the upper row, 2 and 3 below. All their pairs, in two loops:

# %%
for i in range(4):
    (ri, ci), line = divmod(i, 2), []
    for j in range(4):
        rj, cj = divmod(j, 2)
        line.append(f"({rj - ri:+d}, {cj - ci:+d})".replace("+0", " 0"))
    print(f"query {i}:", "  ".join(line))

# %% [markdown]
# Each axis has the offsets $-1$, $0$ and $+1$, so there are $3 \cdot 3 = 9$ pairs of offsets, for 16 pairs of patches.
# In a window of $W \times W$ each axis has $2W - 1$ of them, from $-(W - 1)$ to $W - 1$, and together there are
# $(2W - 1)^2$. The **table** has a row for each.

# %% [markdown]
# ## The index, derived
#
# Which row? A table of a neural network is a list, so we must number the pairs of offsets. We have done that before,
# with the patches: lay them out as a square and read it line by line. The square has $2W - 1$ lines and $2W - 1$
# columns. (We say *line* here and keep *row* for the rows of the window and of the table.)
#
# 1. Its first line is $\Delta\text{row} = -(W - 1)$. To count from 0, add $W - 1$. The same for columns.
# 2. Reading line by line, each full line before ours holds $2W - 1$ numbers. So multiply, and add the column.
#
# $$\text{index} = (\Delta\text{row} + W - 1)\,(2W - 1) + (\Delta\text{column} + W - 1)$$
#
# One pair first: in the 2 × 2 window, query 1 (upper right) and key 2 (lower left).

# %%
(r1, c1), (r2, c2) = divmod(1, 2), divmod(2, 2)
down, right = r2 - r1, c2 - c1
print(f"Δrow = {r2} − {r1} = {down:+d}, Δcolumn = {c2} − {c1} = {right:+d}")
print(f"from 0: {down} + 1 = {down + 1}, {right} + 1 = {right + 1}")
row = (down + 1) * 3 + right + 1
print(f"line {down + 1} of the square, 3 numbers in each: {down + 1} · 3 + {right + 1} = {row}")

# %% [markdown]
# Then the loop over all pairs, and the library's function for whole arrays:


# %%
def index_of_pair(i, j, W):
    """The table row of query patch i and key patch j in a window of W × W."""
    (ri, ci), (rj, cj) = divmod(i, W), divmod(j, W)
    return (rj - ri + W - 1) * (2 * W - 1) + (cj - ci + W - 1)


from course_lib.reference.window import offsets_2d, window_bias, window_index

by_loop = np.array([[index_of_pair(i, j, 2) for j in range(4)] for i in range(4)])
assert np.array_equal(by_loop, window_index(2))
places = [f"({r}, {c})" for r in range(2) for c in range(2)]
axes = dict(rows=places, columns=places, corner="query ↓ key →")
figures.heatmap(by_loop, **axes, alt="Table row of each pair, 2 × 2 window")

# %% [markdown]
# The diagonal is 4, the middle of 0 … 8: no offset at all. Query (0, 0) takes 4, 5, 7, 8: what lies right of it and
# below it. Row 6 is missing there, because nothing in the window is below the first patch and to its left.
#
# Is the formula sound, with a row for each pair of offsets and no row for two? It can be undone. Divide the index by
# $2W - 1$: quotient and remainder are the two offsets again.

# %%
for w in range(1, 9):
    index, delta = window_index(w), offsets_2d(w)
    back = np.stack(np.divmod(index, 2 * w - 1), axis=-1) - (w - 1)
    assert np.array_equal(back, delta)
    assert set(index.ravel()) == set(range((2 * w - 1) ** 2))
print("undone by division for W = 1 … 8, and every row of the table is used")

# %% [markdown]
# ## Two slips that look right
#
# The factor is $2W - 1$, the width of the square of *offsets*. It is easy to believe that it is $W$, the width of the
# window: that is the factor for patches. Or one adds $W$ instead of $W - 1$. Let us run both for $W = 3$ and count.

# %%
delta = offsets_2d(3).reshape(-1, 2)
indices = {
    "right": (delta[:, 0] + 2) * 5 + delta[:, 1] + 2,
    "times W": (delta[:, 0] + 2) * 3 + delta[:, 1] + 2,
    "plus W": (delta[:, 0] + 3) * 5 + delta[:, 1] + 3,
}
for name, index in indices.items():
    print(f"{name:8}: {len(set(index)):2} different rows, from {index.min()} to {index.max()}")

shared = {tuple(d) for d in delta.tolist() if (d[0] + 2) * 3 + d[1] + 2 == 10}
print("times W, row 10 is shared by", *sorted(shared))
in_list = (np.arange(9) - np.arange(9)[:, None]).ravel()  # j − i
assert np.array_equal(indices["times W"], in_list + 8) and indices["plus W"].max() == 30
try:
    np.zeros(25)[indices["plus W"]]
except IndexError as error:
    print("plus W:", error)

# %% [markdown]
# With the factor $W$ only 17 of 25 rows are used, and *two to the right* is the same as *one down and one to the left*.
# That is no accident: $W \Delta\text{row} + \Delta\text{column}$ is the offset $j - i$ of the list, which we have just
# left behind. Nothing fails: the model trains, and cannot tell these apart. With $W$ in place of $W - 1$ all rows stay
# apart, but the last ones lie past the end of the table, and NumPy refuses them.
#
# ## A 3 × 3 window
#
# Choose the key (click, tap or arrow keys) and follow the calculation; click it once more, or press Enter, to make it
# the query. Two things to look for: how the nine outlined rows move in the table when the query moves, and which query
# reads row 24.

# %%
assert window_index(3)[4].tolist() == [6, 7, 8, 11, 12, 13, 16, 17, 18]
figures.window_index(3, query=4)

# %% [markdown]
# The rows that one query reads always form a $W \times W$ square of the table: a **window that slides over the table**.
# The query in the centre reads the middle of it. Move the query one column to the *right*, and every key lies one
# column further *left* of it: the square moves left. In [[diagonals|chapter #]] a window of $n$ numbers slid along a
# row of
# $2n - 1$; this is the same in two axes.

# %%
table = np.arange(25).reshape(5, 5)
for query in range(9):
    r, c = divmod(query, 3)
    square = table[2 - r : 5 - r, 2 - c : 5 - c]
    assert np.array_equal(square.ravel(), window_index(3)[query])
print("query (r, c) reads lines 2 − r … 4 − r and columns 2 − c … 4 − c of the square")

# %% [markdown]
# ## `to_grid`, twice
#
# [[diagonals|Chapter #]]'s `to_grid` lays a row of numbers, one per offset, on the diagonals of a grid. Here the table
# is a square, with an axis of $2W - 1$ offsets for the rows and another for the columns. Lay out one axis, then the
# other:

# %%
from course_lib.reference.grid import from_grid, to_grid

rng = np.random.default_rng(0)
W = 3
T = rng.normal(size=(2 * W - 1, 2 * W - 1)).round(1)  # T[Δrow + W − 1, Δcolumn + W − 1]

columns = to_grid(T[:, None], W)  # (Δrow, column of i, column of j)
columns = np.moveaxis(columns, 0, -1)  # (column of i, column of j, Δrow)
both = to_grid(columns[..., None, :], W)  # (column of i, column of j, row of i, row of j)
bias = both.transpose(2, 0, 3, 1).reshape(W * W, W * W)  # (row, column of i; row, column of j)
print(T.shape, "->", columns.shape, "->", both.shape, "->", bias.shape)
assert np.array_equal(bias, window_bias(T.reshape(-1, 1), W)[0])

# %% [markdown]
# No index at all, and the same bias. That also says what kind of matrix it is. In one dimension a bias is **Toeplitz**:
# equal along each diagonal. Look at the matrix of indices for $W = 3$, with patches written as (row, column):

# %%
index = window_index(W)
blocks = index.reshape(W, W, W, W).swapaxes(1, 2)  # (row of i, row of j, column of i, column of j)
for a in range(W - 1):
    for b in range(W - 1):
        assert np.array_equal(blocks[a, b], blocks[a + 1, b + 1])  # block diagonals
        assert np.array_equal(blocks[..., a, b], blocks[..., a + 1, b + 1])  # diagonals inside blocks
assert index[2, 3] != index[1, 2]  # but the whole is not Toeplitz

places = [f"({r}, {c})" for r in range(W) for c in range(W)]
axes = dict(rows=places, columns=places, corner="query ↓ key →")
figures.heatmap(index, **axes, alt="Table row of each pair, 3 × 3 window")

# %% [markdown]
# Cut it into 3 × 3 blocks, a block for each row of queries and row of keys. Along a diagonal of blocks, all blocks are
# equal: $\Delta\text{row}$ is the same. Inside a block, along a diagonal, all numbers are equal: $\Delta\text{column}$
# is the same. **Toeplitz blocks, in a Toeplitz arrangement.** The whole is not Toeplitz: at the seam between two blocks
# a step along the diagonal jumps to another row of the picture.
#
# There is a third way to see it. Give the patches other numbers, as if each row of the window had $2W - 1$ places:
# $a = \text{row}\,(2W - 1) + \text{column}$. Then the two-dimensional index is a plain *one*-dimensional offset:
#
# $$\text{index} = a_j - a_i + 2W(W - 1)$$

# %%
row, column = np.divmod(np.arange(W * W), W)
a = row * (2 * W - 1) + column
print("patches ", np.arange(W * W))
print("numbered", a)
assert np.array_equal(a - a[:, None] + 2 * W * (W - 1), index)

# %% [markdown]
# The gaps (3 and 4, 8 and 9) keep the end of one row away from the start of the next: an offset of $+1$ is always the
# right neighbour. So all of this course's machinery for one offset works in two dimensions; only the positions are
# spread out.
#
# ## Backwards: what trains the table
#
# The adjoint of `to_grid` is `from_grid`: sum along diagonals. Used twice it says how often each pair of offsets
# occurs, and, with the gradient of the bias in place of ones, what each row of the table learns from.

# %%
ones = np.ones((W, W, W, W))  # (row of i, row of j, column of i, column of j)
times = from_grid(ones)[..., 0, :]  # columns summed: (row of i, row of j, Δcolumn)
times = from_grid(np.moveaxis(times, -1, 0))[:, 0].T  # rows summed: (Δrow, Δcolumn)
assert np.array_equal(times.ravel(), np.bincount(index.ravel()))
assert np.array_equal(times, np.outer([1, 2, 3, 2, 1], [1, 2, 3, 2, 1]))
signs = ["−2", "−1", "0", "+1", "+2"]
axes = dict(rows=signs, columns=signs, corner="Δrow ↓ Δcolumn →")
figures.heatmap(times, **axes, alt="Pairs for each offset, 3 × 3 window")

# %% [markdown]
# In one dimension offset $r$ occurs $n - |r|$ times. Here it is $(W - |\Delta\text{row}|)(W - |\Delta\text{column}|)$:
# each corner of the table is trained by a single pair of the window.

# %% [markdown]
# ## Swin's formula and Swin's code
#
# Liu et al. 2021, equation 4:
#
# $$\text{Attention}(Q, K, V) = \text{SoftMax}\left(QK^T / \sqrt{d} + B\right) V$$
#
# $B$ is $W^2 \times W^2$, its values are taken from a smaller $\hat B$ of $(2W - 1) \times (2W - 1)$ (they write $M$
# for $W$), and each head has its own. The bias comes after the scaling, as in [[bias_by_hand|chapter #]].
#
# The formula does not say in which direction the offset counts. The published code does: there it is *query minus key*.
# This is that code, told in our letters. First the places, then their differences, then the same steps as above.

# %%
import torch

torch.set_num_threads(1)  # quicker for small matrices


def swin_index(W):
    """The index as Swin's code makes it: query − key."""
    place = torch.stack(torch.meshgrid(torch.arange(W), torch.arange(W), indexing="ij")).flatten(1)
    difference = place[:, :, None] - place[:, None, :]  # (2, query, key)
    from_zero = difference + W - 1
    return from_zero[0] * (2 * W - 1) + from_zero[1]


theirs = swin_index(3).numpy()
assert np.array_equal(theirs, index.T)
assert np.array_equal(theirs, 24 - index)
print("the first row, ours:  ", index[0])
print("the first row, theirs:", theirs[0])

# %% [markdown]
# Their index is ours transposed, and also $(2W - 1)^2 - 1$ minus ours: turn both offsets round, and the square is read
# from its last number to its first. So a published Swin table is read **backwards**: `table[::-1]` in our code gives
# the same bias. A model trained either way is as good; mixing them turns every head by half a turn.

# %% tags=["nbval-ignore-output"]
published = rng.normal(size=(25, 1))
assert np.array_equal(window_bias(published[::-1], 3)[0], published[theirs, 0])
print("our bias from the table read backwards = their bias")

try:
    from transformers import SwinConfig, SwinModel

    sizes = dict(image_size=24, window_size=3, embed_dim=8, depths=[1], num_heads=[2], patch_size=4)
    buffers = SwinModel(SwinConfig(**sizes)).named_buffers()
    found = [b for name, b in buffers if "relative_position_index" in name]
    assert len(found) == 1 and np.array_equal(found[0].reshape(9, 9).numpy(), theirs)
    print("their index = the one in Hugging Face's Swin")
except ImportError:
    print("transformers is not installed: not compared with it")

# %% [markdown]
# ## A bias you can see
#
# Now attend. To see the bias alone, let all content scores be 0. Write a table by hand: the number for *one row up*,
# $(-1, 0)$, is large, everything else is 0. Each patch then takes the colour of the patch above it. Cut the image into
# windows, attend in each, put them together again:

# %%
from course_lib.reference.attention import attention
from course_lib.reference.window import partition, reverse

W = 4
up = np.zeros((2 * W - 1, 2 * W - 1))
up[-1 + W - 1, 0 + W - 1] = 20.0
above = window_bias(up.reshape(-1, 1), W)[0]

values = partition(colours, W)
nothing = np.zeros((4, 16, 1))
output, weights = attention(nothing, nothing, values, bias=above)
print("windows", values.shape, "weights", weights.shape)
moved = reverse(output, size, size)
assert np.allclose(moved[1:4], colours[:3])
assert np.allclose(moved[0, :4], colours[:4, :4].mean(axis=(0, 1)))
show({"patches": colours, "the patch above": moved}, "Each window has moved down by one patch")

# %% [markdown]
# The picture has moved down by one patch *in each window*. The first row of a window has nobody above it: its patches
# find no key with the large number and average all sixteen. No number of the table can reach across a border.
#
# **Your turn.** Here two numbers are large: two columns to the right, and one row down. What do you expect in each
# corner of a window? Run it. Then write another table: one that mixes each patch with all of its own row, say.

# %%
mine = np.zeros((2 * W - 1, 2 * W - 1))
mine[0 + W - 1, 2 + W - 1] = 20.0
mine[1 + W - 1, 0 + W - 1] = 20.0

output, weights = attention(nothing, nothing, values, bias=window_bias(mine.reshape(-1, 1), W)[0])
assert np.allclose(weights.sum(axis=-1), 1)
show({"by my table": reverse(output, size, size)}, "The patches as my table mixes them")

# %% [markdown]
# Where both keys are in the window, their colours are mixed half and half. Where only one is, it gets all. The lower
# right corner has neither: its patches average all sixteen.
#
# ## The small image, with and without a bias
#
# Now with content. Query and key of a patch are its 48 numbers, minus the mean patch: patches that look alike score
# high. A second table prefers what is near: minus one half for each row and each column of distance.

# %%
content = partition(patches - patches.mean(axis=(0, 1)), W)
far = abs(np.arange(-3, 4))
near = window_bias(-0.5 * (far[:, None] + far).reshape(-1, 1), W)[0]

plain, plain_weights = attention(content, content, values)
biased, biased_weights = attention(content, content, values, bias=near)
change = abs(biased - plain).max()
print(f"the bias moves a colour by up to {change:.2f} (from 0 to 1)")
assert change > 0.05
made = {"patches": values, "without the bias": plain, "with the bias": biased}
made = {title: reverse(x, size, size) for title, x in made.items()}
show(made, "The patches, attended without a bias, and with a bias for near patches")

# %% [markdown]
# Both blur: a patch becomes an average of patches that look like it. Without the bias, patches of a window that are
# equal stay equal, wherever they stand. With it each takes more from its neighbourhood. Look at one patch of the roof,
# row 3, column 2: the weights it gives in its window.

# %%
at = 3 * W + 2
assert np.isclose(plain_weights[0, at].sum(), 1) and np.isclose(biased_weights[0, at].sum(), 1)
four = [str(k) for k in range(4)]
options = dict(rows=four, columns=four, digits=2, limit=0.3)
figures.side_by_side(
    figures.heatmap(plain_weights[0, at].reshape(4, 4), **options, alt="Weights of patch (3, 2), no bias"),
    figures.heatmap(biased_weights[0, at].reshape(4, 4), **options, alt="Weights of patch (3, 2), with bias"),
)

# %% [markdown]
# [[blind_to_distance|Chapter #]] said that attention without position is blind to order. Inside a window the same holds
# for two axes: shuffle the sixteen patches of each window, and without a bias each patch gets what it got before. With
# the bias it does not.

# %%
order = np.random.default_rng(1).permutation(16)
mixed = content[:, order]
same, _ = attention(mixed, mixed, values[:, order])
other, _ = attention(mixed, mixed, values[:, order], bias=near)
assert np.allclose(same, plain[:, order])
assert not np.allclose(other, biased[:, order])
print(f"shuffled, no bias: off by {abs(same - plain[:, order]).max():.1f}")
print(f"shuffled, with the bias: off by up to {abs(other - biased[:, order]).max():.2f}")

# %% [markdown]
# How much is it worth? In the paper's ablation (table 4) the bias adds 1.2 points of accuracy on ImageNet to the
# smallest Swin, over no position at all, and 0.8 over a vector per absolute position added to the input.

# %% [markdown]
# ## What windows and bias cost
#
# Swin's first stage has 56 × 56 patches of $C = 96$ numbers, windows of $W = 7$ and 3 heads. The cost of attention by
# the paper's equations 1 and 2, in multiplications, without and with windows:

# %%
h = w = 56
C, M, heads = 96, 7, 3
projections = 4 * h * w * C**2
everywhere, windows = 2 * (h * w) ** 2 * C, 2 * M**2 * h * w * C
print(f"projections {projections:,}, the same in both")
print(f"scores and sums: all pairs {everywhere:,}, in windows {windows:,}")
print(f"                 {everywhere // windows} times fewer")

table = (2 * M - 1) ** 2
print(f"\nthe table: {table} numbers per head, {heads * table} for {heads} heads")
print(f"a number for each pair of a window: {M**4:,} per head")
print(f"without windows: a table of {(2 * h - 1) ** 2:,} per head")
print(f"laid out: {heads * M**4 * 4 / 1024:.0f} KiB for all {h * w // M**2} windows together")
assert table == 169 and everywhere // windows == (h // M) ** 2

# %% [markdown]
# One bias serves all 64 windows, since only offsets matter. 169 numbers per head are few; T5 needs buckets because a
# text has hundreds or thousands of offsets, and a window has 13 per axis.

# %% [markdown]
# ## Windows have borders
#
# Two neighbours on different sides of a border never meet. So Swin alternates: one layer with plain windows, the next
# with **shifted windows**, whose borders are moved by $\lfloor W / 2 \rfloor$ down and right (section 3.2). How many
# pairs of neighbours does each separate in our 8 × 8 patches? And what has a patch seen after a plain layer and a
# shifted one?


# %%
def windows_of(shift, n=8, W=4):
    """For each patch the window it belongs to, when all borders are moved by shift."""
    band = (np.arange(n) - shift) // W
    return 10 * band[:, None] + band


for shift in (0, 2):
    of = windows_of(shift)
    across = (of[1:] != of[:-1]).sum() + (of[:, 1:] != of[:, :-1]).sum()
    print(f"shift {shift}: {len(np.unique(of))} pieces, {across} of {2 * 8 * 7} pairs of neighbours separated")

up_down = [windows_of(s)[1:] != windows_of(s)[:-1] for s in (0, 2)]
assert not (up_down[0] & up_down[1]).any()  # no neighbours are separated both times
reach = [np.equal.outer(windows_of(s).ravel(), windows_of(s).ravel()) for s in (0, 2)]
heard = (reach[1].astype(int) @ reach[0] > 0).sum(axis=1).reshape(8, 8)
patch = 3 * 8 + 3  # row 3, column 3, beside both borders
print("patch (3, 3) has seen after one layer:", reach[0][patch].sum(), "| after two:", heard[3, 3])
print("after two layers (3, 0) has seen", heard[3, 0], "and the corner (0, 0)", heard[0, 0])
assert reach[0][patch].sum() == 16
assert (heard[2:6, 2:6] == 64).all() and (heard == 64).sum() == 16
eight = [str(k) for k in range(8)]
seen = (2 - reach[0][patch]).reshape(8, 8)
figures.heatmap(seen, rows=eight, columns=eight, alt="After how many layers (3, 3) has seen each patch")

# %% [markdown]
# No pair of neighbours is separated both times. After two layers (3, 3) has heard of the whole image, like all 16
# patches of the middle piece. A patch at an edge, such as (3, 0), has heard of half of it, and a corner patch still only
# of 16. Later layers carry on from there.

# %% [markdown]
# ## Rolling instead of cutting
#
# Moved borders cut the image into nine pieces of different sizes. That is awkward: attention likes equal windows. Swin
# *rolls* the image instead: what leaves at the left comes back at the right, and the plain windows fit again.
#
# In one dimension first: eight patches, $W = 4$, rolled by 2. The first window is what we want: 2 to 5, across the old
# border. The second holds 6, 7 and, after them, 0, 1, from the other end of the line. They look like neighbours now and
# are not, so they must not see each other. That is the **mask**: in a window, a patch sees those that came from its
# own side of the seam.

# %%
line = np.arange(8)
rolled = np.roll(line, -2)
print("as it was:", line[:4], line[4:], "| rolled:", rolled[:4], rolled[4:])
side = line < 2  # these went round
window = rolled[4:]
mask = side[window][:, None] == side[window]
names = [str(k) for k in window]
assert mask.sum() == 8
figures.heatmap(mask.astype(int), rows=names, columns=names, alt="Mask of the second window: 1 may look", legend="dark: may look")

# %% [markdown]
# Two axes, four windows, one seam per axis. Take the four steps below. Choose a patch and go through them: where does
# the roll take it, and whom may it see? Look at a corner patch, and at one in the middle.

# %%
from course_lib.reference.window import shift_mask

assert shift_mask(8, 8, 4, 2).sum() == 576
figures.shifted_windows(4, shift=2)

# %% [markdown]
# ## The mask by hand
#
# The smallest case: 4 × 4 patches, $W = 2$, shift 1. Roll, cut into windows, and compare sides. Written out for one
# pair: patches $a$ and $b$ of a rolled window see each other when both went round the row seam or neither did, and the
# same for the column seam.


# %%
def mask_by_sides(n, W, shift):
    """(windows, W², W²): True where two patches of a window came from the same side of both seams."""
    went_round = np.arange(n) < shift  # in the image as it was
    side = 2 * went_round[:, None] + went_round
    in_windows = partition(np.roll(side, (-shift, -shift), (0, 1))[..., None], W)[..., 0]
    return in_windows[:, :, None] == in_windows[:, None, :]


mask = mask_by_sides(4, 2, 1)
assert np.array_equal(mask, shift_mask(4, 4, 2, 1))
rolled = partition(np.roll(np.arange(16).reshape(4, 4, 1), (-1, -1), (0, 1)), 2)[..., 0]
names = [[str(k) for k in window] for window in rolled]
figures.side_by_side(*(
    figures.heatmap(mask[k].astype(int), rows=names[k], columns=names[k], alt=f"Mask of window {k}", legend="dark: may look")
    for k in (1, 3)
))

# %% [markdown]
# Window 0 lies on no seam: all see all. Windows 1 and 2 lie on one seam: 7 and 11 stand below each other in the image,
# and so do 4 and 8. Window 3 lies on both, the four corners of the image have met there, and each is alone.
#
# Swin's code labels *nine* regions, three bands per axis. It is easy to believe that nine are needed. Above there are
# four labels, and the mask came out the same: patches are compared inside one window only, so which window it is need
# not be in the label. For all sizes:

# %%
sizes = [(k * W, W, shift) for W in (2, 3, 4, 7) for k in (1, 2, 3) for shift in range(W)]
for n, window, shift in sizes:
    assert np.array_equal(mask_by_sides(n, window, shift), shift_mask(n, n, window, shift))
print(f"{len(sizes)} sizes and shifts: the same mask from four labels as from nine")

# %% [markdown]
# **Your turn.** Take windows of 3 × 3 and a shift of 1. Window 3 lies on both seams: into which pieces do they cut it,
# and so how many of its 81 pairs may look? Say a number, then run the cell. Then try a shift of 2, and another window.

# %%
window, shift = 3, 1
mask = mask_by_sides(2 * window, window, shift)
assert np.array_equal(mask, shift_mask(2 * window, 2 * window, window, shift))
for k in range(4):
    print(f"window {k}: {mask[k].sum()} of {mask[k].size} pairs may look")
names = [f"({r}, {c})" for r in range(window) for c in range(window)]
axes = dict(rows=names, columns=names, corner="query ↓ key →")
figures.heatmap(mask[3].astype(int), **axes, alt="Mask of window 3: 1 may look", legend="dark: may look")

# %% [markdown]
# ## And back again
#
# Roll, cut, attend with the mask, put together, **roll back**. The table that takes the patch above, now in shifted
# windows:


# %%
def attend_shifted(image, W, shift, bias):
    """One layer in shifted windows, with equal content everywhere."""
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), W)
    nothing = np.zeros((*v.shape[:2], 1))
    output, _ = attention(nothing, nothing, v, bias=bias, mask=shift_mask(height, width, W, shift))
    return np.roll(reverse(output, height, width), (shift, shift), (0, 1))


shifted = attend_shifted(colours, W, 2, above)
assert np.allclose(shifted[1], colours[0]) and np.allclose(shifted[3:6], colours[2:5])
assert np.allclose(shifted[0, :2], colours[:2, :2].mean(axis=(0, 1)))
alt = "Taking the patch above in windows shifted by 2: rows 0, 2 and 6 have nobody above them"
show({"patches": colours, "the patch above": shifted}, alt, borders=(2, 6))

# %% [markdown]
# Row 4, a blur in plain windows, now lies inside a window and finds its upper neighbour. Row 0 is still at the top of
# the image: the mask keeps it from taking the colour of the bottom row. (Rows 2 and 6 are the first of a window now.)
#
# Forget to roll back, and no shape complains. The output stands two patches up and left of its input; in a network with
# a residual path every patch would be added to another one.
#
# ## −100 is not −∞
#
# Swin's code does not set hidden scores to $-\infty$: it *adds* $-100$. As a rule that is as good, since $e^{-100}$ is
# about 4e−44. But it only works while scores are small. Swin's second version divides a cosine by a learned number that
# may shrink to 0.01 (Liu et al. 2022, section 3.2): its scores may reach 100. A key that is hidden but equal to the
# query, against one that is visible and rather different:

# %%
cosine, visible = np.array([1.0, -0.5]), np.array([False, True])
score = cosine / 0.01
added = np.exp(score - 100 * ~visible)
print(f"e^−100 = {math.exp(-100):.0e}")
print("scores, −100 added:", score - 100 * ~visible, "weights", added / added.sum())
_, masked = attention([[1.0]], score[:, None], np.eye(2), scale=1.0, mask=visible)
print("scores, −∞ instead:", np.where(visible, score, -np.inf), "weights", masked[0])
assert added[0] / added.sum() > 0.99 and masked[0, 0] == 0

# %% [markdown]
# The hidden key takes all the weight. With $-\infty$, or a mask of True and False, this cannot happen.
#
# ## In torch
#
# `WindowAttention` in the library is all of this as a layer: the table is a parameter, the index is not. Its bias has
# shape `(heads, W², W²)`, and with a shift the mask adds an axis of windows, `(windows, heads, W², W²)`: 64 times as
# much in Swin's first stage, and still little. Compare it with the reference, window by window and head by head:

# %%
from course_lib.nn.window import WindowAttention

torch.manual_seed(0)
layer = WindowAttention(d_model=48, n_heads=2, window=4, shift=2).double()
layer.table.data.normal_()
x = torch.from_numpy(patches)[None]
with torch.no_grad():
    made = layer(x)[0]
    cut = partition(np.roll(patches, (-2, -2), (0, 1)), 4)
    q, k, v = ((cut @ part.weight.numpy().T).reshape(4, 16, 2, 24).swapaxes(1, 2)
               for part in (layer.query, layer.key, layer.value))
    mask = shift_mask(8, 8, 4, 2)[:, None]  # an axis for the heads
    y, _ = attention(q, k, v, bias=window_bias(layer.table.numpy(), 4), mask=mask)
    y = reverse(y.swapaxes(1, 2).reshape(4, 16, 48) @ layer.out.weight.numpy().T, 8, 8)
assert np.allclose(made.numpy(), np.roll(y, (2, 2), (0, 1)))
print("table", tuple(layer.table.shape), "| the layer equals the reference")
one = heads * M**4 * 4 / 2**20
print(f"Swin's first stage: a bias of {one:.2f} MiB, and with a shift {h * w // M**2 * one:.2f} MiB")

# %% [markdown]
# ## Learn a table
#
# Which table does a task make? The task: say which kind of patch lies one up and one to the right, at offset
# $(-1, +1)$. The images are random, so content does not help. We ask only where that patch is in the same window.


# %%
def answerable(window, size, step):
    """(size, size): True where the patch at offset `step` is in the same window."""
    down, right = (torch.arange(size) % window + s for s in step)
    return ((down >= 0) & (down < window))[:, None] & (right >= 0) & (right < window)


def images(count, size, step, repeat=1):
    """Random kinds of patches, each repeated both ways, and what lies at offset `step` of each."""
    kinds = torch.randint(6, (count, size // repeat, size // repeat))
    kinds = kinds.repeat_interleave(repeat, 1).repeat_interleave(repeat, 2)
    return kinds, kinds.roll((-step[0], -step[1]), (1, 2))


def share_right(model, window, step, repeat=1):
    """The share of patches for which the model names the kind at offset `step`."""
    torch.manual_seed(1)
    embed, layer, read = model
    kinds, target = images(64, 2 * window, step, repeat)
    with torch.no_grad():
        right = read(layer(embed(kinds))).argmax(-1) == target
    return right[:, answerable(window, 2 * window, step)].double().mean().item()


# %%
def train(learn=True, window=4, step=(-1, 1), steps=150):
    """Embedding, one window layer, read-out: trained to name the kind of patch at offset `step`."""
    torch.manual_seed(0)
    layer = WindowAttention(32, 1, window)
    layer.table.data.zero_()
    layer.table.requires_grad_(learn)
    model = torch.nn.ModuleList([torch.nn.Embedding(6, 32), layer, torch.nn.Linear(32, 6)])
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.02)
    asked = answerable(window, 2 * window, step)
    for _ in range(steps):
        kinds, target = images(32, 2 * window, step)
        guess = model[2](layer(model[0](kinds)))[:, asked].flatten(0, 1)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(guess, target[:, asked].flatten()).backward()
        optimizer.step()
    return model


# %% tags=["nbval-ignore-output"]
model, without = train(), train(learn=False)
step = (-1, 1)
with_table, frozen = share_right(model, 4, step), share_right(without, 4, step)
print(f"with a table {with_table:.0%}, with a table of zeros {frozen:.0%}, by chance {1 / 6:.0%}")
learned = model[1].table.detach().reshape(7, 7)
assert with_table > 0.95 and frozen < 0.5
unseen = torch.cat([learned[:, 0], learned[-1]])  # Δcolumn = −3, Δrow = +3
print(f"unseen offsets: from {unseen.min():.1f} to {unseen.max():.1f}")
print(f"the median of the table: {learned.median():.1f}")
assert divmod(int(learned.argmax()), 7) == (-1 + 3, 1 + 3)
assert not unseen.any() and learned.median() < -0.5
signs = ["−3", "−2", "−1", "0", "+1", "+2", "+3"]
axes = dict(rows=signs, columns=signs, corner="Δrow ↓ Δcolumn →")
figures.heatmap(learned, **axes, digits=1, alt="The learned table")

# %% [markdown]
# The highest number is at $(-1, +1)$, as it should be; $(0, 0)$ stands a little above the rest as well. And look at the
# first column and the last row: they are offsets that no asked query can see, and have stayed at 0. Everything else
# that was of no use has been pressed down, so that these untrained numbers now stand *above* it. Keep that in mind.
#
# ## When the window grows
#
# A model is trained with $W = 4$ and must run with $W = 8$. Its table has 49 rows, the new one $15^2 = 225$. Three
# ways to fill it:
#
# - **flat**: put the 49 numbers into the first 49 rows. But the old rows were numbered for a square 7 wide, and are
#   read for one 15 wide;
# - **keep**: every old offset keeps its number, new offsets get the smallest number there is;
# - **stretch**: take the table as a picture of 7 × 7 and enlarge it to 15 × 15, by bicubic interpolation. Swin does
#   this (section 3.2).
#
# And there are two ways in which a window may grow: **more image**, with patches as before, or **finer patches** of the
# same image, where what was one patch is now 2 × 2, and one up and right becomes two. Before you run it: which filling
# is for which?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The window grows from 4 to 8 because the patches are now half as wide. Which filling fits?",
    options={
        "keep": "Then offset (−1, +1) keeps its peak; but what was there is now at (−2, +2).",
        "stretch": "Yes: all offsets have doubled, and the enlarged table is about twice as wide.",
        "Neither, it must be trained anew":
            "Some more training helps, but the stretched table is a good start.",
    },
    answer="stretch",
)


# %% tags=["nbval-ignore-output"]
def with_window(model, table, window):
    """The same model with another window and the table for it."""
    embed, layer, read = model
    larger = WindowAttention(32, 1, window)
    larger.load_state_dict({**layer.state_dict(), "table": table.reshape(-1, 1)})
    return embed, larger, read


low = learned.min()
filled = {
    "flat": torch.cat([learned.flatten(), low.repeat(225 - 49)]),
    "keep": torch.nn.functional.pad(learned, (4, 4, 4, 4), value=low),
    "stretch": torch.nn.functional.interpolate(learned[None, None], size=(15, 15), mode="bicubic"),
}
kept = learned.clone()
kept[:, 0] = kept[-1] = low  # what no asked query has trained
filled["keep, unseen low"] = torch.nn.functional.pad(kept, (4, 4, 4, 4), value=low)
filled["… and peak + ln 4"] = filled["keep, unseen low"].clone()
filled["… and peak + ln 4"][-1 + 7, 1 + 7] += math.log(4)
right = {}
for name, table in filled.items():
    larger = with_window(model, table, 8)
    right[name] = share_right(larger, 8, (-1, 1)), share_right(larger, 8, (-2, 2), repeat=2)
    print(f"{name:17} more image {right[name][0]:.0%}, finer patches {right[name][1]:.0%}")
assert right["keep"][0] > right["stretch"][0] + 0.2 and right["stretch"][1] > right["keep"][1] + 0.2
assert max(right["flat"]) < 0.45 and right["… and peak + ln 4"][0] > 0.97
assert right["keep, unseen low"][0] > (1 + right["keep"][0]) / 2  # the larger part of the loss

# %% [markdown]
# Stretch and keep are each right for one kind of growth, and *flat* for none. Even *keep* loses something, for two
# reasons:
#
# - the larger part: the untrained offsets. With $W = 4$ no asked query could see them. In the window of 8 × 8 most
#   queries do, and their 0 takes weight from the peak. Set them to the smallest number too: *unseen low*;
# - the smaller part: in the softmax 64 keys share the weight where there were 16. Give the peak $\ln 4$ more, a factor
#   of 4: the last line.
#
# It is easy to believe that interpolation is simply what one does with a table; let the reason for the larger window
# decide.
#
# ## A function instead of a table
#
# Swin's second version (Liu et al. 2022, section 3.3) has no table: a small network computes the bias from the two
# offsets, so any window size can be asked. And it feeds it the offsets on a logarithmic scale,
# $\text{sign}(\Delta) \ln(1 + |\Delta|)$. Then a larger window reaches less far beyond what was trained. Does it help?
# Train such a network on the offsets of $W = 8$ and ask it for those of $W = 16$. Once the bias it must learn falls
# with the logarithm of the distance, once evenly.


# %% tags=["nbval-ignore-output"]
def largest_error(truth, feed):
    """Fit a small network to truth(offsets) for W = 8; its largest error for W = 16."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    inside, outside = (torch.cartesian_prod(*[torch.arange(1.0 - w, w)] * 2) for w in (8, 16))
    for _ in range(500):
        optimizer.zero_grad()
        (net(feed(inside))[:, 0] - truth(inside)).square().mean().backward()
        optimizer.step()
    return (net(feed(outside))[:, 0] - truth(outside)).abs().max().item()


feeds = {"plain": lambda r: r / 7, "logarithmic": lambda r: r.sign() * r.abs().log1p() / math.log(8)}
truths = {"logarithmic": lambda r: -r.abs().log1p().sum(-1), "even": lambda r: -0.3 * r.abs().sum(-1)}
print(f"the largest input: plain 7 → 15, {15 / 7 - 1:.0%} more; "
      f"logarithmic {math.log(8):.2f} → {math.log(16):.2f}, {math.log(16) / math.log(8) - 1:.0%} more")
error = {(fall, fed): largest_error(truths[fall], feeds[fed]) for fall in truths for fed in feeds}
for (fall, fed), worst in error.items():
    print(f"bias with {fall:11} fall, {fed:11} offsets fed: largest error {worst:.1f}")
assert error["logarithmic", "logarithmic"] < error["logarithmic", "plain"] / 2
assert error["even", "plain"] < error["even", "logarithmic"] / 2

# %% [markdown]
# Each scale is better for the fall that is a straight line on it. Swin's authors chose the logarithm because it
# transferred better in their measurements; it is no law.
#
# ## Remember
#
# - In an image a bias needs two offsets, $\Delta\text{row}$ and $\Delta\text{column}$, each key minus query.
# - The index numbers a square of $2W - 1$ by $2W - 1$ offsets line by line: add $W - 1$ to both, multiply the first by
#   $2W - 1$.
# - It is `to_grid` twice: Toeplitz blocks in a Toeplitz arrangement, a square that slides over the table.
# - Swin's code counts query minus key: its tables are read backwards here.
# - Shifted windows are a roll, a mask for what only the roll brought together, and a roll back.
# - A mask has an axis of windows, a bias an axis of heads; and hidden is $-\infty$, not $-100$.
# - A larger window: stretch the table when patches get finer, keep it when the image gets larger.
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
    answer="40",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You load a published Swin table into this chapter's code and forget `[::-1]`. What happens?",
    options={
        "Nothing: the table is symmetric": "A learned table need not be: up and down may differ.",
        "Rows and columns change places": "That would be a transposed square. Here both offsets change their sign.",
        "Every head looks in the opposite direction":
            "Yes: up becomes down and left becomes right, half a turn.",
    },
    answer="Every head looks in the opposite direction",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Why does a shifted layer need a mask and a plain one does not?",
    options={
        "Because shifted windows are smaller": "After the roll all windows have the same size again.",
        "Because the roll puts patches from opposite edges into one window":
            "Yes. They stand beside each other there, and the bias would take them for neighbours.",
        "To keep it causal": "An image has no before and after: nothing here is causal.",
    },
    answer="Because the roll puts patches from opposite edges into one window",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: eight, from a window with a pencil to four bug hunts.
#
# **Next:** [[next]].
#
# **Sources** Z. Liu et al., *Swin Transformer: Hierarchical Vision Transformer using Shifted Windows*, 2021,
# section 3.1 and section 3.2 (windows, shift, equation 4), table 4, and the published code (direction of the offset,
# −100) · Z. Liu et al., *Swin Transformer V2: Scaling Up Capacity and Resolution*, 2022, section 3.2 and section 3.3.
