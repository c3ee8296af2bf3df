# %% [markdown]
# # [[title]]
#
# Attention alone does not know the position of a word. You give each position a vector, a fixed one or a learned one.
# Then you ask what *relative* positions lose, and what a second layer gives back.
#
# **You will be able to**
# - build sinusoidal positions, and show that a step along the text rotates them;
# - count what is new to a model in a text longer than its training texts;
# - say what relative positions lose, and how a model may get it back.
#
# **You need** [[blind_to_distance|chapter #]] (attention) and [[bias_by_hand|chapter #]] (a bias per offset). **Time**
# [[time]].

# %%
import numpy as np

from course_kit import figures
from course_lib.reference.attention import attention, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets

np.set_printoptions(precision=4, suppress=True)
n = 5
figures.attention_block("learned")

# %% [markdown]
# Absolute positions enter before the first layer, as a vector that is added to the input.
#
# ## Give each position a vector: sinusoids
#
# In "The cat sat on mat", the word *on* is at position 3. We add to its vector a vector $P_3$ that depends only on the
# position. Every other word gets the $P_p$ of its own position $p$.
#
# Vaswani et al. (2017) chose sines and cosines. The $d$ numbers of $P_p$, its **channels**, form $d/2$ pairs. Pair $m$
# holds the sine and the cosine of an angle, which is 0 at position 0 and grows by $\theta_m$ with each position. We
# call $\theta_m$ the **frequency** of the pair:
#
# $$P_{p,\,2m} = \sin(p\,\theta_m), \; P_{p,\,2m+1} = \cos(p\,\theta_m), \; \theta_m = 10000^{-2m/d}$$
#
# With $d = 4$ there are two pairs. We compute $P_3$ by hand, then all five vectors with a loop.

# %%
theta = [10000 ** (-2 * m / 4) for m in (0, 1)]
print("frequencies, in radians per position:", theta)
for m in (0, 1):
    print(f"P[3], pair {m}: sin {np.sin(3 * theta[m]):.4f}, cos {np.cos(3 * theta[m]):.4f}")

table = np.zeros((n, 4))
for p in range(n):
    for m in (0, 1):
        table[p, 2 * m] = np.sin(p * theta[m])
        table[p, 2 * m + 1] = np.cos(p * theta[m])

words, channels = ["0: The", "1: cat", "2: sat", "3: on", "4: mat"], ["sin 0", "cos 0", "sin 1", "cos 1"]
figures.heatmap(table, words, channels, corner="position", alt="Sinusoids of five positions, d = 4")

# %% [markdown]
# Each pair is like a clock. Draw its sine to the right and its cosine upwards: this is where the hand points. At
# position 0 every hand points up, and then it runs clockwise. With 8 channels there are four clocks, each ten times
# slower than the one before. (Skip the code of the drawing.)

# %%
import matplotlib.pyplot as plt

from course_lib.reference.absolute import frequencies, sinusoidal

assert np.allclose(sinusoidal(np.arange(n), 4), table)
hands = sinusoidal(np.arange(n), 8)
fig, clocks = plt.subplots(1, 4, figsize=(8, 2.4), layout="constrained")
for m, clock in enumerate(clocks):
    clock.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
    clock.set_title(f"pair {m}: {frequencies(8)[m]:g} rad\nper position", fontsize=9)
    clock.axis("off")
    clock.add_patch(plt.Circle((0, 0), 1, fill=False, color="lightgrey"))
    for p, (sine, cosine) in enumerate(hands[:, 2 * m : 2 * m + 2]):
        clock.plot([0, sine], [0, cosine], label=f"p = {p}")
fig.legend(*clocks[0].get_legend_handles_labels(), loc="outside lower center", ncols=n)
figures.show(fig, alt="Four clocks at positions 0 to 4: the first turns by one radian each time, the last hardly moves")

# %% [markdown]
# The fast clock tells neighbours apart, but after six positions it shows nearly the same again. The slow clocks hardly
# move here. In a long text, they tell distant positions apart.
#
# ## Moving is turning
#
# Why sines? The authors hoped that they make it easy to attend by *relative* position. If you move on by $s$ positions,
# each clock turns by $s\,\theta_m$, whatever it showed before:
#
# $$\begin{pmatrix} \sin((p+s)\theta) \\ \cos((p+s)\theta) \end{pmatrix} =
# \begin{pmatrix} \cos s\theta & \sin s\theta \\ -\sin s\theta & \cos s\theta \end{pmatrix}
# \begin{pmatrix} \sin p\theta \\ \cos p\theta \end{pmatrix}$$
#
# The matrix is a rotation, and $p$ does not occur in it. So in each pair, the same matrix leads from position 0 to 2
# and from position 1 to 3. We check this in the first pair. The last line checks 100 positions, each moved on by 7.

