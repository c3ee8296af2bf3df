# %% [markdown]
# # [[title]]
#
# In [[bias_by_hand|chapter #]] every distance had one number, and all queries had to live with it. Here each distance
# gets a *vector*, and a query reads it the way it reads a key. The same offset can then please one word and put off the
# next. This is the scheme of Shaw, Uszkoreit and Vaswani (2018). The next three chapters are answers to it.
#
# **You will be able to**
# - say what a vector per offset can do that a number cannot, and show it in a table;
# - clip offsets and find the row of the table for any pair of tokens;
# - compute the position part of the scores in four ways, from one pair to the grid, and say what each costs;
# - read a position map and a profile by offset without seeing more in them than there is;
# - write the value side as a sum over offsets, and count the parameters.
#
# **You need** [[bias_by_hand|chapter #]]: scores, softmax, the offset $j - i$, `to_grid`. **Time** [[time]].

# %%
import numpy as np

from course_lib import figures
from course_lib.example import D_K, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
four = ["0", "1", "2", "3"]
figures.heatmap(Q, columns=four, alt="Queries Q of the five tokens", digits=0)

# %% [markdown]
# ## What one number per offset cannot say
#
# The five tokens, keys and values of [[bias_by_hand|chapter #]] again: query $i$, key $j$, offset $j - i$, negative
# when the key came before.
#
# Suppose *sat* should look one word back and *cat* one word ahead. Give the offset −1 a bias $b_{-1}$ and the offset
# +1 a bias $b_{+1}$, and compare how much each query favours the word before it over the word after it.
# [[bias_by_hand|Chapter #]]'s algebra says what to expect: up to one factor that a row has in common, the two weights
# are multiplied by $e^{b_{-1}}$ and $e^{b_{+1}}$. So their ratio grows by $e^{b_{-1} - b_{+1}}$, the same in every row.

# %%
from course_lib.reference.attention import softmax
from course_lib.reference.grid import row_offsets, to_grid

cat, sat = TOKENS.index("cat"), TOKENS.index("sat")
content = Q @ K.T / np.sqrt(D_K)
b = np.where(row_offsets(n) == -1, 1.0, 0.0)  # one step back is favoured
without, biased = softmax(content), softmax(content + to_grid(b[None], n))
for i in range(1, n - 1):  # those with a word on both sides
    before, after = without[i, i - 1] / without[i, i + 1], biased[i, i - 1] / biased[i, i + 1]
    print(f"{TOKENS[i]:3}: ratio {before:.3f} becomes {after:.3f}, times {after / before:.3f}")
    assert np.isclose(after / before, np.e)

# %% [markdown]
# *on* prefers the word after it at first, *cat* and *sat* the word before; all three ratios grow by the same factor
# $e$. Whatever numbers you choose, what favours the word before in one row favours it in all. But words differ. In *The
# cat that I saw yesterday sat*, the verb's subject is easily taken to be three words back; count, and it is five. Without
# the clause in between it is one. A model with numbers gets round that with several heads, each with its own. Shaw's
# answer works inside one head.

# %% [markdown]
# ## One vector per offset
#
# Every offset gets a vector $a_{j-i}$ of $d_k$ numbers, as many as a key has. It is added to the key before the query
# meets it:
#
# $$s_{ij} = \frac{q_i \cdot (k_j + a_{j-i})}{\sqrt{d_k}} = \frac{q_i \cdot k_j + q_i \cdot a_{j-i}}{\sqrt{d_k}}$$
#
# The first product is the **content** part, the second the **position** part. In a model the vectors are learned. Ours
# are made by hand so that they can be read: channel 0 asks for the word just before, channel 1 for the word just
# after, channel 2 shies away from what lies two or more ahead, channel 3 asks for what lies two or more back.
#
# Under it one pair by hand: *sat* looks at *cat*, so the offset is −1, and its vector stands one row above the middle
# one.

# %%
A = np.array([
    [0.0, 0.0, 0.0, 1.0],  # two or more back
    [1.0, 0.0, 0.0, 0.0],  # one back
    [0.0, 0.0, 0.0, 0.0],  # the token itself
    [0.0, 1.0, 0.0, 0.0],  # one ahead
    [0.0, 0.0, -1.0, 0.0],  # two or more ahead
])
clip = 2
signs = ["−2", "−1", "0", "+1", "+2"]
figures.heatmap(A, rows=signs, columns=four, corner="offset ↓ channel →", alt="The key table A", digits=0)

