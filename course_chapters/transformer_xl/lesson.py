# %% [markdown]
# # [[title]]
#
# If a long text is cut into segments, the first words of each segment have no context. Transformer-XL (Dai et al. 2019)
# reads the segments in order and keeps the previous one in a memory. But position vectors that start again in every
# segment do not work with such a memory. The repair is a score of four terms, and you already know three of them. Some
# speech models still use this score.
#
# **You will be able to**
# - split the absolute score into four terms, and say what replaces each position;
# - follow a number through the relative shift;
# - read a text in segments, and say when the result equals one long pass.
#
# **You need** chapters [[bias_by_hand|#]], [[vector_per_distance|#]] and [[diagonals|#]]. **Time** [[time]].

# %% [markdown]
# ## A text that comes in segments
#
# Take ten tokens, our sentence twice, and read them in two segments of five. While the model reads the second, it keeps
# the inputs of the first as a **memory**. Queries come from the new segment; keys and values come from both.
#
# To each input $x$ we add a position vector $p$ of sines and cosines ([[absolute_positions|chapter #]]). In each
# segment, positions start at 0, because otherwise they would soon exceed those seen in training.

# %%
import numpy as np

from course_kit import figures
from course_lib.example import D_K, TOKENS, K, Q, V
from course_lib.reference.absolute import sinusoidal

np.set_printoptions(precision=4, suppress=True)
n = len(TOKENS)
the, cat, sat, on, mat = range(n)
X = np.eye(n, 6)  # a 1 says which word it is; the sixth channel is always 0, because sinusoids come in pairs
W_q, W_k, W_v = (np.vstack([table, np.zeros(D_K)]) for table in (Q, K, V))  # a row for each word
assert np.array_equal(X @ W_q, Q) and np.array_equal(X @ W_k, K)
P = sinusoidal(np.arange(n), 6)
segment_1, segment_2 = X + P, X + P

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Query sat of segment 2 looks at ten keys: five in memory, five in its own segment "
    "(there is no mask yet). The word cat is among the keys twice. How do its two scores compare?",
    options={
        "The nearer cat gets the higher score":
            "Nothing in its key says that it is the nearer one.",
        "The cat in memory gets a score of 0":
            "It has a key like any other, computed from its word and its position.",
        "Both get exactly the same score":
            "Yes. The word and the position number are the same, so the keys of the cat one word back and of the "
            "cat six words back are equal.",
    },
    answer="Both get exactly the same score",
)

# %%
remembered = np.concatenate([segment_1, segment_2])
clash = (segment_2 @ W_q) @ (remembered @ W_k).T / np.sqrt(D_K)
assert np.allclose(clash[:, :n], clash[:, n:])
names = [f"{token} {half}" for half in (1, 2) for token in TOKENS]
figures.heatmap(
    clash, rows=TOKENS, columns=names, digits=2, corner="query ↓ key →",
    title="Scores of segment 2", alt="Scores of segment 2: the left half equals the right half",
)

# %% [markdown]
# The left half equals the right half, because our text repeats its words, and every segment repeats its position
# vectors. So the position in a key does not tell a query whether the key is in its own segment or in the memory.
#
# ## The absolute score, taken apart
#
# Where do positions enter the score? With $q = (x_i + p_i) W_q$ and $k = (x_j + p_j) W_k$, multiply out $q \cdot k$:
#
# $$(x_i + p_i)\, W_q W_k^\top (x_j + p_j)^\top =
# \underbrace{x_i W_q W_k^\top x_j^\top}_{(a)} + \underbrace{x_i W_q W_k^\top p_j^\top}_{(b)} +
# \underbrace{p_i W_q W_k^\top x_j^\top}_{(c)} + \underbrace{p_i W_q W_k^\top p_j^\top}_{(d)}$$
#
# Term (a) has no position in it. We keep it, and replace $p_j$ in (b) and (d), and $p_i$ in (c) and (d), so that the
# score depends on nothing but words and distances.
#
# ## A distance replaces the key's position
#
# A vector of the **distance** $\delta = i - j$ takes the place of $p_j$. It is a sinusoid, $R_\delta$, which exists for
# every distance without a table. But the model has learned to read it only at the distances of its training. When the
# authors evaluate with a memory of 640 tokens, every distance above 400 gets $R_{400}$ (`--clamp_len 400`).
#
# From here on, no position is added to an input: the query is $q_i = x_i W_q$, and the key of a word is
# $k_j = x_j W_k$. The key of a distance is $R_\delta W_r$, with its own weights $W_r$. $R$ counts distances $i - j$,
# but we write the key with its offset $j - i$, as $r_{j-i}$. For example, *sat* looks at *cat*: the distance is 1, the
# offset is −1, and the key is $r_{-1} = R_1 W_r$.
#
# A real layer learns $W_r$. Ours keeps the first four channels of $R$: the sine and cosine of $\delta$, and of an angle
# that grows more slowly. `position_keys` returns $r$ for every offset, in ascending order. With which two numbers must
# $r_{-1}$ begin?

