# %% [markdown]
# # [[title]]
#
# Attention without positions is fast: its kernels are among the most carefully written code there is. A bias can throw
# all of that away. In this chapter one bias goes three ways through torch and comes out as one answer. You see what each
# way keeps in memory, which small change makes a fast way slow without a word, and how to measure time so that you may
# believe the result.
#
# **You will be able to**
# - send a bias through plain operations, through `scaled_dot_product_attention` and through FlexAttention;
# - compute attention in tiles with a pencil, and say why a fused kernel needs no matrix of weights;
# - say in bytes what a bias costs, and use one that costs a row;
# - decode token by token with every scheme of the course: one new row, nothing else;
# - time two ways fairly, fit a growth exponent, and read what it does not say.
#
# **You need** chapters [[bias_by_hand|#]] and [[diagonals|#]], and a little torch.
# **Time** [[time]]. A good place to rest is before the clock.

# %%
import itertools
import json
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_lib import figures
from course_lib.example import D_K, LAMBDA, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # the section on the clock says why
n = len(TOKENS)
the, cat, sat, on, mat = range(n)

# %% [markdown]
# ## One bias, three ways
#
# The bias is [[bias_by_hand|chapter #]]'s, $b(r) = -\lambda \log(1 + |r|)$ with $r = j - i$. First one pair by hand:
# the query *sat* and the key *The*, two steps back.

# %%
raw = Q[sat] @ K[the] / np.sqrt(D_K)
number = -LAMBDA * np.log1p(abs(the - sat))
print(f"q·k / √d = {raw:.4f}, bias {number:.4f}, score {raw + number:.4f}")

# %% [markdown]
# **The first way: eager.** Write down the formula. Each line makes an array, and most of them are as large as the grid
# of all pairs. One query in a loop over its keys, then all queries at once:

# %%
from course_lib.reference.attention import attention, softmax
from course_lib.reference.bias import decay_bias

row_of_sat = [
    Q[sat] @ K[j] / np.sqrt(D_K) - LAMBDA * np.log1p(abs(j - sat)) for j in range(n)
]
scores = Q @ K.T / np.sqrt(D_K)  # n × n
biased = scores + decay_bias(n, scale=LAMBDA)  # n × n, and the bias is another
weights = softmax(biased)  # n × n
eager = weights @ V

assert np.isclose(raw + number, biased[sat, the])
assert np.allclose(row_of_sat, biased[sat])
assert np.allclose(eager, attention(Q, K, V, bias=decay_bias(n, scale=LAMBDA))[0])
figures.side_by_side(
    figures.heatmap(biased, alt="Scores with the bias added"),
    figures.heatmap(eager, columns=range(D_K), alt="Output, a row per query"),
)

# %% [markdown]
# **The second way: `scaled_dot_product_attention`**, SDPA for short. Torch scales, adds a *mask*, takes the softmax and
# multiplies with the values in one call. A mask of floating-point numbers is **added to the scaled scores**, so a bias
# is a mask. SDPA wants axes (batch, heads, length, d), and the mask may have 1 where all share.

# %%
q, k, v = (torch.tensor(x)[None, None] for x in (Q, K, V))
B = torch.tensor(decay_bias(n, scale=LAMBDA))
by_sdpa = sdpa(q, k, v, attn_mask=B)
print("q", tuple(q.shape), "mask", tuple(B.shape), "output", tuple(by_sdpa.shape))
assert np.allclose(by_sdpa[0, 0], eager)

# %% [markdown]
# **The third way: FlexAttention.** Here you hand over no numbers but a *function*, `score_mod`. It gets one scaled
# score, and whose it is: text $b$, head $h$, query $i$, key $j$. It returns the changed score. Any scheme that changes
# scores fits in, with no array of pairs anywhere. Call it once yourself, for the pair from above:


# %%
from torch.nn.attention.flex_attention import flex_attention


def log_decay(score, b, h, i, j):
    return score - LAMBDA * torch.log1p(abs(j - i))


