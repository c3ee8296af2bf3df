# %% [markdown]
# # [[title]]
#
# Many models with RoPE break on texts longer than those of their training. Rules repair a *trained* model by changing
# the speeds at which pairs of channels rotate. Llama 3.1, DeepSeek-V3 and gpt-oss each use one of them.
#
# One program loaded the rule of Llama 3 and forgot to use it. In contexts of 32,768 tokens of code, the perplexity
# ($e^{\text{loss}}$) of Llama 3.2 1B was 2,916 instead of 5.50 ([ik_llama.cpp, pull request
# 2291](https://github.com/ikawrakow/ik_llama.cpp/pull/2291)).
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
# We call a pair **closed** if it made at least one turn in training, $\rho_m \ge 1$. The others are *open*, and only
# they can meet clearly new angles. The border is not sharp, because a pair that made 1.2 turns met many of its angles
# rarely. How many pairs of real heads are closed?

# %%
heads = {"our study": (16, 10_000, 128), "LLaMA": (128, 10_000, 2048), "Llama 3": (128, 500_000, 8192)}
heads |= {"gpt-oss": (64, 150_000, 4096), "SmolLM2": (64, 100_000, 8192)}
for name, (d, base, length) in [*heads.items(), ("SmolLM2", (64, 10_000, 2048))]:
    made = rules.turns(frequencies(d, base), length)
    print(f"{name:9} base {base:7,}, {length:5,} tokens: {(made >= 1).sum():2} of {d // 2} pairs are closed")

# %% [markdown]
# SmolLM2 has two lines. It was pretrained with base 10,000 on texts of 2,048 tokens, by its makers' file (see
# *Sources*), for all of the announced 2 trillion tokens. The released file names 100,000 and 8,192. So a later, shorter
# stage changed both, and we do not know how long its texts were. With 8,192, 12 pairs are open.
#
# ## New angles do harm
#
# Do the open pairs of SmolLM2 ([[released_model|chapter #]]) do the harm? In a short text, we leave a *gap*: the
# positions of its second half move on by 16,384. So all distances between its halves are new.

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
# Now we let only some pairs feel the gap. A pair that makes a whole number of turns over the 16,384 skipped positions
# is back at its angle, so the gap changes nothing for it. We round speeds a little to make this so.
#
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
    with_gap[name], no_gap = rise(positions=gap, speeds=speeds), rise(speeds=speeds)
    print("{:12} feel the gap: {:+.2f} ± {:.2f}, no gap: {:+.2f} ± {:.2f}".format(name, *with_gap[name], *no_gap))
hidden = rise(mask=(place[:, None] < half) | (place >= half))
print("first half hidden:         {:+.2f} ± {:.2f}".format(*hidden))
assert with_gap["open pairs"][0] > 2 * hidden[0]

# %% [markdown]
# The open pairs alone do nearly all the harm. The closed pairs cost about as much as hiding the first half.
#
# ## Repairs by hand
#
# By what does each rule divide the speeds 1, 0.1, 0.01 and 0.001 of our small head, for $s = 8$?
#
# **Position interpolation** (Chen et al. 2023) divides all by $s$. Every angle stays in the trained range.
#
# **NTK-aware scaling** (/u/bloc97, 2023) raises the base to $\text{base} \cdot s^{d/(d-2)}$. This divides pair $m$ by
# $s^{2m/(d-2)}$, so pair 0 by 1 and the last pair, $m = d/2 - 1$, by $s$:

# %%
raised = 10_000 * s ** (8 / 6)
print(f"NTK's base: {raised:,.0f}, divisors", theta8 / rules.ntk(theta8, s))
assert np.allclose(rules.ntk(theta8, s), frequencies(8, raised))

