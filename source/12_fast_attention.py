# %% [markdown]
# # [[title]]
#
# Attention without positions is fast, because its kernels are carefully tuned. A bias can lose that speed. In this
# chapter we compute attention with one bias in three ways, and find out what a bias costs.
#
# **You will be able to**
# - compute attention with a bias by the formula, by `scaled_dot_product_attention` and by FlexAttention;
# - compute attention in tiles with a pencil;
# - hold a bias as a row instead of a matrix, in training and in decoding;
# - time two ways fairly, and fit a growth exponent.
#
# **You need** chapters [[bias_by_hand|#]] and [[diagonals|#]]. **Time** [[time]].
#
# Of chapters [[vector_per_distance|#]] (Shaw), [[transformer_xl|#]] (Transformer-XL), [[t5_buckets|#]] (T5),
# [[alibi|#]] (ALiBi) and [[rope|#]] (RoPE) you need only the names.

# %%
import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_kit import figures
from course_lib.example import D_K, LAMBDA, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # the section on the clock says why
n = len(TOKENS)
the, cat, sat, on, mat = range(n)

# %% [markdown]
# ## One bias, three ways
#
# A **kernel** is a compiled routine. A **fused** kernel does several steps without writing intermediate results to
# memory.
#
# Our bias is the log decay of [[bias_by_hand|chapter #]], $b(r) = -\lambda \log(1 + |r|)$ with $r = j - i$. (Bias and
# tokens come from a published article, see `docs/acknowledgements.md`.) First one pair by hand, the query *sat* and the
# key *The*:

# %%
raw = Q[sat] @ K[the] / np.sqrt(D_K)
number = -LAMBDA * np.log1p(abs(the - sat))
print(f"q·k / √d = {raw:.4f}, bias {number:.4f}, score {raw + number:.4f}")

# %% [markdown]
# **The first way: eager**, also called *the formula*: one operation after another. Most lines make an array with a
# number for every pair, the *grid*. One query in a loop, then all at once:

# %%
from course_lib.reference.attention import attention, softmax
from course_lib.reference.bias import decay_bias

row_of_sat = [
    Q[sat] @ K[j] / np.sqrt(D_K) - LAMBDA * np.log1p(abs(j - sat)) for j in range(n)
]
scores = Q @ K.T / np.sqrt(D_K)  # n × n
biased = scores + decay_bias(n, strength=LAMBDA)  # n × n, as is the bias
weights = softmax(biased)  # n × n
eager = weights @ V

assert np.isclose(raw + number, biased[sat, the])
assert np.allclose(row_of_sat, biased[sat])
assert np.allclose(eager, attention(Q, K, V, bias=decay_bias(n, strength=LAMBDA))[0])
figures.side_by_side(
    figures.heatmap(biased, alt="Scores with the bias added"),
    figures.heatmap(eager, columns=range(D_K), alt="Output, a row per query"),
)

# %% [markdown]
# **The second way: `scaled_dot_product_attention`**, SDPA for short, does all steps in one call. Its *mask*, if made of
# floating-point numbers, is **added to the scaled scores**. So a bias is a mask.

# %%
q, k, v = (torch.tensor(x)[None, None] for x in (Q, K, V))
B = torch.tensor(decay_bias(n, strength=LAMBDA))
by_sdpa = sdpa(q, k, v, attn_mask=B)
print("q", tuple(q.shape), "mask", tuple(B.shape), "output", tuple(by_sdpa.shape))
assert np.allclose(by_sdpa[0, 0], eager)

# %% [markdown]
# **The third way: FlexAttention.** Here you pass a *function*, `score_mod`. It gets one scaled score and its indices
# (`b` is the text in the batch here, not the bias; `h` is the head). It returns the changed score. Compiled code stores
# no grid. Try it on the pair above:

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
# A `score_mod` can also look the bias up in a row, as a learned bias requires. Its `i` and `j` count from the start of
# the tensors:

# %%
from course_lib.reference.bias import decay_row
from course_lib.reference.grid import row_offsets

row = torch.tensor(decay_row(row_offsets(n), strength=LAMBDA))
looked_up = flex(q, k, v, score_mod=lambda score, b, h, i, j: score + row[j - i + n - 1])
print("offsets", row_offsets(n))
print("numbers", row.numpy())
assert np.allclose(looked_up[0, 0], eager)

