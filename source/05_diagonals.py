# %% [markdown]
# # [[title]]
#
# A text of 2,048 tokens has over four million pairs and only 4,095 offsets. Most of what makes relative position slow
# or large comes from forgetting this, and the published tricks are ways of remembering it. In this chapter you meet
# the two moves behind all of them, take the most famous one apart number by number, break a popular recipe, and end
# with a bias that needs no matrix at all.
#
# **You will be able to**
# - lay what is known per offset on the diagonals of a grid, and sum the diagonals back: `to_grid` and `from_grid`;
# - say why the second is the gradient of the first, and where else you have met it;
# - explain Huang's skew, its junk triangle, and what happens when nobody hides it;
# - do the same for any number of queries and keys, with a cache of past keys, and test somebody else's recipe for it;
# - tell what a scheme stores, in bytes, before you run it, and read a bias as a view that stores nothing.
#
# **You need** [[bias_by_hand|chapter #]] (a bias per offset) and the idea of a vector per offset, repeated
# below. **Time** [[time]]. A good place to rest is after Huang's skew, half way.

# %%
import numpy as np

from course_lib import figures
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.grid import from_grid, offsets, row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
signs = [f"{o:+d}" for o in row_offsets(n)]
print("offsets of five tokens:", *signs)
print(f"2,048 tokens: {2048**2:,} pairs, {len(row_offsets(2048)):,} offsets")

# %% [markdown]
# ## One row, many diagonals
#
# Query $i$ and key $j$ stand $j - i$ apart: that is their **offset**, negative when the key came before. Five tokens
# have nine offsets, from −4 to +4. Suppose one number is known for each. To keep an eye on them, let the number *be*
# the offset. The scores are a grid of 25 cells, one per pair. Which number belongs into the cell of the query *sat* and
# the key *The*? Their offset is 0 − 2 = −2. The row begins at −4, so that number stands in column −2 + 4 = 2. Two loops
# do it for every pair, and the definition does it at once:
#
# $$\text{to\_grid}(r)_{ij} = r_{\,j - i + n_q - 1}$$

# %%
row = row_offsets(n)
column = (the - sat) + (n - 1)
print(f"sat → The: offset {the - sat}, column {column}, number {row[column]}")

by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        by_loop[i, j] = row[j - i + n - 1]

grid = to_grid(row[None], n)
assert np.array_equal(grid, by_loop) and np.array_equal(grid, offsets(n))
assert all(np.array_equal(grid[i], row[n - 1 - i :][:n]) for i in range(n))
figures.side_by_side(
    figures.heatmap(row, columns=range(2 * n - 1), alt="One number per offset: a row"),
    figures.heatmap(grid, alt="to_grid: each offset on its own diagonal"),
)

# %% [markdown]
# Read it twice. Along a **diagonal**, the number stays the same. Along a **row**, you see five neighbours of the nine,
# a window: columns 4 to 8 for *The*, and for each query further down it starts one place further left (the last
# assert).
#
# That sliding window is the picture to keep. All of this chapter is about who slides it, and at what price.
#
# ### A row for each query
#
# In [[vector_per_distance|chapter #]] an offset has a *vector* $a_{j-i}$, and the score gets $q_i \cdot a_{j-i}$. Now
# each query has nine numbers of its own, so there are five rows. The same index serves: row $i$ slides along its own
# numbers. As labels take ten times the query plus the column, so that 23 is query 2, column 3:

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
    figures.heatmap(arrived, alt="On the grid: of each row the window its query has"),
)

# %% [markdown]
# Of 45 numbers 25 arrive. The other 20 belong to offsets which that query does not have: the first token has no past,
# the last has no future.
#
# ### Any number of queries and keys
#
# A decoder that has read three tokens and now reads two more has $n_q = 2$ queries and $n_k = 5$ keys. Query $i$ stands
# at position `past` $+\,i$, here `past` $= 3$. There are always $n_q + n_k - 1$ offsets, and the index above does not
# change: `past` decides *which offset a column means*, and nothing else.

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
# Take a grid and add up each of its diagonals: one number per offset again. That is `from_grid`, the other half of the
# pair. With the attention weights of the five tokens, by hand for one offset, then by loop, it gives a **profile by
# offset**: how much attention goes one back, two back, one ahead. Far offsets have few cells (offset +4 has one,
# offset 0 has five), so to compare offsets divide by how many there are. Counting is `from_grid` too:

# %%
from course_lib.reference.attention import attention, softmax

_, weights = attention(Q, K, V)
before = [weights[i, i - 1] for i in range(1, n)]
print("weights at offset -1:", np.array(before), "-> sum", round(sum(before), 4))

back = np.zeros(2 * n - 1)
for i in range(n):
    for j in range(n):
        back[j - i + n - 1] += weights[i, j]
assert np.allclose(back, from_grid(weights)[0]) and np.isclose(back[3], sum(before))

