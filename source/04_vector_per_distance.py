# %% [markdown]
# # [[title]]
#
# In [[bias_by_hand|chapter #]] each offset had one number, and every query had to use it. But words differ: a verb may
# look for its subject before it, an adjective for its noun after it. Shaw, Uszkoreit and Vaswani (2018) give each
# offset a *vector*, and a query is multiplied by it just as by a key.
#
# **You will be able to**
# - show what a vector per offset can do that a number cannot;
# - clip offsets, and find the row of the table for any pair;
# - compute the position part in four ways, and say what each costs;
# - write the value side as a sum over offsets.
#
# **You need** [[bias_by_hand|chapter #]]: scores, softmax, the offset $j - i$, `to_grid`. **Time** [[time]].
#
# There are two vectors per offset: one enters the score, the other is added to the value.

# %%
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
figures.attention_block("Shaw")

# %% [markdown]
# ## What one number per offset cannot do
#
# We use the five tokens of [[bias_by_hand|chapter #]] again. The offset $j - i$ of query $i$ and key $j$ is negative
# when the key comes first.
#
# Suppose *sat* should prefer the word before it, and *cat* the word after it. Can a bias arrange this? Give the offsets
# −1 and +1 the biases $b_{-1}$ and $b_{+1}$. A bias $b$ multiplies $e^{score}$ by $e^b$, and in the ratio of two
# weights of a row, the denominator of the softmax cancels. So the ratio of "before" to "after" should grow by the
# factor $e^{b_{-1} - b_{+1}}$ in *every* row. We try $b_{-1} = 1$ and $b_{+1} = 0$.

# %%
from course_lib.reference.attention import softmax
from course_lib.reference.grid import row_offsets, to_grid


def before_over_after(weights):
    """The weight of the word before over that of the word after: for cat, sat and on."""
    return np.array([weights[i, i - 1] / weights[i, i + 1] for i in range(1, n - 1)])


content = Q @ K.T / np.sqrt(D_K)
b = np.where(row_offsets(n) == -1, 1.0, 0.0)  # favours one step back
without, biased = softmax(content), softmax(content + to_grid(b[None], n))
print("                 ", *TOKENS[1:4], sep="    ")
print("without bias:    ", before_over_after(without))
print("with bias:       ", before_over_after(biased))
growth = before_over_after(biased) / before_over_after(without)
print("growth:          ", growth)
assert np.allclose(growth, np.e)

# %% [markdown]
# All three ratios grow by the same factor $e$. Whatever numbers we choose, a preference that helps *sat* is forced on
# *cat* too.
#
# ## One vector per offset
#
# Every offset gets a vector $a_{j-i}$ of $d_k$ numbers, the length of a key. It is added to the key before the query
# meets it:
#
# $$s_{ij} = \frac{q_i \cdot (k_j + a_{j-i})}{\sqrt{d_k}} = \frac{q_i \cdot k_j + q_i \cdot a_{j-i}}{\sqrt{d_k}}$$
#
# The first product is the **content** part, the second the **position** part. In a model the vectors are learned. We
# make ours by hand, so that they can be read. The four numbers of a vector are its *channels*.

# %%
A = np.array([
    [0.0, 0.0, 0.0, 1.0],  # two or more back
    [2.0, 0.0, 0.0, 0.0],  # one back
    [0.0, 0.0, 0.0, 0.0],  # the token itself
    [0.0, 1.0, 0.0, 0.0],  # one ahead
    [0.0, 0.0, -1.0, 0.0],  # two or more ahead
])
clip = 2
signs, four = ["−2", "−1", "0", "+1", "+2"], ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(Q, columns=four, corner="query ↓ channel →", alt="The queries Q", digits=0),
    figures.heatmap(A, rows=signs, columns=four, corner="offset ↓ channel →", alt="The key table A", digits=0),
)