# %%
from course_lib.reference.grid import row_offsets, to_grid
from course_lib.reference.transformer_xl import position_keys

W_r = np.eye(6, D_K)
r = position_keys(n, n, W_r)
assert np.allclose(r, sinusoidal(-row_offsets(n), 6) @ W_r)
r_one = r[cat - sat + n - 1]  # the row of offset −1
print("r at offset −1:", r_one)

# %% [markdown]
# It begins with $\sin 1 = 0.8415$ and $\cos 1 = 0.5403$.
#
# ## Two vectors replace the query's position
#
# In (c) and (d), $p_i W_q$ lets a query's own position influence what it looks for. If only distance should matter,
# that influence must be the same at every position. So a learned vector replaces $p_i W_q$: $u$ in (c), where it meets
# keys of words, and $v$ in (d), where it meets keys of distances. (Here, $v$ is not a value.)
#
# | | absolute | Transformer-XL | its job |
# |---|---|---|---|
# | (a) | $x_i W_q \cdot x_j W_k$ | $q_i \cdot k_j$ | content meets content |
# | (b) | $x_i W_q \cdot p_j W_k$ | $q_i \cdot r_{j-i}$ | content meets distance |
# | (c) | $p_i W_q \cdot x_j W_k$ | $u \cdot k_j$ | a key that is always interesting |
# | (d) | $p_i W_q \cdot p_j W_k$ | $v \cdot r_{j-i}$ | a distance that is always interesting |
#
# The score is the sum of all four, divided by the root of the key's width, here $\sqrt 4$. The drawing shows
# (b) in blue, (c) in olive and (d) in green.

# %%
figures.attention_block("Transformer-XL")

# %% [markdown]
# ## One pair by hand
#
# *sat* looks at *cat*, one word back. We choose $u$ and $v$ by hand: $u$ adds up channels 1 and 3 of a word's key, and
# $v \cdot r$ is $0.5 \sin\delta + \cos\delta$. Within our five words, this is largest at the distances 0 and 1.
#
# The key of *cat* is $(1, 0, 1, 0)$. Which of the four terms is 0?

# %%
u = np.array([0.0, 1.0, 0.0, 1.0])
v = np.array([0.5, 1.0, 0.0, 0.0])

print("(a)  q·k =", Q[sat] @ K[cat])
print(f"(b)  q·r = {Q[sat] @ r_one:.4f}")
print("(c)  u·k =", u @ K[cat])
print(f"(d)  v·r = {v @ r_one:.4f}")
total = (Q[sat] + u) @ K[cat] + (Q[sat] + v) @ r_one
print(f"score = sum/√4 = {total / np.sqrt(D_K):.4f}")

