# %% [markdown]
# # [[title]]
#
# A model can learn how much each offset matters: one number per offset, added to the score. But nobody has seen an
# offset of some thousands often enough to learn its number. T5 lets far offsets share: 32 numbers per head cover every
# distance there is. The rule that shares them out fits in one line, and its boundaries are easily misremembered. You
# will compute where they are.
#
# **You will be able to**
# - find the bucket of any offset with a pencil, in an encoder and in a decoder;
# - turn a learned table into the bias of every head, with and without a cache;
# - say what T5 shares, what it leaves out (scaling, a bias in cross-attention) and why;
# - recognise four quiet bugs: the sign, the stale cache, the bias nobody adds, sizes that run backwards;
# - load the table of a published T5 and read it.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask) and [[diagonals|#]] (`from_grid`, `to_grid`, `row_offsets`), and
# a little torch. **Time** [[time]].

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_lib import figures
from course_lib.example import TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)

# %% [markdown]
# ## A number for each offset
#
# The simplest bias one can learn: a number per offset $j - i$, and one such row of numbers for each head. Five tokens
# have nine offsets, $n$ tokens have $2n - 1$. How often does a text train each of these numbers? Sum a grid of ones
# along its diagonals (`from_grid`, [[diagonals|chapter #]]).

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
# The offset $r$ occurs $n - |r|$ times. Near offsets get plenty of practice, the farthest is seen once in each
# direction, and beyond the training length there is no number at all. *One step back* and *two steps back* are
# different things in a language. Two hundred steps back, or one more: T5 bets that it hardly matters. So let near
# offsets keep a number of their own and far ones share. A group that shares is a **bucket**.

# %% [markdown]
# ## One bucket by hand
#
# T5 has 32 buckets. In the encoder, where a query looks both ways, each direction gets $N = 16$ of them. Half of those,
# $E = 8$, are **exact**: distances 0 to 7, one bucket each. The other 8 share the logarithm of the distance from $E$
# up to `max_distance` $= 128$ evenly:
#
# $$\text{bucket}(d) = E + \left\lfloor \frac{\ln(d / E)}{\ln(128 / E)} \, (N - E) \right\rfloor
# \quad \text{for } d \ge E, \text{ at most } N - 1$$
#
# Take a key 20 tokens to the left.

# %%
N, E, largest, d = 16, 8, 128, 20
print(f"how far along, on a log scale: ln(20/8)   = {math.log(d / E):.4f}")
print(f"the whole way:                 ln(128/8)  = {math.log(largest / E):.4f}")
part = math.log(d / E) / math.log(largest / E)
print(f"share of the way {part:.4f}, times {N - E} buckets = {part * (N - E):.4f}")
print(f"bucket {E} + {math.floor(part * (N - E))} = {E + math.floor(part * (N - E))}")

# %% [markdown]
# The same for more distances. 3 needs no logarithm, and 200 runs past the last bucket and is held there.


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
# Direction comes last. **In an encoder** a key at or before the query ($j - i \le 0$) keeps its number, and a key after
# it gets 16 more: the past has buckets 0 to 15, the future the rest. **A decoder** never looks ahead, and buckets for
# the future would be wasted. All 32 serve the past: $N = 32$, $E = 16$, and the distance is $\max(-(j - i), 0)$. Every
# key after the query falls into bucket 0, where the mask hides it. The library has both rules for whole arrays.

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
# A query at position 10 looks along a sentence of 24 tokens. Which bucket has each key, in an encoder and in a decoder?
# First commit to an answer for the two neighbours.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder's query stands at position 10. Which buckets do the keys at positions 9 and 11 fall into?",
    options={
        "1 and 1": "The distance is 1 for both. What tells the two apart is the direction.",
        "15 and 17": "Not centred on 16: the numbers of the past count up with the distance.",
        "9 and 11": "Those are positions. A bucket knows only the offset, −1 and +1.",
        "1 and 17": "Yes: distance 1 in the past, and distance 1 in the future plus 16.",
    },
    answer="1 and 17",
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
# Read the encoder's line from the query (offset 0) outwards: 0, 1, 2, … to the left; 17, 18, 19, … to the right. From
# distance 8 on (offsets −8 and +8) neighbours begin to share. In the decoder everything to the right of the query is 0.
#
# The same line, alive. Choose a key (point, tap or arrow keys) and read its calculation, move the query, switch the
# direction. Two things to look for: how few buckets are left for the shared distances with 8 buckets, and where the
# last bucket begins when you double `max_distance`.

