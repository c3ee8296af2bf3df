"""Bug hunt: positions inside the block."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import K, Q
from course_lib.reference.attention import scores

from .common import KEY, QUERY, normal
from .given import absolute, causal, log_decay, one_sided


def _scores_in_blocks(q, k, score_mod, size):
    """score_mod(score, i, j) of every pair, made in blocks of `size` queries and `size` keys: (n_q, n_k).

    q (n_q, d), k (n_k, d). score_mod takes a block of scaled scores, the positions i of its
    queries as a column, and the positions j of its keys.
    """
    result = np.zeros((len(q), len(k)))
    for top in range(0, len(q), size):
        for left in range(0, len(k), size):
            rows, columns = slice(top, top + size), slice(left, left + size)
            block = q[rows] @ k[columns].T / np.sqrt(q.shape[1])
            i = top + np.arange(block.shape[0])[:, None]
            j = left + np.arange(block.shape[1])
            result[rows, columns] = score_mod(block, i, j)
    return result


def _given(q, k, score_mod, size):
    """score_mod(score, i, j) of every pair, made in blocks of `size` queries and `size` keys: (n_q, n_k).

    q (n_q, d), k (n_k, d). score_mod takes a block of scaled scores, the positions i of its
    queries as a column, and the positions j of its keys.
    """
    result = np.zeros((len(q), len(k)))
    for top in range(0, len(q), size):
        for left in range(0, len(k), size):
            rows, columns = slice(top, top + size), slice(left, left + size)
            block = q[rows] @ k[columns].T / np.sqrt(q.shape[1])
            i = np.arange(block.shape[0])[:, None]
            j = np.arange(block.shape[1])
            result[rows, columns] = score_mod(block, i, j)
    return result


def _expected(q, k, score_mod, size):
    return score_mod(scores(q, k), np.arange(len(q))[:, None], np.arange(len(k)))


def _draw(rng):
    q, k = (rng.normal(size=(int(rng.integers(2, 9)), 5)) for _ in range(2))
    return q, k, (log_decay, causal, one_sided, absolute)[rng.integers(4)], int(rng.integers(1, 4))


scores_in_blocks = CodingTask(
    title="Bug hunt: positions inside the block",
    minutes=8,
    difficulty=2,
    words="""A kernel cuts the grid into blocks and calls a `score_mod` for each of them. With a single block the result is right.
With several, the bias starts again in every block, and a causal mask hides part of the past and shows part of the future.
Fix the code.""",
    solution=_scores_in_blocks,
    starter=_given,
    expected=_expected,
    axes=("query", "key"),
    cases=[
        Case(Q, K, log_decay, 2, label="the five tokens, blocks of two", axes=(QUERY, KEY)),
        Case(Q, K, causal, 2, label="the five tokens under a causal mask", axes=(QUERY, KEY)),
        Case(Q, K, one_sided, 3, label="another bias for keys after the query", axes=(QUERY, KEY)),
        Case(Q, K, absolute, 2, label="a bias by position, not by offset", axes=(QUERY, KEY)),
        Case(Q, K, log_decay, 5, label="one block", axes=(QUERY, KEY)),
        Case(normal(0, 3, 4), normal(1, 7, 4), one_sided, 2, label="three queries, seven keys"),
        Case(normal(2, 7, 4), normal(3, 2, 4), one_sided, 3, label="seven queries, two keys"),
    ],
    draw=_draw,
    pieces="""
np.arange(block.shape[0])[:, None]
    the numbering of the queries in a block: Its queries follow one another from `top`, in a column.
np.arange(block.shape[1])
    the numbering of the keys in a block: Its keys follow one another from `left`.
top + np.arange(block.shape[0])[:, None]
    the position of each query: Positions of queries begin at `top`.
left + np.arange(block.shape[1])
    the position of each key: Positions of keys begin at `left`.
top
    `top`: It is the position of the block's first query.
left
    `left`: It is the position of the block's first key.
0
    `0`: The first block begins at 0, and axis 0 of a block holds its queries.
np.sqrt(q.shape[1])
    the scaling: The products are divided by √d, as in the given code.
(len(q), len(k))
    the shape of the result: It has a row for each query and a column for each key.
score_mod(block, i, j)
    the call of `score_mod`: It returns the changed scores of a block.
""",
    slips="""
left + np.arange → top + np.arange
    Both positions begin at `top`, where the queries of the block begin. Its keys begin at `left`.
top + np.arange → left + np.arange
    Both positions begin at `left`, where the keys of the block begin. Its queries begin at `top`.
