# %% [markdown]
# # [[title]]
#
# Many models with RoPE break on texts longer than those of their training. Published repairs of a *trained* model
# change the speeds at which its pairs of channels rotate.
#
# **You will be able to**
# - say which pairs of channels meet new angles, and measure what a long distance does to a released model;
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
# **turns**. Take a small head of eight channels, trained on $L = 128$ tokens, and texts $s = 8$ times as long:

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
# longer text they meet new angles. How many pairs of real heads are closed?

# %%
heads = {"our study": (16, 10_000, 128), "Llama 3": (128, 500_000, 8192), "SmolLM2": (64, 100_000, 8192)}
for name, (d, base, length) in heads.items():
    made = rules.turns(frequencies(d, base), length)
    print(f"{name:9} base {base:7,}, {length:5,} tokens: {(made >= 1).sum():2} of {d // 2} pairs are closed")

# %% [markdown]
# So 12 of SmolLM2's 32 pairs are open, and its first new angle comes at the distance 8,192.
#
# ## A gap
#
# What does such a distance do? SmolLM2 ([[released_model|chapter #]]) reads a text with a *gap*: we add one number to
# the positions of the second half, so only the distances between the halves grow. As a control, we *hide* the first
# half from the second, all but token 0, which the model needs ([[windows_and_sinks|chapter #]]). Which gaps will cost
# more than hiding?

# %% tags=["hide-output", "nbval-ignore-output"]
model = released.load()
text, half, place = model.encode(released.excerpt("alice"))[:128], 64, torch.arange(128)
base = model.losses(text)[half:]


def rise(**changes):
    """How much the loss of the second half rises, and the standard error over its tokens."""
    with model.changed(**changes):
        change = model.losses(text)[half:] - base
    return float(change.mean()), float(change.std() / len(change) ** 0.5)


rises = {"first half hidden": rise(mask=(place[:, None] < half) | (place >= half) | (place < 1))}
for size in (4000, 8000, 16_384, 32_768):
    rises[f"gap of {size:,}"] = rise(positions=place + size * (place >= half))
for name, numbers in rises.items():
    print("{:17} {:+.2f} ± {:.2f}".format(name, *numbers))
assert rises["gap of 8,000"][0] > 1.5 * rises["first half hidden"][0]

# %% [markdown]
# With the gap of 8,000, **no angle is new**. Yet it costs more than hiding. A gap of 32,768 costs less than one of
# 16,384. So one gap in one text shows little.
#
# ## The curve
#
# Here are nine gaps in five texts of 256 tokens. The right picture shows the *sink heads*: those in which, without a
# gap, the second half gives token 0 more than half of its weight.

# %%
GAPS = (2048, 4096, 6000, 7800, 9000, 12_000, 16_384, 32_768, 65_536)


def curve(condition, what="difference"):
    """What was measured in each of the five texts."""
    return np.array([row[what] for row in released_rows("gap curve", condition=condition)])


def plus_minus(texts):
    """Their mean, and its standard error."""
    return f"{texts.mean():+.2f} ± {texts.std(ddof=1) / len(texts) ** 0.5:.2f}"


# %%
losses, first, seen = (np.array([curve(f"gap {size}", what) for size in GAPS])
                       for what in ("difference", "token 0", "first half"))
hidden = curve("first half but 1 hidden, gap 0")
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
left.semilogx(GAPS, losses, color="0.75")
left.semilogx(GAPS, losses.mean(1), marker="o", label="with the gap")
left.axhline(hidden.mean(), linestyle="--", color="C1", label="first half hidden")
left.set(title="rise of the loss: five texts, and their mean", xlabel="gap", ylim=0)
right.semilogx(GAPS, first.mean(1), marker="o", label="token 0")
right.semilogx(GAPS, (seen - first).mean(1), marker="s", label="other words of the first half")
right.set(title="sink heads: weight of the second half on", xlabel="gap", ylim=(0, 1))
for ax in (left, right):
    ax.axvline(8192, linestyle=":", color="0.5", label="configured length")
    ax.set_xticks((2048, 4096, 9000, 16_384, 32_768, 65_536), ("2,048", "4,096", "9,000", "16,384", "32,768", "65,536"))
    ax.minorticks_off()
    ax.legend(fontsize=8)