# %%
r = cat - sat
print("query sat:        ", Q[sat])
print(f"vector of {r:+d}:     ", A[r + clip])
print("content  q·k    = ", Q[sat] @ K[cat])
print("position q·a    = ", Q[sat] @ A[r + clip])
print("score (sum)/√4  = ", (Q[sat] @ K[cat] + Q[sat] @ A[r + clip]) / np.sqrt(D_K))
assert Q[sat] @ (K[cat] + A[r + clip]) == Q[sat] @ K[cat] + Q[sat] @ A[r + clip]

# %% [markdown]
# Now every query with every vector of the table. **Before you run the cell:** *on* has the query (0, 0, 1, 1). Which of
# the five offsets does it ask for, which does it avoid?

# %%
products = Q @ A.T
assert products.shape == (n, 2 * clip + 1)
figures.heatmap(products, columns=signs, corner="query ↓ offset →", alt="Q Aᵀ", digits=0)

# %% [markdown]
# Read the column −1: *sat* gets 1, *cat* gets 0, for the same offset and the same vector. Read the column +1: *cat*
# gets 2. So *sat* and *cat* favour different sides within one head. **The query decides what a distance means.** (And
# *on* asks for what lies two or more back, and avoids what lies two or more ahead.)
#
# That is why the vector is added to the key. Added to the query, it would be multiplied by $k_j$, and the key would
# decide instead.

# %% [markdown]
# ## Clipping
#
# A text of $n$ tokens has offsets from $-(n-1)$ to $n-1$. Shaw's table stops at a distance $k$ and lets all offsets
# beyond share the last vector:
#
# $$\mathrm{clip}(r) = \max(-k, \min(k, r)), \qquad \text{row of the table} = \mathrm{clip}(r) + k$$
#
# The $+k$ is there because rows are counted from 0: offset $-k$ lives in row 0, offset 0 in row $k$, offset $+k$ in
# row $2k$. First clip, then shift. The course calls $k$ `clip` in code. Take $k = 4$ and the query at position 5:

# %%
def clip_row(r, k):
    """The row of the table for offset r."""
    return max(-k, min(k, r)) + k


print("key  offset  clipped  row")
for j in range(10):
    r = j - 5
    changed = "  <- changed" if clip_row(r, 4) - 4 != r else ""
    print(f"{j:3}  {r:+6}  {clip_row(r, 4) - 4:+7}  {clip_row(r, 4):3}{changed}")

# %% [markdown]
# "Positions 0 and 1 both exceed the limit, so both are clipped to −4": both end up at −4, but only −5 exceeds it. The
# offset −4 still has its own name. It shares its vector with everything beyond, so the outermost vector means "4 *or
# more* back".
#
# Now for all pairs. `offsets(n)` is the square of $n$ tokens. When a text is read in pieces, the first queries may be
# over already: `offsets(2, 5, 3)` has two queries and five keys, and 3 tokens are `past`. Query $i$ then stands at
# position `past + i`, so that these are the last two rows of the square.

# %%
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

index = clip_index(offsets(10), clip=4)
assert index[5].tolist() == [clip_row(j - 5, 4) for j in range(10)]
assert np.array_equal(index[1:, 1:], index[:-1, :-1])  # the same along each diagonal
print("along a diagonal:      ", np.diagonal(index, -1))
print("along an anti-diagonal:", np.diagonal(index[:, ::-1], 1))
assert np.array_equal(offsets(2, 5, 3), offsets(5)[3:])
figures.heatmap(offsets(2, 5, 3), TOKENS[3:], TOKENS, corner="query ↓ key →", alt="Offsets of the last two queries")

# %% [markdown]
# The row of the table stays the same all along each **diagonal** (top left to bottom right), because there $j - i$ stays
# the same. Along an anti-diagonal $i + j$ stays the same, and the offset changes by two at every step.
#
# Try it with six tokens: change the length and the clip, and point at a cell or at a row of the table to see who shares
# it. Before you move the clip from 2 to 3, say how many cells will still be clipped.

# %%
clipped_cells = [int((abs(offsets(6)) > k).sum()) for k in range(6)]
assert clipped_cells == [(6 - k) * (6 - k - 1) for k in range(6)]
figures.clip_grid(n=6, clip=2)

