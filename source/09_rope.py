# %% [markdown]
# # [[title]]
#
# This scheme has nothing to learn either. RoPE adds nothing at all: it turns queries and keys before they meet. It fits
# in a few lines, and it has a detail that is easy to get wrong without any error: channels are paired in two ways. You
# will run both, and test what is said about RoPE.
#
# **You will be able to**
# - turn a query and a key by hand, and prove that their product knows $j - i$ and nothing else of the positions;
# - convert weights between the two ways to pair channels, and recognise what happens when they are mixed;
# - test "decays with distance" and "extrapolates" instead of repeating them.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask), [[absolute_positions|#]] (sinusoids turn), [[t5_buckets|#]]
# (`past`) and [[alibi|#]] (for the comparisons at the end), and a little torch. **Time** [[time]].

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import torch

from course_lib import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
torch.manual_seed(0)
n = len(TOKENS)
cat, sat, mat = (TOKENS.index(word) for word in ("cat", "sat", "mat"))
plain = scores(Q, K)  # without position

# %% [markdown]
# ## RoPE: one pair, turned
#
# RoPE (rotary position embedding, Su et al. 2021) takes the channels of a query two by
# two. A pair of numbers is an arrow in the plane, and an arrow can be turned: by the angle $\alpha$,
#
# $$\begin{pmatrix} a \\ b \end{pmatrix} \;\to\;
# \begin{pmatrix} a \cos\alpha - b \sin\alpha \\ a \sin\alpha + b \cos\alpha \end{pmatrix}$$
#
# The rule: a query or key at position $p$ turns by $p\,\theta$. Take the first pair of the query of *sat*, position 2,
# and of the key of *mat*, position 4, with $\theta = 1$ radian per position. (In a vector of four, the first pair is
# channels 0 and 2. Why not 0 and 1 comes later.)


# %%
def turn(arrow, angle):
    """An arrow (a, b), turned to the left by `angle`."""
    a, b = arrow
    return np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


q, k = Q[sat][[0, 2]], K[mat][[0, 2]]
print("query of sat:", q, "turned by 2:", turn(q, 2))
print("key of mat:  ", k, "turned by 4:", turn(k, 4))
print(f"product: before {q @ k:.4f}, turned {turn(q, 2) @ turn(k, 4):.4f}")

# %% [markdown]
# Two positions went in. Which of them does the product know? Move both tokens by the same number of places:

# %%
for by in (0, 1, 10, 1000):
    product = turn(q, 2 + by) @ turn(k, 4 + by)
    print(f"positions {2 + by:4} and {4 + by:4}: {product:.4f}")
    assert np.isclose(product, q @ turn(k, 2))
print(f"only the key turned, by 2: {q @ turn(k, 2):.4f}")

# %% [markdown]
# The same number every time: turning both arrows by the same angle does not change the angle between them, and a
# product depends on two lengths and that angle. Only the *difference* of the two turns is left, $4\theta - 2\theta$.
#
# ## The algebra
#
# Write the turn by $\alpha$ as a matrix $R(\alpha)$. Its transpose turns back, and turns add up:
#
# $$R(\alpha)^\top = R(-\alpha), \qquad R(\alpha)\,R(\beta) = R(\alpha + \beta)$$
#
# So with the query at $i$ and the key at $j$
#
# $$\big(R(i\theta)\,q\big) \cdot \big(R(j\theta)\,k\big) = q^\top R(i\theta)^\top R(j\theta)\, k
# = q^\top R\big((j - i)\,\theta\big)\, k$$
#
# Each position enters through its own token alone, and yet what comes out depends on $j - i$. With $\varphi_q$ and
# $\varphi_k$ for the directions of the two arrows it reads
#
# $$|q|\,|k| \cos\big(\varphi_k - \varphi_q + (j - i)\,\theta\big)$$


# %%
def R(angle):
    """The matrix that turns an arrow: its columns are the turned unit arrows."""
    return np.array([turn([1, 0], angle), turn([0, 1], angle)]).T


assert np.allclose(R(0.7).T, R(-0.7)) and np.allclose(R(0.7) @ R(0.4), R(1.1))