def flex(*tensors, **options):
    """FlexAttention uncompiled, without the warning that says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return flex_attention(*tensors, **options)


here = torch.tensor(raw), 0, 0, torch.tensor(sat), torch.tensor(the)
print(f"sat → The: {log_decay(*here):.4f}")
by_flex = flex(q, k, v, score_mod=log_decay)
assert np.allclose(log_decay(*here), biased[sat, the]) and np.allclose(by_flex[0, 0], eager)

# %% [markdown]
# One bias, three ways, one answer. A number that is not a formula but learned stands in a row that the function looks
# into. `i` and `j` are positions in the *whole* text, however the kernel cuts it into pieces:

# %%
from course_lib.reference.bias import decay_row
from course_lib.reference.grid import row_offsets

row = torch.tensor(decay_row(row_offsets(n), scale=LAMBDA))
looked_up = flex(q, k, v, score_mod=lambda score, b, h, i, j: score + row[j - i + n - 1])
print("offsets", row_offsets(n))
print("numbers", row.numpy())
assert np.allclose(looked_up[0, 0], eager)

# %% [markdown]
# Used like this, FlexAttention is right and slow: it runs the function on the whole grid. Its speed comes from
# `torch.compile`, which writes a fused kernel around your function. On a CPU the first compilation took 20 to 45
# seconds when we tried, every new length 5 to 16 more, and the compiled kernel has no backward pass there. So this lesson
# never compiles. FlexAttention is made for GPUs.
#
# ## Four traps in one call
#
# SDPA takes whatever you give it. Four calls that run without an error:

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A decoder has read five tokens, and the newest one, `mat`, is the only query. You call SDPA with that one query, "
    "the five keys and `is_causal=True`. Which keys does it look at?",
    options={
        "All five": "So it should be: `mat` comes last, and nothing is hidden from it.",
        "The first only": "Yes. With `is_causal` torch counts queries from 0 as well: this one stands at position 0.",
        "The last only": "Its own key is not special to the mask.",
    },
    answer="The first only",
)

# %% [markdown]
# The triangle of `is_causal` is laid into the *top left* corner of the grid. Where there are fewer queries than keys,
# decoding needs it in the *bottom right*: query $i$ stands at position $\text{past} + i$. (Torch has it as
# `torch.nn.attention.bias.causal_lower_right`.) For the last two tokens, after three:

# %%
last = q[:, :, -1:]
top_left = sdpa(last, k, v, is_causal=True)
print("is_causal, one query:", top_left[0, 0, 0].numpy(), "which is V[The]:", V[the])
print("nothing hidden:      ", sdpa(last, k, v)[0, 0, 0].numpy())
assert np.allclose(top_left[0, 0, 0], V[the])

n_q, past = 2, 3
corner, shifted = np.tri(n_q, n), np.tri(n_q, n, past)
assert corner[0].sum() == 1 and shifted[0].sum() == past + 1
figures.side_by_side(
    figures.heatmap(corner, rows=["on", "mat"], alt="is_causal: 1 where on and mat may look, from the top left"),
    figures.heatmap(shifted, rows=["on", "mat"], alt="What decoding needs: 1 up to the own position"),
)

# %% [markdown]
# The next two are about the mask's kind. To SDPA, `True` means *look*. To `torch.nn.MultiheadAttention` and its
# `key_padding_mask`, `True` means *hide*, and Hugging Face's `attention_mask` has 1 for *look* again. And a mask of zeros
# and ones in floating point is a bias: it is added.

# %%
padding = torch.tensor([False, False, False, False, True])  # mat is padding: hide it
kinds = {
    "right: look where no padding": ~padding,
    "handed over as it is": padding,
    "as numbers, added": padding.double(),
}
for name, mask in kinds.items():
    w = sdpa(q, k, torch.eye(n).double()[None, None], attn_mask=mask.expand(n, n))
    print(f"{name:30} weights of sat: {w[0, 0, sat].numpy()}")
    if name.startswith("handed"):
        assert w[0, 0, sat, mat] == 1  # all of it on the padding

# %% [markdown]
# (With the identity matrix for values, the output *is* the weights.) The second puts everything on the token that should
# be hidden. The third merely likes it more.
#
# The fourth trap: `dropout_p` is an argument, not a module. `model.eval()` does not reach it. A layer that writes
# `dropout_p=0.1` throws weights away when you test, and scales up the rest. It should be
# `dropout_p=0.1 if self.training else 0.0`. With 0.5, to see it at once:

# %% tags=["nbval-ignore-output"]
eye = torch.eye(n).double()[None, None]
torch.manual_seed(0)
once, again = (sdpa(q, k, eye, dropout_p=0.5)[0, 0] for _ in range(2))
print("weights of sat:", once[sat].numpy(), "sum", f"{once[sat].sum():.4f}")
print("and once more: ", again[sat].numpy(), "sum", f"{again[sat].sum():.4f}")
assert (once == 0).any() and not torch.allclose(once, again)

# %% [markdown]
# ## Every scheme, every way
#
# The library has the three ways as `backend` of its layer: `"eager"`, `"sdpa"` and `"flex"`. (A fourth value, `"auto"`,
# leaves the choice to the layer.) The same weights and the same text must give the same output. What a way cannot do it
# refuses, with the name of what it lacks.

# %%
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_lib.nn.transformer_xl import TransformerXL

schemes = {
    "log decay": lambda: DecayBias(LAMBDA), "ALiBi": lambda: ALiBi(2),
    "T5": lambda: T5Bias(2, bidirectional=False), "Shaw": lambda: ShawVectors(2, 8, clip=2),
    "Shaw, keys only": lambda: ShawVectors(2, 8, clip=2, values=False),
    "Huang": lambda: MusicTransformer(2, 8, max_length=32),
    "Transformer-XL": lambda: TransformerXL(16, 2), "RoPE": lambda: RoPE(8),
}
torch.manual_seed(0)
layers = {name: RelativeAttention(16, 2, make(), causal=True) for name, make in schemes.items()}
print(*layers, sep=" · ")

# %%
x = torch.randn(1, 12, 16)
for name, layer in layers.items():
    said, expected = [], None
    for backend in ("eager", "sdpa", "flex"):
        layer.backend = backend
        try:
            with torch.no_grad():
                y = layer(x)
            expected = y if backend == "eager" else expected
            assert torch.allclose(y, expected, atol=1e-5)
            said.append(f"{backend}: equal")
        except ValueError as error:
            said.append(f"{backend} refuses: {str(error).split(':')[0]}")
    layer.backend = "auto"
    print(f"{name:16}", " · ".join(said[1:]))
assert "refuses" not in said[-1]

# %% [markdown]
# FlexAttention changes scores. Shaw's value side, `value_vectors` in the library, changes what the weights are applied
# to, and that is out of its reach.
# RoPE needs nothing from any of them: it turns $q$ and $k$ before.

# %% [markdown]
# ## What a fused kernel does
#
# Why is SDPA faster than the formula, when both multiply the same numbers? The formula writes the grid to memory and
# reads it back, several times. A processor multiplies faster than it reads. FlashAttention (Dao et al., 2022) in our
# words: *cut the keys into tiles that fit into the small fast memory beside the processor, and go through them one by
# one, keeping for each query only its largest score so far, its sum of exponentials and its weighted sum of
# values. Whenever a larger score turns up, shrink what was kept; no grid is ever written, and the backward pass makes
# the tiles again.*
#
# By hand, for the query *sat*: tile one is *The, cat, sat*, tile two *on, mat*.

# %%
s = biased[sat]
print("scores of sat:", s)

one, two = slice(0, 3), slice(3, 5)
largest = s[one].max()
e = np.exp(s[one] - largest)
total, mixed = e.sum(), e @ V[one]
print(f"tile one: largest {largest:.4f}, sum {total:.4f}, values", mixed)

new_largest = max(largest, s[two].max())
shrink = np.exp(largest - new_largest)
e = np.exp(s[two] - new_largest)
total, mixed = shrink * total + e.sum(), shrink * mixed + e @ V[two]
print(f"tile two: largest {new_largest:.4f}, shrink {shrink:.4f}, sum {total:.4f}, values", mixed)
print("output:", mixed / total, "as before:", eager[sat])
assert np.allclose(mixed / total, eager[sat])

# %% [markdown]
# Here the largest score stood in tile one, so nothing had to shrink ($e^0 = 1$). It must also be right when the largest
# comes late. As a function for one query, with tiles of any size. The trace takes the query *mat*, whose scores rise
# from key to key: each tile brings a larger one, and what was kept shrinks.


# %%
def in_tiles(s, values, size):
    """softmax(s) @ values, looking at `size` scores at a time."""
    largest, total, mixed = -np.inf, 0.0, np.zeros(values.shape[1])
    for start in range(0, len(s), size):
        tile = slice(start, start + size)
        new = max(largest, s[tile].max())
        shrink = np.exp(largest - new)
        e = np.exp(s[tile] - new)
        total = shrink * total + e.sum()
        mixed = shrink * mixed + e @ values[tile]
        largest = new
    return mixed / total


for i in range(n):
    for size in (1, 2, 3, 5):
        assert np.allclose(in_tiles(biased[i], V, size), eager[i])
assert np.all(np.diff(biased[mat]) > 0)
figures.trace(in_tiles, biased[mat], V, 2)

# %% [markdown]
# **Where is the bias in this?** A tile knows at which query and which key it starts. So it can compute
# $b(j - i)$ for its own cells on the spot, or look the numbers up in a row of $2n - 1$. That is what FlexAttention
# compiles. It needs positions in the whole text, `start + …`: a bias that counts from the beginning of each tile is a
# bug you will meet in the tasks. For all queries at once, tile by tile:

# %%
largest, total, mixed = np.full((n, 1), -np.inf), np.zeros((n, 1)), np.zeros((n, D_K))
i = np.arange(n)[:, None]
for start in (0, 2, 4):
    j = np.arange(start, min(start + 2, n))  # positions in the whole text
    tile = Q @ K[j].T / np.sqrt(D_K) - LAMBDA * np.log1p(abs(j - i))
    new = np.maximum(largest, tile.max(axis=1, keepdims=True))
    shrink, e = np.exp(largest - new), np.exp(tile - new)
    total, mixed = shrink * total + e.sum(axis=1, keepdims=True), shrink * mixed + e @ V[j]
    largest = new
    print(f"keys {j}: the largest array has {tile.size} numbers, the grid would have {n * n}")
assert np.allclose(mixed / total, eager)

# %% [markdown]
# ## What a materialised bias costs
#
# A bias that lies in memory as a matrix is called *materialised*. Four ways to hold the same bias, for 4 texts of 2,048
# tokens and 12 heads. The first is what a call to `repeat` makes in 32-bit floats, whatever the model computes in.

# %%
batch, heads, m = 4, 12, 2048
ways = {
    "matrix per text and head, 32 bit": batch * heads * m * m * 4,
    "matrix per head, 32 bit": heads * m * m * 4,
    "matrix per head, 16 bit": heads * m * m * 2,
    "row per head, 32 bit": heads * (2 * m - 1) * 4,
}
for name, size in ways.items():
    print(f"{size / 2**20:8.4g} MiB  {name}")
print(f"queries, 32 bit: {batch * heads * m * 64 * 4 / 2**20:.0f} MiB")
assert ways["matrix per text and head, 32 bit"] > 4000 * ways["row per head, 32 bit"]

# %% [markdown]
# The queries of all texts and heads take 24 MiB, and the bias between them 768. `repeat` copies. `expand` only says:
# the same for every text. Torch tells what lies behind a tensor, so this can be checked:

# %%
from course_lib.nn.grid import to_grid

bias = ALiBi(12).bias(512, 512, past=0)
matrix = to_grid(bias[:, None], 512)
views = {
    "repeat(4, 1, 1, 1)": matrix.repeat(4, 1, 1, 1),
    "expand(4, …)": matrix.expand(4, -1, -1, -1),
    "unfold, expand(4, …)": bias.unfold(-1, 512, 1).expand(4, -1, -1, -1),
}
held = {name: mask.untyped_storage().nbytes() / 2**20 for name, mask in views.items()}
for name, mask in views.items():
    print(f"{name:21} cells {mask.numel():,}, held {held[name]:7.3f} MiB")
assert held["repeat(4, 1, 1, 1)"] == 4 * held["expand(4, …)"]

# %% [markdown]
# ## The view that costs nothing in memory
#
# The last line is the trick of [[diagonals|chapter #]]. The grid has the same number along each diagonal. Turn the
# order of the queries round, and row $r$ is a window on one row of numbers, a step further for each query: `unfold`
# shows these windows without copying. The fused CPU kernel reads its mask through any strides (steps in memory), and
# fast if the last one is 1, as it is here. So: flip, attend, flip back.
#
# A causal mask costs nothing more: what lies after offset 0 becomes $-\infty$ *in the row*. (That spends nothing and
# saves nothing, for the kernel still multiplies what it then hides. The library also cuts the queries into blocks and
# leaves out the keys that a whole block may not see.)

# %%
flipped = q.flip(-2)
window = row.unfold(-1, n, 1)
by_view = sdpa(flipped, k, v, attn_mask=window).flip(-2)
print(f"{window.numel()} cells, {window.untyped_storage().nbytes() // 8} numbers in memory")
assert np.allclose(by_view[0, 0], eager)

causal_row = row.masked_fill(torch.tensor(row_offsets(n) > 0), -torch.inf)
causal = sdpa(flipped, k, v, attn_mask=causal_row.unfold(-1, n, 1)).flip(-2)
mask = np.tri(n, dtype=bool)
expected, _ = attention(Q, K, V, bias=decay_bias(n, scale=LAMBDA), mask=mask)
assert np.allclose(causal[0, 0], expected)
figures.heatmap(
    causal_row.unfold(-1, n, 1), rows=TOKENS[::-1], columns=TOKENS, corner="query ↓ key →",
    alt="The causal mask for flipped queries: each row is the row above, moved by one",
)

# %% [markdown]
# ## When the fused kernel steps aside
#
# SDPA chooses among kernels, and it does not tell which. Ask it: allow the fused kernel only, and see whether it
# refuses. (On a CPU it is called `FLASH_ATTENTION`. What it does not take falls to `MATH`, which is the formula.)

# %%
from torch.nn.attention import SDPBackend, sdpa_kernel

m = 256
generator = torch.Generator().manual_seed(0)
big_q, big_k, big_v = torch.randn(3, 1, 8, m, 64, generator=generator)


def is_fused(**options):
    """Whether the fused kernel alone can serve this call."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sdpa(big_q, big_k, big_v, **options)
        except RuntimeError:
            return False
    return True


