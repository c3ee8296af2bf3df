# %% [markdown]
# # [[title]]
#
# A model can learn how much each offset matters: one number per offset, added to the score. But an offset of several
# thousand occurs too rarely in training for its number to be learned. T5 (Raffel et al. 2020) therefore lets groups of
# far offsets share a number, so that 32 numbers per head cover every distance.
#
# **You will be able to**
# - find the bucket of any offset with a pencil, in an encoder and in a decoder;
# - turn a learned table into a bias, with and without a cache;
# - recognise bugs that raise no error: a wrong sign, a wrong scale, `past` forgotten, sizes that reverse the buckets;
# - choose the two sizes for your own texts.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask) and [[diagonals|#]] (`from_grid`, `to_grid`, `row_offsets`), and
# a little torch. **Time** [[time]].
#
# The drawing shows that T5 adds one number to each score.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
figures.attention_block("T5 buckets")

# %% [markdown]
# ## A number for each offset
#
# The simplest learned bias has one number per offset $j - i$ and head. Five tokens have nine offsets, and $n$ tokens
# have $2n - 1$. How many pairs of a text train each number? To count them, `from_grid` sums a grid of ones along its
# diagonals.

# %%
from course_lib.reference.grid import from_grid, row_offsets, to_grid

times = from_grid(np.ones((512, 512)))[0].astype(int)
r = row_offsets(512)
print(f"a text of 512 tokens: {times.size} numbers per head")
for offset in (0, 1, 100, 500, 511):
    print(f"offset {offset:+4}: {times[r == offset][0]:3} pairs")

count = from_grid(np.ones((n, n))).astype(int)
signs = [f"{r:+d}" for r in row_offsets(n)]
assert times.size == 1023 and count.sum() == n * n
figures.heatmap(count[0], columns=signs, alt="Five tokens: how many pairs have each offset")

# %% [markdown]
# The offset $r$ occurs $n - |r|$ times. Near offsets get plenty of practice, the farthest occurs once in each
# direction, and beyond the training length nothing is learned.
#
# *One step back* and *two steps back* mean different things in a language. T5 bets that neighbouring far distances mean
# nearly the same. So each near offset keeps its own number, and neighbouring far ones share. A group of offsets that
# share a number is a **bucket**.

# %% [markdown]
# ## One bucket by hand
#
# T5 has 32 buckets (`num_buckets`). An encoder's query looks both ways, so each direction gets $N = 16$ of them. Half
# of these, $E = 8$, are **exact**: each of the distances 0 to 7 has its own bucket. The other 8 divide the distances
# from $E$ to `max_distance` $= 128$ evenly on a logarithmic scale ($\lfloor\;\rfloor$ rounds down):
#
# $$\text{bucket}(d) = E + \left\lfloor \frac{\ln(d / E)}{\ln(128 / E)} \, (N - E) \right\rfloor
# \quad \text{for } d \ge E, \text{ at most } N - 1$$
#
# Take a key 20 tokens to the left. How far along this scale is the distance 20?

# %%
N, E, largest, d = 16, 8, 128, 20
print(f"how far along, on a log scale: ln(20/8)  = {math.log(d / E):.4f}")
print(f"the whole way:                 ln(128/8) = {math.log(largest / E):.4f}")
part = math.log(d / E) / math.log(largest / E)
print(f"share of the way {part:.4f}, times {N - E} buckets = {part * (N - E):.4f}")
print(f"bucket {E} + {math.floor(part * (N - E))} = {E + math.floor(part * (N - E))}")

# %% [markdown]
# Now we write this as a function. Distance 3 needs no logarithm, and distance 200 stays in the last bucket.


# %%
def bucket_of_distance(d, N=16, E=8, largest=128):
    """The bucket of one distance, within its direction."""
    if d < E:
        return d
    part = math.log(d / E) / math.log(largest / E)
    return min(E + math.floor(part * (N - E)), N - 1)


for d in (0, 3, 7, 8, 11, 12, 20, 70, 200, 10_000):
    print(f"distance {d:6}: bucket {bucket_of_distance(d):2}")

