# %% [markdown]
# # [[title]]
#
# A text of 2,048 tokens has over four million pairs of tokens, but only 4,095 offsets. Code that looks up something for
# every pair stores the same numbers many times. Two operations avoid this. They also show what two heads of a released
# model look at.
#
# **You will be able to**
# - place one number per offset on the diagonals of a grid (`to_grid`), and sum them back (`from_grid`);
# - compare a head's profile by offset with that of a head without preferences;
# - explain Huang's skew, and the wrong numbers that it leaves;
# - read the same memory as a grid without a copy.
#
# **You need** chapters [[bias_by_hand|#]] and [[vector_per_distance|#]]. **Time** [[time]].

# %%
import numpy as np
import torch

from course_kit import figures
from course_lib import released
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.grid import from_grid, offsets, row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
signs = [f"{o:+d}" for o in row_offsets(n)]
print(f"2,048 tokens: {2048**2:,} pairs, {len(row_offsets(2048)):,} offsets")

# %% [markdown]
# ## One row, many diagonals
#
# The **offset** of query $i$ and key $j$ is $j - i$, negative when the key comes first. Five tokens have nine offsets.
# An **offset row** $r$ has one number for each. To recognise the numbers, we let each one *be* its offset.
#
# Where does each number go? Query *sat* and key *The* have the offset 0 − 2 = −2. The offset row begins at −4, so
# offset −2 is in column −2 + 4 = 2. For $n_q$ queries (here 5), two loops fill the whole grid, and so does
# `to_grid`:
#
# $$\text{grid}_{ij} = r_{\,j - i + n_q - 1}$$

# %%
row = row_offsets(n)
column = (the - sat) + (n - 1)
print(f"sat → The: offset {the - sat}, column {column}, number {row[column]}")

by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        by_loop[i, j] = row[j - i + n - 1]

grid = to_grid(row[None], n)
assert np.array_equal(grid, by_loop)
figures.side_by_side(
    figures.heatmap(row, columns=range(2 * n - 1), alt="One number per offset: an offset row"),
    figures.heatmap(grid, alt="to_grid: each offset on its own diagonal"),
)

# %% [markdown]
# Each offset fills one **diagonal**. Which columns of the offset row does each query take?

# %%
for i in range(n):
    first = n - 1 - i
    assert np.array_equal(grid[i], row[first : first + n])
    print(f"{TOKENS[i]:4} columns {first} to {first + n - 1}:", "   " * first, *signs[first : first + n])

# %% [markdown]
# Each query takes five neighbouring numbers, its **slice** of the offset row. From query to query, the slice moves one
# column to the left.
#
# ### Any number of queries and keys
#
# A decoder has read three tokens and now reads two more, *on* and *mat*: $n_q = 2$, $n_k = 5$ and `past` $= 3$. Query
# $i$ of the grid is at position `past` $+\,i$. How many offsets $j - ($`past`$\,+\,i)$ are there?

# %%
row = row_offsets(2, 5, past=3)
print("offsets:", row)
assert np.array_equal(to_grid(row[None], 2), offsets(2, 5, past=3))
figures.heatmap(
    to_grid(row[None], 2), rows=("on", "mat"), corner="query ↓ key →",
    alt="Two queries after three tokens: on begins at −3, mat at −4",
)

# %% [markdown]
# There are six, and in general $n_q + n_k - 1$. `to_grid` needs no `past`: column 0 always goes to the last query and
# the first key. `past` only says which offset that is.
#
# ## The way back
#
# How far back does a head look? Its weights are a grid, and `from_grid` adds up each diagonal. One sum by hand, then
# all:

# %%
from course_lib.reference.attention import attention

_, weights = attention(Q, K, V)
before = [weights[i, i - 1] for i in range(1, n)]
print("weights at offset -1:", np.array(before), "-> sum", round(sum(before), 4))

back = np.zeros(2 * n - 1)
for i in range(n):
    for j in range(n):
        back[j - i + n - 1] += weights[i, j]
