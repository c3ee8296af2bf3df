# %% [markdown]
# # [[title]]
#
# You have built many ways to tell attention where a token is. *Which one should we use?* This chapter answers by
# situation, and shows what no number per offset can do.
#
# **You will be able to**
# - choose a scheme for a model that you train or have, and say on what ground;
# - say how a batch can break a model, and test for it;
# - say what no row of offsets can express, and how position can come from content;
# - have a new scheme checked and timed, and your own model examined.
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
# ## A guide
#
# You train a decoder, for texts no longer than in training. What would you take?

# %% tags=["hide-output"]
guide.ask("decoder", "no longer")

# %% [markdown]
# RoPE, but not because it is the best: in our small models, T5 buckets and FoX have a lower loss. Each situation has
# one recommendation, at most one alternative, and grounds of up to four kinds.
#
# - *Computed*: a proof, or a run of the code it names.
# - *Seen in released models*: it works in large ones. This seldom shows that something else is worse.
# - *Trained small*: in two layers. This is a reason to test your own model.
# - *Reported in a paper*: others have measured it.
#
# **You have SmolLM2, and texts longer than its 8,192 tokens.** In [[stretching_rope|chapter #]], NTK was hardly better
# in text than a window. What would you take?

# %% tags=["hide-output"]
guide.ask("SmolLM2")

# %% [markdown]
# The losses of YaRN and of the window are close, but a layer with this window sees no far key. So it depends on what
# you ask. Now find *your* situation. Would you act on the answer?

# %%
guide.ask()

# %% [markdown]
# ## T5 is two models
#
# "T5 reads longer texts than it was trained on." T5 has one table for its encoder and another for its decoder. In its
# first training, an input had 512 tokens and its target 114 ([[t5_buckets|chapter #]]). How many pairs of a text
# reached the last bucket?

# %%
from course_lib.reference.t5 import bucket

for name, both, n in (("encoder", True, 512), ("decoder", False, 114)):
    distance = np.arange(n)
    last = bucket(-distance, bidirectional=both) == bucket(-9999, bidirectional=both)
    pairs = (n - distance)[last].sum()  # with these distances, and the key before the query
    print(f"{name}: the last bucket begins at {distance[last][0]}; pairs of {n} tokens that reach it: {pairs:,}")
assert pairs == 1

# %% [markdown]
# All longer distances share the last bucket's number. Training reaches the encoder's with 88,831 pairs a text, the
# decoder's with one. In our small models, a table whose last four buckets no pair reached loses two nats
# ([[longer_than_training|chapter #]]). Fine-tuning on long targets may have repaired your T5. So measure long inputs
# and long outputs separately.
#
# ## A batch can break a model, too
#
# Two texts are packed into one row, and the positions of each begin at 0. Does the second text get the output that it
# would get alone? We ask a layer with RoPE.

# %%
import torch

from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE

torch.manual_seed(0)
layer, row = RelativeAttention(16, n_heads=2, position=RoPE(8), causal=True), torch.randn(1, 8, 16)
text, positions = torch.tensor([0, 0, 0, 1, 1, 1, 1, 1]), torch.tensor([0, 1, 2, 0, 1, 2, 3, 4])
alone = layer(row[:, 3:])
for name, mask in (("positions", None), ("positions and a mask", text[:, None] == text)):
    packed = layer(row, positions=positions, mask=mask)[:, 3:]
    print(f"{name:20} differ by {(packed - alone).abs().max():.5f}")
assert torch.allclose(packed, alone, atol=1e-6)

# %% [markdown]
# A position says where a token is, not in which text. Without a mask, the second text reads the first, and nothing
# raises an error. What does released code do? We ran tiny models with random weights:

# %%
guide.ask("packed")

# %% [markdown]
# Five families of fifteen find the borders, and none with `use_cache=True`. With left padding, only two, GPT-2 and
# BERT, need positions besides the mask. So **test that a text gives in a batch what it gives alone.**
#
# ## What no row of offsets can say
#
# Ten tokens back is far for the twentieth token, and near for the two-thousandth. So FIRE (Li et al. 2023) divides
# $\psi$ of the distance by $\psi$ of the query's position, where $\psi(x) = \ln(c\,x + 1)$. This is the *share*.
# With $c = 1$, for the query *mat* at position 4:

# %%
def psi(x):
    return np.log(x + 1)


for j in (3, 2, 0):
    print(f"mat → {TOKENS[j]:3}: distance {4 - j}, share {psi(4 - j):.4f} / {psi(4):.4f} = {psi(4 - j) / psi(4):.4f}")