fixed = torch.randn(1, 8, m, m, generator=generator)
calls = {
    "no mask": {},
    "a fixed mask, 4 axes": {"attn_mask": fixed},
    "a view of one row": {"attn_mask": torch.zeros(2 * m - 1).unfold(-1, m, 1)},
    "heads innermost": {"attn_mask": torch.randn(m, m, 8).permute(2, 0, 1)[None]},
    "the same mask, 3 axes": {"attn_mask": fixed[0]},
    "a mask that learns": {"attn_mask": fixed.clone().requires_grad_()},
    "dropout": {"attn_mask": fixed, "dropout_p": 0.1},
}
for name, options in calls.items():
    print(f"{name:22}", "fused" if is_fused(**options) else "falls back to the formula")
assert is_fused(attn_mask=fixed) and not is_fused(attn_mask=fixed.clone().requires_grad_())

# %% [markdown]
# Three surprises. A mask with **three axes** is not fused, though its numbers are the same: give it four. A mask that
# **learns**, which every learned bias is while training, falls back. And *fused* is not yet *fast*: a table of buckets
# gives a grid with its heads last, and `permute(2, 0, 1)` moves that axis without moving a number. From one key to the
# next is then a step of 8 numbers in memory. The kernel takes such a mask and reads it slowly; `.contiguous()` helps, and
# a cell near the end measures how much.
#
# Why does a mask that learns fall back? The gradient of a mask is the gradient of the scores,
# $\partial L / \partial s_{ij}$: a number for every pair, head and text. The fused kernel exists to never write such an
# array, and its backward pass returns gradients of $q$, $k$ and $v$ alone. So torch takes the way that can do it, the
# formula, which keeps every weight for the way back. In evaluation, under `torch.no_grad()`, a mask *computed* from the
# table learns no more, and is fused. (A parameter itself, or a view of one, still says that it learns: hand over its
# `.detach()`.)
#
# But nobody wants the gradient of the *matrix*. A learned row has $2n - 1$ numbers, and its gradient is the matrix
# summed along its diagonals, `from_grid` ([[diagonals|chapter #]]). The library runs the forward pass fused, and in the
# backward pass makes a block of rows at a time again, and sums it at once. Same gradient:

# %%
from course_lib.nn.attention import attention as plain_attention
from course_lib.nn.fast import fast_attention
from course_lib.nn.terms import Terms

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
# ## Memory as the text grows
#
# How many bytes does each way keep between forward and backward pass? Torch lets us watch everything it puts aside. The
# bias learns, 8 heads, one text.


# %%
def kept(way, m):
    """MiB that `way` keeps for the backward pass at length m."""
    shapes = [(1, 8, m, 64)] * 3 + [(8, 2 * m - 1)]
    leaves, found = [torch.ones(shape, requires_grad=True) for shape in shapes], {}

    def keep(x):
        found[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        _alive = way(*leaves)  # so that no address is used twice
    return sum(found.values()) / 2**20


ways = {
    "the formula": lambda q, k, v, b: plain_attention(q, k, v, Terms(bias=b)),
    "SDPA, learned matrix": lambda q, k, v, b: sdpa(
        q, k, v, attn_mask=to_grid(b[:, None], q.shape[-2])[None]
    ),
    "one row, blocks made again": lambda q, k, v, b: fast_attention(q, k, v, Terms(bias=b)),
}
lengths = np.array([128, 256, 512, 1024])
fig, ax = plt.subplots(figsize=(3.4, 2.1))
for (name, way), style in zip(ways.items(), ("o-", "s--", "^-"), strict=True):
    y = [kept(way, int(m)) for m in lengths]
    p = np.polyfit(np.log(lengths[1:]), np.log(y[1:]), 1)[0]
    ax.loglog(lengths, y, style, base=2, label=f"{name}: n^{p:.1f}")
    print(f"n = 1024: {y[-1]:6.1f} MiB, grows as n^{p:.1f}  {name}")
    assert (p < 1.1) == name.startswith("one row")
ax.set(xlabel="tokens n", ylabel="MiB kept", xticks=lengths, xticklabels=lengths)
ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
figures.show(fig, alt="Memory kept by length: formula and learned matrix quadratic, blocks linear")

# %% [markdown]
# SDPA's good name does not help here: with a matrix that learns it *is* the formula. (The exponents are fitted through the
# three longer texts. The formula's is below 2, because $q$, $k$ and $v$, which grow as $n$, are kept as well.) This is
# what training keeps; what a forward pass takes at its peak comes below.
#
# ## One new row: decoding
#
# A decoder that writes keeps the keys and values of what it read (the **KV cache**) and asks with one new query, which
# stands at position `past`. Of the whole grid one row is new, the last one. What has each scheme to do for it? Choose a
# scheme and a step.

# %%
figures.decoding_step()

# %% [markdown]
# For all of them the new row is a matter of the offsets $-\text{past} \dots 0$. For a bias a step computes nothing:
# make one row for the longest text (with T5, look it up once), and step $t$ takes its *last* $t + 1$ numbers. And there
# is no causal mask: what comes later does not exist yet. (FlexAttention counts the new queries from 0 as well: a
# `score_mod` must write `past + i`.) Then every scheme through the library: 12 tokens, one by one and in pieces, must
# give what the whole text gives at once.

# %%
from course_lib.nn.cache import KeyValueCache

longest = 0 - LAMBDA * torch.log1p(torch.arange(n - 1, -1, -1).double())  # offsets −4 … 0
print("one row:", longest.numpy())
for t in range(n):
    new_row = longest[n - 1 - t :]
    assert np.allclose(new_row, decay_bias(1, t + 1, scale=LAMBDA, past=t)[0])
    step = sdpa(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1], attn_mask=new_row[None])
    assert torch.allclose(step[0, 0, 0], causal[0, 0, t])
    print(f"{TOKENS[t]:4}", new_row.numpy())
