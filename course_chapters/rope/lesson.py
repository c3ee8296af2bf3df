# %% [markdown]
# # [[title]]
#
# RoPE adds nothing to the scores and has nothing to learn. It rotates queries and keys before they are compared. How
# can this alone make the scores depend on the offset?
#
# **You will be able to**
# - rotate a query and a key by hand, and prove that positions reach the score only through $j - i$;
# - say what fast and slow pairs of channels are for, and build a head that prefers a chosen distance;
# - convert weights between two ways to pair channels, and say which test finds a wrong pairing.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask) and [[absolute_positions|#]] (sinusoids). **Time** [[time]].

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch

from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import attention, causal_mask, scores
from course_lib.reference.grid import row_offsets, to_grid
from course_lib.reference.rope import pairs, rotate, to_half_split

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
n = len(TOKENS)
sat, mat = TOKENS.index("sat"), TOKENS.index("mat")

# %% [markdown]
# In the drawing, $R_i$ rotates the query at position $i$, and $R_j$ the key at $j$.

# %%
figures.attention_block("RoPE")

# %% [markdown]
# ## One pair, rotated
#
# RoPE (rotary position embedding, Su et al. 2021) takes the channels of a query two by two. Each pair of numbers
# is an arrow in the plane. Rotating the arrow to the left by the angle $\alpha$ gives
#
# $$(a, b) \;\to\; (a \cos\alpha - b \sin\alpha,\;\; a \sin\alpha + b \cos\alpha)$$
#
# The rule: **a query or key at position $p$ is rotated by the angle $p\,\theta$**, where $\theta$ is the pair's speed.
# We try it on the query of *sat*, at position 2, and the key of *mat*, at position 4, with $\theta = 1$ radian per
# position. Their first pair is channels 0 and 2. (A later section explains why not 0 and 1.) Will the rotations change
# the product of the two arrows?


# %% tags=["hide-output"]
def rotated(arrow, angle):
    """An arrow (a, b), rotated to the left by `angle`."""
    a, b = arrow
    return np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


q, k = Q[sat][[0, 2]], K[mat][[0, 2]]
print("query of sat:", q, "rotated by 2:", rotated(q, 2))
print("key of mat:  ", k, "rotated by 4:", rotated(k, 4))
print(f"product: before {q @ k:.4f}, rotated {rotated(q, 2) @ rotated(k, 4):.4f}")

# %% [markdown]
# Yes, from 1.5000 to −0.1696. Does the new product depend on both positions, or only on their difference? We move both
# tokens equally far.

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
# Query and key are rotated by their own positions, but the product contains only the offset $j - i$. So a decoder can
# rotate a key once and cache it. If $\varphi_q$ and $\varphi_k$ are the directions of the two arrows, the product is
#
# $$|q|\,|k| \cos(\varphi_k - \varphi_q + (j - i)\,\theta)$$
#
# Both formulas should give −0.1696 again.


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
# One pair is like a clock with one hand, which looks the same after each whole turn. So each pair $m$ of a head with
# $d$ channels gets its own speed, in radians per position. The speeds are those of
# [[absolute_positions|chapter #]]'s sinusoids:
#
# $$\theta_m = \text{base}^{-2m/d}, \quad m = 0 \dots d/2 - 1, \quad \text{base} = 10000$$
#
# Here are the pairs of a head with $d = 8$ as clocks, with hands for four positions. Which clocks can tell position 44
# from 0?

# %%
figures.rope_clocks((0, 1, 4, 44), d=8)

# %% [markdown]
# Pair 0 cannot, because 44 radians are almost exactly seven turns. Pairs 1 and 2 can. Pair 3 has hardly moved.
#
# A pair makes a whole turn in $2\pi/\theta_m$ positions, its **wavelength**. Fast pairs tell neighbours apart, slow
# pairs distant positions. A pair that hardly moves within a text compares contents almost regardless of position.
# Some models leave channels unrotated (*Deeper*).
#
# Our tokens have two pairs, with the speeds 1 and 0.01. We rotate all five queries with a loop.

