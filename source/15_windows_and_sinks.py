# %% [markdown]
# # [[title]]
#
# In a long text, a decoder compares each new token with every earlier one, and must keep all their keys and values.
# Many models therefore let some layers read only the most recent tokens. This chapter builds such windows. What
# happens when the first token leaves the window? And does a model that handles a long text also *use* it?
#
# **You will be able to**
# - limit a layer to a window, and compute its reach and the memory it saves;
# - build a model with an attention sink, break it with a window, and repair it;
# - say what a layer without positions adds above a window;
# - test whether a model uses a long text.
#
# **You need** chapters [[bias_by_hand|#]] (bias), [[rope|#]] (rotation), [[fast_attention|#]] (cache) and
# [[longer_than_training|#]] (the study, the span). **Time** [[time]].

# %%
from copy import deepcopy
from functools import partial
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn.functional import one_hot

import course_study as study
from course_kit import figures
from course_lib.nn.cache import RingCache
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE, rotate
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)

# %% [markdown]
# ## A window by hand
#
# A **sliding window** of $w$ shows each query the last $w$ keys, and its own key is one of them. So it looks $w - 1$
# tokens back. For six tokens and $w = 3$:

# %%
w = 3
for i in range(6):
    seen = [j for j in range(6) if i - w < j <= i]
    print(f"query {i} sees keys {seen}")

# %% [markdown]
# A window is a bias with one number per offset: 0 inside, and $-\infty$ outside, where the weight becomes $e^{-\infty}
# = 0$. One row of these numbers serves all queries. (It treats both sides alike; the causal mask hides all later keys.)

# %%
from course_lib.reference.sliding_window import window_bias, window_mask, window_row

print("offsets −3 … 3:", window_row(4, w=3))
mask = window_mask(6, w=3)
assert mask.sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3]
assert ((window_bias(6, w=3) == 0) & np.tri(6, dtype=bool) == mask).all()
figures.heatmap(mask.astype(int), alt="A window of three: 1 where a query looks", corner="query ↓ key →")

# %% [markdown]
# Inside the window, a layer usually has RoPE, too:

# %%
figures.attention_block("sliding window")

# %% [markdown]
# The edge of a window is easily wrong by one. The paper on Mistral 7B (Jiang et al. 2023) says that a token attends to
# the positions from $i - w$ to $i$, which are $w + 1$ keys. Mistral's one-file version masks a prompt like that, but
# its ring holds $w$. `transformers` and this course show $w$.
#
# ## The cache becomes a ring
#
# While a model writes, a cache keeps the keys and values of earlier tokens ([[fast_attention|chapter #]]). With a
# window, a key that is $w$ or more tokens old is never read again. So $w$ slots are enough: token $p$ goes into slot
# $p \bmod w$ and overwrites token $p - w$.

# %%
ring = [None] * 4
for p in range(10):
    ring[p % 4] = p
    print(f"token {p} into slot {p % 4}:", ring)
assert ring == [8, 9, 6, 7]

# %% [markdown]
# The slots are out of order, but a softmax does not depend on the order of its keys. Each key only has to carry its own
# position, as a rotated key does. Does the library's `RingCache` change any output? We compare it with a full pass
# whose mask hides the far keys.

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
# **What does it save?** A cache holds a key and a value for each layer, head and token. Mistral 7B has 32 layers, 8
# heads of keys and values with 128 channels, and 2 bytes per number. The smaller gpt-oss model has 24 layers with 8
# such heads of 64 channels, and only every second layer has a window, of 128 tokens.


# %%
def cache_mib(layers, heads, channels, tokens, window=None):
    """MiB (2²⁰ bytes) of keys and values, with 2 bytes per number."""
    return 2 * layers * heads * channels * min(tokens, window or tokens) * 2 / 2**20


print(f"Mistral 7B, 32,768 tokens: {cache_mib(32, 8, 128, 32_768):,.0f} MiB in full, "
      f"{cache_mib(32, 8, 128, 32_768, window=4096):,.0f} MiB with windows of 4,096")
half = cache_mib(12, 8, 64, 131_072)
print(f"gpt-oss, 131,072 tokens: {2 * half:,.0f} MiB in full, "
      f"{half + cache_mib(12, 8, 64, 131_072, window=128):,.0f} MiB with every second layer windowed")

