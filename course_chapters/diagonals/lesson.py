# %% [markdown]
# # [[title]]
#
# A text of 2,048 tokens has over four million pairs of tokens, but only 4,095 offsets. So a number that depends only on
# the offset can be stored once, and then placed in the cells of all pairs with this offset. The way back, from the
# pairs to the offsets, shows how far a head of a released model looks.
#
# **You will be able to**
# - place one number per offset on the diagonals of a grid (`to_grid`), and sum them back (`from_grid`);
# - compute a head's profile by offset, and compare it with that of a head without preferences;
# - explain Huang's skew, and which wrong numbers it leaves;
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
# offset −2 is in column −2 + 4 = 2. The same holds for every pair. With $n_q$ queries (here 5), the row begins at
# $-(n_q - 1)$, so
#
# $$\text{grid}_{ij} = r_{\,j - i + n_q - 1}$$
#
# Two loops fill the grid in this way, and `to_grid` does the same.

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
# A decoder has read three tokens and now reads two more, *on* and *mat*: $n_q = 2$, $n_k = 5$ and `past` $= 3$. Row $i$
# of the grid is now the query at position `past` $+\,i$. How many offsets are there?

# %%
row = row_offsets(2, 5, past=3)
print("offsets:", row)
assert np.array_equal(to_grid(row[None], 2), offsets(2, 5, past=3))
figures.heatmap(
    to_grid(row[None], 2), rows=("on", "mat"), corner="query ↓ key →",
    alt="Two queries after three tokens: on begins at −3, mat at −4",
)

# %% [markdown]
# There are six, and in general $n_q + n_k - 1$. The first number of the row always goes to the lower left corner, so
# `to_grid` does not need `past`. Only `row_offsets` does, to say which offset this corner has: here −4.
#
# ## The way back
#
# How far back does a head look? Its weights are a grid, and each diagonal holds the weights at one offset. `from_grid`
# adds up each diagonal.

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
# The means show no clear trend, as expected of a head without positions.
#
# ### A head of a released model
#
# SmolLM2-135M reads 64 tokens of *Alice in Wonderland*, and we look at head 0 of its layer 16. The model is causal. So
# we compare the head with a causal head without preferences, a **uniform** head: its query $i$ gives $1/(i+1)$ to each
# token that it sees.

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
heads = {"uniform": uniform, "layer 16, head 0": model.attention(text, 16, 0).numpy()}


def profile(weights):
    """Mean weight at the offsets 0, −1, −2, …"""
    means = from_grid(weights)[0] / from_grid(np.ones(weights.shape))[0]
    return means[len(weights) - 1 :: -1]


distances = [0, 1, 2, 3, 4, 8, 16, 32, 48]
assert profile(heads["layer 16, head 0"])[1] > 0.5
figures.heatmap(
    [profile(weights)[distances] for weights in heads.values()], rows=list(heads),
    columns=[-d for d in distances], digits=2, corner="head ↓ offset →", alt="Mean weight by offset of two heads",
)

# %% [markdown]
# The profile of the uniform head falls from 0.07 to 0.02, so a falling profile alone does not show that a head prefers
# near tokens. But the other head gives 0.77 to the token before, where the uniform head gives 0.06. On this text it is
# a **previous-token head**. ([[released_model|Chapter #]] finds more of them.)
#
# ## A vector for every pair?
#
# Music Transformer (Huang et al. 2019) has a table $E$ with a *vector* $e$ for every offset, like the table $A$ of
# [[vector_per_distance|chapter #]]. We do not clip. To each product $q_i \cdot k_j$ it adds
# $S^{rel}_{ij} = q_i \cdot e_{j-i}$ (in the drawing $e$ is called $a$), and then scales the sum, as Shaw's scheme does.
# How can we compute $S^{rel}$ without storing a vector for every pair?

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
# The cube holds 25 vectors, but only nine of them are *different*. So we first multiply each query by these nine
# vectors. In the matrix $QE^\top$, row $i$ has the products of query $i$, one per offset. This is just what `to_grid`
# takes, now with a row for each query:
#
# $$S^{rel} = \operatorname{to\_grid}(Q E^\top)$$

# %%
products = Q @ E.T
assert np.allclose(to_grid(products, n), S)
print("products:", products.shape, "-> grid", to_grid(products, n).shape)

