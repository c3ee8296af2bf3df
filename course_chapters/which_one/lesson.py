# %% [markdown]
# # [[title]]
#
# You have built many ways to tell attention where a token is. *Which one should we use?* The last two schemes show what
# no number per offset can do.
#
# **You will be able to**
# - say what no row of offsets can express, and how position can come from content;
# - choose a scheme for a given model, and say on what ground;
# - have a new scheme checked, timed and trained.
#
# **You need** chapters [[bias_by_hand|#]] to [[windows_and_sinks|#]]. **Time** [[time]]. The quiz takes 25 more.

# %%
import numpy as np

from course_chapters import measured, questions
from course_chapters.which_one import comparison, guide
from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_study import own_scheme

np.set_printoptions(precision=4, suppress=True)

# %% [markdown]
# ## What no row of offsets can say
#
# Ten tokens back is far for the twentieth token, and near for the two-thousandth. So FIRE (Li et al. 2023) divides
# $\psi$ of the distance by $\psi$ of the query's position, where $\psi(x) = \ln(c\,x + 1)$. We call the result the
# *share*. By hand, with $c = 1$, for the query *mat* at position 4:

# %%
def psi(x):
    return np.log(x + 1)


for j in (3, 2, 0):
    print(f"mat → {TOKENS[j]:3}: distance {4 - j}, share {psi(4 - j):.4f} / {psi(4):.4f} = {psi(4 - j) / psi(4):.4f}")

# %% [markdown]
# A small network $g$ turns the share into the bias. The denominator is at least $\psi(\tau)$, so the first queries do not
# divide by tiny numbers. Training learns the network, $c$ and $\tau$.
#
# $$b_{ij} = g\left(\frac{\psi(i - j)}{\psi(\max(i, \tau))}\right)$$
#
# Let $g(x) = -2x$ and $\tau = 2$. Does the key just before a query always get the same bias?

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
# At distance 1, the bias takes three values: up to $\tau$ the denominator is constant, then it grows. A row of offsets
# ([[diagonals|chapter #]]) has only one number for each distance, so it cannot express FIRE.
#
# In torch, `FIRE` is the position of a layer, and $g$ is its network. With numbers that make $g(x) = -2x$, the layer
# should add our bias.

# %%
import torch

from course_lib.nn.fire import FIRE
from course_lib.nn.layer import RelativeAttention
from course_lib.reference.attention import scores
from course_lib.reference.fire import fire_bias

scheme = FIRE(n_heads=1, hidden=1, threshold=tau)
numbers = (1, 1, 1, 0, -2, 0)  # c, the factor of τ, and g(x) = −2 · max(1 · x + 0, 0) + 0
for part, number in zip(scheme.parameters(), numbers):
    torch.nn.init.constant_(part, number)
layer = RelativeAttention(4, 1, position=scheme).double()
for matrix in (layer.query, layer.key):
    torch.nn.init.eye_(matrix.weight)  # queries and keys are the layer's inputs, unchanged
in_torch = layer.scores(torch.tensor(Q)[None], torch.tensor(K)[None])[0, 0]
added = in_torch.detach().numpy() - scores(Q, K)
assert np.allclose(added[mask], fire[mask])
in_numpy = fire_bias(shares(n, c=1, threshold=tau), [1], [0], [[-2]], [0])[0]
assert np.allclose(in_numpy, added)

# %% [markdown]
# Li et al. report that FIRE reads longer texts better than other schemes. In our only run with FIRE (one seed, a small
# model), the loss at 1,024 tokens is 0.37 nats higher than at 128.
#
# ## Position from content
#
# FoX, the forgetting transformer (Lin et al. 2025), uses no positions. In each head, every token $l$ computes a
# **gate** $f_l$ between 0 and 1 from its vector. Seen from token $l$ and from all later ones, every key before $l$
# loses: its $e^s$, where $s$ is the score, is multiplied by $f_l$. Suppose that the gates of one head are 1/4 at *sat*, 1/2 at *mat* and 1
# elsewhere. How much is left of each key when *mat* looks back?