# %% [markdown]
# If every second layer keeps everything, half of the memory is still needed, however small the windows.
#
# ## How far do layers reach?
#
# A window of five looks four tokens back. But the token four places back has itself read four back, in the layer below.
# How far does an influence travel through three layers? The gradient of the last output shows which inputs change it.

# %%
stack, x = [RelativeAttention(8, 2, SlidingWindow(5), causal=True) for _ in range(3)], torch.randn(1, 20, 8)
for count in (1, 2, 3):
    start = x.clone().requires_grad_()
    y = start
    for layer in stack[:count]:
        y = layer(y)
    (gradient,) = torch.autograd.grad(y[0, -1].sum(), start)
    reach = 19 - int(gradient[0].abs().sum(-1).nonzero().min())
    print(f"{count} layer{'s' * (count > 1)} with w = 5 reach {reach} tokens back")
    assert reach == count * (5 - 1)
print(f"32 layers with w = 4,096 would reach {32 * 4095:,}")

# %% [markdown]
# $N$ layers reach $N (w - 1)$ tokens back. This is an upper limit.

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
# The weights of a row sum to 1. So a head must give its weight to some key. Where does it go when no key is useful?
#
# We need a task in which a head often finds no useful key. A text is a random sequence of facts ("A is red") and
# questions ("A?"). Each is one token. There are eight names and four colours, and within a text a name keeps its
# colour. The answer is the colour if the text has already stated it, and otherwise *nothing*. Each text begins with the
# same token, `⟨start⟩`.


# %%
NAMES, COLOURS = "ABCDEFGH", ("red", "blue", "green", "yellow")
QUESTION = 8 * 4  # a fact is the token name · 4 + colour, a question QUESTION + name
START, NOTHING = QUESTION + 8, 4  # a token; an answer


def facts(generator, n=24, batch=32, start=True, window=None):
    """Texts (batch, n) and answers, −100 where nothing is asked. With a window, older facts do not count."""
    colours = torch.randint(4, (batch, 8), generator=generator)
    names = torch.randint(8, (batch, n), generator=generator)
    asks = torch.rand(batch, n, generator=generator) < 0.5
    if start:
        asks[:, 0] = True  # so that the token which START replaces states no fact
    colour = colours.gather(1, names)
    stated = (one_hot(names, 8) * ~asks[..., None]).cumsum(1)
    if window:
        stated[:, window:] -= stated[:, :-window].clone()
    known = stated.gather(2, names[..., None])[..., 0] > 0
    answers = torch.where(asks, torch.where(known, colour, NOTHING), -100)
    tokens = torch.where(asks, QUESTION + names, names * 4 + colour)
    if start:
        tokens[:, 0], answers[:, 0] = START, -100
    return tokens, answers


# %% [markdown]
# One text, with its answers:


# %%
def in_words(token):
    if token == START:
        return "⟨start⟩"
    return f"{NAMES[token - QUESTION]}?" if token >= QUESTION else f"{NAMES[token // 4]} is {COLOURS[token % 4]}"


tokens, answers = facts(torch.Generator().manual_seed(3), n=12, batch=1)
for token, answer in zip(tokens[0].tolist(), answers[0].tolist()):
    print(f"{in_words(token):12}", "" if answer < 0 else f"→ {(*COLOURS, 'nothing')[answer]}")

# %% [markdown]
# One layer with RoPE learns this. A second model learns from texts without `⟨start⟩`. It is a control for later,
# because it cannot come to depend on that token. Each is trained with three seeds.

# %% tags=["nbval-ignore-output"]
models = {True: [], False: []}  # with ⟨start⟩ and without


def one_layer(start):
    models[start].append(study.OneLayer(RoPE(32), START + 1, NOTHING + 1, causal=True))
    return models[start][-1]


for start in (True, False):
    name = "with ⟨start⟩" if start else "without"
    learned = study.fit({name: partial(one_layer, start)}, partial(facts, start=start), steps=120)
    print(f"{name:13}", *(f"{accuracy:6.1%}" for accuracy in learned[name]))
    assert min(learned[name]) > 0.85

# %% [markdown]
# Where does the head look? We take the third seed with `⟨start⟩` and write a text that asks *A?* before and after the
# fact about A.


# %% tags=["nbval-ignore-output", "prints-only"]
@torch.no_grad()
def head_scores(model, tokens):
    """The scores of the layer's only head, −∞ for later keys, (batch, n, n)."""
    layer, x = model.attention, model.embedding(tokens)
    s = rotate(layer.query(x)) @ rotate(layer.key(x)).mT / 32**0.5
    return s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)


