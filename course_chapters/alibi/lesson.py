# %% [markdown]
# # [[title]]
#
# *Train short, test long*: ALiBi was made for texts that are longer than those of training. It subtracts from each
# score a penalty that grows with the distance, and it has nothing to learn. But three details are easy to get wrong
# without any error message: the slopes of 12 heads, a short form that is right only under a causal mask, and the
# rounding of bfloat16.
#
# **You will be able to**
# - give every head its slope, for 8 heads and for 12, and say how much a far key loses;
# - say which part of a bias the softmax removes, and when a shortcut based on this fails;
# - choose a form of the bias for a decoder, for an encoder, and for bfloat16.
#
# **You need** chapter [[bias_by_hand|#]] (bias, linear decay, mask) and a little torch. **Time** [[time]].

# %%
import numpy as np
import torch

from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.alibi import key_form, slopes
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.grid import row_offsets, to_grid

np.set_printoptions(precision=4, suppress=True)
torch.set_num_threads(1)  # quicker for small matrices
n = len(TOKENS)
mat = TOKENS.index("mat")
figures.attention_block("ALiBi")

# %% [markdown]
# ## ALiBi: a straight line
#
# ALiBi (attention with linear biases) adds a number per offset to each score, as T5 does ([[t5_buckets|chapter #]]). It
# was designed for decoders, where a query looks only at itself and back. A key that is $i - j$ tokens back loses $m \, (i - j)$ in its score. The
# **slope** $m$ is fixed (Press et al. 2022, section 3):
#
# $$S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m \, (i - j), \qquad j \le i$$
#
# We begin with one query: *mat*, the last token, with the slope $m = \frac12$.

# %%
m = 1 / 2
plain = scores(Q, K)
back = mat - np.arange(n)
biased = plain[mat] - m * back

steps = np.array([plain[mat], -m * back, biased, softmax(biased), softmax(plain[mat])])
rows = ["scaled score", "−m · (i − j)", "sum", "weight", "weight without"]
figures.heatmap(steps, rows=rows, columns=list(TOKENS), alt='ALiBi, query "mat"')

# %% [markdown]
# Now for all queries, first with two loops, then as one row of numbers placed on the diagonals. They should agree
# wherever the mask lets a query look. Move $m$: what does 0 give, and what 2?

# %%
by_loop = np.zeros((n, n))
for i in range(n):
    for j in range(i + 1):
        by_loop[i, j] = -m * (i - j)

B = to_grid(-m * abs(row_offsets(n))[None], n)
mask = causal_mask(n)
assert np.array_equal(B[mask], by_loop[mask])

_, weights = attention(Q, K, V, bias=B, mask=mask)
assert np.allclose(weights[mat], softmax(biased))


def causal_weights(m=0.5):
    """The weights of the five tokens with the slope m."""
    _, weights = attention(Q, K, V, bias=to_grid(-m * abs(row_offsets(n))[None], n), mask=mask)
    return figures.heatmap(weights, alt=f"Causal weights, m = {m}")


figures.play(causal_weights, m=(0.0, 2.0))

# %% [markdown]
# The bias is added after the division by $\sqrt{d_k}$, so it is not divided itself (footnote 10 of the paper).
#
# ## A slope for each head
#
# With equal scores, a head with the slope $\frac12$ gives most of its weight to a few tokens. So the heads have
# different slopes $m_h$, and some see far. For $H$ heads, the paper takes a geometric sequence that ends at $2^{-8}$:
#
# $$m_h = 2^{-8h/H}, \qquad h = 1 \dots H$$
#
# How far does each head see? Suppose that without the bias all scores are equal. We count how many of the nearest keys
# together have 90 % of the weight. Guess how many for the flattest head.

# %% tags=["hide-output"]
H = 8
eight = np.array([2 ** (-8 * h / H) for h in range(1, H + 1)])
assert np.array_equal(slopes(8), eight)


def nearest(slope, keys=4096):
    """How many of the nearest keys have 90 % of the weight."""
    return np.searchsorted(softmax(-slope * np.arange(keys)).cumsum(), 0.9) + 1


for h, slope in enumerate(eight, 1):
    print(f"head {h}: slope 1/{1 / slope:<3.0f} 90 % within the nearest {nearest(slope):3}")
