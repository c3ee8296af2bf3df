# %% [markdown]
# # 07 · ALiBi and RoPE
#
# Two schemes that have nothing to learn. ALiBi subtracts a straight line from the scores, steep in one head and flat in
# another. RoPE adds nothing at all: it turns queries and keys before they meet. Both fit in a few lines, and both have
# details that are easy to get wrong without any error: the slopes of 12 heads, a bias that needs a mask, channels that
# are paired in two ways. You will run each of them, and test what is said about them.
#
# **You will be able to**
# - give every head its slope, for 8 heads and for 12, where two formulas are in circulation;
# - say what the softmax takes away from a bias, and when a shortcut that uses it fails;
# - turn a query and a key by hand, and prove that their product knows $j - i$ and nothing else of the positions;
# - convert weights between the two ways to pair channels, and recognise what happens when they are mixed;
# - test "decays with distance" and "extrapolates" instead of repeating them.
#
# **You need** chapters 01 (sinusoids turn), 02 (bias, linear decay, mask), 06 (`past`) and a little torch. **Time** about 75 minutes,
# and 85 for the tasks.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_lib import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
cat, sat, mat = (TOKENS.index(word) for word in ("cat", "sat", "mat"))

# %% [markdown]
# ## ALiBi: a straight line
#
# ALiBi (attention with linear biases) was made for decoders: a query looks at itself and back. A key that is $i - j$
# tokens back loses $m \, (i - j)$ in its score, where the **slope** $m$ is fixed (Press et al. 2022, section 3):
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m \, (i - j), \qquad j \le i$$
#
# One query first: *mat*, the last token, with the slope $m = \frac12$.

# %%
m = 1 / 2
plain = scores(Q, K)
back = mat - np.arange(n)
biased = plain[mat] - m * back

# 0 - m * back, and not -m * back: that would make −0 of 0
made = np.array([plain[mat], 0 - m * back, biased, softmax(biased), softmax(plain[mat])])
assert np.isclose(made[3].sum(), 1)
rows = ["scaled score", "−m · (i − j)", "sum", "weight", "weight without"]
figures.heatmap(made, rows=rows, columns=list(TOKENS), alt='ALiBi, query "mat"')

# %% [markdown]
# Chapter 02 had the same idea with a logarithm, and compared it with a straight line. Here is the line for all queries,
# in two loops, and as a row laid on the diagonals. What the mask hides may hold any number; the loop leaves it at 0.

# %%
by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        by_loop[i, j] = 0 - m * (i - j)

B = to_grid(-m * abs(row_offsets(n))[None], n)
mask = causal_mask(n)
assert np.array_equal(np.where(mask, B, 0), by_loop)

_, weights = attention(Q, K, V, bias=B, mask=mask)
_, without = attention(Q, K, V, mask=mask)
assert np.allclose(weights[mat], softmax(biased))
figures.side_by_side(
    figures.heatmap(without, alt="Causal weights without a bias"),
    figures.heatmap(weights, alt="Causal weights, m = 1/2"),
)

# %% [markdown]
# Nothing here is learned. The bias is added after the scaling and is not scaled itself (footnote 10 of the paper).
#
# ## A slope for each head
#
# If all heads had the slope $\frac12$, the layer would see a few tokens and no more. So each head gets its own: for
# $H$ heads, $H$ a power of two, a geometric sequence that ends at $2^{-8}$:
#
# $$m_h = 2^{-8h/H}, \qquad h = 1 \dots H$$

# %%
H = 8
eight = np.array([2 ** (-8 * h / H) for h in range(1, H + 1)])
print("8 heads:", ", ".join(f"1/{1 / slope:.0f}" for slope in eight))
print("4 heads:", ", ".join(f"1/{4**h}" for h in range(1, 5)))

from course_lib.reference.alibi import alibi_bias, key_form, slopes

assert np.array_equal(slopes(8), eight)
assert np.array_equal(slopes(4), [1 / 4**h for h in range(1, 5)])
assert np.array_equal(alibi_bias(n, n_heads=8)[0], B)  # our head with m = 1/2

# %% [markdown]
# How far does each of them see? Suppose all keys fit equally well, so that the bias alone decides. How many of the
# nearest keys hold 90 % of the weight?

# %%
distance = np.arange(4096)
for h, slope in enumerate(slopes(8), 1):
    within = softmax(-slope * distance).cumsum()
    print(f"head {h}: slope 1/{1 / slope:<3.0f} 90 % within the nearest {np.searchsorted(within, 0.9) + 1:3}")
assert np.searchsorted(within, 0.9) + 1 == 590

