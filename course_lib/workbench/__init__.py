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

The hooks of a `Position` know positions, offsets and the text that the keys are made from, but no hook sees the scores:
a scheme whose positions depend on them, as in CoPE (Golovneva et al. 2024), cannot be written with these hooks.
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
