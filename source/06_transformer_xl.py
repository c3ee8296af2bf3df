# %% [markdown]
# # [[title]]
#
# A text is longer than what fits through a model at once, so it is cut into segments. Transformer-XL (Dai et al. 2019)
# reads them one after the other and remembers the one before. That memory breaks absolute positions, and mending them
# leads to a score of four terms, each with a job that you can point at. You know two of the four already.
#
# **You will be able to**
# - show in numbers why a memory of segments and absolute positions do not go together;
# - take the absolute score apart into four terms and say which three things Transformer-XL changes;
# - tell the four new terms from their maps;
# - prove the relative shift, with memory, by counting places;
# - say where reading in segments equals one long pass, how far back a deep stack sees, and where gradients stop;
# - use it in torch.
#
# **You need** chapters [[bias_by_hand|#]], [[vector_per_distance|#]] and [[diagonals|#]]: the offset $j - i$, a vector
# per offset, `to_grid`. **Time** [[time]].
#
# This chapter looks one step behind queries and keys, at the inputs they are made of. Each of the five tokens gets an
# input $x$ of six numbers: five say which word it is, the sixth is spare. The weights are chosen so that $x W_q$ and
# $x W_k$ are the queries and keys of the chapters before.

# %%
import numpy as np

from course_lib import figures
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.absolute import sinusoidal

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
X = np.eye(n, 6)
W_q, W_k, W_v = (np.vstack([table, np.zeros(D_K)]) for table in (Q, K, V))
assert np.array_equal(X @ W_q, Q) and np.array_equal(X @ W_k, K)
figures.side_by_side(
    figures.heatmap(X, columns=list("012345"), title="X", alt="Inputs X: a 1 per token"),
    figures.heatmap(W_q, columns=list("0123"), title="W_q", alt="W_q: the queries, then zeros"),
)

# %% [markdown]
# ## A text that comes in segments
#
# Take ten tokens, our sentence twice, and read them in two segments of five. While it reads the second segment, the
# model keeps the inputs of the first as a **memory**: queries come from the new segment, keys and values from memory
# and segment together, ten in all.
#
# Give each token its absolute position in the usual way: a sinusoidal vector $p$ is added to the input. Each segment
# goes through the model by itself, so each is numbered from 0.

# %%
P = sinusoidal(np.arange(n), 6)
segment_1, segment_2 = X + P, X + P
print("segment 1, token 0:", segment_1[0])
print("segment 2, token 0:", segment_2[0])
assert np.array_equal(segment_1, segment_2)

# %% [markdown]
# Both are the same: each is the word *The* at position 0. Before you read on, commit to an answer.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Query sat of segment 2 looks at ten keys: five in memory, five in its own segment "
    "(no mask yet, so on and mat are among them). "
    "What does it make of the word cat, which stands among them twice?",
    options={
        "The nearer cat gets the higher score":
            "Nothing in its key says that it is the nearer one.",
        "The cat in memory gets a score of 0":
            "It has a key like any other, made from its word and its position.",
        "Both get exactly the same score":
            "Yes. Same word, same number, same key: one and six words back look alike.",
    },
    answer="Both get exactly the same score",
)

# %%
remembered = np.concatenate([segment_1, segment_2])
clash = (segment_2 @ W_q) @ (remembered @ W_k).T / np.sqrt(D_K)
assert np.allclose(clash[:, :n], clash[:, n:])
names = [f"{token} {half}" for half in (1, 2) for token in TOKENS]
figures.heatmap(
    clash, rows=TOKENS, columns=names, digits=2, corner="query ↓ key →",
    title="Scores of segment 2", alt="Scores of segment 2: the left half equals the right half",
)

# %% [markdown]
# The left half of the table is the right half. In general, token $t$ of every segment has the position vector $p_t$,
# and no query can tell which segment it came from (section 3.3 of the paper begins with this).
#
# Numbering on, 5, 6, 7, …, would make the keys differ. It would also need positions without end, all but the first of
# them rare or never seen in training. What a query wants to know about a key is how far back it is. So let the score
# ask for that.

# %% [markdown]
# ## The absolute score, taken apart
#
# First see where positions enter at all. With $q = (x_i + p_i) W_q$ and $k = (x_j + p_j) W_k$, multiply out:
#
# $$(x_i + p_i)\, W_q W_k^\top (x_j + p_j)^\top =
# \underbrace{x_i W_q W_k^\top x_j^\top}_{(a)} + \underbrace{x_i W_q W_k^\top p_j^\top}_{(b)} +
# \underbrace{p_i W_q W_k^\top x_j^\top}_{(c)} + \underbrace{p_i W_q W_k^\top p_j^\top}_{(d)}$$
#
# (The paper writes vectors as columns, we write them as rows: transpose everything and it is the same.) One pair first:
# *sat* looks at *cat*.

