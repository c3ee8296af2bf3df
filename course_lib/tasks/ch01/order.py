"""One row by hand, and what a shuffle does to attention."""

from itertools import permutations

import numpy as np

from ...example import TOKENS, K, Q, V
from ...reference.attention import attention, causal_mask, scores, softmax
from ..engine import Answer, Axis, Case, Mistake, Task
from .common import KEY, NUMBER, normal

SCORES, RAW = scores(Q, K), scores(Q, K, scale=1.0)
THE, CAT, SAT, ON, MAT = range(5)


def _row_of_on():
    output, weights = attention(Q, K, V)
    return {"scores": SCORES[ON], "weights": weights[ON], "output": output[ON]}


row_of_on = Answer(
    "row_of_on",
    title="One row with a pencil",
    minutes=10,
    difficulty=1,
    words=r"""Do for the query *on* what the lesson did for *cat*: its five **scaled** scores, its five weights, and the four
numbers of its output. `print(Q, K, V)` in a cell of its own shows what you need. A pencil and the exponential of a pocket
calculator will do; three decimals are enough. The check accepts a part: leave `...` where you have not got to yet.""",
    expected=_row_of_on,
    digits=3,
    axes={"scores": (KEY,), "weights": (KEY,), "output": (NUMBER,)},
    mistakes=[
        Mistake({"scores": RAW[ON]}, "These are the raw scores: divide each by √d_k = √4 = 2."),
        Mistake({"scores": RAW[ON] / 4}, "You divided by d_k = 4. Its square root is wanted: divide by 2."),
        Mistake({"scores": 2 * RAW[ON]}, "You multiplied by √d_k = 2. Divide by it."),
        Mistake(
            {"scores": SCORES[:, ON]},
            'The query of "on" must meet the five keys, the rows of K. This is its key with each query (a column), '
            "or the queries among themselves.",
        ),
        Mistake({"scores": RAW[:, ON]}, "These are the raw scores of the column: take row 3 of Q with each row of K."),
        Mistake(
            {"scores": SCORES[CAT]},
            'This is the row of "cat", which the lesson has done. Here the query is "on", row 3 of Q.',
        ),
        Mistake(
            {"scores": RAW[ON] / np.sqrt(5)},
            "You divided by √5, the number of keys. d_k is how many numbers a key has: 4.",
        ),
        Mistake({"scores": SCORES[SAT]}, 'This is the row of "sat". Tokens are counted from 0: "on" is row 3.'),
        Mistake({"scores": SCORES[MAT]}, 'This is the row of "mat". Tokens are counted from 0: "on" is row 3.'),
        Mistake(
            {"weights": SCORES[ON] / SCORES[ON].sum()},
            "You divided the scores by their sum. The softmax takes e to each score first.",
        ),
        Mistake(
            {"weights": np.where(SCORES[ON] == 0, 0, np.exp(SCORES[ON])) / np.exp(SCORES[ON])[SCORES[ON] != 0].sum()},
            "The key with the score 0 has a weight too: e⁰ is 1.",
        ),
        Mistake(
            {"weights": np.where(SCORES[ON] == 0, 0, np.exp(SCORES[ON])) / np.exp(SCORES[ON]).sum()},
            "The key with the score 0 has a weight too: e⁰ is 1. The sum has counted it.",
        ),
        Mistake(
            {"weights": np.round(100 * softmax(SCORES)[ON], 1)},
            "These are percent. Give fractions, which sum to 1.",
        ),
        Mistake({"weights": np.exp(SCORES[ON])}, "These are e to the scores. Divide each by their sum."),
        Mistake({"weights": softmax(RAW[ON])}, "This is the softmax of the raw scores: divide them by 2 first."),
        Mistake({"weights": softmax(RAW[ON] / 4)}, "You divided the scores by 4. √d_k is 2."),
        Mistake({"weights": SCORES[ON]}, "These are still the scores: the softmax is missing."),
        Mistake(
            {"weights": softmax(SCORES[:, ON])},
            'This is the softmax of the column of "on". Take its row: one query, all keys.',
        ),
        Mistake(
            {"weights": softmax(SCORES.T)[:, ON]},
            'You shared out each key among the queries. The five weights of the query "on" sum to 1.',
        ),
        Mistake(
            {"weights": softmax(SCORES[ON] * np.log(2))},
            "You took 2 to each score. The softmax takes e = 2.718… to each.",
        ),
        Mistake(
            {"weights": softmax(SCORES[ON] * np.log(10))},
            "You took 10 to each score. The softmax takes e = 2.718… to each.",
        ),
        Mistake({"weights": softmax(SCORES)[SAT]}, 'These are the weights of "sat". Counted from 0, "on" is row 3.'),
        Mistake(
            {"output": softmax(SCORES)[ON, :4]},
            '"mat" is forgotten: its value is one half in all four numbers. Add half of its weight to each.',
        ),
        Mistake(
            {"output": softmax(SCORES)[ON, :4] + softmax(SCORES)[ON, MAT]},
            '"mat" hands over one half of everything, not the whole: add half of its weight to each number.',
        ),
        Mistake({"output": SCORES[ON] @ V}, "You mixed the values by the scores. Mix them by the weights."),
        Mistake(
            {"output": softmax(SCORES)[ON] @ K}, "You averaged the keys. The output is the average of the values V."
        ),
        Mistake({"output": V[ON]}, 'This is the value of "on" alone. Average all five values under the weights.'),
        Mistake(
            {"output": V.mean(axis=0)},
            "This is the plain mean of the values. Each value counts with its weight.",
        ),
        Mistake(
            {"output": softmax(RAW[ON]) @ V},
            "These weights come from the raw scores: divide the scores by 2 before the softmax.",
        ),
    ],
    hints=[
        'The query of "on" is row 3 of Q: (0, 0, 1, 1). Only the last two numbers of each key count.',
        "Scores divided by 2; e to each; divided by the sum of all five. The weights must sum to 1.",
        'Output number c is the weight of token c plus half the weight of "mat".',
    ],
)


