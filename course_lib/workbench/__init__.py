"""Try out a scheme of your own: check it against its definition, time it against plain attention, and train it as the
study does.

    from course_lib import workbench

    def make(n_heads, d_head):               # any Position
        return DecayBias(0.3)

    workbench.agrees(make, workbench.with_bias(lambda module, head, r: -0.3 * math.log(1 + abs(r))))
    workbench.benchmark(make)
    workbench.train(make)

`agrees` takes what the scheme adds, written a second time in plain Python: a number per offset (`with_bias`), vectors
on keys and values and a number beside them (`with_vectors`), turned pairs of channels (`with_rotation`), or any other
`Definition`.

What the hooks cannot express. `bias` and the vectors know positions only. `key_bias` also knows the text, but gives one
number per key, for all queries. `rotate` sees queries and keys, and changes each of them by itself. So two kinds of
schemes cannot be written as a `Position`:

- positions that are counted from the scores, as in CoPE (Golovneva et al. 2024), because no hook sees the scores;
- a product of matrices along the path from the key to the query, each made from a token, as in PaTH (Yang et al. 2025).
  A *sum* along the path is a difference c_i − c_j, and that is why FoX fits. A product splits into a part for i and a
  part for j only if each of its matrices can be undone, and those of PaTH may erase a direction.

A scheme is refused in words if a hook asks for more than it is given, or returns a bias for each text.
"""

from .against_definition import Agreement, agrees
from .definition import Definition, by_definition, with_bias, with_rotation, with_vectors
from .speed import Speed, benchmark
from .training import Training, train

__all__ = [
    "Agreement",
    "Definition",
    "Speed",
    "Training",
    "agrees",
    "benchmark",
    "by_definition",
    "train",
    "with_bias",
    "with_rotation",
    "with_vectors",
]