figures.show(fig, alt="Up to a gap of 9,000 the loss rises to about that with the first half hidden, then steeply. Up to "
    "9,000 the words of the first half get hardly any weight. At 16,384 they get more than half, and token 0 less.")

# %% [markdown]
# In these texts, the mean rise has no step at 8,192. From 4,096 to 9,000, it is about that of hiding (in two texts,
# 7,800 costs more), and the sink heads give the far words hardly any weight. **In the mean, these words hardly help**,
# but single ones can (*Deeper*). From 9,000 to 16,384, the loss rises far above that of hiding. Now the far words get
# more than half of the weight, and token 0 gets less.
#
# The check-up draws this curve for any model, minus the cost of hiding (here in 512 tokens of *Alice*):

# %%
from course_study.released.checkup import report

figures.gap_curve(report().gaps)

# %% [markdown]
# Which pairs cause this? We let only some pairs feel the gap; the others rotate as before.

# %%
print(f"{'pairs that feel the gap':24}", *(f"{size:>14,}" for size in (4096, 7800, 16_384, 65_536)))
for name, start in {"all": "", "closed pairs alone": "closed pairs, ", "open pairs alone": "open pairs, "}.items():
    print(f"{name:24}", *(f"{plus_minus(curve(f'{start}gap {size}')):>14}" for size in (4096, 7800, 16_384, 65_536)))
beyond = (curve(f"gap {size}") - hidden for size in (4096, 7800, 16_384, 65_536))
print(f"{'all, less hiding':24}", *(f"{plus_minus(texts):>14}" for texts in beyond))

# %% [markdown]
# At 16,384, the open pairs alone do most of the harm. But at 4,096, where none of their angles is new, they cost as
# much as all pairs together. So the table does not show that *new* angles are the cause. It shows that open pairs
# suffice for harm, and that in these texts most harm beyond hiding lies past the configured length.
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
# **By parts** (Peng et al. 2023) looks at the turns $\rho_m$. A pair with more than $\beta$ turns keeps
# its speed. Below $\alpha$ turns, the speed is divided by $s$. In between, the two speeds are mixed:
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
#   with $1/t = (0.1 \ln s + 1)^2$.
#
# Which rules keep the open pairs 2 and 3 within the angles of training?

# %%
for name, speeds in {"training": theta8, **new}.items():
    length = L if name == "training" else n
    print(f"{name:17} turns in {length:5,} tokens:", *(f"{made:7.2f}" for made in rules.turns(speeds, length)))

# %% [markdown]
# Interpolation and by parts do. With NTK, pair 2 makes 0.41 turns, twice as many as in training.
#
# ## Read a `config.json`
#
# This is from the file of Llama 3.1 8B. `factor` is $s$, `original_max_position_embeddings` is $L$, and the two
# `…_freq_factor` are $\alpha$ and $\beta$. How many of its 64 pairs will be divided by the whole factor?

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
# These are the 29 open pairs. Newer files put these keys and the base in one entry, `rope_parameters`, and models with
# two kinds of layers, such as Gemma 3, have one for each kind. These keys are easily misread:
#
# | key | what it says |
# |---|---|
# | `no_rope_layers` (SmolLM3, Llama 4) | 1 in the list: this layer *has* RoPE |
# | `max_window_layers` (Qwen 3) | so many of the *first* layers have no window |
# | `attention_factor` 1 (Mistral Large 4) | YaRN's speeds *without* its temperature |
# | `partial_rotary_factor` 0.25 | a quarter of the channels turns, in one of two ways (see *Deeper*) |
#
# ## Repair the released model
#
# Now SmolLM2 gets each rule without training, on the same five texts. With $s = 4$, no angle is new at the gap of
# 16,384, but some are at 65,536. One more candidate *stops* the 16 slowest pairs: they no longer rotate. (*Deeper*
# says why 16.) Which candidates will be better than hiding the first half?

