r"""Prediction: positions that move · 10 minutes · ★★

A text of seven tokens goes through one causal layer with RoPE: a document of four tokens, then another of three. A *pair*
is a query with a key that it may see, itself included, so there are 28 pairs. The positions are 0 to 6 at first. For each
change, commit to the number of pairs whose **score** changes. The queries and keys before the rotation stay the same, and
no score stays the same by chance.

- `"all + 50,000"`: every position grows by 50,000.
- `"second + 50,000"`: only the positions of the second document grow.
- `"reset"`: each document is counted from 0, so the positions are 0, 1, 2, 3, 0, 1, 2. The mask is as before.
- `"reset, own document"`: the same, and a query sees only keys of its own document. Count the pairs that are still visible
  and have another score than at first.
- `"queries + 1"`: every query is turned as if it were one position later, and no key is.

Two more numbers:

- `"future after reset"`: with `"reset"`, how many visible pairs have a key whose position is *larger* than the query's?
- `"distance after queries + 1"`: a head gives most weight to the token at distance 1. Its queries are turned as above. At
  which distance is the token to which it gives most weight now?
"""

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import causal_mask, scores
from course_lib.reference.rope import rotate

DOCUMENT = np.array([0, 0, 0, 0, 1, 1, 1])
PLACE, RESET = np.arange(7), np.array([0, 1, 2, 3, 0, 1, 2])
VISIBLE = causal_mask(7)
OWN = VISIBLE & (DOCUMENT[:, None] == DOCUMENT)
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
    "future after reset": int((VISIBLE & (RESET > RESET[:, None])).sum()),
    "distance after queries + 1": distance(1),
}
NEARLY = False
WRONG = {
    "all + 50,000": {
        28: "Query and key turn by the same additional angle, so the angle between them stays the same in every pair.",
        21: "A token and itself keep their offset 0, but the other pairs keep theirs as well, because both positions grow.",
        27: "Position 0 is nothing special. A score depends on the difference of two positions, and no difference changes.",
        7: "These are the tokens, and all of them are turned further. A score compares two that are turned alike.",
    },
    "second + 50,000": {
        0: "The positions of only one document grow, so it moves away from the other one.",
        3: "These are the tokens that move. Count pairs of a query and a key.",
        6: "In these six pairs query and key are both in the second document. They move together.",
        16: "These are the pairs that stay the same. Count those between the documents.",
        18: "You count all pairs with a query of the second document. In six of them the key moves along.",
        24: "You count pairs between the documents in both directions. A causal query sees no later key.",
        28: "Within each document query and key move together or not at all, so those pairs stay the same.",
    },
    "reset": {
        0: "The positions of the second document fall by 4, and those of the first one stay.",
        3: "These are the tokens whose positions change. Count pairs of a query and a key.",
        6: "In the six pairs within the second document both positions fall by 4. Look between the documents.",
        9: "Pairs between the documents whose new positions are equal count as well: their offset was not 0 before.",
        16: "These are the pairs within a document, whose offsets stay the same. Count the others.",
        18: "You count all pairs with a query of the second document. In six of them the key falls by 4 as well.",
        24: "You count pairs between the documents in both directions. The mask is causal, as before.",
        28: "Within each document the offsets stay the same, so those scores do as well.",
    },
    "reset, own document": {
        12: "These are the pairs between the documents. They are hidden now, so they do not count.",
        6: "Within the second document both positions fall by 4, so the offsets stay the same.",
        16: "So many pairs are still visible. In each of them query and key moved together, or not at all.",
        28: "Only 16 pairs are still visible, and in none of them the offset changes.",
    },
    "queries + 1": {
        0: "Only the queries are turned further, so the angle to every key changes.",
        7: "The queries are seven, but each of them meets several keys. Count pairs.",
        21: "A token meets itself as well, once as a query and once as a key, and only the query is turned further.",
        27: "The pair of the first token with itself changes, too: its query is at position 1 now, and its key at 0.",
    },
    "future after reset": {
        0: "The mask compares places in the text, not positions. A query of the second document sees the whole first one.",
        3: "In three pairs the key has a *smaller* position. Count those in which it is larger.",
        9: "Three of these pairs have equal positions. The key should have a larger one.",
        12: "These are all pairs between the documents. In half of them the key has a smaller or the same position.",
    },
    "distance after queries + 1": {
        1: "The head needs an angle of one position between query and key. The query is turned by one more, so the key "
        "that fits is one later.",
        2: "You move the wrong way. A query that is turned as if it were one position later fits a key that is one later.",
    },
}
HINTS = [
    "Which pairs have another offset j − i than before? Only their scores change.",
    "The first document has 10 pairs with itself, the second one 6. How many are left for queries of the second and keys "
    "of the first?",
    "For the last number: which key is one position before i + 1?",
]


def on_pass():
    return (
        "In SmolLM2 it is the same. Positions + 50,000 change no loss by more than 0.0001 nats. After a reset without "
        "another mask, the loss on the second document is 1.7 nats above that with positions that go on."
    )