i = top → i = left
j = left → j = top
    You exchanged `top` and `left`. The queries of the block begin at `top`, its keys at `left`.
left + np.arange → left - top + np.arange
    Your keys count from `left - top`. Their positions begin at `left`, and `score_mod` takes the difference itself.
top + np.arange → np.arange
left + np.arange → left - top + np.arange
    Your differences j − i are right, but the positions are not, and some biases use i and j themselves. Queries begin at
    `top`, keys at `left`.
top + np.arange → top // size + np.arange
left + np.arange → left // size + np.arange
    You number the blocks with `// size`. `top` and `left` are positions already, so add them as they are.
top + np.arange → top // size * block.shape[0] + np.arange
left + np.arange → left // size * block.shape[1] + np.arange
    You multiply the number of the block by its own height or width, but a last block may be smaller. Add `top` and `left`.
top + np.arange → top * size + np.arange
left + np.arange → left * size + np.arange
    You multiply the start of a block by `size`. `top` and `left` are positions already, so add them as they are.
top + np.arange → 2 * top + np.arange
left + np.arange → 2 * left + np.arange
    You add the start of a block twice. `top` and `left` are positions already, so once is enough.
i = top + np.arange(block.shape[0])[:, None] → i = (top + np.arange(block.shape[0])[:, None]) // size
j = left + np.arange(block.shape[1]) → j = (left + np.arange(block.shape[1])) // size
    You pass the number of the block. `score_mod` needs the positions of its queries and keys.
top + np.arange → -top + np.arange
left + np.arange → -left + np.arange
    You subtract the start of the block from both positions. The positions of a block begin there, so add it.
top + np.arange → size + top + np.arange
    The positions of your queries are one block too far. The first block begins at 0, as `top` does.
left + np.arange → size + left + np.arange
    The positions of your keys are one block too far. The first block begins at 0, as `left` does.
top + np.arange(block.shape[0]) → np.arange(top, top + size)
left + np.arange(block.shape[1]) → np.arange(left, left + size)
    The last block may be smaller than `size`. `block.shape` says how many queries and keys it has.
top + np.arange(block.shape[0]) → np.arange(top, top + size)
    The last block may be smaller than `size`. `block.shape` says how many queries it has.
score_mod(block, i, j) → block + score_mod(block, i, j)
    You add the scores a second time. `score_mod` returns the changed score, not what should be added.
score_mod(block, i, j) → score_mod(block, j, i)
    You exchanged `i` and `j` in the call, so left and right are exchanged.
score_mod(block, i, j) → score_mod(block, i, j) if top == left else 0
    You fill only the blocks on the diagonal. Each block of queries meets every block of keys.
range(0, len(q), size) → range(0, 1, size)
range(0, len(k), size) → range(0, 1, size)
    You fill only the first block. Is the `return` inside the loops?
range(0, len(q), size) → range(0, 1, size)
    You fill only the first block of queries. Is the `return` inside the outer loop?
range(0, len(k), size) → range(0, 1, size)
    You fill only the first block of keys. Is there a `break` inside the loops?
top + size → top - size
    Your slice of queries ends before it begins. It was right in the given code.
left + size → left - size
    Your slice of keys ends before it begins. It was right in the given code.
q[rows] @ → k[rows] @
    You multiply keys with keys. The left factor was right, q.
k[columns].T → q[columns].T
    You multiply queries with queries. The right factor was right, k.
np.sqrt(q.shape[1]) → np.sqrt(size)
    You divide by √size. d is the number of channels, `q.shape[1]`.
np.sqrt(q.shape[1]) → np.sqrt(len(q))
    You divide by the root of the number of queries. d is the number of channels, `q.shape[1]`.
range(0, len(q), size) → range(0, len(q) - size + 1, size)
    Your last queries stay 0 if they do not fill a block. The given loop was right.
range(0, len(k), size) → range(0, len(k) - size + 1, size)
    Your last keys stay 0 if they do not fill a block. The given loop was right.
""",
    alternatives=[_expected],
    hints=[
        "With blocks of two, which `i` and `j` does the code pass for the query *sat* and the key *The*?",
        "The second block of queries begins at `top` = 2, so its first query is at position 2.",
        "Add `top` to one of them and `left` to the other.",
    ],
)

for by, how in {1: "one too large", -1: "one too small", 7: "too large by 7", "size": "one block too far"}.items():
    scores_in_blocks.wrong(
        f"Both positions are {how}, which their difference hides. The first of a block is at `top` and `left`."
    )(scores_in_blocks.source.variant([("i = ", f"i = {by} + "), ("j = ", f"j = {by} + ")]))