# %% [markdown]
# From 5 keys to 590, doubling from head to head: together the heads cover what is near and what is some hundreds of
# tokens away. The width does not depend on the length of the text (chapter 02 measured that for one slope).
#
# ## Twelve heads, two formulas
#
# Many models have 12 heads, or 20, or 40. Read as it stands, the formula works for any $H$, and code on the web uses it
# so. The authors' own code does something else: when $H$ is no power of two, it takes all slopes of the next lower
# power of two, here 8, and fills up with every other slope of the next higher one, 16.

# %%
formula = np.array([2 ** (-8 * h / 12) for h in range(1, 13)])
sixteen = [2 ** (-8 * h / 16) for h in range(1, 17)]
code = np.array([*eight, *sixteen[::2][:4]])
assert np.array_equal(code, slopes(12))

print("head   formula    authors' code")
for h in range(12):
    print(f"{h + 1:4}   {formula[h]:.4f}     {code[h]:.4f}" + ("  (from 16 heads)" if h > 7 else ""))
print("heads with the same slope:", np.isclose(formula, code).sum())

# %% [markdown]
# Not one head of twelve agrees. Neither set is better as such: both reach from somewhat above $\frac12$ down to
# $\frac{1}{256}$. But published weights were *trained* with one of them, and BLOOM, MPT and Falcon-RW have the authors'
# slopes. Load such weights into the other formula, and every head finds its keys at another distance than it learned.
#
# The slopes are not all that must agree. Falcon-RW is an exception one must know: its code divides the *sum* of score
# and bias by $\sqrt d$, so its bias is scaled as well, and it rounds slopes and bias to bfloat16.
#
# Note the order, too. By the authors' rule the slopes do not fall from head to head: head 9 is the steepest of all.
# Move the number of heads and see when the formulas agree; choose a head to read where its slope comes from.

# %%
assert not np.isclose(formula, code).any() and slopes(12).argmax() == 8
figures.alibi_slopes(12)

# %% [markdown]
# What would it do to the weights? Take head 1 of 12, keys that fit equally well, and a query with 20 keys behind it. And
# a relative of that bug: a large model splits its heads over several machines, say 4 of 8 on each. The slopes belong to
# the *model's* heads. Compute them for 8, then take your part.

# %%
for name, slope in (("authors' code", code[0]), ("formula", formula[0])):
    w = softmax(-slope * np.arange(20))
    print(f"{name:13}  slope {slope:.4f}: itself {w[0]:.1%}, one back {w[1]:.1%}, ten back {w[10]:.2%}")

by_four = [slopes(4), slopes(8)[:4]]
assert not np.allclose(*by_four)
print("\nfirst 4 heads of 8, as slopes(4):    ", by_four[0])
print("first 4 heads of 8, as slopes(8)[:4]:", by_four[1])

# %% [markdown]
# ## What the softmax takes away
#
# Look into the code of BLOOM and you will not find $i - j$. It adds $m \, j$, the position of the key, and no query
# position at all. Why is that the same? Split the bias:
#
# $$-m \, (i - j) = m \, j - m \, i$$
#
# In row $i$ the second part is one number for all keys, $c = -m\,i$. And the softmax divides out what is common to a row:
#
# $$\frac{e^{s_j + c}}{\sum_k e^{s_k + c}} = \frac{e^c \, e^{s_j}}{e^c \sum_k e^{s_k}}
# = \frac{e^{s_j}}{\sum_k e^{s_k}}$$

# %%
bloom = key_form(n, n_heads=8)[0]
paper = -0.5 * (np.arange(n)[:, None] - np.arange(n))
assert bloom.shape == (1, n)
print("added in each row:", np.unique(bloom - paper, axis=1).ravel())

_, from_bloom = attention(Q, K, V, bias=bloom, mask=mask)
assert np.allclose(from_bloom, weights)
figures.side_by_side(
    figures.heatmap(np.where(mask, paper, -np.inf), signed=True, limit=2, alt="−m (i − j), causal"),
    figures.heatmap(np.where(mask, bloom, -np.inf), signed=True, limit=2, alt="m · j, causal"),
)

# %% [markdown]
# Row $i$ on the right is row $i$ on the left plus $i/2$. The weights are equal, to the last digit that counts. And the
# shortcut is worth having: one row `(heads, 1, n_k)` serves all queries, where the other form is a matrix for each head.
# MPT adds $m \, (j - (n - 1))$, again the same up to a constant in each row.
#
# ## Symmetric, causal, and neither
#
# All of these are *causal* forms: they agree under a causal mask. An encoder has no such mask. What if it is given
# BLOOM's row? Commit to an answer, for keys that all fit equally well.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "No mask, the bias m · j on every score, all keys equally good. Where does the first token look?",
    options={
        "Mostly at itself": "That would need −m·|i − j|. m·j does not know where the query stands.",
        "At all tokens equally": "The bias is not constant along a row: it grows with j.",
        "Mostly at the last token": "Yes, and so does every other token.",
        "At the second token": "The bias grows further than that: m·j is largest at the end.",
    },
    answer="Mostly at the last token",
)

