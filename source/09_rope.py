# %% [markdown]
# # [[title]]
#
# RoPE adds nothing to the scores and has nothing to learn. It rotates queries and keys before they are compared, and
# this alone lets the scores depend on the offset.
#
# **You will be able to**
# - rotate a query and a key by hand, and prove that of their two positions only $j - i$ reaches the score;
# - say what fast and slow pairs of channels are for, and test two claims: "decays with distance" and "extrapolates";
# - convert weights between the two ways to pair channels, and recognise what happens when they are mixed.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask), [[absolute_positions|#]] (sinusoids), [[t5_buckets|#]]
# (`past`) and [[alibi|#]] (for comparison), and a little torch. **Time** [[time]].

# %%
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import torch

import course_study as study
from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import attention, causal_mask, scores
from course_lib.reference.grid import row_offsets, to_grid
from course_lib.reference.rope import rotate

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
n = len(TOKENS)
cat, sat, mat = (TOKENS.index(word) for word in ("cat", "sat", "mat"))

# %% [markdown]
# The drawing shows where RoPE enters. $R_i$ rotates the query at position $i$, $R_j$ the key at $j$. Values are not
# rotated.

# %%
assert np.allclose(rotate(Q)[0], Q[0])  # at position 0 the angle is 0
figures.attention_block("RoPE")

# %% [markdown]
# ## RoPE: one pair, turned
#
# RoPE (rotary position embedding, Su et al. 2021) takes the channels of a query two by two. Each pair of numbers
# is an arrow in the plane. Rotating the arrow to the left by the angle $\alpha$ gives
#
# $$(a, b) \;\to\; (a \cos\alpha - b \sin\alpha,\;\; a \sin\alpha + b \cos\alpha)$$
#
# The rule: **a query or key at position $p$ is rotated by the angle $p\,\theta$.** We try it on the query of *sat*,
# at position 2, and the key of *mat*, at position 4, with $\theta = 1$ radian per position. The first pair of their
# four channels is 0 and 2; a later section explains why not 0 and 1.


# %%
def turn(arrow, angle):
    """An arrow (a, b), rotated to the left by `angle`."""
    a, b = arrow
    return np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


q, k = Q[sat][[0, 2]], K[mat][[0, 2]]
print("query of sat:", q, "rotated by 2:", turn(q, 2))
print("key of mat:  ", k, "rotated by 4:", turn(k, 4))
print(f"product: before {q @ k:.4f}, rotated {turn(q, 2) @ turn(k, 4):.4f}")

# %% [markdown]
# Does the dot product depend on both positions, or only on their difference? We move both tokens by the same number
# of places.

# %%
for by in (0, 1, 10, 1000):
    product = turn(q, 2 + by) @ turn(k, 4 + by)
    print(f"positions {2 + by:4} and {4 + by:4}: {product:.4f}")
    assert np.isclose(product, q @ turn(k, 2))
print(f"only the key rotated, by 2: {q @ turn(k, 2):.4f}")

# %% [markdown]
# The product is the same every time, because rotating both arrows by the same angle changes neither their lengths nor
# the angle between them. Only the *difference* of the two rotations is left, $4\theta - 2\theta$.
#
# ## The algebra
#
# Write the rotation by $\alpha$ as a matrix $R(\alpha)$. Its transpose rotates back, and rotations add up:
#
# $$R(\alpha)^\top = R(-\alpha), \quad R(\alpha)\,R(\beta) = R(\alpha + \beta)$$
#
# So for a query at $i$ and a key at $j$
#
# $$(R(i\theta)\,q) \cdot (R(j\theta)\,k) = q^\top R(i\theta)^\top R(j\theta)\, k
# = q^\top R((j - i)\,\theta)\, k$$
#
# Each is rotated by its own position, but the product contains only the offset $j - i$. If
# $\varphi_q$ and $\varphi_k$ are the directions of the two arrows, the same product is
#
# $$|q|\,|k| \cos(\varphi_k - \varphi_q + (j - i)\,\theta)$$


# %%
def R(angle):
    """The matrix that rotates an arrow: its columns are the rotated unit arrows."""
    return np.array([turn([1, 0], angle), turn([0, 1], angle)]).T


