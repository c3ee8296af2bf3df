# %% [markdown]
# # [[title]]
#
# A model can learn one number per offset, which is added to the score. But an offset longer than the training texts
# never occurs, so its number is never learned. In T5 (Raffel et al. 2020), far offsets share numbers, and 32 numbers
# per head cover every distance.
#
# **You will be able to**
# - turn a learned table into a bias;
# - find the bucket of any offset with a pencil, in an encoder and in a decoder;
# - recognise bugs that raise no error: a wrong sign, a wrong scale, an old bias kept.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask) and [[diagonals|#]] (`to_grid`, `row_offsets`), and a little
# torch. **Time** [[time]].

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.attention import attention, causal_mask, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
figures.attention_block("T5 buckets")

# %% [markdown]
# ## A number for each offset
#
# T5 adds a number from a table to each score. The simplest such table has a row for each offset and a column for each
# head. The score of query $i$ and key $j$ in head $h$ is
#
# $$S_{ij} = q_i \cdot k_j + \text{table}\,[\,j - i + n - 1,\, h\,]$$
#
# (T5 does not divide by $\sqrt{d_k}$, so our code has `scale=1.0`.)
#
# Our five tokens have nine offsets, from $-(n - 1)$ in row 0 on. We fill a table for two heads by hand: head 0 prefers
# the word before the query (offset −1), and head 1 the word after it (+1).

# %%
table = np.full((2 * n - 1, 2), -1.0)
table[-1 + n - 1, 0] = table[1 + n - 1, 1] = 2.0

signs = [f"{r:+d}" if r else "0" for r in row_offsets(n)]
figures.heatmap(table.T, rows=["head 0", "head 1"], columns=signs, alt="One number per offset")

# %% [markdown]
# `to_grid` places the nine numbers of a head on the diagonals. Loops over heads, queries and keys should give the same
# grid.

# %%
B = to_grid(table.T[:, None], n)

by_loop = np.zeros((2, n, n))
for h in range(2):
    for i in range(n):
        for j in range(n):
            by_loop[h, i, j] = table[j - i + n - 1, h]
assert np.array_equal(B, by_loop)

_, weights = attention(Q, K, V, bias=B, scale=1.0)
assert np.allclose(weights, softmax(Q @ K.T + B))
figures.side_by_side(
    figures.heatmap(weights[0], alt="Weights of head 0"),
    figures.heatmap(weights[1], alt="Weights of head 1"),
)

# %% [markdown]
# Each head gives most weight to the neighbour on its side, except where there is none. Both heads have the same queries
# and keys. With symmetric biases ([[bias_by_hand|chapter #]]) they could not prefer opposite neighbours.
#
# Why not a row for every offset? Because each row must be learned, and the offset $r$ occurs only $n - |r|$ times in a
# text of $n$ tokens:

# %%
for offset in (-1, -100, -511):
    print(f"pairs at offset {offset:4} in a text of 512 tokens: {512 - abs(offset):3}")
print("rows, one for each offset from −511 to 511:", 2 * 512 - 1)

# %% [markdown]
# An offset beyond the training length is never trained, and one just below it rarely. In T5, far distances share
# a **bucket** with their neighbours: the farther away, the more of them share one. The table has a row for each bucket:
#
# $$S_{ij} = q_i \cdot k_j + \text{table}\,[\,\text{bucket}(j - i),\, h\,]$$
#
# So 32 rows replace 1,023, and in T5's encoder any offset finds a trained row.
#
# ## One bucket by hand
#
# Which distances share a bucket? T5 has 32 buckets (`num_buckets`). An encoder's query looks both ways, so each
# direction gets $N = 16$ of them. Half of these, $E = 8$, are **exact**: each of the distances 0 to 7 has its own
# bucket. The other 8 cut the distances from $E$ to `max_distance` $= 128$ into intervals of equal length on a
# logarithmic scale ($\lfloor\;\rfloor$ rounds down):
#
# $$\text{bucket}(d) = E + \left\lfloor \frac{\ln(d / E)}{\ln(128 / E)} \, (N - E) \right\rfloor
# \quad \text{for } d \ge E, \text{ at most } N - 1$$
#
# Equal steps on this scale are equal *factors*. Eight buckets lead from 8 to 128, a factor of 16, so each of them
# begins $16^{1/8} = \sqrt2$ times as far away as the one before. Which of them has the distance 20?

