# %% [markdown]
# # [[title]]
#
# "Dog bites man" is no news; "man bites dog" is. A layer of self-attention gives each word the same output in both. In
# this chapter you see why, and how much of the order a causal mask gives back. What is missing at the end is what the
# rest of the course builds.
#
# **You will be able to**
# - compute attention by hand and say where a position enters (nowhere);
# - prove in one line what shuffling does to it, and tell *equivariant* from *invariant*;
# - say what a causal mask gives away about the order, and what it does not.
#
# **You need** matrix products; the softmax is built here. **Time** [[time]].

# %%
import numpy as np

from course_lib import figures
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
# Attention gives each token a **query** (what it looks for), a **key** (what it offers) and a **value** (what it hands
# over). Take a pencil and follow *cat*. Its query meets each key: multiply number by number, add up, divide by
# $\sqrt{d_k} = 2$ ([[bias_by_hand|chapter #]] says why). That is the **score** of the key. The **softmax** turns scores
# into weights that are positive and sum to 1: take $e$ to each score, then divide by the sum. The **output** is the
# average of the values under these weights.

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
# *cat* spends 0.4026 of its attention on *The*, its best answer, and 0.0898 on itself. Check the first output number:
# *The* hands over 1 and *mat* one half, so it is $0.4026 + 0.1153 / 2 = 0.4602$.
#
# All five queries at once are a matrix product, a softmax of each row, and a second matrix product.

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
# Now look for the place of a token in this calculation. The loop ran over $j$, but $j$ was never *used* as a number: it
# only fetched a key and its value. Nothing was multiplied by it, compared with it, or added to it. The sum would be the
# same in any order.
#
# ## Shuffle the words
#
# Let the five tokens change places, each taking its query, key and value along. Before you run on, commit to an answer.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "We shuffle the five tokens and run the same layer. What becomes of its five output rows?",
    options={
        "The table stays as it is":
            "Row 0 belongs to whoever stands first, and that is now somebody else.",
        "The same rows, shuffled in the same way":
            "Yes. Each token gets exactly what it got before, and carries it to its new place.",
        "All rows change":
            "They would if anything in the calculation depended on the place.",
        "Only the tokens that got new neighbours change":
            "Nothing in the calculation knows who is a neighbour.",
    },
    answer="The same rows, shuffled in the same way",
)

# %%
from itertools import permutations

order = [3, 0, 4, 1, 2]  # the new first token is the old token 3, and so on
moved = [TOKENS[a] for a in order]
shuffled = attention(Q[order], K[order], V[order])[0]
assert np.allclose(shuffled, output[order])

orders = [list(o) for o in permutations(range(n))]  # all that five tokens can have
same = [np.allclose(attention(Q[o], K[o], V[o])[0], output[o]) for o in orders]
print(f"{sum(same)} of {len(orders)} orders give the same rows in the new order")
assert all(same)
figures.side_by_side(
    figures.heatmap(output, columns=four, alt="Output"),
    figures.heatmap(shuffled, moved, four, alt="Output after the shuffle"),
)

# %% [markdown]
# *on* now stands first and gets what it always got. One order is an example, and all 120 were tried. That five tokens
# never show an exception is still no proof for six. The proof comes next.

# %% [markdown]
# ## The proof is one line
#
# Write the shuffle as a matrix: $P$ has a single 1 in each row and in each column, and $PX$ puts the rows of $X$ into
# the new order. With shuffled queries, keys and values the layer computes
#
# $$\text{softmax}(PQ\,(PK)^\top)\,PV \;=\; \text{softmax}(P\,QK^\top P^\top)\,PV
# \;=\; P\,\text{softmax}(QK^\top)\,\underbrace{P^\top P}_{I}\,V \;=\; P \cdot \text{output}$$
#
# The first step is $(PK)^\top = K^\top P^\top$. Two facts carry the rest. The softmax treats each row alike and, within
# a row, each entry alike: shuffle rows and columns before or after, it is the same. And $P^\top P = I$, because the
# columns of $P$ are unit vectors, all different: what the columns of the weights suffer, the rows of $V$ undo. (The
# scale $1/\sqrt{d_k}$ multiplies everything and changes nothing in this.)

# %%
P, S = np.eye(n)[order], Q @ K.T / np.sqrt(D_K)
assert np.array_equal(P @ Q, Q[order])
assert np.allclose(softmax(P @ S @ P.T), P @ softmax(S) @ P.T)  # first fact
assert np.array_equal(P.T @ P, np.eye(n))  # second fact
print("output rows after the shuffle = P · output:", np.allclose(shuffled, P @ output))
figures.heatmap(P.astype(int), moved, TOKENS, alt="The shuffle as a matrix P", corner="new ↓ old →")

# %% [markdown]
# ## Easy to believe; let us run it: "attention is permutation invariant"
#
# **Invariant** means: shuffle the input, and the output does not change at all. **Equivariant** means: the output is
# shuffled in the same way. We just saw the second. Invariant is what you get when you pool, for instance by the mean
# over all tokens, because a mean does not ask for the order either.

# %%
print("row 0 before and after:", output[0], shuffled[0])
print("mean before and after: ", output.mean(axis=0), shuffled.mean(axis=0))
assert not np.allclose(output, shuffled)
assert np.allclose(output.mean(axis=0), shuffled.mean(axis=0))

# %% [markdown]
# **Your turn.** Put an order of your own below, such as one that only swaps two tokens. Can you find one, apart from
# `[0, 1, 2, 3, 4]`, for which the output table stays as it is? What would the tokens have to be like? (The answer is
# below the cell.)

