# %% [markdown]
# # [[title]]
#
# The layer that you built now runs a released language model, SmolLM2-135M-Instruct. You read its weights from a
# file, find the heads that use position, move them, and stop them.
#
# **You will be able to**
# - turn the bytes of a file into the weights of a layer, and notice when they are loaded wrongly;
# - find heads by their profile by offset, and test, with controls, what they do;
# - move a head by turning its queries, and explain why a large norm does not show where a head looks.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (`from_grid`) and [[rope|#]]. **Time** [[time]].
#
# The model has 30 layers, each with 9 heads of 64 channels. All numbers are from *this model in this file*, on one
# excerpt of *Alice* and one random text. `python3 course.py model` fetches the file (93 MB). Without it, the cells
# show recorded numbers.

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
# The file stores each matrix of a layer in blocks: 20 bytes for 32 numbers. The first two bytes are a step $d$, and
# the next two are the smallest number $m$ of the block, both in float16. Each of the other 16 bytes holds two whole
# numbers $q$ from 0 to 15. The weights are
#
# $$x = d\,q + m$$
#
# Here is the first block of $W_q$ in layer 0. Its fifth byte is 45 in hexadecimal: the high four bits are 4, the low
# four bits are 5. The low bits are the $q$ of number 0. The high bits are the $q$ of number 16, not of number 1.

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
# values have only 192, because three query heads share one key head.
#
# ## A loss that must come out
#
# How do we know that the weights are right? We let the model read. `losses(text)` returns $-\ln p$ for each token
# after the first, where $p$ is the probability that the model gave to this token. A model that considers all 49,152
# tokens equally likely has a loss of $\ln 49152 = 10.8$. What do you expect here?

# %% tags=["nbval-ignore-output"]
n = 256
text = model.encode(released.excerpt("alice"))[:n]
print("".join(model.tokens(text[:40])), "…")

losses = model.losses(text)
loss = float(losses.mean())
print(f"loss {loss:.4f}")
assert abs(loss - 3.323) < 0.01

# %% [markdown]
# The loss is 3.32 nats per token. The number in the assert comes from other code: the library `transformers`, with
# the same weights and the same tokens. A mistake in our reader, tokenizer or layers would change it.
#
# ## A wrong pairing
#
# The rows of $W_q$ and $W_k$ in this file are interleaved: channels $2m$ and $2m+1$ form a pair. What if the layers
# rotate them half-split, channels $m$ and $m + 32$ together?

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
# The file states a context of 8,192 tokens. Now we add 50,000 to all positions. As a control, we move only the second
# half of the text. Which will hurt?

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
# With RoPE a score depends only on the difference of two positions. The gap of 50,000 between the halves is far
# outside the context, and it costs 2.2 nats per token. ([[stretching_rope|Chapter #]] is about repairs.)
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
# for all 270 heads in one pass. It returns the share of the weight at each distance $i - j$ and on token 0.

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
# An **induction head** continues a repetition (Olsson et al. 2022): it looks for an earlier copy of the present
# token, and attends to the token *after* it. We need a text in which every token has exactly one earlier copy, so we
# draw 64 tokens at random and give them twice. At which distance is the token after the earlier copy?

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
figures.map_of_heads({"previous token": previous, "induction": induction, "token 0": on_first}, shares)

# %% [markdown]
# Choose *token 0*. In 81 of the 270 heads, this token gets more than half of the weight. It is a **sink**
# ([[windows_and_sinks|chapter #]]). In the profile its weight is spread over all distances, because token 0 is at
# another distance from every query. Head 18.6 is an induction head. In *Alice*, where little is repeated, it gives 91
# % of its weight to the sink.
#
# ## Stop them
#
# A picture shows where a head looks, not whether this matters. So we stop heads: their outputs become 0. First, how
# much better does the whole model predict the second copy?


# %% tags=["nbval-ignore-output"]
def second_copy(stopped):
    """The mean loss on the second copy while some heads are stopped."""
    with model.changed(stopped_heads=stopped):
        return float(model.losses(twice)[64:].mean())