cells = from_grid(np.ones((n, n)))[0]
mean = back / cells
print("sums: ", back.round(3))
print("cells:", *cells.astype(int))
assert cells.sum() == n * n and mean.max() < 0.25 < 0.95 < back[n - 1]
figures.heatmap(
    mean, columns=signs, digits=3, alt="Mean weight by offset: no trend, about 1/5"
)

# %% [markdown]
# The sums have a hill at offset 0, and it is the number of cells. The means show no trend: these weights were made
# without position.
#
# ### Why the two belong together
#
# Multiply a laid-out row with any grid $G$ cell by cell and add up; or sum the grid first, and multiply with the row.
# The result is the same:
#
# $$\langle \text{to\_grid}(r),\, G \rangle = \langle r,\, \text{from\_grid}(G) \rangle$$
#
# The proof is one change of order. The left side is $\sum_{i,j} r_{j-i+n_q-1}\, G_{ij}$. Collect the cells by column
# $c = j - i + n_q - 1$, take $r_c$ out, and what remains is the sum of $G$ along that diagonal:
# $\sum_c r_c \sum_{j-i+n_q-1=c} G_{ij}$. Two linear maps with this property are each other's **adjoint** (as matrices:
# transposes). A test that fails on the smallest slip:

# %%
rng = np.random.default_rng(0)
for n_q, n_k in ((5, 5), (2, 5), (5, 2), (1, 7), (1, 1)):
    r, G = rng.normal(size=n_q + n_k - 1), rng.normal(size=(n_q, n_k))
    left = (to_grid(r[None], n_q) * G).sum()
    right = (r * from_grid(G)[0]).sum()
    print(f"n_q={n_q}, n_k={n_k}: left {left:7.4f}, right {right:7.4f}")
    assert np.isclose(left, right)

# %% [markdown]
# ### Three faces of `from_grid`
#
# **The gradient of the table.** If a loss depends on a bias through the grid, each number of the row collects the
# gradient of every cell it was copied to. So nobody needs to write a backward pass: it is the adjoint. Ask autograd;
# the row is laid out by its index `offsets(n) + n − 1`, one row for all queries, and the `[0]` drops that axis again:

# %%
import torch

learned = torch.zeros(1, 2 * n - 1, dtype=torch.double, requires_grad=True)
laid_out = learned[:, torch.tensor(offsets(n) + n - 1)][0]
laid_out.retain_grad()
scores = torch.tensor(Q @ K.T / np.sqrt(D_K)) + laid_out
loss = (scores.softmax(-1) @ torch.tensor(V)).square().sum()
loss.backward()

assert np.allclose(learned.grad, from_grid(laid_out.grad))
figures.heatmap(
    learned.grad[0], columns=signs, digits=3,
    alt="Gradient of the row: the gradient of the grid, summed along diagonals",
)

# %% [markdown]
# **Shaw's value term.** [[vector_per_distance|Chapter #]] also adds a vector $c_{j-i}$ to the value: the output gets
# $\sum_j w_{ij}\, c_{j-i}$. Ask first how much weight each query gives to each offset, then multiply once with the
# vectors. The summing must stop short of adding the queries together, which is `shared=False`. (The profile above is
# the third face: the same sum, for reading.)

# %%
C = np.random.default_rng(1).normal(size=(2 * n - 1, 4))
by_loop = np.zeros((n, 4))
for i in range(n):
    for j in range(n):
        by_loop[i] += weights[i, j] * C[j - i + n - 1]

by_offset = from_grid(weights, shared=False)
assert by_offset.shape == (n, 2 * n - 1) and np.allclose(by_offset @ C, by_loop)
print("no (5, 5, 4) array:", by_offset.shape, "@", C.shape, "=", by_loop.shape)

# %% [markdown]
# ## The cube nobody needs
#
# Now the scores with a vector per offset. Written as the formula reads, each pair looks up its vector:
# $S_{ij} = q_i \cdot a_{j-i}$. A real table is learned; this one is simple enough to check with a pencil.

# %%
o = row_offsets(n)
E = np.stack([o, np.ones_like(o), o % 2, o * o / 2], axis=1) / 10
cube = E[offsets(n) + n - 1]
S = (Q[:, None, :] * cube).sum(axis=-1)

products = Q @ E.T
assert cube.shape == (n, n, D_K) and products.shape == (n, 2 * n - 1)
assert np.isclose(S[sat, the], Q[sat] @ E[the - sat + n - 1])
assert np.allclose(to_grid(products, n), S)
print("a vector per pair:", cube.shape, "=", cube.size, "numbers, the table", E.size)
figures.heatmap(S, alt="S: each query with the vector of each offset")

