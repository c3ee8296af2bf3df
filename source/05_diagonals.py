# %% [markdown]
# # [[title]]
#
# A text of 2,048 tokens has over four million pairs of tokens, but only 4,095 offsets. Code that treats every pair
# separately copies or looks up the same vector many times. You meet the two operations that avoid this, take the
# best-known trick apart number by number, and end with a bias that needs no matrix.
#
# **You will be able to**
# - place one number per offset on the diagonals of a grid (`to_grid`), and sum them back (`from_grid`);
# - explain Huang's skew, and the wrong numbers that it leaves;
# - tell what a scheme stores, in bytes, and read a bias as a view that stores nothing.
#
# **You need** chapters [[bias_by_hand|#]] (bias) and [[vector_per_distance|#]] (a vector per offset). **Time** [[time]].
# Rest after Huang's skew, half way.

# %%
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.grid import from_grid, offsets, row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
signs = [f"{o:+d}" for o in row_offsets(n)]
print("offsets of five tokens:", *signs)
print(f"2,048 tokens: {2048**2:,} pairs, {len(row_offsets(2048)):,} offsets")

# %% [markdown]
# Music Transformer (Huang et al. 2019) has a vector $a$ for every offset up to the end of its table. To each score it
# adds the blue term below. How can it be computed cheaply?

# %%
figures.attention_block("Music Transformer")

# %% [markdown]
# ## One row, many diagonals
#
# The **offset** of query $i$ and key $j$ is $j - i$, negative when the key comes first. Five tokens have nine offsets.
# Take a row with one number for each, from offset −4 to +4. For easy reading, let each *be* its offset.
#
# Which number goes in the cell for query *sat* and key *The*? Their offset is 0 − 2 = −2. The row begins at −4, so this
# offset is in column −2 + 4 = 2. Two loops, or `to_grid`, fill the grid of $n_q$ queries from such a row $r$:
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
assert all(np.array_equal(grid[i], row[n - 1 - i :][:n]) for i in range(n))
figures.side_by_side(
    figures.heatmap(row, columns=range(2 * n - 1), alt="One number per offset: a row"),
    figures.heatmap(grid, alt="to_grid: each offset on its own diagonal"),
)

# %% [markdown]
# Each offset fills one **diagonal**. Read the grid row by row: each query sees five consecutive numbers of the
# nine, a **window**. For *The* it is columns 4 to 8, and for each later query it starts one column further left (the
# last assert). Every trick of this chapter slides this window.
#
# ### A row for each query
#
# With a *vector* $a_{j-i}$ per offset, the score gets $q_i \cdot a_{j-i}$ ([[vector_per_distance|chapter #]]). So each
# query has its own row of nine numbers, but takes the same columns as before. To see this we use labels, ten times the
# query plus the column: 23 is *sat*, offset −1.

