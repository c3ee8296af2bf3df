# %% [markdown]
# # [[title]]
#
# In [[bias_by_hand|chapter #]] each offset had one number, the same for every query. But words differ: a verb may look
# for its subject before it, and an adjective for its noun after it. Shaw, Uszkoreit and Vaswani (2018) give each offset
# a *vector*. A query is multiplied by this vector just as by a key, so each query can use it in its own way.
#
# **You will be able to**
# - show what a vector per offset can do that a number cannot;
# - clip offsets, and find the row of the table for any pair;
# - compute the position part with loops, by look-up and with `to_grid`;
# - write the value side as a sum over offsets.
#
# **You need** [[bias_by_hand|chapter #]]: scores, softmax, the offset $j - i$, `to_grid`. **Time** [[time]].
#
# Each offset has two vectors, one for the score and one for the value.

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
# In the five tokens of [[bias_by_hand|chapter #]], suppose that *sat* should prefer the word before it (offset −1), and
# *cat* the word after it (offset +1). Can a bias arrange this?
#
# A bias $b$ multiplies the exponential of a score by $e^b$. We divide the weight of the word before by the weight of
# the word after. The denominator of the softmax cancels in a ratio of two weights, so a bias multiplies this ratio by
# $e^{b_{-1}} / e^{b_{+1}} = e^{b_{-1} - b_{+1}}$ in *every* row. We try $b_{-1} = 1$ and $b_{+1} = 0$.

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
# All three ratios grow by the same factor $e$. *cat* and *sat* begin with the same ratio, 1.6487, so they keep equal
# ratios with every bias: both prefer the word before, or both the word after, or neither.
#
# ## One vector per offset
#
# Every offset gets a vector $a_{j-i}$ of $d_k$ numbers, as many as a key has. We add it to the key, then multiply by
# the query:
#
# $$s_{ij} = \frac{q_i \cdot (k_j + a_{j-i})}{\sqrt{d_k}} = \frac{q_i \cdot k_j + q_i \cdot a_{j-i}}{\sqrt{d_k}}$$
#
# The first product is the **content** part, the second the **position** part. In a model the vectors are learned. We
# make ours by hand. The four numbers of a vector are its *channels*.

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
# Read the table by columns, for a query that is positive in this channel:
#
# - channel 0: it prefers the word just before;
# - channel 1: it prefers the word just after;
# - channel 2: it avoids keys two or more ahead;
# - channel 3: it prefers keys two or more back.
#
# First *sat* → *cat* by hand, at offset −1.

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
# Now every query with every offset. **Before you run it:** *on* has the query (0, 0, 1, 1). Which of the five offsets
# does it prefer, and which does it avoid?

# %% tags=["hide-output"]
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
# A text of $n$ tokens has offsets from $-(n-1)$ to $n-1$. Shaw's table stops at a distance called the *clip* (the
# paper's $k$), and all offsets beyond it share the last vector on their side (not in every model: see *Deeper*). So
# offset $r$ takes
#
# $$\text{row}(r) = \max(-\text{clip}, \min(\text{clip}, r)) + \text{clip}$$
#
# Clip first, then shift. So all offsets from −clip down have row 0. Our table has the clip 2. Which offsets of the
# query *mat* does clipping change?

# %%
def clip_row(r, clip):
    """The row of the table for offset r."""
    return max(-clip, min(clip, r)) + clip


mat = TOKENS.index("mat")
print("key   offset  clipped  row")
for j in range(n):
    row = clip_row(j - mat, clip)
    print(f"{TOKENS[j]:4}  {j - mat:6}  {row - clip:7}  {row:3}", "  <- changed" if row - clip != j - mat else "")

# %% [markdown]
# Clipping changes the offsets of *The* and *cat*. Both share row 0 with *sat*, so the vector in row 0 means "two *or
# more* back". In the picture, point at a row of the table to see its cells.

# %%
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

assert clip_index(offsets(n), clip)[mat].tolist() == [clip_row(j - mat, clip) for j in range(n)]  # all pairs at once
figures.clip_grid(6, clip=2)

# %% [markdown]
# Why clip? Shaw et al. expect that far away the exact offset is not useful (section 3.2). Also, a longer text needs no
# new rows ([[longer_than_training|chapter #]]). The price: within one layer, all keys beyond the clip on one side look
# equally far.
#
# ## The position part, three ways
#
# **1 · Loops.** We follow the formula $q_i \cdot a_{j-i}$, pair by pair.

