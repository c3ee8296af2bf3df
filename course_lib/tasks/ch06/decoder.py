"""A decoder: blinded by one sign, and what the encoder's buckets would do in it."""

import math

import numpy as np

from ...reference.attention import attention, causal_mask, softmax
from ...reference.t5 import bucket, t5_bias
from ..engine import Answer, Axis, Case, Mistake, Property, Task
from .common import CONTENT, KEY, QUERY, table


def _decoder_weights(content, table, past):
    """Weights of a causal T5 decoder: (heads, n_q, n_k).

    content (heads, n_q, n_k) holds q·k, table (num_buckets, heads) the biases.
    Query number 0 stands at position past, key number 0 at position 0.
    """
    i = past + np.arange(content.shape[1])[:, None]
    j = np.arange(content.shape[2])
    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))
    bias = np.moveaxis(table[rows], -1, 0)
    return softmax(np.where(j <= i, content + bias, -np.inf))


def _decoder_weights_given(content, table, past):
    """Weights of a causal T5 decoder: (heads, n_q, n_k).

    content (heads, n_q, n_k) holds q·k, table (num_buckets, heads) the biases.
    Query number 0 stands at position past, key number 0 at position 0.
    """
    i = past + np.arange(content.shape[1])[:, None]
    j = np.arange(content.shape[2])
    rows = bucket(i - j, bidirectional=False, num_buckets=len(table))
    bias = np.moveaxis(table[rows], -1, 0)
    return softmax(np.where(j <= i, content + bias, -np.inf))


def _expected(content, table, past):
    """Through the row of biases per offset and `to_grid`, with a mask made elsewhere."""
    n_q, n_k = np.shape(content)[1:]
    bias = t5_bias(n_q, n_k, table=table, bidirectional=False, past=past)
    return softmax(np.where(causal_mask(n_q, n_k, past), content + bias, -np.inf))


def _through_the_distance(content, table, past):
    """Right as well: a key at distance d in the past has offset −d, and what the mask hides may have any bias."""
    i = past + np.arange(content.shape[1])[:, None]
    j = np.arange(content.shape[2])
    bias = np.moveaxis(table[bucket(-abs(i - j), bidirectional=False, num_buckets=len(table))], -1, 0)
    return softmax(np.where(j <= i, content + bias, -np.inf))


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


def _future_is_hidden(result, content, table, past):
    n_q, n_k = np.shape(content)[1:]
    hidden = ~causal_mask(n_q, n_k, past)
    return np.allclose(np.asarray(result)[:, hidden], 0)