A, B, C, red, blue = 0, 1, 2, 0, 1
text = [START, QUESTION + A, A * 4 + red, QUESTION + B, QUESTION + A, C * 4 + blue, QUESTION + B, QUESTION + C]
words = [in_words(token) for token in text]
weights = head_scores(models[True][2], torch.tensor([text]))[0].softmax(-1)
figures.heatmap(weights.numpy(), words, words, digits=2, alt="Weights of the trained head", corner="query ↓ key →")

# %% [markdown]
# When the text has the answer, this head finds it: the second *A?* looks at *A is red*. When the answer is *nothing*,
# most of its weight goes to the first token. Such a key is called an **attention sink**. Xiao et al. (2023) found sinks
# at the first tokens of large language models.
#
# Does this hold in many texts? And are the answers right if we leave the value of `⟨start⟩` out of the sum?

# %% tags=["nbval-ignore-output"]
tokens, answers = facts(torch.Generator().manual_seed(5), batch=256)
for model in models[True]:
    on_start = head_scores(model, tokens).softmax(-1)[:, :, 0]
    nothing, colour = on_start[answers == NOTHING], on_start[(answers >= 0) & (answers < NOTHING)]
    print(f"weight on ⟨start⟩: {nothing.mean():.2f} if the answer is nothing, {colour.mean():.2f} if it is a colour")
    assert nothing.mean() > 0.2 > colour.mean()

right = []  # (with the value of ⟨start⟩, without) for each model
for model in models[True]:
    right.append([])
    for factor in (1, 0):  # of the weight on ⟨start⟩
        with torch.no_grad():
            x, weights = model.embedding(tokens), head_scores(model, tokens).softmax(-1)
            weights[:, :, 0] *= factor
            logits = model.read(x + model.attention.out(weights @ model.attention.value(x)))
        right[-1].append(float((logits.argmax(-1) == answers)[answers == NOTHING].float().mean()))
    print("right where the answer is nothing: {:.2f}, without the value of ⟨start⟩ {:.2f}".format(*right[-1]))
assert np.mean(right, axis=0)[0] > 0.95 > np.mean(right, axis=0)[1]

# %% [markdown]
# So the value of `⟨start⟩` carries a part of the answer *nothing*.

# %% [markdown]
# ## The first token leaves
#
# Now these models read 100 tokens with a ring of 16 slots. Only facts among the last 16 tokens decide the right answer,
# so none is farther away than in training.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "The ring no longer holds ⟨start⟩. Which answers will suffer?",
    options={
        "The colours": "A head that finds its fact does not look at ⟨start⟩.",
        "The answer “nothing”": "Yes. ⟨start⟩ carries a part of “nothing”. Now these queries look at other keys.",
        "None, because ⟨start⟩ contains no information":
            "The token is always the same. But training has put a part of “nothing” into its value.",
    },
    answer="The answer “nothing”",
)


# %% tags=["nbval-ignore-output"]
def read(model, cache, start=True, n=100):
    """Reads token by token. Shares of right answers after 32 tokens: where “nothing” is right, where a colour is."""
    tokens, answers = facts(torch.Generator().manual_seed(9), n, start=start, window=16)
    with torch.no_grad():
        x = model.embedding(tokens)
        attended = torch.cat([model.attention(x[:, i : i + 1], cache=cache) for i in range(n)], dim=1)
        right = (model.read(x + attended).argmax(-1) == answers)[:, 32:]
    answers = answers[:, 32:]
    colour = (answers >= 0) & (answers < NOTHING)
    return [float(right[places].float().mean()) for places in (answers == NOTHING, colour)]


found = {
    "ring, trained without ⟨start⟩": [read(model, RingCache(16), start=False) for model in models[False]],
    "ring": [read(model, RingCache(16)) for model in models[True]],
    "ring, first token kept": [read(model, RingCache(16, keep=1)) for model in models[True]],
}
for name, shares in found.items():
    print(f"{name:30}", "  ".join(f"nothing {a:.2f}, colour {b:.2f}" for a, b in shares))
kept, lost = (np.mean([a for a, _ in found[name]]) for name in ("ring, trained without ⟨start⟩", "ring"))
assert kept > 0.95 and lost < kept - 0.05