# %%
S = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        S[i, j] = Q[i] @ A[clip_row(j - i, clip)]

assert S[sat, cat] == 2
figures.heatmap(S, alt="Position part q·a", digits=0)

# %% [markdown]
# **2 · Multiply first, look up afterwards.** A query only needs its product with each of the 2·clip + 1 vectors,
# and these are in `products` $= QA^\top$. For each pair we choose one number from the query's row.
#
# **3 · The grid.** We write down each query's product with the vector of every offset, from $-(n-1)$ to $n-1$. In
# [[bias_by_hand|chapter #]], `to_grid` placed one list of numbers for all queries. Here each query has its own list. Do
# the three ways agree?

# %%
from course_lib.reference.shaw import key_term

rows = clip_index(offsets(n), clip)
gathered = products[np.arange(n)[:, None], rows]  # way 2
per_offset = products[:, clip_index(row_offsets(n), clip)]  # way 3
assert np.array_equal(gathered, S) and np.array_equal(to_grid(per_offset, n), S)
assert np.array_equal(key_term(Q, A), S)
named = ["−4", "−3", *signs, "+3", "+4"]
figures.heatmap(
    per_offset, TOKENS, named, corner="query ↓ offset →", alt="What to_grid places on the diagonals", digits=0
)

# %% [markdown]
# The three ways agree exactly.
#
# ## Content, position, sum
#
# Unlike a bias, this position part is **inside** the scaling, so it is also divided by $\sqrt{d_k}$.

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
# its ratio should change by the factor $e^{(2 - 1)/2}$. *cat* has 0 and 2, which gives $e^{(0 - 2)/2}$.

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
# It does. Both preferred the word before (1.6487). Now the ratio of *sat* is 2.7183, and *cat*, at 0.6065, prefers the
# word after.
#
# ## The value side
#
# The key table changes *where* a query looks. But the output does not say from how far away its values come. A second
# table adds this: each value $v_j$ gets a vector $c_{j-i}$ ($a_v$ in the drawing).
#
# $$o_i = \sum_j w_{ij}\,(v_j + c_{j-i})$$
#
# In our table, channel 0 counts steps back and channel 3 steps ahead, two at most.

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
# Keys that share a row of the table share its vector. For the query *mat*, these are *The*, *cat* and *sat*. So the
# table adds to its output
#
# $$(w_\text{The} + w_\text{cat} + w_\text{sat})\, C_0 + w_\text{on}\, C_1 + w_\text{mat}\, C_2$$
#
# In general, query $i$ has one sum for each row of the table: the weights that it gives to all keys with this row. We
# call these sums `per_row`, and multiply each by the vector of its row.

# %%
from course_lib.reference.shaw import shaw_attention

per_row = np.zeros((n, 2 * clip + 1))
for i in range(n):
    for j in range(n):
        per_row[i, clip_row(j - i, clip)] += weights[i, j]

output = weights @ V + per_row @ C
assert np.allclose(output[sat], output_sat)
library, _ = shaw_attention(Q, K, V, key_table=A, value_table=C)  # all of this
assert np.allclose(output, library)
figures.side_by_side(
    figures.heatmap(
        per_row, TOKENS, signs, corner="query ↓ offset →", digits=2, alt="Weight per clipped offset"
    ),
    figures.heatmap(per_row @ C, TOKENS, four, corner="query ↓ channel →", alt="What the value table adds"),
)

# %% [markdown]
# Channel 0 of *mat* is 1.4092. This is how far back it looked on average, if distances above 2 count as 2.
#
# ## Can it be learned?
#
# Can training find vectors that let words look in different directions? A text has 12 words, each a number below 16. If
# a word is below 8, the answer is the word before it, otherwise the word after. The first and the last word lack a
# neighbour, so nothing is asked there. Their answer is −100, which the loss ignores.

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
# `study.fit` trains one layer, and a matrix that turns its output into the answer: once with key vectors, once with a
# learned number per offset. Guess the two accuracies. What would a layer reach that always looks before?