# %%
from course_lib.reference.fox import fox_bias

gates = np.array([1, 1, 1 / 4, 1, 1 / 2])
kept = [gates[j + 1 :].prod() for j in range(n)]  # the gates of the tokens after key j
for token, left in zip(TOKENS, kept):
    print(f"{token:3} kept {left:5.3f}, bias {np.log(left):.4f}")
fox = np.tril(fox_bias(gates))
assert np.allclose(fox[-1], np.log(kept))

# %% [markdown]
# The key *sat* is kept by the gates of *on* and *mat*, $1 \cdot 1/2$. The bias is the logarithm of this product,
# so it is a sum:
#
# $$b_{ij} = \sum_{l=j+1}^{i} \ln f_l$$
#
# *The* and *cat* get the same bias because the gate of *cat* is 1. So how far a key seems depends on the tokens after it, up
# to the query.
#
# What are such gates good for? In [[longer_than_training|chapter #]], two-layer models learned two tasks at 128 tokens:
# *flip-flop* (the last bit written) and *retrieval* (the value of a name told far back).

# %%
for task in (measured.BITS, measured.NAMES):
    for scheme in ("fox", "alibi"):
        right = measured.right(scheme, task)
        print(f"{task:9} {scheme:5}: {right[0]:.0%} right at 128 tokens, {right[-1]:.0%} at 1,024")

# %% [markdown]
# In flip-flop, a write can close its gate on all earlier writes. But the bias of a far name adds up over all tokens after
# it. To find the name, some head must keep the gates of all these tokens close to 1. For larger models, Lin et al.
# report that FoX extrapolates better than a Transformer with RoPE, and equals it in tasks on long texts.
#
# ## A guide
#
# What you already have decides most of the choice: weights, a mask, a kernel, an image. The guide asks six questions.
# Each answer has a verdict on every scheme. Of all verdicts on a scheme, the worst counts.
#
# - *Fits* needs a proof, or a released model that does it.
# - *Ruled out* needs a proof, or your own weights.
# - All else is *possible, with a caveat*. This includes all that only our small models show.
#
# Say what you would do before you run each cell.
#
# **You have SmolLM2, and texts longer than its 8,192 tokens.**

# %%
ATTENDED, LENGTH, FIND, WEIGHTS, *_ = guide.QUESTIONS
longer = {LENGTH: "longer than in training"}
guide.ask({WEIGHTS: "Llama 3, Mistral 7B v0.3, SmolLM2", **longer}, "T5 buckets", "RoPE")

# %% [markdown]
# So take a repair from [[stretching_rope|chapter #]], and test it as there, on short texts too.
#
# **You train a new decoder. It must find what was said far back, in texts longer than in training.** In our small
# models, ALiBi's loss stays level in such texts. Does ALiBi fit?

# %%
far = {FIND: "something said far back, by its content"}
guide.ask({ATTENDED: "text, left to right", **longer, **far}, "ALiBi")

# %% [markdown]
# **A level loss alone is not a reason to choose a scheme. Ask what the model can use.**
#
# On what ground does the hybrid fit in longer texts? In the picture, open the answer *longer than in training*. Each line
# ends with its ground. Read other answers only if they describe *your* model.

# %%
guide.picture()

# %% [markdown]
# The ground is what its authors report. So test your choice yourself, in texts as long as yours.
#
# ## A scheme of your own
#
# Does a new scheme do what its formula says? What does it cost? What happens beyond its training length? `own_scheme`
# answers each question in one call. Our example is a bias that falls linearly up to distance 16 and is then constant.
#
# A scheme is a class with *hooks*, methods that the layer calls. The hook `bias` gets the numbers of queries, of keys and
# of tokens in the cache (`past`), and returns one number per offset. `agrees` compares it with plain loops that use your
# formula for one offset $r$. This first version has a fault. Can you see it?

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
# Training reads whole texts without a cache, so it never shows this fault. We repair it, and measure the cost:

