# %% [markdown]
# # [[title]]
#
# So far, every model in this course was small. Now the layer that you built runs a released language model,
# SmolLM2-135M-Instruct. You read its weights from a file, find the heads that use position, move them, and stop them.
#
# **You will be able to**
# - turn the bytes of a file into the weights of a layer, and notice when they are loaded wrongly;
# - find heads by their profile by offset, and test what they do, with controls;
# - move a head by turning its queries, and explain why a large norm does not show where a head looks.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (`from_grid`) and [[rope|#]]. **Time** [[time]].
#
# All measurements are from *this model in this file*, on one text. The model has 30 layers, and each layer has 9 heads
# with 64 channels. Without the file, the cells show recorded numbers; `python3 course.py model` fetches it (93 MB).

# %%
import numpy as np
import torch

from course_lib import figures, released
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.reference.grid import from_grid
from course_lib.reference.rope import rotate
from course_lib.released.gguf import Q4_1, q4_1

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## From bytes to a layer
#
# The file stores each matrix of a layer in blocks: 20 bytes for 32 numbers. (This format is called Q4_1.) The first four
# bytes are two numbers in float16: the smallest number $m$ of the block, and a step $d$, which comes first. Each of the
# other 16 bytes holds two whole numbers $q$ from 0 to 15. The weights are
#
# $$x = d\,q + m$$
#
# Here is the first block of $W_q$ in layer 0. Its fifth byte is 45 in hexadecimal: the high four bits are 4, the low
# four are 5. The low one is $q$ of number 0; the high one is $q$ of number 16, not of number 1.

# %%
block = bytes.fromhex("0f30 d8b9 4587 6540 6f65 164b 6776 6450 2267 655a")
d, m = np.frombuffer(block[:4], dtype="<f2").astype(float)
print(f"step d = {d:.4f}, smallest number m = {m:.4f}")

low, high = block[4] % 16, block[4] // 16
print(f"number 0:  {d:.4f} · {low} + ({m:.4f}) = {d * low + m:.4f}")
print(f"number 16: {d:.4f} · {high} + ({m:.4f}) = {d * high + m:.4f}")

# %% [markdown]
# A loop decodes the other bytes, and the course's reader does the same for all blocks at once.

# %%
numbers = np.zeros(32)
for t in range(16):
    numbers[t] = d * (block[4 + t] % 16) + m
    numbers[t + 16] = d * (block[4 + t] // 16) + m

assert np.allclose(q4_1(np.frombuffer(block, dtype=Q4_1))[0], numbers)
figures.heatmap(numbers.reshape(2, 16), rows=("0–15", "16–31"), columns=range(16), digits=2,
                alt="The 32 numbers of the block")

# %% [markdown]
# `released.load()` reads all tensors like this and puts them into 30 layers. What kind of layers?

# %%
model = released.load()
layer = model.decoder.blocks[0].attention
print(layer)
assert isinstance(layer, RelativeAttention)
assert isinstance(layer.position, RoPE)

# %% [markdown]
# They are the `RelativeAttention` of this course, with its `RoPE`. Queries have 576 channels, 9 heads of 64. Keys and
# values have only 192, because three query heads share one key head. ([[fast_attention|Chapter #]] explains why.)
#
# ## A loss that must come out
#
# How do we know that the weights are right? We let the model read. `losses(text)` returns $-\ln p$ for each token after
# the first, where $p$ is the probability that the model gave to this token. A model that considers all 49,152 tokens
# equally likely has a loss of $\ln 49152 = 10.8$. What do you expect here?

# %% tags=["nbval-ignore-output"]
n = 256
text = model.encode(released.excerpt("alice"))[:n]
print("".join(model.tokens(text[:40])), "…")

losses = model.losses(text)
loss = float(losses.mean())
print(f"loss {loss:.4f}")
assert abs(loss - 3.323) < 0.01

# %% [markdown]
# The loss is 3.32 nats per token. We compare it with a number that somebody computed with other code for the same file
# and the same tokens. If the two agree, everything between the bytes and the loss is right.
#
# ## A wrong pairing
#
# The rows of $W_q$ and $W_k$ in this file are interleaved: channels $2m$ and $2m+1$ form a pair. What happens if the
# layers rotate them half-split, channels $m$ and $m + 32$ together?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The layers rotate the wrong pairs of channels. What will you see?",
    options={
        "An error": "All shapes fit: both forms rotate 64 channels of 9 query heads and 3 key heads.",
        "A slightly larger loss": "Every score between two different positions becomes wrong, in all 30 layers.",
        "No error, and a much larger loss": "Yes. Run the next cell.",
    },
    answer="No error, and a much larger loss",
)

