# %% [markdown]
# # [[title]]
#
# Attention compares words by their content. In this chapter you give it a sense of distance with a single addition. You
# follow every number through five tokens and find out *why* each weight changed. Several explanations sound right, and
# you will test them.
#
# **You will be able to**
# - write the bias matrix from its formula, and say why its diagonals are constant;
# - trace one row of attention from raw score to output;
# - tell for any row which keys gain weight, and prove it;
# - choose between logarithmic and linear decay;
# - put the bias into a torch layer and train it.
#
# **You need** matrix products and the softmax, and a little torch near the end. **Time** [[time]].
#
# The picture shows attention from the input $x$ to the output $o_i$. Our bias is added to the score.

# %%
from course_kit import figures

figures.attention_block("log decay")

# %% [markdown]
# Our sentence has five tokens. Each has a **query** (what it looks for), a **key** (what it offers) and a **value**
# (what it hands over), with only four numbers each, so you can check every step with a pencil. The sentence, its
# numbers and our bias come from a published article (see Sources).

# %%
import numpy as np

from course_lib.example import D_K, LAMBDA, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
four = ["0", "1", "2", "3"]
assert Q.shape == K.shape == V.shape == (n, D_K)
figures.side_by_side(
    figures.heatmap(Q, columns=four, alt="Queries Q"),
    figures.heatmap(K, columns=four, alt="Keys K"),
    figures.heatmap(V, columns=four, alt="Values V"),
)

# %% [markdown]
# Throughout the course $i$ is the query and $j$ the key, both counted from 0. The **offset** is $j - i$, which is
# negative when the key comes before the query.
#
# ## Step 1 · Raw scores
#
# How well does the key of *cat* answer the query of *sat*? Multiply the two, number by number, and add up.

# %%
sat, cat = TOKENS.index("sat"), TOKENS.index("cat")
print("query sat:", Q[sat])
print("key cat:  ", K[cat])
print("products: ", Q[sat] * K[cat], "-> sum", (Q[sat] * K[cat]).sum())

# %% [markdown]
# For all queries and keys this takes two loops, or one matrix product:

# %%
raw_by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        raw_by_loop[i, j] = (Q[i] * K[j]).sum()

raw = Q @ K.T
assert np.array_equal(raw, raw_by_loop)
zeros = [f"{TOKENS[i]} → {TOKENS[j]}" for i, j in np.argwhere(raw == 0)]
print("largest:", raw.max(), "| zero:", zeros)
figures.heatmap(raw, alt="Raw scores Q Kᵀ", digits=1)

# %% [markdown]
# The query *cat* gives the key *The* the highest score. Three pairs share the lowest, 0.0. No score depends on the
# distance between two words, as [[blind_to_distance|chapter #]] proves.

# %% [markdown]
# ## Step 2 · Scale
#
# Scores grow with $d_k$, and when they differ a lot, the softmax gives nearly all weight to one key. If the numbers of
# $q$ and $k$ are independent with mean 0 and variance 1, then $q \cdot k$ has variance $d_k$, so its typical size is
# $\sqrt{d_k}$. We divide by $\sqrt{d_k}$ to remove this growth (Vaswani et al. 2017, section 3.2.1). Here $d_k = 4$.

# %%
scaled = raw / np.sqrt(D_K)
assert scaled.max() == 1.5
figures.heatmap(scaled, alt="Scaled scores Q Kᵀ / √4", digits=3)

# %% [markdown]
# ## Step 3 · The bias
#
# A key that is $d = |j - i|$ tokens away gets a penalty:
#
# $$B_{ij} = -\lambda \, \log(1 + |j - i|), \qquad \lambda = 0.3$$
#
# This **log decay** is a special case ($r_2 = 1$) of a published bias, $-r_1 \log(1 + r_2 |j - i|)$ of KERPLE (Chi et
# al. 2022). KERPLE learns $r_1$ and $r_2$ for each **head**, one of several attentions in a layer. First one pair, then
# every distance:

# %%
d = abs(cat - sat)
print(f"sat → cat: distance {d}, bias {-LAMBDA * np.log(1 + d):.4f}\n")