# %% [markdown]
# A query that is positive in channel 0 prefers the word just before, and one that is positive in channel 1 the word
# just after. Channel 2 makes it avoid keys two or more ahead, and channel 3 prefer keys two or more back. First one
# pair by hand: *sat* looks at *cat*, so the offset is −1.

# %%
cat, sat = TOKENS.index("cat"), TOKENS.index("sat")
r = cat - sat
print("query sat:        ", Q[sat])
print(f"vector of {r:+d}:     ", A[r + clip])
print("content  q·k    = ", Q[sat] @ K[cat])
print("position q·a    = ", Q[sat] @ A[r + clip])
print("score (sum)/√4  = ", (Q[sat] @ K[cat] + Q[sat] @ A[r + clip]) / np.sqrt(D_K))
assert Q[sat] @ (K[cat] + A[r + clip]) == Q[sat] @ K[cat] + Q[sat] @ A[r + clip]

# %% [markdown]
# Now every query with every vector. **Before you run it:** *on* has the query (0, 0, 1, 1). Which of the five
# offsets does it prefer, and which does it avoid?

# %%
products = Q @ A.T
assert products.shape == (n, 2 * clip + 1)
figures.heatmap(products, columns=signs, corner="query ↓ offset →", alt="Q Aᵀ", digits=0)

# %% [markdown]
# *on* prefers keys two or more back, and avoids keys two or more ahead. Now compare two rows: *sat* gets 2 at −1 and 1
# at +1, while *cat* gets 0 and 2. The vectors are the same, but the preferences are opposite. **The query decides what
# a distance means.**
#
# ## Clipping
#
# A text of $n$ tokens has offsets from $-(n-1)$ to $n-1$. Shaw's table stops at a distance $k$, and all offsets beyond
# it share the last vector:
#
# $$\mathrm{clip}(r) = \max(-k, \min(k, r)), \qquad \text{row of the table} = \mathrm{clip}(r) + k$$
#
# First clip, then shift: offset $-k$ has row 0, and offset $+k$ has row $2k$. In the library, this $k$ is called
# `clip`. Take ten tokens, $k = 4$ and the query at position 5. Which offsets does clipping change?

# %%
def clip_row(r, clip):
    """The row of the table for offset r."""
    return max(-clip, min(clip, r)) + clip


print("key  offset  clipped  row")
for j in range(10):
    r = j - 5
    changed = "  <- changed" if clip_row(r, 4) - 4 != r else ""
    print(f"{j:3}  {r:+6}  {clip_row(r, 4) - 4:+7}  {clip_row(r, 4):3}{changed}")

# %% [markdown]
# Clipping changes only the offset of key 0, from −5 to −4. So the outermost vector means "4 *or more* back".
#
# Point at a table row to see which cells share it. Before you move the clip to 3, say how many cells will be clipped.

# %%
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

assert clip_index(offsets(10), clip=4)[5].tolist() == [clip_row(j - 5, 4) for j in range(10)]  # for all pairs at once
figures.clip_grid(6, clip=2)

# %% [markdown]
# Why clip? Shaw et al. expect that far away the exact offset is useless (section 3.2). And longer texts need no new
# rows. After training on texts of 128 tokens, how many pairs in a text of 256 need an untrained row?

# %%
seen, longer = offsets(128), offsets(256)
for k in (16, 127, 200):
    missing = ~np.isin(clip_index(longer, k), clip_index(seen, k))
    print(f"clip {k:3}: {missing.sum():,} of {longer.size:,} pairs")

# %% [markdown]
# None, as long as $k$ is smaller than the training length. Whether a model does *well* there has to be measured
# ([[longer_than_training|chapter #]]).
#
# ## The position part, four ways
#
# **1 · Loops.** We follow the formula, one pair after the other.

# %%
S = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        S[i, j] = Q[i] @ A[clip_row(j - i, clip)]

assert S[sat, cat] == 2
figures.heatmap(S, alt="Position part q·a", digits=0)