# %%
the, cat, sat, on, mat = range(n)
x_i, p_i, x_j, p_j = X[sat], P[sat], X[cat], P[cat]
for name, left, right in zip("abcd", (x_i, x_i, p_i, p_i), (x_j, p_j, x_j, p_j)):
    print(f"({name})  {(left @ W_q) @ (right @ W_k):7.4f}")
print(f"sum  {((x_i + p_i) @ W_q) @ ((x_j + p_j) @ W_k):7.4f}")

# %% [markdown]
# Now all pairs, each term as its own map.

# %%
q, k, pos_q, pos_k = X @ W_q, X @ W_k, P @ W_q, P @ W_k
absolute = {"a": q @ k.T, "b": q @ pos_k.T, "c": pos_q @ k.T, "d": pos_q @ pos_k.T}
whole = ((X + P) @ W_q) @ ((X + P) @ W_k).T
assert np.allclose(sum(absolute.values()), whole)
assert np.isclose(whole[sat, cat], 12.1091, atol=5e-5)

meets = {"a": "word, word", "b": "word, position", "c": "position, word", "d": "two positions"}
maps = [
    figures.heatmap(table, digits=2, limit=10, signed=True, alt=f"({name}) {meets[name]}")
    for name, table in absolute.items()
]
figures.side_by_side(figures.side_by_side(*maps[:2]), figures.side_by_side(*maps[2:]))

# %% [markdown]
# Three of the four hold an absolute position. Move the sentence three places on, and they change, though no word and no
# distance did:

# %%
P_later = sinusoidal(3 + np.arange(n), 6)
later_q, later_k = P_later @ W_q, P_later @ W_k
moved = {"a": q @ k.T, "b": q @ later_k.T, "c": later_q @ k.T, "d": later_q @ later_k.T}
for name, table in moved.items():
    print(f"({name}) largest change: {abs(table - absolute[name]).max():.2f}")
assert np.allclose(P @ P.T, P_later @ P_later.T)

# %% [markdown]
# "Sinusoids know distances already, since $p_i \cdot p_j$ depends on $i - j$ alone." Easy to believe, and what it
# says of $p_i \cdot p_j$ is true: $\sin a \sin b + \cos a \cos b = \cos(a - b)$ for every pair of channels (the last
# line tries it). But the model never computes $p_i \cdot p_j$. Between the two stands $W_q W_k^\top$, and with it
# even (d) depends on where the sentence begins.

# %% [markdown]
# ## Three changes
#
# **1. The key's position becomes a distance.** Wherever $p_j$ stands, in (b) and (d), put $R_{i-j}$, a sinusoidal
# vector of *how far back* the key is.
#
# **2. The query's position goes.** In (c) and (d), $p_i W_q$ is what a query wants because of where it stands. If only
# distance is to count, where it stands must make no difference. So one learned vector serves all positions: $u$ in (c),
# $v$ in (d).
#
# **3. Words and distances get keys of their own.** $W_k$ splits in two: $W_{k,E}$ makes keys from inputs, $W_{k,R}$
# from distances. Write $k_j = x_j W_{k,E}$ and $r_{j-i} = R_{i-j} W_{k,R}$:
#
# $$s_{ij} = \frac{1}{\sqrt d}\Big(\;
# \underbrace{q_i \cdot k_j}_{(a)} + \underbrace{q_i \cdot r_{j-i}}_{(b)} +
# \underbrace{u \cdot k_j}_{(c)} + \underbrace{v \cdot r_{j-i}}_{(d)} \;\Big)$$
#
# | | absolute | Transformer-XL | its job |
# |---|---|---|---|
# | (a) | $x_i W_q \cdot x_j W_k$ | $q_i \cdot k_j$ | content meets content |
# | (b) | $x_i W_q \cdot p_j W_k$ | $q_i \cdot r_{j-i}$ | content meets distance |
# | (c) | $p_i W_q \cdot x_j W_k$ | $u \cdot k_j$ | a key that is always interesting |
# | (d) | $p_i W_q \cdot p_j W_k$ | $v \cdot r_{j-i}$ | a distance that is always interesting |

# %% [markdown]
# ## R: no table, no end
#
# $R$ is the sinusoidal formula with the distance $i - j$ in place of the position: positive for the past, negative for
# the future. Nothing in it is stored or learned, so every distance has a vector. What is learned is $W_{k,R}$
# (`W_r` in code): as many rows as an input has numbers, $d_{model}$ (here 6), and for one head as many columns as a key
# has, $d$ (here 4). Ours passes on the first four channels as they are, so that you can check $r$ with a pocket
# calculator: $\sin \delta$, $\cos \delta$, and the same of a slower angle.
#
# `position_keys(n_q, n_k, W_r)` makes $r$ for every offset of a grid, ascending, as always in this course.