# %%
assert abs(44 - 7 * 2 * np.pi) < 0.02  # seven turns of pair 0, as you saw
d = 4
theta = frequencies(d)
print("speeds:", theta)
by_loop = np.zeros((n, d))
for p in range(n):
    for m in range(d // 2):
        channels = [m, m + d // 2]
        by_loop[p, channels] = rotated(Q[p, channels], p * theta[m])

assert np.allclose(rotate(Q), by_loop)  # the course's function

# %% [markdown]
# For *sat* and *mat*, pair 0 gave −0.1696. What does pair 1 add? After your guess, move the query or the key: the angle
# between the arrows changes. If you move both alike, it stays.

# %%
figures.rope_rotation()

# %% [markdown]
# Pair 1 adds −0.0100. Without rotation its arrows are at a right angle, and two positions hardly change that.
#
# ## Is RoPE a bias?
#
# Let $R_p$ rotate all pairs for position $p$. The proof holds for each pair and so for their sum:
# $(R_i\,q) \cdot (R_j\,k) = q^\top R_{j-i}\,k$. A bias by offset adds the same number along a whole diagonal. Does
# RoPE do that, too? The table shows by how much it changes each score.

# %%
with_rope = scores(rotate(Q), rotate(K))
assert np.allclose(scores(rotate(Q, past=500), rotate(K, past=500)), with_rope)  # moved by 500 places
figures.heatmap(with_rope - scores(Q, K), digits=3, alt="Scores with RoPE minus scores without")

# %% [markdown]
# The main diagonal stays as it was, because at offset 0 query and key are rotated alike. Along the others the change
# varies with the contents. So **in general RoPE is not a bias**: the offset decides *how* query and key are compared,
# not what is added. (If all tokens have the same query and the same key, the change is the same along each diagonal.)
#
# Because only offsets count, a text keeps its scores if it begins after left padding, or if it follows another text in
# the same row. Its positions may start at any number, if each is one more than the one before. But a mask must hide
# the padding and the other text ([[fast_attention|chapter #]]).
#
# In torch, `RoPE` is the position of a layer. With the identity as its matrices, the layer should give our scores.

# %%
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE

layer = RelativeAttention(d_model=4, n_heads=1, position=RoPE(4)).double()
for matrix in (layer.query, layer.key):
    torch.nn.init.eye_(matrix.weight)  # queries and keys are the layer's inputs, unchanged
in_torch = layer.scores(torch.tensor(Q)[None], torch.tensor(K)[None])[0, 0]
assert np.allclose(in_torch.detach(), with_rope)

# %% [markdown]
# ## A head that prefers a chosen distance
#
# Which queries and keys make the key $t$ places back score highest? Take one vector $x$. Before RoPE acts, every query
# is $x$, and every key is $x$ rotated by $t$ positions (pair $m$ by $t\,\theta_m$). RoPE rotates the key at position
# $i - t$ by $i - t$ positions more. That makes $i$ in all, as for the query at $i$. So the two point the same way, and
# this key scores highest. (How much weight it gets depends on the length of $x$.) We call such a head *tuned to* $t$.
#
# In pair $m$ the angle from query to key is $(r + t)\,\theta_m$ with $r = j - i$, whatever $x$ is. Below, all its
# channels are 1.
#
# **Your turn.** Move $t$. Then choose $d = 4$: why are there more strong diagonals?


# %%
def tuned_head(t=1, d=16, base=10_000, n=10):
    """The score at each offset −(n − 1) … n − 1; queries are ones, keys are ones rotated by t positions."""
    angle = (row_offsets(n)[:, None] + t) * frequencies(d, base)
    return 2 * np.cos(angle).sum(axis=1) / np.sqrt(d)


ones = np.ones((10, 16))
in_advance = np.array([rotate(key[None], past=3)[0] for key in ones])
assert np.allclose(to_grid(tuned_head(t=3)[None], 10), scores(rotate(ones), rotate(in_advance)))
figures.play(tuned_head, attend=False, t=(-6, 6), d=[4, 16, 64], base=[10_000, 100, 500_000])

# %% [markdown]
# The strongest diagonal is $t$ places back. With $d = 4$, those six places to its left and right are nearly as strong,
# because six positions are almost a whole turn of pair 0, and pair 1 hardly moves.
#
# ## Two ways to pair channels
#
# The paper and GPT-J pair neighbours, channels 0 and 1, 2 and 3, and so on (**interleaved**). GPT-NeoX and Hugging
# Face's Llama pair each channel of the first half with one of the second, as we did (**half-split**). Which channels
# are pair 1 of eight channels in each form?

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
# Pair 1 is channels 2 and 3 in the first form, and 1 and 5 in the second. So weights trained in one form do not fit the
# other. To convert interleaved weights, put the even channels first and the odd ones after them. Then half-split code
# pairs the old neighbours. This is a **permutation**, $P$.
#
# A score is a sum over channels, so their order does not matter if queries and keys share it. In torch each row of a
# weight matrix makes one channel. So we permute the *rows of* $W_q$ *and* $W_k$ once, **head by head**. What is $P$ for
# a head of eight channels?

# %%
rng = np.random.default_rng(1)
tokens = rng.normal(size=(n, 16))
w_q, w_k = rng.normal(size=(2, 16, 16)) / 4  # rows 0 … 7 belong to head 0, rows 8 … 15 to head 1


def head_scores(w_q, w_k, **how):
    """Scores (heads, n, n) of one layer with RoPE."""
    q, k = ((tokens @ w.T).reshape(n, 2, 8).swapaxes(0, 1) for w in (w_q, w_k))
    return np.array([scores(rotate(q[h], **how), rotate(k[h], **how)) for h in range(2)])


original = head_scores(w_q, w_k, interleaved=True)
P = to_half_split(8)
by_head = np.array([*P, *(8 + P)])
print("P:", P, " rows of W:", by_head)
assert np.allclose(head_scores(w_q[by_head], w_k[by_head]), original)

# %% [markdown]
# Each head keeps its own eight rows. What if half-split code runs the interleaved weights as they are?

# %%
mixed = head_scores(w_q, w_k)
error = abs(mixed - original).max()
print(f"scores from {original.min():.1f} to {original.max():.1f}, off by up to {error:.2f}")
assert error > 1
assert np.allclose(head_scores(w_q, w_k, past=500), mixed)  # the same after moving the text by 500

# %% [markdown]
# Half-split code rotates each pair that *it* forms by $p\,\theta_m$. These are not the pairs of the training, so the
# scores are wrong. But of the positions they, too, contain only $j - i$. So a test that moves the text finds nothing.
#
# ## Remember
#
# - RoPE rotates pair $m$ of a query or key at position $p$ by $p\,\theta_m$. Only $j - i$ reaches the score.
# - If all queries are one vector, and all keys that vector rotated by $t$ positions, the key $t$ places back scores
#   highest.
# - A permutation, head by head, converts between the two pairings. Without it the scores are wrong, but still relative.
#
# ## Three questions

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
# ## Deeper · Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("rope")

# %% [markdown]
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
# section 3.4.3). A bound is not the score. We compute scores by distance for two heads with 64 channels. In the first,
# queries and keys are ones, so it is tuned to 0. The second is tuned to $t = 50$. Where will its curve be highest?

# %% tags=["hide-output"]
far, t = 4097, 50
same, tuned = (tuned_head(t=t, d=64, n=far)[far - 1 :: -1] for t in (0, t))  # by distance: 0, 1, 2, … places back
fig, (near, whole) = plt.subplots(1, 2, figsize=(7, 2.4), sharey=True, gridspec_kw={"wspace": 0.08})
near.plot(same[:161], label="tuned to 0")
near.plot(tuned[:161], "--", label=f"tuned to {t}")
near.set(xlabel="distance", ylabel="score", ylim=(-3, 12))
near.legend(fontsize=8, frameon=False)
whole.plot(same, linewidth=0.6)
whole.set(xlabel="distance, tuned to 0")
assert tuned.argmax() == t and np.isclose(tuned.max(), same[0])
assert same.min() < -1.9 and 3 < same[1000:].max() < same[160:].max() < 4.1
figures.show(fig, alt="Scores by distance. The head tuned to 0 falls from 8 and swings; the other has the same peak at "
             "distance 50. From distance 160 to 4,096, the first curve swings between −2 and 4.")

# %% [markdown]
# The first curve falls, with swings that take it below 0 and back above 3. The second is the first with its peak moved
# to 50. And what if queries and keys are random? We draw 2,000 of each, around 0, around a mean that they share in all
# channels, and around one that they share in pair 15 alone.

# %%
noise = np.random.default_rng(0).normal(size=(2, 2000, 64))
slow = np.zeros(64)
slow[[15, 47]] = np.sqrt(12)  # pair 15
mean_score = {}
for name, mean in {"no mean": 0, "in all channels": 1, "in pair 15": slow}.items():
    queries, keys = noise + mean
    moved = [rotate(queries[:, None], past=distance)[:, 0] for distance in (0, 16, 64, 255)]
    mean_score[name] = [(query * keys).sum(axis=1).mean() / np.sqrt(64) for query in moved]
    print(f"{name}, distances 0, 16, 64, 255:", *[f"{score:z.1f}" for score in mean_score[name]])
assert max(map(abs, mean_score["no mean"])) < 0.2
assert mean_score["in all channels"] == sorted(mean_score["in all channels"], reverse=True)
assert mean_score["in pair 15"][3] < -2.5

# %% [markdown]
# Around 0, no distance is preferred. If queries and keys share a mean in all channels, the *average* score falls from
# 8.0 to 2.6. If they share one in pair 15 alone, it falls to −2.9, because at distance 255 this slow pair has made a
# little more than half a turn. So what RoPE's scores do with distance depends on the contents. (Barbero et al. 2024
# argue that decay is unlikely to be why RoPE works.) ALiBi's *bias* decays whatever the content.
#
# ## Deeper · Late positions in bfloat16
#
# bfloat16 has 8 significant bits, so beyond 256 it cannot represent odd numbers. The fastest pair has $\theta_0 = 1$,
# so its angle is the position itself. What happens to eight neighbours around position 1,000?

# %%
from course_lib.nn.rope import rotate as torch_rotate

j = torch.arange(1000, 1008)
late, early = j.bfloat16().cos(), j.float().cos().bfloat16()
print("angle in bfloat16:          ", j.bfloat16().tolist())
print("cos, angle in bfloat16:     ", [round(x, 2) for x in late.tolist()])
print("cos, angle in float32 first:", [round(x, 2) for x in early.tolist()])
assert len(set(late.tolist())) == 3 and len(set(early.tolist())) == 8
arrows = torch.tensor([[1.0, 0.0]]).repeat(8, 1).bfloat16()  # rotated, each becomes (cos, sin)
assert torch.equal(torch_rotate(arrows, past=1000)[:, 0], early)
speeds = torch.tensor(frequencies(64)).float()
print(f"speeds in bfloat16 are off by up to {(speeds.bfloat16() / speeds - 1).abs().max():.1%}")

# %% [markdown]
# Only three different angles are left. So the course's `RoPE` computes angles in float32 and converts only their
# cosines and sines. (With bfloat16, Wang et al. 2024 found that scores depend on more than the offset.) If a whole model
# is cast, its buffer of speeds, `inv_freq`, is rounded, too. Then angles are wrong by up to the share in the last line.
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
# What does the rotation add in a model? If a text repeats one token, all queries of a head are one vector $q$, and all
# keys one vector $k$. So $\ln(w_{ij} / w_{ii})$ should be $(q^\top R_{j-i}\,k - q^\top k) / \sqrt{d}$. The course's
# check-up reads this curve. Does it follow the formula in a tiny Llama with random weights?

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is not None:
    from course_lib.checkup import checkup
    from course_lib.checkup.curve import TOKEN

    torch.manual_seed(0)
    sizes = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1}
    tiny = llama.LlamaForCausalLM(LlamaConfig(**sizes, num_attention_heads=1, initializer_range=0.2)).eval()
    curve = checkup(tiny).curves[0][0]  # of the only head, by distance
    block = tiny.model.layers[0]
    token = block.input_layernorm(tiny.model.embed_tokens.weight[[TOKEN]])  # what the check-up repeats
    one_q, one_k = (matrix(token).detach().numpy() for matrix in (block.self_attn.q_proj, block.self_attn.k_proj))
    formula = [scores(rotate(one_q, past=r), one_k).item() for r in range(len(curve))]  # the key stays at position 0
    assert np.allclose(curve, np.array(formula) - formula[0], atol=1e-4)
    print("distance   curve   formula")
    for r in (1, 2, 4, 8):
        print(f"{r:8} {curve[r]:7.4f} {formula[r] - formula[0]:9.4f}")

# %% [markdown]
# It does, at every distance.
#
# The program that converted Llama for `transformers` (`convert_llama_weights_to_hf.py` in its repository) has our
# permutation as `permute`. Biases of queries and keys need it too, and so do the weights of a norm, if a model
# normalises queries and keys. If several query heads share a key head ([[fast_attention|chapter #]]), $W_k$ has fewer
# heads than $W_q$, and its rows must be cut into that smaller number. Programs have got that wrong (pull requests 31788
# in huggingface/transformers, 3364 in ggml-org/llama.cpp).
#
# ## Deeper · Which pairs does a released model need?
#
# With **partial rotation**, the channels that are not rotated compare bare content. By default GPT-NeoX and StableLM
# rotate 25 % of the channels of a head, Phi 50 %, and GPT-J 64 of 256 (the configuration classes of `transformers`
# 5.23). What if we *stop* pairs of a model that was trained with all of them? A stopped pair has speed 0.
#
# SmolLM2-135M-Instruct ([[released_model|chapter #]]) has 32 pairs in each head. It reads parts of a software licence
# and of *Alice in Wonderland*. Which raises its loss most: stopping pair 0, pair 1, or the 16 slowest pairs? Each rise
# is given ± its standard error over the tokens, as if these were independent.

# %% tags=["nbval-ignore-output"]
from course_lib import released

model = released.load()
texts = {name: model.encode(released.excerpt(name))[:256] for name in ("licence", "alice")}
losses = {name: model.losses(text) for name, text in texts.items()}  # −ln P of each next token
print("as released:", *[f"{name} {loss.mean():.2f}" for name, loss in losses.items()])

# %% tags=["hide-output", "nbval-ignore-output"]
rises = {}
for name, stopped in {"pair 0": [0], "pair 1": [1], "pairs 16–31": range(16, 32)}.items():
    speeds = model.speeds.clone()
    speeds[list(stopped)] = 0
    with model.changed(speeds=speeds):  # only inside this `with`
        found = {text: model.losses(texts[text]) - losses[text] for text in texts}
    rises[name] = [float(rise.mean()) for rise in found.values()]
    shown = [f"{text} {rise.mean():z.2f} ± {rise.std() / len(rise) ** 0.5:.2f}" for text, rise in found.items()]
    print(f"{name} stopped, the loss rises:", *shown, sep="  ")
assert min(rises["pair 0"]) > 0.2
assert max(rises["pair 1"] + rises["pairs 16–31"]) < 0.1
print(f"within the text, pair 16 rotates by {256 * model.speeds[16]:.1f} radian")

# %% [markdown]
# The fastest pair matters most. In these texts, stopping the next one costs less than a fifth as much, and stopping the
# slower half costs nothing beyond the error. But here the slower half rotates by less than one radian, so this says
# nothing about long texts. Committed runs on four texts (`pydoc`: help texts of Python; `course`: a lesson of this
# course) stop up to 20 pairs.

# %%
from course_study.released import rows as committed

for name in ("fastest 1 stopped", "slowest 16 stopped, gap 0", "slowest 20 stopped, gap 0"):
    runs = committed("stopped pairs", condition=name, n=384)
    shown = [f"{row['text']} {row['difference']:z.2f} ± {row['error']:.2f}" for row in runs]
    print(f"{name.removesuffix(', gap 0'):18}", *shown, sep="  ")
print("in 384 tokens, pairs 12 to 15 rotate by", *[f"{384 * model.speeds[m]:.1f}" for m in range(12, 16)], "radian")

# %% [markdown]
# Stopping the slowest 16 costs little. Stopping the slowest 20 costs about as much as stopping pair 0 in `pydoc_a` and
# `licence`, more in `pydoc_b`, less in `course`. The four pairs added, 12 to 15, rotate by 1.7 to 5.1 radian here.
#
# The cache can be a reason to leave channels unrotated. In DeepSeek-V3, RoPE rotates 64 channels of a key and leaves
# the other 128 as they are. The model caches two things per token: the 64 rotated channels, which all heads share, and
# a compressed vector $c$. From $c$ each head can compute its value and the other 128 channels of its key.
#
# These channels are $A c$ with a fixed matrix $A$. Since $q \cdot (A c) = (A^\top q) \cdot c$, a decoder merges
# $A^\top$ into $W_q$ once and never computes them. A rotation between $q$ and $A$ would differ from token to token, so
# nothing could be merged.
#
# **Sources** J. Su et al., *RoFormer*, 2021, section 3.2.2, section 3.4.3 · F. Barbero et al., *Round and Round We
# Go!*, 2024 · H. Wang et al., *When Precision Meets Position: BFloat16 Breaks Down RoPE in Long-Context Training*, 2024
# · the code of `transformers` 5.23 · the model: L. Ben Allal et al., *SmolLM2*, 2025. The five tokens come from a
# published tutorial on relative position bias.