# %% [markdown]
# Term (c) is 0, because *cat*'s key has nothing in channels 1 and 3.
#
# ## Four maps
#
# Now we compute each term for all pairs.

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Which of the four maps has the same number all along each diagonal?",
    options={
        "(b) and (d), both are about distance":
            "(b) also depends on the query: two queries can judge the same distance differently.",
        "(d) alone":
            "Yes: v · r depends on j − i and on nothing else.",
        "(c) and (d), neither has a query in it":
            "True, neither has a query. But (c) depends on which key j is, so it "
            "is constant down each column.",
        "all four, since all is relative now":
            "(a) compares two words, and along a diagonal both change.",
    },
    answer="(d) alone",
)

# %%
by_loop = {name: np.zeros((n, n)) for name in "abcd"}
for i in range(n):
    for j in range(n):
        r_ij = r[j - i + n - 1]
        by_loop["a"][i, j] = Q[i] @ K[j]
        by_loop["b"][i, j] = Q[i] @ r_ij
        by_loop["c"][i, j] = u @ K[j]
        by_loop["d"][i, j] = v @ r_ij

# %%
assert np.allclose(by_loop["d"][1:, 1:], by_loop["d"][:-1, :-1])
assert np.allclose(by_loop["c"], u @ K.T)
jobs = {
    "a": "content ↔ content", "b": "content ↔ distance",
    "c": "key always interesting", "d": "distance always interesting",
}
maps = [
    figures.heatmap(table, corner="query ↓ key →", digits=2, limit=3, signed=True, alt=f"({name}) {jobs[name]}")
    for name, table in by_loop.items()
]
figures.side_by_side(figures.side_by_side(*maps[:2]), figures.side_by_side(*maps[2:]))

# %% [markdown]
# - **(a)** compares words. Their distance plays no part.
# - **(b)** lets each query judge distances in its own way. For one word back, *cat* gives 2.08 and *sat* 1.43. This is
#   the form of Shaw's term ([[vector_per_distance|chapter #]]).
# - **(c)** is the new one. It is one number per key: 2 for *The* and 0 for *cat*, whatever the query.
# - **(d)** is one number per offset: a bias row, as in [[bias_by_hand|chapter #]], but mixed from sinusoids.
#
# ## Two products give all four
#
# (a) and (c) share the factor $k_j$, and (b) and (d) share $r_{j-i}$. So we need two products and one `to_grid`:
#
# $$S = \frac{(Q + u)\,K^\top + \operatorname{to\_grid}\big((Q + v)\,r^\top\big)}{\sqrt 4}$$

# %%
from course_lib.reference.transformer_xl import xl_scores

scores = ((Q + u) @ K.T + to_grid((Q + v) @ r.T, n)) / np.sqrt(D_K)
assert np.allclose(scores, sum(by_loop.values()) / np.sqrt(D_K))
assert np.allclose(scores, xl_scores(Q, K, r, u, v))  # the course's function

# %% [markdown]
# ## The relative shift
#
# Where we use `to_grid`, the paper uses a **relative shift**. It is Huang's skew ([[diagonals|chapter #]]), with a
# memory in front.
#
# Let the memory hold *The* and *cat*, and let the segment be *sat on mat*. One product gives each query a row of five
# numbers, for the distances 4, 3, 2, 1 and 0. But the first key, *The*, is only two words before *sat*. So the row of
# *sat* must begin with distance 2, that of *on* with 3, and that of *mat* with 4.
#
# As in the skew, put a zero in front of each row, so that it has six numbers, and read all rows as one long line. The
# row of *sat* should begin with its distance 2, so drop the three numbers before it. (With $n_q$ queries, drop $n_q$.)
# Cut the rest into rows of five.
#
# Follow the number of *on* for distance 3. At which place of the long line is it, counted from 0, before we drop
# anything? And where is it after the cut?

# %%
from course_lib.reference.attention import causal_mask
from course_lib.reference.transformer_xl import relative_shift

products = (Q[sat:] + v) @ r[:n].T  # three queries, distances 4 to 0
padded = np.pad(products, ((0, 0), (1, 0)))  # a zero in front
shifted = padded.ravel()[3:].reshape(3, 5)
assert np.array_equal(shifted, relative_shift(products))  # the course's function
visible = causal_mask(3, past=2)
assert np.allclose(shifted[visible], (by_loop["b"] + by_loop["d"])[sat:][visible])
figures.provenance("shift")