# %% [markdown]
# ## Why clip?
#
# The table becomes finite, so a text may be longer than any seen in training: its offsets all have a row. How much that
# is worth: train on 128 tokens, test on 256, and count the pairs whose row was never trained. The second reason is
# practice: how many pairs does a training text have at an offset?

# %%
seen, longer = offsets(128), offsets(256)
unseen = ~np.isin(longer, seen)
print(f"of {longer.size:,} pairs, offset unseen: {unseen.sum():,} ({unseen.mean():.1%})")
for k in (16, 127, 200):
    missing = ~np.isin(clip_index(longer, k), clip_index(seen, k))
    print(f"row of the table unseen, clip {k:3}: {missing.sum():,}")
for r in (1, 16, 64, 127):
    print(f"training pairs at offset {r:+4}: {(seen == r).sum():5,}")
print(f"training pairs at +16 and beyond: {(seen >= 16).sum():,}")
assert all((seen == r).sum() == 128 - abs(r) for r in range(-127, 128))

# %% [markdown]
# "With relative positions every distance seen in training carries over" is true, and a quarter of the pairs at test time
# have a distance that was *not* seen. Clipping gives each of them a trained row, as long as $k$ stays below the training
# length.
#
# How well trained is another matter. One text of $n$ tokens has $n - |r|$ pairs at offset $r$: 127 for +1, and a single
# one for +127. With $k = 127$ no row is unseen, but row ±127 has learned from one pair per text. With $k = 16$ the row for
# "16 or more ahead" is shared by 6,328 pairs, and no row is busier than the two outermost ones. (Whether a model then does
# *well* on the longer text is a question for measurements; nothing here measured it.)

# %% [markdown]
# ## The position part, four ways
#
# **1 · Loops.** Straight from the formula, one pair after the other. In the result, *cat* wants the next word, *sat* both
# neighbours and nothing far ahead, *mat* everything behind it.

# %%
S = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        S[i, j] = Q[i] @ A[clip_row(j - i, clip)]

figures.heatmap(S, alt="Position part q_i · a_{j−i}", digits=0)

# %% [markdown]
# **2 · A vector for every pair.** Fetch the vector of each pair first, add it to the keys, multiply. It looks like the
# formula and needs an array of shape $(n, n, d)$, which is $d$ times as many numbers as there are scores. Once the keys
# are added, every sequence and every head has its own:

# %%
rows = clip_index(offsets(n), clip)
vectors = A[rows]
print("one vector per pair:", vectors.shape)
assert np.array_equal((Q[:, None] * vectors).sum(axis=-1), S)
assert np.array_equal(np.einsum("id,ijd->ij", Q, K + vectors), Q @ K.T + S)

print("batch  heads     n   d   scores    with a vector per pair (float32)")
for batch, heads, m, d in ((2, 8, 64, 32), (1, 8, 1024, 64), (1, 8, 4096, 64)):
    scores = 4 * batch * heads * m * m
    print(f"{batch:5}  {heads:5}  {m:4}  {d:2}  {scores / 1e6:7.2f} MB  {d * scores / 1e6:11,.1f} MB")

# %% [markdown]
# The time grows like that of plain attention; the memory of this form does not. The paper avoids the array (section 3.3)
# by splitting the sum into its content part and its position part.
#
# **3 · Multiply first, look up afterwards.** A query needs no more than its product with each of the $2k + 1$ vectors,
# and we have those already: `products` $= QA^\top$. The rest is choosing from a row, with an index for each pair.
#
# **4 · The grid.** Write down what each query makes of each of the $2n - 1$ offsets, clipped ones repeated, and lay those
# rows on the diagonals with `to_grid` of [[bias_by_hand|chapter #]], this time with a row per query. It multiplies as
# often as way 3 and holds $n(2n - 1)$ numbers on the way instead of $n^2$. In return there is no index per pair, only a
# shift per row, which [[diagonals|chapter #]] gets for nothing; and its counterpart `from_grid` does the value side
# further down. The library's `key_term` is this way.

# %%
from course_lib.reference.shaw import key_term

gathered = products[np.arange(n)[:, None], rows]  # way 3
per_offset = products[:, clip_index(row_offsets(n), clip)]  # way 4
assert np.array_equal(gathered, S) and np.array_equal(to_grid(per_offset, n), S)
assert np.array_equal(key_term(Q, A), S)
for m, k in ((6, 3), (5, 2), (128, 16), (1024, 16)):
    print(f"n = {m:4}, clip {k:2}: {(2 * k + 1) / m:.2f} times the multiplications of ways 1 and 2")