# %%
N, E, largest, d = 16, 8, 128, 20
print("these buckets begin at", *(f"{E * math.sqrt(2) ** t:.1f}" for t in range(N - E)))
print(f"how far along, on a log scale: ln(20/8)  = {math.log(d / E):.4f}")
print(f"the whole way:                 ln(128/8) = {math.log(largest / E):.4f}")
part = math.log(d / E) / math.log(largest / E)
print(f"share of the way {part:.4f}, times {N - E} buckets = {part * (N - E):.4f}")
print(f"bucket {E} + {math.floor(part * (N - E))} = {E + math.floor(part * (N - E))}")

# %% [markdown]
# So 20, between 16.0 and 22.6, is in bucket 10. As a function:


# %%
def bucket_of_distance(d, N=16, E=8, largest=128):
    """The bucket of one distance, within its direction."""
    if d < E:
        return d
    part = math.log(d / E) / math.log(largest / E)
    return min(E + math.floor(part * (N - E)), N - 1)


for d in (3, 7, 8, 11, 12, 20, 200, 10_000):
    print(f"distance {d:6}: bucket {bucket_of_distance(d):2}")

# %% [markdown]
# ## Two directions, or one
#
# A distance does not say on which side of the query the key is. **In an encoder**, a key after the query gets 16 more,
# so buckets 0 to 15 are for keys at or before the query, and 17 to 31 for keys after it. (Bucket 16 would be distance 0
# after the query, so it stays empty.)
#
# **A decoder** never looks ahead, so all 32 buckets serve the past: $N = 32$, $E = 16$, and the distance is
# $\max(-(j - i), 0)$. Keys after the query would fall into bucket 0, but the mask hides them.


# %%
def bucket_both_ways(offset):
    """The bucket of one offset j − i in an encoder."""
    return bucket_of_distance(abs(offset)) + (16 if offset > 0 else 0)


def bucket_causal(offset):
    """The bucket of one offset j − i in a decoder."""
    return bucket_of_distance(max(-offset, 0), N=32, E=16)


for offset in (-200, -20, -3, 0, 3, 20):
    both, causal = bucket_both_ways(offset), bucket_causal(offset)
    print(f"offset {offset:+4}: encoder {both:2}, decoder {causal:2}")

# %% [markdown]
# The course's `bucket` should agree, here from −300 to 300.

# %%
from course_lib.reference.t5 import bucket

r = np.arange(-300, 301)
assert [bucket_both_ways(x) for x in r] == bucket(r).tolist()
assert [bucket_causal(x) for x in r] == bucket(r, bidirectional=False).tolist()

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder's query is at position 10. Which buckets do the keys at positions 9 and 11 fall into?",
    options={
        "1 and 1": "The distance is 1 for both, but the direction differs, and so does the bucket.",
        "15 and 17": "Buckets are not centred on 16. In the past they count up with the distance.",
        "9 and 11": "Those are positions. A bucket depends only on the offset, −1 or +1.",
        "1 and 17": "Yes: distance 1 in the past, and distance 1 in the future plus 16.",
    },
    answer=f"{bucket(-1)} and {bucket(1)}",
)

# %% [markdown]
# Choose a key in the next picture to read its calculation. With 8 buckets, which distances have one each?

# %%
figures.bucket_explorer(query=10)

# %% [markdown]
# ## Where the buckets really change
#
# At which whole distances to the left does the bucket change?

# %%
distance = np.arange(1, 1000)
fig, ax = plt.subplots(figsize=(6.4, 3.0))
starts = {}
for name, both, style in (("encoder", True, "-"), ("decoder", False, "--")):
    now, before = (bucket(-x, bidirectional=both) for x in (distance, distance - 1))
    starts[name] = distance[now != before]
    print(f"{name}: a new bucket at", *starts[name])
    ax.step(distance, now, style, where="post", label=name)
