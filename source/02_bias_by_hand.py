# %% [markdown]
# # [[title]]
#
# Attention compares words by what they say. In this chapter you give it a sense of distance with a single addition,
# follow every number of it through five tokens, and find out *why* each weight moved. The first explanations that come
# to mind are easy to believe, and most of them are wrong. You will test them.
#
# **You will be able to**
# - write the bias matrix from its formula, and say why its diagonals are constant;
# - trace one row of attention from raw score to output, with the bias and without it;
# - tell for any row which keys gain weight, and prove it;
# - choose between logarithmic and linear decay, and know what each does to a long text;
# - put the same bias into a torch layer.
#
# **You need** matrix products and the softmax, nothing else. **Time** [[time]].

# %%
import numpy as np

from course_lib import figures
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
# Five tokens, and for each a **query** (what it looks for), a **key** (what it offers) and a **value** (what it hands
# over), of four numbers each. They are small on purpose: you can check every step with a pencil. Throughout the course
# $i$ is the query, $j$ the key, both counted from 0, and the **offset** is $j - i$: negative when the key came before.

# %% [markdown]
# ## Step 1 · Raw scores
#
# How well does the key of *cat* answer the query of *sat*? Multiply the two, number by number, and add up.

# %%
sat, cat = TOKENS.index("sat"), TOKENS.index("cat")
print("query sat:", Q[sat])
print("key cat:  ", K[cat])
print("products: ", Q[sat] * K[cat], "-> sum", (Q[sat] * K[cat]).sum())

# %% [markdown]
# Do that for every query and every key: two loops, or one matrix product.

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
# *cat* looks at *The* with the highest score of all. The lowest is 0.0, and three pairs share it: *The* with itself,
# *cat* with itself, and *on* with *sat*. Nothing here knows that *sat* stands beside *cat*: move the words around and
# every pair keeps its score.

# %%
order = [3, 0, 4, 1, 2]
assert np.array_equal(Q[order] @ K[order].T, raw[np.ix_(order, order)])

# %% [markdown]
# ## Step 2 · Scale
#
# Large scores make the softmax nearly all-or-nothing. If the numbers of $q$ and $k$ are independent with mean 0 and
# variance 1, then $q \cdot k$ has variance $d_k$, so its typical size is $\sqrt{d_k}$. Dividing by that keeps scores
# the same size whatever $d_k$ is (Vaswani et al. 2017, section 3.2.1). Here $d_k = 4$.

# %%
scaled = raw / np.sqrt(D_K)
assert scaled.max() == 1.5
figures.heatmap(scaled, alt="Scaled scores Q Kᵀ / √4", digits=3)

# %% [markdown]
# ## Step 3 · The bias
#
# Now the one new thing. A key that is $d = |j - i|$ tokens away gets a penalty that grows with the logarithm of $d$:
#
# $$B_{ij} = -\lambda \, \log(1 + |j - i|), \qquad \lambda = 0.3$$
#
# First for one pair, then for every distance there is.

# %%
d = abs(cat - sat)
print(f"sat → cat: distance {d}, bias {-LAMBDA * np.log(1 + d):.4f}\n")

print("distance  log(1 + d)     bias")
for d in range(n):
    print(f"{d:8}  {np.log1p(d):10.4f}  {0 - LAMBDA * np.log1p(d):7.4f}")

# %% [markdown]
# `np.log1p(d)` is $\log(1 + d)$, and `0 - …` avoids printing −0. No penalty for looking at yourself, and each further
# step costs less than the one before: the fourth step away adds 0.0669, the first 0.2079. The matrix needs nothing but
# the distance of each query $i$ and key $j$:

# %%
B = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        B[i, j] = 0 - LAMBDA * np.log1p(abs(j - i))

print("cost of each further step:", -np.diff(B[0]))
figures.heatmap(B, alt="The bias B")

# %% [markdown]
# Read along a diagonal: every number is the same. A matrix like that is called **Toeplitz**, and it holds far less than
# it seems to. Its 25 entries are 9 different offsets, from −4 to +4, each laid on its own diagonal: row $i$ is the window
# of $n$ numbers that begins at place $n - 1 - i$. `to_grid` does exactly this (for one row that all queries share, hence
# `row[None]`), and it will carry nearly every scheme of the course:

# %%
from course_lib.reference.grid import row_offsets, to_grid

offset = row_offsets(n)
row = 0 - LAMBDA * np.log1p(abs(offset))
assert np.array_equal(to_grid(row[None], n), B)

signs = [f"{o:+d}" for o in offset]
figures.heatmap(row, columns=signs, alt="One number per offset: the whole bias in a row")

# %% [markdown]
# Try it. Move λ, change the size, switch the decay, and point at a cell (or reach it with the arrow keys) to see its
# calculation. Two things to look for: what is left at λ = 0, and how differently *linear* treats the corners.

# %%
from course_lib.reference.bias import decay_bias

assert np.array_equal(decay_bias(n, scale=LAMBDA), B)
figures.bias_heatmap(n=n, scale=LAMBDA, decay="log", tokens=TOKENS)

# %% [markdown]
# ## Step 4 · Add it
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + B_{ij}$$
#
# The bias comes after the scaling, so its size does not depend on $d_k$.

# %%
biased = scaled + B
the, mat = TOKENS.index("The"), TOKENS.index("mat")
print(f"cat → The, distance 1: {scaled[cat, the]:.4f} becomes {biased[cat, the]:.4f}")
print(f"cat → mat, distance 3: {scaled[cat, mat]:.4f} becomes {biased[cat, mat]:.4f}")
figures.heatmap(biased, alt="Biased scores S")

# %% [markdown]
# ## Step 5 · Softmax, two rows by hand
#
# The softmax turns a row of scores into weights that are positive and sum to 1:
# $w_{ij} = e^{S_{ij}} / \sum_k e^{S_{ik}}$. Subtracting the largest score first changes nothing (it cancels) and keeps
# $e^x$ small. Here are all its steps for the query *The*:


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
# And for *sat*, in the middle of the sentence. Follow one column down with a calculator: that is all a softmax does.

# %%
figures.heatmap(softmax_steps(biased[sat]), rows=steps, alt='Softmax, query "sat"')

# %% [markdown]
# *sat* now gives itself 30.3 % of its attention. Without the bias it was 25.1 %, the same as for *cat*: those two keys
# have the same score. All rows at once, without and with the bias:

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
# Each token's output is the average of all values under its weights, $o_i = \sum_j w_{ij} v_j$. The values were chosen
# to make that visible: the first four are unit vectors and *mat* hands over one half of everything. So number $c$ of
# the output is just $w_{ic} + w_{i,mat}/2$.

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
# Six steps in one function. Click a line (or use the buttons or arrow keys) to see what it made: the shape, the type and
# every number at that moment.


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
# Subtract the two sets of weights. Blue lost, orange gained; each row sums to 0, because what one key gains another
# must lose.

# %%
change = weights - standard
assert np.allclose(change.sum(axis=1), 0)
figures.heatmap(change, alt="Change: weight with the bias − weight without it")

# %% [markdown]
# Before you read on, commit to an answer.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Which rule tells, for every query and key of this table, whether the key gained?",
    options={
        "Neighbours gain, far keys lose":
            "In the rows sat and on, both direct neighbours lost. 21 of 25 cells fit.",
        "Only the token itself gains":
            "Four neighbours gained as well, cat in the row The for one. 21 of 25 fit.",
        "Keys with a high score gain":
            "The bias is the same whatever the score is: a high score alone decides nothing. 20 of 25 fit.",
        "The key's bias is compared with an average over its row":
            "Yes. Which average exactly is what we work out now.",
    },
    answer="The key's bias is compared with an average over its row",
)

# %% [markdown]
# ## Easy to believe; let us run it
#
# Four tempting explanations of such a table, and a line or two of code to check each.
#
# **"The centre token benefits most, because it has neighbours on both sides."** To see the effect of the place alone,
# give all pairs the same content score:

# %%
place_only = softmax(B) - 1 / n
print("own gain with equal content:", place_only.diagonal())
assert place_only.diagonal().argmin() == sat

# %% [markdown]
# The centre gains *least*. Its keys are all near, so there is less penalised weight to take from.
#
# **"*mat* gains most because it stands at the edge."** Half true. With equal content both edges gain most, 0.0626 each.
# But *The* stands at an edge too, and in our sentence gains less than the centre. What differs is the content:

# %%
print("own gain in our sentence:   ", change.diagonal())
assert change[mat, mat] > change[sat, sat] > change[the, the]

# %% [markdown]
# **"*The* and *mat*, both two steps from *sat*, lost equally."** They lost 0.0198 and 0.0254. What is equal is the
# *factor*:

# %%
factor = weights / standard
print("change of The and mat:", change[sat, [the, mat]])
print("factor of The and mat:", factor[sat, [the, mat]])
assert np.isclose(factor[sat, the], factor[sat, mat])

# %% [markdown]
# **"The diagonal always gains."** This one is true here, and worth proving, since the proof holds the whole answer.

# %% [markdown]
# ## Why: one line of algebra
#
# Adding $B_{ij}$ to a score multiplies its exponential by $e^{B_{ij}}$. So the new weight is the old one, times that
# factor, divided by whatever makes the row sum to 1 again:
#
# $$w'_{ij} = \frac{w_{ij}\, e^{B_{ij}}}{\sum_k w_{ik}\, e^{B_{ik}}}$$
#
# Key $j$ gains exactly when its factor beats the average factor of its row, where each key counts with its old weight:
#
# $$\boxed{\; w'_{ij} > w_{ij} \iff e^{B_{ij}} > \textstyle\sum_k w_{ik}\, e^{B_{ik}} \;}$$
#
# If no bias is above 0 and your own is 0, your own factor is 1, no factor is larger, and any real penalty pulls the
# average below 1: the diagonal must gain. (A *learned* bias gives no such promise.)

# %%
average = (standard * np.exp(B)).sum(axis=1, keepdims=True)
assert np.allclose(weights, standard * np.exp(B) / average)
print("average factor of each row:", average.ravel())
print("factor at distance 0 … 4: ", np.exp(B[0]))

# %% [markdown]
# Read it off: a neighbour's factor is 0.8123. That is above the average of rows *The* (0.7432), *cat* (0.7978) and
# *mat* (0.7745), where neighbours gained, and below the averages of *sat* (0.8270) and *on* (0.8244), where they lost.

# %% [markdown]
# Now let every rule predict all 25 cells, and count.

# %%
distance = abs(np.subtract.outer(np.arange(n), np.arange(n)))
mean_distance = distance.mean(axis=1, keepdims=True)
mean_bias = (standard * B).sum(axis=1, keepdims=True)
rules = {
    "only the token itself gains": distance == 0,
    "neighbours gain": distance <= 1,
    "keys with a high score gain": raw > raw.mean(axis=1, keepdims=True),
    "nearer than the row's mean distance": distance < mean_distance,
    "bias above the weighted mean bias": B > mean_bias,
    "factor above the weighted mean factor": np.exp(B) > average,
}
gained = weights > standard
assert gained.sum() == n + 4  # every token itself, and four neighbours
for name, prediction in rules.items():
    print(f"{(prediction == gained).sum():2} of 25  {name}")

# %% [markdown]
# Two rules get everything right, and only one of them is a rule. "Bias above the weighted mean *bias*" leaves out the
# exponential. The mean of the exponentials is never below the exponential of the mean (Jensen's inequality), so that
# rule errs on every key whose factor lies between those two numbers. At λ = 0.3 there is no such key. A stronger bias
# has some:

# %%
def above_mean(x):
    """Where x is above the mean of its row, each key counting with its old weight."""
    return x > (standard * x).sum(axis=1, keepdims=True)


for scale in (0.3, 1.0, 2.0, 3.0):
    strong = decay_bias(n, scale=scale)
    truth = softmax(scaled + strong) > standard
    by_bias = (above_mean(strong) == truth).sum()
    by_factor = (above_mean(np.exp(strong)) == truth).sum()
    print(f"λ = {scale}:  mean bias {by_bias} of 25,  mean factor {by_factor} of 25")
    assert by_factor == 25

