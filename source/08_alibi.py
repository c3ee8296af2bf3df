# %% [markdown]
# # [[title]]
#
# ALiBi is one of the simplest position schemes. It subtracts from each score a penalty that grows with the distance,
# and it has nothing to learn. The code fits in a few lines, but two details are easy to get wrong without any error
# message: the slopes of 12 heads, and a short form of the bias that is right only under a causal mask.
#
# **You will be able to**
# - give every head its slope, for 8 heads and for 12, where two rules are in use;
# - say which part of a bias the softmax removes, and when a shortcut based on this fails;
# - test the sentence "ALiBi reads texts of any length" instead of repeating it.
#
# **You need** chapters [[bias_by_hand|#]] (bias, linear decay, mask) and [[t5_buckets|#]] (`past`), and a little
# torch. **Time** [[time]].

# %%
import math

import numpy as np

from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
mat = TOKENS.index("mat")
figures.attention_block("ALiBi")

# %% [markdown]
# ALiBi enters where the biases of chapters [[bias_by_hand|#]] and [[t5_buckets|#]] do: it adds to each score a number
# that depends on the offset, but not on what the query contains.
#
# ## ALiBi: a straight line
#
# ALiBi (attention with linear biases) was designed for decoders, where a query looks only at itself and back. A key
# that is $i - j$ tokens back loses $m \, (i - j)$ in its score. The **slope** $m$ is fixed (Press et al. 2022,
# section 3):
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m \, (i - j), \qquad j \le i$$
#
# We begin with one query: *mat*, the last token, with the slope $m = \frac12$.

# %%
m = 1 / 2
plain = scores(Q, K)
back = mat - np.arange(n)
biased = plain[mat] - m * back

steps = np.array([plain[mat], -m * back, biased, softmax(biased), softmax(plain[mat])])
assert np.isclose(steps[3].sum(), 1)
rows = ["scaled score", "−m · (i − j)", "sum", "weight", "weight without"]
figures.heatmap(steps, rows=rows, columns=list(TOKENS), alt='ALiBi, query "mat"')

# %% [markdown]
# Now for all queries, first with two loops, then as one row of numbers placed on the diagonals. The loops and the
# grid agree for all keys that the mask lets through. The other entries may hold any number, because the mask hides
# them.

# %%
by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        by_loop[i, j] = -m * (i - j)

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
# The bias is added after the division by $\sqrt{d_k}$, so it is not divided itself (footnote 10 of the paper).
#
# ## A slope for each head
#
# If all heads had the slope $\frac12$, the layer would see only a few tokens. So each head gets a slope of its own.
# For $H$ heads, the paper takes a geometric sequence that ends at $2^{-8}$:
#
# $$m_h = 2^{-8h/H}, \qquad h = 1 \dots H$$

# %%
H = 8
eight = np.array([2 ** (-8 * h / H) for h in range(1, H + 1)])
print("8 heads:", ", ".join(f"1/{1 / slope:.0f}" for slope in eight))
print("4 heads:", ", ".join(f"1/{1 / 2 ** (-8 * h / 4):.0f}" for h in range(1, 5)))

from course_lib.reference.alibi import alibi_bias, key_form, slopes

assert np.array_equal(slopes(8), eight)
assert np.array_equal(slopes(4), [1 / 4**h for h in range(1, 5)])
assert np.array_equal(alibi_bias(n, n_heads=8)[0], B)  # our head with m = 1/2

# %% [markdown]
# How far does each head see? Suppose that without the bias all scores are equal, so only the bias decides. The next
# cell counts how many of the nearest keys together have 90 % of the weight.

# %%
distance = np.arange(4096)
for h, slope in enumerate(slopes(8), 1):
    within = softmax(-slope * distance).cumsum()
    print(f"head {h}: slope 1/{1 / slope:<3.0f} 90 % within the nearest {np.searchsorted(within, 0.9) + 1:3}")
assert np.searchsorted(within, 0.9) + 1 == 590