first = float(model.losses(twice)[:63].mean())
print(f"first copy {first:.1f}, second copy {second_copy([]):.1f}")

# %% [markdown]
# The first copy costs even more than $\ln 49152$, because its tokens are random and the model expects language. Now
# we stop ten induction heads. As a control, we stop ten others of the same layers, drawn at random, three times.

# %% tags=["nbval-ignore-output"]
ten = top(induction, 10)
layers = sorted({layer for layer, _ in ten})
others = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in ten]
draws = [np.random.default_rng(seed).permutation(others)[:10].tolist() for seed in range(3)]
control = [second_copy(heads) for heads in draws]
without = second_copy(ten)
print(f"ten induction heads stopped: {without:.1f}")
print("ten others stopped:", *[f"{loss:.1f}" for loss in control])
assert without - max(control) > 5

# %% [markdown]
# Without the ten induction heads, most of the advantage of the second copy is gone. Ten others of the same layers
# matter much less. So in this model, copying depends on these ten heads.
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
found = {"as they are": shares}
for name, turn in (("turned +1", 1), ("turned −1", -1)):
    with model.changed(heads=six, turn_query=turn):
        found[name], _ = model.profiles(text)

pictures = []
for name, by_distance in found.items():
    near = [by_distance[head][:4].tolist() for head in six]
    pictures.append(figures.heatmap(near, rows=names, columns=range(4), digits=2, corner="head",
                                    alt=f"Weight by distance, queries {name}"))
assert all(found["turned +1"][head][:4].argmax() == 0 for head in six)
assert all(found["turned −1"][head][:4].argmax() == 2 for head in six)
figures.side_by_side(*pictures)

# %% [markdown]
# In each head the largest weight moves by one token. So these heads look at an *offset*, whatever token is there. As
# a control, we turn the six heads with the most weight on token 0. What do you expect?

# %% tags=["nbval-ignore-output"]
rise = {}
for name, heads in (("previous-token", six), ("token 0", top(on_first, 6))):
    with model.changed(heads=heads, turn_query=1):
        rise[name] = float(model.losses(text).mean()) - loss
    print(f"six heads ({name}) turned by one position: the loss rises by {rise[name]:.3f}")
assert rise["previous-token"] > 0.5
assert abs(rise["token 0"]) < 0.01

# %% [markdown]
# The loss stays the same. Token 0 is at another offset from every query, so these heads cannot depend on a single
# offset.
#
# ## A large norm is not use
#
# Which pairs of channels let head 16.0 find the token before? A pair of channels is an arrow, and short arrows add
# little to a score. So one measure of a pair is its **norm**: the mean length of its arrow in the queries, times that
# in the keys (Barbero et al. 2024).

# %% tags=["nbval-ignore-output"]
q, k = model.queries_and_keys(text[:64], layer=16)
q, k = q[0], k[0]  # head 0 uses key head 0


def lengths(x):
    """The mean length of each of the 32 arrows."""
    return x.reshape(-1, 32, 2).norm(dim=-1).mean(dim=0)


share = lengths(q) * lengths(k) / (lengths(q) * lengths(k)).sum()
print(f"pair 0, a turn in 6.3 tokens: {share[0]:.0%}")
print(f"pair 25, a turn in 50,000 tokens: {share[25]:.0%}")
print(f"the 12 slowest pairs together: {share[20:].sum():.0%}")
assert share[20:].sum() > 0.5

# %% [markdown]
# More than half of the norm is in twelve pairs that finish no turn within 8,192 tokens. Now we stop pairs in our six
# heads: at speed 0 they no longer rotate. Which changes more, stopping the twelve slowest pairs or only pair 0?

# %% tags=["nbval-ignore-output"]
columns = {"all turn": shares}
for name, pairs in (("12 slowest stopped", slice(20, 32)), ("pair 0 stopped", slice(0, 1))):
    speeds = model.speeds.clone()
    speeds[pairs] = 0
    with model.changed(heads=six, speeds=speeds):
        columns[name], _ = model.profiles(text)