# %% [markdown]
# **By parts** (Peng et al. 2023: NTK-by-parts) looks at the turns. A pair with more than $\beta$ turns keeps its speed,
# and one with fewer than $\alpha$ is divided by $s$. For the pairs in between, the two speeds are mixed:
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
# **Llama 3's rule** is by parts with $\alpha = 1$ and $\beta = 4$.
#
# **Your turn.** The table shows how many turns the eight pairs of the study's heads make. How large must NTK's $s$ be
# so that no pair meets new angles at 1,024, 8 times the training length?

# %%
theta = frequencies(16)
RULES = {
    "none": lambda s: theta,
    "interpolation": lambda s: rules.interpolated(theta, s),
    "NTK-aware": lambda s: rules.ntk(theta, s),
    "by parts, 1 to 4 (Llama 3)": lambda s: rules.llama3(theta, s, L),
    "by parts, 1 to 32": lambda s: rules.by_parts(theta, s, L),
    "open pairs stopped": lambda s: np.where(rules.turns(theta, L) < 1, 0, theta),
}

# %%
def repaired(rule="NTK-aware", s=8, length=1024):
    """The turns of each pair in training and, repaired, in a text of this length; which pairs meet new angles."""
    turns = np.array([rules.turns(theta, L), rules.turns(RULES[rule](s), length)])
    new = np.flatnonzero((turns[0] < 1) & (turns[1] > turns[0] * (1 + 1e-9)))
    said = f"Turns of each pair. Pairs that meet new angles: {', '.join(map(str, new)) or 'none'}."
    where, legend = ["in training", "in this text"], "darkest: a full turn or more"
    return figures.heatmap(turns, where, [f"pair {m}" for m in range(8)], digits=2, limit=1, legend=legend, alt=said)


assert "new angles: none." in repaired(s=128).alt
figures.play(repaired, attend=False, rule=list(RULES), s=[1, 2, 4, 8, 16, 32, 64, 128], length=[128, 256, 512, 1024])

# %% [markdown]
# It must be 128, not 8. Pair 3 is the fastest open pair, and NTK divides it by $s^{2 \cdot 3/(16 - 2)}$, which is 8 for
# $s = 128$.
#
# ## Read a `config.json`
#
# This is the part about positions in gpt-oss's file (newer files say `rope_parameters`). `factor` is $s$,
# `original_max_position_embeddings` is $L$, and `beta_fast` and `beta_slow` are $\beta$ and $\alpha$.
#
# There are two YaRNs. **YaRN's paper** (Peng et al. 2023) is by parts with $\alpha = 1$ and $\beta = 32$. In **YaRN's
# code**, which gpt-oss and DeepSeek use, $\gamma$ falls in equal steps from pair to pair, so some speeds differ. Both
# add a *temperature*: $f = 0.1 \ln s + 1$ multiplies query and key, so $f^2$ multiplies every score. (A file may give
# $f$ as `attention_factor`.) What does gpt-oss's rule do to a pair?

# %%
config = json.loads("""{"head_dim": 64, "rope_theta": 150000, "rope_scaling": {"rope_type": "yarn", "factor": 32.0,
    "original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false}}""")
rope = config["rope_scaling"]


def yarn_code(truncate):
    return rules.yarn(
        config["head_dim"], rope["factor"], rope["original_max_position_embeddings"], base=config["rope_theta"],
        fast=rope["beta_fast"], slow=rope["beta_slow"], truncate=truncate,
    )


divisors = frequencies(config["head_dim"], config["rope_theta"]) / yarn_code(rope["truncate"])
print("divisors:", *(f"pair {m}: {divisors[m]:.1f}" for m in (0, 8, 10, 14, 17, 18, 31)), sep="  ")
f = rules.yarn_factor(rope["factor"])
print(f"cos and sin are multiplied by {f:.3f}, so scores by {f**2:.2f}")

# %% [markdown]
# ## Repair the released model
#
# Now each rule with $s = 4$, without training, in committed runs on four texts of 384 tokens. One more candidate
# *stops* the rotation of the 16 slowest pairs. If 8,192 tokens were trained, no candidate takes an open pair past its
# trained angles at the gap of 16,384.