# %% [markdown]
# **2 · A vector for every pair.** We fetch the vector of each pair, add it to the key, and multiply. This needs an
# array of shape $(n, n, d)$ for every sequence and head.

# %%
rows = clip_index(offsets(n), clip)
vectors = A[rows]
print("one vector per pair:", vectors.shape)
assert np.array_equal(np.einsum("id,ijd->ij", Q, K + vectors), Q @ K.T + S)  # sums over d

m, heads, d = 4096, 8, 64
print(f"one text of {m:,} tokens, {heads} heads, d = {d}, float32:")
print(f"scores {4e-9 * heads * m * m:.2f} GB, with a vector per pair {4e-9 * heads * m * m * d:.1f} GB")

# %% [markdown]
# The next two ways need no such array.
#
# **3 · Multiply first, look up afterwards.** A query only needs its product with each of the $2k + 1$ vectors, and
# these are in `products` $= QA^\top$. For each pair we choose one number from the query's row.
#
# **4 · The grid.** For each query we write down its products for the offsets $-(n-1) \dots n-1$ in order, where clipped
# offsets repeat a product. Then `to_grid` shifts these rows onto the diagonals. The library's `key_term` works this
# way.

# %%
from course_lib.reference.shaw import key_term

gathered = products[np.arange(n)[:, None], rows]  # way 3
per_offset = products[:, clip_index(row_offsets(n), clip)]  # way 4
assert np.array_equal(gathered, S) and np.array_equal(to_grid(per_offset, n), S)
assert np.array_equal(key_term(Q, A), S)
named = ["−4", "−3", *signs, "+3", "+4"]
figures.heatmap(
    per_offset, TOKENS, named, corner="query ↓ offset →", alt="What to_grid places on the diagonals", digits=0
)

# %% [markdown]
# Ways 3 and 4 take $n(2k+1)d$ multiplications, way 1 takes $n^2 d$.
#
# ## Content, position, sum
#
# Unlike a bias, the position part is **inside** the scaling: it is divided by $\sqrt{d_k}$ as well.

# %%
scaled = S / np.sqrt(D_K)
total = content + scaled
assert np.allclose(total, (Q @ K.T + S) / np.sqrt(D_K))
figures.side_by_side(
    figures.heatmap(content, alt="Content q·k / √4", digits=2, limit=2, signed=True),
    figures.heatmap(scaled, alt="Position q·a / √4", digits=2, limit=2),
    figures.heatmap(total, alt="Sum", digits=2, limit=2, signed=True),
)

# %% [markdown]
# Does the table do what no bias could do? The position part of *sat* is 2 before and 1 after, and $\sqrt{d_k} = 2$. So
# its ratio should grow by the factor $e^{(2 - 1)/2}$. *cat* has 0 and 2, which gives $e^{(0 - 2)/2}$.

# %%
weights = softmax(total)
print("                 ", *TOKENS[1:4], sep="    ")
print("without the table:", before_over_after(without))
print("with the table:   ", before_over_after(weights))
growth = before_over_after(weights) / before_over_after(without)
print("growth:           ", growth)
assert np.allclose(growth[:2], [np.exp(-1), np.exp(0.5)])
figures.side_by_side(
    figures.heatmap(weights, alt="Weights with the key table"),
    figures.heatmap(weights - without, alt="Change"),
)

# %% [markdown]
# It does. Without the table, both prefer the word before (ratio 1.6487). With it, the ratio of *sat* is 2.7183, while
# *cat*, at 0.6065, now prefers the word after.
#
# **Your turn.** Change one vector of the table, and say first which queries' weights will change. For example: which
# queries notice (0, 3, 0, 0) in the middle row, offset 0?

