# %% [markdown]
# # [[title]]
#
# A decoder keeps the keys and values of all earlier tokens. To save memory, many models let some layers read only the
# most recent tokens. You build such windows, and find out why a released model breaks when its first token leaves them.
#
# **You will be able to**
# - limit a layer to a window, and compute its reach and the memory it saves;
# - find the attention sink of a released model, and keep it beside a window;
# - say what a layer without positions adds above a window.
#
# **You need** chapters [[bias_by_hand|#]] (bias), [[rope|#]] (rotation), [[released_model|#]] (the model),
# [[fast_attention|#]] (cache) and [[longer_than_training|#]] (the study). **Time** [[time]].

# %%
import copy
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import torch

from course_kit import figures
from course_lib import released
from course_lib.nn.cache import RingCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.nn.sliding_window import SlidingWindow
from course_study.released import rows as committed

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## A window by hand
#
# A **sliding window** of $w$ shows each query the last $w$ keys, its own among them. So it looks $w - 1$
# tokens back. For six tokens and $w = 3$:

# %%
w = 3
for i in range(6):
    seen = [j for j in range(6) if i - w < j <= i]
    print(f"query {i} sees keys {seen}")

# %% [markdown]
# A window is a bias with one number per offset: 0 inside, and $-\infty$ outside, where the weight becomes $e^{-\infty}
# = 0$.

# %%
from course_lib.reference.sliding_window import window_mask, window_row

print("offsets −5 … 0:", window_row(6, w=3)[:6])  # the row is the same after 0, where the causal mask hides the keys
mask = window_mask(6, w=3)  # the window and the causal mask together
assert mask.sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3]


def window(w=3, n=6):
    """1 where a query looks."""
    return figures.heatmap(window_mask(n, w=w).astype(int), alt=f"A window of {w}", corner="query ↓ key →")


figures.play(window, w=(1, 6), n=(2, 10))

# %% [markdown]
# Inside the window, all keys have the same bias, whatever their order. So such a layer usually has RoPE, too:

# %%
figures.attention_block("sliding window")

# %% [markdown]
# ## The cache becomes a ring
#
# With a window, a key that is $w$ or more tokens old is never read again. So the cache ([[fast_attention|chapter #]])
# needs only $w$ slots: token $p$ goes into slot $p \bmod w$ and overwrites token $p - w$.

# %%
ring = [None] * 4
for p in range(10):
    ring[p % 4] = p
    print(f"token {p} into slot {p % 4}:", ring)
assert ring == [8, 9, 6, 7]

# %% [markdown]
# The slots are out of order, which does not matter to a softmax if each key carries its position. Does `RingCache`
# give the outputs of a full pass that masks far keys?

# %%
torch.manual_seed(0)
layer, x = RelativeAttention(16, 2, RoPE(8), causal=True), torch.randn(1, 40, 16)
ring = RingCache(4)
with torch.no_grad():
    by_ring = torch.cat([layer(x[:, i : i + 1], cache=ring) for i in range(40)], dim=1)
    at_once = layer(x, mask=torch.tensor(window_mask(40, w=4)))
print("40 tokens read; keys in the cache:", tuple(ring.k.shape), "(batch, heads, slots, channels)")
assert torch.allclose(by_ring, at_once, atol=1e-6)

# %% [markdown]
# So the ring holds all that the layer needs, *as long as the text only grows*. Now drop the last two tokens, as
# after a rejected draft. A new token 38 needs token 35, which token 39 has overwritten. To go back, keep a copy from
# before the draft.

# %%
try:
    ring.take(slice(38))  # keep the first 38 tokens
except ValueError as error:
    print(error)
ring = RingCache(4)
with torch.no_grad():
    layer(x[:, :38], cache=ring)
    before = copy.deepcopy(ring)
    layer(torch.randn(1, 2, 16), cache=ring)  # a draft of two tokens, which are rejected
    assert torch.allclose(layer(x[:, 38:], cache=before), at_once[:, 38:], atol=1e-6)