# %%
from course_lib.reference.t5 import bucket_starts

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
# In the encoder the shared buckets begin at 8, 12, 16, 23, 32, 46, 64 and 91. The last one holds everything from 91
# on. In the decoder it begins at 113. So "up to 128" is loose: `max_distance` is where one bucket more *would* begin.
# (Nor is it a training length: T5 was trained on texts of 512 tokens.) The last boundary is $8 \cdot 16^{7/8}$, and
# $16 \cdot 8^{15/16}$ in the decoder, rounded up.

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
# On a logarithmic axis the shared steps would be equally wide, were distances not whole numbers: each boundary is
# rounded up to the next one. From $E$ on, until the last bucket ends it, a doubling of the distance adds
# $(N - E) / \log_2(128 / E)$ buckets on average. In the encoder that is two, each time. In the decoder it is $16/3$, so
# now 5 and now 6.
#
# And one number of the 32 is never used in an encoder: bucket 16 would be *distance 0, in the future*, and the token
# itself is bucket 0 already. So the table has 32 rows and trains 31 of them.

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
# ## Easy to believe; let us run it
#
# Six sentences about T5's buckets. Decide for each whether it is true before you run the cell.
#
# 1. Distances 12 to 16 share a bucket.
# 2. Doubling the distance adds about one bucket.
# 3. Bucket 10 is a distance of about 50.
# 4. Distances 50 and 55 are the same to T5.
# 5. Bucket 1 is the neighbour.
# 6. Bucket 16 is the token itself, with the past below it and the future above.

# %%
print("1. buckets of 12 … 16:", bucket(-np.arange(12, 17)))
print("2. 8, 16, 32, 64:", bucket([-8, -16, -32, -64]))
for both in (True, False):
    held = [d for d in range(300) if bucket(-d, bidirectional=both) == 10]
    first, second = bucket([-50, -55], bidirectional=both)
    print(f"3. bidirectional={both}: bucket 10 holds {held}")
    print(f"4. bidirectional={both}: 50 and 55 share a bucket: {first == second}")
print("5. one to the left, one to the right:", bucket([-1, 1]))

r = np.array([-200, -12, -4, -2, 0, 2, 4, 12, 200])
both = np.array([np.clip(r, -16, 15) + 16, bucket(r)])
assert both[0, 4] == 16 and both[1, 4] == 0
columns = [f"{x:+d}" for x in r]
rows = ["clipped offset + 16", "T5's bucket"]
figures.heatmap(both, rows=rows, columns=columns, corner="6. offset", alt="Clipped offsets are no buckets")

# %% [markdown]
# 1. Almost: 16 is the first of the next bucket.
# 2. It adds two, exactly, from 8 to the last boundary; in a decoder a little over five.
# 3. In an encoder it holds 16 to 22, in a decoder the distance 10 alone.
# 4. True in an encoder, not in a decoder.
# 5. Half of it: one neighbour is bucket 1, the other bucket 17. That is how a head can prefer the word before to the
#    word after.
# 6. That is a picture of `offset + 16`, clipped: Shaw's way to count ([[vector_per_distance|chapter #]]), cut to 32
#    rows here. The table has it above T5's buckets.

# %% [markdown]
# ## Whole numbers instead of a logarithm
#
# The formula asks a floor of a logarithm, and a floor is merciless: 8 and a hair below 8 differ by one bucket. Some code
# computes $\ln d - \ln E$ where the formula has $\ln(d/E)$. On paper it is the same. Take a decoder with
# `max_distance=256`, where $d = 64$ is a boundary: $\ln(64/16) / \ln(256/16)$ is one half exactly.