# %% [markdown]
# Passing one example is not a proof. **Your turn:** put a rule of your own in place of the one below and run the cell.

# %%
my_rule = distance <= 1
print(f"{(my_rule == gained).sum()} of 25")
figures.heatmap((my_rule == gained).astype(int), alt="1 where my rule is right")

# %% [markdown]
# One more look at *mat*. Its output was flat, 0.3108 four times, and number 3 rose by 0.0446. What *on*, its nearest
# neighbour, contributes is only 0.0092. The rest, 0.0354, is *mat* itself, which gained most and whose value is one
# half everywhere: it lifts all four numbers alike. In the other three, what *The*, *cat* and
# *sat* lose eats up some or all of it.

# %%
rise = change[mat] * V[:, 3]
assert np.isclose(rise.sum(), (weights @ V - standard @ V)[mat, 3])
print(f"number 3 of mat's output rises by {rise.sum():.4f}, from each key:")
figures.heatmap(rise, alt="What each key adds to number 3 of mat's output")

# %% [markdown]
# ## How strong? λ
#
# Choose a query, move λ, and watch the average factor of the row (the line every key has to beat) sink as the penalty
# grows. At λ = 0 you have standard attention. Far to the right most of the weight sits on the token itself.

# %%
figures.attention_explorer(Q, K, tokens=TOKENS, query=sat, scale=LAMBDA, decay="log")

# %% [markdown]
# The logarithm makes the penalty a power law: $e^{-\lambda \log(1+d)} = (1+d)^{-\lambda}$. With *linear* decay it is
# geometric, $e^{-\lambda d}$. The mean distance at which *The* looks falls steadily with λ:

# %%
for scale in (0, 0.1, 0.3, 1.0, 3.0):
    w = softmax(scaled[the] + decay_bias(n, scale=scale)[the])
    print(f"λ = {scale:<3}  weights {w}  mean distance {w @ distance[the]:.3f}")
assert np.allclose(np.exp(decay_bias(n, scale=2.0)), (1.0 + distance) ** -2.0)

# %% [markdown]
# ## Which decay?
#
# "Quadrupling the distance only doubles the logarithm": easy to believe, and what a logarithm really does is better
# than that. Let us see, for $\log(1 + d)$:

# %%
for d in (1, 2, 4, 16, 100):
    near, far = np.log1p(d), np.log1p(4 * d)
    print(f"d = {d:3}: from {near:.3f} to {far:.3f}, times {far / near:.2f}, plus {far - near:.3f}")
print(f"log 4 = {np.log(4):.3f}")

# %% [markdown]
# It doubles at $d = 2$ and nowhere else. What it does for large $d$ is to *add* nearly $\log 4 = 1.386$, whatever $d$
# is. The price of so mild a penalty shows on long texts. Take the last token of a long text, all content scores equal:
# what share of its attention goes to the keys that are 16 or more tokens back?

# %%
print("tokens  log, λ = 0.3  log, λ = 2  linear, λ = 0.3")
for length in (64, 1024, 16384):
    d = np.arange(length)
    rows = (1.0 + d) ** -0.3, (1.0 + d) ** -2.0, np.exp(-0.3 * d)
    shares = [factors[16:].sum() / factors.sum() for factors in rows]
    print(f"{length:6}  {shares[0]:12.1%}  {shares[1]:10.1%}  {shares[2]:15.1%}")

# %% [markdown]
# At λ = 0.3 the log bias favours near keys one against one, but there are so many far keys that together they win: at
# 16,384 tokens they hold 99.3 % of the attention. (The sum of $(1+d)^{-\lambda}$ grows without end for λ ≤ 1; beyond 1
# it converges, and near keys keep their share.) The linear bias gives the far ones 0.8 % at every length: a window of
# fixed width. Neither is better as such. Linear is what ALiBi uses ([[alibi|chapter #]]), with a different slope for
# each head so that some look far.
#
# Two more decays to compare with, all at λ = 0.3: the square root lies between the two, and the square of the distance
# makes the weights a bell curve.