# %% tags=["hide-output"]
repairs = {"interpolation": "PI 4", "NTK-aware": "NTK 4", "YaRN": "YaRN 4", "16 stopped": "slowest 16 stopped"}
starts = {"as released": "", **{name: f"{repair}, " for name, repair in repairs.items()}}
print(f"{'rise of the loss with a gap of':14}" + "".join(f"{size:>15,}" for size in (0, 7800, 16_384, 65_536)))
for name, start in starts.items():
    conditions = [f"{start}gap {size}" if start or size else name for size in (0, 7800, 16_384, 65_536)]
    print(f"{name:30}" + "".join(f"{plus_minus(curve(condition)):>15}" for condition in conditions))
print(f"{'first half hidden':30}{plus_minus(hidden):>15}")
reached = rules.turns(rules.ntk(model.speeds, 4), 16_384 + 256)
assert (reached < rules.turns(model.speeds, 8192))[rules.turns(model.speeds, 8192) < 1].all()  # NTK with s = 4

# %% [markdown]
# At 16,384, the mean losses of NTK and YaRN are a little above that of hiding, so they show no use of the far words
# (*Deeper* asks for one). At 65,536, where angles are new again, both break. Interpolation does harm even without a
# gap. Only stopping 16 pairs is better than hiding at every gap.
#
# How will the 16 stopped pairs do in a text of 16,384 tokens? Beside them we test NTK with $s = 2$. The control is a
# *window*: each layer sees token 0 and the last 1,024 tokens.

# %% tags=["hide-output"]
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
trained = rules.turns(model.speeds, 8192)
farther = (rules.turns(rules.ntk(model.speeds, 2), 16_384) / trained)[trained < 1]
print(f"NTK, s = 2: {(farther > 1).sum()} open pairs go farther than in training, up to {farther.max():.2f} times as far")
figures.show(fig, alt="The mean loss by position. As released it jumps beyond 8,192; with NTK and a window it stays "
    "low; with stopped pairs it rises from 512 tokens on")

# %% [markdown]
# Each column covers the text since the one before. From 4,096 to 8,192, 16 stopped pairs cost 1.9 nats. **So passing
# the gap test did not show that the model reads long texts.** A gap adds distance but no keys.
#
# Past 8,192, NTK's loss is only 0.10 lower than the window's, and it was 0.05 lower just before.
#
# ## Compare with the control
#
# Papers often train a repaired model further. This may help by itself, so a control is **the model without the
# repair, after the same further steps**. Another is RoPE in a window of 128. The study repaired its RoPE models (three
# seeds) with $s = 8$ and trained them further at 1,024.

# %%
further = study.committed("repairs")
print(f"{'text, loss at 1,024':20}{'at once':>10}{'60 steps':>10}{'600 steps':>10}")
for name in ("as trained", "window", "interpolated", "NTK", "Llama 3"):
    print(f"{name:20}", end="")
    for steps, at in ((0, 128), (60, 1024), (600, 1024)):
        runs = study.pick(further, task="characters", repair=name, further=steps, at=at)
        print(f"{np.mean([row['loss'][3] for row in runs]):10.2f}", end="")
    print()
old = frequencies(16)
for name, new in {"interpolated": old / s, "NTK": rules.ntk(old, s), "Llama 3": rules.llama3(old, s, L)}.items():
    far = (rules.turns(new, n) / rules.turns(old, L))[rules.turns(old, L) < 1].max()
    print(f"{name}: open pairs go up to {far:.1f} times as far as in training")