# %%
whole = math.log(256) - math.log(16)
difference = (math.log(64) - math.log(16)) / whole * 16
ratio = math.log(64 / 16) / math.log(256 / 16) * 16
print(f"difference of logarithms {difference:.15f}: bucket {16 + math.floor(difference)}")
print(f"logarithm of the ratio   {ratio:.15f}: bucket {16 + math.floor(ratio)}")
assert bucket(-64, bidirectional=False, max_distance=256) == 16 + math.floor(ratio)

# %% [markdown]
# The ratio keeps to the right side there. The sure way has no logarithm at all. Bucket $E + t$ has begun when
# $\ln(d/E) / \ln(\text{largest}/E) \cdot (N - E) \ge t$. Multiply by the denominator and take $e$ to the power of both
# sides:
#
# $$\left(\frac{d}{E}\right)^{N-E} \ge \left(\frac{\text{largest}}{E}\right)^{t}$$
#
# Only whole powers are left (multiply by $E$ as often as needed), and Python's whole numbers are exact at any size.


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
# `bucket_starts` in the library is this list, and `bucket` finds its place in it. In bfloat16, which keeps two or three
# decimal digits, T5's own sizes go wrong in the ratio form too:

# %%
import torch

d = torch.arange(8, 300)
coarse = torch.log(d.bfloat16() / 8) / math.log(16) * 8
coarse = (8 + coarse.long()).clamp(max=15)
right = torch.from_numpy(bucket(-d.numpy()))
print("bfloat16 puts these into the wrong bucket:", d[coarse != right].tolist())
assert d[coarse != right].tolist() == [16, 32, 90]

# %% [markdown]
# ## From table to grid
#
# What T5 learns is a table of shape `(num_buckets, heads)`: each head has a column. To see what a table can say, fill
# one by hand. Head 0 likes the word before it (bucket 1), head 1 the word after it (bucket 17), and both dislike
# everything else a little.

# %%
table = np.full((32, 2), -1.0)
table[1, 0] = table[17, 1] = 2.0

r = row_offsets(n)
row = table[bucket(r)]
print("offset ", r)
print("bucket ", bucket(r))
figures.heatmap(row.T, rows=["head 0", "head 1"], columns=signs, alt="One number per offset")

# %% [markdown]
# Nine offsets, nine numbers for each head. `to_grid` lays them on the diagonals: a look-up for each pair, in three
# loops, gives the same. Then add them to the scores. (A symmetric bias such as [[bias_by_hand|chapter #]]'s could not
# do this: it treats $-1$ and $+1$ alike.)

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
# ## T5 does not scale
#
# Look at `scale=1.0`: in T5 the score is $q_i \cdot k_j + b$, without $1/\sqrt{d_k}$. The size that scaling would take
# away is left out of the initial weights instead: $W_q$ starts smaller by $\sqrt{d_k}$. Draw initial weights both ways,
# for inputs of 512 numbers and heads of 64:

# %%
rng = np.random.default_rng(0)
x = rng.normal(size=(200, 512))
w_q, w_k = rng.normal(size=(2, 512, 64)) / np.sqrt(512)
usual = (x @ w_q) @ (x @ w_k).T
as_t5 = (x @ (w_q / np.sqrt(64))) @ (x @ w_k).T
print(f"spread of q·k: usual {usual.std():.1f}, scaled {usual.std() / 8:.1f}")
print(f"               as T5 draws W_q, not scaled: {as_t5.std():.1f}")
assert np.allclose(as_t5, usual / np.sqrt(64))

_, scaled = attention(Q, K, V, bias=B)
print(f"five tokens, scaled by mistake: weights off by up to {abs(scaled - weights).max():.2f}")
assert abs(scaled - weights).max() > 0.1

# %% [markdown]
# At the start the two are the same function. Weights that were *trained* without the scaling are another matter: put
# it in when you load them, and every $q_i \cdot k_j$ shrinks by $\sqrt{d_k}$ while the biases stay as they were. The
# last line shows it for our five tokens.

# %% [markdown]
# ## One table for a whole stack
#
# T5 keeps one table for all layers of its encoder, and another for all layers of its decoder. Layers differ in their
# queries and keys, never in the bias. The course has both in torch: `T5Bias` is a table with its look-up, and
# `RelativeAttention` a layer of attention that adds the bias it is handed. Hand the same `T5Bias` to every layer of a
# list (`nn.ModuleList`), and its table counts once:

# %%
from torch import nn

from course_lib.nn.layer import RelativeAttention
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.t5 import bucket as torch_bucket

shared = T5Bias(n_heads=2)
encoder = nn.ModuleList([RelativeAttention(8, 2, position=shared) for _ in range(6)])
tables = [name for name, _ in encoder.named_parameters() if "table" in name]
print("tables among the parameters:", tables, tuple(shared.table.shape))
assert len(tables) == 1

# %% [markdown]
# Two relatives of T5 differ. umT5 gives *every layer* a table of its own. One kind of LongT5 has a second table in its
# encoder: there each token looks at its neighbours and at summaries of blocks, and the second table is for the
# summaries. If Hugging Face's `transformers` is installed, count:

# %% tags=["nbval-ignore-output"]
try:
    import transformers as hf

    sizes = dict(vocab_size=9, d_model=8, d_kv=4, num_heads=2, d_ff=8, num_layers=3)
    kinds = {"T5": {}, "UMT5": {}, "LongT5": {"encoder_attention_type": "transient-global"}}
    found = {}
    for kind, extra in kinds.items():
        config = getattr(hf, f"{kind}Config")(**sizes, **extra)
        model = getattr(hf, f"{kind}Model")(config)
        kept = [x for x, _ in model.named_parameters() if "relative_attention_bias" in x]
        found[kind] = [sum(x.startswith(stack) for x in kept) for stack in ("enc", "dec")]
        print(f"{kind:6} of 3 + 3 layers: tables in encoder, decoder {found[kind]}")
    assert found == {"T5": [1, 1], "UMT5": [3, 3], "LongT5": [2, 1]}
except ImportError:
    hf = None
    print("transformers is not installed: T5 [1, 1], UMT5 [3, 3], LongT5 [2, 1]")

# %% [markdown]
# None of these tables belongs to cross-attention. There a decoder's query looks at the encoder's output, the *memory*.
# The two texts are counted separately, and T5 gives an offset between them no number: it adds no bias there. So its
# cross-attention does not see the order of the memory:

# %%
torch.manual_seed(0)
cross = RelativeAttention(8, 2, position=T5CrossAttention())
x, memory = torch.randn(1, 3, 8), torch.randn(1, 6, 8)
mixed = memory[:, [4, 0, 5, 2, 1, 3]]
assert torch.allclose(cross(x, memory), cross(x, mixed), atol=1e-6)
print("the same output for the memory in any order")

# %% [markdown]
# (The order is in the memory all the same: the encoder's own layers have put it there.)
#
# ## Decoding, one token at a time
#
# A decoder that writes keeps the old keys and asks for one new query, which stands at position `past`. Its bias is the
# *last* row of the grid, offsets $-\text{past}$ to 0. A bias that forgets `past` hands over the first row: there no
# key lies in the past, and all of them are in bucket 0.

# %%
past = 5
new_query = row_offsets(1, past + 1, past)
print("offsets with past:   ", new_query, "buckets", bucket(new_query, bidirectional=False))
forgotten = row_offsets(1, past + 1)
print("offsets without past:", forgotten, "buckets", bucket(forgotten, bidirectional=False))

from course_lib.nn.cache import KeyValueCache

decoder = T5Bias(2, bidirectional=False)
nn.init.normal_(decoder.table)
layer = RelativeAttention(8, 2, position=decoder, causal=True)
x, cache = torch.randn(1, 40, 8), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## What to cache, and what not
#
# Buckets depend on sizes alone, so they may be kept for ever. A *bias* is made of the table, and the table learns. Keep
# the bias over one step of the optimizer and look:

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
# The layer would go on with yesterday's table, and a second backward pass fails in words that do not mention a cache.
# Detaching the kept bias silences the error and keeps the bug: then the table gets no gradient at all. What is safe:
# keep the bucket indices, or compute the bias once per *forward pass* and hand it to all layers, as T5 does.
#
# Handing it on brings its own bug. One layer owns the table, the others receive the finished bias, and yet a stack of
# six may have position in one of them: nothing fails. You will hunt that one in the tasks.

