# %% [markdown]
# # [[title]]
#
# You have built ten ways to tell attention where a token stands. Now somebody asks: *which one shall we take?* This
# chapter answers with four things. A table that is computed, cell by cell, from the modules you know. A guide that
# rules out what cannot work. Measurements on text, code, proteins and a photograph: is near really what matters there?
# And a ledger of forty sentences that circulate about relative positions, each with a few lines of code that decide it.
# At the end you add a scheme of your own, and a quiz goes through the whole course.
#
# **You will be able to**
# - compare schemes by what they are: where they enter, what they learn, what they keep, how far they reach;
# - choose for a given model, and say which part of the choice is proved, which was measured and which is a guess;
# - take a sentence such as "ALiBi reads texts of any length" and find the few lines that test it;
# - bring a new scheme into a model, have it checked, timed and trained.
#
# **You need** chapters [[bias_by_hand|#]] to [[longer_than_training|#]]. **Time** [[time]]. A quarter of it is the
# quiz.

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
# First one cell of the table, to see how it comes about. *How many numbers does Shaw's scheme learn?* Nobody wrote the
# answer down. The module is made for the sizes asked for, its parameters are counted, and the cell keeps how it was
# found and which test backs it.

# %%
table = comparison.table()  # for the sizes of the study: 64 channels, 4 heads, texts of 64 tokens
cell = table["Shaw", "parameters"]
print(cell.text)
print(cell.note)
for test in cell.evidence:
    print("backed by", test)

H, k, d = 4, 16, 16
assert cell.value == 2 * H * (2 * k + 1) * d

# %% [markdown]
# The whole table: eighteen schemes, eight questions. Open the folds below it for how each cell was found and what backs
# it. The last but two, *longer than training?*, is the only column that rests on trained models, those of
# [[longer_than_training|chapter #]]. All others follow from how a scheme is made. The study has no runs of the
# seven schemes at the end of the table, from axial RoPE on.

# %%
figures.comparison_table(table)

# %%
# The colours of the column on length follow from the committed runs: the mean rise from 64 to 512 tokens, in nats.
assert table["RoPE", "longer than training?"].text == "breaks +0.89"
assert [s for s in comparison.SCHEMES if "level" in table[s, "longer than training?"].text] == ["Transformer-XL", "ALiBi"]

# %% [markdown]
# Read it by columns.
#
# - **Where it enters** divides the schemes into families. One number per offset (T5, ALiBi, the log decay) is a bias,
#   and every trick for biases serves all of them ([[fast_attention|chapter #]]). Swin's is one too, with two offsets.
#   What enters through the query says more, and costs a product per offset.
# - **Causal only?** In its usual form just one scheme is made for one direction alone. Three others, the log decay,
#   ALiBi and FIRE, cannot tell *before* from *after*, and that is another matter: under a causal mask they need not.
# - **Longer than training?** has no *yes* that holds in general. Two schemes stayed level in text, in one study of
#   small models.

# %% [markdown]
# ## What grows with the text
#
# One column is easy to misread: *keeps for n tokens*. It counts the bytes that one layer holds for position
# when a text has n tokens. Ask for other sizes.

# %%
sizes = (64, 256, 1024, 4096)
tables = [comparison.table(n=n) for n in sizes]
print(f"{'bytes for n =':18}", *(f"{n:>9,}" for n in sizes))
for scheme in comparison.SCHEMES:
    kept = [t[scheme, "keeps for n tokens"].value[0] for t in tables]
    print(f"{scheme:18}", *(f"{b:9,}" for b in kept))
matrix = [4 * 4 * n * n for n in sizes]  # float32, 4 heads
print(f"{'n × n for 4 heads':18}", *(f"{b:9,}" for b in matrix))
print(f"for n = 4,096: {matrix[-1] / 1e6:.0f} MB for the matrices, {4 * 4 * (2 * 4096 - 1) / 1e3:.0f} kB for ALiBi's row")
assert tables[-1]["ALiBi", "keeps for n tokens"].value[0] == 4 * 4 * (2 * 4096 - 1)

# %% [markdown]
# Apart from Swin in its one window, no module of this table keeps the n × n matrix of the last line: from n = 64 to
# 4,096 it grows to 268 MB, and ALiBi's row to 131 kB. That is [[diagonals|chapter #]]'s doing, not a merit of ALiBi.
# Swin's line does not move: a larger image has more windows, not larger ones. (It would with larger windows, and with
# the square of their patches, as the table says.)

