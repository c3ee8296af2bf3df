"""Bug hunt: the table that repeats the projection."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property

from . import independence


def _random_layers(seeds, d_model, d_head, clip):
    """For each seed random W_q (d_model, d_head) and two tables (2·clip + 1, d_head).

    Returns three lists, as long as seeds: all W_q, all key tables, all value tables.
    """
    generators = [np.random.default_rng(seed) for seed in seeds]

    def draw(rows):
        return [rng.normal(size=(rows, d_head)) / np.sqrt(d_head) for rng in generators]

    return draw(d_model), draw(2 * clip + 1), draw(2 * clip + 1)


def _random_layers_given(seeds, d_model, d_head, clip):
    """For each seed random W_q (d_model, d_head) and two tables (2·clip + 1, d_head).

    Returns three lists, as long as seeds: all W_q, all key tables, all value tables.
    """

    def draw(rows):
        return [np.random.default_rng(seed).normal(size=(rows, d_head)) / np.sqrt(d_head) for seed in seeds]

    return draw(d_model), draw(2 * clip + 1), draw(2 * clip + 1)


def _one_by_one(arrays):
    """A function of the task that makes each layer by itself: arrays(seed, shapes) gives its three arrays."""
    return lambda seeds, *sizes: tuple(zip(*(arrays(seed, independence.shapes(*sizes)) for seed in seeds)))


def _drawn(seed, shape):
    return np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[1])


random_layers = CodingTask(
    title="Bug hunt: the table that repeats the projection",
    minutes=8,
    difficulty=2,
    words=r"""A layer needs random numbers to start from, for a projection $W_q$ and two tables. This function makes
them for several layers, each from a seed of its own, so that a seed always gives the same layer and another seed gives
another layer. It runs, the shapes are right, and the spread of the numbers is $1/\sqrt{d}$ as wanted. But the three
arrays of a layer are not independent. As in the lesson's example, one repeats the numbers of another. Find out why, and
fix it. Layers of two different seeds should not share numbers either.

The check looks for runs of numbers that appear in two arrays, up to a factor. In `random_layers([7, 5, 7], 8, 4, 3)`,
the last layer should still equal the first.""",
    solution=_random_layers,
    starter=_random_layers_given,
    expected=None,
    returns=("w_q", "key_table", "value_table"),
    cases=[
        Case([123, 7, 5, 6, 123], 8, 4, 3, label="the sizes of the lesson's example"),
        Case([0, 40, 0], 64, 16, 16, label="real heads"),
        Case([1], 48, 16, 24, label="more rows in the tables than in W_q"),
        Case([7, 7], 512, 64, 2, label="a small clip"),
        Case([5, 20], 16, 32, 0, label="clip 0: tables of a single row"),
    ],
    properties=[
        Property(
            "shapes",
            independence.has_shapes,
            "For each seed, W_q has the shape (d_model, d_head), and both tables have the shape (2·clip + 1, d_head).",
        ),
        Property(
            "the same seed, the same layer",
            independence.same_for_the_same_seed,
            "A seed that appears twice in the list gives two different layers. A layer should depend only on its seed.",
        ),
        Property(
            "another seed, another layer",
            independence.another_for_another_seed,
            "Different seeds give the same W_q. Either the seed has no effect, or only one of the seeds is used.",
        ),
        Property(
            "the key table is new",
            independence.apart(0, 1),
            "The key table repeats numbers of W_q. Each array should be drawn where the one before it stopped.",
        ),
        Property(
            "the value table is new",
            independence.apart(0, 2),
            "The value table repeats numbers of W_q. Each array should be drawn where the one before it stopped.",
        ),
        Property(
            "two tables",
            independence.apart(1, 2),
            "The two tables repeat each other's numbers. They are learned separately, and should start separately.",
        ),
        Property(
            "layers of their own",
            independence.layers_apart,
            "Layers of two different seeds share numbers. Does one layer use seed + 1 or seed + 2, where another "
            "begins? One generator per seed is enough for all three arrays.",
        ),
        Property(
            "rows of their own", independence.rows_differ, "Some rows of an array repeat each other. Draw all of them."
        ),
        Property(
            "spread",
            independence.has_spread,
            "The spread of the numbers has changed. It should be 1/√d_head in all arrays.",
        ),
        Property("centred", independence.is_centred, "The numbers should scatter around 0, with both signs."),
    ],
    pieces="""