print("distance  log(1 + d)     bias")
for d in range(n):  # np.log1p(d) is log(1 + d), and "0 - …" avoids printing -0
    print(f"{d:8}  {np.log1p(d):10.4f}  {0 - LAMBDA * np.log1p(d):7.4f}")

# %% [markdown]
# A token has no penalty for itself, and each further step costs less than the one before. Now for all queries and keys:

# %%
B = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        B[i, j] = 0 - LAMBDA * np.log1p(abs(j - i))

print("cost of each further step:", -np.diff(B[0]))
figures.heatmap(B, alt="The bias B")

# %% [markdown]
# All numbers on a diagonal are equal, because all its pairs have the same offset. Such a matrix is called **Toeplitz**.
# Our 25 entries have 9 different offsets, from −4 to +4, so a list of 9 numbers holds the whole bias. Query $i$ uses $n$
# neighbouring numbers of this list, beginning at index $n - 1 - i$.
#
# The function `to_grid` builds the matrix from the list. Nearly every scheme of the course uses it.

# %%
from course_lib.reference.grid import row_offsets, to_grid

offset = row_offsets(n)
row = 0 - LAMBDA * np.log1p(abs(offset))
assert np.array_equal(to_grid(row[None], n), B)  # row[None]: one list, shared by all queries

signs = [f"{o:+d}" for o in offset]
figures.heatmap(row, columns=signs, alt="One number per offset: the whole bias in a row")

# %% [markdown]
# Move λ, switch the decay, and point at a cell to see its calculation. What is left at λ = 0? What does *linear* do to
# the corners?

# %%
from course_lib.reference.bias import decay_bias

assert np.array_equal(decay_bias(n, strength=LAMBDA), B)  # in the course's code, λ is called strength
figures.bias_heatmap(n=n, strength=LAMBDA, decay="log", tokens=TOKENS)

# %% [markdown]
# ## Step 4 · Add it
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + B_{ij}$$
#
# We add the bias after the scaling, so its effect does not depend on $d_k$.

# %%
biased = scaled + B
the, mat = TOKENS.index("The"), TOKENS.index("mat")
print(f"cat → The, distance 1: {scaled[cat, the]:.4f} becomes {biased[cat, the]:.4f}")
print(f"cat → mat, distance 3: {scaled[cat, mat]:.4f} becomes {biased[cat, mat]:.4f}")
figures.heatmap(biased, alt="Biased scores S")

# %% [markdown]
# ## Step 5 · Softmax, two rows by hand
#
# The softmax turns a row of scores into weights that are positive and sum to 1: $w'_{ij} = e^{S_{ij}} / \sum_k
# e^{S_{ik}}$, where $k$ runs over all keys. (The prime means *with the bias*; weights without it are called $w$.) To
# keep $e^x$ small, we first subtract the largest score $M$ of the row. The factor $e^{-M}$ cancels. Here are all steps
# for the query *The*:


# %%
def softmax_steps(scores):
    """The scores of one query and what the softmax makes of them, one row per step."""
    shifted = scores - scores.max()
    e = np.exp(shifted)
    print(f"largest {scores.max():.4f}, sum of e^x {e.sum():.4f}")
    return np.array([scores, shifted, e, e / e.sum()])


steps = ["score", "minus largest", "e^x", "weight"]
made = softmax_steps(biased[the])
assert np.isclose(made[3].sum(), 1)
figures.heatmap(made, rows=steps, alt='Softmax, query "The"')

# %% [markdown]
# The same for *sat*. Follow one column down with a calculator.

# %%
figures.heatmap(softmax_steps(biased[sat]), rows=steps, alt='Softmax, query "sat"')

# %% [markdown]
# The weight that *sat* gives to itself rises from 25.1 % to 30.3 %. Here are all rows:

# %%
from course_lib.reference.attention import softmax

standard, weights = softmax(scaled), softmax(biased)
assert np.allclose(weights.sum(axis=1), 1)
print(f"sat → sat: {standard[sat, sat]:.1%} becomes {weights[sat, sat]:.1%}")
figures.side_by_side(
    figures.heatmap(standard, alt="Weights without the bias"),
    figures.heatmap(weights, alt="Weights with the bias"),
)