# %% [markdown]
# The direction comes last. **In an encoder**, a key at or before the query ($j - i \le 0$) keeps its bucket, and a key
# after it gets 16 more. So the past and the query itself have buckets 0 to 15, and the future has the rest.
#
# **A decoder** never looks ahead, so all 32 buckets serve the past: $N = 32$, $E = 16$, and the distance is
# $\max(-(j - i), 0)$. Every key after the query falls into bucket 0, but the mask hides it. The library's `bucket`
# should agree.

# %%
from course_lib.reference.t5 import bucket


def bucket_both_ways(offset):
    """The bucket of one offset j − i in an encoder."""
    return bucket_of_distance(abs(offset)) + (16 if offset > 0 else 0)


def bucket_causal(offset):
    """The bucket of one offset j − i in a decoder."""
    return bucket_of_distance(max(-offset, 0), N=32, E=16)


for offset in (-200, -70, -20, -3, -1, 0, 1, 3, 20):
    both, causal = bucket_both_ways(offset), bucket_causal(offset)
    print(f"offset {offset:+4}: encoder {both:2}, decoder {causal:2}")

r = np.arange(-300, 301)
assert [bucket_both_ways(x) for x in r] == bucket(r).tolist()
assert [bucket_causal(x) for x in r] == bucket(r, bidirectional=False).tolist()

# %% [markdown]
# ## A number line
#
# A query at position 10 reads a sentence of 24 tokens. Decide which buckets its two neighbours get before you look.

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

# %%
offset = np.arange(24) - 10
line = np.array([bucket(offset), bucket(offset, bidirectional=False)])
columns = [f"{x:+d}" if x else "0" for x in offset]
figures.heatmap(
    line, rows=["encoder", "decoder"], columns=columns, corner="offset",
    alt="Bucket of 24 keys by offset, query at position 10",
)

# %% [markdown]
# The next picture is alive: choose a key to read its calculation, or change the sizes. With 8 buckets, how many
# distances keep their own? With 32, where does doubling `max_distance` move the last bucket?

# %%
from course_lib.reference.t5 import bucket_starts

# bucket_starts gives the distance at which each bucket of one direction begins
assert bucket_starts()[8:11] == [8, 12, 16] and bucket_starts()[-1] == 91
figures.bucket_explorer(query=10)

# %% [markdown]
# ## Where the buckets really change
#
# Walk away from the query and note each distance at which the bucket changes.

# %%
d = np.arange(1, 1000)
starts = {}
for name, both in (("encoder", True), ("decoder", False)):
    now, before = (bucket(-x, bidirectional=both) for x in (d, d - 1))
    starts[name] = d[now != before]
    print(f"{name}: a new bucket at", *starts[name])

# %% [markdown]
# In the encoder, the shared buckets begin at 8, 12, 16, 23, 32, 46, 64 and 91. The last one never ends. In the decoder
# it begins at 113. So the paper's "up to an offset of 128" is loose: `max_distance` is where a bucket *after* the last
# would begin. T5 was trained on texts of 512 tokens (Raffel et al. 2020, section 3.1.2), so its last buckets were
# trained, too.
#
# Set the bucket to $N - 1$ in the formula and solve for $d$: the last bucket begins at $8 \cdot 16^{7/8}$ in the
# encoder and at $16 \cdot 8^{15/16}$ in the decoder, rounded up.

# %%
print(f"encoder {8 * 16 ** (7 / 8):.2f}, decoder {16 * 8 ** (15 / 16):.2f}")
assert starts["encoder"][-1] == 91 and starts["decoder"][-1] == 113

fig, ax = plt.subplots(figsize=(6.4, 3.0))
for name, both, style in (("encoder", True, "-"), ("decoder", False, "--")):
    ax.step(d, bucket(-d, bidirectional=both), style, where="post", label=name)
ax.axvline(128, color="0.6", linewidth=1, label="max_distance")
ax.set(xscale="log", xlabel="distance to the left (log scale, from 1)", ylabel="bucket")
ax.legend()
figures.show(fig, alt="Bucket by distance on a log axis: encoder flat at 15 from 91 on, decoder "
             "flat at 31 from 113 on, both before the line at max_distance 128")

# %% [markdown]
# On this logarithmic axis the shared steps are equally wide, apart from rounding. So between $E$ and the start of the
# last bucket, each doubling of the distance adds $(N - E) / \log_2(128 / E)$ buckets on average. That is two in the
# encoder and $16/3$ in the decoder, where a doubling adds five or six.
#
# An encoder never uses bucket 16, which would be *distance 0, in the future*. So only 31 of the 32 rows in its table
# are ever trained.

