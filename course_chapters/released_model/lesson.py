# %% [markdown]
# # [[title]]
#
# The course's `RelativeAttention` can run the attention of a released language model. You load SmolLM2-135M-Instruct,
# find heads that use position, and test what they do.
#
# **You will be able to**
# - notice that a model is loaded wrongly, although it runs without an error;
# - use profiles by offset to find heads, and say what a map of heads does not show;
# - shift where a head looks by rotating its queries, and tell which pairs of channels make it look there.
#
# **You need** chapters [[bias_by_hand|#]] (softmax), [[diagonals|#]] (profile by offset) and [[rope|#]]. **Time**
# [[time]].
#
# The model has 30 layers, each with 9 heads of 64 channels. The main part reads an excerpt of *Alice in Wonderland*
# (*Alice*), without the format of a chat. All results are about *this model in this quantised file*.
# `python3 course.py model` fetches the file (a download of 93 MB). Without it, the cells show recorded numbers.

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

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## Your layer in a released model
#
# `released.load()` reads the file. (Its numbers are *quantised*, that is, rounded to few bits. The first task decodes a
# block of them.) What is the attention part of a layer?

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
# How do we know that weights and layers fit together? `losses(text)` returns the loss of each token after the first, in
# *nats*: $-\ln P$, where $P$ is the probability that the model gave to this token. A model that considers all 49,152
# tokens equally likely has a loss of $\ln 49152 = 10.8$.

# %% tags=["nbval-ignore-output"]
n = 256
text = model.encode(released.excerpt("alice"))[:n]
print("".join(model.tokens(text[:40])), "…")

losses = model.losses(text)
loss = float(losses.mean())
print(f"loss {loss:.4f}")
assert abs(loss - 3.323) < 0.001

# %% [markdown]
# The library `transformers` (5.23), with the same decoded weights, gives 3.3229, too.
#
# SmolLM2 was published with half-split pairs. The program that wrote this file reordered the rows of $W_q$ and $W_k$,
# so here channels $2m$ and $2m+1$ form pair $m$ (interleaved). What happens if our layers rotate channels $m$ and
# $m+32$ together, as half-split code does? Or no channels at all?

# %% tags=["hide-output", "nbval-ignore-output"]
half_split = RoPE(64, base=100_000)  # half-split is the default of our RoPE; 100,000 is the base of this model
rises = {}
for name, position in {"wrong pairs": half_split, "no rotation": Position()}.items():
    with model.changed(position=position):  # only inside this `with`
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"{name}: the loss rises by {rises[name]:.2f}")
assert rises["wrong pairs"] > 1.5

# %% [markdown]
# The model runs without a warning, but the wrong pairs are nearly as bad as no rotation. All names, shapes and dtypes
# are right. A number whose right value you know, such as this loss, reveals the mistake.
#
# ## Move the positions
#
# The *loss* says how badly SmolLM2 predicts the next token. We add 50,000 to all positions, then only to those of the
# second half, which leaves a gap. As a baseline, the model reads the second half alone. (± is the standard error over
# the tokens, as if they were independent.) Which of the three will raise the loss most?

# %% tags=["hide-output", "nbval-ignore-output"]
place, half = torch.arange(n), n // 2
with model.changed(positions=place + 50_000):
    change = (model.losses(text) - losses).abs().max()
print(f"all positions + 50,000: no loss changes by more than {change:.6f}")
assert change < 0.001


def with_error(x):
    """The mean of x, ± its standard error."""
    return f"{x.mean():+.2f} ± {x.std() / len(x) ** 0.5:.2f}"


with model.changed(positions=place + 50_000 * (place >= half)):
    gap = (model.losses(text) - losses)[half:]
alone = model.losses(text[half:]) - losses[half:]
print(f"second half + 50,000: its loss changes by {with_error(gap)}")
print(f"second half alone: its loss changes by {with_error(alone)}")
assert gap.mean() > 3 * alone.mean()

# %% [markdown]
# With RoPE, moving the whole text changes nothing but rounding, because its offsets stay the same. A gap of 50,000 does
# more harm than losing the first half. (*Deeper* tries smaller gaps and other texts. [[stretching_rope|Chapter #]] asks
# where the harm begins.)
#
# If you repeat this with `transformers`, pass a mask of ones. With neither a mask nor a cache, it takes a gap in the
# positions for the beginning of a new document.
#
# ## Where does a head look?
#
# `model.profiles` computes the **profile by offset** of all 270 heads. For each *distance* $i - j$, it adds up a head's
# weights there and divides by the number of queries. So the shares of a head sum to 1. ([[diagonals|Chapter #]] divided
# by the number of cells instead.)
#
# Which heads look at the token before, at distance 1? We check the share of head 16.0 (layer 16, head 0) by hand.

