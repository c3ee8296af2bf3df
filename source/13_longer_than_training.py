# %% [markdown]
# # [[title]]
#
# Long texts are expensive to train on, so models are trained on short ones and then asked to read long ones. "Relative
# positions generalise to longer sequences" is true of some schemes and false of others. So we measure: small models
# with twelve ways to handle position are trained on texts of 128 tokens and tested on up to 1,024.
#
# **You will be able to**
# - say what each scheme meets beyond its training length: an untrained number, a shared one, or a formula that
#   continues;
# - compute how many keys a bias spreads over as the text grows;
# - read a curve with its interval, and ask what more training would change;
# - repair a T5 table that breaks, without training it again.
#
# **You need** chapters [[bias_by_hand|#]] (decays), [[vector_per_distance|#]] (Shaw), [[transformer_xl|#]]
# (Transformer-XL), [[t5_buckets|#]] (buckets), [[alibi|#]] (ALiBi) and [[rope|#]] (RoPE).
# **Time** [[time]].

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch

import course_study as study
from course_kit import figures

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
L = 128  # the training length, here and below
lengths = (128, 256, 512, 1024)

# %% [markdown]
# ## What is new in a longer text?
#
# A decoder that was trained on texts of 128 tokens has met the distances 0 to 127. In a text of 1,024 tokens, how many
# pairs of query and key have a new distance? We count those of the last query first, then all.

# %%
last_query = np.arange(1024)[::-1]  # its distance to each key
print(f"the last of 1,024 tokens: {np.sum(last_query >= L)} of {last_query.size} distances are new")

i, j = np.tril_indices(1024)
new = np.sum(i - j >= L)
print(f"all queries: {new:,} of {i.size:,} pairs, {new / i.size:.1%}")
assert new == 896 * 897 / 2

# %% [markdown]
# Three quarters of the pairs have a distance that no training text had. Formulas simply continue. These are the biases
# of the last query at five distances:

# %%
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias

at = [0, 127, 128, 256, 1023]


def by_distance(position, head=0, n=1024):
    """What a head adds to the score of the last of n tokens, by distance."""
    return position.bias(1, n, n - 1)[head].flip(-1).detach()  # offsets ascend, so the last one is distance 0


print("distance          ", *(f"{d:8}" for d in at))
print("log, strength 1   ", *(f"{b:8.2f}" for b in by_distance(DecayBias(1.0))[at]))
for head in (0, 3):
    print(f"ALiBi, head {head} of 4", *(f"{b:8.2f}" for b in by_distance(ALiBi(4), head)[at]))

# %% [markdown]
# ALiBi's first head subtracts 255.75 at distance 1,023, so it cannot see far tokens at all. Its last head subtracts
# only 4 there, and still sees a little of every token.
#
# T5 has a table instead. Which of its 32 buckets does training reach, and how often? A text of 128 tokens has $128 - d$
# pairs at distance $d$ ([[t5_buckets|chapter #]]). We compare two values of `max_distance`.

# %%
from course_lib.reference.t5 import bucket, bucket_starts

distance = np.arange(L)
trained = {}
for max_distance in (256, 64):
    starts = bucket_starts(bidirectional=False, max_distance=max_distance)
    found = bucket(-distance, bidirectional=False, max_distance=max_distance)
    trained[max_distance] = np.bincount(found, weights=L - distance, minlength=32).astype(int)
    print(f"max_distance {max_distance}: buckets 22 to 31 begin at", *starts[22:])
    print("  pairs that train them:            ", *trained[max_distance][22:])

assert (trained[256][28:] == 0).all() and trained[64][31] == 2415