phi_q, phi_k = np.arctan2(q[1], q[0]), np.arctan2(k[1], k[0])
by_angles = np.linalg.norm(q) * np.linalg.norm(k) * np.cos(phi_k - phi_q + (4 - 2) * 1)
print(f"with the matrix: {q @ R(4 - 2) @ k:.4f}, with the angles: {by_angles:.4f}")
as_complex = np.conj(complex(*q)) * complex(*k) * np.exp(1j * (4 - 2))
assert np.allclose([q @ R(2) @ k, as_complex.real], by_angles)

# %% [markdown]
# (The last lines say it with complex numbers, as some published code does: turning is multiplying by $e^{i p \theta}$.)
#
# Here are the two arrows to play with. Move the query, the key, then *both*: the arrows run around, the angle between
# them stays. Choose pair 1, and see how little a step turns it.

# %%
assert np.isclose(by_angles, turn(q, 2) @ turn(k, 4))
figures.rope_rotation(Q[sat], K[mat], query=sat, key=mat)

# %% [markdown]
# ## All pairs, each at its own speed
#
# A clock with one hand shows the time up to whole turns. So pair $m$ of a head with $d$ channels has a speed of its
# own, the same as in [[absolute_positions|chapter #]]'s sinusoids:
#
# $$\theta_m = \text{base}^{-2m/d}, \qquad m = 0 \dots d/2 - 1, \quad \text{base} = 10000$$
#
# (In this lesson $m$ counts pairs, as in [[absolute_positions|chapter #]]; in [[alibi|chapter #]] it was a slope.)
# For our $d = 4$ the speeds are 1 and 0.01. Turn all five queries and keys, pair by pair, in a loop; pair $m$ is
# channels $m$ and $m + d/2$.

# %%
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate

d = 4
theta = frequencies(d)
print("speeds:", theta)
turned = np.zeros((n, d))
for p in range(n):
    for pair in range(d // 2):
        channels = [pair, pair + d // 2]
        turned[p, channels] = turn(Q[p, channels], p * theta[pair])

assert np.allclose(rotate(Q), turned)
four = ["0", "1", "2", "3"]
figures.heatmap(turned, columns=four, alt="Queries, turned")

# %% [markdown]
# *The* stands at position 0 and is not turned. In matrix form a whole vector at position $p$ is multiplied by one matrix
# $R_p$, with the small rotations inside. ($R(\alpha)$ turns one pair by an angle, $R_p$ all pairs of a head as at
# position $p$.) It keeps every length, $R_p^\top R_p = I$, and the proof above holds for it word for word.


# %%
def rotation_matrix(p, d):
    """The matrix that turns a vector as at position p (half-split pairs)."""
    matrix, half = np.zeros((d, d)), d // 2
    for m, angle in enumerate(p * frequencies(d)):
        matrix[m, m] = matrix[m + half, m + half] = np.cos(angle)
        matrix[m + half, m], matrix[m, m + half] = np.sin(angle), -np.sin(angle)
    return matrix


assert np.allclose(turned, [rotation_matrix(p, d) @ Q[p] for p in range(n)])
assert np.allclose(rotation_matrix(3, d).T @ rotation_matrix(5, d), rotation_matrix(2, d))
assert np.allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(Q, axis=1))
figures.heatmap(rotation_matrix(2, d), rows=four, columns=four, alt="R for position 2, d = 4")

# %% [markdown]
# In practice nobody builds $R_p$: it is four multiplications per pair. (And some models turn a part of the channels only,
# GPT-J 64 of 256: the rest compares bare content.) The scores of the five tokens, without and with
# RoPE:

# %%
with_rope = scores(rotate(Q), rotate(K))
for i in range(n):
    for j in range(n):
        assert np.isclose(with_rope[i, j], Q[i] @ rotation_matrix(j - i, d) @ K[j] / 2)

assert np.allclose(scores(rotate(Q, past=1000), rotate(K, past=1000)), with_rope)
figures.side_by_side(
    figures.heatmap(plain, alt="Scores without position"),
    figures.heatmap(with_rope, alt="Scores with RoPE"),
)

# %% [markdown]
# The diagonal is unchanged: offset 0 is no turn. The last assert moved the whole sentence by 1,000 places, and nothing
# changed. Now look along the other diagonals: are they constant? They are not. RoPE is no bias: the offset decides *how*
# query and key are compared, not what is added. Only when every token has the same content is there one number per
# offset, and `to_grid` could lay it out.

# %%
everywhere_q, everywhere_k = np.tile(Q[sat], (n, 1)), np.tile(K[mat], (n, 1))
same_content = scores(rotate(everywhere_q), rotate(everywhere_k))
profile = [Q[sat] @ rotation_matrix(r, d) @ K[mat] / 2 for r in row_offsets(n)]
assert np.allclose(same_content, to_grid(np.array(profile)[None], n))
positions = [str(p) for p in range(n)]
figures.heatmap(same_content, rows=positions, columns=positions, corner="i ↓ j →",
                alt='Every query that of "sat", every key that of "mat"')

# %% [markdown]
# ## Left and right
#
# A cosine is the same for $+x$ and $-x$. So is it true that RoPE cannot tell *before* from *after*?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A key stands two places before its query, or two places after it. Are the scores the same?",
    options={
        "Yes: cos(2θ) = cos(−2θ)":
            "The angle inside is not (j − i)θ alone: the directions of q and k count too.",
        "No, never": "For a key that points exactly as its query does, they are.",
        "In general not; yes if q and k point the same way in every pair":
            "Yes: then φ_k − φ_q is 0, and only a cosine of ±2θ is left.",
    },
    answer="In general not; yes if q and k point the same way in every pair",
)

