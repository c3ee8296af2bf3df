"""What offsets add to the output, and how weights look by offset."""

import numpy as np

from ...example import K, Q
from ...reference.attention import scores, softmax
from ...reference.grid import from_grid
from ...reference.shaw import clip_index
from ...reference.shaw import value_term as reference_value_term
from ..engine import Axis, Case, Mistake, Property, Task
from .common import LAST_TWO, NUMBER, QUERY, TABLE, sizes

WEIGHTS = softmax(scores(Q, K))
LOOK_BACK = np.eye(5)[[0, 0, 1, 2, 3]]  # every token gives all its weight to the token before, the first to itself


def _value_term(weights, table, past):
    """What the value table adds, Σ_j w_ij c[j - i], query i at position past + i.

    weights (n_q, n_k), table (2·clip + 1, d); returns (n_q, d).
    """
    n_q, n_k = weights.shape
    clip = len(table) // 2
    i = past + np.arange(n_q)[:, None]
    vectors = table[np.clip(np.arange(n_k) - i, -clip, clip) + clip]
    return (weights[:, :, None] * vectors).sum(axis=1)


def _rows_as_keys(weights, table, past):
    return weights @ table


def _by_key(weights, table, past):
    rows = clip_index(np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None], len(table) // 2)
    return (weights[:, :, None] * table[rows]).sum(axis=0)


def _clipped_after_the_shift(weights, table, past):
    clip = len(table) // 2
    rows = np.clip(np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None] + clip, -clip, clip)
    return (weights[:, :, None] * table[rows]).sum(axis=1)