# %% [markdown]
# The cube `(n, n, d)` holds every vector many times over. But query $i$ meets only $2n-1$ *different* vectors. So
# multiply first, each query with each vector of the table, and lay the numbers out afterwards (the last assert above):
#
# $$S = \text{to\_grid}(Q E^\top)$$
#
# What does that save? Take the size that is usually quoted: 2,048 tokens, 8 heads of 64 numbers each (512 together), 4
# bytes per number, one layer, one sequence. Commit to an answer before you look at the numbers below it.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The table takes 4 MB instead of the cube's 8.6 GB. Is memory solved?",
    options={
        "Yes: what is stored is 2,000 times smaller":
            "The table is. But each query's products with it are stored as well.",
        "Yes: the products are no larger than the table":
            "Products: tokens × offsets. Table: offsets × numbers of a vector. There "
            "are far more tokens than numbers in a vector.",
        "Half: the products still grow with the square of the length":
            "Yes. The factor d is gone, n² is not. Let us count.",
    },
    answer="Half: the products still grow with the square of the length",
)

# %%
L, H, d = 2048, 8, 64
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
# The cube is 8.59 GB for one layer, the table 4.19 MB: these are the two figures one finds quoted. Between them stand
# the products, 134 MB with $n$ offsets and 268 MB in general. That is $d$ times less than the cube ($d/2$ in general)
# and still quadratic: memory is not linear in the length, however small the table. Two things go further. A plain
# bias (one number per offset, the last line) needs 0.131 MB, and the end of this chapter reads it without copying.
# And products can be made for a block of queries at a time, used, and thrown away.

# %% [markdown]
# ## Huang's skew
#
# `to_grid` picks numbers by index. Huang and colleagues (2019) noticed that for a causal model nothing has to be picked
# at all: three operations that only look at memory differently do it. They start from $n$ columns, the offsets $-(n-1)$
# to 0, since a causal query has no future. Watch the names: `cat-1` is the product of the query *cat* with the vector
# of offset −1. Three steps, one below the other:


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
# **Step 1:** a column of anything in front, here a dot. **Step 2:** in memory these 30 names lie in one long line. Cut
# the line every 5 names instead of every 6. Nothing moves; only the cuts do. But each row now loses one name to the
# next, so row $i$ slips by $i$ places. **Step 3:** drop the first row.
#
# On and below the diagonal stands exactly what was wanted: query *sat* has `sat-2`, `sat-1`, `sat+0` under *The*,
# *cat*, *sat*. Above it stands something too.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The cell of query The and key sat holds cat-4. What is that?",
    options={
        "The score of The for offset +2, under another name":
            "No vector for +2 was ever multiplied: the table ends at offset 0.",
        "A zero from the padding":
            "Those are the dots, one place nearer to the diagonal.",
        "Another query's product, for an offset that query cannot even have":
            "Yes. cat has one token before it, not four. It comes next in memory.",
    },
    answer="Another query's product, for an offset that query cannot even have",
)

# %% [markdown]
# ### Why it works, by counting places
#
# After the padding, column $c$ of row $i$ lies at place $i(n+1) + 1 + c$ of the line. After the cut and the drop, cell
# $(i, j)$ is place $n + i\,n + j$. Put in $c = j - i + n - 1$, the column `to_grid` would pick:
#
# $$i(n+1) + 1 + (j - i + n - 1) = n + i\,n + j \qquad\checkmark$$
#
# The equation holds for all $i$ and $j$. But column $c$ exists only up to $n - 1$, which means $j \le i$. For
# $j = i + 1$ the place is one too far: the dot of the next row. For $j \ge i + 2$ it is column $j - i - 2$ of the *next
# query*.

# %%
picture = figures.provenance("skew", n=n)
assert picture.junk == 10
picture

# %% [markdown]
# Point at a cell to follow its number back through the line. And with numbers instead of names. `skew_source` sends
# labels through the same trick and tells for each cell which query and column its number comes from; the cells that
# hold somebody else's are counted:

# %%
from course_lib.reference.music_transformer import skew_causal, skew_source

causal_products = Q @ E[:n].T
by_trick = skew_causal(causal_products)
below = np.tri(n, dtype=bool)
assert np.allclose(by_trick[below], S[below]) and not np.allclose(by_trick, S)

source = skew_source(n, n)
i, j = np.indices((n, n))
own = (source[..., 0] == i) & (source[..., 1] == j - i + n - 1)
junk, zeros = (~own).sum(), (source[..., 0] < 0).sum()
print(f"junk: {junk} of {n * n}; {zeros} padding, {junk - zeros} of another query")
assert junk == n * (n - 1) // 2 and np.array_equal(own, below)
assert np.isclose(by_trick, S).sum() == 16 and np.isclose(by_trick[the, mat], S[the, mat])
figures.heatmap(by_trick - S, alt="The skew minus S: zero up to the diagonal")

