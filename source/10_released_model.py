# %% [markdown]
# # [[title]]
#
# The course's layer, `RelativeAttention`, can run a released language model. You load SmolLM2-135M-Instruct into it,
# find the heads that use position, and test what they do.
#
# **You will be able to**
# - turn the bytes of a file into the weights of a layer, and notice when they are loaded wrongly;
# - find heads by their profile by offset, and test, with controls, what they do;
# - shift where a head looks by rotating its queries, and say what the norm of a pair of channels does not show.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (profile by offset) and [[rope|#]]. **Time**
# [[time]].
#
# The model has 30 layers, each with 9 heads of 64 channels. It reads *tokens*, which are words or pieces of words. All
# numbers are from *this model in this quantised file*, on two short texts: an excerpt of *Alice in Wonderland*
# (*Alice*) and random tokens. `python3 course.py model` fetches the file (93 MB). Without it, the cells show recorded
# numbers.

# %%
import numpy as np
import torch

from course_kit import figures
from course_lib import released
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.rope import rotate
from course_lib.released.gguf import Q4_1, q4_1

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## From bytes to a layer
#
# *Quantised* means that a number takes fewer bits, here 5 instead of 16. In the file's type Q4_1, 32 neighbouring
# numbers of a matrix share a step $s$ and a number $b$. Each of them is stored as a level $c$, a whole number from 0 to
# 15:
#
# $$x = s\,c + b$$
#
# Here are the 20 bytes of the first such block of $W_q$ in layer 0. The first four bytes are $s$ and $b$ in float16.
# Each of the other 16 holds two levels: byte $t$ has level $t$ in its low four bits, and level $t + 16$ in its high
# four bits. The first of these bytes is 45 in hexadecimal, so level 0 is 5, and level 16 is 4.

# %%
block = bytes.fromhex("0f30 d8b9 4587 6540 6f65 164b 6776 6450 2267 655a")
s, b = np.frombuffer(block[:4], dtype="<f2").astype(float)
print(f"s = {s:.4f}, b = {b:.4f}")

low, high = block[4] % 16, block[4] // 16
print(f"number 0:  {s:.4f} · {low} + ({b:.4f}) = {s * low + b:.4f}")
print(f"number 16: {s:.4f} · {high} + ({b:.4f}) = {s * high + b:.4f}")

numbers = q4_1(np.frombuffer(block, dtype=Q4_1))[0]  # the course's reader decodes whole matrices like this
assert np.isclose(numbers[0], s * low + b)
assert np.isclose(numbers[16], s * high + b)

# %% [markdown]
# `released.load()` reads the whole file into a model of 30 layers. What kind of layers?

# %% tags=["nbval-ignore-output"]
model = released.load()
layer = model.decoder.blocks[0].attention
print(layer)
assert isinstance(layer, RelativeAttention)
assert isinstance(layer.position, RoPE)

# %% [markdown]
# They are the `RelativeAttention` of this course, with its `RoPE`.
#
# ## Check the model with a known loss
#
# How do we know that weights and layers fit together? `losses(text)` returns $-\ln P$, in *nats*, for each token after
# the first, where $P$ is the probability that the model gave to this token. A model that considers all 49,152 tokens
# equally likely has a loss of $\ln 49152 = 10.8$.

# %% tags=["nbval-ignore-output"]
n = 256
text = model.encode(released.excerpt("alice"))[:n]
print("".join(model.tokens(text[:40])), "…")

losses = model.losses(text)
loss = float(losses.mean())
print(f"loss {loss:.4f}")
assert abs(loss - 3.323) < 0.001

# %% [markdown]
# The library `transformers` gives 3.323 for the same weights and tokens, so our layers compute the same.
#
# In this file, channels $2m$ and $2m+1$ form pair $m$ (interleaved). What if our layers rotate channels $m$ and $m+32$
# together (half-split), as many other models do? Or no channels at all?

# %% tags=["nbval-ignore-output"]
rises = {}
for name, position in {"wrong pairs": RoPE(64, base=100_000), "no rotation": Position()}.items():
    with model.changed(position=position):  # until the end of the block
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"{name}: the loss rises by {rises[name]:.2f}")
assert rises["wrong pairs"] > 1.5

