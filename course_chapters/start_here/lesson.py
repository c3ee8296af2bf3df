# %% [markdown]
# # [[title]]
#
# The words of a sentence have an order, but attention alone does not see it. This course is about the ways to add
# position to attention: by a number, by a vector, or by a rotation. You will build them all, first small, then fast
# enough for a real model.
#
# **How to run a cell.** A *cell* is a grey box of code. On every page, first choose *Run All Cells* in the menu *Run*,
# which takes up to a minute, and scroll back up. After that, to run one cell again, click into it and press
# Shift+Enter (or the button ▶). Its result appears below it. The *kernel* runs the code. A restart makes it forget
# everything; then choose *Run All Cells* again.
#
# **You will be able to** run a cell, read the pictures, use the line tracer and get help from a task. **You need**
# Python, a little NumPy, and matrix products. **Time** [[time]]. (*Core* marks a shorter course of three hours.)

# %% [markdown]
# ## A first surprise: a decoder that cannot tell word order
#
# Our decoder has a single attention layer. For each pair of words, attention computes a **score**: the higher it is,
# the more one word takes over from the other. For word order, we add a number to each score, the **bias**. It depends
# only on the **offset** of the two words: 1.2 for the word before, −0.5 for the word two places back, and so on.

# %%
import numpy as np

from course_lib.reference.attention import attention, causal_mask

rng = np.random.default_rng(0)
# The vector of a word is its query, key and value at once.
vectors = {word: rng.normal(size=8) for word in ("dog", "bites", "man", "today")}
table = {0: 0.3, -1: 1.2, -2: -0.5, -3: 0.8}  # a bias for each offset; an offset without an entry gets 0


def last_output(sentence, sign):
    """The output at the last word. An offset is sign · (j − i), with i the query and j the key."""
    x = np.array([vectors[word] for word in sentence.split()])
    n = len(x)
    bias = np.array([[table.get(sign * (j - i), 0) for j in range(n)] for i in range(n)])
    output, _ = attention(x, x, x, bias=bias, mask=causal_mask(n))
    return output[-1]


# %% [markdown]
# Two sentences have the same words in different orders. Is the output at *today*, the last word, the same?

# %%
sign = -1

one = last_output("dog bites man today", sign)
other = last_output("man bites dog today", sign)
print("dog bites man = man bites dog?", np.allclose(one, other))

# %% [markdown]
# The outputs are equal, without any warning. **Your turn:** change −1 to +1 in the cell above, and run it. What does
# it print now?
#
# <details><summary>What you should see</summary>
#
# It prints `False`. You changed one sign, and now the decoder can tell the sentences apart. (If there is a
# `NameError`, choose *Run All Cells*.)
#
# </details>
#
# What happened? In attention, a word compares its *query* with the *key* of every word, which gives the score of each
# pair ([[blind_to_distance|chapter #]]). A **softmax** turns the scores of a word into **weights** that sum to 1. The
# word's output is the sum of all *values*, each times its weight. In a decoder, a mask hides later words.
#
# `table` lists the past under negative offsets. With −1 the offset is the position of the query minus that of the key,
# so the past has positive offsets, which `table` lacks. So all earlier words get the bias 0. Then an earlier word's
# weight does not depend on its place. The output is a sum, and a sum does not depend on the order of its terms.

# %%
position = np.arange(4)
offsets = position - position[-1]  # j − i for the last word
print("key minus query:", {int(o): table.get(int(o), 0) for o in offsets})
print("query minus key:", {int(o): table.get(int(o), 0) for o in -offsets})

both = "dog bites man today", "man bites dog today"
assert np.allclose(*(last_output(sentence, -1) for sentence in both))
assert not np.allclose(*(last_output(sentence, +1) for sentence in both))

# %% [markdown]
# So all chapters count in the same direction: **offset = j − i**, where $i$ is the position of the query and $j$ that
# of the key. A negative offset means that the key is in the past.

# %% [markdown]
# ## Is your machine ready?

# %% tags=["nbval-ignore-output", "prints-only"]
from course_kit.environment import check_machine

check_machine()

# %% [markdown]
# No chapter needs a GPU. A line that says *missing* also says what to do.

# %% [markdown]
# ## The five tokens
#
# One example runs through all chapters: "The cat sat on mat", with a query, a key and a value of four numbers for each
# token. (Its source is in `docs/acknowledgements.md`.)

# %%
from course_kit import figures
from course_lib.example import K, Q, V

four = ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(Q, columns=four, alt="Queries Q"),
    figures.heatmap(K, columns=four, alt="Keys K"),
    figures.heatmap(V, columns=four, alt="Values V"),
)

