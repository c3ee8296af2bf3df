"""Questions about grids, diagonals and how they are filled."""

import numpy as np

from course_chapters.form import question
from course_lib.reference.grid import from_grid, to_grid


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
