# %% [markdown]
# # [[title]]
#
# RoPE adds nothing to the scores and has nothing to learn. It rotates queries and keys before they are compared, and
# this alone lets the scores depend on the offset.
#
# **You will be able to**
# - rotate a query and a key by hand, and prove that of their two positions only $j - i$ reaches the score;
# - say what fast and slow pairs of channels are for, and build a head that looks at a chosen distance;
# - convert weights between two ways to pair channels, and see what a wrong pairing does to a released model.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask), [[absolute_positions|#]] (sinusoids), [[t5_buckets|#]]
# (`past`) and [[alibi|#]] (for comparison), and a little torch. **Time** [[time]].

# %%
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
from course_lib.reference.rope import pairs, rotate, to_half_split, to_interleaved

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
n = len(TOKENS)
cat, sat, mat = (TOKENS.index(word) for word in ("cat", "sat", "mat"))

# %% [markdown]
# The drawing shows where RoPE enters. $R_i$ rotates the query at position $i$, and $R_j$ the key at $j$.

# %%
assert np.allclose(rotate(Q)[0], Q[0])  # at position 0 the angle is 0
figures.attention_block("RoPE")

# %% [markdown]
# ## One pair, rotated
#
# RoPE (rotary position embedding, Su et al. 2021) takes the channels of a query two by two. Each pair of numbers
# is an arrow in the plane. Rotating the arrow to the left by the angle $\alpha$ gives
#
# $$(a, b) \;\to\; (a \cos\alpha - b \sin\alpha,\;\; a \sin\alpha + b \cos\alpha)$$
#
# The rule: **a query or key at position $p$ is rotated by the angle $p\,\theta$.** We try it on the query of *sat*,
# at position 2, and the key of *mat*, at position 4, with $\theta = 1$ radian per position. Their first pair is
# channels 0 and 2; a later section explains why not 0 and 1.


# %%
def rotated(arrow, angle):
    """An arrow (a, b), rotated to the left by `angle`."""
    a, b = arrow
    return np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


q, k = Q[sat][[0, 2]], K[mat][[0, 2]]
print("query of sat:", q, "rotated by 2:", rotated(q, 2))
print("key of mat:  ", k, "rotated by 4:", rotated(k, 4))
print(f"product: before {q @ k:.4f}, rotated {rotated(q, 2) @ rotated(k, 4):.4f}")

# %% [markdown]
# Does the dot product depend on both positions, or only on their difference? We move both tokens equally far.

# %%
for by in (0, 1, 10, 1000):
    product = rotated(q, 2 + by) @ rotated(k, 4 + by)
    print(f"positions {2 + by:4} and {4 + by:4}: {product:.4f}")
    assert np.isclose(product, q @ rotated(k, 2))
print(f"only the key rotated, by 2: {q @ rotated(k, 2):.4f}")

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
# Each is rotated by its own position, but the product contains only the offset $j - i$. If $\varphi_q$ and $\varphi_k$
# are the directions of the two arrows, the same product is
#
# $$|q|\,|k| \cos(\varphi_k - \varphi_q + (j - i)\,\theta)$$


# %%
def R(angle):
    """The matrix that rotates an arrow: its columns are the rotated unit arrows."""
    return np.array([rotated([1, 0], angle), rotated([0, 1], angle)]).T


assert np.allclose(R(0.7).T, R(-0.7)) and np.allclose(R(0.7) @ R(0.4), R(1.1))

phi_q, phi_k = np.arctan2(q[1], q[0]), np.arctan2(k[1], k[0])
by_angles = np.linalg.norm(q) * np.linalg.norm(k) * np.cos(phi_k - phi_q + (4 - 2) * 1)
print(f"with the matrix: {q @ R(4 - 2) @ k:.4f}, with the angles: {by_angles:.4f}")
assert np.isclose(by_angles, rotated(q, 2) @ rotated(k, 4))

# %% [markdown]
# ## All pairs, each at its own speed
#
# One pair is not enough, because it is a clock with one hand: it shows the time only up to whole turns. So pair $m$
# of a head with $d$ channels gets its own speed, in radians per position. The speeds are the frequencies of
# [[absolute_positions|chapter #]]'s sinusoids:
#
# $$\theta_m = \text{base}^{-2m/d}, \quad m = 0 \dots d/2 - 1, \quad \text{base} = 10000$$
#
# Here are the pairs of a head with $d = 8$ as clocks, with hands for four positions. Which clocks can tell position 44
# from position 0?