named = ["−4", "−3", *signs, "+3", "+4"]
figures.heatmap(
    per_offset, TOKENS, named, corner="query ↓ offset →", alt="What to_grid lays on the diagonals", digits=0
)

# %% [markdown]
# Ways 1 and 2 take $n^2 d$ multiplications, the products $n(2k+1)d$. That is less once $2k + 1 < n$; in small examples it
# can be more. A row of the table above also holds offsets that its query does not have (*cat*, at position 1, has no −4):
# `to_grid` drops them.

# %% [markdown]
# ## Content, position, sum
#
# Both parts stand **inside** the scaling, so the position part is divided by $\sqrt{d_k}$ as well
# ([[bias_by_hand|chapter #]]'s bias stood outside). First the two maps and their sum, then what becomes of the weights:

# %%
scaled = S / np.sqrt(D_K)
total = content + scaled
assert np.allclose(total, (Q @ K.T + S) / np.sqrt(D_K))
figures.side_by_side(
    figures.heatmap(content, alt="Content q·k / √4", digits=2, limit=2, signed=True),
    figures.heatmap(scaled, alt="Position q·a / √4", digits=2, limit=2),
    figures.heatmap(total, alt="Sum", digits=2, limit=2, signed=True),
)

# %%
weights = softmax(total)
change = weights - without
factor = np.exp(scaled)  # the rule of the bias: gain if above the row's mean factor
average = (without * factor).sum(axis=1, keepdims=True)
assert np.array_equal(change > 0, factor > average)
print(f"sat → cat: {without[sat, cat]:.1%} becomes {weights[sat, cat]:.1%}")
print(f"cat → sat: {without[cat, sat]:.1%} becomes {weights[cat, sat]:.1%}")
figures.side_by_side(
    figures.heatmap(weights, alt="Weights with the key table"),
    figures.heatmap(change, alt="Change"),
)

# %% [markdown]
# *sat* moved towards *cat* and *cat* towards *sat*: one looks back, the other ahead. What you proved in
# [[bias_by_hand|chapter #]] about who gains holds here word for word, with $B_{ij} = q_i \cdot a_{j-i} / \sqrt{d_k}$.
# *mat* shows a side of it worth knowing: its position part is the same, 0.5, for all four words before it, and they all
# gain in proportion. A constant over a *whole* row would have cancelled.
#
# **Your turn.** Change the table, one vector at a time, and say before you run the cell which rows will move. For
# example: which queries notice a vector (0, 3, 0, 0) in the middle row, offset 0?

# %%
mine = A.copy()
mine[clip] = [0, 3, 0, 0]
moved = softmax(content + key_term(Q, mine) / np.sqrt(D_K)) - weights
print("rows that move:", [TOKENS[i] for i in range(n) if abs(moved[i]).max() > 1e-12])
assert [TOKENS[i] for i in np.flatnonzero(Q[:, 1])] == ["cat", "sat"]  # whose query has a number in channel 1
figures.heatmap(moved, alt="How the weights move with my table")

# %% [markdown]
# ## Six random tokens
#
# Hand-made vectors are easy to read. What do the maps look like when nothing is made to be read? Six tokens of eight
# random numbers, projections to $d_k = 4$ and tables with $k = 3$, all random. Each matrix has the spread
# $\sqrt{2 / (\text{rows} + \text{columns})}$, as is usual for a start. Seeds make the numbers the same on every machine.
# **Before you run the cell:** along which lines will the numbers of the position map be the same?

# %%
x = np.random.RandomState(42).randn(6, 8)
generator = np.random.RandomState(123)
w_q, w_k = (generator.randn(8, 4) * np.sqrt(2 / (8 + 4)) for _ in range(2))
generator = np.random.RandomState(123)
a6, c6 = (generator.randn(7, 4) * np.sqrt(2 / (7 + 4)) for _ in range(2))

q6, k6 = x @ w_q, x @ w_k
content6, position6 = q6 @ k6.T / 2, key_term(q6, a6) / 2
without6, weights6 = softmax(content6), softmax(content6 + position6)
print("weights:", weights6.round(3), sep="\n")
square = dict(corner="query ↓ key →", digits=2)
figures.side_by_side(
    figures.heatmap(content6, alt="Content, six random tokens", **square),
    figures.heatmap(position6, alt="Position, six random tokens", **square),
)

