# %% [markdown]
# # [[title]]
#
# "Dog bites man" is not news, but "man bites dog" is. In self-attention, the words of a text attend to each other.
# Without a mask and without positions, self-attention gives each word the same output in both sentences. You will see
# why, and what disorder costs a released language model.
#
# **You will be able to**
# - compute attention by hand, and see that it never uses the position of a token;
# - prove in one line what a permutation of the tokens does to the output;
# - say what a causal mask reveals about the order.
#
# **You need** matrix products. The softmax is explained here. **Time** [[time]].

# %%
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
cat = TOKENS.index("cat")
print("query cat:", Q[cat])
for j in range(n):
    print(f"key {TOKENS[j]:4} {K[j]}   value {V[j]}")

# %% [markdown]
# ## One token asks
#
# Attention gives each token a **query** (what it looks for), a **key** (what it offers) and a **value** (what it passes
# on). Follow *cat* with a pencil and the numbers above. To compare its query with a key, multiply them number by
# number, add up, and divide by $\sqrt{d_k} = 2$, where $d_k = 4$ is the length of a key ([[bias_by_hand|chapter #]]
# says why). The result is the **score** of that key.
#
# The **softmax** turns the scores into positive weights that sum to 1: take $e$ to the power of each score, then divide
# by the sum. The **output** is the average of the values with these weights.

# %%
score = []
for j in range(n):
    raw = sum(Q[cat] * K[j])
    score.append(raw / np.sqrt(D_K))
    print(f"cat → {TOKENS[j]:4} raw {raw}  scaled {score[-1]}")
e = np.exp(score)
weight = e / e.sum()
output_cat = sum(weight[j] * V[j] for j in range(n))
print("e^score:", e, "sum", round(e.sum(), 4))
print("weights:", weight)
print("output: ", output_cat)

# %% [markdown]
# *cat* gives 0.4026 of its attention to *The*, whose key fits best. Check the first number of the output by hand: the
# value of *The* begins with 1, that of *mat* with one half, and the others with 0. So the output begins with
# $0.4026 + 0.1153 / 2 = 0.4602$.
#
# For all five queries at once we need a matrix product, a softmax of each row, and a second matrix product.

# %%
from course_lib.reference.attention import attention, softmax

weights = softmax(Q @ K.T / np.sqrt(D_K))
output = weights @ V
assert np.allclose(weights[cat], weight) and np.allclose(output[cat], output_cat)
figures.heatmap(weights, alt="Weights, a row for each query")

# %% [markdown]
# ## Permute the words
#
# Where in this calculation did we use the position of a token? The loop used $j$ only to fetch a key and its value.
#
# To **permute** the tokens means to put them in another order. Each takes its query, key and value with it. Do the rows
# of the output stay, do they change places as well, or do they get new numbers? Guess first.

# %% tags=["hide-output"]
order = [3, 0, 4, 1, 2]  # token 3 comes first, then token 0, …
permuted = attention(Q[order], K[order], V[order])[0]  # the output; [1] would be the weights
assert np.allclose(permuted, output[order])
four = ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(output, columns=four, alt="Output"),
    figures.heatmap(permuted, [TOKENS[a] for a in order], four, alt="Output after the permutation"),
)

# %% [markdown]
# *on* is now the first token, and its output is the same as before. So the rows move with their tokens. A function is
# permutation **equivariant** if its output is permuted in the same way as its input. It is **invariant** if its output
# does not change. The mean of the output rows, for example, is an invariant function of the input.
#
# ## The proof is one line
#
# A permutation can be written as a matrix $P$ with a single 1 in each row and in each column. In ours, row 0 has its 1
# in column 3, so row 0 of $PX$ is row 3 of $X$. With permuted queries, keys and values (and without the scale, for
# short) the layer computes
#
# $$\text{softmax}(PQ\,(PK)^\top)\,PV \;\overset{1}{=}\; \text{softmax}(P\,QK^\top P^\top)\,PV
# \;\overset{2}{=}\; P\,\text{softmax}(QK^\top)\,P^\top P\,V \;\overset{3}{=}\; P\,\text{softmax}(QK^\top)\,V$$
#
# 1. $(PK)^\top = K^\top P^\top$. The scores are the old ones, with rows and columns permuted.
# 2. The softmax treats every row by the same rule, and a row's sum does not depend on the order of its entries. So it
#    makes no difference whether we permute rows and columns before the softmax or after it.
# 3. $P^\top P = I$, because each column of $P$ has a single 1, and no two of them are in the same row. So the permuted
#    rows of $V$ exactly undo the permuted columns of the weights.
#
# The result is $P$ times the old output. Here is our $P$, and a check of step 2:

# %%
P, S = np.eye(n)[order], Q @ K.T
print(P.astype(int))
assert np.allclose(P @ Q, Q[order])
assert np.allclose(softmax(P @ S @ P.T), P @ softmax(S) @ P.T)

# %% [markdown]
# ## Dog bites man
#
# In a Transformer, three matrices turn the vector $x$ of a word into query, key and value, and the output of attention
# is added to $x$. Does *dog* get another vector when it is bitten?

# %% tags=["hide-output"]
rng = np.random.default_rng(0)
d = 8
word = {name: rng.normal(size=d) for name in ("dog", "bites", "man", "today")}
W_q, W_k, W_v = rng.normal(size=(3, d, d)) / np.sqrt(d)


def embed(text):
    return np.array([word[name] for name in text.split()])


def layer(x, **how):
    return x + attention(x @ W_q, x @ W_k, x @ W_v, **how)[0]


dog_man, man_dog = embed("dog bites man"), embed("man bites dog")
print("dog, as the first word:", layer(dog_man)[0, :4])
print("dog, as the last word: ", layer(man_dog)[2, :4])

# %% [markdown]
# No. A second layer gets the same three vectors in both sentences, only in another order, so the proof holds for it and
# for every later layer, too. The feed-forward layers between them treat each word by itself, so they cannot help.
#
# Such a model sees a text as a **bag of words**: words without an order.
#
# ## What a causal mask gives away
#
# A decoder hides the future, so query $i$ sees only the keys $j \le i$. This **causal mask** stays where it is when we
# permute the words. So step 2 of the proof fails, because the rule now differs from row to row.
#
# Suppose all scores are equal. Then token $i$ gives each of its $i + 1$ keys the weight $1/(i+1)$. Suppose also that
# the first token has the value 1, and all others have the value 0. Then the output of token $i$ is $1/(i+1)$, so
# 1 / output − 1 is its position $i$.

# %%
from course_lib.reference.attention import causal_mask

equal = softmax(np.where(causal_mask(n), 0.0, -np.inf))  # causal_mask: True where query i may see key j
first_only = equal @ [1, 0, 0, 0, 0]  # the outputs, if the values are 1, 0, 0, 0, 0
places = 1 / first_only - 1
print("outputs:  ", first_only)
print("positions:", places)
assert np.allclose(places, np.arange(n))
figures.heatmap(equal, alt="Weights of equal scores, causal mask", corner="query ↓ key →")

# %% [markdown]
# Does a mask also reveal the order of the earlier words? In layer 1, the last word of a sentence sees the earlier
# words as a bag, because their vectors contain no order yet. After layer 1, the vector of each word depends on the
# words before it. Can layer 2 show their order to the last word?

# %%
a, b = embed("dog bites man today"), embed("man bites dog today")
for depth in (1, 2):
    a, b = layer(a, mask=causal_mask(4)), layer(b, mask=causal_mask(4))
    print(f"{depth} layer(s), at the last word: same = {np.allclose(a[-1], b[-1])}")

# %% [markdown]
# It can: with a causal mask, two layers tell these two orders apart.
#
# ## A released model without its rotations
#
# SmolLM2-135M-Instruct is a language model, a decoder. Besides the mask, it has one source of order: each layer
# *rotates* queries and keys by angles that depend on the position ([[rope|chapter #]]).
#
# The model reads 256 tokens (words and pieces of words) of *Alice in Wonderland*. Its **loss** at a token is $-\ln p$,
# in *nats*, where $p$ is the probability that the model gave to this token. Without the rotations, can the mask and 30
# layers keep the loss low? (`python3 course.py model` fetches the model, 93 MB. Without it, the cells show recorded
# numbers.)

