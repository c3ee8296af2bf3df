# %% [markdown]
# # [[title]]
#
# You have built many ways to tell attention where a token is. *Which one should we use?* Two last schemes show what no
# number per offset can do.
#
# **You will be able to**
# - say what no row of offsets can express, and how position can come from content;
# - choose a scheme for a given model, and say on what ground;
# - have a new scheme checked, timed and trained, and a new repair measured.
#
# **You need** chapters [[bias_by_hand|#]] to [[windows_and_sinks|#]]. **Time** [[time]]. The quiz takes 25 more.

# %%
import numpy as np

from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_study import own_scheme
from course_tasks import comparison, guide, measured, questions

np.set_printoptions(precision=4, suppress=True)

# %% [markdown]
# ## What no row of offsets can say
#
# Ten tokens back is far for the twentieth token, and near for the two-thousandth. FIRE's bias depends on how large the
# distance is compared with the query's position. It takes $\psi(x) = \ln(c\,x + 1)$ of both and divides (Li et al.
# 2023). By hand, with $c = 1$, for the query *mat* at position 4:

# %%
def psi(x):
    return np.log(x + 1)


for j in (3, 2, 0):
    print(f"mat → {TOKENS[j]:3}: distance {4 - j}, share {psi(4 - j):.4f} / {psi(4):.4f} = {psi(4 - j) / psi(4):.4f}")

# %% [markdown]
# A small network $g$ turns the share into the bias. For a query before position $\tau$, the denominator is
# $\psi(\tau)$. The network, $c$ and $\tau$ are learned.
#
# $$b_{ij} = g\left(\frac{\psi(i - j)}{\psi(\max(i, \tau))}\right)$$
#
# Let $g(x) = -2x$ and $\tau = 2$. Which bias does the key just before each query get?

# %%
from course_lib.reference.fire import shares

n, tau = len(TOKENS), 2
mask = np.tri(n, dtype=bool)
fire = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        fire[i, j] = -2 * psi(i - j) / psi(max(i, tau))
assert np.allclose(fire, np.tril(-2 * shares(n, c=1, threshold=tau)))
figures.heatmap(np.where(mask, fire, -np.inf), alt="FIRE's bias: the diagonals are not constant")

# %% [markdown]
# One token back, the bias takes three values, so no row of offsets holds it ([[diagonals|chapter #]]).
#
# ## Position from content
#
# FoX, the forgetting transformer (Lin et al. 2025), gets no positions. In each head, every token $l$ has a **gate**
# $f_l = \sigma(w \cdot x_l + \beta)$ between 0 and 1. It says how much is kept of all tokens before $l$. Suppose that
# the gates of one head are 1/4 at *sat*, 1/2 at *mat* and 1 elsewhere. How much of each key is left when *mat* looks
# back?

# %%
from course_lib.reference.fox import fox_bias

gates = np.array([1, 1, 1 / 4, 1, 1 / 2])
kept = [gates[j + 1 :].prod() for j in range(n)]  # the gates of the tokens after key j
for token, share in zip(TOKENS, kept):
    print(f"{token:3} kept {share:5.3f}, bias {np.log(share):.4f}")
fox = np.tril(fox_bias(gates))
assert np.allclose(fox[-1], np.log(kept))

# %% [markdown]
# The bias is the logarithm, so the product becomes a sum:
#
# $$b_{ij} = \sum_{l=j+1}^{i} \ln f_l$$
#
# *The* and *cat* are equally far because *cat* forgets nothing: distance now depends on content. The bias is a
# difference $c_i - c_j$ of running sums, and the softmax removes $c_i$, which a row shares. So one number per key is
# enough, $-c_j$ (place 6 of the map in [[start_here|chapter #]], there $f_j$).
# If all gates are equal, every step adds the same $\ln f$. Then FoX is ALiBi, with the slope $-\ln f$.

# %%
from course_lib.reference.alibi import alibi_bias

constant = np.tril(fox_bias(np.full(n, np.exp(-1 / 4))))
assert np.allclose(constant, np.tril(alibi_bias(n, n_heads=4)[0]))  # the head with slope 1/4
figures.side_by_side(
    figures.heatmap(np.where(mask, constant, -np.inf), limit=2, digits=2, alt="FoX with one gate: ALiBi"),
    figures.heatmap(np.where(mask, fox, -np.inf), limit=2, digits=2, alt="FoX with gates from content"),
)

# %% [markdown]
# What are such gates good for? In [[longer_than_training|chapter #]], two-layer models learned two tasks at 128 tokens:
# *flip-flop* (the last bit written) and *retrieval* (the value of a name told far back).

# %%
for scheme in ("fox", "alibi"):
    for task in (measured.BITS, measured.NAMES):
        right = measured.right(scheme, task)
        print(f"{scheme:5} {task:9} right at 128, 256, 512, 1,024 tokens:", *[f"{share:4.0%}" for share in right])

