"""Bug hunt: every step is the first."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import TOKENS
from course_lib.reference.absolute import learned, sinusoidal
from course_lib.reference.attention import attention, causal_mask, softmax

from ..shared import NUMBER, normal

RANDOM = np.random.default_rng(11)
WORDS, TABLE = normal(RANDOM, 5, 4), normal(RANDOM, 12, 4)
READ = WORDS + TABLE[:5]  # the five tokens with their positions, as a cache holds them
TOKEN, LAST_TWO, LAST = Axis("token", TOKENS), Axis("token", TOKENS[3:]), Axis("token", TOKENS[4:])


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


def _with_the_bug(new, cache, table):
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


def _through_the_library(new, cache, table):
    h = np.concatenate([cache, new + learned(len(new), table, past=len(cache))])
    return attention(h[len(cache) :], h, h, mask=causal_mask(len(new), past=len(cache)))[0], h


def _positions_first(new, cache, table):
    return _decode_step(new + table[len(cache) + np.arange(len(new))], cache, 0 * table)


def _draw(rng):
    n, d, past = int(rng.integers(2, 5)), int(rng.integers(2, 5)), int(rng.integers(3, 7))
    return normal(rng, n, d), normal(rng, past, d), normal(rng, n + past + 4, d)


decode_step = CodingTask(
    title="Bug hunt: every step is the first",
    minutes=12,
    difficulty=3,
    words="""When a decoder writes, it reads each new token once and keeps the old ones in a cache. This one adds a
position vector to each new token. (To keep it short, the token's vector with its position serves as query, key and
value.) A whole text in one call comes out right. Token by token, no error is raised and every shape is right, but the
text gets worse. Tests on whole texts never show this bug.

Find it and fix it. Reading *The cat sat on* first and *mat* after it should give *mat* the row it gets when all five
are read at once.""",
    solution=_decode_step,
    starter=_with_the_bug,
    expected=_through_the_library,
    returns=("output", "cache"),
    cases=[
        Case(WORDS[4:], READ[:4], TABLE, label='"mat" after four tokens', axes={"output": (LAST, NUMBER)}),
        Case(WORDS, READ[:0], TABLE, label="five tokens at once", axes={"output": (TOKEN, NUMBER)}),
        Case(WORDS[3:], READ[:3], TABLE, label='"on mat" after three tokens', axes={"output": (LAST_TWO, NUMBER)}),
        Case(WORDS[:1], READ[:0], TABLE, label="the very first token"),
        Case(WORDS[2:], WORDS[:2] + sinusoidal([0, 1], 4), sinusoidal(np.arange(12), 4), label="sinusoidal positions"),
        Case(WORDS[3:], READ[:3], TABLE[:5], label="a table that just suffices"),
    ],
    axes={"output": ("token", NUMBER), "cache": (Axis("place"), NUMBER)},
    draw=_draw,
    pieces="""
past + len(new)
    the end of the slice: The new tokens are at positions past, past + 1, …, and the end itself is not included.
table[past : past + len(new)]
    the position vector: It is added to each new token, and they are at positions past, past + 1, …
[cache, new]
    the list of old and new tokens: The cache grows at its end.
np.sqrt(new.shape[1])
    the scaling: The scores are divided by √d. This line was right.
new @ cache.T
    the score: Each new token meets each token of the cache. This line was right.
softmax(scores)
    the softmax: The weights of each token sum to 1. This line was right.
np.arange(len(new))[:, None]
    the number of the query: It is a column, and `past` is added to it. This line was right.
""",
    slips="""
table[past : past + len(new)] → table[past]
    All your new tokens get the position of the first of them. They are at past, past + 1, …
table[past : past + len(new)] → table[past + len(new) - 1]
    All your new tokens get the position of the last of them. They are at past, past + 1, …
table[past : past + len(new)] → table[past + 1 : past + 1 + len(new)]
    Your positions are one too large. Positions count from 0, so the first new token is at position `past`.
table[past : past + len(new)] → table[past - 1 : past - 1 + len(new)]
    Your positions are one too small. The tokens read before are at 0 … past − 1, so the new ones begin at `past`.
table[past : past + len(new)] → table[past + len(new) : past + 2 * len(new)]
    You count the new tokens among those read before. The first new one is at position `past`.
table[past : past + len(new)] → table[past:]
    You take the whole rest of the table. Take as many rows as there are new tokens.