before = np.array([[by_distance[head][1] for by_distance in columns.values()] for head in six])
assert abs(before[:, 1] - before[:, 0]).max() < 0.03
assert before[0, 2] < before[0, 0] / 2
figures.heatmap(before, rows=names, columns=list(columns), digits=2, corner="head", alt="Weight on the token before")

# %% [markdown]
# Twelve pairs with more than half of the norm can stop without effect, and one pair with 13 % cannot. Why? We compute
# what pairs 0 and 25 add to the scores of one query, with the keys 0 to 4 tokens back, and with token 0.

# %% tags=["nbval-ignore-output"]
i = 45
for j in (i, i - 1, i - 2, i - 3, i - 4, 0):
    turned_q = rotate(q[[i]], past=i, speeds=model.speeds, interleaved=True)
    turned_k = rotate(k[[j]], past=j, speeds=model.speeds, interleaved=True)
    adds = (turned_q * turned_k).reshape(32, 2).sum(axis=1) / np.sqrt(64)
    print(f"key {j:2}: pair 0 adds {adds[0]:6.2f}, pair 25 {adds[25]:6.2f}, all 32 {adds.sum():6.2f}")

# %% [markdown]
# Pair 25 adds about −12 to *each* of the five near keys. A number that is the same for all keys changes no weight,
# because the softmax divides it out ([[bias_by_hand|chapter #]]). Pair 0 adds different numbers, and the largest to
# the token before. A norm shows how much a pair adds, but not whether this differs between keys.
#
# Pair 25 has another use. To token 0 it adds +1 in place of −12, so it sets the sink apart from all other tokens.
#
# In the picture, the key stays the same and its distance changes. Move the distance, then stop pair 0, then the 12
# slowest.

# %% tags=["nbval-ignore-output"]
figures.pair_view(q[i], k[i - 1], model.speeds, interleaved=True, title="Head 16.0, a query and the key before it")

# %% [markdown]
# This holds at short distances. After some thousand tokens, the slow pairs have turned as well
# ([[stretching_rope|chapter #]]).
#
# ## Easy to believe; let us run it

# %%
from course_tasks import claims

claims.chapter("released_model")

# %% [markdown]
# ## Remember
#
# - Compare a loaded model with a known loss. A wrong pairing fits all shapes and runs.
# - With RoPE, + 50,000 for all positions changes nothing; for half of them it hurts.
# - `from_grid` finds heads, and stopping them shows whether they matter. Stop other heads as well, as a control.
# - Queries that are turned by one position move a head that looks at an offset.
# - A pair with a large norm may add the same number to every score.
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
    "You stop ten heads, and the loss rises by 3 nats. What does this show about these ten?",
    options={
        "They do what the loss measures": "Perhaps. But what would any other ten have cost?",
        "Nothing, before other heads were stopped, too": "Yes. Ten random heads may also cost 3 nats.",
        "They look at an offset": "A loss does not show where a head looks.",
    },
    answer="Nothing, before other heads were stopped, too",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "In the profile by offset of an ordinary text, most induction heads have no peak. Why?",
    options={
        "They look at a fixed token": "In Alice token 0 does get much of their weight. But what if a word repeats?",
        "An earlier copy can be at any distance": "Yes. In the text given twice it was the same for all queries.",
        "RoPE hides offsets from them": "RoPE shows every head the offset.",
    },
    answer="An earlier copy can be at any distance",
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
print(f"six previous-token heads stopped: {second_copy(six):.1f}")
print("six others stopped:", *[f"{second_copy(heads):.1f}" for heads in draws])
print("heads 1.3 and 1.5, from the first draw, alone:", *[f"{second_copy([(1, head)]):.1f}" for head in (3, 5)])