def _last_key_only(weights, table, past):
    rows = clip_index(weights.shape[1] - 1 - past - np.arange(len(weights)), len(table) // 2)
    return weights[:, -1:] * table[rows]


def _weights_of_the_key(weights, table, past):
    clip = len(table) // 2
    result = np.zeros((len(weights), table.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            result[i] += weights[j, i] * table[max(-clip, min(clip, j - past - i)) + clip]
    return result


def _collected(weights, table, past):
    """Weight per row of the table, where a later key overwrites an earlier one; then the vectors."""
    rows = clip_index(np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None], len(table) // 2)
    collected = np.zeros((len(weights), len(table)))
    for j in range(weights.shape[1]):
        collected[np.arange(len(weights)), rows[:, j]] = weights[:, j]
    return collected @ table


def _kept(keep):
    """The right sum, over the offsets that keep(offset, clip) lets through."""

    def term(weights, table, past):
        r = np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None]
        return reference_value_term(weights * keep(r, len(table) // 2), table, past=past)

    return term


def _first_pair(weights, table, past):
    result = np.zeros((len(weights), table.shape[1]))
    result[0] = weights[0, 0] * table[int(clip_index(-past, len(table) // 2))]
    return result


def _running(weights, table, past):
    return np.cumsum(reference_value_term(weights, table, past=past), axis=0)


def _one_list(weights, table, past):
    return np.ones((len(weights), 1)) * _running(weights, table, past)[-1]


value_term = Task(
    title="The value side",
    minutes=14,
    difficulty=2,
    words=r"""To each value the vector of its offset is added. Leave the values out and compute what the table alone
brings to each output:

$$\sum_j w_{ij}\, c_{\mathrm{clip}(j - i)}$$

Query $i$ stands at position `past + i`, key $j$ at position $j$; the clip is `len(table) // 2`. If all the weight of a
query lies on the token before it, its result is the row of the table for −1. Two ways lead there: a vector for every
pair, or first the weight per offset and then one product.""",
    solution=_value_term,
    expected=lambda weights, table, past: reference_value_term(weights, table, past=past),
    cases=[
        Case(WEIGHTS, TABLE, 0, says="the five tokens", axes=(QUERY, NUMBER)),
        Case(LOOK_BACK, TABLE, 0, says="all weight on the token before", axes=(QUERY, NUMBER)),
        Case(WEIGHTS[3:], TABLE, 3, says="the last two of the five, three are past", axes=(LAST_TWO, NUMBER)),
        Case(WEIGHTS, TABLE[1:4, :2], 0, says="clip 1, vectors of two numbers", axes=(QUERY, NUMBER)),
        Case(WEIGHTS[:2], TABLE, 0, says="two queries, five keys", axes=(Axis("query"), NUMBER)),
        Case(WEIGHTS, TABLE[2:3], 0, says="clip 0: the same vector for all", axes=(QUERY, NUMBER)),
        Case(np.ones((1, 1)), TABLE, 0, says="one token alone", axes=("query", "number")),
    ],
    draw=lambda rng: (
        softmax(rng.normal(size=(s := sizes(rng))[:2])),
        rng.normal(size=(2 * s[2] + 1, int(rng.integers(1, 6)))),
        s[3],
    ),
    mistakes=[
        Mistake(
            _collected,
            "Offsets beyond the clip share a row, and only the last of their weights is left there. `=` overwrites; so does `+=` with an array of rows, where an index is repeated. Add them one by one, or with `np.add.at`.",
        ),
        Mistake(
            _kept(lambda r, clip: abs(r) <= clip),
            "Offsets beyond the clip are left out. They share the outermost vector.",
        ),
        Mistake(
            _kept(lambda r, clip: r <= 0),
            "Keys after their query are left out. No mask is asked for: every key counts with its weight.",
        ),
        Mistake(_first_pair, "Only the first pair has left a trace: is a `return` inside the loop over the keys?"),
        Mistake(_running, "Each query goes on with the sum of the query before it. Start with zeros for every query."),
        Mistake(_one_list, "All rows are one and the same sum over all queries. Start a new array for every query."),
        Mistake(
            "np.arange(n_k) - i",
            "np.arange(n_k) - past + np.arange(n_q)[:, None]",
            "`j - past + i` adds i again. The position of the query is subtracted as a whole: brackets round `past + i`.",
        ),
        Mistake(
            _weights_of_the_key,
            "You take the weight that key j gives to query i. Row i of the weights belongs to query i: `weights[i, j]`.",
        ),
        Mistake(
            _last_key_only,
            "Only the last key has left a trace: each key overwrites the one before. Add them up, `+=`.",
        ),
        Mistake(
            "clip) + clip]",
            "clip) - clip]",
            "You shift down instead of up, and NumPy counts negative rows from the end. Offset −clip should take row 0.",
        ),
        Mistake(
            "-clip, clip)",
            "clip, clip)",
            "Every pair gets the last row of the table: the lower limit of `np.clip` is −clip.",
        ),
        Mistake(
            "np.arange(n_k) - i",
            "n_k - i",
            "Every key of a query gets the same vector: j runs over the positions of the keys, `np.arange(n_k)`.",
        ),
        Mistake(
            "np.arange(n_k) - i",
            "np.arange(n_k)[None]",
            "You clip the position of the key. Its offset from the query is j − i.",
        ),
        Mistake(
            "np.arange(n_k) - i",
            "i",
            "You clip the position of the query. The offset is key minus query, j − i.",
        ),
        Mistake(
            "len(table) // 2",
            "2",
            "The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.",
        ),
        Mistake(
            "np.arange(n_k) - i",
            "i - np.arange(n_k)",
            "Before and after have changed places: the offset is key minus query, j − i.",
        ),
        Mistake("past + ", "", "`past` has no effect: query i stands at position past + i."),
        Mistake("past + ", "-past + ", "`past` has the wrong sign: query i stands at position past + i."),
        Mistake(
            "weights[:, :, None] * vectors",
            "vectors",
            "The weights have no effect: each vector counts as much as its key's weight.",
        ),
        Mistake(
            ".sum(axis=1)",
            ".mean(axis=1)",
            "You take the mean over the keys. The weights sum to 1 already: a sum is the average you want.",
        ),
        Mistake(_by_key, "You sum over the queries. The result has one row per query: sum over the keys, axis 1."),
        Mistake(
            ".sum(axis=1)",
            ".sum(axis=2)",
            "You sum over the numbers of the vectors. Sum over the keys, axis 1, and keep the numbers.",
        ),
        Mistake(
            _rows_as_keys,
            "`weights @ table` gives key j the row j of the table. Which row it takes depends on j − i.",
        ),
        Mistake(
            _clipped_after_the_shift,
            "You shift first and clip afterwards: all keys ahead get the vector of offset 0. Clip, then shift.",
        ),
        Mistake(
            "clip) + clip]",
            "clip)]",
            "The rows are not shifted: offset −clip should take row 0, and NumPy reads row −1 as the last one.",
        ),
        Mistake(
            "np.arange(n_k) - i",
            "abs(np.arange(n_k) - i)",
            "With the distance |j − i| the keys before the query take the vectors of those after it.",
        ),
        Mistake(
            "np.clip(np.arange(n_k) - i, -clip, clip)",
            "(np.arange(n_k) - i)",
            "Nothing is clipped: far keys ask for rows that the table does not have.",
        ),
        Mistake("len(table) // 2", "len(table)", "The clip is half of the table: it has 2·clip + 1 rows."),
        Mistake(
            "np.arange(n_k) - i",
            "np.arange(n_k) + i",
            "You add the two positions. The offset is their difference, j − i.",
        ),
        Mistake(
            "return (weights[:, :, None] * vectors).sum(axis=1)",
            "return weights[:, :, None] * vectors",
            "These are the contributions of all pairs, (n_q, n_k, d). Add them up over the keys.",
        ),
    ],
    alternatives=[
        lambda weights, table, past: [
            sum(w * table[int(clip_index(j - past - i, len(table) // 2))] for j, w in enumerate(row))
            for i, row in enumerate(weights)
        ],
        lambda weights, table, past: np.einsum(
            "ij,ijd->id",
            weights,
            table[clip_index(np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None], len(table) // 2)],
        ),
    ],
    hints=[
        "Two loops: for each query i, start with zeros and add `weights[i, j] * table[row]` for each key j.",
        "The row is that of the key table: the offset clipped, plus clip.",
        "At once: `table[rows]` is (n_q, n_k, d). Multiply by `weights[:, :, None]` and sum over axis 1.",
    ],
)


def _offset_profile(weights):
    """Mean weight of each offset, from -(n_q - 1) to n_k - 1.

    weights (n_q, n_k); returns (n_q + n_k - 1,).
    """
    n_q, n_k = weights.shape
    return np.array([np.diagonal(weights, r).mean() for r in range(-(n_q - 1), n_k)])


def _expected_profile(weights):
    return (from_grid(weights) / from_grid(np.ones_like(weights)))[0]


def _along_anti_diagonals(weights):
    return _expected_profile(weights[:, ::-1])


def _by_distance(weights):
    rows, columns = np.indices(weights.shape)
    return np.array([weights[abs(columns - rows) == d].mean() for d in range(max(weights.shape))])


def _first_only(weights):
    profile = np.zeros(sum(weights.shape) - 1)
    profile[0] = weights[-1, 0]
    return profile


def _offset_0_first(weights):
    return np.roll(_expected_profile(weights), 1 - len(weights))


def _pairs_of_a_square(which):
    """Sums divided by n − |r|, where n is the number of queries (0) or keys (1)."""

    def profile(weights):
        n_q, n_k = weights.shape
        with np.errstate(all="ignore"):
            return from_grid(weights)[0] / (weights.shape[which] - abs(np.arange(1 - n_q, n_k)))

    return profile


def _last_of_each(weights):
    profile = np.zeros(sum(weights.shape) - 1)
    for row in range(len(weights)):
        profile[np.arange(weights.shape[1]) - row + len(weights) - 1] = weights[row]
    return profile / from_grid(np.ones_like(weights))[0]


def _last_in_both(weights):
    """The last of each diagonal, where the counts of pairs are lost in the same way."""
    return _last_of_each(weights) * from_grid(np.ones_like(weights))[0]


def _turned_over(weights):
    return _expected_profile(weights[::-1])


def _shifted_by_the_keys(weights):
    n_q, n_k = weights.shape
    profile = np.zeros(n_q + n_k - 1)
    for r in range(1 - n_q, n_k):
        profile[r + n_k - 1] = np.diagonal(weights, r).mean()
    return profile


def _lengths_of_a_square(weights):
    n = len(weights)
    return from_grid(weights)[0] / (n - abs(np.arange(1 - n, n)))


OFFSET = Axis("offset", ("−4", "−3", "−2", "−1", "0", "+1", "+2", "+3", "+4"))
DIAGONALS = "np.diagonal(weights, r).mean()"

offset_profile = Task(
    title="A profile by offset",
    minutes=8,
    difficulty=2,
    words="""How much weight does each offset get on average? All pairs at offset $j - i$ lie on one diagonal: take the mean of
each, from the offset $-(n_q - 1)$ in the lower left corner to $n_k - 1$ in the upper right one. (Query $i$ stands at
position $i$ here.)

`offset_profile(np.array([[0.9, 0.1], [0.6, 0.4]]))` is `[0.6, 0.65, 0.1]`.""",
    solution=_offset_profile,
    expected=_expected_profile,
    cases=[
        Case(WEIGHTS, says="the five tokens without position", axes=(OFFSET,)),
        Case(LOOK_BACK, says="all weight on the token before", axes=(OFFSET,)),
        Case(np.array([[0.9, 0.1], [0.6, 0.4]]), says="the example above", axes=(Axis("offset", ("−1", "0", "+1")),)),
        Case(WEIGHTS[:2], says="two queries, five keys", axes=(Axis("offset", ("−1", "0", "+1", "+2", "+3", "+4")),)),
        Case(np.ones((1, 1)), says="one token alone", axes=(Axis("offset"),)),
    ],
    draw=lambda rng: (softmax(rng.normal(size=(int(rng.integers(2, 6)), int(rng.integers(2, 7))))),),
    properties=[
        Property(
            "no mean above the largest weight",
            lambda profile, weights: np.max(profile) <= np.max(weights) + 0.01,
            "A mean cannot be larger than the largest weight. Do you divide by how many pairs each offset has?",
        )
    ],
    mistakes=[
        Mistake(
            _pairs_of_a_square(0),
            "n − |r| is the number of pairs in a square only. With more keys than queries, or fewer, count what stands on each diagonal; `n_q − |r|` can even be 0.",
        ),
        Mistake(
            _pairs_of_a_square(1),
            "n − |r| is the number of pairs in a square only. With more keys than queries, or fewer, count what stands on each diagonal; here n is the number of keys.",
        ),
        Mistake(
            _lengths_of_a_square,
            "n − |r| is the number of pairs in a square only. With more keys than queries, or fewer, count what stands on each diagonal: the offsets go up to n_k − 1.",
        ),
        Mistake(
            lambda weights: np.round(_expected_profile(weights), 2),
            "These are rounded to two decimals. Keep all digits.",
        ),
        Mistake(
            DIAGONALS,
            "np.median(np.diagonal(weights, r))",
            "This is the median of each diagonal. The mean is asked for.",
        ),
        Mistake(
            _last_of_each,
            "Each offset has kept one of its weights only: `=` overwrites, and so does `+=` where an index is repeated. Add them all, as `np.add.at` does.",
        ),
        Mistake(
            _last_in_both,
            "This is the last weight of each diagonal: `+=` with a whole array of places adds once per place, to sums and "
            "counts alike. `np.add.at` adds all of them.",
        ),
        Mistake(
            _turned_over,
            "The rows are turned upside down, so that these are anti-diagonals, where i + j is constant. Leave the rows as they are.",
        ),
        Mistake(
            _shifted_by_the_keys,
            "The lowest offset, −(n_q − 1), belongs at index 0. So the shift is n_q − 1, and n_k − 1 is the same in a square only.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(n_q)",
            "Only the offsets from 0 on, one for each query. They go from −(n_q − 1) to n_k − 1.",
        ),
        Mistake(_first_only, "All but the first entry is 0: is the `return` indented too far?"),
        Mistake(
            _offset_0_first,
            "Yours begins with offset 0 and has the negative ones at its end, where p[−1] lies for NumPy. The offset r belongs at r + n_q − 1.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(n_q - 1, n_k)",
            "You begin at +(n_q − 1). The lowest offset is negative: the lower left corner, −(n_q − 1).",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_q + 1), n_k)",
            "Two offsets too many at the beginning: the lowest is −(n_q − 1).",
        ),
        Mistake(
            DIAGONALS,
            "np.diagonal(weights, r).sum()",
            "These are sums. The middle diagonals are longer than the outer ones: divide each by its own number of pairs.",
        ),
        Mistake(
            DIAGONALS,
            "np.diagonal(weights, r).sum() / n_q",
            "Every sum is divided by one number, that of the queries (or by the sum of all weights, which equals it). Each diagonal has its own number of pairs: fewer towards the corners.",
        ),
        Mistake(
            DIAGONALS,
            "np.diagonal(weights, r).sum() / (n_q + n_k - 1)",
            "Every diagonal is divided by the number of offsets. Divide by the number of pairs on it.",
        ),
        Mistake(
            "np.diagonal(weights, r)",
            "np.diagonal(weights, -r)",
            "The order is reversed: it should begin with the lower left corner, the key furthest before its query.",
        ),
        Mistake(
            _along_anti_diagonals,
            "You go along the anti-diagonals, where i + j is constant. The offset is constant along the other direction.",
        ),
        Mistake(
            _by_distance,
            "You put +r and −r together. Before and after are different offsets, each with a mean of its own.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(n_k)",
            "Only the offsets from 0 on. Those of the keys before the query are missing.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_q - 1), 1)",
            "Only the offsets up to 0. Those of the keys after the query are missing.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_q - 1), n_k - 1)",
            "The last offset is missing: `range` stops before its end, and n_k − 1 should be in.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-n_q, n_k)",
            "One offset too many at the beginning: the lowest is −(n_q − 1), and −n_q has no pairs.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_q - 1), n_k + 1)",
            "One offset too many at the end: the highest is n_k − 1, and n_k has no pairs.",
        ),
        Mistake(
            DIAGONALS,
            "np.diagonal(weights, r).max()",
            "This is the largest weight of each offset. The mean is asked for.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_k - 1), n_q)",
            "n_q and n_k have changed places: offsets go down to −(n_q − 1) and up to n_k − 1.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_q - 1), n_q)",
            "There may be more keys than queries: the highest offset is n_k − 1.",
        ),
        Mistake(
            "range(-(n_q - 1), n_k)",
            "range(-(n_k - 1), n_k)",
            "There may be fewer queries than keys: the lowest offset is −(n_q − 1).",
        ),
    ],
    alternatives=[
        _expected_profile,
        lambda weights: [
            np.mean([weights[i, i + r] for i in range(len(weights)) if 0 <= i + r < weights.shape[1]])
            for r in range(1 - len(weights), weights.shape[1])
        ],
    ],
    hints=[
        "`np.diagonal(weights, r)` gives the pairs at offset r: 0 is the main diagonal, negative r lies below it.",
        "Loop over r from −(n_q − 1) up to and including n_k − 1, and take the mean of each.",
    ],
)
