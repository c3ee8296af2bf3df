# %% [markdown]
# # [[title]]
#
# Attention compares words by their content. In this chapter you give it a sense of distance with a single addition. You
# follow every number through five tokens, and prove *why* each weight changed.
#
# **You will be able to**
# - write the bias matrix from its formula, and say why its diagonals are constant;
# - tell for any row which keys gain weight, and prove it;
# - choose between logarithmic and linear decay;
# - say what such a bias does to a model that was trained without it.
#
# **You need** [[blind_to_distance|chapter #]] (scores, softmax, mask); for the sections marked *Core*, the core of
# [[start_here|chapter #]] is enough. **Time** [[time]]. (*Core* marks a shorter course of three hours.)
#
# The picture shows where our bias enters attention.

# %%
from course_kit import figures

figures.attention_block("log decay")

# %% [markdown]
# ## The scores
#
# We use the five tokens of [[start_here|chapter #]] again. Throughout the course $i$ is the query and $j$ the
# key, both counted from 0. The raw score of a pair is $q_i \cdot k_j$, and we divide it by $\sqrt{d_k} = 2$.
#
# Why divide? If the numbers of $q$ and $k$ are independent with mean 0 and variance 1, then $q \cdot k$ has variance
# $d_k$. After the division its variance is 1, so the scores have about the same size for every $d_k$.

# %%
import numpy as np

from course_lib.example import D_K, LAMBDA, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
raw = Q @ K.T
scaled = raw / np.sqrt(D_K)
figures.side_by_side(
    figures.heatmap(raw, alt="Raw scores Q Kᵀ", digits=1),
    figures.heatmap(scaled, alt="Scaled scores Q Kᵀ / √4", digits=3),
)

# %% [markdown]
# ## The bias
#
# The **offset** of a pair is $j - i$. It is negative when the key comes before the query. A key that is $|j - i|$
# tokens away gets a penalty:
#
# $$B_{ij} = -\lambda \, \log(1 + |j - i|), \qquad \lambda = 0.3$$
#
# This is called **log decay**, and λ is its strength; log is the natural logarithm. We compute one pair by hand, then
# all.

# %%
from course_lib.reference.bias import decay_bias

print(f"sat → cat: distance {abs(cat - sat)}, bias {-LAMBDA * np.log(1 + abs(cat - sat)):.4f}")

B = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        B[i, j] = 0 - LAMBDA * np.log(1 + abs(j - i))  # "0 - …" avoids printing -0
assert np.allclose(decay_bias(n, strength=LAMBDA), B)
figures.bias_heatmap(n)

# %% [markdown]
# All numbers on a diagonal are equal, because all its pairs have the same offset. Such a matrix is called **Toeplitz**.
# There are 9 offsets, so a list of 9 numbers holds the whole bias. `to_grid` places such a list on the diagonals.

# %%
from course_lib.reference.grid import row_offsets, to_grid

offset = row_offsets(n)
row = 0 - LAMBDA * np.log(1 + abs(offset))
assert np.allclose(to_grid(row[None], n), B)  # row[None]: one list, which all queries share
signs = ["−4", "−3", "−2", "−1", "0", "+1", "+2", "+3", "+4"]
figures.heatmap(row, columns=signs, alt="The whole bias: a number per offset")

# %% [markdown]
# ## Add it, and follow two rows
#
# We add the bias after the scaling, so its effect does not depend on $d_k$:
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + B_{ij}$$
#
# Then comes the softmax, $w'_{ij} = e^{S_{ij}} / \sum_m e^{S_{im}}$, where $m$ runs over all keys. We write $w'$ for
# the weights with the bias, and $w$ for those without it.
#
# The next cell shows all scores $S$. Each table after that is the softmax of one query, step by step. We first
# subtract the largest score of the row. This changes no weight, and $e^x$ is at most 1. Follow one column with a
# calculator.

