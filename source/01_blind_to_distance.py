# %% [markdown]
# # [[title]]
#
# "Dog bites man" is not news, but "man bites dog" is. Yet without a mask, a layer of self-attention, in which the words
# of a text attend to each other, gives each word the same output in both sentences. In this chapter you see why, and how
# much of the order a causal mask gives back.
#
# **You will be able to**
# - compute attention by hand, and see that the position of a token is never used;
# - prove in one line what a permutation of the tokens does to the output;
# - say what a causal mask reveals about the order, and what it does not.
#
# **You need** matrix products. The softmax is explained here. **Time** [[time]].

# %%
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
print("query cat:", Q[cat])
for j in range(n):
    print(f"key {TOKENS[j]:4} {K[j]}   value {V[j]}")

# %% [markdown]
# ## One token asks
#
# Attention gives each token a **query** (what it looks for), a **key** (what it offers) and a **value** (what it passes
# on). The cell above printed the query of *cat* and all keys and values. Take a pencil and follow *cat*. To compare its
# query with a key, multiply them number by number, add up, and divide by $\sqrt{d_k} = 2$, where $d_k = 4$ is the length
# of a key ([[bias_by_hand|chapter #]] says why). The result is the **score** of that key.
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
# *cat* gives 0.4026 of its attention to *The*, whose key fits best, and 0.0898 to itself. You can check the first number
# of the output by hand: the value of *The* begins with 1 and that of *mat* with one half, so it is
# $0.4026 + 0.1153 / 2 = 0.4602$.
#
# For all five queries at once we need a matrix product, a softmax of each row, and a second matrix product.

# %%
from course_lib.reference.attention import attention, softmax

weights = softmax(Q @ K.T / np.sqrt(D_K))
output = weights @ V
assert np.allclose(weights[cat], weight) and np.allclose(output[cat], output_cat)
assert np.allclose(attention(Q, K, V)[0], output)
four = ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(weights, alt="Weights", corner="query ↓ key →"),
    figures.heatmap(output, columns=four, alt="Output, a row per query", corner="query ↓"),
)

# %% [markdown]
# Where in this calculation did we use the position of a token? The loop ran over $j$, but it used $j$ only to fetch a
# key and its value. Nothing was multiplied by $j$, compared with it, or added to it. If the loop took the keys in
# another order, it would compute the same sum.
#
# ## Permute the words
#
# Suppose the five tokens change places, and each takes its query, key and value with it. Choose an answer before you
# run the next cell.

# %% tags=["hide-input"]
# @title Question
turned = attention(Q[::-1], K[::-1], V[::-1])[0]  # the tokens in reverse order
figures.question(
    "We permute the five tokens and run the same layer. What happens to its five output rows?",
    options={
        "The table stays as it is":
            "Row 0 belongs to the first token, and the first token is now another one.",
        "The same rows, permuted in the same way":
            "Yes. Each token gets exactly the output it had before, at its new place.",
        "All rows change":
            "They would if anything in the calculation depended on the position.",
        "Only the tokens that got new neighbours change":
            "Nothing in the calculation depends on which tokens are neighbours.",
    },
    answer="The same rows" if np.allclose(turned, output[::-1]) else "All rows change",
)

# %%
from itertools import permutations

order = [3, 0, 4, 1, 2]  # the new first token is the old token 3, and so on
moved = [TOKENS[a] for a in order]
permuted = attention(Q[order], K[order], V[order])[0]
assert np.allclose(permuted, output[order])

orders = [list(o) for o in permutations(range(n))]  # all 5 · 4 · 3 · 2 · 1 of them
same = [np.allclose(attention(Q[o], K[o], V[o])[0], output[o]) for o in orders]
print(f"{sum(same)} of {len(orders)} orders give the same rows in the new order")
assert all(same)
figures.side_by_side(
    figures.heatmap(output, columns=four, alt="Output"),
    figures.heatmap(permuted, moved, four, alt="Output after the permutation"),
)

# %% [markdown]
# *on* is now the first token, and its output is the same as before. The check succeeds for all 120 orders of these five
# tokens. It says nothing about six tokens or about other numbers, so the next section gives a proof.