# %%
my_order = [4, 3, 2, 1, 0]
mine = attention(Q[my_order], K[my_order], V[my_order])[0]
print("same rows, new order:", np.allclose(mine, output[my_order]))
print("same table:          ", np.allclose(mine, output))

# %% [markdown]
# There is none, because the five output rows are all different. Tokens that change places must have the same *output*,
# and equal queries are enough for that: keys and values may differ, since each query meets all of them in any case.

# %% [markdown]
# ## Dog bites man
#
# Now a real layer: a vector $x$ for each word, and matrices that turn it into query, key and value. What the layer
# finds is added to $x$, as in every Transformer.

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
# The same vector for *dog*, whether it bites or is bitten. What comes after cannot repair that: a feed-forward layer, a
# normalisation and the next attention layer also treat all tokens alike. Three layers deep, still (tanh stands here for
# whatever treats each token by itself):

# %%
a, b = dog_man, man_dog
for _ in range(3):
    a, b = np.tanh(layer(a)), np.tanh(layer(b))
assert np.allclose(a[[2, 1, 0]], b)
print("after three layers, dog biting:", a[0, :4])
print("after three layers, dog bitten:", b[2, :4])

# %% [markdown]
# Such a model sees which words there are and how often: a **bag of words**. For some questions that is enough (what is
# this text about?), for "who bit whom?" it is not.
#
# ## What a causal mask gives away
#
# A decoder hides the future: query $i$ sees keys $j \le i$ only. The mask belongs to the *places* and does not move
# with the words, so the proof above breaks. The first word sees nobody but itself:

# %%
from course_lib.reference.attention import causal_mask

hidden = causal_mask(3)
print("dog, as the first word:", layer(dog_man, mask=hidden)[0, :4])
print("itself and its value:  ", (word["dog"] + word["dog"] @ W_v)[:4])
print("dog, as the last word: ", layer(man_dog, mask=hidden)[2, :4])

# %% [markdown]
# So with a mask there is *some* order in the numbers. How much? Let all scores be equal. Then token $i$ spreads its
# attention over $i + 1$ keys, and the weight of the first one is $1/(i+1)$. If the value of
# the first token differs from all others, that share is in the output, and with it the position of the query. (Among
# equal values it leaves no trace, as [[absolute_positions|chapter #]] shows.)

# %%
equal = softmax(np.where(causal_mask(n), 0.0, -np.inf))
places = 1 / equal[:, 0] - 1
print("position, from the weight of the first token:", places)
assert np.allclose(places, np.arange(n))
figures.heatmap(equal, alt="Weights of equal scores, causal mask", corner="query ↓ key →")

# %% [markdown]
# Still, the last row of a single masked layer sees everything and hides nothing: to it, the words before are a bag.
# From the second layer on, the words it looks at have themselves seen different things.

# %%
a, b = embed("dog bites man today"), embed("man bites dog today")
for depth in (1, 2):
    a, b = layer(a, mask=causal_mask(4)), layer(b, mask=causal_mask(4))
    print(f"{depth} layer(s), at the last word: same = {np.allclose(a[-1], b[-1])}")

# %% [markdown]
# Say it carefully, then. *Self-attention without a mask* is permutation equivariant. A stack of *causal* layers is not,
# and Haviv et al. (2022) found that causal language models without any position encoding come close to those with one,
# and that positions can be read from their inner layers to a degree; they conjecture that the model infers how many
# tokens came before. It has to spend layers and training on what the schemes of this course hand it for nothing.

# %% [markdown]
# ## Remember
#
# - Self-attention without positions is permutation **equivariant**: shuffle the words, and each takes its output along.
#   A pooled output, such as the mean, is invariant.
# - A causal mask breaks this. A stack of masked layers can work out positions to a degree, at a cost.
# - To the last word of a single masked layer, the words before it are still a **bag of words**.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "You classify whole texts by the mean of the outputs of an encoder without positions. "
    "You shuffle the words of a text. What happens to the class?",
    options={
        "It cannot change":
            "Yes: the outputs are equivariant, so their mean is invariant. It is a bag of words.",
        "It may change, since the outputs are reordered":
            "They are, and the mean does not ask for their order.",
        "It may change, since each word gets other neighbours":
            "No word knows its neighbours: it sees all keys, by content alone.",
    },
    answer="It cannot change",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder of three layers has no positions. You swap two words of a text, which are different. "
    "Which output rows change?",
    options={
        "None: attention is blind to order":
            "It is equivariant, not invariant: a word takes its output along to its new place.",
        "The two rows of these words, which change places":
            "Yes. Every other word gets exactly what it got before.",
        "All rows, because every word now has other neighbours":
            "No word knows its neighbours: it sees all keys, by content alone.",
    },
    answer="The two rows of these words, which change places",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A single layer has a causal mask and no positions. Which two texts give the last word the same output?",
    options={
        "dog bites man · man bites dog":
            "Their last words differ, and so do the queries of these words.",
        "dog bites man today · dog bites today":
            "The second text has a key less, so the other weights grow.",
        "dog bites man today · man bites dog today":
            "Yes: the last word sees the same words before it, as a bag.",
    },
    answer="dog bites man today · man bites dog today",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: five, from one row with a pencil to a decoder that forgets where it is. Every answer is checked, and a
# wrong one is told what went wrong.
#
# **Next:** [[next]].
#
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1 · A. Haviv et al., *Transformer Language
# Models without Positional Encodings Still Learn Positional Information*, 2022.