# %% tags=["nbval-ignore-output"]
# from query 2 on, because query 0 has no token before it, and query 1 has token 0 there
shares, on_first = model.profiles(text, first_query=2)  # on_first: each head's mean weight on token 0
previous = shares[..., 1]  # at distance 1

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
# On average, head 16.0 gives 76 % of its weight to the token before. We call the first six of this list our
# **previous-token heads**.
#
# ## What a map does not show
#
# Each cell of this map is a head, with its share at distance 1 in hundredths: 76 means 0.76. Click a head, and the bars
# show its weight by distance. Click 16.0, then 18.6 (row 18, column 6). Most of the weight of 18.6 is in the last bars.
# Does it look at a fixed distance?

# %% tags=["nbval-ignore-output"]
figures.map_of_heads({"previous token": previous, "token 0": on_first}, shares)

# %% tags=["nbval-ignore-output"]
print(f"head 18.6: {on_first[18, 6]:.0%} of the weight on token 0")
print(f"more than half of the weight on token 0: {int((on_first > 0.5).sum())} of 270 heads")
assert on_first[18, 6] > 0.8

# %% [markdown]
# No. Head 18.6 gives 91 % of its weight to token 0, which is at a different distance from each query. Press the button
# *token 0*: many heads look there. Such a token is called a **sink** ([[windows_and_sinks|chapter #]]).
#
# A map is about one text. In a text that repeats itself, 18.6 looks elsewhere. And no map shows whether the model
# *needs* what a head does. (*Deeper* tests both.)
#
# ## Shift where a head looks
#
# The query at position $i$ is rotated by $i$ steps. What if we rotate it by one step more, and leave the keys as they
# are? Then the score of the key at $j$ contains the offset $j - (i + 1)$. We do this in all six previous-token heads at
# once.