# %%
for name, key in (("key = query", Q[sat]), ("key of mat", K[mat])):
    before, after = (Q[sat] @ rotation_matrix(r, d) @ key / 2 for r in (-2, 2))
    print(f"{name:11}: two before {before:7.4f}, two after {after:7.4f}")
assert not np.isclose(before, after)

# %% [markdown]
# So a head can learn "the word before" by letting its keys point a little aside of its queries. ALiBi cannot.
#
# ## Turn queries and keys, not values
#
# The proof needs a product of two turned vectors. A value meets no other: it is averaged. Turn it, and the absolute
# position is back in the output.

# %%
def output(q_and_k, v_turned, past):
    """The output for the five tokens, which stand at past, past + 1, …"""
    q, k = (rotate(x, past=past) for x in q_and_k)
    v = rotate(V, past=past) if v_turned else V
    return attention(q, k, v, mask=causal_mask(n))[0]


for v_turned in (False, True):
    change = abs(output((Q, K), v_turned, 100) - output((Q, K), v_turned, 0)).max()
    print(f"values turned: {v_turned!s:5}  the sentence moved by 100 places changes the output by {change:.4f}")
    assert (change > 0.1) == v_turned

# %% [markdown]
# ## In a decoder
#
# Each key turns by *its own* position, once, and then waits in the cache. A new query turns by `past`. Two mistakes are
# easily made, and neither raises an error: to turn a new token as if it stood at position 0, and to turn the whole
# cache again at each step. *mat* comes last, at position 4. Where do the query and the five keys stand for it?


# %%
def scores_of_mat(query_at, keys_at):
    """The scores of the query of mat, turned as at `query_at`, with the keys turned as at `keys_at`."""
    keys = [rotate(key[None], past=p)[0] for key, p in zip(K, keys_at, strict=True)]
    return scores(rotate(Q[mat][None], past=query_at), np.array(keys))[0]


again = np.zeros(n, int)
for t in range(n):
    again[: t + 1] += np.arange(t + 1)  # step t turns all keys in the cache by their places in it

ways = {"right": (4, range(n)), "past forgotten": (0, [0] * n), "turned again": (4, again)}
for way, (query_at, keys_at) in ways.items():
    print(f"{way:15} query at {query_at}, keys at {list(map(int, keys_at))}: {scores_of_mat(query_at, keys_at)}")
assert np.allclose(scores_of_mat(*ways["right"]), with_rope[mat])
assert np.allclose(scores_of_mat(*ways["past forgotten"]), plain[mat])
assert again[cat] == 4 and not np.allclose(scores_of_mat(*ways["turned again"]), with_rope[mat])

# %% [markdown]
# With `past` forgotten every token stands at position 0, and the scores are those without position, exactly. Turned
# again at each step, a key of the cache runs on: *cat*, at position 1, has been turned four times when *mat* is read,
# and stands where the query stands. The course's layer turns new queries and keys before they are cached:

# %%
from course_lib.nn.rope import RoPE

layer = RelativeAttention(32, 4, position=RoPE(8), causal=True)
x, cache = torch.randn(1, 40, 32), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
assert not list(layer.position.parameters())
print("40 tokens one by one = all at once, and RoPE has no parameters")

