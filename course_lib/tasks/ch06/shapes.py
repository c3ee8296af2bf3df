"""Four axes at once, and what tables and matrices weigh."""

import numpy as np

from ...reference.attention import scores
from ..engine import Answer, Case, Mistake, Task

AXES = ("batch", "head", "query", "key")


def _t5_scores(q, k, bias):
    """T5's scores of a batch: (batch, heads, n_q, n_k).

    q (batch, heads, n_q, d), k (batch, heads, n_k, d), bias (heads, n_q, n_k).
    """
    products = q @ k.swapaxes(-1, -2)
    return products + bias


def _t5_scores_given(q, k, bias):
    """T5's scores of a batch: (batch, heads, n_q, n_k).

    q (batch, heads, n_q, d), k (batch, heads, n_k, d), bias (heads, n_q, n_k).
    """
    products = q @ k.T
    return products + bias[:, None]


def _batch(rng, batch, heads, n_q, n_k, d):
    return (
        rng.normal(size=(batch, heads, n_q, d)),
        rng.normal(size=(batch, heads, n_k, d)),
        rng.normal(size=(heads, n_q, n_k)),
    )


def _by_text(q, k, bias):
    products = q @ k.swapaxes(-1, -2)
    for b in range(len(q)):
        for h in range(len(bias)):
            products[b, h] += bias[b]
    return products


