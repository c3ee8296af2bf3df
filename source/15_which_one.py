# %% [markdown]
# # [[title]]
#
# You have built many ways to tell attention where a token is. Now somebody asks: *which one should we use?* This
# chapter answers in four steps. A table compares all schemes, and each of its cells is computed from the modules you
# know. A guide rules out what cannot work for your model. An optional section measures whether near is what matters.
# And a ledger decides popular claims with a few lines of code each. At the end you add a scheme of your own.
#
# **You will be able to**
# - compare schemes by where they enter, what they learn, what they keep, and how far they reach;
# - choose for a given model, and say what is proved, what was measured and what is a guess;
# - test a sentence such as "ALiBi reads texts of any length" with a few lines of code;
# - bring a new scheme into a model, and have it checked, timed and trained.
#
# **You need** chapters [[bias_by_hand|#]] to [[longer_than_training|#]]. **Time** [[time]]. The quiz takes 20 more.

# %%
import re
from collections import Counter
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np

from course_lib import figures, workbench
from course_tasks import claims, comparison, definition_distance, guide, quiz

np.set_printoptions(precision=3, suppress=True)

# %% [markdown]
# ## The schemes beside each other
#
# Where does a cell of the table come from? *How many numbers does Shaw's scheme learn?* The answer is not written down
# anywhere: the module is made for the sizes we ask for, and its parameters are counted.

# %%
table = comparison.table()  # for small sizes: 64 channels, 4 heads, texts of 64 tokens
cell = table["Shaw", "parameters"]
print(cell.text)
print(cell.note)
for test in cell.evidence:
    print("backed by", test)

H, k, d = 4, 16, 16
assert cell.value == 2 * H * (2 * k + 1) * d

# %% [markdown]
# Here is the whole table, with eighteen schemes and eight questions. The folds below it say how each cell was found and
# what backs it. Only the column *longer than training?* rests on trained models: small ones, after 2,000 steps
# ([[longer_than_training|chapter #]]). It gives the rise of their loss in text from 128 to 1,024 tokens, in nats.
#
# Five rows are new. A *sliding window* (here with RoPE) shows a query only the nearest keys. A *sink* is one more key,
# without a value, that can take weight. *Log scale* enlarges later queries, because more keys share their softmax. In
# *FoX* each token lowers the weight of all keys before it. *FIRE* learns a bias from the distance divided by the
# query's position.

# %%
figures.comparison_table(table)

# %%
# The words on length come from the committed runs: the interval over three seeds decides, the number is the mean.
assert table["RoPE", "longer than training?"].text == "breaks +2.46"
level = [s for s in comparison.SCHEMES if "level" in table[s, "longer than training?"].text]
assert level == ["Transformer-XL", "T5 buckets", "ALiBi", "sliding window", "FoX"]

# %% [markdown]
# Read it by columns.
#
# - **Where it enters** divides the schemes into families. One number per offset (T5, ALiBi, the log decay) is a bias,
#   so the same tricks serve all of these ([[fast_attention|chapter #]]). In a scheme that enters through the query,
#   each query judges offsets in its own way, which costs a product for each.
# - **Causal only?** Music Transformer's usual form and T5's decoder buckets are made for one direction. The log decay,
#   ALiBi and FIRE cannot tell *before* from *after*. Under a causal mask this does not matter.
# - **Longer than training?** Five schemes stayed level in text: T5 only if training reaches all buckets and its table
#   learns fast. But *level* is not *used*: when all keys 128 or more back were masked, the loss of these five did not
#   rise.

# %% [markdown]
# ## What grows with the text
#
# The column *keeps for n tokens* counts the bytes that one layer holds for position. Which scheme needs the most in
# long texts?

# %%
sizes = (64, 256, 1024, 4096)
tables = [comparison.table(n=n) for n in sizes]
print(f"{'bytes for n =':18}", *(f"{n:>11,}" for n in sizes))
for scheme in comparison.SCHEMES:
    kept = [t[scheme, "keeps for n tokens"].value[0] for t in tables]
    print(f"{scheme:18}", *(f"{b:11,}" for b in kept))