# %%
mine = A.copy()
mine[clip] = [0, 3, 0, 0]
moved = softmax(content + key_term(Q, mine) / np.sqrt(D_K)) - weights
print("rows that move:", [TOKENS[i] for i in range(n) if abs(moved[i]).max() > 1e-12])
assert [TOKENS[i] for i in np.flatnonzero(Q[:, 1])] == ["cat", "sat"]  # their queries use channel 1
figures.heatmap(moved, alt="How the weights move with my table")

# %% [markdown]
# ## The value side
#
# The key table changes *where* a query looks. A second table changes *what it receives*: each value gets a vector of
# its offset ($a_v$ in the drawing, $c$ here).
#
# $$o_i = \sum_j w_{ij}\,(v_j + c_{j-i})$$
#
# In our table, channel 0 counts steps back and channel 3 steps ahead, two at most because of clipping.

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
# The sum splits as the scores did. $\sum_j w_{ij} v_j$ is the content part. For the position part we first collect how
# much weight each query gives to each offset, with `from_grid`. Then we add up the weights that share a row of the
# table, and multiply by the vectors.

# %%
from course_lib.reference.grid import from_grid
from course_lib.reference.shaw import shaw_attention

mass = from_grid(weights, shared=False)
clipped = np.zeros((n, 2 * clip + 1))
# not clipped[:, index] += mass, which keeps only the last number where an index repeats
np.add.at(clipped, (slice(None), clip_index(row_offsets(n), clip)), mass)
output = weights @ V + clipped @ C
assert np.allclose(output[sat], output_sat)
o, w = shaw_attention(Q, K, V, key_table=A, value_table=C)  # all of it in one function
assert np.allclose(o, output) and np.allclose(w, weights)
per = dict(corner="query ↓ offset →", digits=2)
figures.side_by_side(
    figures.heatmap(mass, TOKENS, named, alt="Weight per offset", **per),
    figures.heatmap(clipped, TOKENS, signs, alt="Weight per clipped offset", **per),
    figures.heatmap(clipped @ C, TOKENS, four, corner="query ↓ channel →", alt="What the value table adds"),
)

# %% [markdown]
# On average, *mat* looked 1.4092 steps back (its channel 0), where a longer distance counts as two.
#
# ## Can it be learned?
#
# Can training find vectors that let words look in different directions? A text has 12 words, each a number below 16. If
# a word is below 8, the answer is the word before it, otherwise the word after. At the ends nothing is asked (−100):

# %%
import torch

import course_study as study
from course_lib.nn.shaw import ShawVectors
from course_study.two_layers import BiasPerOffset, neighbours

torch.set_num_threads(1)  # quicker for small matrices
words, answers = neighbours(torch.Generator().manual_seed(0))
print("words:  ", words[0].tolist())
print("answers:", answers[0].tolist())

# %% [markdown]
# `study.fit` trains one layer with a linear read-out: once with key vectors, once with a learned number per offset.
# **Our margin: with all three seeds, the vectors reach 0.95 and the bias stays below 0.65.**

# %% tags=["nbval-ignore-output"]
found = study.fit(
    {
        "vectors": lambda: study.OneLayer(ShawVectors(1, 32, clip=2, values=False), 16),
        "bias": lambda: study.OneLayer(BiasPerOffset(), 16),
    },
    neighbours,
    steps=100,
)
print("accuracy   seed 0  seed 1  seed 2")
for name, accuracies in found.items():
    print(f"{name:9}", *(f"{accuracy:7.2f}" for accuracy in accuracies))
print(f"one neighbour, else a guess: {1 / 2 + 1 / 2 / 16:.2f}")
assert min(found["vectors"]) > 0.95 and max(found["bias"]) < 0.65

# %% [markdown]
# ## What a second head or a feed-forward layer gives back
#
# Can no model with biases do this? In committed runs we trained one head or two for longer, with or without a
# feed-forward layer after attention. **Guess first:** which of them reach 0.95?