# %% [markdown]
# **What does it save?** The smaller gpt-oss model has 24 layers, with 8 heads of 64 channels for keys and values. Every
# second layer has a window of 128. How much of the memory remains?


# %%
def cache_mib(layers, heads, channels, tokens, window=None):
    """MiB (2²⁰ bytes) of keys and values, with 2 bytes per number."""
    return 2 * layers * heads * channels * min(tokens, window or tokens) * 2 / 2**20


half = cache_mib(12, 8, 64, 131_072)
print(f"gpt-oss, 131,072 tokens: {2 * half:,.0f} MiB without windows, "
      f"{half + cache_mib(12, 8, 64, 131_072, window=128):,.0f} MiB with every second layer windowed")

# %% [markdown]
# ## How far do layers reach?
#
# Take "The cat sat on mat" with $w = 3$. In the second layer, *mat* reads *sat*, which has read *The* in the first. So
# *mat* can know something about *The*, outside its window.
#
# How far do three such layers reach? The gradient of the last output is zero for every input that cannot change it.

# %%
layers, x = [RelativeAttention(8, 2, SlidingWindow(3), causal=True) for _ in range(3)], torch.randn(1, 20, 8)
for count in (1, 2, 3):
    start = x.clone().requires_grad_()
    y = start
    for layer in layers[:count]:
        y = layer(y)
    (gradient,) = torch.autograd.grad(y[0, -1].sum(), start)
    reach = 19 - int(gradient[0].abs().sum(-1).nonzero().min())  # the first of the 20 inputs that counts
    print(f"{count} layer{'s' * (count > 1)} with w = 3 reach {reach} tokens back")
    assert reach == count * (3 - 1)

# %% [markdown]
# $N$ layers reach at most $N (w - 1)$ tokens back.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Two layers have windows of 64. A fact stated 100 tokens ago is needed now. Can the model know it?",
    options={
        "No: the fact is outside the window":
            "Each window ends before it, but a token in between may have copied it.",
        "Yes, because the two layers reach 126 tokens":
            "They can reach it. But a token in between must have copied the fact, and nothing forces it to.",
        "Only if a token in between has passed it on":
            "Yes. Reach makes it possible, and training has to make it happen.",
    },
    answer="Only if a token in between has passed it on",
)

# %% [markdown]
# ## A head that finds nothing
#
# The weights of a row sum to 1, so a head must give its weight to some key. In [[released_model|chapter #]], many heads
# of SmolLM2 gave most of it to token 0, such as head 18.8 (layer 18, head 8). It reads a text, then the same with
# another first word.

# %% tags=["nbval-ignore-output"]
model = released.load()
text = model.encode("The cat sat on the mat")
other = text.clone()
other[0] = 12345  # another word


def head(text, **changes):
    """The weights of head 18.8 when it reads a text, with something changed in the model."""
    with model.changed(**changes):
        return model.attention(text, layer=18, head=8)


def draw(weights, text, title):
    words = [word.strip() for word in model.tokens(text)]
    return figures.heatmap(weights.numpy(), words, words, digits=2, title=title, alt=title, corner="query ↓ key →")


assert head(text)[:, 0].min() > 0.9
figures.side_by_side(draw(head(text), text, "As it is"), draw(head(other), other, "Another token 0"))

# %% [markdown]
# Nearly all the weight goes to token 0. This is an **attention sink** (Xiao et al. 2023). Why token 0?
# Hardly because of its word. And not because of position 0, which a model with RoPE cannot see: if we move all
# positions by 3,000, all weights stay. But token 0 is the only one that can attend only to itself. Is that the cause?
# We let token 3, *on*, attend only to itself, too.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Token 3 can attend only to itself. Where will head 18.8 look from tokens 4 and 5?",
    options={
        "At token 0, as before": "Token 3 now sees what token 0 sees: itself.",
        "At token 3": "Token 3 is now a sink. But nothing has changed for token 0.",
        "At both, about equally": "Yes. Both can attend only to themselves, and both are sinks.",
    },
    answer="At both, about equally",
)

