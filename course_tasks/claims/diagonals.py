"""Claims about grids, diagonals and how they are filled."""

import numpy as np

from course_lib.example import Q
from course_lib.reference.bias import decay_bias, decay_row
from course_lib.reference.grid import offsets, row_offsets, to_grid
from course_lib.reference.music_transformer import skew_causal, skew_source
from course_lib.reference.shaw import key_term
from course_tasks.claims.claim import claim


@claim(
    "Along each anti-diagonal of the grid of scores the offset is the same.",
    stated="false",
    verdict=lambda fact: "true" if fact["on the anti-diagonal"] == 1 else "false",
    otherwise={"on the diagonal": 5, "on the anti-diagonal": 1},
    because="The cells of the long diagonal of five words hold {fact[on the diagonal]} offset, those of the long "
    "anti-diagonal {fact[on the anti-diagonal]}. Along a diagonal, from top left to bottom right, query and key both "
    "move on by one, so j − i stays. Along an anti-diagonal i + j stays.",
    source="run: the offsets of five words",
)
def one_offset_on_antidiagonals():
    r = offsets(5)
    lines = {"on the diagonal": np.diagonal(r), "on the anti-diagonal": np.diagonal(r[:, ::-1])}
    return {name: np.unique(line).size for name, line in lines.items()}


@claim(
    "A relative position term is a Toeplitz matrix: every diagonal holds one value.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"a bias": 0.0, "Shaw's term": 0.0},
    because="Along the diagonal beside the main one a bias by offset varies by {fact[a bias]}, Shaw's q · a by "
    "{fact[Shaw's term]}. The index j − i is Toeplitz for both, but each row of Shaw's term has a query of its own.",
    source="run: the five tokens with a random table; Shaw et al. 2018, eq. 4",
)
def always_toeplitz():
    table = np.random.default_rng(0).normal(size=(9, 4))
    grids = {"a bias": decay_bias(5), "Shaw's term": key_term(Q, table)}
    return {name: round(float(np.ptp(np.diagonal(grid, 1))), 4) for name, grid in grids.items()}


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
    "For a decoder, Shaw's look-up and the skew of Music Transformer compute the same scores.",
    stated="true",
    verdict=lambda fact: "true" if fact["largest difference"] < 1e-9 else "false",
    otherwise={"cells compared": 1_640, "largest difference": 0.7},
    because="Look up a vector for every cell and multiply, or multiply once and skew: on {fact[cells compared]:,} "
    "visible cells, with a row for every offset and with rows clipped at eight, the largest difference is "
    "{fact[largest difference]}. They differ in memory, not in what they say.",
    source="run: forty words, twice; Shaw et al. 2018, section 3.3; Huang et al. 2019, section 3.4.1",
)
def one_grid():
    n, rng = 40, np.random.default_rng(0)
    q, table = rng.normal(size=(2, n, 8))  # a row of the table for each offset from −39 to 0
    r, clipped = offsets(n), table[np.maximum(np.arange(n), n - 1 - 8)]
    difference = []
    for rows in (table, clipped):
        looked_up = np.einsum("id,ijd->ij", q, rows[np.minimum(r, 0) + n - 1])
        difference += abs(skew_causal(q @ rows.T) - looked_up)[r <= 0].tolist()
    return {"cells compared": len(difference), "largest difference": round(max(difference), 9)}


@claim(
    "A bias by offset needs no n × n matrix in memory: a window that slides over one row shows it.",
    stated="true",
    verdict=lambda fact: "true" if fact["equal cells"] == fact["cells"] > 100 * fact["numbers kept"] else "false",
    otherwise={"cells": 1_048_576, "equal cells": 1_048_576, "numbers kept": 1_048_576},
    because="With the queries counted from the last, the grid of {fact[cells]:,} cells is the same {fact[numbers "
    "kept]:,} numbers read again and again, one step further per query. {fact[equal cells]:,} cells equal the matrix.",
    source="run: NumPy's sliding window over the row of a log decay",
)
def no_matrix():
    n = 1024
    row = decay_row(row_offsets(n))
    window = np.lib.stride_tricks.sliding_window_view(row, n)
    same = np.sum(window[::-1] == to_grid(row[None], n))
    kept = row.size if np.shares_memory(window, row) else window.size
    return {"cells": window.size, "equal cells": int(same), "numbers kept": kept}


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
