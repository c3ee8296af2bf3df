# %% [markdown]
# # [[title]]
#
# You have built many ways to tell attention where a token is. Now somebody asks: *which one should we use?* A table
# compares all schemes, and each of its cells is computed. Two schemes are new: FIRE's bias needs more than one number
# per offset, and FoX gets no positions. A guide rules out what cannot work for your model. A second table lists the
# claims of all lessons with their verdicts. Then you add a scheme of your own.
#
# **You will be able to**
# - compare schemes by where they enter, what they learn, what they keep, and how far they reach;
# - say what no row of offsets can express, and how position can come from content;
# - choose for a given model, and separate what follows from a scheme's construction from what was measured;
# - name the condition that a popular claim omits;
# - bring a new scheme into a model, and have it checked, timed and trained.
#
# **You need** chapters [[bias_by_hand|#]] to [[windows_and_sinks|#]]. **Time** [[time]]. The quiz takes 25 more.

# %%
import re
from collections import Counter
from pydoc_data.topics import topics

import numpy as np

import course_study as study
from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_study import own_scheme
from course_study.convergence import BUDGETS, converged
from course_tasks import comparison, guide, measured, questions

np.set_printoptions(precision=4, suppress=True)

# %% [markdown]
# ## The schemes beside each other
#
# Where does a cell of the table come from? Take one: *how many numbers does Shaw's scheme learn?* The table makes the
# module for the sizes we ask for and counts its parameters.

# %%
table = comparison.table()  # for small sizes: 64 channels, 4 heads, texts of 64 tokens
cell = table["Shaw", "learns"]
print(cell.text)
print(cell.note)

H, k, d = 4, 16, 16
assert cell.value == 2 * H * (2 * k + 1) * d

# %% [markdown]
# The table has eighteen schemes and seven questions. The coloured number before each place is its number in the map of
# [[start_here|chapter #]]. The folds say how each cell was found. Only the column *longer texts* rests on trained
# models: small ones, after 2,000 steps ([[longer_than_training|chapter #]]). For these it gives the rise of the loss in
# text from 128 to 1,024 tokens, and a verdict. (With `+none`, every second layer has no
# positions.) FoX and FIRE are explained below.

# %%
comparison.picture(table)

# %%
# The words on length come from the committed runs: the interval over three seeds decides, the number is the mean.
assert table["RoPE", "longer texts"].text.startswith("rope breaks +2.46")
level = [s for s in comparison.SCHEMES if "level" in table[s, "longer texts"].text]
assert level == ["Transformer-XL", "T5 buckets", "ALiBi", "sliding window", "FoX"]

# Are 2,000 steps enough? A run has converged in text if 4,000 steps change no seed's loss at 128 by 0.02.
budgets = {steps: study.committed(f"long-{steps}") for steps in BUDGETS}
runs = [run for run in dict.fromkeys(row["scheme"] for row in budgets[2000]) if run != "fire"]  # which has one budget
enough = [run for run in runs if converged(budgets, "characters", run, seeds=3)]
print(f"converged in text: {', '.join(enough) or 'none'} of {len(runs)} trained variants")
words = []
for run in ("t5-64", "window-64+none"):
    rise = study.rise(study.pick(budgets[4000], task="characters", scheme=run))
    words.append(study.verdict(rise))
    print(f"{run} after 4,000 steps: {rise.mean:+.2f} {words[-1]}")
assert len(runs) == 18 and not enough and words == ["open", "rises"]

# %% [markdown]
# - **Where it enters** divides the schemes into families. One number per offset (T5, ALiBi, the log decay) is a bias,
#   so the same tricks serve all of these ([[fast_attention|chapter #]]).
# - **Direction.** FoX, Music Transformer's usual form and T5's decoder buckets need a causal mask. The log decay,
#   ALiBi and FIRE cannot tell *before* from *after*. Under a causal mask this does not matter.
# - **Longer texts.** After 2,000 steps, five schemes were level in text (none had converged). T5 was level only
#   when training reached all its buckets and its table learned fast. After 4,000 steps T5 is open, and the hybrid
#   `window-64+none` rises. But *level* does not mean that far keys are used: at 1,024 tokens, masking all keys 128 or
#   more back raised the loss of none of the five.