# %% [markdown]
# ## Step 6 · The output
#
# The output of a token is the average of all values with its weights, $o_i = \sum_j w'_{ij} v_j$. The value $v_c$ of
# token $c$ (0 to 3) has its only 1 at index $c$, and that of *mat* has ½ everywhere. So number $c$ of the output is
# $w'_{ic} + w'_{i,mat}/2$.

# %%
for j in range(n):
    print(f"{weights[the, j]:.4f} * {V[j]}  ({TOKENS[j]})")
print("output of The:  ", weights[the] @ V)
assert np.allclose(weights @ V, weights[:, :4] + weights[:, [4]] / 2)
figures.side_by_side(
    figures.heatmap(standard @ V, columns=four, alt="Output without the bias"),
    figures.heatmap(weights @ V, columns=four, alt="Output with the bias"),
)

# %% [markdown]
# ## The whole in one function, line by line
#
# Click a line (or use the buttons) to see its result: the shape, the dtype and every number.


# %%
def attention(q, k, v, bias=0.0):
    """softmax(q kᵀ / √d_k + bias) v, for one sequence."""
    d_k = q.shape[-1]
    raw = q @ k.T
    scaled = raw / np.sqrt(d_k)
    biased = scaled + bias
    e = np.exp(biased - biased.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v


assert np.allclose(attention(Q, K, V, B), weights @ V)
figures.trace(attention, Q, K, V, bias=B, tokens=TOKENS)

# %% [markdown]
# ## What changed
#
# Which keys gained weight? We subtract the old weights from the new ones. Orange keys gained, blue keys lost. Each row
# sums to 0, because what one key gains, others must lose.

# %%
change = weights - standard
assert np.allclose(change.sum(axis=1), 0)
figures.heatmap(change, alt="Change: weight with the bias − weight without it")

# %% [markdown]
# Commit to an answer before you read on.

# %% tags=["hide-input"]
# @title Question
average = (standard * np.exp(B)).sum(axis=1, keepdims=True)
figures.question(
    "Which rule is right for all 25 cells of this table?",
    options={
        "Neighbours gain, far keys lose":
            "In the rows sat and on, both direct neighbours lost. 21 of 25 cells fit.",
        "Only the token itself gains":
            "Four neighbours gained as well, for example cat in the row The. 21 of 25 cells fit.",
        "Keys with a high score gain":
            "The bias does not depend on the score, so a high score alone decides nothing. 20 of 25 cells fit.",
        "The key's bias is compared with an average over its row":
            "Yes. Which average exactly is what we work out now.",
    },
    answer="The key's bias is compared" if np.array_equal(change > 0, np.exp(B) > average) else "Only the token itself",
)

# %% [markdown]
# ## Four explanations, tested
#
# Four explanations of this table sound right. We test each.
#
# **"The centre token benefits most, because it has neighbours on both sides."** To see the effect of the place alone, we
# give all pairs the same content score $q_i \cdot k_j$, so each old weight is $1/n$. How much weight for itself does
# each token gain?

# %%
place_only = softmax(B) - 1 / n
print("own gain with equal content:", place_only.diagonal())
assert place_only.diagonal().argmin() == sat

# %% [markdown]
# The centre gains *least*. Its other keys are all near, so they are penalised less and lose less weight to it.
#
# **"*mat* gains most because it is at the edge."** This is half true. With equal content both edges gain most, 0.0626
# each. But *The* is at an edge too, and in our sentence it gains less than the centre. The reason is the content: its
# score for itself is 0, so it begins with a small weight.

# %%
print("own gain in our sentence:   ", change.diagonal())
assert change[mat, mat] > change[sat, sat] > change[the, the]

# %% [markdown]
# **"*The* and *mat*, both two steps from *sat*, lost equally."** No, they lost 0.0198 and 0.0254. But both weights were
# multiplied by the same number:

# %%
ratio = weights / standard
print("change of The and mat:", change[sat, [the, mat]])
print("new weight / old:     ", ratio[sat, [the, mat]])
assert np.isclose(ratio[sat, the], ratio[sat, mat])

# %% [markdown]
# **"The diagonal always gains."** This is true here. The next section proves it, and finds which other keys gain.

# %% [markdown]
# ## Why: one line of algebra
#
# Adding $B_{ij}$ to a score multiplies its exponential by $e^{B_{ij}}$. So the new weight $w'$ is the old weight $w$
# times this *factor*, divided by a number that makes the row sum to 1 again:
#
# $$w'_{ij} = \frac{w_{ij}\, e^{B_{ij}}}{\sum_k w_{ik}\, e^{B_{ik}}}$$
#
# Key $j$ gains exactly when its factor is larger than the average factor of its row, where each key counts with its old
# weight:
#
# $$\boxed{\; w'_{ij} > w_{ij} \iff e^{B_{ij}} > \textstyle\sum_k w_{ik}\, e^{B_{ik}} \;}$$
#
# So the diagonal gains: a token's own factor is $e^0 = 1$, all other factors are below 1, and so is the row's
# average. A *learned* bias may be positive, and then this argument fails.

# %%
average = (standard * np.exp(B)).sum(axis=1, keepdims=True)
assert np.allclose(weights, standard * np.exp(B) / average)
print("average factor of each row:", average.ravel())
print("factor at distance 0 … 4: ", np.exp(B[0]))

# %% [markdown]
# A neighbour's factor is 0.8123. This is above the averages of the rows *The* (0.7432), *cat* (0.7978) and *mat*
# (0.7745), where neighbours gained. It is below those of *sat* (0.8270) and *on* (0.8244), where they lost.
#
# How many of the 25 cells does each rule predict? The proved rule, the last one, must reach 25. Does any other?

# %%
offsets = np.arange(n) - np.arange(n)[:, None]  # j − i: keys go across, queries go down
distance = abs(offsets)
mean_distance = distance.mean(axis=1, keepdims=True)
mean_bias = (standard * B).sum(axis=1, keepdims=True)
rules = {
    "only the token itself gains": distance == 0,
    "neighbours gain": distance <= 1,
    "keys with a high score gain": raw > raw.mean(axis=1, keepdims=True),
    "nearer than the row's mean distance": distance < mean_distance,
    "bias above the weighted mean bias": B > mean_bias,
    "factor above the weighted mean factor": np.exp(B) > average,  # the proved rule
}
gained = weights > standard
assert gained.sum() == n + 4  # every token itself, and four neighbours
for name, prediction in rules.items():
    print(f"{(prediction == gained).sum():2} of 25  {name}")

# %% [markdown]
# Two rules predict all 25 cells, but only one of them holds in general. "Bias above the weighted mean *bias*" compares
# the factor with $e^{\text{mean bias}}$, which is below the mean factor (Jensen's inequality). So this rule is wrong for
# every key whose factor is between the two. With a stronger bias there are such keys:

# %%
def above_mean(x):
    """Where x is above the mean of its row, each key counting with its old weight."""
    return x > (standard * x).sum(axis=1, keepdims=True)


for strength in (0.3, 1.0, 2.0, 3.0):
    strong = decay_bias(n, strength=strength)
    truth = softmax(scaled + strong) > standard
    by_bias = (above_mean(strong) == truth).sum()
    by_factor = (above_mean(np.exp(strong)) == truth).sum()
    print(f"λ = {strength}:  mean bias {by_bias} of 25,  mean factor {by_factor} of 25")
    assert by_factor == 25

# %% [markdown]
# **Your turn:** replace the rule below with yours and run the cell.

# %%
my_rule = distance <= 1
print(f"{(my_rule == gained).sum()} of 25")
figures.heatmap((my_rule == gained).astype(int), alt="1 where my rule is right")

# %% [markdown]
# ## How strong? λ
#
# Choose a query and move λ. In the column e^B each bar begins at the average factor of the row, and a key gains when
# its bar points to the right. At λ = 0 you have standard attention. At the largest λ, the token itself has most of the
# weight.

# %%
figures.attention_explorer(Q, K, tokens=TOKENS, query=sat, strength=LAMBDA, decay="log")

# %% [markdown]
# The logarithm makes the factor a power law: $e^{-\lambda \log(1+d)} = (1+d)^{-\lambda}$. With *linear* decay the
# factor is geometric, $e^{-\lambda d}$. How far does *The* look on average? The mean distance falls as λ grows:

# %%
for strength in (0, 0.1, 0.3, 1.0, 3.0):
    w = softmax(scaled[the] + decay_bias(n, strength=strength)[the])
    print(f"λ = {strength:<3}  weights {w}  mean distance {w @ distance[the]:.3f}")
assert np.allclose(np.exp(decay_bias(n, strength=2.0)), (1.0 + distance) ** -2.0)

# %% [markdown]
# ## Which decay?
#
# How slowly does a logarithm grow? The next cell quadruples several distances. Is $\log(1 + d)$ multiplied by a
# constant, or is a constant added to it?

# %%
for d in (1, 2, 4, 16, 100):
    near, far = np.log1p(d), np.log1p(4 * d)
    print(f"d = {d:3}: from {near:.3f} to {far:.3f}, times {far / near:.2f}, plus {far - near:.3f}")
print(f"log 4 = {np.log(4):.3f}")

# %% [markdown]
# For large $d$, quadrupling the distance *adds* nearly $\log 4 = 1.386$. It doubles the logarithm at $d = 2$ only.
#
# A penalty this mild has a price in long texts. Take the last token of a text in which all content scores are equal.
# What share of its attention goes to keys that are 16 or more tokens back?

# %%
print("tokens  log, λ = 0.3  log, λ = 2  linear, λ = 0.3")
for length in (64, 1024, 16384):
    d = np.arange(length)
    rows = (1.0 + d) ** -0.3, (1.0 + d) ** -2.0, np.exp(-0.3 * d)
    shares = [factors[16:].sum() / factors.sum() for factors in rows]
    print(f"{length:6}  {shares[0]:12.1%}  {shares[1]:10.1%}  {shares[2]:15.1%}")
assert shares[0] > 0.99 and shares[2] < 0.01  # of the longest text

# %% [markdown]
# At λ = 0.3, every near key has more weight than any far key, but the far keys are so many that together they have most
# of the attention: 99.3 % at 16,384 tokens. The reason is that the sum of $(1+d)^{-\lambda}$ grows without limit for
# λ ≤ 1. For λ > 1 it converges, so near keys keep their share.
#
# The linear bias gives the far keys 0.8 % at every length, so it acts like a window of fixed width. ALiBi uses it with a
# different slope for each head, so some heads look far ([[alibi|chapter #]]).
#
# Here are two more decays: the square root is between the log and the linear one, and the square of the distance makes
# the factor a bell curve.

# %%
import matplotlib.pyplot as plt

from course_lib.reference.bias import DECAYS, decay_row

d = np.arange(33)
fig, ax = plt.subplots(figsize=(6.4, 3.0))
for name, style in zip(DECAYS, ("-", "--", "-.", ":"), strict=True):
    factors = np.exp(decay_row(d, strength=LAMBDA, decay=name))
    ax.plot(d, factors, style, label=name)
    print(f"factor at distance 32, {name}: {factors[-1]:.4f}")
ax.set(xlabel="distance d", ylabel="factor of the weight", ylim=(0, 1.02))
ax.legend()
figures.show(fig, alt="What each decay multiplies a weight by: log falls slowest")

# %% [markdown]
# **Your turn: your own decay.** Change the last line of `bias_matrix`, for example to
# `return 0 - strength * (distance > 2)`, and run the cell. The picture calls your function whenever you move a slider.


# %%
def bias_matrix(n=5, strength=0.3):
    distance = abs(np.arange(n) - np.arange(n)[:, None])  # |j − i|
    return 0 - strength * np.log1p(distance)


figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0))