def _attend_and_restore(q, k, v, order):
    """Attention for shuffled tokens, with the output put back into the original order.

    q, k, v (n, d): row a belongs to the token that stood at place order[a].
    Returns (n, d), row p for the token of place p.
    """
    s = q @ k.T / np.sqrt(q.shape[-1])
    e = np.exp(s)
    weights = e / e.sum(axis=-1, keepdims=True)
    output = np.zeros(v.shape)
    output[order] = weights @ v
    return output


def _restore_before(q, k, v, order):
    back = np.argsort(order)
    return attention(q[back], k, v)[0]


def _restored_twice(q, k, v, order):
    return _restore_before(q, k, v, order)[np.argsort(order)]


def _unpacked_never(q, k, v, order):
    return attention(q, k, v)[np.argsort(order)]


def _in_place(q, k, v, order):
    rows = attention(q, k, v)[0]
    for a in range(len(order)):
        rows[order[a]] = rows[a]
    return rows


def _restored(q, k, v, order):
    """Place by place: who stood there, and what it gets."""
    rows = attention(q, k, v)[0]
    return np.array([rows[list(order).index(place)] for place in range(len(order))])


def _shuffled_case(order, says, axes=()):
    order = np.array(order)
    return Case(Q[order], K[order], V[order], order, says=says, axes=axes)


def _draw_shuffled(rng):
    n, d = int(rng.integers(3, 8)), int(rng.integers(1, 5))
    order = rng.permutation(n)
    while np.array_equal(order[order], np.arange(n)):  # its own inverse: undoing and doing again would look alike
        order = rng.permutation(n)
    return normal(rng, n, d), normal(rng, n, d), normal(rng, n, int(rng.integers(1, 5))), order


