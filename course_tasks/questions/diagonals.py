"""Questions about grids, diagonals and how they are filled."""

import numpy as np

from course_lib.reference.grid import from_grid, offsets, to_grid
from course_lib.reference.music_transformer import skew_source
from course_tasks.questions.form import claim, judged, question


@claim(
    "Padding and reshaping, the skew, brings every score to its place.",
    "Of the cells up to the query {past:.0%} are in place, of those after it {after:.0%}. These hold {zeros} zeros of "
    "the padding and {others} products of the next query. The causal mask must hide them, so an encoder needs the "
    "general form.",
    "run: labels sent through the trick for six words; Huang et al. 2019, section 3.4.1",
)
def skew_in_place():
    n = 6
    r, found, queries = offsets(n), skew_source(n, n), np.arange(n)[:, None]
    wanted = np.stack([np.broadcast_to(queries, (n, n)), r + n - 1], axis=-1)
    right, row = (found == wanted).all(axis=-1), found[..., 0]
    past, after = right[r <= 0].mean(), right[r > 0].mean()
    zeros, others = (row[r > 0] == -1).sum(), (row == queries + 1)[r > 0].sum()
    return judged(past == 1, after == 1), dict(past=past, after=after, zeros=zeros, others=others)


@question(
    "x is a row of 2n − 1 numbers, one per offset. What is `from_grid(to_grid(x, n))`?",
    {
        "x": "That would be an inverse. `from_grid` is the adjoint: it adds up every copy that was placed in the grid.",
        "x, each number times the number of cells of its diagonal": "Yes: n times for offset 0, once for each corner. "
        "A gradient is collected in this way.",
        "n · x": "Only offset 0 has n cells. The farther an offset, the shorter its diagonal.",
    },
)
def adjoint():
    x, n = np.random.default_rng(0).normal(size=(1, 11)), 6
    back, cells = from_grid(to_grid(x, n)), from_grid(np.ones((n, n)))
    ways = {"x": x, "x, each number": x * cells, "n · x": n * x}
    return next(name for name, way in ways.items() if np.allclose(back, way))
