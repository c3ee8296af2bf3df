# %% [markdown]
# # [[title]]
#
# "Relative positions generalise to longer sequences" is true of some schemes and false of others. The sentence hides
# two questions: does a longer text *disturb* the model, and does the model *use* it? We ask both of small models,
# trained on 128 tokens and tested on up to 1,024, and then of a released one.
#
# **You will be able to**
# - say what each scheme meets beyond its training length;
# - read a verdict over several seeds;
# - tell a model that uses a longer text from one that only survives it;
# - test your own model.
#
# **You need** chapters [[bias_by_hand|#]], [[vector_per_distance|#]], [[transformer_xl|#]], [[t5_buckets|#]],
# [[alibi|#]], [[rope|#]] and [[released_model|#]]. **Time** [[time]].

# %%
import numpy as np
import torch

import course_study as study
from course_kit import figures
from course_lib.reference.t5 import bucket, bucket_starts

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
L = 128  # the training length, here and below

# %% [markdown]
# ## What is new in a longer text?
#
# Suppose that a decoder was trained on texts of three tokens. It has met the distances 0, 1 and 2. In "The cat sat
# on mat" two distances are new: "on" is 3 after "The", and "mat" is 3 after "cat" and 4 after "The". So 3 of the 15
# pairs of query and key have a new distance. What is their share in 1,024 tokens, after training on 128?

# %% tags=["hide-output"]
for trained, n in ((3, 5), (L, 1024)):
    i, j = np.tril_indices(n)  # each query i with the keys j that it may see
    new = np.sum(i - j >= trained)
    print(f"trained on {trained:3}, tested on {n:5,}: {new:7,} of {i.size:7,} pairs are new, {new / i.size:.0%}")

# %% [markdown]
# What does each scheme of the study meet at these pairs? (A name that is new can wait: the chapters listed above
# explain it.)
#
# | past the training length, it meets | schemes |
# |---|---|
# | only more keys | no positions (`none`) |
# | numbers that no text has trained | `learned` positions, T5 with `max_distance` 256 (`t5-256`) |
# | one trained number or vector for all far keys (**saturated**) | T5 with `max_distance` 64 (`t5-64`), Shaw, clipped at 32 (`shaw-32`) |
# | a formula that continues | log decay of strength 1 (`log-1`), ALiBi |
# | sines or angles never seen | sinusoidal, Transformer-XL, RoPE in its slow pairs |
# | nothing new, because each layer sees only 64 keys | RoPE in a window of 64 (`window-64`) |
#
# The last scheme is our **control**. In each of its two layers, a query sees 63 tokens back, so in both together 126.
# Its answers depend on the last 127 tokens alone.
#
# ## The study
#
# `course_study` trains decoders with two layers, four heads and 64 channels for 2,000 steps of eight texts. They differ
# in their scheme of position, and in one learning rate: that of T5's table is ten times as high. Each scheme has three
# seeds. Two of the tasks:
#
# | task | the model reads | and must name | guessing |
# |---|---|---|---|
# | **text** | Python's own help texts | the next character | |
# | **retrieval** | `Ada=3 … Ada` | the value: `3` | 1 in 8 |
#
# In retrieval, the first half of a text has eight pairs such as `Ada=3`, each one token. The second half asks for them.
# Only the last 64 places of a test text count. In the task *text*, they are the same characters at every length.
#
# ## Does a longer text disturb them?
#
# In text, the *rise* is the loss at 1,024 tokens minus that at 128, in nats. For RoPE:

# %%
study_rows = study.committed("long")


def runs(task, scheme):
    """The three seeds of a scheme in a task."""
    return study.pick(study_rows, task=task, scheme=scheme)


print("rise of each seed:", *(f"{rise:+.2f}" for rise in study.rises(runs("characters", "rope"))))

# %% [markdown]
# A verdict needs all three seeds:
#
# | verdict | rise of the seeds |
# |---|---|
# | **level** | none is more than 0.05 |
# | **rises** | each is more than 0.05 |
# | **breaks** | each is more than 0.25 |
# | **seeds differ** | some are above a bound, and some below |
#
# So RoPE breaks.

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
# Does the harm come from the far keys? We also mask all keys 128 or more back, so that no distance is new. Here are the
# seeds' rises and the mean losses. Read the last row first. `rope` has 1.19 at 128 tokens, 3.65 at 1,024, and without
# the far keys 1.19 again.