attend_and_restore = Task(
    title="Shuffle back",
    minutes=10,
    difficulty=2,
    words="""Some systems reorder tokens to compute faster, and owe you the old order at the end. You get `q`, `k` and `v` of
tokens that were shuffled: row `a` belongs to the token that stood at place `order[a]`. Compute attention without positions
and return the output in the **original** order, one row per place. (`order` is a NumPy array.) Shuffling and shuffling back are two different things:
with `order = [3, 0, 4, 1, 2]` the first row you get belongs to place 3, and the row of place 0 comes second.""",
    solution=_attend_and_restore,
    expected=_restored,
    cases=[
        _shuffled_case([3, 0, 4, 1, 2], "the five tokens, shuffled", (Axis("place", TOKENS), NUMBER)),
        _shuffled_case([1, 2, 3, 4, 0], "the five tokens, moved round by one", (Axis("place", TOKENS), NUMBER)),
        _shuffled_case([0, 1, 2, 3, 4], "the five tokens in their own order", (Axis("place", TOKENS), NUMBER)),
        Case(Q[:1], K[:1], V[:1], np.array([0]), says="one token alone"),
        Case(Q[[1, 2, 0]], K[[1, 2, 0]], V[[1, 2, 0], :2], np.array([1, 2, 0]), says="values of two numbers"),
    ],
    axes=(Axis("place"), NUMBER),
    draw=_draw_shuffled,
    mistakes=[
        Mistake(
            "output[order] = weights @ v",
            "output = (weights @ v)[order]",
            "You shuffle once more instead of back. `rows[order]` fetches row order[a] for a; "
            "here row a must be sent to place order[a].",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output = weights @ v",
            "The rows are right and still in the shuffled order: send row a to place order[a].",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output = (weights @ v)[::-1]",
            "You turn the rows round. That undoes only a shuffle that turned them round.",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output[order] = weights @ v[np.argsort(order)]",
            "You put the values back before the average, but the columns of the weights are still in the shuffled order: "
            "each value got the weight of another token.",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output = weights @ v[np.argsort(order)]",
            "Only the values are back in order. That gives each of them the weight of another token, "
            "and the rows are still shuffled.",
        ),
        Mistake(
            "q @ k.T",
            "q[np.argsort(order)] @ k[np.argsort(order)].T",
            "Queries and keys are put back, the values are not: column j of the weights and row j of `v` "
            "belong to different tokens. Compute first, put back the output.",
        ),
        Mistake(
            _restored_twice,
            "The tokens are put back twice, before and after. Once is enough: the output follows its queries.",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output[order[0]] = (weights @ v)[0]",
            "Only one row has come home: is the `return` inside the loop?",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output = weights[np.argsort(order)][:, np.argsort(order)] @ v",
            "Rows and columns of the weights are put back, the values are not. Now column j and row j of `v` "
            "belong to different tokens.",
        ),
        Mistake(
            "np.exp(s)",
            "np.exp(s - s.max(axis=-1))",
            "The largest scores have lost their axis, so that NumPy lays them along the keys: `keepdims=True` keeps it.",
        ),
        Mistake("/ np.sqrt(q.shape[-1])", "", "The scores are not scaled: divide by √d, d being the last axis of q."),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "q.shape[-1]",
            "You divide the scores by d itself. Divide by its square root.",
        ),
        Mistake("/ np.sqrt", "* np.sqrt", "You multiply the scores by √d. Divide by it."),
        Mistake(
            "np.sqrt(q.shape[-1])", "np.sqrt(len(k))", "You scale by √(number of tokens). d is the last axis of q."
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=0, keepdims=True)",
            "The softmax runs over the queries. Each query shares its attention among the keys: the last axis.",
        ),
        Mistake(
            "e.sum(axis=-1, keepdims=True)",
            "e.sum(axis=-1)",
            "The sums of the rows have lost their axis, so that NumPy lays them along the keys: `keepdims=True` keeps it.",
        ),
        Mistake(
            "e = np.exp(s)\n    weights = e / e.sum(axis=-1, keepdims=True)",
            "e = np.exp(s - s.max(axis=-1, keepdims=True))\n    weights = e / e.sum(axis=0, keepdims=True)",
            "You divide by the sums of the columns. Each query shares its attention among the keys: the last axis.",
        ),
        Mistake(
            "e = np.exp(s)\n    weights = e / e.sum(axis=-1, keepdims=True)",
            "e = np.exp(s - s.max(axis=-1, keepdims=True))\n    weights = e / e.sum(axis=-1)",
            "The largest scores have kept their axis, the sums have not: they need `keepdims=True` as well.",
        ),
        Mistake("e / e.sum(axis=-1, keepdims=True)", "e", "The weights do not sum to 1: divide each row by its sum."),
        Mistake(
            "weights = e / e.sum(axis=-1, keepdims=True)",
            "weights = s",
            "You mix by the scores: the softmax is missing.",
        ),
        Mistake(
            "weights @ v", "weights.T @ v", "`weights.T @ v` mixes by key. Row i of the weights belongs to query i."
        ),
        Mistake("q @ k.T", "k @ q.T", "Your scores lie on their side: row i belongs to query i and column j to key j."),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=-1, keepdims=True) / np.sqrt(q.shape[-1])",
            "The scores are not scaled, and the weights are: divide by √d before the softmax, not after it.",
        ),
        Mistake(
            "e = np.exp(s)\n    weights = e / e.sum(axis=-1, keepdims=True)",
            "e = np.exp(s * np.sqrt(q.shape[-1]))\n    weights = e / e.sum(axis=-1, keepdims=True) / np.sqrt(q.shape[-1])",
            "You divide by √d after the softmax, so that the weights no longer sum to 1. Divide the scores, before it.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "2",
            "You divide by 2, which is √d for the five tokens only. d is the last axis of q.",
        ),
        Mistake(
            "q.shape[-1]", "v.shape[-1]", "d is the last axis of q. You took that of v, which may have another width."
        ),
        Mistake(
            "output = np.zeros(v.shape)",
            "output = np.zeros(q.shape)",
            "Your output is as wide as q. It holds averages of values, so it is as wide as v.",
        ),
        Mistake(
            "output[order] = weights @ v",
            "output = (weights @ v)[:, np.argsort(order)]",
            "`order` names tokens, which are the rows. You index the columns.",
        ),
        Mistake(_unpacked_never, "`attention` returns two things, output and weights: take the first, `[0]`."),
        Mistake(
            _in_place,
            "You overwrite rows that you still need. Write into a new array.",
        ),
        Mistake("q @ k.T", "k @ k.T", "Your keys meet the keys: the scores are `q @ k.T`."),
        Mistake(
            "np.exp(s)",
            "np.exp(s - s.max(axis=0))",
            "You subtract the largest score of each key. That changes the weights; the largest of each row does not.",
        ),
    ],
    alternatives=[
        _restore_before,
        lambda q, k, v, order: attention(q, k, v)[0][np.argsort(order)],
        lambda q, k, v, order: np.eye(len(order))[order].T @ attention(q, k, v)[0],
    ],
    hints=[
        "Attention itself does not care about the order: compute it as usual, then move the rows of the output.",
        "`result[order] = rows` sends row a to place order[a]. `rows[order]` does the opposite.",
        "`np.argsort(order)` is the shuffle that undoes `order`.",
    ],
)