# %%
biased = scaled + B
figures.heatmap(biased, alt="Biased scores S")

# %%
def softmax_steps(scores):
    """The scores of one query and what the softmax makes of them, one row per step."""
    shifted = scores - scores.max()
    e = np.exp(shifted)
    return np.array([scores, shifted, e, e / e.sum()])


steps = ["score", "minus largest", "e^x", "weight"]
figures.side_by_side(
    figures.heatmap(softmax_steps(biased[the]), rows=steps, alt='Softmax, query "The"'),
    figures.heatmap(softmax_steps(biased[sat]), rows=steps, alt='Softmax, query "sat"'),
)

# %% [markdown]
# ## What changed
#
# Which keys gained weight? In the third table, orange keys gained and blue keys lost. Look for a rule before you go on.

# %%
from course_lib.reference.attention import softmax

standard, weights = softmax(scaled), softmax(biased)
change = weights - standard
figures.side_by_side(
    figures.side_by_side(
        figures.heatmap(standard, alt="Weights without the bias"),
        figures.heatmap(weights, alt="Weights with the bias"),
    ),
    figures.heatmap(change, alt="Change: weight with the bias − weight without it"),
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Which rule tells for all 25 cells whether the key gains?",
    options={
        "Neighbours gain, far keys lose": "In the rows sat and on, both direct neighbours lost.",
        "Only the token itself gains": "Four neighbours gained as well, for example cat in the row The.",
        "Keys with a high score gain": "In the row sat, cat has one of the two highest scores, and it lost.",
        "None of these three": "Yes, each of them fails somewhere. We look for the right one now.",
    },
    answer="None of these three",
    title="Which rule?",
)

# %% [markdown]
# ## Why: one line of algebra
#
# The key *cat* is one step from *The* and from *sat*, so its bias is the same in both rows. Why did it gain in the row
# *The* and lose in the row *sat*?
#
# Adding $B_{ij}$ to a score multiplies its exponential by $e^{B_{ij}}$, the key's **factor**. So the new weight is the
# old weight times the factor, divided by a number that makes the row sum to 1:
#
# $$w'_{ij} = \frac{w_{ij}\, e^{B_{ij}}}{\sum_m w_{im}\, e^{B_{im}}}$$
#
# The denominator is the average of the row's factors, weighted with the old weights. So a key gains exactly when
# its factor is larger than this average:
#
# $$\boxed{\; w'_{ij} > w_{ij} \iff e^{B_{ij}} > \sum_m w_{im}\, e^{B_{im}} \;}$$

# %%
factor = np.exp(B)
average = (standard * factor).sum(axis=1, keepdims=True)
new = standard * factor / average
assert np.allclose(new, weights)
print("            old weight · factor / average = new weight")
for i in (the, sat):
    print(f"{TOKENS[i]} → cat: {standard[i, cat]:.4f} · {factor[i, cat]:.4f} / {average[i, 0]:.4f} = {new[i, cat]:.4f}")
figures.side_by_side(
    figures.heatmap(factor - average, digits=3, alt="Factor − average of its row"),
    figures.heatmap(change, digits=3, alt="Change of the weight"),
)

# %% [markdown]
# The factor of *cat*, 0.8123, is above the average of the row *The* (0.7432), but below that of *sat* (0.8270). The two
# tables are orange in the same cells. The new weights average the values, so the outputs change, too:

# %%
four = ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(standard @ V, columns=four, alt="Output without the bias"),
    figures.heatmap(weights @ V, columns=four, alt="Output with the bias"),
)

# %% [markdown]
# ## A stronger bias
#
# The weight that a token gives to itself always grows if it sees another key: its own factor is $e^0 = 1$, and all
# others are smaller, so the average is below 1. (With a *learned* bias another key may have a larger factor. Then it
# may fall.) And a neighbour? In the row *The*, *cat* gains at λ = 0.3. Does it still gain at λ = 3? Guess, then move
# λ. In the column e^B each bar begins at the average factor of the row, and a key gains when its bar points to the
# right.

