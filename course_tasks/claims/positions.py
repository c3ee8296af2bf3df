"""Claims about positions and offsets. Imports are absolute here: each fact is shown with those it uses, for a cell."""

import numpy as np

from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, causal_mask, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index
from course_tasks.claims.claim import claim


@claim(
    "Without positions, attention cannot tell in which order the words come.",
    chapter="blind_to_distance",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every key, two layers": 0.0, "only the past, one layer": 0.0, "only the past, two layers": 0.0},
    because="Put the words before the last into another order, and watch the answer of the last word. Where each word "
    "sees all the others it changes by {fact[every key, two layers]}. Under a causal mask it changes by {fact[only the "
    "past, one layer]} in one layer, which is blind to the order of what it sees, and by {fact[only the past, two "
    "layers]} in two: the words that the second layer reads have themselves seen different words.",
    source="run: the five tokens of the course; Vaswani et al. 2017, section 3.5",
)
def words_in_another_order():
    def last_word(order, layers, mask):
        x = V[order]
        for _ in range(layers):
            x = attention(Q[order], K[order], x, mask=mask)[0]
        return x[-1]

    cases = {
        "every key, two layers": (2, None),
        "only the past, one layer": (1, causal_mask(5)),
        "only the past, two layers": (2, causal_mask(5)),
    }
    orders, change = ([0, 1, 2, 3, 4], [3, 1, 0, 2, 4]), {}
    for name, (layers, mask) in cases.items():
        one, other = (last_word(order, layers, mask) for order in orders)
        change[name] = round(float(abs(one - other).max()), 4)
    return change


@claim(
    "With relative positions nothing in a longer text is new: every distance was seen in training.",
    chapter="absolute_positions",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every offset its own": 0.0, "clipped": 0.0},
    because="At twice the training length, a scheme with a number for every offset meets offsets that it never saw "
    "in {fact[every offset its own]:.1%} of the pairs. With clipping it is {fact[clipped]:.0%}: far offsets share a "
    "row that was trained.",
    source="run: trained at 128, tested at 256, all pairs counted, clipped at 16; Shaw et al. 2018, section 3.2",
)
def nothing_new():
    trained, tested = offsets(128), offsets(256)
    alone = np.isin(tested, trained, invert=True).mean()
    clipped = np.isin(clip_index(tested, 16), clip_index(trained, 16), invert=True).mean()
    return {"every offset its own": round(float(alone), 4), "clipped": round(float(clipped), 4)}


@claim(
    "Under a bias that falls with distance, no word looks less at itself.",
    chapter="bias_by_hand",
    stated="true",
    verdict=lambda fact: "true" if fact["less"] == 0 else "false",
    otherwise={"more": 4800, "the same": 600, "less": 600},
    because="Under three decays, with and without a causal mask, a random word looks more at itself than without the decay "
    "in {fact[more]:,} cases, as much in {fact[the same]:,} and less in {fact[less]}. It must be so, because its own score "
    "keeps a bias of zero, and the sum in the softmax cannot grow. A first word that sees only itself keeps all of its weight.",
    source="run: random scores, three decays",
)
def own_word_gains():
    scores = np.random.default_rng(0).normal(size=(200, 5, 5))
    change = []
    for hidden in (0, np.where(causal_mask(5), 0, -np.inf)):
        for decay in ("log", "linear", "quadratic"):
            bias = decay_bias(5, decay=decay)
            gain = softmax(scores + hidden + bias) - softmax(scores + hidden)
            change.append(np.diagonal(gain, axis1=1, axis2=2))
    counts = {"more": np.greater, "the same": np.equal, "less": np.less}
    return {name: int(np.sum(compare(change, 0))) for name, compare in counts.items()}


@claim(
    "Shaw's tables are shared by all heads.",
    chapter="vector_per_distance",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if max(fact["tables in a layer"].values()) == 1
        else "half true"
        if min(fact["tables in a layer"].values()) == 1
        else "false"
    ),
    otherwise={"tables in a layer": {"base": 1, "big": 1}, "vectors in a layer": {"base": 33, "big": 17}},
    because="In the paper's big model they are: {fact[tables in a layer][big]} table of keys in a layer, with "
    "{fact[vectors in a layer][big]} vectors. In its base model each head has its own: {fact[tables in a layer][base]} "
    "tables with {fact[vectors in a layer][base]} vectors. The paper says only that tables can be shared.",
    quoted=True,
    source="Shaw et al. 2018, section 4.1: unique per layer and head in the base model, per layer in the big one",
)
def shaw_shares_over_heads():
    models = {"base": (8, 16, "head"), "big": (16, 8, "layer")}  # heads, k, a table for each
    tables = {name: heads if each == "head" else 1 for name, (heads, _, each) in models.items()}
    vectors = {name: tables[name] * (2 * k + 1) for name, (_, k, _) in models.items()}
    return {"tables in a layer": tables, "vectors in a layer": vectors}