# %%
distances = -np.array([8, 16, 32, 64, 128])
print("distances", -distances)
print("encoder  ", bucket(distances))
print("decoder  ", bucket(distances, bidirectional=False))
print(f"per doubling: {8 / math.log2(128 / 8)} and {16 / math.log2(128 / 16):.2f}")

for name, both, d in (("encoder", True, np.arange(8, 46)), ("decoder", False, np.arange(16, 57))):
    near, far = (bucket(-x, bidirectional=both) for x in (d, 2 * d))
    print(f"{name}: a doubling from {d[0]} … {d[-1]} adds", *np.unique(far - near))

r = np.arange(-5000, 5001)
print("encoder, never reached:", sorted({*range(32)} - {*bucket(r)}))
print("decoder, never reached:", sorted({*range(32)} - {*bucket(r, bidirectional=False)}))
assert set(range(32)) - set(bucket(r)) == {16}

# %% [markdown]
# ## Whole numbers instead of a logarithm (optional)
#
# The formula rounds down, so a tiny error in the logarithm can move a distance into the wrong bucket. Distance 64 is on
# a boundary of the encoder: $\ln(64/8) / \ln(128/8) \cdot 8$ is exactly 6. To save a division, you might store the
# factor $8 / \ln(128/8)$. What happens to 64?

# %%
factor = (N - E) / math.log(largest / E)
stored = math.log(64 / E) * factor
direct = math.log(64 / E) / math.log(largest / E) * (N - E)
print(f"with the stored factor    {stored:.15f}: bucket {E + math.floor(stored)}")
print(f"divided, then multiplied  {direct:.15f}: bucket {E + math.floor(direct)}")
single = np.float32(math.log(64 / E)) * np.float32(factor)
print(f"stored factor in float32  {single:.15f}: bucket {E + math.floor(single)}")
assert math.floor(stored) == 5 and math.floor(single) == 6 and bucket(-64) == E + 6

# %% [markdown]
# The stored factor moves 64 one bucket down. In float32 the same product happens to be exactly 6. (Google's library
# flaxformer adds float32's smallest step inside the logarithm, as a guard.)
#
# The safest way needs no logarithm. Bucket $E + t$ begins at the first $d$ with
# $\frac{\ln(d/E)}{\ln(128/E)}\,(N - E) \ge t$. Multiply by the denominator, then exponentiate both sides:
#
# $$(d/E)^{N-E} \ge (128/E)^{t}$$
#
# Multiplied by $E^{N-E} E^t$, both sides are whole numbers, which Python computes exactly.


# %%
def first_distance(t, N=16, E=8, largest=128):
    """Where bucket E + t begins, in whole numbers."""
    d = E
    while d ** (N - E) * E**t < largest**t * E ** (N - E):
        d += 1
    return d


print("encoder:", [first_distance(t) for t in range(8)])
print("decoder:", [first_distance(t, N=32, E=16) for t in range(16)])
assert [first_distance(t) for t in range(8)] == starts["encoder"][7:].tolist()

# %% [markdown]
# ## From table to grid
#
# T5 learns a table of shape `(num_buckets, heads)`, with one column per head. We fill one by hand for our five tokens.
# Head 0 prefers the word before the query (bucket 1), and head 1 the word after it (bucket 17). Every other bucket gets
# −1.

# %%
table = np.full((32, 2), -1.0)
table[1, 0] = table[17, 1] = 2.0

r = row_offsets(n)
row = table[bucket(r)]
print("offset ", r)
print("bucket ", bucket(r))
figures.heatmap(row.T, rows=["head 0", "head 1"], columns=signs, alt="One number per offset")

# %% [markdown]
# Nine offsets give nine numbers per head, which `to_grid` places on the diagonals. Loops over heads, queries and keys
# should give the same grid.

# %%
from course_lib.reference.attention import attention, softmax
from course_lib.reference.t5 import t5_bias

B = np.zeros((2, n, n))
for h in range(2):
    for i in range(n):
        for j in range(n):
            B[h, i, j] = table[bucket(j - i), h]