# %%
runs = study.committed("two_layers")
accuracies = {}
for condition in ("one head", "two heads", "one head, feed-forward", "two heads, feed-forward"):
    accuracies[condition] = [row["accuracy"] for row in study.pick(runs, condition=condition)]
    print(f"{condition:24}", *(f"{accuracy:6.2f}" for accuracy in accuracies[condition]))
assert max(accuracies.pop("one head")) < 0.6 and np.min(list(accuracies.values())) > 0.95

# %% [markdown]
# In our models, all but the first. Even one head is enough, if a feed-forward layer follows. How? These are its mean
# weights on the word before and the word after:

# %%
for row in study.pick(runs, condition="one head, feed-forward"):
    low, high = row["first_half"][0], row["second_half"][0]
    print(f"seed {row['seed']}: words 0 to 7: {low[0]:.2f} {low[1]:.2f}   words 8 to 15: {high[0]:.2f} {high[1]:.2f}")

# %% [markdown]
# The bias treats all words alike, as it must: one neighbour gets about 0.6, the other 0.3. So the output contains both,
# at different strengths. The feed-forward layer also reads the word itself, and can pick the right one. A bias cannot
# choose where to *look*, but later parts of a model can choose what to *use*.
#
# ## Easy to believe; let us run it
#
# Judge the sentence.

# %%
from course_tasks import questions

questions.claims("vector_per_distance")

# %% [markdown]
# ## Remember
#
# - $s_{ij} = q_i \cdot (k_j + a_{j-i}) / \sqrt{d_k}$: a vector per offset, inside the scaling. The query decides.
# - Clip first, then shift: row $= \mathrm{clip}(j - i) + k$. The outermost rows mean "$k$ or more".
# - Avoid the $(n, n, d)$ array: multiply $QA^\top$ first, then look up or use `to_grid`.
# - The value side is the weight per clipped offset times the vectors.
# - In one head, a bias shifts the preference of all words alike. In our models, a second head or a feed-forward layer
#   still solved the task.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
parts = Q @ A[clip_index(-3, clip)]  # one for each query
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
    answer="different in general" if np.ptp(parts) > 0 else "equal, since",
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
    answer=f"{2 * 16 + 1} rows, row {clip_index(-40, 16)}",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
