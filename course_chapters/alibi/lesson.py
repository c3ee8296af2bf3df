# %% [markdown]
# # [[title]]
#
# *Train short, test long*: ALiBi was made for texts longer than those of training. It subtracts from each score a
# penalty that grows with the distance, and it has nothing to learn. But three details are easy to get wrong without any
# error message: the slopes of 12 heads, a short form that is right only under a causal mask, and the rounding of
# bfloat16.
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
# ALiBi (attention with linear biases) adds a number per offset to each score, as T5 does ([[t5_buckets|chapter #]]).
# It was designed for decoders, where a query sees only its own token and earlier ones. A key that is $i - j$ tokens
# back loses $m \, (i - j)$ in its score. The **slope** $m$ is fixed (Press et al. 2022, section 3):
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
# Now all queries, with two loops, and then as one row of numbers on the diagonals. They should agree wherever the mask
# lets a query look. Then move $m$ to 0 and 2.

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
# At 0 the bias is gone. At 2 each token gives itself most of its weight.
#
# The bias is added after the division by $\sqrt{d_k}$, so it is not divided (footnote 10 of the paper).
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
# numbers, but in a text of 512 the flattest needs only 386.
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
# Even in the flattest head, a key 10,000 tokens back needs a score 39 higher. So the far tokens may get almost no
# weight, and a loss that stays level in a long text does not show that they are used. The authors found that their
# model might not use more context than it was trained with (appendix B). [[longer_than_training|Chapter #]]
# measures loss and use.
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
# heads to see when they agree. BLOOM and MosaicBERT were trained with the authors' rule. How much does the wrong slope
# change? We take heads 1 and 9 of 12, and a query with 20 keys and equal scores.

# %%
for h in (0, 8):
    for name, slope in (("authors' code", by_authors[h]), ("formula", by_formula[h])):
        w = softmax(-slope * np.arange(20))
        shares = f"itself {w[0]:5.1%}, one back {w[1]:5.1%}, ten back {w[10]:.2%}"
        print(f"head {h + 1}, {name:13}  slope {slope:.4f}: {shares}")

# %% [markdown]
# Head 1 becomes a little steeper. But with the formula, head 9 no longer concentrates on the nearest tokens: the token
# itself gets only a little more than the one ten back.
#
# ## What the softmax removes
#
# BLOOM's code, like the authors' own, contains no $i - j$. It adds $m \, j$, which depends on the key's position alone.
# We call this the **key form** and $-m \, (i - j)$ the **matrix form**. Why is the key form right? We split the bias
# into two parts:
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
# Row $i$ on the right is row $i$ on the left plus $i/2$, and the weights are equal. The key form saves memory, because
# one row per head is enough for all queries. MPT's code adds $m \, (j - (n - 1))$, which differs from $m\,j$ only by a
# constant.
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
# MPT's bias $m\,(j - 511)$ counts from the end of the text. For the last query it gives the right weights to two
# digits, because near keys have small biases, and bfloat16 rounds small numbers finely. For a query in the middle, even
# the nearest keys have large biases, which are rounded coarsely. Only the matrix form is right for both. The flattest
# head hardly suffers: in 512 tokens its biases stay below 2, so rounding changes each by at most 1/256.
#
# $m\,j$ is the sum of the paper's bias and $m\,i$. The softmax still removes $m\,i$, but not the error from rounding
# the sum. A remedy is to add the bias in float32, as MPT does in `transformers`. BLOOM rounds twice to the model's
# dtype: first $m\,j$, then the score plus $m\,j$.
#
# ## Without a mask
#
# An encoder has no causal mask. What happens if it uses BLOOM's key form?

