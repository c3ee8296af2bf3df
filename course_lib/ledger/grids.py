"""Claims about grids, diagonals and how they are filled."""

import numpy as np

from course_lib.example import Q
from course_lib.ledger.claim import claim
from course_lib.reference.bias import decay_bias, decay_row
from course_lib.reference.grid import offsets, row_offsets, to_grid
from course_lib.reference.shaw import key_term
from course_lib.reference.skew import skew_causal, skew_source


@claim(
    "A relative position term is a Toeplitz matrix: every diagonal holds one value.",
    chapter="04",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"a bias": 0.0, "Shaw's term": 0.0},
    because="Along the diagonal beside the main one a bias by offset varies by {fact[a bias]}, Shaw's q · a by "
    "{fact[Shaw's term]}. The index j − i is Toeplitz for both, but Shaw's query is another one in every row.",
    source="run: the five tokens with a random table; Shaw et al. 2018, eq. 4",
)
def always_toeplitz():
    table = np.random.default_rng(0).normal(size=(9, 4))
    grids = {"a bias": decay_bias(5), "Shaw's term": key_term(Q, table)}
    return {name: round(float(np.ptp(np.diagonal(grid, 1))), 4) for name, grid in grids.items()}


@claim(
    "Padding and reshaping, the skew, brings every score to its place.",
    chapter="04",
    stated="half true",
    verdict=lambda fact: "true" if min(fact.values()) == 1 else "half true" if max(fact.values()) == 1 else "false",
    otherwise={"past and present": 1.0, "future": 1.0},
    because="Of the cells up to the query {fact[past and present]:.0%} are in place, of those after it "
    "{fact[future]:.0%}: there stand pieces of the next row. The causal mask must hide them, so an encoder needs the "
    "general form.",
    source="run: labels sent through the trick for six words; Huang et al. 2019, section 3.4.1",
)
def skew_in_place():
    n = 6
    r = offsets(n)
    wanted = np.stack([np.broadcast_to(np.arange(n)[:, None], (n, n)), r + n - 1], axis=-1)
    right = (skew_source(n, n) == wanted).all(axis=-1)
    return {"past and present": float(right[r <= 0].mean()), "future": float(right[r > 0].mean())}


@claim(
    "Shaw's look-up and the skew of Music Transformer compute the same grid of scores.",
    chapter="04",
    stated="true",
    verdict=lambda fact: "true" if fact["largest difference"] < 1e-9 else "false",
    otherwise={"cells compared": 820, "largest difference": 0.7},
    because="Look up a vector for every cell and multiply, or multiply once and skew: on {fact[cells compared]} "
    "visible cells the largest difference is {fact[largest difference]}. They differ in memory, not in what they say.",
    source="run: forty words; Shaw et al. 2018, section 3.3; Huang et al. 2019, section 3.4.1",
)
def one_grid():
    n, rng = 40, np.random.default_rng(0)
    q, table = rng.normal(size=(2, n, 8))  # a row of the table for each offset from −39 to 0
    r = offsets(n)
    looked_up = np.einsum("id,ijd->ij", q, table[np.minimum(r, 0) + n - 1])
    difference = abs(skew_causal(q @ table.T) - looked_up)[r <= 0]
    largest = round(float(difference.max()), 9)
    return {"cells compared": difference.size, "largest difference": largest}


@claim(
    "A bias by offset needs no n × n matrix in memory: a window that slides over one row shows it.",
    chapter="04",
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
