# %% [markdown]
# # [[title]]
#
# Attention alone does not know at which position a word is ([[blind_to_distance|chapter #]]). In this chapter you give
# it a sense of place in the two classic ways, a fixed vector per position and a learned one, and find out what each of
# them still cannot do. Then you ask the opposite question: what do *relative* positions lose?
#
# **You will be able to**
# - build sinusoidal positions, and show that moving along the text rotates them;
# - count what a model has never seen when a text is longer than its training texts;
# - say what absolute positions know that relative ones do not, and how models get both.
#
# **You need** [[blind_to_distance|chapter #]] (attention, the one-line proof) and [[bias_by_hand|chapter #]] (a bias
# per offset). **Time** [[time]].

# %%
from itertools import permutations

import numpy as np

from course_lib import figures
from course_lib.reference.attention import attention, causal_mask, softmax

np.set_printoptions(precision=4, suppress=True)
n = 5
orders = [list(order) for order in permutations(range(n))]  # all 120 that five tokens can have

# %% [markdown]
# The words and the layer are those of [[blind_to_distance|chapter #]]: a vector for each word, and matrices that turn
# it into query, key and value.

# %%
rng = np.random.default_rng(0)
d = 8
word = {name: rng.normal(size=d) for name in ("dog", "bites", "man", "today")}
W_q, W_k, W_v = rng.normal(size=(3, d, d)) / np.sqrt(d)


def embed(text):
    return np.array([word[name] for name in text.split()])


def layer(x, **how):
    return x + attention(x @ W_q, x @ W_k, x @ W_v, **how)[0]


dog_man, man_dog = embed("dog bites man"), embed("man bites dog")
assert np.allclose(layer(dog_man)[0], layer(man_dog)[2])  # the same output for dog

# %% [markdown]
# ## Give each place a vector: sinusoids
#
# The first remedy: add to each word's vector $x_p$ another one, $P_p$, that says at which position $p$ it stands.
# Vaswani et al. (2017, section 3.5) take sines and cosines, a pair for each of $d/2$ frequencies $\theta_m$:
#
# $$P_{p,\,2m} = \sin(p\,\theta_m), \qquad P_{p,\,2m+1} = \cos(p\,\theta_m), \qquad \theta_m = 10000^{-2m/d}$$
#
# One position by hand, $p = 3$ with $d = 4$, so two frequencies; then all of them by a loop.

# %%
theta = [10000 ** (-2 * m / 4) for m in (0, 1)]
print("frequencies:", theta, "radians per position")
print("angles:     ", [3 * t for t in theta])
print("P[3]:       ", np.array([f(3 * t) for t in theta for f in (np.sin, np.cos)]))

table = np.zeros((n, 4))
for p in range(n):
    for m in range(2):
        table[p, 2 * m] = np.sin(p * theta[m])
        table[p, 2 * m + 1] = np.cos(p * theta[m])

channels = ["sin 0", "cos 0", "sin 1", "cos 1"]
figures.heatmap(table, [f"p = {p}" for p in range(n)], channels, alt="Sinusoids of five positions, d = 4")

# %% [markdown]
# Each pair of channels is the hand of a clock. The first turns by one radian per position, the last hardly moves. A
# larger table, made by the course's library, shows how they slow down from left to right:

# %%
import matplotlib.pyplot as plt

from course_lib.reference.absolute import frequencies, sinusoidal

assert np.allclose(sinusoidal(np.arange(n), 4), table)
big = sinusoidal(np.arange(64), 32)
fig, ax = plt.subplots(figsize=(4.6, 2.4))
image = ax.imshow(big, aspect="auto", cmap="PuOr_r", vmin=-1, vmax=1)
ax.set(xlabel="channel", ylabel="position p")
fig.colorbar(image, label="P")
for size in (32, 512):
    print(f"d = {size}: slowest clock, {2 * np.pi / frequencies(size)[-1]:,.0f} positions")
    assert round(100 - 100 / 1e4 / frequencies(size)[-1]) == {32: 44, 512: 4}[size]
print(f"10000 · 2π: {10000 * 2 * np.pi:,.0f}")
figures.show(fig, alt="Sinusoidal table: columns on the left alternate every few rows, "
             "columns on the right do not change")