# %%
def turn(angle):
    """The 2×2 rotation that moves (sin, cos) on by `angle`."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


for p in (0, 1):
    print(f"P[{p}], first pair, turned by 2 · θ₀:", turn(2 * theta[0]) @ table[p, :2])
    print(f"P[{p + 2}], first pair:                  ", table[p + 2, :2])
assert np.allclose(sinusoidal(np.arange(100), 2) @ turn(7).T, sinusoidal(np.arange(100) + 7, 2))

# %% [markdown]
# One matrix $R_s$ moves the whole vector: it has such a rotation for each pair on its diagonal, and zeros elsewhere.
#
# ## Do two sinusoids know how far apart they are?
#
# A score is the product of a query and a key. So let us multiply the vectors of two positions. A pair adds
# $\sin a \sin b + \cos a \cos b = \cos(b - a)$ to the product, where $a = i\,\theta_m$ and $b = j\,\theta_m$. So
#
# $$P_i \cdot P_j = \sum_m \cos\big((j - i)\,\theta_m\big)$$
#
# This depends only on the distance $|j - i|$. But a larger product need not mean a smaller distance, because the
# product falls and rises again. With $d = 4$, it is larger at distance 6 than at distance 3.
#
# And a layer does not multiply $P_i$ with $P_j$. It first multiplies them with its matrices $W_q$ and $W_k$. Does the
# product still depend only on the distance? We choose random matrices, and compare three queries with the keys three
# positions before them.

# %%
small = sinusoidal(np.arange(7), 4)
print("d = 4: P_0 · P_3 =", (small[0] @ small[3]).round(2), " P_0 · P_6 =", (small[0] @ small[6]).round(2))
far = sinusoidal(np.arange(128), 64)
W_q, W_k = np.random.default_rng(3).normal(size=(2, 64, 64)) / 8
without_matrices, with_matrices = far @ far.T, (far @ W_q) @ (far @ W_k).T
for name, products in (("P_i · P_j:        ", without_matrices), ("P_i W_q · P_j W_k:", with_matrices)):
    print(name, *(f"{products[i, i - 3]:7.2f} (query {i})" for i in (30, 60, 90)))

# %% [markdown]
# No: with the matrices, the same distance gives three different products. So sinusoids *allow* a layer to attend by
# offset, but the layer must learn matrices that do so (*Deeper* shows such matrices).
#
# ## Or learn the vectors
#
# The other way is a table with one row per position, which is trained like any other weight (Gehring et al. 2017). BERT
# and GPT-2 have such a table. Vaswani et al. found nearly the same quality with both, and preferred sines because these
# might work on longer texts.
#
# If a text is longer than the table, you get an error, and that is the good case. If the table is long enough, but all
# training texts were shorter, nothing warns you. Here a text of 5 words trains a table of 8 rows. Which rows get a
# gradient?

# %%
import torch

from course_lib.nn.absolute import Learned

torch.set_num_threads(1)  # quicker for small matrices
torch.manual_seed(0)
add_rows = Learned(max_length=8, d_model=4)
five_words = torch.randn(1, 5, 4)
(add_rows(five_words) ** 2).sum().backward()  # any loss would do
touched = add_rows.table.grad.abs().sum(dim=1) > 0
print("rows that get a gradient:", np.flatnonzero(touched))
assert touched.tolist() == [True] * 5 + [False] * 3

# %% [markdown]
# Rows 5 to 7 get none. Apart from weight decay, they keep the random numbers that they began with.
#
# A token's position is not always its place in the tensor. In a batch, short texts may have padding on the left, and
# several documents may be packed into one sequence. Then absolute positions need a number for each token
# (`position_ids`), and a wrong one raises no error ([[fast_attention|chapter #]]).
#
# The course's `Sinusoidal` is a torch module, too, but has nothing to learn. It should add the vectors that we computed
# by hand.

# %%
from course_lib.nn.absolute import Sinusoidal

add_sines = Sinusoidal(d_model=4)
assert not list(add_sines.parameters())
assert np.allclose(add_sines(five_words) - five_words, table, atol=1e-6)

# %% [markdown]
# ## Seen and unseen
#
# A model was trained on texts of 128 tokens and now reads 256. How much of this is new to it? A score is about a query
# and a key, so we count pairs of a query position $i$ and a key position $j$. With absolute positions, a pair is new if
# $i$ or $j$ never occurred in training. With relative positions, a pair is new only if the offset $j - i$ never
# occurred. (The count is generous: the offset 127 occurred once per training text, so *seen* is not yet *trained*.)

# %%
for scheme in ("absolute", "relative"):
    new = figures.unseen_pairs(128, 256, scheme)
    print(f"trained on 128, tested on 256, {scheme}: {new / 256**2:.1%} of {256**2:,} pairs are new")
assert new == (abs(offsets(256)) >= 128).sum()
figures.seen_pairs(train=128, test=256)

# %% [markdown]
# In the picture, the known pairs form one corner of the square. Switch to *relative*: now only two corners are new.
# (*clipped* follows in [[vector_per_distance|chapter #]].)
#
# ## What relative positions cannot tell
#
# With relative positions, moving a whole text changes no score, because its offsets stay the same. Can such a model
# know *where* a word is? We take the layer of [[blind_to_distance|chapter #]] with a bias per offset. Each token sees
# only 3 tokens to each side, its **window**. The text is "dog man dog man …". Can a dog know which one it is?

# %%
rng, d = np.random.default_rng(0), 8
word = {name: rng.normal(size=d) for name in ("dog", "bites", "man", "today")}
W_q, W_k, W_v = rng.normal(size=(3, d, d)) / np.sqrt(d)


def embed(text):
    return np.array([word[name] for name in text.split()])


def layer(x, **how):
    return x + attention(x @ W_q, x @ W_k, x @ W_v, **how)[0]


# %% tags=["hide-output"]
dogs = embed(" ".join(["dog", "man"] * 12))
near = abs(offsets(24)) <= 3
h, gaps = dogs, []
for _ in range(3):
    h = layer(h, bias=decay_bias(24, strength=0.3), mask=near)
    gaps.append(abs(h[::2] - h[12]).max(axis=1))  # each dog and the one at position 12
assert np.allclose(gaps[0][2:10], 0)  # after one layer, all dogs in the middle are equal
at, depths = [str(p) for p in range(0, 24, 2)], ["1 layer", "2 layers", "3 layers"]
title = "Largest difference between the output of each dog and that of the dog at position 12"
figures.heatmap(np.round(gaps, 3), depths, at, alt=title, corner="depth ↓ position →")

# %% [markdown]
# In the middle it cannot: these dogs see the same words at the same offsets, so after one layer their outputs are
# equal. Near an **edge** of the text, a part of the window is empty, and this reveals where a dog is.
#
# Further layers give something back. The dog at position 4 sees the man at position 1, and after one layer this man
# has seen the edge. So after two layers, the dog at 4 differs from those in the middle, too. With each layer, the
# effect of the edge reaches one window further, and is weaker there. Can a model learn to use this? We trained models
# with relative positions on a task that needs absolute ones. With one layer they do not solve it, but with two they do
# (*Deeper*).
#
# An edge is not the only way. In a decoder, a causal mask with a start token can reveal the position anywhere in the
# text ([[blind_to_distance|chapter #]]).
#
# ## Remember
#
# - To move a sinusoid by $s$ positions, rotate each pair by $s\,\theta_m$, wherever it is. The product of two sinusoids
#   depends only on their distance, but does not always fall with it. After $W_q$ and $W_k$ it need not even depend on
#   the distance alone.
# - In a learned table, the rows past the training length are untrained.
# - At twice the training length, 75 % of the pairs have a new position, but in long texts only about 25 % a new offset.
# - With relative positions, moving a whole text changes nothing. In the first layer, a query is made from its word
#   alone, so it does not know its position. Further layers can know it from an edge that is near enough. A causal mask
#   with a start token can reveal it, too.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
early, late, x = sinusoidal(np.arange(4), d), sinusoidal(100 + np.arange(4), d), embed("dog bites man today")
same_sinusoids, same_scores = (np.allclose(a @ a.T, b @ b.T) for a, b in ((early, late), (x + early, x + late)))
figures.question(
    "Sinusoids are added to the word vectors, and W_q and W_k are the identity. A text begins at position 100 instead "
    "of 0. Do its scores change?",
    options={
        "No: the product of two sinusoids depends only on the distance":
            "It does. But a score also contains products of a word with a sinusoid.",
        "Yes: products of a word with a sinusoid change":
            "Yes: x_i · P_j depends on the position j itself. The product P_i · P_j does not change.",
        "Yes: products of two sinusoids change": "Both are turned by the same angles, so their product stays.",
    },
    answer="No" if same_scores else "Yes: products of a word" if same_sinusoids else "Yes: products of two",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
rows_used, offsets_used = 100 + np.arange(512), offsets(512)
figures.question(
    "Two models were trained on texts of 512 tokens, from position 0 on. One has a learned row per position, and its "
    "table has 1,024 rows. The other has a learned number per offset. Now a text of 512 tokens begins at position 100. "
    "Which model meets something untrained?",
    options={
        "Both": "No offset of this text exceeds 511, and these offsets occurred in training.",
        "The one with a row per position": "Yes: the rows 512 to 611. The offsets are the same wherever a text begins.",
        "The one with a number per offset": "The offsets are the same wherever a text begins.",
    },
    answer="The one with a row" if rows_used.max() > 511 >= abs(offsets_used).max() else "Both",
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "An encoder (no causal mask) has one learned bias per signed offset and no other positions. Each word sees a "
    "window of 5 words to each side. What can the encoder not do, far from both ends of a long text?",
    options={
        "Tell the word before from the word after":
            "The offsets −1 and +1 have different biases, so it can tell them apart.",
        "Look exactly three words back": "A large bias at offset −3 does just that.",
        "Tell the 1,000th word from the 2,000th, if their surroundings are the same":
            "Yes: the same words at the same offsets give the same output.",
    },
    answer="Tell the 1,000th word from the 2,000th, if their surroundings are the same",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: two clocks by hand and three short programs.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · A whole text, moved
#
# SmolLM2-135M-Instruct ([[released_model|chapter #]]) uses relative positions (RoPE, [[rope|chapter #]]). It reads 128
# tokens. First we add 50,000 to each position. As a control, we then multiply each by 4. Which of the two raises the
# *loss*, the mean of −ln(probability of the next token)?

# %% tags=["nbval-ignore-output"]
from course_lib import released

language_model = released.load()
text, place = language_model.encode(released.excerpt("alice"))[:128], torch.arange(128)
assert 4 * place.max() == 508 < 8192  # the model was made for 8,192 tokens
losses = language_model.losses(text)
print(f"loss {losses.mean():.2f}")

# %% tags=["hide-output", "nbval-ignore-output"]
rises = {}
for name, positions in {"+ 50,000": place + 50_000, "× 4": place * 4}.items():
    with language_model.changed(positions=positions):  # only inside this `with`
        rises[name] = float((language_model.losses(text) - losses).mean())
    print(f"{name:8} the loss rises by {rises[name]:z.2f}")
assert abs(rises["+ 50,000"]) < 0.001 and rises["× 4"] > 1

# %% [markdown]
# In this model, moving the text changes nothing, up to rounding. Multiplying changes the offsets and does much harm.
# Committed runs with 384 tokens of four other texts show how much the loss of their second half rises, ± its standard
# error.

# %%
from course_study.released import rows as committed

conditions = dict.fromkeys(["all positions + 50000", "all positions × 4"], "positions moved") | {"no RoPE": "pairings"}
for condition, experiment in conditions.items():
    texts = committed(experiment, condition=condition, n=384)
    shown = [f"{row['text']} {row['difference']:z.2f} ± {row['error']:.2f}" for row in texts]
    print(f"{condition:22}", *shown, sep="  ")

# %% [markdown]
# In these texts, × 4 does more harm than no rotation. Models with learned tables, such as OPT, get worse even if a
# text only begins at a later position (Sinha et al. 2022).
#
# ## Deeper · A layer that attends by offset
#
# With the right matrices, a layer with sinusoids does look at a fixed offset. To make every query prefer the key three
# positions back, $W_q$ rotates each query back by three positions, $P_i W_q = P_{i-3}$, and $W_k$ is the identity.
# Then we make $W_q$ eight times larger, so more weight goes to that key:

# %%
looking_back = sinusoidal(np.arange(128) - 3, 64) @ far.T
assert all(looking_back[i].argmax() == i - 3 for i in range(3, 128))
for size in (1, 8):
    share = softmax(size * looking_back / np.sqrt(64))
    print(f"W_q {size} times: query 20 gives {share[20, 17]:.2f} of its weight to key 17, "
          f"{share[20, 16]:.2f} to key 16 and {share[20, 18]:.2f} to key 18")

# %% [markdown]
# The words' own vectors pass through these matrices, too. [[rope|Chapter #]] takes the rotation out of the input and
# applies it to queries and keys.
#
# Does training find such a head? MiniLM (`all-MiniLM-L6-v2`, built like BERT) has only learned vectors. In its first
# layer, we averaged the inputs over words, so scores differ by position alone. For which share of the queries is the
# largest score at offset −1? And how far is the mean score there above the next best?

# %%
from course_lib import learned

before, means = learned.read("minilm", "before"), learned.read("minilm", "profiles")  # means of the offsets −64 … 64
for head in before.argsort()[::-1][:3]:
    lead = means[head, 63] - np.delete(means[head], 63).max()
    print(f"head {head}: {before[head]:.1%} of the queries, mean score at −1 higher by {lead:z.1f}")

# %% [markdown]
# So absolute vectors alone can make heads that prefer the token before. (Head 5 has the larger share, but head 2 the
# larger lead.)
#
# ## Deeper · What the learned rows hold
#
# MPNet has a learned vector for each of 512 positions, beside the bias per offset of [[t5_buckets|chapter #]].
# Position $p$ reads row $p + 2$. What are the norms of these vectors?

# %%
lengths = learned.read("mpnet", "lengths")
print("rows 0 and 1, which no position reads:", lengths[:2].round(2))
print(f"first position: {lengths[2]:.2f}, last: {lengths[-1]:.2f}")
print(f"all others: {lengths[3:-1].min():.2f} to {lengths[3:-1].max():.2f}")

# %% [markdown]
# Row 1 is for padding. The vector of the first position is about six times as long as most others. Is "I am the first"
# all that the vectors say? In committed runs, we changed the rows that the positions read. *Tokens* are the outputs in
# texts of 256 tokens, and *sentences* the mean outputs of single sentences. Their cosine with the released output
# measures change, not harm. The last line compares two different tokens or sentences.

# %%
from course_study.learned import over_texts

for change in (
    "vectors zeroed",
    "all in the row of the first token",
    "the first token in its own row, all others in that of position 48",
):
    print(*("{} {:.2f} ± {:.2f}  ".format(of, *over_texts(of, change)) for of in ("tokens", "sentences")), change)
others = ("tokens", "another token"), ("sentences", "the next sentence")
print(*("{} {:.2f} ± {:.2f}  ".format(of, *over_texts(of, change)) for of, change in others), "another, as released")

# %% [markdown]
# In single sentences, they say little else: if all tokens but the first share one row, the output hardly changes. In
# the longer texts, this changes the output about half as much as zeroing all vectors. And if all tokens read the row
# of the first, the output is less like the released one than that of another token or sentence is.
#
# ## Deeper · What a second layer gives back
#
# Here is a task that needs absolute positions. A text has 16 random letters from A to H, in lines of four. At each
# position, the model must name the first letter of the line:

# %%
import course_study as study
from course_study.two_layers import first_letters

letters, answers = first_letters(torch.Generator().manual_seed(0))  # 32 texts
for name, text_or_answers in (("letters:", letters[0]), ("answers:", answers[0])):
    print(name, *("".join("ABCDEFGH"[one] for one in line) for line in text_or_answers.reshape(4, 4)))

# %% [markdown]
# The third letter of a line must look two back, and the fourth three. So a query must know its place in the line. In
# the first layer it cannot, because it is made from the letter alone. In a second layer, it is made from the output of
# the first, which has seen both edges, because our models have no window. We trained models with a learned row per
# position, and models with a learned vector per offset ([[vector_per_distance|chapter #]]).

# %%
runs = study.committed("two_layers")
models = ("learned table, one layer", "vectors, one layer", "vectors, two layers")
shares = np.array([[row["by_position"] for row in study.pick(runs, condition=name)] for name in models])
assert shares[1].mean(axis=1).max() < 0.6 and shares[2].mean(axis=1).min() > 0.95
print("share of right answers, mean of three seeds")
for name, share in zip(models, shares.mean(axis=(1, 2))):
    print(f"{name:24} {share:.2f}")

# %% [markdown]
# With vectors, two layers solve the task, and one layer gets half right. Do these models still succeed in a text of
# eight lines? The first row is a mean of three seeds.

# %%
of_table, of_vectors = (study.pick(runs, condition=name) for name in (models[0], models[2]))
by_line = np.array([row["longer"] for row in of_table + of_vectors]).reshape(6, 8, 4).mean(axis=2)
by_line = np.vstack([by_line[:3].mean(axis=0), by_line[3:]])
assert by_line[0, 4:].max() < 0.4 and by_line[1:, 2:6].max() < 0.4 and by_line[1:, 6:].min() > 0.9
names, lines = ["table", *(f"vectors, seed {row['seed']}" for row in of_vectors)], range(1, 9)
figures.heatmap(by_line, names, lines, digits=2, corner="model ↓ line →", alt="Share of right answers in eight lines")

# %% [markdown]
# The learned table fails from the fifth line on, where its rows are untrained. The two layers succeed only near an
# edge, and seed 0 only near the right one. In lines 3 to 6, both edges are 8 or more letters away. These models have
# one vector for all letters that are 8 or more to the left, and one for those as far to the right. In a training text
# of 16 letters, one edge is always nearer. So training never showed them both edges that far away.
#
# DeBERTa (He et al. 2021) has relative positions, and adds absolute ones just before it predicts masked words.
#
# ## Deeper · Longer than the table
#
# MPNet reads 700 tokens. Which row should the positions beyond 511 read? We compare the outputs of tokens 560 to 659
# with those in a window of 300 tokens, which needs no more than the table. The numbers are cosines again. The first
# shows how much the output changes if the window begins 100 tokens earlier.

# %%
for rows in (
    "another window (360 … 759)",
    "positions begin again at 1 after 511",
    "row of position 510 repeated",
    "vectors zeroed",
    "last row repeated (position 511)",
):
    print("{:.2f} ± {:.2f}  ".format(*over_texts("beyond 512", rows)), rows)

# %% [markdown]
# In MPNet, repeating the last row changes the output most. The row before it is a better choice.
#
# Image models resize their table like a picture (Dosovitskiy et al. 2021). SHAPE shifts all positions of a training
# text by a random number (Kiyono et al. 2021).
#
# ## Deeper · The released code
#
# In `transformers`, XLM interleaves sines and cosines as we do, and Marian puts all sines first. Whisper does so, too,
# but its exponent is $-m/(d/2 - 1)$, as in the authors' code (`tensor2tensor`).

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers.models.marian.modeling_marian import (
        MarianSinusoidalPositionalEmbedding,
    )
    from transformers.models.whisper.modeling_whisper import sinusoids
    from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

    ours = sinusoidal(np.arange(n), 8)
    xlm = create_sinusoidal_embeddings(n, 8, torch.empty(n, 8))
    assert np.allclose(xlm, ours, atol=1e-6)
    sines_first = np.hstack([ours[:, 0::2], ours[:, 1::2]])
    marian = MarianSinusoidalPositionalEmbedding(n, 8).create_weight()
    assert np.allclose(marian, sines_first, atol=1e-6)
    angle = np.arange(n)[:, None] * 10000 ** (-np.arange(4) / 3)
    assert np.allclose(sinusoids(n, 8), np.hstack([np.sin(angle), np.cos(angle)]), atol=1e-6)
    print("XLM: our table. Marian: all sines first. Whisper: other frequencies, too.")

# %% [markdown]
# **Sources** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.4, section 3.5, table 3 · J. Gehring et
# al., *Convolutional Sequence to Sequence Learning*, 2017, section 3.1 · P. Shaw et al., *Self-Attention with Relative
# Position Representations*, 2018 · P. He et al., *DeBERTa*, 2021, section 3.2 · K. Sinha et al., *The Curious Case of
# Absolute Position Embeddings*, 2022 · A. Dosovitskiy et al., *An Image is Worth 16x16 Words*, 2021, section 3.2 · S.
# Kiyono et al., *SHAPE*, 2021 · L. Ben Allal et al., *SmolLM2*, 2025 · `get_timing_signal_1d` in
# tensorflow/tensor2tensor · the weights of all-mpnet-base-v2 and all-MiniLM-L6-v2 (Apache-2.0;
# `course_lib/learned.toml` says which revisions).