# %% tags=["nbval-ignore-output"]
with model.changed(position=RoPE(64, base=100_000)):
    mixed = float(model.losses(text).mean())
print(f"right pairs {loss:.2f}, wrong pairs {mixed:.2f}")
assert mixed - loss > 1.5

# %% [markdown]
# The model runs without a warning, and its loss rises by 2.1 nats. Names, shapes and types were all right, so only
# the loss shows the mistake. This is why `load()` checks one loss every time.
#
# ## Only differences count
#
# The model was trained on at most 8,192 positions. Now we add 50,000 to all of them. For the control, we
# move only the second half of the text. Which of the two will hurt?

# %% tags=["nbval-ignore-output"]
positions = torch.arange(n) + 50_000
with model.changed(positions=positions):
    change = (model.losses(text) - losses).abs().max()
print(f"all positions + 50,000: no loss changes by more than {change:.6f}")
assert change < 0.001

positions = torch.arange(n) + 50_000 * (torch.arange(n) >= n // 2)
with model.changed(positions=positions):
    change = float((model.losses(text) - losses)[n // 2 :].mean())
print(f"the second half + 50,000: its mean loss rises by {change:.2f}")
assert change > 1

# %% [markdown]
# A position as such is never seen, only a difference of two. The same 50,000 between two halves of the text cost 2.2
# nats per token: this model has never met such an offset. ([[stretching_rope|Chapter #]] asks what can be done.)
#
# ## Where does a head look?
#
# The **profile by offset** of [[diagonals|chapter #]] is the mean weight at each offset. We compute one entry for
# head 16.0 (layer 16, head 0) by hand, at offset −1, then all of them with `from_grid`.

# %% tags=["nbval-ignore-output"]
weights = model.attention(text, layer=16, head=0).numpy()
one_back = np.mean([weights[i, i - 1] for i in range(1, n)])

offsets = range(-5, 1)
sums, cells = from_grid(weights)[0], from_grid(np.tri(n))[0]
profile = [sums[offset + n - 1] / cells[offset + n - 1] for offset in offsets]
assert np.isclose(profile[-2], one_back)
assert one_back > 0.6
figures.heatmap(np.array(profile), columns=offsets, digits=2, alt="Head 16.0: mean weight by offset")

# %% [markdown]
# Head 16.0 gives 76 % of its weight to the word before. It is a **previous-token head**. `model.profiles` does
# this for all 270 heads in one pass: the share of the weight at each distance $i - j$, and the share of token 0.

# %% tags=["nbval-ignore-output"]
shares, on_first = model.profiles(text)
previous = shares[..., 1] * n / (n - 1)  # only n − 1 queries have a token before them
assert abs(previous[16, 0] - one_back) < 0.001


def top(scores, k):
    """The k heads with the largest scores, as pairs (layer, head)."""
    order = scores.flatten().argsort(descending=True)[:k]
    return [divmod(int(number), model.n_heads) for number in order]


for head in top(previous, 8):
    print("head {}.{}".format(*head), f"{previous[head]:.2f}")
assert top(previous, 1) == [(16, 0)]

# %% [markdown]
# An **induction head** continues a repetition (Olsson et al. 2022): it looks for an earlier copy of the present token,
# and attends to the token *after* it. To find such heads we need a text in which every token has exactly one earlier
# copy. So we draw 64 tokens at random and give them twice. At which distance is the token after the earlier copy?

# %% tags=["nbval-ignore-output"]
once = torch.tensor(np.random.default_rng(0).integers(1000, 40_000, size=64))
twice = torch.cat([once, once])
repeated, _ = model.profiles(twice)
induction = repeated[..., 63] * 128 / 65  # 65 queries have a key at distance 63, all but one in the second copy

for head in top(induction, 8):
    print("head {}.{}".format(*head), f"{induction[head]:.2f}")
assert top(induction, 1) == [(18, 6)]

# %% [markdown]
# The earlier copy is 64 tokens back, and the token after it 63. Here is the map of all heads. Click 16.0, then 18.6.

# %% tags=["nbval-ignore-output"]
figures.map_of_heads(
    {"previous token": previous, "induction": induction, "token 0": on_first},
    shares,
    n_kv_heads=3,
)

# %% [markdown]
# Most weight goes to neither. In many heads, token 0 gets more than half of it, whatever the token is. Head 18.6 gives
# 90 % of its weight to the right token in the repeated text, and 91 % to token 0 in *Alice*, where nothing is repeated.
# Token 0 is a **sink**, the subject of [[windows_and_sinks|chapter #]].
#
# ## Stop them
#
# A picture shows where a head looks, not what this is good for. So we stop ten induction heads: their outputs
# become 0. As a control, we stop ten other heads of the same layers, drawn at random three times. We watch the loss on
# the second copy.

# %% tags=["nbval-ignore-output"]
def second_copy(stopped):
    """The loss on the second copy while some heads are stopped."""
    with model.changed(stopped_heads=stopped):
        return float(model.losses(twice)[64:].mean())


ten = top(induction, 10)
layers = sorted({layer for layer, _ in ten})
others = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in ten]
draws = [np.random.default_rng(seed).permutation(others)[:10].tolist() for seed in range(3)]
control = [second_copy(heads) for heads in draws]
without = second_copy(ten)
print(f"first copy {model.losses(twice)[:63].mean():.1f}, second copy {second_copy([]):.1f}")
print(f"ten induction heads stopped: {without:.1f}")
print("ten others stopped:", *[f"{loss:.1f}" for loss in control])
assert without - max(control) > 5

# %% [markdown]
# Without these ten of 270 heads, the model predicts the second copy hardly better than the first. Ten others of the
# same layers matter much less. So in this model, these heads do the copying.
#
# ## Move a head
#
# A head's queries are rotated by their position $i$. What if we rotate them as if they were at $i + 1$, and leave the
# keys alone? The score then contains $R_{j-(i+1)}$ in place of $R_{j-i}$.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The queries of a previous-token head are rotated by one position more. Where does it look now?",
    options={
        "Still at the token before": "The rotation decides what this head attends to, and you changed it.",
        "Two tokens back": "For the key two back, the rotation is now that of offset −3.",
        "At the query's own token": "Yes: j − (i + 1) is −1 for j = i.",
    },
    answer="At the query's own token",
)

# %% tags=["nbval-ignore-output"]
six = top(previous, 6)
names = ["{}.{}".format(*head) for head in six]
found = {0: shares}
for turn in (1, -1):
    with model.changed(heads=six, turn_query=turn):
        found[turn], _ = model.profiles(text)

pictures = []
for turn, by_distance in found.items():
    near = [by_distance[head][:4].tolist() for head in six]
    pictures.append(figures.heatmap(near, rows=names, columns=range(4), digits=2, corner="head",
                                    alt=f"Weight at distance 0 … 3, queries {turn:+d}"))
assert all(found[1][head][:4].argmax() == 0 for head in six)
assert all(found[-1][head][:4].argmax() == 2 for head in six)
figures.side_by_side(*pictures)