matrix = [4 * 4 * n * n for n in sizes]  # float32, 4 heads
print(f"{'n × n for 4 heads':18}", *(f"{b:11,}" for b in matrix))
alibi = tables[-1]["ALiBi", "keeps for n tokens"].value[0]
print(f"for n = 4,096: {matrix[-1] / 1e6:.0f} MB for the matrices, {alibi / 1e3:.0f} kB for ALiBi's row")
assert [s for s in comparison.SCHEMES if tables[-1][s, "keeps for n tokens"].value[0] == matrix[-1]] == ["FIRE"]

# %% [markdown]
# Only FIRE keeps the whole n × n matrix, 268 MB at 4,096 tokens, because its bias depends on the query's position as
# well as on the offset. With one number per offset, a head needs one row and no matrix ([[diagonals|chapter #]]):
# ALiBi's four rows take 131 kB. What Swin keeps does not grow, because a larger image has more windows, not larger
# ones.
#
# Some schemes learn once for the whole model and others in each layer. Take a decoder with 12 layers, 768 channels and
# 12 heads that reads 512 tokens. Which scheme learns the most numbers in it: learned positions, T5, Music Transformer,
# or Transformer-XL? Guess, then count.

# %%
large = comparison.table(d_model=768, n_heads=12, n=512)
layers, learned = 12, {}
for scheme in comparison.SCHEMES:
    cell = large[scheme, "parameters"]
    learned[scheme] = cell.value * (1 if "once for all layers" in cell.text else layers)
for scheme, count in sorted(learned.items(), key=lambda item: -item[1]):
    print(f"{scheme:18}{count:11,}")
projections = layers * 4 * 768 * 768
print(f"{'W_q, W_k, W_v, W_o':18}{projections:11,}")
assert max(learned, key=learned.get) == "Transformer-XL" and 4 * learned["Transformer-XL"] > projections

# %% [markdown]
# Transformer-XL's map of the distances is as large as a query projection, so it adds a quarter to what attention
# learns. (Its paper and code share u and v among layers; here each layer has its own.) T5 learns only 384 numbers. Yet
# in [[longer_than_training|chapter #]] its table shared the first place at the training length, with a learning rate
# ten times that of the rest.

# %% [markdown]
# ## A guide
#
# The guide asks six questions about your model. It **rules a scheme out** because of how it is made or because of what
# you have (published weights come with their scheme). A measurement alone gives only a caveat.

# %%
guide.picture()

# %% [markdown]
# The same rules work in Python. Which schemes are left for these three models?


# %%
def left(answers, verdict=0):
    """The schemes with this verdict: 0 fits, 1 with a caveat, 2 ruled out."""
    return [scheme for scheme, found in guide.decide(answers).items() if found.verdict == verdict]


decoder = {
    "What is attended?": "text, left to right",
    "How long are the texts (or windows)?": "longer than in training",
}
print("a decoder for longer texts: ", left(decoder))
llama = {**decoder, "Which weights does it start from?": "from Llama, GPT-NeoX"}
print("… that starts from Llama:   ", left(llama), "with a caveat:", left(llama, verdict=1))
windows = {"What is attended?": "an image, in windows"}
print("an image, in windows:       ", left(windows))

assert left(decoder) == ["Transformer-XL", "ALiBi"] and left(windows) == ["Swin"]
assert left(llama) == [] and left(llama, verdict=1) == ["RoPE"]
for found in guide.decide(llama)["RoPE"].rules:
    if found.verdict == 1:
        print("the caveat:", found.why)

# %% [markdown]
# Of the five level schemes two fit the first model. T5 has its two conditions; for the others, the guide lacks a rule
# about text read left to right. Nothing *fits* the second model without a caveat: its weights decide the scheme, and
# RoPE has never met the angles of longer texts. If you use a published model, you do not choose between schemes but
# between repairs, such as position interpolation ([[rope|chapter #]]).