# %% tags=["hide-output", "nbval-ignore-output"]
n = len(text)
assert torch.allclose(head(text, positions=torch.arange(n) + 3000), head(text), atol=0.01)
mask = torch.ones(n, n, dtype=torch.bool)
mask[3, :3] = False  # token 3 does not see tokens 0, 1 and 2
two = head(text, mask=mask)
assert two[4:, [0, 3]].min() > 0.4
draw(two, text, "Token 3 sees only itself")

# %% [markdown]
# Token 3 is a second sink. And elsewhere? In each of five texts, we let seven tokens see only themselves, one at a time
# (committed runs). Later queries gave such a token this weight, in head 18.8 and (mean of all heads) from layer 12 on.

# %%
alone = [row for row in committed("new sinks") if "head 18.8" in row and row["condition"].startswith("token")]
for who in ("head 18.8", "from layer 12"):
    weights = [row[who] for row in alone]
    print(f"{who:14} {len(weights)} tokens get {min(weights):.2f} to {max(weights):.2f}")

# %% [markdown]
# So in this model, **a token becomes a sink if it can attend only to itself**.
#
# ## Where it arises, and what it holds
#
# What marks token 0 inside the model? Each layer receives one vector per token. Here are the largest absolute number in
# this vector, the weight on token 0 (mean of all heads and later queries), and the length of the value, as means over
# four texts.

# %%
texts = committed("sink by layer", condition="as released")
names = ("residual 0", "residual", "weight", "value 0", "value")
mean = {name: np.mean([row[name] for row in texts], axis=0) for name in names}
fig, (largest, weight, value) = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained")
largest.semilogy(mean["residual 0"], label="token 0")
largest.semilogy(mean["residual"], label="largest of each other token (median)")
largest.set(title="largest number", xlabel="layer")
largest.legend()
weight.plot(mean["weight"])
weight.set(title="mean weight of token 0", xlabel="layer")
value.plot(mean["value 0"], label="token 0")
value.plot(mean["value"], label="other tokens")
value.set(title="length of the value", xlabel="layer", ylim=0)
value.legend()
for name, layers in {"3 to 9": slice(3, 10), "12 to 29": slice(12, 30)}.items():
    print(f"layers {name}: token 0 gets {mean['weight'][layers].min():.2f} to {mean['weight'][layers].max():.2f}")
assert mean["weight"][[0, 1, 11]].max() < 0.01 and mean["weight"][12:].min() > 0.2
figures.show(fig, alt="By layer: the largest number of token 0 is some hundreds in layers 3 to 9, small in layer 11, and "
    "about ten thousand or more from layer 12 on. The median of the other tokens stays below a thousand. The weight on "
    "token 0 follows its largest number. Where this is large, its value is shorter than others.")

# %% [markdown]
# Sun et al. (2024) call a number a **massive activation** if it is above 100 and at least about a thousand times the
# median size, which the picture does not show. Token 0 enters the layers from 12 to 28 with one, and there it gets the
# most weight. Its value is short, so a head that looks at it adds little to the output. But the model needs this little
# (*Deeper*).
#
# ## A window without the sink, and with it
#
# The model reads *Alice* with a window of 64 in all layers. From query 64 on, token 0 is outside. Then we give the
# cache an extra slot for token 0 or, as a control, for token 20. Last, we give it none, but every 32nd token sees only
# itself. Which changes break the model?