# %% [markdown]
# The number of *on* for distance 3 is at place 8 of the line. Without the first three numbers, it is at place 5, so in
# rows of five it begins the second row, that of *on*.
#
# The row of *sat* has the distances 2, 1 and 0, then a zero and a number of the next query. These two are junk, which
# the causal mask must hide.
#
# ## Segments with memory
#
# Do two segments of five give the same outputs as one pass over all ten tokens? And if the memory holds only three?
# `read` is a layer with a memory. `update_memory` appends a segment to the memory and keeps the last `length` rows.

# %%
from course_lib.reference.attention import softmax
from course_lib.reference.transformer_xl import update_memory


def read(x, memory, w):
    """One layer, one head: a segment x (n_q, d_model) after a memory (past, d_model)."""
    past, both = len(memory), np.concatenate([memory, x])
    r = position_keys(len(x), len(both), w["r"], past=past)
    s = xl_scores(x @ w["q"], both @ w["k"], r, w["u"], w["v"])
    s = np.where(causal_mask(len(x), past=past), s, -np.inf)
    return softmax(s) @ (both @ w["value"])


# %%
ours = {"q": W_q, "k": W_k, "r": W_r, "u": u, "v": v, "value": W_v}
text = np.concatenate([X, X])
one_pass = read(text, text[:0], ours)  # text[:0] is an empty memory
first = read(text[:5], text[:0], ours)
assert np.allclose(first, one_pass[:5])
for length in (5, 3):
    second = read(text[5:], update_memory(None, text[:5], length), ours)
    print(f"memory of {length}: segment 2 differs from the one pass by up to {abs(second - one_pass[5:]).max():.2f}")
    assert np.allclose(second, one_pass[5:]) == (length == 5)

# %% [markdown]
# The outputs are the same if the memory holds everything before. Then *sat* of segment 2 finds one *cat* at distance 1
# and the other at distance 6, as in one pass. A memory of three has lost *The* and *cat* of segment 1, so the outputs
# differ.
#
# ## Remember
#
# - Position vectors that restart in each segment clash with a memory. In Transformer-XL, $R_\delta$ replaces $p_j$, and
#   $u$ and $v$ replace $p_i W_q$.
# - (a) is content, (b) has Shaw's form, (c) is a number per key, (d) a number per offset.
# - The relative shift leaves junk after offset 0, which a causal mask must hide.
# - Segments equal one long pass if the memory holds everything before.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A trained layer happens to have u = 0 and v = 0. What remains?",
    options={
        "Only (a), attention without positions":
            "(b) has neither u nor v in it.",
        "(a) and (b)":
            "Yes. That is Shaw's scheme for keys, with vectors made from sinusoids, and no clipping.",
        "(a) and (c)":
            "(c) is u · k, so it is 0. (b) is q · r, and it stays.",
    },
    answer="(a) and (b)",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder without a mask uses this chapter's relative shift, whose rows end at distance 0. What happens?",
    options={
        "It works: the junk is small":
            "The junk is another query's products, as large as any.",
        "An error about shapes":
            "All shapes fit. That is what makes it dangerous.",
        "For later keys, queries read a zero and then products of the next query":
            "Yes. Without a mask use to_grid, or the general skew.",
    },
    answer="For later keys, queries read a zero and then products of the next query",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "(c) adds the same row of numbers to the scores of every query. Does the softmax cancel it?",
    options={
        "Yes: the softmax ignores a constant":
            "It ignores a constant along a row of scores. u · k differs from key to key, so it is not one.",
        "No":
            "Yes. What cancels is a term that does not depend on the key. (c) depends on the key, and on nothing else.",
        "Only under a causal mask":
            "A mask hides keys. Among the visible ones, u · k still prefers some to others.",
    },
    answer="No" if not np.allclose(softmax(scores - by_loop["c"] / 2), softmax(scores)) else "Yes",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]].
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("transformer_xl")