# %% [markdown]
# All chapters use these letters.
#
# | letter | means |
# |---|---|
# | $i$, $j$ | position of the query, of the key, counted from 0 |
# | offset $j - i$ | where the key is, seen from the query; negative in the past |
# | $n_q$, $n_k$ | how many queries, how many keys |
# | $d_k$ | how many numbers a query or a key has (4 in the example) |
# | $q_i, k_j, v_j$ | query, key and value: rows of $Q$, $K$, $V$ |
# | $B_{ij}$ or $b_{j-i}$ | a bias, added to the score |
# | scale | the factor of $q_i \cdot k_j$ in the score, usually $1/\sqrt{d_k}$ |
#
# A **head** is one of several attentions that run side by side in a layer, each with its own weights.

# %% [markdown]
# ## The map
#
# A way to add position to attention, or to change where a head may look, is called a **scheme**. We ask two questions
# about each: **what may a head see of the offset, and where does the scheme enter?** The map shows the seven places
# where schemes of this course enter. (Place 7 carries no position: it lets a head look at nothing.) The number beside
# a scheme is the chapter that builds it and explains its formula. BERT is at place 1, T5 at 2, Llama and Qwen at 5.

# %%
figures.map_of_schemes()

# %% [markdown]
# ## What may a head see?
#
# The four pictures show how schemes at places 2, 3, 5 and 6 of the map change the scores of the five tokens. A number
# per offset is the same on a whole diagonal. A vector per offset is multiplied by the query, so what it adds differs
# from row to row. What a rotation changes depends on the offset, the query *and* the key; at offset 0 it changes
# nothing. A number per key is the same in a whole column. (In the third picture, a row and a column round to 0,
# because the rotation hardly turns the query of *cat* and the key of *The*.)

# %%
from course_lib.reference.rope import rotate

i, j = np.arange(5)[:, None], np.arange(5)
vector, of_key = rng.normal(size=(9, 4)), rng.normal(size=5)  # drawn at random
figures.side_by_side(
    figures.heatmap(-0.3 * abs(j - i), alt="(2) b[j − i]", digits=1),
    figures.heatmap((Q[:, None] * vector[j - i + 4]).sum(axis=-1), alt="(3) q_i · a[j − i]", digits=1),
    figures.heatmap(rotate(Q) @ rotate(K).T - Q @ K.T, alt="(5) rotated − not rotated", digits=1),
    figures.heatmap(np.tile(of_key, (5, 1)), alt="(6) f_j", digits=1),
)

# %% [markdown]
# ## Pictures you can touch
#
# Most pictures work without a running kernel. You can move a slider, point at a cell, or use Tab and the arrow keys.
# This one shows the bias of [[bias_by_hand|chapter #]], and what it does to the weights. A slider sets its `strength`
# λ, which multiplies the whole bias. Adding a bias $b$ to a score multiplies the weight by the factor $e^b$; then each
# row is made to sum to 1 again. For which λ does a key one step back get the factor 1/2? (Leave the decay at *log*;
# the picture shows its formula.)

# %%
figures.bias_heatmap()

# %% [markdown]
# If the sliders are missing, choose *Run All Cells*.
#
# <details><summary>The answer</summary>λ = 1: one step back the bias is −ln 2, and e to this power is 1/2.</details>
#
# ## The line tracer
#
# What does each line of a function compute? Click a line to see its values. If it runs several times, click again for
# the next time, or use the buttons. `figures.trace` takes your own functions, too.


# %%
def softmax(x):
    """Positive weights that sum to 1."""
    weights = np.zeros(len(x))
    for j in range(len(x)):
        weights[j] = np.exp(x[j])
    total = weights.sum()
    return weights / total


figures.trace(softmax, np.array([0.0, 1.0, 2.0]))

# %% [markdown]
# ## Tasks that answer back
#
# Each later chapter has a page of tasks. In most of them you write or correct a function and pass it to `check`, which
# says what is wrong and where. Here is a first attempt at the bias matrix of [[bias_by_hand|chapter #]]:

# %%
from course_chapters.bias_by_hand import tasks as task


def bias_matrix(n, strength):
    """Log-decay bias B[i, j] = -strength * log(1 + |j - i|), shape (n, n)."""
    position = np.arange(n)
    return strength * np.log1p(abs(position - position[:, None]))


task.bias_matrix.check(bias_matrix)

# %% [markdown]
# **Your turn:** correct the sign in the cell above, and run it again. If the message is not enough, `compare` shows
# your numbers beside the expected ones, and `solution()` shows a solution. Nothing leaves your machine.

# %%
task.bias_matrix.compare(bias_matrix)

# %% [markdown]
# If your code loops for ever, the check stops it. Only a single call that takes very long, such as
# `sum(range(10**12))`, cannot be stopped. Then restart the kernel, in the menu *Kernel*. The cell below shows which
# tasks of a chapter you have passed; `progress()` alone shows all.

# %%
from course_chapters.progress import progress

progress("bias_by_hand")

# %% [markdown]
# ## Where to go
#
# Sections called *Deeper* are optional. The last lesson, 16, helps you choose a scheme, and ends with a quiz.
#
# **Next:** [[next]]. If you are in a hurry, go on with [[bias_by_hand]], and read what is marked as *Core*.