# %%
order = ("level", "rises", "breaks")
schemes = study.COMPARED
word = {scheme: study.verdict(runs("characters", scheme)) for scheme in schemes}
by_verdict = sorted(schemes, key=lambda scheme: order.index(word[scheme]))
table = []
for scheme in by_verdict:
    losses, masked = (np.mean([row[what] for row in runs("characters", scheme)], 0) for what in ("loss", "far_masked"))
    table.append([losses[0], losses[3], masked[3]])
    assert abs(masked[3] - losses[0]) < 0.05 or scheme in ("none", "learned", "sinusoidal")
    print(f"{scheme:14} {word[scheme]:7}", *(f"{rise:+.3f}" for rise in study.rises(runs("characters", scheme))))
labels = [f"{scheme}: {word[scheme]}" for scheme in by_verdict]
figures.heatmap(table, labels, ["128", "1,024", "1,024, far keys masked"], digits=2, alt="Loss in text by test length")

# %% [markdown]
# Without far keys, all eight schemes with relative positions return to their loss at 128 (within 0.05). **In the four
# that rise or break, the harm in text came from far keys.** `learned` and `sinusoidal` stay broken, because even their
# near tokens have positions that training did not reach. `none` returns less than half-way. (`shaw-32` only just
# *rises*.)
#
# Compare the verdicts with the first table. In text, the models with untrained numbers or with new sines or angles
# break, except Transformer-XL. (RoPE can break without new angles, too: *Deeper*.) A formula that continues is not
# enough: ALiBi is level, but `log-1` rises.
#
# ## Level is not the same as useful
#
# Four schemes are level in text, and masking the far keys costs them nothing. So in text they do not need these keys.
# Retrieval needs them, because all values are in the first half. How many answers are right? For 1,024 tokens we print
# the lowest and highest seed.

# %%
print(f"{'':14}  text     retrieval at 128   at 1,024")
for scheme in by_verdict:
    first, last = ([row["accuracy"][k] for row in runs("retrieval", scheme)] for k in (0, 3))
    print(f"{scheme:14}  {word[scheme]:7}{np.mean(first):18.0%}{f'{100 * min(last):.0f}–{max(last):.0%}':>11}")

# %% [markdown]
# The control falls to guessing, because the names lie farther back than it reaches. **A level loss does not show that a
# model uses the longer text.**
#
# The verdict in text predicts little here. ALiBi is level, and misses more than half of the answers. `learned` and
# `t5-256` break, and answer nearly every question. They can, because retrieval does not need positions, as `none`
# shows: one token holds a name and its value, so its content is enough to find it.
#
# ## A released model
#
# SmolLM2-135M ([[released_model|chapter #]]) reads a text of 512 tokens, most of them from *Alice in Wonderland*.
# Near the beginning we insert "The pass key is 60494. Remember it. 60494 is the pass key.", and at the end "What is the
# pass key? The pass key is 60494".
#
# We hide the far keys: in each layer, a query sees only the last 128 tokens, and token 0, which the model needs
# whatever word it is ([[windows_and_sinks|chapter #]]). Which will rise: the loss of the words in the second half, or
# that of the five digits at the end?

# %% tags=["hide-output", "nbval-ignore-output"]
from course_lib import released
from course_study.released.experiments import in_text

model = released.load()
tokens, losses = in_text(model, "60494", 512, depth=0.1), {}
for name, change in {"all keys": {}, "window of 128": {"window": 128, "sinks": [0]}}.items():
    with model.changed(**change):
        losses[name] = model.losses(tokens)
rise = losses["window of 128"] - losses["all keys"]
for name, part in {"words": slice(256, -20), "digits": slice(-5, None)}.items():  # the question begins at −20
    error = rise[part].std() / len(rise[part]) ** 0.5
    print(f"{name:6} {losses['all keys'][part].mean():.2f}, with the window {rise[part].mean():+.2f} ± {error:.2f}")
assert abs(rise[256:-20].mean()) < 0.1
assert rise[-5:].mean() > 1