assert np.array_equal(to_grid(row.T[:, None], n), B)
assert np.array_equal(t5_bias(n, table=table), B)
_, weights = attention(Q, K, V, bias=B, scale=1.0)
assert np.allclose(weights, softmax(Q @ K.T + B))
figures.side_by_side(
    figures.heatmap(weights[0], alt="Weights of head 0"),
    figures.heatmap(weights[1], alt="Weights of head 1"),
)

# %% [markdown]
# Each head prefers its own side. A symmetric bias ([[bias_by_hand|chapter #]]) could not do this.
#
# ## T5 does not scale
#
# The last cell used `scale=1.0`, because T5's score is $q_i \cdot k_j + b$, without $1/\sqrt{d_k}$. Instead, $W_q$
# starts smaller by the factor $\sqrt{d_k}$ (`T5PreTrainedModel._init_weights` in the library `transformers`). For
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

_, scaled = attention(Q, K, V, bias=B)
print(f"five tokens, scaled by mistake: weights off by up to {abs(scaled - weights).max():.2f}")
assert abs(scaled - weights).max() > 0.1

# %% [markdown]
# Before training, T5's $q \cdot k$ has the same spread as the usual scaled one. But weights that were *trained* without
# scaling must be used without it. Otherwise $q_i \cdot k_j$ shrinks by $\sqrt{d_k}$ and the biases do not. The last
# line shows how much such an error changes.

# %% [markdown]
# ## One table for a whole stack
#
# The layers of the encoder are one **stack**, those of the decoder another. T5 has one table per stack. In torch,
# `T5Bias` holds such a table. If all layers share it, it is counted once:

# %%
import torch
from torch import nn

from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.t5 import bucket as torch_bucket

torch.set_num_threads(1)  # quicker for small matrices
shared = T5Bias(n_heads=2)
encoder = nn.ModuleList([RelativeAttention(8, 2, position=shared) for _ in range(6)])
tables = [name for name, _ in encoder.named_parameters() if "table" in name]
print("tables among the parameters:", tables, tuple(shared.table.shape))
assert len(tables) == 1

# %% [markdown]
# Cross-attention has no table. There, a decoder's query looks at the encoder's output, the *memory*. Query and key
# belong to different texts, and T5 adds no bias (`T5CrossAttention`). So the order of the memory should make no
# difference:

# %%
torch.manual_seed(0)
cross = RelativeAttention(8, 2, position=T5CrossAttention())
x, memory = torch.randn(1, 3, 8), torch.randn(1, 6, 8)
mixed = memory[:, [4, 0, 5, 2, 1, 3]]
assert torch.allclose(cross(x, memory), cross(x, mixed), atol=1e-6)
print("the same output for the memory in any order")

# %% [markdown]
# The order is not lost, because the encoder has put it into the memory. A bias added by mistake can go unnoticed:
# Hugging Face's T5 had one until November 2020 (pull request 8518).
#
# ## Decoding, one token at a time
#
# A decoder that writes keeps old keys in a cache. After `past` tokens, the one new query is at position `past`. Its
# bias is the *last* row of the grid, with offsets $-\text{past}$ to 0. Code that forgets `past` takes the first row, in
# which every key is in bucket 0.

# %%
past = 5
new_query = row_offsets(1, past + 1, past)
print("offsets with past:   ", new_query, "buckets", bucket(new_query, bidirectional=False))
forgotten = row_offsets(1, past + 1)
print("offsets without past:", forgotten, "buckets", bucket(forgotten, bidirectional=False))

from course_lib.nn.cache import KeyValueCache

decoder = T5Bias(2, bidirectional=False)
nn.init.normal_(decoder.table)  # larger than T5Bias starts, so that a wrong row would show
layer = RelativeAttention(8, 2, position=decoder, causal=True)
x, cache = torch.randn(1, 40, 8), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## What to cache, and what not
#
# The bucket of an offset does not depend on the table, so it may be kept for ever. A *bias* comes from the table, which
# training changes. What happens if a layer keeps it across an optimiser step?

# %%
optimizer = torch.optim.SGD(decoder.parameters(), lr=0.5)
kept = decoder.bias(5, 5, past=0)
kept.square().mean().backward()
optimizer.step()