# %% [markdown]
# Without the six, the second copy is lost. But the first draw of other heads does nearly the same harm, and each of
# its two heads of layer 1 alone costs more than two nats. So this experiment does not show that previous-token heads
# are special.
#
# We ask a smaller question. The best induction heads are in layers 17 and 18, and the best previous-token head is in
# layer 16. We stop this single head and, as a control, four other heads of layer 16, one at a time.

# %% tags=["nbval-ignore-output"]
one = second_copy([(16, 0)])
four = [second_copy([(16, head)]) for head in (2, 4, 6, 8)]
print(f"head 16.0 stopped: {one:.1f}")
print("one other head of layer 16 stopped:", *[f"{loss:.1f}" for loss in four])
assert one - max(four) > 3

# %% [markdown]
# Of the 270 heads, this one carries most of the advantage of the second copy. The others of its layer do not.
#
# ## Deeper · Two documents in one text
#
# For training, several documents are often put into one text. Should each document count its positions from 0? We put
# 96 tokens of our text after 96 tokens of another one, and watch the loss on ours.

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
# A reset without a mask is the worst of all. The keys of the other document now have the same positions as ours, so
# some seem to be near the query, and some even after it. With the mask, a reset changes nothing, and the loss is that
# of the document alone.

# %% tags=["nbval-ignore-output"]
assert second["positions reset"] - alone > 1
for name in ("go on, own document only", "reset, own document only"):
    assert abs(second[name] - alone) < 0.001

# %% [markdown]
# ## Deeper · Which pairs does the whole model need?
#
# Now we stop pairs in *all* heads. Pair 16 turns by 0.8 radian in 256 tokens, and slower pairs by less. Which pairs
# does the model miss on a text of this length?

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
    print(f"{name:10} stopped: {rises[name]:+.3f}")
assert rises["fastest"] > 0.2
assert abs(rises["16 slowest"]) < 0.05

# %% [markdown]
# Half of all pairs can stop, and the loss stays the same *at this length*. Their channels still compare contents, and
# only their rotation is gone.
#
# Other models were studied as well. In Gemma 7B, most of the norm is in slow pairs, and the heads that attend by
# position use the fastest ones (Barbero et al. 2024). What the slow pairs are for is disputed. Barbero et al. suggest
# that they carry content. Jonasson (2025) finds the largest numbers in pairs that make only part of a turn, and
# connects them with sinks; pair 25 of our head fits this. Oka et al. (2026) find such a band of pairs in several
# models, and report that the pairs below the band need not rotate.
#
# ## Deeper · What the tokenizer does
#
# The file also holds the tokenizer: 49,152 tokens and the pairs that are merged. Three habits matter when you count
# positions. How many tokens does each string have?

# %%
for string in ("The pass key is 71432.", "naïve", "<|im_start|>user"):
    tokens = model.tokens(string)
    print(len(tokens), tokens)

# %% [markdown]
# Each digit is a token, so a number of five digits takes five positions. `<|im_start|>` is a control token; a
# tokenizer that does not know this splits it into seven pieces. No start token is added, so token 0 is whatever comes
# first.
#
# ## Deeper · It writes
#
# The model also generates text, token by token, with the cache of [[rope|chapter #]]. We always take the most likely
# token, first with the right pairs, then with the wrong ones.

# %% tags=["nbval-ignore-output"]
prompt = "Once upon a time, in a small village,"
print(prompt + model.generate(prompt, 20))
with model.changed(position=RoPE(64, base=100_000)):
    print(prompt + model.generate(prompt, 20))

# %% [markdown]
# **Sources** The model: L. Ben Allal et al., *SmolLM2*, 2025, quantised by QuantFactory, Apache-2.0 (see the
# acknowledgements) · C. Olsson et al., *In-context Learning and Induction Heads*, 2022 · F. Barbero et al., *Round
# and Round We Go!*, 2024 · A. Jonasson, *Rotary Offset Features*, 2025 · Y. Oka et al., *Frequency Bands in RoPE*,
# 2026 · the type Q4_1: `ggml-common.h` in ggml-org/ggml.