# %% tags=["hide-input"]
# @title Question
most = softmax(0.5 * np.arange(n)).argmax()
figures.question(
    "No mask, the bias m · j on every score, and all scores equal without it. To which token does the first token "
    "give most weight?",
    options={
        "To itself": "That would need −m·|i − j|. m·j does not depend on the position of the query.",
        "To all the same": "The bias is not constant along a row, because it grows with j.",
        "To the last token": "Yes, and so does every other token.",
        "To the second token": "m·j goes on growing after the second token and is largest at the end.",
    },
    answer={0: "To itself", 1: "To the second token", n - 1: "To the last token"}[most],
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
# causal mask this equals the paper's form. But unlike T5's bias, it cannot tell *before* from *after*.
#
# ## Who uses it today?
#
# | model | bias in the code | what is special |
# |---|---|---|
# | BLOOM | $m\,j$ | the largest has 112 heads |
# | MPT | $m\,(j - (n-1))$ | MPT-7B-StoryWriter was trained with slopes down to $2^{-16}$ |
# | Falcon-RW | $m\,j$ | the bias is divided by $\sqrt{d_k}$ as well, so each slope is $\sqrt{d_k}$ times smaller |
# | MosaicBERT, DNABERT-2, jina-embeddings-v2 | $-m\,\lvert i - j\rvert$ | encoders, 12 heads in the base size |
#
# In `transformers` 5.23, only the first three have ALiBi.
#
# ## Easy to believe; let us run it

# %%
from course_chapters import questions

questions.claims("alibi")

# %% [markdown]
# ## Remember
#
# - ALiBi adds $-m_h \, (i - j)$ after the scaling, with one fixed slope per head, $m_h = 2^{-8h/H}$. If $H$ is not a
#   power of two, the authors' code takes the slopes of the next lower power of two, and then the first, third, fifth …
#   of the next higher one.
# - The softmax removes what is constant along a row. So $m\,j$ is enough *under a causal mask*. Without a mask it
#   favours the end of the text, so an encoder needs another form, such as $-m\,|i - j|$.
# - In bfloat16, a large constant costs digits. Compute the bias from the distance, or keep bias and scores in float32
#   until the softmax.
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
# Do other texts show the same? Committed runs repeat the experiment on four: two help texts of Python (`pydoc`), a
# licence and a lesson of this course. They show how much the loss of the second half of a text rises, ± its standard
# error over the tokens.

# %%
from course_study.released import rows as committed

for condition in ("ALiBi's slopes", "slope 1/2 in all heads"):
    for kind in (condition, f"{condition}, 0 for token 0"):
        runs = committed("ALiBi", condition=kind)
        print(f"{kind:38}", *[f"{row['text']} {row['difference']:.1f} ± {row['error']:.1f}" for row in runs], sep="  ")

# %% [markdown]
# The four texts agree. ALiBi's slopes do more harm than the slope $\frac12$ in every head. If token 0 is spared, they
# do less harm than that slope, and most of their damage is gone.
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
# ALiBi's slopes change the output more than zeroing the table does. But they give the token itself the largest bias,
# 0, while in every head MPNet's table gives it far less than at least one neighbour. If the slopes keep MPNet's $b(0)$,
# the outputs of tokens change about as much as with the table zeroed, and those of sentences change less. ALiBi has two
# more handicaps here: its slopes are not fitted to the heads, and it cannot tell *before* from *after*. So its rows do
# not compare a line with a logarithm. The rows *line per side* and *log per side* do.
#
# The cosine measures change, not harm. And a model that is *trained* with a line may use it well. We only see that
# logarithms are nearer than lines to what this one model learned. Do T5's buckets favour a logarithm, because far
# distances share a number? We read a line through the buckets: each gets the mean of the line in it.

# %%
from course_lib.reference.t5 import bucket

of = bucket(distance)
stepped = np.array([-distance[of == b].mean() for b in of])
for name, shape in {"line": distance, "logarithm": np.log1p(distance)}.items():
    fit = np.polyval(np.polyfit(shape, stepped, 1), shape)
    away = np.sqrt(np.mean((stepped - fit) ** 2))
    print(f"the line in buckets, root mean square distance to the nearest {name}: {away:.1f}")

# %% [markdown]
# A line in buckets is still nearer to a line than to a logarithm, so the buckets do not decide this.
#
# ## Deeper · The released code
#
# BLOOM and Falcon in `transformers` each have a function `build_alibi_tensor`. Do they give the biases of our
# `key_form`?

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

# %% [markdown]
# Falcon rounds slopes and bias to bfloat16 whatever the dtype of the model. In both functions, $j$ does not count
# padding.
#
# Can we read the slopes off a running model? The course's check-up lets it read one token, repeated. Then all
# $q_i \cdot k_j$ of a head are equal, so $\ln(w_{ij} / w_{ii})$ is the bias alone. We try a tiny BLOOM with 12 heads
# and random weights. Which rule do its slopes follow?

# %% tags=["nbval-ignore-output"]
if find_spec("transformers") is not None:
    from transformers import BloomConfig, BloomForCausalLM

    from course_lib.checkup import checkup

    tiny = BloomForCausalLM(BloomConfig(vocab_size=99, hidden_size=48, n_layer=1, n_head=12)).eval()
    curve = checkup(tiny).curves[0][:, :64]  # ln(w_ij / w_ii) of the 12 heads at the distances 0 to 63
    assert np.allclose(curve, -slopes(12)[:, None] * np.arange(64), atol=1e-4)
    print("head   ln(w_ij / w_ii) at distance 10   −10 m, authors' code   −10 m, formula")
    for h in (0, 7, 8, 11):
        print(f"{h + 1:4} {curve[h, 10]:25.2f} {-10 * by_authors[h]:22.2f} {-10 * by_formula[h]:18.2f}")

# %% [markdown]
# They follow the authors' rule. StoryWriter's slopes are in its configuration (`alibi_bias_max: 16`), but
# `transformers` ignores that and stops at $2^{-8}$. FlashAttention-2 takes the slopes as an argument, `alibi_slopes`.
# Version 3 has no such argument, and version 4 takes a function of score and indices instead.
#
# **Sources** O. Press, N. A. Smith, M. Lewis, *Train Short, Test Long: Attention with Linear Biases Enables Input
# Length Extrapolation*, 2022, section 3 (the bias, the slopes), and their `fairseq/models/transformer.py`
# (`get_slopes`) · `models/bloom`, `models/mpt` and `models/falcon` in `transformers` 5.23 · `rebuild_alibi_tensor` in
# MosaicBERT's code, the pages and configurations of DNABERT-2-117M and jina-embeddings-v2-base-en on Hugging Face.
