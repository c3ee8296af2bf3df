# %% [markdown]
# # [[title]]
#
# The course's `RelativeAttention` can run the attention of a released language model. You load SmolLM2-135M-Instruct,
# find the heads that use position, and test what they do.
#
# **You will be able to**
# - turn the bytes of a file into the weights of a layer, and notice when they are loaded wrongly;
# - find heads by their profile by offset, and say what such a map does not show;
# - shift where a head looks by rotating its queries, and test which pairs of channels it needs.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (profile by offset) and [[rope|#]]. **Time**
# [[time]].
#
# The model has 30 layers, each with 9 heads of 64 channels. The main part reads an excerpt of *Alice in Wonderland*
# (*Alice*), without the format of a chat. All numbers are from *this model in this quantised file*.
# `python3 course.py model` fetches it (a download of 93 MB). Without it, the cells show recorded numbers.

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
# *Quantised* means that the numbers are rounded, so that each takes fewer bits. Most matrices of the file have the type
# Q4_1: 32 neighbouring numbers share a step $s$ and a number $b$, and each of them is stored as a level $c$, a whole
# number from 0 to 15:
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
# `released.load()` reads the whole file. Each layer of the model has an attention part and a part that treats each
# token by itself. What is the attention part?

# %% tags=["nbval-ignore-output"]
model = released.load()
parts = [layer.attention for layer in model.decoder.blocks]
print(parts[0])
assert all(isinstance(part, RelativeAttention) for part in parts)
assert all(isinstance(part.position, RoPE) for part in parts)

# %% [markdown]
# It is the course's `RelativeAttention` with `RoPE`, in all 30 layers. Keys and values have 192 = 3 · 64 channels,
# because three query heads share one key head and one value head.
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
# The library `transformers`, with the same decoded weights, also gives 3.323. A test of the course compares all
# predictions of the two.
#
# SmolLM2 was published with half-split pairs. The program that wrote this file reordered the rows of $W_q$ and $W_k$,
# so here channels $2m$ and $2m+1$ form pair $m$ (interleaved). What if our layers still rotate channels $m$ and $m+32$
# together? Or no channels at all?

# %% tags=["nbval-ignore-output"]
half_split = RoPE(64, base=100_000)  # half-split is the default of our RoPE; 100,000 is the base of this model
rises = {}
for name, position in {"wrong pairs": half_split, "no rotation": Position()}.items():
    with model.changed(position=position):  # only inside this `with`
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"{name}: the loss rises by {rises[name]:.2f}")
assert rises["wrong pairs"] > 1.5

# %% [markdown]
# The model runs without a warning, but the wrong pairs are nearly as bad as no rotation. Names, shapes and dtypes all
# fit. Even a test that moves the text would find nothing ([[rope|chapter #]]). Only a number that the model computes,
# such as its loss, reveals the mistake.
#
# ## Move the positions
#
# Is the model as relative as the algebra of RoPE says? First we add 50,000 to all positions. Then we add 50,000 to
# those of the second half only. As a baseline, the model reads the second half alone. Which of the three will hurt
# most?

# %% tags=["nbval-ignore-output"]
place, half = torch.arange(n), n // 2
with model.changed(positions=place + 50_000):
    change = (model.losses(text) - losses).abs().max()
print(f"all positions + 50,000: no loss changes by more than {change:.6f}")
assert change < 0.001

with model.changed(positions=place + 50_000 * (place >= half)):
    gap = float((model.losses(text) - losses)[half:].mean())
alone = float((model.losses(text[half:]) - losses[half:]).mean())
print(f"second half + 50,000: its loss rises by {gap:.2f}")
print(f"second half alone: its loss rises by {alone:.2f}")
assert gap > 3 * alone