# %% [markdown]
# The steepest head sees 5 keys and the flattest 590, and the number about doubles from head to head. Together the heads
# cover distances from a few tokens to several hundred. Longer texts do not change these widths.
#
# ## Twelve heads, two rules
#
# GPT-2's sizes have 12, 16, 20 and 25 heads. The paper gives the formula for any number of heads. But the authors' own
# code uses another rule if $H$ is not a power of two. It takes all slopes for 8 heads, the next lower power of two, and
# then the first, third, fifth, … for 16 (`get_slopes` in their `fairseq/models/transformer.py`).

# %%
formula = np.array([2 ** (-8 * h / 12) for h in range(1, 13)])
sixteen = [2 ** (-8 * h / 16) for h in range(1, 17)]
code = np.array([*eight, *sixteen[::2][:4]])
assert np.array_equal(code, slopes(12))

print("head   formula    authors' code")
for h in range(12):
    print(f"{h + 1:4}   {formula[h]:.4f}     {code[h]:.4f}" + ("  (from 16 heads)" if h > 7 else ""))
print("heads with the same slope:", np.isclose(formula, code).sum())
of_112 = [2 ** (-8 * h / 112) for h in range(1, 113)]
print("of BLOOM's 112 heads:", np.isclose(of_112, slopes(112)).sum())

# %% [markdown]
# The two rules agree for none of the twelve heads. A comment in that code calls the rule a workaround for other numbers
# of heads; we know of no comparison of the two. But published weights were *trained* with one of them. The language
# models BLOOM, Falcon-RW and most of MPT use the slopes of the authors' code. The largest BLOOM has 112 heads. Loaded
# with the formula, every head decays at a rate it was not trained for.
#
#
# With the authors' rule, the slopes do not fall from head to head: head 9 is the steepest of all. Change the number of
# heads in the picture to see when the two rules agree. The column *from* says where each head's slope comes from.

# %%
assert not np.isclose(formula, code).any() and slopes(12).argmax() == 8
figures.alibi_slopes(12)

# %% [markdown]
# How much does the wrong slope change? We take heads 1 and 9 of 12, and a query with 20 keys and equal scores.

# %%
for h in (0, 8):
    for name, slope in (("authors' code", code[h]), ("formula", formula[h])):
        w = softmax(-slope * np.arange(20))
        shares = f"itself {w[0]:5.1%}, one back {w[1]:5.1%}, ten back {w[10]:.2%}"
        print(f"head {h + 1}, {name:13}  slope {slope:.4f}: {shares}")

# %% [markdown]
# With the wrong slope, head 1 changes little, but head 9 no longer looks at the nearest tokens: it sees all 20 almost
# alike.
#
# A related bug appears when a large model splits its heads over several machines, for example 4 of 8 heads on each. The
# slopes belong to the heads of the whole *layer*, so we have to compute 8 slopes and then take our part of them.

# %%
by_four = [slopes(4), slopes(8)[:4]]
assert not np.allclose(*by_four)
print("first 4 heads of 8, as slopes(4):    ", by_four[0])
print("first 4 heads of 8, as slopes(8)[:4]:", by_four[1])

# %% [markdown]
# ## What the softmax removes
#
# BLOOM's code, like the authors' own, does not contain $i - j$. It adds $m \, j$, which depends on the position of
# the key but not on that of the query. We call this the **key form** and $-m \, (i - j)$ the **matrix form**. Why is
# the key form right? We split the bias into two parts:
#
# $$-m \, (i - j) = m \, j - m \, i$$
#
# In row $i$, the second part is the same number $c = -m\,i$ for all keys. The softmax removes it, because a common
# factor $e^c$ can be cancelled:
#
# $$\frac{e^{s_j + c}}{\sum_k e^{s_k + c}} = \frac{e^c \, e^{s_j}}{e^c \sum_k e^{s_k}}
# = \frac{e^{s_j}}{\sum_k e^{s_k}}$$

# %%
bloom = key_form(n, n_heads=8)[0]
paper = -0.5 * (np.arange(n)[:, None] - np.arange(n))
assert bloom.shape == (1, n)
print("difference in each row:", (bloom - paper)[:, 0])

_, from_bloom = attention(Q, K, V, bias=bloom, mask=mask)
assert np.allclose(from_bloom, weights)
figures.side_by_side(
    figures.heatmap(np.where(mask, paper, -np.inf), signed=True, limit=2, alt="−m (i − j), causal"),
    figures.heatmap(np.where(mask, bloom, -np.inf), signed=True, limit=2, alt="m · j, causal"),
)

