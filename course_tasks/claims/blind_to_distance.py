"""Claims about attention without positions. Imports are absolute in these files: a fact is shown with those it uses."""

from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, causal_mask
from course_tasks.claims.claim import claim


@claim(
    "Without positions, attention cannot tell in which order the words come.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every key, two layers": 0.0, "only the past, one layer": 0.0, "only the past, two layers": 0.0},
    because="Permute the words before the last, and compare the output of the last word. Without a mask it changes by "
    "{fact[every key, two layers]}. Under a causal mask it changes by {fact[only the past, one layer]} in one layer, "
    "which is blind to the order of what it sees, and by {fact[only the past, two layers]} in two: the vectors that the "
    "second layer reads depend on their earlier words.",
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