# %%
rows = 10 * np.arange(n)[:, None] + np.arange(2 * n - 1)
arrived = to_grid(rows, n)
print(f"{rows.size} numbers, {arrived.size} arrive, {rows.size - arrived.size} do not")
assert np.all(arrived // 10 == np.arange(n)[:, None])
figures.side_by_side(
    figures.heatmap(
        rows, rows=TOKENS, columns=signs, corner="query ↓ offset →",
        alt="A row of labels per query",
    ),
    figures.heatmap(arrived, alt="On the grid: each query's window of its own row"),
)

# %% [markdown]
# Of 45 numbers, 25 arrive. The others belong to offsets that their query does not have: the first token has no past,
# and the last has no future.
#
# ### Any number of queries and keys
#
# A decoder has read three tokens and now reads two more: $n_q = 2$, $n_k = 5$, and query $i$ is at position `past`
# $+\,i$ with `past` $= 3$. There are always $n_q + n_k - 1$ offsets. The formula above still picks the column; `past`
# only decides *which offset this column holds*.

# %%
row = row_offsets(2, 5, past=3)
print("offsets:", row)
assert np.array_equal(to_grid(row[None], 2), offsets(2, 5, past=3))
figures.heatmap(
    to_grid(row[None], 2), rows=("on", "mat"), corner="query ↓ key →",
    alt="Two queries after three tokens: on begins at −3, mat at −4",
)

# %% [markdown]
# ## The way back
#
# `from_grid` goes the other way: it adds up each diagonal and returns one number per offset. (It is not the inverse:
# what fills three cells comes back three times as large.) Applied to attention weights, this gives a **profile by
# offset**: how much attention goes one token back, two back, one ahead. We compute one entry by hand, then all with a
# loop. Distant offsets have fewer cells, so we also divide by the number of cells.

# %%
from course_lib.reference.attention import attention, softmax

_, weights = attention(Q, K, V)
before = [weights[i, i - 1] for i in range(1, n)]
print("weights at offset -1:", np.array(before), "-> sum", round(sum(before), 4))

back = np.zeros(2 * n - 1)
for i in range(n):
    for j in range(n):
        back[j - i + n - 1] += weights[i, j]
assert np.allclose(back, from_grid(weights)[0])

cells = from_grid(np.ones((n, n)))[0]
assert np.allclose(from_grid(to_grid(back[None], n)), cells * back)  # so it is not the inverse
print("sums: ", back.round(3))
print("cells:", *cells.astype(int))
figures.heatmap(
    back / cells, columns=signs, digits=3, alt="Mean weight by offset: no trend, about 1/5"
)

# %% [markdown]
# The sums peak at offset 0 only because the main diagonal has the most cells. The means show no trend, as expected of
# weights that were computed without positions.
#
# ### Why the two belong together
#
# Take a row $r$ and any grid $G$. Let $\langle x, y \rangle$ mean "multiply number by number, then add up". We can
# place $r$ on a grid and take the product with $G$. Or we can sum $G$ along its diagonals and take the product with
# $r$. The result is the same:
#
# $$\langle \text{to\_grid}(r),\, G \rangle = \langle r,\, \text{from\_grid}(G) \rangle$$
#
# To prove it, write the left side as $\sum_{i,j} r_{j-i+n_q-1}\, G_{ij}$ and collect the cells of each column $c$. They
# share the factor $r_c$, and what remains is the sum of $G$ along that diagonal. Two such linear maps are called
# **adjoint**: as matrices, each is the transpose of the other.
#
# We test this with random numbers. Which bug does the test miss? We also try two functions that *both* have the wrong
# sign, $i - j$ instead of $j - i$.


# %%
def wrong_to_grid(row, n_q):
    return to_grid(row[:, ::-1], n_q)


def wrong_from_grid(grid):
    return from_grid(grid)[:, ::-1]


pairs = {"right pair": (to_grid, from_grid), "wrong pair": (wrong_to_grid, wrong_from_grid)}
rng = np.random.default_rng(0)
for n_q, n_k in ((5, 5), (2, 5), (5, 2), (1, 7)):
    r, G = rng.normal(size=(1, n_q + n_k - 1)), rng.normal(size=(n_q, n_k))
    for name, (forth, back) in pairs.items():
        left, right = (forth(r, n_q) * G).sum(), (r * back(G)).sum()
        print(f"n_q={n_q}, n_k={n_k}, {name}: left {left:7.4f}, right {right:7.4f}")
        assert np.isclose(left, right)
assert not np.allclose(wrong_to_grid(r, n_q), to_grid(r, n_q))

# %% [markdown]
# Both pairs pass. The test shows that two functions *fit each other*, but not that either is right. So also compare one
# with its definition, as we did with the loops.
#
# ### Where you meet `from_grid`
#
# **The gradient of a bias.** Each number of a bias row is copied to a whole diagonal, so by the chain rule it collects
# the gradients of all these cells. That sum is `from_grid`, and autograd agrees:

# %%
import os

os.environ["KINETO_LOG_LEVEL"] = "6"  # keeps torch's profiler, used later, from printing a log
import torch

torch.set_num_threads(1)  # else the memory measured below depends on the number of cores
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
# **Shaw's value term.** The vectors that Shaw adds to the values need the weight that each query gives to each offset.
# This is `from_grid` with `shared=False`, which keeps the queries apart.

# %%
by_offset = from_grid(weights, shared=False)
assert np.allclose(by_offset[sat], np.pad(weights[sat], (n - 1 - sat, sat)))
figures.heatmap(
    by_offset, columns=signs, digits=3, corner="query ↓ offset →",
    alt="The weights of each query, by offset",
)

# %% [markdown]
# ## A vector for every pair?
#
# Now the scores with a vector per offset, $S_{ij} = q_i \cdot a_{j-i}$. Written like this, each pair looks up its
# vector in the table $E$ (called $A$ in [[vector_per_distance|chapter #]]). Ours is simple enough to check with a
# pencil.

# %%
o = row_offsets(n)
E = np.stack([o, np.ones_like(o), o % 2, o * o / 2], axis=1) / 10
cube = E[offsets(n) + n - 1]
S = (Q[:, None, :] * cube).sum(axis=-1)
assert np.isclose(S[sat, the], Q[sat] @ E[the - sat + n - 1])
print("a vector per pair:", cube.shape, "=", cube.size, "numbers, the table", E.size)
figures.side_by_side(
    figures.heatmap(E, rows=signs, columns=range(D_K), alt="The table: a vector per offset"),
    figures.heatmap(S, alt="S: each query with the vector of each offset"),
)

# %% [markdown]
# The cube `(n, n, d)` holds every vector many times, although there are only $2n-1$ *different* ones. So multiply each
# query by each vector first, and place the products afterwards:
#
# $$S = \text{to\_grid}(Q E^\top)$$

# %%
products = Q @ E.T
assert np.allclose(to_grid(products, n), S)
print("products:", products.shape, "-> grid", to_grid(products, n).shape)

# %% [markdown]
# What does this save in the Music Transformer paper's example (section 1.1): 2,048 tokens, 8 heads of 64 numbers, 4
# bytes per number?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The table takes 4 MB instead of the cube's 8.6 GB. Is memory solved?",
    options={
        "Yes: what is stored is 2,000 times smaller":
            "The table is. But each query's products with it are stored as well.",
        "Yes: the products are no larger than the table":
            "There are tokens × offsets products. The table has offsets × d numbers, "
            "and d is much smaller than the number of tokens.",
        "Half: the products still grow with the square of the length":
            "Yes. The factor d is gone, but n² is not.",
    },
    answer="Half: the products still grow with the square of the length",
)