# %% [markdown]
# Four sentences that one might write under these maps; **easy to believe, let us run them.**
#
# **"The position part depends on the distance alone, so the map is constant along its diagonals."** The *index* matrix
# is; such a matrix is called Toeplitz. The numbers are $q_i \cdot a_{j-i}$, and $q_i$ changes from row to row. Neighbours
# agree only within a row, where clipping repeats a vector.

# %%
offset_1 = np.diagonal(position6, 1)
print("position part at offset +1:", offset_1)
print(f"range at offset +1: {np.ptp(offset_1):.2f}")
spread = [np.ptp(np.diagonal(position6, r)) for r in range(-5, 6)]
assert max(spread) == spread[6] and np.ptp(offset_1) > 2.5

# %% [markdown]
# At the offset +1 it runs from −1.0012 to 1.5738, a range of 2.58 in the exponent of the softmax. A bias per offset is
# Toeplitz, Shaw's position part is not. That is what the vector is for.

# %% [markdown]
# **"The changes are modest, since the vectors are random."** Random does not mean small. (What one key of a row gains,
# others lose: half the sum of the absolute changes is what has moved.)

# %%
shift = abs(weights6 - without6)
print("favourite key of each query, without position:", without6.argmax(axis=1))
print("favourite key of each query, with position:   ", weights6.argmax(axis=1))
print(f"most weight moved in one row: {shift.sum(axis=1).max() / 2:.3f}")
others = [np.random.RandomState(seed).randn(7, 4) * np.sqrt(2 / 11) for seed in range(200)]
moved = [abs(softmax(content6 + key_term(q6, a) / 2) - without6).sum(axis=1).max() / 2 for a in others]
print(f"the same with 200 other tables, median: {np.median(moved):.2f}")
assert np.median(moved) > 0.15
figures.heatmap(weights6 - without6, corner="query ↓ key →", alt="Change of the weights, six random tokens", digits=3)

# %% [markdown]
# Row 3 changes its favourite from key 4 to key 1 and moves 0.255 of its attention, a quarter of everything it has. Other
# random tables move about as much: an untrained table is loud.

# %% [markdown]
# **"The average weight by offset peaks at ±4, so the table has a liking for four steps."** Average the weights along each
# diagonal, with the table and without it. Summing along diagonals is `from_grid`, the counterpart of `to_grid`; dividing
# by the number of pairs makes it a mean.

# %%
from course_lib.reference.grid import from_grid

count = 6 - abs(row_offsets(6))
profile, plain = (from_grid(w)[0] / count for w in (weights6, without6))
assert np.allclose(profile, [np.diagonal(weights6, r).mean() for r in row_offsets(6)])
for r in (-4, 4):
    print(f"the pairs at {r:+}, with the table: {np.diagonal(weights6, r)}, without: {np.diagonal(without6, r)}")
assert min(plain[[1, 9]]) > 0.3 and plain[[1, 9]].min() > np.delete(plain, [1, 9]).max()
print("pairs at the offsets −5 … +5:", count)
labels = ["−5", *named, "+5"]
figures.heatmap(
    [profile, plain], ["with the table", "without it"], labels, corner="offset →", alt="Mean weight by offset"
)

# %% [markdown]
# The tallest means are at +4 and −4, with 0.3518 and 0.3510; offset 0 has 0.0763. But the same two peaks, 0.3270 and
# 0.3082, are there **without any table**. Two pairs each make them (±5 is a single pair), and of the two at +4 one weight
# is 0.6202 and the other 0.0833: these peaks say which tokens happen to stand there, and little about distance. A
# profile by offset is a fine instrument for a trained model and long texts, where each offset has many pairs.

# %% [markdown]
# **"The table and the projections were drawn at random, so they have nothing to do with each other."** Look once more at
# the cell that made them. The generator is started twice with the seed 123:

# %%
print("a6 / first rows of w_q:")
print(a6[:2] / w_q[:2])
ratio = np.sqrt(12 / 11)
assert np.allclose(a6, w_q[:7] * ratio)
assert np.allclose(c6, np.concatenate([w_q[7:], w_k[:6]]) * ratio)
echo = np.corrcoef((q6 @ a6.T).ravel(), x[:, :7].ravel())[0, 1]
print(f"correlation of q_i · a_r with number r of token i: {echo:.2f}")