# %%
from course_lib.reference.grid import row_offsets, to_grid
from course_lib.reference.transformer_xl import position_keys

W_r = np.eye(6, D_K)
for distance in (0, 1, -1, 100_000):
    r_one = sinusoidal(distance, 6) @ W_r
    print(f"distance {distance:7,}:", r_one)

r = position_keys(n, n, W_r)
assert np.allclose(r, sinusoidal(-row_offsets(n), 6) @ W_r)
signs = [f"{o:+d}".replace("-", "−") for o in row_offsets(n)]
channels = ["sin δ", "cos δ", "sin, slow", "cos, slow"]
figures.heatmap(
    r.T, rows=channels, columns=signs, digits=2, corner="offset", title="r by offset j − i",
    alt="r by offset: mirrored at 0, cosines stay as they are, sines change sign",
)

# %% [markdown]
# Offset −1 is distance 1: one word back. The formula has a vector for a hundred thousand words back as well; whether
# the model learned to do anything sensible with it is another question ([[longer_than_training|chapter #]]).

# %% [markdown]
# ## One pair by hand
#
# Two learned vectors are still missing. Ours: $u$ likes keys with something in channels 1 and 3, $v$ likes what is
# here (cosine) and what is a little back (sine).

# %%
u = np.array([0.0, 1.0, 0.0, 1.0])
v = np.array([0.5, 1.0, 0.0, 0.0])

r_one = r[cat - sat + n - 1]  # the row of offset −1
print("(a)  q·k =", Q[sat] @ K[cat])
print(f"(b)  q·r = {Q[sat] @ r_one:.4f}")
print("(c)  u·k =", u @ K[cat])
print(f"(d)  v·r = {v @ r_one:.4f}")
total = (Q[sat] + u) @ K[cat] + (Q[sat] + v) @ r_one
print(f"score = sum/√4 = {total / np.sqrt(D_K):.4f}")

# %% [markdown]
# Before you see the four maps, say what each will look like. Which entries of (c) and of (d) must be equal, only
# because of what they depend on?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Which of the four maps has the same number all along each diagonal?",
    options={
        "(b) and (d), both are about distance":
            "In (b) the query has a say: two queries can judge the same distance differently.",
        "(d) alone":
            "Yes: v · r depends on j − i and on nothing else.",
        "(c) and (d), neither has a query in it":
            "True that neither has a query. (c) still depends on which key j is, so it "
            "is constant down each column.",
        "all four, since all is relative now":
            "(a) compares words, and words do not repeat along a diagonal.",
    },
    answer="(d) alone",
)

# %% [markdown]
# A loop over all pairs, straight from the formula:

# %%
by_loop = {name: np.zeros((n, n)) for name in "abcd"}
for i in range(n):
    for j in range(n):
        r_ij = r[j - i + n - 1]
        by_loop["a"][i, j] = Q[i] @ K[j]
        by_loop["b"][i, j] = Q[i] @ r_ij
        by_loop["c"][i, j] = u @ K[j]
        by_loop["d"][i, j] = v @ r_ij

# %% [markdown]
# Along a diagonal, cell $(i+1, j+1)$ must equal cell $(i, j)$ (a Toeplitz matrix); down a column, every row must
# equal the first. Ask all four, then look:

# %%
toeplitz = [name for name, t in by_loop.items() if np.allclose(t[1:, 1:], t[:-1, :-1])]
columns = [name for name, t in by_loop.items() if np.allclose(t, t[:1])]
print("constant along diagonals:", toeplitz, "| down columns:", columns)
assert toeplitz == ["d"] and columns == ["c"]

jobs = {
    "a": "content ↔ content", "b": "content ↔ distance",
    "c": "key always interesting", "d": "distance always interesting",
}
maps = [
    figures.heatmap(table, digits=2, limit=3, signed=True, alt=f"({name}) {jobs[name]}")
    for name, table in by_loop.items()
]
figures.side_by_side(figures.side_by_side(*maps[:2]), figures.side_by_side(*maps[2:]))

# %% [markdown]
# - **(a)** is attention as in [[bias_by_hand|chapter #]], blind to distance.
# - **(b)** is Shaw's term of [[vector_per_distance|chapter #]]: a query reads a vector per offset. *cat* (row 1) makes
#   something else of one word back than *sat* does.
# - **(c)** is one number per key. *The* is interesting to everybody, *cat* to nobody.
# - **(d)** is the bias row of [[bias_by_hand|chapter #]]: one number per offset, laid on the diagonals.
#
# The next cell checks (b) and (d) with the functions of those chapters. (Shaw's table ends at ±`clip`; with nine rows
# it has `clip` 4, and nothing is clipped.)

# %%
from course_lib.reference.shaw import key_term

assert np.allclose(key_term(Q, r), by_loop["b"])
assert np.allclose(to_grid((v @ r.T)[None], n), by_loop["d"])
figures.heatmap(v @ r.T, columns=signs, digits=2, alt="(d) as one number per offset")

