# %% [markdown]
# # [[title]]
#
# The code that computes attention has been tuned for years. Can it also add a bias? And what must a model keep while
# it writes token by token?
#
# **You will be able to**
# - compute attention with a bias in three ways, and avoid three mistakes that raise no error;
# - compute attention in tiles with a pencil;
# - say how many bytes a cache needs, and choose a fast way for your model.
#
# **You need** chapters [[bias_by_hand|#]] and [[diagonals|#]]; of the other schemes only their names. **Time**
# [[time]].

# %%
import timeit
import warnings

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_kit import figures
from course_lib.example import D_K, LAMBDA, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)

# %% [markdown]
# ## One bias, three ways
#
# We add the log decay of [[bias_by_hand|chapter #]] to the scores, $b(r) = -\lambda \log(1 + |r|)$ with the offset
# $r = j - i$. First the query *sat* and the key *The*, by hand:

# %%
raw = Q[sat] @ K[the] / np.sqrt(D_K)
number = -LAMBDA * np.log1p(abs(the - sat))
print(f"q·k / √d = {raw:.4f}, bias {number:.4f}, score {raw + number:.4f}")

# %% [markdown]
# **The first way: the formula.** It computes attention one operation after another, which torch calls *eager*. Every
# step but the last makes a *grid*, a number for each pair of query and key: product, scaled product, bias, sum,
# weights.

# %%
from course_lib.reference.attention import attention, softmax
from course_lib.reference.bias import decay_bias

biased = Q @ K.T / np.sqrt(D_K) + decay_bias(n, strength=LAMBDA)
weights = softmax(biased)
eager = weights @ V  # a row per query

assert np.allclose(eager, attention(Q, K, V, bias=decay_bias(n, strength=LAMBDA))[0])
assert np.isclose(biased[sat, the], raw + number)
figures.heatmap(biased, alt="Scores with the bias added")

# %% [markdown]
# **The second way: SDPA.** Torch's function `scaled_dot_product_attention` can compute all this in one **fused
# kernel**, a compiled routine that does several steps without writing intermediate results to memory. SDPA takes a
# *mask*. If the mask has floating-point numbers, they are **added to the scaled scores**. So we pass the bias as a
# mask.

# %%
q, k, v = (torch.tensor(x)[None, None] for x in (Q, K, V))
B = torch.tensor(decay_bias(n, strength=LAMBDA))
by_sdpa = sdpa(q, k, v, attn_mask=B)
print("q", tuple(q.shape), "mask", tuple(B.shape), "output", tuple(by_sdpa.shape))
assert np.allclose(by_sdpa[0, 0], eager)

# %% [markdown]
# **The third way: FlexAttention.** Torch's `flex_attention` takes a *function* of yours, `score_mod`. This function
# gets one scaled score and its indices, and returns the changed score.

# %%
from torch.nn.attention.flex_attention import flex_attention

warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")


def log_decay(score, batch, head, i, j):
    return score - LAMBDA * torch.log1p(abs(j - i))


pair = log_decay(torch.tensor(raw), 0, 0, torch.tensor(sat), torch.tensor(the))
by_flex = flex_attention(q, k, v, score_mod=log_decay)
print(f"sat → The: {pair:.4f}")
assert np.allclose(by_flex[0, 0], eager)

# %% [markdown]
# All three give the same output. `torch.compile` makes FlexAttention fast: your function becomes part of a fused
# kernel.
#
# ## Three traps of SDPA
#
# None of them raises an error.

# %% tags=["hide-input"]
# @title Question
seen = sdpa(q[:, :, -1:], k, v, is_causal=True)[0, 0, 0]
figures.question(
    "A decoder has read five tokens, and the newest one, `mat`, is the only query. You call SDPA with that one query, "
    "the five keys and `is_causal=True`. Which keys does it look at?",
    options={
        "All five": "It should, because `mat` comes last. But `is_causal` does not know that.",
        "The first only":
            "Yes. With `is_causal`, torch counts queries from 0, as it does keys, so this one is at position 0.",
        "The last only": "That would hide every earlier key. A causal mask hides only later ones.",
    },
    answer="The first only" if np.allclose(seen, V[the]) else "All five",
)