# %% [markdown]
# A write can close its gate on earlier writes. But a far name needs every gate after it open, in some head. (We did
# not test whether this explains the 30 %.) For larger models, Lin et al. report that FoX extrapolates better than a
# Transformer, and equals it in tasks on long texts.
#
# ## A guide
#
# What you have makes most of the choice: weights, a mask, a kernel, an image. The guide has rules for each answer, and
# the worst verdict wins. *Fits* needs a proof, or a released model that does it. *Ruled out* needs a proof, or your own
# weights. Our small models give a *caveat* at most. Before each of three situations, say what you would do.
#
# **You have SmolLM2, and texts longer than its 8,192 tokens.**

# %%
ATTENDED, LENGTH, FIND, WEIGHTS, *_ = guide.QUESTIONS
longer = {LENGTH: "longer than in training"}
guide.ask({WEIGHTS: "Llama 3, Mistral 7B v0.3, SmolLM2", **longer}, "T5 buckets", "RoPE")

# %% [markdown]
# So take a repair from [[stretching_rope|chapter #]], and run its three tests.
#
# **You train a new decoder. It must find what was said far back, in texts longer than in training.**

# %%
far = {FIND: "something said far back, by its content"}
guide.ask({ATTENDED: "text, left to right", **longer, **far}, "T5 buckets", "Transformer-XL", "ALiBi")

# %% [markdown]
# Two fit. What does our study say? Which released models read long texts, and who says so?

# %%
evidence = {
    "hybrid": ("window-64+none", "Llama 4, trained up to 256k: reads 10M, say its makers"),
    "T5 buckets": ("t5-64", "none that we know"),
    "Transformer-XL": ("transformer-xl", "its authors', with far distances clipped, tested in text"),
    "ALiBi": ("alibi", "its authors', hardly using far text; StoryWriter, trained at 65k: writes 84k, say its makers"),
}
print(f"{'':15} nats   retrieval  released model, and who measured it")
for scheme, (run, models) in evidence.items():
    print(f"{scheme:15} {measured.rise(run):+.2f}  {measured.right(run, measured.NAMES)[-1]:4.0%}       {models}")
print("stretched RoPE  –      –          Llama 3.1 70B, trained up to 128k: effective up to 64k, says RULER")

# %% [markdown]
# So choose one of the two. Our study would also allow Transformer-XL, and T5 if its last bucket begins within
# training (`t5-256` breaks). Both get a caveat because we know no released model that finds far words with them. But
# *beyond* training our ground is thin, too: for the hybrid its makers' report, for stretched RoPE two pass keys of
# SmolLM2.
#
# **You have a Swin, and want larger windows.**

# %%
guide.ask({WEIGHTS: "Swin", **longer}, "axial RoPE", "Swin")

# %% [markdown]
# Which answers describe *your* model?

# %%
guide.picture()

# %% [markdown]
# ## A scheme of your own
#
# To judge a new scheme you need three answers. Does the module do what its formula says? What does it cost? What does
# it do beyond its training length? Each is one call of `own_scheme`. Our example is a bias that falls linearly up to
# distance 16 and is constant from there on.
#
# A scheme is a class with *hooks*, methods such as `bias`. `agrees` compares your class with plain loops, so you also
# give it the formula for one offset $r$. This first version has a fault. Can you see it?

# %%
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position


class FirstRamp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, 0)  # j − i of every diagonal
        return -0.25 * r.abs().clamp(max=16)[None]


by_formula = own_scheme.with_bias(lambda module, head, r: -0.25 * min(abs(r), 16))
first = own_scheme.agrees(lambda n_heads, d_head: FirstRamp(), by_formula)
assert not first.passed and "past" in first.cause
first

# %% [markdown]
# Training on whole texts never shows this. Repaired:

# %% tags=["nbval-ignore-output"]
class Ramp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, past)
        return -0.25 * r.abs().clamp(max=16)[None]


def make(n_heads, d_head):
    return Ramp()


second, cost = own_scheme.agrees(make, by_formula), own_scheme.benchmark(make)
assert second.passed and cost.kept[1024] == 4 * 2047
print(second)
cost

# %% [markdown]
# The times vary, the bytes do not: $2n - 1$ numbers of 4 bytes are a row, not a matrix.
#
# Next we train it for 300 steps at 128 tokens. Will its loss at 1,024 stay level, as ALiBi's does, or rise?

# %% tags=["nbval-ignore-output"]
ramp = own_scheme.train(make, "characters", against=("alibi",))
ramp

# %% [markdown]
# Ramp's loss rises by half a nat, though no bias is untrained. Why? At equal scores:

# %%
near = np.exp(-0.25 * np.arange(16)).sum()
for tokens in (128, 1024):
    far_keys = tokens - 16
    print(f"last of {tokens:,} tokens: 16 near keys weigh {near:.1f}, {far_keys} far keys {far_keys * np.exp(-4):.1f}")
assert far_keys * np.exp(-4) > 4 * near

# %% [markdown]
# In the longer text the far keys outweigh the near ones. Yet at the training length, Ramp is better than ALiBi, by a
# twentieth of a nat. Is it because far keys stay in reach? That needs a **control**: the same line without the stop.

# %% tags=["nbval-ignore-output", "prints-only"]
from course_lib.nn.bias import DecayBias

control = own_scheme.train(lambda n_heads, d_head: DecayBias(0.25, "linear"), "characters", against=("alibi",))
control

# %% [markdown]
# The straight line is as good at 128, and it stays level. So in this run the stop gained nothing and cost half a nat at
# 1,024. But one seed and 300 steps are not a result: after 2,000 steps, one slope for all heads (1/16) is *worse* than
# ALiBi ([[longer_than_training|chapter #]]).
#
# ## A repair of your own
#
# You write speeds, a bias or a mask for SmolLM2, and one call measures them beside the repairs of
# [[stretching_rope|chapter #]]: on short texts, with a gap, and on four pass keys, near and far. Our example
# keeps the 16 fastest pairs and divides the others by 4. In which column will it be worse than YaRN?

# %% tags=["nbval-ignore-output"]
from course_lib.reference.absolute import frequencies
from course_study import own_repair

# key near: the question comes 190 tokens after the key; key far: 20,000 positions more
speeds = frequencies(64, base=100_000)  # of SmolLM2's 32 pairs
step = own_repair.measure(np.where(np.arange(32) < 16, speeds, speeds / 4), name="step at 16")
assert step.gap[0] < 0.5  # YaRN: 0.54; with the first half hidden: 0.49
step

# %% [markdown]
# With the gap it loses less than YaRN, and yet in four tries it finds one far key. So a low loss does not show that far
# words are used. `help(own_repair)` shows how to write a bias or a mask.
#
# ## All schemes in one table
#
# Tests compute each cell of this table, and the fold says how.

# %%
comparison.picture()

# %% [markdown]
# Only the column *longer texts* rests on trained models, and these are small. `none` rises by 0.17 and finds 98 % of
# the far names; ALiBi is level and finds 41 %. **A level loss is no reason to choose a scheme. Ask what the model can
# use.**
#
# ## Remember
#
# - Ask first where a scheme enters. This limits what it can say and which kernels can run it.
# - FIRE's bias also depends on the query's position, and FoX's on the gates of all tokens after the key. With a
#   constant gate FoX is ALiBi.
# - Most of the choice is made by what you have: weights and their `config.json`, a mask, a kernel, an image.
# - Level is not use. A better number needs a control.
#
# ## The whole course in questions

# %% tags=["hide-input"]
# @title Quiz
questions.quiz(title=f"The whole course in {len(questions.QUIZ)} questions")

# %% [markdown]
# ## Now you
#
# [[tasks]]: from six situations to a published scheme in which each head *learns* how strongly its bias falls.
#
# **And then?** Test a claim about attention that you read this week, in five lines of code.
#
# ## Deeper · FoX needs no matrix
#
# Are the outputs with $-c_j$ equal to those with the whole matrix? ([[alibi|Chapter #]] did the same with ALiBi.)

# %%
from course_lib.reference.attention import attention

c = np.cumsum(np.log(gates))
assert np.allclose(np.tril(c[:, None] - c), fox)
_, by_matrix = attention(Q, K, V, bias=fox, mask=mask)
_, by_key = attention(Q, K, V, bias=-c, mask=mask)
assert np.allclose(by_matrix, by_key)

# %% [markdown]
# ## Deeper · Positions counted from the scores
#
# No hook of `own_scheme` sees the scores. CoPE (Golovneva et al. 2024) needs them. A gate
# $g_{ik} = \sigma(q_i \cdot k_k)$ says whether query $i$ counts token $k$. The position of key $j$ is the number of
# tokens counted from $j$ to $i$:
#
# $$p_{ij} = \sum_{k=j}^{i} g_{ik}$$
#
# A table has a vector $e_p$ for each whole $p$. In between, the score $q_i \cdot e_p$ is interpolated. Our gates by
# hand count *sat* and *mat*. Which position has each key, seen from *mat*?