# %% [markdown]
# With RoPE a score depends on positions only by their difference, so moving the whole text changes nothing. The model
# was made for texts of up to 8,192 tokens. With a gap of 50,000, far beyond that, seeing the first half does harm: the
# second half is better read alone. (*Deeper* tries smaller gaps and other texts.)
#
# ## Where does a head look?
#
# `model.profiles` computes the **profile by offset** ([[diagonals|chapter #]]) of all 270 heads in one pass. It returns
# two averages over the queries: the share of a head's weight at each *distance* $i - j$ (minus the offset), and its
# share on token 0. We check one entry of head 16.0 (layer 16, head 0) by hand.

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
# Head 16.0 gives 76 % of its weight to the token before. We call the first six our **previous-token heads**. This limit
# is arbitrary: the sixth has 0.32, the seventh 0.31.
#
# In this map, each cell is a head, with its score in hundredths. The buttons choose the score, and the bars show the
# weight of one head by distance. Click 16.0, then 18.6. Most of the weight of 18.6 is in the last bars. Does it look at
# a fixed distance?

# %% tags=["nbval-ignore-output"]
print(f"head 18.6: {on_first[18, 6]:.0%} of the weight on token 0")
print(f"more than half of the weight on token 0: {int((on_first > 0.5).sum())} of 270 heads")
assert on_first[18, 6] > 0.8
figures.map_of_heads({"previous token": previous, "token 0": on_first}, shares)

# %% [markdown]
# No. 18.6 gives 91 % of its weight to token 0, which is at another distance from each query. Press the button *token
# 0*: many heads look there. Such a token is called a **sink** ([[windows_and_sinks|chapter #]]).
#
# A map shows where a head looks in one text, on average over the queries. In another text, 18.6 looks elsewhere. And
# whether the model *needs* what a head does, no map can show (*Deeper* tests both).
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
# In every row, the darkest of these four cells moves by one column: to a later token with +1, to an earlier one with
# −1. So the weight of these heads on near tokens follows the *offset*.
#
# ## The largest pair need not find the position
#
# Which pairs of channels let a head find the token before? Pair $m$ is an arrow in the query and another one in the
# key. It adds at most the product of their lengths to the dot product. We call the product of the mean lengths the
# pair's **size**.