# %%
def mean_rise(experiment, condition):
    """The mean of four texts, and its standard error."""
    found = released_rows(experiment, condition=condition, n=384)
    error = sum(row["error"] ** 2 for row in found) ** 0.5 / len(found)
    return f"{np.mean([row['difference'] for row in found]):+.2f} ± {error:.2f}"


hidden = mean_rise("gaps", "first half hidden")  # the same with the gap: no query sees across it
table = [["as released", "+0.00", mean_rise("gaps", "gap 16384")], ["first half hidden", hidden, hidden]]
named = {"interpolation": "PI 4", "NTK-aware": "NTK 4", "YaRN's paper": "YaRN 4", "16 stopped": "slowest 16 stopped"}
for name, repair in named.items():
    table.append([name, *(mean_rise("gaps repaired", f"{repair}, gap {size}") for size in (0, 16384))])
for row in [["", "no gap", "gap of 16,384"], *table]:
    print("{:18}{:>15}{:>15}".format(*row))

# %% [markdown]
# Read the second row first: without the first half, the loss rises by 0.49. **NTK and YaRN remove most of the gap's
# 4.11, but they are no better than hiding the first half.** Interpolation costs two nats even without a gap, because it
# slows the closed pairs, too. Only stopping 16 pairs does better than hiding.
#
# ## In a long text
#
# How will 16 stopped pairs, the best with the gap, do in a long text? The control is a *window*: each layer sees token
# 0 and the last 1,024 tokens.

# %%
shown = {"as released": ("as released", "-"), "slowest 16 stopped": ("16 pairs stopped", "-.")}
shown |= {"NTK 2": ("NTK, s = 2", "-"), "YaRN 2": ("YaRN's paper, s = 2", ":")}
shown |= {"window 1024, kept [0]": ("window of 1,024", "--")}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
final = {}
for name, (label, style) in shown.items():
    (row,) = released_rows("by position", condition=name, n=16_384)
    final[name] = [part["loss"] for part in row["bins"]]
    ax.plot(range(7), final[name], style, marker="o", markersize=4, label=label)
    print(f"{label:19} 4,096 to 8,192: {final[name][5]:.2f}, 8,192 to 16,384: {final[name][6]:.2f}", end=", ")
    print(f"{row['difference']:+.2f} ± {row['error']:.2f} against as released")
ax.set_xticks(range(7), [f"to {part['to']:,}" for part in row["bins"]])
ax.set(xlabel="position in Alice", ylabel="loss in nats")
ax.legend(fontsize=8)
assert final["NTK 2"][6] < final["as released"][6] - 1
figures.show(fig, alt="The mean loss by position. As released it jumps beyond 8,192; with NTK, YaRN and a window it stays "
    "low; with stopped pairs it rises from 512 tokens on")

# %% [markdown]
# As released, the loss stays level up to 8,192, so such texts were probably trained. The stopped model fails even
# there: from 4,096 to 8,192 its loss is 1.9 nats higher. A gap adds distance but no keys, so it could not show harm
# from many keys. (We have not tested that this is the harm.) Call such a result a *gap test*, never a context length.
#
# Beyond 8,192, NTK and YaRN are 0.10 below the window, with an error of at most 0.06, the sum of the two printed. So in
# this text they seem to gain a little from far tokens.
#
# ## Compare with the control
#
# Papers usually train on after a repair. This may help by itself, so one control is **RoPE as it was, with the same
# further steps**. Another is RoPE in a window of 128. The study repaired RoPE models (three seeds, 128 tokens, 2,000
# steps) with $s = 8$ and continued at 1,024.