# %% [markdown]
# ## What grows with the text
#
# The column *keeps for n tokens* counts the bytes that a scheme returns for $n$ tokens. Which scheme needs the most in
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
print(f"for n = 4,096: {matrix[-1] / 1e6:.0f} MB for the matrices, {alibi / 1e3:.0f} kB for ALiBi's four rows")
assert [s for s in comparison.SCHEMES if tables[-1][s, "keeps for n tokens"].value[0] == matrix[-1]] == ["FIRE"]

# %% [markdown]
# Only FIRE keeps the whole n × n matrix, 268 MB at 4,096 tokens, because its bias depends on the query's position as
# well as on the offset.  With one number per offset, a head needs one row and no matrix ([[diagonals|chapter #]]):
# ALiBi's four rows take 131 kB.
#
# Some schemes learn once for the whole model and others in each layer. Take a decoder with 12 layers, 768 channels and
# 12 heads that reads 512 tokens. Which scheme learns the most numbers: learned positions, T5, Music Transformer, or
# Transformer-XL?

# %%
large = comparison.table(d_model=768, n_heads=12, n=512)
layers, learned = 12, {}
for scheme in comparison.SCHEMES:
    cell = large[scheme, "learns"]
    learned[scheme] = cell.value * (1 if "once for all layers" in cell.text else layers)
for scheme, count in sorted(learned.items(), key=lambda item: -item[1]):
    print(f"{scheme:18}{count:11,}")
projections = layers * 4 * 768 * 768
print(f"{'W_q, W_k, W_v, W_o':18}{projections:11,}")
assert max(learned, key=learned.get) == "Transformer-XL" and 4 * learned["Transformer-XL"] > projections

# %% [markdown]
# Transformer-XL's $W_{k,R}$ is as large as $W_q$, so it adds a quarter to what attention
# learns. T5 learns only 384 numbers.

# %% [markdown]
# ## What no row of offsets can say
#
# Why is one row not enough for FIRE? Its bias is a learned function $g$ of the distance *as a share of the query's
# position* (Li et al. 2023):
#
# $$b_{ij} = g\left(\frac{\psi(i - j)}{\psi(\max(i, L))}\right)$$
#
# $$\psi(x) = \ln(c\,x + 1)$$
#
# Here $g$ is a small network, and $c$ and the threshold $L$ are learned, too. By hand we take $g(x) = -2x$, $c = 1$ and
# $L = 2$. Which bias does the key just before each query get, and which the first key?

# %%
from course_lib.reference.fire import shares


def psi(x):
    return np.log(x + 1)


n, L = len(TOKENS), 2
fire = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        fire[i, j] = -2 * psi(i - j) / psi(max(i, L))
for i in range(1, n):
    print(f"query {TOKENS[i]}: {fire[i, i - 1]:.4f} one back, {fire[i, 0]:.4f} for the first key")
assert np.allclose(fire, np.tril(-2 * shares(n, c=1, threshold=L)))

(trained_fire,) = study.pick(budgets[2000], task="characters", scheme="fire")
at_128, *_, at_1024 = trained_fire["loss"]
print(f"a trained FIRE: {at_128:.3f} at 128, {at_1024:.3f} at 1,024, {trained_fire['far_masked'][3]:.3f} with far keys masked")

# %% [markdown]
# For one token back, the bias takes three values. From position $L$ on, the same distance is a smaller share for each
# later query, and the first key always has the share 1. So no share exceeds 1, however long the text is. But beyond the
# training length, a near key gets smaller shares than any it had in training. The loss of our one FIRE model rose by
# 0.37 nats, and masking its far keys hardly helps.
#
# `to_grid` puts one number on a whole diagonal, so a row gives a Toeplitz grid. How close can such a grid come to
# FIRE's? (A constant per query, which the softmax ignores, cannot make them equal, because FIRE's diagonal is 0 in
# every row.) The squared differences are smallest if each diagonal holds its mean.

# %%
from course_lib.reference.grid import from_grid, to_grid