# %%
figures.attention_explorer(Q, K, query=the)

# %% tags=["hide-output"]
strong = (1.0 + abs(np.arange(n) - the)) ** -3  # e^B for λ = 3
print(f"λ = 3: factor of cat {strong[cat]:.3f}, average {standard[the] @ strong:.3f}")

# %% [markdown]
# At λ = 3 even *cat* loses. Its factor is now 0.125. The average is 0.158, because *The* keeps the factor 1.
#
# ## Which decay?
#
# With **linear** decay, $B_{ij} = -\lambda d$, where $d = |j - i|$ is the distance, the factor is $e^{-\lambda d}$.
# With log decay it is $e^{-\lambda \log(1+d)} = (1+d)^{-\lambda}$, which falls much more slowly.
#
# Take the last token of a text, and let all its scores be equal before the bias. What share of its attention goes to
# keys that are 16 or more tokens back? Does a larger λ keep the attention near?

# %%
print("tokens  log, λ = 0.3  log, λ = 1.1  log, λ = 2  linear, λ = 0.3")
for length in (64, 1024, 16384):
    d = np.arange(length)
    rows = (1.0 + d) ** -0.3, (1.0 + d) ** -1.1, (1.0 + d) ** -2.0, np.exp(-0.3 * d)
    shares = [factors[16:].sum() / factors.sum() for factors in rows]
    print(f"{length:6}  {shares[0]:12.1%}  {shares[1]:12.1%}  {shares[2]:10.1%}  {shares[3]:15.1%}")
assert shares[0] > 0.99 and shares[1] > 0.5 and shares[3] < 0.01  # of the longest text

# %% [markdown]
# With log decay at λ = 0.3, every near key has more weight than any far key. But at 16,384 tokens the many far keys
# have nearly all of the attention, because for λ ≤ 1 the sum of $(1+d)^{-\lambda}$ grows without limit. For λ > 1 this
# sum converges, so the share of the near keys has a limit above 0. At λ = 1.1, the share of the far keys still grows
# with the length. At λ = 2, it hardly changes.
#
# The linear bias, which ALiBi uses ([[alibi|chapter #]]), gives the far keys 0.8 % at each of these lengths. It acts
# like a window whose width is about $1/\lambda$, whatever the length.
#
# ## Before or after?
#
# $B$ is symmetric, so in one layer it cannot tell *before* from *after*. (*Deeper*: with two layers and a start token,
# it can.) A causal mask can: it sets the scores of later keys to −∞, so their weights are exactly 0. Could a very large
# distance also make a weight exactly 0?

# %%
from course_lib.reference.attention import causal_mask

far = softmax(decay_bias(1000, strength=LAMBDA)[0])
print(f"equal scores: weight at distance 999 / weight at distance 0 = {far[999] / far[0]:.3f}")

masked = softmax(np.where(causal_mask(n), biased, -np.inf))
figures.heatmap(masked, alt="Biased weights under a causal mask")

# %% [markdown]
# No. Apart from rounding, a finite bias never makes a weight 0. The mask does: in the table, *cat* attends to *The*
# and to itself alone.
#
# ## The bias in a released model
#
# SmolLM2 ([[blind_to_distance|chapter #]]) was trained with rotations and without our bias. Each of its layers has
# several attentions, its **heads**. Now we add the bias to the scores of all heads. How much will it raise the loss, at
# λ = 0.3 and at λ = 1?

# %% tags=["nbval-ignore-output"]
import torch

from course_lib import released

model = released.load()
text = model.encode(released.excerpt("alice"))[:256]
losses = model.losses(text)
print(f"loss without our bias: {losses.mean():.2f} nats")