# %% [markdown]
# ## Before or after?
#
# $B$ is symmetric, so it cannot tell *before* from *after*. Hiding the future is the job of a **mask**, which sets the
# scores of later keys to −∞, so their weights are exactly 0. A finite bias makes a weight small but, apart from
# rounding, never 0.

# %%
from course_lib.reference.attention import causal_mask

far = softmax(decay_bias(1000, strength=LAMBDA)[0])
masked = softmax(np.where(causal_mask(n), biased, -np.inf))
assert np.array_equal(B, B.T) and far.min() > 0 and np.all(masked[np.triu_indices(n, 1)] == 0)
figures.heatmap(masked, alt="Biased weights under a causal mask")

# %% [markdown]
# ## In torch, with batch and heads
#
# A model works on many sequences and heads at once, so its tensors are `(batch, heads, n, d)`. The bias may differ per
# head. `DecayBias` gives one row of $n_q + n_k - 1$ numbers per head, and the attention places them on the diagonals.

# %%
import torch

from course_lib.nn.attention import attention as torch_attention
from course_lib.nn.bias import DecayBias
from course_lib.nn.terms import Terms

torch.set_num_threads(1)  # quicker for small matrices
q, k, v = (torch.tensor(x).expand(2, 3, n, D_K) for x in (Q, K, V))
bias = DecayBias(strength=[0.0, 0.3, 1.0]).double().bias(n, n, past=0)  # past: tokens before the first query
output, w = torch_attention(q, k, v, Terms(bias=bias))  # Terms: all that a scheme adds to attention
for name, tensor in {"output": output, "weights": w, "bias": bias}.items():
    print(f"{name:8}{tuple(tensor.shape)}")
