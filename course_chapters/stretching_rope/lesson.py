# %% [markdown]
# # [[title]]
#
# Many models with RoPE break on texts longer than those of their training. Rules repair a *trained* model by changing
# the speeds at which pairs of channels rotate. Llama 3.1, DeepSeek-V3 and gpt-oss each use one of them.
#
# **You will be able to**
# - say which pairs of channels break, and show it in a released model;
# - compute what a rule does to every pair, and read the rule in a `config.json`;
# - test a repair, say what your test cannot show, and compare it with its control.
#
# **You need** chapters [[rope|#]], [[released_model|#]] and [[longer_than_training|#]] (the study). **Time** [[time]].

# %%
import json
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import torch

import course_study as study
from course_kit import figures
from course_lib import released
from course_lib.reference import speeds as rules
from course_lib.reference.absolute import frequencies
from course_study.released import rows as released_rows

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices

# %% [markdown]
# ## Which angles are new?
#
# At position $p$, pair $m$ of a head with $d$ channels is rotated by $p\,\theta_m$, with
# $\theta_m = \text{base}^{-2m/d}$. So in a training text of $L$ tokens the pair makes
#
# $$\rho_m = \frac{L\,\theta_m}{2\pi}$$
#
# **turns**. Take a small head of eight channels, trained on $L = 128$ tokens, and texts $s = 8$ times as long. First
# pair 2 by hand, then all four:

# %%
L, n, s = 128, 1024, 8
theta8 = frequencies(8)
print(f"pair 2: {L} · {theta8[2]:.2f} / 2π = {L * theta8[2] / (2 * np.pi):.4f} turns")
print("speeds:                ", theta8)
print("turns in   128 tokens: ", rules.turns(theta8, L))
print("turns in 1,024 tokens: ", rules.turns(theta8, n))

# %% tags=["hide-input"]
# @title Question
figures.question(
    "This head was trained on 128 tokens and reads 1,024. Which of its pairs meet angles that they have never met before?",
    options={
        "The fast pairs 0 and 1, because they rotate most":
            "They made at least two whole turns in training, so they have pointed in every direction already.",
        "The slow pairs 2 and 3": "Yes. In training pair 2 made a fifth of a turn. Now it makes more than one and a half.",
        "All pairs: every position beyond 127 is new":
            "The positions are new. But after a whole turn a pair points where it has pointed before.",
    },
    answer="The slow pairs {} and {}".format(*np.flatnonzero(rules.turns(theta8, L) < 1)),
)

# %% [markdown]
# We call a pair **closed** if it made at least one turn in training, $\rho_m \ge 1$. The others are **open**: in a
# longer text they meet new angles. The border is not sharp, because a pair that made just one turn met each angle at
# only one distance. How many pairs of real heads are closed?

# %%
heads = {"our study": (16, 10_000, 128), "Llama 3": (128, 500_000, 8192), "SmolLM2": (64, 100_000, 8192)}
for name, (d, base, length) in heads.items():
    made = rules.turns(frequencies(d, base), length)
    print(f"{name:9} base {base:7,}, {length:5,} tokens: {(made >= 1).sum():2} of {d // 2} pairs are closed")

# %% [markdown]
# So 12 of SmolLM2's 32 pairs are open.
#
# ## New angles do harm
#
# Do the open pairs of SmolLM2 ([[released_model|chapter #]]) do the harm? It reads a short text with a *gap*: we add
# 16,384 to the positions of the second half. Within each half, all distances stay as they were. Between the halves, all
# are new.

# %% tags=["nbval-ignore-output"]
model = released.load()
text, half = model.encode(released.excerpt("alice"))[:128], 64
place = torch.arange(128)
gap = place + 16_384 * (place >= half)
base = model.losses(text)[half:]


def rise(**changes):
    """How much the loss of the second half rises, and the standard error over its tokens."""
    with model.changed(**changes):
        change = model.losses(text)[half:] - base
    return float(change.mean()), float(change.std() / len(change) ** 0.5)