# %% [markdown]
# At once, interpolation helps little, although it meets no new angle. So avoiding new angles is not enough. Of the
# three rules, Llama 3's helps most: after 60 steps it has 1.29, and the model without a repair 1.84. After 600 steps,
# this control has caught up. And **no repair beats the window**, so nothing here shows that a repaired model uses far
# tokens.
#
# ## Remember
#
# - A pair that made a whole turn in training meets hardly any new angle. The slow, open pairs do.
# - In SmolLM2, a gap of 4,096 costs about as much as hiding the far words. Closer to 8,192, still without new angles,
#   it costs more in some texts; at 16,384, far more in all.
# - Interpolation divides every speed by $s$. NTK divides only the slowest by $s$ and the faster ones by less. By parts
#   (Llama 3, YaRN) keeps pairs with many turns and divides those with few.
# - Test a repair on short texts, with several gaps *and* on a long text.
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
        "It fails with the gap": "With each gap its loss was the lowest, lower than with the first half hidden.",
    },
    answer="It fails in long" if final["slowest 16 stopped"][5] > final["as released"][5] + 1 else "It reads",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A config says `rope_type` yarn, `factor` 4 and `attention_factor` 1. Your code takes the speeds of YaRN and, by its "
    "formula, multiplies query and key by 0.1 ln 4 + 1. What is wrong with your scores?",
    options={
        "Nothing: this is YaRN": "It is YaRN as published. But the file says that this model was trained without the temperature.",
        "Each is 1.14 times too large": "Query and key are *both* multiplied by 1.14.",
        "Each is 1.30 times too large": "Yes: 1.14² = 1.30. The speeds are right, so the text may look fluent.",
    },
    answer=f"Each is {rules.yarn_factor(4) ** 2:.2f} times",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, from turns by hand to a bug hunt and a prediction.
#
# **Next:** [[next]]
#
# ## Deeper · Does the gap harm by way of the sink?
#
# Past 9,000, token 0 loses weight in the sink heads. Does this cause the harm? We hide token 0 alone, without a gap; we
# hide all other far words; and we give the second half a sink nearby, by letting its first token see only itself
# ([[windows_and_sinks|chapter #]]).

# %%
for name in ("token 0 hidden from the second half, gap 0", "gap 16384", "first half but 1 hidden, gap 16384",
             "second sink, gap 0", "second sink, gap 16384"):
    print(f"{name:43} {plus_minus(curve(name))}, weight on token 0 {curve(name, 'token 0').mean():.2f}")

# %% [markdown]
# Losing the sink does harm: hiding token 0 alone costs 0.85 nats. But with the gap, a new sink nearby does not help,
# and with token 0 alone in view, the gap costs less than half as much. So in these texts, most of the harm comes from
# the other far words. (*Frayed RoPE*, 2026, finds that long inputs break the sink.)
#
# ## Deeper · Sixteen pairs, and a temperature
#
# Why did we stop 16 pairs, if 12 are open? Here is the rise with the gap of 16,384, in four longer texts.

# %%
for k in (12, 13, 14, 15, 16, 17, 18):
    rows = released_rows("stopped pairs", condition=f"slowest {k} stopped, gap 16384")
    made = rules.turns(frequencies(64, 10_000), 2048)[32 - k]
    rises = plus_minus(np.array([row["difference"] for row in rows]))
    print(f"{k} stopped: {rises}, pair {32 - k} made {made:.1f} turns in 2,048 tokens with base 10,000")

# %% [markdown]
# From 15 on it is small, so we chose 16 by this measurement. New angles do not explain why 12 are too few: pairs 17
# to 19 are closed at 8,192 tokens. They were closed in most of the training, too, which had 2,048 tokens and base
# 10,000 (see *Sources*). A later stage changed both: the released file is named "135M 8k Lc100K".
#
# And why does YaRN cost more than NTK without a gap? We put in its speeds, its temperature, and both, in one text.