# %%
further = study.committed("repairs")
print(f"{'text, loss at 1,024':20}{'at once':>10}{'60 steps':>10}{'600 steps':>10}")
for name in ("as trained", "window", "interpolated", "NTK", "YaRN's code", "Llama 3"):
    print(f"{name:20}", end="")
    for steps, at in ((0, 128), (60, 1024), (600, 1024)):
        runs = study.pick(further, task="characters", repair=name, further=steps, at=at)
        print(f"{np.mean([row['loss'][3] for row in runs]):10.2f}", end="")
    print()

# %% [markdown]
# Compare the 1.28 of YaRN's code after 60 steps with the control's 1.84, not with 3.65. After 600 steps the control has
# caught up. And **no repair beats the window**: here, none shows any use of far tokens. (60 steps harm even the
# window.)
#
# ## Remember
#
# - A pair that made a whole turn in training meets hardly any new angle. The slow, open pairs do. In SmolLM2 their new
#   angles do most of a gap's harm.
# - Interpolation divides every speed by $s$. NTK divides only the slowest by $s$ and the faster ones by less. By parts
#   (Llama 3, YaRN) keeps pairs with many turns and divides those with few.
# - Test a repair on short texts, with a gap, on a long text *and* on far words.
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
# ## Deeper · Echoes
#
# In the long text, the model with stopped pairs failed. What is it that fast pairs alone cannot do? Like the hands of a
# clock, they come back to the same angle. Here are a fast and a slow pair of the study's heads, with a hand for each of
# three distances.

# %%
assert np.isclose(3, 380 % (2 * np.pi), atol=0.01)
figures.rope_clocks((3, 127, 380), d=16, pairs=(0, 4), title="Keys 3, 127 and 380 places back")

# %% [markdown]
# On the fast clock, a key 380 back looks like one 3 back. We call it an **echo**. The slow clock tells the two apart,
# but its angle at 380 is new. Take an ideal head, tuned to 3 tokens back as in [[rope|chapter #]] and using all its
# pairs equally. The score of a key at distance $r$ is proportional to the mean of $\cos((r - 3)\,\theta_m)$. How strong
# is the strongest echo in texts 8 times as long, with the closed pairs alone?

# %%
def tuned_to_3(speeds, distance):
    """The score of a key at each distance, by a head tuned to 3 back; 1 is the best possible."""
    return np.mean([np.cos((distance - 3) * speed) for speed in speeds], axis=0)


for name, (d, base_of_head, length) in heads.items():
    far = np.arange(length, 8 * length)
    speeds = frequencies(d, base_of_head)
    closed = speeds[rules.turns(speeds, length) >= 1]
    print(f"{name:9} {len(closed):2} closed pairs: {tuned_to_3(closed, far).max():.2f}, all pairs: {tuned_to_3(speeds, far).max():.2f}")

# %% [markdown]
# With three closed pairs the strongest echo is nearly as high as the key itself. With the 18 to 41 of real heads it is
# far lower, *if* the head uses all its closed pairs equally. A head that uses only a few of them may still hear echoes.
# Whether they are what harms SmolLM2 with stopped pairs, we have not tested.
#
# ## Deeper · A base without open pairs
#
# All pairs are closed if the slowest makes a whole turn within $L$, that is, if the base is at most
# $(L/2\pi)^{d/(d-2)}$. For the study's heads this is 31.3, so with base 31 no pair meets a new angle. What harm is
# left? ("Masked" hides all keys 128 or more places back.)

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
# With base 31 our models copy perfectly at 1,024, but their loss in text doubles. X. Liu et al. (2023) found that Llama
# 2 reads longer texts after tuning with a smaller base, too. Men et al. (2024) found that a base below a bound, which
# grows with the length, gives only a *superficial* ability: the loss stays low, but keys are not found. Others raise
# the base with the length: Xiong et al. (2023) trained Llama 2 on with a larger base and texts of up to 32,768 tokens.
#
# ## Deeper · More about the gap
#
# Why did we stop 16 pairs, if 12 are open? Here is the rise with the gap.