# %%
no_mask_key = softmax(np.broadcast_to(bloom, (n, n)))
no_mask_paper = softmax(paper)
no_mask_symmetric = softmax(B)
assert np.allclose(no_mask_key, no_mask_paper) and np.allclose(no_mask_key, no_mask_key[0])
assert np.array_equal(B[mask], paper[mask])  # on and below the diagonal
figures.side_by_side(
    figures.heatmap(no_mask_key, alt="No mask: m · j, or −m (i − j)"),
    figures.heatmap(no_mask_symmetric, alt="No mask: −m |i − j|"),
)

# %% [markdown]
# On the left every row is the same: without a mask, $m\,j$ and $-m\,(i - j)$ say nothing about the distance, they only
# favour the end of the text. A key *after* the query even gets a reward, $-m\,(i - j) > 0$. An encoder needs the
# symmetric form $-m\,|i - j|$, on the right, which is an extension: the paper has only the causal one. Below the
# diagonal the two are equal, so under a causal mask you may use either.
#
# The symmetric form cannot tell *before* from *after*. A decoder does not mind: its mask has removed *after*.
#
# ## Decoding with ALiBi
#
# A decoder that writes asks for one new query at position `past`. The matrix form must know that (chapter 06). The key
# form need not: its row does not contain $i$. In torch, the course's `ALiBi` takes care of it.

# %%
past = 4
last_row = 0 + alibi_bias(1, n, n_heads=8, past=past)[0]
forgotten = 0 + alibi_bias(1, n, n_heads=8)[0]
print("−m |i − j|, past = 4:   ", last_row[0])
print("−m |i − j|, past missing:", forgotten[0])
print("m · j, at every step:    ", bloom[0])
assert np.allclose(softmax(last_row), softmax(bloom))
assert not np.allclose(softmax(forgotten), softmax(bloom))

import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention

torch.manual_seed(0)
layer = RelativeAttention(24, 12, position=ALiBi(12), causal=True)
x, cache = torch.randn(1, 40, 24), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## "ALiBi reads texts of any length"
#
# Easy to believe; let us run it. The bias of a far key is a known number. How much higher must a far key score than the
# query's own token, for the same weight?

# %%
for r in (100, 1000, 10_000):
    need = slopes(8) * r
    print(f"{r:6} tokens back: a score higher by {need[-1]:6.2f} (head 8), {need[3]:6.1f} (head 4)")
print(f"a lead of {need[-1]:.2f} in the score: a factor of {math.exp(need[-1]):.1e} in the weight")
assert math.isclose(need[-1], 10_000 / 256)

# %% [markdown]
# No head is forbidden to look 10,000 tokens back, yet none will, unless the content of that key wins by 39 in the score,
# in the flattest head. What ALiBi promises is that a longer text does no harm: the far tokens get next to no weight. That
# is not the same as reading them. How the loss behaves beyond the training length is measured in chapter 10.

# %% [markdown]
# ## RoPE: one pair, turned
#
# Now something quite different. RoPE (rotary position embedding, Su et al. 2021) takes the channels of a query two by
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
# own, the same as in chapter 01's sinusoids:
#
# $$\theta_m = \text{base}^{-2m/d}, \qquad m = 0 \dots d/2 - 1, \quad \text{base} = 10000$$
#
# (From here on $m$ counts pairs, as in chapter 01; the slopes are done with.) For our $d = 4$ the speeds are 1 and 0.01.
# Turn all five queries and keys, pair by pair, in a loop; pair $m$ is channels $m$
# and $m + d/2$.

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
# [Chapter 10](10_longer_than_training.ipynb) measures small models of our own: trained at 64, RoPE breaks from place 112
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
# how much, is a question for training. Chapter 10 asks it.

# %% [markdown]
# ## Late positions in bfloat16
#
# bfloat16 has 8 significant bits: from 256 on it has no odd numbers. Both schemes can be spoiled by that, in code that
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
# Equal to Hugging Face's BLOOM (ALiBi), Llama (half-split) and GPT-J (interleaved), when `transformers` is installed.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.rope import rotate as torch_rotate