# %% tags=["hide-input"]
# @title Question
offset = -1 + 1  # j − (i + 1) is −1 where the head looks
figures.question(
    "The queries of a previous-token head are rotated by one step more. Where does it look now?",
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
# With +1 each peak moves from distance 1 to 0, one token later. With −1 it moves to distance 2, one token earlier. So
# the place of these six peaks follows the *offset*. (Their height depends on content, too.)
#
# But we had selected the six with the largest shares. Is a share at distance 1 enough to say that a head follows the
# offset? We try the first twenty of the list.

# %% tags=["nbval-ignore-output"]
twenty = top(previous, 20)
moved = np.zeros(20, int)  # in how many of the two directions the peak moves
for more in (1, -1):
    with model.changed(heads=twenty, turn_query=more):
        near = model.profiles(text, first_query=2)[0][..., :4]
    moved += [int(near[head].argmax()) == 1 - more for head in twenty]

print(f"of 20 heads, {sum(moved == 2)} move both ways, {sum(moved == 1)} one way, {sum(moved == 0)} not at all")
assert moved[:6].min() == 2 and moved.min() < 2

# %% [markdown]
# It is not enough: in 14 of the twenty the peak moves both ways, in the other six it does not.
#
# ## Large pairs and fast pairs
#
# A pair is an arrow in the query and another in the key. It adds the product of their lengths, times the cosine of the
# angle between them, to $q \cdot k$. So a pair with long arrows can add much. We call the product of the two mean
# lengths the **size** of a pair. Does the largest of its 32 pairs tell head 16.0 where the token before is?
#
# To test a pair, we *stop* it: at speed 0 it does not rotate, so what it adds no longer changes with distance. We stop
# the largest pair of 16.0, pair 25, and the fastest, pair 0. Which of the two does the head miss more?

# %% tags=["nbval-ignore-output"]
def weights_at(speeds, q, k):
    """The attention weights of one head whose pairs rotate at these speeds."""
    q, k = (rotate(x, speeds=speeds, interleaved=True) for x in (q, k))
    return softmax(np.where(causal_mask(len(q)), q @ k.T / np.sqrt(64), -np.inf))


def on_previous(weights):
    """The mean weight on the token before, from query 2 on."""
    return np.mean([weights[i, i - 1] for i in range(2, len(weights))])


q, k = (x[0] for x in model.queries_and_keys(text[:64], layer=16))  # of head 0, before the rotation
as_it_is = on_previous(weights_at(model.speeds, q, k))
assert np.isclose(as_it_is, on_previous(weights[:64]), atol=0.01)  # as in the model

# %% tags=["hide-output", "nbval-ignore-output"]
sizes = q.reshape(64, 32, 2).norm(dim=-1).mean(dim=0) * k.reshape(64, 32, 2).norm(dim=-1).mean(dim=0)
assert sizes.argmax() == 25

kept = {}
print(f"head 16.0 in 64 tokens: weight on the token before {as_it_is:.2f}")
for m in (25, 0):
    speeds = model.speeds.clone()
    speeds[m] = 0
    kept[m] = on_previous(weights_at(speeds, q, k))
    print(f"pair {m:2}: size {sizes[m]:3.0f}, rotates by {64 * model.speeds[m]:5.2f} radian; stopped: {kept[m]:.2f}")
assert kept[0] < as_it_is / 2
assert abs(kept[25] - as_it_is) < 0.001

# %% [markdown]
# Pair 25 is much larger than pair 0. But it hardly rotates in this text, so what it adds is nearly the same at every
# distance, and the head does not miss its rotation. Without the rotation of pair 0, most of the weight on the token
# before is gone. **The lengths of a pair's arrows limit how much it adds to a score. The pair's speed decides whether
# this can change with distance.**
#
# ## Remember
#
# - Compare a loaded model with a known loss. With the wrong pairs, all shapes are right, and the model runs.
# - With RoPE, adding 50,000 to all positions changes nothing but rounding. In this model and text, a gap of 50,000 does
#   more harm than losing the first half.
# - A profile shows where a head looks in one text, on average. It does not show whether the model needs it.
# - If a head follows the offset, rotating its queries by one more step makes it look one token later. A large share at
#   distance 1 does not prove that it follows the offset.
# - The lengths of a pair's arrows limit how much it adds to a score. Its speed decides whether this can change with
#   distance.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
offset = -1 - 1  # j + 1 − i is −1 where the head looks
figures.question(
    "In a previous-token head, the keys are rotated by one step more, and the queries are not. Where does it look?",
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
        "Prefer some contents to others, nearly alike at every distance":
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
# ## Deeper · Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("released_model")

# %% [markdown]
# ## Deeper · Induction heads
#
# An **induction head** continues a repetition (Olsson et al. 2022): it attends to the token *after* an earlier copy of
# the current token. We give the model 64 random tokens twice. For a query in the second copy, the earlier copy is 64
# tokens back, so the token after it is 63 back. The control is 128 random tokens.

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
# (A loss above 10.8 is worse than a uniform guess. An ablated head keeps its weights; only its output is replaced.)
# Without the ten heads, most of the advantage of the second copy is gone. Ten others matter less. But without 16.0
# alone, more than half of the advantage is gone, and 18.6 hardly finds its token. Perhaps this is **composition**: 16.0
# writes into each token what came before it, and 18.6, two layers above, looks for that.
#
# ## Deeper · Heads that find token 0
#
# Do heads that look at token 0 find it by an offset? We take the six with the most weight there that are not induction
# heads. In these and in the previous-token heads, we rotate the queries by 61 steps more. This hardly moves the slow
# pairs, so we also stop pairs 12 to 31. In a second test, we stop all 32.

# %% tags=["nbval-ignore-output"]
angles = (61 * model.speeds[:12] + np.pi) % (2 * np.pi) - np.pi
print(f"61 steps rotate each of the pairs 0 to 11 by at least {angles.abs().min():.2f} radian, up to whole turns")

sinks = [head for head in top(on_first, 270) if induction[head] < 0.05][:6]
fast_only = model.speeds.clone()
fast_only[12:] = 0
table = {"as they are": [previous[head] for head in six] + [on_first[head] for head in sinks]}
for name, how in {"+61": dict(turn_query=61, speeds=fast_only), "all stop": dict(speeds=torch.zeros(32))}.items():
    with model.changed(heads=six, **how):
        one_back = model.profiles(text, first_query=2)[0][..., 1]
    with model.changed(heads=sinks, **how):
        first = model.profiles(text, first_query=2)[1]
    table[name] = [one_back[head] for head in six] + [first[head] for head in sinks]

table = {name: np.array(column) for name, column in table.items()}
assert table["+61"][:6].max() < 0.05 and table["all stop"][:6].max() < 0.05
assert table["+61"][6:].min() > 0.6
names = ["{}.{}: {}".format(*head, "token before" if head in six else "token 0") for head in six + sinks]
figures.heatmap(np.transpose(list(table.values())), rows=names, columns=list(table), digits=2, corner="head",
                alt="Weight on the token before in six heads, on token 0 in six others")

# %% [markdown]
# The previous-token heads lose their token both times. The others keep token 0 when their queries are rotated by 61
# steps more, so they do not look for it at one offset. But if all pairs stop, some give it less, head 24.3 less than
# half as much. So these heads use the rotation in another way, which we have not tested.
#
# ## Deeper · What the largest pair does
#
# What does pair 25 do for head 16.0? We *remove* a pair, so that it adds nothing to any score, and also look at token
# 0.

# %% tags=["nbval-ignore-output"]
result = {}
for name, removed in {"no pair": [], "pair 25": [25], "pair 0": [0]}.items():
    kept = k.clone()
    kept.reshape(64, 32, 2)[:, removed] = 0
    changed = weights_at(model.speeds, q, kept)
    token_0 = changed[2:, 0].mean()
    result[name] = token_0, on_previous(changed) / (1 - token_0)
    print("{} removed: token 0 {:.2f}; of the rest, token before {:.2f}".format(name, *result[name]))
assert result["pair 25"][0] < 0.01
assert result["pair 0"][1] < 0.5

# %% [markdown]
# Without pair 25, token 0 gets almost no weight, but the token before gets nearly the same share of the rest. Without
# pair 0, this share falls from 0.87 to 0.31. What does each of the two pairs add to a score?

# %% tags=["nbval-ignore-output"]
def added(m):
    """What pair m adds to the scores of token 0 and of the keys 1 to 8 places back, on average over queries."""
    rotated_q, rotated_k = (rotate(x, speeds=model.speeds, interleaved=True) for x in (q, k))
    channels = [2 * m, 2 * m + 1]
    terms = rotated_q[:, channels] @ rotated_k[:, channels].T / np.sqrt(64)
    return np.mean([[terms[i, 0], *terms[i, i - 8 : i][::-1]] for i in range(16, 64)], axis=0)


lengths = k.reshape(64, 32, 2).norm(dim=2)
for m in (0, 25):
    print(f"pair {m:2}: token 0 {added(m)[0]:5.1f}; distances 1 to 8:", *[f"{x:5.1f}" for x in added(m)[1:]])
    print(f"  length of the key's arrow: token 0 {lengths[0, m]:.1f}, others {lengths[1:, m].mean():.1f}")
assert added(25)[0] - added(25)[1] > 10
assert lengths[0, 25] < 2

# %% [markdown]
# Pair 25 lowers the scores of all these keys by nearly the same number, but not that of token 0. So token 0 gains, and
# the shares of the rest hardly change ([[bias_by_hand|chapter #]]). Pair 25 hardly rotates, so its arrows before the
# rotation decide: the key's arrow has length 12.3 on average, but 0.8 at token 0.
#
# Pair 0 prefers distance 1, and also 7, because it makes a whole turn in 6.3 positions. So other pairs must tell 1 from
# 7. In Gemma 7B, too, the longest arrows are in slow pairs, and heads that attend by position use the fastest ones
# (Barbero et al. 2024).
#
# The picture shows what all 32 pairs add to the score of query 45 and key 44. Move the key to distance 1, its own, and
# click a pair to stop its rotation.

# %% tags=["nbval-ignore-output", "prints-only"]
figures.pair_view(q[45], k[44], model.speeds, [0, 1, 2, 4, 16, 64], interleaved=True, title="Head 16.0, query 45")

# %% [markdown]
# ## Deeper · One token, repeated
#
# What does position alone add to a score? Let the model read one token, repeated. All values of a head are equal, so
# its output is the same for every query. So in every layer, queries and keys differ by their rotation alone, and
# $\ln(w_{ij} / w_{ii})$, the score of key $j$ minus that of the query's own key, shows what the rotation does.

# %% tags=["nbval-ignore-output"]
n = 64
repeated = torch.full((n,), int(model.encode(" the")[0]))
curves = []
for layer in (0, 11, 16):
    weights = torch.stack([model.attention(repeated, layer, head) for head in (0, 3, 6)])
    last, middle = (weights[:, i, : i + 1].flip(-1) for i in (n - 1, 40))  # by distance: 0, 1, 2, …
    curve, earlier = ((row / row[:, :1]).log() for row in (last, middle))
    assert abs(curve[:, :41] - earlier).max() < 0.001  # another query, the same curve: only the distance counts
    curves.append(curve)
assert abs(curves[-1]).max() < 0.05
figures.position_curves(curves, layers=(0, 11, 16))

# %% [markdown]
# Each panel shows three heads. With RoPE, each line is a sum of 32 cosines and a constant; with ALiBi it would be
# straight. In layer 16 all three stay within 0.05 of 0, although 16.0 finds the token before in *Alice*. So these
# curves show the scheme, not what a head does in a real text. `python3 course.py checkup` uses them.
#
# ## Deeper · Other texts
#
# Committed runs repeat two tests on two help texts of Python (`pydoc`), a licence and a lesson of this course. How much
# does the mean loss of the second half rise? In *rows reordered*, the rows of $W_q$ and $W_k$ are permuted to match the
# half-split pairs. *Hidden* means that the second half cannot see the first half. In the last line, it still sees the
# first four tokens.

# %%
from course_study.released import rows as committed

shown = dict.fromkeys(["half-split pairs", "half-split pairs, rows reordered"], "pairings")
shown |= dict.fromkeys(["gap 4096", "first half hidden", "gap 16384", "first half but 4 hidden, gap 16384"], "gaps")
for condition, experiment in shown.items():
    runs = committed(experiment, condition=condition, n=384)
    if condition == "half-split pairs":
        print(" " * 35, *[f"{row['text']:11}" for row in runs])
    print(f"{condition:35}", *[f"{row['difference']:z.2f} ± {row['error']:.2f}" for row in runs], sep=" ")
assert min(row["difference"] for row in runs) > 3  # of the last condition

# %% [markdown]
# The permutation repairs the model. A gap of 4,096 costs 0.22 to 0.47 nats, and hiding the first half 0.24 to 0.84. A
# gap of 16,384 costs more than 3, even if only the first four tokens are seen across it.
#
# ## Deeper · Two documents in one text
#
# In training, several documents often share one text (*packing*). Should each count its positions from 0? We
# put 96 tokens of our text after 96 of another one, and compare the loss on ours with its loss alone.

# %% tags=["nbval-ignore-output"]
half = 96
document = text[:half]
both = torch.cat([model.encode(released.excerpt("jargon"))[:half], document])
place = torch.arange(2 * half)
own = (place[:, None] < half) | (place >= half)  # True where a query may look: the second document only at itself

# %% tags=["nbval-ignore-output"]
alone, second = model.losses(document), {}
for name, changes in {
    "positions go on": {},
    "positions reset": {"positions": place % half},
    "the other after ours": {"positions": (place + half) % (2 * half)},
    "go on, own document only": {"mask": own},
    "reset, own document only": {"mask": own, "positions": place % half},
}.items():
    with model.changed(**changes):
        second[name] = model.losses(both)[half:] - alone
    print(f"{name:25} {with_error(second[name])}")
assert second["positions reset"].mean() > 1 and second["the other after ours"].mean() > 0.5
assert abs(second["reset, own document only"]).max() < 0.001

# %% [markdown]
# If the positions go on, the other document makes no clear difference. If they are reset without a mask, the loss rises
# by 2.22. Some keys of the other document are then at near offsets, others ahead of the query. Keys ahead alone do
# harm: if the other document has the positions after ours, the loss rises by 0.99. With the mask, a reset changes
# nothing. (Without mask and cache, `transformers` makes this mask from reset positions.)
#
# **Sources** The model: L. Ben Allal et al., *SmolLM2*, 2025, quantised by QuantFactory, Apache-2.0 (see the
# acknowledgements) · C. Olsson et al., *In-context Learning and Induction Heads*, 2022 · F. Barbero et al., *Round and
# Round We Go!*, 2024 · the type Q4_1: `ggml-common.h` and, for the order of the levels, `ggml-quants.c` in
# ggml-org/ggml · the order of the rows: `convert_hf_to_gguf.py` in ggml-org/llama.cpp.