mask = np.tri(n, dtype=bool)
means = from_grid(fire) / np.maximum(from_grid(mask), 1)  # along each diagonal
closest = np.tril(to_grid(means, n))
print(f"the largest difference: {abs(fire - closest).max():.4f}")
assert np.array_equal(closest[1:, 1:], closest[:-1, :-1]) and not np.allclose(fire[1:, 1:], fire[:-1, :-1])
figures.side_by_side(
    figures.heatmap(np.where(mask, fire, -np.inf), limit=2, digits=2, alt="FIRE, causal"),
    figures.heatmap(np.where(mask, closest, -np.inf), limit=2, digits=2, alt="The closest grid that one row gives"),
)

# %% [markdown]
# ## Position from content
#
# FoX, the forgetting transformer (Lin et al. 2025), gets no positions. (Its $c$ is not FIRE's.) In each head, every
# token $l$ has a **gate** $f_l = \sigma(w \cdot x_l + \beta)$ between 0 and 1, where $\sigma(x) = 1/(1 + e^{-x})$. It
# says how much is kept of all tokens before $l$. The logarithms of the gates after key $j$, up to query $i$, add up to
# a bias:
#
# $$b_{ij} = \sum_{l=j+1}^{i} \ln f_l = c_i - c_j$$
#
# $$c_i = \sum_{l=0}^{i} \ln f_l$$
#
# Suppose that a head keeps a quarter at *sat*, half at *mat*, and everything at the other tokens. How far from *mat*
# is each key, as measured by this bias?

# %%
from course_lib.reference.fox import fox_bias

gates = np.array([1, 1, 1 / 4, 1, 1 / 2])
mat = [np.log(gates[j + 1 :]).sum() for j in range(n)]
c = np.cumsum(np.log(gates))
fox = np.tril(c[:, None] - c)
print("bias of mat:", np.array(mat))
assert np.allclose(fox[-1], mat) and np.allclose(fox, np.tril(fox_bias(gates)))

# %% [markdown]
# *The* and *cat* are equally far because *cat* forgets nothing. So are *sat* and *on*, because *on* forgets nothing.
# Distance now depends on the tokens after the key. And if all gates are equal? Then every step adds the same $\ln f$.
# That is exactly ALiBi with the slope $-\ln f$.

# %%
from course_lib.reference.alibi import alibi_bias

constant = np.tril(fox_bias(np.full(n, np.exp(-1 / 4))))
assert np.allclose(constant, np.tril(alibi_bias(n, n_heads=4)[0]))  # the head with slope 1/4
figures.side_by_side(
    figures.heatmap(np.where(mask, constant, -np.inf), limit=2, digits=2, alt="FoX with one gate for all tokens: ALiBi"),
    figures.heatmap(np.where(mask, fox, -np.inf), limit=2, digits=2, alt="FoX with gates from content"),
)

# %% [markdown]
# Unlike FIRE, FoX needs no matrix. In row $i$, all keys share $c_i$, so the softmax removes it ([[alibi|chapter #]]).
# What remains is the key form $-c_j$, one number per key.

# %%
from course_lib.reference.attention import attention

_, by_matrix = attention(Q, K, V, bias=fox, mask=mask)
_, by_key = attention(Q, K, V, bias=-c, mask=mask)
assert np.allclose(by_matrix, by_key)

# %%
text = measured.losses("fox").mean(axis=0)[[0, -1]]
copies = measured.right("fox", "copy-back")[[0, -1]]
print(f"FoX at 128 and 1,024 tokens: loss in text {text[0]:.3f}, {text[1]:.3f}; copies right {copies[0]:.3f}, {copies[1]:.3f}")

# %% [markdown]
# The study's FoX models have only FoX and the causal mask to learn order from. Their loss in text stays level, and
# they copy the token three back nearly without error.

# %% [markdown]
# ## A guide
#
# The guide asks six questions about your model. A scheme is **ruled out** by how it is made or by what you
# already have (published weights come with their scheme). A measurement alone gives only a caveat.

# %%
guide.picture()

# %% [markdown]
# The same rules work in Python. Which schemes fit these three models? (*hybrid* is the sliding window with
# `+none`.)


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

assert left(decoder) == ["Transformer-XL", "ALiBi", "sliding window", "hybrid", "FoX"]
assert left(llama) == [] and "RoPE" in left(llama, verdict=1) and left(windows) == ["Swin", "axial RoPE", "M-RoPE"]
for scheme in ("RoPE", "stretched RoPE", "sliding window"):
    print(f"{scheme}: {guide.decide(llama)[scheme].rules[0].why}")