# %% [markdown]
# The same numbers, up to the factor of their spreads: row $r$ of the key table *is* row $r$ of $W_q$. The value table goes
# on from there: the last row of $W_q$, and then rows of $W_k$. It happens easily when each part of a layer takes "the
# seed" as an argument. Nothing fails, the shapes are right.
#
# What it does: $q_i \cdot a_r$ is now, up to a factor, $x_i \cdot (W_q W_q^\top)_{:,r}$. The entry $r$ of that column is a
# sum of squares, so number $r$ of token $i$ always counts positively: the position part echoes the *content* of token
# $i$, here with a correlation of 0.46. One generator for everything, handed from part to part, and the echo is gone. A
# task of this chapter is about it. (The weights printed above are right all the same: the arithmetic does not care where
# its numbers came from.)

# %% [markdown]
# ## A table that prefers the word before
#
# To see what a table can do, make one with a purpose. Which vector would *every* query of our sentence like? The
# vector $u = (1, 0, 0, 1)$ has a positive product with all five. Put it in the row for −1 and zeros everywhere else.

# %%
u = np.array([1.0, 0.0, 0.0, 1.0])
print("q · u:", Q @ u)
locality = np.zeros((2 * clip + 1, D_K))
locality[clip - 1] = 3 * u

local = softmax(content + key_term(Q, locality) / np.sqrt(D_K))
for i in range(1, n):  # weight of the word before over the weight of the token itself
    growth = local[i, i - 1] / local[i, i] / (without[i, i - 1] / without[i, i])
    assert np.isclose(growth, np.exp(3 * Q[i] @ u / 2))
    if i in (sat, n - 1):
        print(f"{TOKENS[i]:3}: the word before against the token itself, times {growth:.2f}")
assert np.allclose(local[0], without[0])
figures.heatmap(local, alt="Weights with the table that prefers −1")

# %% [markdown]
# The diagonal below the main one has filled up, and *mat*, whose product with $u$ is twice as large, gives *on* most.
# *The* has no word before it: its row is untouched. The effect can be predicted: against any other key, the word before
# grows by the factor $e^{3\, q_i \cdot u / 2}$.
#
# The table says "one back", and the query says how much. A query that points away from $u$ would shun the word before.
# So what a table "has learned" can be read only together with the queries it meets.

# %% [markdown]
# ## The value side
#
# The key table changes *where* a query looks. A second table changes *what it takes home*: to each value, too, the
# vector of its offset is added.
#
# $$o_i = \sum_j w_{ij}\,(v_j + c_{j-i})$$
#
# Ours is again made to be read. Channel 0 counts steps back, channel 3 steps ahead (two at most, since it is clipped).

# %%
C = np.array([
    [2.0, 0.0, 0.0, 0.0],  # two or more back
    [1.0, 0.0, 0.0, 0.0],  # one back
    [0.0, 0.0, 0.0, 0.0],  # the token itself
    [0.0, 0.0, 0.0, 1.0],  # one ahead
    [0.0, 0.0, 0.0, 2.0],  # two or more ahead
])
for j in range(n):
    print(f"{weights[sat, j]:.4f} * ({V[j]} + {C[clip_row(j - sat, clip)]})  ({TOKENS[j]})")
output_sat = sum(weights[sat, j] * (V[j] + C[clip_row(j - sat, clip)]) for j in range(n))
print("output of sat:", output_sat)

# %% [markdown]
# Now all queries. The sum splits as the scores did: $WV$ is the content, and for the rest each query collects how much
# weight it gave to each offset. That is `from_grid` again, with a row per query: a row of the weights, shifted so that
# offsets stand below one another. With clipping the outer columns share a vector, so their weights are added up first,
# and $2k + 1$ columns are left. One product with the vectors does the rest.
#
# For the adding up, `clipped[:, rows] += mass` would not do: where an index is repeated, NumPy's `+=` keeps only the last
# one. `np.add.at` adds them all.

# %%
from course_lib.reference.shaw import shaw_attention

mass = from_grid(weights, shared=False)
clipped = np.zeros((n, 2 * clip + 1))
np.add.at(clipped, (slice(None), clip_index(row_offsets(n), clip)), mass)
output = weights @ V + clipped @ C
assert np.allclose(clipped.sum(axis=1), 1) and np.allclose(output[sat], output_sat)
for i in range(n):  # the loop over all pairs agrees
    pairs = [weights[i, j] * (V[j] + C[clip_row(j - i, clip)]) for j in range(n)]
    assert np.allclose(output[i], sum(pairs))