# %% [markdown]
# ## The matrix
#
# (a) with (c), and (b) with (d), share a factor. So two products and one `to_grid` do it all:
#
# $$S = \frac{(Q + u)\,K^\top + \text{to\_grid}\big((Q + v)\,r^\top\big)}{\sqrt d}$$
#
# All four terms stand inside the scaling. (The paper's formulas leave it out; its code scales the sum.) With $u = v =
# 0$ and $W_{k,R} = 0$ nothing is left but (a), plain attention: the last assert.

# %%
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.transformer_xl import xl_scores

scores = ((Q + u) @ K.T + to_grid((Q + v) @ r.T, n)) / np.sqrt(D_K)
assert np.allclose(scores, sum(by_loop.values()) / np.sqrt(D_K))
assert np.allclose(scores, xl_scores(Q, K, r, u, v))
assert np.isclose(scores[sat, cat], total / np.sqrt(D_K))
assert np.allclose(xl_scores(Q, K, 0 * r, 0 * u, 0 * v), Q @ K.T / np.sqrt(D_K))

weights = softmax(np.where(causal_mask(n), scores, -np.inf))
figures.side_by_side(
    figures.heatmap(scores, digits=2, alt="Scores: all four terms / √4"),
    figures.heatmap(weights, digits=3, alt="Weights under the causal mask"),
)

# %% [markdown]
# ## Easy to believe; let us run it: "(c) cancels in the softmax"
#
# (c) does not depend on the query. So every query gets the same amount, and what is the same for all cancels. Does it?

# %%
without_c = scores - by_loop["c"] / np.sqrt(D_K)
row_constant = by_loop["c"].sum(axis=1, keepdims=True)
print(f"(c) left out:         {abs(softmax(without_c) - softmax(scores)).max():.4f}")
print(f"a constant per query: {abs(softmax(scores + row_constant) - softmax(scores)).max():.4f}")
assert not np.allclose(softmax(without_c), softmax(scores))

# %% [markdown]
# What cancels is whatever does not depend on the **key**: a constant along a row. (c) is constant down the columns, the
# other way round, and it stays: some weight moves by more than a tenth. A term $q_i \cdot w$, the same for all keys,
# would cancel, and none of the four looks like that.
#
# **Your turn.** Choose a $v$ that makes *sat*, *on* and *mat* look two words back above all, whatever the words say.
# You are done when the last three numbers printed are 2 2 2.
#
# <details><summary>Two hints and an answer</summary>
#
# Which combination of $\sin \delta$ and $\cos \delta$ is largest at $\delta = 2$? $\cos(\delta - 2) = \sin 2 \sin
# \delta + \cos 2 \cos \delta$. It must also be strong enough to outdo the words: with `my_v = c *
# np.array([np.sin(2), np.cos(2), 0, 0])`, `c = 4` is too weak and `c = 5` will do.
#
# </details>

# %%
my_v = v
mine = softmax(np.where(causal_mask(n), xl_scores(Q, K, r, u, my_v), -np.inf))
print("steps back to the favoured key:", np.arange(n) - mine.argmax(axis=1))
figures.side_by_side(
    figures.heatmap(to_grid((my_v @ r.T)[None], n), digits=2, alt="My (d)"),
    figures.heatmap(mine, digits=3, alt="My weights"),
)

# %% [markdown]
# ## Which sign?
#
# The paper writes $R_{i-j}$. Some texts print that formula and then compute $R_{j-i}$. Does it matter? Sine is odd and
# cosine even: $\sin(-\delta) = -\sin\delta$, $\cos(-\delta) = \cos\delta$. So the other sign negates every second
# channel of $R$, and $W_{k,R}$ can take that back by negating every second row.

# %%
R_other = sinusoidal(row_offsets(n), 6)  # j − i instead of i − j
same_weights = xl_scores(Q, K, R_other @ W_r, u, v)
W_flipped = W_r * np.array([-1, 1, -1, 1, -1, 1])[:, None]
assert np.allclose(xl_scores(Q, K, R_other @ W_flipped, u, v), scores)

print(f"other sign, same weights: off by up to {abs(same_weights - scores).max():.2f}")
print(f"v·r one word back: {v @ r[n - 2]:.2f} becomes {v @ (R_other @ W_r)[n - 2]:.2f}")

# %% [markdown]
# Both conventions can express the same scores, so a model trained with either is as good. But weights trained with one
# do not run with the other: one word back and one word ahead change places. Nothing crashes. When you load weights,
# find out which sign they were trained with.