# %% [markdown]
# After 2,000 steps, each scheme that fits the first model was level in text. T5 needs two conditions for that, so it
# has a caveat. Nothing *fits* the second model without a caveat: its weights decide the scheme, and RoPE has never met
# the angles of longer texts. If your model has RoPE, you choose between repairs ([[stretching_rope|chapter #]],
# [[windows_and_sinks|chapter #]]). For an image in windows, schemes that count rows and columns fit.

# %% [markdown]
# ## Claims, decided by code
#
# **Judge each one, then read why.** These claims compare schemes, so watch for numbers without a model.

# %%
questions.claims("which_one")

# %% [markdown]
# Every lesson since [[blind_to_distance|chapter #]] ended with such sentences. Here are all of them with their
# verdicts; a title leads to the lesson that runs the code.

# %%
questions.overview()

# %% [markdown]
# Each half true sentence holds under a condition that was lost on the way: *if the number of heads is a power of two*,
# *with clipping*, *under a causal mask*, *in text*. To see the reason for one, call
# `questions.decide("nothing_new")`; `questions.CLAIMS` lists the names.

# %% [markdown]
# ## A scheme of your own
#
# To judge a new scheme you need three answers. Does the module do what its formula says? What does it cost? What does
# it do beyond its training length? Each is one call of `own_scheme`.
#
# It has a limit. A scheme is a class with *hooks*, methods such as `bias`. CoPE counts positions from the scores, which
# no hook sees (Golovneva et al. 2024). PaTH multiplies a matrix for every token between key and query, and no hook
# returns matrices (Yang et al. 2025). FoX fits, because its sum splits into $c_i - c_j$: one number per key. A hook
# that asks for scores is refused:

# %%
from course_lib.nn.position import Position


class FromScores(Position):
    def bias(self, n_q, n_k, past, scores):
        return scores.sigmoid()


try:
    own_scheme.benchmark(lambda n_heads, d_head: FromScores())
except ValueError as refused:
    print(refused)

# %% [markdown]
# Our example is a bias that falls linearly, as ALiBi's does, but only up to a distance `stop`, so that far keys are
# not lost. Move `stop`: from that distance on, all keys have the same bias.


# %%
def ramp(slope=0.25, stop=2, n=5):
    distance = abs(np.arange(n) - np.arange(n)[:, None])
    return -slope * np.minimum(distance, stop)


figures.play(ramp, slope=(0.0, 1.0), stop=(1, 16), n=(3, 12))

# %% [markdown]
# We take the slope 1/4 and stop at distance 16. `agrees` takes a function that makes our module for some `n_heads` and
# `d_head`. It compares the module with plain loops over queries and keys, so it also needs the formula for one offset
# $r$. This first version has a fault.


# %%
from course_lib.nn.grid import row_offsets


class FirstRamp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, 0)  # j − i of every diagonal
        return -0.25 * r.abs().clamp(max=16)[None]


by_formula = own_scheme.with_bias(lambda module, head, r: -0.25 * min(abs(r), 16))
found = own_scheme.agrees(lambda n_heads, d_head: FirstRamp(), by_formula)
assert not found.passed and "past" in found.cause
found

# %% [markdown]
# Training on whole texts would never have shown this fault. The model would have failed in use, at the first token that
# it generates with a cache. The repaired version:


# %% tags=["nbval-ignore-output"]
class Ramp(Position):
    def bias(self, n_q, n_k, past):
        r = row_offsets(n_q, n_k, past)
        return -0.25 * r.abs().clamp(max=16)[None]


def make(n_heads, d_head):
    return Ramp()


found, cost = own_scheme.agrees(make, by_formula), own_scheme.benchmark(make)
assert found.passed and cost.kept[1024] == 4 * 2047
print(found)
cost

# %% [markdown]
# It computes what it should, takes little longer than attention without positions, and keeps no matrix.
# Next we train it at 128 tokens, for 300 steps only (about ten seconds), and test it at 1,024. Guess: does its loss
# stay level, as ALiBi's does, because both begin as a straight line? Or does it grow, because far keys keep some
# weight, or because no distance beyond 127 was trained?

# %% tags=["nbval-ignore-output"]
trained = own_scheme.train(make, "characters", against=("alibi", "log-1", "t5-64"))
trained