# %% [markdown]
# ## Deeper · Where gradients stop
#
# In torch, `SegmentMemory` keeps the inputs of a `RelativeAttention`. The memory is **detached**: no gradient passes
# through it. Otherwise all computations of earlier segments would have to be kept.
#
# The loss comes from segment 2 alone, and a mask lets it look only at the remembered tokens. Will the input of segment
# 1 get a gradient? Will $W_k$? (The layer has $d_{model} = 8$ and two heads.)

# %%
import torch

from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.transformer_xl import TransformerXL

torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
layer = RelativeAttention(8, 2, TransformerXL(8, 2), causal=True).double()
segments = torch.randn(2, 1, 4, 8, dtype=torch.double)

# %%
old, new = (x.clone().requires_grad_() for x in segments)
memory = SegmentMemory(length=4)
layer(old, cache=memory)
only_memory = torch.arange(8) < 4
layer(new, cache=memory, mask=only_memory).square().sum().backward()

print("segment 1:", old.grad)
print("segment 2:", tuple(new.grad.shape))
learn = [name for name, p in layer.named_parameters() if p.grad.abs().max() > 0]
print("weights that learn:", *learn)
assert old.grad is None and len(learn) == 7

# %% [markdown]
# No gradient reaches the old segment. All seven weights learn, $W_k$ and $W_v$ among them, because the keys and values
# of the remembered tokens are computed while segment 2 is read.
#
# A key-value cache ([[bias_by_hand|chapter #]]) keeps these keys and values instead. What happens if $W_k$ changes
# between two segments, as in training?

# %%
caches = KeyValueCache(), SegmentMemory(length=4)
with torch.no_grad():
    for cache in caches:
        layer(segments[0], cache=cache)
    layer.key.weight += 0.1 * torch.randn_like(layer.key.weight)  # a training step
    fresh = layer(torch.cat(list(segments), dim=1))[:, 4:]
    follows = [torch.allclose(layer(segments[1], cache=c), fresh) for c in caches]
print("equal to one pass with the new weights: cache", follows[0], "| memory", follows[1])
assert follows == [False, True]

# %% [markdown]
# The cache is stale. The memory follows the layer's new weights. (In a stack, the remembered inputs still come from the
# old lower layers.)
#
# ## Deeper · Two bugs that nothing reports
#
# The paper writes $R_{i-j}$. A tutorial (see Sources) prints $R_{i-j}$, too, and computes $R_{j-i}$. Does it matter?
# Sine is odd and cosine is even, so the other sign negates every second channel. $W_r$ can undo this.

# %%
R_other = sinusoidal(row_offsets(n), 6)  # j − i instead of i − j
same_weights = xl_scores(Q, K, R_other @ W_r, u, v)
W_flipped = W_r * np.array([-1, 1, -1, 1, -1, 1])[:, None]
assert np.allclose(xl_scores(Q, K, R_other @ W_flipped, u, v), scores)

print(f"other sign, same weights: off by up to {abs(same_weights - scores).max():.2f}")
print(f"v·r one word back: {v @ r[n - 2]:.2f} becomes {v @ (R_other @ W_r)[n - 2]:.2f}")

# %% [markdown]
# Both signs can express the same scores. But if weights that were trained with one sign are loaded into code with the
# other, the word before the query gets the vector of the word after it, which a causal layer never used in training.
# Nothing crashes.
#
# The second bug is the tutorial's shift, which puts numbers in the wrong cells. It returns the right shape and never
# reads a later query, so tests of shape and causality pass. A comparison with a loop over the formula finds both bugs.
#
# ## Deeper · How far back does a stack see?
#
# In a stack, each layer remembers its own inputs. Those of the second layer already contain what the first layer saw
# one segment back. So how far does a change of token 0 travel?