assert np.allclose(back, from_grid(weights)[0])
figures.heatmap(back, columns=signs, digits=3, alt="Sum of the weights by offset")

# %% [markdown]
# Does this head prefer offset 0? Its sum is the largest, but its diagonal also has the most cells. Divided by the
# number of cells, the sums become mean weights, the head's **profile by offset**.

# %%
cells = from_grid(np.ones((n, n)))[0]
print("cells:", *cells.astype(int))
figures.heatmap(back / cells, columns=signs, digits=3, alt="Mean weight by offset: no clear trend")

# %% [markdown]
# The means show no clear trend. None is built in, because this head has no positions.
#
# ### Three profiles
#
# We take two heads of SmolLM2-135M ([[released_model|chapter #]] maps all). It reads 64 tokens of *Alice in
# Wonderland*.
#
# For comparison we need a *uniform* head, whose query $i$ gives $1/(i+1)$ to each token that it sees.

# %%
uniform = np.tri(64) / np.arange(1, 65)[:, None]

# %% tags=["hide-input"]
# @title Question
of_offset = from_grid(uniform)[0] / from_grid(np.ones((64, 64)))[0]  # offset 0 is number 63
figures.question(
    "This head gives every token that it sees the same weight. What is its mean weight at the offsets 0, −1, −2, …?",
    options={
        "The same at every offset": "Each query treats its keys alike. But the mean at an offset is over many queries.",
        "It falls with distance": "Yes. Early queries have few keys, so they give each of them much, and all of these "
        "keys are near. Only late queries, which give about 1/64, reach far back.",
        "It rises with distance": "Far offsets have only late queries, which have many keys and give little to each.",
    },
    answer="It falls" if of_offset[63] > of_offset[60] > of_offset[40] > of_offset[0] else "The same",
)

# %% tags=["nbval-ignore-output"]
model = released.load()  # SmolLM2-135M-Instruct
text = model.encode(released.excerpt("alice")[:300])[:64]
heads = {"uniform": uniform}
for layer, head in ((16, 0), (18, 8)):
    heads[f"layer {layer}, head {head}"] = model.attention(text, layer, head).numpy()
assert heads["layer 16, head 0"].diagonal(-1).mean() > 0.5


def profiles(distances, first=0):
    """Mean weight by offset of the three heads, over the keys from `first` on."""
    cells = from_grid(np.ones((64, 64 - first)))[0]
    means = [(from_grid(w[:, first:])[0] / cells)[63 - first :: -1] for w in heads.values()]  # offsets 0, −1, …
    return figures.heatmap(
        [mean[distances] for mean in means], rows=list(heads), columns=[-d for d in distances], digits=2,
        corner="head ↓ offset →", alt=f"Mean weight by offset of three heads, keys from {first} on",
    )


profiles([0, 1, 2, 3, 4, 8, 16, 32, 48, 63])

# %% [markdown]
# The uniform head falls from 0.07 to 0.02, so a falling profile alone does not show that a head prefers near tokens.
# The head of layer 16 gives 0.77 to the token before, where the uniform head gives 0.06: a **previous-token head**.
#
# The mean of the head of layer 18 grows with distance, up to 1. Does it look far back? Here are the weights of the
# first six tokens.

# %% tags=["nbval-ignore-output"]
words = [repr(token)[1:-1] for token in model.tokens(text[:6])]
dark = {"layer 16, head 0": "the diagonal of offset −1", "layer 18, head 8": "column 0"}
assert heads["layer 18, head 8"][:, 0].min() > 0.9
figures.side_by_side(*[
    figures.heatmap(heads[name][:6, :6], rows=words, columns=words, digits=2, limit=1, corner="query ↓ key →",
                    title=name.capitalize(), alt=f"Weights of {name}: {where} is dark")
    for name, where in dark.items()
])

