"""Bug hunt: a ring that is right for one token at a time · 12 minutes · ★★

A model with windows keeps its keys in a ring, and this function adds the keys of new tokens. While the model
writes one token per call, all is well. But when several new tokens arrive in one call and the ring is already full, the
first of them no longer see all of their window. Find out why, and fix it. In the checks, the key of token p is the number
100 + p.

This was reported for ollama ([15591](https://github.com/ollama/ollama/pull/15591),
[14912](https://github.com/ollama/ollama/pull/14912)). A ring that was wrong by one was found in
`transformers` ([37574](https://github.com/huggingface/transformers/issues/37574)).
"""

import numpy as np

from course_lib.checking import Case

from ..shared import normal


def ring_step(ring, read, new):
    """Add new keys (n, d) to a ring (w, d) after `read` tokens; the key of token p is in slot p % w.

    Returns the keys that the new queries need, in the order of the text (the last w - 1 of
    the old ones, as far as there are any, then the new ones), and the new ring.
    """
    w = len(ring)  # The ring has w slots.
    # The first new query is at `read`, so it sees read − w + 1 … read − 1 of the old tokens. The first old token is w
    # − 1 before the first new query, but not before the beginning of the text. The first new query is at `read` and
    # sees w keys with its own, so w − 1 old ones.
    old = np.arange(max(0, read - w + 1), read)
    # Token p is in slot p mod w. Each token p is in slot p mod w. The old keys come first, then the new ones.
    seen = np.concatenate([ring[old % w], new])
    ring = ring.copy()  # The copy was right, because the caller keeps the old ring.
    for p in range(read, read + len(new)):  # The new tokens are read … read + n − 1.
        ring[p % w] = new[p - read]  # Token p goes into slot p mod w. Token p is number p − read of the new ones.
    return seen, ring


def given(ring, read, new):
    """Add new keys (n, d) to a ring (w, d) after `read` tokens; the key of token p is in slot p % w.

    Returns the keys that the new queries need, in the order of the text (the last w - 1 of
    the old ones, as far as there are any, then the new ones), and the new ring.
    """
    w = len(ring)
    old = np.arange(max(0, read - w + 1), read)
    ring = ring.copy()
    for p in range(read, read + len(new)):
        ring[p % w] = new[p - read]
    seen = np.concatenate([ring[old % w], new])
    return seen, ring


def expected(ring, read, new):
    """From the definition: which token is in which place."""
    w, n = len(ring), len(new)
    key = {p: ring[p % w] for p in range(max(0, read - w), read)} | {read + k: new[k] for k in range(n)}
    seen = [key[p] for p in range(max(0, read - w + 1), read + n)]
    latest = [max((p for p in key if p % w == slot), default=None) for slot in range(w)]
    return np.array(seen), np.array([ring[s] if p is None else key[p] for s, p in enumerate(latest)])


def _ring(w, read, d=1):
    """A ring after `read` tokens, each with its number + 100 as its key; empty slots hold 0."""
    ring = np.zeros((w, d))
    for p in range(read):
        ring[p % w] = 100 + p
    return ring


def _tokens(read, n, d=1):
    return 100.0 + read + np.arange(n)[:, None] + np.zeros(d)


def _case(w, read, n, label):
    return Case(_ring(w, read), read, _tokens(read, n), label=label)


def draw(rng):
    w, read, n = (int(x) for x in rng.integers([1, 0, 1], [6, 12, 7]))
    return normal(rng, w, 2), read, normal(rng, n, 2)


ON_PASS = (
    "A cache that keeps the first tokens as a sink can number its keys by their place in it. Then the query needs its "
    "place, too: `SinkCache` of `transformers` moved the old keys but not the new one (issue 33691)."
)


RETURNS = ("seen", "ring")


AXES = {"seen": ("place", "channel"), "ring": ("slot", "channel")}


CASES = [
    _case(4, 10, 3, "three new tokens after ten, four slots"),
    _case(4, 10, 1, "one new token after ten"),
    _case(4, 2, 1, "the ring is not full yet"),
    _case(4, 0, 6, "six tokens at once into an empty ring"),
    _case(3, 7, 5, "more new tokens than slots"),
    _case(1, 5, 2, "a window of one"),
]