# %%
L, H, d = 2048, 8, 64  # tokens, heads, numbers per vector
stored = {
    "cube (n, n, d)": H * L * L * d,
    "table, causal": H * L * d,
    "QEᵀ, causal: n offsets": H * L * L,
    "QEᵀ, general: 2n − 1 offsets": H * L * (2 * L - 1),
    "one number per offset": H * (2 * L - 1),
}
for name, numbers in stored.items():
    mb = 4 * numbers / 1e6
    print(f"{mb / 1000:6.2f} GB" if mb > 1000 else f"{mb:6.3g} MB", " ", name)
assert stored["cube (n, n, d)"] == d * stored["QEᵀ, causal: n offsets"]

# %% [markdown]
# The paper compares the first two lines (8.5 GB and 4.2 MB there). Between them are the products, 134 MB with $n$
# offsets and 268 MB in general. Only a plain bias needs as little as 0.131 MB. Without clipping it saves no
# multiplications: $QE^\top$ takes as many as the cube with $n$ offsets, and twice as many in general.

# %% [markdown]
# ## Huang's skew
#
# `to_grid` picks numbers by index. Huang et al. found three steps that need no index. Their model is causal, so there
# are only $n$ columns, for the offsets $-(n-1)$ to 0. We follow names instead of numbers: `cat-1` is the product of query
# *cat* and the vector of offset −1.