print("head 8, texts of 512 and 65,536 tokens:", nearest(eight[-1], 512), nearest(eight[-1], 65_536))

# %% [markdown]
# The steepest head needs 5 keys and the flattest 590. A text longer than our 4,096 tokens does not change these
# numbers, but a shorter one may.
#
# ## A long text
#
# ALiBi hides no key. How much higher than the query's own token must a far key score, before the bias, to get the same
# weight?

# %%
for r in (100, 1000, 10_000):
    need = slopes(8) * r
    print(f"{r:6} tokens back: a score higher by {need[-1]:6.2f} (head 8), {need[3]:6.1f} (head 4)")

# %% [markdown]
# Even in the flattest head, a key 10,000 tokens back needs a score 39 higher. So if the loss stays level in a long
# text, this does not show that far tokens are used. The authors themselves found that, beyond its training length,
# their model may not use the additional context (appendix B). [[longer_than_training|Chapter #]] measures both.
#
# ## Twelve heads, two rules
#
# The encoders MosaicBERT-Base and DNABERT-2 have ALiBi with 12 heads. The paper gives the formula for any number of
# heads. But the authors' own code uses another rule if $H$ is not a power of two. For 12 heads it takes all slopes of
# 8 heads, the next lower power of two, and then the first, third, fifth and seventh of 16 (`get_slopes`).

# %%
by_formula = np.array([2 ** (-8 * h / 12) for h in range(1, 13)])
sixteen = [2 ** (-8 * h / 16) for h in range(1, 17)]
by_authors = np.array([*eight, *sixteen[::2][:4]])
assert np.array_equal(by_authors, slopes(12))
assert not np.isclose(by_formula, by_authors).any()
figures.alibi_slopes(12)

# %% [markdown]
# The two rules agree for none of the twelve heads, and by the authors' rule head 9 is the steepest. Move the number of
# heads to see when the two rules agree. BLOOM and MosaicBERT were trained with the authors' rule. How much does the
# wrong slope change? We take heads 1 and 9 of 12, and a query with 20 keys and equal scores.

# %%
for h in (0, 8):
    for name, slope in (("authors' code", by_authors[h]), ("formula", by_formula[h])):
        w = softmax(-slope * np.arange(20))
        shares = f"itself {w[0]:5.1%}, one back {w[1]:5.1%}, ten back {w[10]:.2%}"
        print(f"head {h + 1}, {name:13}  slope {slope:.4f}: {shares}")

# %% [markdown]
# Head 1 changes little. But with the formula, head 9 no longer concentrates on the nearest tokens: it sees all 20
# almost alike.
#
# ## What the softmax removes
#
# BLOOM's code, like the authors' own, does not contain $i - j$. It adds $m \, j$, which depends on the position of the
# key but not on that of the query. We call this the **key form** and $-m \, (i - j)$ the **matrix form**. Why is the
# key form right? We split the bias into two parts:
#
# $$-m \, (i - j) = m \, j - m \, i$$
#
# In row $i$, the second part is the same number $c = -m\,i$ for all keys. The softmax removes it, because a common
# factor $e^c$ can be cancelled:
#
# $$\frac{e^{s_j + c}}{\sum_k e^{s_k + c}} = \frac{e^c \, e^{s_j}}{e^c \sum_k e^{s_k}}
# = \frac{e^{s_j}}{\sum_k e^{s_k}}$$

# %%
bloom = key_form(n, n_heads=8)[0]
paper = -0.5 * (np.arange(n)[:, None] - np.arange(n))
print("difference in each row:", (bloom - paper)[:, 0])

_, from_bloom = attention(Q, K, V, bias=bloom, mask=mask)
assert np.allclose(from_bloom, weights)
figures.side_by_side(
    figures.heatmap(np.where(mask, paper, -np.inf), signed=True, limit=2, alt="−m (i − j), causal"),
    figures.heatmap(np.where(mask, bloom, -np.inf), signed=True, limit=2, alt="m · j, causal"),
)