# %% [markdown]
# The head of layer 18 fills a *column*, not a diagonal: every query looks at token 0. Such a token is called a **sink**
# ([[windows_and_sinks|chapter #]]). The diagonal of offset −48 has 16 cells, one of them in column 0, so its mean is
# about 1/16. The diagonal of −63 has only that cell, so the 0.12 of layer 16 is also a single weight.
#
# We drop column 0, cells and weights, and compare again:

# %% tags=["nbval-ignore-output"]
assert heads["layer 18, head 8"][:, 1:].max() < 0.01
profiles([0, 1, 2, 3, 4, 8, 16, 32, 48], first=1)

# %% [markdown]
# Layer 16 still prefers the token before. Layer 18 has no weight left.
#
# ## A vector for every pair?
#
# Music Transformer (Huang et al. 2019) has a table $E$ with a *vector* $e$ for every offset. (In
# [[vector_per_distance|chapter #]] they are $A$ and $a$.) To each product $q_i \cdot k_j$ it adds the blue term,
# $S^{rel}_{ij} = q_i \cdot e_{j-i}$, inside the scaling as in Shaw's scheme. How can we compute it without storing a
# vector for every pair?

# %%
figures.attention_block("Music Transformer")

# %% [markdown]
# The direct way looks up a vector for each pair. Together these form a **cube** of shape `(n, n, d)`:

# %%
o = row_offsets(n)
E = np.stack([o, np.ones_like(o), o % 2, o * o / 2], axis=1) / 10  # any table would do
cube = E[offsets(n) + n - 1]
S = (Q[:, None, :] * cube).sum(axis=-1)
assert np.isclose(S[sat, the], Q[sat] @ E[the - sat + n - 1])
print("a vector per pair:", cube.shape, "=", cube.size, "numbers, the table", E.size)
figures.side_by_side(
    figures.heatmap(E, rows=signs, columns=range(D_K), alt="The table: a vector per offset"),
    figures.heatmap(S, alt="S rel: each query with the vector of each offset"),
)

# %% [markdown]
# The cube holds every vector many times, although only $2n-1$ are *different*. So multiply each query by each of these
# first, which gives nine products per query. Then place the products:
#
# $$S^{rel} = \operatorname{to\_grid}(Q E^\top)$$
#
# This saves memory, not multiplications: there are 45 products, and the grid uses 25 of them.

# %%
products = Q @ E.T
assert np.allclose(to_grid(products, n), S)
print("products:", products.shape, "-> grid", to_grid(products, n).shape)

# %% [markdown]
# What does this save in the paper's example (section 1.1): 2,048 tokens, 8 heads of 64 numbers, 4 bytes per number?
# Is memory solved?

# %%
tokens, n_heads, d = 2048, 8, 64
stored = {
    "cube (n, n, d)": n_heads * tokens**2 * d,
    "table, causal": n_heads * tokens * d,
    "QEᵀ, causal": n_heads * tokens**2,
    "QKᵀ": n_heads * tokens**2,
    "one number per offset": n_heads * (2 * tokens - 1),
}
for name, numbers in stored.items():
    mb = 4 * numbers / 1e6
    print(f"{mb / 1000:6.2f} GB" if mb > 1000 else f"{mb:6.3g} MB", " ", name)
assert stored["cube (n, n, d)"] == 2048 * stored["table, causal"] == d * stored["QEᵀ, causal"]

# %% [markdown]
# Not quite. The factor $d$ is gone, but causal products $QE^\top$ have $n^2$ numbers per head, as many as the scores
# $QK^\top$ themselves. A plain bias has no products, only one number per offset.
#
# ## Huang's skew
#
# `to_grid` picks numbers by index. Huang et al. found three steps that need no index. Their model is causal, so each
# query has only $n$ products, for the offsets $-(n-1)$ to 0.
#
# 1. Put a column of zeros in front of the products.
# 2. In memory the rows follow one another as one long line of $n(n + 1)$ numbers. Read it as rows of $n$ instead of
#    $n + 1$. No number moves; only the cuts do.
# 3. Drop the first row.
#
# Row $i$ now begins with the product of offset $-i$, one offset earlier than the row above. This is the moving slice,
# so up to the diagonal each cell gets what it should. And above it?

