# %% [markdown]
# # [[title]]
#
# Long texts are expensive to train on, so most training uses short ones, and models then read longer ones. "Relative
# positions generalise to longer sequences" is true of some schemes and false of others. And it hides two questions:
# does a longer text *disturb* the model, and does the model *use* it? We ask both of small models, trained on texts of
# 128 tokens and tested on up to 1,024, and then of a released model.
#
# **You will be able to**
# - say what each scheme meets beyond its training length: an untrained number, a shared one, or a formula that
#   continues;
# - read a verdict over several seeds, and ask what a control would have scored;
# - tell a model that uses a longer text from one that only survives it;
# - test your own model in five steps.
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
from course_lib.reference.t5 import bucket, bucket_starts

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
L = 128  # the training length, here and below
lengths = (128, 256, 512, 1024)
tasks = ("copy-back", "flip-flop", "induction", "retrieval")

# %% [markdown]
# ## What is new in a longer text?
#
# A decoder that was trained on texts of 128 tokens has met the distances 0 to 127. In a text of 1,024 tokens, how many
# pairs of query and key have a new distance?

# %%
i, j = np.tril_indices(1024)
new = np.sum(i - j >= L)
print(f"{new:,} of {i.size:,} pairs, {new / i.size:.1%}")
assert new == 896 * 897 / 2

# %% [markdown]
# Three quarters of the pairs are new. What does a scheme have for them?
#
# | past the training length, it meets | schemes of the study | released |
# |---|---|---|
# | only more keys | no positions (`none`) | some layers of Llama 4 |
# | numbers that no text has trained | `learned` positions, T5 with `max_distance` 256 (`t5-256`) | |
# | one trained thing for all far keys (**saturated**) | T5 with `max_distance` 64 (`t5-64`), Shaw, clipped at 32 (`shaw-32`) | T5 |
# | a formula that continues | log decay (`log-1`), ALiBi | BLOOM, MPT |
# | sines or angles never seen | sinusoidal, Transformer-XL, RoPE (in its slow pairs) | Llama |
# | nothing: it sees no farther | RoPE in a window of 64 (`window-64`) | Mistral 7B v0.1 (4,096) |
#
# The last one is our **control**. Each of its two layers reaches 63 tokens back, so nothing farther than 126 can reach
# a query. What the control can do needs no long text.
#
# ## The study
#
# `course_study` trains decoders with two layers, four heads and 64 channels for 2,000 steps of eight texts. They differ
# in position alone (T5's table is also trained in another way, see *Deeper*). There are three seeds and five tasks:
#
# | task | the model reads | and must name |
# |---|---|---|
# | **characters** | Python's own help texts, called *text* from here on | the next character |
# | **copy-back** | random tokens: `7 2 9 4` | the token 3 places before: `7` |
# | **flip-flop** | instructions and bits: `write 1 ignore 0 read` | the last bit written: `1` |
# | **induction** | a string, other tokens, the string again: `k f m … k f` | its next token: `m` |
# | **retrieval** | eight names with their values, then a name: `Ada=3 … Ada` | the value: `3` |
#
# How far back, in a test text of 1,024 tokens, is the token that a question needs? Here and in all tests, only
# questions in the last 64 places count.

# %%
for task in tasks:
    _, _, back = study.TASKS[task].batch(1024, 64, torch.Generator().manual_seed(123), True)
    back = back[:, -64:][back[:, -64:] > 0]
    far = (back >= L).float().mean()
    print(f"{task:10} {back.min():4} to {back.max():4} tokens back, {far:4.0%} far")
    assert (far > 0.2) == (task != "copy-back")

# %% [markdown]
# *Far* means 128 or more back: farther than any training text reaches. In copy-back nothing is far.
#
# ## What did they learn at 128?
#
# A model that cannot do a task at the training length says nothing about length. So we look at that first. Here are the
# three seeds of Shaw's scheme in flip-flop:

# %%
study_rows = study.committed("long")


def runs(task, scheme):
    """The three seeds of a scheme in a task."""
    return study.pick(study_rows, task=task, scheme=scheme)


print("right at 128 tokens:", *(f"{row['accuracy'][0]:.0%}" for row in runs("flip-flop", "shaw-32")))

# %% [markdown]
# One seed learned the task, and two did not. We call a task **learned** if *all* three answer at least 90 % of its
# questions. So the lowest seed decides:

# %%
schemes = study.groups(L)["compared"]
lowest = [[min(row["accuracy"][0] for row in runs(task, scheme)) for task in tasks] for scheme in schemes]
figures.heatmap(100 * np.array(lowest), schemes, tasks, digits=0, alt="Right at 128 tokens in percent, the lowest seed")

# %% [markdown]
# A task that was not learned gets no verdict. Without positions, our model learns only retrieval, which needs no order.
#
# ## Does a longer text disturb them?
#
# The *rise* is the loss at 1,024 tokens minus that at 128, in nats. For RoPE in text:

# %%
print("rise of each seed:", *(f"{rise:+.2f}" for rise in study.rises(runs("characters", "rope"))))

# %% [markdown]
# We fixed two bounds before the runs. A scheme is **level** if no seed rises by more than 0.05, and **breaks** if every
# seed rises by more than 0.25. If every seed rises by more than 0.05, it **rises**.

# %% tags=["hide-input"]
# @title Question
pairs = {
    "Sinusoidal and RoPE": ("sinusoidal", "rope"),
    "T5 with max_distance 256": ("t5-256", "learned"),
    "ALiBi and the control": ("alibi", "window-64"),
    "No positions": ("none", "log-1"),
}
word = {name: study.verdict(runs("characters", name)) for pair in pairs.values() for name in pair}
[level] = [pair for pair, names in pairs.items() if all(word[name] == "level" for name in names)]
figures.question(
    "Text, trained at 128 and tested at 1,024. Which pair keeps its loss?",
    options={
        "Sinusoidal and RoPE: their formulas never end":
            "A formula that never ends can still produce inputs that the weights have never met.",
        "T5 with max_distance 256, and learned positions":
            "Both read numbers that no text has trained: four buckets in the first, 896 rows in the second.",
        "ALiBi and the control, a window of 64":
            "Yes. For the control nothing is new, and ALiBi's bias keeps falling.",
        "No positions, and the log decay":
            "They have nothing untrained. Even so, the loss of both rises.",
    },
    answer=level,
)

# %% [markdown]
# Where does the harm come from? We also test with all keys **masked** (hidden) that are 128 or more back, in every
# layer. Then no distance is new. Here is the mean loss of three seeds.

# %%
order = ("level", "rises", "breaks")
word = {scheme: study.verdict(runs("characters", scheme)) for scheme in schemes}
by_verdict = sorted(schemes, key=lambda scheme: order.index(word[scheme]))
table = []
for scheme in by_verdict:
    losses, masked = (np.mean([row[what] for row in runs("characters", scheme)], 0) for what in ("loss", "far_masked"))
    table.append([losses[0], losses[3], masked[3]])
    assert abs(masked[3] - losses[0]) < 0.05 or scheme in ("none", "learned", "sinusoidal")
labels = [f"{scheme}: {word[scheme]}" for scheme in by_verdict]
figures.heatmap(table, labels, ["128", "1,024", "1,024, far keys masked"], digits=2, alt="Loss in text by test length")

# %% [markdown]
# In text, numbers and inputs that no text has trained break our models; only Transformer-XL bears its new sines. A
# formula that continues is not enough: with `log-1` the loss rises.
#
# Masked, every relative scheme returns to its loss at 128: **all the harm came from far keys**. `learned` and
# `sinusoidal` stay broken, because their *near* tokens have new positions, too. (`none` returns in part.)
#
# ## Level is not the same as useful
#
# Four schemes are level, and masking costs them nothing: they did not need the far keys. `window-64` cannot even see
# them. **Level does not show that a model uses a long text.** What can? Questions whose answer is far. How many are
# right, at 128 and at 1,024 tokens? (A dash: not learned.)

# %%
print(f"{'128 → 1,024':14}", *(f"{task:>12}" for task in tasks))
for scheme in schemes:
    cells = []
    for task in tasks:
        right = np.mean([row["accuracy"] for row in runs(task, scheme)], axis=0)
        cells.append(f"{right[0]:.0%} → {right[3]:3.0%}" if study.learned(runs(task, scheme)) else "–")
    print(f"{scheme:14}", *(f"{cell:>12}" for cell in cells))

