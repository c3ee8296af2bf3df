# %% [markdown]
# # [[title]]
#
# Words have an order, and attention does not see it. This course is about the ways to put it in, by adding a number,
# adding a vector or rotating, and about what each of them can and cannot express. You will build them all, small
# enough to check with a pencil, and then fast enough for a real model.
#
# **You will be able to** run a cell, read the pictures, use the line tracer and get help from a task.
# **You need** Python, a little NumPy, and matrix products. **Time** [[time]].

# %% [markdown]
# ## Thirty seconds: a decoder that sees a bag of words
#
# A decoder reads from left to right: no word may look at a later one. Ours is one attention layer with a random vector
# for each word. To tell near from far it adds a number to each score, a **bias**, as the model T5 does: the bias
# depends on the **offset** between the two words, and far offsets share one of 32 table entries, called *buckets*.
# We give it two sentences and look at what it computes at the last word.

# %%
import numpy as np

from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.t5 import bucket

rng = np.random.default_rng(0)
vectors = {word: rng.normal(size=8) for word in ("dog", "bites", "man", "today")}
table = rng.normal(size=32)  # a bias for each bucket; in a model it is learned


def last_output(sentence, sign):
    """What the decoder computes at the last word; sign says how the offset is counted."""
    x = np.array([vectors[word] for word in sentence.split()])
    position = np.arange(len(x))
    offset = sign * (position - position[:, None])
    bias = table[bucket(offset, bidirectional=False)]
    output, _ = attention(x, x, x, bias=bias, scale=1.0, mask=causal_mask(len(x)))
    return output[-1]


# %% [markdown]
# First with the offset as the query's position minus the key's. It is a natural way to write it.

# %%
same = np.allclose(
    last_output("dog bites man today", sign=-1),
    last_output("man bites dog today", sign=-1),
)
print("dog bites man = man bites dog?", same)
assert same

# %% [markdown]
# At its last word the layer computes the *same* for both, to the last digit. No error, no warning, and it would train.
# Now change one sign: key minus query.

# %%
same = np.allclose(
    last_output("dog bites man today", sign=+1),
    last_output("man bites dog today", sign=+1),
)
print("dog bites man = man bites dog?", same)
assert not same

# %% [markdown]
# What happened? T5's decoder puts every key that is *not* in the past into bucket 0. With the sign turned round, all
# visible keys look like the future and share that bucket. One bias for all of them cancels in the softmax, and what is
# left is a weighted sum of words without their order.

# %%
position = np.arange(4)
last_row = position - position[-1]  # offsets j − i of the last word
print("key minus query, buckets:", bucket(last_row, bidirectional=False))
print("query minus key, buckets:", bucket(-last_row, bidirectional=False))

# %% [markdown]
# So the course says which way it counts, and checks it: **offset = j − i**, with $i$ the position of the query and $j$
# that of the key. Negative means the key is in the past. (In a deeper model the mask alone gives some order away,
# which is why such a bug can live long: the model still learns, only worse.)

# %% [markdown]
# ## Is your machine ready?

# %% tags=["nbval-ignore-output"]
from course_lib.environment import check_machine

ready = check_machine()
ready

# %%
assert ready.ok, ready

# %% [markdown]
# No GPU is needed anywhere. If a line says *missing*, the cure stands beside it.

# %% [markdown]
# ## The five tokens
#
# One example runs through all chapters: the sentence "The cat sat on mat", with a query, a key and a value of four
# numbers for each token. They live in `course_lib.example`.

# %%
from course_lib import figures
from course_lib.example import TOKENS, K, Q, V

four = ["0", "1", "2", "3"]
figures.side_by_side(
    figures.heatmap(Q, columns=four, alt="Queries Q"),
    figures.heatmap(K, columns=four, alt="Keys K"),
    figures.heatmap(V, columns=four, alt="Values V"),
)