# %% [markdown]
# ## The proof is one line
#
# A permutation can be written as a matrix $P$ with a single 1 in each row and in each column. $PX$ has the rows of $X$
# in the new order. With permuted queries, keys and values, the layer computes
#
# $$\text{softmax}(PQ\,(PK)^\top)\,PV \;=\; \text{softmax}(P\,QK^\top P^\top)\,PV
# \;=\; P\,\text{softmax}(QK^\top)\,\underbrace{P^\top P}_{I}\,V \;=\; P \cdot \text{output}$$
#
# The first step uses $(PK)^\top = K^\top P^\top$. The second and third step use one fact each.
#
# 1. The softmax computes every row by the same rule, and a row's sum does not depend on the order of its entries. So we
#    may permute rows and columns before the softmax or after it, with the same result.
# 2. $P^\top P = I$, because each column of $P$ has a single 1, and no two in the same row. So the permuted rows of $V$
#    exactly undo the permuted columns of the weights.
#
# We left out the scale $1/\sqrt{d_k}$, which multiplies all scores alike. The next cell checks both facts.

# %%
P, S = np.eye(n)[order], Q @ K.T / np.sqrt(D_K)
assert np.array_equal(P @ Q, Q[order])
assert np.allclose(softmax(P @ S @ P.T), P @ softmax(S) @ P.T)  # fact 1
assert np.array_equal(P.T @ P, np.eye(n))  # fact 2
print("permuted output = P · output:", np.allclose(permuted, P @ output))
figures.heatmap(P.astype(int), moved, TOKENS, alt="The permutation as a matrix P", corner="new ↓ old →")

# %% [markdown]
# ## "Attention is permutation invariant"
#
# A function is **invariant** if its output does not change when we permute its input. It is **equivariant** if its output
# is permuted in the same way, which is what we have just seen. The output becomes invariant only when we pool it, for
# example with the mean over all tokens, because a mean does not depend on the order.

# %%
print("row 0 before and after:", output[0], permuted[0])
print("mean before and after: ", output.mean(axis=0), permuted.mean(axis=0))
assert not np.allclose(output, permuted)
assert np.allclose(output.mean(axis=0), permuted.mean(axis=0))

# %% [markdown]
# **Your turn.** In the next cell, *sat* and *mat* change places. When does the table of outputs stay exactly as it is?
# Try other orders. Then remove the # before `asks`, so that both tokens ask the same. The answer is below the cell.

# %%
my_order, asks = [0, 1, 4, 3, 2], Q.copy()  # the new order; the queries
# asks[mat] = asks[sat]
before = attention(asks, K, V)[0]
after = attention(asks[my_order], K[my_order], V[my_order])[0]
print("same rows, new order:", np.allclose(after, before[my_order]))
print("same table:          ", np.allclose(after, before))

# %% [markdown]
# The table stays as it is only if the two tokens have the same *output*. Tokens with equal queries have equal outputs,
# even if their keys and values differ, because every query meets all keys. Our five tokens have five different outputs.

# %% [markdown]
# ## Dog bites man
#
# Now we use a layer closer to that of a Transformer. Each word has a vector $x$, three matrices turn it into query, key
# and value, and the output of attention is added to $x$. Does *dog* get another vector when it is bitten?

# %%
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
# *dog* gets the same vector whether it bites or is bitten. Later layers cannot repair this. A feed-forward layer and a
# normalisation work on each token by itself, and the next attention layer treats all tokens alike. The next cell checks
# this for three layers, with tanh in place of the feed-forward layer and the normalisation.

# %%
a, b = dog_man, man_dog
for _ in range(3):
    a, b = np.tanh(layer(a)), np.tanh(layer(b))
assert np.allclose(a[[2, 1, 0]], b)
print("after three layers, dog biting:", a[0, :4])
print("after three layers, dog bitten:", b[2, :4])

# %% [markdown]
# Such a model knows which words there are and in what proportions. This is called a **bag of words**. It is enough to
# say what a text is about, but not to say who bit whom.
#
# ## What a causal mask gives away
#
# A decoder hides the future, so query $i$ sees only the keys $j \le i$. This mask is fixed by the positions, and it stays
# where it is when we permute the words. So fact 1 of the proof no longer applies, because it needs every row to be
# computed by the same rule. The first word, for example, sees only itself:

# %%
from course_lib.reference.attention import causal_mask

visible = causal_mask(3)  # True where query i may see key j
print("dog, as the first word:", layer(dog_man, mask=visible)[0, :4])
print("itself and its value:  ", (word["dog"] + word["dog"] @ W_v)[:4])
print("dog, as the last word: ", layer(man_dog, mask=visible)[2, :4])

# %% [markdown]
# *dog* now has different outputs as the first and as the last word. How much does the mask reveal? Suppose all scores
# are equal. Then token $i$ spreads its attention evenly over $i + 1$ keys, and the first key gets the weight $1/(i+1)$.
# If only the first token has a nonzero value, as a special start token could, the output reveals this weight and so the
# position.