# %% [markdown]
# On a GPU, `torch.compile` turns your function into part of a fused kernel. Uncompiled, as here, FlexAttention is right
# but slow. (With a `BlockMask` it skips blocks in which everything is hidden. On a CPU it has no gradient for $q$, $k$
# and $v$.)
#
# ## Four traps in one call
#
# Four calls of SDPA run without an error, but do not do what they seem to do.

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
# `is_causal` places its triangle in the *top left* corner of the grid. Decoding needs it in the *bottom right*: if
# `past` tokens were read before, query $i$ is at position $\text{past} + i$.

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
    figures.heatmap(shifted, rows=["on", "mat"], alt="What decoding needs: 1 up to its own position"),
)

# %% [markdown]
# That was the first trap. The second: to SDPA, `True` in a mask means *look*, but to `torch.nn.MultiheadAttention` it
# means *hide*. The third: a floating-point mask of zeros and ones is added, like a bias. Below, *mat* is padding, and
# the values are the identity matrix, so the output *is* the weights.

# %%
padding = torch.tensor([False, False, False, False, True])  # mat is padding: hide it
kinds = {
    "right: look where no padding": ~padding,
    "passed as it is": padding,
    "as numbers, added": padding.double(),
}
for name, mask in kinds.items():
    w = sdpa(q, k, torch.eye(n).double()[None, None], attn_mask=mask.expand(n, n))
    print(f"{name:30} weights of sat: {w[0, 0, sat].numpy()}")
    if name.startswith("passed"):
        assert w[0, 0, sat, mat] == 1  # all of it on the padding

# %% [markdown]
# The second call puts all weight on the token that should be hidden. The third merely prefers it.
#
# The fourth trap: `dropout_p` is an argument, not a module, so `model.eval()` does not reach it. A layer should pass
# `dropout_p=0.1 if self.training else 0.0`. Here it is 0.5:

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
# Our library's layer has an option `backend` that chooses one of the three ways. All must give the same output, or
# raise an error that names what they cannot handle.

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
    "Music Transformer": lambda: MusicTransformer(2, 8, max_length=32),
    "Transformer-XL": lambda: TransformerXL(16, 2), "RoPE": lambda: RoPE(8),
}
torch.manual_seed(0)
layers = {name: RelativeAttention(16, 2, make(), causal=True) for name, make in schemes.items()}
print(*layers, sep=" · ")

# %%
x = torch.randn(1, 12, 16)
refused = []
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
            refused.append((name, backend))
    layer.backend = "auto"
    print(f"{name:17}", " · ".join(said[1:]))
assert refused == [("Shaw", "flex")]

# %% [markdown]
# Shaw's value vectors change the values, but a `score_mod` can change only scores, and so can SDPA's mask. (For Shaw,
# our backend `"sdpa"` uses plain operations on blocks of queries.) RoPE needs nothing, because it rotates $q$ and $k$
# beforehand.

# %% [markdown]
# ## What a fused kernel does
#
# Why is SDPA faster than the formula? Both multiply the same numbers, but the formula writes the grid to memory and
# reads it back several times, and a processor multiplies faster than it reads (Dao et al. 2022, section 2.1).
#
# FlashAttention goes through the keys in tiles small enough for the processor's fast on-chip memory. For each query it
# keeps the largest score so far, the sum of $e^{\text{score} - \text{largest}}$, and the sum of the values weighted by
# these. When a larger score appears, both sums are multiplied by $e^{\text{old} - \text{new}}$. The backward pass
# computes the tiles again.
#
# By hand for *sat*, with the tiles *The, cat, sat* and *on, mat*:

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
# The largest score was in tile one, so nothing had to shrink ($e^0 = 1$). The next function does the same with tiles of
# any size. We trace it on *mat*, whose scores rise from key to key.

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
# **Where is the bias in this?** A tile knows the positions of its queries and keys. So it can compute $b(j - i)$ for
# its own cells, or look it up in a row of $2n - 1$ numbers. For all queries at once:

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
    print(f"keys {j}: the tile has {tile.size} scores, the grid would have {n * n}")
assert np.allclose(mixed / total, eager)