# %% tags=["nbval-ignore-output"]
def sizes(layer, head):
    """The size of each of the 32 pairs, on average over 64 tokens, as a share of their sum."""
    q, k = model.queries_and_keys(text[:64], layer)
    lengths = [x.reshape(64, 32, 2).norm(dim=-1).mean(dim=0) for x in (q[head], k[head // 3])]
    return lengths[0] * lengths[1] / (lengths[0] @ lengths[1])


for layer, head in six:
    size = sizes(layer, head)
    largest = size.argsort(descending=True)[:3].tolist()
    print(f"head {layer}.{head}:", *[f"pair {m:2} {size[m]:.0%}" for m in largest], sep="  ")
    assert largest[0] >= 20

# %% [markdown]
# In each head the largest pair is a slow one, from 20 on. Does the head need its rotation? We stop the rotation of
# pairs 20 to 31, then of pair 0: their speed becomes 0. Which weight remains on the token before?

# %% tags=["nbval-ignore-output"]
columns = {"as they are": previous}
for name, pairs in {"20–31 stop": range(20, 32), "0 stops": [0]}.items():
    speeds = model.speeds.clone()
    speeds[list(pairs)] = 0
    with model.changed(heads=six, speeds=speeds):
        columns[name] = model.profiles(text, first_query=2)[0][..., 1]

table = np.array([[float(column[head]) for column in columns.values()] for head in six])
print(f"in {n} tokens, pair 20 rotates by {n * model.speeds[20]:.1f} radian")
assert abs(table[:, 1] - table[:, 0]).max() < 0.01
assert (table[:, 2] < 0.8 * table[:, 0]).all()
figures.heatmap(table, rows=names, columns=list(columns), digits=2, corner="head", alt="Weight on the token before")

# %% [markdown]
# In 256 tokens no pair from 20 on rotates by more than 0.2 radian. So, as one would expect, stopping them changes
# little. Stopping pair 0 lowers the weight in every head. So size alone does not show which pair finds the position.
# But it is not useless: in four of the six heads, pair 0 is among the three largest.
#
# ## Easy to believe; let us run it

# %%
from course_tasks import questions

questions.claims("released_model")

# %% [markdown]
# ## Remember
#
# - Compare a loaded model with a known loss. A wrong pairing fits all shapes and runs.
# - With RoPE, adding 50,000 to all positions changes nothing. In this model, a gap of 50,000, far beyond its context,
#   does more harm than losing the first half.
# - A profile shows where a head looks in one text, on average. It does not show whether the model needs it.
# - Rotate a head's queries by one position more: if it looks at an offset, it now looks one token later.
# - The size of a pair does not show whether it finds the position.
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
mixed = np.array([[0, 1.0], [1.0, 0]])  # one query looks one place back only, another not at all
alike = np.array([[0.5, 0.5], [0.5, 0.5]])  # rows: queries; columns: weight at distance 1, and elsewhere
figures.question(
    "The profile of a head has 0.5 at distance 1. What do you know about its queries?",
    options={
        "Each gives half of its weight to the token before": "This gives 0.5. But does nothing else give 0.5?",
        "Half of them give it all their weight, the others none": "This gives 0.5, too. So does something else.",
        "Only their average": "Yes. Look at the weights of single queries before you say what a head does.",
    },
    answer="Only their average" if np.allclose(mixed.mean(axis=0), alike.mean(axis=0)) else "Each gives",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
turn = float(n * model.speeds[25])  # radians that pair 25 rotates within the text
figures.question(
    f"The largest pair of head 16.0, pair 25, rotates by {turn:.2f} radian in our whole text. What can it do there?",
    options={
        "Tell the token before from the one two back": "From one position to the next, it rotates by far too little.",
        "Prefer some contents to others, at nearly every distance":
            "Yes: the score is nearly that of the two arrows without rotation. *Deeper* shows what it does.",
        "Nothing": "A pair that does not rotate still adds the product of its two arrows to the score.",
    },
    answer="Prefer some contents" if turn < 0.5 else "Tell the token before",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, from a block of the file to a prediction about moved positions.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Induction heads
#
# An **induction head** continues a repetition (Olsson et al. 2022). It looks for an earlier copy of the current token
# and attends to the token *after* it. (By their definition it also makes that token more likely. Our score does not
# measure this.) So we draw 64 random tokens and give them twice. From a query in the second copy, the earlier copy is
# 64 tokens back, so the token after it is 63 back. The control is 128 random tokens without a repetition.

# %% tags=["nbval-ignore-output"]
random = torch.tensor(np.random.default_rng(0).integers(1000, 40_000, size=(4, 64)))
twice, never_repeated = random[[0, 0]].flatten(), random[[1, 2]].flatten()
repeated, _ = model.profiles(twice, first_query=64)
control, _ = model.profiles(never_repeated, first_query=64)
induction = repeated[..., 63]

for head in top(induction, 5):
    print("head {}.{}".format(*head), f"{induction[head]:.2f}, control {control[head][63]:.2f}")
assert top(induction, 1) == [(18, 6)]

# %% [markdown]
# Does the model need these heads? We **ablate** ten of them: their mean output over *Alice* replaces their outputs. We
# chose them on `twice`, so we test on 64 other tokens, given twice. The controls are ten other heads of the same
# layers, drawn at random, three times. We also ablate 16.0 alone, and the eight others of its layer.

# %% tags=["nbval-ignore-output"]
means, test = model.mean_outputs(text), random[[3, 3]].flatten()
ten = top(induction, 10)
layers = sorted({layer for layer, _ in ten})
rest = [(layer, head) for layer in layers for head in range(9) if (layer, head) not in ten]
groups = {"no head": [], "ten induction heads": ten}
groups |= {f"ten others, draw {draw}": np.random.default_rng(draw).permutation(rest)[:10].tolist() for draw in range(3)}
groups |= {"16.0": [(16, 0)], "the other eight": [(16, head) for head in range(1, 9)]}

found, never = {}, float(model.losses(never_repeated)[64:].mean())
print(f"never repeated: loss {never:.1f}")
for name, heads in groups.items():
    with model.changed(stopped_heads=heads, replaced_by=means):  # the ablated heads, and their constants
        weight = float(model.profiles(test, first_query=64)[0][18, 6, 63])
        found[name] = float(model.losses(test)[64:].mean())
    print(f"{name:20} ablated: second copy {found[name]:4.1f}, weight of 18.6 at distance 63: {weight:.2f}")
assert found["ten induction heads"] - max(found[f"ten others, draw {draw}"] for draw in range(3)) > 5
assert found["16.0"] - found["the other eight"] > 3
assert found["16.0"] > (never + found["no head"]) / 2

# %% [markdown]
# Without the ten heads, most of the advantage of the second copy is gone. Ten others matter much less. But 16.0 alone
# costs more than half of the advantage, and 18.6 hardly finds its token. Perhaps this is **composition**: 16.0 writes
# into each token what came before it, and 18.6, two layers above, looks for that. To show the route, one would change
# only what the keys of 18.6 read.
#
# ## Deeper · Heads that find token 0
#
# Previous-token heads look at an offset. And heads that give their weight to token 0? We take the six with the most
# weight there that are not induction heads. In them and in the previous-token heads, we rotate the queries by 63
# positions more. This rotates pairs 0 to 11 by more than one radian, but the others by less. So we also stop the
# rotation of pairs 12 to 31.

# %% tags=["nbval-ignore-output"]
sinks = [head for head in top(on_first, 270) if induction[head] < 0.05][:6]
speeds = model.speeds.clone()
speeds[12:] = 0


def rotated(heads):
    """The profiles with all pairs of these heads rotated wrongly or not at all."""
    with model.changed(heads=heads, turn_query=63, speeds=speeds):
        return model.profiles(text, first_query=2)


one_back, first = rotated(six)[0][..., 1], rotated(sinks)[1]
for head in six:
    print("head {}.{}, token before:".format(*head), f"{previous[head]:.2f}, changed {one_back[head]:.2f}")
for head in sinks:
    print("head {}.{}, token 0:".format(*head), f"{on_first[head]:.2f}, changed {first[head]:.2f}")
assert max(one_back[head] for head in six) < 0.2
assert min(first[head] for head in sinks) > 0.6

# %% [markdown]
# The previous-token heads lose their token. The others keep token 0, so they do not find it by its distance. How else
# can a head find it?
#
# ## Deeper · What the largest pair does
#
# Head 16.0 gives a part of its weight to token 0, and its largest pair is 25. We compute its weights from queries and
# keys, and *remove* a pair: its channels in the keys become 0.

# %% tags=["nbval-ignore-output"]
q, k = model.queries_and_keys(text[:64], layer=16)
q, k = q[0], k[0]  # heads 0, 1 and 2 share key head 0


def rotated_at(x, first=0):
    """The rows of x, rotated for the positions `first`, `first` + 1, …"""
    return rotate(x, past=first, speeds=model.speeds, interleaved=True)


result = {}
for name, removed in {"no pair": [], "pair 25": [25], "pair 0": [0]}.items():
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
# Without pair 25, token 0 gets no weight, but the token before gets nearly the same share of the rest. Without pair 0,
# this share falls from 0.87 to 0.31. (Token 0 gets more weight then, so we compare shares of the rest.) What do the two
# pairs add to a score? We average over queries.

# %% tags=["nbval-ignore-output"]
terms = {0: [], 25: []}
for i in range(16, 64):
    products = (rotated_at(q[[i]], i) * rotated_at(k[: i + 1])).reshape(-1, 32, 2).sum(axis=2) / np.sqrt(64)
    for m, rows in terms.items():
        rows.append(products[:, m])  # what pair m adds to the keys 0 … i

for m, rows in terms.items():
    average = np.mean([[row[0], *row[-2:-10:-1]] for row in rows], axis=0)
    print(f"pair {m:2}: token 0 {average[0]:5.1f}; distances 1 to 8:", *[f"{value:5.1f}" for value in average[1:]])
    length = k.reshape(64, 32, 2)[:, m].norm(dim=1)
    print(f"  length of the key's arrow: token 0 {length[0]:.1f}, others {length[1:].mean():.1f}")
assert average[0] - average[1] > 10
assert length[0] < 2

# %% [markdown]
# Pair 25 lowers the scores of these keys by nearly the same number, but not that of token 0. If it were exactly the
# same, their shares of the rest would not change, because the softmax divides it out ([[bias_by_hand|chapter #]]). Pair
# 25 hardly rotates, so it uses the keys as they are before the rotation. There its arrow has length 12 on average, but
# 0.8 in token 0.
#
# Pair 0 prefers distance 1, and also 7, because it makes a whole turn in 6.3 positions. Other fast pairs must tell 1
# from 7. In Gemma 7B, too, the longest arrows are in slow pairs, and heads that attend by position use the fastest ones
# (Barbero et al. 2024).
#
# The picture shows what all 32 pairs add to one score, that of query 45 and the key before it. Click a pair to stop its
# rotation, and move the same key to another distance.

# %% tags=["nbval-ignore-output", "prints-only"]
figures.pair_view(q[45], k[44], model.speeds, [0, 1, 2, 4, 16, 64], interleaved=True, title="Head 16.0, query 45")

# %% [markdown]
# ## Deeper · Other texts
#
# The lesson read *Alice*, which the model has probably met in training. Committed runs repeat two of its tests on two
# help texts of Python (`pydoc`), a licence and a page about this course. They print how much the mean loss of the
# second half rises, ± its standard error over the tokens. In the second row, the rows of $W_q$ and $W_k$ are permuted
# for the half-split pairs, head by head. The second half cannot see *hidden* tokens.

# %%
from course_study.released import rows as committed

shown = dict.fromkeys(["half-split pairs", "half-split pairs, rows reordered"], "pairings")
shown |= dict.fromkeys(["gap 4096", "first half hidden", "gap 16384", "first half but 4 hidden, gap 16384"], "gaps")
for condition, experiment in shown.items():
    runs = committed(experiment, condition=condition, n=384)
    print(condition, *[f"{row['text']} {row['difference']:z.2f} ± {row['error']:.2f}" for row in runs], sep="  ")
assert min(row["difference"] for row in runs) > 3  # of the last condition

# %% [markdown]
# The permutation repairs the model. A gap of 4,096 costs 0.2 to 0.5 nats, and hiding the first half 0.2 to 0.8. A gap
# of 16,384, beyond the context of 8,192, costs more than 3. The first four tokens are enough for that: if the second
# half sees only them, the gap costs about as much.
#
# ## Deeper · Two documents in one text
#
# In training, several documents often share one text (*packing*). Should each document count its positions from 0? We
# put 96 tokens of our text after 96 tokens of another one, and watch the loss on ours.

# %% tags=["nbval-ignore-output"]
half = 96
document = text[:half]
both = torch.cat([model.encode(released.excerpt("jargon"))[:half], document])
place = torch.arange(2 * half)
own = (place[:, None] < half) | (place >= half)  # True where a query may look: the second document only at itself

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
# **Sources** The model: L. Ben Allal et al., *SmolLM2*, 2025, quantised by QuantFactory, Apache-2.0 (see the
# acknowledgements) · C. Olsson et al., *In-context Learning and Induction Heads*, 2022 · F. Barbero et al., *Round and
# Round We Go!*, 2024 · the type Q4_1: `ggml-common.h` and, for the order of the levels, `ggml-quants.c` in
# ggml-org/ggml · the order of the rows: `convert_hf_to_gguf.py` in ggml-org/llama.cpp.