# %% tags=["hide-input"]
# @title Question
from course_lib.reference.music_transformer import skew_causal, skew_source

found = int(skew_source(n, n)[the, sat, 0])  # the query whose product arrives there
figures.question(
    "What does the skew put in the cell of query The and key sat, whose offset is +2?",
    options={
        "The product of The with the vector of +2":
            "That vector was never multiplied, because the table ends at offset 0.",
        "A zero from the padding": "The zeros come to lie directly to the right of the diagonal.",
        "A product of the query cat":
            "Yes, with the vector of offset −4, which cat does not even have. In memory, cat's row follows The's.",
    },
    answer="A product of the query cat" if found == cat else "A zero from the padding",
)

# %% [markdown]
# Point at a cell to find its number in every step. Cells marked ✗ are **junk**: zeros, and products of the next query.
# A causal mask hides them.

# %%
by_trick, below = skew_causal(products[:, :n]), np.tri(n, dtype=bool)
assert np.allclose(by_trick[below], S[below])  # right up to the diagonal
figures.provenance("skew")

# %% [markdown]
# ## The view that stores nothing
#
# The skew pads, and padding copies all products. But every number that we need is already in memory. Here is the line
# of memory for three queries with three products each, for the offsets −2, −1 and 0. A label is ten times the query
# plus the column: 21 is query 2, column 1.

# %%
labels = 10 * np.arange(3)[:, None] + np.arange(3)
figures.heatmap(labels.ravel(), columns=range(9), alt="The line of memory: the label at each place")

# %% [markdown]
# Query 0 needs its column 2 (offset 0), which is at place 2. Query 1 needs its columns 1 and 2, at the places 4 and 5.
# Where does query 2 begin?
#
# At place 6, because each query begins 2 places after the one before: 3 to the next row, minus 1 because the slice
# moves. Such step sizes are called **strides**. In general, with $w$ products per query:
#
# $$\text{place}(i, j) = (n_q - 1) + i\,(w - 1) + j$$
#
# So the grid is **the same memory, read with stride $w - 1$ instead of $w$**. `as_strided` makes such a view.
# NumPy does not check it: with a wrong stride it reads memory outside the array. (Ours stays inside if $n_k \le w$ and
# the rows follow one another in memory.) What does it show above the diagonal?

# %%
from numpy.lib.stride_tricks import as_strided


def strided(rows, n_k):
    """The grid of n_k keys as a view of the memory of `rows`, one row per query: nothing is copied."""
    assert rows.flags.c_contiguous  # the rows follow one another in memory
    one_row, one = rows.strides
    return as_strided(rows.ravel()[len(rows) - 1 :], (len(rows), n_k), (one_row - one, one), writeable=False)


figures.heatmap(strided(labels, 3), corner="query ↓ key →", alt="The view: a slice per query, and junk")

# %% [markdown]
# Products of the next query again, but no zeros. And with the products of *all* offsets, is there junk?