assert np.allclose(R(0.7).T, R(-0.7)) and np.allclose(R(0.7) @ R(0.4), R(1.1))

phi_q, phi_k = np.arctan2(q[1], q[0]), np.arctan2(k[1], k[0])
by_angles = np.linalg.norm(q) * np.linalg.norm(k) * np.cos(phi_k - phi_q + (4 - 2) * 1)
print(f"with the matrix: {q @ R(4 - 2) @ k:.4f}, with the angles: {by_angles:.4f}")
assert np.isclose(by_angles, turn(q, 2) @ turn(k, 4))

# %% [markdown]
# ## All pairs, each at its own speed
#
# One pair is not enough, because it is a clock with one hand: it shows the time only up to whole turns. So pair $m$
# of a head with $d$ channels gets its own speed, in radians per position. The speeds are the frequencies of
# [[absolute_positions|chapter #]]'s sinusoids:
#
# $$\theta_m = \text{base}^{-2m/d}, \quad m = 0 \dots d/2 - 1, \quad \text{base} = 10000$$
#
# Here are the four pairs of a head with $d = 8$ as clocks, with hands for four positions. Which clocks can tell
# position 44 from position 0?

# %%
assert abs(44 - 7 * 2 * np.pi) < 0.02  # seven whole turns of pair 0
figures.rope_clocks((0, 1, 4, 44), d=8)

# %% [markdown]
# Pair 0 cannot, because 44 radians are almost exactly seven turns. Pairs 1 and 2 can; pair 3 hardly can. Fast pairs
# tell neighbours apart but soon repeat. Slow pairs tell distant positions apart. The slowest rotate so little that they
# compare contents almost as if there were no positions.
#
# Our tokens have $d = 4$ and so two pairs, with the speeds 1 and 0.01. The next cell rotates all five queries; pair
# $m$ is channels $m$ and $m + d/2$.