WRONG = """
seen = np.concatenate([ring, new])  # You take all slots in their own order. The keys should be in the order of the
# text, the last w − 1 old ones only.
seen = new  # You return only the new keys. The first new query also sees w − 1 old ones.
seen = ring[old % w]  # You return only the old keys. The new queries see new keys, too.
seen = np.concatenate([new, ring[old % w]])  # You put the new keys first. The keys should be in the order of the text,
# the old ones first.
seen = np.concatenate([ring[:min(read, w - 1)], new])  # You take the old keys in the order of the slots. Token p is in
# slot p mod w, so their slots are `old % w`.
seen = np.concatenate([ring[old % w], new])[-w:]  # You keep w keys in all. The first new query needs w − 1 old ones,
# so there are up to w − 1 + n.
old = np.arange(max(0, read - w), read)  # You take one old key too many. The first new query sees w keys, and its own
# is one of them.
old = np.arange(read - w + 1, read)  # At the beginning of the text this is negative, so you read slots that no token
# has filled. Begin at 0 at the earliest.
old = np.arange(max(0, read + len(new) - w + 1), read)  # You take the old tokens that the last new query sees. The
# first one sees more: w − 1 old ones.
old = np.arange(0, read)  # You take all old tokens. Those that left the ring have been overwritten, so their slots
# hold later keys.
return (ring, seen)  # You exchanged the two results. The keys come first, then the ring.
return (seen, np.concatenate([ring, new])[-w:])  # You roll the ring. In a ring nothing moves: token p goes into slot p
# mod w, and the others stay.
ring[p] = new[p - read]  # You take p itself for the slot, but the ring has only w slots. Token p goes into slot p mod
# w.
ring[(p - read) % w] = new[p - read]  # You begin each call at slot 0. Token p goes into slot p mod w, wherever the
# call begins.
ring[p % w] = new[-1]  # You write the last new key into all slots. Token p is number p − read of the new ones.
"""


HINTS = [
    "Call it with four slots, `read` = 10 and three new keys. Which old keys should the first new query see?",
    "Tokens 7, 8 and 9 are needed. Where is token 7, and when is it overwritten?",
    "Read the old keys before you write the new ones.",
]


def wrong_program_11(ring, read, new):
    """You move all keys of the ring. In a ring nothing moves: token p goes into slot p mod w, and the others stay. A
    ring that is not full yet also has slots without a key."""
    keys = np.concatenate([np.roll(ring, -read % len(ring), axis=0), new])
    return keys[1:], keys[-len(ring) :]


def wrong_program_13(ring, read, new):
    """You roll the ring. In a ring nothing moves: token p goes into slot p mod w, and the others stay."""
    return ring_step(ring, read, new)[0], np.concatenate([ring, new])[-len(ring) :]


def wrong_program_14(ring, read, new):
    """The ring that you return is the old one. It should hold the new keys."""
    w = len(ring)
    old = np.arange(max(0, read - w + 1), read)
    seen = np.concatenate([ring[old % w], new])
    ring = ring.copy()
    for p in range(read, read + len(new)):
        ring.copy()[p % w] = new[p - read]
    return seen, ring


def wrong_program_16(ring, read, new):
    """You write only the first w new keys. The ring should hold the last ones."""
    w = len(ring)
    old = np.arange(max(0, read - w + 1), read)
    seen = np.concatenate([ring[old % w], new])
    ring = ring.copy()
    for p in range(read, read + min(w, len(new))):
        ring[p % w] = new[p - read]
    return seen, ring


def wrong_program_17(ring, read, new):
    """Of the new keys, only the last is in your ring. Write each into its slot."""
    w = len(ring)
    old = np.arange(max(0, read - w + 1), read)
    seen = np.concatenate([ring[old % w], new])
    ring = ring.copy()
    for p in range(read + len(new) - 1, read + len(new)):
        ring[p % w] = new[p - read]
    return seen, ring


def wrong_program_18(ring, read, new):
    """You keep the last w new keys, but number them from `read` on. The last of them is token read + n − 1."""
    w = len(ring)
    old = np.arange(max(0, read - w + 1), read)
    seen = np.concatenate([ring[old % w], new])
    ring, new = ring.copy(), new[-w:]
    for p in range(read, read + len(new)):
        ring[p % w] = new[p - read]
    return seen, ring


def right_in_one_step(ring, read, new):
    w = len(ring)
    p = np.arange(read, read + len(new))
    seen = np.concatenate([ring[np.arange(max(0, read - w + 1), read) % w], new])
    ring = ring.copy()
    ring[p[-w:] % w] = new[-w:]
    return seen, ring