last_by_flex = flex(q[:, :, mat:], k, v, score_mod=lambda s, b, h, i, j: log_decay(s, b, h, mat + i, j))
assert torch.allclose(last_by_flex[0, 0, 0], causal[0, 0, mat])

for name, layer in layers.items():
    with torch.no_grad():
        whole = layer(x)
        for pieces in ([1] * 12, [5, 1, 6]):
            cache = KeyValueCache()
            out = [layer(piece, cache=cache) for piece in x.split(pieces, dim=1)]
            assert torch.allclose(torch.cat(out, dim=1), whole, atol=1e-5), name
    print(f"{name:16} one by one = in pieces = at once, keys kept: {len(cache)}")

# %% [markdown]
# A test like this is worth more than any other in this chapter. It catches `is_causal` in the wrong corner, a bias that
# starts at 0, a rotation that forgot `past`, and a cache that holds unturned keys.
#
# What does the cache save? Count scores. With it, token $t$ costs $t$ of them; without it every step fills the grid
# anew, the hidden half included if the formula does it. And what does the cache cost?

# %%
m = 1000
t = np.arange(1, m + 1)
with_cache, without = t.sum(), (t**2).sum()
print(f"{m} tokens, scores with the cache {with_cache:,}, without {without:,}")
print(f"{without / with_cache:.0f} times as many, the hidden half included", end="; ")
print(f"{(t * (t + 1) // 2).sum() / with_cache:.0f} times without it")
depth, heads, d = 32, 32, 128
per_token = 2 * depth * heads * d * 2  # keys and values, 2 bytes each
print(f"cache of {depth} layers with {heads} heads of {d}: {per_token / 2**20:.1f} MiB per token")
assert with_cache == m * (m + 1) // 2 and per_token == 2**19

# %% [markdown]
# None of the schemes adds to the cache: positions are computed, or stand in a table that all texts share. (Transformer-XL's
# own memory keeps hidden states instead, and makes keys of them again: [[transformer_xl|chapter #]].)

# %% [markdown]
# ## An honest clock
#
# Memory can be counted. Time must be measured, and that is easily done badly. Five rules:
#
# 1. **Warm up.** The first call loads, allocates, compiles. Do not count it.
# 2. **Interleave.** Run all contenders once, then all again. A busy moment then meets all alike. Compare within a round.
# 3. **Take the median**, of the *ratios* of each round. A mean follows one bad moment anywhere.
# 4. **Wait for the device.** A GPU answers "done" when it has only accepted the work: `torch.cuda.synchronize()`.
# 5. **Check the answers.** Wrong answers can be fast, too.
#
# And say what was measured: sizes, type, threads, machine. One thread here, because code of many small steps suffers most
# when two threads must wait for each other on a busy machine: then you measure the machine.


# %%
def interleaved(runs, rounds):
    """Seconds of each in every round, after a round that does not count."""
    times = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: np.array(found) for name, found in times.items()}


# %% [markdown]
# The contenders: T5's bias, 8 heads of 64, both directions, forward. The *limit* is SDPA without any position: what is
# left to gain. The matrix is made as published code makes it, a bucket for every pair.

# %%
from course_lib.nn.t5 import bucket

device = "cuda" if torch.cuda.is_available() else "cpu"