table[past : past + len(new)] → table[: past + len(new)]
    You take the rows of the old tokens as well. Only the new ones need positions, one row each.
table[past : past + len(new)] → table[past : len(new)]
    The second number of a slice is its end, not its length: `table[2:3]` is one row, and `table[2:1]` is none.
table[past : past + len(new)] → table[-len(new) :]
    You take the last rows of the table, whatever was read before. The new tokens begin at position `past`.
new + table[past : past + len(new)] → new + past
    You add the number of the position. Add its vector, a row of the table.
new + table[past : past + len(new)] → table[past : past + len(new)]
    Only the positions are left. Add them to the words.
past + np.arange(len(new))[:, None] → np.arange(len(new))[:, None]
    The positions are right, but now the mask counts its queries from 0 and hides most of the cache. It was right.
np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf) → new @ cache.T / np.sqrt(new.shape[1])
    Nothing is hidden any more, so a new token sees those after it. Is the mask still there, and is `past` still the
    length before the new tokens came?
j <= i → j < i
    The mask was right. A token may see itself, so j ≤ i.
j <= i → j >= i
    The mask was right. Now it hides the past and shows the future.
softmax(scores) @ cache, cache → cache, softmax(scores) @ cache
    Your two results are in the wrong order. The output comes first, then the cache.
softmax(scores) @ cache, cache → softmax(scores) @ cache, new
    You return only the new tokens as the cache. The next step needs all of them.
np.concatenate([cache, new]) → np.concatenate([new, cache])
    Your cache grows at the wrong end. The old tokens come first, then the new ones.
table[past : past + len(new)] → table[: len(new)]
past + np.arange(len(new)) → np.arange(len(new))
    The mask was right, but now it counts from 0 as well. The bug is in another line. Which positions are added?
table[past : past + len(new)] → table[: len(new)]
j <= i → j < i
    The mask was right, because a token may see itself. And a later step still begins at position 0.
table[past : past + len(new)] → table[: len(new)]
j <= i → j >= 0
    The mask was right, but now a new token sees those after it. And a later step still begins at position 0.
new + table[past : past + len(new)] → new
np.concatenate([cache, new]) → np.concatenate([cache, new]) + table[: past + len(new)]; new = cache[past:]
    You add positions to the whole cache at every step. The old tokens have theirs already, so add them to the new ones
    only.
new + table[past : past + len(new)] → new
np.concatenate([cache, new]) → np.concatenate([cache, new]) + table[: past + len(new)]
    Your old tokens get their positions a second time, and the queries get none. Add them to the new tokens only, before
    these are used.
new = new + table[past : past + len(new)] → query = new + table[past : past + len(new)]
new @ cache.T → query @ cache.T
    Your cache keeps the new words without their positions, so later steps cannot know where they were.
new = new + table[past : past + len(new)] → query, new = new, new + table[past : past + len(new)]
new @ cache.T → query @ cache.T
    Your cache has the positions of the new tokens, but their queries do not. Both are made of the same rows.
new = new + table[past : past + len(new)] → query = new + table[past : past + len(new)]
new @ cache.T → query @ cache.T
j <= i → j >= 0
    Your cache should keep the new tokens with their positions, so add those before it grows. And `past` should be the
    length before it grows, or the mask hides nothing.
cache = np.concatenate([cache, new]) → pass
past = len(cache) → cache = np.concatenate([cache, new]); past = len(cache)
    You take `past` after the cache has grown. It is the length before the new tokens came, and the cache should keep
    them with their positions.
past = len(cache) → past, new = len(cache), new[:1]
    Only the first new token comes out. Is the `return` inside the loop?
new + table[past : past + len(new)] → new
np.concatenate([cache, new]) → np.concatenate([cache, new]) + table[: past + len(new)]; new = cache[past:]
@ cache, cache → @ cache, cache - table[: len(cache)]
    Your cache keeps tokens without positions, and every call adds positions to all of them. But the cache you are given
    already contains its positions. Add positions to the new tokens only, and keep these with their positions.
""",
    alternatives=[_through_the_library, _positions_first],
    hints=[
        "Compare the last row when all five are read at once with what the fifth token gets after four. What differs?",
        "At which position is the first new token? The mask three lines below uses it.",
        "`past` tokens were read before, so the new ones are at positions past, past + 1, …",
    ],
)