# %% [markdown]
# ## What it costs
#
# "Done naively this takes $O(n^3)$." Easy to believe; count. How many multiplications does (b) take for $n$ queries and
# keys, when $R$ and the vectors of one head have $d$ numbers? Once as the formula reads, making $R_{i-j} W_{k,R}$ for
# every pair, and once with a vector per offset. "And parameters? $u$, $v$ and a formula: $O(d)$." The formula has none,
# but a matrix stands behind it. The last lines list what the torch module of the course learns.

# %%
import torch

from course_lib.nn.transformer_xl import TransformerXL

d, totals = 64, []
print("   n   per pair: project  then multiply | per offset: project  then multiply")
for m in (256, 512, 1024):
    pairs, offsets = m * m, 2 * m - 1
    naive, once = (pairs * d * d, pairs * d), (offsets * d * d, m * offsets * d)
    print(f"{m:5} {naive[0]:17,} {naive[1]:14,} | {once[0]:18,} {once[1]:14,}")
    totals.append(sum(naive))
assert totals[2] == 4 * totals[1] == 16 * totals[0]  # O(n³) would be 8 and 64 times

print("\nlearned, with d_model = 512 and 8 heads:")
module = TransformerXL(d_model=512, n_heads=8)
for name, parameter in module.named_parameters():
    print(f"{name:16}{tuple(parameter.shape)!s:12}{parameter.numel():9,}")
assert [p.numel() for p in module.parameters()] == [512, 512, 512**2]

# %% [markdown]
# Twice the length costs four times as much, so it is $O(n^2 d)$ for the products and $O(n^2 d^2)$ for the naive
# projection. What one vector per offset saves is that projection, which becomes linear in $n$ (section 3.3 of the
# paper says it that way), and the $(n, n, d)$ array of [[diagonals|chapter #]]. The products $q \cdot r$ do not become
# fewer. They even double: each query is multiplied with all $2n - 1$ vectors and uses $n$ of the results. The shift
# below needs
# $n$ only.
#
# For all heads together $W_{k,R}$ is a full $d_{model} \times d_{model}$ matrix, 262,144 numbers at $d_{model} = 512$
# in each layer, beside which the 1,024 of $u$ and $v$ (a pair for each head) hardly count.

# %% [markdown]
# ## The relative shift
#
# A causal query needs distances from $n_k - 1$ down to 0 only. Multiply each query with those $n_k$ vectors, one
# product for all, and shift row $i$ into place. With three queries after a memory of two there are five keys:

# %%
from course_lib.reference.transformer_xl import relative_shift

labels = [[f"q{i}·r{delta}" for delta in range(4, -1, -1)] for i in range(3)]
for line in labels:
    print("  ".join(line))
rows = 10 * np.arange(1, 4)[:, None] + np.arange(4, -1, -1)
shifted = relative_shift(rows)
print("\nshifted, with 10, 20, 30 for the query, plus the distance:")
print(shifted)
assert shifted[0, :3].tolist() == [12, 11, 10]

# %% [markdown]
# Query 0 stands at position 2, after the two in memory. Its keys 0, 1, 2 are 2, 1 and 0 back, and its row begins with
# 12, 11, 10: right. Then come a zero and 24, which is query 1 at distance 4. Follow any number through the steps:

# %%
picture = figures.provenance("shift", n=3, memory=2)
assert picture.junk == 3
picture

# %% [markdown]
# **The proof is counting places.** Column $c$ of the rows is distance $n_k - 1 - c$. After the zero in front, it lies
# at place $i(n_k + 1) + 1 + c$ of the flat line of numbers. The shift skips $n_q$ numbers and cuts every $n_k$, so
# cell $(i, j)$ is place $n_q + i\,n_k + j$. Query $i$ stands at position $n_k - n_q + i$ and needs the distance
# $n_k - n_q + i - j$, which is column $c = j - i + n_q - 1$, the very index of `to_grid`:
#
# $$i(n_k + 1) + 1 + (j - i + n_q - 1) \;=\; n_q + i\,n_k + j \qquad\checkmark$$
#
# It holds as long as column $c$ exists, $c \le n_k - 1$, which is to say up to offset 0. Beyond that the next place on
# the line is the zero of the next row, then the next query's numbers: **junk**, for the mask to hide.

# %%
rng = np.random.default_rng(0)
for n_q, past in ((5, 0), (3, 2), (1, 4), (4, 6)):
    n_k = past + n_q
    general = rng.normal(size=(n_q, n_q + n_k - 1))  # a number for every offset
    visible = causal_mask(n_q, past=past)
    by_index, by_shift = to_grid(general, n_q), relative_shift(general[:, :n_k])
    assert np.array_equal(by_shift[visible], by_index[visible])
    wrong = (by_shift != by_index).sum()
    print(f"n_q={n_q}, memory={past}: {visible.sum()} cells equal, {wrong} junk")
    assert wrong == n_q * (n_q - 1) // 2

