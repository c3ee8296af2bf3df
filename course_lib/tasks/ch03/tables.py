"""Tables and projections that must not be the same numbers."""

import numpy as np

from ..engine import Case, Mistake, Property, Task

ENOUGH = 12  # numbers in a row that agree up to a factor: that is no accident


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


def _flat(array):
    return np.asarray(array, float).ravel()


def _share_a_run(a, b):
    """Whether some run of numbers of a stands in b as well, up to a factor, wherever it begins."""
    a, b = _flat(a), _flat(b)
    one_a, one_b = np.ones_like(a), np.ones_like(b)
    pairs = (a, b), (a * a, one_b), (one_a, b * b), (one_a, one_b)
    product, of_a, of_b, overlap = (np.correlate(y, x, "full") for x, y in pairs)  # for every lag
    bound = 0.95 * np.sqrt(abs(of_a * of_b))
    return bool(((abs(product) > bound) & (bound > 0) & (overlap > ENOUGH - 0.5)).any())


def _layers(result, seeds):
    """The three arrays of each layer."""
    return list(zip(*(np.reshape(x, (len(seeds), *np.shape(x)[-2:])) for x in result)))


def _apart(a, b):
    """A property's question: whether arrays a and b of a layer share no numbers, in every layer."""
    return lambda result, seeds, *_: not any(_share_a_run(layer[a], layer[b]) for layer in _layers(result, seeds))


def _layers_apart(result, seeds, *_):
    """Whether layers of different seeds share no numbers, whichever of their arrays are compared."""
    layers = dict(zip(seeds, _layers(result, seeds)))
    pairs = [(a, b) for seed, a in layers.items() for other, b in layers.items() if seed < other]
    return not any(_share_a_run(x, y) for a, b in pairs for x in a for y in b)


def _has_shapes(result, seeds, d_model, d_head, clip):
    wanted = (d_model, d_head), (2 * clip + 1, d_head), (2 * clip + 1, d_head)
    return all(
        np.shape(x)[-2:] == shape and np.size(x) == len(seeds) * shape[0] * shape[1] for x, shape in zip(result, wanted)
    )


def _same_for_the_same_seed(result, seeds, *_):
    layers = _layers(result, seeds)
    return all(
        all(np.allclose(x, y) for x, y in zip(layers[k], layers[seeds.index(seed)])) for k, seed in enumerate(seeds)
    )


def _another_for_another_seed(result, seeds, *_):
    first = {seed: layer for seed, layer in zip(seeds, _layers(result, seeds))}
    return len({float(_flat(x)[0]) for layer in first.values() for x in layer[:1]}) == len(first)


def _has_spread(result, seeds, d_model, d_head, clip):
    return all(0.7 < np.sqrt(d_head) * np.std(_flat(x)) < 1.4 for x in result if np.size(x) > 400)


def _is_centred(result, seeds, d_model, d_head, clip):
    return all(abs(np.mean(_flat(x))) * np.sqrt(d_head) < 0.35 for x in result if np.size(x) > 400)


def _rows_differ(result, seeds, *_):
    """No two rows of one array are the same up to a factor."""
    for x in (array for layer in _layers(result, seeds) for array in layer):
        unit = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        if len(x) > 1 and x.shape[1] > 3 and abs(np.triu(unit @ unit.T, 1)).max() > 0.999:
            return False
    return True


def _stacked(one):
    """A function of the task that makes its layers one by one: one(rows, d_head, seed) gives three arrays."""

    def layers(seeds, d_model, d_head, clip):
        rows = d_model, 2 * clip + 1, 2 * clip + 1
        return tuple(zip(*(one(rows, d_head, seed) for seed in seeds)))

    return layers


def _drawn(rng, rows, d_head):
    return rng.normal(size=(rows, d_head)) / np.sqrt(d_head)


def _anew(seed, rows, d_head):
    return _drawn(np.random.default_rng(seed), rows, d_head)


def _one_generator_but_a_copy(rows, d_head, seed):
    rng = np.random.default_rng(seed)
    w_q, table = _drawn(rng, rows[0], d_head), _drawn(rng, rows[1], d_head)
    return w_q, table, table


def _slices(rows, d_head, seed):
    numbers = _anew(seed, max(rows), d_head)
    return numbers[: rows[0]], numbers[: rows[1]], numbers[-rows[1] :]


def _one_generator_for_all_layers(seeds, d_model, d_head, clip):
    rng = np.random.default_rng(seeds[0])
    rows = d_model, 2 * clip + 1, 2 * clip + 1
    return tuple([_drawn(rng, r, d_head) for _ in seeds] for r in rows)


def _always_the_first_seed(seeds, d_model, d_head, clip):
    return _random_layers([seeds[0]] * len(seeds), d_model, d_head, clip)