# %% [markdown]
# With `max_distance` 256, buckets 28 to 31 begin at 128 or later, so **no training text ever reaches them**. Their
# numbers, rows 28 to 31 of the table, stay near their random initial values. With `max_distance` 64, the last bucket
# begins at 59. Each text trains it with 2,415 pairs, and every larger distance falls into it. We say that this table
# **saturates**: from distance 59 on, it alone cannot tell one distance from another.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Both tables were trained on texts of 128 tokens. What will each add to the score of a key 400 tokens back?",
    options={
        "Both a trained number":
            "Distance 400 falls into the last bucket of each. In the first table that bucket begins at 216, past every training text.",
        "Both an untrained number":
            "The last bucket of the second table begins at 59. Each training text reaches it 2,415 times.",
        "The first an untrained number, the second a trained one":
            "Yes. No text trained the bucket that begins at 216; the one that begins at 59 is well trained.",
    },
    answer={
        (True, True): "Both a trained", (False, False): "Both an untrained", (False, True): "The first an untrained",
    }[trained[256][31] > 0, trained[64][31] > 0],
)

# %% [markdown]
# Here are all schemes in the same terms:
#
# | scheme | past the training length it meets | kind |
# |---|---|---|
# | none | more keys | nothing new |
# | learned positions | rows of the table that no text has trained | untrained |
# | sinusoidal | sines of positions never seen | untrained |
# | log decay, ALiBi | larger distances in its formula | the formula continues |
# | T5, `max_distance` beyond training | buckets that no text has trained | untrained |
# | T5, `max_distance` within training | its last bucket | saturated |
# | Shaw | its outermost vector | saturated |
# | Transformer-XL | the learned map $W_r$ of sines of distances never seen | untrained |
# | RoPE | in its slow pairs, angles never seen | untrained |
#
# "Untrained" covers a number that no text trained and an input that no text contained. It need not mean broken.

# %% [markdown]
# ## How wide does a bias look?
#
# The number of keys grows, too. Suppose that content does not matter: every $q \cdot k$ is 0, and the weights are the
# softmax of the bias alone. With the log decay at strength 1 ([[bias_by_hand|chapter #]]), five keys get weights in the
# ratio $1 : \frac12 : \frac13 : \frac14 : \frac15$. How many keys does the query look at? The **entropy** $H$ gives an
# answer between one and five:
#
# $$H = -\sum_j w_j \ln w_j, \qquad \text{span} = e^H.$$
#
# If $m$ keys share the weight equally, $H = \ln m$ and the span is $m$. For any other row, the span says how many
# equal weights would be as spread out.

# %%
w = 1 / np.arange(1, 6)
w = w / w.sum()
H = -np.sum(w * np.log(w))
print("weights:", w)
print(f"entropy {H:.4f}, span {np.exp(H):.2f} of 5 keys")

even = np.full(4, 1 / 4)
assert np.isclose(np.exp(-np.sum(even * np.log(even))), 4)

# %% [markdown]
# Some articles count the weights above 1 % instead. We compute both for three log decays and for a straight line with
# ALiBi's slope 1/16, as the text grows.


# %%
def row_weights(bias):
    """The softmax of one row of biases."""
    w = np.exp(bias - bias.max())
    return w / w.sum()


def span(w):
    """e^H; a weight of 0 adds nothing to the entropy."""
    w = w[w > 0]
    return np.exp(-np.sum(w * np.log(w)))


sizes = [64, 256, 1024, 4096, 16_384]
decays = {
    "log, strength 0.3": lambda d: -0.3 * np.log1p(d),
    "log, strength 1": lambda d: -np.log1p(d),
    "log, strength 2": lambda d: -2 * np.log1p(d),
    "linear, slope 1/16": lambda d: -d / 16,
}
spans = {name: [span(row_weights(b(np.arange(m)))) for m in sizes] for name, b in decays.items()}
above = {name: [np.sum(row_weights(b(np.arange(m))) > 0.01) for m in sizes] for name, b in decays.items()}

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3))
for name, style in zip(decays, ("o-", "s-", "^-", "d-"), strict=True):
    left.loglog(sizes, spans[name], style, base=2, label=name)
    right.plot(sizes, above[name], style)
left.set(title="span $e^H$", xlabel="keys", xticks=sizes, xticklabels=sizes)
left.set_yscale("log", base=10)
right.set_xscale("log", base=2)
right.set(title="weights above 1 %", xlabel="keys", xticks=sizes, xticklabels=sizes)
left.legend(fontsize=7)
print(f"{'keys':20}", *(f"{m:8,}" for m in sizes))
for name in decays:
    print(f"{name:20}", *(f"{s:8.1f}" for s in spans[name]), "  span")
    print(f"{'':20}", *(f"{c:8}" for c in above[name]), "  above 1 %")