# %% tags=["hide-input"]
# @title Question
figures.question(
    "Three layers, segments of 4, memory of 4. Token 0 is changed. "
    "Which is the last token whose output changes?",
    options={
        "7": "That is one layer: segment 2 (tokens 4 to 7) has segment 1 in its memory.",
        "11": "That is two layers. Each layer adds one segment.",
        "15": "Yes: its own segment, and one more for each of three layers.",
        "the last of the text": "Each layer carries the change only one segment further.",
    },
    answer=4 * (1 + 3) - 1,
)

# %% [markdown]
# Let `reads[i, j]` say whether token $i$ reads token $j$ in one layer: its own segment up to itself, and the memory. In
# two layers, $i$ reaches $j$ if it reads some token that itself reads $j$. For Booleans, this is `reads @ reads`.

# %%
i, j = np.arange(20)[:, None], np.arange(20)
reads = causal_mask(20) & (j >= i // 4 * 4 - 4)  # from the start of my segment, minus the memory
depths = {"1 layer": reads, "2 layers": reads @ reads, "3 layers": reads @ reads @ reads}
changes = np.array([reach[:, 0] for reach in depths.values()])  # with token 0
assert [row.nonzero()[0].max() for row in changes] == [7, 11, 15]
figures.heatmap(
    changes.astype(int), list(depths), range(20), corner="depth ↓ token →",
    alt="1 where the output changes with token 0",
)

# %% [markdown]
# Each layer adds one segment. If segment and memory have length $L$, then $N$ layers reach $N L$ tokens before the
# segment. But "can be reached" does not mean "is used".
#
# ## Deeper · A memory shorter than the text
#
# A deep stack reaches far back with a short memory. Is its output equal to that of one long pass, then? We build three
# layers with random weights, and compare token by token.

# %%
def read_text(x, layers, size, length):
    """A text (n, d) through all layers, segment by segment, each layer with a memory."""
    memory, output = [x[:0]] * len(layers), []
    for start in range(0, len(x), size):
        h = x[start : start + size]
        for number, w in enumerate(layers):
            later = h + read(h, memory[number], w)
            memory[number] = update_memory(memory[number], h, length)
            h = later
        output.append(h)
    return np.concatenate(output)


# %%
rng = np.random.default_rng(1)
shapes = {"q": (8, 8), "k": (8, 8), "r": (8, 8), "u": (8,), "v": (8,), "value": (8, 8)}
stack = [{name: rng.normal(size=s) / 3 for name, s in shapes.items()} for _ in range(3)]
long_text = rng.normal(size=(20, 8))
long_pass = read_text(long_text, stack, 20, 0)
for length in (16, 8, 4):
    gap = abs(read_text(long_text, stack, 4, length) - long_pass).max(axis=1)
    equal = int((gap < 1e-9).sum())
    print(f"memory {length:2}: the first {equal} tokens equal the long pass")
    assert equal == min(20, length + 4)

# %% [markdown]
# The outputs are equal only while the memory holds *every* earlier token. Later, the memory truncates the text, as a
# sliding window does. But a window counts back from each query, and a memory counts back from the start of the segment.
# So the first query of a segment sees fewer tokens than the last one. An evaluation script of the authors gives all
# queries the same number of keys (`--same_length`), which is a sliding window over the memory.
#
# ## Deeper · What memory buys
#
# Can a layer learn from a memory that gets no gradient? A text has eight random tokens, drawn from 16 and read in
# segments of four. Each answer is the token four places back, which lies in the previous segment.

# %%
import course_study as study


class InSegments(study.Small):
    """One layer that reads a text in segments of four, with a memory of `length` tokens."""
    def __init__(self, length):
        super().__init__([TransformerXL(32, 1)], 16, causal=True)
        self.length = length

    def forward(self, tokens):
        memory = SegmentMemory(self.length)
        segments = self.embedding(tokens).split(4, dim=1)
        return self.read(torch.cat([x + self.attention[0](x, cache=memory) for x in segments], dim=1))


def draw(generator):
    tokens = torch.randint(16, (32, 8), generator=generator)
    answers = tokens.roll(4, dims=1)
    answers[:, :4] = -100  # the loss skips −100: nothing is asked in segment 1
    return tokens, answers

# %% [markdown]
# We compare memories of 4, 2 and 0 tokens, with the same texts, steps and learning rate. A memory of 2 contains half
# of the answers, and a guess is right once in 16 times. So we expect accuracies near 1, $1/2 + 1/32 \approx 0.53$ and
# $1/16$. The margin, fixed before the run: with every seed, each shorter memory must lose at least 0.3.

# %% tags=["nbval-ignore-output"]
models = {f"memory {length}": lambda length=length: InSegments(length) for length in (4, 2, 0)}
accuracies = study.fit(models, draw, steps=60, learning_rate=0.02)
print("          seed 0  seed 1  seed 2")
for name, found in accuracies.items():
    print(f"{name}" + "".join(f"{accuracy:8.2f}" for accuracy in found))
four, two, none = accuracies.values()
assert min(four) > max(two) + 0.3 and min(two) > max(none) + 0.3

# %% [markdown]
# Our one-layer model learns to look four places back across the border, although the memory gets no gradient. Without
# memory it can only guess, because the answer is not among its keys.
#
# ## Deeper · Who uses it today?
#
# We found it in speech models. The Conformer took these positions over (Gulati et al. 2020). In transformers 5.23,
# NVIDIA's **Parakeet** has all four terms. Because it has no causal mask, its rows also cover the future. **Gemma 4**
# has (a) and (b) in its audio encoder. DeBERTa's score is a close relative: it has (a), (b) and (c), but its (c) lets
# each *key* judge distances, as one of the tasks of [[vector_per_distance|chapter #]] does.
#
# Term (b) costs time, because it needs one more product per query and offset. And torch's fused kernel (SDPA) takes it
# only as a mask with a number for each query and key of each head. Parakeet's code computes (b) and (d) as such a mask.
# In one study of speech models, those with RoPE trained faster, with similar or better accuracy (Zhang et al. 2025).
#
# ## Deeper · The released code
#
# XLNet (Yang et al. 2019) has the same four terms, and a fifth one that tells whether query and key belong to the same
# part of the input, such as the question or the text. Its rows cover past and future, from distance $n$ to $-(n-1)$, so
# its shift leaves no junk in the first $n_k$ columns. Does it agree with us, without the fifth term?

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("Not installed. To compare: pip install transformers")
else:
    from transformers import XLNetConfig
    from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

    # In models/xlnet/modeling_xlnet.py, rel_attn_core adds the four terms and rel_shift_bnij is the shift.
    xlnet = XLNetRelativeAttention(XLNetConfig(d_model=4, n_head=1)).double().eval()
    xlnet.r_w_bias.data, xlnet.r_r_bias.data = torch.tensor(u)[None], torch.tensor(v)[None]  # u and v
    weights = softmax(np.where(causal_mask(n), scores, -np.inf))
    r_falling = sinusoidal(np.arange(n, -n, -1), 6) @ W_r
    heads = [torch.tensor(a)[:, None, None] for a in (Q, K, V, r_falling)]  # (length, batch, heads, d)
    hidden = torch.tensor(~causal_mask(n))[:, :, None, None].double()
    output, attention = xlnet.rel_attn_core(*heads, attn_mask=hidden, output_attentions=True)
    assert np.allclose(attention[..., 0, 0].detach(), weights)
    assert np.allclose(output[:, 0, 0].detach(), weights @ V)
    print("XLNet's weights and outputs equal ours.")

# %% [markdown]
# **Sources** Z. Dai et al., *Transformer-XL*, 2019: section 3.2, section 3.3, appendix B (shift) · its code,
# github.com/kimiyoung/transformer-xl: `pytorch/mem_transformer.py`, `pytorch/run_wt103_base.sh` · the tutorial:
# [onenoughtone.com](https://onenoughtone.com), *Positional encoding*, part 4 · A. Gulati et al., *Conformer*, 2020 ·
# S. Zhang et al., *Benchmarking Rotary Position Embeddings for Automatic Speech Recognition*, 2025 · Z. Yang et al.,
# *XLNet*, 2019.