ax.axvline(128, color="0.6", linewidth=1, label="max_distance")
assert starts["encoder"][-1] == 91
assert starts["decoder"][-1] == 113
# The factor from one bucket to the next: 8 buckets lead from 8 to 128 (encoder), 16 from 16 to 128 (decoder).
print(f"the last bucket begins just after {128 / 2 ** (1 / 2):.1f} (encoder), {128 / 8 ** (1 / 16):.1f} (decoder)")
ax.set(xscale="log", xlabel="distance to the left (log scale, from 1)", ylabel="bucket")
ax.legend()
figures.show(fig, alt="Bucket by distance on a log axis: encoder flat at 15 from 91 on, decoder "
             "flat at 31 from 113 on, both before the line at max_distance 128")

# %% [markdown]
# At `max_distance`, one more bucket would begin. So in the encoder, the last bucket begins a factor of $\sqrt2$
# earlier, at $128 / \sqrt2 = 90.5$, and its first whole distance is 91.
#
# The last bucket never ends. The encoder was trained on texts of 512 tokens (section 3.1.2 of the paper), so this
# bucket has a trained number, and any longer offset gets it.
#
# ## T5 does not scale its scores
#
# T5's score is $q_i \cdot k_j + b$. At the start of training it is not too large, because $W_q$ starts smaller by the
# factor $\sqrt{d_k}$ (*Deeper*). This belongs to T5, not to its buckets: MPNet, which we meet below, has the same
# buckets, but it scales. A model that was trained without scaling must be run without it. Otherwise $q_i \cdot k_j$
# shrinks and the biases do not. How much does the mistake change the weights of the five tokens?

# %%
_, scaled = attention(Q, K, V, bias=B)
print(f"five tokens, scaled by mistake: weights off by up to {abs(scaled - weights).max():.2f}")

# %% [markdown]
# ## One table for a whole stack
#
# The layers of the encoder are one **stack**, those of the decoder another. T5 has one table per stack.
# Cross-attention, where a decoder's query looks at the encoder's output, has none. In torch, `T5Bias` holds a table. If
# all layers share it, it is counted once:

# %%
import torch
from torch import nn

from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import T5Bias
from course_lib.nn.t5 import bucket as torch_bucket

torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
shared = T5Bias(n_heads=2)
encoder = nn.ModuleList([RelativeAttention(8, 2, position=shared) for _ in range(6)])
tables = [name for name, _ in encoder.named_parameters() if "table" in name]
print("tables among the parameters:", tables, tuple(shared.table.shape))
assert len(tables) == 1

# %% [markdown]
# All layers add the same bias, so T5 computes it once per forward pass. (UMT5 has a table in each layer.) But keep it
# no longer than that: in training, each step changes the table, and a kept bias does not follow.
#
# ## The decoder that one sign blinds
#
# T5's decoder takes the distance $\max(-(j - i), 0)$. In the decoder of [[start_here|chapter #]], one sign was wrong.
# With $i - j$ instead of $j - i$, the distance of every visible key becomes $\max(-(i - j), 0) = 0$.

# %%
position = np.arange(n)
offset = position - position[:, None]
figures.side_by_side(
    figures.heatmap(bucket(offset, bidirectional=False), alt="Buckets of j − i, decoder"),
    figures.heatmap(bucket(-offset, bidirectional=False), alt="Buckets of i − j, decoder"),
)

# %% [markdown]
# On the right, all visible keys (on and below the diagonal) are in bucket 0. So in each row of the bias they have the
# same number $c$. Because $e^{s+c} = e^s e^c$, the softmax divides $e^c$ out again. The layer should then compute what
# it would compute without any bias:

# %%
numbers = np.random.default_rng(3).normal(size=32)
mask = causal_mask(n)
_, without = attention(Q, K, V, scale=1.0, mask=mask)
for name, x in {"j − i": offset, "i − j": -offset}.items():
    b = numbers[bucket(x, bidirectional=False)]
    _, with_bias = attention(Q, K, V, bias=b, scale=1.0, mask=mask)
    print(f"{name}: the bias moves weights by up to {abs(with_bias - without).max():.4f}")
assert np.allclose(with_bias, without)  # with i − j