random_layers = Task(
    title="Bug hunt: the table that was the projection",
    minutes=8,
    difficulty=2,
    words=r"""A layer needs random numbers to start from: a projection $W_q$ and two tables. This function makes them for
several layers, each from a seed of its own, so that a seed always gives the same layer, and another seed another one. It
runs, the shapes are right, the spread of the numbers is $1/\sqrt{d}$ as wanted. But the three arrays of a layer are not
independent: as in the lesson's example, one repeats the numbers of another. Find out why and mend it. Layers of two
different seeds should not share numbers either.

The check looks for runs of numbers that stand in two arrays, up to a factor. `random_layers([7, 5, 7], 8, 4, 3)`
should still give the first layer once more as the last.""",
    solution=_random_layers,
    given=_random_layers_given,
    expected=None,
    returns=("w_q", "key_table", "value_table"),
    cases=[
        Case([123, 7, 5, 6, 123], 8, 4, 3, says="the sizes of the lesson's example"),
        Case([0, 40, 0], 64, 16, 16, says="real heads"),
        Case([1], 48, 16, 24, says="more rows in the tables than in W_q"),
        Case([7, 7], 512, 64, 2, says="a small clip"),
        Case([5, 20], 16, 32, 0, says="clip 0: tables of a single row"),
    ],
    properties=[
        Property(
            "shapes",
            _has_shapes,
            "For each seed W_q has the shape (d_model, d_head), and both tables have (2·clip + 1, d_head).",
        ),
        Property(
            "the same seed, the same layer",
            _same_for_the_same_seed,
            "A seed that stands twice in the list gives two different layers. What a layer gets must depend on its seed alone.",
        ),
        Property(
            "another seed, another layer",
            _another_for_another_seed,
            "Different seeds give the same W_q: the seed has no effect, or only one of them is used.",
        ),
        Property(
            "the key table is new",
            _apart(0, 1),
            "The key table repeats numbers of W_q. Each array must be drawn where the one before it stopped.",
        ),
        Property(
            "the value table is new",
            _apart(0, 2),
            "The value table repeats numbers of W_q. Each array must be drawn where the one before it stopped.",
        ),
        Property(
            "two tables",
            _apart(1, 2),
            "The two tables repeat each other's numbers. They are learned apart, and should start apart.",
        ),
        Property(
            "layers of their own",
            _layers_apart,
            "Layers of two different seeds share numbers. Does one layer use seed + 1 or seed + 2, with which another begins? "
            "One generator per seed is enough for all three arrays.",
        ),
        Property("rows of their own", _rows_differ, "Some rows of an array repeat each other: draw all of them anew."),
        Property(
            "spread", _has_spread, "The spread of the numbers has changed: it should be 1/√d_head in all three arrays."
        ),
        Property("centred", _is_centred, "The numbers should scatter around 0, with both signs."),
    ],
    mistakes=[
        Mistake(
            _stacked(lambda rows, d, seed: (_anew(seed, rows[0], d), *[_anew(seed + 1, rows[1], d)] * 2)),
            "W_q has numbers of its own now. The two tables still share one seed, and are the same table twice.",
        ),
        Mistake(
            _stacked(lambda rows, d, seed: [_anew(seed + k, r, d) for k, r in enumerate(rows)]),
            "Within a layer nothing repeats. But seed + 1 and seed + 2 are the seeds of other layers: seed 5 shares numbers "
            "with seed 6. Draw all three arrays from one generator.",
        ),
        Mistake(
            _stacked(_one_generator_but_a_copy),
            "One generator for a layer, well done; but the value table is the key table once more. Draw it, too.",
        ),
        Mistake(
            _stacked(_slices),
            "Slices of one array overlap: both begin with the same rows. Draw each array by itself.",
        ),
        Mistake(
            _stacked(lambda rows, d, seed: [_anew(seed + k, r, d) for k, r in zip((0, 1, 0), rows)]),
            "The key table is independent now. The value table still begins like W_q.",
        ),
        Mistake(
            _stacked(lambda rows, d, seed: [_anew(seed + k, r, d) for k, r in zip((0, 0, 1), rows)]),
            "The value table is independent now. The key table still begins like W_q.",
        ),
        Mistake(
            _stacked(lambda rows, d, seed: [c * _anew(seed, r, d) for c, r in zip((1, -1, 2), rows)]),
            "A factor does not make numbers independent: the tables still follow W_q, up to sign and size.",
        ),
        Mistake(
            _stacked(lambda rows, d, seed: (_anew(seed, rows[0], d), *[np.zeros((rows[1], d))] * 2)),
            "Tables of zeros repeat nothing, but they are not random: the spread should be 1/√d_head.",
        ),
        Mistake(
            _one_generator_for_all_layers,
            "One generator for all layers: only the first seed counts, and a seed that comes again gives another layer. Each seed starts a generator of its own.",
        ),
        Mistake(
            _always_the_first_seed,
            "All layers start from the first seed. Each has a seed of its own.",
        ),
        Mistake(
            "draw(d_model), draw(2 * clip + 1), draw(2 * clip + 1)",
            "draw(d_model), draw(2 * clip), draw(2 * clip)",
            "The tables have lost a row: offsets from −clip to clip are 2·clip + 1.",
        ),
        Mistake(" / np.sqrt(d_head)", "", "The numbers have become too large: their spread should be 1/√d_head."),
        Mistake(
            "np.sqrt(d_head)", "d_head", "The numbers have become too small: the spread is 1/√d_head, not 1/d_head."
        ),
        Mistake("/ np.sqrt", "* np.sqrt", "The numbers have become too large: divide by √d_head."),
    ],
    alternatives=[
        _stacked(
            lambda rows, d, seed: [_anew(child, r, d) for child, r in zip(np.random.SeedSequence(seed).spawn(3), rows)]
        ),
        _stacked(lambda rows, d, seed: [_anew([seed, which], r, d) for which, r in enumerate(rows)]),
    ],
    hints=[
        "How often is a generator started for one seed? Set the first rows of W_q and of the key table side by side.",
        "A generator goes on from where it stopped. Start one for each seed, outside of `draw`.",
    ],
)