# %% [markdown]
# Read down a column. On the left the colour changes every few rows: one turn of the first clock takes $2\pi$ positions.
# On the right nothing changes in 64 rows: each sine stays near 0 and each cosine near 1, which makes the upright
# stripes. The slowest clock takes less than $10000 \cdot 2\pi$, about 62,832 positions, for a turn, 44 % less with 32
# channels and 4 % less with 512, because the last exponent is $(d-2)/d$ and reaches 1 only for endless $d$.
#
# With positions added, *dog* first and *dog* last are no longer the same:

# %%
places = sinusoidal(np.arange(3), d)
first, last = layer(dog_man + places)[0], layer(man_dog + places)[2]
print("dog, as the first word:", first[:4])
print("dog, as the last word: ", last[:4])
assert not np.allclose(first, last)

# %% [markdown]
# ## Moving is turning
#
# Why sines? Move $s$ places on, and each clock turns by $s\,\theta_m$, wherever it stood. In numbers, the addition
# theorems say
#
# $$\begin{pmatrix} \sin((p+s)\theta) \\ \cos((p+s)\theta) \end{pmatrix} =
# \begin{pmatrix} \cos s\theta & \sin s\theta \\ -\sin s\theta & \cos s\theta \end{pmatrix}
# \begin{pmatrix} \sin p\theta \\ \cos p\theta \end{pmatrix}$$
#
# The matrix is a rotation, and $p$ does not occur in it. One pair first:

# %%
def turn(angle):
    """The 2×2 rotation that moves (sin, cos) on by `angle`."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


s = 2
print("P[0] and P[1], first pair:", table[0, :2], table[1, :2])
print("turned by 2 · θ₀:         ", turn(s * theta[0]) @ table[0, :2])
print("P[2], first pair:         ", table[2, :2])

# %% [markdown]
# The whole vector is a row of clocks, so its matrix $R_s$ holds one small rotation per pair along the diagonal, and
# zeros elsewhere. It is the same for every $p$:

# %%
def shift_matrix(s, d):
    """R with R @ P[p] = P[p + s] for every p."""
    R = np.zeros((d, d))
    for m, speed in enumerate(frequencies(d)):
        R[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = turn(s * speed)
    return R


p = np.arange(100)
for s in (1, 2, -7, 500):
    gap = sinusoidal(p, 32) @ shift_matrix(s, 32).T - sinusoidal(p + s, 32)
    print(f"s = {s:4}: right at all {len(p)} positions: {np.allclose(gap, 0, atol=1e-9)}")
    assert np.allclose(gap, 0, atol=1e-9)
figures.heatmap(shift_matrix(2, 4), channels, channels, alt="R for a shift of 2, d = 4")

# %% [markdown]
# "Look two places back" is thus one linear map, and a layer can learn it: its $W_q$ can hold $R_{-2}^\top$ (transposed,
# because our vectors are rows). Keep this rotation in mind. [[rope|Chapter #]] takes it out of the input and applies it
# to the queries and keys themselves: that is RoPE.

# %% [markdown]
# ## Do two sinusoids know how far apart they are?
#
# Multiply two of them. Pair by pair, $\sin a \sin b + \cos a \cos b = \cos(a - b)$, so
#
# $$P_i \cdot P_j = \sum_m \cos\big((j - i)\,\theta_m\big)$$
#
# which depends on the distance alone. It is also the same for $+3$ and $-3$: it cannot tell before from after.
#
# But a layer never multiplies $P_i$ with $P_j$. It multiplies $P_i W_q$ with $P_j W_k$. Draw both against the offset
# $j - i$, for the queries at 30 (solid), 60 (dashed) and 90 (dotted):

# %%
far = sinusoidal(np.arange(128), 64)
big_q, big_k = np.random.default_rng(3).normal(size=(2, 64, 64)) / 8
pairs = {"P Pᵀ": far @ far.T, "P W_q (P W_k)ᵀ": far @ big_q @ (far @ big_k).T}
fig, axes = plt.subplots(1, 2, figsize=(5.4, 2.4), layout="constrained")
for ax, (name, scores) in zip(axes, pairs.items(), strict=True):
    for i, style in ((30, "-"), (60, "--"), (90, ":")):
        ax.plot(np.arange(-12, 13), scores[i, i - 12 : i + 13], style, label=f"query {i}")
    spread = np.ptp(scores.diagonal(3))
    print(f"{name:13} over all pairs at offset 3: largest − smallest = {spread:.1f}")
    ax.set(title=name, xlabel="offset j − i", ylabel="product")
fig.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
assert np.allclose(pairs["P Pᵀ"].diagonal(3), np.cos(3 * frequencies(64)).sum()) and spread > 1
figures.show(fig, alt="Product against offset, three queries. Left: one curve with "
             "its top at 0. Right: three different curves")

# %% [markdown]
# Left, one curve. Right, the same distance gets a different score at every place. **"Sinusoids make attention
# relative"** is easy to believe. What is true: they *allow* it. With $W_q = R_{-3}^\top$ and $W_k$
# the identity, the *largest* score is three places back, for every query from 3 on. How sharply the head looks there
# depends on how large $W_q$ is. Nothing but training makes $W_q$ and $W_k$ like that, and the words' own vectors pass
# through the same two matrices.

# %%
looking_back = far @ shift_matrix(-3, 64).T @ far.T
assert all(looking_back[i].argmax() == i - 3 for i in range(3, 128))
for size in (1, 8):
    share = softmax(size * looking_back / np.sqrt(64))
    print(f"W_q {size} times: query 20 gives {share[20, 17]:.2f} of its weight to key 17, "
          f"and {share[20, 18]:.2f} to key 18")

# %% [markdown]
# ## Or learn the vectors
#
# The second remedy is blunter: a table with one row per position, trained like any other weight (Gehring et al. 2017;
# BERT and GPT-2 do it). A table has an end. Beyond it you get an error, which is the kind outcome. A
# quieter one: the table is long enough, but the training texts were shorter. Its later rows were never touched. Their
# gradient is exactly 0, and no text ever taught them anything (weight decay at most shrinks them).

# %%
import torch

from course_lib.nn.absolute import Learned

torch.manual_seed(0)
positions = Learned(max_length=8, d_model=4)
try:
    positions(torch.zeros(1, 9, 4))
except ValueError as error:
    print("9 tokens:", error)

x = torch.randn(1, 5, 4)  # a training text of 5 tokens, a table of 8 rows
(positions(x) ** 2).sum().backward()
touched = positions.table.grad.abs().sum(dim=1) > 0
print("rows that learn something:", touched.tolist())
assert touched.tolist() == [True] * 5 + [False] * 3

# %% [markdown]
# Quieter still: somebody "mends" the error by taking the last row for everything beyond. Then all tokens past the end
# stand in the same place, and among themselves they are a bag of words again:

# %%
learned_table = rng.normal(size=(4, d))  # four positions, and a text of seven words
text = embed("today today today today dog bites man")
mirror = embed("today today today today man bites dog")
clamped = learned_table[np.minimum(np.arange(7), 3)]
dog_bites, dog_bitten = layer(text + clamped)[4], layer(mirror + clamped)[6]
assert np.allclose(dog_bites, dog_bitten)
print("dog bites man = man bites dog, past the end:", np.allclose(dog_bites, dog_bitten))

# %% [markdown]
# ## Seen and unseen
#
# A score is about a *pair* of tokens, and with absolute positions the pair $(p_i, p_j)$ is what a model has to have
# met. Train on texts of 3, test on 6, and mark every pair of positions that never occurred together:

# %%
train, test = 3, 6
pos = np.arange(test)
pair_unseen = np.maximum.outer(pos, pos) >= train
offset_unseen = abs(pos - pos[:, None]) >= train
print("absolute pairs unseen:", pair_unseen.sum(), "of", test**2)
print("offsets unseen:       ", offset_unseen.sum(), "of", test**2)
figures.side_by_side(
    figures.heatmap(pair_unseen * 1, alt="Positions: 1 = unseen", corner="query ↓ key →"),
    figures.heatmap(offset_unseen * 1, alt="Offsets: 1 = unseen", corner="query ↓ key →"),
)

# %% [markdown]
# Left, all but the corner that training covered: $\text{test}^2 - \text{train}^2$. Right, a relative scheme has to have
# met only the *offset*, and what is new are two corner triangles: with $m = \text{test} - \text{train}$ they hold
# $2\,(1 + 2 + \dots + m) = m(m+1)$ pairs. Now at a size one meets. Below, move the two lengths, switch the scheme and
# point at a pair. What share is new at four times the training length? At which lengths are the corners of the relative
# scheme larger than a quarter?

# %%
for scheme in ("absolute", "relative"):
    unseen = figures.unseen_pairs(128, 256, scheme)
    print(f"{scheme}: {unseen:,} of {256**2:,} pairs unseen, {unseen / 256**2:.1%}")
    assert figures.unseen_pairs(3, 6, scheme) == {"absolute": 27, "relative": 12}[scheme]

m = 256 - 128
assert figures.unseen_pairs(128, 256, "absolute") == 256**2 - 128**2 == 49_152
assert figures.unseen_pairs(128, 256, "relative") == m * (m + 1) == 16_512
far_off = [figures.unseen_pairs(128, 512, s) / 512**2 for s in ("absolute", "relative")]
print(f"at four times the length: {far_off[0]:.1%} and {far_off[1]:.1%}")
figures.seen_pairs(train=128, test=256, scheme="absolute")

# %% [markdown]
# Of the absolute pairs exactly 75 % are new, because the text is twice as long: 49,152 of 65,536. At four times the
# length it is 93.8 %, and 56.4 % of the offsets; the corners pass a quarter as soon as the test is twice as long (then
# by a hair: $m(m+1)$ is a little more than $m^2$). **"Relative positions carry over to any length"**: easy to believe,
# and of plain offsets not true. 16,512 pairs, 25.2 %, stand at an offset of 128 or more, which no training text had.
#
# The cure is to give all far offsets one name. **Clip** the offset at $k$: everything beyond $\pm k$ counts as $\pm k$
# ([[vector_per_distance|chapter #]]). With $k \le 127$ every clipped offset did occur in training, and nothing is
# unseen:

# %%
pos = np.arange(256)
for k in (16, 127, 128):
    clipped = np.clip(pos - pos[:, None], -k, k)
    never = (abs(clipped) >= 128).sum()
    print(f"clip at {k:3}: {never:,} pairs unseen")
    assert never == figures.unseen_pairs(128, 256, "clipped", clip=k)

# %% [markdown]
# Seen is not the same as well trained. In a text of 128 tokens the offset $+1$ occurs 127 times and the offset $+127$
# once. And a softmax row of 256 keys is itself something new ([[longer_than_training|chapter #]] measures what becomes
# of it).

# %% [markdown]
# ## The same phrase, 500 tokens later
#
# Our five words, with random vectors of 16 numbers, begin a long text and come again at position 500. How much do their
# scores differ between the two places? That depends on how position comes in. Three ways:
#
# - *learned*: a row per position, here random, is added to $x$;
# - *sinusoidal*: the vector $P_p$ is added to $x$;
# - *relative bias*: nothing is added to $x$. Each *score* gets a number that depends on its offset alone, here
#   $-0.3\,\ln(1 + |j - i|)$, so that far keys count less. `decay_bias` of [[bias_by_hand|chapter #]] makes this table.

# %%
from course_lib.reference.bias import decay_bias

rng = np.random.default_rng(1)
length, width = 505, 16
x = rng.normal(size=(length, width))
x[500:] = x[:5]  # the phrase, twice
w_q, w_k = rng.normal(size=(2, width, width)) / np.sqrt(width)


def scores(h):
    return h @ w_q @ (h @ w_k).T / np.sqrt(width)


S = {
    "learned": scores(x + rng.normal(size=(length, width))),
    "sinusoidal": scores(x + sinusoidal(np.arange(length), width)),
}
S["relative bias"] = scores(x) + decay_bias(length)
change = {name: value[500:, 500:] - value[:5, :5] for name, value in S.items()}
print(f"spread of the 25 scores at 0 to 4: {S['relative bias'][:5, :5].std():.1f}")
for name, c in change.items():
    print(f"{name:14} {np.sum(abs(c) > 1e-9):2} of 25 changed, at most by {abs(c).max():.1f}")

assert abs(change["relative bias"]).max() < 1e-9
assert min(abs(change["learned"]).max(), abs(change["sinusoidal"]).max()) > 0.5
shown = {
    name: figures.heatmap(c.round(6), alt=f"Change, {name}", digits=1, signed=True, limit=4)
    for name, c in change.items()
}
figures.side_by_side(*shown.values())

# %% [markdown]
# The table at random stands for vectors that know nothing of each other yet: whatever the model learns about the phrase
# at 0, it must learn again at 500. Sinusoids are no exception. With the bias nothing changes at all,
# because neither the words nor the offset $j - i$ did.

# %% [markdown]
# The *rule* is the same there. The attention is not: the third word now shares its weight with 500 more keys.
# What stays is the **ratio** of any two weights, since it is $e$ to the difference of their scores.

# %%
alone = softmax(S["relative bias"][:5, :5])
within = softmax(S["relative bias"])[500:, 500:]
print(f"weight of key 0 for query 2: {alone[2, 0]:.4f}, in the long text {within[2, 0]:.4f}")
print(f"ratio of keys 0 and 1:       {alone[2, 0] / alone[2, 1]:.4f}, "
      f"in the long text {within[2, 0] / within[2, 1]:.4f}")
assert np.isclose(alone[2, 0] / alone[2, 1], within[2, 0] / within[2, 1])

# %% [markdown]
# ## Which part of the score moved?
#
# Multiply out. With $M = W_q W_k^\top / \sqrt{d}$,
#
# $$(x_i + P_i)\,M\,(x_j + P_j)^\top = \underbrace{x_i M x_j^\top}_{\text{content–content}} +
# \underbrace{x_i M P_j^\top}_{\text{content–position}} + \underbrace{P_i M x_j^\top}_{\text{position–content}} +
# \underbrace{P_i M P_j^\top}_{\text{position–position}}$$

# %%
M = w_q @ w_k.T / np.sqrt(width)


def four_terms(at):
    """The four parts of the phrase's scores when it begins at position `at`."""
    X, P = x[:5], sinusoidal(at + np.arange(5), width)
    parts = X @ M @ X.T, X @ M @ P.T, P @ M @ X.T, P @ M @ P.T
    return dict(zip(("content–content", "content–position", "position–content",
                     "position–position"), parts, strict=True))