# %% tags=["hide-output", "nbval-ignore-output"]
alice = model.encode(released.excerpt("alice"))[:192]
full, rise, place = model.losses(alice), {}, torch.arange(192)
self_only = {"mask": (place[:, None] % 32 > 0) | (place[:, None] == place)}
cases = {
    "window of 64": {"window": 64},
    "window of 64, token 20 kept": {"window": 64, "sinks": [20]},
    "window of 64, token 0 kept": {"window": 64, "sinks": [0]},
    "window of 64, every 32nd alone": {"window": 64, **self_only},
    "no window, every 32nd alone": self_only,
}
for name, changes in cases.items():
    with model.changed(**changes):
        rise[name] = (model.losses(alice) - full)[64:].mean()
    print(f"{name:32} the loss from query 64 on rises by {rise[name]:.2f} nats")
assert rise["window of 64, token 0 kept"] < 0.5 * rise["window of 64, token 20 kept"]
assert rise["window of 64, every 32nd alone"] < 0.6 * rise["window of 64"]

# %% [markdown]
# With token 0 the rise is small, though all other far keys are gone. Without it, the rise is large, and token 20 does
# not help. Tokens that see only themselves help in part, although this alone costs something (last line). Here are five
# texts, with a control: every 32nd token sees one token more.

# %%
for condition in ("", ", kept [0]", ", every 32nd sees itself only", ", every 32nd sees itself and one more"):
    found = np.array([row["difference"] for row in committed("new sinks", condition="window 64" + condition)])
    error = found.std(ddof=1) / len(found) ** 0.5
    print(f"window 64{condition:38} {found.mean():+.2f} ± {error:.2f}  texts:", *(f"{x:.2f}" for x in found))

# %% [markdown]
# With tokens that see only themselves, nearly half of the rise is gone. If each sees one token more, this helps about
# as much in the first text and the last, and hardly in the others.
#
# So for this model, a ring should also **keep the first token**: `RingCache(64, keep=1)`.
#
# ## A sink without a token
#
# gpt-oss (OpenAI 2025) learns one number $a_h$ for each head $h$ and adds $e^{a_h}$ to the denominator:
#
# $$\text{weight}_{ij} = \frac{e^{s_{ij}}}{e^{a_h} + \sum_k e^{s_{ik}}}$$
#
# This acts like one more key with score $a_h$ and value 0. For the scores $\ln 1, \ln 2, \ln 3$ and $a = \ln 2$, how
# much of the weight goes to no key?

# %%
from course_lib.reference.sink import softmax_with_sink

s = np.log([1, 2, 3])
for name, a in (("no sink", -np.inf), ("a = ln 2", np.log(2))):
    weights = softmax_with_sink(s, a)
    print(f"{name:9} weights {weights}, sum {weights.sum():.4f}")
assert np.allclose(softmax_with_sink(s, np.log(2)), [1 / 8, 2 / 8, 3 / 8])

# %% [markdown]
# The denominator is $2 + 6 = 8$, so a quarter of the weight goes to no key.
#
# ## Layers without positions
#
# A layer without positions (*NoPE*) has no rotations, so a long text brings no new angles. But by itself it knows of
# the order only what the causal mask reveals. A **hybrid** puts it above layers with positions. In Cohere's Command
# A, three of four layers have RoPE in a window, and every fourth reads the whole text without positions.
#
# In long texts, do missing positions help, or the window? The study trained models of two layers at 128 tokens:
#
# - `window-64`: RoPE in a window of 64 in both layers;
# - `window-64+none`, the hybrid: above such a window, a layer that sees everything, without positions;
# - `window-64+rope`: the same with RoPE above;
# - `rope+none`: the hybrid without the window;
# - `none`: no positions, no window.
#
# Which keep their loss in text, and which find the value of a far name (retrieval)?

# %% tags=["hide-output"]
from course_chapters import measured, questions

print(f"{'at 1,024 tokens':16} {'rise of the loss in text':>26} {'retrieval':>12} {'flip-flop':>12}")
for scheme in ("window-64", "window-64+rope", "rope+none", "none", "window-64+none"):
    seeds = [measured.losses(scheme, task, what="accuracy") for task in (measured.NAMES, measured.BITS)]
    spans = [f"{100 * right[:, -1].min():.0f}–{right[:, -1].max():.0%}" if right[:, 0].min() > 0.9 else "–" for right in seeds]
    rises = " ".join(f"{rise:+.2f}" for rise in measured.rises(scheme))
    print(f"{scheme:16} {rises:>26} {spans[0]:>12} {spans[1]:>12}")