# %%
def show(*steps):
    """Grids of names as text, one below the other."""
    for names in steps:
        for line in names:
            print(" ".join(f"{name:>6}" for name in line))
        print()


names = np.array([[f"{token}{o:+d}" for o in range(1 - n, 1)] for token in TOKENS])
padded = np.concatenate([np.full((n, 1), "·"), names], axis=1)
recut = padded.reshape(n + 1, n)
show(padded, recut, recut[1:])
assert recut[1:][sat, the] == "sat-2"

# %% [markdown]
# **Step 1** puts a column of dots (zeros) in front. **Step 2** cuts the memory again: these 30 names form one long
# line, and we now cut it every 5 names instead of every 6. No name moves; only the cuts do. Row $i + 1$ now begins with
# the last $i + 1$ names of query $i$. **Step 3** drops the first row.
#
# On and below the diagonal we have what we wanted: under *The*, query *sat* has `sat-2`. What is above the diagonal?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The cell of query The and key sat holds cat-4. What is that?",
    options={
        "The score of The for offset +2, under another name":
            "No vector for +2 was ever multiplied, because the table ends at offset 0.",
        "A zero from the padding":
            "Those are the dots, directly to the right of the diagonal.",
        "Another query's product, for an offset that query cannot even have":
            "Yes. cat has one token before it, not four. Its row follows the row of The in memory.",
    },
    answer="Another query's product, for an offset that query cannot even have",
)

# %% [markdown]
# ### Why it works, by counting places
#
# After the padding, column $c$ of row $i$ is at place $i(n+1) + 1 + c$ of the line. After the cut and the drop, cell
# $(i, j)$ is place $n + i\,n + j$. Substitute $c = j - i + n - 1$, the column that `to_grid` picks:
#
# $$i(n+1) + 1 + (j - i + n - 1) = n + i\,n + j$$
#
# The places agree. But column $c$ exists only up to $n - 1$, which means $j \le i$. For $j = i + 1$ the place holds the
# dot of the next row, and for $j \ge i + 2$ a product of the *next query*. These cells are **junk**; the picture
# marks them with ✗. Point at a cell to find its number in every step.

# %%
figures.provenance("skew", n=n)

# %% [markdown]
# ### What if nobody hides the junk?
#
# A causal mask sets the junk to −∞, so it has no effect. Now an encoder, which has no mask, uses the same skew because
# the shapes fit. No error appears. But a row of $S$ must depend only on its own query and the table, so we change the
# query *sat* alone.

# %%
from course_lib.reference.music_transformer import skew_causal

by_trick, below = skew_causal(Q @ E[:n].T), np.tri(n, dtype=bool)
assert np.allclose(by_trick[below], S[below])

other = Q.copy()
other[sat] += 1.0
moved = skew_causal(other @ E[:n].T) - by_trick
masked = [softmax(np.where(below, x, -np.inf)) for x in (by_trick, by_trick + moved)]
assert np.count_nonzero(moved[cat]) == 2
assert np.array_equal(masked[0][cat], masked[1][cat]) and masked[0][cat][the] > 0
changed = (abs(moved) > 1e-12).astype(int)
figures.heatmap(changed, alt="1 where S changed: sat's own row, and cat's")

# %% [markdown]
# The row of *cat* changed in two cells, because it reads products of the next token. In an encoder, these cells give
# later keys the wrong scores. Under a causal mask of −∞, the weights of *cat* stay the same (last assert).

# %% [markdown]
# ## The general skew
#
# Junk appears because columns are missing. With all $w = n_q + n_k - 1$ offsets per query, nothing is missing. Pad one
# column *behind*, skip $n_q - 1$ numbers, cut every $w$, and keep $n_k$ per row.
#
# The proof is the same. Column $c$ of row $i$ is at place $i(w+1) + c = i\,w + j + (n_q - 1)$, so after the skip and
# the cut it is cell $(i, j)$. Now every cell's $c$ exists, from 0 to $w - 1$.