# %% [markdown]
# ## `bidirectional=True` in a decoder
#
# Suppose a decoder is built with the encoder's buckets by mistake. It is easy to believe that it then sees the future.
# Commit to an answer, then run the cell.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A causal layer gets the bias T5Bias(bidirectional=True). How much weight goes to keys after the query?",
    options={
        "A little, through buckets 17 to 31":
            "The bias there is a finite number, and the mask comes after it: −∞ wins.",
        "None, exactly":
            "Yes. Hiding is the mask's business; a bias can neither hide nor reveal.",
        "As much as the table says":
            "The table has a say wherever the mask lets a query look.",
    },
    answer="None, exactly",
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
# Causality stands. The price is elsewhere: half of the table is for keys that the mask hides, and the past has to make
# do with 16 buckets instead of 32. Among 40 tokens that leaves 13 instead of 23.
#
# And trained weights no longer fit: row 10 of a decoder's table was learned for distance 10 and would be read for 16 to
# 22. Models trained that way work, only more coarsely; models *loaded* that way are damaged.

# %% [markdown]
# ## The decoder that one sign blinds
#
# [[start_here|Chapter #]] began with a decoder that read *dog bites man* and *man bites dog* alike. Now you can say
# why. The causal rule takes the distance $\max(-(j - i), 0)$. Feed it $i - j$ in place of $j - i$: for every key a
# query may see, the distance becomes $\max(-(i - j), 0) = 0$.

# %%
position = np.arange(n)
offset = position - position[:, None]
assert np.array_equal(bucket(-offset), bucket(offset).T)  # in an encoder: mirrored
figures.side_by_side(
    figures.heatmap(bucket(offset, bidirectional=False), alt="Buckets of j − i, decoder"),
    figures.heatmap(bucket(-offset, bidirectional=False), alt="Buckets of i − j, decoder"),
)

# %% [markdown]
# On the right, all visible keys (on and below the diagonal) are in bucket 0. Each row of the bias is one and the same
# number there, $e^{s+c} = e^s e^c$, and the softmax divides $e^c$ out again. The layer computes what it would compute
# without any bias:

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
# In an encoder the same slip only mirrors the buckets: left becomes right (the `assert` beside the tables says so). A
# model trained so is as good as any. Load trained tables into it, and each head looks the wrong way.

# %% [markdown]
# ## Sizes that make no sense
#
# "1,024 buckets for distances up to 128: more than needed, but harmless." Let us run it. Each direction has 512
# buckets, 256 of them exact. Beyond 256 the formula takes $\ln(d/256)$ and divides by $\ln(128/256)$, which is
# *negative*:

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
# The buckets run backwards, through those that belong to near distances, and beyond 512 they are negative: an error at
# last, or in NumPy's and torch's indexing the other end of the table. The exact buckets must leave room: $E < $ `max_distance`. When the two
# are equal, the formula divides by $\ln 1 = 0$, and that is refused as well.

# %% [markdown]
# ## What it costs
#
# A table has `num_buckets` numbers for each head, however long the text. The *materialised* bias, one number per head
# and pair, is another thing. It is easy to believe that a number per offset needs $n^2$ parameters, for the matrix has
# so many cells; it needs $2n - 1$. For 12 heads and a text of 512 tokens, as in T5's base size:

# %%
heads, m, bytes_each = 12, 512, 4
print(f"table: 32 · {heads} = {32 * heads} parameters")
print(f"a number per offset: {heads} · (2·{m} − 1) = {heads * (2 * m - 1):,} parameters")
matrix = heads * m * m
print(f"bias as a matrix: {matrix:,} numbers = {matrix * bytes_each / 2**20:.0f} MiB")
print(f"bias as a row per head: {heads * (2 * m - 1) * bytes_each / 2**10:.0f} KiB")

# %% [markdown]
# Buckets save parameters, not activations: the matrix has the same size whether its numbers come from 32 buckets or
# from 1,023 offsets, and it grows with the square of the length. What saves memory is to keep the row and read it
# diagonal by diagonal (chapters [[diagonals|#]] and [[fast_attention|#]]).