# %% [markdown]
# Row $i$ on the right is row $i$ on the left plus $i/2$, and the weights are equal. Compared with a stored grid, this
# saves memory: one row per head is enough for all queries. MPT's code adds $m \, (j - (n - 1))$, which differs from
# $m\,j$ only by a constant.
#
# In torch, `ALiBi` is the position of a layer. We give each of its eight heads the queries and keys of our tokens. The
# first head has the slope $\frac12$, so its weights should be the same again.

# %%
from course_lib.nn.alibi import ALiBi
from course_lib.nn.layer import RelativeAttention

layer = RelativeAttention(d_model=32, n_heads=8, position=ALiBi(8)).double()
for matrix in (layer.query, layer.key):
    torch.nn.init.eye_(matrix.weight)  # queries and keys are the layer's inputs, unchanged
queries, keys = (torch.tensor(np.tile(x, 8))[None] for x in (Q, K))
past = torch.from_numpy(causal_mask(n))
assert np.allclose(layer.weights(queries, keys, mask=past)[0, 0].detach(), weights)

# %% [markdown]
# ## What bfloat16 makes visible again
#
# All this is exact arithmetic. Large models often compute in **bfloat16**, a format of 16 bits that keeps 8 significant
# bits. From 128 to 256 it has only whole numbers. What becomes of $m\,j$, with $m = 0.5$, at the end of 512 tokens?

# %%
def rounded(bias):
    """The bias, rounded to bfloat16."""
    return torch.tensor(bias).bfloat16().double().numpy()


last = m * np.arange(508, 512)
print("m · j of keys 508 to 511:", *last, "-> in bfloat16:", *rounded(last))

# %% [markdown]
# The steps of $\frac12$ become 0, 1 and 1. We round each form, with equal scores, and show the largest error of a
# weight. Which form is right for the last query? For one in the middle? And in the flattest head?

# %% tags=["hide-output"]
def error(bias, exact):
    """The largest error of a weight if the bias is rounded to bfloat16."""
    return abs(softmax(rounded(bias)) - softmax(exact)).max()


errors = {}
for i, slope in ((511, 1 / 2), (256, 1 / 2), (511, 1 / 256)):
    j = np.arange(i + 1)
    exact = -slope * (i - j)
    errors[f"query {i}, slope 1/{1 / slope:.0f}"] = [error(b, exact) for b in (slope * j, slope * (j - 511), exact)]
forms = ["m · j", "m · (j − 511)", "−m · (i − j)"]
figures.heatmap(list(errors.values()), list(errors), forms, digits=2, alt="Largest error of a weight")

# %% [markdown]
# For the last query, MPT's form gives the right weights to two digits, because near keys have small biases, and
# bfloat16 rounds small numbers finely. MPT's bias counts from the end of the text. For a query in the middle, it is
# large even at the nearest keys, so these are rounded coarsely. Only the matrix form is right for both. The flattest
# head hardly suffers: in 512 tokens its biases stay below 2, so rounding changes each by at most 1/256. In a longer
# text, its biases and their rounding grow.
#
# $m\,j$ is the sum of the paper's bias and $m\,i$. The softmax still removes $m\,i$, but not the error from rounding
# the sum. A remedy is to add the bias in float32. In `transformers`, MPT does this. BLOOM rounds twice in the model's
# dtype: $m\,j$, and then the score plus $m\,j$.
#
# ## Without a mask
#
# These forms were made for a causal mask, but an encoder has none. What happens if an encoder uses BLOOM's key form?

# %% tags=["hide-input"]
# @title Question
most = softmax(0.5 * np.arange(n)).argmax()
figures.question(
    "No mask, the bias m · j on every score, and all scores equal without it. Where does the first token look?",
    options={
        "Mostly at itself": "That would need −m·|i − j|. m·j does not depend on the position of the query.",
        "At all tokens equally": "The bias is not constant along a row, because it grows with j.",
        "Mostly at the last token": "Yes, and so does every other token.",
        "At the second token": "m·j goes on growing after the second token and is largest at the end.",
    },
    answer={0: "Mostly at itself", 1: "At the second token", n - 1: "Mostly at the last"}[most],
)