# %%
d = 4
theta = frequencies(d)
print("speeds:", theta)
turned = np.zeros((n, d))
for p in range(n):
    for m in range(d // 2):
        channels = [m, m + d // 2]
        turned[p, channels] = turn(Q[p, channels], p * theta[m])

assert np.allclose(rotate(Q), turned)
four = ["0", "1", "2", "3"]
figures.heatmap(turned, columns=four, alt="The queries, rotated")

# %% [markdown]
# For *sat* and *mat*, pair 0 gave −0.1696. What does pair 1 add?

# %%
products = [turn(Q[sat][[m, m + 2]], 2 * theta[m]) @ turn(K[mat][[m, m + 2]], 4 * theta[m]) for m in (0, 1)]
print("pair 0: {:.4f}, pair 1: {:.4f}".format(*products))
print(f"together {sum(products):.4f}, divided by √4: {sum(products) / 2:.4f}")
assert np.isclose(sum(products), rotate(Q)[sat] @ rotate(K)[mat])
figures.rope_rotation(Q[sat], K[mat], query=sat, key=mat)

# %% [markdown]
# Pair 1 adds −0.0100, so the product is −0.1796. In the picture, move the query or the key: the angle between the
# arrows changes. Then move both: the angle stays.
#
# One matrix $R_p$ rotates all pairs of a vector at position $p$: it holds one small rotation for each pair. Since
# $R_i^\top R_j = R_{j-i}$, the proof above holds for whole vectors.


# %%
def rotation_matrix(p, d):
    """The matrix that rotates a vector as at position p; pair m is channels m and m + d/2."""
    matrix, half = np.zeros((d, d)), d // 2
    for m, angle in enumerate(p * frequencies(d)):
        matrix[m, m] = matrix[m + half, m + half] = np.cos(angle)
        matrix[m + half, m], matrix[m, m + half] = np.sin(angle), -np.sin(angle)
    return matrix


assert np.allclose(turned, [rotation_matrix(p, d) @ Q[p] for p in range(n)])
assert np.allclose(rotation_matrix(3, d).T @ rotation_matrix(5, d), rotation_matrix(2, d))
figures.heatmap(rotation_matrix(2, d), rows=four, columns=four, alt="R for position 2, d = 4")

# %% [markdown]
# In practice four multiplications per pair replace the matrix. Attention then begins with rotated vectors, so every
# fast kernel works with RoPE ([[fast_attention|chapter #]]). Which scores of the five tokens does RoPE leave as they
# are?

# %%
with_rope = scores(rotate(Q), rotate(K))
for i in range(n):
    for j in range(n):
        assert np.isclose(with_rope[i, j], Q[i] @ rotation_matrix(j - i, d) @ K[j] / 2)

figures.side_by_side(
    figures.heatmap(scores(Q, K), digits=4, alt="Scores without position"),
    figures.heatmap(with_rope, digits=4, alt="Scores with RoPE"),
)

# %% [markdown]
# Only the diagonal stays, because at offset 0 query and key are rotated alike. The change is not constant along the
# other diagonals, so **RoPE is not a bias**: the offset decides *how* query and key are compared, not what is added.
#
# ## Left and right
#
# A cosine is the same for $+x$ and $-x$. So is it true that RoPE cannot tell *before* from *after*?

# %% tags=["hide-input"]
# @title Question
both = [[Q[sat] @ rotation_matrix(r, d) @ key for r in (-2, 2)] for key in (Q[sat], K[mat])]
same = [np.isclose(before, after) for before, after in both]
figures.question(
    "A key is two places before its query, or two places after it. Are the scores the same?",
    options={
        "Yes: cos(2θ) = cos(−2θ)":
            "The angle in the cosine is not (j − i)θ alone: the directions of q and k count too.",
        "No, never": "For a key that points exactly as its query does, they are.",
        "In general not; yes if q and k point the same way in every pair":
            "Yes: then φ_k − φ_q is 0, and only a cosine of ±2θ is left.",
    },
    answer="In general not" if same == [True, False] else "No, never",
)

# %%
for name, key in (("key = query", Q[sat]), ("key of mat", K[mat])):
    before, after = (Q[sat] @ rotation_matrix(r, d) @ key / 2 for r in (-2, 2))
    print(f"{name:11}: two before {before:7.4f}, two after {after:7.4f}")
assert not np.isclose(before, after)

# %% [markdown]
# So a head can prefer "the word before" if its keys point in other directions than its queries. Suppose that all
# queries are the same vector, and that all keys are this vector with pair $m$ already rotated by $t\,\theta_m$. RoPE
# rotates the query by $t\,\theta_m$ more than a key $t$ places back. So this key ends up pointing exactly as the query
# does, and gets the highest score. We call such a head *tuned to* $t$.
#
# With ones as the query, each pair is the arrow (1, 1) of length $\sqrt2$, so $|q|\,|k| = 2$ in each pair. Write $r$
# for the offset $j - i$. The angle from query to key is $(r + t)\,\theta_m$, and the score sums over pairs:
#
# $$s_r = \frac{1}{\sqrt d} \sum_m 2 \cos((r + t)\,\theta_m)$$
#
# **Your turn.** `figures.play` makes sliders for a function of yours and places its numbers on the diagonals. Move
# $t$. Then choose $d = 4$: why are there more strong diagonals?


# %%
def tuned_head(t=1, d=16, base=10_000, n=10):
    """The score at each offset −(n − 1) … n − 1; queries are ones, keys are ones rotated by t positions."""
    angle = (row_offsets(n)[:, None] + t) * frequencies(d, base)
    return 2 * np.cos(angle).sum(axis=1) / np.sqrt(d)


ones, keys = np.ones((10, 16)), rotate(np.ones((1, 16)), past=3).repeat(10, axis=0)
assert np.allclose(to_grid(tuned_head(t=3)[None], 10), scores(rotate(ones), rotate(keys)))
figures.play(tuned_head, attend=False, t=(-6, 6), d=[4, 16, 64], base=[10_000, 100, 500_000])

# %% [markdown]
# The best diagonal is $t$ places back. With $d = 4$, the diagonals six places to its left and right are nearly as
# strong: six positions are almost a whole turn of pair 0, and pair 1 hardly moves. ALiBi's bias cannot be tuned,
# because it is always largest at the query's own position.
#
# ## The word before, learned
#
# Does training find this? We train one causal layer with one head to name, at each place of a random text, the word
# before. The control is the same layer without position. With each of three seeds we expect an accuracy above 95 %
# with RoPE and below 50 % without.


# %% tags=["nbval-ignore-output"]
WORDS, trained = 16, []


def draw(generator):
    """Random texts of 12 words; the answer is the word before."""
    tokens = torch.randint(WORDS, (32, 12), generator=generator)
    answers = tokens.roll(1, 1)
    answers[:, 0] = -100  # no word comes before the first, and cross-entropy ignores −100
    return tokens, answers


def with_rope_layer():
    trained.append(study.OneLayer(RoPE(32), WORDS, causal=True))
    return trained[-1]


found = study.fit({"RoPE": with_rope_layer, "none": lambda: study.OneLayer(None, WORDS, causal=True)}, draw, steps=80)
for name, accuracies in found.items():
    print(f"{name:5}", " ".join(f"{accuracy:7.1%}" for accuracy in accuracies))
assert min(found["RoPE"]) > 0.95 and max(found["none"]) < 0.5

# %% [markdown]
# RoPE makes no error. The control knows which words came earlier, but not in which order. Where does the trained RoPE
# head look?

# %% tags=["nbval-ignore-output"]
tokens, _ = draw(torch.Generator().manual_seed(0))
layer = trained[0].attention
with torch.no_grad():
    x = trained[0].embedding(tokens[0])
    q_text, k_text = rotate(layer.query(x)), rotate(layer.key(x))
_, weights = attention(q_text, k_text, x, mask=causal_mask(12))  # only the weights matter here, so any values will do
assert weights.diagonal(-1).mean() > 0.75
figures.heatmap(weights, digits=2, alt="Attention weights of the trained head in one text", corner="query ↓ key →")

# %% [markdown]
# It looks one place back, like a head tuned to $t = 1$. In a trained Gemma 7B, Barbero et al. (2024) found heads that
# attend by position, and these use the fastest pairs.
#
# ## Wavelengths
#
# Pair $m$ makes a whole turn in $2\pi/\theta_m$ positions, its **wavelength**. How many of the 64 pairs of a head with
# 128 channels make at least one turn within 2,048 tokens?

# %%
fig, ax = plt.subplots(figsize=(4.8, 2.2))
for base, style in ((10_000, "-"), (500_000, "--")):
    wavelength = 2 * np.pi / frequencies(128, base)
    turns = (wavelength <= 2048).sum()
    reach = f"{wavelength[0]:.2f} … {wavelength[-1]:9,.0f} positions"
    print(f"base {base:7,}: {reach}; {turns} of 64 turn at least once in 2,048")
    ax.plot(wavelength, style, label=f"base {base:,}")
    assert turns == {10_000: 41, 500_000: 29}[base]
ax.axhline(2048, color="0.6", linewidth=1, label="2,048 positions")
ax.set(yscale="log", ylim=(2, 2e8), xlabel="pair m", ylabel="wavelength (positions)")
ax.legend(fontsize=8, frameon=False)
figures.show(fig, alt="Wavelength by pair on a log axis: straight lines from 6.28 up to 54,410 for "
             "base 10,000 and to some millions for base 500,000")

# %% [markdown]
# With base 10,000, 41 pairs turn at least once. A larger base makes more pairs slow: with 500,000, as in Llama 3
# (`rope_theta` in its `params.json`), only 29 do.
#
# ## "RoPE's scores decay with distance"
#
# The paper plots an *upper bound* on the size of a score, which falls with distance on the whole (Su et al. 2021,
# section 3.4.3). A bound is not the score. We compute scores by distance for three contents, with 64 channels:
#
# 1. queries and keys of ones;
# 2. queries and keys of random normal numbers, 4,000 times: the mean score and its spread (standard deviation);
# 3. a head tuned to $t = 50$, as above.
#
# **Your turn.** Where will curve 3 be highest? Guess, then run the cells. Then put 20 in place of 50.

# %%
rng = np.random.default_rng(0)
drawn_q, drawn_k = rng.normal(size=(2, 4000, 64))
for distance in (0, 1, 10, 100, 1000):
    s = (rotate(drawn_q[:, None], past=distance)[:, 0] * drawn_k).sum(axis=1) / 8
    print(f"2. distance {distance:4}: mean {s.mean():z.1f}, spread {s.std():.2f}")
    assert abs(s.mean()) < 0.05 and abs(s.std() - 1) < 0.03

# %%
far = 4097
same = tuned_head(t=0, d=64, n=far)[far - 1 :: -1]  # by distance: 0, 1, 2, … places back
t = 50
tuned = tuned_head(t=t, d=64, n=far)[far - 1 :: -1]
fig, (near, whole) = plt.subplots(1, 2, figsize=(7, 2.4), sharey=True, gridspec_kw={"wspace": 0.08})
near.plot(same[:161], label="1. ones")
near.plot(tuned[:161], "--", label=f"3. tuned to {t} back")
near.axhspan(-1, 1, color="0.9", label="2. random: mean ± spread")
near.set(xlabel="distance", ylabel="score", ylim=(-3, 14))
near.legend(fontsize=8, frameon=False)
whole.plot(same, linewidth=0.6)
whole.set(xlabel="distance, curve 1 only")
assert tuned.argmax() == t and np.isclose(tuned.max(), same[0])
assert same.min() < -1.9 and 3 < same[1000:].max() < same[160:].max() < 4.1
figures.show(fig, alt=f"Scores by distance. Curve 1 falls from 8 and swings; curve 3 has the same peak at distance {t}; "
             "random content has mean 0 and spread 1. Up to 4,096, curve 1 swings between −2 and 4.")

# %% [markdown]
# 1. The score falls, with swings. Farther out, the swings take it below 0 and back above 3.
# 2. On average there is no decay. A random key scores as high 1,000 tokens away as beside the query, because a
#    rotated random key is another random key.
# 3. The highest score is at exactly 50. Curve 3 is curve 1 with its peak moved there.
#
# So decay is not a property of RoPE, but of contents whose arrows align at distance 0 and drift out of step from
# there. ALiBi's *bias* does decay, whatever the content.
#
# ## "RoPE extrapolates to any length"
#
# Nothing fails: an angle can be computed for any position. But which angles has a head seen? In a
# decoder trained on $L$ = 1,024 tokens, offsets rotate pair $m$ by up to $(L - 1)\,\theta_m$. If this is less than a
# whole turn, larger offsets bring *new* angles.

# %%
L = 1024
speeds = frequencies(128)
new_angles = (L - 1) * speeds < 2 * np.pi
print(f"pairs that meet new angles beyond {L:,} tokens: {new_angles.sum()} of {len(speeds)}")
assert new_angles.sum() == 28

# %% [markdown]
# And models do break. A model with rotary positions, trained on 512 tokens, improved on texts up to about 200 tokens
# longer; beyond that its loss rose (Press et al. 2022, section 2). New angles need not be the cause: T5's bias uses
# no angles, and its loss rose too, from about 600 additional tokens. [[longer_than_training|Chapter #]] measures
# small models of our own.
#
# A first repair is **position interpolation** (Chen et al. 2023): divide all positions by the factor by which the text
# is longer. The angles stay in the trained range, but neighbours are harder to tell apart. Later repairs (NTK-aware
# scaling; YaRN, Peng et al. 2023) change mainly the slow pairs. [[stretching_rope|Chapter #]] computes and tests them.
#
# ## Rotate queries and keys, not values
#
# The proof needs the product of two rotated vectors. A value meets only its weight $w_{ij}$, a number. If values were
# rotated, the output would be $\sum_j w_{ij} R_j v_j$, so a shift by 100 places would rotate the output by $R_{100}$.


# %%
def output(q_and_k, v_rotated, past):
    """The output for the five tokens at the positions past, past + 1, …"""
    q, k = (rotate(x, past=past) for x in q_and_k)
    v = rotate(V, past=past) if v_rotated else V
    return attention(q, k, v, mask=causal_mask(n))[0]


for v_rotated in (False, True):
    change = abs(output((Q, K), v_rotated, 100) - output((Q, K), v_rotated, 0)).max()
    print(f"values rotated: {v_rotated!s:5}  moving the text by 100 places changes the output by {change:.4f}")
    assert (change > 0.1) == v_rotated

# %% [markdown]
# ## In a decoder
#
# A decoder rotates each key once, by *its own* position, and then caches it. A new query is at position `past`, the
# number of cached tokens. Two mistakes raise no error: rotating every new token by 0 because `past` was forgotten,
# and rotating the whole cache again at each step. Suppose the five tokens arrive one by one. For *mat*, at position
# 4, by how many positions are its query and the keys rotated in each case?


# %%
def scores_of_mat(query_by, keys_by):
    """The scores of the query of mat, rotated by `query_by` positions, with the keys rotated by `keys_by`."""
    keys = [rotate(key[None], past=p)[0] for key, p in zip(K, keys_by, strict=True)]
    return scores(rotate(Q[mat][None], past=query_by), np.array(keys))[0]


again = np.zeros(n, int)
for t in range(n):
    again[: t + 1] += np.arange(t + 1)  # step t rotates all keys in the cache by their places in it

ways = {"right": (4, range(n)), "past forgotten": (0, [0] * n), "rotated again": (4, again)}
for way, (query_by, keys_by) in ways.items():
    print(f"{way:15} query {query_by}, keys {list(map(int, keys_by))}: {scores_of_mat(query_by, keys_by)}")
assert np.allclose(scores_of_mat(*ways["right"]), with_rope[mat])
assert np.allclose(scores_of_mat(*ways["past forgotten"]), scores(Q, K)[mat])

# %% [markdown]
# With `past` forgotten, the scores are those without position. With the cache rotated again, the key of *cat* has
# been rotated by 4, as if it were at the position of *mat*. The course's layer rotates new keys before it caches
# them:

# %%
layer = RelativeAttention(32, 4, position=RoPE(8), causal=True)
x, cache = torch.randn(1, 40, 32), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## Two ways to pair channels
#
# The paper and GPT-J pair neighbours: channels 0 and 1, 2 and 3, and so on. This is called **interleaved**. GPT-NeoX
# and Hugging Face's Llama pair each channel of the first half with one of the second, as we did. This is called
# **half-split**.

# %%
from course_lib.reference.rope import pairs, to_half_split, to_interleaved

table = np.zeros((2, 8), int)
for row, interleaved in enumerate((True, False)):
    first, second = pairs(8, interleaved=interleaved)
    table[row, first] = table[row, second] = range(4)
assert table[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3] and table[1].tolist() == [0, 1, 2, 3] * 2
columns = [str(c) for c in range(8)]
figures.heatmap(
    table, rows=["interleaved", "half-split"], columns=columns, corner="channel",
    alt="The pair of each channel", legend="one shade for each pair: the same number, the same pair",
)

# %% [markdown]
# Before training neither form is better, because the numbering of channels is arbitrary. Trained weights fit only
# one. The two differ by a **permutation** $P$, which takes the even channels, then the odd ones. It moves each
# interleaved pair to where half-split code expects it:

# %%
P = to_half_split(8)
print("P:", P, " its inverse:", to_interleaved(8))
some = np.random.default_rng(0).normal(size=(n, 8))
assert np.allclose(rotate(some, interleaved=True)[:, P], rotate(some[:, P]))

# %% [markdown]
# A score is a sum over channels, so their order does not matter if queries and keys share it. In torch each row of a
# weight matrix makes one channel. So it is enough to permute the *rows of* $W_q$ *and* $W_k$ once, **head by head**,
# when the weights are loaded. (Permute any bias or norm weights of queries and keys, too.) Hugging Face's
# `convert_llama_weights_to_hf.py` does this in its function `permute`.

# %%
rng = np.random.default_rng(1)
tokens = rng.normal(size=(n, 16))
w_q, w_k = rng.normal(size=(2, 16, 16)) / 4  # rows 0 … 7 belong to head 0, rows 8 … 15 to head 1


def head_scores(w_q, w_k, **how):
    """Scores (heads, n, n) of one layer with RoPE."""
    found = []
    for rows in (slice(0, 8), slice(8, 16)):
        q, k = tokens @ w_q[rows].T, tokens @ w_k[rows].T
        found.append(scores(rotate(q, **how), rotate(k, **how)))
    return np.array(found)


original = head_scores(w_q, w_k, interleaved=True)
by_head = np.array([*P, *(8 + P)])
assert np.allclose(head_scores(w_q[by_head], w_k[by_head]), original)
print("rows of W:", by_head)

# %% [markdown]
# Now two conversions that go wrong. *Mixed*: interleaved weights in half-split code, without a permutation. *Over all
# heads*: one permutation that takes the even rows of both heads, then the odd ones. What breaks?

# %%
all_rows = to_half_split(16)
broken = {"mixed": (w_q, w_k), "over all heads": (w_q[all_rows], w_k[all_rows])}
for name, weights in broken.items():
    found = head_scores(*weights)
    error = abs(found - original)
    own = np.diagonal(error, axis1=1, axis2=2)
    print(f"{name:15} scores off by up to {error.max():.2f}, at offset 0 by up to {own.max():.2f}")
    assert error.max() > 1
    assert np.allclose(head_scores(*weights, past=500), found)  # the same after moving the text by 500

# %% [markdown]
# *Mixed*: the wrong channels form pairs. There is no error at offset 0, where the rotations cancel. *Over all heads*:
# offset 0 is wrong too, because each head now compares half of the channels of head 0 and half of those of head 1.
#
# Both broken models are still perfectly *relative*, because whichever two channels form a pair, the pair rotates by
# $p\,\theta$. So a test that moves the text finds nothing. Training a model that way from the start does no harm,
# because the numbering of channels is arbitrary. A model **loaded** that way is damaged: a test must compare with the
# published numbers.
#
# ## Late positions in bfloat16
#
# bfloat16 has 8 significant bits, so beyond 256 it cannot represent odd numbers. The fastest pair has $\theta_0 = 1$,
# so its angle is the position itself. What happens to eight neighbours around position 1,000 if angles are computed
# in bfloat16?

# %%
j = torch.arange(1000, 1008)
late, early = j.bfloat16().cos(), j.float().cos().bfloat16()
print("angle in bfloat16:          ", j.bfloat16().tolist())
print("cos, angle in bfloat16:     ", [round(x, 2) for x in late.tolist()])
print("cos, angle in float32 first:", [round(x, 2) for x in early.tolist()])
assert len(set(late.tolist())) == 3 and len(set(early.tolist())) == 8

by_position, by_distance = 0.5 * j.bfloat16(), -0.5 * (1007 - j).bfloat16()
print("ALiBi, slope times position:", by_position.tolist())
print("ALiBi, slope times distance:", [f"{x:z}" for x in by_distance.tolist()])
assert torch.equal(by_distance.float(), -0.5 * (1007.0 - j))

# %% [markdown]
# Three different angles are left. So the course's `RoPE` computes angles in float32 and converts only their cosines and
# sines. For ALiBi, multiply the slope by the *distance*, because distances up to 256 are exact in bfloat16. The key
# form of [[alibi|chapter #]], slope times position, loses precision here.
#
# ## The released code (optional)
#
# Our `rotate` equals `apply_rotary_pos_emb` of the library `transformers`: half-split in
# `models/llama/modeling_llama.py`, interleaved in `models/gptj/modeling_gptj.py`.

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("transformers is not installed: pip install transformers")
else:
    from transformers import LlamaConfig
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama

    five_q, five_k = (torch.tensor(x, dtype=torch.float32)[None, None] for x in (Q, K))  # (batch, heads, n, d)
    places = torch.arange(n)[None]
    cos, sin = llama.LlamaRotaryEmbedding(LlamaConfig(hidden_size=4, num_attention_heads=1))(five_q, places)
    published, _ = llama.apply_rotary_pos_emb(five_q, five_k, cos, sin)
    assert np.allclose(rotate(Q), published[0, 0], atol=1e-6)

    sin, cos = gptj.create_sinusoidal_positions(n, 4)[places].chunk(2, -1)
    published = gptj.apply_rotary_pos_emb(five_q.transpose(1, 2), sin, cos).transpose(1, 2)
    assert np.allclose(rotate(Q, interleaved=True), published[0, 0], atol=1e-6)
    print("the five queries: Llama = half-split, GPT-J = interleaved")

# %% [markdown]
# **Partial rotation.** Some models rotate only the first channels of each head and compare the others as bare content.
# Their configuration classes say how many channels. (DeepSeek-V3 caches one compressed vector per token, from which it
# computes keys. Separate, rotated channels carry the position.) And how many models of this library use RoPE at all?

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("transformers is not installed: pip install transformers")
else:
    from pathlib import Path

    import transformers

    for name in ("GPTNeoX", "StableLm", "Phi"):
        share = getattr(transformers, f"{name}Config")().rope_parameters["partial_rotary_factor"]
        print(f"{name:8} rotates {share:.0%} of the channels of a head")
    config = transformers.GPTJConfig()
    print(f"GPT-J    rotates {config.rotary_dim} of {config.n_embd // config.n_head} channels")
    config = transformers.DeepseekV3Config()
    print(f"DeepSeek-V3 rotates {config.qk_rope_head_dim} channels beside {config.qk_nope_head_dim} others")

    folders = Path(transformers.__file__).parent.glob("models/*/")
    code = ["".join(p.read_text(encoding="utf-8") for p in folder.glob("modeling_*.py")) for folder in folders]
    rotating, models = sum("apply_rotary" in text for text in code), sum(bool(text) for text in code)
    print(f"version {transformers.__version__}: {rotating} of {models} models rotate")
    assert rotating > 100

# %% [markdown]
# In version 5.23, 208 of 524 model folders contain a function that rotates, among them Llama, Mistral and Qwen 3.

# %% [markdown]
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("rope")

# %% [markdown]
# ## Remember
#
# - RoPE rotates pair $m$ of a query or key at position $p$ by $p\,\theta_m$. Of their positions, only $j - i$
#   reaches the score.
# - Scores decay with distance for contents that align at distance 0, and not for random contents.
# - One permutation, head by head, converts between the two ways to pair channels. Without it the scores are wrong,
#   but still relative.
# - Keys are rotated once, before the cache, and values never. Angles are computed in float32.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
moved = {
    "The scores": scores(rotate(Q, past=500), rotate(K, past=500)) - scores(rotate(Q), rotate(K)),
    "The keys in the cache": rotate(K, past=500) - rotate(K),
}  # weights and output follow from the scores
[changed] = [name for name, by in moved.items() if not np.allclose(by, 0)]
figures.question(
    "All positions of a text are raised by 500. Which of these changes under RoPE?",
    options={
        "The scores": "q and k are rotated by the same additional angle, which their product does not see.",
        "The keys in the cache": "Yes: each is rotated further. Only products with queries stay the same.",
        "The weights": "They are computed from the scores, which do not change.",
        "The output": "Weights and (unrotated) values are the same, and so is their average.",
    },
    answer=changed,
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Weights of an interleaved model run in half-split code. Which test finds that?",
    options={
        "The output does not change when the text is moved": "It passes: the mixed model is relative, too.",
        "Token by token gives the same as all at once": "It passes: both are wrong in the same way.",
        "Rotation leaves the lengths of queries and keys unchanged": "It passes: rotating any pair keeps lengths.",
        "The scores equal those of the original code": "Yes. Of these four it is the only one that notices.",
    },
    answer="The scores equal those of the original code",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "For which keys does the score of a RoPE head fall as the distance grows?",
    options={
        "For all: that is what the rotations are for":
            "Only a bound on the score falls, on the whole. Random keys score alike at every distance, on average.",
        "For keys that point as their query does":
            "Yes, at first and with swings. Another key may have its peak at distance 50.",
        "For none: a rotation keeps every length":
            "It does keep lengths. But the angle between a rotated query and a rotated key depends on the offset.",
    },
    answer="For keys that point as their query does",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from arrows by hand to two bug hunts and a prediction.
#
# **Next:** [[next]].
#
# **Sources** J. Su et al., *RoFormer*, 2021, section 3.2.2, section 3.4.3 · O. Press et al., *Train Short, Test Long*,
# 2022, section 2 · S. Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*,
# 2023 · B. Peng et al., *YaRN*, 2023 · F. Barbero et al., *Round and Round We Go!*, 2024 · the code of `transformers`
# 5.23. The five tokens come from a published tutorial on relative position bias.