assert all(np.diff(spans["log, strength 1"]) > 0) and all(np.diff(above["log, strength 1"]) < 0)
figures.show(fig, alt="Left: the span of log decays of strength 0.3 and 1 grows with the keys, the others are flat. "
    "Right: the count above 1 % falls for the same two")

# %% [markdown]
# From 64 to 16,384 keys, the span of the log decay of strength 1 rises from 29 to almost a thousand, while the count
# falls from 21 to 9. **The count falls because every weight does.**
#
# So there are two kinds of decay. Strength $\lambda$ makes the weights proportional to $(1 + d)^{-\lambda}$. With
# $\lambda \le 1$ their sum over all distances is infinite, and the span grows without limit. With $\lambda > 1$, and for
# a straight line, the sum is finite and the span settles.

# %% [markdown]
# ## The study
#
# `course_study` trains small decoders: two layers, four heads, 64 channels, 2,000 steps of
# eight texts of 128 tokens each. **They differ in position alone**, except that T5's tables learn ten times faster (see
# below) and that `sinusoidal-scaled` multiplies the embeddings by $\sqrt{d_{model}}$, as Vaswani et al. do. Data,
# order, steps and all other initial weights are the same. (`t5-64` has `max_distance` 64, `t5-256` has 256, `log-0.3`
# has strength 0.3, `shaw-32` clips at 32.) There are three seeds and three tasks:
#
# - **characters**: the next character of Python's own help texts. Most of what helps is near;
# - **copy-back**: random tokens out of 16; at each place, name the token exactly 3 places before;
# - **flip-flop**: instructions and bits in turn. After *write* and *ignore* comes any bit. After *read* comes the bit
#   that was written last, however long ago.

# %%
from course_study.data import text

generator = torch.Generator().manual_seed(1)
print("characters:", repr(text()[:44]))
tokens, answers, asked = study.TASKS["copy-back"].batch(10, 1, generator, False)
print("copy-back: ", tokens[0].tolist())
print("   answers:", ["·" if not a else int(y) for y, a in zip(answers[0], asked[0])])
tokens, _, asked = study.TASKS["flip-flop"].batch(16, 1, generator.manual_seed(37), False)
words = {0: "0", 1: "1", 2: "write", 3: "read", 4: "ignore"}
print("flip-flop: ", *(words[int(t)] for t in tokens[0]))
print("      asked:", *(("?" if a else "·").center(len(words[int(t)])) for t, a in zip(tokens[0], asked[0])))

# %% [markdown]
# We measure the loss, the mean of $-\ln p$ of the right token, in *nats* (the logarithm is natural). Guessing has the
# loss $\ln 16 = 2.77$ in copy-back and $\ln 2 = 0.69$ in flip-flop. With a higher loss, a model is *confident and
# wrong*.
#
# Only the last 64 tokens of each test text count, so each has 64 tokens or more before it. In the task characters they
# are the same at every length. Without this rule a longer text looks easier because a smaller share of its tokens comes
# early, where there is little to go by. Press et al. (2022) call this the *early token curse*.

# %% tags=["hide-input"]
# @title Question
pairs = {
    "Sinusoidal and RoPE": ("sinusoidal", "rope"),
    "T5 with max_distance 256": ("t5-256", "learned"),
    "ALiBi and Transformer-XL": ("alibi", "transformer-xl"),
    "No positions": ("none", "log-0.3"),
}
measured = study.pick(study.committed("long-2000"), task="characters")
word = {name: study.verdict(study.rise(study.pick(measured, scheme=name))) for pair in pairs.values() for name in pair}
[level] = [pair for pair, names in pairs.items() if all(word[name] == "level" for name in names)]
figures.question(
    "Characters, trained at 128 and tested at 1,024. Which pair keeps its loss?",
    options={
        "Sinusoidal and RoPE: their formulas never end":
            "A formula that never ends can still produce inputs that the weights have never met.",
        "T5 with max_distance 256, and learned positions":
            "Both read numbers that no text has trained: four buckets in the first, 896 rows in the second.",
        "ALiBi and Transformer-XL":
            "Yes, as the next picture shows. ALiBi's bias keeps falling. Transformer-XL is the surprise.",
        "No positions, and the log decay at strength 0.3":
            "They have nothing untrained. Even so, the loss of both rises.",
    },
    answer=level,
)