# %% [markdown]
# A small network $g$ turns the share into the bias. The denominator is at least $\psi(\tau)$, so the first queries do
# not divide by tiny numbers. Training learns $g$, $c$ and $\tau$.
#
# $$b_{ij} = g\left(\frac{\psi(i - j)}{\psi(\max(i, \tau))}\right)$$
#
# Let $g(x) = -2x$ and $\tau = 2$. Does the key just before a query always get the same bias?

# %% tags=["hide-output"]
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
# At distance 1, the bias takes three values, because the denominator grows from $\tau$ on. A row of offsets
# ([[diagonals|chapter #]]) has one number for each distance, so it cannot express FIRE beyond $\tau$.
#
# ## Position from content
#
# FoX, the forgetting transformer (Lin et al. 2025), uses no positions. In each head, every token $l$ computes a
# **gate** $f_l$ between 0 and 1 from its vector. When a query looks back past token $l$, every key before $l$ counts
# only $f_l$ times as much: its $e^s$, where $s$ is the score, is multiplied by $f_l$. Suppose that the gates of one
# head are 1/4 at *sat*, 1/2 at *mat* and 1 elsewhere. How much is left of each key when *mat* looks back?

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
# So how far a key seems depends on the tokens after it. In [[longer_than_training|chapter #]], two-layer models named
# the last bit written (*flip-flop*) and the value of a name told far back (*retrieval*). We print the lowest and
# highest seed at 1,024 tokens.

# %%
for task in (measured.BITS, measured.NAMES):
    for scheme in ("fox", "alibi"):
        right = measured.losses(scheme, task, what="accuracy")[:, -1]
        print(f"{task:9} {scheme:5}: {right.min():.0%} to {right.max():.0%} right")

# %% [markdown]
# In flip-flop, a write can close its gate on all earlier writes. In retrieval, every gate below 1 after a name takes
# weight from it. (We have not tested this.)
#
# ## A linear layer is a position scheme
#
# In Qwen 3.5 and Kimi Linear, three of four layers are *linear*, without a softmax. Such a layer keeps a matrix $S$ of
# fixed size, the **state**. In the simplest form, each token adds its key and value, and a gate lets the past fade.
# (Theirs also erase, see *Deeper*.)
#
# $$S_i = f_i\,S_{i-1} + k_i v_i^\top, \qquad o_i = q_i S_i$$
#
# Where is the position? We compare it with a grid: each product $q_i \cdot k_j$ times FoX's factor. Then we swap *The*
# and *cat*.

# %%
def linear(q, k, v, f):
    state, out = np.zeros((k.shape[1], v.shape[1])), []
    for i in range(len(q)):
        state = f[i] * state + np.outer(k[i], v[i])
        out.append(q[i] @ state)
    return np.array(out)


grid = np.tril(Q @ K.T * np.exp(fox_bias(gates)))
assert np.allclose(linear(Q, K, V, gates), grid @ V)

swapped = [1, 0, 2, 3, 4]
f = np.array([1, 0.9, 0.5, 0.8, 0.9])
for name, gate in (("all gates 1", np.ones(n)), ("other gates", f)):
    change = linear(Q[swapped], K[swapped], V[swapped], gate)[-1] - linear(Q, K, V, gate)[-1]
    print(f"{name}: the last output changes by up to {abs(change).max():.3f}")
reset = linear(Q, K, V, [1, 1, 1, 0, 1])  # a second text begins at token 3
assert np.allclose(reset[3:], linear(Q[3:], K[3:], V[3:], [1, 1]))

# %% [markdown]
# State and grid give the same output. With all gates 1, a query sees a bag of words. **The gates are the position
# scheme of this layer.** It has no speeds to stretch, and no mask can hide what its state has read. So packed texts
# need a reset, such as a gate of 0 at the first token of a text.
#
# ## A scheme of your own
#
# `own_scheme` tests whether a new scheme does what its formula says, and what it costs. Our example is a bias that
# falls linearly up to distance 16 and is then constant.
#
# A scheme is a class with *hooks*, methods that the layer calls. The hook `bias` gets the numbers of queries, of keys
# and of tokens in the cache (`past`), and returns one number per offset. `agrees` compares it with plain loops that use
# your formula for one offset $r$. This first version has a fault. Which?

# %% tags=["hide-output"]
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
# The 8,188 bytes are 2,047 numbers, one per offset.
#
# ## And yours
#
# A recommendation is a guess until your model is tested. The check-up pads, packs and moves a text, which should change
# nothing in a model with RoPE alone. This small one has a fault that no short text shows. Which line is wrong? Then put
# your own model into `logits`.

# %% tags=["hide-output", "nbval-ignore-output"]
from course_lib.checkup import checkup

torch.manual_seed(0)
embed, own = torch.nn.Embedding(50, 32), RelativeAttention(32, n_heads=2, position=RoPE(16), causal=True)