# %% tags=["hide-output", "nbval-ignore-output"]
found = {}
for strength in (0.3, 1.0):
    bias = torch.tensor(decay_bias(len(text), strength=strength), dtype=torch.float32)
    with model.changed(bias=bias):  # its mask still hides later keys
        found[strength] = model.losses(text) - losses
    rise, error = float(found[strength].mean()), float(found[strength].std()) / len(losses) ** 0.5
    print(f"λ = {strength}: factor at distance 100 {101**-strength:.2f}, loss {rise:+.2f} ± {error:.2f}")
assert found[1.0].mean() > found[0.3].mean() + 0.5

# %% [markdown]
# λ = 1 costs about seven times as much. But is 0.19 nats little? As a yardstick, we drop more and more of the first
# 128 tokens, and look at the loss of the last 128.

# %% tags=["nbval-ignore-output"]
def shown(rise):
    return f"{float(rise.mean()):+.2f} ± {float(rise.std()) / 128**0.5:.2f}"


biased_rise = found[0.3][-128:]
print("last 128 tokens, λ = 0.3:", shown(biased_rise))
for dropped in (32, 64, 96, 112):
    rise = model.losses(text[dropped:])[-128:] - losses[-128:]
    print(f"{dropped:3} of 128 earlier tokens dropped: {shown(rise)}   λ = 0.3 minus this: {shown(biased_rise - rise)}")
assert biased_rise.mean() < rise.mean() - 0.1  # of the last row, 112 dropped

# %% [markdown]
# So in this text, λ = 0.3 costs about as much as dropping 64 or 96 of the 128 earlier tokens. Dropping 112 costs more,
# by over two standard errors. (*Deeper* has the rise in four other texts, and tests an explanation.)
#
# ## In torch, with heads
#
# With heads, queries, keys and values have the shape `(batch, heads, n, d_k)`. Torch's `scaled_dot_product_attention`
# divides by $\sqrt{d_k}$, then adds a bias. We begin with one head, then take 2 sequences and 3 heads with a λ each.
# What shape does the bias need?

# %%
from torch.nn.functional import scaled_dot_product_attention

torch.set_num_threads(1)  # quicker for small matrices
q, k, v = (torch.tensor(x)[None, None] for x in (Q, K, V))  # one sequence, one head
assert np.allclose(scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(B))[0, 0], weights @ V)

bias = torch.stack([torch.tensor(decay_bias(n, strength=strength)) for strength in (0.0, 0.3, 1.0)])
q, k, v = (x.expand(2, 3, n, D_K) for x in (q, k, v))
output = scaled_dot_product_attention(q, k, v, attn_mask=bias)
print("bias", tuple(bias.shape), " output", tuple(output.shape))
assert np.allclose(output[:, 1], weights @ V)