# %%
near, far = np.exp(-0.25 * np.arange(16)).sum(), 1008 * np.exp(-4)  # at equal scores, for the last of 1,024 tokens
print(f"weight in units of a key at distance 0: 16 near keys {near:.1f}, 1,008 far keys {far:.1f}")
print(f"in training, the 112 far keys of the last of 128 tokens: {112 * np.exp(-4):.1f}")
assert far > 4 * near

# %% [markdown]
# Ramp's loss grows by half a nat. Untrained distances are an unlikely reason, because all distances from 16 on share
# the trained bias −4. The weight of the far keys is a likelier one: at equal scores, they outweigh the near ones four
# times, and in training they did not.
#
# At the training length Ramp is better than ALiBi, by a twentieth of a nat. Is it because its far keys stay in reach?
# That needs a **control**: the same line without the stop.

# %% tags=["nbval-ignore-output", "prints-only"]
from course_lib.nn.bias import DecayBias

control = own_scheme.train(lambda n_heads, d_head: DecayBias(0.25, "linear"), "characters", against=("alibi",))
control

# %% [markdown]
# The straight line is as good at 128, and it stays level. So in this run the stop gained nothing and cost half a nat at
# 1,024. Ramp is probably better than ALiBi because *all four of its heads* fall by a quarter per token. ALiBi has one
# such head, and the others fall more slowly.
#
# This was one seed and 300 steps. After 300 steps `t5-64` breaks, but after 2,000 it is level
# ([[longer_than_training|chapter #]]). So take more steps and several seeds before you call it a result.

# %% [markdown]
# ## Does nearness matter?
#
# *Optional.*
#
# Many pages recommend relative positions because "what is near belongs together". We measure it.
#
# ### Text
#
# How much does one character tell about the character $d$ places later? The **mutual information** answers in nats: how
# far the loss of a perfect guesser falls once it knows the first character.
#
# $$I(d) = \sum_{x, y} p_d(x, y) \ln \frac{p_d(x, y)}{p(x)\, p(y)}$$
#
# Here $p_d(x, y)$ is how often $x$ occurs $d$ places before $y$. Even shuffled characters give a little by chance, so
# we subtract that. Our text is Python's help pages. Some contain tables, so we also count without lines that begin with
# `|` or `+`. How fast does the information fall with distance?

# %% tags=["nbval-ignore-output"]
pages = [topics[name] for name in sorted(topics)]  # Python's help texts
lines = "\n".join(pages).split("\n")
prose = [line for line in lines if not line.strip().startswith(("|", "+"))]
borderless = [line for line in lines if not line.strip().startswith("+")]  # a border looks like +-----+


def information(ids, d):
    """Mutual information of characters d places apart, in nats. ids: the number of each character in the alphabet."""
    size = ids.max() + 1
    p = np.bincount(ids[:-d] * size + ids[d:], minlength=size**2).reshape(size, size) / (len(ids) - d)
    alone = np.outer(p.sum(axis=1), p.sum(axis=0))
    return np.sum(p[p > 0] * np.log(p[p > 0] / alone[p > 0]))


apart, found = [1, 2, 4, 8, 16, 32, 64, 128], {}
print(f"{'places apart':24}", *(f"{d:5}" for d in apart))
for name, kept in {"all lines": lines, "without | and + lines": prose, "without + lines": borderless}.items():
    _, ids = np.unique(list("\n".join(kept)), return_inverse=True)
    chance = information(np.random.default_rng(0).permutation(ids), 1)
    found[name] = [information(ids, d) - chance for d in apart]
    print(f"{name:24}", *(f"{i:5.3f}" for i in found[name]))

# %% tags=["nbval-ignore-output"]
everything, without, borders_out = found.values()
share = 1 - len("\n".join(prose)) / len("\n".join(lines))
print(f"lines with | or +: {1 - len(prose) / len(lines):.0%} of the lines, {share:.0%} of the characters")
assert everything[0] > 3 * everything[3] and without[0] > 3 * without[3]  # near tells more than far
assert everything[5] > 4 * without[5] and everything[5] > 3 * borders_out[5]  # at 32 places: tables, mostly borders