fresh = decoder.bias(5, 5, past=0)
print(f"after one step the kept bias is off by up to {(kept - fresh).abs().max():.2f}")
assert not torch.allclose(kept, fresh)
try:
    kept.square().mean().backward()
except RuntimeError as error:
    print(str(error).split("(")[0])

# %% [markdown]
# The kept bias has the old numbers, and a second backward pass through it raises an error. Detaching the bias removes
# the error but not the bug, because the table then gets no gradient.
#
# So never keep a bias across an optimiser step. T5 computes it once per forward pass and shares it among all layers.
# When nothing trains, it may be kept, as Google's library flaxformer does while decoding (`cached_bias`).
#
# A layer may also forget to add the bias that it receives, and nothing fails: all shapes are right, and every test of a
# single layer passes. So test a stack of two.

# %% [markdown]
# ## `bidirectional=True` in a decoder
#
# Suppose a decoder is built with the encoder's buckets by mistake. Does it see the future?

# %% tags=["hide-input"]
# @title Question
_, w = attention(Q, K, V, bias=B, scale=1.0, mask=np.tri(n, dtype=bool))  # B is bidirectional
figures.question(
    "A causal layer gets the bias T5Bias(bidirectional=True). How much weight goes to keys after the query?",
    options={
        "A little, through buckets 17 to 31":
            "The bias there is a finite number. The mask comes later and sets the score to −∞.",
        "None, exactly":
            "Yes. Hiding is the job of the mask, and no bias can undo it.",
        "As much as the table says":
            "The table counts only where the mask lets a query look.",
    },
    answer="A little" if np.triu(w, 1).any() else "None, exactly",
)

# %%
from course_lib.reference.attention import causal_mask

m = 40
loud = np.random.default_rng(1).normal(scale=5, size=(32, 1))
q, k = np.random.default_rng(2).normal(size=(2, 1, m, 8))
bias = t5_bias(m, table=loud)
_, w = attention(q, k, k, bias=bias, scale=1.0, mask=causal_mask(m))
print("weight on the future:", w[0][np.triu_indices(m, 1)].sum())
assert np.all(w[0][np.triu_indices(m, 1)] == 0)
for both in (True, False):
    used = len(set(bucket(-np.arange(m), bidirectional=both)))
    print(f"bidirectional={both}: a decoder of {m} tokens tells {used} buckets apart")

# %% [markdown]
# The future stays hidden, but half of the table now belongs to it. A text of 40 tokens uses 13 buckets of the past
# instead of 23.
#
# Trained weights no longer fit, either. Row 10 of a decoder's table was learned for distance 10 and is now read for 16
# to 22. New training can adapt to this, but a model that was *loaded* is damaged.

# %% [markdown]
# ## The decoder that one sign blinds
#
# [[start_here|Chapter #]] began with a decoder that read *dog bites man* and *man bites dog* alike. T5's formula can
# fail in the same way. Its decoder takes the distance $\max(-(j - i), 0)$. With $i - j$ instead of $j - i$, the
# distance of every visible key becomes $\max(-(i - j), 0) = 0$.

# %%
position = np.arange(n)
offset = position - position[:, None]
assert np.array_equal(bucket(-offset), bucket(offset).T)  # an encoder's buckets are only mirrored
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
for name, r in {"j − i": offset, "i − j": -offset}.items():
    b = numbers[bucket(r, bidirectional=False)]
    _, with_bias = attention(Q, K, V, bias=b, scale=1.0, mask=mask)
    print(f"{name}: the bias moves weights by up to {abs(with_bias - without).max():.4f}")
assert np.allclose(with_bias, without)  # with i − j

# %% [markdown]
# In an encoder, the same mistake only mirrors the buckets, and training can adapt. But with a loaded table, each head
# looks the wrong way. In a decoder of several layers, the mask still reveals some order
# ([[blind_to_distance|chapter #]]), so the damage can be smaller, and harder to notice.

# %% [markdown]
# ## Does training repair the sign?
#
# Both signs now learn a task that needs distance: name the token three places back. The texts are random, so their
# content does not help. Each model is one causal layer with T5's scale of 1.
#
# The wrong sign sees which tokens came before, but not in which order. Its best guess is the most frequent of them.
# **Our margin: with all three seeds, the right sign is better by 0.2.**

# %%
import course_study as study