# %% [markdown]
# Of the 45 products, the grid uses 25. So this costs more multiplications than the cube does, but it stores no cube. A
# causal head needs only the $n$ offsets up to 0. Then $QE^\top$ has $n^2$ numbers, as many as the scores $QK^\top$. The
# cube has $d$ times as many.
#
# In torch, `MusicTransformer` is such a table, learned. If we put ours into a layer, its scores should be
# $(QK^\top + S^{rel}) / \sqrt d$.

# %%
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer

scheme = MusicTransformer(n_heads=1, d_head=D_K, max_length=n, causal=False)
scheme.table.data = torch.tensor(E)[None]
layer = RelativeAttention(D_K, 1, position=scheme).double()
for matrix in (layer.query, layer.key):
    torch.nn.init.eye_(matrix.weight)  # queries and keys are the layer's inputs, unchanged
in_torch = layer.scores(torch.tensor(Q)[None], torch.tensor(K)[None])[0, 0]
assert np.allclose(in_torch.detach(), (Q @ K.T + S) / np.sqrt(D_K))

# %% [markdown]
# ## Huang's skew
#
# Huang et al. found three steps that do the causal half of `to_grid` by padding and cutting alone. Their model is
# causal, so each query has only $n$ products, for the offsets $-(n-1)$ to 0.
#
# 1. Put a column of zeros in front of the products.
# 2. In memory the rows follow one another as one long line of $n(n + 1)$ numbers. Read this line as rows of $n$ numbers
#    instead of $n + 1$. No number moves; only the cuts do.
# 3. Drop the first row.
#
# Take the three tokens *The cat sat*. Their products are labelled by query and offset: c-1 is the product of *cat* with
# the vector of offset −1. (T-2 is computed too, although no token is two places before *The*.) Do the three steps with
# a pencil.

# %%
labels = np.array([["T-2", "T-1", "T0"], ["c-2", "c-1", "c0"], ["s-2", "s-1", "s0"]])
print(np.insert(labels, 0, "0", axis=1))

# %% tags=["hide-input"]
# @title Question
from course_lib.reference.music_transformer import skew_causal, skew_source

found = int(skew_source(3, 3)[the, sat, 0])  # the query whose product arrives there
figures.question(
    "What do the three steps put in the cell of query The and key sat, whose offset is +2?",
    options={
        "The product of The with the vector of +2":
            "That vector was never multiplied, because the table ends at offset 0.",
        "A zero from the padding": "The zeros come to lie directly to the right of the diagonal.",
        "A product of the query cat":
            "Yes: c-2. In memory, the row of cat follows that of The, with one zero between them.",
    },
    answer="A product of the query cat" if found == cat else "A zero from the padding",
)

# %%
recut = np.insert(labels, 0, "0", axis=1).reshape(4, 3)
print(recut[1:])

# %% [markdown]
# Row $i$ now begins with the product of offset $-i$, one offset earlier than the row above. So it is the slice of its
# query, as in `to_grid`, and each cell up to the diagonal has the right product. Above the diagonal there is **junk**:
# zeros, and products of the next query. A causal mask hides it.
#
# Here are the steps for all five tokens. Point at a cell to find its number in every step; ✗ marks junk.

# %%
by_trick, below = skew_causal(products[:, :n]), np.tri(n, dtype=bool)
assert np.allclose(by_trick[below], S[below])  # right up to the diagonal
figures.provenance("skew")

# %% [markdown]
# ## The view that stores nothing
#
# The skew pads, and padding copies all products. But every number that we need is already in memory. This is the line
# of memory of the three queries, with its places:

# %%
print("place  ", *(f"{place:>4}" for place in range(9)))
print("product", *(f"{label:>4}" for label in labels.ravel()))

# %% [markdown]
# *The* needs T0, at place 2. *cat* needs c-1 and c0, at the places 4 and 5. Where does *sat* begin?
#
# *sat* begins at place 6. Each query begins 2 places after the one before: the same column of the next row is 3 places
# further on, but the next slice begins one column further left. With $w$ products per query, the first query begins at
# place $n_q - 1$, and each further one $w - 1$ places later:
#
# $$\text{place}(i, j) = (n_q - 1) + i\,(w - 1) + j$$
#
# The step from row to row is called a **stride**. The products themselves have the stride $w$. So the grid is **the
# same memory, read with stride $w - 1$ instead of $w$**. `as_strided` makes such a view. It does not check the strides,
# so a wrong one can read memory outside the array. What is above the diagonal this time?

# %%
from numpy.lib.stride_tricks import as_strided


