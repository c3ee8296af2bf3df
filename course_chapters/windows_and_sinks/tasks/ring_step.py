"""Bug hunt: a ring that is right for one token at a time · 12 minutes · ★★

A model with windows keeps its keys in a ring, and this function adds the keys of new tokens. While the model
writes one token per call, all is well. But when several new tokens arrive in one call and the ring is already full, the
first of them no longer see all of their window. Find out why, and fix it. In the checks, the key of token p is the
number 100 + p.

This was reported for ollama ([15591](https://github.com/ollama/ollama/pull/15591),
[14912](https://github.com/ollama/ollama/pull/14912)). A ring that was wrong by one was found in
`transformers` ([37574](https://github.com/huggingface/transformers/issues/37574)).
"""

import numpy as np

from course_kit.checking import Case

from ...shared import normal


def ring_step(ring, read, new):
    """Add new keys (n, d) to a ring (w, d) after `read` tokens; the key of token p is in slot p % w.

    Returns the keys that the new queries need, in the order of the text (the last w - 1 of
    the old ones, as far as there are any, then the new ones), and the new ring.
    """
    w = len(ring)  # The ring has w slots.
    after = ring.copy()  # The caller keeps the old ring, so the new keys go into a copy of it.
    tokens = range(read, read + len(new))  # The new tokens are read … read + n − 1.
    for p in tokens:
        slot = p % w  # Token p goes into slot p mod w.
        after[slot] = new[p - read]  # Token p is number p − read of the new ones.
    old = np.arange(max(0, read - w + 1), read)  # The first new query sees w keys with its own, so w − 1 old ones.
    seen = np.concatenate([ring[old % w], new])  # The old keys are still in the old ring, token p in slot p mod w.
    return seen, after  # The keys come first, then the new ring.


def expected(ring, read, new):
    """From the definition: which token is in which place."""
    w, n = len(ring), len(new)
    key = {p: ring[p % w] for p in range(max(0, read - w), read)} | {read + k: new[k] for k in range(n)}
    latest = [max((p for p in key if p % w == slot), default=None) for slot in range(w)]
    seen = [key[p] for p in range(max(0, read - w + 1), read + n)]
    return np.array(seen), np.array([ring[s] if p is None else key[p] for s, p in enumerate(latest)])


def draw(rng):
    w, read, n = (int(x) for x in rng.integers([1, 0, 1], [6, 12, 7]))
    return normal(rng, w, 2), read, normal(rng, n, 2)


def case(w, read, n, label):
    """A ring after `read` tokens, its empty slots 0, and n new tokens."""
    ring = np.zeros((w, 1))
    for p in range(read):
        ring[p % w] = 100 + p
    return Case(ring, read, 100.0 + read + np.arange(n)[:, None], label=label)


BUG = "seen = np.concatenate([after[old % w], new])"
RETURNS = ("seen", "ring")
AXES = {"seen": ("place", "channel"), "ring": ("slot", "channel")}
CASES = [
    case(4, 10, 3, "three new tokens after ten, four slots"),
    case(4, 10, 1, "one new token after ten"),
    case(4, 2, 1, "the ring is not full yet"),
    case(4, 0, 6, "six tokens at once into an empty ring"),
    case(3, 7, 5, "more new tokens than slots"),
    case(1, 5, 2, "a window of one"),
]
WRONG = """
seen = np.concatenate([ring, new])  # You take all slots in their order. Take the last w − 1 old keys in text order.
seen = new  # You return only the new keys. The first new query also sees w − 1 old ones.
seen = new if len(new) >= w else np.concatenate([ring[old % w], new])  # When the new keys fill the ring, you return no
# old ones. The first new query still sees w − 1 of them.
seen = new if read < w else np.concatenate([ring[old % w], new])  # Until the ring is full, you return no old keys.
seen = ring[old % w]  # You return only the old keys. The new queries see new keys, too.
seen = np.concatenate([new, ring[old % w]])  # You put the new keys first. In the order of the text they come last.
seen = np.concatenate([ring[np.sort(old % w)], new])
seen = np.concatenate([ring[:min(read, w - 1)], new])  # You take the old keys in the order of the slots. Token p is in
# slot p mod w, so the tokens that are needed may begin anywhere.
seen = np.concatenate([ring[old % w], new])[-w:]  # You keep w keys in all. There are up to w − 1 old and n new ones.
old = np.arange(max(0, read - w), read)  # You keep w old keys. The first new query sees w keys with its own, so w − 1
# old ones.
old = np.arange(read - w + 1, read)  # At the beginning of the text you read slots that no token has filled. Begin at 0.
old = np.arange(max(0, read + len(new) - w + 1), read)  # Your first new query misses keys. It sees w − 1 old ones.
return seen, ring  # The ring that you return is the old one. It should hold the new keys.
return seen, np.concatenate([ring[np.arange(max(0, read - w), read) % w], new, ring[read + len(new) :]])[-w:]
return seen, np.concatenate([after, new])[-w:]
return seen, np.concatenate([ring, new])[-w:]  # You move old keys in the ring. None moves: token p is in slot p mod w.
seen = np.concatenate([np.roll(ring, -read % w, axis=0), new])[1:]; return seen, seen[-w:]  # You move all keys of the
# ring. In a ring nothing moves, and one that is not full yet has slots without a key.
slot = p  # You take p itself for the slot, but the ring has only w slots. Token p goes into slot p mod w.
slot = (p - read) % w  # You begin each call at slot 0. Token p goes into slot p mod w, wherever the call begins.
after[slot] = new[-1]  # All your new slots have the last new key. Token p is number p − read of the new ones.
tokens = range(read, read + min(w, len(new)))  # You write only the first w new keys. The ring should hold the last.
tokens = [read + len(new) - 1]  # Of the new keys, only the last is in your ring. Write each into its slot.
"""
HINTS = [
    "Call it with four slots, `read` = 10 and three new keys. Which old keys should the first new query see?",
    "Tokens 7, 8 and 9 are needed. Where is token 7, and when is it overwritten?",
    "Read the old keys where they are not overwritten yet.",
]
ON_PASS = (
    "A cache that keeps the first tokens as a sink can number its keys by their place in it. Then the query needs its "
    "place, too: `SinkCache` of `transformers` moved the old keys but not the new one (issue 33691)."
)
