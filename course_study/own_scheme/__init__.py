"""Try out a scheme of your own: check it against its definition, time it beside plain attention, train it in the study.

    from course_study import own_scheme

    def make(n_heads, d_head):               # any Position
        return DecayBias(0.3)

    own_scheme.agrees(make, own_scheme.with_bias(lambda module, head, r: -0.3 * math.log(1 + abs(r))))
    own_scheme.benchmark(make)
    own_scheme.train(make)

`agrees` takes what the scheme adds, written a second time in plain Python: a number per offset (`with_bias`), vectors
on keys and values and a number beside them (`with_vectors`), turned pairs of channels (`with_rotation`), or any other
`Definition`.

Two kinds of schemes cannot be written as a `Position`: positions that are counted from the scores, as in CoPE
(Golovneva et al. 2024), because no hook sees the scores; and a product of matrices along the path from the key to the
query, as in PaTH (Yang et al. 2025). A *sum* along the path is a difference c_i − c_j, so FoX fits.
"""

from course_lib.definition import with_bias, with_rotation, with_vectors

from .agreement import agrees
from .speed import benchmark
from .training import train