# %% [markdown]
# ## Two ways to pair channels
#
# The paper pairs neighbours: channels 0 and 1, 2 and 3, and so on. GPT-J does so too. It is called **interleaved**.
# GPT-NeoX and Llama (in Hugging Face's code) pair each channel of the first half with one of the second:
# **half-split**, as we did.

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
# As functions they are equally good: nothing tells a channel which number it has. They differ by a **permutation** $P$,
# that first takes the even channels and then the odd ones. Put the channels of an interleaved model in that order, and
# its pairs stand where half-split looks for them:

# %%
P = to_half_split(8)
print("P:", P, " back:", to_interleaved(8))
some = np.random.default_rng(0).normal(size=(n, 8))
assert np.allclose(rotate(some, interleaved=True)[:, P], rotate(some[:, P]))

# %% [markdown]
# A score is a sum over channels. Their order does not matter, as long as queries and keys have the same. So it is enough
# to put the *rows of* $W_q$ *and* $W_k$ in that order, once, when the weights are loaded, **head by head**. $W_v$ stays as
# it is.

# %%
d_head, width = 8, 16  # two heads of 8 channels
rng = np.random.default_rng(1)
tokens = rng.normal(size=(n, width))
w_q, w_k = rng.normal(size=(2, 2 * d_head, width)) / 4


def head_scores(w_q, w_k, **how):
    """Scores (heads, n, n) of one layer with RoPE."""
    q, k = (np.moveaxis((tokens @ w.T).reshape(n, 2, d_head), 1, 0) for w in (w_q, w_k))
    return scores(rotate(q, **how), rotate(k, **how))


both_heads = np.array([*P, *(d_head + P)])
trained = head_scores(w_q, w_k, interleaved=True)
converted = head_scores(w_q[both_heads], w_k[both_heads], interleaved=False)
assert np.allclose(trained, converted)
print("rows of W:", both_heads)

# %% [markdown]
# Now two conversions that go wrong. *Mixed*: interleaved weights, half-split code, no permutation. And one permutation
# *over all heads*, which takes the even rows of both heads, then the odd ones. Nothing fails. What breaks?

# %%
all_rows = to_half_split(2 * d_head)
broken = {
    "mixed": head_scores(w_q, w_k),
    "over all heads": head_scores(w_q[all_rows], w_k[all_rows]),
}
for name, s in broken.items():
    own = np.diagonal(s - trained, axis1=1, axis2=2)
    print(f"{name:15} scores off by up to {abs(s - trained).max():.2f}, at offset 0 by up to {abs(own).max():.2f}; "
          f"weights off by up to {abs(softmax(s) - softmax(trained)).max():.2f}")
    assert abs(softmax(s) - softmax(trained)).max() > 0.1
    assert np.allclose(own, 0) == (name == "mixed")
assert np.allclose(head_scores(w_q, w_k, past=500), broken["mixed"])
assert np.allclose(head_scores(w_q[all_rows], w_k[all_rows], past=500), broken["over all heads"])

# %% [markdown]
# *Mixed*: offset 0 is right, all others are not. The content of each head is whole, but the wrong channels turn together.
# *Over all heads*: offset 0 is wrong as well. The first half of the rows, head 0 from now on, are the even channels of
# *both* heads: its scores are sums over half of what head 0 was trained to compare, and half of what head 1 was.
#
# Both broken models are still perfectly *relative* (each pair turns by $p\,\theta$, whichever channels it has), so a test
# that moves the text finds nothing. A model **trained** that way works as well as any. A model **loaded** that way is
# damaged: a test must compare with the published numbers.

# %% [markdown]
# ## Wavelengths
#
# Pair $m$ has made a whole turn after $2\pi/\theta_m$ positions, its **wavelength**. In a head of 128 channels there are
# 64 of them. How many make a whole turn within a text of 2,048 tokens?

# %%
fig, ax = plt.subplots(figsize=(4.8, 2.2))
for base, style in ((10_000, "-"), (500_000, "--")):
    wavelength = 2 * np.pi / frequencies(128, base)
    turns = (wavelength <= 2048).sum()
    reach = f"{wavelength[0]:.2f} … {wavelength[-1]:9,.0f} positions"
    print(f"base {base:7,}: {reach}; {turns} of 64 turn once in 2,048")
    ax.plot(wavelength, style, label=f"base {base:,}")
    assert turns == {10_000: 41, 500_000: 29}[base]