assert np.allclose(w[0, 0], standard) and np.allclose(w[1, 1], weights)

# %% [markdown]
# Head 0 is standard attention, because its λ is 0. Head 1 has this chapter's weights.
#
# The layer `RelativeAttention` adds learned matrices that turn $x$ into queries, keys and values. If it reads one token
# at a time and keeps earlier keys in a cache, it should compute the same numbers as for the whole text at once:

# %%
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention

torch.manual_seed(0)
position = DecayBias([0.0, 0.3, 1.0])
layer = RelativeAttention(d_model=12, n_heads=3, position=position, causal=True)

x, cache = torch.randn(1, 8, 12), KeyValueCache()
one_by_one = [layer(x[:, t : t + 1], cache=cache) for t in range(8)]
assert torch.allclose(torch.cat(one_by_one, dim=1), layer(x), atol=1e-6)
print("8 tokens one by one = all at once")

# %% [markdown]
# ## Train it: name the nearest capital
#
# What does the bias do for a model that learns? Here is a task that needs distance. In a text of capital and small
# letters, the model must name at each small letter the most recent capital before it.


# %%
def draw(generator, batch=32, n=24):
    """A batch of texts and answers, both (batch, n). The answer −100 means that nothing is asked."""
    letter = torch.randint(8, (batch, n), generator=generator)
    capital = torch.rand(batch, n, generator=generator) < 0.25
    tokens = letter + 8 * ~capital  # 0 … 7 are A … H, 8 … 15 are a … h
    place = torch.where(capital, torch.arange(n), -1).cummax(1).values  # of the last capital
    asked = ~capital & (place >= 0)
    return tokens, torch.where(asked, tokens.gather(1, place.clamp(min=0)), -100)