# %% [markdown]
# Note what a test of shapes, or "no query reads the future", would have told us: nothing. A shift can have the right
# shape, never touch a later query, and be wrong in all cells but one. You meet such a version among the tasks. A loop
# over the formula finds it at once.

# %% [markdown]
# ## Segments with memory
#
# Now the recurrence itself (section 3.2). A layer reads a segment together with what it remembers; queries come from
# the segment, keys and values from both; `past` is the number of rows remembered. Two functions of the course do the
# bookkeeping. `update_memory(memory, x, length)` puts a segment behind what was remembered and keeps the last `length`
# rows (you will write that part yourself in the tasks). `position_keys(…, past=past)` makes $r$ for queries that
# stand behind `past` other tokens, where offsets begin at $-(past + n_q - 1)$.

# %%
from course_lib.reference.transformer_xl import update_memory


def read(x, memory, w):
    """One layer, one head: a segment x (n_q, d_model) after a memory (past, d_model)."""
    past, both = len(memory), np.concatenate([memory, x])
    r = position_keys(len(x), len(both), w["r"], past=past)
    s = xl_scores(x @ w["q"], both @ w["k"], r, w["u"], w["v"])
    s = np.where(causal_mask(len(x), past=past), s, -np.inf)
    return softmax(s) @ (both @ w["value"])


ours = {"q": W_q, "k": W_k, "r": W_r, "u": u, "v": v, "value": W_v}
text = np.concatenate([X, X])
nothing = text[:0]
one_pass = read(text, nothing, ours)
first = read(text[:5], nothing, ours)
second = read(text[5:], update_memory(None, text[:5], length=5), ours)
assert np.allclose(np.concatenate([first, second]), one_pass)

# %% [markdown]
# Two segments of five with a memory of five, and one pass over ten: equal but for rounding. And the two *cats* are no
# longer one. The scores of segment 2 with the memory in front:

# %%
r_long = position_keys(5, 10, W_r, past=5)
relative = xl_scores(Q, np.concatenate([K, K]), r_long, u, v)
assert not np.allclose(relative[:, :n], relative[:, n:])
print(f"sat → cat, six back: {relative[sat, cat]:.2f}, one back: {relative[sat, cat + n]:.2f}")
figures.heatmap(
    relative, rows=TOKENS, columns=names, digits=2, corner="query ↓ key →",
    title="Relative scores of segment 2", alt="Relative scores of segment 2: its two halves differ",
)

# %% [markdown]
# A memory shorter than what came before loses something. Here it holds the last two tokens, then none. Each row tells
# how far the output of each token of segment 2 is from that of the long pass:

# %%
off = []
for length in (5, 2, 0):
    short = read(text[5:], update_memory(None, text[:5], length), ours)
    off.append(abs(short - one_pass[5:]).max(axis=1))
assert np.allclose(off[0], 0) and np.min(off[1:]) > 1e-3
figures.heatmap(
    np.round(off, 10), rows=["memory 5", "memory 2", "memory 0"], digits=3, corner="token",
    title="Largest difference from the long pass",
    alt="Difference from the long pass: 0 with memory 5, above 0 for every token with 2 and 0",
)

# %% [markdown]
# With a memory of 0 the segments are separate texts. With 2 every query still misses three keys. This is a truncation
# and no error, as a window of attention is one (a window reaches equally far back from every query, a memory from the
# beginning of the segment). The length is a choice, and since $R$ has no end it may change: the paper trains with a
# memory of one segment and evaluates with several (section 3.2).
#
# A memory that is accepted and then ignored gives the last row of that table, whatever its length. No shape is wrong,
# nothing is raised. The equality with the long pass is the test that notices.

# %% [markdown]
# ## Several layers: how far back?
#
# Each layer remembers **its own inputs**, the hidden states $h$. In the second layer these have already looked back one
# segment. So what it sees of the segment before holds traces of the one before that.
#
# Read a text in segments of 4 with a memory of 4. Change token 0 and nothing else, and see which outputs move.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Three layers, segments of 4, memory of 4. Token 0 is changed. "
    "Which is the last token whose output moves?",
    options={
        "7": "That is one layer: segment 2 (tokens 4 to 7) has segment 1 in its memory.",
        "11": "That is two layers. Each layer adds one segment.",
        "15": "Yes: its own segment, and one more for each of three layers.",
        "the last of the text": "The memory of a layer is finite: the trace dies out after the last layer.",
    },
    answer="15",
)

# %%
def read_text(x, layers, size, length):
    """A text (n, d) through all layers, segment by segment, each layer with a memory."""
    memory, output = [x[:0]] * len(layers), []
    for start in range(0, len(x), size):
        h = x[start : start + size]
        for number, w in enumerate(layers):
            later = h + read(h, memory[number], w)
            memory[number] = update_memory(memory[number], h, length)
            h = later
        output.append(h)
    return np.concatenate(output)