def strided(rows, n_k):
    """The grid of n_k keys, at most one per column of `rows`, as a view of their memory: nothing is copied."""
    assert rows.flags.c_contiguous  # the rows follow one another in memory
    one_row, one = rows.strides
    return as_strided(rows.ravel()[len(rows) - 1 :], (len(rows), n_k), (one_row - one, one), writeable=False)


print(strided(labels, 3))

# %% [markdown]
# Above the diagonal: only products of the next query. Is there also junk if each query has the products of *all*
# offsets?

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
# No. With all offsets, the view equals `to_grid` in every cell, because no product is missing.
#
# ## Remember
#
# - `to_grid` places an offset row of $n_q + n_k - 1$ numbers on the diagonals; `from_grid` sums the diagonals.
# - A profile by offset is the mean of each diagonal of the weights. Compare it with that of a uniform head.
# - Multiply first, place afterwards: $S^{rel} = \operatorname{to\_grid}(QE^\top)$. This needs no vector per pair.
# - The causal skew leaves junk in the $n(n-1)/2$ cells above the diagonal, which a mask must hide.
# - The same memory, read with a stride that is smaller by 1, is the grid.
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
            "Yes. It does not test other lengths, a cache, or attention without a mask.",
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
            "Each number is used in a whole diagonal, not only at its beginning.",
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
# ## Deeper · A head that looks at a column
#
# Here is the profile of another head, in layer 18. Does it look far back?

# %% tags=["hide-output", "nbval-ignore-output"]
weights_18 = model.attention(text, 18, 8).numpy()
print("offset -16, -48, -63:", profile(weights_18)[[16, 48, 63]].round(2))
words = [repr(token)[1:-1] for token in model.tokens(text[:6])]
pictures = {"Layer 16, head 0": heads["layer 16, head 0"], "Layer 18, head 8": weights_18}
assert weights_18[:, 0].min() > 0.9 and weights_18[:, 1:].max() < 0.01
figures.side_by_side(*[
    figures.heatmap(weights[:6, :6], rows=words, columns=words, digits=2, limit=1, corner="query ↓ key →", alt=name)
    for name, weights in pictures.items()
])

# %% [markdown]
# It seems so, because the mean grows with distance, up to 1. But this head fills a *column*, not a diagonal: every
# query looks at token 0. Such a token is called a **sink** ([[windows_and_sinks|chapter #]]). The diagonal of offset
# −48 has 16 cells, one of them in column 0, so its mean is about 1/16. The diagonal of −63 has only that cell. So
# before you read a profile, look at the weights, or leave out column 0.
#
# ## Deeper · How much of a profile is position?
#
# A head may prefer an offset because of a bias, or because of what its queries and keys contain. In MPNet
# ([[t5_buckets|chapter #]]) the two can be separated, because it adds to the product of query and key a learned number
# that depends only on the offset. So each of its 144 heads has two profiles of the *scores*, here at the offsets −127
# to 127 without 0. The first is that of the learned numbers alone. The second is that of the whole scores, minus each
# query's mean product, which the softmax ignores. How much of the second does the first explain? We take the squared
# correlation of the two, which is the share of the variance explained by a straight line.
#
# Committed runs measured it on four texts of 384 tokens, and again with MPNet's absolute position vectors set to zero.

# %%
from course_study.learned import over_texts

for condition in ("as released", "vectors zeroed"):
    print(f"{condition:15} median of the heads: {over_texts('profiles', condition, 'median')[0]:.2f}")
by_layer = np.median(over_texts("profiles", "as released", "explained")[0], axis=1)
figures.heatmap(by_layer, columns=range(12), digits=2, limit=1, alt="Share explained, median of each layer")

# %% [markdown]
# In the median head, the learned numbers explain 86 % of the profile. They explain least in the layers 4 to 8. With the
# absolute vectors zeroed they explain 98 %, so most of the unexplained part disappears with these vectors.
# All this is about means over many pairs. The score of a single pair depends on its two words, too.
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
    print(f"n_q = {n_q}, n_k = {n_k}, past = {past}: equal")

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
# `common_attention.py`).
#
# **Sources** C.-Z. A. Huang et al., *Music Transformer*, 2019, section 1.1, section 3.3 and section 3.4 · Z. Dai
# et al., *Transformer-XL*, 2019, appendix B (the same rearrangement) · the model: L. Ben Allal et al., *SmolLM2*, 2025 (see
# [[released_model|chapter #]]).
