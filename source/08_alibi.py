# %% [markdown]
# # [[title]]
#
# This scheme has nothing to learn. ALiBi subtracts a straight line from the scores, steep in one head and flat in
# another. It fits in a few lines, and it has details that are easy to get wrong without any error: the slopes of 12
# heads, and a bias that needs a mask. You will run them, and test what is said about ALiBi.
#
# **You will be able to**
# - give every head its slope, for 8 heads and for 12, where two formulas are in circulation;
# - say what the softmax takes away from a bias, and when a shortcut that uses it fails;
# - test "reads texts of any length" instead of repeating it.
#
# **You need** chapters [[bias_by_hand|#]] (bias, linear decay, mask) and [[t5_buckets|#]] (`past`), and a little torch.
# **Time** [[time]].

# %%
import math

import numpy as np

from course_lib import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
mat = TOKENS.index("mat")

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
# [[bias_by_hand|Chapter #]] had the same idea with a logarithm, and compared it with a straight line. Here is the line
# for all queries, in two loops, and as a row laid on the diagonals. What the mask hides may hold any number; the loop
# leaves it at 0.

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
# tokens away. The width does not depend on the length of the text ([[bias_by_hand|chapter #]] measured that for one
# slope).
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
# A decoder that writes asks for one new query at position `past`. The matrix form must know that
# ([[t5_buckets|chapter #]]). The key form need not: its row does not contain $i$. In torch, the course's `ALiBi` takes
# care of it.

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
# is not the same as reading them. How the loss behaves beyond the training length is measured in
# [[longer_than_training|chapter #]].
#
# ## The same as the published code
#
# Equal to Hugging Face's BLOOM, when `transformers` is installed.

# %% tags=["nbval-ignore-output"]
try:
    from transformers import FalconConfig
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.falcon import modeling_falcon as falcon

    for n_heads in (1, 8, 12, 20, 40):
        published = build_alibi_tensor(torch.ones(1, 30), n_heads, torch.float32)
        assert np.allclose(published.numpy(), key_form(30, n_heads=n_heads))
        coarse = falcon.build_alibi_tensor(torch.ones(1, 30), n_heads, torch.float32)  # to be divided by √d with the scores
        assert torch.allclose(coarse, published, rtol=2**-7)
    print("BLOOM: the bias of 30 keys agrees for 1, 8, 12, 20 and 40 heads; Falcon-RW's as far as bfloat16 goes")
    print("Falcon uses ALiBi by default:", FalconConfig().alibi)
except ImportError:
    print("transformers is not installed: nothing to compare with")

# %% [markdown]
# The last line is for a sentence that circulates, "Falcon uses ALiBi": only the small Falcon-RW models do, the large ones
# use RoPE.

# %% [markdown]
# ## Remember
#
# - ALiBi: $-m_h \, (i - j)$ after the scaling, one fixed slope per head. For $H$ a power of two $m_h = 2^{-8h/H}$; for
#   other numbers the authors' code takes the slopes of the next lower power of two, then every other one of the next
#   higher.
# - What is constant along a row, the softmax takes away. So $m\,j$ will do, *under a causal mask*. Without a mask it
#   favours the end of the text: an encoder needs $-m\,|i - j|$.
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
    "A causal head with ALiBi. Which change to its scores leaves all weights as they are?",
    options={
        "Twice the slope":
            "Then every step back costs twice as much.",
        "3 more for every key":
            "Yes: the softmax takes away what is added to a whole row.",
        "3 more for the nearest key":
            "This key gains: it alone has a larger score.",
    },
    answer="3 more for every key",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model with ALiBi reads a text eight times as long as its training texts, and its loss stays level. "
    "What follows?",
    options={
        "The far tokens did no harm":
            "Yes. The bias gives them next to no weight.",
        "It used the far tokens":
            "A level loss does not show that. Near tokens alone can keep it level.",
        "It has learned flatter slopes":
            "The slopes are fixed: nothing in ALiBi is learned.",
    },
    answer="The far tokens did no harm",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five: slopes with a pencil, a prediction, and three bug hunts.
#
# **Next:** [[next]].
#
# **Sources** O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input Length
# Extrapolation*, 2022, section 3 (the bias, the slopes), and their published code (other numbers of heads) · the code of
# BLOOM, MPT and Falcon in Hugging Face's `transformers`.