class WrongSign(T5Bias):
    """T5's bias with query minus key: the offset r gets the number of −r."""

    def bias(self, n_q, n_k, past):
        return super().bias(n_q, n_k, past).flip(-1)  # offsets −r … +r, reversed (no cache here)


def ask_back(back, length):
    """Texts of 8 kinds of tokens; the answer at each token is the token `back` places before it."""

    def draw(generator):
        tokens = torch.randint(8, (32, length), generator=generator)
        answers = tokens.roll(back, dims=1)
        answers[:, :back] = -100  # no token is that far back, so nothing is asked
        return tokens, answers

    return draw

# %% tags=["nbval-ignore-output"]
kept_models = []


def decoder_with(scheme):
    """One causal layer. We keep it, so that we can look at its table later."""
    position = scheme(1, bidirectional=False)
    kept_models.append(study.OneLayer(position, 8, causal=True))
    return kept_models[-1]


signs_to_train = {
    "right sign": lambda: decoder_with(T5Bias),
    "wrong sign": lambda: decoder_with(WrongSign),
}
found = study.fit(signs_to_train, ask_back(3, length=24), steps=100)
print("accuracy    seed 0  seed 1  seed 2")
for name, accuracies in found.items():
    print(f"{name:10}", *(f"{accuracy:7.2f}" for accuracy in accuracies))
tokens, answers = ask_back(3, length=24)(torch.Generator().manual_seed(1))
kinds = nn.functional.one_hot(tokens, 8)
frequent = (kinds.cumsum(1) - kinds).argmax(-1)  # the most frequent token before this one
guessed = (frequent == answers)[answers >= 0].float().mean()
print(f"best guess {guessed:7.2f}, by chance {1 / 8:.2f}")
assert min(found["right sign"]) > max(found["wrong sign"]) + 0.2

# %% [markdown]
# The right sign names nearly every token. (With other seeds, a few stop at two thirds.) The wrong sign does no
# better than that guess. We draw the bias that the right sign learned with each seed.

# %% tags=["nbval-ignore-output"]
distance = torch.arange(24)
fig, ax = plt.subplots(figsize=(6.4, 2.6))
rows = torch_bucket(-distance, bidirectional=False)
for seed, model in enumerate(kept_models[:3]):  # the right sign was trained first
    learned = model.attention.position.table.detach()[rows, 0]
    ax.plot(distance, learned, marker="o", markersize=3, label=f"seed {seed}")
    assert learned.argmax() == 3
ax.set(xlabel="distance of the key, to the left", ylabel="learned bias")
ax.legend()
figures.show(fig, alt="The bias by distance that three seeds learned, each with its peak at distance 3")

# %% [markdown]
# All three tables peak at distance 3, which has its own bucket. Distance 20 shares bucket 17. **Your turn.** How often
# can the right sign name the token 20 places back? Guess, then run the cell (about four seconds).

# %% tags=["nbval-ignore-output"]
there = [d for d in range(40) if bucket(-d, bidirectional=False) == 17]
only_right = {"right sign": signs_to_train["right sign"]}
far = study.fit(only_right, ask_back(20, length=40), steps=300)["right sign"]
best = 1 / 2 + 1 / 2 * 1 / 8
questions = 8 * 32 * 20  # 8 batches of 32 texts, with 20 questions each
error = math.sqrt(best * (1 - best) / questions)
print(f"{questions:,} questions; distances in bucket 17:", there)
print("accuracy with three seeds:", *(f"{accuracy:.2%}" for accuracy in far))
print(f"best possible: {best:.2%}, standard error of an accuracy: {error:.2%}")
assert there == [19, 20] and max(far) < best + 4 * error

# %% [markdown]
# Two distances share the bucket, so the layer must guess between two tokens. Half of the time it picks the right place.
# Otherwise its token is still correct one time in eight. That makes $\frac12 + \frac12 \cdot \frac18 = 56.25\,\%$, and
# no layer with this bias can do better except by luck in the 5,120 questions. The standard error says how large such luck
# typically is. T5 bets that in a language the shared bucket costs little.

# %% [markdown]
# ## Choosing the two sizes
#
# Could we simply ask for 1,024 buckets up to 128? Each direction has 512 buckets, 256 of them exact. Beyond 256 the
# formula divides $\ln(d/256)$ by $\ln(128/256)$, which is *negative*:

# %%
for d in (255, 256, 257, 300, 400, 512, 514):
    part = math.log(d / 256) / math.log(128 / 256)
    print(f"distance {d}: bucket {d if d < 256 else 256 + math.floor(part * 256)}")
assert part < -1

print("\nand what the library says:")
for sizes in ((1024, 128), (32, 8), (33, 128), (2, 128)):
    try:
        bucket(0, num_buckets=sizes[0], max_distance=sizes[1])
    except ValueError as error:
        print(error)

# %% [markdown]
# From 257 on the buckets run backwards, so distant keys read the rows of near ones. By this formula they are negative
# beyond 512. A negative index silently reads the other end of an array, but raises an error in `nn.Embedding`. Our
# library refuses such sizes.
#
# A `max_distance` can also be too small or too large. How many of a decoder's 32 buckets do texts of 64 tokens train?

# %%
for largest in (32, 64, 128):
    starts = np.array(bucket_starts(bidirectional=False, max_distance=largest))
    trained = len(set(bucket(-np.arange(64), bidirectional=False, max_distance=largest)))
    print(f"max_distance={largest:3}: {trained} of 32 buckets, the last begins at {starts[-1]}")
assert trained < 32  # with 128

# %% [markdown]
# With 128, texts of 64 tokens never reach five buckets. With 32, rounding leaves one empty.
#
# **Reference card**, for training texts of $n$ tokens:
#
# | | `num_buckets` | `max_distance` |
# |---|---|---|
# | sets | numbers per head; $E$ is a quarter of them in an encoder, half in a decoder | where the shared buckets would end |
# | choose | so that $E$ exceeds the distances that must be exact | at most $n$, and clearly above the number of buckets per direction |
# | too small | near words share a number | far words share one number, and some buckets stay empty |
# | too large | rows with little training | buckets that no text trains ([[longer_than_training|chapter #]] measures the damage) |

# %% [markdown]
# ## What it costs
#
# A table has `num_buckets` numbers per head, however long the text. The bias as a matrix has one number per head and
# per pair of query and key. As in T5-base (Raffel et al. 2020, section 3.1), we take 12 heads and 512 tokens.

# %%
heads, m, bytes_each = 12, 512, 4
print(f"table: 32 · {heads} = {32 * heads} parameters")
print(f"a number per offset: {heads} · (2·{m} − 1) = {heads * (2 * m - 1):,} parameters")
matrix = heads * m * m
print(f"bias as a matrix: {matrix:,} numbers = {matrix * bytes_each / 2**20:.0f} MiB")
print(f"bias as a row per head: {heads * (2 * m - 1) * bytes_each / 2**10:.0f} KiB")

# %% [markdown]
# Buckets save parameters, but the matrix is as large as before. Chapters [[diagonals|#]] and [[fast_attention|#]] save
# memory by keeping one row per head.

# %% [markdown]
# ## Optional: the released code
#
# `T5Attention` in `models/t5/modeling_t5.py` of Hugging Face's `transformers` should give the same buckets, and the
# same weights for the five tokens.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec
from itertools import product

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers==5.23.0")
else:
    from transformers.models.t5 import modeling_t5 as released
    r = torch.arange(-300, 301)
    rule = released.T5Attention._relative_position_bucket
    for both, (count, largest) in product((True, False), ((32, 128), (64, 256), (8, 20))):
        sizes = dict(bidirectional=both, num_buckets=count, max_distance=largest)
        assert torch.equal(torch_bucket(r, **sizes), rule(r, both, count, largest))
    config = released.T5Config(d_model=8, d_kv=D_K, num_heads=2)
    layer = released.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.relative_attention_bias.weight.data = torch.tensor(table)
    q, k, v = (torch.tensor(x).expand(1, 2, n, D_K) for x in (Q, K, V))
    bias = layer.compute_bias(n, n)
    _, theirs = released.eager_attention_forward(layer, q, k, v, bias, layer.scaling)
    assert np.allclose(theirs[0].detach(), weights)
    print("the buckets agree in 6 settings, and so do the weights of the five tokens")