# %% [markdown]
# Up to the diagonal the difference is zero. Above it one cell of junk, *The* and *mat*, happens to hold the right number
# all the same: a test that looks at few numbers can pass by luck, labels cannot.
#
# ### What if nobody hides the junk?
#
# With a causal mask the junk is set to −∞ and gone. Now take an encoder, which has no mask, and the same skew, because
# the shapes fit. No error, no nan, plausible numbers. But a row of $S$ must depend on its own query and the table, and
# on no other query. Change the query *cat* and nothing else, and look which rows move:

# %%
other = Q.copy()
other[cat] += 1.0
moved = skew_causal(other @ E[:n].T) - by_trick
masked = [softmax(np.where(below, x, -np.inf)) for x in (by_trick, by_trick + moved)]
assert np.count_nonzero(moved[the]) == 3 and not np.any(moved[[sat, on, mat]])
assert np.array_equal(masked[0][the], masked[1][the])
changed = (abs(moved) > 1e-12).astype(int)
figures.heatmap(changed, alt="1 where S changed: cat's own row, and The's")

# %% [markdown]
# The row of *The* changed in three cells: it reads products of the next token. In an encoder this is noise from a
# neighbour. A decoder is worse off if its mask does not cover $S$ (say, $QK^\top$ is multiplied by zeros and ones, and
# $S$ added afterwards): *The* then reads a product of the next word's query, and the future has leaked. With −∞ put on
# the sum, the weights of *The* stay as they were: the second assert.

# %% [markdown]
# ## The general skew
#
# The junk comes from columns that are missing. Give every query all $w = n_q + n_k - 1$ offsets and the same idea works
# without any: pad one column *behind*, skip $n_q - 1$ numbers, cut every $w$ (one zero is left over at the end: drop
# it), keep the first $n_k$.
#
# Column $c$ of row $i$ lies at $i(w+1) + c$. With $c = j - i + n_q - 1$ that is $i\,w + j + (n_q - 1)$: after the skip,
# row $i$, column $j$ of a cut every $w$. And $c$ runs from 0 to $w - 1$ for every cell there is, so no cell reads
# beyond its row. Three queries, after two that were read before:

# %%
picture = figures.provenance("general", n_q=3, n_k=5, past=2)
assert picture.junk == 0
picture

# %% [markdown]
# No cell is hatched. Now in every setting an attention layer can be in. The yardstick is `oracle`: plain Python loops
# over the formula, without any trick.

# %%
from course_lib.reference import oracle
from course_lib.reference.music_transformer import (
    music_transformer_scores,
    skew,
    slice_table,
)

longest = 9
table = np.random.default_rng(2).normal(size=(2 * longest - 1, D_K))
settings = {  # n_q, n_k, past
    "self-attention": (5, 5, 0), "cross-attention, few keys": (6, 4, 0),
    "cross-attention, many keys": (2, 7, 0), "one token after eight": (1, 9, 8),
    "a chunk after three": (4, 7, 3), "one key": (4, 1, 0), "alone": (1, 1, 0),
}
for name, (n_q, n_k, past) in settings.items():
    q = np.random.default_rng(3).normal(size=(n_q, D_K))
    truth = oracle.scores_through_query(
        q, np.zeros((n_k, D_K)), lambda o: table[o + longest - 1], scale=1.0, past=past
    )
    rows = q @ slice_table(table, n_q, n_k, past=past).T
    assert np.allclose(skew(rows, n_q), truth)
    assert np.allclose(to_grid(rows, n_q), truth)
    assert np.allclose(music_transformer_scores(q, table, n_k, past=past), truth)
    print(f"{name:26} offsets {-(past + n_q - 1):+d} … {n_k - 1 - past:+d}: equal")

try:
    slice_table(table, n_q=12, n_k=5)
except ValueError as error:
    print(error)

# %% [markdown]
# Two steps, and each has one job. `slice_table` cuts from a table made for longer texts the rows that these queries
# and keys need; this is where `past` acts. `skew` lays them out and knows nothing of positions. What lies outside the
# table is refused, with the reason (the last line).
#
# **Your turn.** Put in other numbers of queries, keys and past. Say first which offset the top right cell has, and then
# run it.

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
# ## Easy to believe; let us run it
#
# **"Stack the diagonals of $QE^\top$ and transpose: this works for any attention."** It is a beautiful idea, and many
# have had it. Store the vectors from the most distant future to the most distant past, so that offset $t$ stands in
# column $n_3 - 1 - t$, where $n_3$ is the longest text. Then what belongs under key 0, 1, 2, … are whole diagonals of
# the product. A framework's `diag_part` reads them, highest first, and pads those that are too short with zeros in
# front:


# %%
def stacked_diagonals(products, count):
    """Diagonals count − 1 … 0, one per row, short ones padded with zeros in front."""
    length = min(products.shape)
    stack = np.zeros((count, length))
    for k in range(count):
        line = products.diagonal(count - 1 - k)
        stack[k, length - len(line) :] = line
    return stack if count > 1 else stack[0]  # a single diagonal comes without its axis