# %%
assert abs(44 - 7 * 2 * np.pi) < 0.02  # seven whole turns of pair 0
figures.rope_clocks((0, 1, 4, 44), d=8)

# %% [markdown]
# Pair 0 cannot, because 44 radians are almost exactly seven turns. Pairs 1 and 2 can; pair 3 hardly moves.
#
# A pair makes a whole turn in $2\pi/\theta_m$ positions, its **wavelength**. Fast pairs tell neighbours apart, slow
# pairs distant positions. A pair that hardly moves within a text compares contents almost regardless of position.
#
# Our tokens have $d = 4$ and so two pairs, with the speeds 1 and 0.01. The next cell rotates all five queries; pair
# $m$ is channels $m$ and $m + d/2$.

# %%
d = 4
theta = frequencies(d)
print("speeds:", theta)
by_loop = np.zeros((n, d))
for p in range(n):
    for m in range(d // 2):
        channels = [m, m + d // 2]
        by_loop[p, channels] = rotated(Q[p, channels], p * theta[m])

assert np.allclose(rotate(Q), by_loop)
figures.heatmap(by_loop, columns=["0", "1", "2", "3"], corner="query ↓ channel →", alt="The queries, rotated")

# %% [markdown]
# For *sat* and *mat*, pair 0 gave −0.1696. What does pair 1 add?

# %%
products = [rotated(Q[sat][[m, m + 2]], 2 * theta[m]) @ rotated(K[mat][[m, m + 2]], 4 * theta[m]) for m in (0, 1)]
print("pair 0: {:.4f}, pair 1: {:.4f}".format(*products))
print(f"together {sum(products):.4f}, divided by √4: {sum(products) / 2:.4f}")
assert np.isclose(sum(products), rotate(Q)[sat] @ rotate(K)[mat])
figures.rope_rotation()

# %% [markdown]
# In the picture, move the query or the key: the angle between the arrows changes. Then move both: the angle stays.
#
# Let $R_p$ rotate all pairs for position $p$. The proof holds for each pair and so for their sum:
# $(R_i\,q) \cdot (R_j\,k) = q^\top R_{j-i}\,k$. Which scores of the five tokens does RoPE leave as they are? The
# picture shows the change of each score.

# %%
with_rope = scores(rotate(Q), rotate(K))
assert np.allclose(scores(rotate(Q, past=500), rotate(K, past=500)), with_rope)  # moved by 500 places
figures.heatmap(with_rope - scores(Q, K), digits=3, alt="Scores with RoPE minus scores without")

# %% [markdown]
# Only the diagonal stays, because at offset 0 query and key are rotated alike. Along the other diagonals the change
# varies, so **RoPE is not a bias**: the offset decides *how* query and key are compared, not what is added.
#
# ## Left and right
#
# A cosine is the same for $+x$ and $-x$. So is it true that RoPE cannot tell *before* from *after*?

# %% tags=["hide-input"]
# @title Question
def score_at(offset, query, key):
    """The score of a key at this offset from its query."""
    return (rotate([query], past=max(-offset, 0)) @ rotate([key], past=max(offset, 0)).T).item() / np.sqrt(d)


same = [np.isclose(score_at(-2, Q[sat], key), score_at(2, Q[sat], key)) for key in (Q[sat], K[mat])]
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
    print(f"{name:11}: two before {score_at(-2, Q[sat], key):7.4f}, two after {score_at(2, Q[sat], key):7.4f}")
assert not np.isclose(score_at(-2, Q[sat], K[mat]), score_at(2, Q[sat], K[mat]))

# %% [markdown]
# So a head can look for "the word before" if its keys point in other directions than its queries. Let all queries be
# the same vector, and all keys this vector with pair $m$ rotated in advance by $t\,\theta_m$. RoPE then rotates a query
# by $t\,\theta_m$ more than the key $t$ places before it, and this key had just as much in advance. So it points
# exactly as its query does and gets the highest score. We call such a head *tuned to* $t$.
#
# With ones as the query, each pair is the arrow (1, 1) of length $\sqrt2$, so $|q|\,|k| = 2$ in each pair. Write $r$
# for the offset $j - i$. The angle from query to key is $(r + t)\,\theta_m$, and the score is
#
# $$s_r = \frac{1}{\sqrt d} \sum_m 2 \cos((r + t)\,\theta_m)$$
#
# **Your turn.** Move $t$. Then choose $d = 4$: why are there more strong diagonals?


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
# strong: six positions are almost a whole turn of pair 0, and pair 1 hardly moves.
#
# ## In a decoder
#
# A decoder rotates each new key once, by *its own* position, before it caches it. The position is `past`, the number
# of cached tokens. Values are usually not rotated, because a value meets no other vector, only its weight. The course's
# layer does all this:

# %%
layer = RelativeAttention(32, 4, position=RoPE(8), causal=True)
x, cache = torch.randn(1, 40, 32), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## Two ways to pair channels
#
# The paper and GPT-J pair neighbours, channels 0 and 1, 2 and 3, and so on (**interleaved**). GPT-NeoX and Hugging
# Face's Llama pair each channel of the first half with one of the second, as we did (**half-split**).

# %%
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
# Neither form is better, because the numbering of channels is arbitrary. But weights trained in one form do not fit the
# other. A **permutation** $P$ converts them: the even channels, then the odd ones. Then the two channels of an
# interleaved pair are half a head apart.

# %%
P = to_half_split(8)
print("P:", P, " its inverse:", to_interleaved(8))
some = np.random.default_rng(0).normal(size=(n, 8))
assert np.allclose(rotate(some, interleaved=True)[:, P], rotate(some[:, P]))

# %% [markdown]
# A score is a sum over channels, so their order does not matter if queries and keys share it. In torch each row of a
# weight matrix makes one channel. So we permute the *rows of* $W_q$ *and* $W_k$ once, **head by head**, when we load
# the weights.

# %%
rng = np.random.default_rng(1)
tokens = rng.normal(size=(n, 16))
w_q, w_k = rng.normal(size=(2, 16, 16)) / 4  # rows 0 … 7 belong to head 0, rows 8 … 15 to head 1


def head_scores(w_q, w_k, **how):
    """Scores (heads, n, n) of one layer with RoPE."""
    q, k = ((tokens @ w.T).reshape(n, 2, 8).swapaxes(0, 1) for w in (w_q, w_k))
    return np.array([scores(rotate(q[h], **how), rotate(k[h], **how)) for h in range(2)])


original = head_scores(w_q, w_k, interleaved=True)
by_head = np.array([*P, *(8 + P)])
assert np.allclose(head_scores(w_q[by_head], w_k[by_head]), original)
print("rows of W:", by_head)

# %% [markdown]
# What if half-split code runs the interleaved weights as they are?

# %%
mixed = head_scores(w_q, w_k)
error = abs(mixed - original)
print(f"scores off by up to {error.max():.2f}, at offset 0 by up to {np.diagonal(error, axis1=1, axis2=2).max():.2f}")
assert error.max() > 1
assert np.allclose(head_scores(w_q, w_k, past=500), mixed)  # the same after moving the text by 500

# %% [markdown]
# The wrong channels form pairs. But whichever two channels form a pair, it rotates by $p\,\theta$, so the mixed model
# is still perfectly *relative*, and a test that moves the text finds nothing. Only a comparison with the original's
# numbers does.
#
# ## In a released model
#
# SmolLM2-135M-Instruct has 32 pairs in each head, and in our file they are interleaved. [[released_model|Chapter #]]
# loads it into the course's layers. `losses` gives the loss of each token after the first, in nats. By how much will
# the mean loss of 256 tokens rise if the layers rotate half-split pairs? In the control they rotate nothing.

# %% tags=["nbval-ignore-output"]
from course_lib import released
from course_lib.nn.position import Position

model = released.load()
text = model.encode(released.excerpt("licence"))[:256]
loss = float(model.losses(text).mean())
print(f"as released: {loss:.2f}")

# %% tags=["nbval-ignore-output"]
for name, position in {"wrong pairs": RoPE(64, base=100_000), "no rotation": Position()}.items():
    with model.changed(position=position):  # only inside this `with`
        rise = float(model.losses(text).mean()) - loss
    print(f"{name}: the loss rises by {rise:.2f}")
    assert rise > 1.5

# %% [markdown]
# The model runs without a warning, but the wrong pairs are about as bad as no rotation. Here is the rise in four texts,
# ± its standard error (committed runs):

# %%
from course_study.released import rows as committed

conditions = {"wrong pairs": "half-split pairs", "no rotation": "no RoPE"}
conditions["permuted head by head"] = "half-split pairs, rows reordered"
for name, condition in conditions.items():  # pydoc: help texts of Python; course: a page about this course
    runs = committed("pairings", condition=condition, n=384)
    print(f"{name:21}", *[f"{row['text']} {row['difference']:z.2f} ± {row['error']:.2f}" for row in runs], sep="  ")
assert max(abs(row["difference"]) for row in runs) < 0.001  # of the last condition

# %% [markdown]
# The permutation repairs the model.
#
# Some models rotate only a part of their channels (**partial rotation**). Which pairs does this model need in our text?
# Predict: what hurts more, to stop the fastest pair or the 16 slowest? A stopped pair has the speed 0.

# %% tags=["nbval-ignore-output"]
rises = {}
for name, stopped in {"pair 0": [0], "pairs 16–31": range(16, 32)}.items():
    speeds = model.speeds.clone()
    speeds[list(stopped)] = 0
    with model.changed(speeds=speeds):
        rises[name] = float(model.losses(text).mean()) - loss
    print(f"{name} stopped: the loss rises by {rises[name]:.2f}")
assert rises["pair 0"] > 0.1 > rises["pairs 16–31"]
print(f"within the text, pair 16 rotates by {256 * model.speeds[16]:.1f} radian")

# %% [markdown]
# In this model one fast pair matters more than the slower half of all pairs. But within this text, the slower half
# rotates by less than one radian, so this says nothing about long texts. [[released_model|Chapter #]] finds heads that
# need pair 0.
#
# ## Easy to believe; let us run it

# %%
from course_tasks import questions

questions.claims("rope")

# %% [markdown]
# ## Remember
#
# - RoPE rotates pair $m$ of a query or key at position $p$ by $p\,\theta_m$. Only $j - i$ reaches the score.
# - A head looks $t$ places back if all queries are one vector, and all keys that vector, rotated by $t$.
# - A permutation, head by head, converts between the two pairings. Without it the scores are wrong, but still relative.
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
best = -3 - 2  # (j + 2) − i, the offset in the score, is −3 where the head looks
figures.question(
    "A head is tuned to 3. Then all its keys are rotated by two positions more. Where does it look?",
    options={
        "Three places back, as before": "It would if the queries were rotated by two more as well.",
        "Five places back": "Yes. These keys are the query, rotated by 3 + 2 positions, so the head is tuned to 5.",
        "One place back": "This is what two more positions for the queries would do.",
    },
    answer={-5: "Five places back", -3: "Three places back, as before", -1: "One place back"}[best],
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]].
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Values that are rotated
#
# If values were rotated too, the output would be $\sum_j w_{ij} R_j v_j$, and moving the text by 100 places would
# rotate it. But if we rotate the output back by the *query's* position, it is $\sum_j w_{ij} R_{j-i}\,v_j$, which
# depends on offsets only.


# %%
def output(past, values_rotated, rotated_back):
    """The output for the five tokens at the positions past, past + 1, …"""
    v = rotate(V, past=past) if values_rotated else V
    y, _ = attention(rotate(Q, past=past), rotate(K, past=past), v, mask=causal_mask(n))
    return rotate(y, past=past, speeds=-theta) if rotated_back else y


changes = []
for case in ((False, False), (True, False), (True, True)):
    changes.append(abs(output(100, *case) - output(0, *case)).max())
    print("values rotated: {!s:5}, output rotated back: {!s:5}".format(*case), f"change {changes[-1]:.4f}")
assert changes[1] > 0.1
assert np.allclose(changes[::2], 0)

# %% [markdown]
# So "values are never rotated" is false. In DeepSeek-V4 the same vectors are keys and values, so RoPE rotates some
# channels of both. In the output, these channels are rotated back (`modeling_deepseek_v4.py` of the library
# `transformers`).
#
# ## Deeper · "RoPE's scores decay with distance"
#
# The paper plots an *upper bound* on the size of a score, which falls with distance on the whole (Su et al. 2021,
# section 3.4.3). A bound is not the score. We compute scores by distance for three contents, with 64 channels:
#
# 1. queries and keys of ones, a head tuned to 0;
# 2. queries and keys of random normal numbers, 4,000 times;
# 3. a head tuned to $t = 50$.
#
# Where will curve 3 be highest?

# %%
drawn_q, drawn_k = np.random.default_rng(0).normal(size=(2, 4000, 64))
for distance in (0, 1000):
    s = (rotate(drawn_q[:, None], past=distance)[:, 0] * drawn_k).sum(axis=1) / 8
    print(f"2. distance {distance:4}: mean {s.mean():z.1f}, standard deviation {s.std():.2f}")
    assert abs(s.mean()) < 0.05 and abs(s.std() - 1) < 0.03

# %%
far, t = 4097, 50
same, tuned = (tuned_head(t=t, d=64, n=far)[far - 1 :: -1] for t in (0, t))  # by distance: 0, 1, 2, … places back
fig, (near, whole) = plt.subplots(1, 2, figsize=(7, 2.4), sharey=True, gridspec_kw={"wspace": 0.08})
near.plot(same[:161], label="1. ones")
near.plot(tuned[:161], "--", label=f"3. tuned to {t} back")
near.axhspan(-1, 1, color="0.9", label="2. random: mean ± standard deviation")
near.set(xlabel="distance", ylabel="score", ylim=(-3, 14))
near.legend(fontsize=8, frameon=False)
whole.plot(same, linewidth=0.6)
whole.set(xlabel="distance, curve 1 only")
assert tuned.argmax() == t and np.isclose(tuned.max(), same[0])
assert same.min() < -1.9 and 3 < same[1000:].max() < same[160:].max() < 4.1
figures.show(fig, alt="Scores by distance. Curve 1 falls from 8 and swings; curve 3 has the same peak at distance 50; "
             "random content has mean 0 and spread 1. Up to 4,096, curve 1 swings between −2 and 4.")

# %% [markdown]
# Curve 1 falls, with swings that take it below 0 and back above 3. Curve 3 is curve 1 with its peak moved to 50. Random
# content does not decay at all: rotating a random key by any angle leaves it as random as it was.
#
# So decay is not a property of RoPE. It occurs where query and key point the same way in every pair at distance 0 and
# drift apart farther away. (Barbero et al. 2024 argue that decay is unlikely to be why RoPE works.) ALiBi's *bias* does
# decay, whatever the content.
#
# ## Deeper · The word before, learned
#
# Does training find a tuned head? We train one causal layer with one head to name, at each place of a random text, the
# word before. The control is the same layer without position. With each of three seeds we expect an accuracy above 95 %
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
# The control knows which words came earlier, but not in which order. Where does the trained RoPE head look?

# %% tags=["nbval-ignore-output"]
tokens, _ = draw(torch.Generator().manual_seed(0))
layer = trained[0].attention
with torch.no_grad():
    x = trained[0].embedding(tokens[0])
    q_text, k_text = rotate(layer.query(x)), rotate(layer.key(x))
_, weights = attention(q_text, k_text, x, mask=causal_mask(12))  # only the weights matter here, so any values will do
assert weights.diagonal(-1).mean() > 0.75
figures.heatmap(weights, digits=1, alt="Attention weights of the trained head in one text", corner="query ↓ key →")

# %% [markdown]
# It looks one place back, like a head tuned to $t = 1$.
#
# ## Deeper · "RoPE extrapolates to any length"
#
# Nothing fails: an angle can be computed for any position. But which angles has a head seen? In a decoder trained on
# 2,048 tokens, a pair with a longer wavelength never makes a whole turn, so larger offsets bring *new* angles. How many
# of the 64 pairs of a head with 128 channels are so slow, with the paper's base and with Llama 3's, which is 500,000?

# %%
fig, ax = plt.subplots(figsize=(4.8, 2.2))
for base, style in ((10_000, "-"), (500_000, "--")):
    wavelength = 2 * np.pi / frequencies(128, base)
    new = (wavelength > 2048).sum()
    print(f"base {base:7,}: {new} of 64 pairs meet new angles")
    ax.plot(wavelength, style, label=f"base {base:,}")
    assert new == {10_000: 23, 500_000: 35}[base]
ax.axhline(2048, color="0.6", linewidth=1, label="2,048 positions")
ax.set(yscale="log", ylim=(2, 2e8), xlabel="pair m", ylabel="wavelength (positions)")
ax.legend(fontsize=8, frameon=False)
figures.show(fig, alt="Wavelength by pair on a log axis: straight lines from 6.28 up to 54,410 for "
             "base 10,000 and to some millions for base 500,000")

# %% [markdown]
# And models do break. A model with rotary positions, trained on 512 tokens, improved on texts up to about 200 tokens
# longer; beyond that its loss rose (Press et al. 2022, section 2). New angles need not be the only cause: T5's bias has
# no angles, and its loss rose too, though later. [[longer_than_training|Chapter #]] measures this, and
# [[stretching_rope|chapter #]] repairs it.
#
# ## Deeper · Late positions in bfloat16
#
# bfloat16 has 8 significant bits, so beyond 256 it cannot represent odd numbers. The fastest pair has $\theta_0 = 1$,
# so its angle is the position itself. What happens to eight neighbours around position 1,000?

# %%
j = torch.arange(1000, 1008)
late, early = j.bfloat16().cos(), j.float().cos().bfloat16()
print("angle in bfloat16:          ", j.bfloat16().tolist())
print("cos, angle in bfloat16:     ", [round(x, 2) for x in late.tolist()])
print("cos, angle in float32 first:", [round(x, 2) for x in early.tolist()])
assert len(set(late.tolist())) == 3 and len(set(early.tolist())) == 8

# %% [markdown]
# Only three different angles are left. So the course's `RoPE` computes angles in float32 and converts only their
# cosines and sines. Wang et al. (2024) observe that with bfloat16 RoPE's scores depend on more than the offset, most of
# all in long texts.
#
# ## Deeper · The released code
#
# Our `rotate` equals `apply_rotary_pos_emb` of `transformers`: half-split in `models/llama/modeling_llama.py`,
# interleaved in `models/gptj/modeling_gptj.py`. Meta's own Llama code takes each pair as a complex number $a + b\,i$,
# where $i$ is the imaginary unit. Multiplying it by $e^{i p \theta_m}$ is the rotation:

# %%
turns = np.exp(1j * np.arange(n)[:, None] * theta)
by_complex = (Q[:, ::2] + 1j * Q[:, 1::2]) * turns
assert np.allclose(by_complex.real, rotate(Q, interleaved=True)[:, ::2])

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

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
# The program that converted Llama for `transformers` (`convert_llama_weights_to_hf.py` in its repository) has our
# permutation as `permute`. Biases of queries and keys need it too, and so do the weights of a norm, if a model
# normalises queries and keys. If several query heads share a key head ([[fast_attention|chapter #]]), $W_k$ has fewer
# heads than $W_q$ and must be cut into its own number of heads. Programs have got that wrong (pull requests 31788 in
# huggingface/transformers, 3364 in ggml-org/llama.cpp).
#
# ## Deeper · Models that rotate in part
#
# With partial rotation, the channels that are not rotated compare bare content. By default GPT-NeoX and StableLM rotate
# 25 % of the channels of a head, Phi 50 %, and GPT-J 64 of 256 (the configuration classes of `transformers` 5.23). Our
# experiment stopped the slow pairs instead, as Barbero et al. (2024) do in models that they train (p-RoPE). Here are
# its results for the four texts:

# %%
for name in ("fastest 1 stopped", "slowest 16 stopped, gap 0", "slowest 20 stopped, gap 0"):
    runs = committed("stopped pairs", condition=name, n=384)
    print(f"{name:25}", *[f"{row['text']} {row['difference']:z.2f} ± {row['error']:.2f}" for row in runs], sep="  ")
print("in 384 tokens, pairs 12 to 15 rotate by", *[f"{384 * model.speeds[m]:.1f}" for m in range(12, 16)], "radian")

# %% [markdown]
# Stopping 16 pairs costs little. Stopping four more, which rotate farther within the text, costs about as much as
# stopping pair 0.
#
# In DeepSeek-V3, RoPE rotates 64 channels of a key and leaves the other 128 as they are. The model caches two things
# per token: the 64 rotated channels, which all heads share, and a compressed vector, from which it can compute the
# other 128 channels of the keys and the values of all heads. A decoder need not compute these keys: it multiplies their
# matrix into $W_q$ once, and compares queries with the compressed vectors. A rotation between the two matrices would
# prevent that, because it differs from position to position.
#
# **Sources** J. Su et al., *RoFormer*, 2021, section 3.2.2, section 3.4.3 · O. Press et al., *Train Short, Test Long*,
# 2022, section 2 · F. Barbero et al., *Round and Round We Go!*, 2024 · H. Wang et al., *When Precision Meets Position:
# BFloat16 Breaks Down RoPE in Long-Context Training*, 2024 · the code of `transformers` 5.23 · the model: L. Ben Allal
# et al., *SmolLM2*, 2025. The five tokens come from a published tutorial on relative position bias.