EVERY_ORDER = [list(order) for order in permutations(range(5))]


def _kind(result):
    """What shuffling does to a result: `result(order)` is what comes out when the tokens stand in that order."""
    plain = result(list(range(5)))
    outcomes = [(order, result(order)) for order in EVERY_ORDER]
    if all(np.allclose(after, plain) for _, after in outcomes):
        return "invariant"
    fits = all(after.shape == plain.shape and len(after) == 5 for _, after in outcomes)
    return "equivariant" if fits and all(np.allclose(after, plain[order]) for order, after in outcomes) else "neither"


def _shuffle_q(order, which="qkv", mask=None):
    q, k, v = (x[order] if name in which else x for name, x in (("q", Q), ("k", K), ("v", V)))
    return attention(q, k, v, mask=mask)[0]


def _after_a_shuffle():
    return {
        "all outputs": _kind(lambda order: _shuffle_q(order)),
        "their mean": _kind(lambda order: _shuffle_q(order).mean(axis=0)),
        "the first output row": _kind(lambda order: _shuffle_q(order)[:1]),
        "all outputs, keys and values shuffled only": _kind(lambda order: _shuffle_q(order, "kv")),
        "all outputs, keys shuffled only": _kind(lambda order: _shuffle_q(order, "k")),
        "all outputs under a causal mask": _kind(lambda order: _shuffle_q(order, mask=causal_mask(5))),
    }