ax.axhline(2048, color="0.6", linewidth=1, label="2,048 positions")
ax.set(yscale="log", ylim=(2, 2e8), xlabel="pair m", ylabel="wavelength (positions)")
ax.legend(fontsize=8, frameon=False)
figures.show(fig, alt="Wavelength by pair on a log axis: straight lines from 6.28 up to 54,410 for "
             "base 10,000 and to some millions for base 500,000")

# %% [markdown]
# Fast pairs tell neighbours apart and soon begin anew; slow pairs turn so little that they nearly compare the bare
# content. A larger base (Llama 3 uses 500,000) makes more of them slow. And the 23 pairs that make no whole turn in
# 2,048 positions meet angles in a longer text that no training has shown them. We come back to that.
#
# ## "RoPE's scores decay with distance"
#
# Easy to believe; let us run it. The paper shows that an *upper bound* on the size of a score falls with the distance
# (Su et al. 2021, section 3.4.3). A bound is not the score. Three heads of 64 channels, and the score at each distance:
#
# 1. query and key the same, all ones;
# 2. queries and keys drawn at random, 4,000 pairs: the mean score and its spread;
# 3. a key that a head could well learn: the query, turned by 50 positions.
#
# **Your turn.** Where will curve 3 be highest? Guess, then run the cell. Put 20 in place of 50, and run it again: where is
# the peak now, and how high is it?

# %%
far = np.arange(0, 161)
speeds = frequencies(64)
ones = 2 * np.cos(far[:, None] * speeds).sum(axis=1) / 8
by = 50
learned = 2 * np.cos((far[:, None] - by) * speeds).sum(axis=1) / 8

rng = np.random.default_rng(0)
drawn_q, drawn_k = rng.normal(size=(2, 4000, 64))
for r in (0, 1, 10, 100, 1000):
    s = (drawn_q * rotate(drawn_k[:, None], past=r)[:, 0]).sum(axis=1) / 8
    same = 2 * np.cos(r * speeds).sum() / 8
    print(f"distance {r:4}: 1. {same:.2f}   2. mean {abs(s.mean()):.1f}, spread {s.std():.2f}")
    assert abs(s.mean()) < 0.05 and abs(s.std() - 1) < 0.03
print(f"3. highest at distance {learned.argmax()}, with {learned.max():.2f}")
assert learned.argmax() == by

fig, ax = plt.subplots(figsize=(4.8, 2.2))
ax.plot(far, ones, label="1. key = query, all ones")
ax.plot(far, learned, "--", label=f"3. the query, turned by {by}")
ax.axhspan(-1, 1, color="0.9", label="2. random: mean ± spread")
ax.set(xlabel="distance of the key, to the left", ylabel="score", ylim=(-2, 14))
ax.legend(fontsize=8, frameon=False)
assert ones[0] == learned[by] == ones.max()
figures.show(fig, alt="Score by distance: all ones falls and swings; the turned query swings as well, on both sides of "
             f"its one high peak at distance {by}; random pairs have the same spread everywhere")

# %% [markdown]
# 1. It falls, with swings. This is the curve one usually sees.
# 2. No decay at all: a random key scores as high 1,000 tokens away as beside the query. (Each pair of arrows has a
#    random angle between them to begin with; turning it changes nothing on average.)
# 3. The score swings, and is highest at exactly 50: curve 1, with its peak moved there.
#
# So the decay is not a property of RoPE. It belongs to keys that point as their queries do, whose arrows all agree at
# distance 0 and lose step from there. A head is free to let them agree anywhere. (Barbero et al. 2025 found trained
# heads that do, one place back for example.) ALiBi's *bias* does decay, whatever the content.
#
# ## "RoPE extrapolates to any length"
#
# It is true that nothing fails: an angle can be computed for any position. But after training on $L$ = 1,024 tokens, which
# angles has a head seen between query and key? Offsets 0 to $L - 1$ give pair $m$ the angles up to $(L - 1)\,\theta_m$. A
# pair that made no whole turn meets *new* angles at larger offsets.

# %%
L, longer = 1024, 4096
speeds = frequencies(128)
seen, asked = (L - 1) * speeds, (longer - 1) * speeds
new_angles = (seen < 2 * np.pi) & (asked > seen)
print(f"pairs with angles never seen, {longer:,} after {L:,}: {new_angles.sum()} of {len(speeds)}")
assert new_angles.sum() == 28