# %% [markdown]
# Another column to look at twice: *parameters*, for some schemes learn once for the whole model and others in each
# layer. A decoder with 12 layers, 768 channels and 12 heads reads 512 tokens. Which scheme learns the most numbers in
# it: learned positions, T5, Music Transformer, or Transformer-XL? Guess, then count.

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
# Transformer-XL's map is as large as a query projection: it adds a quarter to what attention learns. T5's 384 numbers
# are nothing beside that, and in [[longer_than_training|chapter #]] a table of 128 was enough to share the first place
# at the training length. The number of parameters does not tell how much a scheme knows.

# %% [markdown]
# ## A guide
#
# Six questions about your model. A scheme is **ruled out** by how it is made or by what you have (published weights
# come with their scheme), never by a measurement alone; a measurement gives a caveat. Answer as many as you like. Every
# verdict shows its reason and the chapter that backs it.

# %%
guide.picture()

# %% [markdown]
# The same rules in Python. Three models, and the schemes that are left.


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
# Nothing *fits* the second model without a caveat: the weights decide the scheme, and the scheme has never met the
# angles of longer texts. That is the usual situation of somebody who uses a published model. The choice is then not
# between schemes but between repairs ([[rope|chapter #]] measured one, position interpolation).

# %% [markdown]
# ## Is near what matters?
#
# Many pages recommend relative positions for this use or that one, because "what is near belongs together". It is a
# statement about *data*, so it can be measured on data. We take what every machine has that runs this course: Python's
# help texts, the source of Python's standard library, a photograph that comes with matplotlib, and four small proteins
# whose bonds have been known for decades. (The numbers below are those of the Python that made this page; yours
# may differ a little.)
#
# ### Language modelling
#
# How much does a character tell about the one $d$ places further on? The **mutual information** answers, in nats: how
# much lower the loss of a perfect guesser, who knows nothing else, gets when it is told that character.
#
# $$I(d) = \sum_{x, y} p_d(x, y) \ln \frac{p_d(x, y)}{p(x)\, p(y)}$$
#
# where $p_d(x, y)$ is how often $x$ stands $d$ places before $y$. A little of it is found by chance: as much as in the
# same characters, shuffled. We subtract that.

# %% tags=["nbval-ignore-output"]
pages = [topics[name] for name in sorted(topics)]  # Python's help texts


def information(characters, d):
    """Mutual information of characters d places apart, in nats, above that of shuffled ones."""
    alphabet, ids = np.unique(list(characters), return_inverse=True)
    m, shuffled = len(alphabet), np.random.default_rng(0).permutation(ids)

    def told(x, y):
        p = np.bincount(x * m + y, minlength=m * m).reshape(m, m) / len(x)
        alone = np.outer(p.sum(axis=1), p.sum(axis=0))
        return np.sum(p[p > 0] * np.log(p[p > 0] / alone[p > 0]))

    return told(ids[:-d], ids[d:]) - told(shuffled[:-1], shuffled[1:])


lines = "\n".join(pages).split("\n")
prose = [line for line in lines if not line.strip().startswith(("|", "+"))]
apart = [1, 2, 4, 8, 16, 32, 64, 128]
print(f"{'places apart':24}", *(f"{d:5}" for d in apart))
found = {}
for name, kept in {"all lines": lines, "without those of tables": prose}.items():
    found[name] = [information("\n".join(kept), d) for d in apart]
    print(f"{name:24}", *(f"{i:5.3f}" for i in found[name]))
print(f"{1 - len(prose) / len(lines):.0%} of the lines belong to tables and grammars")
everything, without = found.values()
assert everything[0] > 3 * everything[3] and without[0] > 3 * without[3] and everything[5] > 4 * without[5]