# %% [markdown]
# ## Is near what matters?
#
# *Optional: the next section does not need it.*
#
# Many pages recommend relative positions because "what is near belongs together". That is a statement about data, and
# it decides between schemes: a bias that falls with distance helps only where near matters, and a clip harms only where
# far offsets differ. So we measure it. (With another version of Python your numbers may differ a little.)
#
# ### Text
#
# How much does one character tell about the character $d$ places later? The **mutual information** answers in nats: by
# how much the loss of a perfect guesser falls when it is told that character and knows nothing else.
#
# $$I(d) = \sum_{x, y} p_d(x, y) \ln \frac{p_d(x, y)}{p(x)\, p(y)}$$
#
# Here $p_d(x, y)$ is how often $x$ occurs $d$ places before $y$. Even shuffled characters give a little by chance, so
# we subtract that. Our text is Python's help pages. How fast does the information fall with distance?

# %% tags=["nbval-ignore-output"]
pages = [topics[name] for name in sorted(topics)]  # Python's help texts
lines = "\n".join(pages).split("\n")
prose = [line for line in lines if not line.strip().startswith(("|", "+"))]
borderless = [line for line in lines if not line.strip().startswith("+")]  # a border looks like +-----+


def information(characters, d):
    """Mutual information of characters d places apart, in nats."""
    alphabet, ids = np.unique(characters, return_inverse=True)
    p = np.bincount(ids[:-d] * len(alphabet) + ids[d:], minlength=len(alphabet) ** 2) / (len(ids) - d)
    p = p.reshape(len(alphabet), -1)
    alone = np.outer(p.sum(axis=1), p.sum(axis=0))
    return np.sum(p[p > 0] * np.log(p[p > 0] / alone[p > 0]))


apart, found = [1, 2, 4, 8, 16, 32, 64, 128], {}
print(f"{'places apart':24}", *(f"{d:5}" for d in apart))
for name, kept in {"all lines": lines, "without tables": prose, "without their borders": borderless}.items():
    characters = list("\n".join(kept))
    chance = information(np.random.default_rng(0).permutation(characters), 1)
    found[name] = [information(characters, d) - chance for d in apart]
    print(f"{name:24}", *(f"{i:5.3f}" for i in found[name]))

# %% tags=["nbval-ignore-output"]
everything, without, borders_out = found.values()
share = 1 - len("\n".join(prose)) / len("\n".join(lines))
print(f"tables and grammars: {1 - len(prose) / len(lines):.0%} of the lines, {share:.0%} of the characters")
assert everything[0] > 3 * everything[3] and without[0] > 3 * without[3]  # near tells more than far
assert everything[5] > 4 * without[5] and everything[5] > 3 * borders_out[5]  # at 32 places: tables, mostly borders

# %% [markdown]
# So in text near does tell more than far. But compare the three rows. With all lines, a character still tells 0.060
# nats at 32 places. Without the lines that begin with `|` or `+`, fewer than one in twenty, **five sixths of the 0.060
# disappear: they came from tables**, and mostly from their borders, which are rows of dashes. Find out what your data
# are made of before you read a law in them.
#
# ### Code, words that return, and proteins
#
# Three kinds of tokens look for another one at a distance that we can measure. In the **code** of Python's standard
# library, a variable looks for its definition. On a **help page**, a word looks for its last occurrence (we leave out
# the 200 most frequent words). In a **protein**, a chain of amino acids, each cysteine (the letter C) looks for the one
# it is bound to.

# %%
PROTEINS = {  # sequence, bonds between its cysteines, counted from 1
    "lysozyme": (
        "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSD"
        "GNGMNAWVAWRNRCKGTDVQAWIRGCRL",
        [(6, 127), (30, 115), (64, 80), (76, 94)],
    ),
    "ribonuclease A": (
        "KETAAAKFERQHMDSSTSAASSSNYCNQMMKSRNLTKDRCKPVNTFVHESLADVQAVCSQKNVACKNGQTNCYQSYSTMSITDCRETGSSKYPNCAYKTTQ"
        "ANKHIIVACEGNPYVPVHFDASV",
        [(26, 84), (40, 95), (58, 110), (65, 72)],
    ),
    "trypsin inhibitor": ("RPDFCLEPPYTGPCKARIIRYFYNAKAGLCQTFVYGGCRAKRNNFKSAEDCMRTCGGA", [(5, 55), (14, 38), (30, 51)]),
    "crambin": ("TTCCPSIVARSNFNVCRLPGTPEALCATYTGCIIIPGATCPGDYAN", [(3, 40), (4, 32), (16, 26)]),
}
for name, (chain, bonds) in PROTEINS.items():
    print(f"{name:18}{len(chain):4} letters, its bonds reach", *(b - a for a, b in bonds))