def recipe(q, table, n_k):
    """S by stacked diagonals; the table ascends as everywhere in this course."""
    n_3 = len(table) // 2 + 1
    return stacked_diagonals(q @ table[::-1].T, n_3).T[:, :n_k]


assert np.allclose(recipe(Q, E, n), S)
print("five tokens, table for five: equal")

# %% [markdown]
# Right, where everybody tests it: as many queries as the table is long. Now the other sizes, beside the definition. An
# offset that the table does not hold has no right answer; those cells are counted too.

# %%
def verdict(n_3, n_q, n_k, past=0):
    """How many cells of the recipe are wrong, in words."""
    random = np.random.default_rng(5)
    table, q = random.normal(size=(2 * n_3 - 1, 4)), random.normal(size=(n_q, 4))
    offset = offsets(n_q, n_k, past)
    inside = abs(offset) < n_3
    truth = (q[:, None] * table[np.where(inside, offset, 0) + n_3 - 1]).sum(-1)
    try:
        S = recipe(q, table, n_k)
    except IndexError:
        return "an error"
    if S.shape != truth.shape:
        return f"shape {S.shape} instead of {truth.shape}"
    wrong = ~np.isclose(S, np.where(inside, truth, np.nan))
    return f"{wrong.sum():2} of {wrong.size:2} wrong, {np.sum(~inside)} not in table"


for n_3, n_q, n_k, past in (
    (4, 4, 4, 0), (4, 2, 4, 0), (4, 3, 2, 0), (4, 6, 4, 0), (3, 5, 2, 0), (4, 4, 6, 0),
    (4, 1, 4, 3), (1, 1, 1, 0),
):
    case = f"table for {n_3}, {n_q} queries, {n_k} keys, past {past}"
    print(f"{case}: {verdict(n_3, n_q, n_k, past)}")
assert verdict(4, 6, 4).startswith("12 of 24 wrong, 3 not")

# %% [markdown]
# Four ways to fail, and three of them are silent.
#
# - **More queries than the table is long.** The upper diagonals become shorter than the rest and the padding pushes
#   them down: such a column begins with zeros and goes on with products of queries further up. 12 of 24 cells are
#   wrong, and for only 3 of these the table holds no answer. No exception.
# - **More keys than the table is long.** There is a diagonal for each of `n_3` keys and no more. The slice `[:, :n_k]`
#   asks for six, gets four, and says nothing.
# - **Decoding.** Row $i$ of the product is taken for position $i$. A single new query is then always the first word: it
#   gets the offsets 0, +1, +2, +3 of the future where −3, −2, −1, 0 are due.
# - **A table for one token** loses an axis. This one at least is loud.
#
# The step that decodes, seen from near. The numbers of this table are the offsets themselves:

# %%
ruler = np.arange(-3.0, 4.0)[:, None]
one = np.ones((1, 1))
read, due = recipe(one, ruler, 4)[0], music_transformer_scores(one, ruler, 4, past=3)[0]
assert np.array_equal(due, offsets(1, 4, past=3)[0])
figures.heatmap(
    [read, due], rows=["the recipe reads", "it should be"], columns=range(4),
    corner="key →", alt="One new query after three tokens: which offset each key gets",
)

# %% [markdown]
# Now the five that failed, through `slice_table` and `skew`. Where the table is too short for the text, they refuse;
# with one that is long enough, all cells are right.

# %%
for n_3, n_q, n_k, past in (
    (6, 6, 4, 0), (5, 5, 2, 0), (6, 4, 6, 0), (4, 1, 4, 3), (1, 1, 1, 0),
):
    table, q = rng.normal(size=(2 * n_3 - 1, 4)), rng.normal(size=(n_q, 4))
    truth = (q[:, None] * table[offsets(n_q, n_k, past) + n_3 - 1]).sum(-1)
    right = np.isclose(music_transformer_scores(q, table, n_k, past=past), truth)
    assert right.all()
    print(f"table for {n_3}, {n_q} queries, {n_k} keys, past {past}: all right")

# %% [markdown]
# **"It needs no more memory than Huang's."** That counts the table. The product has $2n-1$ columns where the causal one
# has $n$, so it is twice as large: 268 MB against 134 MB above, and the stacked diagonals are a copy on top.

# %% [markdown]
# ## The view that stores nothing
#
# The skew pads, and padding copies. Look again at the places: without any padding, column $c$ of row $i$ lies at
# $i\,w + c$, and with $c = j - i + n_q - 1$
#
# $$\text{place}(i, j) = (n_q - 1) + i\,(w - 1) + j.$$
#
# Start at $n_q - 1$; one query further is $w - 1$ numbers on, one key further is 1. An array *is* a start and a number
# of steps per axis (its **strides**). So the grid is in memory already. It only has to be read with other strides:

# %%
from numpy.lib.stride_tricks import as_strided, sliding_window_view