# %% [markdown]
# The mean loss of the words hardly changes. But the pass key is lost. **A mean loss can hide the few tokens that need a
# far one.**
#
# ## A test for your model
#
# The course's **check-up**, `python3 course.py checkup MODEL`, examines any causal model of `transformers`: scheme,
# calls, and use of far text. For use, it compares losses of the *same* tokens. Whatever it hides, it keeps the first
# four tokens, because many models need them as a *sink* ([[windows_and_sinks|chapter #]]), and losing the sink looks
# like use.
#
# Here is a committed report on SmolLM2, with 512 tokens of *Alice*. Its *gaps* are jumps of the positions between the
# halves. Does the model use far tokens, and across which gaps?

# %% tags=["hide-output"]
from course_study.released.checkup import report

checked = report()
print(f"{len(checked.faults)} faults in {len(checked.checks)} checks")
for check in checked.checks:
    if check.error is not None:  # a mean, and its standard error
        print(f"{check.verdict:5} {check.name:44} {check.shown:>13} nats")

# %% [markdown]
# (*know*: no fault, but worth knowing.) Hiding the first half costs 0.30 nats, so the model uses far tokens. A window
# in each layer costs less. (It lets some far text pass from layer to layer.) Losing the first tokens costs 1.04 more,
# which says nothing about far words.
#
# A gap of up to 8,192, the configured length, costs about as much as hiding: here the far half hardly helps. A gap of
# twice that costs 2.91 nats more, so the far keys do harm. [[stretching_rope|Chapter #]] shows the curve of other
# texts, and repairs.
#
# Two steps remain. Ask a **far question**, such as a pass key told at several depths, and as a control not told. Repeat
# all with **other texts**, because these errors come from one.
#
# ## Remember
#
# - Ask what a longer text needs that training did not reach: untrained numbers, new angles, or only more keys.
# - Mask the far keys to see whether a rise comes from them. In text, it did in the four relative schemes that were not
#   level.
# - A level loss does not show that far tokens are used, and a loss that rises does not show that they are not.
# - A model uses a long text if it answers questions that need far tokens. A mean loss shows use only if it rises when
#   the far keys are hidden *and the first tokens stay*.
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
        "The loss of the same model, given only the last 4,096 tokens":
            "Yes. If this loss is as low, the result says nothing about far tokens. (A window in each layer would be a "
            "weaker control, because it lets some far text through, from layer to layer.)",
        "The perplexity instead of the loss":
            "It is e to the power of the loss, so it says the same.",
    },
    answer="The loss of the same model, given",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