# %% [markdown]
# Row $i$ on the right is row $i$ on the left plus $i/2$, and the weights are equal. The shortcut saves memory, because
# one row per head, `(heads, 1, n_k)`, is enough for all queries, while the matrix form, if stored, needs a matrix for
# each head. MPT adds $m \, (j - (n - 1))$, which again differs only by a constant in each row.
#
# ## Without a mask
#
# These forms were made for a causal mask, but an encoder has none. What happens if an encoder uses BLOOM's key form?
# Suppose that without the bias all scores are equal, and choose an answer.

# %% tags=["hide-input"]
# @title Question
most = softmax(0.5 * np.arange(n)).argmax()
figures.question(
    "No mask, the bias m · j on every score, and all scores equal without it. Where does the first token look?",
    options={
        "Mostly at itself": "That would need −m·|i − j|. m·j does not depend on the position of the query.",
        "At all tokens equally": "The bias is not constant along a row, because it grows with j.",
        "Mostly at the last token": "Yes, and so does every other token.",
        "At the second token": "m·j goes on growing after the second token and is largest at the end.",
    },
    answer={0: "Mostly at itself", 1: "At the second token", n - 1: "Mostly at the last"}[most],
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
# All rows on the left are the same. Without a mask, $m\,j$ and $-m\,(i - j)$ say nothing about the distance and only
# favour the end of the text. A key *after* the query even gets a reward, because there $-m\,(i - j)$ is positive.
#
# An encoder needs another form, such as the symmetric $-m\,|i - j|$ on the right. It is an extension, since the paper
# has only the causal form. On and below the diagonal the two are equal, so under a causal mask you may use either. The
# symmetric form cannot tell *before* from *after*, but this does not affect a decoder, whose mask already hides
# everything after the query.
#
# **Your turn.** Choose a form and move the slope, with the mask and without it. Under the mask, which forms give the
# same weights? Without it, what does the first token see?


# %%
def alibi_form(form="m · j", causal=True, slope=0.5, n=5):
    i, j = np.arange(n)[:, None], np.arange(n)
    bias = {"m · j": slope * j + 0 * i, "−m (i − j)": -slope * (i - j), "−m |i − j|": -slope * abs(i - j)}[form]
    return np.where(j <= i, bias, -np.inf) if causal else bias


figures.play(alibi_form, form=["m · j", "−m (i − j)", "−m |i − j|"], causal=True, slope=(0.0, 1.0))

# %% [markdown]
# ## Decoding with ALiBi
#
# When a decoder writes, it computes one new query at position `past`. The symmetric form must know `past`
# ([[t5_buckets|chapter #]]). If it forgets `past`, the new query gets the bias of the first token and prefers the start
# of the text. The key form $m\,j$ needs no `past`, and in $-m\,(i - j)$ a wrong $i$ only adds a constant to the row.
# The next cell compares these rows, and the one after it decodes 40 tokens one by one with the course's torch module
# `ALiBi`.

# %%
past = 4
last_row = alibi_bias(1, n, n_heads=8, past=past)[0]
forgotten = alibi_bias(1, n, n_heads=8)[0]
assert np.allclose(softmax(last_row), softmax(bloom))
assert not np.allclose(softmax(forgotten), softmax(bloom))

figures.heatmap(
    np.array([last_row[0], forgotten[0], bloom[0]]),
    rows=["−m |i − j|, past = 4", "−m |i − j|, past forgotten", "m · j, at every step"],
    columns=list(TOKENS), alt="The bias of the new query, in three forms",
)

# %%
import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention

torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
layer = RelativeAttention(24, 12, position=ALiBi(12), causal=True)
x, cache = torch.randn(1, 40, 24), KeyValueCache()
one_by_one = torch.cat([layer(x[:, t : t + 1], cache=cache) for t in range(40)], dim=1)
assert torch.allclose(one_by_one, layer(x), atol=1e-5)
print("40 tokens one by one = all at once")

# %% [markdown]
# ## What a fixed slope can learn
#
# ALiBi has no parameters of its own, so what does it do for a model that learns? We train one small layer to find the
# nearest capital. The texts are random letters from an alphabet of 8 capitals and 8 small letters. At each place the
# model should name the last capital so far. A layer without position knows which capitals came, but not in which
# order.
#
# We compare three layers with four heads: with ALiBi's fixed slopes, with slopes that are trained from ALiBi's
# values, and without position. Our claim before the run: with each of three seeds, the accuracy with fixed slopes is
# more than 0.1 higher than without position.

# %%
from torch import nn

import course_study as study
from course_lib.nn.grid import row_offsets as offsets_of
from course_lib.nn.position import Position

trained = []  # one LearnedSlopes for each seed


class LearnedSlopes(Position):
    def __init__(self, n_heads):
        super().__init__()
        trained.append(self)
        self.slopes = nn.Parameter(torch.tensor(slopes(n_heads), dtype=torch.float32)[:, None])

    def bias(self, n_q, n_k, past):
        return -self.slopes * offsets_of(n_q, n_k, past).abs()


def draw(generator):
    """Letters 0 to 7 are capitals; each place asks for the last capital so far, or nothing (−100)."""
    letters = torch.randint(16, (32, 24), generator=generator)
    place = torch.where(letters < 8, torch.arange(24), -1).cummax(dim=1).values
    return letters, torch.where(place < 0, -100, letters.gather(1, place.clamp(min=0)))


# %% tags=["nbval-ignore-output"]
kinds = {"fixed slopes": lambda: ALiBi(4), "learned slopes": lambda: LearnedSlopes(4), "no position": Position}
right = study.fit(
    {
        name: lambda make=make: study.OneLayer(make(), 16, n_heads=4, causal=True)
        for name, make in kinds.items()
    },
    draw,
    steps=100,
)
for name, accuracies in right.items():
    print(f"{name:14}", ", ".join(f"{accuracy:.3f}" for accuracy in accuracies))
print("slopes after training, first seed:", trained[0].slopes.detach().ravel().numpy())
assert min(right["fixed slopes"]) > max(right["no position"]) + 0.1
assert min(position.slopes.min() for position in trained) > 1 / 4

# %% [markdown]
# Without position, the layer answers correctly where the letter itself is a capital. Elsewhere it can only guess among
# the capitals so far. The fixed slopes solve most of the task. The learned slopes do even better, probably because
# training makes all of them steeper than ALiBi's steepest slope for four heads, which is $\frac14$. So at the training
# length, fixed slopes are not the best choice here. They are made for longer texts: the authors report that trained
# slopes did not extrapolate well (section 3). [[longer_than_training|Chapter #]] measures fixed ones.
#
# ## "ALiBi reads texts of any length"
#
# The bias of a far key is a known number, so we can test this claim. How much higher than the query's own
# token must a far key score to get the same weight?

# %%
for r in (100, 1000, 10_000):
    need = slopes(8) * r
    print(f"{r:6} tokens back: a score higher by {need[-1]:6.2f} (head 8), {need[3]:6.1f} (head 4)")
print(f"a lead of {need[-1]:.2f} in the score: a factor of {math.exp(need[-1]):.1e} in the weight")
assert math.isclose(need[-1], 10_000 / 256)

# %% [markdown]
# Nothing prevents a head from looking 10,000 tokens back. But even in the flattest head, that key needs a score 39
# higher than that of the query's own token. Far tokens therefore usually get almost no weight. The text is accepted,
# but hardly read. [[longer_than_training|Chapter #]] measures how the loss behaves beyond the training length.
#
# ## The released code (optional)
#
# BLOOM and Falcon in Hugging Face's `transformers` each have a function `build_alibi_tensor`, in
# `models/bloom/modeling_bloom.py` and in `models/falcon/modeling_falcon.py`. The next cell compares them with ours,
# on the five tokens and on longer texts.

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers import FalconConfig
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.falcon import modeling_falcon as falcon

    for tokens, n_heads in ((n, 8), (n, 12), (30, 1), (30, 20), (30, 40)):
        released = build_alibi_tensor(torch.ones(1, tokens), n_heads, torch.float32)
        assert np.allclose(released.numpy(), key_form(tokens, n_heads=n_heads))
        rounded = falcon.build_alibi_tensor(torch.ones(1, tokens), n_heads, torch.float32)
        assert torch.allclose(rounded, released, rtol=2**-7)  # bfloat16 has 8 significant bits
    print("BLOOM agrees for 1, 8, 12, 20 and 40 heads, and Falcon up to the rounding of bfloat16.")
    print("Falcon uses ALiBi by default:", FalconConfig().alibi)

# %% [markdown]
# Two models need more care. Falcon-RW divides the *sum* of product and bias by $\sqrt{d_k}$, so its bias is scaled as
# well, and it rounds slopes and bias to bfloat16, a format of 16 bits. MPT-7B-StoryWriter was trained with slopes down
# to $2^{-16}$ (`alibi_bias_max: 16` in its configuration), but `transformers` ignores this entry and stops at $2^{-8}$.
# The last printed line answers a sentence you will often read, "Falcon uses ALiBi". Only the two Falcon-RW models do;
# the others use RoPE.
#
# **Who uses it today?** In November 2026, `transformers` has three families with ALiBi: BLOOM, Falcon-RW and MPT, all
# from 2022 and 2023 (`models/bloom`, `models/falcon`, `models/mpt`). Newer decoders use RoPE. Outside of
# `transformers`, the encoder MosaicBERT uses the symmetric form (`rebuild_alibi_tensor` in its code), and the
# FlashAttention package takes `alibi_slopes` as an argument of its kernels.

# %% [markdown]
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("alibi")

# %% [markdown]
# ## Remember
#
# - ALiBi adds $-m_h \, (i - j)$ after the scaling, with one fixed slope per head. The paper's slopes are
#   $m_h = 2^{-8h/H}$. If $H$ is not a power of two, the authors' code takes the slopes of the next lower power of two, then
#   every other slope of the next higher one.
# - The softmax removes what is constant along a row. So $m\,j$ is enough *under a causal mask*. Without a mask it
#   favours the end of the text, and an encoder needs $-m\,|i - j|$.
# - To load a model, the right slopes are not enough: Falcon-RW divides its bias by $\sqrt{d_k}$, BLOOM and MPT do
#   not.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A checkpoint has 12 heads and ALiBi. Your code computes 2^(−8h/12). What happens?",
    options={
        "An error: 12 is not a power of two":
            "The formula works for any number of heads, so the mistake is hard to notice.",
        "The same, in another order":
            "Four of the values occur in both sets, in other heads. The others do not.",
        "Every head decays at a different rate from training":
            "Yes. No head keeps its slope, and the only sign is that the text gets worse.",
        "Nothing: softmax removes a constant factor":
            "The softmax removes what is added to a whole row, but a slope multiplies the distance.",
    },
    answer="The same" if np.isclose(formula, code).any() else "Every head",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
changed = {
    "Twice the slope": biased - m * back,
    "3 more for every key": biased + 3,
    "3 more for the nearest key": biased + 3 * (back == 0),
}
[same] = [name for name, s in changed.items() if np.allclose(softmax(s), softmax(biased))]
figures.question(
    "A causal head with ALiBi. Which change to its scores leaves all weights as they are?",
    options={
        "Twice the slope":
            "Then every step back costs twice as much.",
        "3 more for every key":
            "Yes. The softmax removes what is added to a whole row.",
        "3 more for the nearest key":
            "This key gains weight, because only its score grows.",
    },
    answer=same,
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model with ALiBi reads a text eight times as long as its training texts, and its loss stays level. "
    "What follows?",
    options={
        "Reading more did not raise the loss":
            "Yes. Whether the far tokens were used is another question.",
        "It used the far tokens":
            "A level loss does not show that. Near tokens alone can keep it level.",
        "It has learned flatter slopes":
            "The slopes are fixed. Nothing in ALiBi is learned.",
    },
    answer="Reading more did not raise the loss",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four: slopes with a pencil, a prediction, and two bug hunts.
#
# **Next:** [[next]].
#
# **Sources** O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input
# Length Extrapolation*, 2022, section 3 (the bias, the slopes), and their published code (other numbers of heads) ·
# the code of BLOOM, MPT and Falcon in Hugging Face's `transformers`.
