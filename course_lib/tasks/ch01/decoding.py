"""A decoder that keeps what it has read and forgets how far it has come."""

import numpy as np

from ...example import TOKENS
from ...reference.absolute import learned, sinusoidal
from ...reference.attention import attention, causal_mask, softmax
from ..engine import Axis, Case, Mistake, Task
from .common import NUMBER, normal

_RNG = np.random.default_rng(11)
WORDS, TABLE = _RNG.normal(size=(5, 4)), _RNG.normal(size=(12, 4))
READ = WORDS + TABLE[:5]  # the five tokens with their positions, as a cache holds them


def _decode_step(new, cache, table):
    """Causal self-attention of the tokens `new` (n, d) after those in `cache` (past, d).

    Adds to them their position vectors, rows of `table` (max_length, d).
    Returns their output (n, d) and the longer cache (past + n, d).
    """
    past = len(cache)
    new = new + table[past : past + len(new)]
    cache = np.concatenate([cache, new])
    i, j = past + np.arange(len(new))[:, None], np.arange(len(cache))
    scores = np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf)
    return softmax(scores) @ cache, cache


def _decode_step_given(new, cache, table):
    """Causal self-attention of the tokens `new` (n, d) after those in `cache` (past, d).

    Adds to them their position vectors, rows of `table` (max_length, d).
    Returns their output (n, d) and the longer cache (past + n, d).
    """
    past = len(cache)
    new = new + table[: len(new)]
    cache = np.concatenate([cache, new])
    i, j = past + np.arange(len(new))[:, None], np.arange(len(cache))
    scores = np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf)
    return softmax(scores) @ cache, cache