# %% [markdown]
# ## What a materialised bias costs
#
# A bias that is stored as a matrix is called *materialised*. How much memory does it take, for 4 texts of 2,048 tokens
# and 12 heads of width 64?

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
# The queries take 24 MiB. A matrix per text and head takes 768, more than 4,000 times as much as a row per head.
# `repeat` needs that much, because it copies the matrix for each text; with `expand` the texts share one copy. Here
# with 512 tokens:

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
# The `unfold` above is the view of [[diagonals|chapter #]]: with the queries reversed, each row of the grid is a window
# on one list of numbers. The fused CPU kernel takes such a view. So we flip the queries, attend, and flip the output
# back.
#
# For a causal mask, we set the row's entries for offsets above 0 to $-\infty$.

# %%
flipped = q.flip(-2)
window = row.unfold(-1, n, 1)
by_view = sdpa(flipped, k, v, attn_mask=window).flip(-2)
print(f"{window.numel()} cells, {window.untyped_storage().nbytes() // 8} numbers in memory")
assert np.allclose(by_view[0, 0], eager)

causal_row = row.masked_fill(torch.tensor(row_offsets(n) > 0), -torch.inf)
causal = sdpa(flipped, k, v, attn_mask=causal_row.unfold(-1, n, 1)).flip(-2)
mask = np.tri(n, dtype=bool)
expected, _ = attention(Q, K, V, bias=decay_bias(n, strength=LAMBDA), mask=mask)
assert np.allclose(causal[0, 0], expected)
figures.heatmap(
    causal_row.unfold(-1, n, 1), rows=TOKENS[::-1], columns=TOKENS, corner="query ↓ key →",
    alt="The causal mask for flipped queries: each row is the row above, moved by one",
)

# %% [markdown]
# ## When the fused kernel steps aside
#
# SDPA does not say which kernel it took. To find out, we allow only the fused kernel **for CPUs**, which torch calls
# `FLASH_ATTENTION`. If such a call fails, an unrestricted call would use the plain formula.

# %%
from torch.nn.attention import SDPBackend, sdpa_kernel

m = 256
generator = torch.Generator().manual_seed(0)
big_q, big_k, big_v = torch.randn(3, 1, 8, m, 64, generator=generator)


