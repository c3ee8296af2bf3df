"""One table for a whole stack: the bias that was kept too long, and the one that was never added."""

import numpy as np

from ...reference.grid import offsets
from ...reference.t5 import bucket, t5_bias
from ..engine import Case, Mistake, Task
from .common import CONTENT, KEY, QUERY
from .common import table as made


def _biases_while_learning(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            kept[n] = bucket(offsets(n), num_buckets=len(table))
        biases.append(np.moveaxis(table[kept[n]], -1, 0))
    return biases


def _biases_while_learning_given(tables, n):
    """The encoder's bias for n tokens after each training step.

    tables holds the table (num_buckets, heads) of each step. Returns one bias per
    step: (steps, heads, n, n).
    """
    kept = {}
    biases = []
    for table in tables:
        if n not in kept:
            rows = bucket(offsets(n), num_buckets=len(table))
            kept[n] = np.moveaxis(table[rows], -1, 0)
        biases.append(kept[n])
    return biases


def _kept_by(one_number):
    """A cache whose key is one number of the table."""

    def wrong(tables, n):
        kept: dict[float, np.ndarray] = {}
        return [kept.setdefault(float(one_number(table)), t5_bias(n, table=table)) for table in tables]

    return wrong


def _one_step_late(tables, n):
    biases = [t5_bias(n, table=table) for table in tables]
    return np.stack([biases[0], *biases[:-1]])


def _always_the_last(tables, n):
    return np.stack([t5_bias(n, table=tables[-1]) for _ in tables])


class InTraining(np.ndarray):
    """Tables of the steps of a training run. A loop gets one array, whose numbers change, as an optimizer's do."""

    def __iter__(self):
        table = np.empty(self.shape[1:])
        for step in np.asarray(self):
            table[...] = step
            yield table


def _steps(seed, steps, heads, num_buckets=32):
    """Tables of a training run."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(steps, num_buckets, heads)).round(2).view(InTraining)


def _same_first_entry(seed):
    tables = _steps(seed, 3, 2)
    tables[:, 0] = tables[0, 0]  # bucket 0 has not moved: a cache must not judge by one number
    return tables


def _same_sum(seed):
    """Each step holds the numbers of the first in another order; quarters, so that a sum has no rounding."""
    tables = np.repeat(np.round(4 * _steps(seed, 1, 2)) / 4, 3, axis=0)
    tables[1], tables[2] = tables[0, ::-1], np.roll(tables[0], 5, axis=0)
    return tables


biases_while_learning = Task(
    title="Bug hunt: yesterday's bias",
    minutes=8,
    difficulty=2,
    words="""To save time this layer keeps its bias for each length. While it is tested with one table, everything is right.
In training the optimizer changes the table after every step, and the layer goes on adding the bias of the first. Mend
it. Something here depends on the length alone: you may keep that, or keep nothing.

With the tables of two steps, the second bias must be made of the second table. As with a real optimizer, the loop meets
*one* array at every step, with new numbers in it: by its identity, `id(table)`, nobody can tell that it has changed.""",
    solution=_biases_while_learning,
    given=_biases_while_learning_given,
    expected=lambda tables, n: np.stack([t5_bias(n, table=table) for table in tables]),
    cases=[
        Case(_steps(0, 2, 1), 5, says="two steps, the five tokens", axes=("step", "head", QUERY, KEY)),
        Case(_steps(1, 3, 2), 5, says="three steps, two heads", axes=("step", "head", QUERY, KEY)),
        Case(_steps(2, 1, 2), 5, says="one step", axes=("step", "head", QUERY, KEY)),
        Case(_steps(3, 2, 3), 1, says="one token alone", axes=("step", "head", "query", "key")),
        Case(
            _same_first_entry(4), 6, says="steps that change some buckets only", axes=("step", "head", "query", "key")
        ),
        Case(_same_sum(6), 6, says="steps that only exchange numbers", axes=("step", "head", "query", "key")),
        Case(_steps(5, 2, 1), 30, says="30 tokens", axes=("step", "head", "query", "key")),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(2, 5)), (8, 32)[rng.integers(2)], int(rng.integers(1, 4)))).view(InTraining),
        int(rng.integers(2, 9)),
    ),
    mistakes=[
        Mistake(
            "table[kept[n]]",
            "tables[0][kept[n]]",
            "Every step still gets the bias of the first table. The array stays the same, and so does its `id`; its numbers do not. What may be kept is the bucket of each offset.",
        ),
        Mistake(
            _always_the_last,
            "Every step gets the bias of the last table. Each has its own: look it up inside the loop, before the array changes again.",
        ),
        Mistake(_one_step_late, "The bias is one step late: step 1 gets the table of step 0, and so on."),
        Mistake(
            _kept_by(lambda table: table[0, 0]),
            "Still kept too long: a table may change without its first entry changing. Do not keep a bias at all.",
        ),
        Mistake(
            _kept_by(np.sum),
            "Still kept too long: the numbers of a table may change and their sum may not. Do not keep a bias at all.",
        ),
        Mistake(
            "bucket(offsets(n),",
            "bucket(-offsets(n),",
            "Query and key have changed places: each bias is the transpose of what it should be.",
        ),
        Mistake(
            "np.moveaxis(table[kept[n]], -1, 0)",
            "table[kept[n]]",
            "`table[rows]` is (query, key, head). Wanted is (head, query, key): move the last axis to the front.",
        ),
        Mistake(
            "np.moveaxis(table[kept[n]], -1, 0)",
            "np.moveaxis(table[kept[n]], -1, 1)",
            "The heads have landed between query and key. They come first: (head, query, key).",
        ),
        Mistake(
            "num_buckets=len(table)",
            "num_buckets=len(table), bidirectional=False",
            "These are a decoder's buckets: an encoder looks both ways.",
        ),
        Mistake(
            "offsets(n)",
            "n",
            "`bucket(n, …)` is the bucket of one offset. A bias needs the bucket of every pair: `offsets(n)`.",
        ),
        Mistake(
            "biases.append(np.moveaxis(table[kept[n]], -1, 0))",
            "np.moveaxis(table[kept[n]], -1, 0)",
            "Nothing is appended: the list stays empty.",
        ),
        Mistake(
            "return biases", "return biases[-1]", "Only the last bias is returned. One per step is wanted: the list."
        ),
        Mistake(
            "return biases", "return biases[0]", "Only the first bias is returned. One per step is wanted: the list."
        ),
        Mistake(
            "bucket(offsets(n),",
            "bucket(abs(offsets(n)),",
            "Left and right are the same: the sign of the offset is lost before `bucket` sees it.",
        ),
        Mistake(
            "num_buckets=len(table)",
            "num_buckets=32",
            "Right for tables of 32 rows only. How many buckets there are, the table says: `len(table)`.",
        ),
        Mistake(
            "np.moveaxis(table[kept[n]], -1, 0)",
            "np.moveaxis(sum(tables)[kept[n]] / len(tables), -1, 0)",
            "Every step gets the mean of all tables. Each has its own: `table` is the one of this step.",
        ),
        Mistake(
            "np.moveaxis(table[kept[n]], -1, 0)",
            "np.moveaxis((table - tables[0])[kept[n]], -1, 0)",
            "This is how far each table has moved since the first step. The bias is made of the table itself.",
        ),
    ],
    alternatives=[
        lambda tables, n: [t5_bias(n, table=table) for table in tables],
        lambda tables, n: np.stack([t5_bias(n, table=tables[step]) for step in range(len(tables))]),
        lambda tables, n: np.moveaxis(
            tables[:, bucket(np.arange(n) - np.arange(n)[:, None], num_buckets=tables.shape[1])], -1, 1
        ),
    ],
    hints=[
        "What is in `kept[n]` when the second table comes?",
        "A bias is made of two things: which row each pair reads, and what the rows hold. Which of them learns?",
        "Keep `rows`, and look up `table[rows]` for every table.",
    ],
)


def _stack_scores(content, table):
    """Scores of every layer of an encoder with one shared table.

    content (layers, heads, n, n) holds each layer's q·k. table (num_buckets, heads)
    belongs to the first layer, which hands its bias on. Returns (layers, heads, n, n).
    """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        result.append(scores + bias)
    return result


def _stack_scores_given(content, table):
    """Scores of every layer of an encoder with one shared table.

    content (layers, heads, n, n) holds each layer's q·k. table (num_buckets, heads)
    belongs to the first layer, which hands its bias on. Returns (layers, heads, n, n).
    """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
            scores = scores + bias
        result.append(scores)
    return result


def _added_up(content, table):
    bias = t5_bias(content.shape[-1], table=table)
    return np.stack([scores + (number + 1) * bias for number, scores in enumerate(content)])


def _twice_in_the_first(content, table):
    bias = t5_bias(content.shape[-1], table=table)
    return np.stack([scores + (2 if number == 0 else 1) * bias for number, scores in enumerate(content)])


def _all_but_the_first(content, table):
    bias = t5_bias(content.shape[-1], table=table)
    return np.stack([scores + (0 if number == 0 else 1) * bias for number, scores in enumerate(content)])


def _doubled(content, table):
    bias = t5_bias(content.shape[-1], table=table)
    return np.stack([scores + 2**number * bias for number, scores in enumerate(content)])


def _twice_everywhere(content, table):
    return content + 2 * t5_bias(content.shape[-1], table=table)


def _the_last_alone(content, table):
    return np.stack([*content[:-1], content[-1] + t5_bias(content.shape[-1], table=table)])


def _scores_added_up(content, table):
    return np.cumsum(content, axis=0) + t5_bias(content.shape[-1], table=table)


def _dedented(content, table):
    """The shortest repair: one line of the given code moved out of the `if`."""
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        scores = scores + bias
        result.append(scores)
    return result


def _first_scores_for_all(content, table):
    return np.stack([content[0] + t5_bias(content.shape[-1], table=table) for _ in content])


stack_scores = Task(
    title="Bug hunt: the bias that is handed on and never added",
    minutes=8,
    difficulty=2,
    words="""T5's layers share one table: the first layer owns it, makes the bias and hands it on. In this code the hand-over
works, and yet a stack of twelve layers has position in one of them. No shape is wrong and no test of a single layer
fails. Find the bug and mend it: the scores of *every* layer are its q·k plus the shared bias.""",
    solution=_stack_scores,
    given=_stack_scores_given,
    expected=lambda content, table: np.asarray(content) + t5_bias(np.shape(content)[-1], table=table),
    cases=[
        Case(np.stack([CONTENT[None]] * 3), made(0, 1), says="three layers", axes=("layer", "head", QUERY, KEY)),
        Case(
            np.arange(4)[:, None, None, None] * np.stack([CONTENT, -CONTENT]),
            made(1, 2),
            says="four layers, two heads",
            axes=("layer", "head", QUERY, KEY),
        ),
        Case(CONTENT[None, None], made(2, 1), says="one layer", axes=("layer", "head", QUERY, KEY)),
        Case(np.zeros((2, 1, 1, 1)), made(3, 1), says="one token alone", axes=("layer", "head", "query", "key")),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(2, 5)), heads := int(rng.integers(1, 4)), n := int(rng.integers(2, 7)), n)),
        rng.normal(size=((8, 32)[rng.integers(2)], heads)),
    ),
    mistakes=[
        Mistake(
            "scores + bias",
            "(scores + bias if number == 0 else scores)",
            "Only the first layer adds the bias: the others are handed it and leave it. Which line belongs outside the `if`?",
        ),
        Mistake(
            _added_up,
            "The bias adds up from layer to layer: layer 1 has it twice, layer 2 three times. Each adds it once, to its own scores.",
        ),
        Mistake(_twice_in_the_first, "The first layer adds the bias twice, once inside the `if` and once behind it."),
        Mistake(_all_but_the_first, "Now the first layer goes without, and only the later ones have the bias."),
        Mistake(
            _doubled,
            "The bias doubles from layer to layer. Each adds the one bias once, to its own scores.",
        ),
        Mistake(
            _twice_everywhere,
            "Every layer adds the bias twice. Once is enough.",
        ),
        Mistake(
            _the_last_alone,
            "Only the last layer has the bias: is the line that adds it behind the loop?",
        ),
        Mistake(
            _scores_added_up,
            "The scores add up from layer to layer. Each layer has its own q·k; only the bias is shared.",
        ),
        Mistake(
            "scores + bias",
            "scores / np.sqrt(scores.shape[-1]) + bias",
            "You divide by a root. T5 does not scale: add the bias to the bare q·k.",
        ),
        Mistake(
            "content.shape[-1]",
            "content.shape[0]",
            "The bias is made for `content.shape[0]` tokens, which is the number of layers. The tokens are the last axis, as before.",
        ),
        Mistake(
            "content.shape[-1]",
            "content.shape[1]",
            "The bias is made for `content.shape[1]` tokens, which is the number of heads. The tokens are the last axis, as before.",
        ),
        Mistake(_first_scores_for_all, "Every layer gets the scores of the first. Each has its own q·k."),
        Mistake("scores + bias", "scores", "Now no layer adds the bias. All of them should."),
        Mistake(
            "scores + bias",
            "bias + 0 * scores",
            "These are the biases alone: each layer adds them to its scores.",
        ),
        Mistake("scores + bias", "scores * bias", "The bias is multiplied with the scores. It is added to them."),
        Mistake("scores + bias", "scores - bias", "You subtract the bias. Its sign is inside it already: add it."),
        Mistake(
            "scores + bias",
            "scores / 2 + bias",
            "The scores are divided. T5 does not scale: the bias is added to the bare q·k.",
        ),
        Mistake(
            "scores + bias",
            "scores + bias.mean(axis=0)",
            "All heads get the same, averaged bias. Head h has column h of the table.",
        ),
        Mistake(
            "scores + bias",
            "scores + bias[:1]",
            "All heads get the bias of head 0. Head h has column h of the table.",
        ),
        Mistake(
            "scores + bias",
            "scores + bias.swapaxes(-1, -2)",
            "The bias is transposed: left has become right. Leave it as the first layer made it.",
        ),
        Mistake(
            "table=table)",
            "table=table, bidirectional=False)",
            "These are a decoder's buckets. An encoder looks both ways: leave `t5_bias` as it was.",
        ),
        Mistake(
            "return result", "return result[-1]", "Only the last layer is returned. All of them are wanted: the list."
        ),
        Mistake(
            "        result.append(scores + bias)\n    return result",
            "    result.append(scores + bias)\n    return result",
            "Only the last layer is in the result: the `append` has left the loop along with the sum.",
        ),
        Mistake(
            "        result.append(scores + bias)\n    return result",
            "        result.append(scores + bias)\n        return result",
            "Only the first layer is in the result: is the `return` inside the loop?",
        ),
    ],
    alternatives=[
        _dedented,
        lambda content, table: content + t5_bias(content.shape[-1], table=table),
        lambda content, table: [scores + t5_bias(scores.shape[-1], table=table) for scores in content],
    ],
    hints=[
        "Follow the second layer through the loop, line by line. What is added to its scores?",
        "`bias` is still there when the second layer comes. Nobody adds it.",
        "Owning the table and adding the bias are two questions. Only the first of them needs the `if`.",
    ],
)