t5_scores = Task(
    title="Bug hunt: four axes at once",
    minutes=8,
    difficulty=2,
    words="""Two bugs. The first is loud: with two axes `k.T` is the transpose, and with four it is something else. The second
is quiet: the last line makes something else of the axes of `bias`. With as many texts in the batch as there are heads it
runs and adds the wrong numbers. Mend both.

Shapes are matched from the right: (heads, n_q, n_k) beside (batch, heads, n_q, n_k).""",
    solution=_t5_scores,
    given=_t5_scores_given,
    expected=lambda q, k, bias: scores(q, k, scale=1.0) + bias,
    cases=[
        Case(*_batch(np.random.default_rng(0), 2, 3, 4, 4, 5), says="2 texts, 3 heads", axes=AXES),
        Case(*_batch(np.random.default_rng(1), 3, 3, 4, 4, 5), says="3 texts, 3 heads", axes=AXES),
        Case(*_batch(np.random.default_rng(2), 1, 2, 1, 6, 4), says="one text, a new token with 6 keys", axes=AXES),
        Case(*_batch(np.random.default_rng(3), 2, 1, 3, 3, 2), says="2 texts, one head", axes=AXES),
        Case(*_batch(np.random.default_rng(4), 4, 4, 4, 4, 4), says="all sizes 4", axes=AXES),
    ],
    draw=lambda rng: _batch(rng, *(int(x) for x in rng.integers([2, 2, 1, 1, 2], [5, 5, 6, 6, 7]))),
    mistakes=[
        Mistake(
            "k.swapaxes(-1, -2)",
            "k.T",
            "`k.T` turns all four axes round, (d, n_k, heads, batch). Swap the last two only.",
        ),
        Mistake(
            "k.swapaxes(-1, -2)",
            "k.transpose(-1, -2)",
            "NumPy's `transpose` wants to hear of all four axes, (0, 1, 3, 2). `swapaxes(-1, -2)` names the two to swap.",
        ),
        Mistake(
            "k.swapaxes(-1, -2)",
            "k",
            "(…, n_q, d) and (…, n_k, d) do not multiply: swap the last two axes of k.",
        ),
        Mistake(
            "products + bias",
            "products + bias[:, None]",
            "With `bias[:, None]` the heads stand where the batch should. (heads, n_q, n_k) aligns from the right by itself.",
        ),
        Mistake(
            "k.swapaxes(-1, -2)",
            "k.swapaxes(1, 2)",
            "You swap heads and tokens. Swap tokens and numbers, the last two axes.",
        ),
        Mistake(
            "products + bias",
            "products + bias[0]",
            "All heads get the bias of head 0: keep the head axis.",
        ),
        Mistake("products + bias", "products", "The bias is not added."),
        Mistake("products + bias", "products - bias", "You subtract the bias. Add it."),
        Mistake(
            "products + bias",
            "products + bias.swapaxes(-1, -2)",
            "The bias is transposed: its rows belong to the queries. Leave it as it is.",
        ),
        Mistake(
            "products + bias",
            "products / np.sqrt(q.shape[-1]) + bias",
            "You divide by √d. T5 does not scale: the bias is added to the bare q·k.",
        ),
        Mistake(
            "products + bias",
            "products + bias.mean(axis=0)",
            "All heads get the same, averaged bias. Head h gets bias[h].",
        ),
        Mistake(
            "q @ k.swapaxes(-1, -2)",
            "np.einsum('bhid,bhjd->bhij', q, k).swapaxes(0, 1)",
            "Batch and head have changed places in the result: (batch, heads, n_q, n_k) is wanted.",
        ),
        Mistake(
            "products + bias",
            "products + bias.T",
            "`.T` turns all axes of the bias round as well. It needs no turning: (heads, n_q, n_k) fits as it is.",
        ),
        *(
            Mistake(
                "products + bias",
                f"products + bias[{axes}]",
                f"No new axis is needed: with `bias[{axes}]` {where}. (heads, n_q, n_k) aligns from the right by itself.",
            )
            for axes, where in {
                ":, :, None": "the heads stand where the batch should, and the queries where the heads should",
                "None, :, None": "a fifth axis comes in, and the queries stand where the heads should",
                "..., None": "the keys stand behind an axis of 1, and everything before them one place too far left",
            }.items()
        ),
        Mistake(
            "q @ k.swapaxes(-1, -2)",
            "np.dot(q, k.swapaxes(-1, -2))",
            "`np.dot` pairs every text and head with every other. `@` goes text by text and head by head.",
        ),
        Mistake(
            "k.swapaxes(-1, -2)",
            "k.transpose(1, 0, 3, 2)",
            "The last two axes are right, but batch and heads are swapped as well. Leave the first two alone.",
        ),
        Mistake(
            "k.swapaxes(-1, -2)",
            "k.reshape(*k.shape[:2], k.shape[3], k.shape[2])",
            "`reshape` fills the new shape in the old order; it does not transpose. Swap the last two axes.",
        ),
        Mistake("q @ k.swapaxes(-1, -2)", "q * k", "`*` multiplies entry by entry. A score is a sum over d: use `@`."),
        Mistake(
            "q @ k.swapaxes(-1, -2)",
            "k @ q.swapaxes(-1, -2)",
            "Queries and keys have changed places: the rows of the result belong to the queries.",
        ),
        Mistake(
            _by_text,
            "The bias is chosen by the text. It has no batch axis: every text gets the same, and head h gets bias[h].",
        ),
        Mistake("q @", "k @", "Your keys meet the keys: each query with every key."),
    ],
    alternatives=[
        lambda q, k, bias: np.einsum("bhid,bhjd->bhij", q, k) + bias[None],
        lambda q, k, bias: q @ np.transpose(k, (0, 1, 3, 2)) + bias,
        lambda q, k, bias: q @ k.mT + bias,
    ],
    hints=[
        "`np.zeros((2, 3, 4, 5)).T.shape` shows what `.T` does to four axes.",
        "`k.swapaxes(-1, -2)`, or `k.mT`, swaps the last two and leaves batch and heads alone.",
        "`bias[:, None]` is (heads, 1, n_q, n_k). Beside (batch, heads, n_q, n_k), where do the heads stand? Where should they?",
    ],
)


_TABLE, _OFFSETS = "parameters of the table", "parameters, one per offset"
_FROM_TABLE, _FROM_OFFSETS = "GiB as a matrix, from the table", "GiB as a matrix, from one per offset"