# %% [markdown]
# ## What was measured
#
# The results come with the course. Each point has a bar, a 95 % $t$ interval: the mean $\pm\,
# 4.303 \cdot s / \sqrt 3$, where $s$ is the standard deviation over the three seeds.

# %%
schemes = [*study.compared(L), "sinusoidal-scaled"]


def runs(name):
    """The committed runs of that name, in the order of the schemes."""
    found = [row for row in study.committed(name) if row["task"] in study.QUICK and row["scheme"] in schemes]
    return sorted(found, key=lambda row: schemes.index(row["scheme"]))


rows = runs("long-2000")
values = [row["loss"][3] for row in study.pick(rows, task="characters", scheme="t5-256")]
s = np.std(values, ddof=1)
print("t5-256 at 1,024, three seeds:", values)
print(f"mean {np.mean(values):.3f} ± 4.303 · {s:.3f} / √3 = {4.303 * s / 3**0.5:.3f}")
found = study.interval(values)
assert np.isclose(found.high - found.mean, 4.303 * s / 3**0.5)

panels = study.curves(rows)
figures.length_curves(lengths, panels, trained=L, y="loss on the last 64 places",
    alt="Loss by test length for twelve schemes and three tasks")

# %% [markdown]
# Find a scheme that copies perfectly at 1,024, but whose mean loss in flip-flop grows.
#
# When is a curve level? The *rise* is the loss at 1,024 minus that at 128. We judge its whole interval by bounds fixed
# in advance, so that a noisy scheme does not count as level. **Level**: below 0.05 nats. **Breaks**: above 0.25.
# *Rises*: above 0. The first that fits is the verdict; if none fits, *open*.

# %%
def verdicts(rows, task):
    """For each scheme, the rise of the loss from the training length to the longest test, and the word for it."""
    rises = {scheme: study.rise(study.pick(rows, task=task, scheme=scheme)) for scheme in schemes}
    return {scheme: (rise.mean, study.verdict(rise)) for scheme, rise in rises.items()}


after_2000 = {task: verdicts(rows, task) for task in panels}
print(f"level: below {study.LEVEL}, breaks: above {study.BREAKS}\n")
print(f"{'rise, 128 → 1,024':18}", *(f"{task:>18}" for task in panels))
for scheme in schemes:
    cells = [f"{mean:+.2f} {word}" for mean, word in (after_2000[task][scheme] for task in panels)]
    print(f"{scheme:18}", *(f"{cell:>18}" for cell in cells))
for scheme in ("t5-256", "alibi", "none"):
    at_128, *_, at_1024 = (point.mean for point in panels["characters"][scheme])
    print(f"{scheme}, characters: {at_128:.2f} → {at_1024:.2f}")

# %% [markdown]
# In characters (*text* from now on), all that we called untrained breaks a model, except in Transformer-XL. Its authors
# claim that it generalises to longer attention (Dai et al. 2019, section 1), but their code clips the distances when
# they evaluate it (`clamp_len`). Saturated tables stay level or nearly so. A formula that continues is not enough:
# `log-0.3` breaks.
#
# The task decides, too. In copy-back, Shaw is level and `t5-64` is open; in flip-flop, `t5-64` is level and Shaw is
# open. And level does not mean good: ALiBi is level in all three tasks, but in text its loss at 128 is 0.1 above T5's.
#
# In text, `t5-256`, with its faster table, shares the first place at 128. At 1,024 it is behind the model *without any
# positions*. If you only test at the training length, you will never see this.

# %% [markdown]
# ## What would 300 steps have told us?
#
# A study that stops early measures how *fast* a scheme learns. Here are the same schemes and seeds, trained for 300
# steps. Which of our statements would differ?