# %%
no_mask_key = softmax(np.broadcast_to(bloom, (n, n)))
assert np.allclose(no_mask_key, softmax(paper))
figures.side_by_side(
    figures.heatmap(no_mask_key, alt="No mask: m · j, or −m (i − j)"),
    figures.heatmap(softmax(B), alt="No mask: −m |i − j|"),
)

# %% [markdown]
# All rows on the left are the same. Without a mask, $m\,j$ and $-m\,(i - j)$ say nothing about the distance and only
# favour the end of the text. An encoder needs another form, such as the symmetric $-m\,|i - j|$ on the right. Under a
# causal mask it equals the paper's form. Unlike T5's bias, it cannot tell *before* from *after*.
#
# ## Who uses it today?
#
# | | bias in the code | special |
# |---|---|---|
# | BLOOM | $m\,j$ | the largest has 112 heads |
# | MPT | $m\,(j - (n-1))$ | MPT-7B-StoryWriter was trained with slopes down to $2^{-16}$ |
# | Falcon-RW | $m\,j$ | the bias is divided by $\sqrt{d_k}$ as well, so each slope is $\sqrt{d_k}$ times smaller |
# | MosaicBERT, DNABERT-2, jina-embeddings-v2 | $-m\,\lvert i - j\rvert$ | encoders, 12 heads in the base size |
#
# The first three are the decoders with ALiBi in `transformers` 5.23.
#
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("alibi")

# %% [markdown]
# ## Remember
#
# - ALiBi adds $-m_h \, (i - j)$ after the scaling, with one fixed slope per head, $m_h = 2^{-8h/H}$. If $H$ is not a
#   power of two, the authors' code takes the slopes of the next lower power of two, then every other slope of the next
#   higher one, from its first.
# - The softmax removes what is constant along a row. So $m\,j$ is enough *under a causal mask*. Without a mask it
#   favours the end of the text, so an encoder needs another form, such as $-m\,|i - j|$.
# - In bfloat16, a large constant costs digits. Compute the bias from the distance, or keep bias and
#   scores in float32 until the softmax.
#
# ## Three questions

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model with 12 heads was trained with the slopes of the authors' code. You compute 2^(−8h/12). What happens?",
    options={
        "An error: 12 is not a power of two":
            "The formula works for any number of heads, so the mistake is hard to notice.",
        "The same, in another order": "Four of the values occur in both sets, in other heads. The others do not.",
        "Every head decays at a different rate from training":
            "Yes. No head keeps its slope, and no error says so. A loss that you know would show it.",
        "Nothing: softmax removes a constant factor":
            "The softmax removes what is added to a whole row, but a slope multiplies the distance.",
    },
    answer="The same" if np.isclose(by_formula, by_authors).any() else "Every head",
    title="Question 1",
)

# %% tags=["hide-input"]
# @title Question
changed = {
    "Twice the slope": biased - m * back,
    "3 more for every key": biased + 3,
    "3 more for the nearest key": biased + 3 * (back == 0),
}
[same] = [name for name, s in changed.items() if np.allclose(softmax(s), softmax(biased))]
figures.question(
    "A causal head with ALiBi. Which change to its scores leaves all weights as they are?",
    options={
        "Twice the slope": "Then every step back costs twice as much.",
        "3 more for every key": "Yes. The softmax removes what is added to a whole row.",
        "3 more for the nearest key": "This key gains weight, because only its score grows.",
    },
    answer=same,
    title="Question 2",
)

# %% tags=["hide-input"]
# @title Question
figures.question(
    "A model with ALiBi reads a text eight times as long as in training, and its loss stays level. What follows?",
    options={
        "Reading more did not raise the loss": "Yes. Whether the far tokens were used is another question.",
        "It used the far tokens": "A level loss does not show that. Near tokens alone can keep it level.",
        "It has learned flatter slopes": "The slopes are fixed. Nothing in ALiBi is learned.",
    },
    answer="Reading more did not raise the loss",
    title="Question 3",
)

# %% [markdown]
# ## Now you
#
# [[tasks]]: slopes with a pencil, a prediction, a bug hunt, and a fit to a learned table.
#
# **Next:** [[next]]. The rest is optional.
#
# ## Deeper · ALiBi in a model that was trained without it
#
# Can we give ALiBi to a trained model? We add it to SmolLM2-135M-Instruct, a language model that keeps its RoPE
# ([[released_model|chapter #]]). Each of its layers has 9 heads, so ALiBi's slopes are 1/2, 1/4, …, 1/256 and, for the
# ninth head, 1/1.4. What will raise its loss more: these slopes, or the slope 1/2 in every head?