# %% [markdown]
# **Trap 1: the corner.** `is_causal` places the triangle of visible keys in the *top left* corner, as if the first
# query were the first token. But in decoding, the last query is the last token, so the triangle belongs in the *bottom
# right*. Here the queries are *on* and *mat*:

# %%
n_q, past = 2, 3
corner, shifted = np.tri(n_q, n), np.tri(n_q, n, past)
how = {"rows": ["on", "mat"], "corner": "query ↓ key →"}
figures.side_by_side(
    figures.heatmap(corner, **how, alt="is_causal: 1 where on and mat may look, from the top left"),
    figures.heatmap(shifted, **how, alt="What decoding needs: 1 up to its own position"),
)

# %%
from torch.nn.attention.bias import causal_lower_right  # aligned bottom right

on_and_mat = q[:, :, -2:]
top_left = sdpa(on_and_mat, k, v, is_causal=True)
lower_right = sdpa(on_and_mat, k, v, attn_mask=causal_lower_right(n_q, n))
print("is_causal, output of on:  ", top_left[0, 0, 0].numpy(), "(the value of The)")
print("lower right, output of on:", lower_right[0, 0, 0].numpy())
assert torch.allclose(lower_right, sdpa(on_and_mat, k, v, attn_mask=torch.tensor(shifted).bool()))

# %% [markdown]
# **Trap 2: what `True` means.** A mask can also hold Booleans. To SDPA, `True` means *look*, but to
# `torch.nn.MultiheadAttention` it means *hide*.
#
# **Trap 3: a mask of numbers.** If you write such a mask as *floating-point* ones (look) and zeros (hide), it hides
# nothing, because SDPA adds these numbers to the scores. (It refuses integers.)
#
# Let *mat* be *padding*, a token that only fills up the text and must be hidden. The values are the identity matrix, so
# that the output *is* the weights:

# %%
padding = torch.tensor([False, False, False, False, True])  # mat is padding: hide it
masks = {"right": ~padding, "trap 2": padding, "trap 3": (~padding).double()}  # ~ exchanges True and False
eye = torch.eye(n).double()[None, None]
of_sat = {name: sdpa(q, k, eye, attn_mask=mask.expand(n, n))[0, 0, sat] for name, mask in masks.items()}
for name, seen in of_sat.items():
    print(f"{name:6}  weights of sat: {seen.numpy()}")
assert of_sat["trap 2"][mat] == 1  # all of it on the padding
assert 0.05 < of_sat["trap 3"][mat] < 0.1

# %% [markdown]
# Trap 2 puts all weight on the padding. Trap 3 leaves 8 % on it.
#
# ## A query that sees nothing
#
# Let *The* be the padding, on the left, and let the mask be causal. Then *The* sees no key. What is its output?

# %%
see = torch.tensor(np.tri(n, dtype=bool)) & (torch.arange(n) != the)
hidden = torch.zeros(n, n).double().masked_fill(~see, -torch.inf)
smallest = hidden.clamp(min=torch.finfo(hidden.dtype).min)  # the smallest finite number instead of −∞
of_the = {
    "formula, −∞": ((q @ k.mT / 2 + hidden).softmax(-1) @ v)[0, 0, the],
    "formula, smallest number": ((q @ k.mT / 2 + smallest).softmax(-1) @ v)[0, 0, the],
    "SDPA, Booleans": sdpa(q, k, v, attn_mask=see)[0, 0, the],
}
for name, row in of_the.items():
    print(f"{name:25} {row.numpy()}")
assert of_the["formula, −∞"].isnan().all() and not of_the["SDPA, Booleans"].any()
assert np.allclose(of_the["formula, smallest number"], V.mean(axis=0))