early, late = four_terms(0), four_terms(500)
assert np.allclose(sum(early.values()), S["sinusoidal"][:5, :5])
for name in early:
    print(f"{name:18} moves by up to {abs(late[name] - early[name]).max():.1f}")
style = {"digits": 1, "limit": 3, "signed": True}
moves = [figures.heatmap((late[k] - early[k]).round(6), alt=k, **style) for k in early]
figures.side_by_side(
    figures.side_by_side(*moves[:2]),
    figures.side_by_side(*moves[2:]),
    alt="Change of each part from position 0 to 500: content–content none, the others some",
)

# %% [markdown]
# The tables show what moving the phrase from 0 to 500 adds to each part. Three of the four hold an absolute position,
# and those three move. Transformer-XL ([[transformer_xl|chapter #]]) starts from exactly this line: the key's $P_j$
# becomes a vector per offset, and the query's $P_i$ two learned vectors that are the same everywhere. Leave the two
# middle terms out and let the last be a plain number per offset, and you have the bias of [[bias_by_hand|chapter #]].

# %% [markdown]
# ## What a bias does to the proof
#
# Put a bias $B$ into the one-line proof of [[blind_to_distance|chapter #]]. The places keep their bias while the words
# move; the shuffled layer computes
#
# $$\text{softmax}(P\,QK^\top P^\top + B)\,PV = P\,\text{softmax}(QK^\top + P^\top B P)\,V$$
#
# When $P^\top B P = B$, no words can tell this shuffle from none. So we can *count* what a scheme is blind to: the
# shuffles of five places that leave its bias as it is. (The code compares $P B P^\top$, the same question about the
# shuffle back, so the count is the same.) Four biases: none; the decay of before; a decay that is half as steep
# towards the past, `forward_scale` being the scale for keys *after* the query; and places that stand in a ring.
#
# The last lines put "dog bites man" and its mirror through the layer, with a symmetric bias and with one that has a
# direction.