cost = {check.name: check.number for check in checked.checks}
kept, in_addition = cost["window of 64 in each layer, and 4 tokens"], cost["the same without these tokens, in addition"]
figures.question(
    "You hide all but the last 64 keys, and the loss of your model rises by 1.2 nats. Does it use far tokens?",
    options={
        "Yes: without them it is worse": "SmolLM2 does the same, and most of this is the missing first token.",
        "Not shown: keep the first tokens, and repeat": "Yes. In SmolLM2, keeping four tokens takes back most of the rise.",
        "No: 64 keys are too few for any model": "The number of keys does not tell. What did the hidden ones contribute?",
    },
    answer="Not shown: keep the first" if kept < in_addition else "Yes: without",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, from a forecast and three reports of broken models to a scheme of your own.
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
# Here is the span of four log decays and of a straight line with ALiBi's slope 1/16, as the text grows.

# %%
sizes = [64, 256, 1024, 4096, 16_384]
decays = {
    "log, strength 0.3": lambda d: -0.3 * np.log1p(d),
    "log, strength 1": lambda d: -np.log1p(d),
    "log, strength 1.1": lambda d: -1.1 * np.log1p(d),
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
# finite, and here the span settles ($\lambda = 1.1$: only far beyond these lengths). For a bias of
# $-\ln x - 2 \ln \ln x$, with $x = d + 2$, the sum is finite and the span grows all the same.
#
# ## Deeper · Two exceptions
#
# The study has two more schemes that test the sentences above: RoPE with base 31, which leaves hardly any new angle,
# and a log decay of strength 0.3.

# %%
from course_lib.reference.absolute import frequencies

slowest = L * frequencies(16, 31)[-1] / (2 * np.pi)
print(f"base 31: in {L} tokens, the slowest pair makes {slowest:.3f} turns")
print(f"{'mean of three seeds':20} at 128    rise    rise, far keys masked")
for name, rows in {
    "rope": runs("characters", "rope"),
    "rope-base-31": study.pick(study.committed("controls"), task="characters", scheme="rope-base-31"),
    "log-1": runs("characters", "log-1"),
    "log-0.3": study.pick(study.committed("controls"), task="characters", scheme="log-0.3"),
}.items():
    start, end, masked = np.mean([(row["loss"][0], row["loss"][3], row["far_masked"][3]) for row in rows], 0)
    print(f"{name:20} {start:6.2f}  {end - start:+6.2f}  {masked - start:+6.2f}")

# %% [markdown]
# With base 31, every pair makes a whole turn in training. Still the loss rises, half as much as with the usual base. So
# new angles are not the whole cause. And masking the far keys takes back only a little more than half of the rise of
# `log-0.3`. So the harm is not always in the far keys.
#
# ## Deeper · Two more tasks
#
# | task | the model reads | and must name | guessing |
# |---|---|---|---|
# | **copy-back** | random tokens: `7 2 9 4` | the token 3 places before: `7` | 1 in 16 |
# | **flip-flop** | instructions and bits: `write 1 ignore 0 read` | the last bit written: `1` | 1 in 2 |
#
# Does a longer text disturb a task that needs nothing far, such as copy-back? A dash means *not learned*: some seed
# answers less than 90 % at 128 tokens.

# %%
def answers(rows):
    """The right answers at 128 and at 1,024 tokens, or a dash."""
    first, last = ([row["accuracy"][k] for row in rows] for k in (0, 3))
    return f"{np.mean(first):4.0%} → {100 * min(last):3.0f}–{max(last):4.0%}" if study.solved(rows) else "–"


print(f"{'128 → 1,024':14} {'copy-back':>17} {'flip-flop':>17}")
for scheme in by_verdict:
    print(f"{scheme:14}", *(f"{answers(runs(task, scheme)):>17}" for task in ("copy-back", "flip-flop")))

# %% [markdown]
# It can: every seed of `t5-64`, level in text, loses answers. So ask your model something near, too.
#
# ## Deeper · Strength is not form
#
# Does the line keep ALiBi level, or its strength? We train logarithms and lines with one strength for all heads, with
# another for each (`log-four` and `alibi`), and with strengths that each head learns, as in KERPLE (Chi et al. 2022).

# %%
every = study_rows + study.committed("decays")
print(f"{'in text':14} at 128    rise of each seed      flip-flop, 128 → 1,024")
for scheme in ("log-1", "log-2", "log-four", "log-learned", "linear-one", "alibi", "linear-learned"):
    text, bits = (study.pick(every, task=task, scheme=scheme) for task in ("characters", "flip-flop"))
    rises = " ".join(f"{rise:+.2f}" for rise in study.rises(text))
    print(f"{scheme:14} {np.mean([row['loss'][0] for row in text]):6.2f}    {rises:20} {answers(bits):>22}")

# %% [markdown]
# In text, strength decides in these models: with strength 2, with one strength per head, and with learned ones, a
# logarithm is level, too, and better than ALiBi at 128. Learned strengths make the line as good. In flip-flop, all
# logarithms but `log-1` answer nearly everything at 1,024, and the two lines that learned the task lose answers.
#
# ## Deeper · A table that broke, and its repair
#
# `t5-256` and `t5-64` are equally good at 128 tokens. Which of their 32 buckets does training reach, and how often? A
# text of 128 tokens has $128 - d$ pairs at distance $d$ ([[t5_buckets|chapter #]]).

# %%
distance = np.arange(L)
for max_distance in (256, 64):
    starts = bucket_starts(bidirectional=False, max_distance=max_distance)
    found = bucket(-distance, bidirectional=False, max_distance=max_distance)
    pairs = np.bincount(found, weights=L - distance, minlength=32).astype(int)
    print(f"max_distance {max_distance}: buckets 22 to 31 begin at", *starts[22:])
    print("  pairs that train them:            ", *pairs[22:])

# %% [markdown]
# With `max_distance` 256, **no training text ever reaches buckets 28 to 31**, so their numbers stay near their random
# initial values. With `max_distance` 64, the last bucket begins at 59, and each text trains it with 2,415 pairs.
#
# What does an untrained number do? We train `t5-256` for 300 steps and look at the last rows of its table.

# %% tags=["nbval-ignore-output"]
settings = study.Settings(test_texts=16)
model = study.train(settings, "characters", "t5-256", seed=0)
table = model.blocks[0].attention.position.table  # both layers share it, as in T5
trained = table.detach().clone()
for row in (26, 27, 28, 31):
    print(f"bucket {row}, four heads:", *(f"{number:6.2f}" for number in trained[row]))

# %% [markdown]
# Training lowered the biases of far keys. The buckets that it never reached stayed near 0. **To the softmax, a bias
# of 0 does not mean "no opinion". Here it means much more weight than a trained far key gets.** If that is the cause,
# the repair needs no training: give the four buckets the number of the last trained one.

# %% tags=["nbval-ignore-output"]
def with_rows(rows_28_to_31):
    """The losses with other numbers in the last four rows; afterwards the table is as it was trained."""
    with torch.no_grad():
        table[28:] = rows_28_to_31
        losses = study.evaluate(model, settings, "characters")["loss"]
        table.copy_(trained)
    return losses


log_keys = torch.tensor([25, 29, 34, 808]).log() - np.log(20)  # distances up to 1,023 in buckets 28 to 31; 20 in 27
lowered = trained[27] - log_keys[:, None]
as_trained, copied, shared = map(with_rows, (trained[28:], trained[27], lowered))
for name, losses in {"as trained": as_trained, "row 27 copied": copied, "and lowered": shared}.items():
    print(f"{name:15}", *(f"{x:6.3f}" for x in losses))
assert copied[3] - copied[0] < 0.6 * (as_trained[3] - as_trained[0])

# %% [markdown]
# One assignment removes a large part of the rise. But at 1,024 tokens, 808 distances share bucket 31, and only 20
# share bucket 27. In the last line, each row is lowered by the logarithm of its number of distances over 20. So, for
# equal content, the keys of each bucket together weigh as much as those of bucket 27, and nearly all of the rise is
# gone. This does not show that the ratio is right: try `lowered - 4`, which helps a little more.
#
# ## Deeper · What the papers report
#
# Press et al. (2022) train language models on WikiText-103, in texts of 512 tokens, and test longer ones. With
# sinusoidal positions the perplexity falls for 20 additional tokens and rises after 50. With rotary ones it falls for
# 200, with T5's bias for 600, and with ALiBi it stays low past 12,000 (sections 2 and 4; 19.73 at 512 tokens, 18.40
# at 3,072). Their appendix B explains why ALiBi improves: in longer inputs, a smaller share of the tokens comes
# early, where little context precedes them. When every token has the same context, ALiBi's curve is nearly level.
# ALiBi acts like attention in a window (Chi et al. 2023). Dai et al. (2019, section 1) claim that Transformer-XL's
# encoding generalises to longer attention than in training, but their evaluation clips the distances not far beyond
# those of training.
#
# Without positions, Kazemnejad et al. (2023) find the best results on small reasoning tasks at twice the length. Wang
# et al. (2024) find that such models read farther than RoPE and then fail because attention spreads out. RULER (Hsieh
# et al. 2024) is a whole collection of far questions.
#
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("longer_than_training")

# %% [markdown]
# **Sources** O. Press et al., *Train Short, Test Long*, 2022 · Z. Dai et al., *Transformer-XL*, 2019, and
# its code, kimiyoung/transformer-xl · T.-C. Chi et al., *Dissecting Transformer Length Extrapolation*, 2023, and
# *KERPLE*, 2022 · A. Kazemnejad et al., *The Impact of Positional Encoding on Length Generalization in Transformers*,
# 2023 · J. Wang et al., *Length Generalization of Causal Transformers without Position Encoding*, 2024 · C.-P. Hsieh et
# al., *RULER*, 2024 · C. E. Shannon, *A Mathematical Theory of Communication*, 1948 · B. Liu et al., *Exposing
# Attention Glitches with Flip-Flop Language Modeling*, 2023.