# %%
import matplotlib.pyplot as plt

from course_lib.reference.bias import DECAYS, decay_row

d = np.arange(33)
fig, ax = plt.subplots(figsize=(6.4, 3.0))
for name, style in zip(DECAYS, ("-", "--", "-.", ":"), strict=True):
    factors = np.exp(decay_row(d, scale=LAMBDA, decay=name))
    ax.plot(d, factors, style, label=name)
    print(f"factor at distance 32, {name}: {factors[-1]:.4f}")
ax.set(xlabel="distance d", ylabel="factor of the weight", ylim=(0, 1.02))
ax.legend()
figures.show(fig, alt="What each decay multiplies a weight by: log falls slowest")

# %% [markdown]
# ## The same phrase, somewhere else
#
# $B$ depends on $j - i$ and on nothing else, so the same five tokens get the same bias at the start of a book and 500
# tokens later. With a learned vector per absolute position the model would have to learn that twice.

# %%
book = decay_bias(505, scale=LAMBDA)
assert np.array_equal(book[0:5, 0:5], book[500:505, 500:505])
print(f"query 0, key 2: {book[0, 2]:.4f} | query 500, key 502: {book[500, 502]:.4f}")

# %% [markdown]
# The *weights* are not the same there: at position 500 the row also holds 500 other keys to share with. A relative
# bias makes the rule the same everywhere, not the result.

# %% [markdown]
# A word on direction. $B$ is symmetric: it cannot tell *before* from *after*. Hiding the future is the business of a
# **mask**, which is applied after the bias and sets scores to −∞, so that those weights are exactly 0. A finite bias
# makes a weight small and never 0 (until the computer rounds it away).

# %%
from course_lib.reference.attention import causal_mask

far = softmax(decay_bias(1000, scale=LAMBDA)[0])
masked = softmax(np.where(causal_mask(n), biased, -np.inf))
assert far.min() > 0 and np.all(masked[np.triu_indices(n, 1)] == 0)
figures.heatmap(masked, alt="Biased weights under a causal mask")

# %% [markdown]
# ## In torch, with batch and heads
#
# A model has many sequences and many heads at once, so its tensors are `(batch, heads, n, d)`. The bias is the same
# for the whole batch and may differ per head. `DecayBias` gives one row of $n_q + n_k - 1$ numbers per head, and the
# attention lays it on the diagonals.

# %%
import torch

from course_lib.nn.attention import attention as torch_attention
from course_lib.nn.bias import DecayBias
from course_lib.nn.terms import Terms

q, k, v = (torch.tensor(x).expand(2, 3, n, D_K) for x in (Q, K, V))
bias = DecayBias(scale=[0.0, 0.3, 1.0]).double().bias(n, n, past=0)
output, w = torch_attention(q, k, v, Terms(bias=bias))
for name, tensor in {"output": output, "weights": w, "bias": bias}.items():
    print(f"{name:8}{tuple(tensor.shape)}")
assert np.allclose(w[0, 0], standard) and np.allclose(w[1, 1], weights)

# %% [markdown]
# Head 0 has λ = 0 and is standard attention. Head 1 reproduces every weight of this chapter. As a layer with learned
# projections it is `RelativeAttention`, and decoding token by token with a cache of past keys gives the same numbers
# as reading the whole text at once:

# %%
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention

torch.manual_seed(0)
position = DecayBias([0.0, 0.3, 1.0])
layer = RelativeAttention(d_model=12, n_heads=3, position=position, causal=True)

x, cache = torch.randn(1, 8, 12), KeyValueCache()
one_by_one = [layer(x[:, t : t + 1], cache=cache) for t in range(8)]
assert torch.allclose(torch.cat(one_by_one, dim=1), layer(x), atol=1e-6)