2 * clip + 1
    the number of rows: A table has 2·clip + 1 rows, one for each offset from −clip to clip.
2
    the factor 2: A table has 2·clip + 1 rows, one for each offset from −clip to clip.
clip
    the clip: A table has 2·clip + 1 rows, one for each offset from −clip to clip.
draw(d_model)
    the drawing of W_q: All three arrays are drawn for each seed.
draw(2 * clip + 1)
    the drawing of a table: All three arrays are drawn for each seed.
np.sqrt(d_head)
    the scaling: The spread of the numbers should be 1/√d_head.
""",
    slips="""
draw(2 * clip + 1), draw(2 * clip + 1) → draw(2 * clip), draw(2 * clip)
    Your tables lack a row. The offsets from −clip to clip are 2·clip + 1.
size=(rows, d_head) → size=(d_head, rows)
    You exchanged the two axes of each array. W_q has d_model rows, and a table has 2·clip + 1 rows.
np.sqrt(d_head) → d_head
    The numbers are too small now. The spread should be 1/√d_head, not 1/d_head.
default_rng(seed) → default_rng(seeds[0])
    All layers start from the first seed. Each has a seed of its own.
[np.random.default_rng(seed) for seed in seeds] → [np.random.default_rng(seeds[0])] * len(seeds)
    You use one generator for all layers, so only the first seed counts, and a repeated seed gives another layer.
    Start a generator for each seed.
rng in generators → rng in map(dict(zip(seeds, generators)).get, seeds)
    You keep one generator for each *different* seed, so a seed that appears twice continues where its first layer
    stopped. Start a generator for each entry of the list.
draw(2 * clip + 1), draw(2 * clip + 1) → *[draw(2 * clip + 1)] * 2
    One generator for each layer is right. But the value table is a copy of the key table, so draw it too.
draw(2 * clip + 1), draw(2 * clip + 1) → *[[np.zeros((2 * clip + 1, d_head)) for seed in seeds]] * 2
    Tables of zeros repeat nothing, but they are not random. The spread should be 1/√d_head.
[np.random.default_rng(seed) for seed in seeds] → [np.random.default_rng(seeds)] * len(seeds)
    Your one generator starts from the whole list, so each layer depends on all seeds. It should depend on its own seed
    only, so start a generator for each seed.
""",
    alternatives=[
        _one_by_one(lambda seed, shapes: map(_drawn, np.random.SeedSequence(seed).spawn(3), shapes)),
        _one_by_one(lambda seed, shapes: [_drawn([seed, which], shape) for which, shape in enumerate(shapes)]),
    ],
    hints=[
        "How often is a generator started for one seed? Compare the first rows of W_q with those of the key table.",
        "A generator continues where it stopped. Start one for each seed, outside of `draw`.",
    ],
)


def _from_seeds(a, b, c):
    """The three arrays of a layer from the generators of seed + a, seed + b and seed + c."""
    return _one_by_one(lambda seed, shapes: map(_drawn, (seed + a, seed + b, seed + c), shapes))


random_layers.wrong("W_q has its own numbers now. But both tables start from the same seed, so they are equal.")(
    _from_seeds(0, 1, 1)
)
random_layers.wrong("The key table is independent now. The value table still begins like W_q.")(_from_seeds(0, 1, 0))
random_layers.wrong("The value table is independent now. The key table still begins like W_q.")(_from_seeds(0, 0, 1))
random_layers.wrong(
    "Within a layer nothing repeats. But seed + 1 and seed + 2 are the seeds of other layers, so seed 5 shares numbers "
    "with seed 6. Draw all three arrays from one generator."
)(_from_seeds(0, 1, 2))
random_layers.wrong("A factor does not make numbers independent. The tables still follow W_q, up to sign and size.")(
    _one_by_one(lambda seed, shapes: [c * _drawn(seed, shape) for c, shape in zip((1, -1, 2), shapes)])
)


@random_layers.wrong("You cut overlapping slices from one array, so two arrays share rows. Draw each array by itself.")
@_one_by_one
def _slices(seed, shapes):
    numbers = _drawn(seed, max(shapes))
    return numbers[: shapes[0][0]], numbers[: shapes[1][0]], numbers[-shapes[1][0] :]