added = softmax(content + key_term(Q, A + np.array([1, 2, 3, 4])) / np.sqrt(D_K))
figures.question(
    "You add the same vector to every row of the key table. How do the attention weights change?",
    options={
        "Not at all":
            "Yes: q_i · (a + u) = q_i · a + q_i · u, the same for all keys of a row, and the softmax cancels it.",
        "Queries with a positive product with it look further away":
            "The vector is added to every offset alike, near and far.",
        "All of them, because all scores change":
            "All scores may change, but every score of a row changes by the same amount.",
    },
    answer="Not at all" if np.allclose(added, weights) else "All of them",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, one of them a bug hunt.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · A bias that begins at 0
#
# In the committed runs, the biases began at random numbers. If all begin at 0, the two heads of a model with a
# feed-forward layer stay alike for all 800 steps with two of three seeds. Here are the accuracy and each head's mean
# weights on the word before and the word after, at words below 8:

# %%
for row in study.pick(runs, condition="two heads, feed-forward, from 0", settings={"steps": 800}):
    print(f"seed {row['seed']}: accuracy {row['accuracy']:.2f}, the two heads", np.round(row["first_half"], 2).tolist())

# %% [markdown]
# So before you say that a model cannot learn a task, try more than one start.
#
# ## Deeper · What it costs, and what it brought
#
# Both tables together hold $(2k + 1)(d_k + d_v)$ numbers. The paper's base model has separate tables in every layer and
# head, while in its big model the heads of a layer share them (section 4.1).

# %%
both_tables = (2 * 16 + 1) * (64 + 64)
print(f"clip 16, d 64: {both_tables:,} numbers; for 8 heads: {8 * both_tables:,} per layer")
print(f"compared with the projections of a layer (d_model 512): {8 * both_tables / (4 * 512 * 512):.1%}")

# %% [markdown]
# What did this bring in translation? Here Shaw's vectors *replace* sinusoids ([[absolute_positions|chapter #]]). A
# higher BLEU is a better translation (test set; table 1 of the paper):
#
# | | positions | English to German | English to French |
# |---|---|---|---|
# | base | sinusoids | 26.5 | 38.2 |
# | base | Shaw, $k = 16$ | 26.8 | 38.7 |
# | big | sinusoids | 27.9 | 41.2 |
# | big | Shaw, $k = 8$ | 29.2 | 41.5 |
#
# The big model gains 1.3 and 0.3 BLEU. Adding sinusoids brought nothing more (section 4.2). Training made 7 % fewer
# steps per second (section 3.3).
#
# An *ablation* removes parts to see which matter. Here no model has absolute positions (base model, English to German,
# development set; tables 2 and 3):
#
# | clip $k$ | 0 | 1 | 2 … 256 |
# |---|---|---|---|
# | BLEU | 12.5 | 25.5 | 25.8 to 25.9 |
#
# So a small $k$ was enough. The paper suggests why: in a stack of layers, a token two steps away has itself looked two
# steps further. Without the value table the BLEU was the same, 25.8; it was 25.3 without the key table. This is one
# experiment, and the paper says that other tasks need further work.
#
# Why is $k = 0$ as bad as no positions? All offsets then share one vector. Work out the effect before you run the cell.

# %%
single = np.array([[0.7, -1.2, 0.4, 2.0]])
alike = key_term(Q, single)
print("position part, first and last column:", alike[:, 0], alike[:, 4])
assert np.all(alike == alike[:, :1])
assert np.allclose(shaw_attention(Q, K, V, key_table=single)[1], without)

# %% [markdown]
# The position part is constant along each row, so it cancels in the softmax. The value side adds the same vector to
# every output, because weights sum to 1.
#
# ## Deeper · Does it break causality?
#
# The table has vectors for later keys. Does a decoder then see the future? No, because the key vectors only change
# scores, and the **mask** comes after them. A hidden key has weight 0, so neither its value nor its vector reaches the
# output. We test this with a table that makes the future very tempting.

# %%
from course_lib.reference.attention import causal_mask

tempting = A.copy()
tempting[clip + 1 :] = 100.0  # every later key, at any price
mask = causal_mask(n)
modest, _ = shaw_attention(Q, K, V, key_table=A, value_table=C, mask=mask)
greedy, w = shaw_attention(Q, K, V, key_table=tempting, value_table=C, mask=mask)
assert np.allclose(modest, greedy)
print("largest weight on the future:", w[np.triu_indices(n, 1)].max())

# %% [markdown]
# In a causal model, the rows for later keys therefore never get a gradient.
#
# ## Deeper · What the maps do not show
#
# A bias matrix is *Toeplitz*: constant along each diagonal. Is the position part Toeplitz, too? And what does the mean
# weight along each diagonal, the **profile by offset**, say about the table?

# %%
print("position part at offset −1:", np.diagonal(S, -1))
pairs = n - abs(row_offsets(n))
print("pairs at the offsets −4 … +4:", pairs)
profile, plain = (from_grid(w)[0] / pairs for w in (weights, without))
assert np.allclose(profile, [np.diagonal(weights, r).mean() for r in row_offsets(n)])
assert {named[c] for c in np.argsort(profile - plain)[-2:]} == {"−1", "+1"}
both = ["with the table", "without it"]
figures.heatmap([profile, plain], both, named, corner="offset →", alt="Mean weight by offset", digits=2)

# %% [markdown]
# The position part is not Toeplitz, because the query changes from row to row. The means at −1 and +1 grow most, and
# the table favours both. It also favours keys two or more back, but the mean at −4 falls. A profile hides which query
# moved, and its outermost means come from one pair each.
#
# A published walk-through (Brenndoerfer 2025) draws six tokens with the seed 42, and both $W_q, W_k$ and the table with
# the seed 123. The next cell repeats it. Two traps:
#
# 1. The profile peaks at ±4, but also without the table. Each of these means comes from two pairs.
# 2. Because the seed is used twice, row $m$ of the table *is* row $m$ of $W_q$, up to a factor. A query adds up the
#    rows of $W_q$, each multiplied by one channel of $x_i$: row $m$ by channel $m$. So the product of the query and row
#    $m$ of the table partly measures this channel.

# %%
x = np.random.RandomState(42).randn(6, 8)
generator = np.random.RandomState(123)
w_q, w_k = (generator.randn(8, 4) * np.sqrt(2 / 12) for _ in range(2))
a6 = np.random.RandomState(123).randn(7, 4) * np.sqrt(2 / 11)  # the same seed again

content6 = (x @ w_q) @ (x @ w_k).T / 2
for name, position in {"with the table": key_term(x @ w_q, a6) / 2, "without": 0}.items():
    profile6 = from_grid(softmax(content6 + position))[0] / (6 - abs(row_offsets(6)))
    print(f"profile {name:15}", profile6.round(3))
    assert set(profile6.argsort()[-2:] - 5) == {-4, 4}
assert np.allclose(a6 / w_q[:7], np.sqrt(12 / 11))


def echo(seed):
    """The correlation of q_i · (row m of the table) with number m of x_i."""
    table = np.random.RandomState(seed).randn(7, 4)
    return np.corrcoef((x @ w_q @ table.T).ravel(), x[:, :7].ravel())[0, 1]


others = [echo(seed) for seed in range(1000, 2000)]
print(f"correlation with the same seed {echo(123):.2f}, with others {np.mean(others):.2f} ± {np.std(others):.2f}")

# %% [markdown]
# ## Deeper · The released code
#
# The speech encoders Wav2Vec2-BERT and SeamlessM4T v2 use Shaw's key vectors by default, without value vectors, clipped
# at 64 back and 8 ahead. We call `_apply_relative_key_position_encoding` in `modeling_wav2vec2_bert.py` on our tokens.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec
from types import SimpleNamespace

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers import SeamlessM4Tv2Config, Wav2Vec2BertConfig
    from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as released

    for config in (Wav2Vec2BertConfig(), SeamlessM4Tv2Config()):
        assert config.position_embeddings_type == "relative_key"
        back, ahead = config.left_max_position_embeddings, config.right_max_position_embeddings
        print(f"{config.model_type}: {back} back, {ahead} ahead")
    table = torch.nn.Embedding.from_pretrained(torch.tensor(A))
    theirs = SimpleNamespace(distance_embedding=table, scaling=D_K**-0.5)
    theirs.left_max_position_embeddings = theirs.right_max_position_embeddings = clip
    q, k = (torch.tensor(x)[None, None] for x in (Q, K))
    _, position_part = released._apply_relative_key_position_encoding(theirs, q, k)
    assert np.allclose(position_part[0, 0], scaled)
    print("the position part of the five tokens agrees")

# %% [markdown]
# Shaw's introduction cites Parikh et al. (2016) for an earlier idea, a bias by distance.
#
# **Sources** P. Shaw, J. Uszkoreit, A. Vaswani, *Self-Attention with Relative Position Representations*, 2018 · A.
# Parikh et al., *A Decomposable Attention Model for Natural Language Inference*, 2016, section 3.4 · M. Brenndoerfer,
# *Relative Position Encoding: Distance-Based Attention for Transformers*, 2025 (the six random tokens) · Hugging Face's
# `transformers` 5.23, in `models/`: `wav2vec2_bert/configuration_wav2vec2_bert.py`,
# `wav2vec2_bert/modeling_wav2vec2_bert.py`, `seamless_m4t_v2/configuration_seamless_m4t_v2.py`.