# %%
quick = runs("quick")
after_300 = {task: verdicts(quick, task) for task in ("characters", "copy-back")}
copied = [study.curves(some, "accuracy")["copy-back"] for some in (quick, rows)]
print(f"{'':18} {'text, 300 steps':>16} {'2,000 steps':>16}   copies right at 128, 300 → 2,000 steps")
for scheme in schemes:
    cells = [f"{mean:+.2f} {word}" for mean, word in (a["characters"][scheme] for a in (after_300, after_2000))]
    print(f"{scheme:18}", *(f"{cell:>16}" for cell in cells), "  ", *(f"{c[scheme][0].mean:.2f}" for c in copied))
early = study.curves(quick)["characters"]
print("text at 128, 300 steps:", *(f"{scheme} {early[scheme][0].mean:.2f}" for scheme in ("none", "learned")))
print("ALiBi copies right at each length, 2,000 steps:", *(f"{x.mean:.2f}" for x in copied[1]["alibi"]))

# %% [markdown]
# After 300 steps we would have published four sentences that do not hold (three about text):
#
# - *Without positions, a decoder stays level.* After 2,000 steps its loss rises.
# - *Learned positions lose little.* After 300 steps the model is no better than without them, so it hardly uses them.
#   Later it does, and breaks.
# - *A trained last bucket does not save T5.* After 2,000 steps that table is level.
# - *ALiBi copies only half of the tokens.* None of its biases is highest at distance 3. Even so, after 2,000 steps it
#   copies 96 % of them, at every length.
#
# In text, `t5-256` and `rope` break more after 2,000 steps. Does this go on? A scheme has *converged* if twice the
# steps change no seed's loss at 128 by 0.02 or more, a bound stated before the runs. We trained for 1,000 or 4,000
# steps, each time from the start with its own learning-rate schedule:

# %%
from course_study.convergence import BOUND, BUDGETS, converged

budgets = {steps: study.committed(f"long-{steps}") for steps in BUDGETS}
late = ("none", "log-0.3", "log-1", "alibi")  # nothing in these singles out distance 3
print(f"steps that are enough: twice as many change no seed's loss at 128 by {BOUND}\n")
print(f"{'':16}", *(f"{task:>12}" for task in panels), "    rise in text, 2,000 → 4,000 steps")
for scheme in study.compared(L):
    enough = {task: converged(budgets, task, scheme, seeds=3) for task in panels}
    cells = [f"{steps:,}" if steps else "not yet" for steps in enough.values()]
    before, after = (study.rise(study.pick(budgets[steps], task="characters", scheme=scheme)) for steps in (2000, 4000))
    rises = [f"{rise.mean:+.2f} ± {rise.high - rise.mean:.2f} {study.verdict(rise)}" for rise in (before, after)]
    print(f"{scheme:16}", *(f"{cell:>12}" for cell in cells), f"{rises[0]:>22} → {rises[1]}")
    assert enough["characters"] is None and enough["copy-back"] == (None if scheme in late else 1000)
    assert study.verdict(before) != "breaks" or after.mean > before.mean

# %% [markdown]
# In text no scheme has converged yet. Schemes that broke rise more on average; Transformer-XL and ALiBi stay level. Two
# verdicts change, for `sinusoidal` and `t5-64`, because their seeds differ more. In copy-back, 1,000 steps are enough
# for every scheme that can single out distance 3.
#
# A converged loss may be bad, and losses at other lengths may still change:

# %%
halfway = study.curves(budgets[1000])
for task, scheme, k in (("flip-flop", "none", 0), ("flip-flop", "sinusoidal", 0), ("copy-back", "t5-64", 3)):
    few, many = (curves[task][scheme][k].mean for curves in (halfway, panels))
    print(f"{task}, {scheme}: loss at {lengths[k]:,} after 1,000 steps {few:.2f}, after 2,000 steps {many:.2f}")
assert 0.69 > panels["flip-flop"]["sinusoidal"][0].mean > panels["flip-flop"]["none"][0].mean and few - many > 1