decoder_weights = Task(
    title="Bug hunt: the decoder that cannot tell word order",
    minutes=10,
    difficulty=2,
    words="""This decoder trains without an error and never learns where a word stands: whatever is in the table, the
weights come out as if there were none. It is the bug of chapter 00, in the code of a layer. Find it and mend it.

Look at `rows` for a whole sentence (`past=0`): what does it hold at the keys a query may see? One edit is enough.""",
    solution=_decoder_weights,
    given=_decoder_weights_given,
    expected=_expected,
    cases=[
        Case(CONTENT[None], table(0, 1), 0, says="the five tokens", axes=("head", QUERY, KEY)),
        Case(np.stack([CONTENT, CONTENT]), table(1, 2), 0, says="two heads", axes=("head", QUERY, KEY)),
        Case(
            CONTENT[None, 3:],
            table(2, 1),
            3,
            says='the last two tokens, "on" and "mat", after three',
            axes=("head", Axis("query", ("on", "mat")), KEY),
        ),
        Case(np.zeros((1, 1, 1)), table(3, 1), 0, says="one token alone"),
        Case(np.zeros((1, 12, 12)), table(5, 1, 8), 0, says="a table of 8 buckets", axes=("head", "query", "key")),
        Case(np.zeros((2, 40, 40)), table(4, 2), 0, says="40 tokens with equal content", axes=("head", "query", "key")),
    ],
    draw=lambda rng: (
        rng.normal(
            size=(heads := int(rng.integers(1, 4)), n := int(rng.integers(2, 7)), n + (past := int(rng.integers(4))))
        ),
        rng.normal(size=(32, heads)),
        past,
    ),
    properties=[
        Property(
            "weights of a query sum to 1", _rows_sum_to_one, "The weights of one query must sum to 1 over the keys."
        ),
        Property(
            "hidden keys get nothing",
            _future_is_hidden,
            "Some key after its query gets weight. Leave the mask as it was: it lets j ≤ i through.",
        ),
    ],
    mistakes=[
        Mistake(
            "j - i, bidirectional",
            "i - j, bidirectional",
            "These are the weights without any bias: all visible keys are still in one bucket. Print `rows` and look at the lower triangle.",
        ),
        Mistake(
            "bidirectional=False, ",
            "",
            "Now the offsets are right, but the buckets are an encoder's. A decoder gives all of them to the past.",
        ),
        Mistake(
            "j - i, bidirectional=False",
            "i - j, bidirectional=True",
            "Position is back, but these are an encoder's upper buckets, meant for keys *after* the query. Keep `bidirectional=False`; the offset is what is wrong.",
        ),
        Mistake(
            "bucket(j - i, bidirectional=False, num_buckets=len(table))",
            "np.clip(i - j, 0, len(table) - 1)",
            "You use the distance itself as the row. Far distances share rows: let `bucket` find them.",
        ),
        Mistake(
            "bucket(j - i, bidirectional=False, num_buckets=len(table))",
            "np.maximum(i - j, 0)",
            "You use the distance itself as the row, and run past the end of the table. Far distances share rows: let `bucket` find them.",
        ),
        Mistake(
            ", num_buckets=len(table)",
            "",
            "Right for tables of 32 rows only. How many buckets there are, the table says: `num_buckets=len(table)`, as it was.",
        ),
        Mistake(
            "j <= i",
            "j >= i",
            "You turned the mask round: now each query sees only the future. The mask was right; look at what `bucket` is given.",
        ),
        Mistake(
            "j <= i", "j < i", "The diagonal is hidden now. A token may look at itself; the mask was right as it was."
        ),
        Mistake(
            "np.where(j <= i, content + bias, -np.inf)",
            "content + bias",
            "The mask is gone. It has nothing to do with the bug: hide the keys with j > i again.",
        ),
        Mistake(
            "i = past + np.arange",
            "i = np.arange",
            "Right for a whole sentence, wrong with a cache: the first query stands at position `past`.",
        ),
        Mistake(
            "past + np.arange(content.shape[1])[:, None]",
            "past + np.arange(content.shape[1])[:, None] + 1",
            "Every query stands one position too far: the token itself must be at offset 0.",
        ),
        Mistake(
            "content + bias",
            "content - bias",
            "You subtract the bias. It is the sign inside `bucket( … )` that is wrong, not this one.",
        ),
        Mistake(
            "content + bias",
            "content / 2 + bias",
            "The content is scaled. T5 adds the bias to the bare q·k, and `content` was right as it was.",
        ),
        Mistake(
            "content + bias",
            "content / np.sqrt(content.shape[-1]) + bias",
            "You divide by a root. T5 does not scale: `content` was right as it was.",
        ),
        Mistake(
            "content + bias",
            "(content + bias) / 2",
            "The scores are divided by 2, the bias among them. T5 scales nothing, and nothing was scaled before.",
        ),
        Mistake(
            "content + bias",
            "(content + bias) / np.sqrt(content.shape[-1])",
            "The scores are divided by a root, the bias among them. T5 scales nothing, and nothing was scaled before.",
        ),
        Mistake(
            "content + bias",
            "content + bias.swapaxes(-1, -2)",
            "The bias is transposed: its rows belong to the queries, as they did. Leave that line alone.",
        ),
        Mistake(
            "j - i, bidirectional",
            "j - i + 1, bidirectional",
            "One off: the token itself must be at offset 0, and one step back at −1. Yours have 1 and 0.",
        ),
        Mistake(
            "j - i, bidirectional",
            "j - i - 1, bidirectional",
            "One off: the token itself must be at offset 0, and one step back at −1. Yours have −1 and −2.",
        ),
        Mistake(
            "j - i, bidirectional",
            "i - j - 1, bidirectional",
            "All keys before the query are still in one bucket, only the token itself has left it. It is a sign that is wrong, no 1.",
        ),
        Mistake(
            "past + np.arange(content.shape[1])[:, None]",
            "past - np.arange(content.shape[1])[:, None]",
            "The queries run backwards. Their positions are past, past + 1, …",
        ),
        Mistake(
            "np.moveaxis(table[rows], -1, 0)",
            "table[rows]",
            "`table[rows]` is (query, key, head). The heads must come first, as they did: leave that line alone.",
        ),
        Mistake(
            "np.moveaxis(table[rows], -1, 0)",
            "np.moveaxis(table[rows], -1, 1)",
            "The heads have landed between query and key. They must come first, as they did: leave that line alone.",
        ),
        Mistake(
            "table[rows]",
            "table[-rows]",
            "A negative row counts from the end of the table. It is the offset that changes its sign, before `bucket`.",
        ),
    ],
    alternatives=[
        _expected,
        _through_the_distance,
    ],
    hints=[
        "Add `print(rows)` before the `return` and run the check: it shows what you printed.",
        "In a decoder every key that is not in the past falls into bucket 0. Which sign does the past have?",
        "The course's offset is key minus query.",
    ],
)