# %% [markdown]
# ## The same as the published code
#
# Equal to Hugging Face's T5, when it is installed: every bucket from −300 to 300 in several sizes, and the output of
# one attention layer with the same weights.

# %% tags=["nbval-ignore-output"]
if hf is None:
    print("transformers is not installed: nothing to compare with")
else:
    from transformers.models.t5.modeling_t5 import T5Attention

    r = torch.arange(-300, 301)
    for both in (True, False):
        for buckets, largest in ((32, 128), (32, 256), (64, 256), (8, 20)):
            published = T5Attention._relative_position_bucket(r, both, buckets, largest)
            options = dict(bidirectional=both, num_buckets=buckets, max_distance=largest)
            assert torch.equal(torch_bucket(r, **options), published)
    print("every bucket agrees, in 8 settings")

    config = hf.T5Config(d_model=16, d_kv=4, num_heads=4, attn_implementation="eager")
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).eval()
    nn.init.normal_(theirs.relative_attention_bias.weight)
    ours = RelativeAttention(16, 4, position=T5Bias(4))
    with torch.no_grad():
        ours.position.table.copy_(theirs.relative_attention_bias.weight)
        pairs = {"query": "q", "key": "k", "value": "v", "out": "o"}
        for us, they in pairs.items():
            getattr(ours, us).weight.copy_(getattr(theirs, they).weight)
        x = torch.randn(2, 50, 16)
        gap = (ours(x) - theirs(x)[0]).abs().max()
    assert gap < 1e-5
    print("one layer, 50 tokens: the same output")

# %% [markdown]
# ## Learn a table
#
# What does a table look like when a task forces it to be precise? The task: at every token, say which token stood
# three places back. The texts are random, so content does not help, and only the bias can point.


# %%
def train(position, back, length=24, kinds=8, steps=200):
    """Teach one causal layer to name the token `back` places ago; the share it names."""
    torch.manual_seed(0)
    layer = RelativeAttention(32, 1, position=position, causal=True)
    embed, read = nn.Embedding(kinds, 32), nn.Linear(32, kinds)
    optimizer = torch.optim.Adam(nn.ModuleList([embed, layer, read]).parameters(), lr=0.01)
    for step in range(steps + 1):
        x = torch.randint(kinds, (64, length))
        guess = read(layer(embed(x)))[:, back:].flatten(0, 1)
        target = x[:, : length - back].flatten()
        if step == steps:
            return (guess.argmax(-1) == target).float().mean().item()
        optimizer.zero_grad()
        nn.functional.cross_entropy(guess, target).backward()
        optimizer.step()


# %% tags=["nbval-ignore-output"]
three_back = T5Bias(1, bidirectional=False)
with_table, without_table = train(three_back, back=3), train(None, back=3)
print(f"with the table {with_table:.0%}, without {without_table:.0%}, by chance {1 / 8:.0%}")
assert with_table > 0.95 and without_table < 0.45

learned = three_back.table.detach()[:, 0]
assert learned.argmax() == 3
distance = torch.arange(24)
fig, ax = plt.subplots(figsize=(6.4, 2.4))
ax.bar(distance, learned[torch_bucket(-distance, bidirectional=False)], color="#0b6e8a")
ax.set(xlabel="distance of the key, to the left", ylabel="learned bias")
figures.show(fig, alt="Learned bias by distance: a single peak at 3")

# %% [markdown]
# Without position the layer can only count which tokens it has seen, and name a frequent one. With it, the table points
# at distance 3: all else is far below.
#
# Distance 3 has a bucket of its own. Distance 20 has not: in a decoder it shares bucket 17. **Your turn.** How well can
# the layer name the token 20 places back? Guess, then run the cell. Then put 12 or 30 in place of 20, and guess again.

# %% tags=["nbval-ignore-output"]
import itertools

back = 20
far_back = T5Bias(1, bidirectional=False)
share = train(far_back, back=back, length=40)
bucket_there = int(bucket(-back, bidirectional=False))
mates = [d for d in range(40) if bucket(-d, bidirectional=False) == bucket_there]
tokens = itertools.product(range(8), repeat=len(mates))
best = np.mean([max(map(x.count, x)) for x in tokens]) / len(mates)
print(f"{back} back: {share:.0%}, bucket {bucket_there} holds {mates}")
print(f"naming the most frequent token among them: {best:.2%}")
assert far_back.table[:, 0].argmax() == bucket_there and share < best + 0.1