def contenders(m):
    """Four ways at length m, each a function without arguments."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 8, m, 64, device=device)
    position = T5Bias(8).to(device).requires_grad_(False)
    torch.nn.init.normal_(position.table)  # large enough to show when it is wrong
    i = torch.arange(m, device=device)

    def matrix():
        return position.table[bucket(i - i[:, None])].permute(2, 0, 1)[None]

    return {
        "limit": lambda: sdpa(q, k, v),
        "the formula": lambda: ((q @ k.mT) / 8 + matrix()).softmax(-1) @ v,
        "matrix as mask": lambda: sdpa(q, k, v, attn_mask=matrix()),
        "one row": lambda: fast_attention(q, k, v, Terms(bias=position.bias(m, m, 0))),
    }


blind, *answers = [run() for run in contenders(300).values()]
print("one answer:", all(torch.allclose(a, answers[0], atol=1e-3) for a in answers))
assert all(torch.allclose(a, answers[0], atol=1e-3) for a in answers)
assert not torch.allclose(blind, answers[0], atol=1e-2)

# %% tags=["nbval-ignore-output"]
lengths, rounds = [256, 512, 1024], 7
measured = {m: interleaved(contenders(m), rounds) for m in lengths}
where = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
print(f"on {where}: milliseconds of the limit, then how many times as long (medians of {rounds} rounds)")
print(f"{'':15}" + "".join(f"n = {m:<8}" for m in lengths))
for name in measured[lengths[0]]:
    cells = [f"{np.median(measured[m][name] / measured[m]['limit']):.2f}×" for m in lengths]
    if name == "limit":
        cells = [f"{1000 * np.median(measured[m][name]):.1f} ms" for m in lengths]
    print(f"{name:15}" + "".join(f"{cell:<12}" for cell in cells))
fastest = {name: times.min() for name, times in measured[lengths[-1]].items()}
assert device == "cuda" or lengths[-1] < 1024 or fastest["the formula"] > 1.2 * fastest["one row"]

# %% [markdown]
# Your numbers differ from those printed here, and from each other when you run the cell again. **Your turn:** change its
# first line to `lengths, rounds = [512], 30`, run it twice, and see how much the medians still move.
#
# Beside it, what was measured when this course was made, with other code
# (`python -m tests.bench`; the file says when, where and with which versions). Same scheme and sizes, and longer texts.

# %%
import course_lib

folder = Path(course_lib.__file__).parents[1] / "tests" / "bench" / "results"


def committed(kind):
    """The newest file of this kind, or None: a course without its tests has no measurements beside it."""
    files = sorted(folder.glob(f"*-{kind}.json"))
    return json.loads(files[-1].read_text(encoding="utf-8")) if files else None


def rows_of(results, scheme, column, backward=False):
    """{contender: {n: number}} of one scheme."""
    found = [r for r in results["rows"] if r["scheme"] == scheme and r["backward"] == backward]
    return {r["contender"]: {int(n): x for n, x in r[column].items()} for r in found}


cpu, gpu = committed("cpu"), committed("cuda")
if cpu:
    print(", ".join(f"{x} {cpu['machine'][x]}" for x in ("machine", "date", "threads", "torch")))
    print(cpu["settings"].partition(", as")[0])
    for backward in (False, True):
        title = "T5, forward" + " and backward" * backward
        print(f"{title:26}" + "".join(f"n = {m:<8}" for m in cpu["lengths"]) + "GPU")
        measured_there = rows_of(gpu, "t5", "ratio", backward) if gpu else {}
        for name, by_n in rows_of(cpu, "t5", "ratio", backward).items():
            there = measured_there.get(name, {})
            on_gpu = " ".join(f"{x:.2f}× ({m})" for m, x in there.items()) or "never measured"
            print(f"{name:26}" + "".join(f"{x:.2f}×       " for x in by_n.values()) + on_gpu)
    ratios, trained = (rows_of(cpu, "t5", "ratio", backward) for backward in (False, True))
    assert ratios["ours"][2048] < 1.3 and ratios["grid, eager"][2048] > 2
    assert abs(trained["ours"][512] / trained["grid, eager"][512] - 1) < 0.05
else:
    print("The results come with the whole course, not with its library alone.")

# %% [markdown]
# "ours" is the row, "grid" the matrix with a bucket per pair. In training, forward and backward, the row saves less time
# than forward alone. Its gradient has to make blocks of the grid again, and that costs half as much again as attention
# without position. At 512 tokens it is no faster than the formula with a grid; at 1,024 and 2,048 it is about twice
# as fast. What it saves at every length is memory.
#
# Under "GPU" stands all there is to say: **the GPU has never been measured.** Every committed time is one CPU's. The
# library is written to run on a GPU, and how fast it is there nobody knows. If your notebook has one, the live cell
# above has just measured it, and its first line says so.

# %% [markdown]
# ## How it grows
#
# Attention takes $2 n^2 d$ multiplications per head: it is $O(n^2)$. If time is $c\,n^p$, then
# $\log t = p \log n + \log c$: on logarithmic axes a line, and its slope is the exponent $p$. Fit it to the live
# measurement and draw it, here with the fastest round of each (what disturbs only ever adds).


# %% tags=["nbval-ignore-output"]
def exponent(n, t):
    """p of t ~ n^p, the slope of the best line through the logarithms; one point has none."""
    return np.polyfit(np.log(n), np.log(t), 1)[0] if len(n) > 1 else np.nan


assert np.isclose(exponent([1, 2, 4], [5, 20, 80]), 2)
fig, ax = plt.subplots(figsize=(3.4, 2.1))
fitted = {}
for name, style in zip(measured[lengths[0]], ("k--", "s-", "d-", "o-"), strict=True):
    t = [measured[m][name].min() for m in lengths]
    fitted[name] = exponent(lengths, t)
    ax.loglog(lengths, 1000 * np.array(t), style, base=2, label=f"{name}: n^{fitted[name]:.2f}")
ax.set_yscale("log", base=10)
ax.set(xlabel="tokens n", ylabel="milliseconds", xticks=lengths, xticklabels=lengths)
ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
assert device == "cuda" or len(lengths) == 1 or all(0.5 < p < 5 for p in fitted.values())
figures.show(fig, alt="Measured here: milliseconds by length, a line for each of the four ways")

# %% [markdown]
# Hardly any exponent is 2, and on a busy machine they change from run to run. Is $O(n^2)$ wrong? Look at the committed
# numbers, which go further, doubling by doubling:

# %%
if cpu:
    for scheme, name in (("t5", "limit"), ("t5", "ours"), ("t5", "grid, eager"), ("t5 causal", "limit")):
        ms = rows_of(cpu, scheme, "ms")[name]
        t = [ms[m] for m in cpu["lengths"]]
        each = " ".join(f"×{b / a:.1f}" for a, b in itertools.pairwise(t))
        print(f"{scheme:10} {name:12} fitted n^{exponent(cpu['lengths'], t):.1f}, each doubling {each}")
    assert 1.8 < exponent(cpu["lengths"], list(rows_of(cpu, "t5", "ms")["limit"].values())) < 2.2

# %% [markdown]
# - The limit grows as $n^2$, and so does the row.
# - The formula's fitted exponent is well above 2. It is not cubic: the first doubling is steep, the second is not. That
#   is a *step*, once, and a line through it looks steep. The cause is probably memory: from 512 to 1,024 tokens the
#   arrays outgrow what the system keeps at hand, and every call pays for fresh pages. Nothing here measures that.
# - The causal limit grows more slowly than $n^2$. It skips tiles in which everything is hidden, and short texts have none.
#   For long texts its cost tends to half, and half of $n^2$ is $O(n^2)$ again.
#
# Complexity says how the *number of operations* grows *in the end*. A fitted exponent says how *time* grew *between these
# lengths on this machine*. Give both, and never extrapolate the second. Memory is calmer:

# %%
memory, shown = committed("cpu-memory"), None
if memory:
    fig, ax = plt.subplots(figsize=(3.4, 2.1))
    for name, style in (("ours", "o-"), ("grid as mask", "d-"), ("grid, eager", "s-")):
        mb = rows_of(memory, "t5", "mb")[name]
        p = exponent(list(mb), list(mb.values()))
        print(f"{name:13} {mb[4096]:6.0f} MB at n = 4096, grows as n^{p:.1f}")
        ax.loglog(list(mb), list(mb.values()), style, base=2, label=f"{name}: n^{p:.1f}")
        assert (p < 1.5) == (name == "ours")
    ax.set_yscale("log", base=10)
    ax.set(xlabel="tokens n", ylabel="extra MB at the peak", xticks=list(mb), xticklabels=list(mb))
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    shown = figures.show(fig, alt="Committed measurement: peak memory of T5's forward pass by length")
shown

# %% [markdown]
# ## Easy to believe; let us run it
#
# Four sentences about cost that circulate. Guess first: which of them can be true at all?
#
# 1. A relative bias takes less than 5 % of the time of attention.
# 2. Computing T5's bias takes 1.79 % of attention (512 tokens, 32 texts).
# 3. With Huang's skew, relative attention needs only $O(h\,d\,n)$ memory.
# 4. FlashAttention takes a bias without materialising it.

# %% [markdown]
# **The first** does not say how the bias is computed. The log bias as its formula reads, and as one row:

# %% tags=["nbval-ignore-output"]
torch.manual_seed(0)
q_, k_, v_ = torch.randn(3, 1, 8, 1024, 64)
place = torch.arange(1024)
one_row = DecayBias(LAMBDA)
runs = {
    "limit": lambda: sdpa(q_, k_, v_),
    "as the formula reads": lambda: (
        q_ @ k_.mT / 8 - LAMBDA * (place - place[:, None]).abs().log1p()
    ).softmax(-1) @ v_,
    "one row": lambda: fast_attention(q_, k_, v_, Terms(bias=one_row.bias(1024, 1024, 0))),
}
times = interleaved(runs, rounds=7)
for name in list(runs)[1:]:
    print(f"{name:21} {100 * np.median(times[name] / times['limit'] - 1):+.0f} % over attention without position")
assert torch.allclose(runs["as the formula reads"](), runs["one row"](), atol=1e-4)
assert times["as the formula reads"].min() > times["one row"].min()

found = rows_of(cpu, "log", "ratio") if cpu else {}
for name, by_n in list(found.items())[1:]:
    print(f"committed: {name:13}", *(f"{100 * (x - 1):+.1f} % (n = {m})" for m, x in by_n.items()))
met = [(name, m) for name in list(found)[1:] for m, x in found[name].items() if x < 1.05]
assert not cpu or met == [("ours", 2048)]

# %% [markdown]
# "ours" is the row; "dense, eager" is the formula with a matrix that is made at each call, "dense mask" the same matrix
# given to SDPA. **Verdict: not so in general.** Of the committed forward times one single number lies below 5 %: the
# row at 2,048 tokens. The mask begins at 11 % and the formula at 19 %, and both get worse with length. The claim is
# about an implementation and a length, not about a bias. (Press et al. 2022, section 2.2, found T5's bias to make
# *training at least twice as slow*: that was another one.)
#
# **The second** divides the time to *build* the bias by that of attention. The bias does not know the batch, and
# attention does. So the share is whatever you like:

# %% tags=["nbval-ignore-output"]
table_, place = torch.randn(32, 12), torch.arange(512)


def build():
    return table_[bucket(place - place[:, None])].permute(2, 0, 1)[None]


def contestants(batch):
    """The parts of the price. After the building itself, all use a grid that is ready."""
    q, k, v = torch.randn(3, batch, 12, 512, 64)
    permuted = build()
    ready = permuted.contiguous()
    return {
        "limit": lambda: sdpa(q, k, v),
        "building": build,
        "SDPA, contiguous": lambda: sdpa(q, k, v, attn_mask=ready),
        "SDPA, permuted": lambda: sdpa(q, k, v, attn_mask=permuted),
        "formula, no bias": lambda: (q @ k.mT / 8).softmax(-1) @ v,
        "formula, permuted": lambda: (q @ k.mT / 8 + permuted).softmax(-1) @ v,
    }


times = {batch: interleaved(contestants(batch), rounds=5) for batch in (1, 4)}
print(f"{'multiples of the limit':24}1 text   4 texts")
for name in list(times[1])[1:]:
    print(f"{name:24}", *(f"{np.median(t[name] / t['limit']):.2f}×   " for t in times.values()))
share = {b: t["building"].min() / t["formula, permuted"].min() for b, t in times.items()}
print(f"building ÷ formula: {share[1]:.1%} and {share[4]:.1%} (the claim: {0.0179:.2%})")
assert share[1] > share[4]
assert times[1]["SDPA, permuted"].min() > times[1]["SDPA, contiguous"].min()

# %% [markdown]
# From one text to four the share falls, and at 32 texts it is tiny. That says nothing about what the bias costs. Three
# things cost: the **building** (small only where many texts share it: for one text it takes about as long as attention),
# the **formula** (slow with or without a bias), and a grid that `permute` left with its **heads innermost**. Made once,
# `.contiguous()` and given to the fused kernel, the same grid takes little longer than no bias at all, on a quiet
# machine. Memory is another matter.
#
# **The third** counts the table of vectors, `(heads, n, d)`. The products with the queries are a grid all the same:

# %%
heads, m, d = 8, 4096, 64
print(f"the table: {heads * m * d * 4 / 2**20:.0f} MiB")
print(f"products of each query with each vector: {heads * m * m * 4 / 2**20:.0f} MiB")
assert heads * m * m == 64 * heads * m * d
if memory:
    for name in ("pad/reshape", "ours"):
        mb = rows_of(memory, "huang causal", "mb")[name]
        p = exponent(list(mb), list(mb.values()))
        print(f"{name:12} {mb[4096]:5.0f} MB at the peak, grows as n^{p:.1f}")

# %% [markdown]
# The skew removed the cube `(n, n, d)`, which was the point of the paper. Memory linear in $n$ comes with blocks of
# queries ("ours"), not with the skew. (An exponent below 1 is no miracle: memory that was freed before the call is used
# first and not counted.)
#
# **The fourth** can be answered without a GPU, for torch knows the arguments of its GPU kernels everywhere:

# %%
for kernel in ("flash", "efficient"):
    schema = getattr(torch.ops.aten, f"_scaled_dot_product_{kernel}_attention").default._schema
    names = [argument.name for argument in schema.arguments]
    print(f"{kernel:10}", *names[:5])
    assert ("attn_bias" in names) == (kernel == "efficient")

# %% [markdown]
# On a GPU torch's flash kernel has no place for a bias at all. The memory-efficient one takes a tensor: somebody has
# made it. The idea of tiles allows for a bias (above, you computed one inside them), this kernel does not, and
# FlexAttention is there to write the kernel that does.
#
# One more, about training: vectors per offset cost "5–10 % of training time". Shaw et al. (2018, section 3.3) report 7 %
# fewer steps per second. A whole layer, 512 tokens, with its feed-forward part, forward and backward:

# %% tags=["nbval-ignore-output"]
def training_step(position, backend):
    torch.manual_seed(0)
    attend = RelativeAttention(512, 8, position, backend=backend)
    feed = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 512))
    text = torch.randn(1, 512, 512)
    return lambda: feed(text + attend(text)).square().mean().backward()


runs = {
    "no position": training_step(None, "sdpa"),
    "Shaw, the formula": training_step(ShawVectors(8, 64, clip=16), "eager"),
    "Shaw, blocks": training_step(ShawVectors(8, 64, clip=16), "sdpa"),
}
times = interleaved(runs, rounds=3)
for name in list(runs)[1:]:
    print(f"{name:18} {100 * np.median(times[name] / times['no position'] - 1):+.0f} % per step")
assert times["Shaw, the formula"].min() > 0.8 * times["no position"].min()

# %% [markdown]
# The same scheme, the same numbers, two costs. A percentage of a layer also depends on how much else the layer does and
# on $n$: double the text, and attention's share grows. **Before you repeat a percentage, ask: of what, of which code, at
# which length, on which machine?**

# %% [markdown]
# ## Remember
#
# - A bias is an additive mask for SDPA, and a `score_mod` for FlexAttention. One answer, different costs.
# - A fused kernel works in tiles and keeps a maximum, a sum and a mixture per query. It never writes the grid.
# - A mask that learns, or has three axes, sends SDPA back to the formula without a word. One with its heads innermost is
#   fused and slow.
# - A bias is $2n - 1$ numbers per head. Flip the queries, and `unfold` is the mask.
# - Decoding adds one row, at position `past`. `is_causal` with fewer queries than keys is the wrong triangle.
# - `True` means look, here. Floating-point masks are added. `dropout_p` does not hear `eval()`.
# - Warm up, interleave, median of ratios, check the answers. An exponent belongs to a range of lengths.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model with a learned bias is fast in evaluation and slow in training, more than a backward pass explains. Why?",
    options={
        "The optimizer updates the table": "A table of some hundred numbers is nothing beside a layer.",
        "In training the mask learns, and SDPA falls back to the formula":
            "Yes. The fused kernel has no gradient for its mask; in evaluation nobody asks for one.",
        "The bias must be built anew at each step": "It costs time, but in both modes alike.",
    },
    answer="In training the mask learns, and SDPA falls back to the formula",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Two tiles of keys are done: largest score 3, sum 1.5. A third tile has one score, 5. What becomes of the 1.5?",
    options={
        "It stays, and the new exponential is added":
            "Then old and new are measured from different largest scores.",
        "It is multiplied by e⁻², then 1 is added":
            "Yes: the old largest score 3 is 2 below the new one, and e⁵⁻⁵ = 1.",
        "It is thrown away":
            "Only if the new score were so large that e to the difference is 0.",
    },
    answer="It is multiplied by e⁻², then 1 is added",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A way needs 10 ms at 512 tokens and 120 ms at 1,024. What do you conclude?",
    options={
        "It is O(n³·⁶)": "That is the slope between two points. Complexity is about all lengths from some one on.",
        "Something changed between the two lengths":
            "Yes: an array outgrew a cache or the allocator, or another kernel was taken. Measure a third length.",
        "The measurement must be wrong": "Perhaps; repeat it. But steps like this are real and common.",
    },
    answer="Something changed between the two lengths",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: eight, from tiles by hand to five bug hunts.
#
# **Next:** [[next]].
#
# **Sources** T. Dao et al., *FlashAttention*, 2022, section 3.1 (tiles; making them again) · M. Milakov and
# N. Gimelshein, *Online normalizer calculation for softmax*, 2018 · J. Dong et al., *Flex Attention*, 2024, section 3
# (`score_mod`) · O. Press et al., *Train Short, Test Long*, 2022, section 2.2 · P. Shaw et al., *Self-Attention with
# Relative Position Representations*, 2018, section 3.3 · C.-Z. A. Huang et al., *Music Transformer*, 2019, section 3.4 ·
# the documentation of torch's `scaled_dot_product_attention`.