# %% [markdown]
# With −∞, the formula divides 0 by 0. In the next layer, *nan* (not a number) is a key and a value, and 0 · nan is nan.
# So nan reaches every token, although the mask hides *The*.
#
# With the smallest number, all scores round to this number (in float16, large scores do not), so the output is the
# mean of *all* values, later ones included. SDPA returns 0. As long as every other query hides this token, 0 and the
# mean do no harm.
#
# ## What a fused kernel does
#
# The formula writes grids to memory and reads them back, which is slow (Dao et al. 2022, section 2.2). FlashAttention,
# a fused kernel, goes through the keys in *tiles* that fit into fast on-chip memory, and never stores a whole grid.
#
# But the softmax divides by a sum over *all* keys. How can it be computed tile by tile? For each query,
# the kernel keeps three things:
#
# - the **largest** score so far, because $e^{\text{score}}$ alone may overflow;
# - the **sum** of $e^{\text{score} - \text{largest}}$;
# - the **mixture**: the sum of the values, each multiplied by its $e^{\text{score} - \text{largest}}$.
#
# If a tile brings a larger score, the largest changes from *old* to *new*. Multiplying sum and mixture by
# $e^{\text{old} - \text{new}}$ adapts them, because
# $e^{\text{score} - \text{old}} \cdot e^{\text{old} - \text{new}} = e^{\text{score} - \text{new}}$.
#
# By hand for *mat*, with the tiles *The, cat, sat* and *on, mat*:

# %%
s = biased[mat]
print("scores of mat:", s)

one, two = slice(0, 3), slice(3, 5)
largest = s[one].max()
e = np.exp(s[one] - largest)
total, mixed = e.sum(), e @ V[one]
print(f"tile one: largest {largest:.4f}, sum {total:.4f}, mixture", mixed)

# %% [markdown]
# Tile two has the scores 0.2921 and 0.75. By which factor must the old sum and mixture be multiplied?

# %%
new_largest = max(largest, s[two].max())
shrink = np.exp(largest - new_largest)
e = np.exp(s[two] - new_largest)
total, mixed = shrink * total + e.sum(), shrink * mixed + e @ V[two]
print(f"tile two: largest {new_largest:.4f}, so the old sum and mixture shrink to {shrink:.4f} of themselves")
print(f"sum {total:.4f}, mixture", mixed)
print("mixture / sum:", mixed / total)
print("the formula:  ", eager[mat])
assert np.allclose(mixed / total, eager[mat])

# %% [markdown]
# **Where is the bias in this?** The kernel knows the positions of a tile's queries and keys, so it can compute
# $b(j - i)$ on the spot. Compiled FlexAttention calls your `score_mod` there.
#
# ## What does the bias cost?
#
# SDPA reads the bias from a mask, which is a grid in memory. Is it still fast? And if the bias is *learned*, so that
# the mask needs a gradient? We time the forward pass of 8 heads and 1,024 tokens.

# %% tags=["nbval-ignore-output", "prints-only"]
x, y, z = torch.randn(3, 1, 8, 1024, 64)
fixed = torch.tensor(decay_bias(1024, strength=LAMBDA)).float()
learned = fixed.clone().requires_grad_()
ways = {
    "SDPA, no bias": lambda: sdpa(x, y, z),
    "SDPA, fixed bias": lambda: sdpa(x, y, z, attn_mask=fixed),
    "SDPA, learned bias": lambda: sdpa(x, y, z, attn_mask=learned),
    "formula, fixed bias": lambda: (x @ y.mT / 8 + fixed).softmax(-1) @ z,
}
rounds = [[timeit.timeit(run, number=1) for run in ways.values()] for _ in range(10)]  # in turn, see *Deeper*
ratios = np.median(np.array(rounds) / np.array(rounds)[:, :1], axis=0)
print("the time of SDPA without a bias, times", *[f"{name:19} {x:4.1f}" for name, x in zip(ways, ratios)], sep="\n")
print(f"in memory: the mask {fixed.nbytes / 2**20:.0f} MiB, its row of numbers by offset {4 * 2047 / 2**10:.0f} KiB")
assert torch.allclose(ways["SDPA, learned bias"](), ways["formula, fixed bias"](), atol=1e-4)

# %% [markdown]
# On our machine, SDPA with a fixed bias is faster than the formula, and a learned bias takes more than twice as
# long as a fixed one. The fused kernel for CPUs cannot return the gradient of a mask, so SDPA computes the
# formula. It also does this if $q$, $k$, $v$ or the mask have three axes. Give them a fourth: a mask
# of (heads, n, n) becomes `mask[None]`.
#
# A bias by offset needs only a row of $2n - 1$ numbers. The course's `fast_attention` takes such a row, and can train
# it (*Deeper*).
#
# ## Decoding: one new row, and a cache
#
# A decoder writes one token at a time. It keeps the keys and values of the tokens it has read in a **KV cache**. These
# do not change, because no token sees a later one. ([[stretching_rope|Chapter #]] has an exception.) Only the last
# row of the grid is new. What must each scheme compute for this row? Choose a scheme and a step.

