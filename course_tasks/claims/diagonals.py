"""Claims about grids, diagonals and how they are filled."""

import numpy as np

from course_lib.reference.grid import offsets
from course_lib.reference.music_transformer import skew_source
from course_tasks.claims.claim import claim


@claim(
    "Padding and reshaping, the skew, brings every score to its place.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if fact["up to the query"] == fact["after it"] == 1
        else "half true"
        if fact["up to the query"] == 1
        else "false"
    ),
    otherwise={"up to the query": 1.0, "after it": 1.0, "zeros": 0, "of the next row": 0},
    because="Of the cells up to the query {fact[up to the query]:.0%} are in place, of those after it "
    "{fact[after it]:.0%}. These hold {fact[zeros]} zeros of the padding and {fact[of the next row]} products of the "
    "next query. The causal mask must hide them, so an encoder needs the general form.",
    source="run: labels sent through the trick for six words; Huang et al. 2019, section 3.4.1",
)
def skew_in_place():
    n = 6
    r, found = offsets(n), skew_source(n, n)
    wanted = np.stack([np.broadcast_to(np.arange(n)[:, None], (n, n)), r + n - 1], axis=-1)
    right, row = (found == wanted).all(axis=-1), found[..., 0]
    return {
        "up to the query": float(right[r <= 0].mean()),
        "after it": float(right[r > 0].mean()),
        "zeros": int(np.sum(row[r > 0] == -1)),
        "of the next row": int(np.sum((row == np.arange(n)[:, None] + 1)[r > 0])),
    }


@claim(
    "The skew brings the memory of relative vectors down from n²d to nd.",
    stated="true",
    verdict=lambda fact: "true" if fact["gathered"] == fact["words"] * fact["table"] else "false",
    otherwise={"words": 256, "gathered": 16_384, "table": 16_384, "products": 256},
    because="A vector for every pair of {fact[words]} words takes {fact[gathered]:,} KiB a head, the table that the "
    "skew works with {fact[table]} KiB: n times less. The sentence is about the vectors: the products with the queries "
    "are still n × n numbers, {fact[products]} KiB.",
    source="run: one head of 64, four bytes a number; Huang et al. 2019, section 3.4",
)
def skew_memory():
    n, d = 256, 64
    q, table = np.ones((2, n, d), np.float32)  # a row of the table for each offset from −255 to 0
    gathered = table[np.minimum(offsets(n), 0) + n - 1]
    sizes = {"gathered": gathered, "table": table, "products": q @ table.T}
    return {"words": n, **{name: x.nbytes // 1024 for name, x in sizes.items()}}