# %% [markdown]
# Now only some pairs feel the gap. A pair that makes a whole number of turns in the gap arrives at the same angle as
# without it. So we round the turns of the pairs that should not feel it: one that makes 5 ¼ turns gets the speed of 5.
# As a control, we *hide* the first half from the second. Which pairs do more harm than that?

# %% tags=["nbval-ignore-output"]
trained = model.speeds
turn = 2 * torch.pi / 16_384  # this speed makes one turn in the gap
whole = torch.round(trained / turn) * turn
is_open = torch.tensor(rules.turns(trained, 8192) < 1)
assert abs(whole - trained).max() * 128 < 0.025  # within the text, angles hardly change
feeling = {
    "all pairs": trained,
    "open pairs": torch.where(is_open, trained, whole),
    "closed pairs": torch.where(is_open, whole, trained),
}
with_gap = {}
for name, speeds in feeling.items():
    with_gap[name] = rise(positions=gap, speeds=speeds)
    print("{:12} feel the gap: {:+.2f} ± {:.2f}".format(name, *with_gap[name]))
    assert abs(rise(speeds=speeds)[0]) < 0.05  # without a gap, the rounded speeds do no harm
hidden = rise(mask=(place[:, None] < half) | (place >= half))
print("first half hidden:         {:+.2f} ± {:.2f}".format(*hidden))
assert with_gap["open pairs"][0] > 2 * hidden[0]

# %% [markdown]
# In this text, the open pairs alone do nearly all the harm. The closed pairs cost about as much as hiding the first
# half.
#
# ## Repairs by hand
#
# Three rules divide the speeds 1, 0.1, 0.01 and 0.001 of our small head, here for $s = 8$.
#
# **Position interpolation** (Chen et al. 2023) divides all by $s$. Up to $sL$ tokens, all angles stay in the trained
# range.
#
# **NTK-aware scaling** (/u/bloc97, 2023) raises the base to $\text{base} \cdot s^{d/(d-2)}$. This divides pair $m$ by
# $s^{2m/(d-2)}$, so pair 0 by 1 and the last pair, $m = d/2 - 1$, by $s$:

# %%
raised = 10_000 * s ** (8 / 6)
print(f"NTK's base: {raised:,.0f}, divisors", theta8 / rules.ntk(theta8, s))
assert np.allclose(rules.ntk(theta8, s), frequencies(8, raised))

# %% [markdown]
# **By parts** (Peng et al. 2023: NTK-by-parts) looks at the turns $\rho_m$. A pair with more than $\beta$ turns keeps
# its speed, and one with fewer than $\alpha$ is divided by $s$. For the pairs in between, the two speeds are mixed:
#
# $$\theta'_m = (1 - \gamma_m)\,\frac{\theta_m}{s} + \gamma_m\,\theta_m,
# \qquad \gamma_m = \frac{\rho_m - \alpha}{\beta - \alpha}$$
#
# **By hand.** Pair 1 makes 2.04 turns. Let $\alpha = 1$ and $\beta = 4$. What is its new speed?

# %%
turns = rules.turns(theta8, L)[1]
gamma = (turns - 1) / (4 - 1)
by_hand = (1 - gamma) * 0.1 / 8 + gamma * 0.1
print(f"ρ = {turns:.2f}, γ = {gamma:.3f}, new speed {by_hand:.4f}, so pair 1 is divided by {0.1 / by_hand:.2f}")

# %%
new = {
    "interpolation": rules.interpolated(theta8, s),
    "NTK-aware": rules.ntk(theta8, s),
    "by parts, 1 to 4": rules.by_parts(theta8, s, L, low=1, high=4),
}
assert np.isclose(new["by parts, 1 to 4"][1], by_hand)
pairs = ["pair 0", "pair 1", "pair 2", "pair 3"]
figures.heatmap(theta8 / np.array(list(new.values())), rows=list(new), columns=pairs, digits=2, alt="Divisors by rule")

# %% [markdown]
# Two released rules are by parts:
#
# - **Llama 3's rule** has $\alpha = 1$ and $\beta = 4$, as here.
# - **YaRN** (Peng et al. 2023) has $\alpha = 1$ and $\beta = 32$. It also divides every score by a *temperature* $t$,
#   with $1/t = (0.1 \ln s + 1)^2$. So scores grow if $s > 1$. (YaRN's code mixes differently: see *Deeper*.)
#
# Which rules keep the open pairs 2 and 3 within the angles of training, in a text 8 times as long?