# %%
for k in (12, 13, 14, 15, 16, 17, 18):
    rises, made = mean_rise("stopped pairs", f"slowest {k} stopped, gap 16384"), rules.turns(trained, 2048)[32 - k]
    print(f"{k} stopped: {rises}, pair {32 - k} makes {made:.1f} turns in 2,048 tokens")

# %% [markdown]
# From 15 on it is small. Pairs 17 to 19 are closed at 8,192 tokens, but open at 2,048. So if the later stage mostly
# read shorter texts, which we do not know, some of their angles were rare. (Instruction tuning cut texts at 8,192:
# huggingface/alignment-handbook, recipes/smollm2.)
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
# before the question, and two in a long text, at two depths of 12,000 tokens of *Alice*.

# %%
def keys(experiment, condition):
    """How many pass keys are found."""
    found = released_rows(experiment, condition=condition)
    return f"{sum(row['right'] for row in found)} of {len(found)}"


for name, repair in named.items():
    print(f"{name:14} across a gap:", keys("pass keys repaired", f"10 fillers, gap 20000, {repair}"))
for name in ("as released", "NTK 2", "YaRN 2"):
    near, far = (keys("beyond", f"12000 tokens, depth {depth}, {name}") for depth in (0.67, 0.1))
    print(f"{shown[name][0]:21} told 4,000 back: {near}, told 10,800 back: {far}")

# %% [markdown]
# Across the gap YaRN finds all and NTK none, at the same loss. In the long text both find all, and the model as released
# finds one of those 4,000 back.
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
# Strength 8 divides the slowest pair by 57, not by 8, because $s = 1 + 8\,(n/L - 1)$. Qwen 3's cards offer YaRN with a
# factor of 4 for every length, and warn that it may harm short texts.
#
# All rules that read the length have a problem with a cache: as the text grows, the speeds change, but cached keys were
# rotated with earlier ones. So the course's `RoPE` caches keys *unrotated* if its speeds depend on the length.
#
# **p-RoPE** (Barbero et al. 2024) trains with stopped slow pairs from the start, which then compare content alone.
#
# ## Deeper · The released code
#
# What does `truncate` in gpt-oss's `config.json` do? In YaRN's code $\gamma$ falls in equal steps from pair to pair,
# from 1 at the pair that would make 32 turns to 0 at the one that would make 1. Which pairs of gpt-oss are these?

# %%
for turns in (32, 1):
    pair = 64 * np.log(4096 / (2 * np.pi * turns)) / (2 * np.log(150_000))  # solves 4096 · base^(−2m/64) / 2π = turns
    print(f"turns {turns:2}: pair {pair:.2f}")

# %% [markdown]
# The code rounds them to 8 and 18; `"truncate": false` means not to. vLLM ignored this key until its
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

    sizes = {"hidden_size": 16, "num_attention_heads": 1, "head_dim": 16}
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
from course_tasks import questions

questions.claims("stretching_rope")

# %% [markdown]
# **Sources** S. Chen et al., *Extending Context Window of Large Language Models via Positional Interpolation*, 2023 ·
# /u/bloc97 and /u/emozilla, posts in r/LocalLLaMA, 2023 · B. Peng et al., *YaRN*, 2023, and its code, jquesnelle/yarn ·
# Llama 3.1's code, `apply_scaling` in meta-llama/llama-models · Y. Ding et al., *LongRoPE*, 2024 · F. Barbero et al.,
# *Round and Round We Go!*, 2024 · X. Liu et al., *Scaling Laws of RoPE-based Extrapolation*, 2023 · X. Men et al.,
# *Base of RoPE Bounds Context Length*, 2024 · W. Xiong et al., *Effective Long-Context Scaling of Foundation Models*,
# 2023 · SmolLM2's pretraining, `config_smollm2_135M.yaml` in huggingface/smollm · the code of `transformers`.