def _memory():
    heads, n, num_buckets = 32, 4096, 32
    gib = heads * n * n * 4 / 2**30
    return {_TABLE: num_buckets * heads, _OFFSETS: heads * (2 * n - 1), _FROM_TABLE: gib, _FROM_OFFSETS: gib}


memory = Answer(
    "memory",
    title="What it weighs",
    minutes=6,
    difficulty=1,
    words="""An encoder layer has 32 heads and reads $N = 4096$ tokens. How many parameters has T5's table of 32 buckets? How many a
table with one number per offset, in both directions? And how many GiB (2³⁰ bytes) does the bias take when it is laid
out as a matrix of 32-bit floats for every head, made from the one table and made from the other?""",
    expected=_memory,
    digits=2,
    mistakes=[
        *(
            Mistake({_TABLE: x}, says)
            for x, says in {
                32: "That is one head. Each head has a column of its own.",
                64: "Buckets and heads are multiplied. Each head has a number for each bucket.",
                31 * 32: "31 rows are trained, but the table has 32.",
                2
                * 32
                * 32: "These are two tables, be it one for each direction or an encoder's and a decoder's. One table of 32 rows serves "
                "both directions, with a column per head.",
                4 * 32 * 32: "These are bytes. A parameter is one number.",
                32 * 4096: "It does not grow with the text. There is a row for each bucket, not for each token.",
                32 * 4096**2: "That is the matrix. The table has a row for each bucket.",
            }.items()
        ),
        *(
            Mistake({_OFFSETS: x}, says)
            for x, says in {
                2 * 4096 - 1: "That is one head. Each head has its own.",
                4096: "That is one direction of one head.",
                32 * 4096: "That is one direction. An encoder looks both ways, from −(N − 1) to N − 1.",
                32
                * 4095: "That is one direction without offset 0. An encoder looks both ways, from −(N − 1) to N − 1.",
                32
                * 2
                * 4096: "32 too many, offset 0 is counted twice. From −(N − 1) to N − 1 there are 2N − 1 offsets.",
                32 * (2 * 4096 + 1): "Too many: the farthest offset is N − 1, not N. Count from −(N − 1) to N − 1.",
                32 * (2 * 4096 - 2): "Offset 0 has a number as well.",
                32 * 4096**2: "That is one number per *pair*. All pairs at the same offset share theirs.",
                4096**2: "That is one number per *pair*. All pairs at the same offset share theirs.",
            }.items()
        ),
        *(
            Mistake({_FROM_TABLE: x}, says)
            for x, says in {
                32 * 4096**2 / 2**30: "You counted numbers. A 32-bit float takes 4 bytes.",
                4096**2 * 4 / 2**30: "That is one head. There are 32.",
                round(
                    32 * 32 * 4 / 2**30, 2
                ): "That is the table itself. The matrix has a number for every head, query and key, whatever it is made of.",
                32 * 4096**2 * 4 / 1e9: "These are gigabytes of 10⁹ bytes. A GiB has 2³⁰.",
                2.0**31: "These are bytes. A GiB has 2³⁰ of them.",
                2048.0: "These are MiB. A GiB has 1024 of them.",
                16.0: "These are bits. A byte has 8.",
            }.items()
        ),
        *(
            Mistake({_FROM_OFFSETS: x}, says)
            for x, says in {
                4.0: "It has one number per query and key. Two directions are in it already, above and below the diagonal.",
                round(
                    32 * 8191 * 4 / 2**30, 2
                ): "That is the table itself. Laid out as a matrix there is a number for every head, query and key.",
                32 * 4096**2 / 2**30: "A 32-bit float takes 4 bytes.",
                4096**2 * 4 / 2**30: "That is one head. There are 32.",
                32 * 4096**2 * 4 / 1e9: "Gigabytes have 10⁹ bytes, a GiB 2³⁰.",
            }.items()
        ),
    ],
    hints=[
        "The table has a row for each bucket and a column for each head.",
        "Offsets run from −(N − 1) to N − 1.",
        "heads · N · N numbers of 4 bytes. Does it matter where the numbers come from?",
    ],
)