# %%
causal = Q @ E[:n].T  # offsets −4 to 0
view = strided(causal, n)
assert np.shares_memory(view, causal)
assert np.allclose(view[below], S[below])
assert np.array_equal(strided(products, n), to_grid(products, n))
print("all offsets: equal to to_grid everywhere")
print("strides of the products:", [s // 8 for s in causal.strides])  # NumPy counts bytes, 8 per number
print("strides of the view:    ", [s // 8 for s in view.strides])

# %% [markdown]
# There is none, because no column is missing.
#
# ## Remember
#
# - `to_grid` places an offset row of $n_q + n_k - 1$ numbers on the diagonals; `from_grid` sums the diagonals.
# - To read a profile by offset, drop the sink's column, then compare with a uniform head.
# - Multiply first, place afterwards: $S^{rel} = \operatorname{to\_grid}(QE^\top)$. The products grow with $n^2$.
# - The causal skew leaves junk in $n(n-1)/2$ cells, which a mask must hide.
# - The same memory, read with another stride, is the grid.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Three queries, seven keys, four tokens in the cache. How many offsets are there, and which is the smallest?",
    options={
        "7, from −6":
            "Seven is the number of keys. Each further query adds one offset, because "
            "it is one place further on.",
        "9, from −6": "Yes: 3 + 7 − 1 = 9. The last query is at 4 + 2, so key 0 is 6 back.",
        "9, from −2": "That would be without the cache. The queries are at 4, 5 and 6.",
        "13, from −6": "Thirteen offsets would be −6 … +6, those of seven queries and seven keys.",
    },
    answer=f"{row_offsets(3, 7, past=4).size}, from {row_offsets(3, 7, past=4)[0]}",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A test compares a skew with to_grid for n_q = n_k = 8 under a causal mask. It passes. What does it show?",
    options={
        "The skew is right for any attention":
            "The mask hides junk, and equal sizes hide a forgotten past or swapped lengths.",
        "It is right for causal self-attention over a whole sequence of 8":
            "Yes, and for nothing else: no other length, no cache, no missing mask.",
        "Nothing": "It does show that the visible half is in its place.",
    },
    answer="It is right for causal self-attention over a whole sequence of 8",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
G = torch.tensor(np.random.default_rng(7).normal(size=(n, n)))
row = torch.zeros(2 * n - 1, dtype=torch.double, requires_grad=True)
(row[torch.tensor(offsets(n) + n - 1)] * G).sum().backward()  # so the gradient of the grid is G
figures.question(
    "You train a bias of 2n − 1 numbers. The gradient of the n × n grid is G. What is the gradient of the row?",
    options={
        "The mean of each diagonal of G": "The chain rule adds up. A number used five times gets five contributions.",
        "The sum of each diagonal of G": "Yes, which is from_grid(G).",
        "The first row and the first column of G":
            "Each number was shown in a whole diagonal, not only at its beginning.",
    },
    answer="The sum of" if np.allclose(row.grad, from_grid(G)) else "The mean of",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from `to_grid` in code to the grid as a view.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · One row for all queries
#
# All queries share the one offset row of a plain bias. The slice of the next query begins one number *earlier*, so the
# stride is −1. In NumPy, these are all slices of the row in reverse order:

# %%
from numpy.lib.stride_tricks import sliding_window_view

row = -0.3 * np.log1p(abs(row_offsets(n)))
slices = sliding_window_view(row, n)[::-1]
assert np.shares_memory(slices, row)
assert np.array_equal(slices, to_grid(row[None], n))
print("strides:", [s // 8 for s in slices.strides])

# %% [markdown]
# So all $n^2$ cells of this bias are a view of $2n - 1$ numbers. ([[fast_attention|Chapter #]] does this in torch.)
#
# ## Deeper · A skew without junk
#
# Huang's skew leaves junk because the rows end at offset 0. With all $w = n_q + n_k - 1$ offsets per query nothing is
# missing, as the view has shown. If you cannot make a view, three steps do the same:
#
# 1. Put a column of zeros *behind* the products.
# 2. Skip the first $n_q - 1$ numbers of the line, and cut $n_q$ rows of $w$. One zero is left over.
# 3. Keep the first $n_k$ columns.
#
# Why is this right? After the padding, column $c$ of row $i$ is at place $i(w+1) + c$ of the line. After the cuts, cell
# $(i, j)$ is at place $(n_q - 1) + i\,w + j$. Substitute $c = j - i + n_q - 1$, the column that `to_grid` picks:
#
# $$i(w+1) + (j - i + n_q - 1) = (n_q - 1) + i\,w + j$$
#
# The needed offsets are a part of a table for longer texts, and `slice_table` cuts it out. This is where `past` acts;
# the skew knows nothing about positions. We compare with a loop.

# %%
from course_lib.reference.music_transformer import skew, slice_table

longest = 9
table = np.random.default_rng(2).normal(size=(2 * longest - 1, D_K))
for n_q, n_k, past in ((5, 5, 0), (6, 4, 0), (1, 9, 8), (4, 7, 3)):
    q = np.random.default_rng(3).normal(size=(n_q, D_K))
    truth = [[q[i] @ table[j - (past + i) + longest - 1] for j in range(n_k)] for i in range(n_q)]
    assert np.allclose(skew(q @ slice_table(table, n_q, n_k, past=past).T, n_q), truth)
    print(f"{n_q} queries, {n_k} keys, past {past}: equal")

# %% [markdown]
# ## Deeper · The gradient of a bias
#
# Each number of a bias row is copied to a whole diagonal. So by the chain rule it collects the gradients of all these
# cells. That sum is `from_grid`, and autograd agrees:

# %%
learned = torch.zeros(2 * n - 1, dtype=torch.double, requires_grad=True)
bias = learned[torch.tensor(offsets(n) + n - 1)]
bias.retain_grad()
scores = torch.tensor(Q @ K.T / np.sqrt(D_K)) + bias
loss = (scores.softmax(-1) @ torch.tensor(V)).square().sum()
loss.backward()

assert np.allclose(learned.grad, from_grid(bias.grad))
figures.heatmap(
    learned.grad, columns=signs, digits=3,
    alt="Gradient of the row: the gradient of the grid, summed along diagonals",
)

# %% [markdown]
# The same in symbols, for any row $r$ and any grid $G$, where $\langle x, y \rangle$ means "multiply number by number,
# then add up":
#
# $$\langle \operatorname{to\_grid}(r),\, G \rangle = \langle r,\, \operatorname{from\_grid}(G) \rangle$$
#
# On both sides, each number $r_c$ is multiplied by all cells of its diagonal. Two such linear maps are called
# **adjoint**: as matrices, each is the transpose of the other. Which bug does a test of this equation miss? Let *both*
# functions have the wrong sign, $i - j$ instead of $j - i$:

# %%
rng = np.random.default_rng(0)
r, G = rng.normal(size=(1, 6)), rng.normal(size=(2, 5))
left, right = (to_grid(r[:, ::-1], 2) * G).sum(), (r * from_grid(G)[:, ::-1]).sum()
print(f"left {left:.4f}, right {right:.4f}")
assert np.isclose(left, right)

# %% [markdown]
# The wrong pair passes. The test shows that two functions *fit each other*, but not that either is right. So also
# compare one with its definition, as we did with the loops.
#
# ## Deeper · The released code
#
# The library transformers has both operations in the speech model VITS, which MMS-TTS uses. One function is a skew. The
# other is the way back for Shaw's value term: it sorts each query's weights by offset, but does not add up the queries
# (`shared=False`).

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers import VitsConfig
    from transformers.models.vits.modeling_vits import VitsAttention

    vits = VitsAttention(VitsConfig(hidden_size=D_K, num_attention_heads=1))
    theirs = vits._relative_position_to_absolute_position(torch.tensor(products[None]))
    assert np.array_equal(theirs[0], to_grid(products, n))
    theirs = vits._absolute_position_to_relative_position(torch.tensor(weights[None]))
    assert np.array_equal(theirs[0], from_grid(weights, shared=False))
    print("VITS: the same grid, and the same way back")

# %% [markdown]
# Music Transformer's own code warns that the cells after the query are undefined (tensor2tensor,
# `common_attention.py`). In the course's torch code, `course_lib.nn.music_transformer.MusicTransformer` is this
# chapter's table, learned.
#
# **Sources** C.-Z. A. Huang et al., *Music Transformer*, 2019, section 1.1 and section 3.4 · Z. Dai et al.,
# *Transformer-XL*, 2019, appendix B (the same rearrangement) · the model: L. Ben Allal et al., *SmolLM2*, 2025 (see
# [[released_model|chapter #]]).