# %%
for name, speeds in {"training": theta8, **new}.items():
    length = L if name == "training" else n
    print(f"{name:17} turns in {length:5,} tokens:", *(f"{made:7.2f}" for made in rules.turns(speeds, length)))

# %% [markdown]
# Interpolation and by parts do. With NTK, pair 2 makes 0.41 turns, twice as many as in training. So for a text 8 times
# as long, NTK needs a larger $s$ than 8.
#
# ## Read a `config.json`
#
# This is the part about positions in the file of Llama 3.1 8B (newer files say `rope_parameters`). `factor` is $s$,
# `original_max_position_embeddings` is $L$, and the two `…_freq_factor` are $\alpha$ and $\beta$. Above, 35 of its 64
# pairs were closed. How many pairs will be divided by the whole factor?

# %%
config = json.loads("""{"hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0, "rope_scaling": {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192}}""")
rope = config["rope_scaling"]
old = frequencies(config["hidden_size"] // config["num_attention_heads"], config["rope_theta"])
length, low, high = (rope[key] for key in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor"))
divisors = old / rules.by_parts(old, rope["factor"], length, low=low, high=high)
kept, slowed = np.isclose(divisors, 1).sum(), np.isclose(divisors, rope["factor"]).sum()
print(f"of {len(old)} pairs, {kept} keep their speed, {len(old) - kept - slowed} are mixed, {slowed} are divided by 8")
assert slowed == (rules.turns(old, length) < 1).sum()

# %% [markdown]
# The 29 open pairs are divided by the whole factor.
#
# ## Repair the released model
#
# Now SmolLM2 gets each rule without training, in committed runs on four texts of 384 tokens. The gap of 16,384 is twice
# the length in its configuration, but with $s = 2$, NTK would lead open pairs to new angles. So we take $s = 4$ for all
# rules. One more candidate *stops* the 16 slowest pairs: they no longer rotate. (*Deeper* says why 16.) Which
# candidates will be better than hiding the first half?

# %%
def mean_rise(experiment, condition):
    """The mean of four texts, and its standard error."""
    found = released_rows(experiment, condition=condition, n=384)
    error = sum(row["error"] ** 2 for row in found) ** 0.5 / len(found)
    return f"{np.mean([row['difference'] for row in found]):+.2f} ± {error:.2f}"


hidden = mean_rise("gaps", "first half hidden")  # the same with the gap: no query sees across it
table = [["as released", "+0.00", mean_rise("gaps", "gap 16384")], ["first half hidden", hidden, hidden]]
named = {"interpolation": "PI 4", "NTK-aware": "NTK 4", "YaRN": "YaRN 4", "16 stopped": "slowest 16 stopped"}
for name, repair in named.items():
    table.append([name, *(mean_rise("gaps repaired", f"{repair}, gap {size}") for size in (0, 16384))])
for row in [["", "no gap", "gap of 16,384"], *table]:
    print("{:18}{:>15}{:>15}".format(*row))
reached = rules.turns(rules.ntk(trained, 4), 16_384 + 384)[is_open]
assert (reached < rules.turns(trained, 8192)[is_open]).all()  # NTK with s = 4

# %% [markdown]
# Begin with the second row: when the first half is hidden, the loss rises by 0.49. **NTK and YaRN remove most of the
# gap's 4.11, but they are no better than hiding the first half.** Only stopping 16 pairs is better. Interpolation costs
# nearly two nats even without a gap. It is the only rule here that slows the fastest pairs as much as the slowest.
#
# ## In a long text
#
# How will the 16 stopped pairs do in a text of 16,384 tokens? Beside them we test NTK with $s = 2$, although some angles
# will then be new. The control is a *window*: each layer sees token 0 and the last 1,024 tokens.

# %%
shown = {"as released": ("as released", "-"), "slowest 16 stopped": ("16 pairs stopped", "-.")}
shown |= {"NTK 2": ("NTK, s = 2", "-"), "window 1024, kept [0]": ("window of 1,024", "--")}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
final, ends = {}, [256, 512, 1024, 2048, 4096, 8192, 16_384]
print(f"{'loss, stretch to':16}", *(f"{end:6,}" for end in ends), "  last, against as released")
for name, (label, style) in shown.items():
    (row,) = released_rows("by position", condition=name, n=16_384)
    final[name] = [part["loss"] for part in row["bins"]]
    ax.plot(range(7), final[name], style, marker="o", markersize=4, label=label)
    print(f"{label:16}", *(f"{loss:6.2f}" for loss in final[name]), f"  {row['difference']:+.2f} ± {row['error']:.2f}")
ax.set_xticks(range(7), [f"to {end:,}" for end in ends])
ax.set(xlabel="position in Alice", ylabel="loss in nats")
ax.legend(fontsize=8)
assert final["NTK 2"][6] < final["as released"][6] - 1
farther = rules.turns(rules.ntk(trained, 2), 16_384)[is_open] / rules.turns(trained, 8192)[is_open]
print(f"NTK, s = 2: {(farther > 1).sum()} open pairs go farther than in training, up to {farther.max():.2f} times as far")
figures.show(fig, alt="The mean loss by position. As released it jumps beyond 8,192; with NTK and a window it stays "
    "low; with stopped pairs it rises from 512 tokens on")

# %% [markdown]
# Each column covers the text since the one before. From 4,096 to 8,192, the loss is 1.9 nats higher with 16 stopped
# pairs than as released. **So passing the gap test did not show that the model reads long texts.** A gap adds distance
# but no keys, so it cannot show what many keys do.
#
# Past 8,192, the loss of NTK is 0.10 lower than that of the window. (In the last column, each has an error of 0.03.) So
# in this text NTK seems to gain a little from far tokens.
#
# ## Compare with the control
#
# Papers often train a repaired model further on long texts, as that on interpolation does. This may help by itself. So
# one control is **the model without the repair, after the same further steps**. Another is RoPE in a window of 128. The
# study repaired its RoPE models (three seeds) with $s = 8$ and trained them further at 1,024.

# %%
further = study.committed("repairs")
print(f"{'text, loss at 1,024':20}{'at once':>10}{'60 steps':>10}{'600 steps':>10}")
for name in ("as trained", "window", "NTK", "Llama 3"):
    print(f"{name:20}", end="")
    for steps, at in ((0, 128), (60, 1024), (600, 1024)):
        runs = study.pick(further, task="characters", repair=name, further=steps, at=at)
        print(f"{np.mean([row['loss'][3] for row in runs]):10.2f}", end="")
    print()
old = frequencies(16)
for name, new in {"NTK": rules.ntk(old, s), "Llama 3": rules.llama3(old, s, L)}.items():
    far = (rules.turns(new, n) / rules.turns(old, L))[rules.turns(old, L) < 1].max()
    print(f"{name}: open pairs go up to {far:.1f} times as far as in training")

# %% [markdown]
# At once, NTK hardly helps, and its open pairs meet new angles. Llama 3's rule avoids new angles, and it helps more.
#
# After 60 steps, compare the 1.29 of Llama 3's rule with the 1.84 of the model without a repair, not with 3.65. After
# 600 steps, this control has caught up. And **neither repair beats the window**, so nothing here shows that a
# repaired model uses far tokens.
#
# ## Remember
#
# - A pair that made a whole turn in training meets hardly any new angle. The slow, open pairs do. In SmolLM2, these did
#   most of a gap's harm.
# - Interpolation divides every speed by $s$. NTK divides only the slowest by $s$ and the faster ones by less. By parts
#   (Llama 3, YaRN) keeps pairs with many turns and divides those with few.
# - Test a repair on short texts, with a gap *and* on a long text.
# - Controls: the far half hidden, a window, and the same further steps without the repair.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
made = np.array([40, 4, 0.4, 0.04])
new = (made < 1) & (8 * made / [1, 2, 4, 8] > made)
figures.question(
    "A head makes 40, 4, 0.4 and 0.04 turns in training. It is stretched by NTK with s = 8, which divides by 1, 2, 4 and 8. "
    "The text is 8 times as long. Which pairs meet new angles?",
    options={
        "None: NTK with s = 8 is made for 8 times the length":
            "Only the last pair is divided by 8. Pair 2 goes 8 / 4 = 2 times as far as in training.",
        "Pair 2": "Yes. It is open, and it reaches 0.8 turns, where training reached 0.4.",
        "Pairs 0, 1 and 2": "Pairs 0 and 1 go farther, too, but they are closed. They have met nearly every angle.",
    },
    answer="Pair {}".format(*np.flatnonzero(new)),
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "\"Only slow pairs break, so stop them: then no angle is new.\" What happens in SmolLM2?",
    options={
        "It reads texts of any length": "The gap test suggests this. But in a real text, even before 8,192 tokens, it lost 1.9 nats.",
        "It fails in long texts, although the gap test was passed":
            "Yes. A gap adds distance but no keys, so it cannot show harm from many keys.",
        "It fails with the gap": "With the gap its loss was the lowest, lower than without the first half.",
    },
    answer="It fails in long" if final["slowest 16 stopped"][5] > final["as released"][5] + 1 else "It reads",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model was repaired and trained on with long texts for 60 steps. Its loss on long texts fell from 3.6 to 1.3. What "
    "does this show about the repair?",
    options={
        "That it works: nothing else was changed":
            "Two things were changed: the speeds, and the weights, by training on long texts.",
        "Nothing yet: the unrepaired model with the same 60 steps is missing":
            "Yes. In our study, that control alone fell from 3.65 to 1.84, and to 1.23 after 600.",
        "That 60 steps are enough": "To know that, one needs the same model after more steps.",
    },
    answer="Nothing yet: the unrepaired model with the same 60 steps is missing",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, from turns by hand to a bug hunt and a prediction.
#
# **Next:** [[next]]
#
# ## Deeper · A base without open pairs
#
# All pairs are closed if the slowest makes a whole turn within $L$, that is, if the base is at most
# $(L/2\pi)^{d/(d-2)}$. For the study's heads this is 31.3, so with base 31 no pair meets a new angle. What harm is
# left? (All columns are losses. *Copying* is copy-back of [[longer_than_training|chapter #]], and "masked" hides all
# keys 128 or more places back.)

# %%
print(f"largest base: {(L / (2 * np.pi)) ** (16 / 14):.1f}")
small = study.committed("long") + study.committed("controls")
print(f"{'':18}{'copying 1,024':>14}{'text 128':>10}{'text 1,024':>12}{'masked':>8}")
for scheme in ("rope-base-31", "rope", "rope-base-500000"):
    copied, written = (study.pick(small, task=task, scheme=scheme) for task in ("copy-back", "characters"))
    cells = ((copied, "loss", 3), (written, "loss", 0), (written, "loss", 3), (written, "far_masked", 3))
    means = [np.mean([row[what][k] for row in rows]) for rows, what, k in cells]
    print("{:18}{:14.2f}{:10.2f}{:12.2f}{:8.2f}".format(scheme, *means))

# %% [markdown]
# With base 31 our models copy perfectly at 1,024, but their loss in text doubles. With far keys masked, it is 1.19
# again. So this harm comes from the far keys, although no angle is new. X. Liu et al. (2023) found that Llama 2 reads
# longer texts after tuning with a smaller base, too. Men et al. (2024) found that a base below a bound, which grows
# with the length, gives only a *superficial* ability: the loss stays low, but keys are not found. Others raise the base
# with the length: Xiong et al. (2023) trained Llama 2 on with a larger base and texts of up to 32,768 tokens.
#
# ## Deeper · More about the gap
#
# Why did we stop 16 pairs, if 12 are open? Here is the rise with the gap.

# %%
for k in (12, 13, 14, 15, 16, 17, 18):
    rises, made = mean_rise("stopped pairs", f"slowest {k} stopped, gap 16384"), rules.turns(trained, 2048)[32 - k]
    print(f"{k} stopped: {rises}, pair {32 - k} makes {made:.1f} turns in 2,048 tokens")

# %% [markdown]
# From 15 on it is small. Pairs 17 to 19 are closed at 8,192 tokens, but open at 2,048. By its makers' file (see
# *Sources*), SmolLM2 read the announced 2 trillion tokens in texts of 2,048, with base 10,000. The released file names
# 8,192 and base 100,000. So a later, shorter stage changed both, and we do not know how long its texts were. If most
# were short, some angles of these pairs were rare.
#
# In a long text, most distances are shorter than those of the gap test. Do they break the model with 16 stopped pairs?

# %% tags=["nbval-ignore-output"]
stopped = trained * (torch.arange(32) < 16)
for size in (512, 2048, 8192):
    numbers = rise(positions=place + size * (place >= half), speeds=stopped)
    print("gap of {:5,}: {:+.2f} ± {:.2f}".format(size, *numbers))
    assert numbers[0] < 0.8

# %% [markdown]
# No: each gap costs less than hiding the first half of this text, 1.14. So distances alone do not explain the harm.
#
# Why does YaRN cost 0.12 nats without a gap, and NTK 0.03? We put in its speeds, its temperature, and both.

# %% tags=["nbval-ignore-output"]
speeds, factor = rules.by_parts(trained, 4, 8192), rules.yarn_factor(4) ** 2
alone = {"speeds": rise(speeds=speeds), "temperature": rise(score_factor=factor)}
for name, numbers in {**alone, "both": rise(speeds=speeds, score_factor=factor)}.items():
    print("{:11} {:+.2f} ± {:.2f}".format(name, *numbers))
assert alone["temperature"][0] > alone["speeds"][0] + 0.1

# %% [markdown]
# The temperature costs more: this model was trained without it. (This is one text; the 0.12 is from four.)
#
# ## Deeper · Do they find a far word?
#
# NTK and YaRN have the same mean loss with the gap. Do they find a pass key alike? Four keys were told 20,000 positions
# before the question, and two in a long text, at two depths of 12,000 tokens of *Alice*. (There $s$ is 2.)

# %%
def keys(experiment, condition):
    """How many pass keys are found."""
    found = released_rows(experiment, condition=condition)
    return f"{sum(row['right'] for row in found)} of {len(found)}"


for name, repair in named.items():
    print(f"{name:14} across a gap:", keys("pass keys repaired", f"10 fillers, gap 20000, {repair}"))
for name in ("as released", "NTK 2", "YaRN 2"):
    near, far = (keys("beyond", f"12000 tokens, depth {depth}, {name}") for depth in (0.67, 0.1))
    print(f"{name:14} told 4,000 back: {near}, told 10,800 back: {far}")

# %% [markdown]
# Across the gap YaRN finds all and NTK none, at the same loss. In the long text both find all, and the model as
# released finds one of those 4,000 back.
#
# ## Deeper · Rules that read the length
#
# **LongRoPE** (Ding et al. 2024) has one list of divisors for short texts and one for long ones. **Dynamic NTK**
# (/u/emozilla, 2023) changes nothing up to $L$ tokens, and then is NTK with $s = n/L$. This holds for a *strength* of 1
# (in `transformers`, `factor`). What does a strength of 8 do at 1,024?

# %%
for length, strength in ((128, 1), (256, 1), (1024, 1), (1024, 8)):
    speeds = rules.dynamic_ntk(theta8, length, L, strength=strength)
    print(f"{length:5,} tokens, strength {strength}: divisors", theta8 / speeds)

# %% [markdown]
# Strength 8 divides the slowest pair by 57, not by 8, because $s = 1 + 8\,(n/L - 1)$. Qwen 3's cards offer YaRN with
# the same factor of 4 at every length, and warn that it may harm short texts.
#
# All rules that read the length have a problem with a cache: as the text grows, the speeds change, but cached keys were
# rotated with earlier ones. So the course's `RoPE` caches keys *unrotated* if its speeds depend on the length.
#
# **p-RoPE** (Barbero et al. 2024) trains with stopped slow pairs from the start, which then compare content alone.
#
# ## Deeper · The released code
#
# In **YaRN's code**, which gpt-oss and DeepSeek use, $\gamma$ falls in equal steps from pair to pair: from 1 at the
# pair that would make 32 turns to 0 at the one that would make 1. (In the paper, it is a straight line over the
# turns.) The code multiplies query and key by $f = 0.1 \ln s + 1$, so each score by $f^2 = 1/t$. In a file, $f$ may be
# given as `attention_factor`. Here is the file of gpt-oss. Which are its two pairs?

# %%
config = json.loads("""{"head_dim": 64, "rope_theta": 150000, "rope_scaling": {"rope_type": "yarn", "factor": 32.0,
    "original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false}}""")
rope = config["rope_scaling"]


def yarn_code(truncate):
    return rules.yarn(
        config["head_dim"], rope["factor"], rope["original_max_position_embeddings"], base=config["rope_theta"],
        fast=rope["beta_fast"], slow=rope["beta_slow"], truncate=truncate,
    )


for turns in (32, 1):
    pair = 64 * np.log(4096 / (2 * np.pi * turns)) / (2 * np.log(150_000))  # solves 4096 · base^(−2m/64) / 2π = turns
    print(f"turns {turns:2}: pair {pair:.2f}")
print(f"f = {rules.yarn_factor(rope['factor']):.3f}")

# %% [markdown]
# The code rounds them to 8 and 18, unless the file says `"truncate": false`. vLLM ignored this key until its
# [pull request 28244](https://github.com/vllm-project/vllm/pull/28244). What does that do to a pair?

# %%
wrong = yarn_code(truncate=True) / yarn_code(truncate=False)
print(f"if `truncate` is ignored, pair {wrong.argmax()} turns {wrong.max():.2f} times as fast")
assert wrong.argmax() == 17

# %% [markdown]
# Our rules equal those of the library `transformers`, `ROPE_INIT_FUNCTIONS` in `modeling_rope_utils.py`.

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is None:
    print("transformers is not installed: pip install transformers")
else:
    from transformers import GptOssConfig, LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    theta, sizes = frequencies(16), {"hidden_size": 16, "num_attention_heads": 1, "head_dim": 16}
    from_8 = {"factor": 8.0, "original_max_position_embeddings": L}
    for kind, speeds, longest, options in (
        ("linear", rules.interpolated(theta, s), L, {"factor": 8.0}),
        ("dynamic", rules.dynamic_ntk(theta, n, L), L, {"factor": 1.0}),
        ("yarn", rules.yarn(16, s, L), n, from_8),
        ("llama3", rules.llama3(theta, s, L), n, {**from_8, "low_freq_factor": 1.0, "high_freq_factor": 4.0}),
    ):
        given = {"rope_type": kind, "rope_theta": 10_000.0, **options}
        llama = LlamaConfig(**sizes, max_position_embeddings=longest, rope_parameters=given)
        assert np.allclose(speeds, ROPE_INIT_FUNCTIONS[kind](llama, "cpu", seq_len=n)[0], rtol=1e-6)
    assert np.allclose(yarn_code(truncate=False), ROPE_INIT_FUNCTIONS["yarn"](GptOssConfig(), "cpu")[0], rtol=1e-6)
    print("the same speeds in transformers: linear, dynamic, yarn, llama3, and gpt-oss")

# %% [markdown]
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("stretching_rope")

# %% [markdown]
# **Sources** S. Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*, 2023 ·
# /u/bloc97 and /u/emozilla, posts in r/LocalLLaMA, 2023 · B. Peng et al., *YaRN*, 2023, and its code, jquesnelle/yarn ·
# Llama 3.1's code, `apply_scaling` in meta-llama/llama-models · Y. Ding et al., *LongRoPE*, 2024 · F. Barbero et al.,
# *Round and Round We Go!*, 2024 · X. Liu et al., *Scaling Laws of RoPE-based Extrapolation*, 2023 · X. Men et al.,
# *Base of RoPE Bounds Context Length*, 2024 · W. Xiong et al., *Effective Long-Context Scaling of Foundation Models*,
# 2023 · SmolLM2's pretraining, `config_smollm2_135M.yaml` in huggingface/smollm · the code of `transformers`.