# %% [markdown]
# **Who uses it today?** mT5 and the decoder of Pix2Struct use T5's rule unchanged. UDOP also applies it to the places
# of words on a page. In umT5 *every layer* has its own table, and one kind of LongT5 has a second, for keys that
# summarise blocks of text. The speech model WavLM has 320 buckets and a `max_bucket_distance` of 800, and its layers
# scale the bias by a gate. The newer T5Gemma uses RoPE.

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is not None:
    import transformers as hf

    sizes = dict(vocab_size=9, d_model=8, d_kv=4, num_heads=2, d_ff=8, num_layers=3)
    kinds = {"T5": {}, "MT5": {}, "UMT5": {}, "LongT5": {"encoder_attention_type": "transient-global"}}
    counted = {}
    for kind, extra in kinds.items():
        model = getattr(hf, f"{kind}Model")(getattr(hf, f"{kind}Config")(**sizes, **extra))
        kept = [x for x, _ in model.named_parameters() if "relative_attention_bias" in x]
        counted[kind] = [sum(x.startswith(stack) for x in kept) for stack in ("enc", "dec")]
        print(f"{kind:6} of 3 + 3 layers: tables in encoder, decoder {counted[kind]}")
    assert counted == {"T5": [1, 1], "MT5": [1, 1], "UMT5": [3, 3], "LongT5": [2, 1]}
    assert (hf.WavLMConfig().num_buckets, hf.WavLMConfig().max_bucket_distance) == (320, 800)

# %% [markdown]
# ## Optional: a published table
#
# If you are online, this cell draws the table of T5-base.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.pretrained import t5_table

picture = None
try:
    published = t5_table("google-t5/t5-base")
except (OSError, ValueError) as error:
    print(f"T5-base cannot be read ({type(error).__name__}). The table that we trained is drawn above.")
else:
    assert published.shape[0] == 32
    r = torch.arange(-130, 131)
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    ax.plot(r, published[torch_bucket(r)], linewidth=1.2)
    ax.set(xlabel="offset j − i", ylabel="bias", title="T5-base, encoder: the bias of each head")
    picture = figures.show(fig, alt="T5-base, encoder: the bias of each head by offset")
picture

# %% [markdown]
# ## Easy to believe; let us run it
#
# Many claims about T5 circulate. Judge each of these, then read why.

# %%
from course_tasks import questions

questions.claims("t5_buckets")

# %% [markdown]
# ## Remember
#
# - Near offsets have their own bucket. Farther ones share, evenly on a logarithmic scale. The last bucket never ends.
# - T5's encoder has 16 buckets per direction: exact up to distance 7, then new ones at 8, 12, 16, 23, 32, 46, 64 and 91.
#   Its decoder has 32 for the past: exact up to 15, and the last from 113 on.
# - The offset is key minus query. With the wrong sign, a decoder's bias cancels in the softmax.
# - T5 has no scaling, one table per stack, and no bias in cross-attention.
# - Never keep a bias across an optimiser step.
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
figures.question(
    "You load trained T5 weights into a layer that divides q · k by √d_k. What happens?",
    options={
        "Nothing: softmax cancels a common factor":
            "The softmax cancels what is added to a whole row, not what multiplies it.",
        "The biases become too weak":
            "The biases stay as they are, and q·k shrinks.",
        "The content counts for less, the bias for more":
            "Yes: q·k becomes √d_k times smaller, and the biases keep their size.",
    },
    answer="The content counts for less, the bias for more",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A 12-layer model shares one T5 bias. Which of these is safe to keep between training steps?",
    options={
        "The bias of the first layer, detached":
            "Then the table gets no gradient, and the bias is stale after one step.",
        "The bucket of each offset":
            "Yes: it depends on the sizes alone. The table is read again in each step.",
        "The bias, for as long as the length stays the same":
            "The length is the same, but the optimiser has changed the table.",
    },
    answer="The bucket of each offset",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from five distances with a pencil to two bug hunts.
#
# **Next:** [[next]].
#
# **Sources** C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*,
# 2020, section 2.1 and section 3.1 · T5's code, `_relative_position_bucket` in Mesh TensorFlow's
# `transformer_layers.py` · flaxformer's `relative_position_biases.py` · `transformers` 5.23, the folders of the named
# models · a wiki page, *Relative Positional Bias (T5-style)* (bugs of two tasks).