# %% [markdown]
# The control falls to guessing in retrieval (one in eight) and loses answers in flip-flop, so these tasks do need far
# tokens. Transformer-XL stays near nine in ten or above everywhere.
#
# The loss in text predicts little. `learned` and `t5-256` break in text, and answer nearly every question of retrieval.
# `t5-64` is level, but copies only three in four. ALiBi is level, and loses more than half of retrieval: its flattest
# head subtracts 4 from a key 1,000 tokens back.
#
# ## A released model
#
# SmolLM2-135M ([[released_model|chapter #]]) was made for texts of up to 8,192 tokens.
# It reads 512 tokens of *Alice in Wonderland*. Near the beginning we insert "The pass key is 60494.", and at the end
# "What is the pass key? The pass key is 60494". Then we give each layer a window of 128 tokens, and keep token 0, which
# the model needs ([[windows_and_sinks|chapter #]]). Predict both losses: of the second half's words, and of the five
# digits at the end.

# %% tags=["nbval-ignore-output"]
from course_lib import released
from course_study.released import rows as released_rows
from course_study.released.experiments import in_text

model = released.load()
tokens, found = in_text(model, "60494", 512, depth=0.1), {}
for name, change in {"all keys": {}, "window of 128": {"window": 128, "sinks": [0]}}.items():
    with model.changed(**change):
        losses = model.losses(tokens)
    found[name] = losses[256:-20].mean(), losses[-5:].mean()  # the words; the digits
    print(f"{name:14} words {found[name][0]:.2f}, digits {found[name][1]:.2f}")
untold = released_rows("depths", condition="no key", text="60494")[0]["loss"]
print(f"{'never told':14} {'':11} digits {untold:.2f} (committed run of another text)")
assert abs(found["window of 128"][0] - found["all keys"][0]) < 0.1
assert found["all keys"][1] < 1 < 2 < found["window of 128"][1]

# %% [markdown]
# By the loss on the words, the window does no harm. But the pass key is lost, as if it had never been told. **A mean
# loss hides the few tokens that need a far one.**
#
# What happens past 8,192 tokens? Committed runs read more of *Alice*: as released, with a window, and with NTK, a
# repair of RoPE ([[stretching_rope|chapter #]]).

# %%
names = {"as released": "as released", "window 1024, kept [0]": "window, token 0 kept", "NTK 2": "NTK, s = 2"}
print(f"{'mean loss at positions':22} 4,096 to 8,191   8,192 to 16,383")
for condition, name in names.items():
    [row] = released_rows("by position", condition=condition, n=16384)
    print(f"{name:22} {row['bins'][-2]['loss']:14.2f} {row['bins'][-1]['loss']:17.2f}")

# %% [markdown]
# Past its training length, this model breaks as our small RoPE models do: on the same words, its loss is 4.31, and
# 2.93 in the window. NTK keeps it low, too. Is a pass key still found? We try two.

# %%
told = {
    "4,000 back": ("depths", "8000 tokens, depth 0.5"),
    "7,200 back": ("depths", "8000 tokens, depth 0.1"),
    "10,800 back": ("beyond", "12,000 tokens, as released"),
    "10,800 back, NTK": ("beyond", "12,000 tokens, NTK 2"),
    "never": ("depths", "no key"),
}
for name, (experiment, condition) in told.items():
    tries = released_rows(experiment, condition=condition)
    right, loss = sum(row["right"] for row in tries), np.mean([row["loss"] for row in tries])
    print(f"told {name:17} {right} of {len(tries)} found, loss on the digits {loss:.2f}")

