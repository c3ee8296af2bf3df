# %% [markdown]
# # [[title]]
#
# The layer that you built now runs a released language model, SmolLM2-135M-Instruct. You read its weights from a
# file, find the heads that use position, and test what they do.
#
# **You will be able to**
# - turn the bytes of a file into the weights of a layer, and notice when they are loaded wrongly;
# - find heads by their profile by offset, and test, with controls, what they do;
# - shift where a head looks by rotating its queries, and say what the norm of a pair of channels does not show.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (`from_grid`) and [[rope|#]]. **Time** [[time]].
#
# The model has 30 layers, each with 9 heads of 64 channels. All numbers are from *this model in this file*, on short
# texts: an excerpt of *Alice in Wonderland* (*Alice*) and random tokens. `python3 course.py model` fetches the file
# (93 MB). Without it, the cells show recorded numbers.

# %%
import numpy as np
import torch

from course_kit import figures
from course_lib import released
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.grid import from_grid
from course_lib.reference.rope import rotate
from course_lib.released.gguf import Q4_1, q4_1

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## From bytes to a layer
#
# The file stores each matrix of a layer in blocks: 20 bytes for 32 numbers. The first four bytes are two float16
# numbers: the step $d$, then the smallest number $m$ of the block. Each of the other 16 bytes holds two levels $c$,
# whole numbers from 0 to 15. The weights are
#
# $$x = d\,c + m$$
#
# Here is the first block of $W_q$ in layer 0. Its fifth byte is 45 in hexadecimal: the high four bits are 4, the low
# four bits are 5. The low bits are the level of number 0. The high bits are that of number 16, not of number 1.

# %%
block = bytes.fromhex("0f30 d8b9 4587 6540 6f65 164b 6776 6450 2267 655a")
d, m = np.frombuffer(block[:4], dtype="<f2").astype(float)
print(f"step d = {d:.4f}, smallest number m = {m:.4f}")

low, high = block[4] % 16, block[4] // 16
print(f"number 0:  {d:.4f} · {low} + ({m:.4f}) = {d * low + m:.4f}")
print(f"number 16: {d:.4f} · {high} + ({m:.4f}) = {d * high + m:.4f}")

# %% [markdown]
# The course's reader decodes whole matrices like this.

# %%
numbers = q4_1(np.frombuffer(block, dtype=Q4_1))[0]
assert np.isclose(numbers[0], d * low + m)
assert np.isclose(numbers[16], d * high + m)
figures.heatmap(numbers.reshape(2, 16), rows=("0–15", "16–31"), columns=range(16), digits=2,
                alt="The 32 numbers of the block")

# %% [markdown]
# `released.load()` reads the whole file into a model of 30 layers. What kind of layers?

# %% tags=["nbval-ignore-output"]
model = released.load()
layer = model.decoder.blocks[0].attention
print(layer)
assert isinstance(layer, RelativeAttention)
assert isinstance(layer.position, RoPE)
if not layer.query.weight.is_meta:  # without the file, there are no weights to compare
    assert np.allclose(layer.query.weight[0, :32], numbers)

# %% [markdown]
# They are the `RelativeAttention` of this course, with its `RoPE`. Queries have 576 channels, 9 heads of 64. Keys and
# values have only 192, because three query heads share one key head (*grouped-query attention*).
#
# ## Check the weights with a known loss
#
# How do we know that the weights are right? `losses(text)` returns $-\ln P$, in *nats*, for each token after the first,
# where $P$ is the probability that the model gave to this token. A model that considers all 49,152 tokens equally
# likely has a loss of $\ln 49152 = 10.8$.

# %% tags=["nbval-ignore-output"]
n = 256
text = model.encode(released.excerpt("alice"))[:n]
print("".join(model.tokens(text[:40])), "…")

losses = model.losses(text)
loss = float(losses.mean())
print(f"loss {loss:.4f}")
assert abs(loss - 3.323) < 0.001

# %% [markdown]
# The number in the assert comes from the library `transformers`, with the same weights and tokens, so it checks our
# layers. (The reader and the tokenizer are tested against other programs.) Most mistakes in the layers would change it.
# One in the slow pairs hardly does on so short a text.
#
# The rows of $W_q$ and $W_k$ in this file are interleaved: channels $2p$ and $2p+1$ form pair $p$. What if the layers
# rotate channels $p$ and $p + 32$ together, half-split?