# %% tags=["nbval-ignore-output"]
class Ramp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, past)
        return -0.25 * r.abs().clamp(max=16)[None]


def make(n_heads, d_head):
    return Ramp()


second, cost = own_scheme.agrees(make, by_formula), own_scheme.benchmark(make)
assert second.passed
assert cost.kept[1024] == 4 * 2047
cost

# %% [markdown]
# For $n$ tokens the hook returns a row of $2n - 1$ numbers, not a matrix.
#
# Next we train it for 300 steps at 128 tokens. Will its loss at 1,024 stay level, as ALiBi's does, or rise?

# %% tags=["nbval-ignore-output"]
ramp = own_scheme.train(make, "characters", against=("alibi",))
ramp

# %% [markdown]
# Ramp's loss at 1,024 is half a nat higher than at 128. Yet training has seen every number of this bias. Why does the
# loss rise? Suppose that all scores are equal, and compare the weight of near and far keys:

# %%
near = np.exp(-0.25 * np.arange(16)).sum()
for tokens in (128, 1024):
    far_keys = tokens - 16
    print(f"last of {tokens:,} tokens: 16 near keys weigh {near:.1f}, {far_keys:,} far keys {far_keys * np.exp(-4):.1f}")
assert far_keys * np.exp(-4) > 4 * near

# %% [markdown]
# In the longer text the many far keys outweigh the near ones. But one seed and 300 steps are not a result.
#
# ## Remember
#
# - Ask first where a scheme enters. This limits what it can say and which kernels can run it.
# - FIRE's bias also depends on the query's position, and FoX's on the gates of the tokens after the key.
# - What you already have decides most of the choice: weights and their `config.json`, a mask, a kernel, an image.
#
# ## The whole course in questions

# %% tags=["hide-input"]
# @title Quiz
questions.quiz()

# %% [markdown]
# ## Now you
#
# [[tasks]]: from six situations to a published scheme in which each head *learns* how strongly its bias falls.
#
# **And then?** Test a claim about attention that you read this week, in five lines of code.
#
# ## Deeper · All schemes in one table
#
# The course's tests compute each cell of this table. Open the line below it to see how. Which schemes are relative,
# learn nothing, and still tell before from after?

# %%
comparison.picture()

# %%
looked_for = {"relative?": "yes", "learns": "nothing", "direction": "tells before from after"}
found = [name for name, row in comparison.table().items() if looked_for.items() <= row.items()]
print("relative, learns nothing, tells before from after:", ", ".join(found))

# %% [markdown]
# All of them rotate. (Our sliding window has RoPE.)
#
# Only the column *longer texts* rests on trained models, and these are small. There the loss of `none` rises by
# 0.17 nats, and yet `none` finds 98 % of the far names.
#
# ## Deeper · A control for the ramp
#
# At the training length, Ramp's loss was lower than ALiBi's, by a twentieth of a nat. Is this because far keys stay in
# reach? The control is the same line without the stop.

# %% tags=["nbval-ignore-output", "prints-only"]
from course_lib.nn.bias import DecayBias

control = own_scheme.train(lambda n_heads, d_head: DecayBias(0.25, "linear"), "characters", against=("alibi",))
control

# %% [markdown]
# The straight line is as good at 128, and it stays level. So in this run the stop gained nothing and cost half a nat at
# 1,024. (After 2,000 steps, the slope 1/16 in all heads is *worse* than ALiBi's slopes: [[longer_than_training|chapter
# #]].)
#
# ## Deeper · A repair of your own
#
# You write speeds, a bias or a mask for SmolLM2. One call measures them beside the repairs of [[stretching_rope|chapter
# #]], in four columns:
#
# - *short texts*: how much the loss of four short texts rises, the price of the repair;
# - *gap 16,384*: the same, with the second half of each text moved on by 16,384 positions;
# - *key near*: how many of four pass keys it finds, 190 tokens after they were told;
# - *key far*: how many it finds if 20,000 more positions lie in between.
#
# Our example keeps the 16 fastest pairs and divides the speeds of the others by 4. In which column will it be worse
# than YaRN?