print(f"{'guessing':16} {'':26} {1 / 8:12.0%} {1 / 2:12.0%}   – some seed has not learned it at 128 tokens")

# %% [markdown]
# `window-64` reaches 126 tokens back, and the names are farther, so it can only guess. RoPE above the window breaks in
# text and misses about half of the names, and `rope+none` does worse. `none` finds them, but even at 128 tokens its
# loss in text is much higher (committed runs). **In our two-layer models, the hybrid needs both halves**: a window
# below, and no rotations above. Its price is flip-flop (the last bit written), where it is nearer to guessing than
# `window-64`.
#
# ## Remember
#
# - A window of $w$ shows $w$ keys. $N$ layers reach $N(w - 1)$ tokens back, at most.
# - A ring of $w$ slots holds all that a windowed layer needs, as long as the text only grows.
# - In SmolLM2, a token becomes a sink if it can attend only to itself. It has massive activations and a short value.
# - A window that drops the sink breaks this model. One extra slot for the first token repairs most of this.
# - At 1,024 tokens, our small hybrid finds all far names at a level loss. With RoPE above, or without the window below,
#   it breaks.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
share = (6 * 131_072 + 18 * 1024) / (24 * 131_072)
figures.question(
    "A model has 24 layers. Every fourth reads the whole text, the others have windows of 1,024. At 131,072 tokens, "
    "about how much of the memory of a full cache does it need?",
    options={
        "1/128": "That would be so if all layers had windows: 1,024 is 1/128 of 131,072.",
        "A little more than 1/4": "Yes. The six full layers need a quarter, and the others hardly anything.",
        "3/4": "This is what it saves: the windowed layers are three quarters of all.",
    },
    answer="A little more than 1/4" if 0.25 < share < 0.26 else "3/4",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A chat model was trained on texts of 4,096 tokens. It writes well until its cache of the last 4,096 tokens is "
    "full, and then nonsense. Does it miss its sink, or are its positions too large? Which test tells these apart?",
    options={
        "A cache of the last 8,192 tokens":
            "Then the distances grow beyond 4,096, too. If the model breaks, this may be the cause.",
        "A cache of the last 1,000 tokens, and a text of 2,000":
            "Yes. Token 0 leaves it, and all positions are as in training. If the model breaks, it misses its sink.",
        "Another text of 5,000 tokens": "Both causes remain in every such text.",
    },
    answer="A cache of the last 1,000 tokens, and a text of 2,000",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "In another model, you hide token 0 from all later queries, and the loss hardly changes. Does this model work without "
    "a sink?",
    options={
        "Yes: the first token can be dropped from its cache":
            "A cache drops token 0 after later tokens have seen it. Then perhaps no other becomes the sink.",
        "Not shown: look at token 1":
            "Yes. Token 1 may have become the sink, as in SmolLM2. Or there never was one. The loss does not tell.",
        "No: every model needs a sink": "Not every model has one. Here the loss alone does not tell.",
    },
    answer="Not shown: look at token 1",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from a ring by hand to bugs of well-known libraries, and a test of use.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Another first word, and none
#
# A window of 96, in four texts. `kept` lists the tokens with extra slots. The last line has no window,
# but hides token 0 from all later tokens.

# %%
def table(*lines):
    """How much the loss of each text rises, in nats, ± its standard error: a row for each (experiment, condition)."""
    print(f"{'':40}", *[f"{row['text']:>12}" for row in texts])
    for experiment, condition in lines:
        rows = committed(experiment, condition=condition)
        shown = condition.replace("first 1 hidden from later ones", "no window, token 0 hidden")
        print(f"{shown:40}", *[f"{row['difference']:5.2f} ± {row['error']:.2f}" for row in rows])


window = "window 96, "
cases = ("kept []", "kept [0]", "another token 0 kept")
table(*[("windows", window + case) for case in cases], ("windows", "first 1 hidden from later ones"))

# %% [markdown]
# In these texts, another first word serves as well. Hiding token 0 from the beginning hardly does harm. Token 1 then
# attends only to itself, so it can become the sink.
#
# ## Deeper · A short key, and a short value
#
# The key of token 0 is short, too. Why does it get so much weight? In layer 20, means over the four texts:

# %%
in_20 = {name: np.mean([row[name][20] for row in texts]) for name in ("key 0", "key", "cosine 0", "cosine 50")}
print(f"length of the key: token 0 {in_20['key 0']:.1f}, other tokens {in_20['key']:.1f}")
print(f"cosine of queries with the key: of token 0 {in_20['cosine 0']:.2f}, of token 50 {in_20['cosine 50']:.2f}")

# %% [markdown]
# The queries point towards this key, and slightly away from that of token 50. And does the short value matter? Before a
# layer computes values, RMSNorm divides each vector by its size, and a vector with one huge number then looks nearly
# the same for every word. We give all later queries another value for token 0: the value that another first word would
# have, zeros, or the mean of the other values. Then we keep token 0 beside a window, with zeros and with its own value.

# %%
value = "value of token 0: "
cases = (value + "of another first token", value + "0", value + "mean of the others", window + "kept [0], its value 0")
table(*[("sink value", case) for case in cases], ("windows", window + "kept [0]"), ("windows", window + "kept []"))

# %% [markdown]
# The value of another first token hardly changes the loss, so the value says little about the text. But the model
# relies on it: zeros raise the loss in three texts (not clearly in *licence*), and the mean of the other values raises
# it more, in all four. Beside a window, token 0 with the value 0 is clearly better than none in *licence* alone.
#
# ## Deeper · At which position is a kept key?
#
# In a long text, the offset of a kept key grows beyond every offset of training. So Xiao et al. (*StreamingLLM*)
# number tokens by their *place in the cache*. Here a cache of four first and four recent tokens has just read token 9:

# %%
from course_lib.reference.sink import sink_positions

kept, numbered = sink_positions(10, first=4, w=4)
print("tokens in the cache:", kept)
print("numbered:           ", numbered)
print("offsets of the first tokens: in the text", [j - kept[-1] for j in kept[:4]],
      "in the cache", [j - numbered[-1] for j in numbered[:4]])

# %% [markdown]
# From here on, the first tokens stay at −7 to −4. Does SmolLM2, made for 8,192 tokens, need this? Here
# are losses in *Alice*.

# %%
for n, condition in ((8192, "as released"), (8192, "window 1024, kept []"), (8192, "window 1024, kept [0]"),
                     (8192, "window 1024, kept [0], positions in the cache"),
                     (16384, "as released"), (16384, "window 1024, kept [0]")):
    (row,) = committed("by position", condition=condition, n=n)
    print(f"tokens {n // 2:,} to {n:,}, {condition:46} {row['loss']:.2f}")

# %% [markdown]
# Up to 8,192 tokens, the numbering hardly matters. And up to 16,384, where the model as released breaks, the
# window with token 0 reads on, with positions in the text. So beside near keys, the sink works at all of these
# distances. (If all keys are seen, other words take its weight: [[stretching_rope|chapter #]].)
#
# ## Deeper · More keys, the same lead
#
# A layer that reads everything has another problem: many keys. Suppose that one of them scores 4 above all others.
# Among 64 keys it gets the weight $e^4 / (e^4 + 63)$. With more keys, what happens to this weight? We also let leads of
# 4 and 2 grow like $\ln n$.


# %%
def on_best(n, lead):
    return np.exp(lead) / (np.exp(lead) + n - 1)


for n in (64, 512, 4096):
    growth = np.log(n) / np.log(64)
    grown = [f"lead {lead * growth:.0f} gives {on_best(n, lead * growth):.3f}" for lead in (4, 2)]
    print(f"{n:5,} keys: lead 4 gives {on_best(n, 4):.3f}; grown,", ", ".join(grown))

# %% [markdown]
# The best key keeps its lead but loses its weight, because the denominator grows. If a lead of 4 grows like $\ln n$, it
# loses far less. (One of 2 still loses most.) A **length-aware scale** makes leads grow: each head learns a number
# $g_h$ and multiplies the query at position $p$ by $g_h \ln(p + 1)$ (Nakanishi 2025). At the start, $g_h = 1 / \ln 64$
# for training texts of 64 tokens. Then leads of 4 should grow as above, in NumPy and in a layer.

# %%
from course_lib.nn.query_scale import LogScale
from course_lib.reference.query_scale import log_scale, scaled

factors = log_scale(np.arange(4096), length=64)
leads = scaled(np.full((4096, 1), 4.0), factors)[:, 0]  # queries of 4, and keys of 1
print("lead 4 at the end of 64, 512 and 4,096 tokens:", leads[[63, 511, 4095]])

layer = RelativeAttention(d_model=1, n_heads=1, position=LogScale(1, length=64)).double()
torch.nn.init.eye_(layer.query.weight)
torch.nn.init.eye_(layer.key.weight)
queries, one_key = torch.full((1, 4096, 1), 4.0), torch.ones(1, 1, 1)
in_torch = layer.scores(queries.double(), one_key.double())
assert np.allclose(in_torch.detach().flatten(), leads)

# %% [markdown]
# Llama 4's layers without positions multiply the query by $1 + 0.1 \ln(1 + \lfloor (p + 1) / 8192 \rfloor)$. This is 1
# up to position 8,190. Ministral 3 has such a scale in all layers, with RoPE. In Mistral Large 4, each head learns the
# two numbers of $s_h \ln(p + 1) + b_h$.
#
# ## Deeper · The released code, and a fused kernel
#
# A fused kernel needs no change for a learned sink if it also returns the *log-sum-exp* $\text{lse}_i =
# \ln \sum_k e^{s_{ik}}$. The output with a sink is the plain output times $\sigma(\text{lse}_i - a_h)$, where
# $\sigma(x) = 1 / (1 + e^{-x})$.

# %%
values = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
plain, lse, a = softmax_with_sink(s, -np.inf) @ values, np.log(6), np.log(2)
share = 1 / (1 + np.exp(-(lse - a)))
print("plain output", plain, f"times {share:.2f} =", share * plain)
assert np.allclose(share * plain, softmax_with_sink(s, a) @ values)

# %% [markdown]
# Our window equals the mask that `transformers` uses for Mistral. (Mistral's paper, Jiang et al. 2023, says $i - w$ to
# $i$, which would be $w + 1$ keys.) For encoders, the mask function of `transformers` takes a window of 64 as 64 keys
# to *each* side, so 129 in total. A grid that you pass as the mask *replaces* a model's windows, so draw them into it.
# Our sink equals gpt-oss's function.

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("transformers is not installed: pip install transformers")
else:
    from types import SimpleNamespace

    from transformers import masking_utils
    from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward

    i, j = torch.arange(200)[:, None], torch.arange(200)
    causal = masking_utils.sliding_window_causal_mask_function(3)(0, 0, i, j)
    assert np.array_equal(causal.numpy(), window_mask(200, w=3))
    both_sides = masking_utils.sliding_window_bidirectional_mask_function(64)(0, 0, i, j)
    print("keys in an encoder's window of 64:", int(both_sides[100].sum()))

    q, k, v = torch.zeros(1, 1, 1, 1), torch.zeros(1, 1, 3, 1), torch.tensor(values, dtype=torch.float32)[None, None]
    module = SimpleNamespace(num_key_value_groups=1, sinks=torch.tensor([np.log(2)]), training=False)
    added = torch.tensor(s, dtype=torch.float32)[None, None, None]  # the scores ln 1, ln 2, ln 3, as a mask
    output, _ = eager_attention_forward(module, q, k, v, added, 1.0)
    print("gpt-oss, a = ln 2:", output.flatten().numpy())
    assert np.allclose(output.flatten(), softmax_with_sink(s, np.log(2)) @ values, atol=1e-6)

# %% [markdown]
# The course's check-up reads one repeated token in a tiny gpt-oss with a window of 8. Queries and sink are 0. What is
# the curve, $\ln(w_{ij} / w_{ii})$ by distance, and what is the weight of the sink?

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is not None:
    from transformers import GptOssConfig, GptOssForCausalLM

    from course_lib.checkup import checkup

    sizes = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "head_dim": 16}
    sizes |= {"num_attention_heads": 1, "num_key_value_heads": 1, "num_local_experts": 4, "sliding_window": 8}
    tiny = GptOssForCausalLM(GptOssConfig(**sizes, layer_types=["sliding_attention"])).eval()
    for numbers in (*tiny.model.layers[0].self_attn.q_proj.parameters(), tiny.model.layers[0].self_attn.sinks):
        torch.nn.init.zeros_(numbers)
    found = checkup(tiny)
    [share] = [check.number for check in found.checks if check.name == "weight of a learned sink"]
    print("curve:", found.curves[0][0], f"weight of the sink: {share:.4f}, and 1/9 = {1 / 9:.4f}")
    row = window_row(192, w=8)[:192]
    assert np.allclose(found.curves[0], row[np.isfinite(row)], atol=1e-5)
    assert np.isclose(share, 1 - softmax_with_sink(np.zeros(8), 0).sum(), atol=1e-5)