# %% tags=["hide-output", "nbval-ignore-output"]
found = study.fit(
    {
        "vectors": lambda: study.Small([ShawVectors(1, 32, clip=2, values=False)], 16),
        "bias": lambda: study.Small([BiasPerOffset()], 16),
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
# Always looking before is right for half of the words and 1 in 16 of the rest, 0.53. In these runs, the bias does only
# a little better.
#
# ## What a second head or a feed-forward layer gives back
#
# Does every model with biases fail? In runs whose results come with the course, we trained such models for longer, with
# one head or two, with or without a feed-forward layer. **Guess first:** which reach 0.95?

# %% tags=["hide-output"]
runs = study.committed("two_layers")
accuracies = {}
for condition in ("one head", "two heads", "one head, feed-forward", "two heads, feed-forward"):
    accuracies[condition] = [row["accuracy"] for row in study.pick(runs, condition=condition)]
    print(f"{condition:24}", *(f"{accuracy:6.2f}" for accuracy in accuracies[condition]))
assert max(accuracies.pop("one head")) < 0.6
assert all(min(reached) > 0.95 for reached in accuracies.values())  # of the other three

# %% [markdown]
# All reach 0.95 except the first. So in these runs, only a single head without a feed-forward layer fails. (*Deeper*
# shows how two of the others succeed.)
#
# ## Remember
#
# - $s_{ij} = q_i \cdot (k_j + a_{j-i}) / \sqrt{d_k}$: a vector per offset, inside the scaling. The query decides.
# - The row of an offset is the clipped offset + clip.
# - To each output, the value table adds the weight per clipped offset times the vector of that offset.
# - In one head, a bias changes the ratio of before to after by one factor for all words. In our models, a second head
#   or a feed-forward layer overcame this.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
zero = np.zeros((1, D_K))
plain = shaw_attention(zero, K, V, key_table=0 * A)[0]
by_keys = shaw_attention(zero, K, V, key_table=A)[0]
by_values = shaw_attention(zero, K, V, key_table=0 * A, value_table=C)[0]
figures.question(
    "A query is 0 in every channel. Which of the two tables changes its output?",
    options={
        "Neither: a query of zeros has no position part":
            "That holds for the scores. A value vector is multiplied by a weight, and the weights are not 0.",
        "The key table alone":
            "q · a is 0 for every vector of the key table, so the weights do not change.",
        "The value table alone":
            "Yes: q · a is 0, so the key table changes no weight. The value vectors need only weights.",
        "Both":
            "The position part q · a is 0 at every offset. Which table is multiplied by the query?",
    },
    answer="The value table alone" if np.allclose(by_keys, plain) and not np.allclose(by_values, plain) else "Both",
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
# [[tasks]]: three, one of them a bug hunt.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · How two heads, or one, solve it
#
# How do two heads with biases do it, and one head with a feed-forward layer? How much weight does each head give to
# the word before and to the word after? Here are the means of two committed models, for the words 0 to 7, whose answer
# is before, and for the words 8 to 15, whose answer is after.

# %%
for name in ("two heads", "one head, feed-forward"):
    (row,) = study.pick(runs, condition=name, seed=0)
    for head, halves in enumerate(zip(row["first_half"], row["second_half"])):
        for half, (before, after) in zip(("words 0 to 7: ", "words 8 to 15:"), halves):
            print(f"{name}, head {head}, {half} before {before:.2f}, after {after:.2f}")

# %% [markdown]
# Of the two heads, one looks at the word before, mostly for the words 0 to 7. The other looks at the word after, mostly
# for the words 8 to 15. A score is content plus bias, and a head's bias is the same for all words. So the content
# decides for which half of the words a head looks at its neighbour.
#
# The single head treats all words alike: one neighbour gets about 0.6, the other about 0.3. So its output contains
# both, at different strengths. The feed-forward layer also reads the word itself, and can pick the right one.
#
# ## Deeper · What it costs, and what it brought
#
# Multiplying first takes $n\,(2 \cdot \text{clip} + 1)\,d$ multiplications, and the loops take $n^2 d$. So multiplying
# first is cheaper once $n > 2 \cdot \text{clip} + 1$; for our five tokens both numbers are 100.
#
# Both tables together hold $(2 \cdot \text{clip} + 1)(d_k + d_v)$ numbers. The paper's base model has separate tables
# in every layer and head; in its big model the heads of a layer share them (section 4.1). How much is that for eight
# separate heads?

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
# | base | Shaw, clip 16 | 26.8 | 38.7 |
# | big | sinusoids | 27.9 | 41.2 |
# | big | Shaw, clip 8 | 29.2 | 41.5 |
#
# The big model gains 1.3 and 0.3 BLEU. Adding sinusoids brought nothing more (section 4.2).
#
# An *ablation* removes parts to see which matter. Here no model has absolute positions (base model, English to German,
# development set; tables 2 and 3):
#
# | clip | 0 | 1 | 2 … 256 |
# |---|---|---|---|
# | BLEU | 12.5 | 25.5 | 25.8 to 25.9 |
#
# So a small clip was enough. The paper suggests why: in a stack of layers, exact positions may travel further than the
# clip, because each token passes on what it learned about its own neighbours. Without the value table the BLEU was the
# same, 25.8; it was 25.3 without the key table. This is one experiment, and the paper says that other tasks need
# further work.
#
# Why is 12.5 so low? With a clip of 0, all offsets share one vector, so it says nothing about position. In the scores
# it adds the same number for all keys of a query, which the softmax cancels. On the value side it adds the same vector
# to every output, because weights sum to 1.
#
# ## Deeper · Does it break causality?
#
# The table has vectors for later keys. Does a decoder then see the future? No, because the key vectors only change
# scores, and the **mask** comes after them. A hidden key has weight 0, so neither its value nor its vector reaches the
# output. We test this with a table that draws nearly all weight to later keys if no mask hides them.

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
# ## Deeper · The released code
#
# Wav2Vec2-BERT and the speech encoder of SeamlessM4T v2 use Shaw's key vectors by default, without value vectors,
# clipped at 64 back and 8 ahead. We call `_apply_relative_key_position_encoding` in `modeling_wav2vec2_bert.py` on our
# tokens. VITS, a speech model, has key vectors and value vectors for 4 steps to each side. It attends further, but
# there it adds zeros instead of the last vector, as its function `_get_relative_embeddings` shows.

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

    from transformers import VitsConfig
    from transformers.models.vits.modeling_vits import VitsAttention

    vits = VitsAttention(VitsConfig(hidden_size=D_K, num_attention_heads=1, window_size=clip))
    ends = vits._get_relative_embeddings(torch.tensor(A)[None], n)[0, [0, -1]]  # of the offsets −4 and 4
    assert not ends.any()
    print("VITS: zeros beyond the window")

# %% [markdown]
# ## Deeper · The same idea in a model of 2026
#
# Inkling, whose code came to `transformers` in 2026, has no RoPE. In each head, a token makes a second, short query
# $r_i$. All heads of a layer share a learned table $P$, which has a row for each number of $r_i$, and a column for each
# distance. The bias of a pair is
#
# $$B_{ij} = (r_i P)_{\,i-j}$$
#
# This is Shaw's $q_i \cdot a_{j-i}$, with $r_i$ as the query and a column of $P$ as the vector. So again the query
# decides what a distance means. But here the position part is outside the scaling: Inkling normalises queries and keys,
# divides their product by $d_k$, and then adds the bias. Beyond the last column the bias is 0.
#
# By default, five of six layers have a window of 512 tokens, and a table of 512 columns. The others see the whole text,
# and their tables end at 1,024. (Short convolutions, which mix a token's key and value with those just before it, also
# depend on the order.) If we place $r_i P$ on the diagonals, we should get the numbers of the released code.

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers import InklingTextConfig
    from transformers.models.inkling.modeling_inkling import InklingRelativeLogits

    config = InklingTextConfig()
    print(f"Inkling: {config.d_rel} numbers in a short query, {config.rel_extent} distances")
    windows = config.layer_types.count("hybrid_sliding")
    print(f"{windows} of {len(config.layer_types)} layers have a window of {config.sliding_window_size} tokens")
    rng = np.random.default_rng(0)
    short, P = rng.normal(size=(n, 2)), rng.normal(size=(2, 3))  # two numbers, and the distances 0, 1 and 2
    rows = np.zeros((n, 2 * n - 1))  # an offset row for each query
    rows[:, n - 3 : n] = (short @ P)[:, ::-1]  # the offsets −2, −1 and 0
    inkling = InklingRelativeLogits(2, 3)
    inkling.proj.data = torch.tensor(P)
    theirs = inkling(torch.tensor(short)[None, :, None], torch.arange(n), torch.arange(n))[0, 0]
    assert np.allclose(to_grid(rows, n), theirs.detach())
    print("the same bias of the five tokens")

# %% [markdown]
# **Sources** P. Shaw, J. Uszkoreit, A. Vaswani, *Self-Attention with Relative Position Representations*, 2018 ·
# Hugging Face's `transformers` 5.23, in `models/`: `wav2vec2_bert/configuration_wav2vec2_bert.py`,
# `wav2vec2_bert/modeling_wav2vec2_bert.py`, `seamless_m4t_v2/configuration_seamless_m4t_v2.py`,
# `vits/modeling_vits.py`, `inkling/modeling_inkling.py`.