# %% [markdown]
# Within the training length the model uses far tokens, but not fully: of the pass keys 7,200 back it finds neither, yet
# the loss shows that it knows part of the digits. With NTK it finds even those that are farther.
#
# ## A test for your model
#
# 1. Take the loss of the *same* last tokens with 1, 2 and 4 times the training length before them.
# 2. Run a control beside it: the same model with a window, as `window-64` was ours.
# 3. Mask or shuffle the far half. If the loss stays, the model did not need it.
# 4. Ask for something told far back, such as a pass key, at several depths.
# 5. Repeat with other texts, and print differences with their error.
#
# Benchmarks such as RULER do step 4 in full: of the models that claimed 32,000 tokens or more, only half still did well
# at 32,000 (Hsieh et al. 2024).
#
# ## Remember
#
# - Ask of every scheme what a longer text needs that training did not reach: untrained numbers or inputs, saturated
#   buckets, or a formula that continues.
# - Mask the far keys to see whether a rise comes from them. In our models, with relative positions, all of it does.
# - Level means undisturbed. A window is level, too.
# - A model uses a long text if it answers questions that need far tokens, and if masking them costs it something.
# - A result needs several seeds, a control, and a task that was learned.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A decoder's T5 table (32 buckets, max_distance 128) is trained on texts of 200 tokens, and reads texts of 5,000. What happens to its biases?",
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
    "A paper reports: \"trained at 4,096, the loss on news articles stays level up to 32,768 tokens.\" What do you ask for first?",
    options={
        "More articles, for a smaller error":
            "The error may already be small. A smaller one does not tell what the loss measures.",
        "The loss of the same model with a window of 4,096":
            "Yes. If the window is level too, the result says nothing about far tokens.",
        "The perplexity instead of the loss":
            "It is e to the power of the loss, so it says the same.",
    },
    answer="The loss of the same model with a window of 4,096",
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
# [[tasks]]: six, from a forecast to an evaluation that makes every scheme look good, and a scheme of your own. Two of
# them need the *span* from the first section below.
#
# **Next:** [[next]]
#
# ## Deeper · How wide does a bias look?
#
# Suppose that content does not matter: the weights are the softmax of the bias alone. How many keys does a query look
# at? The **entropy** $H$ (Shannon 1948) gives an answer:
#
# $$H = -\sum_j w_j \ln w_j, \qquad \text{span} = e^H.$$
#
# If $m$ keys share the weight equally, $H = \ln m$ and the span is $m$. For any other row, the span says how many
# equal weights would be as spread out.

# %%
def row_weights(bias):
    """The softmax of one row of biases."""
    w = np.exp(bias - bias.max())
    return w / w.sum()


def span(w):
    """e^H; a weight of 0 adds nothing to the entropy."""
    w = w[w > 0]
    return np.exp(-np.sum(w * np.log(w)))


print(f"4 equal weights: span {span(np.full(4, 1 / 4)):.2f}; ½, ¼, ¼ and 0: {span(np.array([0.5, 0.25, 0.25, 0])):.2f}")

# %% [markdown]
# Here it is for three log decays and a straight line with ALiBi's slope 1/16, as the text grows.

# %%
sizes = [64, 256, 1024, 4096, 16_384]
decays = {
    "log, strength 0.3": lambda d: -0.3 * np.log1p(d),
    "log, strength 1": lambda d: -np.log1p(d),
    "log, strength 2": lambda d: -2 * np.log1p(d),
    "linear, slope 1/16": lambda d: -d / 16,
}
print(f"{'span for keys':20}", *(f"{m:8,}" for m in sizes))
spans = {name: [span(row_weights(b(np.arange(m)))) for m in sizes] for name, b in decays.items()}
for name, found in spans.items():
    print(f"{name:20}", *(f"{s:8.1f}" for s in found))
assert spans["log, strength 1"][-1] > 10 * spans["log, strength 1"][0]
assert spans["log, strength 2"][-1] < 6

# %% [markdown]
# Strength $\lambda$ makes the weights proportional to $(1 + d)^{-\lambda}$. With $\lambda \le 1$ their sum over all
# distances is infinite, and the span grows without limit. With $\lambda > 1$, and for a straight line, the sum is
# finite and the span settles.
#
# ## Deeper · How far back do they go wrong?
#
# Here is the loss in flip-flop at 1,024 tokens by the distance of the last write (0.69 is guessing).

# %%
octaves = range(9)  # 1, 2 to 3, 4 to 7, …, 256 to 511 tokens back
print(f"{'from … tokens back':18}", *(f"{2**k:6}" for k in octaves))
for scheme in ("transformer-xl", "alibi", "window-64", "rope"):
    by_distance = np.mean([row["by_distance"][:9] for row in runs("flip-flop", scheme)], axis=0)
    print(f"{scheme:18}", *(f"{loss:6.2f}" for loss in by_distance))
    assert scheme == "rope" or by_distance[:5].max() < 0.1 < by_distance[7:].min()
print(f"guessing: {np.log(2):.2f}")

# %% [markdown]
# ALiBi goes wrong at 128 tokens, where its training ended. Transformer-XL fails already from 64 on, at distances that
# it was trained on. So not only new distances do harm. RoPE is wrong about near writes, too.
#
# ## Deeper · Strength is not form
#
# Is it the line that keeps ALiBi level, or its strength? We train logarithms and lines with one strength for all
# heads, with another for each (`log-four` and `alibi`), and with strengths that each head learns (KERPLE, Chi et al.
# 2022).