try:
    from transformers import FalconConfig, LlamaConfig
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.falcon import modeling_falcon as falcon
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama

    for n_heads in (1, 8, 12, 20, 40):
        published = build_alibi_tensor(torch.ones(1, 30), n_heads, torch.float32)
        assert np.allclose(published.numpy(), key_form(30, n_heads=n_heads))
        coarse = falcon.build_alibi_tensor(torch.ones(1, 30), n_heads, torch.float32)  # to be divided by √d with the scores
        assert torch.allclose(coarse, published, rtol=2**-7)
    print("BLOOM: the bias of 30 keys agrees for 1, 8, 12, 20 and 40 heads; Falcon-RW's as far as bfloat16 goes")

    some_q, some_k = torch.randn(2, 1, 2, 11, 16)
    config = LlamaConfig(hidden_size=32, num_attention_heads=2)
    cos, sin = llama.LlamaRotaryEmbedding(config)(some_q, 100 + torch.arange(11)[None])
    published, _ = llama.apply_rotary_pos_emb(some_q, some_k, cos, sin)
    assert torch.allclose(torch_rotate(some_q, 100), published, atol=1e-5)

    sin, cos = gptj.create_sinusoidal_positions(120, 16)[None, 100:111].chunk(2, -1)
    published = gptj.apply_rotary_pos_emb(some_q.transpose(1, 2), sin, cos).transpose(1, 2)
    assert torch.allclose(torch_rotate(some_q, 100, interleaved=True), published, atol=1e-5)
    print("Llama: half-split, GPT-J: interleaved, at positions 100 … 110")
    print("Falcon uses ALiBi by default:", FalconConfig().alibi)
except ImportError:
    print("transformers is not installed: nothing to compare with")

# %% [markdown]
# The last line is for two sentences that circulate. "Falcon uses ALiBi": only the small Falcon-RW models do, the large
# ones use RoPE. "GPT-3 uses RoPE": it has learned absolute positions (Press et al. 2022, section 4).
#
# ## What each of them costs
#
# Neither has parameters. What must be kept for 12 heads of 64 channels and a text of 4,096 tokens, in 32-bit floats? It
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
# attention begins (chapter 09). What the two can *express* is not the same. ALiBi's number depends on the offset alone
# and always favours the near; RoPE lets the content of both tokens decide what an offset means.

# %% [markdown]
# ## Remember
#
# - ALiBi: $-m_h \, (i - j)$ after the scaling, one fixed slope per head. For $H$ a power of two $m_h = 2^{-8h/H}$; for
#   other numbers the authors' code takes the slopes of the next lower power of two, then every other one of the next
#   higher.
# - What is constant along a row, the softmax takes away. So $m\,j$ will do, *under a causal mask*. Without a mask it
#   favours the end of the text: an encoder needs $-m\,|i - j|$.
# - RoPE turns pair $m$ of each query and key by $p\,\theta_m$. Their product contains $R_{j-i}$: positions go in one by
#   one, the offset comes out. Values are not turned.
# - Two ways to pair channels, one permutation between them, head by head. Mixed weights are still relative, and wrong.
# - Keys turn once, at their own position, before the cache; angles are computed in float32.
# - RoPE's scores do not decay by themselves, and angles that were never seen are a question for training.
# - The same slopes are not yet the same model: Falcon-RW divides its bias by $\sqrt d$, BLOOM and MPT do not.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A checkpoint has 12 heads and ALiBi. Your code computes 2^(−8h/12). What happens?",
    options={
        "An error: 12 is no power of two":
            "The formula takes any number of heads. That is what makes it hard to notice.",
        "The same, in another order":
            "Four of the values occur in both sets, in other heads. The others do not.",
        "Every head decays at another speed than in training":
            "Yes: no head keeps its slope. The text it writes gets worse, and nothing else tells you.",
        "Nothing: softmax takes a constant factor away":
            "It takes away what is added to a whole row. A slope multiplies the distance.",
    },
    answer="Every head decays at another speed than in training",
    title="Question 1",
)

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
    title="Question 2",
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
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [Tasks for this chapter](../exercises/07_alibi_and_rope.ipynb): eight, from slopes with a pencil to four bug hunts.
#
# **Next:** [08 · Two dimensions](08_two_dimensions.ipynb).
#
# **Sources** O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input Length
# Extrapolation*, 2022, section 3 (the bias, the slopes), sections 2 and 4 (comparisons), and their published code (other
# numbers of heads) · J. Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021, section 3.2.2
# and section 3.4.3 · S. Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*,
# 2023 · F. Barbero et al., *Round and Round We Go! What Makes Rotary Positional Encodings Useful?*, 2025 · the code of BLOOM,
# MPT, Falcon, Llama and GPT-J in Hugging Face's `transformers`.