def _step(new, cache, table):
    h = np.concatenate([cache, new + learned(len(new), table, past=len(cache))])
    return attention(h[len(cache) :], h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _attend(new, cache):
    """What the step does once the positions are added."""
    return _decode_step(new, cache, np.zeros((len(cache) + len(new), new.shape[1])))


def _positions_again(new, cache, table):
    """The positions are added to everything in the cache, at every step anew."""
    h = np.concatenate([cache, new]) + table[: len(cache) + len(new)]
    return attention(h[len(cache) :], h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _cache_without_positions(new, cache, table):
    h = np.concatenate([cache, new])
    query = new + table[len(cache) : len(h)]
    return attention(query, h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _bug(new, cache, table, seen):
    """The bug as it was, with another mask: `seen(i, j)` where query i looks at key j."""
    new = new + table[: len(new)]
    h = np.concatenate([cache, new])
    i, j = len(cache) + np.arange(len(new))[:, None], np.arange(len(h))
    return softmax(np.where(seen(i, j), new @ h.T / np.sqrt(new.shape[1]), -np.inf)) @ h, h


def _bug_strict(new, cache, table):
    return _bug(new, cache, table, lambda i, j: j < i)


def _bug_unmasked(new, cache, table):
    return _bug(new, cache, table, lambda i, j: j >= 0)


def _old_tokens_only(new, cache, table):
    """The whole cache gets positions, and the queries none."""
    h = np.concatenate([cache, new]) + table[: len(cache) + len(new)]
    return attention(new, h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _first_token(new, cache, table):
    """What comes out when the `return` is inside a loop over the new tokens."""
    return _step(new[:1], cache, table)


def _queries_without(new, cache, table):
    """The cache has the positions; the queries are the words alone."""
    h = np.concatenate([cache, new + table[len(cache) :][: len(new)]])
    return attention(new, h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _past_after(new, cache, table):
    """The cache grows first; then `past` is its new length."""
    cache = np.concatenate([cache, new])
    past = len(cache)
    new = new + table[past : past + len(new)]
    return attention(new, cache, cache)[0], cache


def _past_after_own_rows(new, cache, table):
    """The cache grows first, without positions; the right rows go to the queries, and the mask hides nothing."""
    h = np.concatenate([cache, new])
    return attention(new + table[len(cache) : len(h)], h, h)[0], h


def _mask_from_zero(new, cache, table):
    new = new + table[: len(new)]
    h = np.concatenate([cache, new])
    return attention(new, h, h, mask=causal_mask(len(new), len(h)))[0], h


TOKEN = Axis("token", TOKENS)
LAST, LAST_TWO = Axis("token", TOKENS[4:]), Axis("token", TOKENS[3:])

decode_step = Task(
    title="Bug hunt: every step is the first",
    minutes=12,
    difficulty=3,
    words="""When a decoder writes, it reads each new token once and keeps the old ones in a cache. This one adds a position
vector to each new token. (To keep it short, queries, keys and values are all the token's vector with its position.) A whole
text in one call comes out right. Token by token it raises no error, every shape is right, and the text gets worse: a bug that
tests on whole texts never show. Find it and mend it. Reading *The cat sat on* first and *mat* after it must give *mat* the
row it gets when all five are read at once.""",
    solution=_decode_step,
    given=_decode_step_given,
    expected=_step,
    returns=("output", "cache"),
    cases=[
        Case(WORDS[4:], READ[:4], TABLE, says='"mat" after four tokens', axes={"output": (LAST, NUMBER)}),
        Case(WORDS, READ[:0], TABLE, says="five tokens at once", axes={"output": (TOKEN, NUMBER)}),
        Case(WORDS[3:], READ[:3], TABLE, says='"on mat" after three tokens', axes={"output": (LAST_TWO, NUMBER)}),
        Case(WORDS[:1], READ[:0], TABLE, says="the very first token"),
        Case(WORDS[2:], WORDS[:2] + sinusoidal([0, 1], 4), sinusoidal(np.arange(12), 4), says="sinusoidal positions"),
        Case(WORDS[3:], READ[:3], TABLE[:5], says="a table that just suffices"),
    ],
    axes={"output": ("token", NUMBER), "cache": (Axis("place"), NUMBER)},
    draw=lambda rng: (
        normal(rng, n := int(rng.integers(2, 5)), d := int(rng.integers(2, 5))),
        normal(rng, past := int(rng.integers(3, 7)), d),
        normal(rng, n + past + 4, d),
    ),
    mistakes=[
        Mistake(
            "table[past : past + len(new)]",
            "table[: len(new)]",
            "Each step still begins at position 0. How many tokens were read before it?",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past]",
            "All new tokens get the position of the first of them. They follow one another: past, past + 1, …",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past + len(new) - 1]",
            "All new tokens get the position of the last of them. They follow one another: past, past + 1, …",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past + 1 : past + 1 + len(new)]",
            "One position too far: the first new token stands at `past`, because counting begins at 0.",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past - 1 : past - 1 + len(new)]",
            "One position too early: `past` tokens were read, on the positions 0 … past − 1. The new ones begin at `past`.",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past + len(new) : past + 2 * len(new)]",
            "You count the new tokens among those read before. The first new one stands at `past`.",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past:]",
            "You take the whole rest of the table. Take as many rows as there are new tokens.",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[past : len(new)]",
            "A slice names its end, not its length: `table[2:3]` is one row, and `table[2:1]` is none.",
        ),
        Mistake(
            _mask_from_zero,
            "The mask was right; now it counts from 0 as well. The bug is in another line: which positions are added?",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[-len(new) :]",
            "You take the last rows of the table, however much was read. The new tokens begin at position `past`.",
        ),
        Mistake(
            "new + table[past : past + len(new)]",
            "new + past",
            "You add the number of the position. Add its vector, the row of the table.",
        ),
        Mistake(
            "new + table[past : past + len(new)]",
            "new",
            "Now no token gets a position at all: the new tokens cannot be told from old ones.",
        ),
        Mistake(
            "new + table[past : past + len(new)]",
            "new - table[past : past + len(new)]",
            "You subtract the position vectors. They are added.",
        ),
        Mistake(
            "new + table[past : past + len(new)]",
            "new * table[past : past + len(new)]",
            "You multiply by the position vectors. They are added.",
        ),
        Mistake(
            "new + table[past : past + len(new)]",
            "table[past : past + len(new)]",
            "Only the positions are left: the words themselves are gone.",
        ),
        Mistake(
            _positions_again,
            "The cache gets its positions again at every step: old tokens have them already. Add them to the new ones only.",
        ),
        Mistake(
            _cache_without_positions,
            "The cache keeps the new words without their positions, so later steps will not know where they stood.",
        ),
        Mistake(
            "i, j = past + np.arange(len(new))[:, None]",
            "i, j = np.arange(len(new))[:, None]",
            "The positions are right, but now the mask counts its queries from 0 and hides most of the cache. "
            "It was right as it was.",
        ),
        Mistake(
            "np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf)",
            "new @ cache.T / np.sqrt(new.shape[1])",
            "Nothing is masked any more: a new token sees those after it. Is the mask still there, "
            "and `past` still the length before the new tokens came?",
        ),
        Mistake(
            _bug_strict,
            "The mask was right: a token may look at itself. And a later step still begins at position 0.",
        ),
        Mistake(
            _bug_unmasked,
            "The mask was right: now a new token sees those after it. And a later step still begins at position 0.",
        ),
        Mistake(
            _old_tokens_only,
            "The old tokens get their positions a second time, and the queries get none. "
            "Add them to the new tokens only, before these are used.",
        ),
        Mistake(_first_token, "Only the first new token comes out: is the `return` inside the loop?"),
        Mistake(
            _queries_without,
            "The cache has the positions of the new tokens; their queries do not. Both are made of the same rows.",
        ),
        Mistake(
            _past_after,
            "`past` is the length before the new tokens came: take it before the cache grows. "
            "And the cache keeps the new tokens with their positions.",
        ),
        Mistake(
            _past_after_own_rows,
            "The cache must keep the new tokens with their positions, so add those before it grows. "
            "And `past` is the length before, or the mask hides nothing.",
        ),
        Mistake(
            "table[past : past + len(new)]",
            "table[: past + len(new)]",
            "You take the rows of the old tokens as well. Only the new ones need their positions: one row each.",
        ),
        Mistake(
            "softmax(scores) @ cache, cache",
            "cache, softmax(scores) @ cache",
            "The two results are in the wrong order: the output first, then the cache.",
        ),
        Mistake(
            "softmax(scores) @ cache, cache",
            "softmax(scores) @ cache, new",
            "You return the new tokens alone as the cache. The next step needs the whole one.",
        ),
        Mistake("j <= i", "j < i", "A token may look at itself: j ≤ i. The mask was right as it was."),
        Mistake("j <= i", "j >= i", "The mask now hides the past and shows the future. It was right as it was."),
        Mistake(
            "concatenate([cache, new])",
            "concatenate([new, cache])",
            "The cache now grows at the wrong end. Old tokens first, then the new ones.",
        ),
        Mistake("softmax(scores) @", "scores @", "The softmax is gone: the weights of a token must sum to 1."),
        Mistake(
            "new @ cache.T / np.sqrt(new.shape[1])",
            "new @ cache.T",
            "The scores are not scaled any more: divide them by √d. That part was right.",
        ),
    ],
    alternatives=[
        _step,
        lambda new, cache, table: _attend(new + table[len(cache) :][: len(new)], cache),
        lambda new, cache, table: _attend(new + table[len(cache) + np.arange(len(new))], cache),
    ],
    hints=[
        "Compare the last row when all five are read at once with what the fifth token gets after four. Which line differs?",
        "At which position does the first new token stand? The mask two lines below knows it.",
        "`past` tokens were read before. The new ones stand at past, past + 1, …",
    ],
)
