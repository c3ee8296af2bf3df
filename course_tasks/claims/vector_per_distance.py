"""Claims about Shaw's vectors."""

import numpy as np

from course_lib.reference.grid import offsets
from course_tasks.claims.claim import claim


@claim(
    "Shaw's tables are shared by all heads.",
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


@claim(
    "Naive relative attention is O(n³).",
    stated="false",
    verdict=lambda fact: "true" if fact["times, for twice the words"] >= 8 else "false",
    otherwise={"times, for twice the words": 8, "times, for twice the channels": 1},
    because="Look up a vector for every pair of words, and multiply it with the query channel by channel. For twice the "
    "words these are {fact[times, for twice the words]} times as many products, for twice the channels {fact[times, for "
    "twice the channels]} times as many. So the naive way is O(n²d), in time and in memory. With a fixed number of "
    "channels it is not cubic.",
    source="run: the looked-up vectors of one head counted; Shaw et al. 2018, section 3.3",
)
def naive_is_cubic():
    def products(n, d):
        vectors = np.ones((2 * n - 1, d), np.int8)[offsets(n) + n - 1]  # (n, n, d)
        return vectors.size

    few = products(64, 16)
    more = {"the words": products(128, 16), "the channels": products(64, 32)}
    return {f"times, for twice {what}": count // few for what, count in more.items()}