# %% [markdown]
# No training can repair this, because the table does not affect the attention weights, so it gets no gradient. In a
# decoder of several layers, the mask still reveals some order ([[blind_to_distance|chapter #]]), so the damage can be
# harder to notice. In an encoder, if the sign becomes wrong after training, every head takes *before* for *after*.
#
# ## A trained table
#
# What does training write into such a table? MPNet (`all-mpnet-base-v2`) is a released model that turns sentences into
# vectors. It has the buckets of T5's encoder, and one table for the 12 heads of all its layers. It also adds a vector
# for each position ([[absolute_positions|chapter #]]).
#
# We write $b(r)$ for the number of offset $r$. Predict $b(0)$, the number for the token itself.

# %%
from course_lib import learned

trained = learned.read("mpnet", "table")
print("buckets and heads:", trained.shape)

# %% tags=["hide-input"]
# @title Question
own, before, after = trained[bucket([0, -1, 1])]
larger, smaller = (own > np.maximum(before, after)).sum(), (own < np.minimum(before, after)).sum()
figures.question(
    "In how many of MPNet's 12 heads is b(0) larger than b(−1) and b(+1), the numbers of the two neighbours?",
    options={
        "In all: a token is nearest to itself": "Then every head would prefer the token itself, as our decays do.",
        "In about half": "The heads differ a lot, but not in this.",
        "In none": f"Yes. In {smaller} of the 12 heads, it is even smaller than both.",
    },
    answer="In none" if larger == 0 else "In all" if larger == 12 else "In about half",
)

# %%
figures.learned_table()

# %%
best = np.maximum(before, after)
print(f"b(0) is between {own.min():.1f} and {own.max():.1f}, and below both neighbours in {smaller} heads")
print(f"with equal q·k, a token gives itself at most {np.exp(own - best).max():.1%} of its better neighbour's weight")

# %% [markdown]
# In all twelve heads, the token itself gets far less than its better neighbour. We do not know why; *Deeper* proposes a
# test. In heads 0, 4 and 6, near keys on one side are about as low. One head avoids near keys on both sides; a task
# asks which.

# %% tags=["hide-input"]
# @title Question
only_before = int((before - np.delete(trained, [1, 16], axis=0).max(axis=0)).argmax())
figures.question(
    "All scores are equal without the table. Which head then looks at the word before, more than at any other?",
    options={
        "Head 4": "It prefers the keys before the query, but not the nearest: b(−2) is larger than b(−1).",
        "Head 6": "Yes: its b(−1) is 3.3, and its next number is 1.1, that of −2.",
        "Head 7": "Its b(−1) is its largest number, but b(−2) is only 0.5 less, so the weight is spread.",
        "Head 11": "It looks at the word after: an offset is key minus query.",
    },
    answer=f"Head {only_before}",
)

# %% [markdown]
# ## Who uses it today?
#
# Stable Diffusion 3 and FLUX.1, which make images, have the encoder of T5-XXL among their text encoders
# (`T5EncoderModel` in their `model_index.json`). This bias is all that such an encoder knows about order.
#
# The next cell compares the T5 of `transformers` with our buckets and weights.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers.models.t5 import modeling_t5 as released

    r = torch.arange(-300, 301)
    for both in (True, False):
        theirs = released.T5Attention._relative_position_bucket(r, both, 32, 128)
        assert torch.equal(torch_bucket(r, bidirectional=both), theirs)

    config = released.T5Config(d_model=8, d_kv=D_K, num_heads=2)
    layer = released.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.relative_attention_bias.weight.data[bucket(row_offsets(n))] = torch.tensor(table).float()
    q, k, v = (torch.tensor(x).expand(1, 2, n, D_K) for x in (Q, K, V))
    _, theirs = released.eager_attention_forward(layer, q, k, v, layer.compute_bias(n, n), layer.scaling)
    assert np.allclose(theirs[0].detach(), weights)
    print("the same buckets, and the same weights of the five tokens")

# %% [markdown]
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("t5_buckets")