# %% [markdown]
# With the ring, the models still name colours well. But they often name a colour where they should say *nothing*,
# because the key that said so is gone. The control had no `⟨start⟩` to lose, and its *nothing* stays near 1.
#
# The obvious repair is to **keep the first token** in an extra slot: `RingCache(16, keep=1)`. That helps, but not
# fully. Why?
#
# ## At which position is a kept key?
#
# `⟨start⟩` keeps the rotation of position 0, and the last query is at position 99. So its offset is −99, but training
# had none beyond −23. Xiao et al. (*StreamingLLM*) therefore number the tokens by their *place in the cache*. Here a
# cache of four first and four recent tokens has just read token 9:

# %%
from course_lib.reference.sink import sink_positions

kept, numbered = sink_positions(10, first=4, w=4)
print("tokens in the cache:", kept)
print("numbered:           ", numbered)
print("offsets of the first tokens: in the text", [j - kept[-1] for j in kept[:4]],
      "in the cache", [j - numbered[-1] for j in numbered[:4]])

# %% [markdown]
# From here on, the first tokens stay at the offsets −7 to −4. Each time a token leaves, the recent keys' numbers fall
# by one. This cache stores keys *before* rotation.

# %% tags=["nbval-ignore-output"]
found["renumbered"] = [read(model, RingCache(16, keep=1, renumbered=True)) for model in models[True]]
for name in ("ring", "ring, first token kept", "renumbered"):
    print(f"{name:24}", "  ".join(f"nothing {a:.2f}" for a, _ in found[name]))
assert min(a for a, _ in found["renumbered"]) > 0.9

# %% [markdown]
# Now all three models say *nothing* when they should. So the sink must stay, and at an offset that the model knows.
# With such a cache a model can write texts of any length, but it cannot look at what has left the cache.
#
# ## A sink without a token
#
# gpt-oss (OpenAI 2025) learns one number $a_h$ for each head $h$ and adds $e^{a_h}$ to the denominator:
#
# $$\text{weight}_{ij} = \frac{e^{s_{ij}}}{e^{a_h} + \sum_k e^{s_{ik}}}$$
#
# This acts like one more key with score $a_h$ and value 0. For the scores $\ln 1, \ln 2, \ln 3$:

# %%
from course_lib.reference.sink import softmax_with_sink

s = np.log([1, 2, 3])
for name, a in (("no sink", -np.inf), ("a = 0", 0.0), ("a = ln 2", np.log(2))):
    weights = softmax_with_sink(s, a)
    print(f"{name:9} weights {weights}, sum {weights.sum():.4f}")
assert np.allclose(softmax_with_sink(s, np.log(2)), [1 / 8, 2 / 8, 3 / 8])
figures.attention_block("sink")

# %% [markdown]
# With $a = \ln 2$ the denominator is $2 + 6 = 8$, and a quarter of the weight goes to no key. A fused kernel needs no
# change for this, because it can also return the *log-sum-exp* $\text{lse}_i = \ln \sum_k e^{s_{ik}}$. The output with
# a sink is the plain output times $\sigma(\text{lse}_i - a_h)$, where $\sigma(x) = 1 / (1 + e^{-x})$.

# %%
values = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
plain, lse, a = softmax_with_sink(s, -np.inf) @ values, np.log(6), np.log(2)
share = 1 / (1 + np.exp(-(lse - a)))
print("plain output", plain, f"times {share:.2f} =", share * plain)
assert np.allclose(share * plain, softmax_with_sink(s, a) @ values)

# %% [markdown]
# Does a learned sink take over the job of `⟨start⟩`? It has no value, so the answer *nothing* must come from elsewhere.
# We train on texts with `⟨start⟩`, add a sink, and read with the ring, which drops `⟨start⟩`. At first all scores are
# near 0, so a sink that begins at $a = 4$ has most of the weight. With a sink that begins at 4 we expect more than 90 %
# of the answers *nothing* to be right; with one that begins at 0, fewer.

# %% tags=["nbval-ignore-output"]
sinks = {0: [], 4: []}


def with_sink(a):
    model = study.OneLayer(Combined(RoPE(32), Sink(1)), START + 1, NOTHING + 1, causal=True)
    nn.init.constant_(model.attention.position.sink(), a)
    sinks[a].append(model)
    return model