# %% [markdown]
# One matrix per head is enough, because torch *broadcasts* it: all sequences share it. Head 1 has this chapter's
# weights. In a decoder, write −∞ for later keys into `attn_mask` ([[fast_attention|chapter #]] says why not
# `is_causal`). The course's own layer is `RelativeAttention`, and a scheme goes in as its `position`.
#
# ## Remember
#
# - A relative bias is one number per offset, added to the scaled score. As a matrix it is Toeplitz: $2n - 1$ numbers
#   for $n^2$ cells.
# - Adding a bias multiplies weights. Key $j$ gains exactly when $e^{B_{ij}} > \sum_m w_{im} e^{B_{im}}$, so *which*
#   keys gain depends on the content of the whole row.
# - If all scores are equal, linear decay acts like a window of a width near $1/\lambda$. With log decay and λ ≤ 1,
#   each far key gets less than each near key, but in a long row the far keys get more in total.
# - A finite bias does not mask. In one layer, a symmetric bias cannot tell before from after, but a causal mask can.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
rows = np.array([[2.0, 0, 4, 0, 0], [0, 0, 4, 2, 2]])  # two rows of The: the other weight is near, or far
rises = softmax(rows + B[the])[:, sat] > softmax(rows)[:, sat]
figures.question(
    "A key two tokens away has by far the highest score of its row. "
    "What does the log decay do to its weight?",
    options={
        "It rises: the highest score wins": "Its factor does not depend on its score.",
        "It falls: it is penalised": "Nearly every key is penalised. Compare its factor with the average of the row.",
        "It may rise or fall": "Yes. It rises if the rest of the weight lies on farther keys, and falls if it lies on "
        "nearer ones.",
    },
    answer="It may rise or fall" if rises.any() and not rises.all() else "It falls",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A colleague divides by √d_k after adding B. What happens to the bias with d_k = 64?",
    options={
        "Nothing, the softmax cancels it": "It cancels a number that is added to a whole row, but not a factor.",
        "It acts as if λ were 8 times smaller": "Yes, because √64 = 8. Models differ in this: with ALiBi, Falcon "
        "scales after it adds the bias, and BLOOM before.",
        "It acts as if λ were 64 times smaller": "The divisor is the square root: √64 = 8.",
    },
    answer=f"It acts as if λ were {64**0.5:.0f} times smaller",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You add 5 to every entry of B. What changes?",
    options={
        "All weights grow": "They must still sum to 1.",
        "Far keys gain, near keys lose": "Every factor of a row is multiplied by e⁵, and so is their average.",
        "Nothing": "Yes. All exponentials of a row are multiplied by the same number, which cancels.",
    },
    answer="Nothing" if np.allclose(softmax(scaled + B + 5), softmax(scaled + B)) else "All weights grow",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from the bias matrix to a bug hunt.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Other texts, and models trained with the bias
#
# Committed runs (their results come with the course) repeat the test with 384 tokens of four texts: two help texts of
# Python (`pydoc`), a licence and a page about this course.
#
# Many heads of this model give most of their weight to token 0, which is called a **sink**
# ([[windows_and_sinks|chapter #]]). It is the farthest key from every query, so the bias moves its weight to nearer
# keys. Does that explain the harm? The third row adds the bias to the scores of token 0 alone, and the fourth to the
# scores of all other tokens alone.

# %%
from course_study.released import rows as committed

for strength, where in (("0.3", ""), ("1.0", ""), ("1.0", ", token 0 alone"), ("1.0", ", 0 for token 0")):
    runs = committed("log decays", condition=f"−{strength} ln(1 + r){where}", n=384)
    rises = [f"{row['text']} {row['difference']:.2f} ± {row['error']:.2f}" for row in runs]
    print(f"λ = {strength}{where:16}", *rises)

# %% [markdown]
# In the four texts, λ = 0.3 costs 0.10 to 0.14 nats, and λ = 1 more than 1. The bias on token 0 alone costs less than
# 0.3, and that on all other tokens more than 1. So most of the harm is not due to the
# weight that the sink loses.
#
# KERPLE (Chi et al. 2022) *learns* its λ: its bias $-r_1 \log(1 + r_2 |j - i|)$ has two numbers for each head, and
# ours is the case $r_2 = 1$. A task of [[which_one|chapter #]] builds it.
#
# How much depends on λ if a model is trained with the bias? These losses are of two-layer models that were trained on
# 128 characters without any other positions ([[longer_than_training|chapter #]]).

# %%
import course_study as study

trained = study.committed("long") + study.committed("controls")
for scheme in ("none", "log-0.3", "log-1"):
    runs = study.pick(trained, task="characters", scheme=scheme)
    at_128, *_, at_1024 = np.mean([row["loss"] for row in runs], axis=0)
    print(f"{scheme:8} loss at 128 characters {at_128:.2f}, at 1,024 {at_1024:.2f}  ({len(runs)} seeds)")

# %% [markdown]
# In these models, which were trained *with* the bias, λ = 1 is better than 0.3 at both lengths. At 1,024 characters,
# λ = 0.3 is no better than no bias.
#
# ## Deeper · A bias that was free to choose
#
# Does a trained bias look like a log decay? The sentence encoder MPNet learned a table of biases, in which nearly every
# shape is possible ([[t5_buckets|chapter #]]). It has 12 heads, and each has two sides, keys before and after the
# query. We take the sides on which the bias falls by more than 1 from the neighbour to distance 127. For each we fit a
# log decay and a line, both with a free constant, and print which share of the variance they explain.

# %%
from course_lib import learned
from course_lib.reference.t5 import bucket

table, d = learned.read("mpnet", "table"), np.arange(1, 128)
nearer_to_log = []
for head, side in [(h, s) for h in range(12) for s in (-1, 1)]:
    b = table[bucket(side * d), head]
    if b[0] - b[-1] > 1:
        log, line = (np.corrcoef(x, b)[0, 1] ** 2 for x in (np.log1p(d), d))
        fitted = -np.polyfit(np.log1p(d), b, 1)[0]
        nearer_to_log.append(log > line)
        print(f"head {head:2} {'after ' if side > 0 else 'before'}  log {log:.2f}, line {line:.2f}, λ = {fitted:.2f}")
print(f"the log decay is nearer on {sum(nearer_to_log)} of {len(nearer_to_log)} sides")

# %% [markdown]
# In this model, the bias falls in this way on 12 of the 24 sides, and most of these are nearer to a log decay than to a
# line. Their λ is 0.25 to 1.39. Our choice excludes small λ: a log decay that falls by 1 from distance 1 to 127 has the
# strength λ = 1/ln 64 = 0.24. (Beyond distance 90 the table is constant.)
# [[alibi|Chapter #]] puts lines and log decays in place of this table.
#
# ## Deeper · One token at a time
#
# A decoder that writes reads one token at a time and keeps earlier keys and values in a **cache**. A new token needs
# only its own row of $B$. So the code must know how many tokens came before it. The course calls this number `past`.
#
# The layer `RelativeAttention` makes queries, keys and values from $x$. Does it give the same outputs if it reads 8
# tokens one by one?

# %%
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention

new_row = DecayBias([LAMBDA]).double().bias(1, n, past=4)[0]
print("mat, after four tokens:", new_row.numpy() + 0)  # "+ 0" turns -0 into 0
assert np.allclose(new_row, B[mat])
layer = RelativeAttention(d_model=12, n_heads=3, position=DecayBias([0.0, 0.3, 1.0]), causal=True)
x, cache = torch.randn(1, 8, 12), KeyValueCache()
one_by_one = torch.cat([layer(token, cache=cache) for token in x.split(1, dim=1)], dim=1)
print("one by one = all at once:", torch.allclose(one_by_one, layer(x), atol=1e-6))

# %% [markdown]
# ## Deeper · Before and after, without a mask
#
# Without a mask, *bites* has the same neighbours at the same distances in "dog bites man" and in "man bites dog". Now
# put a start token `<s>` in front, as RoBERTa does. In the first layer, *bites* still sees the same words at the same
# distances. But the two other words now differ: the first is one step from `<s>`, the last three. Does a second layer
# show this to *bites*?

# %%
from course_lib.reference.attention import attention

rng = np.random.default_rng(0)
word = {name: rng.normal(size=8) for name in ("<s>", "dog", "bites", "man")}


def bites(text, layers):
    """The vector of *bites* after so many layers with our bias and no mask."""
    names = text.split()
    x = np.array([word[name] for name in names])
    for _ in range(layers):
        x = x + attention(x, x, x, bias=decay_bias(len(x), strength=LAMBDA))[0]
    return x[names.index("bites")]


for start in ("", "<s> "):
    for layers in (1, 2):
        gap = abs(bites(f"{start}dog bites man", layers) - bites(f"{start}man bites dog", layers)).max()
        print(f"{start or 'no start token':14}  {layers} layer(s): bites differs by {gap:.4f}")
assert gap > 0.001

# %% [markdown]
# It does. The start token changes the two neighbours of *bites* in the first layer, and the second layer reads this.
#
# ## Deeper · Three explanations, tested
#
# **"The centre token benefits most, because it has neighbours on both sides."** To see the effect of the place alone,
# we give all pairs the same content score, so each old weight is $1/n$. How much weight for itself does each token
# gain?

# %%
place_only = softmax(B) - 1 / n
print("own gain with equal content:", place_only.diagonal())
print("own gain in our sentence:   ", change.diagonal())
assert place_only.diagonal().argmin() == sat

# %% [markdown]
# The centre gains *least*, because its other keys are all near. Their penalties are small, so it takes less weight
# from them.
#
# **"*mat* gains most because it is at the edge."** This is half true. With equal content both edges gain most. But
# *The* is at an edge too, and in our sentence it gains less than the centre. The reason is its content: its score for
# itself is 0, so it begins with a small weight.
#
# **"*The* and *mat*, both two steps from *sat*, lost equally."** Did they?

# %%
print("change of The and mat in the row sat:", change[sat, [the, mat]])
print("their new weight / old weight:       ", (weights / standard)[sat, [the, mat]])

# %% [markdown]
# No, they lost 0.0198 and 0.0254. But both weights were multiplied by the same number.
#
# ## Deeper · Your own decay
#
# Change the last line of `bias_matrix`, for example to `return 0 - strength * (distance > 2)`, and run the cell. The
# picture calls your function whenever you move a slider.


# %%
def bias_matrix(n=5, strength=0.3):
    distance = abs(np.arange(n) - np.arange(n)[:, None])  # |j − i|
    return 0 - strength * np.log1p(distance)


figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0))