rng = np.random.default_rng(1)
shapes = {"q": (8, 8), "k": (8, 8), "r": (8, 8), "u": (8,), "v": (8,), "value": (8, 8)}
stack = [{name: rng.normal(size=s) / 3 for name, s in shapes.items()} for _ in range(3)]
long_text = rng.normal(size=(20, 8))
changed = long_text.copy()
changed[0] += 1.0

# %% [markdown]
# Three layers with random weights, and the text twice: once as it is, once with another token 0. Read each with one,
# two and three layers and take the difference.

# %%
def change(layers):
    """How far the output of each token moves when token 0 is changed."""
    after, before = (read_text(x, layers, 4, 4) for x in (changed, long_text))
    return abs(after - before).max(axis=1)


how_much = np.array([change(stack[:1]), change(stack[:2]), change(stack)])
moved = how_much > 1e-9
last = [int(np.flatnonzero(row)[-1]) for row in moved]
print("last token that moves, with 1, 2, 3 layers:", last)
assert last == [7, 11, 15] and all(row[: end + 1].all() for row, end in zip(moved, last))

by_segment = how_much.reshape(3, 5, 4).mean(axis=2)
assert np.all(np.diff(by_segment) <= 0) and np.all(by_segment[~moved[:, ::4]] < 1e-9)
figures.heatmap(
    by_segment, rows=["1 layer", "2 layers", "3 layers"], digits=3, corner="tokens",
    columns=[f"{start}–{start + 3}" for start in range(0, 20, 4)],
    title="How much outputs move, mean per segment",
    alt="How much outputs move: down to 0 after two, three, four segments with 1, 2, 3 layers",
)

# %% [markdown]
# One segment further per layer: with $N$ layers and a memory of one segment $L$, a token can be reached from $N \cdot
# L$ tokens before its segment, and the paper's $O(N \cdot L)$ is just that. Beyond it, exactly nothing. (Follow it
# backwards, a layer at a time: from a token to the beginning of its segment, then as far as memory reaches; from the
# token found there to the beginning of *its* segment, and so on. With any memory length, that is the rule.)
#
# "Can be reached" is not "makes use of". Along each row the numbers fall: the trace thins out with every segment
# here, in untrained layers. How much of its reach a trained model uses must be measured on that model. The paper does
# so, and reports dependencies 450 % longer than those of its plain Transformer.
#
# And is the deep stack with memory equal to one long pass? In one layer it was, because the memory held *everything*
# before. The same is true here, and only then:

# %%
long_pass = read_text(long_text, stack, 20, 0)
for length in (16, 8, 4):
    gap = abs(read_text(long_text, stack, 4, length) - long_pass).max(axis=1)
    equal = int((gap < 1e-9).sum())
    print(f"memory {length:2}: the first {equal} tokens equal the long pass")
    assert equal == min(20, length + 4) and np.all(gap[:equal] < 1e-9)

# %% [markdown]
# ## In torch, and where gradients stop
#
# `TransformerXL` plugs into the same `RelativeAttention` as every scheme of the course, and `SegmentMemory` carries the
# hidden states. No call names `past`: the layer takes it from the length of the memory.

# %%
from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention

torch.manual_seed(0)
layer = RelativeAttention(8, 2, TransformerXL(8, 2), causal=True).double()
segments = torch.randn(2, 1, 4, 8, dtype=torch.double)
memory = SegmentMemory(length=4)
with torch.no_grad():
    ours_1, ours_2 = (layer(x, cache=memory) for x in segments)
    whole = layer(torch.cat(list(segments), dim=1))
assert torch.allclose(torch.cat([ours_1, ours_2], dim=1), whole)
print("remembered:", tuple(memory.x.shape))

# %% [markdown]
# Equal to one pass over all eight tokens, as above. (The course's tests also compare it with the NumPy functions.)
#
# The memory is **detached** (the paper writes SG, stop gradient): what was read before is taken as it is. Otherwise the
# loss of a segment would go back as far as the outputs reach, one segment for every layer, and all the computations on
# the way would have to be kept. In the next cell the loss is that of segment 2 alone, and a mask lets it look at the
# four remembered tokens only, not at itself. Before you run it: will segment 1's input get a gradient? Will $W_k$,
# which makes the keys?

# %%
old, new = (x.clone().requires_grad_() for x in segments)
memory = SegmentMemory(length=4)
layer(old, cache=memory)
only_memory = torch.arange(8) < 4
layer(new, cache=memory, mask=only_memory).square().sum().backward()

print("segment 1:", old.grad)
print("segment 2:", tuple(new.grad.shape))
names_of = {name.removesuffix(".weight"): p for name, p in layer.named_parameters()}
learn = [name for name, p in names_of.items() if p.grad.abs().max() > 0]
print("weights that learn:", ", ".join(learn))
assert old.grad is None and len(learn) == 7