# %% [markdown]
# ## What it costs
#
# | | standard attention | with the bias |
# |---|---|---|
# | scores $QK^\top$ | $O(n^2 d_k)$ time | the same |
# | building $B$ | | $2n-1$ values; $n^2$ copies if laid out as a matrix |
# | adding $B$ | | $O(n^2)$ time |
# | extra memory | | $2n-1$ numbers per head, or $n^2$ as a matrix |
# | parameters | | 0 (fixed), one per offset or bucket (learned) |
#
# "Dominated by $QK^\top$, so negligible" is true of the letters and not of the clock: $d_k$ is 64, not infinite, and a
# logarithm costs more than a multiplication. Measure. A bias needs no matrix, for its rows are windows that slide along
# one row of numbers; `sliding_window_view` shows them without copying anything ([[diagonals|chapter #]] makes this the
# fast path).

# %% tags=["nbval-ignore-output"]
import timeit

from course_lib.reference.attention import attention as reference_attention

m = 1024
big_q, big_k, big_v = np.random.default_rng(0).normal(size=(3, m, 64))
row = decay_row(row_offsets(m), scale=LAMBDA)
pos = np.arange(m)
windows = np.lib.stride_tricks.sliding_window_view
ways = {
    "attention without bias": lambda: reference_attention(big_q, big_k, big_v),
    "B, a logarithm per cell": lambda: 0 - LAMBDA * np.log1p(abs(pos - pos[:, None])),
    "B, a view of one row": lambda: windows(row, m)[::-1],
}
took = {name: min(timeit.repeat(way, number=3, repeat=5)) for name, way in ways.items()}
for name, seconds in took.items():
    print(f"{1000 * seconds / 3:8.3f} ms  {name}")

view = ways["B, a view of one row"]()
assert np.array_equal(view, decay_bias(m, scale=LAMBDA))
assert np.shares_memory(view, row)
assert took["B, a view of one row"] < took["B, a logarithm per cell"] / 5
print(f"numbers stored: {row.size:,} instead of {m * m:,}")

# %% [markdown]
# ## Remember
#
# - A relative bias is one number per offset, added to the scaled score. Everything else is attention as you know it.
# - As a matrix it is Toeplitz: $2n - 1$ numbers on $n^2$ cells.
# - Adding a bias multiplies weights. Key $j$ gains exactly when $e^{B_{ij}} > \sum_k w_{ik} e^{B_{ik}}$, so *who* gains
#   depends on the content of the whole row.
# - A log decay is a power law: for λ ≤ 1 the far keys of a long row together outweigh the near ones. A linear decay is
#   a window of fixed width.
# - A finite bias does not mask. Direction needs a mask, or a bias that is not symmetric.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A key two tokens away has by far the highest score of its row. "
    "What does the log decay do to its weight?",
    options={
        "It rises: the highest score wins":
            "Its factor does not depend on its score; and the token itself has the factor 1.",
        "It falls: it is penalised":
            "Every other key is penalised too. Compare its factor with the average of the row.",
        "It may rise or fall":
            "Yes: its own large weight pulls the average close to its own factor, from "
            "above or from below, depending on who holds the rest.",
    },
    answer="It may rise or fall",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A colleague divides by √d_k after adding B. What happens with d_k = 64?",
    options={
        "Nothing, softmax cancels it":
            "Softmax cancels what is added to a whole row, not a factor.",
        "It acts as if λ were 8 times smaller":
            "Yes: √64 = 8. Models differ in this: look before you load their weights.",
        "It acts as if λ were 64 times smaller":
            "The divisor is the square root: √64 = 8.",
    },
    answer="It acts as if λ were 8 times smaller",
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
            "Yes: a constant multiplies all exponentials of a row alike and cancels.",
    },
    answer="Nothing",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: eleven, from the first score to a bug hunt. Every
# answer is checked, and a wrong one is told what went wrong.
#
# **Next:** [[next]].
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017 · C. Raffel et al., *Exploring the Limits of
# Transfer Learning with a Unified Text-to-Text Transformer*, 2020, section 2.1 (a bias per offset, added to the score)
# · O. Press et al., *Train Short, Test Long*, 2022 (the linear form). The log decay is this course's own teaching
# example.