tokens, answers = draw(torch.Generator().manual_seed(0))
print("text:   ", "".join("ABCDEFGHabcdefgh"[t] for t in tokens[0]))
print("answers:", "".join("ABCDEFGH"[a] if a >= 0 else "·" for a in answers[0]))

# %% [markdown]
# In each step of the training, the model answers a batch of new texts. The **loss** is small when the right answers get
# a high probability. `backward` computes the **gradient**, which says for each parameter how the loss would change if
# this parameter grew. Then **Adam**, the optimiser, moves each parameter a little in the direction that lowers the loss.
# The learning rate `lr` sets the size of these moves.
#
# Our model has an embedding (a learned vector per letter), one attention layer with a causal mask, and a linear map to
# eight scores, the *logits*.

# %% tags=["nbval-ignore-output"]
from torch.nn.functional import cross_entropy

import course_study as study

torch.manual_seed(0)
model = study.OneLayer(DecayBias(strength=3.0), vocabulary=16, answers=8, causal=True)
adam = torch.optim.Adam(model.parameters(), lr=0.01)
generator = torch.Generator().manual_seed(0)
losses = []
for _ in range(100):
    tokens, answers = draw(generator)
    logits = model(tokens)  # (batch, n, 8)
    loss = cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-100)
    adam.zero_grad()
    loss.backward()
    adam.step()
    losses.append(loss.item())