# %% [markdown]
# So it is true of text: near tells more than far, and the neighbour most of all. But compare the two lines. In the
# first a character still tells 0.060 nats at 32 places. The second leaves out the lines that begin with `|` or `+`,
# fewer than one in twenty: **five sixths of the 0.060 were columns of tables**. Somebody who stopped at the first line
# would have found a slow decay, and perhaps a reason for a logarithmic bias. Ask what data are made of before you read
# a law in them.
#
# ### Code
#
# "A local variable is usually defined within a few lines of its use." Measure it: in each function of the standard
# library take every use of a local name, and count the tokens back to where that name was last bound. (A task of this
# chapter has you write the counting.)
#
# ### Summaries
#
# A summary takes up what was said before, perhaps long before. As a stand-in that every machine can measure: how many
# words back, on the same help page, did a word last occur? We leave the 200 most frequent words out, for *the* tells
# nothing. (Across pages would be wrong: that a word came up some pages ago, on another subject, says nothing of a
# document.)
#
# ### Proteins
#
# A protein is a chain of amino acids, one letter each, and it folds. "Amino acids that are close in the sequence
# interact" is true of its helices, the spirals in which each is tied to the fourth after it. It is not true of the
# bonds between two cysteines, the letter C, that hold the folded chain together. Here are four proteins with all their
# bonds; a bond between the letters 6 and 127 reaches 121 places.

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
    cysteines = [k for k, letter in enumerate(chain, 1) if letter == "C"]
    assert sorted(end for bond in bonds for end in bond) == cysteines  # each C is in one bond, and no other letter is
    print(f"{name:18}{len(chain):4} letters, its bonds reach", *(b - a for a, b in bonds))
reach = np.array([b - a for _, bonds in PROTEINS.values() for a, b in bonds])
print(f"more than 32 places: {np.sum(reach > 32)} of {reach.size}")
assert (np.sum(reach > 32), reach.size) == (7, 14)

# %% [markdown]
# AlphaFold 2 gives every pair of residues a vector for their offset, clipped at ±32 (Jumper et al. 2021, supplement,
# algorithm 4): Shaw's idea with $k = 32$. **Half of these bonds lie beyond.** For them position says "far", and which
# of the far ones it is must come from the content, and in AlphaFold from related proteins. The
# helices are a matter of position, the bonds are not.
#
# Now all three in one picture: of what a token looks for, how much stands within a distance?

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
looked_for = {
    "variable → definition (tokens)": uses,
    "word → same word (words)": back,
    "bonds (residues)": reach,
}
for name, far in looked_for.items():
    beyond = ", ".join(f"{np.mean(far > k):.0%} beyond {k}" for k in (16, 32, 113))
    print(f"{name:32}{far.size:7,}, half within {np.median(far):.0f}; {beyond}")
a_line = [len(found) / len({line for (line, _), _ in found}) for found in map(definition_distance.tokens_of, modules)]
print(f"a line of code has {np.median(a_line):.0f} tokens")
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
# The dotted lines say where a scheme stops telling distances apart: Shaw's clip, AlphaFold's clip, and the last bucket
# of a T5 decoder. (Each counts in its own unit, and T5's are pieces of words: take the lines as orders of magnitude.)
#
# Two curves nearly coincide, those of the definitions and of the bonds. Are bonds as near as definitions, then? Before
# "near" means anything, ask **how near chance would be**: the words of each page in another order, the same cysteines
# paired at random.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
by_chance = [d for words in page_words for d in returns(rng.permutation(words).tolist())]
ends = [np.array(bonds).ravel() for _, bonds in PROTEINS.values()]
paired = np.concatenate([abs(np.diff(rng.permutation(e).reshape(-1, 2))).ravel() for e in ends for _ in range(1000)])
print(f"words: half within {np.median(back):.0f}; in another order {np.median(by_chance):.0f}")
print(f"bonds: half within {np.median(reach):.0f}; paired at random {np.median(paired):.0f}")
came_back = back.size / sum(word not in frequent for words in page_words for word in words)
print(f"of all words counted {came_back:.0%} had occurred before on their page")
assert np.median(by_chance) > 3 * np.median(back) and np.median(reach) > 0.9 * np.median(paired)

# %% [markdown]
# - **Code.** Half of all uses find their definition within about thirty tokens, some five lines; nearly half lie beyond
#   32 tokens, and one in eight beyond the last bucket of T5. What finds them there is the name.
# - **Summaries.** A word that comes back does so nearer than chance would have it: half within 55 words, and not within
#   277. Nearness is real here. But two in five come back from beyond 113 words, and a bias that falls with
#   distance makes these harder to find. That T5 does well at summaries *because of* its biases has no source known to
#   us. LongT5, made for long documents, lets a token look at 127 others on each side and at summaries of blocks, with a
#   bias of its own for those (Guo et al. 2022, section 3).
# - **Proteins.** The bonds of these four are no nearer than cysteines paired at random. Their helices are near and
#   regular; of a bond, nearness says nothing.
#
# ### Translation
#
# "Source and target are aligned more or less in order, so a relative bias helps to line them up." Take the best case, a
# perfectly regular alignment: 8 words of the target, 12 of the source. Which offset does each target word need?