# %% [markdown]
# In flip-flop, `sinusoidal` has converged, but its loss is higher than that of `none` (guessing: 0.69). In copy-back at
# 1,024, `t5-64` improved.
#
# A step of the optimiser (Adam) moves a number by about the learning rate at most, and a bias must move far. So we let
# T5's tables learn ten times faster than everything else. Does that matter?

# %%
slow, new_keys = study.committed("table-rate-1"), 1024 - L
for how, some in (("10 times faster", rows), ("ordinary rate", slow), ("10 times, 300 steps", quick)):
    picked = study.pick(some, task="characters", scheme="t5-64")
    rise = study.rise(picked)
    near, last = np.mean([[np.mean(row["added"], axis=0)[k] for k in (1, -1)] for row in picked], axis=0)
    print(f"t5-64, {how:19} at 128 {np.mean([row['loss'][0] for row in picked]):.2f}, rise {rise.mean:+.2f} "
          f"{study.verdict(rise) + ',':7} bias at distance 1 {near:+.1f}, in the last bucket {last:+.1f}: "
          f"{new_keys} keys there weigh as much as {new_keys * np.exp(last - near):.1f} at distance 1")

# %% [markdown]
# With the ordinary rate even `t5-64` breaks. Its last bucket suggests why. With −2.5 (averaged over heads and seeds),
# the 896 new keys of the last query weigh as much as 9.7 keys at distance 1, and with −6.3 as much as 0.1. After 300
# steps it has only −2.7. **A saturated bucket seems safe only if its number is low enough for all the keys that share
# it.**

# %% [markdown]
# ## A scheme that broke, and its repair
#
# `t5-256` and `t5-64` differ in one argument, `max_distance`. At 128 tokens they are equally good, but at 1,024 only
# `t5-256` breaks. To see why, we draw what the first layer of each, and of Transformer-XL, has learned to add to a
# score (seed 0, a line per head). (Transformer-XL's term depends on the query, so we take the mean query.) A number
# added to a whole row cancels in the softmax, so each line is shifted to have mean 0 over the trained distances.

# %%
from course_study.learned_bias import distances

at_distance = np.array(distances(1024))
added = {}
fig, axes = plt.subplots(1, 3, figsize=(8.6, 2.9))
for ax, scheme in zip(axes, ("t5-256", "t5-64", "transformer-xl"), strict=True):
    (row,) = study.pick(rows, task="characters", scheme=scheme, seed=0)
    added[scheme] = np.array(row["added"])  # (heads, distances)
    ax.plot(at_distance, (added[scheme] - added[scheme][:, at_distance < L].mean(1, keepdims=True)).T, linewidth=1.3)
    ax.axvline(L - 1, color="#57606a", linewidth=0.8, linestyle="--")
    ax.set(title=scheme, xlabel="distance", xscale="symlog", xticks=[1, 10, 100], xticklabels=[1, 10, 100])
axes[0].set_ylabel("added to the score")
fig.tight_layout()
for d in (96, 128):
    print(f"t5-256 at distance {d:3}, as stored:", added["t5-256"][:, at_distance == d].ravel().round(2))
print(f"e⁵ = {np.exp(5):.0f}")
drawn = np.searchsorted(at_distance, np.arange(1024), "right") - 1  # for each distance, the last drawn one up to it
share = [row_weights(head[drawn])[L:].sum() for head in added["t5-256"]]
print("weight past distance 127, by the bias alone:", *(f"{x:.0%}" for x in share))
assert added["t5-256"][:, at_distance == 96].max() < -5 and abs(added["t5-256"][:, at_distance >= L]).max() < 0.1
figures.show(fig, alt="What three schemes add by distance. t5-256 falls and jumps back up past distance 127; "
    "t5-64 stays down; Transformer-XL keeps falling, in waves")

# %% [markdown]
# No training text had a distance past the dashed line. There `t5-64` repeats its last trained number, and
# Transformer-XL's term happens to stay low. In `t5-256`, training pushed the biases of far keys down, below −5 at
# distance 96. The four buckets it never reached are still close to 0. **To the softmax, 0 does not mean "no opinion".
# It gives more than $e^5 = 148$ times the weight of distance 96.** So, if content is equal, the keys the model knows
# least about get most of its attention.
#
# If that is the cause, the repair needs no training: give the four untrained buckets the number of the last trained
# one. To have a model to repair, we train `t5-256` for 300 steps (about 15 seconds):