print("mean loss of steps 1–10:  ", f"{np.mean(losses[:10]):.2f}")
print("mean loss of steps 91–100:", f"{np.mean(losses[-10:]):.2f}")
assert np.mean(losses[-10:]) < 0.2 * np.mean(losses[:10])

# %% [markdown]
# The loss falls, so the model learns. (On your machine, the last digits of trained numbers may differ, because
# processors add in different orders.) Later chapters call `study.fit`, which runs this loop for several models with
# three seeds each and then measures the accuracy on new texts.
#
# We compare λ = 0 (no bias) with λ = 0.3 and λ = 3. Without a bias the model sees which capitals came before, but not
# which one is nearest. So we expect that the worst seed of λ = 3 beats the best seed of λ = 0 by at least 0.2.


# %% tags=["nbval-ignore-output"]
def with_strength(strength):
    return lambda: study.OneLayer(DecayBias(strength), vocabulary=16, answers=8, causal=True)


found = study.fit({f"λ = {strength}": with_strength(strength) for strength in (0.0, 0.3, 3.0)}, draw, steps=100)
print("accuracy  seed 0  seed 1  seed 2")
for name, accuracies in found.items():
    print(f"{name}  ", "  ".join(f"{a:6.2f}" for a in accuracies))
assert min(found["λ = 3.0"]) > max(found["λ = 0.0"]) + 0.2

tokens, answers = draw(torch.Generator().manual_seed(1), batch=10_000)
capitals = torch.nn.functional.one_hot(tokens, 16)[..., :8].double()  # (batch, n, 8)
print("\na vote of all capitals so far, at distance d with (1 + d)^−λ votes each:")
for strength in (0.0, 0.3, 3.0):
    votes = torch.tensor(np.exp(decay_bias(24, strength=strength)) * np.tri(24)) @ capitals
    vote = (votes.argmax(-1) == answers)[answers >= 0].double().mean()
    print(f"λ = {strength}  {vote:6.2f}")
    assert np.mean(found[f"λ = {strength}"]) < vote + 0.05

# %% [markdown]
# Without a bias the model is right about half of the time, as often as a vote in which all capitals count alike. With λ
# = 0.3, several far capitals together can still outvote the nearest one, and the model is right even less often than
# this vote; we have not tested why. With λ = 3 both are nearly always right.

# %% [markdown]
# ## What it costs
#
# $QK^\top$ needs $n^2 d_k$ multiplications and the bias only $n^2$ additions. But a logarithm takes longer than a
# multiplication, so we measure. A logarithm per cell can be avoided, because every row of $B$ is a window in one list
# of $2n - 1$ numbers. `sliding_window_view` shows all windows without copying ([[diagonals|chapter #]] builds on this).
# The fourth timing is what remains: the $n^2$ additions.

# %% tags=["nbval-ignore-output"]
import timeit

from course_lib.reference.attention import attention as reference_attention

m = 1024  # tokens
big_q, big_k, big_v = np.random.default_rng(0).normal(size=(3, m, 64))
row = decay_row(row_offsets(m), strength=LAMBDA)
place = np.arange(m)
windows = np.lib.stride_tricks.sliding_window_view
scores = big_q @ big_k.T
ways = {
    "attention without bias": lambda: reference_attention(big_q, big_k, big_v),
    "B, a logarithm per cell": lambda: 0 - LAMBDA * np.log1p(abs(place - place[:, None])),
    "B, a view of one row": lambda: windows(row, m)[::-1],
    "scores + B, from the view": lambda: scores + windows(row, m)[::-1],
}
took = {name: min(timeit.repeat(way, number=3, repeat=5)) for name, way in ways.items()}
for name, seconds in took.items():
    print(f"{1000 * seconds / 3:8.3f} ms  {name}")