# %% tags=["hide-output", "nbval-ignore-output"]
from course_lib import released
from course_lib.reference.alibi import alibi_bias

model = released.load()
text = model.encode(released.excerpt("alice"))[:256]
loss = float(model.losses(text).mean())


def rise(bias):
    """How much the mean of the losses (−ln P of each next token) rises if this bias is added to all scores."""
    with model.changed(bias=torch.tensor(bias, dtype=torch.float32)):
        return float(model.losses(text).mean()) - loss


nine, half = alibi_bias(256, n_heads=9), alibi_bias(256, n_heads=8)[0]
print("1/slope of 9 heads:", (1 / slopes(9)).round(1))
rises = rise(nine), rise(half)
print("ALiBi's slopes: {:.2f}, slope 1/2 in every head: {:.2f}".format(*rises))
assert rises[0] > rises[1] + 1

# %% [markdown]
# We expected the opposite, because with ALiBi's slopes most heads still see far. But many heads of this model give most
# of their weight to token 0, a **sink** ([[windows_and_sinks|chapter #]]), and for most queries token 0 is far away. So
# we add the same biases but give token 0 the bias 0. As a control, we spare token 7 instead.

# %% tags=["nbval-ignore-output"]
other = nine.copy()
other[..., 7] = nine[..., 0] = half[..., 0] = 0
spared = rise(nine), rise(half)
print("token 0 spared: ALiBi's slopes: {:.2f}, slope 1/2 in every head: {:.2f}".format(*spared))
control = rise(other)
print(f"token 7 spared: ALiBi's slopes: {control:.2f}")
assert spared[0] < spared[1]
assert control > rises[0] - 1 > 4 * spared[0]

# %% [markdown]
# Now ALiBi's slopes do less harm than the slope 1/2, and sparing another token hardly helps. So in this model and text,
# most of their damage comes from the penalty on the sink.
#
# Does another text show the same? Committed runs repeat the experiment on four of them. They show how much the loss of
# the second half of a text rises, ± its standard error over the tokens.

# %%
from course_study.released import rows as committed

for condition in ("ALiBi's slopes", "slope 1/2 in all heads"):
    for kind in (condition, f"{condition}, 0 for token 0"):
        runs = committed("ALiBi", condition=kind)
        print(f"{kind:38}", *[f"{row['text']} {row['difference']:.1f} ± {row['error']:.1f}" for row in runs], sep="  ")

# %% [markdown]
# On each text, ALiBi's slopes do more harm than the slope $\frac12$, and less if token 0 is spared. Sparing it removes
# most of their damage on all four.
#
# ## Deeper · A free table, a line and a logarithm
#
# A T5 table can take any shape, except that the distances of one bucket share a number. Which shape did training choose
# in MPNet ([[t5_buckets|chapter #]])? We draw its head 8 for keys after the query, with the line and the logarithm
# ([[bias_by_hand|chapter #]]) that are nearest to it (least squares over the distances below 128). This head is a clear
# case: some of the 12 heads hardly change with distance, and on some sides the bias rises.

# %%
import matplotlib.pyplot as plt

from course_study.learned import changes, over_texts

distance = np.arange(1, 128)
curves = {"learned table": changes.released} | {f"nearest {x}": changes.BIAS[f"{x} per side"] for x in ("line", "log")}
fig, ax = plt.subplots(figsize=(6.4, 2.6))
for name, curve in curves.items():
    ax.plot(distance, curve(distance)[8], label=name)
ax.set(xlabel="distance of the key, after the query", ylabel="bias of head 8")
ax.legend()
figures.show(fig, alt="The bias of head 8 falls steeply, then slowly: the logarithm follows it, the line does not")

# %% [markdown]
# Now we replace the whole table: for each head and side by the nearest constant, line or logarithm, rising or falling.
# We keep $b(0)$, the number of the token itself. Or we put in ALiBi's penalties: the head whose bias falls most gets
# the steepest slope. Committed runs compared the outputs with those of the released model.