# %%
equal = softmax(np.where(causal_mask(n), 0.0, -np.inf))
places = 1 / equal[:, 0] - 1
print("position, from the weight of the first token:", places)
assert np.allclose(places, np.arange(n))
figures.heatmap(equal, alt="Weights of equal scores, causal mask", corner="query ↓ key →")

# %% [markdown]
# The last word of a text sees all words, so the mask hides nothing from it. A single layer therefore shows it the
# earlier words as a bag, without their order. In the second layer this changes, because the vector of each earlier word
# now depends on the words before that one.

# %%
a, b = embed("dog bites man today"), embed("man bites dog today")
for depth in (1, 2):
    a, b = layer(a, mask=causal_mask(4)), layer(b, mask=causal_mask(4))
    print(f"{depth} layer(s), at the last word: same = {np.allclose(a[-1], b[-1])}")

# %% [markdown]
# So self-attention is permutation equivariant only *without a mask*. One causal layer is not equivariant, but it shows
# each word the words before it only as a bag. Two causal layers can reveal the order of these words. A decoder without
# any position encoding is often called **NoPE**, and two papers studied it.
#
# - Haviv et al. (2022) found that such language models come close to those with positions, and that a small classifier
#   can read approximate positions from their inner layers. They conjecture that the models count the preceding tokens.
# - Kazemnejad et al. (2023) compared NoPE with four schemes on small reasoning tasks, with longer inputs in the test than
#   in training. NoPE did best. They also prove that it can represent absolute and relative positions.
#
# NoPE is therefore a baseline to take seriously. [[longer_than_training|Chapter #]] measures it, too. In text it is the
# weakest there at the training length, but far from the worst beyond it.

# %% [markdown]
# ## Easy to believe; let us run it
#
# You will often read the sentence below. Choose a verdict and check it: you will see the reason and the code behind it.
# Every later lesson ends with such sentences.

# %%
from course_tasks import questions

questions.claims("blind_to_distance")

# %% [markdown]
# ## Remember
#
# - Self-attention without positions is permutation **equivariant**: if we permute the words, each keeps its output. A
#   pooled output, such as the mean, is invariant.
# - A causal mask breaks this symmetry, so masked layers can work out positions to a degree.
# - A single masked layer still shows each word the words before it as a **bag of words**. A second layer shows more.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
means = [layer(embed(text)).mean(axis=0) for text in ("dog bites man", "man bites dog")]
figures.question(
    "You classify whole texts by the mean of the outputs of an encoder (no mask) without positions. "
    "You permute the words of a text. What happens to the class?",
    options={
        "It cannot change":
            "Yes: the outputs are equivariant, so their mean is invariant. It is a bag of words.",
        "It may change, since the outputs are reordered":
            "They are reordered, but the mean does not depend on their order.",
        "It may change, since each word gets other neighbours":
            "No word knows its neighbours. It sees all keys, and only by their content.",
    },
    answer="It cannot change" if np.allclose(*means) else "It may change, since each word",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
before, after = (layer(layer(layer(embed(text)))) for text in ("dog bites man today", "man bites dog today"))
changed = ~np.isclose(before, after).all(axis=1)  # of the four rows
figures.question(
    "An encoder of three layers has no mask and no positions. You swap two different words of a text. "
    "Which output rows change?",
    options={
        "None: attention is blind to order":
            "Attention is equivariant, not invariant: a word keeps its output at its new place.",
        "The two rows of these words, which change places":
            "Yes. Every other word gets exactly what it got before.",
        "All rows, because every word now has other neighbours":
            "No word knows its neighbours. It sees all keys, and only by their content.",
    },
    answer={0: "None", 2: "The two rows", 4: "All rows"}[changed.sum()],
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
texts = {
    "dog bites man · man bites dog":
        "Their last words differ, and so do the queries of these words.",
    "dog bites man today · dog bites today":
        "The second text has one key less, so the other weights grow.",
    "dog bites man today · man bites dog today":
        "Yes. The last word sees the same words before it, as a bag.",
}


def last_word(text):
    return layer(embed(text), mask=causal_mask(len(text.split())))[-1]


[same] = [pair for pair in texts if np.allclose(*map(last_word, pair.split(" · ")))]
figures.question(
    "A single layer has a causal mask and no positions. Which two texts give the last word the same output?",
    options=texts,
    answer=same,
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: four, from one row with a pencil to the positions that a mask gives away. Every answer is checked, and the
# check tells you what went wrong.
#
# **Next:** [[next]].
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1 · A. Haviv et al., *Transformer Language
# Models without Positional Encodings Still Learn Positional Information*, 2022 · A. Kazemnejad et al., *The Impact of
# Positional Encoding on Length Generalization in Transformers*, 2023.