o, w = shaw_attention(Q, K, V, key_table=A, value_table=C)  # all of it in one function
assert np.allclose(o, output) and np.allclose(w, weights)
figures.side_by_side(
    figures.heatmap(mass, TOKENS, named, corner="query ↓ offset →", alt="Weight per offset", digits=2),
    figures.heatmap(clipped, TOKENS, signs, corner="query ↓ offset →", alt="Weight per clipped offset", digits=2),
    figures.heatmap(clipped @ C, TOKENS, four, corner="query ↓ channel →", alt="What the value table adds"),
)

# %% [markdown]
# Channel 0 of *mat* got 1.4648: it looked back that many steps on average, counting far ones as two. Channel 3 of *The*
# tells the same about looking ahead. With the plain sum $\sum_j w_{ij} v_j$ a token never learns *where* a value came
# from, unless the values carry positions themselves.

# %% [markdown]
# ## What it costs, and what it brought
#
# A table is $2k + 1$ *vectors*. Both together hold $(2k + 1)(d_k + d_v)$ numbers. Whether that is per head or per layer
# is a choice: the paper's base model has its own tables in every layer and head, the big one shares them among the
# heads of a layer (section 4.1).

# %%
def parameters(k, d_k, d_v, tables=1):
    """Learned numbers of Shaw's scheme."""
    return (2 * k + 1) * (d_k + d_v) * tables


print("clip 16, d 32:          ", f"{parameters(16, 32, 32):,}", f"= {2 * 16 + 1}·32·2")
print("clip 64, d 64:          ", f"{parameters(64, 64, 64):,}")
print("unclipped, n 512, d 64: ", f"{parameters(511, 64, 64):,}", f"in {2 * 512 - 1:,} offsets")
print("clip 16, d 64:          ", f"{parameters(16, 64, 64):,}  shared by the heads of a layer")
print("the same, 8 heads apart:", f"{parameters(16, 64, 64, tables=8):,}  per layer")
print("projections, d_model 512:", f"{4 * 512 * 512:,} per layer")

# %% [markdown]
# What it brought, in the paper's own measurements: English to German, BLEU on the development set, with the absolute positions taken out.
#
# | clip $k$ | 0 | 1 | 2 … 256 |
# |---|---|---|---|
# | BLEU | 12.5 | 25.5 | 25.8 to 25.9 |
#
# | | both tables | keys only | values only | neither |
# |---|---|---|---|---|
# | BLEU | 25.8 | 25.8 | 25.3 | 12.5 |
#
# (Shaw et al. 2018, tables 2 and 3.) Training took 7 % fewer steps per second (section 3.3). The base model used
# $k = 16$, the big one 8.
#
# **"Take $k$ about as long as your texts."** Nothing in the first table asks for it: from 2 to 256 it hardly matters. In
# a stack of layers, a token two steps away has itself looked two steps further. **"Both tables contribute."** Keys
# alone do as well as both, in this experiment; the authors leave open for which tasks values matter.
#
# Why is $k = 0$ as bad as no table at all? With $k = 0$ all offsets share one vector. Work it out before you run it.

# %%
single = np.array([[0.7, -1.2, 0.4, 2.0]])
alike = key_term(Q, single)
print("position part, first and last column:", alike[:, 0], alike[:, 4])
assert np.all(alike == alike[:, :1])
assert np.allclose(shaw_attention(Q, K, V, key_table=single)[1], without)

# %% [markdown]
# The position part is constant along each row and cancels in the softmax; the value side adds the same vector to every
# output. Such a layer cannot tell order, unless a mask does.

# %% [markdown]
# ## Does it break causality?
#
# The table has vectors for offsets ahead. "So a decoder must not have them, or it will see the future." The vectors only
# change scores. A **mask** decides what is seen, and it comes last: hidden keys have the weight 0, and so nothing of
# them, and nothing of their offsets, arrives in the output. In a causal model the rows for
# offsets ahead are merely never used, and never trained. A tempting table, to test it:

# %%
from course_lib.reference.attention import causal_mask

