"""Scores, scaling, and the bias matrix."""

import math

import numpy as np

from ...example import LAMBDA, K, Q
from ...reference.attention import scores
from ...reference.bias import decay_bias
from ..engine import Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, is_toeplitz, normal


def _scaled_scores(q, k):
    """Scaled scores q_i · k_j / √d_k: q (n_q, d_k) and k (n_k, d_k) give (n_q, n_k)."""
    d_k = q.shape[-1]
    return q @ k.T / np.sqrt(d_k)


scaled_scores = Task(
    title="Scores and scaling",
    minutes=5,
    difficulty=1,
    words="""Every query meets every key: multiply them number by number, add up, and divide by the square root of how
many numbers there are. There may be more keys than queries.""",
    solution=_scaled_scores,
    expected=lambda q, k: scores(q, k),
    cases=[
        Case(Q, K, says="the five tokens", axes=(QUERY, KEY)),
        Case(Q[:2], K, says="two queries, five keys", axes=(Axis("query"), KEY)),
        Case(Q[:, :3], K[:, :3], says="three numbers per token", axes=(QUERY, KEY)),
        Case(Q[:1], K[:1], says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (normal(rng, rng.integers(1, 6), d := rng.integers(2, 9)), normal(rng, rng.integers(1, 6), d)),
    mistakes=[
        Mistake(
            "q @ k.T",
            "q @ k",
            "(n, d) and (n, d) do not multiply: turn the keys round, `q @ k.T`, so that each query meets each key.",
        ),
        Mistake(
            "q @ k.T",
            "q * k",
            "`*` multiplies query i with key i only, number by number. Each query meets every key in `q @ k.T`.",
        ),
        Mistake(
            "q.shape[-1]",
            "len(k)",
            "You divide by √(number of keys). d_k is the length of one query: the last axis of q.",
        ),
        Mistake("np.sqrt(d_k)", "2.0", "Right only while d_k is 4: take √d_k from the shape of q."),
        Mistake(" / np.sqrt(d_k)", "", "These are the raw scores. Divide by √d_k, which is 2 for the five tokens."),
        Mistake(
            "np.sqrt(d_k)", "d_k", "You divide by d_k itself. It is its square root that keeps the spread constant."
        ),
        Mistake("/ np.sqrt(d_k)", "* np.sqrt(d_k)", "You multiply by √d_k. Scores grow with d_k already: divide."),
        Mistake(
            "q.shape[-1]",
            "len(q)",
            "You take the number of queries for d_k. It is the length of one query: the last axis.",
        ),
        Mistake(
            "q @ k.T",
            "(q @ k.T).T",
            "Rows and columns are swapped: row i must belong to query i, so the queries come first in the product.",
        ),
        Mistake(
            "q @ k.T",
            "(q @ k.T).astype(int)",
            "The products are rounded to whole numbers: something turned them into integers.",
        ),
    ],
    alternatives=[
        lambda q, k: np.einsum("id,jd->ij", q, k) / math.sqrt(q.shape[1]),
        lambda q, k: [[sum(a * b for a, b in zip(x, y, strict=True)) / len(x) ** 0.5 for y in k] for x in q],
    ],
    hints=[
        "Two loops will do: for each query i and key j, `(q[i] * k[j]).sum()`.",
        "A matrix product does both loops: what must you do to k so that its rows meet the rows of q?",
        "`q @ k.T` has one row per query. d_k is `q.shape[-1]`.",
    ],
)


def _bias_matrix(n, scale):
    """Log-decay bias B[i, j] = -scale * log(1 + |j - i|), shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -scale * np.log1p(abs(j - i))


bias_matrix = Task(
    title="The bias matrix",
    minutes=8,
    difficulty=1,
    words=r"""Build $B_{ij} = -\lambda \log(1 + |j - i|)$ for $n$ tokens, with `scale` for $\lambda$. Loops are welcome,
and so is one line without any.""",
    solution=_bias_matrix,
    expected=lambda n, scale: decay_bias(n, scale=scale),
    cases=[
        Case(5, LAMBDA, says="the five tokens", axes=(QUERY, KEY)),
        Case(1, LAMBDA, says="one token alone", axes=("query", "key")),
        Case(12, 1.0, says="twelve tokens, λ = 1", axes=("query", "key")),
        Case(4, 0.0, says="no bias, λ = 0", axes=("query", "key")),
    ],
    draw=lambda rng: (int(rng.integers(2, 9)), float(rng.uniform(0.1, 2))),
    properties=[
        Property(
            "constant along diagonals",
            is_toeplitz,
            "Two pairs at the same offset get different biases: it must depend on j − i alone.",
        ),
        Property(
            "own bias is 0",
            lambda b, *_: np.allclose(np.diagonal(b), 0),
            "A token's bias for itself must be 0: log(1 + 0).",
        ),
    ],
    mistakes=[
        Mistake(
            "-scale *", "scale *", "Your bias rewards distance. It is a penalty: far keys get the negative numbers."
        ),
        Mistake("np.log1p(abs(j - i))", "abs(j - i)", "This is the linear decay, −λ·d. Take the logarithm of 1 + d."),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log(np.maximum(abs(j - i), 1))",
            "The 1 is missing: distances 0 and 1 now cost the same. It is log(1 + d), not log(d).",
        ),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log2(1 + abs(j - i))",
            "This is the logarithm to base 2. The formula has the natural one, `np.log` or `np.log1p`.",
        ),
        Mistake(
            "np.log1p(abs(j - i))",
            "np.log10(1 + abs(j - i))",
            "This is the logarithm to base 10. The formula has the natural one, `np.log` or `np.log1p`.",
        ),
        Mistake(
            "-scale * np.log1p(abs(j - i))",
            "-np.log1p(scale * abs(j - i))",
            "λ has moved into the logarithm. It multiplies the logarithm from outside.",
        ),
        Mistake(
            "abs(j - i)",
            "np.maximum(i - j, 0)",
            "The future is not penalised: |j − i| is the distance in both directions. Hiding or sparing one side is for later.",
        ),
        Mistake(
            "abs(j - i)",
            "(j - i)",
            "The absolute value is missing: for keys in the past this takes the logarithm of 0 or less, −∞ and nan. The distance is |j − i|.",
        ),
        Mistake("abs(j - i)", "(j + i)", "You add the positions. The distance is their difference, |j − i|."),
        Mistake(
            "np.log1p(abs(j - i))", "np.log1p(1 + abs(j - i))", "One too many: `np.log1p(d)` already is log(1 + d)."
        ),
        Mistake("-scale *", "-0.3 *", "λ is fixed at 0.3. Use the argument `scale`."),
    ],
    alternatives=[
        lambda n, scale: [[-scale * math.log(1 + abs(j - i)) for j in range(n)] for i in range(n)],
        lambda n, scale: -scale * np.log(1 + abs(np.subtract.outer(np.arange(n), np.arange(n)))),
    ],
    hints=[
        "Start with one entry: what is B[2, 4] for scale 0.3? The distance is 2.",
        "`np.log1p(d)` is log(1 + d). Fill an (n, n) array in two loops.",
        "Without loops: `np.arange(n)` for the keys, `np.arange(n)[:, None]` for the queries; their difference is (n, n).",
    ],
)