def strided(rows, n_q):
    """`to_grid` for a row per query, as a view of its memory: nothing is copied."""
    one_row, one = rows.strides
    shape = n_q, rows.shape[1] - n_q + 1
    return as_strided(rows.ravel()[n_q - 1 :], shape, (one_row - one, one), writeable=False)


w, size = 2 * n - 1, products.itemsize
view = strided(products, n)
assert np.shares_memory(view, products)
assert np.array_equal(view, to_grid(products, n))
print("strides of the products:", [s // size for s in products.strides])
print("strides of the grid:    ", [s // size for s in view.strides])

# %% [markdown]
# That is Huang's skew in its purest form: $w - 1$ instead of $w$. (`as_strided` trusts you blindly; a wrong stride
# reads foreign memory. Hence the assert.)
#
# For a plain bias there is one row, and one query further means one number *back*: the windows of the first section.
#
# $$\text{bias} = \text{all windows of } n \text{ numbers, the last window first}$$
#
# A stride of −1 is where torch says no: its tensors cannot step back. So turn the sentence round. Count the queries
# from the last one, $r = n_q - 1 - i$, and the column of the offset becomes $c = j - i + n_q - 1 = r + j$. Everything
# steps forward. With flipped queries the bias is `unfold`, all windows in their natural order:

# %%
row = -0.3 * np.log1p(abs(row_offsets(n)))
windows = sliding_window_view(row, n)[::-1]
assert np.shares_memory(windows, row)
assert np.array_equal(windows, to_grid(row[None], n))
print("strides in NumPy:", [s // size for s in windows.strides])

table = torch.tensor(row)
bias = table.unfold(-1, n, 1)
assert bias.data_ptr() == table.data_ptr()
assert np.array_equal(bias.flip(0), to_grid(row[None], n))
print("strides in torch:", list(bias.stride()))
figures.heatmap(
    bias, rows=TOKENS[::-1], columns=TOKENS, corner="query ↓ key →",
    alt="Bias, queries flipped: equal numbers on rising diagonals",
)

# %% [markdown]
# What was constant along diagonals (Toeplitz) is now constant along the diagonals of the other direction (a **Hankel**
# matrix). Attention does not mind the order of its queries: flip them, attend, flip the output back. At 1,024 tokens
# with torch's fused kernel for the CPU, a *fixed* bias is never more than its row (the matrix is built only to
# compare):

# %%
from torch.nn.functional import scaled_dot_product_attention as sdpa

m = 1024
generator = torch.Generator().manual_seed(0)
q, k, v = torch.randn(3, 1, 8, m, 64, generator=generator)
numbers = torch.tensor(-0.3 * np.log1p(abs(row_offsets(m)))).float()
view = numbers.unfold(-1, m, 1)
output = sdpa(q.flip(-2), k, v, attn_mask=view).flip(-2)

matrix = torch.tensor(to_grid(numbers[None], m)).float()
assert torch.allclose(output, sdpa(q, k, v, attn_mask=matrix), atol=1e-5)
held = view.untyped_storage().nbytes() // 4
print(f"cells {view.numel():,}, numbers in memory {held:,}")
assert held == 2 * m - 1

# %% [markdown]
# Fixed, because a *learned* row asks for a gradient, and that the fused kernel does not give: torch falls back, without
# a word, to a way that keeps every weight. Look at the largest array that attention keeps for its backward pass:


# %%
def largest_kept(row):
    """Numbers in the largest array kept for the backward pass."""
    kept = []

    def keep(x):
        kept.append(min(x.numel(), x.untyped_storage().nbytes() // x.itemsize))
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        sdpa(q.flip(-2).requires_grad_(), k, v, attn_mask=row.unfold(-1, m, 1))
    return max(kept)


fixed, trained = largest_kept(numbers), largest_kept(numbers.clone().requires_grad_())
print(f"fixed row: {fixed:,} (as many as q), learned row: {trained:,}")
assert fixed == q.numel() and trained == 8 * m * m

# %% [markdown]
# Eight heads, eight whole matrices. (And the kernels of a GPU want a mask with plain strides even for a fixed row.
# [[fast_attention|Chapter #]] has another way for both.)
#
# ### The way back: a view with a row per query
#
# What would the gradient of a row need? Each of its numbers collects from all the cells that showed it. It is tempting
# to make a buffer of zeros, look at it through the same view, and write the grid's gradient into that. With **one
# shared row** this fails, and silently: all cells of a diagonal are one place in memory, and of all that is written
# there one number stays.
#
# So give **each query a row of its own** on the way back. With the queries still flipped, row $r$ begins at $r\,w$
# and its cells are places $r\,w + r + j$, stride $w + 1$. No two cells share a place, nothing is lost, and the rows
# are summed afterwards. This view is its own adjoint: written through it, the buffer holds the gradient of `rows`.

# %%
from course_lib.nn import strided_view

G = torch.tensor(np.random.default_rng(7).normal(size=(n, n)))
one_row = torch.zeros(1, w, dtype=torch.double)
strided_view.view(one_row, n).copy_(G.flip(0))
right = np.isclose(one_row, from_grid(G))
print("one shared row:", right.sum(), "of", w, "sums are right, the two corners")
assert right.sum() == 2 and right[0, 0] and right[0, -1]

buffer = torch.zeros(n, w, dtype=torch.double)
through = strided_view.view(buffer, n)
through.copy_(G.flip(0))
assert through.stride() == (w + 1, 1) and through.data_ptr() == buffer.data_ptr()
assert np.array_equal(buffer.flip(0), from_grid(G, shared=False))
assert np.allclose(buffer.sum(0), from_grid(G)[0])
figures.heatmap(
    buffer.flip(0), columns=signs, digits=2, corner="query ↓ offset →",
    alt="Each row of G under the offsets of its query, zeros elsewhere",
)

# %% [markdown]
# Four steps from query to query, one idea: $w - 1$ with a row each, $-1$ with one shared row, and with the queries
# flipped $w + 1$ and $+1$.
#
# No index anywhere, in either direction; but the buffer has $n\,w$ numbers, so this way back is quadratic again. In
# [`nn/strided_view.py`](../course_lib/nn/strided_view.py) you find `view`, `adjoint`, a pair of autograd functions around them, and
# the ends that repeat where offsets are clipped ([[vector_per_distance|chapter #]]).
# [`nn/fast.py`](../course_lib/nn/fast.py) adds blocks of queries, so that neither $QE^\top$ nor the buffer is ever
# whole. [[fast_attention|Chapter #]] takes the time of both.

# %% [markdown]
# ## All of them are `to_grid`
#
# Shaw looks a vector up per pair. Huang skews. Somebody stacks diagonals. T5 fills an $n \times n$ table of indices and
# looks numbers up. Put them in one loop, beside the definition:

# %%
from course_lib.reference.t5 import bucket

per_bucket = np.random.default_rng(6).normal(size=32)
biases = per_bucket[bucket(row_offsets(n))][None]
ways = {
    "Shaw: gather a vector per pair": (Q[:, None] * E[offsets(n) + n - 1]).sum(-1),
    "Huang: pad, cut again, keep": skew(products, n),
    "stacked diagonals": recipe(Q, E, n),
    "strides": strided(products, n),
    "T5: look up n × n indices": per_bucket[bucket(offsets(n))],
    "windows of one row": sliding_window_view(biases[0], n)[::-1],
}
for number, (name, grid) in enumerate(ways.items()):
    assert np.allclose(grid, to_grid(products if number < 4 else biases, n))
    print(f"{name:32} = to_grid")

# %% [markdown]
# So there is one thing to understand and one thing to test. What differs is what each holds in memory on the way. Take
# four of them: `tracemalloc` watches every byte NumPy asks for, and we want the highest mark.

# %%
import tracemalloc


def peak(make):
    """The most memory held while `make` runs, in MB."""
    tracemalloc.start()
    make()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def measured(m, d=64):
    """One head, float32: four ways from what is known per offset to the grid."""
    q, table = np.ones((m, d), np.float32), np.ones((2 * m - 1, d), np.float32)
    index, row = offsets(m) + m - 1, np.ones(2 * m - 1, np.float32)
    return {
        "cube (n, n, d)": peak(lambda: np.einsum("id,ijd->ij", q, table[index])),
        "QEᵀ, then skew": peak(lambda: skew(q @ table.T, m)),
        "QEᵀ, then strides": peak(lambda: strided(q @ table.T, m)),
        "a row, then windows": peak(lambda: sliding_window_view(row, m)[::-1]),
    }


peaks = measured(512)
for name, size in peaks.items():
    print(f"{size:6.1f} MB  {name}")
assert peaks["cube (n, n, d)"] > 60 and peaks["QEᵀ, then skew"] < 6
assert peaks["a row, then windows"] < 0.02

# %% [markdown]
# The view asks for a few thousand bytes of bookkeeping and for no numbers. How it goes on with the length, drawn on
# logarithmic axes, where a slope of 2 means quadratic:

# %%
import matplotlib.pyplot as plt

lengths = (64, 128, 256, 512)
curves = [measured(m) for m in lengths]
fig, ax = plt.subplots(figsize=(4.2, 2.4))
for name, style in zip(peaks, ("o-", "s-", "^-", "d-"), strict=True):
    ax.loglog(lengths, [curve[name] for curve in curves], style, base=2, label=name)
ax.set(xlabel="tokens n", ylabel="peak memory, MB", xticks=lengths, xticklabels=lengths)
ax.set_yscale("log", base=10)
ax.legend(fontsize=7, loc="center right", bbox_to_anchor=(1, 0.3))
growth = np.log2([curves[3][name] / curves[2][name] for name in list(peaks)[:3]])
print("slope from 256 to 512 tokens:", growth.round(1))
assert np.all(abs(growth - 2) < 0.1)
figures.show(fig, alt="Peak memory by length: three lines rise, the view is flat")

# %% [markdown]
# ## In torch
#
# `MusicTransformer` is the learned table of this chapter: a vector for every offset and head. It is plugged into
# `RelativeAttention`, which does the rest. First against the reference, through the whole layer, on five
# tokens:

# %%
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer

torch.manual_seed(0)
position = MusicTransformer(1, D_K, max_length=9, causal=False)
layer = RelativeAttention(D_K, n_heads=1, position=position).double()
x = torch.tensor(Q)[None]  # a batch of one; any five vectors will do
with torch.no_grad():
    q, k, v = (part(x)[0].numpy() for part in (layer.query, layer.key, layer.value))
    S = music_transformer_scores(q, position.table[0].numpy())
    expected, _ = attention(q, k, v, bias=S / np.sqrt(D_K))
    assert torch.allclose(layer(x)[0], layer.out(torch.tensor(expected)))

needed = position.key_vectors(n, n, past=0).table
print("table", tuple(position.table.shape), "-> needed", tuple(needed.shape))
memory = [x.untyped_storage().data_ptr() for x in (needed, position.table)]
assert memory[0] == memory[1]

# %% [markdown]
# The position term is *inside* the scaling here, $(q_i \cdot k_j + q_i \cdot e_{j-i}) / \sqrt{d}$, so as a bias it is
# $S / \sqrt{d}$. And the table, made for nine tokens, lends five tokens its middle rows without a copy (the last
# assert).
#
# Last, the test at which the stacked diagonals failed. A decoder that reads token by token, keeping its keys in a
# cache, must give what it gives when it reads everything at once. So must one that reads in chunks.

# %%
from course_lib.nn.cache import KeyValueCache

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
# ## Remember
#
# - What is known per offset is a row of $n_q + n_k - 1$ numbers. `to_grid` lays it on the diagonals; `from_grid` sums
#   them back. They are adjoint: one is the other's gradient.
# - Multiply first, lay out afterwards: $S = \text{to\_grid}(QE^\top)$. The cube `(n, n, d)` is never needed.
# - The causal skew fills $n(n-1)/2$ cells with other queries' numbers. Without a mask they are a leak. With all offsets
#   there is no junk.
# - `past` decides which offset a column means. A function without it is right for whole sentences and wrong for
#   decoding.
# - Test at sizes that differ: $n_q \ne n_k$, a table longer than the text, one token, a cache.
# - $QE^\top$ still grows with $n^2$. A plain bias that is fixed need not: with flipped queries it is a view of $2n-1$
#   numbers. One that is learned does in torch's own attention, silently.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Three queries, seven keys, four tokens in the cache. How many offsets, and which "
    "is the smallest?",
    options={
        "7, from −6":
            "Seven is the number of keys. Each further query adds one offset: it "
            "stands one place further on.",
        "9, from −6":
            "Yes: 3 + 7 − 1 = 9. The last query stands at 4 + 2, so key 0 is 6 back.",
        "9, from −2":
            "That would be without the cache: the queries stand at 4, 5, 6.",
        "13, from −6":
            "Thirteen offsets would be −6 … +6, those of seven queries and seven keys.",
    },
    answer="9, from −6",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A test compares a skew with to_grid for n_q = n_k = 8 under a causal mask. "
    "It passes. What does it show?",
    options={
        "The skew is right for any attention":
            "Whole texts and a mask hide junk, a forgotten past, confused lengths.",
        "It is right for causal self-attention over a whole sequence":
            "Yes, and for nothing else: no other length, no cache, no missing mask.",
        "Nothing":
            "It does show that the visible half is in its place.",
    },
    answer="It is right for causal self-attention over a whole sequence",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You train a bias of 2n − 1 numbers. The gradient of the n × n grid is G. "
    "What is the gradient of the row?",
    options={
        "The mean of each diagonal of G":
            "The chain rule adds up; a number used five times gets five contributions.",
        "The sum of each diagonal of G":
            "Yes: from_grid(G), the adjoint of to_grid.",
        "The first row and the first column of G":
            "Each number was shown in a whole diagonal, not only at its beginning.",
    },
    answer="The sum of each diagonal of G",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: eight, among them a decoder that reads the
# future. Every answer is checked, and a wrong one is told what went wrong.
#
# **Next:** [[next]].
#
# **Sources** C.-Z. A. Huang et al., *Music Transformer*, 2019, section 3.4 (the table, its memory, the skew) · P. Shaw
# et al., *Self-Attention with Relative Position Representations*, 2018, section 3.3 (relative position without a cube
# per head) · Z. Dai et al., *Transformer-XL*, 2019, appendix B (the same rearrangement) · C. Raffel et al., *Exploring
# the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, 2020, section 2.1 (a number per offset).