# %%
every = study_rows + study.committed("decays")
print(f"at distance 500: −{2 * np.log1p(500):.0f} by strength 2, −{500 / 16:.0f} by slope 1/16")
print(f"{'in text':14} at 128    rise of each seed      flip-flop, 128 → 1,024")
for scheme in ("log-1", "log-2", "log-four", "log-learned", "linear-one", "alibi", "linear-learned"):
    text, bits = (study.pick(every, task=task, scheme=scheme) for task in ("characters", "flip-flop"))
    rises = " ".join(f"{rise:+.2f}" for rise in study.rises(text))
    right = np.mean([row["accuracy"] for row in bits], axis=0)
    print(f"{scheme:14} {np.mean([row['loss'][0] for row in text]):6.2f}    {rises:20} {right[0]:6.0%} → {right[3]:.0%}")

# %% [markdown]
# In text, strength decides in these models: with strength 2, with one strength per head, and with learned ones, a
# logarithm is level, too, and better than ALiBi at 128. Learned strengths make the line as good. In flip-flop the form
# shows: these logarithms answer nearly everything at 1,024, and the lines miss the far writes.
#
# ## Deeper · A table that broke, and its repair
#
# `t5-256` and `t5-64` are equally good at 128 tokens. Which of their 32 buckets does training reach, and how often? A
# text of 128 tokens has $128 - d$ pairs at distance $d$ ([[t5_buckets|chapter #]]).

# %%
distance = np.arange(L)
trained = {}
for max_distance in (256, 64):
    starts = bucket_starts(bidirectional=False, max_distance=max_distance)
    found = bucket(-distance, bidirectional=False, max_distance=max_distance)
    trained[max_distance] = np.bincount(found, weights=L - distance, minlength=32).astype(int)
    print(f"max_distance {max_distance}: buckets 22 to 31 begin at", *starts[22:])
    print("  pairs that train them:            ", *trained[max_distance][22:])

assert (trained[256][28:] == 0).all()

# %% [markdown]
# With `max_distance` 256, **no training text ever reaches buckets 28 to 31**, so their numbers stay near their random
# initial values. With `max_distance` 64, the last bucket begins at 59. Each text trains it with 2,415 pairs, and every
# larger distance falls into it. This table **saturates**.

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
# What has the first layer of each learned to add (seed 0, a line per head)?

# %%
from course_study.run import distances

at_distance = np.array(distances(1024))
fig, axes = plt.subplots(1, 2, figsize=(7, 2.9), sharey=True)
added = {}
for ax, scheme in zip(axes, ("t5-256", "t5-64"), strict=True):
    added[scheme] = np.array(runs("characters", scheme)[0]["added"])  # (heads, distances)
    ax.plot(at_distance, added[scheme].T, linewidth=1.3)
    ax.axvline(L - 1, color="#57606a", linewidth=0.8, linestyle="--")
    ax.set(title=scheme, xlabel="distance", xscale="symlog", xticks=[1, 10, 100], xticklabels=[1, 10, 100], xlim=0)
axes[0].set_ylabel("added to the score")
fig.tight_layout()
print(f"t5-256 at distance 96: {added['t5-256'][:, at_distance == 96].ravel().round(1)}, e⁵ = {np.exp(5):.0f}")
assert added["t5-256"][:, at_distance == 96].max() < -5
assert abs(added["t5-256"][:, at_distance >= L]).max() < 0.1
figures.show(fig, alt="What two T5 tables add by distance. t5-256 falls below −5 and jumps back to 0 past distance 127; "
    "t5-64 stays down")

# %% [markdown]
# Training pushed the biases of far keys below −5. The four buckets that it never reached stayed near 0. **To the
# softmax, 0 does not mean "no opinion": it gives more than $e^5 = 148$ times the weight of distance 96.** If that is
# the cause, the repair needs no training: give the four buckets the number of the last trained one. To have a model to
# repair, we train `t5-256` for 300 steps.

# %% tags=["nbval-ignore-output"]
training = study.watch(["t5-256"])
training.picture

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