_ = study.fit({f"a = {a}": partial(with_sink, a) for a in sinks}, facts, steps=150, learning_rate=0.01)
weight_of = {}
for a in sinks:
    shares = [read(model, RingCache(16)) for model in sinks[a]]
    weight_of[a] = []
    for model, (nothing, _) in zip(sinks[a], shares):
        learned = model.attention.position.sink().item()
        lse = head_scores(model, tokens)[answers == NOTHING].logsumexp(-1)
        weight = float(torch.sigmoid(learned - lse).mean())
        weight_of[a].append(weight)
        print(f"from {a}: a = {learned:5.2f}, weight of the sink {weight:.3f}; with the ring, nothing right {nothing:.2f}")
assert np.mean(weight_of[4]) > 0.15 > 0.05 > np.mean(weight_of[0])

# %% [markdown]
# Where the answer is *nothing*, the sink that begins at 0 has hardly 1 % of the weight. So the model still relies on
# `⟨start⟩`. The sink that begins at 4 has about a third. Training hardly moved either number, so the start decides. In
# this run the models with the larger sink also lose less when `⟨start⟩` leaves the ring, but that depends on the seed.
#
# ## Layers without positions
#
# A layer without positions (*NoPE*) meets no new angles in a long text. But only the causal mask tells it about
# distance. Some models therefore mix: most layers have RoPE and a window, and every fourth has no positions and reads
# the whole text (Yang et al. 2025; Llama 4 has fixed chunks of text instead of windows).
#
# In the study's `window-64`, both layers have RoPE and a window of 64. In `window-64+none`, the second has no positions
# and no window. In `rope+none`, the first has RoPE without a window. (`none` has no positions at all.) Do their losses
# stay level, with the whole interval of the rise below 0.05 nats?

# %%
schemes = ("window-64", "window-64+none", "rope+none", "none", "rope")
rows = [row for row in study.committed("long-2000") if row["task"] == "characters" and row["scheme"] in schemes]
loss, far_masked = (study.curves(rows, what)["characters"] for what in ("loss", "far_masked"))
print(f"{'text, loss':16} at 128   at 1,024   rise           far keys masked   rise, 4,000 steps")
for scheme in schemes:
    at, rises = loss[scheme], []
    for steps in (2000, 4000):
        rise = study.rise(study.pick(study.committed(f"long-{steps}"), task="characters", scheme=scheme))
        rises.append(f"{rise.mean:+.3f} {study.verdict(rise)}")
    print(f"{scheme:16} {at[0].mean:6.3f} {at[3].mean:10.3f}   {rises[0]:14} {far_masked[scheme][3].mean:.3f}"
          f"{'':13}{rises[1]}")

# %% [markdown]
# The hybrid with a window is level after 2,000 steps, but not after 4,000 (its interval passes 0.05). `rope+none`
# breaks as RoPE does. At 1,024, windows in both layers are slightly better than the hybrid. And with far keys masked,
# `window-64+none` gets slightly *better*: its second layer reads the whole text and gains nothing from it. Can that
# layer not use far keys, or does this text not need them?
#
# ## A test of use
#
# The study's characters cannot decide, because windows alone predict them no worse. So we build texts of random words,
# with one word in the first half marked. In the second half, about every second token is `ASK`, and its answer is the
# marked word (a *far* question). Each word that does not follow `ASK` is a *near* question: which word is just before
# it? Guessing is right once in eight.


# %%
ASK = 16  # words are 0 … 7, and 8 … 15 if marked


