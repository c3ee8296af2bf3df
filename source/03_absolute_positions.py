# %% [markdown]
# # [[title]]
#
# Attention alone does not know the position of a word. In this chapter you give each position a vector, either a fixed
# one or a learned one, and see where each fails. Then you ask what *relative* positions lose.
#
# **You will be able to**
# - build sinusoidal positions, and show that a step along the text rotates them;
# - count what is new to a model in a text longer than its training texts;
# - say what absolute positions tell a model that relative ones do not, and how models combine both.
#
# **You need** [[blind_to_distance|chapter #]] (attention, the one-line proof) and [[bias_by_hand|chapter #]] (a bias
# per offset). **Time** [[time]].

# %%
from itertools import permutations

import numpy as np

from course_kit import figures
from course_lib.reference.attention import attention, causal_mask, softmax
from course_lib.reference.grid import offsets

np.set_printoptions(precision=4, suppress=True)
n = 5
figures.attention_block("learned")

# %% [markdown]
# Absolute positions enter before the first layer, as a vector that is added to the input.
#
# We use the words and the layer of [[blind_to_distance|chapter #]], with $d = 8$ channels for each word.

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
# We add to each word's vector $x_p$ a vector $P_p$ that depends only on the position $p$. Vaswani et al. (2017) chose
# sines and cosines. The $d$ channels form $d/2$ pairs, and pair $m$ has the frequency $\theta_m$:
#
# $$P_{p,\,2m} = \sin(p\,\theta_m), \; P_{p,\,2m+1} = \cos(p\,\theta_m), \; \theta_m = 10000^{-2m/d}$$
#
# With $d = 4$ there are two frequencies. We compute position 3 by hand, then positions 0 to 4 with a loop.

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
# Each pair of channels is like the hand of a clock. The first hand turns by one radian per position, and the last
# hardly moves. In a larger table, the clocks slow down from left to right:

# %%
import matplotlib.pyplot as plt

from course_lib.reference.absolute import frequencies, sinusoidal

assert np.allclose(sinusoidal(np.arange(n), 4), table)
big = sinusoidal(np.arange(64), 32)
fig, ax = plt.subplots(figsize=(4.6, 2.4))
image = ax.imshow(big, aspect="auto", cmap="PuOr_r", vmin=-1, vmax=1)
ax.set(xlabel="channel", ylabel="position p")
fig.colorbar(image, label="P")
slowest = 2 * np.pi / frequencies(32)[-1]
print(f"the first clock turns once in {2 * np.pi:.2f} positions, the last in {slowest:,.0f}")
figures.show(fig, alt="Sinusoidal table: columns on the left alternate every few rows, "
             "columns on the right do not change")

# %% [markdown]
# Read down a column. On the left the colour changes every few rows, because the first clock turns once in $2\pi$
# positions. On the right each column keeps its colour, because sines stay near 0 there, and cosines near 1.
#
# The paper gives no reason for the base 10000, nor for adding the vectors instead of concatenating them. Before adding,
# it multiplies the words by $\sqrt d$, and the task `clocks_by_hand` shows why.
#
# With positions added, *dog* gets different outputs as the first word and as the last:

# %%
at_each = sinusoidal(np.arange(3), d)
first, last = layer(dog_man + at_each)[0], layer(man_dog + at_each)[2]
print("dog, as the first word:", first[:4])
print("dog, as the last word: ", last[:4])
assert not np.allclose(first, last)

# %% [markdown]
# ## Moving is turning
#
# Why sines? The authors hoped that they make it easy to attend by *relative* position. If you move on by $s$ positions,
# each clock turns by $s\,\theta_m$, wherever it was before. The angle-addition formulas say the same in numbers:
#
# $$\begin{pmatrix} \sin((p+s)\theta) \\ \cos((p+s)\theta) \end{pmatrix} =
# \begin{pmatrix} \cos s\theta & \sin s\theta \\ -\sin s\theta & \cos s\theta \end{pmatrix}
# \begin{pmatrix} \sin p\theta \\ \cos p\theta \end{pmatrix}$$
#
# The matrix is a rotation that does not contain $p$. We check it on one pair of channels:

# %%
def turn(angle):
    """The 2×2 rotation that moves (sin, cos) on by `angle`."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


s = 2
print("P[0] and P[1], first pair:", table[0, :2], table[1, :2])
print("P[0], turned by 2 · θ₀:   ", turn(s * theta[0]) @ table[0, :2])
print("P[2], first pair:         ", table[2, :2])

# %% [markdown]
# For the whole vector, the matrix $R_s$ has one such rotation per pair along its diagonal:

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
# ## Do two sinusoids know how far apart they are?
#
# Multiply the vectors of two positions. For each pair of channels, $\sin a \sin b + \cos a \cos b = \cos(a - b)$, so
#
# $$P_i \cdot P_j = \sum_m \cos\big((j - i)\,\theta_m\big)$$
#
# The product depends only on the distance $|j - i|$, and it is largest at $j = i$. So a query that is turned back by two
# positions has its largest product with the key two positions back. This is one linear map, and a layer can learn it:
# its $W_q$ can hold $R_{-2}^\top$ (transposed, because $x$ is a row in $x W_q$). [[rope|Chapter #]] takes this rotation
# out of the input and applies it to the queries and keys (RoPE).
#
# But a layer multiplies $P_i W_q$ with $P_j W_k$, and these matrices are learned. For three queries, the next cell
# draws both products against the offset $j - i$, with random $W_q$ and $W_k$:

# %%
far = sinusoidal(np.arange(128), 64)
big_q, big_k = np.random.default_rng(3).normal(size=(2, 64, 64)) / 8
pairs = {"P Pᵀ": far @ far.T, "P W_q (P W_k)ᵀ": far @ big_q @ (far @ big_k).T}
fig, axes = plt.subplots(1, 2, figsize=(5.4, 2.4), layout="constrained")
for ax, (name, products) in zip(axes, pairs.items(), strict=True):
    for i, style in ((30, "-"), (60, "--"), (90, ":")):
        ax.plot(np.arange(-12, 13), products[i, i - 12 : i + 13], style, label=f"query {i}")
    difference = np.ptp(products.diagonal(3))
    print(f"{name:13} over all pairs at offset 3: largest − smallest = {difference:.1f}")
    ax.set(title=name, xlabel="offset j − i", ylabel="product")
fig.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
assert np.allclose(pairs["P Pᵀ"].diagonal(3), np.cos(3 * frequencies(64)).sum())
figures.show(fig, alt="Product against offset, three queries. Left: one curve with "
             "its top at 0. Right: three different curves")

# %% [markdown]
# On the left the three curves coincide. On the right, pairs at the same offset have different products.
#
# **"Sinusoids make attention relative"** is easy to believe. What is true is that they *allow* it. With
# $W_q = R_{-3}^\top$ and the identity as $W_k$, every query from 3 on has its *largest* score three positions back. But
# a model must first learn such matrices, and the words' own vectors pass through them too. The larger $W_q$, the more
# weight goes to that position:

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
# The second way is simpler: a table with one row per position, trained like any other weight (Gehring et al. 2017).
# Vaswani et al. found nearly the same quality with both, and preferred sines because these might work on longer texts.
#
# A table has an end. Past the end you get an error, and that is the good case. The failure is silent if the table is
# long enough but the training texts were shorter. The later rows then always had a gradient of exactly 0, so they
# learned nothing.

# %%
import torch

from course_lib.nn.absolute import Learned, Sinusoidal

torch.set_num_threads(1)  # quicker for small matrices
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
# ## What a table solves, and where it ends
#
# We train one small layer on a task that needs absolute positions. A text has random letters, each one of eight, in
# lines of four. At each position the model must name the first letter of the line. Training texts have 16 letters. A
# second test asks only at positions 16 to 31 of texts of 32 letters, where the table has untrained rows.

# %%
def draw(generator, lines=4):
    """32 texts of random letters, and the first letter of its line for each position."""
    letters = torch.randint(8, (32, 4 * lines), generator=generator)
    return letters, letters[:, ::4].repeat_interleave(4, dim=1)


def draw_longer(generator):
    """The same with twice as many lines. −100 means that a position is not asked: here the first 16."""
    letters, first_letter = draw(generator, lines=8)
    first_letter[:, :16] = -100
    return letters, first_letter


# %% [markdown]
# Our claim before the run: with three seeds, the table's share of right answers is at least 0.5 above the share without
# positions, and it drops by at least 0.5 at positions 16 to 31. A *relative* scheme should not solve the task: we
# expect less than 0.7.

# %% tags=["nbval-ignore-output"]
from torch import nn

import course_study as study
from course_lib.nn.shaw import ShawVectors
from course_study.one_layer import accuracy, train
from course_study.run import reproducible

kinds = {
    "learned": lambda: Learned(32, 32), "sinusoidal": lambda: Sinusoidal(32),
    "no position": nn.Identity, "relative": nn.Identity,
}
trained, beyond = {name: [] for name in kinds}, {name: [] for name in kinds}
for name, make in kinds.items():
    for seed in range(3):
        with reproducible(seed):
            relative = ShawVectors(1, 32, clip=16) if name == "relative" else None  # a learned vector per offset
            model = study.OneLayer(relative, vocabulary=8)
            model.embedding = nn.Sequential(model.embedding, make())  # letter vector + position vector
            train(model, draw, 150, 0.01, seed, lambda: None)  # 150 steps, learning rate 0.01, no progress bar
        trained[name].append(accuracy(model, draw))
        beyond[name].append(accuracy(model, draw_longer))
    print(f"{name:12} 16 letters {np.array(trained[name])}   positions 16 to 31 {np.array(beyond[name])}")
assert min(trained["learned"]) > max(trained["no position"]) + 0.5 and max(trained["relative"]) < 0.7
assert max(beyond["learned"]) < min(trained["learned"]) - 0.5

# %% [markdown]
# The learned table solves it. Past position 15 the layer gets about 1 in 8 right, as guessing would. Without positions,
# it gets a third right. Repeating each letter does as well: a quarter of the letters are the first of their line, and
# an eighth of the others match by chance. Sinusoids have no end, but here their results scatter around those without
# positions. A learned vector per offset ([[vector_per_distance|chapter #]]) gets half right, because no offset says
# where a line begins. (In longer texts it meets untrained offsets, too.)

# %% [markdown]
# ## Seen and unseen
#
# How much of a longer text is new to a model? A score is about a *pair* of tokens. With absolute positions, a pair is
# new if position $i$ or $j$ never occurred in training. With relative positions, it is new only if the offset $j - i$
# never occurred. We train on texts of 3 tokens, test on 6, and mark every pair that is new:

# %%
train_n, test_n = 3, 6
pos = np.arange(test_n)
pair_unseen = np.maximum.outer(pos, pos) >= train_n
offset_unseen = abs(offsets(test_n)) >= train_n
print("absolute pairs unseen:", pair_unseen.sum(), "of", test_n**2)
print("offsets unseen:       ", offset_unseen.sum(), "of", test_n**2)
figures.side_by_side(
    figures.heatmap(pair_unseen * 1, alt="Positions: 1 = unseen", corner="query ↓ key →"),
    figures.heatmap(offset_unseen * 1, alt="Offsets: 1 = unseen", corner="query ↓ key →"),
)

# %% [markdown]
# On the left, every pair is new except in the corner that training covered: `test² − train²` pairs. On the right, only
# two corner triangles are new, with `(test − train)(test − train + 1)` pairs. In the next picture, move the lengths
# and switch the scheme.

# %%
for scheme in ("absolute", "relative"):
    unseen = figures.unseen_pairs(128, 256, scheme)
    print(f"{scheme}: {unseen:,} of {256**2:,} pairs unseen, {unseen / 256**2:.1%}")
    assert figures.unseen_pairs(3, 6, scheme) == {"absolute": 27, "relative": 12}[scheme]
figures.seen_pairs(train=128, test=256)

# %% [markdown]
# 75 % of the absolute pairs are new. **"Relative positions carry over to any length"** is easy to believe, but false if
# each offset has a learned number: 25.2 % of the pairs have an offset that no training text had.
#
# One remedy is to **clip** the offset at $k$, so that everything beyond $\pm k$ counts as $\pm k$
# ([[vector_per_distance|chapter #]]). For which $k$ was every offset seen?

# %%
for k in (16, 127, 128):
    clipped = np.clip(offsets(256), -k, k)
    never = (abs(clipped) >= 128).sum()
    print(f"clip at {k:3}: {never:,} pairs unseen")
    assert never == figures.unseen_pairs(128, 256, "clipped", clip=k)

# %% [markdown]
# With $k \le 127$ every clipped offset occurred in training, but not equally often: in a text of 128 tokens the offset
# $+1$ occurs 127 times, and the offset $+127$ once.

# %% [markdown]
# ## The same phrase, 500 tokens later
#
# Can a model use at one position what it learned at another? "The cat sat on mat", with random vectors, begins a long
# text and occurs again at position 500. How much do its 25 scores change, under three schemes?
#
# - *learned*: a row per position, here random, is added to $x$;
# - *sinusoidal*: $P_p$ is added to $x$;
# - *relative bias*: $-0.3\,\log(1 + |j - i|)$, the log decay, is added to each *score*.

# %%
from course_lib.reference.bias import decay_bias

rng = np.random.default_rng(1)
length, wide = 505, 16
x = rng.normal(size=(length, wide))
x[500:] = x[:5]  # the phrase, twice
w_q, w_k = rng.normal(size=(2, wide, wide)) / np.sqrt(wide)


def scores(h):
    return h @ w_q @ (h @ w_k).T / np.sqrt(wide)


S = {
    "learned": scores(x + rng.normal(size=(length, wide))),
    "sinusoidal": scores(x + sinusoidal(np.arange(length), wide)),
    "relative bias": scores(x) + decay_bias(length),
}

# %%
change = {name: value[500:, 500:] - value[:5, :5] for name, value in S.items()}
for name, moved in change.items():
    print(f"{name:14} {np.sum(abs(moved) > 1e-9):2} of 25 changed, at most by {abs(moved).max():.1f}")
print(f"for comparison, the standard deviation of the 25 scores is {S['relative bias'][:5, :5].std():.1f}")
assert np.allclose(change["relative bias"], 0) and abs(change["sinusoidal"]).max() > 0.5
shown = {
    name: figures.heatmap(moved.round(6), alt=f"Change, {name}", digits=1, signed=True, limit=4)
    for name, moved in change.items()
}
figures.side_by_side(*shown.values())

# %% [markdown]
# The random rows are as large as the word vectors, as trained rows may be. They are unrelated, so the part of a score
# that comes from positions must be learned at 500 separately. Sinusoids change the scores too. With the bias nothing
# changes, because the words and their offsets are the same. [[transformer_xl|Chapter #]] shows which parts of an
# absolute score change.
#
# ## What a bias does to the proof
#
# What do relative positions lose? We add a bias $B$ to the one-line proof. The permutation is called $\Pi$ here,
# because $P$ is our table. The words are permuted, but $B$ is not, because it depends on the positions only:
#
# $$\text{softmax}(\Pi\,QK^\top \Pi^\top + B)\,\Pi V = \Pi\,\text{softmax}(QK^\top + \Pi^\top B\, \Pi)\,V$$
#
# If $\Pi^\top B\,\Pi = B$, then the output is only permuted, whatever the words are, and we call the bias *blind* to
# this permutation. For a bias per offset the converse holds: the softmax ignores only a constant per row, and here it
# is 0, because both diagonals hold $b_0$. So we can *count*: of the 120 permutations of five positions, how many is a
# bias blind to? The last of our four biases is on a ring, where position 0 follows position 4.

# %%
biases = {
    "no bias": np.zeros((n, n)),
    "log decay": decay_bias(n),
    "log decay, a third as steep to the past": decay_bias(n, strength=0.1, forward_strength=0.3),
    "five different numbers, on a ring": np.array([0, 3, 1, 4, 2])[offsets(n) % n],
}
every = [np.eye(n)[list(order)] for order in permutations(range(n))]
blind = {name: sum(np.allclose(Pi.T @ B @ Pi, B) for Pi in every) for name, B in biases.items()}
for name, count in blind.items():
    print(f"blind to {count:3} of {len(every)} permutations: {name}")
assert list(blind.values()) == [120, 2, 1, 5]

# %% [markdown]
# The log decay is blind to two: the identity, which moves nothing, and the **mirror**, because $|j-i|$ is the same from
# both sides. "Man bites dog" *is* the mirror of "dog bites man". Can a bias tell these two sentences apart?

# %%
for name, forward in (("symmetric bias", 0.3), ("bias with a direction", 0.6)):
    B = decay_bias(3, strength=0.3, forward_strength=forward)  # strength: to the past, forward_strength: to the future
    biting, bitten = layer(dog_man, bias=B)[0], layer(man_dog, bias=B)[2]
    print(f"{name}: dog biting = dog bitten? {np.allclose(biting, bitten)}")
    assert np.allclose(biting, bitten) == (forward == 0.3)

# %% [markdown]
# A symmetric bias cannot. Our third bias is blind to the identity alone. So is any bias in which no two signed offsets
# share a number, because a permutation that keeps every $j - i$ moves nothing. On the ring, $-1$ and $+4$ are the same
# step and share a number. So this bias is blind to the five cyclic shifts, which keep all offsets on the ring.
#
# If a phrase moves within a text (a **shift**), only the text's ends can reveal it.
#
# ## What relative positions cannot tell
#
# Is this the first word, or the seventh? We try the plainest text, one word repeated, with a strong bias and three
# layers.

# %%
same_word, outputs = embed(" ".join(["today"] * 12)), []
for length, mask in ((12, None), (12, causal_mask(12)), (3, None)):
    h = same_word[:length]
    for _ in range(3):  # tanh plays the part of everything that treats each token by itself
        h = np.tanh(layer(h, bias=decay_bias(length, strength=3.0), mask=mask))
    kind = "no mask" if mask is None else "causal mask"
    print(f"{length:2} words, {kind:11} first {h[0, :3]}  last {h[-1, :3]}")
    outputs += [h[0], h[-1]]
assert np.allclose(outputs, outputs[0])

# %% [markdown]
# Three words or twelve, all outputs are equal, because an average of equal values does not depend on the weights. So no
# bias on scores can count repeated words, at any depth. Vectors added to the values could
# ([[vector_per_distance|chapter #]]).
#
# A text with a pattern is different at its ends. In "dog man dog man …", let each token see a window of 3 tokens to
# each side:

# %%
dogs = embed(" ".join(["dog", "man"] * 12))
near = abs(offsets(24)) <= 3
slope = decay_bias(24, strength=0.3, forward_strength=0.6)
h, gaps = dogs, []
for depth in (1, 2, 3):
    h = layer(h, bias=slope, mask=near)
    gaps.append(abs(h[::2] - h[12]).max(axis=1))  # each dog and the one at position 12
    alike = (gaps[-1] < 1e-9).sum()
    print(f"{depth} layer(s): {alike} of the 12 dogs are exactly alike")

no_window = layer(dogs, bias=slope)[::2]
apart = [abs(no_window[k] - no_window[6]).max() for k in range(12) if k != 6]
print(f"without the window, 1 layer: the 11 others differ from the dog at 12 by {min(apart):.3f} to {max(apart):.3f}")
assert gaps[0][0] > 0.01 and min(apart) > 0.001  # after one layer the first dog differs
assert np.allclose(gaps[0][2:10], 0)  # the dogs in the middle do not
at, depths = [str(p) for p in range(0, 24, 2)], ["1 layer", "2 layers", "3 layers"]
title = "Largest difference between each dog's output and that of the dog at position 12"
figures.heatmap(np.round(gaps, 3), depths, at, alt=title, corner="depth ↓ position →")

# %% [markdown]
# In the middle no dog can know which one it is, because each sees the same words at the same offsets. Near the ends
# fewer keys are left, so the average changes. This **edge** effect reveals absolute position, and it reaches one window
# further with each layer. In a long text most tokens are far from any edge. Without the window every dog sees both
# ends, so all differ, but only a little.

# %% [markdown]
# ## Where absolute position comes back
#
# A model with a relative scheme can get absolute position from three sources:
#
# - **A mark at the beginning.** This token occurs nowhere else and is usually called BOS (*beginning of sequence*). The
#   weight a token gives to the mark can reveal how far away the mark is.
# - **The edge of a causal mask.** The first word sees only itself. If all words are equal, this does not help.
# - **Absolute positions as well.** Shaw et al. (2018) added them for translation and found no further gain. DeBERTa (He
#   et al. 2021) adds them just before it predicts masked words: in "a new **store** opened beside the new **mall**",
#   both words have similar neighbours, but only one is the subject.
#
# Can a mark separate our twelve equal words, under a causal mask and without a bias? The more words a token sees, the
# less weight remains for the mark.

# %%
marked = np.vstack([word["bites"], same_word])  # "bites" plays the part of the mark
h = layer(marked, mask=causal_mask(13))[1:]
steps = abs(np.diff(h, axis=0)).max(axis=1)
print("from each of the 12 to the next, the output changes by\n", steps)
assert steps.min() > 0.001
apart = abs(h[:, None] - h[None]).max(axis=2)[~np.eye(12, dtype=bool)]  # every output with every other
assert apart.min() > 0.001

# %% [markdown]
# All twelve outputs differ now, but neighbours differ less with each word.
#
# ## The released code (optional)
#
# Hugging Face's `transformers` has several forms of sinusoids. XLM interleaves sines and cosines as we do. Marian puts
# all sines first. Whisper does so too, but its exponent is $-m/(d/2 - 1)$, so its last frequency is exactly $1/10000$.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers.models.marian.modeling_marian import (
        MarianSinusoidalPositionalEmbedding,
    )
    from transformers.models.whisper.modeling_whisper import sinusoids
    from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

    ours = sinusoidal(np.arange(n), 8)
    xlm = create_sinusoidal_embeddings(n, 8, torch.empty(n, 8))
    assert np.allclose(xlm, ours, atol=1e-6)
    sines_first = np.hstack([ours[:, 0::2], ours[:, 1::2]])
    marian = MarianSinusoidalPositionalEmbedding(n, 8).create_weight()
    assert np.allclose(marian, sines_first, atol=1e-6)
    angle = np.arange(n)[:, None] * 10000 ** (-np.arange(4) / 3)
    assert np.allclose(sinusoids(n, 8), np.hstack([np.sin(angle), np.cos(angle)]), atol=1e-6)
    print("XLM: our table. Marian: all sines first. Whisper: other frequencies, too.")

# %% [markdown]
# **Who uses absolute positions today?** Whisper (speech) adds sinusoids in its encoder and a learned table in its
# decoder (`modeling_whisper.py`). SigLIP 2 (images and text) learns its tables (`modeling_siglip2.py`), as BERT and
# GPT-2 do.

# %% [markdown]
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("absolute_positions")

# %% [markdown]
# ## Remember
#
# - A step of $s$ positions rotates a sinusoid by a matrix that depends only on $s$. The product of two sinusoids
#   depends only on their distance, but after $W_q$ and $W_k$ this need not be so.
# - Past the training length, the rows of a learned table are untrained.
# - At twice the training length, 75 % of the pairs have a new position. From 128 to 256 tokens, 25.2 % have a new
#   offset, and none if offsets are clipped below the training length.
# - A relative bias gives a phrase the same first-layer scores everywhere, and loses the absolute position. Marks and
#   edges give some of it back.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Sinusoids are added to the word vectors. On what does the score of a query and a key depend?",
    options={
        "On the two words and the offset":
            "The product of two sinusoids depends only on the offset. After W_q and W_k, a score need not.",
        "On the two words and both positions":
            "Yes. The same phrase had other scores 500 tokens later.",
        "On the two words only, because sines repeat":
            "With 32 channels, the slowest sine needs 35,333 positions for one turn.",
    },
    answer="On the two words and the offset" if np.allclose(change["sinusoidal"], 0) else "On the two words and both",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
new = (abs(offsets(1024)) >= 512).mean()  # the share of the pairs
figures.question(
    "A model has a learned number per offset, without clipping. It was trained on texts of 512 tokens and now reads "
    "1,024. Which pairs have an offset that never occurred in training?",
    options={
        "None: offsets are relative":
            "The offsets ±512 … ±1,023 occurred in no training text.",
        "Three quarters of them":
            "That is the share for absolute positions at twice the length.",
        "About a quarter, in two corners":
            "Yes: 512 · 513 pairs, half of them in each corner. Clipping would give them an offset that was trained.",
    },
    answer={0: "None", 1: "About a quarter", 3: "Three quarters"}[round(4 * new)],
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder (no causal mask) has one learned bias per signed offset and no other positions. Each word sees a "
    "window of 5 words to each side. What can the encoder not do, far from both ends of a long text?",
    options={
        "Tell the word before from the word after":
            "The offsets −1 and +1 have different biases, so it can tell them apart.",
        "Look exactly three words back":
            "A large bias at offset −3 does just that.",
        "Tell the 1,000th word from the 2,000th, if their surroundings are the same":
            "Yes: the same words at the same offsets give the same output.",
    },
    answer="Tell the 1,000th word from the 2,000th, if their surroundings are the same",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, two clocks by hand and three short programs. Every answer is checked, and the check tells you
# what went wrong.
#
# **Next:** [[next]].
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.4, section 3.5, table 3 · J. Gehring et al.,
# *Convolutional Sequence to Sequence Learning*, 2017, section 3.1 · P. Shaw et al., *Self-Attention with Relative
# Position Representations*, 2018 · P. He et al., *DeBERTa: Decoding-enhanced BERT with Disentangled Attention*, 2021,
# section 3.2.