# %%
target, source = 8, 12
aligned = np.round(np.arange(target) * (source - 1) / (target - 1)).astype(int)
rows = {"target word i": np.arange(target), "source word j": aligned, "offset j − i": aligned - np.arange(target)}
for name, row in rows.items():
    print(f"{name:14}", *(f"{x:2}" for x in row))
assert np.ptp(aligned - np.arange(target)) == source - target

# %% [markdown]
# **No offset is right for all**: it drifts from 0 to 4, and how far depends on both lengths. A fixed bias can favour
# the band, and not the right word in it. T5 has no bias in its cross-attention ([[t5_buckets|chapter #]] looked; the
# paper gives no reason). What *is* true: inside encoder and decoder relative positions did help translation. That was
# Shaw's experiment ([[vector_per_distance|chapter #]]).
#
# ### Pictures
#
# "Patches that are near belong together." Take the photograph in matplotlib's sample data, cut it into
# patches of 4 × 4 pixels, take the brightness of each, and ask how alike two patches are that stand so many columns or
# rows apart. The measure is the correlation: 1 for the same up to scale, 0 for no relation.

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
# True, in two dimensions and of the brightness in one photograph: near is alike, in a row as in a column. But
# **along the list of patches nearness comes back** with every row. A bias that falls along the list, as ALiBi's, takes
# the patch below for one that is far away. That is why Swin counts two offsets ([[two_dimensions|chapter #]]).
#
# Six uses, then. In text, in code and among patches, near is where to look first, and much of what is looked for lies
# farther. Of a protein's bonds nearness says nothing, and between two languages no fixed offset is right. *"What is
# near belongs together" is a sentence about data*: measure it on yours, beside what chance would give.

# %% [markdown]
# ## Forty sentences
#
# Sentences about relative positions circulate from page to page. Each of these forty is easy to believe, and each can
# be run. **Guess before you open one**: is it true, half true, false, or *unsourced*, which means that no measurement
# known to this course supports it? Inside you find the verdict and why, the code that decided it just now, what it
# computed, and the rule that leads from there to the verdict. Half true is no polite word for false: the sentence holds
# under a condition that it does not mention.
#
# One of them by hand first. *In T5's logarithmic buckets, twice the distance is one bucket further.* The logarithm of
# an encoder begins at distance 8 and spends 8 buckets on a factor of 16.

# %%
from course_lib.reference.t5 import bucket

distances = np.array([8, 16, 32, 64])
print("distance", distances, "bucket", bucket(-distances))
print("steps   ", np.diff(bucket(-distances)))
print(claims.decide("doubling_is_one_bucket"))

# %% [markdown]
# Two buckets for each doubling, not one. The others work in the same way: `claims.decide(name)` runs one, and
# `claims.CLAIMS[name].fact()` gives its numbers alone. Now the forty, by topic.

# %%
assert len(claims.CLAIMS) == 40 and claims.decide("doubling_is_one_bucket").verdict == "false"
claims.topic("Positions and offsets")

# %%
claims.topic("Grids and diagonals")

# %%
claims.topic("T5's buckets")

# %%
claims.topic("ALiBi and RoPE")

# %% [markdown]
# The next are about time, memory and longer texts. Watch for the word *any*, and for numbers without a model beside
# them.

# %%
claims.topic("Time and memory")

# %%
claims.topic("Longer texts")

# %% [markdown]
# The last are about published models. Five of the facts begin with what the models' own code gives, in version 5.23.0 of
# the package `transformers`. You do not need that package: the course keeps what it gave, and the tests ask it again.

# %%
claims.topic("Models and history")

# %% [markdown]
# How many did you guess? Look at the half true ones again: each holds under a condition that got lost on the way, such
# as *for a power of two of heads*, *with clipping*, *under a causal mask*, *in text*.

# %%
claims.counts()