# %% [markdown]
# Is that what breaks a model? Press et al. 2022, section 2, measured such losses: a model with rotary positions, trained
# on 512 tokens, gained from some 200 more, and got worse from there. That the angles are the cause is not shown by it:
# one with T5's bias, which has no angles, gained from some 600 and then got worse, too.
# [[longer_than_training|Chapter #]] measures small models of our own: trained at 64, RoPE breaks from place 112
# on.
#
# **Position interpolation** (Chen et al. 2023) is a repair: before the angles are computed, divide all positions by the
# factor by which the text is longer, here 4. Position 4,000 turns as 1,000 did, and the largest angle stays what it was,
# but for a thousandth (the first line below). The price: neighbours move closer together, since one step now turns each
# pair by a quarter of the angle. How much does that matter? Take a head tuned to one place back, as curve 3 was to 50,
# and look at its scores at the token itself and up to four back.
#
# **Your turn.** Afterwards take a text eight times as long: put 1/8 in place of 1/4. Which token should win then, and how
# much will be left of the lead of the token one back? Guess first.


# %%
def score_at(r, tuned_to, step=1.0):
    """Score at distance r of a key that is its query turned by `tuned_to`; `step` scales positions."""
    return 2 * np.cos((r * step - tuned_to) * frequencies(64)).sum() / 8


slower = 1 / 4
largest = (round(L / slower) - 1) * slower / (L - 1)
print(f"with positions times {slower}: the largest angle is {largest:.3f} of the largest seen\n")
for step in (1.0, slower):
    s = [score_at(r, tuned_to=1, step=step) for r in range(round(1 / slower) + 1)]
    lead = s[1] - s[0]
    print(f"step {step:5}: " + ", ".join(f"{r} back {x:.2f}" for r, x in enumerate(s)) + f"; best: {np.argmax(s)} back")
    print(f"            lead of 1 back over 0 back: {lead:.3f}, {math.exp(lead):.2f} times the weight")
assert np.isclose(s[-1], score_at(1, tuned_to=1)) and np.argmax(s) == 1 / slower

# %% [markdown]
# Before, the token one back leads by 0.271 over the token itself: 1.31 times the weight. After, it leads by 0.115, or 1.12
# times, and the tokens two, three and *four* back score higher still: 7.93, 7.98 and 8.00. A head has to learn its small
# steps anew, which is why the authors go on training for a while after the change. Whether all this helps a model, and
# how much, is a question for training. [[longer_than_training|Chapter #]] asks it.

# %% [markdown]
# ## Late positions in bfloat16
#
# bfloat16 has 8 significant bits: from 256 on it has no odd numbers. ALiBi and RoPE can both be spoiled by that, in code that
# computes in the precision of the model. BLOOM's $m\,j$ is large just where a late query has its nearest keys; and the
# angle of RoPE's fastest pair is the position itself. Eight positions around 1,000, with $m = \frac12$ and $\theta = 1$:

# %%
j = torch.arange(1000, 1008)
coarse = 0.5 * j.bfloat16()
by_distance = 0 - 0.5 * (1007 - j).bfloat16()
print("m · j in bfloat16:     ", coarse.tolist())
print("−m (i − j) in bfloat16:", by_distance.tolist(), "from i = 1007")
assert len(set(coarse.tolist())) == 3 and torch.equal(by_distance.float(), -0.5 * (1007.0 - j))

late, early = j.bfloat16().cos(), j.float().cos().bfloat16()
print("cos, angle in bfloat16:     ", [round(x, 2) for x in late.tolist()])
print("cos, angle in float32 first:", [round(x, 2) for x in early.tolist()])
assert len(set(late.tolist())) == 3 and len(set(early.tolist())) == 8

# %% [markdown]
# Eight keys, and three different biases or angles: within each group the position has gone. What helps is the order of
# the steps. A bias made from the *distance* is exact where it matters, since near keys have small numbers. Angles are
# computed in float32, and their cosines and sines are converted. The course's `ALiBi` and `RoPE` do so.
#
# ## The same as the published code
#
# Equal to Hugging Face's Llama (half-split) and GPT-J (interleaved), when `transformers` is installed.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.rope import rotate as torch_rotate