# %% tags=["nbval-ignore-output"]
speeds, factor = rules.by_parts(model.speeds, 4, 8192), rules.yarn_factor(4) ** 2
apart = {"speeds": rise(speeds=speeds), "temperature": rise(score_factor=factor)}
for name, numbers in {**apart, "both": rise(speeds=speeds, score_factor=factor)}.items():
    print("{:11} {:+.2f} ± {:.2f}".format(name, *numbers))
assert apart["temperature"][0] > apart["speeds"][0] + 0.1

# %% [markdown]
# In this text, the temperature costs more. (SmolLM2 was trained without it.) Mistral Large 4 takes YaRN without it,
# too.
#
# ## Deeper · Do they find a far word?
#
# With gaps from 4,096 to 9,000, the mean loss is about that of hiding. Is every far word lost there? We tell a pass
# key, and put the gap between it and the question for it. How many of four keys does the model find? As a control, we
# ask without telling it.

# %%
def keys(experiment, condition):
    """How many pass keys are found."""
    found = released_rows(experiment, condition=condition)
    return f"{sum(row['right'] for row in found)} of {len(found)}"


columns = {"as released": "", "NTK, s = 4": ", NTK 4", "YaRN, s = 4": ", YaRN 4"}
print(f"{'keys found':12}", *(f"{name:>12}" for name in columns))
for size in (0, 4096, 6000, 7800, 12_000, 16_384, 20_000):
    row = (keys("pass keys", f"10 fillers, gap {size}{repair}") for repair in columns.values())
    print(f"gap {size:8,}", *(f"{found:>12}" for found in row))
told = "10 fillers, gap"
for name, condition in {"no gap": f"{told} 0", "a gap of 7,800": f"{told} 7800", "not told": "no key"}.items():
    loss = np.mean([row["loss"] for row in released_rows("pass keys", condition=condition)])
    print(f"as released, {name:14} loss of the digits {loss:.2f}")

# %% [markdown]
# As released, the model finds every key up to a gap of 6,000, although the mean loss is already about that of hiding.
# **A mean loss like that of hiding does not show that the model cannot use a far word.** From 7,800 on, all keys are
# lost, and at 7,800 no angle is new. NTK and YaRN find all up to 12,000 and none at 16,384. At 20,000, YaRN finds all
# again, and NTK none. So one gap does not rank two repairs.
#
# Now a long text: the key is at one of two depths in 12,000 tokens of *Alice* (two keys, and $s = 2$).

# %%
for name in ("as released", "NTK 2", "YaRN 2"):
    near, far = (keys("beyond", f"12000 tokens, depth {depth}, {name}") for depth in (0.67, 0.1))
    print(f"{name:14} told 4,000 back: {near}, told 10,800 back: {far}")

# %% [markdown]
# Both repairs find all. The model as released finds one of those 4,000 back.
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
# Strength 8 divides the slowest pair by 57, not by 8, because $s = 1 + 8\,(n/L - 1)$. All rules that read the length
# have a problem with a cache: as the text grows, the speeds change, but cached keys were rotated with earlier ones. So
# the course's `RoPE` caches keys *unrotated* if its speeds depend on the length.
#
# ## Deeper · Pairs that never turn
#
# `partial_rotary_factor` 0.25 has two meanings. In Qwen3.5, a quarter of the channels has a whole RoPE, slow pairs
# included. In Gemma 4's full layers, only the fastest quarter of the head's pairs turns (*p-RoPE*, Barbero et al.
# 2024). Which of the two may need stretching?

# %%
qwen = np.append(frequencies(64, 10_000_000), np.zeros(96))  # 64 of 256 channels turn
gemma = np.where(np.arange(256) < 64, frequencies(512, 1_000_000), 0)  # 128 of 512
for name, speeds in {"Qwen3.5": qwen, "Gemma 4": gemma}.items():
    slowest = 2 * np.pi / speeds[speeds > 0].min()
    print(f"{name}: {(speeds > 0).sum()} of {len(speeds)} pairs turn, the slowest once in {slowest:,.0f} positions")