# %%
figures.decoding_step()

# %% [markdown]
# A bias *by offset* is computed once: list it from the farthest offset up to 0. The row of a new token is the end of
# this list.
#
# How large is a cache? SmolLM2 ([[released_model|chapter #]]) has 9 query heads in each of its 30 layers, but only
# 3 heads of keys and values. Three neighbouring query heads share one. This is *grouped-query attention*
# (Ainslie et al. 2023), in SDPA `enable_gqa=True`.
#
# Predict: in 16-bit numbers, how large is the cache of a full text of 8,192 tokens, compared with the weights?

# %% tags=["hide-output", "nbval-ignore-output"]
from course_lib import released

model = released.load()
by_hand = 2 * model.n_kv_heads * model.d_head  # keys and values
per_token = model.n_layers * by_hand
print(f"a token takes {by_hand} numbers in one layer, {per_token:,} in {model.n_layers}")

sizes = {"weights": sum(weight.numel() for weight in model.decoder.parameters()), "cache": 8192 * per_token}
for name, numbers in {**sizes, "cache with 9 key heads": 3 * sizes["cache"]}.items():
    print(f"{numbers * 2 / 2**20:4.0f} MiB in 16 bits  {name}")
assert round(sizes["cache"] / sizes["weights"], 1) == 0.7

# %% [markdown]
# A full cache takes 70 % of the memory of the weights, and each new token must read *all* of it. This is why
# models share key heads, or limit what a layer keeps ([[windows_and_sinks|chapter #]]).
#
# ## Which way?
#
# | your scheme adds | on a CPU | on a GPU |
# |---|---|---|
# | nothing to the scores (RoPE, no positions) | SDPA | SDPA or the package flash-attn |
# | a number per offset, not trained | SDPA with a mask | SDPA with a mask, FlexAttention, `fast_attention`, flash-attn 4; ALiBi: flash-attn 2, too |
# | a number per offset, trained | `fast_attention`; for short texts, the formula | FlexAttention, `fast_attention` |
# | a vector per offset | `fast_attention` | `fast_attention`; for vectors on keys only, FlexAttention, too |
#
# On a GPU, measure. (*Deeper* has times and a table of six functions.)
#
# ## Remember
#
# - For SDPA, `True` means look, and floating-point masks are added.
# - `is_causal` is aligned top left. Decoding needs bottom right.
# - A fused kernel never stores a whole grid. For each query it keeps the largest score, a sum and a mixture.
# - A query that sees no key gives nan in the formula with −∞, and 0 in SDPA.
# - On a CPU, three axes or a mask that needs a gradient send SDPA back to the formula.
# - In a cache of all keys and values, a token takes 2 · layers · key heads · channels per head numbers.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
from torch.nn.attention import SDPBackend, sdpa_kernel

frozen, learning = torch.zeros(1, 1, n, n).double(), q.clone().requires_grad_()
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # only the fused kernel; if it cannot, an error
    sdpa(learning, k, v, attn_mask=frozen)