# %%
offset = np.subtract.outer(np.arange(5), np.arange(5))
biases = {
    "no bias": np.zeros((5, 5)),
    "log decay": decay_bias(5),
    "log decay, the past at half": decay_bias(5, scale=0.15, forward_scale=0.3),
    "any number per offset, around a ring": np.array([0, 3, 1, 4, 2])[offset % 5],
}
blind = {
    name: sum(np.allclose(B[np.ix_(order, order)], B) for order in orders)
    for name, B in biases.items()
}
for name, count in blind.items():
    print(f"{count:3} of {len(orders)} shuffles unseen  {name}")

for name, forward in (("symmetric bias", 0.3), ("a bias with a direction", 0.6)):
    B = decay_bias(3, scale=0.3, forward_scale=forward)
    biting, bitten = layer(dog_man, bias=B)[0], layer(man_dog, bias=B)[2]
    print(f"{name}: dog biting = dog bitten? {np.allclose(biting, bitten)}")

# %% [markdown]
# Without a bias, all 120. With the decay, only 2 are left: none at all, and the **mirror**, because $|j-i|$ is the same
# from both sides. That one matters: "man bites dog" *is* the mirror of "dog bites man".
#
# When past and future have scales of their own, only 1 is left, the words as they stand. If every signed offset has a
# number different from all others, it must be so: a shuffle that keeps every $j - i$ moves nothing. Except on a ring,
# where the last place is followed by the first: there 5 turns go unseen. A relative scheme is blind to **shifts**, and
# only the ends of the text keep a finite sentence from being shifted. That is its strength, and what follows is its
# price.
#
# ## What relative positions cannot tell
#
# Is this the first word? A title at position 0? The seventh item? Take the plainest text there is, one word again and
# again, and the strongest bias you like, with a mask or without.