def _weight_on_the_future():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 1, 20, 8))
    bias = t5_bias(20, table=rng.normal(size=(32, 1)))
    weights = attention(q, k, k, bias=bias, scale=1.0, mask=causal_mask(20))[1]
    return float(weights[0][np.triu_indices(20, 1)].sum())


_WEIGHT = "weight on the future"
_TOLD_BOTH, _TOLD_CAUSAL = (f"buckets told apart, bidirectional={both}" for both in (True, False))
_READ_BOTH, _READ_CAUSAL = (f"row for 30 back, bidirectional={both}" for both in (True, False))


def _wrong_direction():
    past = -np.arange(100)
    return {
        _WEIGHT: int(_weight_on_the_future()),
        _TOLD_BOTH: len(set(bucket(past).tolist())),
        _TOLD_CAUSAL: len(set(bucket(past, bidirectional=False).tolist())),
        _READ_BOTH: int(bucket(-30)),
        _READ_CAUSAL: int(bucket(-30, bidirectional=False)),
    }


wrong_direction = Answer(
    "wrong_direction",
    title="Prediction: an encoder's buckets in a decoder",
    minutes=8,
    difficulty=2,
    words="""A decoder with a causal mask is built with `bidirectional=True`, 32 buckets, `max_distance` 128. What breaks, and
what does not? Commit to five numbers before you run anything:

- how much weight in all a query gives to keys after it;
- how many buckets the last of 100 tokens can tell apart among the keys it sees, with `bidirectional=True` and with
  `False`;
- which row of the table a key 30 tokens back reads, with `True` and with `False` (this is what happens to trained
  weights).""",
    expected=_wrong_direction,
    digits=3,
    mistakes=[
        Mistake(
            {_READ_BOTH: 20, _READ_CAUSAL: 11},
            "The two rows have changed places: with `True` the past has only 16 buckets, so its numbers are lower.",
        ),
        *(
            Mistake({_WEIGHT: w}, says)
            for w, says in {
                1: "With 1 the query would look at nothing else. Which comes last, the bias or the mask?",
                -math.inf: "−∞ is the score behind the mask. The weight is e to the power of that.",
            }.items()
        ),
        *(
            Mistake({_WEIGHT: w}, "The mask comes after the bias and sets those scores to −∞, whatever the bias says.")
            for w in (0.01, *np.arange(0.05, 1, 0.05))
        ),
        *(
            Mistake({_TOLD_BOTH: b}, says)
            for b, says in {
                13: "That was for the lesson's 40 tokens; here the farthest is 99 back.",
                15: "One too few. Distance 0, the token itself, has a bucket as well, and at 91 the last one begins.",
                17: "One too many. The past has the lower half of 32.",
                31: "31 of 32 are used in an encoder. Half of these are for keys after the query.",
                32: "Half of the 32 are for keys after the query, which a decoder never sees.",
            }.items()
        ),
        *(
            Mistake({_TOLD_CAUSAL: b}, says)
            for b, says in {
                16: "That is half of the table. With `False` all 32 buckets serve the past.",
                23: "That was for the lesson's 40 tokens; here the farthest is 99 back.",
                30: "One too few. The farthest key is 99 back, and bucket 30 begins just there. Bucket 0 counts as well.",
                32: "Nearly: the last bucket begins at distance 113, and the farthest of 100 tokens is 99 back.",
                100: "100 distances, but only 32 buckets: far ones share.",
            }.items()
        ),
        *(
            Mistake({_READ_BOTH: b}, says)
            for b, says in {
                10: "One too low. Eight buckets are exact, 0 to 7: the shared ones begin with 8.",
                12: "You round. The formula takes the floor.",
                20: "That is a decoder's row. With `True` the past has only 16 buckets.",
                27: "27 is for a key 30 tokens *ahead*. The past has the lower half.",
                30: "With `True` only distances up to 7 are exact. From 8 on distances share.",
            }.items()
        ),
        *(
            Mistake({_READ_CAUSAL: b}, says)
            for b, says in {
                11: "That is an encoder's row. With `False` the past has all 32 buckets.",
                19: "One too low. Sixteen buckets are exact, 0 to 15: the shared ones begin with 16.",
                21: "You round. The formula takes the floor.",
                30: "A decoder is exact up to distance 15. From 16 on distances share.",
            }.items()
        ),
    ],
    hints=[
        "The mask sets scores to −∞ after the bias. Can a finite number undo that?",
        "With `True` the past has buckets 0 to 15, the last from distance 91 on. With `False` it has 0 to 31, the last from 113 on.",
        "30 back: 8 + ⌊ln(30/8)/ln 16 · 8⌋ and 16 + ⌊ln(30/16)/ln 8 · 16⌋.",
    ],
)