try:
    from transformers import LlamaConfig
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama

    some_q, some_k = torch.randn(2, 1, 2, 11, 16)
    config = LlamaConfig(hidden_size=32, num_attention_heads=2)
    cos, sin = llama.LlamaRotaryEmbedding(config)(some_q, 100 + torch.arange(11)[None])
    published, _ = llama.apply_rotary_pos_emb(some_q, some_k, cos, sin)
    assert torch.allclose(torch_rotate(some_q, 100), published, atol=1e-5)

    sin, cos = gptj.create_sinusoidal_positions(120, 16)[None, 100:111].chunk(2, -1)
    published = gptj.apply_rotary_pos_emb(some_q.transpose(1, 2), sin, cos).transpose(1, 2)
    assert torch.allclose(torch_rotate(some_q, 100, interleaved=True), published, atol=1e-5)
    print("Llama: half-split, GPT-J: interleaved, at positions 100 … 110")
except ImportError:
    print("transformers is not installed: nothing to compare with")

# %% [markdown]
# A sentence that circulates is "GPT-3 uses RoPE": it has learned absolute positions (Press et al. 2022, section 4).
#
# ## What each of them costs
#
# Neither ALiBi nor RoPE has parameters. What must be kept for 12 heads of 64 channels and a text of 4,096 tokens, in 32-bit floats? It
# is made once and serves all layers. And what must be computed in each layer, for a query that sees all 4,096 keys?

# %%
N, size, n_heads = 4096, 64, 12
mib = 4 / 2**20
print(f"kept    ALiBi, key form     {n_heads} · {N:,} numbers = {n_heads * N * mib:.2f} MiB")
print(f"        ALiBi, as a matrix  {n_heads} · {N:,}² numbers = {n_heads * N * N * mib:.0f} MiB")
print(f"        RoPE, cos and sin   2 · {N:,} · {size // 2} numbers = {N * size * mib:.2f} MiB (all heads share them)")
print("per token and layer")
print(f"        ALiBi               {n_heads} · {N:,} = {n_heads * N:,} additions")
print(f"        RoPE, q and k       {n_heads} · {2 * 4 * size // 2} = {n_heads * 2 * 4 * size // 2:,} multiplications")
assert n_heads * N * N * mib == 768

# %% [markdown]
# Both fit fast attention kernels: ALiBi as a row that is added on the way, RoPE because it has happened before
# attention begins ([[fast_attention|chapter #]]). What the two can *express* is not the same. ALiBi's number depends on
# the offset alone and always favours the near; RoPE lets the content of both tokens decide what an offset means.

# %% [markdown]
# ## Remember
#
# - RoPE turns pair $m$ of each query and key by $p\,\theta_m$. Their product contains $R_{j-i}$: positions go in one by
#   one, the offset comes out. Values are not turned.
# - Two ways to pair channels, one permutation between them, head by head. Mixed weights are still relative, and wrong.
# - Keys turn once, at their own position, before the cache; angles are computed in float32.
# - RoPE's scores do not decay by themselves, and angles that were never seen are a question for training.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "All positions of a text are raised by 500. Which of these changes under RoPE?",
    options={
        "The scores": "q and k turn by the same additional angle, which their product does not see.",
        "The keys in the cache": "Yes: each is turned further. Only products with queries stay the same.",
        "The weights": "They are made of the scores, which stay.",
        "The output": "Weights and (unturned) values are the same, and so is their average.",
    },
    answer="The keys in the cache",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Weights of an interleaved model run in half-split code. Which test finds that?",
    options={
        "The output does not change when the text is moved": "It passes: the mixed model is relative, too.",
        "Token by token gives the same as all at once": "It passes: both are wrong in the same way.",
        "The lengths of queries and keys stay": "It passes: turning any pair keeps lengths.",
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
        "For all: that is what the turns are for":
            "A bound on the score falls. Random keys score alike at every distance.",
        "For keys that point as their query does":
            "Yes, with swings. Another key may have its peak at distance 50.",
        "For none: turning keeps every length":
            "It does. But the angle between a turned query and a turned key depends on the offset.",
    },
    answer="For keys that point as their query does",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from arrows with a pencil to two bug hunts and a prediction.
#
# **Next:** [[next]].
#
# **Sources** J. Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021, section 3.2.2 and
# section 3.4.3 · O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input
# Length Extrapolation*, 2022, sections 2 and 4 (comparisons) · S. Chen et al., *Extending Context Window of Large Language
# Models via Positional Interpolation*, 2023 · F. Barbero et al., *Round and Round We Go! What Makes Rotary Positional
# Encodings Useful?*, 2025 · the code of Llama and GPT-J in Hugging Face's `transformers`.