after_a_shuffle = Answer(
    "after_a_shuffle",
    title="Prove or refute: attention is permutation invariant",
    minutes=8,
    difficulty=2,
    words=r"""Self-attention without positions, on tokens all different. Somebody shuffles the tokens, in any order they
like. Write for each line what its result is, in one of these three words: `"invariant"` (always stays as it was), `"equivariant"` (always the old rows,
in the new order of the tokens) or `"neither"`. In the first three lines and the last one, queries, keys and values are
shuffled together; *first output row* is the row of whichever token stands first. Decide each with the one-line proof
before you try it out.""",
    expected=_after_a_shuffle,
    mistakes=[
        *(
            Mistake(
                {"all outputs": word},
                f'"{word}": write one of the three words, "invariant", "equivariant" or "neither".',
            )
            for word in (
                "equivariance",
                "invariance",
                "equivarient",
                "invarient",
                "permutation equivariant",
                "permutation invariant",
                "permutation-equivariant",
                "permutation-invariant",
            )
        ),
        Mistake(
            {"all outputs": "invariant"},
            "Row 0 belongs to whoever stands first. After the shuffle that is another token, with another row.",
        ),
        Mistake(
            {"all outputs": "neither"},
            "Each token gets the same weights for the same keys as before, so it gets the same row. Where does it stand?",
        ),
        Mistake(
            {"their mean": "equivariant"},
            "A mean is a single row: there is nothing left in it to reorder.",
        ),
        Mistake(
            {"their mean": "neither"}, "The mean is made of the same five rows, in another order. Does it ask for that?"
        ),
        Mistake(
            {"the first output row": "invariant"},
            "Another token may stand first, and the first row is its row.",
        ),
        Mistake(
            {"the first output row": "equivariant"},
            "This is one row. It is replaced by the row of another token, which is no reordering of itself.",
        ),
        Mistake(
            {"all outputs, keys and values shuffled only": "equivariant"},
            "The rows of the output belong to the queries, and those stay where they are.",
        ),
        Mistake(
            {"all outputs, keys and values shuffled only": "neither"},
            "Each query still meets the same pairs of key and value, and sums over them. Does a sum ask for an order?",
        ),
        Mistake(
            {"all outputs, keys shuffled only": "invariant"},
            "The weights move along with the keys, but the values do not: each value is mixed in with another's weight.",
        ),
        Mistake(
            {"all outputs, keys shuffled only": "equivariant"},
            "The rows belong to the queries, which do not move; and each value now gets another key's weight.",
        ),
        Mistake(
            {"all outputs under a causal mask": "equivariant"},
            "The mask stays in its place when the words move: who stands first sees only itself.",
        ),
        Mistake(
            {"all outputs under a causal mask": "invariant"},
            "Even without a mask row 0 is another token's after the shuffle. With it, tokens also see other keys.",
        ),
    ],
    hints=[
        "Go back to softmax(PQ(PK)ᵀ)PV and leave out the P that a line does not shuffle.",
        "With keys and values only: softmax(QKᵀPᵀ)PV = softmax(QKᵀ)PᵀPV.",
        "Try it: `order = [3, 0, 4, 1, 2]`, `softmax(Q @ K[order].T / 2) @ V` beside `softmax(Q @ K.T / 2) @ V`.",
    ],
)