# %% tags=["hide-output", "nbval-ignore-output"]
import torch

from course_lib import released
from course_lib.nn.position import Position

model = released.load()
text = model.encode(released.excerpt("alice"))[:256]
print("".join(model.tokens(text[:30])), "…")

losses = model.losses(text)
with model.changed(position=Position()):  # no rotations, only inside this `with`
    without = model.losses(text)
more = float((without - losses).mean())
print(f"mean loss {losses.mean():.2f}, without rotations {without.mean():.2f}, {more:.2f} more")
assert more > 1

# %% [markdown]
# The loss rises by 2.31 nats, so in this model the mask does not replace the rotations. Models *trained* without
# positions can do much better (*Deeper*).
#
# ## Far words in the wrong order
#
# Now the model keeps its rotations, and we change its text. Token 0 and the last 144 tokens stay. The *far* tokens
# between them stay in order, or are left out, or are *shuffled* (permuted at random): token by token, or in seven
# blocks of up to 16 tokens, which keep their order inside. If far words bring mainly the topic, no shuffling should
# matter much. If their order counts, is it the order inside the blocks, or that of the blocks?
#
# The table shows how the far tokens change the mean loss of the last 128 tokens (± its standard error). A minus means
# that they help.

# %% tags=["nbval-ignore-output"]
far, near = text[1:-144], text[-144:]


def shuffled(pieces):
    mixed = torch.randperm(len(pieces), generator=torch.Generator().manual_seed(0))
    return torch.cat([pieces[piece] for piece in mixed])


choices = {"in order": far, "blocks shuffled": shuffled(far.split(16)), "tokens shuffled": shuffled(far.split(1))}
lost = {name: model.losses(torch.cat([text[:1], tokens, near]))[-128:] for name, tokens in choices.items()}
lost["none"] = model.losses(torch.cat([text[:1], near]))[-128:]
print("tokens shuffled:", repr("".join(model.tokens(choices["tokens shuffled"][:12]))), "…")

# %% tags=["hide-output", "nbval-ignore-output"]
for name in choices:
    change = lost[name] - lost["none"]
    print(f"far tokens, {name:15} {float(change.mean()):+.2f} ± {float(change.std()) / 128**0.5:.2f}")
assert (lost["tokens shuffled"] - lost["blocks shuffled"]).mean() > 0.1