# %% [markdown]
# ## Remember
#
# - Near offsets have their own bucket. Farther ones share, evenly on a logarithmic scale. The last bucket never ends.
# - T5's encoder has 16 buckets for keys at or before the query and 15 for those after it, exact up to distance 7. Its
#   decoder has 32 for the past, exact up to 15.
# - T5 has no scaling, one table per stack, and no bias in cross-attention.
# - The offset is key minus query. With the wrong sign, a decoder's bias cancels in the softmax.
# - In all heads of MPNet's table, the token itself gets far less than its better neighbour.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "T5's encoder was trained on texts of 512 tokens. What does its bias do with an offset of −2,000?",
    options={
        "It fails: no such offset was trained":
            "A table with a number per offset would fail. The last bucket has no end.",
        "It takes the number of bucket 15":
            "Yes, like every distance from 91 on. Within one layer it cannot tell 2,000 from 100.",
        "It starts again with bucket 0":
            "No remainder is taken. All distances beyond the last edge share the last bucket.",
    },
    answer=f"It takes the number of bucket {bucket(-2000)}",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
spread = trained.std(axis=1)
figures.question(
    f"Initial weights are small. In one row of MPNet's table, the 12 numbers have a standard deviation of "
    f"{spread.min():.3f}, in every other row of at least {np.sort(spread)[1]:.1f}. Which row is it?",
    options={
        "0": "Row 0 is for the token itself. Every query has it, so it was trained.",
        "15": "The last bucket on the left: all keys 91 and more before the query.",
        "16": "Yes. It would be distance 0 after the query. No text ever reads it, so no gradient changed it.",
        "31": "The last bucket on the right: all keys 91 and more after the query.",
    },
    answer=f"{spread.argmin()}",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A 12-layer model shares one T5 bias. Which of these is safe to keep between training steps?",
    options={
        "The bias of the first layer, detached":
            "Then the table gets no gradient, and the bias is stale after one step.",
        "The bucket of each offset": "Yes: it depends on the sizes alone. The table is read again in each step.",
        "The bias, for as long as the length stays the same":
            "The length is the same, but the optimiser has changed the table.",
    },
    answer="The bucket of each offset",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five distances with a pencil, the buckets in code, a bug hunt, and the heads of a released model.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · The trained table, changed
#
# What does MPNet do with another table? In committed runs we changed its table, or zeroed its absolute vectors. Then we
# compared the outputs with those of the released model: for the first tokens of four texts, and for 12 sentences from
# each of four texts. The cell prints the mean cosine of the two outputs, ± its standard error over the texts. Its first
# line compares two different tokens, or two neighbouring sentences.
#
# A cosine says how much the output *changes*, but not whether it gets worse.

# %%
from course_study.learned import over_texts

changes = ["table zeroed", "far buckets everywhere", "sign of the offset flipped", "symmetric"]
changes += ["b(0) as the mean of b(−1) and b(1)", "vectors zeroed"]
print(f"{'':35} tokens        sentences")
for of_tokens, of_sentences in (("another token", "the next sentence"), *zip(changes, changes)):
    found = over_texts("tokens", of_tokens), over_texts("sentences", of_sentences)
    name = of_tokens if of_tokens == of_sentences else "another token or sentence"
    print(f"{name:35}", *("{:.2f} ± {:.2f}  ".format(*one) for one in found))

# %% [markdown]
# Without the table, the output of a token is as far from the released one as the output of another token. The output of
# a sentence is not: 0.63, where another sentence has 0.36. With "far buckets everywhere", each key gets the number of
# the last bucket on its side, and the change is as large as without a table. "Symmetric" takes the mean of $b(r)$ and
# $b(-r)$, which removes the direction. A flipped sign changes more, so here a wrong direction changes the output more
# than a missing one.
#
# Which of the two holds the order of the words, the table or the vectors? We shuffle the words of each sentence, and
# compare its output with that of the original sentence. A model that ignores the order has a cosine of 1.

# %%
for condition in ("as released", "table zeroed", "vectors zeroed"):
    print(f"{condition:15} {over_texts('shuffled sentences', condition)[0]:.3f}")
assert over_texts("shuffled sentences", "table zeroed")[0] > 0.99

# %% [markdown]
# Without the table, shuffling the words hardly changes the output, although the model still has its absolute vectors.
# So in these sentences of 8 to 24 words, word order hardly reaches the output unless the table is there. What do the
# vectors say? [[absolute_positions|Chapter #]] has an answer in *Deeper*, and [[alibi|chapter #]] replaces the table by
# lines and logarithms.
#
# **An open question.** Why does the table give so little to the token itself? Perhaps because a layer adds its
# input to its output, so a token's own vector needs no attention. Or because in training some tokens were hidden, and a
# hidden token has nothing to tell itself. Neither is tested. A test would train small encoders with and without that
# sum, and with and without hidden tokens, and compare $b(0)$ with $b(\pm 1)$.
#
# ## Deeper · What one layer learns
#
# We train a model to name the token three places back. The texts are random, so their content does not help. The model
# is one causal layer with T5's bias and T5's scale of 1. Its control is the same layer without a bias, which is also
# what the wrong sign computes. The control sees which tokens came before, but not in which order, so its best guess is
# the most frequent of them. We require that the worst seed with the bias beats the best seed without it by 0.2.

# %%
import course_study as study
from course_lib.nn.t5 import T5CrossAttention  # no bias, and T5's scale


def ask_back(generator, back=3):
    """Texts of 8 kinds of tokens; the answer at each token is the token `back` places before it."""
    tokens = torch.randint(8, (32, 24), generator=generator)
    answers = tokens.roll(back, dims=1)
    answers[:, :back] = -100  # no token is that far back, so nothing is asked
    return tokens, answers


learned = []


def with_bias():
    """One causal layer. We keep its bias, so that we can look at its table later."""
    learned.append(T5Bias(1, bidirectional=False))
    return study.Small([learned[-1]], 8, causal=True)


# %% tags=["nbval-ignore-output"]
models = {"T5's bias": with_bias, "no bias": lambda: study.Small([T5CrossAttention()], 8, causal=True)}
found = study.fit(models, ask_back, steps=100)
print("accuracy    seed 0  seed 1  seed 2")
for name, accuracies in found.items():
    print(f"{name:10}", *(f"{accuracy:7.2f}" for accuracy in accuracies))

tokens, answers = ask_back(torch.Generator().manual_seed(1))
kinds = nn.functional.one_hot(tokens, 8)
frequent = (kinds.cumsum(1) - kinds).argmax(-1)  # the most frequent token before this one
guessed = (frequent == answers)[answers >= 0].float().mean()
print(f"best guess {guessed:7.2f}, by chance {1 / 8:.2f}")
assert min(found["T5's bias"]) > max(found["no bias"]) + 0.2

# %% [markdown]
# Our one-layer models with the bias name nearly every token. Those without it do no better than the guess. What did the
# tables learn?

# %% tags=["nbval-ignore-output"]
back = torch.arange(24)
rows = torch_bucket(-back, bidirectional=False)
fig, ax = plt.subplots(figsize=(6.4, 2.6))
for seed, position in enumerate(learned):
    ax.plot(back, position.table.detach()[rows, 0], marker="o", markersize=3, label=f"seed {seed}")
ax.set(xlabel="distance of the key, to the left", ylabel="learned bias")
ax.legend()
figures.show(fig, alt="The bias by distance that three seeds learned")

# %% [markdown]
# The tables peak at distance 3, which has its own bucket. Distances 19 and 20 share one. Could training teach such a
# layer to name the token 20 places back? Exchange these two tokens and compare what the last query gets.

# %%
decoder = T5Bias(2, bidirectional=False)
nn.init.normal_(decoder.table)  # larger than T5Bias starts, so that a difference would show
layer = RelativeAttention(8, 2, position=decoder, causal=True)
x = torch.randn(1, 40, 8)
exchanged = x.clone()
exchanged[0, [-21, -20]] = x[0, [-20, -21]]  # the tokens 20 and 19 places before the last
in_20s = bucket(-np.arange(40), bidirectional=False) == bucket(-20, bidirectional=False)
print("distances in the bucket of 20:", *np.flatnonzero(in_20s))
assert torch.allclose(layer(x)[0, -1], layer(exchanged)[0, -1], atol=1e-6)

# %% [markdown]
# The output is the same, whatever is in the table. So this layer must guess between two tokens. With probability 1/8
# they are of the same kind; otherwise half of its guesses are right. No training takes it beyond
# $\frac18 + \frac78 \cdot \frac12 \approx 56\,\%$.
#
# ## Deeper · Why unscaled scores are not too large
#
# In T5, $W_q$ starts smaller by the factor $\sqrt{d_k}$ (`T5PreTrainedModel._init_weights` in `transformers`). For
# inputs of 512 numbers and heads of 64, we draw initial weights both ways and compare the standard deviation of
# $q \cdot k$.

# %%
rng = np.random.default_rng(0)
x = rng.normal(size=(200, 512))
w_q, w_k = rng.normal(size=(2, 512, 64)) / np.sqrt(512)
usual = (x @ w_q) @ (x @ w_k).T
as_t5 = (x @ (w_q / np.sqrt(64))) @ (x @ w_k).T
print(f"std of q·k: usual {usual.std():.1f}, scaled {usual.std() / 8:.1f}")
print(f"            as T5 draws W_q, not scaled: {as_t5.std():.1f}")
assert np.allclose(as_t5, usual / np.sqrt(64))

# %% [markdown]
# So before training, T5's $q \cdot k$ has the same spread as the usual $q \cdot k / \sqrt{d_k}$.
#
# ## Deeper · One token, repeated
#
# If a text repeats one token, $q_i \cdot k_j$ is the same for all keys. Then $\ln(w_{ij} / w_{ii})$ is
# $b(j - i) - b(0)$. So the weights alone show the table, up to a constant. The course's check-up reads this curve, here
# in a tiny T5 decoder with random weights. At which distances will the curve change?

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from course_lib.checkup import checkup

    sizes = {"vocab_size": 99, "d_model": 32, "d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    tiny = released.T5ForConditionalGeneration(released.T5Config(**sizes, decoder_start_token_id=0)).eval()
    curve = checkup(tiny).curves[0]  # of layer 0, (heads, distances)
    weight = tiny.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight.detach().numpy()
    b = weight[bucket(-np.arange(curve.shape[1]), bidirectional=False)].T
    assert np.allclose(curve, b - b[:, :1], atol=1e-4)
    print("the curve changes at the distances", *np.flatnonzero(np.diff(curve[0]).round(4)) + 1)

# %% [markdown]
# It changes where a decoder's bucket begins, for the last time at 113. So you can find the buckets of a model without
# reading its code.
#
# ## Deeper · Choosing the two sizes
#
# A decoder of your own will read texts of 64 tokens. How many of its 32 buckets do they train, with a `max_distance` of
# 64 and of 128?

# %%
for largest in (64, 128):
    trained = set(bucket(-np.arange(64), bidirectional=False, max_distance=largest).tolist())
    print(f"max_distance={largest:3}: {len(trained)} of 32 buckets")
assert len(trained) < 32  # with 128

# %% [markdown]
# With 128, texts of 64 tokens never reach five buckets. [[longer_than_training|Chapter #]] measures the damage in a
# similar case. T5's decoder comes close: in pre-training, an input of 512 tokens has a target of 114 (T5's
# `random_spans_helper`), so the last bucket, from 113 on, gets one pair of each target.
#
# To choose sizes for training texts of $n$ tokens:
#
# - `num_buckets` is how many numbers a head has. $E$ is a quarter of it (encoder) or half (decoder). Choose it so large
#   that all distances that must be exact are below $E$. If it is too small, near words share a number. If it is too
#   large, some rows get little training.
# - `max_distance` is where one more bucket would begin. Choose it larger than $E$, but at most $n$. If it is too small,
#   far words share one number, and some buckets get no distance. If it is too large, no text trains the last buckets.
#
# **Sources** C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*,
# 2020, section 2.1 and section 3.1 · T5's code, `_relative_position_bucket` in Mesh TensorFlow's
# `transformer_layers.py` · `transformers` 5.23, `models/t5/modeling_t5.py` · `model_index.json` of Stable
# Diffusion 3 and FLUX.1, on the Hugging Face Hub · K. Song et al., *MPNet*, 2020, and the weights of
# sentence-transformers/all-mpnet-base-v2 (Apache-2.0; `course_lib/learned.toml` says which revision).
