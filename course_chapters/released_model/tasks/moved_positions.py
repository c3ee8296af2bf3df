r"""Prediction: positions that move · 10 minutes · ★★

One causal layer with RoPE reads seven tokens: a document of four, then another of three. A *pair* is a query with a key
that it may see, itself included, so there are 28 pairs. At first the positions are 0 to 6. For each change, predict the
number of pairs whose **score** changes. Queries and keys are the same before the rotation, and no score stays the same
by chance.

- `"all + 50,000"`: every position grows by 50,000.
- `"second + 50,000"`: only the positions of the second document grow.
- `"reset"`: each document is counted from 0, so the positions are 0, 1, 2, 3, 0, 1, 2. The mask is as before.
- `"reset, own document"`: the same, and a query sees only keys of its own document. Of the pairs that are still
  visible, count those whose score changes.
- `"queries + 1"`: every query is rotated as if it were one position later, and no key is.
- `"distance after queries + 1"` is not a number of pairs. The queries of a head that gives most weight to the token at
  distance 1 are rotated as in the line above. At which distance is the token that gets most weight now?
"""

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import causal_mask, scores
from course_lib.reference.rope import rotate

DOCUMENT = np.array([0, 0, 0, 0, 1, 1, 1])
PLACE, RESET = np.arange(7), np.array([0, 1, 2, 3, 0, 1, 2])
VISIBLE, OWN = causal_mask(7), causal_mask(7) & (DOCUMENT[:, None] == DOCUMENT)
Q, K = np.random.default_rng(0).normal(size=(2, 7, 8))


def turned(x, positions):
    """Each row rotated by its own position."""
    return np.concatenate([rotate(row[None], past=int(p)) for row, p in zip(x, positions)])


def changed(queries, keys, visible=VISIBLE):
    """How many visible pairs have another score with queries and keys at these positions."""
    before, after = scores(turned(Q, PLACE), turned(K, PLACE)), scores(turned(Q, queries), turned(K, keys))
    return int((visible & ~np.isclose(before, after, rtol=0, atol=1e-6)).sum())


def distance(more):
    """Where a head of distance 1 looks when its queries are turned by so many positions more."""
    key = np.ones((7, 8))
    query = np.repeat(rotate(key[:1], past=1, speeds=-frequencies(8, 10000.0)), 7, axis=0)  # meets the key before it
    return 6 - int(scores(turned(query, PLACE + more), turned(key, PLACE))[6].argmax())


MOVED = PLACE + 50_000 * DOCUMENT
ANSWER = {
    "all + 50,000": changed(PLACE + 50_000, PLACE + 50_000),
    "second + 50,000": changed(MOVED, MOVED),
    "reset": changed(RESET, RESET),
    "reset, own document": changed(RESET, RESET, OWN),
    "queries + 1": changed(PLACE + 1, PLACE),
    "distance after queries + 1": distance(1),
}
WRONG = {
    "all + 50,000": {
        28: "Query and key rotate by the same additional angle, so the angle between them stays the same.",
        21: "A token keeps its offset to itself, but the other offsets stay as well, because both positions grow.",
        27: "Position 0 is nothing special. A score depends on the difference of two positions, and none changes.",
    },
    "second + 50,000": {
        0: "Only one document moves, so its distance to the other one grows.",
        6: "In six pairs query and key are both in the second document, but these move together.",
        16: "16 is the number of pairs that stay the same. Count those between the documents.",
        18: "18 pairs have a query of the second document, but in six of them the key moves along.",
        24: "24 is the number between the documents in both directions. A causal query sees no later key.",
        3: "There are 3 queries in the second document, and each of them has several pairs.",
    },
    "reset": {
        0: "The positions of the second document fall by 4, and those of the first one stay. So the distance between "
        "their tokens changes by 4.",
        6: "Within a document no offset changes. Between the documents only the query's position falls by 4, so every "
        "pair changes, also where the new distance is negative or was there before. The mask is as it was.",
        9: "Pairs whose new positions are equal count as well. Their offset was not 0 before.",
        10: "A key that was two positions back and is now two ahead has another score. The sign of an offset counts.",
        16: "16 is the number of pairs within a document, whose offsets stay the same. Count the others.",
        18: "18 pairs have a query of the second document, but in six of them the key falls by 4 as well.",
    },
    "reset, own document": {
        12: "These are the pairs between the documents. They are hidden now, so they do not count.",
        6: "Within the second document both positions fall by 4, so the offsets stay the same.",
        16: "16 is the number of visible pairs. In each of them query and key moved together, or not at all.",
    },
    "queries + 1": {
        0: "Only the queries are rotated further, so the angle to every key changes.",
        21: "A token meets itself as well, once as a query and once as a key, and only the query is rotated further.",
        27: "Query 0 is rotated further as well, so its score with key 0 changes.",
    },
    "distance after queries + 1": {
        1: "The head needs an angle of one position between query and key. Now a later key fits.",
        2: "You move the wrong way. A query that seems to be one position later fits a key that is one later.",
    },
}
HINTS = [
    "Which pairs have another offset j − i than before? Only their scores change.",
    "The first document has 10 pairs within it, the second one 6. How many of the 28 are between them?",
    "For the last number: which key is one position before i + 1?",
]
ON_PASS = (
    "In SmolLM2 it is the same. Positions + 50,000 change no loss in the lesson by more than 0.0001 nats. After a "
    "reset without another mask, the loss on the second document is 2.3 nats above that with positions that go on."
)