# %%
training = study.watch(["t5-256"])
training

# %% tags=["nbval-ignore-output"]
training.wait()

# %% [markdown]
# The repair:

# %% tags=["nbval-ignore-output"]
model, settings = training.models["t5-256"], study.Settings(test_texts=16)
table = model.blocks[0].attention.position.table  # both layers share it, as in T5
trained_table = table.detach().clone()


def with_rows(rows_28_to_31):
    """The losses with other numbers in the last four rows; afterwards the table is as it was trained."""
    with torch.no_grad():
        table[28:] = rows_28_to_31
        losses = study.evaluate(model, settings, "characters")["loss"]
        table.copy_(trained_table)
    return losses


as_trained = with_rows(trained_table[28:])
copied = with_rows(trained_table[27])
print("test length    ", *(f"{n:6}" for n in lengths))
print("as trained     ", *(f"{x:6.3f}" for x in as_trained))
print("row 27 copied  ", *(f"{x:6.3f}" for x in copied))
assert copied[0] == as_trained[0]  # at 128 nothing reads these rows
assert copied[3] - copied[0] < 0.6 * (as_trained[3] - as_trained[0])

# %% [markdown]
# One assignment removes a large part of the rise. So this part came from the untrained numbers in these four rows, and
# not from length as such.
#
# **Your turn**, before you go on: which four rows would remove the rest of the rise? `with_rows` takes a number, a row
# or four rows.

# %% tags=["nbval-ignore-output"]
falling = with_rows(trained_table[27] - 0.5 * torch.arange(1, 5)[:, None])
hidden = with_rows(-100.0)
print("falling by 0.5 ", *(f"{x:6.3f}" for x in falling))
print("all at −100    ", *(f"{x:6.3f}" for x in hidden))
assert falling[3] < copied[3] - 0.2 and abs(hidden[3] - hidden[0]) < 0.05

# %% [markdown]
# Rows that fall further, as ALiBi's biases do, remove more. With −100 the model cannot see past distance 127 at all,
# and its curve is flat.

# %% [markdown]
# ## Level is not the same as useful
#
# Does a level model read the far tokens, or does it ignore them? We take the models of 2,000 steps and mask every key
# that is 128 or more back, in every layer.

# %%
print(f"{'characters':20} at 128   at 1,024   at 1,024, far keys masked")
text_rows = study.pick(rows, task="characters")
masked = study.curves(text_rows, "far_masked")["characters"]
for scheme in schemes:
    seen = panels["characters"][scheme]
    print(f"{scheme:20} {seen[0].mean:6.3f} {seen[3].mean:10.3f} {masked[scheme][3].mean:10.3f}")
for scheme in ("log-1", "t5-256", "t5-64", "shaw-32", "transformer-xl", "alibi", "rope"):
    assert abs(masked[scheme][3].mean - panels["characters"][scheme][0].mean) < 0.01
    assert masked[scheme][3].mean < panels["characters"][scheme][3].mean + 0.01

# %% [markdown]
# With far keys masked, `log-1`, T5, Shaw, Transformer-XL, ALiBi and RoPE are as good at 1,024 as at 128, to within
# 0.01. *None* gains more than that from the far keys. Two statements follow:
#
# - In these schemes, nothing but far keys does harm. Without positions and with `log-0.3`, a part of the rise remains.
#   Absolute positions cannot be repaired by masking, because the near tokens have unseen positions, too.
# - A level curve shows that a model is not *disturbed* by a longer text, not that it *uses* it.