# %% [markdown]
# ## Deeper · Released code
#
# Where does released code add a number per offset to the score? In `transformers` 5.23, for example, T5 adds a learned
# one (`models/t5/modeling_t5.py`). BLOOM adds one per key, which acts like a linear bias, because a number that is
# constant along a row cancels (`models/bloom/modeling_bloom.py`). KERPLE's authors released the log decay as
# `ParallelKerpleLog` in `megatron/mpu/layers.py` of [chijames/KERPLE](https://github.com/chijames/KERPLE).
#
# T5's numbers come from a table ([[t5_buckets|chapter #]]). In its encoder, this table has an entry of its own for each
# offset up to distance 7. If we write the log decay into it, `T5Attention.compute_bias` should return our $B$.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers import T5Config, __version__
    from transformers.models.t5.modeling_t5 import T5Attention

    t5 = T5Attention(T5Config(num_heads=1), has_relative_attention_bias=True, layer_idx=0)
    distances = torch.arange(16).repeat(2)  # buckets 0 … 15: before the query, 16 … 31: after it
    t5.relative_attention_bias.weight.data[:, 0] = -LAMBDA * torch.log1p(distances)
    theirs = t5.compute_bias(n, n)[0, 0].detach().numpy()
    assert np.allclose(theirs, B, atol=1e-6)
    print(f"transformers {__version__}: T5Attention.compute_bias returns our B")

# %% [markdown]
# **Sources** *Relative Position Bias Attention*, in the online book *Attention Mechanisms*, book-ai.org (the sentence,
# its numbers, the log decay) · T.-C. Chi et al., *KERPLE: Kernelized Relative Positional Embedding for Length
# Extrapolation*, 2022 · A. Vaswani et al., *Attention Is All You Need*, 2017 · L. Ben Allal et al., *SmolLM2*, 2025 ·
# C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, 2020,
# section 2.1 (a bias per bucket of offsets) · O. Press et al., *Train Short, Test Long*, 2022 (the linear form) ·
# `models/falcon/modeling_falcon.py` in `transformers` (ALiBi inside the scaling).