# %%
figures.provenance("general", n_q=3, n_k=5, past=2)

# %% [markdown]
# No cell is marked. We now compare the skew with plain Python loops over the formula (`oracle`), in every kind of
# attention and with a cache.

# %%
from course_lib.reference import oracle
from course_lib.reference.music_transformer import skew, slice_table

longest = 9
table = np.random.default_rng(2).normal(size=(2 * longest - 1, D_K))
settings = {  # n_q, n_k, past
    "self-attention": (5, 5, 0), "cross-attention, few keys": (6, 4, 0),
    "cross-attention, many keys": (2, 7, 0), "one token after eight": (1, 9, 8),
    "a chunk after three": (4, 7, 3), "one key": (4, 1, 0), "alone": (1, 1, 0),
}
for name, (n_q, n_k, past) in settings.items():
    q, no_keys = np.random.default_rng(3).normal(size=(n_q, D_K)), np.zeros((n_k, D_K))
    truth = oracle.scores_through_query(
        q, no_keys, lambda o: table[o + longest - 1], scale=1.0, past=past
    )
    rows = q @ slice_table(table, n_q, n_k, past=past).T
    assert np.allclose(skew(rows, n_q), truth)
    print(f"{name:26} offsets {-(past + n_q - 1):+d} … {n_k - 1 - past:+d}: equal")

# %% [markdown]
# `slice_table` takes the rows that these queries and keys need from a longer table; this is where `past` acts. `skew`
# knows nothing about positions.
#
# **Your turn.** Choose other numbers, and predict the offset in the top right cell.

# %%
n_q, n_k, past = 3, 5, 2
grid = to_grid(row_offsets(n_q, n_k, past)[None], n_q)
positions = [f"query at {past + i}" for i in range(n_q)]
assert grid[0, -1] == n_k - 1 - past
figures.heatmap(
    grid, rows=positions, columns=range(n_k), corner="query ↓ key →",
    alt="The offset of every query and key",
)

# %% [markdown]
# ### A recipe to debug
#
# I. Ukhov's [article](https://blog.ivanukhov.com/2024/01/17/relative-positional-embedding.html) of 17 January 2024
# stores the table in reverse. Then each diagonal of $QE^\top$ holds one key's scores and becomes that key's column. For
# whole sentences the result is right. In a decoder with a cache, query 0 is still taken for position 0, without an
# error. The task `relative_scores` has cases with a cache.

# %% [markdown]
# ## The view that stores nothing
#
# The skew pads, and padding copies all products. This is unnecessary, because every number of the grid is already in
# memory.
#
# NumPy keeps the numbers of an array in one line. The array only says where to start, and how many numbers to move for
# one step along each axis. These step sizes are called **strides**. Products with $w$ offsets per query have strides
# $w$ and 1. In the grid, a step to the next query also moves the window one column to the left, so its stride is
# $w - 1$:
#
# $$\text{place}(i, j) = i\,w + (j - i + n_q - 1) = (n_q - 1) + i\,(w - 1) + j$$
#
# Three queries and three keys need five offsets each. Here is their line of memory, and the place of each cell of the
# grid:

# %%
memory = np.tile(row_offsets(3), 3)
place = 2 + 4 * np.arange(3)[:, None] + np.arange(3)  # from place 2: 4 to the next query, 1 to the next key
assert np.array_equal(memory[place], offsets(3))
queries, keys = ["query 0", "query 1", "query 2"], ["key 0", "key 1", "key 2"]
figures.side_by_side(
    figures.heatmap(memory, alt="The line of memory: the offset at each place"),
    figures.heatmap(place, rows=queries, columns=keys, alt="The grid: the place of each cell"),
)

# %% [markdown]
# That is the entire trick: **the same memory, read with stride $w - 1$ instead of $w$**. `as_strided` makes such a
# view. A wrong stride would read foreign memory without an error, so we check the result.