# %%
def cope(Q, K, table, gates=None):
    """Scores with CoPE, and the positions (n, n). table (positions, d): a vector for each whole position."""
    scores = Q @ K.T
    gates = np.tril(1 / (1 + np.exp(-scores)) if gates is None else gates)
    p = np.cumsum(gates[:, ::-1], axis=1)[:, ::-1].clip(max=len(table) - 1)
    below, above = np.floor(p).astype(int), np.ceil(p).astype(int)
    at = Q @ table.T  # for each query and whole position
    low, high = (np.take_along_axis(at, whole, axis=1) for whole in (below, above))
    return scores + low + (p - below) * (high - low), p


rows = np.random.default_rng(0).normal(size=(6, K.shape[1]))
counted = np.tile([0.0, 0, 1, 0, 1], (n, 1))  # sat and mat
print("from mat, counted by hand:", cope(Q, K, rows, counted)[1][-1])
print("gates from the scores:    ", cope(Q, K, rows)[1][-1])

by_distance, _ = cope(Q, K, rows, np.ones((n, n)))
assert all(np.isclose(by_distance[i, j], Q[i] @ (K[j] + rows[i - j + 1])) for i in range(n) for j in range(i + 1))

# %% [markdown]
# *The*, *cat* and *sat* are two counted words away, *on* and *mat* one. If the gates count full stops, a head can ask
# for "the last sentence but one". If every gate is 1, the position is the distance plus 1, and CoPE is a vector per
# distance ([[vector_per_distance|chapter #]]).
#
# ## Deeper · A matrix for every token
#
# PaTH (Yang et al. 2025) lets each token $t$ after the key change what a query reads. Its matrix $H_t = I - \beta_t w_t
# w_t^\top$ shrinks or reverses one direction: $w_t$ is a unit vector, $\beta_t$ lies between 0 and 2, and both come
# from the token (in the published code, $w_t$ also from the two before it).
#
# $$s_{ij} = k_j^\top H_{j+1} \cdots H_i \, q_i$$
#
# FoX fits into a hook, because its sum of numbers splits into $c_i - c_j$. To split this product in the same way, one
# would need the inverse of $H_t$. With $\beta = 1$ there is none. Suppose that *sat* erases channel 0. Which scores
# change?

# %%
def path(Q, K, w, beta):
    """Scores with PaTH (n, n): a query passes the tokens on its way back to each key."""
    scores = np.full((len(Q), len(K)), -np.inf)
    for i, moved in enumerate(Q):
        for j in range(i, -1, -1):
            scores[i, j] = K[j] @ moved
            moved = moved - beta[j] * (w[j] @ moved) * w[j]  # H_j, for the keys before j
    return scores


w, beta = np.tile(np.eye(K.shape[1])[0], (n, 1)), np.array([0.0, 0, 1, 0, 0])  # sat erases channel 0
print(np.where(mask, path(Q, K, w, beta) - Q @ K.T, 0))
assert np.allclose(path(Q, K, w, beta)[-1, :2], K[:2, 1:] @ Q[-1, 1:])  # mat reads The and cat without channel 0
assert np.allclose(path(Q, K, w, 0 * beta)[mask], (Q @ K.T)[mask])  # β = 0: plain scores

# %% [markdown]
# Only keys before *sat* change, and only for queries from *sat* on. (In channel 0, the key of *The* and the query of
# *on* are 0, so there is nothing to erase.) With $\beta = 2$ the direction is reversed, and two
# reversals rotate one plane. So two tokens can rotate one plane, by content. RoPE rotates d/2 planes, by distance.
#
# ## Deeper · Open questions
#
# Three questions about SmolLM2's gap are open, each enough for a project. With one gap of 4,400 positions it finds none
# of four keys, and with the same gap in four parts it finds all (committed runs): why? Twelve pairs are open, but a gap
# of 16,384 does little harm only if 15 or more are stopped: why? And does what helps here help in long texts, and in
# other models?
#
# ## Deeper · Easy to believe; let us run it
#
# **Judge each one, then read why.** These claims compare schemes, so watch for numbers without a model.

# %%
questions.claims("which_one")

# %% [markdown]
# **Sources** S. Li et al., *Functional Interpolation for Relative Positions Improves Long Context Transformers*, 2023
# (FIRE) · Z. Lin et al., *Forgetting Transformer: Softmax Attention with a Forget Gate*, 2025 · O. Golovneva et al.,
# *Contextual Position Encoding: Learning to Count What's Important*, 2024 · S. Yang et al., *PaTH Attention: Position
# Encoding via Accumulating Householder Transformations*, 2025 · B. Yang et al., *Rope to Nope and Back Again*, 2025 ·
# the `config.json` files of Llama 3.1, Qwen 3, gpt-oss, Gemma 3 and DeepSeek-V3 · T.-C. Chi et al., *KERPLE*, 2022 (the
# scheme of the tasks) · C.-P. Hsieh et al., *RULER*, 2024 · MPT-7B-StoryWriter's model card. Each claim names its
# sources.