# %% tags=["nbval-ignore-output"]
from course_lib.reference.absolute import frequencies
from course_study import own_repair

# the question comes 190 tokens after the key (near), or 20,000 positions more (far)
speeds = frequencies(64, base=100_000)  # of SmolLM2's 32 pairs
step = own_repair.measure(np.where(np.arange(32) < 16, speeds, speeds / 4), name="step at 16")
assert step.gap[0] < 0.5  # YaRN: 0.54
step

# %% [markdown]
# With the gap its loss rises less than YaRN's, and yet it finds only one of four far keys, where YaRN finds all. So a
# low loss does not show that far words are used. `help(own_repair)` shows how to write a bias or a mask.
#
# ## Deeper · FoX needs no matrix
#
# If all gates are equal, each step adds the same $\ln f$. Then FoX is ALiBi with the slope $-\ln f$.

# %%
from course_lib.reference.alibi import alibi_bias

constant = np.tril(fox_bias(np.full(n, np.exp(-1 / 4))))
assert np.allclose(constant, np.tril(alibi_bias(n, n_heads=4)[0]))  # the head with slope 1/4
figures.side_by_side(
    figures.heatmap(np.where(mask, constant, -np.inf), limit=2, digits=2, alt="FoX with one gate: ALiBi"),
    figures.heatmap(np.where(mask, fox, -np.inf), limit=2, digits=2, alt="FoX with gates from content"),
)

# %% [markdown]
# FoX's bias is a difference $c_i - c_j$ of running sums of $\ln f$, and the softmax removes $c_i$, which all keys of a row
# share. So one number per key is enough, $-c_j$ (place 6 of the map in [[start_here|chapter #]]). Are the outputs with it
# equal to those with the whole matrix?

# %%
from course_lib.reference.attention import attention

c = np.cumsum(np.log(gates))
assert np.allclose(np.tril(c[:, None] - c), fox)
_, by_matrix = attention(Q, K, V, bias=fox, mask=mask)
_, by_key = attention(Q, K, V, bias=-c, mask=mask)
assert np.allclose(by_matrix, by_key)

# %% [markdown]
# In torch, `FoX` gives this number per key to a layer. It computes a gate $f = \sigma(w \cdot x + b)$ from the token's
# vector $x$, with the sigmoid $\sigma$. We let $x$ be a single number, the one from which $\sigma$ makes our gate.
# Without content scores, the weights should be the softmax of our bias.

# %%
from course_lib.nn.fox import FoX
from course_lib.reference.attention import softmax

layer = RelativeAttention(d_model=1, n_heads=1, position=FoX(1, 1), causal=True).double()
gate = layer.position.gate
for part, number in ((gate.weight, 1), (gate.bias, 0), (layer.query.weight, 0)):
    torch.nn.init.constant_(part, number)
x = torch.logit(torch.tensor(gates), eps=1e-12)[None, :, None]  # σ(x) = 1 would need an infinite x
assert np.allclose(layer.weights(x)[0, 0].detach(), softmax(np.where(mask, fox, -np.inf)))

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
# hand count *sat* and *mat*. Which position does each key have, seen from *mat*?

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
# Here are two projects. NTK and YaRN have the same loss with SmolLM2's gap, but of four far keys NTK finds none and YaRN
# all: why? Twelve pairs are open ([[stretching_rope|chapter #]]), but a gap of 16,384 does little harm only if 15 or
# more are stopped. At 2,048 tokens, the length of most of its training, 15 are open: is this why?
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
# scheme of the tasks). Each claim names its sources.