# %% [markdown]
# | letter | means |
# |---|---|
# | $i$, $j$ | position of the query, of the key, counted from 0 |
# | offset $j - i$ | where the key stands as seen from the query; negative: in the past |
# | $n_q$, $n_k$ | how many queries, how many keys |
# | $d_k$ | numbers in a query or key (4 in the example) |
# | $q_i, k_j, v_j$ | query, key and value: rows of $Q$, $K$, $V$ |
# | $B_{ij}$ or $b_{j-i}$ | a bias, added to the score |
# | scale | what $q_i \cdot k_j$ is multiplied by: $1/\sqrt{d_k}$, in T5 1 |
# | $\lambda$ | the strength of the log-decay bias (the argument `scale` of `decay_bias`) |
# | past | how many tokens came before the first query (0 unless a cache holds some) |
#
# In [[bias_by_hand|chapter #]] the score is $\text{scale} \cdot q_i \cdot k_j + B_{ij}$, then comes the mask, then the
# softmax over
# $j$. Other schemes change the score in other places: see the map. In torch, tensors are `(batch, heads, length, d)`.

# %% [markdown]
# ## The map
#
# Every scheme answers one question: **what may a head see of the offset, and where does it enter?** There are five
# places. The number beside a scheme is the chapter that builds it.

# %%
figures.map_of_schemes()

# %% [markdown]
# ## Pictures you can touch
#
# Most pictures are alive without a running kernel: move a slider, point at a cell, walk with Tab and the arrow keys.
# This one is the bias of [[bias_by_hand|chapter #]]. Which slider position makes the whole picture vanish?

# %%
from course_lib.reference.bias import decay_bias

assert np.isclose(decay_bias(5, scale=0.3)[0, 4], -0.3 * np.log(5))
figures.bias_heatmap(n=5, scale=0.3, decay="log", tokens=TOKENS)

# %% [markdown]
# If you see only a coloured table here, the notebook is not trusted yet: `python3 course.py lab` opens the course with
# its own notebooks trusted, and running a cell brings its picture to life anywhere.

# %% [markdown]
# ## The line tracer
#
# Click a line to see what it made, click again for its next visit, or step with the buttons. You can trace functions
# of your own too: `figures.trace(your_function, its, arguments)`.


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
# Each chapter has tasks in `exercises/`. You write a function and hand it to `check`, which says what is wrong in the
# words of the problem. Here is somebody's first try at the bias matrix of [[bias_by_hand|chapter #]]:

# %%
from course_tasks import bias_by_hand as task


def bias_matrix(n, scale):
    """Log-decay bias B[i, j] = -scale * log(1 + |j - i|), shape (n, n)."""
    position = np.arange(n)
    return scale * np.log1p(abs(position - position[:, None]))


task.bias_matrix.check(bias_matrix)

# %% [markdown]
# When a message is not enough, `hint()` gives one hint more each time you ask, `compare` sets your numbers beside the
# expected ones, and `solution()` shows a solution. Nothing is counted and nothing leaves your machine.

# %%
task.bias_matrix.hint()

# %%
task.bias_matrix.compare(bias_matrix)

# %% [markdown]
# Mend the sign in the cell with `def bias_matrix` and run it again. Your code may loop for ever, print a million lines
# or change its arguments: the check survives it and says so.

# %% [markdown]
# ## Where you are
#
# This table fills as you pass tasks. It is kept in the file `.progress.json` of the course's folder on your machine.

# %% tags=["nbval-ignore-output"]
from course_tasks.progress import progress

so_far = progress()
so_far

# %%
assert so_far.total == sum(len(chapter.tasks) for chapter in so_far.chapters)

# %% [markdown]
# ## Where to go
#
# The map above says what each chapter is about. Each lesson ends with its tasks, and each stands on the ones before it.
# The last one compares all schemes, judges forty sentences about them, and ends with a quiz over the whole course.
#
# **Next:** [[next]]. In a hurry? Go on with [[bias_by_hand]].