def near_and_far(generator, n=32, batch=16):
    tokens = torch.randint(8, (batch, n), generator=generator)
    place = torch.randint(n // 2, (batch,), generator=generator)
    tokens[torch.arange(batch), place] += 8
    marked = tokens[torch.arange(batch), place]
    asks = torch.rand(batch, n, generator=generator) < 0.5
    asks[:, : n // 2] = False
    tokens[asks] = ASK
    before = tokens.roll(1, 1)
    before[before == ASK] = -100
    before[:, 0] = -100
    return tokens, torch.where(asks, marked[:, None], before)


tokens, answers = near_and_far(torch.Generator().manual_seed(18), n=16, batch=1)
print("text   ", *(f"{'ASK' if x == ASK else f'{x - 8}*' if x > 7 else x:>3}" for x in tokens[0].tolist()), "   * marked")
print("answers", *(f"{'·' if x < 0 else f'{x - 8}*' if x > 7 else x:>3}" for x in answers[0].tolist()), "   · not asked")

# %%
class TwoLayers(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.embedding, self.read = nn.Embedding(17, 32), nn.Linear(32, 17)
        self.layers = nn.ModuleList(RelativeAttention(32, 1, p, causal=True) for p in (first, second))

    def forward(self, tokens, mask=None):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = x + layer(x, mask=mask)
        return self.read(x)


# %% [markdown]
# We train two models on texts of 32 tokens: one with windows of 8 in both layers, and a hybrid with a window of 8 below
# a layer without positions. At 1,024 tokens we expect both to answer near questions, and only the hybrid to answer far ones.


# %% tags=["nbval-ignore-output", "prints-only"]
def window():
    return Combined(RoPE(32), SlidingWindow(8))


kinds = {
    "windows": lambda: TwoLayers(window(), window()),
    "window, none": lambda: TwoLayers(window(), Position()),
    "none, window": lambda: TwoLayers(Position(), window()),  # this and the next two are for later
    "none, none": lambda: TwoLayers(Position(), Position()),
    "RoPE": lambda: TwoLayers(RoPE(32), RoPE(32)),
}
made = {name: [] for name in kinds}


def recorded(name):
    """A function that makes a model and also keeps it in `made`."""
    def make():
        made[name].append(kinds[name]())
        return made[name][-1]
    return make


two = {name: recorded(name) for name in ("windows", "window, none")}
_ = study.fit(two, near_and_far, steps=150, learning_rate=0.005)


# %% tags=["nbval-ignore-output"]
def near_far(model, n, masked=False):
    """Shares of right answers in the last 16 tokens: near questions, far questions."""
    tokens, answers = near_and_far(torch.Generator().manual_seed(3), n, batch=32)
    mask = torch.tensor(window_mask(n, w=32)) if masked else None
    with torch.no_grad():
        right = (model(tokens, mask).argmax(-1) == answers)[:, -16:].float()
    asks, near = tokens[:, -16:] == ASK, answers[:, -16:] >= 0
    return float(right[near & ~asks].mean()), float(right[asks].mean())


def show(what, shares):
    near, far = (" ".join(f"{share:4.0%}" for share in kind) for kind in zip(*shares))
    print(f"{what:31} near {near}   far {far}")


at = {(name, n): [near_far(model, n) for model in made[name]] for name in two for n in (32, 1024)}
for (name, n), shares in at.items():
    show(f"{name} at {n:,}:", shares)
windows, hybrid = ([far for _, far in at[name, 1024]] for name in two)
assert max(windows) < 0.35 and min(hybrid) > max(windows) + 0.4

# %% [markdown]
# Near questions show no difference. At 1,024 the windows can only guess the far answer, because two of them reach 14
# tokens. The hybrid finds most words, though they are five hundred to a thousand tokens away.
#
# Does it need the far keys for this? We mask all keys 32 or more back.

# %% tags=["nbval-ignore-output", "prints-only"]
for name in two:
    shares = [near_far(model, 1024, masked=True) for model in made[name]]
    show(f"{name} at 1,024, masked:", shares)

# %% [markdown]
# Without the far keys, the hybrid loses what it had gained. **If taking the far keys away costs nothing, the model does
# not need them.** That was so with the study's characters. If it costs something, they are needed, though perhaps only
# as a sink. In the study's task *retrieval*, a text begins with eight names, each with one of eight values, continues
# with filler, and ends by asking for every name. After each question, the text shows the answer.

# %%
print(f"{'retrieval, loss':16} at 128   at 1,024   at 1,024, far keys masked")
for scheme in ("window-64", "window-64+none"):
    runs = study.pick(study.committed("long-2000"), task="retrieval", scheme=scheme)
    lengths = [(row["loss"][0], row["loss"][3], row["far_masked"][3]) for row in runs]  # 3: at 1,024
    at_128, at_1024, hidden = np.mean(lengths, axis=0)
    print(f"{scheme:16} {at_128:6.3f} {at_1024:10.3f} {hidden:12.3f}   (seeds: {len(runs)})")
    assert at_128 < 1.25 and hidden > 2.5 and (at_1024 > 2.5) == (scheme == "window-64")
stated = one_hot(torch.randint(8, (10_000, 8), generator=torch.Generator().manual_seed(0)), 8).sum(1)  # of each value
left = (torch.lgamma(torch.tensor(9.0)) - torch.lgamma(stated + 1.0).sum(1)) / 8  # ln(8! / (m₁! m₂! …)) / 8
print(f"guessing: {np.log(8):.2f}   knowing which values are left: {left.mean():.2f}")

# %% [markdown]
# At 1,024 the windows cannot see the values and are worse than guessing. The hybrid is as good as at 128, but not
# without its far keys. So it uses a long text if training asks for it. But this does not show that it knows which value
# belongs to which name: a model that only strikes each shown answer off the list of values gets 1.05, too.
#
# **Your turn.** The two layers of the small hybrid change places. Guess what happens, then run the cell.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "No positions in the first layer, a window of 8 in the second. Which questions does the model get right at 1,024 tokens?",
    options={
        "Near questions only":
            "The window hides far keys in the second layer. But the first reads the whole text, and adds what it finds.",
        "Far questions only": "The near key is in the window of the second layer, which has RoPE.",
        "Both": "Yes. One layer has to find the far word and one the near word. Here both orders work.",
    },
    answer="Both",
)

# %% tags=["nbval-ignore-output", "prints-only"]
_ = study.fit({"none, window": recorded("none, window")}, near_and_far, steps=150, learning_rate=0.005)
exchanged = [near_far(model, 1024) for model in made["none, window"]]
show("none, window at 1,024:", exchanged)

# %% [markdown]
# ## Taking RoPE out again
#
# Gelberg et al. (2025) train *with* RoPE, remove it from all layers, and train a little more at the old length
# (**DroPE**). They report that large models then read longer texts and lose nothing at the old length. We try it on two
# layers with RoPE and without windows. The **baseline** keeps RoPE. Both get 40 further steps, a fifth of their
# training. A third model never has positions, with the same 240 steps.

# %% tags=["nbval-ignore-output", "prints-only"]
from course_study.one_layer import train


def trained_more(model):
    train(model, near_and_far, 40, 0.003, seed=7, advance=lambda: None)
    return model


def show_both(what, models):
    shares = [(near_far(model, 32)[0], near_far(model, 1024)[1]) for model in models]
    show(what, shares)


_ = study.fit({"RoPE": recorded("RoPE")}, near_and_far, steps=200, learning_rate=0.005)
print("near questions at 32 tokens, far questions at 1,024, with three seeds:")
show_both("RoPE", made["RoPE"])
show_both("RoPE, 40 further steps", [trained_more(deepcopy(model)) for model in made["RoPE"]])


# %% tags=["nbval-ignore-output", "prints-only"]
def dropped(model):
    model = deepcopy(model)
    for layer in model.layers:
        layer.position = Position()
    return model


print("near questions at 32 tokens, far questions at 1,024:")
show_both("RoPE removed", map(dropped, made["RoPE"]))
show_both("removed, 40 further steps", [trained_more(dropped(model)) for model in made["RoPE"]])

_ = study.fit({"none, none": recorded("none, none")}, near_and_far, steps=240, learning_rate=0.005)
show_both("never any positions", made["none, none"])

# %% [markdown]
# Compare two columns. Far questions at 1,024 tokens go better without RoPE in our two-layer models, as the paper
# reports. Near questions at 32 tokens go worse, and models that never had positions show how well they can go at all.
# With two layers and 40 steps, the numbers depend on the seed. The paper's models are far larger.
#
# ## More keys, the same lead
#
# A layer that reads everything has another problem: the number of keys. Suppose that one key scores 4 above all others.
# Among 64 keys it gets the weight $e^4 / (e^4 + 63)$. With more keys, what happens to this weight and to the row's
# span? We also try a lead that grows like $\ln n$.


# %%
def on_best(n, lead):
    return np.exp(lead) / (np.exp(lead) + n - 1)


def span(n, lead):
    """e^H of a row whose best key leads by `lead`."""
    row = np.r_[on_best(n, lead), np.full(n - 1, (1 - on_best(n, lead)) / (n - 1))]
    return np.exp(-np.sum(row * np.log(row)))


for n in (64, 512, 4096):
    grown = 4 * np.log(n) / np.log(64)
    print(f"{n:5,} keys: lead 4 gives {on_best(n, 4):.3f}, span {span(n, 4):7.1f};   "
          f"lead {grown:.0f} gives {on_best(n, grown):.3f}, span {span(n, grown):7.1f}")

# %% [markdown]
# The best key keeps its lead but loses its weight, because the denominator grows. With a lead that grows like $\ln n$,
# it still has 0.421 at 4,096 keys. A **length-aware scale** does this: each head learns a number $g_h$ and multiplies
# the query at position $p$ by $g_h \ln(p + 1)$ (Nakanishi 2025). Llama 4's layers without positions have a similar
# factor. It stays 1 up to position 8,190.
#
# In [[longer_than_training|chapter #]], some biases kept the span small because they ignored far keys. Can this scale
# keep it small without ruling out keys by distance?

# %%
sizes = 2 ** np.arange(4, 15)
fig, ax = plt.subplots(figsize=(5, 2.6))
ax.loglog(sizes, [span(n, 4) for n in sizes], "o-", base=2, label="lead 4 at every length")
ax.loglog(sizes, [span(n, 4 * np.log(n) / np.log(64)) for n in sizes], "s-", base=2, label="lead 4 ln n / ln 64")
ax.set(xlabel="keys", ylabel="span $e^H$")
ax.legend(fontsize=8)
c = 4 / np.log(64)
print(f"c = {c:.2f}, spans at 16,384 keys: {span(2**14, 4):,.0f} and {span(2**14, c * np.log(2**14)):,.0f}")
assert span(2**14, 4) > 16_000 and span(2**14, 4 * np.log(2**14) / np.log(64)) < 1000
figures.show(fig, alt="The span of a row by the number of keys. With a constant lead it approaches the number of keys; "
    "with a lead that grows as ln n it grows much more slowly")

# %% [markdown]
# It can, if the lead grows fast enough. With a constant lead, the row soon looks at everything evenly. With our growing
# lead, $c \ln n$ with $c = 0.96$, the span is an ever smaller share of the keys (612 of 16,384), but still grows. The
# best key's weight is $n^c / (n^c + n - 1)$. It approaches 1 if $c > 1$, and then the span approaches 1, too.

# %% [markdown]
# ## The released code (optional)
#
# Our window equals the mask that `transformers` uses for Mistral, and our sink equals gpt-oss's function. In encoders,
# `transformers` takes a window of 64 as 64 keys to *each* side, so 129 in total.

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
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("windows_and_sinks")

# %% [markdown]
# ## Remember
#
# - A window of $w$ shows $w$ keys, the query's own included. $N$ layers reach $N(w - 1)$ tokens back, at most.
# - A ring of $w$ slots holds all that a windowed layer needs. Layers that read everything take most of the memory.
# - A head that finds nothing must look somewhere. If training has made the first token that place, a window that drops
#   it spoils those answers. Keep it, at an offset that the model knows.
# - A learned sink $a_h$ takes such weight without a token, if training uses it.
# - A layer without positions above windowed layers can find a key far outside the windows. Whether it does depends on
#   training.
# - Level is not use. Ask for something far away. If masking the far keys costs nothing, the model does not need them.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
share = (6 * 131_072 + 18 * 1024) / (24 * 131_072)
figures.question(
    "A model has 24 layers. Every fourth reads the whole text, the others have windows of 1,024. At 131,072 tokens, about how "
    "much of the memory of a full cache does it need?",
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
    "A chat model works well until its cache of the last 4,096 tokens is full. Then it writes nonsense. What do you try first?",
    options={
        "A larger cache": "That only delays the failure.",
        "Keep the first tokens in the cache, and count positions in the cache":
            "Yes. The moment suggests that the model needs its first tokens as a sink.",
        "Train it again with windows": "That may help, too. But first try what needs no training.",
    },
    answer="Keep the first tokens in the cache, and count positions in the cache",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A report says: \"Our model has the same loss at 128,000 tokens as at 8,000, so it uses all of its context.\" What do you ask for?",
    options={
        "For the loss at 1,000,000 tokens":
            "A model with windows has a level loss there, too, and uses only the last tokens.",
        "For the loss with all keys 8,000 or more back masked":
            "Yes. If it is the same, no layer needs to look that far. (A relay through several layers may still reach farther.)",
        "For a larger test set": "That makes the error bar shorter, but the question stays open.",
    },
    answer="For the loss with all keys 8,000 or more back masked",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: seven, from a ring by hand to bugs reported in well-known libraries, and a prediction.
#
# **Next:** [[next]]
#
# **Sources** A. Q. Jiang et al., *Mistral 7B*, 2023, "Sliding window attention" · G. Xiao et al., *Efficient Streaming
# Language Models with Attention Sinks*, 2023, section 3.2 · OpenAI, the code of gpt-oss, 2025 · B. Yang et al.,
# [RNoPE-SWA](https://arxiv.org/abs/2501.18795), 2025 · the code of Llama 4 · K. Nakanishi, *Scalable-Softmax*, 2025 ·
# Y. Gelberg et al., [DroPE](https://arxiv.org/abs/2512.12167), 2025 · the code of `transformers`.
