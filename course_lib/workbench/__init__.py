"""A bench for a scheme of your own: held against its definition, timed beside plain attention, trained by the study.

    from course_lib import workbench

    def make(n_heads, d_head):               # any Position
        return DecayBias(0.3)

    workbench.agrees(make, workbench.with_bias(lambda module, head, r: -0.3 * math.log(1 + abs(r))))
    workbench.benchmark(make)
    workbench.train(make)

`agrees` takes what the scheme adds, said once more in plain Python: a number per offset (`with_bias`), vectors on keys
and values and a number beside them (`with_vectors`), turned pairs of channels (`with_rotation`), or any other
`Definition`.
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