figures.question(
    "You train a model on a CPU, but with T5's table frozen (`requires_grad_(False)`). Each call computes a mask from "
    "it, with four axes, and passes it to SDPA. Can the fused kernel serve this call?",
    options={
        "No: in training it never can": "It returns gradients of q, k and v. Which tensors need one here?",
        "Only under `torch.no_grad()`": "There a mask needs no gradient. Does it need one here?",
        "Yes": "Yes. The queries need gradients, and the fused kernel returns those. The mask of a frozen table needs "
        "none.",
    },
    answer="Yes",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
exact = np.exp(np.array([3, 3 + np.log(0.5), 5]) - 5).sum()  # 3 and 3 + ln 0.5 have the sum 1.5
sums = {"It stays": 1.5 + 1, "It is multiplied": 1.5 * np.exp(-2) + 1, "It is thrown away": 1}
[right] = [name for name, value in sums.items() if np.isclose(value, exact)]
figures.question(
    "Two tiles of keys are done: largest score 3, sum 1.5. A third tile has one score, 5. What becomes of the 1.5?",
    options={
        "It stays, and the new exponential is added":
            "Old and new would then be measured from different largest scores.",
        "It is multiplied by e⁻², then 1 is added":
            "Yes. The old largest score, 3, is 2 below the new one, and the new score adds e⁵⁻⁵ = 1.",
        "It is thrown away":
            "That happens only if the new score is so much larger that the factor rounds to 0.",
    },
    answer=right,
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model has 32 layers, each with 32 query heads and 8 key heads of 128 channels, as Llama 3 8B does. Its cache "
    "has 16-bit numbers. How much does a token take?",
    options={
        "64 KiB": "Keys alone take this much. The values must be kept, too.",
        "128 KiB": "Yes: 2 · 32 · 8 · 128 numbers of 2 bytes.",
        "512 KiB": "This is the cache of 32 key heads. Four query heads share one here.",
    },
    answer=f"{2 * 32 * 8 * 128 * 2 // 1024} KiB",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: what a kernel keeps after each tile, a prediction, and a bug hunt.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("fast_attention")

# %% [markdown]
# ## Deeper · When the fused kernel steps aside
#
# If the fused kernel cannot serve a call, SDPA computes the formula without a word. To find out when, we allow only the
# fused kernel **for CPUs**, which torch calls `FLASH_ATTENTION`.

# %%
from torch.nn.attention import SDPBackend, sdpa_kernel

m = 256
generator = torch.Generator().manual_seed(0)
big_q, big_k, big_v = torch.randn(3, 1, 8, m, 64, generator=generator)


def is_fused(q=big_q, k=big_k, v=big_v, **options):
    """Whether the fused kernel alone can serve this call on a CPU."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings(action="ignore"):
        try:
            sdpa(q, k, v, **options)
        except RuntimeError:
            return False
    return True

# %%
fixed = torch.randn(1, 8, m, m, generator=generator)
learning = fixed.clone().requires_grad_()
with torch.no_grad():
    evaluated = 2 * learning

# %%
calls = {
    "no mask": {},
    "a fixed mask, 4 axes": {"attn_mask": fixed},
    "a view of a row per head": {"attn_mask": torch.zeros(8, 2 * m - 1).unfold(-1, m, 1)[None]},
    "the same mask, 3 axes": {"attn_mask": fixed[0]},
    "needing a gradient": {"attn_mask": learning},
    "computed under no_grad": {"attn_mask": evaluated},
    "dropout": {"attn_mask": fixed, "dropout_p": 0.1},
    "no mask, q, k, v of 3 axes": {"q": big_q[0], "k": big_k[0], "v": big_v[0]},
    "two key heads for 8": {"k": big_k[:, :2], "v": big_v[:, :2], "enable_gqa": True},
    "a mask and is_causal": {"attn_mask": fixed, "is_causal": True},
}
for name, options in calls.items():
    print(f"{name:26}", "fused" if is_fused(**options) else "falls back to the formula")
with torch.no_grad():
    print("a parameter, under no_grad", "fused" if is_fused(attn_mask=learning) else "falls back to the formula")
assert [name for name, options in calls.items() if not is_fused(**options)] == [
    "the same mask, 3 axes", "needing a gradient", "dropout", "no mask, q, k, v of 3 axes"
]

# %% [markdown]
# Calls with dropout or three axes fall back. So does a mask that needs a gradient, because the CPU kernel returns
# gradients of $q$, $k$ and $v$ only. A mask *computed* under `torch.no_grad()` needs no gradient. A parameter that is
# itself the mask needs one even there.
#
# The mask with `is_causal` is a trap. The fused kernel adds the mask *and* hides later keys, but the formula refuses
# both together. So such a call works until its mask needs a gradient:

# %%
sdpa(big_q, big_k, big_v, attn_mask=fixed, is_causal=True)
try:
    sdpa(big_q, big_k, big_v, attn_mask=learning, is_causal=True)
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("the formula took a mask and is_causal")

# %% [markdown]
# ## Deeper · Six functions, one table
#
# | function | axes of $q$ | what it takes to hide keys | causal corner | a query that sees nothing | a bias |
# |---|---|---|---|---|---|
# | SDPA | batch, heads, n, d | mask, `True` looks | top left | 0 | mask of numbers |
# | `MultiheadAttention` | n, batch, d_model | mask, `True` hides | your mask's | nan (see below) | mask of numbers |
# | FlexAttention | batch, heads, n, d | `mask_mod`, `True` looks | yours: add `past` | 0 | any `score_mod` |
# | flash-attn 2 | batch, n, heads, d | causal, window | bottom right | 0 | ALiBi's slopes |
# | flash-attn 4 | batch, n, heads, d | causal, window or `mask_mod` | bottom right | not tested | `score_mod` |
# | `varlen_attn` (torch) | tokens, heads, d | lengths, window | not tested | not tested | none |
#
# (A test runs the first three. The others need a GPU, so we read their code.) With `need_weights=False`,
# `MultiheadAttention` gives its output bias, not nan, but its fast path (`batch_first`, `eval`, `no_grad`) gives nan
# again. All divide by $\sqrt d$; all but `MultiheadAttention` take another scale, such as T5's 1.0. The last three
# count a window `(w, 0)` from $i - w$ to $i$: $w + 1$ keys. In FlexAttention, `i` counts the queries of this call.
# With a cache, add the number of tokens before:

# %%
from torch.nn.attention.flex_attention import create_block_mask

whole = flex_attention(q, k, v, score_mod=log_decay)[0, 0, mat]
newest = q[:, :, -1:]  # mat alone, after four cached tokens
by_index = flex_attention(newest, k, v, score_mod=log_decay)[0, 0, 0]
by_position = flex_attention(newest, k, v, score_mod=lambda s, b, h, i, j: log_decay(s, b, h, i + 4, j))[0, 0, 0]
print("index as position: right =", torch.allclose(by_index, whole))
print("index + past:      right =", torch.allclose(by_position, whole))
assert torch.allclose(by_position, whole) and not torch.allclose(by_index, whole)

text_of = torch.tensor([0, 0, 1, 1, 1])  # two packed texts
blocks = create_block_mask(lambda b, h, i, j: (text_of[i] == text_of[j]) & (j <= i), None, None, n, n, device="cpu")
packed = flex_attention(q, k, v, block_mask=blocks)[0, 0]
assert torch.allclose(packed[2:], sdpa(q[..., 2:, :], k[..., 2:, :], v[..., 2:, :], is_causal=True)[0, 0])

# %% [markdown]
# The block mask keeps two packed texts apart. Compiled, the kernel skips blocks in which every pair is hidden.
#
# ## Deeper · A row that is not one text
#
# So far, the token in place $j$ of a row was at position $j$. In a batch, short prompts have **padding** on the left.
# Documents **packed** into one row each begin at position 0. And **drafts** of the next token share a position,
# because only one of them will be kept.
#
# For such rows the layer takes `positions`, a number for each token. A causal mask still goes by the order in the
# row. Does every scheme need positions? We pack two documents:

# %%
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.query_scale import LogScale
from course_lib.nn.rope import RoPE

torch.manual_seed(0)
a, b = torch.randn(1, 5, 16), torch.randn(1, 3, 16)
packed, at = torch.cat([a, b], 1), torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])
own = torch.block_diag(torch.ones(5, 5), torch.ones(3, 3)) > 0  # each document sees only itself
for scheme in (LogScale(2, 5), RoPE(8)):
    layer = RelativeAttention(16, 2, scheme, causal=True)
    alone = torch.cat([layer(a), layer(b)], 1)
    by_place, by_position = (layer(packed, mask=own, positions=numbers) for numbers in (None, at))
    print(f"{type(scheme).__name__:9} without positions: {torch.allclose(by_place, alone, atol=1e-6)!s:6}"
          f"with: {torch.allclose(by_position, alone, atol=1e-6)}")
assert torch.allclose(by_place, alone, atol=1e-6)

# %% [markdown]
# RoPE with fixed speeds sees only offsets, and those within a document are the same everywhere. The mask does the rest.
# The same is true of Shaw's vectors, T5 and ALiBi, also with left padding. But the log scale reads the position
# itself, as absolute positions and FIRE do, so it needs the numbers.
#
# Drafts need numbers with every scheme of position. Here the cache holds the five tokens of `a`. One call reads two
# candidates for position 5, and behind the second a candidate for position 6. The first is rejected and leaves the
# cache:

# %%
cache = KeyValueCache()
layer(a, cache=cache)
branch = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 1, 1]])  # each draft sees itself and those before it in its branch
seen = torch.cat([torch.ones(3, 5), branch], 1) > 0
drafts = layer(b, mask=seen, positions=torch.tensor([5, 5, 6]), cache=cache)
cache.take(torch.tensor([0, 1, 2, 3, 4, 6, 7]))  # token 5 was the first candidate
text = torch.cat([a, b[:, 1:]], 1)
assert torch.allclose(drafts[:, 1:], layer(text)[:, 5:], atol=1e-6)
assert cache.k.shape[-2] == text.shape[1]

# %% [markdown]
# The accepted branch has the outputs of a text without drafts. A scheme that sums over the row, such as FoX
# ([[which_one|chapter #]]), refuses drafts.
#
# ## Deeper · A fourth trap: dropout
#
# `dropout_p`, the share of weights set to 0, is an argument, not a module, so `model.eval()` does not reach it. A layer
# should pass `dropout_p=0.1 if self.training else 0`. Here it is 0.5, and what is left is doubled:

# %% tags=["nbval-ignore-output"]
torch.manual_seed(0)
once, again = (sdpa(q, k, eye, dropout_p=0.5)[0, 0] for _ in range(2))
print("weights of sat:", once[sat].numpy())
print("the same call: ", again[sat].numpy())
assert not torch.allclose(once, again)

# %% [markdown]
# ## Deeper · A bias that learns
#
# On a GPU the memory-efficient kernel returns the gradient of a mask, but as a matrix. We need only that of the *row*,
# which is the matrix's gradient summed along the diagonals (`from_grid` of [[diagonals|chapter #]]).
# Compiled FlexAttention returns the gradient of a row that `score_mod` reads, except with its backend for
# FlashAttention-4 (torch 2.13). On a CPU, FlexAttention raises an error if $q$, $k$ or $v$ needs a gradient.
#
# The course's `fast_attention` works on a CPU, too. Its forward pass is fused: it hands SDPA a view of the row, which
# stores no matrix. Its backward pass goes through blocks of queries: it computes the scores of a block again, sums
# their gradient along the block's diagonals, and adds this sum to the row's gradient.

# %%
from course_lib.nn.attention import attention as plain_attention
from course_lib.nn.fast import fast_attention
from course_lib.nn.terms import Terms  # what a scheme adds to attention

learned = torch.randn(8, 2 * m - 1, generator=generator)
gradients = []
for way in (lambda *x: plain_attention(*x)[0], fast_attention):
    leaf = learned.clone().requires_grad_()
    way(big_q, big_k, big_v, Terms(bias=leaf)).square().sum().backward()
    gradients.append(leaf.grad)
gap = (gradients[0] - gradients[1]).abs().max() / gradients[0].abs().max()
print(f"gradient of {learned.numel():,} numbers, the same to 1 in 10,000: {bool(gap < 1e-4)}")
assert gap < 1e-4

# %% [markdown]
# Forward and backward, it is clearly faster than the formula only in the longer text:

# %% tags=["nbval-ignore-output", "prints-only"]
def both_ways(attend, inputs, terms):
    """The seconds of a forward and a backward pass."""
    start = timeit.default_timer()
    attend(*inputs, terms).sum().backward()
    return timeit.default_timer() - start


ways = {
    "SDPA, no bias": lambda q, k, v, terms: sdpa(q, k, v),
    "formula": lambda *x: plain_attention(*x)[0],
    "fast_attention": fast_attention,
}
for length in (128, 1024):
    inputs = torch.randn(3, 1, 8, length, 64, requires_grad=True)
    terms = Terms(bias=torch.zeros(8, 2 * length - 1, requires_grad=True))
    rounds = np.array([[both_ways(way, inputs, terms) for way in ways.values()] for _ in range(11)])[1:]
    ratios = np.median(rounds / rounds[:, :1], axis=0)
    print(f"{length:5,} tokens:", *(f"{name} {x:.1f}" for name, x in zip(ways, ratios)), sep="  ")

# %% [markdown]
# ## Deeper · An honest clock
#
# Five rules:
#
# 1. **Warm up.** The first call loads, allocates and compiles. Do not count it.
# 2. **Interleave.** Run all contenders in turn, so that a busy moment affects them all.
# 3. **Take the median** of the *ratios* of all rounds.
# 4. **Wait for the device.** A GPU works on after a call returns. Stop the clock after `torch.cuda.synchronize()`.
# 5. **Check the answers.**
#
# Say what you measured: sizes, dtype, threads, machine.

# %%
import time

device = "cuda" if torch.cuda.is_available() else "cpu"


def seconds(run):
    start = time.perf_counter()
    run()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start

# %% [markdown]
# We time T5's bias, a learned number for each *bucket* of offsets, with T5's scale of 1. Published code
# (`T5Attention.compute_bias` in transformers) computes a bucket for every pair. A row needs one per offset. Our
# yardstick is SDPA without positions, the *limit*. First we check the answers (rule 5).

# %%
from course_lib.nn.t5 import T5Bias, bucket


def contenders(m):
    """Four ways at length m, each a function without arguments."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 8, m, 64, device=device)
    q = q / 8  # trained with the scale 1, queries are smaller
    position = T5Bias(8).to(device).requires_grad_(False)
    torch.nn.init.normal_(position.table)  # large enough to show when it is wrong
    i = torch.arange(m, device=device)

    def matrix():
        return position.table[bucket(i - i[:, None])].permute(2, 0, 1)[None]

    return {
        "limit": lambda: sdpa(q, k, v, scale=1.0),
        "the formula": lambda: (q @ k.mT + matrix()).softmax(-1) @ v,
        "matrix as mask": lambda: sdpa(q, k, v, attn_mask=matrix(), scale=1.0),
        "one row": lambda: fast_attention(q, k, v, Terms(bias=position.bias(m, m, 0), scale=1.0)),
    }

# %%
blind, *answers = [run() for run in contenders(300).values()]
assert all(torch.allclose(a, answers[0], atol=1e-3) for a in answers)
assert not torch.allclose(blind, answers[0], atol=1e-2)

# %% tags=["nbval-ignore-output", "prints-only"]
where = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
print(f"on {where}, medians of 15 rounds: the limit in milliseconds, the others as multiples of it")
for m in (256, 512, 1024):
    runs = contenders(m)
    rounds = np.array([[seconds(run) for run in runs.values()] for _ in range(16)])[1:]  # the first warms up
    ratios = dict(zip(runs, np.median(rounds / rounds[:, :1], axis=0)))
    print(f"n = {m:4}: {1000 * np.median(rounds[:, 0]):5.1f} ms", *[f"{way} {x:.2f}" for way, x in ratios.items()][1:], sep=", ")

# %% [markdown]
# As the text grows, the formula and the matrix fall behind, and the row comes near the limit.
#
# GPU kernels need the mask as a real array, so `fast_attention` writes it out block by block. We measured one NVIDIA
# H200 (torch 2.11, 4 texts of 4,096 tokens, 8 heads of 64 channels, forward only, medians of 20 rounds), as
# multiples of the limit:
#
# | | `fast_attention` | compiled FlexAttention |
# |---|---|---|
# | T5, float32 | 1.7 | 3.3 |
# | T5, bfloat16 | 4.3 | 5.1 |
# | ALiBi, float32 | 2.1 | 4.1 |
#
# **Sources** T. Dao et al., *FlashAttention*, 2022, section 2.2 and section 3.1 · T. Dao, *FlashAttention-2*, 2023, section 3.1
# · M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*, 2018 · J. Dong et al., *Flex Attention*,
# 2024 · the README of Dao-AILab/flash-attention · J. Ainslie et al., *GQA*, 2023 · the model: L. Ben Allal et al.,
# *SmolLM2*, 2025, quantised by QuantFactory (see the acknowledgements).