# %%
from numpy.lib.stride_tricks import as_strided, sliding_window_view


def strided(rows, n_q):
    """`to_grid` for a row per query, as a view of its memory: nothing is copied."""
    one_row, one = rows.strides
    shape = n_q, rows.shape[1] - n_q + 1
    return as_strided(rows.ravel()[n_q - 1 :], shape, (one_row - one, one), writeable=False)


view = strided(products, n)
assert np.shares_memory(view, products)
assert np.array_equal(view, to_grid(products, n))
size = products.itemsize
print("strides of the products:", [s // size for s in products.strides])  # NumPy counts bytes
print("strides of the grid:    ", [s // size for s in view.strides])

# %% [markdown]
# ### One row for all queries
#
# A plain bias has one row that all queries share. The next query starts one number *earlier*, so the stride is −1,
# which torch does not allow.
#
# So we reverse the queries. Counted from the last, query $i$ has the number $u = n_q - 1 - i$. Its column is
# $j - i + n_q - 1 = u + j$, so the stride is +1. Attention treats each query separately, so we can reverse the queries,
# attend, and reverse the output.

# %%
place = np.arange(3)[:, None] + np.arange(3)
assert np.array_equal(row_offsets(3)[place], offsets(3)[::-1])
figures.heatmap(place, rows=queries[::-1], columns=keys, alt="The reversed grid: the place of each cell in one row")

# %% [markdown]
# In torch this view is called `unfold`. In NumPy we read the same windows backwards.

# %%
row = -0.3 * np.log1p(abs(row_offsets(n)))
windows = sliding_window_view(row, n)[::-1]
assert np.shares_memory(windows, row)
assert np.array_equal(windows, to_grid(row[None], n))
print("strides in NumPy:", [s // size for s in windows.strides])

in_torch = torch.tensor(row)
bias = in_torch.unfold(-1, n, 1)
assert bias.data_ptr() == in_torch.data_ptr()
assert np.array_equal(bias.flip(0), to_grid(row[None], n))
print("strides in torch:", list(bias.stride()))

# %% [markdown]
# ### Does the kernel make a copy?
#
# We give such a view to torch's *fused* attention kernel, which never stores the matrix of weights. Is the output
# right?

# %%
from torch.nn.functional import scaled_dot_product_attention as sdpa

m = 1024
generator = torch.Generator().manual_seed(0)
q, k, v = torch.randn(3, 1, 8, m, 64, generator=generator)
numbers = torch.tensor(-0.3 * np.log1p(abs(row_offsets(m)))).float()
view = numbers.unfold(-1, m, 1)
output = sdpa(q.flip(-2), k, v, attn_mask=view).flip(-2)

matrix = torch.tensor(to_grid(numbers[None], m)).float()  # only to compare
assert torch.allclose(output, sdpa(q, k, v, attn_mask=matrix), atol=1e-5)
held = view.untyped_storage().nbytes() // 4
print(f"cells {view.numel():,}, numbers in memory {held:,}")

# %% [markdown]
# It is right, and the view holds 2,047 numbers for 1,048,576 cells. But the kernel could still make a copy. So torch's
# profiler records what a call allocates, and we subtract a call without a bias.


# %%
def allocated(make_mask):
    """MB that one call of attention allocates, with its mask."""
    with torch.autograd.profiler.profile(profile_memory=True) as log:
        sdpa(q.flip(-2), k, v, attn_mask=make_mask()).flip(-2)
    return sum(max(step.self_cpu_memory_usage, 0) for step in log.key_averages()) / 1e6


masks = {
    "fixed row, as a view": lambda: view,
    "fixed row, copied to a matrix": lambda: view.contiguous(),
    "learned row, as a view": lambda: numbers.clone().requires_grad_().unfold(-1, m, 1),
}
without = allocated(lambda: None)
more = {name: allocated(make_mask) - without for name, make_mask in masks.items()}
for name, mb in more.items():
    print(f"{name:30} {mb:6.2f} MB more than no bias")
assert more["fixed row, as a view"] == 0 and more["learned row, as a view"] > 8 * 4

# %% [markdown]
# With the view, the call allocates exactly as much as without a bias, so the CPU kernel makes no copy. (By its source,
# torch copies such a mask on a GPU, because its row stride is not a multiple of 8.) This holds for a *fixed* bias. A
# learned row needs a gradient, which the CPU kernel does not provide, so torch silently falls back to code that stores
# the weights of all heads ([[fast_attention|chapter #]]).
#
# Do not combine reversed queries with `is_causal=True`, which would hide the wrong triangle. Put −∞ into the row for
# every offset above 0.

# %% [markdown]
# ### The gradient through a view
#
# Could the same view compute the gradient of a row? Take a buffer of zeros, and write the gradient of the grid into its
# view (`strided_view.view` is `unfold` for any number of rows). With **one shared row** this fails silently. All cells
# of a diagonal are one place in memory, so each overwrites the one before.

# %%
from course_lib.nn import strided_view

w = 2 * n - 1
G = torch.tensor(np.random.default_rng(7).normal(size=(n, n)))
one_row = torch.zeros(1, w, dtype=torch.double)
strided_view.view(one_row, n).copy_(G.flip(0))
right = np.isclose(one_row, from_grid(G))
print("one shared row:", right.sum(), "of", w, "sums are right, the two corners")
assert right.sum() == 2 and right[0, 0] and right[0, -1]

# %% [markdown]
# So **each query gets its own row**, and the rows are summed afterwards. With reversed queries the stride is $w + 1$,
# and no two cells share a place:

# %%
buffer = torch.zeros(n, w, dtype=torch.double)
through = strided_view.view(buffer, n)
through.copy_(G.flip(0))
assert through.stride() == (w + 1, 1)
assert np.allclose(buffer.sum(0), from_grid(G)[0])
figures.heatmap(
    buffer.flip(0), columns=signs, digits=2, corner="query ↓ offset →",
    alt="Each row of G under the offsets of its query, zeros elsewhere",
)

# %% [markdown]
# So with a row per query, writing through the view is the adjoint of reading. But the buffer has $n\,w$ numbers, which
# is quadratic again. `course_lib/nn/fast.py` works on blocks of queries and never stores $QE^\top$ or
# the buffer as a whole.

# %% [markdown]
# ## Five ways to one grid
#
# Shaw and T5 look up an index for every pair, while skews and strides need no index. (T5's `bucket` gives each offset
# one of 32 numbers.) We compare them with `to_grid` for three queries, five keys and two past tokens.

# %%
from course_lib.reference.t5 import bucket

n_q, n_k, past = 3, 5, 2
q, offset = Q[past:], offsets(n_q, n_k, past)
per_query = q @ slice_table(E, n_q, n_k, past=past).T
per_bucket = np.random.default_rng(6).normal(size=32)
shared = per_bucket[bucket(row_offsets(n_q, n_k, past))][None]
ways = {
    "Shaw: gather a vector per pair": ((q[:, None] * E[offset + n - 1]).sum(-1), per_query),
    "Huang, made general: pad and cut": (skew(per_query, n_q), per_query),
    "strides": (strided(per_query, n_q), per_query),
    "T5: look up an index per pair": (per_bucket[bucket(offset)], shared),
    "windows of one row": (sliding_window_view(shared[0], n_k)[::-1], shared),
}
for name, (grid, rows) in ways.items():
    assert np.allclose(grid, to_grid(rows, n_q))
    print(f"{name:33} = to_grid")

# %% [markdown]
# ## The released code beside ours (optional)
#
# The library transformers has both operations in the speech model VITS, which MMS-TTS uses.
# `VitsAttention._relative_position_to_absolute_position` is a skew, and `_absolute_position_to_relative_position` is
# the way back for Shaw's value term.

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
# `common_attention.py`). Gemma 4's audio encoder pads and cuts in the same way, block by block (`_rel_shift` in
# transformers' `modeling_gemma4.py`).
#
# ## In torch
#
# `MusicTransformer` is this chapter's table, learned, with a vector for every offset and head. The last test: a decoder
# with a cache, which reads token by token or in chunks, must give the same output as one that reads everything at once.

# %%
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer

torch.manual_seed(0)
position = MusicTransformer(n_heads=2, d_head=8, max_length=32)
layer = RelativeAttention(16, n_heads=2, position=position, causal=True).double()
x = torch.randn(1, 12, 16, dtype=torch.double)
with torch.no_grad():
    whole = layer(x)
    for steps in ([1] * 12, [5, 1, 6], [12]):
        cache = KeyValueCache()
        pieces = [layer(piece, cache=cache) for piece in x.split(steps, dim=1)]
        assert torch.allclose(torch.cat(pieces, dim=1), whole)
        print("read in steps of", *steps, "= at once")

# %% [markdown]
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("diagonals")

# %% [markdown]
# ## Remember
#
# - What is known per offset is a row of $n_q + n_k - 1$ numbers. `to_grid` places it on the diagonals, and its adjoint
#   `from_grid` sums them back.
# - Multiply first, place afterwards: $S = \text{to\_grid}(QE^\top)$.
# - The causal skew fills $n(n-1)/2$ cells with junk, which a mask must hide.
# - Code that forgets `past` is right for whole sentences and wrong for decoding. Test at sizes that differ.
# - $QE^\top$ grows with $n^2$. A fixed bias can be a view of $2n-1$ numbers.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Three queries, seven keys, four tokens in the cache. How many offsets are there, "
    "and which is the smallest?",
    options={
        "7, from −6":
            "Seven is the number of keys. Each further query adds one offset, because "
            "it is one place further on.",
        "9, from −6":
            "Yes: 3 + 7 − 1 = 9. The last query is at 4 + 2, so key 0 is 6 back.",
        "9, from −2":
            "That would be without the cache. The queries are at 4, 5 and 6.",
        "13, from −6":
            "Thirteen offsets would be −6 … +6, those of seven queries and seven keys.",
    },
    answer=f"{row_offsets(3, 7, past=4).size}, from {row_offsets(3, 7, past=4)[0]}",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A test compares a skew with to_grid for n_q = n_k = 8 under a causal mask. "
    "It passes. What does it show?",
    options={
        "The skew is right for any attention":
            "The mask hides junk, and equal sizes hide a forgotten past or swapped lengths.",
        "It is right for causal self-attention over a whole sequence of 8":
            "Yes, and for nothing else: no other length, no cache, no missing mask.",
        "Nothing":
            "It does show that the visible half is in its place.",
    },
    answer="It is right for causal self-attention over a whole sequence of 8",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
row = torch.zeros(2 * n - 1, dtype=torch.double, requires_grad=True)
(row[torch.tensor(offsets(n) + n - 1)] * G).sum().backward()  # so the gradient of the grid is G
figures.question(
    "You train a bias of 2n − 1 numbers. The gradient of the n × n grid is G. "
    "What is the gradient of the row?",
    options={
        "The mean of each diagonal of G":
            "The chain rule adds up. A number used five times gets five contributions.",
        "The sum of each diagonal of G":
            "Yes: from_grid(G), the adjoint of to_grid.",
        "The first row and the first column of G":
            "Each number was shown in a whole diagonal, not only at its beginning.",
    },
    answer="The sum of" if np.allclose(row.grad, from_grid(G)) else "The mean of",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: six, from `to_grid` in code to the grid as a view.
#
# **Next:** [[next]].
#
# **Sources** C.-Z. A. Huang et al., *Music Transformer*, 2019, section 1.1 and section 3.4 · Z. Dai et al., *Transformer-XL*,
# 2019, appendix B (the same rearrangement).