# %% [markdown]
# In order, the far tokens lower the loss by 0.35 nats. Shuffled token by token, they do not help. But in shuffled
# blocks (we tried one order), they keep two thirds of their help. So in this text, the order inside the blocks counts
# more than the order of the blocks. (Are shuffled words worse than none? *Deeper* compares four other texts.)
#
# ## Remember
#
# - Self-attention without positions is permutation **equivariant**: if we permute the words, each keeps its output.
# - A causal mask breaks this symmetry. The first layer shows each word the words before it as a bag, and a second layer
#   can show something of their order.
# - In SmolLM2, the loss of our text rises by more than 2 nats without the rotations. Its far tokens do not help if
#   single tokens are shuffled, but they do help if blocks of 16 are.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
means = [layer(embed(text)).mean(axis=0) for text in ("dog bites man", "man bites dog")]
figures.question(
    "An encoder without mask and positions classifies a text by its mean output. You permute the words. "
    "What happens to the class?",
    options={
        "It cannot change": "Yes: the outputs are equivariant, so their mean is invariant.",
        "It may change, since the outputs are reordered": "They are, but the mean does not depend on their order.",
        "It may change, since each word gets other neighbours": "No word knows its neighbours. It sees all keys.",
    },
    answer="It cannot change" if np.allclose(*means) else "It may change, since each word",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
before, after = (layer(layer(layer(embed(text)))) for text in ("dog bites man today", "man bites dog today"))
changed = ~np.isclose(before, after).all(axis=1)  # of the four rows
figures.question(
    "An encoder of three layers has no mask and no positions. You swap two different words. Which output rows change?",
    options={
        "None: attention is blind to order": "It is equivariant: a word keeps its output at its new place.",
        "The two rows of these words, which change places": "Yes. Every other word gets exactly what it got before.",
        "All rows, because two keys have changed places": "A weight depends on what a key contains, not on its place.",
    },
    answer={0: "None", 2: "The two rows", 4: "All rows"}[changed.sum()],
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
pairs = {
    "dog bites man · man bites dog": "Before *bites* is dog in the first text, and man in the second.",
    "dog bites today · dog today bites": "In the second text, *bites* sees one key more, so the other weights shrink.",
    "dog today bites man · today dog bites": "Yes: the same words before it, as a bag, and *man* is hidden.",
}
texts = [[text.split() for text in pair.split(" · ")] for pair in pairs]
bites = [[layer(embed(" ".join(t)), mask=causal_mask(len(t)))[t.index("bites")] for t in two] for two in texts]
figures.question(
    "A single layer has a causal mask and no positions. Which two texts give the word *bites* the same output?",
    options=pairs,
    answer=list(pairs)[[np.allclose(*two) for two in bites].index(True)],
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: three, the first one with a pencil.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Other texts
#
# Committed runs (their results come with the course) repeat the test with 384 tokens of four texts: two help texts of
# Python (`pydoc`), a licence and a page about this course. The last 128 tokens stay, and so do 16 or 64 before them.
# The tokens before these are shuffled (token by token, or in blocks of 16), dropped, or *replaced* by another passage
# of the same text, in order. The table shows how much the loss of the last 128 tokens rises if the others are changed
# in this way.

# %%
from course_study.released import rows as committed


def show_texts(name, results):
    print(f"{name:20}", *(f"{result['difference']:+9.2f} ± {result['error']:.2f}" for result in results))


for kept in (16, 64):
    conditions = {what: f"before the last {kept} {what}" for what in ("in blocks", "shuffled", "dropped", "replaced")}
    runs = {what: committed("shuffled words", condition=which, n=384) for what, which in conditions.items()}
    print(f"{kept} tokens stay".ljust(20), *(f"{row['text']:>16}" for row in runs["shuffled"]))
    for what, results in runs.items():
        show_texts(what, results)
    show_texts("replaced − shuffled", [row["than_shuffled"] for row in runs["replaced"]])

# %% [markdown]
# In each of the eight comparisons, the wrong words in order are better than the right words in disorder, by at least
# two standard errors. So in these texts, it matters more that the far words are in order than from which passage they
# come. Shuffled blocks cost less than shuffled tokens in all eight.
#
# Are shuffled tokens worse than none? They cost more than dropped ones in seven of the eight, but no standard error
# was computed for these differences. (Shuffling also tears apart words of several tokens. Dropping makes another token
# the first, and so the *sink* of [[windows_and_sinks|chapter #]].)
#
# ## Deeper · Models without positions
#
# A decoder without any position encoding is often called **NoPE**. Irie et al. (2019) found that their deep language
# models became slightly better without positions. Haviv et al. (2022) found such models competitive, and a small
# classifier could read approximate positions from their inner layers.
#
# Kazemnejad et al. (2023) compared NoPE with four schemes on small reasoning tasks, in models of about 107 million
# parameters. These were trained up to length 20 and tested up to 40. On the longer inputs, NoPE did best on average.
# They also prove that it *can* represent positions if the text begins with a start token (it does the work of our
# first token, which alone has the value 1). In [[longer_than_training|chapter #]], small models without positions are
# the weakest at the training length, but not beyond it.
#
# SmolLM3 and Llama 4 leave the rotation (*RoPE*) out of every fourth layer ([[windows_and_sinks|chapter #]]).
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1 · L. Ben Allal et al., *SmolLM2*, 2025
# · K. Irie et al., *Language Modeling with Deep Transformers*, 2019 · A. Haviv et al., *Transformer Language Models
# without Positional Encodings Still Learn Positional Information*, 2022 · A. Kazemnejad et al., *The Impact of
# Positional Encoding on Length Generalization in Transformers*, 2023 · `no_rope_layers` in the configurations of
# SmolLM3 and Llama 4 in `transformers`.