# %% [markdown]
# ## A scheme of your own
#
# New schemes appear every month. To judge one you need three answers: does the module do what its formula says, what
# does it cost, and what does it do beyond its training length? Each is a call of the **workbench**.
#
# An example: a bias that falls linearly, as ALiBi's, and stops at distance 16, so that far keys are not lost. One hook
# is enough. The formula stands beside it a second time, as plain Python for one offset: that is for the oracle, the
# loops which every scheme of this course is tested against. This first version has a fault.

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
# Trained on whole texts, this model would never have shown it. It would have failed in use, when the first word is
# generated with a cache. The check names the first trial that fails, the place in the grid, and the cause, because it
# knows this fault. Mended:


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
# It computes what it should, in all backends, at nearly the price of plain attention and without a matrix. Now for
# longer texts: it is trained at 64 tokens and tested at 512. Guess before you run it. Does its loss stay **level**,
# as ALiBi's, with which it begins as a straight line? Does it **rise**, for every far key keeps a weight? Or does it
# **break** at once, for no distance beyond 63 was ever trained?

# %% tags=["nbval-ignore-output"]
trained = workbench.train(make, "characters", against=("alibi", "log-1", "t5-32"))
loss = trained.loss
rise = {name: by_length[-1] - by_length[0] for name, by_length in loss.items()}
assert rise["Ramp"] > 0.15 > 0.05 > rise["alibi"] and loss["Ramp"][0] < loss["alibi"][0] - 0.05
trained

# %% [markdown]
# It rises. Nothing here is trained, so nothing is untrained, and −4 was met at distance 16 already. But each far key
# keeps $e^{-4}$, about a fiftieth, and at 512 tokens there are almost five hundred of them.
#
# At the training length Ramp is better than ALiBi, by almost a tenth. *Because its far keys stay in reach*, one would
# think. It is easy to believe; so run the **control**: the same line without the stop.

# %% tags=["nbval-ignore-output"]
from course_lib.nn.bias import DecayBias

control = workbench.train(lambda n_heads, d_head: DecayBias(0.25, "linear"), "characters", against=("alibi",))
straight = control.loss["DecayBias"]
assert abs(straight[0] - loss["Ramp"][0]) < 0.04 and straight[-1] < straight[0] + 0.05
control

# %% [markdown]
# The straight line is as good at 64, and it stays level. So the stop earned nothing and lost everything: what made Ramp
# better than ALiBi is that *all four heads* fall by a quarter per token. ALiBi has one such head, and the others fall
# four, sixteen and sixty-four times more slowly. A scheme differs from another in more than the part you had in mind.
# Change one thing at a time, and take several seeds before you call it a result ([[longer_than_training|chapter #]]).
#
# The capstone in the tasks goes the same way with a published scheme, in which each head *learns* how strongly its bias
# falls.

# %% [markdown]
# ## Remember
#
# - Ask first where a scheme enters. It decides what the scheme can say, which tricks make it fast, and which kernels
#   can run it.
# - Much of the choice is made by what you have: published weights, a mask, a kernel, an image.
# - "Near matters" is a statement about data. It can be measured, and it was true of some data and not of others.
# - A better number needs a control: the same thing without the part that is said to be the reason.
# - A sentence without its condition is half true. Ask for the model, the length, the mask, and the number of seeds.
# - A verdict that is computed can change. Run it again when the model, the library or the length is another.
#
# ## The whole course in questions
#
# Commit to an answer before you check. Each question names the chapter that answers it.

# %% tags=["hide-input"]
# @title Quiz
figures.quiz(quiz.QUESTIONS, title="The whole course in 32 questions")

# %% [markdown]
# ## Now you
#
# [[tasks]]: from counting parameters to a scheme of your own, checked
# by the oracle, timed, and trained by the study.
#
# **And then?** Take a sentence about attention that you read this week, and write the five lines that decide it. If
# it is about relative positions and not among the forty, the ledger has room for it (`course_tasks/claims`).
#
# **Sources** J. Jumper et al., *Highly Accurate Protein Structure Prediction with AlphaFold*,
# 2021, supplement, algorithm 4 · sequences and bonds of the four proteins: UniProt P00698, P61823, P00974, P01542
# (mature chains) · M. Guo et al., *LongT5: Efficient Text-To-Text Transformer for Long Sequences*, 2022, section 3 · P.
# Shaw et al., *Self-Attention with Relative Position Representations*, 2018 · T. Chi et al., *KERPLE*, 2022 (the scheme
# of the tasks). Everything else was measured here or in the chapter named.