def is_fused(**options):
    """Whether the fused kernel alone can serve this call on a CPU."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sdpa(big_q, big_k, big_v, **options)
        except RuntimeError:
            return False
    return True

# %%
fixed = torch.randn(1, 8, m, m, generator=generator)
learning = fixed.clone().requires_grad_()
with torch.no_grad():
    evaluated = 2 * learning
calls = {
    "no mask": {},
    "a fixed mask, 4 axes": {"attn_mask": fixed},
    "a view of one row": {"attn_mask": torch.zeros(2 * m - 1).unfold(-1, m, 1)},
    "heads innermost": {"attn_mask": torch.randn(m, m, 8).permute(2, 0, 1)[None]},
    "the same mask, 3 axes": {"attn_mask": fixed[0]},
    "a mask that learns": {"attn_mask": learning},
    "made under no_grad": {"attn_mask": evaluated},
    "dropout": {"attn_mask": fixed, "dropout_p": 0.1},
}
for name, options in calls.items():
    print(f"{name:22}", "fused" if is_fused(**options) else "falls back to the formula")
assert [name for name, options in calls.items() if not is_fused(**options)] == [
    "the same mask, 3 axes", "a mask that learns", "dropout"
]

# %% [markdown]
# Apart from dropout, there are three surprises. A mask with **three axes** falls back: add a batch axis. A mask that
# **learns** falls back, so training with one is slow. And *fused* does not mean *fast*. A table look-up returns $(n, n,
# \text{heads})$, **heads innermost** in memory. The kernel may read that slowly (timed below) until you call
# `.contiguous()`.
#
# A mask that learns falls back because the CPU kernel returns gradients of $q$, $k$ and $v$ only. A mask computed from
# learned numbers under `torch.no_grad()` needs no gradient, so evaluation is fused.
#
# **On a GPU** torch has other kernels. Which take a mask, and how many gradients do they return? torch's declarations
# (*schemas*) answer without running a kernel:

# %%
returned = {}
kernels = "flash_attention_for_cpu", "flash_attention", "cudnn_attention", "efficient_attention"
for kernel in kernels:
    forward, backward = (
        getattr(torch.ops.aten, f"_scaled_dot_product_{kernel}{end}").default._schema for end in ("", "_backward")
    )
    masks = {argument.name for argument in forward.arguments} & {"attn_mask", "attn_bias"}
    returned[kernel] = len(backward.returns)
    print(f"{kernel:24} mask: {''.join(masks) or 'none':10} gradients: {returned[kernel]}")
assert list(returned.values()) == [3, 3, 3, 4]

# %% [markdown]
# The flash kernel for GPUs takes no mask. cuDNN's takes one but returns no gradient for it. The memory-efficient
# kernel's fourth gradient belongs to its fourth input, the mask. So on a GPU a mask that learns can stay fused, but
# mask and gradient are both materialised.
#
# Yet we need only the gradient of the *row*: the matrix's gradient, summed along the diagonals (`from_grid` of
# [[diagonals|chapter #]]). FlexAttention returns it for a row that `score_mod` reads. Our library's `fast_attention`
# runs the forward pass fused. Its backward pass computes the scores again, one block of queries at a time, and sums
# each block's gradient along the diagonals. Is the result the same? (`Terms` lists what a scheme adds to attention.)

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
# How many bytes does each way keep for the backward pass of a learned bias, with 8 heads and one text?

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

# %%
ways = {
    "the formula": lambda q, k, v, bias: plain_attention(q, k, v, Terms(bias=bias)),
    "SDPA, learned matrix": lambda q, k, v, bias: sdpa(
        q, k, v, attn_mask=to_grid(bias[:, None], q.shape[-2])[None]
    ),
    "one row, blocks made again": lambda q, k, v, bias: fast_attention(q, k, v, Terms(bias=bias)),
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
# On a CPU, SDPA with a matrix that learns *is* the formula, so it keeps as much. (Both exponents are below 2 because
# $q$, $k$ and $v$ are kept as well.)
#
# ## One new row: decoding
#
# A decoder keeps the keys and values of the tokens it has read (the **KV cache**) and asks with one new query, at
# position `past`. Only the last row of the grid is new. What must each scheme compute for it? Choose a scheme and a
# step.

# %%
figures.decoding_step()

# %% [markdown]
# A bias needs no new computation: make one row for the longest text, with the offsets up to 0, and step $t$ takes its
# *last* $t + 1$ numbers. No causal mask is needed, because later tokens do not exist yet. FlexAttention counts the new
# queries from 0, so its `score_mod` must write `past + i`.

# %%
longest = row[:n]  # offsets −4 … 0
print("one row:", longest.numpy())
for t in range(n):
    new_row = longest[n - 1 - t :]
    assert np.allclose(new_row, decay_bias(1, t + 1, strength=LAMBDA, past=t)[0])
    step = sdpa(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1], attn_mask=new_row[None])
    assert torch.allclose(step[0, 0, 0], causal[0, 0, t])
    print(f"{TOKENS[t]:4}", new_row.numpy())
last_by_flex = flex(q[:, :, mat:], k, v, score_mod=lambda s, b, h, i, j: log_decay(s, b, h, mat + i, j))
assert torch.allclose(last_by_flex[0, 0, 0], causal[0, 0, mat])

# %% [markdown]
# For every scheme, the output must not depend on whether the layer reads a text token by token, in pieces or at once:

# %%
from course_lib.nn.cache import KeyValueCache

for name, layer in layers.items():
    with torch.no_grad():
        whole = layer(x)
        for pieces in ([1] * 12, [5, 1, 6]):
            cache = KeyValueCache()
            out = [layer(piece, cache=cache) for piece in x.split(pieces, dim=1)]
            assert torch.allclose(torch.cat(out, dim=1), whole, atol=1e-5), name
    print(f"{name:17} one by one = in pieces = at once, keys kept: {len(cache)}")

# %% [markdown]
# The test is meant to catch `is_causal` in the wrong corner, and a bias or rotation that ignores `past`.

# %% [markdown]
# ## An honest clock
#
# Memory can be counted. Time must be measured, and that is easily done badly. Five rules:
#
# 1. **Warm up.** The first call loads, allocates and compiles. Do not count it.
# 2. **Interleave.** Run all contenders once, then all again, so that a busy moment affects them all.
# 3. **Take the median** of the *ratios* of all rounds. One bad moment can move a mean anywhere.
# 4. **Wait for the device.** A call to a GPU returns before the work is done. Before you stop the clock, call
#    `torch.cuda.synchronize()`.
# 5. **Check the answers.** Wrong answers can be fast, too.
#
# Also say what you measured: sizes, dtype, threads, machine. We use one thread, because threads on a busy machine wait
# for each other.

# %%
device = "cuda" if torch.cuda.is_available() else "cpu"


def interleaved(runs, rounds):
    """Seconds of each in every round, after a round that does not count."""
    times = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if device == "cuda":
                torch.cuda.synchronize()
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: np.array(found) for name, found in times.items()}

# %% [markdown]
# We time T5's bias, a learned number for each *bucket* of offsets. Published code looks a bucket up for every pair
# (`T5Attention.compute_bias` in transformers); a row needs one look-up per offset. The *limit* is SDPA without
# positions, our yardstick.

# %%
from course_lib.nn.t5 import bucket


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

# %% [markdown]
# First we check the answers (rule 5):

# %%
blind, *answers = [run() for run in contenders(300).values()]
print("the three ways with a bias agree:", all(torch.allclose(a, answers[0], atol=1e-3) for a in answers))
assert all(torch.allclose(a, answers[0], atol=1e-3) for a in answers)
assert not torch.allclose(blind, answers[0], atol=1e-2)

# %% tags=["nbval-ignore-output"]
lengths, rounds = [256, 512, 1024], 5
measured = {m: interleaved(contenders(m), rounds) for m in lengths}
where = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
print(f"on {where}, {rounds} rounds: the limit in milliseconds, the others as multiples of it")
print(f"{'median (quartiles)':20}" + "".join(f"n = {m:<18}" for m in lengths))
for name in measured[lengths[0]]:
    cells = []
    for m in lengths:
        unit = 0.001 if name == "limit" else measured[m]["limit"]
        low, middle, high = np.percentile(measured[m][name] / unit, [25, 50, 75])
        cells.append(f"{middle:.2f} ({low:.2f}–{high:.2f})")
    print(f"{name:20}" + "".join(f"{cell:<22}" for cell in cells))

# %% [markdown]
# Your numbers differ from those printed here. The row costs relatively most at 256 tokens, perhaps because it must be
# built. **Your turn:** in the cell above, change the first line to `lengths, rounds = [512], 30`, run it twice, and see
# how much the medians still move.
#
# **We have not timed the library on a GPU.** It is written to run on one. If your machine has one, the table of medians
# above was measured there.

# %% [markdown]
# ## How it grows
#
# Attention takes $2 n^2 d$ multiplications per head: it is $O(n^2)$. If time is $c\,n^p$, then
# $\log t = p \log n + \log c$. On logarithmic axes this is a line with slope $p$. We fit it to the fastest round of
# each way, because disturbances only add time.

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
figures.show(fig, alt="Measured here: milliseconds by length, a line for each of the four ways")

# %% [markdown]
# If an exponent is not 2, $O(n^2)$ is not wrong. Complexity says how the *number of operations* grows *in the end*. A
# fitted exponent says how *time* grew *between these lengths on this machine*. Do not extrapolate it.

# %% [markdown]
# ## Easy to believe; let us run it
#
# Guess first: which of these claims are true?
#
# 1. A relative bias takes less than 5 % of the time of attention.
# 2. Computing T5's bias takes 1.79 % of attention (512 tokens, 32 texts).
# 3. FlashAttention takes a bias without materialising it.

# %% [markdown]
# **The first** does not say how the bias is computed. We time the log decay as its formula reads, and as one row:

# %% tags=["nbval-ignore-output"]
torch.manual_seed(0)
q_, k_, v_ = torch.randn(3, 1, 8, 1024, 64)
place = torch.arange(1024)
one_row = DecayBias(LAMBDA)
runs = {
    "limit": lambda: sdpa(q_, k_, v_),
    "the formula": lambda: (
        q_ @ k_.mT / 8 - LAMBDA * (place - place[:, None]).abs().log1p()
    ).softmax(-1) @ v_,
    "one row": lambda: fast_attention(q_, k_, v_, Terms(bias=one_row.bias(1024, 1024, 0))),
}
times = interleaved(runs, rounds=7)
for name in list(runs)[1:]:
    slower = 100 * np.median(times[name] / times["limit"] - 1)
    print(f"{name:21} {slower:.0f} % slower than attention without positions")
assert torch.allclose(runs["the formula"](), runs["one row"](), atol=1e-4)

# %% [markdown]
# **Verdict: not so in general.** The formula loses the fused kernel, and that costs more than the bias itself. What the
# row costs depends on the processor, so run the cell on yours. Compared with sinusoidal positions on 512 tokens, T5's
# bias halved the speed of training in Press et al. (2022, appendix table 1), but cost only 8.7 % in Narang et al.
# (2021, quoted in the former's footnote 8). **Before you repeat a percentage, ask: of what, of which code, at which
# length, on which machine?**
#
# **The second** counts only the time to *build* the bias. Only attention grows with the number of texts, so the share
# should fall. (The claim is for 32 texts; 1 and 4 take less of your time.)

# %% tags=["nbval-ignore-output"]
table_, place = torch.randn(32, 12), torch.arange(512)


def build():
    return table_[bucket(place - place[:, None])].permute(2, 0, 1)[None]


def contestants(batch):
    """What each step costs. Only "building" builds the grid; the others get it ready-made."""
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

# %% tags=["nbval-ignore-output"]
times = {batch: interleaved(contestants(batch), rounds=5) for batch in (1, 4)}
print(f"{'multiples of the limit':24}1 text   4 texts")
for name in list(times[1])[1:]:
    print(f"{name:24}", *(f"{np.median(t[name] / t['limit']):.2f}×   " for t in times.values()))
share = {b: np.median(t["building"] / t["formula, permuted"]) for b, t in times.items()}
print(f"building ÷ formula: {share[1]:.1%} and {share[4]:.1%}, so for 32 texts about {share[4] / 8:.1%} (the claim: {0.0179:.2%})")
assert not build().is_contiguous()  # so SDPA may take longer; how much depends on the machine

# %% [markdown]
# **Verdict: plausible, if attention means the formula.** The share falls with the batch, and if it keeps falling in
# proportion, it is below the claim for 32 texts. Yet adding a bias costs time too, and a permuted grid can slow SDPA
# down.
#
# **The third: half true.** It holds for the algorithm: above, you computed a bias inside the tiles. But torch's flash
# kernel for GPUs takes no bias, and its memory-efficient kernel takes a materialised one. The flash-attn package
# computes ALiBi in its tiles, from `alibi_slopes` (see its README). For other biases, FlexAttention writes the kernel.
#
# Two more, decided by what torch's kernels declare. Judge them, then read why.

# %%
from course_tasks import questions

questions.claims("fast_attention")

# %% [markdown]
# ## Remember
#
# - On a CPU, a mask that learns or has three axes silently sends SDPA back to the formula. On a GPU, the
#   memory-efficient kernel returns the mask's gradient, a matrix.
# - A bias by offset is $2n - 1$ numbers per head. Flip the queries, and `unfold` is the mask.
# - Decoding adds one row, at position `past`. `is_causal` gives it the wrong triangle.
# - For SDPA, `True` means look, and floating-point masks are added. `eval()` does not reach `dropout_p`.
# - Warm up, interleave, take the median of ratios, check the answers.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "On a CPU, a model computes a mask from a learned table in each call and passes it to SDPA. Evaluation under "
    "`torch.no_grad()` is fast, but in training even the forward pass is slow. Why?",
    options={
        "The optimizer updates the table": "A table of a few hundred numbers is tiny compared with a layer.",
        "In training the mask learns, so on a CPU SDPA falls back to the formula":
            "Yes. The fused CPU kernel returns no gradient of its mask. A mask computed under `no_grad` needs none.",
        "The bias must be built again at each step": "This takes time in both modes alike.",
    },
    answer="In training the mask learns, so on a CPU SDPA falls back to the formula",
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
    "A way needs 10 ms at 512 tokens and 120 ms at 1,024. What do you conclude?",
    options={
        "It is O(n³·⁶)": "This is the slope between two points. Complexity is about all sufficiently large n.",
        "Something changed between the two lengths":
            "Yes. Perhaps larger arrays request new memory, or torch took another kernel. Measure a third length.",
        "The measurement must be wrong": "Repeat it to be sure. But steps like this are real and common.",
    },
    answer="Something changed between the two lengths",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from tiles by hand to two bug hunts.
#
# **Next:** [[next]].
#
# **Sources** T. Dao et al., *FlashAttention*, 2022, section 2.1, section 3.1 · M. Milakov, N. Gimelshein, *Online
# normalizer calculation for softmax*, 2018 · J. Dong et al., *Flex Attention*, 2024 · O. Press et al., *Train Short,
# Test Long*, 2022, appendix table 1, footnote 8 · S. Narang et al., *Do Transformer Modifications Transfer …?*, 2021 ·
# the README of Dao-AILab/flash-attention.