tempting = A.copy()
tempting[clip + 1 :] = 100.0  # everything ahead, at any price
mask = causal_mask(n)
plain, _ = shaw_attention(Q, K, V, key_table=A, value_table=C, mask=mask)
greedy, w = shaw_attention(Q, K, V, key_table=tempting, value_table=C, mask=mask)
assert np.all(w[np.triu_indices(n, 1)] == 0) and np.allclose(plain, greedy)
print("largest weight on the future:", w[np.triu_indices(n, 1)].max())

# %% [markdown]
# ## In torch
#
# `ShawVectors` holds both tables, `RelativeAttention` the projections and the mask. A whole layer: two heads with their
# own tables, a causal mask, and gradients. Six tokens reach 5 back, a table with $k = 8$ reaches 8: which of its offsets
# receive a gradient? And read token by token with a cache, does the same layer give the same numbers? It should, because
# the offset is counted from where a query really stands, `past + i`.

# %%
import torch

from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.shaw import ShawVectors

torch.manual_seed(0)
position = ShawVectors(n_heads=2, d_head=4, clip=8)
layer = RelativeAttention(d_model=8, n_heads=2, position=position, causal=True)
layer(torch.randn(1, 6, 8)).square().sum().backward()
trained = position.key_table.grad.abs().sum(dim=(0, 2)) > 0
print("offsets with a gradient:", (torch.arange(-8, 9)[trained]).tolist())
assert sum(p.numel() for p in position.parameters()) == parameters(8, 4, 4, tables=2)
assert torch.arange(-8, 9)[trained].tolist() == [-5, -4, -3, -2, -1, 0]

text, cache = torch.randn(1, 12, 8), KeyValueCache()
one_by_one = [layer(text[:, t : t + 1], cache=cache) for t in range(12)]
assert torch.allclose(torch.cat(one_by_one, dim=1), layer(text), atol=1e-5)
print("12 tokens, clip 8, one by one and at once: the same")

# %% [markdown]
# ## Remember
#
# - $s_{ij} = q_i \cdot (k_j + a_{j-i}) / \sqrt{d_k}$: a vector per offset, read by the query, inside the scaling.
# - Clip first, then shift: row $= \mathrm{clip}(j - i) + k$. The outermost rows mean "$k$ or more".
# - Never build the $(n, n, d)$ array: products $QA^\top$ first, then a look-up, or `to_grid`.
# - The index is constant along diagonals. The position part is not: the query decides.
# - The value side is a sum over offsets: `from_grid(weights)` times the vectors. In the paper, keys alone did as well.
# - A mean by offset is worth as much as the number of pairs behind it.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Two queries see a key three tokens back. The position parts of their scores are …",
    options={
        "equal, since the offset is equal":
            "The vector is the same one. Each query multiplies it by its own numbers.",
        "different in general":
            "Yes: q_i · a_{−3} depends on the query. Only a bias per offset would be equal.",
        "equal if the keys are equal":
            "The key takes part in the content part only; the position part is q_i · a.",
    },
    answer="different in general",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "clip is 16. A text has 100 tokens. How many rows does the key table have, and which "
    "row does the offset −40 use?",
    options={
        "33 rows, row 0":
            "Yes: −40 is clipped to −16, and −16 + 16 = 0.",
        "32 rows, row 0":
            "From −16 to +16 there are 33 offsets: 16 on each side, and 0.",
        "199 rows, row 59":
            "That is a table without clipping: one row per offset of 100 tokens.",
        "33 rows, row −24":
            "That is −40 + 16: shifted without clipping. Clip first.",
    },
    answer="33 rows, row 0",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You add the same vector to every row of the key table. What changes?",
    options={
        "Nothing":
            "Yes: q_i · (a + u) = q_i · a + q_i · u, the same for all keys of a row, and the softmax cancels it.",
        "Queries that like the vector look further":
            "It is added to every offset alike, near and far.",
        "All scores, and with them the weights":
            "All scores, yes. But every score of a row by the same amount.",
    },
    answer="Nothing",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: eight, three of them bug hunts. Every answer is
# checked, and a wrong one is told what went wrong.
#
# **Next:** [[next]].
#
# **Sources** P. Shaw, J. Uszkoreit, A. Vaswani, *Self-Attention with Relative Position Representations*, 2018:
# section 3.1 (equations 3 and 4), section 3.2 (clipping), section 3.3 (memory and speed), section 4.1 (the models),
# tables 2 and 3 (the ablation).