# %%
very = embed(" ".join(["today"] * 12))
for length, mask in ((12, None), (12, causal_mask(12)), (3, None)):
    h = very[:length]
    for _ in range(3):
        h = np.tanh(layer(h, bias=decay_bias(length, scale=3.0), mask=mask))
    kind = "no mask" if mask is None else "causal mask"
    print(f"{length:2} words, {kind:11} first {h[0, :3]}  last {h[-1, :3]}")
    assert np.ptp(h, axis=0).max() < 1e-12

# %% [markdown]
# One row for all of them, and the same in a text of 3 words as in one of 12. Every key hands over the same value, and
# weights that sum to 1 make the same average of it, whatever the weights are. No bias on scores can count repeated
# words, at any depth: the first, the last and the seventh are one. ([[vector_per_distance|Chapter #]] adds position to
# the values, which this argument does not cover.)
#
# A text with a pattern is different, at its ends. "dog man dog man …", each token seeing 3 to each side, with a bias:

# %%
dogs = embed(" ".join(["dog", "man"] * 12))
near = abs(np.subtract.outer(np.arange(24), np.arange(24))) <= 3
slope = decay_bias(24, scale=0.3, forward_scale=0.6)
h, gaps = dogs, []
for depth in (1, 2, 3):
    h = layer(h, bias=slope, mask=near)
    gaps.append(abs(h[::2] - h[12]).max(axis=1))  # each dog and the one at place 12
    alike = (gaps[-1] < 1e-9).sum()
    print(f"{depth} layer(s): {alike} of the 12 dogs are exactly alike")

assert max(gaps[0][2:10]) < 1e-9 < 0.01 < gaps[0][0]
no_window = layer(dogs, bias=slope)[::2]
assert abs(np.diff(no_window, axis=0)).max(axis=1).min() > 1e-6
places, depths = [str(p) for p in range(0, 24, 2)], ["1 layer", "2 layers", "3 layers"]
title = "Largest difference between each dog's output and that of the dog at place 12"
figures.heatmap(np.round(gaps, 3), depths, places, alt=title, corner="depth ↓ place →")