# %%
view = ways["B, a view of one row"]()
assert np.array_equal(view, decay_bias(m, strength=LAMBDA))
assert np.shares_memory(view, row)  # nothing was copied
print(f"numbers stored: {row.size:,} instead of {m * m:,}")

# %% [markdown]
# So building $B$ cell by cell was most of the cost of the bias. With the view, only the additions remain.
#
# ## Optional: released code
#
# Which released models add a number per offset to the score? In `transformers` 5.23, T5 adds a learned one
# (`models/t5/modeling_t5.py`) and BLOOM one per key, which has the same effect as a linear bias
# (`models/bloom/modeling_bloom.py`). KERPLE's authors released the log decay as `ParallelKerpleLog` in
# `megatron/mpu/layers.py` of [chijames/KERPLE](https://github.com/chijames/KERPLE).
#
# T5's numbers come from a table ([[t5_buckets|chapter #]]), which has one entry per offset up to distance 7. If we write
# the log decay into it, `T5Attention.compute_bias` should return our $B$.

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
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("bias_by_hand")

# %% [markdown]
# ## Remember
#
# - A relative bias is one number per offset, added to the scaled score. As a matrix it is Toeplitz: $2n - 1$ numbers for
#   $n^2$ cells.
# - Adding a bias multiplies weights. Key $j$ gains exactly when $e^{B_{ij}} > \sum_k w_{ik} e^{B_{ik}}$, so *which* keys
#   gain depends on the content of the whole row.
# - With log decay, λ ≤ 1 and equal content scores, the far keys of a long row together outweigh the near ones. A linear
#   decay acts like a window of fixed width.
# - A finite bias does not mask. Direction needs a mask, or a bias that is not symmetric.
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
        "It rises: the highest score wins":
            "Its factor does not depend on its score, and the factor of the token itself is larger.",
        "It falls: it is penalised":
            "Nearly every other key is penalised too. Compare its factor with the average of the row.",
        "It may rise or fall":
            "Yes. Its large weight pulls the average close to its own factor. Whether the average is "
            "above or below that factor depends on the keys that have the rest of the weight.",
    },
    answer="It may rise or fall" if rises.any() and not rises.all() else "It falls",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A colleague divides by √d_k after adding B. What happens to the bias with d_k = 64?",
    options={
        "Nothing, the softmax cancels it":
            "The softmax cancels a number that is added to a whole row, but not a factor.",
        "It acts as if λ were 8 times smaller":
            "Yes, because √64 = 8. Models differ in this, so check it before you load their weights.",
        "It acts as if λ were 64 times smaller":
            "The divisor is the square root: √64 = 8.",
    },
    answer=f"It acts as if λ were {64**0.5:.0f} times smaller",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You add 5 to every entry of B. What changes?",
    options={
        "All weights grow":
            "They must still sum to 1.",
        "Far keys gain, near keys lose":
            "Every factor of a row is multiplied by e⁵, and so is their average.",
        "Nothing":
            "Yes. All exponentials of a row are multiplied by the same number, which cancels.",
    },
    answer="Nothing" if np.allclose(softmax(scaled + B + 5), softmax(scaled + B)) else "All weights grow",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: seven, from the first score to a bug hunt.
#
# **Next:** [[next]].
#
# **Sources** *Relative Position Bias Attention*, in the online book *Attention Mechanisms*, book-ai.org (the sentence,
# its numbers, the log decay) · T.-C. Chi et al., *KERPLE: Kernelized Relative Positional Embedding for Length
# Extrapolation*, 2022 · A. Vaswani et al., *Attention Is All You Need*, 2017 · C. Raffel et al., *Exploring the Limits
# of Transfer Learning with a Unified Text-to-Text Transformer*, 2020, section 2.1 (a bias per offset) · O. Press et al.,
# *Train Short, Test Long*, 2022 (the linear form).