reach = np.array([b - a for _, bonds in PROTEINS.values() for a, b in bonds])
print(f"more than 32 places: {np.sum(reach > 32)} of {reach.size}")
assert (np.sum(reach > 32), reach.size) == (7, 14)

# %% [markdown]
# AlphaFold 2 gives every pair of residues a vector for their offset, clipped at ±32 (Jumper et al. 2021, supplement,
# algorithm 4; a residue is one amino acid). That is Shaw's idea with $k = 32$. **Half of these bonds reach farther.**
# Beyond the clip, position only says "far"; content must tell which of the far residues it is.
#
# Now the other two. How far away is what a token looks for?

# %% tags=["nbval-ignore-output"]
modules = definition_distance.standard_library(limit=40).values()
uses = np.concatenate([definition_distance.distances(module) for module in modules])
frequent = {word for word, _ in Counter(re.findall(r"[a-z]+", "\n".join(pages).lower())).most_common(200)}


def returns(words):
    """How many words back each word last occurred, where it did."""
    last, back = {}, []
    for place, word in enumerate(words):
        if word not in frequent:
            back += [place - last[word]] if word in last else []
            last[word] = place
    return back


page_words = [re.findall(r"[a-z]+", page.lower()) for page in pages]
back = np.array([d for words in page_words for d in returns(words)])

# %% tags=["nbval-ignore-output"]
looked_for = {
    "variable → definition (tokens)": uses,
    "word → same word (words)": back,
    "bonds (residues)": reach,
}
for name, far in looked_for.items():
    beyond = ", ".join(f"{np.mean(far > k):.0%} beyond {k}" for k in (16, 32, 113))
    print(f"{name:32}{far.size:7,}, half within {np.median(far):.0f}; {beyond}")
assert np.mean(uses > 113) < 0.2 < 0.3 < np.mean(back > 113) and np.median(uses) < np.median(back)

# %% tags=["nbval-ignore-output"]
fig, ax = plt.subplots(figsize=(5.6, 2.6))
for (name, far), style in zip(looked_for.items(), ("-", "--", "o-"), strict=True):
    ax.plot(np.sort(far), np.arange(1, far.size + 1) / far.size, style, markersize=3, label=name)
for place, what in ((16, "Shaw, k = 16"), (32, "AlphaFold 2"), (113, "T5 decoder")):
    ax.axvline(place, color="#57606a", linewidth=0.8, linestyle=":")
    ax.text(place, 1.03, what, rotation=25, fontsize=8)
ax.set(xscale="log", xlim=(1, 10_000), ylim=(0, 1), xlabel="distance", ylabel="share within")
ax.legend(fontsize=8, loc="lower right")
assert np.mean(reach > 113) < np.mean(uses > 113)
figures.show(fig, alt="Three rising curves: half of the definitions and of the bonds within about 30 places, half of the words that come back within 55")

# %% [markdown]
# From its dotted line on, a scheme treats all distances alike. (The curves count in different units, so take the lines
# as orders of magnitude.)
#
# But **how near would chance be**? As a control, we put the words of each page in random order and pair the same
# cysteines at random.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
by_chance = [d for words in page_words for d in returns(rng.permutation(words).tolist())]
ends = [np.array(bonds).ravel() for _, bonds in PROTEINS.values()]
paired = np.concatenate([abs(np.diff(rng.permutation(e).reshape(-1, 2))).ravel() for e in ends for _ in range(1000)])
print(f"words: half within {np.median(back):.0f}; in another order {np.median(by_chance):.0f}")
print(f"bonds: half within {np.median(reach):.0f}; paired at random {np.median(paired):.0f}")
assert np.median(by_chance) > 3 * np.median(back) and np.median(reach) > 0.9 * np.median(paired)