def logits(ids, positions=None, mask=None):  # (batch, n), (batch, n) and (batch, n, n) → (batch, n, vocabulary)
    positions = torch.arange(ids.shape[1]) if positions is None else positions
    seen = None if mask is None else mask[:, None]  # True where a query may look, the same for all heads
    x = embed(ids)
    x = x + own(x, positions=positions.half().long(), mask=seen)
    return x @ embed.weight.T


file = dict(model_type="llama", num_hidden_layers=1, num_attention_heads=2, hidden_size=32)  # its config.json
report = checkup(logits, config=file | dict(rope_theta=10_000, max_position_embeddings=512))
assert [fault.name for fault in report.faults] == ["text moved by 5,001"]
figures.checkup_report(report)

# %% [markdown]
# From 2,048 on, float16 (`half`) has no odd numbers, so neighbouring tokens get the same position. A model of
# `transformers` needs no function: ask `checkup(model, text, tokenizer)`, or `python3 course.py checkup MODEL` with its
# folder. With 256 tokens of text or more, both also test whether far text is used.
#
# ## Remember
#
# - In a new decoder take RoPE, because it leaves attention and its kernels as they are. For a model that you have, read
#   its `config.json`, and load its rule.
# - A text must give in a batch what it gives alone.
# - Beyond its threshold, FIRE's bias depends on the query's position. FoX's depends on the tokens after the key. In the
#   simplest linear layer, the gates are the position scheme.
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
# ## Deeper · The new scheme, trained
#
# We train Ramp for 300 steps at 128 tokens. Will its loss at 1,024 stay level, as ALiBi's does, or rise?

# %% tags=["hide-output", "nbval-ignore-output", "prints-only"]
ramp = own_scheme.train(make, "characters", against=("alibi",))
ramp

# %% [markdown]
# Ramp's loss at 1,024 is half a nat higher than at 128, though training has seen every number of this bias. With equal
# content, a thousand far keys, each with $e^{-4}$, outweigh the 16 near ones. But one seed and 300 steps are not a
# result.
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

# %% tags=["hide-output", "nbval-ignore-output"]
from course_lib.reference.absolute import frequencies
from course_study import own_repair

# the question comes 190 tokens after the key (near), or 20,000 positions more (far)
speeds = frequencies(64, base=100_000)  # of SmolLM2's 32 pairs
step = own_repair.measure(np.where(np.arange(32) < 16, speeds, speeds / 4), name="step at 16")
assert step.gap[0] < 0.5  # YaRN: 0.54
step

# %% [markdown]
# With the gap of 16,384 its loss rises less than YaRN's, and yet it finds only one of four keys told 20,000 positions
# back, where YaRN finds all. (Across 16,384, YaRN finds none: [[stretching_rope|chapter #]].) So a low mean loss at one
# gap does not show that far keys are found at another. `help(own_repair)` shows how to write a bias or a mask.
#
# ## Deeper · More positions from content
#
# If all gates of FoX are equal, it is ALiBi with the slope $-\ln f$. (The softmax removes what all keys of a row share,
# so one number per key is enough. A claim below shows it.) The next schemes have no file in this course, and the guide
# has no verdict on them.
#
# - **CoPE** (Golovneva et al. 2024) counts tokens of a kind. A gate $g_{ik} = \sigma(q_i \cdot k_k)$ says whether query
#   $i$ counts token $k$, and the position of key $j$ is $\sum_{k=j}^{i} g_{ik}$. If the gates count full stops, a head
#   can ask for "the last sentence but one". If every gate is 1, it is a vector per distance.
# - **PaTH** (Yang et al. 2025) puts a matrix $H_t = I - \beta_t w_t w_t^\top$ for every token $t$ between key and
#   query. With a unit vector $w_t$, $\beta_t = 1$ erases a direction and $\beta_t = 2$ reverses it. The linear layers
#   of Qwen 3.5 and Kimi Linear multiply their state by such a matrix, $I - \beta k k^\top$, so they erase as well as
#   forget.
# - [**PoPE**](https://arxiv.org/abs/2509.10534) (2025) lets position decide the angles of the
#   pairs, and content only their lengths.
# - [**GRAPE**](https://arxiv.org/abs/2512.07805) (2025) writes RoPE, ALiBi and FoX as one kind of step,
#   a matrix that is applied for each token in between.
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
# Encoding via Accumulating Householder Transformations*, 2025 · Kimi Team, *Kimi Linear*, 2025 · B. Yang et al., *Rope
# to Nope and Back Again*, 2025 · the code of `transformers` 5.23 · T.-C. Chi et al., *KERPLE*, 2022 (the scheme of the
# tasks). Each claim names its sources.