log_keys = torch.tensor([25, 29, 34, 808]).log() - np.log(20)  # distances up to 1,023 in buckets 28 to 31; 20 in 27
lowered = trained_table[27] - log_keys[:, None]
as_trained, copied, shared = map(with_rows, (trained_table[28:], trained_table[27], lowered))
for name, losses in {"as trained": as_trained, "row 27 copied": copied, "and lowered": shared}.items():
    print(f"{name:15}", *(f"{x:6.3f}" for x in losses))
assert copied[0] == as_trained[0]  # at 128 nothing reads these rows
assert copied[3] - copied[0] < 0.6 * (as_trained[3] - as_trained[0])
assert shared[3] < copied[3]

# %% [markdown]
# One assignment removes a large part of the rise. What is left comes from numbers: at 1,024 tokens, 808 distances share
# bucket 31, and only 20 share bucket 27. In the last line, each row is lower by the logarithm of that ratio, so all its
# keys together weigh as much as those of bucket 27 (for equal content). Nearly all of the rise is gone.
#
# ## Deeper · Other choices
#
# In the study, T5's table learns ten times faster than the rest of the model, is shared by both layers, and is added to
# scaled scores. Does a result depend on such choices? Here are three others: twice the steps, 300 steps, and a T5 table
# that learns no faster.

# %%
others = {"4,000 steps": "longer", "300 steps": "quick", "table at ordinary rate": "table-rate-1"}
for name, file in others.items():
    for scheme in schemes:
        text = study.pick(study.committed(file), task="characters", scheme=scheme)
        if text and study.verdict(text) != study.verdict(runs("characters", scheme)):
            rises = " ".join(f"{rise:+.2f}" for rise in study.rises(text))
            print(f"{name}: {scheme} {study.verdict(text)} ({rises}), not {study.verdict(runs('characters', scheme))}")

# %% [markdown]
# After 300 steps we would have said that learned positions and no positions stay level, and that a saturated T5 table
# breaks. It does break if it learns at the ordinary rate: a step of Adam usually moves a number by at most about the
# learning rate, and the bias of far keys must move far. **In our models, a saturated bucket is safe only if its number
# is low enough for all the keys that share it.**
#
# ## Deeper · What the papers report
#
# Press et al. (2022) train language models on WikiText-103, in texts of 512 tokens. Sinusoidal positions improve up to
# 20 additional tokens and get worse after 50. Rotary ones improve up to 200, T5's bias up to 600, and ALiBi even past
# 12,000 (sections 2 and 4; perplexity 19.73 at 512 and 18.40 at 3,072). Their appendix B explains why ALiBi improves:
# in longer inputs a smaller share of the tokens comes early, with little to go by (the *early token curse*, Press,
# Smith and Lewis 2021). When every token has the same context, its curve is nearly level. ALiBi acts like attention in
# a window (Chi et al. 2023). Dai et al. (2019, section 1) claim that Transformer-XL's encoding generalises to longer
# attention than in training, but their evaluation clips the distances not far beyond those of training.
#
# Without positions, Kazemnejad et al. (2023) find the best results on small reasoning tasks at twice the length. Wang
# et al. (2024) find that such models read farther than RoPE and then fail because attention spreads out.
#
# ## Deeper · Run it yourself
#
# In a terminal, in the course's folder (`.venv\Scripts\python` on Windows):
#
# ```sh
# .venv/bin/python -m course_study --out mine.jsonl
# ```
#
# This trains eleven schemes for 300 steps, about six minutes on two cores. Name others, as in
# `… flip-flop rope t5-96 --seeds 5`. `--preset long` takes 2,000 steps.
#
# ## Easy to believe; let us run it

# %%
from course_tasks import questions

questions.claims("longer_than_training")

# %% [markdown]
# **Sources** O. Press et al., *Train Short, Test Long*, 2022 · Z. Dai et al., *Transformer-XL*, 2019, and
# its code, kimiyoung/transformer-xl · T.-C. Chi et al., *Dissecting Transformer Length Extrapolation*, 2023, and
# *KERPLE*, 2022 · A. Kazemnejad et al., *The Impact of Positional Encoding on Length Generalization in Transformers*,
# 2023 · J. Wang et al., *Length Generalization of Causal Transformers without Position Encoding*, 2024 · C.-P. Hsieh et
# al., *RULER*, 2024 · C. E. Shannon, *A Mathematical Theory of Communication*, 1948 · B. Liu et al., *Exposing
# Attention Glitches with Flip-Flop Language Modeling*, 2023.