# %% [markdown]
# ## What the papers report
#
# Press et al. (2022, sections 2 and 4) train language models on WikiText-103, in texts of 512 tokens. On longer texts,
# sinusoidal positions fail first. Rotary ones improve up to about 200 additional tokens, T5's bias up to about 600.
# ALiBi still improves at 3,072 tokens, from a perplexity ($e$ to the loss) of 19.73 to 18.40. In our text, too,
# sinusoids and RoPE break, and ALiBi is level. So is `t5-64`, the table most like theirs. But no scheme improves. Their
# appendix B explains why ALiBi does: in longer inputs a smaller share of the tokens suffers from the early token curse.
# When every token has the same context, ALiBi's curve is level. ALiBi acts like attention in a window (Chi et al.
# 2023).
#
# Large models or other tasks may differ.

# %% [markdown]
# ## Run it yourself
#
# In a terminal, in the course's folder (`.venv\Scripts\python` on Windows):
#
# ```sh
# .venv/bin/python -m course_study --out mine.jsonl
# ```
#
# This trains eleven of the schemes for 300 steps, in about eight minutes on two cores. Choose others with
# `--schemes rope t5-96 log-2`, `--tasks flip-flop` and `--seeds 5`. `--preset long` takes 2,000 steps.

# %% [markdown]
# ## Easy to believe; let us run it
#
# Judge each sentence, then read why.

# %%
from course_tasks import questions

questions.claims("longer_than_training")

# %% [markdown]
# ## Remember
#
# - Ask of every scheme what a longer text needs that training did not reach: untrained numbers or inputs, saturated
#   buckets, or a formula that continues.
# - $e^H$ says how many keys a row looks at. A count of weights above a threshold can fall just because there are more
#   keys.
# - An untrained number is not neutral: a bias of 0 beats trained biases of −5.
# - Keep T5's `max_distance` inside the training length, and look at the number its last bucket has learned.
# - Level means undisturbed. To show that a model uses a long text, take something away from it.
# - A result needs several seeds, the same context at every length, and a second run with more steps.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A T5 table is trained on texts of 200 tokens with max_distance 128, and reads texts of 5,000. What happens to its biases?",
    options={
        "Far keys get random numbers":
            "Its last bucket begins at 113, and texts of 200 tokens reach that.",
        "All keys from distance 113 on share one trained number":
            "Yes: saturated, not untrained. The loss may still rise, because many more keys share the number.",
        "The table is too short, and the model fails":
            "The last bucket has no end, so every distance falls into a bucket.",
    },
    answer=f"All keys from distance {bucket_starts(bidirectional=False)[-1]} on",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A page says: \"Scheme X attends to fewer tokens at 4,096 than at 512, because fewer weights exceed 1 %.\" What do you answer?",
    options={
        "Right: small weights do not count":
            "Four hundred weights of a quarter percent are a whole row. Small ones count together.",
        "The threshold should be 0.1 %":
            "That count can fall for the same reason, in longer texts.",
        "With eight times the keys, single weights can fall; compare the spans, e^H":
            "Yes. It may show the opposite, as it does for the log decay.",
    },
    answer="With eight times the keys, single weights can fall; compare the spans, e^H",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Your model is tested at 8 times its training length, window by window: each window of 128 tokens begins at position 0. "
    "The loss is flat. What have you shown?",
    options={
        "That the scheme extrapolates":
            "No position beyond 127 was ever used. Every scheme passes this test.",
        "Nothing about longer texts":
            "Yes: the model read eight short texts. One of the tasks is such an evaluation.",
        "That the windows should overlap":
            "Overlap gives every token some context, but still no distance beyond 127.",
    },
    answer="Nothing about longer texts",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: six, from a forecast to an evaluation that makes every scheme look good, and a scheme of your own.
#
# **Next:** [[next]]
#
# **Sources** O. Press et al., *Train Short, Test Long*, 2022 · Z. Dai et al., *Transformer-XL*, 2019, and
# its code, kimiyoung/transformer-xl · T.-C. Chi et al., *Dissecting Transformer Length Extrapolation*, 2023 · A.
# Kazemnejad et al., *The Impact of Positional Encoding on Length Generalization in Transformers*, 2023 · C. E. Shannon,
# *A Mathematical Theory of Communication*, 1948 (entropy) · B. Liu et al., *Exposing Attention Glitches with Flip-Flop
# Language Modeling*, 2023 (the task).