# %% [markdown]
# Two distances share the bucket, so the layer looks at both tokens equally and must guess between them: right half of
# the time, and by luck for one eighth of the rest, $\frac12 + \frac12 \cdot \frac18 = 56.25$ %. (Where more distances
# share, the best guess is the most frequent token among them.) That is what a bucket costs. In a language model
# it may cost little: that is T5's bet.

# %% [markdown]
# ## A real table
#
# With a connection, the next cell reads the encoder's table of T5-base out of its published file: a kilobyte or two of
# hundreds of megabytes, because the file says where each tensor lies. Without one, it draws the small table from above.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.pretrained import t5_table

try:
    published = t5_table("google-t5/t5-base")
    title, both = "T5-base, encoder: the bias of each head by offset", True
except (OSError, ValueError) as error:
    print("T5-base cannot be read:", type(error).__name__)
    published = three_back.table.detach()
    title, both = "The table learned above: its bias by offset", False
print(title)
assert published.shape[0] == 32 and published.isfinite().all()

r = torch.arange(-130 if both else -23, 131 if both else 1)
fig, ax = plt.subplots(figsize=(6.4, 3.2))
ax.plot(r, published[torch_bucket(r, bidirectional=both)], linewidth=1.2)
ax.set(xlabel="offset j − i", ylabel="bias", title=title)
assert len(ax.lines) == published.shape[1]
figures.show(fig, alt=f"{title}, a line for each head")

# %% [markdown]
# If you see T5-base: which heads look near, and which far? Does any prefer one side? Where do the lines run in steps, and
# where is the last one? A folder of your own works as well: `t5_table("path/to/model")`, with a T5 that was saved by
# `save_pretrained`.

# %% [markdown]
# ## Remember
#
# - A bucket is a group of offsets that share one learned number per head. Near offsets stand alone, far ones share,
#   evenly on a logarithmic scale.
# - T5's encoder: 16 buckets per direction, exact up to distance 7, new ones at 8, 12, 16, 23, 32, 46, 64 and 91; bucket
#   16 is never used. Its decoder: 32 for the past, exact up to 15, the last one from 113 on.
# - The offset is key minus query. One sign turned round, and a decoder's bias cancels in the softmax.
# - T5: no scaling, one table per stack, no bias in cross-attention.
# - Cache bucket indices, never a bias that is made of learned numbers.
# - Buckets save parameters. The matrix of biases is as large as ever.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "T5's encoder was trained on texts of 512 tokens. What does its bias do with an offset of −2,000?",
    options={
        "It fails: no such offset was trained":
            "A table with a number per offset would. Buckets have no end.",
        "It takes the number of bucket 15":
            "Yes, as every distance from 91 on. Within one layer it cannot tell 2,000 from 100.",
        "It takes the number of distance 128":
            "That is the same bucket, but the bucket begins at 91: 128 has no number of its own.",
    },
    answer="It takes the number of bucket 15",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You load trained T5 weights into a layer that divides scores by √d_k. What happens?",
    options={
        "Nothing: softmax cancels a common factor":
            "It cancels what is added to a whole row, not what multiplies it.",
        "The biases become too weak":
            "They stay as they are. It is q·k that shrinks.",
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
            "Yes: it depends on the sizes alone. The table is looked up anew each time.",
        "The bias, for as long as the length stays the same":
            "The length is the same, the table is not: the optimizer has changed it.",
    },
    answer="The bucket of each offset",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: nine, from five distances with a pencil to four bug hunts.
#
# **Next:** [[next]].
#
# **Sources** C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*,
# 2020, section 2.1 (buckets, one table per stack), and the published code of T5 and of Hugging Face's `transformers`
# (the exact rule, the missing scale) · H. W. Chung et al., *UniMax*, 2023 (umT5) · M. Guo et al., *LongT5*, 2022,
# section 3.
