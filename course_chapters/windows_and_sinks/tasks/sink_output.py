r"""Bug hunt: a sink without an effect · 10 minutes · ★★

In this layer the learned sink has no effect: whatever number `sink` is, the output is that of plain
attention. Nothing raises an error. Find the line that undoes the sink, and fix the code.

By hand: for the scores $\ln 1, \ln 2, \ln 3$ and a sink of $\ln 4$, the weights are $\frac1{10}, \frac2{10},
\frac3{10}$. Sinks have been lost in published code: in OpenVINO, on the path that is taken if the faster kernel does
not compile ([36039](https://github.com/openvinotoolkit/openvino/pull/36039)), and in vllm-metal, where the code of the
sink had never run ([550](https://github.com/vllm-project/vllm-metal/pull/550)). In `transformers`, one backend applied
the sink before the denominator was known ([41026](https://github.com/huggingface/transformers/issues/41026)).
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import V
from course_lib.reference.attention import softmax
from course_lib.reference.sink import kept_share

from ...shared import NUMBER, QUERY, SCORES, normal


def sink_output(scores, values, sink):
    """Output (n_q, d) of one head with a sink: one more key with the score `sink` and no value.

    scores (n_q, n_k) are scaled and masked, with -inf for hidden keys; values (n_k, d).
    """
    column = np.full((len(scores), 1), sink)  # Each query has one more score, that of the sink.
    every = np.concatenate([scores, column], axis=1)  # The sink is one more column, the last.
    weights = softmax(every)  # The softmax runs over the keys and the sink, so their weights together sum to 1.
    kept = weights[:, :-1]  # The weight of the sink is dropped, and those of the keys stay as they are.
    return kept @ values  # The output is the sum of the values with the weights of the keys.


def expected(scores, values, sink):
    return kept_share(scores, sink)[:, None] * (softmax(np.asarray(scores)) @ values)


def draw(rng):
    return normal(rng, int(rng.integers(1, 4)), n := int(rng.integers(1, 6))), normal(rng, n, 2), float(rng.normal())


def beside(scores, more):
    """Weights of the keys when more(largest score) is added to the sum of each row's e^(score − largest)."""
    top = scores.max(axis=1, keepdims=True)
    e = np.exp(scores - top)
    return e / (e.sum(axis=1, keepdims=True) + more(top))


BUG = "kept = weights[:, :-1] / weights[:, :-1].sum(axis=1, keepdims=True)"
LOGS = np.log([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
AXES = ("query", "number")
CASES = [
    Case(LOGS[:1], np.eye(3), float(np.log(4)), label="scores ln 1, ln 2, ln 3; the output is the weights"),
    Case(LOGS, np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), float(np.log(2)), label="two queries, a sink of ln 2"),
    Case(np.where(np.tri(5) > 0, SCORES, -np.inf), V, 0.5, label="the five tokens, causal", axes=(QUERY, NUMBER)),
    Case(np.array([[2.0]]), np.array([[3.0]]), -1.0, label="one token alone"),
    Case(np.array([[1000.0, 999.0]]), np.eye(2), 998.0, label="large scores"),
    Case(np.array([[1.0, 2.0], [1001.0, 1000.0]]), np.eye(2), 0.0, label="one row far above the other"),
]
WRONG = """
return beside(scores, lambda top: sink) @ values
return beside(scores, lambda top: sink * np.exp(-top)) @ values  # You add `sink` itself to the denominator. Add e^sink.
return beside(scores, lambda top: np.exp(sink + np.maximum(sink - top, 0))) @ values
return beside(scores, lambda top: np.exp(sink)) @ values  # You subtract the largest score, but not from the sink.
return np.exp(scores) @ values / (np.exp(scores).sum(axis=1, keepdims=True) + np.exp(sink))  # The formula is right, but
# `np.exp` overflows above 709, and ∞/∞ is nan. Subtract the largest number from all scores and the sink first.
column = np.zeros((len(scores), 1))  # Your sink always has the score 0. It should be the number `sink`.
column = np.full((len(scores), 1), sink / values.shape[1] ** 0.5)  # You divide the sink by √d. It is a finished score.
column = np.full((len(scores), 1), np.exp(sink))  # You take e to the power of the sink twice. The softmax does it once.
every = np.concatenate([column, scores], axis=1)  # The sink comes first now, but the last column is dropped, a key.
weights = np.exp(every - every.max()); weights = weights / weights.sum(axis=1, keepdims=True)  # You subtract the
# largest score of all queries. In a row far below it every e^x is 0, and 0/0 is nan. Each row loses its own.
weights = softmax(np.log(2) * every)  # You take powers of 2. The softmax takes powers of e.
return softmax(np.append(scores, sink)[None])[0, :-1].reshape(scores.shape) @ values  # Your denominator is a sum over
# all queries. Each query has its own, so sum along axis 1.
return beside(scores, lambda top: np.exp(-sink - top)) @ values  # Your sink pulls the wrong way: a larger one should
# leave the keys less weight. Add e^sink to the denominator, and leave the scores of the keys as they are.
return softmax(np.maximum(scores, sink)) @ values  # You raise low scores to the sink. It does not change any score.
kept = weights[:, 1:]  # You drop the first key. The sink is the last column.
kept = softmax(scores)  # Your output is that of plain attention, so the sink has no effect. With a sink, the weights of
# the keys sum to less than 1. Print their sum after each line. (Adding a number to all scores of a row changes
# nothing.)
kept = softmax(np.hstack([scores[:, :1] + sink, scores[:, 1:]]))  # You add the sink to the score of the first key. It
# is one more score, beside those of the keys.
kept = softmax(weights[:, :-1])  # You take a softmax of weights. They only have to be multiplied by the values.
kept = softmax(scores) / (1 + np.exp(sink))  # You leave the scores out of the share of the keys, σ(lse − sink).
kept = softmax(scores) / (1 + np.exp(sink - np.logaddexp2.reduce(scores / np.log(2), axis=1, keepdims=True)))  # Your
# logarithm of the sum is to base 2, as some kernels return it. Beside the sink it is the natural one.
kept = softmax(scores) / (1 + np.exp(np.log(np.exp(scores).sum(axis=1, keepdims=True)) - sink))
kept = weights[:, -1:] * softmax(scores)  # You multiply by the share of the sink. The keys have the other share.
kept = weights[:, -1:] * weights[:, :-1]  # You multiply by the weight of the sink. The others are right as they are.
kept = weights[:, :-1] * (1 - weights[:, -1:])  # You apply the sink twice. The softmax has already lowered the weights.
kept = weights[:, :-1] - weights[:, -1:]  # You subtract the weight of the sink from those of the keys. Only drop it.
kept = softmax(scores) * (1 - softmax(scores)[:, -1:])  # The last column that you use is a key. Where is the sink?
return weights @ values  # You keep the column of the sink, which has no value. Drop it before you multiply.
return weights @ np.vstack([values, np.ones(values.shape[1])])
return weights @ np.vstack([values, values.mean(axis=0)])
return weights @ np.vstack([values, values[0]])  # The weight of the sink is in your output. It should go to nothing.
return softmax(scores) @ values + sink  # You add the sink to the output. It is a score, beside those of the keys.
return softmax(scores) @ values - weights[:, -1:]  # You subtract from the output. The weights of the keys get smaller.
"""
HINTS = [
    "Print `weights.sum(axis=1)` and `kept.sum(axis=1)`. Which of the two should be 1?",
    "With a sink, the weights of the keys sum to less than 1. Which line makes them sum to 1 again?",
]
