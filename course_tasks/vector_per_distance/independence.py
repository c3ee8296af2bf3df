"""Whether the random layers of `random_layers` are independent, and as random as they should be.

Each question takes the result, three lists of arrays with an entry for each seed, and the arguments of the case.
"""

import numpy as np

ENOUGH = 12  # so many numbers in a row do not agree up to a factor by accident


def shapes(d_model, d_head, clip):
    return (d_model, d_head), (2 * clip + 1, d_head), (2 * clip + 1, d_head)


def _layers(result, seeds):
    """(seed, its three arrays) of each layer."""
    return list(zip(seeds, zip(*(np.reshape(x, (len(seeds), *np.shape(x)[-2:])) for x in result))))


def _share_a_run(a, b):
    """Whether some run of numbers of a appears in b as well, up to a factor, wherever it begins."""
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    one_a, one_b = np.ones_like(a), np.ones_like(b)
    pairs = (a, b), (a * a, one_b), (one_a, b * b), (one_a, one_b)
    product, of_a, of_b, overlap = (np.correlate(y, x, "full") for x, y in pairs)  # for every lag
    bound = 0.95 * np.sqrt(abs(of_a * of_b))
    return bool(((abs(product) > bound) & (bound > 0) & (overlap > ENOUGH - 0.5)).any())


def apart(a, b):
    """A property's question: whether arrays a and b of a layer share no numbers, in every layer."""
    return lambda result, seeds, *_: not any(_share_a_run(layer[a], layer[b]) for _, layer in _layers(result, seeds))


def layers_apart(result, seeds, *_):
    """Whether layers of different seeds share no numbers, whichever of their arrays are compared."""
    layers = dict(_layers(result, seeds))
    pairs = [(a, b) for seed, a in layers.items() for other, b in layers.items() if seed < other]
    return not any(_share_a_run(x, y) for a, b in pairs for x in a for y in b)


def has_shapes(result, seeds, *sizes):
    return all(
        np.shape(x)[-2:] == shape and np.size(x) == len(seeds) * np.prod(shape)
        for x, shape in zip(result, shapes(*sizes))
    )


def same_for_the_same_seed(result, seeds, *_):
    layers = _layers(result, seeds)
    last = dict(layers)
    return all(np.allclose(x, y) for seed, layer in layers for x, y in zip(layer, last[seed]))


def another_for_another_seed(result, seeds, *_):
    return len({float(np.ravel(w_q)[0]) for _, (w_q, *_tables) in _layers(result, seeds)}) == len(set(seeds))


def rows_differ(result, seeds, *_):
    """No two rows of one array are the same up to a factor."""
    for x in (array for _, layer in _layers(result, seeds) for array in layer):
        unit = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        if len(x) > 1 and x.shape[1] > 3 and abs(np.triu(unit @ unit.T, 1)).max() > 0.999:
            return False
    return True


def has_spread(result, seeds, d_model, d_head, clip):
    return all(0.7 < np.sqrt(d_head) * np.std(x) < 1.4 for x in result if np.size(x) > 400)


def is_centred(result, seeds, d_model, d_head, clip):
    return all(abs(np.mean(x)) * np.sqrt(d_head) < 0.35 for x in result if np.size(x) > 400)
