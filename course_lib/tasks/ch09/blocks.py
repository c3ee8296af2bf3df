"""Blocks of a kernel: a score_mod must be told positions in the whole text."""

import numpy as np

from ...example import K, Q
from ...reference.attention import scores
from ..engine import Case, Mistake, Task
from .common import KEY, QUERY, normal


def log_decay(score, i, j):
    """The course's bias as a score_mod."""
    return score - 0.3 * np.log1p(abs(j - i))


def causal(score, i, j):
    """−∞ for keys after the query."""
    return np.where(j <= i, score, -np.inf)


def one_sided(score, i, j):
    """A bias that tells left from right."""
    return score + np.where(j > i, 1.0, 0.1 * (j - i))


def absolute(score, i, j):
    """A bias by the positions themselves, not by their difference."""
    return score - 0.1 * i + 0.2 * j


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


def _scores_in_blocks_given(q, k, score_mod, size):
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


def _block_numbers(q, k, score_mod, size):
    return score_mod(scores(q, k), np.arange(len(q))[:, None] // size, np.arange(len(k)) // size)


scores_in_blocks = Task(
    title="Bug hunt: positions inside the block",
    minutes=8,
    difficulty=2,
    words="""A kernel cuts the grid into blocks and calls a `score_mod` for each. With one block everything is right; with more,
the bias begins anew in each of them, and a causal mask hides a part of the past and shows a part of the future. Mend it.""",
    solution=_scores_in_blocks,
    given=_scores_in_blocks_given,
    expected=_expected,
    axes=("query", "key"),
    cases=[
        Case(Q, K, log_decay, 2, says="the five tokens, blocks of two", axes=(QUERY, KEY)),
        Case(Q, K, causal, 2, says="the five tokens under a causal mask", axes=(QUERY, KEY)),
        Case(Q, K, one_sided, 3, says="another bias for keys after the query", axes=(QUERY, KEY)),
        Case(Q, K, absolute, 2, says="a bias by position, not by offset", axes=(QUERY, KEY)),
        Case(Q, K, log_decay, 5, says="one block", axes=(QUERY, KEY)),
        Case(normal(0, 3, 4), normal(1, 7, 4), one_sided, 2, says="three queries, seven keys"),
        Case(normal(2, 7, 4), normal(3, 2, 4), one_sided, 3, says="seven queries, two keys"),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(2, 9)), 5)),
        rng.normal(size=(int(rng.integers(2, 9)), 5)),
        (log_decay, causal, one_sided, absolute)[rng.integers(4)],
        int(rng.integers(1, 4)),
    ),
    mistakes=[
        Mistake(
            "left + np.arange(block.shape[1])",
            "np.arange(block.shape[1])",
            "The queries know where they stand, the keys still count from the beginning of their block.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "np.arange(block.shape[0])[:, None]",
            "The keys know where they stand, the queries still count from the beginning of their block.",
        ),
        Mistake(
            lambda q, k, score_mod, size: _shifted(q, k, score_mod, size, swap=True),
            "`top` and `left` have changed places: `top` is where the block's queries begin, `left` where its keys do.",
        ),
        Mistake(
            _block_numbers,
            "You hand over the number of the block. The positions of its queries and keys are wanted.",
        ),
        Mistake(
            lambda q, k, score_mod, size: _shifted(q, k, score_mod, size, times=2),
            "You add the start of a block twice. Once is enough: `top` and `left` are positions already.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "top + 1 + np.arange(block.shape[0])[:, None]",
            "The queries are one position too far. The first of a block stands at `top`.",
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "left + 1 + np.arange(block.shape[1])",
            "The keys are one position too far. The first of a block stands at `left`.",
        ),
        *(
            Mistake(
                "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
                f"i = top + {by} + np.arange(block.shape[0])[:, None]\n            j = left + {by} + np.arange(block.shape[1])",
                f"Both positions are too {'large' if by > 0 else 'small'} by {abs(by)}; the differences hide it. The first of a block stands at `top` and `left`.",
            )
            for by in (1, -1, 7)
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "top + np.arange(block.shape[1])",
            "Both positions begin at `top`. That is where the queries of the block begin; its keys begin at `left`.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "left + np.arange(block.shape[0])[:, None]",
            "Both positions begin at `left`. That is where the keys of the block begin; its queries begin at `top`.",
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "left - top + np.arange(block.shape[1])",
            "The keys count from `left - top`. Their positions begin at `left`; `score_mod` makes differences itself.",
        ),
        Mistake(
            "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
            "i = np.arange(block.shape[0])[:, None]\n            j = left - top + np.arange(block.shape[1])",
            "The differences j − i are right, the positions are not: some biases use i and j themselves. Queries begin at `top`, keys at `left`.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "top + np.arange(block.shape[0])",
            "`i` is a row, as `j` is, so that the pairs of a block are lost. The queries are its rows: a column, `[:, None]`.",
        ),
        *(
            Mistake(
                "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
                f"i = {q} + np.arange(block.shape[0])[:, None]\n            j = {k} + np.arange(block.shape[1])",
                f"The positions of the {what} are one block too far. The first block begins at 0, as `top` and `left` do.",
            )
            for what, q, k in (
                ("queries and keys", "top + size", "left + size"),
                ("queries", "top + size", "left"),
                ("keys", "top", "left + size"),
            )
        ),
        Mistake(
            "            rows, columns = slice",
            "            if top != left:\n                continue\n            rows, columns = slice",
            "Only the blocks on the diagonal are filled in. Each block of queries meets every block of keys.",
        ),
        *(
            Mistake(
                "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
                f"i = {i}\n            j = {j}",
                f"The last block may be smaller than `size`: `block.shape` says how many {what} it has.",
            )
            for what, i, j in (
                ("queries and keys", "np.arange(top, top + size)[:, None]", "np.arange(left, left + size)"),
                ("queries", "np.arange(top, top + size)[:, None]", "left + np.arange(block.shape[1])"),
            )
        ),
        Mistake(
            "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
            "i = top // size + np.arange(block.shape[0])[:, None]\n            j = left // size + np.arange(block.shape[1])",
            "`// size` makes numbers of blocks. `top` and `left` are positions already: add them as they are.",
        ),
        Mistake(
            "i = top + np.arange(block.shape[0])[:, None]\n            j = left + np.arange(block.shape[1])",
            "i = np.arange(block.shape[0])[:, None] - top\n            j = np.arange(block.shape[1]) - left",
            "You subtract the start of the block, twice. The positions of a block begin there: add it.",
        ),
        Mistake(
            "score_mod(block, i, j)",
            "block + score_mod(block, i, j)",
            "`score_mod` returns the changed score, not what is to be added: yours holds the score twice.",
        ),
        Mistake(
            "    return result",
            "            return result",
            "Only the first block is filled in: the `return` stands inside the loops.",
        ),
        Mistake(
            "    return result",
            "        return result",
            "Only the first queries are filled in: the `return` stands inside the outer loop.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "top - np.arange(block.shape[0])[:, None]",
            "The queries of a block run backwards: add to `top`.",
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "left - np.arange(block.shape[1])",
            "The keys of a block run backwards: add to `left`.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "np.arange(block.shape[0])[:, None] - top",
            "You subtract the start of the block from the queries. Their positions begin there: add it.",
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "np.arange(block.shape[1]) - left",
            "You subtract the start of the block from the keys. Their positions begin there: add it.",
        ),
        Mistake(
            "top + np.arange(block.shape[0])[:, None]",
            "np.full((block.shape[0], 1), top)",
            "All queries of a block get the position of its first. They follow one another.",
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "np.full(block.shape[1], left)",
            "All keys of a block get the position of its first. They follow one another.",
        ),
        Mistake(
            "score_mod(block, i, j)",
            "score_mod(block, j, i)",
            "`i` and `j` have changed places in the call. Left has become right.",
        ),
        Mistake("score_mod(block, i, j)", "block", "`score_mod` is not called: these are the bare scores."),
        Mistake(" / np.sqrt(q.shape[1])", "", "The scores are not scaled any more: divide by √d, as before."),
        Mistake(" / np.sqrt(q.shape[1])", " / q.shape[1]", "You divide by d. It was √d, and that was right."),
        Mistake(
            " / np.sqrt(q.shape[1])",
            " * np.sqrt(q.shape[1])",
            "You multiply by √d. It was a division, and that was right.",
        ),
        Mistake(
            "np.sqrt(q.shape[1])", "np.sqrt(size)", "You divide by √size. d is the number of channels, `q.shape[1]`."
        ),
        Mistake("np.sqrt(q.shape[1])", "np.sqrt(len(q))", "You divide by √(number of queries). d is `q.shape[1]`."),
        Mistake(
            "range(0, len(q), size)",
            "range(0, len(q) - size + 1, size)",
            "The last queries stay 0 when they do not fill a block. The loop was right.",
        ),
        Mistake(
            "range(0, len(k), size)",
            "range(0, len(k) - size + 1, size)",
            "The last keys stay 0 when they do not fill a block. The loop was right.",
        ),
        Mistake(
            "range(0, len(q), size)",
            "range(1, len(q), size)",
            "The blocks of queries begin at 1: query 0 is left out. The loop was right.",
        ),
        Mistake(
            "range(0, len(k), size)",
            "range(1, len(k), size)",
            "The blocks of keys begin at 1: key 0 is left out. The loop was right.",
        ),
        Mistake(
            "    return result", "            break\n    return result", "Only the first block of keys is filled in."
        ),
        Mistake(
            "(len(q), len(k))", "(len(k), len(k))", "The result has a row per key. Its rows belong to the queries."
        ),
        Mistake(
            "(len(q), len(k))", "(len(q), len(q))", "The result has a column per query. Its columns belong to the keys."
        ),
        Mistake(
            "left + np.arange(block.shape[1])",
            "left + block.shape[1]",
            "All keys of a block get the position after its last. They follow one another: `np.arange`.",
        ),
        Mistake(
            "slice(top, top + size)",
            "slice(top, top - size)",
            "The slice of the queries ends before it begins. It was right.",
        ),
        Mistake(
            "slice(left, left + size)",
            "slice(left, left - size)",
            "The slice of the keys ends before it begins. It was right.",
        ),
        Mistake("q[rows] @", "k[rows] @", "The keys meet the keys: the left factor is q. It was right."),
        Mistake("k[columns].T", "q[columns].T", "The queries meet the queries: the right factor is k. It was right."),
        Mistake(
            lambda q, k, score_mod, size: _shifted(q, k, score_mod, size, times=size),
            "You multiply the start of a block by `size`. `top` and `left` are positions already, not numbers of blocks.",
        ),
    ],
    alternatives=[
        _expected,
        lambda q, k, score_mod, size: _shifted(q, k, score_mod, size),
    ],
    hints=[
        "With blocks of two, which `i` and `j` does your code hand over for the query *sat* and the key *The*?",
        "The second block of queries begins at `top` = 2: its first query stands at position 2.",
        "Add `top` to the one and `left` to the other.",
    ],
)


def _shifted(q, k, score_mod, size, times=1, swap=False):
    """Blocks whose starts count `times` times, or for the other axis."""
    all_scores, result = scores(q, k), np.zeros((len(q), len(k)))
    for top in range(0, len(q), size):
        for left in range(0, len(k), size):
            block = all_scores[top : top + size, left : left + size]
            a, b = (left, top) if swap else (top, left)
            i, j = times * a + np.arange(block.shape[0])[:, None], times * b + np.arange(block.shape[1])
            result[top : top + size, left : left + size] = score_mod(block, i, j)
    return result