# %% [markdown]
# - **Code.** Half of all uses find their definition within about thirty tokens, but one in eight lies in T5's
#   last bucket.
# - **Words that return.** Half return within 55 words, against 277 in random order. But two in five last occurred more
#   than 113 words before, and a bias that falls with distance lowers the scores of these.
# - **Proteins.** The bonds are not nearer than cysteines paired at random.
#
# ### Pictures
#
# We cut the photograph in matplotlib's sample data into patches of 4 × 4 pixels and take the brightness of each. How
# strongly do two patches at some distance correlate?

# %%
from matplotlib.cbook import get_sample_data

photo = plt.imread(get_sample_data("grace_hopper.jpg")).mean(axis=-1)
rows, columns = photo.shape[0] // 4, photo.shape[1] // 4
patches = photo.reshape(rows, 4, columns, 4).mean(axis=(1, 3))


def alike(x, y):
    return np.corrcoef(x.ravel(), y.ravel())[0, 1]


print(f"{rows} × {columns} patches")
for far in (1, 2, 4, 8):
    beside, below = alike(patches[:, :-far], patches[:, far:]), alike(patches[:-far], patches[far:])
    print(f"{far} apart: in a row {beside:.2f}, in a column {below:.2f}")
flat = patches.ravel()
along = np.array([alike(flat[:-r], flat[r:]) for r in range(1, 3 * columns + 20)])
for r in (1, columns // 2, columns):
    print(f"{r:3} apart in the list, row after row: {along[r - 1]:.2f}")
assert along[columns - 1] > 0.9 > 0.4 > along[columns // 2 - 1]

# %%
fig, ax = plt.subplots(figsize=(5, 1.8))
ax.plot(np.arange(1, along.size + 1), along, color="#0b6e8a")
ax.set(xlabel="places apart in the list of patches, row after row", ylabel="correlation", ylim=(0, 1))
ax.set_xticks([1, columns, 2 * columns, 3 * columns])
assert along[2 * columns - 1] > along[2 * columns - 1 - columns // 2] + 0.3
figures.show(fig, alt="How alike two patches are by their distance along the list: falling, and back at every multiple of a row")

# %% [markdown]
# Near patches are alike, in a row as in a column. But **along the list of patches nearness comes back** with every row.
# A bias that falls along the list treats the patch below as one that is far away, so Swin counts two offsets
# ([[two_dimensions|chapter #]]).

# %% [markdown]
# ## Claims, decided by code
#
# You will read sentences like these on many pages, and each is easy to believe. **Guess before you open one.** These
# compare schemes, so watch for the word *one*, for *any*, and for numbers without a model beside them. What published
# models give was recorded with version 5.23.0 of `transformers`, so you need not install it.

# %%
claims.chapter("which_one")

# %% [markdown]
# Every lesson ended with such sentences. Here are all of them with their verdicts; a title leads to the lesson that runs
# the code. Do you remember the reasons?

# %%
claims.overview()

# %% [markdown]
# Look at the half true ones again. Each holds under a condition that was lost on the way: *if the number of heads is a
# power of two*, *with clipping*, *under a causal mask*, *in text*. To see the reason for one, call
# `claims.decide("nothing_new")`. The names are in `claims.CLAIMS`.

# %% [markdown]
# ## A scheme of your own
#
# To judge a new scheme you need three answers. Does the module do what its formula says? What does it cost? What does
# it do beyond its training length? Each is one call of the **workbench**. It has a limit. A scheme is a class with
# *hooks*, methods such as `bias`, and no hook sees the scores. So a scheme whose positions depend on the scores, such
# as CoPE (Golovneva et al. 2024), cannot be written with it.
#
# Our example is a bias that falls linearly, as ALiBi's does, but only up to a distance `stop`, so that far keys are not
# lost. Move it: from there on, all keys have the same bias.


# %%
def ramp(slope=0.25, stop=2, n=5):
    distance = abs(np.arange(n) - np.arange(n)[:, None])
    return -slope * np.minimum(distance, stop)


figures.play(ramp, slope=(0.0, 1.0), stop=(1, 16), n=(3, 12))

# %% [markdown]
# We take the slope 1/4 and stop at distance 16. `agrees` compares our module with plain loops over queries and keys, so
# it also needs the formula for one offset. This first version has a fault.


# %%
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position


class FirstRamp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, 0)  # j − i of every diagonal
        return -0.25 * r.abs().clamp(max=16)[None]


by_formula = workbench.with_bias(lambda module, head, r: -0.25 * min(abs(r), 16))
found = workbench.agrees(lambda n_heads, d_head: FirstRamp(), by_formula)
assert not found.passed and "past" in found.cause
found

# %% [markdown]
# Training on whole texts would never have shown this fault. The model would have failed in use, with its first word
# from a cache. Here is the repaired version:


# %% tags=["nbval-ignore-output"]
class Ramp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, past)
        return -0.25 * r.abs().clamp(max=16)[None]


def make(n_heads, d_head):
    return Ramp()


found, cost = workbench.agrees(make, by_formula), workbench.benchmark(make)
assert found.passed and cost.forward < 3 and cost.kept[1024] == 4 * 2047
print(found)
cost

# %% [markdown]
# It computes what it should in all backends, at nearly the price of plain attention and without a matrix. Next we train
# it at 128 tokens, for 300 steps only, and test it at 1,024. Guess: does its loss stay **level**, as ALiBi's does,
# because both begin as a straight line? Or does it **rise**, because far keys keep some weight, or because no distance
# beyond 127 was trained?

# %% tags=["nbval-ignore-output"]
trained = workbench.train(make, "characters", against=("alibi", "log-1", "t5-64"))
loss = trained.loss
rise = {name: by_length[-1] - by_length[0] for name, by_length in loss.items()}
assert rise["Ramp"] > 0.4 > 0.05 > rise["alibi"] and loss["Ramp"][0] < loss["alibi"][0] - 0.02
trained

# %% [markdown]
# It rises by half a nat, although the model met the bias −4 in training. Each far key keeps $e^{-4}$ of its weight,
# about a fiftieth, and at 1,024 tokens there are about a thousand far keys.
#
# At the training length Ramp is better than ALiBi, by a twentieth of a nat. Is it because its far keys stay in reach?
# To test that we need a **control**: the same line without the stop.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.bias import DecayBias

control = workbench.train(lambda n_heads, d_head: DecayBias(0.25, "linear"), "characters", against=("alibi",))
straight = control.loss["DecayBias"]
assert straight[0] < loss["Ramp"][0] + 0.02 and straight[-1] < straight[0] + 0.05
control

# %% [markdown]
# The straight line is as good at 128, and it stays level. So the stop gained nothing and cost half a nat at 1,024. What
# makes Ramp better than ALiBi is that *all four of its heads* fall by a quarter per token. Only one of ALiBi's heads
# does; the others fall four, sixteen and sixty-four times more slowly. Change one thing at a time, and take several
# seeds before you call it a result.

# %% [markdown]
# ## Remember
#
# - Ask first where a scheme enters. This decides what it can say, which tricks make it fast, and which kernels can run
#   it.
# - What you have makes much of the choice: published weights, a mask, a kernel, an image.
# - A better number needs a control: the same thing without the part that is said to be the reason.
# - A sentence without its condition is half true. Ask for the model, the length, the mask, and the number of seeds.
#
# ## The whole course in questions
#
# Each question names the chapter that answers it.

# %% tags=["hide-input"]
# @title Quiz
figures.quiz(quiz.QUESTIONS, title="The whole course in 34 questions")

# %% [markdown]
# ## Now you
#
# [[tasks]]: from counting parameters to a published scheme in which each head *learns* how strongly its bias falls.
#
# **And then?** Take a sentence about attention that you read this week, and write the five lines that decide it.
#
# **Sources** J. Jumper et al., *Highly Accurate Protein Structure Prediction with AlphaFold*, 2021, supplement,
# algorithm 4 · sequences and bonds of the four proteins: UniProt P00698, P61823, P00974, P01542 (mature chains) · O.
# Golovneva et al., *Contextual Position Encoding: Learning to Count What's Important*, 2024 · T.-C. Chi et al.,
# *KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation*, 2022 (the scheme of the tasks). The
# sources of each claim are in its fold.