# %%
replaced = ["constant per side", "line per side", "log per side"]
replaced += ["ALiBi's slopes", "ALiBi's slopes, own b(0)", "table zeroed"]
print(f"{'cosine to the released output':30} tokens        sentences")
for change in replaced:
    print(f"{change:30}", *("{:.2f} ± {:.2f}  ".format(*over_texts(of, change)) for of in ("tokens", "sentences")))

# %% [markdown]
# With logarithms, the output stays nearest to that of the released model. Lines come next. A constant per side already
# gives half or more of what lines gain over no table. It also keeps $b(0)$, and tells *before* from *after*.
#
# ALiBi's slopes change the output more than no table does. But they give the token itself the largest bias, 0, while
# MPNet's table gives it far less than a neighbour. With $b(0)$ kept, the output is about as far away as without a table
# for tokens, and nearer for sentences. ALiBi has two more handicaps here: its slopes are not fitted to the heads, and
# it cannot tell *before* from *after*. So its rows do not compare a line with a logarithm. The rows *line per side* and
# *log per side* do.
#
# The cosine measures change, not harm. And a model that is *trained* with a line may use it well. We only see that
# logarithms are nearer than lines to what this one model learned. T5's buckets do not force this: a line that is read
# through them, averaged in each bucket, is still nearer to a line than to a logarithm.
#
# ## Deeper · The released code
#
# BLOOM and Falcon in `transformers` each have a function `build_alibi_tensor`. The next cell compares them with ours.
# Then the course's check-up lets a tiny BLOOM with random weights read one token, repeated. All $q_i \cdot k_j$ of a head
# are equal there, so $\ln(w_{ij} / w_{ii})$ is the bias alone. Which slopes will it show for 12 heads?

# %% tags=["nbval-ignore-output"]
from importlib.util import find_spec

if find_spec("transformers") is None:
    print("To run this comparison: pip install transformers")
else:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.falcon import modeling_falcon as falcon

    for tokens, n_heads in ((n, 8), (n, 12), (30, 1), (30, 20), (30, 112)):
        theirs = build_alibi_tensor(torch.ones(1, tokens), n_heads, torch.float32)
        assert np.allclose(theirs.numpy(), key_form(tokens, n_heads=n_heads))
        in_bfloat16 = falcon.build_alibi_tensor(torch.ones(1, tokens), n_heads, torch.float32)
        assert torch.allclose(in_bfloat16, theirs, rtol=2**-7)  # bfloat16 has 8 significant bits
    print("BLOOM agrees for 1, 8, 12, 20 and 112 heads, and Falcon up to the rounding of bfloat16.")

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is not None:
    from transformers import BloomConfig, BloomForCausalLM

    from course_lib.checkup import checkup

    tiny = BloomForCausalLM(BloomConfig(vocab_size=99, hidden_size=48, n_layer=1, n_head=12)).eval()
    curve = checkup(tiny).curves[0][:, :64]  # ln(w_ij / w_ii) of the 12 heads at the distances 0 to 63
    assert np.allclose(curve, -slopes(12)[:, None] * np.arange(64), atol=1e-4)
    print("curve at distance 10: ", curve[:, 10].round(2))
    print("−m · 10, authors' code:", -10 * by_authors.round(4))

# %% [markdown]
# Falcon rounds slopes and bias to bfloat16 whatever the dtype of the model. In both, $j$ does not count
# padding. StoryWriter's slopes are in its configuration (`alibi_bias_max: 16`), but `transformers` ignores that and
# stops at $2^{-8}$. FlashAttention-2 takes `alibi_slopes` as an argument of its kernels. Version 3 refuses
# them, and version 4 takes a function of score and indices instead.
#
# **Sources** O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input
# Length Extrapolation*, 2022, section 3 (the bias, the slopes), and their `fairseq/models/transformer.py`
# (`get_slopes`) · `models/bloom`, `models/mpt` and `models/falcon` in `transformers` 5.23 · `rebuild_alibi_tensor` in
# MosaicBERT's code, the pages and configurations of DNABERT-2-117M and jina-embeddings-v2-base-en on Hugging Face.