# %% [markdown]
# The model runs without a warning, but the wrong pairs are nearly as bad as no rotation. Names, shapes and dtypes all
# fit. Only a number that the model computes, such as its loss, reveals the mistake. `load()` checks one loss every
# time.
#
# ## Move the positions
#
# First we add 50,000 to all positions. Then we move only the second half of the text, by 4,000 and by 50,000. As a
# baseline, we hide the first half from the second. Which of these will hurt most?

# %% tags=["nbval-ignore-output"]
place = torch.arange(n)
later = place >= n // 2
with model.changed(positions=place + 50_000):
    change = (model.losses(text) - losses).abs().max()
print(f"all positions + 50,000: no loss changes by more than {change:.6f}")
assert change < 0.001

costs = {}
for name, changes in {
    "first half hidden": {"mask": later | ~later[:, None]},  # key in the second half, or query in the first
    "second half + 4,000": {"positions": place + 4_000 * later},
    "second half + 50,000": {"positions": place + 50_000 * later},
}.items():
    with model.changed(**changes):
        costs[name] = float((model.losses(text) - losses)[n // 2 :].mean())
    print(f"{name}: the loss on the second half rises by {costs[name]:.2f}")
assert costs["second half + 50,000"] > 3 * costs["first half hidden"]

# %% [markdown]
# With RoPE a score depends on positions only by their difference, so moving the whole text changes nothing. The model
# was made for texts of up to 8,192 tokens. A gap of 4,000 is less than that, yet it costs nearly as much as hiding the
# first half. A gap of 50,000 costs far more: now seeing the first half does harm.
#
# ## Where does a head look?
#
# The **profile by offset** ([[diagonals|chapter #]]) is a head's mean weight at each offset. `model.profiles` computes
# it for all 270 heads in one pass. It returns two things: the mean weight at each *distance* $i - j$, which is minus
# the offset, and the mean weight on token 0. We check one entry of head 16.0 (layer 16, head 0) by hand.

# %% tags=["nbval-ignore-output"]
shares, on_first = model.profiles(text, first_query=2)  # query 0 has no token before it, query 1 has token 0 there
previous = shares[..., 1]

weights = model.attention(text, layer=16, head=0)
assert np.isclose(previous[16, 0], np.mean([weights[i, i - 1] for i in range(2, n)]), atol=0.001)


def top(scores, k):
    """The k heads with the largest scores, as pairs (layer, head)."""
    order = scores.flatten().argsort(descending=True)[:k]
    return [divmod(int(number), model.n_heads) for number in order]


for head in top(previous, 8):
    print("head {}.{}".format(*head), f"{previous[head]:.2f}")
assert top(previous, 1) == [(16, 0)]

# %% [markdown]
# Head 16.0 gives 76 % of its weight to the token before. Such a head is a **previous-token head**.
#
# An **induction head** continues a repetition (Olsson et al. 2022). It looks for an earlier copy of the current token
# and attends to the token *after* it. So we draw 64 random tokens and give them twice. From a query in the second copy,
# how far back is the token after the earlier copy?

# %%
random = np.random.default_rng(0).integers(1000, 40_000, size=192)
once, never_repeated = torch.tensor(random[:64]), torch.tensor(random[64:])
twice = torch.cat([once, once])
assert torch.equal(twice[64:], twice[:64])

# %% [markdown]
# The earlier copy is 64 tokens back, so the token after it is 63 back. We average over the queries of the second copy.
# The control is 128 random tokens without a repetition.

# %% tags=["nbval-ignore-output"]
repeated, _ = model.profiles(twice, first_query=64)
control, _ = model.profiles(never_repeated, first_query=64)
induction = repeated[..., 63]

for head in top(induction, 8):
    print("head {}.{}".format(*head), f"{induction[head]:.2f}, control {control[head][63]:.2f}")
assert top(induction, 1) == [(18, 6)]

# %% [markdown]
# Here is the map of all heads. The buttons above it choose the score. Its bars are the profile of one head in *Alice*.
# Click 16.0, then 18.6. Why does 18.6 have no peak at 63?

# %% tags=["nbval-ignore-output"]
print(f"head 18.6: {on_first[18, 6]:.0%} of the weight on token 0")
print(f"more than half of the weight on token 0: {int((on_first > 0.5).sum())} of 270 heads")
assert on_first[18, 6] > 0.8
figures.map_of_heads({"previous token": previous, "induction": induction, "token 0": on_first}, shares)

# %% [markdown]
# *Alice* hardly repeats itself, so 18.6 finds no earlier copy and gives its weight to token 0. Press the button *token
# 0*: many heads do this. Such a token is called a **sink**. Here it is simply the token that comes first, because no
# special start token is added. ([[windows_and_sinks|Chapter #]] asks why.)
#
# ## Ablate heads
#
# A map shows where a head looks, but not whether the model needs it. So we **ablate** heads: we replace a head's output
# by a constant, its mean over *Alice*. First, without ablation: how much better does the model predict the second copy?

# %% tags=["nbval-ignore-output"]
means = model.mean_outputs(text)


def second_copy(heads, replaced_by=means):
    """The mean loss on the second copy with these heads ablated."""
    with model.changed(stopped_heads=heads, replaced_by=replaced_by):  # stops their outputs
        return float(model.losses(twice)[64:].mean())


first, base = float(model.losses(twice)[:63].mean()), second_copy([])
print(f"first copy {first:.1f}, second copy {base:.1f}")

# %% [markdown]
# The model expects language, so on random tokens it does worse than 10.8. Now we ablate the ten heads with the largest
# induction score. As a control, we ablate ten others of the same layers, drawn at random, three times.

# %% tags=["nbval-ignore-output"]
def others(heads, draw):
    """As many other heads of the same layers, drawn at random."""
    layers = sorted({layer for layer, _ in heads})
    rest = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in heads]
    return np.random.default_rng(draw).permutation(rest)[: len(heads)].tolist()


ten = top(induction, 10)
without = second_copy(ten)
control = [second_copy(others(ten, draw)) for draw in range(3)]
print(f"ten induction heads ablated: {without:.1f}")
print("ten others ablated:", *[f"{value:.1f}" for value in control])
assert without - max(control) > 5

with model.changed(stopped_heads=ten, replaced_by=means):
    print(f"on Alice, the ten ablated: the loss rises by {float(model.losses(text).mean()) - loss:.2f}")

# %% [markdown]
# Without the ten induction heads, most of the advantage of the second copy is gone. Ten others matter much less.
#
# How can a head know which token *follows* an earlier copy? Perhaps by **composition** (Olsson et al. 2022): a
# previous-token head in an earlier layer writes into each token what came before it, and the induction head looks for
# that. Head 16.0 is just below layers 17 and 18. We ablate it alone and, as a control, the eight others of layer 16
# together. What will happen to the loss, and to the weight of 18.6 at distance 63?

# %% tags=["nbval-ignore-output"]
eight, found = [(16, head) for head in range(1, 9)], {}
for name, heads in {"no head": [], "16.0": [(16, 0)], "the other eight of layer 16": eight}.items():
    with model.changed(stopped_heads=heads, replaced_by=means):
        repeated, _ = model.profiles(twice, first_query=64)
    found[name] = second_copy(heads), float(repeated[18, 6, 63])
    print("{} ablated: loss {:.1f}, 18.6 at distance 63: {:.2f}".format(name, *found[name]))
assert found["16.0"][0] - found["the other eight of layer 16"][0] > 3
assert found["16.0"][1] < 0.4

# %% [markdown]
# Without 16.0, more than half of the advantage of the second copy is gone, and 18.6 no longer finds its token. So 18.6
# depends on what 16.0 writes. The other eight together matter much less.
#
# ## Shift where a head looks
#
# A head's queries are rotated for their position $i$. What if we rotate them for position $i + 1$ and leave the keys as
# they are? The score then contains $R_{j-(i+1)}$ in place of $R_{j-i}$.

# %% tags=["hide-input"]
# @title Question
offset = -1 + 1  # j − (i + 1) is −1 where the head looks
figures.question(
    "The queries of a previous-token head are rotated by one position more. Where does it look now?",
    options={
        "Still at the token before": "The rotation decides what this head attends to, and you changed it.",
        "Two tokens back": "For the key two back, the rotation is now that of offset −3.",
        "At the query's own token": "Yes: j − (i + 1) is −1 for j = i.",
    },
    answer={-2: "Two tokens back", -1: "Still at", 0: "At the query's own token"}[offset],
)

# %% tags=["nbval-ignore-output"]
six = top(previous, 6)
names = ["{}.{}".format(*head) for head in six]
pictures = []
for name, more in {"as they are": 0, "rotated +1": 1, "rotated −1": -1}.items():
    with model.changed(heads=six, turn_query=more):
        near = model.profiles(text, first_query=2)[0][..., :4]
    rows = np.array([near[head].tolist() for head in six])
    assert (rows.argmax(axis=1) == 1 - more).all()
    pictures.append(figures.heatmap(rows, rows=names, columns=range(4), digits=2, corner="head",
                                    alt=f"Weight by distance, queries {name}"))
figures.side_by_side(*pictures)

# %% [markdown]
# In every row the darkest cell moves by one column. So these heads look mainly at an *offset*.
#
# ## A large norm is not position
#
# Which pairs of channels let head 16.0 find the token before? Pair $m$ is an arrow in the query, $q^{(m)}$, and another
# one in the key. It adds at most the product of their lengths to the dot product. We call the product of the mean
# lengths the pair's **norm** (following Barbero et al. 2024):
#
# $$\overline{|q^{(m)}|}\;\overline{|k^{(m)}|}$$

# %% tags=["nbval-ignore-output"]
q, k = model.queries_and_keys(text[:64], layer=16)  # 64 tokens are enough for a mean
q, k = q[0], k[0]  # three query heads share one key head: heads 0, 1 and 2 use key head 0


def lengths(x):
    """The mean length of each of the 32 arrows."""
    return x.reshape(-1, 32, 2).norm(dim=-1).mean(dim=0)


norm = lengths(q) * lengths(k)
for m in (0, 1, 25):
    print(f"pair {m:2}: {model.speeds[m]:.5f} radian per position, {norm[m] / norm.sum():.0%} of the norm of all pairs")
assert norm.argmax() == 25

# %% [markdown]
# Pair 25 has by far the largest norm. Does the head need its rotation? In our six heads we stop the rotation of pairs
# 20 to 31, then of pair 0, then of pair 1: their speed becomes 0. As weight may move to token 0, we ask: of the weight
# on all *other* keys, which share is on the token before?

# %% tags=["nbval-ignore-output"]
columns = {"as they are": previous / (1 - on_first)}
for name, pairs in {"20–31 stop": range(20, 32), "0 stops": [0], "1 stops": [1]}.items():
    speeds = model.speeds.clone()
    speeds[list(pairs)] = 0
    with model.changed(heads=six, speeds=speeds):
        by_distance, first = model.profiles(text, first_query=2)
    columns[name] = by_distance[..., 1] / (1 - first)

table = np.array([[float(column[head]) for column in columns.values()] for head in six])
assert abs(table[:, 1] - table[:, 0]).max() < 0.03
assert (table[:, 2] < 0.75 * table[:, 0]).all()
assert (table[:, 3] > 0.75 * table[:, 0]).all()
figures.heatmap(table, rows=names, columns=list(columns), digits=2, corner="head", alt="Share of the token before")

# %% [markdown]
# In 256 tokens, pair 25 rotates by 0.03 radian, and no pair from 20 on by more than 0.2. Stopping them changes nothing
# here. Pair 0 matters much, pair 1 a little. So a large norm does not show that a pair finds a position.
#
# ## Easy to believe; let us run it

# %%
from course_tasks import questions

questions.claims("released_model")

# %% [markdown]
# ## Remember
#
# - Compare a loaded model with a known loss. A wrong pairing fits all shapes and runs.
# - With RoPE, adding 50,000 to all positions changes nothing. Adding it to half of them does more harm than hiding the
#   first half.
# - Profiles find heads. Ablation tests whether the model needs them; ablate other heads as a control.
# - Rotate a head's queries by one position more: if it looks at an offset, it now looks one token later.
# - A large norm does not show that a pair finds positions.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
offset = -1 - 1  # j + 1 − i is −1 where the head looks
figures.question(
    "In a previous-token head, the keys are rotated by one position more, and the queries are not. Where does it look?",
    options={
        "At the query's own token": "That was the queries. Now the offset in the score is j + 1 − i.",
        "Two tokens back": "Yes: j + 1 − i is −1 for j = i − 2.",
        "Still one token back": "It would if queries and keys were both rotated further.",
    },
    answer={-2: "Two tokens back", -1: "Still one", 0: "At the query's own token"}[offset],
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "With the ten induction heads ablated, the loss on Alice rises by only 0.02 nats. What follows?",
    options={
        "The model does not need these heads": "On the second copy the loss rises by 10 nats without them.",
        "This text hardly needs them": "Yes. What a head is worth depends on the text.",
        "They give their weight to token 0, so they do nothing": "A weight does not show what an output is worth.",
    },
    answer="This text hardly needs them",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Now 100 random tokens are given three times. Where may an induction head look from the third copy?",
    options={
        "At distance 99 only": "That is right for the second copy. Now there are two earlier copies.",
        "At distances 99 and 199": "Yes: one token after each of the two earlier copies.",
        "At distances 100 and 200": "There it meets the copies of the current token, not what followed them.",
    },
    answer=f"At distances {100 - 1} and {200 - 1}",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from a block of the file to a prediction about moved positions.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Zero ablation misled us
#
# At first we ablated heads by setting their outputs to 0, as is often done. We asked: does the second copy need our six
# previous-token heads? The controls are six other heads of the same layers. Here are both kinds of ablation.

# %% tags=["nbval-ignore-output"]
groups = {"six previous-token heads": six} | {f"others, draw {draw}": others(six, draw) for draw in range(3)}
table = np.array([[second_copy(heads, 0), second_copy(heads)] for heads in groups.values()])
assert table[1, 0] > 8
assert table[1, 1] < 4
figures.heatmap(table, rows=list(groups), columns=["zero", "mean"], digits=1, alt="Loss on the second copy")

# %% [markdown]
# With zeros, draw 0 of the other heads does nearly as much harm as the six. We nearly wrote that previous-token heads
# are nothing special. Two heads of layer 1 cause this harm.

# %% tags=["nbval-ignore-output"]
pair = [(1, 3), (1, 5)]
print(f"1.3 and 1.5 replaced by 0: {second_copy(pair, 0):.1f}, by their mean: {second_copy(pair):.1f}")
assert second_copy(pair, 0) - second_copy(pair) > 5

# %% [markdown]
# If a constant replaces the two heads, the second copy loses nothing. So it does not need what they say about each
# token. It needs the constant, which zero ablation removes as well. So say what replaces an ablated head.
#
# ## Deeper · Heads that find token 0
#
# Previous-token heads look at an offset. And heads that give their weight to token 0? We take the six with the most
# weight there that are not induction heads. A rotation by one position would hardly change their slow pairs. So we
# rotate the queries by 63 positions more, in these six heads and in the previous-token heads.

# %% tags=["nbval-ignore-output"]
sinks = [head for head in top(on_first, 270) if induction[head] < 0.05][:6]


def rotated(heads):
    """The profiles, with the queries of these heads rotated by 63 positions more."""
    with model.changed(heads=heads, turn_query=63):
        return model.profiles(text, first_query=2)


one_back, first = rotated(six)[0][..., 1], rotated(sinks)[1]
for head in six:
    print("head {}.{}, token before:".format(*head), f"{previous[head]:.2f}, rotated {one_back[head]:.2f}")
for head in sinks:
    print("head {}.{}, token 0:".format(*head), f"{on_first[head]:.2f}, rotated {first[head]:.2f}")
assert max(one_back[head] for head in six) < 0.2
assert min(first[head] for head in sinks) > 0.6

# %% [markdown]
# The previous-token heads lose their token. The others keep theirs. Token 0 is at a different distance from each query,
# so a head that always finds it cannot be tuned to one offset. How else can it find token 0?
#
# ## Deeper · What the largest pair does
#
# Head 16.0 gives 12 % of its weight to token 0. We compute its weights from the queries and keys above, and *remove* a
# pair: its channels in the keys become 0.

# %% tags=["nbval-ignore-output"]
def rotated_at(x, first=0):
    """The rows of x, rotated for the positions `first`, `first` + 1, …"""
    return rotate(x, past=first, speeds=model.speeds, interleaved=True)


result = {}
for name, removed in {"no pair": [], "pair 25": [25], "pair 0": [0], "pair 1": [1]}.items():
    kept = k.clone()
    kept.reshape(64, 32, 2)[:, removed] = 0
    scores = rotated_at(q) @ rotated_at(kept).T / np.sqrt(64)
    weights = softmax(np.where(causal_mask(64), scores, -np.inf))[2:]
    token_0, before = weights[:, 0].mean(), np.diagonal(weights, 1).mean()  # row 0 is query 2
    result[name] = token_0, before / (1 - token_0)
    print("{} removed: token 0 {:.2f}; of the rest, token before {:.2f}".format(name, *result[name]))
assert result["pair 25"][0] < 0.01
assert result["pair 0"][1] < 0.5

# %% [markdown]
# Without pair 25, token 0 gets no weight, but the token before gets the same share of the rest. Without pair 0, this
# share falls from 0.87 to 0.31. So what do the two pairs add to a score? We average over queries.

# %% tags=["nbval-ignore-output"]
adds = {0: [], 25: []}
for i in range(16, 64):
    terms = (rotated_at(q[[i]], i) * rotated_at(k)).reshape(64, 32, 2).sum(axis=2) / np.sqrt(64)
    for m, rows in adds.items():
        rows.append([terms[0, m], *(terms[i - distance, m] for distance in range(1, 9))])

average = {m: np.mean(rows, axis=0) for m, rows in adds.items()}
for m, values in average.items():
    print(f"pair {m:2}: token 0 {values[0]:5.1f}; distances 1 to 8:", *[f"{value:5.1f}" for value in values[1:]])
print(f"pair 25, token 0 less distance 1: {average[25][0] - average[25][1]:.1f}")
assert average[25][0] - average[25][1] > 10

# %% [markdown]
# Pair 25 adds the same to a key at each of these distances, $-11.4$ on average, and 1.3 to token 0. A number that is
# the same for all keys changes no weight, because the softmax divides it out ([[bias_by_hand|chapter #]]). What matters
# is the difference of 12.7 between token 0 and the rest. Pair 25 hardly rotates, so it must recognise token 0 by
# content.
#
# Pair 0 prefers distance 1. It also prefers 7, because it makes a whole turn in 6.3 positions. Other fast pairs must
# tell 1 from 7.
#
# The picture shows what all 32 pairs add to one score, that of query 45 and the key before it. Click a pair to stop its
# rotation. How much larger is the score at distance 1 than at 2, with pair 0 and with pair 0 stopped?

# %% tags=["nbval-ignore-output", "prints-only"]
figures.pair_view(q[45], k[44], model.speeds, [0, 1, 2, 4, 16, 64], interleaved=True, title="Head 16.0, query 45")

# %% tags=["nbval-ignore-output"]
speeds = model.speeds.clone()
for name, speed in {"rotates": speeds[0].item(), "stopped": 0}.items():
    speeds[0] = speed
    at = [rotate(q[[45]], past=d, speeds=speeds, interleaved=True)[0] @ k[44].numpy() / 8 for d in (1, 2)]
    gain = float(at[0] - at[1])
    print(f"pair 0 {name}: distance 1 less distance 2 {gain:.1f}, a factor of {np.exp(gain):.1f} in the weights")
assert gain < 1

# %% [markdown]
# Pair 0 alone makes most of the difference.
#
# ## Deeper · Other texts, other draws
#
# The lesson read *Alice*, which the model has probably met in training, and one draw of random tokens. Committed runs
# repeat two results: on two help texts of Python (`pydoc`), a licence and a page about this course, and on three draws.
# They print how much the mean loss rises, ± its standard error over the tokens.

# %%
from course_study.released import rows as committed

for condition in ("gap 4096", "first half hidden", "gap 16384"):
    runs = committed("E5", condition=condition, n=384)
    print(f"{condition:17}", *[f"{row['text']} {row['difference']:.2f} ± {row['error']:.2f}" for row in runs], sep="  ")
assert min(row["difference"] for row in runs) > 3  # of the last condition

for condition in ("ten induction heads stopped", *(f"ten random heads, draw {draw} stopped" for draw in range(3))):
    runs = committed("E12", condition=condition, n=200)
    print(f"{condition:31}", *[f"{row['difference']:5.2f} ± {row['error']:.2f}" for row in runs], sep="  ")

# %% [markdown]
# A gap of about 4,000 costs 0.2 to 0.5 nats, and hiding the first half 0.2 to 0.8. A gap beyond the context of 8,192
# costs more than 3. In the last four lines, each column is a draw of 100 random tokens, given twice. There, zero
# ablation of ten induction heads costs about 10 nats, and that of ten random heads 1 or less.
#
# ## Deeper · Two documents in one text
#
# For training, several documents are often put into one text. This is called *packing*. Should each document count its
# positions from 0? We put 96 tokens of our text after 96 tokens of another one, and watch the loss on ours.

# %% tags=["nbval-ignore-output"]
half = 96
document = text[:half]
both = torch.cat([model.encode(released.excerpt("jargon"))[:half], document])
place = torch.arange(2 * half)
own = (place[:, None] < half) | (place >= half)  # queries of the second document see only their own document

alone, second = model.losses(document), {}
for name, changes in {
    "positions go on": {},
    "positions reset": {"positions": place % half},
    "go on, own document only": {"mask": own},
    "reset, own document only": {"mask": own, "positions": place % half},
}.items():
    with model.changed(**changes):
        second[name] = model.losses(both)[half:] - alone
    print(f"{name:25} {second[name].mean():+.2f} ± {second[name].std() / (half - 1) ** 0.5:.2f}")
assert second["positions reset"].mean() > 1
assert abs(second["reset, own document only"]).max() < 0.001

# %% [markdown]
# These are differences from the loss of the document alone. If the positions go on, the other document makes no clear
# difference. If they are reset without a mask, the loss rises by 2.22: the keys of the other document have the same
# positions as ours, so some seem to be near the query, and some even after it. With the mask, a reset changes nothing.
#
# ## Deeper · Which pairs does the whole model need?
#
# Now pairs stop rotating in *all* heads. Pair 16 rotates by 0.8 radian in 256 tokens, and slower pairs by less. Which
# rotations does the model need on a text of this length?

# %% tags=["nbval-ignore-output"]
rises = {}
for name, pairs in {"0": [0], "0 and 1": [0, 1], "20 to 31": range(20, 32), "16 to 31": range(16, 32)}.items():
    speeds = model.speeds.clone()
    speeds[list(pairs)] = 0
    with model.changed(speeds=speeds):
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"pairs {name:8} stop: {rises[name]:+.3f}")
assert rises["0"] > 0.2
assert abs(rises["16 to 31"]) < 0.05

# %% [markdown]
# Half of all pairs can stop rotating, and the loss on this short text stays the same. Their channels still compare
# contents. Does this hold for longer texts? A committed run read 8,192 tokens of *Alice* with the pairs 16 to 31
# stopped.

# %%
(long_run,) = committed("by position", condition="slowest 16 stopped", text="alice", n=8192)
for part in long_run["bins"]:
    print(f"tokens {part['from']:5} to {part['to']:5}: {part['difference']:+.2f} ± {part['error']:.2f}")
assert long_run["difference"] > 1

# %% [markdown]
# It does not hold: on this longer text, the loss rises with the position. Barbero et al. (2024) studied Gemma 7B.
# There, too, most of the norm is in slow pairs, and the heads that attend by position use the fastest ones.
#
# ## Deeper · It writes
#
# The model also generates text, token by token, with the cache of [[rope|chapter #]]. We always take the most likely
# token (*greedy decoding*), first with the right pairs, then with the wrong ones.

# %% tags=["nbval-ignore-output", "prints-only"]
prompt = "Once upon a time, in a small village,"
print(prompt + model.generate(prompt, 20))
with model.changed(position=RoPE(64, base=100_000)):
    print(prompt + model.generate(prompt, 20))

# %% [markdown]
# With the wrong pairs the model still writes words, but no story.
#
# **Sources** The model: L. Ben Allal et al., *SmolLM2*, 2025, quantised by QuantFactory, Apache-2.0 (see the
# acknowledgements) · C. Olsson et al., *In-context Learning and Induction Heads*, 2022 · F. Barbero et al., *Round and
# Round We Go!*, 2024 · the type Q4_1: `ggml-common.h` and, for the order of the levels, `ggml-quants.c` in
# ggml-org/ggml · the order of the rows: `convert_hf_to_gguf.py` in ggml-org/llama.cpp.