# %% [markdown]
# ## Deeper · What released models do
#
# **Sinks.** DeepSeek-V4 learns a sink for each head, too, and so does MiMo-V2-Flash in its windowed layers. In
# Qwen3-Next a head's output is multiplied by an **output gate**, numbers between 0 and 1 computed from the query's
# token. Qiu et al. (2025) report that this reduces sinks and massive activations. What is a sink good for? Barbero et
# al. (2025) argue that it keeps tokens from mixing too much.
#
# **Hybrids.** In SmolLM3, every fourth layer has no positions, but the others have no window. In
# Kimi Linear and OLMo Hybrid, most layers are *linear* ones, whose memory does not grow with the text. They carry the
# order of the words, and the full layers have no positions. *DroPE* (Gelberg et al. 2025) removes RoPE after training.
#
# **Norms.** Many models normalise queries and keys. A norm with a learned weight for each channel must come *before*
# the rotation. After it, unequal weights in a pair would make scores depend on more than the offset.
#
# ## Deeper · Easy to believe; let us run it

# %%
questions.claims("windows_and_sinks")

# %% [markdown]
# **Sources** A. Q. Jiang et al., *Mistral 7B*, 2023, "Sliding window attention" · G. Xiao et al., *Efficient Streaming
# Language Models with Attention Sinks*, 2023, section 3.2 · M. Sun et al., *Massive Activations in Large Language
# Models*, 2024 · F. Barbero et al., [Why do LLMs attend to the first
# token?](https://arxiv.org/abs/2504.02732), 2025 · OpenAI, the code of gpt-oss, 2025 · Z. Qiu et al., [Gated
# Attention](https://arxiv.org/abs/2505.06708), 2025 · B. Yang et al., [RNoPE-SWA](https://arxiv.org/abs/2501.18795),
# 2025 · K. Nakanishi, *Scalable-Softmax*, 2025 · Y. Gelberg et al., [DroPE](https://arxiv.org/abs/2512.12167), 2025 ·
# Kimi Team, *Kimi Linear*, 2025 · the code of `transformers` (Cohere2, Llama 4, Qwen3-Next).
