r"""Bug hunt: a sink without an effect · 10 minutes · ★★

In this layer the learned sink has no effect: whatever number `sink` is, the output is that of plain
attention. Nothing raises an error. Find the line that undoes the sink, and fix the code.

By hand: for the scores $\ln 1, \ln 2, \ln 3$ and a sink of 0, the weights are $\frac17, \frac27, \frac37$. Sinks have been
lost in published code: on a fast path of OpenVINO ([36039](https://github.com/openvinotoolkit/openvino/pull/36039)), and in
vllm-metal, where the code of the sink had never run ([550](https://github.com/vllm-project/vllm-metal/pull/550)). In
`transformers`, one backend applied the sink before the denominator was known
([41026](https://github.com/huggingface/transformers/issues/41026)).
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import V
from course_lib.reference.attention import softmax
from course_lib.reference.sink import kept_share

from ..shared import NUMBER, QUERY, SCORES, normal


def sink_output(scores, values, sink):
    """Output (n_q, d) of one head with a sink: one more key with the score `sink` and no value.

    scores (n_q, n_k) are scaled and masked, with -inf for hidden keys; values (n_k, d).
    """
    # The column of the sink has one number for each query, the score of the sink. The height of the column has one
    # number for each query. The score of the sink enters the softmax as it is, beside the scores.
    column = np.full((len(scores), 1), sink)
    # The sink is one more column after the keys. The sink is one more column, so the arrays are joined along axis 1.
    # The softmax runs over the keys and the sink.
    weights = softmax(np.concatenate([scores, column], axis=1))
    # The last column is the weight of the sink, which has no value. The output is the sum of the values with the
    # weights of the keys.
    return weights[:, :-1] @ values


LOGS = np.log([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])


def given(scores, values, sink):
    """Output (n_q, d) of one head with a sink: one more key with the score `sink` and no value.

    scores (n_q, n_k) are scaled and masked, with -inf for hidden keys; values (n_k, d).
    """
    column = np.full((len(scores), 1), sink)
    weights = softmax(np.concatenate([scores, column], axis=1))
    weights = weights[:, :-1]
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights @ values


def expected(scores, values, sink):
    return kept_share(scores, sink)[:, None] * (softmax(np.asarray(scores)) @ values)


CASES = [
    Case(LOGS[:1], np.eye(3), 0.0, label="scores ln 1, ln 2, ln 3; the output is the weights", axes=("query", "key")),
    Case(LOGS, np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), float(np.log(2)), label="two queries, a sink of ln 2"),
    Case(SCORES, V, 1.0, label="the five tokens", axes=(QUERY, NUMBER)),
    Case(np.where(np.tri(5) > 0, SCORES, -np.inf), V, 0.5, label="the five tokens, causal", axes=(QUERY, NUMBER)),
    Case(np.array([[2.0]]), np.array([[3.0]]), -1.0, label="one token alone"),
    Case(np.array([[1000.0, 999.0]]), np.eye(2), 998.0, label="large scores"),
]


AXES = ("query", "number")


def draw(rng):
    return (normal(rng, int(rng.integers(1, 4)), n := int(rng.integers(1, 6))), normal(rng, n, 2), float(rng.normal()))


WRONG = """
column = np.zeros((len(scores), 1))  # Your sink always has the score 0. It should be the number `sink`.
column = np.full((len(scores), 1), np.exp(sink))  # You take e to the power of the sink. The softmax does that itself,
# so the column holds the score.
weights = softmax(np.concatenate([column, scores], axis=1))  # The sink comes first now, but the last column is
# dropped, which is a key. Put the sink after the keys.
return weights @ values  # You keep the column of the sink, which has no value. Drop the last column before you
# multiply.
return softmax(scores) @ values / (1 + np.exp(sink))  # You leave the scores out of the share of the keys, which is
# σ(lse − a).
return softmax(scores) @ values + sink  # You add the sink to the output. It is a score, one more beside those of the
# keys.
return softmax(np.maximum(scores, sink)) @ values  # You raise low scores to the sink. It does not change any score. It
# is one more number in the denominator.
return weights[:, 1:] @ values  # You drop the first key. The sink is the last column.
return softmax(scores) @ values  # Your output is that of plain attention, so the sink has no effect. With a sink, the
# weights of the keys sum to less than 1. Print their sum after each line.
return softmax(weights[:, :-1]) @ values  # You take a softmax of weights. They only have to be multiplied by the
# values.
return weights[:, :-1]  # You return the weights. Multiply them by the values.
return weights[:, -1:] * (weights[:, :-1] @ values)  # You multiply by the weight of the sink. The weights of the keys
# are right as they are.
return weights[:, :-1] * (1 - weights[:, -1:]) @ values  # You apply the sink twice. The softmax has already lowered
# the weights of the keys.
return (weights[:, :-1] - weights[:, -1:]) @ values  # You subtract the weight of the sink from those of the keys. They
# are right as they are.
return weights @ np.concatenate([values, np.ones((1, values.shape[1]))])
return weights @ np.concatenate([values, values.mean(axis=0, keepdims=True)])
return weights @ np.concatenate([values, values[:1]])
return weights @ np.concatenate([values, values[-1:]])  # You give the sink a value. It has none, so its weight goes to
# nothing.
return softmax(scores) @ values - weights[:, -1:]  # You subtract the weight of the sink from the output. It is the
# rows of weights that get smaller.
"""


HINTS = [
    "Print `weights.sum(axis=1)` before and after the fourth line. Which of the two should it be?",
    "With a sink, the weights of the keys sum to less than 1. Which line makes them sum to 1 again?",
]


def wrong_program_4(scores, values, sink):
    """You add the number `sink` to the denominator. It is a score, so e to its power is added."""
    e = np.exp(scores)
    return e / (e.sum(axis=1, keepdims=True) + sink) @ values


def wrong_program_5(scores, values, sink):
    """You add the number `sink` to the denominator. It is a score, so e to its power is added."""
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return e / (e.sum(axis=1)[:, None] + sink) @ values


def wrong_program_6(scores, values, sink):
    """You subtract the largest score from the scores, but not from the sink. Subtract it from both."""
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return e / (e.sum(axis=1)[:, None] + np.exp(sink)) @ values


def wrong_program_7(scores, values, sink):
    """The formula is right, but `np.exp` overflows above 709, and ∞/∞ is nan. Subtract the largest of the scores and
    the sink from all of them first, as `softmax` does."""
    e = np.exp(scores)
    return e @ values / (e.sum(axis=1, keepdims=True) + np.exp(sink))


def wrong_program_8(scores, values, sink):
    """You take powers of 2. The softmax takes powers of e."""
    e = 2.0**scores
    return e / (e.sum(axis=1, keepdims=True) + 2.0**sink) @ values


def wrong_program_9(scores, values, sink):
    """Your softmax runs over the queries. Each query has its own denominator, so sum along axis 1."""
    e = np.exp(scores)
    return e / (e.sum(axis=0) + np.exp(sink)) @ values


def wrong_program_12(scores, values, sink):
    """You put the sink in the place of the first key. It is one more column beside all keys."""
    w = softmax(np.concatenate([np.full((len(scores), 1), sink), scores[:, 1:]], axis=1))
    return w[:, 1:] @ values[1:]


def wrong_program_13(scores, values, sink):
    """Your denominator is a sum over all queries. Each query has its own, so sum along axis 1."""
    e = np.exp(scores)
    return e / (e.sum() + np.exp(sink)) @ values


def wrong_program_14(scores, values, sink):
    """You multiply by the share of the sink. The keys have the other share, σ(lse − a)."""
    e = np.exp(scores).sum(axis=1, keepdims=True)
    return softmax(scores) @ values * np.exp(sink) / (e + np.exp(sink))


def wrong_program_15(scores, values, sink):
    """You multiply by the share of the sink. The keys have the other share, σ(lse − a)."""
    e = np.exp(scores).sum(axis=1, keepdims=True)
    return softmax(scores) @ values / (1 + np.exp(np.log(e) - sink))


def wrong_program_17(scores, values, sink):
    """The weights were divided by their sum, so the last column that you use is a key and no longer the sink."""
    w = softmax(scores)
    return w @ values * (1 - w[:, -1:])


def right_by_shift(scores, values, sink):
    top = np.maximum(scores.max(axis=1, keepdims=True), sink)
    e = np.exp(scores - top)
    return e @ values / (e.sum(axis=1, keepdims=True) + np.exp(sink - top))