# %% tags=["nbval-ignore-output"]
with model.changed(position=RoPE(64, base=100_000)):  # the model's base, half-split
    mixed = float(model.losses(text).mean())
print(f"right pairs {loss:.2f}, wrong pairs {mixed:.2f}")
assert mixed - loss > 1.5

# %% [markdown]
# The model runs without a warning, and its loss rises by 2.1 nats. Names, shapes and dtypes all fit, so no check but the
# loss catches this mistake. `load()` checks one loss every time.
#
# ## Move the positions
#
# The file states a context of 8,192 tokens. Now we add 50,000 to all positions. Then we move only the second half of
# the text, by 4,000 and by 50,000. Which will hurt?

# %% tags=["nbval-ignore-output"]
positions = torch.arange(n) + 50_000
with model.changed(positions=positions):
    change = (model.losses(text) - losses).abs().max()
print(f"all positions + 50,000: no loss changes by more than {change:.6f}")
assert change < 0.001

costs = []
for gap in (4_000, 50_000):
    positions = torch.arange(n) + gap * (torch.arange(n) >= n // 2)
    with model.changed(positions=positions):
        costs.append(float((model.losses(text) - losses)[n // 2 :].mean()))
    print(f"the second half + {gap:,}: its mean loss rises by {costs[-1]:.2f}")
assert costs[1] > 3 * costs[0]

# %% [markdown]
# With RoPE a score depends on positions only by their difference. A gap of 4,000 between the halves, inside the
# context, costs 0.41 nats per token. A gap of 50,000 costs 2.19. ([[stretching_rope|Chapter #]] is about repairs.)
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
# Head 16.0 gives 76 % of its weight to the token before. It is a **previous-token head**. `model.profiles` does this
# for all 270 heads in one pass. It returns the mean weight at each distance $i - j$, which is minus the offset, and on
# token 0. We leave out query 0, because it has no token before it.

# %% tags=["nbval-ignore-output"]
shares, on_first = model.profiles(text, first_query=1)
previous = shares[..., 1]
assert abs(previous[16, 0] - one_back) < 0.001


def top(scores, k):
    """The k heads with the largest scores, as pairs (layer, head)."""
    order = scores.flatten().argsort(descending=True)[:k]
    return [divmod(int(number), model.n_heads) for number in order]


for head in top(previous, 8):
    print("head {}.{}".format(*head), f"{previous[head]:.2f}")
assert top(previous, 1) == [(16, 0)]

# %% [markdown]
# An **induction head** continues a repetition (Olsson et al. 2022): it looks for an earlier copy of the current
# token, and attends to the token *after* it. So we draw 64 tokens at random and give them twice. We measure the queries
# of the second copy. At which distance is the token after the earlier copy?

# %% tags=["nbval-ignore-output"]
once = torch.tensor(np.random.default_rng(0).integers(1000, 40_000, size=64))
twice = torch.cat([once, once])
repeated, _ = model.profiles(twice, first_query=64)
induction = repeated[..., 63]

for head in top(induction, 8):
    print("head {}.{}".format(*head), f"{induction[head]:.2f}")
assert top(induction, 1) == [(18, 6)]

# %% [markdown]
# The earlier copy is 64 tokens back, and the token after it 63. Here is the map of all heads. Click 16.0, then 18.6.

# %% tags=["nbval-ignore-output"]
print(f"more than half of the weight on token 0: {int((on_first > 0.5).sum())} of 270 heads")
print(f"head 18.6: {on_first[18, 6]:.0%} on token 0")
assert on_first[18, 6] > 0.8
figures.map_of_heads({"previous token": previous, "induction": induction, "token 0": on_first}, shares)

# %% [markdown]
# Choose *token 0*. It is a **sink** ([[windows_and_sinks|chapter #]]). In the profile a sink has no peak, because token
# 0 is at a different distance from each query. In *Alice*, the induction head 18.6 gives 91 % of its weight to the sink.
#
# ## Ablate heads
#
# A picture shows where a head looks, but not whether the model needs it. So we **ablate** heads: we set their outputs
# to 0. First, how much better does the model predict the second copy?


# %% tags=["nbval-ignore-output"]
def second_copy(**changes):
    """The mean loss on the second copy while the model is changed."""
    with model.changed(**changes):
        return float(model.losses(twice)[64:].mean())


first = float(model.losses(twice)[:63].mean())
print(f"first copy {first:.1f}, second copy {second_copy():.1f}")

# %% [markdown]
# The model expects language, so on random tokens it does worse than 10.8. Now we ablate ten induction heads. As a
# control, we ablate ten others of the same layers, drawn at random, three times.

# %% tags=["nbval-ignore-output"]
ten = top(induction, 10)
layers = sorted({layer for layer, _ in ten})
others = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in ten]
draws = [np.random.default_rng(seed).permutation(others)[:10].tolist() for seed in range(3)]
control = [second_copy(stopped_heads=heads) for heads in draws]
without = second_copy(stopped_heads=ten)
print(f"ten induction heads ablated: {without:.1f}")
print("ten others ablated:", *[f"{value:.1f}" for value in control])
assert without - max(control) > 5

with model.changed(stopped_heads=ten):
    print(f"on Alice, the ten ablated: the loss rises by {float(model.losses(text).mean()) - loss:.2f}")

# %% [markdown]
# Without the ten induction heads, most of the advantage of the second copy is gone. Ten others of the same layers
# matter much less. So on this text, copying depends on these ten heads.
#
# ## Shift where a head looks
#
# A head's queries are rotated by their position $i$. What if we rotate the queries for position $i + 1$ and leave the
# keys as they are? The score then contains $R_{j-(i+1)}$ in place of $R_{j-i}$.

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
found = {"as they are": shares}
for name, more in (("rotated +1", 1), ("rotated −1", -1)):
    with model.changed(heads=six, turn_query=more):
        found[name], _ = model.profiles(text, first_query=1)

pictures = []
for name, by_distance in found.items():
    near = [by_distance[head][:4].tolist() for head in six]
    pictures.append(figures.heatmap(near, rows=names, columns=range(4), digits=2, corner="head",
                                    alt=f"Weight by distance, queries {name}"))
assert all(found["rotated +1"][head][:4].argmax() == 0 for head in six)
assert all(found["rotated −1"][head][:4].argmax() == 2 for head in six)
figures.side_by_side(*pictures)

# %% [markdown]
# Of the four weights, the largest moves by one token in each head. So these heads look mainly at an *offset*. As a
# control, we rotate the queries of the six heads with the most weight on token 0. What do you expect?

# %% tags=["nbval-ignore-output"]
sinks = top(on_first, 6)
with model.changed(heads=sinks, turn_query=1):
    _, rotated = model.profiles(text, first_query=1)
for head in sinks:
    print("head {}.{}:".format(*head), f"weight on token 0 {on_first[head]:.3f}, rotated {rotated[head]:.3f}")
    assert abs(rotated[head] - on_first[head]) < 0.005

base, ablated = second_copy(), second_copy(stopped_heads=sinks)
print(f"loss on the second copy {base:.2f}, the six ablated {ablated:.2f}")
for name, heads in (("the six", sinks), ("the previous-token heads", six)):
    print(f"queries of {name} rotated {second_copy(heads=heads, turn_query=1):.2f}")
assert ablated - base > 5
assert abs(second_copy(heads=sinks, turn_query=1) - base) < 0.05

# %% [markdown]
# The second copy needs these six heads, but rotating their queries changes nothing. Each query has its own distance to
# token 0. A head that always finds it cannot be using one fixed offset.
#
# ## A large norm is not position
#
# Which pairs of channels let head 16.0 find the token before? A pair is an arrow. It adds at most its length in the
# query times its length in the key to their product. We call the mean of the first length times the mean of the second
# the pair's **norm** (following Barbero et al. 2024).

# %% tags=["nbval-ignore-output"]
q, k = model.queries_and_keys(text[:64], layer=16)
q, k = q[0], k[0]  # head 0 uses key head 0


def lengths(x):
    """The mean length of each of the 32 arrows."""
    return x.reshape(-1, 32, 2).norm(dim=-1).mean(dim=0)


share = lengths(q) * lengths(k) / (lengths(q) * lengths(k)).sum()
print(f"pair 0, {model.speeds[0]:.4f} radian per token: {share[0]:.0%}")
print(f"pair 25, {model.speeds[25]:.4f} radian per token: {share[25]:.0%}")
print(f"the 12 slowest pairs together: {share[20:].sum():.0%}")
assert share[20:].sum() > 0.5

# %% [markdown]
# Pair 25 alone has 43 % of the norm. Does its rotation matter? In our six heads we set speeds to 0: first those of the
# twelve slowest pairs, then that of pair 0.

# %% tags=["nbval-ignore-output"]
columns = {"as they are": shares}
for name, pairs in (("12 slowest stop", slice(20, 32)), ("pair 0 stops", slice(0, 1))):
    speeds = model.speeds.clone()
    speeds[pairs] = 0
    with model.changed(heads=six, speeds=speeds):
        columns[name], _ = model.profiles(text, first_query=1)

before = np.array([[by_distance[head][1] for by_distance in columns.values()] for head in six])
assert abs(before[:, 1] - before[:, 0]).max() < 0.03
assert sum(before[:, 2] < 0.6 * before[:, 0]) == 5
figures.heatmap(before, rows=names, columns=list(columns), digits=2, corner="head", alt="Weight on the token before")

# %% [markdown]
# In 256 tokens the slowest twelve rotate by 0.2 radian or less, pair 25 by 0.03, so stopping them changes little. If
# pair 0 stops, five of the six heads lose about half of this weight or more. But a pair that does not rotate still
# compares contents. So now we *remove* a pair from head 16.0: its channels in the keys become 0.

# %% tags=["nbval-ignore-output"]
def rotated_at(x, first=0):
    """The rows of x, rotated for the positions `first`, `first` + 1, …"""
    return rotate(x, past=first, speeds=model.speeds, interleaved=True)


result = {}
for name, removed in (("no pair", []), ("pair 25", [25]), ("pair 0", [0])):
    kept = k.clone()
    kept.reshape(64, 32, 2)[:, removed] = 0
    scores = rotated_at(q) @ rotated_at(kept).T / np.sqrt(64)
    weights = softmax(np.where(causal_mask(64), scores, -np.inf))
    result[name] = np.diagonal(weights, -1).mean(), weights[1:, 0].mean()
    print(f"{name} removed: token before {result[name][0]:.2f}, token 0 {result[name][1]:.2f}")
assert result["pair 25"][1] < 0.01
assert result["pair 0"][0] < 0.1

# %% [markdown]
# Pair 25 decides between token 0 and the rest, and pair 0 decides which near token. Here is what the two
# add to the scores of query 45.

# %% tags=["nbval-ignore-output"]
adds = (rotated_at(q[[45]], 45) * rotated_at(k[:46])).reshape(46, 32, 2).sum(axis=2) / np.sqrt(64)
for pair in (0, 25):
    rest = adds[1:, pair]
    print(f"pair {pair:2}: token 0 {adds[0, pair]:5.1f}, keys 1 to 45 {rest.min():5.1f} to {rest.max():4.1f}", end="")
    print(f", token before {adds[44, pair]:5.1f}")
assert adds[0, 25] > adds[1:, 25].max() + 5
assert adds[44, 0] == adds[1:, 0].max()

# %% [markdown]
# Pair 25 adds about $-12$ to every key but token 0. A number that is the same for all keys changes no weight, because
# the softmax divides it out ([[bias_by_hand|chapter #]]). So a large norm showed that the pair matters, but not that it
# finds a position.
#
# Slow pairs can stop rotating only at short distances ([[stretching_rope|chapter #]]).
#
# ## Easy to believe; let us run it

# %%
from course_tasks import questions

questions.claims("released_model")

# %% [markdown]
# ## Remember
#
# - Compare a loaded model with a known loss. A wrong pairing fits all shapes and runs.
# - With RoPE, adding 50,000 to all positions changes nothing. Adding it to half of them raises the loss by 2.2 nats.
# - `from_grid` finds heads, and ablation shows whether the model needs them. Ablate other heads as a control.
# - Rotate a head's queries by one position more: if it looks at an offset, it now looks one token later.
# - A large norm does not show that a pair finds positions.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "In a previous-token head, the keys are rotated by one position more, and the queries are not. Where does it look?",
    options={
        "At the query's own token": "That was the queries. Now the offset in the score is j + 1 − i.",
        "Two tokens back": "Yes: j + 1 − i is −1 for j = i − 2.",
        "Still one token back": "It would if queries and keys were both rotated further.",
    },
    answer="Two tokens back",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "With the ten induction heads ablated, the loss on Alice rises by only 0.02 nats. What follows?",
    options={
        "The model does not need these heads": "On the second copy it loses 10 nats without them.",
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
    answer="At distances 99 and 199",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from a block of the file to a prediction about moved positions.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · A control that fails, and a better question
#
# How can an induction head know which token *follows* an earlier copy? One way: a previous-token head in an earlier
# layer writes into each token what came before it (Olsson et al. 2022). Does the second copy depend on our six heads?

# %% tags=["nbval-ignore-output"]
layers = sorted({layer for layer, _ in six})
others = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in six]
draws = [np.random.default_rng(seed).permutation(others)[:6].tolist() for seed in range(3)]
print(f"six previous-token heads ablated: {second_copy(stopped_heads=six):.1f}")
print("six others ablated:", *[f"{second_copy(stopped_heads=heads):.1f}" for heads in draws])
print(f"heads 1.3 and 1.5, from the first draw: {second_copy(stopped_heads=[(1, 3), (1, 5)]):.1f}")

# %% [markdown]
# Without the six, the second copy is lost. But the first draw of other heads does nearly the same harm, and it is due
# to two heads of layer 1. So this experiment does not show that previous-token heads are special.
#
# We ask a smaller question. The best induction heads are in layers 17 and 18, and the best previous-token head is in
# layer 16. We ablate this single head and, as a control, the eight others of layer 16, one at a time. We also print the
# weight of three induction heads on the token after the earlier copy.

# %% tags=["nbval-ignore-output"]
one = second_copy(stopped_heads=[(16, 0)])
eight = [second_copy(stopped_heads=[(16, head)]) for head in range(1, 9)]
print(f"head 16.0 ablated: {one:.1f}")
print("one other head of layer 16 ablated:", *[f"{value:.1f}" for value in eight])
assert one - max(eight) > 3

for name, heads in (("no head", []), ("16.0", [(16, 0)]), ("16.2", [(16, 2)])):
    with model.changed(stopped_heads=heads):
        repeated, _ = model.profiles(twice, first_query=64)
    print(f"{name:7} ablated:", *["{}.{}".format(*head) + f" {repeated[head][63]:.2f}" for head in ten[:3]])

# %% [markdown]
# Without head 16.0 more than half of the advantage of the second copy is gone, and the three induction heads have lost
# most of their weight on the token after the copy. The other heads of layer 16 hardly matter.
#
# ## Deeper · Two documents in one text
#
# For training, several documents are often put into one text. This is called *packing*. Should each document count its
# positions from 0? We put 96 tokens of our text after 96 tokens of another one, and watch the loss on ours.

# %% tags=["nbval-ignore-output"]
half = 96
document = text[:half]
both = torch.cat([model.encode(released.excerpt("jargon"))[:half], document])
i, j = torch.arange(2 * half)[:, None], torch.arange(2 * half)
own = (i < half) | (j >= half)  # queries of the second document see only their own document
reset = torch.arange(2 * half) % half

alone = float(model.losses(document).mean())
print(f"document alone               {alone:.3f}")
second = {}
for name, changes in {
    "positions go on": {},
    "positions reset": {"positions": reset},
    "go on, own document only": {"mask": own},
    "reset, own document only": {"mask": own, "positions": reset},
}.items():
    with model.changed(**changes):
        second[name] = float(model.losses(both)[half:].mean())
    print(f"{name:28} {second[name]:.3f}")

# %% [markdown]
# Resetting positions without a mask gives the highest loss. The keys of the other document now have the
# same positions as ours, so some seem to be near the query, and some even after it. If the positions go on, the other
# document even helps a little: the loss is below that of the document alone. With the mask, a reset changes nothing.
#
# The course computes angles in float64, so positions may be large. In bfloat16, RoPE depends on more than differences
# (Wang et al. 2024).

# %% tags=["nbval-ignore-output"]
assert second["positions reset"] - alone > 1
for name in ("go on, own document only", "reset, own document only"):
    assert abs(second[name] - alone) < 0.001

# %% [markdown]
# ## Deeper · Every pair of one score
#
# The picture shows what each of the 32 pairs adds to the score of query 45 and the key before it, in head 16.0. Move the
# distance: which bars change? Then click pair 0 to stop it, and compare the scores at the distances 1 and 2.

# %% tags=["nbval-ignore-output", "prints-only"]
figures.pair_view(q[45], k[44], model.speeds, [0, 1, 2, 4, 16, 64], interleaved=True, title="Head 16.0, query 45")

# %% [markdown]
# ## Deeper · Which pairs does the whole model need?
#
# Now pairs stop rotating in *all* heads. Pair 16 rotates by 0.8 radian in 256 tokens, and slower pairs by less. Which
# rotations does the model need on a text of this length?

# %% tags=["nbval-ignore-output"]
rises = {}
for name, pairs in (
    ("fastest", slice(0, 1)),
    ("2 fastest", slice(0, 2)),
    ("12 slowest", slice(20, 32)),
    ("16 slowest", slice(16, 32)),
):
    speeds = model.speeds.clone()
    speeds[pairs] = 0
    with model.changed(speeds=speeds):
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"{name:10} stop: {rises[name]:+.3f}")
assert rises["fastest"] > 0.2
assert abs(rises["16 slowest"]) < 0.05

# %% [markdown]
# Half of all pairs can stop rotating, and the loss rises by less than 0.05 *here*. Their channels still compare
# contents. Does this hold for longer texts? A committed run read 8,192 tokens of *Alice* with the 16 slowest pairs stopped.

# %%
from course_study.released import rows as committed

(long_run,) = committed("by position", condition="slowest 16 stopped", text="alice", n=8192)
for part in long_run["bins"]:
    print(f"tokens {part['from']:5} to {part['to']:5}: {part['difference']:+.2f} ± {part['error']:.2f}")
assert long_run["difference"] > 1

# %% [markdown]
# It does not hold. The farther into the text, the more the model needs the rotation of its slow pairs.
#
# Other models were studied as well. In Gemma 7B, most of the norm is in slow pairs, and the heads that attend by
# position use the fastest ones, where their norm is large, too (Barbero et al. 2024). There the norm did show use.
# They also found a head like 16.0 (§E.1): its fast pairs find the previous token, and one slow band adds about $-85$ to
# ordinary tokens and $+25$ to the start token.
#
# What the slow pairs are for is disputed. Barbero et al. suggest that they carry content. Jonasson (2025) finds the
# largest numbers in pairs that make only part of a turn, and connects them with sinks; pair 25 of our head fits this.
# Oka et al. (2026) find such a band of pairs in several models, and report that the pairs below the band need not
# rotate.
#
# ## Deeper · What the tokenizer does
#
# The file also holds the tokenizer: 49,152 tokens and the pairs that are merged. Its rules decide how many
# positions a text takes. Into how many tokens is each string split?

# %%
for string in ("The pass key is 71432.", "naïve", "<|im_start|>user"):
    tokens = model.tokens(string)
    print(len(tokens), tokens)

# %% [markdown]
# Each digit is a token, and so is the space before a number: 71432 takes six positions. `<|im_start|>` is a control
# token, which text is never merged into. No start token is added, so token 0 is whatever comes first.
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
# acknowledgements) · C. Olsson et al., *In-context Learning and Induction Heads*, 2022 · F. Barbero et al., *Round
# and Round We Go!*, 2024 · H. Wang et al., *When Precision Meets Position*, 2024 · A. Jonasson, *Rotary Offset
# Features*, 2025 · Y. Oka et al., *Frequency Bands in RoPE*, 2026 · the type Q4_1: `ggml-common.h` and, for the order of
# the levels, `ggml-quants.c` in ggml-org/ggml.