# %% [markdown]
# So in text near does tell more than far. But with all lines, a character still tells 0.060 nats at 32 places. Fewer
# than one line in twenty begins with `|` or `+`. Without these lines, **five sixths of the 0.060 disappear**, mostly
# with the borders of tables.
#
# ### Words that return, and proteins
#
# In two kinds of data, one token looks for another. On a **help page**, a word looks for its last occurrence (we leave
# out the 200 most frequent words). In a **protein**, a chain of amino acids, each cysteine (the letter C) looks for the one it is bound to.

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
    # Crambin also occurs with S instead of P at place 22, and I instead of L at 25.
    "crambin": ("TTCCPSIVARSNFNVCRLPGTPEALCATYTGCIIIPGATCPGDYAN", [(3, 40), (4, 32), (16, 26)]),
}
for name, (chain, bonds) in PROTEINS.items():
    print(f"{name:18}{len(chain):4} letters, its bonds reach", *(b - a for a, b in bonds))
reach = np.array([b - a for _, bonds in PROTEINS.values() for a, b in bonds])
print(f"more than 32 places: {np.sum(reach > 32)} of {reach.size}")
assert (np.sum(reach > 32), reach.size) == (7, 14)

# %% [markdown]
# AlphaFold 2 gives every pair of residues a vector for their offset, clipped at ±32 (Jumper et al. 2021, supplement,
# algorithm 4; a residue is one amino acid). It is clipped as Shaw's, with $k = 32$. **Half of these bonds reach
# farther.**
#
# How far back is a word's last occurrence? Three schemes stop telling distances apart: Shaw's (with $k = 16$) at 16,
# AlphaFold 2 at 32, T5's decoder at 113.

# %% tags=["nbval-ignore-output"]
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
    "word → same word (words)": back,
    "bonds (residues)": reach,
}
for name, far in looked_for.items():
    beyond = ", ".join(f"{np.mean(far >= k):.0%} from {k} on" for k in (16, 32, 113))
    print(f"{name:32}{far.size:7,}, half within {np.median(far):.0f}; {beyond}")
assert np.mean(back >= 113) > 0.3

# %% [markdown]
# **How near would they be by chance?** As a control, we put the words of each page in random order and pair the same
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
# - **Words that return.** Half return within 55 words, against 277 in random order. But two in five last occurred 113
#   or more words before.
# - **Proteins.** These 14 bonds are not nearer than cysteines paired at random.
#
# So whether near things belong together depends on the data.

# %% [markdown]
# ## Remember
#
# - Ask first where a scheme enters. This decides what it can say, which tricks make it fast, and which kernels can run
#   it.
# - One row of offsets gives a Toeplitz grid, and FIRE's is not Toeplitz. FoX adds up log gates of the tokens after the
#   key; with a constant gate it is ALiBi.
# - Much of the choice is made by what you have: published weights, a mask, a kernel, an image.
# - A better number needs a control: the same thing without the part that is said to be the reason.
# - A sentence without its condition is half true. Ask for the model, the length, the mask, and the number of seeds.
#
# ## The whole course in questions
#
# Each question names the chapter that answers it.

# %% tags=["hide-input"]
# @title Quiz
questions.quiz(title=f"The whole course in {len(questions.QUIZ)} questions")

# %% [markdown]
# ## Now you
#
# [[tasks]]: from six situations to a published scheme in which each head *learns* how strongly its bias falls.
#
# **And then?** Take a sentence about attention that you read this week, and write the five lines that decide it.
#
# **Sources** J. Jumper et al., *Highly Accurate Protein Structure Prediction with AlphaFold*, 2021, supplement,
# algorithm 4 · sequences and bonds of the four proteins: UniProt P00698, P61823, P00974, P01542 (mature chains) · S. Li
# et al., *Functional Interpolation for Relative Positions Improves Long Context Transformers*, 2023 (FIRE) · Z. Lin et
# al., *Forgetting Transformer: Softmax Attention with a Forget Gate*, 2025 · O. Golovneva et al., *Contextual Position
# Encoding: Learning to Count What's Important*, 2024 · S. Yang et al., *PaTH Attention: Position Encoding via
# Accumulating Householder Transformations*, 2025 · T.-C. Chi et al., *KERPLE: Kernelized Relative Positional Embedding
# for Length Extrapolation*, 2022 (the scheme of the tasks). The sources of each claim are in its fold.