# %% [markdown]
# In Gemma 4's full layers, no pair is open after training on a few hundred tokens, and the other pairs compare content
# alone. The slowest pair of Qwen3.5 is open at every length in use.
#
# ## Deeper · Near or far?
#
# Does RoPE by itself prefer near keys? For one query and one key, how often does a near position score above one
# eight times as far? We try 400 random heads, whose queries and keys have mean 0, or mean 1 in the first channel of
# each pair.

# %%
rng, distances = np.random.default_rng(0), (4, 64, 1024, 16_384, 262_144)
print(f"{'near positions from':24}", *(f"{d:8,}" for d in distances))
for mean, base in ((0, 10_000), (1, 10_000), (1, 500_000)):
    q, k = rng.normal(mean, size=(2, 400, 32)) + 1j * rng.normal(size=(2, 400, 32))
    preferred = []
    for d in distances:
        near, far = (q * k.conj() @ np.exp(1j * np.outer(frequencies(64, base), rng.integers(a, 2 * a, 200)))
                     for a in (d, 8 * d))
        preferred.append((near.real > far.real).mean())
    print(f"mean {mean}, base {base:7,}     ", *(f"{share:8.0%}" for share in preferred))
    assert abs(preferred[-1] - 0.5) < 0.05

# %% [markdown]
# With mean 0, it is a coin toss at every distance. With mean 1, near wins more often, but from some distance on it is a
# coin toss again. (If queries had mean 1 and keys mean −1, far would win as often, because all scores would change
# sign.) A larger base moves this distance out. Du et al. (2026) prove more: as the text grows, RoPE ranks near
# against far, and one word against another, no better than a coin.
#
# ## Deeper · The released code
#
# In **YaRN's code**, which gpt-oss uses, $\gamma$ falls in equal steps from pair to pair: from 1 at the
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
faster = yarn_code(truncate=True) / yarn_code(truncate=False)
print(f"f = {rules.yarn_factor(rope['factor']):.3f}; rounded, pair {faster.argmax()} turns {faster.max():.2f} times as fast")

# %% [markdown]
# The code rounds them to 8 and 18, unless the file says `"truncate": false`. vLLM ignored this key until its
# [pull request 28244](https://github.com/vllm-project/vllm/pull/28244), and pair 17 turned 1.76 times as fast.
#
# The speeds of this chapter equal those of the library `transformers` (`modeling_rope_utils.py`).

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
    if "proportional" in ROPE_INIT_FUNCTIONS:  # from version 5 on
        from transformers import Gemma4TextConfig

        full = ROPE_INIT_FUNCTIONS["proportional"](Gemma4TextConfig(), layer_type="full_attention")[0]
        assert np.allclose(gemma, full, rtol=1e-6)
    print("the same speeds in transformers: linear, dynamic, yarn, llama3, gpt-oss and Gemma 4")

# %% [markdown]
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("stretching_rope")

# %% [markdown]
# **Sources** S. Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*, 2023 ·
# /u/bloc97 and /u/emozilla, posts in r/LocalLLaMA, 2023 · B. Peng et al., *YaRN*, 2023, and its code, jquesnelle/yarn
# · Llama 3.1's code, `apply_scaling` in meta-llama/llama-models · Y. Ding et al., *LongRoPE*, 2024 · F. Barbero et
# al., *Round and Round We Go!*, 2024 · Y. Du et al., 2026 ([on arXiv](https://arxiv.org/abs/2605.15514)) · [Frayed
# RoPE](https://arxiv.org/abs/2603.18017), 2026 · SmolLM2's pretraining, `config_smollm2_135M.yaml` in
# huggingface/smollm · the code of `transformers`.