# %% [markdown]
# In the middle no dog knows which one it is: each sees the same words at the same offsets. At the ends fewer keys are
# left, and the average shifts. That **edge** is absolute position, leaking in: one window further with each layer. In a
# long text most tokens are far from any edge. (Without a window, this bias lets every token see both ends, the more
# faintly the farther away they are.)

# %% [markdown]
# ## Both at once
#
# So models mix. Three ways, from the plainest on:
#
# - **A mark at the beginning.** One token that occurs nowhere else, usually called BOS (*beginning of sequence*). How
#   much weight it gets from where tells how far away it is.
# - **The edge of the causal mask**, the same without a token, and weaker: the first word sees only itself. Among equal
#   words it told us nothing.
# - **Absolute and relative together**: positions in the input *and* a relative term in the scores. Shaw et al. (2018)
#   tried both together in translation and found no further gain over relative alone. DeBERTa (He et al. 2021) works
#   with relative positions and adds absolute ones just before the last decision: in "a new **store** opened beside the
#   new **mall**" the two words have much the same neighbours, and only one is the subject.
#
# A mark with a causal mask, in numbers. Twelve equal words could not be told apart; put one other word before them. No
# bias is needed: token $i$ gives the mark $1/(i+1)$ of its weight, and the value of the mark differs from the others.

# %%
marked = np.vstack([word["bites"], very])  # "bites" plays the mark
h = layer(marked, mask=causal_mask(13))[1:]
steps = abs(np.diff(h, axis=0)).max(axis=1)
print("from each of the 12 to the next, the output changes by\n", steps)
assert steps.min() > 0.001

# %% [markdown]
# ## Remember
#
# - A sinusoid moved by $s$ is the same vector, rotated by a matrix that depends on $s$ only. Two of them multiplied
#   depend on the distance only; after $W_q$ and $W_k$ they need not.
# - A learned table ends. Past it: an error at best, untrained vectors or a crowd on the last place at worst.
# - Trained on 128, run on 256, exactly 75 % of the absolute pairs are new, 25.2 % of the plain offsets, and none once
#   offsets are clipped at $k \le 127$.
# - Of the four terms of an absolute score, three move with the phrase. Relative schemes keep what does not move, and
#   lose the absolute place: only marks and edges give it back.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Sinusoids are added to the word vectors. On what does the score of a query and a key depend?",
    options={
        "Of the positions, on their offset alone":
            "The product of two sinusoids does. After W_q and W_k, and with the words added, a score need not.",
        "On both positions":
            "Yes: three of its four parts hold an absolute position.",
        "On neither position: sines repeat":
            "The slowest sine needs tens of thousands of positions for one turn.",
    },
    answer="On both positions",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Trained on 512 tokens with learned offsets up to ±511, unclipped, a model reads 1,024. "
    "Which pairs meet an offset it never saw?",
    options={
        "None: offsets are relative":
            "The offsets 512 … 1,023 occurred in no training text, in either direction.",
        "Three quarters of them":
            "That is the share for absolute positions at twice the length.",
        "About a quarter, in two corners":
            "Yes: 512 · 513 pairs, the far ones on both sides. Clipping gives them a name that was trained.",
    },
    answer="About a quarter, in two corners",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder has one learned bias per signed offset and no other positions. "
    "What can it not do, far from both ends of a long text?",
    options={
        "Tell the word before from the word after":
            "A signed offset tells them: −1 and +1 have a bias each.",
        "Look exactly three words back":
            "A large bias at offset −3 does just that.",
        "Tell the 1,000th word from the 2,000th, if the text looks the same from both":
            "Yes: same words at the same offsets, same output.",
    },
    answer="Tell the 1,000th word from the 2,000th, if the text looks the same from both",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five: two clocks by hand, a table of sinusoids, the matrix that moves it along, a bug hunt, and
# a count of what training has never seen.
# Every answer is checked, and a wrong one is told what went wrong.
#
# **Next:** [[next]].
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.5 · J. Gehring et al., *Convolutional
# Sequence to Sequence Learning*, 2017, section 3.1 (learned positions) · P. Shaw et al., *Self-Attention with Relative
# Position Representations*, 2018 (relative alone and with absolute) · P. He et al., *DeBERTa: Decoding-enhanced BERT with
# Disentangled Attention*, 2021, section 3.2.