# %% [markdown]
# Nothing at all flows into the old segment. All seven weights learn, $W_k$ and $W_v$ among them, and here they can only
# have learned from the memory: its keys and values are made anew from the remembered inputs while segment 2 is read.
#
# A key-value cache ([[bias_by_hand|chapter #]]) of the same length gives the same output and is another thing. It keeps
# what $W_k$ and $W_v$ made at the time. Three differences follow. **Gradients** flow through a cache unless somebody
# detaches it. **Size:** a memory keeps $d_{model}$ numbers per token and layer, a cache twice as many, keys and values.
# **Freshness:** when the optimizer moves $W_k$ between two segments, a memory follows and a cache is stale. The price
# is that with a memory the old keys are computed again each time. Once weights no longer change, a cache saves that
# work.

# %%
old, new = (x.clone().requires_grad_() for x in segments)
cache, memory = KeyValueCache(), SegmentMemory(length=4)
layer(old, cache=cache), layer(old, cache=memory)
before = layer(new, cache=cache)
assert torch.allclose(before, whole[:, 4:])
before.square().sum().backward()
print("through a cache, gradient in segment 1:", bool(old.grad.abs().max() > 0))
kept = memory.x.numel() // len(memory), (cache.k.numel() + cache.v.numel()) // len(cache)
print("numbers kept per token: memory", kept[0], "| cache", kept[1])
assert old.grad.abs().max() > 0 and kept == (8, 16)

caches = KeyValueCache(), SegmentMemory(length=4)
with torch.no_grad():
    for cache in caches:
        layer(segments[0], cache=cache)
    layer.key.weight += 0.1 * torch.randn_like(layer.key.weight)  # a training step
    fresh = layer(torch.cat(list(segments), dim=1))[:, 4:]
    follows = [torch.allclose(layer(segments[1], cache=c), fresh) for c in caches]
print("equal to one pass with the new weights: cache", follows[0], "| memory", follows[1])
assert follows == [False, True]

# %% [markdown]
# ## Remember
#
# - With a memory of segments, absolute positions clash: token $t$ of every segment looks alike.
# - Three changes to the absolute score: $R_{i-j}$ for $p_j$; $u$ and $v$ for $p_i W_q$; separate keys for words and
#   distances.
# - (a) content ↔ content, (b) Shaw's $q_i \cdot r_{j-i}$, (c) a number per key, (d) a number per offset. All inside the
#   scaling. Only (d) is Toeplitz; (c) is constant down columns and does not cancel.
# - $R$ needs no table; $W_{k,R}$ is $d_{model} \times d_{model}$ over all heads. Naive is $O(n^2 d^2)$, never $O(n^3)$.
# - The shift is `to_grid` up to offset 0 and junk beyond: $n_q(n_q - 1)/2$ cells for the mask.
# - Segments equal one long pass as long as the memory holds all that came before. Gradients stop at the memory, and its
#   keys are made anew.
# - Each layer goes back to the beginning of the segment it landed in, then one memory further: $N \cdot L$ when the
#   memory is one segment.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Why are there two learned vectors, u and v, and not one?",
    options={
        "One for memory, one for the segment":
            "Both are used for every key, wherever it comes from.",
        "One meets keys made from words, the other keys made from distances":
            "Yes: W_kE and W_kR make different kinds of keys, and what is interesting "
            "among words says nothing about distances.",
        "One per direction, past and future":
            "Direction is in the sign of the distance inside R.",
    },
    answer="One meets keys made from words, the other keys made from distances",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder without a mask uses the relative shift. What happens?",
    options={
        "It works: the junk is small":
            "The junk is another query's scores, as large as any.",
        "An error about shapes":
            "All shapes fit. That is what makes it dangerous.",
        "For later keys, queries read a zero and then scores of the next query":
            "Yes. Without a mask use the general skew, or to_grid.",
    },
    answer="For later keys, queries read a zero and then scores of the next query",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A memory of 4, segments of 4, six layers. How far before its own segment can a token look?",
    options={
        "4": "In one layer, yes. What it sees there has looked back itself.",
        "10": "Reach adds up per layer: six steps of four, not a four and a six.",
        "24": "Yes: memory and segments are both 4, so each of six layers adds 4.",
        "Without end, since memory is passed on":
            "Layer N's memory holds states of layer N − 1, which reach one step less far.",
    },
    answer="24",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: seven, from telling the four terms apart to a shift
# that is right in one cell only.
#
# **Next:** [[next]].
#
# **Sources** Z. Dai et al., *Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context*, 2019:
# section 3.2 (segments, memory, gradients), section 3.3 (the four terms), appendix B (the shift); the 450 % are from its
# abstract · P. Shaw et al., *Self-Attention with Relative Position Representations*, 2018 · C.-Z. A. Huang et al.,
# *Music Transformer*, 2019 (the skew) · A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.5
# (sinusoids).
